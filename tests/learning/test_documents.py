"""The page on learning and the example scripts run as written."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
PAGE = ROOT / "docs" / "learning.md"
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)


def test_the_code_of_the_page_runs(capsys):
    assert len(BLOCKS) >= 5
    namespace = {}
    for number, block in enumerate(BLOCKS):
        exec(compile(block, f"{PAGE.name} block {number}", "exec"), namespace)
    capsys.readouterr()


@pytest.mark.parametrize(
    "name",
    ["plot_swelling", "plot_asset_returns", "plot_signals", "plot_named_edges"],
)
def test_an_example_makes_its_figure(name, tmp_path):
    pytest.importorskip("matplotlib")
    if name in ("plot_asset_returns", "plot_named_edges"):
        pytest.importorskip("skfolio")
    output = tmp_path / "figure.png"
    environment = {**os.environ, "MPLBACKEND": "Agg"}
    environment["PYTHONPATH"] = os.pathsep.join([str(ROOT), *sys.path])
    subprocess.run(
        [sys.executable, ROOT / "examples" / f"{name}.py", "--output", output],
        check=True,
        env=environment,
        stdout=subprocess.DEVNULL,
    )
    assert output.stat().st_size > 50_000
