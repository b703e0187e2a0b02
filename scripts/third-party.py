#!/usr/bin/env python3
"""Write the licences of what a package links: those of its Rust crates, and those of Rust's standard library.

    scripts/third-party.py PACKAGE FOLDER [FEATURES]      halfseen-cli target/licences/halfseen-cli serve,postgres,parquet

Writes FOLDER/LICENSE-THIRD-PARTY and FOLDER/LICENSE-RUST.html. cargo-about finds the crates of Cargo.lock and
their licences, and fails at one that scripts/about.toml does not accept (`cargo install cargo-about --features cli`).
It knows neither notices nor texts that differ from the canonical one; here both are added from the crates. Needs no
network once `cargo fetch` has run.
"""

import json
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

HEAD = """\
This build of halfseen contains the Rust crates below, for one system or another. Each text follows the crates that it
covers. A crate without a text of its own has the canonical text of its licence; its authors hold the copyright.
The sources of every crate are published under its name and version in Rust's registry of crates.
"""
NOTICES = re.compile(r"NOTICE|COPYRIGHT|COPYING|AUTHORS", re.I)
LICENCES = re.compile(r"LICEN[CS]E|UNLICENSE", re.I)
RULE = "=" * 80


def output(*command):
    """Run a command, and return what it prints; it has told its own failure."""
    ran = subprocess.run(command, stdout=subprocess.PIPE, text=True, encoding="utf-8")
    if ran.returncode:
        sys.exit(f"{' '.join(map(str, command[:2]))} failed; this script needs cargo-about (see its head)")
    return ran.stdout


def files(crate, pattern):
    """Return the texts at the top of a crate whose file names begin as the pattern says."""
    paths = sorted(Path(crate["manifest_path"]).parent.iterdir())
    return [path.read_text("utf-8") for path in paths if path.is_file() and pattern.match(path.name)]


def texts(found):
    """Return pairs of a text and its crates; texts that differ in white space only are one."""
    covered = defaultdict(dict)
    written = {}

    def add(text, crate):
        key = " ".join(text.split())
        written.setdefault(key, text.strip("\n"))
        covered[key][crate["name"], crate["version"]] = crate

    for licence in found["licenses"]:
        for user in licence["used_by"]:
            own = files(user["crate"], LICENCES) if licence["source_path"] is None else []
            for text in own or [licence["text"]]:
                add(text, user["crate"])
    for crate in found["crates"]:
        for text in files(crate["package"], NOTICES):
            add(text, crate["package"])
    return [(written[key], [crates[name] for name in sorted(crates)]) for key, crates in covered.items()]


def described(crate):
    """Return a crate's line: its name, version, authors and repository."""
    authors = ", by " + ", ".join(crate["authors"]) if crate["authors"] else ""
    repository = f", {crate['repository']}" if crate["repository"] else ""
    return f"  {crate['name']} {crate['version']}{authors}{repository}"


def main(package, folder, features=""):
    """Run cargo-about and write both files."""
    project = Path(__file__).resolve().parent.parent
    manifest = project / "crates" / package / "Cargo.toml"
    output("cargo", "fetch", "--locked", "--quiet", "--manifest-path", manifest)
    # What is released has all features.
    options = ["--locked", "--offline", "--fail", "--all-features", "--format", "json"]
    options += ["--config", project / "scripts" / "about.toml", "--manifest-path", manifest]
    options += ["--features", features] if features else []
    found = json.loads(output("cargo", "about", "generate", *options))
    # Its own crates have LICENSE-MIT and LICENSE-APACHE beside these files.
    found["crates"] = [crate for crate in found["crates"] if crate["package"]["source"]]
    for licence in found["licenses"]:
        licence["used_by"] = [user for user in licence["used_by"] if user["crate"]["source"]]

    folder.mkdir(parents=True, exist_ok=True)
    blocks = ["\n".join([RULE, *map(described, crates), "", text, ""]) for text, crates in texts(found)]
    (folder / "LICENSE-THIRD-PARTY").write_text("\n".join([HEAD, *blocks]), "utf-8")
    rust = Path(output("rustc", "--print", "sysroot").strip()) / "share" / "doc" / "rust"
    shutil.copyfile(rust / "COPYRIGHT-library.html", folder / "LICENSE-RUST.html")
    print(f"{folder}: {len(blocks)} texts of {len(found['crates'])} crates")


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__.split("\n\n")[1].strip())
    main(sys.argv[1], Path(sys.argv[2]), *sys.argv[3:])
