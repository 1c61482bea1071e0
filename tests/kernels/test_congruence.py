"""Products with logarithms of congruent matrices."""

import numpy as np
import pytest
import torch
from scipy.linalg import logm

from geomstats_cor import kernels
from geomstats_cor.kernels import _batching
from tests.spaces.matrices import spd, symmetric


def arguments(n=3):
    return spd(2, 2, n=n), spd(3, 2, n=n, seed=1), symmetric(3, 2, n=n, seed=2)


def test_definition():
    point, root, vector = (x.numpy() for x in arguments())
    products = kernels.congruence_log_products(point, root, vector)
    for i, k, c in np.ndindex(2, 3, 2):
        moved = root[k, c] @ point[i, c] @ root[k, c]
        expected = np.trace(vector[k, c] @ logm(moved))
        assert products[i, k, c] == pytest.approx(expected, rel=1e-10)


def _of_symmetric(*matrices):
    return kernels.congruence_log_products(
        *(0.5 * (matrix + matrix.mT) for matrix in matrices)
    )


def test_gradients():
    tensors = [x.requires_grad_() for x in arguments()]
    assert torch.autograd.gradcheck(_of_symmetric, tensors, check_forward_ad=True)


def test_second_derivatives():
    tensors = [x[:1].detach().requires_grad_() for x in arguments(2)]
    assert torch.autograd.gradgradcheck(_of_symmetric, tensors)


def test_gradients_at_repeated_eigenvalues():
    identity = torch.eye(3, dtype=torch.float64)
    point = (2.0 * identity).expand(2, 2, 3, 3).clone().requires_grad_()
    root = identity.expand(3, 2, 3, 3).clone().requires_grad_()
    vector = symmetric(3, 2, n=3).requires_grad_()
    assert torch.autograd.gradcheck(_of_symmetric, [point, root, vector])


def test_pieces_of_outputs_change_nothing(monkeypatch):
    tensors = [x.requires_grad_() for x in arguments()]
    results = []
    for size in (2**25, 1):
        monkeypatch.setattr(_batching, "_CACHE_BYTES", size)
        products = kernels.congruence_log_products(*tensors)
        results.append([products, *torch.autograd.grad((products**2).sum(), tensors)])
    for whole, pieces in zip(*results, strict=True):
        torch.testing.assert_close(whole, pieces)


def test_what_is_not_definite_is_nan_alone():
    point, root, vector = arguments()
    point[1, 0] -= 5.0 * torch.eye(3)
    products = kernels.congruence_log_products(point, root, vector)
    assert products[1, :, 0].isnan().all()
    assert products[0].isfinite().all() and products[1, :, 1].isfinite().all()
