"""Numbers of frames: matrices from fewer samples differ, whatever the population.

A sample correlation matrix of n variables and T frames has eigenvalues that spread more
the smaller T / n is. Its logarithms are biased, and its distances from the mean are
larger: groups with different T differ in their means and dispersions even if they come
from one population.
"""

from typing import Any

import numpy as np
from scipy import stats

from .._callers import warn_user
from .._types import Array, ArrayLike
from ..data.sampling import as_generator
from ..exceptions import (
    ArrayTypeError,
    NotFiniteError,
    ParameterError,
    ShapeError,
    UnequalFramesWarning,
)
from ..validation import plain

# Averages of groups that differ by less are taken for equal.
_TOLERANCE = 0.01
# Shares of a sum of squares that are taken for zero.
_ROUNDING = 1e-10


def warn_if_frames_differ(frames: Any, labels: Array, names: tuple) -> None:
    """Warn if groups have different numbers of frames.

    Parameters
    ----------
    frames : int or array-like, shape=[N], or None
        Number of frames of each matrix; nothing is known if None.
    labels : numpy.ndarray of int, shape=[N]
        Position in `names` of the group of each matrix.
    names : tuple
        Labels of the groups.
    """
    if frames is None:
        return
    frames = _admit_frames(frames, len(labels))
    averages = np.bincount(labels, weights=frames) / np.bincount(labels)
    if np.max(averages) - np.min(averages) <= _TOLERANCE * np.max(averages):
        return
    listed = ", ".join(
        f"{average:.4g} in group {name!r}"
        for name, average in zip(names, averages, strict=True)
    )
    warn_user(
        f"the groups differ in the average number of frames: {listed}. Matrices from "
        f"fewer frames are more dispersed, and biased in their logarithms, whatever "
        f"the population, so that the test can reject a true hypothesis. Compare like "
        f"with like: geomstats_cor.inference.correlations_of_equal_frames estimates "
        f"the matrices anew, geomstats_cor.inference.match_frames selects some of "
        f"them.",
        UnequalFramesWarning,
    )


def warn_if_terms_tell_frames(
    frames: Any, design: Any, blocks: Array | None = None, names: tuple | None = None
) -> None:
    """Warn if a term of a linear model says how many frames matrices have.

    A term is named if, given all other terms, the number of frames differs along it:
    by more than one hundredth, and by more than chance (F tests at the level 0.05 for
    all terms together). Nothing is said if a continuous covariate is the number of
    frames, or its inverse, in any units: it corrects for it.

    Parameters
    ----------
    frames : int or array-like, shape=[N], or None
        Number of frames of each matrix; nothing is known if None.
    design : Design
        Covariates of the matrices.
    blocks : numpy.ndarray of int, shape=[N], or None
        Block of each matrix. Terms that are constant in blocks are compared with the
        averages of blocks.
    names : tuple of str or None
        Names of the terms that will be tested; all if None.
    """
    if frames is None:
        return
    frames = _admit_frames(frames, len(design.matrix))
    if np.ptp(frames) <= _TOLERANCE * frames.mean():
        return
    for term in design.terms:
        column = design.matrix[:, design.places(term.name)[0]] + term.center
        if not term.levels and _is_number_of_frames(column, frames):
            return
    names = design.names if names is None else names
    told = []
    for name in names:
        own, matrix, values = design.places(name), design.matrix, frames
        if blocks is not None:
            averages = _averages(matrix, blocks)
            if np.max(np.abs(matrix - averages[blocks])[:, own]) <= _ROUNDING:
                matrix, values = averages, _averages(frames, blocks)
        if _differs_along(own, matrix, values, 0.05 / len(names)):
            told.append(repr(name))
    if told:
        warn_user(
            f"the number of frames, from {np.min(frames):.4g} to {np.max(frames):.4g}, "
            f"differs along {', '.join(told)}, given the other covariates. Matrices "
            f"from fewer frames are more dispersed, and biased in their logarithms, "
            f"whatever the population, so that effects can be those of the frames. "
            f"Take the number of frames as a covariate, or estimate all matrices from "
            f"as many frames by geomstats_cor.inference.correlations_of_equal_frames.",
            UnequalFramesWarning,
        )


