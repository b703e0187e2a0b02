#!/usr/bin/env python3
"""Compare fiml with what a user would pick instead, on the same few reads of tables.

    scripts/sight.py PROGRAM TABLE... [--budgets 2,4,8] [--splits 3] [--set NAME=VALUE] [--out FILE]

A table is a CSV file (.csv or .csv.gz) whose last column is the target; columns that are no numbers or have
holes are left out, two classes count as -1 and 1. Each split draws a fifth of the rows, at most 1,500, for tests;
of at most 4,000 others k attributes are read, all sets equally likely. Errors are squared, over the variance of
the training targets, on complete test rows. Needs scikit-learn and pandas.

ridge, additive   on all attributes of the training rows: what reading everything gives (ridge of the attributes,
                  and of splines of them)
fiml              PROGRAM's fiml on the same reads, as missing values
curves            the same with shape=auto
own reads         fiml with a budget of k, which chooses what to read
norm              the Gaussian of greatest likelihood by expectation maximisation, as R's norm computes it, with 5
                  pseudo-examples; ridge .03; attributes clipped at their outer .5 % quantiles
hgb               scikit-learn's HistGradientBoosting with its defaults
"""

import argparse
import json
import pathlib
import subprocess
import tempfile

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import RidgeCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import SplineTransformer, StandardScaler

METHODS = ["ridge", "additive", "fiml", "curves", "own reads", "norm", "hgb"]
RIDGES = np.logspace(-2, 4, 13)
PSEUDO, RIDGE, STEPS = 5.0, 0.03, 60


def load(path: pathlib.Path) -> tuple[np.ndarray, np.ndarray]:
    """Return attributes without holes, and the target."""
    table = pd.read_csv(path)
    y = table.pop(table.columns[-1])
    if y.nunique() == 2:
        y = (y == sorted(y.unique())[1]) * 2 - 1
    x = table.select_dtypes("number")
    return x.loc[:, x.notna().all()].to_numpy(float), y.to_numpy(float)


