#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares turning columns into a matrix with numpy, on the same arrays.

    numpy_dense.py LIBDATAVIEW.so [--quick]

numpy stacks arrays of float32 as the columns of a given matrix (numpy.stack(..., axis=1, out=...));
the kernel transpose_4, through which dv_batch_dense goes, writes them into another one.  Both
take turns in this process.  Exit status 1 only when an item differs.
"""

import ctypes

import side_by_side as sbs

sbs.skip_without('transpose_4/numpy', 'numpy')

import numpy as np

SIZES = [('128KiB', 128 << 10), ('64MiB', 64 << 20)]


def main():
    size_t, address = ctypes.c_size_t, ctypes.c_void_p
    transpose = sbs.kernel('transpose_4', None, address, size_t, address, size_t, size_t)
    for columns in 28, 100:
        for size, nbytes in SIZES[: 1 if sbs.IS_QUICK else 2]:
            rows = nbytes // 4 // columns
            arrays = [np.arange(k, k + rows, dtype=np.float32) for k in range(columns)]
            starts = (ctypes.c_void_p * columns)(*(a.ctypes.data for a in arrays))
            ours, theirs = (np.ones((rows, columns), dtype=np.float32) for _ in range(2))

            def call(to=ours.ctypes.data, starts=starts, columns=columns, rows=rows):
                transpose(to, columns, starts, columns, rows)

            def stack(arrays=arrays, to=theirs):
                np.stack(arrays, axis=1, out=to)

            call()
            stack()
            row = f'transpose_4/numpy/{columns} columns/{size}'
            if not np.array_equal(ours, theirs):
                sbs.fail(row)
            sbs.compare(row, 2 * ours.nbytes, call, f'numpy {np.__version__} stack', stack)


if __name__ == '__main__':
    main()
