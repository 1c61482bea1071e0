"""What an estimation from signals did, in numbers and in words."""

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class EstimationReport:
    """How `Correlations` made matrices of signals.

    Parameters
    ----------
    estimator : str
        Name of the estimator.
    kind : str
        "correlation" or "partial".
    amount : float or None
        Shrinkage or penalty, the same for all recordings; None if each recording has
        its own treatment.
    learnt : bool
        Whether the amount was learnt from data.
    target : str
        What matrices were shrunk towards.
    variables : int
        Number of variables, copies included.
    frames : numpy.ndarray, shape=[N]
        Number of frames of each recording.
    missing : numpy.ndarray, shape=[N]
        Fraction of missing values of each recording.
    treatment : str
        What was done about missing values.
    moved : numpy.ndarray, shape=[N]
        How far pairwise correlations had to be moved, in Frobenius norm, until no
        eigenvalue was negative.
    condition_number : float
        Largest condition number of a matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor import Correlations
    >>> signals = np.random.default_rng(0).standard_normal((5, 4, 30))
    >>> print(Correlations(amount=0.1).fit(signals).report_)
    5 recordings of 4 variables, 30 frames: all shrunk alike, by 0.1 towards the \
identity; largest condition number 2.9.
    """

    estimator: str
    kind: str
    amount: float | None
    learnt: bool
    target: str
    variables: int
    frames: Any
    missing: Any
    treatment: str
    moved: Any
    condition_number: float

    def __str__(self):
        low, high = self.frames.min(), self.frames.max()
        frames = f"{low:g}" if low == high else f"{low:g} to {high:g}"
        text = (
            f"{len(self.frames)} recordings of {self.variables} variables, {frames} "
            f"frames: "
        )
        if self.missing.any():
            text += f"{self.missing.mean():.2%} of the values missing, "
            text += (
                f"pairwise correlations, {int(np.sum(self.moved > 0.0))} of them moved "
                f"to the nearest correlation matrix by up to {self.moved.max():.2g}; "
                if self.treatment == "pairwise"
                else "EM under a normal model; "
            )
        text += self._what()
        if self.kind == "partial":
            text += ", partial correlations with their sign changed"
        return f"{text}; largest condition number {self.condition_number:.2g}."

    def _what(self):
        if self.amount is None:
            if self.estimator == "sample":
                return "sample correlations"
            return f"{self.estimator}, each recording by itself"
        if self.estimator == "common":
            how = "by a learnt" if self.learnt else "by"
            return (
                f"all shrunk alike, {how} {self.amount:.3g} towards the {self.target}"
            )
        how = "a learnt" if self.learnt else "a"
        return f"graphical lasso, all with {how} penalty of {self.amount:.3g}"
