"""Convert frames and arrays to columns of numbers and of text, as the program does.

As in the program, strings, categories and booleans are text; integers, floats and decimals are numbers. Dates
are texts such as ``2024-01-31``, in which the library finds the dates. None, NaN, NaT, NA and null are
missing.
"""

import datetime
import decimal
import numbers

import narwhals.stable.v1 as nw
import numpy as np

from halfseen import _core

#: The code of a missing text.
MISSING = np.uint32(0xFFFF_FFFF)
_DATES = (datetime.date, np.datetime64)
_TIMES = (datetime.time, datetime.timedelta, np.timedelta64)
_DATE_TYPES = (nw.Date, nw.Datetime)
_TIME_TYPES = (nw.Duration, nw.Time)


def eager(X):
    """Return a lazy frame with its rows, and everything else as it is."""
    if hasattr(type(X), "collect") or hasattr(type(X), "execute"):
        found = nw.from_native(X, pass_through=True)
        if isinstance(found, nw.LazyFrame):
            return found.collect().to_native()
    return X


def on_host(X, name="X"):
    """Return an array of another library, such as a tensor, as one of NumPy; everything else as it is.

    Raises
    ------
    TypeError
        If its values cannot be read from here, because they are on another device.
    """
    if isinstance(X, np.ndarray) or not hasattr(type(X), "__dlpack__"):
        return X
    try:
        return np.asarray(X)
    except (TypeError, RuntimeError, ValueError, BufferError) as error:
        raise TypeError(
            f"{name} is an array of {type(X).__module__.split('.')[0]} that NumPy cannot read ({error}):"
            " pass a NumPy array, such as tensor.detach().cpu().numpy()"
        ) from None


def column(y):
    """Return targets; those of a lazy frame or another library become an array of NumPy."""
    found = eager(y)
    return on_host(y if found is y else np.ravel(np.asarray(found)), "y")


def rows_of(X):
    """Return the number of rows of a frame, an array or a sparse matrix."""
    return X.shape[0] if hasattr(X, "shape") else len(X)


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
    return [str(name) for name in narwhal(X).columns]


def is_named(X):
    """Return True if the names of a frame's columns are strings; otherwise columns go by position."""
    return all(isinstance(name, str) for name in X.columns) if hasattr(X, "columns") else True


def columns_without_numbers(X):
    """Return the names of a frame's columns without numbers, and of those the dates.

    Both are empty if X is not a frame.

    Raises
    ------
    ValueError
        If two columns share a name.
    """
    if not is_frame(X):
        return [], []
    series = [of for of in narwhal(X).iter_columns() if not (of.dtype.is_numeric() or of.dtype == nw.Boolean)]
    dates = [str(of.name) for of in series if isinstance(of.dtype, _DATE_TYPES)]
    return [str(of.name) for of in series], dates


def has_dates(X):
    """Return True if a column of a frame holds dates, times or durations."""
    return is_frame(X) and any(
        isinstance(of, (*_DATE_TYPES, *_TIME_TYPES)) for of in narwhal(X).schema.values()
    )


def table_of_frame(X, names, dates=()):
    """Return a frame as a table of the library, with these column names.

    Dates are texts such as ``2024-01-31``, or in the columns ``dates`` numbers: days since 1970-01-01.
    """
    frame = narwhal(X)
    columns = [
        (name, _cells(series, name, name in dates))
        for series, name in zip(frame.iter_columns(), names, strict=True)
    ]
    return _core.Table.columns(len(frame), columns)


def table_of_array(X, names, dates=()):
    """Return a two-dimensional array as a table of the library; numbers are not copied.

    Raises
    ------
    TypeError
        If a column holds neither numbers nor texts nor dates, or several of these.
    """
    if X.dtype.kind in "biuf":
        return _core.Table.dense(np.asarray(X, dtype=np.float64), names)
    if X.dtype.kind not in "OUTM":
        raise _refused(f"X of dtype {X.dtype}", X.dtype.kind == "m")
    of = (
        _of_instants
        if X.dtype.kind == "M"
        else lambda cells, name, days: _of_objects(cells.tolist(), name, days)
    )
    columns = [(name, of(X[:, j], name, name in dates)) for j, name in enumerate(names)]
    return _core.Table.columns(X.shape[0], columns)


def narwhal(X):
    """Return a frame as one of narwhals; two columns of one name are refused."""
    try:
        return nw.from_native(X, eager_only=True)
    except nw.exceptions.DuplicateError:
        names = [str(name) for name in X.columns]
        twice = next((name for at, name in enumerate(names) if name in names[:at]), "")
        raise ValueError(f"two columns of X have one name, {twice!r}; rename one of them") from None


