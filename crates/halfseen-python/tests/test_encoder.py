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
from sklearn.utils._param_validation import InvalidParameterError

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


DAYS = [19753.0, 19754.25, NAN]


def dated():
    """Return one column of dates, of every kind, beside a number."""
    stamps = pd.to_datetime(["2024-01-31T00:00", "2024-02-01T06:00", None])
    texts = ["2024-01-31", "2024-02-01T06:00", None]
    frame = pd.DataFrame({"when": stamps, "a": [1.0, 2.0, 3.0]})
    zone = frame.assign(when=stamps.tz_localize("UTC").tz_convert("Asia/Tokyo"))
    polars = pl.from_pandas(frame)
    return {
        "pandas": frame,
        "nanoseconds": frame.astype({"when": "datetime64[ns]"}),
        "zone": zone,
        "objects": frame.astype(object),
        "texts": frame.assign(when=texts),
        "arrow": frame.convert_dtypes(dtype_backend="pyarrow").assign(
            when=lambda f: f["when"].astype("timestamp[us][pyarrow]")
        ),
        "polars": polars,
        "polars zone": polars.with_columns(
            pl.col("when").dt.replace_time_zone("UTC").dt.convert_time_zone("Asia/Tokyo")
        ),
        "pyarrow": polars.to_arrow(),
        "array of objects": frame.astype(object).to_numpy(),
    }


@pytest.mark.parametrize("kind", dated())
def test_dates_are_left_out_with_a_remedy_or_taken_as_declared(kind):
    given = dated()[kind]
    name, at = ("x0", 0) if kind == "array of objects" else ("when", "when")
    says = rf"^column '{name}' is left out: it holds dates, 2 of them; columns=\{{'{name}': 'date'\}} learns"
    with pytest.warns(DataWarning, match=says):
        encoder = Encoder().fit(given)
    np.testing.assert_array_equal(encoder.transform(given), [[1.0], [2.0], [3.0]])
    assert encoder.left_out_ == [name]
    assert name not in encoder.get_feature_names_out()
    assert encoder.n_features_in_ == 2
    # Nothing is said of what is declared.
    encoder = Encoder(columns={at: "date"}).fit(given)
    np.testing.assert_array_equal(encoder.transform(given), np.column_stack([DAYS, [1.0, 2.0, 3.0]]))
    assert encoder.left_out_ == []
    assert encoder.categories_ == {}
    encoder = Encoder(columns={at: "category"}).fit(given)
    found = encoder.transform(given)
    np.testing.assert_array_equal(found[:, :2], [[1.0, 0.0], [0.0, 1.0], [NAN, NAN]])


def test_dates_of_one_kind_are_encoded_by_what_another_taught():
    kinds = {kind: given for kind, given in dated().items() if kind != "array of objects"}
    other = pd.DataFrame({"when": ["31.01.2024", "01.02.2024", None], "a": [1.0, 2.0, 3.0]})
    for taught in [*kinds.values(), other]:
        encoder = Encoder(columns={"when": "date"}).fit(taught)
        for kind, given in kinds.items():
            if taught is not other or kind != "texts":
                np.testing.assert_array_equal(encoder.transform(given)[:, 0], DAYS, err_msg=kind)
    with pytest.raises(ValueError, match="'soon' is not a date in the form of the rows"):
        encoder.transform(other.assign(when=["soon", None, None]))
    date = pl.DataFrame({"when": pl.Series([19753], dtype=pl.Int32).cast(pl.Date), "a": [1.0]})
    np.testing.assert_array_equal(encoder.transform(date), [[19753.0, 1.0]])
    numbers = pd.DataFrame({"when": [19753.0], "a": [1.0]})
    np.testing.assert_array_equal(encoder.transform(numbers), [[19753.0, 1.0]])


