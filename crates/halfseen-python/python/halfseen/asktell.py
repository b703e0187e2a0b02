"""Let a budgeted learner ask for attributes and take the answers, in a loop."""

import json
import numbers
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from halfseen import _core


class Query:
    """Attributes that a learner wants to read of its next example, chosen before any of them is observed.

    Several may be open at once, and a query may be answered late. :meth:`Learner.ask` creates one.

    Attributes
    ----------
    number : int
        Number of the query, from 0.
    attributes : tuple of str
        Attributes to read, each once.
    known : tuple of str
        Those of ``attributes`` that are always known: they cost nothing, and are in every query.

    See Also
    --------
    Learner : Asks the queries.
    """

    def __init__(self, query: _core.Query, attributes: tuple[str, ...], known: tuple[str, ...]) -> None:
        self._query = query
        self.number, self.attributes, self.known = query.number, attributes, known

    def __repr__(self):
        """Show the number and the attributes to read."""
        known = f", known={list(self.known)}" if self.known else ""
        return f"Query({self.number}, {[name for name in self.attributes if name not in self.known]}{known})"

    def __eq__(self, other: object) -> bool:
        """Compare the whole queries of the library."""
        if not isinstance(other, Query):
            return NotImplemented
        return self._query == other._query

    def __hash__(self) -> int:
        """Return a hash of the number."""
        return hash(self.number)


