"""Hold robust estimators, attacks and certificates to what users rely on."""

import csv
import io
import json
import os
import subprocess
import warnings

import halfseen
import numpy as np
import pytest
import scipy.sparse
from deleting import CLASSIFIERS, ESTIMATORS, seeded, signs
from halfseen import RobustLPClassifier, RobustLPRegressor, RobustPerceptronClassifier
from halfseen.robust import attack, certify
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler
from sklearn.utils._param_validation import InvalidParameterError


def data_for(estimator):
    return load_diabetes(return_X_y=True) if estimator is RobustLPRegressor else signs(300, 20)


@pytest.fixture(scope="module")
def tumours():
    return load_breast_cancer(return_X_y=True)


@pytest.mark.parametrize("estimator", CLASSIFIERS)
def test_preparing_for_deletions_pays_under_attack(estimator, tumours):
    X, y = tumours
    train, test = np.arange(len(y)) % 2 == 0, np.arange(len(y)) % 2 == 1
    ready = seeded(estimator, threat=4).fit(X[train], y[train])
    plain = seeded(estimator, threat=0).fit(X[train], y[train])
    assert ready.score(X[test], y[test]) > 0.88
    assert ready.attacked_score(X[test], y[test]) > plain.attacked_score(X[test], y[test], threat=4) + 0.1


def test_a_regression_that_prepares_errs_less_under_attack():
    X, y = load_diabetes(return_X_y=True)
    ready, plain = RobustLPRegressor(threat=2).fit(X, y), RobustLPRegressor(threat=0).fit(X, y)
    assert "(squared error without the threat)" in str(ready.report_)
    assert "(squared error)" in str(plain.report_)
    assert plain.score(X, y) > ready.score(X, y)

    def lost(model):
        return np.abs(attack(model, X, y, threat=2).prediction - y).mean()

    assert lost(ready) < 0.8 * lost(plain)


def test_without_a_threat_the_program_is_that_of_the_plain_hinge():
    from scipy.optimize import linprog

    X, y = signs(60, 4)
    X, sign = X / np.abs(X).max(axis=0), np.where(y == "up", 1.0, -1.0)
    m, d = X.shape
    found = RobustLPClassifier(threat=0, margin=1.0, box_radius=2.0, tol=1e-9).fit(X, y)
    # min mean(xi) with y (Xw + b) + xi >= 1, |w| <= 2.
    rows = np.hstack([-sign[:, None] * X, -sign[:, None], -np.eye(m)])
    cost = np.r_[np.zeros(d + 1), np.full(m, 1 / m)]
    box = [(-2, 2)] * d + [(None, None)] + [(0, None)] * m
    best = linprog(cost, A_ub=rows, b_ub=-np.ones(m), bounds=box)
    assert best.status == 0
    assert found.report_["objective"] == pytest.approx(best.fun, abs=1e-7)
    scores = sign * (X @ found.coef_[0] + found.intercept_[0])
    assert np.maximum(1 - scores, 0).mean() == pytest.approx(best.fun, abs=1e-7)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_bits_do_not_depend_on_threads(estimator):
    X, y = data_for(estimator)
    one, two = (seeded(estimator, threat=2, n_jobs=jobs).fit(X, y) for jobs in (1, 2))
    assert one.coef_.tobytes() == two.coef_.tobytes()
    assert np.array_equal(one.intercept_, two.intercept_)
    within = 50.0 if estimator is RobustLPRegressor else None
    assert np.array_equal(one.certify(X, within=within).certified, two.certify(X, within=within).certified)
    assert one.attacked_score(X, y) == two.attacked_score(X, y)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_a_missing_cell_is_a_deleted_one(estimator):
    X, y = data_for(estimator)
    model = seeded(estimator, threat=1).fit(X, y)
    holed, deleted = X.copy(), X.copy()
    holed[::2, 1], deleted[::2, 1] = np.nan, 0.0
    assert np.array_equal(model.predict(holed), model.predict(deleted))
    with pytest.raises(ValueError, match="contains NaN"):
        clone(model).fit(holed, y)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_sparse_rows_are_as_dense_ones(estimator):
    X, y = data_for(estimator)
    X = np.where(np.abs(X) > np.abs(X).mean(), X, 0.0)
    dense, sparse = (seeded(estimator, threat=1).fit(of, y) for of in (X, scipy.sparse.csr_matrix(X)))
    np.testing.assert_allclose(sparse.coef_, dense.coef_, atol=1e-9 * np.abs(dense.coef_).max())
    assert np.array_equal(sparse.predict(scipy.sparse.csc_array(X)), sparse.predict(X))
    assert sparse.attacked_score(scipy.sparse.csr_array(X), y) == sparse.attacked_score(X, y)


