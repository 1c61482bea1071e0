"""How estimators read correlation matrices, and return them."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from .. import kernels
from .._types import Array, ArrayLike
from ..data.cleaning import (
    SAFE_EIGENVALUE,
    as_stack,
    clean_points,
    current_name,
    repair,
    require_one_size,
)
from ..data.culprits import naming_culprits
from ..data.labels import are_tables, few, without_names
from ..data.naming import index_of, with_names
from ..exceptions import ArrayTypeError, NotFiniteError, ParameterError
from ..space import equipped
from ..validation import plain

_FLOATS = (np.float64, np.float32)
_ACTIONS = ("raise", "repair", "repair_each")


class PointsEstimator(BaseEstimator):
    """An estimator with parameters `metric` and `on_bad`, and matrices for data."""

    min_eigenvalue_: float

    def _read_points(self, X, reset=True, y=None):
        """Return data as a stack of points in the equipped space, and the targets.

        With `reset`, the size and the form of the data are noted, and the space that
        `metric` stands for is made.
        """
        given = index_of(X)
        stack = self._read_stack(X, reset)
        entries = X if stack is None else kernels.pack_strictly_lower(stack)
        targets = {} if y is None else {"y": plain("y", y)}
        _require_known_targets(targets.get("y"), given)
        checked = validate_data(
            self,
            entries,
            **targets,
            reset=reset,
            dtype=_FLOATS,
            ensure_all_finite=False,
        )
        entries, y = checked if targets else (checked, None)
        with naming_culprits(X):
            points = self._clean(entries if stack is None else stack, reset)
        if reset:
            self.space_ = equipped(self.metric, points.shape[-1], "X")
            self._is_condensed = stack is None
        return points, y

    def _read_stack(self, X, reset, name="X"):
        """Return data [N, n, n] as floating-point numbers, or None for another form.

        The order of named variables is noted with `reset`, and kept to afterwards.
        """
        order = None if reset else getattr(self, "_variables", None)
        if are_tables(X):
            array, order = without_names(name, X, order)
            X = array if array.ndim == 3 else X
        else:
            plain(name, X)
        if reset:
            self._variables = order
        require_one_size(X, name)
        array = X if hasattr(X, "shape") else np.asanyarray(X)
        _require_numbers(name, array)
        if len(array.shape) != 3:
            return None
        stack = np.asarray(array)
        if stack.dtype.kind in "iubO":
            stack = stack.astype(np.float64)
        return as_stack(stack, name=name)

    def _clean(self, X, reset, name="X"):
        """Return data as full-rank correlation matrices, treated as in `fit`."""
        on_bad = current_name(self.on_bad)
        if not isinstance(on_bad, str) or on_bad not in _ACTIONS:
            raise ParameterError(
                f"on_bad: expected one of {', '.join(map(repr, _ACTIONS))}, got "
                f"{on_bad!r}. An estimator answers for every matrix that it is given: "
                f"use geomstats_cor.clean_points to drop some before."
            )
        stack = as_stack(X, complete=on_bad != "raise", name=name)
        if on_bad != "repair":
            return clean_points(stack, on_bad, name=name)[0]
        floor = SAFE_EIGENVALUE if reset else self.min_eigenvalue_
        points, report = clean_points(stack, on_bad, floor, name)
        if reset and not report.bad and len(points):
            # No matrix is bad: later ones are raised to the level of the worst.
            smallest = float(np.min(np.linalg.eigvalsh(points)))
            floor = min(floor, max(smallest, np.finfo(points.dtype).eps ** 0.5))
        if reset:
            self.min_eigenvalue_ = floor
        return points if report.bad else repair(points, floor)[0]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.three_d_array = True
        # The checks of scikit-learn feed tables of any numbers, which are no
        # correlations. Only a repair makes points of them.
        tags._skip_test = isinstance(self.on_bad, str) and self.on_bad == "raise"
        return tags

    def with_names(self, matrices: Array, index: ArrayLike = None) -> Any:
        """Return matrices with the names of the variables that `fit` saw.

        Fitted attributes are arrays, as everywhere in scikit-learn; this labels them.

        Parameters
        ----------
        matrices : array, shape=[n, n] or [N, n, n]
            Matrices of the variables of `fit`, such as a mean, or several.
        index : sequence of length N
            Names of the matrices, such as classes; numbers if None.

        Returns
        -------
        named : pandas.DataFrame or CorrelationStack
            A data frame for one matrix, a stack for several; the matrices as they are
            if the variables have no names.
        """
        check_is_fitted(self)
        return with_names(matrices, getattr(self, "_variables", None), index)

    def _write_points(self, points):
        """Return points in the form that `fit` was given."""
        if not self._is_condensed:
            return self.with_names(points)
        return kernels.pack_strictly_lower(points)[:, : self.n_features_in_]


def _require_known_targets(y, names):
    """Raise if a class or a value is missing, with the names of such matrices."""
    try:
        values = np.asarray([] if y is None else y, dtype=object)
    except (TypeError, ValueError):
        return  # scikit-learn says what is wrong
    if values.ndim != 1:
        return
    missing = [i for i, value in enumerate(values) if value is None or value != value]
    if missing:
        is_named = names is not None and len(names) == len(values)
        labels = names[missing] if is_named else missing
        raise NotFiniteError(
            f"Input y contains NaN: it is missing for {few(map(repr, labels))}. Leave "
            f"these matrices out."
        )


def _require_numbers(name, array):
    """Raise for arrays that scikit-learn would take for numbers, or not convert."""
    kind = getattr(getattr(array, "dtype", None), "kind", "f")
    try:
        if kind == "O" and isinstance(array, np.ndarray):
            array.astype(np.float64)
    except OverflowError:
        kind = "V"
    except (TypeError, ValueError):
        return  # scikit-learn says what is wrong
    if kind in "VMm":
        raise ArrayTypeError(
            f"{name}: expected numbers, got an array of dtype {array.dtype} that does "
            f"not convert to float64."
        )
