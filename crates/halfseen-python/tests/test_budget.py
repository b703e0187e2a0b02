"""Hold budgeted estimators to what they promise: what they read, batches that are one, honesty, the books."""

import copy
import json
import pickle
import warnings

import halfseen
import numpy as np
import pytest
import scipy.sparse
from halfseen import (
    AELRRegressor,
    AERRClassifier,
    AERRRegressor,
    AESVRRegressor,
    DDAELRRegressor,
    DDAERRClassifier,
    DDAERRRegressor,
    FIMLRegressor,
    GAERRRegressor,
    MomentLassoRegressor,
)
from halfseen._parameters import declared
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

NAMES = halfseen.budget.__all__
CLASSES = {name: getattr(halfseen.budget, name) for name in NAMES}
EVERY = pytest.mark.parametrize("name", NAMES)

# Batches of few rows, of which nobody says how many come, teach little, and say so.
pytestmark = pytest.mark.filterwarnings("ignore:its own test cannot:halfseen.warnings.DataWarning")


def examples(rows=400, columns=8, seed=0):
    X = np.random.default_rng(seed).normal(size=(rows, columns))
    return X, X[:, 0] - X[:, 1] + 0.5


def target_of(name, y):
    return np.where(y > 0.5, "yes", "no") if name.endswith("Classifier") else y


def batch(estimator, X, y):
    more = {"classes": ["no", "yes"]} if hasattr(estimator, "decision_function") else {}
    return estimator.partial_fit(X, y, **more)


def same(one, two):
    assert one.model_.to_json().split('"seconds"')[0] == two.model_.to_json().split('"seconds"')[0]
    assert np.array_equal(one.coef_, two.coef_)
    assert np.array_equal(one.intercept_, two.intercept_)
    assert (one.reads_, one.distinct_) == (two.reads_, two.distinct_)
    assert np.array_equal(one.attributes_read_, two.attributes_read_)


def test_there_is_an_estimator_for_every_budgeted_learner():
    from halfseen._parameters import learners

    ours = {name for name, learner in learners().items() if learner["family"] == "budget"}
    assert ours == {cls._learner for cls in CLASSES.values()}
    numbers = [name for name in NAMES if not name.endswith("Classifier")]
    assert all(f"{name.removesuffix('Regressor')}Classifier" in NAMES for name in numbers)


@EVERY
def test_the_books_add_up(name):
    X, y = examples()
    model = CLASSES[name](budget=3, random_state=0).fit(X, target_of(name, y))
    counts = model.attributes_read_
    assert counts.shape == (8,)
    assert counts.dtype.kind == "i"
    assert counts.sum() == model.distinct_ <= model.reads_
    kind = model.report_["budget_kind"]
    assert kind == ("expected" if "AESVR" in name else "each")
    assert kind == "expected" or model.reads_ <= 3 * 400
    assert counts.min() > 0


def test_what_is_known_is_not_counted_and_panels_are_read_as_one():
    X, y = examples()
    model = AERRRegressor(budget=2, known=[7], groups={"pair": [2, 3]}, random_state=0).fit(X, y)
    counts = model.attributes_read_
    assert counts[7] == 0
    assert counts[2] == counts[3] > 0
    assert np.delete(counts, 3).sum() == model.distinct_


def test_reading_everything_counts_every_cell():
    X, y = examples()
    assert AERRRegressor(budget=8).fit(X, y).attributes_read_.tolist() == [400] * 8


@EVERY
def test_batches_are_one_batch_to_the_bit(name):
    X, y = examples()
    y = target_of(name, y)
    estimator = CLASSES[name](budget=3, random_state=4)
    first = slice(0, 100)
    whole = batch(batch(clone(estimator), X[first], y[first]), X[100:], y[100:])
    pieces = batch(clone(estimator), X[first], y[first])
    for rows in (slice(100, 101), slice(101, 250), slice(250, 400)):
        pieces = pickle.loads(pickle.dumps(batch(pieces, X[rows], y[rows])))
    same(whole, pieces)
    assert whole.report_["examples"] == 400
    if "intercept" not in estimator.get_params():
        return
    # Nothing of a target is fitted without an intercept: then the first batch is like any other.
    estimator.set_params(intercept=False)
    once = batch(clone(estimator), X, y)
    twice = batch(batch(clone(estimator), X[:7], y[:7]), X[7:], y[7:])
    same(once, twice)
    assert not np.array_equal(once.coef_, whole.coef_)


