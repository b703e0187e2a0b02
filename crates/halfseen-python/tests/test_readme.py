"""Tests that the Python in the README files and on the first pages of docs runs as it stands."""

import re
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1]
ROOT = PACKAGE.parents[1]
PAGES = [
    ROOT / "README.md",
    PACKAGE / "README.md",
    *(
        ROOT / "docs" / f"{name}.md"
        for name in ("index", "start", "collecting", "missing", "vanishing", "certify", "intervals", "large")
    ),
]
BLOCKS = [
    (f"{path.parent.name}/{path.name}:{text[: block.start()].count(chr(10)) + 1}", block[1])
    for path in PAGES
    for text in [path.read_text(encoding="utf-8")]
    for block in re.finditer(r"^```python\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
]


def test_all_have_python():
    assert len({name.split(":")[0] for name, _ in BLOCKS}) == len(PAGES)


@pytest.mark.parametrize(("name", "block"), BLOCKS, ids=[name for name, _ in BLOCKS])
def test_block_runs(name, block, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(block, name, "exec"), {"__name__": "__main__"})
