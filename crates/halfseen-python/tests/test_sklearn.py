"""Hold every estimator to scikit-learn's contract."""

import io
import pickle
import warnings

import joblib
import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import skops.io
from halfseen import (
    AERRClassifier,
    AERRRegressor,
    Encoder,
    KARMAClassifier,
    KARMARegressor,
    RobustLPClassifier,
    RobustLPRegressor,
)
from halfseen.testing import estimators, expected_failed_checks
from sklearn.base import clone, is_classifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils._param_validation import InvalidParameterError
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks
from sklearn.utils.validation import has_fit_parameter

LEARNERS = [estimator for estimator in estimators() if not isinstance(estimator, Encoder)]
EACH = pytest.mark.parametrize("estimator", LEARNERS, ids=lambda estimator: type(estimator).__name__)


def data(classes=False, rows=60, columns=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    y = X @ np.arange(1.0, columns + 1) + 0.1 * rng.normal(size=rows)
    return X, np.where(y > 0, "yes", "no") if classes else y


def fitted(estimator, X=None, y=None):
    """Fit a copy; what it has to say of tiny data is not what these tests are about."""
    own = data(is_classifier(estimator))
    estimator = clone(estimator)
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return estimator.fit(own[0] if X is None else X, own[1] if y is None else y)


def scores(estimator, X):
    return estimator.decision_function(X) if is_classifier(estimator) else estimator.predict(X)


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(estimators(), expected_failed_checks=expected_failed_checks, xfail_strict=True)
def test_contract(estimator, check):
    check(estimator)


def test_checks_fail_for_at_most_two_reasons():
    for estimator in estimators():
        expected = expected_failed_checks(estimator)
        assert len(set(expected.values())) <= 2
        assert len(expected) <= 3
        assert all(name.startswith("check_") and len(reason) > 40 for name, reason in expected.items())
        with pytest.raises(ValueError, match="inf"):
            fitted(estimator, np.array([[1.0, np.inf], [1.0, 2.0], [0.0, 1.0]]), np.array([0, 1, 1]))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "estimator",
    [
        KARMAClassifier(solver="online"),
        KARMARegressor(solver="online"),
        KARMAClassifier(loss="squared"),
        KARMAClassifier(features="sketch:64"),
        KARMARegressor(features="sketch:64"),
        RobustLPClassifier(chunk=10),
        RobustLPRegressor(chunk=10),
    ],
    ids=repr,
)
def test_the_checks_expected_to_fail_follow_the_parameters(estimator):
    expected = expected_failed_checks(estimator)
    done = check_estimator(clone(estimator), expected_failed_checks=expected, on_fail=None)
    failed = {of["check_name"] for of in done if of["status"] == "failed"}
    assert not failed, "not declared"
    assert {of["check_name"] for of in done if of["status"] == "xfail"} == set(expected), (
        "declared and passed"
    )
    assert all(len(reason) > 40 for reason in expected.values())


@EACH
def test_weights_are_refused_with_the_class_and_the_reason(estimator):
    X, y = data(is_classifier(estimator))
    name = type(estimator).__name__
    methods = [getattr(estimator, of) for of in ("fit", "partial_fit") if hasattr(estimator, of)]
    for method in methods:
        if has_fit_parameter(estimator, "sample_weight"):
            continue
        with pytest.raises(
            TypeError, match=rf"^{name}\.{method.__name__}\(\) takes no sample_weight: .*Omit it"
        ):
            method(X, y, sample_weight=np.ones(len(y)))
        with pytest.raises(TypeError, match=rf"^{name}\.{method.__name__}\(\) got an unexpected .*'weights'"):
            method(X, y, weights=np.ones(len(y)))


