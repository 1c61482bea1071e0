"""What second ways to compute the same thing save.

- Products and quotients of triangles of more than `_triangles._WHOLE_UP_TO` rows, by
  blocks, for numpy arrays: LECM.
- Cotangents that are not differentiated themselves, in the basis of eigenvectors
  (`plain_cotangent`): OLM.
- One inverse of a triangle for both sides of a product (`_triangles.whitened`), for
  numpy arrays: ECM.

Each line is the time of a whole operation without the second way / with it, in turn.

    python -m benchmarks.second_ways
"""

import statistics

import torch

from geomstats_cor import FullRankCorrelationMatrices
from geomstats_cor.kernels import _triangles, cholesky, off_log_maps

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


def one_inverse():
    kept = cholesky.whitened

    def by_two_solves(unit_lower, symmetric):
        half = _triangles.solve_unit_lower(unit_lower, symmetric)
        return _triangles.lower_right_quotient_adjoint(unit_lower, half)

    def switch(is_on):
        cholesky.whitened = kept if is_on else by_two_solves

    for n, batch in ((5, 1000), (28, 30), (28, 1000), (100, 30)):
        space = FullRankCorrelationMatrices(n, equip="ecm")
        a, b = (space.random_point(batch, rng=seed) for seed in (0, 1))
        vector = space.metric.log(b, a)
        exp = space.metric.exp
        compare(
            f"one inverse, ecm exp, n = {n}, batch {batch}",
            switch,
            lambda exp=exp, vector=vector, a=a: exp(vector, a),
        )


if __name__ == "__main__":
    blocks()
    plain_cotangents()
    one_inverse()
