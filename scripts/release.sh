#!/usr/bin/env bash
# Makes what a release consists of, for this machine, and tries it; publishes nothing.
#
#     scripts/release.sh             all stages, about an hour on two cores; files come into target/dist
#     scripts/release.sh STAGE...    crates   `cargo publish` of all crates, as far as it goes without publishing
#                                    wheel    a wheel for Linux since 2014, looked at by auditwheel, abi3audit and twine
#                                    sdist    the source distribution, built without a network
#                                    pythons  the wheel's tests on Python 3.11, 3.13 and 3.14, each in a Debian of its own
#                                    program  the program's archive, as `cargo binstall` looks for it
#                                    deb      the program's Debian package, looked at by lintian, installed and run
#
# Needs what ./check needs; pythons and deb need root and Debian's debootstrap, deb also lintian. Tools of cargo come from its registry.
set -euo pipefail
cd "$(dirname "$0")/.."
package=crates/halfseen-python
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
dist=$target/dist
tools=$target/release-tools
# What the program of a release has beside what `cargo install` builds.
features=serve,postgres,parquet
host=$(rustc -vV | sed -n 's/^host: //p')
export CARGO_TARGET_DIR=$target PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONDONTWRITEBYTECODE=1
mkdir -p "$dist"
PATH=$PATH:$tools/bin

# What PyPI has for releases; zig links against the glibc of 2012.
tools() {
    [ -x "$tools/bin/abi3audit" ] && return
    python3 -m venv "$tools"
    "$tools/bin/pip" install --quiet 'maturin>=1.9,<2' 'ziglang>=0.13' 'auditwheel>=6' 'abi3audit>=0.0.20' 'twine>=6'
}

# A tool of cargo that is not there yet.
cargo_tool() { command -v "$1" >/dev/null || cargo install --quiet --locked --root "$tools" "$@"; }

# The licences of what a package links: PACKAGE FOLDER [FEATURES].
third_party() {
    cargo_tool cargo-about --features cli
    scripts/third-party.py "$@"
}

crates() { cargo publish --workspace --dry-run --locked; }

wheel() {
    tools
    rm -f "$dist"/*.whl
    # pyproject.toml takes all LICENSE-* of its folder; they are here for this wheel alone.
    trap 'rm -f $package/LICENSE-{THIRD-PARTY,RUST.html}' EXIT
    third_party halfseen-python $package
    PATH=$tools/bin:$PATH maturin build --release --locked --zig --compatibility manylinux2014 --manifest-path $package/Cargo.toml --out "$dist"
    rm $package/LICENSE-{THIRD-PARTY,RUST.html}
    python3 $package/wheel.py --release "$dist"/*.whl
    "$tools/bin/auditwheel" show "$dist"/*.whl
    "$tools/bin/abi3audit" --strict "$dist"/*.whl
    "$tools/bin/twine" check --strict "$dist"/*.whl
}

# Everything comes from cargo's cache and from the environment, both filled before the network is cut off.
sdist() {
    tools
    rm -f "$dist"/halfseen-*.tar.gz
    "$tools/bin/maturin" sdist --manifest-path $package/Cargo.toml --out "$dist"
    "$tools/bin/twine" check --strict "$dist"/halfseen-*.tar.gz
    local work
    work=$(mktemp -d)
    tar -C "$work" -xzf "$dist"/halfseen-*.tar.gz
    cargo fetch --manifest-path "$work"/halfseen-*/Cargo.toml
    PATH=$tools/bin:$PATH unshare --map-root-user --net \
        "$tools/bin/pip" wheel --no-build-isolation --no-index --no-deps --wheel-dir "$work/built" "$dist"/halfseen-*.tar.gz
    python3 $package/wheel.py "$work"/built/*.whl
    rm -rf "$work"
}

pythons() {
    local suite python
    cargo build --release --locked --package halfseen-cli --package halfseen-io --features "$features" --bin halfseen --example fit_by_name
    for suite in bookworm:python3.11 trixie:python3.13 sid:python3.14; do
        python=${suite#*:}
        printf -- '-- %s\n' "$python"
        scripts/in-chroot.sh "${suite%:*}" "$python,$python-venv,libgomp1" sh -euc "
            rm -rf /tried && $python -m venv /tried && cd /tmp
            /tried/bin/pip install --quiet --only-binary :all: \"\$(echo /target/dist/*.whl)[test]\"
            export MPLBACKEND=Agg HALFSEEN_PROGRAM=/target/release/halfseen HALFSEEN_FIT_EXAMPLE=/target/release/examples/fit_by_name
            /tried/bin/python -m pytest -q -p no:cacheprovider -c /project/$package/pyproject.toml \\
                --rootdir /project/$package/tests /project/$package/tests"
    done
}

program() {
    cargo build --release --locked --package halfseen-cli --features "$features"
    third_party halfseen-cli "$target/licences" "$features"
    scripts/pack-program.sh "$target/release" "$host" "$target/licences" "$dist"
}

deb() {
    program
    cargo_tool cargo-deb
    rm -rf "$target/release/deb" "$dist"/*.deb
    mkdir "$target/release/deb"
    tar -C "$target/release/deb" --strip-components 1 -xzf "$dist"/halfseen-v*-"$host".tgz
    gzip -9n "$target"/release/deb/{halfseen.1,LICENSE-THIRD-PARTY,LICENSE-RUST.html}
    cargo deb --no-build --package halfseen-cli --output "$dist"
    lintian --fail-on error,warning --tag-display-limit 0 "$dist"/*.deb
    scripts/in-chroot.sh bookworm "man-db,mawk" sh -euc '
        apt-get install -qq -y --no-install-recommends --reinstall /target/dist/*.deb >/dev/null
        cd "$(mktemp -d)"
        halfseen --version
        halfseen compare --help | head -3
        man halfseen | head -3
        zcat /usr/share/doc/halfseen/THIRD-PARTY.gz | head -3
        test -s /usr/share/doc/halfseen/RUST.html.gz
        seq 60 | awk "{ print \$1 % 7 \",\" \$1 % 5 \",\" 2 * (\$1 % 7) - \$1 % 5 }" | sed "1i a,b,y" >table.csv
        halfseen fit table.csv --target y --out y.json
        halfseen predict y.json table.csv | head -3
        apt-get purge -qq -y halfseen >/dev/null
        test ! -e /usr/bin/halfseen'
}

for stage in "${@:-all}"; do
    case $stage in
    all) stages=(crates wheel sdist pythons deb) ;;
    crates | wheel | sdist | pythons | program | deb) stages=("$stage") ;;
    *) sed -n '4,11s/^# *//p' "$0" >&2 && exit 2 ;;
    esac
    for name in "${stages[@]}"; do
        printf '\n== %s\n' "$name"
        "$name"
    done
done
ls -l "$dist"
