"""Draw the missing cells of a table: rows grouped by pattern."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Self

import numpy as np
import scipy.sparse

from halfseen import _tables
from halfseen import _types as t
from halfseen.plotting._common import Display, axes_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class MissingnessDisplay(Display):
    """Missing cells of a table: rows grouped by pattern, columns sorted by their share of missing values.

    Make one with :meth:`from_data`.

    Parameters
    ----------
    patterns : ndarray of shape (n_patterns, n_features)
        True where cells are missing; the most frequent pattern first, the fullest column first.
    sizes : ndarray of shape (n_patterns,)
        Number of rows of each pattern.
    shares : ndarray of shape (n_features,)
        Share of missing cells of each column.
    names : list of str
        Names of the columns.

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen.plotting import MissingnessDisplay
    >>> display = MissingnessDisplay.from_data(np.array([[1.0, np.nan], [2.0, 3.0], [4.0, 5.0]]))
    >>> display.ax_.get_title()
    '16.7 % of cells missing, 2 patterns in 3 rows'
    """

    def __init__(self, patterns: t.Array, sizes: t.Array, shares: t.Array, names: list[str]) -> None:
        self.patterns = patterns
        self.sizes = sizes
        self.shares = shares
        self.names = names

    @classmethod
    def from_data(cls, X: t.Matrix, *, names: Sequence[str] | None = None, ax: "Axes | None" = None) -> Self:
        """Count the patterns of missing cells, and draw them.

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
        display : MissingnessDisplay
            The display, with the data that it draws.
        """
        holes, found = _holes(X)
        if 0 in holes.shape:
            raise ValueError(f"X of shape {holes.shape} has no cell")
        names = found if names is None else [str(name) for name in names]
        if len(names) != holes.shape[1]:
            raise ValueError(f"there are {len(names)} names and {holes.shape[1]} columns")
        shares = holes.mean(axis=0)
        order = np.argsort(shares, kind="stable")
        patterns, sizes = np.unique(holes[:, order], axis=0, return_counts=True)
        # Frequent patterns first, then those with fewer missing values.
        rank = np.lexsort((patterns.sum(axis=1), -sizes))
        return cls(patterns[rank], sizes[rank], shares[order], [names[j] for j in order]).plot(ax)

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw the patterns: the most frequent at the top, the fullest column at the left.

        Parameters
        ----------
        ax : matplotlib.axes.Axes or None, default=None
            Axes to draw into; None creates a new figure.

        Returns
        -------
        display : MissingnessDisplay
            This display.
        """
        ax = axes_of(ax)
        rows, columns = int(self.sizes.sum()), len(self.names)
        from matplotlib.colors import ListedColormap
        from matplotlib.patches import Patch

        seen, missing = "#dfe5ea", "#b5382a"
        sizes = self.sizes
        edges = np.concatenate([[0], np.cumsum(sizes)])
        # One band per pattern, with height equal to its rows: the size of the plot is independent of them.
        ax.pcolormesh(
            np.arange(columns + 1) - 0.5,
            edges,
            self.patterns.astype(float),
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
            labels = [
                f"{name} ({_percent(share)})" for name, share in zip(self.names, self.shares, strict=True)
            ]
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
            f"{_percent(self.shares.mean())} of cells missing, {count} in {rows} row"
            + ("s" if rows > 1 else "")
        )
        return self._drawn(ax)


def _holes(X):
    """Return which cells are missing, and the names of the columns."""
    if scipy.sparse.issparse(X):
        holes = np.zeros(X.shape, dtype=bool)
        X = X.tocoo()
        at = np.isnan(X.data)
        holes[X.row[at], X.col[at]] = True
    elif _tables.is_frame(X := _tables.eager(X)):
        frame = _tables.narwhal(X)
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
