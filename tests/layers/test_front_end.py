"""From signals and skeletons to correlation matrices."""

import numpy as np
import pytest
import torch
from torch.autograd import gradcheck

import cornet_nn as nn
from geomstats_cor import FullRankCorrelationMatrices
from geomstats_cor.exceptions import (
    NotFiniteError,
    NotPositiveDefiniteError,
    ParameterError,
    ShapeError,
)


def normal(*shape, seed=0):
    return torch.as_tensor(np.random.default_rng(seed).standard_normal(shape))


def covariances(*batch, n=4):
    x = normal(*batch, n, 3 * n)
    return x @ x.mT / (3 * n)


@pytest.mark.parametrize("unbiased", [False, True])
def test_covariance_pooling(unbiased):
    signal = normal(3, 2, 4, 50)
    actual = nn.CovariancePooling(unbiased)(signal)
    assert actual.shape == (3, 2, 4, 4)
    expected = np.cov(signal[1, 1].numpy(), bias=not unbiased)
    np.testing.assert_allclose(actual[1, 1], expected, rtol=1e-12)


def test_shrinkage():
    given = covariances(3)
    expected = 0.8 * given[1] + 0.2 * given[1].trace() / 4 * torch.eye(4)
    torch.testing.assert_close(nn.Shrinkage(0.2)(given)[1], expected)
    torch.testing.assert_close(nn.Shrinkage(0)(given), given)


