"""Hold ask and tell to what sessions promise: parts, reasons, replay, copies, budgets, exports."""

import json

import halfseen
import numpy as np
import pytest
from halfseen import AERRClassifier, AERRRegressor, Learner, Query
from test_asktell import BUDGETED, NAMES, answer, examples, record

# Few rows, of which nobody says how many come, teach little, and say so.
pytestmark = pytest.mark.filterwarnings("ignore:its own test cannot:halfseen.warnings.DataWarning")


def test_answers_come_in_parts_with_reasons():
    X, y = examples()
    estimator = halfseen.FIMLRegressor(budget=3, random_state=0)
    learner, whole = estimator.start(NAMES), estimator.start(NAMES)
    for row in range(20):
        query = learner.ask()
        first, second, third = query.attributes
        cells = record(X, row)
        assert learner.tell_part(query, {first: cells[first]}) is None
        assert learner.tell_part(query, target=y[row]) is None
        learner = Learner.from_json(learner.to_json())
        (waiting,) = learner.open
        assert waiting.query == query
        assert (waiting.missing, waiting.has_target) == ((second, third), True)
        assert learner.tell_part(query, reasons={second: "refused"}) is None
        assert learner.tell_part(query, {third: cells[third]}) is True
        values = {first: cells[first], second: None, third: cells[third]}
        asked = whole.ask()
        assert asked.attributes == query.attributes
        assert whole.tell(asked, values, y[row], reasons={second: "refused"})
    assert learner.report["missing_reasons"] == {"refused": 20}
    assert learner.to_json() == whole.to_json()
    query = learner.ask()
    first = query.attributes[0]
    learner.tell_part(query, {first: 1.0})
    for wrong, says in [
        (lambda: learner.tell_part(query, {first: 2.0}), "the answer was 1 before and is 2 now"),
        (lambda: learner.tell_part(query, {"colour": 2.0}), "does not ask for 'colour'"),
        (lambda: learner.tell_part(query, reasons={"colour": "gone"}), "does not ask for 'colour'"),
        (lambda: learner.tell_part(query, {first: 1.0}, reasons={first: "gone"}), "and a reason why"),
    ]:
        with pytest.raises(ValueError, match=says):
            wrong()
    for wrong in (lambda: learner.tell_part(query, [1.0]), lambda: learner.tell_part(0, {})):
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(TypeError, match="must be a text"):
        learner.tell_part(query, reasons={first: 3})
    # What was told of a query that is given up was read.
    before = learner.report["distinct"]
    learner.forget(query)
    assert (learner.report["distinct"], learner.report["skipped"]) == (before + 1, 1)
    query = learner.ask()
    learner.tell(query, [None] * 3, 1.0)
    assert learner.report["missing_reasons"] == {"refused": 20, "no reason given": 3}


@pytest.mark.filterwarnings("ignore:answers were delayed:halfseen.warnings.DataWarning")
@pytest.mark.parametrize(("cls", "name"), BUDGETED, ids=lambda of: of if isinstance(of, str) else "")
def test_a_log_is_replayed_by_adopting_its_queries(cls, name):
    X, y = examples()
    given = (["well", "ill"],) if name.endswith("Classifier") else ()
    y = np.where(y > 1, "ill", "well") if given else y
    estimator = cls(budget=3, random_state=2)
    learner, again = estimator.start(NAMES, *given), estimator.start(NAMES, *given)
    log = []
    for _ in range(5):
        queries = [learner.ask() for _ in range(6)]
        for query in reversed(queries):
            answer(learner, query, X, y, query.number)
        log.append([query.to_json() for query in queries])
    for letters in log:
        queries = [Query.from_json(letter) for letter in letters]
        for query in queries:
            again.adopt(query)
        for query in reversed(queries):
            answer(again, query, X, y, query.number)
    assert again.to_json() == learner.to_json()
    assert np.array_equal(again.model().coef_, learner.model().coef_)
    for used in queries:
        with pytest.raises(ValueError, match="the number was used before"):
            again.adopt(used)
    with pytest.raises(TypeError, match="adopt takes a query"):
        again.adopt(3)


