"""What it takes to train networks."""

import subprocess
import sys

from cornet_nn import training


def test_without_skorch_training_says_what_to_install():
    code = """
import importlib.util
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, *a: None if name == "skorch" else find(name, *a)
try:
    from cornet_nn.training import CorNetClassifier
except ModuleNotFoundError as error:
    print(error)
"""
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert "pip install 'geomstats-cor[nn]'" in run.stdout


def test_public_names():
    assert len(set(training.__all__)) == len(training.__all__)
    for name in training.__all__:
        assert getattr(training, name).__doc__, name
