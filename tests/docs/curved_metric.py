"""A curved metric: the entries of Theta(C) - I, a point of one hyperbolic space."""

from geomstats.geometry.lower_triangular_matrices import StrictlyLowerTriangularMatrices

from geomstats_cor import diffeos, geometries, kernels, metrics


def on_rows(kernel):  # a kernel of points and vectors [..., d], on triangles
    def method(self, *matrices, **options):
        rows = [kernels.pack_strictly_lower(x) for x in matrices]
        return kernels.unpack_strictly_lower(kernel(*rows, **options))

    return method


class HyperbolicMetric(geometries.ImageMetric):
    exp = on_rows(kernels.hyperbolic_exp)
    log = on_rows(kernels.hyperbolic_log)
    orthonormal = on_rows(kernels.hyperbolic_orthonormal)
    from_orthonormal = on_rows(kernels.hyperbolic_from_orthonormal)
    curvature = on_rows(kernels.hyperbolic_curvature)

    def parallel_transport(
        self, tangent_vec, base_point, direction=None, end_point=None
    ):
        transport = on_rows(kernels.hyperbolic_transport)
        return transport(self, tangent_vec, base_point, end_point)


class HyperbolicCholeskyMetric(metrics.CorrelationMetric):
    def __init__(self, space):
        image_space = StrictlyLowerTriangularMatrices(n=space.n, equip=False)
        image_space.equip_with_metric(HyperbolicMetric)
        diffeo = diffeos.PolyHyperbolicCholeskyDiffeo()
        super().__init__(space, diffeo, image_space)
