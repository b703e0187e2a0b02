"""Convert frames and arrays to columns of numbers and of text, as the program does.

As in the program, strings, categories and booleans are text; integers, floats and decimals are numbers. None,
NaN, NA and null are missing.
"""

import datetime
import decimal
import numbers

import narwhals.stable.v1 as nw
import numpy as np

from halfseen import _core

#: The code of a missing text.
MISSING = np.uint32(0xFFFF_FFFF)
_DATES = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)
_DATE_TYPES = (nw.Date, nw.Datetime, nw.Duration, nw.Time)


def is_frame(X):
    """Return True for a frame of pandas, polars or another library that narwhals supports."""
    return nw.dependencies.is_into_dataframe(X)


def frame_names(X):
    """Return the names of a frame's columns, as strings.

    Raises
    ------
    ValueError
        If two columns share a name.
    """
    return [str(name) for name in _narwhal(X).columns]


def is_named(X):
    """Return True if the names of a frame's columns are strings; otherwise columns go by position."""
    return all(isinstance(name, str) for name in X.columns) if hasattr(X, "columns") else True


def columns_without_numbers(X):
    """Return the names of a frame's columns without numbers; none if X is not a frame."""
    if not is_frame(X):
        return []
    series = nw.from_native(X, eager_only=True).iter_columns()
    return [
        str(column.name) for column in series if not (column.dtype.is_numeric() or column.dtype == nw.Boolean)
    ]


def table_of_frame(X, names):
    """Return a frame as a table of the library, with these column names."""
    frame = _narwhal(X)
    columns = [(name, _cells(series, name)) for series, name in zip(frame.iter_columns(), names, strict=True)]
    return _core.Table.columns(len(frame), columns)


def table_of_array(X, names):
    """Return a two-dimensional array as a table of the library; numbers are not copied.

    Raises
    ------
    TypeError
        If a column holds neither numbers nor text, or some of each.
    """
    if X.dtype.kind in "biuf":
        return _core.Table.dense(np.asarray(X, dtype=np.float64), names)
    if X.dtype.kind not in "OUT":
        raise _refused(f"X of dtype {X.dtype}", X.dtype.kind in "mM")
    columns = [(name, _of_objects(X[:, j].tolist(), name)) for j, name in enumerate(names)]
    return _core.Table.columns(X.shape[0], columns)


def _narwhal(X):
    try:
        return nw.from_native(X, eager_only=True)
    except nw.exceptions.DuplicateError as error:
        raise ValueError(f"two columns of X have one name; rename one of them ({error})") from None


def _cells(series, name):
    """Return a column as numbers, or as codes and texts."""
    dtype = series.dtype
    if dtype.is_numeric():
        # Nulls become NaN.
        return np.ascontiguousarray(series.cast(nw.Float64).to_numpy(), dtype=np.float64)
    if dtype in (nw.String, nw.Categorical, nw.Enum, nw.Boolean):
        return _coded(series.to_list())
    if dtype == nw.Object:
        return _of_objects(series.to_list(), name)
    if series.null_count() == len(series):
        return np.full(len(series), np.nan)
    raise _refused(f"column '{name}' of type {dtype}", isinstance(dtype, _DATE_TYPES))


def _of_objects(cells, name):
    """Return a column of objects as numbers, or as codes and texts."""
    kinds = {}
    for row, cell in enumerate(cells):
        if not _is_missing(cell):
            kinds.setdefault(_kind(cell), row)
    for date in kinds.keys() & {"date", "other"}:
        cell = cells[kinds[date]]
        raise _refused(
            f"column '{name}', row {kinds[date]}: {cell!r} of type {type(cell).__name__}", date == "date"
        )
    if "text" in kinds and len(kinds) > 1:
        text, number = kinds.pop("text"), min(kinds.values())
        raise TypeError(
            f"column '{name}' holds texts and numbers ({cells[text]!r} in row {text},"
            f" {cells[number]!r} in row {number}): every argument must be a string, or every one a number;"
            " correct those cells, or make all of them strings"
        )
    if "text" in kinds or kinds.keys() == {"truth"}:
        return _coded(cells)
    return np.array([np.nan if _is_missing(cell) else float(cell) for cell in cells], dtype=np.float64)


def _kind(cell):
    if isinstance(cell, str):
        return "text"
    if isinstance(cell, bool | np.bool_):
        return "truth"
    if isinstance(cell, numbers.Real | decimal.Decimal):
        return "number"
    return "date" if isinstance(cell, _DATES) else "other"


def _is_missing(cell):
    return (
        cell is None
        or type(cell).__name__ in ("NAType", "NaTType")
        or (isinstance(cell, numbers.Number) and cell != cell)
    )


def _coded(cells):
    """Return the codes of texts, and the texts in order of first appearance."""
    known, codes = {}, np.empty(len(cells), dtype=np.uint32)
    for row, cell in enumerate(cells):
        codes[row] = MISSING if _is_missing(cell) else known.setdefault(_written(cell), len(known))
    return codes, list(known)


def _written(cell):
    """Format a category as the program's readers do."""
    if isinstance(cell, str):
        return cell
    if isinstance(cell, bool | np.bool_):
        return "true" if cell else "false"
    if isinstance(cell, numbers.Real) and float(cell).is_integer():
        return str(int(cell))
    return str(cell)


def _refused(what, dates):
    if dates:
        return TypeError(
            f"{what} holds dates or times, which learners do not accept; make numbers of them first,"
            " such as days since a date, or texts, such as the name of the month"
        )
    return TypeError(f"{what}: the argument must be a string or a number in every cell")
