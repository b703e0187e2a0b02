"""Tests of the server's forms by a browser: without a mouse, without scripts, at 320 pixels."""

import csv
import io
import os
import pathlib

import pytest
from browsing import DESK, PHONE, axe_core, browser
from selenium.webdriver.common.keys import Keys
from serving import admitted, needs_program, program, served

pytestmark = [needs_program, pytest.mark.server]

SCHEMA = """attribute,kind,unit,low,high,panel,price,known,choices
age,number,years,18,100,,0,yes,
sodium,number,mmol/L,110,170,,12,,
crp,number,mg/L,0,500,,9,,
seen,date,,2020-01-01,2030-12-31,,1,,
smoker,category,,,,,1,,never|former|now
site,category,,,,,2,,Aachen|Bonn|Celle|Duisburg|Essen|Fulda|Gera|Halle
outcome,number,days,0,60,,,,
"""
ODD = "x'1 <b>&amp;\"=1+1"


@pytest.fixture
def path(tmp_path):
    """A study that asks for everything, so that what is asked does not depend on draws."""
    path = tmp_path / "trial.hs"
    (tmp_path / "attributes.csv").write_text(SCHEMA)
    line = ["--schema", tmp_path / "attributes.csv", "--target", "outcome", "--budget", 5]
    program("study", "new", path, *line)
    return path


@pytest.fixture
def without_scripts(tmp_path):
    with browser(tmp_path, scripts=False) as window:
        window.size(*PHONE)
        yield window


def drawn(path, who, *names):
    """Draw asks by the program."""
    ids = path.with_name("ids.csv")
    ids.write_text("\n".join(["subject", *names]) + "\n")
    program("study", "next", path, "--subjects", ids, "--who", who)


def answered(path, count):
    """Draw asks for new subjects, and answer them whole."""
    asks, answers = path.with_name("asks.csv"), path.with_name("answers.csv")
    program("study", "next", path, "--count", count, "--out", asks, "--who", "carla")
    lines = ["subject,age,sodium,crp,seen,smoker,site,outcome"]
    for at, ask in enumerate(csv.DictReader(io.StringIO(asks.read_text()))):
        cells = [30 + at % 40, 130 + at % 13, at * 7 % 90, "2026-02-03", "never", "Bonn", 1 + at % 59]
        lines.append(",".join(map(str, [ask["subject"], *cells])))
    answers.write_text("\n".join(lines) + "\n")
    program("study", "tell", path, answers)


def sign_in(window, url, token):
    window.open(f"{url}/")
    assert window.text("h1") == "Sign in"
    window.enter("Your token", token)
    window.follow(Keys.ENTER)


def exported(path):
    """Return what is stored: value, flag, person and source, by subject and attribute."""
    rows = csv.DictReader(io.StringIO(program("study", "export", path, "--reads")))
    names = ("value", "outside", "who", "source")
    return {(row["subject"], row["attribute"]): tuple(row[name] for name in names) for row in rows}


