"""
Swelling, and the way between two correlation matrices
======================================================

The entrywise average of two correlation matrices is a correlation matrix again, but
its determinant exceeds the geometric mean of theirs: correlations are lost. This is
swelling. A straight line that is continued past its ends leaves the correlation
matrices sooner or later. A geodesic of any of the five metrics never does, and each
metric has its own middle between two matrices.
"""

# %%
# Two matrices
# ------------
# Three variables. At the start the first two move together, at the end the last two;
# the determinants are small, and equal.

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from geomstats_cor import METRICS, FullRankCorrelationMatrices
from geomstats_cor.datasets import load_connectomes
from geomstats_cor.plotting import METRIC_COLORS, METRIC_MARKERS

parser = argparse.ArgumentParser(description="Swelling along geodesics.")
parser.add_argument(
    "--output",
    type=Path,
    default=Path("build/demo/swelling.png"),
    help="where to write the figure (default: %(default)s)",
)
args = parser.parse_args()

start = np.array([[1.0, 0.9, -0.3], [0.9, 1.0, -0.1], [-0.3, -0.1, 1.0]])
end = start[::-1, ::-1].copy()

# %%
# Geodesics beside the straight line
# ----------------------------------
# From time 0 to time 1 they interpolate, outside they extrapolate.

times = np.linspace(-0.3, 1.3, 161)
inside = (times >= 0.0) & (times <= 1.0)
step = times[:, None, None]
paths = {"straight line": (1.0 - step) * start + step * end}
for key in METRICS:
    space = FullRankCorrelationMatrices(3, equip=key)
    paths[key.upper()] = space.metric.geodesic(start, end)(times)

header = f"{'path':15}{'det in the middle':>18}{'entries in the middle':>26}"
print(header, "-" * len(header), sep="\n")
print(f"{'(both ends)':15}{np.linalg.det(start):18.3f}")
middle = np.argmin(np.abs(times - 0.5))
for name, path in paths.items():
    entries = path[middle][np.tril_indices(3, -1)]
    listed = "".join(f"{entry:8.3f}" for entry in entries)
    print(f"{name:15}{np.linalg.det(path[middle]):18.3f}  {listed}")

# %%
# Swelling of real matrices
# -------------------------
# Pairs of functional connectomes, 28 x 28. The logarithm of the determinant is concave,
# so the straight line swells between any two matrices; how much is the logarithm of
# the determinant in the middle minus its average over both ends.
#
# No metric of the five keeps determinants, and all of them swell here. The four flat
# ones swell less than the straight line, ECM and LECM least. PHCM swells more:
# geodesics of hyperbolic space bend towards the origin, which is the identity matrix,
# the more so the farther apart their ends are.

rng = np.random.default_rng(0)
connectomes = load_connectomes().correlations
first, second = rng.permuted(np.tile(np.arange(86), (400, 1)), axis=1)[:, :2].T
ends = 0.5 * sum(np.linalg.slogdet(connectomes[pick])[1] for pick in (first, second))


def middles(key):
    """Return the points in the middle of pairs of connectomes."""
    metric = FullRankCorrelationMatrices(28, equip=key).metric
    half = 0.5 * metric.log_coords(connectomes[second], connectomes[first])
    return metric.exp_coords(half, connectomes[first])


halfway = {"straight line": 0.5 * (connectomes[first] + connectomes[second])}
halfway |= {key.upper(): middles(key) for key in METRICS}
swelling = {
    name: np.linalg.slogdet(points)[1] - ends for name, points in halfway.items()
}
print(f"\n{'swelling':15}{'median':>8}{'5 %':>8}{'95 %':>8}")
for name, excess in swelling.items():
    low, mid, high = np.quantile(excess, [0.05, 0.5, 0.95])
    print(f"{name:15}{mid:8.2f}{low:8.2f}{high:8.2f}")

# %%
# The figure
# ----------
# The correlation matrices of three variables fill a body with a curved surface, the
# elliptope, drawn in its three entries.

palette = ["0.35", *METRIC_COLORS.values()]
dashes = ["--", "-", "-", "-", "-", "-"]
markers = ["X", *METRIC_MARKERS.values()]
styles = {
    name: {"color": color, "ls": dash, "marker": marker, "lw": 2.0, "ms": 6}
    for name, color, dash, marker in zip(paths, palette, dashes, markers, strict=True)
}


