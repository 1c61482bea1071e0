"""Lines of code, docstrings and comments of each package.

python -m benchmarks.lines [FOLDER ...]
"""

import ast
import collections
import io
import pathlib
import sys
import tokenize


def count(source):
    """Return the numbers of lines of code, of docstrings, and of comments alone."""
    documented, commented, coded = set(), set(), set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            if ast.get_docstring(node, clean=False) is not None:
                text = node.body[0]
                documented.update(range(text.lineno, text.end_lineno + 1))
    skipped = (tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        lines = range(token.start[0], token.end[0] + 1)
        if token.type == tokenize.COMMENT:
            commented.update(lines)
        elif token.type not in (*skipped, tokenize.ENDMARKER):
            coded.update(lines)
    coded -= documented
    return len(coded), len(documented), len(commented - coded)


def main():
    totals = collections.defaultdict(lambda: [0, 0, 0])
    for root in map(pathlib.Path, sys.argv[1:] or ["geomstats_cor", "cornet_nn"]):
        for file in sorted(root.rglob("*.py")):
            package = ".".join(file.relative_to(root.parent).parts[:-1][:2])
            for k, number in enumerate(count(file.read_text(encoding="utf-8"))):
                totals[package][k] += number
    print(f"{'package':28} {'code':>7} {'docstring':>10} {'comment':>8}")
    for package, numbers in sorted(totals.items()):
        print(f"{package:28} {numbers[0]:7} {numbers[1]:10} {numbers[2]:8}")


if __name__ == "__main__":
    main()
