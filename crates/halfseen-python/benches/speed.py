"""Compare the package's speed with scikit-learn's, in ratios of one run.

python benches/speed.py [--rows 200000] [--runs 7] [--wheel FILE]

What is compared alternates, so that whatever else the machine does burdens both.
"""

import argparse
import os
import statistics
import subprocess
import sys
import time
import warnings

import halfseen
import numpy as np
from sklearn.impute import SimpleImputer
from sklearn.linear_model import SGDRegressor
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC


def seconds(work):
    """Return how long one call takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def alternated(runs, **works):
    """Return the times of each work, the works taking turns; a first round is not counted."""
    times = {name: [] for name in works}
    for run in range(runs + 1):
        for name, work in works.items():
            took = seconds(work)
            if run:
                times[name].append(took)
    return times


def row(what, times, unit, reference):
    """Print the medians of a comparison, and the median of the ratios of pairs of runs."""
    factor = {"s": 1, "ms": 1e3, "us": 1e6}[unit]
    for name, taken in times.items():
        median = statistics.median(taken)
        ratios = [a / b for a, b in zip(taken, times[reference], strict=True)]
        ratio = "1" if name == reference else f"{statistics.median(ratios):.2f}"
        print(f"| {what} | {name.replace('_', ' ')} | {median * factor:.1f} {unit} | {ratio} |")


def one_pass(rows, runs):
    """Compare one pass of a budgeted learner with one epoch that sees everything."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, 100))
    y = X @ rng.normal(size=100) + rng.normal(size=rows)
    times = alternated(
        runs,
        SGDRegressor=lambda: SGDRegressor(max_iter=1, tol=None, random_state=0).fit(X, y),
        AERRRegressor=lambda: halfseen.AERRRegressor(budget=5, random_state=0).fit(X, y),
        checks_of_AERR=lambda: halfseen.AERRRegressor(budget=5, random_state=0)._checked(X, y),
        AELRRegressor=lambda: halfseen.AELRRegressor(budget=5, random_state=0).fit(X, y),
    )
    row(f"fit, {rows:,} x 100, one pass, k = 5", times, "ms", "SGDRegressor")


def one_row(runs):
    """Compare the prediction of one row."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 100))
    ours = halfseen.AERRRegressor(budget=5, random_state=0).fit(X, X[:, 0])
    theirs = SGDRegressor().fit(X, X[:, 0])
    single = X[:1].copy()

    def often(call):
        def work():
            for _ in range(1000):
                call(single)

        return work

    times = alternated(
        runs,
        SGDRegressor=often(theirs.predict),
        AERRRegressor=often(ours.predict),
        its_extension=often(ours.model_.scores),
    )
    row("predict, one row of 100", {k: [t / 1000 for t in v] for k, v in times.items()}, "us", "SGDRegressor")


def imports(runs):
    """Compare what a new interpreter imports."""

    def start(code):
        return lambda: subprocess.run([sys.executable, "-c", code], check=True)

    times = alternated(
        runs,
        import_sklearn=start("import sklearn"),
        import_numpy=start("import numpy"),
        import_halfseen=start("import halfseen"),
        AERRRegressor=start("from halfseen import AERRRegressor"),
        nothing=start("pass"),
    )
    bare = times.pop("nothing")
    own = {name: [a - b for a, b in zip(taken, bare, strict=True)] for name, taken in times.items()}
    row("a new interpreter, less its own start", own, "ms", "import_numpy")


def holes(runs):
    """Compare KARMA with the support vector machine of rows whose holes are filled with means."""
    rng = np.random.default_rng(0)
    hidden = rng.normal(size=(4000, 3))
    X = hidden @ rng.normal(size=(3, 100)) + 0.5 * rng.normal(size=(4000, 100))
    y = hidden[:, 0] > 0
    X[rng.random(X.shape) < 0.3] = np.nan
    filled = make_pipeline(SimpleImputer(), SVC(kernel="poly", degree=2, coef0=1.0, C=1.0))
    karma = halfseen.KARMAClassifier(gamma=2, c=1.0)
    models = {"SVC_after_SimpleImputer": filled, "KARMAClassifier": karma}
    times = alternated(
        runs, **{name: lambda model=model: model.fit(X[:2000], y[:2000]) for name, model in models.items()}
    )
    # A time says nothing about a model that has learned nothing.
    right = {name: model.score(X[2000:], y[2000:]) for name, model in models.items()}
    told = ", ".join(f"{name.split('_')[0]} {share:.1%}" for name, share in right.items())
    what = f"fit, 2,000 x 100 with holes, kernel of degree 2 (right on 2,000 new rows: {told})"
    row(what, times, "ms", "SVC_after_SimpleImputer")


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--wheel", help="whose size is told")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    print("| what | who | median | ratio |\n|---|---|---|---|")
    one_pass(given.rows, given.runs)
    one_row(given.runs)
    imports(given.runs)
    holes(given.runs)
    if given.wheel:
        print(f"| size of the wheel | | {os.path.getsize(given.wheel) / 1e6:.1f} MB | |")


if __name__ == "__main__":
    main()
