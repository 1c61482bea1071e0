"""The numbers of the paper: all there, and consistent where tables repeat them."""

import itertools

import pytest

from cornet_nn.reproduce.report import published_results, published_settings
from geomstats_cor import METRICS

KEYS = [key.upper() for key in METRICS]
DATA = ("Radar", "HDM05", "FPHA", "NTU120")


def place(table, method, data):
    found = [
        cell
        for cell in published_results(table).itertuples()
        if (cell.method, cell.data) == (method, data)
    ]
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize(
    ("table", "methods", "columns"),
    [
        ("main", 19, 4),
        ("mixed", 25, 2),
        ("activations", 10, 3),
        ("inputs", 2, 3),
        ("mlr", 8, 3),
        ("eigenvalues", 19, 3),
        ("runtime", 5, 14),
    ],
)
def test_tables_are_complete(table, methods, columns):
    cells = published_results(table)
    assert cells["method"].nunique() == methods
    assert cells["data"].nunique() == columns
    assert not cells.duplicated(["method", "data"]).any()
    assert len(cells) == methods * columns


def test_some_cells_by_heart():
    cell = place("main", "CorNet-PHCM", "HDM05")
    assert (cell.mean, cell.deviation, cell.seconds) == (82.26, 0.92, 1.10)
    assert place("mixed", "CorNet-OLM/LECM", "FPHA").mean == 92.27
    assert place("mlr", "SPDMLR-AIM", "HDM05").seconds == 260.67
    assert place("runtime", "CorNet-LECM", "1000").seconds == 3.7259
    assert place("inputs", "SPDNet on correlations", "HDM05").mean == 66.81
    assert place("activations", "CorNet-LSM+ReLU", "FPHA").mean != 0.0


def test_tables_agree_where_they_repeat_a_number():
    for key, data in itertools.product(KEYS, ("HDM05", "FPHA")):
        main = place("main", f"CorNet-{key}", data)
        for table, method in (
            ("mixed", f"CorNet-{key}/{key}"),
            ("activations", f"CorNet-{key}"),
            ("eigenvalues", f"CorNet-{key}"),
        ):
            other = place(table, method, data)
            assert (other.mean, other.deviation) == (main.mean, main.deviation)


def test_settings():
    settings = published_settings()
    assert settings["batch_size"] == 30
    assert [settings["data"][d]["output"] for d in DATA] == [8, 26, 26, 11]
    assert [tuple(settings["data"][d]["channels"]) for d in DATA] == [
        (7, 20, 20),
        (3, 28, 28),
        (9, 28, 28),
        (6, 28, 28),
    ]
    assert [settings["data"][d]["covariance"] for d in DATA] == [20, 93, 63, 150]
    for data, key in itertools.product(DATA, KEYS):
        chosen = settings["hyperparameters"][data][key]
        assert chosen["optimizer"] in ("adam", "sgd")
        assert 50 <= chosen["epochs"] <= 200
    assert settings["hyperparameters"]["HDM05"]["OLM"] == {
        "optimizer": "sgd",
        "lr": 5e-2,
        "weight_decay": 1e-3,
        "power": 0.25,
        "epochs": 200,
    }
