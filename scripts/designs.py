#!/usr/bin/env python3
"""Compare designs of reads by what they could reach if the covariance were known.

    scripts/designs.py TABLE... [--budgets 2,4,8] [--steps 300]

A table is a CSV file as scripts/sight.py takes it. For Gaussian data with its correlations S and nine tenths of its rows, at most
5,400, of which sets of k attributes are read, each column is floor B of scripts/floors.py: the asymptotic excess of the best ridge
over the noise. Designs are shares of the sets of k attributes, the same for every row.

uniform   all sets, or 4,000 drawn ones, equally often
adaptive  4,000 sets drawn as fiml's adaptive design does once it knows the weights: attribute j with probability proportional to
          |w_j| sd_j, three tenths of it uniform
A         shares of all these sets towards the least tr(S (J + p)^-1) by the multiplicative algorithm (Silvey, Titterington and
          Torsney 1978; Yu 2010), p = 1 / (m mean(w^2)): an A-optimal design that knows S, w and the noise, which a learner must
          estimate from the same reads. The best of its steps, and not worse than the two others

Needs scikit-learn and pandas.
"""

import argparse
import itertools
import math
import pathlib

import numpy as np
import pandas as pd
from floors import MOST, SETS, SHARE, best_ridge, correlations, informations, on_weights, summed
from sight import load

UNIFORM = 0.3


def inclusion(weights: np.ndarray, k: int) -> np.ndarray:
    """Return the probabilities of the adaptive design, which sum to k; none is above 1."""
    d = len(weights)
    wanted = (1 - UNIFORM) * abs(weights) / abs(weights).sum() + UNIFORM / d
    always = np.zeros(d, bool)
    while True:
        found = np.where(always, 1.0, wanted * (k - always.sum()) / wanted[~always].sum())
        if (found <= 1).all():
            return found
        always |= found > 1


def drawn(probabilities: np.ndarray, k: int, draw: np.random.Generator) -> np.ndarray:
    """Return a set of k attributes with these probabilities: systematically, in a random order."""
    order = draw.permutation(len(probabilities))
    ends = np.cumsum(probabilities[order])
    places = np.searchsorted(ends, draw.uniform() + np.arange(k))
    return order[np.minimum(places, len(order) - 1)]


def optimal(found: np.ndarray, s: np.ndarray, weights: np.ndarray, m: int, steps: int) -> float:
    """Return the floor of the best shares found."""
    shares = np.full(len(found), 1 / len(found))
    # The prior of a ridge, of the size of the weights.
    prior = np.eye(len(s)) / (m * max((weights**2).mean(), 1e-12))
    best = math.inf
    for step in range(steps):
        inform = on_weights(summed(found, shares))
        if step % 10 == 0 or step == steps - 1:
            best = min(best, best_ridge(inform, s, weights, m))
        inverse = np.linalg.inv(inform + prior)
        middle = np.linalg.cholesky(inverse @ s @ inverse + 1e-12 * np.eye(len(s)))
        gains = ((found[:, :, :-1] @ middle) ** 2).sum(axis=(1, 2))
        shares *= np.sqrt(gains)
        shares /= shares.sum()
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", type=pathlib.Path, nargs="+")
    parser.add_argument("--budgets", default="2,4,8")
    parser.add_argument("--steps", type=int, default=300)
    args = parser.parse_args()
    print(f"{'table':<20}{'rows':>6}{'d':>6}{'k':>3}{'uniform':>10}{'adaptive':>10}{'A':>10}{'adaptive/u':>12}{'A/adaptive':>12}")
    found = []
    for path in args.tables:
        x, y = load(path)
        both = correlations(x, y)
        s, target = both[:-1, :-1], both[:-1, -1]
        weights = np.linalg.solve(s, target)
        noise, d, m = 1 - target @ weights, len(s), min(int(SHARE * len(y)), MOST)
        for k in (k for k in map(int, args.budgets.split(",")) if k < d):
            draw = np.random.default_rng([k, 23])
            all_sets = math.comb(d, k) <= SETS
            uniform = np.array(
                list(itertools.combinations(range(d), k)) if all_sets else [draw.choice(d, k, replace=False) for _ in range(SETS)]
            )
            probabilities = inclusion(weights, k)
            adaptive = np.array([drawn(probabilities, k, draw) for _ in range(SETS)])
            floors = []
            for sets in (uniform, adaptive):
                inform = on_weights(summed(informations(sets, s, weights, noise), 1 / len(sets)))
                floors.append(best_ridge(inform, s, weights, m))
            of_sets = informations(np.concatenate([uniform, adaptive]), s, weights, noise)
            floors.append(min(optimal(of_sets, s, weights, m, args.steps), *floors))
            found.append({"k": k, "adaptive": floors[1] / floors[0], "A": floors[2] / floors[1]})
            print(f"{path.name.split('.')[0]:<20}{m:>6}{d:>6}{k:>3}" + "".join(f"{of:>10.5f}" for of in floors)
                  + f"{found[-1]['adaptive']:>12.2f}{found[-1]['A']:>12.2f}", flush=True)  # fmt: skip
    for name, of in (("adaptive over uniform", "adaptive"), ("A over adaptive", "A")):
        ratios = pd.DataFrame(found)[of]
        print(f"{name}: {np.exp(np.log(ratios).mean()):.2f} in the geometric mean, from {ratios.min():.2f} to {ratios.max():.2f}")


if __name__ == "__main__":
    main()
