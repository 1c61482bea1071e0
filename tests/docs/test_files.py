"""Files beside the code: the citation, and what scripts wrote for the site."""

import re
from importlib.metadata import version
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TABLES = {
    # table: the script that writes it
    "compare": "benchmarks/compare_libraries.py",
    "cost": "benchmarks/cost.py",
    "features": "benchmarks/features.py",
    "numerics": "benchmarks/numerics.py",
}


def test_citation():
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.search(r"^cff-version: 1\.2\.0$", text, flags=re.MULTILINE)
    assert re.search(r"^version: (.*)$", text, flags=re.MULTILINE)[1] == version(
        "geomstats-cor"
    )
    for name in ("Chen", "Wu", "Schölkopf", "Sebe", "Thanwerdas"):
        assert f"family-names: {name}\n" in text


def test_the_changelog_has_the_version():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert version("geomstats-cor") in text


@pytest.mark.parametrize("name", TABLES)
def test_tables_say_when_and_how(name):
    text = (ROOT / f"docs/tables/{name}.md").read_text(encoding="utf-8")
    script = TABLES[name]
    assert (ROOT / script).exists()
    module = script.removesuffix(".py").replace("/", ".")
    assert text.startswith(f"<!-- python -m {module} -->\n")
    assert re.search(r"\d{4}-\d\d-\d\d", text)
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len(rows) >= 7


def test_the_comparison_names_versions():
    text = (ROOT / "docs/tables/compare.md").read_text(encoding="utf-8")
    for library in ("geomstats", "pyriemann", "spd_learn", "geoopt", "torch", "numpy"):
        assert re.search(rf"\b{library} \d+\.\d+", text)


def test_what_is_committed_is_small():
    for path in [*(ROOT / "docs/figures").iterdir(), *(ROOT / "docs/tables").iterdir()]:
        assert path.stat().st_size < 300_000, path.name


def test_parts_of_files_that_pages_show_are_there():
    block = re.compile(r"^```{literalinclude} (\S+)\n((?:^:.*\n)*)", flags=re.MULTILINE)
    mark = re.compile(r"^:(?:start|end)-\w+: (.*)$", flags=re.MULTILINE)
    shown = 0
    for page in (ROOT / "docs").rglob("*.md"):
        for name, options in block.findall(page.read_text(encoding="utf-8")):
            text = (page.parent / name).read_text(encoding="utf-8")
            for pattern in mark.findall(options):
                assert pattern.strip("'\"") in text, (page, name, pattern)
                shown += 1
    assert shown
