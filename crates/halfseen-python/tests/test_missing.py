"""Hold the estimators of rows with holes to what users rely on."""

import itertools
import json
import pickle
import warnings

import halfseen
import numpy as np
import pytest
import scipy.sparse
from halfseen import (
    KARMAClassifier,
    KARMARegressor,
    MatrixCompletionClassifier,
    MatrixCompletionRegressor,
)
from halfseen._estimator import Estimator
from halfseen._predictors import Classifier, Regressor
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

CLASSIFIERS = [KARMAClassifier, MatrixCompletionClassifier]
REGRESSORS = [KARMARegressor, MatrixCompletionRegressor]
VARIANTS = ["b", "1"]


class Zero(Estimator):
    """Imputation by zero, as the library has it."""

    _learner = "imputation"
    _takes_holes = True

    def __init__(
        self,
        *,
        fill="zero",
        c=1.0,
        loss="auto",
        normalization="trace",
        intercept=True,
        tol=1e-4,
        max_iter=10000,
        scale=None,
    ):
        self.c, self.loss, self.normalization, self.intercept = c, loss, normalization, intercept
        self.tol, self.max_iter, self.scale, self.verbose, self.fill = tol, max_iter, scale, False, fill


class ZeroClassifier(Zero, Classifier):
    """The same for classes."""

    _multi_class = True


class ZeroRegressor(Zero, Regressor):
    """The same for numbers."""


def holed(X, share=0.3, seed=0):
    """Return a copy with so many cells missing."""
    return np.where(np.random.default_rng(seed).random(X.shape) < share, np.nan, X)


def low_rank(rows=200, columns=12, rank=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, rank)) @ rng.normal(size=(rank, columns))
    return X, X @ rng.normal(size=columns)


def seeded(estimator, **parameters):
    """Make an estimator that draws nothing new from fit to fit."""
    made = estimator(**parameters)
    return made.set_params(random_state=0) if "random_state" in made.get_params() else made


@pytest.mark.parametrize("classes", [2, 3])
def test_karma_with_gamma_1_is_imputation_by_zero(classes):
    X, y = load_iris(return_X_y=True)
    X, y = holed(X[y < classes]), y[y < classes]
    for parameters in ({}, {"c": 0.1}, {"loss": "squared"}, {"intercept": False}):
        karma = KARMAClassifier(gamma=1, tol=1e-8, random_state=0, **parameters).fit(X, y)
        zero = ZeroClassifier(tol=1e-8, **parameters).fit(X, y)
        np.testing.assert_allclose(karma.decision_function(X), zero.decision_function(X), atol=2e-3)
        assert karma.report_["objective"] == pytest.approx(zero.report_["objective"], rel=1e-6)


def test_karma_with_gamma_1_regresses_as_imputation_by_zero():
    X, y = load_diabetes(return_X_y=True)
    X = holed(X)
    karma, zero = KARMARegressor(gamma=1, random_state=0).fit(X, y), ZeroRegressor().fit(X, y)
    np.testing.assert_allclose(karma.predict(X), zero.predict(X), rtol=1e-6)


def test_karma_with_gamma_1_and_nothing_missing_is_ridge_regression():
    from sklearn.linear_model import Ridge

    X, y = load_diabetes(return_X_y=True)
    # (1/2)|v|^2 + C sum (1/2)(score - y)^2 over standardised attributes and a constant.
    model = KARMARegressor(gamma=1, c=0.25, normalization="none", random_state=0).fit(X, y)
    Z, target = StandardScaler().fit_transform(X), (y - y.mean()) / y.std()
    ridge = Ridge(alpha=1 / 0.25, fit_intercept=False).fit(np.c_[Z, np.ones(len(y))], target)
    expected = ridge.predict(np.c_[Z, np.ones(len(y))]) * y.std() + y.mean()
    np.testing.assert_allclose(model.predict(X), expected, rtol=1e-8)


def test_sequences_of_attributes_do_better_than_filling_in():
    X, y = low_rank(600)
    X = holed(X, 0.5)
    plain, two, three = (
        KARMARegressor(gamma=gamma, c=10, random_state=0).fit(X[:400], y[:400]).score(X[400:], y[400:])
        for gamma in (1, 2, 3)
    )
    assert min(two, three) > plain + 0.03


