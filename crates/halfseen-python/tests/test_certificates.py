"""Hold certificates to every deletion."""

import halfseen
import numpy as np
import pytest
from deleting import CLASSIFIERS, cheapest, seeded, signs
from halfseen import RobustLPClassifier, RobustLPRegressor
from halfseen.robust import attack, attributes, certify
from sklearn.datasets import load_breast_cancer, load_diabetes


@pytest.mark.parametrize("estimator", CLASSIFIERS)
@pytest.mark.parametrize("values", [None, [1, 2, 3, 1, 2, 3], [0.5, 1.7, 0.3, 2.2, 1.1, 0.9]])
def test_certificates_hold_against_every_deletion(estimator, values):
    X, y = signs()
    model = seeded(estimator, threat=1).fit(X, y)
    prices = np.ones(6) if values is None else np.array(values, dtype=float)
    certificates = model.certify(X[:25], costs=values)
    assert len(certificates) == 25
    assert certificates.exact.all()
    assert np.array_equal(certificates.prediction, model.predict(X[:25]))
    assert np.array_equal(certificates.costs, prices)
    turned = 0
    for row, certified, flips_at, flips in zip(
        X[:25], certificates.certified, certificates.flips_at, certificates.flips, strict=True
    ):
        least = cheapest(model, row, prices)
        assert np.isnan(least) == np.isnan(flips_at)
        if np.isnan(least):
            assert certified == prices.sum()
            assert len(flips) == 0
            continue
        turned += 1
        assert certified < least <= flips_at * (1 + 1e-12)
        assert flips_at == pytest.approx(least)
        assert certified == pytest.approx(least if values and values[0] == 0.5 else least - 1)
        deleted = row.copy()
        deleted[flips] = np.nan
        assert model.predict(deleted[None]) != model.predict(row[None])
        assert prices[flips].sum() == pytest.approx(flips_at)
    assert turned > 5


def test_deletions_are_of_attributes_and_not_of_their_functions():
    X, y = load_breast_cancer(return_X_y=True)
    X = X[:, [0, 1, 4, 7, 20, 27]]
    model = RobustLPClassifier(threat=1, scale="each", basis="hats").fit(X, y)
    assert model.coef_.shape[1] > 6
    certificates, turned = model.certify(X[:60]), 0
    for row, flips_at, flips in zip(X[:60], certificates.flips_at, certificates.flips, strict=True):
        assert len(flips) == (0 if np.isnan(flips_at) else flips_at)
        deleted = row.copy()
        deleted[flips] = np.nan
        turned += len(flips) > 0
        assert (model.predict(deleted[None]) != model.predict(row[None])) == (len(flips) > 0)
    assert turned > 20


def test_certificates_of_numbers_hold_against_every_deletion():
    X, y = load_diabetes(return_X_y=True)
    X = X[:, [2, 3, 6, 7, 8, 9]]
    model = RobustLPRegressor(threat=1).fit(X, y)
    certificates = certify(model, X[:20], within=20.0)
    for row, certified, flips_at in zip(X[:20], certificates.certified, certificates.flips_at, strict=True):
        least = cheapest(model, row, np.ones(6), within=20.0)
        assert flips_at == least or (np.isnan(flips_at) and np.isnan(least))
        assert certified == (6 if np.isnan(least) else least - 1)
    assert np.isfinite(certificates.flips_at).sum() > 3
    assert certificates.error(0) == 0.0
    assert certificates.error(5) == np.mean(certificates.certified < 5)


def test_the_certified_error_bounds_every_attack():
    X, y = load_breast_cancer(return_X_y=True)
    model = RobustLPClassifier(threat=3).fit(X, y)
    certificates = model.certify(X)
    for threat in (0, 1, 3, 6):
        attacked = attack(model, X, y, threat=threat)
        # Of equal values the exact attack is the worst there is.
        assert attacked.unproven == 0
        assert certificates.error(threat, y) == pytest.approx(1 - attacked.score)
        for kind in ("greedy", "random", "greedy-value", "greedy-weight"):
            assert attack(model, X, y, threat=threat, kind=kind).score >= attacked.score
    assert certificates.error(0, y) == pytest.approx(1 - model.score(X, y))
    assert certificates.error(29) == np.mean(certificates.certified < 29)


@pytest.mark.parametrize("plain", [halfseen.AERRClassifier, halfseen.AELRClassifier])
def test_any_weighted_sum_can_be_tried(plain):
    X, y = signs(400)
    model = seeded(plain).fit(X, y)
    certificates = certify(model, X[:10])
    for row, flips_at in zip(X[:10], certificates.flips_at, strict=True):
        np.testing.assert_equal(flips_at, cheapest(model, row, np.ones(6)))
    assert attack(model, X, y, threat=0).score == model.score(X, y)
    assert attack(model, X, y, threat=2).score < model.score(X, y)
    with pytest.raises(ValueError, match=r"prepares for no threat of its own.*threat=10"):
        attack(model, X, y)


def test_certificates_say_what_the_model_was_prepared_for():
    X, y = np.random.default_rng(0).normal(size=(60, 5)), np.arange(60) % 2
    X[:, :4] += 2.0 * y[:, None]
    model = RobustLPClassifier(threat=2).fit(X, y)
    found = certify(model, X)
    survive = int(np.sum(found.certified >= 2))
    assert found.prepared_for == 2
    told = "the model was prepared for the deletion of any 2 of 5 attributes:"
    assert str(found) == f"{told} {survive} of 60 predictions survive any 2"
    other = certify(model, X, costs=[1.0, 2.0, 1.0, 1.0, 1.0])
    assert other.prepared_for is None
    assert "prepared" not in str(other)
    assert "survive the deletion of attributes that cost 1 together" in str(other)


def test_known_attributes_never_vanish_and_groups_vanish_together():
    X, y = signs()
    model = RobustLPClassifier(threat=1, known=[5], groups={"both": [0, 3]}).fit(X, y)
    assert attributes(model) == ("both", "x1", "x2", "x4")
    certificates = model.certify(X)
    assert certificates.attributes == attributes(model)
    met = {tuple(flips.tolist()) for flips in certificates.flips}
    assert any(0 in flips for flips in met)
    assert all((0 in flips) == (3 in flips) and 5 not in flips for flips in met)
    for row, flips in zip(X, certificates.flips, strict=True):
        if len(flips):
            deleted = row.copy()
            deleted[flips] = np.nan
            assert model.predict(deleted[None]) != model.predict(row[None])
    holed = X.copy()
    holed[:, [0, 3]] = np.nan
    assert (model.certify(holed).missing == 1).all()
