"""The page on training runs as written."""

import pathlib
import re

import matplotlib

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "training.md"
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)


def test_the_code_of_the_page_runs(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    matplotlib.use("Agg")
    assert len(BLOCKS) >= 5
    namespace = {}
    for number, block in enumerate(BLOCKS):
        exec(compile(block, f"{PAGE.name} block {number}", "exec"), namespace)
    capsys.readouterr()
    assert (tmp_path / "curves.png").exists()
