"""Throw odd arrays, parameters and texts at everything: results or refusals, and nothing else."""

import json
import math
import os
import pickle
import warnings

import halfseen
import numpy as np
import pytest
from halfseen import _core
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

ESTIMATORS = [name for home in ("budget", "missing", "robust") for name in halfseen._HOMES[home]]
DTYPES = (
    "f8",
    ">f8",
    "f4",
    "f2",
    ">f4",
    "g",
    "i8",
    ">i2",
    "u1",
    "?",
    "c16",
    "O",
    "U3",
    "S2",
    "M8[D]",
    "m8[s]",
    "V5",
)
ODD = (math.nan, math.inf, -math.inf, 1e308, -1e308, 5e-324, 1e-200, -0.0, 1e30, 2.0**53 + 1)
#: What bad input may raise; ``NotFittedError`` is both.
REFUSALS = (ValueError, TypeError)


#: How often as many examples as in the gate, with other draws: for hours by hand.
TIMES = int(os.environ.get("HALFSEEN_FUZZ_TIMES", "1"))


def tries(count):
    """Return settings of so many examples, the same in every run unless more are asked for."""
    return settings(
        max_examples=count * TIMES,
        deadline=None,
        derandomize=TIMES == 1,
        database=None,
        suppress_health_check=list(HealthCheck),
    )


@st.composite
def arrays(draw, rows=None, at_most=8):
    """Return an array of odd type, contents and place in memory; mostly two-dimensional ones of numbers."""
    few = st.integers(0, at_most) | st.integers(2, at_most)
    rows = draw(few) if rows is None else rows
    shape = draw(st.sampled_from([(rows, draw(few))] * 8 + [(), (rows,), (rows, 2, 2), (rows, 0), (0, 3)]))
    dtype = draw(st.sampled_from(("f8", *DTYPES)))
    rng = np.random.default_rng(draw(st.integers(0, 9)))
    cells = rng.normal(size=shape) if draw(st.booleans()) else rng.integers(0, 3, size=shape).astype(float)
    cells = np.asarray(cells)
    for value in draw(st.lists(st.sampled_from(ODD), max_size=2)):
        if cells.size:
            cells.flat[rng.integers(cells.size)] = value
    with np.errstate(all="ignore"):
        array = _typed(cells, dtype, draw(st.sampled_from(["", None, "text", [1], {}])))
    return _moved(
        array, draw(st.sampled_from(("plain", "plain", "fortran", "backwards", "steps", "repeated", "bytes")))
    )


def _typed(cells, dtype, other):
    if dtype == "O":
        array = cells.astype(object)
        if array.size and other != "":
            array.flat[0] = other
        return array
    if dtype == "V5":
        return np.zeros(cells.shape, dtype=[("a", "i4"), ("b", "u1")])
    if dtype[0] in "mM":
        return np.nan_to_num(cells, posinf=9, neginf=9).clip(-9, 9).astype("i8").astype(dtype)
    return cells.astype(dtype)


def _moved(array, how):
    """Return the same cells at another place, or a view of other cells."""
    if array.ndim == 0 or how == "plain":
        return array
    if how == "fortran":
        return np.asfortranarray(array)
    if how == "backwards":
        return array[::-1, ..., ::-1] if array.ndim > 1 else array[::-1]
    if how == "steps":
        return np.repeat(np.repeat(array, 2, axis=0), 3, axis=-1)[::2, ..., ::3] if array.ndim > 1 else array
    if how == "repeated":
        return np.broadcast_to(array[:1], array.shape) if len(array) else array
    if array.dtype == object:
        return array
    # Cells that do not lie where the processor likes them.
    moved = np.empty(array.nbytes + 1, dtype="u1")[1:].view(array.dtype).reshape(array.shape)
    moved[...] = array
    moved.flags.writeable = False
    return moved


