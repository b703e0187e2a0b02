#!/usr/bin/env python3
"""Measures what the program `halfseen` takes, how soon it ends at a signal, and what odd files get.

    scripts/limits.py PROGRAM memory [--only NAME,...]
    scripts/limits.py PROGRAM interruption [--only NAME,...]
    scripts/limits.py PROGRAM files [--only TEXT,...]
    scripts/limits.py PROGRAM kills [--runs 1000]

Prints a Markdown table; RELIABILITY.md sums them up. Every file that it needs is made in a folder that is
removed at the end. One process runs at a time. Linux only: it reads /proc.
"""
import argparse
import json
import os
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from limit_tables import COLUMNS, MOST_ROWS, Tables
from odd_files import odd_files

# Learners of two classes only, and learners of missing values.
CLASSES = {"robust-perceptron"}
HOLES = {"fiml", "karma", "zero", "mean", "mcb", "mc1"}
# Names whose two variants are listed by themselves.
GENERAL = {"imputation", "completion"}
# Further settings, each a row of its own.
SETTINGS = {
    "karma": ["", "--set solver=online", "--set features=sketch:256"],
    "fiml": ["", "--budget 4"],
}


def learners(program):
    """Names of the learners with the flags of each row of a table."""
    listed = subprocess.run([program, "learners"], check=True, capture_output=True, text=True).stdout
    for name in re.findall(r"^ +([a-z][a-z0-9-]*) +\S", listed, re.M):
        if name in GENERAL:
            continue
        described = subprocess.run([program, "learners", name], check=True, capture_output=True, text=True)
        budgeted = re.search(r"^  budget = ", described.stdout, re.M)
        for flags in SETTINGS.get(name, ["--budget 4" if budgeted else ""]):
            yield name, flags


def variety(name):
    return name in CLASSES, name in HOLES


# ------------------------------------------------------------------------------------- processes


class Run:
    """A process and what became of it."""

    def __init__(self, program, line, folder, stdin=subprocess.DEVNULL, user=None):
        words = line.split() if isinstance(line, str) else line
        self.err = tempfile.TemporaryFile()
        self.began = time.monotonic()
        self.process = subprocess.Popen([program, *words], cwd=folder, stdin=stdin, user=user,
                                        stdout=subprocess.DEVNULL, stderr=self.err)
        self.code = None

    def seconds(self):
        return time.monotonic() - self.began

    def processor(self):
        """Processor seconds so far."""
        try:
            fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            return 0.0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def ended(self, block=False):
        """True once it has ended; then its code, its time and its peak of memory are known."""
        if self.code is None:
            pid, status, usage = os.wait4(self.process.pid, 0 if block else os.WNOHANG)
            if pid == 0:
                return False
            self.took = self.seconds()
            self.code = self.process.returncode = os.waitstatus_to_exitcode(status)
            self.peak = usage.ru_maxrss * 1024 / 1e6
            self.err.seek(0)
            self.said = self.err.read().decode(errors="replace").strip()
            self.err.close()
        return True

    def within(self, seconds):
        """Waits so long; true if it has ended."""
        until = time.monotonic() + seconds
        while not self.ended():
            if time.monotonic() > until:
                return False
            time.sleep(0.01)
        return True

    def interrupt(self):
        """Sends SIGINT and returns the seconds to the end."""
        sent = time.monotonic()
        self.process.send_signal(signal.SIGINT)
        self.ended(block=True)
        return time.monotonic() - sent


