#!/usr/bin/env python3
"""Counts what makes the house heavy, and holds each count at its limit.

    scripts/counts.py              prints the counts beside their limits; exits with 1 if one is over
    scripts/counts.py --by-crate   lines of code of each crate, and of each folder of crates/halfseen/src
    scripts/counts.py --self-test

Lines of code are those of crates/*/src (Rust) and of the Python package (.py and .pyi below
crates/halfseen-python/python) that hold more than a comment or a docstring. Tests are left out: files
and folders named tests, and all that is behind `#[cfg(test)]`. Flags are clap's `#[arg]` of the program. Learners are
the names that `parameters!` declares, parameters the declarations in params.rs. Crates are those of
`cargo tree` for the program without features, build scripts included. Root pages are the Markdown files beside this folder.

A change that raises a limit names what it deletes in exchange (CONTRIBUTING.md, "The counts").
"""
import io
import re
import subprocess
import sys
import tokenize
from collections import Counter
from pathlib import Path

LIMITS = {
    "lines of code": 76_000,
    "flags": 191,
    "learners": 23,
    "parameters": 73,
    "crates": 243,
    "root pages, KB": 267,
}
HOME = Path(__file__).resolve().parent.parent
# A string is matched so that it can be kept, and what looks like a comment in it with it.
RUST = re.compile(
    r"""//[^\n]*|/\*.*?\*/|\b[bc]?r(#*)".*?"\1|"(?:\\.|[^"\\])*"|'(?:\\[^\n]+?|[^\\'\n])'""", re.S)
CFG_TEST = re.compile(r"#\[cfg\((?:all\()?(?:doc)?test\b[^]]*\]")
TEST_MODULE = re.compile(CFG_TEST.pattern + r"(?:\s*#\[[^]]*\](?:\s*//[^\n]*)?)*\s*(?:pub(?:\([^)]*\))?\s+)?mod (\w+);")


def without_comments(text):
    """Returns Rust text with comments gone, lines kept."""
    gone = lambda m: "\n" * m[0].count("\n") if m[0][:2] in ("//", "/*") else m[0]
    return RUST.sub(gone, text)


def without_tests(text):
    """Returns Rust text, free of comments, without the items behind `#[cfg(test)]`."""
    while found := CFG_TEST.search(text):
        # A brace or a semicolon in a string or a character is no end of an item.
        blank = RUST.sub(lambda m: re.sub(r"[{};]", " ", m[0]), text)
        at, depth = found.end(), 0
        ends = ";" if re.match(r"\s*(pub(\([^)]*\))?\s+)?use\b", blank[at:]) else ";}"
        while at < len(blank):
            depth += (blank[at] == "{") - (blank[at] == "}")
            if depth == 0 and blank[at] in ends:
                break
            at += 1
        text = text[:found.start()] + text[at + 1:]
    return text


def rust_lines(text):
    """Returns the number of lines of code in a Rust file."""
    return sum(1 for line in without_tests(without_comments(text)).split("\n") if line.strip())


def python_lines(text):
    """Returns the number of lines of code in a Python file: comments and docstrings are none."""
    lines, fresh = set(), True
    skipped = (tokenize.COMMENT, tokenize.NL, tokenize.ENCODING, tokenize.ENDMARKER)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT):
            fresh = True
        elif token.type not in skipped:
            if not (fresh and token.type == tokenize.STRING):  # a string that opens a statement
                lines.update(range(token.start[0], token.end[0] + 1))
            fresh = False
    return len(lines)


def is_test(path, modules):
    """Tells whether a file of sources holds tests alone: by its name, or as one of the modules of tests."""
    named = any(part in ("tests", "tests.rs", "tests.py") for part in path.parts)
    return named or any(path.with_suffix("").is_relative_to(module) for module in modules)


def test_modules(files):
    """Returns the paths, without ending, of the modules that Rust files declare behind `#[cfg(test)]`."""
    modules = set()
    for file in files:
        folder = file.parent if file.stem in ("lib", "main", "mod") else file.with_suffix("")
        modules |= {folder / name for name in TEST_MODULE.findall(without_comments(file.read_text()))}
    return modules


