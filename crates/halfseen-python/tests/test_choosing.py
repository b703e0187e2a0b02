"""Tests the estimators that choose a learner, what is suggested, and tuning."""

import pickle

import halfseen
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from halfseen import (
    AERRRegressor,
    BudgetedClassifier,
    BudgetedRegressor,
    FIMLRegressor,
    IncompleteClassifier,
    IncompleteRegressor,
    KARMAClassifier,
    KARMARegressor,
    RobustClassifier,
    RobustLPClassifier,
    RobustRegressor,
    suggest,
)
from halfseen.choosing import CHOOSERS
from halfseen.robust import attack, attributes, certify
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.pipeline import Pipeline
from sklearn.utils._param_validation import InvalidParameterError


def diabetes(holes=0.0):
    X, y = load_diabetes(return_X_y=True)
    X[np.random.default_rng(0).random(X.shape) < holes] = np.nan
    return X, y


def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return X / X.max(axis=0), np.where(y > 0, "benign", "malignant")


def test_a_situation_decides():
    X, y = diabetes()
    assert suggest(X, y, budget=3).estimator.get_params()["budget"] == 3
    assert suggest(X, y, threat=2).learner == "robust-lp"
    curved = {"threat": 2, "scale": "each", "basis": "hats", "tune": 5}
    assert suggest(X, y, threat=2).settings == curved
    assert suggest(X[:49], y[:49], threat=2).settings == {"threat": 2}
    holed = diabetes(0.1)[0]
    assert suggest(holed, y).learner == "fiml"
    assert suggest(holed, y, budget=3).learner == "fiml"
    assert isinstance(suggest(X, y).estimator, Pipeline)
    assert suggest(X[:40], y[:40]).learner == "lasso"
    assert suggest(*load_wine(return_X_y=True)).estimator.get_params()["tune"] == 5
    wines = load_wine(return_X_y=True)
    many = [np.tile(part, (15, 1) if part.ndim == 2 else 15) for part in wines]
    assert suggest(*many).learner == "mean"
    assert suggest(*wines).learner == "karma"


@pytest.mark.parametrize("of", [pd.DataFrame, pl.DataFrame, scipy.sparse.csr_matrix, np.array, list])
def test_missing_cells_are_found_in_every_kind_of_table(of):
    X, y = diabetes()
    whole = of(X.tolist()) if of is list else of(X)
    X[7, 2] = np.nan
    holed = of(X.tolist()) if of is list else of(X)
    assert suggest(whole, y).learner == "ridge"
    assert suggest(holed, y).learner == "fiml"


def test_what_are_classes_can_be_said():
    X, y = load_wine(return_X_y=True)
    assert suggest(X, y.astype(float)).learner == "ridge"
    assert suggest(X, y, task="regression").learner == "ridge"
    assert suggest(X, y.astype(float), task="classification").learner == "karma"
    assert suggest(X, y.astype(str)).learner == "karma"
    with pytest.raises(InvalidParameterError, match="'task' parameter of suggest must be 'auto', 'regr"):
        suggest(X, y, task="clustering")


def test_a_learner_without_an_estimator_is_replaced_by_one_that_has_it():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(2100, 60)), rng.integers(4, size=2100)
    X[rng.random(X.shape) < 0.2] = np.nan
    assert suggest(X, y).learner == "mean"
    model = IncompleteClassifier()
    found = model._choose(X, y)
    assert (type(found), found.loss, found.features) == (KARMAClassifier, "squared", "sketch:2048")
    assert model.suggestion_.learner == "karma"
    assert "instead mean" in str(model.suggestion_)


def test_the_suggestion_speaks():
    found = suggest(*diabetes(), budget=3)
    assert str(found).startswith("fiml: the reads of each row are limited; it keeps every read")
    assert "; instead ddaelr-2p, if you want" in str(found)
    html = suggest(*cancer(), threat=1)._repr_html_()
    assert "robust-lp with scale=each, basis=hats: attributes may be deleted" in html
    assert "RobustLPClassifier" in html