def test_a_fit_forgets_batches_and_batches_forget_a_fit():
    X, y = examples()
    fitted = AERRRegressor(budget=3, random_state=0).fit(X, y)
    mixed = AERRRegressor(budget=3, random_state=0).partial_fit(X, y)
    same(mixed.fit(X, y), fitted)
    assert not hasattr(mixed, "learner_")
    begun = AERRRegressor(budget=3, random_state=0).partial_fit(X[:50, :5], y[:50])
    same(mixed.partial_fit(X[:50, :5], y[:50]), begun)
    assert mixed.n_features_in_ == 5
    # The labels are known after a fit.
    labels = np.where(y > 0.5, "yes", "no")
    fitted = AERRClassifier(budget=3, random_state=0).fit(X, labels)
    begun = AERRClassifier(budget=3, random_state=0).partial_fit(X[:50], labels[:50], classes=["no", "yes"])
    same(fitted.partial_fit(X[:50], labels[:50]), begun)


@pytest.mark.filterwarnings("ignore:the total budget:halfseen.warnings.DataWarning")
def test_a_total_budget_holds_over_all_batches():
    X, y = examples(300)
    for estimator in (AERRRegressor(budget=4), AESVRRegressor(budget=3), MomentLassoRegressor(budget=3)):
        estimator.set_params(total_budget=500, random_state=1, intercept=False)
        whole = clone(estimator).partial_fit(X, y)
        pieces = clone(estimator)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for rows in np.split(np.arange(300), 10):
                pieces = copy.deepcopy(pieces).partial_fit(X[rows], y[rows])
            pieces.partial_fit(X[:5], y[:5])
        spent = [str(w.message) for w in caught if "total budget" in str(w.message)]
        assert len(spent) == 1
        assert "later are not learned from" in spent[0]
        same(whole, pieces)
        assert 480 < whole.reads_ <= 500
        assert whole.report_["stop"] == pieces.report_["stop"] == "budget-spent"
        assert whole.report_["unused"] == pieces.report_["unused"] == 500 - whole.reads_


def test_batches_are_checked_as_rows_of_one_table():
    X, y = examples()
    model = AERRRegressor(budget=3).partial_fit(X, y)
    with pytest.raises(
        ValueError, match="X has 7 features, but AERRRegressor is expecting 8 features as input"
    ):
        model.partial_fit(X[:, :7], y)
    pandas = pytest.importorskip("pandas")
    model = AERRRegressor(budget=3).partial_fit(pandas.DataFrame(X, columns=list("abcdefgh")), y)
    with pytest.raises(ValueError, match="feature names should match"):
        model.partial_fit(pandas.DataFrame(X, columns=list("hgfedcba")), y)
    with pytest.raises(ValueError, match="contains NaN"):
        model.partial_fit(pandas.DataFrame(np.full((1, 8), np.nan), columns=list("abcdefgh")), y[:1])
    assert model.report_["examples"] == 400


def test_sparse_rows_are_learned_as_dense_ones():
    X, y = examples()
    X[np.abs(X) < 1] = 0
    for form in (scipy.sparse.csr_matrix, scipy.sparse.csr_array):
        dense = AERRRegressor(budget=3, random_state=0).partial_fit(X, y)
        same(AERRRegressor(budget=3, random_state=0).partial_fit(form(X), y), dense)


def test_the_first_call_needs_the_classes():
    X, y = examples()
    y = np.where(y > 0.5, "yes", "no")
    with pytest.raises(ValueError, match="classes must be passed on the first call to partial_fit"):
        AERRClassifier().partial_fit(X, y)
    with pytest.raises(ValueError, match="tells two classes apart, and classes holds 3"):
        AERRClassifier().partial_fit(X, y, classes=["yes", "no", "perhaps"])
    with pytest.raises(ValueError, match="holds 'yes', and classes are"):
        AERRClassifier().partial_fit(X, y, classes=["no", "never"])
    model = AERRClassifier(budget=3, random_state=0).partial_fit(X[:1], y[:1], classes=["yes", "no"])
    assert model.classes_.tolist() == ["no", "yes"]
    model.partial_fit(X[1:], y[1:])
    assert model.score(X, y) > 0.6
    with pytest.raises(ValueError, match="in the first call"):
        model.partial_fit(X, y, classes=["no", "never"])
    with pytest.raises(ValueError, match="holds 'never'"):
        model.partial_fit(X[:1], ["never"])


class EnoughError(Exception):
    """Ends a fit at the first sign of progress."""


def stop(done, total):
    raise EnoughError


def test_an_interrupted_batch_keeps_what_was_paid_for():
    X, y = examples(1_000_000, 4)

    model = AERRRegressor(budget=3, random_state=0, verbose=stop)
    with pytest.raises(EnoughError):
        model.partial_fit(X, y)
    report = model.report_
    assert report["stop"] == "interrupted"
    assert report["examples"] < 1_000_000
    assert report["distinct"] == model.attributes_read_.sum()
    before = report["examples"]
    model.set_params(verbose=False).partial_fit(X[:1000], y[:1000])
    assert model.report_["examples"] == before + 1000


