"""The words of the command line: help, exit codes, and agreement with the estimator."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Literal, get_args, get_origin

import numpy as np
import pytest

from cornet_nn.command_line import COMMANDS, _overview, build_parser
from cornet_nn.command_line.data import FORMATS
from cornet_nn.command_line.settings import all_options
from cornet_nn.datasets import names
from cornet_nn.layers.activation import ACTIVATIONS
from cornet_nn.models.base import NORMALIZATIONS
from cornet_nn.training.estimator import OPTIMIZERS
from geomstats_cor import METRICS

from .conftest import correlations

ROOT = Path(__file__).parents[2]
# A program in which the libraries of the extra `nn` are not installed.
WITHOUT_EXTRAS = """
import sys
from importlib.machinery import PathFinder
find = PathFinder.find_spec
absent = ("torch", "skorch", "tqdm", "matplotlib", "filelock")
PathFinder.find_spec = lambda name, *rest: None if name in absent else find(name, *rest)
from cornet_nn.command_line import main
"""


def examples():
    """Return the commands that help texts and pages show."""
    texts = {name: build_parser(name)[1].epilog for name in COMMANDS}
    texts["cornet"] = _overview().epilog
    for page in ("docs/command_line.md", "README.md", "Makefile"):
        texts[page] = (ROOT / page).read_text().replace("\\\n", " ")
    found = []
    for source, text in texts.items():
        for line in text.splitlines():
            line = re.sub(r"^\s.*\$\(BIN\)/", "    ", line)
            words = re.match(r"\s+(?:torchrun .* cornet_nn|cornet) ([a-z].*)", line)
            if words:
                text = re.split(r"\s{2,}|#", words[1])[0]
                found.append(pytest.param(shlex.split(text), id=f"{source}: {text}"))
    return found


@pytest.mark.parametrize("words", examples())
def test_examples_can_be_parsed(words):
    _, parser = build_parser(words[0])
    assert vars(parser.parse_args(words[1:]))


@pytest.mark.parametrize("command", [None, *COMMANDS])
def test_help_is_given(command, cornet):
    code, output, _ = cornet(*([command] if command else []), "--help")
    assert code == 0
    assert "examples:" in output
    assert max(map(len, output.splitlines())) <= 100


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["fly"],
        ["train"],
        ["train", "--resume"],
        ["train", "connectomes", "--metric", "euclid"],
        ["train", "connectomes", "--epochs", "many"],
        ["compare"],
        ["compare", "connectomes", "--resume"],
        ["sweep", "connectomes", "--option", "ridge"],
        ["predict", "run"],
        ["data", "--option", "ridge=1"],
    ],
)
def test_what_makes_no_sense_ends_with_two(words, cornet, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    code, output, errors = cornet(*words)
    assert (code, output) == (2, "")
    assert errors.startswith("usage: cornet")
    assert list(tmp_path.iterdir()) == []


def test_choices_are_those_of_the_estimators():
    """The defaults are those of the estimators: there is one list of them."""

    def choices(name):
        hint = all_options()[name].type
        parts = get_args(hint) if get_origin(hint) is not Literal else (hint,)
        return {c for p in parts if get_origin(p) is Literal for c in get_args(p)}

    assert choices("activation") == {*ACTIVATIONS}
    assert choices("optimizer") == {*OPTIMIZERS, "lbfgs", "auto"}
    assert choices("normalize") == {*NORMALIZATIONS}
    assert choices("metric") == {*METRICS}


def test_unknown_data_is_an_error_of_one_line(cornet):
    for command in ("train", "compare", "sweep", "data"):
        code, output, errors = cornet(command, "no_such_data")
        assert (code, output) == (1, "")
        assert errors.startswith(f"cornet {command}: ")
        assert errors.count("\n") == 1
        assert "no_such_data" in errors


def test_data_sets_are_listed(cornet):
    code, output, _ = cornet("data")
    assert code == 0
    assert set(FORMATS) == set(names())
    for name in names():
        line = next(line for line in output.splitlines() if line.startswith(name + " "))
        assert "--data-dir" in line or "geomstats" in line or "synthetic" in line


def test_data_is_described_with_its_problems(tmp_path, cornet):
    matrices, labels = correlations(8)
    matrices[3, 0, 1] = np.nan
    np.savez(tmp_path / "data.npz", C=matrices, y=labels, split=np.arange(8) % 4 == 0)
    code, output, errors = cornet("data", tmp_path / "data.npz")
    assert (code, errors) == (0, "")
    lines = [line.split() for line in output.splitlines()]
    assert ["left", "4", "2", "2"] in lines
    assert ["right", "3", "3", "0"] in lines
    assert "1 left out:" in output
    assert "data.npz[3] has a NaN" in output


def test_problems_of_a_folder_are_listed(tmp_path, cornet):
    rng = np.random.default_rng(0)
    for number in range(4):
        signal = rng.normal(size=400) + 1j * rng.normal(size=400)
        np.save(tmp_path / f"{number}_{number % 2}.npy", signal)
    np.save(tmp_path / "short_1.npy", signal[:3])
    words = ("data", "radar", "--data-dir", tmp_path, "--no-cache", "--quiet")
    code, output, errors = cornet(*words, "--option", "representation=covariance")
    assert (code, errors) == (0, "")
    assert "4 covariance [20, 20], 2 classes" in output
    assert "1 left out:" in output
    assert "short_1.npy" in output


def test_options_reach_the_loader(cornet):
    words = ("data", "radar-synthetic", "--option", "signals=6", "--option")
    code, output, _ = cornet(*words, "representation=covariance", "--quiet")
    assert code == 0
    assert "synthetic" in output
    assert "6 covariance [20, 20]" in output
    code, _, errors = cornet("data", "connectomes", "--option", "speed=1")
    assert code == 1
    assert "speed" in errors


def test_warnings_are_lines_of_the_command(tmp_path, cornet):
    matrices, labels = correlations(9)
    matrices[4, 0, 1] = np.nan
    np.savez(tmp_path / "data.npz", C=matrices, y=labels)
    words = ("train", tmp_path / "data.npz", "--epochs", 1, "--quiet")
    code, _, errors = cornet(*words, "--run-dir", tmp_path / "run")
    assert code == 0
    assert errors.startswith("cornet train: ")
    assert "data.npz[4]" in errors
    assert ".py" not in errors


@pytest.mark.parametrize("words", [["--help"], ["train", "--help"], ["--version"]])
def test_help_needs_nothing_of_the_extras(words):
    program = f"""{WITHOUT_EXTRAS}
