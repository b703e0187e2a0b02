#!/usr/bin/env python3
"""Measure how often 90 % intervals hold the target, and how wide they are: fiml's own and conformal ones.

    scripts/intervals.py TABLE... [--splits 5] [--budget 4]

The tables are CSV files (.csv or .csv.gz) whose last column is the target and whose columns of text are
left out; of two classes one is 1, the other -1. Each split draws 60 % of the rows, at most 3,000, for training, 20 % (1,000) for
calibration, 20 % (1,000) for tests. Prints for each table the share of covered test targets and the mean width in
standard deviations of the target, for test rows as they are and with half of their cells missing at random. fiml and
aerr read k attributes of each training row. Needs the package halfseen and pandas.

own          fiml's own intervals, without and with standard errors of the weights (deviations=50)
conformal    from calibration rows as they are
with holes   from calibration rows that lack half of their cells too
"""

import argparse
import pathlib
import warnings

import numpy as np
import pandas as pd
from halfseen import AERRRegressor, FIMLRegressor

LEVEL = 0.9
METHODS = [
    "own",
    "own, deviations",
    "conformal",
    "conformal, deviations",
    "with holes",
    "aerr",
    "aerr, with holes",
]


def table(path: pathlib.Path) -> tuple[np.ndarray, np.ndarray]:
    """Return attributes and targets."""
    rows = pd.read_csv(path)
    y = rows.pop(rows.columns[-1])
    if not pd.api.types.is_numeric_dtype(y):
        y = 2.0 * (y == y.iloc[0]) - 1.0
    x = rows.select_dtypes("number").to_numpy(float)
    return x[y.notna()], y[y.notna()].to_numpy(float)


def measured(x: np.ndarray, y: np.ndarray, budget: int, split: int) -> np.ndarray:
    """Return coverage and width of each method, for rows as they are and with half of the cells."""
    draw = np.random.default_rng([split, 5])
    order, rows = draw.permutation(len(y)), len(y)
    sizes = min(3 * rows // 5, 3000), min(rows // 5, 1000)
    train, known, test = (
        order[: sizes[0]],
        order[sizes[0] :][: sizes[1]],
        order[sizes[0] + sizes[1] :][: sizes[1]],
    )
    empty = np.where(draw.random(x.shape) < 0.5, np.nan, x)
    fiml = FIMLRegressor(budget=budget, random_state=split).fit(x[train], y[train])
    sure = FIMLRegressor(budget=budget, deviations=50, random_state=split).fit(x[train], y[train])
    complete = np.where(np.isnan(x[train]), np.nanmean(x[train], axis=0), x[train])
    aerr = AERRRegressor(budget=budget, random_state=split).fit(complete, y[train])
    whole, holes = (x[known], y[known]), (empty[known], y[known])
    found = []
    for cells in (x[test], empty[test]):
        ends = [
            fiml.predict_interval(cells, LEVEL),
            sure.predict_interval(cells, LEVEL),
            fiml.predict_interval(cells, LEVEL, calibration=whole),
            sure.predict_interval(cells, LEVEL, calibration=whole),
            fiml.predict_interval(cells, LEVEL, calibration=holes),
            aerr.predict_interval(cells, LEVEL, calibration=whole),
            aerr.predict_interval(cells, LEVEL, calibration=holes),
        ]
        inside = [np.mean((low <= y[test]) & (y[test] <= high)) for low, high in (e.T for e in ends)]
        found.append([inside, [np.mean(e[:, 1] - e[:, 0]) / y.std() for e in ends]])
    return np.array(found)


def main() -> None:
    """Print a table for each kind of test rows."""
    parser = argparse.ArgumentParser()
    parser.add_argument("tables", nargs="+", type=pathlib.Path)
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--budget", type=int, default=4)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    for path in args.tables:
        x, y = table(path)
        found = np.mean([measured(x, y, args.budget, split) for split in range(args.splits)], axis=0)
        for kind, (inside, widths) in zip(("as they are", "half empty"), found, strict=True):
            cells = [f"{share:.3f}, {width:.2f}" for share, width in zip(inside, widths, strict=True)]
            print(f"| {path.name.split('.')[0]}, {kind} | {' | '.join(cells)} |", flush=True)
    print("columns:", "; ".join(METHODS))


if __name__ == "__main__":
    main()
