"""Learn from every attribute of every example: references with full information that scikit-learn lacks."""

from halfseen._estimator import SCALE, VERBOSE, Classifier, ClippedRegressor, Estimator


class _Full(Estimator):
    _house = (SCALE, VERBOSE)


class OnlineLasso(ClippedRegressor, _Full, learner="online-lasso"):
    """Online lasso: one pass over all attributes in an l1 ball; the comparator of paper B [1]_, section 5.

    Least squares with weights in an l1 ball, learned from one pass over the rows in a seeded order.
    ``variant`` chooses the steps: exponentiated gradient (paper B's algorithm 2 with the example itself where
    the paper estimates it), projected gradient [2]_ or regularised dual averaging [3]_. The model is the
    average of the iterates, and its expected excess falls as one over the root of the number of rows, where
    every row and target is bounded and the step is made for these bounds (``'theory'`` takes root means).

    It is what budgeted learners are held against: the same pass, with every attribute read.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Weight of each attribute, in units of the data.
    intercept_ : float
        The constant.
    reads_ : int
        Cells that were read: all of them.
    distinct_ : int
        The same number.
    report_ : dict
        How the fit went.
    n_iter_ : int
        1: one pass.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X had any.

    See Also
    --------
    OnlineLassoClassifier : The same for two classes.
    halfseen.AELR : The same ball from a few attributes of each example.

    Notes
    -----
    There is no ``sample_weight``: rows are met once, one after the other, and a step twice as long is not two
    steps.

    References
    ----------
    .. [1] E. Hazan and T. Koren, "Linear Regression with Limited Observation", ICML 2012.
    .. [2] M. Zinkevich, "Online Convex Programming and Generalized Infinitesimal Gradient Ascent", ICML 2003.
    .. [3] L. Xiao, "Dual Averaging Methods for Regularized Stochastic Learning and Online Optimization", JMLR
    11,
           2010.

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen import OnlineLasso
    >>> X = np.random.default_rng(0).normal(size=(2000, 10))
    >>> model = OnlineLasso(radius=2, random_state=0).fit(X, X[:, 0] - X[:, 1])
    >>> model.reads_
    20000
    >>> sorted(np.abs(model.coef_).argsort()[-2:].tolist())
    [0, 1]
    """


class OnlineLassoClassifier(Classifier, _Full, learner="online-lasso"):
    """Online lasso for two classes: one pass over all attributes in an l1 ball, on targets of -1 and +1.

    As :class:`OnlineLasso`; the sign of the estimate tells the class.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
        Weight of each attribute, in units of the data.
    intercept_ : ndarray of shape (1,)
        The constant.
    classes_ : ndarray of shape (2,)
        The labels.
    reads_ : int
        Cells that were read: all of them.
    distinct_ : int
        The same number.
    report_ : dict
        How the fit went.
    n_iter_ : int
        1: one pass.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X had any.

    See Also
    --------
    OnlineLasso : The same for numbers.
    halfseen.AELRClassifier : The same ball from a few attributes of each example.

    Notes
    -----
    There is no ``sample_weight``: rows are met once, one after the other, and a step twice as long is not two
    steps.

    References
    ----------
    .. [1] E. Hazan and T. Koren, "Linear Regression with Limited Observation", ICML 2012.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from halfseen import OnlineLassoClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> OnlineLassoClassifier(radius=2, random_state=0).fit(X, y).score(X, y) > 0.9
    True
    """
