"""From signals to correlation matrices."""

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import check_is_fitted

from .._callers import warn_user
from .._progress import steps
from .._types import Array, ArrayLike
from ..exceptions import (
    BadMatricesError,
    DataWarning,
    ParameterError,
)
from ..validation import require_choice, require_number
from . import estimators, missing, shrinkage
from .cleaning import find_bad
from .estimation_report import EstimationReport
from .extension import extend, extended_names, require_bands, require_lags
from .naming import pair_names
from .nearest import nearest_correlation
from .recordings import read_recordings, require_variation, windows
from .stack import CorrelationStack

KINDS = ("correlation", "partial")
TARGETS = ("identity", "mean")
MISSING = ("raise", "pairwise", "em")
_LISTED = 5


class Correlations(TransformerMixin, BaseEstimator):
    r"""Estimate correlation matrices from signals, all of them alike.

    By default every matrix is the sample correlation matrix :math:`R_i`, shrunk by one
    amount for all,

    .. math:: C_i = (1 - s) R_i + s I ,

    which has no eigenvalue below :math:`s`, however few the frames. The amount is
    learnt in `fit`, as the one with which the halves of the recordings predict each
    other best, and is used for new recordings. `report_` says what was done, and the
    result carries the numbers of frames: matrices from fewer frames are noisier all the
    same.

    Parameters
    ----------
    estimator : str or object
        - "common": one shrinkage for all recordings, learnt in `fit`;
        - "sample": the sample correlation matrix, which needs more frames than
          variables;
        - "ledoit-wolf", "oas": shrunk, each recording by an amount of its own;
        - "graphical-lasso": sparse precision, one penalty for all, learnt in `fit`;
        - an object with `fit` that sets `covariance_`, such as those of scikit-learn
          and skfolio, or a function of an array [T, n]. A copy is fitted to each
          standardised recording.
    kind : {"correlation", "partial"}
        "partial" gives the correlation matrix of the precision. Off the diagonal its
        entries are the partial correlations with their sign changed: with the usual
        sign the matrix would not be positive definite.
    amount : "learn" or float
        Shrinkage in [0, 1) for "common", penalty for "graphical-lasso".
    target : {"identity", "mean"}
        What "common" shrinks towards: the identity, or the mean of the sample
        correlation matrices of `fit`.
    min_eigenvalue : float
        Least weight of the identity in "common" and "graphical-lasso", and so a bound
        on their eigenvalues from below, whatever is learnt.
    missing : {"raise", "pairwise", "em"}
        What to do with missing values (NaN): name them in an error; estimate each
        correlation from the frames that have both variables, and move all matrices
        alike to the nearest correlation matrix before they are shrunk; or estimate by
        the EM algorithm under a normal model. With "ledoit-wolf", "oas" and objects
        there is no such way.
    lags : int or sequence of int
        Lags of copies of the variables, in frames; k stands for 0, ..., k.
    bands : sequence of (float, float)
        Pass bands of copies of the variables (Butterworth, no phase shift); None among
        them is the signal itself.
    sampling_rate : float
        Frames per unit of time, for `bands`.
    key : str or list of str
        Columns, or levels of the index, of a long table that name the recording.
    covariates : list of str
        Columns of a long table that describe the recording.
    window, step : int
        Cut recordings into windows of that many frames, at that distance; without
        overlap if `step` is None.
    time_first : bool
        Whether arrays are [T, n] rather than [n, T]. Tables have a row for each frame.
    progress : bool
        Show a progress bar, if tqdm is installed and it takes more than a second.

    Attributes
    ----------
    amount_ : float or None
        Shrinkage or penalty; None if each recording has its own.
    target_ : numpy.ndarray, shape=[n, n], or None
        What "common" shrinks towards.
    variables_in_, variables_ : list
        Names of the variables, without and with copies.
    report_ : EstimationReport
        What was done with the data of `fit`.
    n_features_in_ : int
        Number of variables.

    Examples
    --------
    Five recordings of 20 frames of 30 variables:

    >>> import numpy as np
    >>> from geomstats_cor import Correlations
    >>> signals = np.random.default_rng(0).standard_normal((5, 30, 20))
    >>> stack = Correlations(amount=0.3).fit_transform(signals)
    >>> stack.shape, stack.frames.tolist()
    ((5, 30, 30), [20.0, 20.0, 20.0, 20.0, 20.0])
    >>> bool(np.linalg.eigvalsh(stack.values).min() >= 0.3 - 1e-12)
    True
    """

    def __init__(
        self,
        estimator: Any = "common",
        kind: str = "correlation",
        *,
        amount: Any = "learn",
        target: str = "identity",
        min_eigenvalue: float = 0.01,
        missing: str = "raise",
        lags: Any = 0,
        bands: ArrayLike = None,
        sampling_rate: float | None = None,
        key: Any = None,
        covariates: list | None = None,
        window: int | None = None,
        step: int | None = None,
        time_first: bool = False,
        progress: bool = True,
    ) -> None:
        self.estimator = estimator
        self.kind = kind
        self.amount = amount
        self.target = target
        self.min_eigenvalue = min_eigenvalue
        self.missing = missing
        self.lags = lags
        self.bands = bands
        self.sampling_rate = sampling_rate
        self.key = key
        self.covariates = covariates
        self.window = window
        self.step = step
        self.time_first = time_first
        self.progress = progress

    def fit(self, X: ArrayLike, y: Any = None) -> Any:
        """Learn what is common to all recordings.

        Parameters
        ----------
        X : array-like, shape=[N, n, T], or sequence or dict of recordings, or table
            Signals: an array; a list or dictionary of recordings of different lengths,
            arrays [n, T_i] or data frames; a long table with `key`; or one data frame
            with `window`.
        y : None
            Ignored, for the sake of pipelines.

        Returns
        -------
        self : Correlations
            The estimator.
        """
        self._fit(X)
        return self

    def fit_transform(self, X: ArrayLike, y: Any = None) -> Any:
        """Learn what is common to all recordings, and return their matrices.

        Parameters
        ----------
        X : array-like, shape=[N, n, T], or sequence or dict of recordings, or table
            Signals, as in `fit`.
        y : None
            Ignored, for the sake of pipelines.

        Returns
        -------
        points : CorrelationStack, N matrices
            Matrices with labels and numbers of frames. With
            ``set_output(transform="pandas")``, a data frame of their strict lower
            entries.
        """
        recordings, points = self._fit(X)
        return self._stack(recordings, points, self.report_)

    def transform(self, X: ArrayLike) -> Any:
        """Return the matrices of recordings, treated as those of `fit`.

        Parameters
        ----------
        X : array-like, shape=[N, n, T], or sequence or dict of recordings, or table
            Signals, as in `fit`.

        Returns
        -------
        points : CorrelationStack, N matrices
            Matrices with labels and numbers of frames. With
            ``set_output(transform="pandas")``, a data frame of their strict lower
            entries.
        """
        check_is_fitted(self)
        recordings = self._read(X, self.variables_in_)
        raw, moved = self._raw(recordings)
        points = self._finished(recordings, raw)
        report = self._report(recordings, points, moved)
        return self._stack(recordings, points, report)

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Return the names of the pairs of variables, in the order of `as_stack`.

        Parameters
        ----------
        input_features : None
            Ignored.

        Returns
        -------
        names : numpy.ndarray of str, shape=[n (n - 1) / 2]
            Names such as "Cz~Pz".
        """
        check_is_fitted(self)
        return np.asarray(pair_names(self.variables_), dtype=object)

    def _fit(self, X):
        self._require_parameters()
        recordings = self._read(X, None)
        self.variables_in_ = recordings.variables
        self.n_features_in_ = len(recordings.variables)
        self.variables_ = extended_names(
            recordings.variables,
            require_bands(self.bands, self.sampling_rate),
            require_lags(self.lags),
        )
        raw, moved = self._raw(recordings)
        self._learn(recordings, raw)
        points = self._finished(recordings, raw)
        self.report_ = self._report(recordings, points, moved)
        return recordings, points

    def _require_parameters(self):
        estimators.require_estimator(self.estimator)
        for name, choices in (
            ("kind", KINDS),
            ("target", TARGETS),
            ("missing", MISSING),
        ):
            require_choice(name, getattr(self, name), choices)
        require_number("min_eigenvalue", self.min_eigenvalue, 0.0, 1.0)
        if not (isinstance(self.amount, str) and self.amount == "learn"):
            require_number("amount", self.amount, 0.0, 1.0, includes_low=True)
        if self.missing != "raise" and not self._is_from_matrices():
            raise ParameterError(
                f"missing={self.missing!r} goes with the estimators "
                f"{', '.join(map(repr, estimators.FROM_MATRICES))}: {self._name()!r} "
                f"needs complete frames."
            )

    def _is(self, name):
        """Tell whether the estimator is the one of a given name."""
        return isinstance(self.estimator, str) and self.estimator == name

    def _is_from_matrices(self):
        return any(map(self._is, estimators.FROM_MATRICES))

    def _name(self):
        if isinstance(self.estimator, str):
            return self.estimator
        return getattr(self.estimator, "__name__", type(self.estimator).__name__)

    def _read(self, X, variables):
        recordings = read_recordings(
            X, self.time_first, self.key, self.covariates, variables
        )
        filters = require_bands(self.bands, self.sampling_rate)
        lags = require_lags(self.lags)
        if self.missing == "raise":
            missing.require_complete(recordings)
        # Filters see whole recordings, and windows are cut afterwards.
        signals = [
            extend(signal, filters, lags, recordings.label(i))
            for i, signal in enumerate(recordings.signals)
        ]
        times = [
            t[len(t) - len(signal) :]
            for t, signal in zip(recordings.times, signals, strict=True)
        ]
        wide = replace(recordings, signals=signals, times=times)
        if self.window is not None:
            wide = windows(wide, self.window, self.step)
        elif self.step is not None:
            raise ParameterError("step: expected window as well, got None.")
        names = extended_names(recordings.variables, filters, lags)
        for i, signal in enumerate(wide.signals):
            require_variation(signal, wide.label(i), names)
        return wide

    def _each(self, recordings):
        """Yield places and signals of recordings, with a bar."""
        with steps(len(recordings.signals), "recordings", self.progress) as advance:
            for i, signal in enumerate(recordings.signals):
                yield i, signal
                advance(1)

    def _raw(self, recordings):
        """Return sample correlation matrices, and how far pairwise ones moved.

        They are None for estimators that need the signals themselves.
        """
        moved = np.zeros(len(recordings.signals))
        if not self._is_from_matrices():
            return None, moved
        raw = []
        for i, signal in self._each(recordings):
            label = recordings.label(i)
            if not np.isnan(signal).any():
                raw.append(estimators.sample_correlation(signal))
            elif self.missing == "em":
                raw.append(missing.em_correlation(signal, label))
            else:
                pairwise = missing.pairwise_correlation(signal, label, self.variables_)
                if np.linalg.eigvalsh(pairwise)[0] < 0.0:
                    pairwise, report = nearest_correlation(pairwise, min_eigenvalue=0.0)
                    moved[i] = report.distance[0]
                raw.append(pairwise)
        return np.stack(raw), moved

    def _learn(self, recordings, raw):
        """Learn the amount and the target of a common treatment."""
        self.amount_: Any = None
        self.target_: Any = None
        learns = isinstance(self.amount, str)
        if self._is("common"):
            self.target_ = np.eye(raw.shape[-1])
            if self.target == "mean":
                self.target_ = raw.mean(axis=0)
            self.amount_ = (
                shrinkage.split_half_shrinkage(
                    self._halves(recordings, 100), self._floored(self.target_)
                )
                if learns
                else float(self.amount)
            )
            if learns and self.amount_ >= shrinkage.LARGEST:
                warn_user(
                    f"correlations do not repeat between the halves of the "
                    f"{len(recordings.signals)} recordings, as if the variables were "
                    f"independent: matrices are shrunk by {self.amount_:g}. Set amount "
                    f"if that is too much.",
                    DataWarning,
                )
            if self.target == "identity":
                self.amount_ = max(self.amount_, float(self.min_eigenvalue))
        elif self._is("graphical-lasso"):
            self.amount_ = (
                self._learn_penalty(recordings) if learns else float(self.amount)
            )

    def _halves(self, recordings, number):
        """Return matrices of the halves of some recordings, at equal distances."""
        step = -(-len(recordings.signals) // number)
        return map(shrinkage.halves_of, recordings.signals[::step])

    def _learn_penalty(self, recordings):
        pairs = [
            [self._floored(np.nan_to_num(half)) for half in halves]
            for halves in self._halves(recordings, 10)
        ]
        return estimators.learn_penalty(pairs, self.progress)

    def _floored(self, matrices):
        floor = float(self.min_eigenvalue)
        return (1.0 - floor) * matrices + floor * np.eye(matrices.shape[-1])

    def _finished(self, recordings, raw):
        """Return the matrices of recordings, from sample matrices if there are any."""
        precisions = None
        if self._is("common"):
            points = (1.0 - self.amount_) * raw + self.amount_ * self.target_
            if self.target == "mean":
                points = self._floored(points)
        elif self._is("sample"):
            points = raw
        else:
            points, precisions = [], []
            for i, signal in self._each(recordings):
                label = recordings.label(i)
                found, precision = (
                    estimators.penalised(self._floored(raw[i]), self.amount_, label)
                    if self._is("graphical-lasso")
                    else estimators.fitted_covariance(self.estimator, signal, label)
                )
                if not np.min(np.diag(found)) > 0.0:
                    raise ParameterError(
                        f"{label}: expected positive variances from {self._name()}, "
                        f"got {np.min(np.diag(found)):g}."
                    )
                points.append(estimators.with_unit_diagonal(found))
                precisions.append(precision)
            points = np.stack(points)
        self._require_full_rank(recordings, points)
        if self.kind == "partial":
            points = _partial(points, precisions)
        return points

    def _require_full_rank(self, recordings, points):
        bad = find_bad(points)
        if not bad:
            return
        listed = "; ".join(
            f"{recordings.label(m.index)}, {len(recordings.signals[m.index])} frames "
            f"of {points.shape[-1]} variables, {m.reason}"
            for m in bad[:_LISTED]
        )
        more = f"; and {len(bad) - _LISTED} more" if len(bad) > _LISTED else ""
        raise BadMatricesError(
            f"{self._name()}: {len(bad)} of {len(points)} matrices do not have full "
            f"rank: {listed}{more}. Use estimator='common', which shrinks all "
            f"recordings alike; variables that are sums of others stay dependent "
            f"however many the frames.",
            bad,
        )

    def _report(self, recordings, points, moved):
        eigenvalues = np.linalg.eigvalsh(points)
        return EstimationReport(
            self._name(),
            self.kind,
            self.amount_,
            isinstance(self.amount, str) and self.amount_ is not None,
            self.target,
            points.shape[-1],
            missing.numbers_of_frames(recordings),
            np.array([np.isnan(signal).mean() for signal in recordings.signals]),
            self.missing,
            moved,
            float(np.max(eigenvalues[:, -1] / eigenvalues[:, 0])),
        )

    def _stack(self, recordings, points, report):
        stack = CorrelationStack(
            points,
            self.variables_,
            recordings.index,
            report.frames,
            recordings.covariates,
            str(report),
        )
        if _get_output_config("transform", self)["dense"] == "default":
            return stack
        return stack.condensed()

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.three_d_array = True
        tags.input_tags.two_d_array = False
        tags.input_tags.allow_nan = self.missing != "raise"
        tags._skip_test = True  # scikit-learn's checks feed tables, not recordings
        return tags


def correlations(
    signals: ArrayLike,
    estimator: Any = "common",
    kind: str = "correlation",
    **options: Any,
) -> Any:
    """Return the correlation matrices of recordings, treated alike.

    Parameters
    ----------
    signals : array-like, shape=[N, n, T], or sequence or dict of recordings, or table
        Signals, as `Correlations.fit` takes them.
    estimator : str or object
        Estimator, as in `Correlations`.
    kind : {"correlation", "partial"}
        Kind of correlations, as in `Correlations`.
    **options
        Other parameters of `Correlations`.

    Returns
    -------
    points : CorrelationStack, N matrices
        Matrices with labels and numbers of frames; `note` says how they were made.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor import correlations
    >>> rng = np.random.default_rng(0)
    >>> recordings = {"ann": rng.standard_normal((3, 50)),
    ...               "bob": rng.standard_normal((3, 40))}
    >>> stack = correlations(recordings, amount=0.05)
    >>> list(stack.index), stack.frames.tolist()
    (['ann', 'bob'], [50.0, 40.0])
    """
    return Correlations(estimator, kind, **options).fit_transform(signals)


def _partial(points, precisions):
    """Return the correlation matrices of precisions."""
    if precisions is None or any(p is None for p in precisions):
        precisions = np.linalg.inv(points)
    return np.stack([estimators.with_unit_diagonal(p) for p in precisions])
