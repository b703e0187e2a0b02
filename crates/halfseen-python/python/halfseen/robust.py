"""Learn predictors that are robust to deleted attributes, and test the robustness of any linear predictor.

An adversary who knows the predictor may delete attributes of a total cost of ``threat`` from every row.
Training rows are complete: fit refuses NaN. In prediction NaN is a deleted attribute, which counts as 0.
Attributes are scaled so that zero stays zero.
"""

import contextlib
from typing import Literal

import numpy as np

from halfseen import _types as t
from halfseen._adversarial import (
    Attackable,
    Attacked,
    Certificates,
    attack,
    attributes,
    certify,
    without_known,
)
from halfseen._estimator import Estimator, Weighted
from halfseen._predictors import LinearClassifier, LinearRegressor, WeightedClassifier

__all__ = [
    "Attacked",
    "Certificates",
    "RobustLPClassifier",
    "RobustLPRegressor",
    "RobustPerceptronClassifier",
    "attack",
    "attributes",
    "certify",
]


class _Robust(Attackable, Estimator):
    """Base of robust estimators.

    Parameters
    ----------
    threat : float or None
        Budget N of the adversary: maximum total cost of the attributes deleted from a row at prediction
        time. Known attributes are never deleted. None: a tenth of the total cost, rounded down where
        costs are uniform: 0 with fewer than ten attributes. Range: a finite number of at least 0, or
        None.
    costs : array-like, 'uniform' or 'mi'
        Cost of each attribute to the adversary: uniform, 1 each; mi, proportional to its mutual
        information with the target in the training rows (best threshold), 1 on average; or one number per
        attribute, in the order of the table. Range: uniform, mi, or finite numbers of at least 0,
        separated by commas.
    margin : float or None
        Margin gamma required after the worst deletions, in units of the score. None: a hundredth of the
        remaining cost P = total cost - threat, but at most a tenth of the mean l1 norm of a row. Range: a
        finite number above 0, or None.
    box_radius : float
        Largest absolute value C of a weight, in scaled units; only its ratio to margin matters. Range: a
        finite number above 0.
    deletions : {'fractional', 'whole'}
        fractional: the adversary may delete a part of an attribute (linear program (4), an upper bound,
        exact for equal costs). whole: only whole attributes (program (3) itself; costs must be whole
        numbers).
    damage : {'deletion', 'noise'}
        Effect on the attacked attributes: deletion, they become 0; noise, they are replaced by
        independent noise of mean 0 and absolute value at most 1 in scaled units, and the margin is at
        least C sqrt(2 N ln(1/confidence)).
    tried : int
        Number of settings of threat, margin, box and costs tried on these rows, with this one; the
        report's bound on new rows holds for all of them at once. Tuning in the program sets it. Range: an
        integer from 1 to 1000000000.
    """

    costs: t.Costs

    def _values(self, seed):
        """Return the values of the learner's parameters; costs only of attributes that can be deleted."""
        values = super()._values(seed)
        if isinstance(self.costs, str) or np.ndim(self.costs) != 1:
            return values
        with contextlib.suppress(TypeError, ValueError):
            values["costs"] = without_known(self, self.costs)
        return values


