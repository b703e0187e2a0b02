"""Tests that importing the package is quick, and brings in no more than it must."""

import json
import statistics
import subprocess
import sys

IMPORT = """
import json, sys, time
began, worked = time.perf_counter(), time.process_time()
import halfseen
took, work = time.perf_counter() - began, time.process_time() - worked
print(json.dumps([took, work, sorted(name for name in sys.modules if "." not in name)]))
"""


def imported(program=IMPORT):
    """Run a program in an interpreter of its own, and return what it prints."""
    call = [sys.executable, "-W", "error", "-c", program]
    return json.loads(subprocess.run(call, check=True, text=True, capture_output=True).stdout)


def test_import_takes_less_than_150_ms():
    imported()  # the first reads files that are not in memory yet
    # Work rather than waiting: other programs may hold the processors. Nothing here waits for anything else.
    assert statistics.median(imported()[1] for _ in range(7)) < 0.150


def test_import_brings_in_neither_scikit_learn_nor_numpy():
    modules = imported()[2]
    assert "halfseen" in modules
    assert not {"sklearn", "scipy", "numpy", "pandas", "polars", "narwhals", "matplotlib"} & set(modules)


def test_an_estimator_brings_scikit_learn_but_no_frames_and_no_pictures():
    modules = set(imported(IMPORT.replace("import halfseen", "from halfseen import AERRRegressor"))[2])
    assert "sklearn" in modules
    assert not {"polars", "matplotlib"} & modules


def test_all_that_is_announced_can_be_imported():
    program = """
import json, halfseen
print(json.dumps([[name, name in dir(halfseen), type(getattr(halfseen, name)).__name__]
                  for name in halfseen.__all__]))
"""
    found = imported(program)
    assert len(found) > 30
    assert all(listed for _, listed, _ in found)


def test_former_names_say_what_they_are_called_now():
    program = """
import json, halfseen
try:
    halfseen.MomentLasso
except AttributeError as error:
    print(json.dumps([hasattr(halfseen, "AERR"), str(error)]))
"""
    says = "module 'halfseen' has no attribute 'MomentLasso': MomentLasso is now MomentLassoRegressor"
    assert imported(program) == [False, says]


def test_other_names_are_refused():
    program = """
import json, halfseen
try:
    halfseen.Aerr
except AttributeError as error:
    print(json.dumps(str(error)))
"""
    assert imported(program) == "module 'halfseen' has no attribute 'Aerr'"
