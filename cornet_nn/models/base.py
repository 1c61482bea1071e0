"""The base class of networks: a front end, a normalisation, layers, and logits."""

import copy
import math
from typing import Any

import torch
from torch import Tensor, nn

from geomstats_cor.exceptions import ParameterError, ShapeError

from .._precision import in_full_precision, require_tensor
from .._validation import hyperplanes_of, require_channels, require_size
from ..layers.norm import CorBatchNorm
from ..layers.sequential import links_between, run_layers

# The scale of a CorBatchNorm by the name of a normalisation.
NORMALIZATIONS = {"coordinates": "coordinates", "channel": "channel", "center": None}


class Network(nn.Module):
    """The base class of networks, which estimators can train.

    A network is a front end, a normalisation, and layers of which the last gives
    logits. A subclass defines `_layers` and sets `fuse` when they are there. Estimators
    use `coords`, `normalized`, `features`, `from_features` and `parameter_groups`.

    Parameters
    ----------
    space : FullRankCorrelationMatrices
        Space of the input, with a metric.
    in_channels : int or None
        Number of matrices in an input; None if there is no axis of channels.
    front_end : torch.nn.Module or None
        What makes correlation matrices of the input.
    normalize : {"coordinates", "channel", "center"} or None
        See `CorNet`.
    momentum : float
        See `CorBatchNorm`.
    device : torch.device
        Device of the normalisation.
    dtype : torch.dtype
        Dtype of the normalisation.

    Examples
    --------
    >>> import torch
    >>> from cornet_nn import CorFC, CorMLR, Network
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> class Small(Network):
    ...     def __init__(self, n, num_classes):
    ...         space = FullRankCorrelationMatrices(n, equip="olm")
    ...         super().__init__(space, normalize="coordinates")
    ...         self.fc = CorFC(space, 3, in_channels=1, metric="olm")
    ...         self.mlr = CorMLR(3, num_classes, metric="olm")
    ...         self.fuse = True
    ...
    ...     def _layers(self):
    ...         return [self.fc, self.mlr]
    >>> Small(6, 2)(torch.eye(6).expand(8, 6, 6)).shape
    torch.Size([8, 2])
    """

    guard = True

    def __init__(
        self,
        space: Any,
        in_channels: int | None = None,
        *,
        front_end: Any = None,
        normalize: str | None = None,
        momentum: float = 0.1,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.front_end, self.in_channels = front_end, in_channels
        channels, options = self._norm_channels(), dict(device=device, dtype=dtype)
        self.norm = make_norm(normalize, momentum, space, channels, options)

    def _norm_channels(self):
        return self.in_channels or 1

    @property
    def fuse(self) -> Any:
        """Whether layers leave out the steps that cancel; see `CorSequential`."""
        return self._fuse

    @fuse.setter
    def fuse(self, fuse: Any) -> None:
        self._fuse, self._links = fuse, links_between(self._layers(), fuse)

    def _layers(self):
        """Return the layers after the normalisation; the first has weights."""
        raise NotImplementedError

    @property
    def _is_norm_fixed(self):
        return self.norm is not None and self.norm.momentum == 0.0

    def forward(self, x: Tensor) -> Tensor:
        """Return the logits.

        Parameters
        ----------
        x : tensor
            Correlation matrices [..., in_channels, n, n], or the input of the front
            end.

        Returns
        -------
        logits : tensor, shape=[..., num_classes]
            Logits.
        """
        return self.from_features(self.features(x))

    def _points(self, x):
        """Return the correlation matrices of an input, of the right shape."""
        point = x if self.front_end is None else self.front_end(x)
        n = self._layers()[0].hyperplanes_in.n
        require_tensor(point)
        require_size(point, n)
        self._require_axes(point, n)
        return point

    def _require_axes(self, point, n):
        if not self._lacks_channels(point.ndim):
            require_channels(point.shape, n, self.in_channels)

    def _lacks_channels(self, ndim):
        # Estimators pass samples [N, n, n] to a network of one channel.
        return self.in_channels is None or (self.in_channels == 1 and ndim < 4)

    def _with_channels(self, vectors):
        """Return coordinates or features with the axis of a single channel."""
        lacks = self._lacks_channels(vectors.ndim + 1)
        return vectors.unsqueeze(-2) if lacks else vectors

    def coords(self, x: Tensor) -> Tensor:
        """Return the coordinates of the input, before they are normalised.

        Parameters
        ----------
        x : tensor
            Correlation matrices, or the input of the front end.

        Returns
        -------
        coords : tensor, shape=[..., in_channels, n (n - 1) / 2]
            Coordinates under the metric of the first layer.
        """
        return self._read_coords(self._points(x))

    @in_full_precision(uses_parameters=False)
    def _read_coords(self, point):
        coords = self._layers()[0].hyperplanes_in.metric.to_coords(point)
        return self._with_channels(coords)

    @in_full_precision(uses_parameters=False)
    def normalized(self, coords: Tensor) -> Tensor:
        """Return coordinates after a normalisation that training leaves as it is.

        Parameters
        ----------
        coords : tensor, shape=[..., in_channels, n (n - 1) / 2]
            What `coords` returns.

        Returns
        -------
        coords : tensor, shape=[..., in_channels, n (n - 1) / 2]
            Coordinates; those that were given unless `momentum` is 0.
        """
        return self.norm.compute(coords) if self._is_norm_fixed else coords

    @in_full_precision(uses_parameters=False)
    def features_of_coords(self, coords: Tensor) -> Tensor:
        """Return `features` of an input with given coordinates.

        Parameters
        ----------
        coords : tensor, shape=[..., in_channels, n (n - 1) / 2]
            What `coords` returns.

        Returns
        -------
        features : tensor, shape=[..., in_channels, n (n - 1) / 2]
            Features.
        """
        if not self._is_norm_fixed:
            return coords
        return self._layers()[0].read_coords(self.norm.compute(coords))

    def features(self, x: Tensor) -> Tensor:
        """Return what the first step of the network that learns takes from the input.

        If the front end has no parameters, features may be computed once for many
        steps.

        Parameters
        ----------
        x : tensor
            Correlation matrices, or the input of the front end.

        Returns
        -------
        features : tensor, shape=[..., in_channels, n (n - 1) / 2]
            Features.
        """
        return self._features_of_points(self._points(x))

    def _features_of_points(self, point):
        if self.norm is not None:
            return self.features_of_coords(self._read_coords(point))
        return self._read(point)

    @in_full_precision(uses_parameters=False)
    def _read(self, point):
        return self._with_channels(self._layers()[0].read(point))

    @in_full_precision
    def from_features(self, features: Tensor) -> Tensor:
        """Return the logits of inputs with given features.

        Parameters
        ----------
        features : tensor, shape=[..., in_channels, n (n - 1) / 2]
            What `features` returns.

        Returns
        -------
        logits : tensor, shape=[..., num_classes]
            Logits.
        """
        layers, links = self._layers(), self._links
        self._require_features(features, layers[0].hyperplanes_in.dim)
        if self.norm is not None and not self._is_norm_fixed:
            layers, links = [self.norm, *layers], ("coords", *links)
        return run_layers(layers, links, features, self.guard)

    def _require_features(self, features, dim):
        shape = (self.in_channels or 1, dim)
        if features.ndim < 2 or tuple(features.shape[-2:]) != shape:
            raise ShapeError(
                f"expected features of shape [..., {shape[0]}, {shape[1]}], got "
                f"{tuple(features.shape)}."
            )

    def reset_parameters(self) -> None:
        """Draw the parameters of the layers again; the front end stays as it is.

        The statistics of normalisations are forgotten.
        """
        for layer in (self.norm, *self._layers()):
            for module in () if layer is None else layer.modules():
                if hasattr(module, "reset_parameters"):
                    module.reset_parameters()

    def parameter_groups(self, lr: float, weight_decay: float = 0.0) -> list:
        r"""Return groups of parameters for Adam and its relatives.

        Normalised coordinates have a variance of 1 / d (0.04 / d under the
        poly-hyperbolic metric). Steps of Adam do not depend on the scale of gradients,
        so weights that multiply these coordinates get :math:`\sqrt{d}` times the
        learning rate, and a weight decay divided by it: what they would get for
        coordinates of variance one.

        Parameters
        ----------
        lr, weight_decay : float
            Learning rate and weight decay.

        Returns
        -------
        groups : list of dict
            Groups, as optimizers of torch take them.

        Examples
        --------
        >>> import torch
        >>> from cornet_nn import CorNet
        >>> model = CorNet(9, 4, 2, metric="olm", normalize="coordinates")
        >>> optimizer = torch.optim.AdamW(model.parameter_groups(lr=1e-3))
        >>> [group["lr"] for group in optimizer.param_groups]
        [0.006, 0.001]
        """
        scaled = {self._layers()[0].weight: self._weight_scale()}
        learnt = [p for p in self.parameters() if p.requires_grad]
        others = [p for p in learnt if p not in scaled]
        groups = [
            dict(params=[p], lr=lr * scale, weight_decay=weight_decay / scale)
            for p, scale in scaled.items()
        ]
        return [*groups, dict(params=others, lr=lr, weight_decay=weight_decay)]

    def _weight_scale(self):
        """Return the size of weights that makes logits as large as coordinates."""
        if self.norm is None or self.norm.scale is None:
            return 1.0
        planes = self.norm.hyperplanes_in
        return planes.weight_of_covector * math.sqrt(planes.dim / planes.dispersion)

    def _input_gain(self, gain):
        """Return the gain of the first layer."""
        if self.norm is None or self.norm.scale is None:
            return gain
        return gain / self.norm.hyperplanes_in.initial_logit()

    def edge_weights(self, point: Tensor | None = None) -> Tensor:
        r"""Return how the logits change with each correlation, at a point.

        .. math:: \frac{\partial}{\partial C_{ij}} \left( v_k(C) - \frac{1}{K} \sum_l
                  v_l(C) \right) ,

        where :math:`C_{ji} = C_{ij}` moves with it. Under one flat metric without an
        activation the logits are linear in coordinates, and this is their covector
        pulled back to correlations.

        Parameters
        ----------
        point : tensor, shape=[in_channels, n, n] or [n, n]
            Correlation matrices; the mean of the normalisation if None.

        Returns
        -------
        edge_weights : tensor, shape=[num_classes, in_channels, n, n]
            Symmetric hollow matrices, of sum zero over the classes.
        """
        network = copy.deepcopy(self).double().eval()
        if point is None:
            if self.norm is None:
                raise ParameterError(
                    "edge_weights needs a point, as the network has no normalisation "
                    "whose mean it could take."
                )
            planes = network.norm.hyperplanes_in
            mean = planes.from_tangent(network.norm.running_mean)
            point = planes.metric.from_coords(mean)
        point = point.detach().double()
        point = point.reshape(-1, *point.shape[-2:])
        network.in_channels = len(point)

        def logits(x):
            return network.from_features(network._features_of_points(x[None]))[0]

        gradient = torch.func.jacrev(logits)(point).detach()
        gradient = gradient + gradient.mT
        gradient = gradient - torch.diag_embed(gradient.diagonal(dim1=-2, dim2=-1))
        return gradient - gradient.mean(0)


def make_norm(
    normalize: str | None,
    momentum: float,
    space: Any,
    channels: int | None,
    options: dict,
) -> Any:
    """Return the normalisation of an input, without parameters to learn.

    Parameters
    ----------
    normalize : {"coordinates", "channel", "center"} or None
        A `CorBatchNorm` in the tangent space at the identity, with one dispersion for
        each coordinate, or each channel, or that moves the mean alone; none if None.
    momentum : float
        See `CorBatchNorm`.
    space : FullRankCorrelationMatrices
        Space, with a metric.
    channels : int or None
        Number of matrices in an input; None if there is no axis of channels.
    options : dict
        Device and dtype.

    Returns
    -------
    norm : CorBatchNorm or None
        Normalisation.
    """
    if normalize is None:
        return None
    if normalize not in NORMALIZATIONS:
        raise ParameterError(
            f"normalize is {normalize!r}: expected one of "
            f"{', '.join(map(repr, NORMALIZATIONS))}, or None."
        )
    return CorBatchNorm(
        space,
        channels,
        scale=NORMALIZATIONS[normalize],
        momentum=momentum,
        motion="tangent",
        affine=False,
        dispersion=hyperplanes_of(space).dispersion,
        **options,
    )
