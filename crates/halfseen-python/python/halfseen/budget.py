"""Learn while each look costs something: at most ``budget`` attributes of each example are read.

Reads are chosen by the learner, before anything of an example is seen; nothing else of it is touched. A fit needs no means,
deviations or norms of cells that nobody paid for.
"""

from halfseen._estimator import BOUNDS, GROUPS, KNOWN, PRICES, SCALE, VERBOSE, Classifier, Estimator, Regressor


class _Budgeted(Estimator):
    _house = (SCALE, KNOWN, GROUPS, PRICES, BOUNDS, VERBOSE)

    def __sklearn_tags__(self):
        """Tell scikit-learn that one pass over a few attributes of each example scores poorly on its tiny checks."""
        tags = super().__sklearn_tags__()
        if tags.regressor_tags is not None:
            tags.regressor_tags.poor_score = True
        if tags.classifier_tags is not None:
            tags.classifier_tags.poor_score = True
        return tags


class AERR(Regressor, _Budgeted, learner="aerr"):
    """Attribute Efficient Ridge Regression: k reads per example, Euclidean ball.

    Parameters
    ----------
    {parameters}

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen import AERR
    >>> X = np.random.default_rng(0).normal(size=(2000, 10))
    >>> model = AERR(budget=4, random_state=0).fit(X, X[:, 0] - X[:, 1])
    >>> model.reads_
    8000
    """
