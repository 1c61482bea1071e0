r"""Gyrovector networks on SPD matrices: GyroLE, GyroLC, GyroAI and GyroSPD++.

The score of a point for a pair of SPD parameters :math:`P, W` is

.. math:: v(S) = \langle \ominus P \oplus S, W \rangle
          = \langle \mathrm{Log}_P S, \Gamma_{I \to P} \mathrm{Log}_I W \rangle_P ,

summed over channels: :math:`\langle \log S - \log P, \log W \rangle` under LEM,
:math:`\langle \phi(S) - \phi(P), \phi(W) \rangle` under LCM, and
:math:`\operatorname{tr}(\log(P^{-1/2} S P^{-1/2}) \log W)` under AIM. Parameters are
the logarithms of :math:`P` and :math:`W` at the identity in orthonormal coordinates, so
that any optimizer can be used.

References
----------
.. [N2023] X. S. Nguyen and S. Yang. Building neural networks on matrix manifolds: a
   gyrovector space approach. ICML 2023.
.. [N2024] X. S. Nguyen, S. Yang and A. Histace. Matrix manifold neural networks++. ICLR
   2024.
"""

import math

import torch
from torch import Tensor, nn

from cornet_nn._precision import in_full_precision
from cornet_nn._validation import require_positive
from cornet_nn.spaces.packing import unsvec
from cornet_nn.spaces.spd import SPD_METRICS, SPDMatrices
from geomstats_cor import kernels

from .network import BaselineNetwork, choose, with_channels


class GyroTranslation(nn.Module):
    r"""The translation :math:`S \mapsto W^{1/2} S W^{1/2}` of each channel.

    Parameters
    ----------
    n : int
        Size of the matrices.
    in_channels : int
        Number of matrices in an input.
    device : torch.device
        Device of the parameters.
    dtype : torch.dtype
        Dtype of the parameters.

    Attributes
    ----------
    weight : tensor, shape=[in_channels, n (n + 1) / 2]
        Coordinates of :math:`\log W`; see `svec`.

    Notes
    -----
    Input and output [..., in_channels, n, n]. It is the gyro-addition of W from the
    left under the affine-invariant metric.

    Examples
    --------
    >>> import torch
    >>> from cornet_nn.baselines import GyroTranslation
    >>> GyroTranslation(4, in_channels=3)(torch.eye(4).expand(8, 3, 4, 4)).shape
    torch.Size([8, 3, 4, 4])
    """

    def __init__(self, n, in_channels=1, device=None, dtype=None):
        super().__init__()
        require_positive(n=n, in_channels=in_channels)
        dim = n * (n + 1) // 2
        self.weight = nn.Parameter(
            torch.empty(in_channels, dim, device=device, dtype=dtype)
        )
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw entries of variance one over their number."""
        nn.init.normal_(self.weight, std=1.0 / math.sqrt(self.weight.numel()))

    @in_full_precision
    def forward(self, point: Tensor) -> Tensor:
        """Return the translated matrices.

        Parameters
        ----------
        point : tensor, shape=[..., in_channels, n, n]
            SPD matrices.

        Returns
        -------
        point : tensor, shape=[..., in_channels, n, n]
            SPD matrices.
        """
        root = kernels.sym_exp(0.5 * unsvec(self.weight))
        return root @ point @ root


class GyroHyperplanes(nn.Module):
    """A stack of pairs P, W with the scores of points.

    Parameters
    ----------
    space : SPDMatrices
        Space of the input, with a metric.
    out : int
        Number of scores.
    in_channels : int
        Number of matrices in an input.
    shared_offset : bool
        Whether all scores share the P of each channel. Under AIM a point is then
        decomposed once, instead of once for every score.
    deviation : float
        Standard deviation of the initial coordinates of log W; one over the square root
        of their number for a score if None. All P start at the identity.
    device : torch.device
        Device of the parameters.
    dtype : torch.dtype
        Dtype of the parameters.
    """

    def __init__(
        self,
        space,
        out,
        in_channels=1,
        *,
        shared_offset=False,
        deviation=None,
        device=None,
        dtype=None,
    ):
        super().__init__()
        require_positive(out=out, in_channels=in_channels)
        self.planes, self.in_channels = space.metric.hyperplanes(), in_channels
        self.deviation = deviation
        options = dict(device=device, dtype=dtype)
        shape = (in_channels, self.planes.dim)
        self.weight = nn.Parameter(torch.empty(out, *shape, **options))
        offsets = 1 if shared_offset else out
        self.offset = nn.Parameter(torch.empty(offsets, *shape, **options))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw all W again, and put all P at the identity."""
        deviation = self.deviation
        if deviation is None:
            deviation = 1.0 / math.sqrt(self.weight[0].numel())
        nn.init.normal_(self.weight, std=deviation)
        nn.init.zeros_(self.offset)

    def scores(self, features: Tensor) -> Tensor:
        """Return the scores of points with given features.

        Parameters
        ----------
        features : tensor, shape=[..., in_channels, d]
            Features of points.

        Returns
        -------
        scores : tensor, shape=[..., out]
            Scores.
        """
        return self.planes.scores(features, self.weight, self.offset)

    def _features(self, point):
        n = self.planes.n
        return self.planes.features(with_channels(point, self.in_channels, (n, n)))

    def extra_repr(self) -> str:
        """Return size, metric, scores and channels."""
        return (
            f"n={self.planes.n}, metric={type(self.planes.metric).__name__}, "
            f"out={len(self.weight)}, in_channels={self.in_channels}, "
            f"shared_offset={len(self.offset) == 1 < len(self.weight)}"
        )


