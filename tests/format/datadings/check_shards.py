#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_shards.py: checks that dataview reads shards that differ as the package's ShardedReader does.

    check_shards.py DATAVIEW

Random shards, in which a key is absent, None, an integer, a real, a text, bytes, a list, an array or
a map, the same for all samples of a shard or not.  Each sample has the values that the package
gives: what no column holds is msgpack, and absent values are NA, or what a type without NA has.
"""
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import peer

peer.need("shards")

import msgpack
import numpy as np
from datadings.reader.sharded import ShardedReader

CASES = 60
STRUCTURE = [("id", ">u4"), ("v", "f2"), ("$n", "U3"), ("xy", "i1", (2,))]
rng = random.Random(22)
VALUES = {
    "none": lambda: None,
    "int": lambda: rng.randrange(-5, 2**40),
    "big": lambda: 2**63 + rng.randrange(9),
    "real": lambda: rng.randrange(100) / 4,
    "bool": lambda: rng.random() < 0.5,
    "text": lambda: rng.choice(["", "a", "\u00fc b"]),
    "bytes": lambda: rng.randbytes(rng.randrange(3)),
    "list": lambda: [rng.randrange(9) for _ in range(rng.randrange(4))],
    "mixed": lambda: ["a", 1],
    "array": lambda: np.arange(rng.choice([2, 2, 3]), dtype=rng.choice(["f4", "f4", "i8"])),
    "matrix": lambda: np.ones((2, rng.choice([2, 2, 3])), "f4"),
    "map": lambda: {"a": rng.randrange(5), "b": rng.choice(["t", None])},
    "nested": lambda: nested(3),
    "complex": lambda: np.array([1 - 2j, rng.randrange(9)], rng.choice(["c8", "c16"])),
    "structure": lambda: np.array([(rng.randrange(9), 0.5, "\u00e9", [1, 2])] * rng.choice([1, 2]), STRUCTURE),
    "empty map": lambda: {},
}


def nested(levels):
    """Maps with any keys, lists, and what is neither, inside each other."""
    kind = rng.choice(["map", "list", "leaf", "leaf"]) if levels else "leaf"
    if kind == "map":
        keys = rng.sample([1, -5, "1", "$x", b"k", True, None, 2.5, "a.b", ""], 3)
        return {key: nested(levels - 1) for key in keys}
    if kind == "list":
        return [nested(levels - 1) for _ in range(rng.randrange(3))]
    return rng.choice([None, True, "t", "$t", b"\xff", 2**64 - 1, -7, 0.1, -0.0, float("inf"), 3 - 1j,
                       msgpack.Timestamp(5, 7), msgpack.ExtType(3, b"ab"), np.float32(0.1), np.arange(3),
                       np.zeros((2, 0)), np.array([b"a", b"bc"]), np.ones((1, 2), ">f4"), np.bool_(True)])


def shown(value):
    """The JSON of docs/cli.md."""
    if isinstance(value, np.generic) and not isinstance(value, np.void):
        value = value.item() if not isinstance(value, np.floating) else float(str(value))
    if isinstance(value, np.ndarray):
        if value.ndim == 0:
            return shown(value[()])
        return [shown(item) for item in value] if value.size or value.ndim == 1 else {"$array": list(value.shape)}
    if isinstance(value, np.void):
        return {key_shown(name): shown(value[name]) for name in value.dtype.names}
    if isinstance(value, dict):
        return {key_shown(key): shown(item) for key, item in value.items()}
    if isinstance(value, list):
        return [shown(item) for item in value]
    if isinstance(value, bytes):
        return {"$bytes": value.hex()}
    if isinstance(value, msgpack.Timestamp):
        return {"$time": [value.seconds, value.nanoseconds]}
    if isinstance(value, msgpack.ExtType):
        return {"$ext": [value.code, value.data.hex()]}
    if isinstance(value, complex):
        return {"$complex": [value.real, value.imag]}
    return "Infinity" if value == float("inf") else value


def key_shown(key):
    if isinstance(key, str):
        return "$" + key if key.startswith("$") else key
    return "$bytes:" + key.hex() if isinstance(key, bytes) else "$" + json.dumps(key)


def shard(number):
    kinds = {name: rng.choice([*VALUES, "absent", "absent"]) for name in "uvwxyz"}
    for i in range(rng.choice([0, 1, 3, 3])):
        sample = {"key": f"{number}/{i}"}
        for name, kind in kinds.items():
            if rng.random() < 0.1:
                kind = rng.choice(list(VALUES))
            if kind != "absent":
                sample[name] = VALUES[kind]()
        yield sample


def said(sample, name):
    """The value of the column `name`, whose keys are divided by dots, and whether it exists."""
    for key in name.split("."):
        if not isinstance(sample, dict) or key not in sample:
            return None, False
        sample = sample[key]
    return sample, True


def is_same(ours, theirs, type_):
    if theirs is None:  # NA, or the value of a type that has none
        return ours is None or not np.any(np.array(ours)) if type_ != "BY" else ours == ""
    if isinstance(theirs, np.ndarray):
        return np.array_equal(np.array(ours, theirs.dtype).ravel(), theirs.ravel())
    if isinstance(theirs, bytes):
        return ours == theirs.hex()
    return type(ours) != bool and ours == theirs or ours is theirs


def is_said(ours, theirs, type_, is_opaque):
    if is_opaque:  # JSON has one kind of number, but tells -0.0 from 0
        return json.dumps(ours).replace(".0", "") == json.dumps(shown(theirs)).replace(".0", "")
    return is_same(ours, theirs, type_)


def run(*arguments):
    done = subprocess.run([sys.argv[1], *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode:
        raise AssertionError(f"{arguments}: {done.stderr.decode()}")
    return done.stdout.decode()


def check(paths):
    how = ["--datadings", "infer=all", *paths]
    columns = json.loads(run("schema", "--json", *how))["columns"]
    rows = [json.loads(line) for line in run("cat", "--format", "jsonl", *how).splitlines()]
    full = [str(path) for path in paths if path.stat().st_size]  # the package cannot read empty ones
    samples = list(ShardedReader(full).iter()) if full else []
    if len(rows) != len(samples):
        return [f"{len(rows)} rows, {len(samples)} samples"]
    wrong = []
    for row, sample in zip(rows, samples):
        for column in columns:
            name, ours = column["name"], row[column["name"]]
            opaque = "MsgpackOpaque" in column["metadata"]
            theirs, _ = said(sample, name)
            if not is_said(ours, theirs, column["type"], opaque):
                wrong.append(f"{sample['key']} {name} {column['type']}: {ours!r}, the package: {theirs!r}")
        for name in sample:  # nothing has no column
            has_column = any(c["name"].split(".")[0] == name for c in columns)
            if not has_column and not isinstance(sample[name], (dict, type(None))):
                wrong.append(f"{sample['key']}: no column {name}")
    keys = [s["key"] for s in samples]
    if keys:
        key = rng.choice(keys)
        found = json.loads(run("find", "--json", paths[0].parent, key))["keys"]
        if found != [{"key": key, "row": keys.index(key)}]:
            wrong.append(f"find {key}: {found}")
    return wrong


def main():
    failed = 0
    for case in range(CASES):
        with tempfile.TemporaryDirectory() as folder:
            paths = [pathlib.Path(folder, f"{i}.msgpack") for i in range(rng.randrange(2, 5))]
            for i, path in enumerate(paths):
                peer.write(path, shard(i))
            wrong = check(paths)
        failed += bool(wrong)
        for line in wrong[:5]:
            print(f"case {case}: {line}")
    print(f"{CASES - failed} passed, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
