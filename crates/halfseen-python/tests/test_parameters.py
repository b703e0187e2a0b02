"""Hold Python's parameters against the library's declarations and against what the program prints."""

import inspect
import json
import math
import os
import re
import subprocess
import warnings

import numpy as np
import pytest
from halfseen import _core
from halfseen._parameters import RENAMED
from halfseen.testing import estimators
from sklearn.base import clone, is_classifier
from sklearn.utils._param_validation import InvalidParameterError

PROGRAM = os.environ.get("HALFSEEN_PROGRAM")
LEARNERS = {learner["name"]: learner for learner in json.loads(_core.learners())}
ESTIMATORS = [estimator for estimator in estimators() if hasattr(estimator, "_learner")]
EACH = pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda estimator: type(estimator).__name__)
#: What estimators take that is no parameter of a learner: what is declared of data, and how a fit runs.
HOUSE = {"scale", "basis", "known", "groups", "prices", "bounds", "class_weight", "n_jobs", "tune", "verbose"}


def cases():
    """Return every parameter of every learner of every estimator."""
    return [
        pytest.param(estimator, given, id=f"{type(estimator).__name__}-{given['name']}")
        for estimator in ESTIMATORS
        for given in LEARNERS[estimator._learner]["parameters"]
    ]


@pytest.mark.skipif(not PROGRAM, reason="HALFSEEN_PROGRAM does not name the program")
def test_the_program_declares_what_the_extension_declares():
    said = subprocess.run([PROGRAM, "learners", "--json"], check=True, capture_output=True, text=True).stdout
    program = {learner["learner"]: learner for learner in json.loads(said)}
    assert program.keys() == LEARNERS.keys()
    for name, learner in LEARNERS.items():
        for key in ("title", "source", "family"):
            assert learner[key] == program[name][key], name
        keys = ("name", "default", "allowed", "doc", "source")
        ours = [{key: given[key] for key in keys} for given in learner["parameters"]]
        assert ours == [{key: given[key] for key in keys} for given in program[name]["params"]], name


def test_every_learner_but_those_of_others_has_an_estimator():
    covered = {estimator._learner for estimator in ESTIMATORS}
    elsewhere = {"ridge", "lasso"}  # scikit-learn has them
    assert LEARNERS.keys() - covered == elsewhere | {"imputation"}, "KARMA with gamma = 1 is it"


@pytest.mark.parametrize(("estimator", "given"), cases())
def test_names_defaults_and_meanings_are_the_librarys(estimator, given):
    name = RENAMED.get(given["name"], given["name"])
    default = inspect.signature(type(estimator)).parameters[name].default
    section = re.search(
        rf"^    {name} : .*\n((?:        .*\n)+)",
        inspect.cleandoc(type(estimator).__doc__).replace("\n", "\n    "),
        re.M,
    )
    assert section, "documented"
    documented = " ".join(section[1].split())
    if name == "random_state":
        assert default is None
        return
    if given["default"] == "auto" and given["kind"] != "choice":
        assert default is None
    else:
        assert default == given["default"]
        assert type(default) is type(given["default"])
    words = re.sub(r"--([a-z_]+)( FILE)?", r"``\1``", given["doc"])
    words = words if given["kind"] == "choice" else words.replace("auto:", "None:")
    assert " ".join(words.split()) in documented
    if given["kind"] not in ("choice", "flag"):
        assert given["allowed"].replace("auto", "None") in documented
    for word in given["words"] if given["kind"] == "choice" else ():
        assert repr(word) in section[0]


@EACH
def test_there_is_no_parameter_but_the_librarys_and_the_houses(estimator):
    declared = {RENAMED.get(p["name"], p["name"]) for p in LEARNERS[estimator._learner]["parameters"]}
    assert set(estimator.get_params()) - HOUSE <= declared
    kinds = {p.kind for p in inspect.signature(type(estimator)).parameters.values()}
    assert kinds == {inspect.Parameter.KEYWORD_ONLY}


def outside(given):
    """Return values that are not in a parameter's range, by its own words."""
    kind, allowed = given["kind"], given["allowed"]
    if kind == "flag":
        return ["maybe", 2]
    if kind == "choice":
        return ["nonsense", 7]
    if kind in ("numbers-or-auto", "moments", "costs"):
        return [[-1.0, 1.0, 1.0, 1.0], [math.nan] * 4, "many"]
    if kind == "features":
        return ["sketch:0", "all"]
    if kind.startswith("rule"):
        return [0.0, math.nan, -1.0, "4y"]
    found = [math.nan, math.inf, "many"]
    if "above 0" in allowed:
        found += [0, -1.0]
    if least := re.search(r"(?:at least|from) (\d+)", allowed):
        found += [int(least[1]) - 1] if least[1] != "0" or kind != "count" else [-1]
    if most := re.search(r"from \d+ to (\d+)", allowed):
        found += [int(most[1]) + 1]
    if kind.startswith("count"):
        found += [1.5, "1e3"]
    return found


def data(estimator):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 4))
    return X, (X[:, 0] > 0).astype(int) if is_classifier(estimator) else X[:, 0]


