#!/usr/bin/env python3
"""Compare fiml with what a user would pick instead, on the same few reads of tables.

    scripts/sight.py PROGRAM TABLE... [--budgets 2,4,8] [--splits 3] [--set NAME=VALUE] [--times] [--lavaan] [--out FILE]

A table is a CSV file (.csv or .csv.gz) with the target in the column `target`, or else in the last; columns that are no numbers
or have holes are left out. Two classes count as -1 and 1; of more, the most frequent one counts as 1 and the others as -1. Each
split draws a fifth of the rows, at most 1,500, for tests; of at most 4,000 others k attributes are read, all sets equally likely.
Errors are squared, over the variance of the training targets, on complete test rows. Budgets above the number of attributes are
left out. Needs scikit-learn and pandas. With --out, what the file holds is not computed again.

ridge, additive   on all attributes of the training rows: what reading everything gives (ridge of the attributes,
                  and of splines of them)
fiml              PROGRAM's fiml with shape=linear on the same reads, as missing values
curves            the same with shape=auto
own reads         fiml with shape=linear and a budget of k, which chooses what to read
norm              the Gaussian of greatest likelihood by expectation maximisation, as R's norm computes it, with 5
                  pseudo-examples; ridge .03; attributes clipped at their outer .5 % quantiles
hgb               scikit-learn's HistGradientBoosting with its defaults
lavaan            with --lavaan: full information maximum likelihood by R's lavaan, sem(missing = "fiml", fixed.x = FALSE) of the
                  target on all attributes; at most 25 attributes, at least 10 joint reads per pair, --lavaan-seconds of
                  CPU time, the first --lavaan-splits splits; the target standardised. Set it up on Debian by
                  `apt-get install --no-install-recommends r-cran-lavaan`

--times prints the CPU seconds of each method: of fiml those of the program's `fit`, reading its file included; of lavaan
those of sem() alone. Its column has every fit that ends, the summary those that converged. After the tables, a summary says
where one method is worse than another by more than two standard errors of their paired difference over the splits, how often
fiml's intervals of 90 % contain the target (on complete test rows, and with each cell removed with probability a half), and
how far fiml's own test is from the error on test rows, in its standard errors.
"""

import argparse
import json
import os
import pathlib
import resource
import shutil
import subprocess
import tempfile
import time

# Threads that wait for one another burn CPU seconds, so that BLAS and boosting have one, unless the caller says otherwise.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np
import pandas as pd
from sight_methods import boosted, everything, lavaan, norm
from sight_summary import summary

METHODS = ["ridge", "additive", "fiml", "curves", "own reads", "norm", "hgb"]
OURS = ["fiml", "curves", "own reads"]
SHARE = 0.9


def load(path: pathlib.Path) -> tuple[np.ndarray, np.ndarray]:
    """Return attributes without holes, and the target."""
    table = pd.read_csv(path)
    y = table.pop("target" if "target" in table else table.columns[-1])
    if y.nunique() == 2:
        y = (y == sorted(y.unique())[1]) * 2 - 1
    elif not pd.api.types.is_numeric_dtype(y):
        y = (y == y.value_counts().index[0]) * 2 - 1
    x = table.select_dtypes("number")
    return x.loc[:, x.notna().all()].to_numpy(float), y.to_numpy(float)


def write(path: pathlib.Path, x: np.ndarray, y: np.ndarray) -> None:
    """Write a table for the program."""
    frame = pd.DataFrame(x, columns=[f"x{j}" for j in range(x.shape[1])])
    frame.assign(target=y).to_csv(path, index=False)


