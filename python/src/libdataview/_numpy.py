# SPDX-License-Identifier: MIT
"""Arrays of batches as NumPy arrays: in place where nothing has to change (docs/python.md)."""

from . import _core, _errors, _types

try:
    import numpy as np
except ImportError as error:
    raise _errors.missing("NumPy", "numpy", "this method") from error

DTYPES = {
    "I1": "i1", "I2": "i2", "I4": "i4", "I8": "i8", "U1": "u1", "U2": "u2", "U4": "u4", "U8": "u8",
    "R4": "f4", "R8": "f8", "TS": "i8", "DT": "i8",
}
_EPOCH_US = 62_135_596_800_000_000  # from 0001-01-01 to 1970-01-01
_NAT = np.iinfo(np.int64).min
_TICKS_MAX = 3155378975999999999
SLOTS_OF_A_MATRIX = 8192
_GUID = np.dtype([("lo", "<u8"), ("hi", "<u8")])


def array_to_numpy(array, dtype=None, na="raise", copy=None, values=False, dense=False):
    """The values of an Array.  dtype: NumPy's; a floating one makes NA NaN.  na: 'raise', 'keep',
    'mask', 'nan', or a value.  values: of keys the values that they stand for.  dense: a matrix of
    vectors of more than 8,192 slots too."""
    type_ = _types.parse(array.type)
    if isinstance(dtype, str) and dtype == "T":
        dtype = np.dtypes.StringDType(na_object=None)
    dtype = None if dtype is None else np.dtype(dtype)
    if dtype is not None and dtype.kind == "f" and isinstance(na, str) and na == "raise":
        na = "nan"
    result = _vector(array, type_, na, values, dense) if type_.shape else \
        _scalar(array, type_, na, values, dtype)
    lent = result.base is not None and not result.flags.writeable
    if dtype is not None and result.dtype != dtype:
        if copy is False:
            raise ValueError(f"{result.dtype} cannot be {dtype} without a copy")
        return result.astype(dtype)
    if copy is True and lent:
        return result.copy()
    if copy is False and not lent:
        raise ValueError(f"an array of {type_} has to be made: copy=False is not possible")
    return result


def _plain(raw, dtype):
    return np.frombuffer(raw, dtype) if raw.nbytes else np.empty(0, dtype)


def _na_mask(array):
    mask = np.empty(len(array), np.uint8)
    array.na_mask(mask)
    return mask.view(bool)


def _refuse(array):
    """Raise NAError for the first NA; the extension knows column and row."""
    row = array.na_first()
    if row is not None:
        batch = array.batch
        raise _errors.NAError(array.name, batch.first_row + row, array.type)


def _replaced(array, result, mask, na):
    """Values with NA as the caller wants them; mask() finds it."""
    if isinstance(na, str):
        if na == "raise":
            _refuse(array)
            return result
        if na == "keep":
            return result
        if na == "mask":
            return np.ma.MaskedArray(result, mask())
        if na == "nan":
            where = mask()
            if result.dtype.kind not in "biu" or not (where.any() or result.dtype.kind in "iu"):
                return result
            floating = result.astype(np.float32 if result.dtype.itemsize <= 2 else np.float64)
            floating[where] = np.nan
            return floating
        raise ValueError(f"na={na!r}: expected 'raise', 'keep', 'mask', 'nan', or a value")
    where = mask()
    if not where.any():
        return result
    result = result.copy()
    result[where] = na
    return result


