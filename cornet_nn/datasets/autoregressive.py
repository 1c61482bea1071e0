"""Complex autoregressive processes by their reflection coefficients.

References
----------
.. [K1988] S. M. Kay. Modern spectral estimation. Prentice Hall, 1988.
"""

import numpy as np
from scipy.signal import lfilter, lfiltic

from geomstats_cor.exceptions import ParameterError


def predictors(reflections):
    r"""Return the prediction error filters of all orders, by the Levinson recursion.

    .. math:: a^{(m)} = (a^{(m - 1)}, 0) + k_m (0, \overline{\text{reversed }
              a^{(m - 1)}}) , \quad a^{(0)} = 1 .

    Parameters
    ----------
    reflections : array, shape=[p]
        Reflection coefficients :math:`k_1, \dots, k_p`, of modulus less than one: then,
        and only then, the process is stationary.

    Returns
    -------
    filters : list of array, shape=[m + 1]
        Filter of each order m from 0 to p; the process of order p satisfies
        :math:`\sum_i a^{(p)}_i x_{t - i} = e_t`.

    Examples
    --------
    >>> predictors([0.5])[1].real
    array([1. , 0.5])
    """
    reflections = np.asarray(reflections, dtype=np.complex128)
    if reflections.ndim != 1 or not (np.abs(reflections) < 1.0).all():
        raise ParameterError(
            f"reflection coefficients are a vector in the unit disk, not {reflections}"
        )
    filters = [np.ones(1, dtype=np.complex128)]
    for reflection in reflections:
        shorter = np.append(filters[-1], 0.0)
        filters.append(shorter + reflection * shorter[::-1].conj())
    return filters


def simulate(reflections, length, rng, variance=1.0):
    r"""Draw a circular Gaussian process, stationary from its first sample.

    Parameters
    ----------
    reflections : array, shape=[p]
        Reflection coefficients, in the unit disk.
    length : int
        Number of samples.
    rng : numpy.random.Generator
        Random numbers.
    variance : float
        Variance :math:`E |x_t|^2`.

    Returns
    -------
    signal : array, shape=[length]
        Complex signal.

    Examples
    --------
    >>> import numpy as np
    >>> simulate([0.5, 0.3j], 100, np.random.default_rng(0)).shape
    (100,)
    """
    filters = predictors(reflections)
    reflections = np.asarray(reflections)
    order = len(reflections)
    # Errors of the best predictor from m past samples.
    errors = variance * np.cumprod(np.append(1.0, 1.0 - np.abs(reflections) ** 2))
    noise = rng.standard_normal((length, 2)) @ np.array([1.0, 1j]) / np.sqrt(2.0)
    deviations = np.sqrt(errors[np.minimum(np.arange(length), order)])
    noise = noise * deviations
    start = np.zeros(min(order, length), dtype=np.complex128)
    for time in range(len(start)):
        past = start[:time][::-1]
        start[time] = noise[time] - filters[time][1:] @ past
    if length <= order:
        return start
    state = lfiltic([1.0], filters[-1], start[::-1])
    return np.append(start, lfilter([1.0], filters[-1], noise[order:], zi=state)[0])
