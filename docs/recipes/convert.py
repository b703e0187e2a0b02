#!/usr/bin/env python3
"""Converts asks for a tool, and what the tool exports into answers.

    convert.py redcap-asks asks.csv                        a file for REDCap's Data Import Tool
    convert.py redcap-answers attributes.csv export.csv    answers, from REDCap's export 'CSV / raw data'
    convert.py odk-asks asks.csv                           the list that the ODK or KoBo form reads
    convert.py odk-answers attributes.csv submissions.csv  answers, from the export of ODK Central or KoBo
    convert.py limesurvey-asks asks.csv [--people FILE]    survey participants
    convert.py limesurvey-answers attributes.csv results.csv
    convert.py qualtrics-asks asks.csv --people FILE       a contact list
    convert.py qualtrics-answers attributes.csv responses.csv
    convert.py sheet-asks attributes.csv asks.csv [--semicolons]
    convert.py sheet-answers attributes.csv sheet.csv      answers, as a spreadsheet program saves them

Prints CSV, or writes it with --out FILE. Needs Python 3.11 and nothing else. A cell that is the
code of --na (default -99), or the text "could not be had", becomes NA. What is left out is said on
stderr. A wrong file is refused with the reason and exit code 2; then nothing is written.
"""

import argparse
import csv
import io
import re
import sys
from pathlib import Path

# Cell of a sheet that is not asked for; code and text of what could not be had.
NOT_ASKED, CODE, NOT_HAD = ".", "-99", "could not be had"
HEADERS = "more headers"
KINDS = ("number", "category", "date")
# Beginnings of texts that halfseen writes with a quote before them, for spreadsheets.
FORMULA = ("=", "+", "-", "@", "\t", "\r", "'")


class WrongFile(Exception):
    """A file that cannot be converted, with the reason."""


def table(path):
    """Return the header of a CSV file, or of an open one, and its rows, as (line, dict of cells)."""
    try:
        data = path.read() if hasattr(path, "read") else Path(path).read_bytes()
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise WrongFile(f"{path}: it is not UTF-8 text; save it as 'CSV UTF-8', not as a workbook") from None
    except OSError as error:
        raise WrongFile(f"{path}: {error.strerror}") from None
    first = text.split("\n", 1)[0]
    if first.lower().startswith("sep="):
        text, first = text.split("\n", 1)[1], text.split("\n", 2)[1]
    mark = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=mark, strict=True)
    rows = []
    try:
        header = [name.strip() for name in next(reader, [])]
        for row in reader:
            if not any(cell.strip() for cell in row):
                continue
            if len(row) != len(header):
                cells = f"it has {len(row)} cells, and the header has {len(header)}"
                raise WrongFile(f"{path}: line {reader.line_num}: {cells}")
            rows.append((reader.line_num, dict(zip(header, map(plain, row), strict=True))))
    except csv.Error as error:
        raise WrongFile(f"{path}: line {reader.line_num}: it cannot be read as CSV: {error}") from None
    if twice := {name for name in header if header.count(name) > 1 and name}:
        raise WrongFile(f"{path}: the column '{min(twice)}' is there twice")
    return header, rows


def plain(cell):
    """Return a cell without the quote that keeps spreadsheets from taking it for a formula."""
    cell = cell.strip()
    return cell[1:] if cell[:1] == "'" and cell[1:].startswith(FORMULA) else cell


def needs(path, header, names, hint):
    """Refuse a file that lacks columns."""
    if missing := [name for name in names if name not in header]:
        raise WrongFile(f"{path}: it has no column {', '.join(repr(name) for name in missing)}; {hint}")


def schema(path):
    """Return the attributes and the target of a study: name to the cells of its row."""
    header, rows = table(path)
    needs(path, header, ["attribute"], "give the attributes.csv of the study")
    found = {}
    for line, row in rows:
        kind = row.get("kind") or ("category" if row.get("choices") else "number")
        if kind not in KINDS or not row["attribute"]:
            raise WrongFile(
                f"{path}: line {line}: '{row['attribute']}' is of kind '{kind}', not {', '.join(KINDS)}"
            )
        found[row["attribute"]] = {"unit": "", "low": "", "high": "", "choices": ""} | row | {"kind": kind}
    return found


def asks(path):
    """Return the names of the attributes and the rows of a file of asks."""
    header, rows = table(path)
    needs(
        path, header, ["subject", "ask", "ask_list"], "give the file that `halfseen study next --out` wrote"
    )
    names = [name.removeprefix("ask_") for name in header if name.startswith("ask_") and name != "ask_list"]
    return names, [row for _, row in rows]


def number_of(text):
    """Return a number, or None for another text."""
    try:
        return float(text)
    except ValueError:
        return None


