r"""Tables for a terminal, for Markdown and for CSV."""

import csv
import io

from .._text import printable


def text_table(header, rows):
    """Return an aligned table.

    Parameters
    ----------
    header : sequence of str
        Titles of the columns.
    rows : sequence of sequence
        Cells; the first of a row is aligned to the left, the others to the right.

    Returns
    -------
    table : str
        Lines of the table.

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

    Parameters
    ----------
    header : sequence of str
        Titles of the columns.
    rows : sequence of sequence
        Cells.

    Returns
    -------
    table : str
        Lines of the table.

    Examples
    --------
    >>> print(markdown_table(["metric", "accuracy"], [["olm", 97.1]]))
    | metric | accuracy |
    |---|---:|
    | olm | 97.1 |
    """
    rule = "|".join(["", "---", *["---:"] * (len(header) - 1), ""])
    lines = ["| " + " | ".join(_escaped(row)) + " |" for row in (header, *rows)]
    return "\n".join([lines[0], rule, *lines[1:]])


def csv_table(header, rows):
    r"""Return a table as the text of a CSV file.

    Parameters
    ----------
    header : sequence of str
        Titles of the columns.
    rows : sequence of sequence
        Cells; numbers are written so that reading them gives them back.

    Returns
    -------
    text : str
        Text.

    Examples
    --------
    >>> csv_table(["metric", "accuracy"], [["olm", 0.1]])
    'metric,accuracy\nolm,0.1\n'
    """
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return file.getvalue()


def percent(fraction):
    """Return a fraction in percent, with one decimal.

    Parameters
    ----------
    fraction : float
        Fraction; NaN where there is none.

    Returns
    -------
    text : str
        Percent, or a dash.

    Examples
    --------
    >>> percent(0.9714), percent(float("nan"))
    ('97.1', '-')
    """
    return "-" if fraction != fraction else f"{100 * fraction:.1f}"


def _escaped(row):
    return [" ".join(str(cell).splitlines()).replace("|", r"\|") for cell in row]
