"""A curved metric in under 60 lines gets all that does not need more."""

from pathlib import Path

import numpy as np
import pytest
from kernels.matrices import random_correlation, random_hollow

from geomstats_cor import FullRankCorrelationMatrices, frechet_mean, geometric_median
from geomstats_cor.exceptions import ParameterError
from geomstats_cor.learning import kernel_matrix

from .curved_metric import HyperbolicCholeskyMetric

SPACE = FullRankCorrelationMatrices(3, equip=HyperbolicCholeskyMetric)
METRIC = SPACE.metric


def test_it_takes_under_60_lines():
    source = Path(__file__).with_name("curved_metric.py").read_text(encoding="utf-8")
    assert len(source.splitlines()) < 60


def test_distance_is_that_of_the_hyperboloid(rng):
    a, b = random_correlation(rng, 3, 20.0, (2,))
    below = np.tril_indices(3, -1)
    factors = (np.linalg.cholesky(x) for x in (a, b))
    rows = [(x / np.diag(x)[:, None])[below] for x in factors]
    times = [np.sqrt(1.0 + x @ x) for x in rows]
    expected = np.arccosh(times[0] * times[1] - rows[0] @ rows[1])
    np.testing.assert_allclose(METRIC.dist(a, b), expected, rtol=1e-10)


def test_geometry(rng, library):
    convert = np.asarray
    if library == "torch":
        convert = pytest.importorskip("torch").as_tensor
    a, b = random_correlation(rng, 3, 20.0, (2,))
    start, end = convert(a), convert(b)
    vector, other = (convert(0.3 * random_hollow(rng, 3)) for _ in range(2))
    np.testing.assert_allclose(METRIC.exp(METRIC.log(end, start), start), b, atol=1e-12)
    middle = METRIC.geodesic(start, end)(0.5)[0]
    half = 0.5 * METRIC.dist(start, end)
    np.testing.assert_allclose(METRIC.dist(start, middle), half, rtol=1e-10)
    carried = METRIC.parallel_transport(vector, start, end_point=end)
    norms = METRIC.norm(carried, end), METRIC.norm(vector, start)
    np.testing.assert_allclose(*norms, rtol=1e-10)
    curvature = METRIC.sectional_curvature(vector, other, start)
    np.testing.assert_allclose(curvature, -1.0, rtol=1e-8)
    coords = METRIC.to_coords(start)
    np.testing.assert_allclose(METRIC.from_coords(coords), a, atol=1e-12)
    origin = METRIC.origin(like=start)
    length = np.linalg.norm(np.asarray(coords))
    np.testing.assert_allclose(METRIC.dist(start, origin), length, rtol=1e-10)
    assert SPACE.belongs(middle)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda x: frechet_mean(x, SPACE), "Fréchet means need the method `mean` of"),
        (lambda x: geometric_median(x, SPACE), "need the method `mean` of Hyperbolic"),
        (lambda x: kernel_matrix(x, x, SPACE, 1.0), "Kernel methods need"),
        (lambda x: METRIC.christoffels(x[0]), "Christoffel symbols need"),
        (lambda x: METRIC.hyperplanes(), "HyperbolicCholeskyMetric has no hyperplanes"),
    ],
)
def test_what_is_missing_is_named(rng, ask, message):
    with pytest.raises(ParameterError, match=message):
        ask(random_correlation(rng, 3, 20.0, (4,)))
