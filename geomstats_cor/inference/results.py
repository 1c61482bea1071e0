"""What a test of significance answers."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, repr=False)
class SignificanceTest:
    r"""Outcome of a test.

    The p-value of a test by :math:`B` random permutations :math:`b` is

    .. math:: p = \frac{1 + \#\{b : T_b \ge T\}}{1 + B} ;

    of all permutations, it is the share with :math:`T_b \ge T`.

    Parameters
    ----------
    hypothesis : str
        What was tested.
    name : str
        Name of the statistic.
    calibration : {"permutation", "asymptotic"}
        Where the p-value comes from.
    statistic : float
        Observed value of the statistic; large values speak against the hypothesis.
    p_value : float
        Probability of a statistic at least as large, if the hypothesis holds.
    dof : tuple of float
        Degrees of freedom of the asymptotic distribution; empty if it has none.
    n_permutations : int
        Number of permutations; zero for an asymptotic test.
    exhaustive : bool
        Whether these were all distinct permutations rather than a random draw.
    null_distribution : numpy.ndarray, shape=[n_permutations]
        Statistics of the permuted data; None for an asymptotic test.
    groups : tuple
        Labels of the groups, sorted; empty for a test of one sample.
    means : array, shape=[k, n, n]
        Fréchet mean of each group, or of the sample, k = 1.
    dispersions : numpy.ndarray, shape=[k]
        Fréchet variance of each group: mean squared distance to its mean.

    References
    ----------
    .. [PS2010] B. Phipson and G. K. Smyth. Permutation p-values should never be zero.
       Stat. Appl. Genet. Mol. Biol. 9, 2010.

    Examples
    --------
    >>> from geomstats_cor import FullRankCorrelationMatrices, equal_means_test
    >>> space = FullRankCorrelationMatrices(3, equip="olm")
    >>> points = space.random_point(10, rng=0)
    >>> test = equal_means_test(points, ["a"] * 4 + ["b"] * 6, space)
    >>> test.groups, test.n_permutations, test.exhaustive
    (('a', 'b'), 210, True)
    >>> extreme = test.null_distribution >= test.statistic - 1e-12
    >>> round(float(extreme.mean()), 4) == round(test.p_value, 4)
    True
    """

    hypothesis: str
    name: str
    calibration: str
    statistic: float
    p_value: float
    dof: tuple = ()
    n_permutations: int = 0
    exhaustive: bool = False
    null_distribution: Any = field(default=None, compare=False)
    groups: tuple = ()
    means: Any = field(default=None, compare=False)
    dispersions: Any = field(default=None, compare=False)

    def __repr__(self):
        if self.calibration == "permutation":
            kind = "all" if self.exhaustive else "random"
            source = f"{self.n_permutations} permutations ({kind})"
        else:
            dof = ", ".join(f"{value:.4g}" for value in self.dof)
            source = f"asymptotic, dof ({dof})" if dof else "asymptotic"
        return (
            f"{self.hypothesis}: {self.name} = {self.statistic:.6g}, "
            f"p = {self.p_value:.4g}, {source}"
        )
