"""Define the bases of regressors and classifiers: targets, scores and predictions."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted

from halfseen import _types as t
from halfseen._estimator import Estimator, Weighted
from halfseen._parameters import refusal
from halfseen.model import chosen


class Regressor(RegressorMixin, Estimator):
    """Predict numbers."""

    _poor_score = False

    if TYPE_CHECKING:

        def set_score_request(self, *, sample_weight: t.Request = ...) -> Self: ...

    def __sklearn_tags__(self) -> Any:
        """Return the tags for scikit-learn, including poor scores on its small checks."""
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = self._poor_score
        return tags

    def _targets(self, y):
        return np.asarray(y, dtype=np.float64), None

    def _as_shaped(self, coefficients, intercepts):
        return coefficients[0], intercepts[0]

    def predict(self, X: t.Matrix) -> t.Array:
        """Estimate the target.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The examples. NaN is a missing value.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Estimates, in units of the target.
        """
        return self._scores(X)[:, 0]

    def predict_interval(
        self, X: t.Matrix, level: float = 0.9, *, calibration: tuple[t.Matrix, ArrayLike] | None = None
    ) -> t.Array:
        """Return intervals that contain the targets of a share ``level`` of rows.

        With ``calibration`` the intervals come from the errors on these rows (conformal prediction). They
        hold even if the model is wrong. A row with missing values is compared with calibration rows that lack
        the same values; this holds for any cause of missing values. If these are too few, the same values are
        hidden in other rows. If these are too few again, values that either row lacks are hidden in both.
        Both are right if values are missing by chance. ``docs/intervals.md`` says what is proved.

        Without it they are those of the model, if the model is right, and only FIML has any. A missing value
        widens the interval of its row. So does the uncertainty of the weights if ``deviations`` is above 0;
        otherwise the weights count as known, and after few reads intervals are too narrow.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The examples. NaN is a missing cell.
        level : float, default=0.9
            The share, above 0 and below 1.
        calibration : tuple of X and y, optional
            Examples, (n_calibration, n_features), and their targets, that are like the new ones (exchangeable
            with them) and were not in ``fit``; nothing checks this. At least 9 for a level of 0.9, 19 for
            0.95.

        Returns
        -------
        ends : ndarray of shape (n_samples, 2)
            Lower and upper ends, in units of the target.

        Examples
        --------
        >>> import numpy as np
        >>> from halfseen import KARMARegressor
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(900, 3))
        >>> y = X[:, 0] + 0.1 * rng.normal(size=900)
        >>> X[:, 1:][rng.random((900, 2)) < 0.2] = np.nan
        >>> model = KARMARegressor().fit(X[:300], y[:300])
        >>> ends = model.predict_interval(X[600:], 0.9, calibration=(X[300:600], y[300:600]))
        >>> bool(0.85 < np.mean((ends[:, 0] < y[600:]) & (y[600:] < ends[:, 1])) < 0.97)
        True
        """
        check_is_fitted(self, "model_")
        X = self._validated(X, reset=False, ensure_all_finite="allow-nan")
        if calibration is None:
            return self.model_.intervals_of_table(self._table(X), level)
        if not (isinstance(calibration, tuple | list) and len(calibration) == 2):
            raise TypeError(
                "calibration must be a pair (X, y) of examples and their targets,"
                f" got {type(calibration).__name__}"
            )
        rows, y = calibration
        rows = self._validated(rows, reset=False, ensure_all_finite="allow-nan")
        y = column_or_1d(y, dtype=np.float64)
        return self.model_.intervals_of_table(self._table(X), level, (self._table(rows), y))


class LinearRegressor(Regressor):
    """Predict numbers by a linear model.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Weight of each attribute, in units of the data.
    intercept_ : float
        The constant.
    """

    coef_: t.Array
    intercept_: float


class ClippedRegressor(LinearRegressor):
    """Predict numbers clipped to the range of the training targets."""

    if TYPE_CHECKING:

        def set_predict_request(self, *, clip: t.Request = ...) -> Self: ...

    def predict(self, X: t.Matrix, *, clip: bool = True) -> t.Array:
        """Estimate the target, clipped to the range of the training targets.

        Without clipping a few rows of heavy tails would cause most of the squared error. ``coef_`` and
        ``intercept_`` are those of the unclipped model.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The examples. NaN is a missing value.
        clip : bool, default=True
            True to clip predictions to that range.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Estimates, in units of the target.
        """
        return self._scores(X, clip, bounded=clip)[:, 0]


class Classifier(ClassifierMixin, Estimator):
    """Predict classes.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    """

    _multi_class = False
    classes_: t.Array

    if TYPE_CHECKING:

        def set_score_request(self, *, sample_weight: t.Request = ...) -> Self: ...

    def __sklearn_tags__(self) -> Any:
        """Return the tags for scikit-learn, including the support of more than two classes."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = self._multi_class
        return tags

    def _targets(self, y):
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        name = type(self).__name__
        if len(self.classes_) < 2:
            raise ValueError(
                f"{name} needs samples of at least 2 classes, but y holds one class: {self.classes_[0]!r}"
            )
        if len(self.classes_) > 2 and not self._multi_class:
            kind = type_of_target(y, input_name="y", raise_unknown=True)
            raise ValueError(
                f"Only binary classification is supported. The type of the target is {kind}: y holds"
                f" {len(self.classes_)} classes, and {name} is a binary classifier. Use"
                " FIMLClassifier, KARMAClassifier or sklearn.multiclass.OneVsRestClassifier."
            )
        return codes.astype(np.float64), self.classes_.tolist()

    def _as_shaped(self, coefficients, intercepts):
        return coefficients, np.array(intercepts)

    def decision_function(self, X: t.Matrix) -> t.Array:
        """Score examples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The examples. NaN is a missing value.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes the score of the second: above 0 it is predicted. For more, one score each.
        """
        scores = self._scores(X, clip=False)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: t.Matrix) -> t.Array:
        """Predict the class.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The examples. NaN is a missing value.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Labels, as they were in fit.
        """
        scores = self._scores(X)  # which says so if nothing is fitted
        return self.classes_[chosen(scores)]


