"""How many Python frames some calls pass through, and how deep.

The frames are counted by the profiler of the interpreter, for single matrices with
n = 5: `dist` of numpy arrays, `log` of torch tensors that need no gradient, and the
forward pass of a `CorMLR`. Frames of this library are counted, and all frames. Last,
one epoch of `cornet train` on 40 matrices, from words to a run directory, with the
number of our modules that it calls.

    python -m benchmarks.walks [--metric olm]
"""

import argparse
import contextlib
import io
import sys
import tempfile
from pathlib import Path

import numpy as np
import torch

from cornet_nn import CorMLR
from cornet_nn.command_line import main as cornet
from geomstats_cor import FullRankCorrelationMatrices

OURS = ("geomstats_cor", "cornet_nn")


def walk(function):
    """Return the numbers of all frames and of ours, greatest depth, and our modules."""
    counts, modules = {"all": 0, "ours": 0, "depth": 0, "now": 0}, set()

    def watch(frame, event, argument):
        if event == "call":
            counts["now"] += 1
            counts["all"] += 1
            name = str(frame.f_globals.get("__name__", ""))
            if name.partition(".")[0] in OURS:
                counts["ours"] += 1
                modules.add(name)
            counts["depth"] = max(counts["depth"], counts["now"])
        elif event == "return":
            counts["now"] -= 1

    function()  # caches are filled
    sys.setprofile(watch)
    try:
        function()
    finally:
        sys.setprofile(None)
    return counts["all"] - 1, counts["ours"], counts["depth"] - 1, modules


def walks(key):
    """Return the three calls by name."""
    space = FullRankCorrelationMatrices(5, equip=key)
    a, b = space.random_point(2, rng=0)
    start, end = torch.as_tensor(a), torch.as_tensor(b)
    layer = CorMLR(space, 3, dtype=torch.float64)
    points = torch.as_tensor(np.stack([a, b]))[:, None]
    return {
        "numpy dist": lambda: space.metric.dist(a, b),
        "torch log": lambda: space.metric.log(end, start),
        "CorMLR forward": lambda: layer(points),
    }


def train():
    """Train for one epoch by the command line, in a folder that is removed."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data.npz"
        points = FullRankCorrelationMatrices(5, equip="olm").random_point(40, rng=0)
        np.savez(data, C=points, y=np.arange(40) % 2)
        words = ["train", str(data), "--epochs", "1", "--quiet"]
        with contextlib.redirect_stdout(io.StringIO()):
            assert cornet([*words, "--run-dir", f"{folder}/run"]) == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--metrics", nargs="+", default=["ecm", "lecm", "olm", "lsm", "phcm"]
    )
    for key in parser.parse_args().metrics:
        for name, function in walks(key).items():
            total, ours, depth, _ = walk(function)
            print(f"{key:5} {name:15} {total:4} frames, {ours:4} ours, {depth:3} deep")
    total, ours, depth, modules = walk(train)
    harness = [m for m in modules if not m.startswith("geomstats_cor")]
    print(
        f"cornet train: {total} frames, {ours} ours, {depth} deep, {len(modules)} "
        f"modules of ours ({len(harness)} of cornet_nn)"
    )


if __name__ == "__main__":
    main()
