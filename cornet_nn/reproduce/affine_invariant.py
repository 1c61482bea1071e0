r"""Logistic regression of SPD matrices under the affine-invariant metric.

The metric is not flat, so this layer is a formula of its own. With the hyperplane
through :math:`P = \mathrm{Exp}_I(\gamma Z / |Z|)` whose normal is :math:`Z`, carried
there from the identity by parallel transport, the logit of [C2024]_ is

.. math:: \langle \mathrm{Log}_P S, \Gamma_{I \to P} Z \rangle_P
          = \operatorname{tr} \left( Z \log(P^{-1/2} S P^{-1/2}) \right) .

References
----------
.. [C2024] Z. Chen, Y. Song, X. Wu and N. Sebe. RMLR: extending multinomial logistic
   regression into general geometries. NeurIPS 2024. Theorem 4.2.
"""

import math

import torch
from torch import nn

from geomstats_cor import kernels


class AffineInvariantMLR(nn.Module):
    r"""SPDMLR-Trivlz under the affine-invariant metric (AIM).

    Parameters
    ----------
    n : int
        Size of the matrices.
    num_classes : int
        Number of classes.
    device : torch.device
        Device of the parameters.
    dtype : torch.dtype
        Dtype of the parameters.

    Attributes
    ----------
    weight : tensor, shape=[num_classes, n (n + 1) / 2]
        Coordinates of the normals :math:`Z_k`, symmetric matrices, in an orthonormal
        basis.
    gamma : tensor, shape=[num_classes]
        Offsets of the hyperplanes from the identity.

    Notes
    -----
    Input [..., n, n] or [..., 1, n, n], output [..., num_classes]. Every matrix is
    decomposed once for each class: it is slow.

    Examples
    --------
    >>> import torch
    >>> AffineInvariantMLR(4, num_classes=3)(torch.eye(4).expand(8, 4, 4)).shape
    torch.Size([8, 3])
    """

    def __init__(self, n, num_classes, device=None, dtype=None):
        super().__init__()
        self.n, self.num_classes = n, num_classes
        options = dict(device=device, dtype=dtype)
        dim = n * (n + 1) // 2
        self.weight = nn.Parameter(torch.empty(num_classes, dim, **options))
        self.gamma = nn.Parameter(torch.empty(num_classes, **options))
        self.reset_parameters()

    def reset_parameters(self):
        """Draw isotropic normals, and put all hyperplanes through the identity."""
        with torch.no_grad():
            self.weight.normal_(std=1.0 / math.sqrt(self.weight.shape[-1]))
            self.gamma.zero_()

    def normals(self):
        """Return the normals [num_classes, n, n]."""
        rows, columns = torch.tril_indices(self.n, self.n, device=self.weight.device)
        scale = self.weight.new_full(rows.shape, math.sqrt(0.5))
        entries = scale.masked_fill(rows == columns, 1.0) * self.weight
        flat = self.weight.new_zeros(self.num_classes, self.n * self.n)
        flat = flat.index_copy(-1, rows * self.n + columns, entries)
        lower = flat.unflatten(-1, (self.n, self.n))
        return lower + lower.tril(-1).mT

    def forward(self, point):
        """Return the logits.

        Parameters
        ----------
        point : tensor, shape=[..., n, n] or [..., 1, n, n]
            SPD matrices.

        Returns
        -------
        logits : tensor, shape=[..., num_classes]
            Logits.
        """
        point = point.squeeze(-3) if point.ndim > 3 else point
        normals = self.normals()
        lengths = torch.linalg.vector_norm(self.weight, dim=-1)
        steps = -0.5 * (self.gamma / lengths)[:, None, None] * normals
        whitening = kernels.sym_exp(steps)
        moved = whitening @ point[..., None, :, :] @ whitening
        return (kernels.sym_log(moved) * normals).sum((-2, -1))

    def extra_repr(self):
        """Return size and number of classes."""
        return f"n={self.n}, num_classes={self.num_classes}"