def _cells(series, name, days):
    """Return a column as numbers, or as codes and texts."""
    dtype = series.dtype
    if dtype.is_numeric():
        # Nulls become NaN.
        return np.ascontiguousarray(series.cast(nw.Float64).to_numpy(), dtype=np.float64)
    if dtype in (nw.String, nw.Categorical, nw.Enum, nw.Boolean):
        return _coded(series.to_list())
    if dtype == nw.Object:
        return _of_objects(series.to_list(), name, days)
    if series.null_count() == len(series):
        return np.full(len(series), np.nan)
    if isinstance(dtype, _DATE_TYPES):
        if getattr(dtype, "time_zone", None) is not None:
            series = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
        cells = series.to_numpy()
        if cells.dtype.kind == "M":
            return _of_instants(cells, name, days)
        return _of_objects(series.to_list(), name, days)
    raise _refused(f"column '{name}' of type {dtype}", isinstance(dtype, _TIME_TYPES))


def _of_instants(cells, name, days):
    """Return a column of datetime64 as codes and texts, or as days."""
    there = ~np.isnat(cells)
    found, codes = np.unique(cells[there], return_inverse=True)
    all_codes = np.full(len(cells), MISSING, dtype=np.uint32)
    all_codes[there] = codes
    return _dated(all_codes, [str(np.datetime_as_string(of, unit="auto")) for of in found], days)


def _dated(codes, texts, days):
    """Return dates that are coded as they are, or as days."""
    if not texts:
        return np.full(len(codes), np.nan)
    if not days:
        return codes, texts
    found = np.append(_core.days(texts), np.nan)
    return found[np.minimum(codes, len(texts))]


def _of_objects(cells, name, days=False):
    """Return a column of objects as numbers, or as codes and texts."""
    kinds = {}
    for row, cell in enumerate(cells):
        if not is_missing(cell):
            kinds.setdefault(kind_of(cell), row)
    for odd in kinds.keys() & {"time", "other"}:
        cell = cells[kinds[odd]]
        raise _refused(
            f"column '{name}', row {kinds[odd]}: {cell!r} of type {type(cell).__name__}", odd == "time"
        )
    for apart, plural in (("text", "texts"), ("date", "dates")):
        if apart in kinds and len(kinds) > 1:
            row = kinds.pop(apart)
            rest, other = ("dates", kinds["date"]) if "date" in kinds else ("numbers", min(kinds.values()))
            raise TypeError(
                f"column '{name}' holds {plural} and {rest} ({cells[row]!r} in row {row},"
                f" {cells[other]!r} in row {other}): every argument must be a string, or every one a number;"
                " correct those cells, or make all of them strings"
            )
    if "date" in kinds:
        return _dated(*_coded(cells), days)
    if "text" in kinds or kinds.keys() == {"truth"}:
        return _coded(cells)
    return np.array([np.nan if is_missing(cell) else float(cell) for cell in cells], dtype=np.float64)


def kind_of(cell):
    """Return the kind of a cell: text, truth, time, date, number or other."""
    if isinstance(cell, str):
        return "text"
    if isinstance(cell, bool | np.bool_):
        return "truth"
    if isinstance(cell, _TIMES):
        return "time"
    if isinstance(cell, _DATES):
        return "date"
    return "number" if isinstance(cell, numbers.Real | decimal.Decimal) else "other"


def is_missing(cell):
    """Return True for None, NaN, NaT and NA."""
    return (
        cell is None
        or type(cell).__name__ in ("NAType", "NaTType")
        or (isinstance(cell, numbers.Number | np.datetime64) and cell != cell)
    )


def _coded(cells):
    """Return the codes of texts, and the texts in order of first appearance."""
    known, codes = {}, np.empty(len(cells), dtype=np.uint32)
    for row, cell in enumerate(cells):
        codes[row] = MISSING if is_missing(cell) else known.setdefault(written(cell), len(known))
    return codes, list(known)


def written(cell):
    """Format a category as the program's readers do."""
    if isinstance(cell, str):
        return cell
    if isinstance(cell, bool | np.bool_):
        return "true" if cell else "false"
    if isinstance(cell, np.datetime64):
        return str(np.datetime_as_string(cell, unit="auto"))
    if isinstance(cell, datetime.date):
        return cell.isoformat().removesuffix("T00:00:00")
    if isinstance(cell, numbers.Real) and float(cell).is_integer():
        return str(int(cell))
    return str(cell)


def _refused(what, times):
    if times:
        return TypeError(
            f"{what} holds times of day or durations, which learners do not accept; make numbers of them"
            " first, such as hours"
        )
    return TypeError(f"{what}: the argument must be a string or a number in every cell")
