r"""The Grassmann manifold: p-dimensional subspaces of n-dimensional space.

A subspace is given by an orthonormal basis :math:`U` [n, p], up to
:math:`U \mapsto U Q` with orthogonal Q, or by its projector :math:`U U^\top`. With the
origin :math:`I_{n,p} = (I, 0)^\top`, a tangent vector there is a matrix B [n - p, p],
and

.. math:: \Omega(B) = \begin{pmatrix} 0 & -B^\top \\ B & 0 \end{pmatrix} , \qquad
          \mathrm{Exp}(B) = e^{\Omega(B)} I_{n,p} , \qquad
          V \oplus U = e^{\Omega(\mathrm{Log} V)} U .

Functions here take bases, and what they return depends on the subspace alone: any basis
of it gives the same subspace, the same logarithm and the same projector. Derivatives
are those of functions of subspaces, so no gap between eigenvalues or singular values of
the same subspace enters them.

References
----------
.. [E1998] A. Edelman, T. A. Arias and S. T. Smith. The geometry of algorithms with
   orthogonality constraints. SIAM J. Matrix Anal. Appl. 20, 1998.
.. [N2022] X. S. Nguyen. The gyro-structure of some matrix manifolds. NeurIPS 2022.
"""

import math

import numpy as np
import torch
from torch import Tensor
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from geomstats_cor.exceptions import ParameterError, ShapeError, SubspaceError
from geomstats_cor.kernels._autodiff import is_readable

# Gauss-Legendre rule for arccos(s) / sqrt(1 - s^2), error below 4.6^(-2 nodes). Lists:
# torch.compile takes them for constants.
_NODES, _WEIGHTS = (x.tolist() for x in np.polynomial.legendre.leggauss(14))
# Of angles, where their size cannot be read; enough for lengths of 4000.
_MOST_DOUBLINGS = 12


def require_dimensions(n: int, p: int) -> None:
    """Raise unless subspaces are proper.

    Parameters
    ----------
    n, p : int
        Dimensions of the space and of its subspaces.
    """
    if not (isinstance(n, int) and isinstance(p, int) and 1 <= p < n):
        raise ParameterError(
            f"expected subspaces of dimension p with 1 <= p < n, got p = {p} and "
            f"n = {n}."
        )


def require_bases(
    point: Tensor, n: int, p: int, channels: int | None = None, name: str = "point"
) -> None:
    """Raise unless a tensor holds orthonormal bases.

    Parameters
    ----------
    point : tensor, shape=[..., channels, n, p]
        Tensor.
    n, p : int
        Dimensions.
    channels : int or None
        Number of subspaces of an item; None for any number and no axis.
    name : str
        What the tensor is called.
    """
    expected = (n, p) if channels is None else (channels, n, p)
    if tuple(point.shape[-len(expected) :]) != expected or point.ndim < len(expected):
        raise ShapeError(
            f"{name}: expected shape [..., {', '.join(map(str, expected))}], got "
            f"{tuple(point.shape)}."
        )
    if not is_readable(point):
        return
    gram = point.detach().mT @ point.detach()
    identity = torch.eye(p, dtype=gram.dtype, device=gram.device)
    error = (gram - identity).abs().amax((-2, -1))
    # Bases made in single precision may come in double precision.
    bad = ~(error < 1e-3)
    if bool(bad.any()):
        where = _first(bad)
        rank = int(torch.linalg.matrix_rank(torch.nan_to_num(point.detach()[where])))
        raise SubspaceError(
            f"{_named(name, where)} is no orthonormal basis of a subspace: its columns "
            f"have rank {rank} and U'U differs from the identity by "
            f"{float(error[where]):.3g}, expected rank {p} and 0. "
            f"orthonormal_basis(x) makes one."
        )


def projector(basis: Tensor) -> Tensor:
    r"""Return the projector :math:`U U^\top`.

    Parameters
    ----------
    basis : tensor, shape=[..., n, p]
        Orthonormal bases.

    Returns
    -------
    projector : tensor, shape=[..., n, n]
        Projectors.

    Examples
    --------
    >>> import torch
    >>> from cornet_nn.spaces import projector
    >>> projector(torch.tensor([[0.0], [1.0]]))
    tensor([[0., 0.],
            [0., 1.]])
    """
    return basis @ basis.mT


