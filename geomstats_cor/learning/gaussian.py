"""Gaussian distributions in coordinates about a mean."""

import math
from typing import Any

import numpy as np
from array_api_compat import array_namespace

from .._types import Array, ArrayLike
from ..data.culprits import naming_culprits
from ..data.naming import in_order, names_of, one_stack, with_names
from ..data.sampling import as_generator
from ..exceptions import (
    NotPositiveDefiniteError,
    NotSymmetricError,
    ParameterError,
    ShapeError,
)
from ..kernels._array import (
    constant,
    diagonal,
    eye_like,
    flagged_cholesky,
    solve_lower,
)
from ..kernels._autodiff import detached
from ..kernels._tolerances import input_tolerance, membership_tolerance
from ..space import equipped
from ..statistics.mean import frechet_mean
from ..validation import as_arrays, require_finite, require_integer


def _require_semidefinite(covariance):
    """Raise unless a covariance of coordinates is symmetric and semidefinite."""
    xp, x = array_namespace(covariance), detached(covariance)
    tolerance = input_tolerance(x) * float(xp.max(xp.abs(x)))
    if float(xp.max(xp.abs(x - x.mT))) > tolerance:
        raise NotSymmetricError(
            "covariance is not symmetric: average it with its transpose if that is "
            "rounding."
        )
    smallest = float(xp.linalg.eigvalsh(x)[0])
    if smallest < -tolerance:
        raise NotPositiveDefiniteError(
            f"covariance has the eigenvalue {smallest:.3g}: expected a symmetric "
            f"positive semidefinite matrix."
        )


