#!/usr/bin/env python3
"""Change the core at random places, one at a time, and see whether its tests notice; a later call goes on from the last.

    scripts/mutants.py --work DIR --out FILE [--number 300] [--seed 23] [--again "survived,not passed"]

The changes are those that cargo-mutants lists for the library's crates, drawn by the seed. DIR gets a clone of the last commit
in which all of them are switches, so that one build serves them all; a variable of the environment turns one on. Which test passes
which switch is noted first. Each change then meets the tests that pass it, the shortest first, in a process each, until one fails or
takes twenty times as long as without the change; that test has to fail again with the change, and to pass without it. A change that
does not compile as a switch is compiled alone. FILE keeps what became of each, in JSON; --again tests those of some outcomes once more.

caught       a test failed, or did not end
survived     no test that passes it failed
not passed   no test passes it
unbuilt      it does not compile

Needs cargo-mutants, and tree-sitter with tree-sitter-rust for Python.
"""

import argparse
import collections
import dataclasses
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import time

import tree_sitter
import tree_sitter_rust

ROOT = pathlib.Path(__file__).resolve().parent.parent
CRATES = ["halfseen-solve", "halfseen-core", "halfseen-budget", "halfseen-joint", "halfseen-missing",
          "halfseen-full", "halfseen-robust", "halfseen"]
# Seconds that every test may take at least, and how many times its own.
LEAST, TIMES = 60, 20
SWITCHES = """
/// Whether a change of `scripts/mutants.py` is on; notes that a test passed it.
pub fn mutant(number: usize) -> bool {
    use std::io::Write as _;
    use std::sync::LazyLock;
    use std::sync::atomic::{AtomicBool, Ordering};
    static ON: LazyLock<Option<usize>> = LazyLock::new(|| std::env::var("MUTANT").ok()?.parse().ok());
    static NOTES: LazyLock<Option<std::ffi::OsString>> = LazyLock::new(|| std::env::var_os("MUTANT_NOTES"));
    static PASSED: [AtomicBool; 4096] = [const { AtomicBool::new(false) }; 4096];
    if let Some(path) = &*NOTES && !PASSED[number].swap(true, Ordering::Relaxed) {
        let mut file = std::fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
        file.write_all(format!("{number}\\n").as_bytes()).unwrap();
    }
    *ON == Some(number)
}
"""


@dataclasses.dataclass
class Edit:
    """A stretch of a file in bytes, and the text that takes its place."""

    start: int
    end: int
    text: str


def sample(clone: pathlib.Path, number: int, seed: int) -> list[dict]:
    """Draw mutants; the first of a larger sample are those of a smaller one."""
    listed = []
    for crate in CRATES:
        command = ["cargo", "mutants", "--list", "--json", "--diff", "-p", crate]
        listed += json.loads(subprocess.run(command, cwd=clone, check=True, capture_output=True, text=True).stdout)
    print(f"{len(listed)} mutants of {', '.join(CRATES)}", file=sys.stderr)
    order = sorted(range(len(listed)), key=lambda i: random.Random(f"{seed} {listed[i]['name']}").random())
    return [listed[i] for i in order[:number]]


def switched(mutant: dict, number: int, source: bytes, tree: tree_sitter.Tree) -> Edit | None:
    """Return a mutant as a switch, on the lines it is on; None where there is no such form."""
    on = f"{'crate' if mutant['package'] == 'halfseen-solve' else '::halfseen_solve'}::mutant({number})"
    lines = source.split(b"\n")

    def offset(place: dict[str, int]) -> int:
        line = lines[place["line"] - 1].decode()
        return sum(len(before) + 1 for before in lines[: place["line"] - 1]) + len(line[: place["column"] - 1].encode())

    def text(node: tree_sitter.Node) -> str:
        return source[node.start_byte : node.end_byte].decode()

    start, end, other = offset(mutant["span"]["start"]), offset(mutant["span"]["end"]), mutant["replacement"]
    if mutant["genre"] == "FnValue":
        return Edit(start, start, f"if {on} {{ return {other}; }} ")
    node = tree.root_node.descendant_for_byte_range(start, end)
    wanted = {
        "BinaryOperator": ("binary_expression", "compound_assignment_expr"),
        "UnaryOperator": ("unary_expression",),
        "MatchArmGuard": ("match_pattern",),
        "MatchArm": ("match_arm",),
        "StructField": ("struct_expression",),
    }[mutant["genre"]]
    while node and node.type not in wanted:
        node = node.parent
    if not node:
        return None
    whole = text(node)
    if mutant["genre"] == "BinaryOperator":
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        return Edit(node.start_byte, node.end_byte, f"(if {on} {{ ({text(left)}) {other} ({text(right)}) }} else {{ {whole} }})")
    if mutant["genre"] == "UnaryOperator":
        return Edit(node.start_byte, node.end_byte, f"(if {on} {{ {whole[1:]} }} else {{ {whole} }})")
    if mutant["genre"] == "MatchArmGuard":
        return Edit(start, end, f"(if {on} {{ {other} }} else {{ {source[start:end].decode()} }})")
    if mutant["genre"] == "MatchArm":
        pattern = node.child_by_field_name("pattern")
        guard = pattern.child_by_field_name("condition")
        if guard:
            return Edit(guard.start_byte, guard.end_byte, f"!{on} && ({text(guard)})")
        return Edit(pattern.end_byte, pattern.end_byte, f" if !{on}")
    without = (source[node.start_byte : start] + source[end : node.end_byte].lstrip(b",")).decode()
    return Edit(node.start_byte, node.end_byte, f"(if {on} {{ {without} }} else {{ {whole} }})".replace("\n", " "))


