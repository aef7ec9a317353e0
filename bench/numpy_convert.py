#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares conversions of numbers with numpy, with the same rules for NA.

    numpy_convert.py LIBDATAVIEW.so [--quick]

Both sides take turns in this process, each called from Python and writing an array that is there, within the cache and
beyond it; the figure is the median of the rounds' ratios.  One item of 16 is NA.  Exit status 1 only when a result
differs.
"""

import ctypes

import side_by_side as sbs

sbs.skip_without('convert/numpy', 'numpy')

import numpy as np

GOAL = 3
SIZES = [('256KiB', 256 << 10), ('64MiB', 64 << 20)]
NA = {
    'f4': np.array(0xFFC00000, 'u4').view('f4'),
    'f8': np.array(0xFFF8000000000000, 'u8').view('f8'),
}


def to_real(dst, src):
    """Integers: the least one is NA."""
    np.copyto(dst, src, casting='unsafe')
    dst[src == np.iinfo(src.dtype).min] = NA[dst.dtype.str[1:]]


def to_real_unsigned(dst, src):
    np.copyto(dst, src, casting='unsafe')


def real_to_real(dst, src):
    """NaN of any bits becomes the one that is written."""
    np.copyto(dst, src, casting='unsafe')
    dst[np.isnan(src)] = NA[dst.dtype.str[1:]]


def narrow(dst, src):
    """What does not fit gives NA, and so does NA."""
    to = np.iinfo(dst.dtype)
    np.copyto(dst, src, casting='unsafe')
    dst[(src < to.min) | (src > to.max)] = to.min


def narrow_unsigned(dst, src):
    np.copyto(dst, src, casting='unsafe')
    dst[src > np.iinfo(dst.dtype).max] = 0


def truth_to_real(dst, src):
    np.copyto(dst, src, casting='unsafe')
    dst[src.view('u1') > 1] = NA[dst.dtype.str[1:]]


def truth(dst, src):
    np.not_equal(src, 0, out=dst.view(bool))


def clock(dst, src):
    np.copyto(dst, src)
    dst[(src < 0) | (src > 3155378975999999999)] = np.iinfo('i8').min


def swap(dst, src):
    np.copyto(dst, src.view(src.dtype.newbyteorder()))


ROWS = [
    ('convert_i1_f4', 'i1', 'f4', to_real),
    ('convert_i2_f4', 'i2', 'f4', to_real),
    ('convert_i4_f4', 'i4', 'f4', to_real),
    ('convert_i4_f8', 'i4', 'f8', to_real),
    ('convert_i8_f4', 'i8', 'f4', to_real),
    ('convert_i8_f8', 'i8', 'f8', to_real),
    ('convert_u1_f4', 'u1', 'f4', to_real_unsigned),
    ('convert_u8_f8', 'u8', 'f8', to_real_unsigned),
    ('convert_f4_f8', 'f4', 'f8', real_to_real),
    ('convert_f8_f4', 'f8', 'f4', real_to_real),
    ('convert_i4_i1', 'i4', 'i1', narrow),
    ('convert_i8_i4', 'i8', 'i4', narrow),
    ('convert_u4_u1', 'u4', 'u1', narrow_unsigned),
    ('convert_bl_f4', 'i1', 'f4', truth_to_real),
    ('convert_f4_bl', 'f4', 'i1', truth),
    ('convert_dt_i8', 'i8', 'i8', clock),
    ('swap_2', 'u2', 'u2', swap),
    ('swap_4', 'u4', 'u4', swap),
    ('swap_8', 'u8', 'u8', swap),
]


def array_of(kind, n, name):
    items = (np.arange(n) % (2 if 'bl_f4' in name else 100)).astype(kind)
    if kind[0] != 'u':
        items[::16] = np.nan if kind[0] == 'f' else np.iinfo(kind).min
    return items


def main():
    peer = f'numpy {np.__version__}'
    address = ctypes.c_void_p
    for name, read, written, numpy_way in ROWS:
        kernel = sbs.kernel(name, None, address, address, ctypes.c_size_t)
        for size, traffic in SIZES[: 1 if sbs.IS_QUICK else 2]:
            n = traffic // (np.dtype(read).itemsize + np.dtype(written).itemsize)
            src = array_of(read, n, name)
            dst, want = np.zeros(n, written), np.zeros(n, written)

            def ours():
                kernel(dst.ctypes.data, src.ctypes.data, n)

            def theirs():
                numpy_way(want, src)

            with np.errstate(invalid='ignore'):
                ours()
                theirs()
                if dst.tobytes() != want.tobytes():
                    sbs.fail(f'{name}/numpy/{size}')
                sbs.compare(f'{name}/numpy/{size}', traffic, ours, peer, theirs, GOAL)


if __name__ == '__main__':
    main()
