"""Stacks and sequences in .npz and .npy files."""

import numpy as np
import pytest

from cornet_nn.datasets import load
from geomstats_cor.exceptions import DataError, DataWarning, ParameterError


@pytest.fixture
def covariances(rng):
    samples = rng.standard_normal((8, 4, 30))
    return samples @ samples.swapaxes(-1, -2) / 30


@pytest.fixture
def correlations(covariances):
    deviations = np.sqrt(np.diagonal(covariances, axis1=1, axis2=2))
    return covariances / deviations[:, :, None] / deviations[:, None]


LABELS = np.array([3, 3, 7, 7, 3, 7, 12, 12])


def saved(folder, **arrays):
    np.savez(folder / "data.npz", **arrays)
    return folder / "data.npz"


def test_correlations_with_labels_and_split(tmp_path, correlations):
    path = saved(
        tmp_path,
        C=correlations,
        y=LABELS,
        split=np.arange(8) % 2,
        classes=np.array(["a", "b", "c"]),
        groups=np.arange(8) // 2,
        extra=np.zeros(3),
    )
    data = load(path)
    assert data.kind == "correlation" and data.name == str(path)
    np.testing.assert_allclose(data.inputs, correlations, rtol=1e-15)
    assert data.labels.tolist() == [0, 0, 1, 1, 0, 1, 2, 2]
    assert data.classes == ("a", "b", "c")
    assert data.test.tolist() == [False, True] * 4
    assert data.groups.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert load(str(path)).classes == data.classes


def test_names_of_classes_are_those_of_the_labels(tmp_path, correlations):
    assert load(saved(tmp_path, C=correlations, y=LABELS)).classes == ("3", "7", "12")
    words = np.array(["dog", "cat"] * 4)
    data = load(saved(tmp_path, C=correlations, y=words))
    assert data.classes == ("cat", "dog") and data.labels.tolist() == [1, 0] * 4


def test_without_labels(tmp_path, correlations):
    data = load(saved(tmp_path, C=correlations))
    assert not data.is_labelled and data.labels.tolist() == [-1] * 8


@pytest.mark.parametrize("words", [["train", "test"], [False, True], [0.0, 1.0]])
def test_splits_in_words(tmp_path, correlations, words):
    data = load(saved(tmp_path, C=correlations, split=np.array(words * 4)))
    assert data.test.tolist() == [False, True] * 4


def test_a_split_of_three_is_an_error(tmp_path, correlations):
    path = saved(tmp_path, C=correlations, split=np.arange(8) % 3)
    with pytest.raises(
        ParameterError, match="split is 0 or 'train', 1 or 'test', not 2"
    ):
        load(path)


def test_the_kind_of_x_is_seen(tmp_path, rng, covariances, correlations):
    stacks = {
        "covariance": covariances,
        "correlation": correlations,
        "signal": rng.standard_normal((8, 2, 50)),
    }
    for kind, stack in stacks.items():
        assert load(saved(tmp_path, X=stack)).kind == kind
    many = np.stack([covariances, covariances], axis=1)
    assert load(saved(tmp_path, X=many)).inputs.shape == (8, 2, 4, 4)
    square = rng.standard_normal((8, 5, 5))
    assert load(saved(tmp_path, X=square)).kind == "signal"
    assert load(saved(tmp_path, X=correlations), kind="covariance").kind == "covariance"


def test_an_array_with_labels_beside_it(tmp_path, covariances):
    np.save(tmp_path / "stack.npy", covariances)
    np.save(tmp_path / "stack_labels.npy", LABELS)
    np.save(tmp_path / "stack_split.npy", np.arange(8) > 5)
    data = load(tmp_path / "stack.npy")
    assert data.kind == "covariance"
    assert data.labels.tolist() == [0, 0, 1, 1, 0, 1, 2, 2]
    assert len(data.test_part()) == 2


