"""Messages name what came, what was expected and the remedy; warnings, the caller."""

import warnings

import numpy as np
import pytest
from kernels.matrices import equicorrelation, random_correlation
from strategies import KEYS, equipped

import geomstats_cor as gc
import geomstats_cor.exceptions as ex
from geomstats_cor import inference, learning

N = 3
every_metric = pytest.mark.parametrize("key", KEYS)


@pytest.fixture
def points(rng):
    return random_correlation(rng, N, 10.0, (8,))


LABELS = [0, 1] * 4
# Functions of points and of what stands for a space.
WITH_SPACE = {
    "frechet_mean": gc.frechet_mean,
    "frechet_variance": gc.frechet_variance,
    "geometric_median": gc.geometric_median,
    "trimmed_mean": gc.trimmed_mean,
    "equal_means_test": lambda x, s: gc.equal_means_test(x, LABELS, s).p_value,
    "equal_dispersions_test": (
        lambda x, s: gc.equal_dispersions_test(x, LABELS, s, rng=0).p_value
    ),
    "frechet_anova": lambda x, s: gc.frechet_anova(x, LABELS, s, rng=0).p_value,
    "mean_test": lambda x, s: gc.mean_test(x, np.eye(N), s, rng=0).p_value,
    "confidence_region": (
        lambda x, s: gc.confidence_region(x, s, method="bootstrap", rng=0).radius
    ),
    "smooth": lambda x, s: learning.smooth(x, np.arange(8), s, 2.0),
    "interpolate": lambda x, s: learning.interpolate(x, np.arange(8), [0.5], s),
    "kernel_matrix": lambda x, s: learning.kernel_matrix(x, x, s, 1.0),
    "GaussianDistribution": lambda x, s: learning.GaussianDistribution.fit(x, s).mean,
}
every_function = pytest.mark.parametrize("name", WITH_SPACE)


class TestSpaces:
    @every_function
    @every_metric
    def test_a_key_a_class_and_a_metric_stand_for_a_space(self, points, name, key):
        function, space = WITH_SPACE[name], equipped(N, key)
        expected = function(points, space)
        for given in (key, key.upper(), gc.get_metric(key), space.metric):
            np.testing.assert_array_equal(function(points, given), expected)

    @every_function
    def test_what_is_no_space_is_named(self, points, name):
        with pytest.raises(ex.ParameterError, match="space is None: expected .* olm"):
            WITH_SPACE[name](points, None)
        with pytest.raises(ex.ParameterError, match="no metric 'affine'"):
            WITH_SPACE[name](points, "affine")


class TestStacks:
    @every_function
    def test_a_single_matrix(self, points, name):
        with pytest.raises(ex.ShapeError, match=r"single matrix \(3, 3\).*\[None\]"):
            WITH_SPACE[name](points[0], "olm")

    @every_function
    def test_nothing(self, name):
        with pytest.raises(ex.ArrayTypeError, match="is None: expected an array"):
            WITH_SPACE[name](None, "olm")

    @every_function
    def test_another_size(self, name, rng):
        points = random_correlation(rng, 4, 10.0, (8,))
        with pytest.raises(ex.ShapeError, match=r"expected shape \[..., 3, 3\], got"):
            WITH_SPACE[name](points, equipped(N, "olm"))

    def test_the_words_of_a_wrong_shape(self):
        metric = equipped(5, "olm").metric
        with pytest.raises(ex.ShapeError) as error:
            metric.dist(np.zeros((2, 6, 6)), np.eye(5))
        assert "expected shape [..., 5, 5], got (2, 6, 6)" in str(error.value)


