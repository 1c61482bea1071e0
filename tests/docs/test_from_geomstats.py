"""What docs/from_geomstats.md says differs, differs; and nothing else is absent."""

import inspect

import geomstats.geometry.full_rank_correlation_matrices as theirs
import numpy as np
import pytest
from strategies import KEYS, equipped

import geomstats_cor as ours
from geomstats_cor import diffeos

from .pages import ROOT

PAGE = (ROOT / "docs/from_geomstats.md").read_text(encoding="utf-8")
METRICS = {key: getattr(theirs, ours.get_metric(key).__name__) for key in KEYS}


def test_every_absent_name_is_listed():
    names = [
        name
        for name, value in vars(theirs).items()
        if (inspect.isclass(value) and value.__module__ == theirs.__name__)
        or (inspect.isfunction(value) and not name.startswith("_"))
    ]
    assert {"corr_map", "off_map", "SPDScalingFinder"} <= set(names)
    absent = [name for name in names if not hasattr(ours, name)]
    assert [name for name in absent if f"`{name}`" not in PAGE] == []
    for name in absent:
        if name.endswith("Diffeo"):
            assert hasattr(diffeos, name)


def test_the_helpers_that_stand_in(rng):
    matrices = rng.standard_normal((5, 4, 9))
    covariance = matrices @ matrices.mT
    vector = matrices[:, :, :4] + matrices[:, :, :4].mT
    kernels = ours.kernels
    space = ours.FullRankCorrelationMatrices(4, equip=False)
    close = np.testing.assert_allclose
    close(kernels.cor(covariance), theirs.corr_map(covariance), atol=1e-12)
    close(space.from_covariance(covariance), theirs.corr_map(covariance), atol=1e-12)
    close(space.to_tangent(vector), theirs.off_map(vector), atol=1e-12)
    close(kernels.sym_log(covariance), theirs.logmh(covariance), atol=1e-10)
    close(kernels.sym_exp(vector), theirs.expmh(vector), rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("key", KEYS)
def test_classes_are_not_those_of_geomstats(key):
    space = equipped(4, key)
    assert not isinstance(space, theirs.FullRankCorrelationMatrices)
    assert not isinstance(space.metric, METRICS[key])


def test_the_default_metric():
    default = theirs.FullRankCorrelationAffineQuotientMetric
    assert type(ours.FullRankCorrelationMatrices(4).metric) is default
    points = ours.FullRankCorrelationMatrices(4).random_point(3, rng=0)
    with pytest.raises(ours.exceptions.ParameterError, match="equip_with_metric"):
        ours.frechet_mean(points, ours.FullRankCorrelationMatrices(4))


def test_distances_between_stacks():
    mine = equipped(4, "olm")
    other = theirs.FullRankCorrelationMatrices(4, equip=False)
    other.equip_with_metric(theirs.OffLogMetric, alpha=1.0, beta=0.0, gamma=0.0)
    points = mine.random_point(5, rng=0)
    everyone = mine.metric.dist_broadcast(points, points)
    assert everyone.shape == (5, 5)
    assert other.metric.dist_broadcast(points, points).shape == (5,)
    shifted = np.roll(points, 1, axis=0)
    np.testing.assert_allclose(
        mine.metric.dist(points, shifted),
        other.metric.dist_broadcast(points, shifted),
        atol=1e-6,
    )
    np.testing.assert_allclose(
        mine.metric.dist_broadcast(points, points[:2]),
        other.metric.dist_broadcast(points, points[:2]),
        atol=1e-6,
    )
