#!/usr/bin/env python3
"""Time matrix completion (MC-b) beside the published iteration in NumPy, on drawn tables.

    OMP_NUM_THREADS=1 scripts/completion_speed.py [--tol 1e-6] [--rounds 3]

Each table is a product of two normal factors with noise, of which a share is hidden; its two classes are the sign of a
sum of factors, of which a tenth is flipped. The plain loop (Goldberg et al. 2010, algorithm FPC with a full
singular value decomposition in each step; mu falls by .25, a stage ends where the objective changes by less than
1e-5) stops once its objective is within twice --tol of the lower bound that ours certified; it certifies nothing. Ours
stops by its own certified gap. Both run on one thread, in turns; the quickest of --rounds counts. Needs NumPy, scikit-learn and halfseen.
"""

import argparse
import time

import halfseen
import numpy as np

LABEL_WEIGHT = 0.1
# Items, attributes, rank of the factors, share of hidden cells, noise, mu as a share of the largest.
TABLES = [
    (600, 150, 5, 0.3, 0.3, 0.05),
    (600, 150, 20, 0.6, 1.0, 0.2),
    (1500, 100, 8, 0.5, 0.5, 0.1),
    (400, 400, 10, 0.5, 0.3, 0.1),
    (2000, 250, 12, 0.7, 0.5, 0.05),
    (300, 60, 3, 0.2, 0.1, 0.02),
]


def drawn(seed, items, attributes, rank, hidden, noise):
    """Return the cells (attributes, items), a mask, and labels of -1 and 1."""
    draw = np.random.default_rng(seed)
    factors = draw.normal(size=(rank, items))
    cells = draw.normal(size=(attributes, rank)) @ factors + noise * draw.normal(size=(attributes, items))
    cells /= cells.std()
    labels = np.where(factors[: (rank + 1) // 2].sum(0) > 0, 1.0, -1.0)
    labels[draw.random(items) < 0.1] *= -1
    return cells, draw.random(cells.shape) >= hidden, labels


def best_constant(scores, labels):
    """Return the constant of least logistic loss, by Newton's method."""
    b = 0.0
    for _ in range(50):
        q = 1 / (1 + np.exp((scores + b) * labels))
        step = (labels * q).sum() / max((q * (1 - q)).sum(), 1e-12)
        b += np.clip(step, -2, 2)
        if abs(step) < 1e-12:
            break
    return b


def plain(cells, mask, labels, mu, most, least, tol):
    """Run the published iteration until its objective is within tol of the least; return its seconds and steps."""
    began = time.perf_counter()
    weight, share = LABEL_WEIGHT / len(labels), 1 / mask.sum()
    tau = min(3.8 / weight, 1 / share)
    tau_b = 3.8 / LABEL_WEIGHT
    z, b, steps = np.zeros((len(cells) + 1, cells.shape[1])), 0.0, 0
    at, before = most, np.inf
    while True:
        last = at * 0.25 <= mu
        at = max(at * 0.25, mu)
        while True:
            slopes = -labels / (1 + np.exp((z[0] + b) * labels))
            gradient = np.vstack([weight * slopes, share * np.where(mask, z[1:] - cells, 0)])
            u, s, v = np.linalg.svd(z - tau * gradient, full_matrices=False)
            s = np.maximum(s - tau * at, 0)
            z = (u * s) @ v
            b -= tau_b * weight * slopes.sum()
            steps += 1
            value = at * s.sum() + weight * np.log1p(np.exp(-(z[0] + b) * labels)).sum()
            value += share * 0.5 * np.where(mask, (z[1:] - cells) ** 2, 0).sum()
            if last and value <= least * (1 + tol):
                return time.perf_counter() - began, steps
            if not last and abs(before - value) <= 1e-5 * abs(before):
                break
            if steps >= 20_000:
                return float("inf"), steps
            before = value


def main():
    """Print a line for each table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tol", type=float, default=1e-6)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    print("| items x attributes | rank | hidden | noise | mu | ours, s | passes | NumPy, s | steps | ratio |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    for seed, (items, attributes, rank, hidden, noise, share) in enumerate(TABLES):
        cells, mask, labels = drawn(seed, items, attributes, rank, hidden, noise)
        rows = np.where(mask, cells, np.nan).T
        ours, theirs = np.inf, np.inf
        b = best_constant(np.zeros(items), labels)
        slopes = -labels / (1 + np.exp(b * labels))
        zero = np.vstack([LABEL_WEIGHT / items * slopes, np.where(mask, -cells, 0) / mask.sum()])
        most = np.linalg.norm(zero, 2)
        model = halfseen.MatrixCompletionClassifier(
            label_weight=LABEL_WEIGHT, rank_penalty=share, tol=args.tol, max_iter=100_000, scale="none", n_jobs=1
        )
        for _ in range(args.rounds):
            report = model.fit(rows, labels).report_
            assert report["gap"] <= args.tol * report["objective"], report
            ours = min(ours, report["seconds"])
            least = report["objective"] - report["gap"]
            seconds, steps = plain(cells, mask, labels, most * share, most, least, 2 * args.tol)
            theirs = min(theirs, seconds)
        print(
            f"| {items} x {attributes} | {rank} | {hidden} | {noise} | {share} | {ours:.2f} |"
            f" {report['passes']} | {theirs:.2f} | {steps} | {theirs / ours:.1f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
