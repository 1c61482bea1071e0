"""Matrices that can be used: validation, stated regularisation, and subspaces.

The paper gives the sizes of the input of Grassmann networks, [8, n, p], and not how it
is made. Here a sequence is cut into near-equal segments, and each gives the leading
left singular vectors of its frames as columns.
"""

import numpy as np

from geomstats_cor.exceptions import DataError, ParameterError

from .conversion import stacked


def regularized(covariances, shrinkage=0.0, ridge=0.0):
    r"""Return regularised covariance matrices.

    .. math:: (1 - s) \Sigma + s \frac{\operatorname{tr} \Sigma}{n} I + r I .

    Parameters
    ----------
    covariances : array, shape=[..., n, n]
        Covariance matrices.
    shrinkage : float
        Amount :math:`s`, from 0 to 1. It does not depend on the scale of the data, and
        leaves a matrix that is zero as it is.
    ridge : float
        Amount :math:`r`, in the squared unit of the data.

    Returns
    -------
    regularized : array, shape=[..., n, n]
        Covariance matrices, positive definite if the ridge is positive, or if the
        shrinkage is and the matrices are not zero.

    Examples
    --------
    >>> import numpy as np
    >>> regularized(np.diag([1.0, 0.0]), shrinkage=0.5).diagonal()
    array([0.75, 0.25])
    """
    if not 0.0 <= shrinkage <= 1.0:
        raise ParameterError(f"shrinkage is from 0 to 1, not {shrinkage}")
    if not ridge >= 0.0:
        raise ParameterError(f"ridge is zero or positive, not {ridge}")
    size = covariances.shape[-1]
    mean = np.trace(covariances, axis1=-2, axis2=-1)[..., None, None] / size
    return (1.0 - shrinkage) * covariances + (shrinkage * mean + ridge) * np.eye(size)


def require_covariances(matrices, remedy="a shrinkage, such as 1e-3, keeps it"):
    """Raise an error that says why matrices are no covariances of full rank.

    Parameters
    ----------
    matrices : array, shape=[..., n, n]
        Matrices of one item of a data set.
    remedy : str
        What helps if they are singular.
    """
    if not np.isfinite(matrices).all():
        raise DataError("has a NaN or an infinity")
    scale = np.abs(matrices).max(axis=(-2, -1), initial=0.0)
    eps = np.finfo(matrices.dtype).eps
    asymmetry = np.abs(matrices - matrices.swapaxes(-1, -2)).max(axis=(-2, -1))
    if (asymmetry > 100 * np.sqrt(eps) * scale).any():
        raise DataError(f"is not symmetric: entries differ by {asymmetry.max():.3g}")
    if (np.diagonal(matrices, axis1=-2, axis2=-1) <= 0.0).any():
        raise DataError("has a variance of zero (a ridge keeps it)")
    smallest = np.linalg.eigvalsh(matrices)[..., 0]
    if (smallest < matrices.shape[-1] * eps * scale).any():
        raise DataError(
            f"is singular: the smallest eigenvalue is {smallest.min():.3g} ({remedy})"
        )


def covariances_from(matrices, shrinkage=0.0, ridge=0.0):
    """Return matrices that were read as regularised covariances of full rank.

    Parameters
    ----------
    matrices : array, shape=[..., n, n]
        Matrices of one item of a data set, symmetric up to rounding.
    shrinkage : float
        Shrinkage.
    ridge : float
        Ridge.

    Returns
    -------
    covariances : array, shape=[..., n, n]
        Covariance matrices, exactly symmetric.
    """
    if matrices.ndim < 2 or matrices.shape[-1] != matrices.shape[-2]:
        raise DataError(f"has shape {matrices.shape}, and is no square matrix")
    covariances = regularized(matrices, shrinkage, ridge)
    require_covariances(covariances)
    return (covariances + covariances.swapaxes(-1, -2)) / 2


def kind_of(stack):
    """Return the kind of a stack, from its shape and diagonal.

    Parameters
    ----------
    stack : array, shape=[N, ...]
        Stack of matrices or signals.

    Returns
    -------
    kind : str
        "signal" if the last two axes differ in length or most items are not symmetric;
        "correlation" if most have unit diagonal, and "covariance" otherwise.

    Examples
    --------
    >>> import numpy as np
    >>> kind_of(np.eye(3)[None]), kind_of(2 * np.eye(3)[None])
    ('correlation', 'covariance')
    >>> kind_of(np.ones((5, 2, 9)))
    'signal'
    """
    if stack.ndim not in (3, 4) or stack.shape[-1] != stack.shape[-2]:
        return "signal"
    # One bad item must not change what the others are.
    axes = tuple(range(1, stack.ndim))
    symmetric = np.isclose(stack, stack.swapaxes(-1, -2), rtol=1e-4).all(axes)
    if symmetric.mean() <= 0.5:
        return "signal"
    diagonal = np.diagonal(stack, axis1=-2, axis2=-1)
    units = np.isclose(diagonal, 1.0, atol=1e-5).all(axes[:-1])
    return "correlation" if units.mean() > 0.5 else "covariance"


