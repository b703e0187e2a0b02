"""Compare Rust, the program and Python: for every learner the same bits from the same data and seed."""

import csv
import json
import os
import subprocess

import halfseen
import numpy as np
import pytest
from halfseen import _core, _parameters
from halfseen._from_model import estimator_classes

ROWS, COLUMNS, SEED = 64, 6, 3
KINDS = ("Regressor", "Classifier")
NAMES = [f"a{j}" for j in range(COLUMNS)]

#: The library's learner -> the estimators that are it (regressor, classifier) with what makes them it, and a
#: setting that differs from all defaults, by the library's names.
LEARNERS = {
    "aer": (("AERRegressor", "AERClassifier"), {}, {"penalty": "0.3x", "radius": 3.0}),
    "aerr": (("AERRRegressor", "AERRClassifier"), {}, {"step": "3.2x", "intercept": False}),
    "aelr": (("AELRRegressor", "AELRClassifier"), {}, {"average": "tail", "replacement": True}),
    "pnorm": (("PNormRegressor", "PNormClassifier"), {}, {"p": 3.0, "project": True}),
    "gaerr": (("GAERRRegressor", "GAERRClassifier"), {}, {"probabilities": [0.3, 0.2, 0.2, 0.1, 0.1, 0.1]}),
    "ddaerr": (("DDAERRRegressor", "DDAERRClassifier"), {}, {"inner": "moments"}),
    "ddaelr": (("DDAELRRegressor", "DDAELRClassifier"), {}, {"inner": "mixed"}),
    "ddaerr-2p": (("DDAERRRegressor", "DDAERRClassifier"), {"moments": "two-phase"}, {"phase1": 0.4}),
    "ddaelr-2p": (("DDAELRRegressor", "DDAELRClassifier"), {"moments": "two-phase"}, {"confidence": 0.2}),
    "baseline": (("MomentLassoRegressor", "MomentLassoClassifier"), {}, {"radius": 1.5}),
    "aesvr": (("AESVRRegressor", "AESVRClassifier"), {}, {"smoothing_width": 4.0, "tube": 0.1}),
    "fiml": (("FIMLRegressor", "FIMLClassifier"), {}, {"folds": 4, "rank": 2, "deviations": 3}),
    "karma": (("KARMARegressor", "KARMAClassifier"), {}, {"gamma": 3, "c": 10.0}),
    "zero": ((None, None), {}, {"c": 10.0}),
    "mean": ((None, None), {}, {"normalization": "none"}),
    "mcb": (("MatrixCompletionRegressor", "MatrixCompletionClassifier"), {}, {"rank_penalty": 0.1}),
    "mc1": (
        ("MatrixCompletionRegressor", "MatrixCompletionClassifier"),
        {"variant": "1"},
        {"label_weight": 0.5},
    ),
    "robust-lp": (("RobustLPRegressor", "RobustLPClassifier"), {}, {"threat": 2.0, "intercept": False}),
    "robust-perceptron": ((None, "RobustPerceptronClassifier"), {}, {"threat": 2.0, "passes": 2}),
    "ridge": ((None, None), {}, {"penalty": 0.3}),
    "lasso": ((None, None), {}, {"radius": 1.5}),
}
#: Names of learners with a parameter set -> the learner.
ALIASES = {alias["name"]: name for name, of in _parameters.learners().items() for alias in of["aliases"]}
#: What tells classes apart and nothing else.
CLASSES_ONLY = {"robust-perceptron"}
for of in estimator_classes():
    # A learner that nobody has listed yet is compared by its defaults.
    if of._learner not in {*LEARNERS, "completion"}:
        names = [
            f"{of.__name__.removesuffix('Classifier').removesuffix('Regressor')}{kind}" for kind in KINDS
        ]
        LEARNERS[of._learner] = (tuple(name if hasattr(halfseen, name) else None for name in names), {}, {})
        CLASSES_ONLY |= set() if hasattr(halfseen, names[0]) else {of._learner}

