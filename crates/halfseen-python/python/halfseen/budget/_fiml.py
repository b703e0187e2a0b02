"""Define the learner that keeps its reads, and fits a joint distribution to them: FIML."""

from collections.abc import Callable
from functools import update_wrapper
from types import MethodType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from halfseen import _types as t
from halfseen._estimator import _without_weights
from halfseen.budget._budgeted import Budgeted, LimitedClassifier, LimitedRegressor


class _WithLink:
    """A method that exists only if a link turns scores into probabilities."""

    def __init__(self, method: Callable[..., Any]) -> None:
        self.method = method
        update_wrapper(self, method)  # type: ignore[arg-type]  # it may be any callable

    def __get__(self, estimator: Any, owner: Any = None) -> Any:
        if estimator is None:
            return self.method
        if estimator.link == "identity":
            raise AttributeError(
                f"{type(estimator).__name__} has no {self.method.__name__} with link='identity', whose scores"
                " estimate -1 and +1: fit with link='probit', 'logistic' or 'auto'"
            )
        return MethodType(self.method, estimator)


class AttributeCurve(NamedTuple):
    """Piecewise linear function of one attribute, constant beyond its ends.

    Attributes
    ----------
    feature : int
        Column of X.
    knots : ndarray of shape (n_knots,)
        Increasing values of the attribute.
    heights : ndarray of shape (n_knots,)
        Value of the curve at each knot; elsewhere it is ``np.interp(x, knots, heights)``.
    """

    feature: int
    knots: t.Array
    heights: t.Array


