#!/usr/bin/env python3
"""Checks that modules of the library import downwards only, and that no crate has circles.

    scripts/check-layers.py [--count | --self-test]

An import is a `use` or a path in code, followed through `pub use` to the file that defines the
item; a file that imports another counts once, at the first line. Left out are tests, and what a
parent only re-exports from its children. In crates/halfseen a room (first segment of the path
under src) may import rooms of lower floors only. In all crates and in experiments, a circle of
files is an offence unless it is a parent module with its children and no circle is left without
the parent. A circle through several rooms has an import that is an offence by itself, and only that
is reported.
Exits with 1 where there are offences; `--count` prints how many, and exits with 0.
"""
import re
import sys
import tempfile
from pathlib import Path

from rust_text import NO_CODE, behind, blank, without_tests

# The floors of crates/halfseen/src, lowest first; `plan` is the present name of `theory`.
FLOORS = """
error
memory
normal loss
student
params
data
kernel
prepare
model
learner
theory plan
asking
budget joint missing robust full
registry
partial
select
lib
"""
FLOOR = {room: n for n, line in enumerate(FLOORS.split("\n")) for room in line.split()}
INNER = re.compile(r"\bmod\s+(\w+)\s*(?={)")
USE = re.compile(r"(\bpub(?:\s*\([^)]*\))?\s+)?\buse\s+([^;]+);")
PATH = re.compile(r"(?<![\w:])[a-z]\w*(?:::\w+)+")
ITEM = re.compile(r"\b(?:fn|struct|enum|union|trait|type|const(?!\s+(?:fn|unsafe)\b)"
                  r"|static(?:\s+mut)?|macro_rules!)\s+(\w+)")
EXPORTED = re.compile(r"#\[macro_export\b[^]]*\]\s*(?:#\[[^]]*\]\s*)*macro_rules!\s*(\w+)")


class Module:
    """A file, or a `mod x { }` within one: its children, what it imports, and what it binds."""

    def __init__(self, file, folder, parent=None, text=None):
        self.file, self.folder, self.parent = file, folder, parent
        self.root = parent.root if parent else self
        self.mods, self.names, self.uses, self.exported = {}, {}, [], {}
        if text is None:
            text = NO_CODE.sub(lambda m: "\n" * m[0].count("\n"), file.read_text())
        text = without_tests(text)
        while inner := INNER.search(text):
            end = behind(text, inner.end())
            body = "\n" * text.count("\n", 0, inner.end()) + text[inner.end() + 1:end - 1]
            self.mods[inner[1]] = Module(file, folder / inner[1], self, body)
            text = blank(text, inner.start(), end)
        for name in re.findall(r"\bmod\s+(\w+)\s*;", text):
            for child in (folder / f"{name}.rs", folder / name / "mod.rs"):
                if child.is_file():
                    self.mods[name] = Module(child, folder / name, self)
        for use in USE.finditer(text):
            for path, name, at in leaves(text, use.start(2), use.end(2)):
                line = text.count("\n", 0, at) + 1
                self.uses.append((path, name, line, bool(use[1])))
                self.names.setdefault(name, []).append(path)
        self.root.exported.update({name: file for name in EXPORTED.findall(text)})
        text = USE.sub(lambda m: "\n" * m[0].count("\n"), text)
        self.paths = [(tuple(path[0].split("::")), text.count("\n", 0, path.start()) + 1)
                      for path in PATH.finditer(text)]
        self.words, self.items = set(re.findall(r"\w+", text)), set(ITEM.findall(text))

    def lookup(self, name, leaf, seen):
        """What a name means here: a Module, the file of an item, or None for what is not known."""
        if (self, name, leaf) in seen:
            return None
        seen = seen | {(self, name, leaf)}
        if not leaf and name in self.mods:
            return self.mods[name]
        for path in self.names.get(name, ()):
            if found := self.resolve(path, leaf, seen):
                return found
        if name in self.mods:
            return self.mods[name]
        if name in self.items:
            return self.file
        for path in self.names.get("*", ()):
            glob = self.resolve(path, False, seen)
            if isinstance(glob, Module) and (found := glob.lookup(name, leaf, seen)):
                return found
        return self.exported.get(name)

    def resolve(self, path, leaf=True, seen=frozenset()):
        """What a path means. A name that is not known in a module belongs to the module's file."""
        first, rest = path[0], list(path[1:])
        if rest and rest[-1] == "self":
            rest, leaf = rest[:-1], False
        if first in ("crate", "self", "super"):
            at = {"crate": self.root, "self": self, "super": self.parent}[first]
        else:
            at = self.lookup(first, leaf and not rest, seen)
        while rest and isinstance(at, Module):
            name = rest.pop(0)
            at = (at.parent if name == "super"
                  else at.lookup(name, leaf and not rest, seen) or at.file)
        return at

    def imports(self):
        """All imports here and in the modules below, as (line, file, file of the item)."""
        heads = {path[0] for path, _ in self.paths}
        for path, name, line, public in self.uses:
            found = self.resolve(path, name != "*")
            file = found.file if isinstance(found, Module) else found
            if name == "*" and file is not found:
                for word in self.words - set(self.names) - self.items:
                    item = found.lookup(word, True, frozenset())
                    yield line, self.file, None if isinstance(item, Module) else item
            elif public and name not in self.words and file and below(file, self.file):
                pass  # a parent that only hands on what a child defines
            elif file is found or name not in heads:  # else the paths through the module count
                yield line, self.file, file
        bound = {name: line for _, name, line, _ in self.uses}
        for path, line in self.paths:
            found, line = self.resolve(path), bound.get(path[0], line)
            yield line, self.file, found.file if isinstance(found, Module) else found
        for child in self.mods.values():
            yield from child.imports()


