"""Tests of docs/recipes: forms are converted, tools are played from their forms, and answers are told."""

import csv
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = os.environ.get("HALFSEEN_PROGRAM")
needs_program = pytest.mark.skipif(not PROGRAM, reason="HALFSEEN_PROGRAM does not name the program")
RECIPES = Path(__file__).parents[3] / "docs" / "recipes"
ATTRIBUTES = RECIPES / "attributes.csv"
NAMES = ["age", "sodium", "potassium", "crp", "glucose", "hemoglobin", "smoker", "pain", "sleep"]
FORMS = {
    "redcap": "dictionary.csv",
    "odk": "form.xlsx",
    "limesurvey": "survey.txt",
    "qualtrics": "survey.txt",
}
EXPORTS = {
    "redcap": "redcap/export.csv",
    "odk": "odk/submissions.csv",
    "limesurvey": "limesurvey/results.csv",
    "qualtrics": "qualtrics/responses.csv",
    "sheet": "spreadsheet/sheet.csv",
}
# What the samples beside the recipes say, of whatever tool.
SAMPLE = {
    "p1": {"age": "61", "crp": "12.5", "glucose": "5.4", "smoker": "former", "days": "12"},
    "p2": {"age": "47", "sodium": "139", "potassium": "NA", "glucose": "6.1", "smoker": "never"},
    "p3": {"age": "70", "crp": "88", "glucose": "7.25", "hemoglobin": "131", "days": "21"},
}


def run(script, *words, code=0, cwd=None, **environment):
    """Run a script of the recipes, and return what it prints."""
    command = [sys.executable, RECIPES / script, *words]
    more = {"PYTHONDONTWRITEBYTECODE": "1"} | environment
    done = subprocess.run(
        command, capture_output=True, encoding="utf-8", cwd=cwd, env=os.environ | more, timeout=60
    )
    assert done.returncode == code, done.stderr
    if code:
        assert "Traceback" not in done.stderr
        assert done.stdout == ""
    return done.stdout, done.stderr


def convert(*words, **of):
    return run("convert.py", *words, **of)[0]


def refused(*words, **of):
    return run("convert.py", *words, code=2, **of)[1]


def rows(text, mark=","):
    """Return the rows of a CSV text as dicts."""
    return list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff")), delimiter=mark))


def as_csv(lines, mark=","):
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=mark, lineterminator="\n").writerows(lines)
    return out.getvalue()


def told(text):
    """Return what answers say of each subject."""
    found = {}
    for row in rows(text):
        subject = row.pop("subject")
        for name, cell in row.items():
            if cell:
                assert name not in found.get(subject, {}), "told twice"
                found.setdefault(subject, {})[name] = "NA" if cell.startswith("NA") else cell
    return found


@pytest.mark.parametrize("tool", FORMS)
def test_forms_are_those_of_the_attributes(tool, tmp_path):
    run("forms.py", tool, ATTRIBUTES, "days", "--out", tmp_path / "form")
    assert (tmp_path / "form").read_bytes() == (RECIPES / tool / FORMS[tool]).read_bytes()


@pytest.mark.parametrize("tool", EXPORTS)
def test_samples_are_converted(tool):
    text = convert(f"{tool}-answers", ATTRIBUTES, RECIPES / EXPORTS[tool])
    assert rows(text)[0].keys() == {"subject", *NAMES, "days"}
    assert told(text) == SAMPLE
    assert {row["subject"] for row in rows(text)} == SAMPLE.keys(), "others have no values"


def test_what_is_left_out_is_said():
    said = {
        tool: run("convert.py", f"{tool}-answers", ATTRIBUTES, RECIPES / export)[1]
        for tool, export in EXPORTS.items()
    }
    assert said["redcap"] == said["sheet"] == ""
    assert "rejected in the review: line 3\n" in said["odk"]
    assert "not submitted: line 3\n" in said["limesurvey"]
    assert "without a subject: line 5\n" in said["limesurvey"]
    assert re.search("previews and tests: line .*\n.*not finished: line", said["qualtrics"])
    assert said["qualtrics"].count("\n") == 2, "of its headers nothing is said"


