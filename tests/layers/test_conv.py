"""Convolution: a fully connected layer on every receptive field."""

import pytest
import torch

from cornet_nn import CorConv1d, CorFC, CorNet
from geomstats_cor.exceptions import ParameterError

from .networks import points, randomised, space_of


@pytest.mark.parametrize("basis", ["orthonormal", "printed"])
@pytest.mark.parametrize("key", ["ecm", "lecm", "olm", "lsm", "phcm"])
@pytest.mark.parametrize(
    "channels, kernel_size, stride, fields",
    [(5, 2, 1, 4), (5, 2, 2, 2), (4, None, 1, 1), (3, 1, 1, 3), (1, None, 1, 1)],
)
def test_every_kernel_is_a_fully_connected_layer(
    key, channels, kernel_size, stride, fields, basis
):
    space_in, space_out = space_of(key, 4), space_of(key, 3)
    options = dict(basis=basis, dtype=torch.float64)
    conv = CorConv1d(space_in, space_out, channels, 2, kernel_size, stride, **options)
    randomised(conv, scale=0.3)
    given = points(4, (6, channels))
    output = conv(given)
    assert conv.fields == fields
    assert output.shape == (6, 2 * fields, 3, 3)
    size = conv.kernel_size
    for kernel in range(2):
        fc = CorFC(space_in, space_out, size, **options)
        rows = slice(3 * kernel, 3 * kernel + 3)
        fc.load_state_dict({k: v[rows] for k, v in conv.state_dict().items()})
        for field in range(fields):
            start = field * stride
            expected = fc(given[:, start : start + size])
            # Kernel-major: all fields of the first kernel come first.
            torch.testing.assert_close(
                output[:, kernel * fields + field], expected, rtol=1e-11, atol=1e-12
            )


def test_the_network_has_the_convolution_that_is_asked_for():
    wanted = dict(out_channels=2, kernel_size=2, stride=3, basis="printed")
    model = CorNet(4, 3, 2, in_channels=8, metric="lsm", dtype=torch.float64, **wanted)
    conv = CorConv1d(
        space_of("lsm", 4), space_of("lsm", 3), 8, dtype=torch.float64, **wanted
    )
    conv.load_state_dict(model.conv.state_dict())
    given = points(4, (5, 8))
    expected = model.mlr(conv(given))
    torch.testing.assert_close(model(given), expected, rtol=1e-11, atol=1e-12)
    conv.basis = "orthonormal"
    assert (model.mlr(conv(given)) - expected).abs().max() > 1e-3


def test_further_axes_of_a_batch():
    conv = CorConv1d(
        space_of("olm", 4), space_of("olm", 3), 3, 2, 2, dtype=torch.float64
    )
    given = points(4, (2, 5, 3))
    output = conv(given)
    assert output.shape == (2, 5, 4, 3, 3)
    torch.testing.assert_close(output[1, 2], conv(given[1, 2]))


@pytest.mark.parametrize(
    "options, message",
    [
        (dict(kernel_size=4), "kernel_size = 4 exceeds in_channels = 3"),
        (dict(stride=0), "stride must be a positive integer, not 0"),
        (dict(kernel_size=0), "kernel_size must be a positive integer"),
        (dict(kernel_size=1.5), "kernel_size must be a positive integer, not 1.5"),
        (dict(basis="other"), "there is no basis 'other'"),
    ],
)
def test_errors(options, message):
    with pytest.raises(ParameterError, match=message):
        CorConv1d(space_of("olm", 4), space_of("olm", 3), 3, 2, **options)
