"""The mean and the scatter of vectors, as a state that merges with others.

References
----------
.. [CGL1983] T. F. Chan, G. H. Golub and R. J. LeVeque. Algorithms for computing the
   sample variance. Am. Stat. 37, 1983.
"""

from dataclasses import dataclass
from typing import Any

from .._types import Array
from ..kernels._array import namespace


@dataclass(frozen=True)
class Moments:
    r"""What is to be known of weighted vectors for their mean and their variance.

    Parameters
    ----------
    count : int
        Number of vectors.
    weight : float
        Sum :math:`W` of the weights.
    mean : array, shape=[d]
        Mean :math:`m`; None if the weight is zero.
    scatter : float
        Sum of squares about the mean, :math:`\sum_i w_i |x_i - m|^2`.
    """

    count: int = 0
    weight: float = 0.0
    mean: Any = None
    scatter: float = 0.0

    @classmethod
    def of(cls, vectors: Array, weights: Array = None) -> "Moments":
        """Return the moments of vectors.

        Parameters
        ----------
        vectors : array, shape=[N, d]
            Vectors.
        weights : array, shape=[N]
            Weights; ones if None.

        Returns
        -------
        moments : Moments
            Moments.
        """
        xp, count = namespace(vectors), vectors.shape[0]
        total = float(count if weights is None else xp.sum(weights))
        if total == 0.0:
            return cls(count=count)
        if weights is None:
            mean = xp.sum(vectors, axis=0) / total
            spread = vectors - mean
            weighted = spread
        else:
            mean = (weights @ vectors) / total
            spread = vectors - mean
            weighted = weights[:, None] * spread
        scatter = xp.vecdot(xp.reshape(weighted, (-1,)), xp.reshape(spread, (-1,)))
        return cls(count, total, mean, float(scatter))

    def merge(self, other: "Moments") -> "Moments":
        r"""Return the moments of the vectors of both states.

        .. math:: m = m_a + \frac{W_b}{W} (m_b - m_a), \qquad
                  S = S_a + S_b + \frac{W_a W_b}{W} |m_b - m_a|^2 .

        Parameters
        ----------
        other : Moments
            Moments of other vectors.

        Returns
        -------
        moments : Moments
            Moments of all vectors.
        """
        count, weight = self.count + other.count, self.weight + other.weight
        if self.mean is None or other.mean is None:
            known = other if self.mean is None else self
            return Moments(count, weight, known.mean, known.scatter)
        shift = other.mean - self.mean
        share = other.weight / weight
        between = float(namespace(shift).vecdot(shift, shift))
        scatter = self.scatter + other.scatter + self.weight * share * between
        return Moments(count, weight, self.mean + share * shift, scatter)

    @property
    def variance(self) -> Array:
        """Return the mean of the squared distances to the mean."""
        return self.scatter / self.weight
