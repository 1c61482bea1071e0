"""`torch.compile`: the same numbers, and no derivative that is lost in silence."""

import itertools
import subprocess
import sys
import textwrap

import pytest
import torch
from torch.autograd import forward_ad

from .operations import (
    KEYS,
    OPERATIONS,
    assert_close,
    batch_of_arguments,
    directions,
    gradients,
    weighted,
)

pytestmark = pytest.mark.filterwarnings("ignore:Dynamo detected a call")


# One operation for each way in which a derivative is stated.
STATED = ("theta", "sym_log", "off_exp", "log_scaled", "lecm squared_dist")


@pytest.fixture(autouse=True)
def fresh_compiler():
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


def whole(function, backend="aot_eager"):
    """Compile a function, all of it."""
    return torch.compile(function, fullgraph=True, backend=backend)


def assert_compiled_is_eager(operation, backend):
    tensors = batch_of_arguments(operation)
    compiled = whole(operation, backend)
    leaves = [x.clone().requires_grad_() for x in tensors]
    value = compiled(*leaves)
    assert_close(value, operation(*tensors), 1e-12)
    found = torch.autograd.grad(weighted(lambda: value)(), leaves)
    for actual, expected in zip(
        found, gradients(weighted(operation), tensors), strict=True
    ):
        assert_close(actual, expected, 1e-10)


@pytest.mark.parametrize("name", OPERATIONS)
def test_forward_and_backward(name):
    assert_compiled_is_eager(OPERATIONS[name], "aot_eager")


@pytest.mark.parametrize("name", STATED)
def test_without_gradients(name):
    operation = OPERATIONS[name]
    tensors = batch_of_arguments(operation)
    assert_close(whole(operation)(*tensors), operation(*tensors), 1e-12)


@pytest.mark.parametrize("operation", ["squared_dist", "exp"])
@pytest.mark.parametrize("key", KEYS)
def test_generated_code(key, operation):
    assert_compiled_is_eager(OPERATIONS[f"{key} {operation}"], "inductor")


@pytest.mark.parametrize(
    "name", ["log_scaling", "off_log_diagonal", "balanced_spectrum"]
)
def test_operators_are_what_they_announce(name):
    (point,) = batch_of_arguments(OPERATIONS["theta"])
    operator = getattr(torch.ops.geomstats_cor, name).default
    kept = ("test_schema", "test_faketensor")
    torch.library.opcheck(operator, (point,), test_utils=kept)


def test_torch_imported_last():
    program = """
        from geomstats_cor import FullRankCorrelationMatrices, kernels
        import torch
        metric = FullRankCorrelationMatrices(3, equip="olm").metric
        point = torch.eye(3) + 0.2 * (1.0 - torch.eye(3))
        for function in (kernels.off_log, lambda x: metric.dist(x, torch.eye(3))):
            leaf = point.clone().requires_grad_()
            compiled = torch.compile(function, fullgraph=True, backend="aot_eager")
            compiled(leaf).sum().backward()
            expected = point.clone().requires_grad_()
            function(expected).sum().backward()
            torch.testing.assert_close(leaf.grad, expected.grad)
            assert torch.any(leaf.grad != 0.0)
        print("the same")
    """
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert run.stdout.strip() == "the same", run.stderr


@pytest.mark.parametrize("name", STATED)
def test_vmap_inside(name):
    operation = OPERATIONS[name]
    tensors = batch_of_arguments(operation)
    expected = torch.vmap(operation)(*tensors)
    assert_close(whole(torch.vmap(operation))(*tensors), expected, 1e-12)


def per_sample_gradients(operation):
    positions = tuple(range(len(operation.spaces)))
    transformed = torch.vmap(torch.func.grad(weighted(operation), positions))
    return transformed, batch_of_arguments(operation)


def tangents(operation):
    count = len(operation.spaces)

    def transformed(*x):
        return torch.func.jvp(operation, x[:count], x[count:])

    return transformed, (*batch_of_arguments(operation), *directions(operation))


inside = pytest.mark.parametrize("transform", [per_sample_gradients, tangents])


