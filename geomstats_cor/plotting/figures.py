"""The figures of the command line, and how they are written to files."""

from pathlib import Path
from typing import Any

import numpy as np

from .._types import ArrayLike
from ..exceptions import ParameterError
from ..space import FullRankCorrelationMatrices
from .clouds import mean_markers
from .cone import cone_scene
from .elliptope import boundary_surface, boundary_wire, entries, from_entries
from .frames import grid_curves
from .geodesics import fan_curves, geodesic_path
from .hyperplanes import hyperplane_scenes
from .interactive import interactive_figure
from .layers import Curves, Markers, Scene
from .palette import METRIC_COLORS
from .spheres import sphere_wire

_START, _END = from_entries([[0.77, 0.68, 0.58], [-0.61, -0.8, 0.18]])
_CENTRES = from_entries([[0.55, 0.35, 0.45], [-0.35, -0.3, 0.1]])
_CLOUD, _CLOUD_SEED = from_entries([0.9, -0.3, -0.1]), 9
_STEP = 0.8
SUFFIXES = (".png", ".pdf", ".html")


def hyperplanes_figure(metrics: ArrayLike, seed: int | None = None) -> list:
    """Return scenes of one hyperplane per metric, through the same data.

    Two classes are drawn around two centres; every hyperplane passes through the same
    point half way between them, with the same normal vector.

    Parameters
    ----------
    metrics : sequence of str
        Keys of `METRICS`.
    seed : int
        Seed of the data; always the same if None.

    Returns
    -------
    scenes : list of Scene
        Scenes.
    """
    points, labels = two_classes(seed)
    middle, normal = 0.5 * np.sum(_CENTRES, axis=0), _CENTRES[0] - _CENTRES[1]
    return hyperplane_scenes(middle, normal, points, labels, metrics)


def two_classes(seed: int | None, count: int = 25) -> tuple:
    """Draw two classes of correlation matrices.

    Parameters
    ----------
    seed : int
        Seed.
    count : int
        Number of matrices in each class.

    Returns
    -------
    points : numpy.ndarray, shape=[2 * count, 3, 3]
        Correlation matrices.
    labels : numpy.ndarray of int, shape=[2 * count]
        Classes.
    """
    metric = FullRankCorrelationMatrices(3, equip="olm").metric
    noise = 0.3 * np.random.default_rng(0 if seed is None else seed).standard_normal(
        (2, count, 3)
    )
    points = metric.exp_coords(noise, _CENTRES[:, None])
    return points.reshape(-1, 3, 3), np.repeat([0, 1], count)


def elliptope_figure(metrics: ArrayLike, seed: int | None = None) -> list:
    """Return scenes of the elliptope: data with their means, and coordinate grids.

    Parameters
    ----------
    metrics : sequence of str
        Keys of `METRICS`.
    seed : int
        Seed of the data; always the same if None.

    Returns
    -------
    scenes : list of Scene
        The boundary with data and their Fréchet mean under each metric, and a
        coordinate grid for each metric.
    """
    # A wide cloud, so that the means are apart.
    metric = FullRankCorrelationMatrices(3, equip="olm").metric
    rng = np.random.default_rng(_CLOUD_SEED if seed is None else seed)
    noise = 1.6 * rng.standard_normal((60, 3))
    points = metric.from_coords(metric.to_coords(_CLOUD) + noise)
    cloud = Markers(entries(points), "0.5", size=10.0, label="data")
    means = mean_markers(points, metrics=metrics)
    scenes = [Scene((boundary_wire(), cloud, *means), title="Fréchet means")]
    for key in metrics:
        space = FullRankCorrelationMatrices(3, equip=key)
        layers = (boundary_surface(), boundary_wire(levels=1), *grid_curves(space))
        scenes.append(Scene(layers, title=f"coordinates of {key.upper()}"))
    return scenes


