"""Define the base of budgeted estimators: batches, ask and tell, and counts of reads."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from halfseen import _core
from halfseen import _types as t
from halfseen._estimator import _without_weights
from halfseen._incremental import Incremental, IncrementalClassifier
from halfseen._parameters import threads_of
from halfseen._predictors import ClippedRegressor, LinearClassifier
from halfseen._warn import warn
from halfseen.warnings import DataWarning

if TYPE_CHECKING:
    from halfseen.asktell import Learner


class Budgeted(Incremental):
    """Base of budgeted estimators.

    Parameters
    ----------
    budget : int or None
        Number of reads per example, for the product <w,x> and for the gradient together. While all
        weights are 0 the product is 0 and is not read. None: 4, or all attributes if there are fewer; for
        fiml in the program and in Python, every cell present, unless total_budget is set. Range: an
        integer of at least 1, or None.
    total_budget : int or None
        Maximum number of reads in total, in a fit or in ask and tell. A fit stops before the first
        example that would exceed it; asking is then refused, counting the reads of open queries. None: no
        limit. Range: an integer of at least 1, or None.
    total_cost : float or None
        Maximum cost of all reads, at declared prices (1 where none is declared), in a fit or in ask and
        tell. A fit stops before the first example that would exceed it; asking is then refused, counting
        the reads of open queries. None: no limit. Range: a finite number above 0, or None.
    radius : float
        Radius B of the ball that holds the weights of the sampled attributes, in scaled units and the
        norm of the method. Range: a finite number above 0.
    centre : {'none', 'given', 'running'}
        Centre subtracted from each attribute: nothing (none), the given means, or the running mean of its
        reads so far.
    max_cost : float or None
        Maximum cost of the reads of one example, at declared prices (1 where none is declared); never
        exceeded. None: only the number of reads is limited. Range: a finite number above 0, or None.
    average : {'all', 'tail'}
        Iterates that the model averages: all (as in the theorems), or those of the second half (tail).
        Without a horizon, tail weights iterate t by t.
    truncate : int or None
        Number of attributes that the model uses at prediction time: those with the largest weights; the
        others are set to their means. None: all. Range: an integer of at least 1, or None.
    horizon : int or None
        Number of examples to come, for theory steps, penalties, tail averages and first phases. None: the
        number of rows of a fit; unknown in ask and tell, where steps then fall as 1/sqrt(t). Range: an
        integer of at least 1, or None.
    replacement : bool
        If true, the gradient reads of one example are drawn with replacement (as in the paper); if false
        without (smaller variance).
    step_rule : {'constant', 'adagrad'}
        constant: all attributes share one step. adagrad: each has its own, which falls with its squared
        gradients (diagonal AdaGrad with a radial projection, which no theorem covers; 1x is a
        four-hundredth of sqrt(2) times the radius).
    passive : {'no', 'one', 'all'}
        no: the learner chooses its reads. one, all: each row comes with the attributes that happen to be
        observed, missing completely at random; all of them are used and the budget is ignored. The
        product <w,x> is estimated from one randomly drawn observed attribute (one) or from all of them
        (all: lower variance).
    moments : array-like, 'online', 'two-phase' or None
        Second moments mu = E x^2 of the attributes about their centre, in scaled units, one per column.
        None: those declared with the data or, where the learner may look, computed from them; otherwise
        as online. online: estimated from the reads as they come. two-phase: estimated from a first phase
        of uniform reads, which has a theorem. Range: None, online, two-phase, or finite numbers of at
        least 0, separated by commas.
    phase1 : float
        With moments = two-phase: length of the first phase, whose draws are uniform: a share of the
        horizon (below 1), or a number of examples. Range: a share above 0 and below 1, or a whole number
        of at least 1.
    smoothing : float
        With moments = two-phase: constant c of the smoothed moments A + c d log(2d/delta)/n1 of the
        second phase. 4/3 keeps the theorem; 0.001 to 0.01 often does better. Range: a finite number of at
        least 0.
    inner : {'weights', 'moments', 'mixed'}
        Distribution of the reads for the product. weights: as in the theorems. moments: proportional to
        |w| times the root of the moments (less variance on average over examples, no theorem). mixed:
        half and half (at most twice the theorem's variance).
    prices : dict or None
        Price of one read of an attribute or a panel, by name or index; 1 for others.
    bounds : dict or None
        Declared (low, high) of attributes, by name or index, by which honest learners may scale.

    Attributes
    ----------
    attributes_read_ : ndarray of shape (n_features,)
        Number of reads of each attribute; 0 for an always-known one, which costs nothing. The columns of a
        panel are read together.

    Notes
    -----
    ``budget`` counts every read of one example, including those for the product <w, x>; always-known
    attributes and targets cost nothing. A fit uses nothing else, so ``scale`` needs declared ``bounds`` (or
    is 'none'), and the norms that set the step are estimated from the reads as they come.

    Rates of the expected excess are those of theorems, which assume bounds on every example and target, and
    steps for these bounds. ``'theory'`` uses root mean squares instead: with heavy tails such steps are too
    long, and the excess can be many times the theorem's.

    There is no ``sample_weight``: an example is read once, and a row of weight 2 cannot equal a duplicated
    row, whose other attributes would be read the second time.
    """

    _no_weights = "an example is read once, and a row of weight 2 cannot equal a duplicated row"

    @property
    def _takes_holes(self) -> bool:  # type: ignore[override]
        """True if the learner is passive, and rows come with their observed cells."""
        return getattr(self, "passive", "no") != "no"

    @property
    def attributes_read_(self) -> t.Array:
        """Number of reads of each attribute: ndarray of shape (n_features,)."""
        check_is_fitted(self, "model_")
        return np.array(self.model_.attributes_read(), dtype=np.int64)

    def _keep(self, model, quiet=False):
        """Warn also of violated bounds, and of a spent budget."""
        super()._keep(model, quiet)
        if quiet:
            return
        report, texts = self.report_, []
        if report["stop"] == "budget-spent" and self._is_new("budget-spent"):
            texts.append(f"{model.stop()}: rows that come later are not learned from")
        if report["outside_bounds"] and self._is_new("outside-bounds"):
            first = report["first_outside"]
            texts.append(
                f"values outside their declared bounds were read: {report['outside_bounds']} (first: row"
                f" {first['row']}, column {first['column']!r}: {first['value']}, declared {first['low']} to"
                f" {first['high']}); the theorems assume every value to be within"
            )
        for text in texts:
            warn(text, DataWarning)

    def _started(self, targets, classes, scale, named=None):
        """Return a new learner of the library over this estimator's attributes."""
        return _core.Learner.start(
            self._learner,
            self._parameters(self._seed()),
            self._names(),
            self._declarations(),
            self._target_name(named),
            targets,
            classes,
            scale,
        )

    def _learned(self, learner):
        """Return the current model of a learner of the library."""
        return learner.model(threads_of(self))

    def _teach(self, table, targets, classes, named, progress):
        if not self._started_before():
            self.learner_ = self._started(targets, classes, None, named)
        self.learner_.teach(table, targets, progress)

    def _so_far(self):
        return self._learned(self.learner_)


class LimitedRegressor(ClippedRegressor, Budgeted):
    """Predict numbers from a few attributes of each example."""

    _poor_score = True  # after one pass over a few attributes of 200 rows in scikit-learn's checks

    @_without_weights
    def partial_fit(self, X: t.Matrix, y: ArrayLike) -> Self:
        """Learn from one more batch of examples, in their order.

        Several batches give the same bits as one batch of all rows, at any intervals: the estimator can be
        pickled in between. The first batch fixes the parameters, and the mean and standard deviation that
        scale the targets: it should be representative. ``total_budget`` holds over all batches. The number of
        examples to come is unknown, so steps are long at first and decrease: set ``horizon`` if you know it.
        After ``fit`` it starts anew, and ``fit`` forgets all batches.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The examples. Only the attributes that the learner reads are used.
        y : array-like of shape (n_samples,)
            The targets.

        Returns
        -------
        self : object
            The estimator. After an error or an interrupt it has learned from the preceding rows; FIML has
            kept their reads, and fits to them with the next batch.
        """
        return self._partial_fit(X, y)

    def start(
        self, attributes: Sequence[str] | int, *, target: tuple[float, float] | None = None
    ) -> "Learner":
        """Start a learner that asks for values, if they are fetched on request.

        Attributes without ``bounds`` are scaled by their own reads as they come. Gradient-based learners take
        shorter steps if many queries are open at once; :class:`FIMLRegressor` does not need to.

        Parameters
        ----------
        attributes : list of str, or int
            Names of the attributes, or their number.
        target : tuple of float and float, optional
            Mean and standard deviation of the target, if known beforehand. They scale the targets, and
            ``radius`` bounds weights for scaled targets. By default (0, 1).

        Returns
        -------
        learner : Learner
            It asks for reads, and takes the answers.

        Examples
        --------
        >>> from halfseen import AERRRegressor
        >>> model = AERRRegressor(budget=2, random_state=0)
        >>> learner = model.start(["age", "weight", "pressure"], target=(50, 10))
        >>> query = learner.ask()
        >>> query.attributes
        ('weight',)
        >>> learner.tell(query, {"weight": 70.0}, target=53.0)
        True
        """
        from halfseen.asktell import started

        return started(self, attributes, None, target)


class LimitedClassifier(IncrementalClassifier, LinearClassifier, Budgeted):
    """Predict classes from a few attributes of each example."""

    if TYPE_CHECKING:

        def set_partial_fit_request(self, *, classes: t.Request = ...) -> Self: ...

    @_without_weights
    def partial_fit(self, X: t.Matrix, y: ArrayLike, classes: ArrayLike | None = None) -> Self:
        """Learn from one more batch of examples, in their order.

        Several batches give the same bits as one batch of all rows, at any intervals: the estimator can be
        pickled in between. The first batch fixes the parameters, and the mean of the labels -1 and +1: it
        should be representative. ``total_budget`` holds over all batches. The number of examples to come is
        unknown, so steps are long at first and decrease: set ``horizon`` if you know it. After ``fit`` it
        starts anew, and ``fit`` forgets all batches.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The examples. Only the attributes that the learner reads are used.
        y : array-like of shape (n_samples,)
            The labels; a batch may contain only one of them.
        classes : array-like of shape (n_classes,), optional
            All labels: two, and for FIML any number. Needed in the first call, unless ``fit`` has seen them.

        Returns
        -------
        self : object
            The estimator. After an error or an interrupt it has learned from the preceding rows; FIML has
            kept their reads, and fits to them with the next batch.
        """
        return self._partial_fit(X, y, classes)

    def start(self, attributes: Sequence[str] | int, classes: ArrayLike) -> "Learner":
        """Start a learner that asks for values, if they are fetched on request.

        Attributes without ``bounds`` are scaled by their own reads as they come. Gradient-based learners take
        shorter steps if many queries are open at once; :class:`FIMLClassifier` does not need to.

        Parameters
        ----------
        attributes : list of str, or int
            Names of the attributes, or their number.
        classes : array-like of shape (n_classes,)
            All labels: two, and for FIML any number.

        Returns
        -------
        learner : Learner
            It asks for reads, and takes the answers.

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
        from halfseen.asktell import started

        return started(self, attributes, classes, None)
