r"""Symmetric positive definite matrices under the metrics that layers can use.

Two metrics are flat, so every layer works: the log-Euclidean (LEM), with the
coordinates of :math:`\log S`, and the log-Cholesky (LCM), with those of
:math:`\phi(S)`, the strict lower part of the Cholesky factor and the logarithms of its
diagonal. Under the affine-invariant metric (AIM) the logit of a point is

.. math:: \langle \mathrm{Log}_P S, \Gamma_{I \to P} Z \rangle_P
          = \operatorname{tr} \left( Z \log(P^{-1/2} S P^{-1/2}) \right) , \qquad
          P = \mathrm{Exp}_I(\gamma Z / |Z|) ,

which takes an eigendecomposition for each point and hyperplane.

References
----------
.. [A2007] V. Arsigny, P. Fillard, X. Pennec and N. Ayache. Geometric means in a novel
   vector space structure on symmetric positive-definite matrices. SIAM J. Matrix Anal.
   Appl. 29, 2007.
.. [L2019] Z. Lin. Riemannian geometry of symmetric positive definite matrices via
   Cholesky decomposition. SIAM J. Matrix Anal. Appl. 40, 2019.
.. [P2006] X. Pennec, P. Fillard and N. Ayache. A Riemannian framework for tensor
   computing. Int. J. Computer Vision 66, 2006.
.. [C2024] Z. Chen, Y. Song, X. Wu and N. Sebe. RMLR: extending multinomial logistic
   regression into general geometries. NeurIPS 2024.
.. [N2023] X. S. Nguyen and S. Yang. Building neural networks on matrix manifolds: a
   gyrovector space approach. ICML 2023.
"""

import math
from typing import Any

import torch
from geomstats.geometry.positive_lower_triangular_matrices import (
    CholeskyMetric,
    PositiveLowerTriangularMatrices,
)
from geomstats.geometry.pullback_metric import PullbackDiffeoMetric
from geomstats.geometry.spd_matrices import (
    CholeskyMap,
    SPDAffineMetric,
    SPDLogEuclideanMetric,
)
from geomstats.geometry.spd_matrices import SPDMatrices as _SPDMatrices
from torch import Tensor

from cornet_nn._validation import require_definite
from geomstats_cor import kernels
from geomstats_cor.exceptions import ParameterError
from geomstats_cor.hyperplanes import FlatHyperplanes, Hyperplanes, require_basis
from geomstats_cor.kernels._autodiff import is_readable
from geomstats_cor.kernels._quotients import divide
from geomstats_cor.kernels._tolerances import rank_tolerance

from .packing import entry_scales, pack_lower, svec, unpack_lower, unsvec


class SPDHyperplanes(FlatHyperplanes):
    """The hyperplanes of a flat metric on SPD matrices.

    Normals are packed as the n (n + 1) / 2 lower entries of symmetric matrices.

    Parameters
    ----------
    metric : LogEuclideanMetric or LogCholeskyMetric
        Metric.
    """

    def coords(self, distances: Tensor, basis: str = "orthonormal") -> Any:
        """Return the distances themselves: the basis is orthonormal."""
        _require_orthonormal(basis)
        return distances

    def normals(self, weight: Tensor) -> Any:
        """Return the normals with given weights, symmetric matrices."""
        lower = unpack_lower(self.to_normal(weight))
        return lower + lower.tril(-1).mT

    def scores(self, features: Tensor, weight: Tensor, offset: Tensor) -> Tensor:
        r"""Return :math:`\langle \ominus P \oplus S, W \rangle`, summed over channels.

        Parameters
        ----------
        features : tensor, shape=[..., channels, d]
            Features of the points :math:`S`.
        weight, offset : tensor, shape=[out, channels, d]
            Coordinates of the SPD matrices :math:`W` and :math:`P`.

        Returns
        -------
        scores : tensor, shape=[..., out]
            Scores.
        """
        shifts = (offset * weight).sum((-2, -1))
        return features.flatten(-2) @ weight.flatten(-2).mT - shifts

    def _to_coords(self, packed):
        return packed * self._entry_lengths(packed)

    def _from_coords(self, coords):
        return coords / self._entry_lengths(coords)

    def _entry_lengths(self, like):
        """Return the lengths of the entries of tangent vectors at the identity."""
        on_diagonal, off_diagonal = self.metric.lengths_at_identity
        return entry_scales(self.n, on_diagonal, off_diagonal, like)


