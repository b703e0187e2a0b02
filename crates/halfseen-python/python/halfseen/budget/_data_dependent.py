"""Define the learners that read some attributes more often than others: GAERR, DDAERR and DDAELR."""

from typing import Literal

from numpy.typing import ArrayLike

from halfseen import _types as t
from halfseen.budget._budgeted import Budgeted, LimitedClassifier, LimitedRegressor


class _GAERR(Budgeted):
    """The parameters of :class:`GAERRRegressor` and :class:`GAERRClassifier`.

    Parameters
    ----------
    probabilities : array-like or None
        Probability q of each attribute in one gradient draw: one number per attribute that can be read,
        in the order of the table. None: uniform. Range: None, or numbers of at least 0 that sum to 1,
        separated by commas.

    See Also
    --------
    GAERRRegressor : For numbers.
    GAERRClassifier : For two classes.
    DDAERRRegressor : Takes the best probabilities for second moments.

    References
    ----------
    .. [1] D. Kukliansky and O. Shamir, "Attribute Efficient Linear Regression with Distribution-Dependent
           Sampling", ICML 2015.
    """

    _learner = "gaerr"

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
        probabilities: ArrayLike | None = None,
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
        self.probabilities = probabilities
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


class GAERRRegressor(_GAERR, LimitedRegressor):
    """General Attribute Efficient Ridge Regression: Kukliansky and Shamir 2015 [1]_, theorem 3.1.

    :class:`AERRRegressor` with declared ``probabilities`` for the reads of the gradient, for example from an
    expert. The guarantee is that of :class:`AERRRegressor`, but d times the sum of the second moments becomes
    the sum of the second moments divided by the probabilities. Good probabilities reduce it, and an attribute
    that is never read must be constant. With equal probabilities it is :class:`AERRRegressor` to
    the bit.

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen import GAERRRegressor
    >>> X = np.random.default_rng(0).normal(size=(2000, 4)) * [2.0, 1.0, 0.1, 0.1]
    >>> y = X[:, 0] - X[:, 1]
    >>> model = GAERRRegressor(budget=2, probabilities=[0.6, 0.3, 0.05, 0.05], random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.7
    True
    """


class GAERRClassifier(_GAERR, LimitedClassifier):
    """General Attribute Efficient Ridge Regression for two classes: Kukliansky and Shamir 2015 [1]_.

    :class:`GAERRRegressor` on the labels -1 and +1: the sign of its estimate is the class.

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen import GAERRClassifier
    >>> X = np.random.default_rng(0).normal(size=(2000, 4)) * [2.0, 1.0, 0.1, 0.1]
    >>> y = X[:, 0] > X[:, 1]
    >>> model = GAERRClassifier(budget=2, probabilities=[0.6, 0.3, 0.05, 0.05], random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.9
    True
    """


class _DDAERR(Budgeted):
    """The parameters of :class:`DDAERRRegressor` and :class:`DDAERRClassifier`.

    Parameters
    ----------
    moment_norm : float or None
        With moments = two-phase: half-norm H = (sum of sqrt mu)^2 of the second moments, in scaled units,
        if known beforehand. None: estimated from the first phase. Range: a finite number above 0, or
        None.

    See Also
    --------
    DDAERRRegressor : For numbers.
    DDAERRClassifier : For two classes.
    DDAELRRegressor : Weights in an l1 ball.
    GAERRRegressor : Any probabilities.

    References
    ----------
    .. [1] D. Kukliansky and O. Shamir, "Attribute Efficient Linear Regression with Distribution-Dependent
           Sampling", ICML 2015.
    """

    _learner = "ddaerr"

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
        moments: t.Moments = None,
        phase1: float = 0.2,
        smoothing: float = 0.01,
        confidence: float = 0.05,
        moment_norm: float | None = None,
        inner: Literal["weights", "moments", "mixed"] = "weights",
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
        self.moments = moments
        self.phase1 = phase1
        self.smoothing = smoothing
        self.confidence = confidence
        self.moment_norm = moment_norm
        self.inner = inner
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


