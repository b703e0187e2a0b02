#!/usr/bin/env python3
"""Makes the form of a tool from the attributes of a study.

    forms.py redcap attributes.csv days --out dictionary.csv    REDCap: a data dictionary
    forms.py odk attributes.csv days --out form.xlsx            ODK and KoBo: an XLSForm
    forms.py limesurvey attributes.csv days --out survey.txt    LimeSurvey: a survey structure
    forms.py qualtrics attributes.csv days --out survey.txt     Qualtrics: a survey in advanced format

`days` is the target. Each question is shown where the study asks for it, the target always (in
Qualtrics the display logic is set by hand). Needs Python 3.11 and nothing else. The files beside
this program were made by it from its attributes.csv.
"""

import argparse
import csv
import io
import re
import sys
import zipfile
from pathlib import Path
from xml.sax.saxutils import escape

import convert
from convert import WrongFile

# Names that a tool takes, in words too, and names that it has itself.
NAMES = {
    "redcap": (r"[a-z](_?[a-z0-9])*", 26, "small letters, digits and single _"),
    "odk": (r"[A-Za-z_][A-Za-z0-9_]*", 64, "letters, digits and _"),
    "limesurvey": (r"[A-Za-z][A-Za-z0-9]*", 20, "letters and digits"),
    "qualtrics": (r"[A-Za-z][A-Za-z0-9_]*", 64, "letters, digits and _"),
}
OWN = {"record_id", "halfseen_ask", "ask_list", "instanceid", "meta", "token", "sid", "lang", "other", "time"}
# Tools whose choices are also codes.
CODED = ("redcap", "odk")
CODE = convert.CODE


def study(tool, path, target):
    """Return the attributes of a study, the target last, if the tool can hold them."""
    attributes = convert.schema(path)
    if target not in attributes:
        raise WrongFile(f"{path}: it has no row '{target}' for the target; a number needs one here, too")
    convert.check_code(path, CODE)
    attributes[target] = attributes.pop(target)
    pattern, longest, words = NAMES[tool]
    for name, of in attributes.items():
        if not re.fullmatch(pattern, name) or len(name) > longest or name.lower() in OWN:
            raise WrongFile(
                f"{path}: '{name}' cannot be a name in {tool}: {words}, at most {longest}, no name of its own"
            )
        of["options"] = [choice.strip() for choice in of["choices"].split("|") if choice.strip()]
        for choice in of["options"] if tool in CODED else []:
            if not re.fullmatch(r"[A-Za-z0-9_.]+", choice):
                may = "letters, digits, _ and . only"
                raise WrongFile(f"{path}: the choice '{choice}' of '{name}' cannot be a code: {may}")
    return attributes


def label(name, of):
    """Return the text of a question."""
    return f"{name} ({of['unit']})" if of["unit"] not in ("", name) else name


def hint(of):
    """Return what the one who answers should know."""
    usual = f"Usually {of['low']} to {of['high']}. " if of["low"] and of["high"] else ""
    return "" if of["kind"] == "date" else f"{usual}{CODE}: {convert.NOT_HAD}."


def redcap(attributes, target):
    """Return a data dictionary: the asks in a hidden checkbox field, and fields that it shows."""
    header = (
        "Variable / Field Name,Form Name,Section Header,Field Type,Field Label,"
        '"Choices, Calculations, OR Slider Labels",Field Note,Text Validation Type OR Show Slider Number,'
        "Text Validation Min,Text Validation Max,Identifier?,Branching Logic (Show field only if...),"
        "Required Field?,Custom Alignment,Question Number (surveys only),Matrix Group Name,Matrix Ranking?,"
        "Field Annotation"
    )
    columns = next(csv.reader([header]))

    def field(name, kind, text, **cells):
        named = {"Variable / Field Name": name, "Field Type": kind, "Field Label": text}
        named["Form Name"] = cells.pop("form", "reads")
        places = {"choices": 5, "note": 6, "validation": 7, "low": 8, "high": 9, "logic": 11, "tag": 17}
        named |= {columns[places[key]]: cell for key, cell in cells.items()}
        return [named.get(column, "") for column in columns]

    asked = " | ".join(f"{name}, {name}" for name in attributes if name != target)
    rows = [columns, field("record_id", "text", "Subject")]
    rows.append(field("halfseen_ask", "checkbox", "To read of this subject", choices=asked, tag="@HIDDEN"))
    for name, of in attributes.items():
        cells = {"note": hint(of), "form": "outcome" if name == target else "reads"}
        if name != target:
            cells["logic"] = f"[halfseen_ask({name})] = '1'"
        if of["kind"] == "category":
            options = " | ".join(f"{choice}, {choice}" for choice in of["options"])
            cells |= {"choices": f"{options} | {CODE}, {convert.NOT_HAD}", "note": ""}
        else:
            # The code lies outside of the range, of which REDCap only warns.
            cells |= {
                "validation": "date_ymd" if of["kind"] == "date" else "number",
                "low": of["low"],
                "high": of["high"],
            }
        rows.append(field(name, "radio" if of["kind"] == "category" else "text", label(name, of), **cells))
    return convert.as_csv(rows).encode()


