"""Harmonisation of correlation matrices from several sites."""

from typing import Any

import numpy as np
from sklearn.base import OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from .._types import Array, ArrayLike
from ..data.labels import in_order_of, is_stack
from ..data.naming import subjects_of
from ..exceptions import NotFiniteError, ParameterError, ShapeError
from ..inference.designs import is_missing, make_design
from ..inference.frames import as_labels
from ..statistics.mean import frechet_mean
from ..validation import require_choice
from ._combat import SCALES, Combat
from ._points import PointsEstimator

_METHODS = ("combat", "recentre")
_NEW_SITES = ("raise", "estimate", "pass")
_LEAST = 3


class Harmonizer(OneToOneFeatureMixin, TransformerMixin, PointsEstimator):
    r"""Remove what sites, scanners or batches do to correlation matrices.

    - "combat": location and scale of the coordinates by site, with empirical Bayes
      [J2007]_, in an orthonormal frame at the Fréchet mean. The effects of covariates
      are estimated together with those of the sites, and kept.
    - "recentre": the matrices of each site are carried from its Fréchet mean
      :math:`M_s` to that of all, :math:`\exp_M \Gamma_{M_s \to M} \log_{M_s} C`, by
      parallel transport [Y2019]_. No covariates.

    The result are full-rank correlation matrices. For a flat metric both move the
    coordinates of a site by one vector; for the poly-hyperbolic metric "combat" works
    in the tangent space at the mean, "recentre" on the manifold.

    Never pass what is to be predicted as a covariate: its effect is kept by design, in
    the test part, too, and predictions are then too good. A site whose subjects all
    have one diagnosis loses part of the diagnosis with the site.

    Parameters
    ----------
    metric : str or type or FullRankCorrelationMatrices
        Key of `METRICS`, class of metric, or an equipped space.
    method : {"combat", "recentre"}
        How to harmonise.
    scale : {"auto", "coordinate", "common", "none"}
        What happens to the dispersion of a site: a factor for each coordinate, one for
        all, or none. The first depends on the frame of the coordinates. "auto" is
        "coordinate" for "combat" and "none" for "recentre", which has no "coordinate".
    empirical_bayes : bool
        Whether sites borrow strength across coordinates, for "combat".
    new_sites : {"raise", "estimate", "pass"}
        What `transform` does with a site that `fit` did not see. "estimate" takes its
        location and scale from the matrices of the call, three or more, and nothing
        from labels; the result then depends on which matrices are transformed
        together. "pass" leaves them as they are.
    categorical : sequence of str
        Covariates whose numbers are codes of levels.
    on_bad : {"raise", "repair", "repair_each"}
        What to do with bad matrices; see `ToCoords`.

    Attributes
    ----------
    sites_ : tuple
        Sites that `fit` saw, sorted.
    mean_ : array, shape=[n, n]
        Fréchet mean of all matrices.
    site_means_ : array, shape=[k, n, n]
        Fréchet mean of each site, before harmonisation.
    space_ : FullRankCorrelationMatrices
        Equipped space.

    References
    ----------
    .. [J2007] W. E. Johnson, C. Li and A. Rabinovic. Adjusting batch effects in
       microarray expression data using empirical Bayes methods. Biostatistics 8, 2007.
    .. [Y2019] O. Yair, M. Ben-Chen and R. Talmon. Parallel transport on the cone
       manifold of SPD matrices for domain adaptation. IEEE Trans. Signal Process. 67,
       2019.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor import FullRankCorrelationMatrices, frechet_mean
    >>> from geomstats_cor.learning import Harmonizer
    >>> space = FullRankCorrelationMatrices(3, equip="olm")
    >>> points = space.random_point(20, rng=0)
    >>> points[10:] = space.metric.exp_coords(np.full(3, 0.5), points[10:])
    >>> sites = ["a"] * 10 + ["b"] * 10
    >>> harmonizer = Harmonizer("olm", method="recentre")
    >>> alike = harmonizer.fit_transform(points, sites=sites)
    >>> means = frechet_mean(alike.reshape(2, 10, 3, 3), space)
    >>> bool(np.allclose(means[0], means[1]))
    True
    """

    def __init__(
        self,
        metric: Any = "olm",
        method: str = "combat",
        scale: Any = "auto",
        empirical_bayes: bool = True,
        new_sites: str = "raise",
        categorical: ArrayLike = (),
        on_bad: str = "raise",
    ) -> None:
        self.metric = metric
        self.method = method
        self.scale = scale
        self.empirical_bayes = empirical_bayes
        self.new_sites = new_sites
        self.categorical = categorical
        self.on_bad = on_bad

    def fit(
        self,
        X: ArrayLike,
        y: Any = None,
        sites: ArrayLike = None,
        covariates: Any = None,
    ) -> Any:
        """Estimate the effects of sites.

        Parameters
        ----------
        X : array-like, shape=[N, n, n] or [N, n (n - 1) / 2]
            Correlation matrices, or their strict lower entries row by row.
        y : None
            Ignored, for the sake of pipelines.
        sites : array-like, shape=[N]
            Site of each matrix; three matrices or more of each.
        covariates : data frame, dict or array-like, shape=[N, p]
            Covariates whose effects are kept, such as age; not what is to be predicted.

        Returns
        -------
        self : Harmonizer
            The estimator.
        """
        scale = self._admit_options()
        points, _ = self._read_points(X)
        points = points.astype(np.float64)
        subjects = subjects_of(X)
        names = _admit_sites(sites, len(points), subjects)
        covariates = in_order_of("covariates", covariates, subjects)
        sites, members = np.unique(names, return_inverse=True)
        self.sites_ = tuple(sites.tolist())
        for site, size in zip(self.sites_, np.bincount(members), strict=True):
            _require_size(site, size)
        self.mean_ = frechet_mean(points, self.space_)
        weights = np.eye(len(self.sites_))[:, members]
        self.site_means_ = frechet_mean(points, self.space_, weights)
        if self.method == "recentre":
            self._fit_dispersions(points, members, scale, covariates)
            return self
        self._design, values = self._covariates(covariates, len(points))
        _require_told_apart(self._design, values, members)
        coords = self.space_.metric.log_coords(points, self.mean_)
        self._combat = Combat(scale, self.empirical_bayes)
        self._combat.fit(coords, members, values)
        return self

    def transform(
        self, X: ArrayLike, sites: ArrayLike = None, covariates: Any = None
    ) -> Array:
        """Return the matrices without the effects of their sites.

        Parameters
        ----------
        X : array-like, shape=[N, n, n] or [N, n (n - 1) / 2]
            Correlation matrices, or their strict lower entries row by row.
        sites : array-like, shape=[N]
            Site of each matrix.
        covariates : data frame, dict or array-like, shape=[N, p]
            The covariates of `fit`, of these matrices.

        Returns
        -------
        points : array or CorrelationStack, shape=[N, n, n] or [N, n (n - 1) / 2]
            Correlation matrices, in the form that `fit` was given. A stack keeps its
            names, frames and covariates.
        """
        check_is_fitted(self, "mean_")
        points, _ = self._read_points(X, reset=False)
        points = points.astype(np.float64)
        subjects = subjects_of(X)
        names = _admit_sites(sites, len(points), subjects)
        covariates = in_order_of("covariates", covariates, subjects)
        result = points.copy()
        values = self._values(covariates, len(points))
        for site in np.unique(names).tolist():
            rows = np.flatnonzero(names == site)
            if site not in self.sites_:
                if self.new_sites == "pass":
                    continue
                self._require_estimable(site, len(rows))
            move = self._recentred if self.method == "recentre" else self._combatted
            result[rows] = move(points[rows], values[rows], site)
        if self._variables is None or not is_stack(X):
            return self._write_points(result)
        return X._with(values=result, variables=self._variables)

    def fit_transform(
        self,
        X: ArrayLike,
        y: Any = None,
        sites: ArrayLike = None,
        covariates: Any = None,
    ) -> Array:
        """Estimate the effects of sites, and return the matrices without them.

        Parameters
        ----------
        X : array-like, shape=[N, n, n] or [N, n (n - 1) / 2]
            Correlation matrices, or their strict lower entries row by row.
        y : None
            Ignored, for the sake of pipelines.
        sites : array-like, shape=[N]
            Site of each matrix.
        covariates : data frame, dict or array-like, shape=[N, p]
            Covariates whose effects are kept.

        Returns
        -------
        points : array, shape=[N, n, n] or [N, n (n - 1) / 2]
            Correlation matrices, in the form of X.
        """
        self.fit(X, y, sites, covariates)
        return self.transform(X, sites, covariates)

    def _admit_options(self):
        require_choice("method", self.method, _METHODS)
        require_choice("new_sites", self.new_sites, _NEW_SITES)
        require_choice("scale", self.scale, ("auto", *SCALES))
        if self.method == "combat":
            return "coordinate" if self.scale == "auto" else self.scale
        if self.scale == "coordinate":
            raise ParameterError(
                'scale="coordinate" goes with method="combat": use "common" or "none" '
                'with "recentre".'
            )
        return "none" if self.scale == "auto" else self.scale

    def _covariates(self, covariates, number):
        if covariates is None:
            return None, np.zeros((number, 0))
        design = make_design(covariates, number, self.categorical)
        return design, design.matrix[:, 1:]

    def _values(self, covariates, number):
        """Return the columns of covariates [N, p] as in `fit`."""
        design = getattr(self, "_design", None) if self.method == "combat" else None
        if (design is None) != (covariates is None):
            names = "none" if design is None else ", ".join(design.names)
            raise ParameterError(
                f"covariates: expected those of fit ({names}), got "
                f"{'none' if covariates is None else 'some'}."
            )
        if design is None:
            return np.zeros((number, 0))
        values = design.rows(covariates)[:, 1:]
        if len(values) != number:
            raise ShapeError(
                f"covariates: expected {number} rows, one for each matrix, got "
                f"{len(values)}."
            )
        return values

    def _require_estimable(self, site, size):
        if self.new_sites == "raise":
            known = ", ".join(map(repr, self.sites_[:5]))
            raise ParameterError(
                f"site {site!r} was not in fit, which saw {known}"
                f"{', ...' if len(self.sites_) > 5 else ''}: new_sites='estimate' "
                f"estimates its effect from the matrices of this call, "
                f"new_sites='pass' leaves them as they are."
            )
        _require_size(site, size)

    def _combatted(self, points, values, site):
        coords = self.space_.metric.log_coords(points, self.mean_)
        if site in self.sites_:
            effect = self._combat.effects[self.sites_.index(site)]
        else:
            effect = self._combat.estimate(coords, values)
        coords = self._combat.remove(coords, values, effect)
        return self.space_.metric.exp_coords(coords, self.mean_)

    def _fit_dispersions(self, points, members, scale, covariates):
        if covariates is not None:
            raise ParameterError(
                'method="recentre" keeps no effects of covariates: use '
                'method="combat", or pass none.'
            )
        squares = self.space_.metric.squared_dist(points, self.site_means_[members])
        self._dispersions = None
        if scale == "common":
            sizes = np.bincount(members)
            self._dispersions = np.bincount(members, squares) / (sizes - 1)
            self._dispersion = float(np.sum(squares) / np.sum(sizes - 1))

    def _recentred(self, points, values, site):
        metric = self.space_.metric
        is_known = site in self.sites_
        if is_known:
            center = self.site_means_[self.sites_.index(site)]
        else:
            center = frechet_mean(points, self.space_)
        factor: Any = 1.0
        if self._dispersions is not None:
            if is_known:
                own = self._dispersions[self.sites_.index(site)]
            else:
                squares = metric.squared_dist(points, center)
                own = np.sum(squares) / (len(points) - 1)
            factor = np.sqrt(self._dispersion / own) if own > 0.0 else 1.0
        if metric.image_space.metric.is_flat:
            coords = metric.log_coords(points, center)
            return metric.exp_coords(factor * coords, self.mean_)
        logs = metric.log(points, center)
        moved = metric.parallel_transport(logs, center, end_point=self.mean_)
        return metric.exp(factor * moved, self.mean_)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags._skip_test = True  # the checks of scikit-learn know of no sites
        return tags


