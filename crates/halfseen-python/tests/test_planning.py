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
        {"total_budget": 50_000},
        {"total_budget": 50_000, "examples": 3_000},
        {"budget": 3, "error": 0.2, "radius2": 0.5, "norm": 2.0, "confidence": 0.01, "phase1": 0.2},
    ],
)
def test_figures_are_the_programs(asked):
    flags = [f"--{name.replace('_', '-')}={value}" for name, value in asked.items()]
    call = [PROGRAM, "plan", "--dims=100", "--radius=1", "--json", *flags]
    found = json.loads(subprocess.run(call, capture_output=True, text=True, check=True).stdout)
    assert plan(100, radius=1.0, **asked).rows == found["rows"]


def test_a_plan_is_a_frame_and_words():
    found = plan(100, radius=1.0, budget=4, examples=1_000_000)
    frame = found.frame
    assert frame["excess"].is_monotonic_increasing
    assert frame.loc["aerr", "reads"] == 4_000_000
    best = frame.index[0]
    assert found.in_words().startswith(
        f"{best} with {frame.iloc[0]['budget']} reads of each of 1,000,000 examples"
    )
    assert best in repr(found)
    assert f"<td>{best}</td>" in found._repr_html_()
    nothing = plan(100, radius=1.0, budget=4, examples=5)
    assert nothing.in_words().startswith("No theorem guarantees anything here")
    assert " *" in repr(nothing)


def test_moments_help_and_their_number_is_held():
    asked = {"radius": 1.0, "budget": 4, "examples": 100_000, "norm": 1.0}
    moments = np.full(100, 1e-4)
    excess = {row["learner"]: row["excess"] for row in plan(100, moments=moments, **asked).rows}
    worst = {row["learner"]: row["excess"] for row in plan(100, **asked).rows}
    assert excess["ddaerr"] < worst["ddaerr"]
    with pytest.raises(ValueError, match="moments holds 3 numbers for 100 attributes"):
        plan(100, moments=[1.0] * 3, **asked)


def test_strange_questions_are_refused():
    for asked, words in (
        ({"budget": 4}, "give examples"),
        ({"examples": 9}, "give budget"),
        ({"budget": 4, "total_budget": 40, "examples": 9}, "one of them"),
        ({"budget": 4, "examples": 9, "error": 0.1}, "not both"),
        ({"budget": -4, "examples": 9}, "whole numbers"),
        ({"budget": 1000, "examples": 9}, "more than the 100 attributes"),
    ):
        with pytest.raises(ValueError, match=words):
            plan(100, radius=1.0, **asked)
    for asked, name in (
        ({"radius": -1.0, "budget": 4, "examples": 9}, "radius"),
        ({"radius": float("nan"), "budget": 4, "examples": 9}, "radius"),
        ({"radius": 1.0, "total_budget": 1, "examples": 9}, "total_budget"),
        ({"radius": 1.0, "budget": 4, "examples": 9, "confidence": 2.0}, "confidence"),
    ):
        with pytest.raises(InvalidParameterError, match=f"'{name}' parameter of plan must be"):
            plan(100, **asked)
    assert halfseen.plan is plan
