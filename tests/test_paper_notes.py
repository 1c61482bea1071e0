"""Where the paper needs a correction: what is printed fails, what replaces it holds.

One test for each entry of docs/notes_on_the_paper.md, under the name of the entry.
"""

import itertools

import numpy as np
import pytest
import scipy.optimize
from kernels.matrices import off, random_correlation, random_row0
from scipy.linalg import helmert
from strategies import equipped, hollow

pytestmark = pytest.mark.filterwarnings("error")


def hyperboloid(row):
    """Return the point of the hyperboloid for a point of the open hemisphere."""
    return np.append(row[:-1], 1.0) / row[-1]


def lorentz(x, y):
    return x[:-1] @ y[:-1] - x[-1] * y[-1]


def signed_margin(metric, point, normal, through):
    """Return the signed distance to a hyperplane, by minimisation over the hyperplane.

    The hyperplane consists of the geodesics through a point that are orthogonal to a
    tangent vector there.
    """
    n = len(point)
    basis = hollow(np.eye(n * (n - 1) // 2))
    products = metric.inner_product(basis, normal, through)
    directions = np.linalg.svd(products[None])[2][1:]  # coefficients orthogonal to it

    def squared_dist(coefficients):
        vector = np.einsum("i,ij,jkl", coefficients, directions, basis)
        return metric.squared_dist(point, metric.exp(vector, through))

    start = np.zeros(len(directions))
    least = scipy.optimize.minimize(squared_dist, start, options=dict(gtol=1e-8)).fun
    side = metric.inner_product(metric.log(point, through), normal, through)
    return np.sign(side) * np.sqrt(least)


def test_phcm_distance(rng):
    metric = equipped(4, "phcm").metric
    a, b = random_correlation(rng, 4, 10.0, (2,))
    rows_a, rows_b = np.linalg.cholesky(a), np.linalg.cholesky(b)
    squared_dist = 0.0
    for k in range(1, 4):
        x, y = rows_a[k, : k + 1], rows_b[k, : k + 1]
        for other in (x, y):
            printed = -lorentz(x, other)
            assert printed < 1.0  # no hyperbolic cosine, not even for x itself
        corrected = (1.0 - x[:k] @ y[:k]) / (x[k] * y[k])
        np.testing.assert_allclose(corrected, -lorentz(hyperboloid(x), hyperboloid(y)))
        assert corrected >= 1.0
        squared_dist += np.arccosh(corrected) ** 2
    np.testing.assert_allclose(metric.squared_dist(a, b), squared_dist, rtol=1e-10)


def test_phcm_log(rng):
    space = equipped(4, "phcm")
    metric = space.metric
    base, end = random_correlation(rng, 4, 10.0, (2,))
    at_base, at_end = np.linalg.cholesky(base), np.linalg.cholesky(end)
    moved = np.zeros_like(base)  # the logarithms of the rows, tangent to hemispheres
    for k in range(1, 4):
        x, y = hyperboloid(at_base[k, : k + 1]), hyperboloid(at_end[k, : k + 1])
        cosh = -lorentz(x, y)
        velocity = np.arccosh(cosh) / np.sqrt(cosh**2 - 1.0) * (y - cosh * x)
        # x -> (x_1, ..., x_k-1, 1) / x_k is its own inverse.
        moved[k, :k] = (velocity[:-1] - velocity[-1] * x[:-1] / x[-1]) / x[-1]
        moved[k, k] = -velocity[-1] / x[-1] ** 2

    printed = at_end @ moved.T + moved @ at_end.T
    corrected = at_base @ moved.T + moved @ at_base.T
    assert not space.is_tangent(printed, atol=1e-3)
    assert space.is_tangent(corrected, atol=1e-12)
    np.testing.assert_allclose(metric.log(end, base), corrected, atol=1e-12)
    # The printed one does not invert the exponential map, its diagonal left aside.
    assert np.max(np.abs(metric.exp(off(printed), base) - end)) > 1e-2
    np.testing.assert_allclose(metric.exp(off(corrected), base), end, atol=1e-12)


@pytest.mark.parametrize("m", [3, 4, 5])
def test_lsm_basis(rng, m):
    def unit(i, j):
        return np.outer(np.eye(m)[i], np.eye(m)[j])

    def symmetric_unit(i, j):
        return unit(i, j) + unit(j, i)

    last = m - 1
    printed, completed = [], []
    for i in range(last):
        element = unit(i, i) - symmetric_unit(i, last)
        printed.append(element / np.sqrt(3.0))
        completed.append((element + unit(last, last)) / np.sqrt(3.0))
        for j in range(i):
            element = symmetric_unit(i, j) - symmetric_unit(last, i)
            element = element - symmetric_unit(last, j)
            printed.append(element / np.sqrt(6.0))
            completed.append((element + 2.0 * unit(last, last)) / np.sqrt(6.0))
    printed, completed = np.array(printed), np.array(completed)
    assert np.all(np.max(np.abs(printed.sum(axis=-1)), axis=-1) > 0.3)
    np.testing.assert_allclose(completed.sum(axis=-1), 0.0, atol=1e-15)

    def gram(elements):
        return np.einsum("aij,bij->ab", elements, elements)

    assert set(np.round(3.0 * np.diagonal(gram(completed)), 12)) == {4.0, 5.0}
    eigenvalues = np.linalg.eigvalsh(gram(completed))
    if m == 5:
        np.testing.assert_allclose(3.0 * eigenvalues, [1] * 6 + [5] * 3 + [25])
    assert eigenvalues[0] < 0.5 and eigenvalues[-1] > 1.5

    # f maps the completed basis to an orthonormal one, so it is no isometry either.
    matrices = random_row0(rng, m, (20,))
    block = matrices[:, :last, :last]
    entries = np.sqrt(6.0) * np.tril(block, -1) + np.sqrt(3.0) * np.eye(last) * block
    ratios = np.linalg.norm(entries, axis=(1, 2)) / np.linalg.norm(
        matrices, axis=(1, 2)
    )
    assert np.max(np.abs(ratios - 1.0)) > 0.1

    # The coordinates of the library: S, with R = Q S Q', in an orthonormal basis.
    image_metric = equipped(m, "lsm").metric.image_space.metric
    basis = image_metric.from_coords(np.eye(m * last // 2))
    np.testing.assert_allclose(basis.sum(axis=-1), 0.0, atol=1e-14)
    np.testing.assert_allclose(gram(basis), np.eye(len(basis)), atol=1e-14)
    matrix = matrices[0]
    reduced = helmert(m) @ matrix @ helmert(m).T
    entries = reduced[np.tril_indices(last)]
    entries[np.not_equal(*np.tril_indices(last))] *= np.sqrt(2.0)
    actual, expected = np.abs(image_metric.to_coords(matrix)), np.abs(entries)
    np.testing.assert_allclose(actual, expected, atol=1e-13)


@pytest.mark.parametrize("parameters", [{}, dict(alpha=0.8, beta=0.3, gamma=-0.1)])
def test_flat_fc_general(parameters):
    metric = equipped(3, "olm", **parameters).metric
    identity = np.eye(3)
    # f maps the strict lower entries of a hollow matrix to orthonormal coordinates.
    f = metric.image_space.metric.to_coords(hollow(identity)).T
    outputs = np.array([0.5, -0.3, 0.8])
    once, twice = np.linalg.solve(f, outputs), np.linalg.solve(f @ f, outputs)
    corrected, printed = (metric.diffeo.inverse(hollow(x)) for x in (once, twice))
    frame = metric.diffeo.inverse_tangent(
        hollow(np.linalg.inv(f).T), base_point=identity
    )

    def margins(point):
        return [signed_margin(metric, point, normal, identity) for normal in frame]

    np.testing.assert_allclose(margins(corrected), outputs, atol=1e-6)
    assert np.max(np.abs(margins(printed) - outputs)) > 0.1
    if not parameters:
        expected = outputs / np.sqrt(2.0)
        np.testing.assert_allclose(margins(printed), expected, atol=1e-6)


def test_ecm_logit():
    point = np.array([[1.0, 0.8, 0.6], [0.8, 1.0, 0.9], [0.6, 0.9, 1.0]])
    direction, offset = hollow(np.array([1.0, 0.5, -0.7])), 0.4
    theta = np.linalg.cholesky(point)
    theta = theta / np.diagonal(theta)[:, None]
    length = np.linalg.norm(np.tril(direction, -1))
    logit = np.sum(np.tril(theta, -1) * np.tril(direction, -1)) - offset * length

    def margin_times_length(key):
        metric = equipped(3, key).metric
        identity = np.eye(3)
        step = offset * metric.normalize(direction, identity)
        through = metric.exp(step, identity)
        normal = metric.parallel_transport(direction, identity, end_point=through)
        margin = signed_margin(metric, point, normal, through)
        return margin * metric.norm(direction, identity)

    np.testing.assert_allclose(margin_times_length("ecm"), logit, atol=1e-6)
    # The label says LE; the metric with the logarithm has another logit.
    assert abs(margin_times_length("lecm") - logit) > 1e-2


@pytest.mark.parametrize("n", [3, 5])
def test_inverse_consistency(rng, n):
    point = random_correlation(rng, n, 100.0)
    flips = np.where(np.arange(n) % 2, -1.0, 1.0)

    def deviations(key):
        """Return how far the map is from odd, and from commuting with signs."""
        space = equipped(n, key)
        image = space.metric.diffeo(point)
        inverted = space.metric.diffeo(space.cor_inversion(point))
        flipped = space.metric.diffeo(space.diag_action(flips, point))
        odd = np.max(np.abs(inverted + image))
        return odd, np.max(np.abs(flipped - np.outer(flips, flips) * image))

    odd, signed = deviations("olm")
    assert odd > 1e-2  # printed: inverse consistency of OLM
    assert signed < 1e-12
    odd, signed = deviations("lsm")
    assert odd < 1e-12
    assert signed > 1e-2


@pytest.mark.parametrize("n", [2, 3])
def test_small_n_invariance(rng, n):
    # Printed: for n up to 3 the canonical metrics are not invariant.
    a, b = random_correlation(rng, n, 100.0, (2,))
    for key, order in itertools.product(
        ["olm", "lsm"], itertools.permutations(range(n))
    ):
        space = equipped(n, key)
        permuted = [space.permutation_action(order, c) for c in (a, b)]
        expected = space.metric.dist(a, b)
        np.testing.assert_allclose(space.metric.dist(*permuted), expected, rtol=1e-11)

    # The Frobenius product is a member of the family without its first term.
    others = {
        ("olm", 2): dict(alpha=0.0, beta=0.0, gamma=0.5),
        ("olm", 3): dict(alpha=0.0, beta=2.0, gamma=-0.5),
        ("lsm", 2): dict(alpha=0.0, delta=0.0, zeta=1.0),
        ("lsm", 3): dict(alpha=0.0, delta=3.0, zeta=-0.5),
    }
    for key in ("olm", "lsm"):
        expected = equipped(n, key).metric.dist(a, b)
        other = equipped(n, key, **others[key, n]).metric
        np.testing.assert_allclose(other.dist(a, b), expected, rtol=1e-11)

    # Nor is a positive first coefficient necessary; it is from n = 4 on.
    negative = dict(alpha=-0.1, beta=2.2, gamma=-0.1)
    assert equipped(n, "olm", **negative).metric.dist(a, b) > 0.0
    with pytest.raises(ValueError, match="alpha must be positive"):
        equipped(4, "olm", **negative)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_ball_to_hemisphere(rng, k):
    def to_hyperboloid(y):
        return np.append(2.0 * y, 1.0 + y @ y) / (1.0 - y @ y)

    def to_hemisphere(x):
        return np.append(x[:-1], 1.0) / x[-1]

    def correlation(row):
        factor = np.eye(k + 1)
        factor[-1] = row
        return factor @ factor.T

    balls = 0.5 * rng.uniform(-1.0, 1.0, (2, k))
    for y in balls:
        printed = to_hyperboloid(to_hyperboloid(y))
        assert printed.shape == (k + 2,)  # the hemisphere is in k + 1 dimensions
        corrected = to_hemisphere(to_hyperboloid(y))
        final = np.append(2.0 * y, 1.0 - y @ y) / (1.0 + y @ y)
        np.testing.assert_allclose(corrected, final, rtol=1e-13)
        np.testing.assert_allclose(np.linalg.norm(corrected), 1.0, rtol=1e-13)
        assert corrected[-1] > 0.0

    # An isometry: the distance in the ball is that of the correlation matrices.
    difference = balls[0] - balls[1]
    heights = 1.0 - np.sum(balls**2, axis=-1)
    expected = np.arccosh(1.0 + 2.0 * (difference @ difference) / np.prod(heights))
    points = [correlation(to_hemisphere(to_hyperboloid(y))) for y in balls]
    actual = equipped(k + 1, "phcm").metric.dist(*points)
    np.testing.assert_allclose(actual, expected, rtol=1e-10)
