"""Fit what a user would pick instead of fiml, for scripts/sight.py: norm's Gaussian, lavaan, ridge, additive ridge, boosting."""

import pathlib
import resource
import subprocess
from collections.abc import Callable

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import RidgeCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import SplineTransformer, StandardScaler

RIDGES = np.logspace(-2, 4, 13)
PSEUDO, RIDGE, STEPS = 5.0, 0.03, 60
# lavaan estimates (d + 1)(d + 4) / 2 numbers by a general optimiser: it is run where they are few and pairs many.
LAVAAN_COLUMNS, LAVAAN_PAIRS = 25, 10.0


def everything() -> dict[str, object]:
    """Return what learns from all attributes of the training rows, by name."""
    splines = SplineTransformer(n_knots=6, knots="quantile", extrapolation="linear")
    return {"ridge": RidgeCV(RIDGES), "additive": make_pipeline(splines, StandardScaler(), RidgeCV(RIDGES))}


def boosted(seen: np.ndarray, y: np.ndarray, test: np.ndarray) -> np.ndarray:
    """Return predictions by scikit-learn's HistGradientBoosting with its defaults."""
    return HistGradientBoostingRegressor().fit(seen, y).predict(test)


def joint_reads(seen: np.ndarray) -> float:
    """Return the mean number of rows in which a pair of attributes was read."""
    counts = (~np.isnan(seen)).sum(axis=1)
    d = seen.shape[1]
    return float((counts * (counts - 1)).sum() / max(d * (d - 1), 1))


def lavaan(folder: pathlib.Path, seconds: int, write: Callable[[str, np.ndarray, np.ndarray], None], seen: np.ndarray,
           y: np.ndarray, test: np.ndarray) -> tuple[np.ndarray | None, str, float]:
    """Return predictions by R's lavaan or None, what came of it, and its CPU seconds.

    It is not run on more than 25 attributes or fewer than 10 joint reads per pair, and stopped after so many CPU seconds. Its
    target is standardised: its search takes no other scale well.
    """
    if seen.shape[1] > LAVAAN_COLUMNS or joint_reads(seen) < LAVAAN_PAIRS:
        return None, "not run", np.nan
    write("lavaan.csv", seen, (y - y.mean()) / y.std())
    write("shown.csv", test, np.zeros(len(test)))
    script = pathlib.Path(__file__).with_name("sight_lavaan.R")
    command = ["Rscript", script, folder / "lavaan.csv", folder / "shown.csv", folder / "predicted.csv"]

    def stop() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))

    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=stop)
    if done.returncode < 0:
        return None, "out of time", seconds
    if done.returncode:
        return None, "failed", np.nan
    converged, taken = done.stdout.split()[-2:]
    predicted = pd.read_csv(folder / "predicted.csv")["prediction"].to_numpy() * y.std() + y.mean()
    return predicted, "converged" if converged == "TRUE" else "not converged", float(taken)


def norm(seen: np.ndarray, y: np.ndarray, test: np.ndarray) -> np.ndarray:
    """Return predictions by expectation maximisation of the joint Gaussian; NaN is a cell that nobody read."""
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
    shown = (np.clip(test, low, high) - mean) / scale - centre[:-1]
    there = ~np.isnan(shown)

    def expected(row: np.ndarray, at: np.ndarray) -> float:
        return row[at] @ np.linalg.solve(inner[np.ix_(at, at)], s[:-1, -1][at])

    if there.all():
        scores = shown @ np.linalg.solve(inner, s[:-1, -1])
    else:
        scores = np.array([expected(row, np.flatnonzero(at)) for row, at in zip(shown, there)])
    return y.mean() + y.std() * (centre[-1] + scores)
