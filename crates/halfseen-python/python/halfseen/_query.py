"""Define a learner's question and what is said of it, and read the answers that come to it."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Self

import numpy as np

from halfseen import _core


class Read(NamedTuple):
    """One read of a query.

    Attributes
    ----------
    panel : str
        What is read: an attribute, or a panel of several.
    role : str
        What for: 'gradient', 'product', 'full' (both), or 'known' (it costs nothing).
    """

    panel: str
    role: str


class Query:
    """What a learner wants to know of its next example, decided before anything of it is seen.

    It may wait for days, and several may be open at once. :meth:`Learner.ask` makes one.

    Attributes
    ----------
    number : int
        Its number, from 0.
    attributes : tuple of str
        What to look at, each once, even where a value serves two ends.
    known : tuple of str
        Those of ``attributes`` that are always known: they cost nothing, and come with every query.
    reads : tuple of Read
        What the values are for.

    See Also
    --------
    Learner : Asks, and is told.
    """

    def __init__(
        self,
        query: _core.Query,
        attributes: tuple[str, ...],
        known: tuple[str, ...],
        reads: tuple[Read, ...],
    ) -> None:
        self._query = query
        self.number, self.attributes, self.known, self.reads = query.number, attributes, known, reads

    def to_json(self) -> str:
        """Return the query as a text that :meth:`from_json` reads.

        Returns
        -------
        text : str
            JSON: the names, and under ``query`` what a learner of the library takes in any language.
        """
        return json.dumps(
            {
                "number": self.number,
                "attributes": self.attributes,
                "known": self.known,
                "reads": self.reads,
                "query": json.loads(self._query.to_json()),
            }
        )

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return the query that :meth:`to_json` wrote.

        Parameters
        ----------
        text : str
            The text.

        Returns
        -------
        query : Query
            The same query. Whether it was edited on the way is found when it is answered.

        Raises
        ------
        ValueError
            If it is no query.
        """
        try:
            saved = json.loads(text)
            names = {key: tuple(str(name) for name in saved[key]) for key in ("attributes", "known")}
            reads = tuple(Read(str(panel), str(role)) for panel, role in saved["reads"])
            query = json.dumps(saved["query"])
        except (KeyError, TypeError, ValueError, RecursionError) as error:
            raise ValueError(f"this is no query of a learner: {problem(error)}") from None
        return cls(_core.Query.from_json(query), names["attributes"], names["known"], reads)

    def __repr__(self):
        """Show the number and what to look at."""
        known = f", known={list(self.known)}" if self.known else ""
        return f"Query({self.number}, {[name for name in self.attributes if name not in self.known]}{known})"

    def __eq__(self, other: object) -> bool:
        """Compare all that the learner decided."""
        if not isinstance(other, Query):
            return NotImplemented
        return self._query == other._query

    def __hash__(self) -> int:
        """Return a hash of the number."""
        return hash(self.number)

    def __reduce__(self):
        """Pickle as JSON."""
        return Query.from_json, (self.to_json(),)


class OpenQuery(NamedTuple):
    """A query that waits for its answer.

    Attributes
    ----------
    query : Query
        The query.
    asked_since : int
        How many were asked after it.
    closed_since : int
        How many were answered, skipped or forgotten since it was asked.
    missing : tuple of str
        The attributes of which nothing was told yet.
    has_target : bool
        Whether the target was told.
    """

    query: Query
    asked_since: int
    closed_since: int
    missing: tuple[str, ...]
    has_target: bool


class Remaining(NamedTuple):
    """What is left to spend if all open queries are answered.

    Attributes
    ----------
    reads : int or None
        Reads of ``total_budget``; None: no limit.
    cost : float or None
        Money of ``total_cost``; None: no limit.
    promised_reads : int
        Reads that open queries ask for.
    promised_cost : float
        What those cost.
    """

    reads: int | None
    cost: float | None
    promised_reads: int
    promised_cost: float


class KeptRead(NamedTuple):
    """One value that was read, or could not be had.

    Attributes
    ----------
    number : int
        The number of the example's query.
    attribute : str
        The attribute.
    value : float or None
        The value in its own units.
    reason : str or None
        Why there is none.
    target : float, label or None
        The example's target; None while nobody told it.
    """

    number: int
    attribute: str
    value: float | None
    reason: str | None
    target: Any


#: The reason of a value for which nobody gave one.
NO_REASON = "no reason given"


def given(
    query: Query, values: Mapping[str, float], reasons: Mapping[str, str] | None
) -> list[tuple[str, float | str]]:
    """Return values by name as the library takes them: a text is the reason why there is none."""
    reasons = {} if reasons is None else dict(reasons)
    for name, reason in reasons.items():
        if name not in query.attributes:
            raise ValueError(
                f"the query {query.number} does not ask for {name!r}; it asks for {listed(query.attributes)}"
            )
        if not isinstance(reason, str):
            raise TypeError(f"the reason why {name} is missing must be a text; got {reason!r}")
        if not np.isnan(values.get(name, float("nan"))):
            raise ValueError(f"{name} has a value, and a reason why it has none; give one of them")
    missing = {name: reasons.get(name, NO_REASON) for name, value in values.items() if np.isnan(value)}
    merged: dict[str, float | str] = {**values, **reasons, **missing}
    return list(merged.items())


def part(query: Query, values: Mapping[str, Any] | None) -> dict[str, float]:
    """Return the values of some of a query's attributes by name."""
    if values is None:
        return {}
    if not hasattr(values, "keys"):
        raise TypeError(f"values must be a mapping by name; got {type(values).__name__}")
    other = [name for name in values if name not in query.attributes]
    if other:
        asked = listed(query.attributes)
        raise ValueError(f"the query {query.number} does not ask for {listed(other)}; it asks for {asked}")
    return {name: number(values[name], name) for name in values}


def cells(query: Query, values: Any) -> dict[str, float]:
    """Return the values of a query's attributes by name, NaN where one was refused."""
    asked = query.attributes
    if hasattr(values, "keys"):
        given = list(values.keys())
        missing = [name for name in asked if name not in given]
        other = [name for name in given if name not in asked]
        if missing:
            raise ValueError(
                f"the query {query.number} asks for {listed(missing)}, and values has no such name; None says"
                " that a read was refused"
            )
        if other:
            raise ValueError(
                f"the query {query.number} does not ask for {listed(other)}; it asks for {listed(asked)}"
            )
        return {name: number(values[name], name) for name in asked}
    if isinstance(values, str | bytes | set | frozenset) or not hasattr(values, "__iter__"):
        kind = type(values).__name__
        raise TypeError(
            f"values must be a mapping by name, or a sequence in the order of query.attributes; got {kind}"
        )
    values = list(values)
    if len(values) != len(asked):
        raise ValueError(
            f"the query {query.number} asks for {len(asked)} values ({listed(asked)}), got {len(values)}"
        )
    return {name: number(value, name) for name, value in zip(asked, values, strict=True)}


def number(value: Any, name: str) -> float:
    """Return a number, NaN for what says that there is none."""
    if value is None or type(value).__name__ == "NAType":
        return float("nan")
    try:
        if isinstance(value, str | bytes):
            raise TypeError
        return float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be a number, or None where it was refused; got {value!r}") from None


def listed(names: Sequence[str]) -> str:
    """Return names as a message shows them."""
    shown = ", ".join(repr(name) for name in list(names)[:10])
    return shown if len(names) <= 10 else f"{shown} and {len(names) - 10} more"


def problem(error: Exception) -> str:
    """Return what is wrong with a text that was read."""
    return f"the key {error} is missing" if isinstance(error, KeyError) else str(error)
