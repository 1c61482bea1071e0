"""Subspaces: definitions, independence of the basis, derivatives, edges."""

import math

import pytest
import torch

from cornet_nn.spaces import (
    grassmann_exp,
    grassmann_log,
    grassmann_translate,
    orthonormal_basis,
    projector,
    top_eigenspace,
)
from cornet_nn.spaces.grassmann import require_bases
from geomstats_cor.exceptions import ParameterError, ShapeError, SubspaceError

from .matrices import bases, rotations, symmetric

N, P = 7, 3
TOLERANCE = dict(rtol=1e-10, atol=1e-10)


def vectors(*batch, seed=0, n=N, p=P):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*batch, n - p, p, generator=generator, dtype=torch.float64)


def omega(vector):
    below, p = vector.shape[-2:]
    matrix = vector.new_zeros(*vector.shape[:-2], below + p, below + p)
    matrix[..., p:, :p], matrix[..., :p, p:] = vector, -vector.mT
    return matrix


@pytest.mark.parametrize("scale", [0.0, 1e-8, 1.0, 40.0])
def test_exp_and_translation_are_matrix_exponentials(scale):
    vector = scale * vectors(5)
    motion = torch.matrix_exp(omega(vector))
    torch.testing.assert_close(grassmann_exp(vector), motion[..., :P], **TOLERANCE)
    basis = bases(5)
    moved = grassmann_translate(vector, basis)
    torch.testing.assert_close(moved, motion @ basis, **TOLERANCE)


def test_log_inverts_exp():
    vector = vectors(5)
    # Inside the cut locus: the largest angle is below a right one.
    vector = vector / torch.linalg.matrix_norm(vector, 2)[:, None, None] * 1.5
    torch.testing.assert_close(
        grassmann_log(grassmann_exp(vector)), vector, **TOLERANCE
    )
    basis = bases(5)
    back = projector(grassmann_exp(grassmann_log(basis)))
    torch.testing.assert_close(back, projector(basis), **TOLERANCE)


def test_length_of_the_logarithm_is_that_of_the_principal_angles():
    basis = bases(5)
    angles = torch.linalg.svdvals(basis[:, :P]).arccos()
    lengths = grassmann_log(basis).square().sum((-2, -1))
    torch.testing.assert_close(lengths, angles.square().sum(-1), **TOLERANCE)


def test_nothing_depends_on_the_basis():
    basis, turn = bases(5), rotations(5, seed=1)
    logs = [grassmann_log(u) for u in (basis, basis @ turn)]
    torch.testing.assert_close(*logs, **TOLERANCE)
    vector = vectors(5)
    moved = [projector(grassmann_translate(vector, u)) for u in (basis, basis @ turn)]
    torch.testing.assert_close(*moved, **TOLERANCE)


def test_gyrogroup_laws():
    """Of subspaces near the origin, as logarithms are not defined everywhere."""
    a, b = 0.3 * vectors(5), 0.3 * vectors(5, seed=1)
    sums = grassmann_translate(a, grassmann_exp(b))
    cancelled = grassmann_log(grassmann_translate(-a, sums))
    torch.testing.assert_close(cancelled, b, **TOLERANCE)
    zero = grassmann_log(grassmann_translate(-a, grassmann_exp(a)))
    torch.testing.assert_close(zero, torch.zeros_like(a), **TOLERANCE)


def test_gyrations_are_automorphisms_and_isometries():
    """Where all logarithms are inside the cut locus."""

    def add(left, right):
        return grassmann_log(grassmann_translate(left, grassmann_exp(right)))

    def gyration(a, b, c):
        return add(-add(a, b), add(a, add(b, c)))

    a, b, c, d = (0.1 * vectors(5, seed=seed) for seed in range(4))
    turned = gyration(a, b, c)
    assert not torch.allclose(turned, c, atol=1e-6)
    torch.testing.assert_close(add(add(a, b), turned), add(a, add(b, c)), **TOLERANCE)
    apart = add(turned, gyration(a, b, d))
    torch.testing.assert_close(gyration(a, b, add(c, d)), apart, **TOLERANCE)
    loop = gyration(add(a, b), b, c)
    torch.testing.assert_close(loop, turned, **TOLERANCE)
    angles = [torch.linalg.svdvals(x) for x in (turned, c)]
    torch.testing.assert_close(*angles, **TOLERANCE)


