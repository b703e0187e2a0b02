"""Learn predictors that bear the loss of attributes at prediction time, and try what any linear predictor bears."""

from halfseen._estimator import GROUPS, KNOWN, N_JOBS, SCALE, VERBOSE, Classifier, Estimator, Regressor


class _Robust(Estimator):
    _house = (SCALE, KNOWN, GROUPS, N_JOBS, VERBOSE)


class RobustLPClassifier(Classifier, _Robust, learner="robust-lp"):
    """Robust linear program: the least mean loss under the worst deletions; two classes.

    Parameters
    ----------
    {parameters}
    """


class RobustLPRegressor(Regressor, _Robust, learner="robust-lp"):
    """Robust linear program for numbers: a quantile under the worst deletions.

    Parameters
    ----------
    {parameters}
    """

    _poor_score = True  # where each of ten attributes counts alone, weights that bear the loss of one are 0


class RobustPerceptronClassifier(Classifier, _Robust, learner="robust-perceptron"):
    """Perceptron under the worst deletions, averaged over one pass; two classes.

    Parameters
    ----------
    {parameters}
    """


class FDROPClassifier(Classifier, _Robust, learner="fdrop"):
    """Support vector machine under the worst deletions (FDROP); two classes.

    Parameters
    ----------
    {parameters}
    """
