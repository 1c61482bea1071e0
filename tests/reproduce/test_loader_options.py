"""Where data is found, options of loaders, items that cannot be used, and settings."""

import csv

import numpy as np
import pytest
import sklearn.base
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import FunctionTransformer

from cornet_nn.datasets import Dataset, LeftOut
from cornet_nn.reproduce import Options, experiments, reproduce
from cornet_nn.reproduce.methods import find_data, find_method
from cornet_nn.reproduce.report import non_default, published_settings
from cornet_nn.runner import Trial, fit_and_score, key_of
from cornet_nn.splits import paper_parts
from cornet_nn.training import CorMLRClassifier, CorNetClassifier
from geomstats_cor.exceptions import DataError, ParameterError

from .files import data_folder
from .test_commands import command, table_of

POSES = "Hand_pose_annotation_v1"
SPLIT = "data_split_action_recognition.txt"
ROW = "CorNet-OLM"


@pytest.fixture
def folder(tmp_path):
    """Return a folder with the hands alone, at data/fpha."""
    folder = data_folder(tmp_path / "data")
    for name in ("radar", "hdm05"):
        (folder / name).rename(tmp_path / name)
    return folder


def words(folder, output, *more):
    quick = ["main", "--data", folder, "--output", output, "--only", ROW, "--quiet"]
    return [*quick, "--seeds", 1, "--epochs", 1, *more]


def cells_of(output):
    with open(output / "main-runs" / "cells.csv", newline="") as file:
        return list(csv.DictReader(file))


def distributed(folder, place):
    """Move the hands to the layout in which they are distributed."""
    hands = folder / "fpha"
    (folder / "moved").mkdir()
    (hands / SPLIT).rename(folder / "moved" / SPLIT)
    hands.rename(folder / "moved" / POSES)
    if place == "in fpha":
        (folder / "moved").rename(folder / "fpha")
    elif place == "in the folder":
        for name in (SPLIT, POSES):
            (folder / "moved" / name).rename(folder / name)
    else:
        elsewhere = folder.parent / "elsewhere"
        (folder / "moved").rename(elsewhere)
        target = elsewhere if place == "link to the upper level" else elsewhere / POSES
        (folder / "fpha").symlink_to(target)


@pytest.mark.parametrize(
    "place",
    ["in fpha", "in the folder", "link to the upper level", "link to the lower level"],
)
@pytest.mark.parametrize("form", ["channels", "covariance"])
def test_fpha_as_it_is_distributed(folder, place, form):
    expected = find_data("FPHA", form, folder, True).dataset
    distributed(folder, place)
    found = find_data("FPHA", form, folder / ".", True).dataset
    np.testing.assert_array_equal(found.inputs, expected.inputs)
    np.testing.assert_array_equal(found.test, expected.test)


def test_folders_that_are_not_there_are_named(tmp_path):
    reason = find_data("FPHA", "channels", tmp_path).reason
    assert f"no folder fpha-features or fpha or {POSES} in {tmp_path}" in reason
    (tmp_path / "fpha").symlink_to(tmp_path / "gone")
    reason = find_data("FPHA", "channels", tmp_path).reason
    assert f"{tmp_path / 'fpha'} is a broken link to {tmp_path / 'gone'}" in reason


def test_a_missing_split_names_the_paths(folder, tmp_path):
    (folder / "fpha" / SPLIT).unlink()
    with pytest.raises(ParameterError, match="split of FPHA is missing") as caught:
        command(*words(folder, tmp_path / "output"))
    for path in (folder / "fpha" / SPLIT, folder / SPLIT):
        assert str(path) in str(caught.value)


