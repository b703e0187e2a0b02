"""Suggest a learner for a table, and say why.

The rules are the library's, made from measurements; ``docs/choose.md`` lists them.
"""

import html
import importlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy.sparse
from numpy.typing import ArrayLike
from sklearn.base import is_classifier
from sklearn.utils import column_or_1d

import halfseen
from halfseen import _core
from halfseen import _types as t
from halfseen._parameters import learners, refusal

__all__ = ["Suggestion", "suggest"]

#: Largest number of distinct whole numbers that are taken for codes of classes.
CODES = 20


@dataclass(frozen=True)
class Suggestion:
    """A learner that suits a table, and why.

    Attributes
    ----------
    learner : str
        Name of the learner, as the program knows it.
    settings : dict
        Values of parameters that differ from their defaults.
    estimator : estimator
        An estimator that is not fitted yet: one of halfseen, or of scikit-learn where nothing is unseen.
    when : str
        The situation.
    why : str
        The reason.
    instead : str
        Name of an alternative.
    instead_if : str
        The reason to prefer it.
    """

    learner: str
    settings: Mapping[str, Any]
    estimator: Any
    when: str
    why: str
    instead: str
    instead_if: str
    _text: str

    def __str__(self) -> str:
        """Return one sentence on the learner, and one on the alternative."""
        return self._text

    def _repr_html_(self) -> str:
        """Show the sentences, and the estimator, in a notebook."""
        shown = getattr(self.estimator, "_repr_html_", None)
        return f"<p>{html.escape(str(self))}</p>{shown() if shown else ''}"


def suggest(
    X: t.Matrix,
    y: ArrayLike,
    *,
    budget: int | None = None,
    threat: float | None = None,
    task: Literal["auto", "regression", "classification"] = "auto",
) -> Suggestion:
    """Suggest a learner for a table.

    With a budget the cells of X are not looked at, only its shape.

    Parameters
    ----------
    X : {array-like, sparse matrix} or frame of shape (n_samples, n_features)
        The examples. NaN and None are missing values.
    y : array-like of shape (n_samples,)
        The targets.
    budget : int, optional
        Number of attributes that may be read of each example while they are collected.
    threat : float, optional
        Number of attributes of a row that may be deleted at prediction time.
    task : {'auto', 'regression', 'classification'}, default='auto'
        Kind of the targets. auto: classes if they are texts, booleans, two values, or at most 20 values of
        an integer type; else numbers.

    Returns
    -------
    suggestion : Suggestion
        The learner, the reasons, and an alternative.

    Raises
    ------
    ValueError
        If X has no two dimensions, or its rows are not as many as the targets.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from halfseen import suggest
    >>> X, y = load_diabetes(return_X_y=True)
    >>> suggest(X, y, budget=3).estimator
    FIMLRegressor(budget=3)
    """
    from halfseen import _tables

    X, targets = _tables.on_host(_tables.eager(X)), column_or_1d(_tables.column(y))
    classes = classes_of(targets, task, "suggest")
    given = {name: value for name, value in (("budget", budget), ("threat", threat)) if value is not None}
    limited = budget is not None
    return suggested(X, len(targets), classes, limited, threat is not None, given=given)


def suggested(X, targets, classes, limited, threat, holes=None, given=None):
    """Return the suggestion for this number of targets and classes (0: numbers).

    ``holes`` says if cells are missing; None: the cells tell. ``given`` are parameters of the estimator.
    """
    shape = shape_of(X)
    if len(shape) != 2 or shape[0] != targets:
        raise ValueError(
            f"X must have two dimensions and a row for each of {targets} targets, and has shape {shape}"
        )
    if holes is None:
        holes = not limited and _has_holes(X)
    columns = shape[1] if limited else _columns(X, shape[1])
    found = json.loads(_core.suggest(*shape, columns, classes, holes, limited, threat))
    return of_json(found, classes > 0, given or {})


def of_json(found: Mapping[str, Any], classes: bool, given: Mapping[str, Any]) -> Suggestion:
    """Return the library's suggestion with an estimator, whose parameters ``given`` names besides."""
    curves = found["basis"] != "none"
    of_table = {"scale": found["scale"], "basis": found["basis"] if curves else None}
    settings = {**dict(found["set"]), **given}
    if has_estimator(found["learner"]):
        settings = {**{name: value for name, value in of_table.items() if value is not None}, **settings}
    estimator = of_learner(found["learner"], classes, settings, tune=found["tune"], curves=curves)
    if found["tune"] and "tune" in estimator.get_params(deep=False):
        settings["tune"] = 5
    return Suggestion(
        found["learner"],
        settings,
        estimator,
        found["when"],
        found["why"],
        found["instead"],
        found["instead_if"],
        found["text"],
    )


