"""What users of torch expect of a module."""

import copy
import io
import pickle

import pytest
import torch
from torch.func import functional_call, grad, vmap
from torch.utils._python_dispatch import TorchDispatchMode

from cornet_nn import (
    CorFC,
    CorMLR,
    CorNet,
    MatrixPower,
    PoincareExp0,
    PoincareLog0,
    PoincareMLR,
)

from .networks import KEYS, LAYERS, PLACES, layer_of, points, space_of

pytestmark = pytest.mark.filterwarnings("ignore:Dynamo detected a call")

every_layer = pytest.mark.parametrize("kind", LAYERS)
every_metric = pytest.mark.parametrize("key", KEYS)


@pytest.fixture(autouse=True)
def fresh_compiler():
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


def assert_compiled_is_eager(layer, backend):
    given = points(4, (3, 2)).requires_grad_()
    leaves = [given, *layer.parameters()]
    expected = layer(given)
    actual = torch.compile(layer, fullgraph=True, backend=backend)(given)
    torch.testing.assert_close(actual, expected, rtol=1e-11, atol=1e-11)
    weights = torch.linspace(-1.0, 1.0, expected.numel(), dtype=torch.float64)
    weights = weights.reshape(expected.shape)
    found = torch.autograd.grad((weights * actual).sum(), leaves)
    wanted = torch.autograd.grad((weights * expected).sum(), leaves)
    for ours, reference in zip(found, wanted, strict=True):
        torch.testing.assert_close(ours, reference, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("kind", ["mlr", "fc", "conv", "activation"])
@every_metric
def test_the_whole_layer_is_one_graph(kind, key):
    assert_compiled_is_eager(layer_of(kind, key), "eager")


@every_metric
def test_the_graph_of_the_network_is_differentiated_ahead_of_time(key):
    assert_compiled_is_eager(layer_of("cornet", key), "aot_eager")


@pytest.mark.slow
@pytest.mark.parametrize("key", ["ecm", "lecm", "olm", "lsm", "phcm"])
def test_the_code_that_is_generated(key):
    """Of a layer that also writes points, with its derivatives."""
    assert_compiled_is_eager(layer_of("fc", key), "inductor")


@pytest.mark.parametrize("exponent", [-0.5, 2.5])
def test_the_code_that_is_generated_for_powers(exponent):
    assert_compiled_is_eager(MatrixPower(exponent), "inductor")


@pytest.mark.parametrize(
    "make",
    [PoincareExp0, PoincareLog0, lambda k: PoincareMLR(4, 3, k), MatrixPower],
    ids=["exp", "log", "mlr", "power"],
)
def test_instances_that_differ_by_a_number(make):
    """After the first one, torch.compile takes their numbers for variables."""
    given = points(4, (3,)) if make is MatrixPower else points(4, (3,))[..., 0] / 2.0
    for number in (-1.0, -0.5, -0.3):
        module = make(number).double()
        compiled = torch.compile(module, fullgraph=True, backend="aot_eager")
        torch.testing.assert_close(compiled(given), module(given))


@every_layer
@every_metric
def test_gradients_of_each_sample(kind, key):
    layer = layer_of(kind, key)
    given = points(4, (3, 2))
    parameters = {k: v.detach() for k, v in layer.named_parameters()}

    def loss(parameters, sample):
        return (functional_call(layer, parameters, (sample,)) ** 2).sum()

    by_input = vmap(grad(loss, argnums=1), in_dims=(None, 0))(parameters, given)
    by_parameters = vmap(grad(loss), in_dims=(None, 0))(parameters, given)
    for index, sample in enumerate(given):
        sample = sample.clone().requires_grad_()
        layer.zero_grad()
        (layer(sample) ** 2).sum().backward()
        torch.testing.assert_close(by_input[index], sample.grad, rtol=1e-9, atol=1e-9)
        for name, parameter in layer.named_parameters():
            torch.testing.assert_close(
                by_parameters[name][index], parameter.grad, rtol=1e-9, atol=1e-9
            )


@every_layer
@every_metric
def test_copies(kind, key):
    layer = layer_of(kind, key)
    given = points(4, (3, 2))
    expected = layer(given)
    for copied in (copy.deepcopy(layer), pickle.loads(pickle.dumps(layer))):
        torch.testing.assert_close(copied(given), expected, rtol=0, atol=0)
        for ours, theirs in zip(layer.parameters(), copied.parameters(), strict=True):
            assert ours.data_ptr() != theirs.data_ptr()
    assert repr(copied) == repr(layer)


@pytest.mark.parametrize("kind", ["mlr", "fc", "conv", "cornet"])
@every_metric
def test_state(kind, key):
    layer = layer_of(kind, key)
    other = layer_of(kind, key, seed=9)
    given = points(4, (3, 2))
    assert not torch.allclose(layer(given), other(given))
    file = io.BytesIO()
    torch.save(layer.state_dict(), file)
    file.seek(0)
    missing = other.load_state_dict(torch.load(file, weights_only=True))
    assert not missing.missing_keys and not missing.unexpected_keys
    torch.testing.assert_close(other(given), layer(given), rtol=0, atol=0)


def test_names_and_shapes_of_parameters():
    for key in KEYS:
        model = CorNet(
            6, 4, 3, in_channels=5, metric=key, out_channels=2, kernel_size=3
        )
        joined = key == "phcm"
        assert {k: tuple(v.shape) for k, v in model.state_dict().items()} == {
            "conv.weight": (12, 3, 15),
            "conv.gamma": (12, 1 if joined else 3),
            "mlr.weight": (3, 6, 6),
            "mlr.gamma": (3, 1 if joined else 6),
        }


@every_layer
@every_metric
def test_precision_of_parameters_and_input(kind, key):
    layer = layer_of(kind, key).to(torch.float32)
    given = points(4, (3, 2))
    double = layer_of(kind, key)(given)
    single = layer(given.float())
    assert single.dtype == torch.float32
    torch.testing.assert_close(single.double(), double, rtol=2e-4, atol=2e-4)


@every_metric
def test_dtype_and_device_of_the_constructor(key):
    options = dict(dtype=torch.float64, device="cpu")
    model = CorNet(4, 3, 2, metric=key, **options)
    assert {p.dtype for p in model.parameters()} == {torch.float64}
    assert {p.dtype for p in CorNet(4, 3, 2, metric=key).parameters()} == {
        torch.float32
    }
    meta = CorNet(4, 3, 2, metric=key, device="meta")
    assert {p.device.type for p in meta.parameters()} == {"meta"}


@every_layer
@every_metric
def test_autocast(kind, key):
    """Geometry stays in single precision, whatever was made of the input before."""
    layer = layer_of(kind, key, dtype=torch.float32)
    given = points(4, (3, 2), dtype=torch.float32)
    expected = layer(given)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        actual = layer(given)
        narrow = layer(torch.eye(4, dtype=torch.bfloat16).expand(3, 2, 4, 4))
    assert actual.dtype == narrow.dtype == torch.float32
    torch.testing.assert_close(actual, expected, rtol=0, atol=0)
    assert torch.isfinite(narrow).all()


@every_layer
@every_metric
def test_layer_that_is_made_under_autocast(kind, key):
    torch.manual_seed(0)
    expected = LAYERS[kind](key, dtype=torch.float32)
    torch.manual_seed(0)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        actual = LAYERS[kind](key, dtype=torch.float32)
    for a, b in zip(actual.parameters(), expected.parameters(), strict=True):
        torch.testing.assert_close(a, b, rtol=0, atol=0)


@every_layer
@every_metric
def test_shapes_without_numbers(kind, key):
    given = points(4, (3, 2))
    expected = layer_of(kind, key)(given)
    actual = layer_of(kind, key).to("meta")(given.to("meta"))
    assert actual.is_meta and actual.dtype == expected.dtype
    assert actual.shape == expected.shape


def test_autocast_of_a_compiled_layer():
    layer = layer_of("mlr", "ecm", dtype=torch.float32)
    given = points(4, (3, 2), dtype=torch.float32)
    compiled = torch.compile(layer, fullgraph=True, backend="eager")
    with torch.autocast("cpu", dtype=torch.bfloat16):
        torch.testing.assert_close(compiled(given), layer(given), rtol=1e-5, atol=1e-6)


def test_representations():
    space, small = space_of("olm", 5), space_of("lsm", 3)
    assert repr(CorMLR(space, 4, 2)) == (
        "CorMLR(n=5, metric=OffLogMetric, in_channels=2, num_classes=4)"
    )
    assert repr(CorFC(space, small)) == (
        "CorFC(n=5 -> 3, metric=OffLogMetric -> LogScaledMetric, in_channels=None, "
        "basis='orthonormal')"
    )
    assert "fuse=True" in repr(CorNet(4, 3, 2, metric="ecm"))


def test_shapes_of_batches():
    space = space_of("ecm", 4)
    one, two = CorMLR(space, 3), CorMLR(space, 3, in_channels=2)
    fc = CorFC(space, space_of("ecm", 3))
    for shape, expected in [
        ((4, 4), (3,)),
        ((5, 4, 4), (5, 3)),
        ((1, 4, 4), (1, 3)),
        ((0, 4, 4), (0, 3)),
        ((5, 1, 4, 4), (5, 1, 3)),
        ((6, 5, 2, 4, 4), (6, 5, 2, 3)),
    ]:
        given = torch.eye(4).expand(shape)
        assert one(given).shape == expected
        assert fc(given).shape == (*expected[:-1], 3, 3)
    for shape, expected in [((2, 4, 4), (3,)), ((5, 2, 4, 4), (5, 3))]:
        assert two(torch.eye(4).expand(shape)).shape == expected


def test_places_are_correlation_matrices():
    for matrices in PLACES.values():
        assert space_of("ecm", 4).belongs(matrices).all()


class Largest(TorchDispatchMode):
    """How many entries the largest tensor has that is computed."""

    entries = 0

    def __torch_dispatch__(self, function, types, arguments=(), keywords=None):
        result = function(*arguments, **(keywords or {}))
        for tensor in torch.utils._pytree.tree_leaves(result):
            if isinstance(tensor, torch.Tensor):
                self.entries = max(self.entries, tensor.numel())
        return result


@pytest.mark.parametrize("n", [12, 60])
@every_metric
def test_weights_never_become_square_matrices(key, n):
    """A hundred hyperplanes for one matrix: nothing is as large as their matrices."""
    layer = CorMLR(space_of(key, n), 100, dtype=torch.float64)
    given = points(n, (1,))
    for derivatives in (False, True):
        with Largest() as largest, torch.set_grad_enabled(derivatives):
            logits = layer(given)
            if derivatives:
                logits.square().sum().backward()
        assert 100 <= largest.entries <= 100 * n * (n - 1) // 2


def test_curvature_and_classes_are_shown():
    assert repr(PoincareMLR(4, 3, curvature=-0.5)) == (
        "PoincareMLR(in_features=4, num_classes=3, curvature=-0.5, bias=True)"
    )
