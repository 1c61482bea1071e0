"""Level sets of functions of 3 x 3 correlation matrices.

Marching cubes runs in the cube of angles (see `elliptope`), not in the elliptope:
there the manifold fills the whole grid, so a surface ends where the grid ends, on the
boundary, without stair-steps and without holes. A vertex of marching cubes lies between
two corners of a cell, where it is then moved to the root of the function itself.

The boundary itself is no part of the manifold. What the closed cube is mapped to is the
elliptope shrunk towards the identity, by one part in a million.
"""

import itertools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .._types import Array
from ..exceptions import ParameterError
from ._extra import load
from .elliptope import entries_from_angles, from_entries
from .layers import Surface

# Every matrix (1 - s) C + s I has eigenvalues of at least s, enough for functions to
# keep their digits. A surface that hugs the boundary on its way into a corner of the
# elliptope ends where it comes this close.
SHRINKAGE = 1e-6
_MAX_STEPS = 80


class LevelSet(NamedTuple):
    """A surface in the manifold of 3 x 3 correlation matrices.

    Parameters
    ----------
    points : numpy.ndarray, shape=[k, 3, 3]
        Correlation matrices, the vertices.
    faces : numpy.ndarray of int, shape=[m, 3]
        Indices of the corners of each triangle.

    Examples
    --------
    >>> from geomstats_cor.plotting import level_set
    >>> found = level_set(lambda points: points[:, 1, 0], resolution=4)
    >>> found.points.shape[1:], found.faces.shape[1:], found.vertices.shape[1:]
    ((3, 3), (3,), (3,))
    """

    points: np.ndarray
    faces: np.ndarray

    @property
    def vertices(self) -> Any:
        """Entries (C21, C31, C32) of the vertices, shape=[k, 3]."""
        rows, columns = np.tril_indices(3, -1)
        return self.points[:, rows, columns]

    def surface(self, **style: Any) -> Any:
        """Return the layer that shows it.

        Parameters
        ----------
        **style
            Fields of `Surface`.

        Returns
        -------
        surface : Surface
            Layer.
        """
        return Surface(self.vertices, self.faces, **style)


def angle_grid(resolution: int) -> Array:
    """Return the angles of the grid along one direction.

    Parameters
    ----------
    resolution : int
        Number of cells, at least 2.

    Returns
    -------
    angles : numpy.ndarray, shape=[resolution + 1]
        Angles from boundary to boundary.
    """
    if resolution < 2:
        raise ParameterError(f"resolution is {resolution}: expected at least 2 cells.")
    return np.linspace(-0.5 * np.pi, 0.5 * np.pi, resolution + 1)


def points_from_angles(angles: Array, shrinkage: float = SHRINKAGE) -> Array:
    """Return the correlation matrices of angles, shrunk off the boundary.

    Parameters
    ----------
    angles : array, shape=[..., 3]
        Angles of the closed cube.
    shrinkage : float
        Amount of shrinkage towards the identity.

    Returns
    -------
    points : numpy.ndarray, shape=[..., 3, 3]
        Correlation matrices.
    """
    return from_entries((1.0 - shrinkage) * entries_from_angles(angles))


def grid_points(resolution: int, shrinkage: float = SHRINKAGE) -> Array:
    """Return the correlation matrices at the nodes of the grid.

    Parameters
    ----------
    resolution : int
        Number of cells in each direction.
    shrinkage : float
        Amount of shrinkage towards the identity.

    Returns
    -------
    points : numpy.ndarray, shape=[k, k, k, 3, 3]
        Correlation matrices, k = resolution + 1.
    """
    side = angle_grid(resolution)
    angles = np.stack(np.meshgrid(side, side, side, indexing="ij"), axis=-1)
    return points_from_angles(angles, shrinkage)