def test_options_reach_the_loader_and_are_recorded(folder, tmp_path):
    output = tmp_path / "output"
    command(*words(folder, output, "--option", "root=false", "--option", "frames=50"))
    given = {"root": False, "frames": 50}
    plain = find_data("FPHA", "channels", folder).dataset
    other = find_data("FPHA", "channels", folder, given=given).dataset
    assert not np.allclose(plain.inputs, other.inputs)
    rows, text = table_of(output, "main")
    note = "loader options root=False frames=50"
    assert note in rows[ROW, "FPHA"]["note"] and note in text
    assert note not in rows[ROW, "HDM05"]["note"]  # no data there
    command(*words(folder, output, "--resume"))
    assert note not in table_of(output, "main")[1]
    first, second = cells_of(output)
    assert first["key"] != second["key"]


def test_options_that_change_no_number_are_the_same_run(folder, tmp_path):
    output = tmp_path / "output"
    command(*words(folder, output))
    command(*words(folder, output, "--resume"))
    command(*words(folder, output, "--resume", "--option", "dtype=float64"))
    assert len(cells_of(output)) == 1


def test_runs_without_a_key_are_refused(folder, tmp_path):
    output = tmp_path / "output"
    command(*words(folder, output))
    path = output / "main-runs" / "cells.csv"
    rows = cells_of(output)
    for row in rows:
        del row["key"]
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    with pytest.raises(ParameterError, match="of another version"):
        command(*words(folder, output, "--resume"))


def test_options_choose_the_loader_that_has_them(folder, tmp_path):
    torch = pytest.importorskip("torch")
    for part in ("train", "val"):
        (folder / "fpha-features" / part).mkdir(parents=True)
        for number in range(4):
            matrices = torch.eye(28).expand(9, 28, 28) * (1.0 + number)
            file = folder / "fpha-features" / part / f"clip{number}_{number % 2}.pt"
            torch.save({"covariance_matrices": matrices.clone()}, file)
    assert find_data("FPHA", "channels", folder).dataset.name == "fpha-features"
    given = {"view": "frame"}
    found = find_data("FPHA", "channels", folder, given=given)
    assert (found.dataset.name, found.taken) == ("fpha", given)
    # Where that is not there, the table says that the option has no effect.
    (folder / "fpha").rename(tmp_path / "fpha")
    command(*words(folder, tmp_path / "output", "--option", "view=frame"))
    rows, _ = table_of(tmp_path / "output", "main")
    assert "the loader has no option view" in rows[ROW, "FPHA"]["note"]


def test_options_that_no_loader_has(folder, tmp_path):
    with pytest.raises(ParameterError, match="no data set has the option wrist"):
        command(*words(folder, tmp_path, "--option", "wrist=false"))
    with pytest.raises(ParameterError, match="runtime loads no data"):
        reproduce("runtime", Options(output=tmp_path, loader={"root": False}))


def test_test_items_that_cannot_be_used_are_counted(folder, tmp_path):
    hands = folder / "fpha"
    for number in (0, 6, 8):  # the first is for training
        (path,) = hands.glob(f"Subject_*/*/{number}/skeleton.txt")
        lines = path.read_text().splitlines()
        path.write_text("\n".join([lines[0]] * len(lines)))
    output = tmp_path / "output"
    command(*words(folder, output))
    rows, text = table_of(output, "main")
    for note in (
        "2 of 6 test items cannot be used and count as errors",
        "1 training items cannot be used",
    ):
        assert note in rows[ROW, "FPHA"]["note"]
        assert note in text
    with pytest.raises(DataError, match="3 of 12 items cannot be used"):
        command(*words(folder, tmp_path / "strict", "--option", "errors=raise"))
    # Of six test items, four can be right.
    assert float(rows[ROW, "FPHA"]["ours_mean"]) <= 100 * 4 / 6 + 1e-3