def spent() -> float:
    """Return the CPU seconds of this process and of those it waited for."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def by_program(program: str, folder: pathlib.Path, flags: list[str], settings: list[str], y: np.ndarray) -> dict[str, float]:
    """Return what fiml comes to on the test rows, whose targets are `y`: in the target's own units.

    The CPU seconds, the error as it is and unclipped with their standard errors, the shares of the intervals that contain the
    target, the own test and its standard error (none where it prints none).
    """
    model = folder / "model.json"
    fit = [program, "fit", folder / "train.csv", "--target", "target", "--task", "regression", "--learner", "fiml"]
    for setting in settings:
        flags = [*flags, "--set", setting]
    before = spent()
    subprocess.run([*fit, *flags, "--out", model, "--quiet"], check=True, capture_output=True)
    found = {"seconds": spent() - before}

    def predicted(rows: str, *flags: str) -> pd.DataFrame:
        out = folder / "predicted.csv"
        command = [program, "predict", model, folder / rows, *flags, "--out", out, "--quiet"]
        subprocess.run(command, check=True, capture_output=True)
        return pd.read_csv(out)

    shown, halved = (predicted(rows, "--interval", str(SHARE)) for rows in ("test.csv", "halved.csv"))
    for name, of in (("covered", shown), ("covered, halved", halved)):
        found[name] = float(((of["low"] <= y) & (y <= of["high"])).mean())
    for name, of in (("error", shown), ("unclipped", predicted("test.csv", "--no-clip"))):
        squares = (of["prediction"] - y) ** 2
        found[name], found[f"{name}, standard error"] = float(squares.mean()), float(squares.sem())
    saved = json.loads(model.read_text())
    # The report is in the units of learning.
    unit = saved["prepare"]["target"]["deviation"] ** 2
    for name, key in (("own test", "risk"), ("own error", "risk_error")):
        value = saved["report"].get(key)
        found[name] = np.nan if value is None else unit * value
    return found


class Split:
    """Training and test rows of one split of a table, and what is learned from all their attributes."""

    def __init__(self, path: pathlib.Path, number: int) -> None:
        x, y = load(path)
        self.number, self.total = number, len(y)
        order = np.random.default_rng([number, 7]).permutation(len(y))
        size = min(max(len(y) // 5, 30), 1500)
        test, train = order[:size], order[size : size + 4000]
        scale = x[train].std(axis=0)
        x = (x - x[train].mean(axis=0)) / np.where(scale > 0, scale, 1.0)
        self.x, self.y, self.shown, self.target = x[train], y[train], x[test], y[test]
        self.classes = int(len(np.unique(y)) == 2)
        self.found: dict[str, object] = {}
        for name, of in everything().items():
            self.take(name, lambda of=of: of.fit(self.x, self.y).predict(self.shown), self.found)

    def take(self, name: str, predict, found: dict[str, object]) -> None:
        """Note the error and the CPU seconds of a method."""
        before = spent()
        predicted = np.clip(predict(), self.y.min(), self.y.max())
        found[f"{name} seconds"] = spent() - before
        found[name] = float(np.mean((predicted - self.target) ** 2) / self.y.var())

    def cell(self, args: argparse.Namespace, k: int) -> dict[str, object]:
        """Return the errors of all methods with k reads of each row, and what else is known of them."""
        d = self.x.shape[1]
        draw = np.random.default_rng([self.number, 7])
        draw.permutation(self.total)
        seen = np.full(self.x.shape, np.nan)
        for at in range(len(seen)):
            read = draw.choice(d, k, replace=False)
            seen[at, read] = self.x[at, read]
        found = {"classes": self.classes, **self.found}
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)

            def written(name: str, x: np.ndarray, y: np.ndarray) -> None:
                write(folder / name, x, y)

            halved = np.where(np.random.default_rng([self.number, 11]).random(self.shown.shape) < 0.5, np.nan, self.shown)
            written("test.csv", self.shown, self.target)
            written("halved.csv", halved, self.target)
            for method in OURS:
                own = method == "own reads"
                written("train.csv", self.x if own else seen, self.y)
                flags = ["--budget", str(k), "--seed", str(self.number)] if own else []
                settings = ["shape=auto" if method == "curves" else "shape=linear", *args.set]
                of = by_program(args.program, folder, flags, settings, self.target)
                for what in of.keys() - {"seconds", "covered", "covered, halved"}:
                    of[what] /= self.y.var()
                found[method] = of.pop("error")
                found |= {f"{method} {what}": value for what, value in of.items()}
            # Of attributes of which one value or none was read nothing is known.
            low, high = np.where(np.isnan(seen), np.inf, seen).min(axis=0), np.where(np.isnan(seen), -np.inf, seen).max(axis=0)
            seen, shown = seen[:, low < high], self.shown[:, low < high]
            self.take("norm", lambda: norm(seen, self.y, shown), found)
            self.take("hgb", lambda: boosted(seen, self.y, shown), found)
            if args.lavaan and self.number < args.lavaan_splits:
                fit = lavaan(folder, args.lavaan_seconds, written, seen, self.y, shown)
                if fit[0] is not None:
                    self.take("lavaan", lambda: fit[0], found)
                found["lavaan fit"], found["lavaan seconds"] = fit[1:]  # Not those of reading its predictions.
        return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("tables", type=pathlib.Path, nargs="+")
    parser.add_argument("--budgets", default="2,4,8")
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--set", action="append", default=[], help="parameter of fiml, as name=value")
    parser.add_argument("--times", action="store_true", help="print the CPU seconds of each method too")
    parser.add_argument("--lavaan", action="store_true", help="fit by R's lavaan too, where it is feasible")
    parser.add_argument("--lavaan-seconds", type=int, default=120, help="CPU seconds that a fit by lavaan may take (default 120)")
    parser.add_argument("--lavaan-splits", type=int, default=2, help="splits that lavaan is run on, the first ones (default 2)")
    parser.add_argument("--out", type=pathlib.Path, help="CSV file for each split; what it holds is not computed again")
    args = parser.parse_args()
    if args.lavaan and shutil.which("Rscript") is None:
        parser.error("--lavaan needs Rscript: apt-get install --no-install-recommends r-cran-lavaan")
    methods = [*METHODS, *(["lavaan"] if args.lavaan else [])]
    rows = []
    if args.out and args.out.exists():
        rows = pd.read_csv(args.out).to_dict("records")
    kept = {(row["table"], row["k"], row["split"]): row for row in rows}

    def line(name: str, k: int | str, values: list[float], digits: int) -> None:
        print(f"{name:<20}{k:>3}" + "".join(f"{value:>11.{digits}f}" for value in values), flush=True)

    print(f"{'table':<20}{'k':>3}" + "".join(f"{name:>11}" for name in methods))
    cells = []
    for path in args.tables:
        name, columns, splits = path.name.split(".")[0], load(path)[0].shape[1], {}
        for k in (k for k in map(int, args.budgets.split(",")) if k <= columns):
            of = []
            for number in range(args.splits):
                if (name, k, number) not in kept:
                    splits[number] = splits.get(number) or Split(path, number)
                    kept[name, k, number] = {"table": name, "k": k, "split": number} | splits[number].cell(args, k)
                    if args.out:
                        pd.DataFrame(kept.values()).to_csv(args.out, index=False)
                of.append(kept[name, k, number])
            cells += of
            means = pd.DataFrame(of).reindex(columns=[*methods, *(f"{method} seconds" for method in methods)]).mean()
            line(name, k, list(means[methods]), 3)
            if args.times:
                line("  CPU seconds", "", list(means[len(methods) :]), 2)
    print(summary(pd.DataFrame(cells), args.lavaan))


if __name__ == "__main__":
    main()
