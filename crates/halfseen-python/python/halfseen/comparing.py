"""Compare learners on one table: the same random splits, each tuned on the training part only."""

import html
import json
import numbers
from collections.abc import Mapping, Sequence
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import scipy.sparse
from numpy.typing import ArrayLike
from sklearn.utils import column_or_1d

from halfseen import _attributes, _core, _tables
from halfseen import _types as t
from halfseen._parameters import progress_of, refusal, seed_of, text_of, threads_of
from halfseen.suggesting import Suggestion, classes_of, of_json, of_learner

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame as _DataFrame  # private: without the types of pandas it is none at run time

__all__ = ["Comparison", "compare"]

#: The learner that predicts the mean or the most frequent class of the training rows.
CONSTANT = "constant"

#: Keys of a summary that the library leaves out where no learner has them.
_KEYS = [
    f"{figure}_{of}"
    for figure in ("test_mse", "test_error", "attacked_mse", "attacked_error", "spent")
    for of in ("mean", "sd", "median")
]


def compare(
    X: t.Matrix,
    y: ArrayLike,
    *,
    learners: Sequence[str] | None = None,
    budget: int | None = None,
    threat: float | None = None,
    attack: str = "exact",
    task: Literal["auto", "regression", "classification"] = "auto",
    tune: int | None = 3,
    splits: int = 5,
    test_size: float = 0.1,
    row_groups: ArrayLike | None = None,
    settings: Mapping[str, Any] | None = None,
    scale: t.Scale = None,
    basis: t.Basis = None,
    known: t.Names = None,
    groups: t.Groups = None,
    prices: t.ByAttribute = None,
    bounds: t.ByAttribute = None,
    random_state: t.Seed = 0,
    n_jobs: int | None = None,
    verbose: t.Verbose = False,
) -> "Comparison":
    """Compare learners on random splits of a table, as the program's ``compare`` does.

    Parameters
    ----------
    X : {array-like, sparse matrix} or frame of shape (n_samples, n_features)
        The examples. NaN and None are missing values; texts of a frame are categories.
    y : array-like of shape (n_samples,)
        The targets.
    learners : list of str, optional
        Names of learners, as in ``halfseen learners``; None: those that suit the table.
    budget : int, optional
        Number of attributes of each training row that budgeted learners may read; None: 4.
    threat : float, optional
        Number of attributes of each test row that an adversary deletes, or their total cost; robust learners
        prepare for it.
    attack : str, default='exact'
        The attack; see :func:`halfseen.robust.attack`.
    task : {'auto', 'regression', 'classification'}, default='auto'
        Kind of the targets, as in :func:`halfseen.suggest`.
    tune : int or None, default=3
        Number of folds of the cross-validation that chooses parameters on the training rows of each split. It
        reads more than a budget allows. None: no tuning, and nothing is read beyond the budget.
    splits : int, default=5
        Number of random splits.
    test_size : float, default=0.1
        Share of test rows.
    row_groups : array-like of shape (n_samples,), optional
        Labels of rows that stay together in a split, as those of one person.
    settings : mapping of str to value, optional
        Values of parameters, for every learner that has them; they are not tuned.
    scale : {'none', 'common', 'each', 'max'} or None, default=None
        Scaling of attributes, as in estimators.
    basis : {'none', 'hats'} or None, default=None
        Functions of each attribute beside its value, as in estimators.
    known : list of str or int, or None, default=None
        Attributes whose values are known for every example, at no cost.
    groups : dict of str to list, or None, default=None
        Attributes that are read together: name of the panel -> names or indices of its columns.
    prices : dict or None, default=None
        Price of one read of an attribute: name or index -> price; 1 for others.
    bounds : dict or None, default=None
        Declared range of an attribute: name or index -> (low, high).
    random_state : int, RandomState instance or None, default=0
        Seed of the splits and the learners.
    n_jobs : int or None, default=None
        Number of threads: None means 1, -1 one per processor. Results do not depend on it.
    verbose : bool or callable, default=False
        True to show progress on stderr; or a function of (done, total).

    Returns
    -------
    comparison : Comparison
        Errors on test rows, what was read, learning curves.

    Raises
    ------
    ValueError
        If a learner is unknown or cannot learn such targets, or the data cannot be used.

    See Also
    --------
    suggest : Names one learner without a fit.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> import halfseen
    >>> X, y = load_diabetes(return_X_y=True)
    >>> found = halfseen.compare(X, y, learners=["ridge", "aerr", "fiml"], budget=4, splits=2)
    >>> found
    Comparison(ridge, aerr, fiml; best_='ridge')
    """
    own = SimpleNamespace(
        _learner="ridge", scale=scale, basis=basis, known=known, groups=groups, prices=prices, bounds=bounds,
        n_jobs=n_jobs, verbose=verbose,
    )  # fmt: skip
    for name, value, least in (("splits", splits, 1), ("tune", tune, 2), ("budget", budget, 1)):
        fine = isinstance(value, numbers.Integral) and not isinstance(value, bool) and value >= least
        if not (fine or (value is None and name != "splits")):
            other = "" if name == "splits" else ", or None"
            raise refusal("compare", name, f"an integer of at least {least}{other}", value)
    if isinstance(learners, str) or (
        learners is not None and not all(isinstance(of, str) for of in learners)
    ):
        raise refusal("compare", "learners", "a list of names, or None", learners)
    if not (isinstance(test_size, numbers.Real) and 0 < test_size < 1):
        raise refusal("compare", "test_size", "a number between 0 and 1", test_size)
    values = []
    for name, value in (settings or {}).items():
        text = text_of(value)
        if text is None:
            raise refusal("compare", "settings", "a mapping of names to values", settings)
        values.append((name, text))
    X = _tables.on_host(_tables.eager(X))
    table, names = _table(X)
    targets, classes = _targets(y, task)
    if len(targets) != _tables.rows_of(X):
        raise ValueError(f"X has {_tables.rows_of(X)} rows, and y {len(targets)}: they must be as many")
    together = None
    if row_groups is not None:
        together = np.unique(column_or_1d(row_groups), return_inverse=True)[1].astype(np.uint32)
        if len(together) != len(targets):
            raise ValueError(f"row_groups has {len(together)} labels for {len(targets)} rows")
    design = {
        "budget": budget,
        "threat": threat,
        "attack": attack,
        "set": values,
        "splits": int(splits),
        "folds": tune,
        "test_share": float(test_size),
        "seed": seed_of(random_state, "compare"),
    }
    names_of = None if learners is None else list(learners)
    declared = _attributes.read(own, names)
    with progress_of(own) as progress:
        found = json.loads(
            _core.compare(
                names_of, table, targets, classes, together, declared, design, threads_of(own), progress
            )
        )
    limits = {name: value for name, value in (("budget", budget), ("threat", threat)) if value is not None}
    keys = {key: None for of in found["summary"] for key in of} | dict.fromkeys(_KEYS)
    found["summary"] = [keys | of for of in found["summary"]]
    return Comparison(found, classes is not None, limits)


