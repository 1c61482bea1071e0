r"""The 2 x 2 correlation matrices inside the cone of covariance matrices.

A covariance matrix with entries :math:`a, b, d` is the point :math:`(a, b, d)` of the
open cone :math:`a d > b^2`. Correlation matrices are the segment :math:`(1, r, 1)`, and
the covariance matrices with correlation :math:`r` form the surface
:math:`b = r \sqrt{a d}`: the fibre over :math:`r`, a cone itself.
"""

from typing import Any

import numpy as np

from .._types import Array, ArrayLike
from ..exceptions import ParameterError
from .layers import Curves, Markers, Scene, Surface, axes_3d
from .palette import class_colors

# From the open end of the cone fibres are seen side by side. What is left of those
# behind must not change the colour of those in front.
_VIEW = (30.0, -25.0)
_OPACITY = 0.85


def fibre_surface(correlation: float, height: float = 4.0, resolution: int = 48) -> Any:
    r"""Return the covariance matrices with a given correlation, up to a trace.

    .. math:: b = r \sqrt{a d} , \qquad a + d \le h .

    Parameters
    ----------
    correlation : float
        Correlation, between -1 and 1; at the ends it is half of the boundary.
    height : float
        Largest trace a + d.
    resolution : int
        Number of cells in each direction.

    Returns
    -------
    surface : Surface
        Vertices (a, b, d) and triangles.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.plotting import fibre_surface
    >>> a, b, d = fibre_surface(0.5).vertices.T
    >>> bool(np.allclose(b, 0.5 * np.sqrt(a * d)))
    True
    """
    if not -1.0 <= correlation <= 1.0:
        raise ParameterError(f"correlation is {correlation}: it lies in [-1, 1].")
    turn = np.linspace(0.0, 0.5 * np.pi, resolution + 1)
    rim = _rim(correlation, turn, height)
    vertices = np.concatenate([np.zeros((1, 3)), rim])
    index = np.arange(1, resolution + 1)
    faces = np.stack([np.zeros_like(index), index, index + 1], axis=-1)
    return Surface(vertices, faces)


def _rim(correlation, turn, trace):
    sin, cos = np.sin(turn), np.cos(turn)
    return trace * np.stack([cos**2, correlation * sin * cos, sin**2], axis=-1)


def cone_wire(height: float = 4.0, lines: int = 24, resolution: int = 120) -> Any:
    r"""Return straight lines and traces on the boundary of the cone.

    .. math:: b^2 = a d , \qquad a + d \le h .

    Parameters
    ----------
    height : float
        Largest trace a + d.
    lines : int
        Number of straight lines.
    resolution : int
        Number of steps on the closed curves.

    Returns
    -------
    curves : Curves
        Lines and closed curves.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.plotting import cone_wire
    >>> a, b, d = np.concatenate(cone_wire().paths).T
    >>> bool(np.allclose(b**2, a * d))
    True
    """
    # A rim over half a turn, where b changes its sign, is closed.
    whole = np.linspace(0.0, np.pi, resolution + 1)
    rims = [_rim(1.0, whole, height * share) for share in (1 / 3, 2 / 3, 1.0)]
    ends = _rim(1.0, np.linspace(0.0, np.pi, lines, endpoint=False), height)
    rays = [np.stack([np.zeros(3), end]) for end in ends]
    return Curves((*rims, *rays), "0.45", 0.6, 0.5)


def correlation_points(correlations: ArrayLike) -> Array:
    """Return 2 x 2 correlation matrices as points (1, r, 1) of the cone.

    Parameters
    ----------
    correlations : array-like, shape=[k]
        Correlations.

    Returns
    -------
    points : numpy.ndarray, shape=[k, 3]
        Points.
    """
    r = np.asarray(correlations, dtype=float)
    return np.stack([np.ones_like(r), r, np.ones_like(r)], axis=-1)


def cone_scene(correlations: ArrayLike, height: float = 4.0) -> Any:
    """Return the cone, the segment of correlations, and the fibres over some of them.

    Parameters
    ----------
    correlations : sequence of float
        Correlations to show.
    height : float
        Largest trace a + d.

    Returns
    -------
    scene : Scene
        Scene.

    Examples
    --------
    >>> from geomstats_cor.plotting import cone_scene
    >>> cone_scene([0.5]).axis_labels[1]
    'covariance $b$'
    """
    colors = class_colors(len(correlations))
    fibres = [
        Surface(
            surface.vertices,
            surface.faces,
            color,
            _OPACITY,
            f"$r$ = {r:.2f}".replace("-", "\N{MINUS SIGN}"),
        )
        for surface, color, r in zip(
            (fibre_surface(r, height) for r in correlations),
            colors,
            correlations,
            strict=True,
        )
    ]
    segment = correlation_points([-1.0, 1.0])
    layers = (
        cone_wire(height),
        *fibres,
        Curves((segment,), "black", 2.0, label="correlations"),
        Markers(correlation_points(correlations), marker="*", size=90.0),
    )
    half = 0.5 * height
    return Scene(
        layers,
        title="covariance matrices over their correlation",
        axis_labels=("variance $a$", "covariance $b$", "variance $d$"),
        limits=((0.0, height), (-half, half), (0.0, height)),
        view=_VIEW,
    )


def plot_cone(
    correlations: ArrayLike = (-0.6, 0.0, 0.6), height: float = 4.0, ax: Any = None
) -> Any:
    """Draw the interval of 2 x 2 correlations in the cone, and fibres over some.

    Parameters
    ----------
    correlations : sequence of float
        Correlations over which to draw the fibres.
    height : float
        Largest trace a + d.
    ax : mpl_toolkits.mplot3d.Axes3D
        Axes; those of a new figure if None.

    Returns
    -------
    ax : mpl_toolkits.mplot3d.Axes3D
        Axes.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import matplotlib.pyplot as plt
    >>> from geomstats_cor.plotting import plot_cone
    >>> plot_cone([-0.5, 0.5]).get_ylabel()
    'covariance $b$'
    >>> plt.close("all")
    """
    scene = cone_scene(correlations, height)
    return scene.draw(axes_3d(ax, scene))


def plot_fibre(
    correlation: float, height: float = 4.0, ax: Any = None, **style: Any
) -> Any:
    r"""Draw the covariance matrices with one correlation.

    .. math:: b = r \sqrt{a d} , \qquad a + d \le h .

    Parameters
    ----------
    correlation : float
        Correlation.
    height : float
        Largest trace a + d.
    ax : mpl_toolkits.mplot3d.Axes3D
        Axes; those of a new figure if None.
    **style
        Keywords of `Poly3DCollection`.

    Returns
    -------
    artist : Poly3DCollection
        The surface.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import matplotlib.pyplot as plt
    >>> from geomstats_cor.plotting import plot_fibre
    >>> plot_fibre(0.5, alpha=0.3).get_alpha()
    0.3
    >>> plt.close("all")
    """
    surface = fibre_surface(correlation, height)
    return surface.draw(axes_3d(ax, cone_scene((), height)), **style)
