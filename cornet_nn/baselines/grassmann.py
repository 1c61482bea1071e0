r"""Networks on Grassmann manifolds: GrNet, GyroGr and GyroGr-Scaling.

An input [in_channels, n, p] holds an orthonormal basis for each channel; no layer
depends on which basis of a subspace is given.

References
----------
.. [H2018] Z. Huang, J. Wu and L. Van Gool. Building deep networks on Grassmann
   manifolds. AAAI 2018.
.. [N2023] X. S. Nguyen and S. Yang. Building neural networks on matrix manifolds: a
   gyrovector space approach. ICML 2023.
.. [N2024] X. S. Nguyen, S. Yang and A. Histace. Matrix manifold neural networks++. ICLR
   2024.
"""

import math
from typing import Any

import torch
from torch import Tensor, nn

from cornet_nn._precision import in_full_precision
from cornet_nn._validation import require_positive
from cornet_nn.spaces.grassmann import (
    grassmann_exp,
    grassmann_log,
    grassmann_translate,
    orthonormal_basis,
    projector,
    require_bases,
    require_dimensions,
    top_eigenspace,
)
from geomstats_cor.exceptions import ParameterError

from .network import BaselineNetwork, OrthonormalRows, with_channels


class FullRankMap(nn.Module):
    """FRMap and ReOrth of GrNet: an orthonormal basis of W U for each channel.

    Parameters
    ----------
    n, m : int
        Dimensions of the space before and after, with m at most n.
    in_channels : int
        Number of subspaces in an input, each with a W of its own.
    device : torch.device
        Device of the parameters.
    dtype : torch.dtype
        Dtype of the parameters.

    Notes
    -----
    Input [..., in_channels, n, p], output [..., in_channels, m, p]. The rows of W are
    orthonormal; see `OrthonormalRows`.

    Examples
    --------
    >>> import torch
    >>> from cornet_nn.baselines import FullRankMap
    >>> _ = torch.manual_seed(0)
    >>> layer = FullRankMap(6, 4, in_channels=3)
    >>> layer(torch.eye(6)[:, :2].expand(8, 3, 6, 2)).shape
    torch.Size([8, 3, 4, 2])
    """

    def __init__(self, n, m, in_channels=1, device=None, dtype=None):
        super().__init__()
        self.map = OrthonormalRows(m, n, in_channels, device, dtype)

    def reset_parameters(self) -> None:
        """Draw the maps again."""
        self.map.reset_parameters()

    @in_full_precision
    def forward(self, basis: Tensor) -> Tensor:
        """Return orthonormal bases of W U.

        Parameters
        ----------
        basis : tensor, shape=[..., in_channels, n, p]
            Orthonormal bases U.

        Returns
        -------
        basis : tensor, shape=[..., in_channels, m, p]
            Orthonormal bases.
        """
        return orthonormal_basis(self.map() @ basis)


class ProjectorPooling(nn.Module):
    """Means of projectors over blocks of entries, and over channels.

    Parameters
    ----------
    block : int
        Size of the blocks (W-ProjPooling); 1 for none. A row and a column of zeros is
        added at the end as often as the size is no multiple.
    instances : int
        Number of neighbouring channels in a mean (A-ProjPooling); 1 for none.

    Notes
    -----
    Input [..., in_channels, n, n], output [..., in_channels / instances, n / block,
    n / block], rounded up.

    Examples
    --------
    >>> import torch
    >>> from cornet_nn.baselines import ProjectorPooling
    >>> ProjectorPooling()(torch.eye(4)[None])
    tensor([[[0.5000, 0.0000],
             [0.0000, 0.5000]]])
    """

    def __init__(self, block=2, instances=1):
        super().__init__()
        require_positive(block=block, instances=instances)
        self.block, self.instances = block, instances

    def forward(self, projectors: Tensor) -> Tensor:
        """Return the means.

        Parameters
        ----------
        projectors : tensor, shape=[..., channels, n, n]
            Projectors.

        Returns
        -------
        means : tensor, shape=[..., channels / instances, n / block, n / block]
            Means, symmetric positive semidefinite matrices.
        """
        pooled = pooled_rows(pooled_rows(projectors, self.block).mT, self.block)
        in_channels = pooled.shape[-3]
        if in_channels % self.instances:
            raise ParameterError(
                f"expected a number of channels that {self.instances} divides, got "
                f"{in_channels}."
            )
        return pooled.unflatten(-3, (-1, self.instances)).mean(-3)

    def extra_repr(self) -> str:
        """Return the sizes of blocks."""
        return f"block={self.block}, instances={self.instances}"


