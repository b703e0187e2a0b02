"""Give every estimator what it cannot use, and arrays that lie in memory in every way."""

import gc
import re
import warnings

import halfseen
import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from halfseen import AERRClassifier, AERRRegressor, KARMAClassifier, KARMARegressor, RobustLPRegressor, _core
from halfseen.testing import estimators
from sklearn.base import clone, is_classifier
from sklearn.exceptions import DataConversionWarning

LEARNERS = [estimator for estimator in estimators() if hasattr(estimator, "_learner")]
EACH = pytest.mark.parametrize("estimator", LEARNERS, ids=lambda estimator: type(estimator).__name__)


def data(estimator=None, rows=40):
    rng = np.random.default_rng(0)
    X = rng.integers(-4, 5, size=(rows, 3)).astype(float)
    y = X @ [1.0, -2.0, 0.5] + 0.25
    return X, (y > 0).astype(int) if estimator is not None and is_classifier(estimator) else y


def quietly(estimator, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clone(estimator).fit(X, y)


SHAPES = [
    (np.zeros(40), "Expected 2D array, got 1D array instead"),
    (np.float64(3.0), "Expected 2D array, got scalar array instead"),
    (np.zeros((40, 3, 1)), r"Found array with dim 3|expected <= 2"),
    (np.zeros((0, 3)), r"Found array with 0 sample\(s\)"),
    (np.zeros((40, 0)), r"Found array with 0 feature\(s\)"),
    (np.zeros((40, 3), dtype=complex), "Complex data not supported"),
    (np.full((40, 3), "a"), r"could not convert string to float: .*'a'"),
    (np.full((40, 3), "a", dtype=object), r"could not convert string to float: .*'a'"),
    (np.full((40, 3), np.inf), "Input X contains infinity"),
    (np.full((40, 3), -np.inf), "Input X contains infinity"),
    (np.zeros((39, 3)), r"inconsistent numbers of samples: \[39, 40\]"),
    (None, "Expected 2D array|got scalar"),
]


@EACH
@pytest.mark.parametrize(("X", "says"), SHAPES)
def test_fit_refuses_odd_examples_in_scikit_learns_words(estimator, X, says):
    _, y = data(estimator)
    with pytest.raises(ValueError, match=says):
        quietly(estimator, X, y)


@EACH
def test_predict_refuses_odd_examples_in_scikit_learns_words(estimator):
    model = quietly(estimator, *data(estimator))
    for X, says in SHAPES[:8]:
        with pytest.raises(ValueError, match=says):
            model.predict(X)
    for wrong in (np.zeros((5, 2)), np.zeros((5, 4)), scipy.sparse.csr_array((5, 2)), [[1.0]]):
        with pytest.raises(ValueError, match=r"X has \d features, but \w+ is expecting 3 features as input"):
            model.predict(wrong)
    for infinite in (np.array([[0.0, np.inf, 0.0]]), [[0.0, -np.inf, 0.0]]):
        with pytest.raises(ValueError, match="inf"):
            model.predict(infinite)


@EACH
def test_fit_refuses_odd_targets_in_scikit_learns_words(estimator):
    X, y = data(estimator)
    holed = y.astype(float)
    holed[3] = np.nan
    with pytest.raises(ValueError, match="Input y contains NaN"):
        quietly(estimator, X, holed)
    with pytest.raises(ValueError, match=r"infinity|continuous"):
        quietly(estimator, X, np.where(np.arange(40) == 3, np.inf, y))
    with pytest.raises(ValueError, match=r"y should be a 1d array|multioutput|multilabel"):
        quietly(estimator, X, np.column_stack([y, y]))
    with pytest.raises(ValueError, match="requires y to be passed, but the target y is None"):
        quietly(estimator, X, None)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        quietly(estimator, X, y[:-1])
    with pytest.raises(ValueError, match="Complex data not supported"):
        quietly(estimator, X, y + 1j)
    if is_classifier(estimator):
        with pytest.raises(ValueError, match="needs samples of at least 2 classes, but y holds one class"):
            quietly(estimator, X, np.zeros(40))
    else:
        with pytest.raises(
            ValueError, match=r"could not convert string to float|dtype='numeric'|not compatible"
        ):
            quietly(estimator, X, np.full(40, "much"))


def test_a_column_of_targets_is_flattened_with_a_warning():
    X, y = data()
    with pytest.warns(DataConversionWarning, match="column-vector y was passed"):
        flat = AERRRegressor(random_state=0).fit(X, y[:, np.newaxis])
    np.testing.assert_array_equal(flat.coef_, AERRRegressor(random_state=0).fit(X, y).coef_)


@EACH
def test_missing_cells_are_learned_from_or_refused(estimator):
    X, y = data(estimator)
    X[3, 1] = np.nan
    if estimator._takes_holes:
        assert len(quietly(estimator, X, y).predict(X)) == 40
        return
    for given in (X, scipy.sparse.csr_array(X)):
        with pytest.raises(ValueError, match=r"Input X?.*contains NaN"):
            quietly(estimator, given, y)


def layouts(X):
    """Return the same numbers, lying in memory in every way that NumPy knows."""
    rows, columns = X.shape
    wide = np.zeros((2 * rows, 3 * columns))
    wide[::2, ::3] = X
    odd = np.zeros(X.nbytes + 1, dtype=np.uint8)
    misaligned = odd[1:].view(np.float64).reshape(X.shape)
    misaligned[:] = X
    packed = np.zeros(X.shape, dtype=[("before", "u1"), ("cell", "f8")])
    packed["cell"] = X
    locked = X.copy()
    locked.setflags(write=False)
    reverse = np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1]
    return {
        "C": np.ascontiguousarray(X),
        "Fortran": np.asfortranarray(X),
        "strided": wide[::2, ::3],
        "reversed": reverse,
        "upside down": np.ascontiguousarray(X[::-1])[::-1],
        "misaligned": misaligned,
        "packed": packed["cell"],
        "read-only": locked,
        "big-endian": X.astype(">f8"),
        "float32": X.astype(np.float32),
        "float16": X.astype(np.float16),
        "longdouble": X.astype(np.longdouble),
        "int8": X.astype(np.int8),
        "int64": X.astype(np.int64),
        "object": X.astype(object),
        "list": X.tolist(),
        "subclass": X.view(type("Own", (np.ndarray,), {})),
        "memoryview": memoryview(np.ascontiguousarray(X)),
    }


