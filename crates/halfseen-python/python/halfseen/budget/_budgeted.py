"""Hold what all budgeted estimators share: batches, ask and tell, the books, and how they are documented."""

import re
import warnings

import numpy as np
from sklearn.utils.multiclass import check_classification_targets, unique_labels

from halfseen import _core
from halfseen._estimator import (
    BOUNDS,
    GROUPS,
    KNOWN,
    PRICES,
    SCALE,
    VERBOSE,
    Classifier,
    ClippedRegressor,
    Estimator,
    _progress,
    _threads,
)
from halfseen.warnings import DataWarning

#: Sections that are the same for every class: {name} in its documentation stands for one of them.
_SECTIONS = {
    "attributes": """\
coef_ : ndarray of shape {shape}
    Weight of each attribute, in units of the data.
intercept_ : {intercept}
    The constant.
{classes}reads_ : int
    Reads with multiplicity, as the papers count them.
distinct_ : int
    Different cells that were read: what is paid for.
attributes_read_ : ndarray of shape (n_features,)
    How often each attribute was read; an always-known one costs nothing and counts 0. The columns of a panel
    are read together.
report_ : dict
    Everything that is to be said of the fit: ``report_["params"]["seed"]`` repeats it.
n_features_in_ : int
    Number of attributes.
feature_names_in_ : ndarray of shape (n_features_in_,)
    Their names, where X had any.
n_iter_ : int
    {passes}""",
    "notes": """\
``budget`` counts every read of one example, those for the product <w, x> included; always-known attributes
and targets cost nothing. A fit looks at nothing else, so ``scale`` needs declared ``bounds`` (or is 'none'),
and the norms that set the step are estimated from the reads as they come.

Rates of the expected excess are those of theorems, which need bounds on every example and target, and
steps made for these bounds. ``'theory'`` puts root mean squares in their place: where tails are heavy such
steps are too long, and the excess can be many times what the theorem's formula gives.

There is no ``sample_weight``: an example is read once, and a row of weight 2 could not equal the same row
twice, of which other attributes would be read the second time.""",
    "A": """\
.. [1] N. Cesa-Bianchi, S. Shalev-Shwartz and O. Shamir, "Efficient Learning with Partially Observed
       Attributes", ICML 2010.""",
    "B": """\
.. [1] E. Hazan and T. Koren, "Linear Regression with Limited Observation", ICML 2012.""",
    "C": """\
.. [1] D. Kukliansky and O. Shamir, "Attribute Efficient Linear Regression with Distribution-Dependent
       Sampling", ICML 2015.""",
}


class Budgeted(Estimator):
    """What budgeted estimators do besides."""

    _house = (SCALE, KNOWN, GROUPS, PRICES, BOUNDS, VERBOSE)
    _passes = "1: one pass."
    _keeps_reads = False

    def __init_subclass__(cls, learner=None, **keywords):
        """Write the sections that are the same for all."""
        super().__init_subclass__(learner=learner, **keywords)
        if learner is None:
            return
        tells = issubclass(cls, Classifier)
        words = {
            "{shape}": "(1, n_features)" if tells else "(n_features,)",
            "{intercept}": "ndarray of shape (1,)" if tells else "float",
            "{classes}": "classes_ : ndarray of shape (2,)\n    The labels.\n" if tells else "",
            "{passes}": cls._passes,
        }
        for name, text in _SECTIONS.items():
            for word, by in words.items():
                text = text.replace(word, by)
            lines = "\n".join(f"    {line}" if line else "" for line in text.splitlines())
            cls.__doc__ = re.sub(
                rf"^ *\{{{name}\}}", lambda _, lines=lines: lines, cls.__doc__, flags=re.MULTILINE
            )

    @property
    def _takes_holes(self):
        """Whether rows come with what happens to be observed of them."""
        return getattr(self, "passive", "no") != "no"

    @property
    def attributes_read_(self):
        """How often each attribute was read: ndarray of shape (n_features,)."""
        return np.array(self.model_.attributes_read(), dtype=np.int64)

    def _keep(self, model, quiet=False):
        """Warn besides of bounds that do not hold, and of reads that ran out."""
        super()._keep(model, quiet)
        if quiet:
            return
        report, texts = self.report_, []
        if report["stop"] == "budget-spent":
            texts.append(f"{model.stop()}: rows that come later are not learned from")
        if report["outside_bounds"]:
            first = report["first_outside"]
            texts.append(
                f"values outside their declared bounds were read: {report['outside_bounds']} (first: row"
                f" {first['row']}, column {first['column']!r}: {first['value']}, declared {first['low']} to"
                f" {first['high']}); the theorems take every value to be within"
            )
        for text in texts:
            warnings.warn(text, DataWarning, stacklevel=5)

    def _started(self, targets, classes, scale, named=None):
        """Return a learner of the library over this estimator's attributes, told nothing as yet."""
        return _core.Learner.start(
            self._learner_name(),
            self._parameters(self._seed()),
            self._names(),
            self._declarations(),
            self._target_name(named),
            targets,
            classes,
            scale,
        )

    def _learned(self, learner):
        """Return the model that a learner of the library has come to."""
        return learner.model(_threads(getattr(self, "n_jobs", None)))

    def _partial_fit(self, X, y, classes=None):
        first = getattr(self, "learner_", None) is None
        named = getattr(y, "name", None)
        X, y = self._checked(X, y, reset=first, at_least=1)
        targets, labels = self._batch(y, classes, first)
        if first:
            self.learner_ = self._started(targets, labels, None, named)
        try:
            with _progress(self.verbose) as progress:
                self.learner_.teach(self._table(X), targets, progress)
        except BaseException:
            # What was read was paid for, and has been learned from.
            # A whole fit would keep an interrupt waiting.
            if not self._keeps_reads:
                self._keep(self._learned(self.learner_), quiet=True)
            raise
        self._keep(self._learned(self.learner_))
        return self


