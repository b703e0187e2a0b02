#!/usr/bin/env python3
"""Compare a study that is collected in waves, with mishaps, with a fit of the same rows: MNIST, 3 against 5.

    scripts/study_as_fit.py FOLDER [--subjects N] [--seeds S]

FOLDER holds MNIST's four files. Each seed draws other rows; both learners are fiml, read 4 of 784 pixels of each
row, and are tested on MNIST's test digits. The study is opened anew for each wave of 200 subjects; 5 % of the
values are refused, and one value of 10 % of the subjects is told wrongly and amended. Needs the Python package.
"""

import argparse
import gzip
import pathlib
import statistics
import tempfile

import numpy as np
import pandas as pd
from halfseen import FIMLClassifier, Study

WAVE, READS, REFUSED, AMENDED = 200, 4, 0.05, 0.1


def digits(folder: pathlib.Path, part: str) -> tuple[np.ndarray, np.ndarray]:
    """Return images of 3 and 5 as rows of pixels from 0 to 1, and which digit each is."""
    images = np.frombuffer(gzip.open(folder / f"{part}-images-idx3-ubyte.gz").read(), np.uint8, offset=16)
    labels = np.frombuffer(gzip.open(folder / f"{part}-labels-idx1-ubyte.gz").read(), np.uint8, offset=8)
    chosen = (labels == 3) | (labels == 5)
    return images.reshape(-1, 784)[chosen] / 255.0, labels[chosen].astype(str)


def collected(path: pathlib.Path, rows: np.ndarray, labels: np.ndarray, seed: int) -> tuple:
    """Return the estimator of a study of these rows, and the shares of values refused and of subjects amended."""
    draw = np.random.default_rng(seed)
    names = [f"pixel{at}" for at in range(784)]
    schema = pd.DataFrame({"attribute": names, "low": 0.0, "high": 1.0})
    Study.create(path, schema, "digit", classes=["3", "5"], budget=READS, seed=seed, who="lab").close()
    refused = amended = 0
    for start in range(0, len(rows), WAVE):
        with Study(path, who="lab") as study:
            wave = range(start, min(start + WAVE, len(rows)))
            asks = study.next([f"s{at}" for at in wave], wave=f"w{start}")
            cells: dict[str, dict[str, object]] = {}
            right = []
            for at, asked in zip(wave, asks["ask_list"], strict=True):
                row = cells[f"s{at}"] = {"digit": labels[at]}
                for name in asked.split():
                    row[name] = rows[at, int(name[5:])]
                    if draw.random() < REFUSED:
                        row[name], refused = "NA: refused", refused + 1
                told = [name for name in asked.split() if isinstance(row[name], float)]
                if told and draw.random() < AMENDED:
                    name = draw.choice(told)
                    right.append((f"s{at}", name, row[name]))
                    row[name] = (row[name] + 0.5) % 1.5 if row[name] <= 0.5 else row[name] - 0.5
            frame = pd.DataFrame.from_dict(cells, orient="index").rename_axis("subject").reset_index()
            study.tell(frame)
            for subject, name, value in right:
                study.amend(subject, name, value, reason="misread")
            amended += len(right)
    with Study(path) as study:
        return study.estimator(), refused / (READS * len(rows)), amended / len(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--subjects", type=int, default=6000)
    parser.add_argument("--seeds", type=int, default=5)
    args = parser.parse_args()
    train, test = digits(args.folder, "train"), digits(args.folder, "t10k")
    names = [f"pixel{at}" for at in range(784)]
    table = pd.DataFrame(test[0], columns=names)
    differences = []
    for seed in range(1, args.seeds + 1):
        chosen = np.random.default_rng(seed).permutation(len(train[1]))[: args.subjects]
        rows, labels = train[0][chosen], train[1][chosen]
        plain = FIMLClassifier(budget=READS, random_state=seed).fit(pd.DataFrame(rows, columns=names), labels)
        fitted = np.mean(plain.predict(table) != test[1])
        with tempfile.TemporaryDirectory() as folder:
            study, refused, amended = collected(pathlib.Path(folder) / "trial.hs", rows, labels, seed)
        wrong = np.mean(study.predict(table).astype(str) != test[1])
        differences.append(wrong - fitted)
        print(f"seed {seed}: study {wrong:.4f} wrong, fit {fitted:.4f} ({refused:.3f} refused, {amended:.3f} amended)")
    mean, spread = statistics.mean(differences), statistics.stdev(differences)
    print(f"{args.subjects} subjects: study - fit {mean:+.4f} (standard deviation {spread:.4f})")


if __name__ == "__main__":
    main()
