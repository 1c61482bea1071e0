"""Input validation at the public boundary.

Kernels compute and validate nothing; the classes and functions of the library pass
their arguments through here first. Positive definiteness is not tested in advance: the
factorisation that a map needs anyway fails on a bad matrix, and only then is the matrix
searched for. While torch traces a program or maps over a batch the entries cannot be
read: shapes and types are validated then, entries are not.
"""

import math
from collections.abc import Iterable
from typing import Any

import array_api_compat
import numpy as np
from array_api_compat import array_namespace

from ._types import Array
from .data.labels import are_tables, without_names
from .exceptions import (
    ArrayTypeError,
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
from .kernels._convergence import warn
from .kernels._tolerances import input_tolerance, rank_tolerance

_BLOCK_ENTRIES = 2**16
_REMEDY = (
    "Treat all matrices of the sample alike: geomstats_cor.clean_points(points, "
    "on_bad='repair') shrinks them towards the identity, as "
    "FullRankCorrelationMatrices(n).nearest_safe_point does with single ones; a "
    "covariance of fewer samples than variables needs shrinkage before that."
)


def as_arrays(optional: tuple[str, ...] = (), **arguments: Any) -> Any:
    """Return the arguments as arrays of one library, device and floating dtype.

    Nested sequences become arrays, of the library of the other arguments if there is
    one, else of the library that geomstats uses. Tables with named columns become
    arrays whose variables are in one order. Masked and sparse arrays raise.

    Parameters
    ----------
    optional : tuple of str
        Names of the arguments that may be None, which passes through.
    **arguments : array-like or None
        Arguments by name; the names appear in error messages.

    Returns
    -------
    arrays : list of array or None
        Arrays, in the order of the arguments.
    """
    values = list(arguments.values())
    if _are_alike(values):
        return values
    given = {k: v for k, v in arguments.items() if v is not None}
    if len(given) < len(arguments):
        for name, value in arguments.items():
            if value is None and name not in optional:
                raise ArrayTypeError(
                    f"{name} is None: expected an array of shape [..., n, n], such as "
                    f"a numpy array, a torch tensor or nested lists."
                )
    if given and _are_alike(list(given.values())):
        return values
    arrays, order = {}, None
    for name, value in given.items():
        if are_tables(value):
            given[name], names = without_names(name, value, order)
            order = names if order is None else order
        else:
            given[name] = value = plain(name, value)
            if array_api_compat.is_array_api_obj(value):
                arrays[name] = value
    xp = _common_namespace(arrays)
    like = next(iter(arrays.values()), None)
    for name, value in given.items():
        if name not in arrays:
            arrays[name] = _from_sequence(name, value, xp, like)
    for name, value in arrays.items():
        arrays[name] = _real_floating(name, value)
    if arrays:
        arrays = _with_common_dtype(arrays)
    return [arrays.get(name) for name in arguments]


def require_matrices(size: int, **arguments: Any) -> None:
    """Raise unless the arrays are [..., n, n] and their batches broadcast.

    Parameters
    ----------
    size : int
        Size n of the matrices.
    **arguments : array or None
        Arrays by name.
    """
    arguments = {k: v for k, v in arguments.items() if v is not None}
    if _are_one_batch(size, list(arguments.values())):
        return
    for name, x in arguments.items():
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
    if len(arguments) > 1:
        require_broadcast(**arguments)


def _are_one_batch(size: int, arrays: list) -> bool:
    """Tell quickly that numpy arrays are matrices of a size, and of one shape.

    The shapes of tensors may be symbols, on which a comparison would be a guard.
    """
    for x in arrays:
        if type(x) is not np.ndarray or x.shape != arrays[0].shape:
            return False
    return bool(arrays) and arrays[0].shape[-2:] == (size, size)


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
    # What is above the diagonal is below it with the other sign; NaN and infinity
    # differ from their mirror.
    for some in _blocks(x):
        if not largest_entry(_asymmetry(some)) <= tolerance:
            return False
    low, high = extremes(diagonal(x))
    return low >= value - tolerance and high <= value + tolerance


def _blocks(x):
    """Return blocks of a batch, so that differences of their entries fit the cache."""
    size = x.shape[-1] * x.shape[-2]
    count = max(1, _BLOCK_ENTRIES // size)
    if x.ndim < 3 or math.prod(x.shape[:-2]) <= count:
        return (x,)
    flat = x.reshape((-1, *x.shape[-2:]))
    return [flat[start : start + count] for start in range(0, flat.shape[0], count)]


def _asymmetry(x):
    if is_torch(x):
        return x - x.mT
    with np.errstate(invalid="ignore"):
        return x - x.mT


def _is_finite(x):
    """Tell whether all numbers are finite."""
    # A finite sum proves that all entries are finite. If it is not finite, test entry
    # by entry: the sum may have overflowed.
    return math.isfinite(_sum(detached(x))) or bool(namespace(x).isfinite(x).all())


def _sum(x):
    if is_torch(x):
        return float(x.sum())
    with np.errstate(over="ignore", invalid="ignore"):
        return float(x.sum())


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


def _are_alike(values):
    """Tell quickly that values are plain arrays of one library, dtype and device."""
    if not values or not array_api_compat.is_array_api_obj(values[0]):
        return False
    first = values[0]
    xp = namespace(first)
    if first.dtype != xp.float64 and first.dtype != xp.float32:
        return False
    for x in values:
        if type(x) is not type(first) or not is_plain_array(x):
            return False
        if x.dtype != first.dtype or x.device != first.device:
            return False
    return True


def is_plain_array(array: Array) -> bool:
    """Tell whether an array is dense, without a mask, and no subclass of numpy's.

    Parameters
    ----------
    array : array
        Array.

    Returns
    -------
    is_plain : bool
        Whether it can be computed with as it is.
    """
    if is_torch(array):
        return array.layout == namespace(array).strided and not (
            array.is_nested or type(array).__name__ == "MaskedTensor"
        )
    if isinstance(array, _OF_NUMPY):
        return type(array) in _PLAIN and array.dtype.isnative
    return True


_PLAIN = (np.ndarray, np.float64, np.float32)
_OF_NUMPY = (np.ndarray, np.generic)


def plain(name: str, value: Any) -> Any:
    """Return an argument without its masks, sparsity or subclass, or raise.

    Parameters
    ----------
    name : str
        Name of the argument.
    value : object
        Argument.

    Returns
    -------
    value : object
        A plain array if it is an array, a stack if it is a sequence of tensors,
        otherwise the argument itself.
    """
    if isinstance(value, np.ma.MaskedArray):
        raise ArrayTypeError(_masked(name, value))
    if isinstance(value, np.ndarray):
        value = np.asarray(value)
        return (
            value
            if value.dtype.isnative
            else value.astype(value.dtype.newbyteorder("="))
        )
    if isinstance(value, list | tuple):
        return _plain_sequence(name, value)
    kind = _kind_of_sparse(value)
    if kind is not None:
        raise ArrayTypeError(
            f"{name} is {kind}: expected a dense array, as a correlation matrix is "
            f"dense. {_remedy_of_sparse(name, kind)}"
        )
    return value


def _plain_sequence(name, values):
    for i, value in enumerate(values):
        if type(value) not in (float, int):
            plain(f"{name}[{i}]", value)
    tensors = [array_api_compat.is_torch_array(x) for x in values]
    if not (tensors and all(tensors)):
        return values
    shapes = [tuple(x.shape) for x in values]
    other = next((i for i, s in enumerate(shapes) if s != shapes[0]), None)
    if other is not None:
        raise ShapeError(
            f"{name} mixes shapes: {name}[0] has shape {shapes[0]}, {name}[{other}] "
            f"has shape {shapes[other]}."
        )
    try:
        return namespace(values[0]).stack(list(values))
    except RuntimeError as error:
        raise ArrayTypeError(
            f"{name} is a list of tensors that do not stack: {error}."
        ) from None


def _masked(name, array):
    mask = np.ma.getmaskarray(array)
    if not mask.any():
        return (
            f"{name} is a masked array, although no entry is masked: expected a plain "
            f"array. Pass {name}.data."
        )
    entry = ", ".join(map(str, np.argwhere(mask)[0]))
    return (
        f"{name} is a masked array with {int(mask.sum())} of {mask.size} entries "
        f"masked, the first at [{entry}]: expected a plain array. Leave the matrices "
        f"with masked entries out, or estimate those entries and pass {name}.data."
    )


def _kind_of_sparse(value):
    """Return what a sparse, nested or masked object is called, or None."""
    if array_api_compat.is_torch_array(value):
        if type(value).__name__ == "MaskedTensor":
            return "a masked tensor"
        if value.is_nested:
            return "a nested tensor"
        if value.layout != namespace(value).strided:
            return f"a tensor of layout {str(value.layout).removeprefix('torch.')}"
        return None
    if type(value).__module__.startswith("scipy.sparse"):
        return "a sparse array"
    return None


def _remedy_of_sparse(name, kind):
    if kind == "a sparse array":
        return f"Use {name}.toarray()."
    if kind == "a masked tensor":
        return f"Leave masked matrices out, and pass {name}.get_data()."
    return f"Use {name}.to_dense(), or torch.stack of the matrices."


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
        array = np.asarray(value)
        if array.dtype.kind not in "biufO":
            raise TypeError
        array = array.astype(float)
    except (TypeError, ValueError, OverflowError, RuntimeError):
        raise ArrayTypeError(
            f"{name} is a {type(value).__name__} that does not convert to an array of "
            f"numbers: pass an array or nested lists of floats, all rows of one length."
        ) from None
    if xp is not None:
        return xp.asarray(array, dtype=like.dtype, device=like.device)
    import geomstats.backend as gs

    return gs.array(array)


def _real_floating(name, x):
    dtype = str(x.dtype).removeprefix("torch.")
    if dtype in ("float32", "float64"):
        return x
    if dtype == "object":
        remedy = "build it with np.asarray(x, dtype=float)"
    elif "complex" in dtype:
        remedy = "take its real part, or treat real and imaginary parts as variables"
    elif isinstance(x, np.ndarray) and x.dtype.kind not in "biuf":
        remedy = "select the numbers in it, and convert them to float64"
    else:
        remedy = "convert it to float64 or float32"
    raise ArrayTypeError(
        f"{name} has dtype {dtype}: expected float64 or float32, so {remedy}."
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
