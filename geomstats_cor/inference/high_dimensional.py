r"""The statistic of Chen and Qin, for high dimensions.

An unbiased estimate of the squared distance of means, without the squares
:math:`|x_i|^2` that swamp it in high dimensions, divided by its standard deviation. All
sums are matrix products with the Gram matrix: they take :math:`O(N^2)` for each
rearrangement, whatever the dimension.

References
----------
.. [CQ2010] S. X. Chen and Y.-L. Qin. A two-sample test for high-dimensional data with
   applications to gene-set testing. Ann. Statist. 38, 2010.
"""

from typing import Any

import numpy as np
from scipy import stats

from .._types import Array
from ..exceptions import ParameterError, ShapeError


class ChenQinStatistic:
    r"""The studentised statistic of Chen and Qin, for one sample or two groups.

    .. math:: T = \sum_g \frac{\sum_{i \ne j} x_{gi}^\top x_{gj}}{n_g (n_g - 1)}
              - 2 \frac{\sum_{i, j} x_{1i}^\top x_{2j}}{n_1 n_2} , \qquad
              \operatorname{Var} T = \sum_g \frac{2 \operatorname{tr} \Sigma_g^2}
              {n_g (n_g - 1)} + \frac{4 \operatorname{tr} \Sigma_1 \Sigma_2}{n_1 n_2} .

    The traces are estimated as in [CQ2010]_, leaving out of each mean the observations
    it meets.

    Parameters
    ----------
    coords : numpy.ndarray, shape=[N, d]
        Coordinates.
    design : Relabellings or SignFlips
        What the hypothesis allows: two groups at most, three observations in each.
    """

    name = "Chen-Qin"

    def __init__(self, coords: Array, design: Any) -> None:
        sizes = np.sum(design.observed**2, axis=-1)
        if len(sizes) > 2:
            raise ParameterError(
                f'statistic="chen-qin" compares two groups, not {len(sizes)}: use '
                f'statistic="distance".'
            )
        if np.min(sizes) < 3:
            raise ShapeError(
                f'statistic="chen-qin" needs at least 3 matrices in each group, not '
                f"{int(np.min(sizes))}."
            )
        self.sizes = sizes
        # Nobody meets himself: neither within a group nor across groups.
        self.products = coords @ coords.T
        np.fill_diagonal(self.products, 0.0)
        self.squares = self.products**2

    def __call__(self, weights: Array) -> Any:
        """Return the statistics [b] of weights [b, r, N]."""
        estimate, variance = self._moments(weights)
        deviation = np.sqrt(np.maximum(variance, 0.0))
        with np.errstate(divide="ignore", invalid="ignore"):
            # A variance that is estimated as null leaves the sign alone.
            return np.where(estimate == 0.0, 0.0, estimate / deviation)

    def reported(self, value: Any) -> Any:
        """Return the statistic itself."""
        return value

    def asymptotic(self, value: Any) -> Any:
        """Return the p-value of the normal distribution."""
        if not np.isfinite(value):
            raise ParameterError(
                "the variance of the statistic is estimated as null: use "
                'calibration="permutation".'
            )
        return float(stats.norm.sf(value)), ()

    def _moments(self, weights):
        """Return the unbiased estimate of the squared distance, and its variance."""
        pairs = self.sizes * (self.sizes - 1.0)
        # Sums over the other observations of a group, one for each of its members.
        others = (weights @ self.products) * weights
        within = np.sum(others, axis=-1)
        estimate = np.sum(within / pairs, axis=-1)
        traces = self._traces_of_squares(weights, others, within, pairs)
        variance = np.sum(2.0 * traces / pairs, axis=-1)
        if len(self.sizes) == 1:
            return estimate, variance
        first, second = weights[:, 0], weights[:, 1]
        n_first, n_second = self.sizes
        # Sums over the other group, for each member of the first and of the second.
        over_second = (second @ self.products) * first
        over_first = (first @ self.products) * second
        cross = np.sum(over_second, axis=-1)
        squares = np.sum((first @ self.squares) * second, axis=-1)
        trace = (
            n_first * n_second * squares
            - n_first * np.sum(over_second**2, axis=-1)
            - n_second * np.sum(over_first**2, axis=-1)
            + cross**2
        ) / ((n_first - 1.0) * (n_second - 1.0) * n_first * n_second)
        estimate = estimate - 2.0 * cross / (n_first * n_second)
        return estimate, variance + 4.0 * trace / (n_first * n_second)

    def _traces_of_squares(self, weights, others, within, pairs):
        squares = np.sum((weights**2 @ self.squares) * weights**2, axis=-1)
        rows = np.sum(others**2, axis=-1)
        c = 1.0 / (self.sizes - 2.0)
        total = (
            (1.0 + c) ** 2 * squares
            - 2.0 * c * (1.0 + c) * rows
            + c**2 * (within**2 - rows)
        )
        return total / pairs