class WeightedClassifier(Weighted):
    """Add ``class_weight`` to a classifier whose learner takes weights of rows.

    Parameters
    ----------
    class_weight : dict, 'balanced' or None
        Weights of the rows of each class, which multiply ``sample_weight``: label -> weight, 1 for others;
        'balanced': classes get equal sums of weights. None: 1 each. Not used by ``partial_fit``.
    """

    class_weight: t.ClassWeight

    def _with_classes(self, y, sample_weight):
        if self.class_weight is None:
            return sample_weight
        labels, codes = np.unique(y, return_inverse=True)
        own = np.ones(len(codes)) if sample_weight is None else sample_weight
        if isinstance(self.class_weight, str) and self.class_weight == "balanced":
            sums = np.bincount(codes, weights=own)
            factors = own.sum() / (np.count_nonzero(sums) * np.where(sums > 0, sums, 1.0))
        elif isinstance(self.class_weight, Mapping):
            known = labels.tolist()
            unknown = [label for label in self.class_weight if label not in known]
            if unknown:
                raise ValueError(f"class_weight names {unknown[0]!r}; the classes of y are {known}")
            factors = np.array([float(self.class_weight.get(label, 1.0)) for label in known])
            if not (np.isfinite(factors).all() and (factors >= 0).all()):
                raise ValueError("weights of classes must be finite numbers of at least 0")
        else:
            allowed = "a dict of label to weight, 'balanced' or None"
            raise refusal(self, "class_weight", allowed, self.class_weight)
        return own * factors[codes]


class LinearClassifier(Classifier):
    """Predict classes by a linear model, or by one for each of more than two.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weight of each attribute, in units of the data; a row for each of more than two classes.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        The constants.
    """

    coef_: t.Array
    intercept_: t.Array
