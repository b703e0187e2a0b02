"""Define the bases of estimators that choose a learner, and hand everything on to its estimator."""

from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from halfseen import _tables
from halfseen import _types as t
from halfseen._docstrings import completed
from halfseen._documented import Documented
from halfseen._estimator import _without_weights
from halfseen._parameters import learners, refusal
from halfseen.suggesting import estimator_class, has_estimator, in_other_words, suggested


def _has(method):
    """Return a test of whether the chosen estimator has a method."""

    def there(self):
        getattr(vars(self).get("estimator_") or self._made(), method)
        return True

    return available_if(there)


class Choosing(Documented, BaseEstimator):
    """Base of estimators that choose a learner of one family, and hand everything on to it.

    Parameters
    ----------
    method : str
        'auto', or the name of a learner of the family, as in ``halfseen learners``.
    random_state : int, RandomState instance or None
        Seed of all random draws.
    n_jobs : int or None
        Number of threads, for learners that can use several; -1 for all processors.
    verbose : bool or callable
        True to show progress, or a function of the work that is done and of all of it.

    Attributes
    ----------
    estimator_ : estimator
        The fitted estimator of the learner. Its attributes are those of this one too.
    suggestion_ : Suggestion or None
        The learner that was chosen, and why; None if ``method`` names one.
    """

    #: The family of the learners that can be chosen.
    _family: ClassVar[str] = ""
    #: Whether reads are limited, and whether attributes may be deleted later.
    _unseen: ClassVar[tuple[bool, bool]] = (False, False)
    _holes: ClassVar[bool] = False
    _default: ClassVar[str] = "fiml"
    _no_weights = "not every learner of the family does"
    #: Learners of the family that take weights of classes, the first choice first.
    _weighted: ClassVar[tuple[str, ...]] = ()
    method: str

    def __init_subclass__(cls, **keywords: Any) -> None:
        """Complete the documentation of an estimator from its bases."""
        super().__init_subclass__(**keywords)
        if cls._family and not cls.__name__.startswith("_") and cls.__doc__:
            cls.__doc__ = completed(cls)

    def _made(self, **settings):
        """Return the estimator of the learner that is named, or of the family's first, not fitted yet."""
        name = self._method()
        if name == "auto":
            name = self._default if self._may_choose(self._default) else self._weighted[0]
        return self._of(name, settings)

    def _method(self):
        """Return ``method``, if it is a name."""
        names = [
            own
            for learner in learners().values()
            if learner["family"] == self._family or learner["name"] == self._default
            for own in (learner["name"], *(of["name"] for of in learner["aliases"]))
            if has_estimator(own)
        ]
        if not isinstance(self.method, str) or self.method not in ("auto", *names):
            raise refusal(self, "method", f"'auto' or one of {', '.join(names)}", self.method)
        return self.method

    def _of(self, name, settings):
        """Return the estimator of a learner with this one's parameters, where it has them, and others."""
        try:
            of, fixed = estimator_class(name, isinstance(self, ClassifierMixin))
        except LookupError:
            kind = "classes" if isinstance(self, ClassifierMixin) else "numbers"
            raise ValueError(f"method={name!r} of {type(self).__name__} cannot learn {kind}") from None
        known = of._get_param_names()
        given = self.get_params(deep=False)
        if given.get("class_weight") is not None and "class_weight" not in known:
            others = " or ".join(f"method={other!r}" for other in self._weighted)
            raise ValueError(f"{name} takes no class_weight: leave it out, or choose {others}, which does")
        own = {key: value for key, value in given.items() if key in known}
        if own.get("class_weight") is not None and "tune" in known:
            settings = {**settings, "tune": None}  # whose cross-validation would ignore the weights
        return of(**{**own, **fixed, **settings})

    def __getattr__(self, name):
        """Return what was learned by the chosen estimator."""
        chosen = vars(self).get("estimator_")
        if name.endswith("_") and not name.startswith("_") and chosen is not None:
            return getattr(chosen, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __sklearn_is_fitted__(self) -> bool:
        """Return whether there is a fitted estimator."""
        return "estimator_" in vars(self)

    @property
    def _takes_holes(self) -> bool:
        """True if rows may have missing values."""
        return bool(self._made()._takes_holes)

    def _chosen(self):
        """Return the fitted estimator of the learner."""
        check_is_fitted(self)
        return self.estimator_

    def _choose(self, X, y):
        """Choose a learner for examples, and return its estimator."""
        self.suggestion_ = None
        settings = self._settings(X)
        if self._method() != "auto":
            return self._made(**settings)
        targets = np.asarray(y)
        classes = len(np.unique(targets)) if isinstance(self, ClassifierMixin) else 0
        try:
            found = suggested(X, len(targets), classes, *self._unseen, holes=self._holes)
        except (TypeError, ValueError):
            return self._made(**settings)  # whose own checks say what is wrong
        if not has_estimator(found.learner):
            found = in_other_words(found, classes > 0)
        if not self._may_choose(found.learner):
            return self._made(**settings)
        self.suggestion_ = found
        own = self.get_params(deep=False)
        open_ = {name: value for name, value in found.settings.items() if own.get(name) is None}
        return self._of(found.learner, {**open_, **settings})

    def _may_choose(self, learner):
        """Return whether a learner has all that is asked of it."""
        return True

    def _settings(self, X):
        """Return parameters of the learner that depend on the examples."""
        return {}

    @_without_weights
    def fit(self, X: t.Matrix, y: ArrayLike) -> Self:
        """Choose a learner, and learn from examples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The examples. NaN is a missing value.
        y : array-like of shape (n_samples,)
            The targets.

        Returns
        -------
        self : object
            The fitted estimator.

        Raises
        ------
        ValueError
            If the learner cannot use the data or the parameters; the message names the place and the remedy.
        """
        self.__dict__.pop("estimator_", None)
        X, y = _tables.on_host(_tables.eager(X)), _tables.column(y)
        self.estimator_ = self._choose(X, y).fit(X, y)
        return self

    def predict(self, X: t.Matrix) -> t.Array:
        """Predict the targets of examples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The examples. NaN is a missing value.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Estimates in units of the target, or labels as they were in fit.
        """
        return self._chosen().predict(X)

    def save(self, path: Any) -> None:
        """Save the fitted model as a file that :func:`halfseen.load`, Rust and the program load.

        Parameters
        ----------
        path : str or path-like
            Path of the file; an existing one is replaced atomically.
        """
        self._chosen().save(path)


class ChoosingRegressor(RegressorMixin, Choosing):
    """Predict numbers by a learner that is chosen."""

    if TYPE_CHECKING:

        def set_score_request(self, *, sample_weight: t.Request = ...) -> Self: ...

    def __sklearn_tags__(self) -> Any:
        """Return the tags of the learner's estimator."""
        return self._made().__sklearn_tags__()

    @_has("predict_interval")
    def predict_interval(self, X: t.Matrix, level: float = 0.9, **keywords: Any) -> t.Array:
        """Return intervals that contain the targets of a share ``level`` of rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The examples. NaN is a missing cell.
        level : float, default=0.9
            The share, above 0 and below 1.
        **keywords : dict
            ``calibration``, a pair (X, y) of rows held out; see :meth:`FIMLRegressor.predict_interval`.

        Returns
        -------
        ends : ndarray of shape (n_samples, 2)
            Lower and upper ends, in units of the target.
        """
        return self._chosen().predict_interval(X, level, **keywords)


class ChoosingClassifier(ClassifierMixin, Choosing):
    """Predict classes by a learner that is chosen.

    Parameters
    ----------
    class_weight : dict, 'balanced' or None
        Weights of the rows of each class: label -> weight, 1 for others; 'balanced': classes get equal sums
        of weights. None: 1 each. Not every learner takes them: with them ``method='auto'`` chooses one that
        does, and does not tune.
    """

    def _may_choose(self, learner):
        if getattr(self, "class_weight", None) is None:
            return True
        return "class_weight" in estimator_class(learner, True)[0]._get_param_names()

    if TYPE_CHECKING:

        def set_score_request(self, *, sample_weight: t.Request = ...) -> Self: ...

    def __sklearn_tags__(self) -> Any:
        """Return the tags of the learner's estimator."""
        return self._made().__sklearn_tags__()

    @property
    def _multi_class(self) -> bool:
        """True if the learner tells more than two classes apart."""
        return bool(self._made()._multi_class)

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
        return self._chosen().decision_function(X)