class _Coordinates:
    """What the metrics share: they are the same if their class and size are.

    Metrics of one `chart` have the same coordinates, flat or not.
    """

    _space: Any

    def is_same(self, other):
        """Tell whether another metric has the same points and coordinates.

        Parameters
        ----------
        other : RiemannianMetric
            Metric.

        Returns
        -------
        is_same : bool
            Whether class and size are equal.
        """
        return type(self) is type(other) and self._space.n == other._space.n

    def _logarithm(self, point):
        logarithm = kernels.sym_log(point)
        require_definite(point, logarithm, "point")
        return logarithm


class LogEuclideanMetric(_Coordinates, SPDLogEuclideanMetric):
    r"""The log-Euclidean metric (LEM) with coordinates: those of :math:`\log S`.

    Parameters
    ----------
    space : SPDMatrices
        Manifold.
    """

    lengths_at_identity = (1.0, math.sqrt(2.0))
    chart = "logarithm"

    def to_coords(self, point: Tensor) -> Any:
        """Return the orthonormal coordinates [..., n (n + 1) / 2] of points."""
        return svec(self._logarithm(point))

    def from_coords(self, coords: Tensor) -> Any:
        """Return the points [..., n, n] with given coordinates."""
        return kernels.sym_exp(unsvec(coords))

    def hyperplanes(self) -> Any:
        """Return the hyperplanes of the metric."""
        return SPDHyperplanes(self)


class LogCholeskyMetric(_Coordinates, PullbackDiffeoMetric):
    r"""The log-Cholesky metric (LCM) of [L2019]_ with coordinates.

    They are the strict lower entries of the Cholesky factor, and the logarithms of its
    diagonal; the differential at the identity halves the diagonal.

    Parameters
    ----------
    space : SPDMatrices
        Manifold.
    """

    lengths_at_identity = (0.5, 1.0)
    chart = "log-Cholesky"

    def __init__(self, space: Any) -> None:
        image_space = PositiveLowerTriangularMatrices(space.n, equip=False)
        image_space.equip_with_metric(CholeskyMetric)
        super().__init__(space, CholeskyMap(), image_space)

    def to_coords(self, point: Tensor) -> Any:
        """Return the orthonormal coordinates [..., n (n + 1) / 2] of points."""
        factor, info = torch.linalg.cholesky_ex(point)
        diagonal = factor.diagonal(dim1=-2, dim2=-1)
        # What is left of a variance after the others may be rounding and no more.
        variances = point.diagonal(dim1=-2, dim2=-1)
        left = diagonal.square() > rank_tolerance(point) * variances
        definite = (info == 0) & left.all(-1)
        factor = torch.where(definite[..., None, None], factor, math.nan)
        require_definite(point, factor, "point")
        diagonal = factor.diagonal(dim1=-2, dim2=-1)
        return pack_lower(factor.tril(-1) + torch.diag_embed(diagonal.log()))

    def from_coords(self, coords: Tensor) -> Any:
        """Return the points [..., n, n] with given coordinates."""
        lower = unpack_lower(coords)
        diagonal = lower.diagonal(dim1=-2, dim2=-1)
        factor = lower.tril(-1) + torch.diag_embed(diagonal.exp())
        return factor @ factor.mT

    def hyperplanes(self) -> Any:
        """Return the hyperplanes of the metric."""
        return SPDHyperplanes(self)


class AffineInvariantMetric(_Coordinates, SPDAffineMetric):
    r"""The affine-invariant metric (AIM) with normal coordinates at the identity.

    They are those of :math:`\mathrm{Log}_I S = \log S`. The metric is not flat, and
    Fréchet means are not implemented: layers that need them refuse it when they are
    built.

    Parameters
    ----------
    space : SPDMatrices
        Manifold.
    """

    chart = "logarithm"

    def to_coords(self, point: Tensor) -> Any:
        """Return the normal coordinates [..., n (n + 1) / 2] of points."""
        return svec(self._logarithm(point))

    def from_coords(self, coords: Tensor) -> Any:
        """Return the points [..., n, n] with given coordinates."""
        return kernels.sym_exp(unsvec(coords))

    def hyperplanes(self) -> Any:
        """Return the hyperplanes of the metric."""
        return AffineInvariantHyperplanes(self)


