#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_values.py: checks that dataview and the package `datadings` read the same values from each other's sets.

    check_values.py DATAVIEW

dataview reads sets of the package, value by value, and writes them again from the typed view. If
every value has one encoding, all six files must have the bytes of the package. If a value has
several (a list that becomes an array), the package must read the same value.
"""
import hashlib
import json
import math
import pathlib
import struct
import subprocess
import sys
import tempfile

import peer

peer.need("values")

import numpy as np
from datadings.reader import MsgpackReader

SIDES = ["", ".offsets", ".keys", ".key_hashes", ".filter", ".md5"]
GOLDEN = pathlib.Path(__file__).resolve().parents[2] / "golden"
DTYPES = ["|b1", "|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f4", "<f8"]
NAMES = dict(zip(DTYPES, ["BL", "I1", "U1", "I2", "U2", "I4", "U4", "I8", "U8", "R4", "R8"]))
INTEGERS = [0, 1, 127, 128, 255, 256, 65535, 65536, 2**31, 2**32 - 1, 2**32, 2**63 - 1, -1, -32, -33,
            -128, -129, -32768, -32769, -2**31, -2**31 - 1, 1 - 2**63]
REALS = [0.0, -0.0, 0.5, 1e300, 5e-324, math.pi, math.inf, -math.inf]
rng = np.random.default_rng(11)


def array(dtype, shape):
    """Random bits, except for bools; no NaN, which is not equal to itself."""
    dtype = np.dtype(dtype)
    n = int(np.prod(shape))
    if dtype.kind == "b":
        return rng.integers(0, 2, n).astype(bool).reshape(shape)
    if dtype.kind == "f":
        return rng.standard_normal(n).astype(dtype).reshape(shape)
    return np.frombuffer(rng.bytes(n * dtype.itemsize), dtype).reshape(shape)


# --- Sets whose values have one encoding -------------------------------------------------------


def numbered(n):
    return [{"key": f"k{i}", "v": i} for i in range(n)]


def scalars():
    """Integers and reals beside each other, texts and bytes of lengths at which the encoding changes."""
    lengths = [0, 1, 31, 32, 255, 256, 65535, 65536]
    for i, integer in enumerate(INTEGERS):
        n = lengths[i % len(lengths)]
        yield {"key": f"\u00fc/{i}\n\U0001f600", "i": integer, "r": REALS[i % len(REALS)],
               "b": i % 3 == 0, "t": "\u00e9x"[i % 2] * n, "y": rng.bytes(n)}


def arrays():
    for i in range(12):
        sample = {"key": f"a{i}"}
        for dtype in DTYPES:
            sample[dtype[1:]] = array(dtype, (3,))
            sample[dtype[1:] + "m"] = array(dtype, (2, 3, 2))
            sample[dtype[1:] + "v"] = array(dtype, (i % 4 + 1,))
        yield sample


def opaques():
    """Values that no column holds are copied unchanged."""
    pair = np.array([(1, 2.5), (3, 4.5)], [("id", "<u4"), ("v", "<f4")])
    values = [["x", 1], [[1], [2]], [None, b"x"], np.array([1 + 2j]), pair, np.array(["a", 1], object)]
    for i, value in enumerate(values):
        yield {"key": f"o{i}", "x": value, "y": np.float16(1.5) if i % 2 else "text"}


def lists():
    for i in range(7):
        yield {"key": f"l{i}", "t": ["\u00fc" * k for k in range(i)], "y": [b"\0" * k for k in range(i)],
               "u": ["a", "", f"{i}"]}


def images(n):
    for i in range(n):
        yield {"key": f"{i:07}.jpg", "image": bytes([i & 255]) * (100 + i % 300), "label": i % 1000}


SAME = {"none": [], "one": [{"key": "only"}], "two": numbered(2), "thousand": numbered(1000),
        "scalars": list(scalars()), "arrays": list(arrays()), "opaques": list(opaques()),
        "lists": list(lists()), "many": list(images(50_000))}


# --- Sets whose values may have another encoding -----------------------------------------------------


def other_forms():
    for i in range(9):
        yield {"key": f"x{i}", "list": [i, 2, 3], "reals": [0.5 * i], "bools": [True, i > 3],
               "big": array(">i4", (3,)), "half": array("<f2", (2, 2)), "s": np.array([b"a", b"bc"]),
               "u": np.array(["a", "\u00fcb"]), "zero": np.array(i, "<i8"), "n": {"a": i, "b": {"c": "x"}},
               "scalar": np.int16(i - 4), "single": np.float32(i / 4), "none": None if i % 3 else "t",
               "mixed": i if i % 2 else 0.5, "c": complex(i, -1)}


def flat(sample, prefix=""):
    """The leaves of nested maps by their joined names, as in a view."""
    for name, value in sample.items():
        if isinstance(value, dict):
            yield from flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, plain(value)


def plain(value):
    """A value in a form in which numbers of all types compare equal."""
    if isinstance(value, complex):
        return [value.real, value.imag]
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        value = value.tolist()
    return [plain(item) for item in value] if isinstance(value, (list, tuple)) else value


# --- Values of dataview ------------------------------------------------------------------------------


def exact(value):
    """A value as `cat --format exact` prints it, for the columns of SAME; None: not compared."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return "r8:" + struct.pack(">d", value).hex()
    if isinstance(value, bytes):
        return "by:" + value.hex()
    if isinstance(value, list):
        return [exact(item) for item in value]
    kind = "r4:" if value.dtype.itemsize == 4 else "r8:"
    if value.dtype.kind == "f":
        return [kind + item.tobytes()[::-1].hex() for item in value.reshape(-1)]
    na = {8: -2**63, 4: -2**31, 2: -2**15, 1: -2**7}[value.dtype.itemsize]
    is_signed = value.dtype.kind == "i"
    return [None if is_signed and item == na else item for item in value.reshape(-1).tolist()]


