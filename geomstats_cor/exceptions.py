"""Errors and warnings of the library.

Every error derives from `GeomstatsCorError` and from the built-in exception that a
caller would expect, such as `ValueError` or `TypeError`.
"""


class GeomstatsCorError(Exception):
    """Base class of the errors of this library.

    Examples
    --------
    One clause catches whatever the library raises:

    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> from geomstats_cor.exceptions import GeomstatsCorError
    >>> try:
    ...     FullRankCorrelationMatrices(1)
    ... except GeomstatsCorError as error:
    ...     print(error)
    n is 1: a correlation matrix relates at least 2 variables.
    """


class ArrayTypeError(GeomstatsCorError, TypeError):
    """The input is not a real floating-point array, or mixes array libraries.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> metric = FullRankCorrelationMatrices(2, equip="olm").metric
    >>> metric.dist(np.eye(2, dtype=complex), np.eye(2))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    geomstats_cor.exceptions.ArrayTypeError: point_a has dtype complex128: ...
    """


class ShapeError(GeomstatsCorError, ValueError):
    """The input is not square, has the wrong size, or batches do not broadcast.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> metric = FullRankCorrelationMatrices(2, equip="olm").metric
    >>> metric.dist(np.eye(3), np.eye(2))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    geomstats_cor.exceptions.ShapeError: point_a: expected shape [..., 2, 2], ...
    """


class NotFiniteError(GeomstatsCorError, ValueError):
    """The input has a NaN or an infinity.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> metric = FullRankCorrelationMatrices(2, equip="olm").metric
    >>> metric.dist(np.full((2, 2), np.nan), np.eye(2))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    geomstats_cor.exceptions.NotFiniteError: point_a has a NaN or an infinity: ...
    """


class NotSymmetricError(GeomstatsCorError, ValueError):
    r"""The input is not symmetric, :math:`C_{ij} \ne C_{ji}`.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> metric = FullRankCorrelationMatrices(2, equip="olm").metric
    >>> metric.dist([[1, 0.5], [0.4, 1]], np.eye(2))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    geomstats_cor.exceptions.NotSymmetricError: point_a is not symmetric: ...
    """


class NotUnitDiagonalError(GeomstatsCorError, ValueError):
    r"""The diagonal of a correlation matrix is not one, :math:`C_{ii} \ne 1`.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> metric = FullRankCorrelationMatrices(2, equip="olm").metric
    >>> metric.dist([[2, 0.5], [0.5, 1]], np.eye(2))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    geomstats_cor.exceptions.NotUnitDiagonalError: point_a has 2 at diagonal entry 0...
    """


class NotPositiveDefiniteError(GeomstatsCorError, ValueError):
    """A correlation matrix is not (numerically) positive definite.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> metric = FullRankCorrelationMatrices(2, equip="olm").metric
    >>> metric.dist([np.eye(2), [[1, 2], [2, 1]]], np.eye(2))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    geomstats_cor.exceptions.NotPositiveDefiniteError: point[1] is not positive ...
    """


class HiddenMatrixError(GeomstatsCorError, ValueError):
    """A matrix between two layers of a network cannot be computed; the input can.

    Examples
    --------
    >>> import torch
    >>> from cornet_nn import CorNet
    >>> from geomstats_cor.exceptions import HiddenMatrixError
    >>> model = CorNet(4, 3, num_classes=2, metric="ecm", mlr="olm")
    >>> _ = torch.nn.init.constant_(model.conv.weight, float("nan"))
    >>> try:
    ...     model(torch.eye(4).expand(5, 4, 4))
    ... except HiddenMatrixError as error:
    ...     print(str(error).partition(":")[0])
    a hidden matrix of the network, between CorChannelConv and CorMLR, failed in float32
    """


class NotTangentError(GeomstatsCorError, ValueError):
    """A tangent vector has a diagonal, or is not symmetric.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> metric = FullRankCorrelationMatrices(2, equip="olm").metric
    >>> metric.exp(np.eye(2), np.eye(2))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    geomstats_cor.exceptions.NotTangentError: tangent_vec has a diagonal entry ...
    """


class SubspaceError(GeomstatsCorError, ValueError):
    """Columns do not span a subspace of the expected dimension, or not orthonormally.

    Examples
    --------
    >>> import torch
    >>> from cornet_nn.spaces import orthonormal_basis
    >>> from geomstats_cor.exceptions import SubspaceError
    >>> try:
    ...     orthonormal_basis(torch.ones(5, 4, 2))
    ... except SubspaceError as error:
    ...     print(str(error).partition(":")[0])
    columns[0] have rank below 2
    """


class BadMatricesError(GeomstatsCorError, ValueError):
    """Some matrices of a stack are not full-rank correlation matrices.

    Parameters
    ----------
    message : str
        Message, which names the first ten.
    bad : tuple of geomstats_cor.data.cleaning.BadMatrix
        All of them, by index, with the reason of each.

    Examples
    --------
    >>> from geomstats_cor import clean_points
    >>> from geomstats_cor.exceptions import BadMatricesError
    >>> try:
    ...     clean_points([[[1, 0.5], [0.5, 1]], [[1, 2], [2, 1]]])
    ... except BadMatricesError as error:
    ...     print([matrix.index for matrix in error.bad])
    [1]
    """

    def __init__(self, message: str, bad: tuple = ()) -> None:
        super().__init__(message)
        self.bad = bad


class _Unconverged(Exception):
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

    def __init__(
        self,
        message: str,
        residual: float | None = None,
        index: tuple[int, ...] | None = None,
        condition_number: float | None = None,
    ) -> None:
        super().__init__(message)
        self.residual, self.index = residual, index
        self.condition_number = condition_number


