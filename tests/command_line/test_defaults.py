"""Without options, the command line trains as the classifiers do."""

import inspect
import json

import pytest

from cornet_nn.command_line.fitting import make_classifier
from cornet_nn.command_line.runs import read_record
from cornet_nn.command_line.settings import SETTINGS, with_defaults
from cornet_nn.training import CorMLRClassifier, CorNetClassifier

CLASSIFIERS = {"cornet": CorNetClassifier, "cormlr": CorMLRClassifier}
# Seeds are fixed on the command line; files and modules are no settings.
OTHERS = {"random_state", "front_end", "progress", "directory", "resume", "overwrite"}


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
    made = make_classifier(with_defaults({"model": model}), progress=False)
    assert type(made) is CLASSIFIERS[model]
    expected = CLASSIFIERS[model](random_state=0, progress=False)
    assert made.get_params() == expected.get_params()


@pytest.mark.parametrize("name", ["normalize", "schedule", "activation"])
def test_none_is_a_word(name):
    made = make_classifier(with_defaults({name: "none"}))
    assert made.get_params()[name] is None
    assert "none" in SETTINGS[name].choices


def test_records_of_earlier_versions_are_read(tmp_path):
    """They have no digest, and settings that are gone."""
    settings = dict(
        model="cornet", metric="lsm", center=False, activation=None, lr=0.01
    )
    source = dict(data="data.npz", directory=None, options={})
    record = dict(source=source, settings=settings, fingerprint="0", part="all")
    (tmp_path / "run.json").write_text(json.dumps(record))
    found = read_record(tmp_path)["settings"]
    assert (found["metric"], found["lr"]) == ("lsm", 0.01)
    assert "center" not in found
