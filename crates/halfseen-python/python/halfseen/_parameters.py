"""Read the library's declarations of parameters, and convert the values of estimators for it."""

import contextlib
import json
import numbers
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import InvalidParameterError

from halfseen import _core
from halfseen import _types as t
from halfseen._refused import OutOfRange

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
        Declared(RENAMED.get(given["name"], given["name"]), given["name"], given["accepted"])
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


def refusal(owner: Any, name: str, allowed: str, value: Any) -> InvalidParameterError:
    """Return scikit-learn's error for a parameter of an estimator, or of a function by its name."""
    of, shown = owner if isinstance(owner, str) else type(owner).__name__, repr(value)
    if len(shown) > 100:
        shown = f"{shown[:100]}..."
    return InvalidParameterError(f"The {name!r} parameter of {of} must be {allowed}. Got {shown} instead.")


@contextlib.contextmanager
def refusing(estimator: Any) -> Iterator[None]:
    """Raise scikit-learn's error where the library refuses a parameter of an estimator for its data."""
    try:
        yield
    except OutOfRange as error:
        name = RENAMED.get(error.name, error.name)
        if not hasattr(estimator, name):
            raise
        raise refusal(estimator, name, error.allowed, getattr(estimator, name)) from None


def texts_of(owner: Any, learner: str, values: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the values of a learner's parameters as texts, under the library's names.

    Raises
    ------
    InvalidParameterError
        If a value is not allowed.
    """
    texts = []
    for of in declared(learner):
        text = text_of(values[of.name])
        if text is None:
            raise refusal(owner, of.name, of.allowed, values[of.name])
        texts.append((of.written, text))
    refused = _core.refused(learner, texts)
    if refused is not None:
        written, allowed = refused
        name = RENAMED.get(written, written)
        raise refusal(owner, name, allowed, values[name])
    return texts


def tuning_of(estimator: Any, learner: str, sample_weight: Any) -> tuple[int, list[str]] | None:
    """Return the number of folds, and the parameters that keep their values; None without tuning.

    Raises
    ------
    ValueError
        If it is not a number of folds, or rows have weights.
    """
    folds = getattr(estimator, "tune", None)
    if folds is None:
        return None
    if (
        not isinstance(folds, numbers.Integral)
        or isinstance(folds, bool)
        or not 2 <= int(folds) <= sys.maxsize
    ):
        raise refusal(
            estimator, "tune", "None or an integer of at least 2, at most the number of rows", folds
        )
    if sample_weight is not None:
        raise ValueError(
            f"{type(estimator).__name__} cannot tune with weights of rows or classes, which its"
            " cross-validation would ignore: leave one of the two out, or tune with"
            " sklearn.model_selection.GridSearchCV"
        )
    given, defaults = estimator.get_params(deep=False), type(estimator)().get_params(deep=False)
    return int(folds), [name for name in _LEARNERS[learner]["grid"] if given[name] != defaults[name]]


def text_of(value: Any) -> str | None:
    """Return a parameter's value as text for the library.

    It is None unless the value is a number, a string, a bool, None or a sequence of numbers.
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
        return None
    return ",".join(repr(float(cell)) for cell in cells) if cells.ndim == 1 else None


def seed_of(state: t.Seed, owner: Any) -> int:
    """Return the ``random_state`` of an estimator, or of a function by its name, as a seed."""
    if isinstance(state, numbers.Integral):
        if 0 <= int(state) < 2**63:
            return int(state)
    else:
        with contextlib.suppress(ValueError):
            return int(check_random_state(state).randint(np.iinfo(np.int64).max, dtype=np.int64))
    allowed = next(of.allowed for of in declared("aerr") if of.name == "random_state")
    raise refusal(owner, "random_state", f"{allowed}, a RandomState instance or None", state)


def threads_of(estimator: Any) -> int:
    """Return the number of threads for an estimator's ``n_jobs``, at most one per processor."""
    n_jobs = getattr(estimator, "n_jobs", None)
    if n_jobs is None:
        return 1
    if not isinstance(n_jobs, numbers.Integral) or n_jobs == 0:
        raise refusal(estimator, "n_jobs", "None or an integer other than 0", n_jobs)
    processors = os.cpu_count() or 1
    return min(int(n_jobs), processors) if int(n_jobs) > 0 else max(processors + 1 + int(n_jobs), 1)


@contextlib.contextmanager
def progress_of(estimator: Any) -> Iterator[Callable[[int, int], object] | None]:
    """Provide the function that shows an estimator's progress, or None, and end its line."""
    verbose: t.Verbose = estimator.verbose
    if not (callable(verbose) or isinstance(verbose, numbers.Integral | np.bool_)):
        raise refusal(
            estimator,
            "verbose",
            "True, False, or a function of the work that is done and of all of it",
            verbose,
        )
    if callable(verbose):
        yield verbose
        return
    if not verbose:
        yield None
        return
    began = False

    def shown(done, total):
        nonlocal began
        began = True
        sys.stderr.write(f"\rfitting: {100 * done // total} %")
        sys.stderr.flush()

    try:
        yield shown
    finally:
        if began:
            sys.stderr.write("\n")
