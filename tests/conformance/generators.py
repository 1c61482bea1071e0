"""Random points and tangent vectors, at which maps can be undone in float64."""

from geomstats.test.random import (
    EmbeddedSpaceRandomDataGenerator,
    RandomDataGenerator,
)


class CorrelationGenerator(EmbeddedSpaceRandomDataGenerator):
    """Correlation matrices Cor(exp(S)), and tangent vectors that shrink with n.

    The eigenvalues of a normal tangent vector grow with the square root of n, and the
    far end of a long geodesic is numerically singular.
    """

    def __init__(self, space):
        super().__init__(space, amplitude=2.0 * space.n)

    def random_point(self, n_points=1):
        """Draw points of moderate condition number."""
        return self.space.random_point(n_points, bound=1.0)


class ImageGenerator(RandomDataGenerator):
    """Points of an affine space of matrices, and differences of two points."""

    def __init__(self, space):
        super().__init__(space, amplitude=2.0 * space.n)

    def random_point(self, n_points=1):
        """Draw points with entries of a size that shrinks with n."""
        return self.space.random_point(n_points, bound=2.0 / self.space.n)

    def random_tangent_vec(self, base_point):
        """Draw differences of points, one for each base point."""
        n_points = len(base_point) if base_point.ndim > 2 else 1
        difference = self.random_point(n_points) - self.random_point(n_points)
        return difference.reshape(base_point.shape)
