r"""Functions of symmetric matrices and their differentials.

A function acts on eigenvalues, :math:`f(S) = U f(\Lambda) U^\top`, and its differential
is the Daleckii-Krein formula

.. math:: d_S f(V) = U \left( f^{[1]}(\lambda_i, \lambda_j)
          \odot U^\top V U \right) U^\top .

The divided differences :math:`f^{[1]}` are written in forms that need no threshold:
they are exact at every gap between eigenvalues, a gap of zero included. So are those of
second order, as integrals of products of the first:

.. math:: \exp^{[2]}(a, b, c) = \int_0^1 t \exp^{[1]}(t a, t b) \, e^{(1 - t) c} dt .

References
----------
.. [B1997] R. Bhatia. Matrix Analysis. Springer, 1997. Chapter V.
"""

from collections.abc import Callable
from typing import Any

from .._types import Array
from ._array import (
    as_rows,
    constant,
    eigh,
    eps,
    extremes,
    namespace,
    symmetrize,
)
from ._autodiff import (
    Opaque,
    StatedGradient,
    detached,
    is_readable,
    total_differential,
)
from ._precision import in_own_precision
from ._projections import moving_in
from ._quadrature import rule_for_spectrum
from ._tolerances import rank_tolerance
from .divided_differences import (
    exp_divided_differences,
    log_divided_differences,
    positive_gaps,
    power_divided_differences,
)


@in_own_precision
def spectral(values: Array, vectors: Array) -> Array:
    r"""Return :math:`U \operatorname{diag}(\lambda) U^\top`.

    Parameters
    ----------
    values : array, shape=[..., n]
        Eigenvalues.
    vectors : array, shape=[..., n, n]
        Orthonormal eigenvectors, as columns.

    Returns
    -------
    matrix : array, shape=[..., n, n]
        Symmetric matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import spectral
    >>> vectors = np.array([[1.0, -1.0], [1.0, 1.0]]) / np.sqrt(2)
    >>> spectral(np.array([2.0, 0.5]), vectors).round(12)
    array([[1.25, 0.75],
           [0.75, 1.25]])
    """
    return (vectors * as_rows(values)) @ vectors.mT


@in_own_precision
def spectral_differential(
    vector: Array, divided_differences: Array, vectors: Array
) -> Array:
    r"""Return the Daleckii-Krein formula for given divided differences.

    .. math:: d_S f(V) = U \left( f^{[1]}(\lambda_i, \lambda_j) \odot U^\top V U \right)
              U^\top .

    Parameters
    ----------
    vector : array, shape=[..., n, n]
        Symmetric matrix :math:`V`.
    divided_differences : array, shape=[..., n, n]
        First divided differences :math:`f^{[1]}` of the function at the eigenvalues.
    vectors : array, shape=[..., n, n]
        Orthonormal eigenvectors :math:`U`, as columns.

    Returns
    -------
    moved : array, shape=[..., n, n]
        Symmetric matrix.

    Examples
    --------
    The divided differences of :math:`f(x) = x^2` are sums of eigenvalues:

    >>> import numpy as np
    >>> from geomstats_cor.kernels import spectral_differential
    >>> matrix = np.array([[1.25, 0.75], [0.75, 1.25]])
    >>> vector = np.array([[0.0, 1.0], [1.0, 0.0]])
    >>> values, vectors = np.linalg.eigh(matrix)
    >>> sums = values[:, None] + values
    >>> spectral_differential(vector, sums, vectors).round(12)
    array([[1.5, 2.5],
           [2.5, 1.5]])
    """
    return symmetrize(_daleckii_krein(vector, divided_differences, vectors))


def _daleckii_krein(vector, divided_differences, vectors):
    return out_of_basis(divided_differences * in_basis(vector, vectors), vectors)


def in_basis(matrix: Array, vectors: Array) -> Array:
    r"""Return :math:`U^\top V U`, a matrix in the basis of eigenvectors."""
    return vectors.mT @ matrix @ vectors


def out_of_basis(rotated: Array, vectors: Array) -> Array:
    r"""Return :math:`U W U^\top`, the matrix that is :math:`W` in the basis."""
    return vectors @ rotated @ vectors.mT


def spectrum(matrix: Array) -> tuple:
    """Return eigenvalues, ascending, and eigenvectors, as constants.

    Derivatives do not pass through them: the maps below state their own.

    Parameters
    ----------
    matrix : array, shape=[..., n, n]
        Symmetric matrix.

    Returns
    -------
    values : array, shape=[..., n]
        Eigenvalues.
    vectors : array, shape=[..., n, n]
        Orthonormal eigenvectors, as columns.
    """
    return tuple(eigh(detached(matrix)))


