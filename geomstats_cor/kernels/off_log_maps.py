r"""The diagonal of the off-log metric, and the maps built on it.

For a symmetric :math:`S` there is exactly one diagonal matrix :math:`\mathcal D(S)`
such that :math:`\exp(S + \mathcal D(S))` has unit diagonal: the minimiser of the
strictly convex :math:`\operatorname{tr} \exp(S + D) - \operatorname{tr} D`. Then

.. math:: \operatorname{Log}^\circ(C) = \operatorname{off}(\log C), \qquad
          \operatorname{Exp}^\circ(H) = \exp(H + \mathcal D(H)).

References
----------
.. [AH2021] I. Archakov and P. R. Hansen. A new parametrization of correlation matrices.
   Econometrica 89, 2021.
.. [T2024] Y. Thanwerdas. Permutation-invariant log-Euclidean geometries on full-rank
   correlation matrices. SIAM J. Matrix Anal. Appl. 45, 2024.
"""

from typing import Any

from .._types import Array
from ._array import (
    diagonal,
    diagonal_matrix,
    eps,
    namespace,
    off_diagonal,
    solve_positive,
    symmetrize,
)
from ._autodiff import Opaque, StatedGradient, total_differential
from ._implicit import implicit
from ._off_log_solver import hadamard_mean, solve_diagonal
from ._precision import in_own_precision
from ._projections import hollow_part, moving_hollow, moving_symmetric
from .correlation import cor
from .divided_differences import (
    exp_divided_differences,
    log_divided_differences,
)
from .symmetric import (
    exp_at,
    exp_differential_at,
    exp_half_second_in_basis,
    exp_second_differential_at,
    in_basis,
    log_at,
    log_differential_at,
    log_half_second_in_basis,
    log_second_differential_at,
    out_of_basis,
    positive_spectrum,
    spectral,
    spectral_function,
)


@in_own_precision
def off_log(correlation: Array) -> Array:
    r"""Return :math:`\operatorname{Log}^\circ(C) = \operatorname{off}(\log C)`.

    Parameters
    ----------
    correlation : array, shape=[..., n, n]
        Full-rank correlation matrix.

    Returns
    -------
    hollow : array, shape=[..., n, n]
        Symmetric hollow matrix; NaN where `correlation` is not positive definite.

    Examples
    --------
    For two variables it is Fisher's transform :math:`\operatorname{atanh}(r)`:

    >>> import numpy as np
    >>> from geomstats_cor.kernels import off_log
    >>> off_log(np.array([[1.0, 0.6], [0.6, 1.0]])).round(4)
    array([[0.    , 0.6931],
           [0.6931, 0.    ]])
    >>> round(float(np.arctanh(0.6)), 4)
    0.6931
    """
    return off_log_at(correlation, *positive_spectrum(correlation))


@in_own_precision
def off_log_differential(tangent_vec: Array, correlation: Array) -> Array:
    r"""Return the differential of :math:`\operatorname{Log}^\circ`.

    .. math:: d_C \operatorname{Log}^\circ(V) = \operatorname{off}(d_C \log(V)) .

    Parameters
    ----------
    tangent_vec : array, shape=[..., n, n]
        Symmetric hollow matrix :math:`V`.
    correlation : array, shape=[..., n, n]
        Full-rank correlation matrix :math:`C`.

    Returns
    -------
    moved : array, shape=[..., n, n]
        Symmetric hollow matrix.

    Examples
    --------
    For two variables, the derivative :math:`1 / (1 - r^2)` of Fisher's transform:

    >>> import numpy as np
    >>> from geomstats_cor.kernels import off_log_differential
    >>> tangent_vec = np.array([[0.0, 1.0], [1.0, 0.0]])
    >>> correlation = np.array([[1.0, 0.6], [0.6, 1.0]])
    >>> off_log_differential(tangent_vec, correlation).round(4)
    array([[0.    , 1.5625],
           [1.5625, 0.    ]])
    """
    spectrum = positive_spectrum(correlation)
    return off_log_differential_at(tangent_vec, correlation, *spectrum)


