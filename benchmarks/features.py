"""What each library has, as a table of the documentation.

    pip install '.[compare]'
    python -m benchmarks.features

writes docs/tables/features.md. Every entry is what a probe found, by calling the
library on correlation matrices of the connectomes or by looking through all its public
names.
"""

import argparse
import datetime
import json
import os
import platform
import subprocess
import sys
from importlib.metadata import metadata, version
from pathlib import Path
from typing import NamedTuple

from .probes import arrays, geometry, learning, networks, pictures
from .probes.calls import sample
from .probes.names import LIBRARIES, scan
from .report import markdown

OUTPUT = Path("docs/tables/features.md")
_EXTENT = "extent"


class Probe(NamedTuple):
    """A row of the table.

    Parameters
    ----------
    entry : callable
        Function of a library and a sample that returns the entry.
    backend : str
        Backend of geomstats, which is chosen once a process: the one under which
        geomstats can do more.
    """

    entry: callable
    backend: str = "numpy"


PROBES = {
    "metrics of correlation matrices": Probe(geometry.metrics, "pytorch"),
    "distances of covariance matrices": Probe(geometry.covariance_distances),
    "manifolds": Probe(geometry.manifolds),
    "Fréchet mean of correlations: gradient left": Probe(geometry.mean),
    "parallel transport": Probe(geometry.transport),
    "group tests, confidence regions": Probe(learning.tests),
    "scikit-learn estimators": Probe(learning.estimators),
    "data in parts": Probe(learning.streaming),
    "dask arrays": Probe(learning.dask_arrays),
    "torch layers, correlations to correlations": Probe(networks.correlation_layers),
    "torch layers over covariances": Probe(networks.covariance_layers),
    "optimisers on manifolds": Probe(networks.optimisers),
    "arrays, in one process": Probe(arrays.kinds_of_arrays),
    "second derivatives of the matrix logarithm": Probe(
        arrays.second_derivatives, "pytorch"
    ),
    "pictures": Probe(pictures.pictures),
}


def found_here(backend):
    """Return the entries of all probes of a backend, run in this process."""
    found = {
        row: {library: probe.entry(library, sample()) for library in LIBRARIES}
        for row, probe in PROBES.items()
        if probe.backend == backend
    }
    return found | {_EXTENT: "; ".join(_extent(name) for name in LIBRARIES[1:])}


def found_under(backend):
    """Return the same, run in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.features", "--backend", backend],
        env={**os.environ, "GEOMSTATS_BACKEND": backend, "MPLBACKEND": "Agg"},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


def _versions():
    names = (*LIBRARIES, "numpy", "torch", "scikit-learn", "dask")
    return ", ".join(f"{name} {version(name)}" for name in names)


def _extent(library):
    """Say how much was looked through."""
    seen = scan(library)
    text = f"{library} {len(seen.objects)} in {len(seen.modules)} modules"
    if not seen.skipped:
        return text
    return f"{text} (without {', '.join(seen.skipped)}, which does not import)"


def write(output=OUTPUT):
    """Write the table, with the date and the versions."""
    found = found_under("numpy") | found_under("pytorch")
    purpose = ["in its own words", *(metadata(name)["Summary"] for name in LIBRARIES)]
    rows = [[row, *(found[row][name] for name in LIBRARIES)] for row in PROBES]
    lines = [
        "<!-- python -m benchmarks.features -->",
        "",
        f"Found on {datetime.date.today()} with {_versions()}, Python "
        f"{platform.python_version()}.",
        "",
        *markdown(["", *LIBRARIES], [purpose, *rows]),
        f"Public classes and functions looked through: {found[_EXTENT]}.",
        "",
    ]
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text("\n".join(lines), encoding="utf-8")
    print("\n".join(lines))


def main():
    """Write the table, or print the entries under one backend."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=OUTPUT)
    parser.add_argument("--backend", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.backend:
        print(json.dumps(found_here(args.backend)))
    else:
        write(args.output)


if __name__ == "__main__":
    main()
