"""Batch normalisation: statistics by their definition, and what torch's layers do."""

import copy
import io

import pytest
import torch
import torch.distributed as dist
from processes import FRESH

from cornet_nn import CorBatchNorm, CorChannelConv, CorMLR, CorSequential
from geomstats_cor import frechet_mean
from geomstats_cor.exceptions import ParameterError, ShapeError

from .networks import FLAT, KEYS, PRODUCTS, points, space_of

SCALES = ("channel", "coordinates", None)
DOUBLE = dict(dtype=torch.float64)


def batch(size=12, channels=2, n=4, seed=0, dtype=torch.float64):
    return points(n, (size, channels), seed=seed, dtype=dtype)


def mobius_sum(x, y):
    """Return x + y in the unit ball, by the formula of Ungar."""
    xy = (x * y).sum(-1, keepdim=True)
    xx, yy = (v.square().sum(-1, keepdim=True) for v in (x, y))
    return ((1 + 2 * xy + yy) * x + (1 - xx) * y) / (1 + 2 * xy + xx * yy)


def ball_points(space, given):
    """Return points of the ball that joins the rows, without layers."""
    joined = space.metric.hyperplanes().join(space.metric.to_coords(given))
    length = joined.norm(dim=-1, keepdim=True)
    return torch.tanh(length) * joined / length


def ball_logs(point, base):
    """Return logarithms at a base point, up to the conformal factor."""
    moved = mobius_sum(-base.expand_as(point), point)
    length = moved.norm(dim=-1, keepdim=True)
    return torch.atanh(length) * moved / length