@in_own_precision
def off_log_and_differential(tangent_vec: Array, correlation: Array) -> tuple:
    r"""Return :math:`\operatorname{Log}^\circ(C)` and its differential together.

    .. math:: \operatorname{off}(\log C) , \qquad \operatorname{off}(d_C \log(V)) .

    Parameters
    ----------
    tangent_vec : array, shape=[..., n, n]
        Symmetric hollow matrix :math:`V`.
    correlation : array, shape=[..., n, n]
        Full-rank correlation matrix :math:`C`.

    Returns
    -------
    hollow : array, shape=[..., n, n]
        Symmetric hollow matrix; NaN where `correlation` is not positive definite.
    moved : array, shape=[..., n, n]
        Symmetric hollow matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import off_log_and_differential
    >>> tangent_vec = np.array([[0.0, 1.0], [1.0, 0.0]])
    >>> correlation = np.array([[1.0, 0.6], [0.6, 1.0]])
    >>> hollow, moved = off_log_and_differential(tangent_vec, correlation)
    >>> hollow.round(4)
    array([[0.    , 0.6931],
           [0.6931, 0.    ]])
    >>> moved.round(4)
    array([[0.    , 1.5625],
           [1.5625, 0.    ]])
    """
    spectrum = positive_spectrum(correlation)
    hollow = off_log_at(correlation, *spectrum)
    return hollow, off_log_differential_at(tangent_vec, correlation, *spectrum)


@in_own_precision
def off_log_diagonal(matrix: Array) -> Array:
    r"""Return the diagonal of :math:`\mathcal D(S)`.

    .. math:: \operatorname{diag} \exp(S + \mathcal D(S)) = 1 .

    Newton's method on the logarithm :math:`\log c` of the diagonal
    :math:`c = \operatorname{diag} \exp(S + D)`, where the Hessian is
    :math:`J_{il} = \int_0^1 (e^{tS})_{il} (e^{(1-t)S})_{il} dt`. By the Golden-Thompson
    inequality the step :math:`-\log c` lowers the objective by at least
    :math:`\sum (c - 1 - \log c)`; a Newton step that gains less than a quarter of that
    is replaced by it, so the method converges from everywhere. It begins at
    :math:`-\log \cosh |S_i|`, with the lengths of the rows of :math:`S` off the
    diagonal.

    Parameters
    ----------
    matrix : array, shape=[..., n, n]
        Symmetric matrix, hollow or not.

    Returns
    -------
    diag : array, shape=[..., n]
        Diagonal of the unique :math:`D` such that :math:`\exp(S + D)` is a correlation
        matrix.

    Examples
    --------
    For two variables it is :math:`-\log \cosh h`:

    >>> import numpy as np
    >>> from geomstats_cor.kernels import off_log_diagonal
    >>> hollow = np.log(2) * np.array([[0.0, 1.0], [1.0, 0.0]])
    >>> off_log_diagonal(hollow).round(4)
    array([-0.2231, -0.2231])
    >>> round(float(-np.log(np.cosh(np.log(2)))), 4)
    -0.2231
    """
    matrix = moving_symmetric(matrix)
    hollow = off_diagonal(matrix)
    return _diagonal(hollow, *solve_diagonal(hollow)) - diagonal(matrix)


@in_own_precision
def off_exp(matrix: Array) -> Array:
    r"""Return :math:`\operatorname{Exp}^\circ(H) = \exp(H + \mathcal D(H))`.

    Parameters
    ----------
    matrix : array, shape=[..., n, n]
        Symmetric matrix; its diagonal has no influence.

    Returns
    -------
    correlation : array, shape=[..., n, n]
        Full-rank correlation matrix.

    Examples
    --------
    For two variables it is :math:`\tanh h`:

    >>> import numpy as np
    >>> from geomstats_cor.kernels import off_exp
    >>> off_exp(np.log(2) * np.array([[0.0, 1.0], [1.0, 0.0]])).round(12)
    array([[1. , 0.6],
           [0.6, 1. ]])
    """
    return off_exp_at(matrix, *solve_diagonal(off_diagonal(matrix)))


