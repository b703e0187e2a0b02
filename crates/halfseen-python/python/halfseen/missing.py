"""Learn from rows with holes: nothing is filled in that was not seen.

NaN is a missing cell, in fit and in prediction. In sparse input a cell that is not stored is a zero that was
seen, as everywhere in scikit-learn; a NaN that is stored is missing.
"""

import warnings
from dataclasses import dataclass

import numpy as np
import scipy.sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_consistent_length, column_or_1d

from halfseen import _core
from halfseen._estimator import (
    N_JOBS,
    SCALE,
    VERBOSE,
    Classifier,
    Estimator,
    Regressor,
    Weighted,
    _progress,
    _threads,
)
from halfseen._parameters import Declaration
from halfseen.model import chosen

VARIANT = Declaration(
    "variant",
    "b",
    "choice",
    ("b", "1"),
    "",
    "How the constant of the labels is learned: 'b' (MC-b) as a number of its own, '1' (MC-1) through a row"
    " of ones in the completed matrix.",
)


class _Holed(Estimator):
    _house = (SCALE, N_JOBS, VERBOSE)
    _takes_holes = True


class KARMAClassifier(Weighted, Classifier, _Holed, learner="karma"):
    """Kernelised Algorithm for Risk-minimisation with Missing Attributes (KARMA): paper D [1]_, algorithm 1.

    A kernel machine that compares two rows by the attributes that both show, and by sequences of up to
    ``gamma`` of them, so that nothing is ever filled in. Where rows lie near a subspace of few dimensions and
    what a row shows determines the rest of it, theorem 1 of the paper says that with ``gamma`` of the order
    of the logarithm of the accuracy this does nearly as well as the best linear predictor that sees every
    attribute. The gap in ``report_`` bounds how far the objective is from its optimum. More than two classes
    are told apart by one machine (Crammer and Singer).

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    report_ : dict
        How the fit went: objective, gap, why it stopped, what holes were met.
    n_iter_ : int
        Passes of the solver.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X had any.

    See Also
    --------
    KARMARegressor : The same for numbers.
    GeometricMarginClassifier : A linear machine for rows with holes.

    Notes
    -----
    A kernel machine keeps the rows it learned from: memory and time grow with their square. Beyond a few
    thousand rows take ``features='sketch:2048'``, which is linear in them. ``solver='online'`` takes no
    ``sample_weight``, as it makes one step for each row.

    References
    ----------
    .. [1] E. Hazan, R. Livni and Y. Mansour, "Classification with Low Rank and Missing Data", ICML 2015.

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


class KARMARegressor(Weighted, Regressor, _Holed, learner="karma"):
    """Kernelised Algorithm for Risk-minimisation with Missing Attributes (KARMA), for numbers: paper D [1]_.

    Least squares over the kernel of :class:`KARMAClassifier`, which compares two rows by the attributes that
    both show: nothing is filled in. The paper's theorem 1 covers any convex loss of the score; the exact
    solution is found in closed form.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    report_ : dict
        How the fit went: objective, gap, why it stopped, what holes were met.
    n_iter_ : int
        Passes of the solver.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X had any.

    See Also
    --------
    KARMAClassifier : The same for classes.
    MatrixCompletionRegressor : Attributes and targets completed as one matrix.

    References
    ----------
    .. [1] E. Hazan, R. Livni and Y. Mansour, "Classification with Low Rank and Missing Data", ICML 2015.

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


@dataclass(frozen=True)
class Completed:
    """A completed matrix: the result of :meth:`MatrixCompletionClassifier.complete`.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        The rows with their holes filled; cells that were seen are as they were.
    y : ndarray of shape (n_samples,)
        The targets with the unknown ones filled; those that were known are as they were.
    scores : ndarray of shape (n_samples, n_outputs)
        The scores of all rows: of two classes one, above 0 for the second; of more one for each; of numbers
        the estimate.
    """

    X: np.ndarray
    y: np.ndarray
    scores: np.ndarray