def _admit_sites(sites, number, subjects):
    if sites is None:
        raise ParameterError(
            "sites is required: the site of each matrix. In a pipeline, call "
            "sklearn.set_config(enable_metadata_routing=True) and request it by "
            "Harmonizer().set_fit_request(sites=True).set_transform_request(sites=True)."
        )
    names = as_labels(in_order_of("sites", sites, subjects), "sites")
    if names.shape != (number,):
        raise ShapeError(
            f"sites: expected shape [{number}], a site for each matrix, got "
            f"{names.shape}."
        )
    missing = [i for i, site in enumerate(names.tolist()) if is_missing(site)]
    if missing:
        first = missing[0]
        named = (
            f"matrix {first}" if subjects is None else f"subject {subjects[first]!r}"
        )
        raise NotFiniteError(
            f"sites has no site for {named}, one of {len(missing)}: leave these "
            f"matrices out."
        )
    return names


def _require_size(site, size):
    if size < _LEAST:
        raise ShapeError(
            f"site {site!r} has {size} of the matrices: at least {_LEAST} are needed "
            f"to estimate its effect. Leave it out, or join it with a similar site."
        )


def _require_told_apart(design, values, members):
    """Raise if effects of a covariate cannot be told from those of sites."""
    if design is None:
        return
    indicators = np.eye(np.max(members) + 1)[members]
    for term in design.terms:
        places = design.places(term.name) - 1
        columns = np.hstack([indicators, values[:, : places[-1] + 1]])
        scaled = columns / np.linalg.norm(columns, axis=0)
        if np.linalg.matrix_rank(scaled, tol=1e-8) < columns.shape[1]:
            raise ParameterError(
                f"covariate {term.name!r} is determined by the site and the covariates "
                f"before it, so that its effect cannot be told from that of the site: "
                f"leave it out."
            )
