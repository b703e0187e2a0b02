#!/usr/bin/env python3
"""Run the benchmarks and write what they print to BENCHMARKS.md, with machine, commit and date.

    scripts/benchmarks.py                     every benchmark, about half an hour
    scripts/benchmarks.py csv formats         some of them
    scripts/benchmarks.py --python PYTHON     the Python package's too, by an interpreter that has it

The output of each stands between marks of its name, and only that is replaced. Everything runs on one thread unless a
benchmark says otherwise. The table of ratios, which the gate checks, is written by `cargo bench --bench ratios`.
"""

import argparse
import datetime
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).parent.parent
FILE = ROOT / "BENCHMARKS.md"

# One build serves all of them: --workspace unites the features.
BENCHES = [
    "budget", "csv", "formats", "adversary", "certify", "perceptron", "gram", "kernel_ridge", "sketch",
]  # fmt: skip
# Name of each script that needs the Python package, and its command.
SCRIPTS = {
    "python": ["crates/halfseen-python/benches/speed.py"],
    "completion": ["scripts/completion_speed.py", "--rounds", "3"],
}


def measured():
    """Return date, commit and machine, as one line."""
    git = lambda *words: subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    commit = git("rev-parse", "--short", "HEAD")
    changes = " with changes" if git("status", "--porcelain", "--", "crates") else ""
    cpu = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    kind = cpu.group(1).strip() if cpu else "unknown processor"
    load = os.getloadavg()[0]
    return f"{datetime.date.today()}, commit {commit}{changes}, {os.cpu_count()} cores, {kind}, load {load:.1f} before."


def output_of(name, python):
    """Run a benchmark and return its command and what it printed."""
    if name in BENCHES:
        command = ["cargo", "bench", "--locked", "-q", "--workspace", "--bench", name]
    else:
        command = [python, *SCRIPTS[name]]
    one_thread = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    run = subprocess.run(command, cwd=ROOT, env={**os.environ, **one_thread}, stdout=subprocess.PIPE, text=True)
    if run.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {run.returncode}")
    shown = ["python" if word == python else word for word in command if word not in ("--locked", "-q", "--workspace")]
    return " ".join(shown), run.stdout.rstrip()


def replaced(text, name, head, command, output):
    """Return the file's text with the output of one benchmark."""
    begin, end = f"<!-- output of {name} -->\n", f"<!-- end of {name} -->\n"
    if begin not in text or end not in text:
        sys.exit(f"BENCHMARKS.md has no marks {begin.strip()} and {end.strip()}")
    before, rest = text.split(begin, 1)
    after = rest.split(end, 1)[1]
    # What is Markdown already stays so.
    body = output if output.startswith("|") else f"```text\n{output}\n```"
    return f"{before}{begin}\n`{command}`: {head}\n\n{body}\n\n{end}{after}"


def main():
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join([*BENCHES, *SCRIPTS])}")
    parser.add_argument("--python", help="interpreter that has the package and scikit-learn")
    given = parser.parse_args()
    names = given.names or [*BENCHES, *(SCRIPTS if given.python else [])]
    for name in names:
        if name not in BENCHES and (name not in SCRIPTS or not given.python):
            parser.error(f"{name} needs --python" if name in SCRIPTS else f"no benchmark is called {name}")
    for name in names:
        head = measured()
        command, output = output_of(name, given.python)
        print(f"{name}\n{output}\n", flush=True)
        FILE.write_text(replaced(FILE.read_text(), name, head, command, output))


if __name__ == "__main__":
    main()
