#!/usr/bin/env python3
"""Measure whether products of two attributes would help a fit from few reads, beside one curve per attribute.

    scripts/interactions.py TABLE... [--budgets 2,4,8,all] [--splits 3] [--first 0] [--degree 2] [--threshold 3] [--most 20]

A table is a file as scripts/sight.py reads it, or friedman1:N, make_friedman1 with N training rows. Splits, from number --first
on, reads and errors are those of scripts/sight.py, as are `additive` and `hgb`. Needs scikit-learn and pandas.

curves    the Gaussian of lines, shrunk curves and target by expectation maximisation with 5 pseudo-examples; ridge .03
products  the same with `chosen` columns more, at most --most, each for a pair of attributes: that sum of products of powers up
          to --degree, orthogonal to these powers, that follows the residual of `curves` given the reads, in the rows that read
          both; shrunk as by James and Stein, clipped to its range, and as clear as a |t| above --threshold
judged    products if held-out rows, predicted from their reads, gain z standard errors, more than --handicap (1); or else curves
"""

import argparse
import itertools
import pathlib
import tempfile
from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd
from scipy.stats import chi2, norm
from sight import Split
from sight_methods import boosted
from sight_summary import Pair
from sklearn.datasets import make_friedman1

NOISE, RIDGE, PSEUDO, STEPS, LIMIT, ENOUGH, FOLDS = 0.01, 0.03, 5.0, 40, 6.0, 20, 3
OPTIONS = {"budgets": "2,4,8", "splits": 3, "first": 0, "degree": 2, "threshold": 3.0, "most": 20, "handicap": 1.0}
Make = Callable[[np.ndarray], np.ndarray]


