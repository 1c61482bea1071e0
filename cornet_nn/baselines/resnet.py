r"""Riemannian residual networks on SPD matrices: SPDResNet under LEM and AIM.

A BiMap layer :math:`X = W S W^\top` is followed by one residual step along the vector
field

.. math:: \xi(X) = Q \operatorname{diag}(f(\lambda_1, \dots, \lambda_m)) Q^\top ,

with the eigenvalues of X, an orthogonal Q that is learnt and a small convolution f over
the spectrum, and by a linear layer on the logarithm. Under LEM the logarithm is
:math:`\log X + \xi`; under AIM the step is :math:`\mathrm{Exp}_X(\xi) = X^{1/2}
\exp(X^{-1/2} \xi X^{-1/2}) X^{1/2}`.

References
----------
.. [K2023] I. Katsman, E. M. Chen, S. Holalkere, A. Asch, A. Lou, S.-N. Lim and C. De
   Sa. Riemannian residual neural networks. NeurIPS 2023.
"""

from typing import Any

import torch
from torch import nn

from cornet_nn._validation import require_definite, require_positive
from geomstats_cor import kernels
from geomstats_cor.exceptions import ParameterError
from geomstats_cor.kernels._quotients import divide
from geomstats_cor.kernels._tolerances import rank_tolerance
from geomstats_cor.kernels.symmetric import log_at, power_at

from .network import BaselineNetwork, OrthonormalRows, choose, with_channels


class SPDResNet(BaselineNetwork):
    """BiMap, one residual step along a field of the spectrum, a linear layer.

    Parameters
    ----------
    n, m : int
        Sizes of the matrices before and after BiMap, with m at most n.
    num_classes : int
        Number of classes.
    metric : {"lem", "aim"}
        Metric whose exponential takes the step.
    unit_step : bool
        Whether the field is divided by its length in the metric; as the authors do
        under AIM and not under LEM if None.
    device : torch.device
        Device of the parameters.
    dtype : torch.dtype
        Dtype of the parameters.

    Notes
    -----
    Input [..., n, n] or [..., 1, n, n], output [..., num_classes]. Where eigenvalues
    coincide the spectrum has no derivative; that of one choice of eigenvectors is
    taken, which is finite.

    Examples
    --------
    >>> import torch
    >>> from cornet_nn.baselines import SPDResNet
    >>> _ = torch.manual_seed(0)
    >>> model = SPDResNet(6, 4, num_classes=3, metric="aim")
    >>> model(torch.eye(6).expand(8, 6, 6)).shape
    torch.Size([8, 3])
    """

    def __init__(
        self, n, m, num_classes, metric="lem", unit_step=None, device=None, dtype=None
    ):
        super().__init__()
        require_positive(n=n, m=m, num_classes=num_classes)
        if m > n:
            raise ParameterError(f"expected m <= n, got m = {m} and n = {n}.")
        choose(metric, _STEPS, "metric")
        options = dict(device=device, dtype=dtype)
        self.n, self.metric = n, metric
        self.unit_step = metric == "aim" if unit_step is None else unit_step
        self.bimap = OrthonormalRows(m, n, **options)
        self.frame = OrthonormalRows(m, m, **options)
        self.spectrum = nn.Sequential(
            nn.Conv1d(1, 3, 5, padding="same", **options),
            nn.LeakyReLU(),
            nn.BatchNorm1d(3, **options),
            nn.Conv1d(3, 3, 5, padding="same", **options),
            nn.LeakyReLU(),
            nn.BatchNorm1d(3, **options),
            nn.Conv1d(3, 1, 5, padding="same", **options),
        )
        self.linear = nn.Linear(m * m, num_classes, **options)

    def reset_parameters(self) -> None:
        """Draw the parameters of all layers again."""
        super().reset_parameters()
        for layer in self.spectrum:
            reset: Any = getattr(layer, "reset_parameters", None)
            if reset is not None:
                reset()

    def _features(self, x):
        """Return the input without an axis of channels."""
        return with_channels(x, 1, (self.n, self.n)).squeeze(-3)

    def _from_features(self, features):
        weight = self.bimap()
        matrix = weight @ features @ weight.mT
        batch, m = matrix.shape[:-2], matrix.shape[-1]
        values, vectors = torch.linalg.eigh(matrix)
        changes = self.spectrum(values.reshape(-1, 1, m)).reshape(*batch, m)
        frame = self.frame()
        field = (frame * changes[..., None, :]) @ frame.mT
        known = values.detach()
        is_positive = known > rank_tolerance(matrix) * known[..., -1:]
        known = torch.where(is_positive, known, torch.nan)
        require_definite(features, known, "point")
        spectrum = known, vectors.detach()
        logarithm = _STEPS[self.metric](matrix, spectrum, field, self.unit_step)
        return self.linear(logarithm.flatten(-2))

    def extra_repr(self) -> str:
        """Return the metric."""
        return f"metric={self.metric!r}, unit_step={self.unit_step}"


def _log_euclidean_step(matrix, spectrum, field, unit_step):
    """Return the logarithm after the step."""
    field = _unit(field) if unit_step else field
    return log_at(matrix, *spectrum) + field


def _affine_invariant_step(matrix, spectrum, field, unit_step):
    root = power_at(matrix, *spectrum, 0.5)
    inverse = power_at(matrix, *spectrum, -0.5)
    # In the frame that X^(1/2) carries from the identity, lengths are Euclidean.
    local = inverse @ field @ inverse
    local = _unit(local) if unit_step else local
    return kernels.sym_log(root @ kernels.sym_exp(local) @ root)


def _unit(vector):
    return divide(vector, torch.linalg.matrix_norm(vector, keepdim=True))


_STEPS = {"lem": _log_euclidean_step, "aim": _affine_invariant_step}
