"""Every network for comparison that has no layers of spd_learn, with an input."""

import torch

from cornet_nn.baselines import BASELINES
from tests.spaces.matrices import bases, spd

CHANNELS = 2
OWN = [name for name, row in BASELINES.items() if not row.needs_spd_learn]


def case(name):
    """Return a network in evaluation mode, and a batch of its inputs."""
    torch.manual_seed(0)
    baseline = BASELINES[name]
    if baseline.form == "subspaces":
        inputs, sizes = bases(3, CHANNELS, n=9, p=2), ()
    else:
        channels = (CHANNELS,) if baseline.form == "channels" else ()
        inputs, sizes = spd(3, *channels, n=5), (3,)
    shape = (1, *inputs.shape[1:])[-3:]
    return baseline.make(shape, 3, sizes, 1.0).double().eval(), inputs
