"""A sixth metric: Euclidean in the Fisher z-transforms of partial correlations."""

from array_api_compat import array_namespace
from geomstats.geometry.lower_triangular_matrices import StrictlyLowerTriangularMatrices

from geomstats_cor import diffeos, geometries, kernels, metrics


def to_the_right(x):  # for each entry, the sum of those to its right in the row
    return x @ array_namespace(x).tril(array_namespace(x).ones_like(x), k=-1)


def jet(z, w):  # Theta(C) - I, and two derivatives along the line z + t w
    xp = array_namespace(z)
    scale, tanh = xp.exp(to_the_right(xp.log(xp.cosh(z)))), xp.tanh(z)
    rows, slope = scale * xp.sinh(z), scale * xp.cosh(z) * w
    drift, bend = to_the_right(tanh * w), to_the_right((1.0 - tanh**2) * w**2)
    second = rows * (w**2 + drift**2 + bend) + 2.0 * slope * drift
    return rows, slope + rows * drift, second


class PartialCorrelations(diffeos.CholeskyLocal):  # after Theta, at a point
    def _compute_image(self):
        xp = array_namespace(self.unit_lower)
        rows = xp.tril(self.unit_lower, k=-1)
        return xp.asinh(rows / xp.sqrt(1.0 + to_the_right(rows**2)))

    def push(self, vector):
        xp, (rows, _, _) = array_namespace(vector), jet(self.image, self.image)
        squares, moved = 1.0 + to_the_right(rows**2), super().push(vector)
        moved = moved - rows * to_the_right(rows * moved) / squares
        return moved / xp.sqrt(squares + rows**2)

    def pull(self, vector):
        return super().pull(jet(self.image, vector)[1])

    def second_pull(self, vector):
        _, first, second = jet(self.image, vector)
        return super().second_pull(first) + super().pull(second)


class PartialCorrelationDiffeo(diffeos.CorrelationDiffeo):
    """Entry (i, j) is atanh of the correlation of i and j, given all before j."""

    is_strict_part_at_identity = True

    def _at(self, base_point):
        return PartialCorrelations(kernels.theta(base_point), base_point)

    def _at_image(self, z):
        identity = array_namespace(z).eye(z.shape[-1], dtype=z.dtype, device=z.device)
        return PartialCorrelations(identity + jet(z, z)[0], image=z)


class PartialCorrelationMetric(metrics.CorrelationMetric):
    def __init__(self, space):
        image_space = StrictlyLowerTriangularMatrices(n=space.n, equip=False)
        image_space.equip_with_metric(geometries.StrictlyLowerMetric)
        super().__init__(space, PartialCorrelationDiffeo(), image_space)
