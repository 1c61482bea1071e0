"""Scenes as figures of plotly, which turn under the mouse."""

from typing import Any

import numpy as np
from matplotlib.colors import to_hex

from ._extra import load
from .layers import Curves, Markers, Surface

_SYMBOLS = {"o": "circle", "s": "square", "D": "diamond", "*": "diamond", "X": "x"}
_HOVER = "%{x:.3f}, %{y:.3f}, %{z:.3f}"


def interactive_figure(scenes: Any) -> Any:
    """Return a figure of plotly with the scenes side by side.

    Parameters
    ----------
    scenes : Scene or sequence of Scene
        Scenes.

    Returns
    -------
    figure : plotly.graph_objects.Figure
        Figure; `write_html` with `include_plotlyjs=True` makes a file that works
        without a network.

    Examples
    --------
    >>> from geomstats_cor.plotting import cone_scene, interactive_figure
    >>> figure = interactive_figure(cone_scene([-0.5, 0.5]))
    >>> len(figure.data) > 2
    True
    """
    scenes = [scenes] if hasattr(scenes, "layers") else list(scenes)
    make_subplots = load("plotly.subplots").make_subplots
    columns = min(len(scenes), 3)
    rows = -(-len(scenes) // columns)
    specs = [
        [
            {"type": "scene"} if row * columns + k < len(scenes) else None
            for k in range(columns)
        ]
        for row in range(rows)
    ]
    figure = make_subplots(
        rows=rows,
        cols=columns,
        specs=specs,
        subplot_titles=[_plain(scene.title) for scene in scenes],
        horizontal_spacing=0.02,
        vertical_spacing=0.06,
    )
    named = set()
    for k, scene in enumerate(scenes):
        row, column = k // columns + 1, k % columns + 1
        for layer in scene.layers:
            trace = _trace(layer)
            # One entry per name, whatever the number of scenes it is in.
            trace["showlegend"] = layer.label is not None and layer.label not in named
            named.add(layer.label)
            figure.add_trace(trace, row=row, col=column)
        figure.update_scenes(_axes(scene), row=row, col=column)
    figure.update_layout(
        template="plotly_white",
        height=None if rows == 1 else 480 * rows,
        margin={"l": 10, "r": 10, "t": 40, "b": 10},
        modebar={"orientation": "v"},
        legend={"orientation": "h", "y": -0.02, "itemsizing": "constant"},
    )
    return figure


def _trace(layer):
    return {Surface: _surface, Curves: _curves, Markers: _markers}[type(layer)](layer)


def _surface(layer):
    x, y, z = layer.vertices.T
    i, j, k = layer.faces.T
    return {
        "type": "mesh3d",
        **dict(x=x, y=y, z=z, i=i, j=j, k=k),
        "color": to_hex(layer.color),
        "opacity": layer.alpha,
        "name": _plain(layer.label),
        "hovertemplate": _HOVER,
    }


def _curves(layer):
    # A NaN lifts the pen between two curves.
    gap = np.full((1, 3), np.nan)
    x, y, z = np.concatenate([part for path in layer.paths for part in (path, gap)]).T
    return {
        "type": "scatter3d",
        "mode": "lines",
        **dict(x=x, y=y, z=z),
        "line": {"color": to_hex(layer.color), "width": 2.0 * layer.width},
        "opacity": layer.alpha,
        "name": _plain(layer.label),
        "hoverinfo": "skip" if layer.label is None else None,
        "hovertemplate": None if layer.label is None else _HOVER,
    }


def _markers(layer):
    x, y, z = np.reshape(layer.points, (-1, 3)).T
    return {
        "type": "scatter3d",
        "mode": "markers",
        **dict(x=x, y=y, z=z),
        "marker": {
            "color": to_hex(layer.color),
            "size": max(3.0, 0.7 * np.sqrt(layer.size)),
            "symbol": _SYMBOLS.get(layer.marker, "circle"),
        },
        "name": _plain(layer.label),
        "hovertemplate": _HOVER,
    }


def _axes(scene):
    elevation, azimuth = np.radians(scene.view)
    # The same direction as in matplotlib, from where the corners are in sight.
    eye = 2.6 * np.array(
        [
            np.cos(elevation) * np.cos(azimuth),
            np.cos(elevation) * np.sin(azimuth),
            np.sin(elevation),
        ]
    )
    axes = {
        f"{name}axis": {
            "title": {"text": _plain(label)},
            "range": list(limits),
            "tickvals": np.linspace(limits[0], limits[1], 3).tolist(),
        }
        for name, label, limits in zip(
            "xyz", scene.axis_labels, scene.limits, strict=True
        )
    }
    camera = dict(zip("xyz", eye.tolist(), strict=True))
    center = {"x": 0.0, "y": 0.0, "z": -0.1}  # labels stand below the box
    return {**axes, "aspectmode": "data", "camera": {"eye": camera, "center": center}}


def _plain(text):
    """Return a label without the signs of mathematics that only matplotlib reads."""
    return "" if text is None else text.translate(str.maketrans("", "", "${}_"))
