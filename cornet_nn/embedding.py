"""From skeleton sequences to covariance matrices: Gaussian embedding and pyramid.

References
----------
.. [C2026] Z. Chen, X. Wu, B. Schölkopf and N. Sebe. Riemannian networks over full-rank
   correlation matrices. ICML 2026. Appendix "Input data".
.. [L2000] M. Lovrić, M. Min-Oo and E. A. Ruh. Multivariate normal distributions
   parametrized as a Riemannian symmetric space. J. Multivariate Anal. 74, 2000.
"""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from geomstats_cor import kernels
from geomstats_cor.exceptions import ParameterError, ShapeError

from ._precision import in_full_precision, require_tensor
from ._validation import require_definite, require_positive
from .front_end import CovariancePooling, Shrinkage


class JointFeatures(nn.Module):
    r"""The coordinates of every joint, followed by those of a neighbour.

    .. math:: (x_j, x_{\nu(j)}) .

    Parameters
    ----------
    neighbors : sequence of int
        Index :math:`\nu(j)` of the neighbour of each joint.

    Notes
    -----
    Input [..., joints, k], output [..., joints, 2 k].

    References
    ----------
    .. [C2026] Z. Chen, X. Wu, B. Schölkopf and N. Sebe. Riemannian networks over
       full-rank correlation matrices. ICML 2026.

    Examples
    --------
    >>> import torch
    >>> from cornet_nn import JointFeatures
    >>> JointFeatures([1, 0])(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor([[1., 2., 3., 4.],
            [3., 4., 1., 2.]])
    """

    def __init__(self, neighbors: Sequence[int]):
        super().__init__()
        neighbors = tuple(int(index) for index in neighbors)
        if not all(0 <= index < len(neighbors) for index in neighbors):
            raise ParameterError(
                f"neighbors must be indices from 0 to {len(neighbors) - 1}, one for "
                f"each of {len(neighbors)} joints."
            )
        self.neighbors = neighbors

    def forward(self, joints: Tensor) -> Tensor:
        """Return the features of the joints.

        Parameters
        ----------
        joints : tensor, shape=[..., joints, k]
            Coordinates of the joints.

        Returns
        -------
        features : tensor, shape=[..., joints, 2 k]
            Coordinates of each joint and of its neighbour.
        """
        require_tensor(joints)
        if joints.ndim < 2 or joints.shape[-2] != len(self.neighbors):
            raise ShapeError(
                f"the input: expected shape [..., {len(self.neighbors)}, k], a row for "
                f"each joint, got {tuple(joints.shape)}."
            )
        neighbors = torch.tensor(self.neighbors, device=joints.device)
        return torch.cat([joints, joints.index_select(-2, neighbors)], -1)

    def extra_repr(self) -> str:
        """Return the neighbours."""
        return f"neighbors={self.neighbors}"


class GaussianEmbedding(nn.Module):
    r"""The logarithm of the normal distribution of a set of vectors, as a vector.

    With the mean :math:`\mu` and the covariance :math:`\Sigma` of vectors of dimension
    k, the lower triangle of :math:`\log Y`,

    .. math:: Y = (\det \Sigma)^{-\frac{1}{k + 1}}
              \begin{pmatrix} \Sigma + \mu \mu^\top & \mu \\ \mu^\top & 1
              \end{pmatrix} .

    Parameters
    ----------
    shrinkage : float
        Amount of shrinkage of the covariance, which must be of full rank.

    Notes
    -----
    Input [..., vectors, k], output [..., (k + 1) (k + 2) / 2]. Far from the origin, or
    for small covariances, the matrix is ill-conditioned: its logarithm is computed in
    float64, whatever the vectors are.

    References
    ----------
    .. [L2000] M. Lovrić, M. Min-Oo and E. A. Ruh. Multivariate normal distributions
       parametrized as a Riemannian symmetric space. J. Multivariate Anal. 74, 2000.
    .. [C2026] Z. Chen, X. Wu, B. Schölkopf and N. Sebe. Riemannian networks over
       full-rank correlation matrices. ICML 2026.

    Examples
    --------
    >>> import torch
    >>> from cornet_nn import GaussianEmbedding
    >>> embedding, vectors = GaussianEmbedding(), torch.randn(4, 50, 31, 6)
    >>> embedding(vectors).shape
    torch.Size([4, 50, 28])
    >>> bool((embedding.matrix(vectors).det() - 1.0).abs().max() < 1e-3)
    True
    """

    def __init__(self, shrinkage: float = 1e-3):
        super().__init__()
        self.pooling = CovariancePooling()
        self.shrinkage = Shrinkage(shrinkage)

    @in_full_precision
    def forward(self, vectors: Tensor) -> Tensor:
        r"""Return the embedding of each set of vectors.

        Parameters
        ----------
        vectors : tensor, shape=[..., vectors, k]
            Vectors.

        Returns
        -------
        embedding : tensor, shape=[..., (k + 1) (k + 2) / 2]
            Lower triangles of :math:`\log Y`, row by row.
        """
        matrix = self.matrix(vectors.double())
        logarithm = kernels.sym_log(matrix)
        require_definite(matrix, logarithm, "the embedding of a set of vectors")
        rows, columns = torch.tril_indices(
            *logarithm.shape[-2:], device=logarithm.device
        )
        return logarithm[..., rows, columns].to(vectors.dtype)

    def matrix(self, vectors: Tensor) -> Tensor:
        """Return the positive definite matrix :math:`Y`, of determinant one.

        Parameters
        ----------
        vectors : tensor, shape=[..., vectors, k]
            Vectors.

        Returns
        -------
        matrix : tensor, shape=[..., k + 1, k + 1]
            Matrix.
        """
        covariance = self.shrinkage(self.pooling(vectors.mT))
        mean = vectors.mean(-2)[..., None]
        # The determinant of the block matrix is that of Sigma.
        factor, failed = torch.linalg.cholesky_ex(covariance)
        deviations = factor.diagonal(dim1=-2, dim2=-1)
        deviations = deviations.masked_fill(failed.bool()[..., None], torch.nan)
        require_definite(covariance, deviations)
        scale = (-2.0 / (deviations.shape[-1] + 1) * deviations.log().sum(-1)).exp()
        return scale[..., None, None] * _augmented(covariance, mean)


