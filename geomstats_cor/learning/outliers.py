"""Detection of outliers by a robust distance."""

from typing import Any

import numpy as np
from sklearn.base import OutlierMixin
from sklearn.utils.validation import check_is_fitted

from .._types import Array, ArrayLike
from ..exceptions import ParameterError
from ..statistics.median import geometric_median
from ..validation import require_number
from ._points import PointsEstimator

_TO_DEVIATION = 1.4826  # of the median absolute deviation, for the normal distribution


class OutlierDetector(OutlierMixin, PointsEstimator):
    r"""Find correlation matrices that are too far from the geometric median.

    .. math:: z(C) = \frac{t(C) - \operatorname{med} t}{1.4826 \operatorname{mad} t} ,
              \qquad t(C) = d(C, M)^{2/3} .

    The cube root of a squared distance is close to normal (Wilson and Hilferty) if
    coordinates are, so that scores can be read as standard deviations. Centre and
    scale bear outliers up to almost half of the data. The detector models one class,
    and takes new matrices.

    Parameters
    ----------
    metric : str or type or FullRankCorrelationMatrices
        Key of `METRICS`, class of metric, or an equipped space.
    threshold : float
        Score above which a matrix is an outlier, with contamination="auto".
    contamination : "auto" or float
        Part of the data of `fit` to call outliers, in (0, 0.5], whatever their scores.
    on_bad : {"raise", "repair", "repair_each"}
        What to do with bad matrices; see `ToCoords`.

    Attributes
    ----------
    center_ : array, shape=[n, n]
        Geometric median.
    offset_ : float
        Minus the score above which a matrix is an outlier.
    space_ : FullRankCorrelationMatrices
        Equipped space.
    n_features_in_ : int
        Number of strict lower entries that `fit` was given.
    min_eigenvalue_ : float
        Smallest eigenvalue that all matrices are given, with on_bad="repair": 0.05 if
        `fit` met a bad matrix, otherwise that of its worst matrix if less.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> from geomstats_cor.learning import OutlierDetector
    >>> metric = FullRankCorrelationMatrices(3, equip="olm").metric
    >>> coords = 0.2 * np.random.default_rng(0).standard_normal((30, 3))
    >>> coords[7] = 2.0
    >>> detector = OutlierDetector(metric="olm").fit(metric.from_coords(coords))
    >>> np.flatnonzero(detector.predict(metric.from_coords(coords)) == -1)
    array([7])
    """

    def __init__(
        self,
        metric: Any = "olm",
        threshold: float = 3.0,
        contamination: Any = "auto",
        on_bad: str = "raise",
    ) -> None:
        self.metric = metric
        self.threshold = threshold
        self.contamination = contamination
        self.on_bad = on_bad

    def fit(self, X: ArrayLike, y: Any = None) -> Any:
        """Find the centre and the scale.

        Parameters
        ----------
        X : array-like, shape=[N, n, n] or [N, n (n - 1) / 2]
            Correlation matrices, or their strict lower entries row by row.
        y : None
            Ignored, for the sake of pipelines.

        Returns
        -------
        self : OutlierDetector
            The estimator.
        """
        require_number("threshold", self.threshold)
        is_auto = isinstance(self.contamination, str) and self.contamination == "auto"
        if not is_auto:
            try:
                inside = 0.0 < float(self.contamination) <= 0.5
            except (TypeError, ValueError):
                inside = False
            if not inside:
                raise ParameterError(
                    f"contamination: expected 'auto' or a number in (0, 0.5], got "
                    f"{self.contamination!r}."
                )
        points, _ = self._read_points(X)
        self.center_ = geometric_median(points, self.space_)
        sizes = self._sizes(points)
        self._location = float(np.median(sizes))
        spread = _TO_DEVIATION * float(np.median(np.abs(sizes - self._location)))
        # Half of the data at one distance have no spread: take that of all, if any.
        self._scale = spread or float(np.std(sizes)) or 1.0
        self.offset_ = -float(self.threshold)
        if not is_auto:
            scores = -(sizes - self._location) / self._scale
            self.offset_ = float(np.percentile(scores, 100.0 * self.contamination))
        return self

    def _sizes(self, points):
        return self.space_.metric.dist(points, self.center_) ** (2.0 / 3.0)

    def distances(self, X: ArrayLike) -> Array:
        """Return the distances from the geometric median.

        Parameters
        ----------
        X : array-like, shape=[M, n, n] or [M, n (n - 1) / 2]
            Correlation matrices, or their strict lower entries row by row.

        Returns
        -------
        distances : array, shape=[M]
            Distances.
        """
        check_is_fitted(self)
        points, _ = self._read_points(X, reset=False)
        return self.space_.metric.dist(points, self.center_)

    def score_samples(self, X: ArrayLike) -> Array:
        """Return minus the robust score :math:`z`: the lower, the more of an outlier.

        Parameters
        ----------
        X : array-like, shape=[M, n, n] or [M, n (n - 1) / 2]
            Correlation matrices, or their strict lower entries row by row.

        Returns
        -------
        scores : array, shape=[M]
            Minus the number of robust standard deviations.
        """
        return -(self.distances(X) ** (2.0 / 3.0) - self._location) / self._scale

    def decision_function(self, X: ArrayLike) -> Array:
        """Return the scores relative to the threshold: negative for outliers.

        Parameters
        ----------
        X : array-like, shape=[M, n, n] or [M, n (n - 1) / 2]
            Correlation matrices, or their strict lower entries row by row.

        Returns
        -------
        decision : array, shape=[M]
            Score minus `offset_`.
        """
        return self.score_samples(X) - self.offset_

    def predict(self, X: ArrayLike) -> Array:
        """Return 1 for matrices of the class, -1 for outliers.

        Parameters
        ----------
        X : array-like, shape=[M, n, n] or [M, n (n - 1) / 2]
            Correlation matrices, or their strict lower entries row by row.

        Returns
        -------
        y : array of int, shape=[M]
            1 or -1.
        """
        return np.where(self.decision_function(X) < 0.0, -1, 1)
