"""Matrices of sequences: shapes of the paper, definitions, and what each step does."""

import numpy as np
import pytest
from scipy.linalg import fractional_matrix_power, logm
from scipy.spatial.transform import Rotation

from cornet_nn.datasets import FPHA, HDM05, NTU, SequenceMatrices
from cornet_nn.datasets.sequences import reference_lengths
from cornet_nn.datasets.skeletons import pair
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
        (lambda hand: hand[:1], "has 1 frames: 4 are wanted for a pyramid of 2 levels"),
        (lambda hand: hand[:3], "has 3 frames: 4 are wanted"),
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
        (lambda hand: hand[:, :20], "has 60 coordinates in a frame: 63 are wanted"),
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
        ({"representation": "mean"}, "representation is 'gaussian' or 'covariance'"),
        ({"neighbors": ()}, "needs neighbors"),
        ({"neighbors": ("top",)}, "not 'top'"),
        ({"neighbors": ((0, 1),)}, "for each of 21 joints"),
        ({"shrinkage": 2.0}, "from 0 to 1"),
        ({"ridge": -1.0}, "ridge is zero or positive"),
        ({"center": "last"}, "'frame' or 'first'"),
        ({"view": "last"}, "'frame' or 'first'"),
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
