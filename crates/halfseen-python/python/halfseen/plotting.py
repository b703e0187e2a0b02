"""Plot learning curves, robustness curves, weights and missing values.

Every function draws into ``ax`` (or a new figure) and returns the Axes, for further use with matplotlib,
which only this module needs: ``pip install 'halfseen[plot]'``.
"""

import numbers
import operator
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse
from numpy.typing import ArrayLike

from halfseen import _types as t
from halfseen.warnings import DataWarning

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["learning_curve", "missingness", "robustness_curve", "weights_image"]


def learning_curve(
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
) -> "Axes":
    """Plot the error on test rows against the attributes that were paid for.

    Every estimator is fitted to growing prefixes of the training rows of each split. It pays for the distinct
    cells that it reads (``distinct_``); an estimator of another library pays for every cell of its rows.

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
    ax : matplotlib.axes.Axes
        Lines are means over the splits, bands one standard deviation to either side. Regressors: mean squared
        error, in squared units of the target. Classifiers: share of misclassified rows.

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen import AERRRegressor, plotting
    >>> X = np.random.default_rng(0).normal(size=(400, 5))
    >>> ax = plotting.learning_curve({"k = 2": AERRRegressor(budget=2, random_state=0)}, X, X[:, 0], splits=2)
    >>> ax.get_xlabel()
    'attributes paid for (different cells read)'
    """
    from sklearn.base import clone
    from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit
    from sklearn.utils import _safe_indexing, check_random_state, indexable

    named = _named(estimators)
    tells = _tells(named)
    X, y = indexable(X, y)
    kind = StratifiedShuffleSplit if tells else ShuffleSplit
    # Drawn once: every estimator gets the same splits.
    drawn = check_random_state(random_state).randint(np.iinfo(np.int32).max)
    parts = list(kind(splits, test_size=test_size, random_state=drawn).split(X, y))
    rows = _counts(counts, len(parts[0][0]))
    ax = _axes(ax)
    for name, estimator in named.items():
        paid, errors = np.empty((2, len(parts), len(rows)))
        for i, (train, test) in enumerate(parts):
            X_test, y_test = _safe_indexing(X, test), np.asarray(_safe_indexing(y, test))
            for j, count in enumerate(rows):
                X_train = _safe_indexing(X, train[:count])
                with warnings.catch_warnings():
                    # The curve itself shows the effect of few rows.
                    warnings.simplefilter("ignore", DataWarning)
                    fitted = clone(estimator).fit(X_train, _safe_indexing(y, train[:count]))
                paid[i, j] = _paid(fitted, X_train)
                errors[i, j] = _error(fitted.predict(X_test), y_test, tells)
        _band(ax, paid.mean(axis=0), errors, name)
    ax.set_xscale("log" if logarithmic else "linear")
    ax.set_xlabel("attributes paid for (different cells read)")
    ax.set_ylabel(_error_words(tells, "unseen rows"))
    _finish(ax, f"mean and standard deviation over {len(parts)} splits")
    return ax


