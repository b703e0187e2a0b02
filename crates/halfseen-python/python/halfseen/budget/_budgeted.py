"""Hold what all budgeted estimators share: batches, ask and tell, the books, and how they are documented."""

import re

from halfseen._estimator import (
    BOUNDS,
    GROUPS,
    KNOWN,
    PRICES,
    SCALE,
    VERBOSE,
    Classifier,
    Estimator,
    Regressor,
)

#: Sections that are the same for every class: {name} in its documentation stands for one of them.
_SECTIONS = {
    "attributes": """\
coef_ : ndarray of shape {shape}
    Weight of each attribute, in units of the data.
intercept_ : {intercept}
    The constant.
{classes}reads_ : int
    Reads with multiplicity, as the papers count them.
distinct_ : int
    Different cells that were read: what is paid for.
attributes_read_ : ndarray of shape (n_features,)
    How often each attribute was read; an always-known one costs nothing and counts 0. The columns of a panel
    are read together.
report_ : dict
    Everything that is to be said of the fit: ``report_["params"]["seed"]`` repeats it.
n_features_in_ : int
    Number of attributes.
feature_names_in_ : ndarray of shape (n_features_in_,)
    Their names, where X had any.
n_iter_ : int
    1: one pass.""",
    "notes": """\
``budget`` counts every read of one example, those for the product <w, x> included; always-known attributes
and targets cost nothing. A fit looks at nothing else, so ``scale`` needs declared ``bounds`` (or is 'none'),
and the norms that set the step are estimated from the reads as they come.

There is no ``sample_weight``: an example is read once, and a row of weight 2 could not equal the same row
twice, of which other attributes would be read the second time.""",
    "A": """\
.. [1] N. Cesa-Bianchi, S. Shalev-Shwartz and O. Shamir, "Efficient Learning with Partially Observed
       Attributes", ICML 2010.""",
    "B": """\
.. [1] E. Hazan and T. Koren, "Linear Regression with Limited Observation", ICML 2012.""",
    "C": """\
.. [1] D. Kukliansky and O. Shamir, "Attribute Efficient Linear Regression with Distribution-Dependent
       Sampling", ICML 2015.""",
}


class Budgeted(Estimator):
    """What budgeted estimators do besides."""

    _house = (SCALE, KNOWN, GROUPS, PRICES, BOUNDS, VERBOSE)

    def __init_subclass__(cls, learner=None, **keywords):
        """Write the sections that are the same for all."""
        super().__init_subclass__(learner=learner, **keywords)
        if learner is None:
            return
        tells = issubclass(cls, Classifier)
        words = {
            "{shape}": "(1, n_features)" if tells else "(n_features,)",
            "{intercept}": "ndarray of shape (1,)" if tells else "float",
            "{classes}": "classes_ : ndarray of shape (2,)\n    The labels.\n" if tells else "",
        }
        for name, text in _SECTIONS.items():
            for word, by in words.items():
                text = text.replace(word, by)
            lines = "\n".join(f"    {line}" if line else "" for line in text.splitlines())
            cls.__doc__ = re.sub(
                rf"^ *\{{{name}\}}", lambda _, lines=lines: lines, cls.__doc__, flags=re.MULTILINE
            )

    @property
    def _takes_holes(self):
        """Whether rows come with what happens to be observed of them."""
        return getattr(self, "passive", "no") != "no"


class BudgetedRegressor(Regressor, Budgeted):
    """Estimate numbers from a few attributes of each example."""

    _poor_score = True  # after one pass over a few attributes of the 200 rows of scikit-learn's checks


class BudgetedClassifier(Classifier, Budgeted):
    """Tell two classes apart from a few attributes of each example."""
