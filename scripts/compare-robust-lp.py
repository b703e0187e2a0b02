#!/usr/bin/env python3
"""Solves the robust linear program by HiGHS, to compare objective and time with robust-lp.

    cargo bench -p halfseen-io --bench robust_lp -- MNIST rows=1000 csv=rows.csv
    scripts/compare-robust-lp.py rows.csv --threat 10 [--methods highs-ipm,highs-ds] [--limit SECONDS] [--tol 1e-8]

A line of the CSV is a label (-1 or +1) and the cells of a row. Values are 1, the margin is a hundredth of P, the box 1. Zeros are
eliminated: where a cell is 0 its alpha is (lambda + gamma/P) v. Needs numpy and scipy; one thread is used.
"""
import argparse
import time

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_matrix


def program(labels, cells, threat, share):
    """min c'z with A z <= b for z = (w, b, xi, lambda, alpha of the cells that are not 0)."""
    m, n = cells.shape
    left, rate = n - threat, share
    rows, columns = np.nonzero(cells)
    count = len(rows)
    zeros = n - np.bincount(rows, minlength=m)
    w, b, xi, lam, alpha = 0, n, n + 1, n + 1 + m, n + 1 + 2 * m
    i, k = np.arange(m), np.arange(count)
    entries = [
        # -(P - zeros) lambda + sum alpha - y b - xi <= -zeros gamma/P
        (i, lam + i, -(left - zeros).astype(float)),
        (rows, alpha + k, np.ones(count)),
        (i, np.full(m, b), -labels),
        (i, xi + i, -np.ones(m)),
        # lambda - alpha - y w x <= -gamma/P
        (m + k, lam + rows, np.ones(count)),
        (m + k, alpha + k, -np.ones(count)),
        (m + k, w + columns, -labels[rows] * cells[rows, columns]),
    ]
    at = [np.concatenate([entry[part] for entry in entries]) for part in range(3)]
    a = coo_matrix((at[2], (at[0], at[1])), shape=(m + count, alpha + count)).tocsr()
    right = np.concatenate([-zeros * rate, np.full(count, -rate)])
    cost = np.zeros(alpha + count)
    cost[xi:lam] = 1 / m
    bounds = [(-1, 1)] * n + [(None, None)] + [(0, None)] * (2 * m + count)
    return cost, a, right, bounds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("csv")
    parser.add_argument("--threat", type=float, default=10)
    parser.add_argument("--share", type=float, default=0.01, help="gamma / P")
    parser.add_argument("--methods", default="highs-ipm,highs-ds")
    parser.add_argument("--limit", type=float, default=3600, help="seconds")
    parser.add_argument("--tol", type=float, default=1e-7)
    args = parser.parse_args()
    table = np.loadtxt(args.csv, delimiter=",", ndmin=2)
    cost, a, right, bounds = program(table[:, 0], table[:, 1:], args.threat, args.share)
    print(f"{len(table)} rows, {a.shape[1]} variables, {a.shape[0]} constraints, {a.nnz} coefficients")
    for method in args.methods.split(","):
        options = {"time_limit": args.limit, "primal_feasibility_tolerance": args.tol, "dual_feasibility_tolerance": args.tol}
        if method == "highs-ipm":
            options["ipm_optimality_tolerance"] = args.tol
        wall, cpu = time.time(), time.process_time()
        found = linprog(cost, a, right, bounds=bounds, method=method, options=options)
        wall, cpu = time.time() - wall, time.process_time() - cpu
        print(f"{method}: objective {found.fun}, {cpu:.2f} CPU s, {wall:.2f} s, {found.nit} iterations, {found.message}", flush=True)


main()
