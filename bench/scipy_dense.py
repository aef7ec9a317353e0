#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How fast do sparse rows become a dense matrix, beside scipy on the same data?

    scipy_dense.py LIBDATAVIEW.so [--quick]

scipy's CSR matrix writes itself into a given array (toarray(out=...)); dv_column_dense_f4 writes
the same rows into another one.  Both take turns in this process; the figure is the median of the
rounds' ratios.  Exit status 1 only when an item differs.
"""

import ctypes

import side_by_side as sbs

sbs.skip_without('column_dense_f4/scipy', 'scipy')

import numpy as np
import scipy
import scipy.sparse

GOAL = 2
WIDTH, FILL = 1000, 0.01


def make_rows(nbytes):
    """Random items, one in each stretch of 1/FILL slots, as in bench_densify."""
    rng = np.random.default_rng(7)
    n, per_row = nbytes // (4 * WIDTH), int(WIDTH * FILL)
    stretch = WIDTH // per_row
    slots = rng.integers(0, stretch, (n, per_row)) + stretch * np.arange(per_row)
    items = rng.random((n, per_row), dtype=np.float32) + 1
    return slots.astype(np.int32).ravel(), items.ravel(), n, per_row


def fill_function(library, rows, items):
    """A function that fills a matrix from a column of these rows."""
    n, counts, indices = rows
    kind = sbs.kind_of(library, 'R4')
    inner = sbs.Column(library.dv_type_of(kind), sbs.DV_LAYOUT_FIXED, len(items))
    inner.of.fixed = sbs.buffer_of(items)
    column = sbs.Column(library.dv_type_vector(inner.type, WIDTH), sbs.DV_LAYOUT_VECTOR, n)
    column.of.vector = sbs.Vector(
        WIDTH,
        sbs.Buffer(),
        sbs.buffer_of(counts),
        sbs.buffer_of(indices),
        0,
        0,
        ctypes.addressof(inner),
    )
    dense = library.dv_column_dense_f4
    dense.argtypes = [ctypes.POINTER(sbs.Column), ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t]
    dense.argtypes += [ctypes.c_void_p]

    def fill(matrix, _alive=inner):
        return dense(ctypes.byref(column), matrix.ctypes.data, WIDTH, WIDTH, None)

    return fill


def main():
    indices, items, n, per_row = make_rows((4 if sbs.IS_QUICK else 256) << 20)
    csr = scipy.sparse.csr_matrix((items, indices, per_row * np.arange(n + 1)), (n, WIDTH))
    counts = np.full(n, per_row, dtype=np.int32)
    fill = fill_function(sbs.load(), (n, counts, indices), items)

    theirs, ours = (np.ones((n, WIDTH), dtype=np.float32) for _ in range(2))
    csr.toarray(out=theirs)
    if fill(ours) != 0 or not np.array_equal(ours, theirs):
        sbs.fail('column_dense_f4/scipy')

    sbs.compare(
        f'column_dense_f4/scipy/{ours.nbytes / 2**20:.0f}MiB',
        ours.nbytes,
        lambda: fill(ours),
        f'scipy {scipy.__version__} toarray(out=...)',
        lambda: csr.toarray(out=theirs),
        GOAL,
    )


if __name__ == '__main__':
    main()
