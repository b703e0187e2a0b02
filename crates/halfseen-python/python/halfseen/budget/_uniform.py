"""Define the learners that draw the reads of a gradient uniformly: AER, AERR, AELR and p-norm updates."""

from typing import Literal

from halfseen import _types as t
from halfseen.budget._budgeted import Budgeted, LimitedClassifier, LimitedRegressor


class _AER(Budgeted):
    """The parameters of :class:`AERRegressor` and :class:`AERClassifier`.

    Parameters
    ----------
    penalty : float or str
        Strength lambda of the penalty (lambda/2) |w|^2: theory, a multiple of it such as 3.2x, or a
        number. Range: theory, a multiple of it such as 3.2x, or a finite number above 0.

    See Also
    --------
    AERRegressor : For numbers.
    AERClassifier : For two classes.
    AELRRegressor : The l1 ball by exponentiated gradient steps.
    AERRRegressor : The Euclidean ball.
    AERRClassifier : The Euclidean ball.

    References
    ----------
    .. [1] N. Cesa-Bianchi, S. Shalev-Shwartz and O. Shamir, "Efficient Learning with Partially Observed
           Attributes", ICML 2010.
    """

    _learner = "aer"

    def __init__(
        self,
        *,
        budget: int | None = None,
        total_budget: int | None = None,
        total_cost: float | None = None,
        max_cost: float | None = None,
        radius: float = 8.0,
        penalty: t.Rule = "theory",
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
        self.max_cost = max_cost
        self.radius = radius
        self.penalty = penalty
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


class AERRegressor(_AER, LimitedRegressor):
    """Attribute Efficient Regression: Cesa-Bianchi et al. 2010 [1]_, algorithm 2, theorem 2.

    Least squares with weights in an l1 ball. Half of the reads of an example, drawn without replacement,
    estimate the example itself, the others its product with the weights; strongly convex steps follow the
    estimated gradient. The expected excess of the squared error falls as ``sqrt(log m / m)`` in the number m
    of examples, and as one over the root of the reads per example. With a budget of all attributes nothing is
    sampled. With only a few reads, :class:`AERRRegressor` and :class:`AELRRegressor` are more efficient.

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen import AERRegressor
    >>> X = np.random.default_rng(0).normal(size=(5000, 10))
    >>> y = X[:, 0] - X[:, 1]
    >>> model = AERRegressor(budget=6, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.8
    True
    >>> int(np.abs(model.coef_).argmin()) > 1
    True
    """


class AERClassifier(_AER, LimitedClassifier):
    """Attribute Efficient Regression for two classes: Cesa-Bianchi et al. 2010 [1]_, algorithm 2, theorem 2.

    :class:`AERRegressor` on the labels -1 and +1: the sign of its estimate is the class. The guarantee is for
    the squared error, which bounds the share of misclassified rows from above.

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen import AERClassifier
    >>> X = np.random.default_rng(0).normal(size=(5000, 10))
    >>> y = np.where(X[:, 0] > X[:, 1], "yes", "no")
    >>> model = AERClassifier(budget=6, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.9
    True
    """


class _AERR(Budgeted):
    """The parameters of :class:`AERRRegressor` and :class:`AERRClassifier`.

    See Also
    --------
    AERRRegressor : For numbers.
    AERRClassifier : For two classes.
    AELRRegressor : Weights in an l1 ball, for few relevant attributes.
    DDAERRRegressor : Reads attributes of large second moments more often.
    AESVRClassifier : Losses of classes, such as the hinge.

    References
    ----------
    .. [1] E. Hazan and T. Koren, "Linear Regression with Limited Observation", ICML 2012.
    """

    _learner = "aerr"

    def __init__(
        self,
        *,
        budget: int | None = None,
        total_budget: int | None = None,
        total_cost: float | None = None,
        max_cost: float | None = None,
        radius: float = 2.0,
        step: t.Rule = "1.8x",
        step_rule: Literal["constant", "adagrad"] = "constant",
        passive: Literal["no", "one", "all"] = "no",
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
        self.max_cost = max_cost
        self.radius = radius
        self.step = step
        self.step_rule = step_rule
        self.passive = passive
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


class AERRRegressor(_AERR, LimitedRegressor):
    """Attribute Efficient Ridge Regression: Hazan and Koren 2012 [1]_, algorithm 1, theorem 3.1.

    Least squares with weights in a Euclidean ball. All reads of an example but one, drawn uniformly,
    estimate the example; the last, drawn in proportion to the squared weights, its product with them.
    Each example takes one projected gradient step; the model averages the weights. The expected excess of the
    squared error falls as ``sqrt(d / (k m))`` for m examples with k reads of d attributes each. So unread
    attributes cost as much as a sample smaller by the factor k / d.

    With ``passive`` the learner chooses nothing: rows have NaN, missing completely at random, and all
    observed cells are used. Then no theorem is claimed, ``budget`` has no effect and the ``scale`` of ``fit``
    may use all cells; batches and single examples are scaled by declared ``bounds`` or not at all.

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen import AERRRegressor
    >>> X = np.random.default_rng(0).normal(size=(2000, 10))
    >>> y = X[:, 0] - X[:, 1]
    >>> model = AERRRegressor(budget=4, random_state=0).fit(X, y)
    >>> model.reads_
    7993
    >>> model.score(X, y) > 0.8
    True

    Batches are learned from one after the other:

    >>> model = AERRRegressor(budget=4, random_state=0)
    >>> for rows in np.split(np.arange(2000), 4):
    ...     model = model.partial_fit(X[rows], y[rows])
    >>> model.report_["examples"], int(model.attributes_read_.sum()) == model.distinct_
    (2000, True)
    """


class AERRClassifier(_AERR, LimitedClassifier):
    """Attribute Efficient Ridge Regression for two classes: Hazan and Koren 2012 [1]_, algorithm 1.

    :class:`AERRRegressor` on the labels -1 and +1: the sign of its estimate is the class. The guarantee
    (theorem 3.1) is for the squared error, which bounds the share of misclassified rows from above.

    Examples
    --------
    >>> from halfseen import AERRClassifier
    >>> from sklearn.datasets import load_digits
    >>> digits = load_digits()
    >>> some = (digits.target == 3) | (digits.target == 5)
    >>> X, y = digits.data[some] / 16, digits.target[some]
    >>> model = AERRClassifier(budget=8, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.85
    True
    """


class _AELR(Budgeted):
    """The parameters of :class:`AELRRegressor` and :class:`AELRClassifier`.

    See Also
    --------
    AELRRegressor : For numbers.
    AELRClassifier : For two classes.
    AERRRegressor : Weights in a Euclidean ball.
    DDAELRRegressor : Reads attributes of large second moments more often.
    DDAELRClassifier : Reads attributes of large second moments more often.

    References
    ----------
    .. [1] E. Hazan and T. Koren, "Linear Regression with Limited Observation", ICML 2012.
    """

    _learner = "aelr"

    def __init__(
        self,
        *,
        budget: int | None = None,
        total_budget: int | None = None,
        total_cost: float | None = None,
        max_cost: float | None = None,
        radius: float = 8.0,
        step: t.Rule = "5.6x",
        passive: Literal["no", "one", "all"] = "no",
        replacement: bool = False,
        centre: Literal["none", "given", "running"] = "running",
        average: Literal["all", "tail"] = "all",
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
        self.max_cost = max_cost
        self.radius = radius
        self.step = step
        self.passive = passive
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


class AELRRegressor(_AELR, LimitedRegressor):
    """Attribute Efficient Lasso Regression: Hazan and Koren 2012 [1]_, algorithm 2, theorem 3.4.

    Least squares with weights in an l1 ball. Reads are chosen as in :class:`AERRRegressor`, the product's in
    proportion to the absolute weights; weights take exponentiated gradient steps with clipped entries. The
    expected excess of the squared error falls as ``sqrt(d log d / (k m))`` for bounded attributes: the
    dimension enters only through the unread attributes, so this suits many attributes of which few matter.

    ``passive`` means what it does in :class:`AERRRegressor`.

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen import AELRRegressor
    >>> X = np.random.default_rng(0).normal(size=(5000, 10))
    >>> y = X[:, 0] - X[:, 1]
    >>> model = AELRRegressor(budget=4, radius=6, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.8
    True
    """


class AELRClassifier(_AELR, LimitedClassifier):
    """Attribute Efficient Lasso Regression for two classes: Hazan and Koren 2012 [1]_, algorithm 2.

    :class:`AELRRegressor` on the labels -1 and +1: the sign of its estimate is the class. The guarantee
    (theorem 3.4) is for the squared error, which bounds the share of misclassified rows from above.

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen import AELRClassifier
    >>> X = np.random.default_rng(0).normal(size=(5000, 10))
    >>> y = X[:, 0] > X[:, 1]
    >>> model = AELRClassifier(budget=4, radius=2, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.9
    True
    """


class _PNorm(Budgeted):
    """The parameters of :class:`PNormRegressor` and :class:`PNormClassifier`.

    Parameters
    ----------
    p : float or None
        Exponent p of the p-norm updates: 2 is gradient descent, 2 ln d resembles exponentiated gradient;
        a larger p only weakens the guarantee. None: 2 ln d, at least 2. Range: a number from 2 to 64, or
        None.
    project : bool
        If true, the weights are kept in the ball of the q-norm of this radius, 1/p + 1/q = 1; if false,
        the radius only sets the theory step.

    See Also
    --------
    PNormRegressor : For numbers.
    PNormClassifier : For two classes.
    AERRRegressor : The case p = 2 with a projection.
    AELRRegressor : Exponentiated gradient.

    References
    ----------
    .. [1] N. Cesa-Bianchi, S. Shalev-Shwartz and O. Shamir, "Efficient Learning with Partially Observed
           Attributes", ICML 2010.
    .. [2] C. Gentile, "The Robustness of the p-Norm Algorithms", Machine Learning 53, 2003.
    """

    _learner = "pnorm"

    def __init__(
        self,
        *,
        budget: int | None = None,
        total_budget: int | None = None,
        total_cost: float | None = None,
        max_cost: float | None = None,
        radius: float = 4.0,
        step: t.Rule = "3.2x",
        p: float | None = 4.0,
        project: bool = False,
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
        self.max_cost = max_cost
        self.radius = radius
        self.step = step
        self.p = p
        self.project = project
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


class PNormRegressor(_PNorm, LimitedRegressor):
    """Additive p-norm updates from a few reads: Cesa-Bianchi et al. 2010 [1]_, section 5; Gentile 2003 [2]_.

    Between gradient descent (``p=2``, as :class:`AERRRegressor` before its projection) and exponentiated
    gradient (p near 2 log d, as :class:`AELRRegressor`). Reads are those of :class:`AERRRegressor`. The
    expected excess of the squared error falls as ``sqrt((p - 1) / m)`` times a factor for unread attributes
    (theorem 1 of [2]_). The weights must stay in a ball of the dual norm, which ``project=True`` ensures.

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen import PNormRegressor
    >>> X = np.random.default_rng(0).normal(size=(5000, 10))
    >>> y = X[:, 0] - X[:, 1]
    >>> model = PNormRegressor(budget=4, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.8
    True
    """


class PNormClassifier(_PNorm, LimitedClassifier):
    """Additive p-norm updates for two classes: Cesa-Bianchi et al. 2010 [1]_, section 5; Gentile 2003 [2]_.

    :class:`PNormRegressor` on the labels -1 and +1: the sign of its estimate is the class.

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen import PNormClassifier
    >>> X = np.random.default_rng(0).normal(size=(5000, 10))
    >>> y = X[:, 0] > X[:, 1]
    >>> model = PNormClassifier(budget=4, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.9
    True
    """
