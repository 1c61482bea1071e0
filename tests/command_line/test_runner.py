"""The engine of many trainings: keys, processes, and a cluster that loses a worker."""

import os
import signal
import time

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from skorch.callbacks import EarlyStopping

from cornet_nn.command_line.settings import make_estimator
from cornet_nn.runner import Results, Trial, key_of, on_cluster
from cornet_nn.training import CorNetClassifier
from cornet_nn.training.settings import MODELS, options_of
from geomstats_cor.exceptions import ParameterError

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(30, 2)), np.arange(30) % 2
X[:, 0] += Y


class KillsItsProcess(ClassifierMixin, BaseEstimator):
    """A classifier that is killed the first time it is trained."""

    def __init__(self, marker, number=0):
        self.marker, self.number = marker, number

    def fit(self, X, y):
        if self.number == 2 and not os.path.exists(self.marker):
            with open(self.marker, "w") as file:
                file.write("killed")
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(0.1)
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.number % 2)


def trials_of(models):
    train, test = np.arange(20), np.arange(20, 30)
    return [Trial(dict(number=k), model, train, test) for k, model in enumerate(models)]


def test_any_estimator_is_scored(tmp_path):
    grid = {"C": [0.1, 1.0]}
    models = [LogisticRegression(), GridSearchCV(LogisticRegression(), grid, cv=2)]
    with Results(tmp_path) as results:
        table = results.run(trials_of(models), X, Y)
    for accuracy, model in zip(table["accuracy"], models, strict=True):
        assert accuracy == model.fit(X[:20], Y[:20]).score(X[20:], Y[20:])
    assert table["samples"].tolist() == [10, 10]


def test_what_changes_is_computed_anew_and_the_rest_is_kept(tmp_path):
    with Results(tmp_path) as results:
        first = results.run(trials_of([LogisticRegression(C=1.0)]), X, Y)
    with pytest.raises(ParameterError, match="has results already"):
        Results(tmp_path).__enter__()
    models = [LogisticRegression(C=1.0), LogisticRegression(C=1e-6)]
    with Results(tmp_path, resume=True) as results:
        again = results.run(trials_of(models), X, Y)
        assert len(results.rows) == 2
        assert again["seconds_per_epoch"][0] == first["seconds_per_epoch"][0]
        results.run(trials_of(models[:1]), X + 1.0, Y)
        results.run(trials_of(models[:1]), X, 1 - Y)
        assert len(results.rows) == 4


def test_keys_are_those_of_all_parameters():
    def key(model):
        return key_of(trials_of([model])[0], "data")

    inner = (GridSearchCV(LogisticRegression(C=C), {}) for C in (1.0, 2.0))
    assert len({*map(key, inner), key(LogisticRegression())}) == 3
    assert key(LogisticRegression(n_jobs=1)) == key(LogisticRegression(n_jobs=2))
    # Objects are told apart by what is in them, however long.
    folds = [[(np.arange(2000), np.arange(k, 2000))] for k in (900, 901)]
    one, two = (GridSearchCV(LogisticRegression(), {}, cv=cv) for cv in folds)
    assert key(one) != key(two) and key(one) == key(clone(one))
    one, two, same = (
        CorNetClassifier(callbacks=[EarlyStopping(patience=k)]) for k in (3, 4, 3)
    )
    assert key(one) != key(two) and key(one) == key(same)
    # What cannot be compared is computed.
    model = CorNetClassifier(front_end=lambda: None)
    assert key(model) != key(model)


@pytest.mark.parametrize("model", MODELS)
def test_every_setting_changes_the_key(model, monkeypatch):
    train, test = np.arange(4), np.arange(4, 6)

    def key(**settings):
        estimator = make_estimator(dict(model=model) | settings)
        return key_of(Trial({}, estimator, train, test), "data")

    defaults = {name: option.default for name, option in options_of(model).items()}
    names = [name for name in defaults if name != "device"]
    other = {name: 7 if defaults[name] != 7 else 8 for name in names}
    assert len({key(), *(key(**{k: v}) for k, v in other.items())}) == 1 + len(names)
    assert key(optimizer__eps=1.0) not in (key(), key(optimizer__eps=2.0))
    before = key()
    monkeypatch.setattr("cornet_nn.runner.__version__", "another")
    assert key() != before


def test_a_cluster_that_loses_a_worker(tmp_path):
    distributed = pytest.importorskip("distributed")
    marker = str(tmp_path / "marker")
    models = [KillsItsProcess(marker, number) for number in range(5)]
    small = dict(n_workers=2, threads_per_worker=1, dashboard_address=None)
    with (
        distributed.LocalCluster(**small) as cluster,
        on_cluster(cluster.scheduler_address),
        Results(tmp_path / "run") as results,
    ):
        table = results.run(trials_of(models), X, Y, jobs=None)
    assert os.path.exists(marker)
    assert table["number"].tolist() == list(range(5))
    assert table["accuracy"].tolist() == [0.5] * 5
