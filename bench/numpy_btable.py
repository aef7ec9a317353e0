#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares turning the pairs of a BTable into arrays with numpy and a plain loop.

    numpy_btable.py LIBDATAVIEW.so [--quick]

numpy gets the same pairs without the counts between them, a structured array of '>i4' and '>f8':
byteswap() turns all bytes into a copy, still side by side; assigning the fields to two arrays that
are there already is the fastest way it has.  dv_csr_fill reads the file itself, with counts, checks
and indptr.  All take turns in this process; a figure is the median of the rounds' ratios.  The plain
loop (struct.unpack_from) is for the record.  Exit status 1 only when an item differs.
"""

import ctypes
import struct
import time

import side_by_side as sbs

sbs.skip_without('btable_csr/numpy', 'numpy')

import numpy as np

GOAL = 3
SLOTS, FILL = 500, 15  # one in 15: 33 pairs a row
PAIR = np.dtype([('index', '>i4'), ('value', '>f8')])


@sbs.declares('dv_csr_room')
class Room(ctypes.Structure):
    """dv_csr_room."""

    _fields_ = [
        ('indptr', ctypes.c_void_p),
        ('indices', ctypes.c_void_p),
        ('data', ctypes.c_void_p),
        ('rows_room', ctypes.c_int64),
        ('entries_room', ctypes.c_int64),
    ]


def make_table(nbytes):
    """The file's bytes, its pairs without counts, and where rows start."""
    rng = np.random.default_rng(21)
    rows = nbytes // (4 + 12 * SLOTS // FILL)
    filled = rng.integers(0, FILL, (rows, SLOTS), dtype=np.uint8) == 0
    counts = filled.sum(axis=1)
    starts = np.concatenate(([0], np.cumsum(counts)))
    pairs = np.empty(starts[-1], PAIR)
    pairs['index'] = np.nonzero(filled)[1]
    pairs['value'] = rng.random(starts[-1]) * 100000
    words = pairs.view('>u4')
    file = np.empty(rows + len(words), '>u4')
    places = np.arange(len(words)) + np.repeat(np.arange(1, rows + 1), 3 * counts)
    file[places] = words
    file[np.arange(rows) + 3 * starts[:-1]] = counts
    head = struct.pack('>ii', 0, SLOTS - 1) + b'\x00\x1f' * (SLOTS - 1)
    return head + file.tobytes(), pairs, starts


def open_view(library, file):
    view = ctypes.c_void_p()
    library.dv_open_memory.argtypes = [ctypes.POINTER(ctypes.c_void_p), ctypes.c_char_p]
    library.dv_open_memory.argtypes += [ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p]
    library.dv_open_memory.argtypes += [ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p]
    status = library.dv_open_memory(view, file, len(file), None, None, b'x.btable', None, None)
    assert status == 0, f'status {status}'
    return view


def plain_loop(file, rows):
    """What one writes without any library; returns the seconds of so many rows, and their bytes."""
    start, at = time.perf_counter(), 8 + 2 * (SLOTS - 1)
    first = at
    table = []
    for _ in range(rows):
        (n,) = struct.unpack_from('>i', file, at)
        table.append([struct.unpack_from('>id', file, at + 4 + 12 * k) for k in range(n)])
        at += 4 + 12 * n
    return time.perf_counter() - start, at - first


def main():
    file, pairs, starts = make_table((4 if sbs.IS_QUICK else 256) << 20)
    library = sbs.load()
    view = open_view(library, file)
    n, rows = len(pairs), len(starts) - 1
    indptr = np.zeros(rows + 1, np.int64)
    ours, theirs = ((np.zeros(n, np.int32), np.zeros(n)) for _ in range(2))
    room = Room(indptr.ctypes.data, ours[0].ctypes.data, ours[1].ctypes.data, rows, n)
    csr = sbs.Csr()

    def fill():
        return library.dv_csr_fill(ctypes.byref(csr), ctypes.byref(room), view, None, None)

    def assign():
        theirs[0][:] = pairs['index']
        theirs[1][:] = pairs['value']

    assign()
    same = fill() == 0 and np.array_equal(indptr, starts)
    if not same or not all(np.array_equal(a, b) for a, b in zip(ours, theirs)):
        sbs.fail('btable_csr/numpy')

    row = f'btable_csr/numpy/{len(file) / 2**20:.0f}MiB'
    for name, goal, call in (('byteswap()', GOAL, pairs.byteswap), ('two arrays', 0, assign)):
        sbs.compare(row, len(file), fill, f'numpy {np.__version__} {name}', call, goal)
    seconds, nbytes = plain_loop(file, min(rows, 20000))
    print(f'btable_csr/python: a loop of struct.unpack_from: {nbytes / seconds / 1e6:.1f} MB/s')


if __name__ == '__main__':
    main()
