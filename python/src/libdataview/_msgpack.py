# SPDX-License-Identifier: MIT
"""Messages of msgpack as Python objects, and the other way round, as datadings has them: arrays and
scalars of NumPy are maps with keys of bytes.  Pickles are never loaded."""

import itertools

from . import _core, _errors

msgpack = _errors.needed("msgpack", "datadings", "messages of datadings")

_MOST = 2**31 - 1  # of anything in a message; a false length costs nothing


def _dtype(written):
    """The dtype of a type as it is written.  NumPy has many spellings of objects, which would be
    addresses out of the message: ValueError."""
    import numpy as np

    dtype = np.dtype(_described(written))
    if dtype.hasobject:
        raise ValueError("an array of objects is a pickle, which is not loaded")
    return dtype


def _described(written):
    """A type for NumPy: a text, or a list of fields."""
    if isinstance(written, (bytes, str)):
        return _text(written)
    return [(_text(name), _described(kind), *(tuple(s) if isinstance(s, list) else s for s in shape))
            for name, kind, *shape in written]


def _text(name):
    """A name, or a title and a name."""
    if isinstance(name, list):
        return tuple(map(_text, name))
    return name.decode() if isinstance(name, bytes) else name


def _object(value):
    """What a map stands for, if one of its keys is bytes: an array, scalar or complex number."""
    if b"nd" not in value:
        if b"complex" in value and b"data" in value:
            return complex(_text(value[b"data"]))
        return value
    if b"type" not in value or b"data" not in value or (value[b"nd"] is True and b"shape" not in value):
        return value
    import numpy as np

    if value[b"nd"] is not True:
        return np.frombuffer(value[b"data"], _dtype(value[b"type"]))[0]
    if value.get(b"kind") == b"O":
        raise ValueError("an array of objects is a pickle, which is not loaded")
    return np.ndarray(value[b"shape"], _dtype(value[b"type"]), value[b"data"])


def unpack(data):
    """A value of msgpack as an object: dicts, lists, str, bytes, numbers, `msgpack.Timestamp`, and
    arrays of NumPy, which are read-only and share the memory of their message's bytes.

    What the package datadings decodes is decoded alike, but for arrays of objects: they are pickles,
    which can run any program, and raise ValueError."""
    return _core.unpack(data, _object, _package)


def _package(data):
    """The same by the package msgpack: times, exts, what is nested deep, and exceptions."""
    return msgpack.unpackb(data, object_hook=_object, strict_map_key=False, max_str_len=_MOST,
                           max_bin_len=_MOST, max_array_len=_MOST, max_map_len=_MOST, max_ext_len=_MOST)


def unpack_row(view, row):
    """A sample of a View of datadings."""
    return view.sample(row, _object, _package)


def unpack_rows(column):
    """The values of an Array of BY, each a value of msgpack, as an iterator."""
    return itertools.chain.from_iterable(_portions(column, _package))


def unpack_column(column):
    """The same; None where there are no bytes."""
    return itertools.chain.from_iterable(_portions(column, lambda data: _package(data) if data else None))


def _portions(column, package):
    first, n = 0, len(column)
    while first < n:
        some = column.unpack(first, _object, package)
        yield some
        first += len(some)


def _map(value):
    """What msgpack calls for what it does not know: an array, scalar or complex number as a map."""
    if isinstance(value, complex):
        return {b"complex": True, b"data": repr(value)}
    import numpy as np

    if isinstance(value, np.ndarray):
        if value.dtype.hasobject:
            raise TypeError("an array of objects would be a pickle, which is not written")
        kind = b"V" if value.dtype.kind == "V" else b""
        return {b"nd": True, b"type": value.dtype.descr if kind else value.dtype.str, b"kind": kind,
                b"shape": value.shape, b"data": value.tobytes()}
    if isinstance(value, (np.bool_, np.number)):
        return {b"nd": False, b"type": value.dtype.str, b"data": value.tobytes()}
    raise TypeError(f"msgpack has no {type(value).__name__}: {value!r:.80}")


def pack(value):
    """An object as the bytes of a value of msgpack, which `unpack` and the package datadings read."""
    return msgpack.packb(value, default=_map)