class DDAERRRegressor(_DDAERR, LimitedRegressor):
    """Data-Dependent Attribute Efficient Ridge Regression: Kukliansky and Shamir 2015 [1]_, section 3.

    :class:`AERRRegressor` that reads attributes in proportion to the root of their second moments. The
    expected excess of the squared error falls as ``sqrt((H / k + 1) / m)`` (theorem 3.5), H the squared sum
    of these roots. It is at most that of :class:`AERRRegressor`, and far less if few attributes carry most of
    the norm.

    The moments are declared, estimated from the reads as they come (the default; no theorem), or with
    ``moments="two-phase"`` by a first phase of uniform reads. Two phases keep the guarantee with
    probability 1 - ``confidence`` (theorem 3.6 if ``moment_norm`` is given, else 3.12), and need the number
    of examples (known in ``fit``; otherwise set ``horizon``). ``phase1``, ``smoothing``, ``confidence`` and
    ``moment_norm`` are its parameters.

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen import DDAERRRegressor
    >>> X = np.random.default_rng(0).normal(size=(5000, 20)) / np.arange(1, 21)
    >>> y = X[:, 0] - X[:, 1]
    >>> model = DDAERRRegressor(budget=3, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.5
    True
    >>> model = DDAERRRegressor(budget=3, moments="two-phase", random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.7
    True
    """


class DDAERRClassifier(_DDAERR, LimitedClassifier):
    """Data-Dependent Attribute Efficient Ridge Regression for two classes: Kukliansky and Shamir 2015 [1]_.

    :class:`DDAERRRegressor` on the labels -1 and +1: the sign of its estimate is the class.

    Examples
    --------
    >>> from halfseen import DDAERRClassifier
    >>> from sklearn.datasets import load_digits
    >>> digits = load_digits()
    >>> some = (digits.target == 3) | (digits.target == 5)
    >>> X, y = digits.data[some] / 16, digits.target[some]
    >>> model = DDAERRClassifier(budget=8, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.9
    True
    """


class _DDAELR(Budgeted):
    """The parameters of :class:`DDAELRRegressor` and :class:`DDAELRClassifier`.

    See Also
    --------
    DDAELRRegressor : For numbers.
    DDAELRClassifier : For two classes.
    DDAERRRegressor : Weights in a Euclidean ball.

    References
    ----------
    .. [1] D. Kukliansky and O. Shamir, "Attribute Efficient Linear Regression with Distribution-Dependent
           Sampling", ICML 2015.
    """

    _learner = "ddaelr"

    def __init__(
        self,
        *,
        budget: int | None = None,
        total_budget: int | None = None,
        total_cost: float | None = None,
        max_cost: float | None = None,
        radius: float = 8.0,
        step: t.Rule = "5.6x",
        moments: t.Moments = None,
        phase1: float = 0.2,
        smoothing: float = 0.01,
        confidence: float = 0.05,
        inner: Literal["weights", "moments", "mixed"] = "weights",
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
        self.moments = moments
        self.phase1 = phase1
        self.smoothing = smoothing
        self.confidence = confidence
        self.inner = inner
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


class DDAELRRegressor(_DDAELR, LimitedRegressor):
    """Data-Dependent Attribute Efficient Lasso Regression: Kukliansky and Shamir 2015 [1]_, section 4.

    :class:`AELRRegressor` that reads attributes in proportion to their second moments. The expected excess of
    the squared error is that of :class:`AELRRegressor` with the mean squared norm of an example instead of d
    times the largest second moment.

    The moments are those of :class:`DDAERRRegressor`: declared, online or two-phase.

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen import DDAELRRegressor
    >>> X = np.random.default_rng(0).normal(size=(5000, 20)) / np.arange(1, 21)
    >>> y = X[:, 0] - X[:, 1]
    >>> moments = 1 / np.arange(1.0, 21.0) ** 2
    >>> model = DDAELRRegressor(budget=3, radius=2, moments=moments, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.7
    True
    """


class DDAELRClassifier(_DDAELR, LimitedClassifier):
    """Data-Dependent Attribute Efficient Lasso Regression for two classes: Kukliansky and Shamir 2015 [1]_.

    :class:`DDAELRRegressor` on the labels -1 and +1: the sign of its estimate is the class.

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen import DDAELRClassifier
    >>> X = np.random.default_rng(0).normal(size=(5000, 20)) / np.arange(1, 21)
    >>> y = X[:, 0] > X[:, 1]
    >>> model = DDAELRClassifier(budget=3, radius=2, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.8
    True
    """
