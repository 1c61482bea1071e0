"""Tables on the terminal and in Markdown, and the CSV file."""

import csv
import math
from dataclasses import astuple

from .rows import COLUMNS

_BOTH = "forward + backward"


def write_csv(rows, path):
    """Write all rows."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        writer.writerows(astuple(row) for row in rows)


def timing_table(rows, peers):
    """Return the lines of a table of one size and dtype, a cell a line."""
    found = {}
    for row in rows:
        found.setdefault(row.name, {})[row.quantity, row.unit, row.clock] = row
    slow = {row.name: row for row in peers}
    lines = [
        f"{'':26}{'floor':>6}{'fwd':>8}{'fwd+bwd':>9}{'wall fwd':>10}{'fwd+bwd':>9}"
        f"{'numpy':>8}{'geomstats':>11}  targets"
    ]
    for name, cells in found.items():
        floor = next(iter(cells))[1]
        values = [
            cells.get((quantity, unit, clock))
            for quantity, unit, clock in (
                ("forward", floor, "cpu"),
                (_BOTH, floor, "cpu"),
                ("forward", floor, "wall"),
                (_BOTH, floor, "wall"),
                ("numpy", "torch", "cpu"),
            )
        ]
        texts = [_number(row) for row in values]
        judged = [row for row in cells.values() if row.verdict]
        remarks = [_remark(row) for row in judged if row.quantity != "numpy"]
        remarks += [_remark(r) for r in judged if r.quantity == "numpy" and _missed(r)]
        remarks += [row.note for row in cells.values() if row.note]
        lines.append(
            f"{name:26}{floor:>6}{texts[0]:>8}{texts[1]:>9}{texts[2]:>10}{texts[3]:>9}"
            f"{texts[4]:>8}{_number(slow.get(name)):>11}  {'; '.join(remarks)}".rstrip()
        )
    return lines


def simple_table(rows):
    """Return the lines of a table of counts, of memory or of growth."""
    return [
        f"{row.name:40}n = {row.n:<5}{row.dtype:9}{row.value:8.2f} {row.unit:20}"
        f"{f'target {row.target:g}, {row.verdict}' if row.verdict else '':32}{row.note}"
        for row in rows
    ]


def peer_table(rows, ours):
    """Return the lines of a comparison with geomstats."""
    times = {
        (row.name, row.n): row
        for row in ours
        if row.quantity == "forward" and row.clock == "cpu" and row.dtype == "float64"
    }
    lines = []
    for row in rows:
        own = times.get((row.name, row.n))
        faster = ""
        if own is not None and math.isfinite(row.value):
            faster = f"{row.value / own.value:8.2f} x ours in torch"
        lines.append(
            f"{row.name:18}n = {row.n:<5}{_number(row):>10} {row.unit}{faster:24}  "
            f"{row.note}"
        )
    return lines


def summary(rows):
    """Return how many targets are reached, and the lines of those that are not."""
    judged = [row for row in rows if row.verdict]
    missed = sorted(
        (row for row in judged if _missed(row)),
        key=lambda row: row.value / row.target,
        reverse=True,
    )
    lines = [f"{len(judged) - len(missed)} of {len(judged)} targets reached"]
    for row in missed:
        lines.append(
            f"  ({row.section}) {row.name:28}n = {row.n:<5}{row.dtype:9}"
            f"{row.quantity:20}{row.value:8.2f} {row.unit:18}"
            f"target {row.target:<6g}{row.verdict}{_spread(row)}"
        )
    return lines


def _missed(row):
    return row.verdict.startswith("missed")


def _spread(row):
    if row.low is None:
        return ""
    if row.low == row.high:
        return " (one round)"
    within = ", within noise" if row.low <= row.target else ""
    return f" (quartiles {row.low:.2f} to {row.high:.2f}{within})"


def _remark(row):
    unit = "x theta's" if row.unit == "theta" else row.unit
    return (
        f"({row.section}) {row.quantity} {row.value:.2f} <= {row.target:g} {unit}: "
        f"{row.verdict}"
        if _missed(row)
        else f"({row.section}) {row.quantity} <= {row.target:g} {unit}: reached"
    )


def _number(row):
    if row is None:
        return "-"
    if math.isinf(row.value):
        return row.note.split(" at ")[0]
    if math.isnan(row.value):
        return "fails"
    text = f"{row.value:.2f}" if row.value < 100 else f"{row.value:.0f}"
    return text + "!" * row.note.endswith("wrong")


def markdown(header, rows):
    """Return the lines of a table."""
    lines = ["| " + " | ".join(header) + " |", "|---" * len(header) + "|"]
    return [*lines, *("| " + " | ".join(row) + " |" for row in rows), ""]
