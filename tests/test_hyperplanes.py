"""The ball that joins the rows of a matrix, against its definition."""

import numpy as np
from scipy.special import beta
from strategies import equipped


def ball(n):
    return equipped(n, "phcm").metric.hyperplanes()


def test_each_row_is_scaled_by_a_ratio_of_beta_functions(arrays, rng):
    n = 5
    rows = np.tril(rng.standard_normal((3, n, n)), -1)
    dim = n * (n - 1) // 2
    packed = np.concatenate([rows[:, i, :i] for i in range(1, n)], axis=-1)
    wanted = np.concatenate(
        [
            rows[:, i, :i] * beta(0.5 * dim, 0.5) / beta(0.5 * i, 0.5)
            for i in range(1, n)
        ],
        axis=-1,
    )
    joined = arrays.apply(ball(n).join, packed)
    np.testing.assert_allclose(joined, wanted, rtol=8 * arrays.eps)


def test_three_rows_have_the_known_factors():
    wanted = [0.5, np.pi / 4, np.pi / 4]
    np.testing.assert_allclose(ball(3).join(np.ones(3)), wanted, rtol=1e-15)


def test_split_inverts(arrays, rng):
    coords = rng.standard_normal((2, 4, 15))
    back = arrays.apply(lambda x: ball(6).split(ball(6).join(x)), coords)
    np.testing.assert_allclose(back, arrays.rounded(coords), rtol=8 * arrays.eps)
