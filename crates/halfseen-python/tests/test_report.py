"""Tests that reports and models say in words what they hold, and stay dicts."""

import json
import pickle

import halfseen
import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes


@pytest.fixture(scope="module")
def fitted():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    return halfseen.FIMLRegressor(budget=3, random_state=0, prices={"bmi": 2.5}).fit(X, y)


def test_a_report_says_what_was_read(fitted):
    lines = dict(line.split(maxsplit=1) for line in str(fitted.report_).splitlines())
    assert lines["learner"] == "fiml"
    assert lines["rows"] == "442"
    assert "1,326 (3 per row)" in lines["cells"]
    assert float(lines["money"].split()[-1].replace(",", "")) == pytest.approx(fitted.report_["spent"], 1e-5)
    assert "pass" in lines["stopped"]
    report = fitted.report_
    constant = report["constant_risk"] * report["error_unit"]
    assert constant == pytest.approx(np.var(load_diabetes(return_X_y=True)[1]), rel=0.01)
    share = round(100 * (1 - report["risk"] / report["constant_risk"]))
    expected = f"{share} % of the variance of the target; the error of its mean is {constant:.4g}"
    assert lines["explains"] == expected
    assert f"{report['risk'] * report['error_unit']:.4g}" in lines["its"]
    page = fitted.report_._repr_html_()
    assert "cells read" in page
    assert page.count("<tr>") == len(fitted.report_.lines())


def test_a_quantile_is_told_by_its_loss_in_units_of_the_target():
    rng = np.random.default_rng(0)
    X = rng.random((500, 2))  # a fit is tested on as many rows at first
    y = 1e3 * X[:, 0] * (1 + 3 * rng.normal(size=500))
    model = halfseen.RobustLPRegressor(threat=0, quantile=0.9, tune=3).fit(X, y)
    report, residual = model.report_, y - model.predict(X)
    told = dict(report.lines())
    assert "(loss of the quantile 0.9)" in told["its own test"]
    assert "of the loss of the best constant" in told["explains"]
    of_all = y - np.quantile(y, 0.9)
    ours, constants = (np.maximum(0.9 * r, -0.1 * r).mean() for r in (residual, of_all))
    assert report["risk"] * report["error_unit"] == pytest.approx(ours, rel=0.05)
    assert report["constant_risk"] * report["error_unit"] == pytest.approx(constants, rel=0.02)
    assert ours < 0.8 * constants
    assert np.mean(y <= model.predict(X)) == pytest.approx(0.9, abs=0.01)


def test_notes_are_shown():
    rng = np.random.default_rng(0)
    with pytest.warns(halfseen.DataWarning):
        model = halfseen.RobustLPClassifier(threat=5).fit(rng.normal(size=(60, 6)), np.arange(60) % 2)
    assert str(model.report_).count("note: ") == len(model.report_["notes_text"]) > 0
    assert "<li>" in model.report_._repr_html_()


def test_it_stays_a_dict(fitted):
    assert isinstance(fitted.report_, dict)
    assert json.loads(json.dumps(fitted.report_)) == fitted.report_
    again = pickle.loads(pickle.dumps(fitted))
    assert again.report_ == fitted.report_
    assert str(again.report_) == str(fitted.report_)


def test_a_model_shows_the_weights_that_move_predictions_most():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    X["s5"] /= 1000.0  # a large weight for a small unit
    X["age"] /= 1e6
    model = halfseen.Model(halfseen.FIMLRegressor(shape="linear", random_state=0).fit(X, y).model_)
    text = str(model)
    assert text.startswith("fiml predicts target from 10 columns")
    weights, _ = model.weights()
    moved = {name: abs(weights[name] * X[name].std()) for name in weights}
    largest = max(moved, key=moved.get)
    assert max(weights, key=lambda name: abs(weights[name])) != largest
    head, first = text.splitlines()[2:4]
    assert (head.split()[-1], first.split()[0]) == ("standardised", largest)
    assert float(first.split()[2]) == pytest.approx(weights[largest] * X[largest].std(), rel=0.02)
    assert f"{largest}</td>" in model._repr_html_()
    assert repr(model) == "Model('fiml', columns=10)"


def test_a_model_without_weights_shows_none():
    X, y = load_breast_cancer(return_X_y=True)
    model = halfseen.Model(halfseen.KARMAClassifier(gamma=2).fit(X[:100], y[:100]).model_)
    assert str(model).startswith("karma predicts target, one of 2 classes, from 30 columns\n\nlearner")
    assert "attribute" not in model._repr_html_()


def test_a_bound_that_says_nothing_is_kept_and_not_told():
    X = np.random.default_rng(0).normal(size=(40, 5))
    model = halfseen.RobustLPClassifier(threat=1).fit(X, X[:, 0] + X[:, 1] > 0)
    bound = next(note["risk-bound"] for note in model.report_["notes"] if "risk-bound" in note)
    assert bound["risk"] >= 0.5
    assert not any("Dekel" in text for text in model.report_["notes_text"])


def test_a_best_value_at_the_end_of_its_grid_is_told():
    X = np.random.default_rng(0).normal(size=(60, 3))
    model = halfseen.KARMARegressor(gamma=1, tune=3).fit(X, X @ [1.0, 2.0, 3.0])
    remarks = [note["remark"]["about"] for note in model.report_["notes"] if "remark" in note]
    assert "edge-of-grid" in remarks
    told = next(text for text in model.report_["notes_text"] if text.startswith("the best c"))
    assert "is the largest of the" in told
    assert "in Python c=" in told