def rust_files(place):
    """Returns the Rust files of a folder, or the one, that hold more than tests."""
    files = [place] if place.is_file() else sorted(place.rglob("*.rs"))
    modules = test_modules(files)
    return [file for file in files if not is_test(file, modules)]


def code(home):
    """Returns the lines of code of each file of the product."""
    rust = {path: rust_lines for src in home.glob("crates/*/src") for path in rust_files(src)}
    package = home / "crates/halfseen-python/python"
    python = {path: python_lines for kind in ("py", "pyi") for path in package.rglob(f"*.{kind}")}
    return {path.relative_to(home): count(path.read_text()) for path, count in (rust | python).items()}


def matches(home, pattern, folder):
    """Returns how often a pattern occurs in the Rust files of a folder, or in one, tests and comments apart."""
    texts = (without_tests(without_comments(path.read_text())) for path in rust_files(home / folder))
    return sum(len(re.findall(pattern, text)) for text in texts)


def crates(home):
    """Returns the number of crates that the program is built of."""
    command = ["cargo", "tree", "--package", "halfseen-cli", "--edges", "normal,build", "--prefix", "none", "--locked"]
    tree = subprocess.run(command, cwd=home, check=True, capture_output=True, text=True).stdout
    return len({" ".join(line.split()[:2]) for line in tree.splitlines()})


def counts(home):
    """Returns every count."""
    return {
        "lines of code": sum(code(home).values()),
        "flags": matches(home, r"#\[arg\b", "crates/halfseen-cli/src"),
        "learners": matches(home, r'\bname: "[^"]+", family: \w+', "crates/halfseen/src"),
        "parameters": matches(home, r"(?m)^ +[A-Z][A-Z_0-9]*: \"", "crates/halfseen/src/params.rs"),
        "crates": crates(home),
        "root pages, KB": sum(path.stat().st_size for path in home.glob("*.md")) // 1000,
    }


def by_crate(home):
    """Prints lines of code by crate, and by folder of the library."""
    sums = Counter()
    for path, lines in code(home).items():
        sums[path.parts[1]] += lines
        if path.parts[1] == "halfseen":
            sums["  halfseen/src/" + path.parts[3]] += lines
    for name, lines in sorted(sums.items(), key=lambda item: -item[1]):
        print(f"{lines:7,}  {name}")


def self_test():
    """Counts texts whose lines are known."""
    rust = '''//! A file.
/* two
lines */ fn a() { /* inside */ } // behind
const B: &str = "// no comment
    { of two lines";

#[cfg(test)]
mod tests { fn c() { let d = "}"; } }
#[cfg(test)]
use e::{f, g};
fn h() {}
'''
    assert rust_lines(rust) == 4, rust_lines(rust)
    python = '"""Docs."""\nimport a  # why\n\n# alone\ndef b():\n    """Docs.\n\n    More.\n    """\n    return """x\n    y"""\n'
    assert python_lines(python) == 4, python_lines(python)
    assert TEST_MODULE.findall("#[cfg(test)]\n#[allow(x)] // tests\nmod b;\nmod c;") == ["b"]
    assert is_test(Path("a/tests/b.rs"), ()) and is_test(Path("a/tests.rs"), ())
    assert is_test(Path("a/b/c.rs"), {Path("a/b")}) and not is_test(Path("a/tested.rs"), {Path("a/b")})


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    if sys.argv[1:] == ["--by-crate"]:
        return by_crate(HOME)
    found, over = counts(HOME), []
    for name, number in found.items():
        print(f"{number:8,} of {LIMITS[name]:7,}  {name}")
        if number == 0:
            over.append(f"{name}: none was found; mend its rule in scripts/counts.py")
        if number > LIMITS[name]:
            over.append(f"{name}: {number:,} is over {LIMITS[name]:,}; delete as much elsewhere")
    print("".join(f"{line}\n" for line in over), end="")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
