"""Warn the caller of the package, through all calls in between."""

import sys
import warnings
from collections.abc import Iterator
from typing import Any

#: Packages whose frames are not the caller: a pipeline calls estimators, and joblib the pipeline.
_BETWEEN = {"halfseen", "joblib", "sklearn"}

#: What remarks are about that need no action at once.
_NO_WARNING = ("guarded-refinements", "edge-of-grid")


def warn(text: str, category: type[Warning]) -> None:
    """Warn with the line outside of this package and of scikit-learn that called it."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _BETWEEN:
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)


def about_data(notes: list[Any], texts: list[str | None]) -> Iterator[tuple[Any, str]]:
    """Return the notes of a report that say something on the data or need an action, with their texts.

    A note without a text is told to no reader: a bound that says nothing, or what another note explains.
    """
    for note, text in zip(notes, texts, strict=True):
        if text is None:
            continue
        counts = "pilot" in note and note["pilot"]["weight"] > 0
        rests = "risk-bound" in note or ("remark" in note and note["remark"]["about"] in _NO_WARNING)
        if not counts and not rests:
            yield note, text
