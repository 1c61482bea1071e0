"""Beta-concatenation of tangent vectors, against its definition."""

import numpy as np
from scipy.special import beta

from geomstats_cor.kernels.beta_concat import beta_concat, beta_split


def test_each_row_is_scaled_by_a_ratio_of_beta_functions(arrays, rng):
    n = 5
    rows = np.tril(rng.standard_normal((3, n, n)), -1)
    joined = arrays.apply(beta_concat, rows)
    dim = n * (n - 1) // 2
    wanted = np.concatenate(
        [
            rows[:, i, :i] * beta(0.5 * dim, 0.5) / beta(0.5 * i, 0.5)
            for i in range(1, n)
        ],
        axis=-1,
    )
    np.testing.assert_allclose(joined, wanted, rtol=8 * arrays.eps)


def test_three_rows_have_the_known_factors():
    rows = np.tril(np.ones((3, 3)), -1)
    wanted = [0.5, np.pi / 4, np.pi / 4]
    np.testing.assert_allclose(beta_concat(rows), wanted, rtol=1e-15)


def test_split_inverts(arrays, rng):
    rows = np.tril(rng.standard_normal((2, 4, 6, 6)), -1)
    back = arrays.apply(lambda x: beta_split(beta_concat(x)), rows)
    np.testing.assert_allclose(back, rows, rtol=8 * arrays.eps, atol=0)