def test_a_collector_enters_answers_by_keyboard_alone_without_scripts(path, without_scripts):
    window, admin = without_scripts, admitted(path, "anna", "admin")
    with served(path) as server:
        # An admin admits her, and she is given asks by the program.
        sign_in(window, server.url, admin)
        assert window.text("h1") == "Status"
        window.press("People")
        window.enter("Name, as the audit will have it", "carla")
        window.press("Admit")
        assert window.text("h1") == "Token of a collector"
        token = window.text("code.token")
        window.press("Sign out")
        drawn(path, "carla", "p1", "p2")

        # She signs in, at the second try.
        sign_in(window, server.url, "hs_wrong")
        assert "this token is unknown" in window.text("[role=alert]")
        assert "this token is unknown" in window.described("Your token")[1]
        window.enter("Your token", token)
        window.follow(Keys.ENTER)
        assert "carla (collector)" in window.text("header")
        assert [link.text for link in window.all("nav a")] == ["Asks", "Status"]
        window.press("Asks")
        assert "2 open asks" in window.text("caption")

        # She enters a part, and goes away.
        window.press("p1")
        assert window.text("h1") == "Subject p1"
        assert window.described("sodium") == ["In mmol/L, usually from 110 to 170"]
        window.enter("age", "62")
        window.enter("sodium", "141.5")
        window.press("Store")
        assert window.text("[role=status]") == "2 values stored."
        window.press("Asks")

        # She comes back, and enters the rest, with two mistakes.
        window.press("p1")
        assert [of.text for of in window.all(".told p")] == ["age 62 years", "sodium 141.5 mmol/L"]
        assert window.all("#v-1") == []
        window.enter("crp", "many")
        window.enter("seen", "03152024")
        window.space("never")
        window.enter("site", "Ha")
        window.enter("outcome", "75")
        window.press("Store")
        problems = [of.text for of in window.all("div.problem li")]
        assert [of.split(":")[0] for of in problems] == ["crp", "outcome"]
        assert "'many' is none" in window.described("crp")[1]
        assert window.described("outcome")[1] == "75 is outside of the range from 0 to 60."
        invalid = [of.accessible_name for of in window.all("[aria-invalid=true]")]
        assert invalid == ["crp", "outcome"]
        # Nothing that she typed is lost, and nothing is stored.
        kept = [window.field(name).get_attribute("value") for name in ("crp", "seen", "site", "outcome")]
        assert kept == ["many", "2024-03-15", "Halle", "75"]
        assert window.field("never").is_selected()
        assert len(exported(path)) == 2

        # The summary leads to the field; she corrects one value and confirms the other.
        window.reach("crp")
        window.keys(Keys.ENTER)
        assert window.driver.current_url.endswith("#v-2")
        window.replace("crp", "12.5")
        window.space("The value is right although it is outside of the range")
        window.press("Store")
        assert window.text("[role=status]") == "5 values stored."
        assert "is complete" in window.text("main p")

        # A new subject, of an odd name, of which she has little.
        window.press("Asks")
        window.enter("Find a subject", ODD)
        window.press("Open")
        assert window.text("h1") == "A new subject?"
        window.press("It is new: draw an ask")
        assert window.text("h1") == f"Subject {ODD}"
        window.space("Not available: crp")
        window.press("Store")
        assert window.text("[role=status]") == "1 value stored."
        window.press("Asks")
        window.press("All open asks, also those that others drew")
        assert window.text("h1") == "All open asks"
        assert [of.text for of in window.all("tbody th")] == ["p2", ODD]
        window.press("Sign out")
        assert window.text("h1") == "Sign in"
        window.open(f"{server.url}/asks")
        assert window.text("h1") == "Sign in"
    mine = ("0", "carla", "form")
    expected = {
        ("p1", "age"): ("62", *mine),
        ("p1", "sodium"): ("141.5", *mine),
        ("p1", "crp"): ("12.5", *mine),
        ("p1", "seen"): ("2024-03-15", *mine),
        ("p1", "smoker"): ("never", *mine),
        ("p1", "site"): ("Halle", *mine),
        ("p1", "outcome"): ("75", "1", *mine[1:]),
        (ODD, "crp"): ("NA", *mine),
    }
    assert exported(path) == expected
    # No value, name or token is in what the server says on stderr.
    assert len(server.lines) == 2
    assert "served on" in server.lines[0]
    assert window.pages > 20


def test_a_steward_corrects_and_withdraws_by_keyboard_alone_without_scripts(path, without_scripts):
    window = without_scripts
    drawn(path, "carla", "p1", "p2")
    answers = path.with_name("answers.csv")
    answers.write_text("subject,sodium,outcome\np1,141,12\np2,139,NA\n")
    program("study", "tell", path, answers, "--who", "carla")
    with served(path) as server:
        sign_in(window, server.url, admitted(path, "sten", "steward"))
        window.press("Asks")
        window.press("All open asks, also those that others drew")
        window.press("p1")
        window.reach("Correct outcome")
        window.keys(Keys.ENTER)
        window.enter("The right value, or NA", "much")
        window.enter("Reason, for the audit", "typing error")
        window.follow(Keys.ENTER)
        assert "'much' is none" in window.text("main")
        window.driver.back()
        window.open(window.driver.current_url)
        window.reach("Correct outcome")
        window.keys(Keys.ENTER)
        window.enter("The right value, or NA", "21")
        window.enter("Reason, for the audit", "typing error")
        window.follow(Keys.ENTER)
        assert window.text("[role=status]") == "The value was corrected."
        assert "outcome 21 days" in window.text("main")
        window.press("Asks")
        window.enter("Find a subject", "p2")
        window.press("Open")
        window.reach("Withdraw the subject")
        window.keys(Keys.SPACE)
        window.space("Also erase its values; backups, exports and models made before keep them")
        window.enter("Reason, for the audit", "consent withdrawn")
        window.press("Withdraw")
        assert "was withdrawn" in window.text("main")
        # What a person may not do is said on a page.
        window.open(f"{server.url}/people")
        assert "a steward may not do this" in window.text("[role=alert]")
    assert exported(path)["p1", "outcome"] == ("21", "0", "sten", "")
    assert ("p2", "sodium") not in exported(path)
    assert [row.split(",")[0] for row in program("study", "export", path, "--erased").split()[1:]] == ["p2"]


