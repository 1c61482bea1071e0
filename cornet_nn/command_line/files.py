"""Files and directories that commands write."""

import json
import tempfile
from pathlib import Path

from geomstats_cor.exceptions import ParameterError

from .._files import replacing


def write_text(path, text):
    """Write a file so that a reader sees the old or the new content, never a part.

    Parameters
    ----------
    path : pathlib.Path
        File.
    text : str
        Content.

    Returns
    -------
    path : pathlib.Path
        The file.
    """
    path = Path(path)
    with replacing(path, mode="w", encoding="utf-8", newline="") as file:
        file.write(text)
    return path


def write_json(path, value):
    """Write a value of JSON, as `write_text` does.

    Parameters
    ----------
    path : pathlib.Path
        File.
    value : object
        Value.

    Returns
    -------
    path : pathlib.Path
        The file.
    """
    return write_text(path, json.dumps(value, indent=2) + "\n")


def make_writable(directory):
    """Make a directory, and raise if files cannot be written there.

    Parameters
    ----------
    directory : pathlib.Path
        Directory.
    """
    directory = Path(directory)
    try:
        directory.mkdir(parents=True, exist_ok=True)
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


def fresh_directory(name, parent="runs"):
    """Return a directory that is not there yet, or is empty.

    Parameters
    ----------
    name : str
        Name, to which a number is added if it is taken.
    parent : str
        Directory in which it will be.

    Returns
    -------
    directory : pathlib.Path
        Directory, which is not made.

    Examples
    --------
    >>> fresh_directory("olm-connectomes", "no_such_folder").name
    'olm-connectomes'
    """
    directory, number = Path(parent) / name, 1
    while directory.exists() and contents(directory):
        number += 1
        directory = Path(parent) / f"{name}-{number}"
    return directory
