"""NTU120 from skeleton files: mutual actions, cross-setup."""

import numpy as np
import pytest

from cornet_nn.datasets import NTU, SequenceMatrices, load
from cornet_nn.datasets.ntu120 import MUTUAL_ACTIONS, read_bodies
from geomstats_cor.exceptions import DataError, DataWarning, ParameterError

from .files import ntu_folder, skeleton_text, smooth_walk, two_bodies

QUIET = {"cache": False, "progress": False}


def test_mutual_actions_across_setups(tmp_path, rng):
    folder = ntu_folder(tmp_path, rng, actions=(49, 50, 106))
    data = load("ntu120", directory=folder, **QUIET)
    assert len(MUTUAL_ACTIONS) == 26
    assert data.inputs.shape == (8, 6, 28, 28) and data.kind == "covariance"
    assert data.classes == ("A050", "A106")
    # Setups of even number are for training.
    assert data.groups.tolist() == [1, 1, 1, 1, 2, 2, 2, 2]
    assert data.test.tolist() == [True] * 4 + [False] * 4
    assert load(folder, **QUIET).name == "ntu120"
    every = load("ntu120", directory=folder, actions="all", **QUIET)
    assert every.classes == ("A049", "A050", "A106")
    assert load("ntu120", directory=folder, actions=[49], **QUIET).classes == ("A049",)
    with pytest.raises(ParameterError, match="expected 'mutual', 'all' or numbers"):
        load("ntu120", directory=folder, actions="single", **QUIET)
    with pytest.raises(ParameterError, match="of these actions"):
        load("ntu120", directory=folder, actions=[1], **QUIET)


def test_further_steps(tmp_path, rng):
    folder = ntu_folder(tmp_path, rng)
    steps = {"root": False, "frames": 20, "augmented": True}
    data = load("ntu120", directory=folder, **steps, **QUIET)
    assert data.inputs.shape == (8, 6, 29, 29)
    data = load("ntu120-covariances", directory=folder, **steps, **QUIET)
    assert data.inputs.shape == (8, 145, 145)


@pytest.fixture
def file(tmp_path):
    return tmp_path / "S001C001P001R001A050.skeleton"


def test_joints_are_read_with_the_one_that_moves_most_first(file, rng):
    calm, lively = smooth_walk(rng, 6, 25), smooth_walk(rng, 6, 25)
    lively += 10.0 * np.arange(6)[:, None, None]
    tracks = {"1": dict(enumerate(calm)), "2": dict(enumerate(lively))}
    file.write_text(skeleton_text(tracks, 6))
    joints = read_bodies(file)
    np.testing.assert_allclose(joints[:, :25], lively, atol=1e-6)
    np.testing.assert_allclose(joints[:, 25:], calm, atol=1e-6)
    np.testing.assert_allclose(read_bodies(file, number=1), calm, atol=1e-6)


def test_gaps_are_interpolated_and_strangers_left_out(file, rng):
    one, two, stranger = (smooth_walk(rng, 8, 25) for _ in range(3))
    tracks = {
        # Identifiers that differ beyond the precision of a float.
        "72057594037931101": {t: one[t] for t in range(8) if t != 5},
        "72057594037931102": {t: two[t] for t in range(2, 8) if t != 5},
        "72057594037931103": {3: stranger[3]},
    }
    file.write_text(skeleton_text(tracks, 8))
    joints = read_bodies(file)
    # Frame 5 has no body: it is left out.
    assert joints.shape == (7, 50, 3)
    bodies = [joints[:, :25], joints[:, 25:]]
    bodies.sort(key=lambda body: np.abs(body[-1] - one[7]).max())
    np.testing.assert_allclose(bodies[0], one[[0, 1, 2, 3, 4, 6, 7]], atol=1e-6)
    np.testing.assert_allclose(bodies[1], two[[2, 2, 2, 3, 4, 6, 7]], atol=1e-6)
    tracks["72057594037931102"].pop(3)
    file.write_text(skeleton_text(tracks, 8))
    joints = read_bodies(file)
    bodies = [joints[:, :25], joints[:, 25:]]
    bodies.sort(key=lambda body: np.abs(body[-1] - one[7]).max())
    np.testing.assert_allclose(bodies[1][3], (two[2] + two[4]) / 2, atol=1e-6)