class Learner:
    """A budgeted learner in progress: it asks for attributes, and takes one step per answer.

    Created by ``start`` of an estimator of :mod:`halfseen.budget`, such as
    :meth:`halfseen.AERRRegressor.start`. Answers may come late and in any order; the same answers in the same
    order give the same bits, even if the learner is pickled in between. For weeks, answers in part, several
    people, reasons and corrections there is :class:`halfseen.Study`, which keeps everything in a file. All
    learners except :class:`~halfseen.FIMLRegressor`, :class:`~halfseen.FIMLClassifier` and
    :class:`~halfseen.MomentLassoRegressor` take gradient steps. They
    divide the step of a query by the root of ``1 + 2 n`` if ``n`` others were open when it was asked. Open
    queries do no harm, but the same number of answers teaches less. Unlike ``fit`` it does not know the
    number of examples: set the estimator's ``horizon`` if you do.

    Attributes
    ----------
    attributes : tuple of str
        Names of all attributes.
    report : dict
        Reads, answers and skipped examples so far; ``outside_bounds`` counts the values outside their bounds.
    remaining : int or None
        Reads of ``total_budget`` that are left if all open queries are answered; None: no limit.

    See Also
    --------
    Query : A question of the learner.
    Study : Collects data over weeks.

    Examples
    --------
    A seller of records charges one cent per attribute of a customer. Only the amount that a customer spent is
    known before the seller is asked:

    >>> import random
    >>> from halfseen import AERRRegressor
    >>> def customer(number):
    ...     draw = random.Random(number)
    ...     record = {name: draw.gauss(0, 1) for name in ["age", "income", "visits", "distance"]}
    ...     return record, 100 + 20 * record["income"] - 10 * record["distance"] + draw.gauss(0, 1)
    >>> cents = 0
    >>> def seller(number, attributes):
    ...     global cents
    ...     cents += len(attributes)
    ...     record, _ = customer(number)
    ...     return {name: record[name] for name in attributes}

    The learner chooses the attributes before they are bought:

    >>> estimator = AERRRegressor(budget=2, random_state=0)
    >>> learner = estimator.start(["age", "income", "visits", "distance"], target=(100, 20))
    >>> for number in range(3000):
    ...     query = learner.ask()
    ...     values = seller(number, query.attributes)
    ...     told = learner.tell(query, values, target=customer(number)[1])

    The result is an ordinary estimator, and the number of reads is the bill:

    >>> model = learner.model()
    >>> {name: round(weight / 10) for name, weight in zip(learner.attributes, model.coef_, strict=True)}
    {'age': 0, 'income': 1, 'visits': 0, 'distance': -1}
    >>> model.distinct_ == cents == learner.report["distinct"]
    True
    """

    def __init__(self, estimator: Any, learner: _core.Learner) -> None:
        self._estimator, self._learner = estimator, learner
        names, known = learner.attributes
        self.attributes = tuple(names)
        self._known = frozenset(names[at] for at in known)

    def ask(self) -> Query:
        """Ask for values of the next example.

        Several queries may be open at once. A gradient-based learner does not know their answers yet, and
        takes shorter steps; for :class:`~halfseen.FIMLRegressor` delay makes no difference. While all weights
        are 0 it asks for fewer values than ``budget``: its own prediction is 0 then and needs no reads.

        Returns
        -------
        query : Query
            The attributes to read.

        Raises
        ------
        BudgetSpent
            If ``total_budget`` or ``total_cost`` does not pay for another example, including those of open
            queries.
        """
        return self._named(*self._learner.ask())

    def ask_observed(self, attributes: Iterable[str]) -> Query:
        """Ask about an example with given observed attributes; for ``passive`` estimators.

        Parameters
        ----------
        attributes : iterable of str
            Names of the observed attributes. A panel counts as observed if all its columns are.

        Returns
        -------
        query : Query
            The attributes among them that are used.

        Raises
        ------
        ValueError
            If the learner chooses its reads, or a name is not one of its attributes.
        BudgetSpent
            As in :meth:`ask`.
        """
        if isinstance(attributes, str):
            raise TypeError("ask_observed takes a list of names, not one text")
        places = {name: at for at, name in enumerate(self.attributes)}
        observed = list(attributes)
        unknown = [name for name in observed if name not in places]
        if unknown:
            raise ValueError(f"there is no attribute {unknown[0]!r}; there are: {_listed(self.attributes)}")
        return self._named(*self._learner.ask_observed([places[name] for name in observed]))

    def tell(self, query: Query, values: Mapping[str, Any] | Iterable[Any], target: Any) -> bool:
        """Answer a query: the learner takes one step.

        Parameters
        ----------
        query : Query
            An open query of this learner, not necessarily the last.
        values : mapping of str to float, or sequence of float
            A value for each of ``query.attributes``, by name or in order, in their own units. None or NaN is
            a refused read: the example is then skipped, and counted as such. Only
            :class:`~halfseen.FIMLRegressor` and :class:`~halfseen.FIMLClassifier` use the other values.
        target : float or label
            The target of that example.

        Returns
        -------
        learned : bool
            False if the example was skipped.

        Raises
        ------
        ValueError
            If the query is of another learner or is not open (answered, forgotten, never asked); if values
            are missing, too many, infinite or of other attributes; if there is no target. The learner is then
            unchanged, and the query still open.
        """
        if not isinstance(query, Query):
            raise TypeError(f"tell takes a query that ask gave, not {type(query).__name__}")
        return self._learner.tell(query._query, _cells(query, values), self._code(target))

    def forget(self, query: Query) -> None:
        """Close a query that will not be answered: its reads become available for other examples.

        Parameters
        ----------
        query : Query
            The query.

        Raises
        ------
        ValueError
            If it is not open.
        """
        if not isinstance(query, Query):
            raise TypeError(f"forget takes a query that ask gave, not {type(query).__name__}")
        self._learner.forget(query.number)

    def model(self) -> Any:
        """Return the current model.

        Returns
        -------
        estimator : object
            A fitted estimator of the class that started the learner.
        """
        estimator = _like(self._estimator)
        estimator._keep(estimator._learned(self._learner))
        return estimator

    @property
    def report(self) -> dict[str, Any]:
        """Reads, answers and skipped examples so far, as a dict."""
        return json.loads(self._learner.report())

    @property
    def remaining(self) -> int | None:
        """Reads of ``total_budget`` that are left if all open queries are answered; None: no limit."""
        return self.report["unused"]

    def __repr__(self):
        """Show the class of the estimator and its progress."""
        report = self.report
        told = f"{report['examples']} examples, {report['distinct']} reads"
        return f"<Learner of {type(self._estimator).__name__}: {told}>"

    def _named(self, query, places):
        """Return a query of the library with the names of its attributes."""
        attributes = tuple(self.attributes[at] for at in places)
        return Query(query, attributes, tuple(name for name in attributes if name in self._known))

    def _code(self, target):
        """Return a target as a number for the library."""
        classes = getattr(self._estimator, "classes_", None)
        if classes is None:
            return _number(target, "the target")
        labels = classes.tolist()
        label = target.item() if isinstance(target, np.generic) else target
        if label not in labels:
            raise ValueError(f"the target is {label!r}, and must be one of {labels}")
        return float(labels.index(label))


