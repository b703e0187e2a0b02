"""Give types to what halfseen._parameters offers; written by stubs.py."""

from dataclasses import dataclass
from typing import Any

RENAMED: dict

@dataclass(frozen=True)
class Declaration:
    name: str
    default: Any
    kind: str
    words: tuple[str, ...]
    allowed: str
    doc: str
    @property
    def type_words(self) -> Any: ...
    def section(self) -> Any: ...

def learners() -> Any: ...
def declared(learner: Any) -> Any: ...
def signature(declarations: Any) -> Any: ...
def initializer(declarations: Any) -> Any: ...
def text_of(name: Any, value: Any) -> Any: ...
