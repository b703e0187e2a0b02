"""Learn from frames of pandas and polars and predict them, as from arrays of the same numbers."""

import warnings

import array_api_strict
import halfseen
import numpy as np
import pandas as pd
import polars as pl
import pytest
from halfseen import (
    AERRRegressor,
    Encoder,
    IncompleteRegressor,
    KARMAClassifier,
    KARMARegressor,
    suggest,
)
from halfseen.testing import estimators
from sklearn.base import clone, is_classifier
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline

LEARNERS = [estimator for estimator in estimators() if hasattr(estimator, "_learner")]
EACH = pytest.mark.parametrize("estimator", LEARNERS, ids=lambda estimator: type(estimator).__name__)


def numbers(rows=60):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, 4))
    return X, X[:, 0] - X[:, 1] + 0.1 * rng.normal(size=rows)


@EACH
@pytest.mark.parametrize("of", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_frames_are_learned_and_predicted_as_arrays(estimator, of):
    X, y = numbers()
    y = (y > 0).astype(int) if is_classifier(estimator) else y
    given = of({name: X[:, j] for j, name in enumerate("abcd")})
    series = pd.Series(y) if of is pd.DataFrame else pl.Series(y)
    estimator = clone(estimator)
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        framed, plain = clone(estimator).fit(given, series), estimator.fit(X, y)
    assert framed.feature_names_in_.tolist() == list("abcd")
    np.testing.assert_array_equal(framed.predict(given), plain.predict(X))


@pytest.mark.parametrize(
    "kind", ["Int8", "UInt16", "Float32", "Float64", "boolean", "int64", "float32", "bool"]
)
def test_columns_of_every_kind_of_number_are_learned(kind):
    X, _ = numbers()
    whole = np.abs(X * 3).astype(int) % 2
    given = pd.DataFrame(whole, columns=list("abcd")).astype(kind)
    y = whole[:, 0] - whole[:, 1].astype(float)
    np.testing.assert_array_equal(
        AERRRegressor(random_state=0).fit(given, y).coef_,
        AERRRegressor(random_state=0).fit(whole.astype(float), y).coef_,
    )


def test_null_is_missing_where_missing_cells_are_learned_from_and_refused_elsewhere():
    X, y = numbers()
    holed = np.where(np.random.default_rng(1).random(X.shape) < 0.2, np.nan, X)
    plain = KARMARegressor().fit(holed, y).predict(holed)
    names = list("abcd")
    nullable = pd.DataFrame(holed, columns=names).convert_dtypes()
    nulls = pl.DataFrame({name: holed[:, j] for j, name in enumerate(names)}).fill_nan(None)
    for given in (nullable, nulls, nullable.convert_dtypes(dtype_backend="pyarrow")):
        np.testing.assert_array_equal(KARMARegressor().fit(given, y).predict(given), plain)
        with pytest.raises(ValueError, match="Input X contains NaN"):
            AERRRegressor().fit(given, y)
    fitted = AERRRegressor(random_state=0).fit(pd.DataFrame(X, columns=names), y)
    assert np.isfinite(fitted.predict(nulls.to_pandas())).all(), "at prediction time cells may be missing"


@pytest.mark.parametrize("of", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
@pytest.mark.parametrize(
    "estimator", [AERRRegressor(), KARMAClassifier()], ids=["AERRRegressor", "KARMAClassifier"]
)
def test_columns_of_texts_are_refused_with_the_encoder_as_remedy(of, estimator):
    X, y = numbers()
    given = of({"a": X[:, 0], "city": ["Rome", "Oslo"] * 30})
    with pytest.raises(ValueError, match=r"hold no numbers \(city\).*make_pipeline\(halfseen.Encoder\(\)"):
        estimator.fit(given, (y > 0).astype(int))
    fitted = AERRRegressor().fit(of({"a": X[:, 0], "city": X[:, 1]}), y)
    with pytest.raises(ValueError, match=r"hold no numbers \(city\)"):
        fitted.predict(given)
    with pytest.raises(ValueError, match="feature names should match"):
        fitted.predict(of({"a": X[:, 0], "town": ["Rome", "Oslo"] * 30}))


@pytest.mark.parametrize("alone", [True, False])
@pytest.mark.parametrize("of", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize(
    "estimator", [AERRRegressor(), KARMAClassifier()], ids=["AERRRegressor", "KARMAClassifier"]
)
def test_dates_are_refused_with_the_encoder_as_remedy(of, alone, estimator):
    X, y = numbers()
    given = pd.DataFrame(
        {"when": pd.date_range("2024-01-31", periods=60)} | ({} if alone else {"a": X[:, 0]})
    )
    name = type(estimator).__name__
    given = {
        "pandas": lambda: given,
        "polars": lambda: pl.from_pandas(given),
        "pyarrow": lambda: pl.from_pandas(given).to_arrow(),
    }[of]()
    encoder = r"halfseen.Encoder\(columns=\{'when': 'date'\}\)"
    says = rf"hold no numbers \(when\).*make_pipeline\({encoder}, {name}\("
    with pytest.raises(ValueError, match=says):
        estimator.fit(given, (y > 0).astype(int))


def test_arrays_of_dates_and_durations_are_refused():
    _, y = numbers()
    dates = pd.DataFrame({"when": pd.date_range("2024-01-31", periods=60)}).to_numpy()
    with pytest.raises(ValueError, match=r"holds dates: encode them first.*columns=\{0: 'date'\}"):
        AERRRegressor().fit(dates, y)
    with pytest.raises(ValueError, match="holds durations: make numbers of them first"):
        AERRRegressor().fit(dates - dates[0], y)


def test_lazy_frames_are_collected():
    X, y = numbers()
    given = pl.DataFrame({"a": X[:, 0], "b": X[:, 1]})
    lazy, targets = given.lazy(), pl.DataFrame({"y": y}).lazy()
    eager = AERRRegressor(random_state=0).fit(given, y)
    fitted = AERRRegressor(random_state=0).fit(lazy, targets)
    np.testing.assert_array_equal(fitted.predict(lazy), eager.predict(given))
    assert fitted.feature_names_in_.tolist() == ["a", "b"]
    np.testing.assert_array_equal(Encoder().fit(lazy).transform(lazy), Encoder().fit(given).transform(given))
    assert KARMAClassifier().fit(lazy, y > 0).predict(lazy).dtype == bool
    assert suggest(lazy, targets).learner == suggest(given, y).learner
    chosen = IncompleteRegressor(random_state=0).fit(lazy, targets)
    np.testing.assert_array_equal(
        chosen.predict(lazy), IncompleteRegressor(random_state=0).fit(given, y).predict(given)
    )


def test_arrays_of_other_libraries_are_those_of_numpy():
    X, y = numbers()
    fitted = AERRRegressor(random_state=0).fit(X, y)
    given, targets = array_api_strict.asarray(X), array_api_strict.asarray(y)
    found = AERRRegressor(random_state=0).fit(given, targets).predict(given)
    assert type(found) is np.ndarray
    np.testing.assert_array_equal(found, fitted.predict(X))
    chosen = IncompleteRegressor(random_state=0).fit(given, targets).predict(given)
    np.testing.assert_array_equal(chosen, IncompleteRegressor(random_state=0).fit(X, y).predict(X))


def test_arrays_that_are_elsewhere_are_refused_with_the_remedy():
    class Elsewhere:
        shape = (60, 2)

        def __dlpack__(self):
            raise BufferError

        def __array__(self, *_, **__):
            raise TypeError("it is on another device")

    _, y = numbers()
    for call in (
        lambda: AERRRegressor().fit(Elsewhere(), y),
        lambda: IncompleteRegressor().fit(Elsewhere(), y),
        lambda: suggest(Elsewhere(), y),
    ):
        with pytest.raises(
            TypeError, match=r"^X is an array .* \(it is on another device\): pass a NumPy array"
        ):
            call()


@pytest.mark.parametrize("of", ["pandas", "polars"])
def test_a_pipeline_takes_texts_and_names_its_weights(of):
    X, y = numbers()
    city = np.where(y > 0, "Rome", "Oslo")
    given = pd.DataFrame({"a": X[:, 0], "city": city, "b": X[:, 1]})
    given = given if of == "pandas" else pl.from_pandas(given)
    pipe = make_pipeline(Encoder().set_output(transform=of), AERRRegressor(budget=3, random_state=0)).fit(
        given, y
    )
    assert pipe[-1].feature_names_in_.tolist() == ["a", "city=Oslo", "city=Rome", "b"]
    weights = dict(zip(pipe[-1].feature_names_in_, pipe[-1].coef_, strict=True))
    assert weights["city=Rome"] > weights["city=Oslo"]
    assert np.isfinite(pipe.predict(given.head(3))).all()


def test_a_column_transformer_takes_the_encoder_beside_others():
    X, y = numbers()
    given = pd.DataFrame({"a": X[:, 0], "city": np.where(y > 0, "Rome", "Oslo")})
    both = make_column_transformer((Encoder(), ["city"]), remainder="passthrough")
    model = make_pipeline(both, KARMARegressor()).fit(given, y)
    assert both.fit(given).get_feature_names_out().tolist() == [
        "encoder__city=Oslo",
        "encoder__city=Rome",
        "remainder__a",
    ]
    assert model.score(given, y) > 0.5


def test_columns_named_by_numbers_are_counted_and_mixed_names_refused():
    X, y = numbers()
    counted = AERRRegressor(random_state=0).fit(pd.DataFrame(X), y)
    assert not hasattr(counted, "feature_names_in_")
    np.testing.assert_array_equal(halfseen.Model(counted.model_).predict(pd.DataFrame(X)), counted.predict(X))
    assert Encoder().fit(pd.DataFrame(X)).get_feature_names_out().tolist() == ["x0", "x1", "x2", "x3"]
    for estimator in (AERRRegressor(), Encoder()):
        with pytest.raises(TypeError, match="only supported if all input features have string names"):
            estimator.fit(pd.DataFrame(X, columns=["a", 1, 2, 3]), y)


def test_attributes_are_declared_by_name_or_by_index():
    X, y = numbers()
    given = pd.DataFrame(X, columns=list("abcd"))
    named = AERRRegressor(budget=2, known=["d"], groups={"pair": ["a", "b"]}, random_state=0).fit(given, y)
    counted = AERRRegressor(budget=2, known=[3], groups={"pair": [0, 1]}, random_state=0).fit(X, y)
    np.testing.assert_array_equal(named.coef_, counted.coef_)
    bounded = AERRRegressor(
        bounds={"a": (-5, 5), 1: (-5, 5), "c": (-5, 5), "d": (-5, 5)}, random_state=0
    ).fit(given, y)
    assert bounded.report_["outside_bounds"] == 0


def test_frames_leave_no_trace_on_what_they_are_given():
    X, y = numbers()
    given = pd.DataFrame(X, columns=list("abcd"))
    before = given.copy(deep=True)
    for estimator in (AERRRegressor(), KARMARegressor(), halfseen.RobustLPRegressor(threat=0), Encoder()):
        estimator.fit(given, y)
    pd.testing.assert_frame_equal(given, before)
