"""What different numbers of frames do to means, dispersions and tests of groups.

    python -m benchmarks.frames [--output docs/figures/frames.svg]

Signals of one population: normal, with equal correlations of 0.4 between 20 variables.
The script prints how often tests at the level of 5 % reject the true hypothesis that
two groups of 20 matrices, recorded with 20 and with 24 frames, are alike; and draws
this together with the dispersion and the bias against the number of frames.
"""

import argparse
import warnings
from pathlib import Path

import matplotlib
import numpy as np

matplotlib.use("Agg")

import matplotlib.pyplot as plt  # noqa: E402

import geomstats_cor as gc  # noqa: E402
from geomstats_cor.exceptions import CleaningWarning  # noqa: E402
from geomstats_cor.inference import correlations_of_equal_frames  # noqa: E402
from geomstats_cor.plotting.palette import METRIC_COLORS, METRIC_MARKERS  # noqa: E402

N, SIZE, RUNS = 20, 20, 40
POPULATION = np.where(np.eye(N) == 1.0, 1.0, 0.4)
FRAMES = (24, 30, 40, 60, 100, 200, 400)
LABELS = np.repeat([0, 1], SIZE)
TESTS = {"means": gc.equal_means_test, "dispersions": gc.equal_dispersions_test}
GRAY, DARK = "#BBBBBB", "#332288"


def signals(lengths, rng):
    """Return signals of the population, one for each length."""
    root = np.linalg.cholesky(POPULATION)
    return [rng.standard_normal((length, N)) @ root.T for length in lengths]


def as_recorded(group):
    """Return the correlation matrices of signals as long as they are."""
    return np.stack([np.corrcoef(signal, rowvar=False) for signal in group])


def cleaned(points, on_bad):
    """Return matrices of full rank."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CleaningWarning)
        return gc.clean_points(points, on_bad)[0]


TREATMENTS = {
    "bad matrices alone repaired": lambda x: cleaned(as_recorded(x), "repair_each"),
    "all repaired alike": lambda x: cleaned(as_recorded(x), "repair"),
    "equal frames, all repaired alike": lambda x: cleaned(
        correlations_of_equal_frames(x), "repair"
    ),
}


def rejections(runs=RUNS, keys=("ecm", "lsm")):
    """Return the rejections of true hypotheses, by key, test and treatment."""
    counts = {
        (key, test, treatment): 0
        for key in keys
        for test in TESTS
        for treatment in TREATMENTS
    }
    for run in range(runs):
        recorded = signals(np.repeat([20, 24], SIZE), np.random.default_rng(run))
        for treatment, treat in TREATMENTS.items():
            points = treat(recorded)
            for key in keys:
                for name, test in TESTS.items():
                    found = test(points, LABELS, key, n_permutations=199, rng=run)
                    counts[key, name, treatment] += found.p_value <= 0.05
    return counts


def dispersion_and_bias(runs=200):
    """Return the Fréchet variance and the distance of the mean from the population."""
    rng = np.random.default_rng(0)
    found = {key: [] for key in gc.METRICS}
    for frames in FRAMES:
        points = as_recorded(signals([frames] * runs, rng))
        for key in gc.METRICS:
            space = gc.FullRankCorrelationMatrices(N, equip=key)
            mean = gc.frechet_mean(points, space)
            variance = gc.frechet_variance(points, space, mean)
            found[key].append((variance, space.metric.dist(mean, POPULATION)))
    return {key: np.array(values).T for key, values in found.items()}


def draw(counts, curves, path):
    """Draw the three panels.

    Parameters
    ----------
    counts, curves : dict
        What `rejections` and `dispersion_and_bias` returned.
    path : pathlib.Path
        File to write.
    """
    plt.rcParams.update({"svg.hashsalt": "frames", "svg.fonttype": "path"})
    figure, axes = plt.subplots(
        1, 3, figsize=(11, 3.6), layout="constrained", width_ratios=(1, 1, 1.25)
    )
    titles = ("Dispersion", "Bias", f"True hypotheses rejected, of {RUNS}")
    labels = ("Fréchet variance", "distance from the population")
    for panel, label in enumerate(labels):
        for key, values in curves.items():
            axes[panel].plot(
                FRAMES,
                values[panel],
                color=METRIC_COLORS[key],
                marker=METRIC_MARKERS[key],
                markersize=4,
                label=key.upper(),
            )
        axes[panel].set(xscale="log", yscale="log", xlabel="frames", ylabel=label)
        axes[panel].set_xticks(FRAMES, map(str, FRAMES))
        axes[panel].minorticks_off()
    axes[0].legend(frameon=False, fontsize=8)
    _bars(axes[2], counts)
    for axis, title in zip(axes, titles, strict=True):
        axis.set_title(title, fontsize=10)
        axis.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


def _bars(axis, counts):
    groups = list(dict.fromkeys((key, test) for key, test, _ in counts))
    colors = ("#CC79A7", DARK, GRAY)
    for i, (treatment, color) in enumerate(zip(TREATMENTS, colors, strict=True)):
        heights = [counts[key, test, treatment] for key, test in groups]
        places = np.arange(len(groups)) + 0.27 * (i - 1)
        bars = axis.bar(places, heights, 0.25, color=color, label=treatment)
        axis.bar_label(bars, fontsize=7)
    axis.axhline(0.05 * RUNS, color="black", linewidth=0.8, linestyle="--")
    axis.set_xticks(
        range(len(groups)), [f"{test}\n{key.upper()}" for key, test in groups]
    )
    axis.set_ylim(0, 1.45 * RUNS)
    axis.set_yticks(range(0, RUNS + 1, 10))
    axis.legend(frameon=False, fontsize=8, loc="upper left")


def main():
    """Print the rejections, and draw the figure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=Path("docs/figures/frames.svg"))
    path = parser.parse_args().output
    counts = rejections()
    for (key, test, treatment), count in counts.items():
        print(f"{key} equal {test}, {treatment}: {count} of {RUNS}")
    draw(counts, dispersion_and_bias(), path)


if __name__ == "__main__":
    main()