def test_two_bodies_are_placed_by_the_first(tmp_path, rng):
    folder = ntu_folder(tmp_path, rng, actions=(50,))
    data = load("ntu120", directory=folder, **QUIET)
    joints = read_bodies(sorted(folder.glob("*.skeleton"))[1])
    joints = joints - joints[0, 0]
    matrices = SequenceMatrices(NTU)
    expected = [matrices(joints[:, :25]), matrices(joints[:, 25:])]
    np.testing.assert_allclose(data.inputs[1], np.concatenate(expected), rtol=1e-9)


@pytest.mark.parametrize(
    ("options", "shape"),
    [
        ({"bodies": "joined", "neighbors": ("left", "right")}, (6, 28, 28)),
        ({"bodies": "first"}, (3, 28, 28)),
        ({"bone_lengths": True, "view": "first"}, (6, 28, 28)),
        ({"bodies": "joined", "bone_lengths": True}, (3, 28, 28)),
        ({"levels": 1}, (2, 28, 28)),
    ],
)
def test_shapes(tmp_path, rng, options, shape):
    data = load("ntu120", directory=ntu_folder(tmp_path, rng), **options, **QUIET)
    assert data.inputs.shape == (8, *shape)


def test_global_covariances(tmp_path, rng):
    folder = ntu_folder(tmp_path, rng)
    data = load("ntu120-covariances", directory=folder, **QUIET)
    assert data.inputs.shape == (8, 150, 150)
    joints = read_bodies(sorted(folder.glob("*.skeleton"))[0]).reshape(-1, 150)
    raw = np.cov(joints.T, bias=True)
    expected = 0.999 * raw + 0.001 * np.trace(raw) / 150 * np.eye(150)
    np.testing.assert_allclose(data.inputs[0], expected, atol=1e-10)


def test_bad_files_are_named(tmp_path, rng):
    folder = ntu_folder(tmp_path, rng, frames=8)
    files = sorted(folder.glob("*.skeleton"))
    files[0].write_text("")
    files[1].write_text("3\n0\n0\n0\n")
    files[2].write_text(files[2].read_text()[:3000])
    files[3].write_text(skeleton_text(two_bodies(rng, 1), 1))
    bodies = two_bodies(rng, 8)
    bodies.popitem()
    files[4].write_text(skeleton_text(bodies, 8))
    bodies = two_bodies(rng, 8)
    for track in bodies.values():
        track[6] = np.full((25, 3), np.nan)
    files[5].write_text(skeleton_text(bodies, 8))
    files[6].write_text(files[6].read_text().replace("\n25\n", "\n24\n", 1))
    with pytest.warns(DataWarning, match="7 of 8 items left out"):
        data = load("ntu120", directory=folder, **QUIET)
    reasons = [
        "is empty",
        "is empty: no frame has a body",
        "is cut short",
        "has 1 frames",
        "has one body: expected two",
        "has a NaN or an infinity in frame 6",
        "has a body of 24 joints: expected 25",
    ]
    for file, problem, reason in zip(files, data.problems, reasons, strict=False):
        assert problem.startswith(f"{file.name} {reason}")
    with pytest.warns(DataWarning, match="6 of 8 items left out"):
        load("ntu120", directory=folder, bodies="first", **QUIET)
    with pytest.raises(DataError, match="has one body"):
        load("ntu120", directory=folder, errors="raise", **QUIET)


def test_unknown_bodies(tmp_path, rng):
    with pytest.raises(ParameterError, match="bodies: expected one of 'separate'"):
        load("ntu120", directory=ntu_folder(tmp_path, rng), bodies="all", **QUIET)
