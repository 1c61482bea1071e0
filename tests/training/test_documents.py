"""The page on training runs as written."""

import os
import pathlib
import re
import subprocess
import sys

import matplotlib
import numpy as np
import pytest
import torch

from cornet_nn.training import CorNetClassifier
from geomstats_cor import FullRankCorrelationMatrices

ROOT = pathlib.Path(__file__).parents[2]
PAGE = ROOT / "docs" / "training.md"
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)


def test_the_code_of_the_page_runs(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    matplotlib.use("Agg")
    assert len(BLOCKS) >= 5
    namespace = {}
    for number, block in enumerate(BLOCKS):
        exec(compile(block, f"{PAGE.name} block {number}", "exec"), namespace)
    capsys.readouterr()
    assert (tmp_path / "curves.png").exists()


@pytest.mark.skipif(
    not torch.distributed.is_available(), reason="this torch has no processes"
)
def test_the_script_of_the_page_runs_in_two_processes(tmp_path):
    (script,) = re.findall(r"\{literalinclude\} \.\./(\S+)", PAGE.read_text())
    points = FullRankCorrelationMatrices(4, equip="olm").random_point(24, rng=0)
    labels = np.where(points[:, 1, 0] > 0, "positive", "negative")
    np.savez(tmp_path / "my_data.npz", C=points, y=labels)
    launch = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    done = subprocess.run(
        [sys.executable, *launch, str(ROOT / script), "my_data.npz"],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path]),
            "OMP_NUM_THREADS": "1",
        },
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=400,
    )
    assert done.returncode == 0, done.stderr
    one = CorNetClassifier("olm", max_epochs=20, random_state=0, progress=False)
    assert float(done.stdout) == one.fit(points, labels).score(points, labels)