main({words!r})
"""
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True
    )
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout


def test_without_torch_one_line_says_what_to_install(tmp_path):
    np.savez(tmp_path / "data.npz", C=correlations(6)[0], y=correlations(6)[1])
    program = f"""{WITHOUT_EXTRAS}
sys.exit(main(["train", "data.npz"]))
"""
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path
    )
    assert run.returncode == 1
    assert run.stderr.count("\n") == 1
    assert "pip install 'geomstats-cor[nn]'" in run.stderr


def test_ctrl_c_while_modules_are_imported(cornet, monkeypatch):
    def stopped(name, *arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("importlib.import_module", stopped)
    assert cornet("train", "connectomes") == (130, "", "cornet train: stopped.\n")


def test_output_that_the_terminal_cannot_encode(tmp_path):
    matrices, labels = correlations(6)
    np.savez(tmp_path / "data.npz", C=matrices, y=np.where(labels == "left", "ö", "→"))
    run = subprocess.run(
        [sys.executable, "-m", "cornet_nn", "data", tmp_path / "data.npz"],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert (run.returncode, run.stderr) == (0, b"")
    assert rb"\xf6" in run.stdout


def test_the_module_is_the_script_and_helps_before_it_imports_much():
    program = """
import sys
from cornet_nn.command_line import main
try:
    main(["train", "--help"])
except SystemExit as end:
    heavy = ("torch", "skorch", "sklearn", "geomstats", "matplotlib", "pandas")
    print(end.code, [name for name in heavy if name in sys.modules])
"""
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True
    )
    assert run.stdout.splitlines()[-1] == "0 []", run.stderr
    entry = (ROOT / "setup.cfg").read_text()
    assert "cornet = cornet_nn.command_line:main" in entry
    assert (
        "from .command_line import main"
        in (ROOT / "cornet_nn" / "__main__.py").read_text()
    )
