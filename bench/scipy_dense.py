#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares turning sparse rows into a dense matrix with scipy, on the same data.

    scipy_dense.py LIBDATAVIEW.so [--quick]

scipy's CSR matrix writes itself into a given array (toarray(out=...)); dv_column_dense writes
the same rows into another one, dv_csr_dense_f4 scipy's own arrays.  Both take turns in this process; the figure is the median of the
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
    dense = library.dv_column_dense
    dense.argtypes = [ctypes.POINTER(sbs.Column), ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t]
    dense.argtypes += [ctypes.c_size_t, ctypes.c_void_p]

    def fill(matrix, _alive=inner):
        return dense(ctypes.byref(column), kind, matrix.ctypes.data, WIDTH, WIDTH, None)

    return fill


def csr_function(library, csr):
    """A function that fills a matrix from scipy's own arrays."""
    kinds = {'float32': 'R4', 'float64': 'R8', 'int32': 'I4', 'int64': 'I8'}
    indptr, data = (sbs.kind_of(library, kinds[a.dtype.name]) for a in (csr.indptr, csr.data))
    arrays = (a.ctypes.data for a in (csr.indptr, csr.indices, csr.data))
    ours = sbs.Csr(csr.shape[0], csr.nnz, csr.shape[1], indptr, data, *arrays)
    dense = library.dv_csr_dense_f4
    dense.argtypes = [ctypes.POINTER(sbs.Csr), ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p]
    dense.argtypes += [ctypes.c_size_t, ctypes.c_size_t, ctypes.c_void_p]

    def fill(matrix):
        return dense(ctypes.byref(ours), 0, -1, matrix.ctypes.data, WIDTH, WIDTH, None)

    return fill


def compare(row, fill, theirs_name, theirs_fill, shape):
    theirs, ours = (np.ones(shape, dtype=np.float32) for _ in range(2))
    theirs_fill(theirs)
    if fill(ours) != 0 or not np.array_equal(ours, theirs):
        sbs.fail(row)
    sbs.compare(
        f'{row}/{ours.nbytes / 2**20:.0f}MiB',
        ours.nbytes,
        lambda: fill(ours),
        f'scipy {scipy.__version__} {theirs_name}',
        lambda: theirs_fill(theirs),
        GOAL,
    )


def main():
    library = sbs.load()
    indices, items, n, per_row = make_rows((4 if sbs.IS_QUICK else 256) << 20)
    csr = scipy.sparse.csr_matrix((items, indices, per_row * np.arange(n + 1)), (n, WIDTH))
    csr_8 = csr.astype(np.float64)
    counts = np.full(n, per_row, dtype=np.int32)

    def to_array(matrix):
        csr.toarray(out=matrix)

    def round_to_array(matrix):
        csr_8.astype(np.float32).toarray(out=matrix)

    shape, name = (n, WIDTH), 'toarray(out=...)'
    column = fill_function(library, (n, counts, indices), items)
    compare('column_dense_f4/scipy', column, name, to_array, shape)
    compare('csr_dense_f4/scipy', csr_function(library, csr), name, to_array, shape)
    name = 'astype(float32).' + name
    compare('csr_dense_f4/f8/scipy', csr_function(library, csr_8), name, round_to_array, shape)


if __name__ == '__main__':
    main()
