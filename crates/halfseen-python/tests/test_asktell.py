"""Hold ask and tell to its word: what is asked is all that is read, and answers decide the bits."""

import copy
import pickle

import halfseen
import numpy as np
import pytest
from halfseen import (
    AELRRegressor,
    AERRClassifier,
    AERRRegressor,
    AESVRRegressor,
    DDAERRRegressor,
)

# Few rows, of which nobody says how many come, teach little, and say so.
pytestmark = pytest.mark.filterwarnings("ignore:its own test cannot:halfseen.warnings.DataWarning")

NAMES = ["age", "weight", "pressure", "pulse", "sugar"]
BUDGETED = [(getattr(halfseen.budget, name), name) for name in halfseen.budget.__all__]
WEIGHTS = np.array([2.0, -1.0, 0.0, 0.5, 0.0])


def examples(rows=60, seed=0):
    X = np.random.default_rng(seed).normal(size=(rows, len(NAMES)))
    return X, X @ WEIGHTS + 1.0


def record(X, row, names=NAMES):
    return dict(zip(names, X[row].tolist(), strict=True))


def answer(learner, query, X, y, row):
    cells = record(X, row)
    return learner.tell(query, {name: cells[name] for name in query.attributes}, y[row])


def state(learner):
    return learner._learner.to_json()


def taught(learner, X, y, rows):
    for row in rows:
        answer(learner, learner.ask(), X, y, row)
    return learner


@pytest.mark.parametrize(("cls", "name"), BUDGETED, ids=lambda of: of if isinstance(of, str) else "")
def test_telling_rows_one_by_one_gives_the_bits_of_partial_fit(cls, name):
    X, y = examples()
    y = np.where(y > 1, "ill", "well") if name.endswith("Classifier") else y
    estimator = cls(budget=3, random_state=7)
    if name.endswith("Classifier"):
        # Equally many of both, so that the mean that partial_fit takes is 0, as start does.
        keep = np.concatenate([np.flatnonzero(y == label)[:20] for label in ("ill", "well")])
        X, y = X[keep], y[keep]
        learner = estimator.start(NAMES, ["well", "ill"])
        batch = copy.copy(estimator).partial_fit(X, y, classes=["ill", "well"])
    else:
        batch = copy.copy(estimator).partial_fit(X, y)
        scale = batch.learner_.target_scale
        assert scale == pytest.approx((y.mean(), y.std()))
        learner = estimator.start(NAMES, target=scale)
    model = taught(learner, X, y, range(len(y))).model()
    assert type(model) is cls
    assert np.array_equal(model.coef_, batch.coef_)
    assert np.array_equal(model.intercept_, batch.intercept_)
    assert model.feature_names_in_.tolist() == NAMES
    assert (model.reads_, model.distinct_) == (batch.reads_, batch.distinct_)
    assert np.array_equal(model.attributes_read_, batch.attributes_read_)
    assert learner.report["distinct"] == batch.distinct_


def test_only_what_a_query_names_is_needed():
    X, y = examples(400)
    seen = np.zeros(len(NAMES), dtype=int)

    def nurse(patient, attributes):
        seen[[NAMES.index(name) for name in attributes]] += 1
        return [X[patient, NAMES.index(name)] for name in attributes]

    learner = AERRRegressor(budget=3, random_state=0).start(NAMES, target=(1.0, 2.0))
    for patient in range(400):
        query = learner.ask()
        assert 1 <= len(query.attributes) <= 3
        assert len(set(query.attributes)) == len(query.attributes)
        assert learner.tell(query, nurse(patient, query.attributes), y[patient])
    model = learner.model()
    assert np.array_equal(model.attributes_read_, seen)
    assert model.distinct_ == seen.sum() <= model.reads_ <= 3 * 400
    frame = pytest.importorskip("pandas").DataFrame(X, columns=NAMES)
    assert model.score(frame, y) > 0.5


