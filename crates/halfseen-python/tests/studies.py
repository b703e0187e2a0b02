"""A trial whose truth is known, for the tests of studies."""

import datetime

import numpy as np
import pandas as pd

NUMBERS = ["a", "b", "c", "d"]
SCHEMA = pd.DataFrame({"attribute": [*NUMBERS, "y"], "low": [-5.0] * 4 + [-50.0], "high": [5.0] * 4 + [50.0]})
MIXED = """attribute,kind,unit,low,high,panel,price,known,choices
a,number,mmol/L,-5,5,,1,,
b,number,,-5,5,blood,3,,
c,number,,-5,5,blood,3,,
seen,date,,2020-01-01,2030-12-31,,1,,
kind,category,,,,,2,,red|green|blue
y,number,,-50,50,,,,
"""


def truth(subject, name):
    """Return what a subject would show."""
    draw = np.random.default_rng(int(subject[1:]))
    values = dict(zip(NUMBERS, draw.normal(size=4).round(3), strict=True))
    values["y"] = round(2 * values["a"] - values["b"] + 0.1 * draw.normal(), 3)
    values["seen"] = datetime.date(2024, 1, 1 + int(subject[1:]) % 28)
    values["kind"] = ["red", "green", "blue"][int(subject[1:]) % 3]
    return values[name]


def answers(asks, names=NUMBERS, target=True):
    """Return the answers to a frame of asks."""
    rows = []
    for subject, asked in zip(asks["subject"], asks["ask_list"], strict=True):
        row = {"subject": subject} | {name: truth(subject, name) for name in asked.split()}
        rows.append(row | ({"y": truth(subject, "y")} if target else {}))
    return pd.DataFrame(rows, columns=["subject", *names, "y"])


def subjects(count):
    return [f"p{number}" for number in range(count)]


def filled(study, count=120, **of):
    asks = study.next(subjects(count))
    study.tell(answers(asks, **of))
    return asks


def probe(rows=5, names=NUMBERS):
    return pd.DataFrame([{name: truth(f"p{1000 + row}", name) for name in names} for row in range(rows)])


def first_read(asks, row=0):
    return asks["ask_list"][row].split()[0]


def other_than_read(asks, row=0):
    return next(name for name in NUMBERS if name not in asks["ask_list"][row].split())
