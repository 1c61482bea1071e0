"""What layers look at before they compute: spaces, numbers and shapes."""

import operator
from numbers import Real

import numpy as np

from geomstats_cor import FullRankCorrelationMatrices
from geomstats_cor.exceptions import ParameterError, ShapeError
from geomstats_cor.kernels._gradients import detached, is_readable
from geomstats_cor.validation import (
    require_finite,
    require_positive_definite,
    require_variances,
)


def hyperplanes_of(space):
    """Return the hyperplanes of the metric of a space.

    Parameters
    ----------
    space : FullRankCorrelationMatrices
        Space with a metric.

    Returns
    -------
    hyperplanes : Hyperplanes
        What the layers ask of the metric.
    """
    if isinstance(space, str | int):
        raise ParameterError(
            f"a layer takes a space with a metric, not {space!r}: pass "
            f'FullRankCorrelationMatrices(n, equip="olm").'
        )
    metric = getattr(space, "metric", None)
    if metric is None:
        raise ParameterError(
            f"the space {type(space).__name__} has no metric: equip it, as in "
            f'FullRankCorrelationMatrices(n, equip="olm").'
        )
    if not hasattr(metric, "hyperplanes"):
        raise ParameterError(
            f"{type(metric).__name__} has no hyperplanes for a layer to use: equip the "
            f'space with one of "ecm", "lecm", "olm", "lsm", "phcm", or with another '
            f"CorrelationMetric."
        )
    return metric.hyperplanes()


def require_basis_of(hyperplanes, basis):
    """Raise unless a metric has coordinates in a basis.

    Parameters
    ----------
    hyperplanes : Hyperplanes
        Hyperplanes of the metric.
    basis : str
        Name of the basis, see `CorFC`.
    """
    hyperplanes.coords(np.zeros(hyperplanes.dim), basis)


def as_space(space, metric, name):
    """Return a space, made from its size and a key if it is a number.

    Parameters
    ----------
    space : FullRankCorrelationMatrices or int
        Space with a metric, or a size.
    metric : str or type
        Key or class of the metric that goes with a size.
    name : str
        Name of the argument.

    Returns
    -------
    space : FullRankCorrelationMatrices
        Space with a metric.
    """
    if hasattr(space, "metric") or isinstance(space, FullRankCorrelationMatrices):
        return space
    if metric is None:
        raise ParameterError(
            f"{name} is the size {space!r}, and no metric goes with it: pass "
            f'metric="olm", or an equipped space instead of the size.'
        )
    return FullRankCorrelationMatrices(space, equip=metric)


def require_positive(**numbers):
    """Raise unless numbers are positive integers.

    Parameters
    ----------
    **numbers : int
        Numbers by name.
    """
    for name, number in numbers.items():
        try:
            positive = operator.index(number) > 0
        except TypeError:
            positive = False
        if not positive:
            raise ParameterError(f"{name} must be a positive integer, not {number!r}.")


def require_numbers(**numbers):
    """Raise unless values are real numbers.

    Parameters
    ----------
    **numbers : float
        Values by name.
    """
    for name, number in numbers.items():
        if isinstance(number, bool) or not isinstance(number, Real):
            raise ParameterError(f"{name} must be a number, not {number!r}.")


def require_definite(covariance, result, name="covariance"):
    """Raise if a function of covariance matrices failed, which shows as NaN.

    Parameters
    ----------
    covariance : tensor, shape=[..., n, n]
        Covariance matrices.
    result : tensor, shape=[..., n, n]
        What was made of them.
    name : str
        What the matrices are called.
    """
    if not is_readable(result) or bool(detached(result).isfinite().all()):
        return
    require_finite(name, covariance)
    require_variances(name, covariance)
    remedy = "Shrink it before, as Shrinkage(1e-3) does."
    require_positive_definite(name, covariance, result, remedy)


def require_square(covariance):
    """Raise unless a tensor holds square matrices.

    Parameters
    ----------
    covariance : tensor, shape=[..., n, n]
        Tensor.
    """
    if covariance.ndim < 2 or covariance.shape[-1] != covariance.shape[-2]:
        raise ShapeError(
            f"the input has shape {tuple(covariance.shape)}: covariance matrices "
            f"[..., n, n] are wanted, such as CovariancePooling makes of signals."
        )


def require_size(point, n):
    """Raise unless a tensor holds n x n matrices.

    Parameters
    ----------
    point : tensor, shape=[..., n, n]
        Tensor.
    n : int
        Size of the matrices.
    """
    if point.ndim < 2 or tuple(point.shape[-2:]) != (n, n):
        raise ShapeError(
            f"the input has shape {tuple(point.shape)}, but the layer is for matrices "
            f"of size n = {n}: [..., {n}, {n}] is wanted."
        )


def lacks_channels(shape, n, channels):
    """Tell whether matrices come without an axis of channels; raise if they do not fit.

    Parameters
    ----------
    shape : tuple of int
        Shape [..., channels, n, n] of the matrices. For a single channel, [n, n] and
        [batch, n, n] are accepted, too.
    n, channels : int
        Size and number of matrices.

    Returns
    -------
    lacks_channels : bool
        Whether the axis of the single channel is missing.
    """
    if channels == 1 and len(shape) < 4:
        return True
    if len(shape) < 3 or shape[-3] != channels:
        raise ShapeError(
            f"the input has shape {tuple(shape)}, but the layer has {channels} "
            f"channels: [..., {channels}, {n}, {n}] is wanted. Further axes of a batch "
            f"go before the channels."
        )
    return False