def norm(seen: np.ndarray, y: np.ndarray, test: np.ndarray) -> np.ndarray:
    """Return predictions by expectation maximisation of the joint Gaussian; `seen` has NaN where nothing was read."""
    low, high = np.nanquantile(seen, [0.005, 0.995], axis=0)
    wide = np.where(low < high, 1.0, np.nan)
    low, high = np.where(np.isnan(wide), -np.inf, low), np.where(np.isnan(wide), np.inf, high)
    seen = np.clip(seen, low, high)
    mean, scale = np.nanmean(seen, axis=0), np.nanstd(seen, axis=0)
    scale[~(scale > 1e-12)] = np.inf
    z = np.column_stack([(seen - mean) / scale, (y - y.mean()) / y.std()])
    m, d = z.shape
    rows = [np.flatnonzero(~np.isnan(row)) for row in z]
    groups = []
    for size in {len(at) for at in rows}:
        of = [i for i, at in enumerate(rows) if len(at) == size]
        at = np.array([rows[i] for i in of])
        groups.append((at, z[np.array(of)[:, None], at]))
    s, centre, relaxation = np.eye(d), np.zeros(d), 1.0

    def look(s: np.ndarray, centre: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        """Return the penalised log-likelihood, and the scores of the covariance and the mean."""
        noisy = s + 0.01 * np.diag(np.append(np.ones(d - 1), 0.0))
        score, of_mean = np.zeros((d, d)), np.zeros(d)
        fit = -0.5 * PSEUDO * (np.linalg.slogdet(s)[1] + np.trace(np.linalg.inv(s)))
        for at, values in groups:
            block = noisy[at[:, :, None], at[:, None, :]]
            inverse, left = np.linalg.inv(block), values - centre[at]
            solved = np.einsum("nij,nj->ni", inverse, left)
            fit += -0.5 * (np.linalg.slogdet(block)[1].sum() + (solved * left).sum())
            outer = solved[:, :, None] * solved[:, None, :] - inverse
            np.add.at(score, (at[:, :, None], at[:, None, :]), outer)
            np.add.at(of_mean, at, solved)
        return fit, score, of_mean

    now = look(s, centre)
    for _ in range(STEPS):
        step = s @ now[1] @ s / m + PSEUDO / m * (np.eye(d) - s)
        while True:
            tried = s + relaxation * step
            moved = centre + min(relaxation, 1.7) * s @ now[2] / m
            definite = np.linalg.eigvalsh(tried)[0] > 1e-4
            found = look(tried, moved) if definite else (-np.inf,)
            if found[0] >= now[0] or relaxation < 0.01:
                break
            relaxation = max(relaxation / 3, 1.0) if relaxation > 1 else relaxation / 2
        if found[0] < now[0]:
            break
        gained, (s, centre, now) = found[0] - now[0], (tried, moved, found)
        relaxation = min(1.5 * relaxation, 30.0)
        if gained < 0.02:
            break
    inner = s[:-1, :-1] + (0.01 + RIDGE) * np.eye(d - 1)
    weights = np.linalg.solve(inner, s[:-1, -1])
    shown = (np.clip(test, low, high) - mean) / scale
    return y.mean() + y.std() * (centre[-1] + (shown - centre[:-1]) @ weights)


def by_program(program: str, folder: pathlib.Path, flags: list[str], settings: list[str]) -> float:
    """Return the squared error of fiml on the test rows."""
    model = folder / "model.json"
    fit = [program, "fit", folder / "train.csv", "--target", "target", "--task", "regression", "--learner", "fiml"]
    for setting in settings:
        flags = [*flags, "--set", setting]
    subprocess.run([*fit, *flags, "--out", model, "--quiet"], check=True, capture_output=True)
    tested = [program, "evaluate", model, folder / "test.csv", "--json", "--quiet"]
    return json.loads(subprocess.run(tested, check=True, capture_output=True).stdout)["mse"]


def write(path: pathlib.Path, x: np.ndarray, y: np.ndarray) -> None:
    """Write a table for the program."""
    frame = pd.DataFrame(x, columns=[f"x{j}" for j in range(x.shape[1])])
    frame.assign(target=y).to_csv(path, index=False)


def cell(program: str, path: pathlib.Path, k: int, split: int, settings: list[str]) -> dict[str, float]:
    """Return the errors of all methods on one split of a table."""
    x, y = load(path)
    draw = np.random.default_rng([split, 7])
    order = draw.permutation(len(y))
    size = min(max(len(y) // 5, 30), 1500)
    test, train = order[:size], order[size : size + 4000]
    scale = x[train].std(axis=0)
    x = (x - x[train].mean(axis=0)) / np.where(scale > 0, scale, 1.0)
    k = min(k, x.shape[1])
    seen = np.full((len(train), x.shape[1]), np.nan)
    for at, row in enumerate(train):
        read = draw.choice(x.shape[1], k, replace=False)
        seen[at, read] = x[row, read]
    variance, ends = y[train].var(), (y[train].min(), y[train].max())

    def error(predicted: np.ndarray) -> float:
        return float(np.mean((np.clip(predicted, *ends) - y[test]) ** 2) / variance)

    splines = SplineTransformer(n_knots=6, knots="quantile", extrapolation="linear")
    everything = {"ridge": RidgeCV(RIDGES), "additive": make_pipeline(splines, StandardScaler(), RidgeCV(RIDGES))}
    found = {name: error(of.fit(x[train], y[train]).predict(x[test])) for name, of in everything.items()}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write(folder / "test.csv", x[test], y[test])
        write(folder / "train.csv", seen, y[train])
        found["fiml"] = by_program(program, folder, [], settings) / variance
        found["curves"] = by_program(program, folder, [], [*settings, "shape=auto"]) / variance
        write(folder / "train.csv", x[train], y[train])
        budget = ["--budget", str(k), "--seed", str(split)]
        found["own reads"] = by_program(program, folder, budget, settings) / variance
    # Both fail on attributes of which nothing was read.
    known = np.where(np.isnan(seen), -np.inf, seen).max(axis=0) > np.where(np.isnan(seen), np.inf, seen).min(axis=0)
    seen, shown = seen[:, known], x[test][:, known]
    found["norm"] = error(norm(seen, y[train], shown))
    found["hgb"] = error(HistGradientBoostingRegressor().fit(seen, y[train]).predict(shown))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("tables", type=pathlib.Path, nargs="+")
    parser.add_argument("--budgets", default="2,4,8")
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--set", action="append", default=[], help="parameter of fiml, as name=value")
    parser.add_argument("--out", type=pathlib.Path, help="CSV file for the errors of each split")
    args = parser.parse_args()
    rows = []
    print(f"{'table':<20}{'k':>3}" + "".join(f"{name:>11}" for name in METHODS))
    for path in args.tables:
        name = path.name.split(".")[0]
        for k in map(int, args.budgets.split(",")):
            found = [cell(args.program, path, k, split, args.set) for split in range(args.splits)]
            rows += [{"table": name, "k": k, "split": split} | of for split, of in enumerate(found)]
            means = (np.mean([of[method] for of in found]) for method in METHODS)
            print(f"{name:<20}{k:>3}" + "".join(f"{mean:>11.3f}" for mean in means), flush=True)
    frame = pd.DataFrame(rows)
    if args.out:
        frame.to_csv(args.out, index=False)
    means = frame.groupby(["table", "k"])[METHODS].mean()
    pairs = [("fiml", "norm"), ("fiml", "hgb"), ("curves", "fiml"), ("curves", "norm"), ("curves", "hgb")]
    for one, other in pairs:
        ratio = means[one] / means[other]
        geometric = np.exp(np.log(ratio).mean())
        print(f"{one} over {other}: {geometric:.3f} (geometric mean); smaller in {(ratio < 1).sum()} of {len(ratio)}")


if __name__ == "__main__":
    main()
