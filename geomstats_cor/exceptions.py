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


class ConvergenceError(GeomstatsCorError, ArithmeticError):
    """What a `ConvergenceWarning` says, where strictness was asked for."""


class NearBoundaryError(GeomstatsCorError, ArithmeticError):
    """What a `NearBoundaryWarning` says, where strictness was asked for."""


class ParameterError(GeomstatsCorError, ValueError):
    """A parameter is outside its range, such as one that makes a product indefinite."""


class ConvergenceWarning(UserWarning):
    """An iteration stopped short of rounding accuracy; the message has the residual."""


class NearBoundaryWarning(UserWarning):
    """A result is so close to the boundary of the manifold that it is singular."""


class MendedWarning(UserWarning):
    """Bad matrices of a stack were dropped or mended; the message names them."""
