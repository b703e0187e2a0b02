"""Draw the error on test rows against the attributes that were paid for."""

import numbers
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from halfseen import _types as t
from halfseen.plotting._common import (
    Display,
    axes_of,
    band,
    error_of,
    error_words,
    finish,
    named_of,
    tells_classes,
)
from halfseen.warnings import DataWarning

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class LearningCurveDisplay(Display):
    """Learning curves: error on test rows against the attributes that were paid for.

    Make one with :meth:`from_estimator`.

    Parameters
    ----------
    paid : dict of str to ndarray of shape (n_counts,)
        Distinct cells read, on average over the splits, by the name of the line.
    errors : dict of str to ndarray of shape (n_splits, n_counts)
        Errors on test rows.
    classes : bool
        True if errors are shares of wrong rows, False if they are mean squared errors.

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen import AERRRegressor
    >>> from halfseen.plotting import LearningCurveDisplay
    >>> X = np.random.default_rng(0).normal(size=(400, 5))
    >>> model = AERRRegressor(budget=2, random_state=0)
    >>> display = LearningCurveDisplay.from_estimator({"k = 2": model}, X, X[:, 0], splits=2)
    >>> display.ax_.get_xlabel()
    'attributes paid for (different cells read)'
    """

    def __init__(self, paid: dict[str, t.Array], errors: dict[str, t.Array], *, classes: bool) -> None:
        self.paid = paid
        self.errors = errors
        self.classes = classes

    @classmethod
    def from_estimator(
        cls,
        estimators: Any | Sequence[Any] | Mapping[str, Any],
        X: t.Matrix,
        y: ArrayLike,
        *,
        counts: int | ArrayLike = 6,
        splits: int = 5,
        test_size: float = 0.25,
        random_state: t.Seed = None,
        logarithmic: bool = True,
        ax: "Axes | None" = None,
    ) -> Self:
        """Fit estimators to growing parts of the examples, and draw their errors on test rows.

        Every estimator is fitted to growing prefixes of the training rows of each split. It pays for the
        distinct cells that it reads (``distinct_``); an estimator of another library pays for every cell of
        its rows.

        Parameters
        ----------
        estimators : estimator, list of estimators or dict of str to estimator
            Regressors, or classifiers; not both. They are cloned, not fitted. Keys name the lines.
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The examples.
        y : array-like of shape (n_samples,)
            The targets.
        counts : int or array-like of int, default=6
            Numbers of training rows; an int is the length of a geometric sequence from a hundredth of the
            training rows to all.
        splits : int, default=5
            Number of random splits into training and test rows; stratified for classifiers.
        test_size : float, default=0.25
            Share of test rows.
        random_state : int, RandomState instance or None, default=None
            Seed of the splits. Estimators use their own.
        logarithmic : bool, default=True
            True for a logarithmic axis of the attributes paid for.
        ax : matplotlib.axes.Axes or None, default=None
            Axes to draw into; None creates a new figure.

        Returns
        -------
        display : LearningCurveDisplay
            The display, with the data that it draws. Regressors: mean squared error, in squared units of the
            target. Classifiers: share of misclassified rows.
        """
        from sklearn.base import clone
        from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit
        from sklearn.utils import _safe_indexing, check_random_state, indexable

        named = named_of(estimators)
        classes = tells_classes(named)
        X, y = indexable(X, y)
        kind = StratifiedShuffleSplit if classes else ShuffleSplit
        # Drawn once: every estimator gets the same splits.
        drawn = check_random_state(random_state).randint(np.iinfo(np.int32).max)
        parts = list(kind(splits, test_size=test_size, random_state=drawn).split(X, y))
        rows = _counts(counts, len(parts[0][0]))
        axes = axes_of(ax)
        paid, errors = {}, {}
        for name, estimator in named.items():
            cells, wrong = np.empty((2, len(parts), len(rows)))
            for i, (train, test) in enumerate(parts):
                X_test, y_test = _safe_indexing(X, test), np.asarray(_safe_indexing(y, test))
                for j, count in enumerate(rows):
                    X_train = _safe_indexing(X, train[:count])
                    with warnings.catch_warnings():
                        # The curve itself shows the effect of few rows.
                        warnings.simplefilter("ignore", DataWarning)
                        fitted = clone(estimator).fit(X_train, _safe_indexing(y, train[:count]))
                    cells[i, j] = _paid(fitted, X_train)
                    wrong[i, j] = error_of(fitted.predict(X_test), y_test, classes)
            paid[name], errors[name] = cells.mean(axis=0), wrong
        return cls(paid, errors, classes=classes).plot(axes, logarithmic=logarithmic)

    def plot(self, ax: "Axes | None" = None, *, logarithmic: bool = True) -> Self:
        """Draw the curves: means over the splits, with bands of one standard deviation to either side.

        Parameters
        ----------
        ax : matplotlib.axes.Axes or None, default=None
            Axes to draw into; None creates a new figure.
        logarithmic : bool, default=True
            True for a logarithmic axis of the attributes paid for.

        Returns
        -------
        display : LearningCurveDisplay
            This display.
        """
        ax = axes_of(ax)
        for name, errors in self.errors.items():
            band(ax, self.paid[name], errors, name)
        ax.set_xscale("log" if logarithmic else "linear")
        ax.set_xlabel("attributes paid for (different cells read)")
        ax.set_ylabel(error_words(self.classes, "unseen rows"))
        splits = len(next(iter(self.errors.values())))
        finish(ax, f"mean and standard deviation over {splits} splits")
        return self._drawn(ax)


def _counts(counts, rows):
    """Return numbers of training rows in increasing order."""
    if isinstance(counts, numbers.Integral):
        if counts < 1:
            raise ValueError(
                f"counts = {counts} is not allowed: it must be at least 1, or a list of numbers of rows"
            )
        least = min(rows, max(rows // 100, 10))
        counts = np.geomspace(rows if counts == 1 else least, rows, counts).round()
    counts = np.unique(np.asarray(counts, dtype=np.int64))
    if not len(counts) or counts[0] < 2 or counts[-1] > rows:
        raise ValueError(f"counts must be of 2 to {rows} training rows; got {counts.tolist()}")
    return counts


def _paid(fitted, X):
    """Return the number of distinct cells read."""
    last = fitted[-1] if hasattr(fitted, "steps") else getattr(fitted, "best_estimator_", fitted)
    rows, columns = X.shape
    return getattr(last, "distinct_", rows * columns)