class Switches:
    """A clone with mutants as switches, its test programs, and which test passes which mutant."""

    def __init__(self, work: pathlib.Path, mutants: list[dict]):
        """Build in `work`, or take what an earlier call with the same commit and mutants built there."""
        self.clone, self.target, self.mutants = work / "clone", work / "target", mutants
        self.alone: set[int] = set()
        kept = work / "passes.json"
        commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=self.clone, check=True, capture_output=True, text=True).stdout.strip()
        of = {"commit": commit, "mutants": [mutant["name"] for mutant in mutants]}
        if kept.exists() and (stored := json.loads(kept.read_text()))["of"] == of:
            self.alone, self.tests = set(stored["alone"]), stored["tests"]
            return
        programs = self.build()
        self.tests = self.pass_all(programs)
        kept.write_text(json.dumps({"of": of, "alone": sorted(self.alone), "tests": self.tests}))

    def write(self) -> dict[tuple[str, int], set[int]]:
        """Write the switches into the clone; return which mutants are on which line of which file."""
        subprocess.run(["git", "checkout", "--quiet", "."], cwd=self.clone, check=True)
        parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_rust.language()))
        lines: dict[tuple[str, int], set[int]] = collections.defaultdict(set)
        by_file = collections.defaultdict(list)
        for number, mutant in enumerate(self.mutants):
            by_file[mutant["file"]].append(number)
        for file, numbers in by_file.items():
            path = self.clone / file
            source = path.read_bytes()
            tree = parser.parse(source)
            edits: list[Edit] = []
            for number in numbers:
                edit = None if number in self.alone else switched(self.mutants[number], number, source, tree)
                if edit is None or any(edit.start < other.end and other.start < edit.end for other in edits):
                    self.alone.add(number)
                    continue
                edits.append(edit)
                first = source.count(b"\n", 0, edit.start) + 1
                for line in range(first, first + source.count(b"\n", edit.start, edit.end) + 1):
                    lines[file, line].add(number)
            for edit in sorted(edits, key=lambda edit: (edit.start, edit.end), reverse=True):
                source = source[: edit.start] + edit.text.encode() + source[edit.end :]
            path.write_bytes(source)
        with open(self.clone / "crates/halfseen-solve/src/lib.rs", "a") as root:
            root.write(SWITCHES)
        return lines

    def build(self) -> list[tuple[str, str]]:
        """Build the tests, without the switches that do not compile; return programs and their folders."""
        while True:
            lines = self.write()
            command = ["cargo", "test", "--no-run", "--locked", "--profile", "checked", "--message-format", "json"]
            command += [word for crate in CRATES for word in ("-p", crate)] + ["--lib", "--tests"]
            done = subprocess.run(command, cwd=self.clone, env=self.environment(), capture_output=True, text=True)
            messages = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
            if done.returncode == 0:
                found = [m for m in messages if m["reason"] == "compiler-artifact" and m["profile"]["test"] and m["executable"]]
                return [(m["executable"], str(pathlib.Path(m["manifest_path"]).parent)) for m in found]
            errors = [m["message"] for m in messages if m["reason"] == "compiler-message" and m["message"]["level"] == "error"]
            spans = [span for error in errors for span in error["spans"]]
            bad = {number for span in spans for line in range(span["line_start"], span["line_end"] + 1) for number in lines[span["file_name"], line]}
            if not bad:
                sys.exit("".join(error["rendered"] for error in errors) + done.stderr[-2000:])
            print(f"{len(bad)} do not compile as switches", file=sys.stderr)
            self.alone |= bad

    def environment(self, **more: str) -> dict[str, str]:
        """Return the environment of builds and tests."""
        return {**os.environ, "CARGO_TARGET_DIR": str(self.target), "RUST_BACKTRACE": "0", **more}

    def pass_all(self, programs: list[tuple[str, str]]) -> list[dict]:
        """Run every test alone, without a change; return those that pass a switch, by their time."""
        tests = []
        for program, folder in programs:
            listed = subprocess.run([program, "--list", "--format", "terse"], cwd=folder, check=True, capture_output=True, text=True).stdout
            for name in re.findall(r"^(.*): test$", listed, re.MULTILINE):
                notes = self.target / "notes"
                notes.unlink(missing_ok=True)
                test = {"program": program, "folder": folder, "name": name}
                began = time.monotonic()
                if not self.passes(test, 1800, MUTANT_NOTES=str(notes)):
                    print(f"{name} fails without a change", file=sys.stderr)
                    continue
                seconds = round(time.monotonic() - began, 3)
                reached = sorted({int(line) for line in notes.read_text().split()}) if notes.exists() else []
                if reached:
                    tests.append({**test, "seconds": seconds, "reached": reached})
        return sorted(tests, key=lambda test: test["seconds"])

    def passes(self, test: dict, seconds: float, **more: str) -> bool:
        """Tell whether a test passes within a time."""
        command = [test["program"], "--exact", test["name"], "--quiet", "--include-ignored"]
        with subprocess.Popen(
            command, cwd=test["folder"], env=self.environment(**more), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        ) as child:
            try:
                return child.wait(seconds) == 0
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, 9)
                return False

    def judge(self, number: int) -> dict[str, object]:
        """Meet a mutant with the tests that pass it."""
        if number in self.alone:
            return self.judge_alone(number)
        tests = [test for test in self.tests if number in test["reached"]]
        for test in tests:
            limit = max(LEAST, TIMES * test["seconds"])
            caught = not self.passes(test, limit, MUTANT=str(number))
            if caught and self.passes(test, limit) and not self.passes(test, limit, MUTANT=str(number)):
                return {"outcome": "caught", "by": test["name"]}
        return {"outcome": "survived", "tests": len(tests)} if tests else {"outcome": "not passed"}

    def judge_alone(self, number: int) -> dict[str, object]:
        """Compile a mutant alone and run all tests of the two crates."""
        mutant = self.mutants[number]
        subprocess.run(["git", "checkout", "--quiet", "."], cwd=self.clone, check=True)
        heads = [f"--- a/{mutant['file']}", f"+++ b/{mutant['file']}"]
        patch = "\n".join(heads + mutant["diff"].split("\n")[2:])
        subprocess.run(["git", "apply", "-"], cwd=self.clone, check=True, input=patch, text=True)
        packages = [word for crate in CRATES for word in ("-p", crate)]
        environment = self.environment(CARGO_TARGET_DIR=str(self.target) + "-alone")
        common = {"cwd": self.clone, "env": environment, "capture_output": True, "text": True}
        if subprocess.run(["cargo", "check", "--locked", *packages], **common).returncode:
            return {"outcome": "unbuilt"}
        command = ["cargo", "nextest", "run", "--locked", "--cargo-profile", "checked", "--fail-fast", *packages]
        built = subprocess.run([*command, "--no-run"], **common)
        if built.returncode:
            sys.exit(built.stderr[-2000:])
        # Tests of more than an hour would not end.
        try:
            done = subprocess.run(command, timeout=3600, **common)
        except subprocess.TimeoutExpired:
            return {"outcome": "caught", "by": "no end"}
        failed = re.search(r"(?:FAIL|TIMEOUT|SIG\w+) \[.*?\] (?:\(.*?\) )?(.*)", done.stderr)
        return {"outcome": "caught", "by": failed[1] if failed else done.stderr[-300:]} if done.returncode else {"outcome": "survived"}