def test_warnings_name_the_line_of_the_caller():
    X, y = data()
    model = AERRRegressor(budget=2, total_budget=20, random_state=0)
    calls = [
        lambda: clone(model).fit(X, y),
        lambda: make_pipeline(clone(model)).fit(X, y),
        lambda: clone(model).partial_fit(X, y),
        lambda: cross_val_score(make_pipeline(StandardScaler(), clone(model)), X, y, cv=2),
        lambda: Encoder().fit(pd.DataFrame({"a": [1.0], "day": ["2024-01-31"]})),
    ]
    for call in calls:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            call()
        assert told
        assert {warning.filename for warning in told} == {__file__}


def test_every_public_estimator_is_listed():
    import halfseen

    listed = {type(estimator).__name__ for estimator in estimators()}
    named = {name for name in halfseen.__all__ if isinstance(getattr(halfseen, name), type)}
    assert {name for name in named if hasattr(getattr(halfseen, name), "get_params")} == listed
    assert len(listed) > 25


@EACH
def test_sparse_matrices_of_any_format_are_the_dense_ones(estimator):
    X, y = data(is_classifier(estimator))
    X[np.abs(X) < 0.7] = 0.0
    dense = fitted(estimator, X, y)
    formats = (scipy.sparse.csr_matrix, scipy.sparse.csc_array, scipy.sparse.coo_array)
    for sparse in (of(X) for of in formats):
        model = fitted(estimator, sparse, y)
        np.testing.assert_allclose(scores(model, sparse), scores(model, X), rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(scores(model, X), scores(dense, X), rtol=1e-6, atol=1e-6)


def test_sparse_entries_given_twice_or_in_any_order_are_summed_and_the_callers_stay_as_they_are():
    X, y = data()
    X[np.abs(X) < 0.7] = 0.0
    coo = scipy.sparse.coo_array(X)
    order = np.random.default_rng(1).permutation(coo.nnz)
    rows, columns = coo.row[order], coo.col[order]
    twice = scipy.sparse.csr_array(
        (np.tile(coo.data[order] / 2, 2), (np.tile(rows, 2), np.tile(columns, 2))), shape=X.shape
    )
    doubled = scipy.sparse.csr_array(
        (np.repeat(twice.data, 2) / 2, np.repeat(twice.indices, 2), twice.indptr * 2), shape=X.shape
    )
    before = doubled.nnz
    model = fitted(AERRRegressor(), doubled, y)
    assert doubled.nnz == before
    np.testing.assert_array_equal(model.coef_, fitted(AERRRegressor(), X, y).coef_)


@EACH
def test_pickles_clones_and_joblib_keep_every_bit(estimator):
    X, _ = data()
    model = fitted(estimator)
    with io.BytesIO() as file:
        joblib.dump(model, file)
        file.seek(0)
        copies = [pickle.loads(pickle.dumps(model)), joblib.load(file)]
    for copy in copies:
        np.testing.assert_array_equal(scores(copy, X), scores(model, X))
        assert copy.report_ == model.report_
    again = clone(model)
    assert not hasattr(again, "model_")
    assert again.get_params() == model.get_params()
    np.testing.assert_array_equal(scores(fitted(again), X), scores(model, X))


@EACH
def test_skops_keeps_every_bit(estimator):
    X, _ = data()
    model = fitted(estimator)
    saved = skops.io.dumps(model)
    unknown = skops.io.get_untrusted_types(data=saved)
    # Nothing but the estimator itself needs to be trusted, as with any package.
    assert all(name.startswith("halfseen.") and "_core" not in name for name in unknown), unknown
    copy = skops.io.loads(saved, trusted=unknown)
    np.testing.assert_array_equal(scores(copy, X), scores(model, X))
    assert copy.report_ == model.report_


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator", [AERRRegressor(random_state=0), KARMARegressor()])
def test_skops_and_pickle_keep_a_stream_that_goes_on(estimator):
    X, y = data()
    model = clone(estimator).partial_fit(X[:30], y[:30])
    saved = skops.io.dumps(model)
    loaded = skops.io.loads(saved, trusted=skops.io.get_untrusted_types(data=saved))
    copies = [loaded, pickle.loads(pickle.dumps(model))]
    model.partial_fit(X[30:], y[30:])
    for copy in copies:
        np.testing.assert_array_equal(scores(copy.partial_fit(X[30:], y[30:]), X), scores(model, X))


def test_skops_keeps_an_encoder():
    table = pd.DataFrame({"a": list("xyxy"), "b": [1.0, 2.0, 3.0, 4.0]})
    saved = skops.io.dumps(Encoder().fit(table))
    copy = skops.io.loads(saved, trusted=["halfseen.encoder.Encoder"])
    np.testing.assert_array_equal(copy.transform(table)[:, :2], [[1, 0], [0, 1], [1, 0], [0, 1]])


def test_what_a_fit_finds_is_not_there_before():
    with pytest.raises(NotFittedError):
        _ = AERRRegressor().attributes_read_
    assert not hasattr(AERRRegressor(), "attributes_read_")


def test_a_stream_says_once_what_it_has_to_say():
    X, y = data()
    model = AERRRegressor(budget=2, total_budget=20, random_state=0)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for _ in range(5):
            model.partial_fit(X, y)
        assert sum("total budget" in str(warning.message) for warning in told) == 1
        model.fit(X, y)
    assert sum("total budget" in str(warning.message) for warning in told) == 2


@pytest.mark.parametrize("verbose", ["yes", 1.5, None])
def test_verbose_is_a_flag_or_a_function(verbose):
    with pytest.raises(
        InvalidParameterError, match="'verbose' parameter of AERRRegressor must be True, False"
    ):
        AERRRegressor(verbose=verbose).fit(*data())


@pytest.mark.parametrize("seed", [-1, 2**63])
def test_seeds_are_refused_under_their_own_name(seed):
    says = f"^The 'random_state' parameter of AERRRegressor must be an integer .*Got {seed} instead"
    with pytest.raises(InvalidParameterError, match=says):
        AERRRegressor(random_state=seed).fit(*data())


@EACH
def test_fitting_again_forgets(estimator):
    X, y = data(is_classifier(estimator))
    model = fitted(estimator, X[:, :3], y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y)
    once = fitted(estimator, X, y)
    np.testing.assert_array_equal(scores(model, X), scores(once, X))
    assert vars(model).keys() == vars(once).keys()


@EACH
def test_one_row_is_predicted_as_among_many_and_by_one_path_as_by_the_other(estimator):
    X, _ = data()
    model = fitted(estimator)
    together = scores(model, X)
    alone = np.concatenate([scores(model, X[i : i + 1]) for i in range(5)])
    # Kernels of many rows at once are summed in another order.
    np.testing.assert_allclose(alone, together[:5], rtol=0 if hasattr(model, "coef_") else 1e-9, atol=0)
    np.testing.assert_array_equal(scores(model, X.tolist()), together)


@EACH
def test_names_of_features_are_kept_and_missed(estimator):
    pd = pytest.importorskip("pandas")
    X, y = data(is_classifier(estimator))
    frame = pd.DataFrame(X, columns=list("abcde"))
    model = fitted(estimator, frame, y)
    assert model.feature_names_in_.tolist() == list("abcde")
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        unnamed = scores(model, X)
    np.testing.assert_array_equal(unnamed, scores(model, frame))
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame[list("edcba")])
    with pytest.warns(UserWarning, match="has feature names, but .* was fitted without"):
        fitted(estimator).predict(frame)