def pooled_rows(x: Tensor, block: int) -> Tensor:
    """Return means over blocks of rows, padded by zeros at the end.

    Pooling of the projector of a subspace is the product with its transpose of the
    pooled basis.

    Parameters
    ----------
    x : tensor, shape=[..., n, k]
        Matrices.
    block : int
        Number of rows in a block.

    Returns
    -------
    pooled : tensor, shape=[..., n / block, k]
        Means; the number of rows is rounded up.
    """
    missing = -x.shape[-2] % block
    if missing:
        x = nn.functional.pad(x, (0, 0, 0, missing))
    return x.unflatten(-2, (-1, block)).mean(-2)


class TopEigenspace(nn.Module):
    """OrthMap of GrNet: a basis of the span of the leading eigenvectors.

    Parameters
    ----------
    p : int
        Dimension of the subspace.

    Notes
    -----
    Input [..., n, n], output [..., n, p]. See `cornet_nn.spaces.top_eigenspace` for the
    derivative.

    Examples
    --------
    >>> import torch
    >>> from cornet_nn.baselines import TopEigenspace
    >>> TopEigenspace(1)(torch.diag(torch.tensor([1.0, 5.0]))).abs()
    tensor([[0.],
            [1.]])
    """

    def __init__(self, p):
        super().__init__()
        require_positive(p=p)
        self.p = p

    @in_full_precision
    def forward(self, matrix: Tensor) -> Tensor:
        """Return orthonormal bases.

        Parameters
        ----------
        matrix : tensor, shape=[..., n, n]
            Symmetric matrices.

        Returns
        -------
        basis : tensor, shape=[..., n, p]
            Orthonormal bases.
        """
        return top_eigenspace(matrix, self.p)

    def extra_repr(self) -> str:
        """Return the dimension."""
        return f"p={self.p}"


class _Motion(nn.Module):
    """A motion of each channel, with a weight for every entry of a tangent vector."""

    def __init__(self, n, p, in_channels=1, device=None, dtype=None):
        super().__init__()
        require_dimensions(n, p)
        require_positive(in_channels=in_channels)
        options = dict(device=device, dtype=dtype)
        self.weight = nn.Parameter(torch.empty(in_channels, n - p, p, **options))


