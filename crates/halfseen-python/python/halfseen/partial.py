"""Learn from tables that do not fit into memory, part by part, on one machine or on many.

Some fits depend on the rows only by their number, means and second moments: those of ``ridge`` and
``lasso``, and with ``loss='squared'`` of ``zero`` and ``mean``, which take missing values. :class:`Partial`
sums these over parts of the rows, keeps no row, and gives the model that a fit to all rows at once gives, up
to rounding.

``karma`` with ``features='sketch:2048'`` and squared losses goes through the rows twice: first for the sums,
then in their units for sums over the features. Learners that choose their reads, such as ``aerr``, learn from
each row in one stream, which has no parts: :func:`fit_stream` goes through the rows twice for them.
"""

import os
import pathlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from halfseen import _core, _tables
from halfseen import _types as t
from halfseen._parameters import refusal, text_of
from halfseen.model import Model, write

__all__ = ["Partial", "fit_stream"]

#: Rows of a Parquet file that are decoded at a time.
ROWS = 65_536


class Partial:
    """Sums over parts of the rows, from which a learner learns.

    Parts are absorbed anywhere and in any order, and merged: the model has the same bits. Partials pickle, so
    that any engine for tasks can run them: Dask (:mod:`halfseen.dask`), MPI, Spark, or a batch system.

    Parameters
    ----------
    learner : str
        Name of the learner: 'ridge', 'lasso', 'zero' or 'mean'; in two passes also 'karma' with
        ``features='sketch:2048'``.
    target : str
        Name of the column that is predicted.
    units : Partial, optional
        For a learner of two passes, the second time: its merged sums over all rows, made without units and
        with the same parameters. A part whose name they have must have as many rows.
    task : {'auto', 'regression', 'classification'}, default='auto'
        Kind of the target. auto: classes if it holds text, or exactly two distinct numbers.
    ignore : sequence of str, default=()
        Columns that are not attributes.
    scale : {'none', 'common', 'each', 'max'} or None, default=None
        Scaling of attributes, as for estimators. None: 'each'.
    missing : {'keep', 'mean'}, default='keep'
        Missing cells: 'mean' imputes them by the mean of their column; with 'keep' the learners 'zero' and
        'mean' fill them, and the others refuse them.
    bounds : dict of str to pair, optional
        Declared least and largest value of attributes, by which they are scaled.
    **settings : dict
        Parameters of the learner, such as ``radius=2`` or ``loss='squared'``; see ``halfseen learners NAME``.

    Attributes
    ----------
    parts : list of str
        Names of the parts so far, in their order.
    n_rows : int
        Number of rows so far, without those that have no target.

    Raises
    ------
    ValueError
        If the learner needs the rows themselves; the message says what to do instead. If the units are of
        another fit.

    See Also
    --------
    fit_stream : The same for one source, in one call.

    Examples
    --------
    >>> import pandas as pd
    >>> from halfseen import Partial
    >>> rows = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0], "y": [2.0, 4.1, 5.9, 8.0]})
    >>> here, there = Partial("ridge", "y", radius=10), Partial("ridge", "y", radius=10)
    >>> here.absorb(rows[:2], part="monday")
    >>> there.absorb(rows[2:], part="tuesday")
    >>> model = here.merge(there).finish()
    >>> print(model.predict(pd.DataFrame({"a": [2.5]})).round(2))
    [5.]

    Two passes, for a learner that sums over features:

    >>> sums = Partial("karma", "y", features="sketch:64")
    >>> sums.absorb(rows, part="all")
    >>> features = Partial("karma", "y", units=sums, features="sketch:64")
    >>> features.absorb(rows, part="all")
    >>> features.finish().report["examples"]
    4
    """

    # False for rows that are one stream.
    _has_parts = True

    def __init__(
        self,
        learner: str,
        target: str,
        *,
        units: "Partial | None" = None,
        task: Literal["auto", "regression", "classification"] = "auto",
        ignore: Sequence[str] = (),
        scale: t.Scale = None,
        missing: Literal["keep", "mean"] = "keep",
        bounds: Mapping[str, tuple[float, float]] | None = None,
        **settings: Any,
    ) -> None:
        if missing not in ("keep", "mean"):
            raise ValueError(f"missing = {missing!r} must be 'keep' or 'mean'")
        declared: Any = {
            "scale": scale,
            "basis": None,
            "known": [],
            "groups": [],
            "prices": {},
            "bounds": {name: (float(low), float(high)) for name, (low, high) in (bounds or {}).items()},
            "moments": {},
        }
        values = []
        for name, value in settings.items():
            text = text_of(value)
            if text is None:
                raise refusal("Partial", name, "a number, a string, a bool, None or numbers", value)
            values.append((name, text))
        self._sums = _core.Partial(learner, values, target, task, list(ignore), missing == "mean", declared)
        if self._sums.next_pass == "stream" and self._has_parts:
            raise ValueError(
                f"{learner} learns from each row in one stream, and what parts learned cannot be merged: use"
                " fit_stream, partial_fit of its estimator, or a fit to some of the rows (draw_rows)"
            )
        if units is not None:
            self._sums = self._sums.in_units(units._sums)

    @classmethod
    def _of(cls, sums):
        """Return the partial of these sums."""
        made = cls.__new__(cls)
        made._sums = sums
        return made

    @property
    def parts(self) -> list[str]:
        """Names of the parts so far, in their order."""
        return self._sums.parts

    @property
    def n_rows(self) -> int:
        """Number of rows so far, without those that have no target."""
        return self._sums.rows

    def absorb(self, rows: Any, part: str) -> None:
        """Add the rows of a part, all of them or none.

        Parameters
        ----------
        rows : frame, Arrow stream, path or iterable of frames
            The attributes and the target, by name, in any order. A frame of pandas, polars or PyArrow is
            taken whole, a lazy one is collected; anything else with ``__arrow_c_stream__``, a Parquet file
            (its path) or an iterable is taken batch by batch. Columns are copied. Rows without a target are
            left out.
        part : str
            Name of the part. Parts are added up in the order of their names.

        Raises
        ------
        ValueError
            If the part was absorbed before, or its columns or kinds are not those of the parts before; the
            message names the part and the column.
        """
        self._sums.absorb(part, _tables_of(rows))

    def merge(self, other: "Partial") -> "Partial":
        """Take up all parts of another partial, and return this one.

        Parameters
        ----------
        other : Partial
            Sums for the same learner, parameters and declarations, of other parts.

        Returns
        -------
        self : Partial
            The sums of all.

        Raises
        ------
        ValueError
            If the other is of another fit, or a part is in both.
        """
        self._sums.merge(other._sums)
        return self

    def finish(self) -> Model:
        """Fit the learner to the sums of all parts.

        Returns
        -------
        model : Model
            The model of all rows, which predicts from frames and is saved.

        Raises
        ------
        ValueError
            If there are fewer than two rows, the target is constant, or the learner needs every cell and some
            are missing. If the learner goes through the rows a second time, with these sums as units.
        """
        return Model(self._sums.finish())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the sums as a file that ``halfseen merge`` and :meth:`load` read.

        Parameters
        ----------
        path : str or path-like
            Path of the file; an existing one is replaced atomically.
        """
        write(self._sums, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Partial":
        """Load sums that :meth:`save` or ``halfseen fit --partial`` saved.

        Parameters
        ----------
        path : str or path-like
            Path of the file.

        Returns
        -------
        partial : Partial
            The sums.

        Raises
        ------
        ValueError
            If the file holds something else, or is damaged.
        """
        return unpickled(pathlib.Path(path).read_text(encoding="utf-8"))

    def __reduce__(self):
        """Pickle as the text of a file."""
        return unpickled, (self._sums.to_json(),)

    def __repr__(self) -> str:
        """Show the number of parts and rows."""
        return f"Partial(parts={len(self.parts)}, rows={self.n_rows})"


def unpickled(text):
    """Return the partial of a file's text."""
    return Partial._of(_core.Partial.from_json(text))


