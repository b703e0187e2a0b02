"""Limit the memory of fits."""

import os
import subprocess
import sys

import halfseen
import numpy as np
import pytest

ESTIMATORS = [
    getattr(halfseen, name) for home in ("budget", "missing", "robust") for name in halfseen._HOMES[home]
]


@pytest.fixture
def limited():
    yield halfseen.set_memory_limit
    halfseen.set_memory_limit(None)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: e.__name__)
def test_a_fit_that_needs_more_is_refused(estimator, limited):
    X = np.random.default_rng(0).normal(size=(60, 5))
    y = X[:, 0] > 0 if estimator.__name__.endswith("Classifier") else X[:, 0]
    limited(2500)
    with pytest.raises(MemoryError, match=r"needs about .* of memory for 60 rows and 5 columns"):
        estimator().fit(X, y)
    limited(None)
    estimator().fit(X, y)


def test_the_limit_is_a_number_of_bytes(limited):
    default = halfseen.get_memory_limit()
    limited(np.int64(10**9))
    assert halfseen.get_memory_limit() == 10**9
    limited(None)
    assert halfseen.get_memory_limit() == default > 2**20
    for wrong in (0, -1, 2**64):
        with pytest.raises(ValueError, match="number of bytes"):
            limited(wrong)
    for wrong in (1.5, "4GB"):
        with pytest.raises(TypeError):
            limited(wrong)


def test_the_error_is_one_of_memory_and_one_of_values():
    assert issubclass(halfseen.TooMuchMemory, MemoryError)
    assert issubclass(halfseen.TooMuchMemory, ValueError)


CHILD = """
import os, resource, sys, time
import numpy as np
import halfseen

def threads():
    time.sleep(0.5)  # those whose work is done end
    return len(os.listdir("/proc/self/task"))

X = np.tile(np.random.default_rng(0).normal(size=(60, 5)), (14_000, 1))  # one thread predicts fewer
model = halfseen.AERRRegressor(budget=2, random_state=0).fit(X[:60], X[:60, 0])
if sys.argv[1] == "limited":
    resource.setrlimit(resource.RLIMIT_AS, (900 * 10**6, resource.RLIM_INFINITY))
before = threads()
model.predict(X)
# Threads that predict are kept for the next prediction.
print(threads() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="threads are counted in /proc")
@pytest.mark.parametrize("limit", ["limited", "free"])
def test_a_small_address_space_has_few_threads(limit):
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", CHILD, limit],
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == (1 if limit == "limited" else len(os.sched_getaffinity(0)))
