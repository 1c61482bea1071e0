"""Large batches are computed in pieces, with the results of single matrices."""

import numpy as np
import pytest
import torch
from kernels.matrices import random_correlation

from geomstats_cor.kernels import _batching

from .operations import OPERATIONS, SPACES, gradients

N, SIZE = 5, 12
NAMES = (
    "sym_log",
    "sym_exp_differential",
    "off_log_differential",
    "off_exp",
    "off_exp_differential",
    "log_scaling",
    "log_scaled_differential",
    "exp_scaled",
    "exp_scaled_differential",
)


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    """Let a batch be large if it has more than five matrices."""
    monkeypatch.setattr(_batching, "_CACHE_BYTES", 5 * N * N * 8)


def arguments(operation, number):
    correlations = random_correlation(np.random.default_rng(3), N, 5.0, (number,))
    return [
        torch.stack([torch.as_tensor(SPACES[name].point(c)) for c in correlations])
        for name in operation.spaces
    ]


def loss(operation):
    return lambda *tensors: torch.sum(torch.cos(operation(*tensors)))


@pytest.mark.parametrize("name", NAMES)
def test_values_and_gradients(name):
    operation = OPERATIONS[name]
    few = arguments(operation, 3)
    many = [x.repeat(SIZE // 3, 1, 1) for x in few]
    torch.testing.assert_close(
        operation(*many)[:3], operation(*few), rtol=1e-10, atol=1e-12
    )
    found = gradients(loss(operation), many)
    for whole, part in zip(found, gradients(loss(operation), few), strict=True):
        expected = part.repeat(SIZE // 3, 1, 1)
        torch.testing.assert_close(whole, expected, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("name", [x for x in NAMES if "differential" in x])
def test_one_matrix_for_many_vectors(name):
    operation = OPERATIONS[name]
    vectors, matrices = arguments(operation, 3)
    vectors = vectors.repeat(SIZE // 3, 1, 1)
    whole = gradients(loss(operation), [vectors, matrices[0]])
    single = gradients(loss(operation), [vectors, matrices[:1].repeat(SIZE, 1, 1)])
    torch.testing.assert_close(whole[0], single[0], rtol=1e-9, atol=1e-11)
    torch.testing.assert_close(whole[1], single[1].sum(0), rtol=1e-9, atol=1e-10)
