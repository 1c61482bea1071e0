"""Pictures of which correlations speak for which class."""

import numpy as np

from geomstats_cor.exceptions import ShapeError


def plot_edge_weights(edge_weights, classes=None, names=None):
    """Draw the weights of correlations for each class, red for and blue against it.

    Parameters
    ----------
    edge_weights : array, shape=[classes, n, n] or [classes, channels, n, n]
        Weights, such as `CorMLRClassifier.edge_weights` returns.
    classes : sequence
        Names of the classes; their numbers if None.
    names : sequence of str
        Names of the variables; their numbers if None.

    Returns
    -------
    figure : matplotlib.figure.Figure
        A column for each class and a row for each channel, with one scale of colours.

    Examples
    --------
    >>> import numpy as np
    >>> from cornet_nn.training import plot_edge_weights
    >>> weights = np.array([[[0.0, 1.0], [1.0, 0.0]], [[0.0, -1.0], [-1.0, 0.0]]])
    >>> figure = plot_edge_weights(weights, ["patient", "control"])
    >>> [axes.get_title() for axes in figure.axes[:2]]
    ['patient', 'control']
    """
    from matplotlib.figure import Figure

    edge_weights = np.asarray(edge_weights, dtype=float)
    if edge_weights.ndim == 3:
        edge_weights = edge_weights[:, None]
    if edge_weights.ndim != 4 or edge_weights.shape[-1] != edge_weights.shape[-2]:
        raise ShapeError(
            f"expected edge_weights of shape [classes, n, n] or [classes, channels, n, "
            f"n], got {edge_weights.shape}."
        )
    columns, rows, n, _ = edge_weights.shape
    classes = range(columns) if classes is None else classes
    limit = float(np.abs(edge_weights).max()) or 1.0
    figure = Figure(figsize=(2.6 * columns + 1.0, 2.6 * rows), layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False)
    for (row, column), axes in np.ndenumerate(grid):
        image = axes.imshow(
            edge_weights[column, row], cmap="RdBu_r", vmin=-limit, vmax=limit
        )
        axes.set_xticks([])
        axes.set_yticks([])
        if names is not None and n <= 40:
            axes.set_yticks(range(n), names if column == 0 else [""] * n, fontsize=6)
            if row == rows - 1:
                axes.set_xticks(range(n), names, fontsize=6, rotation=90)
        if row == 0:
            axes.set_title(str(list(classes)[column]))
    figure.colorbar(image, ax=grid, label="change of the logit\nwith the correlation")
    return figure
