# SPDX-License-Identifier: MIT
"""The numbers of rows of tables whose views do not know them."""

import os

SMALL_NBYTES = 4 << 20  # text files up to this size are counted at once
_PACKED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd")  # gzip, zstd: whose size says nothing
_SAME = {"select", "keep", "drop", "combine", "convert", "generate", "compute", "cache"}


def _is_small_text(table):
    """Whether counting the rows of an opened table takes no longer than opening it."""
    name, args, _ = table._recipe
    if name == "open_bytes":
        data = memoryview(args[0])
        return _is_text(table) and data.nbytes <= SMALL_NBYTES and bytes(data[:4])[:2] != _PACKED[0] \
            and bytes(data[:4]) != _PACKED[1]
    if name != "open_files" or not _is_text(table) or not all(map(os.path.isfile, args[0])):
        return False
    return sum(map(os.path.getsize, args[0])) <= SMALL_NBYTES and not any(map(_is_packed, args[0]))


def _is_text(table):
    return table.kind == "text" or table._view.proposal is not None  # several files


def _is_packed(path):
    with open(path, "rb") as file:
        return file.read(4).startswith(_PACKED)


def known(table):
    """The number of rows that is known without reading much; None: it is not."""
    shares = []  # (skip, take) of slices passed on the way
    while True:
        rows = table._view.rows
        rows = table._counted if rows is None else rows
        name, args, _ = table._recipe
        if rows is None and _is_small_text(table):
            rows = table._counted = table._view.count(None)
        if rows is not None or len(table._sources) != 1 or name not in _SAME and name != "slice_rows":
            break
        if name == "slice_rows":
            shares.append(args)
        table, = table._sources
    for skip, take in reversed(shares if rows is not None else ()):
        rows = max(rows - skip, 0)
        rows = rows if take < 0 else min(rows, take)
    return rows


def chosen(table, rows):
    """The numbers of rows as an array of int64, -1 being the last row."""
    import numpy as np

    found = np.asarray(rows)
    kind, size = found.dtype.kind, found.size
    if found.ndim != 1 or size and kind not in "iu":
        raise TypeError(f"rows are numbers in a list or an array, not {rows!r}")
    if size and kind == "u" and found.max() > np.iinfo(np.int64).max:
        raise IndexError(f"there is no row {found.max()}: the table has {table.count()} rows")
    found = np.array(found, np.int64)  # a copy: the table keeps it
    if size and not table._view.has_rows(found):
        count = table.count()
        wrong = (found >= count) | (found < -count)
        if wrong.any():
            raise IndexError(f"there is no row {found[wrong][0]}: the table has {count} rows")
        found = np.where(found < 0, found + count, found)
    return found
