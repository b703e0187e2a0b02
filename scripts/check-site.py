#!/usr/bin/env python3
"""Checks that the links and pictures of a built site lead to files and headings of it.

    scripts/check-site.py FOLDER
    scripts/check-site.py --self-test

Looks at all pages (*.html) of the folder but what lies in _static. Addresses with a scheme (https:) are not followed. Exits
with 1 where a link leads nowhere, or where there is no page.
"""
import sys
import tempfile
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The links of a page with their lines, and the places in it that links may name."""

    def __init__(self, text):
        super().__init__()
        self.links, self.places = [], {"", "top"}
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        of = dict(attributes)
        self.places.update(of[key] for key in ("id", "name") if of.get(key))
        line = self.getpos()[0]
        self.links += [(line, of[key]) for key in ("href", "src") if of.get(key) and tag != "base"]


def check(home):
    """What is wrong with the links of the pages below a folder."""
    files = [path.resolve() for path in sorted(home.rglob("*.html")) if "_static" not in path.parts]
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in files}
    if not pages:
        yield f"{home}: no page"
    for path, page in pages.items():
        for line, target in page.links:
            address = urlsplit(target)
            if address.scheme or address.netloc:
                continue
            found = (path.parent / unquote(address.path)).resolve() if address.path else path
            if found.is_dir():
                found = found / "index.html"
            where = f"{path.relative_to(home.resolve())}:{line}: '{target}'"
            if not found.is_file() or not found.is_relative_to(home.resolve()):
                yield f"{where} leads to no file of the site"
            elif found in pages and unquote(address.fragment) not in pages[found].places:
                yield f"{where} names no place of that page"


def self_test():
    """Builds small sites, and asserts what is found in them."""
    cases = {
        '<a href="b.html#x">b</a> <a href="#y" id="y">y</a> <a href="https://example.org/gone">e</a>': [],
        '<img src="p.svg"><a href=".">home</a><a href="#">top</a><a href="b.html?q=1#x">b</a>': [],
        '\n<a href="gone.html">g</a>': ["index.html:2: 'gone.html' leads to no file of the site"],
        '<a href="b.html#gone">g</a>': ["index.html:1: 'b.html#gone' names no place of that page"],
        '<a href="../up.html">g</a>': ["index.html:1: '../up.html' leads to no file of the site"],
        '<img src="gone.png">': ["index.html:1: 'gone.png' leads to no file of the site"],
    }
    for text, expected in cases.items():
        with tempfile.TemporaryDirectory() as folder:
            home = Path(folder)
            for name, content in {"index.html": text, "b.html": '<h1 id="x">b</h1>', "p.svg": "<svg/>"}.items():
                (home / name).write_text(content)
            assert list(check(home)) == expected, (text, list(check(home)))
    with tempfile.TemporaryDirectory() as folder:
        assert len(list(check(Path(folder)))) == 1


if sys.argv[1:] == ["--self-test"]:
    self_test()
elif len(sys.argv) == 2:
    wrong = list(check(Path(sys.argv[1])))
    print("\n".join(wrong) or "all links of the site lead somewhere")
    sys.exit(bool(wrong))
else:
    sys.exit(__doc__)