# What many open queries come to is tested elsewhere.
@pytest.mark.filterwarnings("ignore:answers were delayed:halfseen.warnings.DataWarning")
@pytest.mark.parametrize(("cls", "name"), BUDGETED, ids=lambda of: of if isinstance(of, str) else "")
def test_a_total_budget_is_never_exceeded_open_queries_included(cls, name):
    X, y = examples()
    given = (["well", "ill"],) if name.endswith("Classifier") else ()
    y = np.where(y > 1, "ill", "well") if given else y
    learner = cls(budget=3, total_budget=30, random_state=0).start(NAMES, *given)
    queries = []

    def ask_on():
        while True:
            queries.append(learner.ask())

    assert learner.remaining == 30
    with pytest.raises(halfseen.BudgetSpent, match=r"30 is too small.* 0 reads were made"):
        ask_on()
    promised = 30 - learner.remaining
    assert 30 - 6 < promised <= 30
    assert sum(len(query.attributes) for query in queries) <= promised
    assert learner.report["reads"] == 0
    # What nobody will answer is free again.
    learner.forget(queries.pop())
    queries.append(learner.ask())
    learner = pickle.loads(pickle.dumps(learner))
    with pytest.raises(RuntimeError, match="forget open queries"):
        learner.ask()
    assert all(answer(learner, query, X, y, row) for row, query in enumerate(queries))
    while True:
        try:
            answer(learner, learner.ask(), X, y, 0)
        except halfseen.BudgetSpent:
            break
    report = learner.model().report_
    assert report["reads"] == 30 - report["unused"] <= 30


@pytest.mark.parametrize(
    "estimator",
    [AERRRegressor(budget=2), AELRRegressor(budget=3), AESVRRegressor(budget=2), DDAERRRegressor(budget=2)],
)
def test_queries_are_answered_late_and_out_of_order(estimator):
    X, y = examples()
    estimator.set_params(random_state=3)
    learner = estimator.start(NAMES)
    asked = [learner.ask() for _ in range(10)]
    log = []
    for row in (7, 2, 9, 0, 4):
        query = pickle.loads(pickle.dumps(asked[row]))
        assert query == asked[row]
        cells = {name: record(X, row)[name] for name in query.attributes}
        log.append((row, cells))
        assert learner.tell(query, cells, y[row])
    assert learner.report["largest_delay"] > 0
    # The state, with its open queries, goes on elsewhere.
    elsewhere = pickle.loads(pickle.dumps(learner))
    for one in (learner, elsewhere):
        assert answer(one, asked[1], X, y, 1)
        taught(one, X, y, range(10, 20))
    assert state(elsewhere) == state(learner)
    # And the same answers in the same order give the same learner.
    again = copy.deepcopy(estimator).start(NAMES)
    assert [again.ask() for _ in range(10)] == asked
    for row, cells in log:
        again.tell(asked[row], cells, y[row])
    assert answer(again, asked[1], X, y, 1)
    taught(again, X, y, range(10, 20))
    assert state(again) == state(learner)


def test_a_refused_read_skips_the_example_and_is_counted():
    X, y = examples()
    learner = taught(AERRRegressor(budget=2, random_state=0).start(NAMES), X, y, range(5))
    before = learner.model()
    for refused in (None, float("nan"), np.nan, pytest.importorskip("pandas").NA):
        query = learner.ask()
        assert learner.tell(query, [refused] * len(query.attributes), 1.0) is False
    report = learner.report
    assert (report["examples"], report["skipped"]) == (5, 4)
    assert np.array_equal(learner.model().coef_, before.coef_)
    model = learner.model()
    assert model.attributes_read_.sum() == report["distinct"] > before.distinct_


def test_what_is_known_comes_with_every_query_and_costs_nothing():
    X, y = examples()
    learner = AERRRegressor(budget=2, known=["sugar", "age"], random_state=0).start(NAMES)
    for row in range(30):
        query = learner.ask()
        assert set(query.known) == {"sugar", "age"}
        assert set(query.known) < set(query.attributes) or row == 0
        answer(learner, query, X, y, row)
    counts = dict(zip(learner.attributes, learner.model().attributes_read_, strict=True))
    assert counts["age"] == counts["sugar"] == 0
    assert sum(counts.values()) == learner.report["distinct"]


def test_a_panel_is_asked_as_a_whole():
    X, y = examples()
    learner = AERRRegressor(budget=2, groups={"cuff": ["pressure", "pulse"]}, random_state=0).start(NAMES)
    whole = 0
    for row in range(30):
        query = learner.ask()
        assert ("pressure" in query.attributes) == ("pulse" in query.attributes)
        whole += "pulse" in query.attributes
        answer(learner, query, X, y, row)
    counts = dict(zip(learner.attributes, learner.model().attributes_read_, strict=True))
    assert counts["pressure"] == counts["pulse"] == whole > 0
    panels = counts["age"] + counts["weight"] + counts["sugar"] + whole
    assert panels == learner.report["distinct"]


