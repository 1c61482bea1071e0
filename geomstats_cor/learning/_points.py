"""How estimators read correlation matrices, and give them back."""

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from .. import kernels
from ..correlation_matrices import FullRankCorrelationMatrices
from ..exceptions import ParameterError, ShapeError
from ..metrics import require_metric
from ..stacks import as_stack, clean_points, require_dense, require_one_size

_FLOATS = (np.float64, np.float32)


class PointsEstimator(BaseEstimator):
    """An estimator with parameters `metric` and `on_bad`, and matrices for data."""

    def _read_points(self, X, reset=True, y=None):
        """Return data as a stack of points in the equipped space, and the targets.

        With `reset`, the size and the form of the data are noted, and the space that
        `metric` stands for is made.
        """
        require_dense(X)
        stack = read_stack(X)
        entries = X if stack is None else kernels.pack_strictly_lower(stack)
        targets = {} if y is None else {"y": y}
        checked = validate_data(
            self,
            entries,
            **targets,
            reset=reset,
            dtype=_FLOATS,
            ensure_all_finite=False,
        )
        entries, y = checked if targets else (checked, None)
        points = self._clean(entries if stack is None else stack)
        if reset:
            self.space_ = equipped(self.metric, points.shape[-1])
            self._is_condensed = stack is None
        return points, y

    def _clean(self, X, name="X"):
        return clean(X, self.on_bad, name)

    def _write_points(self, points):
        """Return points in the form that `fit` was given."""
        if not self._is_condensed:
            return points
        return kernels.pack_strictly_lower(points)[:, : self.n_features_in_]


def read_stack(X, name="X"):
    """Return data [N, n, n] as floating-point numbers, or None for another form.

    Parameters
    ----------
    X : array-like
        Data.
    name : str
        Name of the argument in messages.

    Returns
    -------
    stack : numpy.ndarray, shape=[N, n, n] or None
        Matrices.
    """
    require_one_size(X, name)
    array = X if hasattr(X, "shape") else np.asanyarray(X)
    if len(array.shape) != 3:
        return None
    stack = np.asarray(array)
    if stack.dtype.kind in "iubO":
        stack = stack.astype(np.float64)
    return as_stack(stack, name=name)


def clean(X, on_bad, name):
    """Return data as full-rank correlation matrices.

    Parameters
    ----------
    X : numpy.ndarray, shape=[N, n, n] or [N, n (n - 1) / 2]
        Data.
    on_bad : {"raise", "mend"}
        What to do with bad matrices, and with rows too short for a triangle.
    name : str
        Name of the argument in messages.

    Returns
    -------
    points : numpy.ndarray, shape=[N, n, n]
        Points.
    """
    if on_bad not in ("raise", "mend"):
        raise ParameterError(
            f"on_bad is {on_bad!r}: choose 'raise' or 'mend'. An estimator answers for "
            f"every matrix that it is given: geomstats_cor.clean_points drops some."
        )
    stack = as_stack(X, complete=on_bad == "mend", name=name)
    return clean_points(stack, on_bad, name=name)[0]


def equipped(metric, n):
    """Return the space of n x n correlation matrices with a metric.

    Parameters
    ----------
    metric : str or type or FullRankCorrelationMatrices
        Key, class, or a space with a metric of this library.
    n : int
        Size of the matrices.

    Returns
    -------
    space : FullRankCorrelationMatrices
        Equipped space.
    """
    space = metric
    if not isinstance(metric, FullRankCorrelationMatrices):
        space = FullRankCorrelationMatrices(n, equip=metric)
    elif metric.n != n:
        raise ShapeError(
            f"metric is a space of {metric.n} x {metric.n} matrices, but the data are "
            f"{n} x {n}."
        )
    require_metric(space)
    return space