@EACH
def test_an_unfitted_estimator_says_so(estimator):
    X, _ = data()
    methods = ("predict", "decision_function") if is_classifier(estimator) else ("predict",)
    for method in methods:
        with pytest.raises(NotFittedError, match="not fitted yet"):
            getattr(estimator, method)(X)
    with pytest.raises(NotFittedError, match="not fitted yet"):
        estimator.save("nowhere.json")


def test_random_state_is_a_seed_or_draws_one_that_repeats_the_fit():
    X, y = data()
    seed = fitted(AERRRegressor()).set_params(random_state=7).fit(X, y)
    assert seed.report_["params"]["seed"] == 7
    drawn = AERRRegressor(random_state=np.random.RandomState(3)).fit(X, y)
    number = drawn.report_["params"]["seed"]
    assert number == AERRRegressor(random_state=np.random.RandomState(3)).fit(X, y).report_["params"]["seed"]
    np.testing.assert_array_equal(AERRRegressor(random_state=number).fit(X, y).coef_, drawn.coef_)
    first, second = AERRRegressor(random_state=None).fit(X, y), AERRRegressor(random_state=None).fit(X, y)
    assert first.report_["params"]["seed"] != second.report_["params"]["seed"]
    again = AERRRegressor(random_state=first.report_["params"]["seed"]).fit(X, y)
    np.testing.assert_array_equal(again.coef_, first.coef_)
    state = np.random.RandomState(3)
    once, more = (AERRRegressor(random_state=state).fit(X, y).coef_ for _ in range(2))
    assert (once != more).any(), "an instance goes on"