def test_what_is_suggested_where_all_is_seen_can_be_fitted():
    for X, y in (diabetes(), cancer(), load_wine(return_X_y=True)):
        for rows in (slice(None), slice(None, None, 12)):
            found = suggest(X[rows], y[rows])
            assert found.estimator.fit(X[rows], y[rows]).score(X, y) > 0.25, str(found)


def test_strange_tables_are_refused():
    X, y = diabetes()
    with pytest.raises(ValueError, match=r"a row for each of 442 targets, and has shape \(10, 10\)"):
        suggest(X[:10], y)
    with pytest.raises(ValueError, match="two dimensions"):
        suggest(X[0], y)


def test_the_choice_is_the_named_learner():
    X, y = diabetes()
    chosen = BudgetedRegressor(budget=3, random_state=0).fit(X, y)
    named = FIMLRegressor(budget=3, random_state=0).fit(X, y)
    assert np.array_equal(chosen.predict(X), named.predict(X))
    assert np.array_equal(chosen.predict_interval(X[:5]), named.predict_interval(X[:5]))
    assert chosen.report_["reads"] == 3 * len(y) == chosen.reads_
    assert chosen.suggestion_.learner == "fiml"
    X, y = cancer()
    chosen = RobustClassifier(threat=3, random_state=0).fit(X, y)
    named = RobustLPClassifier(threat=3, scale="each", basis="hats", tune=5, random_state=0).fit(X, y)
    assert np.array_equal(chosen.decision_function(X), named.decision_function(X))
    assert chosen.attacked_score(X, y) == named.attacked_score(X, y) == attack(chosen, X, y).score
    assert np.array_equal(chosen.certify(X).certified, certify(named, X).certified)
    assert attributes(chosen) == attributes(named)
    assert chosen.classes_.tolist() == ["benign", "malignant"]


def test_any_learner_of_the_family_can_be_named():
    X, y = diabetes()
    model = BudgetedRegressor(method="aerr", budget=5, random_state=0).fit(X, y)
    same = AERRRegressor(budget=5, random_state=0).fit(X, y)
    assert np.array_equal(model.coef_, same.coef_)
    assert model.suggestion_ is None
    two_phases = BudgetedRegressor(method="ddaelr-2p", budget=5, random_state=0).fit(X, y)
    assert two_phases.estimator_.moments == "two-phase"
    holed, y = diabetes(0.3)
    assert IncompleteRegressor(method="karma").fit(holed, y).report_["learner"] == "karma"
    with pytest.raises(ValueError, match=r"'robust-perceptron' of RobustRegressor cannot learn numbers"):
        RobustRegressor(method="robust-perceptron", threat=1).fit(X, y)
    for strange in ("karma", "robust-lp", 3, None):
        with pytest.raises(InvalidParameterError, match=r"'method' parameter of BudgetedRegressor must be"):
            BudgetedRegressor(method=strange).fit(X, y)


def test_a_budget_is_always_kept():
    X, y = diabetes()
    assert BudgetedRegressor(random_state=0).fit(X, y).reads_ == 4 * len(y)
    assert BudgetedRegressor(random_state=0).fit(X[:, :3], y).reads_ == 3 * len(y)
    bought = BudgetedRegressor(max_cost=2, prices={0: 2}, random_state=0).fit(X, y)
    assert bought.report_["spent"] <= 2 * len(y)


def test_holes_and_more_than_two_classes():
    X, y = load_wine(return_X_y=True)
    assert BudgetedClassifier(random_state=0).fit(X, y).score(X, y) > 0.8
    X[np.random.default_rng(0).random(X.shape) < 0.3] = np.nan
    assert IncompleteClassifier(random_state=0).fit(X, y).score(X, y) > 0.8
    X, y = diabetes(0.4)
    assert IncompleteRegressor(random_state=0).fit(X, y).score(*diabetes()) > 0.35
    assert "shape" not in IncompleteRegressor().fit(X, y).suggestion_.settings


