#!/usr/bin/env bash
# Runs a command in a small Debian of another release, which debootstrap makes below target/chroot.
#
#     scripts/in-chroot.sh SUITE PACKAGES COMMAND...    as root: in-chroot.sh trixie python3,python3-venv python3 --version
#
# PACKAGES are those that the command needs, joined by commas, or "" for none. The Debian is made once, and kept until
# its folder is deleted. The project's folder is /project in it, and the folder of builds /target, both to read.
# DEBIAN_MIRROR names another mirror.
set -euo pipefail
[ $# -ge 3 ] || { sed -n '4,8s/^# \?//p' "$0" >&2 && exit 2; }
suite=$1 packages=$2
shift 2
[ "$(id -u)" = 0 ] || { echo "a chroot needs root" >&2 && exit 1; }
command -v debootstrap >/dev/null || { echo "debootstrap is missing: apt-get install debootstrap" >&2 && exit 1; }
project=$(realpath "$(dirname "$0")/..")
target=$(realpath -m "${CARGO_TARGET_DIR:-$project/target}")
root=$target/chroot/$suite

if [ ! -e "$root/.made" ]; then
    rm -rf "$root"
    mkdir -p "$root"
    debootstrap --variant=minbase --include=ca-certificates "$suite" "$root" "${DEBIAN_MIRROR:-http://deb.debian.org/debian}" \
        >"$root.log" 2>&1 || { tail -20 "$root.log" >&2 && exit 1; }
    # Snapshots of mirrors are older than what they say about themselves.
    echo 'Acquire::Check-Valid-Until "false";' >"$root/etc/apt/apt.conf.d/snapshots"
    touch "$root/.made"
fi
# Names and certificates as outside.
cp -L /etc/resolv.conf "$root/etc/resolv.conf"
cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"

# A mount namespace of its own: what is mounted goes when the command ends, however it ends.
mkdir -p "$root/project" "$root/target"
export PACKAGES=${packages//,/ } DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
exec unshare --mount bash -euo pipefail -c '
    root=$1 project=$2 target=$3
    shift 3
    mount -t proc proc "$root/proc"
    for folder in project target; do
        mount --bind "${!folder}" "$root/$folder"
        mount -o remount,bind,ro "$root/$folder"
    done
    for package in $PACKAGES; do
        chroot "$root" dpkg-query --show "$package" >/dev/null 2>&1 && continue
        chroot "$root" apt-get update -qq
        chroot "$root" apt-get install -qq -y --no-install-recommends $PACKAGES >"$root.log" 2>&1 || { tail -20 "$root.log" >&2 && exit 1; }
        break
    done
    exec chroot "$root" "$@"' in-chroot "$root" "$project" "$target" "$@"
