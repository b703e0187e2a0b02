"""Tests that the Python in the README files runs as it stands."""

import re
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1]
BLOCKS = [
    (f"{path.parent.name}/{path.name}:{text[: block.start()].count(chr(10)) + 1}", block[1])
    for path in (PACKAGE.parents[1] / "README.md", PACKAGE / "README.md")
    for text in [path.read_text(encoding="utf-8")]
    for block in re.finditer(r"^```python\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
]


def test_both_have_python():
    assert len({name.split(":")[0] for name, _ in BLOCKS}) == 2


@pytest.mark.parametrize(("name", "block"), BLOCKS, ids=[name for name, _ in BLOCKS])
def test_block_runs(name, block, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(block, name, "exec"), {"__name__": "__main__"})
