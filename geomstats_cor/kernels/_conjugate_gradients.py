r"""Positive definite systems whose matrix is never formed.

The matrix is a multiple of the identity and a weighted sum of products of vectors,

.. math:: H = s I + F^\top \operatorname{diag}(c) F ,

and conjugate gradients need :math:`H x` alone: two products with :math:`F`.
"""

from collections.abc import Callable

from .._types import Array
from ._array import eps, namespace, row_dot
from ._autodiff import Opaque, StatedGradient, total_differential
from ._quotients import divide


def solve_shifted_gram(
    right: Array, rows: Array, coefficients: Array, shift: Array
) -> Array:
    r"""Solve :math:`(s I + F^\top \operatorname{diag}(c) F) x = b`.

    Parameters
    ----------
    right : array, shape=[..., k]
        Right-hand side :math:`b`.
    rows : array, shape=[..., N, k]
        Matrix :math:`F`.
    coefficients : array, shape=[..., N, 1]
        Coefficients :math:`c`, of any sign.
    shift : array, shape=[..., 1]
        Number :math:`s`. The matrix of the system must be positive definite.

    Returns
    -------
    solution : array, shape=[..., k]
        Solution :math:`x`, to rounding accuracy.
    """
    return _solution(right, rows, coefficients, shift)


def conjugate_gradients(
    right: Array, rows: Array, coefficients: Array, shift: Array, tolerance: float
) -> Array:
    """Solve the system to a tolerance, relative to the right-hand side.

    Parameters
    ----------
    right, rows, coefficients, shift : array
        The system; see `solve_shifted_gram`.
    tolerance : float or array, shape=[..., 1]
        Length of the residual, relative to that of the right-hand side.

    Returns
    -------
    solution : array, shape=[..., k]
        Solution.
    """
    return solve_by_products(
        right,
        lambda vector: _product(vector, rows, coefficients, shift),
        tolerance,
        min(rows.shape[-2], rows.shape[-1]),
    )


def solve_by_products(
    right: Array,
    product: Callable,
    tolerance: float,
    rank: int,
    smallest: float = 0.0,
    dot: Callable = row_dot,
) -> Array:
    """Solve a positive definite system, given products of its matrix with vectors.

    Parameters
    ----------
    right : array, shape=[..., k]
        Right-hand side.
    product : callable
        Takes vectors [..., k], returns their products with the matrix.
    tolerance : float or array, shape=[..., 1]
        Length of the residual, relative to that of the right-hand side.
    rank : int
        Number of different eigenvalues, at most.
    smallest : float or array, shape=[..., 1]
        Curvature below this ends the iteration, after a long step.
    dot : callable
        Takes two vectors, returns their inner product with axes that broadcast.

    Returns
    -------
    solution : array, shape=[..., k]
        Solution.
    """
    xp = namespace(right)
    solution = xp.zeros_like(right)
    residual = direction = right
    square = dot(residual, residual)
    goal = tolerance**2 * square
    active = square > goal
    # In exact arithmetic, one step for each eigenvalue is enough.
    for _ in range(2 * rank + 20):
        if not bool(xp.any(active)):
            break
        image = product(direction)
        energy = dot(direction, image)
        least = smallest * dot(direction, direction)
        bound = xp.where(active, xp.maximum(energy, least), 1.0)
        length = xp.where(active, square / bound, 0.0)
        solution = solution + length * direction
        residual = residual - length * image
        previous, square = square, dot(residual, residual)
        ratio = xp.where(active, divide(square, previous), 0.0)
        direction = residual + ratio * direction
        active = active & (energy > least) & (square > goal)
    return solution


def truncated_solution(right: Array, product: Callable, steps: int) -> Array:
    """Return an approximate solution after a fixed number of steps.

    Parameters
    ----------
    right : array, shape=[..., k]
        Right-hand side.
    product : callable
        Takes vectors [..., k], returns their products with the matrix.
    steps : int
        Number of steps, at least one.

    Returns
    -------
    solution : array, shape=[..., k]
        Minimiser of the energy over a Krylov space: its product with the right-hand
        side is its energy, as for the solution itself.
    """

    def image_and_length(direction, square):
        image = product(direction)
        return image, divide(square, row_dot(direction, image))

    residual = direction = right
    square = row_dot(right, right)
    image, length = image_and_length(direction, square)
    solution = length * direction
    for _ in range(steps - 1):
        residual = residual - length * image
        previous, square = square, row_dot(residual, residual)
        direction = residual + divide(square, previous) * direction
        image, length = image_and_length(direction, square)
        solution = solution + length * direction
    return solution


def _product(vector, rows, coefficients, shift):
    """Return the product of the matrix with a vector."""
    components = coefficients * (rows @ vector[..., None])
    return shift * vector + (rows.mT @ components)[..., 0]


def _solve_exactly(right, rows, coefficients, shift):
    tolerance = 0.5 * eps(right)
    return conjugate_gradients(right, rows, coefficients, shift, tolerance)


_solve = Opaque(
    "shifted_gram",
    _solve_exactly,
    lambda right, rows, coefficients, shift: right,
    axes=(1, 2, 2, 1),
)


def _tangent(tangents, right, rows, coefficients, shift):
    solution = _solution(right, rows, coefficients, shift)
    components = rows @ solution[..., None]

    def turned_rows(turned):
        across = turned @ solution[..., None]
        change = turned.mT @ (coefficients * components)
        return -(change + rows.mT @ (coefficients * across))[..., 0]

    change = total_differential(
        tangents,
        lambda moved: moved,
        turned_rows,
        lambda scaled: -(rows.mT @ (scaled * components))[..., 0],
        lambda shifted: -shifted * solution,
    )
    return _solution(change, rows, coefficients, shift)


def _cotangent(cotangent, needed, right, rows, coefficients, shift):
    solution = _solution(right, rows, coefficients, shift)
    solved = _solution(cotangent, rows, coefficients, shift)
    turned = scaled = None
    if needed[1] or needed[2]:
        components, across = rows @ solution[..., None], rows @ solved[..., None]
        scaled = -components * across
    if needed[1]:
        turned = -coefficients * (
            across * solution[..., None, :] + components * solved[..., None, :]
        )
    return solved, turned, scaled, -row_dot(solved, solution)


_solution = StatedGradient(_solve, _tangent, _cotangent)
