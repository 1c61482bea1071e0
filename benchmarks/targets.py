"""What the kernels and the metrics are to reach, as one table.

Each target names the section it belongs to:

a        logarithm and exponential of unit lower triangular matrices
b        the diagonal D of the off-log metric
c        the scaling D* of the log-scaled metric
d        the row map of the poly-hyperbolic-Cholesky metric
e        logarithm and exponential of symmetric matrices
cornet   the network of the scalability experiment, see `cornet.py`
general  what holds for every metric: numpy input, memory, growth
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Target:
    """An upper bound on a ratio or on a count.

    Parameters
    ----------
    section : str
        Section of the list above.
    name : str
        Cell the target is for; "*" is every one.
    quantity : str
        What is measured.
    unit : str
        What it is measured in.
    limit : float
        Bound.
    sizes : (int, int)
        Smallest and largest matrix size it is meant for.
    dtypes : sequence of str
        Dtypes it is meant for.
    """

    section: str
    name: str
    quantity: str
    unit: str
    limit: float
    sizes: tuple = (1, 1000)
    dtypes: tuple = ("float64", "float32")


_DOUBLE, _SINGLE = ("float64",), ("float32",)
_BOTH = "forward + backward"

TARGETS = (
    Target("a", "log_unit_lower", "forward", "chol", 6.0, (1, 100), _DOUBLE),
    Target("a", "log_unit_lower", "forward", "chol", 8.0, (101, 1000), _DOUBLE),
    Target("a", "log_unit_lower", "forward", "chol", 5.0, (1, 1000), _SINGLE),
    Target("a", "theta + log", _BOTH, "theta", 5.0, (1, 999)),
    Target("a", "theta + log", _BOTH, "theta", 7.0, (1000, 1000)),
    Target("b", "off_exp, spread 2", "forward", "eigh", 8.0),
    Target("b", "off_exp, spread 10", "forward", "eigh", 12.0),
    Target("b", "off_exp, spread 20", "forward", "eigh", 26.0),
    Target("b", "off_exp, spread 2", "backward", "eigh", 3.0),
    Target("b", "off_exp, spread 10", "backward", "eigh", 3.0),
    Target("b", "off_exp, spread 20", "backward", "eigh", 3.0),
    Target("b", "D, spread 2", "count", "eigh", 8),
    Target("b", "D, spread 10", "count", "eigh", 12),
    Target("b", "D, spread 20", "count", "eigh", 26),
    Target("b", "D, spread 2", "residual", "eps max(1, spread)", 4.0),
    Target("b", "D, spread 10", "residual", "eps max(1, spread)", 4.0),
    Target("b", "D, spread 20", "residual", "eps max(1, spread)", 4.0),
    Target("c", "log_scaling", "forward", "eigh", 1.5, (28, 1000)),
    Target("c", "log_scaling", "backward", "chol", 3.0, (50, 1000)),
    Target("c", "log_scaling, cond 1e4", "forward", "eigh", 1.5, (28, 1000)),
    Target("c", "log_scaling, cond 1e4", "backward", "chol", 3.0, (50, 1000)),
    Target("c", "D*, cond 1e1", "count", "chol", 10),
    Target("c", "D*, cond 1e2", "count", "chol", 10),
    Target("c", "D*, cond 1e4", "count", "chol", 10),
    Target("c", "D*, cond 1e8", "count", "chol", 21),
    Target("c", "D*, cond 1e12", "count", "chol", 21),
    Target("d", "PHCM row map", "forward", "chol", 2.0, (28, 100)),
    Target("d", "PHCM row map", "forward", "chol", 1.4, (300, 1000)),
    Target("d", "PHCM row map", _BOTH, "theta", 1.3, (28, 1000)),
    Target("e", "sym_log", "forward", "eigh", 1.25),
    Target("e", "sym_log", _BOTH, "eigh", 2.2),
    Target("e", "sym_exp", "forward", "eigh", 1.25),
    Target("e", "sym_exp", _BOTH, "eigh", 2.2),
    Target("cornet", "CorNet phcm", "forward", "ecm", 2.5, (1, 99)),
    Target("cornet", "CorNet phcm", "forward", "ecm", 1.3, (100, 1000)),
    Target("cornet", "CorNet lecm", "forward", "ecm", 5.0, (1, 999)),
    Target("cornet", "CorNet lecm", "forward", "ecm", 7.0, (1000, 1000), _DOUBLE),
    Target("cornet", "CorNet lecm", "forward", "ecm", 5.0, (1000, 1000), _SINGLE),
    Target("cornet", "CorNet olm", "forward", "ecm", 10.0),
    Target("cornet", "CorNet lsm", "forward", "ecm", 16.0),
    Target("cornet", "CorNet ecm", "forward", "chol + gemm", 1.7, (100, 1000)),
    Target("cornet", "CorNet olm", "forward", "eigh + gemm", 1.25),
    Target("cornet", "CorNet lsm", "forward", "eigh + gemm", 2.2),
    Target("general", "*", "numpy", "torch", 2.0),
    Target("general", "*", "peak memory", "input", 8.0, (300, 1000)),
    Target("general", "*", "growth", "above the floor's", 0.2),
)


def find_target(name, quantity, unit, n, dtype):
    """Return the target of a measurement, or None."""
    for target in TARGETS:
        if (
            target.name in (name, "*")
            and (target.quantity, target.unit) == (quantity, unit)
            and target.sizes[0] <= n <= target.sizes[1]
            and dtype in target.dtypes
        ):
            return target
    return None


def verdict(target, value):
    """Return what is to be said of a measured value."""
    if target is None:
        return ""
    if value <= target.limit:
        return "reached"
    if target.quantity == "growth":
        return f"missed by {value - target.limit:+.2f}"
    return f"missed by {value / target.limit:.2f} x"