class GrassmannTranslation(_Motion):
    r"""The translation :math:`U \mapsto e^{\Omega(B)} U` of each channel.

    Parameters
    ----------
    n, p : int
        Dimensions of the space and of its subspaces.
    in_channels : int
        Number of subspaces in an input.
    device : torch.device
        Device of the parameters.
    dtype : torch.dtype
        Dtype of the parameters.

    Attributes
    ----------
    weight : tensor, shape=[in_channels, n - p, p]
        Tangent vectors B at the origin.

    Notes
    -----
    Input and output [..., in_channels, n, p].

    Examples
    --------
    >>> import torch
    >>> from cornet_nn.baselines import GrassmannTranslation
    >>> layer = GrassmannTranslation(6, 2, in_channels=3)
    >>> layer(torch.eye(6)[:, :2].expand(8, 3, 6, 2)).shape
    torch.Size([8, 3, 6, 2])
    """

    def __init__(self, n, p, in_channels=1, device=None, dtype=None):
        super().__init__(n, p, in_channels, device, dtype)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw vectors of about unit length."""
        nn.init.normal_(self.weight, std=1.0 / math.sqrt(self.weight[0].numel()))

    @in_full_precision
    def forward(self, basis: Tensor) -> Tensor:
        """Return the translated subspaces.

        Parameters
        ----------
        basis : tensor, shape=[..., in_channels, n, p]
            Orthonormal bases.

        Returns
        -------
        basis : tensor, shape=[..., in_channels, n, p]
            Orthonormal bases.
        """
        return grassmann_translate(self.weight, basis)


class GrassmannScaling(_Motion):
    r"""The scaling :math:`U \mapsto e^{\Omega(W \odot \mathrm{Log} U)} I_{n,p}`.

    Parameters
    ----------
    n, p : int
        Dimensions of the space and of its subspaces.
    in_channels : int
        Number of subspaces in an input.
    initial : float
        Initial value of all weights; 1 is the identity.
    device : torch.device
        Device of the parameters.
    dtype : torch.dtype
        Dtype of the parameters.

    Attributes
    ----------
    weight : tensor, shape=[in_channels, n - p, p]
        Factors of the entries of the logarithm at the origin.

    Notes
    -----
    Input and output [..., in_channels, n, p].

    Examples
    --------
    >>> import torch
    >>> from cornet_nn.baselines import GrassmannScaling
    >>> layer = GrassmannScaling(6, 2, in_channels=3)
    >>> layer(torch.eye(6)[:, :2].expand(8, 3, 6, 2)).shape
    torch.Size([8, 3, 6, 2])
    """

    def __init__(self, n, p, in_channels=1, initial=1.0, device=None, dtype=None):
        super().__init__(n, p, in_channels, device, dtype)
        self.initial = initial
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set all factors to their initial value."""
        nn.init.constant_(self.weight, self.initial)

    @in_full_precision
    def forward(self, basis: Tensor) -> Tensor:
        """Return the scaled subspaces.

        Parameters
        ----------
        basis : tensor, shape=[..., in_channels, n, p]
            Orthonormal bases.

        Returns
        -------
        basis : tensor, shape=[..., in_channels, n, p]
            Orthonormal bases.
        """
        return self.scaled(grassmann_log(basis))

    def scaled(self, tangent_vec: Tensor) -> Tensor:
        """Return the scaled subspaces of given logarithms.

        Parameters
        ----------
        tangent_vec : tensor, shape=[..., in_channels, n - p, p]
            Logarithms at the origin.

        Returns
        -------
        basis : tensor, shape=[..., in_channels, n, p]
            Orthonormal bases.
        """
        return grassmann_exp(self.weight * tangent_vec)


