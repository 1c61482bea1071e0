"""Logistic regression: the smallest network, and one on several representations."""

from typing import Any

from torch import Tensor, nn

from geomstats_cor.exceptions import ParameterError, ShapeError

from .._validation import renamed_keyword, spaces_of
from ..layers.mlr import CorMLR
from .base import Network


class CorMLRNet(Network):
    """A front end, a normalisation and a multinomial logistic regression.

    Parameters
    ----------
    space : FullRankCorrelationMatrices or int
        Space of the matrices with a metric, or their size.
    num_classes : int
        Number of classes.
    in_channels : int or None
        Number of matrices in an input; None if there is no axis of channels.
    front_end : torch.nn.Module
        What makes correlation matrices of the input; none if None.
    normalize : {"coordinates", "channel", "center"} or None
        See `CorNet`.
    momentum : float
        See `CorBatchNorm`.
    gain : float
        Factor on the initial weights.
    metric : str or type
        Key or class of the metric, for a size.
    device : torch.device
        Device of the parameters.
    dtype : torch.dtype
        Dtype of the parameters.

    Examples
    --------
    >>> import torch
    >>> from cornet_nn import CorMLRNet
    >>> network = CorMLRNet(5, 3, in_channels=2, metric="ecm")
    >>> network(torch.eye(5).expand(8, 2, 5, 5)).shape
    torch.Size([8, 3])
    """

    @renamed_keyword("channels", "in_channels")
    def __init__(
        self,
        space: Any,
        num_classes: int,
        in_channels: int | None = None,
        *,
        front_end: Any = None,
        normalize: str | None = None,
        momentum: float = 0.1,
        gain: float = 1.0,
        metric: Any = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        options = dict(device=device, dtype=dtype)
        (space,) = spaces_of(metric, space=space)
        super().__init__(
            space,
            in_channels,
            front_end=front_end,
            normalize=normalize,
            momentum=momentum,
            **options,
        )
        self.mlr = CorMLR(space, num_classes, in_channels or 1, **options)
        self.mlr.scale_initial(self._input_gain(gain))
        self.fuse = True

    def _layers(self):
        return [self.mlr]


class CorBranches(nn.Module):
    r"""Networks on inputs of different sizes, whose features meet in one regression.

    .. math:: v_k(x_1, \dots, x_B) = \sum_b v_k^{(b)}(x_b) .

    The logits of a multinomial logistic regression on a product of spaces are the sums
    of those of its factors, so this is the regression on the joined features of all
    branches. All are trained together.

    Parameters
    ----------
    *branches : torch.nn.Module
        Networks with the same number of outputs, such as `CorNet`.

    Notes
    -----
    Input: a tensor for each branch. Output [..., num_classes].

    Examples
    --------
    >>> import torch
    >>> from cornet_nn import CorBranches, CorNet
    >>> model = CorBranches(
    ...     CorNet(28, 8, num_classes=45, in_channels=9, metric="olm"),
    ...     CorNet(63, 8, num_classes=45, metric="lecm"),
    ... )
    >>> model(torch.eye(28).expand(2, 9, 28, 28), torch.eye(63).expand(2, 63, 63)).shape
    torch.Size([2, 45])
    """

    def __init__(self, *branches: Any) -> None:
        super().__init__()
        if not branches:
            raise ParameterError("expected at least one branch, got none.")
        self.branches = nn.ModuleList(branches)

    def forward(self, *inputs: Tensor) -> Tensor:
        """Return the logits.

        Parameters
        ----------
        *inputs : tensor
            Input of each branch.

        Returns
        -------
        logits : tensor, shape=[..., num_classes]
            Sums of the logits of the branches.
        """
        if len(inputs) != len(self.branches):
            raise ShapeError(
                f"expected {len(self.branches)} inputs, one for each branch, got "
                f"{len(inputs)}."
            )
        logits = [branch(x) for branch, x in zip(self.branches, inputs, strict=True)]
        if any(other.shape != logits[0].shape for other in logits):
            shapes = ", ".join(str(tuple(other.shape)) for other in logits)
            raise ShapeError(
                f"expected the branches to give logits of one shape, got {shapes}."
            )
        return sum(logits)
