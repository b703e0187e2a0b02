#!/usr/bin/env python3
"""Measure time and memory of tables that do not fit into memory.

    scripts/large.py PROGRAM FOLDER [--rows 50000000] [--wide 200000] [--python]

Writes to FOLDER, unless they are there, a CSV file of --rows rows of 4 numbers and a target, and a Parquet file of
--wide rows of 200 columns; then runs the program on them, and prints seconds and the largest memory of each command.
With --python also a loop of scikit-learn's SGDRegressor.partial_fit over pandas, and halfseen and dask-ml's
Incremental on one and two workers of Dask. Needs NumPy and PyArrow, with --python also halfseen, pandas, scikit-learn,
distributed and dask-ml.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import time

CHUNK = 1_000_000
NAMES = ["a", "b", "c", "d", "y"]


def drawn(rows: int, seed: int, columns: int = 4):
    """Return rows of attributes and a target, with two decimals."""
    import numpy as np

    rng = np.random.default_rng(seed)
    X = rng.integers(-300, 301, size=(rows, columns)) / 100
    y = X[:, 0] - 0.5 * X[:, 1] + np.round(rng.normal(size=rows), 2)
    return np.column_stack([X, y])


def write(long: pathlib.Path, broad: pathlib.Path, rows: int, wide: int) -> None:
    """Write both files, if they are not there."""
    import pyarrow as pa
    from pyarrow import csv, parquet

    if not long.exists():
        schema = pa.schema([(name, pa.float64()) for name in NAMES])
        with csv.CSVWriter(long, schema) as out:
            for seed, start in enumerate(range(0, rows, CHUNK)):
                cells = drawn(min(CHUNK, rows - start), seed)
                out.write(pa.table(list(cells.T.round(2)), schema=schema))
    if not broad.exists():
        names = [f"x{j}" for j in range(199)] + ["y"]
        schema = pa.schema([(name, pa.float64()) for name in names])
        with parquet.ParquetWriter(broad, schema) as out:
            for seed, start in enumerate(range(0, wide, 50_000)):
                cells = drawn(min(50_000, wide - start), seed, 199)
                out.write_table(pa.table(list(cells.T), schema=schema))


def run(what: str, command: list[str], rows: int) -> None:
    """Run a command; print its time, its largest memory and the rows of a second."""
    began = time.perf_counter()
    with open(os.devnull, "w") as nowhere:
        child = subprocess.Popen(command, stdout=nowhere, stderr=subprocess.PIPE, text=True)
    said = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - began
    if status:
        sys.exit(f"{what}: {' '.join(command)}\n{said}")
    print(
        f"| {what} | {seconds:.1f} s | {usage.ru_maxrss / 1000:.0f} MB | {rows / seconds / 1e6:.2f} million |",
        flush=True,
    )


LOOP = """
import sys, numpy as np, pandas as pd
from sklearn.linear_model import SGDRegressor
model = SGDRegressor()
for rows in pd.read_csv(sys.argv[1], chunksize=500_000):
    X = rows.to_numpy()
    model.partial_fit(X[:, :-1], X[:, -1])
"""
STREAM = """
import sys, pandas as pd, halfseen
halfseen.fit_stream(pd.read_csv(sys.argv[1], chunksize=500_000), "y")
"""
DASK = """
import sys, distributed, dask, halfseen, halfseen.dask, pandas as pd, numpy as np
def part(seed):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(200_000, 60)), columns=[f"x{j}" for j in range(60)])
    return X.assign(y=X["x0"] + rng.normal(size=len(X)))
if __name__ == "__main__":
    workers = int(sys.argv[1])
    with distributed.LocalCluster(n_workers=workers, threads_per_worker=1, memory_limit="1GiB", dashboard_address=None) as own:
        with distributed.Client(own) as client:
            client.gather(client.map(part, range(100, 102)))
            import time
            began = time.perf_counter()
            parts = [dask.delayed(part)(seed) for seed in range(40)]
            if sys.argv[2] == "halfseen":
                halfseen.dask.fit(halfseen.Partial("ridge", "y"), parts, client)
            else:
                import dask.array as da
                from dask_ml.wrappers import Incremental
                from sklearn.linear_model import SGDRegressor
                blocks = [da.from_delayed(dask.delayed(pd.DataFrame.to_numpy)(one), (200_000, 61), float) for one in parts]
                rows = da.concatenate(blocks)
                Incremental(SGDRegressor()).fit(rows[:, :-1], rows[:, -1])
            print(time.perf_counter() - began)
"""


def main() -> None:
    """Write the files, and measure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("program")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--rows", type=int, default=50_000_000)
    parser.add_argument("--wide", type=int, default=1_000_000)
    parser.add_argument("--python", action="store_true")
    parser.add_argument("--write", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    long, broad = args.folder / f"rows-{args.rows}.csv", args.folder / f"wide-{args.wide}.parquet"
    if args.write:
        return write(long, broad, args.rows, args.wide)
    # In a process of its own: the memory of this one would count as that of its children.
    subprocess.run([sys.executable, *sys.argv, "--write"], check=True)
    print(
        f"{long.name}: {long.stat().st_size / 1e9:.2f} GB; {broad.name}: {broad.stat().st_size / 1e9:.2f} GB"
    )
    print("| command | time | largest memory | rows of a second |\n|---|--:|--:|--:|")
    sums, model = args.folder / "sums.hsp", args.folder / "model.json"
    fit = [args.program, "fit", str(long), "--target", "y", "--learner", "ridge", "--quiet"]
    run("`fit --partial`", [*fit, "--partial", str(sums)], args.rows)
    run("`merge`", [args.program, "merge", str(sums), "--out", str(model), "--quiet"], args.rows)
    run("`predict`", [args.program, "predict", str(model), str(long), "--quiet"], args.rows)
    run("`evaluate`", [args.program, "evaluate", str(model), str(long), "--quiet"], args.rows)
    few, many = args.folder / "few.hsp", args.folder / "many.hsp"
    names = ",".join(f"x{j}" for j in range(4, 199))
    wide = [args.program, "fit", str(broad), "--target", "y", "--learner", "ridge", "--quiet"]
    run(
        "`fit --partial`, 4 of 200 columns of Parquet",
        [*wide, "--ignore", names, "--partial", str(few)],
        args.wide,
    )
    run("the same, all 200", [*wide, "--partial", str(many)], args.wide)
    small, large = args.folder / "few.json", args.folder / "many.json"
    run("`merge`, 4 columns", [args.program, "merge", str(few), "--out", str(small), "--quiet"], args.wide)
    run("`merge`, 200 columns", [args.program, "merge", str(many), "--out", str(large), "--quiet"], args.wide)
    run(
        "`predict`, 4 of 200 columns", [args.program, "predict", str(small), str(broad), "--quiet"], args.wide
    )
    run("the same, all 200", [args.program, "predict", str(large), str(broad), "--quiet"], args.wide)
    if args.python:
        for what, code in (("pandas, `SGDRegressor.partial_fit`", LOOP), ("pandas, `fit_stream`", STREAM)):
            run(what, [sys.executable, "-c", code, str(long)], args.rows)
        script = args.folder / "workers.py"
        script.write_text(DASK)
        for what in ("halfseen", "dask-ml"):
            for workers in ("1", "2", "1", "2"):
                said = subprocess.run(
                    [sys.executable, str(script), workers, what], capture_output=True, text=True, check=True
                )
                print(f"Dask, {what}, {workers} worker(s): {float(said.stdout.split()[-1]):.1f} s", flush=True)


if __name__ == "__main__":
    main()
