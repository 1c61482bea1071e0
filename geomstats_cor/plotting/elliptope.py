r"""The elliptope: 3 x 3 correlation matrices as points of space.

A matrix is the point :math:`(x, y, z) = (C_{21}, C_{31}, C_{32})`, and the manifold is
the open convex body where :math:`\det C = 1 + 2xyz - x^2 - y^2 - z^2` is positive and
:math:`|x|, |y|, |z| < 1`. Three angles of the open cube :math:`(-\pi/2, \pi/2)^3`
parametrise it,

.. math:: x = \sin a, \quad y = \sin b, \quad
          z = \sin a \sin b + \sin c \cos a \cos b ,

where :math:`\sin c` is the partial correlation of the last two variables. The closed
cube covers the closed elliptope: the faces :math:`c = \pm \pi/2` are the two sheets
:math:`z = \pm \cos(a \mp b)` of its boundary, and each other face falls onto an edge.
"""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from .._types import Array, ArrayLike
from ..data.naming import in_order
from ..exceptions import ParameterError
from ..kernels import pack_strictly_lower, unpack_strictly_lower
from ..space import equipped
from ..validation import require_matrices
from .layers import Curves, Scene, Surface, axes_3d


def entries(point: ArrayLike) -> Array:
    """Return the entries (C21, C31, C32) of 3 x 3 matrices.

    Parameters
    ----------
    point : array-like, shape=[..., 3, 3]
        Symmetric matrices.

    Returns
    -------
    entries : numpy.ndarray, shape=[..., 3]
        Strictly lower entries.

    Examples
    --------
    >>> from geomstats_cor.plotting import entries
    >>> entries([[1, 0.1, 0.2], [0.1, 1, 0.3], [0.2, 0.3, 1]])
    array([0.1, 0.2, 0.3])
    """
    point = as_floats(in_order(point, name="point"))
    require_matrices(3, point=point)
    return pack_strictly_lower(point)


def from_entries(entries: ArrayLike) -> Array:
    """Return the matrices of unit diagonal with the entries (C21, C31, C32).

    Parameters
    ----------
    entries : array-like, shape=[..., 3]
        Strictly lower entries.

    Returns
    -------
    point : numpy.ndarray, shape=[..., 3, 3]
        Symmetric matrices with unit diagonal.

    Examples
    --------
    >>> from geomstats_cor.plotting import from_entries
    >>> from_entries([0.1, 0.2, 0.3])
    array([[1. , 0.1, 0.2],
           [0.1, 1. , 0.3],
           [0.2, 0.3, 1. ]])
    """
    lower = unpack_strictly_lower(as_floats(entries))
    return lower + lower.mT + np.eye(3)


def entries_from_angles(angles: ArrayLike) -> Array:
    """Return the point of the elliptope with given angles.

    Parameters
    ----------
    angles : array-like, shape=[..., 3]
        Angles (a, b, c), each between -pi/2 and pi/2.

    Returns
    -------
    entries : numpy.ndarray, shape=[..., 3]
        Entries (C21, C31, C32).
    """
    sin, cos = np.sin(angles), np.cos(angles)
    last = sin[..., 0] * sin[..., 1] + sin[..., 2] * cos[..., 0] * cos[..., 1]
    return np.stack([sin[..., 0], sin[..., 1], last], axis=-1)


def determinant(entries: ArrayLike) -> Array:
    """Return :math:`1 + 2xyz - x^2 - y^2 - z^2`, which vanishes on the boundary.

    Parameters
    ----------
    entries : array-like, shape=[..., 3]
        Entries (C21, C31, C32).

    Returns
    -------
    determinant : numpy.ndarray, shape=[...]
        Determinant.

    Examples
    --------
    Three correlations of -1/2 are on the boundary:

    >>> from geomstats_cor.plotting import determinant
    >>> determinant([[0.0, 0.0, 0.0], [-0.5, -0.5, -0.5]])
    array([1., 0.])
    """
    entries = as_floats(entries)
    return 1.0 + 2.0 * np.prod(entries, axis=-1) - np.sum(entries**2, axis=-1)


def boundary_surface(resolution: int = 48) -> Any:
    r"""Return the boundary as two sheets of triangles that share their rim.

    .. math:: z = xy \pm \sqrt{(1 - x^2) (1 - y^2)} , \qquad
              (x, y, z) = (C_{21}, C_{31}, C_{32}) .

    Parameters
    ----------
    resolution : int
        Number of cells along each side of a sheet.

    Returns
    -------
    surface : Surface
        Vertices and triangles.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.plotting import boundary_surface, determinant
    >>> surface = boundary_surface(resolution=8)
    >>> bool(np.allclose(determinant(surface.vertices), 0.0))
    True
    """
    side = np.linspace(-0.5 * np.pi, 0.5 * np.pi, resolution + 1)
    a, b = np.meshgrid(side, side, indexing="ij")
    sheets = [
        entries_from_angles(np.stack([a, b, np.full_like(a, c)], axis=-1))
        for c in (-0.5 * np.pi, 0.5 * np.pi)
    ]
    index = np.arange(a.size).reshape(a.shape)
    one, two, three, four = (
        index[:-1, :-1].ravel(),
        index[1:, :-1].ravel(),
        index[1:, 1:].ravel(),
        index[:-1, 1:].ravel(),
    )
    lower = np.concatenate(
        [np.stack([one, three, two], -1), np.stack([one, four, three], -1)]
    )
    upper = lower[:, ::-1] + a.size  # so that all normals point outwards
    vertices = np.concatenate([sheet.reshape(-1, 3) for sheet in sheets])
    return Surface(vertices, np.concatenate([lower, upper]), "0.75", 0.15)


