"""Hold the learner that keeps its reads to its word: holes, refused reads, intervals, probabilities."""

import pickle
import warnings

import halfseen
import numpy as np
import pytest
import scipy.sparse
from halfseen import AERRRegressor, DataWarning, FIMLClassifier, FIMLRegressor
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import log_loss
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

# With six attributes some rows show none, and a fit says so.
pytestmark = pytest.mark.filterwarnings(
    "ignore:rows without any observed attribute:halfseen.warnings.DataWarning"
)

NAMES = ["age", "weight", "pressure", "pulse", "sugar", "salt"]
WEIGHTS = np.array([1.0, -1.0, 0.5, 0.0, 0.0, 0.25])


def factors(rows=2000, seed=0, noise=0.6, holes=0.0):
    """Return examples of a two-factor model, their targets, and the same examples with holes."""
    rng = np.random.default_rng(seed)
    loadings = np.random.default_rng(42).normal(size=(2, len(NAMES)))
    X = rng.normal(size=(rows, 2)) @ loadings + 0.7 * rng.normal(size=(rows, len(NAMES))) + 1.0
    y = X @ WEIGHTS + noise * rng.normal(size=rows) + 3.0
    return X, y, np.where(rng.random(X.shape) < holes, np.nan, X)


def with_column(X, value):
    return np.column_stack([X, np.full(len(X), value)])


def told(y):
    return np.where(y > 3.75, "yes", "no")


def test_all_that_a_table_with_holes_shows_is_learned_from():
    X, y, holes = factors(holes=0.4)
    model = FIMLRegressor(passive="all", random_state=0).fit(holes, y)
    assert np.array_equal(model.attributes_read_, np.sum(~np.isnan(holes), axis=0))
    assert model.reads_ == model.distinct_ == np.sum(~np.isnan(holes))
    assert model.score(X, y) > 0.85
    published = AERRRegressor(passive="all", random_state=0).fit(holes, y)
    assert model.score(X, y) > published.score(X, y)
    np.testing.assert_allclose(model.coef_, WEIGHTS, atol=0.15)


def test_a_prediction_uses_what_is_there_to_tell_what_is_not():
    X, y, holes = factors(holes=0.4)
    model = FIMLRegressor(passive="all", random_state=0).fit(X, y)
    filled = np.where(np.isnan(holes), X.mean(axis=0), X)
    assert model.score(holes, y) > model.score(filled, y) + 0.05
    sums = X @ model.coef_ + model.intercept_
    np.testing.assert_allclose(model.predict(X, clip=False), sums)
    inside = np.clip(X, *model.cell_range_.T)
    assert np.mean(inside != X) < 1e-3
    sums = inside @ model.coef_ + model.intercept_
    np.testing.assert_allclose(model.predict(X), np.clip(sums, y.min(), y.max()))
    np.testing.assert_allclose(model.predict(np.full((1, 6), np.nan)), y.mean(), atol=0.1)
    sparse = scipy.sparse.csr_array(np.nan_to_num(X * (np.abs(X) > 0.5)))
    np.testing.assert_allclose(model.predict(sparse), model.predict(sparse.toarray()))


def test_a_missing_cell_is_a_refused_read_where_the_learner_chooses():
    X, y, holes = factors(holes=0.2)
    with pytest.warns(DataWarning, match="reads that returned no value"):
        model = FIMLRegressor(budget=3, random_state=0).fit(holes, y)
    report = model.report_
    refused = next(note["refused-reads"]["reads"] for note in report["notes"] if "refused-reads" in note)
    assert model.reads_ == 3 * len(y)
    assert 0.15 < refused / model.reads_ < 0.25
    assert report["examples"] == len(y)
    assert report["skipped"] == 0
    assert model.score(X, y) > 0.7
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        FIMLRegressor(budget=3, random_state=0).fit(X, y)


def test_without_a_budget_everything_that_is_there_is_read():
    X, y, holes = factors(300, holes=0.3)
    for cells in (X, holes):
        model = FIMLRegressor(random_state=0).fit(cells, y)
        assert model.reads_ == model.distinct_ == np.sum(~np.isnan(cells))
        assert np.array_equal(model.coef_, FIMLRegressor(passive="all", random_state=0).fit(cells, y).coef_)
    told_by = FIMLClassifier(random_state=0).fit(holes, told(y))
    assert told_by.reads_ == np.sum(~np.isnan(holes))
    assert FIMLRegressor(random_state=0).partial_fit(holes, y).reads_ == np.sum(~np.isnan(holes))
    assert FIMLRegressor(random_state=0).start(NAMES).ask().attributes == tuple(NAMES)


