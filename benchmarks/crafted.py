"""Run directories and files as no program writes them.

`CASES` has a function for each by its name. It changes a copy of a good run directory,
or makes a file, and returns the words of the command that is to refuse it.
"""

import functools
import hashlib
import io
import json
import os
import zipfile
from pathlib import Path

import numpy as np
import torch

CASES = {}
_DEEP = 100_000
_CONTENTS = {
    "empty": b"",
    "list": b"[]",
    "null": b"null",
    "number": b"1",
    "text": b'"text"',
    "empty object": b"{}",
    "half": b'{"estimator": "CorNet',
    "zeros": bytes(100),
    "not UTF-8": b'{"estimator": "\xff"}',
    "lone surrogate": b'{"estimator": "\\ud800"}',
    "deep list": b"[" * _DEEP,
    "deep object": b'{"a":' * _DEEP,
    "deep and whole": b'{"a":' * 500 + b"1" + b"}" * 500,
    "20 MB": b'{"a": "' + b" " * (20 << 20) + b'"}',
    "long number": b'{"a": ' + b"9" * 5000 + b"}",
}
_JSON = ("run.json",)
_NOTHING = object()
_FIELDS = ("estimator", "parameters", "resolved")
_RESOLVED = ("kind", "channels", "size", "input_shape", "features", "classes", "seed")
_RESOLVED += ("front_end_is_fixed",)


def evaluate(run):
    """Return the words that load a run."""
    return ("evaluate", run, "--quiet")


def resume(run):
    """Return the words that go on with a run."""
    return ("train", "--run-dir", run, "--resume", "--epochs", 5, "--quiet")


def case(name):
    """Add a function to `CASES`."""

    def added(function):
        assert name not in CASES, name
        CASES[name] = function
        return function

    return added


def put(content, keys, value):
    """Set or remove an entry of nested dictionaries."""
    for key in keys[:-1]:
        content = content[key]
    if value is _NOTHING:
        del content[keys[-1]]
    else:
        content[keys[-1]] = value


def change_json(path, *changes):
    """Change entries of a JSON file, whose digest is right again."""
    content = json.loads(path.read_text())
    content.pop("digest", None)
    for keys, value in changes:
        put(content, keys, value)
    text = json.dumps(content, sort_keys=True)
    content["digest"] = hashlib.sha256(text.encode()).hexdigest()
    path.write_text(json.dumps(content))


def change_checkpoint(run, *changes):
    """Change entries of a checkpoint, whose checksums are right again."""
    path = run / "checkpoint.pt"
    checkpoint = torch.load(path, weights_only=True)
    for keys, value in changes:
        put(checkpoint, keys, value)
    torch.save(checkpoint, path)


def word_of(value):
    """Return a value as part of a name."""
    return "missing" if value is _NOTHING else json.dumps(value)


# Files that are no JSON object of ours.
def _replaced(name, content, run, data):
    (run / name).write_bytes(content)
    return evaluate(run)


def _removed(name, make, run, data):
    (run / name).unlink()
    make(run / name)
    return evaluate(run)


_KINDS = {
    "a folder": Path.mkdir,
    "a pipe": os.mkfifo,
    "a dangling link": lambda path: path.symlink_to("nowhere"),
    "a link to itself": lambda path: path.symlink_to(path),
}
for _name in _JSON:
    for _word, _content in _CONTENTS.items():
        case(f"{_name}: {_word}")(functools.partial(_replaced, _name, _content))
for _name in (*_JSON, "checkpoint.pt"):
    for _word, _make in _KINDS.items():
        case(f"{_name}: {_word}")(functools.partial(_removed, _name, _make))


# Entries that are missing or of another type.
def _changed(name, keys, value, run, data):
    change_json(run / name, (keys, value))
    return evaluate(run)


_KEYS = [(key,) for key in _FIELDS] + [("resolved", key) for key in _RESOLVED]
for _keys in [
    *_KEYS,
    ("resolved", "classes", "array"),
    ("resolved", "classes", "dtype"),
]:
    for _value in (_NOTHING, None, [], "x"):
        if _keys[-1] == "kind" and _value is None:
            continue  # a front end of one's own has none
        _word = f"run.json: {'.'.join(_keys)} {word_of(_value)}"
        case(_word)(functools.partial(_changed, "run.json", _keys, _value))
for _keys, _value in [
    (("resolved", "size"), 10**9),
    (("resolved", "size"), 0),
    (("resolved", "size"), True),
    (("resolved", "channels"), -1),
    (("resolved", "channels"), 10**30),
    (("resolved", "input_shape"), ["a"]),
    (("resolved", "input_shape"), [4] * 100_000),
    (("resolved", "classes", "dtype"), "<U500000000"),
    (("resolved", "classes", "dtype"), "V8"),
    (("resolved", "classes", "dtype"), "i4,f8"),
    (("resolved", "classes", "array"), [["no"], ["yes"]]),
    (("resolved", "classes", "array"), ["no", "yes", "maybe"]),
    (("resolved", "classes", "array"), [{"array": []}]),
    (("resolved", "seed"), -1),
    (("estimator",), "os.system"),
    (("estimator",), "CorMLRClassifier"),
    (("parameters", "metric"), "euclid"),
    (("parameters", "metric"), {"object": "os.system"}),
    (("parameters", "metric"), {"pairs": 3}),
    (("parameters", "output_size"), 10**6),
    (("parameters", "power"), 2.0),
    (("parameters", "unknown"), 1),
    (("parameters", "device"), "nowhere"),
    (("parameters", "device"), {}),
]:
    _word = f"run.json: {'.'.join(_keys)} = {json.dumps(_value)[:40]}"
    case(_word)(functools.partial(_changed, "run.json", _keys, _value))
