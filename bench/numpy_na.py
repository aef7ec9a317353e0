#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares counting and finding NA with numpy, on the same array.

    numpy_na.py LIBDATAVIEW.so [--quick]

Both sides take turns in this process, each called from Python, within the cache and beyond it; the
figure is the median of the rounds' ratios.  One item of 16 is NA when they are counted, none when
they are searched for.  Exit status 1 only when a result differs.
"""

import ctypes

import side_by_side as sbs

sbs.skip_without('na/numpy', 'numpy')

import numpy as np

GOAL = 6  # within the second cache
SIZES = [('256KiB', 256 << 10, GOAL), ('64MiB', 64 << 20, 0)]
INT_MIN = -(2**31)
REAL = sbs.Rule(0x7FFFFFFF, 0, 0x7F800000)
INTEGER = sbs.Rule(0xFFFFFFFF, 0x80000001, 0xFFFFFFFE)


def kernel(name):
    """A kernel of shape NA."""
    rule = ctypes.POINTER(sbs.Rule)
    return sbs.kernel(name, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t, rule)


def array_of(kind, n, na_in):
    """n items, one in na_in of them NA."""
    items = (np.arange(n) % 1000 + 1).astype(kind)
    if na_in:
        items[:: na_in] = np.nan if kind == np.float32 else INT_MIN
    return items


def rows():
    """Of each row: its name, kind of item, how many are NA, our call and numpy's."""
    count, first = kernel('na_count_4'), kernel('na_first_4')

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


def main():
    peer = f'numpy {np.__version__}'
    for name, kind, na_in, ours_of, theirs_of in rows():
        for size, nbytes, goal in SIZES[: 1 if sbs.IS_QUICK else 2]:
            items = array_of(kind, nbytes // 4, na_in)
            ours, theirs = ours_of(items), theirs_of(items)
            if ours() != theirs():
                sbs.fail(f'{name}/numpy/{size}')
            sbs.compare(f'{name}/numpy/{size}', nbytes, ours, peer, theirs, goal)


if __name__ == '__main__':
    main()
