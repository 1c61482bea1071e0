"""Extended signals: copies of the variables, lagged or filtered to a band."""

from typing import Any

import numpy as np

from .._types import Array, ArrayLike
from ..exceptions import NotFiniteError, ParameterError
from ..validation import require_integer, require_number

_ORDER = 4  # of the Butterworth filter, run forwards and backwards


def require_lags(lags: Any) -> tuple:
    """Return lags as a sorted tuple, or raise.

    Parameters
    ----------
    lags : int or sequence of int
        Lags in frames; a number k stands for 0, ..., k.

    Returns
    -------
    lags : tuple of int
        Different lags, not negative.
    """
    if isinstance(lags, int | np.integer) and not isinstance(lags, bool):
        require_integer("lags", lags)
        return tuple(range(lags + 1))
    try:
        lags = tuple(lags)
    except TypeError:
        raise ParameterError(
            f"lags: expected an integer or a sequence of them, got {lags!r}."
        ) from None
    for lag in lags:
        require_integer("lags", lag)
    if not lags or len(set(lags)) < len(lags):
        raise ParameterError(f"lags: expected different lags, got {lags}.")
    return tuple(sorted(int(lag) for lag in lags))


def require_bands(bands: ArrayLike, sampling_rate: float | None) -> dict:
    """Return the names and filters of bands, or raise.

    Parameters
    ----------
    bands : sequence of (float, float) or None
        Ends of each band, in units of the sampling rate's (Hz for frames per second);
        None among them is the signal itself.
    sampling_rate : float
        Frames per unit of time.

    Returns
    -------
    filters : dict
        Second-order sections by name; None for the signal itself.
    """
    if bands is None:
        return {"": None}
    from scipy.signal import butter

    if sampling_rate is None:
        raise ParameterError("bands: expected sampling_rate as well, got None.")
    require_number("sampling_rate", sampling_rate)
    filters: dict = {}
    for band in bands:
        if band is None:
            filters[""] = None
            continue
        try:
            low, high = (float(end) for end in band)
        except (TypeError, ValueError):
            raise ParameterError(
                f"bands: expected pairs of frequencies, got {band!r}."
            ) from None
        if not 0.0 < low < high < 0.5 * sampling_rate:
            raise ParameterError(
                f"bands: expected 0 < low < high < {0.5 * sampling_rate:g}, half the "
                f"sampling rate, got ({low:g}, {high:g})."
            )
        filters[f" {low:g}-{high:g} Hz"] = butter(
            _ORDER, (low, high), "bandpass", fs=sampling_rate, output="sos"
        )
    if not filters:
        raise ParameterError("bands: expected one band at least, got none.")
    return filters


def extended_names(variables: list, filters: dict, lags: tuple) -> list:
    """Return the names of the extended variables.

    Parameters
    ----------
    variables : list
        Names of the variables.
    filters : dict
        What `require_bands` returned.
    lags : tuple of int
        Lags.

    Returns
    -------
    names : list
        Names, such as "Cz 12.5-13.5 Hz" and "Cz lag 2"; those of the variables if
        there is neither a band nor a lag.
    """
    if tuple(filters) == ("",) and lags == (0,):
        return list(variables)
    return [
        f"{variable}{band}{f' lag {lag}' if lag else ''}"
        for lag in lags
        for band in filters
        for variable in variables
    ]


def extend(signal: Array, filters: dict, lags: tuple, label: str) -> Array:
    """Return a signal with its filtered and lagged copies side by side.

    Parameters
    ----------
    signal : numpy.ndarray, shape=[T, n]
        Signal.
    filters : dict
        What `require_bands` returned.
    lags : tuple of int
        Lags.
    label : str
        Name of the recording in messages.

    Returns
    -------
    extended : numpy.ndarray, shape=[T - max(lags), n len(filters) len(lags)]
        Copies, in the order of `extended_names`.
    """
    copies = []
    for band, sections in filters.items():
        if sections is None:
            copies.append(signal)
            continue
        from scipy.signal import sosfiltfilt

        if not np.all(np.isfinite(signal)):
            raise NotFiniteError(
                f"{label} has missing values, which a filter cannot pass: fill them "
                f"in before, or leave bands out."
            )
        try:
            copies.append(sosfiltfilt(sections, signal, axis=0))
        except ValueError:
            raise ParameterError(
                f"{label} has {len(signal)} frames, too few for the filter of the band"
                f"{band}: leave it out, or filter longer recordings before cutting."
            ) from None
    wide = np.concatenate(copies, axis=1) if len(copies) > 1 else copies[0]
    if lags == (0,):
        return wide
    left = len(wide) - lags[-1]
    if left < 4:
        raise ParameterError(
            f"{label} has {len(wide)} frames, which leaves {left} for a lag of "
            f"{lags[-1]}: expected 4 at least."
        )
    return np.concatenate(
        [wide[lags[-1] - lag : len(wide) - lag] for lag in lags], axis=1
    )
