# SPDX-License-Identifier: MIT
"""Arrays and lists of Python as columns: (name, notation, a contiguous array or a list)."""

import datetime as _dt

import numpy as np

from . import _errors

_KINDS = {
    "i1": "I1", "i2": "I2", "i4": "I4", "i8": "I8", "u1": "U1", "u2": "U2", "u4": "U4", "u8": "U8",
    "f4": "R4", "f8": "R8",
}
_EPOCH_TICKS = 621_355_968_000_000_000  # from 0001-01-01 to 1970-01-01
_TICKS_MAX = 3155378975999999999
_NA = np.iinfo(np.int64).min


def columns_of(arrays, copy):
    """The columns of a mapping of names to arrays, and how many rows they have.  copy: none of them
    is the caller's own array."""
    if not hasattr(arrays, "items"):
        raise TypeError(f"from_numpy() takes a mapping of names to arrays, {{'x': array}}, not {type(arrays).__name__}")
    columns = [column_of(name, values) for name, values in arrays.items()]
    if copy:
        columns = [(name, type_, stored.copy() if isinstance(stored, np.ndarray) and np.shares_memory(
            stored, np.asarray(arrays[name])) else stored) for name, type_, stored in columns]
    lengths = {name: len(values) for name, values in arrays.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"the arrays have different lengths: {lengths}")
    return columns, next(iter(lengths.values()), 0)


def column_of(name, values):
    if not isinstance(name, str):
        raise TypeError(f"names of columns are text, not {name!r}")
    array = values if isinstance(values, np.ndarray) else _array_of(name, values)
    if array.ndim == 0:
        raise ValueError(f"column {name!r} is a single value, not an array")
    mask = np.ma.getmaskarray(array) if isinstance(array, np.ma.MaskedArray) else None
    array = np.ma.getdata(array)
    if array.dtype.kind in "OUST":
        return _objects(name, array, mask)
    notation, stored = _stored(name, array, mask)
    stored = np.ascontiguousarray(stored)
    return name, _vector(notation, array.shape), stored.view(np.uint8) if stored.size else stored


def _vector(notation, shape):
    return f"V<{','.join([notation, *map(str, shape[1:])])}>" if len(shape) > 1 else notation


def _array_of(name, values):
    """An array of a list, or of anything else that NumPy reads."""
    if hasattr(values, "__array__") or hasattr(values, "__array_interface__"):
        return np.asarray(values)
    values = list(values)
    array = np.empty(len(values), object)
    array[:] = values
    if any(isinstance(value, (list, tuple, np.ndarray)) for value in values):
        try:
            return np.array([np.asarray(value) for value in values])
        except ValueError as error:
            raise ValueError(f"column {name!r}: lists of different lengths come in through Arrow: "
                             "dv.from_arrow(pyarrow.table(...))") from error
    return array


def _lost(name, row, what):
    return _errors.LossError(f"column {name!r}, row {row}: {what}")


def _stored(name, array, mask):
    """The notation, and the numbers that are stored, with NA where the mask says so."""
    kind = array.dtype.kind
    if kind == "b":
        return "BL", _masked(array.astype(np.int8), mask, -128)
    if kind in "mM":
        return _times(name, array, mask)
    if array.dtype.itemsize == 2 and kind == "f":
        array = array.astype(np.float32)
    code = f"{kind}{array.dtype.itemsize}"
    if code not in _KINDS:
        raise TypeError(f"column {name!r} is an array of {array.dtype}, which no type can hold: "
                        "convert it first, e.g. with astype('f8')")
    array = array.astype(array.dtype.newbyteorder("="), copy=False)
    if kind == "f":
        return _KINDS[code], _masked(array, mask, np.nan)
    if kind == "u":
        if mask is not None and mask.any():
            raise _lost(name, int(np.argmax(mask)), f"unsigned integers have no NA: give the column "
                                                    f"as int{min(array.itemsize * 16, 64)}")
        return _KINDS[code], array
    least = np.iinfo(array.dtype).min
    taken = array == least if mask is None else (array == least) & ~mask
    if taken.any():
        raise _lost(name, int(np.argmax(taken.reshape(len(array), -1).any(axis=1))),
                    f"{least} is what stands for NA in {array.dtype}: give the column a wider type")
    return _KINDS[code], _masked(array, mask, least)


def _masked(array, mask, na):
    if mask is None or not mask.any():
        return array
    array = array.copy()
    array[mask] = na
    return array


def _refuse_times(name, where, what):
    if where.any():
        raise _lost(name, int(np.argmax(where.reshape(len(where), -1).any(axis=1))), what)