pytestmark = [
    # Sixty rows do not always converge, and say so: here only bits matter.
    pytest.mark.filterwarnings("ignore::halfseen.warnings.DataWarning"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]


def tool(variable):
    path = os.environ.get(variable)
    if not path:
        pytest.skip(f"{variable} names no program to compare with")
    return path


def run(*words):
    return subprocess.run(
        [str(word) for word in words], capture_output=True, text=True, check=True, timeout=60
    ).stdout


def data(holes, classes):
    """Return X and y, the same in every call; every learner's attributes vary and matter."""
    rng = np.random.default_rng(11)
    X = rng.normal(size=(ROWS, COLUMNS)) * [1, 2, 0.5, 1, 3, 1] + [0, 1, 0, -2, 0, 0]
    y = X @ [1.0, -0.5, 2.0, 0.0, 0.3, 0.0] + 0.3 * rng.normal(size=ROWS)
    if holes:
        X[rng.random(X.shape) < 0.25] = np.nan
    return X, np.where(y > np.median(y), "yes", "no") if classes else y


def write(path, X, y):
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow([*NAMES, "target"])
        for cells, label in zip(X, y, strict=True):
            row = ["" if np.isnan(cell) else repr(float(cell)) for cell in cells]
            rows.writerow([*row, label if isinstance(label, str) else repr(float(label))])


def fitted(learner, X, y, classes, setting):
    """Return the model that Python fits: by the estimator, or by the library where there is none."""
    names, own, _ = LEARNERS[learner]
    name = names[classes]
    if name is not None:
        estimator = getattr(halfseen, name)(**own, **setting)
        seeded = {"random_state": SEED} if "random_state" in estimator.get_params() else {}
        # Names of columns come from a frame.
        frame = pytest.importorskip("pandas").DataFrame(X, columns=NAMES)
        return estimator.set_params(**seeded).fit(frame, y).model_
    declared = {d.name for d in _parameters.declared(ALIASES.get(learner, learner))}
    texts = [(key, _parameters.text_of(value)) for key, value in setting.items()]
    texts += [("seed", str(SEED))] if "random_state" in declared else []
    labels, codes = np.unique(y, return_inverse=True) if classes else (None, y)
    nothing = {
        "scale": None,
        "basis": None,
        "known": [],
        "groups": [],
        "prices": {},
        "bounds": {},
        "moments": {},
    }
    table, labels = _core.Table.dense(X, NAMES), None if labels is None else labels.tolist()
    return _core.fit(learner, texts, table, "target", codes.astype(float), labels, nothing, 1, None)


def comparable(text):
    """Return a model file without what no two runs share."""
    model = json.loads(text)
    assert model["report"].pop("seconds") >= 0
    return model


def test_every_learner_of_the_library_is_compared():
    learners = set(_parameters.learners()) | set(ALIASES)
    assert set(LEARNERS) == learners - {"completion", "imputation"}, "by their aliases"
    named = {name for names, _, _ in LEARNERS.values() for name in names if name}
    estimators = {name for home in ("budget", "missing", "robust") for name in halfseen._HOMES[home]}
    assert named == estimators


def compare(learner, X, y, classes, setting, folder):
    """Fit three times, and predict with each model in three ways."""
    program, example = tool("HALFSEEN_PROGRAM"), tool("HALFSEEN_FIT_EXAMPLE")
    seeded = any(d.name == "random_state" for d in _parameters.declared(ALIASES.get(learner, learner)))
    table = folder / "table.csv"
    write(table, X, y)
    texts = [f"{key}={_parameters.text_of(value)}" for key, value in setting.items()]
    paths = {who: folder / f"{who}.json" for who in ("rust", "program", "python")}
    seed = [f"seed={SEED}"] if seeded else []
    paths["rust"].write_text(run(example, "fit", table, "target", learner, *texts, *seed))
    flags = [word for text in texts for word in ("--set", text)]
    flags += ["--budget", setting["budget"]] if "budget" in setting else []
    words = ("fit", table, "--target", "target", "--learner", learner, *flags, "--seed", SEED)
    run(program, *words, "--out", paths["program"], "--quiet")
    own = fitted(learner, X, y, classes, setting)
    paths["python"].write_text(own.to_json())

    models = {who: comparable(path.read_text()) for who, path in paths.items()}
    assert models["program"] == models["rust"]
    assert models["python"] == models["rust"]

    # Each predicts with the others' models, in raw units; the program tells the larger score.
    expected = own.scores(X)
    largest = expected.max(axis=1)
    for path in paths.values():
        text = run(example, "predict", path, table)
        scores = np.array([line.split(",") for line in text.splitlines()], dtype=float)
        np.testing.assert_array_equal(scores, expected)
        told = list(csv.DictReader(run(program, "predict", path, table, "--quiet").splitlines()))
        column = "score" if classes else "prediction"
        np.testing.assert_array_equal([float(row[column]) for row in told], largest)
        loaded = halfseen.load(path)
        np.testing.assert_array_equal(loaded.scores(X).reshape(expected.shape), expected)
        if classes:
            assert [row["prediction"] for row in told] == loaded.predict(X).tolist()


@pytest.mark.parametrize("learner", LEARNERS)
def test_rust_program_and_python_learn_the_same_bits(learner, tmp_path):
    family = _parameters.learners()[ALIASES.get(learner, learner)]["family"]
    budget = {"budget": 4} if family == "budget" else {}
    for classes in (False, True):
        if learner in CLASSES_ONLY and not classes:
            continue
        X, y = data(family == "missing", classes)
        for setting in (budget, {**budget, **LEARNERS[learner][2]}):
            compare(learner, X, y, classes, setting, tmp_path)


@pytest.mark.parametrize("setting", [{"budget": 4}, {"passive": "all"}, {"passive": "all", "link": "auto"}])
def test_what_is_learned_of_rows_with_holes_by_reads_that_are_kept_has_the_same_bits(setting, tmp_path):
    for classes in (False, True):
        if classes or "link" not in setting:
            compare("fiml", *data(True, classes), classes, setting, tmp_path)
