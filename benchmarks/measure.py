"""Time cells: forward, forward and backward, numpy, each against its floor."""

import statistics

import numpy as np
import torch

from geomstats_cor import kernels

from .cells import forward, forward_backward
from .rows import Row
from .timing import CPU, WALL, interleave, ratio, warm_up

_BOTH = "forward + backward"
_AGREEMENT = {"float64": 1e-9, "float32": 2e-2}


def measure(cell, dtype, clocks=(CPU, WALL), rounds=7, budget=2.0, numpy_too=True):
    """Return the rows of one cell.

    Parameters
    ----------
    cell : Cell
        Function and input.
    dtype : str
        Dtype.
    clocks : sequence of Clock
        Clocks.
    rounds : int
        Rounds.
    budget : float
        Seconds after which no further round begins; the second clock gets half.
    numpy_too : bool
        Whether to time numpy input as well.

    Returns
    -------
    rows : list of Row
        Measurements.
    """
    tensors = cell.tensors(dtype)
    tasks = cell.floors(dtype)
    tasks["forward"] = forward(cell.function, tensors)
    tasks[_BOTH] = forward_backward(cell.function, tensors)
    if "theta" in cell.units:
        tasks["theta"] = forward(kernels.theta, tensors)
        tasks["theta " + _BOTH] = forward_backward(kernels.theta, tensors)
    note = ""
    if numpy_too:
        arrays = tuple(x.numpy() for x in tensors)
        tasks["numpy"] = forward(cell.function, arrays)
        note = _agreement(tasks, dtype)
    with CPU.running():
        loops = warm_up(tasks)
    rows = []
    for place, clock in enumerate(clocks):
        if clock is WALL:
            tasks.pop("numpy", None)  # its target is one of CPU time
        times = interleave(tasks, clock, rounds, budget / (1 + place), loops)
        rows += _rows(cell, dtype, clock, times, note)
    return rows


def _agreement(tasks, dtype):
    """Check that numpy and torch agree, before they are compared."""
    with torch.no_grad():
        expected = tasks["forward"]().numpy()
    difference = np.abs(tasks["numpy"]() - expected).max() / np.abs(expected).max()
    if difference <= _AGREEMENT[dtype]:
        return ""
    return f"numpy and torch differ by {difference:.0e}"


def _rows(cell, dtype, clock, times, note):
    def row(quantity, unit, numerators, denominators, note=""):
        quotient = ratio(numerators, denominators, clock)
        return Row(
            cell.kind,
            cell.name,
            cell.n,
            cell.batch,
            dtype,
            quantity,
            unit,
            quotient.typical,
            quotient.low,
            quotient.high,
            clock.name,
            statistics.median(numerators),
            statistics.median(denominators),
            note,
        ).judged()

    backward = [b - f for b, f in zip(times[_BOTH], times["forward"], strict=True)]
    rows = []
    for unit in (cell.floor, *cell.units):
        of_both = "theta " + _BOTH if unit == "theta" else unit
        rows.append(row("forward", unit, times["forward"], times[unit]))
        rows.append(row(_BOTH, unit, times[_BOTH], times[of_both]))
        if unit != "theta":
            rows.append(row("backward", unit, backward, times[unit]))
    if "numpy" in times:
        rows.append(row("numpy", "torch", times["numpy"], times["forward"], note))
    return rows


def growth(rows):
    """Return the exponents of cost in n from 100 to 1000, above those of the floors.

    They are slopes of least squares through the medians of the times. An operation and
    its floor are timed in turn on the same batch, and the condition number of the
    matrices is the same at every size: what grows is the cost alone, not the number of
    steps that harder matrices would need. Batches are equal: the more points a mean
    has, the less it costs a point.
    """
    curves = {}
    for row in rows:
        if row.clock == "cpu" and row.quantity in ("forward", _BOTH) and row.n >= 100:
            key = row.name, row.batch, row.dtype, row.quantity, row.unit
            curves.setdefault(key, []).append(row)
    found = []
    for (name, batch, dtype, quantity, unit), points in curves.items():
        sizes = [row.n for row in points]
        if min(sizes) > 100 or max(sizes) < 1000 or unit == "theta":
            continue
        ours = _slope(sizes, [row.seconds for row in points])
        floor = _slope(sizes, [row.unit_seconds for row in points])
        found.append(
            Row(
                "growth",
                f"{name}, {quantity}",
                max(sizes),
                batch,
                dtype,
                "growth",
                "above the floor's",
                ours - floor,
                note=f"n^{ours:.2f}, {unit} n^{floor:.2f}",
            ).judged()
        )
    return found


def _slope(sizes, seconds):
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])
