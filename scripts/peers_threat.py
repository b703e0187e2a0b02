#!/usr/bin/env python3
"""Compare halfseen with its peers where attributes vanish at prediction time, on the same splits: error, time and memory.

    scripts/peers_threat.py TABLE... [--threat 3] [--splits 3] [--seconds 600] [--out FILE]

A table is a CSV file (.csv or .csv.gz) with the column `target`, or else the target is its last; text columns, columns a tenth of
whose cells are missing, and then rows with missing cells are left out, and the most frequent class is told from the others. A split
trains on two thirds of the rows, at most 1,000, and tests on at most 200 of the others. All attributes are standardised by the
training rows. A deleted cell is NaN to models that take it (halfseen's, and boosting) and 0, the mean, to the others. After the fit
each model is attacked: by `threat` random deletions of each row, and by a greedy adversary who sees the model's score and deletes,
one after the other, the attribute whose loss hurts the row most. Errors are the share told wrongly. Each method runs in a process of
its own, on one thread; its time is the processor's for fitting alone, its memory the largest of the process. With --out, what the
file holds is not computed again.

auto         halfseen.RobustClassifier(threat=...)
curves       the same with scale="each", basis="hats": a curve of each attribute
robust-lp    halfseen.RobustLPClassifier(threat=...) with its defaults
svm          scikit-learn's LinearSVC, C from 1e-4 to 1e2 by cross-validation
svm-masked   the same on the rows and ten copies of each, with `threat` attributes deleted at random
hgb          scikit-learn's HistGradientBoosting with its defaults
hgb-masked   the same on the rows and ten copies of each
smoothing    the mean score of boosting on 50 random halves of the attributes, learned from ten such copies of each row
             (randomised ablation: Levine and Feizi 2020)
cvxpy        the robust linear program of Dekel and Shamir 2008 as one writes it with cvxpy (its default solver), with a margin of a
             hundredth of the attributes that are left and a box of 1; "ours" are objective and seconds of RobustLPClassifier so

Needs halfseen, pandas, scikit-learn and cvxpy. Versions are printed.
"""

import os
import resource
import time
import warnings
import zlib

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np
import pandas as pd
from peers import each, flags

METHODS = ["auto", "curves", "robust-lp", "svm", "svm-masked", "hgb", "hgb-masked", "smoothing", "cvxpy"]
PACKAGES = ["halfseen", "numpy", "pandas", "scikit-learn", "cvxpy"]
MOST_TRAINING, MOST_TEST, COPIES, MASKS = 1000, 200, 10, 50


def load(path):
    """Return the attributes that are numbers, and the target as -1 and 1."""
    table = pd.read_csv(path, na_values="?")
    target = table.pop("target" if "target" in table else table.columns[-1])
    x = table.select_dtypes("number").to_numpy(dtype=float)
    x = x[:, np.isnan(x).mean(axis=0) < 0.1]
    whole = ~np.isnan(x).any(axis=1)
    return x[whole], np.where(target == target.value_counts().index[0], 1.0, -1.0)[whole]


