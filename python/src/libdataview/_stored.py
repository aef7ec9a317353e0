# SPDX-License-Identifier: MIT
"""The values of an Array as they are stored: flat NumPy arrays, in place where that is possible."""

import numpy as np

DTYPES = {
    "I1": "i1", "I2": "i2", "I4": "i4", "I8": "i8", "U1": "u1", "U2": "u2", "U4": "u4", "U8": "u8",
    "R4": "f4", "R8": "f8", "TS": "i8", "DT": "i8", "BL": "i1",
}
GUID = np.dtype([("lo", "<u8"), ("hi", "<u8")])
SLOTS_OF_A_MATRIX = 8192
NAT = np.iinfo(np.int64).min


class Nothing:
    """An Array of no rows: a column of an empty table converts as its batches would."""

    layout, offsets, first_row = "", None, 0

    def __init__(self, table, field):
        self.name, self.type, self._field, self._view = field.name, field.type.notation, field, table

    def __len__(self):
        return 0

    def to_pylist(self):
        return []

    @property
    def key_values(self):
        values = self._field.metadata.get("KeyValues")
        count = self._field.type.key_count
        return values if isinstance(values, list) and len(values) == count else None


def plain(raw, dtype):
    return np.frombuffer(raw, dtype) if raw.nbytes else np.empty(0, dtype)


def item_dtype(type_):
    if type_.kind == "UG":
        return GUID
    return np.dtype(DTYPES[type_.kind]) if type_.kind in DTYPES else None


def _buffers(array, type_, raw, name):
    """The stored items: one array; of DZ the ticks in UTC."""
    if type_.kind == "DZ":
        ticks, minutes = plain(raw["ticks"], "i8"), plain(raw["minutes"], "i2")
        utc = ticks - minutes.astype("i8") * 600_000_000
        return np.where(ticks == NAT, NAT, utc)
    dtype = item_dtype(type_)
    if dtype is None:  # an extension
        return np.frombuffer(raw[name], f"V{len(raw[name]) // max(len(array), 1)}")
    return plain(raw[name], dtype)


class Values:
    """Stored values, one for each slot of each row: `flat`, and `ends` of the rows, or None where
    each row has `size`."""

    def __init__(self, flat, size, ends=None):
        self.flat, self.size, self.ends = flat, size, ends

    def row_of(self, i):
        """The row of flat value i."""
        if self.ends is not None:
            return int(np.searchsorted(self.ends, i, side="right"))
        return i // self.size


def stored(array, type_, dense):
    """The values of an Array of numbers, BL, keys, times, UG.  dense: also of rows of varying sizes
    that are sparse and claim many slots."""
    if not len(array):
        dtype = np.dtype("i8") if type_.kind == "DZ" else item_dtype(type_)
        ends = np.empty(0, np.int64) if 0 in type_.shape else None
        return Values(np.empty(0, dtype), type_.size if type_.shape else 1, ends)
    raw = array.raw
    if not type_.shape:
        return Values(_buffers(array, type_, raw, "values"), 1)
    counts = plain(raw["counts"], "i4")
    lengths = plain(raw["lengths"], "i4")
    if not lengths.size:
        lengths = np.full(len(array), array.bases["length"], np.int32)
    ends = np.cumsum(lengths, dtype=np.int64) if 0 in type_.shape else None
    if ends is not None and not dense and (lengths[counts >= 0] > SLOTS_OF_A_MATRIX).any():
        raise ValueError(f"column {array.name!r} has sparse vectors of more than {SLOTS_OF_A_MATRIX:,} "
                         "slots: to_pylist() has their items; or pass dense=True")
    items = _buffers(array, type_, raw, "items")
    base = array.bases["item_base"]
    if (counts == -1).all():
        slots = int(lengths.sum(dtype=np.int64))
        return Values(items[base:base + slots], type_.size, ends)
    if ends is None and type_.kind[0] in "IUR" and not type_.is_key and type_.kind != "UG":
        flat = np.zeros(len(array) * type_.size, items.dtype)
        array.densify(flat)
        return Values(flat, type_.size)
    return Values(_densified(array, raw, items, counts, lengths), type_.size, ends)


def _densified(array, raw, items, counts, lengths):
    """All slots of all rows: 0 where a sparse row has no item."""
    starts = np.cumsum(lengths, dtype=np.int64) - lengths
    held = np.where(counts < 0, lengths, counts).astype(np.int64)
    total = int(held.sum())
    slot = np.arange(total) - np.repeat(np.cumsum(held) - held, held)
    sparse = np.repeat(counts >= 0, held)
    base = array.bases["index_base"]
    slot[sparse] = plain(raw["indices"], "i4")[base:base + int(sparse.sum())]
    flat = np.zeros(int(lengths.sum(dtype=np.int64)), items.dtype)
    base = array.bases["item_base"]
    flat[np.repeat(starts, held) + slot] = items[base:base + total]
    return flat
