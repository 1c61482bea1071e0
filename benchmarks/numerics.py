"""Accuracy of the five metrics against arithmetic of many digits.

    python -m benchmarks.numerics

writes docs/figures/accuracy.svg, docs/figures/conditioning.svg and
docs/tables/numerics.md.
"""

import argparse
import datetime
import warnings
from dataclasses import dataclass
from pathlib import Path

import mpmath
import numpy as np
import torch

from geomstats_cor import METRICS, FullRankCorrelationMatrices

from .matrices import correlations_of_condition, tangent_vectors

DIGITS = 70
QUANTITIES = ("map", "differential", "distance", "round trip")


def exact(array):
    """Return an array of mpmath numbers."""
    return np.vectorize(mpmath.mpf, otypes=[object])(array)


def rounded(array):
    """Return an array of mpmath numbers in float64."""
    return np.vectorize(float, otypes=[np.float64])(array)


def theta(c):
    """Return Diag(L)^-1 L, by the algorithm of Cholesky."""
    n = len(c)
    factor = exact(np.zeros((n, n)))
    for i in range(n):
        for j in range(i + 1):
            rest = c[i, j] - sum(factor[i, k] * factor[j, k] for k in range(j))
            factor[i, j] = mpmath.sqrt(rest) if i == j else rest / factor[j, j]
    return factor / np.diagonal(factor)[:, None]


def log_theta(c):
    """Return log Theta(C), by the series of powers, which is finite."""
    strict = theta(c) - exact(np.eye(len(c)))
    power, total = strict, strict
    for k in range(2, len(c)):
        power = power @ strict
        total = total + (-1) ** (k - 1) * power / k
    return total


def sym_log(matrix):
    """Return the logarithm of a positive definite matrix."""
    values, vectors = mpmath.eigsy(mpmath.matrix(matrix.tolist()))
    vectors = np.array(vectors.tolist(), dtype=object)
    logs = np.array([mpmath.log(value) for value in values], dtype=object)
    return (vectors * logs) @ vectors.T


def off_log(c):
    """Return the logarithm without its diagonal."""
    return np.where(np.eye(len(c), dtype=bool), mpmath.mpf(0), sym_log(c))


