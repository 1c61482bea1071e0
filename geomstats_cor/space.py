"""The manifold of full-rank correlation matrices."""

import inspect
import operator
from typing import Any, NamedTuple

import numpy as np
from array_api_compat import array_namespace
from geomstats.geometry.base import LevelSet
from geomstats.geometry.full_rank_correlation_matrices import (
    FullRankCorrelationAffineQuotientMetric,
)
from geomstats.geometry.spd_matrices import SPDMatrices

from . import kernels
from ._types import Array, ArrayLike
from .data.sampling import as_generator, as_samples, lkj_unit_lower
from .exceptions import ParameterError, ShapeError
from .kernels._array import (
    congruence,
    diagonal,
    eps,
    eye_like,
    off_diagonal,
    symmetrize,
)
from .kernels._autodiff import prepare_torch
from .kernels._tolerances import membership_tolerance, rank_tolerance
from .metrics import get_metric, require_metric
from .metrics.base import CorrelationMetric
from .validation import (
    as_arrays,
    plain,
    require_broadcast,
    require_correlation,
    require_covariance,
    require_finite,
    require_integer,
    require_matrices,
    require_number,
    require_positive_definite,
)


class SafePoint(NamedTuple):
    """What `FullRankCorrelationMatrices.nearest_safe_point` did.

    Parameters
    ----------
    point : array, shape=[..., n, n]
        Correlation matrix :math:`(1 - s) C + s I`.
    shrinkage : array, shape=[...]
        The amount :math:`s`; zero where the matrix was safe already.
    smallest_eigenvalue : array, shape=[...]
        Smallest eigenvalue of the given matrix.

    Examples
    --------
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> space = FullRankCorrelationMatrices(2, equip=False)
    >>> safe = space.nearest_safe_point([[1, 1], [1, 1]], min_eigenvalue=0.1)
    >>> round(float(safe.shrinkage), 12), round(float(safe.point[0, 1]), 12)
    (0.1, 0.9)
    """

    point: Any
    shrinkage: Any
    smallest_eigenvalue: Any