def geodesics_figure(metrics: ArrayLike, seed: int | None = None) -> list:
    """Return scenes of geodesics between two points; for one metric, also a fan.

    Parameters
    ----------
    metrics : sequence of str
        Keys of `METRICS`.
    seed : int
        Seed of the end points; two chosen ones if None.

    Returns
    -------
    scenes : list of Scene
        Scenes.
    """
    ends = np.stack([_START, _END])
    if seed is not None:
        space = FullRankCorrelationMatrices(3, equip=False)
        ends = space.random_point(2, rng=seed)
    layers = [boundary_wire()]
    for key in metrics:
        space = FullRankCorrelationMatrices(3, equip=key)
        path = entries(geodesic_path(space, *ends))
        layers.append(Curves((path,), METRIC_COLORS[key], 2.5, label=key.upper()))
    layers.append(Markers(entries(ends), size=40.0, label="end points"))
    scenes = [Scene(tuple(layers), title="geodesics between two points")]
    if len(metrics) == 1:
        middle = geodesic_path(space, ends[0], ends[1], steps=2)[1]
        fan = (
            boundary_wire(),
            fan_curves(space, middle),
            sphere_wire(space, middle, 1.0),
            Markers(entries(middle)[None], size=40.0),
        )
        scenes.append(Scene(fan, title="fan and sphere of radius 1"))
    return scenes


def cone_figure(metrics: ArrayLike, seed: int | None = None, count: int = 3) -> list:
    """Return the scene of the cone, with fibres over some correlations.

    Parameters
    ----------
    metrics : sequence of str
        Keys of `METRICS`; under the first, the correlations are at equal distances.
    seed : int
        Seed of the correlations, which are random then.
    count : int
        Number of fibres.

    Returns
    -------
    scenes : list of Scene
        One scene.
    """
    if seed is None:
        metric = FullRankCorrelationMatrices(2, equip=metrics[0]).metric
        steps = _STEP * (np.arange(count) - 0.5 * (count - 1))
        correlations = metric.from_coords(steps[:, None])[:, 1, 0]
    else:
        correlations = np.sort(np.random.default_rng(seed).uniform(-0.95, 0.95, count))
    return [cone_scene(correlations)]


def matplotlib_figure(scenes: ArrayLike, size: float = 3.6) -> Any:
    """Return a figure of matplotlib with the scenes side by side, and one legend.

    Parameters
    ----------
    scenes : sequence of Scene
        Scenes.
    size : float
        Width of a scene, in inches; a single one is larger by half.

    Returns
    -------
    figure : matplotlib.figure.Figure
        Figure.
    """
    from matplotlib.figure import Figure

    columns = len(scenes) if len(scenes) <= 5 else -(-len(scenes) // 2)
    rows = -(-len(scenes) // columns)
    size = 1.5 * size if len(scenes) == 1 else size
    figure = Figure(figsize=(columns * size, rows * size + 0.4), layout="constrained")
    named: dict = {}
    for k, scene in enumerate(scenes):
        ax = scene.draw(figure.add_subplot(rows, columns, k + 1, projection="3d"))
        handles, labels = ax.get_legend_handles_labels()
        named |= {n: h for n, h in zip(labels, handles, strict=True) if n not in named}
    if named:
        figure.legend(
            list(named.values()),
            list(named),
            loc="outside lower center",
            ncols=min(len(named), max(4, 3 * columns)),
        )
    return figure


def require_suffix(path: Any, suffixes: ArrayLike = SUFFIXES) -> Any:
    """Return a path whose suffix names a format that figures are written in.

    Parameters
    ----------
    path : str or Path
        File.
    suffixes : sequence of str
        Suffixes that are known.

    Returns
    -------
    path : Path
        The same file.
    """
    path = Path(path)
    if path.suffix.lower() not in suffixes:
        raise ParameterError(
            f"the suffix of {path} is {path.suffix!r}: it may be "
            f"{' or '.join(suffixes)}."
        )
    return path


def write_figure(scenes: ArrayLike, path: Any, dpi: float = 150) -> Any:
    """Write scenes to a file: by matplotlib, or by plotly for a page.

    Parameters
    ----------
    scenes : sequence of Scene
        Scenes.
    path : str or Path
        File; its suffix is .png, .pdf or .html.
    dpi : float
        Resolution of a PNG, in dots per inch.

    Returns
    -------
    path : Path
        The file.
    """
    path = require_suffix(path)
    if path.suffix.lower() == ".html":
        interactive_figure(scenes).write_html(path, include_plotlyjs=True)
    else:
        matplotlib_figure(scenes).savefig(path, dpi=dpi)
    return path
