"""Prepare the estimator of a learner that asks and is told: its attributes, classes, scale and seed."""

import numbers
from typing import Any

import numpy as np

from halfseen import _core


def started(estimator: Any, attributes: Any, classes: Any, scale: Any) -> tuple[Any, _core.Learner]:
    """Return the estimator of a new learner, and the library's learner; see ``start`` of the estimators."""
    if isinstance(attributes, numbers.Integral) and not isinstance(attributes, bool):
        names, named = [f"x{j}" for j in range(attributes)], False
    elif isinstance(attributes, str):
        raise TypeError("attributes must be a list of names, or their number; got one text")
    else:
        names, named = list(attributes), True
        if not all(isinstance(name, str) for name in names):
            raise TypeError("attributes must be a list of names, which are strings, or their number")
    if not names:
        raise ValueError("there is no attribute to ask for: name at least one")
    own = like(estimator)
    settle(own, names, named)
    declared = own._declarations()
    for name in ("known", "groups", "prices", "bounds"):
        # Names do not depend on the order of a table.
        setattr(own, name, (dict(declared[name]) if name == "groups" else declared[name]) or None)
    own.random_state = own._seed()
    for name, value in own.get_params(deep=False).items():
        setattr(own, name, _plain(value))
    labels = None
    if classes is None and hasattr(own, "_take_classes"):
        raise ValueError("start needs classes, all labels")
    if classes is not None:
        own._take_classes(classes)
        labels = own.classes_.tolist()
    from halfseen._parameters import refusing  # and scikit-learn with it

    with refusing(own):
        return own, own._started(np.empty(0), labels, _scale(scale, labels))


def like(estimator: Any) -> Any:
    """Return an estimator of the same class, parameters, attributes and classes."""
    own = type(estimator)(**estimator.get_params(deep=False))
    for name in ("n_features_in_", "feature_names_in_", "classes_"):
        if hasattr(estimator, name):
            setattr(own, name, getattr(estimator, name))
    return own


def settle(estimator: Any, names: list[str], named: bool) -> None:
    """Set the attributes of an estimator."""
    for name in ("n_features_in_", "feature_names_in_", "classes_"):
        estimator.__dict__.pop(name, None)
    estimator.n_features_in_ = len(names)
    if named:
        estimator.feature_names_in_ = np.array(names, dtype=object)


def _scale(scale, labels):
    """Return mean and standard deviation of a target, (0, 1) if unknown."""
    if scale is None:
        return None if labels else (0.0, 1.0)
    try:
        mean, deviation = (float(value) for value in scale)
    except (TypeError, ValueError):
        raise ValueError(f"target = {scale!r} is not allowed: give mean and standard deviation") from None
    if not (np.isfinite(mean) and np.isfinite(deviation) and deviation > 0):
        raise ValueError(f"target = {scale!r} is not allowed: both must be finite, and the second above 0")
    return mean, deviation


def _plain(value):
    """Return a parameter as a value for JSON."""
    if callable(value):
        return False
    if isinstance(value, np.generic):
        return value.item()
    return np.asarray(value).tolist() if isinstance(value, np.ndarray | tuple) else value
