#!/usr/bin/env python3
"""Compare halfseen with its peers on tables with missing cells, on the same splits: error, time and memory.

    scripts/peers_missing.py TABLE... [--hidden 0.3] [--splits 3] [--seconds 300] [--classes] [--out FILE]

A table is a CSV file (.csv or .csv.gz) with the column `target`, or else the target is its last; columns of text become one column
for each value. A target of numbers is a number, with --classes a class. A share of the attributes' cells is hidden at random from all methods alike, in training and test rows. A split trains
on two thirds of the rows, at most 2,000, and tests on at most 1,000 of the others. Two classes are -1 and 1; of more, the most
frequent one is 1 and the others are -1. The error is that of a number squared, over the squared error of the training mean; of
classes, the share told wrongly. Each method runs in a process of its own, on one thread, and ends after --seconds of processor time.
Its time is the processor's, with imports; its memory the largest of the process, of which about 150 MB are Python with scikit-learn.
With --out, what the file holds is not computed again.

auto         halfseen.IncompleteRegressor, IncompleteClassifier: the default, which chooses the learner
fiml, karma  halfseen's two learners of holes by name, with their defaults
mean         scikit-learn: SimpleImputer, then ridge (RidgeCV)
iterative    scikit-learn: IterativeImputer with its defaults, then the same ridge
hgb          scikit-learn: HistGradientBoosting with its defaults, which takes holes
lightgbm     LightGBM with its defaults, which takes holes
em           the Gaussian of greatest likelihood by expectation maximisation, as R's norm computes it
softimpute   rows completed by soft-thresholded singular values (Mazumder, Hastie and Tibshirani 2010), training and test rows
             together, the threshold chosen by a tenth of the seen cells; then the same ridge
miceforest   miceforest, one completed table of three rounds, then the same ridge
mice         R's mice with its defaults, linear models on five completed tables

Needs halfseen, pandas, scikit-learn, LightGBM, miceforest, and Debian's r-cran-mice. Versions are printed.
"""

import os
import pathlib
import resource
import subprocess
import tempfile
import warnings
import zlib

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np
import pandas as pd
from peers import each, flags

METHODS = ["auto", "fiml", "karma", "mean", "iterative", "hgb", "lightgbm", "em", "softimpute", "miceforest", "mice"]
PACKAGES = ["halfseen", "numpy", "pandas", "scikit-learn", "lightgbm", "miceforest"]
MOST_TRAINING, MOST_TEST = 2000, 1000


def load(path, numbers_are_classes):
    """Return the attributes as numbers with NaN for holes, the attribute of each column, the target, and whether it is a class."""
    table = pd.read_csv(path, na_values="?")
    target = table.pop("target" if "target" in table else table.columns[-1])
    classes = numbers_are_classes or not pd.api.types.is_numeric_dtype(target)
    columns, attributes = [], []
    for number, name in enumerate(table):
        column = table[name]
        if pd.api.types.is_numeric_dtype(column):
            wide = column.to_frame()
        else:
            wide = pd.get_dummies(column, dtype=float)
            wide[column.isna()] = np.nan
        columns.append(wide.to_numpy(dtype=float))
        attributes += [number] * wide.shape[1]
    if classes:
        y = np.where(target == target.value_counts().index[0], 1.0, -1.0)
    else:
        y = target.to_numpy(dtype=float)
    return np.hstack(columns), np.array(attributes), y, classes


def split(x, attributes, y, hidden, seed):
    """Return training and test parts of a table, of which a share of the cells is hidden."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(y))
    cut = min(2 * len(y) // 3, MOST_TRAINING)
    train, test = order[:cut], order[cut : cut + MOST_TEST]
    gone = rng.random((len(y), attributes.max() + 1)) < hidden
    shown = np.where(gone[:, attributes], np.nan, x)
    # Columns without two different values in the training rows say nothing, and some methods refuse them.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        keep = np.nanmin(shown[train], axis=0) < np.nanmax(shown[train], axis=0)
    shown = shown[:, keep]
    return shown[train], y[train], shown[test], y[test]


def ridge(train, y, test):
    """Return predictions of ridge on standardised attributes."""
    from sklearn.linear_model import RidgeCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), RidgeCV(np.logspace(-2, 4, 13))).fit(train, y).predict(test)


def soft_imputed(cells):
    """Return cells with their holes filled by the matrix of least squared error and nuclear norm."""
    mean, scale = np.nanmean(cells, axis=0), np.nanstd(cells, axis=0)
    z = (cells - mean) / scale
    seen = ~np.isnan(z)
    rng = np.random.default_rng(0)
    kept = seen & (rng.random(z.shape) < 0.9)
    judged = seen & ~kept

    def path(shown, thresholds):
        filled, whole = np.zeros_like(z), []
        for threshold in thresholds:
            for _ in range(100):
                u, s, v = np.linalg.svd(np.where(shown, z, filled), full_matrices=False)
                now = (u * np.maximum(s - threshold, 0.0)) @ v
                moved = np.sum((now - filled) ** 2) / max(np.sum(filled**2), 1e-12)
                filled = now
                if moved < 1e-5:
                    break
            whole.append(filled)
        return whole

    largest = np.linalg.norm(np.where(kept, z, 0.0), 2)
    thresholds = largest * 0.5 ** np.arange(1, 10)
    errors = [np.mean((filled[judged] - z[judged]) ** 2) for filled in path(kept, thresholds)]
    best = int(np.argmin(errors))
    filled = path(seen, thresholds[: best + 1])[-1]
    return np.where(seen, cells, filled * scale + mean)


def by_mice(train, y, test):
    """Return predictions by R's mice."""
    table = pd.DataFrame(np.vstack([train, test])).add_prefix("x")
    table["target"] = np.append(y, np.full(len(test), np.nan))
    with tempfile.TemporaryDirectory() as folder:
        files = [pathlib.Path(folder, name) for name in ("table.csv", "predictions.csv")]
        table.to_csv(files[0], index=False)
        script = pathlib.Path(__file__).with_suffix(".R")
        subprocess.run(["Rscript", script, *files], check=True, capture_output=True)
        return pd.read_csv(files[1])["prediction"].to_numpy()