def boundary_wire(levels: int = 7, resolution: int = 120) -> Any:
    r"""Return the ellipses in which planes :math:`C_{ij} = \cos s` meet the boundary.

    With the six edges of the inscribed tetrahedron, where the boundary is straight.

    Parameters
    ----------
    levels : int
        Number of planes in each of the three directions.
    resolution : int
        Number of points on an ellipse.

    Returns
    -------
    curves : Curves
        Ellipses and edges.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.plotting import boundary_wire, determinant
    >>> curves = boundary_wire(levels=2)
    >>> len(curves.paths)  # two ellipses in each of three directions, and six edges
    12
    >>> bool(np.allclose(determinant(np.concatenate(curves.paths)), 0.0))
    True
    """
    turn = np.linspace(0.0, 2.0 * np.pi, resolution + 1)
    heights = np.pi * np.arange(1, levels + 1) / (levels + 1)
    paths = [
        np.roll(
            np.stack([np.full_like(turn, np.cos(s)), np.cos(turn), np.cos(turn - s)]),
            axis,
            axis=0,
        ).T
        for axis in range(3)
        for s in heights
    ]
    corners = np.array([(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)], float)
    paths += [corners[[i, j]] for i in range(4) for j in range(i)]
    return Curves(tuple(paths), "0.45", 0.6, 0.45)


def elliptope_axes(ax: Any = None) -> Any:
    """Return axes with the labels, limits, aspect and view of the elliptope.

    Parameters
    ----------
    ax : mpl_toolkits.mplot3d.Axes3D
        Axes to prepare; those of a new figure if None.

    Returns
    -------
    ax : mpl_toolkits.mplot3d.Axes3D
        Axes.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import matplotlib.pyplot as plt
    >>> from geomstats_cor.plotting import elliptope_axes
    >>> ax = elliptope_axes()
    >>> [float(bound) for bound in ax.get_zlim()]
    [-1.0, 1.0]
    >>> plt.close("all")
    """
    return axes_3d() if ax is None else Scene(()).dress(ax)


def plot_elliptope(kind: str = "wire", ax: Any = None, **style: Any) -> Any:
    r"""Draw the boundary of the 3 x 3 correlation matrices.

    .. math:: \det C = 1 + 2 xyz - x^2 - y^2 - z^2 = 0 , \qquad
              (x, y, z) = (C_{21}, C_{31}, C_{32}) .

    Parameters
    ----------
    kind : {"wire", "surface"}
        Curves on the boundary, or the boundary itself.
    ax : mpl_toolkits.mplot3d.Axes3D
        Axes; those of a new figure if None.
    **style
        Keywords of `Line3DCollection` or `Poly3DCollection`.

    Returns
    -------
    artist : Line3DCollection or Poly3DCollection
        What was drawn.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import matplotlib.pyplot as plt
    >>> from geomstats_cor.plotting import plot_elliptope
    >>> artist = plot_elliptope("surface", alpha=0.3)
    >>> artist.axes.get_xlabel()
    '$C_{21}$'
    >>> plt.close("all")
    """
    kinds: dict[str, Callable] = {"wire": boundary_wire, "surface": boundary_surface}
    if kind not in kinds:
        raise ParameterError(f"kind is {kind!r}: choose 'wire' or 'surface'.")
    return kinds[kind]().draw(axes_3d(ax), **style)


def require_three(space: Any) -> Any:
    """Return an equipped space, or raise unless its matrices are in the elliptope.

    Parameters
    ----------
    space : FullRankCorrelationMatrices or str
        Equipped manifold; or the key or the class of a metric, or the metric of a
        space.

    Returns
    -------
    space : FullRankCorrelationMatrices
        Equipped manifold.
    """
    if isinstance(space, str) or inspect.isclass(space):
        return equipped(space, 3)
    space = getattr(space, "_space", space)
    if space.n != 3:
        raise ParameterError(
            f"the space has n = {space.n}: only 3 x 3 correlation matrices are points "
            f"of the elliptope. For other sizes see plot_matrices, plot_film_strip and "
            f"plot_entries."
        )
    return space


def as_numpy(array: ArrayLike) -> Array:
    """Return an array of any library, or nested lists, as an array of numpy.

    Parameters
    ----------
    array : array-like
        Numpy array, torch tensor or nested lists.

    Returns
    -------
    array : numpy.ndarray
        The same numbers.
    """
    if hasattr(array, "detach"):
        array = array.detach().cpu()
    return np.asarray(array)


def as_floats(array: ArrayLike) -> Array:
    """Return an array of any library, or nested lists, as float64 of numpy.

    Parameters
    ----------
    array : array-like
        Numpy array, torch tensor or nested lists.

    Returns
    -------
    array : numpy.ndarray
        The same numbers.
    """
    return as_numpy(array).astype(float)
