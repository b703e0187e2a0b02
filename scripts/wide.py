#!/usr/bin/env python3
"""Compare learners of holes on wide tables: errors and seconds from which `fit` knows up to what size it takes `fiml`.

    scripts/wide.py PROGRAM DATA NAME:ROWS... [--splits 1] [--methods NAME...] [--out FILE]

NAME is a table of the folder DATA (.csv or .csv.gz, the target in the column `target` or else in the last). With `/texts` its
attributes are categories; with `/logs` they are doubled, to their logarithms and whether they are above 0. Or it is made:
digits-A-B and digits-A-B-small are two digits of DATA/mnist with 28 or 14 pixels a side, digits-small all ten of them; factors-D
has D columns of ten factors and noise, series-D has columns of which each is .9 of the one before, and noise.

ROWS rows, two thirds at most, are learned from, and 1,000 others at most are the test; 30 % of the attributes' cells are hidden in
both. The error is squared over that of the mean, of classes the misclassified share; seconds are the processor's, on one
thread. With --out, what the file holds is not computed again. Needs NumPy and pandas.
"""

import argparse
import gzip
import json
import os
import pathlib
import resource
import subprocess
import tempfile

import numpy as np
import pandas as pd

TUNED = ("--tune", "5")
METHODS = {
    "fiml": (),
    "mc1": TUNED,
    "karma": TUNED,
    "karma, sketch": ("--set", "features=sketch:2048", *TUNED),
    "mean": TUNED,
}


def images(folder, kinds, small):
    """Return the first images of some digits, with the pixels that are not nearly always white."""

    def read(name, skipped):
        with gzip.open(folder / f"train-{name}-ubyte.gz") as file:
            return np.frombuffer(file.read()[skipped:], np.uint8)

    pixels, labels = read("images-idx3", 16).reshape(-1, 28, 28), read("labels-idx1", 8)
    chosen = np.flatnonzero(np.isin(labels, kinds))[:6000]
    pixels = pixels[chosen] / 255
    if small:
        pixels = pixels.reshape(-1, 14, 2, 14, 2).mean((2, 4))
    pixels = pixels.reshape(len(chosen), -1)
    pixels = pixels[:, (pixels > 0).mean(0) > 0.02]
    return pixels.round(4), np.array([f"digit {label}" for label in labels[chosen]])


def drawn(kind, columns):
    """Return 3,000 rows of correlated normal numbers, and a target that they tell in part."""
    draw = np.random.default_rng(5)
    noise = draw.normal(size=(3000, columns))
    if kind == "factors":
        factors = draw.normal(size=(3000, 10))
        cells = factors @ draw.normal(size=(10, columns)) + 2 * noise
        target = factors[:, 0] + factors[:, 1]
    else:
        cells = noise
        for j in range(1, columns):
            cells[:, j] = 0.9 * cells[:, j - 1] + (1 - 0.81) ** 0.5 * noise[:, j]
        target = cells[:, ::7] @ draw.normal(size=len(range(0, columns, 7)))
        target /= target.std()
    return cells.round(4), target + 0.5 * draw.normal(size=3000)


def load(name, folder):
    """Return the cells, empty where they are missing, and the target."""
    kind, *parts = name.split("-")
    if kind == "digits":
        return images(folder / "mnist", [int(p) for p in parts if p != "small"] or range(10), "small" in parts)
    if kind in ("factors", "series"):
        return drawn(kind, int(parts[0]))
    texts, logs = name.endswith("/texts"), name.endswith("/logs")
    stem = name.removesuffix("/texts").removesuffix("/logs")
    path = next(p for p in (folder / f"{stem}.csv.gz", folder / f"{stem}.csv") if p.exists())
    table = pd.read_csv(path, na_values="?")
    table = table.dropna(subset=["target" if "target" in table else table.columns[-1]])
    target = table.pop("target" if "target" in table else table.columns[-1]).to_numpy()
    if texts:
        table = table.map(lambda cell: cell if pd.isna(cell) else f"is {cell}")
    if logs:
        table = pd.concat([np.log1p(table).round(4), (table > 0).astype(int)], axis=1)
    if len(set(target)) == 2:
        target = np.array([f"class {label}" for label in target])
    return table.astype(object).where(table.notna(), "").to_numpy(), target


def measured(program, method, folder, target):
    """Fit and predict; return the error and the seconds of the fit."""
    files = [folder / name for name in ("train.csv", "test.csv", "model.json", "predictions.csv")]
    train, test, model, predictions = map(str, files)
    learner = method.partition(",")[0]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    fit = [program, "fit", train, "--target", "target", "--learner", learner, *METHODS[method], "--out", model]
    subprocess.run(fit, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    subprocess.run([program, "predict", model, test, "--out", predictions], check=True, capture_output=True)
    found = pd.read_csv(predictions)["prediction"].to_numpy()
    files[2].unlink()
    files[3].unlink()
    trained, wanted = target
    if isinstance(wanted[0], str):
        error = (found != wanted).mean()
    else:
        error = ((found - wanted) ** 2).mean() / ((trained.mean() - wanted) ** 2).mean()
    return {"error": round(float(error), 4), "seconds": round(seconds, 1)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("tables", nargs="+", metavar="NAME:ROWS")
    parser.add_argument("--splits", type=int, default=1)
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=METHODS)
    parser.add_argument("--out", type=pathlib.Path)
    args = parser.parse_args()
    os.environ["RAYON_NUM_THREADS"] = "1"
    done = json.loads(args.out.read_text()) if args.out and args.out.exists() else {}
    for given in args.tables:
        name, rows = given.rsplit(":", 1)
        cells, target = load(name, args.data)
        for split in range(args.splits):
            draw = np.random.default_rng(1000 * split + int(rows))
            order = draw.permutation(len(cells))
            count = min(int(rows), len(cells) * 2 // 3)
            shown = cells.astype(object)
            shown[draw.random(cells.shape) < 0.3] = ""
            parts = order[:count], order[count : count + 1000]
            with tempfile.TemporaryDirectory() as folder:
                folder = pathlib.Path(folder)
                for file, part in zip(("train.csv", "test.csv"), parts, strict=True):
                    table = pd.DataFrame(shown[part], columns=[f"x{j}" for j in range(cells.shape[1])])
                    table.assign(target=target[part]).to_csv(folder / file, index=False)
                for method in args.methods:
                    key = f"{given} {split} {method}"
                    if key not in done:
                        done[key] = measured(args.program, method, folder, [target[part] for part in parts])
                        print(f"{key}, {cells.shape[1]} attributes: {done[key]}", flush=True)
                        if args.out:
                            args.out.write_text(json.dumps(done, indent=1))


if __name__ == "__main__":
    main()
