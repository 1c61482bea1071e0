"""A device of torch that is not the CPU, computed on the CPU in secret.

Its tensors say that they are elsewhere. An operation that meets one of them together
with a tensor of the CPU raises, as it would on a graphics card; what a card accepts
(indices, and copies on request) is accepted. Unlike fake tensors these have entries, so
code that looks at numbers to decide what to do runs all the same. Fake tensors can be
made for the same device.
"""

import contextlib

import torch
from torch.utils import _pytree as pytree
from torch.utils import backend_registration
from torch.utils._python_dispatch import TorchDispatchMode

_NAME = "elsewhere"
_ACCEPTS_BOTH = ("aten::index", "aten::_to_copy", "aten::copy_")


class DeviceError(RuntimeError):
    """An operation on two devices at once, or a silent move to the CPU."""


def available():
    """Tell whether this torch lets a device be written in Python."""
    return hasattr(backend_registration, "_setup_privateuseone_for_python_backend")


def device():
    """Return the device, which is made known to torch when it is asked for."""
    if torch._C._get_privateuse1_backend_name() != _NAME:
        backend_registration._setup_privateuseone_for_python_backend(_NAME, _Absent())
    return torch.device(_NAME, 0)


class _Absent(getattr(backend_registration, "_DummyBackendModule", object)):
    def is_available(self):
        """Deny it, lest FakeTensorMode send numbers there that are not fake."""
        return False

    def device_count(self):
        """Return 0: there is no random generator to keep the state of."""
        return 0


class _Tensor(torch.Tensor):
    @staticmethod
    def __new__(cls, hidden):
        return torch.Tensor._make_wrapper_subclass(
            cls,
            hidden.shape,
            strides=hidden.stride(),
            dtype=hidden.dtype,
            device=device(),
        )

    def __init__(self, hidden):
        self.hidden = hidden

    __torch_dispatch__ = classmethod(
        lambda cls, func, types, args=(), kwargs=None: _run(func, args, kwargs or {})
    )


class _Mode(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return _run(func, args, kwargs or {})


def _run(func, args, kwargs):
    name = func.name()
    tensors = [
        x for x in pytree.tree_leaves((args, kwargs)) if isinstance(x, torch.Tensor)
    ]
    there = any(isinstance(x, _Tensor) for x in tensors)
    here = [tuple(x.shape) for x in tensors if not isinstance(x, _Tensor)]
    if there and here and not name.startswith(_ACCEPTS_BOTH):
        raise DeviceError(f"{name} meets tensors of the CPU of shapes {here}")
    if kwargs.get("device") is not None:
        goal = torch.device(kwargs["device"]).type
        if there and goal != _NAME:
            raise DeviceError(f"{name} moves a tensor to {goal}")
        there = goal == _NAME
        kwargs = kwargs | {"device": "cpu"}
    args, kwargs = pytree.tree_map(_hidden, (args, kwargs))
    return pytree.tree_map(_shown if there else _same, func(*args, **kwargs))


def _hidden(x):
    return x.hidden if isinstance(x, _Tensor) else x


def _shown(x):
    return _Tensor(x) if isinstance(x, torch.Tensor) else x


def _same(x):
    return x


@contextlib.contextmanager
def elsewhere():
    """Let tensors be sent elsewhere; yields the function that sends them."""
    device()
    # Numbers become tensors of the device step by step, so that each step is seen.
    before = torch._C._only_lift_cpu_tensors()
    torch._C._set_only_lift_cpu_tensors(True)
    try:
        with _Mode(), torch.no_grad():
            yield _shown
    finally:
        torch._C._set_only_lift_cpu_tensors(before)


def is_elsewhere(x):
    """Tell whether a tensor says that it is elsewhere."""
    return x.device.type == _NAME


def entries(x):
    """Return the entries of a tensor as a numpy array."""
    return _hidden(x).numpy()