class TestDefinition:
    @pytest.mark.parametrize("scale", SCALES)
    @pytest.mark.parametrize("name", PRODUCTS)
    def test_the_mean_is_the_identity(self, name, scale):
        space, given = space_of(name, 4), batch()
        output = CorBatchNorm(space, 2, scale=scale, **DOUBLE)(given).detach()
        for channel in (0, 1):
            mean = frechet_mean(output[:, channel], space)
            assert (mean - torch.eye(4)).abs().max() < 1e-10

    @pytest.mark.parametrize("scale", SCALES)
    def test_the_mean_is_the_origin_of_the_joined_ball(self, scale):
        """Logarithms at the mean add up to zero, before and after."""
        space, given = space_of("phcm", 4), batch()
        layer = CorBatchNorm(space, 2, scale=scale, momentum=1.0, **DOUBLE)
        output = layer(given).detach()
        half = 0.5 * layer.running_mean
        length = half.norm(dim=-1, keepdim=True)
        mean = torch.tanh(length) * half / length
        before = ball_logs(ball_points(space, given), mean).sum(0)
        assert before.abs().max() < 1e-10
        after = space.metric.hyperplanes().join(space.metric.to_coords(output))
        if scale != "coordinates":  # a dilation keeps directions and ratios
            assert after.sum(0).abs().max() < 1e-10

    @pytest.mark.parametrize("key", KEYS)
    def test_the_dispersion_of_a_channel(self, key):
        space, given = space_of(key, 4), batch()
        layer = CorBatchNorm(space, 2, dispersion=1.0, **DOUBLE)
        output = layer(given).detach()
        if key == "phcm":
            point = ball_points(space, output)
            distances = 2.0 * torch.atanh(point.norm(dim=-1))
        else:
            identity = torch.eye(4, dtype=torch.float64)
            distances = space.metric.dist(output, identity)
        expected = torch.ones(2, dtype=torch.float64)
        torch.testing.assert_close(
            distances.square().mean(0), expected, rtol=0, atol=1e-10
        )

    @pytest.mark.parametrize("key", KEYS)
    def test_the_dispersion_of_coordinates(self, key):
        space, given = space_of(key, 4), batch(30)
        layer = CorBatchNorm(
            space, 2, scale="coordinates", dispersion=0.25, momentum=1.0, **DOUBLE
        )
        output = layer(given).detach()
        tangent = space.metric.to_coords(output)
        if key == "phcm":
            tangent = 2.0 * space.metric.hyperplanes().join(tangent)
        variances = tangent.square().mean(0)
        expected = torch.full((2, 6), 0.25 / 6, dtype=torch.float64)
        torch.testing.assert_close(variances, expected, rtol=1e-10, atol=1e-12)

    @pytest.mark.parametrize("key", FLAT)
    def test_a_dilation_and_a_motion_follow(self, key):
        space, given = space_of(key, 4), batch()
        layer = CorBatchNorm(space, 2, **DOUBLE)
        with torch.no_grad():
            layer.weight.copy_(torch.tensor([[0.5], [2.0]]))
            layer.bias.copy_(0.1 * torch.arange(12.0).reshape(2, 6))
        coords = space.metric.to_coords(given)
        centred = coords - coords.mean(0)
        variance = centred.square().sum(-1).mean(0)[:, None]
        expected = layer.weight * centred / variance.sqrt() + layer.bias
        actual = space.metric.to_coords(layer(given))
        torch.testing.assert_close(actual, expected, rtol=1e-9, atol=1e-9)

    @pytest.mark.parametrize("key", FLAT)
    def test_published_lie_group_normalisation(self, key):
        """Translate by the inverse mean, dilate by Exp and Log at I, translate by B.

        The group law is that of phi, X . Y = phi^-1(phi(X) + phi(Y) - phi(I)).
        """
        space, given = space_of(key, 4), batch()
        metric, identity = space.metric, torch.eye(4, **DOUBLE)

        def image(x):
            return metric.diffeo(x) - metric.diffeo(identity)

        def point(image):
            return metric.diffeo.inverse(image + metric.diffeo(identity))

        def product(x, y):
            return point(image(x) + image(y))

        layer = CorBatchNorm(space, 2, **DOUBLE)
        with torch.no_grad():
            layer.weight.copy_(torch.tensor([[0.5], [2.0]]))
            layer.bias.copy_(0.1 * torch.arange(12.0).reshape(2, 6))
        for channel, output in enumerate(layer(given).unbind(1)):
            points = given[:, channel]
            mean = frechet_mean(points, space)
            variance = metric.squared_dist(points, mean).mean()
            centred = product(point(-image(mean)), points)
            vectors = metric.log(centred, identity)
            factor = layer.weight[channel] / variance.sqrt()
            points = metric.exp(factor * vectors, identity)
            bias = metric.from_coords(layer.bias[channel])
            expected = product(bias, points)
            torch.testing.assert_close(output, expected, rtol=1e-9, atol=1e-9)

    def test_a_motion_of_the_ball_moves_the_mean_to_the_bias(self):
        space, given = space_of("phcm", 4), batch()
        layer = CorBatchNorm(space, 2, scale=None, **DOUBLE)
        with torch.no_grad():
            layer.bias.copy_(0.1 * torch.arange(12.0).reshape(2, 6))
        output = layer(given).detach()
        half = 0.5 * layer.bias.detach()
        length = half.norm(dim=-1, keepdim=True)
        mean = torch.tanh(length) * half / length
        assert ball_logs(ball_points(space, output), mean).sum(0).abs().max() < 1e-10
        # Motions keep distances, here between the first two samples.
        for channel in (0, 1):
            lengths = [
                mobius_sum(-p[0, channel], p[1, channel]).norm()
                for p in (ball_points(space, given), ball_points(space, output))
            ]
            assert float(lengths[0]) == pytest.approx(float(lengths[1]), abs=1e-10)

    @pytest.mark.parametrize("scale", SCALES)
    @pytest.mark.parametrize("key", KEYS)
    def test_gradients_are_difference_quotients(self, key, scale):
        space = space_of(key, 3)
        layer = CorBatchNorm(space, scale=scale, **DOUBLE)
        with torch.no_grad():
            layer.weight.mul_(0.7)
            layer.bias.add_(0.1)
        given = space.metric.to_coords(batch(3, 1, n=3)).requires_grad_()
        parameters = dict(layer.named_parameters())

        def output(coords, *values):
            named = dict(zip(parameters, values, strict=True))
            keywords = dict(from_features=True)
            return torch.func.functional_call(layer, named, (coords,), keywords)

        values = [p.detach().clone().requires_grad_() for p in parameters.values()]
        assert torch.autograd.gradcheck(output, (given, *values), atol=1e-6)