def test_two_copies_of_a_learner_take_no_answers_of_each_other_and_lose_none(tmp_path):
    path = tmp_path / "learner.json"
    learner = AERRRegressor(budget=2, random_state=0).start(NAMES)
    learner.save(path)
    one, other = Learner.load(path), Learner.load(path)
    asked, same = one.ask(), other.ask()
    assert asked.attributes == same.attributes
    assert asked != same
    with pytest.raises(ValueError, match="another copy of this one"):
        other.tell(asked, [1.0] * len(asked.attributes), 1.0)
    assert one.tell(asked, [1.0] * len(asked.attributes), 1.0)
    assert other.tell(same, [1.0] * len(same.attributes), 1.0)
    one.save(path)
    text = path.read_text()
    with pytest.raises(ValueError, match="holds generation 2"):
        other.save(path)
    with pytest.raises(ValueError, match="holds session"):
        AERRRegressor(budget=2, random_state=1).start(NAMES).save(path)
    assert path.read_text() == text
    one.save(path)
    other.save(tmp_path / "other.json")
    (tmp_path / "text.txt").write_text("no learner")
    one.save(tmp_path / "text.txt")
    assert Learner.load(path).report["examples"] == 1


def test_what_is_left_is_told_open_queries_included():
    estimator = halfseen.FIMLRegressor(budget=2, total_budget=20, prices={"age": 5.0}, random_state=0)
    learner = estimator.start(NAMES)
    assert learner.remaining == (20, None, 0, 0.0)
    learner.set_total_cost(12.0)
    costs = []

    def ask_on():
        while True:
            query = learner.ask()
            costs.append(sum(5.0 if name == "age" else 1.0 for name in query.attributes))

    with pytest.raises(halfseen.BudgetSpent, match="is too small"):
        ask_on()
    reads = 2 * len(costs)
    assert learner.remaining == (20 - reads, 12.0 - sum(costs), reads, sum(costs))
    ages = [(waiting.query.number, waiting.asked_since, waiting.closed_since) for waiting in learner.open]
    assert ages == [(n, len(costs) - n - 1, 0) for n in range(len(costs))]
    assert Learner.from_json(learner.to_json()).total_cost == 12.0
    learner.set_total_cost(None)
    learner.ask()
    for wrong in (-1.0, float("nan"), "much"):
        with pytest.raises(ValueError, match="total_cost"):
            learner.set_total_cost(wrong)


def test_reads_are_exported_where_they_are_kept_and_bounds_are_held():
    bounds = dict.fromkeys(NAMES, (-1.0, 1.0))
    learner = AERRClassifier(budget=2, bounds=bounds, random_state=0).start(NAMES, ["ill", "well"])
    with pytest.raises(ValueError, match="keeps no reads"):
        learner.export()
    learner.set_keep_reads()
    query = learner.ask()
    (name,) = query.attributes
    learner.tell(query, [2.0], "well")
    query = learner.ask()
    learner.tell(query, [None] * len(query.attributes), "ill", reasons={query.attributes[0]: "refused"})
    first, second, *_ = learner.export()
    assert first == (0, name, 2.0, None, "well")
    assert (second.number, second.value, second.target) == (1, None, "ill")
    report = learner.report
    assert (report["outside_bounds"], report["first_outside"]["value"]) == (1, 2.0)
    learner.set_strict()
    query = learner.ask()
    with pytest.raises(ValueError, match="lies outside its bounds, -1 to 1"):
        learner.tell(query, [2.0] * len(query.attributes), "ill")
    assert (learner.keeps_reads, learner.strict) == (True, True)


def test_a_learner_saved_before_there_were_sessions_is_loaded():
    learner = AERRRegressor(budget=2, random_state=0).start(NAMES)
    late = json.loads(learner.ask().to_json())
    saved = json.loads(learner.to_json())
    keys = ("learner", "prepare", "target", "classes", "bounds", "passed")
    saved["learner"] = {key: saved["learner"][key] for key in keys}
    del late["query"]["asker"]
    old, query = Learner.from_json(json.dumps(saved)), Query.from_json(json.dumps(late))
    assert old.tell(query, [1.0] * len(query.attributes), 1.0)
    assert old.report["examples"] == 1
