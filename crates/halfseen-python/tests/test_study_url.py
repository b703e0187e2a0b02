"""Tests of studies at a URL: what a file gives, a server gives, too."""

import contextlib
import http.server
import json
import subprocess
import threading
import time
import urllib.error
import urllib.request

import numpy as np
import pandas as pd
import pytest
from halfseen import BudgetSpent, RefusedRows, Study
from halfseen.errors import StudyFileError
from serving import admitted, needs_program, served
from studies import MIXED, NUMBERS, SCHEMA, answers, filled, probe, subjects

pytestmark = [needs_program, pytest.mark.server]
NAMES = [*NUMBERS[:3], "seen", "kind"]
HS = "hs_" + "0" * 64


@pytest.fixture
def path(tmp_path):
    return tmp_path / "trial.hs"


@pytest.fixture
def pair(path, tmp_path):
    """A study at a URL, and a copy of its file."""
    (tmp_path / "attributes.csv").write_text(MIXED)
    with Study.create(path, tmp_path / "attributes.csv", "y", budget=2, who="anna") as made:
        made.next(["p0", "p1"])
        made.backup(tmp_path / "copy.hs")
    token = admitted(path, "anna", "steward")
    with (
        served(path) as server,
        Study(server.url, token=token) as there,
        Study(tmp_path / "copy.hs", who="anna") as here,
    ):
        yield there, here


@pytest.fixture
def server(path):
    Study.create(path, SCHEMA, "y", budget=2, total_budget=40, who="nurse").close()
    with served(path) as server:
        yield server


def test_what_is_known_comes_with_the_subjects(path):
    known = SCHEMA.assign(known=[name == "a" for name in SCHEMA["attribute"]])
    Study.create(path, known, "y", budget=2).close()
    token = admitted(path, "anna", "collector")
    with served(path) as server, Study(server.url, token=token) as study:
        asks = study.next(pd.DataFrame({"subject": ["p0", "p1"], "site": ["x", "y"], "a": [1.5, None]}))
        assert list(asks["ask_a"]) == [0, 1]
        wrong = pd.DataFrame({"subject": ["p9", "p0"], "a": [1, 2]}, index=["r", "s"])
        with pytest.raises(RefusedRows, match=r"'a' is 1\.5 already, and now 2") as caught:
            study.next(wrong)
        assert [(of.row, of.subject) for of in caught.value.refused] == [("s", "p0")]
        assert study.status()["subjects"] == 2


def without_times(frame):
    return frame.drop(columns=["at"])


@pytest.mark.filterwarnings("ignore::halfseen.warnings.DataWarning")
def test_a_url_gives_what_a_file_gives(pair):
    there, here = pair
    assert (there.learner, there.attributes, there.target) == (here.learner, here.attributes, here.target)
    assert (there.who, repr(there)) == ("anna", f"Study({there.path!r}, learner='fiml', target='y')")
    pd.testing.assert_frame_equal(there.schema, here.schema)
    asks = there.next(subjects(60), wave="w1")
    pd.testing.assert_frame_equal(asks, here.next(subjects(60), wave="w1"))
    more = [of.next(count=2) for of in pair]
    pd.testing.assert_frame_equal(*more)
    pending = [of.pending(older_than_days=0).drop(columns="days") for of in pair]
    pd.testing.assert_frame_equal(*pending)
    given = answers(asks, NAMES)
    given["kind"] = given["kind"].where(given["kind"] != "red", "NA: '=refused'")
    given.loc[3, "y"] = 70.5
    tells = [of.tell(given, source="=lab") for of in pair]
    assert tells[0] == tells[1]
    assert (tells[0].completed, tells[0].outside, len(tells[0].flagged)) == (60, 1, 1)
    for of in pair:
        of.amend("p3", "y", 7.25, reason="+typing error")
        of.release(more[0]["subject"][0], reason='lost,\n"really"')
        of.withdraw("p5", reason="consent")
    for what in ("reads", "audit"):
        exports = [without_times(of.export(what)) for of in pair]
        if what == "audit":  # people are admitted where the server is
            # Verbs are in the order of time, and the clock may tick between two of one study only.
            exports = [of.sort_values("verb", kind="stable", ignore_index=True) for of in exports]
            exports[0] = exports[0].query("verb != 'admit'").reset_index(drop=True)
        pd.testing.assert_frame_equal(*exports)
    pd.testing.assert_frame_equal(there.export("wide"), here.export("wide"))
    statuses = [dict(of.status(fit=False)) | {"oldest_days": 0, "median_days": 0} for of in pair]
    assert statuses[0] == statuses[1]
    models = [of.model() for of in pair]
    assert models[0]._model.to_json() == models[1]._model.to_json()
    new = probe(20, NAMES)
    np.testing.assert_array_equal(models[0].predict(new), models[1].predict(new))
    assert there.status().risk == here.status().risk > 0
    assert there.check() == []


