"""Test fits with a pilot: earlier rows that cost no read."""

import numpy as np
import pytest
from halfseen import AERRRegressor, FIMLClassifier, FIMLRegressor
from halfseen.warnings import DataWarning


def rows(count, seed, sign=1.0):
    rng = np.random.default_rng(seed)
    X = 2.0 * rng.normal(size=(count, 1)) + rng.normal(size=(count, 12))
    return X, sign * (2.0 * X[:, 0] - 2.0 * X[:, 1] + X[:, 5]) + 0.3 * rng.normal(size=count)


def learner():
    return FIMLRegressor(budget=2, design="uniform", random_state=0)


def test_a_pilot_helps_and_its_reads_cost_nothing():
    X, y = rows(300, 1)
    new = rows(1000, 2)
    without = learner().fit(X, y)
    old, told = rows(100, 3)
    old[::5, 3] = np.nan
    told[::4] = np.nan
    found = learner().fit(X, y, pilot=(old, told))
    assert found.reads_ == without.reads_ == 600
    assert 1 - found.score(*new) < 0.7 * (1 - without.score(*new))
    assert any("pilot: 100 rows count as" in text for text in found.report_["notes_text"])


def test_a_pilot_that_contradicts_changes_no_bit():
    X, y = rows(300, 1)
    with pytest.warns(DataWarning, match="100 rows do not count"):
        found = learner().fit(X, y, pilot=rows(100, 3, sign=-1.0))
    np.testing.assert_array_equal(found.coef_, learner().fit(X, y).coef_)


def test_classes_of_a_pilot_are_found_by_name():
    (X, y), (old, told) = rows(400, 1), rows(100, 3)
    name = np.array(["high", "low"], dtype=object)
    classes = name[(y < 0).astype(int)]
    earlier = name[(told < 0).astype(int)]
    earlier[:3] = None, np.nan, "low"
    model = FIMLClassifier(budget=2, design="uniform", random_state=0)
    without = model.fit(X, classes).score(rows(1000, 2)[0], name[(rows(1000, 2)[1] < 0).astype(int)])
    found = model.fit(X, classes, pilot=(old, earlier))
    assert found.score(rows(1000, 2)[0], name[(rows(1000, 2)[1] < 0).astype(int)]) > without
    earlier[5] = "middle"
    with pytest.raises(ValueError, match="'middle', none of the classes"):
        model.fit(X, classes, pilot=(old, earlier))


@pytest.mark.parametrize(
    ("pilot", "says"),
    [
        (3, "pair"),
        ((np.ones((4, 3)), np.ones(4)), "features"),
        ((np.ones((4, 12)), np.ones(5)), "4 rows"),
        ((np.full((4, 12), np.nan), np.ones(4)), "observed"),
        ((np.ones((4, 12)), [np.inf, 1, 2, 3]), "infinity"),
        ((np.full((4, 12), np.inf), np.ones(4)), "infinity"),
    ],
)
def test_impossible_pilots_are_refused(pilot, says):
    X, y = rows(50, 1)
    with pytest.raises(ValueError, match=says):
        learner().fit(X, y, pilot=pilot)


def test_other_learners_take_none():
    X, y = rows(50, 1)
    with pytest.raises(TypeError, match="pilot"):
        AERRRegressor(budget=2).fit(X, y, pilot=(X, y))
