"""Hold what all estimators share: from arrays to a fitted model of the library, and back."""

import json
import numbers
import os
import re
import sys
import warnings
from contextlib import contextmanager

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from halfseen import _attributes, _core
from halfseen._attributes import BOUNDS, GROUPS, KNOWN, N_JOBS, PRICES, SCALE, VERBOSE
from halfseen._parameters import RENAMED, declared, initializer, text_of
from halfseen.warnings import DataWarning

__all__ = [
    "BOUNDS",
    "GROUPS",
    "KNOWN",
    "N_JOBS",
    "PRICES",
    "SCALE",
    "VERBOSE",
    "Classifier",
    "Estimator",
    "Regressor",
]


class Estimator(BaseEstimator):
    """What every estimator of the package does.

    A subclass names its learner; signature and documentation of its parameters follow from the library's
    declarations.
    """

    _learner = None
    _house = (SCALE, VERBOSE)
    _takes_holes = False

    def __init_subclass__(cls, learner=None, extra=(), **keywords):
        """Write ``__init__`` and the section Parameters of a class that names a learner."""
        super().__init_subclass__(**keywords)
        if learner is None:
            return
        cls._learner = learner
        own = {declaration.name: declaration for declaration in (*declared(learner), *extra, *cls._house)}
        cls._declared = tuple(own.values())
        cls.__init__ = initializer(cls._declared)
        sections = "\n".join(declaration.section() for declaration in cls._declared)
        cls.__doc__ = re.sub(r"^ *\{parameters\}", _indented(sections), cls.__doc__, flags=re.MULTILINE)

    def __sklearn_tags__(self):
        """Tell scikit-learn what the estimator takes."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self._takes_holes
        return tags

    def _learner_name(self):
        """Return the library's learner for the present parameters."""
        return self._learner

    @classmethod
    def _as_learner(cls, learner):
        """Return the parameters with which the class is this learner of the library; None if it never is."""
        return {} if learner == cls._learner else None

    def _parameters(self, seed):
        """Return the learner's parameters as the library reads them, by its names."""
        back = {python: library for library, python in RENAMED.items()}
        texts = []
        for declaration in declared(self._learner_name()):
            value = seed if declaration.name == "random_state" else getattr(self, declaration.name)
            texts.append((back.get(declaration.name, declaration.name), text_of(declaration.name, value)))
        return texts

    def _seed(self):
        """Return ``random_state`` as a seed: an int is that seed, anything else draws one of 63 bits."""
        return _seed_of(getattr(self, "random_state", 0))

    def _names(self):
        names = getattr(self, "feature_names_in_", None)
        return [f"x{j}" for j in range(self.n_features_in_)] if names is None else list(names)

    def _declarations(self):
        """Return what is declared of attributes, by name."""
        return _attributes.read(self, self._names())

    def _table(self, X):
        """Return X as the library takes it: a C-contiguous array of float64 is not copied."""
        if scipy.sparse.issparse(X):
            X = X.tocsr(copy=False)
            if not X.has_canonical_format:
                X = X.copy()
                X.sum_duplicates()
            starts, indices = X.indptr.astype(np.int64), X.indices.astype(np.int64)
            return _core.Table.sparse(starts, indices, X.data.astype(np.float64), self._names())
        return _core.Table.dense(X, self._names())

    def _checked(self, X, y, reset=True, at_least=2):
        holes = "allow-nan" if self._takes_holes else True
        numeric = isinstance(self, RegressorMixin)
        return self._validated(
            X, y=y, reset=reset, ensure_all_finite=holes, ensure_min_samples=at_least, y_numeric=numeric
        )

    def _validated(self, X, **rules):
        """Return X (and y) as scikit-learn checks them; of a frame's texts say what to do with them."""
        if isinstance(X, np.ma.MaskedArray):
            X = X.astype(np.float64).filled(np.nan)
        try:
            return validate_data(self, X, accept_sparse="csr", dtype=np.float64, **rules)
        except (TypeError, ValueError) as error:
            from halfseen import _tables

            if "contains NaN" in str(error) and not self._takes_holes and "Input X" in str(error):
                raise ValueError(
                    f"Input X contains NaN. {type(self).__name__} needs every cell that it reads: estimators"
                    " of halfseen.missing learn from rows with holes; FIMLRegressor, FIMLClassifier, AERR and"
                    " AELR with passive='all' from what happens to be observed; or fill them in, as"
                    " sklearn.impute.SimpleImputer does"
                ) from None
            columns = [] if "feature names" in str(error) else _tables.columns_without_numbers(X)
            if not columns:
                raise
            raise ValueError(
                f"columns of X hold no numbers ({', '.join(columns[:10])}): encode texts first, as in"
                f" make_pipeline(halfseen.Encoder(), {type(self).__name__}()), and make numbers of dates"
                f" ({error})"
            ) from None

    def fit(self, X, y):
        """Learn from examples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The examples. NaN is a missing cell: estimators of :mod:`halfseen.missing` take it, and those that
            keep their reads (FIML); others refuse it.
        y : array-like of shape (n_samples,)
            The targets.

        Returns
        -------
        self : object
            The fitted estimator.

        Raises
        ------
        ValueError
            If data or parameters are not what the learner can use; the message names the place and the
            remedy.
        """
        return self._fit(X, y)

    def _forget(self):
        """Let go of what an earlier fit has left: if this one fails, nothing is fitted."""
        for name in [name for name in vars(self) if name.endswith("_") and not name.startswith("_")]:
            delattr(self, name)

    def _fit(self, X, y, sample_weight=None):
        self._forget()
        named = getattr(y, "name", None)
        X, y = self._checked(X, y)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64)
            there = sample_weight != 0
            if not there.all():
                # Rows that do not count have no class either.
                X, y, sample_weight = X[there], y[there], sample_weight[there]
        targets, classes = self._targets(y)
        seed = self._seed()
        with _progress(self.verbose) as progress:
            model = _core.fit(
                self._learner_name(),
                self._parameters(seed),
                self._table(X),
                self._target_name(named),
                targets,
                classes,
                self._declarations(),
                _threads(getattr(self, "n_jobs", None)),
                progress,
                sample_weight,
            )
        self._keep(model)
        return self

    def _target_name(self, named):
        """Return the name of the target in the model: its own, unless a feature has it."""
        name, names = (named if isinstance(named, str) and named else "target"), set(self._names())
        while name in names:
            name += "_"
        return name

    def save(self, path):
        """Save the fitted model as a file that :func:`halfseen.load`, Rust and the program load.

        Parameters
        ----------
        path : str or path-like
            Where to; a file that is there is replaced at once, or stays as it was. It holds this
            estimator alone, and not the other steps of a pipeline.
        """
        from halfseen import model

        check_is_fitted(self, "model_")
        model.write(self.model_, path)

    def _keep(self, model, quiet=False):
        """Keep a fitted model, and what users look for in it; unless quiet, warn of what they must know."""
        report = json.loads(model.report())
        report["params"] = json.loads(model.parameters)
        report["notes_text"] = model.notes()
        self.model_, self.report_ = model, report
        self.n_iter_ = max(1, int(report.get("passes") or 1))
        self.reads_, self.distinct_ = report["reads"], report["distinct"]
        weights = model.weights()
        if weights is None:
            vars(self).pop("coef_", None), vars(self).pop("intercept_", None)
        else:
            coefficients = np.array([weight for _, weight in weights[0]])
            self.coef_, self.intercept_ = self._as_shaped(coefficients, weights[1])
        if quiet:
            return
        if not report["converged"]:
            warnings.warn(model.stop(), ConvergenceWarning, stacklevel=4)
        for note, text in zip(report["notes"], model.notes(), strict=True):
            # Of what says nothing of the data, and asks for nothing, it is enough to be in the report.
            if not any(kind in note for kind in ("risk-bound", "guarded-refinements")):
                warnings.warn(text, DataWarning, stacklevel=4)

    def _scores(self, X, clip=True):
        """Return the scores of examples, (n_samples, n_outputs)."""
        check_is_fitted(self, "model_")
        model = self.model_ if clip or self.model_.clip is None else self.model_.without_clip()
        plain = type(X) is np.ndarray and X.dtype == np.float64 and X.ndim == 2 and len(X)
        if plain and X.shape[1] == self.n_features_in_ and not hasattr(self, "feature_names_in_"):
            return model.scores(X)  # scikit-learn's checks would take longer than a row's prediction
        # Cells that are missing at prediction time are what the package is for: all predictors take them.
        X = self._validated(X, reset=False, ensure_all_finite="allow-nan")
        if scipy.sparse.issparse(X):
            return model.scores_of_table(self._table(X))[0]
        return model.scores(X)