def test_pyxform_makes_a_form_that_shows_what_is_asked():
    from pyxform.xls2xform import convert as xls2xform

    done = xls2xform(str(RECIPES / "odk" / "form.xlsx"))
    assert done.warnings == []
    form = " ".join(done.xform.split())
    binds = dict(re.findall(r'<bind nodeset="/data/(\w+)"[^>]*relevant="([^"]*)"', form))
    assert binds == {name: f"selected( /data/ask_list , '{name}')" for name in NAMES}
    assert '<bind nodeset="/data/days" type="decimal"/>' in form
    assert '<instance id="asks" src="jr://file-csv/asks.csv"/>' in form
    item = "instance('asks')/root/item[subject= /data/subject ]"
    assert f'<bind nodeset="/data/ask_list" type="string" calculate="{item}/ask_list"/>' in form
    assert re.search(r'<select1 ref="/data/subject">.*?<value ref="subject"/><label ref="label"/>', form)
    assert re.findall(r"<item><name>([^<]*)</name>", form) == ["never", "former", "now", "-99"]


def truth(subject, name):
    """Return what a subject shows; some of it could not be had."""
    i = int(subject[1:]) * 7 + len(name)
    if name == "smoker":
        return ["never", "former", "now", "could not be had"][i % 4]
    if name == "glucose" and i % 5 == 0:
        return "-99"
    low, high = {"age": (18, 99), "sodium": (120, 160), "hemoglobin": (90, 160), "days": (1, 59)}.get(
        name, (2, 8)
    )
    return str(low + i * 37 % ((high - low) * 10) / 10)


def told_of(subject, name):
    value = truth(subject, name)
    return "NA" if value in ("-99", "could not be had") else value


def played_redcap(imported):
    """Answer what the branching logic of the data dictionary shows."""
    dictionary = rows((RECIPES / "redcap/dictionary.csv").read_text())
    asked = next(row for row in dictionary if row["Field Type"] == "checkbox")
    assert asked["Variable / Field Name"] == "halfseen_ask"
    assert asked["Field Annotation"] == "@HIDDEN"
    choices = asked["Choices, Calculations, OR Slider Labels"].split(" | ")
    boxes = [f"halfseen_ask___{choice.split(',')[0]}" for choice in choices]
    fields = {row["Variable / Field Name"]: row for row in dictionary[2:]}
    lines = [["record_id", *boxes, *fields, "reads_complete"]]
    for row in rows(imported):
        assert list(row) == ["record_id", *boxes]
        cells = []
        for name, field in fields.items():
            logic = field["Branching Logic (Show field only if...)"]
            box = re.fullmatch(r"\[halfseen_ask\((\w+)\)\] = '1'", logic)
            shown = name == "days" or row[f"halfseen_ask___{box[1]}"] == "1"
            value = truth(row["record_id"], name) if shown else ""
            codes = re.findall(r"([\w-]+), ", field["Choices, Calculations, OR Slider Labels"])
            value = "-99" if value == "could not be had" else value
            assert not codes or value in ["", *codes]
            cells.append(value)
        lines.append([*row.values(), *cells, "2"])
    return as_csv(lines)


def played_odk(imported):
    """Answer what the relevance of the form shows."""
    from openpyxl import load_workbook

    sheet = load_workbook(RECIPES / "odk/form.xlsx")["survey"]
    header, *questions = sheet.iter_rows(values_only=True)
    questions = [dict(zip(header, question, strict=True)) for question in questions]
    assert questions[0]["type"] == "select_one_from_file asks.csv"
    names = {question["name"]: question["relevant"] for question in questions[3:]}
    lines = [["SubmissionDate", "subject", "ask", "ask_list", *names, "KEY", "ReviewState"]]
    for row in rows(imported):
        assert row["label"] == row["subject"]
        cells = []
        for name, relevant in names.items():
            found = re.fullmatch(r"selected\(\$\{ask_list\}, '(\w+)'\)", relevant or "")
            shown = not relevant or found[1] in row["ask_list"].split(" ")
            value = truth(row["subject"], name) if shown else ""
            cells.append("-99" if value == "could not be had" else value)
        lines.append(["2026-11-02", row["subject"], row["ask"], row["ask_list"], *cells, "uuid:1", ""])
    return as_csv(lines)