@inside
@pytest.mark.parametrize("name", STATED)
def test_derivatives_inside_are_refused_as_a_whole(name, transform):
    transformed, tensors = transform(OPERATIONS[name])
    with pytest.raises(torch._dynamo.exc.Unsupported, match="stated derivatives"):
        whole(transformed)(*tensors)


@pytest.mark.parametrize(
    ("name", "transform"),
    zip(STATED, itertools.cycle([per_sample_gradients, tangents])),
)
def test_derivatives_inside_run_uncompiled_in_part(name, transform):
    transformed, tensors = transform(OPERATIONS[name])
    found = torch.compile(transformed, backend="aot_eager")(*tensors)
    for actual, expected in zip(found, transformed(*tensors), strict=True):
        assert_close(actual, expected, 1e-12)


@inside
def test_derivatives_inside_where_none_is_stated(transform):
    transformed, tensors = transform(OPERATIONS["hyperboloid_to_ball"])
    found = whole(transformed)(*tensors)
    for actual, expected in zip(found, transformed(*tensors), strict=True):
        assert_close(actual, expected, 1e-12)


@pytest.mark.parametrize("name", STATED)
def test_transforms_of_compiled_functions_are_refused(name):
    operation = OPERATIONS[name]
    tensors, moves = batch_of_arguments(operation), directions(operation)
    compiled, refused = whole(operation), torch._dynamo.exc.Unsupported
    with pytest.raises(refused, match="functorch"):
        torch.func.jvp(compiled, tensors, moves)
    with pytest.raises(refused, match="functorch"):
        torch.vmap(compiled)(*tensors)
    with pytest.raises(refused, match="functorch"):
        torch.func.grad(weighted(compiled))(*tensors)


@pytest.mark.parametrize("name", STATED)
def test_dual_numbers_are_refused(name):
    operation = OPERATIONS[name]
    tensors, moves = batch_of_arguments(operation), directions(operation)
    compiled = whole(operation)
    compiled(*tensors)  # what is compiled without them is not used for them
    with forward_ad.dual_level():
        duals = [
            forward_ad.make_dual(*pair) for pair in zip(tensors, moves, strict=True)
        ]
        with pytest.raises(torch._dynamo.exc.Unsupported, match="stated derivatives"):
            compiled(*duals)


@pytest.mark.parametrize("name", STATED)
def test_double_backward_is_refused(name):
    function = weighted(lambda *x: torch.sin(OPERATIONS[name](*x)))
    leaves = [x.requires_grad_() for x in batch_of_arguments(OPERATIONS[name])]
    value = whole(function)(*leaves)
    first = torch.autograd.grad(value, leaves, create_graph=True)
    with pytest.raises(RuntimeError, match="double backward|not have been used"):
        torch.autograd.grad(sum(torch.sum(x**2) for x in first), leaves)


@pytest.mark.parametrize("function", [torch.tanh, OPERATIONS["sym_log"]])
def test_double_backward_beside_a_term_that_is_not_compiled(function):
    """Torch drops the compiled term, of its own functions as of ours.

    The page on gradients warns of it; a torch that mends or refuses it is noticed here.
    """
    (point,) = batch_of_arguments(OPERATIONS["sym_log"])
    compiled = whole(lambda x: torch.sum(function(x) ** 3))

    def curvature(*terms):
        leaf = point.clone().requires_grad_()
        value = sum(term(leaf) for term in terms)
        (first,) = torch.autograd.grad(value, leaf, create_graph=True)
        return torch.autograd.grad(torch.sum(first**2), leaf)[0]

    def uncompiled(x):
        return torch.sum(x**4)

    def eager(x):
        return torch.sum(function(x) ** 3)

    leaf = point.clone().requires_grad_()
    (steady,) = torch.autograd.grad(eager(leaf), leaf)
    # The gradient of the compiled term takes part, as if it were constant.
    halved = curvature(uncompiled, lambda x: torch.sum(steady * x))
    assert_close(curvature(uncompiled, compiled), halved, 1e-10)
    assert torch.max(torch.abs(curvature(uncompiled, eager) - halved)) > 0.1
