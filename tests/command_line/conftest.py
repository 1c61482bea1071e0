"""Small data in files, and the command line in this process."""

import numpy as np
import pytest

from cornet_nn.command_line import main
from geomstats_cor import FullRankCorrelationMatrices


def correlations(count, n=4, seed=0):
    """Return correlation matrices of two classes that overlap, and the classes."""
    rng = np.random.default_rng(seed)
    labels = np.arange(count) % 2
    space = FullRankCorrelationMatrices(n, equip="lecm")
    coords = rng.normal(size=(count, n * (n - 1) // 2)) + 0.8 * labels[:, None]
    return space.metric.from_coords(coords), np.array(["left", "right"])[labels]


@pytest.fixture(autouse=True)
def working_directory(tmp_path, monkeypatch):
    """Keep runs without a directory of their own out of the repository."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def data_file(tmp_path):
    """Return a file of 40 matrices without a split."""
    matrices, labels = correlations(40)
    path = tmp_path / "plain.npz"
    np.savez(path, C=matrices, y=labels)
    return path


@pytest.fixture
def split_file(tmp_path):
    """Return a file of 60 matrices, of which the last 20 are for test."""
    matrices, labels = correlations(60)
    path = tmp_path / "split.npz"
    np.savez(path, C=matrices, y=labels, split=np.arange(60) >= 40)
    return path


@pytest.fixture
def cornet(capsys):
    """Return a function that runs a command and returns code, output and errors."""

    def run(*words):
        try:
            code = main([str(word) for word in words])
        except SystemExit as end:
            code = end.code
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run
