"""Probes of geometry: metrics, manifolds, means and parallel transport."""

import inspect

import numpy as np

from geomstats_cor import METRICS, FullRankCorrelationMatrices, frechet_mean

from .calls import attempt, failed, is_correlation, numbers, own
from .names import documented, listed, named, subclasses

_KEYS = {metric.__name__: key.upper() for key, metric in METRICS.items()}
_SAME = 1e-8  # relative difference that rounding explains
_NUMBER = 30  # matrices of a mean; geomstats takes seconds for them under OLM
_FAR = 8.0  # a geodesic of the Euclidean metric has left the manifold there


def metrics(library, data):
    """Name the metrics of correlation matrices that have distances and geodesics."""
    points = data.points[:2, :4, :4]
    spaces = named(library, "^FullRankCorrelationMatrices$")
    if not spaces:
        return _no_distance(library, points)
    from geomstats.geometry.riemannian_metric import RiemannianMetric

    (Space,) = spaces.values()
    found = []
    for name, Metric in documented(library, "correlation").items():
        if inspect.isclass(Metric) and issubclass(Metric, RiemannianMetric):
            space = attempt(_equipped, Space, Metric)
            end = attempt(_far_point, space, *own(library, points))
            if not failed(end) and is_correlation(numbers(end)):
                found.append(_KEYS.get(name, f"`{name}`"))
    order = [*_KEYS.values(), *sorted(found)]
    return f"{len(found)}: {', '.join(sorted(found, key=order.index))}"


def _equipped(Space, Metric):
    return Space(4, equip=False).equip_with_metric(Metric)


def _far_point(space, point, end_point):
    if failed(attempt(space.metric.dist, point, end_point)):
        raise NotImplementedError
    tangent_vec = _FAR * space.metric.log(end_point, point)
    return space.metric.exp(tangent_vec, point)


def _no_distance(library, points):
    """Say how many distances there are, none of which is one of the five."""
    spaces = (FullRankCorrelationMatrices(4, equip=key) for key in METRICS)
    known = [float(space.metric.dist(*points)) for space in spaces]
    answers = {
        name: float(distance(*own(library, points)))
        for name, distance in _distances(library, points).items()
    }
    equal = [n for n, d in answers.items() if np.isclose(d, known, rtol=_SAME).any()]
    if equal:
        return f"{len(equal)}: {listed(equal)}"
    return f"none: {len(answers)} distances, none of them one of the five"


def covariance_distances(library, data):
    """Count the distances and divergences of covariance matrices."""
    found = _distances(library, data.points[:2, :4, :4])
    return f"{len(found)}: {listed(found, most=12)}" if found else "none"


def _distances(library, points):
    """Return functions of two covariance matrices that vanish if both are the same."""
    a, b = own(library, points)
    found = {}
    for name, distance in _candidates(library).items():
        answers = attempt(distance, a, b), attempt(distance, a, a)
        if failed(answers[0]) or numbers(answers[0]).size > 1:
            continue
        if numbers(answers[0]) > _SAME and abs(numbers(answers[1])) < 1e-3:
            found[name] = distance
    return found


def _candidates(library):
    if library == "geomstats":
        import geomstats.geometry.spd_matrices as peer
        from geomstats.geometry.riemannian_metric import RiemannianMetric

        return {
            name: _distance_of(peer.SPDMatrices, Metric)
            for name, Metric in subclasses(library, RiemannianMetric).items()
            if Metric.__module__ == peer.__name__
        }
    if library == "geoopt":
        from geoopt.manifolds import symmetric_positive_definite as peer

        return {
            key.name: attempt(peer.SymmetricPositiveDefinite, key.name).dist
            for key in peer.SPDMetric
        }
    return {
        name: function
        for name, function in named(library, "^distance_|_distance$").items()
        if not inspect.isclass(function)
    }


def _distance_of(Space, Metric):
    return lambda a, b: _equipped(Space, Metric).metric.dist(a, b)


def manifolds(library, data):
    """Count the manifolds, of whatever kind."""
    del data
    if library == "geoopt":
        from geoopt.manifolds.base import Manifold
    else:
        from geomstats.geometry.manifold import Manifold
    found = subclasses(library, Manifold)
    if found:
        return f"{len(found)}: {listed(found, most=5)}"
    matches = named(library, "Manifold$")
    return "no class of manifolds" + (f"; {listed(matches)}" if matches else "")


