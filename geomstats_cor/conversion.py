"""Arguments become arrays of one library, dtype and device.

Nested lists, tables with names, stacks of tensors and subclasses of numpy arrays are
converted; masked, sparse and complex ones raise, with the remedy.
"""

from typing import Any

import array_api_compat
import numpy as np
from array_api_compat import array_namespace

from ._types import Array
from .data.labels import are_tables, without_names
from .exceptions import ArrayTypeError, ShapeError
from .kernels._array import is_torch, namespace

_PLAIN = (np.ndarray, np.float64, np.float32)
_OF_NUMPY = (np.ndarray, np.generic)


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


def _are_alike(values):
    """Tell quickly that values are plain arrays of one library, dtype and device."""
    first: Any = values[0] if values else None
    kind = type(first)
    if kind is np.ndarray:
        dtype = first.dtype
        if dtype != np.float64 and dtype != np.float32:
            return False
        for x in values:
            if type(x) is not np.ndarray or x.dtype != dtype:
                return False
        return True
    if not array_api_compat.is_array_api_obj(first):
        return False
    xp = namespace(first)
    if first.dtype != xp.float64 and first.dtype != xp.float32:
        return False
    for x in values:
        if type(x) is not kind or not is_plain_array(x):
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
