"""Tells code from comments, literals and tests in Rust texts, for the scripts that read them."""
import re

# What is no code: comments and literals, and what would be taken for a name or a path.
NO_CODE = re.compile(
    r"""//[^\n]*|/\*.*?\*/|\b[bc]?r(#*)".*?"\1|"(?:\\.|[^"\\])*"|'(?:\\[^\n]+?|[^\\'\n])'"""
    r"""|\br#(?=\w)|\bpub\(in [^)]*\)""", re.S)
TEST = re.compile(r"#(!?)\[(?:test|cfg\((?:all\()?(?:doc)?test\b[^]]*)\]")


def blank(text, start, end):
    """The text with nothing but line ends from start to end."""
    return text[:start] + "\n" * text.count("\n", start, end) + text[end:]


def behind(text, at):
    """The place behind the item or block that begins here."""
    depth = 0
    for mark in re.compile(r"[][()]|\{|\}(?:\s*;)?|;").finditer(text, at):
        depth += (mark[0] in "([{") - (mark[0][0] in ")]}")
        if depth <= 0 and mark[0][0] in ";}" or depth < 0:
            return mark.end() if depth == 0 else mark.start()
    return len(text)


def without_tests(text):
    """The text, free of what is no code, with nothing but line ends where tests were."""
    while test := TEST.search(text):
        text = blank(text, test.start(), len(text) if test[1] else behind(text, test.end()))
    return text