class GaussianDistribution:
    r"""The law of :math:`\exp_M(v)` for a normal tangent vector at the mean.

    .. math:: C = \exp_M\Big(\sum_k v_k e_k\Big) , \qquad v \sim \mathcal N(0, \Sigma) ,

    in the orthonormal frame :math:`e_k` of `metric.log_coords`. For a flat metric this
    is the normal distribution in isometric coordinates, and :math:`M` is its Fréchet
    mean.

    Parameters
    ----------
    space : FullRankCorrelationMatrices
        Manifold, equipped with one of the metrics of this library.
    mean : array-like, shape=[n, n]
        Point :math:`M`.
    covariance : array-like, shape=[d, d]
        Covariance :math:`\Sigma` of the coordinates, positive semidefinite.

    References
    ----------
    .. [P2006] X. Pennec. Intrinsic statistics on Riemannian manifolds: basic tools for
       geometric measurements. J. Math. Imaging Vision 25, 2006.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> from geomstats_cor.learning import GaussianDistribution
    >>> space = FullRankCorrelationMatrices(2, equip="ecm")
    >>> law = GaussianDistribution(space, np.eye(2), [[4.0]])
    >>> law.sample(5, rng=0).shape
    (5, 2, 2)
    >>> round(float(law.logpdf(np.eye(2))), 4)
    -1.6121
    >>> round(float(-0.5 * np.log(2 * np.pi * 4.0)), 4)
    -1.6121
    """

    def __init__(self, space: Any, mean: ArrayLike, covariance: ArrayLike) -> None:
        self._variables = names_of([mean])
        self._mean, self.covariance = as_arrays(mean=mean, covariance=covariance)
        if self._mean.ndim != 2:
            raise ShapeError(
                f"mean: expected a single matrix, shape [n, n], got "
                f"{tuple(self._mean.shape)}."
            )
        self.mean = with_names(self._mean, self._variables)
        self.space = space = equipped(space, self._mean.shape[-1], "mean")
        self._metric = space.metric
        self._metric.to_coords(self._mean)  # raises unless it is a point
        if tuple(self.covariance.shape) != (space.dim, space.dim):
            raise ShapeError(
                f"covariance: expected shape {(space.dim, space.dim)} for n = "
                f"{space.n}, got {tuple(self.covariance.shape)}."
            )
        require_finite("covariance", self.covariance)
        _require_semidefinite(self.covariance)

    @classmethod
    def fit(cls, points: ArrayLike, space: Any, shrinkage: Any = 0.0) -> Any:
        r"""Estimate the mean and the covariance.

        Parameters
        ----------
        points : array-like, shape=[N, n, n]
            Full-rank correlation matrices, two at least.
        space : FullRankCorrelationMatrices
            Manifold, equipped with one of the metrics of this library.
        shrinkage : float or "ledoit-wolf"
            Weight :math:`s` of the spherical part in
            :math:`(1 - s) S + s \frac{\operatorname{tr} S}{d} I`, where :math:`S`
            divides by :math:`N - 1`. A density needs some as soon as
            :math:`N \le d`; "ledoit-wolf" chooses it from the data.

        Returns
        -------
        distribution : GaussianDistribution
            Distribution at the Fréchet mean of the points.
        """
        given, variables, points = points, names_of(points), one_stack(points)
        space = equipped(space, points.shape[-1], "points")
        if points.shape[0] < 2:
            raise ShapeError(
                f"points has {points.shape[0]} matrices: a covariance needs two at "
                f"least."
            )
        xp = array_namespace(points)
        with naming_culprits(given):
            mean = frechet_mean(points, space)
        coords = space.metric.log_coords(points, mean)
        if isinstance(shrinkage, str) and shrinkage == "ledoit-wolf":
            from sklearn.covariance import ledoit_wolf_shrinkage

            shrinkage = float(
                ledoit_wolf_shrinkage(np.asarray(coords.tolist()), assume_centered=True)
            )
        is_number = isinstance(shrinkage, int | float | np.number)
        if not is_number or not 0.0 <= shrinkage <= 1.0:
            raise ParameterError(
                f"shrinkage: expected a number in [0, 1] or 'ledoit-wolf', got "
                f"{shrinkage!r}."
            )
        covariance = coords.mT @ coords / (points.shape[0] - 1.0)
        spherical = xp.mean(diagonal(covariance)) * eye_like(covariance)
        covariance = (1.0 - shrinkage) * covariance + shrinkage * spherical
        return cls(space, with_names(mean, variables), covariance)

    def sample(self, n_samples: int = 1, rng: Any = None) -> Array:
        """Draw correlation matrices.

        Parameters
        ----------
        n_samples : int
            Number of matrices.
        rng : int or numpy.random.Generator
            Seed or generator; geomstats' random state if None.

        Returns
        -------
        points : array or CorrelationStack, shape=[n_samples, n, n]
            Full-rank correlation matrices.
        """
        require_integer("n_samples", n_samples)
        xp = array_namespace(self.covariance)
        values, vectors = xp.linalg.eigh(self.covariance)
        root = xp.sqrt(xp.clip(values, 0.0, None)) * vectors
        normal = as_generator(rng).standard_normal((n_samples, self.space.dim))
        coords = constant(normal, self.covariance) @ root.mT
        points = self._metric.exp_coords(coords, self._mean)
        return with_names(points, self._variables)

    def logpdf(self, points: ArrayLike, measure: str = "volume") -> Array:
        r"""Return the logarithm of the density.

        Parameters
        ----------
        points : array-like, shape=[..., n, n]
            Full-rank correlation matrices.
        measure : {"volume", "entries"}
            What the density is with respect to: the Riemannian volume of the metric,
            or the Lebesgue measure of the strict lower entries. Only densities with
            respect to the second can be compared between metrics; it costs a
            determinant of a d x d matrix for each point.

        Returns
        -------
        logpdf : array, shape=[...]
            Logarithm of the density.
        """
        if not isinstance(measure, str) or measure not in ("volume", "entries"):
            raise ParameterError(
                f"measure is {measure!r}: choose 'volume' or 'entries'."
            )
        xp = array_namespace(self.covariance)
        factor, definite = flagged_cholesky(self.covariance)
        remainders = diagonal(factor) ** 2 / diagonal(self.covariance)
        tolerance = membership_tolerance(self.covariance)
        if not bool(definite) or not bool(xp.min(remainders) > tolerance):
            raise NotPositiveDefiniteError(
                "the covariance is singular, so that there is no density: use "
                "GaussianDistribution.fit(points, space, shrinkage='ledoit-wolf')."
            )
        (points,) = as_arrays(points=in_order(points, self._variables))
        coords = self._metric.log_coords(points, self._mean)
        white = solve_lower(factor, coords[..., None])[..., 0]
        result = (
            -0.5 * xp.sum(white**2, axis=-1)
            - xp.sum(xp.log(diagonal(factor)))
            - 0.5 * self.space.dim * math.log(2.0 * math.pi)
            - self._metric.image_space.metric.log_exp_jacobian(coords)
        )
        if measure == "entries":
            gram = self._metric.metric_matrix(points)
            result = result + 0.5 * xp.linalg.slogdet(gram)[1]
        return result