def test_passive_learners_are_told_what_happens_to_be_observed():
    X, y = examples(200)
    mask = np.random.default_rng(1).random(X.shape) < 0.5
    learner = AELRRegressor(passive="all", random_state=0).start(NAMES)
    for row in range(200):
        query = learner.ask_observed([name for name, seen in zip(NAMES, mask[row], strict=True) if seen])
        assert set(query.attributes) == {NAMES[j] for j in np.flatnonzero(mask[row])}
        answer(learner, query, X, y, row)
    assert np.array_equal(learner.model().attributes_read_, mask.sum(axis=0))
    with pytest.raises(ValueError, match="no attribute 'colour'"):
        learner.ask_observed(["colour"])
    with pytest.raises(ValueError, match="chooses its reads"):
        AERRRegressor().start(NAMES).ask_observed(["age"])
    with pytest.raises(TypeError, match="list of names"):
        learner.ask_observed("age")


def test_classes_are_told_by_their_labels():
    learner = AERRClassifier(budget=2, random_state=0).start(3, classes=[5, 3])
    assert learner.attributes == ("x0", "x1", "x2")
    for target in (3, 5, np.int64(5)):
        query = learner.ask()
        assert learner.tell(query, [1.0] * len(query.attributes), target)
    query = learner.ask()
    for wrong in (4, None, "3", float("nan")):
        with pytest.raises(ValueError, match=r"must be one of \[3, 5\]"):
            learner.tell(query, [1.0] * len(query.attributes), wrong)
    model = learner.model()
    assert model.classes_.tolist() == [3, 5]
    assert not hasattr(model, "feature_names_in_")
    assert set(model.predict(np.eye(3))) <= {3, 5}
    for classes in (["a"], ["a", "b", "c"]):
        with pytest.raises(ValueError, match="two classes"):
            AERRClassifier().start(3, classes)


def test_losses_of_classes_are_told_signs():
    from halfseen import AESVRClassifier

    X, y = examples(300)
    learner = AESVRClassifier(budget=3, loss="hinge", random_state=0).start(NAMES, [False, True])
    model = taught(learner, X, y > 1, range(300)).model()
    assert np.mean(model.predict(pytest.importorskip("pandas").DataFrame(X, columns=NAMES)) == (y > 1)) > 0.7
    with pytest.raises(ValueError, match="needs two classes"):
        AESVRRegressor(loss="hinge").start(NAMES)


def test_a_query_is_refused_by_all_but_its_own_learner_and_once():
    learner, other = (
        AERRRegressor(budget=2, random_state=0).start(NAMES),
        AERRRegressor(budget=2, random_state=1).start(NAMES),
    )
    small = AERRRegressor(budget=2, random_state=0).start(["age", "height"])
    query = learner.ask()
    values = [1.0] * len(query.attributes)
    for stranger in (other, small):
        stranger.ask()
        with pytest.raises(ValueError, match="another learner"):
            stranger.tell(query, values, 1.0)
    assert learner.tell(query, values, 1.0)
    with pytest.raises(ValueError, match="not open"):
        learner.tell(query, values, 1.0)
    forgotten = [learner.ask(), learner.ask()]
    for one in forgotten:
        learner.forget(one)
    for one in forgotten:
        with pytest.raises(ValueError, match="not open"):
            learner.tell(one, [1.0] * len(one.attributes), 1.0)
        with pytest.raises(ValueError, match="not open"):
            learner.forget(one)
    for wrong in ("1", True, -1, None):
        with pytest.raises(TypeError, match="forget takes a query"):
            learner.forget(wrong)


