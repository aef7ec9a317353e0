# SPDX-License-Identifier: MIT
# For type checkers and editors: where each name of the package is.  __init__.py imports it when it
# is first used.
from . import polars as polars
from ._column import Column as Column
from ._core import Array as Array, Batch as Batch, Cursor as Cursor
from ._errors import (
    ArgumentError as ArgumentError, ColumnNotFound as ColumnNotFound, CopyError as CopyError,
    CorruptError as CorruptError, DataWarning as DataWarning, Error as Error, FileError as FileError,
    FileMissing as FileMissing, FileRefused as FileRefused, LimitError as LimitError,
    LossError as LossError, MemoryFailure as MemoryFailure, NAError as NAError, Stopped as Stopped,
    UnsupportedError as UnsupportedError)
from ._expr import Condition as Condition, col as col
from ._from import (
    from_arrow as from_arrow, from_csr as from_csr, from_numpy as from_numpy,
    from_pandas as from_pandas)
from ._open import open as open
from ._schema import Field as Field, Schema as Schema
from ._table import Table as Table, concat as concat, zip_columns
from ._types import Type as Type
from ._write import write as write, write_check as write_check

zip = zip_columns
__version__: str
__all__: list[str]
