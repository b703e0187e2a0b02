#!/usr/bin/env python3
"""Checks how the doc comments of Rust files open, and that they cite papers by name.

    scripts/check-prose.py [FOLDER ...]
    scripts/check-prose.py --self-test

Looks at all Rust files of the folders (or at single files), by default crates/*/src and
tools/*/src. A doc comment (/// or //!) must not open with What, Whether, How, Where, Why or Which,
nor cite a paper by a letter (paper A, theorem 2 of C, D's theorem 3). Prints the offences, and exits with 1 if there are any.
"""
import re
import sys
import tempfile
from pathlib import Path

DOC = re.compile(r"\s*(//!|///(?!/)) ?(.*)")
OPENING = re.compile(r"(?:What|Whether|How|Where|Why|Which)\b")
PART = (r"(?:algorithm|appendix|corollary|definition|equation|figure|footnote|lemma|procedure"
        r"|section|table|theorem)s?")
LETTER = re.compile(rf"\b[Pp]apers?\s[A-E]\b|\b[A-E](?:'s|,)\s{PART}\s\(?\d"
                    rf"|\b{PART}\s\(?\d[\d.]*\)?\sof\s[A-E]\b")


def comments(text):
    """Yields the doc comments of a file as lists of (line number, text of the line)."""
    kind, lines = None, []
    for number, line in enumerate([*text.split("\n"), ""], 1):
        doc = DOC.fullmatch(line)
        if lines and (not doc or doc[1] != kind):
            yield lines
            lines = []
        if doc:
            kind = doc[1]
            lines.append((number, doc[2]))


def check(name, text):
    """Yields the offences in a file."""
    for lines in comments(text):
        number, first = next((line for line in lines if line[1].strip()), lines[0])
        if opening := OPENING.match(first.strip()):
            yield f"{name}:{number}: opens with '{opening[0]}'"
        joined = "\n".join(line for _, line in lines)
        for letter in LETTER.finditer(joined):
            number = lines[0][0] + joined.count("\n", 0, letter.start())
            yield f"{name}:{number}: cites by a letter, '{' '.join(letter[0].split())}'"


def self_test():
    """Writes small files, and asserts what is found in them."""
    cases = {
        "//! Draws rows.\n\n/// Number of rows; what is missing is NaN.\nrows: usize,": [],
        "// What a plain comment says.\n//// Which is none.\nlet text = \"/// How\";": [],
        "/// Returns x.\n///\n/// Where it ends.\n/// Whatever.": [],
        "/// Whatever it holds.": [],
        "//! What a fit returns.": ["1: opens with 'What'"],
        "fn a() {\n    ///\n    /// Whether it is.\n    fn b() {}\n}": ["3: opens with 'Whether'"],
        "//! Reads.\n/// How.\nfn a() {}\n/// Why.": ["2: opens with 'How'", "4: opens with 'Why'"],
        "/// The step of Hazan and Koren 2012, theorem 3.1, with A = B B' and paper Ab.": [],
        "/// As in papers B and C.": ["1: cites by a letter, 'papers B'"],
        "/// Decays (paper\n/// C).": ["1: cites by a letter, 'paper C'"],
        "/// Rows.\n/// See D, section 5.1.": ["2: cites by a letter, 'D, section 5'"],
        "/// D's theorem 3.": ["1: cites by a letter, 'D's theorem 3'"],
        "/// Theorems of names; theorem 2 of C.": ["1: cites by a letter, 'theorem 2 of C'"]}
    for text, expected in cases.items():
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "a.rs").write_text(text)
            Path(folder, "a.md").write_text("/// What")
            found = [offence.split("a.rs:")[1] for offence in check_folders([Path(folder)])]
        assert found == expected, (text, found)


def check_folders(folders):
    """Yields the offences in all Rust files of some folders."""
    home = Path(__file__).resolve().parent.parent
    for folder in folders:
        for file in [folder] if folder.is_file() else sorted(folder.rglob("*.rs")):
            path = file.resolve()
            name = path.relative_to(home) if path.is_relative_to(home) else file
            yield from check(name, path.read_text())


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    home = Path(__file__).resolve().parent.parent
    folders = [Path(folder) for folder in sys.argv[1:]] or sorted([*home.glob("crates/*/src"), *home.glob("tools/*/src")])
    if absent := [str(folder) for folder in folders if not folder.exists()]:
        sys.exit(f"{', '.join(absent)}: no such folder")
    offences = list(check_folders(folders))
    print("".join(f"{offence}\n" for offence in offences), end="")
    return 1 if offences else 0


if __name__ == "__main__":
    sys.exit(main())
