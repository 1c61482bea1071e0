"""Each step removes what it says, and nothing else."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from cornet_nn.datasets import FPHA, HDM05, NTU
from cornet_nn.datasets.skeletons import (
    aligned,
    bone_lengths,
    centered,
    pair,
    with_bone_lengths,
)
from geomstats_cor.exceptions import DataError, ParameterError

SKELETONS = {"hdm05": HDM05, "fpha": FPHA, "ntu120": NTU}


@pytest.fixture(params=SKELETONS)
def skeleton(request):
    return SKELETONS[request.param]


@pytest.fixture
def joints(rng, skeleton):
    return rng.standard_normal((5, len(skeleton.joints), 3))


def distances(joints):
    return np.linalg.norm(joints[:, :, None] - joints[:, None], axis=-1)


def test_centring_by_frame_removes_the_path(skeleton, joints, rng):
    path = rng.standard_normal((5, 1, 3))
    moved = centered(joints + path, skeleton.root, "frame")
    np.testing.assert_allclose(moved, centered(joints, skeleton.root), atol=1e-12)
    np.testing.assert_allclose(moved[:, skeleton.root], 0.0, atol=1e-12)
    np.testing.assert_allclose(distances(moved), distances(joints))


def test_centring_by_the_first_frame_keeps_the_path(skeleton, joints, rng):
    place, path = rng.standard_normal(3), rng.standard_normal((5, 1, 3))
    once = centered(joints + path, skeleton.root, "first")
    np.testing.assert_allclose(
        centered(joints + path + place, skeleton.root, "first"), once, atol=1e-12
    )
    np.testing.assert_array_equal(once[0, skeleton.root], 0.0)
    steps = np.diff((joints + path)[:, skeleton.root], axis=0)
    np.testing.assert_allclose(np.diff(once[:, skeleton.root], axis=0), steps)


def test_bones_get_the_lengths_and_keep_their_directions(skeleton, joints, rng):
    lengths = rng.uniform(0.5, 2.0, len(skeleton.joints))
    resized = with_bone_lengths(joints, skeleton, lengths)
    for joint, parent in enumerate(skeleton.parents):
        if parent == -1:
            np.testing.assert_array_equal(resized[:, joint], joints[:, joint])
            continue
        old, new = (x[:, joint] - x[:, parent] for x in (joints, resized))
        np.testing.assert_allclose(np.linalg.norm(new, axis=-1), lengths[joint])
        np.testing.assert_allclose(
            new / lengths[joint], old / np.linalg.norm(old, axis=-1, keepdims=True)
        )


def test_bone_lengths_remove_the_size(skeleton, joints):
    root = joints[:, [skeleton.root]]
    lengths = bone_lengths(joints, skeleton)
    large = with_bone_lengths(root + 3.0 * (joints - root), skeleton, lengths)
    np.testing.assert_allclose(large, with_bone_lengths(joints, skeleton, lengths))


def test_own_lengths_change_nothing(skeleton, joints):
    still = np.repeat(joints[:1], 5, axis=0)
    same = with_bone_lengths(still, skeleton, bone_lengths(still, skeleton))
    np.testing.assert_allclose(same, still, atol=1e-12)


def test_a_bone_without_length_gives_no_nan():
    joints = np.zeros((2, 21, 3))
    resized = with_bone_lengths(joints, FPHA, np.ones(21))
    np.testing.assert_array_equal(resized, joints)


def turns(skeleton, rng, number):
    """Return rotations that alignment must undo: about the vertical, or any."""
    if skeleton.upright is not None:
        return Rotation.random(number, rng=rng).as_matrix()
    return Rotation.from_euler("y", rng.uniform(0, 2 * np.pi, (number, 1))).as_matrix()


def test_alignment_by_frame_removes_turns(skeleton, joints, rng):
    turned = np.einsum("tij,tkj->tki", turns(skeleton, rng, 5), joints)
    np.testing.assert_allclose(
        aligned(turned, skeleton), aligned(joints, skeleton), atol=1e-10
    )
    np.testing.assert_allclose(distances(aligned(joints, skeleton)), distances(joints))


def test_alignment_by_the_first_frame_keeps_turns(skeleton, joints, rng):
    turned = joints @ turns(skeleton, rng, 1)[0].T
    first = aligned(joints, skeleton, "first")
    np.testing.assert_allclose(aligned(turned, skeleton, "first"), first, atol=1e-10)
    np.testing.assert_allclose(first[0], aligned(joints, skeleton)[0], atol=1e-12)
    assert not np.allclose(first[1], aligned(joints, skeleton)[1])


def test_the_aligned_view(skeleton, joints):
    left, right = skeleton.across
    view = aligned(joints, skeleton)
    across = view[:, right] - view[:, left]
    assert (across[:, 0] > 0).all()
    np.testing.assert_allclose(across[:, 2], 0.0, atol=1e-12)
    if skeleton.upright is None:
        np.testing.assert_allclose(view[..., 1], joints[..., 1])
    else:
        low, high = skeleton.upright
        np.testing.assert_allclose(
            (view[:, high] - view[:, low])[:, ::2], 0, atol=1e-12
        )
        assert (view[:, high] - view[:, low])[:, 1].min() > 0
    # A rotation, not a reflection.
    assert np.linalg.det(view[0, :3] @ np.linalg.inv(joints[0, :3])) > 0


def test_no_view_is_an_error(skeleton, joints):
    left, right = skeleton.across
    joints[3, left] = joints[3, right]
    with pytest.raises(DataError, match="align the view with in frame 3"):
        aligned(joints, skeleton)


def test_unknown_ways():
    joints = np.ones((2, 21, 3))
    with pytest.raises(
        ParameterError, match="center: expected one of 'frame', 'first', got 'last'"
    ):
        centered(joints, 0, "last")
    with pytest.raises(ParameterError, match="view: expected one of .*got 'last'"):
        aligned(joints, FPHA, "last")


# Skeletons -------------------------------------------------------------------------


def test_every_joint_reaches_the_root(skeleton):
    assert len(set(skeleton.joints)) == len(skeleton.joints)
    assert skeleton.parents.count(-1) == 1
    assert skeleton.depths[skeleton.root] == 0
    assert max(skeleton.depths) < len(skeleton.joints)
    in_chains = [joint for chain in skeleton.chains for joint in chain]
    assert len(set(in_chains)) == len(in_chains)
    assert set(range(len(skeleton.joints))) - set(in_chains) <= {skeleton.root}


def named(skeleton, side, joint):
    return skeleton.joints[skeleton.neighbors(side)[skeleton.joints.index(joint)]]


@pytest.mark.parametrize(
    ("skeleton", "side", "joint", "neighbor"),
    [
        (FPHA, "left", "ring pip", "middle pip"),
        (FPHA, "right", "ring pip", "pinky pip"),
        (FPHA, "right", "pinky tip", "pinky tip"),
        (FPHA, "left", "thumb mcp", "thumb mcp"),
        (FPHA, "bottom", "index tip", "index dip"),
        (FPHA, "bottom", "pinky mcp", "wrist"),
        (FPHA, "bottom", "wrist", "wrist"),
        (FPHA, "left", "wrist", "wrist"),
        (HDM05, "left", "rfemur", "upperback"),
        (HDM05, "right", "lfemur", "upperback"),
        (HDM05, "bottom", "lthumb", "lwrist"),
        (NTU, "bottom", "left shoulder", "spine shoulder"),
        (NTU, "right", "left knee", "spine shoulder"),
        (NTU, "left", "left hand", "left hand"),
    ],
)
def test_neighbors(skeleton, side, joint, neighbor):
    assert named(skeleton, side, joint) == neighbor


def test_neighbors_by_index_and_unknown_ones():
    assert FPHA.neighbors(range(21)) == tuple(range(21))
    with pytest.raises(
        ParameterError, match="neighbors: expected one of 'left', 'right', 'bottom'"
    ):
        FPHA.neighbors("top")


def test_two_bodies_are_neighbors_of_themselves_only():
    both = pair(NTU)
    for side in ("left", "right", "bottom", range(25)):
        first = NTU.neighbors(side)
        assert both.neighbors(side) == first + tuple(index + 25 for index in first)
    assert both.parents.count(-1) == 2 and both.root == NTU.root
    assert both.neighbors(range(50)) == tuple(range(50))
