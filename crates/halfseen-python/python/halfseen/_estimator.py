"""Define the base of all estimators: from arrays to a fitted model of the library, and back."""

import functools
import inspect
import json
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

import numpy as np
import scipy.sparse
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from halfseen import _attributes, _core
from halfseen import _types as t
from halfseen._docstrings import completed
from halfseen._documented import Documented
from halfseen._parameters import (
    declared,
    learners,
    progress_of,
    refusing,
    seed_of,
    texts_of,
    threads_of,
    tuning_of,
)
from halfseen._report import Report
from halfseen._saved import Saved
from halfseen._warn import about_data, warn
from halfseen.warnings import DataWarning

_Fit = TypeVar("_Fit", bound=Callable[..., Any])


def _without_weights(fit: _Fit) -> _Fit:
    """Name the class in the error for ``sample_weight``, or another argument that a method does not have."""
    names = inspect.signature(fit).parameters

    @functools.wraps(fit)
    def checked(self: Any, *args: Any, **keywords: Any) -> Any:
        own = f"{type(self).__name__}.{fit.__name__}()"
        if "sample_weight" in keywords:
            raise TypeError(
                f"{own} takes no sample_weight: {self._no_weights}. Omit it, or use KARMARegressor,"
                " KARMAClassifier, RobustLPRegressor or RobustLPClassifier, which take it in fit"
            )
        unknown = [name for name in keywords if name not in names]
        if unknown:
            raise TypeError(f"{own} got an unexpected keyword argument {unknown[0]!r}")
        return fit(self, *args, **keywords)

    return checked  # type: ignore[return-value]


