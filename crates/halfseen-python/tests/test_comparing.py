"""Tests of compare: the program's figures, every kind of table, what it says and shows."""

import csv
import json
import os
import subprocess

import halfseen
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from sklearn.base import is_classifier
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris

PROGRAM = os.environ.get("HALFSEEN_PROGRAM")
needs_program = pytest.mark.skipif(not PROGRAM, reason="HALFSEEN_PROGRAM does not name the program")


@pytest.fixture(scope="module")
def diabetes():
    return load_diabetes(return_X_y=True, as_frame=True)


@pytest.fixture(scope="module")
def found(diabetes):
    return halfseen.compare(*diabetes, learners=["ridge", "aerr", "fiml"], budget=4, splits=2)


@needs_program
@pytest.mark.parametrize(
    ("settings", "flags"),
    [
        ({"budget": 3, "learners": ["ridge", "aelr", "fiml"]}, ["--budget=3", "--learners=ridge,aelr,fiml"]),
        ({"tune": None, "learners": ["aerr", "ridge"]}, ["--honest", "--learners=aerr,ridge"]),
        (
            {"threat": 2, "attack": "greedy", "learners": ["robust-lp", "ridge"]},
            ["--threat=2", "--attack=greedy", "--learners=robust-lp,ridge"],
        ),
        (
            {"settings": {"penalty": 0.3}, "basis": "hats", "learners": ["ridge"], "random_state": 7},
            ["--set=penalty=0.3", "--basis=hats", "--learners=ridge", "--seed=7"],
        ),
    ],
)
def test_figures_are_those_of_the_program(diabetes, tmp_path, settings, flags):
    X, y = diabetes
    X.assign(target=y).to_csv(tmp_path / "table.csv", index=False, quoting=csv.QUOTE_MINIMAL)
    call = [PROGRAM, "compare", "table.csv", "--target=target", "--splits=2", "--json", "--quiet", *flags]
    done = subprocess.run(call, cwd=tmp_path, capture_output=True, text=True, check=True)
    theirs = json.loads(done.stdout)
    ours = halfseen.compare(X, y, splits=2, **settings)
    without = {"seconds_mean", "seconds_sd", "seconds_median"}
    for own, their in zip(ours.summary, theirs["summary"], strict=True):
        assert {key: own[key] for key in their if key not in without} == {
            key: value for key, value in their.items() if key not in without
        }
    assert ours.curve == theirs["curve"]


@needs_program
def test_holes_and_classes_are_compared_by_the_learners_of_the_program(tmp_path):
    X, y = load_iris(return_X_y=True, as_frame=True)
    X = X.mask(np.random.default_rng(0).random(X.shape) < 0.2)
    X.assign(target=np.array(["a", "b", "c"])[y]).to_csv(tmp_path / "table.csv", index=False)
    call = [PROGRAM, "compare", "table.csv", "--target=target", "--splits=2", "--json", "--quiet"]
    theirs = json.loads(subprocess.run(call, cwd=tmp_path, capture_output=True, text=True, check=True).stdout)
    ours = halfseen.compare(X, np.array(["a", "b", "c"])[y], splits=2)
    errors = {of["learner"]: of["test_error_mean"] for of in ours.summary}
    assert errors == {of["learner"]: of["test_error_mean"] for of in theirs["summary"]}
    assert ours.measure == "test_error"


def test_the_best_is_the_one_of_least_error(found):
    errors = found.frame["test_mse_mean"]
    assert found.best_ == errors.drop("constant").idxmin() == "ridge"
    assert errors.is_monotonic_increasing
    assert errors["constant"] > errors["ridge"]
    assert len(found.rows) == 8


def test_it_says_what_was_found(found):
    text = str(found)
    assert text.splitlines()[1].startswith("ridge")
    assert "explains" in found.in_words()
    assert "reads 4 instead of 10 attributes per row" in found.in_words()
    assert repr(found) == "Comparison(ridge, aerr, fiml; best_='ridge')"
    page = found._repr_html_()
    assert "<b>ridge</b>" in page
    assert page.count("<tr>") == 5


def test_nothing_to_learn_is_said():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 30)), rng.normal(size=60)
    found = halfseen.compare(X, y, learners=["ridge"], settings={"penalty": 1e-9})
    assert found.in_words() == "No learner is better than predicting the mean."
    found = halfseen.compare(X, y > 0, learners=["ridge"], settings={"penalty": 1e-9})
    assert found.in_words().startswith(("No learner is better than predicting the most", "ridge gets"))


def test_estimators_can_be_fitted(found, diabetes):
    X, y = diabetes
    assert isinstance(found.estimator("fiml"), halfseen.FIMLRegressor)
    assert found.estimator("fiml").budget == 4
    assert found.estimator("aerr").tune == 5
    assert found.estimator().fit(X, y).score(X, y) > 0.4
    with pytest.raises(ValueError, match="'lasso' was not compared: ridge, aerr, fiml"):
        found.estimator("lasso")


