"""The tables of the paper, recomputed: ours beside the paper's number.

Some examples:
  cornet reproduce --list
  cornet reproduce main --data ~/data --output runs/main
  cornet reproduce mixed --data ~/data --only HDM05 --resume
  cornet reproduce main --data ~/data --only FPHA --option root=false

Data sets that are not there are named, and their cells have the paper's number alone.
The output folder has TABLE.md, TABLE.csv, figures, and TABLE-runs with every training,
which --resume does not run again; docs/reproduce.md has the protocol.

From Python: `reproduce(table, Options(...))`.
"""

import argparse
import dataclasses
from pathlib import Path
from typing import Any

from geomstats_cor.exceptions import ParameterError

__all__ = ["TABLES", "Options", "Table", "add_arguments", "reproduce", "run"]


@dataclasses.dataclass(frozen=True)
class Table:
    """A table of the paper.

    Parameters
    ----------
    title : str
        Title.
    function : str
        Function of `experiments` that computes its cells.
    show : str
        Function of `report` that shows their numbers.

    Examples
    --------
    >>> from cornet_nn.reproduce import TABLES
    >>> TABLES["main"].title
    'Main results'
    """

    title: str
    function: str = "accuracy_cells"
    show: str = "show_accuracy"


TABLES = {
    "main": Table("Main results"),
    "mixed": Table("Mixed geometries: metrics of convolution / regression"),
    "activations": Table("Correlation networks with and without ReLU"),
    "inputs": Table("SPDNet on covariance and on correlation matrices"),
    "mlr": Table("Logistic regressions of covariance and of correlation matrices"),
    "eigenvalues": Table("SPD networks on matrices with largest eigenvalue one"),
    "runtime": Table(
        "Seconds of a forward pass by size", "runtime_cells", "show_seconds"
    ),
    "variation": Table(
        "Coefficient of variation of diagonal variances", "variance_cells"
    ),
    "ratio": Table("Ratio of diagonal to off-diagonal entries", "variance_cells"),
}


def _option(default, **how):
    """Return a field with what `add_argument` says of its option."""
    return dataclasses.field(default=default, metadata=how)


@dataclasses.dataclass(frozen=True)
class Options:
    """Options of a reproduction, those of the command line.

    Parameters
    ----------
    data : Path or None
        Folder with the data sets, one subfolder each.
    output : Path
        Folder to write to.
    seeds : int
        Number of folds or seeds, five in the paper.
    epochs : int or None
        Number of epochs instead of that of the paper.
    gain : float or None
        Factor on the initial weights of correlation networks; None is the default of
        the classifiers.
    only : tuple of str
        Rows and columns to compute; all if empty.
    synthetic : bool
        Whether to add the simulated radar signals as a column.
    resume : bool
        Whether to keep the cells that an earlier call has finished.
    jobs : int or None
        Number of trainings at a time; one if None.
    cluster : str or None
        Address of a scheduler of dask, whose workers train.
    quiet : bool
        Whether to show no progress.
    loader : dict
        Options of the loaders, such as {"view": "frame"}. Each is passed to the loaders
        that have it.

    Examples
    --------
    >>> from cornet_nn.reproduce import Options
    >>> Options(seeds=2, only=("CorNet-OLM",)).output.as_posix()
    'build/reproduce'
    """

    data: Path | None = _option(
        None,
        type=Path,
        metavar="DIR",
        help="folder with subfolders radar, hdm05, fpha, ntu120",
    )
    output: Path = _option(
        Path("build/reproduce"),
        type=Path,
        metavar="DIR",
        help="where Markdown, CSV, figures and finished runs are written (%(default)s)",
    )
    seeds: int = _option(5, type=int, help="folds or seeds (%(default)s)")
    epochs: int | None = _option(None, type=int, help="epochs instead of the paper's")
    gain: float | None = _option(
        None,
        type=float,
        metavar="X",
        help="factor on the initial weights of correlation networks, instead of the "
        "default of the classifiers",
    )
    only: tuple[str, ...] = _option(
        (), nargs="+", metavar="NAME", help="rows or columns to compute, not all"
    )
    synthetic: bool = _option(
        False,
        action="store_true",
        help="add a column of simulated radar signals, for which the paper has none",
    )
    resume: bool = _option(False, action="store_true", help="keep finished runs")
    jobs: int | None = _option(
        None, type=int, metavar="N", help="trainings at a time; -1 for all cores"
    )
    cluster: str | None = _option(
        None, metavar="ADDRESS", help="scheduler of dask that runs the trainings"
    )
    quiet: bool = _option(
        False, action="store_true", help="print nothing but the result"
    )
    loader: dict[str, Any] = dataclasses.field(default_factory=dict)