def screened(stack, names, kind, shrinkage=0.0, ridge=0.0):
    """Regularise the items of a stack, and leave out those that cannot be used.

    Parameters
    ----------
    stack : array, shape=[N, ...]
        Matrices or signals.
    names : sequence of str
        Name of each item.
    kind : str
        "correlation", "covariance" or "signal".
    shrinkage : float
        Shrinkage of covariance matrices.
    ridge : float
        Ridge of covariance matrices.

    Returns
    -------
    converted : Converted
        Items that can be used, and what is wrong with the others.
    """
    if kind != "covariance" and (shrinkage or ridge):
        raise ParameterError(
            f"shrinkage and ridge are for covariance matrices, and these are {kind} "
            f"data. The network has a shrinkage of its own."
        )
    results = []
    for item in stack:
        try:
            results.append(_usable(item, kind, shrinkage, ridge))
        except DataError as error:
            results.append(str(error))
    return stacked(names, results)


def usable_signal(signal):
    """Return a signal, or raise an error that says why it cannot be used.

    Parameters
    ----------
    signal : array, shape=[..., T]
        Signal.

    Returns
    -------
    signal : array, shape=[..., T]
        The same.
    """
    if not signal.size:
        raise DataError("is empty")
    if not np.isfinite(signal).all():
        raise DataError("has a NaN or an infinity")
    if (signal == signal[..., :1]).all():
        raise DataError("is constant")
    return signal


def _usable(item, kind, shrinkage, ridge):
    if kind == "signal":
        return usable_signal(item)
    if kind == "covariance":
        return covariances_from(item, shrinkage, ridge)
    require_covariances(item, remedy="geomstats_cor.clean_points can repair it")
    diagonal = np.diagonal(item, axis1=-2, axis2=-1)
    if not np.allclose(diagonal, 1.0, atol=1e-5):
        raise DataError("has a diagonal that is not one")
    return (item + item.swapaxes(-1, -2)) / 2


def segment_subspaces(frames, segments=8, dimension=10, center=False):
    """Return an orthonormal basis for each segment of a sequence.

    Parameters
    ----------
    frames : array, shape=[T, n]
        Sequence.
    segments : int
        Number of segments. They have near-equal lengths, and overlap if they would have
        fewer frames than dimensions otherwise.
    dimension : int
        Dimension p of the subspaces, less than n.
    center : bool
        Whether to subtract the mean of each segment first.

    Returns
    -------
    bases : array, shape=[segments, n, dimension]
        Leading left singular vectors, those of the largest singular value first.

    Examples
    --------
    >>> import numpy as np
    >>> walk = np.random.default_rng(0).standard_normal((100, 20))
    >>> segment_subspaces(walk, segments=8, dimension=4).shape
    (8, 20, 4)
    """
    length, n = frames.shape
    if segments < 1 or not 1 <= dimension < n:
        raise ParameterError(
            f"expected segments >= 1 and 1 <= dimension < {n}, the number of "
            f"coordinates of a frame, got {segments} and {dimension}"
        )
    # Centring takes one dimension away.
    needed = dimension + bool(center)
    if length < needed:
        raise DataError(
            f"has {length} frames: at least {needed} are needed for subspaces of "
            f"dimension {dimension}"
        )
    bases = []
    for number, part in enumerate(_windows(length, segments, needed)):
        segment = frames[part]
        if center:
            segment = segment - segment.mean(axis=0)
        left, values, _ = np.linalg.svd(segment.T, full_matrices=False)
        tolerance = max(segment.shape) * np.finfo(values.dtype).eps
        rank = int((values > tolerance * values[0]).sum())
        if rank < dimension:
            raise DataError(
                f"has rank {rank} in segment {number}: expected at least {dimension}, "
                f"the dimension of the subspaces. Use a smaller dimension or fewer "
                f"segments"
            )
        bases.append(left[:, :dimension])
    return np.stack(bases)


def _windows(length, segments, needed):
    """Return near-equal parts; parts of `needed` frames, overlapping, if shorter."""
    ends = np.linspace(0, length, segments + 1).round().astype(int)
    if np.diff(ends).min() >= needed:
        return [slice(a, b) for a, b in zip(ends, ends[1:], strict=False)]
    starts = np.linspace(0, length - needed, segments).round().astype(int)
    return [slice(start, start + needed) for start in starts]