def orthonormal_basis(columns: Tensor) -> Tensor:
    r"""Return an orthonormal basis of the span of columns: Q of :math:`X = Q R`.

    The gradient is exact, for all of Q,

    .. math:: \bar X = \left( (I - Q Q^\top) \bar Q + Q \, b(Q^\top \bar Q) \right)
              R^{-\top} , \qquad b(A) = \operatorname{tril}(A - A^\top) ;

    of a function of the span the second term vanishes.

    Parameters
    ----------
    columns : tensor, shape=[..., n, p]
        Matrices of full column rank.

    Returns
    -------
    basis : tensor, shape=[..., n, p]
        Orthonormal bases.

    Examples
    --------
    >>> import torch
    >>> from cornet_nn.spaces import orthonormal_basis
    >>> basis = orthonormal_basis(torch.tensor([[3.0], [4.0]]))
    >>> basis.abs()
    tensor([[0.6000],
            [0.8000]])
    """
    basis, triangle = torch.linalg.qr(columns)
    if is_readable(columns):
        diagonal = triangle.detach().diagonal(dim1=-2, dim2=-1).abs()
        smallest, largest = diagonal.amin(-1), diagonal.amax(-1)
        eps = torch.finfo(columns.dtype).eps
        bad = ~(smallest > 8 * columns.shape[-2] * eps * largest)
        if bool(bad.any()):
            where = _first(bad)
            raise SubspaceError(
                f"{_named('columns', where)} have rank below {columns.shape[-1]}: the "
                f"smallest diagonal entry of R is {float(smallest[where]):.3g}, the "
                f"largest {float(largest[where]):.3g}. Use a smaller p, or more frames."
            )
    return basis


def top_eigenspace(matrix: Tensor, p: int) -> Tensor:
    r"""Return an orthonormal basis of the span of the first p eigenvectors.

    As a function of the subspace its derivative is

    .. math:: dU = \sum_{k \le p < d} u_d \frac{u_d^\top dX \, u_k}{\lambda_k -
              \lambda_d} e_k^\top ,

    in which only gaps between kept and dropped eigenvalues occur: kept eigenvalues may
    coincide. The part of a gradient that turns the basis within the subspace is
    ignored, so what follows must be a function of the subspace. There is no second
    derivative.

    Parameters
    ----------
    matrix : tensor, shape=[..., n, n]
        Symmetric matrices.
    p : int
        Dimension of the subspace.

    Returns
    -------
    basis : tensor, shape=[..., n, p]
        Orthonormal bases.

    Examples
    --------
    >>> import torch
    >>> from cornet_nn.spaces import top_eigenspace
    >>> top_eigenspace(torch.diag(torch.tensor([1.0, 5.0, 5.0])), 2).abs().sum(-1)
    tensor([0., 1., 1.])
    """
    require_dimensions(matrix.shape[-1], p)
    return _TopEigenspace.apply(matrix, p)


class _TopEigenspace(Function):
    @staticmethod
    def forward(ctx, matrix, p):
        values, vectors = torch.linalg.eigh(matrix)
        kept, dropped = values[..., -p:], values[..., :-p]
        gap = kept[..., 0] - dropped[..., -1]
        scale = values.abs().amax(-1)
        bad = ~(gap > 8 * matrix.shape[-1] * torch.finfo(matrix.dtype).eps * scale)
        if is_readable(matrix) and bool(bad.any()):
            where = _first(bad)
            raise SubspaceError(
                f"{_named('matrix', where)} has no leading eigenspace of dimension "
                f"{p}: eigenvalues {p} and {p + 1} are {float(kept[where][0]):.6g} and "
                f"{float(dropped[where][-1]):.6g}. Use another p."
            )
        ctx.p = p
        ctx.save_for_backward(values, vectors)
        return vectors[..., -p:].clone()

    @staticmethod
    @once_differentiable
    def backward(ctx, cotangent):
        values, vectors = ctx.saved_tensors
        p = ctx.p
        kept, dropped = vectors[..., -p:], vectors[..., :-p]
        gaps = values[..., None, -p:] - values[..., :-p, None]
        turned = dropped @ ((dropped.mT @ cotangent) / gaps) @ kept.mT
        return 0.5 * (turned + turned.mT), None


