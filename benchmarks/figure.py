"""Cost against matrix size, one panel per metric."""

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.lines import Line2D  # noqa: E402

from .cells import METRIC_FLOORS  # noqa: E402

# Okabe and Ito's colours, which the colour-blind tell apart.
_OURS, _PEER, _FLOOR = "#0072B2", "#D55E00", "#000000"
_STYLES = {"dist": ("-", "o"), "exp": ("--", "s"), "mean": (":", "^")}
_FLOOR_NAMES = {"chol": "Cholesky", "eigh": "eigendecomposition"}


def draw(rows, path, cap):
    """Draw CPU time per matrix against n, and save it.

    Parameters
    ----------
    rows : list of Row
        Measurements.
    path : pathlib.Path
        File to write.
    cap : float
        Seconds at which geomstats was stopped.
    """
    rows = [row for row in rows if row.dtype == "float64" and row.clock == "cpu"]
    ours = [row for row in rows if row.kind == "metric" and row.quantity == "forward"]
    peer = [row for row in rows if row.kind == "peer"]
    keys = [key for key in METRIC_FLOORS if any(_is_of(row, key) for row in ours)]
    if not keys:
        return
    lines = 1 + len(keys) // 3  # one panel more, for the legend
    figure, axes = plt.subplots(
        lines,
        3,
        figsize=(11, 3.5 * lines),
        sharex=True,
        sharey=True,
        squeeze=False,
        layout="constrained",
    )
    panels = list(axes.flat)
    sizes = sorted({row.n for row in rows})
    for key, axis in zip(keys, panels, strict=False):
        _panel(axis, key, ours, peer, cap)
        axis.set_xscale("log")
        axis.set_yscale("log")
        axis.set_xticks(sizes, [str(n) for n in sizes])
        axis.minorticks_off()
        axis.grid(True, color="0.9", linewidth=0.6)
        axis.set_axisbelow(True)
        for side in ("top", "right"):
            axis.spines[side].set_visible(False)
    for place, axis in enumerate(panels[: len(keys)]):
        if place % 3 == 0:
            axis.set_ylabel("CPU time per matrix (s)")
        if place + 3 >= len(keys):
            axis.set_xlabel("matrix size n")
            axis.tick_params(labelbottom=True)
    for axis in panels[len(keys) :]:
        axis.set_axis_off()
    _legend(panels[len(keys)], cap)
    figure.suptitle("Cost of the metrics: float64, one thread", fontsize=12)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)
    plt.close(figure)


def _is_of(row, key):
    return row.name.split()[0] == key


def _panel(axis, key, ours, peer, cap):
    for operation, (line, marker) in _STYLES.items():
        name = f"{key} {operation}"
        points = [(r.n, r.seconds / r.batch) for r in ours if r.name == name]
        _curve(axis, points, _OURS, line, marker)
        found = [r for r in peer if r.name == name]
        points = [(r.n, r.seconds / r.batch) for r in found if r.seconds]
        _curve(axis, points, _PEER, line, marker)
        wrong = [(r.n, r.seconds / r.batch) for r in found if r.note.endswith("wrong")]
        if wrong:
            axis.plot(*zip(*wrong, strict=True), "x", color=_FLOOR, ms=7, zorder=4)
        stopped = [(r.n, cap / r.batch) for r in found if r.value == float("inf")]
        if stopped:
            axis.plot(*zip(*stopped, strict=True), "^", color=_PEER, mfc="none", ms=9)
    floor = [(r.n, r.unit_seconds / r.batch) for r in ours if r.name == f"{key} exp"]
    _curve(axis, floor, _FLOOR, "-", "")
    axis.set_title(
        f"{key.upper()} (floor: {_FLOOR_NAMES[METRIC_FLOORS[key]]})", size=10
    )


def _curve(axis, points, colour, line, marker):
    if points:
        sizes, seconds = zip(*sorted(points), strict=True)
        axis.plot(
            sizes, seconds, line, color=colour, marker=marker, ms=4.5, linewidth=1.5
        )


def _legend(axis, cap):
    handles = [
        Line2D([], [], color=_OURS, lw=3, label="geomstats-cor (torch)"),
        Line2D([], [], color=_PEER, lw=3, label="geomstats (numpy)"),
        Line2D([], [], color=_FLOOR, lw=1.5, label="floor: one factorisation"),
        Line2D([], [], color="none", label=" "),
    ]
    handles += [
        Line2D([], [], color="0.35", ls=line, marker=marker, ms=5, label=operation)
        for operation, (line, marker) in _STYLES.items()
    ]
    alone = {"ls": "", "mfc": "none"}
    stopped = f"stopped: more than {cap:g} s a batch"
    handles += [
        Line2D([], [], color=_FLOOR, marker="x", ms=7, **alone, label="wrong answer"),
        Line2D([], [], color=_PEER, marker="^", ms=9, **alone, label=stopped),
    ]
    axis.legend(handles=handles, loc="center", frameon=False, fontsize=10)
