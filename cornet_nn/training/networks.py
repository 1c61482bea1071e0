"""Networks in two parts: what is the same at every step, and what learns."""

import torch

from ..models.mlr import CorMLRNet as CorMLRNet

ACTIVATIONS = {
    "relu": torch.relu,
    "tanh": torch.tanh,
    "sigmoid": torch.sigmoid,
    "elu": torch.nn.functional.elu,
    "gelu": torch.nn.functional.gelu,
    "leaky_relu": torch.nn.functional.leaky_relu,
}


def is_fixed(front_end, sample):
    """Tell whether a front end gives the same at every step of training.

    Parameters
    ----------
    front_end : torch.nn.Module or None
        Front end.
    sample : tensor
        Input to try it on.

    Returns
    -------
    is_fixed : bool
        Whether it has no parameters and no buffers, and draws no random numbers.
    """
    if front_end is None:
        return True
    if [*front_end.parameters(), *front_end.buffers()]:
        return False
    with torch.no_grad(), torch.random.fork_rng(devices=[]):
        before = torch.get_rng_state()
        front_end.train()(sample)
        return torch.equal(before, torch.get_rng_state())
