"""Define the learners that draw the reads of a gradient uniformly: AER, AERR, AELR and p-norm updates."""

from halfseen.budget._budgeted import BudgetedClassifier, BudgetedRegressor


class AER(BudgetedRegressor, learner="aer"):
    """Attribute Efficient Regression: paper A [1]_, algorithm 2, theorem 2.

    Least squares with weights in an l1 ball. Half of the reads of an example, drawn without replacement,
    estimate the example itself, the others its product with the weights; strongly convex steps follow the
    estimated gradient. The expected excess of the squared error falls as ``sqrt(log m / m)`` in the
    number m of examples, and as one over the root of the reads per example. With a budget of all
    attributes nothing is sampled. Where only a few reads can be had, :class:`AERR` and :class:`AELR` make
    more of them.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    See Also
    --------
    AERClassifier : The same for two classes.
    AELR : The l1 ball by exponentiated gradient steps.
    AERR : The Euclidean ball.

    Notes
    -----
    {notes}

    References
    ----------
    {A}

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen import AER
    >>> X = np.random.default_rng(0).normal(size=(5000, 10))
    >>> y = X[:, 0] - X[:, 1]
    >>> model = AER(budget=6, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.8
    True
    >>> int(np.abs(model.coef_).argmin()) > 1
    True
    """


class AERR(BudgetedRegressor, learner="aerr"):
    """Attribute Efficient Ridge Regression: paper B [1]_, algorithm 1, theorem 3.1.

    Least squares with weights in a Euclidean ball. All reads of an example but one, drawn uniformly,
    estimate the example; the last, drawn in proportion to the squared weights, its product with them.
    Each example moves the weights by one projected gradient step; the model is an average over them. The
    expected excess of the squared error falls as ``sqrt(d / (k m))`` for m examples with k reads of d
    attributes each: hiding attributes costs what a sample smaller by the factor k / d would.

    With ``passive`` nothing is chosen: rows come with NaN where nothing was observed, completely at
    random, and all that they show is learned from. Then no theorem is claimed, ``budget`` plays no part
    and the ``scale`` of ``fit`` may look at all cells; batches and single examples come unseen, and are
    scaled by declared ``bounds`` or not at all.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    See Also
    --------
    AERRClassifier : The same for two classes.
    AELR : Weights in an l1 ball, for few relevant attributes.
    DDAERR : Reads attributes of large second moments more often.

    Notes
    -----
    {notes}

    References
    ----------
    {B}

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen import AERR
    >>> X = np.random.default_rng(0).normal(size=(2000, 10))
    >>> y = X[:, 0] - X[:, 1]
    >>> model = AERR(budget=4, random_state=0).fit(X, y)
    >>> model.reads_
    7993
    >>> model.score(X, y) > 0.8
    True

    What a batch shows is learned from, and the next one goes on from there:

    >>> model = AERR(budget=4, random_state=0)
    >>> for rows in np.split(np.arange(2000), 4):
    ...     model = model.partial_fit(X[rows], y[rows])
    >>> model.report_["examples"], int(model.attributes_read_.sum()) == model.distinct_
    (2000, True)
    """


class AELR(BudgetedRegressor, learner="aelr"):
    """Attribute Efficient Lasso Regression: paper B [1]_, algorithm 2, theorem 3.4.

    Least squares with weights in an l1 ball. Reads are spent as in :class:`AERR`, the product's in
    proportion to the absolute weights; weights move by exponentiated gradient steps with clipped entries.
    The expected excess of the squared error falls as ``sqrt(d log d / (k m))`` where attributes are
    bounded: the dimension enters only through what is not read, so this is the choice for many attributes
    of which few matter.

    ``passive`` means what it does in :class:`AERR`.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    See Also
    --------
    AELRClassifier : The same for two classes.
    AERR : Weights in a Euclidean ball.
    DDAELR : Reads attributes of large second moments more often.

    Notes
    -----
    {notes}

    References
    ----------
    {B}

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen import AELR
    >>> X = np.random.default_rng(0).normal(size=(5000, 10))
    >>> y = X[:, 0] - X[:, 1]
    >>> model = AELR(budget=4, radius=6, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.8
    True
    """


