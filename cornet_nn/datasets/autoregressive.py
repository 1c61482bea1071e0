"""Complex autoregressive processes by their reflection coefficients.

References
----------
.. [K1988] S. M. Kay. Modern spectral estimation. Prentice Hall, 1988.
"""

import numpy as np

from geomstats_cor.exceptions import ParameterError


def predictors(reflections):
    r"""Return the prediction error filters of all orders, by the Levinson recursion.

    .. math:: a^{(m)} = (a^{(m - 1)}, 0) + k_m (0, \overline{\text{reversed }
              a^{(m - 1)}}) , \quad a^{(0)} = 1 .

    Parameters
    ----------
    reflections : array, shape=[..., p]
        Reflection coefficients :math:`k_1, \dots, k_p`, of modulus less than one: then,
        and only then, the process is stationary.

    Returns
    -------
    filters : list of array, shape=[..., m + 1]
        Filter of each order m from 0 to p; the process of order p satisfies
        :math:`\sum_i a^{(p)}_i x_{t - i} = e_t`.

    Examples
    --------
    >>> predictors([0.5])[1].real
    array([1. , 0.5])
    """
    reflections = np.asarray(reflections, dtype=np.complex128)
    if not reflections.ndim or not (np.abs(reflections) < 1.0).all():
        raise ParameterError(
            f"reflection coefficients are vectors in the unit disk, not {reflections}"
        )
    batch = reflections.shape[:-1]
    filters = [np.ones((*batch, 1), dtype=np.complex128)]
    for order in range(reflections.shape[-1]):
        shorter = np.concatenate([filters[-1], np.zeros((*batch, 1))], axis=-1)
        reversal = reflections[..., order, None] * shorter[..., ::-1].conj()
        filters.append(shorter + reversal)
    return filters


def simulate(reflections, length, rng, variance=1.0):
    r"""Draw circular Gaussian processes, stationary from their first samples.

    Parameters
    ----------
    reflections : array, shape=[..., p]
        Reflection coefficients, in the unit disk.
    length : int
        Number of samples.
    rng : numpy.random.Generator
        Random numbers.
    variance : array, shape=[...]
        Variances :math:`E |x_t|^2`.

    Returns
    -------
    signals : array, shape=[..., length]
        Complex signals.

    Examples
    --------
    >>> import numpy as np
    >>> simulate([0.5, 0.3j], 100, np.random.default_rng(0)).shape
    (100,)
    """
    filters = [np.moveaxis(filter_, -1, 0) for filter_ in predictors(reflections)]
    reflections = np.moveaxis(np.asarray(reflections), -1, 0)
    order, batch = len(reflections), reflections.shape[1:]
    signals = rng.standard_normal((length, *batch, 2)).view(np.complex128)[..., 0]
    # Half of the variance is that of the real part, half that of the imaginary.
    error = np.broadcast_to(np.asarray(variance) / 2.0, batch)
    for time in range(length):
        # The first samples are predicted from fewer: by the filters of lower order.
        known = min(time, order)
        if 0 < time <= order:
            error = error * (1.0 - np.abs(reflections[time - 1]) ** 2)
        signals[time] *= np.sqrt(error)
        past = signals[time - known : time][::-1]
        signals[time] -= (filters[known][1:] * past).sum(axis=0)
    return np.moveaxis(signals, 0, -1)
