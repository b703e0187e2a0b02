#!/usr/bin/env python3
"""Lists the packages that a change touches, and those that stand on them, one a line.

    scripts/changed.py [REVISION]   what changed since REVISION, files that git does not track yet included
    scripts/changed.py --self-test

REVISION is by default the newest commit that the upstream branch shares, or else the last commit. A file
outside of all packages touches every package if cargo reads it (Cargo.toml, Cargo.lock, .cargo), and none
if not. A file of the Python package that is not Rust adds the line `python`.
"""
import json
import subprocess
import sys
from pathlib import Path

HOME = Path(__file__).resolve().parent.parent


def run(*command):
    """Returns what a command prints."""
    return subprocess.run(command, cwd=HOME, check=True, capture_output=True, text=True).stdout


def base():
    """Returns the revision with which the work tree is compared."""
    try:
        return run("git", "merge-base", "HEAD", "@{upstream}").strip()
    except subprocess.CalledProcessError:
        return "HEAD~1"


def touched(files, folders, needs):
    """Returns the packages of the files and what stands on them, in the order of the packages.

    `folders` has the folder of each package, `needs` the packages that each depends on.
    """
    names, python = set(), False
    for file in files:
        inside = [name for name, folder in folders.items() if Path(file).is_relative_to(folder)]
        if inside:
            names.add(max(inside, key=lambda name: len(str(folders[name]))))
            python |= "halfseen-python" in inside and not file.endswith(".rs")
        elif file in ("Cargo.toml", "Cargo.lock") or file.startswith(".cargo/"):
            names |= set(folders)
    while more := {name for name in folders if needs[name] & names} - names:
        names |= more
    return [name for name in folders if name in names] + ["python"] * python


def self_test():
    """Follows files to packages whose dependencies are known."""
    folders = {"a": Path("crates/a"), "b": Path("crates/b"), "halfseen-python": Path("crates/p"), "t": Path("crates/b/t")}
    needs = {"a": set(), "b": {"a"}, "halfseen-python": {"b"}, "t": set()}
    for files, wanted in [
        (["README.md"], []),
        (["crates/a/src/lib.rs"], ["a", "b", "halfseen-python"]),
        (["crates/b/t/src/lib.rs"], ["t"]),
        (["crates/p/python/x.py"], ["halfseen-python", "python"]),
        (["Cargo.lock"], list(folders)),
    ]:
        assert touched(files, folders, needs) == wanted, (files, touched(files, folders, needs))


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    since = sys.argv[1] if len(sys.argv) > 1 else base()
    files = run("git", "diff", "--name-only", since).splitlines()
    files += run("git", "ls-files", "--others", "--exclude-standard").splitlines()
    packages = json.loads(run("cargo", "metadata", "--no-deps", "--format-version", "1"))["packages"]
    folders = {p["name"]: Path(p["manifest_path"]).parent.relative_to(HOME) for p in packages}
    needs = {p["name"]: {d["name"] for d in p["dependencies"]} for p in packages}
    print("".join(f"{line}\n" for line in touched(files, folders, needs)), end="")


if __name__ == "__main__":
    main()
