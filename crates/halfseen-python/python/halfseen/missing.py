"""Learn from rows with holes: nothing is filled in that was not seen.

NaN is a missing cell, in fit and in prediction. In sparse input an absent cell is a zero that was seen, as everywhere in
scikit-learn; a NaN that is stored is missing.
"""

from halfseen._estimator import N_JOBS, SCALE, VERBOSE, Classifier, Estimator, Regressor
from halfseen._parameters import Declaration

VARIANT = Declaration(
    "variant",
    "b",
    "choice",
    ("b", "1"),
    "",
    "How the constant of the labels is learned: 'b' (MC-b) as a number of its own, '1' (MC-1) through a row of ones in the"
    " completed matrix.",
)


class _Holed(Estimator):
    _house = (SCALE, N_JOBS, VERBOSE)
    _takes_holes = True


class KARMAClassifier(Classifier, _Holed, learner="karma"):
    """Kernelised Algorithm for Risk-minimisation with Missing Attributes (KARMA): a kernel machine that fills nothing in.

    Parameters
    ----------
    {parameters}

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen import KARMAClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 2)) @ rng.normal(size=(2, 10))
    >>> y = X[:, 0] > 0
    >>> X[rng.random(X.shape) < 0.3] = np.nan
    >>> bool(KARMAClassifier().fit(X, y).score(X, y) > 0.9)
    True
    """

    _multi_class = True


class KARMARegressor(Regressor, _Holed, learner="karma"):
    """Kernelised Algorithm for Risk-minimisation with Missing Attributes (KARMA), for numbers.

    Parameters
    ----------
    {parameters}
    """


class _Completion(_Holed):
    def _learner_name(self):
        names = {"b": "mcb", "1": "mc1"}
        if self.variant not in names:
            raise ValueError(f"variant = {self.variant!r} is not allowed: it must be 'b' or '1'")
        return names[self.variant]


class MatrixCompletionClassifier(Classifier, _Completion, learner="mcb", extra=(VARIANT,)):
    """Matrix completion (MC-b, MC-1): attributes and labels completed together as one matrix of low rank.

    Parameters
    ----------
    {parameters}
    """

    _multi_class = True


class MatrixCompletionRegressor(Regressor, _Completion, learner="mcb", extra=(VARIANT,)):
    """Matrix completion (MC-b, MC-1) of attributes and targets together, for numbers.

    Parameters
    ----------
    {parameters}
    """


class GeometricMarginClassifier(Classifier, _Holed, learner="geom"):
    """Geometric margin (geom): the largest margin, measured for each row within what it shows; two classes.

    Parameters
    ----------
    {parameters}
    """