def test_values_of_features_leave_out_those_that_are_known():
    X, y = signs()
    features, attributes_only = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [1.0, 2.0, 4.0, 5.0, 6.0]
    one, other = (
        RobustLPClassifier(threat=3, costs=values, known=[2]).fit(X, y)
        for values in (features, attributes_only)
    )
    assert one.coef_.tobytes() == other.coef_.tobytes()
    assert one.report_["threat"]["costs"] == attributes_only
    for values in (None, features, attributes_only):
        assert one.certify(X, costs=values).costs.tolist() == attributes_only
    assert one.get_params()["costs"] is features


def test_values_by_mutual_information_are_those_of_the_fit():
    X, y = signs(200)
    X[:, 0] = np.where(y == "up", 2.0, -2.0)
    model = RobustLPClassifier(threat=1, costs="mi").fit(X, y)
    certificates = model.certify(X)
    assert certificates.costs.argmax() == 0
    assert certificates.costs.sum() == pytest.approx(6)
    assert np.array_equal(certificates.costs, model.report_["threat"]["costs"])
    assert np.array_equal(model.certify(X, costs="mi").costs, certificates.costs)
    other = RobustLPClassifier(threat=1).fit(X, y)
    assert np.array_equal(other.certify(X).costs, np.ones(6))
    np.testing.assert_allclose(certify(other, X, costs="mi", y=y).costs, certificates.costs)
    with pytest.raises(ValueError, match="costs = 'mi' needs labels"):
        other.certify(X, costs="mi")


def test_random_attacks_repeat_and_noise_hurts():
    X, y = signs(300, 20)
    model = RobustPerceptronClassifier(threat=3, random_state=0).fit(X, y)
    first, again, other = (
        attack(model, X, y, threat=8, kind="random", random_state=seed) for seed in (1, 1, 2)
    )
    assert np.array_equal(first.scores, again.scores)
    assert not np.array_equal(first.scores, other.scores)
    state = np.random.RandomState(0)
    drawn = attack(model, X, y, threat=8, kind="noise", random_state=state)
    assert not np.array_equal(
        drawn.scores, attack(model, X, y, threat=8, kind="noise", random_state=state).scores
    )
    assert drawn.threat == 8.0
    assert drawn.prediction.dtype == y.dtype


@pytest.mark.parametrize("threat", [0, 2])
@pytest.mark.parametrize(
    "model",
    [RobustLPClassifier(), RobustLPRegressor()],
    ids=lambda model: type(model).__name__,
)
def test_a_weight_of_2_is_a_row_twice_and_of_0_none(model, threat):
    model = clone(model).set_params(threat=threat)
    X, y = signs(90)
    y = X @ [2.0, 1.0, *np.zeros(X.shape[1] - 2)] if isinstance(model, RobustLPRegressor) else y
    weights = np.arange(90) % 3
    weighted = clone(model).fit(X, y, sample_weight=weights)
    repeated = clone(model).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert weighted.report_["objective"] == pytest.approx(repeated.report_["objective"], rel=1e-6)
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=2e-3)
    none, ones = clone(model).fit(X, y), clone(model).fit(X, y, sample_weight=np.ones(90))
    assert none.coef_.tobytes() == ones.coef_.tobytes()
    assert not np.array_equal(none.coef_, weighted.coef_)


