"""Convolution: a fully connected layer on every receptive field."""

import pytest
import torch

from cornet_nn import (
    CorChannelConv,
    CorConv1d,
    CorFC,
    CorNet,
    CorSequential,
    beta_concat,
    beta_split,
    poincare_exp0,
    poincare_fc,
    poincare_log0,
)
from geomstats_cor.exceptions import ParameterError, ShapeError

from .networks import KEYS, points, randomised, space_of

DOUBLE = dict(dtype=torch.float64)
CLOSE = dict(rtol=1e-11, atol=1e-12)
every_metric = pytest.mark.parametrize("key", KEYS)


def kernel_of(conv, kernel, fan):
    """Return one kernel of a convolution as a fully connected layer."""
    dim = conv.hyperplanes_out.dim
    rows = slice(dim * kernel, dim * (kernel + 1))
    spaces = conv.hyperplanes_in.metric._space, conv.hyperplanes_out.metric._space
    fc = CorFC(*spaces, fan, basis=conv.basis, bias=conv.gamma is not None, **DOUBLE)
    fc.load_state_dict({k: v[rows] for k, v in conv.state_dict().items()})
    return fc


@pytest.mark.parametrize("basis", ["orthonormal", "printed"])
@every_metric
@pytest.mark.parametrize(
    "channels, kernel_size, stride, fields",
    [(5, 2, 1, 4), (5, 2, 2, 2), (4, None, 1, 1), (3, 1, 1, 3), (1, None, 1, 1)],
)
def test_along_channels_every_kernel_is_a_fully_connected_layer(
    key, channels, kernel_size, stride, fields, basis
):
    options = dict(kernel_size=kernel_size, stride=stride, basis=basis, **DOUBLE)
    conv = CorChannelConv(space_of(key, 4), space_of(key, 3), channels, 2, **options)
    randomised(conv, scale=0.3)
    given = points(4, (6, channels))
    output = conv(given)
    assert conv.fields == fields
    assert output.shape == (6, 2 * fields, 3, 3)
    size = conv.kernel_size
    for kernel in range(2):
        fc = kernel_of(conv, kernel, size)
        for field in range(fields):
            start = field * stride
            expected = fc(given[:, start : start + size])
            # Kernel-major: all fields of the first kernel come first.
            torch.testing.assert_close(
                output[:, kernel * fields + field], expected, **CLOSE
            )


@every_metric
@pytest.mark.parametrize(
    "options",
    [
        dict(),
        dict(stride=2, bias=False),
        dict(padding=2, dilation=2),
        dict(padding=1, stride=3),
    ],
    ids=str,
)
def test_along_a_sequence_every_kernel_sees_all_channels(key, options):
    """Indices are those of torch.nn.Conv1d, and padding is by identity matrices."""
    spaces = space_of(key, 4), space_of(key, 3)
    conv = CorConv1d(*spaces, 2, 3, 3, **options, **DOUBLE)
    randomised(conv, scale=0.3)
    given = points(4, (5, 2, 7))
    output = conv(given)
    stride, padding = options.get("stride", 1), options.get("padding", 0)
    dilation = options.get("dilation", 1)
    torch_conv = torch.nn.Conv1d(2, 3, 3, stride, padding, dilation)
    length = torch_conv(torch.zeros(5, 2, 7)).shape[-1]
    assert output.shape == (5, 3, length, 3, 3)
    ends = torch.eye(4, **DOUBLE).expand(5, 2, padding, 4, 4)
    padded = torch.cat([ends, given, ends], dim=2)
    for kernel in range(3):
        fc = kernel_of(conv, kernel, 6)
        for step in range(length):
            start = step * stride
            field = padded[:, :, start : start + 2 * dilation + 1 : dilation]
            expected = fc(field.flatten(1, 2))
            torch.testing.assert_close(output[:, kernel, step], expected, **CLOSE)


@every_metric
def test_the_layer_of_the_paper_is_a_case(key):
    spaces = space_of(key, 4), space_of(key, 3)
    paper = CorChannelConv(*spaces, 5, 2, kernel_size=2, stride=2, **DOUBLE)
    conv = CorConv1d(*spaces, None, 2, 2, stride=2, **DOUBLE)
    conv.load_state_dict(randomised(paper).state_dict())
    given = points(4, (6, 5))
    torch.testing.assert_close(conv(given).flatten(1, 2), paper(given), **CLOSE)


@every_metric
def test_two_layers_stack(key):
    spaces = [space_of(key, n) for n in (5, 4, 3)]
    first = CorConv1d(*spaces[:2], None, 2, 3, padding=1, **DOUBLE)
    second = CorConv1d(*spaces[1:], 2, None, 3, stride=2, **DOUBLE)
    model = CorSequential(first, second)
    given = points(5, (4, 7))
    output = model(given)
    assert output.shape == (4, 3, 3, 3)
    torch.testing.assert_close(output, second(first(given)), rtol=1e-9, atol=1e-9)