class TestMaskedAndSparse:
    @every_function
    def test_masked_arrays(self, points, name):
        masked = np.ma.masked_array(points, mask=False)
        masked[2, 0, 1] = np.ma.masked
        with pytest.raises(ex.ArrayTypeError, match=r"1 of 72 .* at \[2, 0, 1\].*out"):
            WITH_SPACE[name](masked, "olm")
        with pytest.raises(ex.ArrayTypeError, match=r"\[0\] is a masked array"):
            WITH_SPACE[name](list(masked), "olm")
        with pytest.raises(ex.ArrayTypeError, match=r"Pass \w+\.data"):
            WITH_SPACE[name](np.ma.masked_array(points), "olm")

    @every_metric
    def test_of_methods(self, points, key):
        metric = equipped(N, key).metric
        masked = np.ma.masked_array(points, points == 1.0)
        for arguments in ((masked, points), (points, masked)):
            for method in (metric.dist, metric.log, metric.dist_broadcast):
                with pytest.raises(ex.ArrayTypeError, match="masked array"):
                    method(*arguments)
        space = gc.FullRankCorrelationMatrices(N, equip=False)
        for method in (space.belongs, space.projection, space.from_covariance):
            with pytest.raises(ex.ArrayTypeError, match="masked array"):
                method(masked)

    def test_weights(self, points):
        weights = np.ma.masked_array(np.ones(8), [True] + 7 * [False])
        with pytest.raises(ex.ArrayTypeError, match="weights is a masked array"):
            gc.frechet_mean(points, "olm", weights)

    def test_tensors(self, points):
        torch = pytest.importorskip("torch")
        tensor = torch.as_tensor(points)
        masked = torch.masked.as_masked_tensor(tensor, tensor > 0.0)
        for odd, word in ((tensor.to_sparse(), "sparse_coo"), (masked, "masked")):
            with pytest.raises(ex.ArrayTypeError, match=word):
                gc.frechet_mean(odd, "olm")

    def test_other_subclasses_are_arrays(self, points, tmp_path):
        expected = gc.frechet_mean(points, "olm")
        np.save(tmp_path / "points.npy", points)
        mapped = np.load(tmp_path / "points.npy", mmap_mode="r")
        np.testing.assert_array_equal(gc.frechet_mean(mapped, "olm"), expected)
        metric = equipped(N, "olm").metric
        matrix = np.asmatrix(points[0])
        np.testing.assert_array_equal(
            metric.log(matrix, np.eye(N)), metric.log(points[0], np.eye(N))
        )
        swapped = points.astype(points.dtype.newbyteorder())
        np.testing.assert_array_equal(gc.frechet_mean(swapped, "olm"), expected)

    def test_lists_of_tensors_keep_their_gradients(self, points):
        torch = pytest.importorskip("torch")
        leaf = torch.tensor(points, requires_grad=True)
        gc.frechet_mean(list(leaf), "olm").sum().backward()
        assert bool(leaf.grad.isfinite().all())


class TestNumbers:
    @pytest.mark.parametrize("excess", [1e-3, 3e-7, -5e-8])
    def test_enough_digits_are_printed(self, points, excess):
        points[2, 1, 1] += excess
        with pytest.raises(ex.NotUnitDiagonalError, match=r"points\[2\]") as error:
            gc.frechet_mean(points, "olm")
        shown = str(error.value).partition(" has ")[2].partition(" ")[0]
        assert shown != "1"
        assert float(shown) - 1.0 == pytest.approx(excess, rel=1.0)

    def test_lists_of_complex_arrays(self, points):
        with pytest.raises(ex.ArrayTypeError, match="does not convert"):
            gc.frechet_mean([point + 1j for point in points], "olm")


class TestCovariances:
    @pytest.mark.parametrize(
        ("covariance", "error", "words"),
        [
            ([[1, 2], [2, 1]], ex.NotPositiveDefiniteError, "up to 2 .*eigenvalue -1"),
            ([[1, 0.5], [0.1, 1]], ex.NotSymmetricError, "not symmetric.* 0.4"),
            (1e-12 * np.array([[1, 0.5], [0.1, 1]]), ex.NotSymmetricError, "symmetric"),
            (
                5e-324 * np.eye(2),
                ex.NotPositiveDefiniteError,
                "0.*scale the data",
            ),
            (np.zeros((2, 2)), ex.NotPositiveDefiniteError, "variance of 0 at .* 0"),
            (
                np.diag([1.0, -2.0]),
                ex.NotPositiveDefiniteError,
                "variance of -2 .*1",
            ),
        ],
    )
    def test_what_is_none_is_refused(self, double, covariance, error, words):
        stack = double(np.stack([np.eye(2), np.asarray(covariance, dtype=float)]))
        with pytest.raises(error, match=rf"point\[1\].*{words}"):
            gc.FullRankCorrelationMatrices.from_covariance(stack)

    def test_singular_and_badly_scaled_ones_are_covariances(self, double, rng):
        samples = rng.standard_normal((4, 6)) * np.logspace(-100, 100, 6)
        covariance = double(np.cov(samples, rowvar=False))
        found = gc.FullRankCorrelationMatrices.from_covariance(covariance)
        expected = np.corrcoef(samples, rowvar=False)
        np.testing.assert_allclose(double.numbers(found), expected, atol=1e-12)


