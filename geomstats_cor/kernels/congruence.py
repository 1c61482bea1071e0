r"""Products with logarithms of congruent matrices: scores under the affine metric.

.. math:: s(S; R, V) = \operatorname{tr} \left( V \log(R S R) \right)

with symmetric :math:`R = P^{-1/2}` is the product at :math:`P` of the affine-invariant
logarithm of :math:`S` with the vector :math:`V`, carried there from the identity. There
is one spectrum for every point and every pair :math:`(R, V)`; roots are shared by all
points. Spectra are found for a few pairs at a time, and of what is computed only the
spectra are kept for derivatives.
"""

import math
from typing import Any

from .._types import Array
from ._array import eigh, namespace, symmetrize
from ._autodiff import StatedGradient, detached, is_readable
from ._batching import members_in_cache
from ._tolerances import rank_tolerance
from .divided_differences import (
    log_divided_differences,
)
from .symmetric import (
    log_at,
    log_differential_at,
    out_of_basis,
    positive_spectrum,
)


def congruence_log_products(point: Array, root: Array, vector: Array) -> Array:
    r"""Return :math:`\operatorname{tr}(V_k \log(R_k S R_k))` for all k.

    Parameters
    ----------
    point : array, shape=[N, channels, n, n]
        Symmetric positive definite matrices :math:`S`.
    root : array, shape=[out, channels, n, n]
        Symmetric positive definite matrices :math:`R_k`.
    vector : array, shape=[out, channels, n, n]
        Symmetric matrices :math:`V_k`.

    Returns
    -------
    products : array, shape=[N, out, channels]
        Products; NaN where a point is not positive definite.

    Examples
    --------
    >>> import numpy as np
    >>> from geomstats_cor.kernels.congruence import congruence_log_products
    >>> point, identity = np.diag([2.0, 8.0])[None, None], np.eye(2)[None, None]
    >>> products = congruence_log_products(point, identity, identity)
    >>> bool(np.allclose(products, np.log(16.0)))
    True
    """
    xp = namespace(point)
    # Points are the inner axis: what all points share is applied by one product.
    point = xp.moveaxis(point, 0, -3)
    root, vector = root[..., None, :, :], vector[..., None, :, :]
    spectra = _spectra(detached(point), detached(root))
    return xp.moveaxis(_products_at(point, root, vector, *spectra), -1, 0)


# Below, points have the shape [channels, N, n, n], roots and vectors [out, channels, 1,
# n, n], and what belongs to a pair and a point [out, channels, N, ...].


def _tall(stack):
    """Return matrices [..., N, k, n] below each other, [..., N k, n]."""
    *batch, count, rows, n = stack.shape
    return stack.reshape(*batch, count * rows, n)


def _right(stack, shared):
    """Return [..., N, k, n] times [..., 1, n, n], one product for all N."""
    product = _tall(stack) @ shared[..., 0, :, :]
    return product.reshape(*product.shape[:-2], *stack.shape[-3:])


def _congruent(point, root):
    """Return R S R, with two products for all points."""
    *batch, count, n, _ = point.shape
    rows = point.swapaxes(-3, -2).reshape(*batch, n, count * n)
    half = root[..., 0, :, :] @ rows
    half = half.reshape(*half.shape[:-1], count, n)
    return _right(half, root).swapaxes(-3, -2)


def _spectra(point, root):
    """Return the spectra of the congruent matrices, a few roots at a time."""
    if not is_readable(point) or not is_readable(root):
        return positive_spectrum(_congruent(point, root))
    xp, shape = namespace(point), (*root.shape[:-3], *point.shape[-3:-1])
    options = dict(dtype=point.dtype, device=point.device)
    values = xp.empty(shape, **options)
    # By columns, as they come from LAPACK.
    vectors = xp.empty((*shape, shape[-1]), **options).mT
    for part in _parts(point, root):
        here = eigh(_congruent(point, root[part]))
        values[part], vectors[part] = here[0], here[1]
    if 0 not in values.shape:
        bad = ~(values > rank_tolerance(values) * values[..., -1:])
        if bool(xp.any(bad)):
            values = xp.where(bad, float("nan"), values)
    return values, vectors