def predictions(method, train, y, test, classes):
    """Return a method's predictions: numbers, or scores whose sign is the class."""
    if method in ("auto", "fiml", "karma"):
        import halfseen

        name = {"auto": "Incomplete", "fiml": "FIML", "karma": "KARMA"}[method]
        model = getattr(halfseen, name + ("Classifier" if classes else "Regressor"))(random_state=0)
        return model.fit(train, y).predict(test)
    if method in ("hgb", "lightgbm"):
        import lightgbm
        from sklearn import ensemble

        source, name = {"hgb": (ensemble, "HistGradientBoosting"), "lightgbm": (lightgbm, "LGBM")}[method]
        settings = {"n_jobs": 1, "verbose": -1} if method == "lightgbm" else {}
        model = getattr(source, name + ("Classifier" if classes else "Regressor"))(random_state=0, **settings)
        return model.fit(train, y).predict(test)
    if method == "mean":
        from sklearn.impute import SimpleImputer

        imputer = SimpleImputer()
        return ridge(imputer.fit_transform(train), y, imputer.transform(test))
    if method == "iterative":
        from sklearn.experimental import enable_iterative_imputer  # noqa: F401
        from sklearn.impute import IterativeImputer

        imputer = IterativeImputer(random_state=0)
        return ridge(imputer.fit_transform(train), y, imputer.transform(test))
    if method == "em":
        from sight_methods import norm

        return norm(train, y, test)
    if method == "softimpute":
        whole = soft_imputed(np.vstack([train, test]))
        return ridge(whole[: len(train)], y, whole[len(train) :])
    if method == "miceforest":
        import miceforest

        frame = lambda cells: pd.DataFrame(cells).add_prefix("x")
        kernel = miceforest.ImputationKernel(frame(train), num_datasets=1, random_state=0)
        kernel.mice(3, num_threads=1)
        whole = kernel.complete_data(0)
        new = kernel.impute_new_data(frame(test)).complete_data(0)
        return ridge(whole.to_numpy(), y, new.to_numpy())
    return by_mice(train, y, test)


def measured(method, data, classes, seconds, answers):
    """Fit and predict within a limit of processor time; puts the error, the time and the memory, or a reason."""
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    warnings.simplefilter("ignore")
    train, y, test, expected = data
    try:
        found = np.asarray(predictions(method, train, y, test, classes), dtype=float)
    except Exception as error:  # noqa: BLE001  A peer's failure is a result.
        answers.put({"failed": f"{type(error).__name__}: {error}"[:200]})
        return
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    if classes:
        error = float(np.mean(np.where(found > 0, 1.0, -1.0) != expected))
    else:
        error = float(np.mean((found - expected) ** 2) / np.mean((y.mean() - expected) ** 2))
    answers.put({
        "error": error,
        "seconds": sum(u.ru_utime + u.ru_stime for u in used),
        "mb": max(u.ru_maxrss for u in used) / 1024,
    })


def main():
    """Run every method on every table."""
    given = flags(__doc__, PACKAGES, 300, hidden=0.3, classes=False)

    def data(path, number):
        x, attributes, y, classes = load(path, given.classes)
        name = path.name.split(".")[0]
        return split(x, attributes, y, given.hidden, [number, zlib.crc32(name.encode())]), classes, given.seconds

    forms = {"error": "{:.3f}", "seconds": "{:.1f}", "mb": "{:.0f}"}
    each(given, given.hidden, METHODS, measured, data, forms)


if __name__ == "__main__":
    main()
