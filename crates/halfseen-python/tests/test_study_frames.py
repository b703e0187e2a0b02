"""Tests of the frames that studies take and return, and of what they refuse."""

import datetime
import decimal
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from halfseen import DataWarning, RefusedRows, Study, StudyFileError
from studies import MIXED, NUMBERS, SCHEMA, first_read, other_than_read, subjects


@pytest.fixture
def path(tmp_path):
    return tmp_path / "trial.hs"


@pytest.fixture
def study(path):
    with Study.create(path, SCHEMA, "y", budget=2, who="nurse") as study:
        yield study


def test_wrong_values_are_refused_by_the_label_of_their_row(study):
    asks = study.next(subjects(4))
    wrong = pd.DataFrame(
        {
            "subject": ["p0", "p1", "p2", "nobody"],
            first_read(asks): ["1", "many", None, 2],
            "y": [1, 2, float("inf"), 3],
        },
        index=[10, 20, 30, 40],
    )
    with pytest.raises(
        RefusedRows, match="3 of 4 rows were refused and nothing was stored: row 20"
    ) as caught:
        study.tell(wrong)
    assert isinstance(caught.value, ValueError)
    assert [(of.row, of.subject) for of in caught.value.refused] == [(20, "p1"), (30, "p2"), (40, "nobody")]
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.refused) == (str(caught.value), caught.value.refused)
    assert study.status(fit=False).partial == 0
    dry = study.tell(wrong, check=True)
    assert (dry.stored, len(dry.refused)) == (2, 3)
    assert study.status(fit=False).partial == 0
    kept = study.tell(wrong, keep_going=True)
    assert (kept.stored, [of.row for of in kept.refused]) == (2, [20, 30, 40])
    # Labels that are not unique name no row: positions do.
    twice = pd.DataFrame({"subject": ["p0", "nobody"], "y": [1, 2]}, index=[5, 5])
    assert [of.row for of in study.tell(twice, check=True).refused] == [1]
    # Problems of the frame and of the store are told together, in order.
    both = pd.DataFrame({"subject": ["nobody", "p1", "none"], "y": [1, b"2", 3]})
    with pytest.raises(RefusedRows) as caught:
        study.tell(both)
    assert [of.row for of in caught.value.refused] == [0, 1, 2]
    assert "'y' holds a bytes" in caught.value.refused[1].problem


def test_values_that_are_odd_are_flagged(study, tmp_path):
    asks = study.next(["p0"])
    odd = pd.DataFrame({"subject": ["p0"], other_than_read(asks): [1.0], "y": [99]})
    told = study.tell(odd)
    assert (told.stored, told.unasked, told.outside, len(told.flagged)) == (2, 1, 1, 2)
    with Study.create(tmp_path / "strict.hs", SCHEMA, "y", budget=2, strict=True, unasked="refuse") as strict:
        asks = strict.next(["p0"])
        with pytest.raises(RefusedRows, match="not asked for"):
            strict.tell(pd.DataFrame({"subject": ["p0"], other_than_read(asks): [1.0]}))
        with pytest.raises(RefusedRows, match="outside of its range"):
            strict.tell(pd.DataFrame({"subject": ["p0"], "y": [99]}))


def test_what_is_known_comes_with_the_subjects(path):
    known = SCHEMA.assign(known=[name == "a" for name in SCHEMA["attribute"]])
    with Study.create(path, known, "y", budget=2) as study:
        given = pd.DataFrame(
            {"subject": ["p0", "p1"], "site": ["x", "y"], "a": [1.5, None]}, index=["r", "s"]
        )
        asks = study.next(given)
        assert list(asks["ask_a"]) == [0, 1]
        assert study.export("wide")["a"].iloc[0] == 1.5
        assert len(study.next(given)) == 2
        for value, says in ((2, "'a' is 1.5 already, and now 2"), (b"2", "'a' holds a bytes")):
            wrong = pd.DataFrame({"subject": ["p9", "p0"], "a": [1, value]}, index=["r", "s"])
            with pytest.raises(RefusedRows, match=says) as caught:
                study.next(wrong)
            assert [(of.row, of.subject) for of in caught.value.refused] == [("s", "p0")]
        for name in ("b", "y"):
            with pytest.raises(ValueError, match=f"'{name}' is not marked in the schema as known"):
                study.next(pd.DataFrame({"subject": ["p9"], name: [1]}))
        assert study.status()["subjects"] == 2