def positive_spectrum(matrix: Array) -> tuple:
    """Return the spectrum, with NaN for eigenvalues that are not positive.

    An eigenvalue so small that rounding decides its sign counts as not positive.

    Parameters
    ----------
    matrix : array, shape=[..., n, n]
        Symmetric matrix.

    Returns
    -------
    values : array, shape=[..., n]
        Eigenvalues.
    vectors : array, shape=[..., n, n]
        Orthonormal eigenvectors, as columns.
    """
    values, vectors = spectrum(matrix)
    tolerance = rank_tolerance(values)
    if is_readable(values) and are_positive(values, tolerance):
        return values, vectors
    positive = values > tolerance * values[..., -1:]
    return namespace(values).where(positive, values, float("nan")), vectors


def are_positive(values: Array, tolerance: float) -> bool:
    """Tell whether all eigenvalues of a batch exceed a fraction of the largest."""
    if 0 in values.shape:
        return False
    smallest, largest = extremes(values)
    return smallest > tolerance * largest


def spectral_function(
    function: Callable,
    divided_differences: Callable,
    second_differential: Callable,
    half_second_in_basis: Any = None,
    project: Callable = symmetrize,
) -> tuple:
    """Return a function of symmetric matrices and its differential, given spectra.

    The differential is self-adjoint, and the second one symmetric in all three slots:
    tangents and cotangents are the same formulas. Parameters of the function follow
    the arrays. Both the argument and the result may be confined to a subspace.

    Parameters
    ----------
    function : callable
        Function of eigenvalues.
    divided_differences : callable
        Its first divided differences.
    second_differential : callable
        The second differential of the function of matrices.
    half_second_in_basis : callable
        The same in the basis of eigenvectors, before a matrix is added to its transpose
        and without derivatives of its own. It takes two vectors in that basis, the
        divided differences and the eigenvalues.
    project : callable
        Orthogonal projection onto the subspace.

    Returns
    -------
    value : StatedGradient
        Takes a matrix and its spectrum.
    differential : StatedGradient
        Takes a vector, a matrix and its spectrum.
    """
    moving = moving_in(project)

    def curved(vector_a, vector_b, matrix, *rest):
        vector_a = moving(symmetrize(vector_a))
        return second_differential(vector_a, vector_b, moving(matrix), *rest)

    def value_tangent(tangents, matrix, *rest):
        return differential(tangents[0], matrix, *rest)

    def value_cotangent(cotangent, needed, matrix, *rest):
        return differential(project(cotangent), matrix, *rest), None, None

    def differential_tangent(tangents, vector, *rest):
        return total_differential(
            tangents,
            lambda moved: differential(moved, *rest),
            lambda turned: project(curved(vector, turned, *rest)),
        )

    def differential_cotangent(cotangent, needed, vector, *rest):
        cotangent = project(cotangent)
        moved = differential(cotangent, *rest) if needed[0] else None
        turned = curved(vector, cotangent, *rest) if needed[1] else None
        return moved, turned, None, None

    def plain_cotangent(cotangent, needed, vector, matrix, values, vectors):
        differences = divided_differences(values)
        cotangent = in_basis(project(cotangent), vectors)
        moved = turned = None
        if needed[0]:
            moved = out_of_basis(differences * cotangent, vectors)
        if needed[1]:
            vector = in_basis(symmetrize(vector), vectors)
            half = half_second_in_basis(vector, cotangent, differences, values)
            turned = 2.0 * out_of_basis(half, vectors)
        return moved, turned, None, None

    def value(matrix, values, vectors, *parameters):
        return project(spectral(function(values, *parameters), vectors))

    def differential_value(vector, matrix, values, vectors, *parameters):
        differences = divided_differences(values, *parameters)
        return project(_daleckii_krein(vector, differences, vectors))

    differential = StatedGradient(
        differential_value,
        differential_tangent,
        differential_cotangent,
        plain_cotangent=plain_cotangent if half_second_in_basis else None,
        axes=(2, 2, 2, 1, 2),
        spaces=(project, project),
    )
    value = StatedGradient(
        value,
        value_tangent,
        value_cotangent,
        axes=(2, 2, 1, 2),
        spaces=(project,),
        held_by_value=1,
    )
    return value, differential


