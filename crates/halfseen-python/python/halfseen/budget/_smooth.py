"""Define the learner of smooth losses that are no squares: AESVR."""

from halfseen.budget._budgeted import BudgetedClassifier, BudgetedRegressor


class AESVR(BudgetedRegressor, learner="aesvr"):
    """Attribute Efficient Support Vector Regression: paper B [1]_, algorithm 4, theorem 4.4.

    Learns by the absolute error outside a tube, smoothed. All reads of an example but one estimate the
    example; the slope of the loss, which is no linear function of the product, is estimated by a random
    number of further reads. So the budget is not kept on each example: the mean is at most 1.06 reads
    above ``budget``, and ``report_["max_reads"]`` was the most. The expected excess of
    the smoothed loss falls as one over the root of the number of examples, with a constant that explodes
    where residuals exceed ``smoothing_width``; a ``DataWarning`` then says so.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    See Also
    --------
    AESVRClassifier : The same for two classes, and with losses of classes.
    AERR : Squared error, whose slope needs a single read.

    Notes
    -----
    {notes}

    References
    ----------
    {B}

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen import AESVR
    >>> X = np.random.default_rng(0).normal(size=(5000, 5))
    >>> y = X[:, 0] - X[:, 1]
    >>> model = AESVR(budget=3, radius=2, random_state=0).fit(X, y)
    >>> model.report_["budget_kind"], model.score(X, y) > 0.5
    ('expected', True)
    """


class AESVRClassifier(BudgetedClassifier, learner="aesvr"):
    """Attribute Efficient Support Vector Regression for two classes: paper B [1]_, algorithm 4, theorem 4.4.

    :class:`AESVR` on the labels as -1 and +1, by the absolute error or by a loss of classes: the smoothed
    hinge, the exponential loss or the logistic one. The budget is kept nearly, and on average, as there.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    See Also
    --------
    AESVR : The method.
    AERRClassifier : Squared error, whose slope needs a single read.

    Notes
    -----
    {notes}

    References
    ----------
    {B}

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen import AESVRClassifier
    >>> X = np.random.default_rng(0).normal(size=(5000, 5))
    >>> y = X[:, 0] > X[:, 1]
    >>> model = AESVRClassifier(budget=3, loss="hinge", radius=2, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.8
    True
    """
