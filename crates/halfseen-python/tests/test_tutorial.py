"""Tests that docs/tutorial.md runs as it stands, in an empty folder, and prints what it shows."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = os.environ.get("HALFSEEN_PROGRAM")
needs_program = pytest.mark.skipif(not PROGRAM, reason="HALFSEEN_PROGRAM does not name the program")
TUTORIAL = Path(__file__).parents[3] / "docs" / "tutorial.md"
NUMBER = re.compile(r"-?\d+\.\d+")
BLOCK = re.compile(r"^```([^\n`]+)\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)


def blocks(text):
    """Return the fenced blocks of a page: line, what stands behind the fence, content."""
    return [
        (text[: found.start()].count("\n") + 1, found[1].split(), found[2]) for found in BLOCK.finditer(text)
    ]


def same(shown, printed):
    """Return true if texts are equal, up to the last digits of numbers with a decimal point."""
    numbers = [[float(number) for number in NUMBER.findall(text)] for text in (shown, printed)]
    return NUMBER.sub("#", shown) == NUMBER.sub("#", printed) and numbers[0] == pytest.approx(
        numbers[1], rel=1e-6
    )


def commands(folder):
    """Make `halfseen` and `python` for a shell, and return its environment."""
    folder.mkdir()
    for name, program in {"halfseen": os.path.abspath(PROGRAM), "python": sys.executable}.items():
        (folder / name).write_text(f'#!/bin/sh\nexec "{program}" "$@"\n')
        (folder / name).chmod(0o755)
    return os.environ | {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}


@needs_program
def test_the_tutorial_prints_what_it_shows(tmp_path):
    text = TUTORIAL.read_text(encoding="utf-8")
    found = blocks(text)
    environment = commands(tmp_path / "bin")
    here = tmp_path / "empty"
    here.mkdir()
    ran = outputs = 0
    for at, (line, (language, *rest), content) in enumerate(found):
        if language in ("csv", "python"):
            assert f"`{rest[0]}`" in text, f"line {line}: the text does not name the file {rest[0]}"
            (here / rest[0]).write_text(content)
        elif language == "sh":
            # An output stands behind the commands; `refused` says that they must fail.
            follows = found[at + 1] if at + 1 < len(found) and found[at + 1][1][0] == "text" else None
            done = subprocess.run(
                ["bash", "-e", "-c", content],
                cwd=here,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=120,
            )
            refused = follows is not None and follows[1][1:] == ["refused"]
            assert done.returncode == (2 if refused else 0), f"line {line}:\n{done.stdout}"
            if follows is not None:
                shown = follows[2]
                assert same(shown, done.stdout), (
                    f"line {follows[0]} shows\n{shown}\nand printed is\n{done.stdout}"
                )
                outputs += 1
            ran += 1
        else:
            assert language == "text", f"line {line}: a block of '{language}' is not run"
            assert found[at - 1][1][0] == "sh", f"line {line}: no command stands before this output"
    assert ran >= 10
    assert outputs >= 10


def test_the_tutorial_shows_every_step():
    shown = " ".join(
        content
        for _, (language, *_), content in blocks(TUTORIAL.read_text(encoding="utf-8"))
        if language == "sh"
    )
    verbs = ["new", "--from", "next", "tell", "amend", "status", "export", "model", "predict", "evaluate"]
    assert [verb for verb in verbs if verb not in shown] == []


def test_other_outputs_are_seen():
    assert same("a 1.2345678901 b\n", "a 1.2345678902 b\n")
    for other in ("a 1.2345 b\n", "a 1.2345678901\n", "a -1.2345678901 b\n", "b 1.2345678901 b\n", ""):
        assert not same("a 1.2345678901 b\n", other)
    assert not same("150 asks\n", "151 asks\n")


def test_blocks_are_found():
    page = "Text `a.csv`\n\n```csv a.csv\nb\n```\n\n```text refused\n```\n"
    assert blocks(page) == [(3, ["csv", "a.csv"], "b\n"), (7, ["text", "refused"], "")]
