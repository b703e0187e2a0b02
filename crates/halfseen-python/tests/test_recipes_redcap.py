"""Tests of docs/recipes/redcap/sync.py against a server that replays the documented answers of the API."""

import csv
import http.server
import io
import json
import os
import subprocess
import sys
import threading
import urllib.parse
from pathlib import Path

import pytest

RECIPES = Path(__file__).parents[3] / "docs" / "recipes"
NAMES = ["age", "sodium", "potassium", "crp", "glucose", "hemoglobin", "smoker", "pain", "sleep"]
TOKEN = "0123456789ABCDEF0123456789ABCDEF"
DENIED = "You do not have permissions to use the API"


class Reply(http.server.BaseHTTPRequestHandler):
    """Answers as REDCap's API, or with the next fault of the server."""

    def do_POST(self):
        server = self.server
        length = int(self.headers["Content-Length"])
        form = dict(urllib.parse.parse_qsl(self.rfile.read(length).decode(), keep_blank_values=True))
        server.seen.append(form)
        fault = server.faults.pop(0) if server.faults else None
        if fault == "before":  # the connection is lost before the request was read
            self.close_connection = True
            return
        status, answer = self.answer(form)
        if fault == "after":  # it is lost when REDCap has done its work
            self.close_connection = True
            return
        if isinstance(fault, int):
            status, answer = fault, {"error": "Internal Server Error"}
        text = (fault if isinstance(fault, str) and fault[0] == "<" else json.dumps(answer)).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text[: len(text) // 2] if fault == "cut" else text)

    def answer(self, form):
        if form.get("token") != TOKEN:
            return 403, {"error": DENIED}
        if form.get("content") != "record" or form.get("format") != "json" or form.get("type") != "flat":
            return 400, {"error": 'The value of the parameter "content" is not valid'}
        return self.exported(form) if form.get("action") == "export" else self.imported(form)

    def imported(self, form):
        if form.get("overwriteBehavior") != "normal" or form.get("returnContent") != "ids":
            return 400, {"error": "The test wants overwriteBehavior=normal and returnContent=ids"}
        given = json.loads(form["data"])
        unknown = {name for row in given for name in row} - {"record_id", *self.server.fields}
        if unknown:
            listed = ", ".join(sorted(unknown))
            return 400, {
                "error": f"The following fields were not found in the project as real data fields: {listed}"
            }
        for row in given:
            record = self.server.records.setdefault(row["record_id"], dict.fromkeys(self.server.fields, ""))
            if row["record_id"] not in self.server.locked:
                # normal: what is blank changes nothing
                record.update(
                    {name: cell for name, cell in row.items() if cell != "" and name != "record_id"}
                )
        return 200, [row["record_id"] for row in given]

    def exported(self, form):
        fields = [cell for name, cell in form.items() if name.startswith("fields[")]
        wanted = [cell for name, cell in form.items() if name.startswith("records[")]
        bases = {name.split("___")[0] for name in self.server.fields} | {"record_id"}
        if unknown := [name for name in fields if name not in bases]:
            listed = "', '".join(unknown)
            return 400, {
                "error": f"The following values in the parameter \"fields\" are not valid: '{listed}'"
            }
        return 200, [
            {"record_id": record} | {name: cells[name] for name in cells if name.split("___")[0] in fields}
            for record, cells in self.server.records.items()
            if not wanted or record in wanted
        ]

    def log_message(self, *_):
        pass


@pytest.fixture
def redcap():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Reply)
    boxes = [f"halfseen_ask___{name}" for name in NAMES]
    server.fields, server.records = [*boxes, *NAMES, "days"], {}
    server.faults, server.seen, server.locked = [], [], set()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def sync(server, *words, code=0, token=TOKEN, url=None):
    """Run the script, and return what it says."""
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1", "REDCAP_TOKEN": token}
    environment["REDCAP_URL"] = f"http://127.0.0.1:{server.server_port}/api/" if url is None else url
    environment["no_proxy"] = "*"
    done = subprocess.run(
        [sys.executable, RECIPES / "redcap" / "sync.py", *words, "--wait", "0.01"],
        capture_output=True,
        encoding="utf-8",
        env=environment,
        timeout=60,
    )
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    assert TOKEN not in done.stderr + done.stdout
    return done.stderr


def asks(path, subjects):
    """Write asks of some subjects: each is asked two attributes."""
    with open(path, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["subject", "ask", *(f"ask_{name}" for name in NAMES), "ask_list"])
        for i in range(subjects):
            two = {i % 9, (i + 1) % 9}
            flags = [int(at in two) for at in range(9)]
            out.writerow([f"p{i}", i, *flags, " ".join(NAMES[at] for at in sorted(two))])
    return path


def boxes(record):
    return [
        name.removeprefix("halfseen_ask___") for name, cell in record.items() if cell == "1" and "___" in name
    ]