class TestStatistics:
    @pytest.mark.parametrize("key", KEYS)
    def test_momentum_one_is_the_last_batch(self, key):
        layer = CorBatchNorm(space_of(key, 4), 2, momentum=1.0, **DOUBLE)
        given = batch(seed=1)
        layer(batch(seed=0))
        layer(given)
        fresh = CorBatchNorm(space_of(key, 4), 2, momentum=1.0, **DOUBLE)
        fresh(given)
        for name in ("running_mean", "running_var"):
            torch.testing.assert_close(getattr(layer, name), getattr(fresh, name))
        # The output of evaluation differs by the unbiased variance alone.
        space = space_of(key, 4)
        training = space.metric.to_coords(layer(given))
        evaluated = space.metric.to_coords(layer.eval()(given))
        ratio = (11 / 12) ** 0.5
        torch.testing.assert_close(evaluated, ratio * training, rtol=1e-8, atol=1e-8)

    @pytest.mark.parametrize("key", FLAT)
    @pytest.mark.parametrize("momentum", [0.3, None])
    def test_running_statistics_are_those_of_torch(self, key, momentum):
        space = space_of(key, 4)
        layer = CorBatchNorm(space, scale="coordinates", momentum=momentum, **DOUBLE)
        torch_layer = torch.nn.BatchNorm1d(6, momentum=momentum, **DOUBLE)
        layer.running_var.fill_(1.0)
        for seed in range(3):
            given = batch(9, 1, seed=seed)
            layer(given)
            torch_layer(space.metric.to_coords(given)[:, 0])
        for name in ("running_mean", "running_var", "num_batches_tracked"):
            actual, expected = getattr(layer, name), getattr(torch_layer, name)
            torch.testing.assert_close(actual.reshape(expected.shape), expected)

    def test_the_running_mean_of_the_ball_moves_along_a_geodesic(self):
        layer = CorBatchNorm(space_of("phcm", 4), momentum=0.25, **DOUBLE)
        ends = []
        for seed in (0, 1):
            other = CorBatchNorm(space_of("phcm", 4), momentum=1.0, **DOUBLE)
            other(batch(9, 1, seed=seed))
            ends.append(other.running_mean.clone())
        layer.running_mean.copy_(ends[0])
        layer(batch(9, 1, seed=1))
        here, there = (_in_ball(0.5 * v) for v in ends)
        between = _in_ball(0.5 * layer.running_mean)

        def distance(x, y):
            return float(torch.atanh(mobius_sum(-x, y).norm()))

        whole = distance(here, there)
        assert distance(here, between) == pytest.approx(0.25 * whole, rel=1e-9)
        assert distance(between, there) == pytest.approx(0.75 * whole, rel=1e-9)

    @pytest.mark.parametrize("scale", SCALES)
    @pytest.mark.parametrize("key", KEYS)
    def test_momentum_zero_takes_what_fit_was_given(self, key, scale):
        space = space_of(key, 4)
        options = dict(scale=scale, affine=False, **DOUBLE)
        layer = CorBatchNorm(space, 2, momentum=0.0, **options)
        plain = CorBatchNorm(space, 2, **options)
        given = batch()
        layer.fit(space.metric.to_coords(given))
        state = copy.deepcopy(layer.state_dict())
        torch.testing.assert_close(layer(given), plain(given), rtol=1e-9, atol=1e-9)
        part = layer(given[:1])
        torch.testing.assert_close(part, plain(given)[:1], rtol=1e-9, atol=1e-9)
        torch.testing.assert_close(layer.eval()(given), layer.train()(given))
        for name, value in layer.state_dict().items():
            assert torch.equal(value, state[name])

    def test_without_running_statistics_batches_are_used_in_evaluation(self):
        layer = CorBatchNorm(space_of("olm", 4), track_running_stats=False, **DOUBLE)
        assert set(layer.state_dict()) == {"weight", "bias"}
        given = batch(6, 1)
        assert torch.equal(layer(given), layer.eval()(given))
        with pytest.raises(ShapeError, match="more than one sample"):
            layer(given[:1])
        with pytest.raises(ParameterError, match="track_running_stats=True"):
            layer.fit(given.new_zeros(3, 1, 6))

    @pytest.mark.parametrize("scale", SCALES)
    @pytest.mark.parametrize("key", KEYS)
    def test_without_statistics_evaluation_is_the_identity(self, key, scale):
        layer = CorBatchNorm(space_of(key, 4), 2, scale=scale, **DOUBLE).eval()
        torch.testing.assert_close(layer(batch()), batch(), rtol=1e-9, atol=1e-9)

    def test_evaluation_leaves_statistics_and_training_goes_on(self):
        layer = CorBatchNorm(space_of("lsm", 4), 2, **DOUBLE)
        layer(batch(seed=0))
        state = copy.deepcopy(layer.state_dict())
        layer.eval()(batch(seed=1))
        for name, value in layer.state_dict().items():
            assert torch.equal(value, state[name])
        layer.train()(batch(seed=1))
        assert int(layer.num_batches_tracked) == 2
        assert not torch.equal(layer.running_mean, state["running_mean"])

    @pytest.mark.parametrize("scale", SCALES)
    def test_a_saved_layer_is_the_same(self, scale):
        layer = CorBatchNorm(space_of("phcm", 4), 2, scale=scale, **DOUBLE)
        layer(batch())
        file = io.BytesIO()
        torch.save(layer.state_dict(), file)
        file.seek(0)
        other = CorBatchNorm(space_of("phcm", 4), 2, scale=scale, **DOUBLE)
        other.load_state_dict(torch.load(file, weights_only=True))
        given = batch(seed=1)
        assert torch.equal(layer.eval()(given), other.eval()(given))
        foreign = CorBatchNorm(space_of("olm", 4), 2, scale=scale, **DOUBLE)
        with pytest.raises(ParameterError, match="does not belong"):
            foreign.load_state_dict(layer.state_dict())

    def test_all_axes_but_channels_are_samples(self):
        layer = CorBatchNorm(space_of("ecm", 4), 2, **DOUBLE)
        given = batch()
        expected = layer(given).reshape(3, 4, 2, 4, 4)
        actual = layer(given.reshape(3, 4, 2, 4, 4))
        torch.testing.assert_close(actual, expected)

    def test_the_axis_of_one_channel_may_be_missing(self):
        layer = CorBatchNorm(space_of("ecm", 4), **DOUBLE)
        given = batch(8, 1)
        assert torch.equal(layer(given[:, 0]), layer(given)[:, 0])
        assert layer.eval()(given[0, 0]).shape == (4, 4)

    def test_the_parameters_are_drawn_anew(self):
        layer = CorBatchNorm(space_of("ecm", 4), 2, **DOUBLE)
        fresh = copy.deepcopy(layer.state_dict())
        layer(batch())
        layer.reset_parameters()
        for name, value in layer.state_dict().items():
            assert torch.equal(value, fresh[name])


