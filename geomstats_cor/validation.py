"""Input validation at the public boundary.

Kernels compute and validate nothing; the classes and functions of the library pass
their arguments through here first, once `conversion` has made arrays of them. Positive
definiteness is not tested in advance: the factorisation that a map needs anyway fails
on a bad matrix, and only then is the matrix searched for. While torch traces a program
or maps over a batch the entries cannot be read: shapes and types are validated then,
entries are not.
"""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from array_api_compat import array_namespace

from ._types import Array
from .conversion import as_arrays as as_arrays
from .conversion import is_plain_array as is_plain_array
from .conversion import plain as plain
from .exceptions import (
    NearBoundaryWarning,
    NotFiniteError,
    NotPositiveDefiniteError,
    NotSymmetricError,
    NotTangentError,
    NotUnitDiagonalError,
    ParameterError,
    ShapeError,
)
from .kernels._array import (
    cholesky,
    diagonal,
    extremes,
    flagged_cholesky,
    is_torch,
    largest_entry,
    namespace,
)
from .kernels._autodiff import detached, is_readable
from .kernels._batching import blocks_of
from .kernels._convergence import warn
from .kernels._tolerances import input_tolerance, rank_tolerance

_REMEDY = (
    "Treat all matrices of the sample alike: geomstats_cor.clean_points(points, "
    "on_bad='repair') shrinks them towards the identity, as "
    "FullRankCorrelationMatrices(n).nearest_safe_point does with single ones; a "
    "covariance of fewer samples than variables needs shrinkage before that."
)


def require_matrices(size: int, **arguments: Any) -> None:
    """Raise unless the arrays are [..., n, n] and their batches broadcast.

    Parameters
    ----------
    size : int
        Size n of the matrices.
    **arguments : array or None
        Arrays by name.
    """
    batches = {}
    for name, x in arguments.items():
        if x is None:
            continue
        shape = tuple(x.shape)
        if len(shape) < 2 or shape[-1] != shape[-2]:
            raise ShapeError(
                f"{name}: expected shape [..., {size}, {size}], square matrices, got "
                f"{shape}. A vector of coordinates becomes a matrix by "
                f"metric.from_coords."
            )
        if shape[-1] != size:
            raise ShapeError(
                f"{name}: expected shape [..., {size}, {size}], got {shape}. The space "
                f"has n = {size}; for matrices of size {shape[-1]} use "
                f"FullRankCorrelationMatrices({shape[-1]})."
            )
        batches[name] = shape[:-2]
    shapes = list(batches.values())
    if any(shape != shapes[0] for shape in shapes):
        _require_broadcast(batches)


def require_stack(**arguments: Any) -> None:
    """Raise unless the arrays are stacks of matrices [..., k, n, n].

    Parameters
    ----------
    **arguments : array
        Arrays by name.
    """
    for name, x in arguments.items():
        shape = tuple(x.shape)
        if len(shape) == 2 and shape[-1] == shape[-2]:
            raise ShapeError(
                f"{name}: expected a stack of matrices, shape [..., k, n, n], got the "
                f"single matrix {shape}. Pass {name}[None] for a stack of one."
            )
        if len(shape) < 3 or shape[-1] != shape[-2]:
            raise ShapeError(
                f"{name}: expected a stack of square matrices, shape [..., k, n, n], "
                f"got {shape}. A single matrix becomes a stack by {name}[None]; "
                f"condensed rows become one by geomstats_cor.as_stack."
            )


def require_broadcast(**arguments: Any) -> None:
    """Raise unless the batch shapes of matrices broadcast against each other.

    Parameters
    ----------
    **arguments : array
        Arrays [..., n, n] by name.
    """
    _require_broadcast({name: tuple(x.shape[:-2]) for name, x in arguments.items()})


def _require_broadcast(batches):
    most = max([0, *(len(batch) for batch in batches.values())])
    for axis in range(1, 1 + most):
        # The lengths are numbers, or torch's symbols.
        lengths = [batch[-axis] for batch in batches.values() if len(batch) >= axis]
        several = [length for length in lengths if length != 1]
        if any(length != several[0] for length in several):
            listed = ", ".join(f"{name} {b}" for name, b in batches.items())
            raise ShapeError(
                f"the batch shapes do not broadcast: {listed}. Insert axes of length "
                f"one where every matrix is to meet every other, as in x[:, None]."
            )


