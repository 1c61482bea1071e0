"""The entry: from the words of a command line to an exit code."""

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

_HOMES = {
    **{
        name: f"{__package__}.{name}"
        for name in ("train", "evaluate", "predict", "compare", "sweep", "data")
    },
    "reproduce": "cornet_nn.reproduce",
}
COMMANDS = tuple(_HOMES)

_INSTALL = "The command line needs an extra: pip install 'geomstats-cor[nn]'."
_DESCRIPTION = "Train and compare networks over full-rank correlation matrices."
_EXAMPLES = """\
examples:
  cornet data                                  the data sets, and formats of files
  cornet train connectomes --metric olm --epochs 30 --run-dir runs/first
  cornet train --run-dir runs/first --resume   go on where it stopped
  cornet evaluate runs/first                   accuracy, classes, confusion matrix
  cornet predict runs/first new.npz -o predictions.csv
  cornet compare data.npz --folds 5            the five metrics
  cornet sweep data.npz --powers 0.5 1 --lrs 1e-2 1e-3
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
        0 if all went well, 1 if not, 130 if it was interrupted. Arguments that make no
        sense end the process with 2.

    Examples
    --------
    >>> from cornet_nn.command_line import main
    >>> main(["evaluate", "no_such_run"])
    1
    """
    words = sys.argv[1:] if arguments is None else list(arguments)
    options = argparse.Namespace(command=None)
    try:
        # What takes seconds to import is imported from here on.
        options = build_parser().parse_args(words, options)
        options.words = words
        _require_one_process_or_parallel(options)
        safe = contextlib.redirect_stdout(PrintableStream(sys.stdout))
        with _plain_warnings(options), safe, process_group():
            options.run(options)
            sys.stdout.flush()
    except KeyboardInterrupt as stop:
        _complain(options, str(stop) or "stopped.")
        return 130
    except BrokenPipeError:
        # Whoever read the output has seen enough. Python would complain once more when
        # it flushes the stream at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except ModuleNotFoundError as error:
        remedy = "" if "pip install" in str(error) else f". {_INSTALL}"
        _complain(options, f"{error}{remedy}")
        return 1
    except (GeomstatsCorError, ImportError, OSError) as error:
        _complain(options, error)
        return 1
    return 0


def build_parser():
    """Return the parser of the command line.

    Returns
    -------
    parser : argparse.ArgumentParser
        Parser.

    Examples
    --------
    >>> build_parser().parse_args(["data", "connectomes"]).command
    'data'
    """
    parser = argparse.ArgumentParser(
        prog="cornet",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for home in _HOMES.values():
        importlib.import_module(home).add_parser(commands)
    return parser


def _require_one_process_or_parallel(options):
    if world()[1] > 1 and not getattr(options, "parallel", False):
        raise ParameterError(
            "this command runs in one process: start it without torchrun."
        )


@contextlib.contextmanager
def _plain_warnings(options):
    """Show warnings as lines of the command, without places in the code."""
    with warnings.catch_warnings():
        warnings.showwarning = lambda message, *_, **__: _complain(options, message)
        yield


def _complain(options, message):
    rank, size = world()
    who = f" (process {rank})" if size > 1 else ""
    line = printable(" ".join(str(message).split()))
    command = f" {options.command}" if options.command else ""
    print(f"cornet{command}{who}: {line}", file=sys.stderr)
