"""The gradient policy in torch: autograd functions and operators."""

import functools

import torch
from torch.autograd import Function


@functools.cache
def _reverse(function):
    """Return the autograd function of a map with stated derivatives."""

    class Stated(Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(*arguments):
            return function.value(*arguments)

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)
            ctx.save_for_forward(*inputs)

        @staticmethod
        def backward(ctx, cotangent):
            return function.cotangent(
                cotangent, ctx.needs_input_grad, *ctx.saved_tensors
            )

    Stated.__name__ = function.__name__
    return Stated


@functools.cache
def _reverse_and_forward(function):
    """Return the same with forward mode, which torch.compile does not accept."""

    class Stated(_reverse(function)):
        @staticmethod
        def jvp(ctx, *tangents):
            return function.tangent(tangents, *ctx.saved_tensors)

    Stated.__name__ = function.__name__
    return Stated


def apply(function, arguments):
    """Evaluate a map with stated derivatives on tensors."""
    if torch.compiler.is_compiling():
        return _reverse(function).apply(*arguments)
    return _reverse_and_forward(function).apply(*arguments)


def is_readable(tensor):
    """Tell whether a tensor holds numbers that a Python program may look at."""
    return not (
        torch.compiler.is_compiling()
        or torch._C._functorch.is_functorch_wrapped_tensor(tensor)
        or isinstance(tensor, torch._subclasses.FakeTensor)
    )


def call_operator(name, function, outputs, tensor):
    """Call a function as an operator that transforms treat as a unit."""
    if is_readable(tensor):
        with torch.no_grad():
            return function(tensor.detach())
    return _operator(name, function, outputs)(tensor.detach())


@functools.cache
def _operator(name, function, outputs):
    count = len(outputs(torch.zeros(1, 2, 2)))
    returns = ", ".join(["Tensor"] * count)

    def run(tensor):
        return tuple(result.clone() for result in function(tensor))

    operator = torch.library.custom_op(
        f"geomstats_cor::{name}",
        run,
        mutates_args=(),
        schema=f"(Tensor tensor) -> ({returns})",
    )
    operator.register_fake(lambda tensor: tuple(outputs(tensor)))

    def over_batch(info, in_dims, tensor):
        results = operator(tensor.movedim(in_dims[0], 0))
        return results, (0,) * count

    operator.register_vmap(over_batch)
    return operator
