"""Layers with a stack of hyperplanes as parameters."""

from typing import Any

import torch
from torch import Tensor, nn

from .._state import stored_basis
from .._validation import require_positive
from .base import CorLayer


class HyperplaneLayer(CorLayer):
    r"""A layer with a stack of hyperplanes.

    The parameters are free: `weight` holds the covectors of the normals
    :math:`Z \in \mathrm{Hol}(n)` at the identity, :math:`d = n (n - 1) / 2` numbers for
    each output and channel (see `Hyperplanes.to_weight`), and `gamma` their offsets.
    Subclasses call `make_parameters` at the end of their constructor.

    Parameters
    ----------
    space_in, space_out, in_channels, out_channels, metric
        See `CorLayer`.

    Attributes
    ----------
    gain : float
        Factor on the initial normals.
    """

    gain = 1.0
    # Version 1 stored normals, version 2 their covectors in the metric's own basis.
    _version = 3
    _own_hyperplanes: Any = None
    gamma: nn.Parameter | None

    def make_parameters(
        self, out: int, fan: int, bias: bool, device: Any, dtype: Any
    ) -> None:
        """Create the parameters and draw them.

        Parameters
        ----------
        out : int
            Number of hyperplanes.
        fan : int
            Number of matrices that a hyperplane sees.
        bias : bool
            Whether hyperplanes have offsets; otherwise they pass through the identity.
        device : torch.device
            Device of the parameters.
        dtype : torch.dtype
            Dtype of the parameters.
        """
        planes, options = self.hyperplanes_in, dict(device=device, dtype=dtype)
        require_positive(out=out, fan=fan)
        self.weight = nn.Parameter(torch.empty(out, fan, planes.dim, **options))
        self._offsets = planes.offsets(fan)
        gamma = nn.Parameter(torch.empty(out, self._offsets, **options))
        self.register_parameter("gamma", gamma if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        r"""Draw the normals again, and put all hyperplanes through the identity.

        Logits are of order one for inputs of any n: under a flat metric, with
        coordinates x of all channels, their standard deviation over the draw is
        :math:`|x| / \sqrt{n \cdot \text{channels}}`, and about so under the
        poly-hyperbolic one. Where the output are matrices, the root mean square of
        their coordinates is about that of the input.
        """
        planes_in, planes_out = self.hyperplanes_in, self.hyperplanes_out
        gain = planes_in.logit_gain if planes_out is None else planes_out.gain
        with torch.no_grad():
            noise = torch.randn_like(self.weight)
            self.weight.copy_(self.gain * gain * planes_in.initial_weight(noise))
            if self.gamma is not None:
                self.gamma.zero_()

    def scale_initial(self, gain: float) -> None:
        """Multiply the initial normals by a number, now and after a reset.

        Parameters
        ----------
        gain : float
            Factor.
        """
        self.gain = gain
        with torch.no_grad():
            self.weight.mul_(gain)

    def use_orthonormal_weights(self) -> None:
        """Change the basis of the weights; see `Hyperplanes.orthonormal`.

        The hyperplanes stay where they are. Features of the input are then other ones.
        """
        old, new = self.hyperplanes_in, self.hyperplanes_in.orthonormal()
        if new is not old:
            with torch.no_grad():
                self.weight.copy_(new.to_weight(old.to_normal(self.weight)))
            self.hyperplanes_in, self._own_hyperplanes = new, old

    @property
    def weights_were_converted(self) -> bool:
        """Whether the basis of the weights is not that of the metric's hyperplanes."""
        return self._own_hyperplanes is not None

    def normals(self) -> Tensor:
        """Return the normals of the hyperplanes at the identity.

        Returns
        -------
        normals : tensor, shape=[out, fan, n, n]
            Symmetric matrices, hollow ones for a metric of correlation matrices.
        """
        return self.hyperplanes_in.normals(self.weight)

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, *rest):
        name, version = prefix + "weight", local_metadata.get("version")
        planes, basis = self.hyperplanes_in, stored_basis(local_metadata)
        if version == 2 or basis == "that of the metric":
            planes = self._own_hyperplanes or planes
        elif basis == "orthonormal":
            planes = planes.orthonormal()
        is_converted = version == 1 or planes is not self.hyperplanes_in
        # Weights of another shape belong to another layer, and are refused.
        if (
            is_converted
            and getattr(state_dict.get(name), "shape", 0) == self.weight.shape
        ):
            weight = state_dict[name]
            normal = weight if version == 1 else planes.to_normal(weight)
            state_dict[name] = self.hyperplanes_in.to_weight(normal)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)

    def logits(self, features: Tensor) -> Tensor:
        """Return the signed distances to the hyperplanes, times lengths of normals.

        Parameters
        ----------
        features : tensor, shape=[..., fan, d]
            Features of the input.

        Returns
        -------
        logits : tensor, shape=[..., out]
            A number for each hyperplane.
        """
        gamma: Tensor | None = self.gamma
        if gamma is None:
            gamma = self.weight.new_zeros(self.weight.shape[0], self._offsets)
        return self.hyperplanes_in.logits(features, self.weight, gamma)

    def with_channels(self, features: Tensor) -> Tensor:
        """Return features [..., channels, d], of one channel if there is no such axis.

        Parameters
        ----------
        features : tensor
            Features [..., in_channels, d], or [..., d] if `in_channels` is None.

        Returns
        -------
        features : tensor, shape=[..., channels, d]
            The same features.
        """
        return features.unsqueeze(-2) if self.in_channels is None else features

    def extra_repr(self) -> Any:
        """Return sizes, metrics and channels."""
        words = [super().extra_repr(), f"in_channels={self.in_channels}"]
        return ", ".join(words + ([] if self.gamma is not None else ["bias=False"]))
