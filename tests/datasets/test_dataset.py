"""A data set is consistent, and its parts are what they say."""

import dataclasses

import numpy as np
import pytest

from cornet_nn.datasets import Dataset, LeftOut
from geomstats_cor.exceptions import ParameterError, ShapeError


@pytest.fixture
def data(rng):
    return Dataset(
        "some",
        rng.standard_normal((6, 2, 9)),
        [0, 1, 2, 0, 1, 2],
        ("a", "b", "c"),
        "signal",
        test=[0, 0, 0, 1, 1, 0],
        groups=list("xxyyzz"),
        problems=("seven is empty",),
    )


def test_items_left_out_keep_their_part():
    left_out = LeftOut(np.array([0, 1, 1]), np.array([True, False, True]))
    data = Dataset(
        "some",
        np.stack([np.eye(2)] * 4),
        [0, 1, 0, 1],
        ("a", "b"),
        "correlation",
        test=[False, False, True, True],
        left_out=left_out,
    )
    assert data.test_part().left_out.labels.tolist() == [0, 1]
    assert data.train_part().left_out.labels.tolist() == [1]
    # A part of one's own choice has none of them.
    assert len(data.subset([0, 1]).left_out) == 0
    without = Dataset("some", np.stack([np.eye(2)] * 2), [0, 0], ("a",), "correlation")
    assert len(without.left_out) == 0


def test_parts_make_up_the_whole(data):
    train, test = data.train_part(), data.test_part()
    assert train.labels.tolist() == [0, 1, 2, 2]
    assert test.labels.tolist() == [0, 1]
    assert test.groups.tolist() == ["y", "z"]
    np.testing.assert_array_equal(test.inputs, data.inputs[3:5])
    assert not train.test.any() and test.test.all()
    assert train.classes == test.classes == data.classes


@pytest.mark.parametrize("index", [[4, 0], np.arange(6) % 2 == 0, slice(1, 3)])
def test_subsets_keep_rows_together(data, index):
    part = data.subset(index)
    rows = np.arange(6)[index]
    assert len(part) == len(rows)
    np.testing.assert_array_equal(part.inputs, data.inputs[rows])
    assert part.labels.tolist() == [data.labels[row] for row in rows]
    assert part.groups.tolist() == [data.groups[row] for row in rows]
    assert part.problems == data.problems


def test_no_split_is_an_error(data):
    with pytest.raises(ParameterError, match="some comes without a split"):
        dataclasses.replace(data, test=None).train_part()


def test_it_cannot_be_changed(data):
    with pytest.raises(dataclasses.FrozenInstanceError):
        data.name = "other"


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"labels": [0, 1]}, ShapeError, "labels has shape"),
        ({"test": [True]}, ShapeError, "test has shape"),
        ({"groups": [1, 2]}, ShapeError, "groups has shape"),
        ({"labels": [0, 1, 2, 3, 0, 0]}, ParameterError, "run from 0 to 3"),
        ({"labels": [0, 1, 2, -1, 0, 0]}, ParameterError, "run from -1 to 2"),
        (
            {"kind": "matrix"},
            ParameterError,
            "kind: expected one of 'correlation', 'covariance'",
        ),
    ],
)
def test_what_does_not_fit_is_an_error(data, change, error, message):
    with pytest.raises(error, match=message):
        dataclasses.replace(data, **change)


def test_it_says_what_it_is(data):
    assert repr(data) == (
        "Dataset some: 6 signal [2, 9], 3 classes, 2 for test, 1 left out"
    )
    plain = Dataset("bare", np.eye(2)[None], [-1], (), "correlation", synthetic=True)
    assert repr(plain) == "Dataset (synthetic) bare: 1 correlation [2, 2], no labels"
    assert not plain.is_labelled
