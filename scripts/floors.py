#!/usr/bin/env python3
"""Compare fiml on Gaussian data that have a table's correlations with what the best ridge could reach if it knew them.

    scripts/floors.py PROGRAM TABLE... [--budgets 2,4,8] [--draws 3] [--set NAME=VALUE] [--out FILE]

A table is a CSV file as scripts/sight.py takes it. Attributes and target are standardised; S is their correlation matrix, with
1e-6 added to its diagonal, and where there are fewer than ten rows for each attribute shrunk as Ledoit and Wolf (2004) say
(otherwise the target of a table with more attributes than rows would be explained without noise). Each draw is a Gaussian
sample with the covariance S and nine tenths of the table's rows, at most 5,400, of which k attributes of each row are read, all
sets equally likely. Needs scikit-learn and pandas.

fiml     mean over the draws of the squared difference of fiml's predictions and the best linear predictor's, w'x, on 6,000
         complete rows: the excess over the noise, in units of the target's variance
floor B  the asymptotic excess of the best ridge for such reads if the covariance and the means of the attributes were known.
         With the attributes o read, y given x_o is Gaussian with the mean w'A x_o, A = S_.o S_oo^-1, and the variance
         v = s^2 + w'Cw, C = S - A S_o., so a row informs on w by

             J_o = A S_oo A' / v + (1 / 2 v^2) (2 C w)(2 C w)'

         and s^2 is a nuisance: J is the mean of J_o over sets of reads (all if there are at most 4,000, else as many drawn as
         there are rows) without what the unknown s^2 takes. A ridge of penalty p has the covariance
         (J + p)^-1 J (J + p)^-1 / m and the bias -p (J + p)^-1 w; floor B is the least over p of tr(S cov) + bias' S bias.
         It is a floor for ridges: a prior that fits the weights better may go below.
all      the same with all attributes read: what m complete rows give
"""

import argparse
import itertools
import math
import pathlib
import subprocess
import tempfile

import numpy as np
import pandas as pd
from sight import load, write
from sklearn.covariance import ledoit_wolf_shrinkage

SETS, TESTS, MOST = 4000, 6000, 5400
SHARE = 0.9
PENALTIES = np.logspace(-9, 3, 97)


