"""Tables with ours beside the paper's number."""

import functools
import inspect
from dataclasses import dataclass

from .._text import markdown_table
from .published import Published

# Rows name the metric or the network, and runs their seed; the rest changes no result.
_NOT_SHOWN = ("metric", "mlr_metric", "network", "normalisation", "random_state")
_NOT_SHOWN += ("progress", "device", "directory", "resume")


@dataclass(frozen=True)
class Cell:
    """A number of ours and the number of the paper.

    Attributes
    ----------
    method, data : str
        Row and column.
    published : Published or None
        Cell of the paper; None if it has none.
    mean, deviation, seconds : float or None
        Our numbers, if they were measured.
    runs : int
        Number of folds or seeds behind them.
    best : float or None
        Mean over runs of the best of the last epochs, where `mean` is that of the last.
    note : str
        Why there is no number of ours, or under which conditions it was measured.
    settings : str
        Settings of the training that are not the defaults of the classifier.
    """

    method: str
    data: str
    published: Published | None = None
    mean: float | None = None
    deviation: float | None = None
    seconds: float | None = None
    runs: int = 0
    best: float | None = None
    note: str = ""
    settings: str = ""


COLUMNS = (
    "method",
    "data",
    "paper_mean",
    "paper_deviation",
    "paper_seconds",
    "ours_mean",
    "ours_deviation",
    "ours_seconds",
    "ours_best",
    "runs",
    "note",
    "settings",
)


def as_csv(cells):
    """Return cells as the text of a CSV file, one line each.

    Parameters
    ----------
    cells : sequence of Cell
        Cells.

    Returns
    -------
    text : str
        Text.
    """
    import pandas as pd

    rows = []
    for cell in cells:
        paper = cell.published or Published("", "", "", None, None, None)
        numbers = (paper.mean, paper.deviation, paper.seconds)
        numbers += (cell.mean, cell.deviation, cell.seconds, cell.best)
        ends = (cell.runs, cell.note, cell.settings)
        rows.append((cell.method, cell.data, *map(_plain, numbers), *ends))
    table = pd.DataFrame(rows, columns=COLUMNS)
    return table.to_csv(index=False, lineterminator="\n")


def as_markdown(cells, title, show):
    """Return cells as a Markdown table, ours beside the paper's number.

    Parameters
    ----------
    cells : sequence of Cell
        Cells, row by row.
    title : str
        Title.
    show : callable
        Returns the text of a mean, a deviation and a time, each of which may be None.

    Returns
    -------
    text : str
        Title, table, the reasons for cells without a number, and settings.

    Examples
    --------
    >>> paper = Published("main", "CorNet-OLM", "Radar", 97.57, 0.76, 1.35)
    >>> cell = Cell("CorNet-OLM", "Radar", paper, note="no data")
    >>> print(as_markdown([cell], "Main", show_accuracy))
    ### Main
    <BLANKLINE>
    | method | Radar, paper | ours |
    |---|---:|---:|
    | CorNet-OLM | 97.57 ± 0.76 | – |
    <BLANKLINE>
    - no data: CorNet-OLM on Radar
    """
    methods = list(dict.fromkeys(cell.method for cell in cells))
    columns = list(dict.fromkeys(cell.data for cell in cells))
    places = {(cell.method, cell.data): cell for cell in cells}
    has_best = any(cell.best is not None for cell in cells)
    ours = ("ours, last epoch", "best of the last") if has_best else ("ours",)
    head = ["method", *(t for name in columns for t in (f"{name}, paper", *ours))]
    rows = []
    for method in methods:
        texts = [method]
        for column in columns:
            cell = places.get((method, column), Cell(method, column))
            paper = cell.published
            texts.append(
                show(paper.mean, paper.deviation, paper.seconds) if paper else "–"
            )
            texts.append(show(cell.mean, cell.deviation, cell.seconds))
            texts += [show(cell.best, None, None)] * has_best
        rows.append(texts)
    table = markdown_table(head, rows)
    reasons = "\n".join(_reasons(cells, methods, "note"))
    settings = "\n".join(_reasons(cells, methods, "settings"))
    if settings:
        settings = (
            f"Settings that are not the defaults of the classifiers:\n\n{settings}"
        )
    parts = (f"### {title}", table, reasons, settings)
    return "\n\n".join(part for part in parts if part)


def show_accuracy(mean, deviation, seconds):
    """Return an accuracy as text.

    Parameters
    ----------
    mean, deviation : float or None
        Accuracy in per cent, and standard deviation.
    seconds : float or None
        Not shown: the CSV file has it.

    Returns
    -------
    text : str
        Text.
    """
    if mean is None:
        return "–"
    return f"{mean:.2f}" + ("" if deviation is None else f" ± {deviation:.2f}")


def show_seconds(mean, deviation, seconds):
    """Return a time as text; see `show_accuracy`."""
    return "–" if seconds is None else f"{seconds:.4f} s"


def _reasons(cells, methods, field):
    """Return a line for every text of a field, with the cells it belongs to."""
    noted = {}
    for cell in cells:
        if getattr(cell, field):
            columns = noted.setdefault(getattr(cell, field), {})
            columns.setdefault(cell.data, []).append(cell.method)
    for note, columns in noted.items():
        places = [
            f"{'all rows' if len(rows) == len(methods) > 1 else ', '.join(rows)} on {c}"
            for c, rows in columns.items()
        ]
        yield f"- {note}: {'; '.join(places)}"


def _plain(number):
    return "" if number is None else f"{number:g}"


def non_default(model):
    """Return the settings of a classifier that are not its defaults.

    Parameters
    ----------
    model : sklearn.base.BaseEstimator
        Classifier.

    Returns
    -------
    settings : dict
        Settings by name.

    Examples
    --------
    >>> from cornet_nn.training import CorNetClassifier
    >>> non_default(CorNetClassifier("ecm", power=0.25, random_state=3))
    {'power': 0.25}
    """
    signature = inspect.signature(type(model)).parameters
    return {
        name: value
        for name, value in model.get_params(deep=False).items()
        if name not in _NOT_SHOWN
        and (name not in signature or value != signature[name].default)
    }


def as_words(settings):
    """Return settings as text.

    Parameters
    ----------
    settings : dict
        Settings by name.

    Returns
    -------
    words : str
        Text.

    Examples
    --------
    >>> as_words({"power": 0.25, "neighbors": ["left", "right"]})
    "power=0.25 neighbors=['left', 'right']"
    """
    return " ".join(f"{name}={_word(value)}" for name, value in settings.items())


def options_notes(given, taken):
    """Return which options of loaders a number was computed with, and which not.

    Parameters
    ----------
    given : dict
        Options that the user gives.
    taken : dict
        Those of them that the loader of the data has.

    Returns
    -------
    notes : list of str
        Notes.

    Examples
    --------
    >>> options_notes({"view": "first", "window": 20}, {"view": "first"})
    ['loader options view=first', 'the loader has no option window']
    """
    notes = [f"loader options {as_words(taken)}"] if taken else []
    others = [name for name in given if name not in taken]
    return notes + [f"the loader has no option {name}" for name in others]


def _word(value):
    if isinstance(value, functools.partial):
        return f"{value.func.__name__}{value.args}"
    return value.__name__ if isinstance(value, type) else str(value)