def patterns(z: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Return, for each number of known cells, the columns of its patterns, its rows, and the pattern of each of them."""
    kinds, kind = np.unique(~np.isnan(z), axis=0, return_inverse=True)
    sizes = kinds.sum(axis=1)
    for size in np.unique(sizes[sizes > 0]):
        which, rows = np.flatnonzero(sizes == size), np.flatnonzero(sizes[kind] == size)
        yield np.nonzero(kinds[which])[1].reshape(-1, size), rows, np.searchsorted(which, kind[rows])


def gaussian(columns: list[tuple[Make, float, float]], x: np.ndarray, y: np.ndarray) -> Make:
    """Fit a covariance by over-relaxed EM, and return the predictor; a column is its maker, noise, and ridge in predictions."""
    z, noise = np.column_stack([*(make(x) for make, _, _ in columns), y]), np.diag([*(noise for _, noise, _ in columns), 0.0])
    (m, d), parts, relaxation = z.shape, [], 1.0
    for at, rows, kind in patterns(z):
        values = z[rows[:, None], at[kind]]
        parts.append((at, np.bincount(kind), np.zeros((*at.shape, at.shape[1]))))
        np.add.at(parts[-1][2], kind, values[:, :, None] * values[:, None, :])
    def look(s: np.ndarray) -> tuple[float, np.ndarray]:
        """Return the penalised log-likelihood of a covariance, and its score."""
        noisy, score = s + noise, np.zeros(s.size)
        fit = -0.5 * PSEUDO * (np.linalg.slogdet(s)[1] + np.trace(np.linalg.inv(s)))
        for at, counts, squares in parts:
            block = noisy[at[:, :, None], at[:, None, :]]
            solved = (inverse := np.linalg.inv(block)) @ squares
            fit -= 0.5 * (counts @ np.linalg.slogdet(block)[1] + np.trace(solved, axis1=1, axis2=2).sum())
            places = at[:, :, None] * len(s) + at[:, None, :]
            score += np.bincount(places.ravel(), (solved @ inverse - counts[:, None, None] * inverse).ravel(), s.size)
        return fit, score.reshape(s.shape)
    s, (fit, score) = np.eye(d), look(np.eye(d))
    for step in range(STEPS):
        tried = s + relaxation * (s @ score @ s / m + PSEUDO / m * (np.eye(d) - s))
        found = look(tried) if np.linalg.eigvalsh(tried)[0] > 1e-4 else (-np.inf,)
        if (gained := found[0] - fit) < 0:
            relaxation = max(relaxation / 3, 1.0) if relaxation > 1 else relaxation / 2
            continue
        s, (fit, score), relaxation = tried, found, min(1.5 * relaxation, 30.0)
        if gained < 0.02 and step > 10:
            break
    noisy = (s + noise)[:-1, :-1] + np.diag([ridge for _, _, ridge in columns])
    def predict(x: np.ndarray) -> np.ndarray:
        z, predicted = np.column_stack([make(x) for make, _, _ in columns]), np.zeros(len(x))
        for at, rows, kind in patterns(z):
            weights = np.linalg.solve(noisy[at[:, :, None], at[:, None, :]], s[at, -1][:, :, None])[:, :, 0]
            predicted[rows] = (z[rows[:, None], at[kind]] * weights[kind]).sum(axis=1)
        return np.clip(predicted, y.min(), y.max())

    return predict


def standard(x: np.ndarray) -> Make:
    """Return what standardises attributes, clipped to their outer .5 % quantiles; one of a single value is unknown."""
    low, high = np.nanquantile(x, [0.005, 0.995], axis=0)
    low, high = np.where(low < high, [low, high], [np.nanmin(x, axis=0), np.nanmax(x, axis=0)])
    mean, scale = np.nanmean(np.clip(x, low, high), axis=0), np.nanstd(np.clip(x, low, high), axis=0)
    return lambda x: np.clip((np.clip(x, low, high) - mean) / np.where(scale > 1e-9, scale, np.nan), -LIMIT, LIMIT)


def shrunk(basis: list[Make], plain: list[Make], x: np.ndarray, y: np.ndarray) -> tuple[float, int, Make]:
    """Return the column of a basis, orthogonal to plain columns, that follows y, after its squared length over error and rank."""
    known = ~np.isnan(basis[0](x) + plain[-1](x))
    of, to = (np.column_stack([make(x[known]) for make in part]) for part in (basis, plain))
    if (n := known.sum()) < max(ENOUGH, 3 * len(basis + plain)):
        return 0.0, 1, basis[0]
    bent, left = (what - to @ np.linalg.lstsq(to, what)[0] for what in (of, y[known]))
    _, size, turned = np.linalg.svd(bent / np.sqrt(n), full_matrices=False)
    white = turned[size > 0.03].T / size[size > 0.03]
    moments = bent @ white * left[:, None]
    theta, spread = moments.mean(axis=0), moments.var(axis=0).sum() / (n - len(plain) - white.shape[1])
    heights = white @ theta / max(np.linalg.norm(theta), 1e-12)
    weights = np.append(heights, -np.linalg.lstsq(to, of @ heights)[0])
    ends = np.clip([(bent @ heights).min(), (bent @ heights).max()], -LIMIT, LIMIT)
    make = lambda x: np.clip(np.column_stack([of(x) for of in basis + plain]) @ weights, *ends)
    return theta @ theta / max(spread, 1e-12), max(len(theta), 1), make


def fits(seen: np.ndarray, y: np.ndarray, args: argparse.Namespace) -> tuple[Make, Make, int]:
    """Return the fits without and with products, and the number of products."""
    x, found = (scale := standard(seen))(seen), []
    lines = [[lambda x, j=j, p=p: x[:, j] ** p for p in range(1, args.degree + 1)] for j in range(x.shape[1])]
    columns = [(line[0], NOISE, RIDGE) for line in lines]
    for line, *_ in lines:
        knots = np.unique(np.nanquantile(line(x), [0.02, 0.2, 0.4, 0.6, 0.8, 0.98]))
        hats = [lambda x, line=line, knots=knots, hat=hat: np.interp(line(x), knots, hat) for hat in np.eye(len(knots))]
        ratio, _, make = shrunk(hats, [lambda x: np.ones(len(x)), line], x, y)
        columns += [(make, NOISE + 1 / (ratio - 1), RIDGE)] if ratio > 1 / 0.7 and len(knots) > 2 else []
    residual = y - (curves := gaussian(columns, x, y))(x)
    for one, other in itertools.combinations(lines, 2):
        products = [lambda x, a=a, b=b: a(x) * b(x) for a in one for b in other]
        ratio, rank, make = shrunk(products, [lambda x: np.ones(len(x)), *one, *other], x, residual)
        if ratio * rank > chi2.isf(2 * norm.sf(args.threshold), rank):
            found.append((ratio * rank - rank, (make, NOISE, RIDGE + 1 / max(ratio - 1, 0.05))))
    taken = [column for _, column in sorted(found, key=lambda one: -one[0])[: args.most]]
    both = gaussian([*columns, *taken], x, y) if taken else curves
    return lambda x: curves(scale(x)), lambda x: both(scale(x)), len(taken)


def held_out(x: np.ndarray, y: np.ndarray, args: argparse.Namespace) -> float:
    """Return by how many standard errors products lower the error of held-out rows, predicted from their reads."""
    gain, fold = np.zeros(len(y)), np.arange(len(y)) % FOLDS
    for out in (fold == at for at in range(FOLDS)):
        curves, products, _ = fits(x[~out], y[~out], args)
        gain[out] = (curves(x[out]) - y[out]) ** 2 - (products(x[out]) - y[out]) ** 2
    return float(gain.mean() / max(gain.std() / np.sqrt(len(gain)), 1e-12))


def cell(split: Split, k: int, args: argparse.Namespace) -> dict[str, float]:
    """Return the errors of all methods with k reads of each row, and what else is known of them."""
    draw, seen = np.random.default_rng([split.number, 7]), np.full(split.x.shape, np.nan)
    draw.permutation(split.total)  # As in scripts/sight.py, so that the reads are the same.
    reads = np.array([draw.choice(seen.shape[1], k, replace=False) for _ in seen])
    np.put_along_axis(seen, reads, np.take_along_axis(split.x, reads, 1), 1)
    mean, deviation, found = split.y.mean(), split.y.std(), {"additive": split.found["additive"]}
    curves, products, chosen = fits(seen, y := (split.y - mean) / deviation, args)
    split.take("hgb", lambda: boosted(seen, split.y, split.shown), found)
    split.take("curves", lambda: mean + deviation * curves(split.shown), found)
    split.take("products", lambda: mean + deviation * products(split.shown), found)
    judged = "products" if (z := held_out(seen, y, args)) > args.handicap else "curves"
    return found | {"judged": found[judged], "chosen": chosen, "z": z}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", nargs="+")
    for name, value in OPTIONS.items():
        parser.add_argument(f"--{name}", type=type(value), default=value)
    args, rows = parser.parse_args(), []
    for name in args.tables:
        path = pathlib.Path(name)
        with tempfile.TemporaryDirectory() as folder:
            if name.startswith("friedman1:"):
                path, (x, y) = pathlib.Path(folder) / name, make_friedman1(int(name[10:]) * 5 // 4, noise=1.0, random_state=0)
                pd.DataFrame(x).assign(target=y).to_csv(path, index=False)
            splits = [Split(path, number) for number in range(args.first, args.first + args.splits)]
        for budget, split in itertools.product(args.budgets.split(","), splits):
            if (k := split.x.shape[1] if budget == "all" else int(budget)) <= split.x.shape[1]:
                rows.append({"table": path.name.split(".")[0], "budget": budget, "k": k} | cell(split, k, args))
    frame = pd.DataFrame(rows)
    print(frame.groupby(["table", "budget"], sort=False).mean().drop(columns="k").filter(regex="^[^ ]*$").round(3).to_string())
    for budget, of in frame.groupby("budget", sort=False):
        for pair in (Pair(of, *names.split()) for names in ("products curves", "judged curves", "curves hgb", "judged hgb")):
            print(f"\nbudget {budget}: {pair.line()}; worst {pair.ratio.max():.3f} ({pair.ratio.idxmax()[0]})")
            print(f"  better: {pair.places(pair.worse(-1))}\n  worse: {pair.places(pair.worse())}")


if __name__ == "__main__":
    main()