class _Stream(Partial):
    """Sums over rows that are not divided into parts."""

    _has_parts = False


def fit_stream(rows: Any, target: str, learner: str = "ridge", **settings: Any) -> Model:
    """Fit a learner to rows that come batch by batch, in memory that does not grow with them.

    Parameters
    ----------
    rows : Arrow stream, path or paths, iterable of frames, or callable
        As for :meth:`Partial.absorb`; with several paths all files are read. A callable returns the rows,
        each time from the start. 'karma' and learners that choose their reads go through the rows twice, and
        take a callable, a frame, or a path or paths.
    target : str
        Name of the column that is predicted.
    learner : str, default='ridge'
        Name of the learner, as for :class:`Partial`; or a learner that chooses its reads ('aerr' and the
        other budgeted ones, except 'fiml'). It learns from each row once, in their order: shuffle rows that
        are sorted.
    **settings : dict
        As for :class:`Partial`.

    Returns
    -------
    model : Model
        The model.

    Raises
    ------
    TypeError
        If the learner needs two passes, and the rows can be read only once.

    Examples
    --------
    >>> import pandas as pd
    >>> from halfseen import fit_stream
    >>> days = (pd.DataFrame({"a": [i, i + 1.0], "y": [2.0 * i, 2 * i + 2.0]}) for i in range(50))
    >>> fit_stream(days, "y", radius=10).report["examples"]
    100
    """
    partial = _Stream(learner, target, **settings)
    if partial._sums.next_pass and not _is_read_again(rows):
        raise TypeError(
            f"{learner} goes through the rows twice, and rows of type {type(rows).__name__} come once: pass a"
            " callable that returns them each time from the start, a frame, or the path of a Parquet file"
        )
    partial.absorb(rows() if callable(rows) else rows, "all")
    sums = partial._sums
    if sums.next_pass is None:
        return partial.finish()
    again = rows() if callable(rows) else rows
    if sums.next_pass == "stream":
        return Model(sums.emptied().stream(sums, _tables_of(again)))
    features = Partial._of(sums.emptied().in_units(sums))
    features.absorb(again, "all")
    return features.finish()


