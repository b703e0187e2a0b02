"""Write the type stubs of the package from its declarations, signatures and documentation.

    python stubs.py            writes them beside the sources
    python stubs.py --check    fails if the committed ones are others

The constructors of estimators exist only once the package is imported, since the library declares their parameters; so this
imports the package, as installed. Types of all else are what the section of its docstring says in words: a word that is not
known here, or a parameter without an entry, is an error. Annotations in the sources take precedence. ``_core.pyi`` is written
by hand.
"""

import difflib
import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import halfseen

HOME = Path(__file__).parent / "python" / "halfseen"
HEADER = '"""Give types to what `{module}` offers. Written by stubs.py; not to be edited."""\n\n'
#: What phrases of docstrings mean, besides what `TypeWords` takes apart.
WORDS = {
    "any": "Any",
    "array-like": "ArrayLike",
    "bool": "bool",
    "bytes": "bytes",
    "callable": "Callable[..., Any]",
    "dict": "dict[str, Any]",
    "estimator": "Any",
    "float": "float",
    "frame": "ArrayLike",
    "int": "int",
    "list": "list[Any]",
    "ndarray": "NDArray[Any]",
    "None": "None",
    "object": "Any",
    "sparse matrix": "_Sparse",
    "str": "str",
}
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
#: What parameters take that only Python has.
OWN = {
    "int, RandomState instance or None": "int | np.random.RandomState | None",
    "list of str or int, or None": "Sequence[str | int] | None",
    "dict of str to list, or None": "Mapping[str, Sequence[str | int]] | None",
    "dict or None": "Mapping[Any, Any] | None",
    "bool or callable": "bool | Callable[[int, int], object]",
}
IMPORTS = {
    "Any": "from typing import Any",
    "ArrayLike": "from numpy.typing import ArrayLike",
    "Callable": "from collections.abc import Callable",
    "Iterable": "from collections.abc import Iterable",
    "Iterator": "from collections.abc import Iterator",
    "Literal": "from typing import Literal",
    "Mapping": "from collections.abc import Mapping",
    "NDArray": "from numpy.typing import NDArray",
    "Protocol": "from typing import Protocol",
    "Self": "from typing import Self",
    "Sequence": "from collections.abc import Sequence",
    "np": "import numpy as np",
    "_Sparse": "from halfseen._estimator import _Sparse",
}
SPARSE = '''
class _Sparse(Protocol):
    """A sparse matrix or array, in any form."""

    shape: Any
    def tocsr(self, copy: bool = ...) -> Any: ...
'''
#: Methods of Python's own that a stub shows, with the types of what they take and return.
SPECIAL = {
    "__contains__": "(self, item: object, /) -> bool",
    "__eq__": "(self, other: object, /) -> bool",
    "__hash__": "(self) -> int",
    "__iter__": "(self) -> Iterator[Any]",
    "__len__": "(self) -> int",
    "__repr__": "(self) -> str",
    "__str__": "(self) -> str",
}


class Unknown(Exception):
    """Say what has no type."""


