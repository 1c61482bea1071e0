"""A recurrent layer whose state is a correlation matrix."""

from typing import Any

import torch
from torch import Tensor

from geomstats_cor.exceptions import ParameterError, ShapeError

from .._precision import in_full_precision
from .._validation import require_size, spaces_of
from .base import CorLayer, require_sequence
from .mlr import CorMLR


class CorRecurrent(CorLayer):
    r"""A gated recurrent unit on correlation matrices.

    With the logits :math:`v` of `CorMLR`, of the input :math:`C_t` and of the state
    :math:`H_{t - 1}`, a matrix with coordinates :math:`h_{t - 1}`,

    .. math:: r = \sigma(v_r(C_t) + v_r'(H_{t - 1})) , \qquad
              z = \sigma(v_z(C_t) + v_z'(H_{t - 1})) ,

    .. math:: \tilde h = x\left(\tanh(v_h(C_t) + r \circ v_h'(H_{t - 1}))\right) ,
              \qquad h_t = (1 - z) \circ \tilde h + z \circ h_{t - 1} ,

    where :math:`x` takes the signed distances of a point from the coordinate planes
    to its coordinates, as in `CorFC`. Under a flat metric :math:`x` is the identity,
    and the layer is `torch.nn.GRU` in coordinates. Under the poly-hyperbolic metric,
    gates act on the logarithms at the origins of the balls of the rows.

    Parameters
    ----------
    space_in : FullRankCorrelationMatrices or int
        Space of the input with a metric, or the size of its matrices.
    space_out : FullRankCorrelationMatrices or int
        Space of the state with a metric, or the size of its matrices.
    last : bool
        Whether the output is the last state alone.
    metric : str or type
        Key or class of the metric, for sizes that are given as numbers.
    bias : bool
        Whether hyperplanes have offsets.
    device : torch.device
        Device of the parameters.
    dtype : torch.dtype
        Dtype of the parameters.

    Attributes
    ----------
    input, state : CorMLR
        Logits of the input and of the state, in the order r, z, h.

    Notes
    -----
    Input [..., length, n, n], output [..., length, m, m], or [..., m, m] for the last
    state. The first state is the identity.

    References
    ----------
    .. [C2014] K. Cho, B. van Merriënboer, C. Gulcehre, D. Bahdanau, F. Bougares,
       H. Schwenk and Y. Bengio. Learning phrase representations using RNN
       encoder-decoder for statistical machine translation. EMNLP 2014.

    Examples
    --------
    >>> import torch
    >>> from cornet_nn import CorMLR, CorRecurrent, CorSequential
    >>> model = CorSequential(
    ...     CorRecurrent(6, 3, last=True, metric="lsm"), CorMLR(3, 2, metric="lsm")
    ... )
    >>> model(torch.eye(6).expand(8, 10, 6, 6)).shape
    torch.Size([8, 2])
    """

    def __init__(
        self,
        space_in: Any,
        space_out: Any,
        *,
        last: bool = False,
        metric: Any = None,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        space_in, space_out = spaces_of(metric, space_in=space_in, space_out=space_out)
        super().__init__(space_in, space_out)
        self.last = last
        planes = self.hyperplanes_out
        options = dict(bias=bias, device=device, dtype=dtype)
        self.input = CorMLR(space_in, 3 * planes.dim, **options)
        self.state = CorMLR(space_out, 3 * planes.dim, **options)
        for layer in (self.input, self.state):
            # Candidates are points, of the size that a fully connected layer gives.
            layer.scale_initial(planes.gain / layer.hyperplanes_in.logit_gain)

    def reset_parameters(self) -> None:
        """Draw the parameters again."""
        self.input.reset_parameters()
        self.state.reset_parameters()

    def require_axes(self, batch: tuple) -> None:
        """Raise unless there is a sequence.

        Parameters
        ----------
        batch : tuple of int
            Shape of the axes before the matrices.
        """
        require_sequence(batch, self.hyperplanes_in.n)

    def compute(self, features: Tensor, state: Tensor | None = None) -> Tensor:
        """Return the coordinates of the states.

        Parameters
        ----------
        features : tensor, shape=[..., length, d]
            Features of the input.
        state : tensor, shape=[..., m (m - 1) / 2], or None
            Coordinates of the first state; those of the identity if None.

        Returns
        -------
        coords : tensor, shape=[..., length, m (m - 1) / 2]
            Coordinates of all states; [..., m (m - 1) / 2] of the last one.
        """
        planes = self.hyperplanes_out
        driven = self.input(features, from_features=True)
        if state is None:
            state = driven.new_zeros(*driven.shape[:-2], planes.dim)
        states = []
        for at_time in driven.unbind(-2):
            recurrent = self.state(self.state.read_coords(state), from_features=True)
            reset, update, candidate = at_time.chunk(3, -1)
            own_reset, own_update, own_candidate = recurrent.chunk(3, -1)
            reset = torch.sigmoid(reset + own_reset)
            update = torch.sigmoid(update + own_update)
            candidate = torch.tanh(candidate + reset * own_candidate)
            state = torch.lerp(planes.coords(candidate), state, update)
            states.append(state)
        return state if self.last else torch.stack(states, -2)

    def forward(
        self, point: Tensor, state: Tensor | None = None, *, from_features: bool = False
    ) -> Tensor:
        """Return the states.

        Parameters
        ----------
        point : tensor, shape=[..., length, n, n]
            Correlation matrices.
        state : tensor, shape=[..., m, m]
            First state; the identity if None.
        from_features : bool
            See `CorLayer.forward`; without a state.

        Returns
        -------
        states : tensor, shape=[..., length, m, m]
            All states, or the last one, [..., m, m].
        """
        if state is None:
            return super().forward(point, from_features=from_features)
        if from_features:
            raise ParameterError("a state goes with points, not with features.")
        return self._continued([point, state])

    @in_full_precision
    def _continued(self, inputs):
        point, state = inputs
        features = self.admit(point)
        require_size(state, self.hyperplanes_out.n)
        if tuple(state.shape[:-2]) != tuple(point.shape[:-3]):
            raise ShapeError(
                f"state: expected a matrix for each sequence, shape "
                f"{(*point.shape[:-3], *state.shape[-2:])}, got {tuple(state.shape)}."
            )
        state = self.hyperplanes_out.metric.to_coords(state)
        return self.write(self.compute(features, state))

    def extra_repr(self) -> Any:
        """Return sizes and metrics."""
        return f"{super().extra_repr()}, last={self.last}"
