"""What second ways to compute the same thing save.

- Products and quotients of triangles of more than `_triangles._WHOLE_UP_TO` rows, by
  blocks, for numpy arrays: LECM.
- Cotangents that are not differentiated themselves, in the basis of eigenvectors
  (`plain_cotangent`): OLM.

Each line is the time of a whole operation without the second way / with it, in turn.

    python -m benchmarks.second_ways
"""

import statistics

import torch

from geomstats_cor import FullRankCorrelationMatrices
from geomstats_cor.kernels import _triangles, off_log_maps

from .timing import CPU, interleave

STATED = (
    off_log_maps.off_exp_differential_at,
    off_log_maps.off_log_differential_at,
    off_log_maps.off_log_inverse_differential_at,
)


def compare(title, switch, operation):
    """Print the ratio of times with the switch off and on."""

    def run(is_on):
        switch(is_on)
        operation()

    tasks = {"on": lambda: run(True), "off": lambda: run(False)}
    with CPU.running():
        times = interleave(tasks, CPU, rounds=7, budget=4.0)
    switch(True)
    pairs = zip(times["off"], times["on"], strict=True)
    ratio = statistics.median(a / b for a, b in pairs)
    print(f"{title:40} {ratio:.2f} ({1e3 * statistics.median(times['on']):.1f} ms)")


def blocks():
    whole_up_to = _triangles._WHOLE_UP_TO

    def switch(is_on):
        _triangles._WHOLE_UP_TO = whole_up_to if is_on else 10**9

    for n, batch in ((200, 4), (300, 2), (500, 1)):
        space = FullRankCorrelationMatrices(n, equip="lecm")
        a, b = (space.random_point(batch, rng=seed) for seed in (0, 1))
        log = space.metric.log
        compare(
            f"blocks, lecm log, n = {n}", switch, lambda log=log, a=a, b=b: log(a, b)
        )


def plain_cotangents():
    kept = [function.plain_cotangent for function in STATED]

    def switch(is_on):
        for function, plain in zip(STATED, kept, strict=True):
            function.plain_cotangent = plain if is_on else None

    for n, batch in ((12, 30), (28, 30), (28, 300)):
        space = FullRankCorrelationMatrices(n, equip="olm")
        points = (space.random_point(batch, rng=seed) for seed in (0, 1))
        points = [torch.as_tensor(x).requires_grad_() for x in points]

        def log_and_backward(log=space.metric.log, points=points):
            torch.autograd.grad((log(*points) ** 2).sum(), points)

        title = f"plain cotangents, olm log, n = {n}, batch {batch}"
        compare(title, switch, log_and_backward)


if __name__ == "__main__":
    blocks()
    plain_cotangents()