class Comparison:
    """Result of :func:`compare`, which makes it.

    Parameters
    ----------
    found : dict
        Summary, rows, curves and suggestion of the library.
    classes : bool
        True for classes, False for numbers.
    limits : dict
        Budget and threat, if they were given.

    Attributes
    ----------
    summary : list of dict
        One for each learner, and one for ``constant``, which predicts the mean or the most frequent class.
        Each holds mean, standard deviation (``_sd``) and median over the splits. The columns are ``test_mse``
        (mean squared error), ``test_error`` (share of wrong rows), both under attack, ``reads``,
        ``distinct``, ``spent`` and ``seconds``; None if a learner does not have the number.
    rows : list of dict
        One for each learner and split, with the parameters and notes.
    curve : list of dict
        Points of the learning curves: examples, cells read, errors on test rows and by the learner itself.
    best_ : str
        Name of the learner with the least error on test rows; under a threat, with the least under attack.
    measure : str
        The error that is compared: the key of the summary without its ending.
    frame : pandas.DataFrame
        The summary by learner, the best first. It needs pandas.
    suggestion : Suggestion
        The learner that :func:`suggest` names for this table, and why.
    """

    def __init__(self, found: dict[str, Any], classes: bool, limits: dict[str, Any]):
        self.summary: list[dict[str, Any]] = found["summary"]
        self.rows: list[dict[str, Any]] = found["rows"]
        self.curve: list[dict[str, Any]] = found["curve"]
        self._classes, self._limits, self._suggested = classes, limits, found["suggestion"]
        self._said: str = found["in_words"]

    @property
    def measure(self) -> str:
        """Return the key of the error that is compared."""
        attacked = any(of["attacked_error_mean"] is not None for of in self._learned) or any(
            of["attacked_mse_mean"] is not None for of in self._learned
        )
        estimated = all(of["test_mse_mean"] is not None for of in self._learned)
        kind = "mse" if estimated and not self._classes else "error"
        return f"attacked_{kind}" if attacked else f"test_{kind}"

    @property
    def best_(self) -> str:
        """Return the name of the learner with the least error."""
        able = [of for of in self._learned if of[f"{self.measure}_mean"] is not None]
        if not able:
            raise ValueError("no learner of the comparison has an error")
        return min(able, key=lambda of: of[f"{self.measure}_mean"])["learner"]

    @cached_property
    def frame(self) -> "_DataFrame":
        """Return the summary as a frame of pandas, the best learner first."""
        try:
            import pandas
        except ImportError as error:
            raise ImportError("frames need pandas: pip install pandas") from error
        frame = pandas.DataFrame(self.summary).set_index("learner").dropna(axis="columns", how="all")
        return frame.sort_values(f"{self.measure}_mean", kind="stable", na_position="last")

    @cached_property
    def suggestion(self) -> Suggestion:
        """Return the learner that :func:`suggest` names for this table."""
        return of_json(self._suggested, self._classes, self._limits)

    def estimator(self, name: str | None = None) -> Any:
        """Return an estimator of a learner, to be fitted: it tunes itself on the rows that it is given.

        Parameters
        ----------
        name : str, optional
            Name of the learner; None: the best.

        Returns
        -------
        estimator : estimator
            One of halfseen; or of scikit-learn, for learners that read everything.

        Raises
        ------
        ValueError
            If the comparison has no such learner.
        """
        name = self.best_ if name is None else name
        if name not in [of["learner"] for of in self._learned]:
            raise ValueError(f"{name!r} was not compared: {', '.join(of['learner'] for of in self._learned)}")
        return of_learner(name, self._classes, self._limits)

    def plot(self, against: Literal["reads", "examples"] = "reads", *, ax: "Axes | None" = None) -> "Axes":
        """Plot learning curves: the error on test rows against what was read.

        Parameters
        ----------
        against : {'reads', 'examples'}, default='reads'
            Horizontal axis: different cells read, or training examples.
        ax : matplotlib.axes.Axes or None, default=None
            Axes to draw into; None creates a new figure.

        Returns
        -------
        ax : matplotlib.axes.Axes
            Lines are means over the splits, bands one standard deviation to either side; the dashed line is
            the constant's error.
        """
        if against not in ("reads", "examples"):
            raise refusal("plot", "against", "'reads' or 'examples'", against)
        return _curves(self, "distinct" if against == "reads" else "examples", ax)

    @property
    def _learned(self):
        """Return the summaries of learners, without the constant's."""
        return [of for of in self.summary if of["learner"] != CONSTANT]

    def in_words(self) -> str:
        """Return what the best learner comes to, beside one that reads less and a constant.

        Returns
        -------
        text : str
            One or two sentences.
        """
        return self._said

    def _reads_per_row(self, name):
        """Return the mean number of attributes that a learner reads of a training row."""
        rows = [row for row in self.rows if row["learner"] == name]
        return sum(row["reads"] for row in rows) / max(sum(row["examples"] for row in rows), 1)

    def _shown(self):
        """Return the head and the lines of a table: texts, and whether a line is the best learner's."""
        key, best = self.measure, self.best_
        squared = key.endswith("mse")
        head = ["learner", "reads per row", "squared error" if squared else "wrong rows", "± sd", "seconds"]
        if key.startswith("attacked"):
            head[2] += " under attack"
        lines = []
        for of in sorted(self.summary, key=lambda of: (of[f"{key}_mean"] is None, of[f"{key}_mean"] or 0.0)):
            mean, sd = of[f"{key}_mean"], of[f"{key}_sd"]
            form = (lambda value: f"{value:.4g}") if squared else (lambda value: f"{100 * value:.1f} %")
            seconds = "" if of["learner"] == CONSTANT else f"{of['seconds_mean']:.2f}"
            cells = [
                of["learner"],
                f"{self._reads_per_row(of['learner']):.1f}",
                "-" if mean is None else form(mean),
            ]
            lines.append(([*cells, "-" if sd is None else form(sd), seconds], of["learner"] == best))
        return head, lines

    def __str__(self) -> str:
        """Return a table, the best learner first, and what it comes to in words."""
        head, lines = self._shown()
        rows = [head, *(cells for cells, _ in lines)]
        widths = [max(len(row[j]) for row in rows) for j in range(len(head))]
        text = "\n".join(
            "  ".join(
                cell.ljust(width) if j == 0 else cell.rjust(width)
                for j, (cell, width) in enumerate(zip(row, widths, strict=True))
            )
            for row in rows
        )
        return f"{text}\n{self.in_words()}"

    def __repr__(self) -> str:
        """Name the learners and the best."""
        return f"Comparison({', '.join(of['learner'] for of in self._learned)}; best_={self.best_!r})"

    def _repr_html_(self) -> str:
        """Show the table in a notebook, the best learner in bold."""
        head, lines = self._shown()

        def row(cells, tag, bold=False):
            form = "<b>{}</b>" if bold else "{}"
            first, *rest = (form.format(html.escape(cell)) for cell in cells)
            right = "".join(f'<{tag} style="text-align:right">{cell}</{tag}>' for cell in rest)
            return f'<tr><{tag} style="text-align:left">{first}</{tag}>{right}</tr>'

        body = "".join(row(cells, "td", best) for cells, best in lines)
        return (
            f"<table><thead>{row(head, 'th')}</thead><tbody>{body}</tbody></table>"
            f"<p>{html.escape(self.in_words())}</p>"
        )


