"""Random odd inputs to the public functions: what comes back, and what is raised.

Each trial takes a public function with good arguments, replaces one of them by an odd
variant, and judges the outcome:

- right: the variant means the same as the good argument (a list, another memory
  layout, a data frame, ...), and the result is the same;
- typed: an error of this library, or a TypeError or ValueError of scikit-learn;
- silent: a result although the variant is wrong, or another result than the right one;
- untyped: any other error.

    python -m benchmarks.odd_inputs [number of trials] [seed]

It ends with status 1 if there is anything silent or untyped.
"""

import collections
import sys
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse

import geomstats_cor as gc
from geomstats_cor import inference, learning
from geomstats_cor.exceptions import GeomstatsCorError

N, COUNT = 4, 6
RAISES = object()


@dataclass(frozen=True)
class Function:
    """A public function, and what its arguments are."""

    name: str
    call: Any
    kinds: dict  # argument: "points", "point", "vectors", "vector", "rows", ...
    reads_nan: bool = False  # whether a matrix that is no point is good input
    typed: tuple = ()  # further errors that are documented


def good_arguments(function, rng):
    """Return arguments that every function takes, by their kinds."""
    space = gc.FullRankCorrelationMatrices(N, equip=False)
    points = space.random_point(COUNT, eta=2.0, rng=rng)
    vectors = space.random_tangent_vec(points, rng=rng)
    scale = rng.uniform(0.5, 2.0, (COUNT, N))
    made = {
        "points": points,
        "point": points[0],
        "vectors": 0.3 * vectors,
        "vector": 0.3 * vectors[0],
        "covariances": scale[:, :, None] * points * scale[:, None, :],
        "rows": points[:, *np.tril_indices(N, -1)],
        "coords": rng.standard_normal((COUNT, N * (N - 1) // 2)),
        "weights": rng.uniform(0.5, 1.0, COUNT),
        "labels": np.arange(COUNT) % 2,
        "times": np.arange(COUNT, dtype=float),
        "signals": rng.standard_normal((COUNT, N, 30)),
    }
    return {name: made[kind] for name, kind in function.kinds.items()}


# --- odd variants: (value, whether it means the same) ---------------------------------


def same(x, rng):
    """Return what means the same as an array of numbers."""
    import pandas

    choices = {
        "list": lambda: x.tolist(),
        "tuple": lambda: tuple(x.tolist()),
        "list of arrays": lambda: list(x),
        "fortran order": lambda: np.asfortranarray(x),
        "negative strides": lambda: np.ascontiguousarray(x[::-1])[::-1],
        "read-only": lambda: _read_only(x),
        "big endian": lambda: x.astype(">f8"),
        "not contiguous": lambda: np.repeat(x, 2, axis=0)[::2],
        "object that converts": lambda: _Convertible(x),
    }
    if x.ndim >= 2 and x.shape[-1] == x.shape[-2]:
        choices["rounding"] = lambda: x + 1e-15 * rng.standard_normal(x.shape)
    if x.ndim == 3 and x.shape[-1] == x.shape[-2]:
        names = list("dbca")
        choices["data frames"] = lambda: [
            pandas.DataFrame(m, index=names, columns=names).loc[
                p := list(rng.permutation(names)), p
            ]
            if i
            else pandas.DataFrame(m, index=names, columns=names)
            for i, m in enumerate(x)
        ]
        choices["blocks"] = lambda: pandas.concat(
            [pandas.DataFrame(m, index=names, columns=names) for m in x],
            keys=range(len(x)),
        )
    return choices


def wrong(x, rng, kind):
    """Return what has no meaning in the place of an array of numbers."""

    def entry(value):
        def change():
            y = x.copy()
            y[tuple(int(rng.integers(k)) for k in y.shape)] = value
            return y

        return change

    choices = {
        "None": lambda: None,
        "masked": lambda: np.ma.masked_array(x, rng.uniform(size=x.shape) < 0.1),
        "list of masked": lambda: [np.ma.masked_array(m, m > 0.0) for m in x],
        "sparse": lambda: scipy.sparse.csr_array(x.reshape(len(x), -1)),
        "complex": lambda: x.astype(complex),
        "list of complex": lambda: list(x * (1 + 1j)),
        "strings": lambda: x.astype(str),
        "string": lambda: "correlations",
        "objects": lambda: np.full(x.shape, object()),
        "dict": lambda: {"a": x},
        "set": lambda: {1.0, 2.0},
        "function": lambda: lambda: x,
        "ragged": lambda: [[1.0, 0.5], [0.5]],
        "huge integers": lambda: [[10**400]],
        "dates": lambda: np.full(x.shape, np.datetime64("2026-01-01")),
        "structured": lambda: np.zeros(x.shape, dtype=[("a", float)]),
        "another axis": lambda: x[..., None],
        "number": lambda: 0.5,
        "NaN": entry(np.nan),
        "infinity": entry(-np.inf),
        "huge": entry(1e300),
    }
    if kind in ("points", "point", "vectors", "vector", "covariances"):
        choices |= {
            "not square": lambda: x[..., :-1],
            "another size": lambda: np.zeros((*x.shape[:-2], 5, 5)) + np.eye(5),
            "asymmetric": lambda: x + 0.1 * rng.uniform(1, 2) * np.triu(np.ones(N), 1),
            "flattened": lambda: x.reshape(-1),
        }
    if kind in ("points", "point"):
        choices |= {
            "covariance": lambda: 2.0 * x,
            "tiny": lambda: 1e-300 * x,
            "indefinite": lambda: np.where(np.eye(N) == 1.0, 1.0, 3.0 * x),
            "singular": lambda: np.ones_like(x),
            "zeros": lambda: np.zeros_like(x),
            "negative": lambda: -x,
            "integers": lambda: np.round(2 * x).astype(int),
            "half precision": lambda: x.astype(np.float16),
            "boolean": lambda: x > 0.0,
        }
    if kind in ("vectors", "vector"):
        choices["with a diagonal"] = lambda: x + 0.5 * np.eye(N)
    if kind == "covariances":
        choices |= {
            "indefinite": lambda: np.where(np.eye(N) == 1.0, x, 9.0),
            "zeros": lambda: np.zeros_like(x),
            "tiny": lambda: 0.0 * x + 5e-324 * np.eye(N),
            "negative": lambda: -x,
        }
    if kind == "points":
        choices["single"] = lambda: x[0]
        choices["empty"] = lambda: x[:0]
    if kind == "rows":
        choices |= {
            "rows with ones": lambda: np.hstack([np.ones((COUNT, 1)), x[:, 1:]]),
            "too short": lambda: x[:, :-1],
            "rows of matrices": lambda: np.tile(np.eye(6), (2, 1)),
        }
    if kind in ("weights", "times", "labels", "coords"):
        choices["too few"] = lambda: x[..., :-1]
    if kind == "weights":
        choices["negative"] = lambda: -x
        choices["zeros"] = lambda: 0.0 * x
    if kind == "labels":
        # Numbers, words and dates are labels like others.
        for name in ("huge", "infinity", "strings", "dates", "complex", "objects"):
            choices.pop(name)
        choices.pop("list of complex")
        choices["one group"] = lambda: 0 * x
        choices["NaN"] = lambda: np.where(x == 0, np.nan, 1.0)
        choices["nested"] = lambda: [x, x]
        choices.pop("another axis")
    if kind == "coords":
        choices.pop("huge")
    if kind == "times":
        for name in ("huge", "strings"):
            choices.pop(name)
    return choices


def _read_only(x):
    y = x.copy()
    y.flags.writeable = False
    return y


class _Convertible:
    def __init__(self, values):
        self._values = values

    def __array__(self, dtype=None, copy=None):
        return np.array(self._values, dtype=dtype)


# --- functions ------------------------------------------------------------------------


def functions():
    """Return the public functions of geomstats_cor that take arrays."""
    points = {"points": "points"}
    grouped = {"points": "points", "labels": "labels"}
    found = []
    for key in gc.METRICS:
        space = gc.FullRankCorrelationMatrices(N, equip=key)
        metric = space.metric
        named = {
            "dist": {"point_a": "points", "point_b": "point"},
            "squared_dist": {"point_a": "point", "point_b": "points"},
            "log": {"point": "points", "base_point": "point"},
            "exp": {"tangent_vec": "vectors", "base_point": "points"},
            "inner_product": {
                "tangent_vec_a": "vectors",
                "tangent_vec_b": "vector",
                "base_point": "points",
            },
            "norm": {"vector": "vectors", "base_point": "points"},
            "to_coords": {"point": "points"},
            "from_coords": {"coords": "coords"},
            "log_coords": {"point": "points", "base_point": "point"},
            "exp_coords": {"coords": "coords", "base_point": "point"},
            "dist_pairwise": {"points": "points"},
            "dist_broadcast": {"point_a": "points", "point_b": "points"},
            "metric_matrix": {"base_point": "points"},
        }
        # A single matrix or an empty batch is good input of a method that broadcasts.
        for name, kinds in named.items():
            broadcasts = name not in ("dist_pairwise", "dist_broadcast")
            kinds = {
                k: "batch" if v == "points" and broadcasts else v
                for k, v in kinds.items()
            }
            found.append(Function(f"{key} {name}", getattr(metric, name), kinds))

        def with_space(function, space=space, **options):
            return lambda **kw: function(**kw, space=space, **options)

        weighted = {"points": "points", "weights": "weights"}
        for name in (
            "frechet_mean",
            "frechet_variance",
            "geometric_median",
            "trimmed_mean",
        ):
            found.append(
                Function(f"{key} {name}", with_space(getattr(gc, name)), weighted)
            )
        for name in ("equal_means_test", "equal_dispersions_test", "frechet_anova"):
            call = with_space(getattr(gc, name), n_permutations=9, rng=0, alpha=0.5)
            found.append(Function(f"{key} {name}", call, grouped))
        call = with_space(gc.mean_test, n_permutations=9, rng=0, alpha=0.5)
        found.append(
            Function(f"{key} mean_test", call, {"points": "points", "mean": "point"})
        )
        call = with_space(
            gc.confidence_region, method="bootstrap", n_resamples=19, rng=0
        )
        found.append(Function(f"{key} confidence_region", call, points))
        timed = {"points": "points", "times": "times"}
        found.append(
            Function(f"{key} smooth", with_space(learning.smooth, bandwidth=2.0), timed)
        )
        call = with_space(learning.interpolate, at=[0.5, 2.5])
        found.append(Function(f"{key} interpolate", call, timed))
        call = with_space(learning.kernel_matrix, sigma=1.0)
        kinds = {"points_a": "points", "points_b": "points"}
        found.append(Function(f"{key} kernel_matrix", call, kinds))
        call = with_space(learning.GaussianDistribution.fit, shrinkage=0.5)
        found.append(Function(f"{key} GaussianDistribution", call, points))
        found.append(
            Function(
                f"{key} ToCoords",
                lambda X, key=key: learning.ToCoords(key).fit_transform(X),
                {"X": "points"},
                typed=(ValueError, TypeError),
            )
        )
        found.append(
            Function(
                f"{key} ToCoords of rows",
                lambda X, key=key: learning.ToCoords(key).fit_transform(X),
                {"X": "rows"},
                typed=(ValueError, TypeError),
            )
        )
        found.append(
            Function(
                f"{key} MinimumDistanceToMean",
                lambda X, y, key=key: (
                    learning.MinimumDistanceToMean(key).fit(X, y).predict(X)
                ),
                {"X": "points", "y": "labels"},
                typed=(ValueError, TypeError),
            )
        )
        found.append(
            Function(
                f"{key} GeodesicRegression",
                lambda y, key=key: (
                    learning.GeodesicRegression(key)
                    .fit(np.arange(COUNT)[:, None], y)
                    .predict([[1.5]])
                ),
                {"y": "points"},
                typed=(ValueError, TypeError),
            )
        )
    space = gc.FullRankCorrelationMatrices(N, equip=False)
    found += [
        Function("as_stack", lambda X: gc.as_stack(X), {"X": "rows"}, reads_nan=True),
        Function("clean_points", lambda points: gc.clean_points(points)[0], points),
        Function("from_covariance", space.from_covariance, {"point": "covariances"}),
        Function("cor_inversion", space.cor_inversion, {"point": "batch"}),
        Function(
            "partial_correlations", space.partial_correlations, {"point": "batch"}
        ),
        Function("match_frames", _match_frames, {"labels": "labels"}),
        Function(
            "correlations_of_equal_frames",
            lambda signals: inference.correlations_of_equal_frames(signals),
            {"signals": "signals"},
        ),
    ]
    return found


def _match_frames(labels):
    return inference.match_frames(labels, np.full(COUNT, 20), rng=0)


def layers():
    """Return the layers of cornet_nn as functions, if torch is installed."""
    try:
        import torch

        import cornet_nn
    except ImportError:
        return []
    found = []
    for key in gc.METRICS:
        space = gc.FullRankCorrelationMatrices(N, equip=key)
        torch.manual_seed(0)
        modules = {
            "CorMLR": cornet_nn.CorMLR(space, 3, dtype=torch.float64),
            "CorFC": cornet_nn.CorFC(space, space, dtype=torch.float64),
            "TangentActivation": cornet_nn.TangentActivation(space, torch.tanh),
        }
        for name, module in modules.items():
            found.append(Function(f"{key} {name}", module, {"": "batch"}))
    fronts = {
        "ToCorrelation": cornet_nn.ToCorrelation(),
        "MatrixPower": cornet_nn.MatrixPower(0.5),
    }
    found += [Function(name, f, {"": "covariances"}) for name, f in fronts.items()]
    return found


def tensor_variants(x, rng, kind):
    """Return odd inputs of a layer: (name, value, whether it means the same)."""
    import torch

    tensor = torch.as_tensor(x)
    good = {
        "requires grad": tensor.clone().requires_grad_(),
        "not contiguous": tensor.mT.contiguous().mT,
        "parameter": torch.nn.Parameter(tensor.clone()),
    }
    bad = {
        "None": None,
        "numpy": x,
        "list": x.tolist(),
        "single precision" if kind == "batch" else "integer": (
            tensor.float() if kind == "batch" else tensor.long()
        ),
        "integers": tensor.long(),
        "complex": tensor.to(torch.complex128),
        "sparse": tensor.to_sparse(),
        "another size": torch.eye(N + 1, dtype=torch.float64).expand(2, 5, 5),
        "not square": tensor[..., :-1],
        "flattened": tensor.reshape(-1),
        "number": torch.tensor(1.0, dtype=torch.float64),
    }
    if kind == "covariances":
        bad.pop("another size")
    odd = wrong(x, rng, "points" if kind == "batch" else kind)
    for name in ("NaN", "infinity", "asymmetric", "indefinite", "zeros", "negative"):
        bad[name] = torch.as_tensor(odd[name]())
    if kind == "batch":
        bad["covariance"] = 2.0 * tensor
        bad["singular"] = torch.ones_like(tensor)
    return good, bad


# --- judging --------------------------------------------------------------------------


def numbers(result):
    """Return what can be compared of a result."""
    if hasattr(result, "p_value"):
        return np.array([result.statistic, result.p_value])
    if hasattr(result, "radius"):
        return np.array([result.radius])
    if hasattr(result, "covariance"):
        return np.asarray(result.covariance)
    if hasattr(result, "detach"):
        return result.detach().numpy()
    return np.asarray(result, dtype=float)


def judge(function, arguments, expected):
    """Call a function; return the verdict and what it rests on."""
    typed = (GeomstatsCorError, *function.typed)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = (
                function.call(*arguments)
                if "" in function.kinds
                else (function.call(**arguments))
            )
    except typed as error:
        if expected is RAISES:
            return "typed", type(error).__name__
        return "typed", f"refused: {type(error).__name__}"
    except Exception as error:
        return "untyped", f"{type(error).__name__}: {str(error)[:100]}"
    if expected is RAISES:
        return "silent", f"returned {str(result)[:60]!r}"
    actual = numbers(result)
    if actual.shape == expected.shape and np.allclose(
        actual, expected, rtol=1e-6, atol=1e-7
    ):
        return "right", ""
    return "silent", "another result"


def call(function, arguments):
    """Call a function with good arguments."""
    if "" in function.kinds:
        import torch

        return numbers(function.call(torch.as_tensor(arguments[""])))
    return numbers(function.call(**arguments))


def is_harmless(function, kind, name):
    """Tell whether a variant that is wrong elsewhere is good input here."""
    if "TangentActivation" in function.name and name == "single precision":
        return True  # it has no parameters
    if kind == "batch":  # any batch shape is good
        return name in ("single", "empty")
    if function.reads_nan:  # as_stack reads numbers, whatever they are
        return name in ("NaN", "infinity", "huge")
    if kind == "weights":
        return name in ("huge", "boolean", "None")
    if kind == "covariances":
        return name == "another size"
    if kind == "signals":
        return name == "huge"
    if kind == "labels":
        with_one = "match_frames" in function.name or "Minimum" in function.name
        return name == "structured" or (with_one and name == "one group")
    if name == "another size" and function.name == "clean_points":
        return True
    if function.typed:  # estimators take matrices of any size
        return name == "another size" or name == "strings"
    if name == "empty":
        return any(k in function.name for k in ("kernel_", " dist_", "clean_points"))
    return False


def trials(number, seed=0):
    """Yield the name of a trial, its verdict and its reason, again and again."""
    rng = np.random.default_rng(seed)
    plain, torch_layers = functions(), layers()
    for trial in range(number):
        with_torch = torch_layers and trial % 5 == 0
        pool = torch_layers if with_torch else plain
        function = pool[rng.integers(len(pool))]
        kinds = function.kinds
        made = {**kinds, **{k: "points" for k, v in kinds.items() if v == "batch"}}
        arguments = good_arguments(Function(function.name, function.call, made), rng)
        name = list(kinds)[rng.integers(len(kinds))]
        kind, x = kinds[name], arguments[name]
        if with_torch:
            good, bad = tensor_variants(x, rng, kind)
        else:
            good = {} if kind == "labels" else same(x, rng)
            bad = wrong(x, rng, made[name])
        bad = {k: v for k, v in bad.items() if not is_harmless(function, kind, k)}
        options = [*((k, True) for k in good), *((k, False) for k in bad)]
        variant, means_the_same = options[rng.integers(len(options))]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = call(function, arguments) if means_the_same else RAISES
            value = good[variant] if means_the_same else bad[variant]
            value = value if with_torch else value()
        odd = [value] if with_torch else {**arguments, name: value}
        label = f"{function.name}({name or 'input'} {variant})"
        yield label, *judge(function, odd, expected)


def main(number=2500, seed=0):
    """Print the counts, and everything silent or untyped."""
    counts, failures, refused = collections.Counter(), {}, collections.Counter()
    for label, verdict, reason in trials(number, seed):
        counts[verdict] += 1
        if verdict in ("silent", "untyped"):
            failures[label] = f"{verdict}: {reason}"
        if reason.startswith("refused"):
            refused[label.rpartition(" ")[2]] += 1
    for label, failure in sorted(failures.items()):
        print(f"{label}: {failure}")
    verdicts = ("right", "typed", "silent", "untyped")
    print(f"{number} trials: " + ", ".join(f"{counts[v]} {v}" for v in verdicts))
    if refused:
        print(f"good input that was refused: {dict(refused)}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
