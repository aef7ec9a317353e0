# SPDX-License-Identifier: MIT
"""Whole columns and batches of every golden file as NumPy arrays, beside to_pylist()."""

import datetime as dt

import golden_cases as golden
import pytest

np = pytest.importorskip("numpy")
import libdataview as dv  # noqa: E402

KINDS = {"I1": np.int8, "I2": np.int16, "I4": np.int32, "I8": np.int64, "U1": np.uint8,
         "U2": np.uint16, "U4": np.uint32, "U8": np.uint64, "R4": np.float32, "R8": np.float64,
         "BL": np.bool_, "DT": np.dtype("M8[us]"), "DZ": np.dtype("M8[us]"), "TS": np.dtype("m8[us]")}


def dtype_of(type_):
    if type_.is_key:
        is_large = type_.kind == "U8" and not 0 < type_.key_count <= 1 << 63
        return np.dtype(np.uint64 if is_large else np.int64)
    if type_.kind == "UG":
        return np.dtype([("lo", "<u8"), ("hi", "<u8")])
    return np.dtype(KINDS.get(type_.kind, object))


def as_object(item, type_):
    """An item of an array as to_pylist() has it, apart from NA."""
    if type_.kind == "UG":
        return int(item["hi"]) << 64 | int(item["lo"])
    if type_.kind in ("DT", "TS", "DZ"):
        return item.astype(object)
    return item.item() if isinstance(item, np.generic) else item


def wanted(item, type_):
    if type_.kind == "DZ" and item is not None:
        return item.astimezone(dt.timezone.utc).replace(tzinfo=None)
    return item


def agree(array, values, type_):
    """Whether a flat array has these values, with NaN, NaT or None for NA."""
    for item, value in zip(array, values):
        if isinstance(value, float) and value != value:
            if item == item:
                return False
        elif not golden.same(as_object(item, type_), wanted(value, type_)):
            return False
    return len(array) == len(values)


def flat(values, type_):
    return [item for row in values for item in row] if type_.is_vector else values


def has_na(values, type_):
    """Whether NA has no place in an array of the type."""
    return type_.kind not in ("DT", "TS", "DZ", "TX", "R4", "R8") and None in values \
        or type_.is_key and None in values


def is_wide(type_):
    return len(type_.shape) == 1 and type_.size > golden.SLOTS_OF_A_LIST


def columns(case):
    table = case.open()
    for field in table.schema:
        if not is_wide(field.type) and not (field.type.is_key and "KeyValues" in field.metadata):
            yield table, field


def test_columns(case):
    for table, field in columns(case):
        values, type_ = table[field.name].to_pylist(), field.type
        items = flat(values, type_)
        if has_na(items, type_):
            with pytest.raises(dv.NAError) as caught:
                table[field.name].to_numpy()
            row = caught.value.row
            assert caught.value.column == field.name and has_na(flat([values[row]], type_), type_)
            assert not any(has_na(flat([v], type_), type_) for v in values[:row])
            check_mask(table[field.name].to_numpy(na="mask"), values, type_)
            continue
        array = table[field.name].to_numpy()
        assert len(array) == len(values)
        if 0 in type_.shape:
            check_ragged(array, values, type_)
            continue
        assert array.dtype == dtype_of(type_) and array.flags.writeable
        assert array.flags.owndata or not array.size
        assert array.shape == (len(values), *type_.shape)
        assert agree(array.reshape(-1), items, type_), field


def check_ragged(array, values, type_):
    assert array.dtype == object
    for part, value in zip(array, values):
        if type_.kind in ("TX", "BY") and not type_.is_key:
            assert part == value
            continue
        assert part.flags.writeable and part.dtype == dtype_of(type_) and agree(part, value, type_)


def check_mask(array, values, type_):
    if 0 in type_.shape:
        for part, value in zip(array, values):
            check_mask(part, value, dv.Type(type_.notation[2:].split(",")[0]))
        return
    items = flat(values, type_)
    assert np.ma.getmaskarray(array).reshape(-1).tolist() == [v is None for v in items]
    shown = array.reshape(-1).data[~np.ma.getmaskarray(array).reshape(-1)]
    assert agree(shown, [v for v in items if v is not None], type_)


def same_arrays(a, b):
    if not isinstance(a, np.ndarray):
        return golden.same(a, b)
    if a.dtype == object:
        return all(map(same_arrays, np.ma.getdata(a).reshape(-1), np.ma.getdata(b).reshape(-1)))
    return np.ma.getdata(a).tobytes() == np.ma.getdata(b).tobytes() \
        and np.array_equal(np.ma.getmaskarray(a), np.ma.getmaskarray(b))


def test_batches_are_the_columns(case):
    for table, field in columns(case):
        whole = table[field.name].to_numpy(na="mask")
        parts = []
        for batch in table.batches([field.name], rows=7):
            parts.append(batch[0].to_numpy(na="mask"))
        if not parts:
            assert len(whole) == 0
            continue
        joined = np.ma.concatenate(parts) if isinstance(parts[0], np.ma.MaskedArray) \
            else np.concatenate(parts)
        assert joined.dtype == whole.dtype and joined.shape == whole.shape
        assert same_arrays(joined, whole)


def test_nan(case):
    """What can be NA is floating with na='nan', whether or not a value is NA."""
    for table, field in columns(case):
        type_ = field.type
        if 0 in type_.shape or not (type_.is_number or type_.is_key or type_.kind == "BL"):
            continue
        items = flat(table[field.name].to_pylist(), type_)
        array = table[field.name].to_numpy(na="nan")
        small = np.dtype(KINDS[type_.kind]).itemsize <= 2 and not type_.is_key
        has_no_na = type_.kind[0] in "RU" and not type_.is_key
        assert array.dtype == (dtype_of(type_) if has_no_na else
                               np.float32 if small else np.float64)
        assert golden.same([float(x) for x in array.reshape(-1)],
                           [float("nan") if v is None else float(v) for v in items])
        floats = table[field.name].to_numpy("f4").reshape(-1)
        with np.errstate(all="ignore"):
            want = np.array([np.nan if v is None else v for v in items], np.float64).astype("f4")
        same = np.array_equal(floats, want, equal_nan=True)
        assert floats.dtype == np.float32 and (same or type_.kind in ("I8", "U8")), field


def test_keys_with_values(case):
    table = case.open()
    for field in table.schema:
        if not field.type.is_key or is_wide(field.type):
            continue
        if field.type.key_count == 0 and field.type.kind == "U8":
            continue
        values = flat(table[field.name].to_pylist(), field.type) if 0 not in field.type.shape else None
        if values is None:
            continue
        got = table[field.name].to_numpy(na="mask", values=True).reshape(-1)
        meant = table[field.name].categories
        if not isinstance(meant, list) or len(meant) != field.type.key_count:
            values = [None if v is None else v + field.type.key_min for v in values]
        assert np.ma.getmaskarray(got).tolist() == [v is None for v in values]
        assert golden.same([x for x in got.tolist() if x is not None],
                           [v for v in values if v is not None]), field
