"""Define KARMA: kernel machines that compare rows by the attributes observed in both."""

from typing import TYPE_CHECKING, Literal, Self

from numpy.typing import ArrayLike

from halfseen import _core
from halfseen import _types as t
from halfseen._estimator import Weighted
from halfseen._incremental import Incremental, IncrementalClassifier
from halfseen._predictors import Classifier, Regressor, WeightedClassifier
from halfseen.missing._missing import Missing


class _KARMA(Incremental, Missing):
    """The parameters of :class:`KARMARegressor` and :class:`KARMAClassifier`.

    Parameters
    ----------
    gamma : int
        Length of the sequences of attributes that the kernel k_gamma compares; 1 is imputation by zero.
        Tuning tries 1 to 4. Range: an integer from 1 to 64.
    c : float
        Weight C of the losses in |v|^2 / 2 + C sum of losses; 1/(rho m) in the paper. Range: a finite
        number above 0.
    loss : {'auto', 'squared', 'hinge'}
        Loss to minimise: squared (of the score against the target: the number, -1/+1, or one column per
        class), or hinge (Crammer and Singer's for more than two classes). auto: squared for numbers,
        hinge for classes.
    normalization : {'none', 'trace', 'uniform', 'cosine'}
        Divisor of the kernel: none; trace, its mean over the training rows with themselves; uniform, its
        largest value for rows of length 1; cosine, so that each row has 1 with itself (another class of
        predictors).
    degree : int
        Exponent p of the composed kernel (k + 1)^p, for p above 1; 1 is KARMA. Range: an integer from 1
        to 16.
    features : str
        Computation of the kernel. exact: the kernel itself; memory and time grow with the square of the
        number of rows. sketch:D: D random features that approximate it; linear in the number of rows.
        Range: exact, or sketch:D with a whole number D of at least 1, such as sketch:2048.
    solver : {'exact', 'online'}
        exact: solved to the tolerance. online: algorithm 1 of the paper, one pass over the rows in random
        order, averaged.

    See Also
    --------
    KARMARegressor : For numbers.
    KARMAClassifier : For classes.
    MatrixCompletionRegressor : Attributes and targets completed as one matrix.

    Notes
    -----
    A kernel machine keeps its training rows: memory and time grow with their number squared. Beyond a few
    thousand rows use ``features='sketch:2048'``, which is linear in it. ``solver='online'`` does not support
    ``sample_weight``, because it takes one step per row; ``partial_fit`` runs the same algorithm on rows in
    batches, with any ``solver``.

    References
    ----------
    .. [1] E. Hazan, R. Livni and Y. Mansour, "Classification with Low Rank and Missing Data", ICML 2015.
    """

    _learner = "karma"

    def __init__(
        self,
        *,
        gamma: int = 2,
        c: float = 1.0,
        loss: Literal["auto", "squared", "hinge"] = "auto",
        normalization: Literal["none", "trace", "uniform", "cosine"] = "trace",
        degree: int = 1,
        features: str = "exact",
        solver: Literal["exact", "online"] = "exact",
        intercept: bool = True,
        tol: float = 0.0001,
        max_iter: int = 10000,
        random_state: t.Seed = None,
        scale: t.Scale = None,
        basis: t.Basis = None,
        n_jobs: int | None = None,
        tune: int | None = None,
        verbose: t.Verbose = False,
    ) -> None:
        self.gamma = gamma
        self.c = c
        self.loss = loss
        self.normalization = normalization
        self.degree = degree
        self.features = features
        self.solver = solver
        self.intercept = intercept
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.scale = scale
        self.basis = basis
        self.n_jobs = n_jobs
        self.tune = tune
        self.verbose = verbose

    def _teach(self, table, targets, classes, named, progress):
        if self._started_before():
            self.learner_.teach(table, targets, progress)
            return
        self.learner_ = _core.OnlineKarma.start(
            self._parameters(self._seed()),
            table,
            self._target_name(named),
            targets,
            classes,
            self._declarations(),
            progress,
        )

    def _so_far(self):
        return self.learner_.model()


