#!/usr/bin/env python3
"""Sends asks to a REDCap project, and fetches its answers, through REDCap's API.

    sync.py push asks.csv
    sync.py pull attributes.csv --out answers.csv

The environment variable REDCAP_URL is the address of the API (https://redcap.example.org/api/), and
REDCAP_TOKEN the token of the project. `push` ends only when the asks were read back as they were
sent. A request that fails for want of a connection is made again, which is safe: the same asks sent
twice are the same asks. Exit code 2: a wrong file or setting; 3: REDCap refused or did not answer.
"""

import argparse
import http.client
import io
import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import convert

BATCH = 100
TRIES = 4


class Failed(Exception):
    """A request that REDCap refused or did not answer."""


class Download(io.BytesIO):
    """What the project exported, with a name for messages."""

    def __str__(self):
        """Return the name."""
        return "the export of the project"


class Project:
    """A REDCap project, as its API shows it."""

    def __init__(self, url, token, wait):
        """Take the address of the API, its token, and the seconds before the second try."""
        host = urllib.parse.urlparse(url).hostname
        if not url.startswith("https://") and host not in ("localhost", "127.0.0.1"):
            raise convert.WrongFile(f"REDCAP_URL is '{url}': the token must travel by https")
        self.url, self.token, self.wait = url, token, wait

    def call(self, **fields):
        """Return what REDCap answers to a request, from JSON."""
        form = {"token": self.token, "content": "record", "format": "json", "returnFormat": "json"} | fields
        body = urllib.parse.urlencode(form).encode()
        problem = ""
        for again in range(TRIES):
            if again:
                print(f"{problem}; trying again", file=sys.stderr)
                time.sleep(self.wait * 2 ** (again - 1))
            try:
                with urllib.request.urlopen(urllib.request.Request(self.url, body), timeout=60) as answer:
                    text = answer.read().decode(errors="replace")
            except urllib.error.HTTPError as error:
                problem = f"REDCap answered {error.code}: {told(error)}"
                if error.code < 500:
                    raise Failed(problem + remedy(error.code)) from None
                continue
            except (OSError, http.client.HTTPException) as error:
                problem = f"no answer from {self.url}: {getattr(error, 'reason', None) or error!r}"
                continue
            try:
                found = json.loads(text)
            except ValueError:
                raise Failed(
                    f"{self.url} answered no JSON, but '{text[:60]}'; is it the address of the API?"
                ) from None
            if isinstance(found, dict) and "error" in found:
                raise Failed(f"REDCap answered: {found['error']}")
            return found
        raise Failed(f"{problem}; gave up after {TRIES} tries. Run the same command again later")


def told(error):
    """Return the sentence in an error of REDCap."""
    text = error.read().decode(errors="replace")
    try:
        return str(json.loads(text)["error"])
    except (ValueError, KeyError, TypeError):
        return text[:200] or error.reason


def remedy(code):
    """Return what to do about a refusal."""
    rights = "check REDCAP_TOKEN, and the token's rights to import and export"
    return {401: f"; {rights}", 403: f"; {rights}", 404: "; check REDCAP_URL"}.get(code, "")


def push(project, args):
    """Send asks in batches, and read each batch back."""
    names, rows = convert.asks(args.asks)
    boxes = {f"halfseen_ask___{name}": f"ask_{name}" for name in names}
    wanted = {row["subject"]: {box: row[flag] for box, flag in boxes.items()} for row in rows}
    subjects = list(wanted)
    for at in range(0, len(subjects), BATCH):
        part = subjects[at : at + BATCH]
        data = json.dumps([{"record_id": subject} | wanted[subject] for subject in part])
        project.call(
            type="flat", overwriteBehavior="normal", forceAutoNumber="false", data=data, returnContent="ids"
        )
        asked = {f"records[{i}]": subject for i, subject in enumerate(part)}
        found = project.call(
            action="export", type="flat", **{"fields[0]": "record_id", "fields[1]": "halfseen_ask"}, **asked
        )
        there = {str(row["record_id"]): row for row in found}
        for subject in part:
            row = there.get(subject)
            if row is None:
                raise Failed(f"the asks of {subject} were sent, and REDCap shows no such record")
            if wrong := [box for box, flag in wanted[subject].items() if row.get(box) != flag]:
                what = f"REDCap shows another {wrong[0]}: {row.get(wrong[0])!r}"
                why = "has the project every attribute in halfseen_ask, and is the record locked?"
                raise Failed(f"the asks of {subject} were sent, and {what}; {why}")
    print(f"{len(subjects)} subjects have their asks in REDCap", file=sys.stderr)


def pull(project, args):
    """Fetch all answers into a file."""
    attributes = convert.schema(args.attributes)
    convert.check_code(args.attributes, args.na)
    fields = {f"fields[{i}]": name for i, name in enumerate(["record_id", *attributes])}
    rows = project.call(action="export", type="flat", rawOrLabel="raw", **fields)
    lines = [list(rows[0]) if rows else ["record_id", *attributes]]
    lines += [[str(cell) for cell in row.values()] for row in rows]
    export = Download(convert.as_csv(lines).encode())
    answers = convert.Export(
        args.attributes, export, "record_id", "does the project have all fields?", args.na
    )
    Path(args.out).write_text(convert.answers_csv(answers), encoding="utf-8", newline="")
    print(f"{args.out}: answers of {len(answers.rows)} subjects", file=sys.stderr)


def main(argv):
    """Run a command, and return the exit code."""
    parser = argparse.ArgumentParser(epilog=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    verbs = parser.add_subparsers(dest="command", required=True)
    verb = verbs.add_parser("push", help="send asks")
    verb.add_argument("asks", help="written by `halfseen study next`")
    verb = verbs.add_parser("pull", help="fetch answers")
    verb.add_argument("attributes", help="the study's attributes.csv")
    verb.add_argument("--out", required=True, help="file for the answers")
    verb.add_argument("--na", default=convert.CODE, help="code of what could not be had (default -99)")
    for verb in verbs.choices.values():
        verb.add_argument("--wait", type=float, default=2, help="seconds before the second try (default 2)")
    args = parser.parse_args(argv)
    try:
        for name in ("REDCAP_URL", "REDCAP_TOKEN"):
            if not os.environ.get(name):
                raise convert.WrongFile(f"the environment variable {name} is not set")
        project = Project(os.environ["REDCAP_URL"], os.environ["REDCAP_TOKEN"].strip(), args.wait)
        {"push": push, "pull": pull}[args.command](project, args)
    except convert.WrongFile as error:
        print(error, file=sys.stderr)
        return 2
    except Failed as error:
        print(error, file=sys.stderr)
        return 3
    except OSError as error:
        print(f"{args.out}: {error.strerror}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
