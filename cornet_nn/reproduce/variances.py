r"""The two analyses of diagonal variance, on the channels of HDM05 and FPHA.

Two numbers for each covariance matrix, as in the appendix "Analysis of covariance
versus correlation" of [C2026]_: the coefficient of variation of the diagonal,

.. math:: \mathrm{CV} = \frac{\operatorname{std}(v)}{\operatorname{mean}(v) + 10^{-8}},
          \qquad v = (\Sigma_{11}, \dots, \Sigma_{nn}),

and the ratio :math:`R = D / O` of the mean magnitude of diagonal entries to that of
off-diagonal ones.

References
----------
.. [C2026] Z. Chen, X. Wu, B. Schölkopf and N. Sebe. Riemannian networks over full-rank
   correlation matrices. ICML 2026.
"""

from dataclasses import replace

import numpy as np

from .._files import replacing
from .published import Published
from .report import Cell, options_notes
from .sources import find_data

_EPSILON = 1e-8  # that of the paper


def coefficient_of_variation(covariance):
    """Return the coefficients of variation of diagonals.

    Parameters
    ----------
    covariance : array, shape=[..., n, n]
        Covariance matrices.

    Returns
    -------
    coefficient : array, shape=[...]
        Population standard deviation over mean.

    Examples
    --------
    >>> import numpy as np
    >>> round(float(coefficient_of_variation(np.diag([1.0, 3.0]))), 6)
    0.5
    """
    variances = np.diagonal(covariance, axis1=-2, axis2=-1)
    return variances.std(-1) / (variances.mean(-1) + _EPSILON)


def diagonal_ratio(covariance):
    """Return the ratios of diagonal to off-diagonal magnitudes.

    Parameters
    ----------
    covariance : array, shape=[..., n, n]
        Covariance matrices.

    Returns
    -------
    ratio : array, shape=[...]
        Mean magnitude of diagonal entries over that of off-diagonal entries; infinite
        for a diagonal matrix.

    Examples
    --------
    >>> import numpy as np
    >>> round(float(diagonal_ratio(np.array([[2.0, -1.0], [-1.0, 4.0]]))), 6)
    3.0
    """
    n = covariance.shape[-1]
    magnitudes = np.abs(covariance)
    diagonal = np.trace(magnitudes, axis1=-2, axis2=-1)
    rest = magnitudes.sum((-2, -1)) - diagonal
    with np.errstate(divide="ignore"):
        return np.divide(diagonal / n, rest / (n * (n - 1)))


def draw_histograms(values, title, label, path):
    """Draw a histogram for each channel.

    Parameters
    ----------
    values : array, shape=[N, channels]
        A number for each channel of each item.
    title, label : str
        Title of the figure, and of the horizontal axis.
    path : path-like
        File to write, a PNG.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    channels = values.shape[1]
    figure = Figure(figsize=(2.6 * channels, 2.6), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(1, channels, squeeze=False, sharex=True, sharey=True)[0]
    shown = values[np.isfinite(values).all(-1)]
    bins = np.histogram_bin_edges(shown, bins=40)
    for channel, axis in enumerate(axes):
        axis.hist(shown[:, channel], bins=bins)
        axis.axvline(np.median(shown[:, channel]), color="black", linewidth=1.0)
        axis.set_title(f"channel {channel}" if channels > 1 else "")
        axis.set_xlabel(label)
    axes[0].set_ylabel("items")
    figure.suptitle(f"{title}; the line is the median")
    with replacing(path, mode="wb") as file:
        figure.savefig(file, format="png", dpi=120)


# Between which numbers most values lie, by the text of the paper.
_ANALYSES = {
    "variation": (
        coefficient_of_variation,
        "coefficient of variation of the diagonal",
        {"FPHA": (0.8, 2.0), "HDM05": (1.0, 3.0)},
    ),
    "ratio": (
        diagonal_ratio,
        "ratio of diagonal to off-diagonal entries",
        {"FPHA": (1.7, 3.0), "HDM05": (2.0, 6.0)},
    ),
}


def variance_cells(table, options):
    """Compute an analysis of diagonal variance, and draw its histograms.

    Parameters
    ----------
    table : {"variation", "ratio"}
        Name of the analysis.
    options : Options
        Options.

    Returns
    -------
    cells : list of Cell
        For each data set the 10, 50 and 90 per cent quantiles over samples and
        channels, and the part of the values, in per cent, within the range that the
        paper names.
    """
    measure, label, ranges = _ANALYSES[table]
    rows = {}
    for data, (low, high) in ranges.items():
        if options.only and data not in options.only:
            continue
        outline = _outline(table, data, low, high)
        how = options.data, options.quiet, options.loader
        dataset, taken, reason = find_data(data, "channels", *how)
        if reason:
            rows[data] = [replace(cell, note=reason) for cell in outline]
            continue
        inputs = dataset.inputs
        values = measure(inputs if inputs.ndim == 4 else inputs[:, None])
        path = options.output / f"{table}-{data}.png"
        draw_histograms(values, f"{data}: {label}", label.split(" of ")[0], path)
        quantiles = np.quantile(values, (0.1, 0.5, 0.9))
        within = 100.0 * np.mean((values >= low) & (values <= high))
        notes = [f"histograms in {path.name}", *options_notes(options.loader, taken)]
        rows[data] = [
            replace(cell, mean=float(value), runs=1, note=", ".join(notes))
            for cell, value in zip(outline, (*quantiles, within), strict=True)
        ]
    return [cell for cells in zip(*rows.values(), strict=True) for cell in cells]


def _outline(table, data, low, high):
    """Return the cells without our numbers; "most" of the paper is left as a range."""
    names = ("10 % quantile", "median", "90 % quantile", "% within the paper's range")
    return [
        Cell(name, data, end and Published(table, name, data, end, None, None))
        for name, end in zip(names, (low, None, high, None), strict=True)
    ]
