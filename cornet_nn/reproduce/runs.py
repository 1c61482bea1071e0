"""Finished runs, kept in a file so that nothing is computed twice."""

import csv

from geomstats_cor.exceptions import ParameterError

_COLUMNS = ("method", "data", "seed", "epochs", "accuracy", "seconds")


class Runs:
    """The runs of a table, written down one by one.

    Parameters
    ----------
    path : Path
        CSV file.
    resume : bool
        Whether to keep the runs that the file has. If it has some and they are not to
        be kept, that is an error: remove them on purpose.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "runs.csv"
    ...     runs = Runs(path)
    ...     runs.keep("CorNet-OLM", "Radar", 0, 50, 97.5, 1.2)
    ...     Runs(path, resume=True).find("CorNet-OLM", "Radar", 0, 50)
    (97.5, 1.2)
    """

    def __init__(self, path, resume=False):
        self.path = path
        self._finished = {}
        if path.exists():
            if not resume:
                raise ParameterError(
                    f"{path} has runs of an earlier call: pass --resume to keep them, "
                    f"or another --output, or remove the file."
                )
            self._read()
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._write_line(_COLUMNS)

    def _read(self):
        text = self.path.read_text(encoding="utf-8")
        # The last line of a call that was killed may be cut.
        whole = text[: text.rfind("\n") + 1]
        if whole != text:
            self.path.write_text(whole, encoding="utf-8")
        for row in csv.DictReader(whole.splitlines()):
            key = row["method"], row["data"], int(row["seed"]), int(row["epochs"])
            self._finished[key] = float(row["accuracy"]), float(row["seconds"])

    def find(self, method, data, seed, epochs):
        """Return accuracy and seconds per epoch of a finished run, or None."""
        return self._finished.get((method, data, seed, epochs))

    def keep(self, method, data, seed, epochs, accuracy, seconds):
        """Write down a run."""
        self._write_line((method, data, seed, epochs, accuracy, seconds))
        self._finished[method, data, seed, epochs] = accuracy, seconds

    def _write_line(self, values):
        with open(self.path, "a", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerow(values)
