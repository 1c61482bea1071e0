"""Decision regions of classifiers of 3 x 3 correlation matrices."""

import numpy as np

from ..exceptions import ParameterError
from .elliptope import as_numpy
from .layers import axes_3d
from .level_sets import grid_points, level_set
from .palette import class_colors

# Enough for matrices to be positive definite in single precision.
_SHRINKAGE = 1e-4


def decision_boundaries(classifier, resolution=32):
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
        part that is the boundary of the elliptope.

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
    decide = _decision(classifier)
    grid = decide(grid_points(resolution, _SHRINKAGE).reshape(-1, 3, 3))
    classes = np.unique(grid)
    return {
        name: level_set(
            lambda points, name=name: np.where(decide(points) == name, 1.0, -1.0),
            resolution=resolution,
            width=1e-6,
            shrinkage=_SHRINKAGE,
            values=np.where(grid == name, 1.0, -1.0),
        )
        for name in classes.tolist()
    }


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


def plot_decision_regions(classifier, resolution=32, classes=None, ax=None, **style):
    """Draw the surfaces that separate the regions of a classifier.

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
    boundaries = decision_boundaries(classifier, resolution)
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
    artists = {}
    for name in classes:
        found = boundaries[name]
        if len(found.faces):
            surface = found.surface(color=colors[name], alpha=0.4)
            label = f"region of class {name}"
            artists[name] = surface.draw(ax, **{"label": label} | style)
    return artists
