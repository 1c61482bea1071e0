"""Odd inputs to public functions: the right result or a typed error, nothing else.

`python -m benchmarks.odd_inputs` tries 2500.
"""

import sys
from pathlib import Path

import pytest

pytest.importorskip("pandas")
sys.path.append(str(Path(__file__).parents[1]))

from benchmarks import odd_inputs  # noqa: E402


@pytest.mark.parametrize("seed", range(4))
def test_nothing_is_silent_or_untyped(seed):
    found = list(odd_inputs.trials(100, seed))
    failures = [f for f in found if f[1] in ("silent", "untyped")]
    assert failures == []
    assert {verdict for _, verdict, _ in found} == {"right", "typed"}


def test_a_silent_and_an_untyped_failure_are_noticed():
    silent = odd_inputs.Function("silent", lambda x: 0.0, {"x": "point"})
    assert odd_inputs.judge(silent, {"x": None}, odd_inputs.RAISES)[0] == "silent"
    untyped = odd_inputs.Function("untyped", lambda x: x.shape, {"x": "point"})
    assert odd_inputs.judge(untyped, {"x": None}, odd_inputs.RAISES)[0] == "untyped"
