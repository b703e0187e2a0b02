#!/usr/bin/env python3
"""Holds the forecasts of `halfseen study status` against what happens.

    scripts/forecasts.py PROGRAM OUT.csv SEEDS N[,N...] TABLE=TARGET ...

Each table (CSV, gzipped or not) is shuffled by a seed. A study asks for four attributes of each of n
subjects, is asked for its forecasts for 100 and for n subjects more, and then gets them. The error
that it reports then by its own test, and its squared error on up to 2,000 other rows, are written
beside the forecasts. Columns and rows with holes are left out.
"""
import csv
import gzip
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

BUDGET, TESTED = 4, 2000


def table(path):
    """The header and rows, without columns that have many holes and rows that have any."""
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    header, *rows = csv.reader(text.splitlines())
    header = [name.replace(" ", "_").replace(".", "_") for name in header]
    holes = [sum(row[c] in ("", "?", "NA") for row in rows) for c in range(len(header))]
    keep = [c for c in range(len(header)) if holes[c] * 20 < len(rows)]
    rows = [[row[c] for c in keep] for row in rows]
    rows = [row for row in rows if not any(cell in ("", "?", "NA") for cell in row)]
    return [header[c] for c in keep], rows


def run(program, *args, folder):
    line = [program, *map(str, args)]
    done = subprocess.run(line, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{args}: {done.stderr}")
    return done.stdout


class Played:
    """A study on rows of a table, which grows."""

    def __init__(self, program, folder, header, rows, target, tested):
        self.program, self.folder, self.header, self.rows = program, folder, header, rows
        self.target, self.tested, self.told = target, tested, 0
        write(folder / "table.csv", header, rows + tested)
        write(folder / "test.csv", header, tested)
        run(program, "study", "new", "t.hs", "--from", "table.csv", "--schema", "a.csv", "--target",
            target, folder=folder)
        labels = sorted({row[header.index(target)] for row in rows + tested})
        self.classes = labels if len(labels) == 2 else None
        classes = ["--classes", ",".join(labels)] if self.classes else []
        if self.classes:
            # A class is no number.
            lines = (folder / "a.csv").read_text().splitlines()
            kept = [line for line in lines if not line.startswith(f"{target},")]
            (folder / "a.csv").write_text("\n".join(kept) + "\n")
        run(program, "study", "new", "t.hs", "--schema", "a.csv", "--target", target, "--budget",
            BUDGET, *classes, folder=folder)

    def grow(self, to):
        out = run(self.program, "study", "next", "t.hs", "--count", to - self.told, "--wave",
                  f"w{to}", folder=self.folder)
        asks = list(csv.DictReader(out.splitlines()))
        told = []
        for i, ask in enumerate(asks, self.told):
            row = [cell if name == self.target or ask.get(f"ask_{name}") == "1" else ""
                   for name, cell in zip(self.header, self.rows[i])]
            told.append([ask["subject"], *row])
        write(self.folder / "answers.csv", ["subject", *self.header], told)
        run(self.program, "study", "tell", "t.hs", "answers.csv", folder=self.folder)
        self.told = to

    def status(self, more):
        return json.loads(run(self.program, "study", "status", "t.hs", "--json", "--more", more,
                              folder=self.folder))

    def true_error(self):
        run(self.program, "study", "model", "t.hs", "--out", "m.json", folder=self.folder)
        out = run(self.program, "predict", "m.json", "test.csv", folder=self.folder)
        at = self.header.index(self.target)
        total = 0.0
        for row, got in zip(self.tested, csv.DictReader(out.splitlines())):
            if self.classes:
                truth = 1.0 if row[at] == self.classes[1] else -1.0
                total += (float(got["score"]) - truth) ** 2
            else:
                total += (float(got["prediction"]) - float(row[at])) ** 2
        return total / len(self.tested)


def write(path, header, rows):
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([header, *rows])


def main():
    program, out, seeds, sizes, *tables = sys.argv[1:]
    program = str(Path(program).resolve())
    sizes = [int(n) for n in sizes.split(",")]
    names = ["table", "seed", "n", "more", "variance", "now", "now_low", "now_high", "forecast", "low",
             "high", "gain", "gain_low", "gain_high", "own_then", "true_then", "true_now", "points"]
    with open(out, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        for named in tables:
            path, target = named.rsplit("=", 1)
            header, rows = table(Path(path))
            for seed in range(int(seeds)):
                shuffled = rows[:]
                random.Random(seed).shuffle(shuffled)
                for n in sizes:
                    most = max(2 * n, n + 100)
                    if len(shuffled) < most + 100:
                        print(f"{path}: too few rows for n = {n}", file=sys.stderr)
                        continue
                    with tempfile.TemporaryDirectory() as folder:
                        played = Played(program, Path(folder), header, shuffled[:most], target,
                                        shuffled[most:most + TESTED])
                        played.grow(n)
                        before, true_now = {}, played.true_error()
                        for more in sorted({100, n}):
                            before[more] = played.status(more)
                        for more, status in before.items():
                            played.grow(n + more)
                            then = played.status(more)["curve"]["points"][-1]["error"]
                            point, f = status["curve"]["points"][-1], status["forecast"]
                            if f is None:
                                print(f"{path}: no forecast at n = {n}", file=sys.stderr)
                                continue
                            writer.writerow([Path(path).name.split(".")[0], seed, n, more,
                                             status["curve"]["variance"], point["error"],
                                             point["low"], point["high"],
                                             f["error"]["estimate"], f["error"]["low"],
                                             f["error"]["high"], f["gain"]["estimate"],
                                             f["gain"]["low"], f["gain"]["high"], then,
                                             played.true_error(), true_now,
                                             json.dumps(status["curve"]["points"])])
                            file.flush()


if __name__ == "__main__":
    main()
