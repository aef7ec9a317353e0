# SPDX-License-Identifier: MIT
"""The exceptions of the package: one for each status of the library, made from its own list."""

import os

from . import _core


class DataWarning(UserWarning):
    """Something about the data that is worth a look, told once per open: docs/python.md lists them.

    >>> import pathlib, tempfile, warnings
    >>> import libdataview as dv
    >>> path = pathlib.Path(tempfile.mkdtemp(), "short.csv")
    >>> _ = path.write_text("a,b\\n1,2\\n3\\n")
    >>> with warnings.catch_warnings(record=True) as told:
    ...     rows = dv.open(path).to_pylist()
    >>> told[0].category is dv.DataWarning
    True
    """


class Error(Exception):
    """A failure of the library.  `str()` is one line that says what is wrong and where.

    Attributes: `status` (a name such as "CORRUPT"), `file` (the end of the path), `offset` (in the
    file, of the first wrong byte; None: no single byte is wrong), `rule` (the rule that is violated,
    which `dataview explain` knows, or the option that sets the limit), `expected`, `found`, `os_code`
    (errno, or 0).

    >>> import libdataview as dv
    >>> try:
    ...     dv.open("examples/none.idv")
    ... except dv.Error as error:
    ...     print(error.status, error.os_code)
    IO 2
    """

    status = ""

    def __init__(self, message="", file="", offset=None, rule="", expected="", found="", os_code=0):
        super().__init__(message)
        self.file, self.offset, self.rule = file, offset, rule
        self.expected, self.found, self.os_code = expected, found, os_code

    def __str__(self):
        return str(self.args[0]) if self.args else ""

    def __reduce__(self):
        return type(self), (str(self), self.file, self.offset, self.rule, self.expected, self.found,
                            self.os_code)


class FileError(Error, OSError):
    """IO: the operating system refused; `errno` is its reason.

    >>> import libdataview as dv
    >>> issubclass(dv.FileMissing, dv.FileError) and issubclass(dv.FileError, OSError)
    True
    """

    status = "IO"

    def __init__(self, message="", file="", offset=None, rule="", expected="", found="", os_code=0):
        super().__init__(message, file, offset, rule, expected, found, os_code)
        self.errno = os_code or None
        self.filename = file or None
        self.strerror = os.strerror(os_code) if os_code else None


class FileMissing(FileError, FileNotFoundError):
    """IO: there is no such file.

    >>> import libdataview as dv
    >>> dv.open("examples/none.idv")
    Traceback (most recent call last):
    libdataview.FileMissing: ...
    """


class FileRefused(FileError, PermissionError):
    """IO: the file may not be read or written.

    >>> import libdataview as dv
    >>> issubclass(dv.FileRefused, PermissionError)
    True
    """


class CorruptError(Error, ValueError):
    """CORRUPT: the bytes break a rule of their format.

    >>> import libdataview as dv
    >>> dv.open(open("examples/sample.idv", "rb").read()[:300])
    Traceback (most recent call last):
    libdataview.CorruptError: ...
    """

    status = "CORRUPT"


class UnsupportedError(Error, ValueError):
    """UNSUPPORTED: this version cannot read the data, which may be valid.

    >>> import libdataview as dv
    >>> dv.open(b"%PDF-1.7 ...")
    Traceback (most recent call last):
    libdataview.UnsupportedError: ...
    """

    status = "UNSUPPORTED"


class LimitError(Error, ValueError):
    """LIMIT: a limit is exceeded; `rule` is the option that sets it.

    >>> import libdataview as dv
    >>> dv.open("examples/sample.idv", columns=2)
    Traceback (most recent call last):
    libdataview.LimitError: ...
    """

    status = "LIMIT"


class LossError(Error, ValueError):
    """LOSS: something cannot be kept, and losing it is not allowed.

    >>> import libdataview as dv
    >>> dv.from_numpy({"a": ["1", "x"]}).cast(a="int64").to_pylist()
    Traceback (most recent call last):
    libdataview.LossError: ...
    """

    status = "LOSS"


class ArgumentError(Error, ValueError):
    """ARGUMENT: an argument is invalid.

    >>> import libdataview as dv
    >>> dv.Pipeline("onhot town")
    Traceback (most recent call last):
    libdataview.ArgumentError: ...
    """

    status = "ARGUMENT"


class CopyError(Error, BufferError):
    """COPY: zero_copy_only is set, and a copy is needed.

    >>> import libdataview as dv
    >>> issubclass(dv.CopyError, BufferError)
    True
    """

    status = "COPY"


