# SPDX-License-Identifier: MIT
"""Batches of 64 rows of one column: the next one, and the next one as a NumPy array, beside a loop in
C over the same cursor."""

import ctypes
import os
import statistics
import sys

import libdataview as dv
import sides

ROWS = 64 * (200 if sides.IS_QUICK else 5000)


def side():
    """The loop in C (bench/batch_side.c), or None."""
    if "--batch-side" not in sys.argv:
        print("batches: skipped, there is no library with the loop in C")
        return None
    library = ctypes.CDLL(sys.argv[sys.argv.index("--batch-side") + 1])
    library.dvb_batches.restype = ctypes.c_int64
    library.dvb_batches.argtypes = [ctypes.c_char_p, ctypes.c_int64, ctypes.POINTER(ctypes.c_double)]
    return library


def main():
    library = side()
    if library is None or not sides.peers("batches", "numpy"):
        return
    import numpy as np

    with sides.folder() as folder:
        path = os.path.join(folder, "x.idv")
        values = np.random.default_rng(1).random(ROWS, dtype=np.float32)
        dv.write({"x": values}, path, sync=False)
        table = dv.open(path)
        total = ctypes.c_double()

        def c_loop():
            return library.dvb_batches(path.encode(), 64, ctypes.byref(total))

        def nexts():
            for _ in table.batches(["x"], rows=64):
                pass

        def arrays():
            for batch in table.batches(["x"], rows=64):
                np.asarray(batch["x"])

        n = ROWS // 64
        found = [float(np.asarray(b["x"]).sum(dtype=np.float64)) for b in table.batches(["x"], rows=64)]
        expected = values.reshape(n, 64).sum(axis=1, dtype=np.float64)
        sides.require("batches", np.allclose(found, expected) and c_loop() == n
                      and np.isclose(total.value, expected.sum()), "sums differ")
        in_c, next_, array = ([cpu for _, cpu in side] for side in sides.rounds(c_loop, nexts, arrays))
        print(f"batches of 64 rows: the loop in C: {1e6 * statistics.median(in_c) / n:.2f} us of CPU a batch")
        for name, times, limit, moonshot in (("next", next_, 2, 1.2), ("next as NumPy", array, 3.5, 2)):
            sides.report_most(f"batches of 64 rows: {name}, CPU beyond the loop in C",
                              [1e6 * (a - b) / n for a, b in zip(times, in_c)], "us", limit, moonshot)


if __name__ == "__main__":
    main()
