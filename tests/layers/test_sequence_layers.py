"""Layers on sequences, and residual ones, are what they are defined to be."""

import pytest
import torch

from cornet_nn import (
    CorAttention,
    CorChannelConv,
    CorConv1d,
    CorFC,
    CorMLR,
    CorRecurrent,
    CorResidual,
    CorSequential,
    FrechetPool,
    FromCoords,
    TangentActivation,
    ToCoords,
)
from geomstats_cor import frechet_mean
from geomstats_cor.exceptions import ParameterError, ShapeError

from .networks import FLAT, KEYS, points, randomised, space_of

pytestmark = pytest.mark.filterwarnings("ignore:Dynamo detected a call")

DOUBLE = dict(dtype=torch.float64)
CLOSE = dict(rtol=1e-9, atol=1e-9)
every_metric = pytest.mark.parametrize("key", KEYS)


@pytest.fixture
def fresh_compiler():
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


@pytest.mark.slow
@every_metric
def test_compiled_and_exported(key, fresh_compiler):
    """All of them in one graph, and in one program."""
    torch.manual_seed(0)
    options = dict(metric=key, **DOUBLE)
    model = CorSequential(
        CorConv1d(4, 3, None, None, 2, padding=1, **options),
        CorResidual(CorFC(3, 3, **options)),
        CorAttention(3, 2, **options),
        CorRecurrent(3, 3, **options),
        FrechetPool(3, 3, **options),
        ToCoords(3, metric=key),
        torch.nn.LayerNorm(3, **DOUBLE),
        FromCoords(3, metric=key),
    )
    given = points(4, (3, 2))
    expected = model(given)
    compiled = torch.compile(model, fullgraph=True, backend="eager")
    torch.testing.assert_close(compiled(given), expected, rtol=1e-11, atol=1e-11)
    program = torch.export.export(model, (given,)).module()
    torch.testing.assert_close(program(given), expected, rtol=1e-11, atol=1e-11)


@every_metric
def test_coordinates_and_back(key):
    space, given = space_of(key, 4), points(4, (3, 2))
    coords = ToCoords(space)(given)
    torch.testing.assert_close(coords, space.metric.to_coords(given))
    torch.testing.assert_close(FromCoords(space)(coords), given, **CLOSE)
    torch.testing.assert_close(
        CorSequential(ToCoords(space), FromCoords(space))(given), given, **CLOSE
    )


def test_modules_of_torch_between_layers():
    torch.manual_seed(0)
    first, last = (
        CorFC(5, 4, metric="olm", **DOUBLE),
        CorMLR(4, 2, metric="olm", **DOUBLE),
    )
    norm = torch.nn.LayerNorm(6, **DOUBLE)
    model = CorSequential(
        first, ToCoords(4, metric="olm"), norm, FromCoords(4, metric="olm"), last
    )
    given, metric = points(5, (3, 2)), space_of("olm", 4).metric
    middle = metric.from_coords(norm(metric.to_coords(first(given))))
    torch.testing.assert_close(model(given), last(middle), **CLOSE)


class TestResidual:
    @every_metric
    def test_definition(self, key):
        """Exp at x of the logarithm of f(x) at the identity, carried to x."""
        metric, given = space_of(key, 4).metric, points(4, (3,))
        fc = randomised(CorFC(4, 4, metric=key, **DOUBLE), scale=0.2)
        identity = torch.eye(4, **DOUBLE).expand_as(given)
        vector = metric.log(fc(given), identity)
        carried = metric.parallel_transport(vector, identity, end_point=given)
        expected = metric.exp(carried, given)
        torch.testing.assert_close(CorResidual(fc)(given), expected, **CLOSE)

    @every_metric
    def test_null_layers_are_the_identity(self, key):
        fc = CorFC(4, 4, metric=key, **DOUBLE)
        torch.nn.init.zeros_(fc.weight)
        given = points(4, (3,))
        torch.testing.assert_close(CorResidual(fc)(given), given, **CLOSE)

    @every_metric
    def test_fused_in_a_sequence(self, key):
        torch.manual_seed(0)
        block = CorResidual(
            CorSequential(
                CorFC(4, 3, metric=key, **DOUBLE),
                TangentActivation(3, torch.tanh, metric=key),
                CorFC(3, 4, metric=key, **DOUBLE),
            )
        )
        first, last = (
            CorFC(5, 4, metric=key, **DOUBLE),
            CorMLR(4, 2, metric=key, **DOUBLE),
        )
        given = points(5, (3,))
        fused = CorSequential(first, block, last)
        assert fused._links == ("coords", "coords")
        expected = last(block(first(given)))
        torch.testing.assert_close(fused(given), expected, **CLOSE)
        unfused = CorSequential(first, block, last, fuse=False)
        torch.testing.assert_close(unfused(given), expected, **CLOSE)

    def test_channels(self):
        conv = CorChannelConv(4, 4, 3, 3, metric="olm", **DOUBLE)
        assert CorResidual(conv)(points(4, (2, 3))).shape == (2, 3, 4, 4)
        with pytest.raises(ShapeError, match="has 3 channels"):
            CorResidual(conv)(points(4, (2, 2)))
        conv = CorChannelConv(4, 4, 3, 2, metric="olm", **DOUBLE)
        with pytest.raises(ShapeError, match=r"keep the axes .* got \(2, 2\)"):
            CorResidual(conv)(points(4, (2, 3)))

    def test_errors(self):
        with pytest.raises(ShapeError, match="keep the size of matrices, got 4 and 3"):
            CorResidual(CorFC(4, 3, metric="olm"))
        with pytest.raises(ParameterError, match="one metric at both ends"):
            CorResidual(CorFC(space_of("olm", 4), space_of("ecm", 4)))
        with pytest.raises(ParameterError, match="matrices to matrices"):
            CorResidual(CorMLR(4, 3, metric="olm"))
        for layers in ((), (torch.nn.Identity(),)):
            with pytest.raises(ParameterError, match="layers of this package"):
                CorResidual(*layers)


