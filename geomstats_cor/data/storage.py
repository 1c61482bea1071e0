"""Files of labelled stacks: .npz and .parquet.

Nothing is pickled. Columns of numbers and dates are arrays; columns of other things are
lists in JSON, so that strings, missing values and categories survive.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..exceptions import DataError, ParameterError
from . import labels
from .stack import CorrelationStack

_VERSION = 1
_PLAIN = "biufM"


def save_stack(stack: Any, path: Any) -> None:
    """Write a stack into a file.

    Parameters
    ----------
    stack : CorrelationStack
        Stack.
    path : str or pathlib.Path
        File, ".npz" or ".parquet".
    """
    path = _require_suffix(path)
    (_save_npz if path.suffix == ".npz" else _save_parquet)(stack, path)


def load_stack(path: Any) -> Any:
    """Read a stack from a file.

    Parameters
    ----------
    path : str or pathlib.Path
        File that `save_stack` has written.

    Returns
    -------
    stack : CorrelationStack
        Stack.
    """
    path = _require_suffix(path)
    return (_load_npz if path.suffix == ".npz" else _load_parquet)(path)


def _require_suffix(path):
    path = Path(path)
    if path.suffix not in (".npz", ".parquet"):
        raise ParameterError(
            f"path: expected a name that ends in .npz or .parquet, got {path.name!r}."
        )
    return path


def _save_npz(stack, path):
    arrays = {"values": stack.values}
    header = {"version": _VERSION, "note": stack.note, "columns": {}}
    for part, columns in _columns(stack).items():
        header["columns"][part] = []
        for i, (name, column) in enumerate(columns):
            encoded = _encoded(column, f"{part} {name!r}")
            entry = {"name": _json(name, part)}
            if isinstance(encoded, np.ndarray):
                arrays[f"{part}{i}"] = encoded
            else:
                entry |= encoded
            header["columns"][part].append(entry)
    np.savez_compressed(path, header=np.array(json.dumps(header)), **arrays)


def _columns(stack):
    """Return the names and columns of each part of the labels."""
    parts = {
        "variables": _levels(stack.variables),
        "index": _levels(stack.index),
    }
    if stack.frames is not None:
        parts["frames"] = [("frames", pd.Series(stack.frames))]
    if stack.covariates is not None:
        parts["covariates"] = list(stack.covariates.items())
    return parts


def _levels(index):
    return [
        (index.names[i], index.get_level_values(i).to_series())
        for i in range(index.nlevels)
    ]


def _encoded(column, label):
    """Return a column as an array of numbers or dates, or as a dictionary."""
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in _PLAIN:
        return column.to_numpy()
    entry: dict[str, Any] = {}
    if isinstance(column.dtype, pd.CategoricalDtype):
        entry["categories"] = [_json(x, label) for x in column.cat.categories]
        entry["ordered"] = bool(column.cat.ordered)
    values = column.astype(object)
    entry["values"] = [
        None if missing else _json(x, label)
        for x, missing in zip(values, pd.isna(values), strict=True)
    ]
    return entry


def _json(value, label):
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, str | bool | int | float):
        return value
    raise ParameterError(
        f"{label} holds {value!r}, a {type(value).__name__}: expected numbers, strings "
        f"or dates, which a file can keep."
    )


def _load_npz(path):
    try:
        with np.load(path, allow_pickle=False) as file:
            header = json.loads(str(file["header"]))
            values = file["values"]
            parts = {
                part: [
                    (entry["name"], _decoded(entry, file, f"{part}{i}"))
                    for i, entry in enumerate(entries)
                ]
                for part, entries in header["columns"].items()
            }
    except FileNotFoundError:
        raise
    except Exception as error:
        raise DataError(
            f"{path} is no file of a CorrelationStack, or is damaged: {error}. "
            f"A plain array is read by CorrelationStack(numpy.load(path))."
        ) from None
    return _assembled(values, parts, header)


def _decoded(entry, file, key):
    if "values" not in entry:
        return pd.Series(file[key])
    if "categories" in entry:
        dtype = pd.CategoricalDtype(entry["categories"], entry["ordered"])
        return pd.Series(pd.Categorical(entry["values"], dtype=dtype))
    return pd.Series(entry["values"])


def _assembled(values, parts, header):
    frames = covariates = None
    if "frames" in parts:
        frames = parts["frames"][0][1].to_numpy()
    index = _index(parts["index"])
    if "covariates" in parts:
        covariates = pd.DataFrame(
            {name: column.set_axis(index) for name, column in parts["covariates"]},
            index=index,
        )
    variables = _index(parts["variables"])
    return CorrelationStack(
        values, variables, index, frames, covariates, header["note"]
    )


def _index(levels):
    if len(levels) == 1:
        name, column = levels[0]
        return pd.Index(column).rename(name)
    names, columns = zip(*levels, strict=True)
    return pd.MultiIndex.from_arrays(columns, names=names)


def _arrow():
    try:
        import pyarrow
        import pyarrow.parquet
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            "Files of type .parquet need pyarrow: pip install 'geomstats-cor[tables]', "
            "or save to .npz."
        ) from None
    return pyarrow


def _save_parquet(stack, path):
    pyarrow = _arrow()
    n = len(stack.variables)
    close: dict[str, Any] = dict(rtol=0.0, atol=1e-12, equal_nan=True)
    if not np.allclose(
        stack.values[:, range(n), range(n)], 1.0, **close
    ) or not np.allclose(stack.values, stack.values.mT, **close):
        raise ParameterError(
            "a .parquet file holds the strict lower entries, but some matrix has a "
            "diagonal that is not one, or is not symmetric: save to .npz, or clean "
            "the stack by geomstats_cor.clean_points."
        )
    parts = _columns(stack)
    header = {"version": _VERSION, "note": stack.note, "columns": {}}
    columns = {}
    for part in ("index", "frames", "covariates"):
        header["columns"][part] = []
        for name, column in parts.get(part, ()):
            key = f"{part}.{name}" if name is not None else part
            header["columns"][part].append([key, _json(name, part)])
            columns[key] = column.reset_index(drop=True)
    header["variables"] = [
        {"name": name} | {"values": [_json(x, "variables") for x in column]}
        for name, column in parts["variables"]
    ]
    entries = stack.condensed()
    header["entries"] = list(entries.columns)
    clashes = set(entries.columns) & set(columns)
    if clashes or not entries.columns.is_unique:
        raise ParameterError(
            f"the names of the pairs of variables are not unique, or are those of "
            f"covariates: {labels.few(clashes or entries.columns)}. Rename variables, "
            f"or save to .npz."
        )
    for key, column in zip(header["entries"], entries.to_numpy().T, strict=True):
        columns[key] = column
    table = pyarrow.Table.from_pandas(pd.DataFrame(columns), preserve_index=False)
    metadata = (table.schema.metadata or {}) | {
        b"geomstats_cor": json.dumps(header).encode()
    }
    pyarrow.parquet.write_table(table.replace_schema_metadata(metadata), path)


def _load_parquet(path):
    table = _arrow().parquet.read_table(path)
    metadata = (table.schema.metadata or {}).get(b"geomstats_cor")
    if metadata is None:
        raise DataError(
            f"{path} is a table, but no file of a CorrelationStack: read it with "
            f"pandas, and pass its columns of correlations to CorrelationStack."
        )
    header, frame = json.loads(metadata), table.to_pandas()
    missing = [key for key in header["entries"] if key not in frame]
    if missing:
        raise DataError(f"{path} lacks the columns {labels.few(missing)}.")
    parts = {
        part: [(name, frame[key]) for key, name in keys]
        for part, keys in header["columns"].items()
        if keys
    }
    parts["variables"] = [
        (level["name"], pd.Series(level["values"])) for level in header["variables"]
    ]
    return _assembled(frame[header["entries"]].to_numpy(), parts, header)