@pytest.mark.parametrize("of", CHOOSERS)
def test_fitted_choices_are_pickled_cloned_and_saved(of, tmp_path):
    X, y = diabetes() if of.__name__.endswith("Regressor") else cancer()
    model = of(random_state=0).fit(X, y)
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))
    assert not hasattr(clone(model), "estimator_")
    model.save(tmp_path / "m.json")
    assert np.array_equal(halfseen.load(tmp_path / "m.json").predict(X), model.predict(X))
    with pytest.raises(AttributeError, match="no attribute 'strange_'"):
        _ = model.strange_


def test_tuning_is_that_of_the_grid_and_keeps_what_is_given():
    X, y = diabetes(0.3)
    tuned = KARMARegressor(tune=3).fit(X, y)
    assert set(tuned.tuned_) == {"gamma", "c"}
    fixed = KARMARegressor(**tuned.tuned_).fit(X, y)
    assert np.array_equal(tuned.predict(X), fixed.predict(X))
    assert tuned.report_["params"]["gamma"] == fixed.report_["params"]["gamma"]
    kept = KARMARegressor(c=0.123, tune=3).fit(X, y)
    assert kept.tuned_["c"] == 0.123
    assert not hasattr(KARMARegressor().fit(X, y), "tuned_")
    assert "tune" not in FIMLRegressor().get_params()
    assert KARMAClassifier(tune=2).fit(*load_wine(return_X_y=True)).tuned_["gamma"] > 0


def test_tuning_refuses_what_it_cannot_do():
    X, y = diabetes()
    for strange in (1, 2.5, "5", True):
        with pytest.raises(InvalidParameterError, match="'tune' parameter of KARMARegressor must be None or"):
            KARMARegressor(tune=strange).fit(X, y)
    with pytest.raises(ValueError, match="cannot tune with weights of rows"):
        KARMARegressor(tune=3).fit(X, y, sample_weight=np.ones(len(y)))
    with pytest.raises(ValueError, match="600"):
        KARMARegressor(tune=600).fit(X, y)


def test_categories_of_frames_count_as_columns():
    frame = pd.DataFrame(
        {name: [f"c{i * step % 97}" for i in range(800)] for name, step in zip("abc", (1, 3, 7), strict=True)}
    )
    frame["x"] = [np.nan, *range(799)]
    y = np.arange(800.0) % 11
    assert suggest(frame, y).learner == "karma"
    assert suggest(frame[["a", "x"]], y).learner == "fiml"


@pytest.mark.parametrize("name", ["mean", "zero", "imputation"])
def test_learners_without_an_estimator_are_not_offered(name):
    X, y = load_diabetes(return_X_y=True)
    with pytest.raises(
        ValueError, match="'method' parameter of IncompleteRegressor must be 'auto' or one of"
    ) as no:
        IncompleteRegressor(method=name).fit(X, y)
    assert name not in str(no.value).split("Got")[0]


def test_scale_and_basis_reach_the_robust_learner():
    X, y = load_breast_cancer(return_X_y=True)
    plain = RobustClassifier(threat=3, scale="max", basis="none", random_state=0).fit(X, y)
    curved = RobustClassifier(threat=3, random_state=0).fit(X, y)
    assert (curved.estimator_.scale, curved.estimator_.basis) == ("each", "hats")
    assert curved.coef_.shape[1] > X.shape[1] == plain.coef_.shape[1]
    assert curved.attacked_score(X, y) > plain.attacked_score(X, y)
    assert RobustRegressor(basis="hats").get_params()["basis"] == "hats"


@pytest.mark.parametrize("folds", [1, 2**64, -3, 2.5, "5", True])
def test_folds_that_cannot_be_are_refused(folds):
    X, y = diabetes()
    with pytest.raises(InvalidParameterError, match="tune"):
        halfseen.KARMARegressor(tune=folds).fit(X, y)