def _scalar(array, type_, na, values, dtype):
    raw = array.raw if array.layout in ("fixed", "zoned") else None
    if type_.is_key:
        return _keys(array, type_, _plain(raw["values"], DTYPES[type_.kind]), na, values)
    if type_.kind in ("R4", "R8"):
        result = _plain(raw["values"], DTYPES[type_.kind])
        if isinstance(na, str):
            return np.ma.MaskedArray(result, np.isnan(result)) if na == "mask" else result
        return _replaced(array, result, lambda: np.isnan(result), na)
    if type_.kind in ("TS", "DT"):
        return _times(_plain(raw["values"], "i8"), type_.kind, array, na)
    if type_.kind == "DZ":
        ticks, minutes = _plain(raw["ticks"], "i8"), _plain(raw["minutes"], "i2")
        utc = np.where(ticks == _NAT, _NAT, ticks - minutes.astype("i8") * 600_000_000)
        return _times(utc, "DT", array, na)
    if type_.kind == "BL":
        stored = _plain(raw["values"], "i1")
        if isinstance(na, str) and na == "keep":
            return stored
        if isinstance(na, str) and na == "raise":
            _refuse(array)
            return stored.view(bool)
        where = (stored != 0) & (stored != 1)
        return _replaced(array, np.where(where, 0, stored).astype(bool), lambda: where, na)
    if type_.kind in DTYPES:
        return _replaced(array, _plain(raw["values"], DTYPES[type_.kind]),
                         lambda: _na_mask(array), na)
    if type_.kind == "UG":
        return _plain(raw["values"], _GUID)
    return _objects(array, na, dtype) if type_.kind in ("TX", "BY") else \
        np.frombuffer(raw["values"], f"V{len(raw['values']) // max(len(array), 1)}")


def _times(ticks, kind, array, na):
    lost = (ticks == _NAT) | ((ticks < 0) | (ticks > _TICKS_MAX) if kind == "DT" else False)
    micros = np.floor_divide(ticks, 10)
    if kind == "DT":
        micros -= _EPOCH_US
    micros[lost] = _NAT
    result = micros.view("datetime64[us]" if kind == "DT" else "timedelta64[us]")
    if isinstance(na, str) and na != "mask":
        return result
    return _replaced(array, result, lambda: lost, na)


def _keys(array, type_, stored, na, values):
    """Class numbers from 0, or the values that these stand for."""
    numbers = stored.astype(np.int64) - 1
    where = (stored == 0) | (stored > type_.key_count if type_.key_count else False)
    if values:
        meant = array.key_values
        if meant is None:
            result = numbers + type_.key_min
        else:
            table = np.asarray(meant) if meant and not isinstance(meant[0], str) else \
                np.array(list(meant) + [None], object)
            if table.dtype == object:
                return table[np.where(where, len(table) - 1, numbers)]
            result = table[np.where(where, 0, numbers)]
        return _replaced(array, result, lambda: where, na)
    if isinstance(na, str) and na == "keep":
        return stored
    return _replaced(array, numbers, lambda: where, na)


def _objects(array, na, dtype):
    items = array.to_pylist()
    if not isinstance(na, str):
        items = [na if item is None else item for item in items]
    if dtype is not None and dtype.kind == "T":
        return np.array(items, dtype)
    result = np.empty(len(items), object)
    result[:] = items
    if isinstance(na, str) and na == "mask":
        return np.ma.MaskedArray(result, [item is None for item in items])
    return result


def _vector(array, type_, na, values, dense):
    if 0 in type_.shape:
        return _ragged(array)
    if type_.is_key or type_.kind not in {**DTYPES, "BL": "i1"} or type_.kind in ("TS", "DT"):
        return _objects_matrix(array, type_)
    if len(type_.shape) == 1 and type_.size > SLOTS_OF_A_MATRIX and not dense:
        raise ValueError(f"vectors of {type_.size:,} slots would make a matrix of "
                         f"{len(array):,} x {type_.size:,}: take to_csr(), or pass dense=True")
    item = "i1" if type_.kind == "BL" else DTYPES[type_.kind]
    raw, rows, size = array.raw, len(array), type_.size
    if (_plain(raw["counts"], "i4") == -1).all():
        base = array.bases["item_base"]
        result = _plain(raw["items"], item)[base:base + rows * size]
    else:
        result = np.zeros(rows * size, item)
        array.densify(result)
    result = result.reshape((rows, *type_.shape))
    if type_.kind == "BL":
        lost = (result != 0) & (result != 1)
        if lost.any():
            return _replaced(array, np.where(lost, 0, result).astype(bool), lambda: lost, na)
        return result.view(bool)
    if type_.kind in ("R4", "R8"):
        if isinstance(na, str):
            return np.ma.MaskedArray(result, np.isnan(result)) if na == "mask" else result
        return _replaced(array, result, lambda: np.isnan(result), na)
    if type_.kind[0] == "I":
        return _replaced(array, result, lambda: result == np.iinfo(result.dtype).min, na)
    return result


