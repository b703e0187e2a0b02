#!/usr/bin/env python3
"""Change the core at random places, one at a time, and see whether its tests notice; a later call goes on from the last.

    scripts/mutants.py --work DIR --out FILE [--number 300] [--seed 23] [--crates halfseen-solve,halfseen] [--only MUTANT]

The changes are those that cargo-mutants lists (`cargo install cargo-mutants`), drawn by the seed from all of these crates. DIR gets a
clone of the last commit and its builds. Tests run from the nearest to the farthest until one fails: of the file, of its folder, of the
crate, then the integration tests of the library. FILE keeps what became of each, in JSON. Ends with the survivors.
"""

import argparse
import collections
import json
import os
import pathlib
import random
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Seconds of a stage of tests; who takes longer is caught, as a test that does not end would be.
LIMITS = {"file": 180, "folder": 300, "crate": 1200, "library": 1800}
BUILD = ["--config", 'profile.dev.package."*".opt-level=3', "--config", "profile.dev.opt-level=1", "--config", "profile.dev.debug=0"]


def mutants(crates: list[str], number: int, seed: int, clone: pathlib.Path) -> list[dict]:
    """Draw mutants of the crates; the first of a larger sample are those of a smaller one."""
    listed = []
    for crate in crates:
        command = ["cargo", "mutants", "--list", "--json", "--diff", "-p", crate]
        listed += json.loads(subprocess.run(command, cwd=clone, check=True, capture_output=True, text=True).stdout)
    print(f"{len(listed)} mutants of {', '.join(crates)}", file=sys.stderr)
    order = sorted(range(len(listed)), key=lambda i: random.Random(f"{seed} {listed[i]['name']}").random())
    return [listed[i] for i in order[:number]]


def stages(mutant: dict) -> list[tuple[str, list[str]]]:
    """Return the commands of the tests, from the nearest."""
    crate, path = mutant["package"], pathlib.PurePath(mutant["file"])
    parts = list(path.parts[path.parts.index("src") + 1 :])
    module = [part.removesuffix(".rs") for part in parts if part not in ("lib.rs", "mod.rs")]
    unit = ["test", "--locked", "-p", crate, "--lib"]
    found = []
    if module:
        found.append(("file", [*unit, "--", "::".join(module) + "::"]))
    if len(module) > 1:
        found.append(("folder", [*unit, "--", "::".join(module[:-1]) + "::"]))
    found.append(("crate", unit))
    found.append(("library", ["test", "--locked", "-p", "halfseen", "--test", "all"]))
    return found


def run(command: list[str], clone: pathlib.Path, target: pathlib.Path, seconds: float) -> tuple[str, str]:
    """Run cargo; return passed, failed, unbuilt or endless, and the end of what it said."""
    environment = {**os.environ, "CARGO_TARGET_DIR": str(target), "CARGO_INCREMENTAL": "1", "RUST_BACKTRACE": "0"}
    whole = ["cargo", command[0], *BUILD, *command[1:]]
    build = [*whole[: whole.index("--")], "--no-run"] if "--" in whole else [*whole, "--no-run"]
    built = subprocess.run(build, cwd=clone, env=environment, capture_output=True, text=True)
    if built.returncode:
        return "unbuilt", built.stderr[-400:]
    with subprocess.Popen(whole, cwd=clone, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True) as child:
        try:
            said, _ = child.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, 9)
            return "endless", ""
    return ("failed" if child.returncode else "passed"), said[-400:]


def judge(mutant: dict, clone: pathlib.Path, target: pathlib.Path) -> dict[str, object]:
    """Apply a mutant, test it, and undo it."""
    began = time.monotonic()
    subprocess.run(["git", "apply", "--unidiff-zero", "-"], cwd=clone, check=True, input=diff(mutant), text=True)
    try:
        for stage, command in stages(mutant):
            outcome, said = run(command, clone, target, LIMITS[stage])
            if outcome != "passed":
                word = {"failed": "caught", "endless": "caught", "unbuilt": "unbuilt"}[outcome]
                return {"outcome": word, "by": stage, "how": outcome, "seconds": round(time.monotonic() - began)}
    finally:
        subprocess.run(["git", "checkout", "--quiet", "."], cwd=clone, check=True)
    return {"outcome": "survived", "seconds": round(time.monotonic() - began), "said": said}


def diff(mutant: dict) -> str:
    """Return the patch with the path as git wants it."""
    lines = mutant["diff"].split("\n")
    lines[:2] = [f"--- a/{mutant['file']}", f"+++ b/{mutant['file']}"]
    return "\n".join(lines)


def main() -> None:
    """Test the sample."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--number", type=int, default=300)
    parser.add_argument("--seed", type=int, default=23)
    parser.add_argument("--crates", default="halfseen-solve,halfseen")
    parser.add_argument("--only", help="test this mutant alone, by its name, again")
    given = parser.parse_args()
    clone, target = given.work / "clone", given.work / "target"
    if clone.exists():
        subprocess.run(["git", "checkout", "--quiet", "."], cwd=clone, check=True)
    else:
        given.work.mkdir(parents=True, exist_ok=True)
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
    done = json.loads(given.out.read_text()) if given.out.exists() else {}
    sample = mutants(given.crates.split(","), given.number, given.seed, clone)
    for at, mutant in enumerate(sample):
        name = mutant["name"]
        if name in done and name != given.only or given.only not in (None, name):
            continue
        done[name] = judge(mutant, clone, target)
        given.out.write_text(json.dumps(done, indent=1))
        print(f"{at + 1} of {len(sample)}: {name}: {done[name]['outcome']}, {done[name]['seconds']} s", file=sys.stderr)
    results = [done[mutant["name"]] for mutant in sample if mutant["name"] in done]
    counts = collections.Counter(str(result["outcome"]) for result in results)
    print(", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items())))
    for mutant in sample:
        if done.get(mutant["name"], {}).get("outcome") == "survived":
            print(mutant["name"])


if __name__ == "__main__":
    main()