class Export:
    """What a tool exported, on its way to answers."""

    def __init__(self, attributes, path, subject, hint, na, skip=lambda row: None):
        """Read a file: the column of the subject, what to say of a wrong file, the rows to leave out."""
        self.schema = schema(attributes)
        header, rows = table(path)
        # KoBo and ODK may write the group before a name.
        for _, row in rows:
            for name, cell in list(row.items()):
                row.setdefault(re.split("[/-]", name)[-1], cell)
        bare = {*header, *(re.split("[/-]", name)[-1] for name in header)}
        needs(path, bare, [subject, *self.schema], hint)
        self.rows, left_out = [], {}
        for line, row in rows:
            cells = {name: self.cell(name, row[name], na) for name in self.schema}
            if not any(cells.values()):
                continue
            reason = skip(row) or ("without a subject" if not row[subject] else None)
            if reason:
                left_out.setdefault(reason, []).append(str(line))
            else:
                self.rows.append({"subject": row[subject]} | cells)
        left_out.pop(HEADERS, None)
        for reason, lines in left_out.items():
            print(f"{path}: left out, {reason}: line {', '.join(lines)}", file=sys.stderr)
        if rows and not self.rows:
            print(f"{path}: it has no answers", file=sys.stderr)

    def cell(self, name, text, na):
        """Return a cell as `halfseen study tell` takes it."""
        attribute, code = self.schema[name], number_of(na)
        if text in (na, NOT_HAD) or (code is not None and number_of(text) == code):
            return "NA"
        if attribute["kind"] == "date" and re.match(r"\d{4}-\d\d-\d\d[ T]", text):
            return text[:10]
        return text

    def columns(self):
        """Return the header of answers."""
        return ["subject", *self.schema]


def check_code(attributes, na):
    """Refuse a code of what could not be had that is a usual value."""
    for name, of in schema(attributes).items():
        low, high, code = number_of(of["low"]), number_of(of["high"]), number_of(na)
        inside = code is not None and (low is None or low <= code) and (high is None or code <= high)
        if of["kind"] == "number" and inside and (low is not None or high is not None):
            raise WrongFile(f"the code {na} lies in the range of '{name}'; choose another with --na")
        if na in of["choices"].split("|"):
            raise WrongFile(f"the code {na} is a choice of '{name}'; choose another with --na")


def redcap_asks(args):
    names, rows = asks(args.asks)
    boxes = {f"halfseen_ask___{name.lower()}": f"ask_{name}" for name in names}
    yield ["record_id", *boxes]
    for row in rows:
        yield [row["subject"], *(row[flag] for flag in boxes.values())]


def redcap_answers(args):
    hint = "export 'CSV / Microsoft Excel (raw data)', with all fields of the study"
    return Export(args.attributes, args.export, "record_id", hint, args.na)


def odk_asks(args):
    yield ["label", "subject", "ask", "ask_list"]
    for row in asks(args.asks)[1]:
        yield [row["subject"], row["subject"], row["ask"], row["ask_list"]]


def odk_answers(args):
    def skip(row):
        state = row.get("ReviewState", row.get("_validation_status", "")).lower()
        return "rejected in the review" if re.search("rejected|not[ _]approved", state) else None

    hint = "export the submissions of the study's form"
    return Export(args.attributes, args.export, "subject", hint, args.na, skip)


def people(path, rows, columns):
    """Return the row of each asked subject in a file of people."""
    if path is None:
        return {row["subject"]: dict.fromkeys(columns, "") for row in rows}
    header, known = table(path)
    needs(path, header, ["subject", *columns], "it needs a row for each person")
    found = {row["subject"]: row for _, row in known}
    if missing := [row["subject"] for row in rows if row["subject"] not in found]:
        raise WrongFile(f"{path}: it has no row for {', '.join(missing[:5])}")
    return found


def limesurvey_asks(args):
    rows = asks(args.asks)[1]
    of = people(args.people, rows, ["firstname", "lastname", "email"])
    yield ["firstname", "lastname", "email", "token", "attribute_1"]
    for row in rows:
        token = row["subject"]
        if not re.fullmatch(r"[A-Za-z0-9_-]{1,35}", token):
            may = "letters, digits, - and _, at most 35"
            raise WrongFile(f"{args.asks}: '{token}' cannot be a token of LimeSurvey: {may}")
        person = of[token]
        # Each name between dashes, and not at the start: strpos is above 0 where it is asked. In the
        # browser LimeSurvey may take what it looks for as a regular expression, for which - is plain.
        marked = f"ask -{'-'.join(row['ask_list'].split())}-"
        yield [person["firstname"], person["lastname"], person["email"], token, marked]


def limesurvey_answers(args):
    hint = "export CSV with the headings 'Question code' and 'Full answers', and the token"
    skip = lambda row: "not submitted" if "submitdate" in row and not row["submitdate"] else None  # noqa: E731
    return Export(args.attributes, args.export, "token", hint, args.na, skip)


def qualtrics_asks(args):
    names, rows = asks(args.asks)
    of = people(args.people, rows, ["email"])
    yield ["Email", "FirstName", "LastName", "ExternalDataReference", *(f"ask_{name}" for name in names)]
    for row in rows:
        person = of[row["subject"]]
        if "@" not in person["email"]:
            raise WrongFile(f"{args.people}: '{person['email']}' of {row['subject']} is no email address")
        first, last = person.get("firstname", ""), person.get("lastname", "")
        yield [person["email"], first, last, row["subject"], *(row[f"ask_{name}"] for name in names)]


