"""Define the learner that estimates moments first, and solves a problem in them."""

from typing import Literal

from halfseen import _types as t
from halfseen.budget._budgeted import Budgeted, LimitedClassifier, LimitedRegressor


class _MomentLasso(Budgeted):
    """The parameters of :class:`MomentLassoRegressor` and :class:`MomentLassoClassifier`.

    Parameters
    ----------
    moment_repair : {'stationary', 'psd', 'diag-shift'}
        Repair of the estimated second moments, which may not be positive semidefinite: stationary (none;
        a stationary point is sought), psd (the nearest positive semidefinite matrix), or diag-shift (the
        size of the least eigenvalue is added to the diagonal if it is negative).

    See Also
    --------
    MomentLassoRegressor : For numbers.
    MomentLassoClassifier : For two classes.
    AELRRegressor : The same ball, with a better rate.

    References
    ----------
    .. [1] N. Cesa-Bianchi, S. Shalev-Shwartz and O. Shamir, "Efficient Learning with Partially Observed
           Attributes", ICML 2010.
    """

    _learner = "baseline"

    def __init__(
        self,
        *,
        budget: int | None = None,
        total_budget: int | None = None,
        total_cost: float | None = None,
        radius: float = 4.0,
        moment_repair: Literal["stationary", "psd", "diag-shift"] = "psd",
        tol: float = 0.0001,
        max_iter: int = 100000,
        centre: Literal["none", "given", "running"] = "running",
        intercept: bool = True,
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
        self.moment_repair = moment_repair
        self.tol = tol
        self.max_iter = max_iter
        self.centre = centre
        self.intercept = intercept
        self.random_state = random_state
        self.scale = scale
        self.basis = basis
        self.known = known
        self.groups = groups
        self.prices = prices
        self.bounds = bounds
        self.tune = tune
        self.verbose = verbose


class MomentLassoRegressor(_MomentLasso, LimitedRegressor):
    """Baseline of Cesa-Bianchi et al. 2010 [1]_, algorithm 1, theorem 1: least squares in estimated moments.

    Pairs of reads of each example, independent of earlier results, give unbiased estimates of all second
    moments; the weights in the l1 ball minimise the squared error in these. ``moment_repair`` is the
    treatment of estimates that are not positive semidefinite. The excess of the squared error falls as ``d **
    2 / k`` times one over the root of the number of examples. Memory grows with the square of the number of
    columns, and time with its third power: ``partial_fit`` solves anew for every batch, so use large ones.

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen import MomentLassoRegressor
    >>> X = np.random.default_rng(0).normal(size=(5000, 5))
    >>> y = X[:, 0] - X[:, 1]
    >>> model = MomentLassoRegressor(budget=3, radius=2, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.9
    True
    """


class MomentLassoClassifier(_MomentLasso, LimitedClassifier):
    """Baseline of Cesa-Bianchi et al. 2010 [1]_, algorithm 1, theorem 1, for two classes.

    :class:`MomentLassoRegressor` on the labels -1 and +1: the sign of its estimate is the class.

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen import MomentLassoClassifier
    >>> X = np.random.default_rng(0).normal(size=(5000, 5))
    >>> y = X[:, 0] > X[:, 1]
    >>> model = MomentLassoClassifier(budget=3, radius=2, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.9
    True
    """