@pytest.mark.parametrize("estimator", [*CLASSIFIERS, *REGRESSORS])
def test_bits_do_not_depend_on_threads(estimator):
    X, y = load_breast_cancer(return_X_y=True) if estimator in CLASSIFIERS else load_diabetes(return_X_y=True)
    X = holed(X)
    one, two = (seeded(estimator, n_jobs=jobs).fit(X, y) for jobs in (1, 2))
    assert one._scores(X).tobytes() == two._scores(X).tobytes()


def test_bits_of_random_features_do_not_depend_on_threads():
    X, y = load_breast_cancer(return_X_y=True)
    X = holed(X)
    one, two = (
        KARMAClassifier(features="sketch:200", random_state=3, n_jobs=jobs).fit(X, y) for jobs in (1, 2)
    )
    assert one.decision_function(X).tobytes() == two.decision_function(X).tobytes()
    assert one.score(X, y) > 0.9


@pytest.mark.parametrize("estimator", [KARMAClassifier, MatrixCompletionClassifier])
def test_many_classes_are_told_by_any_label(estimator):
    X, y = load_iris(return_X_y=True)
    names = np.array(["virginica", "setosa", "versicolor"])[y]
    model = seeded(estimator).fit(holed(X, 0.1), names)
    assert model.classes_.tolist() == ["setosa", "versicolor", "virginica"]
    assert model.score(X, names) > 0.75
    assert model.decision_function(X).shape == (150, 3)
    assert model.predict(X).dtype == names.dtype


@pytest.mark.parametrize("variant", VARIANTS)
def test_both_forms_of_matrix_completion(variant):
    X, y = low_rank(300)
    X = holed(X)
    model = MatrixCompletionRegressor(variant=variant, rank_penalty=0.01, label_weight=1).fit(
        X[:200], y[:200]
    )
    assert model.score(X[200:], y[200:]) > 0.75
    assert model.report_["learner"] == "completion"
    assert model.report_["params"]["variant"] == variant
    told = MatrixCompletionClassifier(variant=variant, rank_penalty=0.05).fit(X[:200], y[:200] > 0)
    assert told.score(X[200:], y[200:] > 0) > 0.85


@pytest.mark.parametrize("variant", VARIANTS)
def test_completing_fills_targets_and_holes(variant):
    X, y = low_rank(300)
    seen = holed(X, 0.2)
    known = np.arange(300) % 3 > 0
    model = MatrixCompletionRegressor(variant=variant, rank_penalty=0.003, label_weight=1)
    filled = model.complete(seen, np.where(known, y, np.nan))
    assert np.array_equal(filled.y[known], y[known])
    assert np.corrcoef(filled.y[~known], y[~known])[0, 1] > 0.95
    holes = np.isnan(seen)
    assert np.array_equal(filled.X[~holes], X[~holes])
    assert np.corrcoef(filled.X[holes], X[holes])[0, 1] > 0.9
    assert filled.scores.shape == (300, 1)
    assert not hasattr(model, "model_")
    labels = np.where(y > 0, "up", "down").astype(object)
    told = MatrixCompletionClassifier(variant=variant, rank_penalty=0.05, n_jobs=2)
    filled = told.complete(seen, np.where(known, labels, None))
    assert np.array_equal(filled.y[known], labels[known])
    assert (filled.y[~known] == labels[~known]).mean() > 0.9
    assert np.array_equal(filled.y, told.complete(seen, np.where(known, labels, np.nan)).y)


def test_completing_with_all_targets_known_scores_as_a_fit_does():
    X, y = low_rank(80)
    X = holed(X)
    model = MatrixCompletionRegressor(tol=1e-9, max_iter=100_000)
    filled = model.complete(X, y)
    assert np.array_equal(filled.y, y)
    # A fit predicts each row by what it shows, and has its target for nothing; both know the same of the
    # attributes.
    assert np.corrcoef(filled.scores[:, 0], model.fit(X, y).predict(X))[0, 1] > 0.95


def test_completing_many_classes():
    X, y = load_iris(return_X_y=True)
    known = np.arange(150) % 2 == 0
    filled = MatrixCompletionClassifier(rank_penalty=0.05).complete(holed(X, 0.1), np.where(known, y, np.nan))
    assert filled.scores.shape == (150, 3)
    assert (filled.y == y)[~known].mean() > 0.7
    assert filled.y.dtype == np.float64