@in_own_precision
def off_exp_factor(hollow: Array) -> Array:
    r"""Return the square root of :math:`\operatorname{Exp}^\circ(H)`, a factor of it.

    .. math:: F = \exp\left(\tfrac12 (H + \mathcal D(H))\right) , \qquad
              \operatorname{Exp}^\circ(H) = F F^\top .

    Parameters
    ----------
    hollow : array, shape=[..., n, n]
        Symmetric hollow matrix.

    Returns
    -------
    factor : array, shape=[..., n, n]
        Symmetric positive definite matrix, with rows of length one.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels.off_log_maps import off_exp_factor
    >>> factor = off_exp_factor(np.log(2) * np.array([[0.0, 1.0], [1.0, 0.0]]))
    >>> (factor @ factor).round(12)
    array([[1. , 0.6],
           [0.6, 1. ]])
    """
    matrix, values, vectors = _shifted(moving_hollow(hollow))
    return exp_at(0.5 * matrix, 0.5 * values, vectors)


@in_own_precision
def off_exp_differential(vector: Array, hollow: Array) -> Array:
    r"""Return the differential of :math:`\operatorname{Exp}^\circ`.

    .. math:: d_H \operatorname{Exp}^\circ(W) = d_S \exp(W + \dot D), \qquad
              J \operatorname{diag}(\dot D) = -\operatorname{diag}(d_S \exp(W)),

    with :math:`S = H + \mathcal D(H)`.

    Parameters
    ----------
    vector : array, shape=[..., n, n]
        Symmetric hollow matrix :math:`W`.
    hollow : array, shape=[..., n, n]
        Symmetric hollow matrix :math:`H`, the base point.

    Returns
    -------
    tangent_vec : array, shape=[..., n, n]
        Symmetric hollow matrix.

    Examples
    --------
    For two variables, the derivative :math:`1 - \tanh^2 h`:

    >>> import numpy as np
    >>> from geomstats_cor.kernels import off_exp_differential
    >>> vector = np.array([[0.0, 1.0], [1.0, 0.0]])
    >>> off_exp_differential(vector, np.log(2) * vector).round(12)
    array([[0.  , 0.64],
           [0.64, 0.  ]])
    """
    return off_exp_differential_at(vector, *_shifted(moving_hollow(hollow)))


@in_own_precision
def off_log_differential_inverse(vector: Array, correlation: Array) -> Array:
    r"""Invert the differential of :math:`\operatorname{Log}^\circ`.

    .. math:: (d_C \operatorname{Log}^\circ)^{-1}(W) = d_{\log C} \exp(W + \dot D) ,

    with the diagonal :math:`\dot D` that makes it hollow. This is
    `off_exp_differential` as a function of :math:`C`, which needs no solution for the
    diagonal of :math:`\log C`.

    Parameters
    ----------
    vector : array, shape=[..., n, n]
        Symmetric hollow matrix :math:`W`.
    correlation : array, shape=[..., n, n]
        Full-rank correlation matrix :math:`C`, the base point.

    Returns
    -------
    tangent_vec : array, shape=[..., n, n]
        Symmetric hollow matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import off_log_differential_inverse
    >>> vector = np.array([[0.0, 1.5625], [1.5625, 0.0]])
    >>> correlation = np.array([[1.0, 0.6], [0.6, 1.0]])
    >>> off_log_differential_inverse(vector, correlation).round(12)
    array([[0., 1.],
           [1., 0.]])
    """
    return off_log_inverse_differential_at(
        vector, correlation, *positive_spectrum(correlation)
    )


