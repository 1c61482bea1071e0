r"""The layers of the Poincaré ball as functions.

The ball of curvature :math:`K < 0` is :math:`\{x : |x|^2 < -1 / K\}`, with origin 0.

References
----------
.. [G2018] O. Ganea, G. Bécigneul and T. Hofmann. Hyperbolic neural networks.
   NeurIPS 2018.
.. [S2021] R. Shimizu, Y. Mukuta and T. Harada. Hyperbolic neural networks++. ICLR 2021.
"""

import math
from collections.abc import Sequence

from torch import Tensor

from geomstats_cor import kernels
from geomstats_cor.exceptions import NotFiniteError, ParameterError, ShapeError
from geomstats_cor.kernels._autodiff import detached, is_readable
from geomstats_cor.kernels._tolerances import membership_tolerance
from geomstats_cor.validation import first_index, label_of

from ._precision import require_tensor

# Curvatures whose roots, and their squares, are numbers in float32 as well.
_LEAST, _MOST = 1e-60, 1e30


def require_curvature(curvature):
    """Return a curvature as a number, or raise if it is not negative.

    Parameters
    ----------
    curvature : float
        Curvature.

    Returns
    -------
    curvature : float
        Curvature.
    """
    if not isinstance(curvature, float | int):
        if getattr(curvature, "requires_grad", False):
            raise ParameterError(
                "the curvature is a constant, and no gradient flows to it: pass a "
                "number."
            )
        try:
            curvature = float(curvature)
        except (TypeError, ValueError):
            curvature = math.nan
    if not _LEAST <= -curvature <= _MOST:
        raise ParameterError(
            f"the curvature of a Poincaré ball is negative, from {-_MOST:g} to "
            f"{-_LEAST:g}, not {curvature}: pass curvature=-1.0, or one close to zero "
            f"for nearly Euclidean layers."
        )
    return curvature


def _require_vectors(**arguments):
    """Raise unless arguments are floating-point tensors [..., k]."""
    for name, x in arguments.items():
        require_tensor(x, name=name)
        if x.ndim < 1:
            raise ShapeError(f"{name}: expected shape [..., k], got {tuple(x.shape)}.")


def require_ball(point, curvature):
    """Raise if a point is outside of the ball, by more than rounding.

    Parameters
    ----------
    point : tensor, shape=[..., k]
        Point.
    curvature : float
        Curvature of the ball.
    """
    if not is_readable(point):
        return
    sizes = math.sqrt(-curvature) * detached(point).norm(dim=-1)
    where = first_index(~sizes.isfinite())
    if where is not None:
        raise NotFiniteError(f"{label_of('point', where)} has a NaN or an infinity.")
    where = first_index(sizes > 1.0 + membership_tolerance(point))
    if where is not None:
        raise ParameterError(
            f"{label_of('point', where)} is outside of the ball of curvature "
            f"{curvature:g}, at {float(sizes[where]):.6g} times its radius: "
            f"poincare_exp0 makes points of the ball of any vectors."
        )


def poincare_exp0(tangent_vec: Tensor, curvature: float = -1.0) -> Tensor:
    r"""Return the exponential at the origin.

    .. math:: \operatorname{Exp}_0(v) = \frac{\tanh(\kappa |v|)}{\kappa |v|} v, \qquad
              \kappa = \sqrt{-K} .

    Parameters
    ----------
    tangent_vec : tensor, shape=[..., k]
        Tangent vector at the origin.
    curvature : float
        Curvature :math:`K < 0`.

    Returns
    -------
    point : tensor, shape=[..., k]
        Point of the ball, a few rounding units at least away from the boundary.

    References
    ----------
    .. [G2018] O. Ganea, G. Bécigneul and T. Hofmann. Hyperbolic neural networks.
       NeurIPS 2018.

    Examples
    --------
    >>> import torch
    >>> from cornet_nn import poincare_exp0
    >>> float(poincare_exp0(torch.tensor([0.5]))) == float(torch.tensor(0.5).tanh())
    True
    """
    _require_vectors(tangent_vec=tangent_vec)
    return kernels.ball_exp(tangent_vec, require_curvature(curvature))


