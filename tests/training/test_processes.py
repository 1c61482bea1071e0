"""Two processes that share each batch learn what one learns from all of it."""

import json

import numpy as np
import pytest
import torch
import torch.distributed as dist
from processes import FRESH

from cornet_nn import TemporalCovariance
from cornet_nn.training import (
    CorNetClassifier,
    TrainingDivergedError,
    load_classifier,
)
from cornet_nn.training.loop import TrainingLoop

from .problems import correlations, signals

pytestmark = pytest.mark.skipif(
    not dist.is_available(), reason="this torch has no processes"
)

DATA = {"matrices": correlations(), "signals": signals(n=3)}

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


def front_end(rank=0):
    """Return a front end that starts elsewhere in each process."""
    torch.manual_seed(rank)
    layer = TemporalCovariance(3, 2, 4, 5)
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.mul_(1.0 + rank)
    return layer


def options_of(name, rank=0):
    """Return the parameters of the classifier of a case."""
    common = dict(max_epochs=3, dtype="float64", random_state=1, progress=False)
    # Each process draws masks of its own, and a longer cycle is another one.
    common |= dict(dropout=0.0, schedule=None)
    given = {"front_end": front_end(rank)} if name == "signals" else {}
    return {**common, **CASES[name], **given}


def attempt(error, *parts, **options):
    try:
        CorNetClassifier(**{"progress": False, **options}).fit(*parts)
    except error as message:
        return str(message)
    return "nothing was raised"


def interrupted(*_, **__):
    raise KeyboardInterrupt("Ctrl-C")


def share(rank, folder):
    """Train in one of two processes, and write what became of it."""
    torch.set_num_threads(1)
    meeting = f"file://{folder}/meeting"
    dist.init_process_group("gloo", init_method=meeting, rank=rank, world_size=2)
    for name, (X, y) in DATA.items():
        options = options_of(name, rank)  # the first process decides where to start
        model = CorNetClassifier(directory=folder / f"run {name}", **options)
        model.set_params(max_epochs=2).fit(X, y)
        model.set_params(max_epochs=3, resume=True).fit(X, y)
        np.savez(
            folder / f"{name} {rank}.npz",
            *(p.detach() for p in model.module_.parameters()),
        )
        (folder / f"{name} {rank}.json").write_text(json.dumps(model.history_))

    found = {}
    found["data"] = attempt(ValueError, X + rank, y, **options)
    found["overwrite"] = attempt(OSError, X, y, directory=folder / f"run {name}")
    found["diverged"] = attempt(
        TrainingDivergedError, X, y, metric="ecm", optimizer="sgd", lr=1e9
    )
    TrainingLoop.train_step_single = interrupted
    found["interrupted"] = attempt(KeyboardInterrupt, X, y)
    (folder / f"errors {rank}.json").write_text(json.dumps(found))
    dist.destroy_process_group()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return the folder to which two processes wrote."""
    folder = tmp_path_factory.mktemp("together")
    processes = [FRESH.Process(target=share, args=(rank, folder)) for rank in (0, 1)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(timeout=400)
        assert process.exitcode == 0
    return folder


@pytest.mark.parametrize("name", CASES)
def test_two_processes_are_one(folder, name):
    model = CorNetClassifier(**options_of(name)).fit(*DATA[name])
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


def test_all_processes_raise_together(folder):
    for rank in (0, 1):
        found = json.loads((folder / f"errors {rank}.json").read_text())
        assert "do not train the same network on the same data" in found["data"]
        assert "already holds a run" in found["overwrite"]
        assert "learning rate" in found["diverged"]
        assert found["interrupted"] != "nothing was raised"
