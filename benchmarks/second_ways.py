"""What second ways to compute the same thing save.

- Products and quotients of triangles of more than `_triangles._WHOLE_UP_TO` rows, by
  blocks, for numpy arrays: LECM.
- Cotangents that are not differentiated themselves, in the basis of eigenvectors
  (`plain_cotangent`): OLM.
- One inverse of a triangle for both sides of a product
  (`_triangles._inverse_for_both_sides`), for numpy arrays: ECM, LECM.
- Inverses of many small triangles row by row, not matrix by matrix, for numpy arrays:
  ECM, LECM.
- The smallest pivot of a batch before that of each matrix: ECM.
- The finite series of exponentials of small triangles: LECM.

Each line is the time of a whole operation without the second way / with it, in turn.

    python -m benchmarks.second_ways
"""

import statistics

import torch

from geomstats_cor import FullRankCorrelationMatrices
from geomstats_cor.kernels import (
    _array,
    _dual_numbers,
    _triangles,
    cholesky,
    off_log_maps,
)

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
    print(f"{title:48} {ratio:.2f} ({1e3 * statistics.median(times['on']):.1f} ms)")


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


def one_inverse():
    kept = _triangles._inverse_for_both_sides

    def switch(is_on):
        _triangles._inverse_for_both_sides = kept if is_on else lambda strict: None

    for key, n, batch in (
        ("ecm", 5, 1000),
        ("ecm", 28, 30),
        ("ecm", 28, 1000),
        ("ecm", 100, 30),
        ("lecm", 28, 30),
    ):
        compare_metric("one inverse", switch, key, "exp", n, batch)


def inverses_by_rows():
    most = _array._SMALL

    def switch(is_on):
        _array._SMALL = most if is_on else 0

    for key, n, batch in (
        ("ecm", 5, 30),
        ("ecm", 5, 1000),
        ("ecm", 16, 100),
        ("lecm", 5, 1000),
    ):
        compare_metric("inverses by rows", switch, key, "exp", n, batch)


def smallest_pivot():
    kept = cholesky.is_readable

    def switch(is_on):
        cholesky.is_readable = kept if is_on else lambda factor: False

    for n, batch in ((5, 30), (5, 1000), (28, 1000)):
        compare_metric("smallest pivot", switch, "ecm", "dist", n, batch)


def finite_series():
    most = _dual_numbers._FINITE_UP_TO

    def switch(is_on):
        _dual_numbers._FINITE_UP_TO = most if is_on else 0

    for n, batch in ((5, 30), (5, 1000), (8, 1000)):
        compare_metric("finite series", switch, "lecm", "log", n, batch)


def compare_metric(title, switch, key, name, n, batch):
    """Compare an operation of a metric, on random arguments."""
    space = FullRankCorrelationMatrices(n, equip=key)
    a, b = (space.random_point(batch, rng=seed) for seed in (0, 1))
    first = space.metric.log(b, a) if name == "exp" else b
    operation = getattr(space.metric, name)
    title = f"{title}, {key} {name}, n = {n}, batch {batch}"
    compare(title, switch, lambda: operation(first, a))


if __name__ == "__main__":
    blocks()
    plain_cotangents()
    one_inverse()
    inverses_by_rows()
    smallest_pivot()
    finite_series()
