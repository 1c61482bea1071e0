"""Trained networks for use elsewhere: one file for inference, programs, packages.

Loading needs torch alone, and none of the libraries of training.
"""

import json
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from geomstats_cor.exceptions import ParameterError

from ._files import load_archive, replacing, write_text
from ._state import of_version
from .front_end import make_front_end
from .models.cornet import CorNet
from .models.mlr import CorMLRNet

# The version of the weights of layers; see `HyperplaneLayer`. It was 2 in format 1.
_FORMATS = {1: 2, 2: 3}
_FORMAT = 2
_NETWORKS = {"CorNet": CorNet, "CorMLRNet": CorMLRNet}
_KEYS = {"format", "network", "arguments", "front_end", "state", "classes", "card"}


class SavedModel(nn.Module):
    """A trained network with what belongs to it.

    Parameters
    ----------
    network : torch.nn.Module
        Network.
    classes : list
        Classes in the order of the logits; for a regression, the mean and the standard
        deviation of the targets.
    card : dict
        Metric, data, versions and scores.

    Notes
    -----
    Input: what the estimator was trained on; output [..., outputs]: logits of classes,
    or the numbers of a regression.
    """

    network: Any

    def __init__(self, network: nn.Module, classes: list, card: dict[str, Any]):
        super().__init__()
        self.network, self.classes, self.card = network, classes, card

    def forward(self, x: Tensor) -> Tensor:
        """Return the logits of samples, or the numbers of a regression."""
        # As the estimators do: what has no parameters, in the precision of the data.
        weights = next(self.network.parameters())
        features = self.network.features(x.to(weights.device))
        outputs = self.network.from_features(features.to(weights.dtype))
        if self.card["estimator"] == "CorNetRegressor":
            mean, scale = self.classes
            outputs = mean + scale * outputs
        return outputs

    def predict(self, x: Tensor) -> list:
        """Return the most likely classes of samples as a list."""
        with torch.no_grad():
            best = self(x).argmax(-1)
        return [self.classes[i] for i in best.tolist()]


def save_model(
    estimator: Any, path: str | Path, scores: dict[str, float] | None = None
) -> None:
    """Write a fitted estimator to one file, and a model card beside it.

    Parameters
    ----------
    estimator : CorNetClassifier or CorMLRClassifier or CorNetRegressor
        Fitted estimator, whose front end has no parameters of its own.
    path : str or path
        File; the card has the same name and ends with .md.
    scores : dict of float
        Scores for the card, such as {"test accuracy": 0.9}.

    Examples
    --------
    >>> import tempfile
    >>> import torch
    >>> from cornet_nn import load_model, save_model
    >>> from cornet_nn.training import CorMLRClassifier
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> X = FullRankCorrelationMatrices(4, equip=False).random_point(20, rng=0)
    >>> model = CorMLRClassifier("olm", C=1.0).fit(X, ["a", "b"] * 10)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(model, f"{folder}/model.pt", {"test accuracy": 0.5})
    ...     again = load_model(f"{folder}/model.pt")
    >>> again.predict(torch.as_tensor(X)) == model.predict(X).tolist()
    True
    """
    # Parameters that were set since belong to the next fit.
    estimator = estimator.as_fitted()
    arguments = estimator.plain_arguments()
    front_end = {k: getattr(estimator, k) for k in ("power", "shrinkage")}
    card = _card(estimator, arguments, scores or {})
    content = {
        "format": _FORMAT,
        "network": type(estimator.module_).__name__,
        "arguments": json.loads(json.dumps(arguments)),
        "front_end": {"kind": estimator.kind_, **front_end},
        "state": dict(estimator.module_.state_dict()),
        "classes": estimator._target_description().tolist(),
        "card": card,
    }
    path = Path(path)
    with replacing(path, mode="wb") as file:
        torch.save(content, file)
    write_text(path.with_suffix(".md"), _markdown(card))


def load_model(path: str | Path) -> SavedModel:
    """Return a network that `save_model` wrote, ready for inference.

    Parameters
    ----------
    path : str or path
        File. Tensors and plain values are read from it, and no code is run.

    Returns
    -------
    model : SavedModel
        Network, in evaluation mode.

    Examples
    --------
    >>> from cornet_nn import load_model
    >>> try:
    ...     load_model("no_such_model.pt")
    ... except FileNotFoundError as error:
    ...     print(error.filename)
    no_such_model.pt
    """
    try:
        content = load_archive(path)
        if not (isinstance(content, dict) and content.keys() == _KEYS):
            raise ValueError(f"expected an object with {', '.join(sorted(_KEYS))}")
        if content["format"] not in _FORMATS or content["network"] not in _NETWORKS:
            raise ValueError(f"its format is {content['format']!r}")
        network = _built(content)
        version = _FORMATS[content["format"]]
        network.load_state_dict(of_version(version, network, content["state"]))
    except OSError:
        raise
    # A damaged archive makes the libraries that read it raise almost anything.
    except Exception as error:
        raise ParameterError(
            f"{path} is not a model that save_model wrote: {error or type(error)}."
        ) from error
    return SavedModel(network.eval(), content["classes"], content["card"])


