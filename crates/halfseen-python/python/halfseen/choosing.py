"""Choose a learner by the kind of unseen data, so that nobody has to know the learners' names.

==========================  ============================================================================
what is unseen              estimators
==========================  ============================================================================
most of it: reads cost      :class:`BudgetedRegressor`, :class:`BudgetedClassifier`
cells of the table          :class:`IncompleteRegressor`, :class:`IncompleteClassifier`
attributes, later           :class:`RobustRegressor`, :class:`RobustClassifier`
==========================  ============================================================================

:func:`halfseen.suggest` says which learner suits a table, why, and names an alternative. The program's
``fit`` follows the same rules, which were made from measurements.
"""

from halfseen import _types as t
from halfseen._adversarial import Attackable
from halfseen._choosing import Choosing, ChoosingClassifier, ChoosingRegressor
from halfseen.suggesting import shape_of

__all__ = [
    "BudgetedClassifier",
    "BudgetedRegressor",
    "IncompleteClassifier",
    "IncompleteRegressor",
    "RobustClassifier",
    "RobustRegressor",
]


class _Budgeted(Choosing):
    """The parameters of estimators that read a few attributes of each example.

    Parameters
    ----------
    budget : int or None
        Number of attributes that may be read of each example. None: 4, or all if there are fewer.
    prices : dict or None
        Price of one read of an attribute: name or index -> price; 1 for others.
    max_cost : float or None
        Largest cost of the reads of one example, instead of ``budget``, at these prices.
    groups : dict of str to list, or None
        Attributes that are read together: name of the panel -> names or indices of its columns.
    known : list of str or int, or None
        Attributes whose values are known for every example, at no cost.
    """

    _family = "budget"
    _unseen = (True, False)

    def __init__(
        self,
        *,
        budget: int | None = None,
        method: str = "auto",
        prices: t.ByAttribute = None,
        max_cost: float | None = None,
        groups: t.Groups = None,
        known: t.Names = None,
        random_state: t.Seed = None,
        n_jobs: int | None = None,
        verbose: t.Verbose = False,
    ) -> None:
        self.budget = budget
        self.method = method
        self.prices = prices
        self.max_cost = max_cost
        self.groups = groups
        self.known = known
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _settings(self, X):
        """Return the budget, if nothing says how much may be read."""
        if self.budget is not None or self.max_cost is not None:
            return {}
        columns = shape_of(X)[1:]
        return {"budget": min(4, *columns) if columns else 4}


class _Incomplete(Choosing):
    """The parameters of estimators that learn from rows with missing values."""

    _family = "missing"
    _holes = True

    def __init__(
        self,
        *,
        method: str = "auto",
        random_state: t.Seed = None,
        n_jobs: int | None = None,
        verbose: t.Verbose = False,
    ) -> None:
        self.method = method
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class _Robust(Choosing):
    """The parameters of estimators that prepare for the deletion of attributes.

    Parameters
    ----------
    threat : float or None
        Number of attributes of a row that an adversary may delete; with ``costs`` their cost.
        None: a tenth of all, rounded down.
    costs : array-like, 'uniform' or 'mi'
        Cost of each attribute to the adversary: 1 each, proportional to its mutual information with the
        target, or one number per attribute.
    groups : dict of str to list, or None
        Attributes that an adversary deletes as one: name of the panel -> names or indices of its columns.
    known : list of str or int, or None
        Attributes that always stay.
    scale : {'none', 'common', 'each', 'max'} or None
        Scaling of attributes. A deleted attribute counts as 0, with 'each' as its mean: take it where zero
        means nothing. None: with ``method='auto'`` what suits the table (see ``suggestion_``), else 'max',
        each divided by its largest absolute value.
    basis : {'none', 'hats'} or None
        'hats': predictions bend in each attribute. A deletion takes all functions of it. None: with
        ``method='auto'`` what suits the table, else 'none'.
    """

    _family = "robust"
    _unseen = (False, True)
    _default = "robust-lp"

    def __init__(
        self,
        *,
        threat: float | None = None,
        method: str = "auto",
        costs: t.Costs = "uniform",
        groups: t.Groups = None,
        known: t.Names = None,
        scale: t.Scale = None,
        basis: t.Basis = None,
        random_state: t.Seed = None,
        n_jobs: int | None = None,
        verbose: t.Verbose = False,
    ) -> None:
        self.threat = threat
        self.method = method
        self.costs = costs
        self.groups = groups
        self.known = known
        self.scale = scale
        self.basis = basis
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class BudgetedRegressor(ChoosingRegressor, _Budgeted):
    """Predict numbers from a few attributes of each example, which the learner chooses.

    The budget is of the examples that are learned from. A prediction uses all cells that it is given.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from halfseen import BudgetedRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = BudgetedRegressor(budget=3, random_state=0).fit(X, y)
    >>> model.suggestion_.learner, bool(model.score(X, y) > 0.4)
    ('fiml', True)
    """