def type_of(words, names):
    """Return the type that words of a docstring mean; `names` are classes that they may name."""
    words = re.sub(r",? *(optional|default[ =:].*)$", "", words.strip())
    words = re.sub(r" of shape (\([^()]*\)|[\w, ]+)((?: or \([^()]*\))*)", "", words).strip()
    if words in OWN:
        return OWN[words]
    if words in WORDS:
        return WORDS[words]
    if words in names:
        return words
    bare = words.strip("`~:")
    bare = re.sub(r"^(class|obj):`", "", bare)
    if bare.split(".")[-1] in names:
        return bare.split(".")[-1]
    if re.fullmatch(r"\{ *'.*\}", words):
        return "Literal[" + words.strip("{} ") + "]"
    if re.fullmatch(r"\{.*\}", words):
        return " | ".join(type_of(word, names) for word in words.strip("{}").split(","))
    for pattern, form in (
        (r"dict of (\w+) to (.+)", "dict[{}, {}]"),
        (r"(?:sequence|list-like) of (.+)", "Sequence[{}]"),
        (r"list of (.+)", "list[{}]"),
        (r"iterable of (.+)", "Iterable[{}]"),
        (r"iterator of (.+)", "Iterator[{}]"),
        (r"tuple of (.+)", "tuple[{}, ...]"),
        (r"tuple \((.+)\)", "tuple[{}]"),
        (r"ndarray of \w+", "NDArray[Any]"),
        (r"array-like of \w+", "ArrayLike"),
    ):
        if found := re.fullmatch(pattern, words):
            if form.startswith("tuple[{}]"):
                return form.format(", ".join(type_of(word, names) for word in found[1].split(",")))
            return form.format(*(type_of(word, names) for word in found.groups()))
    if parts := [part for part in re.split(r",? or |, (?![^{]*\})", words) if part]:
        if len(parts) > 1:
            return " | ".join(dict.fromkeys(type_of(part, names) for part in parts))
    raise Unknown(f"no type is known for {words!r}")


def sections(thing):
    """Return the entries of each section of a docstring: name -> words of its type."""
    found, section = {}, None
    lines = inspect.cleandoc(thing.__doc__ or "").splitlines()
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        if below and set(below) == {"-"}:
            section = found.setdefault(line, {})
        elif section is not None and (entry := re.fullmatch(r"([\w*, ]+?) : (.+)", line)):
            for name in entry[1].split(","):
                section[name.strip(" *")] = entry[2]
    return found


