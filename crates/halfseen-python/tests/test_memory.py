"""Measure what a fit and a prediction allocate: arrays of float64 are read where they lie."""

import json
import os
import subprocess
import sys

import pytest

MEGABYTES = 200
COLUMNS = 100
ROWS = MEGABYTES * 2**20 // 8 // COLUMNS

CHILD = """
import json, sys
import numpy as np
import halfseen

def status(name):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith(name))

def grown(work):
    # By how many megabytes the memory grows at most.
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")  # the peak starts anew
    before = status("VmRSS")
    work()
    return status("VmHWM") - before

rows, columns, estimator = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
small = np.random.default_rng(0).normal(size=(1000, columns))
make = lambda: getattr(halfseen, estimator)(random_state=0)
make().fit(small, small[:, 0]).predict(small)  # what is loaded once is loaded
X = np.empty((rows, columns))
for start in range(0, rows, 1000):
    X[start : start + 1000] = small[: min(1000, rows - start)]
y = X[:, 0].copy()
model = make()
told = {
    "fit": grown(lambda: model.fit(X, y)),
    "predict": grown(lambda: model.predict(X)),
    "copy": grown(lambda: X.copy()),
}
print(json.dumps(told))
"""

pytestmark = pytest.mark.skipif(
    not os.access("/proc/self/clear_refs", os.W_OK), reason="peaks are read from /proc"
)


@pytest.mark.parametrize("estimator", ["AERRRegressor", "AELRRegressor"])
def test_a_dense_array_is_not_copied(estimator):
    words = [sys.executable, "-W", "ignore", "-c", CHILD, str(ROWS), str(COLUMNS), estimator]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["copy"] > 0.9 * MEGABYTES, "a copy would be noticed"
    assert told["fit"] < 0.1 * MEGABYTES, told
    assert told["predict"] < 0.1 * MEGABYTES, told