for _keys, _value in [
    *[(("data",), v) for v in (_NOTHING, None, [])],
    *[
        (("data", key), v)
        for key in ("source", "fingerprint", "part")
        for v in (_NOTHING, None, [])
    ],
    *[
        (("data", "source", key), v)
        for key in ("data", "directory", "options")
        for v in (_NOTHING, [])
    ],
    (("data", "source", "data"), "no such data"),
    (("data", "source", "cache"), "/"),
    (("data", "source", "options"), {"directory": 1}),
    (("data", "source", "options"), {"progress": 1}),
    (("data", "source", "options"), {"unknown": 1}),
    (("data", "source", "options"), {"kind": []}),
    (("data", "source", "options"), {"ridge": "x"}),
    (("data", "source", "options"), {"errors": {}}),
    (("parameters", "class_weight"), {"pairs": [["no", "x"]]}),
    (("parameters", "class_weight"), []),
    (("digest",), "0"),
]:
    _word = f"run.json: {'.'.join(_keys)} {word_of(_value)}"
    case(_word)(functools.partial(_changed, "run.json", _keys, _value))


# Record and checkpoint that agree on what makes no sense.
def _agreed(name, value, run, data):
    change_json(run / "run.json", (("parameters", name), value))
    change_checkpoint(run, (("identity", name), value))
    return evaluate(run)


for _name, _value in [
    ("metric", "euclid"),
    ("metric", 3),
    ("output_size", 10**6),
    ("output_size", 50),
    ("output_size", "x"),
    ("output_size", -1),
    ("dtype", "float16"),
    ("power", "x"),
    ("power", 0),
    ("shrinkage", []),
    ("activation", "explode"),
    ("basis", "x"),
    ("out_channels", 10**8),
    ("kernel_size", 10**8),
    ("center", "x"),
    ("gain", "x"),
]:
    case(f"both: {_name} = {json.dumps(_value)}")(
        functools.partial(_agreed, _name, _value)
    )


