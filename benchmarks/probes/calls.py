"""Calls whose failure is an answer, and the arrays they are given."""

import contextlib
import functools
import io
import signal
import threading
import warnings
from typing import NamedTuple

import numpy as np

SECONDS = 60.0  # of processor time, for one call
_TOLERANCE = 1e-5  # generous: geomstats stops iterations at about 1e-6


class Sample(NamedTuple):
    """Correlation matrices of subjects in two groups.

    Parameters
    ----------
    points : array, shape=[N, n, n]
        Correlation matrices.
    labels : array, shape=[N]
        Groups, 0 and 1.
    """

    points: np.ndarray
    labels: np.ndarray


@functools.cache
def sample(n=28):
    """Return the connectomes, with the first n of their 28 regions."""
    from geomstats_cor.datasets import load_connectomes

    data = load_connectomes()
    return Sample(np.ascontiguousarray(data.correlations[:, :n, :n]), data.labels)


def own(library, array):
    """Return an array of the kind that a library takes."""
    if library == "geomstats":
        import geomstats.backend as gs

        return gs.array(array)
    if library in ("spd_learn", "geoopt"):
        import torch

        return torch.as_tensor(array)
    return array


def attempt(function, *arguments, seconds=SECONDS):
    """Return the answer of a call, or the error that it raised.

    It may take so many seconds; what it prints and warns of is dropped.
    """
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        try:
            with _deadline(seconds):
                return function(*arguments)
        except Exception as error:
            return error


def failed(answer):
    """Return whether an answer is an error, or holds numbers that are not finite."""
    return isinstance(answer, Exception) or not np.isfinite(numbers(answer)).all()


def numbers(answer):
    """Return an array or a tensor as an array of float64."""
    if hasattr(answer, "detach"):
        answer = answer.detach()
    return np.asarray(answer, dtype=np.float64)


def is_correlation(matrices):
    """Return whether all matrices are correlation matrices, up to some tolerance."""
    diagonal = np.diagonal(matrices, axis1=-2, axis2=-1)
    return (
        np.abs(diagonal - 1.0).max() < _TOLERANCE
        and np.abs(matrices - np.swapaxes(matrices, -1, -2)).max() < _TOLERANCE
        and np.linalg.eigvalsh(matrices).min() > -_TOLERANCE
    )


@contextlib.contextmanager
def _deadline(seconds):
    if threading.current_thread() is not threading.main_thread():
        yield  # signals are for the main thread
        return

    def stop(*_):
        raise TimeoutError(f"more than {seconds:g} s")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)
