"""Learning curves."""

from geomstats_cor.exceptions import ParameterError

_QUANTITIES = ("loss", "accuracy")
_LABELS = {"train": "training", "valid": "validation"}


def plot_learning_curves(history, quantity="loss", ax=None):
    """Draw a quantity of training and validation over the epochs.

    Parameters
    ----------
    history : list of dict
        One row for each epoch, as in `CorNetClassifier.history_`.
    quantity : {"loss", "accuracy"}
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
            f"there is no curve of {quantity!r}: choose 'loss' or 'accuracy'."
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


def curves_figure(history):
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

    figure = Figure(figsize=(9.0, 3.6), layout="constrained")
    for quantity, ax in zip(_QUANTITIES, figure.subplots(1, 2), strict=True):
        plot_learning_curves(history, quantity, ax)
    return figure
