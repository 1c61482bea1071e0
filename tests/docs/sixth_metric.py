"""A sixth metric: Euclidean in the Fisher z-transforms of partial correlations."""

from array_api_compat import array_namespace
from geomstats.geometry.lower_triangular_matrices import StrictlyLowerTriangularMatrices

from geomstats_cor import diffeos, geometries, kernels, metrics


def to_the_right(x):  # for each entry, the sum of those to its right in the row
    return x @ array_namespace(x).tril(array_namespace(x).ones_like(x), k=-1)


class PartialCorrelationDiffeo(diffeos.CorrelationDiffeo):
    """Entry (i, j) is atanh of the correlation of i and j, given all before j."""

    is_strict_part_at_identity = True

    def _map(self, base_point):
        xp = array_namespace(base_point)
        rows = xp.tril(kernels.theta(base_point), k=-1)
        return xp.asinh(rows / xp.sqrt(1.0 + to_the_right(rows**2)))

    def _differential(self, tangent_vec, base_point, image_point=None):
        xp, unit_lower = array_namespace(base_point), kernels.theta(base_point)
        rows = xp.tril(unit_lower, k=-1)
        squares = 1.0 + to_the_right(rows**2)
        moved = kernels.theta_differential_at(tangent_vec, unit_lower)
        moved = moved - rows * to_the_right(rows * moved) / squares
        return moved / xp.sqrt(squares + rows**2)

    def _inverse_map(self, image_point):
        return kernels.theta_inverse(self._jet(image_point, image_point)[0])

    def _inverse_differential(self, image_tangent_vec, image_point):
        unit_lower, first, _ = self._jet(image_point, image_tangent_vec)
        return kernels.theta_inverse_differential(first, unit_lower)

    def inverse_second_tangent(self, image_tangent_vec, image_point):
        unit_lower, first, second = self._jet(image_point, image_tangent_vec)
        curved = kernels.theta_inverse_second_differential(first, unit_lower)
        return curved + kernels.theta_inverse_differential(second, unit_lower)

    def _jet(self, z, w):  # Theta(C), and two derivatives along the line z + t w
        xp = array_namespace(z)
        scale, tanh = xp.exp(to_the_right(xp.log(xp.cosh(z)))), xp.tanh(z)
        rows, slope = scale * xp.sinh(z), scale * xp.cosh(z) * w
        drift, bend = to_the_right(tanh * w), to_the_right((1.0 - tanh**2) * w**2)
        second = rows * (w**2 + drift**2 + bend) + 2.0 * slope * drift
        eye = xp.eye(z.shape[-1], dtype=z.dtype, device=z.device)
        return eye + rows, slope + rows * drift, second


class PartialCorrelationMetric(metrics.CorrelationMetric):
    def __init__(self, space):
        image_space = StrictlyLowerTriangularMatrices(n=space.n, equip=False)
        image_space.equip_with_metric(geometries.StrictlyLowerMetric)
        super().__init__(space, PartialCorrelationDiffeo(), image_space)
