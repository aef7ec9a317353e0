#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How fast do sparse rows become a dense matrix, beside scipy on the same data?

    scipy_dense.py LIBDATAVIEW.so [--quick]

scipy's CSR matrix writes itself into a given array (toarray(out=...)); dv_column_dense_f4 writes
the same rows into another one.  Both take turns in this process; the figure is the median of the
rounds' ratios.  Exit status 1 only when an item differs.
"""

import ctypes
import statistics
import sys
import time

try:
    import numpy as np
    import scipy
    import scipy.sparse
except ImportError:
    print('column_dense_f4/scipy: skipped: scipy')
    sys.exit(0)

GOAL = 2
WIDTH, FILL = 1000, 0.01
DV_KIND_R4 = b'R4'
DV_LAYOUT_FIXED, DV_LAYOUT_VECTOR = 1, 5


class Type(ctypes.Structure):
    """dv_type."""

    _fields_ = [
        ('kind', ctypes.c_int),
        ('is_key', ctypes.c_bool),
        ('key_is_contiguous', ctypes.c_bool),
        ('key_min', ctypes.c_uint64),
        ('key_count', ctypes.c_uint64),
        ('rank', ctypes.c_int32),
        ('size', ctypes.c_int32),
        ('dims', ctypes.c_void_p),
        ('extension', ctypes.c_char_p),
        ('extension_width', ctypes.c_int32),
    ]


class Buffer(ctypes.Structure):
    """dv_buffer."""

    _fields_ = [
        ('data', ctypes.c_void_p),
        ('nbytes', ctypes.c_size_t),
        ('owner', ctypes.c_void_p),
        ('is_borrowed', ctypes.c_bool),
        ('is_aligned', ctypes.c_bool),
    ]


class Vector(ctypes.Structure):
    """dv_vector_layout."""

    _fields_ = [
        ('length', ctypes.c_int32),
        ('lengths', Buffer),
        ('counts', Buffer),
        ('indices', Buffer),
        ('index_base', ctypes.c_int64),
        ('item_base', ctypes.c_int64),
        ('items', ctypes.c_void_p),
    ]


class Layout(ctypes.Union):
    """dv_column_view.as; its largest member is there."""

    _fields_ = [('fixed', Buffer), ('vector', Vector)]


class Column(ctypes.Structure):
    """dv_column_view."""

    _fields_ = [
        ('type', Type),
        ('layout', ctypes.c_int),
        ('rows', ctypes.c_int64),
        ('of', Layout),
    ]


def buffer_of(array):
    return Buffer(array.ctypes.data, array.nbytes, None, True, True)


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
    library.dv_type_of.restype = library.dv_type_vector.restype = Type
    library.dv_type_vector.argtypes = [Type, ctypes.c_int32]
    library.dv_kind_name.restype = ctypes.c_char_p
    kind = next(k for k in range(32) if library.dv_kind_name(k) == DV_KIND_R4)
    n, counts, indices = rows
    inner = Column(library.dv_type_of(kind), DV_LAYOUT_FIXED, len(items))
    inner.of.fixed = buffer_of(items)
    column = Column(library.dv_type_vector(inner.type, WIDTH), DV_LAYOUT_VECTOR, n)
    column.of.vector = Vector(
        WIDTH, Buffer(), buffer_of(counts), buffer_of(indices), 0, 0, ctypes.addressof(inner)
    )
    dense = library.dv_column_dense_f4
    dense.argtypes = [ctypes.POINTER(Column), ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t]
    dense.argtypes += [ctypes.c_void_p]

    def fill(matrix, _alive=inner):
        return dense(ctypes.byref(column), matrix.ctypes.data, WIDTH, WIDTH, None)

    return fill


def seconds_of(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def main():
    is_quick = '--quick' in sys.argv
    indices, items, n, per_row = make_rows((4 if is_quick else 256) << 20)
    csr = scipy.sparse.csr_matrix((items, indices, per_row * np.arange(n + 1)), (n, WIDTH))
    counts = np.full(n, per_row, dtype=np.int32)
    fill = fill_function(ctypes.CDLL(sys.argv[1]), (n, counts, indices), items)

    theirs, ours = (np.ones((n, WIDTH), dtype=np.float32) for _ in range(2))
    csr.toarray(out=theirs)
    if fill(ours) != 0 or not np.array_equal(ours, theirs):
        print('column_dense_f4/scipy: wrong result')
        return 1

    rounds = [
        (seconds_of(lambda: fill(ours)), seconds_of(lambda: csr.toarray(out=theirs)))
        for _ in range(3 if is_quick else 11)
    ]
    share = statistics.median(b / a for a, b in rounds)
    rates = [ours.nbytes / statistics.median(side) / 1e9 for side in zip(*rounds)]
    print(
        f'column_dense_f4/scipy/{ours.nbytes / 2**20:.0f}MiB: {rates[0]:.2f} GB/s,'
        f' scipy {scipy.__version__} toarray(out=...): {rates[1]:.2f} GB/s,'
        f' {share:.2f} times as fast, goal {GOAL}' + ('  under goal' if share < GOAL else '')
    )
    return 0


if __name__ == '__main__':
    sys.exit(main())
