"""Matrices of sequences: shapes of the paper, definitions, and what each step does."""

import numpy as np
import pytest
from scipy.linalg import fractional_matrix_power, logm
from scipy.spatial.transform import Rotation

from cornet_nn.datasets import FPHA, HDM05, NTU, SequenceMatrices
from cornet_nn.datasets.sequences import reference_lengths
from cornet_nn.datasets.skeletons import pair, resampled, without_roots
from geomstats_cor.exceptions import DataError, ParameterError

from .files import smooth_walk


@pytest.fixture
def hand(rng):
    return smooth_walk(rng, 13, 21)


def gaussian_vector(joints, neighbors, shrinkage):
    """Return the embedding of a frame, from the formula of the paper."""
    features = np.concatenate([joints, joints[list(neighbors)]], axis=1)
    mean = features.mean(axis=0)
    covariance = np.cov(features.T, bias=True)
    scale = np.trace(covariance) / 6
    covariance = (1 - shrinkage) * covariance + shrinkage * scale * np.eye(6)
    block = np.block(
        [
            [covariance + np.outer(mean, mean), mean[:, None]],
            [mean[None], np.ones((1, 1))],
        ]
    )
    logarithm = logm(np.linalg.det(covariance) ** (-1 / 7) * block)
    return logarithm[np.tril_indices(7)]


def test_gaussian_matrices_are_those_of_the_formula(hand):
    matrices = SequenceMatrices(FPHA, neighbors=("right", "bottom"), shrinkage=0.0)
    # 13 frames do not span 28 dimensions: the ridge makes the matrices positive.
    found = np.asarray(
        SequenceMatrices(
            FPHA, neighbors=("right", "bottom"), shrinkage=0.0, ridge=1e-3
        )(hand)
    )
    assert matrices.kind == "covariance" and found.shape == (6, 28, 28)
    windows = [(0, 13), (0, 6), (6, 13)]
    for set_number, side in enumerate(("right", "bottom")):
        vectors = [gaussian_vector(f, FPHA.neighbors(side), 1e-3) for f in hand]
        for window, (start, stop) in enumerate(windows):
            expected = np.cov(np.array(vectors[start:stop]).T, bias=True)
            np.testing.assert_allclose(
                found[3 * set_number + window],
                expected + 1e-3 * np.eye(28),
                atol=1e-9,
            )


@pytest.mark.parametrize(
    ("skeleton", "options", "shape"),
    [
        (HDM05, {}, (3, 28, 28)),
        (FPHA, {"neighbors": ("left", "right", "bottom")}, (9, 28, 28)),
        (pair(NTU), {"neighbors": ("left", "right")}, (6, 28, 28)),
        (HDM05, {"levels": 1}, (28, 28)),
        (HDM05, {"levels": 3}, (7, 28, 28)),
        (HDM05, {"representation": "covariance", "levels": 1}, (93, 93)),
        (FPHA, {"representation": "covariance", "levels": 1}, (63, 63)),
        (pair(NTU), {"representation": "covariance", "levels": 1}, (150, 150)),
        (
            HDM05,
            {"representation": "covariance", "levels": 2, "center": "frame"},
            (3, 90, 90),
        ),
        (
            HDM05,
            {"representation": "covariance", "levels": 1, "center": "first"},
            (93, 93),
        ),
    ],
)
def test_shapes(rng, skeleton, options, shape):
    joints = smooth_walk(rng, 16, len(skeleton.joints))
    matrices = SequenceMatrices(skeleton, **options)(joints)
    assert matrices.shape == shape
    assert np.linalg.eigvalsh(matrices).min() > 0.0
    flat = SequenceMatrices(skeleton, **options)(joints.reshape(16, -1))
    np.testing.assert_array_equal(flat, matrices)


def test_covariance_is_that_of_the_coordinates(hand):
    options = {"representation": "covariance", "levels": 1, "shrinkage": 0.1}
    found = SequenceMatrices(FPHA, **options)(hand)
    raw = np.cov(hand.reshape(13, -1).T, bias=True)
    expected = 0.9 * raw + 0.1 * np.trace(raw) / 63 * np.eye(63)
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_without_steps_the_pose_matters_and_with_them_it_does_not(rng, hand):
    path = np.cumsum(rng.standard_normal((13, 1, 3)), axis=0)
    turns = Rotation.random(13, rng=rng).as_matrix()
    elsewhere = np.einsum("tij,tkj->tki", turns, 1.7 * hand) + path
    lengths = reference_lengths([hand], FPHA)
    plain = SequenceMatrices(FPHA)
    assert not np.allclose(plain(elsewhere), plain(hand), atol=1e-3)
    free = SequenceMatrices(FPHA, center="frame", lengths=lengths, view="frame")
    np.testing.assert_allclose(free(elsewhere), free(hand), atol=1e-7)
    # Each step alone is not enough.
    for step in ({"center": "frame"}, {"lengths": lengths}, {"view": "frame"}):
        alone = SequenceMatrices(FPHA, **step)
        assert not np.allclose(alone(elsewhere), alone(hand), atol=1e-3)


