# SPDX-License-Identifier: MIT
"""Readers with the interface of the package datadings, beside the package: messages and samples, each
counted and its size added up, no byte read, and keys looked up; readers are open, imports are not counted."""

import collections
import random
import warnings

import sides

SETS = {"200 B": (200, 500 if sides.IS_QUICK else 20000), "50 KiB": (50 << 10, 50 if sides.IS_QUICK else 1000)}
FLOORS = {"rawiter(copy=False)": (3, 20), "iter": (1.8, 2.5)}


def main():
    if not sides.peers("datadings", "datadings", "msgpack", "numpy"):
        return
    from datadings.reader import MsgpackReader as Theirs
    from datadings.writer import FileWriter

    from libdataview.datadings import MsgpackReader as Ours

    warnings.simplefilter("ignore")
    calls = {"rawiter(copy=False)": lambda r: sum(map(len, r.iter(0, raw=True, copy=False))),
             "rawiter": lambda r: sum(map(len, r.iter(0, raw=True))),
             "iter": lambda r: sum(len(sample["image"]) for sample in r.iter(0)),
             "get": lambda r: collections.deque(map(r.get, range(0, len(r), 7)), 0),
             "find_index": lambda r: sum(r.find_index(f"train/{i:08d}") for i in range(0, len(r), 7))}
    for name, (nbytes, n) in SETS.items():
        with sides.folder() as folder:
            draw = random.Random(3)
            with FileWriter(f"{folder}/set.msgpack", disable=True) as writer:
                for i in range(n):
                    writer.write({"key": f"train/{i:08d}", "image": draw.randbytes(nbytes), "label": i})
            ours, theirs = Ours(f"{folder}/set.msgpack"), Theirs(f"{folder}/set.msgpack")
            for row, call in calls.items():
                sides.require(row, call(ours) == call(theirs) or row == "get", "another sum")
                sides.compare(f"datadings {row}, {name} a sample", lambda: call(ours),
                              ("datadings", lambda: call(theirs), *FLOORS.get(row, (None, None))))


if __name__ == "__main__":
    main()