def test_a_budget_says_how_much_is_chosen():
    X, y, holes = factors(300, holes=0.3)
    assert FIMLRegressor(budget=4, random_state=0).fit(X, y).reads_ == 4 * 300
    with pytest.warns(DataWarning, match="reads that returned no value"):
        assert FIMLRegressor(budget=4, random_state=0).fit(holes, y).reads_ == 4 * 300
    with pytest.warns(DataWarning, match="the total budget"):
        assert FIMLRegressor(total_budget=400, random_state=0).fit(X, y).reads_ == 400
    with pytest.raises(ValueError, match=r"'passive' parameter of FIMLRegressor must be .* Got 'one'"):
        FIMLRegressor(passive="one").fit(X, y)


@pytest.mark.parametrize("level", [0.5, 0.9])
@pytest.mark.parametrize("given", [{"budget": 4}, {"passive": "all"}, {"budget": 3, "deviations": 20}])
def test_intervals_cover_as_often_as_they_say(given, level):
    _, y, holes = factors(3000, holes=0.0 if "budget" in given else 0.3)
    model = FIMLRegressor(**given, random_state=0).fit(holes, y)
    fresh, targets, holes = factors(4000, seed=1, holes=0.3)
    for rows in (fresh, holes):
        ends = model.predict_interval(rows, level=level)
        assert ends.shape == (4000, 2)
        inside = np.mean((ends[:, 0] <= targets) & (targets <= ends[:, 1]))
        # 4000 rows: a deviation of 0.008 at most; the model is an estimate.
        assert abs(inside - level) < 0.04, inside


def test_intervals_are_about_the_prediction_and_wider_where_less_is_seen():
    _, y, holes = factors(holes=0.3)
    frame = pytest.importorskip("pandas").DataFrame(holes, columns=NAMES)
    model = FIMLRegressor(budget=4, random_state=0).fit(frame.fillna(0.0), y)
    ends = model.predict_interval(frame)
    np.testing.assert_array_equal(ends, model.predict_interval(frame, level=0.9))
    np.testing.assert_allclose(ends.mean(axis=1), model.predict(frame))
    wide, narrow = (np.ptp(model.predict_interval(frame, level), axis=1) for level in (0.99, 0.5))
    assert (wide > np.ptp(ends, axis=1)).all()
    assert (np.ptp(ends, axis=1) > narrow).all()
    whole = np.ptp(model.predict_interval(frame.fillna(0.0)), axis=1)
    empty = np.isnan(holes).any(axis=1)
    assert (np.ptp(ends, axis=1)[empty] > whole[empty]).all()


def test_intervals_are_refused_where_there_are_none():
    X, y, _ = factors(200)
    with pytest.raises(NotFittedError):
        FIMLRegressor().predict_interval(X)
    model = FIMLRegressor(random_state=0).fit(X, y)
    for level in (0, 1, -0.5, 90, np.nan, np.inf):
        with pytest.raises(ValueError, match=r"level = .* is not allowed: it must be above 0 and below 1"):
            model.predict_interval(X, level=level)
    with pytest.raises(TypeError, match="level"):
        model.predict_interval(X, level="high")
    with pytest.raises(ValueError, match="X has 5 features"):
        model.predict_interval(X[:, :5])
    with pytest.raises(ValueError, match="infinity"):
        model.predict_interval(np.full((1, 6), np.inf))
    assert not hasattr(FIMLClassifier(), "predict_interval")
    classes = FIMLClassifier(random_state=0).fit(X, told(y))
    with pytest.raises(ValueError, match="what is predicted is a class"):
        classes.model_.intervals_of_table(classes._table(X), 0.9)
    published = AERRRegressor(random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="knows no distribution"):
        published.model_.intervals_of_table(model._table(X), 0.9)


def test_errors_of_weights_are_there_where_they_were_asked_for():
    X, y, _ = factors(3000)
    with pytest.raises(NotFittedError):
        _ = FIMLRegressor(deviations=5).coef_errors_
    plain = FIMLRegressor(budget=4, random_state=0).fit(X, y)
    assert not hasattr(plain, "coef_errors_")
    with pytest.raises(AttributeError, match="has no coef_errors_: fit with deviations=100"):
        _ = plain.coef_errors_
    model = FIMLRegressor(budget=4, deviations=40, random_state=0).fit(X, y)
    errors = model.coef_errors_
    assert errors.shape == model.coef_.shape
    assert (errors > 0).all()
    assert (np.abs(model.coef_ - WEIGHTS) < 4 * errors + 0.02).all()
    assert (errors < 0.2).all()
    # In units of the data, and kept in files.
    larger = clone(model).fit(X, 4 * y)
    np.testing.assert_allclose(larger.coef_errors_, 4 * errors, rtol=1e-9)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).coef_errors_, errors)
    classes = FIMLClassifier(budget=4, deviations=10, random_state=0).fit(X, told(y))
    assert classes.coef_errors_.shape == classes.coef_.shape == (1, 6 + len(classes.curve_))


