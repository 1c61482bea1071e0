r"""The share of a sum of squares that weights explain: Fisher, Hotelling, PERMANOVA.

For coordinates :math:`X` [N, d] and weights :math:`W` with orthogonal rows, the share
is

.. math:: \frac{\sum_r |W_r X|^2 / |W_r|^2}{|X|^2} .

With indicators of groups, and coordinates of average zero, it is the part of the sum of
squares that lies between groups; with signs, the part in the direction of the ones. The
denominator does not change with rearrangements, nor does the scatter :math:`X^\top X`:
whitened by it, the same share is Hotelling's statistic for two groups or one sample,
and Pillai's trace for more.

References
----------
.. [A2001] M. J. Anderson. A new method for non-parametric multivariate analysis of
   variance. Austral Ecology 26, 2001.
.. [B1954] G. E. P. Box. Some theorems on quadratic forms applied in the study of
   analysis of variance problems I. Ann. Math. Statist. 25, 1954.
.. [L2004] O. Ledoit and M. Wolf. A well-conditioned estimator for large-dimensional
   covariance matrices. J. Multivariate Anal. 88, 2004.
.. [P1955] K. C. S. Pillai. Some new test criteria in multivariate analysis. Ann. Math.
   Statist. 26, 1955.
.. [Z2020] J.-T. Zhang, J. Guo, B. Zhou and M.-Y. Cheng. A simple two-sample test in
   high dimensions based on L2-norm. J. Amer. Statist. Assoc. 115, 2020.
"""

from typing import Any

import numpy as np
from scipy import stats

from .._types import Array
from ..exceptions import ParameterError


class DistanceStatistic:
    r"""The pseudo-F of PERMANOVA: distances as they are.

    Asymptotically, :math:`F(\nu q, \nu m)`, where :math:`q` and :math:`m` are the
    degrees of freedom of hypothesis and error, and
    :math:`\nu = \operatorname{tr}(\Sigma)^2 / \operatorname{tr}(\Sigma^2)` is the
    effective dimension [B1954]_, [Z2020]_.

    Parameters
    ----------
    coords : numpy.ndarray, shape=[N, d]
        Coordinates.
    design : Relabellings or SignFlips
        What the hypothesis allows.
    """

    name = "pseudo-F"

    def __init__(self, coords: Array, design: Any) -> None:
        self.design = design
        self.coords = with_few_columns(coords)
        self.dimension = coords.shape[-1]
        self.total = np.sum(self.coords**2)

    def __call__(self, weights: Array) -> Any:
        """Return the shares [b] that weights [b, r, N] explain."""
        sums = np.sum((weights @ self.coords) ** 2, axis=-1)
        explained = np.sum(sums / np.sum(weights**2, axis=-1), axis=-1)
        return np.minimum(explained / self.total, 1.0) if self.total else explained

    def reported(self, share: Any) -> Any:
        """Return the pseudo-F of shares."""
        return _odds(share) * (self.design.error_dof / self.design.hypothesis_dof)

    def asymptotic(self, share: Any) -> Any:
        """Return the p-value of a share, and degrees of freedom."""
        nu = self._effective_dimension()
        dof = (nu * self.design.hypothesis_dof, nu * self.design.error_dof)
        return float(stats.f.sf(self.reported(share), *dof)), dof

    def _effective_dimension(self):
        # Unbiased for a normal sample of m degrees of freedom, each of both traces.
        m = self.design.error_dof
        if m < 2:
            raise ParameterError(
                f"{m} degrees of freedom do not tell the effective dimension: use "
                f'calibration="permutation".'
            )
        weights = self.design.observed
        fitted = weights / np.sum(weights**2, axis=-1, keepdims=True)
        residuals = self.coords - weights.T @ (fitted @ self.coords)
        trace = np.sum(residuals**2) / m
        trace_square = np.sum((residuals @ residuals.T) ** 2) / m**2
        squared_trace = (m + 1) * trace**2 - 2 * trace_square
        trace_of_square = m * trace_square - trace**2
        if trace_of_square * self.dimension <= squared_trace:
            return float(self.dimension)
        return max(1.0, squared_trace / trace_of_square)


