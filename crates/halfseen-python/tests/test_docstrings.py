"""Hold the docstrings of all public names to numpydoc's rules, and their first lines to plain words."""

import dataclasses
import functools
import importlib
import inspect
import re

import halfseen
import pytest
from halfseen import Learner, Query, RefusedRows
from numpydoc.validate import validate

#: Rules that are not held: sections that not every name needs, and RT02, since scikit-learn names what is
#: returned.
LEFT_OUT = {"SA01", "EX01", "ES01", "RT02"}
MODULES = [
    "halfseen",
    *(f"halfseen.{name}" for name in halfseen._MODULES),
    "halfseen.comparing",
    "halfseen.choosing",
]


#: What classes have besides functions.
MEMBERS = classmethod | staticmethod | property | functools.cached_property


def public():
    """Return the public functions and classes, and what classes and their bases have, by dotted names."""
    found = {}
    for module in MODULES:
        of = importlib.import_module(module)
        for name in getattr(of, "__all__", ()):
            thing = getattr(of, name)
            if not (inspect.isclass(thing) or inspect.isfunction(thing)) or not is_ours(thing):
                continue
            found[dotted(thing)] = thing
            for base in filter(is_ours, inspect.getmro(thing)) if inspect.isclass(thing) else ():
                for member, own in vars(base).items():
                    if not member.startswith("_") and (callable(own) or isinstance(own, MEMBERS)):
                        found[f"{dotted(base)}.{member}"] = getattr(base, member)
    return found


def is_ours(thing):
    """Return whether the package defines it."""
    return thing.__module__.startswith("halfseen")


def dotted(thing):
    """Return where it is defined."""
    return f"{thing.__module__}.{thing.__qualname__}"


PUBLIC = public()


def is_made_here(name):
    """Return whether only the package makes such objects: what its constructor takes is not documented."""
    of = PUBLIC[name]
    return dataclasses.is_dataclass(of) or hasattr(of, "_fields") or of in (Learner, Query, RefusedRows)


def test_there_are_many():
    assert len(PUBLIC) > 150
    assert "halfseen.missing._karma.KARMAClassifier.partial_fit" in PUBLIC
    assert isinstance(PUBLIC["halfseen.asktell.Learner.report"], property)


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_a_docstring_follows_the_rules_and_opens_in_plain_words(name):
    left_out = LEFT_OUT | ({"PR01"} if is_made_here(name) else set())
    wrong = [(code, text) for code, text in validate(name)["errors"] if code not in left_out]
    assert not wrong, wrong
    first = inspect.getdoc(PUBLIC[name]).splitlines()[0]
    assert re.match(r"(?!What|Whether|How|Which|Where|Why|This)[A-Z][\w'-]*", first), first
    assert first.endswith("."), first
