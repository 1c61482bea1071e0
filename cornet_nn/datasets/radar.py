"""Radar signals: covariance matrices of windows, and a simulation.

References
----------
.. [B2019] D. Brooks, O. Schwander, F. Barbaresco, J.-Y. Schneider and M. Cord.
   Riemannian batch normalization for SPD neural networks. NeurIPS 2019.
.. [C2026] Z. Chen, X. Wu, B. Schölkopf and N. Sebe. Riemannian networks over full-rank
   correlation matrices. ICML 2026. Appendix "Input data".
"""

import functools
import re

import numpy as np

from geomstats_cor.exceptions import DataError, ParameterError
from geomstats_cor.kernels._quotients import divide

from .autoregressive import simulate
from .dataset import Dataset, LeftOut
from .labels import indexed
from .matrices import covariances_from, usable_signal
from .subspaces import segment_subspaces
from .texts import matched

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


def signal_input(
    signal, representation, window, hop, shrinkage, ridge, segments=8, dimension=4
):
    """Return a complex signal as input of a network.

    Parameters
    ----------
    signal : array, shape=[..., T]
        Complex signal.
    representation : str
        "signal" for the real and the imaginary part as two channels, "covariance", or
        "subspace".
    window : int
        Length of the windows.
    hop : int
        Steps from one window to the next.
    shrinkage : float
        Shrinkage of the covariance.
    ridge : float
        Ridge of the covariance.
    segments, dimension : int
        See `window_subspaces`.

    Returns
    -------
    value : array, shape=[..., 2, T], [..., window, window] or [..., segments, window, \
            dimension]
        Input.
    """
    if representation not in ("signal", "covariance", "subspace"):
        raise ParameterError(
            f"representation is 'signal', 'covariance' or 'subspace', not "
            f"{representation!r}"
        )
    if representation != "covariance" and (shrinkage or ridge):
        raise ParameterError("shrinkage and ridge are for covariance matrices")
    if representation == "signal":
        return np.stack([signal.real, signal.imag], axis=-2)
    if representation == "subspace":
        return window_subspaces(signal, window, hop, segments, dimension)
    return covariances_from(window_covariance(signal, window, hop), shrinkage, ridge)


def load_radar(
    directory,
    conversion,
    *,
    representation="signal",
    length=None,
    window=20,
    hop=10,
    shrinkage=0.0,
    ridge=0.0,
    segments=8,
    dimension=4,
):
    """Load radar signals.

    Parameters
    ----------
    directory : pathlib.Path
        Folder of files `*_{label}.npy`, each a complex signal with one axis.
    conversion : Conversion
        How to convert.
    representation : str
        "signal" for the real and the imaginary part, which the temporal convolution of
        the network makes matrices [7, 20, 20] of; "covariance" for that of the windows;
        "subspace" for orthonormal bases of segments of the windows.
    length : int or None
        Number of samples that are taken from the start of every signal; None takes
        all, and leaves out signals of another length than most.
    window : int
        Length of the windows of the covariance.
    hop : int
        Steps from one window to the next.
    shrinkage : float
        Shrinkage of the covariance.
    ridge : float
        Ridge of the covariance.
    segments, dimension : int
        Number of segments and dimension of the representation "subspace".

    Returns
    -------
    dataset : Dataset
        Signals [2, length], covariance matrices [window, window], or bases
        [segments, window, dimension].
    """
    named, nameless = matched(directory.glob("*.npy"), _FILE)
    files = [file for file, _ in named]
    if not files:
        raise ParameterError(f"{directory} holds no files *_label.npy")
    settings = {
        "representation": representation,
        "length": length,
        "window": window,
        "hop": hop,
        "shrinkage": shrinkage,
        "ridge": ridge,
        "segments": segments,
        "dimension": dimension,
    }
    converted = conversion.run(
        "radar",
        functools.partial(_read_signal, **settings),
        [(file.name, file) for file in files],
        files,
        settings,
    )
    labels, classes = indexed([match["label"] for _, match in named])
    return Dataset(
        "radar",
        converted.values,
        labels[converted.kept],
        classes,
        representation,
        problems=(*nameless, *converted.problems),
        left_out=LeftOut.among(converted.kept, labels),
    )


def _read_signal(file, length, **settings):
    signal = np.load(file, allow_pickle=False)
    if signal.ndim != 1 or signal.dtype.kind != "c":
        raise DataError(
            f"is {signal.dtype} of shape {signal.shape}: expected a complex signal "
            f"with one axis"
        )
    if length is not None and len(signal) < length:
        raise DataError(f"has {len(signal)} samples: expected at least {length}")
    signal = usable_signal(signal[:length].astype(np.complex128))
    return signal_input(signal, **settings)


def load_radar_synthetic(
    *,
    seed=0,
    signals=3000,
    length=1000,
    spread=0.11,
    representation="signal",
    window=20,
    hop=10,
    shrinkage=0.0,
    ridge=0.0,
    segments=8,
    dimension=4,
):
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
    representation : str
        "signal" for inputs [2, length], "covariance" for [window, window], "subspace"
        for [segments, window, dimension].
    window : int
        Length of the windows of the covariance.
    hop : int
        Steps from one window to the next.
    shrinkage : float
        Shrinkage of the covariance.
    ridge : float
        Ridge of the covariance.
    segments, dimension : int
        Number of segments and dimension of the representation "subspace".

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
    rng = np.random.default_rng(seed)
    centers = np.array(list(CLASSES.values()))
    labels = rng.permutation(np.arange(signals) % len(CLASSES))
    reflections = moved(centers[labels], spread, rng)
    variances = np.exp(rng.standard_normal(signals))
    made = simulate(reflections, length, rng, variances)
    return Dataset(
        "radar-synthetic",
        signal_input(
            made, representation, window, hop, shrinkage, ridge, segments, dimension
        ),
        labels,
        tuple(CLASSES),
        representation,
        synthetic=True,
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
