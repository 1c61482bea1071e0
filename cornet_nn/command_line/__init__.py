"""The command line `cornet`: from the words of a command line to an exit code.

Each command is a module with `add_arguments` and `run`, whose docstring is the end of
its help. It is imported when it is called: help on all of them takes no time.
"""

import argparse
import contextlib
import importlib
import os
import sys
import warnings

from geomstats_cor import __version__
from geomstats_cor.exceptions import GeomstatsCorError, ParameterError

from .._text import PrintableStream, printable
from .processes import process_group, world

__all__ = ["main"]

COMMANDS = {
    "train": "train a network, and write a run directory",
    "evaluate": "accuracy of a run, class by class, and the confusion matrix",
    "predict": "classes and probabilities of samples, as a CSV file",
    "compare": "compare metrics: accuracy over folds or seeds, time, table, plot",
    "sweep": "choose settings and preprocessing by validation",
    "data": "list data sets and formats, or describe one and list its problems",
    "reproduce": "recompute a table of the paper, ours beside the paper's number",
}
# torchrun may start these in several processes.
_PARALLEL = ("train",)

_INSTALL = "The command line needs an extra: pip install 'geomstats-cor[nn]'."
_DESCRIPTION = "Train and compare networks over full-rank correlation matrices."
_EXAMPLES = """\
examples:
  cornet data                                  the data sets, and formats of files
  cornet train connectomes --metric olm --epochs 30 --run-dir runs/first
  cornet train --run-dir runs/first --resume   continue where it stopped
  cornet evaluate runs/first                   accuracy, classes, confusion matrix
  cornet predict runs/first new.npz -o predictions.csv
  cornet compare data.npz --folds 5            the five metrics
  cornet sweep data.npz --grid power=0.5,1 lr=1e-2,1e-3
  torchrun --nproc-per-node=2 -m cornet_nn train data.npz

`cornet COMMAND --help` says more on each."""


def main(arguments=None):
    """Run the command that the arguments name.

    Parameters
    ----------
    arguments : sequence of str
        Arguments; those of the command line if None.

    Returns
    -------
    code : int
        0 if all went well, 1 if not, 130 if it was interrupted. Invalid arguments end
        the process with 2.

    Examples
    --------
    >>> from cornet_nn.command_line import main
    >>> main(["evaluate", "no_such_run"])
    1
    """
    words = sys.argv[1:] if arguments is None else list(arguments)
    command = None
    try:
        command = _overview().parse_known_args(words[:1])[0].command
        # What takes seconds to import is imported from here on.
        module, parser = build_parser(command)
        options = parser.parse_args(words[1:])
        options.words = words
        if world()[1] > 1 and command not in _PARALLEL:
            raise ParameterError(
                "this command runs in one process: start it without torchrun."
            )
        safe = contextlib.redirect_stdout(PrintableStream(sys.stdout))
        with warnings.catch_warnings(), safe, process_group():
            # A warning is a line of the command, without file and line number.
            warnings.showwarning = lambda message, *_, **__: _complain(command, message)
            module.run(options)
            sys.stdout.flush()
    except KeyboardInterrupt as stop:
        _complain(command, str(stop) or "stopped.")
        return 130
    except BrokenPipeError:
        # Whoever read the output has seen enough. Python would complain once more when
        # it flushes the stream at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (GeomstatsCorError, ImportError, OSError) as error:
        is_missing = isinstance(error, ModuleNotFoundError)
        install = is_missing and "pip install" not in str(error)
        _complain(command, f"{error}. {_INSTALL}" if install else error)
        return 1
    return 0


def _overview():
    """Return the parser that knows the names of commands alone."""
    parser = argparse.ArgumentParser(
        prog="cornet",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, summary in COMMANDS.items():
        commands.add_parser(name, help=summary, add_help=False)
    return parser


def build_parser(command):
    """Return the module of a command, and its parser.

    Examples
    --------
    >>> _, parser = build_parser("data")
    >>> parser.parse_args(["connectomes"]).data
    'connectomes'
    """
    package = "cornet_nn" if command == "reproduce" else __name__
    summary = COMMANDS[command]
    module = importlib.import_module(f"{package}.{command}")
    parser = argparse.ArgumentParser(
        prog=f"cornet {command}",
        description=f"{summary[0].upper()}{summary[1:]}.",
        epilog=(module.__doc__ or "").partition("\n\n")[2],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(usage_error=parser.error)
    module.add_arguments(parser)
    return module, parser


def _complain(command, message):
    rank, size = world()
    who = f" (process {rank})" if size > 1 else ""
    line = printable(" ".join(str(message).split()))
    print(f"cornet{f' {command}' if command else ''}{who}: {line}", file=sys.stderr)
