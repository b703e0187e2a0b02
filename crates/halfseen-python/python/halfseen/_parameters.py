"""Build the signatures and documentation of estimators from the library's declarations.

Names, defaults, ranges and meanings are written once, in Rust. What scikit-learn calls otherwise is renamed
here.
"""

import json
import numbers
import re
import textwrap
from dataclasses import dataclass
from functools import cache
from inspect import Parameter, Signature
from typing import Any

import numpy as np

from halfseen import _core

#: The library's name of a parameter -> scikit-learn's.
RENAMED = {"seed": "random_state"}
_PAPERS = {"A": "[1]_", "B": "[2]_", "C": "[3]_", "D": "[4]_", "E": "[5]_"}
_TYPES = {
    "count": "int",
    "count-or-auto": "int or None",
    "number": "float",
    "number-or-auto": "float or None",
    "flag": "bool",
    "rule": "float or str",
    "rule-or-auto": "float, str or None",
    "numbers-or-auto": "array-like or None",
    "moments": "array-like, 'online' or None",
    "values": "array-like, 'uniform' or 'mi'",
    "features": "str",
}


@dataclass(frozen=True)
class Declaration:
    """One parameter of an estimator."""

    name: str
    default: Any
    kind: str
    words: tuple[str, ...]
    allowed: str
    doc: str

    @property
    def type_words(self):
        """The type as documentation says it."""
        if self.kind == "choice":
            return "{" + ", ".join(repr(word) for word in self.words) + "}"
        return _TYPES.get(self.kind, self.kind)

    def section(self):
        """Write the entry of the section Parameters."""
        text = textwrap.fill(self.doc, 100, initial_indent="    ", subsequent_indent="    ")
        return f"{self.name} : {self.type_words}, default={self.default!r}\n{text}"


@cache
def learners():
    """Return what the library declares of every learner, by name."""
    return {learner["name"]: learner for learner in json.loads(_core.learners())}


@cache
def declared(learner):
    """Return the parameters of a learner, under Python's names and with Python's values."""
    return tuple(_declaration(given) for given in learners()[learner]["parameters"])


def _declaration(given):
    default, kind = given["default"], given["kind"]
    if kind != "choice" and default == "auto":
        default = None
    # The word 'auto' of a choice stays a word; flags of the program are parameters here.
    doc = given["doc"] if kind == "choice" else given["doc"].replace("auto:", "None:")
    doc = re.sub(r"--([a-z_]+)( FILE)?", r"``\1``", doc)
    if given["kind"] not in ("choice", "flag"):
        doc += f" Range: {given['allowed'].replace('auto', 'None')}."
    if given["name"] == "seed":
        kind, default = "int, RandomState instance or None", None
        doc = (
            "Seed of all that is drawn: an int is that seed, otherwise one is drawn and kept in ``report_``."
        )
    name = RENAMED.get(given["name"], given["name"])
    return Declaration(name, default, kind, tuple(given["words"]), given["allowed"], doc)


def signature(declarations):
    """Return the signature of ``__init__``: keywords only, as scikit-learn wants them."""
    own = Parameter("self", Parameter.POSITIONAL_OR_KEYWORD)
    keywords = [Parameter(d.name, Parameter.KEYWORD_ONLY, default=d.default) for d in declarations]
    return Signature([own, *keywords])


def initializer(declarations):
    """Return an ``__init__`` that keeps its arguments as they are."""
    bound_to = signature(declarations)

    def __init__(self, *arguments, **keywords):
        try:
            bound = bound_to.bind(self, *arguments, **keywords)
        except TypeError as error:
            raise TypeError(f"{type(self).__name__}(): {error}; all parameters are keywords") from None
        bound.apply_defaults()
        for name, value in list(bound.arguments.items())[1:]:
            setattr(self, name, value)

    __init__.__signature__ = bound_to
    return __init__


def text_of(name, value):
    """Return a parameter's value as the text that the library reads.

    Raises
    ------
    TypeError
        If it is neither a number, a text, a truth value, None nor a sequence of numbers.
    """
    if value is None:
        return "auto"
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return repr(float(value))
    try:
        cells = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        cells = None
    if cells is None or cells.ndim != 1:
        raise TypeError(f"{name} must be a number, a text, None or a list of numbers; got {value!r}")
    return ",".join(repr(float(cell)) for cell in cells)
