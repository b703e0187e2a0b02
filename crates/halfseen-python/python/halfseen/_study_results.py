"""Define what a study returns: the results of telling answers, and its status."""

import json
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, NamedTuple

from halfseen.errors import RowProblem

if TYPE_CHECKING:
    from pandas import DataFrame as _DataFrame  # private: without the types of pandas it is none at run time


@dataclass(frozen=True)
class Told:
    """Result of telling a frame of answers.

    Attributes
    ----------
    rows : int
        Number of rows.
    stored : int
        Values that were stored; with ``check``, that would be.
    repeated : int
        Values that were stored before.
    unasked : int
        Values stored that nobody asked for.
    outside : int
        Values stored that lie outside their range.
    completed : int
        Asks that are complete now.
    refused : list of RowProblem
        Rows that were refused; nothing of them was stored.
    flagged : list of RowProblem
        Values to look at: outside their range, or not asked for.
    """

    rows: int
    stored: int
    repeated: int
    unasked: int
    outside: int
    completed: int
    refused: list[RowProblem]
    flagged: list[RowProblem]


class Spending(NamedTuple):
    """Use of a limit, in reads or in money.

    Attributes
    ----------
    made : float
        Made.
    promised : float
        Asked for and not told yet.
    limit : float or None
        Limit; None: none.
    left : float or None
        Rest of it.
    """

    made: float
    promised: float
    limit: float | None
    left: float | None


@dataclass(frozen=True, repr=False)
class StudyStatus:
    """Status of a study; also ``status["open"]`` and ``dict(status)``.

    Attributes
    ----------
    learner, target : str
        Names of the learner and of the target.
    subjects, withdrawn : int
        Number of subjects, and of those withdrawn.
    open, partial, complete, released : int
        Number of asks that are open, of those that are answered in part, that are complete, and that were
        given up.
    oldest_days, median_days : float or None
        Age of the open asks.
    missing, outside, unasked, amended : int
        Number of values that are not available, that lie outside their range, that nobody asked for, and
        that were amended.
    reads, cost : Spending
        Reads and money that are made, promised and left.
    never_read : list of str
        Attributes that were never read.
    pairs_apart : int or None
        Number of pairs of attributes that no subject shows together; None for more than 2,000 attributes.
    apart : list of (str, str)
        The first of them.
    risk, risk_error : float or None
        The learner's own estimate of its mean squared error, in the target's units squared, and the standard
        error of that.
    """

    learner: str
    target: str
    subjects: int
    withdrawn: int
    open: int
    partial: int
    complete: int
    released: int
    oldest_days: float | None
    median_days: float | None
    missing: int
    outside: int
    unasked: int
    amended: int
    reads: Spending
    cost: Spending
    never_read: list[str]
    pairs_apart: int | None
    apart: list[tuple[str, str]]
    risk: float | None = None
    risk_error: float | None = None

    def keys(self) -> list[str]:
        """Return the names of the attributes."""
        return [field.name for field in fields(self)]

    def __getitem__(self, name: str) -> Any:
        """Return an attribute by its name."""
        if name not in self.keys():
            raise KeyError(name)
        return getattr(self, name)

    def __repr__(self) -> str:
        """Show the status as the program does."""
        ages = ""
        if self.oldest_days is not None and self.median_days is not None:
            days = f"{self.median_days:.0f} days old (median), at most {self.oldest_days:.0f}"
            ages = f"{self.partial} in part; {days}"
        rows: list[tuple[str, float, str]] = [
            ("subjects", self.subjects, f"of which {self.withdrawn} withdrawn" if self.withdrawn else ""),
            ("complete", self.complete, ""),
            ("open", self.open, ages),
            ("given up", self.released, ""),
            ("values missing", self.missing, ""),
            ("values out of range", self.outside, ""),
            ("values not asked for", self.unasked, ""),
            ("values amended", self.amended, ""),
            ("reads made", self.reads.made, _left(self.reads)),
            ("money spent", self.cost.made, _left(self.cost)),
        ]
        if self.risk is not None:
            error = "" if self.risk_error is None else f"+- {self.risk_error:.3g}"
            rows.append(("error (own test)", self.risk, error))
        lines = [f"{self.learner} learns {self.target}"]
        lines += [f"  {name:<21} {value:>10,.6g}  {remark}".rstrip() for name, value, remark in rows]
        if self.never_read:
            more = ", ..." if len(self.never_read) > 10 else ""
            lines.append(f"never read: {', '.join(self.never_read[:10])}{more}")
        if self.pairs_apart:
            such = ", ".join(f"{a} with {b}" for a, b in self.apart[:5])
            lines.append(f"never read of one subject: {self.pairs_apart:,} pairs, such as {such}")
        return "\n".join(lines)


@dataclass(frozen=True)
class StudyCurve:
    """The learner's own error over the number of examples.

    Errors are mean squared errors by the learner's own test, in the target's units squared.

    Attributes
    ----------
    points : DataFrame
        ``examples``, ``reads`` and ``cost`` up to there, ``error``, ``standard_error``, and ``low`` and
        ``high``, the ends of a 90 % interval.
    test : str
        The test: 'held_out', each example predicted by a fit to the others; or 'progressive', each predicted
        before it was learned from.
    variance : float
        Variance of the target: the error of predicting its mean.
    """

    points: "_DataFrame"
    test: str
    variance: float


def curve_of(text: str, pandas: Any) -> StudyCurve:
    """Return the curve that the library wrote."""
    curve = json.loads(text)
    names = ("examples", "reads", "cost", "error", "standard_error", "low", "high")
    points = pandas.DataFrame({name: [point[name] for point in curve["points"]] for name in names})
    return StudyCurve(points, curve["test"], curve["variance"])


def status_of(text: str, last: dict[str, Any] | None) -> StudyStatus:
    """Return the status that the library wrote, with the last point of the curve of its error."""
    found = json.loads(text)
    for limit in ("reads", "cost"):
        found[limit] = Spending(**found[limit])
    found["apart"] = [(first, second) for first, second in found["apart"]]
    if last is not None:
        found |= {"risk": last["error"], "risk_error": last["standard_error"]}
    return StudyStatus(**found)


def told_of(text: str, labels: list[Any], before: list[tuple[int, RowProblem]]) -> Told:
    """Return what the library says became of answers, with rows by their labels.

    ``before`` are the positions and problems of rows that the library never saw.
    """
    found = json.loads(text)

    def problems(rows, more):
        own = [(of["line"], RowProblem(labels[of["line"]], of["subject"], of["problem"])) for of in rows]
        return [problem for _, problem in sorted([*own, *more], key=lambda of: of[0])]

    refused, flagged = problems(found.pop("refused"), before), problems(found.pop("flagged"), [])
    del found["lines"]
    return Told(rows=len(labels), refused=refused, flagged=flagged, **found)


def _left(spending: Spending) -> str:
    said = [f"{spending.promised:g} more asked for"] if spending.promised > 0 else []
    if spending.limit is not None:
        said.append(f"{spending.left:g} of {spending.limit:g} left")
    return ", ".join(said)
