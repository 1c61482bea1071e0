"""Numpy arrays and torch tensors in one process, whatever geomstats was told."""

import json
import os
import pathlib
import subprocess
import sys
import warnings

import geomstats.backend as gs
import numpy as np
import pytest
from kernels.matrices import random_correlation
from operations import OPERATIONS, STACK_OPERATIONS, sample
from strategies import KEYS, equipped

from geomstats_cor import FullRankCorrelationMatrices, frechet_mean

torch = pytest.importorskip("torch")

every_metric = pytest.mark.parametrize("key", KEYS)

ALL = OPERATIONS | STACK_OPERATIONS

pytestmark = pytest.mark.filterwarnings("error")


def results(metric, convert, condition=10.0):
    """Yield what all operations answer to the same numbers in some kind of array."""
    rng = np.random.default_rng(11)
    for name, operation in ALL.items():
        arguments = sample(operation, rng, 3, lambda position: (2,), condition)
        converted = {k: convert(v) for k, v in arguments.items()}
        yield name, operation(metric, converted)
    points = random_correlation(rng, 3, condition, (4,))
    yield "frechet_mean", frechet_mean(convert(points), metric._space)
    coords = 0.3 * rng.standard_normal((2, 3))
    yield "from_coords", metric.from_coords(convert(coords))


@every_metric
def test_both_libraries_give_the_same_numbers(key):
    metric = equipped(3, key).metric
    by_numpy = dict(results(metric, np.asarray))
    by_torch = dict(results(metric, torch.as_tensor))
    assert set(by_numpy) == set(ALL) | {"frechet_mean", "from_coords"}
    for name, expected in by_numpy.items():
        scale = np.max(np.abs(expected), initial=0.0, where=np.isfinite(expected))
        np.testing.assert_allclose(
            by_torch[name].numpy(), expected, rtol=0, atol=1e-12 * scale, err_msg=name
        )


@every_metric
@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_results_are_of_the_kind_of_the_arguments(key, precision):
    metric = equipped(3, key).metric
    for name, result in results(metric, lambda x: x.astype(precision), 2.0):
        assert isinstance(result, np.ndarray | np.generic), name
        if name != "closest_neighbor_index":
            assert result.dtype == np.dtype(precision), name
    dtype = getattr(torch, precision)
    for name, result in results(metric, lambda x: torch.as_tensor(x, dtype=dtype), 2.0):
        assert isinstance(result, torch.Tensor), name
        if name != "closest_neighbor_index":
            assert result.dtype == dtype, name
        assert result.device.type == "cpu"


@every_metric
def test_lists_become_arrays_of_geomstats(key):
    metric = equipped(2, key).metric
    expected = gs.array([[1.0]])
    for result in (
        metric.dist([[[1.0, 0.5], [0.5, 1.0]]], [[1.0, 0.0], [0.0, 1.0]]),
        metric.exp([[0, 1], [1, 0]], [[1, 0], [0, 1]]),
        metric.from_coords([0.3]),
        metric.origin(),
        metric._space.random_point(2),
        metric._space.random_tangent_vec(n_samples=2),
        frechet_mean([[[1.0, 0.5], [0.5, 1.0]]], metric._space),
    ):
        assert type(result) is type(expected)
        assert result.dtype == expected.dtype


def test_origin_and_random_points_are_like_what_is_asked(arrays):
    like = arrays(np.ones(1))
    space = FullRankCorrelationMatrices(3, equip="olm")
    for result in (
        space.metric.origin(like=like),
        space.random_point(2, rng=0, like=like),
        space.random_point(2, rng=0, like=like, bound=0.5),
        space.random_tangent_vec(arrays(np.eye(3)), n_samples=2, rng=0),
    ):
        arrays.numbers(result)


@every_metric
def test_no_global_state_is_changed(key):
    def state():
        return {
            "backend": gs.__name__,
            "torch dtype": torch.get_default_dtype(),
            "torch device": torch.get_default_device(),
            "torch gradients": torch.is_grad_enabled(),
            "torch random": torch.get_rng_state().tolist(),
            "torch threads": torch.get_num_threads(),
            "numpy errors": np.geterr(),
            "numpy random": repr(np.random.get_state()),  # noqa: NPY002
            "warnings": list(warnings.filters),
            "environment": dict(os.environ),
        }

    before = state()
    metric = equipped(3, key).metric
    for convert in (np.asarray, torch.as_tensor):
        for _ in results(metric, convert):
            pass
        metric._space.random_point(3, rng=1, like=convert(np.ones(1)))
        metric._space.random_tangent_vec(convert(np.eye(3)), rng=1)
    assert state() == before


def test_arguments_are_not_written_to(arrays):
    for key in KEYS:
        metric = equipped(3, key).metric
        rng = np.random.default_rng(11)
        for operation in ALL.values():
            arguments = sample(operation, rng, 3, lambda position: (2,), 2.0)
            given = {k: arrays(v.copy()) for k, v in arguments.items()}
            operation(metric, given)
            for name, value in arguments.items():
                np.testing.assert_array_equal(
                    arrays.numbers(given[name]), arrays.rounded(value)
                )


_REPORT = """
import json, sys
import numpy as np, torch
import geomstats.backend as gs
from strategies import KEYS, equipped
from test_backends import results

numbers = {}
for key in KEYS:
    metric = equipped(3, key).metric
    for library, convert in (("numpy", np.asarray), ("torch", torch.as_tensor)):
        for name, result in results(metric, convert):
            kind = type(result).__module__.split(".")[0]
            numbers[f"{key} {name} {library}"] = kind, np.asarray(result).tolist()
json.dump({"backend": gs.__name__, "numbers": numbers}, sys.stdout)
"""


def test_the_backend_of_geomstats_is_of_no_consequence():
    backend = "pytorch" if "numpy" in gs.__name__ else "numpy"
    here = pathlib.Path(__file__).parent
    environment = os.environ | {
        "GEOMSTATS_BACKEND": backend,
        "PYTHONPATH": os.pathsep.join([str(here), str(here.parent)]),
    }
    report = subprocess.run(
        [sys.executable, "-c", _REPORT],
        env=environment,
        stdout=subprocess.PIPE,
        check=True,
    )
    answer = json.loads(report.stdout)
    assert backend in answer["backend"]
    for key in KEYS:
        for name, expected in results(equipped(3, key).metric, np.asarray):
            for library in ("numpy", "torch"):
                kind, actual = answer["numbers"][f"{key} {name} {library}"]
                assert kind == library
                np.testing.assert_allclose(actual, expected, rtol=1e-11, atol=1e-12)