def log_scaled(c):
    """Return log(D C D) with unit row sums of D C D.

    Newton's method with the damping of self-concordant functions, which stays positive,
    in float64; then without damping, in many digits.
    """
    matrix, x = rounded(c), np.ones(len(c))
    for _ in range(1000):
        scaled = x[:, None] * matrix * x + np.eye(len(x))
        residual = 1.0 - x * (matrix @ x)
        step = np.linalg.solve(scaled, residual)
        decrement = np.sqrt(max(residual @ step, 0.0))
        x = x * (1.0 + step / (1.0 + decrement))
        if decrement < 1e-3:
            break
    x = exact(x)
    for _ in range(12):
        jacobian = mpmath.matrix((c + np.diag(1 / x**2)).tolist())
        step = mpmath.lu_solve(jacobian, mpmath.matrix((1 / x - c @ x).tolist()))
        x = x + np.array(list(step), dtype=object)
    if min(x) <= 0 or max(abs(x * (c @ x) - 1)) > mpmath.mpf(10) ** (-DIGITS // 2):
        raise ArithmeticError("the scaling of the reference did not converge")
    return sym_log(x[:, None] * c * x)


def rows(c):
    """Return the strictly lower part of Theta(C)."""
    return theta(c) - exact(np.eye(len(c)))


def frobenius_dist(image_a, image_b):
    """Return the distance in a linear space."""
    return mpmath.sqrt(((image_a - image_b) ** 2).sum())


def hyperbolic_dist(image_a, image_b):
    """Return the distance of rows of space coordinates of hyperboloids."""
    total = mpmath.mpf(0)
    for a, b in zip(image_a, image_b, strict=True):
        times = mpmath.sqrt((1 + a @ a) * (1 + b @ b))
        total += mpmath.acosh(times - a @ b) ** 2
    return mpmath.sqrt(total)


REFERENCES = {
    # metric: the map, and the distance of two images
    "ecm": (theta, frobenius_dist),
    "lecm": (log_theta, frobenius_dist),
    "olm": (off_log, frobenius_dist),
    "lsm": (log_scaled, frobenius_dist),
    "phcm": (rows, hyperbolic_dist),
}


@dataclass
class Errors:
    """Relative errors of one metric at one condition number, the largest of all."""

    metric: str
    condition: float
    amplification: float
    float64: dict
    float32: dict


def measure(key, condition, n=8, number=3, seed=0):
    """Return the errors of a metric on matrices of a condition number.

    Parameters
    ----------
    key : str
        Metric.
    condition : float
        Condition number.
    n, number : int
        Size and number of the matrices.
    seed : int
        Seed.

    Returns
    -------
    errors : Errors
        Errors in units of the largest entry of what is exact, and the factor by which
        the map amplifies relative errors of the entries of a matrix.
    """
    points = correlations_of_condition(number, n, condition, seed=seed)
    others = correlations_of_condition(number, n, 10.0, seed=seed + 1)
    vectors = tangent_vectors(number, n, seed=seed + 2)
    errors = {"float64": [], "float32": []}
    amplifications = []
    for c, other, vector in zip(points, others, vectors, strict=True):
        for dtype, found in errors.items():
            given = [x.astype(dtype) for x in (c, other, vector)]
            if condition * np.finfo(dtype).eps > 0.1:  # rounding may make it singular
                found.append(dict.fromkeys(QUANTITIES, np.nan))
                continue
            found.append(_errors(key, *given))
        amplifications.append(_amplification(key, c, seed))
    worst = {
        dtype: {name: max(found[name] for found in all_found) for name in QUANTITIES}
        for dtype, all_found in errors.items()
    }
    return Errors(key, condition, max(amplifications), **worst)


def _errors(key, c, other, vector):
    """Return the errors for one matrix, whose entries are taken for exact.

    Tensors of torch, because numpy factorises float32 in float64.
    """
    metric = FullRankCorrelationMatrices(len(c), equip=key, check=False).metric
    c_t, other_t, vector_t = (torch.as_tensor(x) for x in (c, other, vector))
    with warnings.catch_warnings(), mpmath.workdps(DIGITS):
        warnings.simplefilter("ignore")  # of nearly singular matrices: they are meant
        reference, dist = REFERENCES[key]
        point, base, direction = (exact(x.astype(float)) for x in (c, other, vector))
        step = mpmath.mpf(10) ** (-DIGITS // 4)
        ahead, behind = (reference(point + s * step * direction) for s in (1, -1))
        image = reference(point)
        mapped = metric.diffeo(c_t)
        answers = {
            "map": (mapped, image),
            "differential": (
                metric.diffeo.tangent(vector_t, c_t),
                (ahead - behind) / 2 / step,
            ),
            "distance": (metric.dist(c_t, other_t), dist(image, reference(base))),
            "round trip": (metric.diffeo.inverse(mapped), point),
        }
        return {name: _relative(*pair) for name, pair in answers.items()}


def _amplification(key, c, seed):
    """Return how much the map enlarges relative errors of the entries."""
    rng = np.random.default_rng(seed)
    with mpmath.workdps(DIGITS):
        reference = REFERENCES[key][0]
        point, size = exact(c), mpmath.mpf(10) ** (-DIGITS // 3)
        image, worst = reference(point), 0.0
        for _ in range(3):
            signs = np.tril(rng.choice([-1.0, 1.0], c.shape), -1)
            moved = reference(point * (1 + size * exact(signs + signs.T)))
            change = float(np.abs(moved - image).max() / size)
            worst = max(worst, change / float(np.abs(image).max()))
    return worst


def _relative(actual, expected):
    actual = np.atleast_1d(exact(np.asarray(actual, float)))
    expected = np.atleast_1d(np.asarray(expected, dtype=object))
    return float(np.abs(actual - expected).max() / np.abs(expected).max())


def draw(results, folder):
    """Draw the errors, a panel a metric, and the amplifications."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    from geomstats_cor.plotting import METRIC_COLORS, METRIC_MARKERS

    plt.rcParams["svg.hashsalt"] = "numerics"  # the same file from the same numbers
    conditions = sorted({result.condition for result in results})
    figure, axes = plt.subplots(2, 3, figsize=(11, 6.6), sharex=True, sharey=True)
    styles = dict(
        zip(QUANTITIES, ("#0072B2", "#D55E00", "#009E73", "#CC79A7"), strict=True)
    )
    for key, axis in zip(METRICS, axes.flat, strict=False):
        own = [result for result in results if result.metric == key]
        for name, colour in styles.items():
            for dtype, line in (("float64", "-"), ("float32", ":")):
                values = [getattr(result, dtype)[name] for result in own]
                values = np.maximum(values, 1e-17)  # an error of zero has no logarithm
                axis.plot(conditions, values, line, color=colour, marker=".", ms=4)
        for dtype in (np.float64, np.float32):
            limit = [result.amplification * np.finfo(dtype).eps for result in own]
            axis.plot(conditions, limit, color="0.75", lw=5, zorder=0)
        axis.set(xscale="log", yscale="log", ylim=(1e-17, 10.0), title=key.upper())
        axis.grid(alpha=0.3)
    for axis in (*axes[1, :2], axes[0, 2]):
        axis.set_xlabel("condition number")
        axis.tick_params(labelbottom=True)
    for axis in axes[:, 0]:
        axis.set_ylabel("relative error")
    handles = [plt.Line2D([], [], color=c, label=name) for name, c in styles.items()]
    handles += [
        plt.Line2D([], [], color="0.3", label="float64"),
        plt.Line2D([], [], color="0.3", ls=":", label="float32"),
        plt.Line2D(
            [],
            [],
            color="0.75",
            lw=5,
            label="rounding of the entries alone,\nseen through the map",
        ),
    ]
    axes[1, 2].set_axis_off()
    axes[1, 2].legend(handles=handles, loc="center", frameon=False)
    figure.tight_layout()
    figure.savefig(folder / "accuracy.svg", metadata={"Date": None})

    figure, axis = plt.subplots(figsize=(6.5, 4.2))
    for key in METRICS:
        own = [result for result in results if result.metric == key]
        axis.plot(
            conditions,
            [result.amplification for result in own],
            color=METRIC_COLORS[key],
            marker=METRIC_MARKERS[key],
            label=key.upper(),
        )
    axis.set(xscale="log", yscale="log", xlabel="condition number of the matrix")
    axis.set_ylabel("amplification of relative errors")
    axis.grid(alpha=0.3)
    axis.legend()
    figure.tight_layout()
    figure.savefig(folder / "conditioning.svg", metadata={"Date": None})


def table(results, n, number):
    """Return the lines of a table in Markdown."""
    lines = [
        "<!-- python -m benchmarks.numerics -->",
        "",
        f"Largest relative errors over {number} matrices of size {n}, float64, and the "
        "amplification of relative errors by the map, "
        f"{datetime.date.today()}.",
        "",
        "| metric | condition number | amplification | "
        + " | ".join(QUANTITIES)
        + " |",
        "|---|" + "---:|" * (2 + len(QUANTITIES)),
    ]
    for result in results:
        if np.log10(result.condition) % 4 < 0.5 or result.condition == 1e2:
            errors = " | ".join(f"{result.float64[name]:.0e}" for name in QUANTITIES)
            lines.append(
                f"| {result.metric.upper()} | {result.condition:.0e} | "
                f"{result.amplification:.0e} | {errors} |"
            )
    return lines


def main():
    """Measure, draw, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--docs", type=Path, default=Path("docs"))
    parser.add_argument("--size", type=int, default=8)
    parser.add_argument("--number", type=int, default=3)
    parser.add_argument("--exponents", type=int, nargs="+", default=[*range(1, 13)])
    args = parser.parse_args()
    results = [
        measure(key, 10.0**exponent, args.size, args.number)
        for key in METRICS
        for exponent in args.exponents
    ]
    for name in ("figures", "tables"):
        (args.docs / name).mkdir(parents=True, exist_ok=True)
    draw(results, args.docs / "figures")
    lines = table(results, args.size, args.number)
    (args.docs / "tables" / "numerics.md").write_text("\n".join(lines) + "\n")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