def test_an_interrupted_batch_of_one_that_keeps_its_reads_does_not_fit_first():
    X, y = examples(400_000, 4)

    model = FIMLRegressor(budget=3, random_state=0, verbose=stop)
    with pytest.raises(EnoughError):
        model.partial_fit(X, y)
    assert not hasattr(model, "model_")
    before = json.loads(model.learner_.report())["examples"]
    assert 0 < before < 400_000
    model.set_params(verbose=False).partial_fit(X[:1000], y[:1000])
    assert model.report_["examples"] == before + 1000


def test_a_batch_that_cannot_be_learned_from_leaves_the_rows_before():
    X, y = examples(50)
    X[30] = 1e200
    model = AERRRegressor(budget=8, random_state=0)
    with pytest.raises(ValueError, match="row 31, column 'x0': 1e200 is too large"):
        model.partial_fit(X, y)
    assert model.report_["examples"] == 30
    assert model.partial_fit(X[31:], y[31:]).report_["examples"] == 49


def test_steps_that_are_too_long_are_told():
    X, y = examples(300, 6)
    with pytest.warns(halfseen.DataWarning, match="its own test cannot distinguish it from a constant"):
        halfseen.PNormRegressor(random_state=0).partial_fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        halfseen.PNormRegressor(random_state=0, horizon=300).partial_fit(X, y)


def test_a_fit_that_fails_leaves_nothing_fitted():
    X, y = examples(100)
    model = AERRClassifier(random_state=0).fit(X, y > 0)
    with pytest.raises(ValueError, match="radius"):
        model.set_params(radius=-1.0).fit(X, np.where(y > 0, "well", "ill"))
    with pytest.raises(NotFittedError):
        model.predict(X)


@pytest.mark.filterwarnings("ignore:values outside:halfseen.warnings.DataWarning")
def test_values_outside_bounds_are_counted_over_batches():
    X, y = examples()
    model = AERRRegressor(budget=8, bounds=dict.fromkeys(range(8), (-2.0, 2.0)), random_state=0)
    for rows in np.split(np.arange(400), 4):
        model = pickle.loads(pickle.dumps(model.partial_fit(X[rows], y[rows])))
    assert model.report_["outside_bounds"] == np.sum(np.abs(X) > 2)
    assert model.report_["first_outside"]["row"] == 1 + np.flatnonzero((np.abs(X) > 2).any(axis=1))[0]


@pytest.mark.parametrize("scale", ["each", "max", "common"])
def test_no_honest_fit_scales_by_cells_that_it_did_not_read(scale):
    X, y = examples()
    for learn in (AERRRegressor(budget=3, scale=scale).fit, AERRRegressor(budget=3, scale=scale).partial_fit):
        with pytest.raises(
            ValueError, match=f"scale = {scale} needs the attributes' ranges.*declare their bounds"
        ):
            learn(X, y)
    bounds = dict.fromkeys(range(8), (-5.0, 5.0))
    model = AERRRegressor(budget=3, scale=scale, bounds=bounds, random_state=0).fit(X, y)
    # What was not read does not matter.
    again = clone(model).fit(X, y)
    same(model, again)


def test_cells_that_are_not_read_do_not_matter():
    X, y = examples(300)
    for estimator in (
        AERRRegressor(budget=2),
        DDAERRRegressor(budget=2),
        AESVRRegressor(budget=2),
        MomentLassoRegressor(budget=2),
    ):
        estimator.set_params(random_state=3, intercept=False)
        model = clone(estimator).partial_fit(X, y)
        learner = estimator.start(8)
        touched = np.full(X.shape, 1e50)
        for row in range(300):
            query = learner.ask()
            asked = [int(name[1:]) for name in query.attributes]
            touched[row, asked] = X[row, asked]
            learner.tell(query, X[row, asked], y[row])
        same(clone(estimator).partial_fit(touched, y), model)


def test_passive_estimators_learn_from_what_is_observed():
    X, y = examples(3000)
    X[np.random.default_rng(1).random(X.shape) < 0.5] = np.nan
    for cls in (AERRRegressor, AELRRegressor):
        for passive in ("one", "all"):
            model = cls(passive=passive, radius=2.0, random_state=0).fit(X, y)
            assert np.array_equal(model.attributes_read_, np.sum(~np.isnan(X), axis=0))
            assert model.score(np.nan_to_num(X), y) > 0.4
            assert model.__sklearn_tags__().input_tags.allow_nan
        whole = cls(passive="all", random_state=0).partial_fit(X, y)
        parts = cls(passive="all", random_state=0).partial_fit(X[:9], y[:9]).partial_fit(X[9:], y[9:])
        assert np.array_equal(whole.attributes_read_, parts.attributes_read_)
        assert not cls().__sklearn_tags__().input_tags.allow_nan
        with pytest.raises(ValueError, match="contains NaN"):
            cls().fit(X, y)
    labels = np.where(y > 0.5, "yes", "no")
    assert AERRClassifier(passive="all", random_state=0).fit(X, labels).score(np.nan_to_num(X), labels) > 0.7


