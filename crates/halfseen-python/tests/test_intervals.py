"""Hold conformal intervals of all regressors to their level, and to a few lines of NumPy."""

import numpy as np
import pytest
from halfseen import AERRRegressor, FIMLRegressor, KARMAClassifier, KARMARegressor
from halfseen._from_model import estimator_classes
from sklearn.base import clone, is_regressor
from sklearn.exceptions import NotFittedError

REGRESSORS = [of for of in estimator_classes() if is_regressor(of())]


def drawn(rows, seed, holes=0.0):
    """Return attributes with a common cause, some missing, and targets with uneven noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 4)) + rng.normal(size=(rows, 1))
    y = X[:, 0] - X[:, 1] + (0.2 + np.abs(X[:, 2])) * rng.normal(size=rows) + 5.0
    return np.where(rng.random(X.shape) < holes, np.nan, X), y


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("of", REGRESSORS, ids=lambda of: of.__name__)
def test_every_regressor_covers_as_often_as_it_says(of):
    model = of().fit(*drawn(300, 0))
    known = drawn(600, 1, holes=0.2)
    for holes in (0.0, 0.4):
        X, y = drawn(1500, 2, holes)
        ends = model.predict_interval(X, 0.8, calibration=known)
        assert ends.shape == (1500, 2)
        inside = np.mean((ends[:, 0] <= y) & (y <= ends[:, 1]))
        # Complete rows share some 250 calibration rows: a deviation of 0.027; unions are cautious.
        assert 0.72 < inside < 0.9, inside


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95])
def test_intervals_of_complete_rows_are_a_quantile_of_errors(level):
    model = AERRRegressor(random_state=0).fit(*drawn(300, 0))
    X, y = drawn(100, 1)
    rows, _ = drawn(20, 2)
    ends = model.predict_interval(rows, level, calibration=[X, y.tolist()])
    half = np.sort(np.abs(y - model.predict(X)))[int(np.ceil(101 * level - 1e-9)) - 1]
    np.testing.assert_allclose(ends.mean(axis=1), model.predict(rows))
    np.testing.assert_allclose(np.ptp(ends, axis=1), 2 * half)


def test_frames_sparse_rows_and_saved_models_have_the_same_intervals():
    pandas = pytest.importorskip("pandas")
    sparse = pytest.importorskip("scipy.sparse")
    (X, y), (rows, _) = drawn(80, 1, 0.2), drawn(30, 2, 0.2)
    model = AERRRegressor(random_state=0).fit(*drawn(300, 0))
    ends = model.predict_interval(rows, calibration=(X, y))
    np.testing.assert_array_equal(
        ends, model.predict_interval(sparse.csr_array(rows), calibration=(sparse.csr_array(X), y))
    )
    names = ["a", "b", "c", "d"]
    train, known, new = (pandas.DataFrame(cells, columns=names) for cells in (drawn(300, 0)[0], X, rows))
    named = clone(model).fit(train, drawn(300, 0)[1])
    np.testing.assert_array_equal(ends, named.predict_interval(new, calibration=(known, pandas.Series(y))))
    assert len(model.predict_interval(rows[:1], calibration=(X, y))) == 1


def test_wider_where_less_is_seen_and_own_intervals_stay():
    model = FIMLRegressor(random_state=0).fit(*drawn(600, 0))
    X = drawn(500, 1)[0]
    own = model.predict_interval(X[:5])
    assert own.shape == (5, 2)
    np.testing.assert_array_equal(own, model.predict_interval(X[:5], calibration=None))
    known = drawn(500, 2)
    whole = np.ptp(model.predict_interval(X[:1], calibration=known), axis=1)
    empty = np.ptp(model.predict_interval(np.full((1, 4), np.nan), calibration=known), axis=1)
    assert empty > 1.1 * whole


def test_what_cannot_be_calibrated_is_refused():
    X, y = drawn(40, 1)
    with pytest.raises(NotFittedError):
        KARMARegressor().predict_interval(X, calibration=(X, y))
    model = KARMARegressor().fit(*drawn(60, 0))
    with pytest.raises(ValueError, match="knows no distribution of the target"):
        model.predict_interval(X)
    with pytest.raises(ValueError, match=r"level 0\.95 needs at least 19 rows, got 18"):
        model.predict_interval(X, 0.95, calibration=(X[:18], y[:18]))
    for level in (0, 1, np.nan):
        with pytest.raises(ValueError, match="above 0 and below 1"):
            model.predict_interval(X, level, calibration=(X, y))
    for pair in (X, (X,), (X, y, y), "Xy"):
        with pytest.raises(TypeError, match=r"a pair \(X, y\)"):
            model.predict_interval(X, calibration=pair)
    with pytest.raises(ValueError, match="expected 40, got 39"):
        model.predict_interval(X, calibration=(X, y[1:]))
    with pytest.raises(ValueError, match="X has 3 features"):
        model.predict_interval(X, calibration=(X[:, :3], y))
    with pytest.raises(ValueError, match="not a finite number"):
        model.predict_interval(X, calibration=(X, np.where(y == y[3], np.nan, y)))
    with pytest.raises(TypeError):
        model.predict_interval(X, 0.9, (X, y))
    assert not hasattr(KARMAClassifier(), "predict_interval")