class TestNames:
    names = list("abc")

    def frame(self, point, order="abc"):
        pandas = pytest.importorskip("pandas")
        frame = pandas.DataFrame(point, self.names, self.names)
        return frame.loc[list(order), list(order)]

    @every_function
    def test_data_frames_are_aligned(self, points, name):
        orders = ["abc", "cab", "bac", "cba"] * 2
        frames = [self.frame(p, o) for p, o in zip(points, orders, strict=True)]
        frames[3] = frames[3].loc[self.names]  # rows and columns in different orders
        expected = WITH_SPACE[name](points, "olm")
        np.testing.assert_array_equal(WITH_SPACE[name](frames, "olm"), expected)
        np.testing.assert_array_equal(gc.as_stack(frames), points)

    def test_two_arguments_are_aligned(self, points):
        metric = equipped(N, "olm").metric
        actual = metric.dist(self.frame(points[0]), self.frame(points[1], "cab"))
        assert actual == metric.dist(points[0], points[1])

    def test_other_variables_are_refused(self, points):
        other = self.frame(points[1]).rename(columns={"a": "x"}, index={"a": "x"})
        frames = [self.frame(points[0]), other]
        with pytest.raises(ex.ShapeError, match=r"points\[1\].*\[x\] and lacks \[a\]"):
            gc.frechet_mean(frames, "olm")
        with pytest.raises(ex.ArrayTypeError, match="mixes tables"):
            gc.frechet_mean([frames[0], points[1]], "olm")
        with pytest.raises(ex.ShapeError, match="rows .* are not named as its columns"):
            gc.frechet_mean([frames[0], frames[0].set_axis(list("pqr"))], "olm")

    def test_rolling_correlations(self, rng):
        pandas = pytest.importorskip("pandas")
        series = pandas.DataFrame(
            rng.standard_normal((71, 10)), columns=[f"v{i}" for i in range(10)]
        )
        rolling = series.rolling(60).corr()
        assert rolling.shape == (710, 10)
        for table in (rolling, rolling[rolling.columns[::-1]]):
            stack = gc.as_stack(table)
            assert stack.shape == (71, 10, 10)
            assert np.isnan(stack[:59]).all()
            order = [list(series.columns).index(c) for c in table.columns]
            expected = np.corrcoef(series.to_numpy()[11:71].T)[np.ix_(order, order)]
            np.testing.assert_allclose(stack[70], expected, atol=1e-12)
        with pytest.raises(ex.ShapeError, match="number 70.*each of the 10 variables"):
            gc.as_stack(rolling.iloc[:-1])
        with pytest.raises(ex.ShapeError, match="in its rows, and .* in its columns"):
            gc.as_stack(rolling.drop(columns="v3"))

    def test_other_tables_are_condensed_rows(self, points):
        pandas = pytest.importorskip("pandas")
        rows = points[:, *np.tril_indices(N, -1)]
        index = pandas.MultiIndex.from_product([range(4), ["rest", "task"]])
        for rows_named in (None, index):
            table = pandas.DataFrame(rows, rows_named, columns=["ab", "ac", "bc"])
            np.testing.assert_allclose(gc.as_stack(table), points, rtol=1e-14)


class TestWarnings:
    """Warnings point at the line of the user."""

    def test_of_a_method(self):
        metric = equipped(2, "olm").metric
        with pytest.warns(ex.NearBoundaryWarning) as caught:
            metric.exp([[0.0, 30.0], [30.0, 0.0]], np.eye(2))
        assert caught[0].filename == __file__

    def test_of_a_coarse_test(self, points):
        with pytest.warns(ex.CoarseTestWarning) as caught:
            gc.equal_means_test(points, LABELS, "olm", n_permutations=9, rng=0)
            inference.frechet_anova(points, LABELS, "olm", n_permutations=9, rng=0)
        assert [w.filename for w in caught] == 2 * [__file__]

    @every_metric
    def test_a_failed_check_of_tensors_that_require_grad_emits_none(self, key):
        torch = pytest.importorskip("torch")
        metric = equipped(N, key).metric
        good = torch.eye(N, dtype=torch.float64)
        bad = (
            good * 2.0,
            good + torch.ones(N, N).triu(1),
            good * float("nan"),
            torch.as_tensor(equicorrelation(N, -0.9)),
        )
        for odd in bad:
            odd = odd.clone().requires_grad_()
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                with pytest.raises(ex.GeomstatsCorError):
                    metric.dist(odd, good)
                with pytest.raises(ex.GeomstatsCorError):
                    metric.norm(odd, good)
                with pytest.raises(ex.GeomstatsCorError):
                    gc.clean_points(odd[None])