@pytest.mark.parametrize(
    "estimator", [AERRRegressor(random_state=0), KARMARegressor(), RobustLPRegressor(threat=0)]
)
def test_numbers_are_the_same_however_they_lie(estimator):
    X, y = data()
    expected = quietly(estimator, X, y)
    answers = expected.predict(X)
    for name, given in layouts(X).items():
        np.testing.assert_array_equal(quietly(estimator, given, y).predict(X), answers, err_msg=name)
        np.testing.assert_array_equal(expected.predict(given), answers, err_msg=name)
        np.testing.assert_array_equal(X, data()[0], err_msg=name)
    for name, targets in layouts(np.column_stack([y, y])).items():
        if isinstance(targets, np.ndarray) and name not in ("float16", "int8", "int64"):
            np.testing.assert_array_equal(
                quietly(estimator, X, targets[:, 0]).predict(X), answers, err_msg=name
            )


def test_one_value_for_every_cell_may_be_one_number_in_memory():
    X, y = data()
    model = AERRRegressor(random_state=0).fit(X, y)
    everywhere = np.broadcast_to(np.float64(2.0), (5, 3))
    np.testing.assert_array_equal(model.predict(everywhere), model.predict(np.full((5, 3), 2.0)))
    rows = np.broadcast_to(X[:1], (5, 3))
    np.testing.assert_array_equal(model.predict(rows), model.predict(rows.copy()))


def test_truth_values_are_numbers():
    X, y = data()
    given = X > 0
    np.testing.assert_array_equal(
        AERRRegressor(random_state=0).fit(given, y).coef_,
        AERRRegressor(random_state=0).fit(given.astype(float), y).coef_,
    )


def test_the_array_may_go_while_the_model_stays():
    X, y = data()
    model = quietly(AERRRegressor(random_state=0), X.copy(), y.copy())
    np.testing.assert_array_equal(model.predict(X.copy()), model.predict(X))
    table = _core.Table.dense(np.full((50_000, 3), 1.5), ["x0", "x1", "x2"])
    gc.collect()
    others = [np.full((50_000, 3), -1.0) for _ in range(4)]
    scores, _ = model.model_.scores_of_table(table)
    np.testing.assert_array_equal(scores[:, 0], np.repeat(model.predict(np.full((1, 3), 1.5)), 50_000))
    assert len(others) == 4


def test_sparse_matrices_that_contradict_themselves_are_refused():
    with pytest.raises(ValueError, match=r"out of range|sparse rows"):
        _core.Table.sparse(np.array([0, 1]), np.array([-1]), np.array([1.0]), ["a"])
    with pytest.raises(ValueError, match="sparse rows"):
        _core.Table.sparse(np.array([0, 2]), np.array([0]), np.array([1.0]), ["a"])
    with pytest.raises(ValueError, match="sparse rows"):
        _core.Table.sparse(np.array([0, 1]), np.array([5]), np.array([1.0]), ["a"])


