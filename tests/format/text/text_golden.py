#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""text_golden.py: checks that each golden text file reads as its expected table.

text_golden.py DATAVIEW [--all]: of tests/golden/text, and of the folders text and fidelity of DV_GOLDEN_DIR
if the environment names one: with the options of the file NAME.json, by the command, mapped, copied, and in one of PIECES,
or in each of them.  What is mapped before it is compared
follows from semantics:0: ML.NET of today has no NA but NaN.  Left out: cases that are accidents of
the tool (`quirk`), the rows of those whose loader stopped at a bad value (there must be rows, that
is all), and EXCEPT.
"""
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
GOLDEN = [ROOT / "tests/golden/text"]
if more := os.environ.get("DV_GOLDEN_DIR"):
    GOLDEN += [pathlib.Path(more) / "fidelity", pathlib.Path(more) / "text"]
FOLDERS = ["load", "load-mlnet", "fidelity", "drawn", "text"]
EXCEPT = {
    "embed-nosparse": "the file sets no flags: there they were quote- sparse-, here they are on",
    "key-min": "keys that start at 1 are keys here",
}
PIECES = [("mmap", "4", " piece=1"), ("pread", "2", " piece=2"), ("mmap", "1", " piece=3"),
          ("pread", "4", " piece=7"), ("mmap", "2", " piece=64"), ("pread", "1", " piece=0")]
MOST_ROWS = 2000  # of a truth in load-mlnet
NA = {"I1": -1 << 7, "I2": -1 << 15, "I4": -1 << 31, "I8": -1 << 63}


def options_of(case):
    """The arguments of the case for this command."""
    options = case["args"]
    if case.get("columns"):  # flags that were not set are off
        words = options.split()
        options += "".join(f" {flag}-" for flag in ("quote", "sparse")
                           if not any(word.startswith(flag) for word in words))
    return f"{options} blank=empty"


def by_command(dataview, ways):
    """Read a case in one of these ways: exit status, lines, message."""
    command = [dataview, "cat", "--format", "exact", "--quiet", "--from", "text"]

    def read(folder, case):
        io, threads, piece = ways[sum(map(ord, case["name"])) % len(ways)]
        how = ["--io", io, "--threads", threads, "--text", options_of(case) + piece]
        done = subprocess.run([*command, *how, *case["files"]], cwd=folder, check=False,
                              capture_output=True)
        return done.returncode, done.stdout.decode().splitlines(), done.stderr.decode()

    return read


def mapped(value, kind):
    """A golden value as this library reads it."""
    if isinstance(value, dict):
        values = "dense" if "dense" in value else "val"
        return {**value, values: [mapped(item, kind) for item in value[values]]}
    if isinstance(value, str) and value[:3] in ("r4:", "r8:"):
        bits, fraction = int(value[3:], 16), 23 if value[1] == "4" else 52
        exponent = (1 << (8 if value[1] == "4" else 11)) - 1
        is_nan = bits >> fraction & exponent == exponent and bits & ((1 << fraction) - 1)
        return "NaN" if is_nan else value
    if kind == "TS" and value == f"ts:{-1 << 63}":
        return None
    return None if kind in NA and value == NA[kind] else value


def plain(value):
    """A vector without its storage."""
    if not isinstance(value, dict) or "len" not in value:
        return value
    if "dense" in value:
        return value["dense"]
    slots = [""] * value["len"]
    for index, item in zip(value["idx"], value["val"]):
        slots[index] = item
    return slots


def columns_of(schema):
    """Names, types and metadata; the storage of slot names is ignored."""
    return [(column["name"], column["type"],
             {kind: (entry["type"], plain(entry["value"]))
              for kind, entry in column["metadata"].items()}) for column in schema["columns"]]


def item_kind(name):
    return name[2:].split(",")[0] if name.startswith("V<") else name


def difference(want, got):
    """The difference, in words."""
    truth, ours = json.loads(want[0]), json.loads(got[0])
    if columns_of(truth) != columns_of(ours):
        return f"columns {columns_of(ours)} instead of {columns_of(truth)}"
    kinds = [item_kind(column["type"]) for column in truth["columns"]]
    if len(want) != len(got) and not len(got) > len(want) > MOST_ROWS:
        return f"{len(got) - 1} rows instead of {len(want) - 1}"
    for row, (line, our_line) in enumerate(zip(want[1:], got[1:])):
        right = [mapped(value, kind) for value, kind in zip(json.loads(line), kinds)]
        found = [mapped(value, kind) for value, kind in zip(json.loads(our_line), kinds)]
        if right != found:
            return f"row {row} is {found} instead of {right}"
    return None


def check(read, folder, case):
    """None, or the defect."""
    status, got, complaint = read(folder, case)
    phase = case.get("error", {}).get("phase")
    if phase in ("args", "create"):
        return None if status in (1, 2, 3) and complaint else f"exit status {status}: it must fail"
    if case["name"] == "multi-unclosed":  # wrong for everybody
        return None if status == 1 else f"exit status {status}: quotes stay open"
    if status:
        return f"exit status {status}: {complaint}"
    if phase == "read":
        return None if len(got) > 1 else "no rows"
    return difference((folder / f"{case['name']}.jsonl").read_text().splitlines(), got)


def check_all(readers):
    """The exit status of a test of what reads cases, {how: read}."""
    seen, wrong = set(), 0
    for folder in [golden / name for golden in GOLDEN for name in FOLDERS]:
        for path in sorted(folder.glob("*.json")):
            case = json.loads(path.read_text())
            if case["name"] in seen or case["name"] in EXCEPT or case.get("quirk"):
                continue
            seen.add(case["name"])
            for how, read in readers.items():
                what = check(read, folder, case)
                if what:
                    wrong += 1
                    print(f"{path}, {how}: {case['args']}: {what}"[:1000])
    print(f"{len(seen)} files, {wrong} wrong")
    return 1 if wrong or len(seen) < 150 else 0


def main():
    dataview = pathlib.Path(sys.argv[1]).resolve()
    ways = {"mapped": [("mmap", "2", "")], "copied": [("pread", "2", "")], "in pieces": PIECES}
    if "--all" in sys.argv:
        ways |= {f"{way}": [way] for way in PIECES}
    return check_all({how: by_command(dataview, list_) for how, list_ in ways.items()})


if __name__ == "__main__":
    sys.exit(main())
