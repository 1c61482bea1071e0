"""Learning curves, and which correlations speak for which class."""

from typing import Any

import numpy as np

from geomstats_cor.exceptions import ParameterError, ShapeError

_QUANTITIES = ("loss", "accuracy", "rmse")
_LABELS = {"train": "training", "valid": "validation"}


def plot_learning_curves(
    history: list[dict], quantity: str = "loss", ax: Any = None
) -> Any:
    """Draw a quantity of training and validation over the epochs.

    Parameters
    ----------
    history : list of dict
        One row for each epoch, as in `CorNetClassifier.history_`.
    quantity : {"loss", "accuracy", "rmse"}
        What to draw.
    ax : matplotlib.axes.Axes
        Where to draw; the current axes if None.

    Returns
    -------
    ax : matplotlib.axes.Axes
        Where it was drawn.

    Examples
    --------
    >>> from cornet_nn.training import plot_learning_curves
    >>> from matplotlib.figure import Figure
    >>> history = [
    ...     {"epoch": 1, "train_loss": 0.7, "valid_loss": 0.8},
    ...     {"epoch": 2, "train_loss": 0.5, "valid_loss": 0.6},
    ... ]
    >>> ax = plot_learning_curves(history, ax=Figure().subplots())
    >>> [line.get_label() for line in ax.lines]
    ['training', 'validation', 'epoch 2']
    """
    if quantity not in _QUANTITIES:
        raise ParameterError(
            f"there is no curve of {quantity!r}: choose 'loss' or 'accuracy', "
            f"or 'rmse' for a regression."
        )
    if ax is None:
        import matplotlib.pyplot as plt

        ax = plt.gca()
    for prefix, label in _LABELS.items():
        name = f"{prefix}_{quantity}"
        rows = [row for row in history if name in row]
        if rows:
            # A single epoch is a point, which a line alone would not show.
            marker = "o" if len(rows) == 1 else None
            epochs = [row["epoch"] for row in rows]
            ax.plot(epochs, [row[name] for row in rows], marker=marker, label=label)
    if history and "valid_loss" in history[-1]:
        best = min(history, key=lambda row: row["valid_loss"])["epoch"]
        ax.axvline(best, color="0.6", linestyle=":", label=f"epoch {best}")
    ax.set_xlabel("epoch")
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set_ylabel(quantity)
    if ax.lines:
        ax.legend()
    return ax


def curves_figure(history: list[dict]) -> Any:
    """Return a figure with the curves of loss and accuracy.

    Parameters
    ----------
    history : list of dict
        One row for each epoch.

    Returns
    -------
    figure : matplotlib.figure.Figure
        Figure, apart from those of pyplot.
    """
    from matplotlib.figure import Figure

    score = "rmse" if history and "train_rmse" in history[0] else "accuracy"
    figure = Figure(figsize=(9.0, 3.6), layout="constrained")
    for quantity, ax in zip(("loss", score), figure.subplots(1, 2), strict=True):
        plot_learning_curves(history, quantity, ax)
    return figure


def plot_edge_weights(edge_weights: Any, classes: Any = None, names: Any = None) -> Any:
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