class GyroMLR(GyroHyperplanes):
    """Logistic regression: the logit of a class is its score.

    Parameters
    ----------
    space : SPDMatrices
        Space of the input, with a metric.
    num_classes : int
        Number of classes.
    in_channels : int
        Number of matrices in an input.
    **options
        Options of `GyroHyperplanes`: shared_offset, deviation, device, dtype.

    Attributes
    ----------
    weight : tensor, shape=[num_classes, in_channels, n (n + 1) / 2]
        Coordinates of the W.
    offset : tensor, shape=[num_classes, in_channels, n (n + 1) / 2]
        Coordinates of the P; [1, in_channels, n (n + 1) / 2] if they are shared.

    Notes
    -----
    Input [..., in_channels, n, n], output [..., num_classes].

    Examples
    --------
    >>> import torch
    >>> from cornet_nn.baselines import GyroMLR
    >>> from cornet_nn.spaces import SPDMatrices
    >>> layer = GyroMLR(SPDMatrices(4, equip="aim"), 5, in_channels=3)
    >>> layer(torch.eye(4).expand(8, 3, 4, 4)).shape
    torch.Size([8, 5])
    """

    def __init__(self, space, num_classes, in_channels=1, **options):
        super().__init__(space, num_classes, in_channels, **options)

    @in_full_precision
    def forward(self, point: Tensor) -> Tensor:
        """Return the logits of SPD matrices.

        Parameters
        ----------
        point : tensor, shape=[..., in_channels, n, n]
            SPD matrices.

        Returns
        -------
        logits : tensor, shape=[..., num_classes]
            Logits.
        """
        return self.scores(self._features(point))


class GyroFC(GyroHyperplanes):
    r"""The fully connected layer from SPD matrices of size n to one of size m.

    The scores of the output for the axes through the identity are the scores
    :math:`v_{ij}` of the input, so its coordinates are the scores: under LEM and AIM
    :math:`Y = \exp V` with :math:`V_{ii} = v_{ii}` and :math:`V_{ij} = v_{ij} /
    \sqrt2`, under LCM :math:`Y = V V^\top` with :math:`V_{ii} = \exp v_{ii}` and
    :math:`V_{ij} = v_{ij}` below the diagonal. Over the channels of a field it is the
    convolution of [N2024]_.

    Parameters
    ----------
    space, space_out : SPDMatrices
        Spaces of the input and the output, with metrics.
    in_channels : int
        Number of matrices in an input.
    **options
        Options of `GyroHyperplanes`: shared_offset, deviation, device, dtype.

    Notes
    -----
    Input [..., in_channels, n, n], output [..., m, m].

    References
    ----------
    .. [N2024] X. S. Nguyen, S. Yang and A. Histace. Matrix manifold neural networks++.
       ICLR 2024.

    Examples
    --------
    >>> import torch
    >>> from cornet_nn.baselines import GyroFC
    >>> from cornet_nn.spaces import SPDMatrices
    >>> layer = GyroFC(SPDMatrices(4, equip="lcm"), SPDMatrices(3, equip="lcm"))
    >>> layer(torch.eye(4).expand(8, 4, 4)).shape
    torch.Size([8, 3, 3])
    """

    def __init__(self, space, space_out, in_channels=1, **options):
        super().__init__(space, space_out.dim, in_channels, **options)
        self.metric_out = space_out.metric

    @in_full_precision
    def forward(self, point: Tensor) -> Tensor:
        """Return the output matrices.

        Parameters
        ----------
        point : tensor, shape=[..., in_channels, n, n]
            SPD matrices.

        Returns
        -------
        point : tensor, shape=[..., m, m]
            SPD matrices.
        """
        return self.metric_out.from_coords(self.scores(self._features(point)))


