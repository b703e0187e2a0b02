"""Hold the curves of FIML's models to numpy: predictions by hand, errors, files, refusals."""

import pickle

import halfseen
import numpy as np
import pytest
from halfseen import FIMLClassifier, FIMLRegressor, plotting


def bent(n=600, seed=0):
    """Return attributes of which the first has a square, and the target."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, size=(n, 5)) * [1, 10, 1, 0.1, 1]
    return X, 50 * X[:, 0] ** 2 + 5 * X[:, 1] + 5 * rng.normal(size=n) + 100


def by_hand(model, X, bounded=True):
    """Return the scores of complete rows."""
    X = np.clip(X, *model.cell_range_.T) if bounded else X
    heights = [np.interp(X[:, curve.feature], curve.knots, curve.heights) for curve in model.curve_]
    return np.column_stack([X, *heights]) @ np.ravel(model.coef_) + np.ravel(model.intercept_)


def test_predictions_are_sums_of_lines_and_curves():
    X, y = bent()
    model = FIMLRegressor(shape="additive", budget=3, random_state=0).fit(X, y)
    assert model.curve_[0].feature == 0
    assert model.coef_.shape == (5 + len(model.curve_),)
    fresh, targets = bent(300, seed=1)
    fresh[0] = 1e6  # cells beyond the range count as its ends
    ends = y.min(), y.max()
    np.testing.assert_allclose(model.predict(fresh), np.clip(by_hand(model, fresh), *ends), rtol=1e-9)
    free = by_hand(model, fresh, bounded=False)
    np.testing.assert_allclose(model.predict(fresh, clip=False), free, rtol=1e-9)
    line = FIMLRegressor(shape="linear", budget=3, random_state=0).fit(X, y)
    assert model.score(fresh[1:], targets[1:]) > 0.9 > line.score(fresh[1:], targets[1:]) + 0.1
    # By default curves are used where they help.
    default = FIMLRegressor(budget=3, random_state=0).fit(X, y)
    assert default.curve_[0].feature == 0
    assert default.score(fresh[1:], targets[1:]) > 0.9


def test_a_model_without_curves_has_none():
    X, y = bent()
    model = FIMLRegressor(shape="linear", budget=3, random_state=0).fit(X, y)
    assert model.curve_ == []
    assert model.coef_.shape == (5,)
    assert model.cell_range_.shape == (5, 2)
    np.testing.assert_allclose(model.predict(X, clip=False), by_hand(model, X), rtol=1e-9)
    assert not hasattr(halfseen.AERRRegressor(budget=2, random_state=0).fit(X, y), "curve_")
    with pytest.raises(ValueError, match="not fitted"):
        _ = FIMLRegressor().curve_


def test_classifiers_have_curves():
    X, y = bent()
    names = np.where(y > np.median(y), "yes", "no")
    model = FIMLClassifier(shape="additive", random_state=0).fit(X, names)
    assert model.coef_.shape == (1, 5 + len(model.curve_))
    assert model.curve_
    np.testing.assert_allclose(model.decision_function(X), by_hand(model, X), rtol=1e-9, atol=1e-12)
    far = 5 * X
    np.testing.assert_array_equal(model.predict(far) == "yes", model.decision_function(far) > 0)


def test_errors_cover_curves_and_files_keep_them(tmp_path):
    X, y = bent()
    model = FIMLRegressor(shape="additive", deviations=20, random_state=0).fit(X, y)
    errors = model.coef_errors_
    assert errors.shape == model.coef_.shape
    assert (errors > 0).all()
    assert model.predict_interval(X[:3]).shape == (3, 2)
    model.save(tmp_path / "m.json")
    for again in (halfseen.load(tmp_path / "m.json").estimator(), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(again.coef_, model.coef_)
        for one, other in zip(again.curve_, model.curve_, strict=True):
            assert one.feature == other.feature
            np.testing.assert_array_equal(one.knots, other.knots)
            np.testing.assert_array_equal(one.heights, other.heights)
    weights, _ = halfseen.load(tmp_path / "m.json").weights()
    assert list(weights)[5:] == [f"curve of x{curve.feature}" for curve in model.curve_]


def test_images_and_attacks_refuse_curves():
    X, y = bent()
    model = FIMLRegressor(shape="additive", budget=3, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="shape='linear'"):
        plotting.WeightsDisplay.from_estimator(model, shape=(2, 3))
    with pytest.raises(ValueError, match="imputes a missing cell"):
        halfseen.robust.attack(model, X, y, threat=1)
    with pytest.raises(ValueError, match="'shape' parameter of FIMLRegressor must be"):
        FIMLRegressor(shape="bent").fit(X, y)
