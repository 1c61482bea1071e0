"""What the steps of the loaders do to the accuracy of a logistic regression.

    python -m benchmarks.loader_steps --data DIR

On the training part of hdm05_11 alone: three subjects, each of which is tested once
with a regression that was trained on the two others. The test part is not read. The
regression (C = 0.01) is on standardised coordinates of the off-log metric.
"""

import argparse
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import LeaveOneGroupOut, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from cornet_nn.datasets import HDM05, SequenceMatrices
from cornet_nn.datasets.sequences import reference_lengths
from geomstats_cor.learning import ToCoords

_SIDES = ("left", "right", "bottom")
_FORMS = {
    "gaussian": dict(neighbors=_SIDES, levels=2),
    "covariance": dict(representation="covariance", levels=1),
}
_PLACES = (None, "first", "frame")


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.loader_steps")
    parser.add_argument("--data", type=Path, required=True, help="folder of .npz files")
    sequences, labels, subjects = training_part(parser.parse_args().data)
    tenth = [sequence[::10] for sequence in sequences]
    lengths = reference_lengths(sequences, HDM05)
    print("| steps | Gaussian, [9, 28, 28] | covariance |\n|---|---|---|")
    for title, frames, steps in rows():
        cells = []
        for form in _FORMS.values():
            matrices = SequenceMatrices(
                HDM05, lengths=lengths, correlation=True, **{**form, **steps}
            )
            inputs = np.stack([matrices(s) for s in (tenth if frames else sequences)])
            cells.append(f"{100.0 * accuracy(inputs, labels, subjects):.1f}")
        print(f"| {title} | {' | '.join(cells)} |", flush=True)


def rows():
    """Yield a title, whether to take every tenth frame only, and the steps."""
    for view in _PLACES:
        for center in _PLACES:
            words = f"`center={center!r}`, `view={view!r}`"
            yield words, False, dict(center=center, view=view)
    base = dict(center="frame", view="first")
    single = (dict(root=False), dict(frames=200), dict(augmented=True))
    for own in (*single, dict(root=False, frames=200, augmented=True)):
        for center in ("first", "frame"):
            words = ", ".join(f"`{name}={value}`" for name, value in own.items())
            title = f"`center={center!r}`, `view='first'`, {words}"
            yield title, False, {**base, "center": center, **own}
    for own in ({}, dict(frames=200)):
        words = "".join(f", `{name}={value}`" for name, value in own.items())
        title = f"every tenth frame, `center='frame'`, `view='first'`{words}"
        yield title, True, {**base, **own}


def training_part(folder):
    """Return the sequences, classes and subjects of the training part."""
    data = np.load(folder / "hdm05_11.npz")
    pieces = np.split(data["X"].astype(np.float64), np.cumsum(data["L"])[:-1])
    train = np.flatnonzero(data["split"] == 0)
    subjects = np.array([str(name).split("_")[1] for name in data["names"]])
    return [pieces[i] for i in train], data["y"][train], subjects[train]


def accuracy(inputs, labels, subjects):
    """Return the accuracy over samples, each subject tested by the others."""
    stacks = inputs[:, None] if inputs.ndim == 3 else inputs
    coords = ToCoords("olm", reference="identity")
    features = np.hstack(
        [coords.fit_transform(stack) for stack in stacks.swapaxes(0, 1)]
    )
    model = make_pipeline(StandardScaler(), LogisticRegression(C=0.01, max_iter=1000))
    predicted = cross_val_predict(
        model, features, labels, groups=subjects, cv=LeaveOneGroupOut()
    )
    return np.mean(predicted == labels)


if __name__ == "__main__":
    main()
