"""The code in the README and on the page on layers runs as written."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[1]
BLOCKS = {
    f"{page} block {number}": block
    for page in ("README.md", "docs/layers.md")
    for number, block in enumerate(
        re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), flags=re.DOTALL)
    )
}


@pytest.mark.parametrize("name", BLOCKS)
def test_code_block_runs(name, capsys):
    if "torch" in BLOCKS[name]:
        pytest.importorskip("torch")
    exec(compile(BLOCKS[name], name, "exec"), {})
    capsys.readouterr()


def test_there_are_code_blocks():
    assert len(BLOCKS) >= 5
