"""The pages run as written, print what they show, and point at things that exist."""

import ast
import importlib
import re

import pytest

from .pages import ROOT, blocks, execute, run

DOCS = ROOT / "docs"
# Made by the build, or with tests of their own.
_BUILT = ("_build", "_static", "api", "auto_examples", "tables")
PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in DOCS.rglob("*.md")
    if path.relative_to(DOCS).parts[0] not in _BUILT
)
RUN_ELSEWHERE = {
    "docs/means.md",  # tests/test_readme.py
    "docs/learning.md",  # tests/learning
    "docs/plotting.md",  # tests/plotting
    "docs/training.md",
    "docs/datasets.md",
    "docs/command_line.md",
}
RUN_HERE = [p for p in PAGES if p not in RUN_ELSEWHERE and blocks(ROOT / p)]

_ROLE = re.compile(r"\{py:(\w+)\}`~?([\w.]+)`")
_LINK = re.compile(r"\]\((?!https?:|#|/)([^)\s#]+)")


@pytest.mark.parametrize("page", RUN_HERE)
def test_a_page_prints_what_it_shows(page):
    pytest.importorskip("matplotlib")
    pytest.importorskip("dask")
    codes, shown = zip(*blocks(ROOT / page), strict=True)
    # A reader meets a tutorial in a fresh process, and a formula anywhere.
    is_theory = page.startswith("docs/theory/")
    outputs = execute(codes) if is_theory else run(ROOT / page)
    for number, (output, text) in enumerate(zip(outputs, shown, strict=True)):
        assert text is None or output == text, f"{page}, block {number}"


def test_tutorials_run_here():
    tutorials = {p for p in PAGES if p.startswith("docs/tutorials/")}
    assert tutorials - {"docs/tutorials/index.md"} <= set(RUN_HERE)
    assert "docs/index.md" in RUN_HERE


@pytest.mark.parametrize("number", range(3))
def test_the_examples_of_the_landing_page_are_short(number):
    code, _ = blocks(DOCS / "index.md")[number]
    assert len(code.strip().splitlines()) <= 12


@pytest.mark.parametrize("page", PAGES)
def test_names_in_roles_exist(page):
    for kind, name in _ROLE.findall((ROOT / page).read_text(encoding="utf-8")):
        assert _resolve(name) is not None, f"{page}: {kind} {name}"


def _resolve(name):
    """Return the object of a dotted name, or None."""
    parts = name.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:cut]))
        except ImportError:
            continue
        for part in parts[cut:]:
            found = getattr(found, part, None)
        return found
    return None


@pytest.mark.parametrize("page", [*PAGES, "README.md", "CONTRIBUTING.md"])
def test_links_lead_somewhere(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    for link in _LINK.findall(re.sub(r"```.*?```", "", text, flags=re.DOTALL)):
        if not link.lstrip("./").startswith(("auto_examples", "api/")):
            assert ((ROOT / page).parent / link).exists(), f"{page}: {link}"


def test_every_note_on_the_paper_has_its_test():
    page = (DOCS / "notes_on_the_paper.md").read_text(encoding="utf-8")
    entries = re.findall(r"^## ([a-z_]+)$", page, flags=re.MULTILINE)
    assert len(entries) >= 8
    assert re.findall(r"^\| \[(\w+)\]\(#\w+\)", page, flags=re.MULTILINE) == entries
    assert all(f"\n**{part}.** " in page for part in ("Where", "Printed", "Holds"))
    for entry in entries:
        section = page.split(f"\n## {entry}\n")[1].split("\n## ")[0]
        (named,) = re.findall(r"\*\*Test\.\*\* `([\w/.]+)::(\w+)`", section)
        assert named[1] == f"test_{entry}"
        assert named[1] in _tests_of(ROOT / named[0])


def test_named_tests_exist():
    for page in [*PAGES, "CONTRIBUTING.md"]:
        text = (ROOT / page).read_text(encoding="utf-8")
        for path in re.findall(r"`(tests/[\w/]+\.py)`", text):
            assert (ROOT / path).exists(), f"{page}: {path}"


def _tests_of(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