def exp_half_second_in_basis(
    rotated_a: Array, rotated_b: Array, values: Array
) -> Array:
    """Return a matrix that with its transpose is the second differential of exp.

    All in the basis of eigenvectors. The integral is a Gauss-Legendre rule: a product
    of matrices at each node.
    """
    xp = namespace(values)
    gap = positive_gaps(values)
    quotients = rotated_a / -gap
    total = None
    for time, weight in _rule(values):
        slopes = xp.expm1(-time * gap)
        growth = xp.exp(time * values)
        slopes *= xp.maximum(growth[..., :, None], growth[..., None, :])
        slopes = slopes * quotients
        term = slopes @ rotated_b
        term *= weight * xp.exp((1.0 - time) * values)[..., None, :]
        total = term if total is None else total + term
    return total


def log_half_second_in_basis(
    rotated_a: Array, rotated_b: Array, differences: Array, values: Array
) -> Array:
    """Return `exp_half_second_in_basis` for the logarithm, as the inverse of exp.

    `differences` are the first divided differences of the logarithm.
    """
    half = exp_half_second_in_basis(
        differences * rotated_a, differences * rotated_b, namespace(values).log(values)
    )
    return -differences * half


def _exp_second_value(vector_a, vector_b, values, vectors):
    """Return the second differential of the exponential, a bilinear map."""
    rotated = in_basis(vector_a, vectors), in_basis(vector_b, vectors)
    half = out_of_basis(exp_half_second_in_basis(*rotated, values), vectors)
    return half + half.mT


_exp_second_opaque = Opaque(
    "exp_second_differential",
    _exp_second_value,
    lambda a, b, values, vectors: a + b + vectors,
    axes=(2, 2, 1, 2),
)


def _exp_second_tangent(tangents, vector_a, vector_b, *rest):
    second = exp_second_differential_at
    return total_differential(
        tangents,
        lambda moved: second(symmetrize(moved), vector_b, *rest),
        lambda moved: second(vector_a, symmetrize(moved), *rest),
        lambda turned: _exp_third_differential(turned, vector_a, vector_b, *rest),
    )


def _exp_second_cotangent(cotangent, needed, vector_a, vector_b, *rest):
    cotangent = symmetrize(cotangent)
    a = exp_second_differential_at(cotangent, vector_b, *rest) if needed[0] else None
    b = exp_second_differential_at(vector_a, cotangent, *rest) if needed[1] else None
    turned = None
    if needed[2]:
        turned = _exp_third_differential(cotangent, vector_a, vector_b, *rest)
    return a, b, turned, None, None


def _exp_third_differential(vector_a, vector_b, vector_c, matrix, values, vectors):
    """Return the third differential, a trilinear map, as an integral of the second.

    Written with maps that state their derivatives, so that all orders follow; a new
    first axis holds the nodes.
    """
    xp = namespace(values)
    vector_a = symmetrize(vector_a)
    arrays = vector_a, vector_b, vector_c, matrix
    axes = (-1, *(1,) * max(x.ndim for x in arrays))
    time, weight = (
        xp.reshape(constant(x, values), axes) for x in zip(*_rule(values), strict=True)
    )
    here = time * matrix, time[..., 0] * values, vectors
    there = (1.0 - time) * matrix, (1.0 - time[..., 0]) * values, vectors
    curved = exp_second_differential_at(time * vector_b, time * vector_c, *here)
    moved = exp_differential_at(time * vector_b, *here) @ vector_a
    term = curved @ vector_a @ exp_at(*there)
    term = term + moved @ exp_differential_at((1.0 - time) * vector_c, *there)
    total = xp.sum(weight * term, axis=0)
    return total + total.mT


def _rule(values):
    """Return nodes in [0, 1] and weights that integrate exponentials to rounding."""
    rule = rule_for_spectrum(values, 64.0 * eps(values))
    return [(0.5 * (1.0 + node), 0.5 * weight) for node, weight in rule]


def log_second_differential_at(
    vector_a: Array, vector_b: Array, matrix: Array, values: Array, vectors: Array
) -> Array:
    """Return the second differential of the logarithm, from that of exp."""
    logarithm = log_at(matrix, values, vectors)
    moved_a = log_differential_at(vector_a, matrix, values, vectors)
    moved_b = log_differential_at(vector_b, matrix, values, vectors)
    curved = exp_second_differential_at(
        moved_a, moved_b, logarithm, namespace(values).log(values), vectors
    )
    return -log_differential_at(curved, matrix, values, vectors)