class _FIML(Budgeted):
    """The parameters of :class:`FIMLRegressor` and :class:`FIMLClassifier`.

    Parameters
    ----------
    design : {'uniform', 'adaptive'}
        Choice of the attributes to read. uniform: every set of the same size is equally likely. adaptive:
        uniform at first, then proportional to each attribute's estimated contribution to the prediction;
        three tenths of the reads stay uniform. Under max_cost the order in which attributes are taken is
        drawn so, with contributions divided by the square roots of the prices.
    shape : {'linear', 'additive', 'auto'}
        Functions of the attributes that predictions are sums of. linear: a weight for each attribute.
        additive: beside it one curve of each attribute whose reads show that the target bends along it.
        auto: an average of both by held-out reads, in which models with curves count as worse by a
        standard error.
    rank : int or None
        Number of factors of the model of the attributes. None: selected by held-out reads among models of
        several ranks. Range: an integer of at least 1, or None.
    folds : int
        Number of folds: each model is fitted on the other folds, evaluated on the reads of the held-out
        one, and the models are averaged. Range: an integer from 2 to 10.
    deviations : int
        Number of refits on reweighted examples that give standard errors of the weights and prediction
        intervals; 0: none. Range: an integer from 0 to 1000.
    link : {'identity', 'probit', 'logistic', 'auto'}
        For classes: map from score to class probability. identity: none, scores estimate -1 and +1.
        probit, logistic: that function. auto: the one that held-out reads favour.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features + n_curves,), or (1, n_features + n_curves) for classifiers
        Weight of each attribute, in units of the data, and then of each curve of ``curve_``, in units of the
        target. With more than two classes each has a model of its own, and there is none of ``coef_``,
        ``curve_``, ``cell_range_`` and ``coef_errors_``.
    curve_ : list of AttributeCurve
        Curves of attributes: named tuples of feature, knots and heights; empty if the reads show none, and
        with ``shape='linear'``.
    cell_range_ : ndarray of shape (n_features, 2)
        Least and largest value of each attribute that counts: a cell beyond them counts as the nearer one.
        The score of a complete row, clipped to them, is the sum of ``intercept_`` and of ``coef_`` times the
        cells and then the curves' values there.
    coef_errors_ : ndarray shaped as ``coef_``
        Standard error of each weight, in units of the data; only if ``deviations`` is above 0.

    See Also
    --------
    FIMLRegressor : For numbers.
    FIMLClassifier : For classes.
    AERRRegressor : A published learner, with a guarantee.
    halfseen.KARMARegressor : A kernel machine for rows with missing values.
    halfseen.KARMAClassifier : A kernel machine for rows with missing values, for any number of classes.

    Notes
    -----
    ``budget`` counts every read of one example; always-known attributes and targets cost nothing. A fit uses
    nothing else. With a budget of 1 no two attributes are read together: then only the correlation of each
    with the target is learned, with a ``DataWarning``. Reads, refusals and missing values may depend on
    earlier reads, but not on the unobserved values themselves.

    ``partial_fit`` and ``Learner.model`` fit anew to all reads that were kept: use large batches. The reads
    of a batch are kept even if its fit is interrupted. There is no ``sample_weight``: an example is read
    once, and a row of weight 2 cannot equal a duplicated row, whose other attributes would be read the second
    time. The method is our own, and has no guarantee.

    References
    ----------
    .. [1] D. Rubin and D. Thayer, "EM Algorithms for ML Factor Analysis", Psychometrika 47, 1982.
    .. [2] D. Rubin, "Inference and Missing Data", Biometrika 63, 1976.
    """

    _learner = "fiml"
    link: str
    coef_: t.Array
    _takes_holes = True
    _tells_before_errors = False  # a whole fit would keep an interrupt waiting

    def __init__(
        self,
        *,
        budget: int | None = None,
        total_budget: int | None = None,
        max_cost: float | None = None,
        total_cost: float | None = None,
        design: Literal["uniform", "adaptive"] = "adaptive",
        shape: Literal["linear", "additive", "auto"] = "auto",
        passive: Literal["no", "one", "all"] = "no",
        rank: int | None = None,
        folds: int = 3,
        deviations: int = 0,
        link: Literal["identity", "probit", "logistic", "auto"] = "identity",
        random_state: t.Seed = None,
        scale: t.Scale = None,
        basis: t.Basis = None,
        known: t.Names = None,
        groups: t.Groups = None,
        prices: t.ByAttribute = None,
        bounds: t.ByAttribute = None,
        n_jobs: int | None = None,
        verbose: t.Verbose = False,
    ) -> None:
        self.budget = budget
        self.total_budget = total_budget
        self.max_cost = max_cost
        self.total_cost = total_cost
        self.design = design
        self.shape = shape
        self.passive = passive
        self.rank = rank
        self.folds = folds
        self.deviations = deviations
        self.link = link
        self.random_state = random_state
        self.scale = scale
        self.basis = basis
        self.known = known
        self.groups = groups
        self.prices = prices
        self.bounds = bounds
        self.n_jobs = n_jobs
        self.verbose = verbose

    if TYPE_CHECKING:

        def set_fit_request(self, *, pilot: t.Request = ...) -> Self: ...

    @_without_weights
    def fit(self, X: t.Matrix, y: ArrayLike, *, pilot: tuple[t.Matrix, ArrayLike] | None = None) -> Self:
        """Learn from examples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The examples. NaN is a missing value.
        y : array-like of shape (n_samples,)
            The targets.
        pilot : tuple (X, y), optional
            Earlier rows of the same features and their targets, for instance a few complete ones. NaN is a
            missing value, also in y (of classes None too). Their reads cost nothing of the budget, and they
            count as far as held-out examples do not contradict them.

        Returns
        -------
        self : object
            The fitted estimator.

        Raises
        ------
        ValueError
            If the learner cannot use the data or the parameters; the message names the place and the remedy.
        """
        return self._fit(X, y, pilot=pilot)

    def _check_one_model(self, attribute):
        check_is_fitted(self, "model_")
        if len(getattr(self, "classes_", ())) > 2:
            raise AttributeError(
                f"this {type(self).__name__} has no {attribute}: it has a model of each of"
                f" {len(self.classes_)} classes; for one of them fit to y == label"
            )

    @property
    def curve_(self) -> list[AttributeCurve]:
        """Curves of attributes, in the order of their weights: list of AttributeCurve."""
        self._check_one_model("curve_")
        return [AttributeCurve(*curve) for curve in self.model_.curves()]

    @property
    def cell_range_(self) -> t.Array:
        """Least and largest value that counts of each attribute: ndarray of shape (n_features, 2)."""
        self._check_one_model("cell_range_")
        bounds = self.model_.bounds()
        return np.array([[-np.inf, np.inf]] * self.n_features_in_ if bounds is None else bounds)

    @property
    def coef_errors_(self) -> t.Array:
        """Standard error of each weight, shaped as ``coef_``: ndarray."""
        self._check_one_model("coef_errors_")
        errors = self.model_.errors()
        if errors is None:
            raise AttributeError(
                f"this {type(self).__name__} has no coef_errors_: fit with deviations=100, which"
                " refits to reweighted examples"
            )
        return np.array(errors).reshape(self.coef_.shape)


