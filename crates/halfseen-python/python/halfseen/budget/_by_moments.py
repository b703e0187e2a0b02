"""Define the learners that read some attributes more often than others: GAERR, DDAERR and DDAELR."""

from dataclasses import replace

from halfseen._parameters import declared
from halfseen.budget._budgeted import Budgeted, BudgetedClassifier, BudgetedRegressor


def _with_phases(learner):
    """Return what the learner and its two-phase form declare besides each other, and ``moments`` for both."""
    moments = next(declaration for declaration in declared(learner) if declaration.name == "moments")
    doc = f"{moments.doc} 'two-phase': estimated from a first phase of uniform reads, which has a theorem."
    own = {declaration.name for declaration in declared(learner)}
    phases = tuple(d for d in declared(f"{learner}-2p") if d.name not in own)
    return (replace(moments, kind="array-like, 'online', 'two-phase' or None", doc=doc), *phases)


class _ByMoments(Budgeted):
    """What learners do that draw by second moments."""

    def _learner_name(self):
        """Return the two-phase form where it is asked for."""
        phases = isinstance(self.moments, str) and self.moments == "two-phase"
        return f"{self._learner}-2p" if phases else self._learner

    @classmethod
    def _as_learner(cls, learner):
        """Return what makes the class this learner of the library, its two-phase form included."""
        return {"moments": "two-phase"} if learner == f"{cls._learner}-2p" else super()._as_learner(learner)


class GAERR(BudgetedRegressor, learner="gaerr"):
    """General Attribute Efficient Ridge Regression: paper C [1]_, algorithm 1, theorem 3.1.

    :class:`AERR` with declared ``probabilities`` for the reads of the gradient, such as those that an
    expert would give. The guarantee is that of :class:`AERR`, with the sum of the second moments over the
    probabilities in the place of d times theirs: good probabilities make it smaller, and an attribute
    that is never read must never vary. With equal probabilities it is :class:`AERR` to the bit.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    See Also
    --------
    GAERRClassifier : The same for two classes.
    DDAERR : Takes the best probabilities for second moments.

    Notes
    -----
    {notes}

    References
    ----------
    {C}

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen import GAERR
    >>> X = np.random.default_rng(0).normal(size=(2000, 4)) * [2.0, 1.0, 0.1, 0.1]
    >>> y = X[:, 0] - X[:, 1]
    >>> model = GAERR(budget=2, probabilities=[0.6, 0.3, 0.05, 0.05], random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.7
    True
    """


class DDAERR(_ByMoments, BudgetedRegressor, learner="ddaerr", extra=_with_phases("ddaerr")):
    """Data-Dependent Attribute Efficient Ridge Regression: paper C [1]_, theorems 3.5, 3.6 and 3.12.

    :class:`AERR` that reads attributes in proportion to the root of their second moments. The expected
    excess of the squared error falls as ``sqrt((H / k + 1) / m)``, H the squared sum of these roots: at
    most what :class:`AERR` has, and far less where few attributes carry most of an example.

    The moments are declared, estimated from the reads as they come (the default; no theorem), or with
    ``moments="two-phase"`` by a first phase of uniform reads. The latter keeps the guarantee with
    probability 1 - ``confidence`` (theorem 3.6 where ``moment_norm`` is given, else 3.12), needs to know
    how many examples will come (``fit`` does; otherwise set ``horizon``), and is what ``phase1``,
    ``smoothing``, ``confidence`` and ``moment_norm`` belong to.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    See Also
    --------
    DDAERRClassifier : The same for two classes.
    DDAELR : Weights in an l1 ball.
    GAERR : Any probabilities.

    Notes
    -----
    {notes}

    References
    ----------
    {C}

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen import DDAERR
    >>> X = np.random.default_rng(0).normal(size=(5000, 20)) / np.arange(1, 21)
    >>> y = X[:, 0] - X[:, 1]
    >>> model = DDAERR(budget=3, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.5
    True
    >>> model = DDAERR(budget=3, moments="two-phase", random_state=0).fit(X, y)
    >>> model.report_["learner"], model.score(X, y) > 0.7
    ('ddaerr-2p', True)
    """


class DDAELR(_ByMoments, BudgetedRegressor, learner="ddaelr", extra=_with_phases("ddaelr")):
    """Data-Dependent Attribute Efficient Lasso Regression: paper C [1]_, section 4.

    :class:`AELR` that reads attributes in proportion to their second moments. The expected excess of the
    squared error is that of :class:`AELR` with the mean squared length of an example in the place of d
    times the largest second moment.

    Where the moments come from: as in :class:`DDAERR`.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    See Also
    --------
    DDAELRClassifier : The same for two classes.
    DDAERR : Weights in a Euclidean ball.

    Notes
    -----
    {notes}

    References
    ----------
    {C}

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen import DDAELR
    >>> X = np.random.default_rng(0).normal(size=(5000, 20)) / np.arange(1, 21)
    >>> y = X[:, 0] - X[:, 1]
    >>> moments = 1 / np.arange(1.0, 21.0) ** 2
    >>> model = DDAELR(budget=3, radius=2, moments=moments, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.7
    True
    """


class GAERRClassifier(BudgetedClassifier, learner="gaerr"):
    """General Attribute Efficient Ridge Regression for two classes: paper C [1]_, algorithm 1, theorem 3.1.

    :class:`GAERR` on the labels as -1 and +1: the sign of what it estimates is the class.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    See Also
    --------
    GAERR : The method.

    Notes
    -----
    {notes}

    References
    ----------
    {C}

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen import GAERRClassifier
    >>> X = np.random.default_rng(0).normal(size=(2000, 4)) * [2.0, 1.0, 0.1, 0.1]
    >>> y = X[:, 0] > X[:, 1]
    >>> model = GAERRClassifier(budget=2, probabilities=[0.6, 0.3, 0.05, 0.05], random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.9
    True
    """


class DDAERRClassifier(_ByMoments, BudgetedClassifier, learner="ddaerr", extra=_with_phases("ddaerr")):
    """Data-Dependent Attribute Efficient Ridge Regression for two classes: paper C [1]_, theorem 3.5.

    :class:`DDAERR` on the labels as -1 and +1: the sign of what it estimates is the class.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    See Also
    --------
    DDAERR : The method.

    Notes
    -----
    {notes}

    References
    ----------
    {C}

    Examples
    --------
    >>> from halfseen import DDAERRClassifier
    >>> from sklearn.datasets import load_digits
    >>> digits = load_digits()
    >>> some = (digits.target == 3) | (digits.target == 5)
    >>> X, y = digits.data[some] / 16, digits.target[some]
    >>> model = DDAERRClassifier(budget=8, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.9
    True
    """


class DDAELRClassifier(_ByMoments, BudgetedClassifier, learner="ddaelr", extra=_with_phases("ddaelr")):
    """Data-Dependent Attribute Efficient Lasso Regression for two classes: paper C [1]_, section 4.

    :class:`DDAELR` on the labels as -1 and +1: the sign of what it estimates is the class.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    See Also
    --------
    DDAELR : The method.

    Notes
    -----
    {notes}

    References
    ----------
    {C}

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen import DDAELRClassifier
    >>> X = np.random.default_rng(0).normal(size=(5000, 20)) / np.arange(1, 21)
    >>> y = X[:, 0] > X[:, 1]
    >>> model = DDAELRClassifier(budget=3, radius=2, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.8
    True
    """
