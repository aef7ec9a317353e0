#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""random_idv.py: checks that the library and the strict reader agree on random files.

random_idv.py DATAVIEW [SEEDS [FIRST]]: of each seed a file is composed by the format page: every
codec, old ones too, as column, vector and metadata, NA, sparse and dense, all compressions, gaps,
names that repeat.  `cat --format exact` must print what strict_reader.py reads.  A complaint names
the seed; `--make SEED FILE` writes that file down.
"""
import json
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import zlib

from strict_codec import FIXED, KEY_MAX, LAST_TICK, NA_TICKS, ROW_IDS, ZONES
from strict_reader import HEAD, TAIL, V6, File

LETTERS = {name: letter for name, (kind, letter) in FIXED.items() if kind != "DT"}
PLAIN = [*FIXED, *sorted(ROW_IDS), *sorted(ZONES), "Boolean", "DvBool", *4 * ["TextSpan"]]
CHARACTERS = ["a", "b", "\u00e9", "\u65e5", "\U0001f600", "\0", "\x1f", "z", "\U00010000", "\ufeff"]
NAMES = ["x", "y", "\u00e9", 'with "quotes"\n', "z"]
KINDS = ["SlotNames", "KeyValues", "IsNormalized", "\u03a8", "Odd"]
DIMS = [[1], [3], [8], [0], [0], [2, 3], [0, 4], [2, 0]]


def leb(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def string(text):
    raw = text.encode("utf-8")
    return leb(len(raw)) + raw


def codec(name, parameters=b""):
    return string(name) + leb(len(parameters)) + parameters


def pack(letter, values):
    return struct.pack(f"<{len(values)}{letter}", *values)


class Maker:
    """Draws everything from one seed."""

    def __init__(self, seed):
        self.r = random.Random(seed)

    def chance(self, part):
        return self.r.random() < part

    # --- Types: a definition, and what makes a block of n values

    def scalar(self):
        name = self.r.choice([*PLAIN, "Key", "Key2", "Key2"])
        if name.startswith("Key"):
            return self.key(name)
        return codec(name), lambda n: self.plain(name, n)

    def key(self, name):
        inner = self.r.choice(sorted(KEY_MAX))
        count = min(KEY_MAX[inner], self.r.choice([1, self.r.randint(1, 1000), 2**64]))
        if name == "Key":
            count = self.r.choice([0, min(count, 1000)])
            contiguous = 1 if count else self.r.choice([0, 1])
            least = self.r.choice([0, 0, 5, 2**63])
            fields = struct.pack("<BQi", contiguous, least, count)
        else:
            fields = struct.pack("<Q", count)
        return codec(name, codec(inner) + fields), lambda n: self.plain(inner, n)

    def vector(self):
        definition, items = self.scalar()
        dims = self.r.choice(DIMS)
        parameters = definition + pack("i", [len(dims), *dims])
        slots = 1
        for dim in dims:
            slots *= dim
        return codec("VBuffer", parameters), lambda n: self.vectors(items, slots, n)

    def type(self):
        return self.scalar() if self.chance(0.5) else self.vector()

    # --- Values

    def number(self, letter):
        bits = 8 * struct.calcsize("<" + letter)
        least = -(2 ** (bits - 1)) if letter.islower() else 0
        most = least + 2**bits - 1
        return self.r.choice([0, 1, least, most, most - 1, *[self.r.randint(least, most)] * 2])

    def plain(self, name, n):
        if name in LETTERS:
            return pack(LETTERS[name], [self.number(LETTERS[name]) for _ in range(n)])
        if name in ROW_IDS:
            return pack("Q", [self.number("Q") for _ in range(2 * n)])
        if name in FIXED:
            ends = [0, LAST_TICK, NA_TICKS]
            return pack("q", [self.r.choice([*ends, self.ticks()]) for _ in range(n)])
        if name == "Boolean":
            return self.r.randbytes((n + 7) // 8)
        if name == "DvBool":
            pairs = [self.r.randrange(3) for _ in range((n + 15) // 16 * 16)]
            return bytes(a | b << 2 | c << 4 | d << 6 for a, b, c, d in zip(*[iter(pairs)] * 4))
        return self.zones(n) if name in ZONES else self.texts(n)

    def ticks(self):
        """At least two days from either end of the calendar, where any offset is valid."""
        far = 2 * 864 * 10**9
        return self.r.randint(far, LAST_TICK - far)

    def zones(self, n):
        """NA may have any offset."""
        offsets, ticks = [], []
        for _ in range(n):
            is_na = self.chance(0.2)
            offsets.append(self.r.choice([0, 60, -840, 840, -32768] + [9999] * is_na))
            ticks.append(NA_TICKS if is_na else self.ticks())
        return pack("h", offsets) + pack("q", ticks)

    def texts(self, n):
        characters = "abc xyz" if self.chance(0.3) else CHARACTERS
        whole, ends, units, is_cut = "", [], 0, False
        for i in range(n):
            if self.chance(0.15) and not is_cut:
                ends.append(units | 2**31)
                continue
            text = "".join(self.r.choices(characters, k=self.r.choice([0, 0, 1, 2, 3, 8, 40])))
            whole += text
            units += len(text.encode("utf-16-le")) // 2
            # a boundary inside a surrogate pair, as .NET writes it
            is_cut = i + 1 < n and text[-1:] > "\uffff" and self.chance(0.3)
            ends.append(units - is_cut)
        return pack("i", [n]) + pack("I", ends) + string(whole)

    def vectors(self, items, slots, n):
        likely = self.r.choice([[0], [1], [7], [0, 0, 1, 2, 5, 9]])
        lengths = [slots or self.r.choice(likely) for _ in range(n)]
        size = slots
        if not slots and len({*lengths}) == 1 and self.chance(0.7):
            size = lengths[0]
        dense = self.r.choice([0.0, 0.5, 1.0])
        counts = [-1 if not k or self.chance(dense) else self.r.randrange(k) for k in lengths]
        indices = []
        for length, count in zip(lengths, counts):
            indices += sorted(self.r.sample(range(length), max(count, 0)))
        total = sum(length if count < 0 else count for length, count in zip(lengths, counts))
        shape = pack("i", [n, size, *([] if size else lengths), *counts, len(indices), *indices])
        return shape + items(total)

    # --- The file

    def compress(self, block, compression):
        if compression == 0:
            return block
        level = self.r.choice([0, 1, 6, 9])
        stream = zlib.compressobj(level, zlib.DEFLATED, -15 if compression == 1 else 15)
        return stream.compress(block) + stream.flush()

    def blocks(self, out, make, rows, rpb, compression):
        """Write the blocks; returns the lookup table."""
        lookup = b""
        for first in range(0, rows, rpb):
            block = make(min(rpb, rows - first))
            stored = self.compress(block, compression)
            out += bytes(self.r.choice([0, 0, 0, 1, 7]))
            lookup += struct.pack("<qii", len(out), len(stored), len(block))
            out += stored
        return lookup

    def metadata(self, out):
        """Write the metadata; returns the offset of its table."""
        entries = []
        for kind in self.r.sample(KINDS, self.r.choice([0, 0, 1, 3])):
            definition, make = self.type()
            compression = self.r.randrange(3)
            stored = self.compress(make(1), compression)
            location = struct.pack("<q", len(out)) + leb(len(stored))
            entries.append(string(kind) + definition + bytes([compression]) + location)
            out += stored
        table = len(out)
        out += leb(len(entries)) + b"".join(entries) if entries else b""
        return table if entries else 0

    def file(self):
        rows = self.r.choice([0, 1, 2, 3, 7, self.r.randint(1, 60)])
        rpb = self.r.choice([1, 2, 3, 5, 8, 64])
        columns = self.r.randint(0 if self.chance(0.1) else 1, 6)
        out, toc = bytearray(256), b""
        for _ in range(columns):
            definition, make = self.type()
            compression = self.r.choice([0, 0, 1, 2])
            lookup = self.blocks(out, make, rows, rpb, compression)
            at = len(out)
            out += lookup
            table = self.metadata(out)
            toc += string(self.r.choice(NAMES)) + definition + bytes([compression])
            toc += leb(rpb) + struct.pack("<qq", at, table)
        numbers = (V6, V6, len(out), len(out) + len(toc), rows, columns)
        out[:52] = HEAD + struct.pack("<QQqqqi", *numbers)
        return bytes(out) + toc + TAIL


def make_file(seed):
    return Maker(seed).file()


def text_of(value):
    """JSON as the library prints it: each half of a cut surrogate pair is U+FFFD."""
    if isinstance(value, list):
        return [text_of(one) for one in value]
    if isinstance(value, dict) and "utf16" in value:
        text = pack("H", value["utf16"]).decode("utf-16-le", "surrogatepass")
        return "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text)
    if isinstance(value, dict):
        return {name: text_of(one) for name, one in value.items()}
    return value


def complaint(program, seed, path):
    """None if both read the same."""
    data = make_file(seed)
    path.write_bytes(data)
    read = File(data)
    words = [program, "cat", "--format", "exact", "--hidden", path]
    done = subprocess.run(words, capture_output=True, timeout=120)
    if done.returncode:
        return f"{done.returncode}, {done.stderr.decode('utf-8', 'replace').strip()}"
    printed = [json.loads(line) for line in done.stdout.decode("utf-8").split("\n") if line]
    wanted = text_of([read.schema(hidden=True), *read.rows(hidden=True)])
    if printed == wanted:
        return None
    return next((f"{a}, not {b}" for a, b in zip(printed, wanted) if a != b), f"{len(printed)} lines")


def main():
    if sys.argv[1] == "--make":
        pathlib.Path(sys.argv[3]).write_bytes(make_file(int(sys.argv[2])))
        return 0
    program, failed = sys.argv[1], 0
    seeds = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + seeds):
            said = complaint(program, seed, pathlib.Path(folder) / "random.idv")
            failed += said is not None
            if said:
                print(f"seed {seed}: {said}"[:1000])
    print(f"{seeds} files, {failed} of them read otherwise")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
