#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""strict_btable.py: reads a BTable by the specification alone.

    strict_btable.py [--lenient] FILE   the schema as a line of JSON, then a line for each row

Written from docs/spec/btable.md only, without code of the library, like strict_reader.py from
docs/spec/idv.md.

The rules of btable:7 are checked in its order; the first one broken ends the program with
status 1 and a message with rule and offset.
"""
import argparse
import json
import struct
import sys

SEPARATOR = "\x1f"


class Broken(Exception):
    """A broken rule of btable:7, and its offset."""

    def __init__(self, rule, offset, sentence):
        super().__init__(f"btable:{rule}, byte {offset}: {sentence}")
        self.rule, self.offset = rule, offset


def need(truth, rule, offset, sentence):
    if not truth:
        raise Broken(rule, offset, sentence)


def labels_of(units, lenient):
    """The labels of the joined string; lenient mode reads a lone surrogate as U+FFFD."""
    try:
        return units.decode("utf-16-be").split(SEPARATOR)
    except UnicodeDecodeError as bad:
        need(lenient, "LABEL_UTF16", 8 + bad.start, f"labels: {bad.reason}")
    text = units.decode("utf-16-be", "surrogatepass")  # pairs are joined, halves are kept
    return "".join("\ufffd" if 0xD800 <= ord(c) < 0xE000 else c for c in text).split(SEPARATOR)


class Table:
    """A whole file: labels, and of each row its strictly increasing (index, bits of the value)."""

    def __init__(self, data, lenient=False):
        self.data, self.lenient, self.warnings = data, lenient, []
        need(len(data) >= 8, "HDR_TRUNC", len(data), f"{len(data)} bytes, 8 wanted")
        version, units = struct.unpack_from(">ii", data)
        need(version == 0, "VERSION", 0, f"version {version}")
        need(units >= 0, "LABEL_LEN", 4, f"{units} units of labels")
        self.header = 8 + 2 * units
        need(self.header <= len(data), "LABEL_TRUNC", 4, f"{units} units of {len(data)} bytes")
        self.labels = labels_of(data[8 : self.header], lenient)
        self.sparse_rows, at = [], self.header
        while at < len(data):
            at = self.read_row(at)

    def read_row(self, at):
        """The row at this offset, and the offset of the next one."""
        left = len(self.data) - at
        if left < 4 and self.lenient:
            self.warnings.append(f"byte {at}: {left} bytes follow the last row")
            return len(self.data)
        need(left >= 4, "COUNT_TRUNC", at, f"{left} bytes where a row starts")
        (n,) = struct.unpack_from(">i", self.data, at)
        need(n >= 0, "COUNT_NEG", at, f"{n} pairs")
        wide = len(self.labels)
        need(self.lenient or n <= wide, "COUNT_GT_N", at, f"{n} pairs, {wide} columns")
        need(n <= (left - 4) // 12, "ROW_TRUNC", at, f"{n} pairs, {left - 4} bytes left")
        pairs = list(struct.iter_unpack(">iQ", self.data[at + 4 : at + 4 + 12 * n]))
        self.sparse_rows.append(self.repair(pairs) if self.lenient else self.check(pairs, at + 4))
        return at + 4 + 12 * n

    def check(self, pairs, at):
        before, wide = -1, len(self.labels)
        for k, (index, _) in enumerate(pairs):
            offset = at + 12 * k
            need(index >= 0, "INDEX_NEG", offset, f"index {index}")
            need(index < wide, "INDEX_RANGE", offset, f"index {index} of {wide}")
            need(index != before, "INDEX_DUP", offset, f"index {index} again")
            need(index > before, "INDEX_ORDER", offset, f"index {index} after {before}")
            before = index
        return pairs

    def repair(self, pairs):
        """Drop indices outside the labels and sort the others; of equal ones the last counts."""
        return sorted({i: bits for i, bits in pairs if 0 <= i < len(self.labels)}.items())

    def schema(self):
        wide, metadata = len(self.labels), {}
        if any(self.labels):
            value = {"len": wide, "dense": self.labels}
            metadata["SlotNames"] = {"type": f"V<TX,{wide}>", "value": value}
        column = {"name": "Features", "type": f"V<R8,{wide}>", "metadata": metadata}
        return {"rows": len(self.sparse_rows), "columns": [column]}

    def rows(self):
        """The rows as in btable:14: dense if every slot has a pair."""
        wide = len(self.labels)
        for pairs in self.sparse_rows:
            values = [f"r8:{bits:016x}" for _, bits in pairs]
            if len(pairs) == wide:
                yield [{"len": wide, "dense": values}]
            else:
                yield [{"len": wide, "idx": [index for index, _ in pairs], "val": values}]

    def is_canonical(self):
        return all(bits << 1 & 2**64 - 1 for pairs in self.sparse_rows for _, bits in pairs)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--lenient", action="store_true", help="repair what btable:7 lets repair")
    parser.add_argument("file")
    args = parser.parse_args()
    with open(args.file, "rb") as stream:
        data = stream.read()
    try:
        table = Table(data, args.lenient)
    except Broken as broken:
        print(f"{args.file}: {broken}", file=sys.stderr)
        return 1
    sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    for line in [table.schema(), *table.rows()]:
        print(json.dumps(line, ensure_ascii=False, separators=(",", ":")))
    for warning in table.warnings:
        print(f"{args.file}: {warning}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
