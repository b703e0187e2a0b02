"""Learn predictors that bear the loss of attributes, and try what any linear predictor bears.

An adversary may take attributes of a total value of ``threat`` from every row, once the predictor is known.
Training rows are whole: NaN is refused in fit, and in prediction it is an attribute that was taken, which
counts 0. Attributes are scaled so that zero stays zero.
"""

import numpy as np

from halfseen._estimator import (
    GROUPS,
    KNOWN,
    N_JOBS,
    SCALE,
    VERBOSE,
    Classifier,
    Estimator,
    Regressor,
    Weighted,
)
from halfseen._parameters import text_of
from halfseen._trial import Attacked, Certificates, Tried, attack, attributes, certify, without_known

__all__ = [
    "Attacked",
    "Certificates",
    "FDROPClassifier",
    "RobustLPClassifier",
    "RobustLPRegressor",
    "RobustPerceptronClassifier",
    "attack",
    "attributes",
    "certify",
]

#: Sections that classes share: {name} in their documentation stands for one of them.
_SECTIONS = {
    "attributes": """\
coef_ : ndarray of shape {shape}
    Weight of each attribute, in units of the data.
intercept_ : {intercept}
    The constant.
{classes}report_ : dict
    How the fit went: objective, gap, why it stopped, the threat and what it leaves.
n_iter_ : int
    Passes or iterations.
n_features_in_ : int
    Number of features.
feature_names_in_ : ndarray of shape (n_features_in_,)
    Their names, where X had any.""",
    "E": """\
.. [1] O. Dekel and O. Shamir, "Learning to Classify with Missing and Corrupted Features", ICML 2008.""",
}


class _Robust(Tried, Estimator):
    _house = (SCALE, KNOWN, GROUPS, N_JOBS, VERBOSE)

    def _parameters(self, seed):
        """Return the learner's parameters as the library reads them; of values those of what can vanish."""
        if isinstance(self.values, str) or np.ndim(self.values) != 1:
            return super()._parameters(seed)
        texts = dict(super()._parameters(seed))
        texts["values"] = text_of("values", without_known(self, self.values))
        return list(texts.items())

    def __init_subclass__(cls, learner=None, **keywords):
        """Write the sections that classes share."""
        super().__init_subclass__(learner=learner, **keywords)
        tells = issubclass(cls, Classifier)
        words = {
            "{shape}": "(1, n_features)" if tells else "(n_features,)",
            "{intercept}": "ndarray of shape (1,)" if tells else "float",
            "{classes}": "classes_ : ndarray of shape (2,)\n    The labels.\n" if tells else "",
        }
        for name, text in _SECTIONS.items():
            for word, by in words.items():
                text = text.replace(word, by)
            cls.__doc__ = cls.__doc__.replace(f"{{{name}}}", text.replace("\n", "\n    "))


class RobustLPClassifier(Weighted, Classifier, _Robust, learner="robust-lp"):
    """Robust linear program: the least mean hinge loss under the worst deletions; paper E [1]_, program (4).

    The loss of a row is that after the adversary has taken what hurts it most; its mean is minimised over a
    box of weights, exactly: the gap in ``report_`` bounds the distance from the optimum by duality. Where all
    values are equal the linear program is the adversary's problem itself (theorem 1), else an upper bound, or
    the problem itself with ``deletions='whole'``. Theorem 2 bounds the error of new rows under every attack;
    ``report_["notes_text"]`` says by how much.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    See Also
    --------
    RobustPerceptronClassifier : One pass over the rows, where the program takes too long.
    FDROPClassifier : A Euclidean norm in the place of the box.
    halfseen.robust.attack : Attack any linear predictor of the package.

    Notes
    -----
    Only the ratio of ``box_radius`` and ``margin`` matters. A search over ``threat`` by the score of whole
    rows finds 0: let it score by ``lambda model, X, y: model.attacked_score(X, y, threat=3)``. Rows cannot
    count by ``sample_weight`` where ``chunk`` is set: a chunk is so many rows.

    References
    ----------
    {E}

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from halfseen import RobustLPClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> ready, plain = (RobustLPClassifier(threat=threat).fit(X, y) for threat in (3, 0))
    >>> plain.score(X, y) > ready.score(X, y) > 0.9
    True
    >>> ready.attacked_score(X, y) > 0.8 > plain.attacked_score(X, y, threat=3)
    True
    """


class RobustLPRegressor(Weighted, Regressor, _Robust, learner="robust-lp"):
    """Robust linear program for numbers: a quantile under the worst deletions; after paper E [1]_.

    The pinball loss of a row (for the median half the absolute error) is that after the adversary has moved
    the estimate to the worse side; its mean is minimised over a box of weights, exactly, by row generation.
    It is not in the paper, whose setting it takes over; the gap in ``report_`` bounds the distance from the
    optimum.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    See Also
    --------
    RobustLPClassifier : The same for two classes.

    Notes
    -----
    ``margin``, ``damage`` and ``confidence`` are of classes alone. Rows cannot count by ``sample_weight``
    where ``chunk`` is set: a chunk is so many rows.

    References
    ----------
    {E}

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from halfseen import RobustLPRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> ready, plain = (RobustLPRegressor(threat=threat).fit(X, y) for threat in (2, 0))
    >>> ready.attacked_score(X, y) > plain.attacked_score(X, y, threat=2)
    True
    """

    _poor_score = True  # where each of ten attributes counts alone, weights that bear the loss of one are 0


class RobustPerceptronClassifier(Classifier, _Robust, learner="robust-perceptron"):
    """Robust Perceptron: one pass of steps on rows under their worst deletions; paper E [1]_, section 3.

    Each row is attacked under the weights of the moment, and the weights make a step on what is left of it;
    the model is their average. Theorem 4 of the paper bounds the mean loss by that of the best weights in the
    box, plus something that falls as one over the root of the number of rows. Its cost is that of reading the
    rows and sorting them.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    See Also
    --------
    RobustLPClassifier : The least mean loss itself.

    Notes
    -----
    There is no ``sample_weight``: rows are met one after the other, and a step twice as long is not two
    steps.

    References
    ----------
    {E}

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from halfseen import RobustPerceptronClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = RobustPerceptronClassifier(threat=3, random_state=0).fit(X, y)
    >>> model.score(X, y) > model.attacked_score(X, y) > 0.7
    True
    """


class FDROPClassifier(Weighted, Classifier, _Robust, learner="fdrop"):
    """Feature dropping (FDROP): support vector machine under the worst deletions; Globerson, Roweis [1]_.

    Hinge losses after the deletions that hurt each row most, and half the squared length of the weights,
    minimised by cutting planes to a certified gap. Where values differ the adversary may take attributes in
    part, which bounds the loss from above. With ``threat=0`` it is the linear support vector machine. Paper E
    [2]_ compares with it.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    See Also
    --------
    RobustLPClassifier : A box in the place of the Euclidean norm.

    References
    ----------
    .. [1] A. Globerson and S. Roweis, "Nightmare at Test Time: Robust Learning by Feature Deletion", ICML
    2006.
    .. [2] O. Dekel and O. Shamir, "Learning to Classify with Missing and Corrupted Features", ICML 2008.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from halfseen import FDROPClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = FDROPClassifier(threat=3).fit(X, y)
    >>> certificates = model.certify(X[:2])
    >>> certificates.prediction.tolist(), certificates.certified.tolist()
    ([0, 0], [7.0, 3.0])
    """
