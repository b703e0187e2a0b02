"""Write the type stubs of the package from its declarations, signatures and documentation.

``python stubs.py`` writes them beside the sources; ``python stubs.py --check`` fails if those there differ.

The constructors of estimators exist only once the package is imported, since the library declares their
parameters; so this imports the package, as installed. All other types are what the sections of docstrings say
in words: a phrase that is not known here, or a parameter without an entry, is an error. Annotations in the
sources take precedence. ``_core.pyi`` is written by hand.
"""

import ast
import dataclasses
import difflib
import importlib
import inspect
import itertools
import pkgutil
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import halfseen

HOME = Path(__file__).parent / "python" / "halfseen"
#: Modules that nobody sees, of which no class is a base of anything: mypy reads their sources.
INTERNAL = {"halfseen._core", "halfseen._rebuilding", "halfseen._tables"}
#: What phrases of docstrings mean.
PHRASES = {
    "array-like": "ArrayLike",
    "bool": "bool",
    "bool or callable": "bool | Callable[[int, int], object]",
    "callable": "Callable[..., Any]",
    "data frame": "ArrayLike",
    "dict": "dict[str, Any]",
    "dict of str to list, or None": "Mapping[str, Sequence[str | int]] | None",
    "dict or None": "Mapping[Any, Any] | None",
    "estimator": "Any",
    "fitted estimator": "Any",
    "float": "float",
    "frame": "ArrayLike",
    "ndarray of shape (n_samples, n_features_out), or a frame": "Any",
    "int": "int",
    "label": "Any",
    "list of str or int, or None": "Sequence[str | int] | None",
    "matplotlib.axes.Axes": "Axes",
    "None": "None",
    "ndarray": "NDArray[Any]",
    "object": "Any",
    "path-like": "PathLike[str]",
    "RandomState instance": "np.random.RandomState",
    "sparse matrix": "_Sparse",
    "str": "str",
    "tuple of n_samples ndarrays": "tuple[NDArray[Any], ...]",
}
#: Phrases that hold others.
FORMS = (
    (r"(?:ndarray|array) of .+", "NDArray[Any]"),
    (r"array-like of .+", "ArrayLike"),
    (r"dict of (\w+) to (.+)", "dict[{}, {}]"),
    (r"mapping of (\w+) to (.+)", "Mapping[{}, {}]"),
    (r"list of (.+)", "list[{}]"),
    (r"sequence of (.+)", "Sequence[{}]"),
    (r"iterable of (.+)", "Iterable[{}]"),
    (r"iterator of (.+)", "Iterator[{}]"),
    (r"tuple of (\w+) and (\w+)", "tuple[{}, {}]"),
    (r"tuple of \((\w+), (\w+)\)", "tuple[{}, {}]"),
    (r"tuple of (.+)", "tuple[{}, ...]"),
)
#: What the library's kinds of parameters take.
KINDS = {
    "count": "int",
    "count-or-auto": "int | None",
    "number": "float",
    "number-or-auto": "float | None",
    "flag": "bool",
    "rule": "float | str",
    "rule-or-auto": "float | str | None",
    "numbers-or-auto": "ArrayLike | None",
    "moments": "ArrayLike | Literal['online'] | None",
    "values": "ArrayLike | Literal['uniform', 'mi']",
    "features": "str",
}
#: Python's own methods that a stub shows.
SPECIAL = {
    "__eq__": "(self, other: object) -> bool",
    "__get__": "(self, estimator: Any, owner: Any = ...) -> Any",
    "__hash__": "(self) -> int",
    "__len__": "(self) -> int",
    "__sklearn_tags__": "(self) -> Any",
}
IMPORTS = {
    "Any": "from typing import Any",
    "Axes": "from matplotlib.axes import Axes",
    "ArrayLike": "from numpy.typing import ArrayLike",
    "Callable": "from collections.abc import Callable",
    "Iterable": "from collections.abc import Iterable",
    "Iterator": "from collections.abc import Iterator",
    "Literal": "from typing import Literal",
    "Mapping": "from collections.abc import Mapping",
    "NDArray": "from numpy.typing import NDArray",
    "PathLike": "from os import PathLike",
    "Protocol": "from typing import Protocol",
    "Self": "from typing import Self",
    "Sequence": "from collections.abc import Sequence",
    "dataclass": "from dataclasses import dataclass",
    "np": "import numpy as np",
    "_Sparse": "from halfseen._estimator import _Sparse",
}
SPARSE = '''
class _Sparse(Protocol):
    """A sparse matrix or array, in any form."""

    shape: Any
    def tocsr(self, copy: bool = ...) -> Any: ...
'''


