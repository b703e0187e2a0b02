"""Learn from every attribute of every example: the full-information references that scikit-learn does not have."""

from halfseen._estimator import SCALE, VERBOSE, Classifier, Estimator, Regressor


class _Full(Estimator):
    _house = (SCALE, VERBOSE)


class OnlineLasso(Regressor, _Full, learner="online-lasso"):
    """Online lasso: one pass over all attributes in an l1 ball.

    Parameters
    ----------
    {parameters}
    """


class OnlineLassoClassifier(Classifier, _Full, learner="online-lasso"):
    """Online lasso on targets of -1 and +1: one pass over all attributes in an l1 ball; two classes.

    Parameters
    ----------
    {parameters}
    """