def odk(attributes, target):
    """Return an XLSForm: the asks from a list, and questions that they show."""
    at = "instance('asks')/root/item[subject=${subject}]"
    survey = [
        ["type", "name", "label", "hint", "relevant", "calculation", "parameters", "required"],
        [
            "select_one_from_file asks.csv",
            "subject",
            "Subject",
            "",
            "",
            "",
            "value=subject, label=label",
            "yes",
        ],
        ["calculate", "ask", "", "", "", f"{at}/ask", "", ""],
        ["calculate", "ask_list", "", "", "", f"{at}/ask_list", "", ""],
    ]
    choices = [["list_name", "name", "label"]]
    for name, of in attributes.items():
        kind = {"number": "decimal", "date": "date", "category": f"select_one {name}_choices"}[of["kind"]]
        relevant = "" if name == target else f"selected(${{ask_list}}, '{name}')"
        note = "" if of["kind"] == "category" else hint(of)
        survey.append([kind, name, label(name, of), note, relevant, "", "", ""])
        if of["kind"] == "category":
            options = [(choice, choice) for choice in of["options"]]
            choices += [[f"{name}_choices", *option] for option in [*options, (CODE, convert.NOT_HAD)]]
    settings = [["form_title", "form_id", "version"], ["Reads of a study", "halfseen_reads", "1"]]
    return workbook({"survey": survey, "choices": choices, "settings": settings})


def workbook(sheets):
    """Return an Excel workbook of texts, the same bytes each time."""
    spread = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    types = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    parts, listed, related, typed = {}, "", "", ""
    for number, (name, rows) in enumerate(sheets.items(), 1):
        cells = "".join(
            "<row>"
            + "".join(f'<c t="inlineStr"><is><t>{escape(cell)}</t></is></c>' for cell in row)
            + "</row>"
            for row in rows
        )
        parts[f"xl/worksheets/sheet{number}.xml"] = (
            f'<worksheet xmlns="{spread}"><sheetData>{cells}</sheetData></worksheet>'
        )
        listed += f'<sheet name="{name}" sheetId="{number}" r:id="r{number}"/>'
        related += (
            f'<Relationship Id="r{number}" Type="{office}/worksheet" Target="worksheets/sheet{number}.xml"/>'
        )
        typed += (
            f'<Override PartName="/xl/worksheets/sheet{number}.xml" ContentType="{types}.worksheet+xml"/>'
        )
    parts["xl/workbook.xml"] = (
        f'<workbook xmlns="{spread}" xmlns:r="{office}"><sheets>{listed}</sheets></workbook>'
    )
    parts["xl/_rels/workbook.xml.rels"] = (
        f'<Relationships xmlns="{package}/relationships">{related}</Relationships>'
    )
    main = f'<Relationship Id="r1" Type="{office}/officeDocument" Target="xl/workbook.xml"/>'
    first = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{types}.sheet.main+xml"/>{typed}</Types>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships">{main}</Relationships>',
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in (first | parts).items():
            head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
            archive.writestr(zipfile.ZipInfo(name), head + text)
    return out.getvalue()


def limesurvey(attributes, target):
    """Return a survey structure, whose questions look at the participant's first attribute."""
    columns = [
        "id",
        "related_id",
        "class",
        "type/scale",
        "name",
        "relevance",
        "text",
        "help",
        "language",
        "mandatory",
    ]

    def row(**cells):
        kind = cells.pop("kind", "")
        return [
            {"class": cells.get("of", ""), "type/scale": kind, **cells}.get(column, "") for column in columns
        ]

    rows = [columns]
    for name, text in {
        "sid": "100001",
        "language": "en",
        "anonymized": "N",
        "datestamp": "Y",
        "format": "A",
    }.items():
        rows.append(row(of="S", name=name, text=text))
    rows.append(row(of="SL", name="surveyls_title", text="Reads of a study", language="en"))
    rows.append(row(id="1", of="G", kind="0", name="Reads", relevance="1", language="en"))
    for number, (name, of) in enumerate(attributes.items(), 1):
        relevance = "1" if name == target else f'strpos(TOKEN:ATTRIBUTE_1, "-{name}-") > 0'
        kind = {"number": "N", "date": "D", "category": "L"}[of["kind"]]
        note = "" if kind == "L" else hint(of)
        question = {"kind": kind, "name": name, "relevance": relevance, "text": label(name, of), "help": note}
        rows.append(row(id=str(number), of="Q", language="en", mandatory="N", **question))
        if kind == "L":
            for place, choice in enumerate([*of["options"], convert.NOT_HAD], 1):
                rows.append(
                    row(id=str(number), of="A", kind="0", name=f"A{place}", text=choice, language="en")
                )
    return ("\ufeff" + convert.as_csv(rows, "\t")).encode()


def qualtrics(attributes, target):
    """Return a survey in advanced format. Display logic cannot be part of it."""
    parts = ["[[AdvancedFormat]]", "[[Block:Reads]]"]
    for name, of in attributes.items():
        if of["kind"] == "category":
            choices = "\n".join([*of["options"], convert.NOT_HAD])
            question = f"[[ID:{name}]]\n{label(name, of)}\n[[Choices]]\n{choices}"
            parts.append(f"[[Question:MC:SingleAnswer:Vertical]]\n{question}")
        else:
            note = f"<br>{hint(of)}" if hint(of) else ""
            parts.append(f"[[Question:TE:SingleLine]]\n[[ID:{name}]]\n{label(name, of)}{note}")
    return ("\n\n".join(parts) + "\n").encode()


def main(argv):
    """Write a form, and return the exit code."""
    parser = argparse.ArgumentParser(epilog=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("tool", choices=list(NAMES))
    parser.add_argument("attributes", help="the study's attributes.csv")
    parser.add_argument("target", help="name of the target, a row of it")
    parser.add_argument("--out", required=True, help="file to write")
    args = parser.parse_args(argv)
    make = {"redcap": redcap, "odk": odk, "limesurvey": limesurvey, "qualtrics": qualtrics}[args.tool]
    try:
        form = make(study(args.tool, args.attributes, args.target), args.target)
        Path(args.out).write_bytes(form)
    except WrongFile as error:
        print(error, file=sys.stderr)
        return 2
    except OSError as error:
        print(f"{args.out}: {error.strerror}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
