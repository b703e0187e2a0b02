#!/usr/bin/env python3
"""Time single durable calls of a study from Python beside empty transactions on the same disk, and a server of it.

    scripts/study_rates.py [--calls N] [--clients C] [--server PROGRAM] [--optuna]

Needs the Python package halfseen, whose frames take most of the time: `cargo bench -p halfseen-study` times
the same calls without them. Calls are those of one process: `next` for a new
subject, and `tell` of one value. An empty transaction is one of SQLite with WAL and full synchronisation that
writes one row. The server is told one value by each request, by several clients at once. --optuna also times Optuna's `ask`
with one number drawn at random, and its `tell` of one value, with its storage in an SQLite file.
"""

import argparse
import http.client
import json
import pathlib
import sqlite3
import subprocess
import tempfile
import threading
import time

import pandas as pd
from halfseen import Study

SCHEMA = pd.DataFrame({"attribute": [f"a{i}" for i in range(20)]})


def rate(seconds: list[float]) -> str:
    """Return calls a second, the median and the 99th percentile in milliseconds."""
    ordered = sorted(seconds)
    at = [1000 * ordered[int(share * (len(ordered) - 1))] for share in (0.5, 0.99)]
    return f"{len(seconds) / sum(seconds):8.0f} a second, median {at[0]:.2f} ms, p99 {at[1]:.2f} ms"


def timed(calls: list) -> list[float]:
    """Return the seconds of each call."""
    seconds = []
    for call in calls:
        began = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - began)
    return seconds


def empty(folder: pathlib.Path, calls: int) -> list[float]:
    """Time transactions that write one row."""
    connection = sqlite3.connect(folder / "empty.db", isolation_level=None)
    connection.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE t (x);")
    return timed([lambda: connection.executescript("BEGIN IMMEDIATE; INSERT INTO t VALUES (1); COMMIT")] * calls)


def study(folder: pathlib.Path, calls: int) -> tuple[list[float], list[float]]:
    """Time `next` for one new subject, and `tell` of one value."""
    with Study.create(folder / "trial.hs", SCHEMA, "y", budget=4, who="lab") as of:
        names = [f"p{i}" for i in range(calls)]
        asks: list[pd.DataFrame] = []
        drawn = timed([lambda name=name: asks.append(of.next([name])) for name in names])
        rows = [
            pd.DataFrame({"subject": [name], ask["ask_list"][0].split()[0]: [1.5]})
            for name, ask in zip(names, asks, strict=True)
        ]
        return drawn, timed([lambda row=row: of.tell(row) for row in rows])


def optuna_study(folder: pathlib.Path, calls: int) -> tuple[list[float], list[float]]:
    """Time Optuna's `ask` of one drawn number, and its `tell` of one value."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    print(f"Optuna {optuna.__version__}")
    sampler = optuna.samplers.RandomSampler(seed=0)
    of = optuna.create_study(storage=f"sqlite:///{folder / 'optuna.db'}", sampler=sampler)
    trials: list[optuna.Trial] = []

    def ask() -> None:
        trials.append(of.ask())
        trials[-1].suggest_float("x", 0, 1)

    drawn = timed([ask] * calls)
    return drawn, timed([lambda trial=trial: of.tell(trial, 1.5) for trial in trials])


def served(program: str, folder: pathlib.Path, calls: int, clients: int) -> list[float]:
    """Time requests that tell one value each, from several clients at once."""
    path = folder / "served.hs"
    with Study.create(path, SCHEMA, "y", budget=4, who="lab") as of:
        asks = of.next([f"p{i}" for i in range(calls)])
    token = subprocess.run(
        [program, "study", "people", path, "--admit", "lab", "--role", "collector"],
        check=True, capture_output=True, text=True,
    ).stdout.strip()  # fmt: skip
    command = [program, "study", "serve", path, "--listen", "127.0.0.1:0", "--json"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    host = json.loads(server.stdout.readline())["address"].removeprefix("http://")
    lists = list(zip(asks["subject"], asks["ask_list"], strict=True))
    seconds: list[float] = []

    def tell(part: list[tuple[str, str]]) -> None:
        connection = http.client.HTTPConnection(host)
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        for subject, attributes in part:
            row = {"subject": subject, "values": {attributes.split()[0]: 1.5}}
            began = time.perf_counter()
            connection.request("POST", "/api/v1/tell", json.dumps({"answers": [row]}), headers)
            answer = connection.getresponse()
            assert answer.status == 200 and b'"stored":1' in answer.read()
            seconds.append(time.perf_counter() - began)

    threads = [threading.Thread(target=tell, args=(lists[i::clients],)) for i in range(clients)]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    whole = time.perf_counter() - began
    server.terminate()
    server.wait()
    assert len(seconds) == calls
    print(f"server, {clients} clients:      {calls / whole:8.0f} a second in all; each: {rate(seconds)}")
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--server", metavar="PROGRAM")
    parser.add_argument("--optuna", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        print(f"empty transaction:      {rate(empty(folder, args.calls))}")
        drawn, told = study(folder, args.calls)
        print(f"next, one subject:      {rate(drawn)}")
        print(f"tell, one value:        {rate(told)}")
        print(f"empty transaction:      {rate(empty(pathlib.Path(tempfile.mkdtemp(dir=name)), args.calls))}")
        if args.optuna:
            drawn, told = optuna_study(folder, min(args.calls, 500))
            print(f"Optuna, ask:            {rate(drawn)}")
            print(f"Optuna, tell:           {rate(told)}")
        if args.server:
            served(args.server, folder, args.calls, args.clients)


if __name__ == "__main__":
    main()
