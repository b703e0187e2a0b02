"""Read the library's declarations of parameters, and format values for the library."""

import json
import numbers
from typing import Any, NamedTuple

import numpy as np

from halfseen import _core

#: The library's name of a parameter -> scikit-learn's.
RENAMED = {"seed": "random_state"}


class Declared(NamedTuple):
    """A parameter of a learner: its names here and in the library, and its allowed values."""

    name: str
    written: str
    allowed: str


_LEARNERS = {learner["name"]: learner for learner in json.loads(_core.learners())}
_DECLARED = {
    name: tuple(
        Declared(RENAMED.get(given["name"], given["name"]), given["name"], given["allowed"])
        for given in learner["parameters"]
    )
    for name, learner in _LEARNERS.items()
}


def learners() -> dict[str, Any]:
    """Return the library's declarations of every learner, by name."""
    return _LEARNERS


def declared(learner: str) -> tuple[Declared, ...]:
    """Return the parameters of a learner."""
    return _DECLARED[learner]


def text_of(name: str, value: Any) -> str:
    """Return a parameter's value as text for the library.

    Raises
    ------
    TypeError
        If it is neither a number, a string, a bool, None nor a sequence of numbers.
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
