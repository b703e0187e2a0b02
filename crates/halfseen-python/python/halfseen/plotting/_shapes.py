"""Draw the curves of attributes: what each value of an attribute adds to the prediction."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from halfseen import _types as t
from halfseen.plotting._common import Display, axes_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Number of points of a curve, and of panels in a row.
POINTS, ACROSS = 200, 3


class ShapesDisplay(Display):
    """Shapes: what each value of an attribute adds to the prediction, a panel for each attribute.

    Make one with :meth:`from_estimator`.

    Parameters
    ----------
    curves : dict of str to tuple of two ndarray of shape (n_points,)
        Values of an attribute and what they add to the prediction, less the mean of that over its range;
        those that move the prediction most come first.

    Attributes
    ----------
    axes_ : list of matplotlib.axes.Axes
        Axes of the last drawing, one for each attribute.

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen import FIMLRegressor
    >>> from halfseen.plotting import ShapesDisplay
    >>> X = np.random.default_rng(0).normal(size=(500, 4))
    >>> model = FIMLRegressor(shape="additive", budget=3, random_state=0).fit(X, np.abs(X[:, 0]))
    >>> next(iter(ShapesDisplay.from_estimator(model).curves))
    'x0'
    """

    axes_: "list[Axes]"

    def __init__(self, curves: dict[str, tuple[t.Array, t.Array]]) -> None:
        self.curves = curves

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, most: int = 6, ax: "Axes | Sequence[Axes] | None" = None
    ) -> Self:
        """Draw the curves of a fitted estimator of FIML.

        Parameters
        ----------
        estimator : fitted FIMLRegressor or FIMLClassifier
            Estimator with ``curve_``; of two classes, not more.
        most : int, default=6
            Largest number of attributes, those that move the prediction most.
        ax : matplotlib.axes.Axes, list of them or None, default=None
            Axes to draw into, as many as attributes; None creates a new figure.

        Returns
        -------
        display : ShapesDisplay
            The display, with the data that it draws.
        """
        from sklearn.utils.validation import check_is_fitted

        if hasattr(estimator, "fit"):
            check_is_fitted(estimator)
        found = getattr(estimator, "curve_", None)
        if not found:
            raise ValueError(
                f"this {type(estimator).__name__} has no curves of attributes (curve_): fit FIMLRegressor or"
                " FIMLClassifier with shape='additive', or draw its weights by WeightsDisplay"
            )
        if most < 1:
            raise ValueError(f"most = {most} is not allowed: it must be at least 1")
        weights = np.ravel(estimator.coef_)
        lines, bends = np.split(weights, [len(weights) - len(found)])
        names = getattr(estimator, "feature_names_in_", [f"x{j}" for j in range(len(lines))])
        curves = {}
        for at in dict.fromkeys(curve.feature for curve in found):
            low, high = estimator.cell_range_[at]
            values = np.linspace(low, high, POINTS)
            added = lines[at] * values
            for curve, weight in zip(found, bends, strict=True):
                if curve.feature == at:
                    added = added + weight * np.interp(values, curve.knots, curve.heights)
            curves[str(names[at])] = (values, added - added.mean())
        ordered = sorted(curves, key=lambda name: -np.ptp(curves[name][1]))[:most]
        return cls({name: curves[name] for name in ordered}).plot(ax)

    def plot(self, ax: "Axes | Sequence[Axes] | None" = None) -> Self:
        """Draw a panel for each attribute, with one axis of the prediction for all.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, list of them or None, default=None
            Axes to draw into, as many as attributes; None creates a new figure.

        Returns
        -------
        display : ShapesDisplay
            This display.
        """
        if ax is None:
            self.axes_ = self._panels()
        else:
            self.axes_ = [axes_of(one) for one in (ax if isinstance(ax, Sequence | np.ndarray) else [ax])]
        if len(self.axes_) != len(self.curves):
            raise ValueError(
                f"there are {len(self.curves)} attributes to draw and {len(self.axes_)} Axes: give"
                " as many, or limit the attributes by most"
            )
        for panel, (name, (values, added)) in zip(self.axes_, self.curves.items(), strict=True):
            panel.axhline(0.0, color="0.7", linewidth=0.8)
            panel.plot(values, added, linewidth=2.0)
            panel.set_xlabel(name)
            panel.spines[["top", "right"]].set_visible(False)
        self.axes_[0].set_ylabel("added to the prediction")
        return self._drawn(self.axes_[0])

    def _panels(self):
        """Return Axes of a new figure that share the axis of the prediction."""
        first = axes_of(None)
        figure = first.figure
        first.remove()
        across = min(len(self.curves), ACROSS)
        down = math.ceil(len(self.curves) / across)
        figure.set_size_inches(3.2 * across + 0.6, 2.6 * down)
        panels = figure.subplots(down, across, sharey=True, squeeze=False).ravel()
        for spare in panels[len(self.curves) :]:
            spare.remove()
        return list(panels[: len(self.curves)])