def qualtrics_answers(args):
    def skip(row):
        if '"ImportId"' in row["ExternalReference"] or row["ExternalReference"] == "External Data Reference":
            return HEADERS
        if row.get("Status") in ("Survey Preview", "Survey Test", "1", "2"):
            return "previews and tests"
        return "not finished" if row.get("Finished", "1") in ("False", "0") else None

    hint = "export CSV with 'Use choice text', and give each question its attribute's name"
    return Export(args.attributes, args.export, "ExternalReference", hint, args.na, skip)


def sheet_asks(args):
    names, rows = asks(args.asks)
    columns = schema(args.attributes)
    needs(args.attributes, columns, names, "the asks are of another study")
    yield ["subject", "ask", *columns]
    for row in rows:
        cells = ["" if row.get(f"ask_{name}", "1") == "1" else NOT_ASKED for name in columns]
        yield [row["subject"], row["ask"], *cells]


def sheet_answers(args):
    export = Export(args.attributes, args.export, "subject", "give the sheet that sheet-asks made", args.na)
    for row in export.rows:
        for name, of in export.schema.items():
            row[name] = from_sheet(
                row[name], of["kind"], f"{args.export}: subject {row['subject']}: '{name}'"
            )
    export.rows = [row for row in export.rows if any(row[name] for name in export.schema)]
    return export


def from_sheet(text, kind, where):
    """Return a cell that a spreadsheet program may have changed."""
    if text == NOT_ASKED or text.startswith("NA"):
        return "" if text == NOT_ASKED else text
    if text.startswith("#"):
        raise WrongFile(f"{where}: {text} is an error of the spreadsheet")
    if kind == "number" and re.fullmatch(r"[+-]?\d+,\d+", text):
        return text.replace(",", ".")
    if kind == "date" and (found := re.fullmatch(r"(\d\d?)\.(\d\d?)\.(\d{4})", text)):
        return f"{found[3]}-{int(found[2]):02}-{int(found[1]):02}"
    if kind == "date" and re.fullmatch(r"\d\d?/\d\d?/\d{2,4}", text):
        raise WrongFile(f"{where}: {text} may be day/month or month/day; write dates as 2026-01-31")
    return text


COMMANDS = {
    "redcap-asks": redcap_asks,
    "redcap-answers": redcap_answers,
    "odk-asks": odk_asks,
    "odk-answers": odk_answers,
    "limesurvey-asks": limesurvey_asks,
    "limesurvey-answers": limesurvey_answers,
    "qualtrics-asks": qualtrics_asks,
    "qualtrics-answers": qualtrics_answers,
    "sheet-asks": sheet_asks,
    "sheet-answers": sheet_answers,
}


def arguments(argv):
    """Return the parsed command line."""
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0], epilog=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    verbs = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name in COMMANDS:
        verb = verbs.add_parser(name)
        if name.endswith("answers") or name == "sheet-asks":
            verb.add_argument("attributes", help="the study's attributes.csv")
        last, what = (
            ("asks", "written by `halfseen study next`")
            if name.endswith("asks")
            else ("export", "of the tool")
        )
        verb.add_argument(last, help=what)
        verb.add_argument("--out", help="file to write; default: stdout")
        if name.endswith("answers"):
            verb.add_argument("--na", default=CODE, help="code of what could not be had (default -99)")
        if name in ("limesurvey-asks", "qualtrics-asks"):
            what = "CSV with subject, firstname, lastname, email"
            verb.add_argument("--people", required=name.startswith("qualtrics"), help=what)
        if name == "sheet-asks":
            verb.add_argument(
                "--semicolons", action="store_true", help="for an Excel that expects semicolons"
            )
    return parser.parse_args(argv)


def as_csv(rows, mark=","):
    """Return rows as the text of a CSV file."""
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=mark, lineterminator="\n").writerows(rows)
    return out.getvalue()


def answers_csv(export):
    """Return answers as the text of a CSV file."""
    return as_csv([export.columns(), *([row[name] for name in export.columns()] for row in export.rows)])


def main(argv):
    """Convert a file, and return the exit code."""
    args = arguments(argv)
    try:
        if args.command.endswith("answers"):
            check_code(args.attributes, args.na)
            text = answers_csv(COMMANDS[args.command](args))
        else:
            semicolons = getattr(args, "semicolons", False)
            text = ("\ufeff" if args.command == "sheet-asks" else "") + as_csv(
                COMMANDS[args.command](args), ";" if semicolons else ","
            )
        if args.out:
            Path(args.out).write_text(text, encoding="utf-8", newline="")
        else:
            sys.stdout.buffer.write(text.encode())
    except WrongFile as error:
        print(error, file=sys.stderr)
        return 2
    except OSError as error:
        print(f"{args.out}: {error.strerror}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
