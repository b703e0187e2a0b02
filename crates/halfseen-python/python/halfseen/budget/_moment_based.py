"""Define the learners that estimate moments first, and solve a problem in them."""

from typing import Literal

from halfseen import _types as t
from halfseen.budget._budgeted import Budgeted, BudgetedClassifier, BudgetedRegressor


class _MomentLasso(Budgeted):
    """The parameters of :class:`MomentLassoRegressor` and :class:`MomentLassoClassifier`.

    Parameters
    ----------
    moment_repair : {'stationary', 'psd', 'diag-shift'}
        What becomes of estimated second moments, which need not be positive semidefinite: used as they
        are, for a stationary point; as the nearest matrix that is; or with the size of their least
        eigenvalue added to the diagonal.

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
        radius: float = 4.0,
        moment_repair: Literal["stationary", "psd", "diag-shift"] = "psd",
        tol: float = 0.0001,
        max_iter: int = 100000,
        centre: Literal["none", "given", "running"] = "running",
        intercept: bool = True,
        random_state: t.Seed = None,
        scale: t.Scale = None,
        known: t.Names = None,
        groups: t.Groups = None,
        prices: t.ByAttribute = None,
        bounds: t.ByAttribute = None,
        verbose: t.Verbose = False,
    ) -> None:
        self.budget = budget
        self.total_budget = total_budget
        self.radius = radius
        self.moment_repair = moment_repair
        self.tol = tol
        self.max_iter = max_iter
        self.centre = centre
        self.intercept = intercept
        self.random_state = random_state
        self.scale = scale
        self.known = known
        self.groups = groups
        self.prices = prices
        self.bounds = bounds
        self.verbose = verbose


class MomentLassoRegressor(_MomentLasso, BudgetedRegressor):
    """Baseline of paper A [1]_, algorithm 1, theorem 1: least squares in moments from pairs of reads.

    Pairs of attributes are read of each example, whatever was learned before, and give unbiased estimates
    of all second moments; the weights in the l1 ball are those of least squared error in these.
    ``moment_repair`` says what becomes of estimates that are no second moments of anything. The excess of the
    squared error falls as ``d ** 2 / k`` times one over the root of the number of examples. Memory grows
    with the square of the number of columns, and a solution takes its third power: ``partial_fit`` solves
    anew for every batch, so give it large ones.

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


class MomentLassoClassifier(_MomentLasso, BudgetedClassifier):
    """Baseline of paper A [1]_, algorithm 1, theorem 1, for two classes.

    :class:`MomentLassoRegressor` on the labels as -1 and +1: the sign of what it estimates is the class.

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


class _Identity(Budgeted):
    """The parameters of :class:`IdentityRegressor` and :class:`IdentityClassifier`.

    See Also
    --------
    IdentityRegressor : For numbers.
    IdentityClassifier : For two classes.
    MomentLassoRegressor : Estimates the second moments.

    References
    ----------
    .. [1] N. Cesa-Bianchi, S. Shalev-Shwartz and O. Shamir, "Efficient Learning with Partially Observed
           Attributes", ICML 2010.
    """

    _learner = "identity"

    def __init__(
        self,
        *,
        budget: int | None = None,
        total_budget: int | None = None,
        radius: float = 2.0,
        centre: Literal["none", "given", "running"] = "running",
        intercept: bool = True,
        random_state: t.Seed = None,
        scale: t.Scale = None,
        known: t.Names = None,
        groups: t.Groups = None,
        prices: t.ByAttribute = None,
        bounds: t.ByAttribute = None,
        verbose: t.Verbose = False,
    ) -> None:
        self.budget = budget
        self.total_budget = total_budget
        self.radius = radius
        self.centre = centre
        self.intercept = intercept
        self.random_state = random_state
        self.scale = scale
        self.known = known
        self.groups = groups
        self.prices = prices
        self.bounds = bounds
        self.verbose = verbose


class IdentityRegressor(_Identity, BudgetedRegressor):
    """Strawman of paper A [1]_, footnote 2: attributes are taken to be uncorrelated.

    Estimates how each attribute goes with the target, and takes the covariance of the attributes for a
    multiple of the identity. It is not, where attributes are correlated or differ in scale, and no number
    of examples mends that: there is no guarantee. It is here to show what second moments are worth.

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen import IdentityRegressor
    >>> X = np.random.default_rng(0).normal(size=(5000, 5))
    >>> y = X[:, 0] - X[:, 1]
    >>> model = IdentityRegressor(budget=3, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.9
    True
    """


class IdentityClassifier(_Identity, BudgetedClassifier):
    """Strawman of paper A [1]_, footnote 2, for two classes: attributes are taken to be uncorrelated.

    :class:`IdentityRegressor` on the labels as -1 and +1: the sign of what it estimates is the class. There
    is no guarantee.

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen import IdentityClassifier
    >>> X = np.random.default_rng(0).normal(size=(5000, 5))
    >>> y = X[:, 0] > X[:, 1]
    >>> model = IdentityClassifier(budget=3, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.9
    True
    """
