"""What estimators accept: correlation matrices, covariance matrices, signals."""

import math

import numpy as np
import torch
from torch import nn

from geomstats_cor import kernels
from geomstats_cor.data.cleaning import find_bad
from geomstats_cor.exceptions import (
    BadMatricesError,
    NotFiniteError,
    ParameterError,
    ShapeError,
)
from geomstats_cor.kernels._tolerances import input_tolerance

from .._validation import require_numbers
from ..front_end import CovariancePooling, PowerCorrelation, Shrinkage

KINDS = ("correlation", "covariance", "signal")

# Numbers in a piece of the input that the front end sees at once.
_PIECE = 1 << 22
_LISTED = 10


def require_finite(X):
    """Raise if samples have a NaN or an infinity.

    Parameters
    ----------
    X : numpy.ndarray, shape=[N, ...]
        Samples.
    """
    finite = np.isfinite(X).reshape(len(X), -1).all(axis=1)
    if finite.all():
        return
    bad = np.flatnonzero(~finite)
    raise NotFiniteError(
        f"{_listed(f'X[{i}]' for i in bad)} {'has' if len(bad) == 1 else 'have'} a NaN "
        f"or an infinity (inf): leave out {'that' if len(bad) == 1 else 'those'} of "
        f"the {len(X)} samples, or fill the gaps."
    )


def find_kind(X, kind):
    """Return what samples are: matrices or signals.

    Parameters
    ----------
    X : numpy.ndarray, shape=[N, n, n] or [N, channels, n, n] or [N, n, time]
        Samples.
    kind : {"auto", "correlation", "covariance", "signal"}
        What they are said to be. With "auto", symmetric matrices are correlation
        matrices if all diagonals are one, else covariance matrices; what is not square
        is a signal.

    Returns
    -------
    kind : {"correlation", "covariance", "signal"}
        What they are.
    """
    if kind not in ("auto", *KINDS):
        raise ParameterError(
            f"kind is {kind!r}: choose 'auto' or one of {', '.join(map(repr, KINDS))}."
        )
    if X.ndim not in (3, 4):
        raise ShapeError(
            f"expected matrices [N, n, n] or [N, channels, n, n], or signals "
            f"[N, channels, time], got shape {X.shape}. Reshape your data; X[None] for "
            f"a single sample."
        )
    is_square = X.shape[-1] == X.shape[-2]
    if kind == "auto":
        return _guess_kind(X, is_square)
    if kind != "signal" and not is_square:
        raise ShapeError(
            f"expected square {kind} matrices, [N, n, n] or [N, channels, n, n], got "
            f"shape {X.shape}. Pass kind='signal' for signals."
        )
    return kind


def _guess_kind(X, is_square):
    if not is_square:
        return "signal"
    tolerance = input_tolerance(X)
    if not np.allclose(X, X.swapaxes(-2, -1), rtol=1e-3, atol=tolerance):
        raise ParameterError(
            f"X has shape {X.shape}, but its matrices are not symmetric: say "
            f"kind='signal' if the last axis is time, and look at the data if they are "
            f"to be matrices."
        )
    diagonal = np.diagonal(X, axis1=-2, axis2=-1)
    is_unit = np.allclose(diagonal, 1.0, rtol=0.0, atol=tolerance)
    return "correlation" if is_unit else "covariance"


def require_shape(X, kind, shape):
    """Raise unless samples have the shape of those that a network was trained on.

    Parameters
    ----------
    X : array-like, shape=[N, ...]
        Samples.
    kind : {"correlation", "covariance", "signal"}
        What they are.
    shape : tuple of int
        Shape of a sample of the training; signals may be shorter or longer.
    """
    given = tuple(np.shape(X))
    wanted = shape[:-1] if kind == "signal" else shape
    if len(given) != len(shape) + 1 or given[1 : 1 + len(wanted)] != wanted:
        length = ("time",) if kind == "signal" else ()
        axes = ", ".join(str(axis) for axis in (*wanted, *length))
        raise ShapeError(
            f"expected shape [N, {axes}], that of the training samples, got {given}. "
            f"Reshape your data; X[None] for a single sample."
        )


