"""From signals to correlation matrices."""

from torch import nn

from geomstats_cor import kernels
from geomstats_cor.exceptions import ParameterError, ShapeError

from ._doors import require_positive
from ._precision import in_full_precision


class CovariancePooling(nn.Module):
    r"""The covariance matrix of a signal over time.

    .. math:: \Sigma = \frac1T \sum_t (x_t - \bar x) (x_t - \bar x)^\top .

    Parameters
    ----------
    unbiased : bool
        Whether to divide by T - 1 instead of T.

    Notes
    -----
    Input [..., n, T], output [..., n, n], of full rank if T > n and no linear
    combination of the n signals is constant; `Shrinkage` helps where it is not.
    """

    def __init__(self, unbiased=False):
        super().__init__()
        self.unbiased = unbiased

    @in_full_precision
    def forward(self, signal):
        """Return the covariance matrices."""
        length = signal.shape[-1] if signal.ndim >= 2 else 0
        if length < 2:
            raise ShapeError(
                f"the signal has shape {tuple(signal.shape)}: [..., n, T] with at "
                f"least two time steps is wanted."
            )
        centered = signal - signal.mean(-1, keepdim=True)
        return centered @ centered.mT / (length - self.unbiased)

    def extra_repr(self):
        """Return the normalisation."""
        return f"unbiased={self.unbiased}"


class Shrinkage(nn.Module):
    r"""Shrinkage :math:`(1 - s) \Sigma + s \frac{\operatorname{tr} \Sigma}{n} I`.

    Parameters
    ----------
    amount : float
        Amount :math:`s`, from 0 to 1.

    Notes
    -----
    Input and output [..., n, n].
    """

    def __init__(self, amount):
        super().__init__()
        if not 0.0 <= amount <= 1.0:
            raise ParameterError(
                f"the amount of shrinkage is from 0 to 1, not {amount}"
            )
        self.amount = float(amount)

    def forward(self, covariance):
        """Return the shrunk covariance matrices."""
        diagonal = covariance.diagonal(dim1=-2, dim2=-1)
        scale = self.amount * diagonal.mean(-1, keepdim=True).expand_as(diagonal)
        return (1.0 - self.amount) * covariance + scale.diag_embed()

    def extra_repr(self):
        """Return the amount."""
        return f"amount={self.amount}"


class MatrixPower(nn.Module):
    r"""A real power :math:`\Sigma^p` of covariance matrices, with its exact gradient.

    Parameters
    ----------
    exponent : float
        Any real number :math:`p`; of -1, `ToCorrelation` makes partial correlations up
        to sign.

    Notes
    -----
    Input and output [..., n, n], symmetric and positive definite.
    """

    def __init__(self, exponent):
        super().__init__()
        self.exponent = float(exponent)

    @in_full_precision
    def forward(self, covariance):
        """Return the powers."""
        return kernels.sym_power(covariance, self.exponent)

    def extra_repr(self):
        """Return the exponent."""
        return f"exponent={self.exponent}"


class ToCorrelation(nn.Module):
    r"""The map :math:`\operatorname{Cor}(\Sigma) = D^{-1/2} \Sigma D^{-1/2}`.

    :math:`D` is the diagonal of :math:`\Sigma`.

    Notes
    -----
    Input and output [..., n, n]; the diagonal of the output is exactly one.
    """

    @in_full_precision
    def forward(self, covariance):
        """Return the correlation matrices."""
        return kernels.cor(covariance)


class PowerCorrelation(nn.Sequential):
    r"""Shrinkage, a matrix power, and the correlation matrix of the result.

    Parameters
    ----------
    exponent : float
        Exponent of the power; the power is left out if it is one.
    shrinkage : float
        Amount of shrinkage before it; none if it is zero.

    Notes
    -----
    Input [..., n, n], symmetric and positive definite; output [..., n, n].

    Examples
    --------
    >>> import torch
    >>> front_end = PowerCorrelation(-0.25, shrinkage=0.01)
    >>> front_end(torch.diag(torch.tensor([1.0, 2.0, 3.0]))).diagonal()
    tensor([1., 1., 1.])
    """

    def __init__(self, exponent=1.0, shrinkage=0.0):
        steps = [Shrinkage(shrinkage)] if shrinkage else []
        steps += [MatrixPower(exponent)] if exponent != 1.0 else []
        super().__init__(*steps, ToCorrelation())


class TemporalCovariance(nn.Module):
    """Temporal convolution followed by covariance pooling.

    A convolution over time makes `channels` groups of `features` signals each; every
    group gives a covariance matrix.

    Parameters
    ----------
    in_features : int
        Number of signals that come in.
    channels : int
        Number of covariance matrices, 7 for the radar signals of [C2026].
    features : int
        Size of the covariance matrices, 20 there.
    kernel_size : int
        Length of the filters.
    stride : int
        Step of the convolution.
    shrinkage : float
        Amount of shrinkage of the covariance matrices.
    device : torch.device
        Device of the parameters.
    dtype : torch.dtype
        Dtype of the parameters.

    Notes
    -----
    Input [batch, in_features, T] or [in_features, T], output [..., channels, features,
    features].

    References
    ----------
    .. [C2026] Z. Chen, X. Wu, B. Schölkopf and N. Sebe. Riemannian networks over
       full-rank correlation matrices. ICML 2026. Appendix "Input data".

    Examples
    --------
    >>> import torch
    >>> front_end = TemporalCovariance(2, channels=7, features=20, kernel_size=9)
    >>> front_end(torch.randn(4, 2, 100)).shape
    torch.Size([4, 7, 20, 20])
    """

    def __init__(
        self,
        in_features,
        channels=7,
        features=20,
        kernel_size=9,
        stride=1,
        shrinkage=1e-3,
        device=None,
        dtype=None,
    ):
        super().__init__()
        require_positive(in_features=in_features, channels=channels, features=features)
        self.channels, self.features = channels, features
        self.conv = nn.Conv1d(
            in_features,
            channels * features,
            kernel_size,
            stride,
            device=device,
            dtype=dtype,
        )
        self.pooling = CovariancePooling()
        self.shrinkage = Shrinkage(shrinkage)

    def forward(self, signal):
        """Return the covariance matrices."""
        filtered = self.conv(signal).unflatten(-2, (self.channels, self.features))
        return self.shrinkage(self.pooling(filtered))
