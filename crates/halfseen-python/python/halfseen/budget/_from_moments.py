"""Define the learners that estimate moments first, and solve a problem in them."""

from halfseen.budget._budgeted import BudgetedClassifier, BudgetedRegressor


class MomentLasso(BudgetedRegressor, learner="baseline"):
    """Baseline of paper A [1]_, algorithm 1, theorem 1: least squares in moments from pairs of reads.

    Pairs of attributes are read of each example, whatever was learned before, and give unbiased estimates
    of all second moments; the weights in the l1 ball are those of least squared error in these.
    ``reading`` says what becomes of estimates that are no second moments of anything. The excess of the
    squared error falls as ``d ** 2 / k`` times one over the root of the number of examples. Memory grows
    with the square of the number of columns, and a solution takes its third power: ``partial_fit`` solves
    anew for every batch, so give it large ones.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    See Also
    --------
    MomentLassoClassifier : The same for two classes.
    AELR : The same ball, with a better rate.

    Notes
    -----
    {notes}

    References
    ----------
    {A}

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen import MomentLasso
    >>> X = np.random.default_rng(0).normal(size=(5000, 5))
    >>> y = X[:, 0] - X[:, 1]
    >>> model = MomentLasso(budget=3, radius=2, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.9
    True
    """


class MomentLassoClassifier(BudgetedClassifier, learner="baseline"):
    """Baseline of paper A [1]_, algorithm 1, theorem 1, for two classes.

    :class:`MomentLasso` on the labels as -1 and +1: the sign of what it estimates is the class.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    See Also
    --------
    MomentLasso : The method.

    Notes
    -----
    {notes}

    References
    ----------
    {A}

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen import MomentLassoClassifier
    >>> X = np.random.default_rng(0).normal(size=(5000, 5))
    >>> y = X[:, 0] > X[:, 1]
    >>> model = MomentLassoClassifier(budget=3, radius=2, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.9
    True
    """


class Identity(BudgetedRegressor, learner="identity"):
    """Strawman of paper A [1]_, footnote 2: attributes are taken to be uncorrelated.

    Estimates how each attribute goes with the target, and takes the covariance of the attributes for a
    multiple of the identity. It is not, where attributes are correlated or differ in scale, and no number
    of examples mends that: there is no guarantee. It is here to show what second moments are worth.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    See Also
    --------
    IdentityClassifier : The same for two classes.
    MomentLasso : Estimates the second moments.

    Notes
    -----
    {notes}

    References
    ----------
    {A}

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen import Identity
    >>> X = np.random.default_rng(0).normal(size=(5000, 5))
    >>> y = X[:, 0] - X[:, 1]
    >>> model = Identity(budget=3, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.9
    True
    """


class IdentityClassifier(BudgetedClassifier, learner="identity"):
    """Strawman of paper A [1]_, footnote 2, for two classes: attributes are taken to be uncorrelated.

    :class:`Identity` on the labels as -1 and +1: the sign of what it estimates is the class. There is no
    guarantee.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    See Also
    --------
    Identity : The method.

    Notes
    -----
    {notes}

    References
    ----------
    {A}

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen import IdentityClassifier
    >>> X = np.random.default_rng(0).normal(size=(5000, 5))
    >>> y = X[:, 0] > X[:, 1]
    >>> model = IdentityClassifier(budget=3, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.9
    True
    """