class TestPool:
    @every_metric
    def test_the_mean_of_the_metric(self, key):
        space, given = space_of(key, 4), points(4, (3, 6))
        for sequence, mean in zip(given, FrechetPool(space)(given), strict=True):
            torch.testing.assert_close(mean, frechet_mean(sequence, space), **CLOSE)

    @every_metric
    def test_weights_that_are_given_and_learnt(self, key):
        space, given = space_of(key, 4), points(4, (3, 6))
        weights = torch.rand(3, 6, generator=torch.Generator().manual_seed(0)).double()
        means = FrechetPool(space)(given, weights)
        for row, sequence, mean in zip(weights, given, means, strict=True):
            expected = frechet_mean(sequence, space, weights=row)
            torch.testing.assert_close(mean, expected, **CLOSE)
        layer = FrechetPool(space, 6, **DOUBLE)
        with torch.no_grad():
            layer.weight.copy_(weights[0].log() + 3.0)
        torch.testing.assert_close(layer(given[0]), means[0], **CLOSE)

    def test_errors(self):
        layer = FrechetPool(4, 3, metric="olm", **DOUBLE)
        with pytest.raises(ShapeError, match=r"shape \[..., 3, 4, 4\]"):
            layer(points(4, (2,)))
        with pytest.raises(ShapeError, match="expected a sequence of matrices"):
            FrechetPool(4, metric="olm")(points(4))
        with pytest.raises(ParameterError, match="weights of its own"):
            layer(points(4, (3,)), torch.ones(3, **DOUBLE))
        layer = FrechetPool(4, metric="olm")
        with pytest.raises(ShapeError, match=r"weights: expected shape \[..., 3\]"):
            layer(points(4, (3,)), torch.ones(2, **DOUBLE))
        for wrong in ([1.0, -1.0, 1.0], [0.0, 0.0, 0.0]):
            with pytest.raises(ParameterError, match="not negative, of positive sum"):
                layer(points(4, (3,)), torch.tensor(wrong, **DOUBLE))