class Weighted:
    """Let rows count by weights; for estimators whose learner takes them."""

    def fit(self, X, y, sample_weight=None):
        """Learn from examples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The examples. NaN is a missing cell: estimators of :mod:`halfseen.missing` take it, and those that
            keep their reads (FIML); others refuse it.
        y : array-like of shape (n_samples,)
            The targets.
        sample_weight : array-like of shape (n_samples,), optional
            What rows count: 2 is a row twice, 0 a row that is not there, for losses as for means and scales.

        Returns
        -------
        self : object
            The fitted estimator.

        Raises
        ------
        ValueError
            If data or parameters are not what the learner can use; the message names the place and the
            remedy.
        """
        return self._fit(X, y, sample_weight)


class Regressor(RegressorMixin, Estimator):
    """Estimate numbers."""

    _poor_score = False

    def __sklearn_tags__(self):
        """Tell scikit-learn whether a good score is to be expected on its small checks."""
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = self._poor_score
        return tags

    def _targets(self, y):
        return np.asarray(y, dtype=np.float64), None

    def _as_shaped(self, coefficients, intercept):
        return coefficients, intercept

    def predict(self, X):
        """Estimate the target.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The examples. NaN is a missing cell.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Estimates, in units of the target.
        """
        return self._scores(X)[:, 0]