class FIMLRegressor(_FIML, LimitedRegressor):
    """Full-information maximum likelihood (FIML) from all reads, which are kept, without imputation.

    **Rows with missing values** need no treatment: with ``budget=None`` all observed cells of X are read.
    With a ``budget`` the learner chooses that number of attributes of each example, as all of
    :mod:`halfseen.budget` do. A NaN among them is then a read that was paid for and refused. (With a
    ``total_budget`` alone it chooses 4 of each example.)

    The joint distribution of attributes and target is fitted to all reads by maximum likelihood: a factor
    model, then refinements of it, averaged by their predictions of held-out reads. So it tunes itself, and
    needs no data beside its reads. A prediction uses the observed cells of a row: missing values are replaced
    by their conditional expectations.

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen import FIMLRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(2000, 3)) @ rng.normal(size=(3, 10)) + 0.5 * rng.normal(size=(2000, 10))
    >>> y = X[:, 0] - X[:, 1] + rng.normal(size=2000)
    >>> model = FIMLRegressor(budget=3, random_state=0).fit(X, y)
    >>> model.reads_
    6000
    >>> model.score(X, y) > 0.4
    True

    All observed cells of a table with missing values are used, and predictions have intervals:

    >>> holes = np.where(rng.random(X.shape) < 0.3, np.nan, X)
    >>> model = FIMLRegressor(random_state=0).fit(holes, y)
    >>> ends = model.predict_interval(holes, level=0.9)
    >>> bool(0.87 < np.mean((ends[:, 0] < y) & (y < ends[:, 1])) < 0.93)
    True
    """


class FIMLClassifier(_FIML, LimitedClassifier):
    """Full-information maximum likelihood (FIML) for classes, from all reads.

    **Rows with missing values** need no treatment: with ``budget=None`` all observed cells of X are read.
    With a ``budget`` the learner chooses that number of attributes of each example; a NaN among them is a
    read that was paid for and refused.

    :class:`FIMLRegressor` on the labels -1 and +1: the sign of its estimate is the class. With a ``link`` the
    score becomes a probability, which accounts for the missing values of a row, and :meth:`predict_proba` is
    available.

    With **more than two classes** each class has a separate model: its members against the others. All models
    are fitted to the same reads. The learner chooses reads that improve all models together, so no read is
    made for one class alone.

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen import FIMLClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(2000, 10))
    >>> y = np.where(X[:, 0] - X[:, 1] + 0.5 * rng.normal(size=2000) > 0, "yes", "no")
    >>> model = FIMLClassifier(budget=4, link="probit", random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.8
    True

    An empty row gets the share of the class as its probability; a row with the relevant attributes does not:

    >>> empty = np.full((1, 10), np.nan)
    >>> bool(abs(model.predict_proba(empty)[0, 1] - np.mean(y == "yes")) < 0.05)
    True
    >>> empty[0, :2] = 2.0, -2.0
    >>> bool(model.predict_proba(empty)[0, 1] > 0.9)
    True
    """

    _multi_class = True

    @_WithLink
    def predict_proba(self, X: t.Matrix) -> t.Array:
        """Return the probabilities of the classes; only if ``link`` is not 'identity'.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The examples. NaN is a missing value: the fewer cells are observed, the less certain the class.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            One per class, in the order of ``classes_``. With more than two classes: the probability of each
            against the others, divided by their sum.
        """
        scores = self._scores(X)
        if self.report_["params"]["link"] == "identity":
            raise ValueError(f"this {type(self).__name__} was fitted with link='identity': fit it again")
        # With a link a score is 2 P - 1.
        shares = np.clip((scores + 1.0) / 2.0, 0.0, 1.0)
        if shares.shape[1] == 1:
            return np.hstack([1.0 - shares, shares])
        sums = shares.sum(axis=1, keepdims=True)
        return np.where(sums > 0.0, shares / np.where(sums > 0.0, sums, 1.0), 1.0 / shares.shape[1])
