"""Runs that earlier versions wrote are loaded, and mean what they meant."""

import json

import numpy as np
import pytest
import torch

from cornet_nn.training import (
    CorMLRClassifier,
    CorNetClassifier,
    ResumeError,
    RunDirectoryError,
    load_classifier,
)
from geomstats_cor import METRICS, FullRankCorrelationMatrices

from .problems import correlations

# Parameters of version 0.1.0, as configuration.json held them.
COMMON = dict(
    kind="auto",
    power=1.0,
    shrinkage=0.0,
    front_end=None,
    center=False,
    optimizer="adam",
    lr=0.01,
    weight_decay=0.0,
    max_epochs=1,
    batch_size=30,
    validation=None,
    patience=None,
    class_weight=None,
    random_state=0,
    dtype="float64",
    device="cpu",
    progress=False,
    directory=None,
    resume=False,
    overwrite=False,
)
NETWORK = dict(
    mlr_metric=None,
    output_size=3,
    out_channels=1,
    kernel_size=None,
    stride=1,
    basis="orthonormal",
    activation=None,
    gain=0.1,
)
FREE = ("max_epochs", "device", "progress", "directory", "resume", "overwrite")


def write_run(folder, estimator, parameters, state):
    """Write the files that version 0.1.0 wrote for samples of 4 x 4 matrices."""
    folder.mkdir()
    configuration = {
        "estimator": estimator,
        "parameters": parameters,
        "resolved": {
            "kind": "correlation",
            "channels": 1,
            "size": 4,
            "input_shape": [4, 4],
            "features": 4,
            "classes": {"array": [0, 1], "dtype": "<i8"},
            "seed": 7,
            "front_end_is_fixed": True,
            "learnt_numbers": sum(value.numel() for value in state.values()),
            "network": [],
        },
    }
    (folder / "configuration.json").write_text(json.dumps(configuration))
    identity = {k: v for k, v in parameters.items() if k not in FREE}
    row = dict(epoch=1, train_loss=0.5, train_accuracy=0.75, seconds=0.1)
    checkpoint = {
        "identity": {"estimator": estimator, **identity, "data": "0"},
        "seed": 7,
        "rows": [row],
        "last": state,
        "best": state,
        "optimizer": {},
    }
    torch.save(checkpoint, folder / "checkpoint.pt")


def random_state(**shapes):
    generator = torch.Generator().manual_seed(0)
    return {
        name.replace("__", "."): torch.randn(
            shape, generator=generator, dtype=torch.float64
        )
        for name, shape in shapes.items()
    }


def old_coords(space, point):
    return torch.as_tensor(space.metric.to_coords(point))


def old_logits(space, coords, weight, gamma):
    """Return the logits of version 0.1.0, whose weights are packed normals."""
    n = space.n
    lower = torch.zeros(*weight.shape[:-1], n, n, dtype=torch.float64)
    rows, columns = np.tril_indices(n, -1)
    lower[..., rows, columns] = weight
    identity = torch.eye(n, dtype=torch.float64)
    one, null = torch.tensor([1.0, 0.0], dtype=torch.float64)
    _, normals = torch.func.jvp(
        lambda t: space.metric.to_coords(identity + t * (lower + lower.mT)),
        (null,),
        (one,),
    )
    normals = normals[:, 0]
    return coords @ normals.mT - gamma[:, 0] * normals.norm(dim=-1)


def probabilities(logits):
    return logits.softmax(-1).numpy()


@pytest.mark.parametrize("key", [key for key in METRICS if key != "phcm"])
class TestLoaded:
    def test_regression(self, tmp_path, key):
        state = random_state(mlr__weight=(2, 1, 6), mlr__gamma=(2, 1))
        write_run(tmp_path / "run", "CorMLRClassifier", dict(COMMON, metric=key), state)
        X, _ = correlations(n=4)
        space = FullRankCorrelationMatrices(4, equip=key)
        expected = old_logits(
            space, old_coords(space, X), state["mlr.weight"], state["mlr.gamma"]
        )
        model = load_classifier(tmp_path / "run")
        actual = model.predict_proba(X)
        np.testing.assert_allclose(actual, probabilities(expected), atol=1e-9)
        assert model.normalize is None and model.schedule is None
        assert model.refit is False and model.gain == 1.0
        assert model.history_[0]["train_loss"] == 0.5

    def test_network(self, tmp_path, key):
        state = random_state(
            conv__weight=(3, 1, 6),
            conv__gamma=(3, 1),
            mlr__weight=(2, 1, 3),
            mlr__gamma=(2, 1),
        )
        parameters = dict(COMMON, **NETWORK, metric=key)
        write_run(tmp_path / "run", "CorNetClassifier", parameters, state)
        X, _ = correlations(n=4)
        space, small = (FullRankCorrelationMatrices(n, equip=key) for n in (4, 3))
        hidden = old_logits(
            space, old_coords(space, X), state["conv.weight"], state["conv.gamma"]
        )
        expected = old_logits(small, hidden, state["mlr.weight"], state["mlr.gamma"])
        model = CorNetClassifier.load(tmp_path / "run")
        actual = model.predict_proba(X)
        np.testing.assert_allclose(actual, probabilities(expected), atol=1e-9)
        assert model.dropout == 0.0 and model.gain == 0.1
        assert model.activation is None


def old_run(folder, **parameters):
    state = random_state(mlr__weight=(2, 1, 6), mlr__gamma=(2, 1))
    parameters = dict(COMMON, metric="lsm") | parameters
    write_run(folder, "CorMLRClassifier", parameters, state)
    return folder


def test_a_centred_run_is_refused(tmp_path):
    run = old_run(tmp_path / "run", center=True)
    with pytest.raises(RunDirectoryError, match="center=True.*train it again"):
        load_classifier(run)


def test_an_old_run_is_not_resumed(tmp_path):
    run = old_run(tmp_path / "run")
    X, y = correlations(n=4)
    model = CorMLRClassifier("lsm", directory=run, resume=True, progress=False)
    before = (run / "checkpoint.pt").read_bytes()
    with pytest.raises(ResumeError, match="an earlier version"):
        model.fit(X, y)
    assert (run / "checkpoint.pt").read_bytes() == before


def test_a_new_run_is_not_converted(tmp_path):
    X, y = correlations(n=4)
    model = CorMLRClassifier("lsm", directory=tmp_path, C=1.0, progress=False)
    expected = model.fit(X, y).predict_proba(X)
    actual = load_classifier(tmp_path).predict_proba(X)
    np.testing.assert_array_equal(actual, expected)