class TestKernelsOfTheBall:
    """Several kernels under the poly-hyperbolic metric, by the functions of the ball.

    Features are joined over channels and rows; the balls of the output are those of
    each kernel, or one ball of all kernels, as the paper has it.
    """

    spaces = space_of("phcm", 4), space_of("phcm", 3)

    def joined(self, given, channels):
        """Return the point of the ball into which rows and channels are joined."""
        coords = self.spaces[0].metric.to_coords(given)
        rows = [
            poincare_exp0(row)
            for channel in range(channels)
            for row in coords[:, channel].split([1, 2, 3], dim=-1)
        ]
        return beta_concat(rows)

    def matrices(self, balls):
        """Return matrices from points of balls of dimension 3, one for each."""
        rows = [beta_split(ball, [1, 2]) for ball in balls]
        coords = [torch.cat([poincare_log0(r) for r in pair], -1) for pair in rows]
        return self.spaces[1].metric.from_coords(torch.stack(coords, -2))

    @pytest.mark.parametrize("kernels", ["separate", "joint"])
    def test_definition(self, kernels):
        conv = CorChannelConv(*self.spaces, 2, 3, kernels=kernels, **DOUBLE)
        randomised(conv, scale=0.2)
        given = points(4, (5, 2))
        point, weight = self.joined(given, 2), conv.weight.flatten(1)
        if kernels == "joint":
            whole = poincare_fc(point, weight, conv.gamma[:, 0])
            balls = beta_split(whole, [3, 3, 3])
        else:
            parts = zip(weight.split(3), conv.gamma[:, 0].split(3), strict=True)
            balls = [poincare_fc(point, *part) for part in parts]
        torch.testing.assert_close(conv(given), self.matrices(balls), **CLOSE)

    def test_they_differ_for_several_kernels_only(self):
        for count in (1, 3):
            one, other = (
                CorChannelConv(*self.spaces, 2, count, kernels=kernels, **DOUBLE)
                for kernels in ("separate", "joint")
            )
            other.load_state_dict(one.state_dict())
            given = points(4, (5, 2))
            difference = float((one(given) - other(given)).abs().max())
            assert difference < 1e-12 if count == 1 else difference > 1e-3

    def test_the_network_of_the_paper(self):
        options = dict(in_channels=2, metric="phcm", out_channels=3, **DOUBLE)
        models = [CorNet(4, 3, 2, **options, kernels=k) for k in ("separate", "joint")]
        models[1].load_state_dict(models[0].state_dict())
        given = points(4, (5, 2))
        assert models[1].conv.kernels == "joint"
        assert not torch.allclose(models[0](given), models[1](given))


@pytest.mark.parametrize("key", [key for key in KEYS if key != "phcm"])
def test_kernels_of_flat_metrics_are_joined_as_they_are(key):
    spaces = space_of(key, 4), space_of(key, 3)
    one, other = (
        CorChannelConv(*spaces, 2, 3, kernels=kernels, **DOUBLE)
        for kernels in ("separate", "joint")
    )
    other.load_state_dict(one.state_dict())
    given = points(4, (5, 2))
    assert torch.equal(one(given), other(given))


def test_the_network_has_the_convolution_that_is_asked_for():
    wanted = dict(kernel_size=2, stride=3, basis="printed")
    model = CorNet(
        4, 3, 2, in_channels=8, metric="lsm", out_channels=2, **wanted, **DOUBLE
    )
    conv = CorChannelConv(space_of("lsm", 4), space_of("lsm", 3), 8, 2, **wanted)
    conv.double().load_state_dict(model.conv.state_dict())
    given = points(4, (5, 8))
    expected = model.mlr(conv(given))
    torch.testing.assert_close(model(given), expected, **CLOSE)
    conv.basis = "orthonormal"
    assert (model.mlr(conv(given)) - expected).abs().max() > 1e-3


def test_further_axes_of_a_batch():
    conv = CorConv1d(5, 3, 3, 2, 2, metric="olm", **DOUBLE)
    given = points(5, (2, 4, 3, 6))
    output = conv(given)
    assert output.shape == (2, 4, 2, 5, 3, 3)
    torch.testing.assert_close(output[1, 2], conv(given[1, 2]))


@pytest.mark.parametrize(
    "options, message",
    [
        (dict(kernel_size=4), "kernel_size = 4 exceeds in_channels = 3"),
        (dict(stride=0), "stride must be a positive integer, not 0"),
        (dict(kernel_size=0), "kernel_size must be a positive integer"),
        (dict(kernel_size=1.5), "kernel_size must be a positive integer, not 1.5"),
        (dict(basis="other"), "there is no basis 'other'"),
        (dict(kernels="all"), 'kernels is \'all\': expected "separate" or "joint"'),
    ],
)
def test_errors(options, message):
    with pytest.raises(ParameterError, match=message):
        CorChannelConv(space_of("olm", 4), space_of("olm", 3), 3, 2, **options)


def test_errors_of_sequences():
    conv = CorConv1d(4, 3, 2, 2, 3, metric="olm", dilation=2)
    for shape, message in [
        ((4, 4), r"expected shape \[..., 2, length, 4, 4\], got \(4, 4\)"),
        ((7, 4, 4), r"expected shape \[..., 2, length, 4, 4\]"),
        ((3, 7, 4, 4), "as the layer has 2 channels.*CorChannelConv convolves"),
        ((2, 4, 4, 4), "at least 5 matrices for kernel_size = 3, dilation = 2"),
    ]:
        with pytest.raises(ShapeError, match=message):
            conv(torch.eye(4).expand(shape))
    for options in (dict(padding=-1), dict(dilation=0), dict(kernel_size=0)):
        (name,) = options
        with pytest.raises(ParameterError, match=f"{name} must be a positive integer"):
            CorConv1d(4, 3, 2, 2, **{"kernel_size": 1, **options}, metric="olm")
    with pytest.raises(ShapeError, match="gives 3 channels, but layer 1 takes 2"):
        CorSequential(
            CorConv1d(4, 3, 2, 3, 1, metric="olm"),
            CorConv1d(3, 3, 2, 3, 1, metric="olm"),
        )