class _RobustLP(_Robust):
    """The parameters of :class:`RobustLPRegressor` and :class:`RobustLPClassifier`.

    Parameters
    ----------
    chunk : int or None
        Number of rows per chunk: the program is solved for random chunks and their weights are averaged,
        as in the paper. None: all rows at once, exactly. Range: an integer of at least 2, or None.
    quantile : float
        For numeric targets: the quantile q to predict, by the loss max(q r, (q - 1) r) of the residual r
        after the worst deletions; 0.5 is half the absolute loss. Any other is tuned and tested by this
        loss, 0.5 by the squared error. Range: a number above 0 and below 1.

    See Also
    --------
    RobustLPRegressor : For numbers.
    RobustLPClassifier : For classes.
    RobustPerceptronClassifier : One pass over the rows, if the program takes too long.
    halfseen.robust.attack : Attack any linear predictor of the package.

    Notes
    -----
    Only the ratio of ``box_radius`` and ``margin`` matters. A search over ``threat`` by the score of complete
    rows selects 0: score by ``lambda model, X, y: model.attacked_score(X, y, threat=3)``. With ``chunk``
    there is no ``sample_weight``: a chunk is a number of rows.

    References
    ----------
    .. [1] O. Dekel and O. Shamir, "Learning to Classify with Missing and Corrupted Features", ICML 2008.
    """

    _learner = "robust-lp"

    def __init__(
        self,
        *,
        threat: float | None = None,
        costs: t.Costs = "uniform",
        margin: float | None = None,
        box_radius: float = 1.0,
        deletions: Literal["fractional", "whole"] = "fractional",
        damage: Literal["deletion", "noise"] = "deletion",
        confidence: float = 0.05,
        tried: int = 1,
        chunk: int | None = None,
        quantile: float = 0.5,
        intercept: bool = True,
        tol: float = 1e-06,
        max_iter: int = 300,
        random_state: t.Seed = None,
        scale: t.Scale = None,
        basis: t.Basis = None,
        known: t.Names = None,
        groups: t.Groups = None,
        n_jobs: int | None = None,
        tune: int | None = None,
        verbose: t.Verbose = False,
    ) -> None:
        self.threat = threat
        self.costs = costs
        self.margin = margin
        self.box_radius = box_radius
        self.deletions = deletions
        self.damage = damage
        self.confidence = confidence
        self.tried = tried
        self.chunk = chunk
        self.quantile = quantile
        self.intercept = intercept
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.scale = scale
        self.basis = basis
        self.known = known
        self.groups = groups
        self.n_jobs = n_jobs
        self.tune = tune
        self.verbose = verbose


class RobustLPClassifier(WeightedClassifier, _RobustLP, LinearClassifier):
    """Robust linear program: the least mean hinge loss under the worst deletions; program (4) of [1]_.

    Minimises the mean loss after the worst deletions in each row over a box of weights, exactly: the gap in
    ``report_`` bounds the distance from the optimum by duality. If all costs are equal the linear program is
    exact for whole deletions (Dekel and Shamir 2008 [1]_, theorem 1), else an upper bound, unless
    ``deletions='whole'``. Theorem 2 bounds the error of new rows under all attacks; a bound below one half
    is in ``report_["notes_text"]``.

    Each of more than two classes gets a model against the rest, and the largest score wins. The bounds of the
    theorems are then about each model alone; attacks and certificates are about the predicted class.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from halfseen import RobustLPClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> ready, plain = (RobustLPClassifier(threat=threat).fit(X, y) for threat in (3, 0))
    >>> plain.score(X, y) > ready.score(X, y) > 0.9
    True
    >>> ready.attacked_score(X, y) > 0.8 > plain.attacked_score(X, y, threat=3)
    True
    """

    _multi_class = True

    def __init__(
        self,
        *,
        threat: float | None = None,
        costs: t.Costs = "uniform",
        margin: float | None = None,
        box_radius: float = 1.0,
        deletions: Literal["fractional", "whole"] = "fractional",
        damage: Literal["deletion", "noise"] = "deletion",
        confidence: float = 0.05,
        tried: int = 1,
        chunk: int | None = None,
        quantile: float = 0.5,
        intercept: bool = True,
        tol: float = 1e-06,
        max_iter: int = 300,
        random_state: t.Seed = None,
        scale: t.Scale = None,
        basis: t.Basis = None,
        known: t.Names = None,
        groups: t.Groups = None,
        n_jobs: int | None = None,
        tune: int | None = None,
        class_weight: t.ClassWeight = None,
        verbose: t.Verbose = False,
    ) -> None:
        self.threat = threat
        self.costs = costs
        self.margin = margin
        self.box_radius = box_radius
        self.deletions = deletions
        self.damage = damage
        self.confidence = confidence
        self.tried = tried
        self.chunk = chunk
        self.quantile = quantile
        self.intercept = intercept
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.scale = scale
        self.basis = basis
        self.known = known
        self.groups = groups
        self.n_jobs = n_jobs
        self.tune = tune
        self.class_weight = class_weight
        self.verbose = verbose


