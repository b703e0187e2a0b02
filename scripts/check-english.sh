#!/usr/bin/env bash
# Lints what users read for plain English: pages, examples, help, errors and docstrings (scripts/english/).
#
#     scripts/check-english.sh [NAME ...]     all texts, or the files whose names begin so
#
# Installs textlint from npm into target/english. Without npm it is skipped, or fails where HALFSEEN_CI is set.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(realpath -m "${CARGO_TARGET_DIR:-target}")/english
if ! command -v npm >/dev/null; then
    echo "npm is missing: on Debian, apt-get install npm" >&2
    [ -z "${HALFSEEN_CI:-}" ] && echo "skipped" && exit
    exit 1
fi
mkdir -p "$work"
if ! cmp -s scripts/english/package.json "$work/package.json" || [ ! -e "$work/installed" ]; then
    rm -rf "$work"/{node_modules,installed}
    cp scripts/english/package.json "$work"
    npm install --prefix "$work" --silent --no-fund --no-audit --no-package-lock
    touch "$work/installed"
fi
cp scripts/english/*.mjs "$work"
node "$work/check.mjs" "$PWD" "$@"
