"""Warnings of iterations that stop short of rounding accuracy."""

import contextlib
import contextvars
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from .._callers import warn_user
from .._types import Array
from ..exceptions import ConvergenceWarning
from ._array import namespace

# A context variable: the filters of `warnings` are shared by all threads.
_gathered: contextvars.ContextVar[list | None] = contextvars.ContextVar(
    "gathered", default=None
)
_is_strict = contextvars.ContextVar("is_strict", default=False)


class _Unfinished(NamedTuple):
    """How many iterations of a batch stopped short, and the worst of them."""

    name: str
    number: int
    worst: int
    residual: float
    condition: float


def report_unfinished(name: str, residual: Array, done: Array, matrix: Array) -> None:
    """Warn of the iterations that stopped short, and describe the worst.

    Parameters
    ----------
    name : str
        What is computed.
    residual : array, shape=[...]
        Residuals.
    done : array of bool, shape=[...]
        Which iterations reached their goal.
    matrix : array, shape=[..., n, n]
        The positive definite matrices whose condition number explains the failure.
    """

    def condition(index):
        worst = xp.reshape(matrix, (-1, *matrix.shape[-2:]))[index]
        values = xp.linalg.eigvalsh(worst)
        return values[-1] / values[0] if float(values[0]) > 0.0 else float("inf")

    xp = namespace(matrix)
    warn_unfinished(name, residual, done, condition)


def warn_unfinished(
    name: str, residual: Array, done: Array, condition: Callable
) -> None:
    """Warn of the iterations that stopped short, given how hard they are.

    Parameters
    ----------
    name : str
        What is computed.
    residual : array, shape=[...]
        Residuals.
    done : array of bool, shape=[...]
        Which iterations reached their goal.
    condition : callable
        Takes an index into the flattened batch, returns the condition number there.
    """
    xp = namespace(residual)
    count = int(xp.sum(xp.astype(~done, xp.int64)))
    unfinished = xp.reshape(xp.where(done, 0.0, residual), (-1,))
    worst = int(xp.argmax(unfinished))
    report = _Unfinished(
        name, count, worst, float(unfinished[worst]), float(condition(worst))
    )
    _hand_on(report, tuple(residual.shape))


@contextlib.contextmanager
def raising_warnings() -> Iterator:
    """Turn these warnings into exceptions inside the block."""
    gathered, strict = _gathered.set(None), _is_strict.set(True)
    try:
        yield
    finally:
        _gathered.reset(gathered)
        _is_strict.reset(strict)


def warn(warning: Warning) -> None:
    """Warn the user, or raise the warning in strict mode.

    Parameters
    ----------
    warning : Warning
        Warning.
    """
    if _is_strict.get():
        raise warning
    warn_user(warning)


def _hand_on(report, batch):
    """Collect a report if the batch is computed in blocks, otherwise warn."""
    gathered = _gathered.get()
    if gathered is None:
        _warn(report, batch)
    else:
        gathered.append(report)


class ReportsOfBlocks:
    """Warn once of the iterations that stopped short in any block of a batch.

    Parameters
    ----------
    batch : tuple of int
        Shape of the batch.
    """

    def __init__(self, batch: tuple) -> None:
        self.batch = batch
        self.reports: list[_Unfinished] = []

    def __enter__(self):
        return self

    def call(self, start: int, function: Callable, *arguments: Any) -> Any:
        """Call a function of a block, and collect its reports.

        Parameters
        ----------
        start : int
            Index at which the block starts in the flattened batch.
        function : callable
            Function.
        *arguments
            Its arguments.

        Returns
        -------
        result : object
            What the function returns.
        """
        found: list[_Unfinished] = []
        token = _gathered.set(found)
        try:
            return function(*arguments)
        finally:
            _gathered.reset(token)
            self.reports += (r._replace(worst=start + r.worst) for r in found)

    def __exit__(self, kind, error, traceback):
        if kind is not None:
            return
        for name in dict.fromkeys(report.name for report in self.reports):
            same = [report for report in self.reports if report.name == name]
            worst = max(same, key=lambda report: report.residual)
            count = sum(report.number for report in same)
            _hand_on(worst._replace(number=count), self.batch)


def _warn(report, batch):
    where = tuple(int(i) for i in np.unravel_index(report.worst, batch))
    message = (
        f"{report.name}: {report.number} of {int(np.prod(batch))} matrices did not "
        f"reach rounding accuracy. The worst is that at index {where}, with residual "
        f"{report.residual:.1e} and condition number {report.condition:.1e}. Keep "
        f"away from the boundary: FullRankCorrelationMatrices.nearest_safe_point."
    )
    warning = ConvergenceWarning(message, report.residual, where, report.condition)
    warn(warning)
