"""Define the classifier by the largest margin in each row's observed attributes."""

from halfseen import _types as t
from halfseen._predictors import LinearClassifier, WeightedClassifier
from halfseen.missing._missing import Missing


class GeometricMarginClassifier(WeightedClassifier, LinearClassifier, Missing):
    """Geometric margin (geom; Chechik et al. [1]_): the largest margin in each row's observed attributes.

    A linear classifier that measures the margin of a row in the space of its observed attributes. So it does
    not penalise rows with many missing values for a small margin. The problem is not convex:
    the learner runs rounds of support vector machines, each to a certified gap, and keeps the best round.
    Without missing values it is the support vector machine.

    Parameters
    ----------
    rounds : int
        Number of reweighting rounds; each weights every example by the share of the weights that lies on
        its observed attributes. Range: an integer from 1 to 1000.

    See Also
    --------
    KARMAClassifier : A kernel machine for rows with missing values, for any number of classes.

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

    _learner = "geom"

    def __init__(
        self,
        *,
        c: float = 1.0,
        rounds: int = 5,
        tol: float = 0.0001,
        max_iter: int = 200,
        scale: t.Scale = None,
        basis: t.Basis = None,
        n_jobs: int | None = None,
        tune: int | None = None,
        class_weight: t.ClassWeight = None,
        verbose: t.Verbose = False,
    ) -> None:
        self.c = c
        self.rounds = rounds
        self.tol = tol
        self.max_iter = max_iter
        self.scale = scale
        self.basis = basis
        self.n_jobs = n_jobs
        self.tune = tune
        self.class_weight = class_weight
        self.verbose = verbose
