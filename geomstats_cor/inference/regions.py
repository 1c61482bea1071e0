"""Confidence regions for the Fréchet mean."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import stats

from .._progress import steps
from .._types import Array, ArrayLike
from ..data.culprits import naming_culprits
from ..data.naming import in_order, names_of, one_stack, with_names
from ..data.sampling import as_generator
from ..exceptions import ConvergenceError, ParameterError
from ..kernels._array import constant, namespace
from ..kernels._batching import members_in_memory
from ..space import equipped
from ..statistics.mean import frechet_mean
from ..validation import as_arrays, require_choice, require_integer, require_number
from .explained import require_ample
from .samples import as_numbers

_DOUBLINGS, _BISECTIONS = 30, 60


@dataclass(frozen=True)
class ConfidenceRegion(ABC):
    """A region about the mean of a sample that covers the true mean at some level.

    Parameters
    ----------
    mean : array or data frame, shape=[n, n]
        Fréchet mean of the sample.
    level : float
        Probability that the region covers the mean of the distribution.
    space : FullRankCorrelationMatrices
        Equipped manifold.
    """

    mean: Any = field(repr=False, compare=False)
    level: float
    space: Any = field(repr=False, compare=False)

    @property
    def _variables(self):
        return names_of([self.mean])

    @property
    def _center(self):
        return as_arrays(mean=self.mean)[0]

    def _in_order(self, point):
        return in_order(point, self._variables, "point")

    @abstractmethod
    def excess(self, point: ArrayLike) -> Array:
        """Return how far points are from the mean, one on the boundary.

        Parameters
        ----------
        point : array-like, shape=[..., n, n]
            Full-rank correlation matrix.

        Returns
        -------
        excess : numpy.ndarray, shape=[...]
            Zero at the mean, one on the boundary.
        """

    def contains(self, point: ArrayLike) -> Array:
        """Tell whether points lie in the region: their excess is at most one.

        Parameters
        ----------
        point : array-like, shape=[..., n, n]
            Full-rank correlation matrix.

        Returns
        -------
        contains : numpy.ndarray of bool, shape=[...]
            Whether they do, boundary included.
        """
        return self.excess(point) <= 1.0

    def boundary(self, n_samples: int = 100, rng: Any = None) -> Array:
        """Return points of the boundary, on geodesics from the mean.

        Parameters
        ----------
        n_samples : int
            Number of points.
        rng : int or numpy.random.Generator
            Seed or generator of the directions, which are uniform in an orthonormal
            frame at the mean.

        Returns
        -------
        points : array or CorrelationStack, shape=[n_samples, n, n]
            Points of the boundary, with names if the sample had some.
        """
        require_integer("n_samples", n_samples, 1)
        directions = as_generator(rng).standard_normal((n_samples, self.space.dim))
        directions /= np.linalg.norm(directions, axis=-1, keepdims=True)
        reach = self._reach(directions)
        return with_names(self._along(directions, reach), self._variables)

    def _along(self, directions, length):
        coords = constant(length[:, None] * directions, self._center)
        return self.space.metric.exp_coords(coords, self._center)

    @abstractmethod
    def _reach(self, directions):
        """Return the distances [k] of the boundary along directions [k, d]."""


@dataclass(frozen=True)
class HotellingRegion(ConfidenceRegion):
    r"""The points that Hotelling's test of one sample does not reject.

    .. math:: \{ \mu : N \bar x^\top S^{-1} \bar x \le T^2_{\text{crit}} \} ,

    where :math:`x_i` are the coordinates of :math:`\log_\mu C_i` and :math:`S` is their
    covariance matrix.

    Parameters
    ----------
    mean : array, shape=[n, n]
        Fréchet mean of the sample.
    level : float
        Probability that the region covers the mean of the distribution.
    space : FullRankCorrelationMatrices
        Equipped manifold.
    points : array, shape=[N, n, n]
        The sample.
    critical_value : float
        Largest value of the statistic in the region.

    References
    ----------
    .. [BP2005] R. Bhattacharya and V. Patrangenaru. Large sample theory of intrinsic
       and extrinsic sample means on manifolds II. Ann. Statist. 33, 2005.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> from geomstats_cor.inference import confidence_region
    >>> space = FullRankCorrelationMatrices(3, equip="ecm")
    >>> region = confidence_region(space.random_point(50, rng=0), space)
    >>> region.excess(region.boundary(4, rng=0)).round(6)
    array([1., 1., 1., 1.])
    """

    points: Any = field(repr=False, compare=False)
    critical_value: float

    def excess(self, point: ArrayLike) -> Array:
        r"""Return the root of Hotelling's statistic over its critical value.

        .. math:: \sqrt{T^2(C) / T^2_{\text{crit}}} .

        Parameters
        ----------
        point : array-like, shape=[..., n, n]
            Full-rank correlation matrix.

        Returns
        -------
        excess : numpy.ndarray, shape=[...]
            Zero at the mean, one on the boundary.
        """
        point = constant(self._in_order(point), self.points)[..., None, :, :]
        coords = as_numbers(self.space.metric.log_coords(self.points, point))
        return np.sqrt(_hotelling(coords) / self.critical_value)

    def _reach(self, directions):
        # Exact for a flat metric, where the statistic is a square along each line.
        unit = np.ones(len(directions))
        upper = 1.0 / self.excess(self._along(directions, unit))
        if self.space.metric.image_space.metric.is_flat:
            return upper
        lower, upper = self._bracket(directions, upper)
        for _ in range(_BISECTIONS):
            middle = 0.5 * (lower + upper)
            outside = self.excess(self._along(directions, middle)) > 1.0
            lower = np.where(outside, lower, middle)
            upper = np.where(outside, middle, upper)
        return lower

    def _bracket(self, directions, upper):
        for _ in range(_DOUBLINGS):
            outside = self.excess(self._along(directions, upper)) > 1.0
            if np.all(outside):
                return np.zeros_like(upper), upper
            upper = np.where(outside, upper, 2.0 * upper)
        raise ConvergenceError(
            f"the region has no boundary within a distance of {np.max(upper):.3g}."
        )


@dataclass(frozen=True)
class BootstrapBall(ConfidenceRegion):
    r"""A ball about the mean that holds a share of the means of resampled data.

    .. math:: \{ C : d(C, M) \le r \} .

    Parameters
    ----------
    mean : array, shape=[n, n]
        Fréchet mean :math:`M` of the sample.
    level : float
        Probability that the region covers the mean of the distribution.
    space : FullRankCorrelationMatrices
        Equipped manifold.
    radius : float
        Radius :math:`r`.

    References
    ----------
    .. [BP2005] R. Bhattacharya and V. Patrangenaru. Large sample theory of intrinsic
       and extrinsic sample means on manifolds II. Ann. Statist. 33, 2005.

    Examples
    --------
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> from geomstats_cor.inference import confidence_region
    >>> space = FullRankCorrelationMatrices(3, equip="ecm")
    >>> points = space.random_point(20, rng=0)
    >>> ball = confidence_region(points, space, method="bootstrap", rng=0)
    >>> ball.excess(ball.boundary(4, rng=0)).round(6)
    array([1., 1., 1., 1.])
    """

    radius: float

    def excess(self, point: ArrayLike) -> Array:
        """Return the distance :math:`d(C, M) / r` from the mean over the radius.

        Parameters
        ----------
        point : array-like, shape=[..., n, n]
            Full-rank correlation matrix.

        Returns
        -------
        excess : numpy.ndarray, shape=[...]
            Zero at the mean, one on the boundary.
        """
        point = self._in_order(point)
        return as_numbers(self.space.metric.dist(point, self._center)) / self.radius

    def _reach(self, directions):
        return np.full(len(directions), self.radius)


def confidence_region(
    points: ArrayLike,
    space: Any,
    level: float = 0.95,
    method: str = "hotelling",
    n_resamples: int = 999,
    rng: Any = None,
    progress: bool = True,
) -> Any:
    r"""Return a region that covers the Fréchet mean of a distribution at some level.

    - "hotelling": the points :math:`\mu` that Hotelling's test of one sample does not
      reject, :math:`N \bar x^\top S^{-1} \bar x \le \frac{d (N - 1)}{N - d} F_{d, N -
      d}`, where :math:`x_i` are the logarithms at :math:`\mu` in an orthonormal frame,
      :math:`S` is their covariance matrix, and :math:`F` is a quantile. For a flat
      metric this is an ellipsoid in coordinates, exact for normal ones. For a curved
      metric no correction for curvature is needed, because logarithms at the true mean
      have expectation zero. Asymptotic in :math:`N` for other distributions. For
      :math:`N - 1 \ge 2 d` only.
    - "bootstrap": a ball about the mean whose radius is a quantile of the distances of
      the means of resampled data, times :math:`\sqrt{N / (N - 1)}`, because resampling
      varies that much less than sampling. Asymptotic in :math:`N`; any :math:`d`. A
      ball is larger than need be where the variance is in few directions.

    Parameters
    ----------
    points : array-like, shape=[N, n, n]
        Full-rank correlation matrices.
    space : FullRankCorrelationMatrices or str
        Manifold, equipped with one of the metrics of this library; or the key or the
        class of a metric, or the metric of a space.
    level : float
        Probability of covering the mean.
    method : {"hotelling", "bootstrap"}
        Kind of region.
    n_resamples : int
        Number of means of resampled data.
    rng : int or numpy.random.Generator
        Seed or generator of the resampling.
    progress : bool
        Show a progress bar, if tqdm is installed and it takes more than a second.

    Returns
    -------
    region : HotellingRegion or BootstrapBall
        Region, with the methods `contains` and `boundary`.

    References
    ----------
    .. [BP2005] R. Bhattacharya and V. Patrangenaru. Large sample theory of intrinsic
       and extrinsic sample means on manifolds II. Ann. Statist. 33, 2005.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor import FullRankCorrelationMatrices, confidence_region
    >>> space = FullRankCorrelationMatrices(3, equip="ecm")
    >>> region = confidence_region(space.random_point(50, rng=0), space)
    >>> bool(region.contains(region.mean)), bool(region.contains(np.eye(3)))
    (True, True)
    """
    require_choice("method", method, ("hotelling", "bootstrap"))
    require_number("level", level, 0.0, 1.0)
    given, variables, points = points, names_of(points), one_stack(points, 2)
    space = equipped(space, points.shape[-1], "points")
    with naming_culprits(given):
        mean = frechet_mean(points, space)
    if method == "bootstrap":
        require_integer("n_resamples", n_resamples, 1)
        if (n_resamples + 1) * (1.0 - level) < 1.0:
            raise ParameterError(
                f"{n_resamples} resamples do not reach the level {level:g}: use "
                f"n_resamples >= {int(np.ceil(1.0 / (1.0 - level))) - 1}."
            )
        rng = as_generator(rng)
        dists = _bootstrap_dists(points, mean, space, n_resamples, rng, progress)
        rank = int(np.ceil((n_resamples + 1) * level)) - 1
        inflation = np.sqrt(len(points) / (len(points) - 1))
        radius = float(inflation * np.sort(dists)[rank])
        return BootstrapBall(with_names(mean, variables), level, space, radius)
    number, dim = len(points), space.dim
    coords = as_numbers(space.metric.log_coords(points, mean))
    require_ample(coords, number - 1)
    quantile = stats.f.ppf(level, dim, number - dim)
    critical = float(dim * (number - 1) / (number - dim) * quantile)
    return HotellingRegion(with_names(mean, variables), level, space, points, critical)


def _hotelling(coords):
    """Return Hotelling's statistics [...] of samples [..., N, d] against zero."""
    number = coords.shape[-2]
    mean = np.mean(coords, axis=-2)
    deviations = coords - mean[..., None, :]
    scatter = np.swapaxes(deviations, -1, -2) @ deviations
    solution = np.linalg.solve(scatter, mean[..., None])[..., 0]
    return number * (number - 1) * np.sum(mean * solution, axis=-1)


def _bootstrap_dists(points, mean, space, n_resamples, rng, progress):
    """Return the distances of the means of resampled data from the mean."""
    number = len(points)
    counts = rng.multinomial(number, np.full(number, 1.0 / number), n_resamples)
    step = members_in_memory(number * space.n**2)
    means = []
    with steps(n_resamples, "resamples", progress) as advance:
        for i in range(0, n_resamples, step):
            some = constant(counts[i : i + step], points)
            means.append(frechet_mean(points, space, some))
            advance(len(some))
    means = namespace(mean).concat(means, axis=0)
    return as_numbers(space.metric.dist(means, mean))
