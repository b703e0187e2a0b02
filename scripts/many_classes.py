#!/usr/bin/env python3
"""Compare fiml with what a user would pick instead where there are more than two classes and few reads.

    scripts/many_classes.py [TABLE...] [--budgets 2,4,8] [--splits 5]

The tables are the digits (8 x 8) and the wines of scikit-learn, and CSV files (.csv or .csv.gz) whose last column is
the class and whose other columns are numbers. Each split draws a quarter of the rows, at most 1,500, for tests; of at
most 4,000 others k attributes are read, all sets equally likely. Prints shares of wrong classes on complete test rows.
Needs the package halfseen, scikit-learn and pandas.

ridge        ridge classifier on all attributes of the training rows: what reading everything gives
fiml         on the reads, as missing values
own reads    fiml with a budget of k, which chooses what to read
karma        on the same reads as fiml
logistic     logistic regression after imputation by scikit-learn's IterativeImputer
hgb          scikit-learn's HistGradientBoosting with its defaults
"""

import argparse
import pathlib
import warnings
from collections.abc import Iterator

import numpy as np
import pandas as pd
from halfseen import FIMLClassifier, KARMAClassifier
from sklearn.datasets import load_digits, load_wine
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer
from sklearn.linear_model import LogisticRegression, RidgeClassifierCV
from sklearn.pipeline import make_pipeline

METHODS = ["ridge", "fiml", "own reads", "karma", "logistic", "hgb"]


def tables(paths: list[pathlib.Path]) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Return name, attributes and classes of each table; a missing value counts as the mean."""
    for name, of in (("digits", load_digits()), ("wine", load_wine())):
        yield name, of.data, of.target
    for path in paths:
        table = pd.read_csv(path)
        y = table.pop(table.columns[-1])
        x = table.apply(pd.to_numeric, errors="coerce")
        yield path.name.split(".")[0], x.fillna(x.mean()).to_numpy(float), y.to_numpy()


def split_errors(x: np.ndarray, y: np.ndarray, k: int, split: int) -> list[float]:
    """Return the share of wrong classes of each method."""
    draw = np.random.default_rng([split, 9])
    order = draw.permutation(len(y))
    size = min(len(y) // 4, 1500)
    test, train = order[:size], order[size : size + 4000]
    scale = x[train].std(axis=0)
    x = (x - x[train].mean(axis=0)) / np.where(scale > 0, scale, 1.0)
    seen = np.full((len(train), x.shape[1]), np.nan)
    for at, row in enumerate(train):
        read = draw.choice(x.shape[1], min(k, x.shape[1]), replace=False)
        seen[at, read] = x[row, read]
    # Other methods fail on attributes of which nothing was read.
    known = ~np.isnan(seen).all(axis=0)
    imputed = IterativeImputer(max_iter=5, random_state=0)
    fits = [
        (RidgeClassifierCV(np.logspace(-2, 4, 13)), x[train], x[test]),
        (FIMLClassifier(random_state=split), seen, x[test]),
        (
            FIMLClassifier(budget=min(k, x.shape[1]), random_state=split),
            x[train],
            x[test],
        ),
        (KARMAClassifier(), seen, x[test]),
        (
            make_pipeline(imputed, LogisticRegression(max_iter=500)),
            seen[:, known],
            x[test][:, known],
        ),
        (
            HistGradientBoostingClassifier(random_state=0),
            seen[:, known],
            x[test][:, known],
        ),
    ]
    return [
        float(np.mean(of.fit(rows, y[train]).predict(tests) != y[test]))
        for of, rows, tests in fits
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", type=pathlib.Path, nargs="*")
    parser.add_argument("--budgets", default="2,4,8")
    parser.add_argument("--splits", type=int, default=5)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    print(
        f"{'table':<16}{'classes':>8}{'k':>3}"
        + "".join(f"{name:>11}" for name in METHODS)
    )
    for name, x, y in tables(args.tables):
        for k in map(int, args.budgets.split(",")):
            errors = np.mean(
                [split_errors(x, y, k, split) for split in range(args.splits)], axis=0
            )
            cells = "".join(f"{error:>11.3f}" for error in errors)
            print(f"{name:<16}{len(np.unique(y)):>8}{k:>3}{cells}", flush=True)


if __name__ == "__main__":
    main()
