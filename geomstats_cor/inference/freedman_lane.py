r"""Permutation tests of a term given the others, by the method of Freedman and Lane.

The residuals :math:`E` of the model without the term are permuted, and the model is
fitted anew. With orthonormal bases :math:`Z` of the other columns and :math:`X` of the
term's, orthogonal to them, all statistics are functions of :math:`Z^\top P E` and
:math:`X^\top P E`, so that products of matrices serve many permutations at once, and
rows can come in blocks.

References
----------
.. [FL1983] D. Freedman and D. Lane. A nonstochastic interpretation of reported
   significance levels. J. Bus. Econ. Stat. 1, 1983.
.. [W2014] A. M. Winkler, G. R. Ridgway, M. A. Webster, S. M. Smith and T. E. Nichols.
   Permutation inference for the general linear model. NeuroImage 92, 2014.
"""

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._types import Array
from ..exceptions import ParameterError
from ..kernels._batching import members_in_memory
from ..kernels._quotients import divide
from .exchangeability import within_blocks


@dataclass(frozen=True)
class Fit:
    """Least squares of vectors.

    Parameters
    ----------
    basis : numpy.ndarray, shape=[N, r]
        Orthonormal columns that span the design.
    products : numpy.ndarray, shape=[r, d]
        Their products with the vectors.
    squares : numpy.ndarray, shape=[d]
        Sums of squares of the residuals.
    """

    basis: np.ndarray
    products: np.ndarray
    squares: np.ndarray

    @classmethod
    def of(cls, responses: Any, kind: Any, basis: Any) -> Any:
        """Return the fit of responses of some kind, in one pass over them."""
        triangle, products, squares = responses.reduce(
            _least_squares, _merge_least_squares, kind, basis
        )
        return cls(basis, triangle.T @ products, squares)


class FreedmanLane:
    """A term of a linear model, and the permutations that test it.

    Parameters
    ----------
    matrix : numpy.ndarray, shape=[N, 1 + p]
        Design, the intercept first.
    places : numpy.ndarray of int, shape=[q]
        Columns of the term.
    exchange : FreeExchange or BlockExchange
        Permutations.
    blocks : numpy.ndarray of int, shape=[N], or None
        Blocks; exchanged within, their averages are part of the model.
    name : str
        Name of the term, for messages.

    Attributes
    ----------
    hypothesis_dof, error_dof : int
        Degrees of freedom.
    """

    def __init__(
        self,
        matrix: Array,
        places: Array,
        exchange: Any,
        blocks: Array = None,
        name: str = "term",
    ) -> None:
        self.exchange = exchange
        others, tested = np.delete(matrix, places, axis=1), matrix[:, places]
        scale = np.linalg.norm(matrix, axis=0)
        indicators = np.zeros((len(matrix), 0))
        if exchange.kind == "within":
            sizes = np.bincount(blocks)
            indicators = (blocks[:, None] == np.arange(len(sizes))) / np.sqrt(sizes)
            others, tested = (
                within_blocks(others, blocks),
                within_blocks(tested, blocks),
            )
        self.others = _basis(others, np.delete(scale, places))
        tested = tested - self.others @ (self.others.T @ tested)
        self.tested = _basis(tested, scale[places])
        if self.tested.shape[1] < len(places):
            raise ParameterError(
                f"the term {name!r} does not vary within blocks beyond what the other "
                f"covariates say, so that exchanging rows within blocks cannot test "
                f'it: use exchange="whole", or drop blocks.'
            )
        if len(places) == 1:  # the sign of the statistic is that of the effect
            self.tested = tested / np.linalg.norm(tested)
        self.nuisance = np.hstack([indicators, self.others])
        self.hypothesis_dof = len(places)
        self.error_dof = len(matrix) - self.nuisance.shape[1] - len(places)
        if self.error_dof < 1:
            raise ParameterError(
                f"no degrees of freedom are left to test {name!r}: {len(matrix)} "
                f"matrices, {self.nuisance.shape[1] + len(places)} columns. Use fewer "
                f"covariates or larger blocks."
            )

    @property
    def basis(self) -> Any:
        """Orthonormal columns [N, r] that permutations of residuals can meet."""
        return np.hstack([self.others, self.tested])

    def prepare(self, responses: Any, kind: str, full: Any) -> tuple:
        """Return the fit [m, d] of the model without the term, and squares [d].

        Parameters
        ----------
        responses : LocalResponses or DaskResponses
            Vectors.
        kind : {"coords", "edges", "products"}
            Which vectors.
        full : Fit
            Fit of the full model, which spans that without the term unless averages of
            blocks belong to it.

        Returns
        -------
        fit : numpy.ndarray, shape=[m, d]
            Products of the basis of the model without the term with the vectors.
        squares : numpy.ndarray, shape=[d]
            Sums of squares of its residuals.
        """
        if self.exchange.kind != "within":
            added = (self.tested.T @ full.basis) @ full.products
            squares = full.squares + np.sum(added**2, axis=0)
            return (self.nuisance.T @ full.basis) @ full.products, squares
        reduced = Fit.of(responses, kind, self.nuisance)
        return reduced.products, reduced.squares

    def statistics(
        self,
        responses: Any,
        kind: str,
        permutations: Array,
        prepared: tuple,
        each: bool,
    ) -> Array:
        """Return the shares of permuted residuals that the term explains.

        Shares order permutations as F does, and suffer less from rounding where a term
        explains nearly everything.

        Parameters
        ----------
        responses : LocalResponses or DaskResponses
            Vectors.
        kind : {"coords", "edges", "products"}
            Which vectors.
        permutations : numpy.ndarray of int, shape=[b, N]
            Permutations.
        prepared : tuple
            What `prepare` returned.
        each : bool
            Whether each column has its own statistic, rather than all one.

        Returns
        -------
        shares : numpy.ndarray, shape=[b, d] or [b]
            Shares; with the sign of the effect if a column has its own and q = 1.
        """
        fit, squares = prepared
        function = functools.partial(_permuted_products, fit, self.basis)
        rows = np.ascontiguousarray(permutations.T)
        products = responses.reduce(function, np.add, kind, self.nuisance, rows)
        p = self.others.shape[1]
        other = np.sum(products[:, :p] ** 2, axis=1)
        explained = np.sum(products[:, p:] ** 2, axis=1)
        if not each:
            other, explained = np.sum(other, axis=-1), np.sum(explained, axis=-1)
            squares = np.sum(squares)
        total = np.maximum(squares - other, explained)
        # No variation at all is no evidence.
        shares = divide(explained, total)
        if each and self.hypothesis_dof == 1:
            return np.copysign(shares, products[:, -1])
        return shares

    def reported(self, shares: Any, each: bool = True) -> Any:
        """Return the F of shares; the signed t if each column has its own, q = 1."""
        sizes = np.abs(shares)
        with np.errstate(divide="ignore"):
            odds = sizes / (1.0 - sizes)
        ratio = odds * (self.error_dof / self.hypothesis_dof)
        if each and self.hypothesis_dof == 1:
            return np.copysign(np.sqrt(ratio), shares)
        return ratio

    def batch_size(self, width: Any) -> Any:
        """Return how many permutations to take at once for vectors of some width."""
        return members_in_memory(self.basis.shape[1] * width)


