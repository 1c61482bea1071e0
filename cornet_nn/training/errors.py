"""Errors and warnings of training."""

from geomstats_cor.exceptions import GeomstatsCorError


class TrainingDivergedError(GeomstatsCorError, ArithmeticError):
    """The loss or a gradient is not a finite number.

    Parameters
    ----------
    message : str
        Message, with the likely reason.
    epoch, batch : int
        Where it happened, both counted from 1.
    """

    def __init__(self, message, epoch=None, batch=None):
        super().__init__(message)
        self.epoch, self.batch = epoch, batch


class RunDirectoryError(GeomstatsCorError, OSError):
    """A run directory cannot be written or read, or already holds a run."""


class ResumeError(GeomstatsCorError, ValueError):
    """A run cannot be resumed with other parameters or other data."""


class TrainingInterruptedWarning(UserWarning):
    """Training was stopped by the keyboard; what was learnt so far is kept."""
