"""The example on connectomes runs, and shows what its text says."""

import pathlib
import subprocess
import sys

import pytest

EXAMPLE = pathlib.Path(__file__).parents[2] / "examples/plot_connectome_groups.py"


@pytest.mark.slow
def test_connectome_groups(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.setenv("MPLBACKEND", "Agg")
    figure = tmp_path / "groups.png"
    command = [sys.executable, EXAMPLE, "--output", figure]
    run = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    assert figure.stat().st_size > 50_000
    rows = {
        line.split()[0]: line.split()[1:] for line in run.stdout.splitlines() if line
    }
    for key in ("ecm", "lecm", "olm", "lsm", "phcm"):
        assert float(rows[key][1]) < 0.05 < float(rows[key][3])
    accuracy = {
        name: float(row[-2].rstrip("%"))
        for name, row in rows.items()
        if row[-1:] and row[-1].endswith("%")
    }
    assert accuracy["olm"] > accuracy["correlations"] + 3.0
