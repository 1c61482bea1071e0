"""Multinomial logistic regression on correlation matrices."""

from typing import Any

from torch import Tensor

from .._validation import renamed_keyword, require_positive
from .hyperplane import HyperplaneLayer


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
    space : FullRankCorrelationMatrices or int
        Space of the input with a metric, or the size of its matrices.
    num_classes : int
        Number of classes.
    in_channels : int or None
        Number of matrices in an input; None if there is no axis of channels.
    metric : str or type
        Key or class of the metric, for a size.
    bias : bool
        Whether hyperplanes have offsets; otherwise they pass through the identity.
    device : torch.device
        Device of the parameters.
    dtype : torch.dtype
        Dtype of the parameters.

    Attributes
    ----------
    weight : tensor, shape=[num_classes, in_channels, n (n - 1) / 2]
        Covectors of the normals :math:`Z_k`; see `Hyperplanes.to_weight`.
    gamma : tensor, shape=[num_classes, in_channels], or None
        Offsets; [num_classes, 1] for the poly-hyperbolic metric.

    Notes
    -----
    Input [..., in_channels, n, n], or [..., n, n] without channels; output
    [..., num_classes].

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

    @renamed_keyword("channels", "in_channels")
    def __init__(
        self,
        space: Any,
        num_classes: int,
        in_channels: int | None = None,
        *,
        metric: Any = None,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        require_positive(num_classes=num_classes)
        super().__init__(space, in_channels=in_channels, metric=metric)
        self.num_classes = num_classes
        self.make_parameters(num_classes, in_channels or 1, bias, device, dtype)

    def compute(self, features: Tensor) -> Tensor:
        """Return the logits.

        Parameters
        ----------
        features : tensor, shape=[..., in_channels, d]
            Features of the input; [..., d] without channels.

        Returns
        -------
        logits : tensor, shape=[..., num_classes]
            Logits :math:`v_k`.
        """
        return self.logits(self.with_channels(features))

    def extra_repr(self) -> Any:
        """Return size, metric, channels and classes."""
        return f"{super().extra_repr()}, num_classes={self.num_classes}"
