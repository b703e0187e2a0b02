#!/usr/bin/env python3
"""Checks that crates and modules import downwards only, without circles, on few floors.

    scripts/check-layers.py [--floors | --self-test]

Between crates the manifests count: a crate of ours may depend on crates of lower floors only. Within a
crate an import is a `use` or a path in code, followed through `pub use` to the file that defines the
item; a file that imports another counts once, at the first line. Left out are tests, and what a
parent only re-exports from its children. A circle of files is an offence unless it is a parent module
with its children and no circle is left without the parent. A room is a file or a folder in src, or in a
folder below it; it stands one floor above the highest room beside it that it imports, and a folder has at
most six floors, or as many as stand below.
Exits with 1 where there are offences; `--floors` prints the rooms of each floor, and exits with 0.
"""
import re
import sys
import tempfile
import tomllib
from pathlib import Path

from rust_text import NO_CODE, behind, blank, without_tests

# The floors of crates, lowest first.
CRATES = """
solve
core
budget joint missing full robust
halfseen
io study
serve
cli python
"""
CRATE_FLOOR = {name: n for n, line in enumerate(CRATES.split("\n")) for name in line.split()}
# The most floors of rooms within a folder; these have more until they are rebuilt.
MOST = 6
MORE = {"joint": 17, "core/data": 8, "core/model": 7, "io/text/csv": 9}
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


def check(src):
    """The imports of a crate, with their lines, and its circles of files."""
    first, graph = {}, {}
    for root in (src / "lib.rs", src / "main.rs"):
        for line, file, target in Module(root, src).imports() if root.is_file() else ():
            if target and target != file:
                first[file, target] = min(line, first.get((file, target), line))
                graph.setdefault(file, set()).add(target)
                graph.setdefault(target, set())
    return first, [f"{src}: circle of {len(part)}: {' '.join(str(f.relative_to(src)) for f in part)}"
                   for part in circles(graph)]


def floors(src, first):
    """The rooms of a folder, floor by floor; those in a circle stand on the floor of its lowest."""
    below_room = {}
    for pair in first:
        if not all(f.is_relative_to(src) for f in pair):
            continue
        a, b = (f.relative_to(src).parts[0].removesuffix(".rs") for f in pair)
        for room in {a, b} - {"lib", "main", "mod"}:
            below_room.setdefault(room, set())
        if a != b and not {a, b} & {"lib", "main", "mod"}:
            below_room[a].add(b)

    def floor(room, above=()):
        return 1 + max((floor(b, (*above, room)) for b in below_room[room] - {room, *above}), default=0)
    of = {room: floor(room) for room in below_room}
    return [sorted(room for room in of if of[room] == n + 1) for n in range(max(of.values(), default=0))]


def crate_offences(home):
    """The manifests by which a crate of ours depends on one that is not below it."""
    for manifest in sorted(home.glob("crates/*/Cargo.toml")):
        name = manifest.parent.name.removeprefix("halfseen-")
        for needed in tomllib.loads(manifest.read_text()).get("dependencies", {}):
            low = CRATE_FLOOR.get(needed.removeprefix("halfseen-"), 99)
            if needed.startswith("halfseen") and low >= CRATE_FLOOR.get(name, 0):
                yield f"{manifest}: {name} depends on {needed}, which is not below it"


def self_test():
    """Builds small crates in a temporary folder, and asserts what is found in them."""
    def build(**files):
        src = Path(tempfile.mkdtemp(dir=home))
        for name, text in (base | files).items():
            path = src / (name.replace("__", "/") + ".rs")
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        first, offences = check(src)
        return ({f"{file.stem}:{line} {target.relative_to(src)}"
                 for (file, target), line in first.items()},
                [line.replace(f"{src}: ", "") for line in offences], floors(src, first),
                floors(src / "full", first))

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
            found = build(learner=text)[:2]
            assert found == ({f"learner:{target}" for target in targets}, []), (text, found)
        stacked = build(model__mod=base["model__mod"] + "use crate::data::Table;",
                        robust="use crate::full::Ridge; use crate::model::Scores;")[2]
        assert stacked == [["data", "full"], ["model"], ["robust"]], stacked
        inner = build(full__a="use super::b::B;", full__b="use super::c::C;")
        assert inner[3] == [["c"], ["b"], ["a"]], inner
        crates = {"core": "halfseen-solve", "joint": "halfseen-budget"}
        for name, needed in crates.items():
            manifest = Path(home) / f"crates/halfseen-{name}/Cargo.toml"
            manifest.parent.mkdir(parents=True)
            manifest.write_text(f'[dependencies]\n{needed}.workspace = true\nfaer = "1"\n')
        wrong = list(crate_offences(Path(home)))
        assert len(wrong) == 1 and wrong[0].endswith(
            "joint depends on halfseen-budget, which is not below it"), wrong
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
    home, show = Path(__file__).resolve().parent.parent, sys.argv[1:] == ["--floors"]
    offences = list(crate_offences(home))
    for where in ("crates/*/src", "tools/*/src", "experiments/src", "experiments/*/src"):
        for src in sorted(home.glob(where)):
            first, wrong = check(src)
            rooms, name = floors(src, first), src.parent.name.removeprefix("halfseen-")
            offences += wrong
            for folder in {src, *(file.parent for pair in first for file in pair)}:
                most = MORE.get((Path(name) / folder.relative_to(src)).as_posix(), MOST)
                count = len(floors(folder, first))
                if count > most and where == "crates/*/src":
                    offences.append(f"{folder}: {count} floors, {most} allowed")
            if show:
                print(name, *(f"  {n} {' '.join(floor)}" for n, floor in enumerate(rooms, 1)), sep="\n")
    print("".join(line.replace(f"{home}/", "") + "\n" for line in offences), end="")
    return 1 if offences and not show else 0


if __name__ == "__main__":
    sys.exit(main())
