#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""drawn_text.py: checks that random tables are read right, or that a report says otherwise.

drawn_text.py DATAVIEW [--tables N] [--seed N] [--jobs N] [--manners N] [--make SEED FILE] [--counts]

Each table is drawn from a seed and written in three manners of drawn_lines.py and drawn_cells.py.
It is opened without options, or with those that a manner needs.  Names, number of rows, NA, values
and kinds must equal the drawn ones.  Otherwise a warning or an error must name options, and with
these, as the table was written, they must be equal.  Where DuckDB is installed, in build/venv or
elsewhere, at least as many columns must have a type as in DuckDB, of those drawn with one.

With --manners 0 tables are ordinary, and at most 2 % may cause a warning.  --counts prints
how often each manner was read at once.
"""
import argparse
import collections
import concurrent.futures
import importlib.util
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

import drawn_cells  # noqa: F401, adds its manners
import drawn_lines  # noqa: F401
from drawn_manners import MANNERS, Unfit, order_of
from drawn_tables import TICKS, Draw, Table, kind_of

VENV = pathlib.Path(__file__).resolve().parents[3] / "build/venv/bin/python"
MANNERS_EACH = 3
WARNED_MOST = 0.02
TRIES = 30  # tables that may not fit the manners
ROUNDS = 3  # options that a report names may bring a second report


# --- Drawing --------------------------------------------------------------------------------------

def draw(seed, count, only=None):
    """The table of the seed, and the names of its manners."""
    r = Draw(f"{seed}/{count}")
    while True:
        names = {}  # by group
        if only:
            name = r.choice(only)
            names[MANNERS[name][0]] = name
        while len(names) < count:
            name = r.choice(list(MANNERS))
            names.setdefault(MANNERS[name][0], name)
        names = sorted(names.values(), key=order_of)
        for _ in range(TRIES):
            table = Table(r)
            try:
                for name in names:
                    MANNERS[name][1](table)
            except Unfit:
                continue
            return table, names


# --- Reading --------------------------------------------------------------------------------------

class Reading:
    """The table that the command reads from a file with some options."""

    def __init__(self, dataview, path, words):
        text = " ".join(["auto", *words]) if words else None
        self.command = ["cat", "--format", "exact", *(["--text", text] if text else []), str(path)]
        done = subprocess.run([dataview, *self.command], capture_output=True, check=False, timeout=120)
        self.status = done.returncode
        said = done.stderr.decode("utf-8", "replace").replace(str(path), "@")
        lines = said.splitlines()
        self.report = "\n".join(x for x in lines if "warning:" in x or "--sep names one" in x or
                                (self.status and "read with" not in x))
        lines = [json.loads(line) for line in done.stdout.decode("utf-8", "replace").split("\n")[:-1]]
        schema = lines[0]["columns"] if lines else []
        self.names = [c["name"] for c in schema]
        self.types = [c["type"] for c in schema]
        self.rows = lines[1:]


def value_of(item):
    """An item of `cat --format exact`, as the tables have it."""
    if not isinstance(item, str) or ":" not in item:
        return item
    kind, rest = item.split(":", 1)
    if kind == "r8":
        value = struct.unpack(">d", bytes.fromhex(rest))[0]
        return None if value != value else value
    if kind in ("dt", "ts"):
        return int(rest)
    clock, offset = rest.split(":")
    return int(clock) - int(offset) * 60 * TICKS


def are_kinds_same(found, wanted, is_rewritten):
    """A CSV that was written keeps the kind number: 3.0 is written as 3."""
    return found == wanted or (is_rewritten and {found, wanted} == {"int", "real"})


def differences(table, reading):
    """The differences between the drawn table and the reading, in sentences."""
    if reading.status:
        return [f"an error: {reading.report}"]
    wanted = table.wanted_names()
    if len(reading.names) == len(wanted) + 1 and not any(row[-1] for row in reading.rows):
        reading.names, reading.types = reading.names[:-1], reading.types[:-1]  # loses nothing
    kinds = [c.kind for c in table.columns]
    if not table.any_names and reading.names != wanted:
        return [f"names {reading.names}, not {wanted}"]
    found = [kind_of(t) for t in reading.types]
    wrong = [f"column {n} is {t}, not {c.type}"
             for n, t, c, k in zip(reading.names, reading.types, table.columns, found)
             if c.has_value() and not are_kinds_same(k, c.kind, table.is_written_again)]
    if wrong or len(found) != len(kinds):
        return wrong or [f"{len(found)} columns, not {len(kinds)}"]
    more = len(reading.rows) - table.rows
    faults = [compare_rows(table, reading, left_out) for left_out in table.loose_rows(more)] if more >= 0 else []
    return min(faults, key=len, default=[f"{len(reading.rows)} rows, not {table.rows}"])


def compare_rows(table, reading, left_out):
    rows = [row for i, row in enumerate(reading.rows) if i not in left_out]
    for k, (name, column) in enumerate(zip(reading.names, table.columns)):
        for i, (row, (text, want)) in enumerate(zip(rows, column.cells)):
            have = row[k] if column.kind == "text" else value_of(row[k])
            if i not in table.odd and not is_same(have, want):
                return [f"row {i}, column {name}: {have!r}, not {want!r} ({text!r})"]
    return []


def is_same(have, want):
    if have is None or want is None:
        return have is want
    if isinstance(want, str):
        return isinstance(have, str) and have.replace("\r\n", "\n") == want.replace("\r\n", "\n")
    return isinstance(have, bool) == isinstance(want, bool) and have == want


def named_options(report, known):
    """The names of options in a report, as far as they say something about the table."""
    return [name for name in known if re.search(rf"\b{name}(=|\+|-(?!\w))|--{name}\b", report)]


def judge(dataview, table, path):
    """The outcome in a word, and faults in sentences."""
    words = dict(table.needs)
    reading = Reading(dataview, path, words.values())
    if reading.status < 0 or reading.status > 3:
        return "ended", [f"exit status {reading.status}"]
    wrong, first = differences(table, reading), reading
    if not wrong:
        is_silent = table.must_warn and not reading.report
        return "warned" if reading.report else "read", ["no warning"] if is_silent else []
    if not reading.report:
        return "silent", wrong
    if reading.status and table.may_fail:
        return "reported", []
    known, said = table.known(), wrong
    for _ in range(ROUNDS):
        named = [name for name in named_options(reading.report, known) if name not in words]
        if not named:
            return "unsettled", [*wrong, f"report: {first.report}"]
        words.update((name, known[name]) for name in named if known[name])
        reading = Reading(dataview, path, words.values())
        wrong = differences(table, reading)
        if not wrong:
            return "reported", []
    return "unsettled", [*said, f"report: {first.report}", f"then: {wrong}"]


def check_hints(dataview, table, path):
    """The parts that info lacks about columns of texts."""
    if not table.hints:
        return
    words = ["--text", " ".join(["auto", *table.needs.values()])] if table.needs else []
    done = subprocess.run([dataview, "info", *words, path], capture_output=True, check=False)
    said = done.stdout.decode("utf-8", "replace")
    for hint in table.hints if not table.any_names else []:
        hint = hint if isinstance(hint, str) else dict(zip(table.columns, table.wanted_names()))[hint]
        if hint not in said:
            yield f"info lacks {hint}"


# --- DuckDB ---------------------------------------------------------------------------------------

def find_python():
    """Run again in the Python that has DuckDB."""
    if not importlib.util.find_spec("duckdb") and pathlib.Path(sys.executable) != VENV and VENV.exists():
        os.execv(VENV, [str(VENV), *sys.argv])
    return importlib.util.find_spec("duckdb") is not None


def duckdb_types(path):
    """The types that DuckDB finds; None: it cannot read the file."""
    import duckdb
    try:
        return [str(t) for t in duckdb.sql(f"select * from read_csv('{path}')").types]
    except Exception:  # whatever another reader raises
        return None


def compare_duckdb(dataview, table, path):
    """Columns that have a type in DuckDB alone."""
    theirs = duckdb_types(path)
    if theirs is None or len(theirs) != len(table.columns):
        return []
    found = sum(t != "VARCHAR" for t, c in zip(theirs, table.columns) if c.kind != "text")
    types = Reading(dataview, path, table.needs.values()).types
    ours = sum(t != "TX" for t in types)
    return [f"DuckDB finds {found} columns with types, not {ours}: {theirs}, {types}"] if ours < found else []


# --- Written again ------------------------------------------------------------------------------

def rewrite(dataview, table, path):
    """Like judge, of the CSV that the command writes."""
    words = ["--text", " ".join(["auto", *table.needs.values()])] if table.needs else []
    again = path.with_suffix(".again.csv")
    done = subprocess.run([dataview, "convert", "--no-sync", *words, path, again], capture_output=True, check=False)
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace")
        return "refused", [] if "types" in said else [f"convert: {said}"]
    for column, name in zip(table.columns, table.wanted_names()):
        column.name = name
    table.needs, table.knows, table.has_header, table.is_written_again = {}, {}, True, True
    outcome, wrong = judge(dataview, table, again)
    again.unlink()
    return outcome, [f"written again: {fault}" for fault in wrong]


# --- The run --------------------------------------------------------------------------------------

def check(dataview, seed, count, folder, has_duckdb, only=None):
    table, names = draw(seed, count, only)
    path = pathlib.Path(folder) / f"{seed}.csv"
    path.write_bytes(table.data())
    outcome, wrong = judge(dataview, table, path)
    wrong = wrong or list(check_hints(dataview, table, path))
    if has_duckdb and not wrong:
        wrong = compare_duckdb(dataview, table, path)
    if table.is_rewritten and not wrong and outcome == "read":
        outcome, wrong = rewrite(dataview, table, path)
    path.unlink()
    return seed, names, outcome, wrong


def run(args, has_duckdb):
    counts = collections.defaultdict(collections.Counter)
    wrong_tables = 0
    first, last = args.seed, args.seed + args.tables
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        jobs = pool.map(lambda seed: check(args.dataview, seed, args.manners, folder, has_duckdb, args.only),
                        range(first, last))
        for seed, names, outcome, wrong in jobs:
            for name in names or ["ordinary"]:
                counts[name][outcome] += 1
            if wrong:
                wrong_tables += 1
                print(f"seed {seed}, {', '.join(names)}: {outcome}: " + "; ".join(wrong), flush=True)
    total = sum((c for c in counts.values()), collections.Counter())
    if args.counts:
        for name, found in sorted(counts.items()):
            print(f"{name:26}", dict(found))
    print(f"tables of the seeds {first} to {last - 1}")
    if args.manners == 0:
        warned = total["warned"] + total["reported"]
        print(f"{warned} of {args.tables} ordinary tables cause a warning")
        wrong_tables += warned > WARNED_MOST * args.tables
    print(f"{args.tables} tries, {wrong_tables} findings")
    return wrong_tables


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataview")
    parser.add_argument("--tables", type=int, default=250)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--manners", type=int, default=MANNERS_EACH)
    parser.add_argument("--only", action="append", choices=list(MANNERS), help="one of the manners is one of these")
    parser.add_argument("--counts", action="store_true")
    parser.add_argument("--make", nargs=2, metavar=("SEED", "FILE"))
    args = parser.parse_args()
    if args.make:
        table, names = draw(int(args.make[0]), args.manners, args.only)
        pathlib.Path(args.make[1]).write_bytes(table.data())
        print(*names)
        print(" ".join(["auto", *table.needs.values()]))
        return 0
    has_duckdb = find_python()
    if not has_duckdb:
        print("[SKIP] drawn_text::duckdb: the package duckdb is not installed in build/venv")
    return 1 if run(args, has_duckdb) else 0


if __name__ == "__main__":
    sys.exit(main())
