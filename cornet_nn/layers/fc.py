"""The fully connected layer between correlation matrices."""

from typing import Any

from torch import Tensor

from .._validation import renamed_keyword, require_basis_of
from .hyperplane import HyperplaneLayer


class CorFC(HyperplaneLayer):
    r"""The fully connected layer from matrices of size n to one of size m.

    The output :math:`Y` has the logits of the input as signed distances to the
    hyperplanes through the identity,

    .. math:: \operatorname{sign}(\langle \mathrm{Log}_I Y, O_k \rangle_I) \,
              d(Y, H_{O_k, I}) = v_k(C), \qquad k = 1, \dots, m (m - 1) / 2 ,

    where the :math:`O_k` are an orthonormal basis of the tangent space at the identity.
    For a flat metric, these are orthonormal coordinates of :math:`Y`. For the
    poly-hyperbolic metric, the equations hold in the Poincaré ball, see `poincare_fc`,
    and a :math:`\beta`-split makes rows of a matrix of the point.

    Parameters
    ----------
    space_in : FullRankCorrelationMatrices or int
        Space of the input with a metric, or the size of its matrices.
    space_out : FullRankCorrelationMatrices or int
        Space of the output with a metric, which may be another one, or its size.
    in_channels : int or None
        Number of matrices in an input; None if there is no axis of channels.
    metric : str or type
        Key or class of the metric, for sizes that are given as numbers.
    bias : bool
        Whether hyperplanes have offsets; otherwise they pass through the identity.
    basis : {"orthonormal", "printed"}
        Basis :math:`O_k`: an orthonormal one, or that of the theorem of [C2026]. They
        differ for the log-scaled metric, where the printed one is not orthonormal.
    device : torch.device
        Device of the parameters.
    dtype : torch.dtype
        Dtype of the parameters.

    Attributes
    ----------
    weight : tensor, shape=[m (m - 1) / 2, in_channels, n (n - 1) / 2]
        Covectors of the normals :math:`Z_k`; see `Hyperplanes.to_weight`.
    gamma : tensor, shape=[m (m - 1) / 2, in_channels], or None
        Offsets; [m (m - 1) / 2, 1] for the poly-hyperbolic metric.

    Notes
    -----
    Input [..., in_channels, n, n], or [..., n, n] without channels; output
    [..., m, m].

    References
    ----------
    .. [C2026] Z. Chen, X. Wu, B. Schölkopf and N. Sebe. Riemannian networks over
       full-rank correlation matrices. ICML 2026. Theorem "Log-Euclidean FC layers".

    Examples
    --------
    >>> import torch
    >>> from cornet_nn import CorFC
    >>> layer = CorFC(5, 3, metric="olm")
    >>> layer(torch.eye(5).expand(8, 5, 5)).shape
    torch.Size([8, 3, 3])
    """

    @renamed_keyword("channels", "in_channels")
    def __init__(
        self,
        space_in: Any,
        space_out: Any,
        in_channels: int | None = None,
        *,
        metric: Any = None,
        bias: bool = True,
        basis: str = "orthonormal",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(space_in, space_out, in_channels=in_channels, metric=metric)
        planes = self.hyperplanes_out
        require_basis_of(planes, basis)
        self.basis = basis
        self.make_parameters(planes.dim, in_channels or 1, bias, device, dtype)

    def compute(self, features: Tensor) -> Tensor:
        """Return the coordinates of the output.

        Parameters
        ----------
        features : tensor, shape=[..., in_channels, d]
            Features of the input; [..., d] without channels.

        Returns
        -------
        coords : tensor, shape=[..., m (m - 1) / 2]
            Coordinates under the metric of the output.
        """
        distances = self.logits(self.with_channels(features))
        return self.hyperplanes_out.coords(distances, self.basis)

    def extra_repr(self) -> Any:
        """Return sizes, metrics and channels."""
        return f"{super().extra_repr()}, basis={self.basis!r}"