@in_own_precision
def off_log_diagonal_differential(vector: Array, matrix: Array) -> Array:
    r"""Return the differential of :math:`\mathcal D`, as a diagonal.

    .. math:: J \operatorname{diag} (d_S \mathcal D(V))
              = -\operatorname{diag} (d_{S + \mathcal D(S)} \exp(V)) ,

    where :math:`J_{il} = \int_0^1 (e^{t M})_{il} (e^{(1 - t) M})_{il} dt` for
    :math:`M = S + \mathcal D(S)`.

    Parameters
    ----------
    vector : array, shape=[..., n, n]
        Symmetric matrix :math:`V`.
    matrix : array, shape=[..., n, n]
        Symmetric matrix :math:`S`, the base point.

    Returns
    -------
    moved : array, shape=[..., n]
        Diagonal of the derivative of :math:`\mathcal D` along `vector`.

    Examples
    --------
    For two variables, the derivative :math:`-\tanh h` of :math:`-\log \cosh h`:

    >>> import numpy as np
    >>> from geomstats_cor.kernels import off_log_diagonal_differential
    >>> vector = np.array([[0.0, 1.0], [1.0, 0.0]])
    >>> off_log_diagonal_differential(vector, np.log(2) * vector).round(12)
    array([-0.6, -0.6])
    """
    at = _shifted(off_diagonal(matrix))
    moved = diagonal(exp_differential_at(vector, *at))
    return -_solve_hessian(moved[..., None], *at)[..., 0]


@in_own_precision
def off_exp_second_differential(vector: Array, hollow: Array) -> Array:
    r"""Return the second derivative of :math:`\operatorname{Exp}^\circ(H + t W)`.

    With :math:`S = H + \mathcal D(H)`, and the diagonals :math:`\dot D` and
    :math:`\ddot D` that make the derivatives hollow,

    .. math:: d^2_S \exp(W + \dot D, W + \dot D) + d_S \exp(\ddot D) .

    Parameters
    ----------
    vector : array, shape=[..., n, n]
        Symmetric hollow matrix :math:`W`.
    hollow : array, shape=[..., n, n]
        Symmetric hollow matrix :math:`H`.

    Returns
    -------
    curved : array, shape=[..., n, n]
        Symmetric hollow matrix.

    Examples
    --------
    For two variables, the second derivative
    :math:`-2 \tanh h \, (1 - \tanh^2 h)`:

    >>> import numpy as np
    >>> from geomstats_cor.kernels import off_exp_second_differential
    >>> vector = np.array([[0.0, 1.0], [1.0, 0.0]])
    >>> off_exp_second_differential(vector, np.log(2) * vector).round(12)
    array([[ 0.   , -0.768],
           [-0.768,  0.   ]])
    """
    return off_exp_second_differential_at(vector, *_shifted(moving_hollow(hollow)))


def off_exp_second_differential_at(vector: Array, *at: Any) -> Array:
    """Return `off_exp_second_differential`, given S = H + D(H) and its spectrum."""
    (moved,) = _completed(at, moving_hollow(vector))
    return _without_diagonal(exp_second_differential_at(moved, moved, *at), *at)


off_log_at, off_log_differential_at = spectral_function(
    lambda values: namespace(values).log(values),
    log_divided_differences,
    log_second_differential_at,
    log_half_second_in_basis,
    hollow_part,
)


def _shifted(hollow):
    """Return H + D(H), and its spectrum."""
    shift, values, vectors = solve_diagonal(hollow)
    return shifted_by(hollow, shift, values, vectors)


def shifted_by(
    hollow: Array, shift: Array, values: Array, vectors: Array
) -> tuple[Array, Array, Array]:
    """Return H + D(H) and its spectrum, given the solution of `solve_diagonal`."""
    diag = _diagonal(hollow, shift, values, vectors)
    return hollow + diagonal_matrix(diag), values, vectors


def _completed(at, *vectors):
    """Return V + D, with the D for which the differential of exp has null diagonal."""
    xp = namespace(at[0])
    moved = [diagonal(exp_differential_at(vector, *at)) for vector in vectors]
    solved = _solve_hessian(xp.stack(moved, axis=-1), *at)
    return tuple(
        vector - diagonal_matrix(solved[..., k]) for k, vector in enumerate(vectors)
    )


