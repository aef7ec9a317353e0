# SPDX-License-Identifier: MIT
"""Tables of data in memory: of Arrow, NumPy, pandas, polars, SciPy."""

from . import _core, _errors, _types
from ._table import Table


class Held:
    """Data of another library, which a recipe holds.  A child process gets it as bytes of .idv."""

    def __init__(self, source, options):
        self.source, self.options = source, options

    def view(self):
        return _core.arrow_import(_stream_of(self.source), self.options)

    def as_bytes(self):
        from ._pickle import MEMORY_MOST

        try:
            data = self.view().save_memory({"format": "idv", "memory_nbytes": MEMORY_MOST}, None)
        except _errors.LimitError as error:
            raise TypeError(f"a table in memory travels to another process up to "
                            f"{MEMORY_MOST >> 20} MiB: write it to a file with dv.write, and open "
                            "that there") from error
        return ("open_bytes", (data, "memory.idv", {"format": "idv"}), ())


def _stream_of(source):
    """A capsule with an Arrow stream of what other libraries hand out."""
    if hasattr(source, "__arrow_c_stream__"):
        return source.__arrow_c_stream__(None)
    if hasattr(source, "__arrow_c_array__"):
        try:
            import pyarrow
        except ImportError as error:
            raise _errors.missing("pyarrow", "arrow", "an Arrow array alone") from error
        return pyarrow.table(pyarrow.record_batch(source)).__arrow_c_stream__(None)
    raise TypeError(f"{type(source).__name__} is nothing that a table can be made of: expected a "
                    "Table of pyarrow, polars, pandas or DuckDB (__arrow_c_stream__), a mapping of "
                    "names to arrays, or a sparse matrix of SciPy")


def _types_option(types):
    if types is None:
        return {}
    return {"types": " ".join(f"{name}:{_types.as_type(t).notation}" for name, t in types.items())}


def from_arrow(source, *, types=None, flatten=False, allow_loss=()):
    """A Table of Arrow data, in place where the layouts agree: of anything with `__arrow_c_stream__`
    or `__arrow_c_array__` (pyarrow, polars, DuckDB, nanoarrow).

    types: {"x": "I8"}, columns whose type shall be another, such as unsigned ones with nulls.
    flatten: structs become columns `a.b`.  allow_loss: of "na" and "precision".
    """
    from ._write import loss_bits

    options = {"hold": True, "flatten": flatten, "allow_loss": loss_bits(allow_loss),
               **_types_option(types)}
    return Table._of(("held", (Held(source, options),), ()))


def from_pandas(frame, *, types=None, allow_loss=(), index=False):
    """A Table of a pandas.DataFrame; `index` keeps its index as columns.  Needs pyarrow."""
    try:
        import pyarrow
    except ImportError as error:
        raise _errors.missing("pyarrow", "pandas", "from_pandas()") from error
    table = pyarrow.Table.from_pandas(frame, preserve_index=index)
    return from_arrow(table, types=types, allow_loss=allow_loss)


def from_numpy(arrays, *, types=None):
    """A Table of a mapping of names to arrays or lists of one length; matrices become vectors.

    NaN and NaT are NA.  A masked array's masked values are NA."""
    return from_arrow(arrow_of(arrays), types=types)


def arrow_of(arrays):
    """A pyarrow.Table of a mapping of names to arrays."""
    try:
        import numpy as np
        import pyarrow
    except ImportError as error:
        raise _errors.missing("pyarrow and NumPy", "all", "a table of arrays") from error
    columns = {}
    for name, values in arrays.items():
        array = values if isinstance(values, (np.ndarray, list)) else np.asarray(values)
        if isinstance(array, list) or array.dtype == object or array.dtype.kind in "US":
            columns[name] = pyarrow.array(list(array), from_pandas=True)
            continue
        mask = np.ma.getmaskarray(array) if isinstance(array, np.ma.MaskedArray) else None
        array = np.ma.getdata(array)
        if array.ndim == 0:
            raise ValueError(f"column {name!r} is a single value, not an array")
        flat = np.ascontiguousarray(array).reshape(-1)
        flat_mask = None if mask is None else np.ascontiguousarray(mask).reshape(-1)
        if flat.dtype == np.float16:
            flat = flat.astype(np.float32)
        items = pyarrow.array(flat, mask=flat_mask)
        for dim in reversed(array.shape[1:]):
            items = pyarrow.FixedSizeListArray.from_arrays(items, dim)
        columns[name] = items
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"the arrays have different lengths: {lengths}")
    return pyarrow.table(columns)


def from_csr(matrix, name="Features"):
    """A Table of one column of sparse vectors: of a matrix of SciPy with float32 or float64 data."""
    try:
        import numpy as np
        import pyarrow
    except ImportError as error:
        raise _errors.missing("pyarrow and NumPy", "all", "from_csr()") from error
    matrix = matrix.tocsr()
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    data = matrix.data if matrix.data.dtype in (np.float32, np.float64) else matrix.data.astype("f8")
    kind = "R4" if data.dtype == np.float32 else "R8"
    items = pyarrow.StructArray.from_arrays(
        [pyarrow.array(matrix.indices.astype(np.int32, copy=False)), pyarrow.array(data)],
        fields=[pyarrow.field("index", pyarrow.int32(), nullable=False),
                pyarrow.field("value", pyarrow.from_numpy_dtype(data.dtype), nullable=False)])
    column = pyarrow.LargeListArray.from_arrays(matrix.indptr.astype(np.int64, copy=False), items)
    field = pyarrow.field(name, column.type, metadata={
        "dataview.type": f"V<{kind},{matrix.shape[1]}>"})
    return from_arrow(pyarrow.Table.from_arrays([column], schema=pyarrow.schema([field])))