def _in_ball(tangent):
    length = tangent.norm(dim=-1, keepdim=True)
    return torch.tanh(length) * tangent / length


class TestDegenerateInput:
    @pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
    @pytest.mark.parametrize("key", KEYS)
    def test_a_constant_coordinate_becomes_zero(self, key, dtype):
        space = space_of(key, 4)
        coords = 0.3 * torch.randn(
            20, 1, 6, generator=torch.Generator().manual_seed(0), dtype=dtype
        )
        if key == "phcm":
            coords = space.metric.hyperplanes().from_tangent(coords)
        coords[..., 0] = 0.2
        if key == "phcm":
            # A row of its own keeps its direction, not its place: a null one stays.
            coords[..., 0] = 0.0
        given = space.metric.from_coords(coords)
        layer = CorBatchNorm(space, scale="coordinates", dtype=dtype)
        output = space.metric.to_coords(layer(given))
        assert torch.isfinite(output).all()
        assert output[..., 0].abs().max() < 1e-4
        assert output[..., 1:].abs().max() > 0.3
        fixed = CorBatchNorm(space, scale="coordinates", momentum=0.0, dtype=dtype)
        fixed.fit(space.metric.to_coords(given))
        moved = coords.clone()
        moved[..., 0] += 0.1
        seen = space.metric.to_coords(fixed(space.metric.from_coords(moved)))
        assert seen[..., 0].abs().max() < 1e-4

    @pytest.mark.parametrize("scale", ["channel", "coordinates"])
    @pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
    @pytest.mark.parametrize("key", KEYS)
    def test_equal_samples_become_the_identity(self, key, dtype, scale):
        space = space_of(key, 4)
        given = points(4, (2,), dtype=dtype).expand(10, 2, 4, 4).clone()
        layer = CorBatchNorm(space, 2, scale=scale, dtype=dtype)
        output = layer(given)
        assert (output - torch.eye(4)).abs().max() < 1e-5
        output.square().sum().backward()
        assert all(p.grad.isfinite().all() for p in layer.parameters())

    @pytest.mark.parametrize("key", KEYS)
    def test_a_constant_channel_leaves_the_other_one(self, key):
        space, given = space_of(key, 4), batch()
        given[:, 1] = given[0, 1]
        output = CorBatchNorm(space, 2, **DOUBLE)(given)
        alone = CorBatchNorm(space, 1, **DOUBLE)(given[:, :1])
        torch.testing.assert_close(output[:, :1], alone, rtol=1e-9, atol=1e-10)
        assert (output[:, 1] - torch.eye(4)).abs().max() < 1e-10

    @pytest.mark.parametrize("key", KEYS)
    def test_one_sample_has_no_dispersion(self, key):
        layer = CorBatchNorm(space_of(key, 4), 2, **DOUBLE)
        with pytest.raises(ShapeError, match="more than one sample in training, got 1"):
            layer(batch(1))
        assert layer.eval()(batch(1)).shape == (1, 2, 4, 4)
        assert int(layer.num_batches_tracked) == 0

    @pytest.mark.parametrize(
        "options, message",
        [
            (dict(scale="rows"), "scale is 'rows'"),
            (dict(eps=-1.0), "eps must not be negative"),
            (dict(momentum=1.5), "momentum must be between 0 and 1"),
            (dict(momentum=0.0, track_running_stats=False), "momentum = 0"),
            (dict(dispersion=0.0), "dispersion must be positive"),
        ],
    )
    def test_options_that_make_no_sense(self, options, message):
        with pytest.raises(ParameterError, match=message):
            CorBatchNorm(space_of("olm", 4), **options)

    def test_coordinates_of_another_shape(self):
        layer = CorBatchNorm(space_of("olm", 4), 2)
        for shape in [(3, 6), (3, 1, 6), (3, 2, 5), (0, 2, 6)]:
            with pytest.raises(ShapeError, match=r"shape \[N, 2, 6\]"):
                layer.fit(torch.zeros(shape))