def leaves(text, start, end):
    """The leaves of `a::{b, c as d, e::*}`, as (segments, name that is bound, place)."""
    stack, path, name, at = [], (), None, start
    for token in re.compile(r"\w+|[{},*]").finditer(text, start, end):
        word = token[0]
        if word in "{},":
            if name and word != "{":
                yield path, name, at
            stack += [path] if word == "{" else []
            path, name = stack[-1] if stack else (), None
            stack = stack[:-1] if word == "}" else stack
        elif "as" in (name, word):
            name = word
        else:
            name = path[-1] if word == "self" and path else word
            path, at = path + (() if word == "*" else (word,)), token.start()
    if name:
        yield path, name, at


def below(file, parent):
    """Whether a file lies in the folder of a module's children."""
    top = parent.name in ("lib.rs", "main.rs", "mod.rs")
    return file != parent and (parent.parent if top else parent.with_suffix("")) in file.parents


def circles(graph):
    """The strongly connected sets of files, but for a parent whose children only meet in it."""
    reach = {}
    for node in graph:
        reach[node], todo = set(), [node]
        while todo:
            new = graph[todo.pop()] - reach[node]
            reach[node] |= new
            todo += new
    parts = {tuple(sorted(b for b in reach[a] if a in reach[b])) for a in graph if a in reach[a]}
    for part in sorted(parts):
        parent = next((p for p in part if all(below(f, p) for f in part if f != p)), None)
        rest = set(part) - {parent}
        if parent is None or any(circles({node: graph[node] & rest for node in rest})):
            yield part


def check(src, floors):
    """The imports of a crate, with their lines, and its offences; those imports make no circle."""
    first, graph, offences = {}, {}, []
    for root in (src / "lib.rs", src / "main.rs"):
        for line, file, target in Module(root, src).imports() if root.is_file() else ():
            if target and target != file:
                first[file, target] = min(line, first.get((file, target), line))
    for (file, target), line in sorted(first.items(), key=lambda i: (i[0][0], i[1])):
        a, b = (f.relative_to(src).parts[0].removesuffix(".rs") for f in (file, target))
        edges, _ = graph.setdefault(file, set()), graph.setdefault(target, set())
        low, high = FLOOR.get(a, 0), FLOOR.get(b, 99)  # a room without a floor is an offence
        if floors and a != b and low <= high:
            offences.append(("up" if low < high else "side", f"{file}:{line} imports "
                             f"{target.relative_to(src)} ({a} -> {b}, floor {low} -> {high})"))
        else:
            edges.add(target)
    for part in circles(graph):
        files = " ".join(str(file.relative_to(src)) for file in part)
        offences.append(("circle", f"{src}: circle of {len(part)}: {files}"))
    return first, offences


