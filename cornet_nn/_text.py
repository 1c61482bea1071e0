"""Text that is safe to print."""

import unicodedata


def printable(text, keep="\n"):
    r"""Return text without characters that a terminal would obey.

    Parameters
    ----------
    text : str
        Text, of which names of classes and files may be part.
    keep : str
        Characters that are kept as they are.

    Returns
    -------
    text : str
        The same, with escapes such as ``\x1b`` in place of control characters, marks
        of direction and what is no character.

    Examples
    --------
    >>> print(printable("red\x1b[31m"))
    red\x1b[31m
    """
    return "".join(
        c
        if c.isprintable() or c in keep or unicodedata.category(c) == "Zs"
        # Lone surrogates, of names of files that are not text, have no other form.
        else c.encode("unicode_escape").decode()
        for c in text
    )


class PrintableStream:
    """A stream that prints only what is safe, and what its encoding has.

    Parameters
    ----------
    stream : file
        Stream of text.
    """

    def __init__(self, stream):
        self._stream = stream

    def write(self, text):
        """Write text, with escapes; see `printable`."""
        encoding = getattr(self._stream, "encoding", None) or "utf-8"
        safe = printable(text).encode(encoding, "backslashreplace").decode(encoding)
        return self._stream.write(safe)

    def __getattr__(self, name):
        return getattr(self._stream, name)