class ClippedRegressor(Regressor):
    """Estimate numbers within the range of the targets learned from."""

    def predict(self, X, *, clip=True):
        """Estimate the target, within the range of the targets learned from.

        Beyond that range a few rows of heavy tails would make most of the squared error. ``coef_`` and
        ``intercept_`` do not know of it.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The examples. NaN is a missing cell.
        clip : bool, default=True
            Whether predictions keep within that range.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Estimates, in units of the target.
        """
        return self._scores(X, clip)[:, 0]


class Classifier(ClassifierMixin, Estimator):
    """Tell classes apart."""

    _multi_class = False

    def __sklearn_tags__(self):
        """Tell scikit-learn how many classes are told apart."""
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
                f" {len(self.classes_)} classes, and {name} tells two apart. KARMAClassifier and"
                " sklearn.multiclass.OneVsRestClassifier tell more."
            )
        return codes.astype(np.float64), self.classes_.tolist()

    def _as_shaped(self, coefficients, intercept):
        return coefficients[np.newaxis], np.array([intercept])

    def decision_function(self, X):
        """Score examples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The examples. NaN is a missing cell.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            Of two classes the score of the second: above 0 it is predicted. Of more one score each.
        """
        scores = self._scores(X, clip=False)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X):
        """Tell the class.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The examples. NaN is a missing cell.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Labels, as they were in fit.
        """
        scores = self._scores(X)
        at = (scores[:, 0] > 0).astype(np.intp) if scores.shape[1] == 1 else scores.argmax(axis=1)
        return self.classes_[at]


def _indented(text):
    return "\n".join(f"    {line}" if line else line for line in text.splitlines())


def _seed_of(state):
    """Return a ``random_state`` as a seed."""
    if not isinstance(state, numbers.Integral):
        return int(check_random_state(state).randint(np.iinfo(np.int64).max, dtype=np.int64))
    if not 0 <= state < 2**64:
        allowed = next(of.allowed for of in declared("aerr") if of.name == "random_state")
        raise ValueError(
            f"random_state = {state} is not allowed: it must be {allowed} (and below 2**64), a RandomState"
            " instance or None"
        )
    return int(state)


def _threads(n_jobs):
    """Return the number of threads for scikit-learn's ``n_jobs``, at most one per processor."""
    if n_jobs is None:
        return 1
    if not isinstance(n_jobs, numbers.Integral) or n_jobs == 0:
        raise ValueError(f"n_jobs = {n_jobs!r} is not allowed: it must be None or an integer other than 0")
    processors = os.cpu_count() or 1
    return min(int(n_jobs), processors) if n_jobs > 0 else max(processors + 1 + int(n_jobs), 1)


@contextmanager
def _progress(verbose):
    """Give the function that shows progress, or None, and end the line that it has begun."""
    if callable(verbose) or not verbose:
        yield verbose or None
        return
    began = False

    def shown(done, total):
        nonlocal began
        began = True
        sys.stderr.write(f"\rfitting: {100 * done // total} %")
        sys.stderr.flush()

    try:
        yield shown
    finally:
        if began:
            sys.stderr.write("\n")
