# SPDX-License-Identifier: MIT
"""Tables of data in memory: of Arrow, NumPy, pandas, polars, SciPy."""

import os

from . import _core, _errors, _types
from ._table import Table


class Held:
    """Data of another library, which a recipe holds.  A child process gets it as bytes of .idv."""

    def __init__(self, source, options):
        self.source, self.options = source, options

    def view(self):
        source = self.source
        _check_names(source)
        if hasattr(source, "__arrow_c_stream__"):
            return _core.arrow_import(source.__arrow_c_stream__(None), self.options)
        if hasattr(source, "__arrow_c_array__"):
            return _core.arrow_import_array(*source.__arrow_c_array__(None), self.options)
        raise TypeError(f"no table can be made of {type(source).__name__}: expected data of pyarrow, "
                        "polars, pandas or DuckDB, a mapping of names to arrays, or a sparse matrix of "
                        "SciPy" + ("; dv.open(path) opens a file" if isinstance(source, (str, os.PathLike)) else ""))

    def as_bytes(self):
        from ._pickle import MEMORY_MOST

        try:
            data = self.view().save_memory({"format": "idv", "memory_nbytes": MEMORY_MOST}, None)
        except _errors.LimitError as error:
            raise TypeError(f"a table in memory travels to another process up to "
                            f"{MEMORY_MOST >> 20} MiB: write it to a file with dv.write, and open "
                            "that there") from error
        return ("open_bytes", (data, "memory.idv", {"format": "idv"}), ())


def _check_names(source):
    """Refuse names that Arrow's C strings would end early."""
    names = getattr(getattr(source, "schema", None), "names", None)
    for name in names() if callable(names) else names or ():
        if isinstance(name, str) and "\0" in name:
            raise _errors.ArgumentError(f"the name of a column must not hold NUL, where names of Arrow end: {name!r}")


def _types_option(types):
    if types is None:
        return {}
    return {"types": " ".join(f"{{{name}:{_types.as_type(t).notation}}}" for name, t in types.items())}


def from_arrow(source, *, types=None, flatten=False, allow_loss=()):
    """A Table of Arrow data, in place where the layouts agree: of anything with `__arrow_c_stream__`
    or `__arrow_c_array__` (pyarrow, polars, DuckDB, nanoarrow).

    types: {"x": "I8"}, columns whose type shall be another, such as unsigned ones with nulls.
    flatten: structs become columns `a.b`.  allow_loss: of "na" and "precision".

    >>> import pyarrow, libdataview as dv
    >>> dv.from_arrow(pyarrow.table({"a": [1, 2]})).to_pylist()
    [{'a': 1}, {'a': 2}]
    """
    from ._write import loss_bits

    options = {"hold": True, "flatten": flatten, "allow_loss": loss_bits(allow_loss),
               **_types_option(types)}
    return Table._of(("held", (Held(source, options),), ()))


def from_pandas(frame, *, types=None, allow_loss=(), index=False):
    """A Table of a pandas.DataFrame; `index` keeps its index as columns.  Needs pyarrow.

    >>> import pandas, libdataview as dv
    >>> dv.from_pandas(pandas.DataFrame({"a": [1, 2]})).to_pylist()
    [{'a': 1}, {'a': 2}]
    """
    pyarrow = _errors.needed("pyarrow", "pandas", "from_pandas()")
    table = pyarrow.Table.from_pandas(frame, preserve_index=index)
    return from_arrow(table, types=types, allow_loss=allow_loss)


class Arrays:
    """Columns of Python's arrays, which a recipe holds."""

    options = {}

    def __init__(self, columns, rows):
        self.columns, self.rows = columns, rows

    def view(self):
        return _core.table(self.columns, self.rows, True)

    as_bytes = Held.as_bytes


def from_numpy(arrays, *, types=None, copy=True):
    """A Table of a mapping of names to arrays or lists of one length; matrices become vectors.

    NaN and NaT are NA, and so are None in a list and the masked values of a masked array.  copy=False
    uses the arrays in place: do not change them then.  types: {"x": "R4"}, as Table.cast takes them.

    >>> import numpy, libdataview as dv
    >>> dv.from_numpy({"a": numpy.arange(2), "s": ["x", None]}).to_pylist()
    [{'a': 0, 's': 'x'}, {'a': 1, 's': None}]
    """
    _errors.needed("numpy", "numpy", "from_numpy()", "NumPy")
    from ._arrays import columns_of

    columns, rows = columns_of(arrays, copy)
    table = Table._of(("held", (Arrays(columns, rows),), ()))
    return table.cast(types) if types else table


class Csr:
    """A sparse matrix of SciPy, which a recipe holds."""

    def __init__(self, name, matrix):
        self.name, self.matrix = name, matrix

    def view(self):
        import numpy as np

        matrix = self.matrix
        kind = "R4" if matrix.data.dtype == np.float32 else "R8"
        width = np.int64 if matrix.indptr.dtype == np.int64 else np.int32
        return _core.csr_import(self.name, f"V<{kind},{matrix.shape[1]}>", matrix.shape[0],
                                np.ascontiguousarray(matrix.indptr, width),
                                np.ascontiguousarray(matrix.indices, np.int32),
                                np.ascontiguousarray(matrix.data))

    as_bytes = Held.as_bytes


def from_csr(matrix, name="Features"):
    """A Table of one column of sparse vectors, in place: of a matrix of SciPy, whose data become
    float64 unless they are float32.  Do not change the matrix afterwards.

    >>> import scipy.sparse, libdataview as dv
    >>> dv.from_csr(scipy.sparse.csr_matrix([[0, 1.5, 0, 0]])).schema["Features"].type
    Type('V<R8,4>')
    """
    np = _errors.needed("numpy", "scipy", "from_csr()", "NumPy")
    matrix = matrix.tocsr()
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    if matrix.data.dtype not in (np.float32, np.float64):
        exact = matrix.data.astype(np.float64)
        if (exact != matrix.data).any():
            raise _errors.LossError(f"data of {matrix.data.dtype} do not fit in float64: convert them "
                                    "first")
        matrix = type(matrix)((exact, matrix.indices, matrix.indptr), shape=matrix.shape)
    return Table._of(("held", (Csr(name, matrix),), ()))
