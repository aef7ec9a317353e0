# SPDX-License-Identifier: MIT
"""Other dtypes, and NA in them: nothing is lost without a word."""

import datetime as _dt

import numpy as np

from . import _errors, _stored, _types

_NUMPY = {**_stored.DTYPES, "BL": "?", "TS": "m8[us]", "DT": "M8[us]", "DZ": "M8[us]", "TX": "O",
          "BY": "O"}


def dtype_of(dtype):
    """NumPy's dtype of one, of the notation ('R4'), a word, a Python type, or an Arrow type."""
    if dtype is None or isinstance(dtype, np.dtype):
        return dtype
    if isinstance(dtype, str) and dtype == "T":
        if not hasattr(np.dtypes, "StringDType"):
            raise TypeError("NumPy's strings (dtype='T') need NumPy 2: leave dtype out for str objects")
        return np.dtypes.StringDType(na_object=None)
    if isinstance(dtype, _types.Type) or isinstance(dtype, str) and dtype in _NUMPY \
            or type(dtype).__module__.partition(".")[0] == "pyarrow":
        type_ = _types.as_type(dtype)
        if type_.is_key or type_.is_vector or type_.kind not in _NUMPY:
            raise TypeError(f"{type_} is no dtype of NumPy: use cast() for it")
        return np.dtype(_NUMPY[type_.kind])
    return np.dtype(dtype)


def with_na(values, missing, dtype, na, refused):
    """Values as a dtype, with NA as the caller wants it.

    missing: a mask, a function that makes it, or None: no value is NA.  Floating values and times say
    NA themselves.  refused(i): the exception for value i that is NA; refused(i, sentence): for
    another one."""
    is_natural = values.dtype.kind in "fmM"
    if missing is None or isinstance(na, str) and na == "keep":
        return cast(values, dtype, refused if missing is None else None)
    if isinstance(na, str) and (na == "nan" or na == "raise") and is_natural:
        return cast(values, dtype, refused)
    where = missing() if callable(missing) else missing
    any_na = where.any()
    if not isinstance(na, str):
        return _filled(values, where, dtype, na, refused)
    if na == "mask":
        if any_na and not is_natural:  # what the mask hides is no sentinel either
            values = values.copy()
            values[where] = 0
        data = values if not any_na or dtype is None or dtype.kind in "fmM" else \
            np.where(where, np.zeros(1, values.dtype), values)
        return np.ma.MaskedArray(cast(data, dtype, None), where)
    if na == "nan" and (dtype is None or dtype.kind == "f"):
        small = values.dtype.itemsize <= 2
        floating = values.astype(dtype or (np.float32 if small else np.float64))
        floating[where] = np.nan
        return floating
    if any_na:
        raise refused(int(np.argmax(where)))
    return cast(values, dtype, refused)


def _filled(values, where, dtype, na, refused):
    """Values with another one in place of NA."""
    if dtype is not None and dtype.kind in "fc":
        values = values.astype(dtype)
    fitting = _fitting(values.dtype, na)
    if where.any():
        values = values.copy()
        values[where] = fitting
    return cast(values, dtype, refused)


def _fitting(dtype, na):
    """The value for NA as the dtype has it; a ValueError if it has none such."""
    if isinstance(na, np.generic) and na.dtype.kind not in "mM":
        na = na.item()
    kind = dtype.kind
    try:
        if kind == "b" and na in (False, True):
            return bool(na)
        if kind in "iu" and na == int(na) and np.iinfo(dtype).min <= na <= np.iinfo(dtype).max:
            return int(na)
        if kind in "fc":
            return float(na)
        if kind in "mM" and isinstance(na, (_dt.date, _dt.timedelta, np.datetime64, np.timedelta64)):
            return np.asarray(na).astype(dtype)
    except (TypeError, ValueError, OverflowError):
        pass
    way = ": pass dtype='f8' too" if kind in "biu" and isinstance(na, float) else ""
    raise ValueError(f"na={na!r} is no value of an array of {dtype}{way}")


def _lost(before, after, i, refused):
    what = f"{before.reshape(-1)[i]} is no value of an array of {after.dtype}: take the array without " \
           "dtype, and convert it with astype()"
    return refused(i, what) if refused else _errors.LossError(what)


def cast(values, dtype, refused):
    """Values as a dtype.  A value that the dtype cannot hold raises; refused(i): for a NaN or NaT
    where the dtype has none."""
    if dtype is None or dtype == values.dtype:
        return values
    source, target = values.dtype.kind, dtype.kind
    if source in "fmM" and target in "biu":
        lost = np.isnan(values) if source == "f" else np.isnat(values)
        if lost.any() and refused:
            raise refused(int(np.argmax(lost)))
    if source in "mM" and target == "f":
        result = values.astype(np.int64).astype(dtype)
        result[np.isnat(values)] = np.nan
        return result
    with np.errstate(all="ignore"):
        result = values.astype(dtype)
        if target in "biu" and source in "biuf":
            changed = result != values
        elif source == target and target in "mM":
            fine = np.promote_types(values.dtype, dtype) == dtype
            changed = ~np.isnat(values) & (result.astype(values.dtype) != values) if fine else None
        else:
            return result
    if changed is not None and changed.any():
        raise _lost(values, result, int(np.argmax(changed)), refused)
    return result