class HotellingStatistic(DistanceStatistic):
    r"""Hotelling's :math:`T^2`, or Pillai's trace for more than two groups, as an F.

    With :math:`V` the trace and :math:`s = \min(d, q)`,

    .. math:: F = \frac{V / s}{1 - V / s} \, \frac{m - d + s}{\max(d, q)} ,

    of degrees of freedom :math:`s \max(d, q)` and :math:`s (m - d + s)`. For
    :math:`q = 1` and normal coordinates of one covariance matrix, it is exact.

    Parameters
    ----------
    coords : numpy.ndarray, shape=[N, d]
        Coordinates.
    design : Relabellings or SignFlips
        What the hypothesis allows.
    """

    name = "Hotelling's F"

    def __init__(self, coords: Array, design: Any) -> None:
        require_ample(coords, design.error_dof)
        super().__init__(_whitened(coords, 0.0), design)

    def reported(self, share: Any) -> Any:
        """Return the F of shares."""
        rank, larger = self._ranks()
        # The trace is d times the share, because whitened scatter is the identity.
        return _odds(share * (self.dimension / rank)) * self._error_dof() / larger

    def asymptotic(self, share: Any) -> Any:
        """Return the p-value of a share, and degrees of freedom."""
        rank, larger = self._ranks()
        dof = (rank * larger, rank * self._error_dof())
        return float(stats.f.sf(self.reported(share), *dof)), dof

    def _ranks(self):
        pair = (self.dimension, self.design.hypothesis_dof)
        return min(pair), max(pair)

    def _error_dof(self):
        return self.design.error_dof - self.dimension + self._ranks()[0]


class ShrinkageStatistic(DistanceStatistic):
    """The pseudo-F after whitening by a shrunk scatter, between the other two.

    The total scatter is shrunk towards a multiple of the identity by the amount of
    Ledoit and Wolf [L2004]_; it does not change with rearrangements.

    Parameters
    ----------
    coords : numpy.ndarray, shape=[N, d]
        Coordinates.
    design : Relabellings or SignFlips
        What the hypothesis allows.
    """

    name = "shrunk pseudo-F"

    def __init__(self, coords: Array, design: Any) -> None:
        from sklearn.covariance import ledoit_wolf_shrinkage

        shrinkage = ledoit_wolf_shrinkage(coords, assume_centered=True)
        super().__init__(_whitened(coords, shrinkage), design)

    def asymptotic(self, share: Any) -> Any:
        """Refuse: the distribution depends on the amount of shrinkage."""
        raise ParameterError(
            'statistic="shrinkage" has no asymptotic distribution here: use '
            'calibration="permutation".'
        )


def require_ample(coords: Array, error_dof: int) -> None:
    """Raise unless a sample is large enough to estimate a covariance matrix.

    Parameters
    ----------
    coords : numpy.ndarray, shape=[N, d]
        Coordinates.
    error_dof : int
        Degrees of freedom of the estimate.
    """
    dimension = coords.shape[-1]
    if not is_ample(dimension, error_dof):
        raise ParameterError(
            f"Hotelling's statistic needs a covariance matrix of dimension {dimension} "
            f"from at least twice as many degrees of freedom, and has {error_dof}. "
            f'Use statistic="chen-qin", "shrinkage" or "distance" for a test, '
            f'method="bootstrap" for a region.'
        )


def is_ample(dimension: Any, error_dof: Any) -> bool:
    """Tell whether there are twice as many degrees of freedom as dimensions."""
    return error_dof >= 2 * dimension


def with_few_columns(coords: Array) -> Array:
    """Return coordinates [N, min(N, d)] with the same inner products.

    Parameters
    ----------
    coords : numpy.ndarray, shape=[N, d]
        Coordinates.

    Returns
    -------
    coords : numpy.ndarray, shape=[N, min(N, d)]
        Coordinates in an orthonormal basis of what they span.
    """
    if coords.shape[-1] <= coords.shape[0]:
        return coords
    triangle: Any = np.linalg.qr(coords.T, mode="r")
    return triangle.T


def _whitened(coords, shrinkage):
    """Return coordinates divided by the root of their scatter, shrunk by a share."""
    left, singular, _ = np.linalg.svd(coords, full_matrices=False)
    squares = singular**2
    shrunk = (1.0 - shrinkage) * squares
    shrunk += shrinkage * np.sum(squares) / coords.shape[-1]
    if np.min(shrunk) <= 16 * coords.size * np.finfo(float).eps * np.max(squares):
        raise ParameterError(
            "the coordinates of the matrices lie in a subspace, so their covariance "
            'matrix is singular: use statistic="distance".'
        )
    return left * np.sqrt(squares / shrunk)


def _odds(share):
    share = np.asarray(share, dtype=float)
    full = share >= 1.0
    return np.where(full, np.inf, share / np.where(full, 1.0, 1.0 - share))