def row(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def head(*cells):
    row(*cells)
    print("|" + "---|" * len(cells), flush=True)


# ---------------------------------------------------------------------------------------- memory


def accepted(program, folder, line, rows):
    """Runs a fit until it is refused, has ended or is clearly at work: the run, and if it was accepted."""
    run = Run(program, line, folder)
    # Reading and refusing 400,000 rows takes about two seconds.
    most = 1.5 + 5.5 * rows / MOST_ROWS
    while not run.within(0.05):
        if run.processor() > most:
            run.interrupt()
            return run, True
    if run.code not in (0, 2):
        sys.exit(f"{line}, {rows} rows: exit code {run.code}, {run.said}")
    return run, run.code == 0


def largest(program, folder, tables, name, line, most):
    """The largest number of rows that is accepted, its run, and the first words of the next refusal."""
    low, high, by, best = 0, most + 1, "", None
    rows = most
    while high - low > max(1, low // 200):
        tables.part(rows, *variety(name))
        run, taken = accepted(program, folder, line, rows)
        if taken:
            low, best = rows, run
        else:
            high, by = rows, run.said
        # Small limits are found soon.
        rows = (low + high) // 2 if low * 8 > high else max(low + 1, high // 8)
    return low, best, by


def memory(program, folder, only):
    tables = Tables(folder)
    head("learner", "largest accepted rows", "more refused by", "peak there, MB", "rows of a whole fit", "peak, MB",
         "seconds")
    if not only or "reader" in only:
        line = "fit t.csv --target y --learner aerr --memory 1GB --out m.json"
        low, best, by = largest(program, folder, tables, "aerr", line, 3 * MOST_ROWS)
        who = "learner" if " needs about " in by else "reader"
        row("the reader (with `aerr`)", f"{low:,}", who, f"{best.peak:,.0f}", "", "", "")
    for name, flags in learners(program):
        if only and name not in only:
            continue
        line = f"fit t.csv --target y --learner {name} {flags} --memory 1GB --out m.json"
        low, best, by = largest(program, folder, tables, name, line, MOST_ROWS)
        who = "" if low == MOST_ROWS else "learner" if " needs about " in by else "reader"
        shown_rows = "at least 400,000" if low == MOST_ROWS else f"{low:,}"
        at_least = "" if best.code == 0 else "at least "
        tables.part(max(1, low // 10), *variety(name))
        run = Run(program, line, folder)
        seconds = "over 60" if not run.within(60) else None
        if seconds:
            run.interrupt()
        elif run.code != 0:
            sys.exit(f"{line}: {run.said}")
        row(f"`{' '.join([name, flags]).strip()}`", shown_rows, who, f"{at_least}{best.peak:,.0f}",
            f"{low // 10:,}", f"{run.peak:,.0f}", seconds or f"{run.took:.1f}")


# ---------------------------------------------------------------------------------- interruption

# Reads per example that make a fit of budgeted learners long.
MANY_READS = "--budget 90"
# Least seconds of a fit to interrupt, and the longest part of it that is interrupted.
LEAST, LONGEST = 2.0, 5.0


def handles(run):
    """Waits until the program handles SIGINT."""
    while not run.ended():
        caught = re.search(r"SigCgt:\s*(\w+)", Path(f"/proc/{run.process.pid}/status").read_text())
        if caught and int(caught[1], 16) & 2:
            return
        time.sleep(0.01)


def listing(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def late(program, folder, line, moments):
    """Seconds to the end after a signal at each moment, and what else was seen."""
    times, points, missed = [], 0, 0
    for moment in moments:
        before = listing(folder)
        run = Run(program, line, folder)
        handles(run)
        seconds = None if run.within(max(0.0, moment - run.seconds())) else run.interrupt()
        if run.code not in (0, 130):
            sys.exit(f"{line}: exit code {run.code}, {run.said}")
        complete = run.code == 0 or "results were written before" in run.said
        if complete:
            missed += 1
        else:
            times.append(seconds)
        part = folder / "part.json"
        points += part.exists() and not complete
        part.unlink(missing_ok=True)
        if complete:
            # The signal was too late: what it wrote is no leftover.
            for path in set(listing(folder)) - set(before):
                if (folder / path).is_file():
                    (folder / path).unlink()
            shutil.rmtree(folder / "o", ignore_errors=True)
        elif listing(folder) != before:
            sys.exit(f"{line}: leaves {set(listing(folder)) - set(before)}")
    return times, points, missed


def shown(times):
    return f"{statistics.median(times):.3f}, {max(times):.3f}" if times else "ended before"


def spread(begin, length, count):
    """Moments in the middle of some seconds."""
    length = min(length, LONGEST)
    return [begin + length * (i + 0.5) / (count + 0.5) for i in range(count)]


def interruption(program, folder, only):
    tables = Tables(folder)
    head("learner", "rows", "seconds of a fit", "SIGINT to exit: median, largest", "with `--keep-partial`",
         "points kept")
    for name, flags in learners(program):
        if only and name not in only:
            continue
        flags = MANY_READS if flags == "--budget 4" and name != "fiml" else flags
        base = f"fit t.csv --target y --learner {name} {flags} --quiet --out m.json"
        # Grow the table until a fit takes some seconds.
        rows = 1_000
        while True:
            tables.part(rows, *variety(name))
            run = Run(program, f"{base} --json", folder)
            if not run.within(12):
                run.interrupt()
                took, begin, length = "over 12", 1.0, LONGEST
                break
            if run.code != 0:
                sys.exit(f"{base}: {run.said}")
            length = json.loads((folder / "m.json").read_text())["report"]["seconds"]
            (folder / "m.json").unlink()
            took, begin = f"{length:.1f}", run.took - length
            if length >= LEAST or rows == MOST_ROWS:
                break
            rows = min(MOST_ROWS, int(rows * min(8, max(1.5, 1.5 * LEAST / max(length, 0.01)))))
        (folder / "m.json").unlink(missing_ok=True)
        times, _, missed = late(program, folder, base, spread(begin, length, 5))
        parts, points, missing = late(program, folder, f"{base} --keep-partial part.json", spread(begin, length, 3))
        note = f" ({len(times)} of 5)" if missed else ""
        kept = f" ({len(parts)} of 3)" if missing else ""
        row(f"`{' '.join([name, flags]).strip()}`", f"{rows:,}", took, shown(times) + note, shown(parts) + kept,
            f"{points} of {len(parts)}")
    if only and "commands" not in only:
        return
    print()
    commands(program, folder, tables)


def commands(program, folder, tables):
    """Interrupts commands other than a plain fit."""

    def prepare(rows, classes, line):
        tables.part(rows, classes, False)
        run = Run(program, line, folder)
        run.ended(block=True)
        if run.code != 0:
            sys.exit(f"{line}: {run.said}")

    head("command", "seconds of it", "SIGINT to exit: median, largest")

    def measure(label, line):
        run = Run(program, line, folder)
        over = not run.within(12)
        if over:
            run.interrupt()
        elif run.code != 0:
            sys.exit(f"{line}: {run.said}")
        for path in ["m.json", "p.csv"]:
            (folder / path).unlink(missing_ok=True)
        shutil.rmtree(folder / "o", ignore_errors=True)
        times, _, missed = late(program, folder, line, spread(0.1, 12 if over else run.took, 5))
        note = f" ({len(times)} of 5)" if missed else ""
        row(label, "over 12" if over else f"{run.took:.1f}", shown(times) + note)

    prepare(3_000, False, "fit t.csv --target y --learner karma --out karma.json")
    tables.part(100_000, False, False)
    measure("`predict`, 100,000 rows by `karma` of 3,000", "predict karma.json t.csv --out p.csv")
    measure("`evaluate`, the same", "evaluate karma.json t.csv")
    prepare(3_000, True, "fit t.csv --target y --learner robust-lp --set threat=3 --out robust.json")
    tables.part(200_000, True, False)
    measure("`certify`, 200,000 rows", "certify robust.json t.csv --json --out p.csv")
    measure("`evaluate --threat 3`, the same", "evaluate robust.json t.csv --threat 3")
    tables.part(3_000, False, False)
    fit = "fit t.csv --target y --out m.json"
    measure("`fit --tune 3`, `karma`, 3,000 rows", f"{fit} --learner karma --tune 3")
    measure("`fit --tune 5`, `robust-lp`, 3,000 rows", f"{fit} --learner robust-lp --tune 5 --set threat=3")
    measure("`compare`, the shipped digits", "compare --splits 50 --out o")
    measure("`compare --hide .2,.4`, 3,000 rows", "compare t.csv --target y --hide 0.2,0.4 --out o")
    for path in ["karma.json", "robust.json"]:
        (folder / path).unlink()
    # A command that waits for the rest of its input.
    times = []
    for _ in range(5):
        read, write = os.pipe()
        run = Run(program, "fit - --target y --learner ridge --out m.json", folder, stdin=read)
        os.close(read)
        os.write(write, b"a,b,y\n1,2,3\n")
        handles(run)
        run.within(0.2)
        times.append(run.interrupt())
        os.close(write)
    row("`fit -`, waiting for the rest of its input", "no end", shown(times))
    second(program, folder)


def second(program, folder):
    """Interrupts one long decomposition that was asked for its best point, once and twice."""
    size = 4_000
    with (folder / "t.csv").open("w") as file:
        file.write(",".join(f"x{j}" for j in range(size)) + ",y\n")
        for i in range(size):
            file.write(",".join("1" if i * j % 7 < 3 else "0" for j in range(size)) + f",{i}\n")
    line = "fit t.csv --target y --learner ridge --quiet --out m.json"
    for label, keep, signals in [
        ("`ridge`, 4,000 x 4,000, one decomposition", "", 1),
        ("the same with `--keep-partial`", " --keep-partial part.json", 1),
        ("the same, a second signal .3 s after the first: from the second", " --keep-partial part.json", 2),
    ]:
        times = []
        for moment in [4.0, 5.0, 6.0]:
            run = Run(program, line + keep, folder)
            handles(run)
            if run.within(moment):
                continue
            if signals == 2:
                run.process.send_signal(signal.SIGINT)
                if run.within(0.3):
                    continue
            times.append(run.interrupt())
            (folder / "part.json").unlink(missing_ok=True)
        row(label, "over 6", f"{shown(times)} ({len(times)} of 3)")


# ----------------------------------------------------------------------------------------- files


def understood(model):
    """What a model was fitted to."""
    columns = json.loads(model.read_text())["schema"]["columns"]
    texts = []
    for entry in columns[:4]:
        categories = entry.get("categories")
        texts.append(entry["name"] + (f" ({len(categories)} categories)" if categories else ""))
    return "learns from " + ", ".join(texts) + (f" and {len(columns) - 4:,} more" if len(columns) > 4 else "")


def cell(text, most=230):
    """A text as code in a table."""
    text = text if len(text) <= most else text[:most] + "..."
    text = "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
    return "`` " + text.replace("|", "\\|") + " ``"


def files(program, folder, only):
    head("file", "flags", "exit code", "message, or what was understood")
    for label, name, content, flags in odd_files():
        if only and not any(part in label for part in only):
            continue
        with tempfile.TemporaryDirectory(dir=folder) as place:
            place = Path(place)
            place.chmod(0o777)
            stdin, user = subprocess.DEVNULL, None
            if callable(content):
                (place / name).mkdir()
                content(place / name)
            elif name == "-":
                (place / "input").write_bytes(content)
                stdin = (place / "input").open("rb")
            elif content is not None:
                (place / name).write_bytes(content)
            if flags == "(no permission)":
                (place / name).chmod(0)
                user = 65534 if os.geteuid() == 0 else None
            target = "" if "--target" in flags else "--target y"
            given = "" if flags.startswith("(") else flags
            line = f"fit {name} {target} --learner ridge --out m.json {given}"
            run = Run(program, line, place, stdin=stdin, user=user)
            if not run.within(60):
                run.interrupt()
            # A warning is about what was learned, not about the file.
            said = [line for line in run.said.splitlines() if line.strip() and not line.startswith("warning:")]
            first = cell(said[0]) if said else ""
            if run.code == 0:
                first = understood(place / "m.json") + (f"; {first}" if first else "")
            if not 0 <= run.code <= 2 or (run.code and (len(said) != 1 or (place / "m.json").exists())):
                first += f" **({len(said)} lines, exit code {run.code})**"
            row(label, f"`{given}`" if given else "", run.code, first)


# ----------------------------------------------------------------------------------------- kills


def kills(program, folder, _, runs):
    """Ends fits by SIGKILL: a quarter at moments of the whole run, the others within 12 ms of a new file beside the model."""
    chance = random.Random(0)
    Tables(folder).part(2_000, False, False)
    old = '{"an older": "model"}'
    line = "fit t.csv --target y --learner karma --quiet --out m.json"
    found = {"killed during the work": 0, "killed while it wrote": 0, "ended before": 0}
    whole, old_ones, broken, left = 0, 0, 0, 0
    for number in range(runs):
        (folder / "m.json").write_text(old)
        before = listing(folder)
        run = Run(program, line, folder)
        until = chance.uniform(0.0, 1.0) if number < runs // 4 else 60
        while not run.ended() and run.seconds() < until and listing(folder) == before:
            pass
        writing = listing(folder) != before
        if writing:
            time.sleep(chance.uniform(0.0, 0.012))
        if run.code is None:
            os.kill(run.process.pid, signal.SIGKILL)
            run.ended(block=True)
        state = "ended before" if run.code == 0 else list(found)[writing]
        found[state] += 1
        text = (folder / "m.json").read_text()
        try:
            whole += bool(text != old and json.loads(text))
            old_ones += text == old
        except ValueError:
            broken += 1
        left += listing(folder) != before
    before = set(listing(folder))
    run = Run(program, line, folder)
    run.ended(block=True)
    removed = len(before - set(listing(folder)))
    head("runs", "number")
    for state, number in found.items():
        row(state, number)
    row("old model as it was", old_ones)
    row("new model, whole", whole)
    row("broken model", broken)
    row("runs that left another file", left)
    row("of these files removed by one more fit", removed)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="path of the program halfseen")
    parts = {"memory": memory, "interruption": interruption, "files": files, "kills": kills}
    parser.add_argument("part", choices=parts)
    parser.add_argument("--only", default="", help="learners, or parts of the names of files")
    parser.add_argument("--runs", type=int, default=40, help="fits that are killed (default: %(default)s)")
    arguments = parser.parse_args()
    program = os.path.abspath(arguments.program)
    only = [name for name in arguments.only.split(",") if name]
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        more = [arguments.runs] if arguments.part == "kills" else []
        parts[arguments.part](program, Path(folder), only, *more)


if __name__ == "__main__":
    main()
