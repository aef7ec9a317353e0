#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_strict_btable.py: checks strict_btable.py with the vectors of btable:10 and golden tables.

Canonical golden tables must also keep their bytes when they are written again (btable:3). Missing
folders and tables are skipped.
"""
import json
import os
import pathlib
import struct
import sys

from strict_btable import SEPARATOR, Broken, Table

ROOT = pathlib.Path(__file__).resolve().parents[3]
GOLDEN = [ROOT / "tests/golden/btable"]
if more := os.environ.get("DV_GOLDEN_DIR"):
    GOLDEN.append(pathlib.Path(more) / "btable")

P, ONE = "00000000 00000003 0061001F0062 ", "3FF0000000000000 "
REJECT = {
    "M01": ("", "HDR_TRUNC", 0),
    "M02": ("000000", "HDR_TRUNC", 3),
    "M03": ("00000000", "HDR_TRUNC", 4),
    "M04": ("00000000 000000", "HDR_TRUNC", 7),
    "M05": ("00000001 00000001 0061", "VERSION", 0),
    "M06": ("01000000 00000001 0061", "VERSION", 0),
    "M07": ("00000000 FFFFFFFF", "LABEL_LEN", 4),
    "M08": ("00000000 00000002 0061", "LABEL_TRUNC", 4),
    "M09": ("00000000 00000001 00", "LABEL_TRUNC", 4),
    "M10": ("00000000 7FFFFFFF 0061", "LABEL_TRUNC", 4),
    "M11": ("00000000 00000001 D83D", "LABEL_UTF16", 8),
    "M12": ("00000000 00000002 DE00D83D", "LABEL_UTF16", 8),
    "M13": ("00000000 00000003 D83D001FDE00", "LABEL_UTF16", 8),
    "M14": (P + "00", "COUNT_TRUNC", 14),
    "M15": (P + "00000000 000000", "COUNT_TRUNC", 18),
    "M16": (P + "FFFFFFFF", "COUNT_NEG", 14),
    "M17": (P + "80000000", "COUNT_NEG", 14),
    "M18": (P + "00000001", "ROW_TRUNC", 14),
    "M19": (P + "00000002", "ROW_TRUNC", 14),
    "M20": (P + "00000001 0000", "ROW_TRUNC", 14),
    "M21": (P + "00000001 00000000", "ROW_TRUNC", 14),
    "M22": (P + "00000001 00000000 3FF00000000000", "ROW_TRUNC", 14),
    "M23": (P + "00000002 00000000" + ONE, "ROW_TRUNC", 14),
    "M24": (P + "00000003 00000000" + ONE + 2 * ("00000001" + ONE), "COUNT_GT_N", 14),
    "M25": (P + "7FFFFFFF", "COUNT_GT_N", 14),
    "M26": (P + "15555556 00000000 00000000", "COUNT_GT_N", 14),
    "M27": (P + "00000001 00000002" + ONE, "INDEX_RANGE", 18),
    "M28": (P + "00000001 FFFFFFFF" + ONE, "INDEX_NEG", 18),
    "M29": (P + "00000002 00000001" + ONE + "00000001" + ONE, "INDEX_DUP", 30),
    "M30": (P + "00000002 00000001" + ONE + "00000000" + ONE, "INDEX_ORDER", 30),
    "M31": (
        "00000000 00000001 0061 00000001 00000000 4022000000000000"
        "00000000 00000001 4000000000000000 00000002 00000000 4008000000000000"
        "00000001 4010000000000000",
        "INDEX_RANGE",
        34,
    ),
    "M32": ("00000000 00000001 D83DDE00 00000001 00000000" + ONE, "LABEL_UTF16", 8),
    "M33": (P + "01000000 00000000 000000000000F03F", "COUNT_GT_N", 14),
}
BIT = 0x3FF0000000000000
ACCEPT = {
    "A01": ("00000000 00000000", [""], []),
    "A02": ("00000000 00000000 00000001 00000000" + ONE, [""], [{0: BIT}]),
    "A03": (P, ["a", "b"], []),
    "A04": (P + "00000000", ["a", "b"], [{}]),
    "A05": (
        P + "00000002 00000000 0000000000000000 00000001 8000000000000000",
        ["a", "b"],
        [{0: 0, 1: 1 << 63}],
    ),
    "A06": (
        P + "00000002 00000000 7FF8000000000123 00000001 FFF0000000000000",
        ["a", "b"],
        [{0: 0x7FF8000000000123, 1: 0xFFF0000000000000}],
    ),
    "A07": (P + "00000001 00000001 0000000000000001", ["a", "b"], [{1: 1}]),
    "A08": ("00000000 00000001 001F 00000001 00000001" + ONE, ["", ""], [{1: BIT}]),
    "A09": ("00000000 00000002 0061001F 00000001 00000001" + ONE, ["a", ""], [{1: BIT}]),
    "A10": ("00000000 00000003 0061001F0061", ["a", "a"], []),
    "A11": ("00000000 00000002 D83DDE00 00000001 00000000" + ONE, ["\U0001f600"], [{0: BIT}]),
    "A12": ("00000000 00000001 011F 00000001 00000000" + ONE, ["\u011f"], [{0: BIT}]),
    "A13": ("00000000 00000002 FEFF0061", ["\ufeffa"], []),
    "A14": ("00000000 00000003 006100000062", ["a\0b"], []),
}
# Rejected vectors in lenient mode: a rule, or labels and rows (btable:7).
LENIENT = {
    "M11": (["\ufffd"], []),
    "M12": (["\ufffd\ufffd"], []),
    "M13": (["\ufffd", "\ufffd"], []),
    "M14": (["a", "b"], []),
    "M15": (["a", "b"], [{}]),
    "M24": (["a", "b"], [{0: BIT, 1: BIT}]),
    "M25": "ROW_TRUNC",
    "M26": "ROW_TRUNC",
    "M27": (["a", "b"], [{}]),
    "M28": (["a", "b"], [{}]),
    "M29": (["a", "b"], [{1: BIT}]),
    "M30": (["a", "b"], [{0: BIT, 1: BIT}]),
    "M31": "ROW_TRUNC",
    "M32": "COUNT_NEG",
    "M33": "ROW_TRUNC",
}


def read(data, lenient=False):
    """Labels and rows, or a rule and its offset."""
    try:
        table = Table(data, lenient)
        return table.labels, [dict(pairs) for pairs in table.sparse_rows]
    except Broken as broken:
        return broken.rule, broken.offset


def encode(table):
    """The bytes of btable:1."""
    units = SEPARATOR.join(table.labels).encode("utf-16-be")
    rows = b"".join(
        struct.pack(">i", len(pairs)) + b"".join(struct.pack(">iQ", *pair) for pair in pairs)
        for pairs in table.sparse_rows
    )
    return struct.pack(">ii", 0, len(units) // 2) + units + rows


def vector_complaints():
    for name, (text, rule, offset) in REJECT.items():
        data = bytes.fromhex(text)
        if read(data) != (rule, offset):
            yield f"{name}: {read(data)}, {rule} at {offset} wanted"
        found, wanted = read(data, lenient=True), LENIENT.get(name, rule)
        if found != wanted and found[0] != wanted:
            yield f"{name}, lenient: {found}, {wanted} wanted"
    for name, (text, labels, rows) in ACCEPT.items():
        data = bytes.fromhex(text)
        for lenient in (False, True):
            if read(data, lenient) != (labels, rows):
                yield f"{name}: {read(data, lenient)}"


def golden_complaints(file):
    data = file.read_bytes()
    try:
        table = Table(data)
    except Broken as broken:
        yield f"{file.name}: {broken}"
        return
    if read(data, lenient=True) != read(data):
        yield f"{file.name}: the lenient read otherwise"
    if table.is_canonical() and encode(table) != data:
        yield f"{file.name}: canonical, but other bytes"
    truth = file.with_suffix(".jsonl")
    if truth.exists():
        lines = filter(None, truth.read_text(encoding="utf-8").split("\n"))
        if [table.schema(), *table.rows()] != [json.loads(line) for line in lines]:
            yield f"{file.name}: not the truth"


def main():
    complaints = list(vector_complaints())
    files = [file for folder in GOLDEN for file in sorted(folder.glob("*.btable"))]
    for file in files:
        complaints += golden_complaints(file)
    print("\n".join([*complaints, f"{len(REJECT) + len(ACCEPT)} vectors, {len(files)} files"]))
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
