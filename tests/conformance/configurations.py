"""The equipped spaces that the test cases run on."""

from typing import NamedTuple

from geomstats_cor import METRICS, FullRankCorrelationMatrices


class Configuration(NamedTuple):
    """A metric with its parameters, and a size.

    Attributes
    ----------
    key : str
        Short name of the metric.
    n : int
        Size of the matrices.
    parameters : dict
        Parameters of the metric; empty for the default.
    """

    key: str
    n: int
    parameters: dict

    @property
    def title(self):
        """Name for a test class."""
        return f"{self.key.upper()}{self.n}{'Weighted' if self.parameters else ''}"

    def space(self):
        """Return the equipped manifold."""
        space = FullRankCorrelationMatrices(self.n, equip=False)
        return space.equip_with_metric(METRICS[self.key], **self.parameters)


SIZES = (2, 3, 5, 10)
DEFAULT = [Configuration(key, n, {}) for key in METRICS for n in SIZES]
WEIGHTED = [
    Configuration("olm", 5, dict(alpha=1.5, beta=-0.5, gamma=0.25)),
    Configuration("lsm", 3, dict(alpha=1.5, delta=-0.5, zeta=0.25)),
    Configuration("phcm", 3, dict(weights=(0.5, 2.0))),
]
CONFIGURATIONS = DEFAULT + WEIGHTED

# Curvature tensors have d^4 components, d = n (n - 1) / 2. For n = 10 these are four
# million and take seconds: one metric is enough there, and not one where all are zero.
LARGE = 10
FOURTH_ORDER = {
    "riemann_tensor",
    "covariant_riemann_tensor",
    "covariant_riemann_tensor_is_skew_symmetric_1",
    "covariant_riemann_tensor_is_skew_symmetric_2",
    "covariant_riemann_tensor_bianchi_identity",
    "covariant_riemann_tensor_is_interchange_symmetric",
    "ricci_tensor",
    "scalar_curvature",
}


def exceptions(configuration):
    """Return the names of the tests that are not run on a configuration."""
    heavy = configuration.n >= LARGE and configuration.key != "phcm"
    return FOURTH_ORDER if heavy else set()


def define(namespace, prefix, cases):
    """Put test classes into a module, one for each configuration.

    Parameters
    ----------
    namespace : dict
        Names of the module.
    prefix : str
        Beginning of the names of the classes.
    cases : iterable of (str, type)
        Rest of the name and class.
    """
    for title, case in cases:
        name = f"{prefix}{title}"
        case.__name__ = case.__qualname__ = name
        case.__module__ = namespace["__name__"]
        namespace[name] = case
