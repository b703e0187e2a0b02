"""Share between displays what names their lines, counts their errors and finishes their Axes."""

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class Display:
    """Base of the displays.

    Attributes
    ----------
    ax_ : matplotlib.axes.Axes
        Axes of the last drawing.
    figure_ : matplotlib.figure.Figure
        Their figure.
    """

    ax_: "Axes"
    figure_: "Figure"

    def _drawn(self, ax: Any) -> Any:
        self.ax_, self.figure_ = ax, ax.figure
        return self


def axes_of(ax):
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


def named_of(estimators):
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


def tells_classes(named):
    """Return True for classifiers and False for regressors; refuse a mixture."""
    from sklearn.base import is_classifier

    tells = {is_classifier(estimator) for estimator in named.values()}
    if len(tells) > 1:
        raise ValueError(
            "classifiers and regressors have different kinds of errors; plot them into separate Axes"
        )
    return tells.pop()


def error_of(predicted, y, tells):
    """Return the mean squared error, or for classes the share of misclassified rows."""
    return np.mean(predicted != y) if tells else np.mean((predicted - y) ** 2)


def error_words(tells, rows):
    return (
        f"error on {rows} (share of rows)" if tells else f"mean squared error on {rows} (squared units of y)"
    )


def band(ax, at, errors, name):
    """Draw mean and standard deviation of errors, (n_splits, n_points)."""
    mean, deviation = errors.mean(axis=0), errors.std(axis=0)
    (line,) = ax.plot(at, mean, marker="o", markersize=4, label=name)
    if len(errors) > 1:
        low, high = np.maximum(mean - deviation, 0.0), mean + deviation
        ax.fill_between(at, low, high, alpha=0.18, color=line.get_color(), linewidth=0)


def finish(ax, title):
    """Start the axis of errors at 0, and add the legend."""
    ax.set_ylim(bottom=0.0)
    ax.grid(alpha=0.3, linewidth=0.6)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(framealpha=0.8, edgecolor="none", title=title, title_fontsize="small")
