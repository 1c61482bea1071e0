"""Normalisation of correlation matrices by their Fréchet mean and dispersion."""

from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn

from geomstats_cor.exceptions import ParameterError, ShapeError

from .._validation import renamed_keyword, require_means, require_numbers
from .base import CoordinateLayer

SCALES = ("channel", "coordinates", None)


class CorBatchNorm(CoordinateLayer):
    r"""Batch normalisation: the Fréchet mean at the identity, the dispersion one.

    An isometry moves the Fréchet mean :math:`M` of each channel to the identity, a
    dilation makes the dispersion one, and a learnt dilation and motion follow:

    .. math:: x \mapsto s \, \frac{x - \bar x}{\sqrt{V}} + b , \qquad
              V = \frac{1}{N} \sum_i d(C_i, M)^2 ,

    for a flat metric with coordinates x. With `scale="coordinates"`, coordinate j is
    divided by :math:`\sqrt{d \, V_j}`, where :math:`V_j` is its variance and d the
    number of coordinates: each has the same share of a dispersion of one.

    Under the poly-hyperbolic metric all of this takes place in the Poincaré ball into
    which the rows of a matrix are :math:`\beta`-concatenated: the mean is the Fréchet
    mean in that ball, which is iterative, motions are Lorentz boosts along geodesics
    through the origin, and dilations act on logarithms at the origin.

    Parameters
    ----------
    space : FullRankCorrelationMatrices or int
        Space with a metric, or the size of its matrices.
    in_channels : int or None
        Number of matrices in an input; each has statistics of its own. None if there
        is no axis of channels: all matrices share the statistics.
    metric : str or type
        Key or class of the metric, for a size.
    scale : {"channel", "coordinates", None}
        One dispersion for each channel (the Lie-group form), one for each coordinate,
        or none: the mean alone is moved.
    eps : float
        Coordinates whose variance is at most `eps` times the mean variance hold no
        information, and are set to zero; so are coordinates and channels whose variance
        is rounding.
    momentum : float or None
        Weight of a batch in the running statistics; None for the average over all
        batches. With 0 the statistics are those that `fit` was given, and are used in
        training, too.
    motion : {"isometry", "tangent"}
        Whether an isometry moves the Fréchet mean to the identity, or the average of
        logarithms at the identity is subtracted from them. They are the same for flat
        metrics, and agree to first order for the poly-hyperbolic one, where only the
        former is iterative.
    affine : bool
        Whether a dilation and a motion are learnt.
    dispersion : float
        Dispersion of the output, before the learnt dilation.
    track_running_stats : bool
        Whether running statistics are kept for evaluation. Otherwise those of the batch
        are used there, too.
    device : torch.device
        Device of the parameters.
    dtype : torch.dtype
        Dtype of the parameters.

    Attributes
    ----------
    weight : tensor, shape=[in_channels, 1] or [in_channels, d], or None
        Dilation s: the square root of the dispersion of the output.
    bias : tensor, shape=[in_channels, d], or None
        Logarithm b of the point to which the mean is moved.
    running_mean : tensor, shape=[in_channels, d]
        Logarithm of the mean.
    running_var : tensor, shape=[in_channels, 1] or [in_channels, d]
        Dispersions. A new layer is the identity in evaluation.

    Notes
    -----
    Input and output [..., in_channels, n, n], or [..., n, n] without channels. If
    torch.distributed is initialised, the statistics of a batch are those of all
    processes.

    References
    ----------
    .. [B2019] D. Brooks, O. Schwander, F. Barbaresco, J.-Y. Schneider and M. Cord.
       Riemannian batch normalization for SPD neural networks. NeurIPS 2019.
    .. [C2024] Z. Chen, Y. Song, Y. Liu and N. Sebe. A Lie group approach to Riemannian
       batch normalization. ICLR 2024.

    Examples
    --------
    >>> import torch
    >>> from cornet_nn import CorBatchNorm
    >>> from geomstats_cor import FullRankCorrelationMatrices, frechet_mean
    >>> space = FullRankCorrelationMatrices(4, equip="olm")
    >>> points = torch.as_tensor(space.random_point(20, rng=0))
    >>> layer = CorBatchNorm(space, dtype=torch.float64)
    >>> mean = frechet_mean(layer(points), space)
    >>> bool((mean - torch.eye(4)).abs().max() < 1e-10)
    True
    """

    weight: Any
    bias: Any
    running_mean: Tensor
    running_var: Tensor
    num_batches_tracked: Tensor

    @renamed_keyword("channels", "in_channels")
    def __init__(
        self,
        space: Any,
        in_channels: int | None = None,
        *,
        metric: Any = None,
        scale: str | None = "channel",
        eps: float = 1e-10,
        momentum: float | None = 0.1,
        motion: str = "isometry",
        affine: bool = True,
        dispersion: float = 1.0,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(space, in_channels, metric=metric)
        channels = in_channels or 1
        if scale not in SCALES:
            raise ParameterError(
                f'scale is {scale!r}: expected "channel", "coordinates" or None.'
            )
        require_numbers(eps=eps)
        if eps < 0.0:
            raise ParameterError(f"eps must not be negative, got {eps!r}.")
        if momentum is not None:
            require_numbers(momentum=momentum)
            if not 0.0 <= momentum <= 1.0:
                raise ParameterError(
                    f"momentum must be between 0 and 1, or None, got {momentum!r}."
                )
        if momentum == 0.0 and not track_running_stats:
            raise ParameterError(
                "momentum = 0 uses statistics that fit sets: pass "
                "track_running_stats=True."
            )
        require_numbers(dispersion=dispersion)
        if not dispersion > 0.0:
            raise ParameterError(f"dispersion must be positive, got {dispersion!r}.")
        self.scale, self.eps, self.momentum = scale, eps, momentum
        if motion not in ("isometry", "tangent"):
            raise ParameterError(
                f'motion is {motion!r}: expected "isometry" or "tangent".'
            )
        if motion == "isometry":
            require_means(self.hyperplanes_in, self)
        self.dispersion, self.motion = dispersion, motion
        self.affine, self.track_running_stats = affine, track_running_stats
        options, dim = dict(device=device, dtype=dtype), self.hyperplanes_in.dim
        widths = channels, dim if scale == "coordinates" else 1
        self.weight = nn.Parameter(torch.empty(widths, **options)) if affine else None
        self.bias = (
            nn.Parameter(torch.empty(channels, dim, **options)) if affine else None
        )
        tracked = track_running_stats
        self.register_buffer(
            "running_mean", torch.empty(channels, dim, **options) if tracked else None
        )
        self.register_buffer(
            "running_var", torch.empty(widths, **options) if tracked else None
        )
        self.register_buffer(
            "num_batches_tracked",
            torch.tensor(0, dtype=torch.long, device=device) if tracked else None,
        )
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Make the layer the identity in evaluation, and forget the statistics."""
        with torch.no_grad():
            if self.affine:
                self.weight.fill_(1.0)
                self.bias.zero_()
            if self.track_running_stats:
                self.running_mean.zero_()
                self.running_var.fill_(self._target)
                self.num_batches_tracked.zero_()

    @property
    def _target(self):
        """Variance of the output: of each coordinate, or of all together."""
        count = self.hyperplanes_in.dim if self.scale == "coordinates" else 1
        return self.dispersion / count

    def fit(self, coords: Tensor) -> None:
        """Set the running statistics to those of all training data.

        Parameters
        ----------
        coords : tensor, shape=[N, in_channels, d]
            Coordinates of the training data under the metric; `space.metric.to_coords`
            makes them of points. [..., d] without channels.
        """
        shape = (self.in_channels or 1, self.hyperplanes_in.dim)
        if self.in_channels is None and coords.ndim and coords.shape[-1] == shape[1]:
            coords = coords.reshape(-1, *shape)
        if coords.ndim != 3 or tuple(coords.shape[1:]) != shape or len(coords) == 0:
            raise ShapeError(
                f"expected coordinates of shape [N, {shape[0]}, {shape[1]}] with at "
                f"least one sample, got {tuple(coords.shape)}."
            )
        if not self.track_running_stats:
            raise ParameterError("fit needs track_running_stats=True.")
        with torch.no_grad():
            tangent = self.hyperplanes_in.to_tangent(coords.double())
            mean, variance = self._statistics(tangent, coords.dtype)
            self.running_mean.copy_(mean)
            self.running_var.copy_(variance)
            self.num_batches_tracked.fill_(1)

    def compute(self, features: Tensor) -> Tensor:
        """Return the coordinates of the output.

        Parameters
        ----------
        features : tensor, shape=[..., in_channels, d]
            Coordinates of the input; [..., d] without channels.

        Returns
        -------
        coords : tensor
            Coordinates, of the same shape.
        """
        if self.in_channels is None:
            return self._normalized(features.unsqueeze(-2)).squeeze(-2)
        return self._normalized(features)

    def _normalized(self, coords):
        """Return the coordinates of the output, shape [..., channels, d]."""
        planes = self.hyperplanes_in
        tangent = planes.to_tangent(coords)
        if (self.training and self.momentum != 0.0) or not self.track_running_stats:
            mean, variance = self._batch_statistics(tangent)
        else:
            mean = self.running_mean.to(tangent.dtype)
            variance = self.running_var.to(tangent.dtype)
        tangent = self._moved(tangent, mean) * self._factors(variance)
        if self.affine:
            tangent = self._moved(tangent * self.weight, -self.bias)
        return planes.from_tangent(tangent)

    def _moved(self, tangent, to_origin):
        if self.motion == "tangent":
            return tangent - to_origin
        return self.hyperplanes_in.translate(tangent, to_origin)

    def _factors(self, variance):
        """Return what makes the dispersion one, and zero where there is none."""
        if self.scale is None:
            return 1.0
        known = variance > self.eps * variance.mean(-1, keepdim=True)
        safe = torch.where(known, variance / self._target, 1.0)
        return torch.where(known, safe.rsqrt(), 0.0)

    def _batch_statistics(self, tangent):
        points = _of_all_processes(tangent.reshape(-1, *tangent.shape[-2:]))
        if len(points) < 2:
            raise ShapeError(
                f"expected more than one sample in training, got {len(points)}: "
                f"one sample has no dispersion. Use larger batches, or eval()."
            )
        mean, variance = self._statistics(points, points.dtype)
        if self.track_running_stats:
            self._track(mean.detach(), variance.detach(), len(points))
        return mean, variance

    def _statistics(self, tangent, dtype):
        """Return mean and dispersions of logarithms [N, channels, d].

        Dispersions that rounding in `dtype` explains are zero.
        """
        is_tangent = self.motion == "tangent"
        mean = tangent.mean(0) if is_tangent else self.hyperplanes_in.mean(tangent)
        squares = self._moved(tangent, mean).square().mean(0)
        rounding = 8.0 * torch.finfo(dtype).eps
        floor = rounding**2 * (1.0 + mean.square().sum(-1, keepdim=True))
        if self.scale != "coordinates":
            squares = squares.sum(-1, keepdim=True)
            floor = floor * mean.shape[-1]
        return mean, torch.where(squares > floor, squares, 0.0)

    def _track(self, mean, variance, count):
        self.num_batches_tracked.add_(1)
        momentum: Any = self.momentum
        if momentum is None:
            momentum = 1.0 / self.num_batches_tracked.to(self.running_var.dtype)
        # The mean moves along the geodesic; dispersions are unbiased, as in torch.
        step = momentum * self._moved(mean, self.running_mean)
        self.running_mean.copy_(self._moved(step, -self.running_mean))
        unbiased = variance * (count / (count - 1))
        self.running_var.lerp_(unbiased.to(self.running_var), momentum)

    def extra_repr(self) -> Any:
        """Return size, metric, channels and options."""
        return (
            f"{super().extra_repr()}, in_channels={self.in_channels}, "
            f"scale={self.scale!r}, momentum={self.momentum}, affine={self.affine}"
        )


def _of_all_processes(x):
    """Return the samples [N, ...] of all processes, with their gradients."""
    if not (dist.is_available() and dist.is_initialized()):
        return x
    if dist.get_world_size() == 1:
        return x
    from torch.distributed.nn.functional import all_gather

    size = torch.tensor([len(x)], device=x.device)
    gathered = [torch.empty_like(size) for _ in range(dist.get_world_size())]
    dist.all_gather(gathered, size)
    sizes = [int(size) for size in gathered]
    padded = torch.cat([x, x.new_zeros(max(sizes) - len(x), *x.shape[1:])])
    parts = all_gather(padded)
    return torch.cat([part[:count] for part, count in zip(parts, sizes, strict=True)])
