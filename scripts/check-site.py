#!/usr/bin/env python3
"""Checks that the links and pictures of a built site lead to files and headings of it, and that it loads nothing else.

    scripts/check-site.py FOLDER
    scripts/check-site.py --self-test

Looks at all pages (*.html) of the folder but what lies in _static, and at all style sheets (*.css). Links to addresses with a
scheme (https:) are not followed; scripts, styles, fonts and pictures must not have one, so that the site works without a
network. Exits with 1 where a link leads nowhere, where something is loaded from elsewhere, or where there is no page.
"""
import re
import sys
import tempfile
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


#: What a style names: url(...), and "..." behind @import.
NAMED = re.compile(r"""url\(\s*['"]?([^'")]+)|@import\s+['"]([^'"]+)""")
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


def loaded_by(style):
    """The addresses that a style names."""
    return [found[1] or found[2] for found in NAMED.finditer(COMMENT.sub("", style))]


class Page(HTMLParser):
    """The links of a page with their lines, what it loads, and the places in it that links may name."""

    def __init__(self, text):
        super().__init__()
        self.links, self.loads, self.places = [], [], {"", "top"}
        self.in_style = False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        of = {key: value or "" for key, value in attributes}
        self.places.update(of[key] for key in ("id", "name") if of.get(key))
        line = self.getpos()[0]
        self.in_style = tag == "style"
        loads = [of[key] for key in ("src", "poster", "data") if of.get(key)]
        loads += [part.split()[0] for part in of.get("srcset", "").split(",") if part.strip()]
        loads += loaded_by(of.get("style", ""))
        loads += [of["href"]] if tag in ("link", "image", "use") and of.get("href") else []
        self.loads += [(line, target) for target in loads]
        links = [of["href"]] if tag not in ("base", "link") and of.get("href") else []
        self.links += [(line, target) for target in loads + links]

    def handle_data(self, data):
        if self.in_style:
            self.loads += [(self.getpos()[0], target) for target in loaded_by(data)]

    def handle_endtag(self, tag):
        self.in_style = False


def is_elsewhere(target):
    """Whether an address leads out of the site; `data:` holds what it names."""
    address = urlsplit(target)
    return bool(address.netloc) or address.scheme not in ("", "data")


def check(home):
    """What is wrong with the links of the pages below a folder."""
    files = [path.resolve() for path in sorted(home.rglob("*.html")) if "_static" not in path.parts]
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in files}
    if not pages:
        yield f"{home}: no page"
    for path in sorted(home.resolve().rglob("*.css")):
        for target in filter(is_elsewhere, loaded_by(path.read_text(encoding="utf-8"))):
            yield f"{path.relative_to(home.resolve())}: '{target}' is loaded from elsewhere"
    for path, page in pages.items():
        for line, target in page.loads:
            if is_elsewhere(target):
                yield f"{path.relative_to(home.resolve())}:{line}: '{target}' is loaded from elsewhere"
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
        '<img src="p.svg" srcset="p.svg, gone.png 2x">': ["index.html:1: 'gone.png' leads to no file of the site"],
        '<link rel="stylesheet" href="gone.css">': ["index.html:1: 'gone.css' leads to no file of the site"],
        '<script src="https://cdn.example/a.js"></script>': ["index.html:1: 'https://cdn.example/a.js' is loaded from elsewhere"],
        '<link href="//cdn.example/a.css">': ["index.html:1: '//cdn.example/a.css' is loaded from elsewhere"],
        '<p style="background: url(http://e.example/p)">': ["index.html:1: 'http://e.example/p' is loaded from elsewhere"],
        "<style>@import 'https://e.example/f';</style>": ["index.html:1: 'https://e.example/f' is loaded from elsewhere"],
        "<style>/* url(https://e.example) */ p { background: url(data:image/png;base64,AA) }</style>": [],
    }
    for text, expected in cases.items():
        with tempfile.TemporaryDirectory() as folder:
            home = Path(folder)
            for name, content in {"index.html": text, "b.html": '<h1 id="x">b</h1>', "p.svg": "<svg/>"}.items():
                (home / name).write_text(content)
            assert list(check(home)) == expected, (text, list(check(home)))
    with tempfile.TemporaryDirectory() as folder:
        assert len(list(check(Path(folder)))) == 1
        (Path(folder) / "index.html").write_text("<p>")
        (Path(folder) / "a.css").write_text("@font-face { src: url('https://e.example/f.woff2') }")
        assert list(check(Path(folder))) == ["a.css: 'https://e.example/f.woff2' is loaded from elsewhere"]


if sys.argv[1:] == ["--self-test"]:
    self_test()
elif len(sys.argv) == 2:
    wrong = list(check(Path(sys.argv[1])))
    print("\n".join(wrong) or "all links of the site lead somewhere, and it loads nothing from elsewhere")
    sys.exit(bool(wrong))
else:
    sys.exit(__doc__)
