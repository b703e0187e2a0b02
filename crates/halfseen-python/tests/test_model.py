"""Save, load and rebuild models; refuse files that are none."""

import json
import os
import pickle
import subprocess
import warnings

import halfseen
import numpy as np
import pandas as pd
import polars as pl
import pytest
from halfseen import DataWarning, Model
from halfseen.testing import estimators
from sklearn.base import clone, is_classifier

PROGRAM = os.environ.get("HALFSEEN_PROGRAM")
LEARNERS = [estimator for estimator in estimators() if hasattr(estimator, "_learner")]
EACH = pytest.mark.parametrize("estimator", LEARNERS, ids=lambda estimator: type(estimator).__name__)
needs_program = pytest.mark.skipif(not PROGRAM, reason="HALFSEEN_PROGRAM does not name the program")


def data(classes=False, rows=60):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(rows, 4)), columns=["a", "b", "c", "d"])
    y = X["a"] * 2 - X["b"] + 0.1 * rng.normal(size=rows)
    return X, pd.Series(np.where(y > 0, "yes", "no") if classes else y, name="y")


def fitted(estimator):
    X, y = data(is_classifier(estimator))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clone(estimator).fit(X, y)


def mixed(rows=50):
    """Return a frame with a column of texts, whose model only the program fits."""
    rng = np.random.default_rng(2)
    given = pd.DataFrame({"size": rng.normal(size=rows), "city": rng.choice(["Rome", "Oslo"], rows)})
    given["kind"] = np.where(given["size"] + (given["city"] == "Rome") > 0.5, "big", "small")
    return given


def from_program(folder, learner="aerr", settings=("budget=2",)):
    mixed().to_csv(folder / "table.csv", index=False)
    words = [word for setting in settings for word in ("--set", setting)]
    run = [PROGRAM, "fit", folder / "table.csv", "--target", "kind", "--learner", learner, *words, "--quiet"]
    subprocess.run([*run, "--out", folder / "model.json"], check=True, capture_output=True)
    return folder / "model.json"


@EACH
def test_a_saved_estimator_is_loaded_as_a_model_and_as_itself(estimator, tmp_path):
    X, y = data(is_classifier(estimator))
    fit = fitted(estimator)
    fit.save(tmp_path / "model.json")
    assert [path.name for path in tmp_path.iterdir()] == ["model.json"], "nothing is left beside it"
    model = halfseen.load(tmp_path / "model.json")
    np.testing.assert_array_equal(model.predict(X), fit.predict(X))
    np.testing.assert_array_equal(model.predict(X.to_numpy()), fit.predict(X))
    np.testing.assert_array_equal(model.predict(pl.from_pandas(X[list("dbca")])), fit.predict(X))
    assert model.target == "y"
    assert list(model.columns) == list("abcd")
    rebuilt = model.estimator()
    assert type(rebuilt) is type(fit)
    np.testing.assert_array_equal(rebuilt.predict(X), fit.predict(X))
    assert rebuilt.report_ == fit.report_
    assert vars(rebuilt).keys() == vars(fit).keys()
    # Fitted again, the rebuilt one gives the same: all its parameters were in the file.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.testing.assert_array_equal(clone(rebuilt).fit(X, y).predict(X), fit.predict(X))
    again = tmp_path / "again.json"
    model.save(again)
    assert again.read_bytes() == (tmp_path / "model.json").read_bytes()
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.scores(X), model.scores(X))


def test_what_was_declared_is_rebuilt():
    X, y = data()
    given = {"known": ["d"], "groups": {"pair": ["a", "c"]}, "prices": {"pair": 2.5}}
    fit = halfseen.AERRRegressor(budget=2, random_state=0, **given).fit(X, y)
    rebuilt = Model(fit.model_).estimator()
    assert {name: rebuilt.get_params()[name] for name in given} == given
    two = halfseen.DDAERRRegressor(moments="two-phase", random_state=0).fit(X, y)
    rebuilt = Model(two.model_).estimator()
    assert (type(rebuilt).__name__, rebuilt.moments) == ("DDAERRRegressor", "two-phase")
    one = halfseen.MatrixCompletionRegressor(variant="1").fit(X, y)
    assert Model(one.model_).estimator().variant == "1"
    declared = halfseen.DDAERRRegressor(moments=[1.0, 2.0, 0.5, 0.25], random_state=0).fit(X, y)
    assert list(Model(declared.model_).estimator().moments) == [1.0, 2.0, 0.5, 0.25]


