# SPDX-License-Identifier: MIT
"""Machine-learning data files as tables that NumPy, Arrow, pandas, polars and DuckDB use in place.

    import libdataview as dv

    t = dv.open("train.idv")             # or .csv, .msgpack (datadings), .btable
    X = t.to_numpy(["Age", "Height"])    # a matrix of float32
    y = t["Label"].to_numpy()

docs/python.md is the tour.
"""

from . import _core

__version__ = _core.version

from . import _errors, _values  # noqa: E402
from ._errors import (  # noqa: E402
    ArgumentError, ColumnNotFound, CopyError, CorruptError, DataWarning, Error, FileError, FileMissing,
    FileRefused, LimitError, LossError, MemoryFailure, NAError, Stopped, UnsupportedError)


def _to_numpy(array, dtype=None, na="raise", copy=None, values=False, dense=False):
    from ._numpy import array_to_numpy

    return array_to_numpy(array, dtype, na, copy, values, dense)


def _dense(batch, dtype="f4", na="nan", columns=None):
    from ._numpy import batch_dense

    return batch_dense(batch, dtype, na, columns)


_core.set_hooks(error=_errors.from_core, na_error=NAError, datetime=_values.datetime,
                timedelta=_values.timedelta, zoned=_values.zoned, to_numpy=_to_numpy, dense=_dense)

import atexit as _atexit  # noqa: E402

_atexit.register(_core.exiting)

from ._column import Column  # noqa: E402
from ._core import Array, Batch, Cursor  # noqa: E402
from ._expr import Condition, col  # noqa: E402
from ._from import from_arrow, from_csr, from_numpy, from_pandas  # noqa: E402
from ._open import open  # noqa: A004,E402
from ._schema import Field, Schema  # noqa: E402
from ._table import Table, concat  # noqa: E402
from ._table import zip_columns as zip  # noqa: A004,E402
from ._types import Type  # noqa: E402
from ._write import write, write_check  # noqa: E402

__all__ = [
    "ArgumentError", "Array", "Batch", "Column", "ColumnNotFound", "Condition", "CopyError",
    "CorruptError", "Cursor", "DataWarning", "Error", "Field", "FileError", "FileMissing",
    "FileRefused", "LimitError", "LossError", "MemoryFailure", "NAError", "Schema", "Stopped", "Table",
    "Type", "UnsupportedError", "col", "concat", "from_arrow", "from_csr", "from_numpy", "from_pandas",
    "open", "write", "write_check", "zip",
]


def __getattr__(name):
    if name == "polars":
        import importlib

        return importlib.import_module(".polars", __name__)
    raise AttributeError(f"libdataview has no {name!r}: {_errors.nearest(name, __all__)}")
