#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""roundtrip.py: checks that Python's modules read the values of the file from csv and jsonl.

roundtrip.py DATAVIEW FILE...: compares every value of every file with `cat --format exact`.  Prints
the differences, then the number of values.
"""
import csv
import io
import json
import math
import re
import struct
import subprocess
import sys

TICKS = 10_000_000  # a second


def cat(program, form, file):
    done = subprocess.run([program, "cat", "--format", form, file], stdout=subprocess.PIPE, check=True)
    return done.stdout.decode("utf-8")


class Type:
    """A type in the notation of the schema."""

    def __init__(self, notation):
        vector = re.fullmatch(r"V<([A-Z0-9]+(?:\[[^\]]*\])?),[0-9*,]*>", notation)
        self.is_vector = vector is not None
        item = vector.group(1) if vector else notation
        key = re.fullmatch(r"([A-Z0-9]+)\[(\d+)(?:-(\d+|\*))?\]", item)
        self.kind = key.group(1) if key else item
        self.is_key = key is not None
        self.key_min = int(key.group(2)) if key else 0
        self.key_max = None
        if key and key.group(3) and key.group(3) != "*":
            self.key_max = int(key.group(3))


def clock(ticks):
    """Ticks of a day as h:m:s with seven digits; the caller may drop the fraction."""
    seconds, fraction = divmod(ticks, TICKS)
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}", fraction


def civil(ticks):
    """The date of ticks since the year 1, without datetime, which has no ticks."""
    days, rest = divmod(ticks, 86400 * TICKS)
    days += 306
    era, day = divmod(days, 146097)
    year = (day - day // 1460 + day // 36524 - day // 146096) // 365
    in_year = day - (365 * year + year // 4 - year // 100)
    month = (5 * in_year + 2) // 153
    date = in_year - (153 * month + 2) // 5 + 1
    month = month + 3 if month < 10 else month - 9
    text, fraction = clock(rest)
    return f"{era * 400 + year + (month <= 2):04}-{month:02}-{date:02}T{text}.{fraction:07}"


def span(ticks):
    sign, size = ("-", -ticks) if ticks < 0 else ("", ticks)
    days, rest = divmod(size, 86400 * TICKS)
    text, fraction = clock(rest)
    return sign + (f"{days}." if days else "") + text + (f".{fraction:07}" if fraction else "")


def zone(minutes):
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"


def plain(kind, exact):
    """The value of the exact form of a scalar: None, a bool, int, float or str."""
    if exact is None or isinstance(exact, (bool, int)):
        return exact
    if kind == "TX":
        return exact
    tag, _, rest = exact.partition(":")
    if tag in ("r4", "r8"):
        size = ">I" if tag == "r4" else ">Q"
        bits = struct.pack(size, int(rest, 16))
        number = struct.unpack(">f" if tag == "r4" else ">d", bits)[0]
        if math.isinf(number):
            return "-Infinity" if number < 0 else "Infinity"
        return None if math.isnan(number) else number
    if tag == "ts":
        return span(int(rest))
    if tag == "dt":
        ticks = int(rest)
        return civil(ticks)
    if tag == "dz":
        ticks, minutes = rest.split(":")
        return civil(int(ticks)) + zone(int(minutes))
    return "0x" + rest if tag == "ug" else rest


def expected(kind, exact):
    """The same, with keys counted from their least value."""
    if kind.is_key:
        value = exact - 1 + kind.key_min
        return None if exact == 0 or (kind.key_max is not None and value > kind.key_max) else value
    return plain(kind.kind, exact)


def same(kind, want, got):
    """Whether values are equal; floats by their bits at the width of the type."""
    if isinstance(want, float) and isinstance(got, (int, float)) and not isinstance(got, bool):
        width = "<f" if kind.kind == "R4" else "<d"
        return struct.pack(width, want) == struct.pack(width, got)
    return type(want) is type(got) and want == got


def default(kind):
    if kind.is_key:
        return None
    if kind.kind in ("R4", "R8"):
        return 0.0
    texts = {"TX": "", "BL": False, "TS": span(0), "DT": civil(0), "DZ": civil(0) + zone(0), "UG": "0x" + 32 * "0"}
    return texts.get(kind.kind, 0)


def same_value(kind, exact, got):
    """Whether JSON has the value of the exact form."""
    if not kind.is_vector:
        return same(kind, expected(kind, exact), got)
    if "dense" in exact:
        want = [expected(kind, item) for item in exact["dense"]]
    elif exact["len"] > 1000:
        ok = got["len"] == exact["len"] and got["idx"] == exact["idx"]
        pairs = zip(exact["val"], got["val"])
        return ok and all(same(kind, expected(kind, a), b) for a, b in pairs)
    else:
        want = [default(kind)] * exact["len"]
        for slot, item in zip(exact["idx"], exact["val"]):
            want[slot] = expected(kind, item)
    return len(want) == len(got) and all(same(kind, a, b) for a, b in zip(want, got))


def same_field(kind, exact, field):
    """Whether a field of csv has it."""
    if kind.is_vector:
        return same_value(kind, exact, json.loads(field))
    want = expected(kind, exact)
    if want is None:
        return field == ""
    if isinstance(want, bool):
        return field == str(int(want))
    if isinstance(want, float):
        return same(kind, want, float(field))
    return field == str(want)


def check(program, file, complain):
    lines = cat(program, "exact", file).split("\n")
    header, rows = json.loads(lines[0]), [json.loads(line) for line in lines[1:-1]]
    names = [column["name"] for column in header["columns"]]
    kinds = [Type(column["type"]) for column in header["columns"]]
    objects = [json.loads(line) for line in cat(program, "jsonl", file).split("\n")[:-1]]
    table = list(csv.reader(io.StringIO(cat(program, "csv", file), newline="")))
    if table[0] != names or len(table) != len(rows) + 1 or len(objects) != len(rows):
        complain(f"{file}: {len(rows)} rows, {len(table) - 1} in csv, {len(objects)} in jsonl")
        return 0
    for row, exact in enumerate(rows):
        if list(objects[row]) != names or len(table[row + 1]) != len(names):
            complain(f"{file}: row {row}: other columns")
            continue
        for k, kind in enumerate(kinds):
            if not same_value(kind, exact[k], objects[row][names[k]]):
                complain(f"{file}: row {row}, {names[k]}: {exact[k]} is {objects[row][names[k]]!r} in jsonl")
            if not same_field(kind, exact[k], table[row + 1][k]):
                complain(f"{file}: row {row}, {names[k]}: {exact[k]} is {table[row + 1][k]!r} in csv")
    return len(rows) * len(names)


def main():
    csv.field_size_limit(1 << 30)
    complaints = []
    values = sum(check(sys.argv[1], file, complaints.append) for file in sys.argv[2:])
    print("\n".join(complaints[:20] + [f"{values} values"]))
    return 1 if complaints or not values else 0


if __name__ == "__main__":
    sys.exit(main())