def level_set(
    function: Callable,
    level: float = 0.0,
    resolution: int = 32,
    tolerance: float = 1e-7,
    width: float = 1e-15,
    shrinkage: float = SHRINKAGE,
    values: Array = None,
) -> Any:
    r"""Return the surface where a function of correlation matrices takes a value.

    .. math:: \{ C : f(C) = c \} .

    Parameters
    ----------
    function : callable
        Maps matrices [k, 3, 3] to numbers [k]. It may jump: then vertices lie on the
        jump.
    level : float
        Value.
    resolution : int
        Number of cells of the grid in each direction.
    tolerance : float
        How far the function may be from the value at a vertex.
    width : float
        Share of an edge of the grid on which to stop, where the function jumps over
        the value.
    shrinkage : float
        Amount of shrinkage towards the identity, which keeps off the boundary.
    values : array, shape=[resolution + 1] * 3
        Values of the function at `grid_points`, if they are known already.

    Returns
    -------
    level_set : LevelSet
        Surface; without vertices if the value is not taken on the grid.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.plotting import level_set
    >>> found = level_set(lambda points: points[:, 1, 0], level=0.5, resolution=4)
    >>> bool(np.allclose(found.points[:, 1, 0], 0.5))
    True
    """
    side = angle_grid(resolution)
    if values is None:
        values = function(grid_points(resolution, shrinkage).reshape(-1, 3, 3))
    excess = np.reshape(values, (resolution + 1,) * 3) - level
    if not excess.min() < 0.0 < excess.max():
        return LevelSet(np.empty((0, 3, 3)), np.empty((0, 3), dtype=int))

    # Where a function runs to infinity the interpolation needs only its sign.
    bounded = np.clip(excess, -1e3, 1e3)
    measure = load("skimage.measure")
    vertices, faces, _, _ = measure.marching_cubes(bounded, 0.0)
    ends, end_values = _opposite_corners(vertices.astype(float), excess)
    ends = side[0] + (side[1] - side[0]) * ends

    def points_at(share, which=slice(None)):
        start, end = ends[:, which]
        return points_from_angles(start + share[:, None] * (end - start), shrinkage)

    def excess_at(share, which):
        return function(points_at(share, which)) - level

    starts, stops = end_values
    share = _roots(excess_at, starts, stops, tolerance, width)
    return welded(LevelSet(points_at(share), faces))


def _opposite_corners(vertices, excess):
    """Return the corners with the least and the largest value of what a vertex is in.

    A vertex lies on an edge of the grid or, rarely, inside a cell; of the eight ways to
    round its indices only those differ that are not whole.
    """
    low, high = np.floor(vertices).astype(int), np.ceil(vertices).astype(int)
    corners = np.stack(
        [
            np.where(choice, high, low)
            for choice in itertools.product((False, True), repeat=3)
        ]
    )
    values = excess[tuple(np.moveaxis(corners, -1, 0))]
    each = np.arange(len(vertices))
    least, largest = values.argmin(axis=0), values.argmax(axis=0)
    ends = np.stack([corners[least, each], corners[largest, each]]).astype(float)
    return ends, (values[least, each], values[largest, each])


def _roots(function, low_values, high_values, tolerance, width):
    """Find roots between 0, where values are negative, and 1, where they are not.

    Secant steps and halvings take turns: the halvings bound the number of steps, and
    alone they work for a function that jumps.
    """
    low, high = np.zeros_like(low_values), np.ones_like(high_values)
    share = np.where(np.abs(low_values) < np.abs(high_values), low, high)
    low_values, high_values = low_values.copy(), high_values.copy()
    nearest = np.minimum(np.abs(low_values), np.abs(high_values))
    active = np.flatnonzero(
        (nearest > tolerance) & (low_values < 0.0) & (high_values > 0.0)
    )
    for step in range(_MAX_STEPS):
        if not len(active):
            break
        a, b = low[active], high[active]
        if step % 2:
            trial = 0.5 * (a + b)
        else:
            drop = low_values[active] / (low_values[active] - high_values[active])
            trial = a + drop * (b - a)
        value = function(trial, active)
        share[active] = trial
        below = value < 0.0
        low[active] = np.where(below, trial, a)
        high[active] = np.where(below, b, trial)
        low_values[active] = np.where(below, value, low_values[active])
        high_values[active] = np.where(below, high_values[active], value)
        wide = high[active] - low[active] > width
        active = active[(np.abs(value) > tolerance) & wide]
    return share


def welded(level_set: Any) -> Any:
    """Merge vertices at one position, and drop the triangles that this empties.

    Whole faces of the cube fall onto edges of the elliptope.

    Parameters
    ----------
    level_set : LevelSet
        Surface.

    Returns
    -------
    level_set : LevelSet
        The same surface.
    """
    places = np.round(level_set.vertices, 10)
    _, first, same = np.unique(places, axis=0, return_index=True, return_inverse=True)
    faces = same.reshape(-1)[level_set.faces]
    spanned = np.all(faces != np.roll(faces, 1, axis=-1), axis=-1)
    used, faces = np.unique(faces[spanned], return_inverse=True)
    return LevelSet(level_set.points[first[used]], faces.reshape(-1, 3))