def _without_diagonal(moved, *at):
    """Return the adjoint of `_completed`, with null diagonal."""
    solved = _solve_hessian(diagonal(moved)[..., None], *at)[..., 0]
    return off_diagonal(moved - exp_differential_at(diagonal_matrix(solved), *at))


def _completed_in_basis(slopes, values, vectors, *moving):
    """Return `_completed` in the basis of eigenvectors."""
    xp = namespace(values)
    rotated = [in_basis(vector, vectors) for vector in moving]
    moved = [xp.sum((vectors @ (slopes * x)) * vectors, axis=-1) for x in rotated]
    solved = _hessian_solution(xp.stack(moved, axis=-1), values, vectors)
    return [
        x - (vectors.mT * solved[..., None, :, k]) @ vectors
        for k, x in enumerate(rotated)
    ]


def _differential_value(vector, matrix, values, vectors):
    """Return d exp(V + D), in the basis of eigenvectors."""
    slopes = exp_divided_differences(values)
    (completed,) = _completed_in_basis(slopes, values, vectors, vector)
    return hollow_part(out_of_basis(slopes * completed, vectors))


def _moving(vector):
    """Project onto hollow matrices, with a projected gradient."""
    return moving_hollow(symmetrize(vector))


def _differential_tangent(tangents, vector, *at):
    def turned_differential(turned):
        (completed,) = _completed(at, _moving(vector))
        curved = exp_second_differential_at(symmetrize(turned), completed, *at)
        return _without_diagonal(curved, *at)

    return total_differential(
        tangents,
        lambda moved: off_exp_differential_at(moved, *at),
        turned_differential,
    )


def _differential_cotangent(cotangent, needed, vector, *at):
    cotangent = hollow_part(cotangent)
    if not needed[1]:
        return off_exp_differential_at(cotangent, *at), None, None, None
    completed, other = _completed(at, cotangent, _moving(vector))
    moved = off_diagonal(exp_differential_at(completed, *at))
    return moved, exp_second_differential_at(completed, other, *at), None, None


def _plain_cotangent(
    cotangent, needed, vector, matrix, values, vectors, differences=None
):
    """Return the cotangents of V and S, in the basis of eigenvectors.

    If S is a function of another matrix, `differences` are its first divided
    differences, and the second cotangent is that of the other matrix.
    """
    cotangent = hollow_part(cotangent)
    if not needed[1]:
        moved = _differential_value(cotangent, matrix, values, vectors)
        return moved, None, None, None
    slopes = exp_divided_differences(values)
    completed, other = _completed_in_basis(
        slopes, values, vectors, cotangent, symmetrize(vector)
    )
    half = exp_half_second_in_basis(completed, other, values)
    if differences is not None:
        half = differences * half
    half = out_of_basis(half, vectors)
    return out_of_basis(slopes * completed, vectors), half + half.mT, None, None


# The differential of Exp° at a matrix S = H + D(H): self-adjoint, as that of exp is.
off_exp_differential_at = StatedGradient(
    _differential_value,
    _differential_tangent,
    _differential_cotangent,
    plain_cotangent=_plain_cotangent,
    axes=(2, 2, 2, 1, 2),
    spaces=(hollow_part,),
)


def spectrum_of_log(
    correlation: Array, values: Array, vectors: Array
) -> tuple[Array, Array, Array]:
    """Return log C and its spectrum, given the spectrum of C."""
    logarithm = log_at(correlation, values, vectors)
    return logarithm, namespace(values).log(values), vectors


def _inverse_value(vector, correlation, values, vectors):
    return _differential_value(vector, None, namespace(values).log(values), vectors)


def _inverse_tangent(tangents, vector, correlation, *spectrum):
    moved, turned, *_ = tangents
    point = moving_hollow(correlation), *spectrum
    if turned is not None:
        turned = log_differential_at(turned, *point)
    return _differential_tangent((moved, turned), vector, *spectrum_of_log(*point))