def test_the_suggestion_is_that_of_suggest(found, diabetes):
    assert str(found.suggestion) == str(halfseen.suggest(*diabetes, budget=4))
    assert found.suggestion.estimator.budget == 4


def test_every_kind_of_table_gives_the_same(diabetes, found):
    X, y = diabetes
    settings = {"learners": ["ridge", "aerr", "fiml"], "budget": 4, "splits": 2}
    expected = [row["test_mse"] for row in found.rows]
    for table in (X.to_numpy(), pl.from_pandas(X), np.asfortranarray(X)):
        assert [row["test_mse"] for row in halfseen.compare(table, y, **settings).rows] == expected
    sparse = halfseen.compare(scipy.sparse.csr_array(X.to_numpy()), y, learners=["ridge"], splits=2)
    assert sparse.frame["test_mse_mean"]["ridge"] == pytest.approx(found.frame["test_mse_mean"]["ridge"])


def test_texts_are_categories():
    rng = np.random.default_rng(0)
    city = rng.choice(["Rome", "Oslo"], size=80)
    frame = pd.DataFrame({"city": city, "age": rng.normal(size=80)})
    found = halfseen.compare(
        frame, (city == "Rome") * 3.0 + 0.01 * frame["age"], learners=["ridge"], splits=2
    )
    assert "explains 100 %" in found.in_words()


def test_rows_of_a_group_stay_together():
    rng = np.random.default_rng(0)
    person = np.repeat(np.arange(20), 5)
    X, y = rng.normal(size=(100, 3)), rng.normal(size=100)
    settings = {"learners": ["ridge"], "splits": 3, "test_size": 0.13}
    mixed = halfseen.compare(X, y, **settings)
    assert [row["examples"] for row in mixed.rows if row["learner"] == "ridge"] == [87] * 3
    apart = halfseen.compare(X, y, row_groups=[f"p{of}" for of in person], **settings)
    assert all(row["examples"] % 5 == 0 for row in apart.rows)
    with pytest.raises(ValueError, match="row_groups has 3 labels for 100 rows"):
        halfseen.compare(X, y, row_groups=["a", "b", "c"])


def test_under_attack_the_robust_learner_is_best():
    X, y = load_breast_cancer(return_X_y=True)
    found = halfseen.compare(
        X / X.max(axis=0), y, learners=["ridge", "robust-lp"], threat=2, splits=2, n_jobs=2
    )
    assert found.measure == "attacked_error"
    assert found.best_ == "robust-lp"
    assert found.estimator().threat == 2
    assert is_classifier(found.estimator())
    assert "under attack" in found.in_words()
    assert "under attack" in str(found)


@pytest.mark.parametrize("against", ["reads", "examples"])
def test_curves_are_plotted(found, against):
    ax = found.plot(against)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["ridge", "aerr", "fiml", "constant"]
    ax.figure.canvas.draw()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"learners": "ridge"}, "'learners' parameter of compare must be a list of names"),
        ({"learners": ["rigde"]}, "rigde"),
        ({"learners": ["robust-perceptron"]}, "robust-perceptron"),
        ({"splits": 0}, "'splits' parameter of compare must be an integer of at least 1"),
        ({"tune": 1}, "'tune' parameter of compare must be an integer of at least 2, or None"),
        ({"budget": 0}, "'budget' parameter of compare"),
        ({"budget": 11, "learners": ["aerr"]}, "budget"),
        ({"test_size": 1.5}, "'test_size' parameter of compare must be a number between 0 and 1"),
        ({"attack": "rude"}, "attack = 'rude' is not allowed: it must be one of 'exact'"),
        ({"settings": {"gama": 2}}, "none of the compared learners .* has gama"),
        ({"task": "rank"}, "'task' parameter of compare"),
        ({"scale": "huge"}, "'scale'"),
        ({"random_state": -1}, "'random_state' parameter of compare"),
    ],
)
def test_what_cannot_be_is_refused(diabetes, settings, message):
    with pytest.raises(ValueError, match=message):
        halfseen.compare(*diabetes, **{"learners": ["ridge"], **settings})


def test_odd_tables_are_refused(diabetes):
    X, y = diabetes
    with pytest.raises(ValueError, match="X has 442 rows, and y 3: they must be as many"):
        halfseen.compare(X, y[:3])
    with pytest.raises(ValueError, match="y has missing values"):
        halfseen.compare(X, y.where(y > 100))
    with pytest.raises(ValueError, match="X must have rows and columns; it has 1 dimensions"):
        halfseen.compare(y.to_numpy(), y)
    with pytest.raises(ValueError, match="must be as many"):
        halfseen.compare(pl.LazyFrame({"a": [1.0]}), [1.0, 2.0])
