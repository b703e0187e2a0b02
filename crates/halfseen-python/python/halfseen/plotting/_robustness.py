"""Draw the error under attack against the number of deleted attributes."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from halfseen import _types as t
from halfseen.plotting._common import (
    Display,
    axes_of,
    error_of,
    error_words,
    finish,
    named_of,
    tells_classes,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class RobustnessDisplay(Display):
    """Robustness curves: error under attack against the budget of the adversary.

    Make one with :meth:`from_estimator`.

    Parameters
    ----------
    threats : ndarray of shape (n_threats,)
        Budgets of the adversary.
    errors : dict of str to ndarray of shape (n_threats,)
        Errors under attack, by the name of the line.
    prepared : dict of str to tuple of float
        The threat that an estimator was prepared for, and its error there.
    classes : bool
        True if errors are shares of wrong rows, False if they are mean squared errors.
    kind : str
        The attack.
    counted : bool
        True if every attribute costs 1, so that the threat is a number of attributes.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from halfseen import RobustLPClassifier
    >>> from halfseen.plotting import RobustnessDisplay
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = RobustLPClassifier(threat=3).fit(X[::2], y[::2])
    >>> display = RobustnessDisplay.from_estimator(model, X[1::2], y[1::2], threats=[0, 3])
    >>> display.ax_.get_xlabel()
    'attributes taken away from each row (threat)'
    """

    def __init__(
        self,
        threats: t.Array,
        errors: dict[str, t.Array],
        prepared: dict[str, tuple[float, float]],
        *,
        classes: bool,
        kind: str,
        counted: bool,
    ) -> None:
        self.threats = threats
        self.errors = errors
        self.prepared = prepared
        self.classes = classes
        self.kind = kind
        self.counted = counted

    @classmethod
    def from_estimator(
        cls,
        estimators: Any | Sequence[Any] | Mapping[str, Any],
        X: t.Matrix,
        y: ArrayLike,
        *,
        threats: ArrayLike | None = None,
        costs: t.Costs = "uniform",
        kind: str = "exact",
        random_state: t.Seed = 0,
        ax: "Axes | None" = None,
    ) -> Self:
        """Attack estimators with growing budgets, and draw their errors.

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
            The adversary's cost of deleting an attribute; see :func:`halfseen.robust.attack`. The same for
            all lines.
        kind : str, default='exact'
            The attack; see :func:`halfseen.robust.attack`.
        random_state : int, RandomState instance or None, default=0
            Seed of random attacks.
        ax : matplotlib.axes.Axes or None, default=None
            Axes to draw into; None creates a new figure.

        Returns
        -------
        display : RobustnessDisplay
            The display, with the data that it draws. Regressors: mean squared error, in squared units of the
            target. Classifiers: share of misclassified rows.
        """
        from halfseen._adversarial import attack, attributes

        named = named_of(estimators)
        classes = tells_classes(named)
        panels = max(len(attributes(estimator)) for estimator in named.values())
        if threats is None:
            threats = np.unique(np.linspace(0, max(panels // 2, 1), 10).round())
        threats = np.unique(np.asarray(threats, dtype=np.float64))
        if not len(threats):
            raise ValueError("threats holds none: name at least one")
        axes, y = axes_of(ax), np.asarray(y)
        errors, prepared = {}, {}
        for name, estimator in named.items():

            def error(threat, estimator=estimator):
                attacked = attack(
                    estimator, X, y, threat=threat, costs=costs, kind=kind, random_state=random_state
                )
                return error_of(attacked.prediction, y, classes)

            errors[name] = np.array([error(threat) for threat in threats])
            own = (estimator.report_.get("threat") or {}).get("budget")
            if own and threats[0] <= own <= threats[-1]:
                prepared[name] = (own, error(own))
        counted = isinstance(costs, str) and costs == "uniform"
        return cls(threats, errors, prepared, classes=classes, kind=kind, counted=counted).plot(axes)

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw the curves. A ring marks the threat that an estimator prepared for.

        Parameters
        ----------
        ax : matplotlib.axes.Axes or None, default=None
            Axes to draw into; None creates a new figure.

        Returns
        -------
        display : RobustnessDisplay
            This display.
        """
        ax = axes_of(ax)
        for name, errors in self.errors.items():
            (line,) = ax.plot(self.threats, errors, marker="o", markersize=4, label=name)
            if name in self.prepared:
                at, error = self.prepared[name]
                ring: dict[str, Any] = {"marker": "o", "markersize": 11, "markerfacecolor": "none"}
                ax.plot([at], [error], linestyle="none", color=line.get_color(), **ring)
        unit = "attributes" if self.counted else "value"
        ax.set_xlabel(f"{unit} taken away from each row (threat)")
        ax.set_ylabel(error_words(self.classes, "attacked rows"))
        finish(ax, f"attack: {self.kind}" + ("; ring: the threat prepared for" if self.prepared else ""))
        return self._drawn(ax)