def played_limesurvey(imported):
    """Answer what the relevance equations show."""
    survey = rows((RECIPES / "limesurvey/survey.txt").read_text(encoding="utf-8"), "\t")
    relevance = {row["name"]: row["relevance"] for row in survey if row["class"] == "Q"}
    assert next(row["text"] for row in survey if row["name"] == "anonymized") == "N"
    lines = [["id", "submitdate", "token", *relevance]]
    for row in rows(imported):
        cells = []
        for name, equation in relevance.items():
            found = re.fullmatch(r'strpos\(TOKEN:ATTRIBUTE_1, "(\S+)"\) > 0', equation)
            shown = equation == "1" or row["attribute_1"].find(found[1]) > 0
            if found:
                # In the browser older versions take what is looked for as a regular expression.
                there = re.search(found[1], row["attribute_1"])
                assert shown == (there is not None and there.start() > 0)
            cells.append(truth(row["token"], name) if shown else "")
        lines.append(["1", "2026-11-02", row["token"], *cells])
    return as_csv(lines)


def played_qualtrics(imported):
    """Answer where the embedded data is 1; the export has three rows of headers."""
    survey = (RECIPES / "qualtrics/survey.txt").read_text()
    names = re.findall(r"\[\[ID:(\w+)\]\]", survey)
    lines = [["Status", "Finished", "ExternalReference", *names]]
    lines.append(
        ["Response Type", "Finished", "External Data Reference", *(f"{name}\ntext" for name in names)]
    )
    ids = ["status", "finished", "externalDataReference", *names]
    lines.append([json.dumps({"ImportId": name}, separators=(",", ":")) for name in ids])
    for row in rows(imported):
        subject = row["ExternalDataReference"]
        cells = [truth(subject, name) if row.get(f"ask_{name}", "1") == "1" else "" for name in names]
        lines.append(["IP Address", "True", subject, *cells])
    return as_csv(lines)


def played_sheet(imported):
    """Fill the empty cells, as one who writes decimal commas; the mark of a German Excel."""
    lines = rows(imported)
    for row in lines:
        for name, cell in list(row.items())[2:]:
            row[name] = {"": told_of(row["subject"], name).replace(".", ","), ".": "."}[cell]
    return "\ufeff" + as_csv([list(lines[0]), *(list(row.values()) for row in lines)], ";")


def program(folder, line, code=0):
    done = subprocess.run(
        [os.path.abspath(PROGRAM), *line.split()], capture_output=True, text=True, cwd=folder, timeout=60
    )
    assert done.returncode == code, done.stderr
    return done.stdout


@pytest.fixture
def asked(tmp_path):
    """Make a study with 40 asks, and return its folder."""
    (tmp_path / "ids.csv").write_text("subject\n" + "".join(f"p{i}\n" for i in range(1, 41)))
    people = [["subject", "firstname", "lastname", "email"]]
    people += [[f"p{i}", "A", f"B{i}", f"p{i}@example.org"] for i in range(1, 41)]
    (tmp_path / "people.csv").write_text(as_csv(people))
    program(tmp_path, f"study new trial.hs --schema {ATTRIBUTES} --target days --budget 3")
    program(tmp_path, "study next trial.hs --subjects ids.csv --out asks.csv")
    return tmp_path