class Module:
    """The stub of one module."""

    def __init__(self, module):
        self.module, self.imports, self.names = module, set(), classes()

    def text(self):
        """Write the stub."""
        body = [self.one(name, value) for name, value in sorted(self.own().items(), key=self.place)]
        if self.module.__name__ == "halfseen._estimator":
            body.insert(0, SPARSE)
        body = "\n".join(body)
        for word, line in IMPORTS.items():
            if re.search(rf"\b{word}\b", body) and f"class {word}(" not in body:
                self.imports.add(line)
        exported = getattr(self.module, "__all__", None)
        if exported is not None:
            body = f"__all__ = {list(exported)!r}\n\n{body}"
        return HEADER.format(module=self.module.__name__) + "\n".join(sorted(self.imports)) + "\n\n" + body

    def own(self):
        """Return what the module defines and others see, and the private classes that these stand on."""
        own = {}
        for name, value in vars(self.module).items():
            if inspect.ismodule(value) or name.startswith("__") or getattr(value, "__module__", None) == "typing":
                continue
            home = getattr(value, "__module__", None)
            if inspect.isclass(value):
                if home == self.module.__name__:
                    own[name] = value
            elif not name.startswith("_") and (home is None or home == self.module.__name__ or not callable(value)):
                if not (home or "").startswith("halfseen") or name in self.assigned() or callable(value):
                    if name in self.assigned() or callable(value):
                        own[name] = value
        return own

    def assigned(self):
        """Return the names that the module's own lines assign."""
        return set(re.findall(r"^(\w+)(?:: [^=]+)? = ", inspect.getsource(self.module), flags=re.MULTILINE))

    def place(self, item):
        """Sort by place in the source, constants first."""
        name, value = item
        if inspect.isclass(value) or inspect.isfunction(value):
            return 1, inspect.getsourcelines(value)[1], name
        return 0, 0, name

    def one(self, name, value):
        """Write one class, function or constant."""
        if inspect.isclass(value):
            return self.class_(value)
        if inspect.isfunction(value):
            return self.function(name, value)
        kind = type(value)
        self.refer(kind)
        return f"{name}: {kind.__name__}"

    def refer(self, kind):
        """Import a class where it is not of this module."""
        if kind.__module__ not in ("builtins", self.module.__name__):
            self.imports.add(f"from {kind.__module__} import {kind.__name__}")

    def typed(self, words, where):
        """Return the type that words mean, and import the classes that it names."""
        try:
            found = type_of(words, self.names)
        except Unknown as problem:
            raise Unknown(f"{self.module.__name__}.{where}: {problem}") from None
        for word in re.findall(r"\w+", found):
            if word in self.names:
                self.refer(self.names[word])
        return found

    def class_(self, kind):
        """Write a class: its bases, attributes, constructor and methods."""
        bases = [base for base in kind.__bases__ if base is not object]
        for base in bases:
            self.refer(PUBLIC.get(base, base))
        named = ", ".join(base.__name__ for base in bases)
        lines = [f"class {kind.__name__}({named}):" if named else f"class {kind.__name__}:"]
        for name, words in sections(kind).get("Attributes", {}).items():
            if not isinstance(vars(kind).get(name), property):
                lines.append(f"    {name}: {self.typed(words, f'{kind.__name__}.{name}')}")
        if "_declared" in vars(kind):
            lines += self.constructor(kind)
        for name, member in vars(kind).items():
            if name == "__init__" and "_declared" in vars(kind):
                continue
            if name in SPECIAL and callable(member):
                lines.append(f"    def {name}{SPECIAL[name]}: ...")
            elif name == "__init__" or not name.startswith("_"):
                lines += self.member(kind, name, member)
        return "\n".join(lines if len(lines) > 1 else [lines[0] + " ..."]) + "\n"

    def constructor(self, kind):
        """Write the constructor of an estimator, from the library's declarations."""
        lines = ["    def __init__(", "        self,", "        *,"]
        for declaration in kind._declared:
            kinds = declaration.kind
            if kinds == "choice":
                words = ", ".join(map(repr, declaration.words))
                found = f"Literal[{words}]" + (" | None" if declaration.default is None else "")
            else:
                found = KINDS.get(kinds) or self.typed(kinds, f"{kind.__name__}({declaration.name})")
            lines.append(f"        {declaration.name}: {found} = {declaration.default!r},")
        return [*lines, "    ) -> None: ..."]

    def member(self, kind, name, member):
        """Write a method, property or attribute of a class."""
        where = f"{kind.__name__}.{name}"
        if isinstance(member, property):
            return ["    @property", f"    def {name}(self) -> {self.returned(member.fget, where, kind)}: ..."]
        if isinstance(member, classmethod | staticmethod):
            decorator = type(member).__name__
            return [f"    @{decorator}", "    " + self.function(name, member.__func__, kind)]
        if inspect.isfunction(member):
            return ["    " + self.function(name, member, kind)]
        if name == "__init__":
            return []
        raise Unknown(f"{self.module.__name__}.{where}: what is this?")

    def function(self, name, function, kind=None):
        """Write a function."""
        where = name if kind is None else f"{kind.__name__}.{name}"
        documented = sections(function).get("Parameters", {})
        if name == "__init__":
            documented = {**sections(kind).get("Parameters", {}), **documented}
        parameters, starred = [], False
        for at, parameter in enumerate(inspect.signature(function).parameters.values()):
            text = parameter.name
            if parameter.kind is parameter.KEYWORD_ONLY and not starred:
                parameters.append("*")
                starred = True
            if parameter.kind is parameter.VAR_POSITIONAL:
                text, starred = "*" + text, True
            if parameter.kind is parameter.VAR_KEYWORD:
                text = "**" + text
            if not (at == 0 and text in ("self", "cls")):
                if parameter.annotation is not parameter.empty:
                    text += f": {self.annotation(parameter.annotation)}"
                elif parameter.name in documented:
                    text += f": {self.typed(documented[parameter.name], f'{where}({parameter.name})')}"
                else:
                    raise Unknown(f"{self.module.__name__}.{where}: {parameter.name} has no entry under Parameters")
            if parameter.default is not parameter.empty:
                text += f" = {parameter.default!r}"
            parameters.append(text)
        result = "None" if name == "__init__" else self.returned(function, where, kind)
        return f"def {name}({', '.join(parameters)}) -> {result}: ..."

    def returned(self, function, where, kind):
        """Return the type of what a function returns; one without a section returns nothing."""
        given = inspect.signature(function).return_annotation
        if given is not inspect.Signature.empty:
            return self.annotation(given)
        entries = sections(function).get("Returns")
        if entries is None:
            if "\nReturns\n" in inspect.cleandoc(function.__doc__ or ""):
                raise Unknown(f"{self.module.__name__}.{where}: Returns has no entry `name : type`")
            return "None"
        if not entries:
            raise Unknown(f"{self.module.__name__}.{where}: Returns has no entry `name : type`")
        if list(entries) == ["self"]:
            return "Self"
        found = [self.typed(words, where) for words in entries.values()]
        return found[0] if len(found) == 1 else f"tuple[{', '.join(found)}]"

    def annotation(self, given):
        """Return an annotation as it was written."""
        if given is None:
            return "None"
        return given if isinstance(given, str) else inspect.formatannotation(given)


