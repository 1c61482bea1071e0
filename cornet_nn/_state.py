"""State dicts that say to which metric, sizes and basis their numbers belong.

The description is part of the metadata that torch keeps beside the tensors of a state
dict, so it adds no entry, and `torch.save` keeps it. A state dict without it, of an
earlier version or made by hand, is loaded as before.
"""

from collections import OrderedDict

import geomstats_cor
from geomstats_cor.exceptions import ParameterError

_KEY = "layer"
# Layers convert weights of another basis.
_BASIS = "basis of weights"


def carry_description(layer):
    """Let the state dicts of a layer describe it, and refuse those of another one.

    Parameters
    ----------
    layer : CorLayer
        Layer.
    """
    layer.register_state_dict_post_hook(_write)
    layer.register_load_state_dict_pre_hook(_compare)


def described_layer(layer):
    """Return metrics, sizes and basis of a layer.

    Parameters
    ----------
    layer : CorLayer
        Layer.

    Returns
    -------
    description : dict of str
        The metric of the input and, for layers that have them, the metric of the output
        and the bases of output and weights.

    Examples
    --------
    >>> from cornet_nn import CorMLR
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> described_layer(CorMLR(FullRankCorrelationMatrices(3, equip="ecm"), 2))
    {'input': 'EuclideanCholeskyMetric(n=3)', 'basis of weights': 'that of the metric'}
    """
    description = {}
    if layer.hyperplanes_in is not None:
        description["input"] = _described_metric(layer.hyperplanes_in)
    if layer.hyperplanes_out is not None:
        description["output"] = _described_metric(layer.hyperplanes_out)
    if hasattr(layer, "basis"):
        description["basis"] = layer.basis
    if hasattr(layer, "weights_were_converted"):
        name = "orthonormal" if layer.weights_were_converted else "that of the metric"
        description[_BASIS] = name
    return description


def _described_metric(hyperplanes):
    metric = hyperplanes.metric
    image = getattr(getattr(metric, "image_space", None), "metric", None)
    parameters = getattr(image, "parameters", None)
    words = [f"n={hyperplanes.n}", *([repr(parameters)] if parameters else [])]
    # A class that only approximates one of the five metrics has its parameters.
    known = (
        cls for cls in type(metric).__mro__ if cls in geomstats_cor.METRICS.values()
    )
    return f"{next(known, type(metric)).__name__}({', '.join(words)})"


def stored_basis(local_metadata):
    """Return the basis of stored weights in the words of `described_layer`, or None."""
    return local_metadata.get(_KEY, {}).get(_BASIS)


def _write(layer, state_dict, prefix, local_metadata):
    local_metadata[_KEY] = described_layer(layer)


def _compare(layer, state_dict, prefix, local_metadata, *_):
    own, stored = described_layer(layer), local_metadata.get(_KEY, {})
    # The hyperplanes of a layer without an output are those of one that has one.
    compared = (own.keys() & stored.keys()) - {_BASIS}
    differing = [k for k in compared if own[k] != stored[k]]
    if differing:
        name = prefix.rstrip(".") or type(layer).__name__
        raise ParameterError(
            f"the state dict does not belong to {name}: "
            + "; ".join(f"{k} was {stored[k]}, and is {own[k]}" for k in differing)
            + ". Load it into a layer of the same metric, size and basis."
        )


def of_version(version, network, state):
    """Return a plain state as one of a version, which layers convert if it is early.

    Parameters
    ----------
    version : int
        Version of the layers with weights; see `HyperplaneLayer`.
    network : torch.nn.Module
        Network that is to load it.
    state : dict of tensor
        State.

    Returns
    -------
    state : dict of tensor
        The same state, with the versions as metadata.
    """
    state = OrderedDict(state)
    state._metadata = {
        name: {"version": version}
        for name, module in network.named_modules()
        if hasattr(module, "use_orthonormal_weights")
    }
    return state
