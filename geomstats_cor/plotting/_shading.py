"""Surfaces of one colour under a soft light, for matplotlib."""

from typing import Any

import numpy as np
from matplotlib.colors import to_rgba
from matplotlib.legend import Legend
from matplotlib.legend_handler import HandlerPatch
from matplotlib.patches import Rectangle
from mpl_toolkits.mplot3d import proj3d
from mpl_toolkits.mplot3d.art3d import Poly3DCollection

from .._types import ArrayLike
from ..kernels._quotients import divide

# Direction of the light, and the largest share of white or black that it adds.
_LIGHT = np.array([0.4, -0.3, 0.866])
_LIGHT /= np.linalg.norm(_LIGHT)
_CONTRAST = 0.2


class ShadedSurface(Poly3DCollection):
    """Triangles of one colour, lit softly.

    The colours of the triangles vary around the colour of the surface, which is the one
    that a legend shows. Among the artists of its axes a surface is sorted by its mean
    depth.

    Parameters
    ----------
    triangles : array-like, shape=[m, 3, 3]
        Corners of the triangles.
    color : str or tuple
        Colour of the surface.
    alpha : float
        Opacity; that of the colour if None.
    shade : bool
        Whether the light is on.
    one_sided : bool
        Whether to draw only the triangles whose normal points away from the viewer: the
        walls of a region, as seen from inside it.
    **style
        Keywords of `Poly3DCollection`.
    """

    def __init__(
        self,
        triangles: ArrayLike,
        color: Any,
        alpha: float | None = None,
        shade: bool = True,
        one_sided: bool = False,
        **style: Any,
    ) -> None:
        self._triangles = np.asarray(triangles, dtype=float)
        self._one_sided = one_sided
        self._base = to_rgba(color)
        count = len(self._triangles)
        self._colors = np.tile(self._base, (count, 1))
        if shade and count:
            self._colors[:, :3] = _lit(self._base[:3], self._triangles)
        super().__init__(
            self._triangles,
            facecolors=self._colors,
            # Edges would be drawn twice, and show as a net.
            **{"edgecolor": "none", "alpha": alpha} | style,
        )

    @property
    def swatch(self) -> Any:
        """Colour of the surface with its opacity, as a legend shows it."""
        return to_rgba(self._base, self.get_alpha())

    def do_3d_projection(self) -> float:
        """Project onto the screen.

        Returns
        -------
        depth : float
            Mean distance from the viewer, by which the axes sort artists.
        """
        if not len(self._triangles):
            return super().do_3d_projection()
        x, y, depth = np.stack(
            proj3d.proj_transform(*self._triangles.reshape(-1, 3).T, self.axes.M)
        ).reshape(3, -1, 3)
        if self._one_sided:
            (a, b, c), (d, e, f) = x.T, y.T
            away = (b - a) * (f - d) - (e - d) * (c - a) < 0.0
            # One triangle without area stands for none.
            seen = self._triangles[away] if away.any() else self._triangles[:1, :1]
            colors = self._colors[away] if away.any() else self._colors[:1]
            self.set_verts(np.broadcast_to(seen, (len(seen), 3, 3)))
            self.set_facecolor(colors)
        super().do_3d_projection()
        return depth.mean()


def _lit(color, triangles):
    """Mix a colour with white or black, according to the light on triangles."""
    normals = np.cross(
        triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
    )
    length = np.linalg.norm(normals, axis=-1)
    # Both sides of a triangle are lit alike.
    light = divide(np.abs(normals @ _LIGHT), length)
    share = _CONTRAST * (2.0 * light - 1.0)[:, None]
    return np.where(share > 0.0, 1.0, 0.0) * np.abs(share) + (
        1.0 - np.abs(share)
    ) * np.asarray(color)


class _Swatch(HandlerPatch):
    """A rectangle of the colour of the surface, not of one of its triangles."""

    def create_artists(
        self, legend, handle, xdescent, ydescent, width, height, fontsize, trans
    ):
        corner = (-xdescent, -ydescent)
        patch = Rectangle(corner, width, height, facecolor=handle.swatch, linewidth=0.0)
        patch.set_transform(trans)
        return [patch]


Legend.update_default_handler_map({ShadedSurface: _Swatch()})