def _power_second_differential(vector_a, vector_b, matrix, values, vectors, exponent):
    """Return the second differential of S^p = exp(p log S), by the chain rule."""
    spectra = matrix, values, vectors
    logarithm = exponent * log_at(*spectra)
    moved_a = exponent * log_differential_at(vector_a, *spectra)
    moved_b = exponent * log_differential_at(vector_b, *spectra)
    curved = exponent * log_second_differential_at(vector_a, vector_b, *spectra)
    values = exponent * namespace(values).log(values)
    second = exp_second_differential_at(moved_a, moved_b, logarithm, values, vectors)
    return second + exp_differential_at(curved, logarithm, values, vectors)


@in_own_precision
def sym_log(matrix: Array) -> Array:
    r"""Return the logarithm of symmetric positive definite matrices.

    .. math:: \log S = U \operatorname{diag}(\log \lambda_i) U^\top , \qquad
              S = U \operatorname{diag}(\lambda_i) U^\top .

    Parameters
    ----------
    matrix : array, shape=[..., n, n]
        Symmetric positive definite matrix.

    Returns
    -------
    logarithm : array, shape=[..., n, n]
        Symmetric matrix; NaN where `matrix` is not positive definite.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import sym_log
    >>> sym_log(np.array([[1.25, 0.75], [0.75, 1.25]])).round(4) + 0.0
    array([[0.    , 0.6931],
           [0.6931, 0.    ]])
    >>> round(float(np.log(2)), 4)
    0.6931
    """
    return log_at(matrix, *positive_spectrum(matrix))


@in_own_precision
def sym_exp(matrix: Array) -> Array:
    r"""Return the exponential of symmetric matrices.

    .. math:: \exp S = U \operatorname{diag}(e^{\lambda_i}) U^\top , \qquad
              S = U \operatorname{diag}(\lambda_i) U^\top .

    Parameters
    ----------
    matrix : array, shape=[..., n, n]
        Symmetric matrix.

    Returns
    -------
    exponential : array, shape=[..., n, n]
        Symmetric positive definite matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import sym_exp
    >>> sym_exp(np.log(2) * np.array([[0.0, 1.0], [1.0, 0.0]])).round(12)
    array([[1.25, 0.75],
           [0.75, 1.25]])
    """
    return exp_at(matrix, *spectrum(matrix))


@in_own_precision
def sym_power(matrix: Array, exponent: float) -> Array:
    r"""Return a real power :math:`S^p = \exp(p \log S)` of positive definite matrices.

    Parameters
    ----------
    matrix : array, shape=[..., n, n]
        Symmetric positive definite matrix.
    exponent : float
        Any real number.

    Returns
    -------
    power : array, shape=[..., n, n]
        Symmetric positive definite matrix; NaN where `matrix` is not positive definite.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels import sym_power
    >>> sym_power(np.array([[1.25, 0.75], [0.75, 1.25]]), -1.0).round(12)
    array([[ 1.25, -0.75],
           [-0.75,  1.25]])
    """
    return power_at(matrix, *positive_spectrum(matrix), float(exponent))


@in_own_precision
def sym_log_differential(vector: Array, matrix: Array) -> Array:
    r"""Return the differential of the logarithm at a positive definite matrix.

    .. math:: d_S \log(V) = U \left( \log^{[1]}(\lambda_i, \lambda_j) \odot U^\top V U
              \right) U^\top , \qquad S = U \operatorname{diag}(\lambda_i) U^\top ,

    with the divided differences of `log_divided_differences`.

    Parameters
    ----------
    vector : array, shape=[..., n, n]
        Symmetric matrix :math:`V`.
    matrix : array, shape=[..., n, n]
        Symmetric positive definite matrix :math:`S`.

    Returns
    -------
    moved : array, shape=[..., n, n]
        Symmetric matrix.

    Examples
    --------
    Since :math:`\log((1 + t) S) = \log S + \log(1 + t) I`,

    >>> import numpy as np
    >>> from geomstats_cor.kernels import sym_log_differential
    >>> matrix = np.array([[1.25, 0.75], [0.75, 1.25]])
    >>> sym_log_differential(matrix, matrix).round(12) + 0.0
    array([[1., 0.],
           [0., 1.]])
    """
    return log_differential_at(vector, matrix, *positive_spectrum(matrix))


