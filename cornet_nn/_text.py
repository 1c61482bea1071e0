"""Text that is safe to print, and tables."""

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


def text_table(header, rows):
    """Return an aligned table: the first column to the left, the others to the right.

    Examples
    --------
    >>> print(text_table(["metric", "accuracy"], [["olm", "97.1"], ["phcm", "9.5"]]))
    metric  accuracy
    ----------------
    olm         97.1
    phcm         9.5
    """
    rows = [[printable(str(cell), keep="") for cell in row] for row in (header, *rows)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for first, *others in rows:
        cells = [c.rjust(w) for c, w in zip(others, widths[1:], strict=True)]
        lines.append("  ".join([first.ljust(widths[0]), *cells]).rstrip())
    rule = "-" * (sum(widths) + 2 * (len(widths) - 1))
    return "\n".join([lines[0], rule, *lines[1:]])


def markdown_table(header, rows):
    """Return a table in Markdown.

    Examples
    --------
    >>> print(markdown_table(["metric", "accuracy"], [["olm", 97.1]]))
    | metric | accuracy |
    |---|---:|
    | olm | 97.1 |
    """
    texts = [
        [" ".join(str(cell).splitlines()).replace("|", r"\|") for cell in row]
        for row in (header, *rows)
    ]
    lines = [f"| {' | '.join(row)} |" for row in texts]
    rule = "|".join(["", "---", *["---:"] * (len(texts[0]) - 1), ""])
    return "\n".join([lines[0], rule, *lines[1:]])


def percent(fraction):
    """Return a fraction in percent, with one decimal; a dash for NaN.

    Examples
    --------
    >>> percent(0.9714), percent(float("nan"))
    ('97.1', '-')
    """
    return "-" if fraction != fraction else f"{100 * fraction:.1f}"
