"""How many Python frames three calls pass through, and how deep.

The frames are counted by the profiler of the interpreter, for single matrices with
n = 5: `dist` of numpy arrays, `log` of torch tensors that need no gradient, and the
forward pass of a `CorMLR`. Frames of this library are counted, and all frames.

    python -m benchmarks.walks [--metric olm]
"""

import argparse
import sys

import numpy as np
import torch

from cornet_nn import CorMLR
from geomstats_cor import FullRankCorrelationMatrices

OURS = ("geomstats_cor", "cornet_nn")


def walk(function):
    """Return the numbers of all frames and of ours, and the greatest depth."""
    counts = {"all": 0, "ours": 0, "depth": 0, "now": 0}

    def watch(frame, event, argument):
        if event == "call":
            counts["now"] += 1
            counts["all"] += 1
            name = str(frame.f_globals.get("__name__", ""))
            counts["ours"] += name.partition(".")[0] in OURS
            counts["depth"] = max(counts["depth"], counts["now"])
        elif event == "return":
            counts["now"] -= 1

    function()  # caches are filled
    sys.setprofile(watch)
    try:
        function()
    finally:
        sys.setprofile(None)
    return counts["all"] - 1, counts["ours"], counts["depth"] - 1


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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--metrics", nargs="+", default=["ecm", "lecm", "olm", "lsm", "phcm"]
    )
    for key in parser.parse_args().metrics:
        for name, function in walks(key).items():
            total, ours, depth = walk(function)
            print(f"{key:5} {name:15} {total:4} frames, {ours:4} ours, {depth:3} deep")


if __name__ == "__main__":
    main()
