"""Decision regions of classifiers of 3 x 3 correlation matrices."""

from typing import Any

import numpy as np

from .._types import ArrayLike
from ..exceptions import ParameterError
from .elliptope import as_numpy, boundary_wire, from_entries
from .layers import Curves, axes_3d
from .palette import class_colors
from .partitions import region_boundaries

# Enough for matrices to be positive definite in single precision.
_SHRINKAGE = 1e-4
# What shines through a wall must not change its colour much.
_OPACITY = 0.85


def decision_boundaries(classifier: Any, resolution: int = 32) -> dict:
    """Return the boundary of the region of each class.

    Parameters
    ----------
    classifier : object
        Either has `predict`, which maps matrices [k, 3, 3] to classes [k]; or is a
        function, such as a torch module, which maps them to a logit per class [k, c],
        or for two classes to one [k] or [k, 1] that is positive for the second.
    resolution : int
        Number of cells of the grid in each direction.

    Returns
    -------
    boundaries : dict of LevelSet
        Surface around the region of each class that occurs on the grid, without the
        part that is the boundary of the elliptope. Surfaces of neighbours share their
        vertices, also where three or four regions meet. Normals point outwards.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.plotting import decision_boundaries
    >>> def logit(points):
    ...     return points[:, 1, 0] - 0.5
    >>> boundaries = decision_boundaries(logit, resolution=8)
    >>> sorted(boundaries)
    [0, 1]
    >>> bool(np.allclose(boundaries[1].points[:, 1, 0], 0.5, atol=1e-5))
    True
    """
    return region_boundaries(_decision(classifier), resolution, _SHRINKAGE)


def _decision(classifier):
    """Return the function from numpy matrices to classes."""
    if hasattr(classifier, "predict"):
        return lambda points: as_numpy(classifier.predict(points))

    def decide(points):
        logits = as_numpy(classifier(_as_input(classifier, points)))
        logits = logits.reshape(len(points), -1)
        if logits.shape[-1] == 1:
            return (logits[:, 0] > 0.0).astype(int)
        return logits.argmax(axis=-1)

    return decide


def _as_input(classifier, points):
    """Return matrices as what a classifier takes: tensors, if it is a torch module."""
    if not hasattr(classifier, "parameters"):
        return points
    import torch

    like = next(iter(classifier.parameters()), None)
    if like is None:
        return torch.as_tensor(points)
    return torch.as_tensor(points, dtype=like.dtype, device=like.device)


def plot_decision_regions(
    classifier: Any,
    resolution: int = 32,
    classes: ArrayLike = None,
    ax: Any = None,
    **style: Any,
) -> dict:
    """Draw the surfaces that separate the regions of a classifier.

    The surface between two regions shows the colour of the one on the side of the
    viewer: whoever looks into a region sees walls of its colour. Curves on the boundary
    of the elliptope have the colour of the region that they are in, so that regions
    behind others are seen, too. With one surface only, there are no curves.

    Parameters
    ----------
    classifier : object
        Has `predict`, or maps matrices to logits; see `decision_boundaries`.
    resolution : int
        Number of cells of the grid in each direction.
    classes : sequence
        Classes whose regions to draw. If None, all; of two classes one, since both
        have the same boundary.
    ax : mpl_toolkits.mplot3d.Axes3D
        Axes; those of a new figure if None.
    **style
        Keywords of `Poly3DCollection`.

    Returns
    -------
    artists : dict of Poly3DCollection
        The boundary of the region of each class.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import matplotlib.pyplot as plt
    >>> from geomstats_cor.plotting import plot_decision_regions
    >>> def logit(points):
    ...     return points[:, 1, 0] - 0.5
    >>> list(plot_decision_regions(logit, resolution=8))
    [1]
    >>> plt.close("all")
    """
    decide = _decision(classifier)
    boundaries = region_boundaries(decide, resolution, _SHRINKAGE)
    colors = dict(zip(boundaries, class_colors(len(boundaries)), strict=True))
    if classes is None:
        classes = list(boundaries)[1 if len(boundaries) == 2 else 0 :]
    unknown = [name for name in classes if name not in boundaries]
    if unknown:
        raise ParameterError(
            f"no matrix of the grid is of class {unknown[0]!r}: the classes are "
            f"{', '.join(map(repr, boundaries))}."
        )
    ax = axes_3d(ax)
    artists, several = {}, len(classes) > 1
    for name in classes:
        found = boundaries[name]
        if len(found.faces):
            surface = found.surface(color=colors[name], alpha=_OPACITY)
            default = {"label": f"region of class {name}", "one_sided": several}
            artists[name] = surface.draw(ax, **default | style)
    if len(artists) > 1:
        _draw_wire(decide, {name: colors[name] for name in artists}, ax)
    return artists


def _draw_wire(decide, colors, ax):
    """Draw curves on the boundary of the elliptope in the colours of the regions."""
    share = np.linspace(0.0, 1.0, 61)[:, None]
    paths = [
        path if len(path) > 2 else (1.0 - share) * path[0] + share * path[1]
        for path in boundary_wire().paths
    ]
    pieces = np.concatenate([np.stack([path[:-1], path[1:]], axis=1) for path in paths])
    pieces *= 1.0 - _SHRINKAGE
    found = decide(from_entries(pieces.mean(axis=1)))
    # One artist for all: its nearest point puts it in front of the walls.
    shown = [k for k, name in enumerate(found.tolist()) if name in colors]
    shades = [colors[name] for name in found[shown].tolist()]
    Curves(tuple(pieces[shown]), width=1.0, alpha=0.8).draw(ax, color=shades)
