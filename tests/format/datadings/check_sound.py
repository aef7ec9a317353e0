#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_sound.py: checks that `verify` calls those samples sound that the package reads, and no others.

    check_sound.py DATAVIEW

Values of every kind that the package writes, and bytes that it cannot decode: exts, types of numpy,
keys and texts; then DRAWN arrays and scalars of drawn types. The package reads structures whose fields
have titles only without lists, `unpackb(message, use_list=False)`; that counts. Left out are values that
the package reads but never writes (a negative length, names such as float32), which are refused here
(datadings:8), pickles, which are not read, and names that numpy gives to padding and that a field has too.
"""
import pathlib
import random
import subprocess
import sys
import tempfile
import warnings

import peer

peer.need("sound")

import msgpack
import numpy as np
from datadings.reader import MsgpackReader
from datadings.tools.msgpack import packb, unpackb
from datadings.writer import RawWriter

DRAWN = 400
TITLED = "First element of field tuple"  # how numpy refuses lists
DOUBLED = "occurs more than once"
HEAD = bytes.fromhex("82a36b6579a161a178")  # {"key": "a", "x": ...
INNER = {b"nd": True, b"type": "<i8", b"kind": b"", b"shape": [1], b"data": bytes(8)}

WRITTEN = {
    "dtype=[]": np.zeros(3, dtype=[]),
    "masked": np.ma.masked_array([1, 2, 3], [0, 1, 0]),
    "masked matrix": np.ma.masked_array(np.eye(2), np.eye(2)),
    "structure": np.zeros(2, dtype=[("a", "<u4"), ("b", "<f4", (2,))]),
    "title": np.zeros(2, dtype=[(("t", "a"), "<u4")]),
    "structures in structures": np.zeros(2, dtype=[("a", [("b", "<u2")])]),
    "padding": np.zeros(2, np.dtype([("a", "u1"), ("b", "<u4")], align=True)),
    "void": np.zeros(2, "V10"),
    "objects": np.array(["a", 1], object),
    "long double": np.zeros(2, np.longdouble),
    "complex": np.zeros(2, np.complex64),
    "timedelta": np.timedelta64(5, "s"),
    "texts": np.array(["a", "bc"]),
    "bytes": np.array([b"a", b""]),
    "no texts": np.zeros(2, "U0"),
    "empty": np.zeros((0, 3), "f4"),
    "rank 0": np.array(5),
    "half": np.float16(1.5),
    "python complex": 1 - 2j,
    "timestamp": msgpack.Timestamp(5, 999999999),
    "ext": msgpack.ExtType(5, b"abc"),
}

EXTS = {  # type -1 is a time
    "1 byte": "d4ff00", "2 bytes": "d5ff0000", "4 bytes": "d6ff00000001", "16 bytes": "d8ff" + "00" * 16,
    "no bytes": "c700ff", "3 bytes": "c703ff000000", "8 bytes": "d7ff0000000000000001",
    "8 bytes, most ns": "d7ffee6b27fc00000000", "8 bytes, too many ns": "d7ffee6b280000000000",
    "12 bytes": "c70cff000000010000000000000001", "12 bytes, most ns": "c70cff3b9ac9ff0000000000000001",
    "12 bytes, too many ns": "c70cff3b9aca000000000000000001", "12 bytes, before 1970": "c70cff000000018000000000000000",
    "type -2": "d4fe00", "type -128": "d48000", "type 0": "d40000", "type 127": "d47f00",
}

MAPS = {  # of numpy
    "scalar beyond Unicode": {"nd": False, "type": "<U1", "data": b"\0\0\x11\0"},
    "swapped scalar beyond Unicode": {"nd": False, "type": ">U1", "data": b"\0\x11\0\0"},
    "array beyond Unicode": {"nd": True, "type": "<U1", "kind": b"", "shape": [1], "data": b"\0\0\x11\0"},
    "surrogate": {"nd": False, "type": "<U1", "data": b"\0\xd8\0\0"},
    "field named by an integer": {"nd": True, "type": [[5, "<u4"]], "kind": b"V", "shape": [1], "data": bytes(4)},
    "field named by nil": {"nd": True, "type": [[None, "<u4"]], "kind": b"V", "shape": [1], "data": bytes(4)},
    "field named by bytes": {"nd": True, "type": [[b"a", "<u4"]], "kind": b"V", "shape": [1], "data": bytes(4)},
    "field with a title": {"nd": True, "type": [[["t", "a"], "<u4"]], "kind": b"V", "shape": [1], "data": bytes(4)},
    "field without a name": {"nd": True, "type": [["", "<u4"]], "kind": b"V", "shape": [1], "data": bytes(4)},
    "no fields": {"nd": True, "type": [], "kind": b"V", "shape": [3], "data": b""},
    "scalar without fields": {"nd": False, "type": [], "data": b""},
    "no kind": {"nd": True, "type": "<f4", "shape": [1], "data": bytes(4)},
    "more data": {"nd": True, "type": "<f4", "kind": b"", "shape": [1], "data": bytes(5)},
    "less data": {"nd": True, "type": "<f4", "kind": b"", "shape": [2], "data": bytes(4)},
    "two scalars": {"nd": False, "type": "<f4", "data": bytes(8)},
    "part of a scalar": {"nd": False, "type": "<f4", "data": bytes(7)},
    "no scalar": {"nd": False, "type": "<f4", "data": b""},
    "unknown letter": {"nd": False, "type": "<q4", "data": bytes(4)},
    "unknown size": {"nd": False, "type": "<i3", "data": bytes(3)},
    "native order": {"nd": False, "type": "=f4", "data": bytes(4)},
    "nd is a text": {"nd": "yes", "type": "<f4", "data": bytes(4)},
    "data are a text": {"nd": True, "type": "<f4", "kind": b"", "shape": [1], "data": "abcd"},
    "complex of letters": {"complex": True, "data": "1+x"},
    "complex in bytes": {"complex": True, "data": b"1+2j"},
    "no data": {"nd": True, "type": "<f4", "kind": b"", "shape": [1]},
    "a time in fs": {"nd": True, "type": "<M8[fs]", "kind": b"", "shape": [1], "data": bytes(8)},
    "a time in zz": {"nd": True, "type": "<M8[zz]", "kind": b"", "shape": [1], "data": bytes(8)},
    "masked array": {"nd": True, "type": "<i8", "kind": b"", "shape": [1], "data": INNER},
    "masked array, too short": {"nd": True, "type": "<i8", "kind": b"", "shape": [2], "data": INNER},
    "masked array of halves": {"nd": True, "type": "<i4", "kind": b"", "shape": [2], "data": INNER},
}

OTHERS = {
    "a key twice": bytes.fromhex("83a36b6579a161a17801a17802"),
    "array as a key": HEAD + bytes.fromhex("819001"),
    "text that is not UTF-8": HEAD + bytes.fromhex("a1ff"),
    "key that is not UTF-8": HEAD + bytes.fromhex("81a1ff01"),
    "surrogate in a text": HEAD + bytes.fromhex("a3eda080"),
    "integer as a key": HEAD + bytes.fromhex("810501"),
    "nil as a key": HEAD + bytes.fromhex("81c001"),
    "ext as a key": HEAD + bytes.fromhex("81d4050001"),
    "1,023 arrays": HEAD + b"\x91" * 1023 + b"\1",
    "1,024 arrays": HEAD + b"\x91" * 1024 + b"\1",
}


LETTERS = "b1 i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8 g c8 c16 G U0 U1 U5 S0 S1 S7 V0 V1 V10 M8 m8".split()
UNITS = ["", *(f"[{unit}]" for unit in "Y M W D h m s ms us ns ps fs as 7h 25s".split())]
SHAPES = [(), (), (1,), (3,), (0,), (2, 3), (2, 0, 2), (1, 1, 1, 2)]


def plain_type(draw):
    letter = draw.choice(LETTERS)
    return np.dtype(draw.choice("<>") + letter + (draw.choice(UNITS) if letter in ("M8", "m8") else ""))


def drawn_type(draw, depth=0):
    """A plain type, or a structure: fields with titles, shapes, padding, and structures in them."""
    if depth == 3 or draw.random() < 0.5:
        return plain_type(draw)
    fields = []
    for i in range(draw.choice([0, 1, 1, 2, 3])):
        name = draw.choice(["f", "f", "é", "a b", "x"]) + str(i)
        name = (f"t{i}", name) if draw.random() < 0.25 else name
        shape = [draw.choice([(2,), (1,), (2, 3), (0,), 3])] if draw.random() < 0.25 else []
        fields.append((name, drawn_type(draw, depth + 1), *shape))
    return np.dtype(fields, align=draw.random() < 0.2)


def drawn_value(draw):
    value = np.zeros(draw.choice(SHAPES), drawn_type(draw))
    if value.ndim > 1 and draw.random() < 0.4:
        value = np.asfortranarray(value) if draw.random() < 0.5 else value.T
    if value.dtype.kind in "Mm" and draw.random() < 0.5:
        value[...] = "NaT"
    if value.dtype.kind in "iuf" and draw.random() < 0.2:
        value = np.ma.masked_array(value)
    if value.dtype.kind in "biufc" and value.size and draw.random() < 0.3:
        value = value.reshape(-1)[0]
    return draw.choice([value, value, [value, 1], {"y": value}])


def drawn():
    """Names and messages; a type that the package cannot write is drawn again."""
    draw = random.Random(6)
    for i in range(DRAWN):
        message = None
        while message is None:
            try:
                value = drawn_value(draw)
                message = packb({"key": "a", "x": value})
            except (TypeError, ValueError):
                pass
        yield f"drawn {i}, {getattr(value, 'dtype', value)}", message


def samples():
    """Names and messages."""
    yield from drawn()
    for name, value in WRITTEN.items():
        yield name, packb({"key": "a", "x": value})
    for name, value in EXTS.items():
        yield name, HEAD + bytes.fromhex(value)
    for name, entries in MAPS.items():
        yield name, HEAD + msgpack.packb({key.encode(): value for key, value in entries.items()})
    yield from OTHERS.items()


def read(path, message):
    """The error of the package; None: it reads the sample."""
    try:
        try:
            MsgpackReader(path).get(0)
        except TypeError as error:
            if TITLED not in str(error):
                raise
            unpackb(message, use_list=False)
    except Exception as error:  # of any type
        return f"{type(error).__name__}: {error}"
    return None


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    warnings.simplefilter("ignore")
    wrong, checks = [], 0
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "one.msgpack"
        for name, message in samples():
            with RawWriter(path, overwrite=True, disable=True) as writer:
                writer.write("a", message)
            done = subprocess.run([program, "verify", path], capture_output=True, text=True, timeout=60)
            theirs = read(path, message)
            if DOUBLED in (theirs or ""):
                continue
            checks += 1
            if done.returncode != (theirs is not None):
                wrong.append(f"{name}: the package: {theirs}; verify: {done.stdout}")
    print("\n".join([*wrong, f"{checks} checks, {len(wrong)} failed"]))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