def test_completing_refuses_what_cannot_be():
    X, y = low_rank(30)
    model = MatrixCompletionRegressor()
    with pytest.raises(ValueError, match="no target that is known"):
        model.complete(X, np.full(30, np.nan))
    with pytest.raises(ValueError, match=r"row 4, column 'target': inf is not a finite number"):
        model.complete(X, np.where(np.arange(30) == 3, np.inf, y))
    with pytest.raises(ValueError, match="one class"):
        MatrixCompletionClassifier().complete(X, ["a"] * 20 + [None] * 10)
    with pytest.raises(ValueError, match="inconsistent"):
        model.complete(X, y[:-1])
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        model.complete(scipy.sparse.csr_matrix(X), y)
    with pytest.warns(ConvergenceWarning):
        MatrixCompletionRegressor(max_iter=1).complete(X, y)


@pytest.mark.parametrize("estimator", [*CLASSIFIERS, *REGRESSORS])
def test_a_cell_that_is_not_stored_is_a_zero_that_was_seen(estimator):
    X, y = low_rank(120)
    X = np.where(np.abs(X) < 0.5, 0.0, X)
    y = y > 0 if estimator in CLASSIFIERS else y
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    dense, sparse = (seeded(estimator).fit(of, y) for of in (X, scipy.sparse.csr_matrix(X)))
    np.testing.assert_allclose(sparse._scores(X), dense._scores(X), atol=1e-9)
    np.testing.assert_allclose(sparse._scores(scipy.sparse.csc_array(X)), sparse._scores(X), atol=1e-9)


@pytest.mark.parametrize("estimator", [*CLASSIFIERS, *REGRESSORS])
def test_rows_and_columns_that_show_nothing(estimator):
    X, y = low_rank(100)
    X, y = holed(X), y > 0 if estimator in CLASSIFIERS else y
    X[:, 3], X[5] = np.nan, np.nan
    with pytest.warns(halfseen.DataWarning) as said:
        model = seeded(estimator).fit(X, y)
    texts = " ".join(str(warning.message) for warning in said)
    assert "'x3'" in texts
    assert "without any observed attribute: 1" in texts
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nothing = model.predict(np.full((2, 12), np.nan))
    assert nothing[0] == nothing[1]


@pytest.mark.parametrize("estimator", [KARMAClassifier, *CLASSIFIERS[1:], MatrixCompletionRegressor])
def test_a_solver_that_gives_up_says_so(estimator):
    X, y = low_rank(200)
    y = y > 0 if estimator in CLASSIFIERS else y
    with pytest.warns(ConvergenceWarning):
        model = seeded(estimator, max_iter=1, tol=1e-9).fit(holed(X), y)
    assert not model.report_["converged"]
    assert model.score(X, y) > 0


WEIGHTED = [
    (KARMAClassifier, {"tol": 1e-8}),
    (KARMAClassifier, {"tol": 1e-8, "loss": "squared"}),
    (KARMAClassifier, {"tol": 1e-8, "features": "sketch:64"}),
    (KARMARegressor, {}),
]


@pytest.mark.parametrize(("estimator", "parameters"), WEIGHTED)
def test_a_weight_of_2_is_a_row_twice_and_of_0_none(estimator, parameters):
    X, y = low_rank(90)
    X, y = holed(X), np.where(y > 0, "up", "down") if estimator in CLASSIFIERS else y
    weights = np.arange(90) % 3
    model = seeded(estimator, **parameters)
    weighted = clone(model).fit(X, y, sample_weight=weights)
    repeated = clone(model).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    reach = np.abs(repeated._scores(X)).max()
    np.testing.assert_allclose(weighted._scores(X), repeated._scores(X), atol=2e-3 * reach)
    none, ones = clone(model).fit(X, y), clone(model).fit(X, y, sample_weight=np.ones(90))
    assert none._scores(X).tobytes() == ones._scores(X).tobytes()
    assert np.abs(none._scores(X) - weighted._scores(X)).max() > 0.01 * reach


@pytest.mark.parametrize("model", [KARMAClassifier(tol=1e-9), KARMARegressor()])
def test_weights_pass_the_check_of_scikit_learn_at_a_tolerance_like_its_own(model):
    from sklearn.utils import estimator_checks

    name = type(model).__name__
    estimator_checks.check_sample_weight_equivalence_on_dense_data(name, model)
    estimator_checks.check_sample_weight_equivalence_on_sparse_data(name, model)


def test_many_classes_count_by_weights():
    X, y = load_iris(return_X_y=True)
    X, weights = holed(X, 0.1), np.arange(150) % 3
    model = KARMAClassifier(tol=1e-8, random_state=0)
    weighted = clone(model).fit(X, y, sample_weight=weights)
    repeated = clone(model).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_allclose(weighted.decision_function(X), repeated.decision_function(X), atol=5e-3)