def test_wrong_answers_are_refused_and_change_nothing():
    learner = AERRRegressor(budget=3, random_state=0).start(NAMES)
    query = learner.ask()
    right = dict.fromkeys(query.attributes, 1.0)
    before = state(learner)
    first = query.attributes[0]
    less = dict.fromkeys(query.attributes[1:], 1.0)
    wrong = [
        (less, f"asks for '{first}', and values has no such name"),
        ({**right, "colour": 1.0}, "does not ask for 'colour'"),
        ([1.0] * (len(right) + 1), f"asks for {len(right)} values"),
        ({**right, first: "high"}, f"{first} must be a number"),
        ({**right, first: [1.0, 2.0]}, f"{first} must be a number"),
        ({**right, first: float("inf")}, "finite"),
        ({**right, first: 1e200}, "finite"),
    ]
    for values, says in wrong:
        with pytest.raises(ValueError, match=says):
            learner.tell(query, values, 1.0)
    for target in (None, float("nan"), "high", float("inf")):
        with pytest.raises(ValueError, match=r"target|inf is not a finite number"):
            learner.tell(query, right, target)
    for values in ("text", {1.0, 2.0}, 3, None):
        with pytest.raises(TypeError, match="values must be a mapping by name"):
            learner.tell(query, values, 1.0)
    for asked in (None, 0, query.attributes):
        with pytest.raises(TypeError, match="tell takes a query that ask gave"):
            learner.tell(asked, right, 1.0)
    assert state(learner) == before
    assert learner.tell(query, right, 1.0)


def test_what_start_cannot_use_is_refused():
    for attributes in ("age", 3.0, [1, 2], True):
        with pytest.raises(TypeError, match=r"list of names|not iterable"):
            AERRRegressor().start(attributes)
    for attributes in (0, [], -2):
        with pytest.raises(ValueError, match="no attribute"):
            AERRRegressor().start(attributes)
    with pytest.raises(ValueError, match="same name"):
        AERRRegressor().start(["age", "age"])
    with pytest.raises(ValueError, match="budget of 9"):
        AERRRegressor(budget=9).start(NAMES)
    with pytest.raises(ValueError, match="no column 'colour'"):
        AERRRegressor(known=["colour"]).start(NAMES)
    for scale in (3, (1,), (0, 0), (float("nan"), 1), ("a", "b")):
        with pytest.raises(ValueError, match="is not allowed"):
            AERRRegressor().start(NAMES, target=scale)
    for scale in ("each", "max", "common"):
        with pytest.raises(ValueError, match=f"scale = {scale} needs .*declare their bounds"):
            AERRRegressor(scale=scale).start(NAMES)
    bounds = dict.fromkeys(range(5), (-3.0, 3.0))
    assert AERRRegressor(scale="each", bounds=bounds).start(NAMES).ask().attributes


def test_learners_are_pickled_with_their_open_queries():
    X, y = examples()
    estimator = DDAERRRegressor(
        budget=2,
        moments=[1.0, 1.0, 0.5, 0.5, 0.5],
        known=[4],
        prices={"age": 3},
        groups={"cuff": [2, 3]},
        bounds=dict.fromkeys(NAMES, (-4, 4)),
        verbose=print,
    )
    learner = taught(estimator.start(NAMES, target=(1, 2)), X, y, range(8))
    late = learner.ask()
    copies = [pickle.loads(pickle.dumps(learner)), copy.deepcopy(learner)]
    late = pickle.loads(pickle.dumps(late))
    for one in (learner, *copies):
        assert answer(one, late, X, y, 8)
        taught(one, X, y, range(9, 20))
        model = one.model()
        assert state(one) == state(learner)
        assert np.array_equal(model.coef_, learner.model().coef_)
        assert type(model) is DDAERRRegressor
        assert model.get_params()["known"] == ["sugar"]
        assert model.get_params()["random_state"] == model.report_["params"]["seed"]


def test_values_outside_their_bounds_are_taken_and_counted():
    bounds = dict.fromkeys(NAMES, (-1.0, 1.0))
    learner = AERRClassifier(budget=2, bounds=bounds, random_state=0).start(NAMES, ["ill", "well"])
    query = learner.ask()
    assert learner.tell(query, [2.0] + [0.5] * (len(query.attributes) - 1), "well")
    report = learner.report
    assert (report["outside_bounds"], report["first_outside"]["value"]) == (1, 2.0)
    assert report["first_outside"]["column"] == query.attributes[0]


def test_what_is_shown_helps():
    learner = AERRRegressor(budget=2, known=["sugar"], random_state=0).start(NAMES)
    query = learner.ask()
    assert repr(query) == f"Query(0, {[query.attributes[1]]}, known=['sugar'])"
    assert query != learner.ask()
    assert query != 3
    assert repr(learner) == "<Learner of AERRRegressor: 0 examples, 0 reads>"
