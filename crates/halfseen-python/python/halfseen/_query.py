"""Define a learner's queries and records of them, and parse the answers."""

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
        Attribute, or panel of several, that is read.
    role : str
        Purpose: 'gradient', 'product', 'full' (both), or 'known' (it costs nothing).
    """

    panel: str
    role: str


class Query:
    """Attributes that a learner wants to read of its next example, chosen before any of them is observed.

    It may stay open for days, and several may be open at once. :meth:`Learner.ask` creates one.

    Attributes
    ----------
    number : int
        Number of the query, from 0.
    attributes : tuple of str
        Attributes to read, each once, even if a value has two purposes.
    known : tuple of str
        Those of ``attributes`` that are always known: they cost nothing, and are in every query.
    reads : tuple of Read
        Purposes of the values.

    See Also
    --------
    Learner : Asks the queries.
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
        """Return the query as text for :meth:`from_json`.

        Returns
        -------
        text : str
            JSON: the names, and under ``query`` the library's query, for all languages.
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
            The same query. Edits are detected when it is answered.

        Raises
        ------
        ValueError
            If it is not a query.
        """
        try:
            saved = json.loads(text)
            names = {key: tuple(str(name) for name in saved[key]) for key in ("attributes", "known")}
            reads = tuple(Read(str(panel), str(role)) for panel, role in saved["reads"])
            query = json.dumps(saved["query"])
        except (KeyError, TypeError, ValueError, RecursionError) as error:
            raise ValueError(f"this is not a query of a learner: {problem(error)}") from None
        return cls(_core.Query.from_json(query), names["attributes"], names["known"], reads)

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
        Number of queries asked after it.
    closed_since : int
        Number of queries answered, skipped or forgotten since it was asked.
    missing : tuple of str
        Attributes without an answer.
    has_target : bool
        True if the target is known.
    """

    query: Query
    asked_since: int
    closed_since: int
    missing: tuple[str, ...]
    has_target: bool


class Remaining(NamedTuple):
    """Reads and money left if all open queries are answered.

    Attributes
    ----------
    reads : int or None
        Reads of ``total_budget``; None: no limit.
    cost : float or None
        Money of ``total_cost``; None: no limit.
    promised_reads : int
        Reads of open queries.
    promised_cost : float
        Their cost.
    """

    reads: int | None
    cost: float | None
    promised_reads: int
    promised_cost: float


class KeptRead(NamedTuple):
    """One value that was read, or was not available.

    Attributes
    ----------
    number : int
        Number of the example's query.
    attribute : str
        The attribute.
    value : float or None
        The value in its own units.
    reason : str or None
        Reason why there is no value.
    target : float, label or None
        The example's target; None while unknown.
    """

    number: int
    attribute: str
    value: float | None
    reason: str | None
    target: Any


#: Default reason of an unavailable value.
NO_REASON = "no reason given"


def given(
    query: Query, values: Mapping[str, float], reasons: Mapping[str, str] | None
) -> list[tuple[str, float | str]]:
    """Return values by name for the library: a string is the reason why there is none."""
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
    """Return the values of a query's attributes by name, NaN for a refused one."""
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
    """Return a number, NaN for None or NA."""
    if value is None or type(value).__name__ == "NAType":
        return float("nan")
    try:
        if isinstance(value, str | bytes):
            raise TypeError
        return float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be a number, or None where it was refused; got {value!r}") from None


def listed(names: Sequence[str]) -> str:
    """Format names for a message."""
    shown = ", ".join(repr(name) for name in list(names)[:10])
    return shown if len(names) <= 10 else f"{shown} and {len(names) - 10} more"


def problem(error: Exception) -> str:
    """Describe the error in a text that was read."""
    return f"the key {error} is missing" if isinstance(error, KeyError) else str(error)