def test_weights_that_cannot_be_are_refused():
    X, y = low_rank(40)
    with pytest.raises(ValueError, match="weight"):
        KARMARegressor().fit(X, y, sample_weight=np.where(y > 0, -1.0, 1.0))
    with pytest.raises(ValueError, match="NaN"):
        KARMARegressor().fit(X, y, sample_weight=np.where(y > 0, np.nan, 1.0))
    with pytest.raises(ValueError, match=r"sample_weight.*\(3,\)"):
        KARMARegressor().fit(X, y, sample_weight=[1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="weight"):
        KARMARegressor().fit(X, y, sample_weight=np.zeros(40))
    with pytest.raises(ValueError, match="weights"):
        KARMAClassifier(solver="online").fit(X, y > 0, sample_weight=np.arange(40))
    for estimator in (MatrixCompletionClassifier, MatrixCompletionRegressor):
        with pytest.raises(TypeError, match="sample_weight"):
            estimator().fit(X, y > 0, sample_weight=np.ones(40))


def test_karma_in_pipelines_and_searches():
    X, y = load_breast_cancer(return_X_y=True)
    X = holed(X[:300, :12])
    y = np.array(["malign", "benign"])[y[:300]]
    search = GridSearchCV(
        make_pipeline(StandardScaler(), KARMAClassifier(random_state=0)),
        {"karmaclassifier__gamma": [1, 2], "karmaclassifier__c": [0.1, 1.0]},
        cv=3,
    ).fit(X, y)
    assert search.best_score_ > 0.85
    assert set(search.predict(X)) == {"malign", "benign"}
    assert cross_val_score(KARMAClassifier(random_state=0), X, y, cv=3).min() > 0.8
    copy = clone(search.best_estimator_[-1])
    assert copy.get_params() == search.best_estimator_[-1].get_params()


def test_what_cannot_be_is_refused():
    X, y = low_rank(40)
    for variant in ("2", 2, None):
        with pytest.raises(ValueError, match=r"'variant' parameter of .* must be one of b, 1\. Got"):
            MatrixCompletionClassifier(variant=variant).fit(X, y > 0)
    one, word = (MatrixCompletionRegressor(variant=variant).fit(X, y) for variant in (1, "1"))
    assert np.array_equal(one.predict(X), word.predict(X)), "a number is read as the text that it is"
    for gamma in (0, 65, 1.5):
        with pytest.raises(ValueError, match=r"'gamma' parameter of KARMAClassifier must be .* from 1 to 64"):
            KARMAClassifier(gamma=gamma).fit(X, y > 0)
    halfseen.set_memory_limit(1000)
    try:
        with pytest.raises(halfseen.TooMuchMemory, match=r"karma needs .* use features=sketch:2048"):
            KARMAClassifier().fit(X, y > 0)
    finally:
        halfseen.set_memory_limit(None)
    with pytest.raises(ValueError, match="hinge"):
        KARMARegressor(loss="hinge").fit(X, y)
    with pytest.raises(ValueError, match="logistic"):
        MatrixCompletionRegressor(loss="logistic").fit(X, y)
    with pytest.raises(ValueError, match="infinity"):
        KARMAClassifier().fit(np.where(X > 2, np.inf, X), y > 0)
    for n_jobs in (0, 1.5, "all"):
        with pytest.raises(ValueError, match="n_jobs"):
            KARMAClassifier(n_jobs=n_jobs).fit(X, y > 0)
    with pytest.raises(ValueError, match="features"):
        KARMAClassifier().fit(X, y > 0).predict(X[:, 1:])


def halves(rows, columns, seed=0):
    """Rows with holes, and as many of either class in any two rows."""
    rng = np.random.default_rng(seed)
    codes = np.arange(rows) % 2
    X = rng.normal(size=(rows, columns)) + codes[:, None]
    X[rng.random(X.shape) < 0.3] = np.nan
    return X, codes


def learned(model):
    """The rows that a model keeps, and their coefficients."""
    predictor = json.loads(model.model_.to_json())["predictor"]
    return predictor["support"]["rows"], predictor["coefficients"]


@pytest.mark.filterwarnings("ignore:rows without any observed attribute:halfseen.warnings.DataWarning")
@pytest.mark.parametrize("columns", [3, 60])
@pytest.mark.parametrize("classifies", [True, False])
def test_batches_are_one_batch(columns, classifies):
    X, codes = halves(512, columns)
    y = np.where(codes, "up", "down") if classifies else 2.0 * codes - 1
    estimator = KARMAClassifier if classifies else KARMARegressor
    known = {"classes": ["down", "up"]} if classifies else {}
    settings = {"normalization": "cosine", "loss": "squared", "scale": "none", "random_state": 0}
    whole = estimator(c=0.25, **settings).partial_fit(X, y, **known)
    # Four times as large a c for a quarter of the rows is the same rho.
    parts = estimator(c=1.0, **settings)
    for at, (start, end) in enumerate(itertools.pairwise([0, 128, 129, 200, 390, 512])):
        parts.partial_fit(X[start:end], y[start:end], **(known if at == 0 else {}))
        parts = pickle.loads(pickle.dumps(parts))
    (rows, one), (same, several) = learned(whole), learned(parts)
    assert rows == same
    np.testing.assert_allclose(one, several, rtol=1e-9, atol=1e-12)
    assert parts.report_["examples"] == 512
    assert parts.n_features_in_ == columns
    if classifies:
        assert np.array_equal(whole.predict(X), parts.predict(X))
    else:
        np.testing.assert_allclose(whole.predict(X), parts.predict(X), rtol=1e-9, atol=1e-12)

    # A fit draws another order (the library's tests know it): nearly the same.
    fit = estimator(c=0.25, solver="online", **settings).fit(X, y)
    # The average is over the iterates before each step, so that the last row does not count.
    assert len(learned(fit)[0]) == 511
    if classifies:
        assert np.mean(fit.predict(X) == parts.predict(X)) > 0.97
    else:
        assert np.corrcoef(fit.predict(X), parts.predict(X))[0, 1] > 0.97


@pytest.mark.parametrize("estimator", [KARMAClassifier, KARMARegressor])
def test_partial_fit_keeps_the_contract(estimator):
    X, codes = halves(60, 4)
    classifies = estimator is KARMAClassifier
    y = np.array(["a", "b", "c"])[np.arange(60) % 3] if classifies else X.shape[1] + 3.0 * codes
    model = estimator(random_state=0)
    if classifies:
        with pytest.raises(ValueError, match="classes must be passed on the first call"):
            model.partial_fit(X, y)
        model.partial_fit(X[:10], np.full(10, "a"), classes=["c", "a", "b"])  # one class alone
        assert model.classes_.tolist() == ["a", "b", "c"]
        model.partial_fit(X, y).partial_fit(X, y, classes=["a", "b", "c"])
        with pytest.raises(ValueError, match="was \\['a', 'b', 'c'\\] in the first call"):
            model.partial_fit(X, y, classes=["a", "b"])
        with pytest.raises(ValueError, match="y holds 'd'"):
            model.partial_fit(X[:1], ["d"])
        assert model.report_["examples"] == 130
        assert model.decision_function(X).shape == (60, 3)
    else:
        model.partial_fit(X[:1], y[:1]).partial_fit(X, y)
        assert model.report_["examples"] == 61
        assert 3 < model.predict(X).mean() < 9
    with pytest.raises(ValueError, match="5 features"):
        model.partial_fit(np.ones((1, 5)), y[:1])
    # A fit forgets the batches, and a batch the fit.
    fitted = model.fit(X, y).predict(X)
    assert np.array_equal(fitted, clone(model).fit(X, y).predict(X))
    again = model.partial_fit(X, y)
    assert again.report_["examples"] == 60
    known = {"classes": ["a", "b", "c"]} if classifies else {}
    assert learned(again) == learned(estimator(random_state=0).partial_fit(X, y, **known))
    # Nothing is scaled by rows that have not come.
    with pytest.raises(ValueError, match="scale"):
        estimator(scale="each").partial_fit(X, y, **known)
    with pytest.raises(ValueError, match="features = exact"):
        estimator(features="sketch:64").partial_fit(X, y, **known)


def test_one_pass_over_numbers_learns_at_the_default_c():
    X, y = load_diabetes(return_X_y=True)
    assert KARMARegressor(solver="online", random_state=0).fit(X, y).score(X, y) > 0.3
    assert (
        KARMARegressor()
        .partial_fit(StandardScaler().fit_transform(X), y)
        .score(StandardScaler().fit_transform(X), y)
        > 0.3
    )