def require_finite(name: str, x: Array) -> None:
    """Raise if matrices have a NaN or an infinity.

    Parameters
    ----------
    name : str
        Name of the argument.
    x : array, shape=[..., n, n]
        Matrices.
    """
    if not is_readable(x):
        return
    if _is_finite(x):
        return
    xp = array_namespace(x)
    where = first_index(~xp.all(xp.isfinite(x), axis=(-2, -1)))
    raise NotFiniteError(
        f"{label_of(name, where)} has a NaN or an infinity: check the data that it was "
        f"computed from (a constant signal has no correlation), or leave it out."
    )


def require_correlation(name: str, x: Array) -> None:
    """Raise unless matrices are finite and symmetric with a unit diagonal.

    Parameters
    ----------
    name : str
        Name of the argument.
    x : array, shape=[..., n, n]
        Square matrices.
    """
    if not is_readable(x):
        return
    if _is_close(x, 1.0):
        return
    x = detached(x)
    require_finite(name, x)
    _require_symmetric(name, x, NotSymmetricError)
    xp = array_namespace(x)
    diag = diagonal(x)
    where = first_index(xp.any(xp.abs(diag - 1.0) > input_tolerance(x), axis=-1))
    if where is not None:
        entry = int(xp.argmax(xp.abs(diag[where] - 1.0)))
        raise NotUnitDiagonalError(
            f"{label_of(name, where)} has {_unlike_one(diag[where][entry])} at "
            f"diagonal entry {entry}, not 1. A covariance matrix becomes a correlation "
            f"matrix by FullRankCorrelationMatrices.from_covariance."
        )


def _unlike_one(number):
    """Return a number with as many digits as tell it from one, six at least."""
    texts = (f"{float(number):.{digits}g}" for digits in range(6, 18))
    return next((text for text in texts if text != "1"), "1")


def require_tangent(name: str, x: Array) -> None:
    """Raise unless matrices are finite and symmetric with a null diagonal.

    Parameters
    ----------
    name : str
        Name of the argument.
    x : array, shape=[..., n, n]
        Square matrices.
    """
    if not is_readable(x):
        return
    if _is_close(x, 0.0):
        return
    x = detached(x)
    require_finite(name, x)
    _require_symmetric(name, x, NotTangentError)
    xp = array_namespace(x)
    size = xp.max(xp.abs(diagonal(x)), axis=-1)
    where = first_index(size > input_tolerance(x) * _scale(x))
    if where is not None:
        raise NotTangentError(
            f"{label_of(name, where)} has a diagonal entry of size "
            f"{float(size[where]):.3g}: tangent vectors of correlation matrices are "
            f"symmetric with null diagonal. FullRankCorrelationMatrices.to_tangent "
            f"projects onto them."
        )


def _is_close(x, value):
    """Tell quickly that matrices are finite, symmetric, with a constant diagonal."""
    if 0 in x.shape:
        return True
    x, tolerance = detached(x), input_tolerance(x)
    low, high = extremes(diagonal(x))
    if not (low >= value - tolerance and high <= value + tolerance):
        return False
    # What is above the diagonal is below it with the other sign; NaN and infinity
    # differ from their mirror.
    with np.errstate(invalid="ignore"):
        for some in blocks_of(x, held=5):
            if not largest_entry(some - some.mT) <= tolerance:
                return False
    return True


def _is_finite(x):
    """Tell whether all numbers are finite."""
    if is_torch(x) and math.isfinite(float(detached(x).sum())):
        return True  # A finite sum proves it; others may have overflowed.
    return bool(namespace(x).isfinite(x).all())


def require_variances(name: str, x: Array) -> None:
    """Raise unless matrices have a positive diagonal.

    Parameters
    ----------
    name : str
        Name of the argument.
    x : array, shape=[..., n, n]
        Covariance matrices.
    """
    if not is_readable(x):
        return
    xp, diag = array_namespace(x), diagonal(detached(x))
    variances = xp.min(diag, axis=-1)
    where = first_index(variances <= 0.0)
    if where is not None:
        entry = int(xp.argmin(diag[where]))
        raise NotPositiveDefiniteError(
            f"{label_of(name, where)} has a variance of {float(variances[where]):.3g} "
            f"at diagonal entry {entry}: leave constant variables out, or add a "
            f"multiple of the identity."
        )


