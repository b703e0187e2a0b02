"""Draw the weights of a linear estimator, as bars or as an image."""

import operator
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from halfseen import _types as t
from halfseen.plotting._common import Display, axes_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RAISES, LOWERS = "#b5382a", "#2a6db5"


class WeightsDisplay(Display):
    """Weights of attributes: bars of the largest, or an image where the attributes form a grid.

    Make one with :meth:`from_estimator`.

    Parameters
    ----------
    weights : ndarray of shape (n_features,)
        Change of the score for one unit of each attribute.
    names : list of str
        Names of the attributes.

    Examples
    --------
    >>> from halfseen.plotting import WeightsDisplay
    >>> display = WeightsDisplay.from_estimator([0.0, 1.0, -0.5, 0.0], shape=(2, 2), colorbar=False)
    >>> display.ax_.images[0].get_clim()
    (-1.0, 1.0)
    """

    def __init__(self, weights: t.Array, names: list[str]) -> None:
        self.weights = weights
        self.names = names

    @classmethod
    def from_estimator(
        cls,
        estimator: Any | ArrayLike,
        *,
        shape: tuple[int, ...] | None = None,
        output: int = 0,
        most: int = 20,
        colorbar: bool = True,
        ax: "Axes | None" = None,
    ) -> Self:
        """Draw the weights of a fitted estimator.

        Parameters
        ----------
        estimator : fitted estimator, or array-like of shape (n_features,)
            Object with ``coef_``; or the weights themselves.
        shape : tuple of int or None, default=None
            Rows and columns of the grid that the attributes form, such as pixels; None: bars.
        output : int, default=0
            Row of ``coef_`` to draw, if there are several.
        most : int, default=20
            Largest number of bars.
        colorbar : bool, default=True
            True to add a colour bar to an image.
        ax : matplotlib.axes.Axes or None, default=None
            Axes to draw into; None creates a new figure.

        Returns
        -------
        display : WeightsDisplay
            The display, with the data that it draws.
        """
        if hasattr(estimator, "fit"):
            from sklearn.utils.validation import check_is_fitted

            check_is_fitted(estimator)
            name = type(estimator).__name__
            if not hasattr(estimator, "coef_"):
                raise ValueError(
                    f"{name} has no weight for each attribute (coef_), so there is no image of them"
                )
            if shape is not None and getattr(estimator, "curve_", None):
                raise ValueError(
                    f"this {name} has curves of attributes beside its weights, so that no image of"
                    " weights shows its predictions: fit with shape='linear', or give the weights themselves"
                )
        weights = np.atleast_2d(np.asarray(getattr(estimator, "coef_", estimator), dtype=np.float64))
        if not 0 <= output < len(weights):
            raise ValueError(
                f"output = {output} is not allowed: there are {len(weights)} rows of weights, counted from 0"
            )
        weights = weights[output]
        display = cls(weights, _names(estimator, len(weights)))
        return display.plot(ax, shape=shape, most=most, colorbar=colorbar)

    def plot(
        self,
        ax: "Axes | None" = None,
        *,
        shape: tuple[int, ...] | None = None,
        most: int = 20,
        colorbar: bool = True,
    ) -> Self:
        """Draw the weights. Red raises the score, blue lowers it.

        Parameters
        ----------
        ax : matplotlib.axes.Axes or None, default=None
            Axes to draw into; None creates a new figure.
        shape : tuple of int or None, default=None
            Rows and columns of the grid that the attributes form; None: bars.
        most : int, default=20
            Largest number of bars.
        colorbar : bool, default=True
            True to add a colour bar to an image.

        Returns
        -------
        display : WeightsDisplay
            This display.
        """
        return self._bars(ax, most) if shape is None else self._image(ax, shape, colorbar)

    def _bars(self, ax, most):
        """Draw a bar for each of the largest weights."""
        if most < 1:
            raise ValueError(f"most = {most} is not allowed: it must be at least 1")
        shown = np.argsort(-np.abs(self.weights), kind="stable")[:most]
        ax = axes_of(ax)
        weights = self.weights[shown]
        ax.barh(
            [self.names[at] for at in shown], weights, color=np.where(weights > 0, RAISES, LOWERS).tolist()
        )
        ax.invert_yaxis()
        ax.axvline(0.0, color="0.4", linewidth=0.8)
        ax.set_xlabel("weight (score per unit of the attribute)")
        ax.spines[["top", "right", "left"]].set_visible(False)
        ax.tick_params(axis="y", length=0)
        left = len(self.weights) - len(shown)
        if left:
            ax.set_title(f"the {len(shown)} largest weights of {len(self.weights)}")
        return self._drawn(ax)

    def _image(self, ax, shape, colorbar):
        """Draw an image, whose scale of colours is symmetric about 0."""
        try:
            shape = tuple(operator.index(side) for side in shape)
        except TypeError:
            raise TypeError(f"shape must be two whole numbers, rows and columns; got {shape!r}") from None
        if len(shape) != 2 or int(np.prod(shape)) != len(self.weights):
            raise ValueError(f"{len(self.weights)} weights do not fill a grid of shape {shape}")
        ax = axes_of(ax)
        reach = np.abs(self.weights).max() or 1.0
        image = ax.imshow(
            self.weights.reshape(shape), cmap="RdBu_r", vmin=-reach, vmax=reach, interpolation="nearest"
        )
        ax.set_xlabel("column of the grid")
        ax.set_ylabel("row of the grid")
        if colorbar:
            bar = ax.figure.colorbar(image, ax=ax, fraction=0.046, pad=0.04)
            bar.set_label("weight (score per unit of the attribute)")
        return self._drawn(ax)


def _names(estimator, count):
    """Return the names of weights: those of the model, of the features, or x0, x1, ..."""
    model = getattr(estimator, "model_", None)
    found = model.weights() if hasattr(model, "weights") else None
    names = [name for name, _ in found[0][0]] if found else getattr(estimator, "feature_names_in_", [])
    return [str(name) for name in names] if len(names) == count else [f"x{j}" for j in range(count)]
