"""Several classifiers, each on a representation of its own."""

from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.metaestimators import _BaseComposition
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from geomstats_cor.exceptions import ParameterError, ShapeError


class RepresentationEnsemble(ClassifierMixin, _BaseComposition, BaseEstimator):
    r"""Classification by the average log-probability of several classifiers.

    .. math:: \log p_k(x) = \sum_m w_m \log p_k^{(m)}(x_m) + \text{const} ,

    where member m sees its own representation :math:`x_m` of a sample: correlation
    matrices of other sizes, of other bands, of other windows.

    Parameters
    ----------
    estimators : list of tuple
        Names and classifiers with `predict_proba`, such as `CorNetClassifier`.
    weights : sequence of float
        Weights w of the members, not negative; equal if None.
    n_jobs : int
        Number of processes that fit members; one if None.

    Attributes
    ----------
    classes_ : numpy.ndarray, shape=[k]
        Classes.
    estimators_ : dict
        Fitted members by name.

    Examples
    --------
    >>> import numpy as np
    >>> from cornet_nn.training import CorMLRClassifier, RepresentationEnsemble
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> sizes = {"small": 3, "large": 6}
    >>> X = {
    ...     name: FullRankCorrelationMatrices(n, equip=False).random_point(20, rng=n)
    ...     for name, n in sizes.items()
    ... }
    >>> y = np.arange(20) % 2
    >>> model = RepresentationEnsemble(
    ...     [("small", CorMLRClassifier(C=1.0)), ("large", CorMLRClassifier(C=1.0))]
    ... )
    >>> model.fit(X, y).predict_proba(X).shape
    (20, 2)
    """

    def __init__(
        self, estimators: list, weights: Any = None, n_jobs: int | None = None
    ) -> None:
        self.estimators = estimators
        self.weights = weights
        self.n_jobs = n_jobs

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters.

        Parameters
        ----------
        deep : bool
            Whether to return the members and their parameters, too.

        Returns
        -------
        params : dict
            Parameters by name.
        """
        return self._get_params("estimators", deep=deep)

    def set_params(self, **params: Any) -> Self:
        """Set parameters, also those of members.

        Parameters
        ----------
        **params
            Parameters by name, such as `small__metric`.

        Returns
        -------
        self : object
            The estimator.
        """
        self._set_params("estimators", **params)
        return self

    def fit(self, X: Any, y: Any, **fit_params: Any) -> Self:
        """Fit the members.

        Parameters
        ----------
        X : dict of array, or array, shape=[N, ...]
            Representations by the names of the members, or one for all of them.
        y : array-like, shape=[N]
            Classes.
        **fit_params
            Passed on to every member, such as `groups`.

        Returns
        -------
        self : object
            The estimator.
        """
        names = [name for name, _ in self.estimators]
        if not names or len(set(names)) < len(names):
            raise ParameterError(
                f"estimators must have different names, at least one, got {names}."
            )
        self._require_weights(len(names))
        y = column_or_1d(y)
        check_classification_targets(y)
        parts = self._parts(X)
        for name, part in parts.items():
            if len(part) != len(y):
                raise ShapeError(
                    f"the representation {name!r} has {len(part)} samples, but y has "
                    f"{len(y)}."
                )
        self.classes_ = np.unique(y)
        fitted = Parallel(self.n_jobs)(
            delayed(_fitted)(clone(model), parts[name], y, fit_params)
            for name, model in self.estimators
        )
        self.estimators_ = dict(zip(names, fitted, strict=True))
        return self

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Return the logarithms of the probabilities of classes.

        Parameters
        ----------
        X : dict of array, or array, shape=[N, ...]
            Representations, as for `fit`.

        Returns
        -------
        log_proba : numpy.ndarray, shape=[N, k]
            Logarithms, in the order of `classes_`.
        """
        check_is_fitted(self, "estimators_")
        parts = self._parts(X)
        logs = [
            np.log(np.maximum(model.predict_proba(parts[name]), np.finfo(float).tiny))
            for name, model in self.estimators_.items()
        ]
        weights = np.ones(len(logs)) if self.weights is None else self.weights
        joint = np.average(logs, axis=0, weights=weights)
        return joint - np.logaddexp.reduce(joint, axis=1, keepdims=True)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the probabilities of classes.

        Parameters
        ----------
        X : dict of array, or array, shape=[N, ...]
            Representations, as for `fit`.

        Returns
        -------
        proba : numpy.ndarray, shape=[N, k]
            Probabilities, in the order of `classes_`.
        """
        return np.exp(self.predict_log_proba(X))

    def predict(self, X: Any) -> np.ndarray:
        """Return the most likely classes.

        Parameters
        ----------
        X : dict of array, or array, shape=[N, ...]
            Representations, as for `fit`.

        Returns
        -------
        y : numpy.ndarray, shape=[N]
            Classes.
        """
        best = self.predict_log_proba(X).argmax(axis=1)
        return self.classes_[best]

    def _parts(self, X):
        names = [name for name, _ in self.estimators]
        if not isinstance(X, dict):
            return dict.fromkeys(names, X)
        missing = [name for name in names if name not in X]
        if missing:
            raise ParameterError(
                f"X has no representation for {', '.join(map(repr, missing))}: "
                f"expected the keys {', '.join(map(repr, names))}, got "
                f"{', '.join(map(repr, X))}."
            )
        return {name: X[name] for name in names}

    def _require_weights(self, count):
        if self.weights is None:
            return
        weights = np.asarray(self.weights, dtype=float)
        if weights.shape != (count,) or not (weights >= 0.0).all() or not weights.any():
            raise ParameterError(
                f"weights must be {count} numbers that are not negative, and not all "
                f"zero, got {self.weights!r}."
            )


def _fitted(model, X, y, fit_params):
    return model.fit(X, y, **fit_params)
