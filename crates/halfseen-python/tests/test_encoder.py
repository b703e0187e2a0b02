"""Encode texts as the program does, and learn the same weights from them."""

import json
import os
import pickle
import subprocess

import halfseen
import numpy as np
import pandas as pd
import polars as pl
import pytest
from halfseen import DataWarning, Encoder
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

NAN = np.nan
PROGRAM = os.environ.get("HALFSEEN_PROGRAM")


def frame():
    return pd.DataFrame(
        {
            "age": [31.0, 44.0, None],
            "city": ["Rome", "Oslo", None],
            "member": [True, False, True],
            "size": pd.Categorical(["S", None, "L"], categories=["S", "M", "L"]),
            "visits": pd.array([1, None, 3], dtype="Int64"),
        }
    )


ENCODED = [
    [31.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 1.0],
    [44.0, 1.0, 0.0, 1.0, 0.0, NAN, NAN, NAN],
    [NAN, NAN, NAN, 0.0, 1.0, 1.0, 0.0, 3.0],
]
NAMES = ["age", "city=Oslo", "city=Rome", "member=false", "member=true", "size=L", "size=S", "visits"]


def pandas_kinds():
    mixed = frame().astype({"city": "category", "size": "string", "age": "Float32", "visits": "float64"})
    objects = frame().astype(object)
    arrow = frame().assign(size=lambda f: f["size"].astype(object)).convert_dtypes(dtype_backend="pyarrow")
    return [frame(), mixed, objects, arrow]


def polars_kinds():
    sizes = pl.Series(["S", None, "L"], dtype=pl.Enum(["S", "M", "L"]))
    plain = pl.DataFrame(
        {
            "age": [31.0, 44.0, None],
            "city": pl.Series(["Rome", "Oslo", None], dtype=pl.Categorical),
            "member": [True, False, True],
            "size": sizes,
            "visits": pl.Series([1, None, 3], dtype=pl.UInt8),
        }
    )
    return [plain, plain.with_columns(pl.col("city").cast(pl.String), pl.col("age").cast(pl.Decimal(10, 2)))]


@pytest.mark.parametrize(
    "given", [*pandas_kinds(), *polars_kinds()], ids=lambda given: type(given).__module__
)
def test_every_kind_of_column_is_encoded_alike(given):
    encoder = Encoder().fit(given)
    np.testing.assert_array_equal(encoder.transform(given), ENCODED)
    assert encoder.get_feature_names_out().tolist() == NAMES
    assert encoder.groups_ == {"city": NAMES[1:3], "member": NAMES[3:5], "size": NAMES[5:7]}
    assert encoder.categories_ == {"city": ["Oslo", "Rome"], "member": ["false", "true"], "size": ["L", "S"]}
    assert encoder.feature_names_in_.tolist() == ["age", "city", "member", "size", "visits"]


def test_arrays_of_objects_are_encoded_column_by_column():
    cells = frame().astype(object).to_numpy()
    encoder = Encoder().fit(cells)
    np.testing.assert_array_equal(encoder.transform(cells), ENCODED)
    assert encoder.get_feature_names_out()[:3].tolist() == ["x0", "x1=Oslo", "x1=Rome"]
    assert encoder.get_feature_names_out(frame().columns).tolist() == NAMES
    lists = Encoder().fit_transform([[1.0, "b"], [2.0, "a"]])
    np.testing.assert_array_equal(lists, [[1.0, 0.0, 1.0], [2.0, 1.0, 0.0]])
    np.testing.assert_array_equal(Encoder().fit_transform(np.array([["b"], ["a"]])), [[0.0, 1.0], [1.0, 0.0]])
    numbers = np.array([[1, 2], [3, 4]], dtype=np.int8)
    np.testing.assert_array_equal(Encoder().fit_transform(numbers), numbers)


def test_what_fit_did_not_see_is_unknown_and_not_none_of_it():
    encoder = Encoder().fit(pd.DataFrame({"city": ["b", "a"], "age": [1.0, 2.0]}))
    with pytest.warns(DataWarning, match="did not show, which count as missing: 1"):
        found = encoder.transform(pd.DataFrame({"city": ["c", "a"], "age": [3.0, None]}))
    np.testing.assert_array_equal(found, [[NAN, NAN, 3.0], [1.0, 0.0, NAN]])
    # Codes that happen to be numbers now are the same categories.
    encoder = Encoder().fit(pd.DataFrame({"code": ["1", "2", "x"]}))
    np.testing.assert_array_equal(encoder.transform(pd.DataFrame({"code": [2]})), [[0.0, 1.0, 0.0]])
    with pytest.warns(DataWarning, match="missing: 1"):
        assert np.isnan(encoder.transform(pd.DataFrame({"code": [1234]}))).all()
    # A column without any value is one of numbers, as in a file; one of texts has no category.
    empty = pd.DataFrame({"a": [None, None], "b": pd.array([None, None], dtype="string"), "c": [1, 2]})
    assert Encoder().fit(empty).get_feature_names_out().tolist() == ["a", "c"]
    assert Encoder().fit(empty).groups_ == {}


@pytest.mark.parametrize("of", ["pandas", "polars"])
def test_frames_come_out_on_request(of):
    encoder = Encoder().set_output(transform=of)
    found = encoder.fit_transform(frame())
    assert type(found).__module__.split(".")[0] == of
    assert list(found.columns) == NAMES
    np.testing.assert_array_equal(found.to_numpy(), ENCODED)