def _inverse_cotangent(cotangent, needed, vector, correlation, *spectrum):
    point = moving_hollow(correlation), *spectrum
    moved, turned, *_ = _differential_cotangent(
        cotangent, needed, vector, *spectrum_of_log(*point)
    )
    if turned is not None:
        turned = log_differential_at(turned, *point)
    return moved, turned, None, None


def _plain_inverse_cotangent(cotangent, needed, vector, correlation, values, vectors):
    logarithms = namespace(values).log(values)
    differences = log_divided_differences(values) if needed[1] else None
    return _plain_cotangent(
        cotangent, needed, vector, None, logarithms, vectors, differences
    )


# The same at S = log C, as a function of C.
off_log_inverse_differential_at = StatedGradient(
    _inverse_value,
    _inverse_tangent,
    _inverse_cotangent,
    plain_cotangent=_plain_inverse_cotangent,
    axes=(2, 2, 2, 1, 2),
    spaces=(hollow_part, hollow_part),
)


def _off_exp_tangent(tangents, matrix, *solution):
    return off_exp_differential_at(tangents[0], *_solved(matrix, *solution))


def _off_exp_cotangent(cotangent, needed, matrix, *solution):
    moved = off_exp_differential_at(hollow_part(cotangent), *_solved(matrix, *solution))
    return moved, None, None, None


def _solved(matrix, *solution):
    return shifted_by(off_diagonal(moving_hollow(matrix)), *solution)


off_exp_at = StatedGradient(
    lambda matrix, shift, values, vectors: cor(
        spectral(namespace(values).exp(values), vectors)
    ),
    _off_exp_tangent,
    _off_exp_cotangent,
    axes=(2, 2, 1, 1, 2),
    spaces=(hollow_part,),
)


def _diagonal_tangent(tangents, *solution):
    at = shifted_by(*solution)
    moved = diagonal(exp_differential_at(tangents[0], *at))
    return -_solve_hessian(moved[..., None], *at)[..., 0]


def _diagonal_cotangent(cotangent, needed, *solution):
    at = shifted_by(*solution)
    solved = diagonal_matrix(_solve_hessian(cotangent[..., None], *at)[..., 0])
    return -exp_differential_at(solved, *at), None, None, None


# The solution as a function of the matrix, by the implicit function theorem.
_diagonal = implicit(1, _diagonal_tangent, _diagonal_cotangent)


def _solve_all(right, values, vectors):
    """Solve J y = b to all digits, for right-hand sides in columns."""
    hessian = hadamard_mean(values, vectors, 64.0 * eps(values))
    columns = [solve_positive(hessian, right[..., k]) for k in range(right.shape[-1])]
    return namespace(right).stack(columns, axis=-1)


_hessian_solution = Opaque(
    "off_log_hessian",
    _solve_all,
    lambda right, values, vectors: right + values[..., None],
    axes=(2, 1, 2),
)


def _hessian_tangent(tangents, right, *at):
    def turned_hessian(turned):
        turned, solved = symmetrize(turned), _columns(_solve_hessian(right, *at))
        bent = [diagonal(exp_second_differential_at(turned, y, *at)) for y in solved]
        return -namespace(right).stack(bent, axis=-1)

    change = total_differential(tangents, lambda moved: moved, turned_hessian)
    return _solve_hessian(change, *at)


def _hessian_cotangent(cotangent, needed, right, *at):
    moved = _solve_hessian(cotangent, *at)
    turned = None
    if needed[1]:
        solved = _columns(_solve_hessian(right, *at))
        pairs = zip(_columns(moved), solved, strict=True)
        turned = -sum(exp_second_differential_at(z, y, *at) for z, y in pairs)
    return moved, turned, None, None


def _columns(vectors):
    """Return columns as diagonal matrices."""
    return [diagonal_matrix(vectors[..., k]) for k in range(vectors.shape[-1])]


# The solution y of J y = b, where J y is the diagonal of the differential of exp.
_solve_hessian = StatedGradient(
    lambda right, matrix, values, vectors: _hessian_solution(right, values, vectors),
    _hessian_tangent,
    _hessian_cotangent,
)
