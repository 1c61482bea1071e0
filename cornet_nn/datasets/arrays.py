"""Data sets in .npz and .npy files."""

import functools

import numpy as np

from geomstats_cor.exceptions import DataError, ParameterError

from .conversion import Converted
from .dataset import Dataset
from .labels import indexed, is_for_test
from .matrices import kind_of, regularized, require_covariances
from .sequences import SequenceMatrices
from .skeletons import SKELETONS


def load_npz(
    path,
    conversion,
    *,
    kind=None,
    skeleton=None,
    representation="covariance",
    center=None,
    view=None,
    neighbors=("left",),
    levels=1,
    frame_shrinkage=1e-3,
    shrinkage=None,
    ridge=0.0,
):
    """Load an .npz file.

    Parameters
    ----------
    path : pathlib.Path
        File with one of the arrays `C` (correlation matrices), `S` (covariance
        matrices) or `X`, which are matrices or signals, or with `L` the frames of
        sequences one after the other, as many as `L` says of each. Beside it `y`
        (labels), `split` (0 train, 1 test), `classes` (names of classes), `names` (of
        items) and `groups`, all optional.
    conversion : Conversion
        How to convert.
    kind : str or None
        Kind of the stack `X`; None decides from its shape and diagonal.
    skeleton : str or None
        For sequences: "hdm05", "fpha" or "ntu120", if the numbers of a frame are the
        coordinates of its joints.
    representation : str
        For sequences, as the options below: see `SequenceMatrices`.
    center : str or None
        Centring by "frame" or "first".
    view : str or None
        View alignment by "frame" or "first".
    neighbors : tuple
        Neighbours of the Gaussian embedding.
    levels : int
        Levels of the temporal pyramid.
    frame_shrinkage : float
        Shrinkage within a frame.
    shrinkage : float or None
        Shrinkage of covariance matrices; None is 1e-3 for those of sequences and none
        for those of the file.
    ridge : float
        Ridge of covariance matrices.

    Returns
    -------
    dataset : Dataset
        Data set.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
    except (OSError, ValueError, EOFError) as error:
        raise DataError(f"{path} cannot be read: {error}") from error
    found = [name for name in ("C", "S", "X") if name in arrays]
    if len(found) != 1:
        raise DataError(
            f"{path} holds {', '.join(sorted(arrays)) or 'nothing'}: one array C, S or "
            f"X is wanted"
        )
    if "L" not in arrays:
        if skeleton is not None:
            raise ParameterError(f"{path} holds no sequences, which a skeleton is for")
        kind = {"C": "correlation", "S": "covariance", "X": kind}[found[0]]
        return load_stack(
            arrays.pop(found[0]),
            arrays,
            path,
            conversion,
            kind=kind,
            shrinkage=shrinkage or 0.0,
            ridge=ridge,
        )
    if skeleton is not None and skeleton not in SKELETONS:
        raise ParameterError(
            f"skeleton is one of {', '.join(SKELETONS)}, not {skeleton!r}"
        )
    matrices = SequenceMatrices(
        SKELETONS.get(skeleton),
        representation=representation,
        center=center,
        view=view,
        neighbors=tuple(neighbors),
        levels=levels,
        frame_shrinkage=frame_shrinkage,
        shrinkage=1e-3 if shrinkage is None else shrinkage,
        ridge=ridge,
    )
    frames, lengths = arrays["X"], arrays["L"]
    if lengths.sum() != len(frames) or (lengths < 0).any():
        raise DataError(
            f"{path}: the lengths L add up to {lengths.sum()}, and X has {len(frames)} "
            f"frames"
        )
    pieces = np.split(frames, np.cumsum(lengths)[:-1])
    items = list(zip(_item_names(arrays, path, len(pieces)), pieces, strict=True))
    converted = conversion.run(
        str(path), matrices, items, [path], {"matrices": matrices}
    )
    return _dataset(path, converted, arrays, len(pieces), matrices.kind)


def load_npy(path, conversion, *, kind=None, shrinkage=0.0, ridge=0.0):
    """Load a stack in an .npy file, with its labels beside it.

    Parameters
    ----------
    path : pathlib.Path
        File `NAME.npy`; `NAME_labels.npy` and `NAME_split.npy` are read if they exist.
    conversion : Conversion
        How to convert.
    kind : str or None
        Kind of the stack; None decides from its shape and diagonal.
    shrinkage : float
        Shrinkage of covariance matrices.
    ridge : float
        Ridge of covariance matrices.

    Returns
    -------
    dataset : Dataset
        Data set.
    """
    arrays = {}
    for name, suffix in (("stack", ""), ("y", "_labels"), ("split", "_split")):
        file = path.with_name(f"{path.stem}{suffix}.npy")
        if suffix and not file.exists():
            continue
        try:
            arrays[name] = np.load(file, allow_pickle=False)
        except (OSError, ValueError, EOFError) as error:
            raise DataError(f"{file} cannot be read: {error}") from error
    stack = arrays.pop("stack")
    return load_stack(
        stack, arrays, path, conversion, kind=kind, shrinkage=shrinkage, ridge=ridge
    )


def load_stack(stack, arrays, path, conversion, *, kind, shrinkage, ridge):
    """Make a data set of a stack of matrices or signals.

    Parameters
    ----------
    stack : array, shape=[N, ...]
        Stack.
    arrays : dict of array
        What is known of the items: `y`, `split`, `classes`, `names`, `groups`.
    path : pathlib.Path
        File, for messages.
    conversion : Conversion
        How to report.
    kind : str or None
        Kind; None decides.
    shrinkage : float
        Shrinkage of covariance matrices.
    ridge : float
        Ridge of covariance matrices.

    Returns
    -------
    dataset : Dataset
        Data set.
    """
    if stack.dtype.kind not in "fiu":
        raise DataError(f"{path}: real numbers are wanted, not {stack.dtype}")
    if stack.dtype not in (np.float32, np.float64):
        stack = stack.astype(np.float64)
    kind = kind or kind_of(stack)
    wanted = (3,) if kind == "signal" else (3, 4)
    if stack.ndim not in wanted or (
        kind != "signal" and stack.shape[-1] != stack.shape[-2]
    ):
        shapes = (
            "[N, channels, time]" if kind == "signal" else "[N, n, n] or [N, c, n, n]"
        )
        raise DataError(f"{path} has shape {stack.shape}: {shapes} is wanted")
    if kind == "correlation" and (shrinkage or ridge):
        raise ParameterError(
            f"{path} holds correlation matrices: shrinkage and ridge are for "
            f"covariances. The network has a shrinkage of its own."
        )
    check = functools.partial(_checked, kind=kind, shrinkage=shrinkage, ridge=ridge)
    names = _item_names(arrays, path, len(stack))
    values, kept, problems = [], [], []
    for number, (name, item) in enumerate(zip(names, stack, strict=True)):
        try:
            values.append(check(item))
            kept.append(number)
        except DataError as error:
            problems.append(f"{name} {error}: left out")
    conversion.report(str(path), problems, len(stack))
    if not kept:
        raise DataError(f"{path}: none of {len(stack)} items can be used: {problems}")
    converted = Converted(np.stack(values), np.array(kept), tuple(problems))
    return _dataset(path, converted, arrays, len(stack), kind)


def _checked(item, kind, shrinkage, ridge):
    if kind == "signal":
        if not np.isfinite(item).all():
            raise DataError("has a NaN or an infinity")
        if not np.ptp(item, axis=-1).any():
            raise DataError("is constant")
        return item
    matrices = regularized(item, shrinkage, ridge) if shrinkage or ridge else item
    require_covariances(matrices)
    if kind == "correlation":
        diagonal = np.diagonal(matrices, axis1=-2, axis2=-1)
        if not np.allclose(diagonal, 1.0, atol=1e-5):
            raise DataError("has a diagonal that is not one")
    return (matrices + matrices.swapaxes(-1, -2)) / 2


def _item_names(arrays, path, number):
    names = arrays.get("names")
    if names is not None and names.shape == (number,):
        return [str(name) for name in names]
    return [f"{path.name}[{index}]" for index in range(number)]


def _dataset(path, converted, arrays, number, kind):
    for name in ("y", "split", "groups"):
        if name in arrays and arrays[name].shape != (number,):
            raise DataError(
                f"{path}: {name} has shape {arrays[name].shape}, and there are "
                f"{number} items"
            )
    labels, classes = np.full(number, -1), ()
    if "y" in arrays:
        labels, classes = indexed(arrays["y"])
    if "classes" in arrays:
        if arrays["classes"].shape != (len(classes),):
            raise DataError(
                f"{path} has {len(classes)} classes, and names for "
                f"{arrays['classes'].size}"
            )
        classes = tuple(arrays["classes"].tolist())
    kept = converted.kept
    split, groups = arrays.get("split"), arrays.get("groups")
    return Dataset(
        str(path),
        converted.values,
        labels[kept],
        classes,
        kind,
        test=None if split is None else is_for_test(split, path)[kept],
        groups=None if groups is None else groups[kept],
        problems=converted.problems,
    )