def make_front_end(front_end, kind, power, shrinkage):
    """Return the module that makes correlation matrices of samples.

    Parameters
    ----------
    front_end : torch.nn.Module or callable or None
        Module that makes covariance matrices of samples, or a function that makes such
        a module; that of the kind if None.
    kind : str
        Kind of samples.
    power : float
        Exponent of the matrix power that follows, not zero.
    shrinkage : float
        Amount of shrinkage before it.

    Returns
    -------
    front_end : torch.nn.Module or None
        Module; None if samples are what the network takes.
    """
    require_numbers(power=power, shrinkage=shrinkage)
    if not math.isfinite(power) or power == 0.0:
        raise ParameterError(
            f"power must be a finite number other than zero, not {power!r}: the power "
            f"zero of every matrix is the identity."
        )
    to_correlation = PowerCorrelation(power, shrinkage)
    if front_end is not None:
        return nn.Sequential(front_end, to_correlation)
    if kind == "signal":
        return nn.Sequential(CovariancePooling(), to_correlation)
    if kind == "covariance" or len(to_correlation) > 1:
        return to_correlation
    return None


def require_usable(X, kind, shrinkage):
    """Raise unless samples give full-rank correlation matrices.

    Parameters
    ----------
    X : numpy.ndarray
        Samples.
    kind : {"correlation", "covariance", "signal"}
        What they are.
    shrinkage : float
        Amount of shrinkage.
    """
    if kind == "signal" and X.shape[-1] < 2:
        raise ShapeError(
            f"X has shape {X.shape}: a signal needs at least two time steps, on the "
            f"last axis."
        )
    require_numbers(shrinkage=shrinkage)
    shrink = Shrinkage(shrinkage)
    bad, count = [], 0
    for start, piece in pieces(X):
        matrices = torch.as_tensor(piece)
        if kind == "signal":
            matrices = CovariancePooling()(matrices)
        matrices = shrink(matrices)
        if kind != "correlation":
            matrices = kernels.cor(matrices)
        batch = tuple(matrices.shape[:-2])
        for matrix in find_bad(matrices.flatten(0, -3)):
            sample, *channel = np.unravel_index(matrix.index, batch)
            place = ", ".join(str(int(i)) for i in (start + sample, *channel))
            bad.append(matrix._replace(index=place))
        count += int(np.prod(batch))
    if bad:
        raise BadMatricesError(_complaint(bad, count, kind, shrinkage), tuple(bad))


def _complaint(bad, count, kind, shrinkage):
    # Samples are finite: what is not is the correlation of what does not vary.
    nan, still = "a NaN or an infinity", "a variable whose variance is not positive"
    listed = (f"X[{m.index}] {m.reason.replace(nan, still)}" for m in bad)
    what = "correlation" if kind == "correlation" else "covariance"
    larger = f"a shrinkage above {shrinkage:g}" if shrinkage else "shrinkage=1e-3"
    hints = [f"Use {larger}, say, for matrices that are close to singular."]
    if kind == "correlation":
        hints.append("Use kind='covariance' for those without a unit diagonal.")
    if kind == "signal":
        hints.append("Signals with fewer time steps than channels have singular ones.")
    return (
        f"{len(bad)} of {count} {what} matrices cannot be used: "
        f"{_listed(listed, '; ')}. {' '.join(hints)}"
    )


def pieces(X):
    """Yield slices of samples that are not too large.

    Parameters
    ----------
    X : array, shape=[N, ...]
        Samples.

    Yields
    ------
    start : int
        Index of the first sample of the piece.
    piece : array
        Piece.
    """
    size = max(1, _PIECE // max(1, int(np.prod(X.shape[1:]))))
    for start in range(0, len(X), size):
        yield start, X[start : start + size]


def _listed(names, separator=", "):
    names = list(names)
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return separator.join(names[:_LISTED]) + more