class PNorm(BudgetedRegressor, learner="pnorm"):
    """Additive p-norm updates from a few reads: paper A [1]_, section 5; Gentile [2]_, theorem 1.

    Between gradient descent (``p=2``, as :class:`AERR` before its projection) and exponentiated gradient
    (p near 2 log d, as :class:`AELR`). Reads are those of :class:`AERR`. The expected excess of the
    squared error falls as ``sqrt((p - 1) / m)`` times a factor for what is not read, where the weights
    stay in a ball of the dual norm, which ``project=True`` sees to.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    See Also
    --------
    PNormClassifier : The same for two classes.
    AERR : The case p = 2 with a projection.
    AELR : Exponentiated gradient.

    Notes
    -----
    {notes}

    References
    ----------
    {A}
    .. [2] C. Gentile, "The Robustness of the p-Norm Algorithms", Machine Learning 53, 2003.

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen import PNorm
    >>> X = np.random.default_rng(0).normal(size=(5000, 10))
    >>> y = X[:, 0] - X[:, 1]
    >>> model = PNorm(budget=4, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.8
    True
    """


class AERClassifier(BudgetedClassifier, learner="aer"):
    """Attribute Efficient Regression for two classes: paper A [1]_, algorithm 2, theorem 2.

    :class:`AER` on the labels as -1 and +1: the sign of what it estimates is the class. The guarantee is
    about the squared error, which bounds the share of wrong labels from above.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    See Also
    --------
    AER : The method.
    AERRClassifier : The Euclidean ball.

    Notes
    -----
    {notes}

    References
    ----------
    {A}

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen import AERClassifier
    >>> X = np.random.default_rng(0).normal(size=(5000, 10))
    >>> y = np.where(X[:, 0] > X[:, 1], "yes", "no")
    >>> model = AERClassifier(budget=6, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.9
    True
    """


class AERRClassifier(BudgetedClassifier, learner="aerr"):
    """Attribute Efficient Ridge Regression for two classes: paper B [1]_, algorithm 1, theorem 3.1.

    :class:`AERR` on the labels as -1 and +1: the sign of what it estimates is the class. The guarantee is
    about the squared error, which bounds the share of wrong labels from above.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    See Also
    --------
    AERR : The method.
    AESVRClassifier : Losses of classes, such as the hinge.

    Notes
    -----
    {notes}

    References
    ----------
    {B}

    Examples
    --------
    >>> from halfseen import AERRClassifier
    >>> from sklearn.datasets import load_digits
    >>> digits = load_digits()
    >>> some = (digits.target == 3) | (digits.target == 5)
    >>> X, y = digits.data[some] / 16, digits.target[some]
    >>> model = AERRClassifier(budget=8, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.85
    True
    """


class AELRClassifier(BudgetedClassifier, learner="aelr"):
    """Attribute Efficient Lasso Regression for two classes: paper B [1]_, algorithm 2, theorem 3.4.

    :class:`AELR` on the labels as -1 and +1: the sign of what it estimates is the class. The guarantee is
    about the squared error, which bounds the share of wrong labels from above.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    See Also
    --------
    AELR : The method.
    DDAELRClassifier : Reads attributes of large second moments more often.

    Notes
    -----
    {notes}

    References
    ----------
    {B}

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen import AELRClassifier
    >>> X = np.random.default_rng(0).normal(size=(5000, 10))
    >>> y = X[:, 0] > X[:, 1]
    >>> model = AELRClassifier(budget=4, radius=2, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.9
    True
    """


class PNormClassifier(BudgetedClassifier, learner="pnorm"):
    """Additive p-norm updates for two classes: paper A [1]_, section 5; Gentile [2]_, theorem 1.

    :class:`PNorm` on the labels as -1 and +1: the sign of what it estimates is the class.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    See Also
    --------
    PNorm : The method.

    Notes
    -----
    {notes}

    References
    ----------
    {A}
    .. [2] C. Gentile, "The Robustness of the p-Norm Algorithms", Machine Learning 53, 2003.

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen import PNormClassifier
    >>> X = np.random.default_rng(0).normal(size=(5000, 10))
    >>> y = X[:, 0] > X[:, 1]
    >>> model = PNormClassifier(budget=4, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.9
    True
    """