def dense(value):
    """A value of dataview; vectors with all their slots."""
    if not isinstance(value, dict):
        return value
    if "dense" in value:
        return value["dense"]
    filled = [None] * value["len"]
    for slot, item in zip(value["idx"], value["val"]):
        filled[slot] = item
    return filled


class Workspace:
    def __init__(self, program, folder):
        self.program, self.folder = program, pathlib.Path(folder)
        self.wrong, self.checks = [], 0

    def run(self, *words):
        done = subprocess.run([self.program, *map(str, words)], capture_output=True, timeout=120)
        self.expect(done.returncode == 0, f"{words}: status {done.returncode}: {done.stderr}")
        return done.stdout.decode()

    def expect(self, is_true, what):
        self.checks += 1
        if not is_true:
            self.wrong.append(what[:500])

    def theirs(self, name, samples):
        path = self.folder / f"{name}.msgpack"
        peer.write(path, samples)
        return path


def is_opaque(column):
    return "MsgpackOpaque" in column["metadata"]


def check_read(workspace, name, samples, path):
    """Compare each value that the package wrote with the one that dataview reads."""
    head, *rows = map(json.loads, workspace.run("cat", "--format", "exact", path).splitlines())
    workspace.expect(len(rows) == len(samples), f"{name}: {len(rows)} rows")
    names = [column["name"] for column in head["columns"]]
    workspace.expect(not samples or names == list(samples[0]), f"{name}: columns {names}")
    for column in head["columns"]:
        dtype = next((d for d in DTYPES if column["name"].rstrip("mv") == d[1:]), None)
        if name == "arrays" and dtype:
            kind = f"V<{NAMES[dtype]},"
            workspace.expect(column["type"].startswith(kind), f"{name}: {column}")
    for row, sample in zip(rows, samples):
        for column, value in zip(head["columns"], row):
            if not is_opaque(column):
                truth = exact(sample[column["name"]])
                workspace.expect(dense(value) == truth, f"{name}, {sample['key']!r}: {value} is not {truth}")


def check_written(workspace, name, samples, path):
    """Check that a set written again from the typed view has the bytes of the package."""
    again = workspace.folder / "again" / path.name
    again.parent.mkdir(exist_ok=True)
    workspace.run("convert", "--no-sync", "--convert", "key:TX", "--allow-loss", "types", path, again)
    for side in SIDES:
        a, b = (pathlib.Path(f"{p}{side}") for p in (path, again))
        workspace.expect(b.exists() and a.read_bytes() == b.read_bytes(), f"{name}{side} differs")
    reader = MsgpackReader(again)
    workspace.expect(len(reader) == len(samples), f"{name}: the package reads {len(reader)} samples")
    workspace.expect(reader.verify_data(), f"{name}: MD5 of the data")
    keys = [sample["key"] for sample in samples]
    workspace.expect([reader.find_index(key) for key in keys] == list(range(len(keys))), f"{name}: look-ups")
    workspace.expect(all(key in reader for key in keys), f"{name}: filter")
    for line in pathlib.Path(f"{again}.md5").read_text().splitlines():
        digest, file = line.split("  ", 1)
        data = (again.parent / file).read_bytes()
        workspace.expect(hashlib.md5(data).hexdigest() == digest, f"{name}: MD5 of {file}")


def check_other_forms(workspace):
    samples = list(other_forms())
    path = workspace.theirs("forms", samples)
    again = workspace.folder / "forms-again.msgpack"
    workspace.run("convert", "--no-sync", "--convert", "key:TX", "--allow-loss", "types,forms", path, again)
    for ours, sample in zip(MsgpackReader(again), samples):
        truth = dict(flat(sample))
        found = {name: plain(value) for name, value in ours.items()}
        workspace.expect(list(found) == list(truth), f"forms: entries {list(found)}")
        for name, value in truth.items():
            workspace.expect(found.get(name) == value, f"forms, {name}: {found.get(name)!r} is not {value!r}")


def check_others(workspace):
    """Check tables of other formats: the number of samples, and numbered keys."""
    files = [*(GOLDEN / "idv").glob("*.idv"), *(GOLDEN / "btable").glob("*.btable")]
    for i, file in enumerate(sorted(files)):
        out = workspace.folder / f"other-{i}.msgpack"
        workspace.run("convert", "--no-sync", "--allow-loss", "columns,metadata,names,types,na",
                  "--to-datadings", "key=rownumber", file, out)
        reader = MsgpackReader(out)
        n = len(reader)
        keys = [f"{i:0{len(str(max(n - 1, 0)))}}" for i in range(n)]
        workspace.expect([sample["key"] for sample in reader.iter()] == keys if n else True, file.name)
        workspace.expect(reader.verify_data(), f"{file.name}: MD5")
        workspace.run("verify", out)


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as folder:
        workspace = Workspace(program, folder)
        for name, samples in SAME.items():
            path = workspace.theirs(name, samples)
            check_read(workspace, name, samples, path)
            check_written(workspace, name, samples, path)
        check_other_forms(workspace)
        check_others(workspace)
        print("\n".join([*workspace.wrong[:40], f"{workspace.checks} checks, {len(workspace.wrong)} failed"]))
        return bool(workspace.wrong)


if __name__ == "__main__":
    sys.exit(main())