def grassmann_log(basis: Tensor) -> Tensor:
    r"""Return the logarithm at the origin.

    .. math:: B = U_2 \, Q \operatorname{diag}(\theta_i / \sin \theta_i) R^\top , \qquad
              U_1^\top = Q \operatorname{diag}(\cos \theta_i) R^\top ,

    where :math:`U_1` are the first p rows of the basis, :math:`U_2` the others, and
    :math:`\theta_i` the principal angles. The quotient is an integral of a rational
    function, and so are its divided differences:

    .. math:: f(s) = \frac{\arccos s}{\sqrt{1 - s^2}} = \int_0^1 \frac{2 \, du}{1 + 2 s
              u + u^2} , \qquad
              \frac{f(s) - f(t)}{s - t} = - \int_0^1 \frac{4 u \, du}{(1 + 2 s u + u^2)
              (1 + 2 t u + u^2)} ,

    which need no threshold near :math:`\theta = 0`. At the cut locus, where two angles
    are :math:`\pi / 2`, the logarithm has no derivative: a finite one is returned.

    Parameters
    ----------
    basis : tensor, shape=[..., n, p]
        Orthonormal bases :math:`U`.

    Returns
    -------
    tangent_vec : tensor, shape=[..., n - p, p]
        Tangent vectors B, the same for every basis of a subspace.

    Examples
    --------
    The angle between a line and the first axis:

    >>> import torch
    >>> from cornet_nn.spaces import grassmann_log
    >>> grassmann_log(torch.tensor([[0.5], [0.75**0.5]])).rad2deg().round()
    tensor([[60.]])
    """
    p = basis.shape[-1]
    require_dimensions(basis.shape[-2], p)
    return basis[..., p:, :] @ _AngleOverSine.apply(basis[..., :p, :].mT)


class _AngleOverSine(Function):
    """Q diag(f(s)) R' of X = Q diag(s) R', with f(s) = arccos(s) / sqrt(1 - s^2)."""

    @staticmethod
    def forward(ctx, matrix):
        left, cosines, right = torch.linalg.svd(matrix)
        cosines = cosines.clamp(0.0, 1.0)
        nodes, weights = _rule(matrix.dtype, matrix.device)
        kernel = 1.0 / (1.0 + nodes * (2.0 * cosines[..., None] + nodes))
        quotients = 2.0 * (kernel * weights).sum(-1)
        ctx.save_for_backward(left, cosines, right, kernel, quotients)
        return (left * quotients[..., None, :]) @ right

    @staticmethod
    @once_differentiable
    def backward(ctx, cotangent):
        left, cosines, right, kernel, quotients = ctx.saved_tensors
        nodes, weights = _rule(cotangent.dtype, cotangent.device)
        slopes = -4.0 * ((kernel * (weights * nodes)) @ kernel.mT)
        total = cosines[..., :, None] + cosines[..., None, :]
        total = total.clamp_min(torch.finfo(cotangent.dtype).eps)
        turns = (quotients[..., :, None] + quotients[..., None, :]) / total
        moved = left.mT @ cotangent @ right.mT
        stretch, turn = 0.5 * (moved + moved.mT), 0.5 * (moved - moved.mT)
        return left @ (slopes * stretch + turns * turn) @ right


def _rule(dtype, device):
    """Return the nodes and weights of the rule on [0, 1]."""
    nodes = torch.tensor(_NODES, dtype=dtype, device=device)
    weights = torch.tensor(_WEIGHTS, dtype=dtype, device=device)
    return 0.5 * (1.0 + nodes), 0.5 * weights


