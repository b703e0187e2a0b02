"""Test fitted estimators against an adversary: certify predictions, attack rows, score them."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import is_classifier
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils.validation import check_is_fitted, column_or_1d

from halfseen import _core
from halfseen import _types as t
from halfseen._estimator import Estimator
from halfseen._parameters import seed_of, threads_of
from halfseen.model import Model, chosen


@dataclass(frozen=True)
class Certificates:
    """Certificates of predictions under deletions: the result of :func:`halfseen.robust.certify`.

    Attributes
    ----------
    prediction : ndarray of shape (n_samples,)
        Predictions for the rows as they are.
    certified : ndarray of shape (n_samples,)
        Largest budget with which no adversary can change the prediction; missing cells count as spent. The
        cost of all attributes if no deletion changes it; NaN if deletions of cost 0 do.
    flips_at : ndarray of shape (n_samples,)
        Smallest budget known to suffice to change the prediction; NaN if no such budget is known.
    flips : tuple of ndarray
        Indices of the features whose deletion changes the prediction at that budget, increasing; may be
        empty.
    exact : ndarray of shape (n_samples,)
        True if ``certified`` is the largest such budget, False if it is a lower bound.
    missing : ndarray of shape (n_samples,)
        Number of missing attributes of the row.
    attributes : tuple of str
        Names of the attributes that can be deleted, in the order of ``costs``.
    costs : ndarray of shape (n_attributes,)
        Cost of each to the adversary.
    prepared_for : float or None
        Budget of the deletions that the model was prepared for, at these costs; None without any.
    """

    prediction: t.Array
    certified: t.Array
    flips_at: t.Array
    flips: tuple[t.Array, ...]
    exact: t.Array
    missing: t.Array
    attributes: tuple[str, ...]
    costs: t.Array
    prepared_for: float | None = None

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.prediction)

    def __str__(self) -> str:
        """Say how many predictions survive the deletions that the model was prepared for, or else one."""
        prepared = self.prepared_for
        budget = min((cost for cost in self.costs if cost > 0), default=0.0) if prepared is None else prepared
        survive = round((1 - self.error(budget)) * len(self))
        what, those = f"attributes that cost {budget:.4g} together", "any at that cost"
        if len(self.costs) > 0 and self.costs[0] > 0 and bool(np.all(self.costs == self.costs[0])):
            those = f"any {round(budget / self.costs[0])}"
            what = f"{those} of {len(self.costs)} attributes"
        text = f"{survive:,} of {len(self):,} prediction{'s' * (len(self) != 1)} survive"
        if prepared is None:
            return f"{text} the deletion of {what}"
        return f"the model was prepared for the deletion of {what}: {text} {those}"

    def error(self, threat: float, y: ArrayLike | None = None) -> float:
        """Bound the error under all attacks of a budget.

        Parameters
        ----------
        threat : float
            The adversary's budget.
        y : array-like of shape (n_samples,), optional
            True labels. Without them every prediction counts as right; numeric ones are never wrong, but may
            move too far.

        Returns
        -------
        error : float
            Share of rows that are wrong, or that a threat of this budget may change.
        """
        right = np.ones(len(self), dtype=bool) if y is None else self.prediction == column_or_1d(y)
        return _core.certified_error(self.certified, right.tolist(), float(threat))


@dataclass(frozen=True)
class Attacked:
    """Predictions for attacked rows: the result of :func:`halfseen.robust.attack`.

    Attributes
    ----------
    prediction : ndarray of shape (n_samples,)
        Predictions after the attack.
    scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
        Their scores: above 0 for the second of two classes, one for each of more classes, or the predicted
        number.
    score : float
        Accuracy, or for a regression the coefficient of determination.
    threat : float
        The adversary's budget.
    unproven : int
        Rows whose deletions were not proved to be the worst; 0 except for ``kind='exact'``.
    """

    prediction: t.Array
    scores: t.Array
    score: float
    threat: float
    unproven: int


def attributes(estimator: Any) -> tuple[str, ...]:
    """Return the attributes that can be deleted, in the order of ``costs``.

    Parameters
    ----------
    estimator : object
        A fitted estimator of this package, or a model of :func:`halfseen.load`.

    Returns
    -------
    names : tuple of str
        Features except those declared ``known``; each of the ``groups`` is one attribute.
    """
    estimator = _checked(estimator)
    return tuple(name for name, _ in _core.attributes(estimator.model_))


def certify(
    estimator: Any,
    X: t.Matrix,
    costs: t.Costs | None = None,
    within: float | None = None,
    y: ArrayLike | None = None,
) -> Certificates:
    """Certify predictions: the largest threat that cannot change each, and the first deletions that can.

    Certificates are exact if costs are equal or integers; otherwise a search may give up, see ``exact``.

    Parameters
    ----------
    estimator : object
        A fitted linear estimator of this package: all of :mod:`halfseen.budget` except FIML,
        and :mod:`halfseen.robust`; or a model of :func:`halfseen.load` whose learner has such an
        estimator.
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        The rows. A missing value (NaN) counts as already deleted.
    costs : {'uniform', 'mi'} or array-like of shape (n_features,), optional
        The adversary's cost of deleting an attribute: 1 each; in proportion to its mutual information with
        the target; or one number per feature (with ``groups``, per entry of :func:`attributes`). By default
        the costs of the fit, else 'uniform'.
    within : float, optional
        Required for regressors: the largest change allowed, in units of the target.
    y : array-like of shape (n_samples,), optional
        Labels, used only by ``costs='mi'`` if the estimator was fitted without it.

    Returns
    -------
    certificates : Certificates
        One certificate for each row.

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen import RobustLPClassifier
    >>> from halfseen.robust import certify
    >>> X = np.array([[1.0, 1.0, 1.0], [-1.0, -1.0, -1.0], [1.0, 1.0, 0.0], [-1.0, 0.0, -1.0]])
    >>> model = RobustLPClassifier(threat=1).fit(X, ["up", "down", "up", "down"])
    >>> certify(model, X).certified.tolist()
    [2.0, 2.0, 1.0, 1.0]
    >>> print(certify(model, X))
    the model was prepared for the deletion of any 1 of 3 attributes: 4 of 4 predictions survive any 1
    """
    estimator = _checked(estimator)
    rows, table = _table(estimator, X)
    given = _costs(estimator, costs, table, None if y is None else _codes(estimator, y, rows))
    within = None if within is None else float(within)
    count = threads_of(estimator)
    found = _core.certify(estimator.model_, table, given, within, count)
    certified, flips_at, flips, exact, missing = found
    prepared = estimator.model_.prepared_for()
    same = prepared is not None and np.array_equal(prepared[1], given)
    return Certificates(
        prediction=estimator.predict(X),
        certified=certified,
        flips_at=flips_at,
        flips=tuple(flips),
        exact=exact,
        missing=missing,
        attributes=attributes(estimator),
        costs=np.array(given),
        prepared_for=prepared[0] if same else None,
    )


def attack(
    estimator: Any,
    X: t.Matrix,
    y: ArrayLike,
    threat: float | None = None,
    costs: t.Costs | None = None,
    kind: Literal[
        "exact", "greedy", "random", "noise", "greedy-value", "greedy-weight", "noise-weight"
    ] = "exact",
    random_state: t.Seed = 0,
) -> Attacked:
    """Attack rows before prediction: attributes are deleted, or become noise, within a budget.

    Parameters
    ----------
    estimator : object
        A fitted linear estimator of this package; see :func:`certify`.
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        The rows. A missing value (NaN) counts as already deleted.
    y : array-like of shape (n_samples,)
        The targets, which the adversary knows.
    threat : float, optional
        The adversary's budget. By default the one that the estimator prepared for.
    costs : {'uniform', 'mi'} or array-like of shape (n_features,), optional
        Cost of deleting an attribute: 1 each; in proportion to its mutual information with ``y``; or one
        number per feature (with ``groups``, per entry of :func:`attributes`). By default the costs of the
        fit, else 'uniform'.
    kind : {'exact', 'greedy', 'random', 'noise', 'greedy-value', 'greedy-weight', 'noise-weight'}
        'exact', the deletions that do the most damage; 'greedy', harmful deletions by damage per cost;
        'random' ones; 'noise', random attributes become noise, uniform on [-1, 1] in scaled units.
        'greedy-value', 'greedy-weight' and 'noise-weight' begin with the largest costs, or weights.
    random_state : int, RandomState instance or None, default=0
        Seed of random attacks. The random order of a row is the same under every budget.

    Returns
    -------
    attacked : Attacked
        The predictions after the attack, and their score.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from halfseen import RobustLPClassifier
    >>> from halfseen.robust import attack
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = RobustLPClassifier(threat=3).fit(X, y)
    >>> before, after = attack(model, X, y, threat=0), attack(model, X, y)
    >>> before.score == model.score(X, y) and after.score < before.score
    True
    """
    estimator = _checked(estimator)
    rows, table = _table(estimator, X)
    targets = _codes(estimator, y, rows)
    given = _costs(estimator, costs, table, targets)
    if threat is None:
        own = estimator.report_.get("threat")
        if own is None:
            name = type(estimator).__name__
            raise ValueError(f"{name} prepares for no threat of its own: give a budget, as in threat=10")
        threat = own["budget"]
    count, seed = threads_of(estimator), seed_of(random_state, "attack")
    scores, unproven = _core.attack(estimator.model_, table, targets, given, float(threat), kind, seed, count)
    classes = is_classifier(estimator)
    prediction = estimator.classes_[chosen(scores)] if classes else scores[:, 0]
    scores = scores[:, 0] if scores.shape[1] == 1 else scores
    score = accuracy_score(y, prediction) if classes else r2_score(y, prediction)
    return Attacked(prediction, scores, float(score), float(threat), unproven)


class Attackable:
    """Certify and attack a fitted estimator as methods."""

    def certify(self, X: t.Matrix, costs: t.Costs | None = None, within: float | None = None) -> Certificates:
        """Certify predictions; see :func:`halfseen.robust.certify`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows. A missing value (NaN) counts as already deleted.
        costs : {'uniform', 'mi'} or array-like of shape (n_features,), optional
            The adversary's cost of deleting an attribute; by default as in fit.
        within : float, optional
            Required for regressors: the largest change allowed, in units of the target.

        Returns
        -------
        certificates : Certificates
            One certificate per row.
        """
        return certify(self, X, costs=costs, within=within)

    def attacked_score(
        self,
        X: t.Matrix,
        y: ArrayLike,
        threat: float | None = None,
        costs: t.Costs | None = None,
        kind: Literal[
            "exact", "greedy", "random", "noise", "greedy-value", "greedy-weight", "noise-weight"
        ] = "exact",
        random_state: t.Seed = 0,
    ) -> float:
        """Score the predictions of attacked rows; see :func:`halfseen.robust.attack`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            The targets.
        threat : float, optional
            The adversary's budget; by default the one that the fit prepared for.
        costs : {'uniform', 'mi'} or array-like of shape (n_features,), optional
            The adversary's cost of deleting an attribute; by default as in fit.
        kind : {'exact', 'greedy', 'random', 'noise', 'greedy-value', 'greedy-weight', 'noise-weight'}
            The attack.
        random_state : int, RandomState instance or None, default=0
            Seed of random attacks.

        Returns
        -------
        score : float
            Accuracy, or for a regression the coefficient of determination.
        """
        return attack(self, X, y, threat, costs, kind, random_state).score


def without_known(estimator: Any, costs: Any) -> Any:
    """Return the costs of attributes, without known ones, which cannot be deleted."""
    costs = column_or_1d(costs, dtype=np.float64)
    declared = estimator._declarations()
    if declared["known"] and not declared["groups"] and len(costs) == estimator.n_features_in_:
        costs = costs[[name not in declared["known"] for name in estimator._names()]]
    return costs.tolist()


def _checked(estimator):
    """Return a fitted estimator, the one that it chose, or that of a saved model."""
    if isinstance(estimator, Model):
        return estimator.estimator()
    if hasattr(type(estimator), "_chosen"):
        estimator = estimator._chosen()
    if not isinstance(estimator, Estimator):
        raise TypeError(
            f"an estimator of halfseen is needed, not {type(estimator).__name__}: for a pipeline or"
            " a search, pass the estimator inside, and rows as transformed for it"
        )
    check_is_fitted(estimator, "model_")
    return estimator


def _table(estimator, X):
    """Return the number of rows, and X as a table of the library."""
    X = estimator._validated(X, reset=False, ensure_all_finite="allow-nan")
    return X.shape[0], estimator._table(X)


def _codes(estimator, y, rows):
    """Return targets as numbers, classes as indices."""
    y = column_or_1d(y)
    if len(y) != rows:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: {[rows, len(y)]}")
    if not is_classifier(estimator):
        return y.astype(np.float64)
    at = np.minimum(np.searchsorted(estimator.classes_, y), len(estimator.classes_) - 1)
    unknown = estimator.classes_[at] != y
    if unknown.any():
        known = ", ".join(repr(label) for label in estimator.classes_.tolist())
        raise ValueError(f"y holds {y[unknown].tolist()[0]!r}, not a class of this estimator: {known}")
    return at.astype(np.float64)


def _costs(estimator, costs, table, targets):
    """Return the cost of each attribute to the adversary."""
    own = estimator.report_.get("threat")
    if isinstance(costs, str) and costs not in ("uniform", "mi"):
        raise ValueError(
            f"costs = {costs!r} is not allowed: it must be 'uniform', 'mi', or one number per attribute"
        )
    mutual = isinstance(costs, str) and costs == "mi"
    if own is not None and (costs is None or (mutual and getattr(estimator, "costs", None) == "mi")):
        return own["costs"]
    if mutual:
        if targets is None or not is_classifier(estimator):
            raise ValueError(
                "costs = 'mi' needs labels, to compute the mutual information of attribute and class"
            )
        return _core.information(estimator.model_, table, targets).tolist()
    if costs is None or isinstance(costs, str):
        return [1.0] * len(_core.attributes(estimator.model_))
    return without_known(estimator, costs)