def test_a_model_tells_what_it_is():
    X, y = data()
    fit = halfseen.AERRRegressor(budget=3, random_state=0).fit(X, y)
    model = Model(fit.model_)
    weights, intercept = model.weights()
    assert list(weights) == list("abcd")
    np.testing.assert_allclose(X.to_numpy() @ list(weights.values()) + intercept, model.predict(X), rtol=1e-9)
    assert (model.learner, model.params["budget"], model.report["reads"]) == ("aerr", 3, fit.reads_)
    assert repr(model) == "Model('aerr', columns=4)"
    assert model.classes is None
    with pytest.raises(ValueError, match="no weights"):
        Model(fitted(halfseen.KARMARegressor()).model_).weights()
    with pytest.raises(ValueError, match=r"use weights\(\)"):
        model.class_weights()


def test_a_model_of_several_classes_has_weights_for_each():
    X, _ = data()
    y = np.array(["red", "green", "blue"])[X.to_numpy()[:, :3].argmax(axis=1)]
    fit = halfseen.RobustLPClassifier(threat=0).fit(X, y)
    model = Model(fit.model_)
    with pytest.raises(ValueError, match=r"weights for each of 3 classes: use class_weights\(\)"):
        model.weights()
    sums = model.class_weights()
    assert list(sums) == ["blue", "green", "red"]
    for row, (weights, intercept) in enumerate(sums.values()):
        assert list(weights) == list("abcd")
        np.testing.assert_allclose(list(weights.values()), fit.coef_[row])
        assert intercept == pytest.approx(fit.intercept_[row])
    assert "one of 3 classes" in str(model)


def test_labels_of_numbers_stay_numbers():
    X, _ = data()
    y = (X["a"] > 0).astype(int) * 4 - 1
    model = Model(halfseen.KARMAClassifier().fit(X, y).model_)
    assert model.classes.tolist() == [-1, 3]
    assert model.predict(X).dtype.kind == "i"
    halves = Model(halfseen.KARMAClassifier().fit(X, y.map({-1: "no", 3: "yes"})).model_)
    assert set(halves.predict(X)) <= {"no", "yes"}
    # Nothing tells these classes apart.
    with pytest.warns(DataWarning, match="below that of equal scores for all classes"):
        three = halfseen.KARMAClassifier().fit(X, np.arange(len(X)) % 3)
    assert Model(three.model_).scores(X).shape == (len(X), 3)
    np.testing.assert_array_equal(Model(three.model_).predict(X), three.predict(X))


def test_columns_are_matched_by_name_and_what_is_odd_is_told():
    X, y = data()
    model = Model(halfseen.AERRRegressor(random_state=0).fit(X, y).model_)
    with pytest.warns(DataWarning, match="does not use: e"):
        np.testing.assert_array_equal(model.predict(X.assign(e=1.0, y=y)), model.predict(X))
    with pytest.warns(DataWarning, match="expects and that count as missing: d"):
        absent = model.predict(X[["a", "b", "c"]])
    np.testing.assert_array_equal(absent, model.predict(X.assign(d=np.nan)))
    with pytest.raises(ValueError, match=r"3 of 4|more than half|absent"):
        model.predict(X[["a"]])
    with pytest.raises(ValueError, match="X has 3 features, but the model is expecting 4 features"):
        model.predict(X.to_numpy()[:, :3])
    with pytest.raises(ValueError, match="inf"):
        model.predict(X.assign(a=np.inf))
    with pytest.raises(ValueError, match=r"'a' had numbers .* has text"):
        model.predict(X.assign(a="x"))
    with pytest.raises(ValueError, match="Expected 2D array"):
        model.predict(X["a"].to_numpy())


