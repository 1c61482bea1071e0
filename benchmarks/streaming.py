"""Means of a file larger than memory: python -m benchmarks.streaming --help.

A file of random correlation matrices is mapped into memory, and its mean and variance
are computed in chunks. The time is compared with that of reading the same chunks and of
`to_coords` on them in memory, measured chunk by chunk in turn; the memory is the peak
of the anonymous resident pages (RssAnon), which pages of the mapped file are not.
"""

import argparse
import pathlib
import tempfile
import threading
import time
from dataclasses import dataclass

import numpy as np
from numpy.lib.format import open_memmap

from geomstats_cor import METRICS, FullRankCorrelationMatrices, frechet_mean_of_chunks
from geomstats_cor.statistics.sources import piece_size

_LIMIT = 2**30  # bytes of anonymous memory
_RATIO = 1.2


def arguments():
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.streaming", description=__doc__.split("\n")[0]
    )
    parser.add_argument("--number", type=int, default=1_000_000, help="of matrices")
    parser.add_argument("--size", type=int, default=28, help="n of the matrices")
    parser.add_argument("--metrics", nargs="+", choices=METRICS, default=list(METRICS))
    parser.add_argument(
        "--directory", type=pathlib.Path, help="of the file, which is deleted after"
    )
    return parser.parse_args()


def write(path, number, size, seed=0):
    """Write correlations of 2 n samples of n independent variables."""
    rng = np.random.default_rng(seed)
    file = open_memmap(path, "w+", np.float64, (number, size, size))
    for start in range(0, number, 1000):
        samples = rng.standard_normal((min(1000, number - start), size, 2 * size))
        samples /= np.linalg.norm(samples, axis=-1, keepdims=True)
        points = samples @ samples.mT
        points[:, range(size), range(size)] = 1.0
        file[start : start + 1000] = 0.5 * (points + points.mT)
    file.flush()


@dataclass
class Seconds:
    """Time on the clock, and of the processor."""

    wall: float = 0.0
    cpu: float = 0.0

    def __enter__(self):
        self._start = time.perf_counter(), time.process_time()
        return self

    def __exit__(self, *_):
        self.wall += time.perf_counter() - self._start[0]
        self.cpu += time.process_time() - self._start[1]


class Floor:
    """Blocks of a file, with the time of reading and of mapping each taken beside.

    The two come in turn, now before and now after the block is given out, so that a
    machine that is slow for a while is slow for both.
    """

    def __init__(self, path, space):
        self.reading, self.mapping = Seconds(), Seconds()
        self._file, self._space = np.load(path, mmap_mode="r"), space
        self._size = piece_size(space.n)
        self._block = np.empty((self._size, space.n, space.n))

    def __call__(self):
        """Give out the blocks once."""
        for number, start in enumerate(range(0, len(self._file), self._size)):
            piece = self._file[start : start + self._size]
            if number % 2:
                self._measure(piece)
            yield piece
            if not number % 2:
                self._measure(piece)

    def _measure(self, piece):
        part = self._block[: len(piece)]
        with self.reading:
            part[...] = piece
        with self.mapping:
            self._space.metric.to_coords(part)


def anonymous_bytes():
    """Return the anonymous resident memory of the process."""
    lines = pathlib.Path("/proc/self/status").read_text().splitlines()
    line = next(line for line in lines if line.startswith("RssAnon"))
    return 1024 * int(line.split()[1])


class Peak:
    """The largest anonymous memory while it is watched."""

    def __init__(self, period=0.02):
        self.bytes, self._period = 0, period
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def _watch(self):
        while not self._end.wait(self._period):
            self.bytes = max(self.bytes, anonymous_bytes())

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._end.set()
        self._thread.join()
        self.bytes = max(self.bytes, anonymous_bytes())


def run(path, key, size):
    """Measure one metric, and print a line."""
    space = FullRankCorrelationMatrices(size, equip=key)
    floor = Floor(path, space)
    with Peak() as peak, Seconds() as taken:
        result = frechet_mean_of_chunks(floor, space, progress=False)
    reading, mapping = floor.reading, floor.mapping
    wall, cpu = reading.wall + mapping.wall, reading.cpu + mapping.cpu
    is_flat = space.metric.image_space.metric.is_flat
    # A pass under a curved metric computes more than coordinates.
    is_fast = taken.cpu - cpu <= _RATIO * cpu or not is_flat
    verdict = "met" if peak.bytes < _LIMIT and is_fast else "MISSED"
    print(
        f"{key:5} {result.passes:6} {taken.wall - wall:9.1f} {reading.wall:9.1f} "
        f"{mapping.wall:9.1f} {taken.wall / wall - 1.0:6.2f} "
        f"{taken.cpu / cpu - 1.0:6.2f} {peak.bytes / 2**20:9.0f}  "
        f"{verdict}{'' if is_flat else ' (memory)'}",
        flush=True,
    )


def main():
    """Write the file, measure, and delete it."""
    options = arguments()
    with tempfile.TemporaryDirectory(dir=options.directory) as directory:
        path = pathlib.Path(directory) / "correlations.npy"
        write(path, options.number, options.size)
        print(
            f"{options.number} matrices of {options.size} x {options.size}, "
            f"{path.stat().st_size / 1e9:.2f} GB; seconds of all passes on the clock, "
            f"ratios to reading + to_coords\n"
            f"{'':5} {'passes':>6} {'mean':>9} {'reading':>9} {'to_coords':>9} "
            f"{'wall':>6} {'cpu':>6} {'MiB':>9}  target: {_RATIO}, 1024 MiB"
        )
        for key in options.metrics:
            run(path, key, options.size)


if __name__ == "__main__":
    main()