class _SubspaceNetwork(BaselineNetwork):
    """What the networks share: the way from subspaces to logits.

    The published chain is projectors, their means over blocks, leading eigenvectors,
    projectors, a linear layer. Means over blocks of a projector of rank p have rank p:
    their leading eigenspace is the span of the pooled basis, and a QR decomposition of
    it replaces an eigendecomposition of n / 2 rows. Means over channels have a higher
    rank, and are decomposed.
    """

    def __init__(self, n, p, m, num_classes, in_channels, block, instances, options):
        super().__init__()
        require_dimensions(n, p)
        require_positive(num_classes=num_classes, in_channels=in_channels, block=block)
        self.n, self.p, self.in_channels = n, p, in_channels
        self.block, self.instances = block, instances
        size = -(-m // block)
        if p >= size:
            raise ParameterError(
                f"expected p < {size}, the dimension after pooling blocks of {block} "
                f"of {m}, got p = {p}."
            )
        if in_channels % instances:
            raise ParameterError(
                f"instances: expected a divisor of the {in_channels} channels, got "
                f"{instances}."
            )
        features = in_channels // instances * size * size
        self.linear = nn.Linear(features, num_classes, **options)

    def _checked(self, x):
        x = with_channels(x, self.in_channels, (self.n, self.p))
        require_bases(x, self.n, self.p, self.in_channels)
        return x

    def _logits(self, basis):
        pooled = pooled_rows(basis, self.block)
        if self.instances == 1:
            span = orthonormal_basis(pooled)
        else:
            mean = projector(pooled).unflatten(-3, (-1, self.instances)).mean(-3)
            span = top_eigenspace(mean, self.p)
        return self.linear(projector(span).flatten(-3))


class GrNet(_SubspaceNetwork):
    """GrNet: full-rank map, re-orthonormalisation, pooling of projectors, linear layer.

    Parameters
    ----------
    n, p : int
        Dimensions of the space and of its subspaces.
    num_classes : int
        Number of classes.
    in_channels : int
        Number of subspaces in an input.
    m : int
        Dimension after the full-rank map; 0.8 n if None, which is 16 for 20.
    block : int
        Size of the blocks over which projectors are averaged.
    instances : int
        Number of neighbouring channels whose projectors are averaged; 1 for none.
    device : torch.device
        Device of the parameters.
    dtype : torch.dtype
        Dtype of the parameters.

    Examples
    --------
    >>> import torch
    >>> from cornet_nn.baselines import GrNet
    >>> from cornet_nn.spaces import orthonormal_basis
    >>> _ = torch.manual_seed(0)
    >>> model = GrNet(10, 2, num_classes=3, in_channels=4)
    >>> model(orthonormal_basis(torch.randn(8, 4, 10, 2))).shape
    torch.Size([8, 3])
    """

    def __init__(
        self,
        n,
        p,
        num_classes,
        in_channels=8,
        m=None,
        block=2,
        instances=1,
        device=None,
        dtype=None,
    ):
        m = round(0.8 * n) if m is None else m
        options = dict(device=device, dtype=dtype)
        super().__init__(n, p, m, num_classes, in_channels, block, instances, options)
        self.map = FullRankMap(n, m, in_channels, **options)

    def _features(self, x):
        """Return the bases with their axis of channels."""
        return self._checked(x)

    def _from_features(self, features):
        return self._logits(self.map(features))


class GyroGrNet(_SubspaceNetwork):
    """GyroGr and GyroGr-Scaling: translation or scaling, pooling, linear layer.

    Parameters
    ----------
    n, p : int
        Dimensions of the space and of its subspaces.
    num_classes : int
        Number of classes.
    in_channels : int
        Number of subspaces in an input.
    scaling : bool
        Whether the first layer is a `GrassmannScaling`; a `GrassmannTranslation`
        otherwise.
    initial : float
        Initial value of the weights of a scaling.
    block : int
        Size of the blocks over which projectors are averaged.
    device : torch.device
        Device of the parameters.
    dtype : torch.dtype
        Dtype of the parameters.

    Examples
    --------
    >>> import torch
    >>> from cornet_nn.baselines import GyroGrNet
    >>> from cornet_nn.spaces import orthonormal_basis
    >>> model = GyroGrNet(10, 2, num_classes=3, in_channels=4, scaling=True)
    >>> model(orthonormal_basis(torch.randn(8, 4, 10, 2))).shape
    torch.Size([8, 3])
    """

    def __init__(
        self,
        n,
        p,
        num_classes,
        in_channels=8,
        scaling=False,
        initial=1.0,
        block=2,
        device=None,
        dtype=None,
    ):
        options = dict(device=device, dtype=dtype)
        super().__init__(n, p, n, num_classes, in_channels, block, 1, options)
        self.scaling = scaling
        self.motion: Any
        if scaling:
            self.motion = GrassmannScaling(n, p, in_channels, initial, **options)
        else:
            self.motion = GrassmannTranslation(n, p, in_channels, **options)

    def _features(self, x):
        """Return the bases, or their logarithms for a scaling."""
        x = self._checked(x)
        return grassmann_log(x) if self.scaling else x

    def _from_features(self, features):
        motion = self.motion.scaled if self.scaling else self.motion
        return self._logits(motion(features))
