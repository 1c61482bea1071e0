"""Random numbers: generators, and the LKJ distribution."""

from typing import Any

import numpy as np

from .._types import Array
from ..exceptions import ParameterError
from ..kernels._array import constant
from ..validation import as_arrays, require_number


def as_generator(rng: Any = None) -> Any:
    """Return a generator of random numbers.

    Parameters
    ----------
    rng : int or numpy.random.Generator
        Seed or generator. If None, the seed is drawn from geomstats' random state, so
        that `geomstats.backend.random.seed` makes results repeatable.

    Returns
    -------
    generator : numpy.random.Generator
        Generator.
    """
    if rng is None:
        import geomstats.backend as gs

        rng = int(gs.random.randint(0, 2**31 - 1, (1,))[0])
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError):
        raise ParameterError(
            f"rng: expected a seed, an integer that is not negative, or a "
            f"numpy.random.Generator, got {rng!r}."
        ) from None


def as_samples(samples: Array, like: Array = None) -> Array:
    """Return drawn arrays in a given library, one sample without its axis.

    Parameters
    ----------
    samples : numpy.ndarray, shape=[k, ...]
        Samples.
    like : array
        Array whose library, dtype and device to use; geomstats' default if None.

    Returns
    -------
    samples : array, shape=[...]
        Samples, without the first axis if there is one only.
    """
    if len(samples) == 1:
        samples = samples[0]
    if like is not None:
        (like,) = as_arrays(like=like)
        return constant(samples, like)
    import geomstats.backend as gs

    return gs.array(samples)


def lkj_unit_lower(n_samples: int, n: int, eta: float, rng: Any) -> Array:
    r"""Draw :math:`\Theta(C)` for correlation matrices of the LKJ distribution.

    The rows of the Cholesky factor are independent. The first :math:`k` entries of row
    :math:`k + 1` have a uniform direction, and their squared length follows the beta
    distribution with parameters :math:`k / 2` and :math:`\eta + (n - 1 - k) / 2`; drawn
    as a ratio of gamma variables, it is exact close to the boundary too.

    Parameters
    ----------
    n_samples : int
        Number of matrices.
    n : int
        Size of the matrices.
    eta : float
        Shape parameter, positive.
    rng : numpy.random.Generator
        Generator.

    Returns
    -------
    unit_lower : numpy.ndarray, shape=[n_samples, n, n]
        Unit lower triangular matrices.
    """
    require_number("eta", eta)
    rows = np.arange(1, n)
    direction = np.tril(rng.standard_normal((n_samples, n, n)), -1)[:, 1:]
    direction /= np.linalg.norm(direction, axis=-1, keepdims=True)
    inside = rng.gamma(0.5 * rows, size=(n_samples, n - 1))
    outside = rng.gamma(eta + 0.5 * (n - 1 - rows), size=(n_samples, n - 1))
    unit_lower = np.broadcast_to(np.eye(n), (n_samples, n, n)).copy()
    unit_lower[:, 1:] += np.sqrt(inside / outside)[..., None] * direction
    return unit_lower
