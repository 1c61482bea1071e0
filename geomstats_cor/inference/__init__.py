"""Tests about Fréchet means and dispersions, and confidence regions.

Matrices become coordinates of their logarithms in an orthonormal frame; from there on
everything is multivariate statistics, in numpy and float64. Norms of the coordinates
are distances from the base point. For a flat metric the base point does not matter;
for a curved one it is the pooled mean, or the hypothesised one.
"""

from .anova import frechet_anova
from .dispersion_tests import equal_dispersions_test
from .frames import correlations_of_equal_frames, match_frames
from .mean_tests import equal_means_test, mean_test
from .regions import BootstrapBall, HotellingRegion, confidence_region
from .results import SignificanceTest

__all__ = [
    "equal_means_test",
    "equal_dispersions_test",
    "frechet_anova",
    "mean_test",
    "confidence_region",
    "correlations_of_equal_frames",
    "match_frames",
    "SignificanceTest",
    "HotellingRegion",
    "BootstrapBall",
]