def _times(name, array, mask):
    """Ticks of 100 ns; NaT is NA."""
    nat = np.isnat(array) if mask is None else np.isnat(array) | mask
    letter = array.dtype.kind
    outside = "a time is outside the years 1 to 9999" if letter == "M" else \
        "a time span is beyond 10,675,199 days"
    if np.datetime_data(array.dtype)[0] in ("ns", "ps", "fs", "as"):
        fine = array.astype(f"{letter}8[ns]")
        ticks = fine.view(np.int64) // 100
        _refuse_times(name, ~nat & ((fine != array) | (fine.view(np.int64) % 100 != 0)),
                      "a time is finer than 100 ns: round it first, e.g. with astype('datetime64[us]')")
    else:
        micros = array.astype(f"{letter}8[us]")
        ticks = micros.view(np.int64)
        _refuse_times(name, ~nat & ((micros != array) | (np.abs(ticks) > np.iinfo(np.int64).max // 10)),
                      outside)
        ticks = ticks * 10
    if letter == "m":
        return "TS", np.where(nat, _NA, ticks)
    # Times before 1970 beyond the range of int64 were refused, those after 9999 would wrap
    _refuse_times(name, ~nat & ((ticks < -_EPOCH_TICKS) | (ticks > _TICKS_MAX - _EPOCH_TICKS)), outside)
    return "DT", np.where(nat, _NA, ticks + _EPOCH_TICKS)


def _is_missing(value):
    return value is None or value is np.ma.masked or type(value).__name__ in ("NAType", "NaTType") \
        or isinstance(value, float) and value != value


def _objects(name, array, mask):
    """Text, bytes, or Python's numbers, bools and times with None among them."""
    if array.ndim > 1 and array.dtype == object:
        raise TypeError(f"column {name!r}: a matrix of objects; convert it first, e.g. astype('f8')")
    if array.dtype.kind == "S":
        values = [bytes(v) for v in array.reshape(-1)]
    else:
        values = array.reshape(-1).tolist()
    if mask is not None:
        values = [None if m else v for v, m in zip(values, mask.reshape(-1))]
    kinds = {type(v) for v in values if not _is_missing(v)}
    if not kinds or kinds <= {str} or all(issubclass(k, str) for k in kinds):
        if kinds or not all(isinstance(v, float) for v in values) or not values:
            texts = [None if _is_missing(v) else str(v) for v in values]
            return name, _vector("TX", array.shape), texts
        return column_of(name, np.array(values, np.float64))
    if all(issubclass(k, bytes) for k in kinds):
        if any(_is_missing(v) for v in values):
            raise _lost(name, next(i for i, v in enumerate(values) if _is_missing(v)),
                        "bytes have no NA: give b'' or leave the row out")
        return name, _vector("BY", array.shape), values
    missing = np.array([_is_missing(v) for v in values])
    return column_of(name, np.ma.MaskedArray(_numbers(name, values, kinds, missing), missing)
                     if missing.any() else _numbers(name, values, kinds, missing))


def _numbers(name, values, kinds, missing):
    if kinds <= {bool, np.bool_}:
        return np.array([bool(v) and not m for v, m in zip(values, missing)])
    if all(issubclass(k, (int, np.integer)) and k is not bool for k in kinds):
        try:
            return np.array([0 if m else int(v) for v, m in zip(values, missing)], np.int64)
        except OverflowError as error:
            raise _errors.LossError(f"column {name!r}: an integer does not fit in 64 bits") from error
    if all(issubclass(k, (int, float, np.integer, np.floating)) and k is not bool for k in kinds):
        exact = [v for v, m in zip(values, missing) if not m and isinstance(v, int)]
        if any(int(float(v)) != v for v in exact):
            raise _errors.LossError(f"column {name!r}: integers beyond 2^53 beside reals: give it one "
                                    "type")
        return np.array([np.nan if m else float(v) for v, m in zip(values, missing)], np.float64)
    if all(issubclass(k, _dt.datetime) for k in kinds):
        if any(v.tzinfo is not None for v, m in zip(values, missing) if not m):
            raise TypeError(f"column {name!r}: date-times with a zone come in through Arrow: "
                            "dv.from_arrow(pyarrow.table(...))")
        return np.array(["NaT" if m else v for v, m in zip(values, missing)], "M8[us]")
    if all(issubclass(k, _dt.date) for k in kinds):
        return np.array(["NaT" if m else v for v, m in zip(values, missing)], "M8[D]")
    if all(issubclass(k, _dt.timedelta) for k in kinds):
        return np.array(["NaT" if m else v for v, m in zip(values, missing)], "m8[us]")
    names = ", ".join(sorted(k.__name__ for k in kinds))
    raise TypeError(f"column {name!r} has values of {names}, which one type cannot hold: convert them "
                    "first")