def _is_number_of_frames(column, frames):
    """Tell whether a covariate is the number of frames, or its inverse, in any units.

    Of two numbers of frames every covariate with two values is, such as the code of a
    group: then it has to be the number itself.
    """
    if np.allclose(column, frames, rtol=_ROUNDING, atol=0.0):
        return True
    if len(np.unique(frames)) < 3:
        return False
    line = np.stack([np.ones(len(column)), column - column.mean()], axis=1)
    return any(
        _least_squares(line, x)[0] <= _ROUNDING * np.sum((x - x.mean()) ** 2)
        for x in (frames, 1.0 / frames)
    )


def _differs_along(own, matrix, frames, level):
    """Tell whether the number of frames differs along columns, given the others."""
    total = np.sum((frames - frames.mean()) ** 2)
    left, coef, rank = _least_squares(matrix, frames)
    reduced, _, rank_reduced = _least_squares(np.delete(matrix, own, axis=1), frames)
    gained, dof = reduced - left, max(len(frames) - rank, 1)
    is_few = np.ptp(matrix[:, own] @ coef[own]) <= _TOLERANCE * frames.mean()
    if is_few or gained <= _ROUNDING * total:
        return False
    added = max(rank - rank_reduced, 1)
    variance = max(left, _ROUNDING * total) / dof
    return stats.f.sf(gained / added / variance, added, dof) < level


def _least_squares(columns, values):
    """Return the sum of squares that is left, coefficients, and the rank."""
    coef, _, rank, _ = np.linalg.lstsq(columns, values, rcond=None)
    return np.sum((values - columns @ coef) ** 2), coef, rank


def _averages(values, blocks):
    """Return the average of values [N, ...] in each block."""
    sums = np.zeros((np.max(blocks) + 1, *values.shape[1:]))
    np.add.at(sums, blocks, values)
    return (sums.T / np.bincount(blocks)).T


def as_labels(labels: ArrayLike, name: str = "labels") -> Array:
    """Return labels as an array, or raise if they are masked or of different lengths.

    Parameters
    ----------
    labels : array-like
        Labels.
    name : str
        Name of the argument in messages.

    Returns
    -------
    labels : numpy.ndarray
        Labels.
    """
    try:
        return np.asarray(plain(name, labels))
    except ValueError:
        raise ShapeError(f"{name}: expected shape [N], got nested sequences.") from None


def match_frames(labels: ArrayLike, frames: ArrayLike, rng: Any = None) -> Array:
    """Select matrices so that the groups have the same numbers of frames.

    Of each number of frames, as many matrices are kept in every group as the group
    with the fewest has.

    Parameters
    ----------
    labels : array-like, shape=[N]
        Label of the group of each matrix.
    frames : array-like, shape=[N]
        Number of frames of each matrix.
    rng : int or numpy.random.Generator
        Seed or generator of the choice; geomstats' random state if None.

    Returns
    -------
    kept : numpy.ndarray of int, shape=[M]
        Indices of the selected matrices, increasing.

    Examples
    --------
    >>> from geomstats_cor.inference import match_frames
    >>> match_frames(["a", "a", "a", "b", "b"], [20, 20, 24, 24, 30], rng=0)
    array([2, 3])
    """
    labels = as_labels(labels)
    if labels.ndim != 1:
        raise ShapeError(f"labels: expected shape [N], got {labels.shape}.")
    frames = _admit_frames(frames, len(labels))
    rng, groups, kept = as_generator(rng), np.unique(labels), []
    for number in np.unique(frames):
        members = [
            np.flatnonzero((labels == group) & (frames == number)) for group in groups
        ]
        least = min(map(len, members))
        kept += [i for m in members for i in rng.permutation(m)[:least].tolist()]
    if not kept:
        raise ParameterError(
            "no number of frames occurs in all groups, so that no matrices can be "
            "matched: estimate them anew from equally many frames, as "
            "geomstats_cor.inference.correlations_of_equal_frames does."
        )
    return np.array(sorted(kept))