def main() -> None:
    """Test the sample."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--number", type=int, default=300)
    parser.add_argument("--seed", type=int, default=23)
    parser.add_argument("--again", default="", help="test those of these outcomes again, with the last commit")
    given = parser.parse_args()
    clone = given.work / "clone"
    if not clone.exists():
        given.work.mkdir(parents=True, exist_ok=True)
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
    subprocess.run(["git", "checkout", "--quiet", "."], cwd=clone, check=True)
    subprocess.run(["git", "pull", "--quiet", "--ff-only"], cwd=clone, check=True)
    done = json.loads(given.out.read_text()) if given.out.exists() else {}
    mutants = sample(clone, given.number, given.seed)
    switches = Switches(given.work, mutants)
    # Those that need a build of their own come last.
    for at, number in enumerate(sorted(range(len(mutants)), key=lambda number: number in switches.alone)):
        name = mutants[number]["name"]
        if name in done and done[name]["outcome"] not in given.again.split(","):
            continue
        began = time.monotonic()
        done[name] = switches.judge(number)
        done[name]["seconds"] = round(time.monotonic() - began, 1)
        given.out.write_text(json.dumps(done, indent=1))
        print(f"{at + 1} of {len(mutants)}: {name}: {done[name]}", file=sys.stderr)
    counts = collections.Counter(str(done[mutant["name"]]["outcome"]) for mutant in mutants)
    print(", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items())))
    for mutant in mutants:
        if done[mutant["name"]]["outcome"] in ("survived", "not passed"):
            print(mutant["name"])


if __name__ == "__main__":
    main()
