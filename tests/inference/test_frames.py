"""Groups recorded with different numbers of frames: warnings, and like with like."""

import warnings

import numpy as np
import pytest

from geomstats_cor import (
    FullRankCorrelationMatrices,
    clean_points,
    equal_dispersions_test,
    equal_means_test,
    frechet_anova,
)
from geomstats_cor.exceptions import (
    ArrayTypeError,
    CleaningWarning,
    NotFiniteError,
    ParameterError,
    ShapeError,
    UnequalFramesWarning,
)
from geomstats_cor.inference import correlations_of_equal_frames, match_frames

TESTS = (equal_means_test, equal_dispersions_test, frechet_anova)
N = 20
LABELS = np.repeat([0, 1], 20)


def two_groups(seed, lengths=(20, 24)):
    """Return signals of two groups of one population, of different lengths."""
    rng = np.random.default_rng(seed)
    space = FullRankCorrelationMatrices(N, equip=False)
    root = np.linalg.cholesky(space.random_point(eta=5.0, rng=rng))
    return [
        rng.standard_normal((length, N)) @ root.T for length in np.repeat(lengths, 20)
    ]


def correlations(signals):
    return np.stack([np.corrcoef(x, rowvar=False) for x in signals])


def rejections(test, key, treated, count=10, **options):
    """Count the rejections at 5 % of a hypothesis that is true of the populations."""
    space = FullRankCorrelationMatrices(N, equip=key)
    found = 0
    for seed in range(count):
        points = treated(two_groups(seed))
        options = {"n_permutations": 99, "rng": seed, **options}
        found += test(points, LABELS, space, **options).p_value <= 0.05
    return found


def repaired(on_bad):
    def treated(signals):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CleaningWarning)
            return clean_points(correlations(signals), on_bad)[0]

    return treated


@pytest.mark.parametrize("key", ["ecm", "lsm"])
def test_a_repair_of_the_whole_stack_makes_no_difference_of_means(key):
    # One population: 20 frames give singular matrices, 24 frames do not.
    assert rejections(equal_means_test, key, repaired("repair_each")) >= 8
    assert rejections(equal_means_test, key, repaired("repair")) <= 2


def test_equal_frames_make_dispersions_equal():
    def equal(signals):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CleaningWarning)
            return clean_points(correlations_of_equal_frames(signals), "repair")[0]

    assert rejections(equal_dispersions_test, "ecm", repaired("repair")) == 10
    assert rejections(equal_dispersions_test, "ecm", equal) <= 2


class TestWarning:
    @pytest.fixture
    def points(self):
        return FullRankCorrelationMatrices(3, equip=False).random_point(10, rng=0)

    @pytest.mark.parametrize("test", TESTS)
    def test_different_frames_warn_at_the_line_of_the_caller(self, test, points):
        labels, frames = ["a"] * 5 + ["b"] * 5, [20] * 5 + [24] * 5
        with pytest.warns(UnequalFramesWarning, match="20 in group 'a', 24 in ") as w:
            result = test(points, labels, "olm", frames=frames, rng=0)
        assert w[0].filename == __file__
        assert "correlations_of_equal_frames" in str(w[0].message)
        assert result.p_value == test(points, labels, "olm", rng=0).p_value

    @pytest.mark.parametrize("test", TESTS)
    @pytest.mark.parametrize("frames", [20, [20] * 10, [20, 24, 30, 20, 24] * 2])
    def test_equal_frames_do_not(self, test, points, frames):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            test(points, [0] * 5 + [1] * 5, "olm", frames=frames, rng=0)

    @pytest.mark.parametrize(
        ("frames", "error"),
        [
            ([20] * 9, ShapeError),
            ([20] * 9 + [np.nan], ParameterError),
            ([20] * 9 + [1], ParameterError),
            ("many", ParameterError),
            (np.ma.array([20] * 10), ArrayTypeError),
        ],
    )
    def test_wrong_frames_are_refused(self, points, frames, error):
        with pytest.raises(error, match="frames"):
            equal_means_test(points, [0] * 5 + [1] * 5, "olm", frames=frames)


class TestLikeWithLike:
    def test_matrices_of_equal_frames(self):
        signals = two_groups(0, (25, 30))
        points = correlations_of_equal_frames(signals)
        expected = correlations([signal[:25] for signal in signals])
        np.testing.assert_allclose(points, expected, atol=1e-14)
        assert np.all(points[:, range(N), range(N)] == 1.0)
        points = correlations_of_equal_frames(signals, frames=22)
        expected = correlations([signal[:22] for signal in signals])
        np.testing.assert_allclose(points, expected, atol=1e-14)

    @pytest.mark.parametrize(
        ("signals", "error"),
        [
            ([], ShapeError),
            ([np.ones(3)], ShapeError),
            ([np.eye(3), np.eye(4)], ShapeError),
            ([np.eye(3), np.full((3, 3), np.nan)], NotFiniteError),
            ([np.ones((5, 3))], ParameterError),
            ([np.ma.array(np.eye(3))], ArrayTypeError),
        ],
    )
    def test_wrong_signals_are_refused(self, signals, error):
        with pytest.raises(error, match="signals"):
            correlations_of_equal_frames(signals)

    @pytest.mark.parametrize("frames", [1, 26, 20.5, True])
    def test_wrong_numbers_are_refused(self, frames):
        with pytest.raises(ParameterError, match="frames: expected"):
            correlations_of_equal_frames(two_groups(0, (25, 30)), frames)

    def test_a_matched_selection_has_the_same_frames_in_each_group(self):
        rng = np.random.default_rng(0)
        labels = rng.integers(0, 3, 200)
        frames = rng.integers(20, 25, 200)
        kept = match_frames(labels, frames, rng=0)
        assert np.all(np.diff(kept) > 0)
        counts = [
            np.unique(frames[kept][labels[kept] == g], return_counts=True)[1]
            for g in range(3)
        ]
        assert np.array_equal(counts[0], counts[1])
        assert np.array_equal(counts[0], counts[2])
        least = np.array(
            [
                min(np.sum((labels == g) & (frames == f)) for g in range(3))
                for f in range(20, 25)
            ]
        )
        assert np.array_equal(counts[0], least[least > 0])

    def test_nothing_in_common_is_an_error(self):
        with pytest.raises(ParameterError, match="no number of frames occurs in all"):
            match_frames([0, 0, 1, 1], [20, 20, 24, 24])