class BudgetedRegressor(ClippedRegressor, Budgeted):
    """Estimate numbers from a few attributes of each example."""

    _poor_score = True  # after one pass over a few attributes of the 200 rows of scikit-learn's checks

    def _batch(self, y, classes, first):
        """Return the targets of a batch as the library takes them."""
        return self._targets(y)

    def partial_fit(self, X, y):
        """Learn from one more batch of examples, in their order.

        Several batches are one batch of all their rows, to the bit, and may lie any time apart: the
        estimator can be pickled in between. The first batch fixes the parameters, and by its targets the
        mean and the deviation that targets are scaled by: let it be typical. ``total_budget`` holds over
        all batches. How many examples will come is not known, so steps are long at first and fall as they
        come: set ``horizon`` if you know it. After ``fit`` it begins anew, and ``fit`` forgets all batches.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The examples. Of each only what the learner asks for is looked at.
        y : array-like of shape (n_samples,)
            The targets.

        Returns
        -------
        self : object
            The estimator. After an error or an interrupt it has learned from the rows before; one that keeps
            its reads (FIML) has kept theirs, and fits to them with the next batch.
        """
        return self._partial_fit(X, y)

    def start(self, attributes, *, target=None):
        """Start to ask: for values that are fetched one by one, and not at hand as rows.

        Attributes without ``bounds`` are scaled by their own reads as they come. Learners that step make
        shorter steps where many queries are open at once; :class:`FIMLRegressor` does not mind.

        Parameters
        ----------
        attributes : list of str, or int
            The names of the attributes, or how many there are.
        target : tuple of float and float, optional
            Mean and deviation of the target, as far as they are known beforehand. Targets are scaled by
            them, and ``radius`` and ``known_radius`` bound weights for scaled targets. By default (0, 1).

        Returns
        -------
        learner : Learner
            It says what to read next, and is told.

        Examples
        --------
        >>> from halfseen import AERR
        >>> learner = AERR(budget=2, random_state=0).start(["age", "weight", "pressure"], target=(50, 10))
        >>> query = learner.ask()
        >>> query.attributes
        ('weight',)
        >>> learner.tell(query, {"weight": 70.0}, target=53.0)
        True
        """
        from halfseen.asktell import begin

        return begin(self, attributes, None, target)


class BudgetedClassifier(Classifier, Budgeted):
    """Tell two classes apart from a few attributes of each example."""

    def _take_classes(self, classes):
        """Keep the two labels that there are."""
        found = unique_labels(classes)
        if len(found) != 2:
            name = type(self).__name__
            raise ValueError(
                f"{name} tells two classes apart, and classes holds {len(found)}: {found.tolist()}"
            )
        self.classes_ = found

    def _batch(self, y, classes, first):
        """Return the targets of a batch as the library takes them: indices of classes, and the classes."""
        check_classification_targets(y)
        if classes is None and not hasattr(self, "classes_"):
            raise ValueError("classes must be passed on the first call to partial_fit.")
        if first and classes is not None:
            self._take_classes(classes)
        elif classes is not None and not np.array_equal(unique_labels(classes), self.classes_):
            raise ValueError(
                f"classes is {list(classes)}, and was {self.classes_.tolist()} in the first call"
            )
        at = (y == self.classes_[1]).astype(np.float64)
        unknown = (at == 0) & (y != self.classes_[0])
        if np.any(unknown):
            raise ValueError(f"y holds {y[unknown].tolist()[0]!r}, and classes are {self.classes_.tolist()}")
        return at, self.classes_.tolist()

    def partial_fit(self, X, y, classes=None):
        """Learn from one more batch of examples, in their order.

        Several batches are one batch of all their rows, to the bit, and may lie any time apart: the
        estimator can be pickled in between. The first batch fixes the parameters, and by its labels the
        mean of -1 and +1 that is taken for known: let it be typical. ``total_budget`` holds over all
        batches. How many examples will come is not known, so steps are long at first and fall as they come:
        set ``horizon`` if you know it. After ``fit`` it begins anew, and ``fit`` forgets all batches.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The examples. Of each only what the learner asks for is looked at.
        y : array-like of shape (n_samples,)
            The labels; a batch may show one of them alone.
        classes : array-like of shape (2,), optional
            Both labels. Needed in the first call, unless ``fit`` has seen them.

        Returns
        -------
        self : object
            The estimator. After an error or an interrupt it has learned from the rows before; one that keeps
            its reads (FIML) has kept theirs, and fits to them with the next batch.
        """
        return self._partial_fit(X, y, classes)

    def start(self, attributes, classes):
        """Start to ask: for values that are fetched one by one, and not at hand as rows.

        Attributes without ``bounds`` are scaled by their own reads as they come. Learners that step make
        shorter steps where many queries are open at once; :class:`FIMLClassifier` does not mind.

        Parameters
        ----------
        attributes : list of str, or int
            The names of the attributes, or how many there are.
        classes : array-like of shape (2,)
            Both labels.

        Returns
        -------
        learner : Learner
            It says what to read next, and is told.

        Examples
        --------
        >>> from halfseen import AERRClassifier
        >>> learner = AERRClassifier(budget=2, random_state=0).start(["age", "weight"], ["ill", "well"])
        >>> query = learner.ask()
        >>> query.attributes
        ('age', 'weight')
        >>> learner.tell(query, [31.0, 70.0], "well")
        True
        """
        from halfseen.asktell import begin

        return begin(self, attributes, classes, None)