def grassmann_exp(tangent_vec: Tensor) -> Tensor:
    r"""Return the exponential at the origin, :math:`e^{\Omega(B)} I_{n,p}`.

    .. math:: \mathrm{Exp}(B) = \begin{pmatrix} \cos \sqrt A \\ B \, \operatorname{sinc}
              \sqrt A \end{pmatrix} , \qquad A = B^\top B ,

    where both functions are entire: polynomials of p columns instead of n, with
    derivatives of all orders.

    Parameters
    ----------
    tangent_vec : tensor, shape=[..., n - p, p]
        Tangent vectors B.

    Returns
    -------
    basis : tensor, shape=[..., n, p]
        Orthonormal bases.

    Examples
    --------
    >>> import torch
    >>> from cornet_nn.spaces import grassmann_exp
    >>> grassmann_exp(torch.tensor([[torch.pi / 3]]))
    tensor([[0.5000],
            [0.8660]])
    """
    cosine, sine, _ = _trigonometric(tangent_vec.mT @ tangent_vec)
    return torch.cat([cosine, tangent_vec @ sine], dim=-2)


def grassmann_translate(tangent_vec: Tensor, basis: Tensor) -> Tensor:
    r"""Return :math:`e^{\Omega(B)} U`: the gyro-addition of Exp(B) from the left.

    .. math:: e^{\Omega(B)} = \begin{pmatrix} \cos \sqrt A & - \operatorname{sinc}
              (\sqrt A) B^\top \\ B \operatorname{sinc} \sqrt A & I - \tfrac12 B
              \operatorname{sinc}^2(\sqrt A / 2) B^\top \end{pmatrix} .

    Parameters
    ----------
    tangent_vec : tensor, shape=[..., n - p, p]
        Tangent vectors B at the origin.
    basis : tensor, shape=[..., n, p]
        Orthonormal bases U.

    Returns
    -------
    basis : tensor, shape=[..., n, p]
        Orthonormal bases.

    Examples
    --------
    Lines of the plane are turned:

    >>> import torch
    >>> from cornet_nn.spaces import grassmann_exp, grassmann_translate
    >>> angle = torch.tensor([[torch.pi / 6]])
    >>> grassmann_translate(angle, grassmann_exp(angle))
    tensor([[0.5000],
            [0.8660]])
    """
    p = basis.shape[-1]
    above, below = basis[..., :p, :], basis[..., p:, :]
    cosine, sine, half_sine = _trigonometric(tangent_vec.mT @ tangent_vec)
    across = tangent_vec.mT @ below
    top = cosine @ above - sine @ across
    inside = sine @ above - 0.5 * (half_sine @ (half_sine @ across))
    return torch.cat([top, below + tangent_vec @ inside], dim=-2)


def _trigonometric(square):
    r"""Return cos(X), sinc(X) and sinc(X / 2) for the square A of a matrix X.

    Taylor polynomials of a multiple of A, then doubled angles:
    :math:`\operatorname{sinc} 2x = \operatorname{sinc} x \cos x`, and
    :math:`v(2x) = 2 v(x) (2 - v(x))` for :math:`v = 1 - \cos`, in which no digits are
    lost, however often an angle is doubled.
    """
    doublings = _MOST_DOUBLINGS
    if is_readable(square):
        size = float(torch.linalg.matrix_norm(square.detach()).amax())
        size = size if math.isfinite(size) else 0.5
        doublings = max(1, math.ceil(math.log(max(size, 0.5) / 0.5, 4.0)))
    x = square / 4.0**doublings
    identity = torch.eye(x.shape[-1], dtype=x.dtype, device=x.device)
    powers = [identity, x, x @ x]
    powers.append(powers[2] @ x)
    fourth = powers[2] @ powers[2]

    def series(first):
        """Return the sum of (-x)^k / (2 k + first)! up to k = 8."""
        terms = [(-1.0) ** k / math.factorial(2 * k + first) for k in range(9)]
        low = sum(c * power for c, power in zip(terms[:4], powers, strict=True))
        high = sum(c * power for c, power in zip(terms[4:8], powers, strict=True))
        return low + fourth @ (high + terms[8] * fourth)

    versine, sine = x @ series(2), series(1)
    for _ in range(doublings):
        half_sine = sine
        sine = sine - sine @ versine
        versine = 2.0 * (2.0 * versine - versine @ versine)
    return identity - versine, sine, half_sine


def _first(bad):
    return tuple(int(i) for i in bad.nonzero()[0])


def _named(name, where):
    return f"{name}[{', '.join(map(str, where))}]" if where else name
