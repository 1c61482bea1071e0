"""Radar signals: covariance matrices of windows, and a simulation.

References
----------
.. [B2019] D. Brooks, O. Schwander, F. Barbaresco, J.-Y. Schneider and M. Cord.
   Riemannian batch normalization for SPD neural networks. NeurIPS 2019.
.. [C2026] Z. Chen, X. Wu, B. Schölkopf and N. Sebe. Riemannian networks over full-rank
   correlation matrices. ICML 2026. Appendix "Input data".
.. [K1988] S. M. Kay. Modern spectral estimation. Prentice Hall, 1988.
"""

import dataclasses
import re
from pathlib import Path
from typing import Any

import numpy as np

from geomstats_cor.exceptions import DataError, ParameterError
from geomstats_cor.kernels._quotients import divide
from geomstats_cor.validation import require_choice

from .conversion import Conversion, matched
from .dataset import Dataset
from .matrices import covariances_from, segment_subspaces, usable_signal

_FILE = re.compile(r".*_(?P<label>[^_]+)")
# Reflection coefficients about which those of the signals of each class lie.
CLASSES = {
    "fixed wing": (-0.55 + 0.30j, 0.25 + 0.10j, -0.15 + 0.10j, 0.10),
    "rotor": (-0.35 + 0.45j, 0.35 - 0.10j, -0.05 + 0.25j, 0.20),
    "drone": (-0.65 + 0.10j, 0.40 + 0.20j, -0.25 - 0.05j, 0.05),
}


def window_covariance(signal, window=20, hop=10):
    r"""Return the covariance matrix of the windows of a complex signal.

    The windows are the columns of a matrix :math:`W`; each row is centred, and

    .. math:: G = \operatorname{Re} \frac{W W^H}{T' - 1}

    for :math:`T'` windows. The matrix before the real part is Hermitian and close to
    Toeplitz; its real part is positive definite whenever it is.

    Parameters
    ----------
    signal : array, shape=[..., T]
        Complex or real signal.
    window : int
        Length of the windows: the size of the matrix.
    hop : int
        Steps from one window to the next.

    Returns
    -------
    covariance : array, shape=[..., window, window]
        Real covariance matrix.

    Examples
    --------
    >>> import numpy as np
    >>> window_covariance(np.exp(0.3j * np.arange(400)), window=20, hop=10).shape
    (20, 20)
    """
    windows = _windows(signal, window, hop).swapaxes(-1, -2)
    centered = windows - windows.mean(axis=-1, keepdims=True)
    products = centered @ centered.conj().swapaxes(-1, -2)
    return products.real / (windows.shape[-1] - 1)


def _windows(signal, window, hop):
    """Return the windows [..., number, window] of signals."""
    if window < 2 or hop < 1:
        raise ParameterError(
            f"window is {window} and hop {hop}: expected at least 2 and 1"
        )
    length = signal.shape[-1]
    if length < window + hop:
        raise DataError(
            f"has {length} samples: expected at least {window + hop}, two windows of "
            f"{window} with hop {hop}"
        )
    windows = np.lib.stride_tricks.sliding_window_view(signal, window, axis=-1)
    return windows[..., ::hop, :]


def window_subspaces(signal, window=20, hop=10, segments=8, dimension=4):
    """Return the subspaces that segments of the windows of complex signals span.

    The real and the imaginary parts of the windows of a segment are its columns.

    Parameters
    ----------
    signal : array, shape=[..., T]
        Complex signals.
    window, hop : int
        See `window_covariance`.
    segments, dimension : int
        Number of segments, and dimension of the subspaces; see `segment_subspaces`.

    Returns
    -------
    bases : array, shape=[..., segments, window, dimension]
        Orthonormal bases.

    Examples
    --------
    >>> import numpy as np
    >>> noise = np.random.default_rng(0).standard_normal((2, 400))
    >>> window_subspaces(noise[0] + 1j * noise[1]).shape
    (8, 20, 4)
    """
    if signal.ndim > 1:
        chosen = window, hop, segments, dimension
        return np.stack([window_subspaces(part, *chosen) for part in signal])
    windows = _windows(signal, window, hop)
    # Segments are of windows, so the parts of a window stay together.
    columns = np.stack([windows.real, windows.imag], axis=1).reshape(-1, window)
    return segment_subspaces(columns, segments, dimension)