def require_covariance(name: str, x: Array) -> None:
    """Raise unless matrices are symmetric and positive semidefinite.

    Variances are positive, and no eigenvalue of the correlation matrix is negative by
    more than rounding.

    Parameters
    ----------
    name : str
        Name of the argument.
    x : array, shape=[..., n, n]
        Square matrices.
    """
    if not is_readable(x) or 0 in x.shape:
        return
    x = detached(x)
    require_finite(name, x)
    require_variances(name, x)
    xp, diag = array_namespace(x), diagonal(x)
    smallest = xp.min(diag, axis=-1)
    where = first_index(smallest < float(xp.finfo(x.dtype).smallest_normal))
    if where is not None:
        raise NotPositiveDefiniteError(
            f"{label_of(name, where)} has a variance of {float(smallest[where]):.3g} "
            f"at diagonal entry {int(xp.argmin(diag[where]))}, too small for "
            f"{str(x.dtype).removeprefix('torch.')}: scale the data up."
        )
    # Each variable has its own unit, so that asymmetry and eigenvalues are measured in
    # units of the deviations.
    deviations = xp.sqrt(diag)
    scaled = x / deviations[..., :, None] / deviations[..., None, :]
    _require_symmetric(name, scaled, NotSymmetricError)
    scaled = 0.5 * scaled + 0.5 * scaled.mT
    tolerance = input_tolerance(x)
    size = x.shape[-1]
    margin = tolerance * size * xp.eye(size, dtype=x.dtype, device=x.device)
    _, definite = flagged_cholesky(scaled + margin)
    where = first_index(~definite)
    if where is not None:
        eigenvalue = float(xp.linalg.eigvalsh(scaled[where])[0])
        raise NotPositiveDefiniteError(
            f"{label_of(name, where)} is no covariance matrix: its correlations, with "
            f"up to {float(xp.max(xp.abs(scaled[where]))):.6g} in absolute value, have "
            f"the eigenvalue {eigenvalue:.3g}. Estimate all its entries from the same "
            f"samples, or shrink it: add a multiple of its diagonal."
        )


def require_positive_definite(
    name: str, point: Array, image: Array, remedy: str = _REMEDY
) -> None:
    """Raise if a map failed on a matrix, which shows as NaN in its image.

    Parameters
    ----------
    name : str
        Name of the argument.
    point : array, shape=[..., n, n]
        Symmetric matrices with unit diagonal.
    image : array, shape=[..., n, n] or [..., n]
        What a map made of them, or a row of it.
    remedy : str
        What to do about it.
    """
    if not is_readable(image):
        return
    if _is_finite(image):
        return
    xp = array_namespace(image)
    point = detached(point)
    smallest = xp.linalg.eigvalsh(point)[..., 0]
    where = first_index(smallest <= rank_tolerance(point) * point.shape[-1])
    if where is None:  # a borderline matrix: name the worst
        worst = int(xp.argmin(xp.reshape(smallest, (-1,))))
        where = tuple(int(i) for i in np.unravel_index(worst, tuple(smallest.shape)))
    value = float(smallest[where])
    raise NotPositiveDefiniteError(
        f"{label_of(name, where)} is not positive definite to the precision of "
        f"{str(point.dtype).removeprefix('torch.')}: its smallest eigenvalue is "
        f"{value:.3g}. {remedy}"
    )


def require_finite_result(point: Array) -> None:
    """Raise if a computed matrix overflowed.

    Parameters
    ----------
    point : array, shape=[..., n, n]
        Result of a map, or what a map is to be applied to.
    """
    if not is_readable(point):
        return
    if _is_finite(point):
        return
    point = detached(point)
    xp = array_namespace(point)
    where = first_index(~xp.all(xp.isfinite(point), axis=(-2, -1)))
    raise NotFiniteError(
        f"{label_of('the result', where)} overflows: the step or the coordinates are "
        f"too large by far for {str(point.dtype).removeprefix('torch.')}. Use smaller "
        f"ones."
    )


