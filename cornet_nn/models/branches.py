"""One network on several representations of a sample."""

from typing import Any

from torch import Tensor, nn

from geomstats_cor.exceptions import ParameterError, ShapeError


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
