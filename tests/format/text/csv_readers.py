#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""csv_readers.py: checks that other programs read the values of a table from a file in .csv or .tsv.

    csv_readers.py DATAVIEW [TABLES]

Makes TABLES tables with drawn values of every type (default 20), has `dataview convert` write each, and reads it back:
with Python's csv module, and with pandas and DuckDB where these are installed, in build/venv or else.  A reader that is
not installed is named as skipped.
"""
import csv
import importlib.util
import math
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

VENV = pathlib.Path(__file__).resolve().parents[3] / "build/venv/bin/python"
PEERS = ("pandas", "duckdb")
ROWS = 40
TEXTS = ["", "a", "b c", " x", "y ", 'q"q', '"', "a,b", "a\tb", "a;b", "1", "007", "-", "true", "2020-01-02", "#c", "//d",
         "line\nline", "crlf\r\nline", "\n", "ü€𝄞", "'", "\\", "=1+1", "x" * 300]
FLOAT_MAX = 3.4028234663852886e38


def find_python():
    """Run again in the Python that has the peers."""
    if all(importlib.util.find_spec(peer) for peer in PEERS) or pathlib.Path(sys.executable) == VENV or not VENV.exists():
        return
    os.execv(VENV, [str(VENV), *sys.argv])


def drawn_float(draw):
    while True:
        value = struct.unpack("<f", draw.randbytes(4))[0]
        if math.isfinite(value):
            return value


def drawn_double(draw):
    while True:
        value = struct.unpack("<d", draw.randbytes(8))[0]
        if math.isfinite(value):
            return value


def shortest(value):
    """The shortest digits of a float of 32 bits, as a text for the input."""
    return next(text for n in range(1, 10) if struct.pack("<f", float(text := f"{value:.{n - 1}e}")) == struct.pack("<f", value))


# Name, type in the input, the text of a drawn value there, and the value that a reader should see.
def columns_of(draw):
    def stamp():
        text = f"{draw.randrange(1900, 2100):04}-{draw.randrange(1, 13):02}-{draw.randrange(1, 29):02}T" \
               f"{draw.randrange(24):02}:{draw.randrange(60):02}:{draw.randrange(60):02}.{draw.randrange(10**6):06}0"
        return text, text

    def real(value, text):
        return text, value

    return [
        ("text", "TX", lambda: (text := draw.choice(TEXTS), text)),
        ("small int", "I1", lambda: (n := draw.randrange(-127, 128), n)),
        ("int", "I8", lambda: (n := draw.randrange(-2**63 + 1, 2**63), n)),
        ("unsigned", "U8", lambda: (n := draw.randrange(2**64), n)),
        ("single", "R4", lambda: real(v := drawn_float(draw), shortest(v))),
        ("double", "R8", lambda: real(v := drawn_double(draw), repr(v))),
        ("flag", "BL", lambda: (n := draw.randrange(2), bool(n))),
        ("when", "DT", stamp),
        ("key", "U4[1-9]", lambda: (n := draw.randrange(1, 10), n)),
        ("slot,a", "R4", lambda: real(v := float(draw.randrange(-5, 5)), f"{v:g}")),
    ]


def quoted(text):
    return '"' + text.replace('"', '""') + '"'


def make_table(draw, path):
    """Write the input, and return the names of the output and its values; None is NA."""
    columns, vector = columns_of(draw), draw.randrange(1, 6)
    names = [name for name, _, _ in columns] + [f"v.{i}" for i in range(vector)]
    spec = " ".join(f"col={{name={{{name}}} type={kind.split('[')[0]} src={i}" + (f" key={kind[3:-1]}" if "[" in kind else "") + "}"
                    for i, (name, kind, _) in enumerate(columns))
    lines, rows = [], []
    for _ in range(ROWS):
        fields, row = [], []
        for _, kind, make in columns + [("", "BL", columns[6][2])] * vector:
            is_na = draw.random() < 0.2 and kind[0] != "U"
            text, value = ("", None) if is_na else make()
            fields.append("" if is_na else quoted(str(text)))
            row.append(value)
        lines.append(",".join(fields))
        rows.append(row)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="")
    return f"sep=, sparse- multilines+ {spec} col=v:BL:{len(columns)}-{len(columns) + vector - 1}", names, rows


def same(found, wanted, kind):
    """Is a field of the csv module the value?"""
    if wanted is None:
        return found == ""
    if kind == "R4":
        return struct.pack("<f", float(found)) == struct.pack("<f", wanted)
    if kind == "R8":
        return float(found) == wanted
    if kind == "BL":
        return found == ("true" if wanted else "false")
    return found == str(wanted)


def expect(is_right, *what):
    if not is_right:
        sys.exit("FAILED " + ": ".join(map(str, what)))


def check_csv(path, names, rows, kinds, separator):
    with open(path, encoding="utf-8", newline="") as file:
        found = list(csv.reader(file, delimiter=separator, strict=True))
    expect(found[0] == names, path, found[0], names)
    expect(len(found) == len(rows) + 1, path, len(found))
    for i, (row, wanted) in enumerate(zip(found[1:], rows)):
        expect(len(row) == len(names), path, i, row)
        for name, kind, a, b in zip(names, kinds, row, wanted):
            # a text of another reader's line end; the empty one differs from NA by its quotes alone
            wanted_text = b if kind != "TX" or b is None else b.replace("\r\n", "\n")
            expect(same(a, wanted_text, kind), path, i, name, a, b)


def is_missing(value):
    return value is None or str(value) in ("nan", "NaT", "<NA>")


def same_value(found, wanted, kind):
    if wanted is None or (kind == "TX" and wanted == ""):
        return is_missing(found) or found == wanted
    if kind == "R4":
        return struct.pack("<f", float(found)) == struct.pack("<f", wanted)
    if kind == "R8":
        return float(found) == wanted
    if kind == "DT":
        return found.isoformat(timespec="microseconds") == wanted[:-1]
    if kind == "TX":
        return found == wanted.replace("\r\n", "\n")
    return found == wanted


def check_rows(reader, path, found, names, rows, kinds):
    expect(len(found) == len(rows), reader, path, len(found))
    for i, (row, wanted) in enumerate(zip(found, rows)):
        for name, kind, a, b in zip(names, kinds, row, wanted):
            expect(same_value(a, b, kind), reader, path, i, name, repr(a), repr(b))


def check_pandas(path, names, rows, kinds, separator):
    import pandas

    # numbers with NA become floats, which do not hold all of them, unless a type is asked for
    types = {name: {"I": "Int64", "U": "UInt64"}[kind[0]] for name, kind in zip(names, kinds) if kind[0] in "IU"}
    types.update({name: "str" for name, kind in zip(names, kinds) if kind == "TX"})
    types.update({name: "boolean" for name, kind in zip(names, kinds) if kind == "BL"})
    exact = {"float_precision": "round_trip"} if int(pandas.__version__.split(".")[0]) < 3 else {}
    table = pandas.read_csv(path, sep=separator, dtype=types, parse_dates=["when"], keep_default_na=False, na_values=[""],
                            **exact)
    expect(list(table.columns) == names, "pandas", path, list(table.columns))
    expect(str(table["when"].dtype).startswith("datetime64"), "pandas", path, table["when"].dtype)
    check_rows("pandas", path, list(table.itertuples(index=False, name=None)), names, rows, kinds)


def check_duckdb(path, names, rows, kinds, separator):
    import duckdb

    table = duckdb.sql(f"select * from read_csv('{path}', delim='{separator}', header=true, quote='\"', escape='\"', "
                       f"allow_quoted_nulls=false, types={{'text': 'VARCHAR', 'unsigned': 'UBIGINT', 'double': 'DOUBLE', 'single': 'DOUBLE'}})")
    expect(table.columns == names, "duckdb", path, table.columns)
    expect(str(table.types[names.index("when")]) == "TIMESTAMP", "duckdb", path, table.types)
    expect(str(table.types[names.index("flag")]) == "BOOLEAN", "duckdb", path, table.types)
    found = table.fetchall()
    check_rows("duckdb", path, found, names, rows, kinds)
    for row, wanted in zip(found, rows):  # DuckDB tells the empty text from NA
        expect((row[0] is None) == (wanted[0] is None), "duckdb", path, row[0], wanted[0])


def main():
    program, tables = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 20
    find_python()
    readers = [check_csv]
    for peer in PEERS:
        if importlib.util.find_spec(peer):
            readers.append(globals()[f"check_{peer}"])
        else:
            print(f"[SKIP] csv_readers::{peer}: the package {peer} is not installed in build/venv")
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(tables):
            draw = random.Random(seed)
            suffix, separator = draw.choice([("csv", ","), ("tsv", "\t")])
            source, out = pathlib.Path(folder, "in.data"), pathlib.Path(folder, f"out{seed}.{suffix}")
            options, names, rows = make_table(draw, source)
            kinds = [kind.split("[")[0] for _, kind, _ in columns_of(draw)] + ["BL"] * (len(names) - len(columns_of(draw)))
            done = subprocess.run([program, "convert", "--no-sync", "--from", "text", "--text", options, source, out],
                                  capture_output=True, check=False)
            expect(done.returncode == 0, seed, done.stderr.decode())
            expect(done.stderr.count(b"\n") == 1 and b"a CSV keeps names and values" in done.stderr, done.stderr)
            for check in readers:
                check(out, names, rows, kinds, separator)
    print(f"{tables} tables, {len(readers)} readers")


if __name__ == "__main__":
    main()
