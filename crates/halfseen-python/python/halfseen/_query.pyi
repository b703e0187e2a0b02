"""Give types to what halfseen._query offers."""

from collections.abc import Sequence
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

def cells(query: Query, values: Any) -> dict[str, float]: ...
def number(value: Any, name: str) -> float: ...
def listed(names: Sequence[str]) -> str: ...
def problem(error: Exception) -> str: ...
