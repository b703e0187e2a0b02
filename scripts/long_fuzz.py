#!/usr/bin/env python3
"""Run halfseen-fuzz for hours, in steps that a later call goes on from, and add up what it found.

    scripts/long_fuzz.py FUZZ --out FILE [--runs 10000000] [--subjects files,models,partials,states] [--workers 1]

FUZZ is the program, which `cargo build --profile checked -p halfseen-fuzz` builds with checks of overflow. FILE keeps the sums of
each subject and the version that made them, in JSON; steps are seeds of their own. Ends at the first finding, which it prints.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import time

STEP = 50_000
# Seconds of a case: it may run at low priority beside other work.
LIMIT = "180"
LINE = re.compile(r"(\w+): (\d+) cases in \d+ s, (\d+) taken, (\d+) refused, (\d+) findings")


def step(fuzz: str, subject: str, seed: int, workers: int) -> dict[str, float]:
    """Run one step and return its counts."""
    began = time.monotonic()
    command = [fuzz, "--runs", str(STEP), "--seed", str(seed), "--subjects", subject, "--workers", str(workers), "--limit", LIMIT]
    done = subprocess.run(command, capture_output=True, text=True)
    found = LINE.search(done.stdout)
    if done.returncode or not found or found[1] != subject:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    cases, taken, refused = (int(found[i]) for i in (2, 3, 4))
    return {"cases": cases, "taken": taken, "refused": refused, "seconds": time.monotonic() - began}


def main() -> None:
    """Run steps of the subject that has had the fewest cases, until all have enough."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("fuzz")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--runs", type=int, default=10_000_000)
    parser.add_argument("--subjects", default="files,models,partials,states")
    parser.add_argument("--workers", type=int, default=1)
    given = parser.parse_args()
    sums = json.loads(given.out.read_text()) if given.out.exists() else {}
    # Seeds below a thousand million are for runs by hand.
    empty = {"cases": 0, "taken": 0, "refused": 0, "seconds": 0.0, "next_seed": 1_000_000_000}
    for subject in given.subjects.split(","):
        sums.setdefault(subject, dict(empty))
    while True:
        subject = min(given.subjects.split(","), key=lambda name: sums[name]["cases"])
        of = sums[subject]
        if of["cases"] >= given.runs:
            break
        for name, more in step(given.fuzz, subject, of["next_seed"], given.workers).items():
            of[name] = round(of[name] + more, 1)
        of["next_seed"] += 1
        beside = given.out.with_suffix(".new")
        beside.write_text(json.dumps(sums, indent=1))
        beside.replace(given.out)
    for subject, of in sums.items():
        print(f"{subject}: {of['cases']} cases, {of['taken']} taken, {of['refused']} refused, {of['seconds'] / 3600:.1f} hours")


if __name__ == "__main__":
    main()
