#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""two_builds.py: is one build of the package as fast as another?   two_builds.py [--rounds N] PYTHON PYTHON

Each PYTHON has a build installed, such as gcc's and a wheel's.  In each round both do the same work, in processes of their own
that take turns; a row shows the median CPU time of the first one, and the second one's share of it.  They write the same bytes.
"""
import argparse
import hashlib
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROWS = 200_000


def make(folder):
    import libdataview as dv
    import numpy as np

    rng = np.random.default_rng(1)
    columns = {f"x{k}": rng.normal(size=ROWS).astype(np.float32) for k in range(12)}
    columns["d"] = rng.normal(size=ROWS)
    columns["k"] = rng.integers(0, 1000, ROWS)
    columns["s"] = [f"name {i % 977} of {i}" for i in range(ROWS)]
    table = dv.from_numpy(columns)
    table.write(folder / "raw.idv")
    table.write(folder / "deflated.idv", compression="deflate")
    table.write(folder / "rows.csv", allow_loss=["columns", "types"])
    samples = dv.from_numpy({"key": [f"train/{i:08d}" for i in range(20_000)], "label": np.arange(20_000),
                             "image": rng.integers(0, 256, (20_000, 256)).astype(np.float32)})
    samples.write(folder / "set.msgpack", allow_loss=["columns", "types"])


def tasks(folder):
    """(name, what is timed).  Results are bytes or arrays, or what a file then holds."""
    import libdataview as dv

    raw, deflated, samples = (dv.open(folder / name) for name in ("raw.idv", "deflated.idv", "set.msgpack"))
    numbers = [f"x{k}" for k in range(12)]

    def written(table, name, **options):
        table.write(folder / name, sync=False, **options)
        return (folder / name).read_bytes()

    def fed():
        sums = 0
        for batch in raw.feed(numbers, "k", batch_rows=256, shuffle=True, seed=3):
            sums += int(batch[1].sum())
        return str(sums).encode()

    yield "read .idv, raw, as a matrix", lambda: raw.to_numpy(numbers)
    yield "read .idv, deflated, as a matrix", lambda: deflated.to_numpy(numbers)
    yield "read .csv, types found", lambda: dv.open(folder / "rows.csv").to_numpy(numbers)
    yield "decode datadings as a matrix", lambda: samples.to_numpy(["image"])
    yield "feed of shuffled batches", fed
    yield "filter by an expression", lambda: str(raw.filter("x0 > 0.5 and k < 100 and s like '%7%'").count()).encode()
    yield "fit and apply a pipeline", lambda: dv.Pipeline("normalize x0 x1; hash s; select x0 x1").fit_apply(raw).to_numpy(["x0", "x1"])
    yield "write .csv", lambda: written(deflated, "new.csv", allow_loss=["columns", "types"])
    yield "write .idv, deflated", lambda: written(raw, "new.idv", compression="deflate")


def measure(folder):
    """In a process of a PYTHON: {row: [CPU seconds, digest of the result]}."""
    import sides

    found = {}
    for name, act in tasks(folder):
        digest = hashlib.sha256(memoryview(act()).cast("B")).hexdigest()
        found[name] = [sides.seconds_of(act)[1], digest]
    print(json.dumps(found))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("pythons", nargs=2, metavar="PYTHON")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        def act(python, what):
            return subprocess.run([python, __file__, what, folder], check=True, stdout=subprocess.PIPE).stdout
        act(options.pythons[0], "make")
        rounds = [[json.loads(act(python, "measure")) for python in options.pythons] for _ in range(options.rounds)]
    for row in rounds[0][0]:
        if len({side[row][1] for both in rounds for side in both}) > 1:
            sys.exit(f"{row}: the results differ")
        first, second = (statistics.median(both[k][row][0] for both in rounds) for k in range(2))
        print(f"{row:36} {1000 * first:8.2f} ms   second: {second / first:.2f} times that", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["make"]:
        make(pathlib.Path(sys.argv[2]))
    elif sys.argv[1:2] == ["measure"]:
        measure(pathlib.Path(sys.argv[2]))
    else:
        main()
