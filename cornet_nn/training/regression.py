"""Logistic regression solved to convergence, its penalty chosen by cross-validation."""

import warnings

import numpy as np
import torch
from scipy.optimize import minimize
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold
from torch.nn import functional

from geomstats_cor.exceptions import ParameterError

from .._validation import require_numbers

# Strengths that cross-validation tries, for coordinates of variance one, and the
# strength where it is not possible, for coordinates of dispersion one.
GRID = tuple(10.0**k for k in range(-4, 3))
FALLBACK = 30.0
FOLDS = 5


def solve(planes, coords, labels, class_weights, C, groups=None, sample_weights=None):
    r"""Return the multinomial logistic regression with the least penalised loss.

    .. math:: C \sum_i w_{y_i} \ell_i + \tfrac12 \sum_k |Z_k|^2 ,

    with cross-entropies :math:`\ell` and the lengths of normals in the metric. Under a
    flat metric the problem is convex. Only the span of the samples matters, so that
    the cost depends on the smaller of the number of samples and of coordinates.

    Parameters
    ----------
    planes : Hyperplanes
        Hyperplanes of the metric.
    coords : tensor, shape=[N, channels, d]
        Coordinates of the samples, normalised.
    labels : tensor of int, shape=[N]
        Classes.
    class_weights : tensor, shape=[classes]
        Weight w of each class.
    C : float or "cv"
        Inverse strength of the penalty. With "cv", the one of `GRID` with the highest
        accuracy in cross-validation, and of several the strongest penalty.
    groups : array, shape=[N], or None
        Groups that cross-validation keeps together.
    sample_weights : tensor, shape=[N], or None
        Weight of each sample, by which that of its class is multiplied.

    Returns
    -------
    weight, gamma : tensor
        Parameters of `CorMLR`.
    C : float
        Inverse strength.
    """
    require_strength(C)
    tangent = planes.join_channels(coords.double())
    problem = _Problem(planes, tangent, class_weights, sample_weights)
    labels = labels.to(torch.long)
    if C == "cv":
        C = _choose_strength(problem, labels, groups)
    everything = torch.arange(len(labels))
    (start,) = problem.solve(everything, labels, [C])
    ((covector, bias),) = problem.solve(
        everything, labels, [C], planes.joint_logits, start
    )
    weight, gamma = planes.parameters_of(
        covector @ problem.basis.mT, bias, coords.shape[1]
    )
    return weight, gamma, C


def require_strength(C):
    """Raise unless C is a positive number or "cv"."""
    if isinstance(C, str):
        if C != "cv":
            raise ParameterError(f'C is {C!r}: expected a positive number or "cv".')
        return
    require_numbers(C=C)
    if not 0.0 < C < float("inf"):
        raise ParameterError(f'C is {C!r}: expected a positive number or "cv".')


class _Problem:
    """Samples in a basis of their span."""

    def __init__(self, planes, tangent, class_weights, sample_weights):
        self.planes, self.class_weights = planes, class_weights.double()
        self.sample_weights = sample_weights
        self.basis = torch.linalg.svd(tangent, full_matrices=False).Vh.mT
        self.tangent = tangent @ self.basis
        variances = tangent.var(0, correction=0)
        varies = variances > 0.0
        self.variance = float(variances[varies].mean()) if varies.any() else 1.0

    def solve(self, places, labels, strengths, logits=None, start=None, tolerance=1e-5):
        """Return covectors and biases for strengths, one after the other.

        Logits are linear in logarithms if no other function is given: under a flat
        metric they are, under the poly-hyperbolic one to first order.
        """
        logits = _linear_logits if logits is None else logits
        tangent, labels = self.tangent[places], labels[places]
        classes, dim = len(self.class_weights), tangent.shape[-1]
        x, solutions = np.zeros(classes * (dim + 1)), []
        if start is not None:
            x = np.concatenate([part.numpy().ravel() for part in start])
        for strength in strengths:

            def objective(x, strength=strength):
                covector, bias = self._parameters(x, dim)
                loss = self._loss(logits(tangent, covector, bias), labels, places)
                value = strength * loss + 0.5 * covector.square().sum()
                gradients = torch.autograd.grad(value, (covector, bias))
                flat = torch.cat([g.flatten() for g in gradients])
                return float(value.detach()), flat.numpy()

            x = minimize(
                objective,
                x,
                jac=True,
                method="L-BFGS-B",
                options=dict(
                    maxiter=2000,
                    maxfun=4000,
                    maxcor=20,
                    ftol=1e-2 * tolerance**2,
                    gtol=tolerance * min(1.0, strength),
                ),
            ).x
            solutions.append([p.detach() for p in self._parameters(x, dim)])
        return solutions

    def _loss(self, logits, labels, places):
        weights = self.class_weights
        if self.sample_weights is None:
            return functional.cross_entropy(logits, labels, weights, reduction="sum")
        losses = functional.cross_entropy(logits, labels, weights, reduction="none")
        return (losses * self.sample_weights[places]).sum()

    def _parameters(self, x, dim):
        classes = len(self.class_weights)
        parts = torch.from_numpy(x.copy()).split([classes * dim, classes])
        covector, bias = parts[0].reshape(classes, dim), parts[1]
        return covector.requires_grad_(), bias.requires_grad_()


def _linear_logits(tangent, covector, bias):
    return tangent @ covector.mT + bias


def _choose_strength(problem, labels, groups):
    """Return the strength with the highest mean accuracy over held-out folds.

    Of several strengths with the same accuracy it is the smallest, as in scikit-learn's
    GridSearchCV over an increasing grid.
    """
    parts = _folds(labels.numpy(), groups)
    if not parts:
        return FALLBACK
    strengths = [C / problem.variance for C in GRID]
    accuracy = np.zeros(len(GRID))
    for training, held_out in parts:
        # Accuracies do not need the last digits.
        solutions = problem.solve(training, labels, strengths, tolerance=1e-3)
        for k, solution in enumerate(solutions):
            logits = _linear_logits(problem.tangent[held_out], *solution)
            right = logits.argmax(-1) == labels[held_out]
            accuracy[k] += float(right.double().mean()) / len(parts)
    # Sums of fractions that are equal may differ by rounding.
    return strengths[int(np.argmax(accuracy.round(12)))]


def _folds(labels, groups):
    """Return training and held-out indices; none if there are too few samples."""
    largest = int(np.bincount(labels).max())
    with warnings.catch_warnings():
        # A class with fewer samples than folds is in some of them only.
        warnings.simplefilter("ignore", UserWarning)
        if groups is not None:
            count = min(FOLDS, len(np.unique(groups)), largest)
            if count < 2:
                return []
            folds = StratifiedGroupKFold(count, shuffle=True, random_state=0)
            parts = list(folds.split(labels, labels, groups))
        else:
            count = min(FOLDS, largest)
            if count < 2:
                return []
            folds = StratifiedKFold(count, shuffle=True, random_state=0)
            parts = list(folds.split(labels, labels))
    return [tuple(map(torch.from_numpy, part)) for part in parts]
