"""Coordinates and principal geodesics."""

import numpy as np
import pytest
from kernels.matrices import random_correlation
from strategies import KEYS, equipped

from geomstats_cor import frechet_mean
from geomstats_cor.exceptions import BadMatricesError, ParameterError
from geomstats_cor.kernels import pack_strictly_lower
from geomstats_cor.learning import PrincipalGeodesicAnalysis, ToCoords

every_metric = pytest.mark.parametrize("key", KEYS)
both = pytest.mark.parametrize("Transformer", [ToCoords, PrincipalGeodesicAnalysis])


@pytest.fixture
def points(rng):
    """Return a stack of ordinary matrices."""
    return random_correlation(rng, 4, 20.0, (12,))


class TestToCoords:
    @every_metric
    @pytest.mark.parametrize("reference", ["mean", "identity"])
    def test_norms_are_distances_to_the_reference(self, points, key, reference):
        space = equipped(4, key)
        coords = ToCoords(key, reference).fit_transform(points)
        center = frechet_mean(points, space) if reference == "mean" else np.eye(4)
        distances = space.metric.dist(points, center)
        np.testing.assert_allclose(np.linalg.norm(coords, axis=1), distances)

    @pytest.mark.parametrize("key", ["ecm", "lecm", "olm", "lsm"])
    def test_coordinates_of_flat_metrics_are_isometric(self, points, key):
        coords = ToCoords(key).fit_transform(points)
        distances = np.linalg.norm(coords[:, None] - coords, axis=-1)
        expected = equipped(4, key).metric.dist_broadcast(points, points)
        np.testing.assert_allclose(distances, expected, atol=1e-13)

    @every_metric
    def test_coordinates_at_the_mean_are_centred(self, points, key):
        coords = ToCoords(key).fit_transform(points)
        np.testing.assert_allclose(coords.mean(axis=0), 0.0, atol=1e-13)

    def test_parameters_of_the_metric_come_with_a_space(self, points):
        space = equipped(4, "phcm", weights=[4.0, 4.0, 4.0])
        coords = ToCoords(space).fit_transform(points)
        np.testing.assert_allclose(coords, 2.0 * ToCoords("phcm").fit_transform(points))


@both
class TestBothForms:
    @every_metric
    def test_inverse(self, points, key, Transformer):
        model = Transformer(metric=key)
        back = model.inverse_transform(model.fit_transform(points))
        np.testing.assert_allclose(back, points, atol=1e-12)

    def test_condensed_data_give_the_same_features(self, points, Transformer):
        condensed = pack_strictly_lower(points)
        model = Transformer().fit(condensed)
        features = model.transform(condensed)
        np.testing.assert_array_equal(features, Transformer().fit_transform(points))
        np.testing.assert_array_equal(features, model.transform(points))
        back = model.inverse_transform(features)
        np.testing.assert_allclose(back, condensed, atol=1e-12)
        assert model.n_features_in_ == 6

    def test_lists_integers_and_single_precision(self, points, Transformer):
        expected = Transformer().fit_transform(points)
        lists = Transformer().fit_transform(points.tolist())
        np.testing.assert_array_equal(lists, expected)
        single = Transformer().fit_transform(points.astype(np.float32))
        assert single.dtype == np.float32
        np.testing.assert_allclose(np.abs(single), np.abs(expected), atol=1e-4)
        identity = np.broadcast_to(np.eye(3, dtype=int), (4, 3, 3))
        np.testing.assert_array_equal(Transformer().fit_transform(identity), 0.0)

    def test_every_bad_matrix_is_named(self, points, Transformer):
        points[[2, 5], 0, 1] = points[[2, 5], 1, 0] = 1.5
        with pytest.raises(BadMatricesError, match=r"X: 2 of 12 .*\[2\].*\[5\]"):
            Transformer().fit(points)
        model = Transformer().fit(np.delete(points, [2, 5], axis=0))
        with pytest.raises(BadMatricesError, match=r"X: 2 of 12 .*\[2\].*\[5\]"):
            model.transform(points)

    def test_a_vector_too_short_is_completed_on_repair(self, Transformer, rng):
        short = rng.uniform(-0.3, 0.3, size=(6, 5))
        model = Transformer(on_bad="repair").fit(short)
        assert model.space_.n == 4
        back = model.inverse_transform(model.transform(short))
        np.testing.assert_allclose(back, short, atol=1e-12)
        with pytest.raises(ValueError, match="5 columns"):
            Transformer().fit(short)

    def test_wrong_parameters(self, points, Transformer):
        with pytest.raises(ParameterError, match="no metric 'euclidean'"):
            Transformer(metric="euclidean").fit(points)
        with pytest.raises(ValueError, match=r"expected shape \[..., 3, 3\].*size 4"):
            Transformer(metric=equipped(3, "olm")).fit(points)
        with pytest.raises(ParameterError, match="got 'drop'.*clean_points to drop"):
            Transformer(on_bad="drop").fit(points)

    def test_mixed_sizes_complex_numbers_and_nothing(self, points, Transformer):
        with pytest.raises(ValueError, match=r"X mixes sizes: .*X\[1\] has shape"):
            Transformer().fit([np.eye(3), np.eye(4)])
        with pytest.raises(TypeError, match="X has dtype complex128"):
            Transformer().fit(points.astype(complex))
        with pytest.raises(ValueError, match="0 sample"):
            Transformer().fit(points[:0])

    def test_other_sizes_are_refused(self, points, Transformer, rng):
        model = Transformer().fit(points)
        with pytest.raises(ValueError, match="X has 3 features, but .* expecting 6"):
            model.transform(random_correlation(rng, 3, 5.0, (2,)))


