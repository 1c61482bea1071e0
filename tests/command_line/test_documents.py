"""The page on the command line runs as written."""

import re
from pathlib import Path

from cornet_nn.command_line import COMMANDS

PAGE = Path(__file__).parents[2] / "docs" / "command_line.md"


def test_the_file_of_the_page_can_be_trained_on(tmp_path, monkeypatch, cornet):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)
    assert len(blocks) == 1
    exec(compile(blocks[0], PAGE.name, "exec"), {})
    assert cornet("data", "my_data.npz")[0] == 0
    words = ("train", "my_data.npz", "--epochs", 1, "--quiet", "--run-dir", "run")
    assert cornet(*words)[0] == 0
    found = {path.name for path in (tmp_path / "run").iterdir()}
    listed = re.findall(r"^\| `([\w.]+)` \|", PAGE.read_text(), flags=re.MULTILINE)
    assert found == set(listed)


def test_every_command_has_its_place():
    text = PAGE.read_text()
    for command in COMMANDS:
        assert f"cornet {command} " in text, command