class UnknownError(Exception):
    """Say what has no type."""


def type_of(words, names):
    """Return the type that words of a docstring mean; `names` are classes that they may name."""
    words = re.sub(r",? *(optional|keyword-only|default\b.*)$", "", words.strip())
    if words in PHRASES:
        return PHRASES[words]
    words = re.sub(r" of shape \([^()]*\)(?:,? or \([^()]*\))*| of length \w+", "", words).strip()
    if words.startswith("(") and words.endswith(")"):
        words = words[1:-1]
    if words in PHRASES:
        return PHRASES[words]
    if re.fullmatch(r"\{[^{}]*\}", words):
        words = words.strip("{}")
    parts = [part for part in re.split(r",? or |, (?:or )?(?![^({]*[)}])", words) if part]
    if len(parts) > 1 and not re.search(r"\([^)]* or [^(]*\)", words):
        literal = [part for part in parts if re.fullmatch(r"'[^']*'|\"[^\"]*\"", part.strip())]
        found = [type_of(part, names) for part in parts if part not in literal]
        if literal:
            found.insert(0, f"Literal[{', '.join(part.strip() for part in literal)}]")
        return " | ".join(sorted(dict.fromkeys(found), key="None".__eq__))
    if re.fullmatch(r"'[^']*'", words):
        return f"Literal[{words}]"
    name = re.sub(r"^:\w+:|[`~]", "", words).split(".")[-1]
    if name in names:
        return name
    if words.endswith("s") and words[:-1] in PHRASES:
        return PHRASES[words[:-1]]
    for pattern, form in FORMS:
        if found := re.fullmatch(pattern, words):
            return form.format(*(type_of(word, names) for word in found.groups()))
    raise UnknownError(f"no type is known for {words!r}")


def sections(thing):
    """Return the entries of each section of a docstring: name -> words of its type."""
    found, section = {}, None
    lines = inspect.cleandoc(thing.__doc__ or "").splitlines()
    for line, below in itertools.pairwise([*lines, ""]):
        if below and set(below) == {"-"}:
            section = found.setdefault(line, {})
        elif section is not None and (entry := re.fullmatch(r"([\w*][\w*, ]*?) : (.+)", line)):
            for name in entry[1].split(","):
                section[name.strip(" *")] = entry[2]
    return found