def robustness_curve(
    estimators: Any | Sequence[Any] | Mapping[str, Any],
    X: t.Matrix,
    y: ArrayLike,
    *,
    threats: ArrayLike | None = None,
    costs: t.Costs = "uniform",
    kind: str = "exact",
    random_state: t.Seed = 0,
    ax: "Axes | None" = None,
) -> "Axes":
    """Plot the error under attack against the number of deleted attributes.

    Parameters
    ----------
    estimators : fitted estimator, list of fitted estimators or dict of str to fitted estimator
        Linear estimators of this package, all regressors or all classifiers. Keys name the lines.
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Test rows.
    y : array-like of shape (n_samples,)
        Their targets.
    threats : array-like of float or None, default=None
        Budgets of the adversary; None: ten from 0 to half of all attributes.
    costs : 'uniform', 'mi' or array-like of shape (n_attributes,), default='uniform'
        The adversary's cost of deleting an attribute; see :func:`halfseen.robust.attack`. The same for all
        lines.
    kind : str, default='exact'
        The attack; see :func:`halfseen.robust.attack`.
    random_state : int, RandomState instance or None, default=0
        Seed of random attacks.
    ax : matplotlib.axes.Axes or None, default=None
        Axes to draw into; None creates a new figure.

    Returns
    -------
    ax : matplotlib.axes.Axes
        Regressors: mean squared error, in squared units of the target. Classifiers: share of misclassified
        rows. A ring marks the threat that an estimator prepared for.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from halfseen import FDROPClassifier, plotting
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = FDROPClassifier(threat=3).fit(X[::2], y[::2])
    >>> ax = plotting.robustness_curve(model, X[1::2], y[1::2], threats=[0, 3])
    >>> ax.get_xlabel()
    'attributes taken away from each row (threat)'
    """
    from halfseen._adversarial import attack, attributes

    named = _named(estimators)
    tells = _tells(named)
    panels = max(len(attributes(estimator)) for estimator in named.values())
    if threats is None:
        threats = np.unique(np.linspace(0, max(panels // 2, 1), 10).round())
    threats = np.unique(np.asarray(threats, dtype=np.float64))
    if not len(threats):
        raise ValueError("threats holds none: name at least one")
    ax, y, ringed = _axes(ax), np.asarray(y), False
    for name, estimator in named.items():

        def error(threat, estimator=estimator):
            attacked = attack(
                estimator, X, y, threat=threat, costs=costs, kind=kind, random_state=random_state
            )
            return _error(attacked.prediction, y, tells)

        (line,) = ax.plot(
            threats, [error(threat) for threat in threats], marker="o", markersize=4, label=name
        )
        own = (estimator.report_.get("threat") or {}).get("budget")
        if own and threats[0] <= own <= threats[-1]:
            ring: dict[str, Any] = {
                "marker": "o",
                "markersize": 11,
                "markerfacecolor": "none",
                "color": line.get_color(),
            }
            ax.plot([own], [error(own)], linestyle="none", **ring)
            ringed = True
    plain = isinstance(costs, str) and costs == "uniform"
    unit = "attributes taken away from each row" if plain else "value taken away from each row"
    ax.set_xlabel(f"{unit} (threat)")
    ax.set_ylabel(_error_words(tells, "attacked rows"))
    _finish(ax, f"attack: {kind}" + ("; ring: the threat prepared for" if ringed else ""))
    return ax


def weights_image(
    estimator: Any | ArrayLike,
    shape: tuple[int, ...],
    *,
    output: int = 0,
    colorbar: bool = True,
    ax: "Axes | None" = None,
) -> "Axes":
    """Plot the weights of attributes that form a grid, such as pixels.

    Parameters
    ----------
    estimator : fitted estimator, or array-like of shape (n_features,)
        Object with ``coef_``; or the weights themselves.
    shape : tuple of int
        Rows and columns of the grid; their product is the number of attributes.
    output : int, default=0
        Row of ``coef_`` to plot, if there are several.
    colorbar : bool, default=True
        True to add a colour bar.
    ax : matplotlib.axes.Axes or None, default=None
        Axes to draw into; None creates a new figure.

    Returns
    -------
    ax : matplotlib.axes.Axes
        Red raises the score, blue lowers it, white is 0; the colour scale is symmetric about 0.

    Examples
    --------
    >>> from halfseen import plotting
    >>> ax = plotting.weights_image([0.0, 1.0, -0.5, 0.0], (2, 2), colorbar=False)
    >>> ax.images[0].get_clim()
    (-1.0, 1.0)
    """
    if hasattr(estimator, "fit"):
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(estimator)
        if not hasattr(estimator, "coef_"):
            name = type(estimator).__name__
            raise ValueError(f"{name} has no weight for each attribute (coef_), so there is no image of them")
        if getattr(estimator, "curve_", None):
            name = type(estimator).__name__
            raise ValueError(
                f"this {name} has curves of attributes beside its weights, so that no image of weights shows"
                " its predictions: fit with shape='linear', or give the weights themselves"
            )
    weights = np.atleast_2d(np.asarray(getattr(estimator, "coef_", estimator), dtype=np.float64))
    if not 0 <= output < len(weights):
        raise ValueError(
            f"output = {output} is not allowed: there are {len(weights)} rows of weights, counted from 0"
        )
    weights = weights[output]
    try:
        shape = tuple(operator.index(side) for side in shape)
    except TypeError:
        raise TypeError(f"shape must be two whole numbers, rows and columns; got {shape!r}") from None
    if len(shape) != 2 or int(np.prod(shape)) != len(weights):
        raise ValueError(f"{len(weights)} weights do not fill a grid of shape {shape}")
    ax = _axes(ax)
    reach = np.abs(weights).max() or 1.0
    image = ax.imshow(weights.reshape(shape), cmap="RdBu_r", vmin=-reach, vmax=reach, interpolation="nearest")
    ax.set_xlabel("column of the grid")
    ax.set_ylabel("row of the grid")
    if colorbar:
        bar = ax.figure.colorbar(image, ax=ax, fraction=0.046, pad=0.04)
        bar.set_label("weight (score per unit of the attribute)")
    return ax


def missingness(X: t.Matrix, *, names: Sequence[str] | None = None, ax: "Axes | None" = None) -> "Axes":
    """Plot the missing cells: rows grouped by pattern, columns sorted by their share of missing values.

    Parameters
    ----------
    X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
        Examples with NaN, or the missing values of a data frame.
    names : list of str or None, default=None
        Names of the attributes; None takes those of a data frame.
    ax : matplotlib.axes.Axes or None, default=None
        Axes to draw into; None creates a new figure.

    Returns
    -------
    ax : matplotlib.axes.Axes
        The most frequent pattern is at the top, the column with fewest missing values at the left.

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen import plotting
    >>> ax = plotting.missingness(np.array([[1.0, np.nan], [2.0, 3.0], [4.0, 5.0]]))
    >>> ax.get_title()
    '16.7 % of cells missing, 2 patterns in 3 rows'
    """
    holes, found = _holes(X)
    rows, columns = holes.shape
    if rows == 0 or columns == 0:
        raise ValueError(f"X of shape {holes.shape} has no cell")
    names = found if names is None else [str(name) for name in names]
    if len(names) != columns:
        raise ValueError(f"there are {len(names)} names and {columns} columns")
    shares = holes.mean(axis=0)
    order = np.argsort(shares, kind="stable")
    patterns, sizes = np.unique(holes[:, order], axis=0, return_counts=True)
    # Frequent patterns first, then those with fewer missing values.
    rank = np.lexsort((patterns.sum(axis=1), -sizes))
    ax = _axes(ax)
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    seen, missing = "#dfe5ea", "#b5382a"
    sizes = sizes[rank]
    edges = np.concatenate([[0], np.cumsum(sizes)])
    # One band per pattern, with height equal to its rows: the size of the plot is independent of them.
    ax.pcolormesh(
        np.arange(columns + 1) - 0.5,
        edges,
        patterns[rank].astype(float),
        cmap=ListedColormap([seen, missing]),
        vmin=0,
        vmax=1,
        rasterized=columns * len(sizes) > 10_000,
    )
    ax.set_ylim(rows, 0)
    if len(sizes) <= 40:
        ax.hlines(edges[1:-1], -0.5, columns - 0.5, color="white", linewidth=0.8)
    if columns <= 60:
        ax.vlines(np.arange(columns - 1) + 0.5, 0, rows, color="white", linewidth=0.8)
        labels = [f"{names[j]} ({_percent(shares[j])})" for j in order]
        ax.set_xticks(
            np.arange(columns),
            labels,
            rotation=90 if columns > 6 else 30,
            ha="center" if columns > 6 else "right",
        )
    ax.set_xlabel(
        "attributes (share missing), fullest first" if columns <= 60 else "attributes, fullest first"
    )
    ax.set_ylabel("rows, grouped by pattern, most frequent first")
    patches = [Patch(color=seen, label="observed"), Patch(color=missing, label="missing")]
    ax.legend(handles=patches, loc="lower left", bbox_to_anchor=(1.02, 0.0), frameon=False)
    count = f"{len(sizes)} pattern" + ("s" if len(sizes) > 1 else "")
    ax.set_title(
        f"{_percent(holes.mean())} of cells missing, {count} in {rows} row" + ("s" if rows > 1 else "")
    )
    return ax


def _axes(ax):
    """Return the Axes to draw into, new if none is given."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("plots need matplotlib: pip install 'halfseen[plot]'") from error
    if ax is None:
        _, ax = plt.subplots(layout="constrained")
    if not isinstance(ax, plt.Axes):
        raise TypeError(f"ax must be an Axes of matplotlib or None, not {type(ax).__name__}")
    return ax


def _named(estimators):
    """Return estimators by the names of their lines."""
    if isinstance(estimators, dict):
        named = {str(name): estimator for name, estimator in estimators.items()}
    else:
        several = estimators if isinstance(estimators, list | tuple) else [estimators]
        named = {}
        for estimator in several:
            # The last step names a pipeline.
            own = type(estimator[-1] if hasattr(estimator, "steps") else estimator).__name__
            name, number = own, 2
            while name in named:
                name, number = f"{own} {number}", number + 1
            named[name] = estimator
    if not named or not all(hasattr(value, "predict") for value in named.values()):
        raise TypeError(
            f"estimators must be an estimator, a list of them or a dict of names to them; got {estimators!r}"
        )
    return named


def _tells(named):
    """Return True for classifiers and False for regressors; refuse a mixture."""
    from sklearn.base import is_classifier

    tells = {is_classifier(estimator) for estimator in named.values()}
    if len(tells) > 1:
        raise ValueError(
            "classifiers and regressors have different kinds of errors; plot them into separate Axes"
        )
    return tells.pop()


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


def _error(predicted, y, tells):
    """Return the mean squared error, or for classes the share of misclassified rows."""
    return np.mean(predicted != y) if tells else np.mean((predicted - y) ** 2)


def _error_words(tells, rows):
    return (
        f"error on {rows} (share of rows)" if tells else f"mean squared error on {rows} (squared units of y)"
    )


def _band(ax, at, errors, name):
    """Plot mean and standard deviation of errors, (n_splits, n_points)."""
    mean, deviation = errors.mean(axis=0), errors.std(axis=0)
    (line,) = ax.plot(at, mean, marker="o", markersize=4, label=name)
    if len(errors) > 1:
        ax.fill_between(
            at,
            np.maximum(mean - deviation, 0.0),
            mean + deviation,
            alpha=0.18,
            color=line.get_color(),
            linewidth=0,
        )


def _finish(ax, title):
    """Start the axis of errors at 0, and add the legend."""
    ax.set_ylim(bottom=0.0)
    ax.grid(alpha=0.3, linewidth=0.6)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(framealpha=0.8, edgecolor="none", title=title, title_fontsize="small")


def _holes(X):
    """Return which cells are missing, and the names of the columns."""
    if scipy.sparse.issparse(X):
        holes = np.zeros(X.shape, dtype=bool)
        X = X.tocoo()
        at = np.isnan(X.data)
        holes[X.row[at], X.col[at]] = True
    elif hasattr(X, "columns"):
        import narwhals as nw

        frame = nw.from_native(X, eager_only=True)
        columns = [_missing_in(frame[name]) for name in frame.columns]
        holes = np.stack(columns, axis=1) if columns else np.zeros((len(frame), 0), dtype=bool)
        return holes, [str(name) for name in frame.columns]
    else:
        cells = np.asarray(X)
        if cells.ndim != 2:
            raise ValueError(f"X must have rows and columns; it has {cells.ndim} dimensions")
        # NaN does not equal itself; None is missing among objects.
        holes = (cells != cells) | np.equal(cells, None) if cells.dtype == object else np.isnan(cells)
        holes = holes.astype(bool)
    return holes, [f"x{j}" for j in range(holes.shape[1])]


def _missing_in(column):
    """Return which cells of a column are null or NaN."""
    missing = column.is_null().to_numpy()
    return missing | column.is_nan().fill_null(True).to_numpy() if column.dtype.is_float() else missing


def _percent(share):
    return f"{100 * share:.0f} %" if share in (0, 1) else f"{100 * share:.1f} %"