@dataclasses.dataclass(frozen=True)
class SignalInput:
    """Input of a network from a complex signal.

    Parameters
    ----------
    representation : str
        "signal" for the real and the imaginary part as two channels [2, T], which the
        temporal convolution of the network makes matrices [7, 20, 20] of; "covariance"
        for that of the windows, [window, window]; "subspace" for orthonormal bases
        [segments, window, dimension] of segments of the windows.
    window : int
        Length of the windows.
    hop : int
        Steps from one window to the next.
    shrinkage, ridge : float
        Shrinkage and ridge of the covariance.
    segments, dimension : int
        Number of segments and dimension of the subspaces.
    """

    representation: str = "signal"
    window: int = 20
    hop: int = 10
    shrinkage: float = 0.0
    ridge: float = 0.0
    segments: int = 8
    dimension: int = 4

    def __post_init__(self):
        forms = ("signal", "covariance", "subspace")
        require_choice("representation", self.representation, forms)
        if self.representation != "covariance" and (self.shrinkage or self.ridge):
            raise ParameterError("shrinkage and ridge are for covariance matrices")

    def __call__(self, signal):
        """Return the input of complex signals [..., T]."""
        if self.representation == "signal":
            return np.stack([signal.real, signal.imag], axis=-2)
        windows = self.window, self.hop
        if self.representation == "subspace":
            return window_subspaces(signal, *windows, self.segments, self.dimension)
        covariances = window_covariance(signal, *windows)
        return covariances_from(covariances, self.shrinkage, self.ridge)


def load_radar(
    directory: Path, conversion: Conversion, *, length: int | None = None, **steps: Any
) -> Dataset:
    """Load radar signals.

    Parameters
    ----------
    directory : pathlib.Path
        Folder of files `*_{label}.npy`, each a complex signal with one axis.
    conversion : Conversion
        How to convert.
    length : int or None
        Number of samples that are taken from the start of every signal; None takes
        all, and leaves out signals of another length than most.
    **steps
        Parameters of `SignalInput`.

    Returns
    -------
    dataset : Dataset
        Signals [2, length], covariance matrices [window, window], or bases
        [segments, window, dimension].
    """
    named, nameless = matched(directory.glob("*.npy"), _FILE)
    if not named:
        raise ParameterError(f"{directory} holds no files *_label.npy")
    convert = SignalInput(**steps)
    items = [(file.name, file) for file in named]
    settings = {"length": length, "convert": convert}
    labels = [match["label"] for match in named.values()]
    converted = conversion.run("radar", _read_signal, items, settings)
    return converted.dataset("radar", convert.representation, labels, nameless=nameless)


def _read_signal(file, length, convert):
    signal = np.load(file, allow_pickle=False)
    if signal.ndim != 1 or signal.dtype.kind != "c":
        raise DataError(
            f"is {signal.dtype} of shape {signal.shape}: expected a complex signal "
            f"with one axis"
        )
    if length is not None and len(signal) < length:
        raise DataError(f"has {len(signal)} samples: expected at least {length}")
    return convert(usable_signal(signal[:length].astype(np.complex128)))


def load_radar_synthetic(
    *,
    seed: int = 0,
    signals: int = 3000,
    length: int = 1000,
    spread: float = 0.11,
    **steps: Any,
) -> Dataset:
    r"""Simulate radar-like signals.

    The signals of a class are circular Gaussian autoregressive processes of order
    four, whose reflection coefficients lie about those of the class: the coefficient
    is moved by a normal variable :math:`z` of deviation `spread`, by the addition of
    the Poincaré disk :math:`(k + w) / (1 + \bar k w)` with :math:`w = z \tanh |z| /
    |z|`, and so stays in it. Every signal has a variance of its own, log-normal and the
    same for all classes: the scale says nothing about the class.

    Parameters
    ----------
    seed : int
        Seed: the same seed gives the same data.
    signals : int
        Number of signals, of which each class has a third.
    length : int
        Number of samples.
    spread : float
        Deviation of the reflection coefficients within a class: the larger, the more
        the classes overlap.
    **steps
        Parameters of `SignalInput`.

    Returns
    -------
    dataset : Dataset
        Data set that is marked as synthetic.

    Examples
    --------
    >>> load_radar_synthetic(signals=6, length=100)
    Dataset (synthetic) radar-synthetic: 6 signal [2, 100], 3 classes
    """
    if signals < len(CLASSES) or length < 2 or not spread >= 0.0:
        raise ParameterError(
            f"signals is {signals}, length {length} and spread {spread}: expected at "
            f"least {len(CLASSES)}, 2 and 0"
        )
    convert, rng = SignalInput(**steps), np.random.default_rng(seed)
    centers = np.array(list(CLASSES.values()))
    labels = rng.permutation(np.arange(signals) % len(CLASSES))
    reflections = moved(centers[labels], spread, rng)
    variances = np.exp(rng.standard_normal(signals))
    inputs = convert(simulate(reflections, length, rng, variances))
    kind = convert.representation
    return Dataset(
        "radar-synthetic", inputs, labels, tuple(CLASSES), kind, synthetic=True
    )


def moved(reflections, spread, rng):
    """Move points of the unit disk at random, by hyperbolic distances.

    Parameters
    ----------
    reflections : array, shape=[..., p]
        Points.
    spread : float
        Deviation of the real and the imaginary part of the steps.
    rng : numpy.random.Generator
        Random numbers.

    Returns
    -------
    moved : array, shape=[..., p]
        Points of the open unit disk.
    """
    real, imaginary = spread * rng.standard_normal((2, *reflections.shape))
    step = real + 1j * imaginary
    length = np.abs(step)
    step = step * divide(np.tanh(length), length)
    return (reflections + step) / (1.0 + reflections.conj() * step)


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