@in_own_precision
def sym_exp_differential(vector: Array, matrix: Array) -> Array:
    r"""Return the differential of the exponential at a symmetric matrix.

    .. math:: d_S \exp(V) = U \left( \exp^{[1]}(\lambda_i, \lambda_j) \odot U^\top V U
              \right) U^\top , \qquad S = U \operatorname{diag}(\lambda_i) U^\top ,

    with the divided differences of `exp_divided_differences`.

    Parameters
    ----------
    vector : array, shape=[..., n, n]
        Symmetric matrix :math:`V`.
    matrix : array, shape=[..., n, n]
        Symmetric matrix :math:`S`.

    Returns
    -------
    moved : array, shape=[..., n, n]
        Symmetric matrix.

    Examples
    --------
    The entry is the divided difference :math:`(2 - 1) / (\log 2 - 0)`:

    >>> import numpy as np
    >>> from geomstats_cor.kernels import sym_exp_differential
    >>> vector = np.array([[0.0, 1.0], [1.0, 0.0]])
    >>> sym_exp_differential(vector, np.diag([0.0, np.log(2)])).round(4) + 0.0
    array([[0.    , 1.4427],
           [1.4427, 0.    ]])
    """
    return exp_differential_at(vector, matrix, *spectrum(matrix))


@in_own_precision
def sym_exp_second_differential(vector: Array, matrix: Array) -> Array:
    r"""Return the second derivative of :math:`t \mapsto \exp(S + t V)` at zero.

    In the eigenvectors of :math:`S`, with :math:`W = U^\top V U`, its entries are

    .. math:: 2 \sum_k \exp^{[2]}(\lambda_i, \lambda_k, \lambda_j) \, W_{ik} W_{kj} .

    Parameters
    ----------
    vector : array, shape=[..., n, n]
        Symmetric matrix :math:`V`.
    matrix : array, shape=[..., n, n]
        Symmetric matrix :math:`S`.

    Returns
    -------
    curved : array, shape=[..., n, n]
        Symmetric matrix.

    Examples
    --------
    At the null matrix it is :math:`V^2`:

    >>> import numpy as np
    >>> from geomstats_cor.kernels import sym_exp_second_differential
    >>> vector = np.array([[0.0, 2.0], [2.0, 0.0]])
    >>> sym_exp_second_differential(vector, np.zeros((2, 2))).round(12) + 0.0
    array([[4., 0.],
           [0., 4.]])
    """
    return exp_second_differential_at(vector, vector, matrix, *spectrum(matrix))


@in_own_precision
def sym_power_differential(vector: Array, matrix: Array, exponent: float) -> Array:
    r"""Return the differential of a real power at a positive definite matrix.

    .. math:: d_S (\cdot)^p(V) = U \left( f^{[1]}(\lambda_i, \lambda_j) \odot U^\top V U
              \right) U^\top , \qquad S = U \operatorname{diag}(\lambda_i) U^\top ,

    with the divided differences of `power_divided_differences`.

    Parameters
    ----------
    vector : array, shape=[..., n, n]
        Symmetric matrix :math:`V`.
    matrix : array, shape=[..., n, n]
        Symmetric positive definite matrix :math:`S`.
    exponent : float
        Any real number :math:`p`.

    Returns
    -------
    moved : array, shape=[..., n, n]
        Symmetric matrix.

    Examples
    --------
    For the square it is :math:`S V + V S`:

    >>> import numpy as np
    >>> from geomstats_cor.kernels import sym_power_differential
    >>> matrix = np.array([[1.25, 0.75], [0.75, 1.25]])
    >>> vector = np.array([[0.0, 1.0], [1.0, 0.0]])
    >>> sym_power_differential(vector, matrix, 2.0).round(12)
    array([[1.5, 2.5],
           [2.5, 1.5]])
    >>> matrix @ vector + vector @ matrix
    array([[1.5, 2.5],
           [2.5, 1.5]])
    """
    return power_differential_at(
        vector, matrix, *positive_spectrum(matrix), float(exponent)
    )


exp_second_differential_at = StatedGradient(
    lambda a, b, matrix, values, vectors: _exp_second_opaque(a, b, values, vectors),
    _exp_second_tangent,
    _exp_second_cotangent,
    axes=(2, 2, 2, 2, 1, 2),
)
log_at, log_differential_at = spectral_function(
    lambda values: namespace(values).log(values),
    log_divided_differences,
    log_second_differential_at,
    log_half_second_in_basis,
)
exp_at, exp_differential_at = spectral_function(
    lambda values: namespace(values).exp(values),
    exp_divided_differences,
    exp_second_differential_at,
    lambda a, b, differences, values: exp_half_second_in_basis(a, b, values),
)
power_at, power_differential_at = spectral_function(
    lambda values, exponent: namespace(values).exp(
        exponent * namespace(values).log(values)
    ),
    power_divided_differences,
    _power_second_differential,
)
