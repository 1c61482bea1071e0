"""Files that are written whole or not at all."""

import contextlib
import os


@contextlib.contextmanager
def replacing(path, **how):
    """Open a new file, which takes the place of the old one when it is complete.

    A reader sees the old or the new content, never a part, whenever the process ends.

    Parameters
    ----------
    path : pathlib.Path
        File.
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
    ...     with replacing(path, mode="w") as file:
    ...         _ = file.write("a,b")
    ...         is_there_yet = path.exists()
    ...     is_there_yet, path.read_text()
    (False, 'a,b')
    """
    new = path.with_name(f".{path.name}.new")
    try:
        with open(new, **how) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, path)
    finally:
        new.unlink(missing_ok=True)
