r"""How much the variances of covariance matrices vary, and how large they are.

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

import numpy as np

from .._files import replacing

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
