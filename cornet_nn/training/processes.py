"""One training by several processes, each with its part of every batch."""

import os

import torch
import torch.distributed as dist

from geomstats_cor.exceptions import ParameterError


class Processes:
    """The processes that train together: those of torch.distributed, or this one.

    Attributes
    ----------
    rank : int
        Number of this process.
    count : int
        Number of processes.
    """

    def __init__(self):
        together = dist.is_available() and dist.is_initialized()
        self.rank = dist.get_rank() if together else 0
        self.count = dist.get_world_size() if together else 1
        # The backend of GPUs takes nothing else.
        self._on_gpu = together and dist.get_backend() == "nccl"

    @property
    def is_first(self):
        """Whether this process writes files and shows progress."""
        return self.rank == 0

    def claim_device(self, device):
        """Let "cuda" mean a device of its own in each process of a machine.

        Parameters
        ----------
        device : str
            Device of the network; one with a number is left as it is.
        """
        device = torch.device(device)
        if self.count > 1 and device.type == "cuda" and device.index is None:
            local = int(os.environ.get("LOCAL_RANK", self.rank))
            torch.cuda.set_device(local % torch.cuda.device_count())

    def part(self, samples):
        """Return the part of this process, which may be empty.

        Parameters
        ----------
        samples : tensor of int, shape=[N]
            Samples of a joint batch.

        Returns
        -------
        part : tensor of int
            Those that this process takes.
        """
        return torch.tensor_split(samples, self.count)[self.rank]

    def add_up(self, *tensors):
        """Replace tensors by their sums over all processes.

        Parameters
        ----------
        *tensors : tensor
            Tensors of one dtype.
        """
        if self.count == 1:
            return
        joint = torch.cat([tensor.detach().flatten() for tensor in tensors])
        joint = joint.cuda() if self._on_gpu else joint
        dist.all_reduce(joint)
        sizes = [tensor.numel() for tensor in tensors]
        for tensor, total in zip(tensors, joint.split(sizes), strict=True):
            tensor.detach().copy_(total.view_as(tensor))

    def copy_from_first(self, tensors):
        """Replace tensors by those of the first process.

        Parameters
        ----------
        tensors : iterable of tensor
            Tensors.
        """
        if self.count > 1:
            for tensor in tensors:
                dist.broadcast(tensor.detach(), src=0)

    def ask_first(self, function):
        """Return what a function returns in the first process, or raise as it does.

        Parameters
        ----------
        function : callable
            Function without arguments, which is called in the first process alone.

        Returns
        -------
        answer : object
            Its answer, in every process.
        """
        if self.count == 1:
            return function()
        answer = [None, None]
        if self.is_first:
            try:
                answer[0] = function()
            except Exception as error:
                answer[1] = error
        dist.broadcast_object_list(answer, src=0)
        if answer[1] is not None:
            raise answer[1]
        return answer[0]

    def require_same(self, value):
        """Raise, in every process, unless all have the same value.

        Parameters
        ----------
        value : object
            Value of this process.
        """
        if self.count == 1:
            return
        values = [None] * self.count
        dist.all_gather_object(values, value)
        if any(other != values[0] for other in values):
            raise ParameterError(
                "the processes do not train the same network on the same data: give "
                "all of them the same parameters, samples and labels."
            )
