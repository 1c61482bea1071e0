"""Probes of statistics: tests, estimators, streams, dask arrays."""

import numpy as np

from geomstats_cor import METRICS, FullRankCorrelationMatrices, frechet_mean

from .calls import attempt, failed, numbers, own
from .names import documented, listed, named, subclasses

TESTS = r"\bp[- _]?values?\b|significance|confidence|hypothesis|bootstrap|anova"


def tests(library, data):
    """Name the significance tests and confidence regions that run."""
    points, labels = data.points[:, :4, :4], data.labels
    runs = {
        "geomstats-cor": _our_tests,
        "pyriemann": _permutation_tests,
    }.get(library)
    if runs is None:
        found = documented(library, TESTS)
        return listed(found) if found else "none: no docstring speaks of them"
    answers = runs(points, labels)
    assert not any(isinstance(answer, Exception) for answer in answers.values())
    return listed(answers)


def _our_tests(points, labels):
    import geomstats_cor as here

    space = FullRankCorrelationMatrices(4, equip="olm")
    calls = {
        "equal_means_test": lambda f: f(points, labels, space, n_permutations=99),
        "equal_dispersions_test": lambda f: f(points, labels, space, n_permutations=99),
        "frechet_anova": lambda f: f(points, labels, space),
        "mean_test": lambda f: f(points, np.eye(4), space, n_permutations=99),
        "confidence_region": lambda f: f(points, space),
    }
    return {name: attempt(call, getattr(here, name)) for name, call in calls.items()}


def _permutation_tests(points, labels):
    from pyriemann.classification import MDM
    from pyriemann.stats import PermutationDistance, PermutationModel

    tests = PermutationDistance(n_perms=20), PermutationModel(n_perms=20, model=MDM())
    return {type(test).__name__: attempt(test.test, points, labels) for test in tests}


def estimators(library, data):
    """Count the estimators of scikit-learn, and let a classifier predict."""
    from sklearn import base

    found = subclasses(library, base.BaseEstimator)
    if not found:
        return "none"
    kinds = {
        "classifiers": base.ClassifierMixin,
        "regressors": base.RegressorMixin,
        "clusterers": base.ClusterMixin,
        "transformers": base.TransformerMixin,
    }
    counts = {
        kind: sum(issubclass(estimator, mixin) for estimator in found.values())
        for kind, mixin in kinds.items()
    }
    shown = ", ".join(f"{kind} {count}" for kind, count in counts.items() if count)
    classifier = _classifier(library)
    points = own(library, data.points[:, :4, :4])
    answer = attempt(lambda: classifier.fit(points, data.labels).predict(points))
    verb = "raises an error" if failed(answer) else "predicts"
    return f"{len(found)}: {shown}; `{type(classifier).__name__}` {verb}"


def _classifier(library):
    if library == "geomstats-cor":
        from geomstats_cor.learning import MinimumDistanceToMean

        return MinimumDistanceToMean(metric="ecm")
    if library == "geomstats":
        from geomstats.learning.mdm import RiemannianMinimumDistanceToMean

        from ..peer import geomstats_space

        return RiemannianMinimumDistanceToMean(geomstats_space("ecm", 4))
    from pyriemann.classification import MDM

    return MDM()


def streaming(library, data):
    """Give the data in two parts, to estimators that can go on where they stopped."""
    points = data.points[:, :4, :4]
    if library == "geomstats-cor":
        return (
            f"`StreamingMean.partial_fit`: {_exactness(_streaming_mean, points)}; "
            f"`frechet_mean_of_chunks`: {_exactness(_mean_of_chunks, points)}"
        )
    if library == "geomstats":
        shown = _exactness(_incremental_mean, points)
        return f"`IncrementalFrechetMean.fit(init=...)`: {shown}"
    found = [name for name, _ in _with_partial_fit(library)]
    if library != "pyriemann" or not found:
        matches = named(library, "(?i)stream|online|increment")
        return "none: no `partial_fit`" + (f"; {listed(matches)}" if matches else "")
    ran = [name for name in found if not failed(_whitened_in_parts(name, points))]
    return f"`partial_fit` of {listed(ran)}, of covariances"


def _with_partial_fit(library):
    from sklearn.base import BaseEstimator

    return [
        (name, estimator)
        for name, estimator in subclasses(library, BaseEstimator).items()
        if hasattr(estimator, "partial_fit")
    ]


