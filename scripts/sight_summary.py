"""Sum up what scripts/sight.py found: paired differences over the splits, times, intervals, and fiml's own test."""

from collections.abc import Iterable

import numpy as np
import pandas as pd

PAIRS = [("curves", "hgb"), ("curves", "fiml"), ("fiml", "hgb"), ("fiml", "norm"), ("curves", "norm"), ("own reads", "fiml")]
OURS = ["fiml", "curves", "own reads"]
WITHIN = 1.02


class Pair:
    """One method against another, cell by cell: their errors and the paired difference over the splits."""

    def __init__(self, frame: pd.DataFrame, one: str, other: str) -> None:
        both = frame.dropna(subset=[one, other])
        difference = (both[one] - both[other]).groupby([both["table"], both["k"]], sort=False)
        self.mean, self.error = difference.mean(), difference.std() / np.sqrt(difference.count())
        means = both.groupby(["table", "k"], sort=False)[[one, other]].mean()
        self.ratio, self.name = means[one] / means[other], f"{one} over {other}"

    def worse(self, sign: float = 1.0) -> pd.Series:
        """Return where the one is worse by more than two standard errors (for -1: better)."""
        # What rounding makes of equal errors is no difference.
        return sign * self.mean > np.maximum(2 * self.error, 1e-9)

    def places(self, which: pd.Series) -> str:
        """Return the cells, each with its difference and standard error."""
        cells = [f"{table} k = {k} ({self.mean[table, k]:+.4f} +- {self.error[table, k]:.4f})" for table, k in which[which].index]
        return ", ".join(cells) or "none"

    def line(self) -> str:
        """Return counts and ratios in one line."""
        if self.ratio.empty:
            return f"{self.name}: no cell has both"
        return (
            f"{self.name}: median {self.ratio.median():.3f}, geometric mean {np.exp(np.log(self.ratio).mean()):.3f}; "
            f"smaller in {(self.ratio < 1).sum()} of {len(self.ratio)}; by more than two standard errors smaller in "
            f"{self.worse(-1).sum()}, larger in {self.worse().sum()}"
        )


def share(values: Iterable[bool]) -> str:
    """Return how many of how many."""
    values = list(values)
    return f"{sum(values)} of {len(values)}" + (f" ({np.mean(values):.0%})" if values else "")


def boosting(frame: pd.DataFrame) -> list[str]:
    """Say where curves lose against boosting, with and without the tables that boosting fits better than additive ridge."""
    few = frame[frame["k"] <= 8]
    pair, whole = Pair(few, "curves", "hgb"), Pair(few, "additive", "hgb")
    able = ~whole.worse()
    lines = [
        f"HistGradientBoosting, same reads, k <= 8: curves worse by more than two standard errors: {share(pair.worse())}; "
        f"median ratio {pair.ratio.median():.3f}",
        f"  worse: {pair.places(pair.worse())}",
    ]
    if able.any():
        lines += [
            f"  where additive ridge on everything is not worse than it either: {share(pair.worse()[able])}; "
            f"median ratio {pair.ratio[able].median():.3f}",
            f"  worse: {pair.places(pair.worse() & able)}",
        ]
    return lines


def rivals(frame: pd.DataFrame, lavaan: bool) -> list[str]:
    """Compare fiml with the other fits of a Gaussian, errors and CPU seconds."""
    lines = []
    lavaan = lavaan and "lavaan fit" in frame
    if lavaan:
        fits = frame["lavaan fit"].value_counts()
        lines.append("lavaan: " + ", ".join(f"{count} {what}" for what, count in fits.items()))
    for other in ("lavaan", "norm") if lavaan else ("norm",):
        usable = frame[frame["lavaan fit"] == "converged"] if other == "lavaan" else frame
        if other not in frame or usable[other].dropna().empty:
            lines.append(f"{other}: no fit to compare with")
            continue
        pair = Pair(usable, "fiml", other)
        near = pair.ratio <= WITHIN
        seconds = usable[f"{other} seconds"] / usable["fiml seconds"]
        lines += [
            f"fiml within 2 % of {other} or better: {share(near)} cells, median ratio {pair.ratio.median():.3f}; "
            f"CPU seconds of {other} over those of fiml: median {seconds.median():.1f}, "
            f"from {seconds.min():.1f} to {seconds.max():.1f}",
            "  not within: " + (", ".join(f"{t} k = {k} ({pair.ratio[t, k]:.3f})" for t, k in near[~near].index) or "none"),
        ]
    return lines


def intervals(frame: pd.DataFrame) -> list[str]:
    """Say how often intervals of 90 % contain the target."""
    lines = []
    for method in OURS:
        for kind, rows in (("numbers", frame[frame["classes"] == 0]), ("two classes", frame[frame["classes"] == 1])):
            if rows.empty:
                continue
            parts = []
            for what, of in (("covered", "complete rows"), ("covered, halved", "half of the cells")):
                tables = rows.groupby("table")[f"{method} {what}"].mean()
                cells = rows.groupby(["table", "k"])[f"{method} {what}"].mean()
                least = f"least {cells.min():.3f} ({cells.idxmin()[0]} k = {cells.idxmin()[1]})"
                parts.append(f"{of} {tables.mean():.3f}, {least}")
            lines.append(f"intervals of 90 %, {method}, {kind}, mean over {len(tables)} tables: " + "; ".join(parts))
    return lines


def own_tests(frame: pd.DataFrame) -> list[str]:
    """Say how far the own test is from the error on test rows, in its own standard errors."""
    lines = []
    for method in OURS:
        printed = frame[f"{method} own test"].notna()
        rows = frame[printed]
        parts = []
        for what, error, of in (("unclipped", f"{method} unclipped", "unclipped"), ("clipped", method, "error")):
            off = rows[f"{method} own test"] - rows[error]
            own = rows[f"{method} own error"]
            both = np.hypot(own, rows[f"{method} {of}, standard error"])
            parts.append(
                f"of {what} predictions within two of its standard errors {share(off.abs() <= 2 * own)}, "
                f"of these and the test rows' {share(off.abs() <= 2 * both)}, median {(off / own).median():+.2f}"
            )
        lines.append(f"own test, {method}: printed {share(printed)}; " + "; ".join(parts))
    return lines


def summary(frame: pd.DataFrame, lavaan: bool) -> str:
    """Return all of it, a line for each fact."""
    curves = Pair(frame, "curves", "fiml")
    lines = ["", *(Pair(frame, one, other).line() for one, other in PAIRS), "", *boosting(frame)]
    lines += ["", f"additive (auto) worse than linear by more than two standard errors: {curves.places(curves.worse())}"]
    lines += [f"  better: {curves.places(curves.worse(-1))}"]
    return "\n".join([*lines, "", *rivals(frame, lavaan), "", *intervals(frame), "", *own_tests(frame)])
