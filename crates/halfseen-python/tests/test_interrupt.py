"""Interrupt long work, watch it, and fork after it: the interpreter stays alive and answers."""

import contextlib
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
import warnings

import halfseen
import halfseen.robust
import numpy as np
import pytest
import sklearn

#: Seconds until Ctrl-C, and how late its answer may be.
BEFORE, LATE = 0.6, 1.0


def normal(rows, columns, holes=0.0):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, columns))
    y = X[:, 0] + 0.5 * X[:, 1] + rng.normal(size=rows)
    X[rng.random(X.shape) < holes] = np.nan
    return X, y


def fitting(estimator, rows, columns, holes=0.0):
    X, y = normal(rows, columns, holes)
    y = y > 0 if hasattr(estimator, "decision_function") else y
    return lambda: estimator.fit(X, y)


def repeated(estimator, rows, columns):
    """Return a fit to so many rows that all lie in the same memory, which nobody looks through before."""
    X = np.broadcast_to(np.linspace(-1.0, 1.0, columns), (rows, columns))
    y = np.linspace(-1.0, 1.0, rows)

    def fit():
        with sklearn.config_context(assume_finite=True):
            estimator.fit(X, y)

    return fit


def predicting(estimator, columns, holes):
    """Return predictions of so many rows that they take many seconds."""
    X, y = normal(2000, columns, holes)
    fitted = estimator.fit(X, y > 0)
    rows = np.tile(X, (60, 1))
    return lambda: fitted.predict(rows)


def attacking(act):
    """Return what an adversary does to so many rows that it takes many seconds."""
    X, y = normal(2000, 40)
    model = halfseen.RobustLPClassifier(threat=3.0, max_iter=20).fit(X, y > 0)
    rows, targets = np.tile(X, (60, 1)), np.tile(y > 0, 60)
    # Costs of no common measure: each row is a search.
    costs = np.sqrt(np.arange(2.0, 42.0))
    return lambda: act(model, rows, targets, costs)


#: Work that takes many seconds, of every kind of loop.
CASES = {
    "aerr": lambda: repeated(halfseen.AERRRegressor(budget=140), 2_000_000, 150),
    "batch": lambda: repeated(Batch(halfseen.AERRRegressor(budget=140)), 2_000_000, 150),
    "baseline": lambda: repeated(halfseen.MomentLassoRegressor(budget=140), 2_000_000, 150),
    "aelr": lambda: repeated(halfseen.AELRRegressor(budget=140), 2_000_000, 150),
    "fiml": lambda: fitting(halfseen.FIMLRegressor(budget=4), 50_000, 150),
    "fiml-batch": lambda: fitting(Batch(halfseen.FIMLRegressor(budget=4, n_jobs=2)), 50_000, 150),
    "karma": lambda: fitting(halfseen.KARMAClassifier(c=1e3, tol=1e-9), 4000, 100, 0.3),
    "karma-numbers": lambda: fitting(halfseen.KARMARegressor(c=1e3), 8000, 300, 0.3),
    "completion": lambda: fitting(completion(), 3000, 300, 0.3),
    "robust-lp": lambda: fitting(halfseen.RobustLPClassifier(threat=5.0, tol=1e-12), 4000, 300),
    "robust-perceptron": lambda: fitting(
        halfseen.RobustPerceptronClassifier(threat=5.0, passes=500), 5000, 300
    ),
    "predict-karma": lambda: predicting(halfseen.KARMAClassifier(gamma=2), 100, 0.3),
    "predict-completion": lambda: predicting(completion(max_iter=50), 200, 0.3),
    "certify": lambda: attacking(lambda model, X, y, costs: model.certify(X, costs=costs)),
    "attack": lambda: attacking(
        lambda model, X, y, costs: halfseen.robust.attack(model, X, y, threat=20.0, costs=costs)
    ),
}


class Batch:
    """Fit in one batch."""

    def __init__(self, estimator):
        self.fit = estimator.partial_fit


def completion(max_iter=100_000, **parameters):
    return halfseen.MatrixCompletionClassifier(tol=1e-12, max_iter=max_iter, **parameters)


def child(case):
    """Work, again and again if need be, until Ctrl-C; tell how late its answer was, then fit another."""
    work = CASES[case]()
    sent, ticks = [], []

    def press():
        end = time.perf_counter() + BEFORE
        while time.perf_counter() < end:
            time.sleep(0.005)
            ticks.append(None)
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=press)
    thread.start()
    rounds = 0
    with contextlib.suppress(KeyboardInterrupt):
        while not sent or time.perf_counter() < sent[0] + 10 * LATE:
            work()
            rounds += 1
    late = time.perf_counter() - sent[0]
    thread.join()
    X, y = normal(500, 5)
    after = halfseen.AERRRegressor(budget=3, random_state=0).fit(X, y).score(X, y)
    print(json.dumps({"rounds": rounds, "late": late, "ticks": len(ticks), "after": after}))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    child(sys.argv[1])
    sys.exit()


@pytest.mark.parametrize("case", CASES)
def test_ctrl_c_ends_long_work_and_nothing_else(case):
    # On a busy machine any second can be lost: twice late is late.
    for _ in range(2):
        done = subprocess.run([sys.executable, __file__, case], capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        told = json.loads(done.stdout)
        # The other thread went on meanwhile.
        assert told["ticks"] > 10
        assert told["after"] > 0.3
        if told["late"] < LATE:
            return
    pytest.fail(f"Ctrl-C was answered after {told['late']:.2f} s")


def test_progress_is_told_and_what_it_raises_comes_out():
    X, y = normal(1500, 100, 0.3)
    told = []
    halfseen.KARMAClassifier(verbose=lambda done, total: told.append((done, total))).fit(X, y > 0)
    if not told:
        pytest.skip("this machine is too quick to be told anything")
    assert all(0 <= done <= total and total > 0 for done, total in told)

    class Enough(Exception):
        pass

    def stop(done, total):
        raise Enough(done, total)

    began = time.perf_counter()
    estimator = completion(verbose=stop)
    X, y = normal(1500, 300, 0.3)
    with pytest.raises(Enough):
        estimator.fit(X, y > 0)
    assert time.perf_counter() - began < 10
    assert not hasattr(estimator, "model_")


def test_threads_of_python_fit_at_once():
    X, y = normal(3000, 20)
    alone = halfseen.AERRRegressor(budget=4, random_state=0).fit(X, y).coef_
    found = [None] * 4

    def fit(at):
        found[at] = halfseen.AERRRegressor(budget=4, random_state=0).fit(X, y).coef_

    threads = [threading.Thread(target=fit, args=(at,)) for at in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for coefficients in found:
        np.testing.assert_array_equal(coefficients, alone)


def refit(seed):
    X, y = normal(300, 10, 0.2)
    return halfseen.KARMARegressor(n_jobs=2).fit(X, y).predict(X[:5]).tolist()


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_fork_after_a_fit_fits():
    before = refit(0)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map_async(refit, range(4)).get(timeout=30) == [before] * 4


def test_joblib_fits_in_processes_and_in_threads():
    from joblib import Parallel, delayed
    from sklearn.model_selection import cross_val_score

    before = refit(0)
    for backend in ("loky", "threading"):
        assert Parallel(n_jobs=2, backend=backend)(delayed(refit)(i) for i in range(3)) == [before] * 3
    X, y = normal(400, 6)
    estimator = halfseen.AERRRegressor(budget=3, random_state=0)
    np.testing.assert_array_equal(
        cross_val_score(estimator, X, y, n_jobs=2), cross_val_score(estimator, X, y, n_jobs=1)
    )
