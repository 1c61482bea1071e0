"""Run the code of pages in Markdown, block after block, and compare what it prints.

    python tests/docs/pages.py docs/tutorials/manifold.md

writes the output of each block into the `text` block that follows it.
"""

import argparse
import contextlib
import io
import re
import sys
import warnings
from pathlib import Path

ROOT = Path(__file__).parents[2]

# A block of code, and the block of text that says what it prints, if there is one.
_BLOCK = re.compile(
    r"```python\n(?P<code>.*?)```\n(?P<output>\n```text\n(?P<text>.*?)```\n)?",
    re.DOTALL,
)


def execute(codes):
    """Return what each block prints; they share their names, as for a reader."""
    names, outputs = {"__name__": "__main__"}, []
    for number, code in enumerate(codes):
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(code, f"block {number}", "exec"), names)
        outputs.append(printed.getvalue())
    return outputs


def blocks(page):
    """Return the pairs of code and of the output shown, which may be None."""
    text = page.read_text(encoding="utf-8")
    return [(found["code"], found["text"]) for found in _BLOCK.finditer(text)]


def run(page):
    """Return what each block of a page prints, in a fresh process and folder."""
    from processes import in_a_fresh_process

    return in_a_fresh_process(_execute_without_a_screen, [c for c, _ in blocks(page)])


def _execute_without_a_screen(codes):
    import matplotlib

    matplotlib.use("Agg")
    warnings.simplefilter("ignore")
    return execute(codes)


def write_outputs(page):
    """Write what the blocks print into the page."""
    outputs = iter(run(page))

    def filled(found):
        output = next(outputs)
        block = f"```python\n{found['code']}```\n"
        return block + (f"\n```text\n{output}```\n" if found["output"] else "")

    text = page.read_text(encoding="utf-8")
    page.write_text(_BLOCK.sub(filled, text), encoding="utf-8")


if __name__ == "__main__":
    sys.path.append(str(ROOT / "tests"))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pages", type=Path, nargs="+")
    for given in parser.parse_args().pages:
        write_outputs(given)
