r"""Gyrovector spaces of SPD matrices.

.. math:: P \oplus Q = \mathrm{Exp}_P(\Gamma_{I \to P} \mathrm{Log}_I Q) , \qquad
          t \otimes P = \mathrm{Exp}_I(t \, \mathrm{Log}_I P) , \qquad
          \langle P, Q \rangle = \langle \mathrm{Log}_I P, \mathrm{Log}_I Q \rangle_I .

Under the affine-invariant metric :math:`P \oplus Q = P^{1/2} Q P^{1/2}`; under the
log-Euclidean and log-Cholesky metrics it is the sum of coordinates, which commutes.

References
----------
.. [N2023] X. S. Nguyen and S. Yang. Building neural networks on matrix manifolds: a
   gyrovector space approach. ICML 2023.
"""

from typing import Any

from torch import Tensor


class Gyrovectors:
    """Operations of a gyrovector space on SPD matrices [..., n, n].

    Parameters
    ----------
    space : SPDMatrices
        Space with a metric.

    Examples
    --------
    >>> import torch
    >>> from cornet_nn.spaces import SPDMatrices
    >>> from cornet_nn.spaces.gyrovectors import Gyrovectors
    >>> gyro = Gyrovectors(SPDMatrices(2, equip="aim"))
    >>> gyro.add(torch.diag(torch.tensor([2.0, 4.0])), 3.0 * torch.eye(2)).round()
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """

    def __init__(self, space: Any) -> None:
        self.metric, self.planes = space.metric, space.metric.hyperplanes()

    def add(self, left: Tensor, right: Tensor) -> Any:
        r"""Return :math:`P \oplus Q`."""
        coords = self.metric.to_coords(right), self.metric.to_coords(left)
        return self.metric.from_coords(self.planes.shift(*coords))

    def scale(self, factor: Any, point: Tensor) -> Any:
        r"""Return :math:`t \otimes P`."""
        return self.metric.from_coords(factor * self.metric.to_coords(point))

    def inverse(self, point: Tensor) -> Any:
        r"""Return :math:`\ominus P`, which is :math:`(-1) \otimes P`."""
        return self.scale(-1.0, point)

    def inner(self, left: Tensor, right: Tensor) -> Any:
        r"""Return :math:`\langle P, Q \rangle`."""
        return (self.metric.to_coords(left) * self.metric.to_coords(right)).sum(-1)

    def gyration(self, first: Tensor, second: Tensor, point: Tensor) -> Any:
        r"""Return :math:`\ominus(P \oplus Q) \oplus (P \oplus (Q \oplus R))`."""
        moved = self.add(first, self.add(second, point))
        return self.add(self.inverse(self.add(first, second)), moved)
