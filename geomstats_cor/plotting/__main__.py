"""Figures from the command line: python -m geomstats_cor.plotting --help."""

import argparse
import sys
from pathlib import Path

from ..exceptions import GeomstatsCorError
from ..metrics import METRICS
from .explore import explore_page
from .figures import (
    cone_figure,
    elliptope_figure,
    geodesics_figure,
    hyperplanes_figure,
    require_suffix,
    write_figure,
)

_COMMANDS = {
    "hyperplanes": (hyperplanes_figure, "one decision hyperplane under each metric"),
    "elliptope": (elliptope_figure, "the elliptope, Fréchet means, coordinate grids"),
    "geodesics": (geodesics_figure, "geodesics between two points, a fan, a sphere"),
    "cone": (cone_figure, "2 x 2 correlations in the cone of covariances"),
}


def main(arguments=None):
    """Write the figure that the arguments ask for.

    Parameters
    ----------
    arguments : sequence of str
        Arguments; those of the command line if None.

    Returns
    -------
    code : int
        Exit code, 0 if the file was written.
    """
    options = _parser().parse_args(arguments)
    try:
        path = options.run(options)
    except (GeomstatsCorError, ImportError, OSError) as error:
        print(f"{options.command}: {error}", file=sys.stderr)
        return 1
    print(path)
    return 0


def _parser():
    parser = argparse.ArgumentParser(
        prog="python -m geomstats_cor.plotting",
        description="Draw correlation matrices, their geodesics and hyperplanes.",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, (_, summary) in _COMMANDS.items():
        command = commands.add_parser(name, help=summary, description=summary + ".")
        _add_output(command, f"{name}.png", "PNG, PDF or HTML, by the suffix")
        command.add_argument(
            "--metric",
            choices=(*METRICS, "all"),
            default="all",
            help="metric (default: %(default)s)",
        )
        command.add_argument(
            "--seed",
            type=int,
            default=None if name in ("geodesics", "cone") else 0,
            help="seed of what is random in the figure (default: %(default)s)",
        )
        command.set_defaults(run=_draw)
    summary = "a page to explore the elliptope in"
    command = commands.add_parser("explore", help=summary, description=summary + ".")
    _add_output(command, "explore.html", "HTML, one file that needs no network")
    command.add_argument(
        "--metric", choices=tuple(METRICS), default="ecm", help="metric shown first"
    )
    command.set_defaults(run=_explore)
    return parser


def _add_output(command, default, summary):
    command.add_argument(
        "-o",
        "--output",
        type=Path,
        default=Path(default),
        metavar="FILE",
        help=f"file to write: {summary} (default: %(default)s)",
    )


def _draw(options):
    path = require_suffix(options.output)
    metrics = tuple(METRICS) if options.metric == "all" else (options.metric,)
    figure, _ = _COMMANDS[options.command]
    return write_figure(figure(metrics, options.seed), path)


def _explore(options):
    raise NotImplementedError


if __name__ == "__main__":
    sys.exit(main())
