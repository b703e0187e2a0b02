"""Read the declarations on attributes: scale, basis, known ones, panels, prices and bounds."""

import numbers
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from halfseen import _core
from halfseen._parameters import refusal

_LIST = "a list of names or indices of attributes"


def named(of: Any, names: Sequence[str]) -> Any:
    """Return the name of an attribute that is given by its name or index; None if it is neither.

    Raises
    ------
    ValueError
        If there is no such index.
    """
    if isinstance(of, numbers.Integral) and not isinstance(of, bool):
        at = int(of)
        if not 0 <= at < len(names):
            raise ValueError(f"there is no attribute {of}: X has {len(names)} features, counted from 0")
        return names[at]
    return of if isinstance(of, str) else None


def read(estimator: Any, names: Sequence[str]) -> Any:
    """Return an estimator's declarations on attributes of these names, for the library.

    Raises
    ------
    InvalidParameterError
        If a parameter does not have its documented type.
    ValueError
        If an attribute is named by an index that X does not have.
    """

    def refused(parameter, allowed):
        return refusal(estimator, parameter, f"{allowed}, or None", getattr(estimator, parameter))

    def each(parameter, allowed, of):
        if isinstance(of, str) or not isinstance(of, Iterable):
            raise refused(parameter, allowed)
        found = [named(one, names) for one in of]
        if None in found:
            raise refused(parameter, allowed)
        return found

    def mapping(parameter, allowed, held):
        value = getattr(estimator, parameter, None)
        if value is None:
            return {}
        if not isinstance(value, Mapping):
            raise refused(parameter, allowed)
        found = [(named(of, names), held(one)) for of, one in value.items()]
        if any(None in pair for pair in found):
            raise refused(parameter, allowed)
        return dict(found)

    chosen = {name: getattr(estimator, name, None) for name in ("scale", "basis")}
    for name, value in chosen.items():
        if value is None:
            continue
        wrong = _core.refused(estimator._learner, [(name, value if isinstance(value, str) else "")])
        if wrong is not None:
            raise refusal(estimator, name, wrong[1], value)
    known = getattr(estimator, "known", None)
    known = each("known", _LIST, known) if known is not None else []
    panels = "a dict of names of panels to lists of names or indices of attributes"
    groups = getattr(estimator, "groups", None)
    if groups is not None and not isinstance(groups, Mapping):
        raise refused("groups", panels)
    groups = {str(group): each("groups", panels, columns) for group, columns in (groups or {}).items()}
    # A known panel means its columns.
    opened = [
        column for of in known for column in (groups.pop(of) if of in groups and of not in names else [of])
    ]
    return {
        **chosen,
        "known": opened,
        "groups": list(groups.items()),
        "prices": mapping("prices", "a dict of names or indices of attributes to numbers", _number),
        "bounds": mapping("bounds", "a dict of names or indices of attributes to pairs (low, high)", _pair),
        "moments": {},
    }


def _number(value):
    """Return a number; None if the value is not a number."""
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def _pair(value):
    """Return a pair of numbers; None if the value is not such a pair."""
    try:
        low, high = value
    except (TypeError, ValueError):
        return None
    pair = _number(low), _number(high)
    return None if None in pair else pair
