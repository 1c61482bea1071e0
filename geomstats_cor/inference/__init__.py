"""Tests about Fréchet means and dispersions, regression, edges, confidence regions.

Matrices become coordinates of their logarithms in an orthonormal frame; from there on
everything is multivariate statistics, in numpy and float64. Norms of the coordinates
are distances from the base point. For a flat metric the base point does not matter;
for a curved one it is the pooled mean, or the hypothesised one.
"""

from .adjusted_tests import adjusted_means_test
from .anova import frechet_anova
from .coefficients import coef_matrix, coefficient_test
from .dispersion_tests import equal_dispersions_test
from .edges import EdgeTest, adjust_fdr
from .frames import correlations_of_equal_frames, match_frames
from .linear_model import MultivariateGeodesicRegression
from .mean_tests import equal_means_test, mean_test
from .networks import Network, NetworkTest
from .regions import BootstrapBall, HotellingRegion, confidence_region
from .results import SignificanceTest

__all__ = [
    "equal_means_test",
    "equal_dispersions_test",
    "frechet_anova",
    "mean_test",
    "confidence_region",
    "adjusted_means_test",
    "MultivariateGeodesicRegression",
    "coef_matrix",
    "coefficient_test",
    "adjust_fdr",
    "correlations_of_equal_frames",
    "match_frames",
    "SignificanceTest",
    "EdgeTest",
    "Network",
    "NetworkTest",
    "HotellingRegion",
    "BootstrapBall",
]
