"""Convert frames to the texts of a study's files, and back."""

import csv
import io
import numbers
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeAlias

import narwhals.stable.v1 as nw
import numpy as np

from halfseen import _core, _tables
from halfseen.errors import RowProblem

#: Position of a row, subject, number of the ask, and cells by column.
Row: TypeAlias = tuple[int, str, int | None, list[tuple[str, str]]]


def pandas() -> Any:
    """Import pandas.

    Raises
    ------
    ImportError
        If it is not installed.
    """
    try:
        import pandas
    except ImportError as error:
        raise ImportError("studies return frames of pandas: pip install 'halfseen[study]'") from error
    return pandas


def text_of(cell: Any) -> str:
    """Return a cell as text, as CSV holds it; empty for None, NaN, NaT and NA.

    Raises
    ------
    ValueError
        If it is neither a text, number, bool nor date.
    """
    try:
        if _tables.is_missing(cell):
            return ""
        kind = _tables.kind_of(cell)
        text = "" if kind in ("time", "other") else str(_tables.written(cell))
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("holds half of a pair of surrogates, which is not a text") from None
    except (ArithmeticError, TypeError):
        kind = "other"
    if kind in ("time", "other"):
        raise ValueError(f"holds a {type(cell).__name__}, and must be a number, a text or a date")
    return text


def name_of(subject: Any) -> str:
    """Return the name of a subject: a text, or an integer as one.

    Raises
    ------
    TypeError
        If it is neither.
    """
    if isinstance(subject, str):
        return subject
    if isinstance(subject, numbers.Integral) and not isinstance(subject, bool):
        return str(int(subject))
    raise TypeError(f"subjects are texts; got {subject!r:.100}")


def subjects_of(
    subjects: Any, known: set[str], others: set[str]
) -> tuple[list[Row], list[Any], list[tuple[int, RowProblem]]]:
    """Return rows of subjects with their known values, their labels, and problems of other rows.

    The column ``subject`` of a frame holds the subjects, and columns that are not attributes are left out;
    other iterables hold names.

    Raises
    ------
    TypeError
        If they are one text, or something other than texts.
    ValueError
        If a frame has no column ``subject``, or one of an attribute that is not known of every subject.
    """
    if isinstance(subjects, str | bytes) or not isinstance(subjects, Iterable):
        raise TypeError(f"subjects must be a list of texts; got {subjects!r:.100}")
    if not _tables.is_frame(subjects):
        named: list[Row] = [(at, name_of(subject), None, []) for at, subject in enumerate(subjects)]
        return named, list(range(len(named))), []
    columns, labels = dict(columns_of(subjects)), labels_of(subjects)
    if "subject" not in columns:
        raise ValueError("the column 'subject' is missing")
    for name in columns:
        if name in others:
            raise ValueError(
                f"'{name:.60}' is not marked in the schema as known of every subject; leave the column out,"
                " tell stores answers"
            )
    names = [name_of(cell) for cell in columns["subject"]]
    columns = {name: cells for name, cells in columns.items() if name in known}
    rows: list[Row] = []
    problems = []
    for at, (subject, label) in enumerate(zip(names, labels, strict=True)):
        try:
            rows.append((at, subject, None, _cells_of(columns, at)))
        except ValueError as error:
            problems.append((at, RowProblem(label, subject, str(error))))
    return rows, labels, problems


def _cells_of(columns: dict[str, list[Any]], at: int) -> list[tuple[str, str]]:
    """Return the cells of a row that are told, as texts."""
    texts = [(name, _text_in(name, column[at])) for name, column in columns.items()]
    return [(name, text) for name, text in texts if text and not text.isspace()]


def _text_in(name: str, cell: Any) -> str:
    """Return a cell as text; an error names its column."""
    try:
        return text_of(cell)
    except ValueError as error:
        raise ValueError(f"'{name}' {error}") from None


def columns_of(frame: Any) -> list[tuple[str, list[Any]]]:
    """Return the columns of a frame, as names and lists of cells."""
    small = (nw.Float32,)  # as lists they would be doubles of more digits
    return [
        (str(series.name), list(series.to_numpy()) if series.dtype in small else series.to_list())
        for series in _tables.narwhal(frame).iter_columns()
    ]


def labels_of(frame: Any) -> list[Any]:
    """Return the labels of a frame's rows: those of its index if they are unique, else positions."""
    index = getattr(frame, "index", None)
    if index is not None and getattr(index, "is_unique", False):
        return list(index.tolist())
    return list(range(len(frame)))


