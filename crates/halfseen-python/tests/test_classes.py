"""Hold FIML with more than two classes: one model each, from the same reads."""

import pickle

import halfseen
import numpy as np
import pandas as pd
import pytest
from halfseen import AERRClassifier, FIMLClassifier
from sklearn.datasets import load_wine
from sklearn.model_selection import cross_val_score
from sklearn.preprocessing import scale

NAMES = np.array(["red", "rose", "white"])


@pytest.fixture(scope="module")
def wine():
    """Return attributes with mean 0 and deviation 1, and names of classes."""
    of = load_wine()
    return scale(of.data), NAMES[of.target]


def test_three_attributes_of_each_wine_tell_its_class(wine):
    X, y = wine
    model = FIMLClassifier(budget=3, random_state=0)
    assert cross_val_score(model, X, y, cv=3).min() > 0.85
    model.fit(X, y)
    assert model.reads_ == 3 * len(X)
    scores = model.decision_function(X)
    assert scores.shape == (len(X), 3)
    np.testing.assert_array_equal(model.predict(X), NAMES[scores.argmax(axis=1)])
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.decision_function(X), scores)
    model.save("m.json")
    np.testing.assert_array_equal(halfseen.load("m.json").predict(X), model.predict(X))


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_each_class_has_the_model_of_its_signs(wine):
    X, y = wine
    every = FIMLClassifier(random_state=0).fit(X, y)
    for at, name in enumerate(NAMES):
        one = FIMLClassifier(random_state=0).fit(X, y == name)
        np.testing.assert_allclose(every.decision_function(X)[:, at], one.decision_function(X), rtol=1e-12)


def test_probabilities_sum_to_one_with_missing_values_too(wine):
    X, y = wine
    model = FIMLClassifier(link="probit", random_state=0).fit(X, y)
    holes = np.where(np.random.default_rng(0).random(X.shape) < 0.5, np.nan, X)
    holes[0] = np.nan
    shares = model.predict_proba(holes)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    np.testing.assert_allclose(shares[0], [np.mean(y == name) for name in NAMES], atol=0.1)
    full = model.predict_proba(X)
    assert full.max(axis=1).mean() > shares.max(axis=1).mean()
    assert np.mean(NAMES[full.argmax(axis=1)] == y) > 0.9


def test_what_one_model_alone_has_is_refused(wine):
    model = FIMLClassifier(random_state=0).fit(*wine)
    assert not hasattr(model, "coef_")
    for name in ("curve_", "cell_range_", "coef_errors_"):
        with pytest.raises(AttributeError, match=f"no {name}: it has a model of each of 3 classes"):
            getattr(model, name)


def test_answers_come_one_by_one_and_batches_lack_classes(wine):
    X, y = wine
    names = load_wine().feature_names
    learner = FIMLClassifier(budget=3, random_state=0).start(names, NAMES)
    for row, name in zip(X, y, strict=True):
        query = learner.ask()
        learner.tell(query, {at: row[names.index(at)] for at in query.attributes}, name)
    model = pickle.loads(pickle.dumps(learner)).model()
    assert model.score(pd.DataFrame(X, columns=names), y) > 0.85
    parts = FIMLClassifier(random_state=0)
    for batch in (y != "white", y == "white"):
        parts.partial_fit(X[batch], y[batch], classes=NAMES)
    assert parts.score(X, y) > 0.85
    with pytest.raises(ValueError, match="two classes"):
        AERRClassifier(budget=3).start(names, NAMES)
