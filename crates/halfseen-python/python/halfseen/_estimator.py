"""Hold what all estimators share: from arrays to a fitted model of the library, and back."""

import json
import numbers
import re
import sys
import warnings

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from halfseen import _core
from halfseen._parameters import RENAMED, Declaration, declared, initializer, text_of
from halfseen.warnings import DataWarning

SCALE = Declaration(
    "scale",
    None,
    "{'none', 'common', 'each', 'max'} or None",
    (),
    "",
    "How attributes are scaled before learning: as given; all divided by one number; each centred and divided by its deviation"
    " (or declared bounds); each divided by its largest absolute value, so that zero stays zero. None: what suits the family"
    " (budgeted learners look at no unread cell, so 'none' without bounds).",
)
KNOWN = Declaration(
    "known",
    None,
    "list of str or int, or None",
    (),
    "",
    "Attributes, by name or index, whose values are known for every example: they cost nothing and never vanish.",
)
GROUPS = Declaration(
    "groups",
    None,
    "dict of str to list, or None",
    (),
    "",
    "Attributes that are read, or vanish, together: name of the panel -> names or indices of its columns."
    " ``Encoder.groups_`` gives those of text columns.",
)
PRICES = Declaration(
    "prices", None, "dict or None", (), "", "What one read of an attribute or of a panel costs, by name or index; 1 elsewhere."
)
BOUNDS = Declaration(
    "bounds",
    None,
    "dict or None",
    (),
    "",
    "Declared (low, high) of attributes, by name or index: what an honest learner may scale by.",
)
N_JOBS = Declaration(
    "n_jobs",
    None,
    "int or None",
    (),
    "",
    "Threads of a fit: None means 1, -1 one per processor. Results have the same bits for any number.",
)
VERBOSE = Declaration(
    "verbose",
    False,
    "bool or callable",
    (),
    "",
    "Whether to show progress on stderr; or a function of (done, total) that is called now and then.",
)


class Estimator(BaseEstimator):
    """What every estimator of the package does.

    A subclass names its learner; signature and documentation of its parameters follow from the library's declarations.
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
        names = self._names()

        def name(of):
            if isinstance(of, numbers.Integral):
                if not 0 <= of < len(names):
                    raise ValueError(f"there is no attribute {of}: X has {len(names)} features, counted from 0")
                return names[of]
            return of

        known, groups = getattr(self, "known", None) or (), getattr(self, "groups", None) or {}
        prices, bounds = getattr(self, "prices", None) or {}, getattr(self, "bounds", None) or {}
        return {
            "scale": self.scale,
            "known": [name(of) for of in known],
            "groups": [(group, [name(of) for of in columns]) for group, columns in groups.items()],
            "prices": {name(of): float(price) for of, price in prices.items()},
            "bounds": {name(of): (float(low), float(high)) for of, (low, high) in bounds.items()},
            "moments": {},
        }

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

    def _checked(self, X, y, reset=True):
        holes = "allow-nan" if self._takes_holes else True
        numeric = isinstance(self, RegressorMixin)
        return validate_data(
            self,
            X,
            y,
            reset=reset,
            accept_sparse="csr",
            dtype=np.float64,
            ensure_all_finite=holes,
            ensure_min_samples=2 if reset else 1,
            y_numeric=numeric,
        )

    def fit(self, X, y):
        """Learn from examples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The examples. NaN is a missing cell: estimators of :mod:`halfseen.missing` take it, others refuse it.
        y : array-like of shape (n_samples,)
            The targets.

        Returns
        -------
        self : object
            The fitted estimator.

        Raises
        ------
        ValueError
            If data or parameters are not what the learner can use; the message names the place and the remedy.
        """
        return self._fit(X, y)

    def _fit(self, X, y):
        named = getattr(y, "name", None)
        X, y = self._checked(X, y)
        targets, classes = self._targets(y)
        seed = self._seed()
        model = _core.fit(
            self._learner_name(),
            self._parameters(seed),
            self._table(X),
            self._target_name(named),
            targets,
            classes,
            self._declarations(),
            _threads(getattr(self, "n_jobs", None)),
            _progress(self.verbose),
        )
        self._keep(model)
        return self

    def _target_name(self, named):
        """Return the name of the target in the model: its own, unless a feature has it."""
        name, names = (named if isinstance(named, str) and named else "target"), set(self._names())
        while name in names:
            name += "_"
        return name

    def _keep(self, model):
        """Keep a fitted model, and what users look for in it."""
        report = json.loads(model.report())
        report["params"] = json.loads(model.parameters)
        report["notes_text"] = model.notes()
        self.model_, self.report_ = model, report
        self.n_iter_ = max(1, int(report.get("passes") or 1))
        self.reads_, self.distinct_ = report["reads"], report["distinct"]
        weights = model.weights()
        if weights is not None:
            coefficients = np.array([weight for _, weight in weights[0]])
            self.coef_, self.intercept_ = self._as_shaped(coefficients, weights[1])
        if not report["converged"]:
            warnings.warn(model.stop(), ConvergenceWarning, stacklevel=4)
        for note, text in zip(report["notes"], model.notes(), strict=True):
            if "risk-bound" not in note:
                warnings.warn(text, DataWarning, stacklevel=4)

    def _scores(self, X):
        """Return the scores of examples, (n_samples, n_outputs)."""
        check_is_fitted(self, "model_")
        plain = type(X) is np.ndarray and X.dtype == np.float64 and X.ndim == 2 and len(X)
        if plain and X.shape[1] == self.n_features_in_ and not hasattr(self, "feature_names_in_"):
            return self.model_.scores(X)  # scikit-learn's checks would take longer than a row's prediction
        # Cells that are missing at prediction time are what the package is for: all predictors know what to do.
        X = validate_data(
            self, X, reset=False, accept_sparse="csr", dtype=np.float64, ensure_all_finite="allow-nan"
        )
        if scipy.sparse.issparse(X):
            return self.model_.scores_of_table(self._table(X))[0]
        return self.model_.scores(X)


class Regressor(RegressorMixin, Estimator):
    """Estimate numbers."""

    def _targets(self, y):
        return np.ascontiguousarray(y, dtype=np.float64), None

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
            raise ValueError(f"{name} needs samples of at least 2 classes, but y holds one class: {self.classes_[0]!r}")
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
        scores = self._scores(X)
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
    if isinstance(state, numbers.Integral):
        return int(state)
    return int(check_random_state(state).randint(np.iinfo(np.int64).max, dtype=np.int64))


def _threads(n_jobs):
    """Return the number of threads for scikit-learn's ``n_jobs``; 0 is one per processor."""
    if n_jobs is None:
        return 1
    if not isinstance(n_jobs, numbers.Integral) or n_jobs == 0 or n_jobs < -1:
        raise ValueError(f"n_jobs = {n_jobs!r} is not allowed: it must be None, -1 or an integer above 0")
    return max(int(n_jobs), 0)


def _progress(verbose):
    """Return the function that shows progress, or None."""
    if callable(verbose):
        return verbose
    return _shown if verbose else None


def _shown(done, total):
    sys.stderr.write(f"\rfitting: {100 * done // total} %" + ("\n" if done == total else ""))
    sys.stderr.flush()