def test_addition_of_projectors():
    """exp(M) Q exp(-M) with M the commutator of the logarithm and the origin."""
    vector, basis = vectors(5), bases(5)
    origin = torch.zeros(N, N, dtype=torch.float64)
    origin[:P, :P] = torch.eye(P)
    tangent = torch.zeros(5, N, N, dtype=torch.float64)
    tangent[:, P:, :P], tangent[:, :P, P:] = vector, vector.mT
    motion = torch.matrix_exp(tangent @ origin - origin @ tangent)
    expected = motion @ projector(basis) @ motion.mT
    moved = projector(grassmann_translate(vector, basis))
    torch.testing.assert_close(moved, expected, **TOLERANCE)


def test_gradients():
    columns = bases(2).requires_grad_()
    vector = vectors(2).requires_grad_()
    check = torch.autograd.gradcheck
    assert check(lambda x: grassmann_log(orthonormal_basis(x)), [columns])
    assert check(grassmann_exp, [vector])
    assert check(grassmann_translate, [vector, columns])
    assert check(grassmann_exp, [torch.zeros_like(vector).requires_grad_()])


def test_gradient_of_the_log_at_equal_angles_and_at_the_origin():
    """All angles equal, and all zero: f(s) = arccos(s) / sqrt(1 - s^2) at ties."""
    equal = torch.zeros(N - P, P, dtype=torch.float64)
    equal[:P] = 0.7 * torch.eye(P)
    for vector in (equal, 0.0 * equal):
        basis = grassmann_exp(vector).requires_grad_()
        assert torch.autograd.gradcheck(
            lambda x: grassmann_log(orthonormal_basis(x)), [basis]
        )


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_the_cut_locus_has_numbers(dtype):
    right_angles = torch.eye(N, dtype=dtype)[:, P : 2 * P].clone().requires_grad_()
    log = grassmann_log(right_angles)
    log.square().sum().backward()
    assert log.dtype == dtype
    assert log.detach().norm().item() == pytest.approx(
        math.sqrt(P) * math.pi / 2, rel=1e-6
    )
    assert right_angles.grad.isfinite().all()


def test_gradient_of_qr_is_the_stated_one():
    columns = torch.randn(N, P, dtype=torch.float64, requires_grad=True)
    basis, cotangent = orthonormal_basis(columns), torch.randn(N, P).double()
    (gradient,) = torch.autograd.grad(basis, columns, cotangent)
    q, r = torch.linalg.qr(columns.detach())
    inner = q.mT @ cotangent
    turn = (cotangent - q @ inner) + q @ (inner - inner.mT).tril()
    expected = torch.linalg.solve_triangular(r, turn.mT, upper=True).mT
    torch.testing.assert_close(gradient, expected)


def test_gradient_of_an_eigenspace_needs_no_gap_between_kept_eigenvalues():
    """Kept eigenvalues coincide, dropped ones too."""
    turn = rotations(p=5)
    values = torch.tensor([1.0, 1.0, 1.0, 4.0, 4.0], dtype=torch.float64)
    matrix = ((turn * values) @ turn.mT).requires_grad_()

    def of_subspace(x):
        return projector(top_eigenspace(0.5 * (x + x.mT), 2))

    assert torch.autograd.gradcheck(of_subspace, [matrix])
    assert torch.autograd.gradcheck(of_subspace, [symmetric(2, n=5).requires_grad_()])


def test_there_is_no_silent_second_derivative():
    matrix = symmetric(n=5).requires_grad_()
    value = projector(top_eigenspace(matrix, 2))[0, 0]
    (gradient,) = torch.autograd.grad(value, matrix, create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        gradient.sum().backward()


def test_errors_name_the_item():
    columns = torch.randn(4, 2, N, P)
    columns[2, 1, :, 1] = columns[2, 1, :, 0]
    with pytest.raises(SubspaceError, match=r"columns\[2, 1\] have rank below 3"):
        orthonormal_basis(columns)
    with pytest.raises(SubspaceError, match=r"matrix\[1\] .* eigenvalues 2 and 3"):
        top_eigenspace(torch.stack([torch.diag(torch.arange(4.0)), torch.eye(4)]), 2)
    with pytest.raises(ParameterError, match="p = 4 and n = 4"):
        top_eigenspace(torch.eye(4), 4)
    points = bases(4, 2)
    points[3, 0, :, 2] = 0.0
    with pytest.raises(SubspaceError, match=r"point\[3, 0\] .* rank 2"):
        require_bases(points, N, P, 2)
    with pytest.raises(ShapeError, match=r"\[..., 3, 7, 3\], got \(4, 2, 7, 3\)"):
        require_bases(points, N, P, 3)
