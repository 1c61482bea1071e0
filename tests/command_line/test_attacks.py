"""The attacks of `benchmarks/attacks.py`, a few trials of each."""

import pytest

from benchmarks.attacks import attack


@pytest.mark.parametrize(
    ("name", "count"), [("bytes", 60), ("races", 2), ("kills", 2), ("crafted", 60)]
)
def test_attack(name, count, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    outcomes = attack(name, count, seed=1)
    assert outcomes.total() >= count
    assert not [outcome for outcome in outcomes if "FAILED" in outcome]
