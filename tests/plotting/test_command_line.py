"""The command line writes what it says, and says what it cannot."""

import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

from geomstats_cor.plotting.__main__ import main

COMMANDS = ("hyperplanes", "elliptope", "geodesics", "cone")


@pytest.mark.parametrize("command", COMMANDS)
def test_a_png_has_a_picture(command, tmp_path, capsys):
    path = tmp_path / f"{command}.png"
    assert main([command, "-o", str(path), "--metric", "ecm"]) == 0
    assert capsys.readouterr().out == f"{path}\n"
    pixels = np.asarray(Image.open(path).convert("L"))
    assert min(pixels.shape) > 300
    assert pixels.std() > 5.0


def test_five_panels_by_default(tmp_path):
    assert main(["hyperplanes", "-o", str(tmp_path / "five.png")]) == 0
    with Image.open(tmp_path / "five.png") as picture:
        assert picture.width > 4 * picture.height


@pytest.mark.parametrize("command", COMMANDS)
def test_a_page_needs_no_network(command, tmp_path):
    path = tmp_path / f"{command}.html"
    assert main([command, "-o", str(path), "--metric", "olm"]) == 0
    page = path.read_text(encoding="utf-8")
    assert "plotly" in page
    assert '<script src="http' not in page


def test_a_pdf_is_one(tmp_path):
    assert main(["cone", "-o", str(tmp_path / "cone.pdf")]) == 0
    assert (tmp_path / "cone.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize("command", [*COMMANDS, "explore"])
def test_a_seed_changes_the_picture_and_repeats_it(command, tmp_path):
    suffix = "html" if command == "explore" else "png"
    written = []
    for name, seed in (("a", "3"), ("b", "3"), ("c", "4")):
        path = tmp_path / f"{name}.{suffix}"
        arguments = [command, "-o", str(path), "--metric", "ecm", "--seed", seed]
        assert main(arguments) == 0
        written.append(path.read_bytes())
    assert written[0] == written[1] != written[2]


@pytest.mark.parametrize("command", ["geodesics", "cone", "explore"])
def test_a_metric_changes_the_picture(command, tmp_path):
    suffix = "html" if command == "explore" else "png"
    written = []
    for metric in ("ecm", "phcm"):
        path = tmp_path / f"{metric}.{suffix}"
        assert main([command, "-o", str(path), "--metric", metric]) == 0
        written.append(path.read_bytes())
    assert written[0] != written[1]


def test_an_unknown_suffix_is_named(tmp_path, capsys):
    assert main(["cone", "-o", str(tmp_path / "cone.docx")]) == 1
    assert "'.docx'" in capsys.readouterr().err
    assert main(["explore", "-o", str(tmp_path / "page.png")]) == 1
    assert ".html" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("command", "suffix"), [("cone", "png"), ("cone", "html"), ("explore", "html")]
)
def test_a_path_that_cannot_be_written_is_named(command, suffix, tmp_path, capsys):
    path = tmp_path / "missing" / f"figure.{suffix}"
    assert main([command, "-o", str(path)]) == 1
    error = capsys.readouterr().err
    assert "missing" in error
    assert "Traceback" not in error


@pytest.mark.parametrize("arguments", [["--help"], ["hyperplanes", "--help"]])
def test_help_is_given(arguments, capsys):
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 0
    assert "geomstats_cor.plotting" in capsys.readouterr().out


def test_an_unknown_metric_lists_the_known(capsys):
    with pytest.raises(SystemExit) as end:
        main(["cone", "--metric", "euclid"])
    assert end.value.code == 2
    assert "phcm" in capsys.readouterr().err


def test_it_runs_as_a_module_without_torch(tmp_path):
    code = f"""
import sys
from geomstats_cor.plotting.__main__ import main
assert main(["hyperplanes", "-o", r"{tmp_path}/h.png", "--metric", "phcm"]) == 0
assert "torch" not in sys.modules
assert "plotly" not in sys.modules
"""
    environment = {"GEOMSTATS_BACKEND": "numpy", "MPLBACKEND": "Agg", "PATH": ""}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)
    run = subprocess.run(
        [sys.executable, "-m", "geomstats_cor.plotting", "cone", "-o", "cone.png"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert run.stdout == "cone.png\n", run.stderr