@needs_program
def test_the_programs_models_predict_frames_with_texts(tmp_path):
    path = from_program(tmp_path)
    run = [PROGRAM, "predict", path, tmp_path / "table.csv", "--quiet"]
    said = subprocess.run(run, check=True, capture_output=True, text=True).stdout.splitlines()[1:]
    model, given = halfseen.load(path), mixed()
    X = given.drop(columns="kind")
    assert model.columns == {"size": None, "city": ["Oslo", "Rome"]}
    assert model.classes.tolist() == ["big", "small"]
    assert [line.split(",")[0] for line in said] == model.predict(X).tolist()
    np.testing.assert_array_equal([float(line.split(",")[1]) for line in said], model.scores(given))
    np.testing.assert_array_equal(model.scores(pl.from_pandas(X)), model.scores(X))
    np.testing.assert_array_equal(model.scores(X.to_numpy(dtype=object)), model.scores(X))
    with pytest.warns(DataWarning, match="category that fit did not show, which count as missing: 1"):
        model.predict(X[:1].assign(city="Bonn"))
    with pytest.raises(ValueError, match=r"hold texts \(city\)"):
        model.estimator()
    weights, _ = model.weights()
    assert list(weights) == ["size", "city=Oslo", "city=Rome"]


@needs_program
def test_learners_without_an_estimator_stay_models(tmp_path):
    numbers = mixed().drop(columns="city")
    numbers.to_csv(tmp_path / "table.csv", index=False)
    run = [
        PROGRAM,
        "fit",
        tmp_path / "table.csv",
        "--target",
        "kind",
        "--learner",
        "ridge",
        "--quiet",
        "--out",
    ]
    subprocess.run([*run, tmp_path / "model.json"], check=True, capture_output=True)
    model = halfseen.load(tmp_path / "model.json")
    assert (model.predict(numbers) == numbers["kind"]).mean() > 0.6
    with pytest.raises(ValueError, match="no estimator of halfseen is the learner 'ridge'"):
        model.estimator()


@needs_program
@EACH
def test_the_program_predicts_with_saved_estimators(estimator, tmp_path):
    X, _ = data(is_classifier(estimator))
    fit = fitted(estimator)
    fit.save(tmp_path / "model.json")
    X.to_csv(tmp_path / "table.csv", index=False)
    run = [PROGRAM, "predict", tmp_path / "model.json", tmp_path / "table.csv"]
    said = subprocess.run(run, check=True, capture_output=True, text=True)
    assert said.stderr == ""
    answers = [line.split(",")[0] for line in said.stdout.splitlines()[1:]]
    expected = fit.predict(X)
    np.testing.assert_array_equal(
        answers if is_classifier(fit) else [float(text) for text in answers], expected
    )


def saved():
    X, y = data()
    return json.loads(halfseen.AERRRegressor(random_state=0).fit(X, y).model_.to_json())


def without(key):
    model = saved()
    del model[key]
    return json.dumps(model)


def changed(key, value):
    return json.dumps(saved() | {key: value})


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("", "format"),
        ("[1, 2]", "format"),
        ('{"a": 1}', "format"),
        (changed("format", "onnx"), "format"),
        (changed("version", 99), "version"),
        (without("schema"), "schema"),
        (without("predictor"), "predictor"),
        (changed("learner", "oracle"), "learner"),
        (changed("params", {"budget": -1}), "params"),
        (changed("classes", ["a", "b"]), "classes"),
        (changed("extra", 1), "extra"),
        (changed("predictor", saved()["predictor"] | {"weights": [1.0]}), "predictor"),
        (json.dumps(saved())[:-400], "format"),
    ],
)
def test_broken_foreign_and_truncated_files_are_refused_by_their_key(text, key, tmp_path):
    path = tmp_path / "model.json"
    path.write_text(text)
    with pytest.raises(ValueError, match=rf"model\.json: model, key '{key}"):
        halfseen.load(path)


def test_files_that_are_no_text_or_not_there_are_refused(tmp_path):
    path = tmp_path / "model.json"
    path.write_bytes(pickle.dumps({"a": 1.0}))
    with pytest.raises(ValueError, match="is not a model"):
        halfseen.load(path)
    with pytest.raises(FileNotFoundError):
        halfseen.load(tmp_path / "absent.json")
    with pytest.raises(OSError, match="absent"):
        fitted(halfseen.AERRRegressor()).save(tmp_path / "absent" / "model.json")


def test_a_failed_save_leaves_the_file_that_was_there(tmp_path, monkeypatch):
    path = tmp_path / "model.json"
    path.write_text("before")
    fit = fitted(halfseen.AERRRegressor())

    def full(*_):
        raise OSError("no space left")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="no space left"):
        fit.save(path)
    assert path.read_text() == "before"
    assert [entry.name for entry in tmp_path.iterdir()] == ["model.json"]