@needs_program
@pytest.mark.parametrize("tool", EXPORTS)
def test_asks_go_through_the_tool_and_come_back_as_answers(tool, asked):
    words = ["asks.csv"] if tool != "sheet" else [ATTRIBUTES, "asks.csv"]
    if tool in ("limesurvey", "qualtrics"):
        words += ["--people", "people.csv"]
    convert(f"{tool}-asks", *words, "--out", "import.csv", cwd=asked)
    imported = (asked / "import.csv").read_text(encoding="utf-8")
    (asked / "export.csv").write_text(globals()[f"played_{tool}"](imported), encoding="utf-8")
    convert(f"{tool}-answers", ATTRIBUTES, "export.csv", "--out", "answers.csv", cwd=asked)
    answers = told((asked / "answers.csv").read_text())
    expected = {
        row["subject"]: {name: told_of(row["subject"], name) for name in [*row["ask_list"].split(), "days"]}
        for row in rows((asked / "asks.csv").read_text())
    }
    assert answers == expected
    assert any("NA" in of.values() for of in answers.values())
    result = json.loads(program(asked, "study tell trial.hs answers.csv --json"))[0]["told"]
    assert (result["completed"], result["refused"]) == (40, [])
    assert (result["unasked"], result["outside"]) == (0, 0)
    # The same export again changes nothing.
    result = json.loads(program(asked, "study tell trial.hs answers.csv --json"))[0]["told"]
    assert (result["stored"], result["completed"]) == (0, 0)


SHEET = """attribute,kind,low,high,choices
sodium,number,110,170,
crp,number,0,5000,
seen,date,,,
grade,category,,,1-2|3-4
"""
# What stands in a file for each row of the table in the recipe for spreadsheets.
ODD = {
    "a byte order mark, CR LF": "\ufeffsubject,sodium,crp,seen,grade\r\np1,140.5,,,\r\n",
    "semicolons or tabs between cells": "subject;sodium;crp;seen;grade\np1;140.5;;;\n",
    "`140,5` between semicolons or tabs": "subject;sodium;crp;seen;grade\np1;140,5;;;\n",
    "a first line `sep=;`": "sep=;\nsubject;sodium;crp;seen;grade\np1;140.5;;;\n",
    'decimal commas between commas, `"140,5"`': 'subject,sodium,crp,seen,grade\np1,"140,5",,,\n',
    "`1.234,5`": 'subject,sodium,crp,seen,grade\np1,140.5,"1.234,5",,\n',
    "the mark `.`": "subject,sodium,crp,seen,grade\np1,140.5,.,.,.\n",
    "empty rows at the end (`,,,`)": "subject,sodium,crp,seen,grade\np1,140.5,,,\n,,,,\n",
    "a column of notes": "subject,sodium,crp,seen,grade,notes\np1,140.5,,,,tired\n",
    "dates as `31.01.2026`": "subject,sodium,crp,seen,grade\np1,140.5,,31.01.2026,\n",
    "dates as `01/02/2026`": "subject,sodium,crp,seen,grade\np1,140.5,,01/02/2026,\n",
    "`#REF!`, `#N/A`": "subject,sodium,crp,seen,grade\np1,140.5,#N/A,,\n",
    "saved as a workbook, UTF-16 or Latin-1": "subject,sodium,crp,seen,grade\nJ\u00fcrgen,1,,,\n".encode(
        "latin-1"
    ),
    "a choice such as `1-2` that became `02-Jan`": "subject,sodium,crp,seen,grade\np1,140.5,,,02-Jan\n",
    "a subject `0012` that became `12`": "subject,sodium,crp,seen,grade\n12,140.5,,,\n",
    "5.11 that became the date `05. Nov`": "subject,sodium,crp,seen,grade\np1,140.5,05. Nov,,\n",
}


def odd_rows():
    """Return the rows of the table in the recipe."""
    page = (RECIPES / "spreadsheet" / "README.md").read_text(encoding="utf-8")
    table = page.split("|---|---|---|\n")[1].split("\n\n")[0]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in table.splitlines()]


def test_the_table_of_spreadsheets_is_tested():
    assert [row[0] for row in odd_rows()] == list(ODD)