def mean(library, data):
    """Measure the gradient that is left at the Fréchet mean, or look for a mean.

    The norm of the mean logarithm, divided by the root of the variance, is null at the
    mean. It is evaluated by our metric.
    """
    if library not in ("geomstats-cor", "geomstats"):
        return _no_mean(library, data.points[:4, :4, :4])
    points = data.points[:_NUMBER]
    return ", ".join(f"{key.upper()} {_slope(library, key, points)}" for key in METRICS)


def _slope(library, key, points):
    n = points.shape[-1]
    space = FullRankCorrelationMatrices(n, equip=key)
    answer = attempt(_mean_of, library, key, points)
    if isinstance(answer, TimeoutError):
        return str(answer)
    if failed(answer):
        return f"raises {type(answer).__name__}"
    answer = numbers(answer).reshape(n, n)
    gradient = space.metric.log(points, answer).mean(0)
    deviation = np.sqrt((space.metric.dist(points, answer) ** 2).mean())
    return _rounded(float(space.metric.norm(gradient, answer) / deviation))


def _mean_of(library, key, points):
    if library == "geomstats-cor":
        n = points.shape[-1]
        return frechet_mean(points, FullRankCorrelationMatrices(n, equip=key))
    from geomstats.learning.frechet_mean import FrechetMean

    space = _space(library, key, points.shape[-1])
    return FrechetMean(space).fit(own(library, points)).estimate_


def _space(library, key, n):
    from ..peer import geomstats_space

    if library == "geomstats":
        return geomstats_space(key, n)
    return FullRankCorrelationMatrices(n, equip=key)


def _rounded(error):
    return "< 1e-12" if error < 1e-12 else f"{error:.0e}"


def _no_mean(library, points):
    """Say which means of covariances turn correlations into a correlation matrix."""
    found, kept = [], []
    for name, function in named(library, "^mean_|_mean$|barycent|karcher").items():
        answer = attempt(function, own(library, points))
        if failed(answer) or numbers(answer).squeeze().shape != points.shape[1:]:
            continue
        found.append(name)
        if is_correlation(numbers(answer).squeeze()):
            kept.append(name)
    if not found:
        return "no name of a mean"
    text = f"{len(found)} means of covariances"
    if not kept:
        return f"none: {text}, no answer a correlation matrix"
    return f"none: {text}; a correlation matrix from {listed(kept)} alone"


def transport(library, data):
    """Name the metrics with parallel transport, where it agrees with ours."""
    if library not in ("geomstats-cor", "geomstats"):
        return _covariance_transports(library, data.points[:3])
    start, aim, end = data.points[:3]
    entries = []
    for key in METRICS:
        ours = _space("geomstats-cor", key, len(start)).metric
        vector = ours.log(aim, start)
        expected = ours.parallel_transport(vector, start, end_point=end)
        answer, way = _transported(library, key, vector, start, end)
        if failed(answer):
            entries.append(f"{key.upper()} raises {type(answer).__name__}")
            continue
        error = ours.norm(numbers(answer) - expected, end) / ours.norm(vector, start)
        wrong = "" if error < _SAME else f" differs by {error:.0e}"
        entries.append(f"{key.upper()}{wrong}{way}")
    return ", ".join(entries)


def _transported(library, key, vector, start, end):
    """Return a transported vector, and by which way if not the ordinary one."""
    vector, start, end = (own(library, x) for x in (vector, start, end))
    metric = _space(library, key, len(start)).metric
    answer = attempt(
        lambda: metric.parallel_transport(vector, start, end_point=end).reshape(
            start.shape
        )
    )
    if isinstance(answer, Exception):
        ladder = attempt(
            lambda: metric.ladder_parallel_transport(
                vector, start, direction=metric.log(end, start), scheme="pole"
            )["transported_tangent_vec"].reshape(start.shape)
        )
        if not failed(ladder):
            return ladder, " (by `ladder_parallel_transport`)"
    return answer, ""


def _covariance_transports(library, points):
    start, aim, end = own(library, points)
    if library == "geoopt":
        from geoopt import SymmetricPositiveDefinite

        found = {"SymmetricPositiveDefinite.transp"}
        answer = attempt(SymmetricPositiveDefinite().transp, start, end, aim - start)
        found = set() if failed(answer) else found
    else:
        functions = named(library, "^(parallel_)?transport_").items()
        found = {
            name
            for name, function in functions
            if not failed(attempt(function, aim - start, start, end))
        }
    return f"of covariances: {listed(found)}" if found else "none"