def test_asks_arrive_in_batches_and_are_read_back(redcap, tmp_path):
    said = sync(redcap, "push", asks(tmp_path / "asks.csv", 250))
    assert said == "250 subjects have their asks in REDCap\n"
    assert len(redcap.records) == 250
    assert boxes(redcap.records["p3"]) == ["crp", "glucose"]
    assert redcap.records["p3"]["halfseen_ask___age"] == "0"
    imports = [form for form in redcap.seen if "data" in form]
    assert [len(json.loads(form["data"])) for form in imports] == [100, 100, 50]
    assert len(redcap.seen) == 6
    assert imports[0]["forceAutoNumber"] == "false"


def test_values_that_were_entered_stay(redcap, tmp_path):
    path = asks(tmp_path / "asks.csv", 3)
    sync(redcap, "push", path)
    redcap.records["p1"]["sodium"] = "141"
    sync(redcap, "push", path)
    assert redcap.records["p1"]["sodium"] == "141"


def test_answers_are_fetched(redcap, tmp_path):
    sync(redcap, "push", asks(tmp_path / "asks.csv", 4))
    redcap.records["p0"] |= {"age": "61", "sodium": "-99", "days": "12"}
    redcap.records["p2"] |= {"potassium": "4.1"}
    out = tmp_path / "answers.csv"
    said = sync(redcap, "pull", RECIPES / "attributes.csv", "--out", out)
    assert said == f"{out}: answers of 2 subjects\n"
    found = {row["subject"]: row for row in csv.DictReader(io.StringIO(out.read_text()))}
    assert found.keys() == {"p0", "p2"}
    assert {name: cell for name, cell in found["p0"].items() if cell} == {
        "subject": "p0",
        "age": "61",
        "sodium": "NA",
        "days": "12",
    }
    assert found["p2"]["potassium"] == "4.1"


@pytest.mark.parametrize("fault", ["before", "after", "cut", 500, 503])
def test_a_lost_connection_is_tried_again(redcap, tmp_path, fault):
    path = asks(tmp_path / "asks.csv", 5)
    redcap.faults = [fault, None, fault]
    said = sync(redcap, "push", path)
    assert said.count("trying again") == 2, said
    assert said.endswith("5 subjects have their asks in REDCap\n")
    assert boxes(redcap.records["p4"]) == ["glucose", "hemoglobin"]


@pytest.mark.parametrize("fault", ["before", 502])
def test_it_gives_up_and_says_so(redcap, tmp_path, fault):
    redcap.faults = [fault] * 9
    said = sync(redcap, "push", asks(tmp_path / "asks.csv", 5), code=3)
    assert said.count("trying again") == 3
    assert "gave up after 4 tries. Run the same command again later" in said
    assert "have their asks" not in said


def test_no_server_is_said(redcap, tmp_path):
    path = asks(tmp_path / "asks.csv", 1)
    with http.server.HTTPServer(("127.0.0.1", 0), Reply) as other:
        url = f"http://127.0.0.1:{other.server_port}/api/"
    said = sync(redcap, "push", path, code=3, url=url)
    assert f"no answer from {url}" in said


def test_a_wrong_token_is_refused_at_once(redcap, tmp_path):
    path = asks(tmp_path / "asks.csv", 1)
    said = sync(redcap, "push", path, code=3, token="F" * 32)
    assert said.startswith(f"REDCap answered 403: {DENIED}; check REDCAP_TOKEN")
    assert len(redcap.seen) == 1


def test_a_field_that_the_project_lacks_is_named(redcap, tmp_path):
    redcap.fields.remove("halfseen_ask___crp")
    said = sync(redcap, "push", asks(tmp_path / "asks.csv", 1), code=3)
    assert "REDCap answered 400: The following fields were not found" in said
    assert "halfseen_ask___crp" in said
    redcap.fields.remove("days")
    out = tmp_path / "answers.csv"
    said = sync(redcap, "pull", RECIPES / "attributes.csv", "--out", out, code=3)
    assert "REDCap answered 400" in said
    assert "are not valid: 'days'" in said
    assert not out.exists()


def test_asks_that_did_not_arrive_are_named(redcap, tmp_path):
    path = asks(tmp_path / "asks.csv", 5)
    redcap.locked = {"p2"}
    said = sync(redcap, "push", path, code=3)
    assert "the asks of p2 were sent, and REDCap shows another halfseen_ask___age: ''" in said


def test_what_is_no_api_is_said(redcap, tmp_path):
    redcap.faults = ["<!DOCTYPE html><title>REDCap</title>"]
    said = sync(redcap, "push", asks(tmp_path / "asks.csv", 1), code=3)
    assert "answered no JSON, but '<!DOCTYPE" in said
    assert "is it the address of the API?" in said


def test_settings_are_checked_before_anything_is_sent(redcap, tmp_path):
    path = asks(tmp_path / "asks.csv", 1)
    assert "REDCAP_TOKEN is not set" in sync(redcap, "push", path, code=2, token="")
    assert "REDCAP_URL is not set" in sync(redcap, "push", path, code=2, url="")
    said = sync(redcap, "push", path, code=2, url="http://redcap.example.org/api/")
    assert "the token must travel by https" in said
    (tmp_path / "wrong.csv").write_text("a,b\n1,2\n")
    assert "no column 'subject'" in sync(redcap, "push", tmp_path / "wrong.csv", code=2)
    assert redcap.seen == []