def test_only_npy_files_are_mapped(points, tmp_path):
    np.savez(tmp_path / "points.npz", points)
    (tmp_path / "points.csv").write_text("1,0\n0,1\n", encoding="utf-8")
    for name in ("points.npz", "points.csv"):
        with pytest.raises(ex.DataError, match=r"no .npy file"):
            gc.frechet_mean_of_chunks(tmp_path / name, equipped(N, "olm"))
    np.save(tmp_path / "points.npy", points)
    found = gc.frechet_mean_of_chunks(tmp_path / "points.npy", equipped(N, "olm"))
    np.testing.assert_allclose(found.mean, gc.frechet_mean(points, "olm"), atol=1e-12)


def test_points_that_a_path_does_not_pass_are_validated(points):
    points[7, 0, 1] = np.nan
    with pytest.raises(ex.NotFiniteError, match=r"point\[7\]"):
        learning.interpolate(points, np.arange(8), [0.5], "olm")


class Odd:
    """What is no number, no word and no array."""

    def __repr__(self):
        return "Odd()"


NO_NUMBERS = [None, "many", np.nan, -1, 2.5, [1, 2], np.eye(2), Odd(), 1j]
OPTIONS = {
    "n_samples": lambda space, v: space.random_point(v, rng=0),
    "eta": lambda space, v: space.random_point(2, eta=v, rng=0),
    "rng": lambda space, v: space.random_point(2, rng=v),
    "n_samples of vectors": lambda space, v: space.random_tangent_vec(n_samples=v),
    "base_point": lambda space, v: space.random_tangent_vec(v, rng=0),
    "check": lambda space, v: gc.FullRankCorrelationMatrices(3, check=v),
    "signs": lambda space, v: space.signed_permutation_action([0, 1, 2], v, np.eye(3)),
    "submersion": lambda space, v: space.submersion(v),
    "weights": lambda space, v: gc.StreamingMean(space).fit(
        np.ones((2, 3, 3)), None, v
    ),
    "merge": lambda space, v: gc.StreamingMean(space).merge(v),
    "statistic": lambda space, v: _two_groups(space, statistic=v),
    "calibration": lambda space, v: _two_groups(space, calibration=v),
    "on_bad": lambda space, v: gc.clean_points(np.eye(3)[None], v),
    "shrinkage": lambda space, v: learning.GaussianDistribution.fit(
        space.random_point(5, rng=0), space, shrinkage=v
    ),
    "times": lambda space, v: space.metric.geodesic(np.eye(3), np.eye(3))(v),
    "alpha": lambda space, v: gc.FullRankCorrelationMatrices(
        3, equip=False
    ).equip_with_metric(gc.OffLogMetric, alpha=v),
    "row weights": lambda space, v: gc.FullRankCorrelationMatrices(
        3, equip=False
    ).equip_with_metric(gc.PolyHyperbolicCholeskyMetric, weights=v),
}
# Values that an option takes, among those above.
TAKEN = {
    "eta": [2.5],
    "rng": [None, [1, 2]],
    "base_point": [None],
    "n_samples of vectors": [],
    "weights": [],
    "times": [-1, 2.5, [1, 2], np.eye(2)],
    "alpha": [2.5],
    "row weights": [None, [1, 2]],
}


def _two_groups(space, **options):
    return gc.equal_means_test(
        space.random_point(4, rng=0), [0, 0, 1, 1], space, **options
    )


@pytest.mark.parametrize("name", OPTIONS)
def test_options_that_make_no_sense_raise_typed_errors(name):
    space, taken = equipped(3, "olm"), TAKEN.get(name, [])
    for value in NO_NUMBERS:
        if any(value is t or repr(value) == repr(t) for t in taken):
            continue
        with pytest.raises(ex.GeomstatsCorError):
            OPTIONS[name](space, value)
