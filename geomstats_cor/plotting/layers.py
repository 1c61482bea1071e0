"""What a picture in three dimensions consists of, whoever draws it.

A layer is plain numbers and a style. It draws itself on axes of matplotlib;
`interactive` turns the same layers into a figure of plotly.
"""

import dataclasses
from typing import Any

import numpy as np
from matplotlib.cbook import normalize_kwargs
from matplotlib.colors import to_rgba
from mpl_toolkits.mplot3d.art3d import Line3DCollection, Poly3DCollection

from ._shading import ShadedSurface


@dataclasses.dataclass(frozen=True)
class Surface:
    """A surface of triangles.

    Parameters
    ----------
    vertices : array, shape=[k, 3]
        Vertices.
    faces : array of int, shape=[m, 3]
        Indices of the corners of each triangle.
    color : str
        Colour.
    alpha : float
        Opacity.
    label : str
        Name in a legend.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import matplotlib.pyplot as plt
    >>> import numpy as np
    >>> from geomstats_cor.plotting import Surface, elliptope_axes
    >>> surface = Surface(np.eye(3), np.array([[0, 1, 2]]), alpha=0.3)
    >>> surface.draw(elliptope_axes()).get_alpha()
    0.3
    >>> plt.close("all")
    """

    vertices: np.ndarray
    faces: np.ndarray
    color: str = "#0072B2"
    alpha: float = 0.6
    label: str | None = None

    def draw(self, ax: Any, **style: Any) -> Any:
        """Draw on three-dimensional axes.

        Parameters
        ----------
        ax : mpl_toolkits.mplot3d.Axes3D
            Axes.
        **style
            Keywords of `Poly3DCollection`; `shade=False` gives one flat colour.

        Returns
        -------
        artist : Poly3DCollection
            The triangles.
        """
        style = normalize_kwargs(style, Poly3DCollection)
        style = {"alpha": self.alpha, "label": self.label} | style
        corners = np.asarray(self.vertices, dtype=float)[np.asarray(self.faces, int)]
        had_data = ax.has_data()
        color = style.pop("color", style.pop("facecolor", self.color))
        artist = ShadedSurface(corners, color, **style)
        ax.add_collection3d(artist)
        ax.auto_scale_xyz(*np.reshape(self.vertices, (-1, 3)).T, had_data)
        return artist


@dataclasses.dataclass(frozen=True)
class Curves:
    """Curves of one style.

    Parameters
    ----------
    paths : sequence of array, shape=[k, 3]
        Curves, possibly of different lengths.
    color : str
        Colour.
    width : float
        Width of the lines, in points.
    alpha : float
        Opacity.
    label : str
        Name in a legend.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import matplotlib.pyplot as plt
    >>> import numpy as np
    >>> from geomstats_cor.plotting import Curves, elliptope_axes
    >>> curves = Curves((np.zeros((2, 3)), np.ones((5, 3))), width=2.0)
    >>> curves.draw(elliptope_axes()).get_linewidth().tolist()
    [2.0]
    >>> plt.close("all")
    """

    paths: tuple
    color: str = "0.35"
    width: float = 1.5
    alpha: float = 1.0
    label: str | None = None

    def draw(self, ax: Any, **style: Any) -> Any:
        """Draw on three-dimensional axes.

        Parameters
        ----------
        ax : mpl_toolkits.mplot3d.Axes3D
            Axes.
        **style
            Keywords of `Line3DCollection`.

        Returns
        -------
        artist : Line3DCollection
            The lines.
        """
        default = {
            "color": self.color,
            "linewidth": self.width,
            "alpha": self.alpha,
            "label": self.label,
        }
        style = normalize_kwargs(style, Line3DCollection)
        if "colors" in style:  # a name of the constructor, and no alias
            style["color"] = style.pop("colors")
        style = {**default, **style}
        lines = Line3DCollection(list(self.paths), **style)
        ax.add_collection3d(lines)
        return lines


