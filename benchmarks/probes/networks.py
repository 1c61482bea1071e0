"""Probes of torch: layers over correlations and covariances, optimisers."""

import inspect
import itertools
import re

import numpy as np
import torch

from geomstats_cor import FullRankCorrelationMatrices

from .calls import attempt, failed, is_correlation, numbers
from .names import listed, named, subclasses

_COVARIANCES = r"(?i)covarian|\bSPD\b|positive[- ]definite"


def correlation_layers(library, data):
    """Name the modules that turn correlation matrices into others, or into scores."""
    points = data.points[:4, :4, :4]
    moved, scores = [], []
    for name, answers in _answers(library, points).items():
        if any(_is_new_correlation(answer, points) for answer in answers):
            moved.append(name)
        elif any(answer.shape == (4, 2) for answer in answers):
            scores.append(name)
    if not moved:
        return _none_of_the_modules(library)
    more = f"; to scores of classes: {listed(scores)}" if scores else ""
    return listed(moved) + more


def covariance_layers(library, data):
    """Name the modules about covariance matrices that run on them."""
    scales = np.random.default_rng(0).uniform(0.5, 2.0, (4, 4, 1))
    points = data.points[:4, :4, :4] * scales * np.swapaxes(scales, -1, -2)
    modules = subclasses(library, torch.nn.Module)
    found = [
        name
        for name in _answers(library, points)
        if re.search(_COVARIANCES, _text(modules[name]))
    ]
    return (
        f"{len(found)}: {listed(found, 15)}" if found else _none_of_the_modules(library)
    )


def _none_of_the_modules(library):
    modules = subclasses(library, torch.nn.Module)
    return f"none of {len(modules)} modules" if modules else "none: no torch module"


def _text(module):
    return f"{inspect.getdoc(module)} {inspect.getdoc(module.forward)}"


def _is_new_correlation(answer, points):
    if answer.ndim < 3 or answer.shape[-1] != answer.shape[-2]:
        return False
    same = answer.size == points.size and np.allclose(answer.ravel(), points.ravel())
    return is_correlation(answer) and not same


def _answers(library, points):
    """Return what each module answers that takes square matrices and nothing else.

    A module that also takes matrices which are not square is one of signals.
    """
    stacks = [torch.as_tensor(points), torch.as_tensor(points)[:, None]]
    answers = {}
    for name, Module in subclasses(library, torch.nn.Module).items():
        for arguments, stack in itertools.product(_arguments(), stacks):
            answer = attempt(_run, Module, arguments, stack)
            if isinstance(answer, Exception) or not isinstance(answer, torch.Tensor):
                continue
            wide = attempt(_run, Module, arguments, stack[..., :-1, :])
            if not failed(answer) and isinstance(wide, Exception):
                answers.setdefault(name, []).append(numbers(answer))
    return answers


def _arguments():
    """Return what the modules of these libraries are made of, for 4 by 4 matrices."""
    space = FullRankCorrelationMatrices(4, equip="olm")
    return (
        (),
        (space, 2),
        (space, torch.tanh),
        (space, space),
        (space, space, 1, 1),
        (4,),
        (4, 4),
        (0.5,),
    )


def _run(Module, arguments, points):
    torch.manual_seed(0)
    module = Module(*arguments).double()
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
        return module(points)


def optimisers(library, data):
    """Name the optimisers whose steps stay on a manifold."""
    if library == "geoopt":
        return _riemannian_optimisers(library, data.points[0, :4, :4])
    found = subclasses(library, torch.optim.Optimizer)
    found |= named(library, "^(?!Base).*Descent$|Optimi[sz]er$|_rpgd_")
    if found:
        return listed(found)
    return _with_free_parameters(data) if library == "geomstats-cor" else "none"


def _riemannian_optimisers(library, point):
    from geoopt.samplers.base import Sampler

    kinds = subclasses(library, torch.optim.Optimizer, but=Sampler)
    ran = [n for n, kind in kinds.items() if attempt(_descends, kind, point) is True]
    others = sorted(set(kinds) - set(ran))
    samplers = subclasses(library, Sampler)
    return f"{listed(ran)}; by name also {listed([*others, *samplers])}"


def _descends(Optimiser, aim):
    """Return whether some steps come closer to a matrix, on covariance matrices."""
    import geoopt

    manifold, aim = geoopt.SymmetricPositiveDefinite(), torch.as_tensor(aim)
    start = torch.diag(torch.arange(1.0, 5.0, dtype=torch.float64))
    point = geoopt.ManifoldParameter(start.clone(), manifold=manifold)
    settings = {"lr": 0.05} if "lr" in inspect.signature(Optimiser).parameters else {}
    optimiser = Optimiser([point], **settings)

    def closure():
        optimiser.zero_grad()
        loss = manifold.dist(point, aim) ** 2
        loss.backward()
        return loss.detach()

    for _ in range(10):
        optimiser.step(closure)
    closer = manifold.dist(point, aim) < manifold.dist(start, aim)
    return bool(closer and torch.linalg.eigvalsh(point).min() > 0.0)


def _with_free_parameters(data):
    """Say that a plain optimiser does, once its step gave a correlation matrix."""
    from cornet_nn import CorFC

    space = FullRankCorrelationMatrices(4, equip="olm")
    points = torch.as_tensor(data.points[:4, None, :4, :4])
    layer = CorFC(space, space).double()
    optimiser = torch.optim.Adam(layer.parameters(), lr=0.1)
    layer(points)[:, 0, 1].sum().backward()
    optimiser.step()
    assert is_correlation(numbers(layer(points)))
    return "none; parameters are free, `torch.optim.Adam` does"
