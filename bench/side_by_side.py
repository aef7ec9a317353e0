# SPDX-License-Identifier: MIT
"""Shared by the comparisons with Python libraries: structs and kernels by ctypes, rounds in which
both sides take turns, and the line with the result.

A script is called as NAME.py LIBDATAVIEW.so [--quick]; --quick is for trying it out.
"""

import ctypes
import importlib
import pathlib
import statistics
import sys
import time

LEAST_SECONDS = 2e-3  # of a side in a round
IS_QUICK = '--quick' in sys.argv

DV_LAYOUT_FIXED, DV_LAYOUT_VECTOR = 1, 5


def side():
    """The kernels and the sizes of structs, from the build of the library."""
    return ctypes.CDLL(str(pathlib.Path(sys.argv[1]).parent / 'libkernel_side.so'))


def declares(name):
    """End here when a struct does not have the size that it has in the headers."""
    def check(struct):
        nbytes = side().dvb_size_of(name.encode())
        if ctypes.sizeof(struct) != nbytes:
            sys.exit(f'{name}: {struct.__name__} has {ctypes.sizeof(struct)} bytes, and the headers say {nbytes}')
        return struct
    return check


@declares('dv_type')
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


@declares('dv_buffer')
class Buffer(ctypes.Structure):
    """dv_buffer."""

    _fields_ = [
        ('data', ctypes.c_void_p),
        ('nbytes', ctypes.c_size_t),
        ('owner', ctypes.c_void_p),
        ('is_borrowed', ctypes.c_bool),
        ('is_aligned', ctypes.c_bool),
    ]


@declares('dv_vector_layout')
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


@declares('dv_csr')
class Csr(ctypes.Structure):
    """dv_csr."""

    _fields_ = [
        ('rows', ctypes.c_int64),
        ('entries', ctypes.c_int64),
        ('columns', ctypes.c_int32),
        ('indptr_kind', ctypes.c_int),
        ('data_kind', ctypes.c_int),
        ('indptr', ctypes.c_void_p),
        ('indices', ctypes.c_void_p),
        ('data', ctypes.c_void_p),
    ]


@declares('dv_column_view')
class Column(ctypes.Structure):
    """dv_column_view."""

    _fields_ = [
        ('type', Type),
        ('layout', ctypes.c_int),
        ('rows', ctypes.c_int64),
        ('of', Layout),
    ]


@declares('dvi_na')
class Rule(ctypes.Structure):
    """dvi_na."""

    _fields_ = [(name, ctypes.c_uint64) for name in ('mask', 'low', 'most')]


def load():
    """The library that the command line names, whose functions without a status are declared."""
    library = ctypes.CDLL(sys.argv[1])
    library.dv_type_of.restype = library.dv_type_vector.restype = Type
    library.dv_type_vector.argtypes = [Type, ctypes.c_int32]
    library.dv_kind_name.restype = ctypes.c_char_p
    return library


def kind_of(library, name):
    """The number of the kind that is called so: 'R4'."""
    return next(k for k in range(32) if library.dv_kind_name(k) == name.encode())


def buffer_of(array):
    """A dv_buffer of the bytes of a numpy array, which must live as long."""
    return Buffer(array.ctypes.data, array.nbytes, None, True, True)


def kernel(name, result, *arguments):
    """A kernel at the level in use."""
    find = side().dvb_kernel
    find.restype = ctypes.c_void_p
    return ctypes.CFUNCTYPE(result, *arguments)(find(name.encode()))


def skip_without(row, module):
    """End here when the peer's module is not installed."""
    try:
        importlib.import_module(module)
    except ImportError:
        print(f'{row}: skipped: {module}')
        sys.exit(0)


def fail(row):
    """End here, since the sides differ."""
    print(f'{row}: wrong result')
    sys.exit(1)


def seconds_of(call):
    """Of one call, from as many as take a while."""
    calls, seconds = 0, 0
    start = time.perf_counter()
    while seconds < LEAST_SECONDS:
        call()
        calls += 1
        seconds = time.perf_counter() - start
    return seconds / calls


def compare(row, nbytes, ours, peer, theirs, goal=0):
    """Let two calls take turns, and print the median of the rounds' ratios."""
    rounds = [(seconds_of(ours), seconds_of(theirs)) for _ in range(3 if IS_QUICK else 11)]
    share = statistics.median(b / a for a, b in rounds)
    rates = [nbytes / statistics.median(side) / 1e9 for side in zip(*rounds)]
    print(
        f'{row}: {rates[0]:.2f} GB/s, {peer}: {rates[1]:.2f} GB/s, {share:.2f} times as fast'
        + (f', goal {goal}' if goal else '')
        + ('  under goal' if share < goal else '')
    )
