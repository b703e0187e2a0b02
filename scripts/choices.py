#!/usr/bin/env python3
"""Compare the learner that `halfseen fit` takes where none is named with the other learners of the same moment.

    scripts/choices.py PROGRAM TABLE... [--splits 2] [--seconds 120] [--out FILE]

A table is a CSV file (.csv or .csv.gz) with the target in the column `target`, or else in the last. Each split draws at most
1,000 training and 1,000 test rows. Six settings: 2, 4 or 8 attributes of each training row may be read; 30 % of
the attributes' cells are hidden, in training and test rows; the table as it came; and 3 attributes of each
test row deleted by an adversary who knows the model. `auto` is `fit` without --learner, the others
are fitted with --tune 5, which for budgeted learners reads more than the budget allows. Errors are the mean squared error, or
for classes the share of wrong rows, both over those of a constant (the mean or the most frequent class of the training rows) on
the same rows. A fit of more than --seconds is given up: as `auto` it counts as infinitely bad. With --out, what the file holds
is not computed again. Needs nothing but Python.
"""

import argparse
import csv
import gzip
import json
import math
import pathlib
import random
import statistics
import subprocess
import tempfile
import time

MOST = 1000
EMPTY = ("", "NA", "NaN", "?")
HATS = ("--basis", "hats")
LIMITED = ["fiml", "aerr", "aelr", "ddaelr-2p", "ddaerr-2p", "baseline"]
SEEN = ["ridge", "lasso", "karma", "mean", "fiml"]
HOLED = ["karma", "mean", "mcb", "mc1", "fiml"]
THREATENED = ["robust-lp", "robust-perceptron", "ridge"]
THREAT = 3


def settings() -> dict[str, tuple[list[str], list[tuple[str, tuple[str, ...]]]]]:
    """Return for each setting the flags of `fit`, and the learners with flags of their own."""
    found = {f"{k} reads": (["--budget", str(k)], [(name, ()) for name in LIMITED]) for k in (2, 4, 8)}
    curved = [(name, HATS) for name in ("ridge", "lasso", "karma", "mean")]
    found["30 % hidden"] = ([], [(name, ()) for name in HOLED] + curved[2:])
    # auto, and learners that take no missing cells; the others take them as they are.
    found["as it came"] = (["--missing", "mean"], [(name, ()) for name in SEEN] + curved)
    found["threat"] = ([], [(name, ()) for name in THREATENED])
    return found


def load(path: pathlib.Path) -> tuple[list[str], list[list[str]]]:
    """Return the header, with the target last and called so, and the rows that have a target."""
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", newline="") as file:
        header, *rows = csv.reader(file)
    at = header.index("target") if "target" in header else len(header) - 1
    last = [*range(at), *range(at + 1, len(header)), at]
    rows = [[row[j] for j in last] for row in rows if row and row[at] not in EMPTY]
    return [*(header[j] for j in last[:-1]), "target"], rows


def is_number(rows: list[list[str]]) -> bool:
    """Return True if targets are numbers, of more than 20 values or not whole."""
    try:
        values = {float(row[-1]) for row in rows}
    except ValueError:
        return False
    return len(values) > 20 or any(not value.is_integer() for value in values)


def hidden(rows: list[list[str]], draw: random.Random) -> list[list[str]]:
    """Return the rows with 30 % of the attributes' cells hidden."""
    return [[*("" if draw.random() < 0.3 else cell for cell in row[:-1]), row[-1]] for row in rows]


def write(path: pathlib.Path, header: list[str], rows: list[list[str]]) -> None:
    """Write a table."""
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([header, *rows])


def constant(train: list[list[str]], test: list[list[str]], numbers: bool) -> float:
    """Return the error of a constant on test rows."""
    if numbers:
        mean = statistics.fmean(float(row[-1]) for row in train)
        return statistics.fmean((float(row[-1]) - mean) ** 2 for row in test)
    most = statistics.mode(row[-1] for row in train)
    return statistics.fmean(row[-1] != most for row in test)


def fitted(args, folder: pathlib.Path, flags: list[str], numbers: bool, threat: bool) -> dict:
    """Fit and evaluate; return the error, the seconds and, for `auto`, the learner that was taken."""
    model = folder / "model.json"
    task = ["--target", "target", "--task", "regression" if numbers else "classification"]
    began = time.monotonic()
    try:
        command = [args.program, "fit", folder / "train.csv", *task, *flags, "--out", model, "--json"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=args.seconds)
    except subprocess.TimeoutExpired:
        return {"error": None, "why": f"more than {args.seconds} s"}
    if done.returncode:
        return {"error": None, "why": done.stderr.strip().splitlines()[-1][:200]}
    found = {"seconds": round(time.monotonic() - began, 2)}
    taken = json.loads(done.stdout).get("suggestion")
    if taken:
        found["taken"] = " ".join([taken["learner"], *(f"{n}={v}" for n, v in taken["set"]), taken["basis"]])
    attacks = [["--threat", str(THREAT), "--attack", "exact"]] if threat else [[]]
    for attack in attacks:
        command = [args.program, "evaluate", model, folder / "test.csv", *attack, "--json"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=args.seconds)
        except subprocess.TimeoutExpired:
            return {"error": None, "why": f"evaluating took more than {args.seconds} s"}
        if done.returncode:
            return {"error": None, "why": done.stderr.strip().splitlines()[-1][:200]}
        found["error"] = error_of(json.loads(done.stdout), numbers, threat)
    return found


