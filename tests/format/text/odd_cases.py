#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""odd_cases.py: small text files that readers get wrong, opened by the command without options.

odd_cases.py DATAVIEW [FOLDER]

Each line of FOLDER/cases.jsonl is a case; FOLDER is odd/, and the folder of shared cases where it
exists: the cases that odd/ has must hold there too.  Keys of a case:

file       a file of FOLDER; or make: a Python expression, whose value is its bytes
open       options of the command, as in a shell
columns    names and classes: int, real, bool, time, text; null: any.  more: others may follow
rows       how many; values: {"row:column": value}, times as instants
error      cat fails, and the message has all of these parts; or_error: it may fail so
warning    parts of warnings on standard error; info: parts of what info prints

Of "a|b" one is enough, and case does not matter.  The name of the file counts for nothing.
"""
import datetime
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

CLASSES = {"R4": "real", "R8": "real", "BL": "bool", "DT": "time", "DZ": "time", "TS": "time",
           "TX": "text"}
TIME = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?)?"
                  r"\s*(?:Z|UTC|([+-])(\d\d)(?::?(\d\d))?)?")


def class_of(type_):
    return CLASSES.get(type_, "int" if re.fullmatch(r"[IU][1248]", type_) else type_)


def instant(text):
    found = TIME.fullmatch(text)
    if not found:
        return text
    year, month, day, hour, minute, second = (int(x or 0) for x in found.groups()[:6])
    offset = datetime.timedelta(hours=int(found[9] or 0), minutes=int(found[10] or 0))
    clock = datetime.datetime(year, month, day, hour, minute, second)
    return clock + (offset if found[8] == "-" else -offset), (found[7] or "").rstrip("0")


def is_same(have, want, kind):
    if have is None or want is None:
        return have is want
    if kind in ("int", "bool", "text"):
        return type(have) is type(want) and have == want
    if kind == "real":
        return not isinstance(have, bool) and float(have) == float(want)
    if kind == "time":
        return isinstance(have, str) and instant(have) == instant(want)
    return str(have).lower() == str(want).lower()


def lacking(text, parts):
    text = text.lower()
    return [p for p in parts if not any(q.lower() in text for q in p.split("|"))]


def run(dataview, words, path):
    done = subprocess.run([dataview, *words], capture_output=True, check=False, timeout=300)
    texts = [x.decode("utf-8", "replace").replace(path, "@") for x in (done.stdout, done.stderr)]
    return done.returncode, *texts


def check_values(case, rows, kinds):
    for place, want in case.get("values", {}).items():
        row, name = place.split(":", 1)
        have = json.loads(rows[int(row)]).get(name) if int(row) < len(rows) else "no such row"
        if not is_same(have, want, kinds.get(name)):
            yield f"{place} is {have!r}, not {want!r}"


def check_columns(case, schema):
    have = [(c["name"], class_of(c["type"])) for c in json.loads(schema)["columns"]]
    wanted = case["columns"]
    if case.get("more"):
        have = have[:len(wanted)]
    if [n for n, _ in have] != [n for n, _ in wanted]:
        yield f"names {[n for n, _ in have][:8]}"
    else:
        yield from (f"{n!r} is {h}, not {w}" for (n, h), (_, w) in zip(have, wanted) if w not in (None, h))


def judge(dataview, case, path):
    """Return the faults, in sentences."""
    words = [*shlex.split(case.get("open", "")), path]
    status, schema, said = run(dataview, ["schema", "--json", *words], path)
    read, out, err = run(dataview, ["cat", "--format", "jsonl", *words], path)
    said += err
    if "or_error" in case and read and not lacking(said, case["or_error"]):
        return []
    if "error" in case:
        wrong = [f"error lacks {x}: {err}" for x in lacking(said, case["error"])]
        wrong += [] if read else ["cat does not fail"]
    else:
        wrong = [f"cat fails: {err}"] if read else []
    rows = out.split("\n")[:-1]
    if "columns" in case:
        wrong += [f"schema fails: {said}"] if status else list(check_columns(case, schema))
    if not wrong or "error" in case:
        wrong += check_values(case, rows, dict(case.get("columns", [])))
    if "rows" in case and len(rows) != case["rows"]:
        wrong.append(f"{len(rows)} rows, not {case['rows']}")
    warnings = " ".join(x for x in said.split("\n") if "warning" in x)
    wrong += [f"no warning with {x}" for x in lacking(warnings, case.get("warning", []))]
    if "info" in case:
        _, out, err = run(dataview, ["info", *words], path)
        wrong += [f"info lacks {x}" for x in lacking(out + err, case["info"])]
    return wrong


def cases_of(folder):
    with open(folder / "cases.jsonl", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def check(dataview, folder, wanted):
    wrong = 0
    for case in cases_of(folder):
        if wanted and case["id"] not in wanted:
            continue
        with tempfile.TemporaryDirectory() as scratch:
            path = folder / case.get("file", "")
            if "make" in case:
                path = pathlib.Path(scratch) / case.get("name", "made.csv")
                path.write_bytes(eval(case["make"], {}))  # written by hand
            found = judge(dataview, case, str(path))
        wrong += bool(found)
        for sentence in found:
            print(f"{case['id']}: {sentence}")
    return wrong


def main():
    dataview, here = sys.argv[1], pathlib.Path(__file__).parent
    own = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else here / "odd"
    wrong = check(dataview, own, None)
    shared = here.parents[2].parent / "shared" / "cases" / "text"
    if len(sys.argv) == 2 and shared.is_dir():
        wrong += check(dataview, shared, {case["id"] for case in cases_of(own)})
    elif len(sys.argv) == 2:
        print(f"{shared} is absent: its cases are not read")
    print(f"{wrong} cases do not hold")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