def test_rows_are_refused_by_their_labels(pair):
    there, here = pair
    asks = there.next(subjects(4))
    here.next(subjects(4))
    frame = answers(asks, NAMES).set_index(pd.Index(["k", "l", "m", "n"]))
    frame["y"] = frame["y"].astype(object)
    frame.loc["l", "y"] = "much"
    frame.loc["n", "subject"] = "nobody"
    found = [of.tell(frame, check=True) for of in pair]
    assert found[0] == found[1]
    assert [problem.row for problem in found[0].refused] == ["l", "n"]
    for of in pair:
        with pytest.raises(
            RefusedRows, match="2 of 4 rows were refused and nothing was stored: row l"
        ) as error:
            of.tell(frame)
        assert [problem.row for problem in error.value.refused] == ["l", "n"]
        assert len(of.export()) == 0
    assert there.tell(frame, keep_going=True) == here.tell(frame, keep_going=True)
    # A row that cannot be sent is refused here, and those that can are counted as they stand.
    frame.loc["k", "y"] = object()
    assert [problem.row for problem in there.tell(frame, check=True).refused] == ["k", "l", "n"]
    assert there.tell(frame[:0]).rows == 0


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda of: of.tell(pd.DataFrame({"subject": ["p0"], "z": [""]})), ValueError, "no attribute 'z'"),
        (lambda of: of.tell(pd.DataFrame({"y": [1]})), ValueError, "column 'subject' is missing"),
        (lambda of: of.next([" "]), ValueError, "is empty"),
        (lambda of: of.next(["x" * 100_000]), ValueError, "at most"),
        (lambda of: of.release("nobody", reason="r"), ValueError, "nobody"),
        (lambda of: of.amend("p0", "z", 1, reason="r"), ValueError, "no attribute 'z'"),
        (lambda of: of.amend("p0", "y", 1, reason="r"), ValueError, "subject 'p0'"),
        (lambda of: of.amend("p0", "y", 1, reason=" "), ValueError, "a reason is needed"),
        (lambda of: of.export("all"), ValueError, "must be reads, wide, audit or erased"),
    ],
)
def test_errors_are_those_of_a_file(pair, call, error, match):
    for of in pair:
        with pytest.raises(error, match=match):
            call(of)


def test_curve_and_erased_subjects_are_those_of_the_file(pair):
    there, here = pair
    pd.testing.assert_frame_equal(there.curve().points, here.curve().points)
    pd.testing.assert_frame_equal(there.export("erased"), here.export("erased"))


def test_what_needs_the_file_says_so(pair, tmp_path):
    there, _ = pair
    with pytest.raises(ValueError, match="halfseen study backup"):
        there.backup(tmp_path / "backup.hs")
    with pytest.raises(ValueError, match="create makes a file"):
        Study.create(there.path, SCHEMA, "y")
    with pytest.raises(ValueError, match="leave who out"):
        Study(there.path, who="anna", token=HS)
    with pytest.raises(ValueError, match="a token is for a server"):
        Study(tmp_path / "copy.hs", token=HS)
    there.close()
    with pytest.raises(ValueError, match="the study is closed"):
        there.status()


def test_a_budget_is_spent(server, path):
    with Study(server.url, token=admitted(path, "anna", "collector")) as study:
        study.next(count=20)
        with pytest.raises(BudgetSpent, match="total_budget is spent"):
            study.next(count=1)


