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
    variance = np.var(load_diabetes(return_X_y=True)[1])
    assert fitted.report_["target_variance"] == pytest.approx(variance, rel=0.01)
    share = round(100 * (1 - fitted.report_["risk"]))
    error = f"{fitted.report_['target_variance']:.4g}"
    assert lines["explains"] == f"{share} % of the variance of the target; the error of its mean is {error}"
    assert f"{fitted.report_['risk'] * fitted.report_['target_variance']:.4g}" in lines["its"]
    page = fitted.report_._repr_html_()
    assert "cells read" in page
    assert page.count("<tr>") == len(fitted.report_.lines())


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


def test_a_model_shows_its_largest_weights(fitted):
    model = halfseen.Model(fitted.model_)
    text = str(model)
    assert text.startswith("fiml predicts target from 10 columns")
    weights, _ = model.weights()
    largest = max(weights, key=lambda name: abs(weights[name]))
    assert text.splitlines()[2].split()[0] == largest
    assert f"{largest}</td>" in model._repr_html_()
    assert repr(model) == "Model('fiml', columns=10)"


def test_a_model_without_weights_shows_none():
    X, y = load_breast_cancer(return_X_y=True)
    model = halfseen.Model(halfseen.KARMAClassifier(gamma=2).fit(X[:100], y[:100]).model_)
    assert str(model).startswith("karma predicts target, one of 2 classes, from 30 columns\n\nlearner")
    assert "attribute" not in model._repr_html_()
