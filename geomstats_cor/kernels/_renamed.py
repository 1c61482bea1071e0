"""Former kernels, which `geometries.InvariantProduct` replaces, for one release."""

import math

from ..geometries.invariant_product import InvariantProduct
from .packing import triangle_size


def _on(matrix, eigenvalues):
    return InvariantProduct(matrix.shape[-1], *eigenvalues)


def _on_packed(packed, eigenvalues):
    return InvariantProduct(triangle_size(packed, -1), *eigenvalues)


def hollow_eigenvalues(size, alpha, beta, gamma):
    return InvariantProduct.of_hollow(size, alpha, beta, gamma).eigenvalues


def row0_eigenvalues(size, alpha, delta, zeta):
    return InvariantProduct.of_null_row_sums(size, alpha, delta, zeta).eigenvalues


def roots(eigenvalues):
    return tuple(None if value is None else math.sqrt(value) for value in eigenvalues)


def scale_hollow(matrix, factors):
    return _on(matrix, factors).on_hollow(matrix)


def scale_row0(matrix, factors):
    return _on(matrix, factors).on_null_row_sums(matrix)


def scale_packed_hollow(packed, factors):
    return _on_packed(packed, factors).on_packed(packed)


def packed_hollow_norm(packed, eigenvalues):
    return _on_packed(packed, eigenvalues).packed_norm(packed)


def hollow_to_coords(matrix, eigenvalues):
    return _on(matrix, eigenvalues).hollow_to_coords(matrix)


def hollow_from_coords(coords, eigenvalues):
    return _on_packed(coords, eigenvalues).hollow_from_coords(coords)


def row0_to_coords(matrix, eigenvalues):
    return _on(matrix, eigenvalues).null_row_sums_to_coords(matrix)


def row0_from_coords(coords, eigenvalues):
    return _on_packed(coords, eigenvalues).null_row_sums_from_coords(coords)
