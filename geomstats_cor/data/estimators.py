"""Estimators of a correlation matrix from one recording."""

import copy
import inspect
import warnings
from typing import Any

import numpy as np
from sklearn.base import clone

from .._callers import warn_user
from .._progress import steps
from .._types import Array, ArrayLike
from ..exceptions import (
    ArrayTypeError,
    ConvergenceWarning,
    NotFiniteError,
    ParameterError,
    ShapeError,
)

NAMES = ("common", "sample", "ledoit-wolf", "oas", "graphical-lasso")
# What these compute is a function of the sample correlation matrix alone, so that
# missing values are no obstacle.
FROM_MATRICES = ("common", "sample", "graphical-lasso")
PENALTIES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4)


def require_estimator(estimator: Any) -> None:
    """Raise unless an estimator is a name or an object that can be fitted.

    Parameters
    ----------
    estimator : str or object
        Estimator.
    """
    if isinstance(estimator, str):
        if estimator not in NAMES:
            raise ParameterError(
                f"estimator: expected one of {', '.join(map(repr, NAMES))}, or an "
                f"object with the method fit, got {estimator!r}."
            )
    elif inspect.isclass(estimator):
        raise ArrayTypeError(
            f"estimator: expected an object, got the class {estimator.__name__}. Pass "
            f"{estimator.__name__}()."
        )
    elif not (hasattr(estimator, "fit") or callable(estimator)):
        raise ArrayTypeError(
            f"estimator: expected a name, an object with the method fit such as "
            f"sklearn.covariance.LedoitWolf(), or a function of an array [T, n], got a "
            f"{type(estimator).__name__}."
        )


def standardised(signal: Array) -> Array:
    """Return a complete signal with mean zero and variance one in each variable.

    Parameters
    ----------
    signal : numpy.ndarray, shape=[T, n]
        Signal.

    Returns
    -------
    z : numpy.ndarray, shape=[T, n]
        Standardised signal.
    """
    centred = signal - signal.mean(axis=0)
    return centred / np.sqrt(np.mean(centred**2, axis=0))


def sample_correlation(signal: Array) -> Array:
    """Return the sample correlation matrix of a complete signal.

    Parameters
    ----------
    signal : numpy.ndarray, shape=[T, n]
        Signal.

    Returns
    -------
    correlation : numpy.ndarray, shape=[n, n]
        Correlations, positive semidefinite.
    """
    z = standardised(signal)
    return with_unit_diagonal(z.T @ z / len(z))


def with_unit_diagonal(covariance: Array) -> Array:
    """Return the correlation matrix of a covariance matrix, exactly symmetric.

    Parameters
    ----------
    covariance : numpy.ndarray, shape=[n, n]
        Covariance matrix with positive diagonal.

    Returns
    -------
    correlation : numpy.ndarray, shape=[n, n]
        Correlation matrix.
    """
    deviation = np.sqrt(np.diag(covariance))
    correlation = covariance / deviation / deviation[:, None]
    correlation = 0.5 * (correlation + correlation.T)
    np.fill_diagonal(correlation, 1.0)
    return correlation


def fitted_covariance(estimator: Any, signal: Array, label: str) -> tuple:
    """Return the covariance, and the precision if known, that an estimator finds.

    Parameters
    ----------
    estimator : str or object
        "ledoit-wolf", "oas", a function, or an object with `fit`: a copy is fitted to
        the standardised signal [T, n].
    signal : numpy.ndarray, shape=[T, n]
        Complete signal.
    label : str
        Name of the recording in messages.

    Returns
    -------
    covariance : numpy.ndarray, shape=[n, n]
        Covariance of the standardised signal.
    precision : numpy.ndarray, shape=[n, n], or None
        Its inverse, if the estimator has one of its own.
    """
    z = standardised(signal)
    if isinstance(estimator, str):
        from sklearn.covariance import ledoit_wolf, oas

        shrunk = {"ledoit-wolf": ledoit_wolf, "oas": oas}[estimator]
        return shrunk(z, assume_centered=True)[0], None
    name = type(estimator).__name__
    if not hasattr(estimator, "fit"):
        found, precision = estimator(z), None
    else:
        model = _copied(estimator)
        try:
            model.fit(z)
        except (ValueError, FloatingPointError, np.linalg.LinAlgError) as error:
            raise ParameterError(
                f"{label}, {z.shape[0]} frames of {z.shape[1]} variables: {name} "
                f"failed: {error}"
            ) from error
        found = getattr(model, "covariance_", None)
        if found is None:  # skfolio's priors
            prior = getattr(model, "return_distribution_", None)
            found = getattr(prior, "covariance", None)
        precision = getattr(model, "precision_", None)
        if found is None:
            raise ArrayTypeError(
                f"estimator: expected an object whose fit sets covariance_, as those "
                f"of sklearn.covariance and skfolio.moments, got a {name}."
            )
    found = np.asarray(found, dtype=float)
    n = z.shape[1]
    if found.shape != (n, n):
        raise ShapeError(
            f"{label}: expected a covariance of shape ({n}, {n}) from {name}, got "
            f"{found.shape}."
        )
    if not np.all(np.isfinite(found)):
        raise NotFiniteError(
            f"{label}: {name} answered with a NaN or an infinity for {z.shape[0]} "
            f"frames of {n} variables; it may need more frames."
        )
    return found, None if precision is None else np.asarray(precision, dtype=float)


def _copied(estimator):
    if hasattr(estimator, "get_params"):
        return clone(estimator)
    return copy.deepcopy(estimator)


def penalised(
    correlation: Array, penalty: float, label: str, is_final: bool = True
) -> Array:
    """Return the covariance and precision of the graphical lasso.

    Parameters
    ----------
    correlation : numpy.ndarray, shape=[n, n]
        Correlation matrix.
    penalty : float
        Penalty of the entries of the precision off its diagonal.
    label : str
        Name of the recording in messages.
    is_final : bool
        Whether to warn if the iteration stops short.

    Returns
    -------
    covariance, precision : numpy.ndarray, shape=[n, n]
        Estimate.
    """
    from sklearn.covariance import graphical_lasso
    from sklearn.exceptions import ConvergenceWarning as Unconverged

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", Unconverged)
        try:
            found = graphical_lasso(correlation, penalty, max_iter=200)
        except FloatingPointError as error:
            raise ParameterError(
                f"{label}: the graphical lasso failed with the penalty {penalty:g}: "
                f"{error}. Use a larger amount."
            ) from None
    if caught and is_final:
        warn_user(
            f"{label}: {caught[0].message}. Use a larger amount than {penalty:g}.",
            ConvergenceWarning,
        )
    return found


def learn_penalty(pairs: ArrayLike, progress: bool = False) -> float:
    """Return the penalty under which one half of a recording predicts the other.

    Parameters
    ----------
    pairs : sequence of pairs of numpy.ndarray, shape=[n, n]
        Correlations of both halves of some recordings, positive definite.
    progress : bool
        Whether to show a progress bar.

    Returns
    -------
    penalty : float
        The one of `PENALTIES` with the largest likelihood of the second halves.
    """
    scores = np.zeros(len(PENALTIES))
    with steps(len(PENALTIES) * len(pairs), "graphical lassos", progress) as advance:
        for i, penalty in enumerate(PENALTIES):
            for first, second in pairs:
                _, precision = penalised(first, penalty, "a recording", False)
                logdet = np.linalg.slogdet(precision)[1]
                scores[i] += logdet - np.sum(second * precision)
                advance(1)
    return PENALTIES[int(np.argmax(scores))]