def correlations(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the correlation matrix of attributes that vary and of the target, which is last."""
    x = x[:, x.std(axis=0) > 0]
    z = np.column_stack([x, y])
    z = (z - z.mean(axis=0)) / z.std(axis=0)
    s, d = z.T @ z / len(z), z.shape[1]
    if len(z) < 10 * (d - 1):
        share = ledoit_wolf_shrinkage(z, assume_centered=True)
        s = (1 - share) * s + share * np.eye(d)
    return (s + 1e-6 * np.eye(d)) / (1 + 1e-6)


def floor(s: np.ndarray, weights: np.ndarray, noise: float, k: int, m: int, draw: np.random.Generator) -> float:
    """Return floor B of m rows of k reads."""
    d = len(s)
    if math.comb(d, k) <= SETS:
        sets = np.array(list(itertools.combinations(range(d), k)))
    else:
        sets = np.array([draw.choice(d, k, replace=False) for _ in range(max(m, SETS))])
    parts = np.array_split(sets, math.ceil(len(sets) * k / 4000))
    whole = sum(summed(informations(at, s, weights, noise), 1 / len(sets)) for at in parts)
    return best_ridge(on_weights(whole), s, weights, m)


def informations(sets: np.ndarray, s: np.ndarray, weights: np.ndarray, noise: float) -> np.ndarray:
    """Return for each set o a matrix R, (n_sets, k + 1, d + 1): a row informs on the weights and on s^2, which is last, by R'R."""
    roots = np.linalg.cholesky(s[sets[:, :, None], sets[:, None, :]])
    # Each set's half of A S_oo A' = S_.o S_oo^-1 S_o.
    half = np.linalg.solve(roots, s[sets])
    seen = half @ weights
    hidden = noise + weights @ s @ weights - (seen**2).sum(axis=1)
    found = np.zeros((len(sets), sets.shape[1] + 1, len(s) + 1))
    found[:, :-1, :-1] = half / np.sqrt(hidden)[:, None, None]
    found[:, -1, :-1] = 2 * (s @ weights - np.einsum("nkd,nk->nd", half, seen))
    found[:, -1, -1] = 1
    found[:, -1] *= np.sqrt(0.5) / hidden[:, None]
    return found


def summed(found: np.ndarray, shares: np.ndarray | float) -> np.ndarray:
    """Return the information of a row whose sets have these shares."""
    flat = (found * np.sqrt(np.broadcast_to(shares, len(found)))[:, None, None]).reshape(-1, found.shape[2])
    return flat.T @ flat


def on_weights(whole: np.ndarray) -> np.ndarray:
    """Return the information on the weights where s^2 is unknown."""
    return whole[:-1, :-1] - np.outer(whole[:-1, -1], whole[:-1, -1]) / whole[-1, -1]


def best_ridge(inform: np.ndarray, s: np.ndarray, weights: np.ndarray, m: int) -> float:
    """Return the least asymptotic excess of a ridge, given the information of a row."""
    values, vectors = np.linalg.eigh(inform)
    values, turned = np.maximum(values, 0.0), vectors.T @ s @ vectors
    w, spread = vectors.T @ weights, np.diag(turned)
    excesses = []
    for penalty in PENALTIES * values.mean():
        shrunk = 1 / (values + penalty)
        bias = penalty * shrunk * w
        excesses.append((spread * values * shrunk**2).sum() / m + bias @ turned @ bias)
    return min(excesses)


def fitted(args: argparse.Namespace, s: np.ndarray, weights: np.ndarray, k: int, m: int, seed: int) -> float:
    """Return the excess of fiml on a draw of m rows of k reads."""
    draw = np.random.default_rng([seed, k, 17])
    root = np.linalg.cholesky(s)
    sample = draw.standard_normal((m + TESTS, len(s))) @ root.T
    train, test = sample[:m], sample[m:]
    d = len(s) - 1
    seen = np.full((m, d), np.nan)
    for at in range(m):
        read = draw.choice(d, k, replace=False)
        seen[at, read] = train[at, read]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write(folder / "train.csv", seen, train[:, -1])
        write(folder / "test.csv", test[:, :-1], test[:, -1])
        fit = [args.program, "fit", folder / "train.csv", "--target", "target", "--task", "regression", "--learner", "fiml"]
        fit += [word for setting in args.set for word in ("--set", setting)]
        predict = [args.program, "predict", folder / "model.json", folder / "test.csv", "--out", folder / "found.csv", "--quiet"]
        subprocess.run([*fit, "--out", folder / "model.json", "--quiet"], check=True, capture_output=True)
        subprocess.run(predict, check=True, capture_output=True)
        predicted = pd.read_csv(folder / "found.csv")["prediction"].to_numpy()
    return float(np.mean((predicted - test[:, :-1] @ weights) ** 2))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("tables", type=pathlib.Path, nargs="+")
    parser.add_argument("--budgets", default="2,4,8")
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--set", action="append", default=[], help="parameter of fiml, as name=value")
    parser.add_argument("--out", type=pathlib.Path, help="CSV file for the results")
    args = parser.parse_args()
    rows = []
    print(f"{'table':<20}{'rows':>6}{'d':>6}{'k':>3}{'noise':>9}{'all':>9}{'floor B':>9}{'fiml':>9}{'s.e.':>9}{'fiml/B':>8}")
    for path in args.tables:
        name, (x, y) = path.name.split(".")[0], load(path)
        joint = correlations(x, y)
        s, d, m = joint[:-1, :-1], len(joint) - 1, min(int(SHARE * len(y)), MOST)
        weights = np.linalg.solve(s, joint[:-1, -1])
        noise = 1 - weights @ joint[:-1, -1]
        whole = best_ridge(s / noise, s, weights, m)
        for k in (k for k in map(int, args.budgets.split(",")) if k <= d):
            bound = floor(s, weights, noise, k, m, np.random.default_rng(k))
            excesses = pd.Series([fitted(args, joint, weights, k, m, seed) for seed in range(args.draws)])
            row = {"table": name, "rows": m, "d": d, "k": k, "noise": noise, "all": whole, "floor": bound}
            rows.append(row | {"fiml": excesses.mean(), "error": excesses.sem(), "ratio": excesses.mean() / bound})
            row = rows[-1]
            print(f"{name:<20}{m:>6}{d:>6}{k:>3}{noise:>9.4f}{whole:>9.4f}{bound:>9.4f}{row['fiml']:>9.4f}"
                  f"{row['error']:>9.4f}{row['ratio']:>8.2f}", flush=True)  # fmt: skip
            if args.out:
                pd.DataFrame(rows).to_csv(args.out, index=False)
    frame = pd.DataFrame(rows)
    for k, of in frame.groupby("k")["ratio"]:
        print(f"fiml over floor B at k = {k}: median {of.median():.2f}, from {of.min():.2f} to {of.max():.2f}, {len(of)} tables")


if __name__ == "__main__":
    main()