def test_shrinkage_and_ridge(tmp_path, covariances):
    path = saved(tmp_path, S=covariances)
    shrunk = load(path, shrinkage=0.3, ridge=2.0).inputs
    mean = np.trace(covariances, axis1=1, axis2=2)[:, None, None] / 4
    expected = 0.7 * covariances + (0.3 * mean + 2.0) * np.eye(4)
    np.testing.assert_allclose(shrunk, expected, rtol=1e-14)
    with pytest.raises(ParameterError, match="shrinkage is from 0 to 1, not 1.5"):
        load(path, shrinkage=1.5)
    with pytest.raises(ParameterError, match="ridge is zero or positive"):
        load(path, ridge=-1.0)


def test_correlations_are_not_regularised(tmp_path, correlations):
    with pytest.raises(ParameterError, match="for covariance matrices"):
        load(saved(tmp_path, C=correlations), shrinkage=0.1)


def test_bad_matrices_are_named(tmp_path, covariances):
    covariances[1, 0, 0] = np.nan
    covariances[2, 0, 1] += 1.0
    covariances[3] = 1.0
    covariances[4, 2] = covariances[4, :, 2] = 0.0
    covariances[5] = -covariances[5]
    path = saved(tmp_path, S=covariances, y=LABELS, names=np.array(list("abcdefgh")))
    with pytest.warns(DataWarning) as caught:
        data = load(path)
    assert len(caught) == 1
    assert data.labels.tolist() == [0, 2, 2]
    reasons = [
        "b has a NaN",
        "c is not symmetric",
        "d is singular",
        "e has a variance of zero",
        "f has a variance of zero",
    ]
    for problem, reason in zip(data.problems, reasons, strict=True):
        assert problem.startswith(reason)
    assert "5 of 8 items left out. b has a NaN" in str(caught[0].message)
    with pytest.raises(DataError, match=r"5 of 8 items cannot be used. b has a NaN"):
        load(path, errors="raise")
    covariances[3:5] = np.ones((4, 4)), np.diag([1.0, 1.0, 0.0, 1.0])
    path = saved(tmp_path, S=covariances, y=LABELS)
    with pytest.warns(DataWarning, match=r"data.npz\[1\] has a NaN"):
        assert len(load(path, shrinkage=0.01)) == 5


def test_a_correlation_needs_its_diagonal(tmp_path, correlations):
    correlations[2] *= 1.5
    with pytest.warns(DataWarning, match="diagonal that is not one"):
        assert len(load(saved(tmp_path, C=correlations))) == 7


def test_bad_signals_are_named(tmp_path, rng):
    signals = rng.standard_normal((4, 2, 30))
    signals[0, 0, 3] = np.inf
    signals[2] = 5.0
    with pytest.warns(DataWarning, match="infinity.*constant"):
        assert len(load(saved(tmp_path, X=signals))) == 2


def test_when_all_are_bad(tmp_path):
    with pytest.raises(DataError, match="none of 3 items can be used"):
        load(saved(tmp_path, S=np.zeros((3, 4, 4))))


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({}, "holds nothing: expected one array C, S or X"),
        ({"data": np.eye(2)[None]}, "holds data: expected one array C, S or X"),
        ({"C": np.eye(2)[None], "S": np.eye(2)[None]}, "holds C, S"),
        ({"S": np.zeros((3, 2, 5))}, r"expected shape \[N, n, n\] or \[N, c, n, n\]"),
        ({"X": np.zeros((3, 5))}, r"expected shape \[N, channels, time\]"),
        ({"C": np.eye(2)[None], "y": np.zeros(2)}, "y has shape"),
        ({"C": np.eye(2)[None], "y": np.array([0.5])}, "not whole numbers"),
        ({"C": np.eye(2)[None], "y": [1], "classes": ["a", "b"]}, "1 classes, and"),
        ({"S": np.eye(2)[None] * 1j}, "expected real numbers"),
        ({"X": np.zeros((9, 2)), "L": np.array([4, 4])}, "add up to 8"),
    ],
)
def test_files_that_do_not_fit(tmp_path, arrays, message):
    with pytest.raises(DataError, match=message):
        load(saved(tmp_path, **arrays))


def test_files_that_cannot_be_read(tmp_path):
    for name, content in {"a.npz": b"PK nothing", "b.npy": b"", "c.npz": b""}.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(DataError, match=f"{name} cannot be read"):
            load(tmp_path / name)
    np.savez(tmp_path / "d.npz", C=np.array([{}], dtype=object))
    with pytest.raises(DataError, match="cannot be read: Object arrays.*dtype=str"):
        load(tmp_path / "d.npz")