def _parts(point, root):
    """Yield slices of the roots whose matrices fit the cache."""
    out, count = root.shape[0], members_in_cache(math.prod(point.shape))
    for start in range(0, out, count):
        yield slice(start, start + count)


def _value(point, root, vector, values, vectors):
    """Return the products from spectra, without a logarithm of matrices."""
    if not is_readable(vectors):
        return (log_at(_congruent(point, root), values, vectors) * vector).sum((-2, -1))
    xp = namespace(values)
    logs = xp.log(values)
    products = xp.empty(values.shape[:-1], dtype=values.dtype, device=values.device)
    for part in _parts(point, root):
        rows = vectors[part].mT
        rayleigh = (_right(rows, vector[part]) * rows).sum(axis=-1)
        products[part] = (logs[part] * rayleigh).sum(axis=-1)
    return products


def _tangent(tangents, point, root, vector, values, vectors):
    moved_point, moved_root, moved_vector, *_ = tangents
    spectra = _congruent(point, root), values, vectors
    total = 0.0
    if moved_vector is not None:
        total = total + (log_at(*spectra) * moved_vector).sum((-2, -1))
    motion = None
    if moved_point is not None:
        motion = _congruent(moved_point, root)
    if moved_root is not None:
        turned = 2.0 * symmetrize(moved_root @ point @ root)
        motion = turned if motion is None else motion + turned
    if motion is not None:
        moved = log_differential_at(motion, *spectra)
        total = total + (moved * vector).sum((-2, -1))
    return total


def _cotangent(cotangent, needed, point, root, vector, values, vectors):
    """Return the cotangents, each for every pair; broadcast axes are summed later."""
    spectra = _congruent(point, root), values, vectors
    weight = cotangent[..., None, None]
    pulled = [None] * 5
    if needed[2]:
        pulled[2] = weight * log_at(*spectra)
    if needed[0] or needed[1]:
        moved = log_differential_at(weight * vector, *spectra)
        if needed[0]:
            pulled[0] = _congruent(moved, root)
        if needed[1]:
            pulled[1] = 2.0 * symmetrize(moved @ root @ point)
    return pulled


def _plain_cotangent(cotangent, needed, point, root, vector, values, vectors):
    """Return the cotangents, summed, a few roots at a time."""
    xp = namespace(values)
    logs = xp.log(values)
    of_point: Any = xp.zeros_like(point) if needed[0] else None
    of_root: Any = xp.zeros_like(root) if needed[1] else None
    of_vector: Any = xp.zeros_like(vector) if needed[2] else None
    for part in _parts(point, root):
        here, weight = vectors[part], cotangent[part]
        rows = here.mT
        if needed[2]:
            scaled = rows * (weight[..., None] * logs[part])[..., None]
            of_vector[part] = _summed(scaled, rows)
        if not (needed[0] or needed[1]):
            continue
        moved = _right(rows, vector[part]) @ here
        moved *= log_divided_differences(values[part])
        moved *= weight[..., None, None]
        # R (U W U') R needs the product with R on one side only for the root.
        moved = _right(out_of_basis(moved, here), root[part])
        if needed[1]:
            of_root[part] = 2.0 * symmetrize(_summed(moved.mT, point))
        if needed[0]:
            of_point += xp.sum(_right(moved.mT, root[part]), axis=0)
    return of_point, of_root, of_vector, None, None


def _summed(left, right):
    """Return the sum over points of A' B, as one product [..., 1, n, n]."""
    return (_tall(left).mT @ _tall(right))[..., None, :, :]


_products_at = StatedGradient(
    _value, _tangent, _cotangent, plain_cotangent=_plain_cotangent
)