@pytest.mark.parametrize("link", ["probit", "logistic", "auto"])
def test_probabilities_are_those_of_the_classes(link):
    X, y, _ = factors(3000)
    model = FIMLClassifier(budget=4, link=link, random_state=0).fit(X, told(y))
    fresh, targets, holes = factors(4000, seed=1, holes=0.4)
    truth = told(targets)
    losses = []
    for rows in (fresh, holes, np.full_like(fresh, np.nan)):
        found = model.predict_proba(rows)
        assert found.shape == (4000, 2)
        np.testing.assert_allclose(found.sum(axis=1), 1.0)
        sure = found.max(axis=1) > 0.5 + 1e-9
        assert (model.classes_[found.argmax(axis=1)] == model.predict(rows))[sure].all()
        np.testing.assert_allclose(2 * found[:, 1] - 1, model.decision_function(rows), atol=1e-12)
        losses.append(log_loss(truth, found, labels=model.classes_))
        # As sure as it is right, in the mean and among the sure.
        assert abs(found[:, 1].mean() - np.mean(truth == "yes")) < 0.05
        for low, high in ((0.1, 0.4), (0.6, 0.9)):
            among = (found[:, 1] > low) & (found[:, 1] < high)
            if among.sum() > 300:
                assert abs(found[among, 1].mean() - np.mean(truth[among] == "yes")) < 0.08
    assert losses[0] < losses[1] < losses[2]
    assert losses[2] < 0.7


def test_probabilities_need_a_link():
    X, y, _ = factors(300)
    model = FIMLClassifier(random_state=0).fit(X, told(y))
    assert not hasattr(model, "predict_proba")
    with pytest.raises(AttributeError, match=r"no predict_proba with link='identity'.*link='probit'"):
        _ = model.predict_proba
    with pytest.raises(ValueError, match="was fitted with link='identity'"):
        model.set_params(link="probit").predict_proba(X)
    with pytest.raises(NotFittedError):
        FIMLClassifier(link="probit").predict_proba(X)
    pipe = make_pipeline(StandardScaler(), FIMLClassifier(link="logistic", random_state=0)).fit(X, told(y))
    assert pipe.predict_proba(X).shape == (300, 2)
    learn = (FIMLRegressor(link="probit").fit, FIMLRegressor(link="probit").partial_fit)
    for call in learn:
        with pytest.raises(ValueError, match=r"'link' parameter of .* Got 'probit'"):
            call(X, y)
    with pytest.raises(ValueError, match=r"'link' parameter of .* Got 'probit'"):
        FIMLRegressor(link="probit").start(6)


def test_batches_and_answers_give_what_one_pass_gives():
    _, y, holes = factors(600, holes=0.1)
    labels = told(y)
    model = FIMLClassifier(budget=3, link="probit", random_state=2)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for rows in np.split(np.arange(600), 3):
            model.partial_fit(holes[rows], labels[rows], classes=["no", "yes"])
            model = pickle.loads(pickle.dumps(model))
    assert ["reads that returned no value" in str(w.message) for w in caught].count(True) == 1, (
        "once a stream"
    )
    learner = FIMLClassifier(budget=3, link="probit", random_state=2).start(6, ["no", "yes"])
    refused = 0
    for row in range(600):
        query = learner.ask()
        values = [holes[row, int(name[1:])] for name in query.attributes]
        refused += np.isnan(values).sum()
        # None as well as NaN is a read without a value; the others are learned from.
        assert learner.tell(query, [None if np.isnan(v) else v for v in values], labels[row])
    with pytest.warns(DataWarning, match=f"reads that returned no value: {refused}"):
        answered = learner.model()
    np.testing.assert_array_equal(answered.coef_, model.coef_)
    np.testing.assert_array_equal(answered.predict_proba(holes), model.predict_proba(holes))
    assert answered.report_["examples"] == model.report_["examples"] == 600
    assert answered.report_["skipped"] == 0
    assert answered.distinct_ == model.distinct_ == 1800


