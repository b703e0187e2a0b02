"""Run methods in processes of their own on the same splits of tables, for the scripts that compare halfseen with its peers."""

import argparse
import importlib.metadata
import json
import multiprocessing
import pathlib

import numpy as np


def flags(doc, packages, seconds, **further):
    """Read tables, splits, seconds and out, and further flags with these defaults; print the versions of the packages."""
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument("tables", nargs="+", type=pathlib.Path)
    for name, default in further.items():
        kind = {"action": "store_true"} if default is False else {"type": type(default), "default": default}
        parser.add_argument(f"--{name}", **kind)
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=seconds)
    parser.add_argument("--out", type=pathlib.Path)
    given = parser.parse_args()
    print(", ".join(f"{name} {importlib.metadata.version(name)}" for name in packages))
    return given


def alone(measured, *work):
    """Run a method in a process of its own; the last of `work` is its limit in seconds of processor time."""
    context = multiprocessing.get_context("spawn")
    answers = context.SimpleQueue()
    process = context.Process(target=measured, args=(*work, answers))
    process.start()
    process.join()
    return answers.get() if not answers.empty() else {"failed": f"no end within {work[-1]} s of processor time"}


def each(given, setting, methods, measured, data, forms):
    """Run every method on every split of every table, and print a table of means for each figure.

    `given` has tables, splits and out, `data` returns what a method gets of a table and a split. What the file `out` holds is
    not computed again. A method that does not end once is not tried on further splits.
    """
    done = json.loads(given.out.read_text()) if given.out and given.out.exists() else {}
    results = {}
    for path in given.tables:
        name = path.name.split(".")[0]
        results[name] = {}
        for number in range(given.splits):
            work = data(path, number)
            for method in methods:
                key = f"{name} {setting} {number} {method}"
                failed = any("failed" in r for r in results[name].get(method, []))
                if key not in done and not failed:
                    done[key] = alone(measured, method, *work)
                    print(key, done[key], flush=True)
                    if given.out:
                        given.out.write_text(json.dumps(done, indent=1))
                if key in done:
                    results[name].setdefault(method, []).append(done[key])
    for what, form in forms.items():
        print(f"\n{what}\n\n| table | {' | '.join(methods)} |\n|---|{'--:|' * len(methods)}")
        for name, of in results.items():
            cells = []
            for method in methods:
                found = [r[what] for r in of.get(method, []) if what in r]
                cells.append(form.format(np.mean(found)) if found and len(found) == len(of[method]) else "-")
            print(f"| {name} | {' | '.join(cells)} |")