def _exactness(mean_in_parts, points):
    """Say under which metrics two parts give the mean of the whole."""
    exact, entries = [], []
    for key in METRICS:
        space = FullRankCorrelationMatrices(points.shape[-1], equip=key)
        answer = attempt(mean_in_parts, key, points)
        if failed(answer):
            entries.append(f"{key.upper()} raises {type(answer).__name__}")
            continue
        mean = frechet_mean(points, space)
        deviation = np.sqrt((space.metric.dist(points, mean) ** 2).mean())
        error = float(space.metric.dist(numbers(answer), mean) / deviation)
        if error < 1e-10:
            exact.append(key.upper())
        else:
            entries.append(f"{key.upper()} differs by {error:.0e}")
    return "; ".join([f"exact under {', '.join(exact)}", *entries])


def _streaming_mean(key, points):
    from geomstats_cor import StreamingMean

    stream = StreamingMean(FullRankCorrelationMatrices(points.shape[-1], equip=key))
    return stream.partial_fit(points[:40]).partial_fit(points[40:]).estimate_


def _mean_of_chunks(key, points):
    from geomstats_cor import frechet_mean_of_chunks

    space = FullRankCorrelationMatrices(points.shape[-1], equip=key)
    return frechet_mean_of_chunks(
        [points[:40], points[40:]], space, progress=False
    ).mean


def _incremental_mean(key, points):
    from geomstats.learning.incremental_frechet_mean import IncrementalFrechetMean

    from ..peer import geomstats_space

    points = own("geomstats", points)
    stream = IncrementalFrechetMean(
        geomstats_space(key, points.shape[-1]), clean_state=False
    )
    stream.fit(points[:40])
    return stream.fit(points[40:], init=stream.estimate_).estimate_


def _whitened_in_parts(name, points):
    import pyriemann.artifact_detection
    import pyriemann.spatialfilters

    if name == "Whitening":
        filters = pyriemann.spatialfilters.Whitening()
        return attempt(
            lambda: (
                filters.fit(points[:40]).partial_fit(points[40:]).transform(points[:1])
            )
        )
    detector = getattr(pyriemann.artifact_detection, name)()
    if name == "PotatoField":
        detector = detector.set_params(n_potatoes=2)
        halves = [points[:40]] * 2, [points[40:]] * 2
    else:
        halves = points[:40], points[40:]
    return attempt(
        lambda: numbers(detector.fit(halves[0]).partial_fit(halves[1]) is detector)
    )


def dask_arrays(library, data):
    """Ask for means, or else distances, of matrices that come as a dask array."""
    import dask.array as da

    points = data.points[:, :4, :4]
    given = da.from_array(points, chunks=(20, 4, 4))
    entries, errors = [], []
    for name, call in _calls_with_points(library, own(library, points[0])).items():
        pieces, restore = _loaded_pieces(da.Array)
        try:
            answer = attempt(lambda call=call: numbers(call(given)))
        finally:
            restore()
        if isinstance(answer, Exception):
            errors.append(type(answer).__name__)
        else:
            way = "loads all of it" if given.shape in pieces else "block by block"
            entries.append(f"`{name}` {way}")
    if entries:
        return ", ".join(entries)
    return f"none: {', '.join(sorted(set(errors)))} in {len(errors)} functions tried"


def _loaded_pieces(Array):
    """Note the shapes of arrays that are loaded as a whole, until restored."""
    pieces, load = [], Array.__array__

    def noted(self, *args, **kwargs):
        pieces.append(self.shape)
        return load(self, *args, **kwargs)

    Array.__array__ = noted
    return pieces, lambda: setattr(Array, "__array__", load)


def _calls_with_points(library, other):
    """Return functions of a stack of matrices: means, or distances from one matrix."""
    if library == "geomstats-cor":
        from geomstats_cor import frechet_mean_of_chunks

        space = FullRankCorrelationMatrices(4, equip="olm")
        return {
            "frechet_mean_of_chunks": lambda points: (
                frechet_mean_of_chunks(points, space, progress=False).mean
            )
        }
    if library == "geomstats":
        from geomstats.learning.frechet_mean import FrechetMean

        from ..peer import geomstats_space

        return {
            key: lambda points, key=key: (
                FrechetMean(geomstats_space(key, 4)).fit(points).estimate_
            )
            for key in METRICS
        }
    if library == "pyriemann":
        # Those over all permutations of the matrices are for a handful of them.
        return named(library, "^mean_(?!alm|bmp|cheap)")
    if library == "spd_learn":
        distances = named(library, "_distance$")
        return {
            name: lambda points, distance=distance: distance(points, other)
            for name, distance in distances.items()
        }
    from geoopt import SymmetricPositiveDefinite

    dist = SymmetricPositiveDefinite().dist
    return {"SymmetricPositiveDefinite.dist": lambda points: dist(points, other)}
