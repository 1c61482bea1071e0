"""The public boundary: what every public operation does to its arguments, once.

`operation` turns arguments into arrays of one kind, widens half precision, validates
shapes and entries, and lets a strict object raise where it would warn. The body of the
method computes, and what it calls repeats none of this.
"""

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

from ._types import Array
from .exceptions import (
    ConvergenceError,
    ConvergenceWarning,
    NearBoundaryError,
    NearBoundaryWarning,
    ShapeError,
)
from .kernels._convergence import raising_warnings
from .kernels._precision import in_own_precision
from .validation import (
    as_arrays,
    require_correlation,
    require_finite,
    require_finite_result,
    require_matrices,
    require_tangent,
)


def operation(
    points: Iterable[str] = (),
    vectors: Iterable[str] = (),
    coords: Iterable[str] = (),
    is_finite: bool = False,
) -> Callable:
    """Make a method a public operation, which validates its arguments.

    The object has an attribute `check`: with False no entry is validated, with "strict"
    warnings of inaccurate or singular results become errors. If arguments are named
    here, it also has an attribute `n`, the size of the matrices.

    Parameters
    ----------
    points, vectors : iterable of str
        Names of the arguments that are correlation matrices, and tangent vectors.
    coords : iterable of str
        Names of the arguments that are vectors of coordinates.
    is_finite : bool
        Whether to raise if the result overflowed.

    Returns
    -------
    decorator : callable
        Decorator of methods. An argument whose default is None may be left out, except
        a base point.
    """
    kinds = {
        **dict.fromkeys(points, require_correlation),
        **dict.fromkeys(vectors, require_tangent),
        **dict.fromkeys(coords, None),
    }

    def decorate(method: Callable) -> Callable:
        parameters = list(inspect.signature(method).parameters.values())[1:]
        names = tuple(p.name for p in parameters)
        defaults = {p.name: p.default for p in parameters if p.default is not p.empty}
        optional = tuple(name for name, value in defaults.items() if value is None)

        @functools.wraps(method)
        @in_own_precision
        def operate(self: Any, *arguments: Any, **keywords: Any) -> Any:
            given = defaults | dict(zip(names, arguments, strict=False)) | keywords
            is_twice = any(name in keywords for name in names[: len(arguments)])
            if len(given) != len(names) or len(arguments) > len(names) or is_twice:
                return method(self, *arguments, **keywords)  # Python's own TypeError
            if kinds:
                _validate(self, kinds, optional, given)
            if self.check == "strict":
                result = call_strictly(method, self, **given)
            else:
                result = method(self, **given)
            if is_finite and self.check:
                require_finite_result(result)
            return result

        return operate

    return decorate


def _validate(
    owner: Any, kinds: dict[str, Any], optional: tuple[str, ...], given: dict[str, Any]
) -> None:
    """Replace the arguments by arrays, and raise for those that are not valid."""
    if given.get("base_point", True) is None:
        raise ShapeError(
            "base_point is missing: tangent vectors need the point they belong to."
        )
    arrays = as_arrays(optional, **{name: given[name] for name in kinds})
    present = {k: v for k, v in zip(kinds, arrays, strict=True) if v is not None}
    given.update(present)
    matrices = {k: v for k, v in present.items() if kinds[k] is not None}
    for name in present.keys() - matrices.keys():
        _require_coords(owner, name, present[name])
    if owner.check:
        require_matrices(owner.n, **matrices)
        for name, x in matrices.items():
            kinds[name](name, x)


def _require_coords(owner: Any, name: str, coords: Array) -> None:
    dim = owner.n * (owner.n - 1) // 2
    if coords.ndim < 1 or coords.shape[-1] != dim:
        raise ShapeError(
            f"{name}: expected shape [..., {dim}] for n = {owner.n}, got "
            f"{tuple(coords.shape)}."
        )
    if owner.check:
        require_finite(name, coords[..., None])


def validated(owner: Any, vectors: Iterable[str] = (), **arguments: Any) -> list[Array]:
    """Return matrices as valid arrays, in the order of the arguments.

    Parameters
    ----------
    owner : object
        Object with the attributes `check` and `n`.
    vectors : iterable of str
        Names of the arguments that are tangent vectors.
    **arguments : array-like, shape=[..., n, n]
        Correlation matrices, or tangent vectors, by name.

    Returns
    -------
    matrices : list of array
        Arrays of one library, dtype and device.
    """
    kinds = {
        name: require_tangent if name in vectors else require_correlation
        for name in arguments
    }
    _validate(owner, kinds, (), arguments)
    return list(arguments.values())


def call_strictly(function: Callable, *arguments: Any, **keywords: Any) -> Any:
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
