"""Half precision in, half precision out, single precision in between."""

import functools

from ._arrays import is_torch, namespace


def in_own_precision(function):
    """Let a function of arrays accept half precision, which torch cannot factorise.

    Half and bfloat16 tensors are computed with in float32, and the result is returned
    in their own type. Everything else passes untouched.

    Parameters
    ----------
    function : callable
        Function that takes arrays, and returns an array, a tuple of arrays, or a
        function of arrays.

    Returns
    -------
    function : callable
        The same function for more types.
    """

    @functools.wraps(function)
    def wrapped(*arguments, **keywords):
        half = None
        for x in (*arguments, *keywords.values()):
            if _is_half(x):
                half = x.dtype
                break
        if half is None:
            return function(*arguments, **keywords)
        result = function(
            *(_to_single(x) for x in arguments),
            **{name: _to_single(x) for name, x in keywords.items()},
        )
        return _to_type(result, half)

    return wrapped


def _is_half(x):
    dtype = getattr(x, "dtype", None)
    if getattr(dtype, "itemsize", None) != 2 or not hasattr(type(x), "mT"):
        return False
    return is_torch(x) and dtype.is_floating_point


def _to_single(x):
    return x.to(namespace(x).float32) if _is_half(x) else x


def _to_type(result, dtype):
    if isinstance(result, tuple):
        return tuple(_to_type(x, dtype) for x in result)
    if callable(result):
        return lambda *arguments: _to_type(result(*arguments), dtype)
    return result.to(dtype)