def _is_read_again(rows):
    """Return whether rows can be read a second time."""
    rows = _tables.eager(rows)
    if isinstance(rows, (list, tuple)):
        return all(_is_read_again(one) for one in rows)
    return callable(rows) or isinstance(rows, (str, os.PathLike)) or _tables.is_frame(rows)


def _tables_of(rows):
    """Return the batches of rows, with their names, as tables of the library."""
    return (_tables.table_of_frame(batch, _tables.frame_names(batch)) for batch in batches_of(rows))


def batches_of(rows: Any) -> Iterator[Any]:
    """Return frames, one after the other, of anything that holds rows.

    Raises
    ------
    TypeError
        If it holds no rows that have names.
    """
    rows = _tables.eager(rows)
    if isinstance(rows, (str, os.PathLike)):
        yield from _parquet(rows)
    elif _tables.is_frame(rows):
        yield rows
    elif hasattr(rows, "__arrow_c_stream__"):
        import pyarrow

        for batch in pyarrow.RecordBatchReader.from_stream(rows):
            yield pyarrow.Table.from_batches([batch])
    elif isinstance(rows, Iterable) and not hasattr(rows, "dtype"):
        for batch in rows:
            yield from batches_of(batch)
    else:
        raise TypeError(
            f"rows are of type {type(rows).__name__}, which has no names of columns: pass a frame of pandas,"
            " polars or PyArrow, an Arrow stream, the path of a Parquet file, or an iterable of these"
        )


def _parquet(path):
    """Return the row groups of a Parquet file, in batches."""
    import pyarrow
    from pyarrow import parquet

    with parquet.ParquetFile(path) as file:
        for batch in file.iter_batches(batch_size=ROWS):
            yield pyarrow.Table.from_batches([batch])
