"""The tables of the paper, recomputed: ours beside the paper's number.

`cornet reproduce TABLE --data DIR`, or `reproduce(table, Options(...))` from Python.
"""

from dataclasses import dataclass
from pathlib import Path

from geomstats_cor.exceptions import ParameterError

from .options import Options

__all__ = ["TABLES", "Options", "Table", "add_arguments", "reproduce", "run"]

EPILOG = """\
examples:
  cornet reproduce --list
  cornet reproduce main --data ~/data --output runs/main
  cornet reproduce mixed --data ~/data --only HDM05 --resume
  cornet reproduce main --data ~/data --only FPHA --option root=false

Data sets that are not there are named, and their cells have the paper's number alone.
The output folder has TABLE.md, TABLE.csv, figures, and TABLE-runs with every training,
which --resume does not run again; docs/reproduce.md has the protocol."""


@dataclass(frozen=True)
class Table:
    """A table of the paper.

    Parameters
    ----------
    title : str
        Title.
    module, function, show : str
        Module and function that compute the cells, and the function of `report` that
        shows their numbers.

    Examples
    --------
    >>> from cornet_nn.reproduce import TABLES
    >>> TABLES["main"].title
    'Main results'
    """

    title: str
    module: str = "accuracies"
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
        "Seconds of a forward pass by size", "runtime", "runtime_cells", "show_seconds"
    ),
    "variation": Table(
        "Coefficient of variation of diagonal variances", "variances", "variance_cells"
    ),
    "ratio": Table(
        "Ratio of diagonal to off-diagonal entries", "variances", "variance_cells"
    ),
}


def reproduce(table, options=None):
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
    import importlib

    from .._files import make_writable, write_text
    from . import report

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
    entry = TABLES[table]
    if options.loader:
        from .sources import require_options

        if table == "runtime":
            raise ParameterError(
                "runtime loads no data, and has no options of loaders."
            )
        require_options(options.loader)
    make_writable(options.output)
    module = importlib.import_module(f".{entry.module}", __name__)
    cells = getattr(module, entry.function)(table, options)
    if not cells:
        raise ParameterError(
            f"no row or column of {table} is called {', '.join(options.only)}."
        )
    text = report.as_markdown(cells, entry.title, getattr(report, entry.show))
    write_text(options.output / f"{table}.md", text + "\n")
    write_text(options.output / f"{table}.csv", report.as_csv(cells))
    return text


def add_arguments(parser):
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
    from ..command_line.options import add_quiet
    from ..command_line.sources import key_and_value

    parser.add_argument("table", nargs="?", choices=tuple(TABLES), metavar="TABLE")
    parser.add_argument("--list", action="store_true", help="list the tables")
    parser.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help="folder with subfolders radar, hdm05, fpha, ntu120",
    )
    parser.add_argument(
        "--output",
        type=Path,
        metavar="DIR",
        default=Options.output,
        help="where Markdown, CSV, figures and finished runs go (%(default)s)",
    )
    parser.add_argument(
        "--seeds", type=int, default=Options.seeds, help="folds or seeds (%(default)s)"
    )
    parser.add_argument("--epochs", type=int, help="epochs instead of the paper's")
    parser.add_argument(
        "--option",
        type=key_and_value,
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="option of the loaders, such as view=first, for all data sets that have "
        "it; can be repeated",
    )
    parser.add_argument(
        "--gain",
        type=float,
        metavar="X",
        help="factor on the initial weights of correlation networks, instead of the "
        "default of the classifiers",
    )
    parser.add_argument(
        "--only",
        nargs="+",
        default=(),
        metavar="NAME",
        help="rows or columns to compute, all others are left out",
    )
    parser.add_argument(
        "--synthetic",
        action="store_true",
        help="add a column of simulated radar signals, for which the paper has none",
    )
    parser.add_argument("--resume", action="store_true", help="keep finished runs")
    parser.add_argument(
        "--jobs", type=int, metavar="N", help="trainings at a time; -1 for all cores"
    )
    add_quiet(parser)


def run(arguments):
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
    options = Options(
        data=arguments.data,
        output=arguments.output,
        seeds=arguments.seeds,
        epochs=arguments.epochs,
        only=tuple(arguments.only),
        synthetic=arguments.synthetic,
        resume=arguments.resume,
        quiet=arguments.quiet,
        loader=dict(arguments.option),
        gain=arguments.gain,
        jobs=arguments.jobs,
    )
    text = reproduce(arguments.table, options)
    print(text)
    if not arguments.quiet:
        print(f"\nWritten to {options.output}/{arguments.table}.md and .csv")
    return 0
