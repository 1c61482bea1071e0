r"""Location and scale by site, with empirical Bayes.

Each coordinate of a vector of site :math:`s` with covariates :math:`x` is

.. math:: y = \alpha + \beta^\top x + \sigma (\gamma_s + \delta_s \varepsilon) .

The sites' :math:`\gamma_s` are normal and their :math:`\delta_s^2` inverse gamma among
the coordinates; the parameters of these distributions are estimated by moments, and the
sites' own by their posterior means, so that small sites borrow strength.

References
----------
.. [J2007] W. E. Johnson, C. Li and A. Rabinovic. Adjusting batch effects in microarray
   expression data using empirical Bayes methods. Biostatistics 8, 2007.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._types import Array

SCALES = ("coordinate", "common", "none")
_ITERATIONS, _TOLERANCE = 200, 1e-10


@dataclass(frozen=True)
class SiteEffect:
    """Location and scale of a site, in units of the residual deviation.

    Parameters
    ----------
    location : numpy.ndarray, shape=[d]
        Shift of each coordinate.
    scale : numpy.ndarray, shape=[d]
        Factor of the residuals of each coordinate.
    """

    location: np.ndarray
    scale: np.ndarray


class Combat:
    """The model of location and scale by site.

    Parameters
    ----------
    scale : {"coordinate", "common", "none"}
        A scale for each coordinate, one for all, or none.
    empirical_bayes : bool
        Whether sites borrow strength across coordinates.

    Attributes
    ----------
    average : numpy.ndarray, shape=[d]
        Intercept, the average over sites by their size.
    coef : numpy.ndarray, shape=[p, d]
        Effects of covariates.
    deviation : numpy.ndarray, shape=[d]
        Residual deviation over all sites.
    effects : list of SiteEffect
        Effect of each site.
    """

    def __init__(self, scale: Any = "coordinate", empirical_bayes: bool = True) -> None:
        self.scale, self.empirical_bayes = scale, empirical_bayes

    def fit(self, vectors: Array, sites: Array, covariates: Array) -> Any:
        """Estimate the effects of sites.

        Parameters
        ----------
        vectors : numpy.ndarray, shape=[N, d]
            Vectors.
        sites : numpy.ndarray of int, shape=[N]
            Site of each, 0 to k - 1.
        covariates : numpy.ndarray, shape=[N, p]
            Covariates whose effects are kept.

        Returns
        -------
        self : Combat
            The model.
        """
        sizes = np.bincount(sites)
        indicators = (sites[:, None] == np.arange(len(sizes))).astype(float)
        design = np.hstack([indicators, covariates])
        coef = np.linalg.lstsq(design, vectors, rcond=None)[0]
        self.average = (sizes / len(sites)) @ coef[: len(sizes)]
        self.coef = coef[len(sizes) :]
        residuals = vectors - design @ coef
        deviation = np.sqrt(np.mean(residuals**2, axis=0))
        self.deviation = np.where(deviation > 0.0, deviation, 1.0)
        standardized = self._standardized(vectors, covariates)
        self.effects = [
            self.site_effect(standardized[sites == s]) for s in range(len(sizes))
        ]
        return self

    def _standardized(self, vectors, covariates):
        expected = self.average + covariates @ self.coef
        return (vectors - expected) / self.deviation

    def estimate(self, vectors: Array, covariates: Any) -> Any:
        """Return the effect of a site from its vectors [m, d] and covariates [m, p]."""
        return self.site_effect(self._standardized(vectors, covariates))

    def site_effect(self, standardized: Any) -> Any:
        """Return the effect of a site from its standardised vectors [m, d]."""
        location = np.mean(standardized, axis=0)
        squares = np.sum((standardized - location) ** 2, axis=0)
        spread = squares / (len(standardized) - 1)
        if self.empirical_bayes and len(location) > 1:
            location, spread = _posterior(location, squares, len(standardized))
        if self.scale == "common":
            spread = np.full_like(spread, np.mean(spread))
        if self.scale == "none":
            spread = np.ones_like(spread)
        return SiteEffect(location, np.sqrt(np.where(spread > 0.0, spread, 1.0)))

    def remove(self, vectors: Array, covariates: Any, effect: Any) -> Any:
        """Return vectors [m, d] of a site without its effect."""
        standardized = self._standardized(vectors, covariates)
        expected = self.average + covariates @ self.coef
        return expected + self.deviation * (
            (standardized - effect.location) / effect.scale
        )


def _posterior(location, squares, number):
    """Return posterior means of locations and squared scales."""
    prior_mean, prior_spread = np.mean(location), np.var(location, ddof=1)
    spread = squares / (number - 1)
    mean, variance = np.mean(spread), np.var(spread, ddof=1)
    if prior_spread == 0.0 or variance == 0.0:
        return location, spread
    shape = 2.0 + mean**2 / variance
    rate = mean * (1.0 + mean**2 / variance)
    found = location
    for _ in range(_ITERATIONS):
        weight = number * prior_spread
        found = (weight * location + spread * prior_mean) / (weight + spread)
        total = squares + number * (location - found) ** 2
        new = (rate + 0.5 * total) / (0.5 * number + shape - 1.0)
        change = np.max(np.abs(new - spread) / spread.clip(1e-300))
        spread = new
        if change < _TOLERANCE:
            break
    return found, spread