def elliptope(size=60):
    """Return the surface det C = 0 in spherical coordinates."""
    polar, azimuth = np.meshgrid(
        np.linspace(0.0, np.pi, size), np.linspace(0.0, 2.0 * np.pi, 2 * size)
    )
    direction = np.stack(
        [
            np.sin(polar) * np.cos(azimuth),
            np.sin(polar) * np.sin(azimuth),
            np.cos(polar),
        ]
    )
    hollow = np.zeros((*polar.shape, 3, 3))
    for (row, col), component in zip([(1, 0), (2, 0), (2, 1)], direction, strict=True):
        hollow[..., row, col] = hollow[..., col, row] = component
    # I + r H is singular first where r times the smallest eigenvalue of H is -1.
    return direction / -np.linalg.eigvalsh(hollow)[..., 0]


figure = plt.figure(figsize=(15.0, 9.0), layout="constrained")
left, right = figure.subfigures(1, 2, width_ratios=(1.0, 1.5))
body = left.add_subplot(projection="3d")
body.plot_surface(*elliptope(), color="0.8", alpha=0.15, lw=0, rstride=2, cstride=2)
for name, path in paths.items():
    line = {"color": styles[name]["color"], "ls": styles[name]["ls"], "lw": 2.5}
    body.plot(*path[inside][:, [1, 2, 2], [0, 0, 1]].T, **line)
for matrix, label, above in ((start, "start", -0.22), (end, "end", 0.1)):
    place = matrix[[1, 2, 2], [0, 0, 1]]
    body.scatter(*place, color="black", s=35)
    body.text(*(place + [0.0, 0.0, above]), label, fontsize=12, ha="center")
ticks = [-1, 0, 1]
body.set(xlabel="$C_{21}$", ylabel="$C_{31}$", zlabel="$C_{32}$")
body.set(xticks=ticks, yticks=ticks, zticks=ticks)
body.set_box_aspect((1, 1, 1), zoom=0.95)
body.view_init(elev=18, azim=-60)
body.set_title("paths in the elliptope", fontsize=12)

axes = right.subplot_mosaic(
    [["det", "C21"], ["eig", "C31"], ["swelling", "C32"]], height_ratios=(1, 1, 1.1)
)


def draw(ax, curve):
    """Draw a curve for each path, with markers that do not hide each other."""
    for offset, (name, path) in enumerate(paths.items()):
        every = (5 + 4 * offset, 30)
        ax.plot(times, curve(path), label=name, markevery=every, **styles[name])
    ax.axvspan(0.0, 1.0, color="0.93", lw=0, zorder=0)
    ax.set(xlim=(times[0], times[-1]))
    ax.grid(alpha=0.3)


draw(axes["det"], np.linalg.det)
axes["det"].set(ylim=(-0.12, None))
axes["det"].set_title("determinant")
draw(axes["eig"], lambda path: np.linalg.eigvalsh(path)[:, 0])
axes["eig"].set(ylim=(-0.12, None), xlabel="time")
axes["eig"].set_title("smallest eigenvalue")
for ax in (axes["det"], axes["eig"]):
    ax.axhspan(-0.12, 0.0, color="#CC79A7", alpha=0.25, lw=0)
    ax.text(0.5, -0.06, "no correlation matrices", ha="center", va="center")
for name, row, col in (("C21", 1, 0), ("C31", 2, 0), ("C32", 2, 1)):
    draw(axes[name], lambda path, row=row, col=col: path[:, row, col])
    axes[name].set_title(f"entry $C_{{{row + 1}{col + 1}}}$")
axes["C32"].set(xlabel="time (shaded: between start and end)")

boxes = axes["swelling"].boxplot(
    list(swelling.values()),
    tick_labels=[name.replace(" ", "\n") for name in swelling],
    patch_artist=True,
    whis=(5, 95),
    showfliers=False,
    widths=0.6,
    medianprops={"color": "black"},
)
for box, color in zip(boxes["boxes"], palette, strict=True):
    box.set(facecolor=color, alpha=0.8)
axes["swelling"].axhline(0.0, color="black", lw=0.8)
axes["swelling"].set_title("swelling between 400 pairs of connectomes")
axes["swelling"].set_ylabel("log det in the middle\n− average of the ends")
axes["swelling"].grid(alpha=0.3, axis="y")
for ax in axes.values():
    ax.title.set_fontsize(11)
right.legend(
    *axes["det"].get_legend_handles_labels(), loc="outside upper center", ncols=6
)

args.output.parent.mkdir(parents=True, exist_ok=True)
figure.savefig(args.output, dpi=130)
print(f"\nfigure: {args.output}")