@pytest.mark.parametrize("exponent", [-1.0, -0.25, 0.0, 0.125, 0.5, 1.5, 2.0])
def test_matrix_power(exponent):
    given = covariances(3)
    values, vectors = np.linalg.eigh(given.numpy())
    expected = (vectors * values[:, None] ** exponent) @ vectors.mT
    actual = nn.MatrixPower(exponent)(given)
    np.testing.assert_allclose(actual, expected, rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("exponent", [-1.0, -0.25, 0.75])
@pytest.mark.parametrize("place", ["generic", "multiple of one", "repeated"])
def test_gradient_of_the_power(exponent, place):
    matrix = {
        "generic": covariances(),
        "multiple of one": 2.0 * torch.eye(4, dtype=torch.float64),
        "repeated": torch.diag(torch.tensor([1.0, 1.0, 3.0, 3.0]).double()),
    }[place]
    front_end = nn.PowerCorrelation(exponent, shrinkage=0.05)

    def function(x):
        return front_end(matrix + x + x.mT)

    x = torch.zeros(4, 4, dtype=torch.float64, requires_grad=True)
    assert gradcheck(function, x, fast_mode=True, atol=1e-6)


def test_partial_correlations():
    """A power of -1 gives partial correlations, up to sign."""
    given = covariances()
    precision = torch.linalg.inv(given)
    scale = precision.diagonal().sqrt()
    partial = -precision / scale[:, None] / scale
    actual = nn.PowerCorrelation(-1.0)(given)
    assert (actual.diagonal() == 1.0).all()
    rows, columns = np.tril_indices(4, -1)
    torch.testing.assert_close(actual[rows, columns], -partial[rows, columns])


def test_steps_without_effect_are_left_out():
    assert len(nn.PowerCorrelation()) == 1
    assert len(nn.PowerCorrelation(0.5)) == 2
    assert len(nn.PowerCorrelation(0.5, 0.1)) == 3


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_radar_like_signals(dtype):
    torch.manual_seed(0)
    front_end = torch.nn.Sequential(
        nn.TemporalCovariance(2, kernel_size=5, dtype=dtype), nn.PowerCorrelation(-0.25)
    )
    signal = normal(3, 2, 200).to(dtype)
    output = front_end(signal)
    assert output.shape == (3, 7, 20, 20)
    assert output.dtype == dtype
    space = FullRankCorrelationMatrices(20, equip=False)
    assert space.belongs(output.detach()).all()
    torch.testing.assert_close(front_end(signal[0]), output[0], rtol=1e-3, atol=1e-4)
    model = nn.CorNet(
        20, 8, 3, in_channels=7, metric="lecm", front_end=front_end, dtype=dtype
    )
    torch.nn.functional.cross_entropy(model(signal), torch.arange(3)).backward()
    for parameter in model.parameters():
        assert torch.isfinite(parameter.grad).all()
    # The bias of the convolution is centred away, and has no gradient to speak of.
    assert front_end[0].conv.weight.grad.abs().max() > 1e-6


def test_radar_matrices_are_covariances_of_filtered_signals():
    layer = nn.TemporalCovariance(2, 3, 4, 5, shrinkage=0.0, dtype=torch.float64)
    signal = normal(2, 30)
    filtered = layer.conv(signal).detach().numpy()
    for channel in range(3):
        expected = np.cov(filtered[4 * channel : 4 * channel + 4], bias=True)
        np.testing.assert_allclose(
            layer(signal)[channel].detach(), expected, rtol=1e-11
        )


def test_joint_features():
    joints = normal(7, 3, 2)
    actual = nn.JointFeatures([2, 0, 1])(joints)
    assert actual.shape == (7, 3, 4)
    np.testing.assert_array_equal(actual[4, 1], np.r_[joints[4, 1], joints[4, 0]])


def test_gaussian_embedding():
    """Entry by entry from the mean and the covariance."""
    vectors = normal(2, 9, 3)
    embedding = nn.GaussianEmbedding(shrinkage=0.0)
    actual = embedding(vectors)
    assert actual.shape == (2, 10)
    mean = vectors[1].mean(0).numpy()
    covariance = np.cov(vectors[1].numpy().T, bias=True)
    matrix = np.block(
        [
            [covariance + np.outer(mean, mean), mean[:, None]],
            [mean[None], np.ones((1, 1))],
        ]
    )
    matrix = np.linalg.det(covariance) ** (-1 / 4) * matrix
    np.testing.assert_allclose(embedding.matrix(vectors)[1], matrix, rtol=1e-12)
    assert np.linalg.det(matrix) == pytest.approx(1.0)
    values, basis = np.linalg.eigh(matrix)
    logarithm = (basis * np.log(values)) @ basis.T
    np.testing.assert_allclose(actual[1], logarithm[np.tril_indices(4)], atol=1e-12)


def test_temporal_pyramid():
    sequence = normal(2, 13, 3)
    pyramid = nn.TemporalPyramid(levels=3, shrinkage=0.0)(sequence)
    assert pyramid.shape == (2, 7, 3, 3)
    windows = [(0, 13), (0, 6), (6, 13), (0, 3), (3, 6), (6, 9), (9, 13)]
    for index, (start, stop) in enumerate(windows):
        expected = np.cov(sequence[1, start:stop].numpy().T, bias=True)
        np.testing.assert_allclose(pyramid[1, index], expected, atol=1e-13)


def test_skeletons_as_in_the_paper():
    """31 joints in space become three correlation matrices of size 28."""
    torch.manual_seed(0)
    front_end = torch.nn.Sequential(
        nn.JointFeatures([*range(1, 31), 0]),
        nn.GaussianEmbedding(),
        nn.TemporalPyramid(levels=2),
        nn.PowerCorrelation(0.25),
    )
    model = nn.CorNet(28, 6, 4, in_channels=3, metric="ecm", front_end=front_end)
    joints = normal(2, 40, 31, 3).float()
    assert front_end(joints).shape == (2, 3, 28, 28)
    assert torch.isfinite(model(joints)).all()


def test_autocast_does_not_reach_the_matrices():
    model = nn.CorNet(
        8,
        4,
        3,
        in_channels=2,
        metric="olm",
        front_end=torch.nn.Sequential(
            nn.TemporalCovariance(2, 2, 8, 5), nn.PowerCorrelation(-0.5)
        ),
    )
    signal = normal(3, 2, 100).float()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        actual = model(signal)
    assert actual.dtype == torch.float32
    torch.testing.assert_close(actual, model(signal), rtol=0.2, atol=0.2)


@pytest.mark.parametrize(
    "module", [nn.Shrinkage(0.1), nn.MatrixPower(0.5), nn.ToCorrelation()]
)
@pytest.mark.parametrize("shape", [(), (3,), (3, 2), (2, 3, 2)], ids=str)
def test_matrices_that_are_not_square(module, shape):
    with pytest.raises(ShapeError, match="expected covariance matrices, .* got"):
        module(torch.ones(shape))


def test_errors():
    with pytest.raises(ShapeError, match="at least two time steps"):
        nn.CovariancePooling()(torch.zeros(3, 1))
    with pytest.raises(ShapeError, match="at least two time steps"):
        nn.CovariancePooling()(torch.zeros(3))
    with pytest.raises(ParameterError, match="from 0 to 1, got 2"):
        nn.Shrinkage(2)
    with pytest.raises(ParameterError, match="indices from 0 to 1"):
        nn.JointFeatures([1, 2])
    with pytest.raises(ShapeError, match="a row for each joint"):
        nn.JointFeatures([1, 0])(torch.zeros(3, 3))
    with pytest.raises(ShapeError, match="Use fewer levels"):
        nn.TemporalPyramid(3)(torch.zeros(7, 2))
    with pytest.raises(ParameterError, match="features must be a positive integer"):
        nn.TemporalCovariance(2, features=0)


def test_matrices_that_are_not_definite_are_named():
    singular = torch.stack([torch.eye(3), torch.ones(3, 3)]).double()
    for exponent in (-0.5, 0.5):
        with pytest.raises(NotPositiveDefiniteError, match=r"covariance\[1\] is not"):
            nn.MatrixPower(exponent)(singular)
    constant = torch.diag(torch.tensor([1.0, 0.0, 2.0])).expand(2, 3, 3)
    with pytest.raises(NotPositiveDefiniteError, match=r"\[0\] has a variance of 0"):
        nn.ToCorrelation()(constant)
    with pytest.raises(NotFiniteError, match="covariance has a NaN"):
        nn.MatrixPower(0.5)(torch.full((2, 2), torch.nan))
    with pytest.raises(NotPositiveDefiniteError, match="has a variance of 0"):
        nn.GaussianEmbedding()(torch.ones(5, 3))
    vectors = torch.cat([normal(1, 9, 4), torch.ones(1, 9, 1) * normal(1, 1, 4)])
    vectors[1, :, 0] = torch.arange(9.0)
    with pytest.raises(NotPositiveDefiniteError, match=r"covariance\[1\]"):
        nn.GaussianEmbedding(shrinkage=0.0)(vectors)


@pytest.mark.parametrize("scale, shift", [(1.0, 30.0), (1e-3, 0.0), (0.1, 20.0)])
def test_embedding_of_single_precision(scale, shift):
    """Ill-conditioned, but all digits of the vectors are there."""
    vectors = (scale * normal(20, 31, 6) + shift).float()
    actual = nn.GaussianEmbedding()(vectors)
    assert actual.dtype == torch.float32
    expected = nn.GaussianEmbedding()(vectors.double())
    torch.testing.assert_close(actual.double(), expected, rtol=1e-6, atol=1e-6)


def test_shrinkage_of_the_embedding():
    vectors = normal(31, 6)
    covariance = np.cov(vectors.numpy().T, bias=True)
    shrunk = 0.7 * covariance + 0.3 * np.trace(covariance) / 6 * np.eye(6)
    mean = vectors.mean(0).numpy()
    block = np.block([[shrunk + np.outer(mean, mean), mean[:, None]], [mean, 1.0]])
    expected = block / np.linalg.det(shrunk) ** (1 / 7)
    actual = nn.GaussianEmbedding(shrinkage=0.3).matrix(vectors)
    np.testing.assert_allclose(actual, expected, rtol=1e-12)


def test_stride_of_the_convolution():
    module = nn.TemporalCovariance(2, 1, 3, kernel_size=5, stride=4, shrinkage=0.0)
    signal = normal(2, 41).float()
    fields = signal.unfold(-1, 5, 4)  # [2, 10, 5]
    filtered = torch.einsum("oik,itk->ot", module.conv.weight, fields)
    expected = np.cov(filtered.detach().numpy(), bias=True)
    np.testing.assert_allclose(module(signal)[0].detach(), expected, rtol=1e-4)
