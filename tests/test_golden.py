"""Every operation of every metric against reference values of 60 digits.

The values were computed from the definitions alone: differentials by difference
quotients of high order, geodesics and transport without any closed form from here.
"""

import pathlib

import numpy as np
import pytest
from kernels.references import relative_error

from geomstats_cor import METRICS, FullRankCorrelationMatrices

GOLDEN = np.load(pathlib.Path(__file__).parent / "data" / "golden.npz")
CASES = range(int(GOLDEN["count"]))

OPERATIONS = {
    "phi": lambda metric, c, b, v, w: metric.diffeo(c),
    "dist": lambda metric, c, b, v, w: metric.dist(c, b),
    "inner": lambda metric, c, b, v, w: metric.inner_product(v, w, c),
    "exp": lambda metric, c, b, v, w: metric.exp(v, c),
    "log": lambda metric, c, b, v, w: metric.log(b, c),
    "pt": lambda metric, c, b, v, w: metric.parallel_transport(v, c, end_point=b),
    "mid": lambda metric, c, b, v, w: metric.geodesic(c, b)(0.5)[:, 0],
}

pytestmark = pytest.mark.filterwarnings("error")


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("key", METRICS)
def test_reference_values(arrays, key, operation):
    for case in CASES:
        # A stack of one matrix, so that the answer is an array even if it is a number.
        matrices = [arrays(GOLDEN[f"case{case}/{name}"][None]) for name in "CBVW"]
        space = FullRankCorrelationMatrices(matrices[0].shape[-1], equip=key)
        actual = arrays.numbers(OPERATIONS[operation](space.metric, *matrices))[0]

        expected = GOLDEN[f"case{case}/{key}/{operation}"]
        if (key, operation) == ("ecm", "phi"):
            expected = expected + np.eye(len(expected))
        condition = float(GOLDEN[f"case{case}/cond"])
        if arrays.precision == "float64":
            tolerance = {1e1: 1e-12, 1e4: 1e-10}[condition]
        else:
            tolerance = 4 * arrays.eps * condition
        assert relative_error(actual, expected) <= tolerance, f"case {case}"


def test_reference_values_are_complete():
    names = {"C", "B", "V", "W", "cond"}
    names |= {f"{key}/{operation}" for key in METRICS for operation in OPERATIONS}
    names = {f"case{case}/{name}" for case in CASES for name in names}
    assert names | {"count"} == set(GOLDEN.files)