def _curves(comparison, against, ax):
    """Plot the learning curves of a comparison against a key of its points."""
    from halfseen.plotting._common import axes_of, band, error_words, finish

    kind = comparison.measure.removeprefix("attacked_").removeprefix("test_")
    names = [of["learner"] for of in comparison.summary]
    ax, key, most = axes_of(ax), f"test_{kind}", 0.0
    for name in names:
        points = [point for point in comparison.curve if point["learner"] == name and point[key] is not None]
        if name == "constant":
            if points:
                most = np.mean([point[key] for point in points])
                ax.axhline(most, color="gray", linestyle="--", label="constant")
            continue
        splits = {point["split"] for point in points}
        lines = [[point for point in points if point["split"] == split] for split in sorted(splits)]
        long = min(map(len, lines), default=0)
        if long:
            at = np.array([[point[against] for point in line[:long]] for line in lines], dtype=float)
            errors = np.array([[point[key] for point in line[:long]] for line in lines])
            band(ax, at.mean(axis=0), errors, name)
    ax.set_xscale("log")
    reads = "attributes paid for (different cells read)"
    ax.set_xlabel(reads if against == "distinct" else "training examples")
    ax.set_ylabel(error_words(kind == "error", "test rows"))
    finish(ax, None)
    if most:
        # Errors far above the constant's would hide all others.
        ax.set_ylim(0.0, min(ax.get_ylim()[1], 1.5 * most))
    return ax


