#!/usr/bin/env python3
"""Compare fiml from few pixels with ridge regression on all pixels, on the 45 pairs of digits.

    scripts/digit_pairs.py PROGRAM MNIST [--budget 4] [--pairs 3v5,2v8] [--splits 1] [--seed 0] [--threads 2] [--out FILE]

MNIST is the folder of MNIST as IDX files (scripts/get-mnist.sh gets it). For each pair PROGRAM's `compare` splits all its images
at random, a tenth of them for tests, tunes ridge by three folds inside the training part, and fits fiml, which tunes itself on
its own reads. Errors are squared errors of the test rows against -1/+1. With --out, the pairs that the file holds are not
computed again.
"""

import argparse
import csv
import gzip
import itertools
import json
import pathlib
import statistics
import subprocess
import tempfile
import time

FIELDS = ["pair", "budget", "splits", "seed", "ridge", "fiml", "seconds"]


def elements(path: pathlib.Path, header: int) -> bytes:
    """Return the elements of an IDX file, gzipped or not, behind its header."""
    packed = path.with_name(f"{path.name}.gz")
    return (gzip.decompress(packed.read_bytes()) if packed.exists() else path.read_bytes())[header:]


def write_pair(mnist: pathlib.Path, pair: str, target: pathlib.Path) -> None:
    """Write all images of two digits as CSV, those of the training part first."""
    with target.open("w") as file:
        file.write(",".join([f"p{i}" for i in range(784)] + ["label"]) + "\n")
        for part in ("train", "t10k"):
            pixels = elements(mnist / f"{part}-images-idx3-ubyte", 16)
            for i, label in enumerate(elements(mnist / f"{part}-labels-idx1-ubyte", 8)):
                if str(label) in pair.split("v"):
                    file.write(",".join(map(str, pixels[784 * i : 784 * (i + 1)])) + f",{label}\n")


def compared(args: argparse.Namespace, pair: str) -> dict[str, object]:
    """Return the mean errors of a pair over the splits."""
    began = time.monotonic()
    options = ["--target", "label", "--task", "classification", "--scale", "common", "--learners", "ridge,fiml"]
    options += ["--budget", str(args.budget), "--splits", str(args.splits), "--folds", "3", "--seed", str(args.seed)]
    options += ["--threads", str(args.threads), "--json", "--quiet"]
    with tempfile.TemporaryDirectory() as folder:
        table = pathlib.Path(folder, "pair.csv")
        write_pair(args.mnist, pair, table)
        command = [args.program, "compare", table, *options, "--out", folder]
        done = subprocess.run(command, check=True, capture_output=True)
    found = {one["learner"]: one["test_mse_mean"] for one in json.loads(done.stdout)["summary"]}
    errors = {name: found[name] for name in ("ridge", "fiml")}
    seconds = round(time.monotonic() - began, 1)
    return {"pair": pair, "budget": args.budget, "splits": args.splits, "seed": args.seed, **errors, "seconds": seconds}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("mnist", type=pathlib.Path)
    parser.add_argument("--budget", type=int, default=4)
    parser.add_argument("--pairs", help="pairs of digits as in 3v5,2v8 (default: all 45)")
    parser.add_argument("--splits", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--out", type=pathlib.Path, help="CSV file for the errors; the pairs it holds are not computed again")
    args = parser.parse_args()
    pairs = args.pairs.split(",") if args.pairs else [f"{a}v{b}" for a, b in itertools.combinations(range(10), 2)]
    rows = list(csv.DictReader(args.out.open())) if args.out and args.out.exists() else []
    settings = [str(args.budget), str(args.splits), str(args.seed)]
    kept = {row["pair"]: row for row in rows if [row["budget"], row["splits"], row["seed"]] == settings}
    print(f"{'pair':<6}{'ridge':>9}{'fiml':>9}{'excess':>9}{'seconds':>9}")
    for pair in pairs:
        if pair not in kept:
            kept[pair] = compared(args, pair)
            rows.append(kept[pair])
            if args.out:
                with args.out.open("w", newline="") as file:
                    writer = csv.DictWriter(file, FIELDS)
                    writer.writeheader()
                    writer.writerows(rows)
        ridge, fiml, seconds = (float(kept[pair][name]) for name in ("ridge", "fiml", "seconds"))
        print(f"{pair:<6}{ridge:>9.4f}{fiml:>9.4f}{fiml - ridge:>9.4f}{seconds:>9.1f}", flush=True)
    errors = [[float(kept[pair][name]) for pair in pairs] for name in ("ridge", "fiml")]
    ridge, fiml = (statistics.median(of) for of in errors)
    excess = statistics.median(b - a for a, b in zip(*errors, strict=True))
    worst, place = max(zip(errors[1], pairs, strict=True))
    print(f"medians over {len(pairs)} pairs, k = {args.budget}: ridge {ridge:.4f}, fiml {fiml:.4f}, excess {excess:.4f}; "
          f"largest error of fiml {worst:.4f} ({place})")  # fmt: skip


if __name__ == "__main__":
    main()