def started(estimator: Any, attributes: Any, classes: Any, scale: Any) -> Learner:
    """Return a learner that was told nothing; see ``start`` of the estimators."""
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
    own = type(estimator)(**estimator.get_params(deep=False))
    own.n_features_in_ = len(names)
    if named:
        own.feature_names_in_ = np.array(names, dtype=object)
    declared = own._declarations()
    for name in ("known", "groups", "prices", "bounds"):
        # Names do not depend on the order of a table.
        setattr(own, name, (dict(declared[name]) if name == "groups" else declared[name]) or None)
    own.random_state = own._seed()
    labels = None
    if classes is None and hasattr(own, "_take_classes"):
        raise ValueError("start needs classes, all labels")
    if classes is not None:
        own._take_classes(classes)
        labels = own.classes_.tolist()
    from halfseen._parameters import refusing  # and scikit-learn with it

    with refusing(own):
        return Learner(own, own._started(np.empty(0), labels, _scale(scale, labels)))


def _like(estimator):
    """Return an estimator of the same class, parameters, attributes and classes."""
    own = type(estimator)(**estimator.get_params(deep=False))
    for name in ("n_features_in_", "feature_names_in_", "classes_"):
        if hasattr(estimator, name):
            setattr(own, name, getattr(estimator, name))
    return own


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


def _cells(query: Query, values: Any) -> list[float]:
    """Return the values of a query's attributes in their order, NaN for a refused one."""
    asked = query.attributes
    if hasattr(values, "keys"):
        given = set(values.keys())
        missing = [name for name in asked if name not in given]
        other = [name for name in given if name not in asked]
        if missing:
            raise ValueError(
                f"the query {query.number} asks for {_listed(missing)}, and values has no such name; None"
                " says that a read was refused"
            )
        if other:
            raise ValueError(
                f"the query {query.number} does not ask for {_listed(other)}; it asks for {_listed(asked)}"
            )
        return [_number(values[name], name) for name in asked]
    if isinstance(values, str | bytes | set | frozenset) or not hasattr(values, "__iter__"):
        kind = type(values).__name__
        raise TypeError(
            f"values must be a mapping by name, or a sequence in the order of query.attributes; got {kind}"
        )
    values = list(values)
    if len(values) != len(asked):
        raise ValueError(
            f"the query {query.number} asks for {len(asked)} values ({_listed(asked)}), got {len(values)}"
        )
    return [_number(value, name) for name, value in zip(asked, values, strict=True)]


def _number(value: Any, name: str) -> float:
    """Return a number, NaN for None or NA."""
    if value is None or type(value).__name__ == "NAType":
        return float("nan")
    try:
        if isinstance(value, str | bytes):
            raise TypeError
        return float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be a number, or None where it was refused; got {value!r}") from None


def _listed(names: Sequence[str]) -> str:
    """Format names for a message."""
    shown = ", ".join(repr(name) for name in list(names)[:10])
    return shown if len(names) <= 10 else f"{shown} and {len(names) - 10} more"
