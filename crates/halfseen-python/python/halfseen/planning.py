"""Plan a collection of data before any is read: guaranteed errors, or the reads that guarantee one."""

import html
import json
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from halfseen import _core
from halfseen._parameters import refusal
from halfseen._refused import OutOfRange

if TYPE_CHECKING:
    from pandas import DataFrame as _DataFrame

__all__ = ["Plan", "plan"]

#: Columns of the frame, and their headings in tables.
_COLUMNS = {
    "learner": "learner",
    "budget": "reads each",
    "examples": "examples",
    "reads": "all reads",
    "excess": "excess error",
    "theorem": "theorem",
}


class Plan:
    """Result of :func:`plan`, which makes it.

    Parameters
    ----------
    rows : list of dict
        Plans of the library, one for each learner with a theorem.

    Attributes
    ----------
    rows : list of dict
        One for each learner with a theorem, also for those whose theorem says nothing here (``status`` and
        ``note`` say why).
    frame : pandas.DataFrame
        The plans with a bound by learner, the smallest excess error (then the fewest reads) first. It needs
        pandas.
    """

    def __init__(self, rows: list[dict[str, Any]]):
        self.rows = rows

    @property
    def _known(self):
        """Return the plans with a bound, the best first."""
        known = [row for row in self.rows if row["excess"] is not None]
        return sorted(known, key=lambda row: (row["excess"], row["reads"] or np.inf))

    @cached_property
    def frame(self) -> "_DataFrame":
        """Return the plans with a bound as a frame of pandas."""
        try:
            import pandas
        except ImportError as error:
            raise ImportError("frames need pandas: pip install pandas") from error
        columns = [*_COLUMNS, "says_something"]
        return pandas.DataFrame(self._known, columns=columns).set_index("learner")

    def in_words(self) -> str:
        """Return what the best plan guarantees.

        Returns
        -------
        text : str
            One or two sentences.
        """
        useful = [row for row in self._known if row["says_something"]]
        if not useful:
            return (
                "No theorem guarantees anything here: predicting 0 is always within the bounds. Plan for more"
                " examples or reads, or a smaller radius."
            )
        best = useful[0]
        return (
            f"{best['learner']} with {best['budget']:,} reads of each of {best['examples']:,} examples"
            f" ({best['reads']:,} reads): its mean squared error is on average at most {best['excess']:.3g}"
            " above that of the best linear model of this norm."
        )

    def __repr__(self) -> str:
        """Return the table and the sentence."""
        lines = [list(_COLUMNS.values()), *self._cells()]
        widths = [max(len(line[at]) for line in lines) for at in range(len(_COLUMNS))]
        table = "\n".join(
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
            for line in lines
        )
        return f"{table}\n{self.in_words()}"

    def _repr_html_(self) -> str:
        """Return the table and the sentence for notebooks."""
        head = "".join(f"<th>{name}</th>" for name in _COLUMNS.values())
        rows = "".join(
            f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in line)}</tr>" for line in self._cells()
        )
        return f"<table><tr>{head}</tr>{rows}</table><p>{html.escape(self.in_words())}</p>"

    def _cells(self):
        """Return the cells of the table; a star marks a bound that predicting 0 is within."""
        return [
            [
                row["learner"],
                f"{row['budget']:,}",
                "-" if row["examples"] is None else f"{row['examples']:,}",
                "-" if row["reads"] is None else f"{row['reads']:,}",
                f"{row['excess']:.4g}" + ("" if row["says_something"] else " *"),
                row["theorem"],
            ]
            for row in self._known
        ]


def plan(
    dims: int,
    *,
    radius: float,
    budget: int | None = None,
    total_budget: int | None = None,
    examples: int | None = None,
    error: float | None = None,
    radius2: float | None = None,
    norm: float = 1.0,
    moments: ArrayLike | None = None,
    confidence: float | None = None,
    phase1: float | None = None,
) -> Plan:
    """Plan a collection of data: the error that theorems guarantee, or the reads that guarantee one.

    Theorems hold for attributes in units in which their absolute values are at most 1. They compare a learner
    with the best linear model whose weights have at most the norm ``radius``. Give ``budget``, the reads of
    each example, or ``total_budget``, the reads in all; and ``examples`` or ``error``. The figures are those
    of the program's ``halfseen plan``, which also plans with prices.

    Parameters
    ----------
    dims : int
        Number of attributes that can be read.
    radius : float
        Largest norm of the linear model: the sum of the absolute weights (``aer``, ``aelr``, ``ddaelr``), or
        the root of the sum of their squares (``aerr``, ``ddaerr``).
    budget : int or None, default=None
        Reads of each example, all counted.
    total_budget : int or None, default=None
        Reads in total, instead of ``budget``; each learner gets its best number of reads of an example.
    examples : int or None, default=None
        Number of examples that will be available; with ``total_budget`` the largest such number.
    error : float or None, default=None
        Excess error to reach, instead of ``examples``: mean squared error above that of the best linear
        model.
    radius2 : float or None, default=None
        For ``aer``: bound on the root of the sum of squared weights; None: ``radius``.
    norm : float, default=1.0
        For ``aerr`` and ``ddaerr``: bound on the Euclidean norm of an example.
    moments : array-like of shape (dims,) or None, default=None
        Mean of the square of each attribute, in the same units; None: the worst case.
    confidence : float or None, default=None
        Probability with which the first phase of a learner in two phases may mislead; None: 0.05.
    phase1 : float or None, default=None
        Share of the examples in that first phase; None: the library's.

    Returns
    -------
    plan : Plan
        The plans as rows, as a frame and in words.

    Raises
    ------
    ValueError
        If a number is out of its range, or it is not clear what is asked for.

    Examples
    --------
    >>> from halfseen import plan
    >>> found = plan(100, radius=1.0, budget=4, error=0.5)
    >>> next(row["examples"] for row in found.rows if row["learner"] == "aerr")
    2134
    """
    if (budget is None) == (total_budget is None):
        raise ValueError(
            "give budget, the reads of each example, or total_budget, the reads in all: one of them"
        )
    if examples is not None and error is not None:
        raise ValueError("give examples or error, and not both")
    if total_budget is None and examples is None and error is None:
        raise ValueError("give examples, the number that will be available, or error, the excess to reach")
    each = min(dims, 2) if budget is None else budget
    if total_budget is not None and total_budget < each:
        raise refusal("plan", "total_budget", f"at least {each}, the reads of one example", total_budget)
    if moments is not None:
        moments = np.ascontiguousarray(moments, dtype=np.float64).ravel().tolist()
        if len(moments) != dims:
            raise ValueError(f"moments holds {len(moments)} numbers for {dims} attributes: give one for each")
    given: dict[str, Any] = {
        "dims": dims, "budget": each, "total_budget": total_budget, "radius": radius, "radius2": radius2,
        "norm": norm, "moments": moments, "confidence": confidence, "phase1": phase1, "error": error,
        "examples": examples,
    }  # fmt: skip
    try:
        return Plan(json.loads(_core.plan(**given)))
    except OutOfRange as refused:
        if refused.name not in given:
            raise
        raise refusal("plan", refused.name, refused.allowed, given[refused.name]) from None
    except OverflowError:
        raise ValueError(
            "dims, budget, total_budget and examples must be whole numbers of at least 0"
        ) from None
