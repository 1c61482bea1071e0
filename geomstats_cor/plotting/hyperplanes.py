r"""Decision hyperplanes :math:`\{X : \langle \log_P X, A \rangle_P = 0\}`.

For a flat metric this is a hyperplane of its coordinates. For the poly-hyperbolic
metric, the networks define it in the beta-concatenated Poincaré ball: with
:math:`\tilde x(X)` the beta-concatenation of the rows of :math:`X`, it is the set where
:math:`\langle \log_p \tilde x(X), a \rangle_p = 0`, here with :math:`p = \tilde x(P)`
and :math:`a = d_P \tilde x(A)`.

References
----------
.. [C2026] Z. Chen, X. Wu, B. Schölkopf and N. Sebe. Riemannian networks over full-rank
   correlation matrices. ICML 2026.
"""

import warnings
from typing import Any

import numpy as np

from .. import kernels
from .._types import Array, ArrayLike
from ..exceptions import ConvergenceWarning, ParameterError
from ..metrics import METRICS, require_metric
from ..space import FullRankCorrelationMatrices
from .clouds import class_markers
from .elliptope import as_floats, boundary_wire, entries, require_three
from .layers import Markers, Scene, axes_3d
from .level_sets import level_set
from .palette import NEUTRAL_COLORS, metric_color, metric_key


class Hyperplane:
    r"""The hyperplane through a point with a normal vector.

    .. math:: \{ X : \langle \log_P X, A \rangle_P = 0 \} .

    Parameters
    ----------
    space : FullRankCorrelationMatrices
        Manifold, equipped with one of the five metrics.
    point : array-like, shape=[n, n]
        Point :math:`P` of the hyperplane.
    normal : array-like, shape=[n, n]
        Normal vector :math:`A` at the point: symmetric, null diagonal, not zero.

    References
    ----------
    .. [C2026] Z. Chen, X. Wu, B. Schölkopf and N. Sebe. Riemannian networks over
       full-rank correlation matrices. ICML 2026.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> from geomstats_cor.plotting import Hyperplane
    >>> space = FullRankCorrelationMatrices(3, equip="olm")
    >>> normal = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    >>> plane = Hyperplane(space, np.eye(3), normal)
    >>> off_the_plane = space.metric.exp(2.0 * normal, np.eye(3))
    >>> plane(np.stack([np.eye(3), off_the_plane])).round(4)
    array([0.    , 2.8284])
    """

    def __init__(
        self, space: FullRankCorrelationMatrices, point: ArrayLike, normal: ArrayLike
    ) -> None:
        self.space = space
        self._model = _model(space)
        self.normal, self.point = space.metric._validated(
            ("normal",), normal=as_floats(normal), base_point=as_floats(point)
        )
        self._base = self._model.image(self.point)
        self._unit = _unit(self._model.tangent(self.normal, self.point))

    @classmethod
    def from_trivialization(
        cls, space: FullRankCorrelationMatrices, normal: ArrayLike, offset: float = 0.0
    ) -> Any:
        r"""Return the hyperplane with the parameters :math:`Z, \gamma` of a network.

        It is normal to the geodesic from the identity in the direction :math:`Z`, at
        the distance :math:`\gamma` (of a flat metric) or :math:`2 \gamma` (of the
        Poincaré ball, at whose origin unit vectors have length 2).

        Parameters
        ----------
        space : FullRankCorrelationMatrices
            Manifold, equipped with one of the five metrics.
        normal : array-like, shape=[n, n]
            Symmetric matrix :math:`Z` with null diagonal, not zero. In the ball, its
            strictly lower entries are the vector.
        offset : float
            Number :math:`\gamma`.

        Returns
        -------
        hyperplane : Hyperplane
            Hyperplane.
        """
        model = _model(space)
        (normal,) = space.metric._validated(("normal",), normal=as_floats(normal))
        return cls(space, *model.along(_unit(model.at_origin(normal)), offset))

    def __call__(self, point: ArrayLike) -> Array:
        r"""Return :math:`\langle \log_P X, A \rangle_P / |A|_P`.

        Parameters
        ----------
        point : array-like, shape=[..., n, n]
            Full-rank correlation matrices.

        Returns
        -------
        value : numpy.ndarray, shape=[...]
            Component of the logarithm along the normal.
        """
        return self._model.log(self._model.image(point), self._base) @ self._unit

    def level_set(self, resolution: int = 32) -> Any:
        """Return the hyperplane of 3 x 3 matrices as triangles.

        Parameters
        ----------
        resolution : int
            Number of cells of the grid in each direction.

        Returns
        -------
        level_set : LevelSet
            Surface.
        """
        require_three(self.space)
        with warnings.catch_warnings():
            # The grid goes up to the boundary, where some maps lose a few digits of
            # sixteen; vertices need seven.
            warnings.simplefilter("ignore", ConvergenceWarning)
            return level_set(self, resolution=resolution)


class _FlatModel:
    """Orthonormal coordinates of a flat metric; logarithms are differences."""

    def __init__(self, metric):
        self._metric = metric

    def image(self, point):
        return self._metric.to_coords(as_floats(point))

    def tangent(self, vector, point):
        moved = self._metric.diffeo.tangent(vector, point)
        return self._metric.image_space.metric.to_coords(moved)

    def log(self, image, base):
        return image - base

    def at_origin(self, vector):
        return self.tangent(vector, np.eye(len(vector)))

    def along(self, unit, offset):
        point = self._metric.from_coords(offset * unit)
        end = self._metric.from_coords((offset + 1.0) * unit)
        return point, self._metric.log(end, point)


