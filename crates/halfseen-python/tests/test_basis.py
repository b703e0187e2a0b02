"""Learn bent functions by weighted sums: the hat functions of attributes."""

import pickle

import halfseen
import numpy as np
import pytest
from halfseen import (
    AERRRegressor,
    KARMARegressor,
    MatrixCompletionRegressor,
    RobustLPClassifier,
    RobustLPRegressor,
)
from sklearn.base import clone


def bent(count=400, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, size=(count, 3))
    return X, X[:, 0] ** 2 - np.abs(X[:, 1]) + 0.1 * rng.normal(size=count)


def error(model, X, y):
    return np.mean((model.predict(X) - y) ** 2)


def test_hats_follow_a_curve_that_a_line_does_not():
    X, y = bent()
    test = bent(seed=1)
    for plain in (KARMARegressor(gamma=1, c=10), RobustLPRegressor(threat=0)):
        hats = clone(plain).set_params(basis="hats")
        assert hats.get_params()["basis"] == "hats"
        assert plain.get_params()["basis"] is None
        line, curve = error(plain.fit(X, y), *test), error(hats.fit(X, y), *test)
        assert curve < 0.5 * line, type(plain).__name__


def test_an_array_a_frame_a_file_and_a_pickle_predict_alike(tmp_path):
    pd = pytest.importorskip("pandas")
    X, y = bent(200)
    model = RobustLPRegressor(basis="hats", threat=0).fit(X, y)
    assert model.n_features_in_ == 3
    assert model.coef_.shape == (15,)
    expected = model.predict(X)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), expected)
    np.testing.assert_array_equal(model.predict(X.tolist()), expected)
    framed = RobustLPRegressor(basis="hats", threat=0).fit(pd.DataFrame(X, columns=list("abc")), y)
    turned = pd.DataFrame(X[:, ::-1], columns=list("cba"))
    np.testing.assert_array_equal(framed.predict(turned[["a", "b", "c"]]), expected)
    model.save(tmp_path / "m.json")
    loaded = halfseen.load(tmp_path / "m.json")
    np.testing.assert_array_equal(loaded.predict(X), expected)
    assert loaded.declared()["basis"] == "hats"
    names = list(loaded.weights()[0])
    assert names[0] == "x0"
    assert names[1].startswith("x0 near ")
    wide = np.column_stack([X] * 5)
    with pytest.raises(ValueError, match="features"):
        model.predict(wide)


def test_a_read_is_of_all_functions_of_an_attribute():
    X, y = bent(600)
    bounds = dict.fromkeys(range(3), (-2.0, 2.0))
    model = AERRRegressor(budget=2, bounds=bounds, basis="hats", random_state=0).fit(X, y)
    assert model.attributes_read_.shape == (3,)
    assert model.distinct_ == model.attributes_read_.sum()
    assert model.distinct_ <= 2 * 600


def test_a_missing_cell_hides_all_functions():
    X, y = bent(300)
    X[:, :2][np.random.default_rng(2).random((300, 2)) < 0.2] = np.nan
    model = KARMARegressor(basis="hats", gamma=1).fit(X, y)
    assert np.isfinite(model.predict(X)).all()


def test_a_deletion_is_of_all_functions():
    X, y = bent(100)
    model = RobustLPClassifier(basis="hats", threat=1).fit(X, y > 0)
    assert model.score(X, y > 0) > 0.6
    assert model.coef_.shape == (1, 15)


def test_a_completed_matrix_has_no_functions():
    X, y = bent(40)
    y[:5] = np.nan
    with pytest.raises(ValueError, match="one column for each attribute"):
        MatrixCompletionRegressor(basis="hats").complete(X, y)
