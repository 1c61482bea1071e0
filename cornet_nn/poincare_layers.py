"""The layers of the Poincaré ball as modules."""

import math

import torch
from torch import nn

from ._doors import require_positive
from ._precision import in_full_precision
from .poincare import (
    beta_concat,
    beta_split,
    poincare_exp0,
    poincare_fc,
    poincare_log0,
    poincare_mlr,
    require_curvature,
)


class _Linear(nn.Module):
    """Normals and offsets of hyperplanes of a ball."""

    _gain = 1.0

    def __init__(self, in_features, out_features, curvature, device, dtype):
        super().__init__()
        require_positive(in_features=in_features, out_features=out_features)
        self.in_features, self.out_features = in_features, out_features
        self.curvature = require_curvature(curvature)
        options = dict(device=device, dtype=dtype)
        self.weight = nn.Parameter(torch.empty(out_features, in_features, **options))
        self.gamma = nn.Parameter(torch.empty(out_features, **options))
        self.reset_parameters()

    def reset_parameters(self):
        """Draw the normals anew, and put all hyperplanes through the origin."""
        with torch.no_grad():
            self.weight.normal_(0.0, self._gain)
            self.gamma.zero_()

    def extra_repr(self):
        """Return dimensions and curvature."""
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, "
            f"curvature={self.curvature}"
        )


class PoincareMLR(_Linear):
    """Multinomial logistic regression on a Poincaré ball; see `poincare_mlr`.

    Normals are drawn with standard deviation 1/4, so that logits are as large as the
    logarithm of the input at the origin.

    Parameters
    ----------
    in_features : int
        Dimension of the ball.
    num_classes : int
        Number of classes.
    curvature : float
        Curvature K < 0.
    device : torch.device
        Device of the parameters.
    dtype : torch.dtype
        Dtype of the parameters.

    Notes
    -----
    Input [..., in_features], output [..., num_classes].
    """

    _gain = 0.25

    def __init__(
        self, in_features, num_classes, curvature=-1.0, device=None, dtype=None
    ):
        super().__init__(in_features, num_classes, curvature, device, dtype)

    @in_full_precision
    def forward(self, point):
        """Return the logits."""
        return poincare_mlr(point, self.weight, self.gamma, self.curvature)


class PoincareFC(_Linear):
    """The fully connected layer between Poincaré balls; see `poincare_fc`.

    Normals are drawn so that the output is about as far from the origin as the input.

    Parameters
    ----------
    in_features, out_features : int
        Dimensions of the balls.
    curvature : float
        Curvature K < 0.
    device : torch.device
        Device of the parameters.
    dtype : torch.dtype
        Dtype of the parameters.

    Notes
    -----
    Input [..., in_features], output [..., out_features].
    """

    def __init__(
        self, in_features, out_features, curvature=-1.0, device=None, dtype=None
    ):
        super().__init__(in_features, out_features, curvature, device, dtype)

    @property
    def _gain(self):
        return 0.5 / math.sqrt(self.out_features)

    @in_full_precision
    def forward(self, point):
        """Return the point of the ball of the output."""
        return poincare_fc(point, self.weight, self.gamma, self.curvature)


class _OfCurvature(nn.Module):
    def __init__(self, curvature=-1.0):
        super().__init__()
        self.curvature = require_curvature(curvature)

    def extra_repr(self):
        """Return the curvature."""
        return f"curvature={self.curvature}"


class PoincareExp0(_OfCurvature):
    """The exponential at the origin of a Poincaré ball; see `poincare_exp0`.

    Parameters
    ----------
    curvature : float
        Curvature K < 0.
    """

    @in_full_precision
    def forward(self, tangent_vec):
        """Return the point of the ball."""
        return poincare_exp0(tangent_vec, self.curvature)


class PoincareLog0(_OfCurvature):
    """The logarithm at the origin of a Poincaré ball; see `poincare_log0`.

    Parameters
    ----------
    curvature : float
        Curvature K < 0.
    """

    @in_full_precision
    def forward(self, point):
        """Return the tangent vector at the origin."""
        return poincare_log0(point, self.curvature)


class BetaConcat(_OfCurvature):
    """Beta-concatenation of points of several balls; see `beta_concat`.

    Parameters
    ----------
    curvature : float
        Curvature K < 0.
    """

    def forward(self, points):
        """Return the point of the ball of the sum of the dimensions."""
        return beta_concat(points, self.curvature)


class BetaSplit(_OfCurvature):
    """Beta-split of a point into points of several balls; see `beta_split`.

    Parameters
    ----------
    sizes : sequence of int
        Dimensions of the balls.
    curvature : float
        Curvature K < 0.
    """

    def __init__(self, sizes, curvature=-1.0):
        super().__init__(curvature)
        self.sizes = tuple(sizes)

    @in_full_precision
    def forward(self, point):
        """Return the points of the balls."""
        return beta_split(point, self.sizes, self.curvature)

    def extra_repr(self):
        """Return the dimensions and the curvature."""
        return f"sizes={self.sizes}, {super().extra_repr()}"
