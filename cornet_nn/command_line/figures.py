"""Figures of the command line."""

import numpy as np
from matplotlib.figure import Figure

from geomstats_cor.plotting import METRIC_COLORS, METRIC_MARKERS

from .._files import replacing


def comparison_figure(rows, title, path):
    """Draw accuracies and times of metrics, in the colours of the metrics.

    Parameters
    ----------
    rows : sequence of Summary
        Summaries of the metrics.
    title : str
        Title.
    path : pathlib.Path
        File to write.

    Returns
    -------
    figure : matplotlib.figure.Figure
        What was written.
    """
    figure = Figure(figsize=(9.0, 1.6 + 0.5 * len(rows)), layout="constrained")
    figure.suptitle(title, fontsize=9, wrap=True)
    left, right = figure.subplots(1, 2, sharey=True, width_ratios=(2, 1))
    for place, row in enumerate(rows):
        values = 100 * np.array(row.accuracies)
        # Equal accuracies are seen as several dots.
        height = place + np.linspace(-0.15, 0.15, len(values))
        left.plot(values, height, "o", color="0.6", markersize=4)
        spread = 100 * row.std if len(values) > 1 else None
        color = METRIC_COLORS.get(row.metric, "black")
        mark = dict(fmt=METRIC_MARKERS.get(row.metric, "X"), color=color, capsize=4)
        left.errorbar(100 * row.mean, place, xerr=spread, zorder=3, **mark)
        right.barh(place, row.seconds_per_epoch, color=color, height=0.5)
    left.set_yticks(range(len(rows)), [row.metric.upper() for row in rows])
    left.set_ylim(len(rows) - 0.4, -0.6)
    left.set_xlabel("test accuracy (%): runs, mean and standard deviation")
    right.set_xlabel("seconds per epoch (median)")
    left.grid(axis="x", alpha=0.3)
    right.grid(axis="x", alpha=0.3)
    with replacing(path, mode="wb") as file:
        figure.savefig(file, format="png", dpi=150)
    return figure