@pytest.mark.parametrize(
    "odd",
    [
        pd.DataFrame({"a": [1.0], "when": [pd.Timestamp("2026-01-01")]}),
        pd.DataFrame({"a": [1.0], "when": [pd.Timestamp("2026-01-01")]}).astype(object),
        pd.DataFrame({"a": [1.0], "when": [pd.Timedelta("1h")]}),
        pl.DataFrame({"a": [1.0], "when": pl.Series([0], dtype=pl.Date)}),
        np.array([["2026-01-01"]], dtype="datetime64[D]"),
    ],
)
def test_dates_are_refused_with_a_remedy(odd):
    with pytest.raises(TypeError, match=r"dates or times.*make numbers of them first"):
        Encoder().fit(odd)


def test_what_is_neither_number_nor_text_is_refused_by_its_place():
    mixed = pd.DataFrame({"age": [31, "unknown", 44]}, dtype=object)
    with pytest.raises(TypeError, match=r"column 'age'.*'unknown' in row 1.*31 in row 0"):
        Encoder().fit(mixed)
    with pytest.raises(TypeError, match=r"column 'x0', row 1.*must be a string or a number"):
        Encoder().fit(np.array([[1], [{}]], dtype=object))
    with pytest.raises(TypeError, match=r"column 'l' of type List"):
        Encoder().fit(pl.DataFrame({"l": [[1, 2]]}))
    with pytest.raises(ValueError, match=r"infinity|infinite|inf"):
        Encoder().fit(pd.DataFrame({"a": [np.inf]}))
    with pytest.raises(ValueError, match="two columns of X have one name"):
        Encoder().fit(pd.DataFrame([[1, 2]], columns=["a", "a"]))
    with pytest.raises(ValueError, match="two columns are called 'city=Rome' when encoded"):
        Encoder().fit(pd.DataFrame({"city": ["Rome"], "city=Rome": [1.0]}))
    encoder = Encoder().fit(frame())
    with pytest.raises(ValueError, match="feature names should match"):
        encoder.transform(frame()[NAMES[:1]])
    with pytest.raises(ValueError, match=r"'age' had numbers .* has text"):
        encoder.transform(frame().assign(age=["a", "b", "c"]))
    with pytest.raises(NotFittedError):
        Encoder().transform(frame())
    with pytest.raises(ValueError, match="minimum of 1"):
        Encoder().fit(frame()[:0])


def test_an_encoder_is_pickled_and_cloned():
    encoder = Encoder().fit(frame())
    again = pickle.loads(pickle.dumps(encoder))
    np.testing.assert_array_equal(again.transform(frame()), ENCODED)
    with pytest.raises(NotFittedError):
        clone(encoder).transform(frame())


def table(rows=300):
    """Return texts between numbers, so that their place among the attributes matters."""
    rng = np.random.default_rng(4)
    given = pd.DataFrame(
        {
            "height": rng.normal(1.7, 0.1, rows),
            "city": rng.choice(["Rome", "Oslo", "Bonn"], rows),
            "weight": rng.normal(70.0, 9.0, rows),
            "member": rng.choice([True, False], rows),
            "age": rng.integers(18, 90, rows),
        }
    )
    given["cost"] = given["height"] * 3 + (given["city"] == "Rome") + 0.01 * given["weight"] - given["member"]
    given["member"] = given["member"].map({True: "true", False: "false"})
    return given


@pytest.mark.skipif(not PROGRAM, reason="HALFSEEN_PROGRAM does not name the program")
@pytest.mark.parametrize(
    ("learner", "of", "parameters"),
    [
        ("aerr", "AERRRegressor", {"budget": 3}),
        ("ddaelr", "DDAELRRegressor", {"budget": 2, "moments": "online"}),
        ("aer", "AERRegressor", {"budget": 5}),
        ("online-lasso", "OnlineLassoRegressor", {}),
        ("robust-lp", "RobustLPRegressor", {"threat": 1.0}),
        ("karma", "KARMARegressor", {"gamma": 2}),
    ],
)
def test_encoder_and_estimator_learn_the_bits_that_the_program_learns(tmp_path, learner, of, parameters):
    given = table()
    given.to_csv(tmp_path / "table.csv", index=False)
    model = tmp_path / "model.json"
    settings = [word for item in parameters.items() for word in ("--set", "{}={}".format(*item))]
    seed = [] if learner == "robust-lp" else ["--seed", "5"]
    run = [PROGRAM, "fit", tmp_path / "table.csv", "--target", "cost", "--learner", learner, *settings, *seed]
    subprocess.run([*run, "--out", model, "--quiet"], check=True, capture_output=True)
    X, y = given.drop(columns="cost"), given["cost"]
    encoder = Encoder().set_output(transform="pandas").fit(X)
    estimator = getattr(halfseen, of)(**parameters)
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=5)
    if "groups" in estimator.get_params():
        estimator.set_params(groups=encoder.groups_)
    estimator.fit(encoder.transform(X), y)
    loaded = halfseen.load(model)
    program = json.loads(model.read_text())["predictor"]
    ours = json.loads(estimator.model_.to_json())["predictor"]
    assert ours == program
    np.testing.assert_array_equal(loaded.predict(X), estimator.predict(encoder.transform(X)))


def test_a_text_costs_one_read():
    X, y = table().drop(columns="cost"), table()["cost"]
    encoder = Encoder().fit(X)
    pipe = make_pipeline(
        encoder.set_output(transform="pandas"), halfseen.AERRRegressor(budget=5, groups=encoder.groups_)
    )
    model = pipe.fit(X, y)[-1]
    assert model.distinct_ == 5 * len(X), "five attributes, nine columns"
    known = halfseen.AERRRegressor(budget=3, groups=encoder.groups_, known=["city", "age"])
    assert known.fit(encoder.transform(X), y).distinct_ == 3 * len(X), "what is known costs nothing"
