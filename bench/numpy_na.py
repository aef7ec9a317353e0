#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How fast are NAs counted and found, beside numpy on the same array?

    numpy_na.py LIBDATAVIEW.so [--quick]

Both sides take turns in this process, each called from Python, within the cache and beyond it; the
figure is the median of the rounds' ratios.  One item of 16 is NA when they are counted, none when
they are sought.  Exit status 1 only when a result differs.
"""

import ctypes
import pathlib
import re
import statistics
import sys
import time

try:
    import numpy as np
except ImportError:
    print('na/numpy: skipped: numpy')
    sys.exit(0)

GOAL = 6  # within the second cache
SIZES = [('256KiB', 256 << 10), ('64MiB', 64 << 20)]
LEAST_SECONDS = 2e-3  # of a side in a round
INT_MIN = -(2**31)


class Rule(ctypes.Structure):
    """dv_na."""

    _fields_ = [(name, ctypes.c_uint64) for name in ('mask', 'low', 'most')]


REAL = Rule(0x7FFFFFFF, 0, 0x7F800000)
INTEGER = Rule(0xFFFFFFFF, 0x80000001, 0xFFFFFFFE)


def kernel(library, name):
    """A kernel of shape NA out of the best table, whose members are in the order of the list."""
    header = (pathlib.Path(__file__).parent.parent / 'include/dataview/kernel.h').read_text()
    conversions = re.findall(r'Y\(X, level, \w+, \w+, \w+\)', header)
    names = []
    line = re.compile(r'^ +(?:X\(level, \w+, (\w+),|(DV_CONVERSION_LIST)\()', re.MULTILINE)
    for kernel_name, is_list in line.findall(header):
        names += conversions if is_list else [kernel_name]
    library.dv_kernels_best.restype = ctypes.POINTER(ctypes.c_void_p)
    address = library.dv_kernels_best()[names.index(name)]
    shape = ctypes.CFUNCTYPE(
        ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t, ctypes.POINTER(Rule)
    )
    return shape(address)


def array_of(kind, n, na_in):
    """n items, one in na_in of them NA."""
    items = (np.arange(n) % 1000 + 1).astype(kind)
    if na_in:
        items[:: na_in] = np.nan if kind == np.float32 else INT_MIN
    return items


def rows(library):
    """Of each row: its name, kind of item, how many are NA, our call and numpy's."""
    count, first = kernel(library, 'na_count_4'), kernel(library, 'na_first_4')

    def call(function, items, rule):
        address, n, by_rule = items.ctypes.data, len(items), ctypes.byref(rule)
        return lambda: function(address, n, by_rule)

    def any_of(items, rule):
        found = call(first, items, rule)
        return lambda: found() < len(items)

    yield 'na_count_f4', np.float32, 16, lambda x: call(count, x, REAL), lambda x: (
        lambda: np.count_nonzero(np.isnan(x))
    )
    yield 'na_any_f4', np.float32, 0, lambda x: any_of(x, REAL), lambda x: (
        lambda: np.isnan(x).any()
    )
    yield 'na_count_i4', np.int32, 16, lambda x: call(count, x, INTEGER), lambda x: (
        lambda: np.count_nonzero(x == INT_MIN)
    )
    yield 'na_any_i4', np.int32, 0, lambda x: any_of(x, INTEGER), lambda x: (
        lambda: (x == INT_MIN).any()
    )


def seconds_of(call):
    """Of one call, from as many as take a while."""
    calls, seconds = 0, 0
    start = time.perf_counter()
    while seconds < LEAST_SECONDS:
        call()
        calls += 1
        seconds = time.perf_counter() - start
    return seconds / calls


def main():
    is_quick = '--quick' in sys.argv
    for name, kind, na_in, ours_of, theirs_of in rows(ctypes.CDLL(sys.argv[1])):
        for size, nbytes in SIZES[: 1 if is_quick else 2]:
            items = array_of(kind, nbytes // 4, na_in)
            ours, theirs = ours_of(items), theirs_of(items)
            if ours() != theirs():
                print(f'{name}/numpy/{size}: wrong result')
                return 1
            rounds = [
                (seconds_of(ours), seconds_of(theirs)) for _ in range(3 if is_quick else 11)
            ]
            share = statistics.median(b / a for a, b in rounds)
            rates = [nbytes / statistics.median(side) / 1e9 for side in zip(*rounds)]
            goal = f', goal {GOAL}' if size == SIZES[0][0] else ''
            print(
                f'{name}/numpy/{size}: {rates[0]:.1f} GB/s, numpy {np.__version__}:'
                f' {rates[1]:.2f} GB/s, {share:.1f} times as fast{goal}'
                + ('  under goal' if goal and share < GOAL else '')
            )
    return 0


if __name__ == '__main__':
    sys.exit(main())