def answers_of(frame: Any, attributes: set[str]) -> tuple[list[str], list[Row], list[tuple[int, RowProblem]]]:
    """Return the columns of values, the rows of a frame of answers, and problems of other rows.

    Raises
    ------
    TypeError
        If it is not a frame.
    ValueError
        If it has no column ``subject``.
    """
    frame = _tables.eager(frame)
    if not _tables.is_frame(frame):
        raise TypeError(f"tell takes a frame with the column 'subject'; got {type(frame).__name__}")
    columns, labels = dict(columns_of(frame)), labels_of(frame)
    if "subject" not in columns:
        raise ValueError("the column 'subject' is missing")
    subjects, asks = columns.pop("subject"), columns.pop("ask", [None] * len(labels))
    # Columns of asks are not told.
    columns = {n: cells for n, cells in columns.items() if n in attributes or not n.startswith("ask_")}
    rows, problems = [], []
    for at, label in enumerate(labels):
        subject = ""
        try:
            subject = _text_in("subject", subjects[at]).strip()
            ask = _number_of_ask(_text_in("ask", asks[at]))
            rows.append((at, subject, ask, _cells_of(columns, at)))
        except ValueError as error:
            problems.append((at, RowProblem(label, subject, str(error))))
    return list(columns), rows, problems


def _number_of_ask(text: str) -> int | None:
    text = text.strip()
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise ValueError(f"'ask' is '{text:.60}', and must be the number of an ask")
    return int(text)


def schema_text(schema: Any) -> str:
    """Return a schema as CSV: a frame, or the text of a file.

    Raises
    ------
    TypeError
        If it is neither a frame nor a path.
    ValueError
        If it is not text, or a cell is neither text, number nor bool.
    """
    if isinstance(schema, str | os.PathLike):
        try:
            return Path(schema).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            raise ValueError(f"{schema}: it is not UTF-8 text; save it as CSV UTF-8") from None
    schema = _tables.eager(schema)
    if not _tables.is_frame(schema):
        raise TypeError(f"schema must be a frame or the path of a CSV file; got {type(schema).__name__}")
    columns = columns_of(schema)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([name for name, _ in columns])
    for at in range(len(columns[0][1]) if columns else 0):
        writer.writerow([_of_schema(name, cells[at]) for name, cells in columns])
    return out.getvalue()


def _of_schema(name, cell):
    if name == "choices" and isinstance(cell, list | tuple | np.ndarray):
        return "|".join(text_of(choice) for choice in cell)
    try:
        return text_of(cell)
    except ValueError as error:
        raise ValueError(f"the column '{name}' of the schema {error}") from None


def frame_of_schema(rows: list[list[str]]) -> Any:
    """Return the rows of a schema as a frame: numbers where all are, the others as texts."""
    frame = frame_of(rows)
    for name in ("low", "high", "price"):
        frame[name] = _numbers(frame[name])
    frame["known"] = frame["known"] == "yes"
    return frame


def frame_of(rows: list[list[str]]) -> Any:
    """Return rows of texts, the header first, as a frame."""
    header, *rows = rows
    return pandas().DataFrame(
        {name: pandas().Series([row[at] for row in rows], dtype=object) for at, name in enumerate(header)}
    )


def _numbers(cells):
    """Return texts as numbers, NaN for empty ones; as they are if one is a date."""
    try:
        return [float(cell) if cell else np.nan for cell in cells]
    except ValueError:
        return cells


def frame_of_export(what: str, rows: list[list[str]], kinds: dict[str, Any]) -> Any:
    """Return what a study exports as a frame, with columns of their kinds."""
    frame = frame_of(rows)
    if what == "wide":
        for name, kind in kinds.items():
            frame[name] = _of_kind(frame[name], kind)
    for name in ("asked", "outside") if what == "reads" else ():
        frame[name] = frame[name] == "1"
    for name in {"ask", "revision"} & set(frame.columns):
        frame[name] = pandas().array([int(cell) if cell else None for cell in frame[name]], dtype="Int64")
    return frame


def _of_kind(cells, kind):
    """Return told values of one attribute; a value that is not told or not available is missing."""
    there = [None if cell in ("", "NA") else cell for cell in cells]
    if kind == "number":
        return np.array([np.nan if cell is None else float(cell) for cell in there], dtype=np.float64)
    if kind == "date":
        try:
            return np.array([cell or "NaT" for cell in there], dtype="datetime64[s]")
        except ValueError:  # years of more than four digits
            return there
    return there


def draft_of(frame: Any, target: str) -> tuple[Any, list[tuple[str, int]]]:
    """Return a draft of a schema, and the columns that are left out with their number of categories."""
    frame = _tables.eager(frame)
    if not _tables.is_frame(frame):
        raise TypeError(f"draft takes a frame; got {type(frame).__name__}")
    rows, left_out = _core.draft(_tables.table_of_frame(frame, _tables.frame_names(frame)), target)
    return frame_of_schema(rows), left_out
