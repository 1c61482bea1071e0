"""Which correlations speak for which class."""

import numpy as np
import pytest
import torch

from cornet_nn import CorNet
from cornet_nn.training import CorMLRClassifier, CorNetClassifier, plot_edge_weights
from geomstats_cor import METRICS, FullRankCorrelationMatrices, frechet_mean
from geomstats_cor.exceptions import ParameterError, ShapeError

from .problems import correlations

QUIET = dict(progress=False, random_state=0, dtype="float64")


def quotients(function, point, step=1e-5):
    """Return changes of logits with each pair of equal entries."""
    channels, n, _ = point.shape
    base = []
    for channel in range(channels):
        rows = np.zeros((n, n), dtype=object)
        for i in range(n):
            for j in range(i):
                ends = []
                for sign in (1.0, -1.0):
                    moved = point.copy()
                    moved[channel, i, j] += sign * step
                    moved[channel, j, i] += sign * step
                    ends.append(function(moved))
                rows[i, j] = rows[j, i] = (ends[0] - ends[1]) / (2.0 * step)
        base.append(rows)
    classes = len(base[0][1, 0])
    weights = np.zeros((classes, channels, n, n))
    for channel, rows in enumerate(base):
        for i in range(n):
            for j in range(n):
                if i != j:
                    weights[:, channel, i, j] = rows[i, j]
    return weights - weights.mean(0)


@pytest.mark.parametrize("channels", [None, 2])
@pytest.mark.parametrize("Classifier", [CorMLRClassifier, CorNetClassifier])
@pytest.mark.parametrize("metric", METRICS)
def test_edge_weights_are_difference_quotients(metric, Classifier, channels):
    X, y = correlations(n=4, classes=3, channels=channels)
    extra = dict(C=1.0) if Classifier is CorMLRClassifier else dict(max_epochs=3)
    if Classifier is CorNetClassifier:
        # An activation without a bend, where a quotient would not be a derivative.
        extra |= dict(output_size=3, activation="tanh")
    model = Classifier(metric, **extra, **QUIET).fit(X, y)

    def logits(point):
        with torch.no_grad():
            return model.module_(torch.as_tensor(point)[None])[0].numpy()

    point = X[0] if channels else X[0][None]
    expected = quotients(logits, point)
    weights = model.edge_weights(X[0])
    if channels is None:
        expected = expected[:, 0]
    assert weights.shape == expected.shape
    scale = np.abs(expected).max()
    assert scale > 1e-4
    np.testing.assert_allclose(weights, expected, atol=1e-5 * scale + 1e-8)
    np.testing.assert_allclose(weights, np.swapaxes(weights, -1, -2))
    np.testing.assert_allclose(weights.sum(0), 0.0, atol=1e-9)


@pytest.mark.parametrize("metric", ["ecm", "lsm"])
def test_the_point_is_the_mean_of_the_training_samples(metric):
    X, y = correlations(n=4)
    model = CorMLRClassifier(metric, C=1.0, **QUIET).fit(X, y)
    mean = frechet_mean(X, FullRankCorrelationMatrices(4, equip=metric))
    np.testing.assert_allclose(
        model.edge_weights(), model.edge_weights(mean), rtol=1e-7, atol=1e-9
    )


def test_the_network_stays_as_it_is():
    X, y = correlations(n=4)
    model = CorNetClassifier(max_epochs=1, random_state=0, progress=False).fit(X, y)
    before = model.predict_proba(X)
    assert model.edge_weights().dtype == np.float64
    assert model.module_.conv.weight.dtype == torch.float32
    np.testing.assert_array_equal(model.predict_proba(X), before)


def test_a_network_without_a_mean_needs_a_point():
    model = CorNet(4, 3, 2, metric="olm")
    with pytest.raises(ParameterError, match="needs a point"):
        model.edge_weights()
    assert model.edge_weights(torch.eye(4)).shape == (2, 1, 4, 4)


class TestFigure:
    def test_one_scale_for_all_classes_and_channels(self):
        weights = np.random.default_rng(0).standard_normal((3, 2, 4, 4))
        figure = plot_edge_weights(weights, ["a", "b", "c"], names=list("wxyz"))
        axes = figure.axes[:6]
        assert [a.get_title() for a in axes] == ["a", "b", "c", "", "", ""]
        limit = np.abs(weights).max()
        for k, a in enumerate(axes):
            (image,) = a.images
            assert image.get_clim() == (-limit, limit)
            shown = image.get_array()
            np.testing.assert_array_equal(shown, weights[k % 3, k // 3])
        assert [t.get_text() for t in axes[0].get_yticklabels()] == list("wxyz")

    def test_weights_that_are_zero(self):
        figure = plot_edge_weights(np.zeros((2, 3, 3)))
        assert figure.axes[0].images[0].get_clim() == (-1.0, 1.0)
        assert [a.get_title() for a in figure.axes[:2]] == ["0", "1"]

    @pytest.mark.parametrize("shape", [(3, 3), (2, 3, 4), (1, 1, 1, 3, 3)])
    def test_another_shape(self, shape):
        with pytest.raises(ShapeError, match="expected edge_weights of shape"):
            plot_edge_weights(np.zeros(shape))
