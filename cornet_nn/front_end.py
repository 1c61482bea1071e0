"""From signals to correlation matrices."""

import math
from typing import Any

import torch
from torch import Tensor, nn

from geomstats_cor import kernels
from geomstats_cor.exceptions import ParameterError, ShapeError

from ._precision import in_full_precision, require_tensor
from ._validation import (
    require_correlations_of,
    require_definite,
    require_numbers,
    require_positive,
    require_square,
    require_symmetric,
)


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

    Examples
    --------
    >>> import torch
    >>> from cornet_nn import CovariancePooling
    >>> signal = torch.tensor([[1.0, -1.0, 1.0, -1.0], [2.0, -2.0, -2.0, 2.0]])
    >>> CovariancePooling()(signal)
    tensor([[1., 0.],
            [0., 4.]])
    """

    def __init__(self, unbiased: bool = False):
        super().__init__()
        self.unbiased = unbiased

    @in_full_precision
    def forward(self, signal: Tensor) -> Tensor:
        """Return the covariance matrices.

        Parameters
        ----------
        signal : tensor, shape=[..., n, T]
            Signals.

        Returns
        -------
        covariance : tensor, shape=[..., n, n]
            Symmetric positive semidefinite matrices.
        """
        length = signal.shape[-1] if signal.ndim >= 2 else 0
        if length < 2:
            raise ShapeError(
                f"the signal: expected shape [..., n, T] with at least two time steps, "
                f"got {tuple(signal.shape)}."
            )
        centered = signal - signal.mean(-1, keepdim=True)
        return centered @ centered.mT / (length - self.unbiased)

    def extra_repr(self) -> str:
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

    References
    ----------
    .. [L2004] O. Ledoit and M. Wolf. A well-conditioned estimator for large-dimensional
       covariance matrices. J. Multivariate Anal. 88, 2004.

    Examples
    --------
    >>> import torch
    >>> from cornet_nn import Shrinkage
    >>> Shrinkage(0.5)(torch.tensor([[3.0, 1.0], [1.0, 1.0]]))
    tensor([[2.5000, 0.5000],
            [0.5000, 1.5000]])
    """

    def __init__(self, amount: float):
        super().__init__()
        if not 0.0 <= amount <= 1.0:
            raise ParameterError(
                f"the amount of shrinkage is from 0 to 1, got {amount}."
            )
        self.amount = float(amount)

    @in_full_precision
    def forward(self, covariance: Tensor) -> Tensor:
        """Return the shrunk covariance matrices.

        Parameters
        ----------
        covariance : tensor, shape=[..., n, n]
            Covariance matrices.

        Returns
        -------
        shrunk : tensor, shape=[..., n, n]
            Matrices of the same trace.
        """
        require_square(covariance)
        diagonal = covariance.diagonal(dim1=-2, dim2=-1)
        scale = self.amount * diagonal.mean(-1, keepdim=True).expand_as(diagonal)
        return (1.0 - self.amount) * covariance + scale.diag_embed()

    def extra_repr(self) -> str:
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

    References
    ----------
    .. [C2026] Z. Chen, X. Wu, B. Schölkopf and N. Sebe. Riemannian networks over
       full-rank correlation matrices. ICML 2026.

    Examples
    --------
    >>> import torch
    >>> from cornet_nn import MatrixPower
    >>> covariance = torch.tensor([[1.25, 0.75], [0.75, 1.25]], dtype=torch.float64)
    >>> MatrixPower(-1.0)(covariance).numpy().round(6)
    array([[ 1.25, -0.75],
           [-0.75,  1.25]])
    """

    def __init__(self, exponent: float):
        super().__init__()
        self.exponent = float(exponent)

    @in_full_precision
    def forward(self, covariance: Tensor) -> Tensor:
        r"""Return the powers :math:`\Sigma^p`.

        Parameters
        ----------
        covariance : tensor, shape=[..., n, n]
            Symmetric positive definite matrices.

        Returns
        -------
        power : tensor, shape=[..., n, n]
            Symmetric positive definite matrices.
        """
        require_symmetric(covariance)
        power = kernels.sym_power(covariance, self.exponent)
        require_definite(covariance, power)
        return power

    def extra_repr(self) -> str:
        """Return the exponent."""
        return f"exponent={self.exponent}"


class ToCorrelation(nn.Module):
    r"""The map :math:`\operatorname{Cor}(\Sigma) = D^{-1/2} \Sigma D^{-1/2}`.

    :math:`D` is the diagonal of :math:`\Sigma`.

    Notes
    -----
    Input and output [..., n, n]; the diagonal of the output is exactly one.

    Examples
    --------
    >>> import torch
    >>> from cornet_nn import ToCorrelation
    >>> ToCorrelation()(torch.tensor([[4.0, 1.0], [1.0, 1.0]]))
    tensor([[1.0000, 0.5000],
            [0.5000, 1.0000]])
    """

    @in_full_precision
    def forward(self, covariance: Tensor) -> Tensor:
        """Return the correlation matrices.

        Parameters
        ----------
        covariance : tensor, shape=[..., n, n]
            Symmetric positive definite matrices.

        Returns
        -------
        correlation : tensor, shape=[..., n, n]
            Correlation matrices.
        """
        require_symmetric(covariance)
        correlation = kernels.cor(covariance)
        require_correlations_of(covariance, correlation)
        return correlation


class PowerCorrelation(nn.Sequential):
    r"""Shrinkage, a matrix power, and the correlation matrix of the result.

    .. math:: \operatorname{Cor}\left(\left((1 - s) \Sigma
              + s \tfrac{\operatorname{tr} \Sigma}{n} I\right)^p\right) .

    Parameters
    ----------
    exponent : float
        Exponent :math:`p` of the power; the power is left out if it is one.
    shrinkage : float
        Amount :math:`s` of shrinkage before it; none if it is zero.

    Notes
    -----
    Input [..., n, n], symmetric and positive definite; output [..., n, n].

    References
    ----------
    .. [C2026] Z. Chen, X. Wu, B. Schölkopf and N. Sebe. Riemannian networks over
       full-rank correlation matrices. ICML 2026.

    Examples
    --------
    >>> import torch
    >>> from cornet_nn import PowerCorrelation
    >>> front_end = PowerCorrelation(-0.25, shrinkage=0.01)
    >>> front_end(torch.diag(torch.tensor([1.0, 2.0, 3.0]))).diagonal()
    tensor([1., 1., 1.])
    """

    def __init__(self, exponent: float = 1.0, shrinkage: float = 0.0):
        steps: list[nn.Module] = [Shrinkage(shrinkage)] if shrinkage else []
        steps += [MatrixPower(exponent)] if exponent != 1.0 else []
        super().__init__(*steps, ToCorrelation())


class TemporalCovariance(nn.Module):
    r"""Temporal convolution followed by covariance pooling.

    .. math:: \Sigma_c = \frac1T \sum_t (x_{ct} - \bar x_c) (x_{ct} - \bar x_c)^\top ,
              \qquad x = \operatorname{conv}(\text{signal}) .

    A convolution over time makes `channels` groups of `features` signals each; every
    group gives a covariance matrix [C2026]_, which is then shrunk.

    Parameters
    ----------
    in_features : int
        Number of signals that come in.
    channels : int
        Number of covariance matrices, 7 for the radar signals of [C2026]_.
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
    >>> from cornet_nn import TemporalCovariance
    >>> front_end = TemporalCovariance(2, channels=7, features=20, kernel_size=9)
    >>> front_end(torch.randn(4, 2, 100)).shape
    torch.Size([4, 7, 20, 20])
    """

    def __init__(
        self,
        in_features: int,
        channels: int = 7,
        features: int = 20,
        kernel_size: int = 9,
        stride: int = 1,
        shrinkage: float = 1e-3,
        device: Any = None,
        dtype: torch.dtype | None = None,
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

    def forward(self, signal: Tensor) -> Tensor:
        """Return the covariance matrices.

        Parameters
        ----------
        signal : tensor, shape=[..., in_features, T]
            Signals, with at most one axis before the features.

        Returns
        -------
        covariance : tensor, shape=[..., channels, features, features]
            Symmetric positive definite matrices.
        """
        require_tensor(signal, self.conv.weight, "the signal")
        size, least = self.conv.in_channels, self.conv.kernel_size[0] + 1
        if signal.ndim not in (2, 3) or signal.shape[-2] != size:
            raise ShapeError(
                f"the signal: expected shape [batch, {size}, T] or [{size}, T], got "
                f"{tuple(signal.shape)}."
            )
        if signal.shape[-1] < least:
            raise ShapeError(
                f"the signal: expected at least {least} time steps for filters of "
                f"length {least - 1}, got {signal.shape[-1]}."
            )
        filtered = self.conv(signal).unflatten(-2, (self.channels, self.features))
        return self.shrinkage(self.pooling(filtered))


def make_front_end(front_end, kind, power, shrinkage):
    """Return the module that makes correlation matrices of samples.

    Parameters
    ----------
    front_end : torch.nn.Module or callable or None
        Module that makes covariance matrices of samples, or a function that makes such
        a module; that of the kind if None.
    kind : str
        Kind of samples.
    power : float
        Exponent of the matrix power that follows, not zero.
    shrinkage : float
        Amount of shrinkage before it.

    Returns
    -------
    front_end : torch.nn.Module or None
        Module; None if samples are what the network takes.
    """
    require_numbers(power=power, shrinkage=shrinkage)
    if not math.isfinite(power) or power == 0.0:
        raise ParameterError(
            f"power must be a finite number other than zero, not {power!r}: the power "
            f"zero of every matrix is the identity."
        )
    to_correlation = PowerCorrelation(power, shrinkage)
    if front_end is not None:
        return nn.Sequential(front_end, to_correlation)
    if kind == "signal":
        return nn.Sequential(CovariancePooling(), to_correlation)
    if kind == "covariance" or len(to_correlation) > 1:
        return to_correlation
    return None
