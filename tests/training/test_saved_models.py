"""Networks that are used elsewhere: files for inference, programs, packages."""

import shutil
import subprocess
import sys

import numpy as np
import pytest
import torch
import torch._inductor.config

from cornet_nn import CovariancePooling, export_model, load_model, save_model
from cornet_nn.training import (
    CorMLRClassifier,
    CorNetClassifier,
    CorNetRegressor,
    load_classifier,
)
from geomstats_cor import METRICS
from geomstats_cor.exceptions import ParameterError

from .problems import correlations, covariances, signals

QUIET = dict(max_epochs=2, random_state=0, progress=False, dtype="float64")
NETWORK = dict(output_size=3, out_channels=2, **QUIET)


@pytest.mark.parametrize(
    ("model", "problem"),
    [
        (CorNetClassifier("lsm", mlr_metric=METRICS["ecm"], **NETWORK), correlations),
        (CorNetClassifier("phcm", activation=None, power=0.5, **NETWORK), covariances),
        (CorMLRClassifier("olm", C=1.0, shrinkage=0.1, **QUIET), signals),
        (CorNetClassifier("lecm", **NETWORK | dict(dtype="float32")), correlations),
    ],
)
def test_a_saved_model_answers_as_the_estimator(model, problem, tmp_path):
    X, y = problem()
    names = np.array(["left", "right"])[y]
    save_model(model.fit(X, names), tmp_path / "model.pt", {"test accuracy": 0.75})
    saved = load_model(tmp_path / "model.pt")
    with torch.no_grad():
        found = saved(torch.as_tensor(X)).double().softmax(-1).numpy()
    np.testing.assert_allclose(found, model.predict_proba(X), rtol=1e-9)
    assert saved.predict(torch.as_tensor(X)) == model.predict(X).tolist()
    card = (tmp_path / "model.md").read_text()
    for word in ("metric", model.fingerprint_, "torch", "test accuracy: 0.75"):
        assert word in card
    assert saved.card["scores"]["train_loss"] == model.history_[-1]["train_loss"]


@pytest.mark.parametrize(
    "later", [dict(metric="ecm"), dict(power=0.5), dict(C=None), dict(module__gain=2.0)]
)
def test_what_is_saved_is_what_was_trained(later, tmp_path):
    """Parameters that were set since belong to the next fit."""
    X, y = covariances()
    model = CorNetClassifier("olm", C=1.0, **NETWORK).fit(X, y).set_params(**later)
    save_model(model, tmp_path / "model.pt")
    saved = load_model(tmp_path / "model.pt")
    with torch.no_grad():
        found = saved(torch.as_tensor(X)).double().softmax(-1).numpy()
    np.testing.assert_allclose(found, model.predict_proba(X), rtol=1e-9)
    assert saved.card["metric"] == "olm"
    assert all(model.get_params()[name] == value for name, value in later.items())


def test_numbers_of_a_regression_and_a_run_from_disk(tmp_path):
    X, _ = correlations()
    model = CorNetRegressor(directory=tmp_path / "run", **NETWORK)
    model.fit(X, 5.0 + 3.0 * X[:, 1, 0])
    save_model(load_classifier(tmp_path / "run"), tmp_path / "model.pt")
    saved = load_model(tmp_path / "model.pt")
    with torch.no_grad():
        found = saved(torch.as_tensor(X)).squeeze(-1)
    np.testing.assert_allclose(found, model.predict(X), rtol=1e-9)
    assert saved.card["data"] == model.fingerprint_


def test_inference_needs_none_of_the_libraries_of_training(tmp_path):
    X, y = correlations()
    model = CorNetClassifier("ecm", **NETWORK).fit(X, y)
    save_model(model, tmp_path / "model.pt")
    np.save(tmp_path / "X.npy", X)
    program = """
import sys
from importlib.machinery import PathFinder
find = PathFinder.find_spec
absent = ("skorch", "tqdm", "filelock", "pandas", "jsonargparse")
PathFinder.find_spec = lambda name, *rest: None if name in absent else find(name, *rest)
import numpy, torch
from cornet_nn import load_model
model = load_model("model.pt")
print(model.predict(torch.as_tensor(numpy.load("X.npy"))))
"""
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path
    )
    assert run.stdout.strip() == str(model.predict(X).tolist()), run.stderr


def test_what_a_file_cannot_hold_is_refused(tmp_path):
    X, y = signals()
    model = CorMLRClassifier(front_end=CovariancePooling(), C=1.0, **QUIET).fit(X, y)
    with pytest.raises(ParameterError, match="cannot hold front_end"):
        save_model(model, tmp_path / "model.pt")
    torch.save({"state": {}}, tmp_path / "other.pt")
    (tmp_path / "text.pt").write_text("text")
    for name in ("other.pt", "text.pt"):
        with pytest.raises(ParameterError, match="not a model that save_model wrote"):
            load_model(tmp_path / name)


def test_programs_take_any_number_of_samples(tmp_path):
    X, y = correlations()
    network = CorNetClassifier("lsm", power=0.5, **NETWORK).fit(X, y).module_
    x = torch.as_tensor(X)
    export_model(network, tmp_path / "model.pt2", x[:3])
    program = torch.export.load(tmp_path / "model.pt2").module()
    torch.testing.assert_close(program(x), network(x))


def test_formats_that_cannot_be(tmp_path):
    X, y = correlations()
    network = CorNetClassifier("lsm", **NETWORK).fit(X, y).module_
    x = torch.as_tensor(X)
    with pytest.raises(ParameterError, match="ONNX has no operators for Cholesky"):
        export_model(network, tmp_path / "model.onnx", x)
    with pytest.raises(ParameterError, match="ends with .pt2"):
        export_model(network, tmp_path / "model", x)
    with pytest.raises(ParameterError, match="at least two samples, got 1"):
        export_model(network, tmp_path / "model.pt2", x[:1])
    with pytest.raises(ParameterError, match="balanced_spectrum.*Python"):
        export_model(network, tmp_path / "model.pt2", x, compiled=True)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("g++") is None, reason="needs a C++ compiler")
def test_a_package_runs_without_this_library(tmp_path):
    X, y = correlations(n=3)
    model = CorMLRClassifier("ecm", C=1.0, normalize=None, **QUIET).fit(X, y)
    x = torch.as_tensor(X)
    # The compiler need not optimise what is not measured.
    quick = {"aot_inductor.compile_wrapper_opt_level": "O0", "cpp.vec_isa_ok": False}
    with torch._inductor.config.patch(quick):
        export_model(model.module_, tmp_path / "model.pt2", x[:4], compiled=True)
    torch.save(x, tmp_path / "x.pt")
    program = """
import sys, torch
model = torch._inductor.aoti_load_package("model.pt2")
torch.save(model(torch.load("x.pt")), "logits.pt")
assert not {"cornet_nn", "geomstats_cor", "geomstats"} & sys.modules.keys()
"""
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path
    )
    assert run.returncode == 0, run.stderr
    found = torch.load(tmp_path / "logits.pt")
    torch.testing.assert_close(found, model.module_(x).detach())
