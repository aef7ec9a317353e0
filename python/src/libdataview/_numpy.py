# SPDX-License-Identifier: MIT
"""Arrays of batches as NumPy arrays: in place where nothing has to change (docs/python.md)."""

from . import _errors, _types

np = _errors.needed("numpy", "numpy", "this method", "NumPy")

from . import _cast, _stored  # noqa: E402  they import NumPy

_EPOCH_US = 62_135_596_800_000_000  # from 0001-01-01 to 1970-01-01
_TICKS_MAX = 3155378975999999999


def array_to_numpy(array, dtype=None, na="raise", copy=None, values=False, dense=False, own=False, floored=None):
    """The values of an Array.  dtype: NumPy's; a floating one makes NA NaN.  na: 'raise', 'keep',
    'mask', 'nan', or a value.  values: of keys the values that they stand for.  dense: a matrix of
    vectors of more than 8,192 slots too.  own: no part may be in place.  floored: a list to which
    the number of times that were cut to microseconds is appended; None: warn instead."""
    type_ = _types.parse(array.type)
    dtype = _cast.dtype_of(dtype)
    if isinstance(na, str) and na not in ("raise", "keep", "mask", "nan") and type_.kind != "TX":
        raise ValueError(f"na={na!r}: expected 'raise', 'keep', 'mask', 'nan', or a value")
    if dtype is not None and dtype.kind == "f" and isinstance(na, str) and na == "raise":
        na = "nan"
    if len(type_.shape) == 1 and type_.size > _stored.SLOTS_OF_A_MATRIX and not dense:
        raise ValueError(f"vectors of {type_.size:,} slots would make a matrix of "
                         f"{len(array):,} x {type_.size:,}: take to_csr(), or pass dense=True")
    told = [] if floored is None else floored
    result = _converted(array, type_, dtype, na, values, dense, own, told)
    if floored is None and told:
        _errors.warn(f"column {array.name!r}: {_errors.floored(sum(told))}")
    lent = not result.flags.owndata and not result.flags.writeable
    if copy is False and not lent:
        raise ValueError(f"an array of {type_} has to be made here: copy=False is not possible")
    return result.copy() if copy is True and lent else result


def _converted(array, type_, dtype, na, values, dense, own, floored):
    meant = array.key_values if type_.is_key and values else None
    if dtype is not None and dtype.kind == "O" or type_.kind in ("TX", "BY") and not type_.is_key \
            or meant is not None and not _is_numeric(meant):
        if type_.is_key and not values:
            return _objects(_class_numbers(array), array, type_, dtype, na)
        return _objects(array.to_pylist(), array, type_, dtype, na)
    found = _stored.stored(array, type_, dense)
    flat = _flat(array, type_, found, dtype, na, values, meant, floored)
    if found.ends is not None:
        return _rows(flat, found.ends, own)
    return flat.reshape((len(array), *type_.shape)) if type_.shape else flat


def _flat(array, type_, found, dtype, na, values, meant, floored):
    """The stored values as the caller wants them."""
    numbers, missing = found.flat, None
    if type_.is_key:
        numbers, missing = _keys(type_, numbers, values, meant)
        if isinstance(na, str) and na == "keep":
            return _cast.cast(found.flat, dtype, None)
    elif type_.kind in ("TS", "DT", "DZ"):
        numbers, missing = _times(numbers, type_.kind, floored)
    elif type_.kind == "BL":
        missing = (numbers != 0) & (numbers != 1)
        if not (isinstance(na, str) and na == "keep"):
            numbers = np.where(missing, 0, numbers).astype(bool) if missing.any() \
                else numbers.view(bool)
    elif type_.kind in ("R4", "R8"):
        missing = _Lazy(lambda: np.isnan(found.flat))
    elif type_.kind[0] == "I":
        missing = _Lazy(lambda: found.flat == np.iinfo(found.flat.dtype).min)
    return _cast.with_na(numbers, missing, dtype, na,
                         lambda i, what=None: _refused(array, found.row_of(i), what))


class _Lazy:
    """A mask that is computed if somebody asks."""

    def __init__(self, make):
        self._make, self._mask = make, None

    def __call__(self):
        if self._mask is None:
            self._mask = self._make()
        return self._mask


def _refused(array, row, what=None):
    """NAError, or what else is wrong with a value of the array."""
    row += array.batch.first_row
    if what is None:
        return _errors.NAError(array.name, row, array.type)
    return _errors.LossError(f"column {array.name!r}, row {row}: {what}")


