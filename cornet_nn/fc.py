"""The fully connected layer between correlation matrices."""

from ._validation import hyperplanes_of, require_basis_of, require_positive
from ._layer import HyperplaneLayer


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
    space_in : FullRankCorrelationMatrices
        Space of the input, with a metric.
    space_out : FullRankCorrelationMatrices
        Space of the output, with a metric, which may be another one.
    channels : int
        Number of matrices in an input.
    basis : {"orthonormal", "printed"}
        Basis :math:`O_k`: an orthonormal one, or that of the theorem of [C2026]. They
        differ for the log-scaled metric, where the printed one is not orthonormal.
    device : torch.device
        Device of the parameters.
    dtype : torch.dtype
        Dtype of the parameters.

    Attributes
    ----------
    weight : tensor, shape=[m (m - 1) / 2, channels, n (n - 1) / 2]
        Covectors of the normals :math:`Z_k`; see `Hyperplanes.to_weight`.
    gamma : tensor, shape=[m (m - 1) / 2, channels]
        Offsets; [m (m - 1) / 2, 1] for the poly-hyperbolic metric.

    Notes
    -----
    Input [..., channels, n, n], output [..., m, m]. The channel axis may be left out of
    [n, n] and [batch, n, n] if there is one channel.

    References
    ----------
    .. [C2026] Z. Chen, X. Wu, B. Schölkopf and N. Sebe. Riemannian networks over
       full-rank correlation matrices. ICML 2026. Theorem "Log-Euclidean FC layers".

    Examples
    --------
    >>> import torch
    >>> from cornet_nn import CorFC
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> layer = CorFC(
    ...     FullRankCorrelationMatrices(5, equip="olm"),
    ...     FullRankCorrelationMatrices(3, equip="ecm"),
    ... )
    >>> layer(torch.eye(5).expand(8, 5, 5)).shape
    torch.Size([8, 3, 3])
    """

    drops_channels = True

    def __init__(
        self,
        space_in,
        space_out,
        channels=1,
        basis="orthonormal",
        device=None,
        dtype=None,
    ):
        require_positive(channels=channels)
        planes = hyperplanes_of(space_out)
        require_basis_of(planes, basis)
        super().__init__(
            space_in, space_out, channels, 1, planes.dim, channels, device, dtype
        )
        self.basis = basis

    def compute(self, features):
        """Return the coordinates of the output.

        Parameters
        ----------
        features : tensor, shape=[..., channels, d]
            Features of the input.

        Returns
        -------
        coords : tensor, shape=[..., 1, m (m - 1) / 2]
            Coordinates under the metric of the output.
        """
        coords = self.hyperplanes_out.coords(self.logits(features), self.basis)
        return coords.unsqueeze(-2)

    def extra_repr(self):
        """Return sizes, metrics and channels."""
        return f"{super().extra_repr()}, channels={self.channels}, basis={self.basis!r}"