class TemporalPyramid(nn.Module):
    r"""Covariance matrices over the windows of a temporal pyramid.

    .. math:: \operatorname{Cov}\left\{ x_t : \lfloor w T / 2^\ell \rfloor \le t
              < \lfloor (w + 1) T / 2^\ell \rfloor \right\} , \qquad w < 2^\ell .

    Level by level, the sequence of length :math:`T` is cut into :math:`2^\ell = 1, 2,
    4, \dots` windows, and the covariance matrix of each, see `CovariancePooling`, is
    shrunk. With `augmented`, the mean :math:`m` of each window is kept beside its
    covariance matrix :math:`S`,

    .. math:: \begin{pmatrix} S + m m^\top & m \\ m^\top & 1 \end{pmatrix} .

    Parameters
    ----------
    levels : int
        Number of levels.
    shrinkage : float
        Amount of shrinkage of the covariance matrices.
    augmented : bool
        Whether to keep the means of the windows.

    Notes
    -----
    Input [..., T, k], output [..., 2 ** levels - 1, n, n], where n is k, or k + 1 if
    the matrices are augmented.

    References
    ----------
    .. [C2026] Z. Chen, X. Wu, B. Schölkopf and N. Sebe. Riemannian networks over
       full-rank correlation matrices. ICML 2026.

    Examples
    --------
    >>> import torch
    >>> from cornet_nn import CovariancePooling, TemporalPyramid
    >>> sequence = torch.randn(4, 50, 28)
    >>> covariances = TemporalPyramid(levels=2, shrinkage=0.0)(sequence)
    >>> covariances.shape
    torch.Size([4, 3, 28, 28])
    >>> torch.allclose(covariances[:, 0], CovariancePooling()(sequence.mT))
    True
    """

    def __init__(
        self, levels: int = 2, shrinkage: float = 1e-3, augmented: bool = False
    ):
        super().__init__()
        require_positive(levels=levels)
        self.levels, self.augmented = levels, augmented
        self.pooling = CovariancePooling()
        self.shrinkage = Shrinkage(shrinkage)

    @in_full_precision
    def forward(self, sequence: Tensor) -> Tensor:
        """Return the covariance matrices of the windows.

        Parameters
        ----------
        sequence : tensor, shape=[..., T, k]
            Sequences of vectors.

        Returns
        -------
        covariances : tensor, shape=[..., 2 ** levels - 1, n, n]
            Symmetric positive definite matrices, level by level.
        """
        if sequence.ndim < 2:
            raise ShapeError(
                f"the sequence: expected shape [..., T, k], got "
                f"{tuple(sequence.shape)}."
            )
        signal, length = sequence.mT, sequence.shape[-2]
        finest = 2 ** (self.levels - 1)
        if length < 2 * finest:
            raise ShapeError(
                f"the sequence: expected at least {2 * finest} steps, for {finest} "
                f"windows of two, got {length}. Use fewer levels."
            )
        bounds = [
            (window * length // count, (window + 1) * length // count)
            for count in (2**level for level in range(self.levels))
            for window in range(count)
        ]
        covariances = [self.pooling(signal[..., a:b]) for a, b in bounds]
        covariances = self.shrinkage(torch.stack(covariances, -3))
        if not self.augmented:
            return covariances
        means = [signal[..., a:b].mean(-1, keepdim=True) for a, b in bounds]
        return _augmented(covariances, torch.stack(means, -3))

    def extra_repr(self) -> str:
        """Return the number of levels, and whether the matrices are augmented."""
        return f"levels={self.levels}" + ", augmented=True" * self.augmented


def _augmented(covariance, mean):
    """Return [S + m m', m; m', 1] of covariances [..., k, k] and means [..., k, 1]."""
    above = torch.cat([covariance + mean @ mean.mT, mean], -1)
    below = torch.cat([mean.mT, torch.ones_like(mean[..., :1, :])], -1)
    return torch.cat([above, below], -2)
