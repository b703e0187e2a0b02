"""Learn from every attribute of every example: full-information references that scikit-learn lacks."""

from typing import Literal

from halfseen import _types as t
from halfseen._estimator import Estimator
from halfseen._predictors import ClippedRegressor, LinearClassifier


class _OnlineLasso(Estimator):
    """The parameters of :class:`OnlineLassoRegressor` and :class:`OnlineLassoClassifier`.

    Parameters
    ----------
    step : float, str or None
        Step size: theory (from the variant's theorem, for the norms of the data), a multiple of it such
        as 3.2x, or a number. None: 32x for eg, theory for ogd and rda. Range: theory, a multiple of it
        such as 3.2x, a finite number above 0, or None.
    variant : {'eg', 'ogd', 'rda'}
        Update of the weights: exponentiated gradient (eg), projected gradient (ogd), or regularised dual
        averaging (rda).
    penalty : float
        Strength lambda of the penalty lambda |w|_1 that variant rda adds to the loss (<w,x> - y)^2 / 2;
        the other variants have none. Range: a finite number of at least 0.

    See Also
    --------
    OnlineLassoRegressor : For numbers.
    OnlineLassoClassifier : For two classes.
    halfseen.AELRRegressor : The same ball from a few attributes of each example.
    halfseen.AELRClassifier : The same ball from a few attributes of each example.

    Notes
    -----
    There is no ``sample_weight``: each row takes one step, and a doubled step is not two steps.

    References
    ----------
    .. [1] E. Hazan and T. Koren, "Linear Regression with Limited Observation", ICML 2012.
    .. [2] M. Zinkevich, "Online Convex Programming and Generalized Infinitesimal Gradient Ascent", ICML 2003.
    .. [3] L. Xiao, "Dual Averaging Methods for Regularized Stochastic Learning and Online Optimization", JMLR
           11, 2010.
    """

    _learner = "online-lasso"

    def __init__(
        self,
        *,
        radius: float = 16.0,
        step: t.Rule | None = None,
        variant: Literal["eg", "ogd", "rda"] = "eg",
        penalty: float = 0.001,
        intercept: bool = True,
        known_radius: float = 1.0,
        random_state: t.Seed = None,
        scale: t.Scale = None,
        basis: t.Basis = None,
        tune: int | None = None,
        verbose: t.Verbose = False,
    ) -> None:
        self.radius = radius
        self.step = step
        self.variant = variant
        self.penalty = penalty
        self.intercept = intercept
        self.known_radius = known_radius
        self.random_state = random_state
        self.scale = scale
        self.basis = basis
        self.tune = tune
        self.verbose = verbose


class OnlineLassoRegressor(_OnlineLasso, ClippedRegressor):
    """Online lasso: one pass over all attributes in an l1 ball; the comparator in section 5 of [1]_.

    Least squares with weights in an l1 ball, learned in one pass over the rows in a seeded order. ``variant``
    chooses the steps: exponentiated gradient (algorithm 2 of Hazan and Koren 2012 [1]_ with exact instead of
    estimated examples), projected gradient [2]_ or regularised dual averaging [3]_. The model is the average
    of the iterates. Its expected excess falls as one over the root of the number of rows. Rows and
    targets must be bounded, and the step made for these bounds (``'theory'`` uses root mean squares).

    It is the reference for budgeted learners: the same pass, with every attribute read.

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen import OnlineLassoRegressor
    >>> X = np.random.default_rng(0).normal(size=(2000, 10))
    >>> model = OnlineLassoRegressor(radius=2, random_state=0).fit(X, X[:, 0] - X[:, 1])
    >>> model.reads_
    20000
    >>> sorted(np.abs(model.coef_).argsort()[-2:].tolist())
    [0, 1]
    """


class OnlineLassoClassifier(_OnlineLasso, LinearClassifier):
    """Online lasso for two classes: one pass over all attributes in an l1 ball, on targets of -1 and +1.

    As :class:`OnlineLassoRegressor`; the sign of the estimate is the class.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from halfseen import OnlineLassoClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> OnlineLassoClassifier(radius=2, random_state=0).fit(X, y).score(X, y) > 0.9
    True
    """