def test_files_that_are_no_studies(path, tmp_path):
    with pytest.raises(FileNotFoundError):
        Study(path)
    path.write_text("subject,ask\n")
    with pytest.raises(StudyFileError, match="not the file of a study") as caught:
        Study(path)
    assert isinstance(caught.value, OSError)
    assert isinstance(caught.value, ValueError)
    with pytest.raises(FileExistsError, match="new name"):
        Study.create(path, SCHEMA, "y")
    assert path.read_text() == "subject,ask\n"
    with pytest.raises(OSError, match="no-such"):
        Study.create(tmp_path / "no-such" / "trial.hs", SCHEMA, "y")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"schema": pd.DataFrame({"name": ["a"]})}, "'name' is not a column of a schema"),
        ({"schema": pd.DataFrame({"attribute": ["a", "a"]})}, "'a' is there twice"),
        ({"schema": pd.DataFrame({"attribute": ["blood pressure"]})}, "line 2: .* call it blood_pressure"),
        ({"schema": pd.DataFrame({"attribute": ["a"], "price": [-1]})}, "the price of 'a' is -1"),
        (
            {"schema": pd.DataFrame({"attribute": ["a"], "price": [[1]]})},
            "'price' of the schema holds a list",
        ),
        ({"schema": pd.DataFrame()}, "'attribute' is missing"),
        ({"learner": "karma"}, "karma"),
        ({"learner": "fimml"}, "no learner 'fimml'"),
        ({"budget": 0}, "budget = 0 is not allowed"),
        ({"budgets": 2}, "budgets"),
        ({"unasked": "ignore"}, "must be accept, refuse or learn"),
        ({"unasked": "learn", "learner": "aerr", "budget": 2}, "aerr learns only from .* choose fiml"),
        ({"classes": ["a"]}, "fewer than two choices"),
    ],
)
def test_wrong_setups_make_no_file(path, given, says):
    with pytest.raises(ValueError, match=says):
        Study.create(path, **{"schema": SCHEMA, "target": "y"} | given)
    assert not path.exists()


def test_wrong_types_are_refused(path, study):
    for call in (
        lambda: Study.create(f"{path}2", [["a"]], "y"),
        lambda: Study.create(f"{path}2", SCHEMA, "y", budget=object()),
        lambda: Study(path, who=3),
        lambda: study.next("p1"),
        lambda: study.next([1.5]),
        lambda: study.next([True]),
        lambda: study.next(3),
        lambda: study.tell([{"subject": "p1"}]),
        lambda: Study.draft([1], "y"),
    ):
        with pytest.raises(TypeError):
            call()
    for count in (0, -1, 1.5, True, 10**9):
        with pytest.raises(ValueError, match="count must be"):
            study.next(count=count)
    with pytest.raises(ValueError, match="not both"):
        study.next(["p1"], count=1)
    with pytest.raises(ValueError, match="must be reads, wide"):
        study.export("everything")
    with pytest.raises(ValueError, match="'subject' is missing"):
        study.tell(pd.DataFrame({"y": [1]}))
    with pytest.raises(ValueError, match="no attribute 'z'"):
        study.tell(pd.DataFrame({"subject": ["p1"], "z": [1]}))
    with pytest.raises(ValueError, match="one name"):
        study.tell(pd.DataFrame([["p1", 1, 2]], columns=["subject", "y", "y"]))
    assert len(study.pending()) == 0


def test_cells_are_written_as_csv_holds_them(path, tmp_path):
    (tmp_path / "attributes.csv").write_text(
        "attribute,kind,choices\nn,number,\nday,date,\nrank,category,1|2|3\nyes,category,true|false\n"
    )
    cells = [
        ("n", 3, "3"),
        ("n", 3.0, "3"),
        ("n", 0.1, "0.1"),
        ("n", np.float32(0.1), "0.1"),
        ("n", np.int8(-4), "-4"),
        ("n", decimal.Decimal("1.50"), "1.5"),
        ("n", " 7 ", "7"),
        ("n", "NA", "NA"),
        ("n", "NA:  broken ", "NA: broken"),
        ("n", 10**30, "1000000000000000000000000000000"),
        ("day", datetime.date(2024, 1, 31), "2024-01-31"),
        ("day", datetime.datetime(2024, 1, 31), "2024-01-31"),
        ("day", pd.Timestamp("2024-01-31"), "2024-01-31"),
        ("day", np.datetime64("2024-01-31"), "2024-01-31"),
        ("day", "2024-01-31", "2024-01-31"),
        ("rank", 2, "2"),
        ("rank", 2.0, "2"),
        ("yes", True, "true"),
        ("yes", np.False_, "false"),
    ]
    absent = [None, np.nan, pd.NA, pd.NaT, "", "  ", decimal.Decimal("NaN"), np.datetime64("NaT", "D")]
    with Study.create(path, tmp_path / "attributes.csv", "y", budget=4) as study:
        for at, (name, cell, written) in enumerate(cells):
            study.next([at])
            frame = pd.DataFrame({"subject": [at], name: pd.Series([cell], dtype=object)})
            assert study.tell(frame).stored == 1, cell
            assert list(study.export()["value"])[-1] == written, cell
        study.next(["last"])
        for name in ("n", "day", "rank", "y"):
            for cell in absent:
                frame = pd.DataFrame({"subject": ["last"], name: pd.Series([cell], dtype=object)})
                assert study.tell(frame).stored == 0