def test_a_learner_keeps_its_reads_in_its_pickle():
    X, y, _ = factors(120)
    learner = FIMLRegressor(budget=3, deviations=4, random_state=0).start(NAMES, target=(3.0, 2.0))
    for row in range(100):
        query = learner.ask()
        values = {name: X[row, NAMES.index(name)] for name in query.attributes}
        values[query.attributes[0]] = None if row % 10 == 0 else values[query.attributes[0]]
        assert learner.tell(query, values, y[row])
    late = learner.ask()
    loaded = pickle.loads(pickle.dumps(learner))
    for one in (learner, loaded):
        assert one.tell(late, [1.0, None, 2.0], 4.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        first, second = learner.model(), loaded.model()
    assert type(second) is FIMLRegressor
    np.testing.assert_array_equal(first.coef_, second.coef_)
    np.testing.assert_array_equal(first.coef_errors_, second.coef_errors_)
    frame = pytest.importorskip("pandas").DataFrame(X, columns=NAMES)
    np.testing.assert_array_equal(first.predict_interval(frame), second.predict_interval(frame))


def test_what_happens_to_be_observed_is_told():
    X, y, holes = factors(400, holes=0.5)
    learner = FIMLRegressor(passive="all", random_state=0).start(NAMES)
    for row in range(400):
        seen = [name for name, cell in zip(NAMES, holes[row], strict=True) if not np.isnan(cell)]
        query = learner.ask_observed(seen)
        assert set(query.attributes) == set(seen)
        learner.tell(query, {name: X[row, NAMES.index(name)] for name in seen}, y[row])
    assert np.array_equal(learner.model().attributes_read_, np.sum(~np.isnan(holes), axis=0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert learner.model().score(pytest.importorskip("pandas").DataFrame(X, columns=NAMES), y) > 0.7
    with pytest.raises(ValueError, match="chooses its reads"):
        FIMLRegressor(budget=2).start(NAMES).ask_observed(["age"])


def test_what_is_read_may_follow_what_was_read():
    X, y, _ = factors(3000)
    X = np.column_stack([X, np.random.default_rng(5).normal(size=(3000, 14))])
    model = FIMLRegressor(budget=3, design="adaptive", random_state=0).fit(X, y)
    assert model.attributes_read_[:2].mean() > 1.5 * model.attributes_read_[6:].mean()
    batches = FIMLRegressor(budget=3, design="adaptive", random_state=0)
    for rows in np.split(np.arange(3000), 3):
        batches.partial_fit(X[rows], y[rows])
    assert batches.attributes_read_[:2].mean() > 1.5 * batches.attributes_read_[6:].mean()


def test_threads_and_files_change_no_bit(tmp_path):
    _, y, holes = factors(500, holes=0.2)
    estimator = FIMLRegressor(passive="all", deviations=6, random_state=0)
    one, two = (clone(estimator).set_params(n_jobs=jobs).fit(holes, y) for jobs in (1, 2))
    np.testing.assert_array_equal(one.coef_, two.coef_)
    np.testing.assert_array_equal(one.coef_errors_, two.coef_errors_)
    one.save(tmp_path / "model.json")
    model = halfseen.load(tmp_path / "model.json")
    np.testing.assert_array_equal(model.predict(holes), one.predict(holes))
    again = model.estimator()
    assert type(again) is FIMLRegressor
    assert again.passive == "all"
    np.testing.assert_array_equal(again.predict_interval(holes), one.predict_interval(holes))
    np.testing.assert_array_equal(again.coef_errors_, one.coef_errors_)


def test_what_teaches_little_says_so():
    X, y, _ = factors(300)
    cases = [
        (FIMLRegressor(budget=1), X, y, "no example had two attributes read"),
        (FIMLRegressor(), X[:8], y[:8], "there are only 8 examples"),
        (FIMLRegressor(), X, np.ones(300), "the target is the same in all examples"),
        (FIMLRegressor(), with_column(X, 1.0), y, "attributes with a single distinct value"),
        (FIMLRegressor(passive="all"), with_column(X, np.nan), y, "missing in every training row"),
    ]
    for estimator, rows, targets, says in cases:
        with pytest.warns(DataWarning, match=says):
            model = estimator.set_params(random_state=0).fit(rows, targets)
        assert np.isfinite(model.predict(rows)).all()
        with pytest.warns(DataWarning, match=says):
            clone(estimator).partial_fit(rows, targets)


def test_weights_of_rows_are_refused_as_by_all_that_pay_for_reads():
    X, y, _ = factors(50)
    for estimator in (FIMLRegressor(), AERRRegressor()):
        with pytest.raises(TypeError, match="sample_weight"):
            estimator.fit(X, y, sample_weight=np.ones(50))


def test_what_is_known_costs_nothing_and_panels_are_read_as_one():
    X, y, _ = factors(500)
    model = FIMLRegressor(budget=2, known=[5], groups={"pair": [2, 3]}, random_state=0).fit(X, y)
    counts = model.attributes_read_
    assert counts[5] == 0
    assert counts[2] == counts[3] > 0
    assert np.delete(counts, 3).sum() == model.distinct_ == 1000


def test_tags_tell_of_holes():
    for estimator in (FIMLRegressor(), FIMLClassifier()):
        tags = estimator.__sklearn_tags__()
        assert tags.input_tags.allow_nan
        assert tags.input_tags.sparse
    assert FIMLClassifier().__sklearn_tags__().classifier_tags.multi_class