class TestFusion:
    @pytest.mark.parametrize("scale", SCALES)
    @pytest.mark.parametrize("key", KEYS)
    def test_with_neighbours_in_coordinates(self, key, scale):
        torch.manual_seed(0)
        space, small = space_of(key, 4), space_of(key, 3)
        layers = [
            CorBatchNorm(space, 2, scale=scale, **DOUBLE),
            CorChannelConv(space, small, 2, 2, **DOUBLE),
            CorBatchNorm(small, 2, scale=scale, dispersion=0.5, **DOUBLE),
            CorMLR(small, 3, 2, **DOUBLE),
        ]
        fused = CorSequential(*layers)
        plain = copy.deepcopy(CorSequential(*layers, fuse=False))
        given = batch()
        torch.testing.assert_close(fused(given), plain(given), rtol=1e-8, atol=1e-8)
        for (name, value), other in zip(
            fused.state_dict().items(), plain.state_dict().values(), strict=True
        ):
            torch.testing.assert_close(value, other, rtol=1e-8, atol=1e-8, msg=name)
        fused.eval()
        plain.eval()
        torch.testing.assert_close(fused(given), plain(given), rtol=1e-8, atol=1e-8)

    def test_the_number_of_channels_must_match(self):
        layers = CorBatchNorm(space_of("olm", 4), 2), CorMLR(space_of("olm", 4), 3, 1)
        with pytest.raises(ShapeError, match="gives 2 channels, but layer 1 takes 1"):
            CorSequential(*layers)