def _times(ticks, kind, floored):
    lost = (ticks == _stored.NAT) | ((ticks < 0) | (ticks > _TICKS_MAX) if kind != "TS" else False)
    micros = np.floor_divide(ticks, 10)
    lost_digits = int(np.count_nonzero(~lost & (micros * 10 != ticks)))
    if lost_digits:
        floored.append(lost_digits)
    if kind != "TS":
        micros -= _EPOCH_US
    micros[lost] = _stored.NAT
    return micros.view("m8[us]" if kind == "TS" else "M8[us]"), lost


# --- Keys -----------------------------------------------------------------------------------------


def _keys(type_, stored, values, meant):
    """Class numbers from 0, or the numbers that these stand for; and where a key is missing."""
    missing = stored == 0
    if type_.key_count:
        missing |= stored > type_.key_count
    if meant is not None:
        table = np.asarray([0 if v is None else v for v in meant], _meant_dtype(meant))
        at = np.where(missing, 0, stored).astype(np.int64) - 1
        missing |= np.asarray([v is None for v in meant])[at]
        return table[at], missing
    least = type_.key_min if values else 0
    most = least + (type_.key_count or 1 << 8 * stored.dtype.itemsize) - 1
    numbers = stored.astype(np.uint64) - np.uint64(1) + np.uint64(least)
    numbers[missing] = 0
    return numbers.view(np.int64) if most < 1 << 63 else numbers, missing


def _is_numeric(meant):
    kinds = {type(v) for v in meant} - {type(None)}
    return len(kinds) == 1 and kinds <= {int, float, bool}


def _meant_dtype(meant):
    kind = next(type(v) for v in meant if v is not None)
    if kind is int and any(v is not None and v >= 1 << 63 for v in meant):
        return np.dtype(np.uint64)
    return np.dtype({int: np.int64, float: np.float64, bool: bool}[kind])


def _class_numbers(array):
    """Class numbers as objects: None is NA."""
    type_ = _types.parse(array.type)
    found = _stored.stored(array, type_, False)
    numbers, missing = _keys(type_, found.flat, False, None)
    items = numbers.astype(object)
    items[missing] = None
    if found.ends is not None:
        return [part.tolist() for part in np.split(items, found.ends[:-1])] if len(array) else []
    return items.reshape(len(array), -1).tolist() if type_.shape else items.tolist()


# --- Objects and rows -----------------------------------------------------------------------------


