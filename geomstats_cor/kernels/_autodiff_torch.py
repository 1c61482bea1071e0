"""The gradient policy in torch: autograd functions and operators."""

from typing import Any

import torch
from torch._C._functorch import TransformType
from torch.autograd import Function, forward_ad

from ._autodiff import StatedGradient
from ._precision import in_own_precision

_NOT_COMPILED = (
    "torch.compile does not follow torch.func.grad, jvp and what is built on them into "
    "functions with stated derivatives. Compile the function and call backward, or "
    "leave the transform uncompiled."
)


def build(functions: Any) -> None:
    """Create the autograd functions and operators of all functions with the policy."""
    for function in functions:
        if isinstance(function, StatedGradient):
            function.compiled, function.eager = _autograd(function)
        else:
            function.operator = _operator(function)


def apply(function: Any, arguments: Any) -> Any:
    """Evaluate a map with stated derivatives on tensors."""
    if not torch.compiler.is_compiling():
        if wants_no_derivative(arguments):
            return function.evaluate(*arguments)
        return function.eager.apply(*arguments)
    # Reading the level here adds a guard: forward mode triggers a new compilation.
    if forward_ad._current_level >= 0 or _is_differentiated_inside():
        torch._dynamo.graph_break(msg=_NOT_COMPILED)
        return function.eager.apply(*arguments)
    if _requires_grad(arguments):
        return function.compiled.apply(*_distinct(arguments))
    return function.plain(*arguments)


def _distinct(arguments):
    """Return distinct tensors: torch.compile does not accept one tensor twice."""
    distinct: list = []
    for x in arguments:
        again = isinstance(x, torch.Tensor) and any(x is y for y in distinct)
        distinct.append(x.view_as(x) if again else x)
    return distinct


def _requires_grad(arguments):
    return torch.is_grad_enabled() and any(
        x.requires_grad for x in arguments if isinstance(x, torch.Tensor)
    )


def wants_no_derivative(arguments: Any) -> Any:
    """Tell whether neither autograd nor a transform of torch.func is active."""
    return (
        forward_ad._current_level < 0
        and torch._C._functorch.peek_interpreter_stack() is None
        and not _requires_grad(arguments)
    )


def _is_differentiated_inside():
    """Tell whether a compiled program contains torch.func.grad, jvp and the like.

    torch.compile drops the derivatives that are stated here in that case, and would
    return wrong numbers.
    """
    stack = torch._C._functorch.get_interpreter_stack() or []
    transforms = (TransformType.Grad, TransformType.Jvp)
    return any(x.key() in transforms for x in stack)


# As torch.compiler.assume_constant_result, without importing the compiler.
setattr(_is_differentiated_inside, "_dynamo_marked_constant", True)  # noqa: B010


def is_readable(tensor: Any) -> bool:
    """Tell whether a tensor holds numbers that a Python program may read."""
    return not (
        torch.compiler.is_compiling()
        or torch._C._functorch.is_functorch_wrapped_tensor(tensor)
        or tensor.is_meta
        or isinstance(tensor, torch._subclasses.FakeTensor)
    )


def is_recording() -> bool:
    """Tell whether operations are being recorded for derivatives."""
    return torch.is_grad_enabled() or forward_ad._current_level >= 0


def call(function: Any, tensors: Any) -> Any:
    """Call a function as an operator that transforms treat as a unit."""
    tensors = tuple(tensor.detach() for tensor in tensors)
    if all(is_readable(tensor) for tensor in tensors):
        with torch.no_grad():
            return function.function(*tensors)
    return function.operator(*tensors)


def _autograd(function):
    """Return an autograd function for torch.compile, and one for everything else.

    torch.compile accepts neither a forward mode nor a context apart from the forward;
    torch.func requires both.
    """

    def keep(ctx, inputs, output):
        arrays = [x for x in inputs if isinstance(x, torch.Tensor)]
        ctx.numbers = inputs[len(arrays) :]
        if function.keeps_value:
            arrays.append(output)
        ctx.save_for_backward(*arrays)
        return arrays

    # A derivative may be computed under autocast even if the value was not.
    pull_back, push = map(in_own_precision, (function.pull_back, function.tangent))

    class Backward(Function):
        @staticmethod
        def backward(ctx, cotangent):
            cotangents = pull_back(
                cotangent, ctx.needs_input_grad, *ctx.saved_tensors, *ctx.numbers
            )
            return (*cotangents, *(None for _ in ctx.numbers))

    class Compiled(Backward):
        @staticmethod
        def forward(ctx, *arguments):
            output = function.value(*arguments)
            keep(ctx, arguments, output)
            return output

    class Eager(Backward):
        generate_vmap_rule = True

        @staticmethod
        def forward(*arguments):
            return function.evaluate_to_keep(*arguments)

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_forward(*keep(ctx, inputs, output))

        @staticmethod
        def jvp(ctx, *tangents):
            return push(tangents, *ctx.saved_tensors, *ctx.numbers)

    return Compiled, Eager


def _operator(function):
    """Register a function as an operator with shapes and a rule for vmap."""
    examples = [torch.zeros((1, *(2,) * count)) for count in function.axes]
    single = isinstance(function.outputs(*examples), torch.Tensor)
    results = "Tensor" if single else "(Tensor, Tensor, Tensor)"
    arguments = ", ".join(f"Tensor x{i}" for i in range(len(function.axes)))

    def contiguous(*tensors):
        outputs = function.function(*tensors)
        if single:
            return outputs.contiguous()
        return tuple(output.contiguous() for output in outputs)

    def shapes(*tensors):
        outputs = function.outputs(*tensors)
        if single:
            return tensors[0].new_empty(outputs.shape)
        return tuple(tensors[0].new_empty(output.shape) for output in outputs)

    # Generated code relies on the strides, too.
    operator = torch.library.custom_op(
        f"geomstats_cor::{function.name}",
        contiguous,
        mutates_args=(),
        schema=f"({arguments}) -> {results}",
    )

    def over_batch(info, in_dims, *tensors):
        tensors = _with_batch_in_front(in_dims, tensors, function.axes)
        return operator(*tensors), 0 if single else (0, 0, 0)

    operator.register_fake(shapes)
    operator.register_vmap(over_batch)
    return operator


def _with_batch_in_front(in_dims, tensors, axes):
    """Move the axis of a vmap to the front, and align the other batches behind it."""
    ranks = [
        tensor.ndim - count - (dim is not None)
        for dim, tensor, count in zip(in_dims, tensors, axes, strict=True)
    ]
    moved = []
    for dim, tensor, rank in zip(in_dims, tensors, ranks, strict=True):
        if dim is not None:
            tensor = tensor.movedim(dim, 0)
            missing = max(ranks) - rank
            tensor = tensor.reshape(tensor.shape[0], *(1,) * missing, *tensor.shape[1:])
        moved.append(tensor)
    return moved