class Estimator(Documented, Saved, BaseEstimator):
    """Base of every estimator of the package.

    A subclass names its learner. ``generate.py`` writes its constructor from the library's declarations, and
    here the documentation of the parameters that families share.

    Parameters
    ----------
    intercept : bool
        If true, an unpenalised intercept is learned.
    step : float or str
        Step size: theory (from the theorem, for the norms of the data), a multiple of it such as 3.2x, or
        a number. Range: theory, a multiple of it such as 3.2x, or a finite number above 0.
    confidence : float
        Probability delta that a guarantee fails: with moments = two-phase that of the second phase, with
        damage = noise that noise does no more than the margin covers. Range: a number above 0 and below
        1.
    tol : float
        Relative duality gap at which the solver stops. Range: a finite number above 0.
    max_iter : int
        Maximum number of iterations of the solver; the report says if it was reached. Range: an integer
        of at least 1.
    random_state : int, RandomState instance or None
        Seed of all random draws: an int is used as is, otherwise one is drawn and kept in ``report_``.
    scale : {'none', 'common', 'each', 'max'} or None
        Scaling of attributes: none; all divided by one number; each centred and divided by its standard
        deviation (or declared bounds); each divided by its largest absolute value, so that zero stays zero.
        None: the family's default (budgeted learners use no unread cell, so 'none' without bounds).
    basis : {'none', 'hats'} or None
        Functions of each attribute beside its value: 'hats' adds up to four piecewise linear ones on six of
        its training values, so that predictions bend; beyond its least and largest value they go on along
        a line. One read, one missing cell or one deletion is of all of them. Budgeted learners, which use
        no unread cell, need ``bounds``, and the six values divide these equally. ``coef_`` has the weights
        of an attribute's functions behind its own; ``load(...).weights()`` names them.
    known : list of str or int, or None
        Attributes, by name or index, whose values are known for every example: they cost nothing and are
        never deleted. The name of a panel of ``groups`` means all its attributes.
    groups : dict of str to list, or None
        Attributes that are read, or deleted, together: name of the panel -> names or indices of its
        columns. ``Encoder.groups_`` gives those of text columns.
    tune : int or None
        Number of folds of a cross-validation in ``fit`` that chooses parameters over the learner's own grid;
        those that differ from their defaults keep their values. It reads the whole table, more than a budget
        allows, and needs rows without weights. ``tuned_`` has what it chose.
    n_jobs : int or None
        Number of threads: None means 1, -1 one per processor. Results do not depend on it, to the bit.
    verbose : bool or callable
        True to show progress on stderr; or a function of (done, total) to be called regularly.

    Attributes
    ----------
    report_ : Report
        Report of the fit, a dict that prints in words: reason to stop, reads, objective and gap, notes;
        ``report_["params"]["seed"]`` reproduces it.
    reads_ : int
        Number of reads, with multiplicity, as the papers count them.
    distinct_ : int
        Number of distinct cells read.
    n_iter_ : int
        Number of passes or iterations.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X had any.
    """

    #: The library's name of the learner.
    _learner: ClassVar[str] = ""
    _takes_holes: bool = False
    #: Reason why there is no ``sample_weight``, where there is none.
    _no_weights: ClassVar[str] = "each row takes one step, and a doubled step is not two steps"

    report_: Report
    reads_: int
    distinct_: int
    n_iter_: int
    n_features_in_: int
    feature_names_in_: t.Array

    def __init_subclass__(cls, **keywords: Any) -> None:
        """Complete the documentation of an estimator from its bases."""
        super().__init_subclass__(**keywords)
        ours = cls.__module__.startswith("halfseen.") and not cls.__name__.startswith("_")
        if ours and cls._learner and cls.__doc__:
            cls.__doc__ = completed(cls)

    def __sklearn_tags__(self) -> Any:
        """Return the estimator's tags for scikit-learn."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self._takes_holes
        return tags

    def _parameters(self, seed):
        """Return the learner's parameters as texts, under the library's names."""
        return texts_of(self, self._learner, self._values(seed))

    def _values(self, seed):
        """Return the values of the learner's parameters by name."""
        values = {of.name: getattr(self, of.name) for of in declared(self._learner) if of.written != "seed"}
        return {**values, "random_state": seed}

    def _seed(self):
        """Return ``random_state`` as a seed: an int unchanged, else a draw of 63 bits."""
        return seed_of(getattr(self, "random_state", 0), self)

    def _names(self):
        names = getattr(self, "feature_names_in_", None)
        return [f"x{j}" for j in range(self.n_features_in_)] if names is None else list(names)

    def _declarations(self):
        """Return the declarations on attributes, by name."""
        return _attributes.read(self, self._names())

    def _table(self, X):
        """Return X as a table of the library: a C-contiguous array of float64 is not copied."""
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
        if type(y) is not np.ndarray:
            from halfseen import _tables

            y = _tables.column(y)
        return self._validated(
            X, y=y, reset=reset, ensure_all_finite=holes, ensure_min_samples=at_least, y_numeric=numeric
        )

    def _validated(self, X, **rules):
        """Return X (and y) after scikit-learn's checks; errors on text columns name the remedy."""
        if isinstance(X, np.ma.MaskedArray):
            X = X.astype(np.float64).filled(np.nan)
        elif type(X) is not np.ndarray:
            from halfseen import _tables

            X = _tables.on_host(_tables.eager(X))
        self._refuse_dates(X)
        try:
            return validate_data(self, X, accept_sparse="csr", dtype=np.float64, **rules)
        except (TypeError, ValueError) as error:
            from halfseen import _tables

            if "contains NaN" in str(error) and not self._takes_holes and "Input X" in str(error):
                raise ValueError(
                    f"Input X contains NaN. {type(self).__name__} needs every cell that it reads: use an"
                    " estimator of halfseen.missing, or FIMLRegressor, FIMLClassifier, AERRRegressor or"
                    " AELRRegressor with passive='all', which learn from observed cells; or impute missing"
                    " values, as sklearn.impute.SimpleImputer does"
                ) from None
            columns = [] if "feature names" in str(error) else _tables.columns_without_numbers(X)[0]
            if not columns:
                raise
            raise ValueError(self._remedied(columns, []) + f" ({error})") from None

    def _refuse_dates(self, X):
        """Refuse dates, which scikit-learn takes for numbers."""
        if isinstance(X, np.ndarray):
            if X.dtype.kind == "m":
                raise ValueError(
                    f"X of dtype {X.dtype} holds durations: make numbers of them first, such as hours"
                )
            if X.dtype.kind == "M":
                raise ValueError(
                    f"X of dtype {X.dtype} holds dates: encode them first, as in"
                    f" make_pipeline(halfseen.Encoder(columns={{0: 'date'}}), {type(self).__name__}())"
                )
            return
        if not hasattr(type(X), "columns"):
            return
        from halfseen import _tables

        if _tables.has_dates(X):
            raise ValueError(self._remedied(*_tables.columns_without_numbers(X)))

    def _remedied(self, columns, dates):
        """Return a message on columns without numbers, with the encoder as the remedy."""
        declared = ", ".join(f"{name!r}: 'date'" for name in dates[:3])
        encoder = f"halfseen.Encoder({f'columns={{{declared}}}' if dates else ''})"
        return (
            f"columns of X hold no numbers ({', '.join(columns[:10])}): encode texts and dates first, as in"
            f" make_pipeline({encoder}, {type(self).__name__}()), and make numbers of times and durations"
        )

    @_without_weights
    def fit(self, X: t.Matrix, y: ArrayLike) -> Self:
        """Learn from examples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The examples. NaN is a missing value: estimators of :mod:`halfseen.missing` and FIML accept it,
            others refuse it.
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
        return self._fit(X, y)

    def _forget(self):
        """Delete the results of an earlier fit: if this one fails, nothing is fitted."""
        for name in [name for name in vars(self) if name.endswith("_") and not name.startswith("_")]:
            delattr(self, name)
        vars(self).pop("_told", None)

    def _fit(self, X, y, sample_weight=None, pilot=None):
        self._forget()
        named = getattr(y, "name", None)
        X, y = self._checked(X, y)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64)
        sample_weight = self._with_classes(y, sample_weight)
        if sample_weight is not None:
            there = sample_weight != 0
            if not there.all():
                # The class of a row of weight 0 does not count either.
                X, y, sample_weight = X[there], y[there], sample_weight[there]
        targets, classes = self._targets(y)
        pilot = None if pilot is None else self._pilot(pilot, classes)
        tuning = tuning_of(self, self._learner, sample_weight)
        seed = self._seed()
        with progress_of(self) as progress, refusing(self):
            model = _core.fit(
                self._learner,
                self._parameters(seed),
                self._table(X),
                self._target_name(named),
                targets,
                classes,
                self._declarations(),
                threads_of(self),
                progress,
                sample_weight,
                pilot,
                tuning,
            )
        self._keep(model)
        if tuning is not None:
            chosen = self.report_["params"]
            self.tuned_ = {name: chosen[name] for name in learners()[self._learner]["grid"]}
        vars(self).pop("_told", None)
        return self

    def _with_classes(self, y, sample_weight):
        """Return the weights of rows, times those of their classes where there are any."""
        return sample_weight

    def _pilot(self, pilot, classes):
        """Return the table of a pilot and its targets, NaN where they are unknown."""
        try:
            X, y = pilot
        except (TypeError, ValueError):
            raise ValueError("pilot must be a pair (X, y) of earlier rows and their targets") from None
        X = self._validated(X, reset=False, ensure_all_finite="allow-nan")
        if classes is None:
            told = np.asarray(y, dtype=np.float64)
        else:
            y = np.asarray(y, dtype=object)
            told = np.full(y.shape, np.nan)
            for code, label in enumerate(classes):
                told[y == label] = code
            strange = [label for label in y[np.isnan(told)] if label is not None and label == label]
            if strange:
                raise ValueError(
                    f"y of the pilot holds {strange[0]!r}, none of the classes; leave the row out, or its"
                    " target None"
                )
        if told.ndim != 1 or len(told) != X.shape[0]:
            raise ValueError(
                f"y of the pilot must have a target for each of {X.shape[0]} rows; NaN is unknown"
            )
        if np.isinf(told).any():
            raise ValueError("y of the pilot holds infinity")
        return self._table(X), np.ascontiguousarray(told, dtype=np.float64)

    def _target_name(self, named):
        """Return the name of the target in the model: its own, unless a feature has it."""
        name, names = (named if isinstance(named, str) and named else "target"), set(self._names())
        while name in names:
            name += "_"
        return name

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the fitted model as a file that :func:`halfseen.load`, Rust and the program load.

        Parameters
        ----------
        path : str or path-like
            Path of the file; an existing one is replaced atomically. It holds this estimator only, not the
            other steps of a pipeline.
        """
        from halfseen import model

        check_is_fitted(self, "model_")
        model.write(self.model_, path)

    def _keep(self, model, quiet=False):
        """Store a fitted model and its public attributes; unless quiet, warn of notes on the data."""
        report = Report.of(model)
        report["params"] = json.loads(model.parameters)
        self.model_, self.report_ = model, report
        self.n_iter_ = max(1, int(report.get("passes") or 1))
        self.reads_, self.distinct_ = report["reads"], report["distinct"]
        weights = model.weights()
        if weights is None:
            vars(self).pop("coef_", None), vars(self).pop("intercept_", None)
        else:
            coefficients = np.array([[weight for _, weight in pairs] for pairs, _ in weights])
            self.coef_, self.intercept_ = self._as_shaped(coefficients, [constant for _, constant in weights])
        if quiet:
            return
        if not report["converged"] and self._is_new(report["stop"]):
            warn(model.stop(), ConvergenceWarning)
        for note, text in about_data(report["notes"], model.notes()):
            if self._is_new(*note):
                warn(text, DataWarning)

    def _is_new(self, *kinds):
        """Return whether a stream of batches has not been told of this yet; a fit begins anew."""
        told = vars(self).setdefault("_told", [])
        new = [kind for kind in kinds if kind not in told]
        told.extend(new)
        return bool(new)

    def _scores(self, X, clip=True, bounded=True):
        """Return the scores of examples, (n_samples, n_outputs)."""
        check_is_fitted(self, "model_")
        model = self.model_ if clip or self.model_.clip is None else self.model_.without_clip()
        model = model if bounded else model.without_bounds()
        plain = type(X) is np.ndarray and X.dtype == np.float64 and X.ndim == 2 and len(X)
        if plain and X.shape[1] == self.n_features_in_ and not hasattr(self, "feature_names_in_"):
            return model.scores(X)  # scikit-learn's checks would take longer than a row's prediction
        # All predictors accept missing cells at prediction time.
        X = self._validated(X, reset=False, ensure_all_finite="allow-nan")
        if scipy.sparse.issparse(X):
            return model.scores_of_table(self._table(X))[0]
        return model.scores(X)


class Weighted(Estimator):
    """Add ``sample_weight`` to ``fit``; for estimators whose learner supports it."""

    if TYPE_CHECKING:

        def set_fit_request(self, *, sample_weight: t.Request = ...) -> Self: ...

    def fit(self, X: t.Matrix, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from examples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The examples. NaN is a missing value: estimators of :mod:`halfseen.missing` and FIML accept it,
            others refuse it.
        y : array-like of shape (n_samples,)
            The targets.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows in losses, means and scales: 2 counts a row twice, 0 leaves it out.

        Returns
        -------
        self : object
            The fitted estimator.

        Raises
        ------
        ValueError
            If the learner cannot use the data or the parameters; the message names the place and the remedy.
        """
        return self._fit(X, y, sample_weight)
