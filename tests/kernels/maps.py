"""The five diffeomorphisms, put together from the kernels as the metrics use them."""

from typing import Any, NamedTuple

from array_api_compat import array_namespace

from geomstats_cor import kernels as k

from .matrices import random_hollow, random_row0, random_strictly_lower


class Map(NamedTuple):
    """A map of correlation matrices, its inverse, and the differentials of both.

    A differential takes (vector, base point); `random_image` draws tangent vectors of
    the image, given a generator, a size and a batch shape.
    """

    forward: Any
    inverse: Any
    differential: Any
    inverse_differential: Any
    random_image: Any


def _strict(unit_lower):
    return array_namespace(unit_lower).tril(unit_lower, k=-1)


def _unit(strict):
    xp = array_namespace(strict)
    return strict + xp.eye(strict.shape[-1], dtype=strict.dtype)


def _lecm_differential(vector, correlation):
    moved = k.theta_differential(vector, correlation)
    return k.log_unit_lower_differential(moved, k.theta(correlation))


def _lecm_inverse_differential(vector, strict):
    moved = k.exp_strictly_lower_differential(vector, strict)
    return k.theta_inverse_differential(moved, k.exp_strictly_lower(strict))


def _phcm_differential(vector, correlation):
    moved = k.theta_differential(vector, correlation)
    rows = _strict(k.theta(correlation))
    return k.hyperboloid_to_origin_tangent_differential(moved, rows)


def _phcm_inverse_differential(vector, tangent_rows):
    moved = k.hyperboloid_from_origin_tangent_differential(vector, tangent_rows)
    rows = k.hyperboloid_from_origin_tangent(tangent_rows)
    return k.theta_inverse_differential(moved, _unit(rows))


MAPS = {
    "ecm": Map(
        forward=lambda c: _strict(k.theta(c)),
        inverse=lambda x: k.theta_inverse(_unit(x)),
        differential=k.theta_differential,
        inverse_differential=lambda v, x: k.theta_inverse_differential(v, _unit(x)),
        random_image=random_strictly_lower,
    ),
    "lecm": Map(
        forward=lambda c: k.log_unit_lower(k.theta(c)),
        inverse=lambda x: k.theta_inverse(k.exp_strictly_lower(x)),
        differential=_lecm_differential,
        inverse_differential=_lecm_inverse_differential,
        random_image=random_strictly_lower,
    ),
    "olm": Map(
        forward=k.off_log,
        inverse=k.off_exp,
        differential=k.off_log_differential,
        inverse_differential=k.off_exp_differential,
        random_image=random_hollow,
    ),
    "lsm": Map(
        forward=k.log_scaled,
        inverse=k.exp_scaled,
        differential=k.log_scaled_differential,
        inverse_differential=k.exp_scaled_differential,
        random_image=random_row0,
    ),
    "phcm": Map(
        forward=lambda c: k.hyperboloid_to_origin_tangent(k.strict_theta(c)),
        inverse=lambda x: k.theta_inverse(_unit(k.hyperboloid_from_origin_tangent(x))),
        differential=_phcm_differential,
        inverse_differential=_phcm_inverse_differential,
        random_image=random_strictly_lower,
    ),
}
