"""The page on data sets runs as written and names all data sets and options."""

import re
from pathlib import Path

from cornet_nn.datasets import names, options

PAGE = Path(__file__).parents[2] / "docs" / "datasets.md"


def test_the_code_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)
    assert len(blocks) >= 4
    namespace = {}
    for number, block in enumerate(blocks):
        exec(compile(block, f"{PAGE.name} block {number}", "exec"), namespace)
    printed = capsys.readouterr().out
    assert "Dataset connectomes: 86 correlation [28, 28], 2 classes" in printed
    comment = re.search(r"# \('b has.*?levels'\)", PAGE.read_text(), flags=re.DOTALL)
    said = re.sub(r"\n#\s*", " ", comment[0]).removeprefix("# ")
    assert said in printed


def test_every_data_set_is_in_the_table():
    text = PAGE.read_text()
    for name in names():
        assert f"| `{name}` |" in text, name


def test_every_option_is_named():
    text = PAGE.read_text()
    for name in ("radar", "hdm05", "fpha", "ntu120", ".npz"):
        for option in options(name):
            assert re.search(rf"`{option}[`=]", text), (name, option)
