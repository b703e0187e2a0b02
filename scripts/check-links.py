#!/usr/bin/env python3
"""Checks that the relative links of all Markdown files lead to files and headings of this project.

    scripts/check-links.py [--self-test]

Looks at the files that git has or would add. A link leads to a file or folder among them; what
stands behind # must be a heading of a Markdown file, spelled as GitHub does. Links with a scheme
(https:) are not followed. Code is not looked at. Pages of docs may link to those that the site's
build writes, where check-site.py follows them. Exits with 1 where a link leads nowhere.
"""
import posixpath
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import unquote

FENCE = re.compile(r"^ {0,3}(```+|~~~+).*?(?:^ {0,3}\1[`~]*[ \t]*$|\Z)", re.M | re.S)
INLINE_CODE = re.compile(r"(?<!`)(`+)(?!`)(?:(?!\n\s*\n).)+?(?<!`)\1(?!`)", re.S)
LINK = re.compile(r"""\]\(\s*(?:<([^>\n]*)>|([^\s()<>]+(?:\([^\s()]*\))?))\s*(?:"[^"]*"|'[^']*')?\s*\)""")
DEFINITION = re.compile(r"^ {0,3}\[[^]\n]+\]:\s*(?:<([^>\n]*)>|(\S+))", re.M)
HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.*?)[ \t]*#*[ \t]*$", re.M)
WRITTEN = re.compile(r"docs/(?:papers|(?:papers|commands)/[\w.-]+)\.md")
SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")


def blank(match):
    """As many lines, with nothing on them."""
    return "\n" * match[0].count("\n")


def links(text):
    """The targets of a text with their lines."""
    text = INLINE_CODE.sub(blank, FENCE.sub(blank, text))
    for match in sorted([*LINK.finditer(text), *DEFINITION.finditer(text)], key=lambda m: m.start()):
        yield text.count("\n", 0, match.start()) + 1, match[1] or match[2] or ""


def anchors(text):
    """The names of the headings, as GitHub spells them."""
    names, seen = set(), {}
    for heading in HEADING.finditer(FENCE.sub(blank, text)):
        plain = re.sub(r"!?\[([^]]*)\]\([^)]*\)", r"\1", heading[1])
        name = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        seen[name] = seen.get(name, -1) + 1
        names.add(f"{name}-{seen[name]}" if seen[name] else name)
    return names


def check(home, files):
    """What is wrong with the links of the Markdown files among these."""
    known = set(files) | {"."}
    for file in files:
        known.update(str(folder) for folder in Path(file).parents)
    for file in sorted(file for file in files if file.endswith(".md")):
        for line, target in links((home / file).read_text()):
            if SCHEME.match(target):
                continue
            path, _, anchor = unquote(target).partition("#")
            found = posixpath.normpath(posixpath.join(posixpath.dirname(file), path)) if path else file
            if file.startswith("docs/") and WRITTEN.fullmatch(found):
                continue
            if path.startswith("/") or found not in known:
                yield f"{file}:{line}: '{target}' leads to no file of this project"
            elif anchor and not found.endswith(".md"):
                yield f"{file}:{line}: '{target}' names a heading of what is no Markdown file"
            elif anchor and anchor not in anchors((home / found).read_text()):
                yield f"{file}:{line}: '{target}' names no heading of {found}"


def self_test():
    """Builds small folders, and asserts what is found in them."""
    base = {"README.md": "", "docs/page.md": "# A page\n## `code` & more\n## A page\n[up](../README.md)",
            "docs/picture.svg": ""}
    cases = {
        "[a](docs/page.md) ![b](docs/picture.svg) [c](docs) [d](./docs/)": [],
        "[a](docs/page.md#a-page) [b](docs/page.md#a-page-1) [c](docs/page.md#code--more)": [],
        "[a](https://example.org/x.md) [b](mailto:a@b.c) [c](//example.org)": [],
        "# Here\n[a](#here)\n[b]: docs/page.md\n[c](<docs/page.md> \"title\")": [],
        "`[a](gone.md)`\n```text\n[a](gone.md)\n```\n    \n``[`b`](gone.md)``": [],
        "\n[a](docs/gone.md)": ["README.md:2: 'docs/gone.md' leads to no file of this project"],
        "[![a](gone.svg)](docs/page.md)": ["README.md:1: 'gone.svg' leads to no file of this project"],
        "```\ncode\n```\n[a]: gone.md": ["README.md:4: 'gone.md' leads to no file of this project"],
        "[a](/docs/page.md)": ["README.md:1: '/docs/page.md' leads to no file of this project"],
        "[a](../outside.md)": ["README.md:1: '../outside.md' leads to no file of this project"],
        "[a](#there)": ["README.md:1: '#there' names no heading of README.md"],
        "[a](docs/page.md#a-page-2)":
            ["README.md:1: 'docs/page.md#a-page-2' names no heading of docs/page.md"],
        "[a](docs/picture.svg#top)":
            ["README.md:1: 'docs/picture.svg#top' names a heading of what is no Markdown file"]}
    for text, expected in cases.items():
        with tempfile.TemporaryDirectory() as folder:
            for name, content in (base | {"README.md": text}).items():
                path = Path(folder, name)
                path.parent.mkdir(exist_ok=True)
                path.write_text(content)
            found = list(check(Path(folder), list(base)))
            assert found == expected, (text, found)


    with tempfile.TemporaryDirectory() as folder:
        names = ["README.md", "docs/page.md"]
        Path(folder, "docs").mkdir()
        for name, to in zip(names, ["docs/", ""]):
            Path(folder, name).write_text(f"[a]({to}papers.md#b) [c]({to}commands/fit.md) [d]({to}papers/e.full.2.md)")
        lost = [f"README.md:1: 'docs/{name}' leads to no file of this project"
                for name in ("papers.md#b", "commands/fit.md", "papers/e.full.2.md")]
        assert list(check(Path(folder), names)) == lost


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    home = Path(__file__).resolve().parent.parent
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            cwd=home, check=True, capture_output=True, text=True).stdout
    files = [file for file in listed.split("\0") if file and (home / file).is_file()]
    offences = list(check(home, files))
    print("".join(f"{offence}\n" for offence in offences), end="")
    return 1 if offences else 0


if __name__ == "__main__":
    sys.exit(main())