def test_hostile_cells_are_refused_and_change_nothing(study):
    asks = study.next(["p1"])
    name = first_read(asks)
    hostile = [
        True,
        b"1",
        1j,
        [1],
        (1,),
        {"a": 1},
        object(),
        np.array([1, 2]),
        float("inf"),
        -np.inf,
        "nan",
        "1e999",
        "1,5",
        "'; DROP TABLE value; --",
        "\ud800",
        "1\x00",
        "9" * 100_000,
        datetime.timedelta(1),
        datetime.time(1),
        datetime.date(2024, 1, 1),
        decimal.Decimal("sNaN"),
        10**5000,
    ]
    for cell in hostile:
        frame = pd.DataFrame({"subject": ["p1"], name: pd.Series([cell], dtype=object)})
        with pytest.raises(RefusedRows) as caught:
            study.tell(frame)
        assert len(str(caught.value)) < 1500
    for subject in ["", None, np.nan, "x" * 300, "a\nb", "\ud800", [1], b"p1"]:
        frame = pd.DataFrame({"subject": pd.Series([subject], dtype=object), "y": [1]})
        with pytest.raises(RefusedRows):
            study.tell(frame)
    for ask in ["first", -1, 1.5, 99, 10**30, True]:
        frame = pd.DataFrame({"subject": ["p1"], "ask": pd.Series([ask], dtype=object), "y": [1]})
        with pytest.raises(RefusedRows, match="ask"):
            study.tell(frame)
    assert study.status(fit=False).partial == 0
    assert study.check() == []
    assert study.tell(pd.DataFrame({"subject": ["p1"], "ask": [0.0], "y": [1]})).stored == 1


def test_names_like_formulas_and_quotes_come_back(study):
    names = ["=1+1", "-x", "@x", "'=x", "it's", "+5", "Ünïcode", 'a "b", c', "5"]
    asks = study.next(names)
    assert list(asks["subject"]) == names
    study.tell(pd.DataFrame({"subject": asks["subject"], "y": range(len(asks))}), source="=cmd()")
    assert list(study.export("wide")["subject"]) == names
    assert set(study.export()["source"]) == {"=cmd()"}


def test_other_frames_are_told_and_asked(path):
    with Study.create(
        path, pl.DataFrame({"attribute": NUMBERS, "known": [True, False, False, False]}), "y"
    ) as of:
        assert list(of.schema["known"]) == [True, False, False, False, False]
        asks = of.next(pl.DataFrame({"subject": ["p1", "p2"]}))
        frame = pl.DataFrame({"subject": ["p1", "p2"], "ask": asks["ask"].tolist(), "y": [1.5, None]})
        told = of.tell(frame)
        assert (told.stored, told.rows) == (1, 2)
        with pytest.raises(RefusedRows) as caught:
            of.tell(frame.with_columns(y=pl.lit("much")))
        assert [problem.row for problem in caught.value.refused] == [0, 1]


def test_the_schema_comes_back(path, tmp_path):
    (tmp_path / "attributes.csv").write_text(MIXED)
    with Study.create(path, tmp_path / "attributes.csv", "y", budget=2) as study:
        schema = study.schema
    assert list(schema["attribute"]) == ["a", "b", "c", "seen", "kind", "y"]
    assert schema["low"][3] == "2020-01-01"
    with Study.create(f"{path}2", schema, "y", budget=2) as again:
        pd.testing.assert_frame_equal(again.schema, schema)


def test_a_draft_is_a_schema(path):
    rows = 300
    table = pd.DataFrame(
        {
            "size": np.arange(rows) % 7,
            "colour": ["red", "blue"] * (rows // 2),
            "smokes": [True, False, False] * (rows // 3),
            "seen": [f"2024-01-{1 + row % 28:02}" for row in range(rows)],
            "name": [f"person {row}" for row in range(rows)],
            "y": np.linspace(-1, 1, rows),
        }
    )
    with pytest.warns(DataWarning, match="'name' is left out: a text of 300 categories"):
        schema = Study.draft(table, "y")
    assert list(schema["attribute"]) == ["size", "colour", "smokes", "seen", "y"]
    assert list(schema["kind"]) == ["number", "category", "category", "date", "number"]
    assert list(schema["choices"]) == ["", "blue|red", "false|true", "", ""]
    assert (schema["low"][0], schema["high"][0]) == (0, 6)
    with Study.create(path, schema, "y", budget=4) as study:
        study.next(["p1"])
        row = table[["colour", "smokes", "seen", "y"]].head(1).assign(subject="p1")
        assert study.tell(row).stored == 4
    with pytest.raises(ValueError, match="no column"):
        Study.draft(table, "z")
