"""Learn from rows with missing values (NaN); a cell that sparse input does not store is an observed zero."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Self

import numpy as np
import scipy.sparse
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_consistent_length, column_or_1d

from halfseen import _core
from halfseen import _types as t
from halfseen._estimator import Estimator, Weighted
from halfseen._incremental import Incremental, IncrementalClassifier
from halfseen._parameters import progress_of, refusing, threads_of
from halfseen._predictors import Classifier, LinearClassifier, Regressor, WeightedClassifier
from halfseen._warn import warn
from halfseen.model import chosen


class _Missing(Estimator):
    """Base of the estimators for rows with missing values."""

    _takes_holes = True


class _KARMA(Incremental, _Missing):
    """The parameters of :class:`KARMARegressor` and :class:`KARMAClassifier`.

    Parameters
    ----------
    gamma : int
        Length of the sequences of attributes that the kernel k_gamma compares; 1 is imputation by zero.
        Tuning tries 1 to 4. Range: an integer from 1 to 64.
    loss : {'auto', 'squared', 'hinge'}
        Loss to minimise: squared (of the score against the target: the number, -1/+1, or one column per
        class), or hinge (Crammer and Singer's for more than two classes). auto: squared for numbers,
        hinge for classes.
    normalization : {'none', 'trace', 'uniform', 'cosine'}
        Divisor of the kernel: none; trace, its mean over the training rows with themselves; uniform, its
        largest value for rows of length 1; cosine, so that each row has 1 with itself (another class of
        predictors).
    length_weights : array-like or None
        Weight a_r of the r-th power of the number of attributes that two rows share. r goes from 0 to
        gamma - 1: gamma numbers of at least 0, not all 0. None: 1 each, as in the paper. Range: None, or
        finite numbers of at least 0, separated by commas.
    degree : int
        Exponent p of the composed kernel (k + coef0)^p; 1 is KARMA. Range: an integer from 1 to 16.
    coef0 : float
        Constant added to the kernel before it is raised to the power degree. Range: a finite number of at
        least 0.
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
    GeometricMarginClassifier : A linear classifier for rows with missing values.

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
        length_weights: ArrayLike | None = None,
        degree: int = 1,
        coef0: float = 0.0,
        features: str = "exact",
        solver: Literal["exact", "online"] = "exact",
        intercept: bool = True,
        memory: float | None = None,
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
        self.length_weights = length_weights
        self.degree = degree
        self.coef0 = coef0
        self.features = features
        self.solver = solver
        self.intercept = intercept
        self.memory = memory
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
        length_weights: ArrayLike | None = None,
        degree: int = 1,
        coef0: float = 0.0,
        features: str = "exact",
        solver: Literal["exact", "online"] = "exact",
        intercept: bool = True,
        memory: float | None = None,
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
        self.length_weights = length_weights
        self.degree = degree
        self.coef0 = coef0
        self.features = features
        self.solver = solver
        self.intercept = intercept
        self.memory = memory
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


@dataclass(frozen=True)
class Completed:
    """A completed matrix: the result of :meth:`MatrixCompletionClassifier.complete`.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        The rows with missing values imputed; observed cells are unchanged.
    y : ndarray of shape (n_samples,)
        The targets with unknown ones predicted; known ones are unchanged.
    scores : ndarray of shape (n_samples, n_outputs)
        Scores of all rows: one for two classes, above 0 for the second; one per class for more; the estimate
        for a regression.
    """

    X: t.Array
    y: t.Array
    scores: t.Array


class _MatrixCompletion(_Missing):
    """The parameters of :class:`MatrixCompletionRegressor` and :class:`MatrixCompletionClassifier`.

    Parameters
    ----------
    variant : {'b', '1'}
        Intercept of the labels: b, one constant per label (MC-b); 1, a row of ones in the matrix (MC-1).
    label_weight : float
        Weight lambda of the loss of the labels relative to that of the attributes. Range: a finite number
        above 0.
    rank_penalty : float
        Weight mu of the nuclear norm at the end of the continuation, as a share of the smallest weight at
        which only constants are learned. Range: a finite number above 0.
    loss : {'auto', 'logistic', 'squared'}
        Loss of the label entries. auto: logistic for two classes (-1/+1), squared for more (0/1, one row
        per class) and for numbers.

    See Also
    --------
    MatrixCompletionRegressor : For numbers.
    MatrixCompletionClassifier : For classes.
    KARMARegressor : A kernel machine for rows with missing values.
    KARMAClassifier : A kernel machine for rows with missing values.

    Notes
    -----
    There is no ``sample_weight``: duplicating a row doubles its losses but changes the nuclear norm
    differently.

    References
    ----------
    .. [1] A. Goldberg, X. Zhu, B. Recht, J.-M. Xu and R. Nowak, "Transduction with Matrix Completion: Three
           Birds with One Stone", NIPS 2010.
    .. [2] E. Hazan, R. Livni and Y. Mansour, "Classification with Low Rank and Missing Data", ICML 2015.
    """

    _learner = "completion"
    _no_weights = "duplicating a row doubles its losses but changes the nuclear norm differently"
    n_jobs: int | None

    def __init__(
        self,
        *,
        variant: Literal["b", "1"] = "b",
        label_weight: float = 0.1,
        rank_penalty: float = 0.2,
        loss: Literal["auto", "logistic", "squared"] = "auto",
        tol: float = 0.001,
        max_iter: int = 1000,
        scale: t.Scale = None,
        basis: t.Basis = None,
        n_jobs: int | None = None,
        tune: int | None = None,
        verbose: t.Verbose = False,
    ) -> None:
        self.variant = variant
        self.label_weight = label_weight
        self.rank_penalty = rank_penalty
        self.loss = loss
        self.tol = tol
        self.max_iter = max_iter
        self.scale = scale
        self.basis = basis
        self.n_jobs = n_jobs
        self.tune = tune
        self.verbose = verbose

    def complete(self, X: ArrayLike, y: ArrayLike) -> Completed:
        """Complete missing targets and cells of all rows together (transduction).

        Rows without a target help too: their attributes are part of the matrix. The estimator is not
        changed, fitted or not.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows. NaN is a missing value.
        y : array-like of shape (n_samples,)
            The targets. NaN (for labels also None) is an unknown one.

        Returns
        -------
        completed : Completed
            Rows, targets and scores.

        Examples
        --------
        >>> import numpy as np
        >>> from halfseen import MatrixCompletionClassifier
        >>> X = np.array([[1.0, 1.0], [-1.0, -1.0], [2.0, np.nan], [np.nan, -2.0]])
        >>> MatrixCompletionClassifier(label_weight=1).complete(X, ["up", "down", None, None]).y
        array(['up', 'down', 'up', 'down'], dtype=object)
        """
        own = clone(self)
        named = getattr(y, "name", None)
        if scipy.sparse.issparse(X):
            raise TypeError("Sparse data was passed, but a completed matrix is dense: pass X.toarray()")
        rows, known = own._validated(X, ensure_all_finite="allow-nan"), column_or_1d(y)
        check_consistent_length(rows, known)
        # Only missing labels and numbers differ from themselves.
        unknown = (known != known) | np.array([label is None for label in known.tolist()])
        if unknown.all():
            raise ValueError(
                "y holds no target that is known: at least one row needs one to predict the others from"
            )
        targets = np.full(len(known), np.nan)
        # A list lets numpy choose the type of the known labels.
        targets[~unknown], classes = own._targets(np.array(known[~unknown].tolist()))
        with progress_of(own) as progress, refusing(own):
            attributes, scores, converged, stop = _core.complete(
                own._parameters(own._seed()),
                own._table(rows),
                own._target_name(named),
                targets,
                classes,
                own._declarations(),
                threads_of(own),
                progress,
            )
        if not converged:
            warn(stop, ConvergenceWarning)
        filled = known.copy() if classes is not None else known.astype(np.float64)
        found = own.classes_[chosen(scores)] if classes is not None else scores[:, 0]
        filled[unknown] = found[unknown]
        return Completed(np.where(np.isnan(rows), attributes, rows), filled, scores)


class MatrixCompletionClassifier(_MatrixCompletion, Classifier):
    """Matrix completion (MC-b, MC-1; Goldberg et al. [1]_): attributes and labels as one matrix of low rank.

    Rows and their labels form one matrix with missing entries; a matrix of small nuclear norm that fits the
    known entries predicts the rest. Both variants are convex, and the gap in ``report_`` bounds the distance
    of the objective from its optimum. A fit learns from labelled rows; new rows are predicted one by one,
    from their observed cells. :meth:`complete` is the authors' original form, in which rows without labels
    help too. Hazan, Livni and Mansour 2015 [2]_ compare KARMA with both.

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen import MatrixCompletionClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 2)) @ rng.normal(size=(2, 10))
    >>> y = np.where(X[:, 0] > 0, "up", "down")
    >>> X[rng.random(X.shape) < 0.3] = np.nan
    >>> MatrixCompletionClassifier(rank_penalty=0.05).fit(X, y).score(X, y) > 0.9
    True
    """

    _multi_class = True


class MatrixCompletionRegressor(_MatrixCompletion, Regressor):
    """Matrix completion (MC-b, MC-1; Goldberg et al. [1]_) for regression.

    As :class:`MatrixCompletionClassifier`, with the squared loss of the targets.

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen import MatrixCompletionRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 2)) @ rng.normal(size=(2, 10))
    >>> y = X.sum(axis=1)
    >>> X[rng.random(X.shape) < 0.3] = np.nan
    >>> MatrixCompletionRegressor(rank_penalty=0.01, label_weight=1).fit(X, y).score(X, y) > 0.8
    True
    """


class GeometricMarginClassifier(WeightedClassifier, LinearClassifier, _Missing):
    """Geometric margin (geom; Chechik et al. [1]_): the largest margin in each row's observed attributes.

    A linear classifier that measures the margin of a row in the space of its observed attributes. So it does
    not penalise rows with many missing values for a small margin. The problem is not convex:
    the learner runs rounds of support vector machines, each to a certified gap, and keeps the best round.
    Without missing values it is the support vector machine.

    Parameters
    ----------
    rounds : int
        Number of reweighting rounds; each weights every example by the share of the weights that lies on
        its observed attributes. Range: an integer from 1 to 1000.

    See Also
    --------
    KARMAClassifier : A kernel machine for rows with missing values, for any number of classes.

    References
    ----------
    .. [1] G. Chechik, G. Heitz, G. Elidan, P. Abbeel and D. Koller, "Max-margin Classification of Data with
           Absent Features", JMLR 9, 2008.

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen import GeometricMarginClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 5))
    >>> y = X[:, 0] + X[:, 1] > 0
    >>> X[rng.random(X.shape) < 0.2] = np.nan
    >>> model = GeometricMarginClassifier().fit(X, y)
    >>> sorted(np.abs(model.coef_[0]).argsort()[-2:].tolist())
    [0, 1]
    """

    _learner = "geom"

    def __init__(
        self,
        *,
        c: float = 1.0,
        rounds: int = 5,
        tol: float = 0.0001,
        max_iter: int = 200,
        scale: t.Scale = None,
        basis: t.Basis = None,
        n_jobs: int | None = None,
        tune: int | None = None,
        class_weight: t.ClassWeight = None,
        verbose: t.Verbose = False,
    ) -> None:
        self.c = c
        self.rounds = rounds
        self.tol = tol
        self.max_iter = max_iter
        self.scale = scale
        self.basis = basis
        self.n_jobs = n_jobs
        self.tune = tune
        self.class_weight = class_weight
        self.verbose = verbose
