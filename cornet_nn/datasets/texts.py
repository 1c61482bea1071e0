"""Reading of files that may be damaged."""

import numpy as np

from geomstats_cor.exceptions import DataError


def read_table(file):
    """Read numbers in columns.

    Parameters
    ----------
    file : pathlib.Path
        Text file.

    Returns
    -------
    table : array, shape=[rows, columns]
        Numbers.
    """
    text = file.read_text()
    if not text.strip():
        raise DataError("is empty")
    return np.loadtxt(text.splitlines(), ndmin=2)


def described(path):
    """Return a path as text, and say if a link on the way to it is broken.

    Parameters
    ----------
    path : pathlib.Path
        Path of a file or folder.

    Returns
    -------
    text : str
        Path.
    """
    for place in (path, *path.parents):
        if place.is_symlink() and not place.exists():
            return f"{path} ({place} is a broken link to {place.readlink()})"
    return str(path)


def readable(files, read):
    """Read those of some files that can be.

    Parameters
    ----------
    files : iterable of pathlib.Path
        Files.
    read : callable
        Reads a file.

    Yields
    ------
    content : object
        What it read. A file that cannot be read is left to the conversion to report.
    """
    for file in files:
        try:
            yield read(file)
        except (OSError, ValueError, EOFError):
            continue


def matched(files, pattern):
    """Find the files whose names have a pattern.

    Parameters
    ----------
    files : iterable of pathlib.Path
        Files.
    pattern : re.Pattern
        Pattern of their names without ending.

    Returns
    -------
    named : list of tuple
        Those that are, sorted, and the match of each.
    problems : list of str
        What is wrong with the others.
    """
    found = [(file, pattern.fullmatch(file.stem)) for file in sorted(files)]
    named = [(file, match) for file, match in found if match]
    problems = [
        f"{file.name}: unexpected file name" for file, match in found if not match
    ]
    return named, problems