def error_of(shown: dict, numbers: bool, threat: bool) -> float | None:
    """Return the error in the output of `evaluate --json`."""
    if threat:
        shown = shown["attacks"][-1]
    return shown["mse" if numbers else "error"]


def one(args, path: pathlib.Path, setting: str, split: int, done: dict) -> None:
    """Compute what is not there yet of a table, a setting and a split."""
    header, rows = load(path)
    numbers = is_number(rows)
    draw = random.Random(f"{path.name} {split}")
    draw.shuffle(rows)
    train = rows[: min(MOST, len(rows) * 3 // 4)]
    test = rows[len(train) : len(train) + MOST]
    flags, learners = settings()[setting]
    if flags[:1] == ["--budget"] and int(flags[1]) >= len(header) - 1:
        return
    if setting == "30 % hidden":
        train, test = hidden(train, draw), hidden(test, draw)
    threat = setting == "threat"
    learners = [("auto", ()), *learners]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write(folder / "train.csv", header, train)
        write(folder / "test.csv", header, test)
        for learner, more in learners:
            called = " ".join([learner, *more[1:]])
            key = f"{path.name.split('.')[0]}|{setting}|{split}|{called}"
            if key in done:
                continue
            own = [*more] if learner in HOLED else [*flags, *more]
            if threat and learner in ("auto", "robust-lp", "robust-perceptron"):
                own += ["--threat", str(THREAT)] if learner == "auto" else ["--set", f"threat={THREAT}"]
            if learner != "auto":
                own += ["--learner", learner, *(["--tune", "5"] if learner != "fiml" else [])]
            found = fitted(args, folder, own, numbers, threat)
            nothing = constant(train, test, numbers)
            if found["error"] is not None:
                found["error"] /= nothing
            done[key] = found
            if args.out:
                args.out.write_text(json.dumps(done, indent=1))


def report(done: dict) -> None:
    """Print the cells, and what `auto` comes to in all."""
    cells: dict[tuple[str, str], dict[str, list]] = {}
    for key, found in done.items():
        table, setting, _, learner = key.split("|")
        cells.setdefault((table, setting), {}).setdefault(learner, []).append(found)
    print("| table | setting | taken | auto | best | of | ratio |\n|---|---|---|--:|--:|---|--:|")
    ratios, worse = [], []
    for (table, setting), of in sorted(cells.items(), key=lambda cell: (cell[0][1], cell[0][0])):
        means = {
            name: statistics.fmean(found["error"] for found in runs)
            for name, runs in of.items()
            if all(found["error"] is not None for found in runs)
        }
        if "auto" not in of or len(means) < 2:
            continue
        auto = means.get("auto", math.inf)
        best = min(means, key=lambda name: (means[name], name != "auto"))
        ratio = auto / means[best] if means[best] > 0 else (1.0 if auto == 0 else math.inf)
        ratios.append(ratio)
        if auto > 1:
            worse.append(f"{table}, {setting}: {auto:.3f}")
        taken = of["auto"][0].get("taken", of["auto"][0].get("why", ""))
        print(f"| {table} | {setting} | {taken} | {auto:.3f} | {means[best]:.3f} | {best} | {ratio:.2f} |")
    quartile = statistics.quantiles(ratios, n=4)[2] if len(ratios) > 1 else math.nan
    print(
        f"\n{len(ratios)} cells: auto has the least error in {sum(ratio <= 1 for ratio in ratios)}; its error over the least"
        f" is {statistics.median(ratios):.3f} in the median, {quartile:.2f} in the upper quartile."
    )
    print("worse than a constant: " + ("; ".join(worse) or "never"))


def main() -> None:
    """Compute and report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("tables", nargs="*", type=pathlib.Path)
    parser.add_argument("--splits", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--settings", type=lambda text: text.split(","), default=list(settings()))
    parser.add_argument("--out", type=pathlib.Path)
    args = parser.parse_args()
    done = json.loads(args.out.read_text()) if args.out and args.out.exists() else {}
    for split in range(args.splits):
        for path in args.tables:
            for setting in args.settings:
                one(args, path, setting, split, done)
    report(done)


if __name__ == "__main__":
    main()
