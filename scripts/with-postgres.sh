#!/usr/bin/env bash
# Runs a command with a PostgreSQL server of its own, in a folder that is gone afterwards.
#
#     scripts/with-postgres.sh COMMAND...   its URL is in HALFSEEN_POSTGRES
#     scripts/with-postgres.sh              prints URL and folder, and does what stdin says until it
#                                           ends: kill (as kill -9), crash (as a power failure), start
#
# Exits with 77 where PostgreSQL is not installed: it is looked for on PATH, and where Debian has it.
set -euo pipefail

found=$(command -v initdb || ls -d /usr/lib/postgresql/*/bin/initdb 2>/dev/null | sort -V | tail -1 || true)
[ -n "$found" ] || { echo "PostgreSQL is not installed: on Debian, apt-get install postgresql" >&2; exit 77; }
bin=$(dirname "$found")
dir=$(mktemp -d "${TMPDIR:-/tmp}/halfseen-postgres.XXXXXX")

# The server refuses to run as root.
as_user=()
if [ "$(id -u)" = 0 ]; then
    user=postgres
    id "$user" >/dev/null 2>&1 || user=nobody
    as_user=(setpriv --reuid "$user" --regid "$(id -g "$user")" --clear-groups)
    chown "$user" "$dir"
fi
quietly() { (cd "$dir" && "${as_user[@]}" "$@") >>"$dir/out" 2>&1 </dev/null; }
touch "$dir/out"

control() { quietly "$bin/pg_ctl" -D "$dir/data" -w -t 60 "$@"; }
gone() {
    trap - EXIT
    control -m immediate stop || true
    rm -rf "$dir"
}
trap gone EXIT
trap 'exit 130' INT TERM HUP

# A port that nobody has: as many tries as needed, since others choose too.
start() {
    local try
    for try in $(seq 60); do
        if control -l "$dir/log" -o "-c port=$port -c listen_addresses=127.0.0.1 -c unix_socket_directories='$dir'" start; then
            return
        fi
        # After a kill, the old server's children may still be there.
        if [ "${1:-}" = same ]; then sleep 0.2; else port=$((20000 + RANDOM % 20000)); fi
    done
    cat "$dir/log" >&2
    return 1
}

password=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
echo "$password" >"$dir/password"
chmod 644 "$dir/password" # the folder itself is private
quietly "$bin/initdb" --pgdata="$dir/data" --username=halfseen --pwfile="$dir/password" --auth=scram-sha-256 \
    --encoding=UTF8 --no-locale --no-sync || { cat "$dir/out" >&2; exit 1; }
port=$((20000 + RANDOM % 20000))
start
export HALFSEEN_POSTGRES="postgresql://halfseen:$password@127.0.0.1:$port/postgres"

if [ $# -gt 0 ]; then
    "$@"
    exit
fi
echo "$HALFSEEN_POSTGRES $dir/data"
while read -r word; do
    case $word in
        kill) kill -9 "$(head -1 "$dir/data/postmaster.pid")" ;;
        crash) control -m immediate stop ;;
        start) start same ;;
        *) echo "kill, crash or start, not $word" >&2 && exit 2 ;;
    esac
    echo "done"
done