def _table(X):
    """Return examples as a table of the library, and the names of their columns."""
    if _tables.is_frame(X):
        names = _tables.frame_names(X)
        return _tables.table_of_frame(X, names), names
    if scipy.sparse.issparse(X):
        X = X.tocsr().copy()
        X.sum_duplicates()
        names = [f"x{j}" for j in range(X.shape[1])]
        starts, indices = X.indptr.astype(np.int64), X.indices.astype(np.int64)
        return _core.Table.sparse(starts, indices, X.data.astype(np.float64), names), names
    X = X.astype(np.float64).filled(np.nan) if isinstance(X, np.ma.MaskedArray) else np.asarray(X)
    if X.ndim != 2:
        raise ValueError(f"X must have rows and columns; it has {X.ndim} dimensions")
    names = [f"x{j}" for j in range(X.shape[1])]
    return _tables.table_of_array(X, names), names


def _targets(y, task):
    """Return the targets as numbers, with the labels of their classes if they are classes."""
    targets = column_or_1d(_tables.column(y))
    missing = targets != targets if targets.dtype.kind in "fO" else np.zeros(len(targets), dtype=bool)
    if missing.any() or (targets.dtype == object and np.equal(targets, None).any()):
        raise ValueError("y has missing values: leave out the rows whose target is unknown")
    if classes_of(targets, task, "compare") == 0:
        return np.ascontiguousarray(targets, dtype=np.float64), None
    labels, codes = np.unique(targets, return_inverse=True)
    return codes.astype(np.float64), labels.tolist()
