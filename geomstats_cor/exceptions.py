"""Errors and warnings of the library.

Every error derives from `GeomstatsCorError` and from the built-in exception that a
caller would expect, such as `ValueError` or `TypeError`.
"""


class GeomstatsCorError(Exception):
    """Base class of the errors of this library."""


class ArrayTypeError(GeomstatsCorError, TypeError):
    """The input is not a real floating-point array, or mixes array libraries."""


class ShapeError(GeomstatsCorError, ValueError):
    """The input is not square, has the wrong size, or batches do not broadcast."""


class NotFiniteError(GeomstatsCorError, ValueError):
    """The input has a NaN or an infinity."""


class NotSymmetricError(GeomstatsCorError, ValueError):
    """The input is not symmetric."""


class NotUnitDiagonalError(GeomstatsCorError, ValueError):
    """The diagonal of a correlation matrix is not one."""


class NotPositiveDefiniteError(GeomstatsCorError, ValueError):
    """A correlation matrix is not (numerically) positive definite."""


class NotTangentError(GeomstatsCorError, ValueError):
    """A tangent vector has a diagonal, or is not symmetric."""


class BadMatricesError(GeomstatsCorError, ValueError):
    """Some matrices of a stack are not full-rank correlation matrices.

    Parameters
    ----------
    message : str
        Message, which names them all.
    bad : tuple of geomstats_cor.stacks.BadMatrix
        The matrices, by index, with the reason of each.
    """

    def __init__(self, message, bad=()):
        super().__init__(message)
        self.bad = bad


class _Unconverged:
    """What is known of an iteration that stopped short.

    Attributes
    ----------
    residual : float
        Residual of the worst matrix.
    index : tuple of int
        Its index in the batch.
    condition_number : float
        Its condition number.
    """

    def __init__(self, message, residual=None, index=None, condition_number=None):
        super().__init__(message)
        self.residual, self.index = residual, index
        self.condition_number = condition_number


class ConvergenceError(_Unconverged, GeomstatsCorError, ArithmeticError):
    """What a `ConvergenceWarning` says, where strictness was asked for."""


class NearBoundaryError(GeomstatsCorError, ArithmeticError):
    """What a `NearBoundaryWarning` says, where strictness was asked for."""


class ParameterError(GeomstatsCorError, ValueError):
    """A parameter is outside its range, such as one that makes a product indefinite."""


class DataError(GeomstatsCorError, ValueError):
    """A file or an item of a data set is damaged, or cannot be used as it is."""


class DataWarning(UserWarning):
    """Items of a data set were left out or changed; the message names them."""


class ConvergenceWarning(_Unconverged, UserWarning):
    """An iteration stopped short of rounding accuracy.

    The message and the attributes `residual`, `index` and `condition_number` describe
    the worst matrix.
    """


class NearBoundaryWarning(UserWarning):
    """A result is so close to the boundary of the manifold that it is singular."""


class CoarseTestWarning(UserWarning):
    """A permutation test has too few permutations to reject at its level."""


class MendedWarning(UserWarning):
    """Bad matrices of a stack were dropped or mended; the message names them."""