class GyroSPDNet(BaselineNetwork):
    """GyroLE, GyroLC and GyroAI: a translation and a regression.

    Parameters
    ----------
    n : int
        Size of the matrices.
    num_classes : int
        Number of classes.
    in_channels : int
        Number of matrices in an input.
    metric : {"lem", "lcm", "aim"}
        Metric of the regression. The translation is that of AIM under all three, as in
        [N2023]_.
    shared_offset : bool
        See `GyroHyperplanes`.
    device : torch.device
        Device of the parameters.
    dtype : torch.dtype
        Dtype of the parameters.

    References
    ----------
    .. [N2023] X. S. Nguyen and S. Yang. Building neural networks on matrix manifolds: a
       gyrovector space approach. ICML 2023.

    Examples
    --------
    >>> import torch
    >>> from cornet_nn.baselines import GyroSPDNet
    >>> model = GyroSPDNet(6, num_classes=4, in_channels=3, metric="aim")
    >>> model(torch.eye(6).expand(8, 3, 6, 6)).shape
    torch.Size([8, 4])
    """

    def __init__(
        self,
        n,
        num_classes,
        in_channels=1,
        metric="lem",
        shared_offset=False,
        device=None,
        dtype=None,
    ):
        super().__init__()
        choose(metric, SPD_METRICS, "metric")
        options = dict(device=device, dtype=dtype)
        self.translation = GyroTranslation(n, in_channels, **options)
        options["shared_offset"] = shared_offset
        space = SPDMatrices(n, equip=metric)
        self.mlr = GyroMLR(space, num_classes, in_channels, **options)

    def _features(self, x):
        """Return the input with its axis of channels."""
        n = self.mlr.planes.n
        return with_channels(x, self.mlr.in_channels, (n, n))

    def _from_features(self, features):
        return self.mlr(self.translation(features))


class GyroSPDPlusPlus(BaselineNetwork):
    """GyroSPD++: a convolution over all channels and a regression.

    Parameters
    ----------
    n, m : int
        Sizes of the matrices before and after the convolution.
    num_classes : int
        Number of classes.
    in_channels : int
        Number of matrices in an input.
    conv, mlr : {"lem", "lcm", "aim"}
        Metrics of the convolution and of the regression.
    shared_offset : bool
        Whether all outputs of the convolution share their P; see `GyroHyperplanes`.
    device : torch.device
        Device of the parameters.
    dtype : torch.dtype
        Dtype of the parameters.

    Notes
    -----
    Between two layers whose coordinates are the logarithm (LEM, AIM), or the
    log-Cholesky map (LCM), no matrix is formed, but for the scores of an AIM
    regression.

    Examples
    --------
    >>> import torch
    >>> from cornet_nn.baselines import GyroSPDPlusPlus
    >>> model = GyroSPDPlusPlus(6, 4, 3, in_channels=2, conv="lcm", mlr="aim")
    >>> model(torch.eye(6).expand(8, 2, 6, 6)).shape
    torch.Size([8, 3])
    """

    def __init__(
        self,
        n,
        m,
        num_classes,
        in_channels=1,
        conv="aim",
        mlr="lem",
        shared_offset=False,
        device=None,
        dtype=None,
    ):
        super().__init__()
        choose(conv, SPD_METRICS, "conv")
        choose(mlr, SPD_METRICS, "mlr")
        options = dict(device=device, dtype=dtype)
        self.conv = GyroFC(
            SPDMatrices(n, equip=conv),
            SPDMatrices(m, equip=conv),
            in_channels,
            shared_offset=shared_offset,
            deviation=1e-3,
            **options,
        )
        self.mlr = GyroMLR(SPDMatrices(m, equip=mlr), num_classes, **options)

    def _features(self, x):
        """Return the features of the input under the metric of the convolution."""
        return self.conv._features(x)

    def _from_features(self, features):
        coords = self.conv.scores(features)
        before, after = self.conv.metric_out, self.mlr.planes
        if before.chart == after.metric.chart:
            hidden = after.features_of_coords(coords)
        else:
            hidden = after.features(before.from_coords(coords))
        return self.mlr.scores(hidden.unsqueeze(-2))
