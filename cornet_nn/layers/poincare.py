"""The layers of the Poincaré ball as modules."""

import math
from typing import Any

import torch
from torch import Tensor, nn

from geomstats_cor._types import ArrayLike

from .._precision import in_full_precision
from .._validation import require_positive
from ..poincare import (
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

    @property
    def _gain(self):
        return 1.0

    gamma: nn.Parameter | None

    def __init__(self, in_features, out_features, curvature, bias, device, dtype):
        super().__init__()
        require_positive(in_features=in_features, out_features=out_features)
        self.in_features, self.out_features = in_features, out_features
        self.curvature = require_curvature(curvature)
        options = dict(device=device, dtype=dtype)
        self.weight = nn.Parameter(torch.empty(out_features, in_features, **options))
        gamma = nn.Parameter(torch.empty(out_features, **options)) if bias else None
        self.register_parameter("gamma", gamma)
        self.reset_parameters()

    def reset_parameters(self):
        """Draw the normals again, and put all hyperplanes through the origin."""
        with torch.no_grad():
            self.weight.normal_(0.0, self._gain)
            if self.gamma is not None:
                self.gamma.zero_()

    def _offsets(self):
        if self.gamma is None:
            return self.weight.new_zeros(self.out_features)
        return self.gamma

    def extra_repr(self):
        """Return dimensions and curvature."""
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, "
            f"curvature={self.curvature}, bias={self.gamma is not None}"
        )


