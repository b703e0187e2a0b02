"""Hold weights of classes to weights of rows."""

import numpy as np
import pytest
from halfseen import (
    FIMLClassifier,
    IncompleteClassifier,
    KARMAClassifier,
    RobustClassifier,
    RobustLPClassifier,
    RobustLPRegressor,
)
from sklearn.base import clone
from sklearn.utils._param_validation import InvalidParameterError

WEIGHTED = [
    KARMAClassifier(random_state=0),
    RobustLPClassifier(threat=1, random_state=0),
    IncompleteClassifier(method="karma", random_state=0),
    RobustClassifier(threat=1, random_state=0),
]
EACH = pytest.mark.parametrize("estimator", WEIGHTED, ids=lambda estimator: type(estimator).__name__)


def rare(rows=200):
    """Return examples of which a tenth is ill, and overlaps with the others."""
    rng = np.random.default_rng(0)
    ill = np.arange(rows) % 10 == 0
    return rng.normal(size=(rows, 8)) + 0.7 * ill[:, np.newaxis], np.where(ill, "ill", "well")


@EACH
def test_weights_of_classes_are_weights_of_their_rows(estimator):
    X, y = rare()
    by_class = clone(estimator).set_params(class_weight={"ill": 5.0, "well": 0.5}).fit(X, y)
    chosen = getattr(by_class, "estimator_", by_class)
    by_row = clone(chosen).set_params(class_weight=None)
    by_row.fit(X, y, sample_weight=np.where(y == "ill", 5.0, 0.5))
    np.testing.assert_array_equal(by_class.decision_function(X), by_row.decision_function(X))


@EACH
@pytest.mark.filterwarnings("ignore::halfseen.warnings.DataWarning")  # without weights
def test_balanced_classes_find_more_of_the_rare_one(estimator):
    X, y = rare()
    found = [
        np.mean(clone(estimator).set_params(class_weight=of).fit(X, y).predict(X)[y == "ill"] == "ill")
        for of in (None, "balanced")
    ]
    assert found[1] > max(found[0], 0.6)


def test_balanced_classes_have_equal_sums_of_weights():
    X, y = rare()
    own = np.random.default_rng(1).uniform(0.5, 2.0, size=len(y))
    own[::7] = 0.0
    balanced = KARMAClassifier(class_weight="balanced", random_state=0).fit(X, y, sample_weight=own)
    ill = y == "ill"
    sums = {True: own[ill].sum(), False: own[~ill].sum()}
    factors = np.where(ill, own.sum() / (2 * sums[True]), own.sum() / (2 * sums[False]))
    by_row = KARMAClassifier(random_state=0).fit(X, y, sample_weight=own * factors)
    np.testing.assert_allclose(balanced.decision_function(X), by_row.decision_function(X), rtol=1e-9)


def test_strange_weights_of_classes_are_refused():
    X, y = rare()
    for strange in ("even", 3, [1.0, 2.0]):
        with pytest.raises(InvalidParameterError, match="'class_weight' parameter of KARMAClassifier"):
            KARMAClassifier(class_weight=strange).fit(X, y)
    with pytest.raises(ValueError, match="class_weight names 'sick'; the classes of y are"):
        KARMAClassifier(class_weight={"sick": 2.0}).fit(X, y)
    for bad in (-1.0, np.nan, np.inf):
        with pytest.raises(ValueError, match="finite numbers of at least 0"):
            KARMAClassifier(class_weight={"ill": bad}).fit(X, y)
    with pytest.raises(ValueError, match=r"KARMAClassifier\.partial_fit takes no class_weight"):
        KARMAClassifier(class_weight="balanced").partial_fit(X, y, classes=["ill", "well"])
    with pytest.raises(ValueError, match="cannot tune with weights"):
        KARMAClassifier(class_weight="balanced", tune=2).fit(X, y)


def test_a_learner_is_chosen_that_takes_them():
    X, y = rare()
    X[0, 0] = np.nan
    assert IncompleteClassifier(random_state=0).fit(X, y).suggestion_.learner == "fiml"
    chosen = IncompleteClassifier(class_weight="balanced", random_state=0).fit(X, y)
    assert (type(chosen.estimator_), chosen.suggestion_) == (KARMAClassifier, None)
    with pytest.raises(
        ValueError, match=r"^fiml takes no class_weight: leave it out, or choose method='karma', which does$"
    ):
        IncompleteClassifier(method="fiml", class_weight="balanced").fit(X, y)
    assert "class_weight" not in FIMLClassifier().get_params()
    assert "class_weight" not in RobustLPRegressor().get_params()
