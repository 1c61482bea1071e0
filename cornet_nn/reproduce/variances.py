"""The two analyses of diagonal variance, on the channels of HDM05 and FPHA."""

from dataclasses import replace

import numpy as np

from .diagonal_variance import (
    coefficient_of_variation,
    diagonal_ratio,
    draw_histograms,
)
from .published import Published
from .report import Cell
from .settings import options_notes
from .sources import Absent, find_data, taken_options

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
        where = (data, "channels", options.data)
        dataset = find_data(*where, options.quiet, options.loader)
        if isinstance(dataset, Absent):
            rows[data] = [replace(cell, note=dataset.reason) for cell in outline]
            continue
        inputs = dataset.inputs
        values = measure(inputs if inputs.ndim == 4 else inputs[:, None])
        options.output.mkdir(parents=True, exist_ok=True)
        path = options.output / f"{table}-{data}.png"
        draw_histograms(values, f"{data}: {label}", label.split(" of ")[0], path)
        quantiles = np.quantile(values, (0.1, 0.5, 0.9))
        within = 100.0 * np.mean((values >= low) & (values <= high))
        taken = taken_options(*where, options.loader)
        notes = [f"histograms in {path.name}", *options_notes(options.loader, taken)]
        rows[data] = [
            replace(cell, mean=float(value), runs=1, note=", ".join(notes))
            for cell, value in zip(outline, (*quantiles, within), strict=True)
        ]
    return [cell for cells in zip(*rows.values(), strict=True) for cell in cells]


def _outline(table, data, low, high):
    """Return the cells without our numbers; "most" of the paper is left as a range."""
    ends = {"10 % quantile": low, "90 % quantile": high}
    names = ("10 % quantile", "median", "90 % quantile", "% within the paper's range")
    return [
        Cell(
            name,
            data,
            Published(table, name, data, ends[name], None, None)
            if name in ends
            else None,
        )
        for name in names
    ]