class MemoryFailure(Error, MemoryError):
    """MEMORY: the library could not get memory.

    >>> import libdataview as dv
    >>> issubclass(dv.MemoryFailure, MemoryError)
    True
    """

    status = "MEMORY"


class Stopped(Error):
    """STOPPED: the progress callback returned False.

    >>> import libdataview as dv
    >>> dv.open("examples/sample.idv")["Age"].to_numpy(progress=lambda done, total: False)
    Traceback (most recent call last):
    libdataview.Stopped: ...
    """

    status = "STOPPED"


class ColumnNotFound(ArgumentError, KeyError):
    """There is no such column; the message has the nearest names.

    >>> import libdataview as dv
    >>> dv.open("examples/sample.idv")["Agee"]
    Traceback (most recent call last):
    libdataview.ColumnNotFound: there is no column 'Agee': did you mean 'Age'?
    """

    def __str__(self):
        return Error.__str__(self)


class NAError(Error, ValueError):
    """A value is NA where the target cannot hold that.  Attributes: `column`, `row`.

    >>> import libdataview as dv
    >>> dv.from_numpy({"s": [True, None]})["s"].to_numpy()
    Traceback (most recent call last):
    libdataview.NAError: ...
    """

    status = "NA"

    def __init__(self, column="", row=0, type=""):
        self.column, self.row, self.type = column, row, type
        super().__init__(
            f"column '{column}' is NA in row {row}, and an array of {type} cannot say so: pass "
            "na='nan', na='mask', na='keep' or a value that stands for NA, e.g. to_numpy(na=0)")

    def __reduce__(self):
        return type(self), (self.column, self.row, self.type)


BY_STATUS = {
    "DV_ERR_IO": FileError,
    "DV_ERR_CORRUPT": CorruptError,
    "DV_ERR_UNSUPPORTED": UnsupportedError,
    "DV_ERR_LIMIT": LimitError,
    "DV_ERR_ARGUMENT": ArgumentError,
    "DV_ERR_COPY": CopyError,
    "DV_ERR_MEMORY": MemoryFailure,
    "DV_ERR_LOSS": LossError,
    "DV_ERR_STOPPED": Stopped,
}
_by_number = {value: BY_STATUS[name] for name, value, _ in _core.statuses() if value < 0}


def from_core(status, message, file, offset, rule, expected, found, os_code):
    """The exception of a failure in C."""
    cls = _by_number[status]
    if cls is FileError:
        cls = {2: FileMissing, 13: FileRefused}.get(os_code, FileError)
    elif cls is ArgumentError and expected == "a name of the schema":
        cls = ColumnNotFound
    return cls(message, file, None if offset < 0 else offset, rule, expected, found, os_code)


def nearest(name, names):
    """A clause with the names that are like another one, or with the first ones."""
    import difflib

    names = [str(n) for n in names]
    near = difflib.get_close_matches(str(name), names, n=3, cutoff=0.6)
    if not near:
        lower = {n.lower(): n for n in reversed(names)}
        near = [lower[m] for m in difflib.get_close_matches(str(name).lower(), lower, n=3, cutoff=0.6)]
    if near:
        return "did you mean " + " or ".join(repr(n) for n in near) + "?"
    if not names:
        return "there are no columns"
    shown = ", ".join(repr(n) for n in names[:8])
    return f"there are {shown}" + (f" and {len(names) - 8} more" if len(names) > 8 else "")


def no_column(name, names):
    return ColumnNotFound(f"there is no column {name!r}: {nearest(name, names)}")


def of_system(error, path):
    """The FileError of an OSError."""
    cls = {2: FileMissing, 13: FileRefused}.get(error.errno, FileError)
    return cls(f"{path}: cannot be opened: {error.strerror or error}", path, os_code=error.errno or 0)


def needed(module, extra, what, package=None):
    """The module, which is imported; ImportError: `what` needs a package that is not installed."""
    import importlib

    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(f"{what} needs {package or module}: pip install 'libdataview[{extra}]'") from error


def floored(n):
    """The sentence of times that an export cut to microseconds."""
    return (f"{n:,} time{' was' if n == 1 else 's were'} cut to whole microseconds (times=\"ticks\" or \"ns\" of "
            "arrow_stream() and to_arrow() keep what is finer)")


def warn(message):
    """A DataWarning that points at the user's line, not into the package."""
    import sys
    import warnings

    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__package__") == __package__:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, DataWarning, stacklevel=level)


for _found in list(globals().values()):  # tracebacks show libdataview.NAError
    if isinstance(_found, type) and _found.__module__ == __name__:
        _found.__module__ = __package__
del _found
