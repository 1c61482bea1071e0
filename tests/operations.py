"""All that a metric can be asked about points and tangent vectors, in one table."""

import dataclasses
from collections.abc import Callable

from kernels.matrices import random_correlation, random_hollow


def _same(result):
    return result


def _at_one_third(path):
    return path(1 / 3)[..., 0, :, :]


@dataclasses.dataclass(frozen=True)
class Operation:
    """A method of a metric, with the names of its arguments."""

    method: str
    points: tuple[str, ...] = ()
    vectors: tuple[str, ...] = ()
    finish: Callable = _same

    @property
    def names(self):
        return (*self.vectors, *self.points)

    def __call__(self, metric, arguments):
        return self.finish(getattr(metric, self.method)(**arguments))


def _two(method, first="point_a", second="point_b", **more):
    return Operation(method, points=(first, second), **more)


def _at(method, *vectors, points=("base_point",), **more):
    return Operation(method, points=points, vectors=vectors, **more)


_TENSORS = (
    "metric_matrix",
    "cometric_matrix",
    "christoffels",
    "inner_product_derivative_matrix",
    "riemann_tensor",
    "covariant_riemann_tensor",
    "ricci_tensor",
    "scalar_curvature",
)
_A, _B, _C, _D = (f"tangent_vec_{letter}" for letter in "abcd")
_TO = ("base_point", "end_point")

# The batch shapes of all arguments broadcast against each other.
OPERATIONS = {
    "inner_product": _at("inner_product", _A, _B),
    "squared_norm": _at("squared_norm", "vector"),
    "norm": _at("norm", "vector"),
    "normalize": _at("normalize", "vector"),
    "exp": _at("exp", "tangent_vec"),
    "log": _two("log", "point", "base_point"),
    "squared_dist": _two("squared_dist"),
    "dist": _two("dist"),
    "geodesic to a point": _two(
        "geodesic", "initial_point", "end_point", finish=_at_one_third
    ),
    "geodesic with a velocity": _at(
        "geodesic",
        "initial_tangent_vec",
        points=("initial_point",),
        finish=_at_one_third,
    ),
    "transport to a point": _at("parallel_transport", "tangent_vec", points=_TO),
    "transport in a direction": _at("parallel_transport", "tangent_vec", "direction"),
    "curvature": _at("curvature", _A, _B, _C),
    "curvature_derivative": _at("curvature_derivative", _A, _B, _C, _D),
    "sectional_curvature": _at("sectional_curvature", _A, _B),
    "injectivity_radius": _at("injectivity_radius"),
    "to_coords": _at("to_coords", points=("point",)),
    "log_coords": _two("log_coords", "point", "base_point"),
    **{name: _at(name) for name in _TENSORS},
}

# These take stacks of points [k, n, n].
STACK_OPERATIONS = {
    "dist_broadcast": _two("dist_broadcast"),
    "closest_neighbor_index": _two("closest_neighbor_index", "point", "neighbors"),
    "dist_pairwise": Operation("dist_pairwise", points=("points",)),
    "diameter": Operation("diameter", points=("points",)),
}


def sample(operation, rng, n, batch_of=lambda position: (), condition=10.0):
    """Return numpy arguments for an operation.

    `batch_of` maps the position of an argument to its batch shape.
    """
    arguments = {}
    for position, name in enumerate(operation.names):
        batch = batch_of(position)
        if name in operation.points:
            arguments[name] = random_correlation(rng, n, condition, batch)
        else:
            arguments[name] = 0.3 * random_hollow(rng, n, batch)
    return arguments
