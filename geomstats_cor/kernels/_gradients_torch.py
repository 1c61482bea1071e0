"""The gradient policy in torch: autograd functions and operators."""

import torch
from torch._C._functorch import TransformType
from torch.autograd import Function, forward_ad

from ._gradients import StatedGradient

_NOT_COMPILED = (
    "torch.compile does not follow torch.func.grad, jvp and what is built on them into "
    "functions with stated derivatives. Compile the function and call backward, or "
    "leave the transform uncompiled."
)


def build(functions):
    """Make the autograd functions and the operators that the policy governs."""
    for function in functions:
        if isinstance(function, StatedGradient):
            function.compiled, function.eager = _autograd(function)
        else:
            function.operator = _operator(function)


def apply(function, arguments):
    """Evaluate a map with stated derivatives on tensors."""
    if not torch.compiler.is_compiling():
        if wants_no_derivative(arguments):
            return function.plain(*arguments)
        return function.eager.apply(*arguments)
    # Read here, the level is guarded: dual numbers start a new compilation.
    if forward_ad._current_level >= 0 or _is_differentiated_inside():
        torch._dynamo.graph_break(msg=_NOT_COMPILED)
        return function.eager.apply(*arguments)
    if _requires_grad(arguments):
        return function.compiled.apply(*arguments)
    return function.plain(*arguments)


def _requires_grad(arguments):
    return torch.is_grad_enabled() and any(
        x.requires_grad for x in arguments if isinstance(x, torch.Tensor)
    )


def wants_no_derivative(arguments):
    """Tell that neither autograd nor a transform of torch.func is at work."""
    return (
        forward_ad._current_level < 0
        and torch._C._functorch.peek_interpreter_stack() is None
        and not _requires_grad(arguments)
    )


@torch.compiler.assume_constant_result
def _is_differentiated_inside():
    """Tell whether a compiled program contains torch.func.grad, jvp and the like.

    torch.compile drops the derivatives that are stated here in that case, and would
    return wrong numbers.
    """
    stack = torch._C._functorch.get_interpreter_stack() or []
    transforms = (TransformType.Grad, TransformType.Jvp)
    return any(x.key() in transforms for x in stack)


def is_readable(tensor):
    """Tell whether a tensor holds numbers that a Python program may look at."""
    return not (
        torch.compiler.is_compiling()
        or torch._C._functorch.is_functorch_wrapped_tensor(tensor)
        or isinstance(tensor, torch._subclasses.FakeTensor)
    )


def call(function, tensor):
    """Call a function as an operator that transforms treat as a unit."""
    tensor = tensor.detach()
    if is_readable(tensor):
        with torch.no_grad():
            return function.function(tensor)
    return function.operator(tensor)


def _autograd(function):
    """Return an autograd function for torch.compile, and one for everything else.

    torch.compile accepts neither a forward mode nor a context apart from the forward;
    torch.func wants both.
    """

    def keep(ctx, inputs):
        arrays = [x for x in inputs if isinstance(x, torch.Tensor)]
        ctx.numbers = inputs[len(arrays) :]
        ctx.save_for_backward(*arrays)
        return arrays

    class Backward(Function):
        @staticmethod
        def backward(ctx, cotangent):
            cotangents = function.cotangent(
                cotangent, ctx.needs_input_grad, *ctx.saved_tensors, *ctx.numbers
            )
            return (*cotangents, *(None for _ in ctx.numbers))

    class Compiled(Backward):
        @staticmethod
        def forward(ctx, *arguments):
            keep(ctx, arguments)
            return function.value(*arguments)

    class Eager(Backward):
        generate_vmap_rule = True

        @staticmethod
        def forward(*arguments):
            return function.value(*arguments)

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_forward(*keep(ctx, inputs))

        @staticmethod
        def jvp(ctx, *tangents):
            return function.tangent(tangents, *ctx.saved_tensors, *ctx.numbers)

    return Compiled, Eager


def _operator(function):
    """Register a function as an operator with shapes and a rule for vmap."""
    single = isinstance(function.outputs(torch.zeros(1, 2, 2)), torch.Tensor)
    results = "Tensor" if single else "(Tensor, Tensor, Tensor)"

    def contiguous(tensor):
        outputs = function.function(tensor)
        if single:
            return outputs.contiguous()
        return tuple(output.contiguous() for output in outputs)

    def shapes(tensor):
        outputs = function.outputs(tensor)
        if single:
            return tensor.new_empty(outputs.shape)
        return tuple(tensor.new_empty(output.shape) for output in outputs)

    # Generated code relies on the strides, too.
    operator = torch.library.custom_op(
        f"geomstats_cor::{function.name}",
        contiguous,
        mutates_args=(),
        schema=f"(Tensor tensor) -> {results}",
    )

    def over_batch(info, in_dims, tensor):
        return operator(tensor.movedim(in_dims[0], 0)), 0 if single else (0, 0, 0)

    operator.register_fake(shapes)
    operator.register_vmap(over_batch)
    return operator
