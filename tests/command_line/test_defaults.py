"""Without options, the command line trains as the classifiers do."""

import inspect
import json

import pytest

from cornet_nn.command_line.settings import (
    make_estimator,
    parsed,
    read_settings,
    with_defaults,
)
from cornet_nn.training import CorMLRClassifier, CorNetClassifier

CLASSIFIERS = {"cornet": CorNetClassifier, "cormlr": CorMLRClassifier}
# Seeds are fixed on the command line; files and modules are no settings.
OTHERS = {"random_state", "front_end", "progress", "directory", "resume", "overwrite"}
OTHERS |= {"callbacks", "criterion", "module", "options"}


@pytest.mark.parametrize("model", CLASSIFIERS)
def test_defaults_are_those_of_the_signature(model):
    signature = inspect.signature(CLASSIFIERS[model])
    expected = {
        name: parameter.default
        for name, parameter in signature.parameters.items()
        if name not in OTHERS
    }
    settings = with_defaults({"model": model})
    assert settings.pop("random_state") == 0
    assert settings.pop("model") == model
    assert settings == expected


@pytest.mark.parametrize("model", CLASSIFIERS)
def test_the_classifier_is_the_default_one(model):
    made = make_estimator(with_defaults({"model": model}), progress=False)
    assert type(made) is CLASSIFIERS[model]
    expected = CLASSIFIERS[model](random_state=0, progress=False)
    assert made.get_params() == expected.get_params()


@pytest.mark.parametrize("name", ["normalize", "schedule", "activation"])
def test_none_is_a_word(name, data_file, tmp_path, cornet):
    words = (
        "train",
        data_file,
        "--epochs",
        1,
        "--quiet",
        "--run-dir",
        tmp_path / "run",
    )
    assert cornet(*words, f"--{name}", "none")[0] == 0
    record = json.loads((tmp_path / "run" / "run.json").read_text())
    assert record["parameters"][name] is None


def test_files_of_settings_of_earlier_versions_are_read(tmp_path):
    """They have settings apart from the estimator, and words for nothing."""
    settings = dict(model="cornet", metric="lsm", activation="none", lr=0.01)
    source = dict(data="data.npz", directory=None, options={})
    record = dict(source=source, settings=settings, fingerprint="0", part="all")
    (tmp_path / "run.json").write_text(json.dumps(record))
    found = read_settings(tmp_path / "run.json")
    assert (found["metric"], found["lr"]) == ("lsm", 0.01)
    assert found["activation"] is None


@pytest.mark.parametrize(
    ("name", "word", "value"),
    [
        ("lr", "1e-2", 0.01),
        ("kernel_size", "null", None),
        ("C", "cv", "cv"),
        ("C", "10", 10.0),
        ("refit", "false", False),
        ("class_weight", '{"walk": 2}', {"walk": 2.0}),
    ],
)
def test_words_are_read_by_type(name, word, value):
    assert parsed({name: word}) == {name: value}