class PoincareMLR(_Linear):
    r"""Multinomial logistic regression on a Poincaré ball; see `poincare_mlr`.

    .. math:: v_k(x) = \frac{2 |z_k|}{\kappa} \operatorname{asinh}\left(
              \lambda_x \kappa \langle x, [z_k] \rangle \cosh(2 \kappa \gamma_k)
              - (\lambda_x - 1) \sinh(2 \kappa \gamma_k)\right) .

    Normals :math:`z_k` are drawn with standard deviation 1/4, so that logits are as
    large as the logarithm of the input at the origin.

    Parameters
    ----------
    in_features : int
        Dimension of the ball.
    num_classes : int
        Number of classes.
    curvature : float
        Curvature :math:`K = -\kappa^2 < 0`.
    bias : bool
        Whether hyperplanes have offsets; otherwise they pass through the origin.
    device : torch.device
        Device of the parameters.
    dtype : torch.dtype
        Dtype of the parameters.

    Notes
    -----
    Input [..., in_features], output [..., num_classes].

    References
    ----------
    .. [G2018] O. Ganea, G. Bécigneul and T. Hofmann. Hyperbolic neural networks.
       NeurIPS 2018.
    .. [S2021] R. Shimizu, Y. Mukuta and T. Harada. Hyperbolic neural networks++. ICLR
       2021.

    Examples
    --------
    The origin lies on all hyperplanes of a new layer:

    >>> import torch
    >>> from cornet_nn import PoincareMLR
    >>> layer = PoincareMLR(4, num_classes=3)
    >>> layer(torch.zeros(4)).tolist()
    [0.0, 0.0, 0.0]
    """

    @property
    def _gain(self):
        return 0.25

    def __init__(
        self,
        in_features: int,
        num_classes: int,
        curvature: float = -1.0,
        *,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(in_features, num_classes, curvature, bias, device, dtype)

    def extra_repr(self) -> Any:
        """Return dimension, classes and curvature."""
        return super().extra_repr().replace("out_features", "num_classes")

    @in_full_precision
    def forward(self, point: Tensor) -> Tensor:
        """Return the logits.

        Parameters
        ----------
        point : tensor, shape=[..., in_features]
            Points of the ball.

        Returns
        -------
        logits : tensor, shape=[..., num_classes]
            Logits.
        """
        return poincare_mlr(point, self.weight, self._offsets(), self.curvature)


class PoincareFC(_Linear):
    r"""The fully connected layer between Poincaré balls; see `poincare_fc`.

    .. math:: y = \frac{w}{1 + \sqrt{1 + \kappa^2 |w|^2}}, \qquad
              w_k = \frac{\sinh(\kappa v_k(x))}{\kappa} .

    Normals are drawn so that the output is about as far from the origin as the input.

    Parameters
    ----------
    in_features, out_features : int
        Dimensions of the balls.
    curvature : float
        Curvature :math:`K = -\kappa^2 < 0`.
    bias : bool
        Whether hyperplanes have offsets; otherwise they pass through the origin.
    device : torch.device
        Device of the parameters.
    dtype : torch.dtype
        Dtype of the parameters.

    Notes
    -----
    Input [..., in_features], output [..., out_features].

    References
    ----------
    .. [S2021] R. Shimizu, Y. Mukuta and T. Harada. Hyperbolic neural networks++. ICLR
       2021.

    Examples
    --------
    >>> import torch
    >>> from cornet_nn import PoincareFC
    >>> output = PoincareFC(4, 3)(torch.full((8, 4), 0.1))
    >>> output.shape, bool((output.norm(dim=-1) < 1.0).all())
    (torch.Size([8, 3]), True)
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        curvature: float = -1.0,
        *,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(in_features, out_features, curvature, bias, device, dtype)

    @property
    def _gain(self):
        return 0.5 / math.sqrt(self.out_features)

    @in_full_precision
    def forward(self, point: Tensor) -> Tensor:
        """Return the point of the ball of the output.

        Parameters
        ----------
        point : tensor, shape=[..., in_features]
            Points of the ball.

        Returns
        -------
        point : tensor, shape=[..., out_features]
            Points of the ball of the output.
        """
        return poincare_fc(point, self.weight, self._offsets(), self.curvature)


class _OfCurvature(nn.Module):
    def __init__(self, curvature=-1.0):
        super().__init__()
        self.curvature = require_curvature(curvature)

    def extra_repr(self):
        """Return the curvature."""
        return f"curvature={self.curvature}"


class PoincareExp0(_OfCurvature):
    r"""The exponential at the origin of a Poincaré ball; see `poincare_exp0`.

    .. math:: \operatorname{Exp}_0(v) = \frac{\tanh(\kappa |v|)}{\kappa |v|} v .

    Parameters
    ----------
    curvature : float
        Curvature :math:`K = -\kappa^2 < 0`.

    References
    ----------
    .. [G2018] O. Ganea, G. Bécigneul and T. Hofmann. Hyperbolic neural networks.
       NeurIPS 2018.

    Examples
    --------
    >>> import torch
    >>> from cornet_nn import PoincareExp0, PoincareLog0
    >>> vector = torch.tensor([0.3, -0.4])
    >>> torch.allclose(PoincareLog0()(PoincareExp0()(vector)), vector)
    True
    """

    @in_full_precision
    def forward(self, tangent_vec: Tensor) -> Tensor:
        """Return the point of the ball.

        Parameters
        ----------
        tangent_vec : tensor, shape=[..., k]
            Tangent vectors at the origin.

        Returns
        -------
        point : tensor, shape=[..., k]
            Points of the ball.
        """
        return poincare_exp0(tangent_vec, self.curvature)


class PoincareLog0(_OfCurvature):
    r"""The logarithm at the origin of a Poincaré ball; see `poincare_log0`.

    .. math:: \operatorname{Log}_0(x)
              = \frac{\operatorname{atanh}(\kappa |x|)}{\kappa |x|} x .

    Parameters
    ----------
    curvature : float
        Curvature :math:`K = -\kappa^2 < 0`.

    References
    ----------
    .. [G2018] O. Ganea, G. Bécigneul and T. Hofmann. Hyperbolic neural networks.
       NeurIPS 2018.

    Examples
    --------
    >>> import torch
    >>> from cornet_nn import PoincareLog0
    >>> round(float(PoincareLog0()(torch.tensor([0.5]).tanh())), 6)
    0.5
    """

    @in_full_precision
    def forward(self, point: Tensor) -> Tensor:
        """Return the tangent vector at the origin.

        Parameters
        ----------
        point : tensor, shape=[..., k]
            Points of the ball.

        Returns
        -------
        tangent_vec : tensor, shape=[..., k]
            Tangent vectors at the origin.
        """
        return poincare_log0(point, self.curvature)


class BetaConcat(_OfCurvature):
    r"""Beta-concatenation of points of several balls; see `beta_concat`.

    .. math:: \operatorname{Exp}_0\left(\beta_n \left(\beta_{n_1}^{-1}
              \operatorname{Log}_0 x_1, \dots, \beta_{n_N}^{-1}
              \operatorname{Log}_0 x_N\right)\right) .

    Parameters
    ----------
    curvature : float
        Curvature :math:`K < 0`.

    References
    ----------
    .. [S2021] R. Shimizu, Y. Mukuta and T. Harada. Hyperbolic neural networks++. ICLR
       2021.

    Examples
    --------
    >>> import torch
    >>> from cornet_nn import BetaConcat
    >>> BetaConcat()([torch.zeros(5, 2), torch.zeros(5, 3)]).shape
    torch.Size([5, 5])
    """

    @in_full_precision
    def forward(self, points: ArrayLike) -> Tensor:
        """Return the point of the ball of the sum of the dimensions.

        Parameters
        ----------
        points : sequence of tensor, shape=[..., n_i]
            Points of the balls.

        Returns
        -------
        point : tensor, shape=[..., n]
            Points of the ball of dimension n, the sum of the dimensions.
        """
        return beta_concat(points, self.curvature)


class BetaSplit(_OfCurvature):
    r"""Beta-split of a point into points of several balls; see `beta_split`.

    .. math:: x_i = \operatorname{Exp}_0\left(\beta_{n_i} \beta_n^{-1} v_i\right),
              \qquad \operatorname{Log}_0 x = (v_1, \dots, v_N) .

    Parameters
    ----------
    sizes : sequence of int
        Dimensions :math:`n_i` of the balls.
    curvature : float
        Curvature :math:`K < 0`.

    References
    ----------
    .. [S2021] R. Shimizu, Y. Mukuta and T. Harada. Hyperbolic neural networks++. ICLR
       2021.

    Examples
    --------
    >>> import torch
    >>> from cornet_nn import BetaSplit
    >>> [tuple(part.shape) for part in BetaSplit([2, 3])(torch.zeros(5, 5))]
    [(5, 2), (5, 3)]
    """

    def __init__(self, sizes: ArrayLike, curvature: float = -1.0) -> None:
        super().__init__(curvature)
        self.sizes = tuple(sizes)

    @in_full_precision
    def forward(self, point: Tensor) -> tuple:
        """Return the points of the balls.

        Parameters
        ----------
        point : tensor, shape=[..., n]
            Points of the ball.

        Returns
        -------
        points : tuple of tensor, shape=[..., n_i]
            Points of the balls.
        """
        return beta_split(point, self.sizes, self.curvature)

    def extra_repr(self) -> Any:
        """Return the dimensions and the curvature."""
        return f"sizes={self.sizes}, {super().extra_repr()}"