class Stub:
    """The stub of one module."""

    def __init__(self, module, names):
        self.module, self.names, self.imports = module, names, set()
        self.problems = []
        self.home = module.__name__.removeprefix("halfseen.")
        self.seen = vars(module) if self.home in halfseen._MODULES else halfseen._HOMES.get(self.home, ())

    def text(self):
        """Write it."""
        parts = [SPARSE] if self.module.__name__ == "halfseen._estimator" else []
        if exported := getattr(self.module, "__all__", None):
            parts.append(f"__all__ = {list(exported)!r}\n")
        parts += [part for name in self.own() if (part := self.one(name, getattr(self.module, name)))]
        body = "\n".join(parts)
        for word, line in IMPORTS.items():
            if re.search(rf"(?<!class )\b{word}\b", body) and not (word == "_Sparse" and SPARSE in body):
                self.imports.add(line)
        # What is passed on needs no second line.
        self.imports -= {line.partition(" as ")[0] for line in self.imports if " as " in line}
        said = f'"""Give types to what {self.module.__name__} offers; written by stubs.py."""'
        return "\n".join([said, "", *sorted(self.imports), "", body])

    def own(self):
        """Return the names that the module's own lines define, in their order, and those it passes on."""
        names = []
        for line in ast.parse(inspect.getsource(self.module)).body:
            if isinstance(line, ast.ClassDef | ast.FunctionDef):
                names.append(line.name)
            elif isinstance(line, ast.Assign):
                names += [to.id for to in line.targets if isinstance(to, ast.Name)]
        names += [*getattr(self.module, "__all__", ()), *halfseen._HOMES.get(self.home, ())]
        return [name for name in dict.fromkeys(names) if name != "__all__"]

    def one(self, name, value):
        """Write one class, function or constant; nothing for what only the module itself sees."""
        home = getattr(value, "__module__", self.module.__name__)
        if (inspect.isclass(value) or inspect.isfunction(value)) and home != self.module.__name__:
            self.imports.add(f"from {home} import {name} as {name}")
            return None
        if inspect.isclass(value):
            return self.class_(value)
        if name.startswith("_"):
            return None
        if inspect.isfunction(inspect.unwrap(value)):
            return self.function(name, inspect.unwrap(value)) + "\n"
        kind = type(value)
        self.refer(kind)
        return f"{name}: {kind.__name__}\n"

    def refer(self, kind):
        """Import a class where it is not of this module."""
        if kind.__module__ not in ("builtins", self.module.__name__):
            self.imports.add(f"from {kind.__module__} import {kind.__name__}")

    def unknown(self, where, problem):
        """Remember what has no type."""
        self.problems.append(f"{self.module.__name__}.{where}: {problem}")
        return "Any"

    def typed(self, words, where):
        """Return the type that words mean, and import the classes that it names."""
        try:
            found = type_of(words, self.names)
        except UnknownError as problem:
            return self.unknown(where, problem)
        for word in re.findall(r"\w+", found):
            if word in self.names:
                self.refer(self.names[word])
        return found

    def class_(self, kind):
        """Write a class: its bases, attributes, constructor and methods."""
        named = kind.__bases__ == (tuple,)
        bases = [NamedTuple] if named else [base for base in kind.__bases__ if base is not object]
        for base in bases:
            self.refer(base)
        given = f"({', '.join(base.__name__ for base in bases)})" if bases else ""
        lines = [f"class {kind.__name__}{given}:"]
        record = "__dataclass_fields__" in vars(kind)
        attributes = sections(kind).get("Attributes", {})
        if record:
            lines.insert(0, f"@dataclass(frozen={kind.__dataclass_params__.frozen})")
            entries = {**sections(kind).get("Parameters", {}), **attributes}
            attributes = {
                field.name: entries.get(field.name, field.type) for field in dataclasses.fields(kind)
            }
        for name, words in attributes.items():
            if not isinstance(inspect.getattr_static(kind, name, None), property):
                told = isinstance(words, str)
                found = self.typed(words, f"{kind.__name__}.{name}") if told else self.annotation(words)
                lines.append(f"    {name}: {found}")
        for name, member in vars(kind).items():
            if name == "__init__" and "_declared" in vars(kind):
                lines += self.constructor(kind)
            elif name in SPECIAL and not (record and name in ("__eq__", "__hash__")):
                lines.append(f"    def {name}{SPECIAL[name]}: ..." if member else f"    {name}: None")
            elif named and name in kind._fields:
                continue
            elif re.fullmatch(r"set_\w+_request", name):  # scikit-learn's own, for the routing of metadata
                keys = "".join(f", {key}: bool | str | None = ..." for key in member.keys)
                lines.append(f"    def {name}(self, *{keys}) -> Self: ...")
            elif name == "__init_subclass__":
                lines.append("    " + self.function(name, member.__func__, kind))
            elif not name.startswith("_") or (name == "__init__" and not record):
                lines += self.member(kind, name, member)
        return "\n".join(lines if lines[-1].startswith(" ") else [*lines, "    ..."]) + "\n"

    def constructor(self, kind):
        """Write the constructor of an estimator, from the library's declarations."""
        lines = ["    def __init__(", "        self,", "        *,"]
        for declaration in kind._declared:
            if declaration.kind == "choice":
                found = f"Literal[{', '.join(map(repr, declaration.words))}]"
                found += " | None" if declaration.default is None else ""
            else:
                where = f"{kind.__name__}({declaration.name})"
                found = KINDS.get(declaration.kind) or self.typed(declaration.kind, where)
            lines.append(f"        {declaration.name}: {found} = {declaration.default!r},")
        return [*lines, "    ) -> None: ..."]

    def member(self, kind, name, member):
        """Write a method or a property of a class; fields and constants of estimators are documented."""
        where = f"{kind.__name__}.{name}"
        if isinstance(member, property):
            entries = sections(kind).get("Attributes", {})
            # The first line may tell the type: "How many there are: int."
            told = re.search(r": ([^:]+)\.$", (member.__doc__ or "").splitlines()[0])
            words = entries.get(name) or (told and told[1])
            found = (
                self.typed(words, where) if words else self.returned(member.fget, where, not sections(kind))
            )
            return ["    @property", f"    def {name}(self) -> {found}: ..."]
        if isinstance(member, classmethod | staticmethod):
            lines = [f"    @{type(member).__name__}"]
            return [*lines, "    " + self.function(name, member.__func__, kind)]
        member = inspect.unwrap(member)  # a method that is there under a condition is one
        if inspect.isfunction(member):
            return ["    " + self.function(name, member, kind)]
        return []

    def function(self, name, function, kind=None):
        """Write a function."""
        where = name if kind is None else f"{kind.__name__}.{name}"
        documented = sections(kind).get("Parameters", {}) if name == "__init__" else {}
        documented |= sections(function).get("Parameters", {})
        inner = name.startswith("__init") or not (sections(kind) if kind else name in self.seen)
        if inner and not documented:  # not for users to call
            documented = dict.fromkeys(inspect.signature(function).parameters, "object")
        parameters = [
            self.parameter(parameter, documented, where, bound=at == 0 and kind is not None)
            for at, parameter in enumerate(inspect.signature(function).parameters.values())
        ]
        keywords = [
            at for at, given in enumerate(inspect.signature(function).parameters.values()) if given.kind == 3
        ]
        if keywords and not any(text.startswith("*") for text in parameters[: keywords[0]]):
            parameters.insert(keywords[0], "*")
        found = "None" if name.startswith("__init") else self.returned(function, where, inner)
        return f"def {name}({', '.join(parameters)}) -> {found}: ..."

    def parameter(self, given, documented, where, bound):
        """Write one parameter of a function."""
        stars = {given.VAR_POSITIONAL: "*", given.VAR_KEYWORD: "**"}.get(given.kind, "")
        default = "" if given.default is given.empty else f" = {given.default!r}"
        if bound and given.name in ("self", "cls"):
            return given.name
        if given.annotation is not given.empty:
            found = self.annotation(given.annotation)
        elif given.name in documented:
            found = self.typed(documented[given.name], f"{where}({given.name})")
            found = found.replace("list[", "Sequence[").replace("dict[", "Mapping[")
        else:
            found = self.unknown(where, f"{given.name} has no entry under Parameters")
        if default == " = None" and not re.search(r"\bNone\b|\bAny\b", found):
            found += " | None"
        return f"{stars}{given.name}: {found}{default}"

    def returned(self, function, where, inner=False):
        """Return the type of what a function returns; one that tells of nothing returns nothing."""
        given = inspect.signature(function).return_annotation
        if given is not inspect.Signature.empty:
            return self.annotation(given)
        documented = sections(function)
        kind = "Returns" if "Returns" in documented else "Yields"
        entries = documented.get(kind)
        if entries is None:
            return "Any" if inner else "None"
        if not entries:
            return self.unknown(where, f"{kind} has no entry `name : type`")
        if list(entries) == ["self"]:
            return "Self"
        found = [self.typed(words, where) for words in entries.values()]
        found = found[0] if len(found) == 1 else f"tuple[{', '.join(found)}]"
        return f"Iterator[{found}]" if kind == "Yields" else found

    def annotation(self, given):
        """Return an annotation as it was written."""
        text = given if isinstance(given, str) else inspect.formatannotation(given)
        text = re.sub(r"\b(collections\.abc|typing|os)\.", "", text).replace("numpy.", "np.")
        text = text.replace(f"{self.module.__name__}.", "")
        modules = re.findall(r"\b((?:\w+\.)*\w+)\.\w", text)
        self.imports |= {f"import {module}" for module in modules if module != "np"}
        return text


