"""Two processes that share each batch learn what one learns from all of it."""

import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest
import torch

from cornet_nn import TemporalCovariance
from cornet_nn.training import CorNetClassifier, load_classifier

from .problems import correlations, signals

pytestmark = pytest.mark.skipif(
    not torch.distributed.is_available(), reason="this torch has no processes"
)

ROOT = pathlib.Path(__file__).parents[2]

# Batches of 7 are cut into 4 and 3; the last one of 36 samples, a single one, into one
# and none.
CASES = {
    "matrices": dict(
        metric="lsm",
        mlr_metric="ecm",
        output_size=3,
        batch_size=7,
        validation=0.1,
        class_weight={0: 3.0},
        activation="tanh",
    ),
    "signals": dict(metric="ecm", power=0.5, batch_size=5, weight_decay=0.1),
}

SCRIPT = """
import json, os, sys
import numpy as np
import torch
import torch.distributed as dist
from cornet_nn import TemporalCovariance
from cornet_nn.training import CorNetClassifier, TrainingDivergedError
from cornet_nn.training.loop import TrainingLoop

torch.set_num_threads(1)
folder, cases = sys.argv[1], json.loads(sys.argv[2])
dist.init_process_group("gloo")
rank = dist.get_rank()


def attempt(error, *parts, **options):
    try:
        CorNetClassifier(progress=False, **options).fit(*parts)
    except error as message:
        return str(message)
    return "nothing was raised"


def interrupted(*_, **__):
    raise KeyboardInterrupt("Ctrl-C")


for name, options in cases.items():
    with np.load(f"{folder}/{name}.npz") as file:
        X, y = file["X"], file["y"]
    if "class_weight" in options:
        weights = options["class_weight"].items()  # JSON made strings of the keys
        options["class_weight"] = {int(key): weight for key, weight in weights}
    else:
        torch.manual_seed(rank)  # the first process decides where to start
        options["front_end"] = TemporalCovariance(3, 2, 4, 5)
        with torch.no_grad():
            for parameter in options["front_end"].parameters():
                parameter.mul_(1.0 + rank)
    model = CorNetClassifier(directory=f"{folder}/run {name}", **options)
    model.set_params(max_epochs=2).fit(X, y)
    model.set_params(max_epochs=3, resume=True).fit(X, y)
    np.savez(
        f"{folder}/{name} {rank}.npz", *(p.detach() for p in model.module_.parameters())
    )
    with open(f"{folder}/{name} {rank}.json", "w") as file:
        json.dump(model.history_, file)

found = {}
found["data"] = attempt(ValueError, X + rank, y, **options)
found["overwrite"] = attempt(OSError, X, y, directory=f"{folder}/run {name}")
found["diverged"] = attempt(
    TrainingDivergedError, X, y, metric="ecm", optimizer="sgd", lr=1e9
)
TrainingLoop.train_step_single = interrupted
found["interrupted"] = attempt(KeyboardInterrupt, X, y)
with open(f"{folder}/errors {rank}.json", "w") as file:
    json.dump(found, file)
dist.destroy_process_group()
"""


def front_end(seed=0):
    torch.manual_seed(seed)
    return TemporalCovariance(3, 2, 4, 5)


@pytest.fixture(scope="module")
def together(tmp_path_factory):
    """Return the folder to which two processes wrote."""
    folder = tmp_path_factory.mktemp("together")
    for name, (X, y) in {"matrices": correlations(), "signals": signals(n=3)}.items():
        np.savez(folder / f"{name}.npz", X=X, y=y)
    common = dict(max_epochs=3, dtype="float64", random_state=1)
    cases = {name: {**common, **options} for name, options in CASES.items()}
    (folder / "script.py").write_text(SCRIPT)
    path = os.pathsep.join([str(ROOT), *sys.path])
    subprocess.run(
        [
            *(sys.executable, "-m", "torch.distributed.run"),
            *("--standalone", "--nproc-per-node=2"),
            *(str(folder / "script.py"), str(folder), json.dumps(cases)),
        ],
        env={**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"},
        check=True,
        timeout=400,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    return folder, cases


@pytest.mark.parametrize("name", CASES)
def test_two_processes_are_one(together, name):
    folder, cases = together
    options = dict(cases[name], progress=False)
    if name == "signals":
        options["front_end"] = front_end()
    with np.load(folder / f"{name}.npz") as file:
        model = CorNetClassifier(**options).fit(file["X"], file["y"])
    expected = [p.detach().numpy() for p in model.module_.parameters()]
    for rank in (0, 1):
        with np.load(folder / f"{name} {rank}.npz") as file:
            found = [file[key] for key in file.files]
        for actual, wanted in zip(found, expected, strict=True):
            np.testing.assert_allclose(actual, wanted, rtol=1e-9, atol=1e-11)
        rows = json.loads((folder / f"{name} {rank}.json").read_text())
        assert len(rows) == 3
        for row, wanted in zip(rows, model.history_, strict=True):
            row["seconds"] = wanted["seconds"]
            assert row == pytest.approx(wanted, rel=1e-9)
    given = {} if name == "matrices" else {"front_end": front_end()}
    again = load_classifier(folder / f"run {name}", **given)
    assert len(again.history_) == 3


def test_all_processes_raise_together(together):
    for rank in (0, 1):
        found = json.loads((together[0] / f"errors {rank}.json").read_text())
        assert "do not train the same network on the same data" in found["data"]
        assert "already holds a run" in found["overwrite"]
        assert "learning rate" in found["diverged"]
        assert found["interrupted"] != "nothing was raised"