class AffineInvariantHyperplanes(Hyperplanes):
    r"""The hyperplanes of the affine-invariant metric.

    The logit of a point is :math:`\operatorname{tr}(Z \log(P^{-1/2} S P^{-1/2}))`, the
    product at :math:`P = \exp(\gamma Z / |Z|)` of the logarithm of the point with the
    normal; it is summed over channels. Divided by the length of the normal it is the
    signed pseudo-distance of [C2024]_ and [N2023]_: the distance in the tangent space
    at P, not that of the manifold, whose hyperplanes are not totally geodesic.

    Parameters
    ----------
    metric : AffineInvariantMetric
        Metric.
    """

    gain = dispersion = weight_of_covector = 1.0
    has_means = False

    def initial_logit(self) -> Any:
        """Return the root mean square of the coordinates."""
        return 1.0 / math.sqrt(self.dim)

    @property
    def logit_gain(self) -> Any:
        """From the root of the number of coordinates to that of variables."""
        return math.sqrt(self.dim / self.n)

    def features(self, point: Tensor) -> Any:
        """Return the entries of points, as `svec`."""
        return svec(point)

    def features_of_coords(self, coords: Tensor) -> Any:
        """Return the same from coordinates."""
        return svec(self.metric.from_coords(coords))

    def offsets(self, channels: Any) -> Any:
        """Return one offset for each channel."""
        return channels

    def logits(self, features: Tensor, weight: Tensor, gamma: Tensor) -> Any:
        """Return the logits; see `Hyperplanes`."""
        lengths = torch.linalg.vector_norm(weight, dim=-1)
        steps = divide(gamma, lengths)
        return self.scores(features, weight, steps[..., None] * weight)

    def scores(self, features: Tensor, weight: Tensor, offset: Tensor) -> Tensor:
        r"""Return :math:`\langle \ominus P \oplus S, W \rangle`, summed over channels.

        If all outputs share their offsets, a point is decomposed once instead of once
        for every output.

        Parameters
        ----------
        features : tensor, shape=[..., channels, d]
            Features of the points :math:`S`.
        weight : tensor, shape=[out, channels, d]
            Coordinates of the SPD matrices :math:`W`.
        offset : tensor, shape=[out, channels, d] or [1, channels, d]
            Coordinates of the SPD matrices :math:`P`.

        Returns
        -------
        scores : tensor, shape=[..., out]
            Scores.
        """
        roots = kernels.sym_exp(-0.5 * unsvec(offset))
        points = unsvec(features)
        if len(offset) == 1 < len(weight):
            logarithm = kernels.sym_log(roots[0] @ points @ roots[0])
            _require_definite_points(points, logarithm)
            return svec(logarithm).flatten(-2) @ weight.flatten(-2).mT
        flat = points.reshape(-1, *points.shape[-3:])
        products = kernels.congruence_log_products(flat, roots, unsvec(weight))
        _require_definite_points(points, products)
        return products.sum(-1).reshape(*points.shape[:-3], len(weight))

    def coords(self, distances: Tensor, basis: str = "orthonormal") -> Any:
        """Return the distances: normal coordinates of the output."""
        _require_orthonormal(basis)
        return distances

    def to_tangent(self, coords: Tensor) -> Any:
        """Return the coordinates, which are logarithms."""
        return coords

    def from_tangent(self, tangent_vec: Tensor) -> Any:
        """Return the vectors."""
        return tangent_vec

    def translate(self, tangent_vec: Tensor, to_origin: Tensor) -> Any:
        r"""Return the logarithms of :math:`P^{-1/2} S P^{-1/2}`."""
        return self.shift(tangent_vec, -to_origin)

    def shift(self, coords: Tensor, base: Tensor) -> Any:
        r"""Return the coordinates of :math:`B^{1/2} S B^{1/2}`."""
        root = kernels.sym_exp(0.5 * unsvec(base))
        return svec(kernels.sym_log(root @ self.metric.from_coords(coords) @ root))

    def squared_distances(self, coords_a: Tensor, coords_b: Tensor) -> Any:
        """Return squared lengths of logarithms, each point moved to the origin."""
        moved = self.translate(coords_a[..., :, None, :], coords_b[..., None, :, :])
        return moved.square().sum(-1)

    def activate(self, coords: Tensor, function: Any) -> Any:
        r"""Return the coordinates of :math:`\mathrm{Exp}_I(\delta(\mathrm{Log}_I))`."""
        return svec(function(unsvec(coords)))

    def initial_weight(self, noise: Tensor) -> Any:
        """Return the noise, scaled by its number."""
        return noise / math.sqrt(noise.shape[-2] * noise.shape[-1])

    def to_weight(self, normal: Tensor) -> Any:
        """Return the `svec` of normals that are given by their lower entries."""
        return normal * entry_scales(self.n, 1.0, math.sqrt(2.0), normal)

    def to_normal(self, weight: Tensor) -> Any:
        """Invert `to_weight`."""
        return weight / entry_scales(self.n, 1.0, math.sqrt(2.0), weight)

    def normals(self, weight: Tensor) -> Any:
        """Return the normals with given weights, symmetric matrices."""
        return unsvec(weight)

    def mean(self, tangent_vec: Tensor) -> Any:
        """Refuse: the mean is not implemented."""
        raise _refusal("a Fréchet mean")

    def weighted_means(self, coords: Tensor, weights: Tensor) -> Any:
        """Refuse: the mean is not implemented."""
        raise _refusal("weighted Fréchet means")

    def join_channels(self, coords: Tensor) -> Any:
        """Refuse: logits are not linear in coordinates."""
        raise _refusal("logits that are linear in coordinates")

    def joint_logits(self, tangent_vec: Tensor, covector: Tensor, bias: Tensor) -> Any:
        """Refuse: logits are not linear in coordinates."""
        raise _refusal("logits that are linear in coordinates")

    def parameters_of(self, covector: Tensor, bias: Tensor, channels: Any) -> Any:
        """Refuse: logits are not linear in coordinates."""
        raise _refusal("logits that are linear in coordinates")