@needs_program
@pytest.mark.parametrize(("what", "alone", "after"), odd_rows(), ids=lambda cell: cell[:20])
def test_what_spreadsheets_do_to_files(what, alone, after, tmp_path):
    contents = [ODD[what] if isinstance(ODD[what], bytes) else ODD[what].encode()]
    if "tabs" in what:
        contents.append(contents[0].replace(b";", b"\t"))
    if "UTF-16" in what:
        contents += [ODD["the mark `.`"].encode("utf-16"), (RECIPES / "odk" / "form.xlsx").read_bytes()]
    if "#REF" in what:
        contents.append(contents[0].replace(b"#N/A", b"#REF!"))
    (tmp_path / "B").write_text(SHEET + "days,number,0,60,\n")
    (tmp_path / "C").write_text(SHEET)
    for at, content in enumerate(contents):
        program(tmp_path, f"study new t{at}.hs --schema B --target days --budget 3")
        (tmp_path / "ids.csv").write_text("subject\np1\n0012\n")
        program(tmp_path, f"study next t{at}.hs --subjects ids.csv --out asks.csv")
        (tmp_path / "sheet.csv").write_bytes(content)
        check, code = ("--check", 0) if alone.startswith("read") else ("", 2)
        program(tmp_path, f"study tell t{at}.hs sheet.csv {check}", code=code)
        words = ["convert.py", "sheet-answers", "C", "sheet.csv", "--out", "answers.csv"]
        if after == "refused" or after.startswith("refused:") or "Latin-1" in what:
            run(*words, code=2, cwd=tmp_path)
            continue
        run(*words, cwd=tmp_path)
        stored = after.startswith(("read", "left out"))
        program(tmp_path, f"study tell t{at}.hs answers.csv", code=0 if stored else 2)
        if stored:
            wide = rows(program(tmp_path, f"study export t{at}.hs --wide"))[0]
            assert wide["sodium"] == "140.5"
            assert wide["seen"] == ("2026-01-31" if "31.01" in what else "")


ASKS = "subject,ask,ask_sodium,ask_crp,ask_list\n"


@pytest.mark.parametrize(
    ("words", "content", "message"),
    [
        ("redcap-asks F", "subject,ask\np1,0\n", "no column 'ask_list'; give the file that"),
        ("redcap-asks F", "", "no column 'subject'"),
        ("redcap-asks F", ASKS + "p1,0,1\n", "line 2: it has 3 cells, and the header has 5"),
        ("redcap-asks F", b"PK\x03\x04\xff\xfe", "not UTF-8 text; save it as 'CSV UTF-8', not as a workbook"),
        ("redcap-asks absent.csv", "", "absent.csv: No such file"),
        ("redcap-answers A F", "Record ID,Sodium\np1,3\n", "no column 'record_id'.*raw data"),
        ("redcap-answers F F", "record_id,sodium\n", "no column 'attribute'; give the attributes.csv"),
        ("redcap-answers A F", 'record_id,"sodium\n', "cannot be read as CSV"),
        ("redcap-answers A F", "record_id,crp,crp\n", "'crp' is there twice"),
        ("limesurvey-asks F", ASKS + "p 1,0,1,0,sodium\n", "'p 1' cannot be a token"),
        ("limesurvey-asks F --people F", ASKS + "p1,0,1,0,sodium\n", "no column 'firstname'"),
        ("limesurvey-answers A F", "Token;1. How?\np1;3\n", "'Question code' and 'Full answers'"),
        ("qualtrics-answers A F", "ResponseId,Q1\nR_1,3\n", "no column 'ExternalReference', 'age'"),
        (
            "sheet-asks A F",
            "subject,ask,ask_zinc,ask_list\np1,0,1,zinc\n",
            "no column 'zinc'; the asks are of",
        ),
        ("sheet-answers B F", "subject,seen,dose\np1,01/02/2026,\n", "'seen': 01/02/2026 may be day/month"),
        (
            "sheet-answers B F",
            "subject,seen,dose\np1,,#REF!\n",
            "'dose': #REF! is an error of the spreadsheet",
        ),
        ("sheet-answers B F --na 5", "subject,seen,dose\n", "the code 5 lies in the range of 'dose'"),
    ],
)
def test_wrong_files_are_refused(words, content, message, tmp_path):
    data = content if isinstance(content, bytes) else content.encode()
    (tmp_path / "F").write_bytes(data)
    (tmp_path / "B").write_text("attribute,kind,low,high\nseen,date,,\ndose,number,0,10\n")
    words = [str(ATTRIBUTES) if word == "A" else word for word in words.split()]
    said = refused(*words, "--out", "made.csv", cwd=tmp_path)
    assert re.search(message, said), said
    assert not (tmp_path / "made.csv").exists()


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ("1,5;31.1.2026", "1.5,2026-01-31"),
        ("-1,25;2026-01-31", "-1.25,2026-01-31"),
        ("7;2026-01-31 00:00:00", "7,2026-01-31"),
        ("NA;.", "NA,"),
        ("NA: clotted;", "NA: clotted,"),
        ("-99;NA", "NA,NA"),
        # What may be read in two ways is left for the program to refuse.
        ("1.234,5;", '"1.234,5",'),
    ],
)
def test_cells_of_a_spreadsheet(cells, expected, tmp_path):
    (tmp_path / "B").write_text("attribute,kind,low,high\ndose,number,0,10\nseen,date,,\n")
    (tmp_path / "F").write_text(f"\ufeffsubject;dose;seen\n p1 ;{cells}\n", encoding="utf-8")
    assert convert("sheet-answers", "B", "F", cwd=tmp_path) == f"subject,dose,seen\np1,{expected}\n"