class TestPrecision:
    @pytest.mark.parametrize("scale", SCALES)
    @pytest.mark.parametrize("key", KEYS)
    def test_float32(self, key, scale):
        space = space_of(key, 4)
        output = CorBatchNorm(space, 2, scale=scale)(batch(dtype=torch.float32))
        exact = CorBatchNorm(space, 2, scale=scale, **DOUBLE)(batch())
        assert output.dtype == torch.float32
        torch.testing.assert_close(output.double(), exact, rtol=1e-3, atol=1e-4)

    @pytest.mark.parametrize("key", KEYS)
    def test_autocast_is_off(self, key):
        layers = [CorBatchNorm(space_of(key, 4), 2) for _ in range(2)]
        given = batch(dtype=torch.float32)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            output = layers[0](given)
        assert torch.equal(output, layers[1](given))


def evaluated(key):
    layer = CorBatchNorm(space_of(key, 4), 2, scale="coordinates", **DOUBLE)
    layer(batch())
    return layer.eval()


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_compiled_in_evaluation():
    torch._dynamo.reset()
    layer, given = evaluated("phcm"), batch(seed=1)
    compiled = torch.compile(layer, fullgraph=True, backend="eager")
    torch.testing.assert_close(compiled(given), layer(given))


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_exported_in_evaluation():
    layer, given = evaluated("olm"), batch(seed=1)
    exported = torch.export.export(layer, (given,)).module()
    torch.testing.assert_close(exported(given), layer(given))


def normalise_a_part(rank, folder):
    torch.set_num_threads(1)
    meeting = f"file://{folder}/meeting"
    dist.init_process_group("gloo", init_method=meeting, rank=rank, world_size=2)
    found = {}
    part = slice(0, 5) if rank == 0 else slice(5, 12)
    for key in KEYS:
        layer, given = start(key), batch()[part].requires_grad_()
        output = layer(given)
        loss(output, part).backward()
        found[key] = (output.detach(), given.grad, layer.state_dict())
    torch.save(found, folder / f"{rank}.pt")
    dist.destroy_process_group()


def start(key):
    return CorBatchNorm(space_of(key, 4), 2, scale="coordinates", **DOUBLE)


def loss(output, part):
    weights = torch.arange(12.0, dtype=torch.float64)[part, None, None, None]
    return (weights * output.square()).sum()


@pytest.mark.skipif(not dist.is_available(), reason="this torch has no processes")
def test_two_processes_have_the_statistics_of_one(tmp_path):
    """With parts of different sizes, and gradients through the joint statistics."""
    processes = [
        FRESH.Process(target=normalise_a_part, args=(rank, tmp_path)) for rank in (0, 1)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join(timeout=300)
        assert process.exitcode == 0
    parts = [torch.load(tmp_path / f"{rank}.pt", weights_only=True) for rank in (0, 1)]
    for key in KEYS:
        layer, given = start(key), batch().requires_grad_()
        output = layer(given)
        loss(output, slice(None)).backward()
        near = dict(rtol=1e-8, atol=1e-9)
        for k, expected in enumerate((output.detach(), given.grad)):
            actual = torch.cat([part[key][k] for part in parts])
            torch.testing.assert_close(actual, expected, **near)
        for part in parts:
            for name, expected in layer.state_dict().items():
                torch.testing.assert_close(part[key][2][name], expected, **near)


def test_the_layer_prints_itself():
    text = repr(CorBatchNorm(space_of("olm", 4), 2, scale=None, momentum=None))
    assert "in_channels=2, scale=None, momentum=None, affine=True" in text