def correlations_of_equal_frames(
    signals: ArrayLike, frames: int | None = None
) -> Array:
    r"""Return correlation matrices that are all estimated from as many frames.

    Of each signal the first `frames` frames are used.

    Parameters
    ----------
    signals : sequence of array-like, shape=[T_i, n]
        Signals, with a row for each frame and a column for each variable.
    frames : int or None
        Number of frames; that of the shortest signal if None. The matrices have full
        rank if it is larger than n.

    Returns
    -------
    points : numpy.ndarray, shape=[N, n, n]
        Correlation matrices.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.inference import correlations_of_equal_frames
    >>> rng = np.random.default_rng(0)
    >>> signals = [rng.standard_normal((length, 3)) for length in (20, 24)]
    >>> points = correlations_of_equal_frames(signals)
    >>> bool(np.allclose(points[1], np.corrcoef(signals[1][:20], rowvar=False)))
    True
    """
    try:
        signals = list(signals)
    except TypeError:
        raise ArrayTypeError(
            f"signals: expected a sequence of arrays of shape [T, n], got a "
            f"{type(signals).__name__}."
        ) from None
    signals = [_admit_signal(signal, i) for i, signal in enumerate(signals)]
    if not signals:
        raise ShapeError("signals is empty: expected arrays of shape [T, n].")
    sizes = {signal.shape[1] for signal in signals}
    if len(sizes) > 1:
        raise ShapeError(
            f"signals: expected the same number of variables in all, got {sizes}."
        )
    shortest = min(map(len, signals))
    frames = shortest if frames is None else frames
    if isinstance(frames, bool) or not isinstance(frames, int | np.integer):
        raise ParameterError(f"frames: expected an integer, got {frames!r}.")
    if not 2 <= frames <= shortest:
        raise ParameterError(
            f"frames: expected a number from 2 to {shortest}, the length of the "
            f"shortest signal, got {frames}."
        )
    points = []
    for i, signal in enumerate(signals):
        centered = signal[:frames] - signal[:frames].mean(axis=0)
        norms = np.linalg.norm(centered, axis=0)
        if not np.all(norms > 0.0):
            raise ParameterError(
                f"signals[{i}] is constant in column {int(np.argmin(norms))}, so that "
                f"it has no correlations: leave this variable or this signal out."
            )
        unit = centered / norms
        point = unit.T @ unit
        np.fill_diagonal(point, 1.0)
        points.append(point)
    return np.stack(points)


def _admit_signal(signal, index):
    name = f"signals[{index}]"
    signal = plain(name, signal)
    try:
        signal = np.asarray(signal)
    except ValueError:  # rows of different lengths
        signal = np.empty(0)
    if signal.dtype.kind not in "biuf":
        raise ArrayTypeError(
            f"{name}: expected numbers of shape [T, n], got dtype {signal.dtype}."
        )
    signal = signal.astype(float)
    if signal.ndim != 2 or signal.shape[1] < 2:
        raise ShapeError(
            f"{name}: expected shape [T, n] with n >= 2, a row for each frame, got "
            f"{signal.shape}."
        )
    if not np.all(np.isfinite(signal)):
        raise NotFiniteError(
            f"{name} has a NaN or an infinity: leave these frames out."
        )
    return signal


def _admit_frames(frames, number):
    frames = plain("frames", frames)
    try:
        frames = np.asarray(frames, dtype=float)
    except (TypeError, ValueError):
        frames = np.asarray(np.nan)
    if frames.ndim == 0:
        frames = np.full(number, float(frames))
    if frames.shape != (number,):
        raise ShapeError(
            f"frames: expected shape [{number}], the number of frames of each matrix, "
            f"got {frames.shape}."
        )
    if not np.all(np.isfinite(frames) & (frames >= 2)):
        raise ParameterError("frames: expected numbers of at least 2 for each matrix.")
    return frames