class FullRankCorrelationMatrices(LevelSet):
    r"""The manifold of n x n symmetric positive definite matrices with unit diagonal.

    .. math:: \operatorname{Cor}^+(n)
              = \{ C : C = C^\top, \; C \succ 0, \; C_{ii} = 1 \} , \qquad
              \dim = n (n - 1) / 2 .

    Its tangent vectors are the symmetric matrices with null diagonal. Methods take
    numpy arrays, torch tensors or nested lists.

    Parameters
    ----------
    n : int
        Size of the matrices, at least 2.
    equip : bool or str or type
        A key of `METRICS` ("ecm", "lecm", "olm", "lsm", "phcm") or a class of metric to
        equip the space with. True is the quotient-affine metric, as in geomstats; False
        is no metric.
    check : bool or "strict"
        Validate the arguments of the methods of the metric, and raise for what is not a
        correlation matrix or a tangent vector. With "strict", what would warn of an
        inaccurate or a singular result raises, too.

    References
    ----------
    .. [T2022] Y. Thanwerdas and X. Pennec. Theoretically and computationally convenient
       geometries on full-rank correlation matrices. SIAM J. Matrix Anal. Appl. 43,
       2022.
    .. [T2024] Y. Thanwerdas. Permutation-invariant log-Euclidean geometries on
       full-rank correlation matrices. SIAM J. Matrix Anal. Appl. 45, 2024.

    Examples
    --------
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> space = FullRankCorrelationMatrices(3, equip="olm")
    >>> space.dim
    3
    >>> point = space.random_point(rng=0)
    >>> bool(space.belongs(point))
    True
    >>> bool(space.belongs([[1, 1, 0], [1, 1, 0], [0, 0, 1]]))
    False
    """

    def __init__(self, n: int, equip: Any = True, check: Any = True) -> None:
        try:
            self.n = operator.index(n)
        except TypeError:
            raise ParameterError(f"n must be an integer, not {n!r}.") from None
        if self.n < 2:
            raise ParameterError(
                f"n is {n}: a correlation matrix relates at least 2 variables."
            )
        strict = isinstance(check, str) and check == "strict"
        if not (isinstance(check, bool | np.bool_) or strict):
            raise ParameterError(
                f'check: expected True, False or "strict", got {check!r}.'
            )
        self.check = check
        prepare_torch()
        super().__init__(dim=self.n * (self.n - 1) // 2, equip=False)
        if isinstance(equip, str) or inspect.isclass(equip):
            self.equip_with_metric(equip)
        elif not (equip is None or isinstance(equip, bool | np.bool_)):
            raise ParameterError(
                f"equip is {equip!r}: pass the key or the class of a metric, True or "
                f"False. A metric that is already made belongs to another space."
            )
        elif equip:
            self.equip_with_metric()

    def __repr__(self):
        metric = type(getattr(self, "metric", None)).__name__
        equip = False if metric == "NoneType" else metric
        return f"{type(self).__name__}({self.n}, equip={equip})"

    def _define_embedding_space(self):
        return SPDMatrices(n=self.n, equip=False)

    @staticmethod
    def default_metric() -> Any:
        """Return the metric that `equip=True` means, the same as in geomstats.

        Returns
        -------
        metric : type
            Class of the quotient-affine metric.
        """
        return FullRankCorrelationAffineQuotientMetric

    def equip_with_metric(self, Metric: Any = None, **metric_kwargs: Any) -> Any:
        """Equip the manifold with a metric.

        Parameters
        ----------
        Metric : str or type
            Key of `METRICS` or class of metric; the default metric if None.
        **metric_kwargs
            Parameters of the metric.

        Returns
        -------
        space : FullRankCorrelationMatrices
            The space itself.
        """
        if isinstance(Metric, str):
            Metric = get_metric(Metric)
        return super().equip_with_metric(Metric, **metric_kwargs)

    def submersion(self, point: ArrayLike) -> Array:
        r"""Return the diagonal minus one, :math:`\operatorname{diag}(X) - 1`.

        It is null on the manifold.

        Parameters
        ----------
        point : array-like, shape=[..., n, n]
            Symmetric matrix.

        Returns
        -------
        submersed_point : array, shape=[..., n]
            Diagonal minus one.
        """
        (point,) = as_arrays(point=point)
        require_matrices(self.n, point=point)
        return diagonal(point) - 1.0

    def tangent_submersion(self, vector: ArrayLike, point: ArrayLike = None) -> Array:
        r"""Return the diagonal :math:`\operatorname{diag}(V)`, null on tangent vectors.

        Parameters
        ----------
        vector : array-like, shape=[..., n, n]
            Symmetric matrix.
        point : array-like, shape=[..., n, n]
            Base point, for its batch shape.

        Returns
        -------
        submersed_vector : array, shape=[..., n]
            Diagonal.
        """
        vector, point = as_arrays(("point",), vector=vector, point=point)
        require_matrices(self.n, vector=vector, point=point)
        return diagonal(_like_batch(vector, point))

    def belongs(self, point: ArrayLike, atol: float | None = None) -> Array:
        r"""Tell whether matrices are full-rank correlation matrices.

        .. math:: C = C^\top , \qquad C_{ii} = 1 , \qquad \lambda_{\min}(C) > 0 .

        Full rank means numerically so: a smallest eigenvalue within rounding of zero,
        in the precision of the array, does not count.

        Parameters
        ----------
        point : array-like, shape=[..., n, n]
            Matrix.
        atol : float
            How far symmetry and diagonal may be off; a small multiple of the rounding
            unit of the dtype if None.

        Returns
        -------
        belongs : array of bool, shape=[...]
            Whether it belongs to the manifold.
        """
        (point,) = as_arrays(point=point)
        xp = array_namespace(point)
        if tuple(point.shape[-2:]) != self.shape:
            return xp.zeros(point.shape[:-2], dtype=xp.bool, device=point.device)
        symmetric = _asymmetry(point) <= _tolerance(point, atol)
        unit = xp.all(xp.abs(diagonal(point) - 1.0) <= _tolerance(point, atol), axis=-1)
        candidate = (symmetric & unit)[..., None, None]
        values = xp.linalg.eigvalsh(xp.where(candidate, point, eye_like(point)))
        full_rank = values[..., 0] > rank_tolerance(point) * values[..., -1]
        return symmetric & unit & full_rank

    def is_tangent(
        self, vector: ArrayLike, base_point: ArrayLike = None, atol: float | None = None
    ) -> Array:
        r"""Tell whether matrices are symmetric with null diagonal.

        .. math:: V = V^\top , \qquad V_{ii} = 0 .

        Parameters
        ----------
        vector : array-like, shape=[..., n, n]
            Matrix.
        base_point : array-like, shape=[..., n, n]
            Base point, for its batch shape: all tangent spaces are the same.
        atol : float
            How far symmetry and diagonal may be off; a small multiple of the rounding
            unit of the dtype if None.

        Returns
        -------
        is_tangent : array of bool, shape=[...]
            Whether it is a tangent vector.
        """
        vector, base_point = as_arrays(
            ("base_point",), vector=vector, base_point=base_point
        )
        xp = array_namespace(vector)
        if tuple(vector.shape[-2:]) != self.shape:
            return xp.zeros(vector.shape[:-2], dtype=xp.bool, device=vector.device)
        vector = _like_batch(vector, base_point)
        diag = xp.max(xp.abs(diagonal(vector)), axis=-1)
        tolerance = _tolerance(vector, atol)
        if atol is None:  # rounding grows with the vector
            tolerance = tolerance * (1.0 + xp.max(xp.abs(vector), axis=(-2, -1)))
        return (diag <= tolerance) & (_asymmetry(vector) <= tolerance)

    def to_tangent(self, vector: ArrayLike, base_point: ArrayLike = None) -> Array:
        r"""Project matrices orthogonally onto symmetric matrices with null diagonal.

        .. math:: \operatorname{off}\left(\tfrac12 (V + V^\top)\right) .

        Parameters
        ----------
        vector : array-like, shape=[..., n, n]
            Matrix.
        base_point : array-like, shape=[..., n, n]
            Base point, for its batch shape.

        Returns
        -------
        tangent_vec : array, shape=[..., n, n]
            Symmetric matrix with null diagonal.
        """
        vector, base_point = as_arrays(
            ("base_point",), vector=vector, base_point=base_point
        )
        vector = self._matrix(vector=vector)
        return _like_batch(off_diagonal(symmetrize(vector)), base_point)

    def projection(self, point: ArrayLike) -> Array:
        r"""Map matrices to correlation matrices, and leave correlation matrices alone.

        .. math:: \operatorname{Cor}\left(\tfrac12 (X + X^\top)\right) .

        The symmetric part is scaled to unit diagonal. If that is not numerically
        positive definite, its eigenvalues are first raised to the square root of the
        rounding unit, relative to the largest. `nearest_safe_point` offers control over
        the smallest eigenvalue, and tells what it did.

        Parameters
        ----------
        point : array-like, shape=[..., n, n]
            Matrix.

        Returns
        -------
        projected : array, shape=[..., n, n]
            Full-rank correlation matrix.
        """
        point = self._matrix(point=point)
        xp = array_namespace(point)
        point = symmetrize(point)
        values, vectors = xp.linalg.eigh(point)
        largest = xp.max(xp.abs(values), axis=-1)
        largest = xp.where(largest > 0.0, largest, 1.0)
        floor = (eps(point) ** 0.5 * largest)[..., None]
        raised = kernels.spectral(xp.maximum(values, floor), vectors)
        regular = values[..., 0] > rank_tolerance(point) * largest
        return kernels.cor(
            xp.where(regular[..., None, None], point, symmetrize(raised))
        )

    def regularize(self, point: ArrayLike) -> Array:
        r"""Remove rounding errors: make symmetry and the unit diagonal exact.

        .. math:: \tfrac12 (X + X^\top) , \qquad X = \operatorname{Cor}(C) .

        Parameters
        ----------
        point : array-like, shape=[..., n, n]
            Full-rank correlation matrix.

        Returns
        -------
        regularized_point : array, shape=[..., n, n]
            The same matrix.
        """
        point = self._matrix(point=point)
        return symmetrize(kernels.cor(point))

    def nearest_safe_point(
        self, point: ArrayLike, min_eigenvalue: float | None = None
    ) -> Any:
        r"""Shrink towards the identity just enough for a given smallest eigenvalue.

        The result is :math:`(1 - s) C + s I` with the smallest :math:`s \ge 0` for
        which no eigenvalue is below `min_eigenvalue`.

        Parameters
        ----------
        point : array-like, shape=[..., n, n]
            Symmetric matrix with unit diagonal, positive definite or not.
        min_eigenvalue : float
            Smallest eigenvalue to reach, below one; the square root of the rounding
            unit if None.

        Returns
        -------
        safe_point : SafePoint
            The matrices, the shrinkage of each and its smallest eigenvalue before.

        Examples
        --------
        >>> from geomstats_cor import FullRankCorrelationMatrices
        >>> space = FullRankCorrelationMatrices(2, equip=False)
        >>> safe = space.nearest_safe_point([[1, 1], [1, 1]], min_eigenvalue=0.1)
        >>> round(float(safe.shrinkage), 12), round(float(safe.point[0, 1]), 12)
        (0.1, 0.9)
        """
        point = self._correlation(point)
        least = eps(point) ** 0.5 if min_eigenvalue is None else min_eigenvalue
        require_number("min_eigenvalue", least, 0.0, 1.0)
        xp = array_namespace(point)
        point = symmetrize(point)
        smallest = xp.linalg.eigvalsh(point)[..., 0]
        needed = smallest < least
        gap = xp.where(needed, least - smallest, 0.0)
        shrinkage = gap / xp.where(needed, 1.0 - smallest, 1.0)
        kept = (1.0 - shrinkage)[..., None, None] * off_diagonal(point)
        return SafePoint(kept + eye_like(point), shrinkage, smallest)

    @classmethod
    def from_covariance(cls, point: ArrayLike) -> Array:
        r"""Return the correlation matrix :math:`\Delta^{-1} \Sigma \Delta^{-1}`.

        :math:`\Delta = \operatorname{Diag}(\Sigma)^{1/2}` holds the deviations. A
        matrix that is no covariance raises: one that is not symmetric, that has a
        variance which is not positive, or a negative eigenvalue.

        Parameters
        ----------
        point : array-like, shape=[..., n, n]
            Covariance matrix, symmetric and positive semidefinite.

        Returns
        -------
        correlation : array, shape=[..., n, n]
            Correlation matrix, with a diagonal of exactly one. It has full rank if the
            covariance has.

        Examples
        --------
        >>> from geomstats_cor import FullRankCorrelationMatrices
        >>> FullRankCorrelationMatrices.from_covariance([[4.0, 1.0], [1.0, 1.0]])
        array([[1. , 0.5],
               [0.5, 1. ]])
        """
        (point,) = as_arrays(point=point)
        if point.ndim < 2 or point.shape[-1] != point.shape[-2]:
            raise ShapeError(
                f"point: expected square matrices, shape [..., n, n], got "
                f"{tuple(point.shape)}. The covariance of samples [k, n] is "
                f"numpy.cov(samples, rowvar=False)."
            )
        require_covariance("point", point)
        return kernels.cor(symmetrize(point))

    @staticmethod
    def diag_action(diagonal_vec: ArrayLike, point: ArrayLike) -> Array:
        r"""Apply a diagonal matrix by congruence, :math:`D \Sigma D`.

        Parameters
        ----------
        diagonal_vec : array-like, shape=[..., n]
            Diagonal of :math:`D`.
        point : array-like, shape=[..., n, n]
            Symmetric matrix.

        Returns
        -------
        scaled : array, shape=[..., n, n]
            Symmetric matrix.
        """
        diagonal_vec, point = as_arrays(diagonal_vec=diagonal_vec, point=point)
        n = diagonal_vec.shape[-1] if diagonal_vec.ndim else 1
        require_matrices(n, point=point)
        require_finite("diagonal_vec", diagonal_vec[..., None])
        require_finite("point", point)
        require_broadcast(diagonal_vec=diagonal_vec[..., None], point=point)
        return congruence(diagonal_vec, point)

    def cor_inversion(self, point: ArrayLike) -> Array:
        r"""Return the cor-inverse :math:`\operatorname{Cor}(C^{-1})`, an involution.

        Parameters
        ----------
        point : array-like, shape=[..., n, n]
            Full-rank correlation matrix.

        Returns
        -------
        inverse : array, shape=[..., n, n]
            Full-rank correlation matrix.

        References
        ----------
        .. [T2024] Y. Thanwerdas. Permutation-invariant log-Euclidean geometries on
           full-rank correlation matrices. SIAM J. Matrix Anal. Appl. 45, 2024.

        Examples
        --------
        >>> from geomstats_cor import FullRankCorrelationMatrices
        >>> space = FullRankCorrelationMatrices(2, equip=False)
        >>> space.cor_inversion([[1.0, 0.6], [0.6, 1.0]]).round(12)
        array([[ 1. , -0.6],
               [-0.6,  1. ]])
        """
        point = self._correlation(point)
        inverse = kernels.cor_inverse(point)
        require_positive_definite("point", point, inverse)
        return inverse

    def partial_correlations(self, point: ArrayLike) -> Array:
        r"""Return the correlations of pairs of variables given all the others.

        .. math:: \rho_{ij} = -\frac{\Omega_{ij}}{\sqrt{\Omega_{ii} \Omega_{jj}}} \quad
                  (i \ne j) , \qquad \Omega = C^{-1} .

        Parameters
        ----------
        point : array-like, shape=[..., n, n]
            Full-rank correlation matrix.

        Returns
        -------
        partial : array, shape=[..., n, n]
            Symmetric matrix with unit diagonal; it need not be positive definite.

        Examples
        --------
        In a chain of three variables the ends are independent given the middle:

        >>> from geomstats_cor import FullRankCorrelationMatrices
        >>> space = FullRankCorrelationMatrices(3, equip=False)
        >>> chain = [[1, 0.5, 0.25], [0.5, 1, 0.5], [0.25, 0.5, 1]]
        >>> abs(float(space.partial_correlations(chain)[2, 0])) < 1e-12
        True
        """
        inverse = self.cor_inversion(point)
        return eye_like(inverse) - off_diagonal(inverse)

    def permutation_action(self, permutation: Any, point: ArrayLike) -> Array:
        r"""Reorder the variables.

        .. math:: (i, j) \mapsto C_{p_i p_j} .

        Parameters
        ----------
        permutation : sequence of int, length n
            Order of the variables.
        point : array-like, shape=[..., n, n]
            Matrix, a point or a tangent vector.

        Returns
        -------
        permuted : array, shape=[..., n, n]
            Reordered matrix.

        Examples
        --------
        >>> from geomstats_cor import FullRankCorrelationMatrices
        >>> space = FullRankCorrelationMatrices(3, equip=False)
        >>> point = [[1, 0.1, 0.2], [0.1, 1, 0.3], [0.2, 0.3, 1]]
        >>> space.permutation_action([2, 0, 1], point)
        array([[1. , 0.2, 0.3],
               [0.2, 1. , 0.1],
               [0.3, 0.1, 1. ]])
        """
        point = self._matrix(point=point)
        order = np.asarray(permutation)
        if order.shape != (self.n,) or not np.array_equal(
            np.sort(order), np.arange(self.n)
        ):
            raise ParameterError(
                f"permutation must list 0, ..., {self.n - 1} in some order, not "
                f"{permutation}."
            )
        xp = array_namespace(point)
        index = xp.asarray(order, device=point.device)
        return xp.take(xp.take(point, index, axis=-2), index, axis=-1)

    def signed_permutation_action(
        self, permutation: Any, signs: Any, point: ArrayLike
    ) -> Array:
        r"""Reorder the variables and flip the signs of some.

        .. math:: (i, j) \mapsto s_i s_j C_{p_i p_j} .

        Parameters
        ----------
        permutation : sequence of int, length n
            Order of the variables.
        signs : sequence of {-1, 1}, length n
            Signs of the reordered variables.
        point : array-like, shape=[..., n, n]
            Matrix, a point or a tangent vector.

        Returns
        -------
        permuted : array, shape=[..., n, n]
            Matrix with entries s[i] s[j] C[p[i], p[j]].
        """
        try:
            signs = np.asarray(plain("signs", signs), dtype=float)
        except (TypeError, ValueError):
            signs = np.empty(0)
        if signs.shape != (self.n,) or not np.all(np.abs(signs) == 1.0):
            raise ParameterError(f"signs must be {self.n} numbers, each 1 or -1.")
        return self.diag_action(
            signs.tolist(), self.permutation_action(permutation, point)
        )

    def random_point(
        self,
        n_samples: int = 1,
        bound: float | None = None,
        eta: float = 1.0,
        rng: Any = None,
        like: Array = None,
    ) -> Array:
        r"""Draw correlation matrices from the LKJ distribution [LKJ2009]_.

        Its density is proportional to :math:`\det(C)^{\eta - 1}`: uniform at
        :math:`\eta = 1`, concentrated at the identity for large :math:`\eta`.

        Parameters
        ----------
        n_samples : int
            Number of matrices.
        bound : float
            If given, the law of geomstats instead: Cor(exp(S)), the entries of the
            symmetric part of S being uniform between -bound and bound.
        eta : float
            Shape parameter, positive.
        rng : int or numpy.random.Generator
            Seed or generator; geomstats' random state if None.
        like : array
            Array whose library, dtype and device to use; geomstats' default if None.

        Returns
        -------
        point : array, shape=[..., n, n]
            One matrix, or `n_samples` of them.

        References
        ----------
        .. [LKJ2009] D. Lewandowski, D. Kurowicka and H. Joe. Generating random
           correlation matrices based on vines and extended onion method. J.
           Multivariate Anal. 100, 2009.

        Examples
        --------
        >>> from geomstats_cor import FullRankCorrelationMatrices
        >>> FullRankCorrelationMatrices(3, equip=False).random_point(5, rng=0).shape
        (5, 3, 3)
        """
        require_integer("n_samples", n_samples)
        rng = as_generator(rng)
        if bound is None:
            points = kernels.theta_inverse(lkj_unit_lower(n_samples, self.n, eta, rng))
        else:
            # Beyond, exponentials overflow.
            require_number("bound", bound, 0.0, 300.0 / self.n, includes_low=True)
            entries = rng.uniform(-bound, bound, size=(n_samples, self.n, self.n))
            points = kernels.cor(kernels.sym_exp(symmetrize(entries)))
        return as_samples(points, like)

    def random_tangent_vec(
        self, base_point: ArrayLike = None, n_samples: int = 1, rng: Any = None
    ) -> Array:
        r"""Draw tangent vectors: standard normal matrices :math:`X`, projected.

        .. math:: \operatorname{off}\left(\tfrac12 (X + X^\top)\right) .

        Parameters
        ----------
        base_point : array-like, shape=[..., n, n]
            Base point, for its library, dtype and batch shape.
        n_samples : int
            Number of vectors, for a single base point or as many as there are points.
        rng : int or numpy.random.Generator
            Seed or generator; geomstats' random state if None.

        Returns
        -------
        tangent_vec : array, shape=[..., n, n]
            Tangent vectors, one for each point of the batch.
        """
        (base_point,) = as_arrays(("base_point",), base_point=base_point)
        require_integer("n_samples", n_samples, 1)
        require_matrices(self.n, base_point=base_point)
        batch = () if base_point is None else tuple(base_point.shape[:-2])
        if n_samples > 1:
            if batch not in ((), (1,), (n_samples,)):
                raise ShapeError(
                    f"{n_samples} vectors do not match base points of batch shape "
                    f"{batch}."
                )
            batch = (n_samples,)
        matrices = as_generator(rng).standard_normal((1, *batch, self.n, self.n))
        return self.to_tangent(as_samples(matrices, base_point))

    def _matrix(self, **argument):
        """Return an argument as finite matrices [..., n, n]."""
        ((name, _),), (x,) = argument.items(), as_arrays(**argument)
        require_matrices(self.n, **{name: x})
        require_finite(name, x)
        return x

    def _correlation(self, point):
        """Return an argument as symmetric matrices with unit diagonal."""
        point = self._matrix(point=point)
        require_correlation("point", point)
        return point


def equipped(space: Any, n: int, name: str = "space") -> Any:
    """Return the space of n x n correlation matrices with a metric of this library.

    Parameters
    ----------
    space : FullRankCorrelationMatrices or str or type or CorrelationMetric
        Equipped space, key or class of a metric, or the metric of a space.
    n : int
        Size of the matrices.
    name : str
        Name of the argument in messages.

    Returns
    -------
    space : FullRankCorrelationMatrices
        Equipped space.
    """
    if isinstance(space, str) or inspect.isclass(space):
        space = FullRankCorrelationMatrices(n, equip=space)
    elif isinstance(space, CorrelationMetric):
        space = space._space
    require_metric(space)
    if space.n != n:
        raise ShapeError(
            f"{name}: expected shape [..., {space.n}, {space.n}], got matrices of size "
            f"{n}. The space has n = {space.n}; use FullRankCorrelationMatrices({n})."
        )
    return space


def _tolerance(x, atol):
    if atol is None:
        return membership_tolerance(x)
    require_number("atol", atol, includes_low=True)
    return atol


def _like_batch(x, point):
    """Repeat matrices so that there is one for each base point."""
    if point is None:
        return x
    require_broadcast(vector=x, base_point=point)
    return array_namespace(x).broadcast_arrays(x, point)[0]


def _asymmetry(x):
    xp = array_namespace(x)
    with np.errstate(invalid="ignore"):  # NaN and infinity differ from their mirror
        return xp.max(xp.abs(x - x.mT), axis=(-2, -1))
