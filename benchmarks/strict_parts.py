"""What a kept matrix saves between coordinates of LSM and strict lower entries.

Up to `geometries.flat._CONVERTED_BY_PRODUCT_UP_TO`, `NullRowSumsMetric.strict_part` and
`from_strict_part` multiply by a matrix that is kept. This times a training step of a
CorNet under LSM with the sizes of `CorNetClassifier`, forward and backward, alternately
with it and without.

    python -m benchmarks.strict_parts
"""

import statistics

import torch

from cornet_nn import CorNet
from geomstats_cor import FullRankCorrelationMatrices
from geomstats_cor.geometries import flat

from .timing import CPU, interleave


def step(model, points, labels):
    model.zero_grad()
    torch.nn.functional.cross_entropy(model(points), labels).backward()


def main():
    kept = flat._CONVERTED_BY_PRODUCT_UP_TO
    print("n -> n, batch: time without the kept matrix / with it")
    for n, hidden, batch in ((12, 8, 30), (28, 8, 30), (28, 8, 64)):
        space = FullRankCorrelationMatrices(n, equip=False)
        points = torch.as_tensor(space.random_point(batch, rng=0))
        labels = torch.arange(batch) % 3
        model = CorNet(
            n,
            hidden,
            num_classes=3,
            metric="lsm",
            out_channels=16,
            activation=torch.relu,
            normalize="coordinates",
            dtype=points.dtype,
        )

        def with_limit(limit, arguments=(model, points, labels)):
            flat._CONVERTED_BY_PRODUCT_UP_TO = limit
            step(*arguments)

        tasks = {"with": lambda: with_limit(kept), "without": lambda: with_limit(0)}
        with CPU.running():
            times = interleave(tasks, CPU, rounds=7, budget=4.0)
        pairs = zip(times["without"], times["with"], strict=True)
        ratio = statistics.median(a / b for a, b in pairs)
        milliseconds = 1e3 * statistics.median(times["with"])
        print(f"{n:3} -> {hidden:2}, {batch:3}: {ratio:.2f} ({milliseconds:.1f} ms)")
    flat._CONVERTED_BY_PRODUCT_UP_TO = kept


if __name__ == "__main__":
    main()