def test_tokens_and_roles(server, path, monkeypatch):
    tokens = {role: admitted(path, role, role) for role in ("reader", "collector", "steward")}
    monkeypatch.delenv("HALFSEEN_TOKEN", raising=False)
    with pytest.raises(PermissionError, match="HALFSEEN_TOKEN"):
        Study(server.url)
    monkeypatch.setenv("HALFSEEN_TOKEN", tokens["reader"])
    reader = Study(server.url)
    assert reader.who == "reader"
    assert reader.status(fit=False).subjects == 0
    with pytest.raises(PermissionError, match="a reader may not do this"):
        reader.next(["p1"])
    collector = Study(server.url, token=tokens["collector"])
    filled(collector, 2)
    with pytest.raises(PermissionError, match="a collector may not do this"):
        collector.amend("p1", "y", 1, reason="r")
    assert set(reader.export()["who"]) == {"collector"}
    with pytest.raises(PermissionError, match=r"this token is unknown.*token=") as error:
        Study(server.url, token=HS)
    assert HS not in str(error.value)
    for token in ("hs_1\nX-Y: z", "hs_ä"):
        with pytest.raises(ValueError, match="characters that no token has") as error:
            Study(server.url, token=token)
        assert token not in str(error.value)
    with pytest.raises(TypeError, match="token must be a text; got a int"):
        Study(server.url, token=1)
    # A new token ends the old one, also of a study that is open.
    admitted(path, "collector", "collector")
    with pytest.raises(PermissionError, match="was taken back"):
        collector.next(["p9"])


@pytest.mark.parametrize(
    ("url", "match"),
    [
        ("http://anna:secret@127.0.0.1:1", "no name and no password"),
        ("http://", "is not the URL of a server"),
        ("http://127.0.0.1:1/?a=b", "is not the URL of a server"),
        ("http://127.0.0.1:many", "many"),
    ],
)
def test_urls_that_are_none(url, match):
    with pytest.raises(ValueError, match=match) as error:
        Study(url, token=HS)
    assert "secret" not in str(error.value)


def test_nothing_listens_there(server):
    server.end()
    began = time.monotonic()
    with pytest.raises(ConnectionError, match="cannot be reached"):
        Study(server.url, token=HS)
    assert time.monotonic() - began < 10


def test_a_server_that_was_killed_is_found_again(server, path):
    study = Study(server.url, token=admitted(path, "anna", "steward"))
    asks = study.next(subjects(10))
    server.end(subprocess.Popen.kill)
    with pytest.raises(ConnectionError, match=r"may be stored or not|cannot be reached"):
        study.next(count=1)
    again = threading.Timer(0.4, server.start)
    again.start()
    assert study.tell(answers(asks)).completed == 10
    again.join()
    assert study.tell(answers(asks)).stored == 0


