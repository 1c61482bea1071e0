"""What is wrong is said, with the numbers, and with what to do."""

import numpy as np
import pytest
import torch
from geomstats.geometry.spd_matrices import SPDMatrices

from cornet_nn import (
    BetaConcat,
    CorChannelConv,
    CorFC,
    CorMLR,
    CorNet,
    MatrixPower,
    PoincareExp0,
    TangentActivation,
    ToCorrelation,
)
from geomstats_cor import FullRankCorrelationMatrices
from geomstats_cor.exceptions import (
    ArrayTypeError,
    NotFiniteError,
    NotPositiveDefiniteError,
    NotSymmetricError,
    NotUnitDiagonalError,
    ParameterError,
    ShapeError,
)

from .networks import KEYS, points, space_of

SMALL = space_of("olm", 3)
BUILDERS = {
    "mlr": lambda space: CorMLR(space, 3),
    "fc in": lambda space: CorFC(space, SMALL),
    "fc out": lambda space: CorFC(SMALL, space),
    "conv in": lambda space: CorChannelConv(space, SMALL, 2, 1),
    "conv out": lambda space: CorChannelConv(SMALL, space, 2, 1),
    "activation": lambda space: TangentActivation(space, torch.relu),
}

every_builder = pytest.mark.parametrize("name", BUILDERS)


@every_builder
def test_a_space_without_a_metric(name):
    with pytest.raises(ParameterError, match="has no metric: equip it"):
        BUILDERS[name](FullRankCorrelationMatrices(3, equip=False))


@every_builder
def test_a_metric_without_hyperplanes(name):
    quotient = FullRankCorrelationMatrices(3, equip=True)
    with pytest.raises(ParameterError, match="QuotientMetric has no hyperplanes"):
        BUILDERS[name](quotient)
    with pytest.raises(ParameterError, match="SPD.* has no hyperplanes"):
        BUILDERS[name](SPDMatrices(3))


@every_builder
def test_a_key_or_a_size_instead_of_a_space(name):
    for value in ("olm", 3):
        message = f"metric is required when space.* is {value!r}, not a space"
        with pytest.raises(ParameterError, match=message):
            BUILDERS[name](value)


@every_builder
def test_weights_of_the_poly_hyperbolic_metric(name):
    space = FullRankCorrelationMatrices(3, equip=False)
    space.equip_with_metric("phcm", weights=[1.0, 2.0])
    with pytest.raises(ParameterError, match="weights other than one"):
        BUILDERS[name](space)
    space.equip_with_metric("phcm", weights=[1.0, 1.0])
    BUILDERS[name](space)


@pytest.mark.parametrize("key", KEYS)
def test_shapes(key):
    space = space_of(key, 4)
    layer = CorMLR(space, 3, in_channels=2)
    for shape, message in [
        ((2, 3, 3), "for matrices of size n = 4"),
        ((2, 4, 3), "for matrices of size n = 4"),
        ((4,), "for matrices of size n = 4"),
        ((4, 4), "has 2 channels"),
        ((3, 4, 4), "has 2 channels"),
        ((2, 3, 4, 4), "has 2 channels"),
    ]:
        with pytest.raises(ShapeError, match=message):
            layer(torch.zeros(shape))
    with pytest.raises(ShapeError, match="has 1 channels"):
        CorMLR(space, 3, in_channels=1)(torch.zeros(5, 4, 4))


@pytest.mark.parametrize("key", KEYS)
def test_entries_are_looked_at_by_the_space(key):
    layer = CorMLR(space_of(key, 4), 3)
    with pytest.raises(NotUnitDiagonalError):
        layer(2.0 * torch.eye(4))
    with pytest.raises(NotPositiveDefiniteError):
        layer(torch.ones(2, 4, 4) - 2.0 * (torch.ones(4, 4) - torch.eye(4)))
    unlooked = CorMLR(FullRankCorrelationMatrices(4, equip=key, check=False), 3)
    assert unlooked(points(4, (2,), dtype=torch.float32)).shape == (2, 3)


@pytest.mark.parametrize("key", ["ecm", "olm", "phcm"])
def test_a_matrix_is_named_by_its_place_in_a_large_batch(key):
    """Large batches are cut into pieces; the index is that of the whole."""
    given = torch.eye(300, dtype=torch.float64).repeat(9, 1, 1)
    layer = CorMLR(space_of(key, 300), 2, dtype=torch.float64)
    with torch.no_grad():
        expected = layer(given[:1])
        torch.testing.assert_close(layer(given), expected.expand(9, 2))
        given[7] = 1.0
        with pytest.raises(NotPositiveDefiniteError, match=r"point\[7\]"):
            layer(given)
        with pytest.raises(NotPositiveDefiniteError, match=r"point\[7, 0\]"):
            layer(given[:, None])
        given[7, 2, 2] = 3.0
        with pytest.raises(NotUnitDiagonalError, match=r"point\[7\]"):
            layer(given)


def test_numbers():
    with pytest.raises(ParameterError, match="num_classes must be a positive integer"):
        CorMLR(SMALL, 0)
    with pytest.raises(ParameterError, match="channels must be a positive integer"):
        CorMLR(SMALL, 2, in_channels=1.5)
    with pytest.raises(ParameterError, match="channels must be a positive integer"):
        CorFC(SMALL, SMALL, in_channels=0)
    with pytest.raises(ParameterError, match="no basis 'helmert'"):
        CorFC(SMALL, SMALL, basis="helmert")


