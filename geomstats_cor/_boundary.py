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
from .conversion import as_arrays
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
    require_correlation,
    require_finite,
    require_finite_result,
    require_matrices,
    require_stack,
    require_tangent,
)


def operation(
    points: Iterable[str] = (),
    vectors: Iterable[str] = (),
    stacks: Iterable[str] = (),
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
    stacks : iterable of str
        Names of the arguments that are stacks [k, n, n] of correlation matrices; their
        batches need not broadcast against other arguments.
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
    kinds: dict[str, Callable] = {
        **dict.fromkeys(vectors, require_tangent),
        **dict.fromkeys(points, require_correlation),
        **dict.fromkeys(stacks, _require_stack),
        **dict.fromkeys(coords, _require_coords),
    }

    def decorate(method: Callable) -> Callable:
        parameters = list(inspect.signature(method).parameters.values())[1:]
        names = tuple(p.name for p in parameters if p.kind is not p.VAR_KEYWORD)
        takes_more = len(names) < len(parameters)
        defaults = {p.name: p.default for p in parameters if p.default is not p.empty}
        required = tuple(name for name in names if name not in defaults)
        optional = frozenset(name for name, value in defaults.items() if value is None)

        @functools.wraps(method)
        @in_own_precision
        def operate(self: Any, *arguments: Any, **keywords: Any) -> Any:
            given = dict(zip(names, arguments, strict=False))
            # Loops, as torch.compile does not know comparisons of keys.
            is_bound = len(arguments) <= len(names)
            for name in keywords:
                known = takes_more or name in names
                is_bound = is_bound and known and name not in given
            given.update(keywords)
            for name in required:
                is_bound = is_bound and name in given
            if not is_bound:
                return method(self, *arguments, **keywords)  # Python's own TypeError
            check = self.check
            if kinds:
                given = {**defaults, **given}
                _validate(self.n, check, kinds, optional, given)
            if check == "strict":
                result = call_strictly(method, self, **given)
            else:
                result = method(self, **given)
            if is_finite and check:
                require_finite_result(result)
            return result

        return operate

    return decorate


def _validate(
    n: int,
    check: bool | str,
    kinds: dict[str, Callable],
    optional: Iterable[str],
    given: dict[str, Any],
) -> None:
    """Replace the arguments by arrays, and raise for those that are not valid."""
    if given.get("base_point", given) is None:
        raise ShapeError(
            "base_point is missing: tangent vectors need the point they belong to."
        )
    names = [name for name in kinds if given[name] is not None or name not in optional]
    arrays = as_arrays(**{name: given[name] for name in names})
    matrices = {}
    for name, array in zip(names, arrays, strict=True):
        given[name] = array
        if kinds[name] is _require_coords:
            _require_dim(n, name, array)
        elif kinds[name] is _require_stack:
            require_stack(**{name: array})
            require_matrices(n, **{name: array})
        else:
            matrices[name] = array
    if check:
        require_matrices(n, **matrices)
        for name, array in zip(names, arrays, strict=True):
            kinds[name](name, array)


def _require_stack(name: str, points: Array) -> None:
    require_correlation(name, points)


def _require_coords(name: str, coords: Array) -> None:
    require_finite(name, coords[..., None])


def _require_dim(n: int, name: str, coords: Array) -> None:
    dim = n * (n - 1) // 2
    if coords.ndim < 1 or coords.shape[-1] != dim:
        raise ShapeError(
            f"{name}: expected shape [..., {dim}] for n = {n}, got "
            f"{tuple(coords.shape)}."
        )


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
    _validate(owner.n, owner.check, kinds, (), arguments)
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