class TestAttention:
    @pytest.mark.parametrize("similarity", ["squared", "logarithmic"])
    @every_metric
    def test_definition(self, key, similarity):
        """By queries, keys and values as matrices, and the mean of the metric."""
        space, head = space_of(key, 4), space_of(key, 3)
        layer = CorAttention(space, 2, space_head=head, similarity=similarity, **DOUBLE)
        randomised(layer, scale=0.2)
        given = points(4, (3,))
        query, key_, value = (f(given) for f in (layer.query, layer.key, layer.value))
        heads = []
        for h in range(2):
            distances = head.metric.dist(query[:, None, h], key_[None, :, h])
            if similarity == "squared":
                scores = -(distances**2) / 3.0**0.5
            else:
                scores = 1.0 / (1.0 + torch.log(1.0 + distances))
            weights = torch.softmax(scores, -1)
            means = [frechet_mean(value[:, h], head, weights=row) for row in weights]
            heads.append(torch.stack(means))
        expected = layer.output(torch.stack(heads, 1))
        torch.testing.assert_close(layer(given), expected, rtol=1e-7, atol=1e-7)

    @pytest.mark.parametrize("key", ["olm", "lsm"])
    def test_the_published_attention(self, key):
        """Weights and mean of MAtt, with the logarithm of the metric for that of LEM.

        The mean of log-Euclidean geometry is exp of the weighted sum of logarithms.
        """
        metric = space_of(key, 3).metric
        layer = CorAttention(3, similarity="logarithmic", metric=key, **DOUBLE)
        given = points(3, (5,))
        coords = [metric.to_coords(f(given)[:, 0]) for f in (layer.query, layer.key)]
        values = metric.to_coords(layer.value(given)[:, 0])
        energy = 1.0 / (1.0 + torch.log1p(torch.cdist(*coords)))
        mean = metric.from_coords(torch.softmax(energy, -1) @ values)
        expected = layer.output(mean[:, None])
        torch.testing.assert_close(layer(given), expected, **CLOSE)

    @pytest.mark.parametrize("key", ["olm", "lsm"])
    def test_homomorphisms_of_the_published_attention(self, key):
        """CorAtt: queries, keys and values are C -> Exp(P(M' Log(C) M)), rotations M.

        P projects on the image of Log: hollow matrices, or symmetric ones with null
        row sums, which rotations about (1, ..., 1) keep. Distances are Frobenius norms
        of differences of logarithms, and there is no layer after the mean.
        """
        space = space_of(key, 4)
        to_image, options = space.metric.diffeo, dict(metric=key, bias=False, **DOUBLE)
        layer = CorAttention(4, similarity="logarithmic", **options)
        steps = torch.randn(3, 4, 4, **DOUBLE)
        if key == "lsm":
            steps = steps - steps.mean(-1, keepdim=True)
            steps = steps - steps.mean(-2, keepdim=True)
        rotations = torch.matrix_exp(steps - steps.mT)

        def turned(image, rotation):
            image = rotation.mT @ image @ rotation
            return image - torch.diag_embed(image.diagonal(0, -2, -1)) * (key == "olm")

        maps = [lambda x, r=r: turned(x, r) for r in rotations] + [lambda x: x]
        learners = layer.query, layer.key, layer.value, layer.output
        for learner, function in zip(learners, maps, strict=True):
            _set_linear_map(learner, space, function)
        given = points(4, (5,))
        query, key_, value = (turned(to_image(given), r) for r in rotations)
        distances = (query[:, None] - key_[None]).square().sum((-2, -1)).sqrt()
        weights = torch.softmax(1.0 / (1.0 + torch.log(1.0 + distances)), -1)
        expected = to_image.inverse(torch.einsum("ij,jkl->ikl", weights, value))
        torch.testing.assert_close(layer(given), expected, **CLOSE)

    @every_metric
    def test_permutations_and_padding(self, key):
        layer = CorAttention(4, 2, metric=key, **DOUBLE)
        given, order = points(4, (2, 5)), torch.tensor([3, 0, 4, 1, 2])
        output = layer(given)
        torch.testing.assert_close(layer(given[:, order]), output[:, order], **CLOSE)
        mask = torch.tensor([[False] * 3 + [True] * 2] * 2)
        masked = layer(given, mask)[:, :3]
        torch.testing.assert_close(masked, layer(given[:, :3]), **CLOSE)

    def test_at_equal_matrices_the_gradient_is_finite(self):
        layer = CorAttention(3, similarity="logarithmic", metric="olm", **DOUBLE)
        layer.key.load_state_dict(layer.query.state_dict())
        given = points(3).expand(4, 3, 3).clone().requires_grad_()
        layer(given).square().sum().backward()
        assert torch.isfinite(given.grad).all()
        assert all(torch.isfinite(p.grad).all() for p in layer.parameters())

    def test_errors(self):
        layer, given = CorAttention(4, metric="olm", **DOUBLE), points(4, (2, 5))
        with pytest.raises(ShapeError, match="expected a sequence of matrices"):
            layer(given[0, 0])
        with pytest.raises(ShapeError, match=r"bool and shape \(2, 5\), got float32"):
            layer(given, torch.zeros(2, 5))
        with pytest.raises(ParameterError, match="a sequence with none"):
            layer(given, torch.ones(2, 5, dtype=torch.bool))
        with pytest.raises(ParameterError, match="heads must be a positive integer"):
            CorAttention(4, 0, metric="olm")
        with pytest.raises(ParameterError, match="similarity is 'dot'"):
            CorAttention(4, similarity="dot", metric="olm")


def _set_linear_map(layer, space, function):
    """Let a layer from a matrix to one be a linear map of logarithms."""
    metric, given = space.metric, points(space.n, (20,))
    with torch.no_grad():
        layer.weight.copy_(torch.eye(space.dim, **DOUBLE).view_as(layer.weight))
        inputs = given if layer.in_channels is None else given[:, None]
        found = metric.to_coords(layer(inputs)).reshape(20, -1)
        wanted = metric.to_coords(metric.diffeo.inverse(function(metric.diffeo(given))))
        weight = torch.linalg.lstsq(found, wanted).solution.mT
        layer.weight.copy_(weight.reshape(layer.weight.shape))
        actual = metric.to_coords(layer(inputs)).reshape(20, -1)
    torch.testing.assert_close(actual, wanted, **CLOSE)


