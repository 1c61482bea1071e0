"""What importing the networks costs, and what it takes to train them."""

import subprocess
import sys

from cornet_nn import training


def run(code):
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout


def test_layers_do_not_import_training():
    code = "import sys, cornet_nn; print(*(name.split('.')[0] for name in sys.modules))"
    loaded = run(code).split()
    assert "cornet_nn" in loaded
    assert "skorch" not in loaded


def test_without_skorch_training_says_what_to_install():
    code = """
import importlib.util
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, *a: None if name == "skorch" else find(name, *a)
try:
    import cornet_nn.training
except ModuleNotFoundError as error:
    print(error)
"""
    assert "pip install 'geomstats-cor[nn]'" in run(code)


def test_public_names():
    assert len(set(training.__all__)) == len(training.__all__)
    for name in training.__all__:
        assert getattr(training, name).__doc__, name
