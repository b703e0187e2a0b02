"""Let a budgeted learner query attributes and receive answers, for values that are fetched on request."""

import json
import numbers
import os
from collections.abc import Iterable, Mapping
from typing import Any, Self

import numpy as np

from halfseen import _core
from halfseen._query import Query, cells, given, listed, number, part, problem
from halfseen._started import like, settle
from halfseen._status import Status

_FORMAT, _VERSION = "halfseen-asktell", 1


class Learner(Status):
    """A budgeted learner in progress: it asks for attributes, and takes one step per answer.

    Created by ``start`` of an estimator of :mod:`halfseen.budget`, such as
    :meth:`halfseen.AERRRegressor.start`, or by :meth:`load`. Answers may come late and in any order; the same
    answers in the same order give the same bits, even if the learner is saved and loaded in between. All
    learners except :class:`~halfseen.FIMLRegressor`, :class:`~halfseen.FIMLClassifier` and
    :class:`~halfseen.MomentLassoRegressor` take gradient steps. They
    divide the step of a query by the root of ``1 + 2 n`` if ``n`` others were open when it was asked. Open
    queries do no harm, but the same number of answers teaches less. Unlike ``fit`` it does not know the
    number of examples: set the estimator's ``horizon`` if you do.

    Attributes
    ----------
    attributes : tuple of str
        Names of all attributes.
    attributes_read : ndarray of shape (n_attributes,)
        Number of reads of each.
    report : dict
        Reads, answers and refusals so far; ``missing_reasons`` counts the reasons given for unavailable
        values, ``outside_bounds`` the values outside their bounds.
    open : list of OpenQuery
        Open queries, oldest first, with their age in queries and the missing answers.
    remaining : Remaining
        Reads and money left if all open queries are answered.
    total_cost : float or None
        Limit on the cost of all reads; see :meth:`set_total_cost`. None, the default, means no limit.
    keeps_reads : bool
        True if reads are kept for :meth:`export`; see :meth:`set_keep_reads`. False by default.
    strict : bool
        True if values outside the estimator's ``bounds`` are refused; see :meth:`set_strict`. By default they
        are accepted and counted.

    See Also
    --------
    Query : A question of the learner.

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
    >>> model.distinct_ == cents == int(learner.attributes_read.sum())
    True
    """

    def __init__(self, estimator: Any, learner: _core.Learner) -> None:
        self._estimator, self._learner = estimator, learner
        self.attributes = tuple(learner.columns)
        self._panels, self._sampled = learner.panels

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
            queries. :attr:`remaining` shows what is left.
        """
        return self._named(self._learner.ask())

    def adopt(self, query: Query) -> None:
        """Open a query of a log, which was asked before, without drawing it again.

        A learner with the same start can adopt the queries of a log in the order of their numbers. If it gets
        the same answers in the same order, it computes the same model, bit for bit.

        Parameters
        ----------
        query : Query
            A query of a learner with the same parameters, attributes and seed.

        Raises
        ------
        ValueError
            If the query is of another learner or was edited, or if its number was used before.
        BudgetSpent
            As in :meth:`ask`.
        """
        if not isinstance(query, Query):
            raise TypeError(f"adopt takes a query that ask gave, not {type(query).__name__}")
        self._checked(query)
        self._learner.adopt(query._query)

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
        observed = set(attributes)
        unknown = [name for name in observed if name not in self.attributes]
        if unknown:
            raise ValueError(f"there is no attribute {unknown[0]!r}; there are: {listed(self.attributes)}")
        seen = [all(self.attributes[column] in observed for column in columns) for _, columns in self._panels]
        return self._named(self._learner.ask_observed([p for p in range(self._sampled) if seen[p]]))

    def tell(
        self,
        query: Query,
        values: Mapping[str, Any] | Iterable[Any],
        target: Any,
        *,
        reasons: Mapping[str, str] | None = None,
    ) -> bool:
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
        reasons : mapping of str to str, optional
            Reasons for unavailable values, by attribute: any text. ``report["missing_reasons"]`` counts them.

        Returns
        -------
        learned : bool
            False if the example was skipped.

        Raises
        ------
        ValueError
            If the query is of another learner or another copy of this one, was edited, or is not open
            (answered, forgotten, never asked); if values are missing, too many, infinite or of other
            attributes; if there is no target. The learner is then unchanged, and the query still open.
        """
        if not isinstance(query, Query):
            raise TypeError(f"tell takes a query that ask gave, not {type(query).__name__}")
        self._checked(query)
        answers = given(query, cells(query, values), reasons)
        return bool(self._learner.tell(query._query, answers, self._code(target)))

    def tell_part(
        self,
        query: Query,
        values: Mapping[str, Any] | None = None,
        target: Any = None,
        *,
        reasons: Mapping[str, str] | None = None,
    ) -> bool | None:
        """Give a partial answer to a query: some values, reasons for missing ones, the target.

        Parts are kept, also in a saved learner, until every attribute has a value or a reason and the target
        is known; then the learner takes its step. A missing value may still be given until then.

        Parameters
        ----------
        query : Query
            An open query of this learner.
        values : mapping of str to float, optional
            Values for some of ``query.attributes``, by name. None or NaN is a refused read.
        target : float or label, optional
            The target of that example; None if not yet known.
        reasons : mapping of str to str, optional
            Reasons for unavailable values, by attribute.

        Returns
        -------
        learned : bool or None
            None while the answer is incomplete; then as :meth:`tell`.

        Raises
        ------
        ValueError
            As :meth:`tell`; or if another value was given before. Nothing is changed then.
        """
        if not isinstance(query, Query):
            raise TypeError(f"tell_part takes a query that ask gave, not {type(query).__name__}")
        self._checked(query)
        answers = given(query, part(query, values), reasons)
        return self._learner.tell(query._query, answers, None if target is None else self._code(target))

    def forget(self, query: Query | int) -> None:
        """Close a query that will not be answered completely.

        Its reads become available for other examples. Those given by :meth:`tell_part` were made: they remain
        counted, and the example counts as skipped.

        Parameters
        ----------
        query : Query or int
            The query, or its number.

        Raises
        ------
        ValueError
            If it is not open.
        """
        given = query.number if isinstance(query, Query) else query
        if not isinstance(given, numbers.Integral) or isinstance(given, bool) or given < 0:
            raise TypeError(f"forget takes a query or its number, not {query!r}")
        self._learner.forget(int(given))

    def model(self) -> Any:
        """Return the current model.

        Returns
        -------
        estimator : object
            A fitted estimator of the class that started the learner.
        """
        estimator = like(self._estimator)
        estimator._keep(estimator._learned(self._learner))
        return estimator

    def to_json(self) -> str:
        """Return the whole learner as text, including open queries.

        Returns
        -------
        text : str
            JSON for :meth:`from_json`. The state under ``learner`` is the library's own.
        """
        estimator = self._estimator
        return json.dumps(
            {
                "format": _FORMAT,
                "version": _VERSION,
                "estimator": type(estimator).__name__,
                "params": estimator.get_params(deep=False),
                "named": hasattr(estimator, "feature_names_in_"),
                "classes": estimator.classes_.tolist() if hasattr(estimator, "classes_") else None,
                "learner": json.loads(self._learner.to_json()),
            }
        )

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return the learner that :meth:`to_json` wrote; it continues with the same bits.

        Parameters
        ----------
        text : str
            The text.

        Returns
        -------
        learner : Learner
            The learner.

        Raises
        ------
        ValueError
            If it is not a learner, or is truncated or damaged.
        """
        from halfseen import budget

        try:
            saved = json.loads(text)
            if (saved["format"], saved["version"]) != (_FORMAT, _VERSION):
                raise ValueError(
                    f"its format is {saved['format']} {saved['version']}, not {_FORMAT} {_VERSION}"
                )
            name = saved["estimator"]
            if name not in budget.__all__:
                raise ValueError(f"there is no estimator {name!r} in halfseen.budget")
            estimator, classes = getattr(budget, name)(**saved["params"]), saved["classes"]
            if hasattr(estimator, "decision_function") != (classes is not None):
                raise ValueError(f"its classes are {classes!r}, and it is of {name}")
            state = json.dumps(saved["learner"])
            named = bool(saved["named"])
            if classes is not None:
                # Checked before anything is built: mixed labels cannot be sorted.
                estimator._take_classes(classes)
        except (KeyError, TypeError, ValueError, RecursionError) as error:
            raise ValueError(f"this is not a saved learner: {problem(error)}") from None
        learner = _core.Learner.from_json(state)
        settle(estimator, list(learner.columns), named)
        if classes is not None:
            estimator._take_classes(classes)
        return cls(estimator, learner)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the learner as a file.

        Parameters
        ----------
        path : str or path-like
            Path of the file; an existing one is replaced atomically.

        Raises
        ------
        ValueError
            If the file holds another learner, or another copy of this one, saved after this copy was started
            or loaded: saving would lose the answers to that copy.
        """
        from halfseen.model import write

        self._learner.advance(os.fsdecode(path), _saved_at(path))
        write(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Load a learner that :meth:`save` wrote; it continues with the same bits.

        Parameters
        ----------
        path : str or path-like
            The file.

        Returns
        -------
        learner : Learner
            The learner.
        """
        try:
            with open(path, encoding="utf-8") as file:
                text = file.read()
            return cls.from_json(text)
        except UnicodeDecodeError:
            raise ValueError(f"{path}: this is not a saved learner: it is not text") from None
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None

    def __repr__(self):
        """Show the class of the estimator and its progress."""
        report = self.report
        told = f"{report['examples']} examples, {report['distinct']} reads"
        return f"<Learner of {type(self._estimator).__name__}: {told}>"

    def __reduce__(self):
        """Pickle as JSON."""
        return Learner.from_json, (self.to_json(),)

    def _checked(self, query):
        """Refuse a query whose names do not match its reads."""
        asked = self._named(query._query)
        if (asked.attributes, asked.known, asked.reads) != (query.attributes, query.known, query.reads):
            raise ValueError(
                f"the query {query.number} was changed after it was asked, or is of another learner"
            )

    def _code(self, target):
        """Return a target as a number for the library."""
        classes = getattr(self._estimator, "classes_", None)
        if classes is None:
            return number(target, "the target")
        labels = classes.tolist()
        label = target.item() if isinstance(target, np.generic) else target
        if label not in labels:
            raise ValueError(f"the target is {label!r}, and must be one of {labels}")
        return float(labels.index(label))


def _saved_at(path):
    """Return the session of the learner that a file holds; None if it holds none."""
    try:
        with open(path, encoding="utf-8") as file:
            return json.dumps(json.load(file)["learner"])
    except (OSError, KeyError, TypeError, ValueError, RecursionError):
        return None
