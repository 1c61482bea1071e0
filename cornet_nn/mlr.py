"""Multinomial logistic regression on correlation matrices."""

from ._validation import require_positive
from ._layer import HyperplaneLayer


class CorMLR(HyperplaneLayer):
    r"""Logits of correlation matrices: signed distances to one hyperplane per class.

    For a flat metric, the pullback of a Euclidean space by :math:`\phi`,

    .. math:: v_k(C) = \langle \phi(C), d_I \phi(Z_k) \rangle
              - \gamma_k |d_I \phi(Z_k)|

    in the inner product of the metric, summed over channels. For the poly-hyperbolic
    metric, :math:`v_k` is the logit of the Poincaré ball into which rows and channels
    are :math:`\beta`-concatenated; see `poincare_mlr`.

    Parameters
    ----------
    space : FullRankCorrelationMatrices
        Space of the input, with a metric.
    num_classes : int
        Number of classes.
    channels : int
        Number of matrices in an input.
    device : torch.device
        Device of the parameters.
    dtype : torch.dtype
        Dtype of the parameters.

    Attributes
    ----------
    weight : tensor, shape=[num_classes, channels, n (n - 1) / 2]
        Covectors of the normals :math:`Z_k`; see `Hyperplanes.to_weight`.
    gamma : tensor, shape=[num_classes, channels]
        Offsets; [num_classes, 1] for the poly-hyperbolic metric.

    Notes
    -----
    Input [..., channels, n, n], output [..., num_classes]. The channel axis may be left
    out of [n, n] and [batch, n, n] if there is one channel.

    References
    ----------
    .. [C2026] Z. Chen, X. Wu, B. Schölkopf and N. Sebe. Riemannian networks over
       full-rank correlation matrices. ICML 2026. Theorem "Log-Euclidean MLRs".

    Examples
    --------
    The identity lies on all hyperplanes of a new layer:

    >>> import torch
    >>> from cornet_nn import CorMLR
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> layer = CorMLR(FullRankCorrelationMatrices(5, equip="olm"), num_classes=3)
    >>> layer(torch.eye(5).expand(8, 5, 5)).shape
    torch.Size([8, 3])
    >>> bool(layer(torch.eye(5)).abs().max() < 1e-6)
    True
    """

    def __init__(self, space, num_classes, channels=1, device=None, dtype=None):
        require_positive(num_classes=num_classes, channels=channels)
        super().__init__(
            space, None, channels, None, num_classes, channels, device, dtype
        )
        self.num_classes = num_classes

    def compute(self, features):
        """Return the logits.

        Parameters
        ----------
        features : tensor, shape=[..., channels, d]
            Features of the input.

        Returns
        -------
        logits : tensor, shape=[..., num_classes]
            Logits :math:`v_k`.
        """
        return self.logits(features)

    def extra_repr(self):
        """Return size, metric, classes and channels."""
        return (
            f"{super().extra_repr()}, num_classes={self.num_classes}, "
            f"channels={self.channels}"
        )
