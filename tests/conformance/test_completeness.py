"""Every test of the cases of geomstats is run, as it is, and none is excused."""

import pytest
from geomstats.test_cases.geometry.diffeo import (
    DiffeoComparisonTestCase,
    DiffeoTestCase,
)
from geomstats.test_cases.geometry.full_rank_correlation_matrices import (
    FullRankCorrelationMatricesTestCase,
)
from geomstats.test_cases.geometry.pullback_metric import PullbackDiffeoMetricTestCase
from geomstats.test_cases.geometry.riemannian_metric import (
    RiemannianMetricComparisonTestCase,
)

from geomstats_cor import METRICS

from . import test_comparison, test_diffeos, test_manifold, test_metrics
from .cases import REPLACED
from .configurations import FOURTH_ORDER
from .data import names_of_tests

SHIPPED = (
    FullRankCorrelationMatricesTestCase,
    DiffeoTestCase,
    PullbackDiffeoMetricTestCase,
    RiemannianMetricComparisonTestCase,
    DiffeoComparisonTestCase,
)
# The exceptions: tensors of 4 million zeros, and what geomstats itself does not have.
LARGE_AND_FLAT = {f"TestMetric{key.upper()}10" for key in METRICS if key != "phcm"}


def _classes():
    """Return the test classes, by name."""
    modules = (test_manifold, test_diffeos, test_metrics, test_comparison)
    return {
        name: value
        for module in modules
        for name, value in vars(module).items()
        if name.startswith("Test")
    }


def _shipped(cls):
    """Return the case of geomstats that a class runs."""
    (case,) = (case for case in SHIPPED if issubclass(cls, case))
    return case


def _exceptions(name):
    """Return the names of the tests that a class need not run."""
    if name in LARGE_AND_FLAT:
        return FOURTH_ORDER
    if name.startswith("TestSameMetric"):
        missing = set(test_comparison.MISSING)
        if "PHCM" in name and name != "TestSameMetricPHCM2":
            missing |= test_comparison.MISSING_FOR_HEMISPHERES
        return {*missing, *(f"{x}_random" for x in missing)}
    return set()


def _marks(function):
    return {mark.name: mark for mark in getattr(function, "pytestmark", ())}


@pytest.mark.validation
def test_all_cases_are_there():
    sizes = (2, 3, 5, 10)
    titles = [f"{key.upper()}{n}" for key in METRICS for n in sizes]
    wanted = {f"TestMetric{title}" for title in titles}
    wanted |= {f"TestDiffeo{title}" for title in titles}
    wanted |= {f"TestManifold{n}" for n in sizes}
    compared = [f"{key.upper()}{n}" for key in METRICS for n in (2, 3, 5)]
    wanted |= {f"TestSameMetric{title}" for title in compared}
    wanted |= {f"TestSameDiffeo{t}" for t in compared if not t.startswith("PHCM")}
    assert wanted <= _classes().keys()


@pytest.mark.validation
@pytest.mark.parametrize("name", _classes())
def test_every_test_is_run(name):
    cls = _classes()[name]
    left_out = set()
    for test in names_of_tests(_shipped(cls)):
        marks = _marks(getattr(cls, f"test_{test}"))
        parameters = marks["parametrize"].args[1] if "parametrize" in marks else ()
        if "ignore" in marks or len(parameters) == 0:
            left_out.add(test)
    assert left_out == _exceptions(name)


@pytest.mark.validation
@pytest.mark.parametrize("name", _classes())
def test_every_test_is_that_of_geomstats(name):
    cls = _classes()[name]
    replaced = {
        test
        for test in names_of_tests(_shipped(cls))
        if getattr(cls, f"test_{test}").__code__
        is not getattr(_shipped(cls), f"test_{test}").__code__
    }
    assert replaced <= REPLACED


@pytest.mark.validation
@pytest.mark.parametrize("name", _classes())
def test_no_test_is_excused(name):
    cls = _classes()[name]
    data = cls.testing_data
    assert data.fail_for_not_implemented_errors and data.fail_for_autodiff_exceptions
    assert data.trials == 1
    assert not (data.skips or data.xfails or data.skip_vec or data.skip_all)
    for test in names_of_tests(cls):
        marks = _marks(getattr(cls, f"test_{test}"))
        assert not marks.keys() & {"skip", "skipif", "xfail"}
        if "parametrize" in marks:
            _, parameters = marks["parametrize"].args
            assert not any(parameter.marks for parameter in parameters)


@pytest.mark.validation
@pytest.mark.parametrize("name", _classes())
def test_tolerances_are_tight(name):
    cls = _classes()[name]
    for test in names_of_tests(cls):
        mark = _marks(getattr(cls, f"test_{test}")).get("parametrize")
        names = mark.args[0].split(", ") if mark else []
        if "atol" in names:
            place = names.index("atol")
            assert all(p.values[place] <= 1e-8 for p in mark.args[1])