def test_weights_that_cannot_be_are_refused():
    X, y = signs(90)
    with pytest.raises(ValueError, match="weight"):
        RobustLPClassifier().fit(X, y, sample_weight=-np.ones(90))
    with pytest.raises(ValueError, match="chunk"):
        RobustLPClassifier(chunk=30).fit(X, y, sample_weight=np.arange(90))
    with pytest.raises(TypeError, match="sample_weight"):
        RobustPerceptronClassifier().fit(X, y, sample_weight=np.ones(90))


def test_rows_are_tried_alike_among_many():
    X, y = signs(300, 8)
    model = RobustLPClassifier(threat=2).fit(X, y)
    many, labels = np.tile(X, (8, 1)), np.tile(y, 8)
    assert np.array_equal(certify(model, many).certified, np.tile(certify(model, X).certified, 8))
    for kind in ("exact", "noise"):
        few = attack(model, X, y, kind=kind).scores
        scores = attack(model, many, labels, kind=kind).scores
        assert np.array_equal(scores[:300], few)
        # What is random is drawn for each row anew.
        assert np.array_equal(scores[2100:], few) == (kind == "exact")


def test_what_cannot_be_is_refused():
    X, y = signs(100, 12)
    model = RobustLPClassifier(threat=2).fit(X, y)
    for estimator in CLASSIFIERS:
        for threat in (12, 20):
            says = rf"'threat' parameter of {estimator.__name__} must be at least 0 and below 12, the total"
            with pytest.raises(InvalidParameterError, match=rf"{says} cost .*\. Got {threat} instead"):
                estimator(threat=threat).fit(X, y)
        for threat in (-1, float("nan"), float("inf")):
            with pytest.raises(ValueError, match="threat"):
                estimator(threat=threat).fit(X, y)
        with pytest.raises(ValueError, match=r"costs.*12.*3"):
            estimator(costs=[1, 2, 3]).fit(X, y)
        with pytest.raises(ValueError, match="costs"):
            estimator(costs="gini").fit(X, y)
    with pytest.raises(ValueError, match=r"costs.*12.*3"):
        model.certify(X, costs=[1, 2, 3])
    with pytest.raises(ValueError, match="costs = 'gini' is not allowed"):
        model.certify(X, costs="gini")
    with pytest.raises(ValueError, match="leave within out"):
        model.certify(X, within=1.0)
    with pytest.raises(ValueError, match="kind = 'nuclear' is not allowed"):
        attack(model, X, y, kind="nuclear")
    with pytest.raises(ValueError, match="below 12"):
        model.attacked_score(X, y, threat=12)
    with pytest.raises(ValueError, match="'sideways', not a class of this estimator: 'down', 'up'"):
        attack(model, X, np.where(y == "up", "up", "sideways"))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        attack(model, X, y[:-1])
    with pytest.raises(ValueError, match="features"):
        model.certify(X[:, :-1])
    with pytest.raises(ValueError, match="infinity"):
        model.certify(np.full_like(X, np.inf))
    with pytest.raises(NotFittedError):
        RobustLPClassifier().certify(X)
    with pytest.raises(TypeError, match="an estimator of halfseen is needed, not Pipeline"):
        certify(make_pipeline(MaxAbsScaler(), model), X)
    with pytest.raises(ValueError, match="not linear"):
        certify(halfseen.KARMAClassifier().fit(X, y), X)
    regressor = RobustLPRegressor(threat=1).fit(X, X.sum(axis=1))
    with pytest.raises(ValueError, match=r"estimates a number.*give within.*change"):
        regressor.certify(X)
    with pytest.raises(ValueError, match="within = -1"):
        regressor.certify(X, within=-1.0)
    with pytest.raises(ValueError, match="costs = 'mi' needs labels"):
        attack(regressor, X, X.sum(axis=1), costs="mi")
    with pytest.raises(ValueError, match="margin"):
        RobustLPRegressor(margin=1.0).fit(X, np.arange(100.0))


