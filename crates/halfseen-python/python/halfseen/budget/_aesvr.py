"""Define the learner of smooth losses other than the square: AESVR."""

from typing import Literal

from halfseen import _types as t
from halfseen.budget._budgeted import Budgeted, LimitedClassifier, LimitedRegressor


class _AESVR(Budgeted):
    """The parameters of :class:`AESVRRegressor` and :class:`AESVRClassifier`.

    Parameters
    ----------
    ball : {'l2', 'l1'}
        Ball that holds the weights: l2 (projected gradient, as in aerr) or l1 (exponentiated gradient, as
        in aelr).
    loss : {'absolute', 'hinge', 'exponential', 'logistic'}
        Loss to minimise. For regression: absolute (smoothed, zero inside a tube). For classes -1 and +1:
        hinge (smoothed), exponential, or logistic (needs norm_bound).
    tube : float
        Residuals up to this size cost nothing (delta of the absolute loss), in scaled units. Range: a
        finite number of at least 0.
    smoothing_width : float
        Width eps over which the kinks of the absolute and the hinge loss are smoothed, in scaled units.
        The spread of the estimates grows like exp(2 (residual/eps)^2): keep eps above the residuals.
        Range: a finite number above 0.
    norm_bound : float or None
        Declared bound on the norm of the sampled attributes of any example about their centre, in scaled
        units: Euclidean with ball = l2, largest absolute value with ball = l1. Only the logistic loss
        needs it. None: none is declared. Range: a finite number above 0, or None.

    See Also
    --------
    AESVRRegressor : For numbers.
    AESVRClassifier : For two classes.
    AERRRegressor : Squared error, whose slope needs a single read.
    AERRClassifier : Squared error, whose slope needs a single read.

    References
    ----------
    .. [1] E. Hazan and T. Koren, "Linear Regression with Limited Observation", ICML 2012.
    """

    _learner = "aesvr"

    def __init__(
        self,
        *,
        budget: int | None = None,
        total_budget: int | None = None,
        total_cost: float | None = None,
        radius: float = 1.0,
        step: t.Rule = "theory",
        ball: Literal["l2", "l1"] = "l2",
        loss: Literal["absolute", "hinge", "exponential", "logistic"] = "absolute",
        tube: float = 0.0,
        smoothing_width: float = 8.0,
        norm_bound: float | None = None,
        replacement: bool = False,
        centre: Literal["none", "given", "running"] = "running",
        average: Literal["all", "tail"] = "tail",
        truncate: int | None = None,
        intercept: bool = True,
        horizon: int | None = None,
        random_state: t.Seed = None,
        scale: t.Scale = None,
        basis: t.Basis = None,
        known: t.Names = None,
        groups: t.Groups = None,
        prices: t.ByAttribute = None,
        bounds: t.ByAttribute = None,
        tune: int | None = None,
        verbose: t.Verbose = False,
    ) -> None:
        self.budget = budget
        self.total_budget = total_budget
        self.total_cost = total_cost
        self.radius = radius
        self.step = step
        self.ball = ball
        self.loss = loss
        self.tube = tube
        self.smoothing_width = smoothing_width
        self.norm_bound = norm_bound
        self.replacement = replacement
        self.centre = centre
        self.average = average
        self.truncate = truncate
        self.intercept = intercept
        self.horizon = horizon
        self.random_state = random_state
        self.scale = scale
        self.basis = basis
        self.known = known
        self.groups = groups
        self.prices = prices
        self.bounds = bounds
        self.tune = tune
        self.verbose = verbose


class AESVRRegressor(_AESVR, LimitedRegressor):
    """Attribute Efficient Support Vector Regression: Hazan and Koren 2012 [1]_, algorithm 4, theorem 4.4.

    Minimises the smoothed absolute error outside a tube. All reads of an example but one estimate the
    example; the slope of the loss, which is not linear in the product, is estimated by a random number of
    further reads. So the budget holds on average only: the mean is at most 1.06 reads above ``budget``, and
    ``report_["max_reads"]`` is the maximum. The expected excess of the smoothed loss falls as one over the
    root of the number of examples, with a constant that explodes if residuals exceed ``smoothing_width``; a
    ``DataWarning`` then says so.

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen import AESVRRegressor
    >>> X = np.random.default_rng(0).normal(size=(5000, 5))
    >>> y = X[:, 0] - X[:, 1]
    >>> model = AESVRRegressor(budget=3, radius=2, random_state=0).fit(X, y)
    >>> model.report_["budget_kind"], model.score(X, y) > 0.5
    ('expected', True)
    """


class AESVRClassifier(_AESVR, LimitedClassifier):
    """Attribute Efficient Support Vector Regression for two classes: Hazan and Koren 2012 [1]_, algorithm 4.

    :class:`AESVRRegressor` on the labels -1 and +1, with the absolute error or a classification loss: the
    smoothed hinge, the exponential or the logistic loss (theorem 4.4). The budget holds on average, as there.

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen import AESVRClassifier
    >>> X = np.random.default_rng(0).normal(size=(5000, 5))
    >>> y = X[:, 0] > X[:, 1]
    >>> model = AESVRClassifier(budget=3, loss="hinge", radius=2, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.8
    True
    """
