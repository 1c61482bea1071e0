"""What several commands take and say in the same way."""

import argparse
import contextlib
import shlex
from pathlib import Path

from .._files import contents


def make_parser(name, summary, epilog):
    """Return the parser of a command.

    Parameters
    ----------
    name : str
        Name.
    summary : str
        What it does, for the list of commands.
    epilog : str
        End of its help: examples and remarks, as they stand.

    Returns
    -------
    parser : argparse.ArgumentParser
        Parser.
    """
    parser = argparse.ArgumentParser(
        prog=f"cornet {name}",
        description=f"{summary[0].upper()}{summary[1:]}.",
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(usage_error=parser.error)
    return parser


def add_running(parser, default):
    """Add the options of a run: its directory, whether it goes on, what it says.

    Parameters
    ----------
    parser : argparse.ArgumentParser
        Parser.
    default : str
        Where a run goes if nothing is said.
    """
    group = parser.add_argument_group("run")
    group.add_argument(
        "--run-dir",
        type=Path,
        metavar="DIR",
        help=f"directory for all that is written (default: {default}, with a number if "
        f"that is taken)",
    )
    group.add_argument(
        "--resume", action="store_true", help="go on with what is in the run directory"
    )
    add_quiet(group)


def add_grid(group, metrics):
    """Add a choice of metrics, and where many trainings run.

    Parameters
    ----------
    group : argparse._ArgumentGroup
        Where the options are added.
    metrics : sequence of str
        All metrics.
    """
    group.add_argument(
        "--metrics",
        nargs="+",
        choices=metrics,
        default=list(metrics),
        help="metrics (default: all five)",
    )
    group.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help="scheduler of dask that runs the trainings, such as tcp://host:8786",
    )


def add_quiet(parser):
    """Add the option that leaves nothing but the result.

    Parameters
    ----------
    parser : argparse.ArgumentParser
        Parser.
    """
    parser.add_argument(
        "--quiet", action="store_true", help="print nothing but the result"
    )


def run_directory(options, name):
    """Return the directory of a run.

    Parameters
    ----------
    options : argparse.Namespace
        Options.
    name : str
        Name of the directory, if the options have none.

    Returns
    -------
    directory : pathlib.Path
        Directory, which is not made.
    """
    if options.run_dir is not None:
        return options.run_dir
    if options.resume:
        options.usage_error("--resume needs --run-dir, the directory to go on with")
    directory, number = Path("runs") / name, 1
    while directory.exists() and contents(directory):
        number += 1
        directory = Path("runs") / f"{name}-{number}"
    return directory


@contextlib.contextmanager
def resumable(options, directory):
    """Say how to go on if a block is interrupted.

    Parameters
    ----------
    options : argparse.Namespace
        Options.
    directory : pathlib.Path
        Directory of the run.
    """
    try:
        yield
    except KeyboardInterrupt:
        words = ["cornet", *options.words]
        if options.run_dir is None:
            words += ["--run-dir", str(directory)]
        if not options.resume:
            words += ["--resume"]
        raise KeyboardInterrupt(f"stopped. To go on: {shlex.join(words)}") from None