@pytest.mark.parametrize("wrong", ["seven", 1.5, -1])
def test_a_random_state_that_is_none_is_refused(wrong):
    X, y = data()
    with pytest.raises(ValueError, match=r"seed|random_state"):
        AERRRegressor(random_state=wrong).fit(X, y)


@EACH
def test_pipelines_searches_and_scores_take_every_estimator(estimator):
    X, y = data(is_classifier(estimator))
    pipe = make_pipeline(StandardScaler(), clone(estimator))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = cross_val_score(pipe, X, y, cv=2, error_score="raise")
    assert found.shape == (2,)
    assert np.isfinite(found).all()


# The widest ball is too wide for two reads of so few rows.
@pytest.mark.filterwarnings("ignore:its own test cannot:halfseen.warnings.DataWarning")
def test_a_grid_is_searched_and_its_best_is_fitted():
    X, y = data(classes=True, rows=200)
    pipe = make_pipeline(StandardScaler(), AERRClassifier(random_state=0))
    grid = {"aerrclassifier__budget": [2, 5], "aerrclassifier__radius": [1e-3, 5.0]}
    search = GridSearchCV(pipe, grid, cv=3, scoring="roc_auc", error_score="raise").fit(X, y)
    assert (
        search.best_estimator_[-1].report_["params"]["budget"]
        == search.best_params_["aerrclassifier__budget"]
    )
    assert search.score(X, y) > 0.8


@pytest.mark.parametrize(
    "estimator",
    [
        AERRClassifier(random_state=0),
        RobustLPClassifier(threat=0),
        KARMAClassifier(),
    ],
)
def test_calibration_gives_probabilities(estimator):
    X, y = data(classes=True, rows=150)
    model = CalibratedClassifierCV(estimator, cv=3).fit(X, y)
    found = model.predict_proba(X)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    assert (model.predict(X) == y).mean() > 0.75
    assert found[y == "yes", 1].mean() > found[y == "no", 1].mean() + 0.2


@pytest.mark.parametrize(
    "labels", [(0, 1), (-1, 1), (3.0, 7.0), (False, True), ("a", "b"), (np.int8(1), np.int8(2)), ("z", "ä")]
)
def test_classifiers_give_back_any_labels(labels):
    X, y = data(classes=True)
    y = np.array(labels)[(y == "yes").astype(int)]
    for of in (KARMAClassifier(), RobustLPClassifier(threat=0), AERRClassifier(budget=5, random_state=0)):
        model = of.fit(X, y)
        assert model.predict(X).dtype == y.dtype
        assert model.classes_.tolist() == list(labels)
        assert (model.predict(X) == y).mean() > 0.7


def test_classifiers_of_two_classes_say_so_of_three():
    X, _ = data()
    y = np.arange(len(X)) % 3
    for estimator in filter(is_classifier, LEARNERS):
        if estimator._multi_class:
            assert set(fitted(estimator, X, y).predict(X)) <= {0, 1, 2}
            assert scores(fitted(estimator, X, y), X).shape == (len(X), 3)
        else:
            with pytest.raises(ValueError, match="Only binary classification is supported"):
                fitted(estimator, X, y)
