"""The code of the page on plotting runs as written, block after block."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from geomstats_cor import plotting

PAGE = Path(__file__).parents[2] / "docs" / "plotting.md"


def test_the_code_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)
    assert len(blocks) >= 3
    names = {}
    for number, block in enumerate(blocks):
        exec(compile(block, f"plotting.md block {number}", "exec"), names)
    assert (tmp_path / "cloud.png").stat().st_size > 10_000
    assert float(capsys.readouterr().out) < 1e-3


def test_every_function_that_plots_is_named():
    text = PAGE.read_text()
    for name in plotting.__all__:
        if name.startswith(("plot_", "animate_", "save_")):
            assert f"`{name}" in text, name


def test_public_names_resolve_and_are_documented():
    assert len(set(plotting.__all__)) == len(plotting.__all__)
    for name in plotting.__all__:
        assert getattr(plotting, name).__doc__, name


@pytest.mark.parametrize(
    ("missing", "code"),
    [
        ("matplotlib", "import geomstats_cor.plotting"),
        ("skimage", "plotting.level_set(lambda points: points[:, 1, 0])"),
        ("plotly", "plotting.interactive_figure(plotting.cone_scene([0.5]))"),
    ],
)
def test_a_missing_extra_is_named(missing, code):
    program = f"""
import sys
sys.modules["{missing}"] = None
try:
    from geomstats_cor import plotting
    {code}
except ImportError as error:
    print(error)
"""
    run = subprocess.run(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True
    )
    assert f"plotting needs {missing}: pip install" in run.stdout


def test_the_palette_of_metrics_is_written_once():
    root = PAGE.parents[1]
    files = [
        *(root / "examples").glob("*.py"),
        *(root / "cornet_nn").rglob("*.py"),
        *(root / "geomstats_cor" / "plotting" / "explore").glob("*.js"),
    ]
    assert len(files) > 20
    for path in files:
        text = path.read_text(encoding="utf-8").upper()
        assert sum(color in text for color in plotting.METRIC_COLORS.values()) <= 2, (
            path
        )