# Sequences -------------------------------------------------------------------------


@pytest.fixture
def sequences(rng):
    lengths = np.array([10, 14, 8])
    return {"X": rng.standard_normal((32, 5)), "L": lengths, "y": np.array([1, 0, 1])}


def test_sequences_become_covariances(tmp_path, sequences):
    data = load(
        saved(tmp_path, **sequences), cache=False, progress=False, shrinkage=0.0
    )
    assert data.kind == "covariance" and data.inputs.shape == (3, 5, 5)
    expected = np.cov(sequences["X"][10:24].T, bias=True)
    np.testing.assert_allclose(data.inputs[1], expected, rtol=1e-12)


def test_sequences_are_shrunk_unless_told(tmp_path, sequences):
    data = load(saved(tmp_path, **sequences), cache=False, progress=False)
    raw = np.cov(sequences["X"][:10].T, bias=True)
    expected = 0.999 * raw + 0.001 * np.trace(raw) / 5 * np.eye(5)
    np.testing.assert_allclose(data.inputs[0], expected, rtol=1e-12)


def test_sequences_of_a_skeleton(tmp_path, rng):
    path = saved(
        tmp_path,
        X=rng.standard_normal((30, 93)).astype(np.float32),
        L=np.array([12, 18]),
    )
    options = {"cache": False, "progress": False}
    assert load(path, **options).inputs.shape == (2, 93, 93)
    relative = load(path, skeleton="hdm05", center="frame", **options)
    assert relative.inputs.shape == (2, 90, 90)
    gaussian = load(
        path,
        skeleton="hdm05",
        bone_lengths=True,
        center="frame",
        view="frame",
        representation="gaussian",
        levels=2,
        neighbors=("left", "bottom"),
        **options,
    )
    assert gaussian.inputs.shape == (2, 6, 28, 28)


def test_bad_sequences_are_named(tmp_path, rng):
    frames = rng.standard_normal((40, 5))
    frames[15, 2] = np.nan
    frames[21:31] = 1.5
    arrays = {"X": frames, "L": np.array([10, 10, 1, 10, 0, 9]), "y": np.arange(6) % 2}
    path = saved(tmp_path, **arrays, names=np.array(list("abcdef")))
    with pytest.warns(DataWarning, match="4 of 6 items left out"):
        data = load(path, cache=False, progress=False)
    assert data.problems == (
        "b has a NaN or an infinity in frame 5",
        "c has 1 frames: at least 2 are needed for a pyramid of 1 levels",
        "d is constant (a ridge keeps it)",
        "e is empty",
    )
    assert data.labels.tolist() == [0, 1]
    with pytest.raises(DataError, match="c has 1 frames"):
        load(path, cache=False, progress=False, errors="raise")
    with pytest.warns(DataWarning, match="3 of 6 items left out"):
        kept = load(path, cache=False, progress=False, ridge=0.5)
    np.testing.assert_allclose(kept.inputs[1], 0.5 * np.eye(5))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"center": "frame"}, "center need a skeleton"),
        ({"representation": "gaussian"}, "need a skeleton"),
        ({"bone_lengths": True}, "bone_lengths needs a skeleton"),
        ({"skeleton": "horse"}, "skeleton: expected one of 'hdm05', 'fpha', 'ntu120'"),
        ({"kind": "signal"}, "holds sequences"),
        ({"levels": 0}, "levels is at least 1"),
        ({"dtype": "float16"}, "dtype: expected one of 'float32', 'float64'"),
        ({"power": 0.5}, "needs correlation=True"),
        ({"colour": 1}, "no option colour"),
    ],
)
def test_options_that_do_not_fit_sequences(tmp_path, sequences, options, message):
    with pytest.raises(ParameterError, match=message):
        load(saved(tmp_path, **sequences), cache=False, progress=False, **options)


def test_steps_are_for_sequences(tmp_path, correlations):
    with pytest.raises(ParameterError, match="levels, skeleton: for sequences only"):
        load(saved(tmp_path, C=correlations), levels=2, skeleton="hdm05")
