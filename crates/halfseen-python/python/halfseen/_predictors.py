"""Define the bases of regressors and classifiers: targets, scores and predictions."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from halfseen import _types as t
from halfseen._estimator import Estimator


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

    def _as_shaped(self, coefficients, intercept):
        return coefficients, intercept

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

    def _as_shaped(self, coefficients, intercept):
        return coefficients[np.newaxis], np.array([intercept])

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
        scores = self._scores(X)
        at = (scores[:, 0] > 0).astype(np.intp) if scores.shape[1] == 1 else scores.argmax(axis=1)
        return self.classes_[at]


class LinearClassifier(Classifier):
    """Predict one of two classes by a linear model.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
        Weight of each attribute, in units of the data.
    intercept_ : ndarray of shape (1,)
        The constant.
    """

    coef_: t.Array
    intercept_: t.Array