def allowed(call):
    """Return what a call returns, or the refusal that it raises; anything else fails the test."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return call()
        except REFUSALS as refusal:
            return refusal


def made(name):
    """Return the estimator, hurried."""
    estimator = getattr(halfseen, name)()
    hurried = {"max_iter": 20, "rounds": 2, "random_state": 0}
    own = estimator.get_params()
    return estimator.set_params(**{key: value for key, value in hurried.items() if key in own})


@pytest.mark.parametrize("name", ESTIMATORS)
@tries(25)
@given(data=st.data())
def test_estimators_take_or_refuse_any_array(name, data):
    estimator = made(name)
    X = data.draw(arrays())
    rows = X.shape[0] if X.ndim else 0
    y = data.draw(st.sampled_from(["number", "class", "any"]))
    if y == "any":
        y = data.draw(arrays(rows=rows))
    else:
        y = np.arange(rows) * 0.5 if y == "number" else np.arange(rows) % 2
    fit = (
        estimator.partial_fit
        if hasattr(estimator, "partial_fit") and data.draw(st.booleans())
        else estimator.fit
    )
    allowed(lambda: fit(X, y))
    again = data.draw(st.sampled_from(["same", "other"]))
    again = X if again == "same" else data.draw(arrays())
    for method in ("predict", "decision_function", "predict_proba", "partial_fit"):
        if hasattr(estimator, method):
            arguments = (again, y) if method == "partial_fit" else (again,)
            found = allowed(lambda: getattr(estimator, method)(*arguments))  # noqa: B023
            if isinstance(found, np.ndarray):
                assert len(found) == len(again)


GOOD = np.random.default_rng(0).normal(size=(12, 4))
odd_values = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.sampled_from([-1, 0, 1, 2, 0.5, *ODD]),
    st.sampled_from(
        ["", "auto", "theory", "3x", "nan", "-1", "é\0", "online", "two-phase", "uniform", "mi", "x" * 5000]
    ),
    st.sampled_from([[], {}, (), object(), [1, 2], [math.nan] * 4, [0.25] * 4, np.ones((2, 2)), b"1", 1j]),
)


@pytest.mark.parametrize("name", ESTIMATORS)
@tries(25)
@given(data=st.data())
def test_estimators_take_or_refuse_any_parameter(name, data):
    estimator = made(name)
    # What says how many threads or iterations are wanted may take long, and is taken at its word.
    names = sorted(set(estimator.get_params()) - {"max_iter", "n_jobs", "passes", "rounds", "verbose"})
    chosen = data.draw(st.lists(st.sampled_from(names), min_size=1, max_size=2, unique=True))
    estimator.set_params(**{parameter: data.draw(odd_values) for parameter in chosen})
    found = allowed(lambda: estimator.fit(GOOD, GOOD[:, 0] > 0))
    if found is estimator:
        allowed(lambda: estimator.predict(GOOD))


declared = st.fixed_dictionaries(
    {
        "scale": st.none() | st.sampled_from(["none", "common", "each", "max", "", "x"]),
        "basis": st.none() | st.sampled_from(["none", "hats", "x"]),
        "known": st.lists(st.sampled_from(["x0", "x1", "y", ""]), max_size=2),
        "groups": st.lists(
            st.tuples(st.sampled_from(["g", "x0"]), st.lists(st.sampled_from(["x0", "x1", "q"]))), max_size=2
        ),
        "prices": st.dictionaries(st.sampled_from(["x0", "g", "q"]), st.sampled_from([1.0, 0.0, -1.0, *ODD])),
        "bounds": st.dictionaries(
            st.sampled_from(["x0", "x1", "q"]),
            st.tuples(st.sampled_from([0.0, *ODD]), st.sampled_from([1.0, *ODD])),
        ),
        "moments": st.dictionaries(
            st.sampled_from(["x0", "x1", "q"]),
            st.tuples(st.none() | st.sampled_from([0.0, *ODD]), st.sampled_from([1.0, *ODD])),
        ),
    }
)
PARAMETERS = {learner["name"]: learner["parameters"] for learner in json.loads(_core.learners())}
LEARNERS = list(PARAMETERS)
NOTHING = {
    "scale": None,
    "basis": None,
    "known": [],
    "groups": [],
    "prices": {},
    "bounds": {},
    "moments": {},
}


@pytest.mark.parametrize("learner", LEARNERS)
@tries(25)
@given(data=st.data())
def test_the_extension_fits_or_refuses(learner, data):
    rows = data.draw(st.integers(0, 8))
    columns = data.draw(st.integers(0, 3))
    X = np.random.default_rng(0).normal(size=(rows, columns))
    if X.size:
        X.flat[0] = data.draw(st.sampled_from([0.5, *ODD]))
    names = data.draw(
        st.sampled_from([[f"x{j}" for j in range(columns)], ["x0"] * columns, ["y"] * columns, []])
    )
    table = allowed(lambda: _core.Table.dense(X, names))
    if not isinstance(table, _core.Table):
        return
    target = data.draw(st.sampled_from(["wave", "codes", "odd", "short"]))
    y = {
        "wave": np.arange(rows) * 0.5,
        "codes": np.arange(rows) % 2.0,
        "odd": np.full(rows, math.nan),
        "short": np.ones(1),
    }[target]
    y = y[::-1] if data.draw(st.booleans()) else y
    classes = data.draw(
        st.sampled_from([None, None, ["a", "b"], [0, 1], ["a"], [], ["a", "b", "c"], [math.nan, None]])
    )
    declarations = data.draw(declared)
    hurried = [("max_iter", "20")] if any(p["name"] == "max_iter" for p in PARAMETERS[learner]) else []
    model = allowed(lambda: _core.fit(learner, hurried, table, "y", y, classes, declarations, 1, None))
    if isinstance(model, _core.Model):
        text = model.to_json()
        assert _core.Model.from_json(text).to_json() == text
        odd = data.draw(arrays())
        allowed(lambda: model.scores(odd))


indices = st.lists(st.integers(-2, 9), max_size=9).map(lambda cells: np.array(cells, dtype=np.int64))


@tries(200)
@given(
    starts=indices,
    places=indices,
    cells=st.lists(st.sampled_from([1.0, *ODD]), max_size=9),
    columns=st.integers(0, 9),
)
def test_sparse_tables_are_taken_or_refused(starts, places, cells, columns):
    names = [f"x{j}" for j in range(columns)]
    table = allowed(lambda: _core.Table.sparse(starts, places, np.array(cells), names))
    if isinstance(table, _core.Table) and len(starts) > 2:
        y = np.arange(len(starts) - 1.0)
        allowed(lambda: _core.fit("ridge", [], table, "y", y, None, NOTHING, 1, None))


@tries(200)
@given(
    rows=st.integers(0, 4),
    codes=st.lists(st.sampled_from([0, 1, 2, 2**32 - 1]), max_size=4),
    levels=st.lists(st.sampled_from(["a", "b", "", "é"]), max_size=3),
    other=arrays(at_most=4),
)
def test_tables_of_columns_are_taken_or_refused(rows, codes, levels, other):
    columns = [("text", (np.array(codes, dtype=np.uint32), levels)), ("number", other)]
    table = allowed(lambda: _core.Table.columns(rows, columns))
    if isinstance(table, _core.Table) and rows > 1:
        allowed(lambda: _core.fit("zero", [], table, "y", np.arange(float(rows)), None, NOTHING, 1, None))


def saved():
    """Return texts that the extension reads: of models of each kind, and of a learner and its query."""
    X, y = GOOD, GOOD[:, 0]
    fitted = (
        halfseen.AERRRegressor(budget=2, random_state=0),
        halfseen.KARMARegressor(),
        halfseen.MatrixCompletionRegressor(),
    )
    texts = [(_core.Model, estimator.fit(X, y).model_.to_json()) for estimator in fitted]
    learner = halfseen.AERRRegressor(budget=2, random_state=0).start(["a", "b", "c"])
    query = learner.ask()
    return [*texts, (_core.Learner, learner._learner.to_json()), (_core.Query, query._query.to_json())]


with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    TEXTS = saved()


def spoiled(value, data):
    """Return JSON with something else at one place."""
    other = st.sampled_from([None, -1, 0, 1, 2**40, 1e300, "", "x", [], {}, [0.5], True])
    if isinstance(value, dict) and value and data.draw(st.integers(0, 9)):
        key = data.draw(st.sampled_from(sorted(value)))
        return {**value, key: spoiled(value[key], data)}
    if isinstance(value, list) and value and data.draw(st.integers(0, 9)):
        at = data.draw(st.integers(0, len(value) - 1))
        return [*value[:at], spoiled(value[at], data), *value[at + 1 :]]
    return data.draw(other)


@pytest.mark.parametrize("at", range(5))
@tries(150)
@given(data=st.data())
def test_spoiled_files_are_refused_or_harmless(at, data):
    kind, text = TEXTS[at]
    text = json.dumps(spoiled(json.loads(text), data))
    cut = data.draw(st.integers(0, 3))
    text = text[: len(text) // 2] if cut == 0 else text
    found = allowed(lambda: kind.from_json(text))
    if kind is _core.Model and isinstance(found, kind):
        allowed(lambda: found.scores(GOOD))
        allowed(found.weights)
    if kind is _core.Learner and isinstance(found, kind):
        asked = allowed(found.ask)
        if isinstance(asked, tuple):
            allowed(lambda: found.tell(asked[0], [0.5] * len(asked[1]), 1.0))
        allowed(lambda: found.model(1))
        allowed(found.to_json)
    if kind is _core.Query and isinstance(found, kind):
        learner = _core.Learner.from_json(TEXTS[3][1])
        allowed(lambda: learner.tell(found, [0.5] * 2, 1.0))


def places(value, path=()):
    """Return the path of every part of JSON; of lists the first parts."""
    items = (
        value.items() if isinstance(value, dict) else enumerate(value[:4]) if isinstance(value, list) else ()
    )
    for key, part in items:
        yield (*path, key)
        yield from places(part, (*path, key))


def replaced(value, path, other):
    """Return JSON with something else at a place."""
    if not path:
        return other
    copy = value.copy()
    copy[path[0]] = replaced(value[path[0]], path[1:], other)
    return copy


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("classes", [None, [0, 1], ["a", "b"]], ids=repr)
def test_each_part_of_a_saved_learner_is_read_or_refused_as_a_value(classes):
    bounds = {"x0": (-1.0, 1.0), "x1": (-1.0, 1.0), "x2": (-1.0, 1.0)}
    if classes:
        learner = halfseen.AERRClassifier(budget=2, bounds=bounds, random_state=0).start(3, classes)
    else:
        learner = halfseen.AERRRegressor(budget=2, bounds=bounds, random_state=0).start(3)
    whole = json.loads(learner._learner.to_json())
    refused = 0
    for path in places(whole):
        for other in (None, "x", [1, "a"], {}, 1e-320, 1e308):
            text = json.dumps(replaced(whole, path, other))
            try:
                loaded = _core.Learner.from_json(text)
                loaded.report(), loaded.ask(), loaded.model(1)
            except ValueError:
                refused += 1
            except halfseen.BudgetSpent:
                pass
    assert refused > 100


@pytest.mark.parametrize(
    "estimator",
    [halfseen.RobustLPClassifier(), halfseen.AERRClassifier(), halfseen.KARMAClassifier()],
    ids=lambda estimator: type(estimator).__name__,
)
def test_each_number_of_a_model_file_is_refused_or_predicts_finite_scores(estimator):
    X = np.random.default_rng(0).normal(size=(30, 3))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        whole = json.loads(estimator.fit(X, X[:, 0] > 0).model_.to_json())
    for path in places({key: part for key, part in whole.items() if key != "report"}):
        for other in (1e-320, 5e-324, 1e308, 0, -1):
            try:
                scores = _core.Model.from_json(json.dumps(replaced(whole, path, other))).scores(X)
            except ValueError:
                continue
            assert np.isfinite(scores).all(), (path, other)


answers = st.one_of(
    st.lists(st.sampled_from([0.5, None, "1", "x", True, 1j, [1.0], *ODD]), max_size=3),
    st.dictionaries(
        st.sampled_from(["a", "b", "c", "q", 0]), st.sampled_from([0.5, None, "x", *ODD]), max_size=3
    ),
    st.sampled_from([None, 1.0, "ab", b"ab", np.ones(2), np.ones((2, 2)), object()]),
)


@tries(150)
@given(data=st.data())
def test_learners_take_or_refuse_any_answer(data):
    learner = halfseen.AERRRegressor(budget=2, random_state=0).start(["a", "b", "c"])
    for _ in range(data.draw(st.integers(1, 4))):
        query = learner.ask()
        values = data.draw(answers | st.just([0.5] * len(query.attributes)))
        target = data.draw(st.sampled_from([1.0, None, "x", [1.0], np.ones(1), *ODD]))
        allowed(lambda: learner.tell(query, values, target))  # noqa: B023
        observed = data.draw(
            st.lists(st.sampled_from(["a", "c", "q", 0, 9, -1, None, 0.5]), max_size=4) | odd_values
        )
        allowed(lambda: learner.ask_observed(observed))  # noqa: B023
        closed = data.draw(odd_values)
        allowed(lambda: learner.forget(closed))  # noqa: B023
    allowed(learner.model)
    allowed(lambda: pickle.loads(pickle.dumps(learner)))


@tries(60)
@given(attributes=odd_values | st.lists(odd_values, max_size=3), target=odd_values, classes=odd_values)
def test_learners_start_or_refuse(attributes, target, classes):
    allowed(lambda: halfseen.AERRRegressor().start(attributes, target=target))
    allowed(lambda: halfseen.AERRClassifier().start(attributes, classes))
