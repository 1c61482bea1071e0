"""The public door: what comes in is an array of the right kind, or a clear error.

Kernels compute and do not look; the classes of the library pass their arguments through
here first. Positive definiteness is not tested in advance: the factorisation that a map
needs anyway fails on a bad matrix, and only then is the culprit looked for. While torch
traces a program or maps over a batch there are no numbers to look at: shapes and types
are checked then, entries are not.
"""

import math

import array_api_compat
import numpy as np
from array_api_compat import array_namespace

from .exceptions import (
    ArrayTypeError,
    ConvergenceError,
    ConvergenceWarning,
    NearBoundaryError,
    NearBoundaryWarning,
    NotFiniteError,
    NotPositiveDefiniteError,
    NotSymmetricError,
    NotTangentError,
    NotUnitDiagonalError,
    ShapeError,
)
from .kernels._arrays import (
    cholesky,
    diagonal,
    extremes,
    is_torch,
    largest_entry,
    namespace,
)
from .kernels._gradients import detached, is_readable
from .kernels._iteration import raising_warnings, warn
from .kernels._tolerances import input_tolerance, rank_tolerance

_REMEDY = (
    "FullRankCorrelationMatrices(n).nearest_safe_point(point) shrinks such matrices "
    "towards the identity; a covariance of fewer samples than variables needs "
    "shrinkage before that."
)


def as_arrays(**arguments):
    """Return the arguments as arrays of one library, device and floating dtype.

    Nested sequences become arrays, of the library of the other arguments if there is
    one, else of the library that geomstats uses. None passes through.

    Parameters
    ----------
    **arguments : array-like or None
        Arguments by name; the names appear in error messages.

    Returns
    -------
    arrays : list of array or None
        Arrays, in the order of the arguments.
    """
    given = [value for value in arguments.values() if value is not None]
    if given and _are_alike(given):
        return list(arguments.values())
    arrays = {
        name: value
        for name, value in arguments.items()
        if array_api_compat.is_array_api_obj(value)
    }
    xp = _common_namespace(arrays)
    like = next(iter(arrays.values()), None)
    for name, value in arguments.items():
        if value is not None and name not in arrays:
            arrays[name] = _from_sequence(name, value, xp, like)
    for name, value in arrays.items():
        _require_real_floating(name, value)
    if arrays:
        arrays = _with_common_dtype(arrays)
    return [arrays.get(name) for name in arguments]


def require_matrices(size, **arguments):
    """Raise unless the arrays are [..., n, n] and their batches broadcast.

    Parameters
    ----------
    size : int
        Size n of the matrices.
    **arguments : array or None
        Arrays by name.
    """
    arguments = {k: v for k, v in arguments.items() if v is not None}
    for name, x in arguments.items():
        shape = tuple(x.shape)
        if len(shape) < 2 or shape[-1] != shape[-2]:
            raise ShapeError(
                f"{name} has shape {shape}: square matrices [..., {size}, {size}] are "
                f"wanted. A vector of coordinates becomes a matrix by "
                f"metric.from_coords."
            )
        if shape[-1] != size:
            raise ShapeError(
                f"{name} has matrices of size {shape[-1]}, but the space has n = "
                f"{size}: use FullRankCorrelationMatrices({shape[-1]})."
            )
    if len(arguments) > 1:
        require_broadcast(**arguments)


def require_stack(**arguments):
    """Raise unless the arrays are stacks of matrices [..., k, n, n].

    Parameters
    ----------
    **arguments : array
        Arrays by name.
    """
    for name, x in arguments.items():
        if x.ndim < 3:
            raise ShapeError(
                f"{name} has shape {tuple(x.shape)}: a stack of square matrices "
                f"[k, n, n] is wanted, {name}[None] for a single one."
            )


def require_broadcast(**arguments):
    """Raise unless the batch shapes of matrices broadcast against each other.

    Parameters
    ----------
    **arguments : array
        Arrays [..., n, n] by name.
    """
    batches = {name: tuple(x.shape[:-2]) for name, x in arguments.items()}
    if not _do_broadcast(list(batches.values())):
        listed = ", ".join(f"{name} {batch}" for name, batch in batches.items())
        raise ShapeError(
            f"the batch shapes do not broadcast: {listed}. Insert axes of length one "
            f"where every matrix is to meet every other, as in x[:, None]."
        )


def _do_broadcast(shapes):
    """Tell whether shapes broadcast, their lengths being numbers or torch's symbols."""
    for axis in range(1, 1 + max([0, *(len(shape) for shape in shapes)])):
        lengths = [shape[-axis] for shape in shapes if len(shape) >= axis]
        several = [length for length in lengths if length != 1]
        if any(length != several[0] for length in several):
            return False
    return True


def require_finite(name, x):
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
        f"{label_of(name, where)} has a NaN or an infinity: look at the data it was "
        f"computed from (a constant signal has no correlation)."
    )


def require_correlation(name, x):
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
    require_finite(name, x)
    _require_symmetric(name, x, NotSymmetricError)
    xp = array_namespace(x)
    diag = diagonal(x)
    where = first_index(xp.any(xp.abs(diag - 1.0) > input_tolerance(x), axis=-1))
    if where is not None:
        entry = int(xp.argmax(xp.abs(diag[where] - 1.0)))
        raise NotUnitDiagonalError(
            f"{label_of(name, where)} has {float(diag[where][entry]):.6g} at diagonal "
            f"entry {entry}, not 1. A covariance matrix becomes a correlation matrix "
            f"by FullRankCorrelationMatrices.from_covariance."
        )