@pytest.mark.parametrize("data", ["FPHA", "HDM05", "Radar"])
def test_accuracies_count_items_that_cannot_be_used(data):
    labels = np.arange(20) % 2
    dataset = Dataset(
        "some",
        np.stack([np.eye(3)] * 20),
        labels,
        ("a", "b"),
        "covariance",
        test=None if data == "Radar" else labels == 1,
        left_out=LeftOut(
            np.array([0, 0, 1, 1]),
            None if data == "Radar" else np.array([False, True, True, True]),
        ),
    )
    every = paper_parts(dataset, data, 5)
    assert len(every) == 5
    tested = [np.sum(test >= 20) for _, test in every]
    sizes = [len(test) for _, test in every]
    if data == "FPHA":
        assert (tested, sizes) == ([3] * 5, [13] * 5)
    elif data == "HDM05":
        assert sizes == [12] * 5 and 0 < sum(tested) < 20  # drawn with the others
    else:
        assert (sum(tested), sum(sizes)) == (4, 24)  # each of them once
    for (train, test), unusable in zip(every, tested, strict=True):
        assert train.max() < 20 and not np.intersect1d(train, test).size

        # A model that knows the classes has everything right that can be used.
        inputs = np.arange(20.0)[:, None]
        known = KNeighborsClassifier(1).fit(inputs, labels)
        trial = Trial({}, FunctionTransformer(), train, test)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sklearn.base, "clone", lambda _, known=known: _Knowing(known))
            found = fit_and_score(trial, inputs, labels)
        assert found["accuracy"] == pytest.approx((len(test) - unusable) / len(test))


class _Knowing:
    def __init__(self, known):
        self.predict = known.predict

    def fit(self, X, y):
        return self


@pytest.mark.parametrize("name", ["CorNet-ECM", "CorNet-OLM/LSM", "CorMLR-ECM"])
def test_networks_start_as_the_classifiers_do(name):
    assert "gain" not in published_settings()
    model = find_method(name, "FPHA").make(1, 0, False)
    default = CorNetClassifier() if "CorNet" in name else CorMLRClassifier()
    assert model.get_params().get("gain") == default.get_params().get("gain")
    assert "gain" not in non_default(model)


def test_settings_that_are_not_defaults_are_printed(folder, tmp_path):
    command(*words(folder, tmp_path / "plain"))
    rows, text = table_of(tmp_path / "plain", "main")
    settings = rows[ROW, "FPHA"]["settings"]
    chosen = published_settings()["hyperparameters"]["FPHA"]["OLM"]
    model = find_method(ROW, "FPHA").make(1, 0, False)
    for name, value in non_default(model).items():
        assert f"{name}={value}" in settings
    assert f"power={chosen['power']}" in settings and f"lr={chosen['lr']}" in settings
    assert "gain=" not in settings
    assert f"- {settings}: {ROW} on FPHA" in text
    command(*words(folder, tmp_path / "other", "--gain", 0.25))
    rows, text = table_of(tmp_path / "other", "main")
    assert "gain=0.25" in rows[ROW, "FPHA"]["settings"] and "gain=0.25" in text


def test_the_gain_of_the_settings_file_is_used(monkeypatch):
    chosen = {**published_settings(), "gain": 0.125}
    monkeypatch.setattr(experiments, "published_settings", lambda: chosen)
    method = find_method(ROW, "FPHA")
    assert experiments._model(method, 1, 0, Options()).gain == 0.125
    assert experiments._model(method, 1, 0, Options(gain=0.5)).gain == 0.5
    # A network without a gain is left as it is.
    method = find_method("SPDMLR-LEM", "FPHA")
    assert (
        "gain" not in experiments._model(method, 1, 0, Options(gain=0.5)).get_params()
    )


def test_keys_tell_settings_apart():
    def key(model, train=(0, 1), data="a"):
        return key_of(Trial({}, model, np.array(train), np.array([2])), data)

    one, two = (CorNetClassifier("olm", gain=gain) for gain in (1.0, 0.5))
    assert key(one) != key(two)
    assert key(one) != key(one, data="b")
    assert key(one) != key(one, train=(0, 3))
    again = CorNetClassifier("olm", gain=1.0, progress=False, device="cuda")
    assert key(one) == key(again)
    assert key(one) != key(CorNetClassifier("olm", gain=1.0, random_state=5))
    radar = find_method(ROW, "Radar")
    assert key(radar.make(1, 0, False)) == key(radar.make(1, 0, True))
