"""Hold the docstrings of all public names to numpydoc's rules, and their first lines to plain words."""

import dataclasses
import importlib
import inspect
import re

import halfseen
import pytest
from halfseen import Learner, Query, RefusedRows
from numpydoc.validate import validate

#: Rules that are not held: sections that not every name needs, and RT02, since scikit-learn names what is
#: returned.
LEFT_OUT = {"SA01", "SA04", "EX01", "ES01", "GL01", "GL02", "GL03", "RT02", "YD01"}
MODULES = [
    "halfseen",
    *(f"halfseen.{name}" for name in halfseen._MODULES),
    "halfseen.comparing",
    "halfseen.choosing",
]


def public():
    """Return the public functions, classes and their own methods by their dotted names."""
    found = {}
    for module in MODULES:
        of = importlib.import_module(module)
        for name in getattr(of, "__all__", ()):
            thing = getattr(of, name)
            if not (inspect.isclass(thing) or inspect.isfunction(thing)):
                continue
            home = f"{thing.__module__}.{thing.__qualname__}"
            if not thing.__module__.startswith("halfseen"):
                continue
            found[home] = thing
            for method, own in vars(thing).items() if inspect.isclass(thing) else ():
                if not method.startswith("_") and (
                    callable(own) or isinstance(own, classmethod | staticmethod)
                ):
                    found[f"{home}.{method}"] = getattr(thing, method)
    return found


PUBLIC = public()


def is_made_here(name):
    """Return whether only the package makes such objects: what its constructor takes is not documented."""
    of = PUBLIC[name]
    return dataclasses.is_dataclass(of) or hasattr(of, "_fields") or of in (Learner, Query, RefusedRows)


def test_there_are_many():
    assert len(PUBLIC) > 100
    assert "halfseen.missing._karma.KARMAClassifier.partial_fit" in PUBLIC


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_a_docstring_follows_the_rules_and_opens_in_plain_words(name):
    left_out = LEFT_OUT | ({"PR01"} if is_made_here(name) else set())
    wrong = [(code, text) for code, text in validate(name)["errors"] if code not in left_out]
    assert not wrong, wrong
    first = inspect.getdoc(PUBLIC[name]).splitlines()[0]
    assert re.match(r"(?!What|Whether|How|Which|Where|Why|This)[A-Z][\w'-]*", first), first
    assert first.endswith("."), first