class BudgetedClassifier(ChoosingClassifier, _Budgeted):
    """Predict classes from a few attributes of each example, which the learner chooses.

    The budget is of the examples that are learned from. A prediction uses all cells that it is given.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from halfseen import BudgetedClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = BudgetedClassifier(budget=4, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.9)
    True
    """


class IncompleteRegressor(ChoosingRegressor, _Incomplete):
    """Predict numbers from rows with missing values, NaN, without imputation.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_diabetes
    >>> from halfseen import IncompleteRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> X[np.random.default_rng(0).random(X.shape) < 0.4] = np.nan
    >>> model = IncompleteRegressor(random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.3)
    True
    """


class IncompleteClassifier(ChoosingClassifier, _Incomplete):
    """Predict classes from rows with missing values, NaN, without imputation.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_breast_cancer
    >>> from halfseen import IncompleteClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X[np.random.default_rng(0).random(X.shape) < 0.4] = np.nan
    >>> model = IncompleteClassifier(random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.9)
    True
    """

    _weighted = ("karma",)

    def __init__(
        self,
        *,
        method: str = "auto",
        class_weight: t.ClassWeight = None,
        random_state: t.Seed = None,
        n_jobs: int | None = None,
        verbose: t.Verbose = False,
    ) -> None:
        super().__init__(method=method, random_state=random_state, n_jobs=n_jobs, verbose=verbose)
        self.class_weight = class_weight


class RobustRegressor(Attackable, ChoosingRegressor, _Robust):
    """Predict numbers although attributes may be deleted at prediction time.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from halfseen import RobustRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = RobustRegressor(threat=2).fit(X, y)
    >>> model.suggestion_.learner
    'robust-lp'
    """


class RobustClassifier(Attackable, ChoosingClassifier, _Robust):
    """Predict classes although attributes may be deleted at prediction time.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from halfseen import RobustClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = RobustClassifier(threat=3).fit(X / X.max(axis=0), y)
    >>> bool(model.attacked_score(X / X.max(axis=0), y) > 0.7)
    True
    """

    _weighted = ("robust-lp",)

    def __init__(
        self,
        *,
        threat: float | None = None,
        method: str = "auto",
        costs: t.Costs = "uniform",
        groups: t.Groups = None,
        known: t.Names = None,
        scale: t.Scale = None,
        basis: t.Basis = None,
        class_weight: t.ClassWeight = None,
        random_state: t.Seed = None,
        n_jobs: int | None = None,
        verbose: t.Verbose = False,
    ) -> None:
        super().__init__(
            threat=threat,
            method=method,
            costs=costs,
            groups=groups,
            known=known,
            scale=scale,
            basis=basis,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self.class_weight = class_weight


#: The estimators that choose.
CHOOSERS = (
    BudgetedClassifier,
    BudgetedRegressor,
    IncompleteClassifier,
    IncompleteRegressor,
    RobustClassifier,
    RobustRegressor,
)