def permuted_statistics(
    test: Any,
    responses: Any,
    kind: str,
    full: Any,
    permutations: Array,
    each: bool,
    advance: Callable,
) -> Iterator:
    """Yield shares of permuted data, a batch of permutations at a time.

    Parameters
    ----------
    test : FreedmanLane
        Term.
    responses : LocalResponses or DaskResponses
        Vectors.
    kind : {"coords", "edges", "products"}
        Which vectors.
    full : Fit
        Fit of the full model.
    permutations : numpy.ndarray of int, shape=[B, N]
        Permutations; the identity comes first, and is not among them.
    each : bool
        Whether each column has its own statistic.
    advance : callable
        Is told the number of permutations that are done.

    Yields
    ------
    shares : numpy.ndarray, shape=[b, d] or [b]
        First that of the data as they are, b = 1, then those of the permutations.
    """
    prepared = test.prepare(responses, kind, full)
    statistics = functools.partial(
        test.statistics, responses, kind, prepared=prepared, each=each
    )
    step = test.batch_size(len(prepared[1]))
    identity = np.arange(len(test.basis), dtype=np.int32)[None]
    # Together with the first batch: a pass over blocks of dask costs most.
    first = statistics(np.concatenate([identity, permutations[:step]]))
    yield first[:1]
    yield first[1:]
    advance(len(first) - 1)
    for start in range(step, len(permutations), step):
        batch = permutations[start : start + step]
        yield statistics(batch)
        advance(len(batch))


def _basis(columns, scale):
    """Return an orthonormal basis of columns that are large against a scale [p]."""
    if columns.shape[1] == 0:
        return np.zeros((len(columns), 0))
    left, sizes, _ = np.linalg.svd(columns / scale, full_matrices=False)
    return left[:, sizes > 1e-10]


def _least_squares(vectors, basis):
    """Return R and Q'V of a basis QR and vectors V, and the squares that Q leaves."""
    orthonormal, triangle = np.linalg.qr(basis)
    products = orthonormal.T @ vectors
    left = np.sum((vectors - orthonormal @ products) ** 2, axis=0)
    return triangle, products, left


def _merge_least_squares(a, b):
    """Return the same of the rows of both: R and Q'V are all that is left to rotate."""
    triangles, products = (np.concatenate([a[i], b[i]]) for i in (0, 1))
    triangle, rotated, left = _least_squares(products, triangles)
    return triangle, rotated, a[2] + b[2] + left


def _permuted_products(fit, columns, vectors, basis, permutations):
    """Return the products [b, r, d] of permuted columns with residuals."""
    residuals = vectors - basis @ fit
    # [k, b, r]: as the permutations are a group, those of the columns will do.
    moved = columns[permutations]
    k, b, r = moved.shape
    return (moved.reshape(k, b * r).T @ residuals).reshape(b, r, -1)
