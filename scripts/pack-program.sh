#!/usr/bin/env bash
# Packs the program with its manual, completions and licences, as `cargo binstall` looks for it.
#
#     scripts/pack-program.sh FOLDER TARGET LICENCES OUT      target/release x86_64-unknown-linux-gnu target/licences dist
#
# FOLDER holds the program, built for this machine, and LICENCES what scripts/third-party.py wrote for halfseen-cli. Writes
# OUT/halfseen-vVERSION-TARGET.tgz with one folder; [package.metadata.binstall] of crates/halfseen-cli says their names.
set -euo pipefail
[ $# = 4 ] || { sed -n '4s/^# *//p' "$0" >&2 && exit 2; }
folder=$1 target=$2 licences=$3 out=$4
project=$(cd "$(dirname "$0")/.." && pwd)
program=$folder/halfseen
[ -e "$program" ] || program=$folder/halfseen.exe
[ -e "$program" ] || { echo "$folder has no program: cargo build --release --package halfseen-cli --features serve,postgres,parquet" >&2 && exit 1; }
version=$("$program" --version | tr -d '\r' | cut -d' ' -f2)
promised() { sed -n "s/^$1 = \"\(.*\)\"$/\1/p" "$project/crates/halfseen-cli/Cargo.toml" | sed "s/{ version }/$version/g; s/{ target }/$target/g"; }
archive=$(promised pkg-url)
archive=${archive##*/}
name=$(promised bin-dir)
name=${name%%/*}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir -p "$work/$name/completions" "$out"
cp "$program" "$work/$name/"
"$program" man >"$work/$name/halfseen.1"
"$program" completions bash >"$work/$name/completions/halfseen"
"$program" completions zsh >"$work/$name/completions/_halfseen"
"$program" completions fish >"$work/$name/completions/halfseen.fish"
"$program" completions powershell >"$work/$name/completions/_halfseen.ps1"
cp "$project"/LICENSE-* "$licences"/LICENSE-{THIRD-PARTY,RUST.html} "$work/$name/"
cp "$project/crates/halfseen-cli/README.md" "$work/$name/"
cp "$project/crates/halfseen-cli/data/README.md" "$work/$name/DIGITS.md"
chmod -R u=rwX,go=rX "$work/$name"
tar -C "$work" -czf "$out/$archive" "$name"
echo "$out/$archive"