class _BallModel:
    """Rows of the poly-hyperbolic metric, beta-concatenated into one ball.

    A point of the ball is kept as its space coordinates on the hyperboloid.
    """

    def __init__(self, metric):
        self._metric, self._ball = metric, metric.hyperplanes()

    def image(self, point):
        joined = self._ball.join(self._metric.to_coords(as_floats(point)))
        return kernels.hyperboloid_from_origin_tangent(joined)

    def tangent(self, vector, point):
        here = self._metric.diffeo.at(point)
        rows, moved = here.image, here.push(vector)
        moved = kernels.hyperboloid_to_origin_tangent_differential(moved, rows)
        rows = kernels.hyperboloid_to_origin_tangent(rows)
        moved, joined = (
            self._ball.join(kernels.pack_strictly_lower(x)) for x in (moved, rows)
        )
        moved = kernels.hyperboloid_from_origin_tangent_differential(moved, joined)
        return kernels.hyperbolic_orthonormal(moved, self.image(point))

    def log(self, image, base):
        base = np.broadcast_to(base, image.shape)
        return kernels.hyperbolic_orthonormal(kernels.hyperbolic_log(image, base), base)

    def at_origin(self, vector):
        return kernels.pack_strictly_lower(vector)

    def along(self, unit, offset):
        tangent, moved = (
            kernels.unpack_strictly_lower(self._ball.split(x))
            for x in (offset * unit, unit)
        )
        rows = kernels.hyperboloid_from_origin_tangent(tangent)
        moved = kernels.hyperboloid_from_origin_tangent_differential(moved, tangent)
        diffeo = self._metric.diffeo
        return diffeo.inverse(rows), diffeo.inverse_tangent(moved, rows)


def _model(space):
    """Return where the hyperplanes of a metric are flat."""
    metric = require_metric(space)
    return (_FlatModel if metric.image_space.metric.is_flat else _BallModel)(metric)


def _unit(vector):
    length = np.linalg.norm(vector)
    if not length > 0.0:
        raise ParameterError("normal is zero: it does not define a hyperplane.")
    return vector / length


def plot_hyperplane(
    space: FullRankCorrelationMatrices,
    point: ArrayLike,
    normal: ArrayLike,
    resolution: int = 32,
    ax: Any = None,
    **style: Any,
) -> Any:
    r"""Draw the hyperplane through a point with a normal vector.

    .. math:: \{ X : \langle \log_P X, A \rangle_P = 0 \} .

    Parameters
    ----------
    space : FullRankCorrelationMatrices
        Manifold of 3 x 3 matrices, equipped with one of the five metrics.
    point : array-like, shape=[3, 3]
        Point of the hyperplane.
    normal : array-like, shape=[3, 3]
        Normal vector at the point.
    resolution : int
        Number of cells of the grid in each direction.
    ax : mpl_toolkits.mplot3d.Axes3D
        Axes; those of a new figure if None.
    **style
        Keywords of `Poly3DCollection`.

    Returns
    -------
    artist : Poly3DCollection
        The surface.

    References
    ----------
    .. [C2026] Z. Chen, X. Wu, B. Schölkopf and N. Sebe. Riemannian networks over
       full-rank correlation matrices. ICML 2026.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import matplotlib.pyplot as plt
    >>> import numpy as np
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> from geomstats_cor.plotting import plot_hyperplane
    >>> space = FullRankCorrelationMatrices(3, equip="ecm")
    >>> normal = [[0, 1, 0], [1, 0, 0], [0, 0, 0]]
    >>> artist = plot_hyperplane(space, np.eye(3), normal, resolution=4, alpha=0.5)
    >>> artist.get_alpha()
    0.5
    >>> plt.close("all")
    """
    found = Hyperplane(space, point, normal).level_set(resolution)
    surface = found.surface(color=metric_color(space.metric))
    return surface.draw(axes_3d(ax), **style)


def hyperplane_scenes(
    point: ArrayLike,
    normal: ArrayLike,
    points: ArrayLike = None,
    labels: ArrayLike = None,
    metrics: ArrayLike = None,
    **options: Any,
) -> list:
    """Return a scene per metric: the hyperplane, its point and data, in the elliptope.

    Parameters
    ----------
    point : array-like, shape=[3, 3]
        Point of the hyperplanes.
    normal : array-like, shape=[3, 3]
        Normal vector at the point.
    points : array-like, shape=[k, 3, 3]
        Correlation matrices to show with them.
    labels : array-like, shape=[k]
        Classes of the matrices.
    metrics : sequence of str
        Keys of `METRICS`; all of them if None.
    **options
        Options of `Hyperplane.level_set`.

    Returns
    -------
    scenes : list of Scene
        Scenes.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.plotting import hyperplane_scenes
    >>> normal = [[0, 1, 0], [1, 0, 0], [0, 0, 0]]
    >>> scenes = hyperplane_scenes(np.eye(3), normal, metrics=["ecm"], resolution=4)
    >>> len(scenes)
    1
    """
    scenes = []
    for key in METRICS if metrics is None else metrics:
        space = FullRankCorrelationMatrices(3, equip=key)
        found = Hyperplane(space, point, normal).level_set(**options)
        layers = [
            boundary_wire(),
            found.surface(color=metric_color(space.metric)),
            *([] if points is None else class_markers(points, labels, NEUTRAL_COLORS)),
            Markers(entries(point)[None], marker="*", size=110.0, label="point $P$"),
        ]
        scenes.append(Scene(tuple(layers), title=metric_key(space.metric).upper()))
    return scenes
