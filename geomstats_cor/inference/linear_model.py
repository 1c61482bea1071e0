"""Regression of correlation matrices on several covariates, with tests."""

import functools
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from .._types import Array, ArrayLike
from ..data.labels import in_order_of
from ..data.naming import with_names
from ..exceptions import ParameterError
from .bands import confidence_bands
from .designs import make_design, named_columns
from .exchangeability import admit_blocks
from .frames import warn_if_terms_tell_frames
from .freedman_lane import Fit
from .named_samples import read_sample
from .representations import is_baseline, representation_of
from .responses import DaskResponses, LocalResponses
from .tables import as_matrix, named_matrix, pandas
from .term_tests import (
    FittedModel,
    PermutationOptions,
    edges_test,
    networks_test,
    term_test,
)


class MultivariateGeodesicRegression(BaseEstimator):
    r"""Regress correlation matrices on covariates, and test what each of them adds.

    .. math:: x_i = \beta_0 + \sum_j z_{ij} \beta_j + \varepsilon_i , \qquad
              x_i = \log_M C_i

    in the coordinates of an orthonormal frame at the Fréchet mean :math:`M`, with one
    column :math:`z_j` for a continuous covariate and one for each level but the first
    of a categorical one. For a flat metric this is least squares in isometric
    coordinates, and with one covariate a geodesic. For the poly-hyperbolic metric,
    which is curved, it is the linear model in the tangent space at the mean: distances
    there are those of the manifold from the mean only. `GeodesicRegression` fits the
    geodesic itself.

    Tests permute the residuals of the model without the term in question [FL1983]_:
    exact if there are no other covariates, asymptotically otherwise, and close to its
    level in small samples. Effects on single correlations are the same effects in units
    of correlation, by the differential of the coordinates at the mean.

    Parameters
    ----------
    metric : str or type or FullRankCorrelationMatrices
        Key of `METRICS`, class of metric, or an equipped space; or one of the baselines
        "entries" and "fisher-z", which take correlations for free numbers.
    categorical : sequence of str
        Covariates whose numbers are codes of levels. Strings, booleans and categories
        are categorical in any case.

    Attributes
    ----------
    mean_ : array, shape=[n, n]
        Fréchet mean :math:`M` of the matrices.
    coef_ : array, shape=[1 + p, d]
        Coefficients in coordinates: the intercept first. Continuous covariates are
        centred.
    columns_ : tuple of str
        Names of the columns, "intercept" first.
    terms_ : tuple of str
        Names of the covariates.
    effects_ : dict
        Change of the correlations per unit of each column, by its name: a matrix
        [n, n], a data frame if the variables have names.
    r2_, r2_adjusted_ : float
        Share of the Fréchet variance that the covariates explain, and the same
        corrected for their number. Not to be compared across metrics: each has a
        variance of its own.
    dof_ : int
        Degrees of freedom of the residuals.
    variables_ : tuple or None
        Names of the variables.

    References
    ----------
    .. [FL1983] D. Freedman and D. Lane. A nonstochastic interpretation of reported
       significance levels. J. Bus. Econ. Stat. 1, 1983.
    .. [W2014] A. M. Winkler, G. R. Ridgway, M. A. Webster, S. M. Smith and T. E.
       Nichols. Permutation inference for the general linear model. NeuroImage 92, 2014.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.datasets import load_connectomes
    >>> from geomstats_cor.inference import MultivariateGeodesicRegression
    >>> data = load_connectomes()
    >>> covariates = {
    ...     "diagnosis": np.array(["control", "patient"])[data.labels],
    ...     "order": np.arange(86.0),
    ... }
    >>> model = MultivariateGeodesicRegression("olm")
    >>> model = model.fit(covariates, data.correlations)
    >>> model.columns_
    ('intercept', 'diagnosis[patient]', 'order')
    >>> model.test("diagnosis", n_permutations=199, rng=0).p_value
    0.005
    """

    def __init__(self, metric: Any = "olm", categorical: ArrayLike = ()) -> None:
        self.metric = metric
        self.categorical = categorical

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        blocks: ArrayLike = None,
        variables: ArrayLike = None,
        subjects: ArrayLike = None,
        frames: ArrayLike = None,
    ) -> Any:
        """Fit the linear model.

        Parameters
        ----------
        X : data frame, dict or array-like, shape=[N, p]
            Covariates, without missing values. Columns of numbers are continuous. If
            None, the attribute `covariates` of a stack that has one.
        y : array-like, shape=[N, n, n] or [N, n (n - 1) / 2]
            Correlation matrices, a list of square data frames, whose names are kept, or
            a dask array [N, n, n], which is read block by block.
        blocks : array-like, shape=[N]
            Label of the block of each matrix, such as the subject of which several
            were recorded. Tests then permute whole blocks or within them.
        variables : sequence, length n
            Names of the variables; those of data frames if None.
        subjects : sequence, length N
            Names of the matrices, for messages and diagnostics. If the covariates have
            an index with the same names, they are brought into this order.
        frames : int or array-like, shape=[N]
            Number of frames of each matrix, those of a `CorrelationStack` if None. An
            `UnequalFramesWarning` names the covariates along which it differs: matrices
            from fewer frames are biased in their logarithms.

        Returns
        -------
        self : MultivariateGeodesicRegression
            The model.
        """
        return self._fit(X, y, blocks, variables, subjects, frames)

    def _fit(self, X, y, blocks, variables, subjects, frames, tested=None):
        """Fit the model; `tested` names the terms to compare with numbers of frames."""
        X = getattr(y, "covariates", None) if X is None else X
        if X is None:
            raise ParameterError(
                "X: expected covariates, got None, and y is no stack that has them."
            )
        check = not is_baseline(self.metric)
        sample = read_sample(y, variables, subjects, check=check)
        number, n = sample.points.shape[0], sample.points.shape[-1]
        representation = representation_of(self.metric, n)
        self._design = make_design(X, number, self.categorical, sample.subjects)
        names = self._design.subjects
        self._blocks = admit_blocks(in_order_of("blocks", blocks, names), number)
        frames = getattr(y, "frames", None) if frames is None else frames
        frames = in_order_of("frames", frames, names)
        warn_if_terms_tell_frames(frames, self._design, self._blocks, tested)
        kind = DaskResponses if sample.is_lazy else LocalResponses
        responses = kind(sample.points, representation)
        self._representation, self._responses = representation, responses
        self.space_, self.variables_ = representation.space, sample.variables
        self.subjects_ = self._design.subjects
        self.mean_, self._n = responses.base, n
        self.terms_, self.columns_ = self._design.names, self._design.columns
        # Columns of unit length: a covariate in seconds and one in years alike.
        scale = np.linalg.norm(self._design.matrix, axis=0)
        basis, triangle = np.linalg.qr(self._design.matrix / scale)
        self._basis, self._back = basis, np.linalg.inv(triangle) / scale[:, None]
        self._fits: dict = {}
        fit = self._fit_of("coords")
        self.coef_ = self._back @ fit.products
        self._find_shares(fit)
        return self

    def _fit_of(self, kind):
        """Return the fit of a kind of vectors, computed once."""
        if kind not in self._fits:
            self._fits[kind] = Fit.of(self._responses, kind, self._basis)
        return self._fits[kind]

    def _find_shares(self, fit):
        number, columns = self._design.matrix.shape
        self._left = left = float(np.sum(fit.squares))
        # The intercept alone: the average, as a combination of the basis.
        average = (self._basis.sum(axis=0) / number**0.5) @ fit.products
        total = left + float(np.sum(fit.products**2) - np.sum(average**2))
        self.dof_ = number - columns
        self.r2_ = 1.0 - left / total if total > 0.0 else 0.0
        self.r2_adjusted_ = 1.0 - (1.0 - self.r2_) * (number - 1) / self.dof_

    @property
    def _edge_coef(self):
        return self._back @ self._fit_of("edges").products

    @property
    def effects_(self) -> Any:
        """Change of the correlations per unit of each column."""
        check_is_fitted(self, "coef_")
        effects = as_matrix(self._edge_coef[1:], self._n)
        return {
            name: named_matrix(effect, self.variables_)
            for name, effect in zip(self.columns_[1:], effects, strict=True)
        }

    def predict(self, X: Any) -> Array:
        """Return the matrices of the model at covariates.

        Parameters
        ----------
        X : data frame, dict or array-like, shape=[M, p]
            Covariates, with the names of those of `fit`.

        Returns
        -------
        points : array or CorrelationStack, shape=[M, n, n]
            Correlation matrices, with names if `fit` saw some. With a baseline,
            matrices of unit diagonal that need not be positive definite.
        """
        check_is_fitted(self, "coef_")
        coords = self._design.rows(X) @ self.coef_
        return self._with_names(self._representation.points(coords, self.mean_), X)

    def _with_names(self, points, X):
        return with_names(points, self.variables_, named_columns(X)[1])

    def bands(
        self,
        X: Any,
        level: float = 0.95,
        simultaneous: bool = True,
        n_draws: int = 999,
        rng: Any = None,
    ) -> Array:
        """Return confidence bands of the mean correlations at covariates.

        The coordinates of the prediction have the covariance of least squares, robust
        to blocks if there are any; the differential at the prediction turns it into
        standard errors of correlations.

        Parameters
        ----------
        X : data frame, dict or array-like, shape=[M, p]
            Covariates.
        level : float
            Probability of covering.
        simultaneous : bool
            Whether all correlations of a matrix are covered together, rather than each
            with this probability.
        n_draws : int
            Number of draws of signs for the simultaneous quantile.
        rng : int or numpy.random.Generator
            Seed or generator of the signs.

        Returns
        -------
        low, predicted, high : array or CorrelationStack, shape=[M, n, n]
            Bands, with ones on the diagonal, and the prediction between them.
        """
        check_is_fitted(self, "coef_")
        self._require_local("bands")
        rows = self._design.rows(X)
        found = confidence_bands(self, rows, level, simultaneous, n_draws, rng)
        return tuple(self._with_names(points, X) for points in found)

    def test(
        self,
        term: str,
        n_permutations: int = 9999,
        rng: Any = None,
        alpha: float = 0.05,
        exchange: str = "auto",
        progress: bool = True,
    ) -> Any:
        r"""Test whether a covariate has an effect, given the others.

        The statistic is the pseudo-F of distances,
        :math:`\frac{(RSS_0 - RSS) / q}{RSS / \nu}`.

        Parameters
        ----------
        term : str
            Name of the covariate.
        n_permutations : int
            Number of random permutations; all, if there are no more.
        rng : int or numpy.random.Generator
            Seed or generator of the permutations.
        alpha : float
            Level at which the p-value will be read; a `CoarseTestWarning` says if it
            cannot be reached.
        exchange : {"auto", "within", "whole"}
            What to exchange if there are blocks: whole blocks if the covariate is
            constant within each, rows within blocks otherwise. Within blocks, the
            averages of blocks are part of the model: paired and longitudinal designs.
        progress : bool
            Show a progress bar, if tqdm is installed and it takes more than a second.

        Returns
        -------
        result : SignificanceTest
            Outcome; `dof` are those of hypothesis and residuals.
        """
        check_is_fitted(self, "coef_")
        options = PermutationOptions(n_permutations, rng, alpha, exchange, progress)
        return term_test(self._fitted, term, options)

    def term_tests(
        self,
        n_permutations: int = 9999,
        rng: Any = None,
        alpha: float = 0.05,
        exchange: str = "auto",
        progress: bool = True,
    ) -> Any:
        """Test each covariate given all others.

        Parameters
        ----------
        n_permutations : int
            Number of random permutations.
        rng : int or numpy.random.Generator
            Seed or generator of the permutations.
        alpha : float
            Level at which p-values will be read.
        exchange : {"auto", "within", "whole"}
            What to exchange if there are blocks.
        progress : bool
            Show a progress bar.

        Returns
        -------
        table : pandas.DataFrame
            A row for each term: `dof`, `partial_r2` (share of what the others leave
            that the term explains), `pseudo_f`, `p`.
        """
        rows = {}
        for term in self.terms_:
            test = self.test(term, n_permutations, rng, alpha, exchange, progress)
            q, dof = test.dof
            odds = test.statistic * q / dof
            rows[term] = (q, odds / (1.0 + odds), test.statistic, test.p_value)
        names = ["dof", "partial_r2", "pseudo_f", "p"]
        return pandas().DataFrame.from_dict(rows, orient="index", columns=names)

    def edge_test(
        self,
        term: str,
        n_permutations: int = 9999,
        rng: Any = None,
        alpha: float = 0.05,
        exchange: str = "auto",
        pooled: bool = False,
        progress: bool = True,
    ) -> Any:
        """Test on which correlations a covariate has an effect, given the others.

        Parameters
        ----------
        term : str
            Name of the covariate.
        n_permutations : int
            Number of random permutations.
        rng : int or numpy.random.Generator
            Seed or generator of the permutations.
        alpha : float
            Level at which p-values will be read.
        exchange : {"auto", "within", "whole"}
            What to exchange if there are blocks.
        pooled : bool
            Whether the p-value of a single edge counts the permuted statistics of all
            edges, which have the same distribution if their residuals do. It makes the
            FDR finer than one over the number of permutations.
        progress : bool
            Show a progress bar.

        Returns
        -------
        result : EdgeTest
            Effects in units of correlation, statistics, p-values of each edge alone,
            among all (max-T) and by false discovery rate; `table()` names the edges.
        """
        check_is_fitted(self, "coef_")
        options = PermutationOptions(n_permutations, rng, alpha, exchange, progress)
        effects = self._edge_coef[self._design.places(term)]
        return edges_test(self._fitted, term, options, effects, pooled)

    def network_test(
        self,
        term: str,
        threshold: float | None = None,
        measure: str = "extent",
        tail: str = "both",
        n_permutations: int = 9999,
        rng: Any = None,
        alpha: float = 0.05,
        exchange: str = "auto",
        progress: bool = True,
    ) -> Any:
        """Test for networks: connected edges on which a covariate has an effect.

        Edges whose statistic exceeds the threshold form a graph; the size of its
        largest connected component under permutations is the null distribution
        [Z2010]_. A network is significant as a whole, none of its edges on its own.

        Parameters
        ----------
        term : str
            Name of the covariate.
        threshold : float
            Statistic, a t or an F, beyond which an edge counts; that of p = 0.001 if
            None. To be chosen before looking at the result.
        measure : {"extent", "intensity"}
            Size of a network: its number of edges, or the sum of what their statistics
            exceed the threshold by.
        tail : {"both", "positive", "negative"}
            Which statistics count: by absolute value, or of one sign.
        n_permutations : int
            Number of random permutations.
        rng : int or numpy.random.Generator
            Seed or generator of the permutations.
        alpha : float
            Level at which p-values will be read.
        exchange : {"auto", "within", "whole"}
            What to exchange if there are blocks.
        progress : bool
            Show a progress bar.

        Returns
        -------
        result : NetworkTest
            Networks, the largest first.

        References
        ----------
        .. [Z2010] A. Zalesky, A. Fornito and E. T. Bullmore. Network-based statistic:
           identifying differences in brain networks. NeuroImage 53, 2010.
        """
        check_is_fitted(self, "coef_")
        options = PermutationOptions(n_permutations, rng, alpha, exchange, progress)
        return networks_test(self._fitted, term, options, threshold, measure, tail)

    def diagnostics(self) -> Any:
        r"""Return how each matrix fits, and how much it pulls the fit.

        Returns
        -------
        table : pandas.DataFrame
            A row for each matrix, named if subjects are: `leverage` :math:`h`,
            `distance` :math:`|e|` from the prediction, `standardized`
            :math:`|e| / \sqrt{s^2 (1 - h)}`, with :math:`s^2` the residual variance,
            so that about one is usual; and Cook's distance `cook`, :math:`h |e|^2 / ((1
            + p) s^2 (1 - h)^2)`.
        """
        check_is_fitted(self, "coef_")
        leverage = np.sum(self._basis**2, axis=1)
        function = functools.partial(_row_squares, self.coef_)
        squares = self._responses.each(function, "coords", self._design.matrix)
        variance = max(self._left / self.dof_, np.finfo(float).tiny)
        rest = np.maximum(1.0 - leverage, np.finfo(float).eps)
        columns = {
            "leverage": leverage,
            "distance": np.sqrt(squares),
            "standardized": np.sqrt(squares / (variance * rest)),
            "cook": leverage * squares / (len(self.coef_) * variance * rest**2),
        }
        index = None if self.subjects_ is None else list(self.subjects_)
        return pandas().DataFrame(columns, index=index)

    def inflation(self) -> dict:
        r"""Return by how much the other covariates inflate the variance of each column.

        The variance inflation factor :math:`1 / (1 - R_j^2)`, with :math:`R_j^2` that
        of a regression of column j on the others: one if they are orthogonal; above ten
        the effects can hardly be told apart.

        Returns
        -------
        factors : dict
            Factor by the name of the column.
        """
        check_is_fitted(self, "coef_")
        matrix = self._design.matrix[:, 1:]
        centered = matrix - matrix.mean(axis=0)
        correlation = np.atleast_2d(np.corrcoef(centered, rowvar=False))
        factors = np.diag(np.linalg.inv(correlation))
        return dict(zip(self.columns_[1:], factors.tolist(), strict=True))

    @property
    def _fitted(self):
        return FittedModel(
            self._design,
            self._responses,
            self._blocks,
            self._n,
            self.variables_,
            self._fit_of,
        )

    def _require_local(self, what):
        if isinstance(self._responses, DaskResponses):
            raise ParameterError(
                f"{what} needs the residuals in memory, and y is a dask array: fit the "
                f"model to a sample that fits into memory."
            )


def _row_squares(coef, vectors, matrix):
    return np.sum((vectors - matrix @ coef) ** 2, axis=1)