@pytest.mark.parametrize("name", ["olm, beta and gamma", "lsm, delta and zeta"])
def test_the_printed_basis_is_that_of_frobenius(name):
    space = space_of(name, 4)
    with pytest.raises(ParameterError, match="belongs to the Frobenius product"):
        CorFC(SMALL, space, basis="printed")
    with pytest.raises(ParameterError, match="belongs to the Frobenius product"):
        CorChannelConv(SMALL, space, 2, 1, basis="printed")


def test_arrays_of_another_library():
    with pytest.raises(ArrayTypeError, match="expected a torch tensor, got a ndarray"):
        CorMLR(SMALL, 2)(np.eye(3))
    with pytest.raises(ArrayTypeError, match="expected a torch tensor, got a list"):
        BetaConcat()([[0.1, 0.2]])


def test_networks():
    with pytest.raises(ParameterError, match="metric is required when"):
        CorNet(4, 3, 2)
    with pytest.raises(ParameterError, match="there is no metric 'spam'"):
        CorNet(4, 3, 2, metric="spam")
    with pytest.raises(ParameterError, match="both spaces have metrics of their own"):
        CorNet(space_of("ecm", 4), SMALL, 2, metric="olm")
    assert CorNet(space_of("ecm", 4), 3, 2, metric="olm").mlr.hyperplanes_in.n == 3
    with pytest.raises(ParameterError, match="pass a key"):
        CorNet(4, 3, 2, metric="olm", mlr=3)
    with pytest.raises(ShapeError, match="matrices of size 3, .* of size 4"):
        CorNet(4, 3, 2, metric="olm", mlr=space_of("ecm", 4))
    with pytest.raises(ParameterError, match="has no metric"):
        CorNet(FullRankCorrelationMatrices(4, equip=False), 3, 2, metric="olm")


def test_integers():
    with pytest.raises(ArrayTypeError, match="float32, got int64"):
        CorMLR(SMALL, 2)(torch.eye(3, dtype=torch.int64))
    with pytest.raises(ArrayTypeError, match="float32, got int64"):
        PoincareExp0()(torch.zeros(4, dtype=torch.int64))


def test_arguments_by_name():
    layer = CorMLR(SMALL, 2)
    torch.testing.assert_close(layer(point=torch.eye(3)), layer(torch.eye(3)))
    with pytest.raises(TypeError, match="unexpected keyword argument 'matrix'"):
        layer(matrix=torch.eye(3))
    with pytest.raises(TypeError, match="positional argument"):
        layer(torch.eye(3), torch.eye(3))


@pytest.mark.parametrize("function", ["cubic", 3])
def test_functions_that_cannot_be_called(function):
    with pytest.raises(ParameterError, match=f"no activation {function!r}: choose one"):
        TangentActivation(SMALL, function)


def test_features():
    model = CorNet(4, 3, 2, in_channels=2, metric="olm", normalize="coordinates")
    for shape in [(5, 4, 3), (5, 1, 6), (6,)]:
        with pytest.raises(ShapeError, match=r"features of shape \[..., 2, 6\], got"):
            model.from_features(torch.zeros(shape))
    for shape in [(2, 6), (0, 2, 6), (5, 1, 6)]:
        with pytest.raises(ShapeError, match=r"coordinates of shape \[N, 2, 6\] with"):
            model.norm.fit(torch.zeros(shape))
    with pytest.raises(ParameterError, match="normalize is 'rows': expected one of"):
        CorNet(4, 3, 2, metric="olm", normalize="rows")


def test_another_precision_than_that_of_the_parameters():
    space = FullRankCorrelationMatrices(4, equip="olm")
    point = torch.eye(4, dtype=torch.float64).expand(3, 4, 4)
    for layer in (CorMLR(space, 2), CorFC(space, space), CorNet(4, 3, 2, metric="olm")):
        with pytest.raises(ArrayTypeError) as error:
            layer(point)
        message = str(error.value)
        assert "expected float32, the dtype of the parameters, got float64" in message
        assert "x.float()" in message and "network.double()" in message
        assert layer.double()(point).dtype == torch.float64
        with pytest.raises(ArrayTypeError, match=r"x\.double\(\)"):
            layer(point.float())


def test_sparse_and_missing_tensors():
    layer = CorMLR(FullRankCorrelationMatrices(4, equip="olm"), 2)
    with pytest.raises(ArrayTypeError, match="layout sparse_coo.*to_dense"):
        layer(torch.eye(4).to_sparse())
    with pytest.raises(ArrayTypeError, match="expected a torch tensor, got a NoneType"):
        layer(None)


def test_the_words_of_a_wrong_shape():
    layer = CorMLR(FullRankCorrelationMatrices(5, equip="olm"), 2)
    with pytest.raises(ShapeError) as error:
        layer(torch.eye(6).expand(2, 6, 6))
    assert "expected shape [..., 5, 5], got (2, 6, 6)" in str(error.value)


@pytest.mark.parametrize(
    "matrix, error",
    [
        ([[1.0, 2.0], [2.0, 1.0]], NotPositiveDefiniteError),
        ([[1.0, 0.5], [0.1, 1.0]], NotSymmetricError),
        ([[0.0, 0.0], [0.0, 0.0]], NotPositiveDefiniteError),
        ([[float("nan"), 0.0], [0.0, 1.0]], NotFiniteError),
    ],
)
@pytest.mark.parametrize("layer", [ToCorrelation(), MatrixPower(0.5)])
def test_what_is_no_covariance(layer, matrix, error):
    with pytest.raises(error, match=r"covariance\[1\]"):
        layer(torch.stack([torch.eye(2), torch.tensor(matrix)]))