class _Completion(_Holed):
    @classmethod
    def _as_learner(cls, learner):
        """Return what makes the class this learner of the library."""
        variants = {"mcb": "b", "mc1": "1"}
        return {"variant": variants[learner]} if learner in variants else None

    def _learner_name(self):
        names = {"b": "mcb", "1": "mc1"}
        if not isinstance(self.variant, str) or self.variant not in names:
            raise ValueError(f"variant = {self.variant!r} is not allowed: it must be 'b' or '1'")
        return names[self.variant]

    def complete(self, X, y):
        """Fill targets and cells that are missing, all rows taken together (transduction).

        The rows without a target help as well: their attributes are part of the matrix. Nothing is kept of
        it: the estimator stays as it was, fitted or not.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows. NaN is a missing cell.
        y : array-like of shape (n_samples,)
            The targets. NaN (of labels also None) is one that is not known.

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
        X = own._validated(X, ensure_all_finite="allow-nan")
        y = column_or_1d(y)
        check_consistent_length(X, y)
        unknown = _unknown(y)
        if unknown.all():
            raise ValueError(
                "y holds no target that is known: at least one row needs one to fill others from"
            )
        targets = np.full(len(y), np.nan)
        # A list of labels, as numpy takes it without the unknown ones.
        targets[~unknown], classes = own._targets(np.array(y[~unknown].tolist()))
        with _progress(own.verbose) as progress:
            attributes, scores, converged, stop = _core.complete(
                own._learner_name(),
                own._parameters(own._seed()),
                own._table(X),
                own._target_name(named),
                targets,
                classes,
                own._declarations(),
                _threads(own.n_jobs),
                progress,
            )
        if not converged:
            warnings.warn(stop, ConvergenceWarning, stacklevel=2)
        filled = y.copy() if classes is not None else y.astype(np.float64)
        found = own.classes_[chosen(scores)] if classes is not None else scores[:, 0]
        filled[unknown] = found[unknown]
        return Completed(np.where(np.isnan(X), attributes, X), filled, scores)


class MatrixCompletionClassifier(Classifier, _Completion, learner="mcb", extra=(VARIANT,)):
    """Matrix completion (MC-b, MC-1; Goldberg et al. [1]_): attributes and labels as one matrix of low rank.

    Rows with their labels are parts of one matrix whose cells are partly known; the matrix of least nuclear
    norm that agrees with them predicts the rest. Both forms are convex, and the gap in ``report_`` bounds how
    far the objective is from its optimum. A fit learns from labelled rows; new rows are predicted one by one,
    from what each shows. :meth:`complete` is the form of the authors, in which rows without labels help as
    well. Paper D [2]_ compares KARMA with both.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    report_ : dict
        How the fit went: objective, gap, why it stopped.
    n_iter_ : int
        Passes of the solver.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X had any.

    See Also
    --------
    MatrixCompletionRegressor : The same for numbers.
    KARMAClassifier : A kernel machine for rows with holes.

    Notes
    -----
    There is no ``sample_weight``: a row twice would count twice in the losses, and otherwise in the norm that
    stands for rank.

    References
    ----------
    .. [1] A. Goldberg, X. Zhu, B. Recht, J.-M. Xu and R. Nowak, "Transduction with Matrix Completion: Three
           Birds with One Stone", NIPS 2010.
    .. [2] E. Hazan, R. Livni and Y. Mansour, "Classification with Low Rank and Missing Data", ICML 2015.

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


class MatrixCompletionRegressor(Regressor, _Completion, learner="mcb", extra=(VARIANT,)):
    """Matrix completion (MC-b, MC-1; Goldberg et al. [1]_), for numbers.

    As :class:`MatrixCompletionClassifier`, with the squared loss of the targets.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    report_ : dict
        How the fit went: objective, gap, why it stopped.
    n_iter_ : int
        Passes of the solver.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X had any.

    See Also
    --------
    MatrixCompletionClassifier : The same for classes.
    KARMARegressor : A kernel machine for rows with holes.

    Notes
    -----
    There is no ``sample_weight``: a row twice would count twice in the losses, and otherwise in the norm that
    stands for rank.

    References
    ----------
    .. [1] A. Goldberg, X. Zhu, B. Recht, J.-M. Xu and R. Nowak, "Transduction with Matrix Completion: Three
           Birds with One Stone", NIPS 2010.

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


class GeometricMarginClassifier(Weighted, Classifier, _Holed, learner="geom"):
    """Geometric margin (geom; Chechik et al. [1]_): the largest margin within what each row shows.

    A linear machine whose margin of a row is measured in the space of the attributes that the row shows, so
    that rows with many holes are not held to have come too near. The problem is not convex: rounds of support
    vector machines, each solved to a certified gap, and the best round is kept. Where nothing is missing it
    is the support vector machine.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
        Weight of each attribute, in units of the data.
    intercept_ : ndarray of shape (1,)
        The constant.
    classes_ : ndarray of shape (2,)
        The labels.
    report_ : dict
        How the fit went: objective and gap of the round that was kept.
    n_iter_ : int
        1: rounds are not passes.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X had any.

    See Also
    --------
    KARMAClassifier : A kernel machine for rows with holes, of any number of classes.

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


def _unknown(y):
    """Say which targets are missing."""
    if y.dtype == object:
        return np.array([label is None or label != label for label in y.tolist()], dtype=bool)
    return np.isnan(y) if y.dtype.kind == "f" else np.zeros(len(y), dtype=bool)