def _ragged(array):
    """An object array of arrays; those of dense rows of numbers are in place."""
    type_ = _types.parse(array.type)
    result = np.empty(len(array), object)
    if type_.is_key or type_.kind not in DTYPES or type_.kind in ("TS", "DT"):
        result[:] = array.to_pylist()
        return result
    raw = array.raw
    items = _plain(raw["items"], DTYPES[type_.kind])
    counts = _plain(raw["counts"], "i4")
    starts = [np.frombuffer(part, "i8") for part in array.offsets()]
    indices = _plain(raw["indices"], "i4")
    lengths = _plain(raw["lengths"], "i4")
    for i in range(len(array)):
        row = items[starts[1][i]:starts[1][i + 1]]
        if counts[i] >= 0:
            full = np.zeros(lengths[i] if lengths.size else array.bases["length"], items.dtype)
            full[indices[starts[0][i]:starts[0][i + 1]]] = row
            row = full
        result[i] = row
    return result


def _objects_matrix(array, type_):
    result = np.empty((len(array), type_.size), object)
    for i, row in enumerate(array.to_pylist()):
        result[i] = row
    return result.reshape((len(array), *type_.shape))


# --- Columns and tables ---------------------------------------------------------------------------


def column_to_numpy(table, name, dtype=None, na="raise", values=False, dense=False, progress=None):
    """A whole column, in memory of its own."""
    rows, parts, at, result = table.num_rows, [], 0, None
    field = table.schema[name]
    with table._cursor([field.index], {}, progress) as cursor:
        for batch in cursor:
            part = array_to_numpy(batch[0], dtype, na, None, values, dense)
            if rows is None or isinstance(part, np.ma.MaskedArray):
                parts.append(part if part.flags.owndata else part.copy())
                continue
            if result is None:
                result = np.empty((rows, *part.shape[1:]), part.dtype)
            if part.dtype != result.dtype:  # na='nan' met its first NA
                result = result.astype(np.promote_types(result.dtype, part.dtype))
            result[at:at + len(part)] = part
            at += len(part)
    if result is not None:
        return result[:at]
    if parts:
        join = np.ma.concatenate if isinstance(parts[0], np.ma.MaskedArray) else np.concatenate
        return join(parts)
    return _empty(field.type, dtype, values)


def _empty(type_, dtype, values):
    if dtype is None or dtype == "T":
        kind = type_.kind
        dtype = {"TS": "m8[us]", "DT": "M8[us]", "DZ": "M8[us]", "BL": bool, "UG": _GUID}.get(
            kind, DTYPES.get(kind, object)) if not type_.is_key else np.int64
    shape = () if 0 in type_.shape else type_.shape
    return np.empty((0, *shape), dtype)


MATRIX = {"f4": "f", "f8": "d", "i8": "q"}


def matrix_letter(dtype):
    letter = MATRIX.get(np.dtype(dtype).str[1:])
    if letter is None:
        raise ValueError(f"a matrix is float32, float64 or int64, not {np.dtype(dtype)}")
    return letter


def dense_options(na):
    if isinstance(na, str):
        choice = {"nan": "keep", "keep": "keep", "raise": "refused"}.get(na)
        if choice is None:
            raise ValueError(f"na={na!r}: expected 'nan', 'raise', or a value")
        return {"na": choice}
    return {"na": "value", "na_value": float(na)}


def table_to_matrix(table, columns, dtype, na, threads, progress):
    """Columns side by side in a matrix of its own."""
    letter = matrix_letter(dtype)
    view, width = table._view, table._view.dense_width(columns, letter)
    rows = table.count(progress=progress)
    result = np.empty((rows, width), dtype)
    done = view.dense(result, letter, width, columns, {"threads": threads}, dense_options(na),
                      progress)
    return result[:done]


def batch_dense(batch, dtype="f4", na="nan", columns=None):
    """Numeric columns of a batch side by side."""
    if columns is not None:
        raise TypeError("choose the columns in batches([...])")
    letter = matrix_letter(dtype)
    width = batch.width(letter)
    result = np.empty((len(batch), width), dtype)
    batch.fill_dense(result, letter, width, dense_options(na))
    return result
