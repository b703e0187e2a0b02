"""Hold robust estimators of more than two classes, and saved ones, to what users rely on."""

import halfseen
import numpy as np
import pytest
from halfseen import RobustLPClassifier, RobustPerceptronClassifier
from halfseen.robust import attack, attributes, certify


@pytest.mark.parametrize("of", [RobustLPClassifier, RobustPerceptronClassifier])
def test_more_than_two_classes_are_learned_attacked_and_certified(of):
    rng = np.random.default_rng(1)
    seed = {"random_state": 0} if "random_state" in of().get_params() else {}
    at = rng.integers(3, size=300)
    X = rng.normal(size=(300, 9)) + 2.0 * (np.arange(9) // 3 == at[:, None])
    y = np.array(["red", "green", "blue"])[at]
    model = of(threat=1, **seed).fit(X, y)
    assert (model.coef_.shape, model.intercept_.shape) == ((3, 9), (3,))
    scores = model.decision_function(X)
    np.testing.assert_allclose(scores, X @ model.coef_.T + model.intercept_, rtol=1e-9, atol=1e-9)
    assert np.array_equal(model.predict(X), model.classes_[scores.argmax(axis=1)])
    assert model.score(X, y) > 0.8
    proof = certify(model, X)
    for threat in (0, 1, 2, 4):
        attacked = attack(model, X, y, threat=threat)
        assert (attacked.scores.shape, attacked.unproven) == ((300, 3), 0)
        assert proof.error(threat, y) == pytest.approx(1 - attacked.score)
    # The deletions that a certificate names change the class.
    row = int(np.flatnonzero([len(flips) > 0 for flips in proof.flips])[0])
    deleted = X[[row]].copy()
    deleted[0, proof.flips[row]] = np.nan
    assert model.predict(deleted) != model.predict(X[[row]])
    informed = of(threat=1, costs="mi", **seed).fit(X, y)
    assert sum(informed.report_["threat"]["costs"]) == pytest.approx(9)


def test_a_saved_model_is_certified_and_attacked(tmp_path):
    rng = np.random.default_rng(0)
    y = np.where(rng.random(200) < 0.5, "up", "down")
    X = rng.normal(size=(200, 6)) + 0.8 * np.where(y == "up", 1, -1)[:, None]
    model = RobustLPClassifier(threat=1).fit(X, y)
    model.save(tmp_path / "m.json")
    loaded = halfseen.load(tmp_path / "m.json")
    assert attributes(loaded) == attributes(model)
    assert np.array_equal(certify(loaded, X).certified, certify(model, X).certified)
    assert attack(loaded, X, y).score == attack(model, X, y).score