@pytest.mark.parametrize(("estimator", "given"), cases())
def test_a_value_outside_its_range_is_refused_by_fit_and_not_before(estimator, given):
    name = RENAMED.get(given["name"], given["name"])
    X, y = data(estimator)
    values = outside(given)
    if name == "random_state":
        values = [-1, 2**64]
    if name == "p":
        values.remove(0) if 0 in values else None
    for value in values:
        made = type(estimator)(**{name: value})
        assert made.get_params()[name] is value, "kept as it is"
        allowed = given["allowed"]
        if given["kind"] == "flag":
            allowed = "True or False"
        elif given["kind"] != "choice":
            allowed = allowed.replace("auto", "None").replace(", separated by commas", "")
        said = re.escape(f"The {name!r} parameter of {type(estimator).__name__} must be {allowed}")
        got = re.escape(repr(value))
        more = ", a RandomState instance or None" if name == "random_state" else ""
        with pytest.raises(InvalidParameterError, match=rf"^{said}{more}\. Got {got} instead\.$"):
            made.fit(X, y)


@EACH
def test_unknown_parameters_are_type_errors_and_wrong_kinds_too(estimator):
    with pytest.raises(TypeError, match="unexpected keyword argument 'nonsense'"):
        type(estimator)(nonsense=1)
    with pytest.raises(TypeError, match="positional argument"):
        type(estimator)(3)
    with pytest.raises(ValueError, match="Invalid parameter 'nonsense'"):
        clone(estimator).set_params(nonsense=1)
    numeric = next(
        p["name"]
        for p in LEARNERS[estimator._learner]["parameters"]
        if p["kind"].startswith(("number", "count"))
    )
    X, y = data(estimator)
    said = rf"The '{numeric}' parameter of {type(estimator).__name__} must be .*Got \{{'a': 1\}} instead"
    with pytest.raises(InvalidParameterError, match=said):
        clone(estimator).set_params(**{numeric: {"a": 1}}).fit(X, y)


@pytest.mark.parametrize(
    ("parameter", "value", "error", "says"),
    [
        (
            "scale",
            "sideways",
            InvalidParameterError,
            "The 'scale' parameter of AERRRegressor must be one of none, common, each, max, or None. Got"
            " 'sideways' instead",
        ),
        ("scale", 3, InvalidParameterError, "must be one of none, common, each, max, or None. Got 3 instead"),
        (
            "basis",
            "splines",
            InvalidParameterError,
            "The 'basis' parameter of AERRRegressor must be one of none, hats, or None. Got",
        ),
        ("basis", 3, InvalidParameterError, "must be one of none, hats, or None. Got 3 instead"),
        ("basis", "hats", ValueError, "declare their bounds"),
        ("known", "x0", InvalidParameterError, "The 'known' parameter of AERRRegressor must be a list of"),
        ("known", [9], ValueError, "there is no attribute 9: X has 4 features"),
        ("known", [-1], ValueError, "there is no attribute -1"),
        ("known", ["y0"], ValueError, "there is no column 'y0'; did you mean|there is no column 'y0'"),
        ("known", [1.5], InvalidParameterError, r"names or indices of attributes, or None. Got \[1.5\]"),
        ("groups", ["x0"], InvalidParameterError, "The 'groups' parameter of AERRRegressor must be a dict"),
        ("groups", {"a": "x0"}, InvalidParameterError, "must be a dict of names of panels to lists of names"),
        ("groups", {"a": ["x0"], "b": ["x0"]}, ValueError, "'x0' is in two panels"),
        ("prices", {"x0": -1}, ValueError, "price of 'x0'"),
        ("prices", {"x0": "dear"}, InvalidParameterError, "must be a dict of .* to numbers, or None. Got"),
        ("bounds", {"x0": 3}, InvalidParameterError, r"to pairs \(low, high\), or None. Got \{'x0': 3\}"),
        ("bounds", {1.5: (0, 1)}, InvalidParameterError, "must be a dict of names or indices of attributes"),
        ("bounds", {"x0": (2, 1)}, ValueError, "'x0'"),
        (
            "n_jobs",
            0,
            InvalidParameterError,
            "'n_jobs' parameter of RobustLPRegressor must be None or an int",
        ),
        ("n_jobs", 1.5, InvalidParameterError, "an integer other than 0. Got 1.5 instead"),
    ],
)
def test_what_is_declared_of_data_is_checked_by_fit(parameter, value, error, says):
    from halfseen import AERRRegressor, RobustLPRegressor

    of = RobustLPRegressor if parameter == "n_jobs" else AERRRegressor
    X, y = data(of())
    made = of(**{parameter: value})
    with pytest.raises(error, match=says):
        made.fit(X, y)


def test_numbers_of_any_kind_are_parameters():
    from halfseen import AERRRegressor, DDAERRRegressor

    X, y = data(AERRRegressor())
    plain = AERRRegressor(budget=3, radius=2.0, random_state=1).fit(X, y)
    other = AERRRegressor(
        budget=np.int32(3), radius=np.float32(2), random_state=np.uint8(1), intercept=np.True_
    ).fit(X, y)
    np.testing.assert_array_equal(plain.coef_, other.coef_)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        lists = [
            DDAERRRegressor(moments=of, random_state=0).fit(X, y)
            for of in ([1, 2, 1, 1], np.array([1, 2, 1, 1]))
        ]
    np.testing.assert_array_equal(lists[0].coef_, lists[1].coef_)