# Checkpoints.
def _archive(compression=zipfile.ZIP_STORED, **members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


def _compressed(run, data):
    path = run / "checkpoint.pt"
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    path.write_bytes(_archive(zipfile.ZIP_DEFLATED, **members))
    return evaluate(run)


case("checkpoint.pt: compressed")(_compressed)


class _Call:
    def __reduce__(self):
        return os.system, ("echo this must not be printed",)


def _saved(value, run, data):
    torch.save(value, run / "checkpoint.pt")
    return evaluate(run)


for _word, _content in {
    "empty": b"",
    "text": b"weights",
    "zeros": bytes(5000),
    "an archive of nothing": _archive(),
    "an archive of text": _archive(**{"archive/data.pkl": b"x"}),
}.items():
    case(f"checkpoint.pt: {_word}")(
        functools.partial(_replaced, "checkpoint.pt", _content)
    )
for _word, _content in {
    "a list": [],
    "a number": 1,
    "a tensor": torch.zeros(3),
    "a function call": _Call(),
    "an array": np.zeros(3),
}.items():
    case(f"checkpoint.pt: {_word}")(functools.partial(_saved, _content))


@case("checkpoint.pt: half")
def _half(run, data):
    content = (run / "checkpoint.pt").read_bytes()
    return _replaced("checkpoint.pt", content[: len(content) // 2], run, data)


def _changed_checkpoint(command, keys, value, run, data):
    change_checkpoint(run, (keys, value))
    return command(run)


_WEIGHT = ("best", "mlr.weight")
_ROW = dict(epoch=1, train_loss=1.0, train_accuracy=0.5, seconds=1.0)
for _keys, _value, _word in [
    *[((key,), v, word_of(v))
      for key in ("identity", "seed", "rows", "last", "best", "optimizer")
      for v in (_NOTHING, None)],
    (("resolved",), [], "[]"),
    (("resolved",), {}, "{}"),
    (("resolved",), {"seed": -1}, "of another seed"),
    (("seed",), 1 << 70, "huge"),
    (("rows",), [1], "of a number"),
    (("rows",), [{}], "without numbers"),
    (("rows",), [_ROW | dict(train_loss="x")], "with text"),
    (("rows",), [_ROW, _ROW | dict(valid_loss=1.0)], "of different columns"),
    (_WEIGHT, _NOTHING, "missing"),
    (_WEIGHT, torch.zeros(3), "of another shape"),
    (_WEIGHT, torch.full((2, 1, 3), torch.nan), "NaN"),
    (_WEIGHT, torch.full((2, 1, 3), torch.inf), "infinite"),
    (_WEIGHT, torch.zeros(2, 1, 3, device="meta"), "without numbers"),
    (_WEIGHT, torch.zeros(2, 1, 3).to_sparse(), "sparse"),
    (_WEIGHT, [1.0], "a list"),
    (("best", "unknown"), torch.zeros(1), "too many"),
    (("best", 5), torch.zeros(1), "by a number"),
    (("best",), {}, "empty"),
]:  # fmt: skip
    if _keys[0] in ("optimizer", "rows") and _value is _NOTHING:
        _command = resume
    else:
        _command = evaluate
    case(f"checkpoint.pt: {'.'.join(map(str, _keys))} {_word}")(
        functools.partial(_changed_checkpoint, _command, _keys, _value)
    )
for _keys, _value, _word in [
    (("optimizer", "state"), [], "[]"),
    (("optimizer", "state", 0), {"exp_avg": torch.zeros(9)}, "of another shape"),
    (("optimizer", "state", 0, "exp_avg"), None, "null"),
    (("optimizer", "param_groups"), [], "[]"),
    (("optimizer", "param_groups", 0, "lr"), "fast", "fast"),
    (("last", "mlr.weight"), torch.zeros(3), "of another shape"),
    (("last", "mlr.weight"), torch.full((2, 1, 3), torch.nan), "NaN"),
]:
    case(f"resume: {'.'.join(map(str, _keys))} {_word}")(
        functools.partial(_changed_checkpoint, resume, _keys, _value)
    )


# Files of data.
def _header(shape, dtype="<f8"):
    file = io.BytesIO()
    fields = dict(descr=dtype, fortran_order=False, shape=shape)
    np.lib.format.write_array_header_1_0(file, fields)
    return file.getvalue()


def _data_file(name, content, run, data):
    path = run / name
    path.write_bytes(content)
    return ("data", path, "--quiet")


_TB = (10**6, 1000, 1000)
_CUBES = np.stack([np.eye(3)] * 4)


def _npz(**arrays):
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


for _word, _content in {
    "8 TB.npy": _header(_TB) + bytes(1000),
    "8 TB.npz": _archive(**{"C.npy": _header(_TB) + bytes(1000)}),
    "8 TB and packed.npz": _archive(
        zipfile.ZIP_DEFLATED, **{"C.npy": _header(_TB) + bytes(10**6)}
    ),
    "negative.npy": _header((-1, 3, 3)),
    "long names.npy": _header((4,), "<U500000000"),
    "objects.npz": _archive(**{"C.npy": _header((4, 3, 3), "|O")}),
    "text.npy": b"1, 2, 3",
    "empty.npz": b"",
    "no arrays.npz": _archive(**{"notes.txt": b"x"}),
    "bad member.npz": _archive(**{"C.npy": b"x"}),
    "half.npz": _npz(C=_CUBES)[:300],
    "complex.npz": _npz(C=_CUBES * 1j),
    "no samples.npz": _npz(C=_CUBES[:0]),
    "one number.npz": _npz(C=np.float64(1.0)),
    "labels of pairs.npz": _npz(C=_CUBES, y=np.zeros((4, 2))),
    "labels NaN.npz": _npz(C=_CUBES, y=np.full(4, np.nan)),
    "labels complex.npz": _npz(C=_CUBES, y=np.zeros(4, dtype=complex)),
    "lengths of pairs.npz": _npz(X=np.zeros((4, 3)), L=np.zeros((2, 2))),
    "lengths of fractions.npz": _npz(X=np.zeros((4, 3)), L=np.array([1.5, 2.5])),
    "lengths of text.npz": _npz(X=np.zeros((4, 3)), L=np.array(["2", "2"])),
    "split of text.npz": _npz(C=_CUBES, y=np.arange(4), split=np.array(["a"] * 4)),
    "classes of pairs.npz": _npz(C=_CUBES, y=np.arange(4), classes=np.zeros((2, 2))),
    "infinite.npz": _npz(C=_CUBES + np.inf),
}.items():
    case(f"data: {_word}")(functools.partial(_data_file, _word, _content))


# Results of a comparison, which --resume reads.
def _comparison(files, run, data):
    words = ("compare", data, "--metrics", "olm", "--epochs", 1, "--folds", 2)
    words += ("--run-dir", run / "comparison", "--quiet", "--resume")
    (run / "comparison").mkdir()
    for name, content in files.items():
        (run / "comparison" / name).write_text(content)
    return words


for _word, _files in {
    "other columns": {"cells.csv": "a,b\n1,2\n"},
    "no numbers": {
        "cells.csv": "metric,seed,part,accuracy,train_accuracy,epochs,"
        "seconds_per_epoch,samples\nolm,0,0,x,x,x,x,x\n"
    },
    "a byte of zero": {"cells.csv": "metric,seed\n\0"},
    "a folder of keys": {"cells.csv": "key\n" + "x" * 100_000},
    "quotes": {"cells.csv": 'key,accuracy\n"'},
}.items():
    case(f"comparison: {_word}")(functools.partial(_comparison, _files))