class TestRecurrent:
    @pytest.mark.parametrize("key", FLAT)
    def test_torch_in_coordinates(self, key):
        """Under a flat metric, weights and offsets are those of torch.nn.GRU."""
        layer = randomised(CorRecurrent(4, 3, metric=key, **DOUBLE), scale=0.2)
        theirs = torch.nn.GRU(6, 3, batch_first=True, **DOUBLE)
        for part, name in ((layer.input, "ih"), (layer.state, "hh")):
            dim = part.hyperplanes_in.dim
            axes = torch.eye(dim, **DOUBLE)
            features = part.hyperplanes_in.features_of_coords(axes)
            origin = part(torch.zeros(dim, **DOUBLE), from_features=True)
            slopes = (part(features, from_features=True) - origin).mT
            with torch.no_grad():
                getattr(theirs, f"weight_{name}_l0").copy_(slopes)
                getattr(theirs, f"bias_{name}_l0").copy_(origin)
        metric_in, metric_out = space_of(key, 4).metric, space_of(key, 3).metric
        given, first = points(4, (2, 5)), points(3, (2,), seed=3)
        expected, _ = theirs(metric_in.to_coords(given))
        actual = metric_out.to_coords(layer(given))
        torch.testing.assert_close(actual, expected, **CLOSE)
        expected, _ = theirs(
            metric_in.to_coords(given), metric_out.to_coords(first)[None]
        )
        actual = metric_out.to_coords(layer(given, first))
        torch.testing.assert_close(actual, expected, **CLOSE)

    def test_poly_hyperbolic(self):
        """One step from the identity: the candidate has the distances tanh(v)."""
        layer = CorRecurrent(4, 3, metric="phcm", bias=False, **DOUBLE)
        given, metric = points(4, (1,)), space_of("phcm", 3).metric
        logits = layer.input(given[0])
        update, candidate = torch.sigmoid(logits[3:6]), torch.tanh(logits[6:])
        coords = (1.0 - update) * metric.hyperplanes().coords(candidate)
        torch.testing.assert_close(layer(given)[0], metric.from_coords(coords))

    @every_metric
    def test_steps_may_be_taken_one_by_one(self, key):
        layer = CorRecurrent(4, 3, metric=key, **DOUBLE)
        last = CorRecurrent(4, 3, last=True, metric=key, **DOUBLE)
        last.load_state_dict(layer.state_dict())
        given = points(4, (2, 4))
        states = layer(given)
        torch.testing.assert_close(last(given), states[:, -1])
        torch.testing.assert_close(last(given[:, 2:], states[:, 1]), states[:, -1])

    def test_errors(self):
        layer, given = CorRecurrent(4, 3, metric="olm", **DOUBLE), points(4, (2, 5))
        with pytest.raises(ShapeError, match="expected a sequence of matrices"):
            layer(given[0, 0])
        with pytest.raises(ShapeError, match=r"\[..., 3, 3\], got \(2, 4, 4\)"):
            layer(given, given[:, 0])
        with pytest.raises(ShapeError, match=r"shape \(2, 3, 3\), got \(3, 3\)"):
            layer(given, points(3))


@every_metric
def test_a_sequence_of_them_is_fused(key):
    torch.manual_seed(0)
    layers = [
        CorFC(5, 4, metric=key, **DOUBLE),
        CorAttention(4, 2, space_head=3, metric=key, **DOUBLE),
        CorRecurrent(4, 3, metric=key, **DOUBLE),
        FrechetPool(3, metric=key),
        CorMLR(3, 2, metric=key, **DOUBLE),
    ]
    model, given = CorSequential(*layers), points(5, (2, 3))
    assert model._links == ("coords",) * 4
    expected = given
    for layer in layers:
        expected = layer(expected)
    torch.testing.assert_close(model(given), expected, rtol=1e-7, atol=1e-7)


def test_numbers_and_matrices_do_not_follow_each_other():
    with pytest.raises(ShapeError, match="layer 1 takes numbers.*ToCoords"):
        CorSequential(CorFC(4, 4, metric="olm"), FromCoords(4, metric="olm"))
    with pytest.raises(ShapeError, match="layer 0 gives numbers"):
        CorSequential(ToCoords(4, metric="olm"), CorFC(4, 4, metric="olm"))
    with pytest.raises(ShapeError, match=r"expected shape \[..., 6\].*got \(2, 5\)"):
        FromCoords(4, metric="olm")(torch.zeros(2, 5))
