#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""strict_reader.py: reads an .idv file by the format page alone.

    strict_reader.py [--hidden] FILE    the schema as a line of JSON, then a line for each row
    strict_reader.py --layout FILE      a line for each block: its bytes, and where its arrays start
    --mlnet                             refuse what not every ML.NET from 0.11 on reads (idv:7.5)

Written from docs/spec/idv.md only; nothing of it comes from the library or goes there, so that one
can judge the other.  Every rule of idv:2 to idv:6 is checked, in all blocks of all columns that are alive;
the first that is broken ends the program with status 1 and a sentence that names it.  Plain, not
fast: the standard library, whole columns in memory.
"""
import argparse
import itertools
import json
import math
import struct
import sys
from collections import namedtuple

from strict_codec import I4_MAX, Broken, Bytes, need
from strict_codec import fixed_nbytes, inflate, notation, read_codec, read_values

HEAD = bytes.fromhex("434d4c0044564200")
TAIL = HEAD[::-1]
V1, V2, V3, V4, V5, V6 = (0x0001000100010000 + minor for minor in range(1, 7))
# of the column TOC: a dead column may have no name
SMALLEST_ENTRY = {V1: 14, V2: 14, V3: 22, V4: 22}
DEFLATE_RATIO = 1032
NOT_FOR_MLNET = {"DvBool", "Key", "RowId", "UInt128"}
# limits of this program, not of the format
METADATA_NBYTES, BLOCK_NBYTES, ROWS_WITHOUT_COLUMNS = 64 << 20, 256 << 20, 1 << 24

Header = namedtuple("Header", "version toc tail rows columns")


class Column:
    """An entry of the column TOC and, if it is alive, all that it refers to."""

    def __init__(self, index, name, codec, compression):
        self.index, self.name, self.codec, self.compression = index, name, codec, compression
        self.lookup = self.toc = 0
        self.metadata = {}  # kind: {"type", "value"}
        self.dead_kinds, self.kind_codecs = [], []
        self.values = []

    def is_alive(self):
        return self.codec is not None and self.compression <= 2

    def notation(self):
        return notation(self.codec)

    def codec_names(self):
        """Every load name in its definition and in those of its metadata."""
        for codec in [self.codec, *self.kind_codecs]:
            while codec:
                yield codec.name
                codec = codec.inner

    def slots(self):
        """The slots of a vector of known size; otherwise 0."""
        dims = self.codec.dims or [0]
        return math.prod(dims)


def read_header(data):
    need(len(data) >= 256, "H1", len(data), f"{len(data)} bytes, 256 wanted")
    need(data[:8] == HEAD, "H2", 0, f"signature {data[:8].hex()}")
    version, compatible, toc, tail, rows, columns = struct.unpack_from("<QQqqqi", data, 8)
    need(compatible <= version, "H3", 8, f"version {version:#x}, compatible {compatible:#x}")
    need(version >= V1, "H4", 8, f"version {version:#x}")
    old = (version, compatible) in ((V1, V1), (V2, V1), (V2, V2), (V3, V3))
    need(compatible >= V4 or old, "H5", 16, f"{compatible:#x} of {version:#x}", "UNSUPPORTED")
    need(compatible <= V6, "H6", 16, f"compatible {compatible:#x}", "UNSUPPORTED")
    need(rows >= 0, "H7", 40, f"{rows} rows")
    need(columns >= 0, "H8", 48, f"{columns} columns")
    need(columns == 0 or toc >= 256, "H9", 24, f"TOC offset {toc}")
    need(tail >= 256, "H10", 32, f"tail offset {tail}")
    need(tail <= len(data) - 8, "H11", 32, f"tail offset {tail}, {len(data)} bytes")
    found = data[tail : tail + 8]
    need(found == TAIL, "H12", tail, f"tail signature {found.hex()}")
    need(columns == 0 or toc <= tail, "H9", 24, f"TOC offset {toc}, tail {tail}")
    most = (tail - toc) // SMALLEST_ENTRY.get(version, SMALLEST_ENTRY[V4]) if columns else 0
    need(columns <= most, "H8", 48, f"{columns} columns, a TOC of {tail - toc} bytes")
    return Header(version, toc, tail, rows, columns)


class File:
    """A whole file, read by the constructor."""

    def __init__(self, data, mlnet=False):
        self.data, self.mlnet = data, mlnet
        self.header = header = read_header(data)
        if mlnet:
            versions = data[8:24]
            need(versions == 2 * struct.pack("<Q", V6), "7.5", 8, f"versions {versions.hex()}")
        self.layout, self.rpb = [], None
        toc = Bytes(data, header.toc, header.tail, "3.1")
        self.columns = [self.read_column(toc, index) for index in range(header.columns)]
        alive = [column for column in self.columns if column.is_alive()]
        held = alive or header.rows <= ROWS_WITHOUT_COLUMNS
        need(held, "2.2", 40, f"{header.rows} rows of nothing", "LIMIT")
        for column in alive:
            self.read_metadata(column)
        for column in alive:
            self.read_blocks(column)

    # -- the column TOC (idv:3.1)

    def read_column(self, toc, index):
        name_at, name = toc.at, toc.string("column name")
        codec_at, codec = toc.at, read_codec(toc, first=self.header.version == V1)
        column = Column(index, name, codec, toc.number("B", "compression"))
        self.read_rows_per_block(toc)
        self.read_lookup_offset(column, toc)
        if self.header.version == V3:
            self.read_slot_names(column, toc)
        if self.header.version >= V4:
            at, column.toc, tail = toc.at, toc.number("q", "metadata offset"), self.header.tail
            good = column.toc == 0 or 256 <= column.toc <= tail
            toc.need(good, "T4", at, f"metadata offset {column.toc}, tail {tail}")
        toc.need(name or not column.is_alive(), "T5", name_at, "a column without a name")
        if self.mlnet:
            check_mlnet(codec, column.compression, codec_at)
        return column

    def read_rows_per_block(self, toc):
        rows, at, rpb = self.header.rows, toc.at, toc.leb64("rows per block")
        good = rpb <= I4_MAX and (rpb or not rows)
        toc.need(good, "T1", at, f"{rpb} rows per block, {rows} rows")
        said = f"{rpb} rows per block, then {self.rpb}"
        need(self.rpb in (None, rpb), "T2", at, said, "UNSUPPORTED")
        self.rpb = rpb

    def blocks(self):
        return (self.header.rows - 1) // self.rpb + 1 if self.header.rows else 0

    def read_lookup_offset(self, column, toc):
        at, offset = toc.at, toc.number("q", "lookup offset")
        if self.header.rows:
            tail, blocks = self.header.tail, self.blocks()
            good = 256 <= offset <= tail and blocks <= (tail - offset) // 16
            toc.need(good, "T3", at, f"lookup offset {offset}, {blocks} blocks, tail {tail}")
        if self.mlnet:
            toc.need(offset >= 256, "7.5", at, f"lookup offset {offset}")
        column.lookup = offset

    def read_slot_names(self, column, toc):
        """Version 1.1.1.3 only: pairs of slot and name, read as SlotNames."""
        tail, at, offset = self.header.tail, toc.at, toc.number("q", "slot names offset")
        if offset == 0:
            return
        toc.need(256 <= offset <= tail, "3.1", at, f"slot names at {offset}, tail {tail}")
        at, nbytes = toc.at, toc.number("q", "slot names size")
        good = 0 <= nbytes <= tail - offset
        toc.need(good, "3.1", at, f"slot names of {nbytes} bytes at {offset}, tail {tail}")
        at, count = toc.at, toc.number("i", "slot names count")
        toc.need(count >= 0, "3.1", at, f"{count} slot names")
        if not column.is_alive():
            return
        src, slots, names = Bytes(self.data, offset, offset + nbytes, "3.1"), column.slots(), {}
        for _ in range(count):
            at, slot = src.at, src.number("i", "slot")
            good = 0 <= slot < slots and slot not in names
            src.need(good, "3.1", at, f"slot {slot} of {slots}, or its second name")
            names[slot] = src.string("slot name")
        src.need(not src.left(), "3.1", src.at, f"{src.left()} bytes follow the slot names")
        if names:
            value = {"len": slots, "dense": [names.get(slot, "") for slot in range(slots)]}
            column.metadata["SlotNames"] = {"type": f"V<TX,{slots}>", "value": value}

    # -- metadata (idv:3.3)

    def read_metadata(self, column):
        if not column.toc:
            return
        toc = Bytes(self.data, column.toc, self.header.tail, "3.3")
        at, count = toc.at, toc.leb64("metadata count")
        toc.need(0 < count < I4_MAX, "M1", at, f"{count} entries")
        kinds = set()
        for _ in range(count):
            at, kind = toc.at, toc.string("metadata kind")
            toc.need(kind, "M2", at, "a kind without a name")
            toc.need(kind not in kinds, "M3", at, f"kind {kind!r} twice")
            kinds.add(kind)
            self.read_kind(column, kind, toc)

    def read_kind(self, column, kind, toc):
        tail, codec_at, codec = self.header.tail, toc.at, read_codec(toc)
        compression = toc.number("B", "compression")
        at, offset = toc.at, toc.number("q", "metadata block offset")
        toc.need(256 <= offset <= tail, "M4", at, f"block at {offset}, tail {tail}")
        at, stored = toc.at, toc.leb64("metadata length")
        toc.need(0 < stored <= tail - offset, "M5", at, f"{stored} bytes at {offset}, tail {tail}")
        if self.mlnet:
            check_mlnet(codec, compression, codec_at)
        if codec is None or compression > 2:
            column.dead_kinds.append(kind)
            return
        column.kind_codecs.append(codec)
        src = self.open_block(compression, offset, stored, METADATA_NBYTES, "LIMIT")
        check_width(codec, 1, src.left(), offset)
        where = {"column": column.index, "name": column.name, "metadata": kind}
        extent = (offset, stored, src.left(), compression)
        (value,) = self.close_block(codec, src, 1, where, extent)
        column.metadata[kind] = {"type": notation(codec), "value": value}

    # -- blocks (idv:3.2, idv:6)

    def read_blocks(self, column):
        rows, rpb, blocks = self.header.rows, self.rpb, self.blocks()
        need(blocks <= I4_MAX, "L1", column.lookup, f"{blocks} blocks", "UNSUPPORTED")
        for block in range(blocks):
            n = min(rpb, rows - block * rpb)
            column.values += self.read_rows(column, block, n, column.lookup + 16 * block)

    def read_rows(self, column, block, n, at):
        offset, stored, inflated = struct.unpack_from("<qii", self.data, at)
        tail, compression = self.header.tail, column.compression
        need(stored >= 0, "L2", at + 8, f"stored length {stored}")
        need(inflated >= 0, "L3", at + 12, f"inflated length {inflated}")
        need(256 <= offset <= tail - stored, "L4", at, f"{stored} bytes at {offset}, tail {tail}")
        possible = inflated <= DEFLATE_RATIO * stored if compression else inflated == stored
        need(possible, "6", at + 12, f"{inflated} bytes cannot come from {stored}")
        check_width(column.codec, n, inflated, at + 12)
        need(inflated <= BLOCK_NBYTES, "6", at + 12, f"a block of {inflated} bytes", "LIMIT")
        src = self.open_block(compression, offset, stored, inflated)
        need(src.left() == inflated, "6", offset, f"the stream gives {src.left()} of {inflated}")
        where = {"column": column.index, "name": column.name, "block": block}
        extent = (offset, stored, inflated, compression)
        return self.close_block(column.codec, src, n, where, extent)

    def open_block(self, compression, offset, stored, most, verdict="CORRUPT"):
        if compression == 0:
            return Bytes(self.data, offset, offset + stored, "5", None, self.mlnet)
        block = inflate(self.data[offset : offset + stored], compression, most, offset, verdict)
        return Bytes(block, 0, len(block), "5", offset, self.mlnet)

    def close_block(self, codec, src, n, where, extent):
        """All values of a block, which must hold nothing else."""
        values = read_values(codec, src, n)
        src.need(not src.left(), "5", src.at, f"{src.left()} bytes follow the values of {where}")
        line = dict(where, rows=n)
        line.update(zip(("offset", "stored", "inflated", "compression"), extent))
        line["arrays"] = src.arrays if src.home is None else {}
        self.layout.append(line)
        return values

    # -- what it holds

    def shown(self, hidden=False):
        alive = [column for column in self.columns if column.is_alive()]
        last = {column.name: column.index for column in alive}
        return [column for column in alive if hidden or last[column.name] == column.index]

    def schema(self, hidden=False):
        columns = [
            {"name": column.name, "type": column.notation(), "metadata": column.metadata}
            for column in self.shown(hidden)
        ]
        return {"rows": self.header.rows, "columns": columns}

    def rows(self, hidden=False):
        columns = [column.values for column in self.shown(hidden)]
        return map(list, zip(*columns)) if columns else itertools.repeat([], self.header.rows)


def check_width(codec, n, nbytes, offset):
    exact = fixed_nbytes(codec, n)
    if exact:
        need(nbytes == exact[0], exact[1], offset, f"{nbytes} bytes, {exact[0]} wanted for {n}")


def check_mlnet(codec, compression, offset):
    """idv:7.5: codecs and compressions that every ML.NET since 0.11 knows."""
    need(compression <= 1, "7.5", offset, f"compression {compression}")
    need(codec is not None, "7.5", offset, "an unknown codec")
    while codec:
        need(codec.name not in NOT_FOR_MLNET, "7.5", offset, f"codec {codec.name}")
        codec = codec.inner


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--hidden", action="store_true", help="of columns of one name show all")
    parser.add_argument("--layout", action="store_true", help="show where blocks and arrays are")
    parser.add_argument("--mlnet", action="store_true", help="refuse what not every ML.NET reads")
    parser.add_argument("file")
    args = parser.parse_args()
    with open(args.file, "rb") as stream:
        data = stream.read()
    try:
        file = File(data, args.mlnet)
    except Broken as broken:
        print(f"{args.file}: {broken}", file=sys.stderr)
        return 1
    lines = file.layout if args.layout else [file.schema(args.hidden), *file.rows(args.hidden)]
    sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    for line in lines:
        print(json.dumps(line, ensure_ascii=False, separators=(",", ":")))
    return 0


if __name__ == "__main__":
    sys.exit(main())