#: Where others than its own module offer a class.
PUBLIC = {}


def modules():
    """Return the modules of the package, itself apart."""
    found = pkgutil.walk_packages(halfseen.__path__, "halfseen.")
    return [importlib.import_module(of.name) for of in found if of.name != "halfseen._core"]


def classes():
    """Return the classes of the package by name."""
    return {
        name: value
        for module in modules()
        for name, value in vars(module).items()
        if inspect.isclass(value) and value.__module__.startswith("halfseen")
    }


def package():
    """Write the stub of the package itself, which imports what is lazy there."""
    lines = [HEADER.format(module="halfseen").rstrip() + "\n"]
    lines.append("from halfseen import " + ", ".join(f"{name} as {name}" for name in halfseen._MODULES))
    for home, names in halfseen._HOMES.items():
        lines.append(f"from halfseen.{home} import " + ", ".join(f"{name} as {name}" for name in names))
    return "\n".join([*lines, f"\n__all__ = {halfseen.__all__!r}\n__version__: str\n"])


def stubs():
    """Return all stubs: path -> text, formatted."""
    texts = {HOME / "__init__.pyi": package()}
    for module in modules():
        parts = module.__name__.split(".")[1:]
        if parts[-1].startswith("_") and not any(hasattr(value, "_declared") or value.__name__ == "Estimator"
                                                for value in vars(module).values() if inspect.isclass(value)):
            continue  # private, and nobody's base: its source will do
        inside = HOME.joinpath(*parts)
        path = inside / "__init__.pyi" if hasattr(module, "__path__") else inside.with_suffix(".pyi")
        texts[path] = Module(module).text()
    return {path: formatted(path, text) for path, text in texts.items()}


def formatted(path, text):
    """Return the text as ruff formats it, with its imports sorted."""
    for command in (["check", "--quiet", "--fix-only", "--select", "I,F401"], ["format", "--quiet"]):
        call = [sys.executable, "-m", "ruff", *command, "--no-cache", "--stdin-filename", str(path), "-"]
        text = subprocess.run(call, input=text, text=True, capture_output=True, check=True).stdout
    return text


if __name__ == "__main__":
    try:
        written = stubs()
    except Unknown as problem:
        sys.exit(f"stubs.py: {problem}")
    stale = 0
    for path, text in written.items():
        old = path.read_text() if path.exists() else ""
        if "--check" in sys.argv and old != text:
            stale += 1
            sys.stdout.writelines(difflib.unified_diff(old.splitlines(True), text.splitlines(True), str(path), "as it should be"))
        elif old != text:
            path.write_text(text)
    if stale:
        sys.exit(f"{stale} stubs are stale: python stubs.py writes them")
