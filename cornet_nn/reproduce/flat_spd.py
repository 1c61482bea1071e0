r"""Flat metrics of geomstats on SPD matrices, in the terms the layers ask for.

A layer asks a metric for its `hyperplanes`, and these ask for orthonormal coordinates
of points and of tangent vectors at the origin. Both metrics below are geomstats' own,
with coordinates added: `CorMLR` then is the SPD logistic regression of [C2024]_ with
the trivialisation of [C2026]_, called SPDMLR-Trivlz there, with no line of its own.

References
----------
.. [C2024] Z. Chen, Y. Song, X. Wu and N. Sebe. RMLR: extending multinomial logistic
   regression into general geometries. NeurIPS 2024.
.. [C2026] Z. Chen, X. Wu, B. Schölkopf and N. Sebe. Riemannian networks over full-rank
   correlation matrices. ICML 2026.
.. [L2019] Z. Lin. Riemannian geometry of symmetric positive definite matrices via
   Cholesky decomposition. SIAM J. Matrix Anal. Appl. 40, 2019.
"""

import math

import torch
from geomstats.geometry.positive_lower_triangular_matrices import (
    CholeskyMetric,
    PositiveLowerTriangularMatrices,
)
from geomstats.geometry.pullback_metric import PullbackDiffeoMetric
from geomstats.geometry.spd_matrices import (
    CholeskyMap,
    SPDLogEuclideanMetric,
    SPDMatrices,
)

from geomstats_cor import kernels
from geomstats_cor.exceptions import ParameterError
from geomstats_cor.hyperplanes import FlatHyperplanes


class SPDHyperplanes(FlatHyperplanes):
    """The hyperplanes of a flat metric on SPD matrices.

    Normals are packed as the n (n + 1) / 2 lower entries of symmetric matrices.
    """

    def _to_coords(self, packed):
        return packed * self._entry_lengths(packed)

    def _from_coords(self, coords):
        return coords / self._entry_lengths(coords)

    def _entry_lengths(self, like):
        """Return the lengths of the entries of tangent vectors at the identity."""
        rows, columns = _lower(self.n, like)
        on_diagonal, off_diagonal = self.metric.lengths_at_identity
        lengths = like.new_full(rows.shape, off_diagonal)
        return lengths.masked_fill(rows == columns, on_diagonal)


class LogEuclideanSPDMetric(SPDLogEuclideanMetric):
    r"""The log-Euclidean metric (LEM) with coordinates: those of :math:`\log S`.

    Parameters
    ----------
    space : SPDMatrices
        Manifold.
    """

    lengths_at_identity = (1.0, math.sqrt(2.0))

    def to_coords(self, point):
        """Return the orthonormal coordinates [..., n (n + 1) / 2] of points."""
        rows, columns = _lower(self._space.n, point)
        packed = kernels.sym_log(point)[..., rows, columns]
        return SPDHyperplanes(self)._to_coords(packed)

    def hyperplanes(self):
        """Return the hyperplanes of the metric."""
        return SPDHyperplanes(self)


class LogCholeskySPDMetric(PullbackDiffeoMetric):
    r"""The log-Cholesky metric (LCM) of [L2019]_ with coordinates.

    They are the strict lower entries of the Cholesky factor, and the logarithms of its
    diagonal; the differential at the identity halves the diagonal.

    Parameters
    ----------
    space : SPDMatrices
        Manifold.
    """

    lengths_at_identity = (0.5, 1.0)

    def __init__(self, space):
        image_space = PositiveLowerTriangularMatrices(space.n, equip=False)
        image_space.equip_with_metric(CholeskyMetric)
        super().__init__(space, CholeskyMap(), image_space)

    def to_coords(self, point):
        """Return the orthonormal coordinates [..., n (n + 1) / 2] of points."""
        rows, columns = _lower(self._space.n, point)
        packed = torch.linalg.cholesky(point)[..., rows, columns]
        diagonal = rows == columns
        logarithms = torch.where(diagonal, packed, 1.0).log()
        return torch.where(diagonal, logarithms, packed)

    def hyperplanes(self):
        """Return the hyperplanes of the metric."""
        return SPDHyperplanes(self)


FLAT_SPD_METRICS = {"lem": LogEuclideanSPDMetric, "lcm": LogCholeskySPDMetric}


def flat_spd_space(n, metric):
    """Return SPD matrices with a flat metric, for a `CorMLR`.

    Parameters
    ----------
    n : int
        Size of the matrices.
    metric : {"lem", "lcm"}
        Log-Euclidean or log-Cholesky metric.

    Returns
    -------
    space : SPDMatrices
        Space with the metric.

    Examples
    --------
    >>> import torch
    >>> from cornet_nn import CorMLR
    >>> layer = CorMLR(flat_spd_space(4, "lem"), num_classes=3)
    >>> layer(2.0 * torch.eye(4).expand(8, 4, 4)).shape
    torch.Size([8, 3])
    """
    if metric not in FLAT_SPD_METRICS:
        raise ParameterError(
            f"there is no flat SPD metric {metric!r}: choose one of "
            f"{', '.join(FLAT_SPD_METRICS)}."
        )
    space = SPDMatrices(n, equip=False)
    space.equip_with_metric(FLAT_SPD_METRICS[metric])
    return space


def _lower(n, like):
    """Return the places of the lower entries of a matrix."""
    return torch.tril_indices(n, n, device=like.device)