def split(x, y, seed):
    """Return standardised training and test parts."""
    order = np.random.default_rng(seed).permutation(len(y))
    cut = min(2 * len(y) // 3, MOST_TRAINING)
    train, test = order[:cut], order[cut : cut + MOST_TEST]
    mean, scale = x[train].mean(axis=0), x[train].std(axis=0)
    keep = scale > 0
    z = ((x - mean) / np.where(keep, scale, 1.0))[:, keep]
    return z[train], y[train], z[test], y[test]


def without(rows, count, rng):
    """Return rows that lack `count` random attributes each."""
    gone = np.argsort(rng.random(rows.shape), axis=1)[:, :count]
    masked = rows.copy()
    np.put_along_axis(masked, gone, np.nan, axis=1)
    return masked


def copied(x, y, count, rng):
    """Return rows and copies of them that lack attributes."""
    return np.vstack([x, *(without(x, count, rng) for _ in range(COPIES))]), np.tile(y, COPIES + 1)


def filled(rows):
    """Return rows with the mean in the place of what is missing."""
    return np.where(np.isnan(rows), 0.0, rows)


def program(x, y, threat, margin, box):
    """Return weights, bias and least mean robust hinge loss, found by cvxpy."""
    import cvxpy

    rows, columns = x.shape
    w, b = cvxpy.Variable(columns), cvxpy.Variable()
    left = columns - threat
    losses = []
    for row, sign in zip(x, y):
        score = sign * (b + row @ w)
        gains = cvxpy.sum_largest(cvxpy.pos(cvxpy.multiply(sign * row, w) - margin / left), threat)
        losses.append(cvxpy.pos(margin * columns / left - score + gains))
    problem = cvxpy.Problem(cvxpy.Minimize(cvxpy.sum(cvxpy.hstack(losses)) / rows), [cvxpy.abs(w) <= box])
    problem.solve()
    return w.value, b.value, problem.value


def fitted(method, x, y, threat):
    """Fit a method; returns a function of rows to scores, and what else it found."""
    rng = np.random.default_rng(0)
    if method in ("auto", "curves", "robust-lp"):
        import halfseen

        settings = {"scale": "each", "basis": "hats"} if method == "curves" else {}
        kind = halfseen.RobustLPClassifier if method == "robust-lp" else halfseen.RobustClassifier
        model = kind(threat=threat, random_state=0, **settings).fit(x, y)
        return model.decision_function, {}
    if method in ("svm", "svm-masked"):
        from sklearn.model_selection import GridSearchCV
        from sklearn.svm import LinearSVC

        if method == "svm-masked":
            x, y = copied(x, y, threat, rng)
            x = filled(x)
        search = GridSearchCV(LinearSVC(random_state=0), {"C": np.logspace(-4, 2, 7)}).fit(x, y)
        return lambda rows: search.decision_function(filled(rows)), {}
    if method == "cvxpy":
        import halfseen

        margin, began = 0.01 * (x.shape[1] - threat), time.process_time()
        ours = halfseen.RobustLPClassifier(threat=threat, margin=margin, box_radius=1.0, scale="none").fit(x, y)
        beside = {"ours": ours.report_["objective"], "ours_seconds": time.process_time() - began}
        weights, bias, objective = program(x, y, threat, margin, 1.0)
        return lambda rows: filled(rows) @ weights + bias, {**beside, "objective": float(objective)}
    from sklearn.ensemble import HistGradientBoostingClassifier

    if method == "smoothing":
        half = x.shape[1] // 2
        rows, signs = copied(x, y, half, rng)
        model = HistGradientBoostingClassifier(random_state=0).fit(rows[len(x) :], signs[len(x) :])
        masks = without(np.zeros((MASKS, x.shape[1])), half, rng)
        return lambda rows: np.mean([model.decision_function(rows + mask) for mask in masks], axis=0), {}
    if method == "hgb-masked":
        x, y = copied(x, y, threat, rng)
    return HistGradientBoostingClassifier(random_state=0).fit(x, y).decision_function, {}


def greedy(score, x, y, threat):
    """Return rows after a greedy adversary deleted `threat` attributes of each."""
    x = x.copy()
    for _ in range(threat):
        hurt = np.empty(x.shape)
        for j in range(x.shape[1]):
            gone = x.copy()
            gone[:, j] = np.nan
            hurt[:, j] = -y * score(gone)
        # One that is gone already hurts no more.
        hurt[np.isnan(x)] = -np.inf
        np.put_along_axis(x, np.argmax(hurt, axis=1)[:, None], np.nan, axis=1)
    return x


def measured(method, data, threat, seconds, answers):
    """Fit, attack and count within a limit of processor time."""
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    warnings.simplefilter("ignore")
    x, y, test, expected = data
    try:
        # Imports are not part of a fit.
        import cvxpy, halfseen, sklearn.ensemble, sklearn.model_selection, sklearn.svm  # noqa: E401, F401

        began = time.process_time()
        score, more = fitted(method, x, y, threat)
        taken = time.process_time() - began - more.get("ours_seconds", 0.0)
        wrong = lambda rows: float(np.mean(np.where(score(rows) > 0, 1.0, -1.0) != expected))
        found = {"error": wrong(test), "seconds": taken, **more}
        found["mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        rng = np.random.default_rng(1)
        found["random"] = float(np.mean([wrong(without(test, threat, rng)) for _ in range(10)]))
        found["greedy"] = wrong(greedy(score, test, expected, threat))
    except Exception as error:  # noqa: BLE001  A peer's failure is a result.
        found = {"failed": f"{type(error).__name__}: {error}"[:200]}
    answers.put(found)


def main():
    """Run every method on every table."""
    given = flags(__doc__, PACKAGES, 600, threat=3)

    def data(path, number):
        name = path.name.split(".")[0]
        return split(*load(path), [number, zlib.crc32(name.encode())]), given.threat, given.seconds

    forms = {"error": "{:.3f}", "random": "{:.3f}", "greedy": "{:.3f}", "seconds": "{:.1f}", "mb": "{:.0f}"}
    each(given, given.threat, METHODS, measured, data, forms)


if __name__ == "__main__":
    main()
