"""Data sets in .npz and .npy files."""

from pathlib import Path
from typing import Any

import numpy as np

from geomstats_cor.exceptions import DataError, GeomstatsCorError, ParameterError
from geomstats_cor.validation import require_choice

from .conversion import Conversion
from .dataset import Dataset, indexed, is_for_test
from .matrices import kind_of, screened
from .sequences import sequence_dataset
from .skeletons import SKELETONS

# What an .npz file may hold, and the word that names its file beside an .npy file.
_ARRAYS = {"L": "lengths", "y": "labels"}
_ARRAYS |= {name: name for name in ("split", "classes", "names", "groups")}
_STACKS = {"C", "S", "X"}


def load_arrays(
    path: Path,
    conversion: Conversion,
    *,
    kind: str | None = None,
    skeleton: str | None = None,
    bone_lengths: bool = False,
    **steps: Any,
) -> Dataset:
    """Load an .npz file, or an .npy file and those beside it.

    Parameters
    ----------
    path : pathlib.Path
        An .npz file with one of the arrays `C` (correlation matrices), `S` (covariance
        matrices) or `X`, which are matrices or signals, or with `L` the frames of
        sequences one after the other, as many as `L` says of each. Beside it `y`
        (labels), `split` (0 train, 1 test), `classes` (names of classes), `names` (of
        items) and `groups`, all optional. Or a file `NAME.npy` that holds `X`, beside
        which the others are `NAME_lengths.npy`, `NAME_labels.npy`, `NAME_split.npy`,
        `NAME_classes.npy`, `NAME_names.npy` and `NAME_groups.npy`.
    conversion : Conversion
        How to convert sequences.
    kind : str or None
        Kind of the stack `X`; None decides from its shape and diagonal.
    skeleton : str or None
        For sequences: "hdm05", "fpha" or "ntu120", if the numbers of a frame are the
        coordinates of its joints.
    bone_lengths : bool
        For sequences with a skeleton: whether to give all bones the lengths they have
        in the first sequence.
    **steps
        For sequences: steps of `SequenceMatrices`, where the representation is
        "covariance" and there is one level if nothing else is said. For covariance
        matrices `shrinkage` and `ridge`, none by default.

    Returns
    -------
    dataset : Dataset
        Data set.
    """
    if kind is not None:
        require_choice("kind", kind, ("correlation", "covariance", "signal"))
    arrays = _found(path)
    [stack] = _STACKS & arrays.keys()
    if "L" in arrays:
        if stack != "X" or kind is not None:
            raise ParameterError(
                f"{path} holds sequences, as it has an array L: expected their frames "
                f"in X, and no kind="
            )
        return _sequences(path, conversion, arrays, skeleton, bone_lengths, steps)
    unused = sorted(set(steps) - {"shrinkage", "ridge"})
    unused += ["skeleton"] * (skeleton is not None) + ["bone_lengths"] * bone_lengths
    if unused:
        raise ParameterError(
            f"{', '.join(unused)}: for sequences only, and {path} holds none, as it "
            f"has no array L"
        )
    kind = {"C": "correlation", "S": "covariance", "X": kind}[stack]
    return _stack(arrays.pop(stack), arrays, path, kind, **steps)


def _found(path):
    """Return the arrays by their names in an .npz file."""
    try:
        if path.suffix == ".npz":
            with np.load(path, allow_pickle=False) as file:
                names = set(file.files)
                if len(_STACKS & names) != 1:
                    raise DataError(
                        f"{path} holds {', '.join(sorted(names)) or 'nothing'}: "
                        f"expected one array C, S or X"
                    )
                return {
                    name: np.asarray(file[name])
                    for name in names & {*_STACKS, *_ARRAYS}
                }
        found = {"X": np.load(path, allow_pickle=False)}
        for name, word in _ARRAYS.items():
            beside = path.with_name(f"{path.stem}_{word}.npy")
            if beside.exists():
                found[name] = np.load(beside, allow_pickle=False)
        return found
    except GeomstatsCorError:
        raise
    # A damaged file makes the libraries that read it raise almost anything.
    except Exception as error:
        raise DataError(
            f"{path} cannot be read: {error or type(error).__name__}. Files hold "
            f"numbers, and names as text, such as np.array(names, dtype=str)"
        ) from error


def _sequences(path, conversion, arrays, skeleton, bone_lengths, steps):
    if skeleton is not None:
        require_choice("skeleton", skeleton, tuple(SKELETONS))
    elif bone_lengths:
        raise ParameterError("bone_lengths needs a skeleton")
    frames, lengths = arrays["X"], arrays["L"]
    if lengths.ndim != 1 or lengths.dtype.kind not in "iu" or frames.ndim < 2:
        raise DataError(
            f"{path}: expected frames X of shape [frames, ...] and integers L of "
            f"shape [N], got {frames.shape} and {lengths.shape} of {lengths.dtype}"
        )
    if lengths.sum() != len(frames) or (lengths < 0).any():
        raise DataError(
            f"{path}: the lengths L add up to {lengths.sum()}, and X has {len(frames)} "
            f"frames"
        )
    pieces = np.split(frames, np.cumsum(lengths)[:-1])
    names = _item_names(arrays, path, len(pieces))
    return sequence_dataset(
        str(path),
        conversion,
        [*zip(names, pieces, strict=True)],
        np.asarray,
        SKELETONS.get(skeleton),
        dict(representation="covariance", levels=1, bone_lengths=bone_lengths) | steps,
        files=[path],
        **_about(path, arrays, len(pieces)),
    )


def _stack(stack, arrays, path, kind, shrinkage=0.0, ridge=0.0):
    if stack.dtype.kind not in "fiu":
        raise DataError(
            f"{path}: expected real numbers, got {stack.dtype}. Complex signals can be "
            f"given as their real and imaginary parts, each a channel"
        )
    if stack.dtype not in (np.float32, np.float64):
        stack = stack.astype(np.float64)
    kind = kind or kind_of(stack)
    if kind == "signal":
        if stack.ndim != 3:
            raise DataError(
                f"{path}: expected shape [N, channels, time], got {stack.shape}"
            )
    elif stack.ndim not in (3, 4) or stack.shape[-1] != stack.shape[-2]:
        raise DataError(
            f"{path}: expected shape [N, n, n] or [N, c, n, n], got {stack.shape}"
        )
    names = _item_names(arrays, path, len(stack))
    converted = screened(stack, names, kind, shrinkage, ridge)
    return converted.dataset(str(path), kind, **_about(path, arrays, len(stack)))


def _item_names(arrays, path, number):
    names = arrays.get("names")
    if names is not None and names.shape == (number,):
        return [str(name) for name in names]
    return [f"{path.name}[{index}]" for index in range(number)]


def _about(path, arrays, number):
    """Return labels, classes, parts and groups."""
    for name in ("y", "split", "groups"):
        if name in arrays and arrays[name].shape != (number,):
            raise DataError(
                f"{path}: {name} has shape {arrays[name].shape}, and there are "
                f"{number} items"
            )
    labels, classes = arrays.get("y"), arrays.get("classes")
    if classes is not None:
        expected = 0 if labels is None else len(indexed(labels)[1])
        if classes.shape != (expected,):
            raise DataError(
                f"{path} has {expected} classes, and names for {classes.size}"
            )
        classes = classes.tolist()
    split, groups = arrays.get("split"), arrays.get("groups")
    test = None if split is None else is_for_test(split, path)
    return dict(labels=labels, classes=classes, test=test, groups=groups)
