"""Files that are written whole or not at all, by one process at a time."""

import contextlib
import json
import os
import secrets
import tempfile
import zipfile
from pathlib import Path

from geomstats_cor.exceptions import ParameterError

# No file of ours that describes something comes near this.
LARGEST_JSON = 1 << 24
DEEPEST_JSON = 32
_LOCK = ".lock"


@contextlib.contextmanager
def replacing(path, mode="w", **how):
    """Open a new file, which takes the place of the old one when it is complete.

    A reader sees the old or the new content, never a part, whenever the process ends.
    The new file has a name that no other process uses, and is created by this call: a
    symbolic link is never followed.

    Parameters
    ----------
    path : pathlib.Path
        File.
    mode : {"w", "wb"}
        Whether text or bytes are written.
    **how
        Arguments of `open`.

    Yields
    ------
    file : file
        The new file.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "table.csv"
    ...     with replacing(path) as file:
    ...         _ = file.write("a,b")
    ...         is_there_yet = path.exists()
    ...     is_there_yet, path.read_text()
    (False, 'a,b')
    """
    path = Path(path)
    new = path.with_name(f".{path.name}.{secrets.token_hex(8)}.new")
    try:
        with open(new, mode.replace("w", "x"), opener=_create, **how) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, path)
    finally:
        new.unlink(missing_ok=True)


def write_text(path, text):
    """Write a file so that a reader sees the old or the new content, never a part.

    Parameters
    ----------
    path : pathlib.Path
        File.
    text : str
        Content.
    """
    with replacing(path, mode="w", encoding="utf-8", newline="") as file:
        file.write(text)


def write_json(path, value):
    """Write a value of JSON, as `write_text` does.

    Parameters
    ----------
    path : pathlib.Path
        File.
    value : object
        Value.
    """
    write_text(path, json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def write_csv(path, table, **how):
    """Write a table as CSV, as `write_text` does.

    Parameters
    ----------
    path : pathlib.Path
        File.
    table : pandas.DataFrame
        Table.
    **how
        Arguments of `to_csv`.
    """
    write_text(path, table.to_csv(index=False, lineterminator="\n", **how))


def make_writable(directory):
    """Make a directory, and raise if files cannot be written there.

    Parameters
    ----------
    directory : pathlib.Path
        Directory.
    """
    try:
        Path(directory).mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            pass
    except OSError as error:
        raise ParameterError(
            f"{directory} cannot be written: {error}. Choose another directory."
        ) from error


def contents(directory):
    """Return what is in a directory, except what is hidden.

    Parameters
    ----------
    directory : pathlib.Path
        Directory.

    Returns
    -------
    names : list of str
        Names.
    """
    return sorted(p.name for p in directory.iterdir() if not p.name.startswith("."))


def _create(path, flags):
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o666)


def locked(directory):
    """Return a lock on a directory, which this process holds until it is released.

    The lock is that of the operating system on the file `.lock` of the directory. It
    ends with the process, however that ends: the file alone locks nothing. A thread
    that holds the lock can take it again.

    Parameters
    ----------
    directory : pathlib.Path
        Directory, which exists.

    Returns
    -------
    lock : filelock.BaseFileLock
        Lock; `lock.release()` gives it back.

    Raises
    ------
    OSError
        If another process or thread holds the lock, or if there can be none.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     lock = locked(folder)
    ...     is_locked = lock.is_locked
    ...     lock.release()
    >>> is_locked, lock.is_locked
    (True, False)
    """
    from filelock import FileLock, Timeout

    lock = FileLock(Path(directory) / _LOCK, timeout=0, is_singleton=True)
    try:
        lock.acquire()
    except (Timeout, NotImplementedError) as error:
        raise BlockingIOError(
            f"another process is writing to {directory}: wait until it ends, or choose "
            f"another directory"
        ) from error
    # What a process that was killed left behind belongs to no one now.
    for left in Path(directory).glob(".*.????????????????.new"):
        left.unlink(missing_ok=True)
    return lock


def read_object(path):
    """Return the object that a JSON file holds.

    Parameters
    ----------
    path : pathlib.Path
        JSON file.

    Returns
    -------
    content : dict
        The object.

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError
        If it is too large, not JSON, nested too deeply, or holds something else than an
        object.
    """
    path = Path(path)
    if path.exists() and not path.is_file():
        raise ValueError("it is not a file")
    with open(path, "rb") as file:
        content = file.read(LARGEST_JSON + 1)
    if len(content) > LARGEST_JSON:
        raise ValueError(f"it is larger than {LARGEST_JSON >> 20} MB")
    try:
        value = json.loads(content.decode("utf-8"))
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if not isinstance(value, dict):
        raise ValueError(f"expected a JSON object, got {type(value).__name__}")
    level: list[dict | list] = [value]
    for _ in range(DEEPEST_JSON):
        inner = (x.values() if isinstance(x, dict) else x for x in level)
        level = [x for items in inner for x in items if isinstance(x, dict | list)]
    if level:
        raise ValueError("it is nested too deeply")
    return value


def load_archive(path):
    """Return what torch has saved to a file: tensors and plain values alone.

    `torch.load` does not compare the checksums that the archive has.

    Parameters
    ----------
    path : pathlib.Path
        File.

    Returns
    -------
    content : object
        Content, with tensors on the CPU.

    Raises
    ------
    OSError
        If it is not a file, or cannot be read.
    zipfile.BadZipFile
        If a checksum is wrong, or the archive is not as torch writes it. Damage may
        make torch raise other errors.
    """
    import torch

    # To open a pipe would wait for ever.
    if Path(path).exists() and not Path(path).is_file():
        raise OSError("it is not a file")
    with open(path, "rb") as file:
        require_intact_archive(file)
        return torch.load(file, map_location="cpu", weights_only=True)


def require_intact_archive(file):
    """Raise unless an archive that torch has saved has the bytes that were written.

    Parameters
    ----------
    file : file
        Archive, opened for reading bytes. It is at its beginning again afterwards.

    Raises
    ------
    zipfile.BadZipFile
        If a checksum is wrong, or the archive is not as torch writes it.
    """
    with zipfile.ZipFile(file) as archive:
        members = archive.infolist()
        size = file.seek(0, 2)
        if any(member.compress_type != zipfile.ZIP_STORED for member in members):
            raise zipfile.BadZipFile("its members are compressed")
        if sum(member.file_size for member in members) > size:
            raise zipfile.BadZipFile("its members are larger than the file")
        damaged = archive.testzip()
    if damaged is not None:
        raise zipfile.BadZipFile(f"the checksum of {damaged} is wrong")
    file.seek(0)
