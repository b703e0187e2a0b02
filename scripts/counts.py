#!/usr/bin/env python3
"""Counts what makes the house heavy, and holds each count at its limit.

    scripts/counts.py              prints the counts beside their limits; exits with 1 if one is over
    scripts/counts.py --by-crate   lines of code by crate
    scripts/counts.py --self-test

Lines of code are those of crates/*/src (Rust) and of the Python package (.py and .pyi below
crates/halfseen-python/python) that hold more than a comment or a docstring. Tests are left out: in
Rust all that is behind `#[cfg(test)]`, with the files of such modules. Flags are clap's `#[arg]` of
the program. Learners are the names that `parameters!` and `gradient_learner!` declare, parameters the declarations in
params.rs. Crates are those of others in `cargo tree` for the program as it is built by default, build
scripts included. Root pages are the Markdown files beside this folder, in thousands of bytes, rounded up.

A change that raises a limit names what it deletes in exchange (CONTRIBUTING.md, "The counts").
"""
import io
import re
import subprocess
import sys
import tempfile
import tokenize
from collections import Counter
from pathlib import Path

from rust_text import NO_CODE, without_tests

LIMITS = {
    "lines of code": 66_760,
    "flags": 159,
    "learners": 17,
    "parameters": 62,
    "crates of others": 141,
    "root pages, KB": 60,
}
HOME = Path(__file__).resolve().parent.parent


def code_of(text):
    """Returns a Rust text without comments and tests, an x for each character of a literal."""
    def bare(match):
        fill = " " if match[0][:2] in ("//", "/*") else "x"
        return re.sub(r"[^\n]", fill, match[0])
    return without_tests(NO_CODE.sub(bare, text))


def rust_files(root):
    """Returns the code of a file and of all modules below it, tests left out, by file."""
    text = code_of(root.read_text())
    found = {root: text}
    top = root.name in ("lib.rs", "main.rs", "mod.rs")
    folder = root.parent if top else root.with_suffix("")
    for name in re.findall(r"\bmod\s+(\w+)\s*;", text):
        children = [folder / f"{name}.rs", folder / name / "mod.rs"]
        found |= rust_files(next(child for child in children if child.is_file()))
    return found


def lines(text):
    """Returns the number of lines with more than blanks."""
    return sum(1 for line in text.split("\n") if line.strip())


def python_lines(text):
    """Returns the number of lines of code in a Python file: comments and docstrings are none."""
    found, fresh = set(), True
    skipped = (tokenize.COMMENT, tokenize.NL, tokenize.ENCODING, tokenize.ENDMARKER)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT):
            fresh = True
        elif token.type not in skipped:
            if not (fresh and token.type == tokenize.STRING):  # a string that opens a statement
                found.update(range(token.start[0], token.end[0] + 1))
            fresh = False
    return len(found)


def rust(home):
    """Returns the code of the product's Rust files, by file."""
    roots = [root for name in ("lib", "main") for root in home.glob(f"crates/*/src/{name}.rs")]
    return {file: text for root in roots for file, text in rust_files(root).items()}


def python(home):
    """Returns the lines of code of the Python package's files, by file."""
    package = home / "crates/halfseen-python/python"
    files = [file for kind in ("py", "pyi") for file in package.rglob(f"*.{kind}")]
    return {file: python_lines(file.read_text()) for file in files}


def crates(home):
    """Returns the number of crates of others that the program is built of."""
    command = "cargo tree --locked --package halfseen-cli --edges normal,build --prefix none"
    tree = subprocess.run(command.split(), cwd=home, check=True, capture_output=True, text=True)
    return len({" ".join(line.split()[:2]) for line in tree.stdout.splitlines() if not line.startswith("halfseen")})


def counts(home):
    """Returns every count."""
    texts = rust(home)

    def matches(pattern, place):
        inside = (text for file, text in texts.items() if file.is_relative_to(home / place))
        return sum(len(re.findall(pattern, text, re.M)) for text in inside)
    return {
        "lines of code": sum(map(lines, texts.values())) + sum(python(home).values()),
        "flags": matches(r"#\[arg\b", "crates/halfseen-cli/src"),
        "learners": matches(r"\bname: x+,\s+(?:family|title)\b", "crates"),
        "parameters": matches(r"^ +[A-Z][A-Z_0-9]*: x", "crates/halfseen-core/src/params.rs"),
        "crates of others": crates(home),
        "root pages, KB": -(-sum(page.stat().st_size for page in home.glob("*.md")) // 1000),
    }


def by_crate(home):
    """Prints lines of code by crate."""
    sums = Counter()
    files = {file: lines(text) for file, text in rust(home).items()} | python(home)
    for file, number in files.items():
        sums[file.relative_to(home).parts[1]] += number
    for name, number in sorted(sums.items(), key=lambda item: -item[1]):
        print(f"{number:7,}  {name}")


def self_test():
    """Counts texts whose lines are known."""
    text = '''//! A file.
/* two
lines */ fn a() { /* inside */ } // behind
const B: &str = "// no comment
    { of two lines";

#[cfg(test)]
mod tests { fn c() { let d = "}"; } }
#[cfg(test)]
use e::{f, g};
fn h() {}
#[cfg(test)]
#[path = "i_tests.rs"] // a comment
mod i;
mod j;
'''
    assert lines(code_of(text)) == 5, lines(code_of(text))
    with tempfile.TemporaryDirectory() as folder:
        root, child = Path(folder) / "lib.rs", Path(folder) / "j" / "mod.rs"
        child.parent.mkdir()
        (Path(folder) / "i.rs").write_text("fn test() {}")
        root.write_text(text)
        child.write_text("fn k() {}")
        assert set(rust_files(root)) == {root, child}
    text = '"""Docs."""\nimport a  # why\n\n# alone\ndef b():\n    """Docs.\n\n    More.\n    """\n'
    assert python_lines(text + '    return """x\n    y"""\n') == 4


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    if sys.argv[1:] == ["--by-crate"]:
        return by_crate(HOME)
    over = []
    for name, number in counts(HOME).items():
        print(f"{number:8,} of {LIMITS[name]:7,}  {name}")
        if number == 0:
            over.append(f"{name}: none was found; mend its rule in scripts/counts.py")
        if number > LIMITS[name]:
            over.append(f"{name}: {number:,} is over {LIMITS[name]:,}; delete as much elsewhere")
    print("".join(f"{line}\n" for line in over), end="")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