def test_an_unknown_reference_is_refused(points):
    with pytest.raises(ParameterError, match="'mean', 'identity', got 'median'"):
        ToCoords(reference="median").fit(points)


class TestPrincipalGeodesics:
    @every_metric
    def test_variances_add_up_to_the_frechet_variance(self, points, key):
        space = equipped(4, key)
        model = PrincipalGeodesicAnalysis(metric=key).fit(points)
        squares = space.metric.squared_dist(points, model.mean_)
        total = squares.sum() / (len(points) - 1)
        np.testing.assert_allclose(model.explained_variance_.sum(), total)
        np.testing.assert_allclose(model.explained_variance_ratio_.sum(), 1.0)
        scores = model.transform(points)
        covariance = np.cov(scores, rowvar=False)
        expected = np.diag(model.explained_variance_)
        np.testing.assert_allclose(covariance, expected, atol=1e-12)

    @every_metric
    def test_points_of_one_geodesic_need_one_component(self, points, key):
        space = equipped(4, key)
        path = space.metric.geodesic(points[0], points[1])(np.linspace(-1, 2, 7))
        model = PrincipalGeodesicAnalysis(1, metric=key).fit(path)
        np.testing.assert_allclose(model.explained_variance_ratio_, 1.0)
        back = model.inverse_transform(model.transform(path))
        np.testing.assert_allclose(back, path, atol=1e-10)

    @pytest.mark.parametrize("key", ["olm", "phcm"])
    def test_a_principal_geodesic_is_one_at_unit_speed(self, points, key):
        space = equipped(4, key)
        model = PrincipalGeodesicAnalysis(2, metric=key).fit(points)
        path = model.geodesic(1, [-2.0, 0.0, 1.0])
        np.testing.assert_allclose(path[1], model.mean_, atol=1e-13)
        deviation = np.sqrt(model.explained_variance_[1])
        np.testing.assert_allclose(
            space.metric.dist(path[:-1], path[1:]), [2 * deviation, deviation]
        )

    def test_one_matrix_has_no_variance(self, points):
        with pytest.raises(ValueError, match="no variance of one matrix"):
            PrincipalGeodesicAnalysis().fit(points[:1])

    def test_a_part_of_the_variance_may_be_asked_for(self, points):
        model = PrincipalGeodesicAnalysis(0.8).fit(points)
        ratios = model.explained_variance_ratio_
        assert ratios.sum() >= 0.8 > ratios[:-1].sum()
        assert model.transform(points).shape == (12, len(ratios))