def poincare_log0(point: Tensor, curvature: float = -1.0) -> Tensor:
    r"""Return the logarithm at the origin, the inverse of `poincare_exp0`.

    .. math:: \operatorname{Log}_0(x)
              = \frac{\operatorname{atanh}(\kappa |x|)}{\kappa |x|} x, \qquad
              \kappa = \sqrt{-K} .

    Parameters
    ----------
    point : tensor, shape=[..., k]
        Point of the ball.
    curvature : float
        Curvature :math:`K < 0`.

    Returns
    -------
    tangent_vec : tensor, shape=[..., k]
        Tangent vector at the origin.

    References
    ----------
    .. [G2018] O. Ganea, G. Bécigneul and T. Hofmann. Hyperbolic neural networks.
       NeurIPS 2018.

    Examples
    --------
    >>> import torch
    >>> from cornet_nn import poincare_exp0, poincare_log0
    >>> vector = torch.tensor([0.3, -0.4], dtype=torch.float64)
    >>> poincare_log0(poincare_exp0(vector)).numpy().round(12)
    array([ 0.3, -0.4])
    """
    _require_vectors(point=point)
    curvature = require_curvature(curvature)
    require_ball(point, curvature)
    return kernels.ball_log(point, curvature)


def poincare_mlr(
    point: Tensor, weight: Tensor, gamma: Tensor, curvature: float = -1.0
) -> Tensor:
    r"""Return the logits of the Poincaré multinomial logistic regression.

    .. math:: v_k(x) = \frac{2 |z_k|}{\kappa} \operatorname{asinh}\left(
              \lambda_x \kappa \langle x, [z_k] \rangle \cosh(2 \kappa \gamma_k)
              - (\lambda_x - 1) \sinh(2 \kappa \gamma_k)\right) ,

    .. math:: \lambda_x = \frac{2}{1 - \kappa^2 |x|^2} , \qquad
              \kappa = \sqrt{-K} , \quad [z] = \frac{z}{|z|} .

    As :math:`K \to 0` they tend to :math:`4 (\langle x, z_k \rangle - \gamma_k |z_k|)`.

    Parameters
    ----------
    point : tensor, shape=[..., k]
        Point of the ball.
    weight : tensor, shape=[out, k]
        Normals :math:`z`.
    gamma : tensor, shape=[out]
        Offsets :math:`\gamma`.
    curvature : float
        Curvature :math:`K < 0`.

    Returns
    -------
    logits : tensor, shape=[..., out]
        Logits.

    References
    ----------
    .. [G2018] O. Ganea, G. Bécigneul and T. Hofmann. Hyperbolic neural networks.
       NeurIPS 2018.
    .. [S2021] R. Shimizu, Y. Mukuta and T. Harada. Hyperbolic neural networks++. ICLR
       2021.

    Examples
    --------
    With almost no curvature the logits are linear, four times those of a flat layer:

    >>> import torch
    >>> from cornet_nn import poincare_mlr
    >>> point = torch.tensor([0.3, 0.4], dtype=torch.float64)
    >>> weight, gamma = torch.eye(2, dtype=torch.float64), torch.zeros(2).double()
    >>> poincare_mlr(point, weight, gamma, curvature=-1e-12).numpy().round(6)
    array([1.2, 1.6])
    """
    _require_weights(point, weight, gamma)
    _require_vectors(point=point)
    curvature = require_curvature(curvature)
    require_ball(point, curvature)
    return kernels.ball_logits(point, weight, gamma, curvature)


def poincare_fc(
    point: Tensor, weight: Tensor, gamma: Tensor, curvature: float = -1.0
) -> Tensor:
    r"""Return the output of the Poincaré fully connected layer.

    .. math:: y = \frac{w}{1 + \sqrt{1 + \kappa^2 |w|^2}}, \qquad
              w_k = \frac{\sinh(\kappa v_k(x))}{\kappa} ,

    with the logits :math:`v_k` of `poincare_mlr`.

    Parameters
    ----------
    point : tensor, shape=[..., k]
        Point of the ball.
    weight : tensor, shape=[out, k]
        Normals.
    gamma : tensor, shape=[out]
        Offsets.
    curvature : float
        Curvature :math:`K < 0`.

    Returns
    -------
    point : tensor, shape=[..., out]
        Point of the ball of dimension out.

    References
    ----------
    .. [S2021] R. Shimizu, Y. Mukuta and T. Harada. Hyperbolic neural networks++. ICLR
       2021.

    Examples
    --------
    In one dimension a unit normal doubles the logarithm:

    >>> import math
    >>> import torch
    >>> from cornet_nn import poincare_fc, poincare_log0
    >>> point = torch.tensor([math.tanh(0.1)], dtype=torch.float64)
    >>> weight, gamma = torch.ones(1, 1).double(), torch.zeros(1).double()
    >>> float(poincare_log0(poincare_fc(point, weight, gamma))[0].round(decimals=12))
    0.2
    """
    curvature = require_curvature(curvature)
    logits = poincare_mlr(point, weight, gamma, curvature)
    return kernels.ball_from_distances(logits, curvature)