def test_powers_and_correlations(hand):
    options = {"representation": "covariance", "levels": 1, "shrinkage": 0.1}
    covariance = SequenceMatrices(FPHA, **options)(hand)
    matrices = SequenceMatrices(FPHA, **options, correlation=True, power=0.5)
    assert matrices.kind == "correlation"
    root = fractional_matrix_power(covariance, 0.5)
    deviations = np.sqrt(np.diag(root))
    expected = root / deviations[:, None] / deviations
    np.testing.assert_allclose(matrices(hand), expected, atol=1e-9)
    np.testing.assert_array_equal(np.diag(matrices(hand)), 1.0)


def test_neighbors_in_other_words(hand):
    left = SequenceMatrices(FPHA)(hand)
    indices = FPHA.neighbors("left")
    for neighbors in ("left", ["left"], indices, list(indices), [list(indices)]):
        found = SequenceMatrices(FPHA, neighbors=neighbors)
        np.testing.assert_array_equal(found(hand), left)
    assert repr(SequenceMatrices(FPHA, neighbors="left")) == repr(
        SequenceMatrices(FPHA)
    )


def test_precision_of_the_result(hand):
    single = SequenceMatrices(FPHA, dtype="float32")(hand)
    assert single.dtype == np.float32
    np.testing.assert_allclose(
        single, SequenceMatrices(FPHA)(hand), rtol=1e-6, atol=1e-9
    )


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda hand: hand[:0], "is empty"),
        (
            lambda hand: hand[:1],
            "has 1 frames: at least 4 are needed for a pyramid of 2 levels",
        ),
        (lambda hand: hand[:3], "has 3 frames: at least 4 are needed"),
        (
            lambda hand: np.where(np.arange(13)[:, None, None] == 4, np.nan, hand),
            "frame 4",
        ),
        (lambda hand: np.repeat(hand[:1], 13, axis=0), "is constant"),
        (lambda hand: np.zeros((13, 21, 3)), "is constant"),
        (lambda hand: hand[[0] * 6 + list(range(7))], "is constant in window 1"),
        (
            lambda hand: hand * (np.arange(13) != 2)[:, None, None],
            "coincide in frame 2",
        ),
        (lambda hand: hand[:, :20], "has 60 coordinates in a frame: expected 63"),
    ],
)
def test_bad_sequences_say_why(hand, spoil, message):
    with pytest.raises(DataError, match=message):
        SequenceMatrices(FPHA)(spoil(hand))


def test_a_ridge_keeps_constant_sequences(hand):
    matrices = SequenceMatrices(FPHA, ridge=0.25)
    still = matrices(np.repeat(hand[:1], 13, axis=0))
    np.testing.assert_allclose(still, np.broadcast_to(0.25 * np.eye(28), (3, 28, 28)))
    half = matrices(hand[[0] * 6 + list(range(7))])
    np.testing.assert_allclose(half[1], 0.25 * np.eye(28), atol=1e-12)


def test_without_regularisation_short_sequences_are_singular(hand):
    with pytest.raises(DataError, match="is singular"):
        SequenceMatrices(FPHA, shrinkage=0.0)(hand)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"representation": "mean"},
            "representation: expected one of 'gaussian', 'covariance',",
        ),
        ({"neighbors": ()}, "needs neighbors"),
        ({"neighbors": ("top",)}, "got 'top'"),
        ({"neighbors": ((0, 1),)}, "for each of 21 joints"),
        ({"shrinkage": 2.0}, "from 0 to 1"),
        ({"ridge": -1.0}, "ridge is zero or positive"),
        ({"center": "last"}, "expected one of 'frame', 'first'"),
        ({"view": "last"}, "expected one of 'frame', 'first'"),
    ],
)
def test_options_that_make_no_sense(hand, options, message):
    with pytest.raises(ParameterError, match=message):
        SequenceMatrices(FPHA, **options)(hand)


def test_lengths_of_the_first_sound_sequence(hand):
    broken = [np.zeros((0, 63)), np.full((3, 63), np.nan), np.zeros((3, 63)), hand]
    assert reference_lengths(broken, FPHA) == reference_lengths([hand], FPHA)
    with pytest.raises(DataError, match="no sequence has bones"):
        reference_lengths(broken[:3], FPHA)


