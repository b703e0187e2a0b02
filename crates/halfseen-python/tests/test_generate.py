"""Tests that the sources of estimators are what generate.py writes, also for a learner without a class."""

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import halfseen
import pytest

PACKAGE = Path(__file__).parents[1]


def run(program, *words, source=None):
    """Run Python, on sources of its own if they are given."""
    path = {"PYTHONPATH": str(source)} if source else {}
    call = [sys.executable, *map(str, (program, *words))]
    return subprocess.run(call, text=True, capture_output=True, env={"PYTHONDONTWRITEBYTECODE": "1"} | path)


@pytest.fixture
def copy(tmp_path):
    """Copy all that generate.py writes, with the extension."""
    own = tmp_path / "crates" / "halfseen-python"
    shutil.copytree(PACKAGE / "python", own / "python", ignore=shutil.ignore_patterns("__pycache__"))
    for extension in Path(halfseen.__file__).parent.glob("_core*.so"):
        shutil.copy(extension, own / "python" / "halfseen")
    for name in ("generate.py", "pyproject.toml"):
        shutil.copy(PACKAGE / name, own)
    return own


def drop(path, *names):
    """Take classes out of a source."""
    lines = path.read_text().splitlines(keepends=True)
    for of in reversed(ast.parse("".join(lines)).body):
        if isinstance(of, ast.ClassDef) and of.name in names:
            lines[of.lineno - 1 : of.end_lineno] = []
    path.write_text("".join(lines))


def test_sources_are_fresh_and_a_change_by_hand_is_found(copy):
    assert run(copy / "generate.py", "--check").returncode == 0
    path = copy / "python/halfseen/budget/_uniform.py"
    path.write_text(path.read_text().replace("radius: float = 8.0", "radius: float = 9.0"))
    found = run(copy / "generate.py", "--check")
    assert found.returncode == 1
    assert "-        radius: float = 9.0," in found.stdout
    assert "1 files are stale" in found.stderr


def test_a_learner_without_a_class_gets_classes_that_work(copy):
    home = copy / "python" / "halfseen"
    drop(home / "budget/_uniform.py", "_PNorm", "PNormRegressor", "PNormClassifier")
    drop(
        home / "missing/_matrix_completion.py",
        *("_MatrixCompletion", "MatrixCompletionRegressor", "MatrixCompletionClassifier"),
    )
    drop(home / "robust.py", "RobustPerceptronClassifier")
    written = run(copy / "generate.py")
    assert written.returncode == 0, written.stderr
    assert run(copy / "generate.py", "--check").returncode == 0
    table = "import sys; sys.path.append(sys.argv[1]); import generate; print(generate.table_of_learners())"
    assert "| `pnorm` | `PnormRegressor`, `PnormClassifier` | p-norm updates" in run("-c", table, copy).stdout
    program = """
import doctest, halfseen, halfseen.robust, halfseen.budget._pnorm, halfseen.missing._completion
for module in (halfseen.robust, halfseen.budget._pnorm, halfseen.missing._completion):
    assert doctest.testmod(module).failed == 0
assert halfseen.PnormRegressor(p=3, budget=2).get_params()["p"] == 3
assert {"PnormClassifier", "CompletionRegressor", "RobustPerceptronClassifier"} <= set(halfseen.__all__)
assert {"CompletionClassifier", "Completed"} <= set(halfseen.missing.__all__), "what is no estimator stays"
for section in ("Parameters", "Attributes", "See Also", "Notes", "References", "Examples"):
    assert section in halfseen.PnormClassifier.__doc__, section
"""
    found = run("-c", program, source=copy / "python")
    assert found.returncode == 0, found.stderr
