r"""Functions of symmetric matrices and their differentials.

A function acts on eigenvalues, :math:`f(S) = U f(\Lambda) U^\top`, and its differential
is the Daleckii-Krein formula

.. math:: d_S f(V) = U \left( f^{[1]}(\lambda_i, \lambda_j)
          \odot U^\top V U \right) U^\top .

The divided differences :math:`f^{[1]}` are written in forms that need no threshold:
they are exact at every gap between eigenvalues, and only an exact zero is special.

References
----------
.. [B1997] R. Bhatia. Matrix Analysis. Springer, 1997. Chapter V.
"""

from ._arrays import namespace, symmetrize
from ._jets import expm1_jet
from ._tolerances import rank_tolerance


def spectral(values, vectors):
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
    """
    return (vectors * values[..., None, :]) @ vectors.mT


def spectral_differential(vector, divided_differences, vectors):
    r"""Return the Daleckii-Krein formula for given divided differences.

    Parameters
    ----------
    vector : array, shape=[..., n, n]
        Symmetric matrix.
    divided_differences : array, shape=[..., n, n]
        First divided differences of the function at the eigenvalues.
    vectors : array, shape=[..., n, n]
        Orthonormal eigenvectors, as columns.

    Returns
    -------
    moved : array, shape=[..., n, n]
        Symmetric matrix.
    """
    rotated = vectors.mT @ vector @ vectors
    moved = vectors @ (divided_differences * rotated) @ vectors.mT
    return symmetrize(moved)


def sym_log(matrix):
    r"""Return the logarithm of symmetric positive definite matrices.

    Parameters
    ----------
    matrix : array, shape=[..., n, n]
        Symmetric positive definite matrix.

    Returns
    -------
    logarithm : array, shape=[..., n, n]
        Symmetric matrix; NaN where `matrix` is not positive definite.
    """
    values, vectors = namespace(matrix).linalg.eigh(matrix)
    return spectral(log_of_positive(values), vectors)


def sym_exp(matrix):
    r"""Return the exponential of symmetric matrices.

    Parameters
    ----------
    matrix : array, shape=[..., n, n]
        Symmetric matrix.

    Returns
    -------
    exponential : array, shape=[..., n, n]
        Symmetric positive definite matrix.
    """
    xp = namespace(matrix)
    values, vectors = xp.linalg.eigh(matrix)
    return spectral(xp.exp(values), vectors)


def sym_power(matrix, exponent):
    r"""Return a real power of symmetric positive definite matrices.

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
    """
    xp = namespace(matrix)
    values, vectors = xp.linalg.eigh(matrix)
    return spectral(xp.exp(exponent * log_of_positive(values)), vectors)


def sym_log_differential(vector, matrix):
    r"""Return the differential of the logarithm at a positive definite matrix.

    Parameters
    ----------
    vector : array, shape=[..., n, n]
        Symmetric matrix.
    matrix : array, shape=[..., n, n]
        Symmetric positive definite matrix.

    Returns
    -------
    moved : array, shape=[..., n, n]
        Symmetric matrix.
    """
    values, vectors = namespace(matrix).linalg.eigh(matrix)
    differences = log_divided_differences(positive_or_nan(values))
    return spectral_differential(vector, differences, vectors)


def sym_exp_differential(vector, matrix):
    r"""Return the differential of the exponential at a symmetric matrix.

    Parameters
    ----------
    vector : array, shape=[..., n, n]
        Symmetric matrix.
    matrix : array, shape=[..., n, n]
        Symmetric matrix.

    Returns
    -------
    moved : array, shape=[..., n, n]
        Symmetric matrix.
    """
    values, vectors = namespace(matrix).linalg.eigh(matrix)
    return spectral_differential(vector, exp_divided_differences(values), vectors)


def sym_exp_second_differential(vector, matrix):
    r"""Return the second derivative of :math:`t \mapsto \exp(S + t V)` at zero.

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
    """
    return 2.0 * symmetrize(expm1_jet((matrix, vector, 0.0 * vector))[2])


def sym_power_differential(vector, matrix, exponent):
    r"""Return the differential of a real power at a positive definite matrix.

    Parameters
    ----------
    vector : array, shape=[..., n, n]
        Symmetric matrix.
    matrix : array, shape=[..., n, n]
        Symmetric positive definite matrix.
    exponent : float
        Any real number.

    Returns
    -------
    moved : array, shape=[..., n, n]
        Symmetric matrix.
    """
    values, vectors = namespace(matrix).linalg.eigh(matrix)
    differences = power_divided_differences(positive_or_nan(values), exponent)
    return spectral_differential(vector, differences, vectors)


def exp_divided_differences(values):
    r"""Return the divided differences of the exponential.

    .. math:: \frac{e^a - e^b}{a - b} = e^{\max(a, b)} \frac{1 - e^{-d}}{d}, \qquad
              d = |a - b|.

    Parameters
    ----------
    values : array, shape=[..., n]
        Eigenvalues.

    Returns
    -------
    differences : array, shape=[..., n, n]
        Divided differences.
    """
    xp = namespace(values)
    smaller, larger = _sorted_pairs(values)
    gap = larger - smaller
    return xp.exp(larger) * _where_zero(gap, 1.0, lambda d: -xp.expm1(-d) / d)


def log_divided_differences(values):
    r"""Return the divided differences of the logarithm.

    .. math:: \frac{\log a - \log b}{a - b} = \frac{\log(1 + s)}{s b}, \qquad
              s = \frac{a - b}{b}, \quad a \ge b > 0.

    Parameters
    ----------
    values : array, shape=[..., n]
        Positive eigenvalues.

    Returns
    -------
    differences : array, shape=[..., n, n]
        Divided differences.
    """
    xp = namespace(values)
    smaller, larger = _sorted_pairs(values)
    excess = (larger - smaller) / smaller
    return _where_zero(excess, 1.0, lambda s: xp.log1p(s) / s) / smaller


def power_divided_differences(values, exponent):
    r"""Return the divided differences of a real power.

    .. math:: \frac{a^p - b^p}{a - b}
              = b^{p - 1} \frac{(1 + s)^p - 1}{s}, \qquad
              s = \frac{a - b}{b}, \quad a \ge b > 0.

    Parameters
    ----------
    values : array, shape=[..., n]
        Positive eigenvalues.
    exponent : float
        Any real number.

    Returns
    -------
    differences : array, shape=[..., n, n]
        Divided differences.
    """
    xp = namespace(values)
    smaller, larger = _sorted_pairs(values)
    excess = (larger - smaller) / smaller
    relative = _where_zero(
        excess, exponent, lambda s: xp.expm1(exponent * xp.log1p(s)) / s
    )
    return xp.exp((exponent - 1.0) * xp.log(smaller)) * relative


def log_of_positive(values):
    """Return the logarithms of ascending eigenvalues, NaN where they do not exist."""
    return namespace(values).log(positive_or_nan(values))


def positive_or_nan(values):
    """Return ascending eigenvalues, NaN where they are not positive.

    An eigenvalue so small that rounding decides its sign counts as not positive.
    """
    positive = values > rank_tolerance(values) * values[..., -1:]
    return namespace(values).where(positive, values, float("nan"))


def _sorted_pairs(values):
    xp = namespace(values)
    rows, columns = values[..., :, None], values[..., None, :]
    return xp.minimum(rows, columns), xp.maximum(rows, columns)


def _where_zero(x, value_at_zero, function):
    xp = namespace(x)
    at_zero = x == 0.0
    return xp.where(at_zero, value_at_zero, function(xp.where(at_zero, 1.0, x)))