def test_arrays_of_dates_are_encoded():
    given = np.array([["2024-01-31", "2024-01-01"], ["2024-02-01", "NaT"]], dtype="datetime64[D]")
    with pytest.raises(ValueError, match=r"^no attribute is left: column 'x0' is left out: .*column 'x1'"):
        Encoder().fit(given)
    with pytest.warns(DataWarning, match="column 'x1' is left out"):
        encoder = Encoder(columns={0: "date"}).fit(given)
    np.testing.assert_array_equal(encoder.transform(given), [[19753.0], [19754.0]])


def test_identifiers_are_left_out_unless_declared():
    rows = 60
    given = pd.DataFrame(
        {
            "id": [f"p{row}" for row in range(rows)],
            "a": np.random.default_rng(0).normal(size=rows),
            "clinic": [f"c{row % 12}" for row in range(rows)],
        }
    )
    with pytest.warns(DataWarning, match=r"column 'id' is left out: its 60 categories.*\{'id': 'category'\}"):
        encoder = Encoder().fit(given)
    assert encoder.left_out_ == ["id"]
    assert encoder.transform(given).shape == (rows, 13)
    assert encoder.set_output(transform="pandas").transform(given).columns[0] == "a"
    assert Encoder(columns={"id": "category"}).fit_transform(given).shape == (rows, 73)
    assert pickle.loads(pickle.dumps(encoder)).transform(given).shape == (rows, 13)
    with pytest.raises(ValueError, match=r"^no attribute is left: column 'id' is left out"):
        Encoder().fit(given[["id"]])


def test_odd_cells_and_record_numbers_are_remarked_on():
    numerals = [str(row) for row in range(60)]
    given = pd.DataFrame({"a": [*numerals[:-1], "n.a."], "b": np.ones(60)})
    with pytest.raises(ValueError, match=r"'a' is text because row 59 holds 'n.a.' among numbers"):
        Encoder().fit(given)
    given["a"] = [f"{row % 12}" for row in range(59)] + ["n.a."]
    with pytest.warns(DataWarning, match=r"'a' is text because row 59 holds 'n.a.' among numbers"):
        assert Encoder().fit_transform(given).shape == (60, 14)
    with pytest.raises(ValueError, match=r"kind of 'a': row 59 holds 'n.a.', which is not a number"):
        Encoder(columns={"a": "number"}).fit(given)
    given["a"] = numerals
    encoder = Encoder(columns={"a": "number", "b": "category"}).fit(given)
    np.testing.assert_array_equal(encoder.transform(given)[:, 0], np.arange(60.0))
    assert encoder.get_feature_names_out().tolist() == ["a", "b=1"]
    with pytest.raises(ValueError, match="kind of 'a': row 0 holds 'x'"):
        encoder.transform(given.assign(a="x"))
    counted = pd.DataFrame({"a": np.arange(60)})
    with pytest.warns(DataWarning, match="column 'a' counts the rows and is learned from; if it is a record"):
        Encoder().fit(counted)
    np.testing.assert_array_equal(Encoder(columns={"a": "number"}).fit_transform(counted), counted)


@pytest.mark.parametrize(
    ("columns", "error", "says"),
    [
        (
            "when",
            InvalidParameterError,
            "The 'columns' parameter of Encoder must be a dict .*Got 'when' instead",
        ),
        (
            {"when": "day"},
            InvalidParameterError,
            "must be a dict of .* to 'category', 'number' or 'date', or None",
        ),
        ({1.5: "date"}, InvalidParameterError, "must be a dict of names or indices of columns"),
        ({"then": "date"}, ValueError, "there is no column 'then'"),
        ({7: "date"}, ValueError, "there is no attribute 7: X has 2 features"),
        ({"a": "date"}, ValueError, "kind of 'a': it holds numbers, which are learned from as they are"),
        ({"when": "number"}, ValueError, "kind of 'when': row 0 holds '2024-01-31', which is not a number"),
    ],
)
def test_declared_kinds_are_checked_by_fit(columns, error, says):
    encoder = Encoder(columns=columns)
    with pytest.raises(error, match=says):
        encoder.fit(dated()["texts"])


