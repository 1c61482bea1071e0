"""Figures from the command line: python -m geomstats_cor.plotting --help."""

import argparse
import sys
from pathlib import Path

from .._types import ArrayLike
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

# What draws a figure, what it shows, and what a seed draws in it.
_COMMANDS = {
    "hyperplanes": (
        hyperplanes_figure,
        "one decision hyperplane through the same data under each metric",
        "the data",
    ),
    "elliptope": (
        elliptope_figure,
        "the elliptope, Fréchet means, and a coordinate grid of each metric",
        "the data",
    ),
    "geodesics": (
        geodesics_figure,
        "geodesics between two points; for one metric also a fan and a sphere",
        "the end points",
    ),
    "cone": (
        cone_figure,
        "2 x 2 correlations in the cone of covariances, with fibres over some",
        "the correlations",
    ),
}


def main(arguments: ArrayLike = None) -> int:
    """Write the figure given by the arguments.

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
    for name, (_, summary, seeded) in _COMMANDS.items():
        command = commands.add_parser(name, help=summary, description=summary + ".")
        _add_output(command, f"{name}.png", "PNG, PDF or HTML, by the suffix")
        command.add_argument(
            "--metric",
            choices=(*METRICS, "all"),
            default="all",
            help="metric (default: %(default)s)",
        )
        _add_seed(command, seeded)
        command.set_defaults(run=_draw)
    summary = "a page to explore the elliptope in"
    command = commands.add_parser("explore", help=summary, description=summary + ".")
    _add_output(command, "explore.html", "HTML, one file that needs no network")
    command.add_argument(
        "--metric",
        choices=tuple(METRICS),
        default="ecm",
        help="metric shown first (default: %(default)s)",
    )
    _add_seed(command, "the hyperplane and the end points shown first")
    command.set_defaults(run=_explore)
    return parser


def _add_seed(command, seeded):
    command.add_argument(
        "--seed", type=int, help=f"seed of {seeded}; the same in every run without it"
    )


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
    figure, *_ = _COMMANDS[options.command]
    return write_figure(figure(metrics, options.seed), path)


def _explore(options):
    path = require_suffix(options.output, (".html",))
    path.write_text(explore_page(options.metric, options.seed), encoding="utf-8")
    return path


if __name__ == "__main__":
    sys.exit(main())