def beta_concat(points: Sequence[Tensor], curvature: float = -1.0) -> Tensor:
    r"""Return the :math:`\beta`-concatenation of points of several balls.

    .. math:: \operatorname{Exp}_0\left(\beta_n \left(\beta_{n_1}^{-1}
              \operatorname{Log}_0 x_1, \dots, \beta_{n_N}^{-1} \operatorname{Log}_0 x_N
              \right)\right), \qquad \beta_n = B(n / 2, 1 / 2) .

    Concatenating in several steps, in any order of axes, is the same as doing it once.

    Parameters
    ----------
    points : sequence of tensor, shape=[..., n_i]
        Points.
    curvature : float
        Curvature :math:`K < 0`.

    Returns
    -------
    point : tensor, shape=[..., n]
        Point of the ball of dimension n, the sum of the dimensions.

    References
    ----------
    .. [S2021] R. Shimizu, Y. Mukuta and T. Harada. Hyperbolic neural networks++. ICLR
       2021.

    Examples
    --------
    >>> import torch
    >>> from cornet_nn import beta_concat
    >>> first, second = torch.tensor([0.1]), torch.tensor([0.2, -0.3])
    >>> joined = beta_concat([first, second])
    >>> joined.shape
    torch.Size([3])
    >>> bool(joined.norm() < 1.0)
    True
    """
    points = tuple(points)
    if not points:
        raise ShapeError("there are no points to concatenate: pass at least one.")
    _require_vectors(**{f"points[{i}]": x for i, x in enumerate(points)})
    if len({tuple(x.shape[:-1]) for x in points}) > 1:
        raise ShapeError(
            f"points: expected the same batch shape in all, got the shapes "
            f"{', '.join(str(tuple(x.shape)) for x in points)}."
        )
    curvature = require_curvature(curvature)
    for point in points:
        require_ball(point, curvature)
    return kernels.ball_concat(points, curvature)


def beta_split(
    point: Tensor, sizes: Sequence[int], curvature: float = -1.0
) -> tuple[Tensor, ...]:
    r"""Return the :math:`\beta`-split of a point, the inverse of `beta_concat`.

    .. math:: x_i = \operatorname{Exp}_0\left(\beta_{n_i} \beta_n^{-1} v_i\right),
              \qquad \operatorname{Log}_0 x = (v_1, \dots, v_N) ,
              \quad v_i \in \mathbb R^{n_i} .

    Parameters
    ----------
    point : tensor, shape=[..., n]
        Point.
    sizes : sequence of int
        Dimensions of the balls, of sum n.
    curvature : float
        Curvature :math:`K < 0`.

    Returns
    -------
    points : tuple of tensor, shape=[..., n_i]
        Points.

    References
    ----------
    .. [S2021] R. Shimizu, Y. Mukuta and T. Harada. Hyperbolic neural networks++. ICLR
       2021.

    Examples
    --------
    >>> import torch
    >>> from cornet_nn import beta_concat, beta_split
    >>> points = torch.tensor([0.1]).double(), torch.tensor([0.2, -0.3]).double()
    >>> parts = beta_split(beta_concat(points), [1, 2])
    >>> all(torch.allclose(a, b) for a, b in zip(points, parts))
    True
    """
    sizes = tuple(sizes)
    _require_vectors(point=point)
    if sum(sizes) != point.shape[-1] or min(sizes, default=0) < 1:
        raise ShapeError(
            f"sizes {sizes} do not add up to the dimension {point.shape[-1]} of the "
            f"point, positive numbers that they are to be."
        )
    curvature = require_curvature(curvature)
    require_ball(point, curvature)
    return kernels.ball_split(point, sizes, curvature)


def _require_weights(point, weight, gamma):
    _require_vectors(point=point, weight=weight, gamma=gamma)
    require_tensor(point, weight, "point")
    if weight.ndim != 2 or gamma.shape != weight.shape[:1]:
        raise ShapeError(
            f"expected weight of shape [out, k] and gamma of shape [out], got "
            f"{tuple(weight.shape)} and {tuple(gamma.shape)}."
        )
    if point.ndim < 1 or point.shape[-1] != weight.shape[-1]:
        raise ShapeError(
            f"point: expected shape [..., {weight.shape[-1]}], as the weights are for "
            f"points of this dimension, got {tuple(point.shape)}."
        )
