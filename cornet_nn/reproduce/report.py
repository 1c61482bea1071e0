"""The numbers of the paper, and tables with ours beside them.

References
----------
.. [C2026] Z. Chen, X. Wu, B. Schölkopf and N. Sebe. Riemannian networks over full-rank
   correlation matrices. ICML 2026.
"""

import functools
import inspect
import tomllib
from importlib import resources

import pandas as pd

from .._text import markdown_table

# Rows name the metric or the network, and runs their seed; the rest changes no result.
_NOT_SHOWN = (
    "metric mlr_metric network normalisation random_state progress device directory "
    "resume"
).split()
# A table has a row for each cell: the number of the paper and ours, in per cent or
# seconds, and under which conditions it was measured, or why there is none.
COLUMNS = (
    "method data paper_mean paper_deviation paper_seconds ours_mean ours_deviation "
    "ours_seconds ours_best runs note settings"
).split()
_FOLDER = resources.files(__package__) / "paper"


@functools.cache
def published_results(table):
    """Return the cells of a table of the paper, in its order.

    Parameters
    ----------
    table : str
        Name of the table: "main", "mixed", "activations", "inputs", "mlr",
        "eigenvalues" or "runtime".

    Returns
    -------
    cells : pandas.DataFrame
        Method, data, mean accuracy in per cent and standard deviation over five folds,
        and seconds per epoch, or of a forward pass in the table "runtime".

    Examples
    --------
    >>> published_results("main")["mean"].iloc[-1]
    np.float64(60.01)
    """
    with (_FOLDER / "results.csv").open(encoding="utf-8") as file:
        cells = pd.read_csv(file, dtype={"data": str})
    return cells[cells["table"] == table].drop(columns="table")


@functools.cache
def published_settings():
    """Return how the experiments of the paper were run: `paper/settings.toml`.

    Examples
    --------
    >>> published_settings()["hyperparameters"]["HDM05"]["OLM"]["optimizer"]
    'sgd'
    """
    return tomllib.loads((_FOLDER / "settings.toml").read_text(encoding="utf-8"))


def table_of(rows):
    """Return cells as a table with all columns.

    Parameters
    ----------
    rows : sequence of dict
        Cells.

    Returns
    -------
    cells : pandas.DataFrame
        Table.
    """
    empty = dict(runs=0, note="", settings="")
    return pd.DataFrame([empty | row for row in rows], columns=COLUMNS)


def as_markdown(cells, title, show):
    """Return cells as a Markdown table, ours beside the paper's number.

    Parameters
    ----------
    cells : pandas.DataFrame
        What `table_of` returns.
    title : str
        Title.
    show : callable
        Returns the text of a mean, a deviation and a time, each of which may be NaN.

    Returns
    -------
    text : str
        Title, table, the reasons for cells without a number, and settings.

    Examples
    --------
    >>> cell = dict(method="CorNet-OLM", data="Radar", note="no data")
    >>> cell |= dict(paper_mean=97.57, paper_deviation=0.76, paper_seconds=1.35)
    >>> print(as_markdown(table_of([cell]), "Main", show_accuracy))
    ### Main
    <BLANKLINE>
    | method | Radar, paper | ours |
    |---|---:|---:|
    | CorNet-OLM | 97.57 ± 0.76 | – |
    <BLANKLINE>
    - no data: CorNet-OLM on Radar
    """
    nan = float("nan")
    methods = list(dict.fromkeys(cells["method"]))
    has_best = bool(cells["ours_best"].notna().any())
    ours = ("ours, last epoch", "best of the last") if has_best else ("ours",)
    header, columns = ["method"], [methods]
    for name, part in cells.groupby("data", sort=False):
        header += [f"{name}, paper", *ours]
        part = part.set_index("method").reindex(methods)
        for whose in ("paper", "ours"):
            numbers = part[[f"{whose}_{k}" for k in ("mean", "deviation", "seconds")]]
            columns.append([show(*row) for row in numbers.itertuples(index=False)])
        columns += [[show(best, nan, nan) for best in part["ours_best"]]] * has_best
    settings = _reasons(cells, "settings")
    if settings:
        settings = (
            f"Settings that are not the defaults of the classifiers:\n\n{settings}"
        )
    table = markdown_table(header, zip(*columns, strict=True))
    parts = (f"### {title}", table, _reasons(cells, "note"), settings)
    return "\n\n".join(part for part in parts if part)


def show_accuracy(mean, deviation, seconds):
    """Return an accuracy in per cent as text; the CSV file has the seconds."""
    if pd.isna(mean):
        return "–"
    return f"{mean:.2f}" + ("" if pd.isna(deviation) else f" ± {deviation:.2f}")


def show_seconds(mean, deviation, seconds):
    """Return a time as text."""
    return "–" if pd.isna(seconds) else f"{seconds:.4f} s"


def _reasons(cells, field):
    """Return a line for every text of a column, with the cells it belongs to."""
    count, lines = cells["method"].nunique(), []
    for note, noted in cells[cells[field] != ""].groupby(field, sort=False):
        places = [
            f"{'all rows' if len(rows) == count > 1 else ', '.join(rows)} on {data}"
            for data, rows in noted.groupby("data", sort=False)["method"]
        ]
        lines.append(f"- {note}: {'; '.join(places)}")
    return "\n".join(lines)


def non_default(model):
    """Return the settings of a classifier that are not its defaults, by name.

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
    """Return settings by name as text.

    Examples
    --------
    >>> as_words({"power": 0.25, "neighbors": ["left", "right"]})
    "power=0.25 neighbors=['left', 'right']"
    """
    return " ".join(f"{name}={_word(value)}" for name, value in settings.items())


def options_notes(given, taken):
    """Return which of the given options of loaders were used for a number, or not.

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
