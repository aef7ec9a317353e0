#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""rewritten_btable.py: checks BTables that are converted to .idv and back.

rewritten_btable.py DATAVIEW [FILE...]: `convert` makes .idv files of golden and random BTables,
or of these: raw, deflated and in blocks of three rows. strict_reader.py must read the values there
that strict_btable.py reads in the BTable, and converting back must restore the bytes. Only the +0 of
a row that stores every slot is lost, since the row is dense in .idv; with --canonical all stored
zeros are.
"""
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/format/idv"))

from check_strict_btable import GOLDEN, encode
from strict_btable import Table
from strict_reader import Broken, File

SEEDS = 100
WAYS = {
    "raw": ["--compression", "none"],
    "deflated": ["--compression", "deflate"],
    "raw in threes": ["--compression", "none", "--rows-per-block", "3"],
}
LABELS = ["a", "b", "", "\u00e9", "\u011f", "\u1f80", "\U0001f600", "\ufeffc", "\0", "x y"]
VALUES = [0x3FF0000000000000, 1, 0x7FF8000000000123, 0xFFF0000000000000, 0x8000000000000001]
ZEROS = [0, 1 << 63]


def make_table(seed):
    """The bytes of a random BTable; every third has stored zeros."""
    r = random.Random(seed)
    wide = r.choice([1, 2, 3, 8, 17, 40])
    units = "\x1f".join(r.choices(LABELS, k=wide)).encode("utf-16-be")
    rows = []
    for _ in range(r.choice([0, 1, 3, 20, 100])):
        n = r.choice([0, 1, wide, r.randint(0, wide)])
        some = VALUES + [r.getrandbits(64) | 1] + ZEROS * (seed % 3 == 0)
        pairs = [struct.pack(">iQ", i, r.choice(some)) for i in sorted(r.sample(range(wide), n))]
        rows.append(struct.pack(">i", n) + b"".join(pairs))
    return struct.pack(">ii", 0, len(units) // 2) + units + b"".join(rows)


def convert(program, *words):
    words = [program, "convert", "--no-sync", *words]
    done = subprocess.run(words, capture_output=True, timeout=120)
    return done.returncode, done.stderr.decode("utf-8", "replace").strip()


def without(data, is_dropped):
    """The bytes without some pairs: is_dropped(the row's pairs, bits)."""
    table = Table(data)
    rows = table.sparse_rows
    table.sparse_rows = [[pair for pair in row if not is_dropped(row, pair[1])] for row in rows]
    return encode(table)


def differences(table, path):
    """The differences between the .idv file and the BTable."""
    try:
        read = File(path.read_bytes(), mlnet=True)
    except Broken as broken:
        yield str(broken)
        return
    if read.schema() != table.schema():
        yield f"schema {read.schema()}, not {table.schema()}"
    if list(read.rows()) != list(table.rows()):
        yield "other rows"


def check(program, file, folder, words):
    data = file.read_bytes()
    between, back, fewer = (folder / name for name in ("t.idv", "back.btable", "fewer.btable"))
    steps = [(file, between, *words), (between, back), (between, fewer, "--canonical")]
    for source, target, *options in steps:
        status, said = convert(program, *options, "--from", source.suffix[1:], source, target)
        if status:
            yield f"{source.suffix} to {target.suffix}: {status}, {said}"
            return
    yield from differences(Table(data), between)
    wide = len(Table(data).labels)
    if back.read_bytes() != without(data, lambda row, bits: len(row) == wide and bits == 0):
        yield "not the bytes that were"
    if fewer.read_bytes() != without(data, lambda _, bits: bits & ~(1 << 63) == 0):
        yield "--canonical: not the bytes without stored zeros"


def files_of(arguments, folder):
    if arguments:
        return [pathlib.Path(argument) for argument in arguments]
    files = {}
    for seed in range(SEEDS):
        file = folder / f"seed-{seed}.btable"
        file.write_bytes(make_table(seed))
        files[file.name] = file
    for golden in GOLDEN:
        for file in sorted(golden.glob("*.btable")):
            files.setdefault(file.name, file)
    return list(files.values())


def main():
    program, failed = sys.argv[1], 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        files = files_of(sys.argv[2:], folder)
        for file in files:
            for way, words in WAYS.items():
                complaints = list(check(program, file, folder, words))
                failed += bool(complaints)
                for complaint in complaints:
                    print(f"{file.name}, {way}: {complaint}"[:1000])
    print(f"{len(files)} files, {len(WAYS)} ways there and back, {failed} of them wrong")
    return 1 if failed or not files else 0


if __name__ == "__main__":
    sys.exit(main())
