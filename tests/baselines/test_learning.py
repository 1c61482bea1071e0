"""Every network for comparison learns twenty samples by heart, in both precisions."""

import importlib.util

import numpy as np
import pytest
import torch

from cornet_nn.baselines import BASELINES, BaselineClassifier
from cornet_nn.baselines.classifier import AMSGrad
from cornet_nn.datasets.matrices import segment_subspaces
from geomstats_cor.exceptions import GeomstatsCorError, ParameterError

HAS_SPD_LEARN = importlib.util.find_spec("spd_learn") is not None
N, CHANNELS = 6, 2
LABELS = np.arange(20) % 3


def inputs_of(form):
    rng = np.random.default_rng(0)
    if form == "subspaces":
        signals = rng.standard_normal((20, 60, N))
        return np.stack([segment_subspaces(s, CHANNELS, 2) for s in signals])
    signals = rng.standard_normal((20, CHANNELS, N, 30))
    covariances = signals @ signals.swapaxes(-1, -2) / 30
    return covariances if form == "channels" else covariances[:, 0]


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] * name.startswith("SPDNet"))
        for name in BASELINES
    ],
)
def test_twenty_samples_are_learnt_by_heart(name):
    baseline = BASELINES[name]
    if baseline.needs_spd_learn and not HAS_SPD_LEARN:
        pytest.skip("needs spd_learn")
    inputs = inputs_of(baseline.form)
    model = BaselineClassifier(
        name,
        sizes=() if name in ("GrNet", "GyroGr", "GyroGr-Scaling") else (4,),
        optimizer=AMSGrad,
        lr=0.03,
        max_epochs=200 if name.startswith("SPDNet") else 50,
        batch_size=20,
        random_state=0,
        progress=False,
        dtype="float64" if name in ("GyroAI", "SPDResNet-AIM") else "float32",
    )
    model.fit(inputs, LABELS)
    best = max(row["train_accuracy"] for row in model.history_)
    assert best >= 0.95
    expected = np.float64 if model.dtype == "float64" else np.float32
    assert next(model.module_.parameters()).dtype == torch.as_tensor(expected(0)).dtype
    assert model.predict(inputs).shape == (20,)


def test_bad_input_is_named():
    singular = inputs_of("covariance")
    singular[3, 0] = singular[3, :, 0] = 0.0
    model = BaselineClassifier("GyroLE", max_epochs=1, progress=False)
    with pytest.raises(GeomstatsCorError, match=r"X\[3\]"):
        model.fit(singular, LABELS)
    subspaces = inputs_of("subspaces")
    subspaces[5, 1, :, 0] = 0.0
    model = BaselineClassifier("GrNet", max_epochs=1, progress=False)
    with pytest.raises(GeomstatsCorError, match=r"point\[5, 1\]"):
        model.fit(subspaces, LABELS)
    with pytest.raises(ParameterError, match="GyroAI"):
        BaselineClassifier("GyroXY", progress=False).fit(singular, LABELS)
