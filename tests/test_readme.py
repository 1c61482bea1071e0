"""The code in the README and in the pages of the documentation runs as written."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[1]
PAGES = ("README.md", "docs/means.md")
BLOCKS = {
    f"{page} block {number}": block
    for page in PAGES
    for number, block in enumerate(
        re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), flags=re.DOTALL)
    )
}


@pytest.mark.parametrize("name", BLOCKS)
def test_code_block_runs(name, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for library in ("torch", "dask"):
        if library in BLOCKS[name]:
            pytest.importorskip(library)
    exec(compile(BLOCKS[name], name, "exec"), {})
    capsys.readouterr()


@pytest.mark.parametrize("page", PAGES)
def test_there_are_code_blocks(page):
    assert sum(name.startswith(page) for name in BLOCKS) >= 2
