"""The data of `benchmarks.baselines`, in the three forms that networks take."""

import functools
from dataclasses import dataclass

import numpy as np
from sklearn.model_selection import GroupKFold, StratifiedKFold, train_test_split

from cornet_nn.datasets import HDM05, SequenceMatrices, load
from cornet_nn.datasets.matrices import segment_subspaces
from cornet_nn.datasets.radar import window_covariance

from .real_problems import band_passed, shrunk

SHRINKAGE = 1e-2


@dataclass(frozen=True)
class Problem:
    """A classification problem with its protocol.

    Attributes
    ----------
    title : str
        What it is, and how it is split.
    inputs : dict of array
        Covariance matrices [N, n, n] ("covariance") and [N, c, n, n] ("channels"), and
        orthonormal bases [N, 8, n, p] ("subspaces").
    labels : array, shape=[N]
        Classes, numbers from 0 on.
    groups : array, shape=[N], or None
        Subjects, which settings are chosen apart by.
    splits : list of tuple of array
        Training and test places, one for each seed.
    epochs : int
        Number of epochs: 200 to 330 steps with batches of 30 samples.
    sizes, hidden : int
        Size of hidden matrices of SPD networks of a global covariance matrix, and of
        correlation networks.
    hidden_gyro : int
        Size of hidden matrices of GyroSPD++, which decomposes a matrix for every
        sample, channel and lower entry of them.
    """

    title: str
    inputs: dict
    labels: np.ndarray
    groups: np.ndarray | None
    splits: list
    epochs: int
    sizes: int
    hidden: int
    hidden_gyro: int = 6


def hdm05_11(folder, seeds):
    """HDM05, eleven classes, subjects of the test part apart."""
    data = np.load(folder / "hdm05_11.npz")
    sequences = np.split(data["X"].astype(float), np.cumsum(data["L"])[:-1])
    gaussian = SequenceMatrices(HDM05, center="frame", view="frame")
    test = data["split"] == 1
    return Problem(
        "hdm05_11, subjects apart",
        {
            "channels": np.stack([gaussian(s) for s in sequences]),
            "covariance": shrunk(np.stack([np.cov(s.T) for s in sequences]), 1e-3),
            "subspaces": np.stack([segment_subspaces(s, 8, 10) for s in sequences]),
        },
        np.unique(data["y"], return_inverse=True)[1],
        np.array([name.split("_")[1] for name in data["names"]]),
        [(np.flatnonzero(~test), np.flatnonzero(test))] * seeds,
        epochs=30,
        sizes=30,
        hidden=8,
    )


def ssvep_exo(folder, seeds):
    """Steady-state evoked potentials: three band-passed copies of eight electrodes."""
    data = np.load(folder / "ssvep_exo.npz")
    copies = band_passed(data["X"] * data["scale"][:, None, None])
    labels = np.unique(data["y"], return_inverse=True)[1]
    # A quarter of each class of each subject is for testing.
    strata = np.char.add(data["subject"].astype(str), labels.astype("U2"))
    splits = [
        train_test_split(
            np.arange(len(labels)), test_size=0.25, stratify=strata, random_state=seed
        )
        for seed in range(seeds)
    ]
    covariances = np.stack([np.cov(copy) for copy in copies])
    bands = np.stack([covariances[:, a : a + 8, a : a + 8] for a in (0, 8, 16)], axis=1)
    return Problem(
        "ssvep_exo, all subjects in both parts",
        {
            "channels": _shrunk_channels(bands),
            "covariance": _of_unit_trace(shrunk(covariances, SHRINKAGE)),
            "subspaces": np.stack([segment_subspaces(c.T, 8, 6) for c in copies]),
        },
        labels,
        None,
        splits,
        epochs=12,
        sizes=16,
        hidden=8,
    )


def myo(folder, seeds):
    """Muscle activity, every second subject; those of the test part apart."""
    data = np.load(folder / "myo.npz")
    kept = np.isin(data["subject"], np.unique(data["subject"])[::2])
    recordings = np.split(data["X"].astype(float), np.cumsum(data["L"])[:-1])
    recordings = [r for r, keep in zip(recordings, kept, strict=True) if keep]
    subjects = data["subject"][kept]
    labels = np.unique(data["y"][kept], return_inverse=True)[1]
    folds = GroupKFold(max(2, seeds))
    splits = list(folds.split(labels, labels, subjects))[:seeds]
    covariances = np.stack([np.cov(r.T) for r in recordings])
    return Problem(
        "myo, 20 subjects, apart",
        {
            "channels": _shrunk_channels(np.stack([_pyramid(r) for r in recordings])),
            "covariance": _of_unit_trace(shrunk(covariances, 1e-3)),
            "subspaces": np.stack([segment_subspaces(r, 8, 2) for r in recordings]),
        },
        labels,
        subjects,
        splits,
        epochs=11,
        sizes=6,
        hidden=6,
    )


def radar_synthetic(folder, seeds, signals=600):
    """Radar signals, simulated; halves."""
    options = dict(signals=signals, progress=False)
    parts = load("radar-synthetic", **options)
    whole = load("radar-synthetic", representation="covariance", **options)
    bases = load("radar-synthetic", representation="subspace", **options)
    complex_signals = parts.inputs[:, 0] + 1j * parts.inputs[:, 1]
    halves = np.split(complex_signals, 2, axis=-1)
    channels = [whole.inputs, *(window_covariance(half) for half in halves)]
    folds = StratifiedKFold(2, shuffle=True, random_state=0)
    both = list(folds.split(whole.labels, whole.labels))
    return Problem(
        f"radar-synthetic, {signals} signals, halves",
        {
            "channels": _shrunk_channels(np.stack(channels, axis=1)),
            "covariance": _of_unit_trace(shrunk(whole.inputs, 1e-3)),
            "subspaces": bases.inputs,
        },
        whole.labels,
        None,
        [both[seed % 2] for seed in range(seeds)],
        epochs=30,
        sizes=8,
        hidden=8,
    )


PROBLEMS = {
    "hdm05_11": hdm05_11,
    "ssvep_exo": ssvep_exo,
    "myo": myo,
    "radar-synthetic": radar_synthetic,
}


@functools.cache
def load_problem(name, folder, seeds):
    """Return a problem by its name, read once in a process."""
    return PROBLEMS[name](folder, seeds)


def _pyramid(recording):
    """Return the covariances of a recording and of its halves."""
    middle = len(recording) // 2
    return np.stack(
        [np.cov(x.T) for x in (recording, recording[:middle], recording[middle:])]
    )


def _shrunk_channels(stack):
    flat = shrunk(stack.reshape(-1, *stack.shape[-2:]), SHRINKAGE)
    return _of_unit_trace(flat).reshape(stack.shape)


def _of_unit_trace(matrices):
    """Return matrices of mean variance one, so that units play no part."""
    mean = np.trace(matrices, axis1=-2, axis2=-1) / matrices.shape[-1]
    return matrices / mean[:, None, None]
