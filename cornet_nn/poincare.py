r"""The layers of the Poincaré ball as functions.

The ball of curvature :math:`K < 0` is :math:`\{x : |x|^2 < -1 / K\}`, with origin 0.

References
----------
.. [G2018] O. Ganea, G. Bécigneul and T. Hofmann. Hyperbolic neural networks.
   NeurIPS 2018.
.. [S2021] R. Shimizu, Y. Mukuta and T. Harada. Hyperbolic neural networks++. ICLR 2021.
"""

import math

from geomstats_cor import kernels
from geomstats_cor.exceptions import ParameterError, ShapeError


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
    curvature = float(curvature)
    if not (math.isfinite(curvature) and curvature < 0.0):
        raise ParameterError(
            f"the curvature of a Poincaré ball is negative, not {curvature}: pass "
            f"curvature=-1.0, or one close to zero for nearly Euclidean layers."
        )
    return curvature


def poincare_exp0(tangent_vec, curvature=-1.0):
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

    Examples
    --------
    >>> import torch
    >>> float(poincare_exp0(torch.tensor([0.5]))) == float(torch.tensor(0.5).tanh())
    True
    """
    return kernels.ball_exp(tangent_vec, require_curvature(curvature))


def poincare_log0(point, curvature=-1.0):
    r"""Return the logarithm at the origin, the inverse of `poincare_exp0`.

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
    """
    return kernels.ball_log(point, require_curvature(curvature))


def poincare_mlr(point, weight, gamma, curvature=-1.0):
    r"""Return the logits of the Poincaré multinomial logistic regression.

    .. math:: v_k(x) = \frac{2 |z_k|}{\kappa} \operatorname{asinh}\left(
              \lambda_x \kappa \langle x, [z_k] \rangle \cosh(2 \kappa \gamma_k)
              - (\lambda_x - 1) \sinh(2 \kappa \gamma_k)\right), \qquad
              \lambda_x = \frac{2}{1 - \kappa^2 |x|^2} ,

    with :math:`\kappa = \sqrt{-K}` and :math:`[z] = z / |z|`. As :math:`K \to 0` they
    tend to :math:`4 (\langle x, z_k \rangle - \gamma_k |z_k|)`.

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
    """
    _require_weights(point, weight, gamma)
    return kernels.ball_logits(point, weight, gamma, require_curvature(curvature))


def poincare_fc(point, weight, gamma, curvature=-1.0):
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
    """
    curvature = require_curvature(curvature)
    logits = poincare_mlr(point, weight, gamma, curvature)
    return kernels.ball_from_distances(logits, curvature)


def beta_concat(points, curvature=-1.0):
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
    """
    points = tuple(points)
    if not points:
        raise ShapeError("there are no points to concatenate: pass at least one.")
    return kernels.ball_concat(points, require_curvature(curvature))


def beta_split(point, sizes, curvature=-1.0):
    r"""Return the :math:`\beta`-split of a point, the inverse of `beta_concat`.

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
    """
    sizes = tuple(sizes)
    if sum(sizes) != point.shape[-1] or min(sizes, default=0) < 1:
        raise ShapeError(
            f"sizes {sizes} do not add up to the dimension {point.shape[-1]} of the "
            f"point, positive numbers that they are to be."
        )
    return kernels.ball_split(point, sizes, require_curvature(curvature))


def _require_weights(point, weight, gamma):
    if weight.ndim != 2 or gamma.shape != weight.shape[:1]:
        raise ShapeError(
            f"weight has shape {tuple(weight.shape)} and gamma {tuple(gamma.shape)}: "
            f"[out, k] and [out] are wanted."
        )
    if point.ndim < 1 or point.shape[-1] != weight.shape[-1]:
        raise ShapeError(
            f"the input has shape {tuple(point.shape)}, but the weights are for points "
            f"of dimension {weight.shape[-1]}: [..., {weight.shape[-1]}] is wanted."
        )
