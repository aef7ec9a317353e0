# SPDX-License-Identifier: MIT
"""Whole columns and tables as NumPy arrays, beside one copy of the result's bytes; and a BTable as a
sparse matrix of SciPy, beside NumPy's structured reading and two copies."""

import os

import libdataview as dv
import sides


def compare_dense(row, table, result, call, floor, moonshot):
    """Beside a copy into fresh memory, as the result is, and into memory that is there."""
    import numpy as np

    sides.require(row, call().tobytes() == result.tobytes(), "another matrix")
    there = result.copy()

    def copy_into():
        np.copyto(there, result)

    sides.compare(f"{row}, {result.nbytes >> 20} MiB", call,
                  ("one copy", result.copy, floor, moonshot),
                  ("one copy into memory in use", copy_into, None, None))


def dense(folder):
    import numpy as np

    rng = np.random.default_rng(3)
    nbytes = (2 if sides.IS_QUICK else 96) << 20
    pixels = rng.random((nbytes // 4 // 784, 784), dtype=np.float32)
    path = os.path.join(folder, "pixels.idv")
    dv.write({"Features": pixels}, path, sync=False)
    table = dv.open(path)
    compare_dense("to_numpy of V<R4,784>, column", table, pixels, table["Features"].to_numpy, 0.8, 0.95)
    compare_dense("to_numpy of V<R4,784>, matrix", table, pixels, table.to_numpy, 0.8, 0.95)
    os.unlink(path)

    matrix = rng.random((nbytes // 4 // 28, 28), dtype=np.float32)
    dv.write({f"c{k}": np.ascontiguousarray(matrix[:, k]) for k in range(28)}, path, sync=False)
    table = dv.open(path)
    compare_dense("to_numpy of 28 columns of R4", table, matrix, table.to_numpy, 0.6, 0.7)
    column = np.ascontiguousarray(matrix[:, 0])
    compare_dense("to_numpy of one column of R4", table, column, table["c0"].to_numpy, None, None)
    os.unlink(path)


def csr(folder):
    """33 pairs a row, of 500 slots."""
    import numpy as np
    from scipy.sparse import csr_array

    row = "BTable to scipy.sparse.csr_array"
    nbytes = (2 if sides.IS_QUICK else 96) << 20
    rows = nbytes // (4 + 12 * 33)
    rng = np.random.default_rng(21)
    indices = np.sort(rng.integers(0, 500 - 32, (rows, 33)), axis=1).astype(np.int32) + np.arange(
        33, dtype=np.int32)  # 33 different slots
    values = rng.random((rows, 33))
    width = 500
    pair = np.dtype([("index", ">i4"), ("value", ">f8")])
    line = np.dtype([("n", ">i4"), ("pairs", pair, (33,))])
    lines = np.empty(rows, line)
    lines["n"], lines["pairs"]["index"], lines["pairs"]["value"] = 33, indices, values
    path = os.path.join(folder, "x.btable")
    with open(path, "wb") as file:
        file.write(np.array([0, width - 1], ">i4").tobytes() + b"\x00\x1f" * (width - 1))
        file.write(lines.tobytes())
    header = 8 + 2 * (width - 1)

    def ours():
        return dv.open(path).to_csr(dtype="f8")

    def numpy():
        """As if it were known that all rows have 33 pairs."""
        read = np.fromfile(path, line, offset=header)
        data = read["pairs"]["value"].astype(np.float64).reshape(-1)
        index = read["pairs"]["index"].astype(np.int32).reshape(-1)
        indptr = np.concatenate(([0], np.cumsum(read["n"]))).astype(np.int32)
        return csr_array((data, index, indptr), shape=(rows, width))

    a, b = ours(), numpy()
    same = a.shape == b.shape and all(
        np.array_equal(getattr(a, k), getattr(b, k)) for k in ("indptr", "indices", "data"))
    sides.require(row, same, "another matrix")
    sides.compare(f"{row}, {nbytes >> 20} MiB", ours,
                  (f"{sides.version('numpy')}, structured read and copies", numpy, 3, 7))


def main():
    if not sides.peers("matrices", "numpy"):
        return
    with sides.folder() as folder:
        dense(folder)
        if sides.peers("BTable to CSR", "scipy"):
            csr(folder)


if __name__ == "__main__":
    main()