def require_choice(name: str, value: Any, choices: Iterable[str]) -> None:
    """Raise unless an option is one of those on offer.

    Parameters
    ----------
    name : str
        Name of the option.
    value : str
        Its value.
    choices : iterable of str
        What is on offer.
    """
    if not isinstance(value, str) or value not in choices:
        raise ParameterError(
            f"{name}: expected one of {', '.join(map(repr, choices))}, got {value!r}."
        )


def require_number(
    name: str,
    value: Any,
    low: float = 0.0,
    high: float = math.inf,
    includes_low: bool = False,
) -> None:
    """Raise unless an option is a number in an interval.

    Parameters
    ----------
    name : str
        Name of the option.
    value : float
        Its value.
    low, high : float
        Ends of the interval; the high one is not in it.
    includes_low : bool
        Whether the low end is in it.
    """
    try:
        number = float(value)
        inside = low < number < high or (includes_low and number == low)
    except (TypeError, ValueError):
        inside = False
    if not inside or isinstance(value, str | np.ma.MaskedArray):
        interval = f"{'[' if includes_low else '('}{low:g}, {high:g})"
        raise ParameterError(f"{name}: expected a number in {interval}, got {value!r}.")


def require_integer(name: str, value: Any, least: int = 0) -> None:
    """Raise unless an option is an integer that is large enough.

    Parameters
    ----------
    name : str
        Name of the option.
    value : int
        Its value.
    least : int
        Smallest value.
    """
    is_integer = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not is_integer or value < least:
        raise ParameterError(
            f"{name}: expected an integer of at least {least}, got {value!r}."
        )


def warn_if_singular(point: Array) -> None:
    """Warn if a computed point cannot be told from the boundary of the manifold.

    Parameters
    ----------
    point : array, shape=[..., n, n]
        Symmetric matrices with unit diagonal.
    """
    if not is_readable(point):
        return
    xp = array_namespace(point)
    pivots = xp.min(diagonal(cholesky(detached(point))), axis=-1) ** 2
    where = first_index(~(pivots > rank_tolerance(point)))
    if where is not None:
        warn_near_boundary(where)


def warn_near_boundary(where: Any) -> None:
    """Warn that the computed matrix at an index of the batch is numerically singular.

    Parameters
    ----------
    where : tuple of int
        Index in the batch.
    """
    message = (
        f"{label_of('the result', where)} is singular to working precision: it lies "
        f"too close to the boundary of the manifold for any map to be undone there. "
        f"Use a shorter step, or float64."
    )
    warn(NearBoundaryWarning(message))


def _require_symmetric(name, x, error):
    xp = array_namespace(x)
    deviation = xp.max(xp.abs(x - x.mT), axis=(-2, -1))
    where = first_index(deviation > input_tolerance(x) * _scale(x))
    if where is not None:
        raise error(
            f"{label_of(name, where)} is not symmetric: entries differ from their "
            f"mirror by up to {float(deviation[where]):.3g}. Average it with its "
            f"transpose, (x + x.mT) / 2, if that is rounding."
        )


def _scale(x):
    xp = array_namespace(x)
    return 1.0 + xp.max(xp.abs(x), axis=(-2, -1))


def first_index(bad: Array) -> Any:
    """Return the index of the first true entry of a batch, or None.

    Parameters
    ----------
    bad : array of bool, shape=[...]
        Marks.

    Returns
    -------
    where : tuple of int or None
        Index in the batch.
    """
    xp = array_namespace(bad)
    if not bool(xp.any(bad)):
        return None
    flat = int(xp.argmax(xp.astype(xp.reshape(bad, (-1,)), xp.int8)))
    return tuple(int(i) for i in np.unravel_index(flat, tuple(bad.shape)))


def label_of(name: str, where: Any) -> str:
    """Return what an error message calls a member of a batch.

    Parameters
    ----------
    name : str
        Name of the argument.
    where : tuple of int
        Index in the batch.

    Returns
    -------
    label : str
        The name with the index, if there is one.
    """
    return f"{name}[{', '.join(map(str, where))}]" if where else name