def test_without_the_wrist_there_are_twenty_joints(hand):
    fingers = without_roots(FPHA)
    assert len(fingers.joints) == 20 and "wrist" not in fingers.joints
    for side in ("left", "right", "bottom"):
        for joint, neighbor in enumerate(fingers.neighbors(side)):
            name = fingers.joints[joint]
            expected = FPHA.joints[FPHA.neighbors(side)[FPHA.joints.index(name)]]
            # The wrist was the neighbour of the joints next to it, which have none now.
            expected = name if expected == "wrist" else expected
            assert fingers.joints[neighbor] == expected
    found = SequenceMatrices(FPHA, root=False, neighbors="right", ridge=1e-3)(hand)
    vectors = [
        gaussian_vector(f, fingers.neighbors("right"), 1e-3) for f in hand[:, 1:]
    ]
    covariance = np.cov(np.array(vectors).T, bias=True)
    covariance *= 1 - 1e-3
    covariance += (1e-3 * np.trace(covariance) / (28 * (1 - 1e-3)) + 1e-3) * np.eye(28)
    np.testing.assert_allclose(found[0], covariance, atol=1e-9)


@pytest.mark.parametrize(
    ("skeleton", "options", "size"),
    [
        (FPHA, {}, 60),
        (FPHA, {"center": "frame", "view": "frame"}, 60),
        (HDM05, {"center": "first"}, 90),
        (pair(NTU), {}, 144),
        (HDM05, {"augmented": True}, 91),
    ],
)
def test_sizes_without_roots(rng, skeleton, options, size):
    joints = smooth_walk(rng, 16, len(skeleton.joints))
    options = {"representation": "covariance", "levels": 1} | options
    assert (
        SequenceMatrices(skeleton, root=False, **options)(joints).shape == (size,) * 2
    )


def test_frames_are_interpolated_in_time(rng, hand):
    times, finer = np.arange(13), np.linspace(0, 12, 40)
    columns = [np.interp(finer, times, c) for c in hand.reshape(13, -1).T]
    by_hand = np.stack(columns, axis=1).reshape(40, 21, 3)
    np.testing.assert_allclose(resampled(hand, 40), by_hand, atol=1e-12)
    np.testing.assert_array_equal(resampled(hand, 13), hand)
    lengths = reference_lengths([hand], FPHA)
    steps = {"center": "frame", "view": "first", "lengths": lengths}
    found = SequenceMatrices(FPHA, frames=40, **steps)(hand)
    np.testing.assert_allclose(found, SequenceMatrices(FPHA, **steps)(by_hand))


def test_resampling_keeps_short_sequences(hand):
    short = hand[:3]
    assert SequenceMatrices(FPHA, frames=8)(short).shape == (3, 28, 28)
    with pytest.raises(
        DataError, match="has 1 frames: at least 2 are needed for resam"
    ):
        SequenceMatrices(FPHA, frames=8)(hand[:1])
    plain = SequenceMatrices(representation="covariance", levels=1, frames=50)
    assert plain(hand.reshape(13, -1)).shape == (63, 63)


def test_the_mean_over_time_is_kept_beside_the_covariance(hand):
    options = {"representation": "covariance", "levels": 2, "ridge": 0.25}
    plain = SequenceMatrices(FPHA, **options)(hand)
    found = SequenceMatrices(FPHA, augmented=True, **options)(hand)
    assert found.shape == (3, 64, 64)
    for matrix, covariance, (a, b) in zip(
        found, plain, [(0, 13), (0, 6), (6, 13)], strict=True
    ):
        mean = hand[a:b].reshape(b - a, -1).mean(axis=0)[:, None]
        expected = np.block([[covariance + mean @ mean.T, mean], [mean.T, np.eye(1)]])
        np.testing.assert_allclose(matrix, expected, atol=1e-10)
        np.testing.assert_allclose(
            np.linalg.slogdet(matrix)[1], np.linalg.slogdet(covariance)[1]
        )
    # The correlations do not depend on the unit of length, as those without a mean.
    options = {"augmented": True, "representation": "covariance", "correlation": True}
    matrices = SequenceMatrices(FPHA, **options)
    np.testing.assert_allclose(matrices(1e3 * hand), matrices(hand), atol=1e-9)


def test_an_augmented_matrix_of_no_motion(hand):
    still = np.repeat(hand[:1], 13, axis=0)
    for representation in ("gaussian", "covariance"):
        options = {"representation": representation, "augmented": True}
        with pytest.raises(DataError, match="is constant"):
            SequenceMatrices(FPHA, **options)(still)
        found = SequenceMatrices(FPHA, ridge=0.25, **options)(still)
        # The mean is that of the frames, and not zero.
        assert np.abs(found[0, -1, :-1]).max() > 0.1
        np.testing.assert_allclose(found[:, -1, -1], 1.0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"frames": 3}, "frames must be at least 4 for a pyramid of 2 levels, got 3"),
        ({"root": False, "neighbors": (tuple(range(21)),)}, "for each of 20 joints"),
        ({"augmented": True, "ridge": -1.0}, "ridge is zero or positive"),
    ],
)
def test_new_options_that_make_no_sense(hand, options, message):
    with pytest.raises(ParameterError, match=message):
        SequenceMatrices(FPHA, **options)(hand)


def test_a_root_needs_a_skeleton():
    with pytest.raises(ParameterError, match="root=False need a skeleton"):
        SequenceMatrices(representation="covariance", root=False)
