#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""json_documents.py: checks the documents of `dataview VERB --json` against docs/cli.schema.json and the files.

    json_documents.py DATAVIEW   every golden, crafted and malformed file with each verb
    json_documents.py --selftest check that the validator refuses what it should

Truth is what the other implementation wrote beside the file, and what `cat --format exact` says.
"""
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

TESTS = pathlib.Path(__file__).resolve().parents[1]
SCHEMA = json.loads((TESTS.parent / "docs/cli.schema.json").read_text(encoding="utf-8"))
ROUNDS = [("info",), ("schema",), ("schema", "--metadata"), ("verify",), ("stats",)]
ROWS = [("head", "-n", "3", "--hidden", "--ids"), ("tail", "-n", "2")]
VERDICT = re.compile(r"[^.]+\.(OK|WARNING|CORRUPT|UNSUPPORTED|LIMIT)(?:\..*@(\d+))?\.idv")


# --- JSON Schema, as much of draft 2020-12 as the page uses ---------------------------------------

ANNOTATIONS = {"$schema", "$defs", "title", "description"}


def is_a(value, name):
    if name in ("integer", "number") and isinstance(value, bool):
        return False
    kinds = {"integer": int, "number": (int, float), "string": str, "boolean": bool}
    kinds.update({"array": list, "object": dict, "null": type(None)})
    return isinstance(value, kinds[name])


def same(a, b):
    return a == b and isinstance(a, bool) == isinstance(b, bool)


def resolve(root, pointer):
    for name in pointer.removeprefix("#/").split("/"):
        root = root[name]
    return root


def check_type(rule, value, schema, root):
    names = rule if isinstance(rule, list) else [rule]
    return [] if any(is_a(value, name) for name in names) else [f"{value!r} is no {rule}"]


def check_required(rule, value, schema, root):
    return [f"{name} is missing" for name in rule if isinstance(value, dict) and name not in value]


def check_properties(rule, value, schema, root):
    members = value.items() if isinstance(value, dict) else []
    ruled = [(name, v) for name, v in members if name in rule]
    return [f"{name}: {what}" for name, v in ruled for what in faults(v, rule[name], root)]


def check_additional(rule, value, schema, root):
    members = value.items() if isinstance(value, dict) else []
    others = [(name, v) for name, v in members if name not in schema.get("properties", {})]
    if rule is False:
        return [f"{name} has no place" for name, _ in others]
    return [f"{name}: {what}" for name, v in others for what in faults(v, rule, root)]


def check_names(rule, value, schema, root):
    names = value if isinstance(value, dict) else []
    return [f"name {name}: {what}" for name in names for what in faults(name, rule, root)]


def check_items(rule, value, schema, root):
    items = value if isinstance(value, list) else []
    return [f"{i}: {what}" for i, v in enumerate(items) for what in faults(v, rule, root)]


def check_one_of(rule, value, schema, root):
    each = [faults(value, choice, root) for choice in rule]
    good = sum(not what for what in each)
    nearest = min(each, key=len)
    return [] if good == 1 else [f"{good} of {len(rule)} choices fit", *nearest]


def check_ref(rule, value, schema, root):
    return faults(value, resolve(root, rule), root)


def check_enum(rule, value, schema, root):
    return [] if any(same(r, value) for r in rule) else [f"{value!r}: none of {rule}"]


def check_const(rule, value, schema, root):
    return check_enum([rule], value, schema, root)


def check_minimum(rule, value, schema, root):
    return [f"{value} < {rule}"] if is_a(value, "number") and value < rule else []


def check_least(kind):
    def check(rule, value, schema, root):
        return [f"less than {rule} of it"] if is_a(value, kind) and len(value) < rule else []
    return check


KEYWORDS = {
    "$ref": check_ref,
    "type": check_type,
    "const": check_const,
    "enum": check_enum,
    "minimum": check_minimum,
    "minLength": check_least("string"),
    "minItems": check_least("array"),
    "required": check_required,
    "properties": check_properties,
    "additionalProperties": check_additional,
    "propertyNames": check_names,
    "items": check_items,
    "oneOf": check_one_of,
}


def faults(value, schema, root=None):
    """List what is wrong with the value.  A keyword that is not known here is an error of the schema."""
    root = root or schema
    return [
        what
        for keyword, rule in schema.items()
        if keyword not in ANNOTATIONS
        for what in KEYWORDS[keyword](rule, value, schema, root)
    ]


# --- One document ---------------------------------------------------------------------------------


def refuse(name):
    raise ValueError(f"{name} is no JSON")


def distinct(pairs):
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a name is given twice")
    return members


UNSEEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def parse(text):
    """Parse standard output, which must be one document."""
    text = text.decode("utf-8")
    if not text.endswith("\n") or UNSEEN.search(text):
        raise ValueError("no end of line, or a control character as it is")
    return json.loads(text, parse_constant=refuse, object_pairs_hook=distinct)


def run(program, *words):
    return subprocess.run([program, *words], capture_output=True, timeout=120)


# --- Is it true? ----------------------------------------------------------------------------------


def exact_header(program, file):
    """What `cat --format exact` says first; None when it says nothing."""
    done = run(program, "cat", "--format", "exact", "--hidden", "--take", "0", file)
    return json.loads(done.stdout.splitlines()[0]) if done.returncode == 0 else None


def untrue_columns(document, header, truth, with_values):
    """Compare the columns with the header of all columns, and with the truth of the visible ones."""
    columns = document["columns"]
    shown = [c for c in columns if not c["is_hidden"]]
    if [c["index"] for c in columns] != list(range(len(columns))):
        yield "indices"
    for given, want in ((columns, header["columns"]), (shown, truth["columns"])):
        if [(c["name"], c["type"]) for c in given] != [(c["name"], c["type"]) for c in want]:
            yield "names or types"
        if with_values and [c["metadata"] for c in given] != [c["metadata"] for c in want]:
            yield "metadata"
    for name in {c["name"] for c in columns}:
        hidden = [c["is_hidden"] for c in columns if c["name"] == name]
        if hidden != [True] * (len(hidden) - 1) + [False]:
            yield "is_hidden"


def untrue_rows(program, words, file, document, truth):
    """Compare rows, names and types with those that cat writes."""
    lines = run(program, "cat", "--format", "jsonl", *words[3:], file).stdout.splitlines()
    n = int(words[2])
    lines = lines[:n] if words[0] == "head" else lines[-n:]
    if document["values"] != [json.loads(line) for line in lines]:
        yield "values"
    shown = [(c["name"], c["type"]) for c in document["columns"]]
    if "--ids" in words:
        if shown[0] != ("#id", "UG"):
            yield "ids"
        truth = exact_header(program, file)
        shown = shown[1:]
    if shown != [(c["name"], c["type"]) for c in truth["columns"]]:
        yield "names or types"


def untrue_stats(program, file, document, truth):
    """Compare statistics with the rows that cat writes."""
    columns = document["columns"]
    if [(c["name"], c["type"]) for c in columns] != [
        (c["name"], c["type"]) for c in truth["columns"]
    ]:
        yield "names or types"
    lines = run(program, "cat", "--format", "jsonl", file).stdout.splitlines()
    rows = [json.loads(line) for line in lines]
    for c in columns:
        values = [row[c["name"]] for row in rows]
        if not c["type"].startswith("V<"):
            if (c["value_count"], c["na_count"]) != (len(rows), values.count(None)):
                yield f"{c['name']}: values or NA"
            seen = {json.dumps(v) for v in values if v is not None}
            if c["distinct_count"] is not None and c["distinct_count"] != len(seen):
                yield f"{c['name']}: different values"
            numbers = [v for v in values if is_a(v, "number")]
            if numbers and (c["min"], c["max"]) != (min(numbers), max(numbers)):
                if c["negative_infinity_count"] + c["positive_infinity_count"] == 0:
                    yield f"{c['name']}: least or greatest"
        if "bins" in c:
            finite = c["ordered_count"] - c["negative_infinity_count"] - c["positive_infinity_count"]
            if c["rank_error"] == 0 and sum(c["bins"]["counts"]) != finite:
                yield f"{c['name']}: bins"


def untrue(program, words, file, document):
    """List the errors in the document of a sound file."""
    truth = json.loads(file.with_suffix(".jsonl").read_text(encoding="utf-8").split("\n")[0])
    is_counted = file.suffix == ".idv" or words[0] in ("info", "stats", "verify")
    if document["rows"] != (truth["rows"] if is_counted else None):
        yield "rows"
    if document["files"] != [str(file)]:
        yield "files"
    if words[0] == "verify":
        yield from unlike_its_name(file, document)
        if document["column_count"] < len(truth["columns"]):
            yield "columns"
        return
    if words in ROWS:
        yield from untrue_rows(program, words, file, document, truth)
        return
    if words[0] == "stats":
        yield from untrue_stats(program, file, document, truth)
        return
    header = exact_header(program, file)
    yield from untrue_columns(document, header, truth, "--metadata" in words)
    if words == ("schema",):
        metadata = [m for c in document["columns"] for m in c["metadata"].values()]
        if any("value" in m for m in metadata):
            yield "unexpected values"
    if words[0] == "info" and document["file_nbytes"] != file.stat().st_size:
        yield "file_nbytes"


def unlike_its_name(file, document):
    """Check the verdict about a file that can be read: what is dead would be lost by a copy."""
    statuses = {f["status"] for f in document["findings"] if not f["is_warning"]}
    if statuses != ({"DV_ERR_UNSUPPORTED"} if "dead" in file.name else set()):
        yield f"finds {document['findings']}"


def unfounded(file, document):
    """List what the verdict misses about a file whose name has the defect."""
    status, offset = VERDICT.fullmatch(file.name).groups()
    if status in ("OK", "WARNING"):
        yield from unlike_its_name(file, document)
        yield from ["finds nothing"] if status == "WARNING" and not document["findings"] else []
        return
    found = [(f["status"], f["offset"]) for f in document["findings"]]
    if (f"DV_ERR_{status}", int(offset)) not in found:
        yield f"does not find {status} at {offset}, but {found}"


def inconsistent(document, status):
    """Check that the verdict agrees with its list."""
    findings = document["findings"]
    warnings = sum(f["is_warning"] for f in findings)
    counts = (len(findings) - warnings, warnings)
    if counts != (document["defect_count"], document["warning_count"]):
        yield "counts"
    if document["is_sound"] != (counts[0] == 0) or status != (counts[0] > 0):
        yield "is_sound, or the exit status"
    if any(f["is_warning"] != (f["status"] == "DV_OK") for f in findings):
        yield "is_warning"


def complaints(program, words, file, is_sound):
    done = run(program, *words, "--json", str(file))
    if not done.stdout:
        if is_sound or ".OK." in file.name or done.returncode != 1 or not done.stderr:
            yield f"no document, and status {done.returncode}"
        return
    try:
        document = parse(done.stdout)
    except ValueError as error:
        yield f"{error}"
        return
    wrong = faults(document, SCHEMA)
    yield from wrong
    if wrong or document["verb"] != words[0]:
        yield "not the document of the verb"
        return
    if words[0] == "verify":
        yield from inconsistent(document, done.returncode)
    elif done.returncode != 0:
        yield f"a document, but status {done.returncode}"
    if is_sound:
        yield from untrue(program, words, file, document)
    elif words[0] == "verify":
        yield from unfounded(file, document)


# --- Two files ------------------------------------------------------------------------------------


def content(file):
    """The truth beside a file: columns, and an item per row."""
    header, *rows = map(json.loads, file.with_suffix(".jsonl").read_text(encoding="utf-8").splitlines())
    return header["columns"], [[flat(value) for value in row] for row in rows]


def flat(value):
    """The slots of a vector that are not default."""
    if not isinstance(value, dict):
        return value
    items = value["dense"] if "dense" in value else value["val"]
    slots = value.get("idx", range(len(items)))
    empty = (0, "", False, "r4:00000000", "r8:0000000000000000", "ts:0", "dt:0", "dz:0:0", "ug:" + "0" * 32)
    return value["len"], [(slot, item) for slot, item in zip(slots, items) if item not in empty]


def untrue_diff(a, b, document):
    """List the errors in the document about the differences of two sound files."""
    (a_columns, a_rows), (b_columns, b_rows) = content(a), content(b)
    if document["is_same"] != (content(a) == content(b)):
        yield "is_same"
    if (document["a"]["rows"], document["b"]["rows"]) != (len(a_rows), len(b_rows)):
        yield "rows"
    types = [{c["name"]: c["type"] for c in columns} for columns in (a_columns, b_columns)]
    names = types[0].keys() | types[1].keys()
    shown = {(d["column"], d["a"], d["b"]) for d in document["schema"] if d["what"] != "order"}
    if shown != {(n, types[0].get(n), types[1].get(n)) for n in names if types[0].get(n) != types[1].get(n)}:
        yield "schema"
    if a_columns == b_columns:
        rows = [i for i, (x, y) in enumerate(zip(a_rows, b_rows)) if x != y]
        if sorted({d["row"] for d in document["values"]}) != rows or document["different_row_count"] != len(rows):
            yield "values"


def check_diff(job):
    program, a, b = job
    done = run(program, "diff", "--json", "-n", "1000000", str(a), str(b))
    try:
        document = parse(done.stdout)
    except ValueError as error:
        return [f"diff {a.name} {b.name}: {error}"]
    wrong = faults(document, SCHEMA) or [*untrue_diff(a, b, document)]
    if done.returncode != (not document.get("is_same")) or done.stderr:
        wrong.append(f"status {done.returncode}")
    return [f"diff {a.name} {b.name}: {what}" for what in wrong]


def check_convert(job):
    """Check the document of a conversion: the facts of the file, or that there is none."""
    program, words, file = job
    about = f"convert {' '.join(words)} {file.name}"
    with tempfile.TemporaryDirectory() as name:
        out = pathlib.Path(name) / ("out.btable" if "btable" in words else "out.idv")
        done = run(program, "convert", "--json", "--no-sync", *words, str(file), str(out))
        if not done.stdout:
            kept = [] if done.returncode == 1 and done.stderr else [f"status {done.returncode}"]
            return [f"{about}: {what}" for what in kept + (["a file"] if out.exists() else [])]
        document = parse(done.stdout)
        wrong = faults(document, SCHEMA) or [*untrue_convert(program, file, out, document)]
        if done.returncode != (not document.get("is_saved")):
            wrong.append(f"status {done.returncode}")
        return [f"{about}: {what}" for what in wrong]


def untrue_convert(program, file, out, document):
    refused = [loss for loss in document["losses"] if not loss["is_allowed"]]
    if document["is_saved"] == bool(refused) or document["is_saved"] != out.exists():
        yield "is_saved"
    if document["out"] != str(out) or document["file_nbytes"] != file.stat().st_size:
        yield "files"
    if document["is_saved"]:
        truth = json.loads(run(program, "info", "--json", str(out)).stdout)
        shown = [document[k] for k in ("rows", "column_count", "out_nbytes")]
        if shown != [truth["rows"], len(truth["columns"]), truth["file_nbytes"]]:
            yield "facts of the file"


def check_counts(program, people):
    """Check the counts of each column against the rows that cat writes."""
    rows = [json.loads(line) for line in run(program, "cat", "--format", "jsonl", people).stdout.splitlines()]
    document = parse(run(program, "counts", "--json", "-n", "1000", people, "*").stdout)
    yield from (f"counts: {what}" for what in faults(document, SCHEMA))
    for c in document["columns"]:
        values = [row[c["name"]] for row in rows]
        if c["type"].startswith("V<"):
            values = [item for value in values for item in value]
        truth = collections.Counter(json.dumps(v) for v in values if v is not None)
        if {json.dumps(v["value"]): v["count"] for v in c["counts"]} != truth:
            yield f"counts: {c['name']}"
        if (c["na_count"], c["value_count"]) != (values.count(None), len(values)):
            yield f"counts: {c['name']}: NA or values"


def check_writing(program, people):
    """Check the documents of verbs that write rows in another order, or several files."""
    ways = [("shuffle", "out.idv"), ("merge", people, "out.idv"), ("sample", "out.idv", "9"),
            ("merge", "--strategy", "concat", people, "out.idv"), ("shuffle", "out.btable"),
            ("split", "1", "9"), ("split", "--every", "200", "-o", "out.btable")]
    for words in ways:
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([program, words[0], "--json", "--no-sync", people, *words[1:]],
                                  cwd=folder, capture_output=True, timeout=120)
            document = parse(done.stdout)
            outputs = document.get("outputs", [document])
            there = [(pathlib.Path(folder) / output["out"]).exists() for output in outputs]
            wrong = faults(document, SCHEMA)
            if done.returncode != (not document["is_saved"]) or there != [document["is_saved"]] * len(outputs):
                wrong.append(f"status {done.returncode}")
            if "out.btable" not in words and sum(output["rows"] for output in outputs) not in (600, 1200, 9):
                wrong.append("rows")
            yield from (f"{' '.join(words)}: {what}" for what in wrong)


def check_pipes(program, people):
    """Check the documents about pipelines against what cat says of their columns, and one another."""
    steps = "term A:Tags terms=[\"a\tb\"]; term Name max=3; normalize Age mode=minmax; onehot Tags max=2; drop Active"

    def read(*words, status=0):
        done = run(program, "pipe", words[0], "--json", *words[1:])
        document = parse(done.stdout) if done.stdout else {}
        wrong.extend(f"pipe {words[0]}: {what}" for what in faults(document, SCHEMA))
        if done.returncode != status:
            wrong.append(f"pipe {words[0]}: status {done.returncode}")
        return document

    def expect(is_true, what):
        if not is_true:
            wrong.append(f"pipe: {what}")

    wrong = []
    names = [step["name"] for step in read("list")["steps"]]
    listed = run(program, "pipe", "list").stdout.decode().splitlines()[:-1]
    expect(names == [line.split()[0] for line in listed if not line.startswith(" ")], "list")  # a summary may go on
    expect([step["name"] for step in read("list", "onehot")["steps"]] == ["onehot"], "list of one")
    words = {option["name"]: option.get("words") for option in read("list", "onehot")["steps"][0]["options"]}
    expect(words == {"kind": ["ind", "bag", "key", "bin"], "max": None, "sort": ["occurrence", "value"]}, "words")
    with tempfile.TemporaryDirectory() as folder:
        a, b = (str(pathlib.Path(folder) / name) for name in ("a.dvp", "b.dvp"))
        fitted = read("fit", people, steps, "-o", a)
        expect({**fitted, "action": "show"} == read("show", a), "show")
        made = json.loads(run(program, "cat", "--format", "exact", "--take", "0", "--pipe", f"@{a}", people).stdout)
        checked = read("check", people, a)
        expect(checked["columns"] == [{k: c[k] for k in ("name", "type")} for c in made["columns"]], "columns")
        expect(checked["step_count"] == 5 and checked["needs"] == [], "steps")
        needs = read("check", people, steps, "--rows", "1000")["needs"]
        expect([need["texts"] for need in needs] == [0, 3, 0, 2, 0], "texts")
        expect([need["nbytes"] > 0 for need in needs] == [False, True, True, True, False], "memory")
        tables = {table["column"]: table["values"] for step in fitted["steps"] for table in step["tables"]}
        rows = [json.loads(line) for line in run(program, "cat", "--format", "jsonl", people).stdout.splitlines()]
        expect(tables["Name"] == [{"Term": row["Name"]} for row in rows[:3]], "terms")
        most = max(abs(row["Age"]) for row in rows if row["Age"] is not None)
        expect(abs(tables["Age"][0]["Scale"] * most - 1) < 1e-6 and tables["Age"][0]["Offset"] == 0, "scales")
        expect(fitted["rows"] == 600 and fitted["passes"] == 1, "rows")
        read("fit", people, "copy X:Age; term A:Tags terms=[c \"a\tb\"]; term Name max=2", "-o", b)
        same, other = read("diff", a, a), read("diff", a, b, status=1)
        expect(same["is_same"] and not same["differences"], "same")
        found = collections.Counter(d["what"] for d in other["differences"])
        expect(found == {"changed": 2, "removed": 3, "added": 1, "learned": 2} and not other["is_same"], f"{found}")
        learned = {d["column"]: d for d in other["differences"] if d["what"] == "learned"}
        expect(learned["Name"]["only_a"] == [[rows[2]["Name"]]] and learned["Name"]["only_b"] == [], "only_a")
        expect(learned["A"]["only_b"] == [["c"]], "only_b")
        expect(learned["A"]["moved"] == [{"row": ["a\tb"], "a": 0, "b": 1}], "moved")
        expect((learned["A"]["a"], learned["A"]["b"]) == (1, 2), "numbers")
        halves = read("diff", a, steps)
        expect(halves["a_is_fitted"] and not halves["b_is_fitted"], "fitted")
    return wrong


def check_job(job):
    program, words, file, is_sound = job
    about = f"{' '.join(words)} {file.name}"
    return [f"{about}: {what}" for what in complaints(program, words, file, is_sound)]


def check_other(program, *words):
    """Check a document that is not about a file."""
    done = run(program, *words, "--json")
    wrong = ["status"] if done.returncode else faults(parse(done.stdout), SCHEMA)
    return [f"{' '.join(words)}: {what}" for what in wrong]


def check_all(program):
    golden = [*TESTS.glob("golden/*/*.idv"), *TESTS.glob("golden/btable/*.btable")]
    malformed = [*TESTS.glob("malformed/*/*.idv")]
    jobs = [(program, words, file, True) for file in golden for words in ROUNDS + ROWS]
    rest = [words for words in ROUNDS + ROWS if words != ("verify",)]
    jobs += [(program, words, file, False) for at, file in enumerate(malformed)
             for words in (("verify",), rest[at % len(rest)])]
    with ThreadPoolExecutor(2) as pool:
        wrong = [what for found in pool.map(check_job, jobs) for what in found]
    pairs = [(program, a, b) for a, b in zip(sorted(golden), sorted(golden)[1:])]
    pairs += [(program, file, file) for file in golden]
    with ThreadPoolExecutor(2) as pool:
        wrong += [what for found in pool.map(check_diff, pairs) for what in found]
    ways = [(), ("--keys", "old", "--allow-loss", "columns,metadata"), ("--to", "btable")]
    conversions = [(program, words, file) for words in ways for file in golden]
    with ThreadPoolExecutor(2) as pool:
        wrong += [what for found in pool.map(check_convert, conversions) for what in found]
    people = str(TESTS / "golden/idv/people.idv")
    others = ["help", "help cat", "info --help", "bench --kernels", f"bench {people}", "explain",
              "explain idv", "explain idv:T3", "explain semantics:6"]
    for words in others:
        wrong += check_other(program, *words.split(" ", 1 if people in words else -1))
    with tempfile.TemporaryDirectory() as name:
        copy = pathlib.Path(name) / "people.idv"
        copy.write_bytes(pathlib.Path(people).read_bytes())
        wrong += check_counts(program, str(copy))
        wrong += check_writing(program, str(copy))
        wrong += check_pipes(program, str(copy))
    tiny = str(TESTS / "golden/datadings/tiny.msgpack")
    found = run(program, "find", "--json", "--ids", tiny, "a", "nope")
    wrong += [f"find: {what}" for what in faults(parse(found.stdout), SCHEMA)]
    with tempfile.TemporaryDirectory() as name:
        copy = pathlib.Path(name) / "tiny.msgpack"
        copy.write_bytes(pathlib.Path(tiny).read_bytes())
        wrong += check_other(program, "index", "--datadings", "scan", str(copy))
        copy.write_bytes(copy.read_bytes().replace(b"label\xff", b"label\xc1"))  # a damaged sample
        wrong += check_other(program, "convert", "--allow-loss", "damaged", str(copy), f"{copy}.out.msgpack")
    runs = len(jobs) + len(pairs) + len(conversions) + len(others)
    print(f"{len(golden)} sound and {len(malformed)} malformed files, {runs} runs")
    return wrong if golden and malformed else [*wrong, "no files"]


# --- Selftest -------------------------------------------------------------------------------------

SELFTEST = [  # a schema, values that it accepts, values that it refuses
    ({"type": "integer"}, [0, -1, 1 << 64], [True, 1.5, "1", None]),
    ({"type": ["integer", "null"], "minimum": 0}, [0, None], [-1, False, []]),
    ({"type": "number"}, [1, 1.5], [True, None, "1"]),
    ({"const": "a"}, ["a"], ["b", None]),
    ({"const": 1}, [1], [True]),
    ({"enum": ["a", 0]}, ["a", 0], ["b", False]),
    ({"minLength": 1}, ["a", 0], [""]),
    ({"minItems": 1}, [[0], "a"], [[]]),
    ({"required": ["a"]}, [{"a": None}, []], [{}, {"b": 1}]),
    ({"properties": {"a": {"type": "null"}}}, [{}, {"a": None}, {"b": 1}], [{"a": 1}]),
    ({"properties": {"a": {}}, "additionalProperties": False}, [{"a": 1}, {}], [{"b": 1}]),
    ({"additionalProperties": {"type": "null"}}, [{"b": None}], [{"b": 1}]),
    ({"propertyNames": {"enum": ["a"]}}, [{"a": 1}], [{"b": 1}]),
    ({"items": {"type": "null"}}, [[], [None], "a"], [[None, 1]]),
    ({"oneOf": [{"minimum": 1}, {"minimum": 5}]}, [1, 4], [0, 5]),
    ({"$ref": "#/$defs/n", "$defs": {"n": {"type": "null"}}}, [None], [0]),
]
SELFTEST_TEXT = [  # none is a document
    b'{"a":1}', b'{"a":NaN}\n', b'{"a":1,"a":2}\n', b'"\xff"\n', b'"\x7f"\n', b"1\n2\n", b"\n"
]


def selftest():
    for schema, good, bad in SELFTEST:
        yield from (f"{schema} refuses {value}" for value in good if faults(value, schema))
        yield from (f"{schema} takes {value}" for value in bad if not faults(value, schema))
    for text in SELFTEST_TEXT:
        try:
            parse(text)
            yield f"{text} is taken"
        except ValueError:
            pass
    try:
        faults(0, {"maximum": 1})
        yield "an unknown keyword is taken"
    except KeyError:
        pass


def main():
    wrong = list(selftest()) if sys.argv[1] == "--selftest" else check_all(sys.argv[1])
    print("\n".join(wrong[:50]) if wrong else "all documents are as the schema says")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
