"""Hold plans to the program's figures."""

import json
import os
import subprocess

import halfseen
import numpy as np
import pytest
from halfseen import plan
from sklearn.utils._param_validation import InvalidParameterError

PROGRAM = os.environ.get("HALFSEEN_PROGRAM")


@pytest.mark.skipif(PROGRAM is None, reason="HALFSEEN_PROGRAM names no program")
@pytest.mark.parametrize(
    "asked",
    [
        {"budget": 4, "examples": 10_000},
        {"budget": 4, "error": 0.1},
        {"budget": 3, "error": 0.2, "norm": 2.0},
    ],
)
def test_figures_are_the_programs(asked):
    flags = [f"--{name}={value}" for name, value in asked.items()]
    call = [PROGRAM, "plan", "--dims=100", "--radius=1", "--json", *flags]
    found = json.loads(subprocess.run(call, capture_output=True, text=True, check=True).stdout)
    assert plan(100, radius=1.0, **asked) == found["rows"]


def test_moments_help_and_their_number_is_held():
    asked = {"radius": 1.0, "budget": 4, "examples": 100_000, "norm": 1.0}
    moments = np.full(100, 1e-4)
    excess = {row["learner"]: row["excess"] for row in plan(100, moments=moments, **asked)}
    worst = {row["learner"]: row["excess"] for row in plan(100, **asked)}
    assert excess["ddaerr"] < worst["ddaerr"]
    with pytest.raises(ValueError, match="moments holds 3 numbers for 100 attributes"):
        plan(100, moments=[1.0] * 3, **asked)


def test_strange_questions_are_refused():
    for asked, words in (
        ({"budget": 4}, "give examples"),
        ({"budget": 4, "examples": 9, "error": 0.1}, "one of them"),
        ({"budget": -4, "examples": 9}, "whole numbers"),
        ({"budget": 1000, "examples": 9}, "more than the 100 attributes"),
    ):
        with pytest.raises(ValueError, match=words):
            plan(100, radius=1.0, **asked)
    for radius in (-1.0, float("nan")):
        with pytest.raises(InvalidParameterError, match="'radius' parameter of plan must be"):
            plan(100, radius=radius, budget=4, examples=9)
    assert halfseen.plan is plan