def _built(content):
    arguments = dict(content["arguments"])
    dtype = {"float32": torch.float32, "float64": torch.float64}[arguments.pop("dtype")]
    front_end = make_front_end(None, **content["front_end"])
    network = _NETWORKS[content["network"]]
    return network(**arguments, front_end=front_end, dtype=dtype)


def export_model(
    model: nn.Module, path: str | Path, example: Tensor, compiled: bool = False
) -> None:
    """Write a network that runs without this library.

    Parameters
    ----------
    model : torch.nn.Module
        Network, such as `module_` of an estimator, or what `load_model` returns.
    path : str or path
        File, which ends with .pt2.
    example : tensor, shape=[N, ...]
        Samples of the kind that it takes, at least two; the number may differ later.
    compiled : bool
        Whether to write a package compiled ahead of time (AOTInductor), which needs a
        C++ compiler now and no Python later, in place of a program of torch.export.

    Notes
    -----
    torch.export.load(path).module() runs a program, and
    torch._inductor.aoti_load_package(path) a package, as C++ does by
    AOTIModelPackageLoader. ONNX has neither Cholesky nor eigenvalue decompositions
    among its operators.

    Examples
    --------
    >>> import tempfile
    >>> import torch
    >>> from cornet_nn import CorMLR, export_model
    >>> from geomstats_cor import FullRankCorrelationMatrices
    >>> layer = CorMLR(FullRankCorrelationMatrices(3, equip="ecm"), 2)
    >>> points = torch.eye(3).expand(5, 3, 3)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     export_model(layer, f"{folder}/layer.pt2", points)
    ...     program = torch.export.load(f"{folder}/layer.pt2").module()
    >>> torch.allclose(program(points[:2]), layer(points[:2]))
    True
    """
    path = Path(path)
    if path.suffix == ".onnx":
        raise ParameterError(
            "ONNX has no operators for Cholesky and eigenvalue decompositions, which "
            "the maps of correlation matrices need: write a .pt2 file instead, with "
            "compiled=True for a package that needs no Python."
        )
    if path.suffix != ".pt2":
        raise ParameterError(f"expected a file that ends with .pt2, got {path.name!r}.")
    if len(example) < 2:
        raise ParameterError(
            f"expected an example of at least two samples, got {len(example)}: the "
            f"number of samples would be fixed."
        )
    batch = torch.export.Dim("batch")
    with torch.no_grad():
        program = torch.export.export(
            model.eval(), (example,), dynamic_shapes=({0: batch},), strict=False
        )
    if not compiled:
        torch.export.save(program, path)
        return
    ours = {
        str(node.target)
        for node in program.graph.nodes
        if str(node.target).startswith("geomstats_cor")
    }
    if ours:
        raise ParameterError(
            f"the network calls {', '.join(sorted(ours))}, an iteration that is "
            f"written in Python and cannot be compiled ahead of time: use another "
            f"metric than lsm, or compiled=False."
        )
    torch._inductor.aoti_compile_and_package(program, package_path=str(path))


def _card(estimator, arguments, scores):
    from .training.description import environment

    last = estimator.history_[estimator.epoch_ - 1]
    found = {k: v for k, v in last.items() if k not in ("epoch", "seconds")}
    return {
        "estimator": type(estimator).__name__,
        "metric": arguments["metric"],
        "outputs": estimator._target_description().tolist(),
        "input": [estimator.kind_, *estimator.input_shape_],
        "data": estimator.fingerprint_,
        "seed": estimator.seed_,
        "epochs": estimator.epoch_,
        "scores": json.loads(json.dumps(found | dict(scores))),
        "environment": environment(),
    }


def _markdown(card):
    def lines(values, indent=""):
        for name, value in values.items():
            if isinstance(value, dict):
                yield f"{indent}- {name}:"
                yield from lines(value, indent + "  ")
            else:
                yield f"{indent}- {name}: {value}"

    return "\n".join(["# Model card", "", *lines(card)]) + "\n"
