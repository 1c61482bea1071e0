"""What layers look at before they compute: spaces, numbers and shapes."""

import operator
from numbers import Real

from geomstats_cor import FullRankCorrelationMatrices
from geomstats_cor.exceptions import ParameterError, ShapeError


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


def lacks_channels(point, n, channels):
    """Tell whether matrices come without an axis of channels; raise if they do not fit.

    Parameters
    ----------
    point : tensor, shape=[..., channels, n, n]
        Matrices. For a single channel, [n, n] and [batch, n, n] are accepted, too.
    n, channels : int
        Size and number of matrices.

    Returns
    -------
    lacks_channels : bool
        Whether the axis of the single channel is missing.
    """
    require_size(point, n)
    if channels == 1 and point.ndim < 4:
        return True
    if point.ndim < 3 or point.shape[-3] != channels:
        raise ShapeError(
            f"the input has shape {tuple(point.shape)}, but the layer has {channels} "
            f"channels: [..., {channels}, {n}, {n}] is wanted. Further axes of a batch "
            f"go before the channels."
        )
    return False
