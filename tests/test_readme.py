"""The code in the README runs as written."""

import pathlib
import re

import pytest

README = pathlib.Path(__file__).parents[1] / "README.md"
BLOCKS = re.findall(r"```python\n(.*?)```", README.read_text(), flags=re.DOTALL)


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_code_block_runs(number, capsys):
    exec(compile(BLOCKS[number], f"README.md block {number}", "exec"), {})
    capsys.readouterr()


def test_there_are_code_blocks():
    assert len(BLOCKS) >= 2
