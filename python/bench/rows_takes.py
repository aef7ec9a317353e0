# SPDX-License-Identifier: MIT
"""Ten takes of 256 random rows compared with one, of 28 columns of R4 in a compressed .idv: the first take decodes blocks, which
the table keeps for the next (docs/caching.md).  Each side opens the file, which is not timed, and takes as many rows."""

import os
import statistics
import time

import libdataview as dv
import sides

COLUMNS, ROWS, TAKES, BUDGET = 28, 256, 10, 256 << 20
SIZES = (10**4,) if sides.IS_QUICK else (10**5, 10**6)


def cpu_of(path, takes, budget):
    table = dv.open(path, block_cache_nbytes=budget)
    start = time.process_time()
    for rows in takes:
        table[rows].to_numpy()
    return time.process_time() - start


def main():
    if not sides.peers("takes", "numpy"):
        return
    import numpy as np

    draw = np.random.default_rng(1)
    for size in SIZES:
        with sides.folder() as folder:
            path = os.path.join(folder, "x.idv")
            values = draw.integers(0, 1000, (size, COLUMNS)).astype("f4")
            dv.write({f"c{k}": values[:, k] for k in range(COLUMNS)}, path, compression="deflate", sync=False)
            takes = [draw.integers(0, size, ROWS) for _ in range(TAKES)]
            table = dv.open(path)
            sides.require("takes", all(np.array_equal(table[rows].to_numpy(), values[rows]) for rows in takes * 2),
                          "rows differ")
            ones, tens, plain = zip(*[(cpu_of(path, takes[:1], BUDGET), cpu_of(path, takes, BUDGET), cpu_of(path, takes, 0))
                                      for _ in range(sides.ROUNDS)])
            row = f"ten takes of a table of {size:,} rows, CPU"
            one, ten, none = (sides.shown(statistics.median(seconds)) for seconds in (ones, tens, plain))
            print(f"{row}: one take {one}; ten {ten}; ten, none kept: {none}")
            sides.report_most(row, [b / a for a, b in zip(ones, tens)], "times one", 2.5, 1.2)


if __name__ == "__main__":
    main()
