"""Where the JavaScript of the page runs, apart from the page: Node.js or Chromium."""

import json
import os
import shutil
import subprocess

import pytest

from geomstats_cor.plotting.explore import scripts

from .browser import Browser, executable

WHY = (
    "there is no Chromium here (Debian: apt-get install chromium); set "
    "REQUIRE_CHROMIUM=1 to make this an error"
)


def require_chromium():
    """Skip a test where there is no Chromium, unless there has to be one."""
    if executable() is None:
        if os.environ.get("REQUIRE_CHROMIUM") == "1":
            pytest.fail(WHY)
        pytest.skip(WHY)


def evaluate(expression, **data):
    """Return the value of an expression over the geometry of the page and some data."""
    names = ", ".join(data)
    values = ", ".join(json.dumps(value) for value in data.values())
    body = f"{scripts()}\nreturn (({names}) => ({expression}))({values});"
    program = f"JSON.stringify((() => {{ {body} }})())"
    node = shutil.which("node")
    if node is None:
        require_chromium()
        with Browser() as browser:
            return json.loads(browser.run(program))
    run = subprocess.run(
        [node, "-"],
        input=f"process.stdout.write({program});",
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)