def in_other_words(found: Suggestion, classes: bool) -> Suggestion:
    """Return KARMA in the place of a learner of missing cells that has no estimator here."""
    settings = {"features": "sketch:2048", "loss": "squared", "tune": 5}
    why = f"scikit-learn has {found.learner}, and of the estimators here this one is fast enough"
    estimator = of_learner("karma", classes, settings)
    text = f"karma: {found.when}; {why}; instead {found.learner}, which is more accurate: halfseen.suggest"
    instead_if = "accuracy matters: halfseen.suggest returns it as a pipeline"
    return Suggestion("karma", settings, estimator, found.when, why, found.learner, instead_if, text)


def of_learner(
    name: str, classes: bool, settings: Mapping[str, Any], *, tune: bool = True, curves: bool = False
) -> Any:
    """Return an estimator of a learner: of this package, or of scikit-learn where it reads everything.

    Settings that it does not have are left out.
    """
    try:
        of, fixed = estimator_class(name, classes)
    except LookupError:
        return _complete(name, curves, classes)
    known = of._get_param_names()
    own = {key: value for key, value in settings.items() if key in known}
    return of(**{**fixed, **({"tune": 5} if tune and "tune" in known else {}), **own})


def classes_of(targets: t.Array, task: str, owner: str) -> int:
    """Return the number of classes of targets; 0 if they are numbers.

    Raises
    ------
    InvalidParameterError
        If there is no such task.
    """
    if task not in ("auto", "regression", "classification"):
        raise refusal(owner, "task", "'auto', 'regression' or 'classification'", task)
    distinct = len(np.unique(targets))
    numbers = targets.dtype.kind == "f" or (targets.dtype.kind in "iu" and distinct > CODES)
    return 0 if task == "regression" or (task == "auto" and numbers and distinct != 2) else distinct


def shape_of(X):
    """Return the shape of examples of any kind."""
    return tuple(X.shape if hasattr(X, "shape") else np.asarray(X).shape)


def _columns(X, attributes):
    """Return the number of columns that learners see: an attribute of text has one for each category."""
    from halfseen import _tables

    if not _tables.is_frame(X):
        return attributes
    texts = set(_tables.columns_without_numbers(X)[0])
    return sum(
        series.n_unique() if str(series.name) in texts else 1 for series in _tables.narwhal(X).iter_columns()
    )


def _has_holes(X):
    """Return whether a matrix or frame has a missing value."""
    if scipy.sparse.issparse(X):
        return bool(np.isnan(X.data).any())
    if hasattr(X, "columns"):
        from halfseen import _tables

        frame = _tables.narwhal(X)
        return any(
            series.null_count() or (series.dtype.is_float() and bool(series.is_nan().any()))
            for series in frame.iter_columns()
        )
    X = np.asarray(X)
    return bool((X != X).any()) or (X.dtype == object and bool(np.equal(X, None).any()))


def _complete(name, curves, classes):
    """Return a pipeline of scikit-learn for a learner that needs every cell; means fill missing ones."""
    from sklearn import linear_model
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import SplineTransformer, StandardScaler

    spline = SplineTransformer(n_knots=6, degree=1, knots="quantile", extrapolation="linear")
    alphas = np.logspace(-3, 3, 13)
    if name != "lasso":
        model = linear_model.RidgeClassifierCV(alphas) if classes else linear_model.RidgeCV(alphas)
    elif classes:
        lasso = linear_model.LogisticRegressionCV(solver="liblinear")
        # The penalty's name changed in scikit-learn 1.8.
        new = {"l1_ratios": (1.0,), "use_legacy_attributes": False, "scoring": "accuracy"}
        known = lasso.get_params()
        model = lasso.set_params(**(new if "use_legacy_attributes" in known else {"penalty": "l1"}))
    else:
        model = linear_model.LassoCV()
    before = [SimpleImputer()] if name in ("zero", "mean") else []
    return make_pipeline(*before, *([spline] if curves else []), StandardScaler(), model)


def estimator_class(name: str, classes: bool) -> tuple[Any, dict[str, Any]]:
    """Return the class of a learner's estimator, and the parameters that an alias fixes.

    Parameters
    ----------
    name : str
        Name or alias of the learner.
    classes : bool
        True for classes, False for numbers.

    Raises
    ------
    LookupError
        If no estimator has this name.
    """
    for learner in learners().values():
        fixed = {of["parameter"]: of["value"] for of in learner["aliases"] if of["name"] == name}
        if learner["name"] != name and not fixed:
            continue
        for own in halfseen._HOMES.get(learner["family"], ()):
            of = getattr(importlib.import_module(f"halfseen.{learner['family']}"), own)
            if of._learner == learner["name"] and is_classifier(of()) == classes:
                return of, fixed
    raise LookupError(name)


def has_estimator(name: str) -> bool:
    """Return whether a learner has an estimator of this package, for numbers or for classes."""
    for classes in (False, True):
        try:
            estimator_class(name, classes)
        except LookupError:
            continue
        return True
    return False