def reproduce(table: str, options: Options | None = None) -> str:
    """Compute a table of the paper, and write it as Markdown and CSV.

    Parameters
    ----------
    table : str
        Key of `TABLES`.
    options : Options
        Options; the defaults if None.

    Returns
    -------
    text : str
        The table as Markdown, with ours beside the paper's number. The files
        `TABLE.md` and `TABLE.csv` are in the output folder.

    Examples
    --------
    >>> import pathlib
    >>> import tempfile
    >>> from cornet_nn.reproduce import Options, reproduce
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     text = reproduce("main", Options(output=pathlib.Path(folder), quiet=True))
    >>> print("97.57" in text, "no data: pass --data" in text)
    True True
    """
    from .._files import make_writable, write_csv, write_text
    from . import experiments, report
    from .methods import require_options

    options = Options() if options is None else options
    if table not in TABLES:
        raise ParameterError(
            f"there is no table {table!r}: choose one of {', '.join(TABLES)}."
        )
    if options.seeds < 1 or (options.epochs is not None and options.epochs < 1):
        raise ParameterError(
            f"seeds and epochs are positive, not {options.seeds} and {options.epochs}."
        )
    if options.data is not None and not options.data.is_dir():
        raise ParameterError(f"there is no folder {options.data} with data sets.")
    if options.loader and table == "runtime":
        raise ParameterError("runtime loads no data, and has no options of loaders.")
    require_options(options.loader)
    make_writable(options.output)
    entry = TABLES[table]
    cells = getattr(experiments, entry.function)(table, options)
    if cells.empty:
        raise ParameterError(
            f"no row or column of {table} is called {', '.join(options.only)}."
        )
    text = report.as_markdown(cells, entry.title, getattr(report, entry.show))
    write_text(options.output / f"{table}.md", text + "\n")
    write_csv(options.output / f"{table}.csv", cells, float_format="%g")
    return text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command `reproduce` takes to its parser.

    Parameters
    ----------
    parser : argparse.ArgumentParser
        Parser.

    Examples
    --------
    >>> import argparse
    >>> from cornet_nn.reproduce import add_arguments
    >>> parser = argparse.ArgumentParser()
    >>> add_arguments(parser)
    >>> parser.parse_args(["mixed", "--seeds", "2"]).seeds
    2
    """
    from ..command_line.options import add_loader_options

    parser.add_argument("table", nargs="?", choices=tuple(TABLES), metavar="TABLE")
    parser.add_argument("--list", action="store_true", help="list the tables")
    text = "option of the loaders, such as view=first, for all data sets that have it"
    add_loader_options(parser, text)
    for field in _offered():
        parser.add_argument(f"--{field.name}", default=field.default, **field.metadata)


def _offered():
    return [field for field in dataclasses.fields(Options) if field.metadata]


def run(arguments: argparse.Namespace) -> int:
    """Run the command `reproduce`.

    Parameters
    ----------
    arguments : argparse.Namespace
        What a parser with `add_arguments` made of the command line.

    Returns
    -------
    status : int
        Exit status, 0.

    Examples
    --------
    >>> import argparse
    >>> from cornet_nn.reproduce import run
    >>> run(argparse.Namespace(list=True))  # doctest: +ELLIPSIS
    main         Main results
    ...
    0
    """
    if arguments.list or arguments.table is None:
        for name, table in TABLES.items():
            print(f"{name:12} {table.title}")
        return 0
    chosen = {field.name: getattr(arguments, field.name) for field in _offered()}
    chosen |= dict(only=tuple(arguments.only), loader=dict(arguments.option))
    text = reproduce(arguments.table, Options(**chosen))
    print(text)
    if not arguments.quiet:
        print(f"\nWritten to {arguments.output}/{arguments.table}.md and .csv")
    return 0
