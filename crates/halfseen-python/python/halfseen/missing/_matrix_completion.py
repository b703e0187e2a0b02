"""Define matrix completion: attributes and targets as one matrix of low rank with missing entries."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy.sparse
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_consistent_length, column_or_1d

from halfseen import _core
from halfseen import _types as t
from halfseen._parameters import progress_of, refusing, threads_of
from halfseen._predictors import Classifier, Regressor
from halfseen._warn import warn
from halfseen.missing._missing import Missing
from halfseen.model import chosen


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


class _MatrixCompletion(Missing):
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
