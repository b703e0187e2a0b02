"""Give types to what halfseen._query offers."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import halfseen._core

class Read(NamedTuple):
    panel: str
    role: str

class Query:
    number: int
    attributes: tuple[str, ...]
    known: tuple[str, ...]
    reads: tuple[Read, ...]
    def __init__(
        self,
        query: halfseen._core.Query,
        attributes: tuple[str, ...],
        known: tuple[str, ...],
        reads: tuple[Read, ...],
    ) -> None: ...
    def to_json(self) -> str: ...
    @classmethod
    def from_json(cls, text: str) -> Query: ...
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...

class OpenQuery(NamedTuple):
    query: Query
    asked_since: int
    closed_since: int
    missing: tuple[str, ...]
    has_target: bool

class Remaining(NamedTuple):
    reads: int | None
    cost: float | None
    promised_reads: int
    promised_cost: float

class KeptRead(NamedTuple):
    number: int
    attribute: str
    value: float | None
    reason: str | None
    target: float | Any | None

NO_REASON: str

def given(
    query: Query, values: Mapping[str, float], reasons: Mapping[str, str] | None
) -> list[tuple[str, float | str]]: ...
def part(query: Query, values: Mapping[str, Any] | None) -> dict[str, float]: ...
def cells(query: Query, values: Any) -> dict[str, float]: ...
def number(value: Any, name: str) -> float: ...
def listed(names: Sequence[str]) -> str: ...
def problem(error: Exception) -> str: ...
