"""Logistic regression solved to convergence, its penalty chosen by cross-validation."""

import warnings
from typing import Any

import numpy as np
import torch
from scipy.optimize import minimize
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from torch import Tensor
from torch.nn import functional

from geomstats_cor.exceptions import ParameterError

from .._validation import require_numbers

# Strengths that cross-validation tries, for coordinates of variance one, and the
# strength where it is not possible, for coordinates of dispersion one.
GRID = tuple(10.0**k for k in range(-4, 3))
FALLBACK = 30.0
FOLDS = 5


def solve(
    planes: Any,
    coords: Tensor,
    labels: Tensor,
    class_weights: Tensor,
    C: Any,
    groups: np.ndarray | None = None,
    sample_weights: Tensor | None = None,
) -> tuple[Tensor, Tensor, float]:
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
    labels = labels.to(torch.long)
    weights = class_weights.double()[labels]
    if sample_weights is not None:
        weights = weights * sample_weights
    tangent = planes.join_channels(coords.double())
    # Only the span of the samples matters.
    basis = torch.linalg.svd(tangent, full_matrices=False).Vh.mT
    samples = tangent @ basis, labels, weights, len(class_weights)
    if C == "cv":
        C = _choose_strength(tangent, samples, groups)
    start = _minimise(_linear_logits, samples, C)
    covector, bias = _minimise(planes.joint_logits, samples, C, start)
    weight, gamma = planes.parameters_of(covector @ basis.mT, bias, coords.shape[1])
    return weight, gamma, C


def require_strength(C: Any) -> None:
    """Raise unless C is a positive number or "cv"."""
    if isinstance(C, str):
        if C != "cv":
            raise ParameterError(f'C is {C!r}: expected a positive number or "cv".')
        return
    require_numbers(C=C)
    if not 0.0 < C < float("inf"):
        raise ParameterError(f'C is {C!r}: expected a positive number or "cv".')


def _minimise(logits, samples, C, start=None):
    """Return the covectors and biases with the least penalised loss."""
    tangent, labels, weights, classes = samples
    sizes = classes * tangent.shape[-1], classes

    def parameters(x):
        covector, bias = torch.from_numpy(x.copy()).split(sizes)
        covector = covector.reshape(classes, -1)
        return covector.requires_grad_(), bias.requires_grad_()

    def objective(x):
        covector, bias = parameters(x)
        scores = logits(tangent, covector, bias)
        losses = functional.cross_entropy(scores, labels, reduction="none")
        value = C * (losses * weights).sum() + 0.5 * covector.square().sum()
        gradients = torch.autograd.grad(value, (covector, bias))
        flat = torch.cat([gradient.flatten() for gradient in gradients])
        return float(value.detach()), flat.numpy()

    x = np.zeros(sum(sizes))
    if start is not None:
        x = np.concatenate([part.numpy().ravel() for part in start])
    options: dict[str, float] = dict(maxiter=2000, maxfun=4000, maxcor=20)
    options |= dict(ftol=1e-12, gtol=1e-5 * min(1.0, C))
    x = minimize(objective, x, jac=True, method="L-BFGS-B", options=options).x
    return [parameter.detach() for parameter in parameters(x)]


def _linear_logits(tangent, covector, bias):
    return tangent @ covector.mT + bias


def _choose_strength(tangent, samples, groups):
    """Return the strength that a grid search of scikit-learn chooses.

    Logits are linear in logarithms here: under a flat metric they are, under the
    poly-hyperbolic one to first order.
    """
    _, labels, weights, _ = samples
    folds = _folds(labels.numpy(), groups)
    if not folds:
        return FALLBACK
    variances = tangent.var(0, correction=0)
    varies = variances > 0.0
    variance = float(variances[varies].mean()) if varies.any() else 1.0
    # Coordinates that all samples have standardised are standardised by the training
    # part of each fold alone: the held-out part, other subjects maybe, takes no part.
    spread = (variances[varies] / variance - 1.0).abs()
    standardised = bool((spread < 1e-2).all())
    coords, labels = tangent.numpy() / variance**0.5, labels.numpy()
    scaler = StandardScaler(with_mean=standardised, with_std=standardised)
    # A rotation changes nothing, and saves time for few samples.
    reduction = make_pipeline(scaler, PCA())
    scores = np.zeros((len(folds), len(GRID)))
    for own, (training, held_out) in zip(scores, folds, strict=True):
        if len(np.unique(labels[training])) < 2:
            continue  # which says nothing about C
        learnt = reduction.fit_transform(coords[training])
        others = reduction.transform(coords[held_out])
        for k, strength in enumerate(GRID):
            model = LogisticRegression(C=strength, max_iter=1000)
            with warnings.catch_warnings():
                # The weakest penalties need no last digits.
                warnings.simplefilter("ignore", ConvergenceWarning)
                model.fit(learnt, labels[training], weights.numpy()[training])
            own[k] = model.score(others, labels[held_out])
    return GRID[scores.mean(0).argmax()] / variance


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
    return parts