def test_dates_that_can_be_read_in_two_ways_are_refused():
    given = pd.DataFrame({"when": ["01/02/2024", "03/04/2024"], "a": [1.0, 2.0]})
    with pytest.raises(ValueError, match="kind of 'when': it can be read in more than one way"):
        Encoder(columns={"when": "date"}).fit(given)


@pytest.mark.parametrize(
    "odd",
    [
        pd.DataFrame({"a": [1.0], "when": [pd.Timedelta("1h")]}),
        pd.DataFrame({"a": [1.0], "when": [pd.Timedelta("1h")]}).astype(object),
        pl.DataFrame({"a": [1.0], "when": pl.Series([0], dtype=pl.Time)}),
        np.array([[1]], dtype="timedelta64[D]"),
    ],
)
def test_times_and_durations_are_refused_with_a_remedy(odd):
    with pytest.raises(TypeError, match=r"times of day or durations.*make numbers of them first"):
        Encoder().fit(odd)


def test_texts_among_dates_are_refused_by_their_places():
    odd = pd.DataFrame({"when": [pd.Timestamp("2024-01-31"), "soon"], "a": [1.0, 2.0]}, dtype=object)
    with pytest.raises(TypeError, match=r"column 'when' holds texts and dates \('soon' in row 1, Timestamp"):
        Encoder().fit(odd)
    odd = pd.DataFrame({"when": [pd.Timestamp("2024-01-31"), 3], "a": [1.0, 2.0]}, dtype=object)
    with pytest.raises(TypeError, match=r"column 'when' holds dates and numbers .* 3 in row 1"):
        Encoder().fit(odd)


@pytest.mark.skipif(not PROGRAM, reason="HALFSEEN_PROGRAM does not name the program")
def test_the_program_leaves_the_same_columns_out_and_reads_the_same_days(tmp_path):
    given = table().drop(columns="member")
    rows = len(given)
    given["id"] = [f"p{row}" for row in range(rows)]
    given["day"] = pd.Timestamp("2024-01-31") + pd.to_timedelta(np.arange(rows) * 7 % 200, unit="D")
    given["seen"] = [f"{1 + row % 28:02}.03.2024" for row in range(rows)]
    given["cost"] += given["day"].dt.month
    given.to_csv(tmp_path / "table.csv", index=False)
    model = tmp_path / "model.json"
    run = [
        PROGRAM,
        "fit",
        tmp_path / "table.csv",
        "--target",
        "cost",
        "--learner",
        "karma",
        "--as",
        "day=date",
    ]
    done = subprocess.run([*run, "--seed", "5", "--out", model], check=True, capture_output=True, text=True)
    for name in ("id", "seen"):
        assert f"column '{name}' is left out" in done.stderr
    X, y = given.drop(columns="cost"), given["cost"]
    with pytest.warns(DataWarning, match="is left out"):
        encoder = Encoder(columns={"day": "date"}).set_output(transform="pandas").fit(X)
    assert sorted(encoder.left_out_) == ["id", "seen"]
    estimator = halfseen.KARMARegressor(random_state=5).fit(encoder.transform(X), y)
    ours, program = (
        json.loads(text)["predictor"] for text in (estimator.model_.to_json(), model.read_text())
    )
    assert ours == program
    loaded = halfseen.load(model)
    with pytest.warns(DataWarning, match="does not use: id, seen"):
        expected = loaded.predict(X)
    np.testing.assert_array_equal(expected, estimator.predict(encoder.transform(X)))
    # A file has texts where a frame has dates, and the model takes both.
    with pytest.warns(DataWarning, match="does not use: id, seen"):
        np.testing.assert_array_equal(loaded.predict(pd.read_csv(tmp_path / "table.csv")), expected)


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
