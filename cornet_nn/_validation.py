"""Input validation for layers: spaces, numbers and shapes."""

import functools
import math
import operator
from numbers import Real

import numpy as np

import geomstats_cor
from geomstats_cor._callers import warn_user
from geomstats_cor.exceptions import ParameterError, ShapeError
from geomstats_cor.kernels._array import extremes
from geomstats_cor.kernels._autodiff import detached, is_readable
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
        Interface of the metric to layers.
    """
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
            f"{writer} makes matrices of coordinates: expected a metric with "
            f"to_coords, from_coords and is_same, got {type(metric).__name__} without "
            f"{missing}. Over this space only CorMLR works."
        )
    return metric.hyperplanes()


def require_means(hyperplanes, layer):
    """Raise unless a metric has Fréchet means.

    Parameters
    ----------
    hyperplanes : SpaceHyperplanes
        Hyperplanes of the metric.
    layer : object
        Layer that needs them.
    """
    if not hyperplanes.has_means:
        raise ParameterError(
            f"{type(layer).__name__} needs Fréchet means, which "
            f"{type(hyperplanes.metric).__name__} does not have: use a flat metric, "
            f'such as SPDMatrices(n, equip="lem").'
        )


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


def spaces_of(metric, **spaces):
    """Return spaces with a metric, made from their sizes where these are given.

    Parameters
    ----------
    metric : str or type or None
        Key or class of the metric that goes with sizes.
    **spaces : Manifold or int or None
        Spaces or sizes by the name of the argument; None stays.

    Returns
    -------
    spaces : list of Manifold
        Spaces with a metric.
    """
    made = [_space_of(space, metric, name) for name, space in spaces.items()]
    pairs = zip(spaces.values(), made, strict=True)
    if metric is not None and all(given is space for given, space in pairs):
        several, one = "both spaces have metrics of their own", "the space has its own"
        raise ParameterError(
            f"metric is {metric!r}, but {several if len(made) > 1 else one}: leave it "
            f"out, or pass sizes instead of spaces."
        )
    return made


def _space_of(space, metric, name):
    if space is None or hasattr(space, "metric"):
        return space
    if isinstance(space, geomstats_cor.FullRankCorrelationMatrices):
        return space
    if metric is None:
        raise ParameterError(
            f"metric is required when {name} is {space!r}, not a space: pass "
            f'metric="olm" with a size, or FullRankCorrelationMatrices(n, equip="olm").'
        )
    return geomstats_cor.FullRankCorrelationMatrices(space, equip=metric)


def renamed_keyword(old, new):
    """Let a function take a keyword by its former name, with a warning.

    Parameters
    ----------
    old, new : str
        Former and present name.

    Returns
    -------
    decorator : callable
        Decorator of a function.
    """

    def decorate(function):
        @functools.wraps(function)
        def wrapped(*arguments, **keywords):
            if old in keywords:
                warn_user(f"{old} is now called {new}.", DeprecationWarning)
                keywords[new] = keywords.pop(old)
            return function(*arguments, **keywords)

        return wrapped

    return decorate


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


def require_channels(shape, n, channels):
    """Raise unless matrices have an axis with a number of channels.

    Parameters
    ----------
    shape : tuple of int
        Shape [..., channels, n, n] of the matrices.
    n, channels : int
        Size and number of matrices.
    """
    if len(shape) < 3 or shape[-3] != channels:
        raise ShapeError(
            f"the input: expected shape [..., {channels}, {n}, {n}], as the layer has "
            f"{channels} channels, got {tuple(shape)}. Further axes of a batch go "
            f"before the channels; a layer with in_channels=None has no such axis."
        )