def test_values_that_others_told_meanwhile_are_neither_lost_nor_replaced(path, without_scripts):
    window = without_scripts
    drawn(path, "carla", "p1")
    answers = path.with_name("answers.csv")
    answers.write_text("subject,sodium,crp\np1,141,3\n")
    with served(path) as server:
        sign_in(window, server.url, admitted(path, "carla", "collector"))
        window.press("Asks")
        window.press("p1")
        program("study", "tell", path, answers, "--who", "otto")
        window.enter("sodium", "150")
        window.enter("crp", "3")
        window.enter("outcome", "12")
        window.press("Store")
        assert "'sodium' is 141 already, and now 150" in window.text("div.problem")
        assert window.field("outcome").get_attribute("value") == "12"
        window.press("Store")
        assert window.text("[role=status]") == "1 value stored."
    found = {name: of[:3:2] for (_, name), of in exported(path).items()}
    assert found == {"sodium": ("141", "otto"), "crp": ("3", "otto"), "outcome": ("12", "carla")}


def pages(window, server, path):
    """Open one page after another, and yield the name of each."""
    yield from ("sign-in",) if window.open(f"{server.url}/sign-in") is None else ()
    sign_in(window, server.url, "hs_wrong")
    yield "sign-in-failed"
    sign_in(window, server.url, admitted(path, "anna", "admin"))
    yield "status-empty"
    window.open(f"{server.url}/asks")
    yield "asks-none"
    window.open(f"{server.url}/asks?all=1")
    yield "asks"
    window.enter("Find a subject", ODD)
    window.press("Open")
    yield "new-subject"
    window.open(f"{server.url}/ask/0")
    yield "subject"
    window.enter("sodium", "141.5")
    window.space("Not available: sodium")
    window.enter("crp", "many")
    window.enter("outcome", "75")
    window.press("Store")
    yield "subject-wrong"
    window.open(f"{server.url}/ask/0")
    window.enter("age", "62")
    window.enter("sodium", "141.5")
    window.space("never")
    window.space("Not available: crp")
    window.press("Store")
    yield "subject-stored"
    for summary in window.all("summary"):
        window.reach(summary.text)
        window.keys(Keys.SPACE)
    yield "subject-details"
    window.open(f"{server.url}/status")
    yield "status"
    answered(path, 120)
    window.open(f"{server.url}/status?error=1")
    assert window.all("svg")
    yield "status-error"
    window.open(f"{server.url}/people")
    yield "people"
    window.enter("Name, as the audit will have it", "carla" * 12)
    window.press("Admit")
    yield "token"
    window.open(f"{server.url}/people")
    yield "people-two"
    window.open(f"{server.url}/nowhere")
    yield "message"
    window.open(f"{server.url}/ask/77")
    yield "message-in"


def test_axe_finds_no_fault_with_any_page(path, tmp_path):
    axe = axe_core(tmp_path)
    shots = os.environ.get("HALFSEEN_SCREENSHOTS")
    found, seen = [], []
    drawn(path, "carla", "p1", "p2", "a-subject-of-a-name-that-is-long-and-has-no-space-in-it-0123456789")
    with served(path) as server, browser(tmp_path, scripts=True) as window:
        window.size(*DESK)
        for name in pages(window, server, path):
            seen.append(name)
            for scheme in ("light", "dark"):
                window.color_scheme(scheme)
                for size in (PHONE, DESK):
                    window.size(*size)
                    window.look()
                    found += [(name, scheme, size[0], *fault) for fault in window.violations(axe)]
                    if shots:
                        folder = pathlib.Path(shots)
                        folder.mkdir(parents=True, exist_ok=True)
                        window.picture(folder / f"{name}-{scheme}-{size[0]}.png")
    assert found == []
    assert len(seen) == 17