@pytest.mark.parametrize("state", ["Not Approved", "validation_status_not_approved"])
def test_kobo_writes_groups_semicolons_and_a_state(state, tmp_path):
    (tmp_path / "B").write_text("attribute,kind\nsodium,number\ndays,number\n")
    lines = [["start", "subject", "ask_list", "blood/sodium", "days", "_id", "_validation_status"]]
    lines += [
        ["2026", "p1", "sodium", "141", "", "1", "Approved"],
        ["2026", "p2", "sodium", "14", "", "2", state],
    ]
    (tmp_path / "F").write_text(as_csv(lines, ";"))
    text, said = run("convert.py", "odk-answers", "B", "F", cwd=tmp_path)
    assert text == "subject,sodium,days\np1,141,\n"
    assert said == "F: left out, rejected in the review: line 3\n"


def test_names_that_halfseen_kept_from_spreadsheets_come_back(tmp_path):
    (tmp_path / "F").write_text(ASKS + "'=a,0,1,0,sodium\n")
    assert rows(convert("redcap-asks", "F", cwd=tmp_path))[0]["record_id"] == "=a"


@pytest.mark.parametrize(
    ("tool", "row", "message"),
    [
        ("redcap", "Sodium,number,,,", "'Sodium' cannot be a name in redcap: small letters"),
        ("redcap", "mood,category,,,not at all|much", "the choice 'not at all' of 'mood' cannot be a code"),
        ("limesurvey", "blood_type,number,,,", "'blood_type' cannot be a name in limesurvey"),
        ("odk", "ask_list,number,,,", "'ask_list' cannot be a name in odk"),
        ("odk", "cold,number,-100,0,", "the code -99 lies in the range of 'cold'"),
        ("qualtrics", "mood,feeling,,,", "'mood' is of kind 'feeling'"),
    ],
)
def test_attributes_that_a_tool_cannot_hold_are_refused(tool, row, message, tmp_path):
    (tmp_path / "B").write_text(f"attribute,kind,low,high,choices\n{row}\ndays,number,0,60,\n")
    said = run("forms.py", tool, "B", "days", "--out", "form", code=2, cwd=tmp_path)[1]
    assert message in said, said
    said = run("forms.py", tool, ATTRIBUTES, "outcome", "--out", "form", code=2, cwd=tmp_path)[1]
    assert "no row 'outcome' for the target" in said
    assert not (tmp_path / "form").exists()


@pytest.mark.parametrize("folder", ["", *FORMS, "spreadsheet"])
def test_commands_of_the_pages_run(folder, tmp_path):
    page = (RECIPES / folder / "README.md").read_text(encoding="utf-8")
    lines = re.findall(r"^ *python (?:\.\./)?((?:convert|forms)\.py) ([^#\n]*)", page, flags=re.MULTILINE)
    assert len(lines) >= 2
    for path in [*RECIPES.glob("*.csv"), *(RECIPES / (folder or "redcap")).glob("*.csv")]:
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "study-asks.csv").write_bytes((RECIPES / "asks.csv").read_bytes())
    for script, words in lines:
        run(script, *words.split(), cwd=tmp_path)
        assert (tmp_path / words.split()[-1]).stat().st_size > 0
