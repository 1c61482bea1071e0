"""The numbers of the paper, as data.

References
----------
.. [C2026] Z. Chen, X. Wu, B. Schölkopf and N. Sebe. Riemannian networks over full-rank
   correlation matrices. ICML 2026.
"""

import csv
import functools
import tomllib
from dataclasses import dataclass
from importlib import resources


@dataclass(frozen=True)
class Published:
    """A cell of a table of the paper.

    Attributes
    ----------
    table, method, data : str
        Table, row and column.
    mean, deviation : float or None
        Accuracy in per cent and its standard deviation over five folds; None where the
        paper prints none.
    seconds : float or None
        Seconds per epoch, or of a forward pass in the table "runtime".
    """

    table: str
    method: str
    data: str
    mean: float | None
    deviation: float | None
    seconds: float | None


@functools.cache
def published_results(table):
    """Return the cells of a table of the paper.

    Parameters
    ----------
    table : str
        Name of the table: "main", "mixed", "activations", "inputs", "mlr",
        "eigenvalues" or "runtime".

    Returns
    -------
    cells : tuple of Published
        Cells, in the order of the paper.

    Examples
    --------
    >>> published_results("main")[-1].mean
    60.01
    """
    text = _read("results.csv").splitlines()
    return tuple(
        Published(
            row["table"],
            row["method"],
            row["data"],
            *(_number(row[name]) for name in ("mean", "deviation", "seconds")),
        )
        for row in csv.DictReader(text)
        if row["table"] == table
    )


@functools.cache
def published_settings():
    """Return how the experiments of the paper were run.

    Returns
    -------
    settings : dict
        Content of `paper/settings.toml`.

    Examples
    --------
    >>> published_settings()["hyperparameters"]["HDM05"]["OLM"]["optimizer"]
    'sgd'
    """
    return tomllib.loads(_read("settings.toml"))


def _read(name):
    folder = resources.files(__package__) / "paper"
    return (folder / name).read_text(encoding="utf-8")


def _number(text):
    return float(text) if text else None