def test_threads_tell_and_ask_once_each(server, path):
    token, found = admitted(path, "anna", "collector"), []

    def collect():
        with Study(server.url, token=token) as mine:
            for _ in range(5):
                asks = mine.next(count=1)
                found.extend(asks["subject"])
                frame = asks[["subject"]].assign(y=1.5)
                assert mine.tell(frame).stored == 1

    threads = [threading.Thread(target=collect) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == len(set(found)) == 20
    assert Study(server.url, token=token).status(fit=False).partial == 20


@contextlib.contextmanager
def stranger(*replies):
    """Serve these replies in turn, the last one for ever: status, headers and body."""
    seen = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            seen.append((self.command, self.path, self.headers["Authorization"]))
            status, headers, body = replies[min(len(seen), len(replies)) - 1]
            body = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            for name, value in (headers | {"Content-Length": str(len(body))}).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", seen
        finally:
            server.shutdown()
            thread.join()


ABOUT = {
    "api": 1,
    "version": "0.1.0",
    "learner": "fiml",
    "params": {},
    "attributes": [{"name": "a", "kind": "number"}],
    "target": {"name": "y", "kind": "number"},
    "person": {"name": "anna", "role": "admin", "since": "2026-01-01"},
}
BUSY = (503, {}, {"error": "another process has been writing"})


@pytest.mark.parametrize(
    ("reply", "match"),
    [
        ((200, {}, ABOUT | {"api": 2, "version": "9.9"}), r"version 2 .*\(halfseen 9.9\).* speaks version 1"),
        ((200, {}, b"<html>hello"), "no halfseen server"),
        ((200, {}, [1]), "no halfseen server"),
        ((200, {}, b"\xff\xfe"), "no halfseen server"),
        ((404, {}, b"nothing"), "no halfseen server .* HTTP 404"),
        ((404, {}, {"error": "no such route"}), "no halfseen server"),
        ((500, {}, b"oh"), "no halfseen server .* HTTP 500"),
    ],
)
def test_strangers_and_other_versions(reply, match):
    with stranger(reply) as (url, _), pytest.raises(StudyFileError, match=match):
        Study(url, token=HS)


def test_tokens_do_not_follow_redirects():
    with (
        stranger((200, {}, ABOUT)) as (other, seen),
        stranger((302, {"Location": other}, b"")) as (url, _),
        pytest.raises(StudyFileError, match=r"no halfseen server .* HTTP 302"),
    ):
        Study(url, token=HS)
    assert seen == []


def test_what_listens_speaks_no_http():
    with stranger((200, {}, ABOUT)) as (url, _), pytest.raises((ConnectionError, StudyFileError)):
        Study(url.replace("http:", "https:"), token=HS)


def test_busy_servers_are_asked_again_where_that_does_no_harm(monkeypatch):
    failures = []

    class Kept(urllib.error.HTTPError):
        def __init__(self, *args):
            super().__init__(*args)
            failures.append(self)

    monkeypatch.setattr(urllib.error, "HTTPError", Kept)
    monkeypatch.setattr(urllib.request, "HTTPError", Kept)
    told = {"lines": 1, "stored": 1, "repeated": 0, "unasked": 0, "outside": 0, "completed": 0}
    told |= {"refused": [], "flagged": []}
    with stranger((200, {}, ABOUT), BUSY, BUSY, (200, {}, told), BUSY) as (url, seen):
        study = Study(f"{url}/", token=HS)
        assert study.tell(pd.DataFrame({"subject": ["p1"], "y": [1]})).stored == 1
        assert len(seen) == 4
        assert seen[-1] == ("POST", "/api/v1/tell", f"Bearer {HS}")
        with pytest.raises(TimeoutError, match="another process"):
            study.next(count=1)
        assert len(seen) == 5
        with pytest.raises(TimeoutError, match="another process"):
            study.amend("p1", "y", 2, reason="r")
        assert len(seen) == 6
        with pytest.raises(TimeoutError, match="another process"):
            study.next(["p1"])
        assert len(seen) == 10
    assert len(failures) == 8
    assert all(failure.closed for failure in failures)


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        ((500, {}, {"error": "the store: disk full"}), StudyFileError),
        ((429, {}, {"error": "too many attempts"}), PermissionError),
        ((413, {}, {"error": "longer than"}), ValueError),
        ((502, {}, b"Bad gateway"), TimeoutError),
    ],
)
def test_failures_of_a_call(reply, error):
    with stranger((200, {}, ABOUT), reply) as (url, _), pytest.raises(error):
        Study(url, token=HS).release("p1", reason="r")


def test_texts_come_back_as_they_went(server, path):
    study = Study(server.url, token=admitted(path, "anna", "steward"))
    names = [
        "=1+1",
        "'=1",
        "''",
        "@x",
        '<b>"a", b</b>',
        "-5",
        "+x\u00e9\U0001f600",
        "'; DROP TABLE value; --",
    ]
    asks = study.next(names)
    assert list(asks["subject"]) == names
    study.tell(pd.DataFrame({"subject": names, "y": ["NA: =cmd, 'x'\n\"y\"", *range(7)]}), source="@lab")
    for what in ("reads", "wide"):
        assert list(study.export(what)["subject"]) == names
    assert set(study.export()["source"]) == {"@lab"}


def test_the_schema_changes_at_a_url_as_in_a_file(pair):
    new = pd.DataFrame({"attribute": ["later"], "price": [4]})
    assert [of.add_attributes(new, reason="a new assay") for of in pair] == [["later"], ["later"]]
    asks = [of.next(subjects(40)) for of in pair]
    pd.testing.assert_frame_equal(*asks)
    assert asks[0]["ask_later"].sum() > 5
    for of in pair:
        of.retire("later", reason="too dear")
        with pytest.raises(ValueError, match="retired already"):
            of.retire("later", reason="too dear")
    pd.testing.assert_frame_equal(*[of.schema for of in pair])
    pd.testing.assert_frame_equal(*[of.export("wide") for of in pair])