@dataclasses.dataclass(frozen=True)
class Markers:
    """Points of one style.

    Parameters
    ----------
    points : array, shape=[k, 3]
        Points.
    color : str
        Colour.
    marker : str
        Marker, as matplotlib names it.
    size : float
        Area of a marker, in square points.
    label : str
        Name in a legend.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import matplotlib.pyplot as plt
    >>> import numpy as np
    >>> from geomstats_cor.plotting import Markers, elliptope_axes
    >>> Markers(np.eye(3), label="corners").draw(elliptope_axes()).get_label()
    'corners'
    >>> plt.close("all")
    """

    points: np.ndarray
    color: str = "black"
    marker: str = "o"
    size: float = 24.0
    label: str | None = None

    def draw(self, ax: Any, **style: Any) -> Any:
        """Draw on three-dimensional axes.

        Parameters
        ----------
        ax : mpl_toolkits.mplot3d.Axes3D
            Axes.
        **style
            Keywords of `Axes3D.scatter`.

        Returns
        -------
        artist : Path3DCollection
            The markers.
        """
        if not {"c", "color", "facecolors", "facecolor"} & style.keys():
            style["color"] = [to_rgba(self.color)]
        style = {"marker": self.marker, "label": self.label, "s": self.size} | style
        # Depth by fading makes one class look like two.
        style.setdefault("depthshade", False)
        return ax.scatter(*np.reshape(self.points, (-1, 3)).T, **style)


@dataclasses.dataclass(frozen=True)
class Scene:
    """Layers in one pair of axes.

    Parameters
    ----------
    layers : sequence of Surface, Curves or Markers
        Layers, from the back to the front.
    title : str
        Title.
    axis_labels : tuple of str, length 3
        Labels of the axes.
    limits : tuple of (float, float), length 3
        Range of each axis.
    view : tuple of float
        Elevation and azimuth of the viewer, in degrees.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import matplotlib.pyplot as plt
    >>> from geomstats_cor.plotting import Scene, boundary_wire, elliptope_axes
    >>> scene = Scene((boundary_wire(),), title="3 x 3 correlation matrices")
    >>> scene.draw(elliptope_axes()).get_title()
    '3 x 3 correlation matrices'
    >>> plt.close("all")
    """

    layers: tuple
    title: str = ""
    axis_labels: tuple = ("$C_{21}$", "$C_{31}$", "$C_{32}$")
    limits: tuple = ((-1.0, 1.0),) * 3
    view: tuple = (20.0, -62.0)

    def dress(self, ax: Any) -> Any:
        """Give axes the labels, limits, aspect and view of the scene.

        Parameters
        ----------
        ax : mpl_toolkits.mplot3d.Axes3D
            Axes.

        Returns
        -------
        ax : mpl_toolkits.mplot3d.Axes3D
            The same axes.
        """
        ax.set(**dict(zip(("xlim", "ylim", "zlim"), self.limits, strict=True)))
        names = ("xlabel", "ylabel", "zlabel")
        ax.set(**dict(zip(names, self.axis_labels, strict=True)))
        ax.set_box_aspect([high - low for low, high in self.limits], zoom=0.85)
        for axis, (low, high) in zip("xyz", self.limits, strict=True):
            ticks = np.linspace(low, high, 3)
            getattr(ax, f"set_{axis}ticks")(ticks, [_number(tick) for tick in ticks])
        ax.view_init(*self.view)
        ax.set_title(self.title, y=0.97)  # the box leaves room above it
        return ax

    def draw(self, ax: Any) -> Any:
        """Dress the axes and draw all layers on them.

        Parameters
        ----------
        ax : mpl_toolkits.mplot3d.Axes3D
            Axes.

        Returns
        -------
        ax : mpl_toolkits.mplot3d.Axes3D
            The same axes.
        """
        self.dress(ax)
        for layer in self.layers:
            layer.draw(ax)
        return ax


def _number(value):
    return f"{value:g}".replace("-", "\N{MINUS SIGN}")


def axes_3d(ax: Any = None, scene: Any = None) -> Any:
    """Return the axes given, or new ones that are dressed for a scene.

    Parameters
    ----------
    ax : mpl_toolkits.mplot3d.Axes3D
        Axes; those of a new figure if None.
    scene : Scene
        What new axes are dressed for; the elliptope if None.

    Returns
    -------
    ax : mpl_toolkits.mplot3d.Axes3D
        Axes.
    """
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    figure = plt.figure(layout="constrained")
    scene = Scene(()) if scene is None else scene
    return scene.dress(figure.add_subplot(projection="3d"))


def axes_2d(ax: Any = None) -> Any:
    """Return the axes given, or those of a new figure.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Axes; those of a new figure if None.

    Returns
    -------
    ax : matplotlib.axes.Axes
        Axes.
    """
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.figure(layout="constrained").add_subplot()