def package():
    """Write the stub of the package itself, which imports what is lazy there."""
    lines = ['"""Give types to what halfseen offers; written by stubs.py."""', ""]
    lines.append("from halfseen import " + ", ".join(f"{name} as {name}" for name in halfseen._MODULES))
    for home, names in halfseen._HOMES.items():
        lines.append(f"from halfseen.{home} import " + ", ".join(f"{name} as {name}" for name in names))
    return "\n".join([*lines, f"\n__all__ = {halfseen.__all__!r}\n__version__: str\n"])


def stubs():
    """Return all stubs: path -> text, formatted."""
    found = [of.name for of in pkgutil.walk_packages(halfseen.__path__, "halfseen.")]
    modules = [importlib.import_module(name) for name in found if name not in INTERNAL]
    values = [value for module in modules for value in vars(module).values()]
    names = {value.__name__: value for value in values if inspect.isclass(value)}
    names = {name: value for name, value in names.items() if value.__module__.startswith("halfseen.")}
    texts, problems = {HOME / "__init__.pyi": package()}, []
    for module in modules:
        inside = HOME.joinpath(*module.__name__.split(".")[1:])
        path = inside / "__init__.pyi" if hasattr(module, "__path__") else inside.with_suffix(".pyi")
        stub = Stub(module, names)
        texts[path] = stub.text()
        problems += stub.problems
    if problems:
        sys.exit("\n".join(["stubs.py: types that docstrings do not tell:", *problems]))
    return {path: formatted(path, text) for path, text in texts.items()}


def formatted(path, text):
    """Return the text as ruff formats it, with its imports sorted."""
    for command in (["check", "--quiet", "--fix-only", "--select", "I,RUF022"], ["format", "--quiet"]):
        call = [sys.executable, "-m", "ruff", *command, "--no-cache", "--stdin-filename", str(path), "-"]
        text = subprocess.run(call, input=text, text=True, stdout=subprocess.PIPE, check=True).stdout
    return text


def main():
    """Write the stubs, or compare them with those there."""
    written = stubs()
    there = {*HOME.rglob("*.pyi")} - {HOME / "_core.pyi"}
    stale = [
        path
        for path in sorted({*written} | there)
        if not path.exists() or path.read_text() != written.get(path)
    ]
    for path in stale:
        old, new = path.read_text() if path.exists() else "", written.get(path, "")
        if "--check" in sys.argv:
            lines = old.splitlines(keepends=True), new.splitlines(keepends=True)
            sys.stdout.writelines(difflib.unified_diff(*lines, str(path), "as it should be"))
        elif new:
            path.write_text(new)
        else:
            path.unlink()
    if stale and "--check" in sys.argv:
        sys.exit(f"{len(stale)} stubs are stale: python stubs.py writes them")


if __name__ == "__main__":
    main()
