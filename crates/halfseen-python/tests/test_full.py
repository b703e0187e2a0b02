"""Hold the references with full information to what they promise."""

import numpy as np
import pytest
import scipy.sparse
from halfseen import (
    DataWarning,
    KARMARegressor,
    OnlineLassoClassifier,
    OnlineLassoRegressor,
    RobustLPRegressor,
)
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import cross_val_score

VARIANTS = ["eg", "ogd", "rda"]


def numbers(rows=2000, columns=8):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, columns))
    return X, 3 * X[:, 0] - X[:, 1] + 5 + 0.1 * rng.normal(size=rows)


@pytest.mark.parametrize("variant", VARIANTS)
def test_weights_are_found_within_the_ball(variant):
    X, y = numbers()
    model = OnlineLassoRegressor(variant=variant, radius=4, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.9
    # In scaled units, where the ball is.
    assert np.abs(model.coef_ * X.std(axis=0) / y.std()).sum() <= 4 * (1 + 1e-9)
    small = OnlineLassoRegressor(variant=variant, radius=0.2, random_state=0).fit(X, y)
    assert np.abs(small.coef_ * X.std(axis=0) / y.std()).sum() <= 0.2 * (1 + 1e-9)
    assert small.score(X, y) < model.score(X, y)


def test_every_cell_is_read_once():
    X, y = numbers(100)
    model = OnlineLassoRegressor(random_state=0).fit(X, y)
    assert (model.reads_, model.distinct_, model.n_iter_) == (800, 800, 1)


def test_a_seed_repeats_and_others_differ():
    X, y = numbers(200)
    first, again, other = (OnlineLassoRegressor(random_state=seed).fit(X, y).coef_ for seed in (1, 1, 2))
    assert first.tobytes() == again.tobytes()
    assert first.tobytes() != other.tobytes()
    drawn = OnlineLassoRegressor().fit(X, y)
    assert (
        OnlineLassoRegressor(random_state=drawn.report_["params"]["seed"]).fit(X, y).coef_.tobytes()
        == drawn.coef_.tobytes()
    )


def test_classes_are_told():
    X, y = load_breast_cancer(return_X_y=True)
    assert cross_val_score(OnlineLassoClassifier(radius=2, random_state=0), X, y, cv=3).min() > 0.85
    labels = np.array(["malign", "benign"])[y]
    model = OnlineLassoClassifier(radius=2, random_state=0).fit(X, labels)
    assert model.classes_.tolist() == ["benign", "malign"]
    assert np.array_equal(model.predict(X) == "malign", model.decision_function(X) > 0)
    assert (model.coef_.shape, model.intercept_.shape) == ((1, 30), (1,))


def test_sparse_rows_are_as_dense_ones():
    X, y = numbers(300)
    X[np.abs(X) < 0.5] = 0.0
    dense, sparse = (
        OnlineLassoRegressor(random_state=0).fit(of, y) for of in (X, scipy.sparse.csr_matrix(X))
    )
    np.testing.assert_allclose(sparse.coef_, dense.coef_, atol=1e-12)


def test_what_cannot_be_is_refused():
    X, y = numbers(50)
    with pytest.raises(ValueError, match=r"'variant' parameter .* must be one of eg, ogd, rda\. Got 'sgd'"):
        OnlineLassoRegressor(variant="sgd").fit(X, y)
    with pytest.raises(
        ValueError, match=r"'radius' parameter of OnlineLassoRegressor must be .* above 0\. Got -1"
    ):
        OnlineLassoRegressor(radius=-1.0).fit(X, y)
    with pytest.raises(ValueError, match="Only binary classification"):
        OnlineLassoClassifier().fit(X, np.arange(50) % 3)
    X[3, 2] = np.nan
    with pytest.raises(ValueError, match="contains NaN"):
        OnlineLassoRegressor().fit(X, y)
    with pytest.raises(TypeError, match="sample_weight"):
        OnlineLassoRegressor().fit(X, y, sample_weight=np.ones(50))


@pytest.mark.parametrize("estimator", [OnlineLassoRegressor(), KARMARegressor(), RobustLPRegressor()])
def test_a_fit_that_is_not_shown_better_than_a_constant_warns(estimator):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(40, 5)), rng.normal(size=40)
    with pytest.warns(DataWarning, match="its own test cannot distinguish it from a constant"):
        estimator.fit(X, y)
    assert any("not-shown-better" in note for note in estimator.report_["notes"])
    assert estimator.report_["risk"] > 0
    X = rng.normal(size=(400, 5))
    estimator.fit(X, 2 * X[:, 0] + 0.1 * rng.normal(size=400))
    assert not any("not-shown-better" in note for note in estimator.report_["notes"])
