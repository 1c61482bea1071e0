"""A measurement, as one row of the results."""

from dataclasses import dataclass, fields

from .targets import find_target, verdict


@dataclass
class Row:
    """One measured value, in its unit, next to its target.

    Parameters
    ----------
    kind : str
        What was measured: "kernel", "metric", "small batch", "cornet", "peer", "count",
        "memory" or "growth".
    name, n, batch, dtype : str or int
        Cell.
    quantity : str
        "forward", "forward + backward", "backward", "numpy", "count", ...
    unit : str
        Denominator of the ratio, or what is counted.
    value : float
        Median of the ratios, that of the shortest times for wall-clock, or the count;
        infinite for a peer that exceeds its cap.
    low, high : float
        Quartiles of the ratios.
    clock : {"cpu", "wall", ""}
        CPU time of one thread, or wall-clock time with all threads.
    seconds, unit_seconds : float
        Medians of the times themselves.
    note : str
        Anything else.
    """

    kind: str
    name: str
    n: int
    batch: int
    dtype: str
    quantity: str
    unit: str
    value: float
    low: float = None
    high: float = None
    clock: str = ""
    seconds: float = None
    unit_seconds: float = None
    note: str = ""
    target: float = None
    section: str = ""
    verdict: str = ""

    def judged(self):
        """Return the row with its target and the verdict, if there is a target.

        Wall-clock time is not judged: it depends on what else the machine does.
        """
        if self.clock == "wall" or self.kind == "peer":
            return self
        target = find_target(self.name, self.quantity, self.unit, self.n, self.dtype)
        if target is not None:
            self.target, self.section = target.limit, target.section
            self.verdict = verdict(target, self.value)
        return self


COLUMNS = tuple(field.name for field in fields(Row))