@pytest.mark.parametrize(
    ("cls", "learner"),
    [(DDAERRRegressor, "ddaerr"), (DDAELRRegressor, "ddaelr"), (DDAERRClassifier, "ddaerr")],
)
def test_moments_come_from_four_places(cls, learner):
    X, y = examples(2000)
    X *= np.array([3.0, 1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1])
    y = y > 0.5 if cls is DDAERRClassifier else y
    fits = {
        moments if isinstance(moments, str | None) else "given": cls(
            budget=3, moments=moments, random_state=0
        ).fit(X, y)
        for moments in (None, "online", "two-phase", np.mean(X**2, axis=0))
    }
    assert np.array_equal(fits[None].coef_, fits["online"].coef_)
    assert {fit.report_["learner"] for fit in fits.values()} == {learner}
    assert fits["two-phase"].report_["params"]["moments"] == "two-phase"
    for name, fit in fits.items():
        assert fit.attributes_read_[0] > 1.2 * fit.attributes_read_[4], name
    parameters = {declaration.name for declaration in declared(learner)}
    assert parameters <= cls().get_params().keys()
    with pytest.raises(ValueError, match="moments"):
        cls(budget=3, moments=[1.0, 2.0]).fit(X, y)
    with pytest.raises(ValueError, match="moments"):
        cls(budget=3, moments="soup").fit(X, y)


def test_two_phases_ask_and_learn_in_batches_where_the_horizon_is_known():
    X, y = examples(1000)
    model = DDAERRRegressor(budget=3, moments="two-phase", horizon=1000, random_state=0)
    for rows in np.split(np.arange(1000), 5):
        model.partial_fit(X[rows], y[rows])
    assert model.report_["params"]["moments"] == "two-phase"
    assert model.score(X, y) > 0.5
    with pytest.raises(ValueError, match="phase1"):
        DDAERRRegressor(budget=3, moments="two-phase").partial_fit(X, y)
    assert (
        DDAERRRegressor(budget=3, moments="two-phase", phase1=200).partial_fit(X, y).report_["examples"]
        == 1000
    )


def test_probabilities_decide_what_is_read():
    X, y = examples(2000, 4)
    model = GAERRRegressor(budget=2, probabilities=[0.7, 0.1, 0.1, 0.1], random_state=0).fit(X, y)
    # The others' product reads go by the weights.
    assert model.attributes_read_[0] > 1.3 * model.attributes_read_[1:].max()
    with pytest.raises(ValueError, match="probabilities"):
        GAERRRegressor(budget=2, probabilities=[0.5, 0.5]).fit(X, y)


def test_budgets_that_cannot_be_are_refused():
    X, y = examples()
    for budget, says in (
        (9, "budget of 9 reads"),
        (1, "budget of at least 2"),
        (0, "'budget' parameter of AERRRegressor must be an integer of at least 1, or None. Got 0 instead"),
        (
            2.5,
            "'budget' parameter of AERRRegressor must be an integer of at least 1, or None. Got 2.5 instead",
        ),
    ):
        with pytest.raises(ValueError, match=says):
            AERRRegressor(budget=budget).fit(X, y)
    with pytest.raises(TypeError, match=r"'budget' parameter of AERRRegressor must be .* Got \{\} instead"):
        AERRRegressor(budget={}).fit(X, y)


@EVERY
def test_documentation_is_whole(name):
    text = CLASSES[name].__doc__
    for section in ("Parameters", "Attributes", "See Also", "Notes", "References", "Examples"):
        assert f"\n    {section}\n    {'-' * len(section)}\n" in text
    assert "{" not in text.replace("{'", "").replace("{array", "")
    for parameter in CLASSES[name]().get_params():
        assert f"\n    {parameter} : " in text
    assert ".. [1]" in text
    assert "sample_weight" in text


def test_a_model_made_of_batches_is_saved_like_any_other():
    X, y = examples()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = AERRRegressor(budget=3, random_state=0).partial_fit(X, y)
    text = model.model_.to_json()
    assert halfseen._core.Model.from_json(text).attributes_read() == model.attributes_read_.tolist()