@pytest.mark.filterwarnings("ignore::halfseen.warnings.DataWarning")  # one round may find no weights
@pytest.mark.parametrize("estimator", [RobustLPClassifier, RobustLPRegressor])
def test_a_solver_that_gives_up_says_so(estimator):
    X, y = data_for(estimator)
    with pytest.warns(ConvergenceWarning):
        model = estimator(threat=2, max_iter=1).fit(X, y)
    assert not model.report_["converged"]
    assert model.predict(X).shape == y.shape


def test_a_threat_that_leaves_nothing_is_said():
    X, y = signs(200, 12)
    with pytest.warns(halfseen.DataWarning, match="threat"):
        RobustLPClassifier(threat=11).fit(X, y)


@pytest.mark.parametrize("labels", [[3, 5], ["a", "b"], [False, True], [-1.0, 2.0]])
def test_labels_come_back_as_they_were(labels):
    X, y = signs(80)
    y = np.array(labels)[(y == "up").astype(int)]
    model = RobustLPClassifier(threat=1).fit(X, y)
    assert model.predict(X).dtype == y.dtype
    assert model.score(X, y) > 0.8
    assert set(attack(model, X, y).prediction) <= set(labels)


def test_searches_and_pipelines(tumours):
    X, y = tumours
    search = GridSearchCV(
        RobustPerceptronClassifier(random_state=0), {"threat": [0, 3], "box_radius": [0.3, 1.0]}, cv=3
    )
    search.fit(X, y)
    assert search.best_score_ > 0.85
    assert search.best_estimator_.attacked_score(X, y, threat=1) < search.score(X, y)
    assert make_pipeline(MaxAbsScaler(), RobustLPClassifier(threat=1)).fit(X, y).score(X, y) > 0.9


def program():
    """Name the program to compare with, where there is one."""
    path = os.environ.get("HALFSEEN_PROGRAM")
    if not path:
        pytest.skip("HALFSEEN_PROGRAM names no program to compare with")
    return path


def test_the_program_says_the_same(tmp_path, tumours):
    X, y = tumours
    X, label = X[::3, :12], np.where(y[::3] == 1, "benign", "malign")
    model = RobustLPClassifier(threat=2).fit(X, label)
    (tmp_path / "model.json").write_text(model.model_.to_json())
    table = io.StringIO()
    writer = csv.writer(table)
    writer.writerow([*(f"x{j}" for j in range(12)), "target"])
    writer.writerows([*map(repr, row.tolist()), of] for row, of in zip(X, label, strict=True))
    (tmp_path / "rows.csv").write_text(table.getvalue())

    def told(command, *words):
        run = [
            program(),
            command,
            tmp_path / "model.json",
            tmp_path / "rows.csv",
            "--json",
            "--quiet",
            *words,
        ]
        return json.loads(subprocess.run(run, capture_output=True, check=True, text=True).stdout)

    printed, certificates = told("certify"), model.certify(X)
    assert [row["prediction"] for row in printed["rows"]] == certificates.prediction.tolist()
    assert [row["certified"] for row in printed["rows"]] == certificates.certified.tolist()
    assert [row["exact"] for row in printed["rows"]] == certificates.exact.tolist()
    names = [[f"x{j}" for j in flips] for flips in certificates.flips]
    assert [row["flips"] for row in printed["rows"]] == names
    assert len(printed["certified_error"]) > 3
    for point in printed["certified_error"]:
        assert certificates.error(point["threat"], label) == point["error"]
    for kind in ("exact", "greedy", "random", "noise"):
        printed = told("evaluate", "--target", "target", "--threat", "3", "--attack", kind, "--seed", "7")
        ours = attack(model, X, label, threat=3, kind=kind, random_state=7).score
        assert 1 - ours == pytest.approx(printed["attacked_error"], abs=1e-12)


def test_nothing_is_said_where_nothing_is_wrong(tumours):
    X, y = tumours
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for estimator in CLASSIFIERS:
            seeded(estimator, threat=1).fit(X, y).certify(X[:3])