class KARMAClassifier(WeightedClassifier, IncrementalClassifier, _KARMA, Classifier):
    """Kernelised Algorithm for Risk-minimisation with Missing Attributes (KARMA) [1]_, algorithm 1.

    A kernel machine that compares two rows by the attributes observed in both, and by sequences of up to
    ``gamma`` of them, so that nothing is imputed. Theorem 1 of Hazan, Livni and Mansour 2015 [1]_ applies
    if rows lie near a subspace of low dimension and are determined by their observed attributes. With
    ``gamma`` of the order of the logarithm of the accuracy, KARMA is then nearly as good as the best linear
    predictor on complete rows. The gap in ``report_`` bounds the distance of the objective from its optimum.
    More than two classes use one machine (Crammer and Singer).

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen import KARMAClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 2)) @ rng.normal(size=(2, 10))
    >>> y = np.where(X[:, 0] > 0, "up", "down")
    >>> X[rng.random(X.shape) < 0.3] = np.nan
    >>> model = KARMAClassifier(gamma=2).fit(X, y)
    >>> model.score(X, y) > 0.9
    True
    >>> bool(np.isnan(X[0]).any()), model.predict(X[:1]).tolist() == [y[0]]
    (True, True)
    """

    _multi_class = True

    def __init__(
        self,
        *,
        gamma: int = 2,
        c: float = 1.0,
        loss: Literal["auto", "squared", "hinge"] = "auto",
        normalization: Literal["none", "trace", "uniform", "cosine"] = "trace",
        degree: int = 1,
        features: str = "exact",
        solver: Literal["exact", "online"] = "exact",
        intercept: bool = True,
        tol: float = 0.0001,
        max_iter: int = 10000,
        random_state: t.Seed = None,
        scale: t.Scale = None,
        basis: t.Basis = None,
        n_jobs: int | None = None,
        tune: int | None = None,
        class_weight: t.ClassWeight = None,
        verbose: t.Verbose = False,
    ) -> None:
        self.gamma = gamma
        self.c = c
        self.loss = loss
        self.normalization = normalization
        self.degree = degree
        self.features = features
        self.solver = solver
        self.intercept = intercept
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.scale = scale
        self.basis = basis
        self.n_jobs = n_jobs
        self.tune = tune
        self.class_weight = class_weight
        self.verbose = verbose

    if TYPE_CHECKING:

        def set_partial_fit_request(self, *, classes: t.Request = ...) -> Self:
            """Request metadata for ``partial_fit``."""

    def partial_fit(self, X: t.Matrix, y: ArrayLike, classes: ArrayLike | None = None) -> Self:
        """Learn from one more batch of rows with missing values, in order: algorithm 1 of the paper.

        Several batches equal one batch of all rows up to rounding, at any intervals: the estimator can be
        pickled in between. Only rows that changed the model are kept. The first batch fixes the numbers that
        a fit computes from its rows. These are rho = 1/(c m) for its m rows (use a larger ``c`` if more will
        come) and the divisor of ``normalization='trace'``. It should be representative. Values are not
        scaled: ``scale`` is None or 'none'. With equal rho, ``scale`` and ``normalization``, a fit with
        ``solver='online'`` equals it up to rounding for rows in its order. After ``fit`` it starts anew, and
        ``fit`` forgets all batches.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows. NaN is a missing value.
        y : array-like of shape (n_samples,)
            The labels; a batch need not contain all of them.
        classes : array-like of shape (n_classes,), optional
            All labels. Needed in the first call, unless ``fit`` has seen them.

        Returns
        -------
        self : object
            The estimator. After an error or an interrupt it has learned from the preceding rows.
        """
        if self.class_weight is not None:
            raise ValueError(
                "KARMAClassifier.partial_fit takes no class_weight, because each row takes one step: leave it"
                " out, or use fit"
            )
        return self._partial_fit(X, y, classes)


class KARMARegressor(Weighted, _KARMA, Regressor):
    """Kernelised Algorithm for Risk-minimisation with Missing Attributes (KARMA) for regression [1]_.

    Least squares with the kernel of :class:`KARMAClassifier`, which compares two rows by the attributes
    observed in both: nothing is imputed. Theorem 1 of Hazan, Livni and Mansour 2015 [1]_ covers any convex
    loss of the score; the exact solution has a closed form.

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen import KARMARegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 2)) @ rng.normal(size=(2, 10))
    >>> y = X.sum(axis=1)
    >>> X[rng.random(X.shape) < 0.3] = np.nan
    >>> plain, more = (KARMARegressor(gamma=gamma).fit(X[:200], y[:200]) for gamma in (1, 3))
    >>> more.score(X[200:], y[200:]) > plain.score(X[200:], y[200:]) > 0.8
    True
    """

    def partial_fit(self, X: t.Matrix, y: ArrayLike) -> Self:
        """Learn from one more batch of rows with missing values, in order: algorithm 1 of the paper.

        Several batches equal one batch of all rows up to rounding, at any intervals: the estimator can be
        pickled in between. Only rows that changed the model are kept. The first batch fixes the numbers that
        a fit computes from its rows. These are rho = 1/(c m) for its m rows (use a larger ``c`` if more will
        come), the divisor of ``normalization='trace'``, and the mean and standard deviation of the targets.
        It should be representative. Values are not scaled: ``scale`` is None or 'none'. With equal rho,
        ``scale`` and ``normalization``, a fit with ``solver='online'`` equals it up to rounding for rows in
        its order. After ``fit`` it starts anew, and ``fit`` forgets all batches.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows. NaN is a missing value.
        y : array-like of shape (n_samples,)
            The targets.

        Returns
        -------
        self : object
            The estimator. After an error or an interrupt it has learned from the preceding rows.
        """
        return self._partial_fit(X, y)
