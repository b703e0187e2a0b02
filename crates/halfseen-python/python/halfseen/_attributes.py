"""Read the declarations on attributes: scale, known ones, panels, prices and bounds."""

import numbers
from collections.abc import Iterable, Mapping, Sequence
from typing import Any


def read(estimator: Any, names: Sequence[str]) -> Any:
    """Return an estimator's declarations on attributes of these names, for the library.

    Raises
    ------
    TypeError
        If a parameter does not have its documented type.
    ValueError
        If an attribute is named by an index that X does not have.
    """

    def name(of):
        if isinstance(of, numbers.Integral) and not isinstance(of, bool):
            if not 0 <= of < len(names):
                raise ValueError(f"there is no attribute {of}: X has {len(names)} features, counted from 0")
            return names[of]
        if not isinstance(of, str):
            raise TypeError(f"attributes are named by a string or an index; got {of!r}")
        return of

    def each(parameter, of):
        if isinstance(of, str) or not isinstance(of, Iterable):
            raise TypeError(f"{parameter} must be a list of names or indices of attributes; got {of!r}")
        return [name(one) for one in of]

    def mapping(parameter, holds):
        value = getattr(estimator, parameter, None)
        if value is not None and not isinstance(value, Mapping):
            raise TypeError(f"{parameter} must be a dict of {holds}, or None; got {value!r}")
        return value or {}

    if estimator.scale is not None and not isinstance(estimator.scale, str):
        raise ValueError(f"scale = {estimator.scale!r} is not allowed: it must be a text or None")
    known = getattr(estimator, "known", None)
    known = each("known", known) if known is not None else []
    groups = mapping("groups", "names of panels to lists of attributes")
    groups = {str(group): each("groups", columns) for group, columns in groups.items()}
    bounds = mapping("bounds", "attributes to (low, high)")
    # A known panel means its columns.
    opened = [
        column for of in known for column in (groups.pop(of) if of in groups and of not in names else [of])
    ]
    return {
        "scale": estimator.scale,
        "known": opened,
        "groups": list(groups.items()),
        "prices": {
            name(of): _number("prices", price)
            for of, price in mapping("prices", "attributes to numbers").items()
        },
        "bounds": {name(of): _pair(range_) for of, range_ in bounds.items()},
        "moments": {},
    }


def _number(parameter, value):
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{parameter} must hold numbers; got {value!r}") from None


def _pair(value):
    try:
        low, high = value
    except (TypeError, ValueError):
        raise TypeError(f"bounds must hold pairs (low, high); got {value!r}") from None
    return _number("bounds", low), _number("bounds", high)