def test_one_example_teaches_nothing():
    for estimator in (AERRRegressor(), AERRClassifier(), KARMAClassifier()):
        with pytest.raises(ValueError, match=r"minimum of 2 is required|1 sample"):
            estimator.fit([[1.0, 2.0]], [1])


def test_messages_speak_of_python_and_not_of_flags():
    X, y = data()
    calls = [
        lambda: AERRRegressor(budget=9).fit(X, y),
        lambda: AERRRegressor(budget=0).fit(X, y),
        lambda: AERRRegressor(scale="each").fit(X, y),
        lambda: RobustLPRegressor(threat=-1).fit(X, y),
        lambda: RobustLPRegressor(known=[0, 1, 2]).fit(X, y),
        lambda: AERRClassifier().fit(X, np.arange(40) % 3),
        lambda: AERRRegressor(prices={"y": 1.0}).fit(X, y),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=r".") as caught:
            call()
        # The library's messages may say in brackets how the program does it.
        text = re.sub(r"\(in the program [^)]*\)", "", str(caught.value))
        assert "--" not in text, text
        assert "auto" not in text, text


def test_holes_are_refused_with_what_learns_from_them():
    X, y = np.random.default_rng(0).normal(size=(60, 6)), np.arange(60) % 2
    X[3, 2] = np.nan
    for estimator in (halfseen.AERRClassifier(), halfseen.RobustLPClassifier()):
        with pytest.raises(ValueError, match=r"Input X contains NaN.*halfseen\.missing"):
            estimator.fit(X, y)


@EACH
def test_huge_targets_are_refused_with_their_row(estimator):
    X, y = data(estimator)
    if is_classifier(estimator):
        return
    for huge in (1e101, 1e307):
        targets = np.where(np.arange(40) == 3, huge, y)
        with pytest.raises(ValueError, match=r"row 4, column 'target': .* is too large.* limit is 1e100"):
            quietly(estimator, X, targets)


@pytest.mark.parametrize(
    ("estimator", "scale"),
    [
        (KARMAClassifier(c=1e300), 1.0),
        (halfseen.KARMARegressor(c=1e300), 1.0),
        (halfseen.FIMLRegressor(), 1e-310),
        (halfseen.MomentLassoRegressor(), 1e-160),
        (halfseen.MatrixCompletionRegressor(label_weight=1e300), 1.0),
    ],
    ids=repr,
)
def test_failed_arithmetic_names_a_remedy_that_exists(estimator, scale):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    y = X[:, 0] - X[:, 1] + 0.1 * rng.normal(size=60)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            estimator.set_params(**({"random_state": 0} if "random_state" in estimator.get_params() else {}))
            estimator.fit(X * scale, (y > 0).astype(int) if is_classifier(estimator) else y)
        except ValueError as error:
            text = str(error)
            assert "; " in text, "a remedy follows"
            assert "smaller step" not in text or "if the learner has one" in text
        else:
            assert np.isfinite(estimator.predict(X * scale)).all()


def test_two_columns_of_one_name_are_refused_by_name():
    X, y = data()
    frame = pd.DataFrame(X, columns=list("aba"))
    for call in (
        lambda: AERRRegressor().fit(frame, y),
        lambda: KARMARegressor().fit(frame, y),
        lambda: AERRRegressor().fit(X, y).predict(frame),
        lambda: halfseen.Encoder().fit(frame),
    ):
        with pytest.raises(ValueError, match=r"^two columns of X have one name, 'a'; rename one of them$"):
            call()


def test_the_mask_of_an_array_is_its_holes():
    X, y = np.random.default_rng(0).normal(size=(60, 6)), np.arange(60) % 2
    masked = np.ma.masked_array(X, mask=X > 1)
    holes = np.where(X > 1, np.nan, X)
    fitted = [halfseen.KARMAClassifier(random_state=0).fit(of, y) for of in (masked, holes)]
    np.testing.assert_array_equal(fitted[0].decision_function(masked), fitted[1].decision_function(holes))
    with pytest.raises(ValueError, match="contains NaN"):
        halfseen.AERRClassifier().fit(masked, y)


def test_labels_that_are_neighbours_stay_apart_in_a_file(tmp_path):
    X, y = np.random.default_rng(0).normal(size=(60, 6)), np.array([2**60, 2**60 + 1] * 30)
    halfseen.KARMAClassifier().fit(X, y).save(tmp_path / "model.json")
    assert len(set(halfseen.load(tmp_path / "model.json").classes.tolist())) == 2