def require_tangent(name, x):
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
    """Tell at a glance that matrices are finite, symmetric, and have a diagonal."""
    if 0 in x.shape:
        return True
    x, tolerance = detached(x), input_tolerance(x)
    # What is above the diagonal is below it with the other sign; NaN and infinity
    # differ from their mirror.
    if not largest_entry(_asymmetry(x)) <= tolerance:
        return False
    low, high = extremes(diagonal(x))
    return low >= value - tolerance and high <= value + tolerance


def _asymmetry(x):
    if is_torch(x):
        return x - x.mT
    with np.errstate(invalid="ignore"):
        return x - x.mT


def _is_finite(x):
    """Tell whether all numbers are finite."""
    # A sum shows every NaN, in one pass; it may overflow, so it is no last word.
    return math.isfinite(_sum(detached(x))) or bool(namespace(x).isfinite(x).all())


def _sum(x):
    if is_torch(x):
        return float(x.sum())
    with np.errstate(over="ignore", invalid="ignore"):
        return float(x.sum())


def require_variances(name, x):
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
    variances = array_namespace(x).min(diagonal(detached(x)), axis=-1)
    where = first_index(variances <= 0.0)
    if where is not None:
        raise NotPositiveDefiniteError(
            f"{label_of(name, where)} has a variance of {float(variances[where]):.3g}: "
            f"leave constant variables out, or add a multiple of the identity."
        )


def require_positive_definite(name, point, image, remedy=_REMEDY):
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


def require_finite_result(point):
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
    xp = array_namespace(point)
    where = first_index(~xp.all(xp.isfinite(point), axis=(-2, -1)))
    raise NotFiniteError(
        f"{label_of('the result', where)} overflows: the step or the coordinates are "
        f"too large by far for {str(point.dtype).removeprefix('torch.')}. Use smaller "
        f"ones."
    )


def call_strictly(function, *arguments, **keywords):
    """Call a function, and raise where it warns of an inaccurate or singular result.

    Parameters
    ----------
    function : callable
        Function.
    *arguments, **keywords
        Its arguments.

    Returns
    -------
    result : object
        What the function returns.
    """
    with raising_warnings():
        try:
            return function(*arguments, **keywords)
        except ConvergenceWarning as warning:
            raise ConvergenceError(
                str(warning), warning.residual, warning.index, warning.condition_number
            ) from None
        except NearBoundaryWarning as warning:
            raise NearBoundaryError(str(warning)) from None


def warn_if_singular(point):
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


def warn_near_boundary(where):
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
    warn(NearBoundaryWarning(message), stacklevel=2)


def _are_alike(values):
    """Tell at a glance that values are arrays of one library, dtype and device."""
    first, *others = values
    if not array_api_compat.is_array_api_obj(first):
        return False
    xp = namespace(first)
    if first.dtype != xp.float64 and first.dtype != xp.float32:
        return False
    return all(
        type(x) is type(first) and x.dtype == first.dtype and x.device == first.device
        for x in others
    )


def _common_namespace(arrays):
    if not arrays:
        return None
    try:
        return array_namespace(*arrays.values())
    except TypeError:
        listed = ", ".join(
            f"{name} ({type(x).__module__.split('.')[0]})" for name, x in arrays.items()
        )
        raise ArrayTypeError(
            f"the arguments mix array libraries: {listed}. Convert them to one, by "
            f"torch.as_tensor(x) or x.numpy()."
        ) from None


def _from_sequence(name, value, xp, like):
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise ArrayTypeError(
            f"{name} is a {type(value).__name__} that does not convert to an array of "
            f"numbers: pass an array or nested lists of floats, all rows of one length."
        ) from None
    if xp is not None:
        return xp.asarray(array, dtype=like.dtype, device=like.device)
    import geomstats.backend as gs

    return gs.array(array)


def _require_real_floating(name, x):
    xp = array_namespace(x)
    dtype = str(x.dtype).removeprefix("torch.")
    if dtype in ("float32", "float64"):
        return
    if dtype == "object":
        remedy = "build it with np.asarray(x, dtype=float)"
    elif xp.isdtype(x.dtype, "complex floating"):
        remedy = "take its real part, or treat real and imaginary parts as variables"
    else:
        remedy = "convert it to float64 or float32"
    raise ArrayTypeError(
        f"{name} has dtype {dtype}; float64 or float32 is wanted: {remedy}."
    )


def _with_common_dtype(arrays):
    xp = array_namespace(*arrays.values())
    devices = {str(x.device) for x in arrays.values()}
    if len(devices) > 1:
        listed = ", ".join(f"{name} ({x.device})" for name, x in arrays.items())
        raise ArrayTypeError(f"the arguments lie on different devices: {listed}.")
    dtypes = {x.dtype for x in arrays.values()}
    if len(dtypes) == 1:
        return arrays
    dtype = xp.result_type(*dtypes)
    return {name: xp.astype(x, dtype) for name, x in arrays.items()}


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


def first_index(bad):
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


def label_of(name, where):
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
