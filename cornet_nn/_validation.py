"""Input validation for layers: spaces, numbers and shapes."""

import math
import operator
from numbers import Real

import numpy as np

from geomstats_cor import FullRankCorrelationMatrices
from geomstats_cor.exceptions import ParameterError, ShapeError
from geomstats_cor.kernels._arrays import extremes
from geomstats_cor.kernels._gradients import detached, is_readable
from geomstats_cor.kernels._tolerances import input_tolerance
from geomstats_cor.validation import (
    require_covariance,
    require_finite,
    require_positive_definite,
    require_variances,
)

from .layers.protocol import ReadableMetric, WritableMetric


def hyperplanes_of(space, writer=None):
    """Return the hyperplanes of the metric of a space.

    Parameters
    ----------
    space : Manifold
        Space with a metric, see `cornet_nn.layers.protocol`.
    writer : str or None
        Name of the layer, if it makes points of coordinates.

    Returns
    -------
    hyperplanes : SpaceHyperplanes
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
    if not isinstance(metric, ReadableMetric):
        raise ParameterError(
            f"{type(metric).__name__} has no hyperplanes for a layer to use: equip the "
            f'space with one of "ecm", "lecm", "olm", "lsm", "phcm", or with another '
            f"CorrelationMetric."
        )
    if writer is not None and not isinstance(metric, WritableMetric):
        missing = ", ".join(
            name
            for name in ("to_coords", "from_coords", "is_same")
            if not hasattr(metric, name)
        )
        raise ParameterError(
            f"{writer} makes matrices of coordinates: expected a metric with to_coords, "
            f"from_coords and is_same, got {type(metric).__name__} without {missing}. "
            f"Over this space only CorMLR works."
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
            f"metric is required when {name} is the size {space!r}: pass "
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


def require_correlations_of(covariance, correlation):
    """Raise unless correlations are those of covariance matrices, as far as one sees.

    Symmetry, variances and the range of the correlations are tested. That all
    eigenvalues are positive is left to the layer that factorises the matrices.

    Parameters
    ----------
    covariance : tensor, shape=[..., n, n]
        Covariance matrices.
    correlation : tensor, shape=[..., n, n]
        What `kernels.cor` made of them.
    """
    if not is_readable(correlation) or 0 in correlation.shape:
        return
    low, high = extremes(detached(correlation))
    bound = 1.0 + input_tolerance(correlation)
    if not (-bound <= low and high <= bound):
        require_covariance("covariance", covariance)
        require_definite(covariance, correlation)


def require_square(covariance):
    """Raise unless a tensor holds square matrices.

    Parameters
    ----------
    covariance : tensor, shape=[..., n, n]
        Tensor.
    """
    if covariance.ndim < 2 or covariance.shape[-1] != covariance.shape[-2]:
        raise ShapeError(
            f"the input: expected covariance matrices, shape [..., n, n], got "
            f"{tuple(covariance.shape)}. CovariancePooling makes them of signals."
        )


def require_symmetric(covariance):
    """Raise unless a tensor holds finite symmetric matrices.

    Parameters
    ----------
    covariance : tensor, shape=[..., n, n]
        Tensor.
    """
    require_square(covariance)
    if not is_readable(covariance) or 0 in covariance.shape:
        return
    x = detached(covariance)
    scale = max(map(abs, extremes(x)))
    # A NaN compares as false, and is found below like an infinity.
    if extremes(x - x.mT)[1] <= input_tolerance(x) * scale < math.inf:
        return
    require_finite("covariance", x)
    require_covariance("covariance", x)


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
            f"the input: expected shape [..., {n}, {n}], got {tuple(point.shape)}. The "
            f"layer is for matrices of size n = {n}."
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
            f"the input: expected shape [..., {channels}, {n}, {n}], as the layer has "
            f"{channels} channels, got {tuple(shape)}. Further axes of a batch go "
            f"before the channels."
        )
    return False