class ConvergenceError(_Unconverged, GeomstatsCorError, ArithmeticError):
    """A `ConvergenceWarning`, raised in strict mode.

    A space with ``check="strict"`` raises it.

    Parameters
    ----------
    message : str
        Message.
    residual : float
        Residual of the worst matrix.
    index : tuple of int
        Its index in the batch.
    condition_number : float
        Its condition number.

    Examples
    --------
    >>> from geomstats_cor.exceptions import ConvergenceError
    >>> try:
    ...     raise ConvergenceError("1 of 8 matrices stopped short", 1e-6, (3,), 1e15)
    ... except ConvergenceError as error:
    ...     print(f"matrix {error.index}: residual {error.residual}")
    matrix (3,): residual 1e-06
    """


class NearBoundaryError(GeomstatsCorError, ArithmeticError):
    """A `NearBoundaryWarning`, raised in strict mode.

    A space with ``check="strict"`` raises it.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> metric = FullRankCorrelationMatrices(2, equip="olm", check="strict").metric
    >>> metric.exp([[0.0, 30.0], [30.0, 0.0]], np.eye(2))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    geomstats_cor.exceptions.NearBoundaryError: the result is singular to working ...
    """


class ParameterError(GeomstatsCorError, ValueError):
    """A parameter is outside its range, such as one that makes a product indefinite.

    Examples
    --------
    >>> from geomstats_cor import get_metric
    >>> get_metric("affine")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    geomstats_cor.exceptions.ParameterError: there is no metric 'affine': choose ...
    """


class DataError(GeomstatsCorError, ValueError):
    """A file or an item of a data set is damaged, or cannot be used as it is.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from cornet_nn.datasets import load
    >>> from geomstats_cor.exceptions import DataError
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     broken = [np.eye(3), np.full((3, 3), np.nan)]
    ...     np.savez(f"{folder}/stack.npz", C=broken, y=[0, 1])
    ...     try:
    ...         load(f"{folder}/stack.npz", errors="raise")
    ...     except DataError as error:
    ...         print(str(error).rpartition("/")[2])
    stack.npz: 1 of 2 items cannot be used. stack.npz[1] has a NaN or an infinity.
    """


class DataWarning(UserWarning):
    """Items of a data set were left out or changed; the message names them.

    Examples
    --------
    >>> import tempfile
    >>> import warnings
    >>> import numpy as np
    >>> from cornet_nn.datasets import load
    >>> from geomstats_cor.exceptions import DataWarning
    >>> with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", DataWarning)
    ...     broken = [np.eye(3), np.full((3, 3), np.nan)]
    ...     np.savez(f"{folder}/stack.npz", C=broken, y=[0, 1])
    ...     load(f"{folder}/stack.npz").problems
    ('stack.npz[1] has a NaN or an infinity',)
    """


class ConvergenceWarning(_Unconverged, UserWarning):
    """An iteration stopped short of rounding accuracy.

    The message and the attributes describe the worst matrix.

    Parameters
    ----------
    message : str
        Message.
    residual : float
        Residual of the worst matrix.
    index : tuple of int
        Its index in the batch.
    condition_number : float
        Its condition number.

    Examples
    --------
    >>> import warnings
    >>> from geomstats_cor.exceptions import ConvergenceWarning
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always", ConvergenceWarning)
    ...     warnings.warn(ConvergenceWarning("stopped short", 1e-6, (3,), 1e15))
    >>> [(warning.message.index, warning.message.residual) for warning in caught]
    [((3,), 1e-06)]
    """


class NearBoundaryWarning(UserWarning):
    """A result is so close to the boundary of the manifold that it is singular.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> metric = FullRankCorrelationMatrices(2, equip="olm").metric
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     end_point = metric.exp([[0.0, 30.0], [30.0, 0.0]], np.eye(2))
    >>> caught[0].category.__name__
    'NearBoundaryWarning'
    """


class CoarseTestWarning(UserWarning):
    """A permutation test has too few permutations to reject at its level.

    Examples
    --------
    Six matrices have 20 arrangements in two groups: no p-value is below 0.1.

    >>> import warnings
    >>> from geomstats_cor import FullRankCorrelationMatrices, equal_means_test
    >>> space = FullRankCorrelationMatrices(3, equip="olm")
    >>> points, labels = space.random_point(6, rng=0), [0, 0, 0, 1, 1, 1]
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     result = equal_means_test(points, labels, space, alpha=0.05)
    >>> caught[0].category.__name__, result.n_permutations
    ('CoarseTestWarning', 20)
    """


class CleaningWarning(UserWarning):
    """Matrices of a stack were dropped or repaired; the message says how.

    Examples
    --------
    >>> import warnings
    >>> from geomstats_cor import clean_points
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     kept, _ = clean_points([[[1, 0.5], [0.5, 1]], [[1, 2], [2, 1]]], "drop")
    >>> print(caught[0].message)
    points: 1 dropped: [1] is not positive definite: its smallest eigenvalue is -1.
    """


class UnequalFramesWarning(UserWarning):
    """Groups were recorded with different numbers of frames.

    Matrices estimated from fewer frames are more dispersed, and biased in their
    logarithms, whatever the population.

    Examples
    --------
    >>> import warnings
    >>> from geomstats_cor import FullRankCorrelationMatrices, equal_means_test
    >>> space = FullRankCorrelationMatrices(3, equip="olm")
    >>> points, labels = space.random_point(10, rng=0), [0] * 5 + [1] * 5
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     frames = [20] * 5 + [24] * 5
    ...     result = equal_means_test(points, labels, space, frames=frames)
    >>> caught[0].category.__name__
    'UnequalFramesWarning'
    """


#: Former name of `CleaningWarning`.
MendedWarning = CleaningWarning
