"""Every command, end to end, on small files in the formats of the data sets."""

import argparse
import copy
import csv
import importlib.util
import warnings

import numpy as np
import pandas as pd
import pytest

from cornet_nn import reproduce, runner
from cornet_nn.reproduce import TABLES, experiments, methods, report
from cornet_nn.reproduce.methods import find_method, why_not
from cornet_nn.reproduce.report import published_results, published_settings
from cornet_nn.training.loop import TrainingLoop
from geomstats_cor import METRICS, OneStepLogScaledMetric
from geomstats_cor.exceptions import ParameterError

from .files import data_folder

HAS_SPD_LEARN = importlib.util.find_spec("spd_learn") is not None
needs_spd_learn = pytest.mark.skipif(not HAS_SPD_LEARN, reason="needs spd_learn")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return data_folder(tmp_path_factory.mktemp("data"))


def command(*arguments):
    parser = argparse.ArgumentParser()
    reproduce.add_arguments(parser)
    namespace = parser.parse_args([*map(str, arguments)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a few samples, and a single epoch
        return reproduce.run(namespace)


def table_of(output, name):
    with open(output / f"{name}.csv", newline="") as file:
        rows = {(row["method"], row["data"]): row for row in csv.DictReader(file)}
    return rows, (output / f"{name}.md").read_text()


def is_accuracy(text):
    return 0.0 <= float(text) <= 100.0


def test_list(capsys):
    assert command("--list") == 0
    listed = capsys.readouterr().out
    assert all(name in listed for name in TABLES)


def test_main_results(folder, tmp_path, capsys):
    names = ["CorNet-OLM", "CorNet-LSM", "CorNet-LSM (exact D*)"]
    options = ["--seeds", 1, "--epochs", 1, "--output", tmp_path, "--data", folder]
    command("main", *options, "--only", *names)
    rows, text = table_of(tmp_path, "main")
    for data in ("Radar", "HDM05", "FPHA"):
        assert is_accuracy(rows["CorNet-OLM", data]["ours_mean"])
        assert rows["CorNet-LSM (exact D*)", data]["paper_mean"] == ""
    assert rows["CorNet-OLM", "HDM05"]["paper_mean"] == "81.46"
    assert rows["CorNet-OLM", "HDM05"]["note"] == "1 epochs instead of 200"
    assert "no folder ntu120" in rows["CorNet-OLM", "NTU120"]["note"]
    assert "| 97.57 ± 0.76 |" in text
    assert text.strip() in capsys.readouterr().out


@needs_spd_learn
@pytest.mark.parametrize(
    ("table", "names"),
    [
        ("main", ["SPDNetBN", "SPDNetLieBN-AIM", "SPDNetLieBN-LCM"]),
        ("inputs", ["SPDNet", "SPDNet on correlations"]),
        ("eigenvalues", ["SPDNetMLR", "SPDNetMLR-EigN"]),
    ],
)
def test_spd_networks(folder, tmp_path, table, names):
    options = ["--seeds", 1, "--epochs", 1, "--output", tmp_path, "--data", folder]
    command(table, *options, "--only", *names, "--quiet")
    rows, _ = table_of(tmp_path, table)
    for name in names:
        assert is_accuracy(rows[name, "Radar"]["ours_mean"])
        assert is_accuracy(rows[name, "FPHA"]["ours_mean"])


def test_spd_networks_without_the_extra(monkeypatch):
    monkeypatch.setattr("cornet_nn.reproduce.methods.has_spd_learn", lambda: False)
    assert "baselines" in why_not("SPDNet on correlations")
    assert why_not("SPDMLR-AIM") == ""


def test_every_row_of_the_paper_can_be_computed():
    names = {name for table in TABLES for name in published_results(table)["method"]}
    assert HAS_SPD_LEARN is False or {why_not(name) for name in names} == {""}
    for name in names - {*published_results("runtime")["method"]}:
        model = find_method(name, "FPHA").make(3, 0, False)
        assert model.max_epochs == 3


@pytest.mark.parametrize(
    "names",
    [
        ["GrNet", "GyroGr", "GyroGr-Scaling"],
        ["GyroLE", "GyroLC", "SPDResNet-LEM", "SPDResNet-AIM"],
        ["GyroAI", "GyroSPD++"],
    ],
)
def test_networks_of_gyrovectors_and_subspaces(folder, tmp_path, names, monkeypatch):
    settings = copy.deepcopy(published_settings())
    settings["data"]["FPHA"]["hidden"] = 3
    monkeypatch.setattr(methods, "published_settings", lambda: settings)
    options = ["--seeds", 1, "--epochs", 1, "--output", tmp_path, "--data", folder]
    command("main", *options, "--only", *names, "--quiet")
    rows, _ = table_of(tmp_path, "main")
    for name in names:
        assert is_accuracy(rows[name, "FPHA"]["ours_mean"])


def test_deviations_are_those_of_a_sample():
    results = dict(accuracy=[0.9, 0.92, 0.97], seconds_per_epoch=[1.0, 1.0, 1.0])
    found = experiments.summarised(pd.DataFrame(results))
    assert found["ours_deviation"] == pytest.approx(np.std([90.0, 92.0, 97.0], ddof=1))


def test_one_run_has_no_deviation():
    results = pd.DataFrame(dict(accuracy=[0.9], seconds_per_epoch=[1.0]))
    cell = dict(method="CorNet-OLM", data="Radar") | experiments.summarised(results)
    text = report.as_markdown(report.table_of([cell]), "Main", report.show_accuracy)
    assert "90.00" in text and "±" not in text


def test_other_settings_are_other_runs(folder, tmp_path, monkeypatch):
    options = ["--epochs", 1, "--output", tmp_path, "--data", folder, "--quiet"]
    options += ["--only", "CorMLR-ECM", "--seeds", 1, "--resume"]
    rates = []

    def fit_and_score(trial, *_):
        rates.append(trial.estimator.lr)
        return dict.fromkeys(runner.RESULTS, 1.0)

    monkeypatch.setattr(runner, "fit_and_score", fit_and_score)
    command("mlr", *options)
    command("mlr", *options)
    assert len(rates) == 3
    settings = copy.deepcopy(published_settings())
    settings["baseline"]["lr"] *= 2.0
    monkeypatch.setattr(methods, "published_settings", lambda: settings)
    command("mlr", *options)
    assert len(rates) == 6
    assert rates[3] == 2.0 * rates[0]


@pytest.mark.parametrize(
    ("table", "names"),
    [
        ("mixed", ["CorNet-ECM/OLM", "CorNet-PHCM/PHCM"]),
        ("activations", ["CorNet-LECM+ReLU", "CorNet-LECM"]),
        ("mlr", ["SPDMLR-LEM", "SPDMLR-LCM", "SPDMLR-AIM", "CorMLR-PHCM"]),
    ],
)
def test_ablations(folder, tmp_path, table, names):
    options = ["--seeds", 1, "--epochs", 1, "--output", tmp_path, "--data", folder]
    command(table, *options, "--only", *names, "--quiet")
    rows, _ = table_of(tmp_path, table)
    for name in names:
        assert is_accuracy(rows[name, "FPHA"]["ours_mean"])
        assert is_accuracy(rows[name, "FPHA"]["paper_mean"])


def test_simulated_signals_are_named_so(tmp_path, monkeypatch):
    from cornet_nn.datasets import radar

    monkeypatch.setitem(radar.load_radar_synthetic.__kwdefaults__, "signals", 15)
    monkeypatch.setitem(radar.load_radar_synthetic.__kwdefaults__, "length", 400)
    options = ["--seeds", 1, "--epochs", 1, "--output", tmp_path, "--quiet"]
    command("mlr", *options, "--synthetic", "--only", "CorMLR-ECM")
    rows, text = table_of(tmp_path, "mlr")
    assert is_accuracy(rows["CorMLR-ECM", "Radar (synthetic)"]["ours_mean"])
    assert rows["CorMLR-ECM", "Radar"]["ours_mean"] == ""
    assert "pass --data with a folder radar" in text


def test_runtime(tmp_path):
    command("runtime", "--only", 30, "--seeds", 1, "--output", tmp_path, "--quiet")
    rows, _ = table_of(tmp_path, "runtime")
    for key in METRICS:
        row = rows[f"CorNet-{key.upper()}", "30"]
        assert float(row["ours_seconds"]) > 0.0
    assert rows["CorNet-ECM", "30"]["paper_seconds"] == "0.0004"


@pytest.mark.parametrize("table", ["variation", "ratio"])
def test_analyses(folder, tmp_path, table):
    command(table, "--data", folder, "--output", tmp_path, "--quiet")
    rows, text = table_of(tmp_path, table)
    for data in ("FPHA", "HDM05"):
        low, middle, high = (
            float(rows[name, data]["ours_mean"])
            for name in ("10 % quantile", "median", "90 % quantile")
        )
        assert 0.0 < low <= middle <= high
        assert (tmp_path / f"{table}-{data}.png").stat().st_size > 1000
    assert "histograms in" in text
    command(table, "--output", tmp_path, "--quiet")
    assert "no data" in table_of(tmp_path, table)[1]


def test_finished_runs_are_kept(folder, tmp_path, monkeypatch):
    options = ["--epochs", 1, "--output", tmp_path, "--data", folder, "--quiet"]
    options += ["--only", "CorMLR-ECM"]
    runs = tmp_path / "mlr-runs" / "cells.csv"
    command("mlr", *options, "--seeds", 1)
    first = runs.read_text()
    with pytest.raises(ParameterError, match="--resume"):
        command("mlr", *options, "--seeds", 2)
    assert runs.read_text() == first
    command("mlr", *options, "--seeds", 2, "--resume")
    second = runs.read_text().splitlines()
    assert set(first.splitlines()) < set(second)
    assert len(second) == 1 + 3 * 2
    monkeypatch.setattr(runner, "fit_and_score", None)
    command("mlr", *options, "--seeds", 2, "--resume")
    rows, _ = table_of(tmp_path, "mlr")
    assert rows["CorMLR-ECM", "FPHA"]["runs"] == "2"
    assert (tmp_path / "mlr-runs" / "environment.json").exists()
    # Other parts of the data are other runs.
    split, result = experiments.paper_parts, dict.fromkeys(runner.RESULTS, 0.01)
    monkeypatch.setattr(
        experiments, "paper_parts", lambda *a: [p[::-1] for p in split(*a)]
    )
    monkeypatch.setattr(runner, "fit_and_score", lambda *_: result)
    command("mlr", *options, "--seeds", 2, "--resume")
    rows, _ = table_of(tmp_path, "mlr")
    assert rows["CorMLR-ECM", "FPHA"]["ours_mean"] == "1"


def test_half_a_run_is_not_kept(folder, tmp_path, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(TrainingLoop, "train_step_single", interrupted)
    options = ["--seeds", 1, "--epochs", 1, "--output", tmp_path, "--data", folder]
    with pytest.raises(KeyboardInterrupt):
        command("mlr", *options, "--only", "CorMLR-ECM", "--quiet")
    assert not (tmp_path / "mlr-runs" / "cells.csv").exists()


def test_classifiers_have_the_settings_of_the_paper():
    model = find_method("CorNet-OLM/LSM", "HDM05").make(7, 3, False)
    assert model.metric is METRICS["olm"]
    assert model.mlr_metric is OneStepLogScaledMetric
    assert (model.optimizer, model.lr, model.weight_decay) == ("sgd", 0.05, 1e-3)
    assert (model.power, model.output_size, model.batch_size) == (0.25, 26, 30)
    assert (model.max_epochs, model.random_state) == (7, 3)
    model = find_method("CorNet-LSM+ReLU", "FPHA").make(1, 0, False)
    assert (model.activation, model.basis) == ("relu", "printed")
    assert find_method("CorNet-ECM", "NTU120").epochs == 50


def test_errors(tmp_path):
    for arguments, words in (
        (["mlr", "--seeds", 0], "positive"),
        (["mlr", "--data", tmp_path / "none"], "no folder"),
        (["mlr", "--output", tmp_path, "--only", "CorNet-XYZ"], "CorNet-XYZ"),
    ):
        with pytest.raises(ParameterError, match=words):
            command(*arguments)