def _objects(items, array, type_, dtype, na):
    """Python's objects: text, bytes, and whatever dtype=object asks for."""
    if 0 in type_.shape:
        result = np.empty(len(items), object)
        for i, row in enumerate(items):
            result[i] = row
        return result
    flat = [item for row in items for item in _slots(row, type_)] if type_.shape else items
    if isinstance(na, str) and na in ("mask", "raise", "keep", "nan"):
        masked = [item is None for item in flat] if na == "mask" else None
        if na != "keep" and dtype is not None and dtype.kind in "USbiumM" and None in flat \
                and masked is None:
            raise _refused(array, flat.index(None) // (type_.size if type_.shape else 1))
    else:
        masked = None
        flat = [na if item is None else item for item in flat]
    if dtype is not None and dtype.kind == "T":
        result = np.array(flat, dtype)
    else:
        result = np.empty(len(flat), object)
        result[:] = flat
        result = _cast.cast(result, dtype, None) if masked is None or dtype is None else result
    if masked is not None:
        result = np.ma.MaskedArray(result, masked)
    return result.reshape((len(items), *type_.shape)) if type_.shape else result


def _slots(row, type_):
    """A row of a wide vector is a dict of its items."""
    if not isinstance(row, dict):
        return row
    default = {"TX": "", "BY": b""}.get(type_.kind, 0)
    return [row.get(i, default) for i in range(type_.size)]


def _rows(flat, ends, own):
    """An object array of the arrays of rows."""
    result = np.empty(len(ends), object)
    start = 0
    for i, end in enumerate(ends.tolist()):
        result[i] = flat[start:end].copy() if own else flat[start:end]
        start = end
    return result


# --- Columns and tables ---------------------------------------------------------------------------


_REALS = {"R4": np.dtype("f4"), "R8": np.dtype("f8")}


def _are_plain_reals(type_, dtype, na, dense):
    """Whether the values are reals in their own type, none of which becomes another one."""
    own = _REALS.get(type_.kind)
    is_own = dtype is None or dtype == own  # not `in`: to NumPy float64 equals None
    return own is not None and type_.size > 0 and is_own and isinstance(na, str) \
        and na in ("raise", "keep", "nan") \
        and (dense or len(type_.shape) != 1 or type_.size <= _stored.SLOTS_OF_A_MATRIX)


def _threads(result, threads=0):
    """How many fill an array: copying 4 MiB takes less time than starting threads."""
    return threads or int(result.nbytes <= 4 << 20)


def _reals(table, field, progress):
    """Those, which threads write in C."""
    item = _REALS[field.type.kind]
    result = np.empty((table.num_rows, *field.type.shape), item)
    done = table._view.dense(result, item.char, field.type.size, [field.index],
                             {"threads": _threads(result)}, {"na": "keep"}, progress)
    return result if done == len(result) else result[:done].copy()


def column_to_numpy(table, name, dtype=None, na="raise", values=False, dense=False, progress=None):
    """A whole column, in memory of its own."""
    rows, parts, at, result = table.num_rows, [], 0, None
    field = table.schema[name]
    dtype = _cast.dtype_of(dtype)
    if rows is not None and _are_plain_reals(field.type, dtype, na, dense):
        return _reals(table, field, progress)
    is_in_place = dtype is None and isinstance(na, str) and na == "raise" and field.type.is_number \
        and not field.type.is_vector
    is_flexible = dtype is not None and dtype.kind in "US"  # each batch has a width of its own
    floored = []
    with table._cursor([field.index], {}, progress) as cursor:
        for batch in cursor:
            part = np.asarray(batch[0]) if is_in_place else \
                array_to_numpy(batch[0], dtype, na, None, values, dense, own=True, floored=floored)
            if rows is None or is_flexible or isinstance(part, np.ma.MaskedArray):
                parts.append(part if part.flags.owndata else part.copy())
                continue
            if result is None:
                result = np.empty((rows, *part.shape[1:]), part.dtype)
            result[at:at + len(part)] = part
            at += len(part)
    if floored:
        _errors.warn(f"column {name!r}: {_errors.floored(sum(floored))}")
    if result is not None:
        return result if at == rows else result[:at].copy()
    if parts:
        join = np.ma.concatenate if isinstance(parts[0], np.ma.MaskedArray) else np.concatenate
        return join(parts)
    return array_to_numpy(_stored.Nothing(table, field), dtype, na, None, values, dense)


def _same_bits(a, b):
    if a.dtype == object:
        return all(map(_same_bits, a, b))
    bits = f"u{a.itemsize}"
    return a.shape == b.shape and bool(
        ((a.view(bits) == b.view(bits)) | (np.isnan(a) & np.isnan(b))).all())


def same_reals(table, other, name):
    """Whether a column of reals has the same values in two tables of as many rows: any NaN equals any
    other one."""
    rows = 65536 // max(table.schema[name].type.size, 1) + 1
    with table.batches([name], rows=rows) as mine, other.batches([name], rows=rows) as its:
        return all(_same_bits(a[0].to_numpy(dense=True), b[0].to_numpy(dense=True))
                   for a, b in zip(mine, its))


MATRIX = {"f4": "f", "f8": "d", "i8": "q"}


def matrix_letter(dtype):
    dtype = _cast.dtype_of(dtype)
    letter = MATRIX.get(dtype.str[1:])
    if letter is None:
        raise ValueError(f"a matrix is float32, float64 or int64, not {dtype}")
    return letter


def dense_options(na, letter):
    """What becomes of NA; a matrix of int64 cannot say NaN, so that it refuses."""
    if isinstance(na, str):
        choice = {"nan": "refused" if letter == "q" else "keep", "keep": "keep",
                  "raise": "refused"}.get(na)
        if choice is None:
            raise ValueError(f"na={na!r}: expected 'nan', 'raise', 'keep', or a value")
        return {"na": choice}
    if letter == "q" and int(na) != na or isinstance(na, int) and int(float(na)) != na:
        raise ValueError(f"na={na!r} has no place in this matrix: give another value, or dtype='f8'")
    return {"na": "value", "na_value": float(na)}


def _no_numbers(type_, letter):
    """Whether a matrix has no place for a column."""
    if type_.is_key:
        return letter != "q" or type_.is_vector
    return type_.size == 0 or not (type_.is_number or type_.kind == "BL") \
        or letter == "q" and type_.kind[0] == "R"


def numeric(schema, columns, letter):
    """Refuse columns that a matrix has no place for, with the way out."""
    if not any(_no_numbers(type_, letter) for type_ in schema._distinct_types(columns)):
        return
    fields = [schema[k] for k in columns]
    left = [f for f in fields if _no_numbers(f.type, letter)]
    shown = ", ".join(f"{f.name!r} ({f.type})" for f in left[:5]) + (", ..." if len(left) > 5 else "")
    places = [f.name for f in fields if not _no_numbers(f.type, letter)]
    what = "a matrix of int64" if letter == "q" else "a matrix"
    way = f"choose columns, e.g. t.to_numpy({places[:3]!r}), or " if places else ""
    raise TypeError(f"{what} has no place for {shown}: {way}drop or cast the others; "
                    "t[name].to_numpy() is a column alone")


_EXACT = 1 << 53  # integers up to this are float64's, too


def table_to_matrix(table, columns, dtype, na, threads, progress):
    """Columns side by side in a matrix of its own; dtype None: as NumPy promotes them."""
    if dtype is not None:
        return _matrix(table, columns, matrix_letter(dtype), na, threads, progress)
    types, promoted, wide, letter = table.schema._keep(_promoted, columns)
    if letter is None and isinstance(na, float) and na != na // 1:  # no integer
        letter = "d"
    elif letter is None:
        return _integers(table, columns, types, promoted, na, threads, progress)
    result = _matrix(table, columns, letter, na, threads, progress)
    if wide and letter == "d":
        _warn_of_rounding(result, wide)
    return result


def _promoted(schema, columns):
    """The types of columns, the dtype to which NumPy promotes them, _wide, and the letter of a matrix of reals."""
    numeric(schema, columns, "f")
    types = [schema[k].type for k in columns]
    dtypes = [np.dtype("?") if t.kind == "BL" else _stored.DTYPES[t.kind] for t in types]
    promoted = np.result_type(*dtypes) if dtypes else np.dtype("f4")
    letter = None if promoted.kind != "f" else "d" if promoted.itemsize > 4 else "f"
    return types, promoted, _wide(types), letter


def _width(schema, columns, letter):
    """The width of their matrix."""
    numeric(schema, columns, letter)
    return schema._view.dense_width(columns, letter)


def _integers(table, columns, types, promoted, na, threads, progress):
    """A matrix of integers, or of float64 with NaN if one of them is NA."""
    if promoted == np.uint64:
        return np.hstack([_two(column_to_numpy(table, table.schema[k].name, promoted, "raise" if isinstance(na, str) else na,
                                               progress=progress)) for k in columns])
    keeps = isinstance(na, str) and na == "nan"
    result = _matrix(table, columns, "q", "keep" if keeps else na, threads, progress)
    masks = [(start, end, result[:, start:end] == _stored.NAT) for t, start, end in _places(types)
             if keeps and t.kind[0] in "IB"]
    if not any(mask.any() for _, _, mask in masks):
        return result.astype(promoted, copy=False)
    real = result.astype("f8")
    for start, end, mask in masks:
        real[:, start:end][mask] = np.nan
    _warn_of_rounding(real, _wide(types))
    return real


def _places(types):
    """(type, first slot, end) of columns side by side."""
    at = 0
    for type_ in types:
        width = type_.size if type_.shape else 1
        yield type_, at, at + width
        at += width


def _two(array):
    return array.reshape(len(array), int(np.prod(array.shape[1:])))


def _wide(types):
    """The slots of integers of 64 bits, as (first, end)."""
    return [(start, end) for t, start, end in _places(types) if t.kind in ("I8", "U8")]


def _warn_of_rounding(matrix, wide):
    """A DataWarning for integers of 64 bits that a float64 may not hold."""
    if any((np.abs(matrix[:, start:end]) >= _EXACT).any() for start, end in wide):
        _errors.warn("integers of 2^53 and more were rounded to float64: take their columns alone, or dtype=\"i8\"")


def _matrix(table, columns, letter, na, threads, progress):
    options = dense_options(na, letter)
    width = table.schema._keep(_width, columns, letter)
    rows = table.count(progress=progress)
    result = np.empty((rows, width), letter)
    done = table._view.dense(result, letter, width, columns, {"threads": _threads(result, threads)}, options,
                      progress)
    return result if done == rows else result[:done]


def batch_dense(batch, dtype="f4", na="nan", columns=None):
    """Numeric columns of a batch side by side."""
    if columns is not None:
        raise TypeError("choose the columns in batches([...])")
    letter = matrix_letter(dtype)
    width = batch.width(letter)
    result = np.empty((len(batch), width), letter)
    batch.fill_dense(result, letter, width, dense_options(na, letter))
    return result
