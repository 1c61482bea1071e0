"""Time the operations of the five metrics, as ratios to one factorisation.

The floor of ECM, LECM and PHCM is one batched Cholesky factorisation of the same
matrices, that of OLM and LSM one batched eigendecomposition. Every figure is a ratio of
medians of interleaved runs, so that a noisy machine disturbs both sides alike.

    python benchmarks/geometry.py --size 28 --batch 30
    python benchmarks/geometry.py --peer          # geomstats' own classes as well
    python benchmarks/geometry.py --unchecked     # with check=False
"""

import argparse
import statistics
import time
import warnings

import numpy as np
from threadpoolctl import threadpool_limits

from geomstats_cor import METRICS, FullRankCorrelationMatrices, frechet_mean

FLOORS = {"ecm": "chol", "lecm": "chol", "olm": "eigh", "lsm": "eigh", "phcm": "chol"}


def ratios(tasks, floor, repeats):
    """Return the median time of each task, divided by that of the floor."""
    times = {name: [] for name in (*tasks, "floor")}
    for _ in range(repeats + 1):
        for name, task in (*tasks.items(), ("floor", floor)):
            start = time.perf_counter()
            task()
            times[name].append(time.perf_counter() - start)
    medians = {name: statistics.median(values[1:]) for name, values in times.items()}
    return {name: medians[name] / medians["floor"] for name in tasks}


def operations(space, points, others, vectors, mean):
    """Return the operations to time."""
    metric = space.metric
    return {
        "dist": lambda: metric.dist(points, others),
        "exp": lambda: metric.exp(vectors, points),
        "log": lambda: metric.log(others, points),
        "transport": lambda: metric.parallel_transport(
            vectors, points, end_point=others
        ),
        "mean": lambda: mean(points, space),
    }


def geomstats_space(key, size):
    """Return geomstats' own space, with the parameters that mean the same metric."""
    import geomstats.geometry.full_rank_correlation_matrices as peer

    space = peer.FullRankCorrelationMatrices(size, equip=False)
    return space.equip_with_metric(getattr(peer, METRICS[key].__name__))


def geomstats_mean(points, space):
    """Return geomstats' own Fréchet mean."""
    from geomstats.learning.frechet_mean import FrechetMean

    return FrechetMean(space).fit(points).estimate_


def main():
    """Print a table of ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=28)
    parser.add_argument("--batch", type=int, default=30)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--torch", action="store_true", help="torch tensors")
    parser.add_argument("--peer", action="store_true", help="geomstats' classes too")
    parser.add_argument("--unchecked", action="store_true", help="with check=False")
    arguments = parser.parse_args()
    size, batch = arguments.size, arguments.batch

    space = FullRankCorrelationMatrices(size, equip=False)
    points = space.random_point(batch, eta=size, rng=0)
    others = space.random_point(batch, eta=size, rng=1)
    vectors = space.random_tangent_vec(points, rng=2) / (10 * size)
    floors = {
        "chol": lambda: np.linalg.cholesky(points),
        "eigh": lambda: np.linalg.eigh(points),
    }
    if arguments.torch:
        import torch

        torch.set_num_threads(1)
        points, others, vectors = map(torch.as_tensor, (points, others, vectors))
        floors = {
            "chol": lambda: torch.linalg.cholesky(points),
            "eigh": lambda: torch.linalg.eigh(points),
        }
    print(f"n = {size}, batch {batch}, one thread; ratios to the floor")
    header = None
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for key in METRICS:
            space = FullRankCorrelationMatrices(
                size, equip=key, check=not arguments.unchecked
            )
            tasks = operations(space, points, others, vectors, frechet_mean)
            if arguments.peer:
                peer = geomstats_space(key, size)
                tasks |= {
                    f"{name} (geomstats)": task
                    for name, task in operations(
                        peer, points, others, vectors, geomstats_mean
                    ).items()
                    if not (key == "phcm" and name == "transport")  # it has none
                }
            measured = ratios(tasks, floors[FLOORS[key]], arguments.repeats)
            if header is None:
                header = list(tasks)
                print("metric floor " + " ".join(f"{name:>20}" for name in header))
            row = " ".join(
                f"{measured[name]:20.2f}" if name in measured else f"{'none':>20}"
                for name in header
            )
            print(f"{key:6} {FLOORS[key]:5} {row}")


if __name__ == "__main__":
    main()