def _require_definite_points(points, result):
    """Name the point that is not positive definite if a result is not finite."""
    if is_readable(result) and not bool(result.detach().isfinite().all()):
        require_definite(points, kernels.sym_log(points.detach()), "point")


def _refusal(what):
    return ParameterError(
        f"the layer needs {what}, and the affine-invariant metric has none here: use "
        f'SPDMatrices(n, equip="lem") or equip="lcm".'
    )


def _require_orthonormal(basis):
    require_basis(basis)
    if basis != "orthonormal":
        raise ParameterError(
            f"SPD metrics have an orthonormal basis only, expected "
            f"basis='orthonormal', got {basis!r}."
        )


SPD_METRICS = {
    "lem": LogEuclideanMetric,
    "lcm": LogCholeskyMetric,
    "aim": AffineInvariantMetric,
}


class SPDMatrices(_SPDMatrices):
    """Symmetric positive definite matrices, equipped for layers.

    Parameters
    ----------
    n : int
        Size of the matrices.
    equip : {"lem", "lcm", "aim"} or type or None
        Log-Euclidean, log-Cholesky or affine-invariant metric; none if None.

    Examples
    --------
    >>> import torch
    >>> from cornet_nn import CorMLR
    >>> from cornet_nn.spaces import SPDMatrices
    >>> layer = CorMLR(SPDMatrices(4, equip="aim"), num_classes=3)
    >>> layer(2.0 * torch.eye(4).expand(8, 4, 4)).shape
    torch.Size([8, 3])
    """

    def __init__(self, n: int, equip: Any = "lem") -> None:
        super().__init__(n, equip=False)
        if isinstance(equip, str):
            if equip not in SPD_METRICS:
                raise ParameterError(
                    f"equip: expected one of {', '.join(map(repr, SPD_METRICS))} or "
                    f"the class of a metric, got {equip!r}."
                )
            equip = SPD_METRICS[equip]
        if equip is not None:
            self.equip_with_metric(equip)