class RobustLPRegressor(Weighted, _RobustLP, LinearRegressor):
    """Robust linear program for regression: a quantile under the worst deletions; after [1]_.

    Minimises the mean pinball loss (for the median half the absolute error) after the worst deletions in each
    row over a box of weights, exactly, by row generation. It is an extension of Dekel and Shamir 2008 [1]_,
    not in the paper; the gap in ``report_`` bounds the distance from the optimum.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from halfseen import RobustLPRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> ready, plain = (RobustLPRegressor(threat=threat).fit(X, y) for threat in (2, 0))
    >>> ready.attacked_score(X, y) > plain.attacked_score(X, y, threat=2)
    True
    """

    _poor_score = True  # if each of ten attributes counts alone, weights robust to the loss of one are 0


class RobustPerceptronClassifier(LinearClassifier, _Robust):
    """Robust Perceptron: one pass over rows under their worst deletions; Dekel, Shamir 2008 [1]_, section 3.

    Each row is attacked under the current weights, and the weights take a step on the remaining attributes;
    the model is their average. Theorem 4 of the paper bounds the mean loss by that of the best weights in the
    box, plus a term. The term falls as one over the root of the number of rows. Its cost is that of reading
    and sorting the rows.

    Each of more than two classes gets a model against the rest, and the largest score wins.

    Parameters
    ----------
    passes : int
        Number of passes over the rows, each in its own random order; the theorem covers one. If there are
        several, the pass whose average does best, by the loss under the worst deletions, on a tenth of
        the rows that are kept for this is returned. Range: an integer from 1 to 10000.

    See Also
    --------
    RobustLPClassifier : The least mean loss itself.

    Notes
    -----
    There is no ``sample_weight``: each row takes one step, and a doubled step is not two steps.

    References
    ----------
    .. [1] O. Dekel and O. Shamir, "Learning to Classify with Missing and Corrupted Features", ICML 2008.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from halfseen import RobustPerceptronClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = RobustPerceptronClassifier(threat=3, random_state=0).fit(X, y)
    >>> model.score(X, y) > model.attacked_score(X, y) > 0.7
    True
    """

    _multi_class = True

    _learner = "robust-perceptron"

    def __init__(
        self,
        *,
        threat: float | None = None,
        costs: t.Costs = "uniform",
        margin: float | None = None,
        box_radius: float = 1.0,
        step: t.Rule = "theory",
        deletions: Literal["fractional", "whole"] = "fractional",
        damage: Literal["deletion", "noise"] = "deletion",
        confidence: float = 0.05,
        tried: int = 1,
        passes: int = 1,
        intercept: bool = True,
        random_state: t.Seed = None,
        scale: t.Scale = None,
        basis: t.Basis = None,
        known: t.Names = None,
        groups: t.Groups = None,
        n_jobs: int | None = None,
        tune: int | None = None,
        verbose: t.Verbose = False,
    ) -> None:
        self.threat = threat
        self.costs = costs
        self.margin = margin
        self.box_radius = box_radius
        self.step = step
        self.deletions = deletions
        self.damage = damage
        self.confidence = confidence
        self.tried = tried
        self.passes = passes
        self.intercept = intercept
        self.random_state = random_state
        self.scale = scale
        self.basis = basis
        self.known = known
        self.groups = groups
        self.n_jobs = n_jobs
        self.tune = tune
        self.verbose = verbose