def self_test():
    """Builds small crates in a temporary folder, and asserts what is found in them."""
    def build(**files):
        src = Path(tempfile.mkdtemp(dir=home))
        for name, text in (base | files).items():
            path = src / (name.replace("__", "/") + ".rs")
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        first, offences = check(src, True)
        return ({f"{file.stem}:{line} {target.relative_to(src)}"
                 for (file, target), line in first.items()},
                [line.replace(f"{src}/", "").replace(f"{src}: ", "") for _, line in offences])

    base = {"lib": "mod data; mod full; mod learner; pub mod model; pub use model::Fit; mod new; "
                   "mod robust;",
            "data": "pub struct Table; #[macro_export] macro_rules! cell { () => {} }",
            "full__mod": "mod a; mod b; mod c; pub struct Ridge;", "learner": "", "new": "",
            "robust": "", "full__a": "", "full__b": "", "full__c": "",
            "model__fit": "pub struct Fit;", "learner__tests": "use crate::full::Ridge;",
            "model__mod": "mod fit;\npub use fit::{Fit as Fitted, Fit};\npub struct Scores;"}
    cases = {
        "use crate::model::Fitted;": {"1 model/fit.rs"},  # a re-export
        "use crate::{data::{self, Table as T},\n model::{Scores, self as m}}; fn f(_: m::Fit) {}":
            {"1 data.rs", "2 model/mod.rs", "2 model/fit.rs"},  # nested groups
        "use crate::Fit;\nuse crate::model::*; fn f(_: Scores) {}":
            {"1 model/fit.rs", "2 model/mod.rs"},
        "use super::data;\nfn f(_: data::Table, _: super::model::Fit) {}":
            {"1 data.rs", "2 model/fit.rs"},
        "mod a { use super::super::model as m; fn f() { m::Fit::new() } }": {"1 model/fit.rs"},
        "fn f() { crate::cell!() }": {"1 data.rs"},
        "// use crate::data::Table;\n/* crate::data::x */ fn f() { \"crate::data::y\" }": set(),
        "fn f(c: char) { c == '\"' }\nuse crate::data::Table; // \"": {"2 data.rs"},
        "#[cfg(test)]\nmod tests { use crate::full::Ridge; fn f() {} }": set(),
        "#[cfg(test)] mod tests;\n#[test]\nfn f() { crate::full::ridge() }": set()}
    with tempfile.TemporaryDirectory() as home:
        for text, targets in cases.items():
            found = build(learner=text)
            assert found == ({f"learner:{target}" for target in targets}, []), (text, found)
        _, up = build(data="\nuse crate::model::{Fitted};\nfn f() { crate::new::g() }",
                      robust="use crate::full::Ridge; use crate::model::Scores;")
        assert up == ["data.rs:2 imports model/fit.rs (data -> model, floor 6 -> 9)",
                      "data.rs:3 imports new.rs (data -> new, floor 6 -> 99)",
                      "robust.rs:1 imports full/mod.rs (robust -> full, floor 13 -> 13)"], up
        ring = {"full__a": "use super::b::B; use super::Ridge;", "full__b": "use super::c::C;",
                "full__c": "fn f() { crate::full::a::g() }"}
        star = {"full__mod": base["full__mod"] + "fn f() { a::g(); b::g() }"}
        assert build(**ring)[1] == ["circle of 3: full/a.rs full/b.rs full/c.rs"]
        assert build(**ring | star | {"full__c": ""})[1] == []  # a parent and its children
        assert build(**ring | star)[1] == [
            "circle of 4: full/a.rs full/b.rs full/c.rs full/mod.rs"]


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    home, count = Path(__file__).resolve().parent.parent, sys.argv[1:] == ["--count"]
    sources = [src for where in ("crates/*/src", "tools/*/src", "experiments/src", "experiments/*/src")
               for src in sorted(home.glob(where))]
    offences = [offence for src in sources
                for offence in check(src, src.parent.name == "halfseen")[1]]
    if not count:
        print("".join(line.replace(f"{home}/", "") + "\n" for _, line in offences), end="")
    up, side, circle = ([kind for kind, _ in offences].count(kind)
                        for kind in ("up", "side", "circle"))
    if offences or count:
        print(f"{up} imports upwards, {side} between rooms of one floor, {circle} circles")
    return 1 if offences and not count else 0


if __name__ == "__main__":
    sys.exit(main())
