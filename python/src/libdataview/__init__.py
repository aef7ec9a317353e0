# SPDX-License-Identifier: MIT
"""Machine-learning data files as tables that NumPy, Arrow, pandas, polars and DuckDB use in place.

    import libdataview as dv

    t = dv.open("train.idv")             # or .csv, .msgpack (datadings), .btable
    X = t.to_numpy(["Age", "Height"])    # a matrix of float32
    y = t["Label"].to_numpy()

Tables are also made by from_arrow(), from_pandas(), from_numpy() and from_csr(), and written by write().
docs/python.md is the tour.
"""

import atexit as _atexit

from . import _core

__version__ = _core.version

# Where each name is.  Its module is imported when it is first used, so that `import libdataview` costs
# a millisecond.  `__init__.pyi` tells the same to type checkers.
_HOMES = {
    "_column": "Column",
    "_core": "Array Batch Cursor",
    "_errors": "ArgumentError ColumnNotFound CopyError CorruptError DataWarning Error FileError "
               "FileMissing FileRefused LimitError LossError MemoryFailure NAError Stopped "
               "UnsupportedError",
    "_expr": "Condition col",
    "_from": "from_arrow from_csr from_numpy from_pandas",
    "_mix": "mix",
    "_open": "open",
    "_pad": "Pad Ragged",
    "_pipeline": "Fitted Pipeline pipe",
    "_schema": "Field Schema",
    "_table": "Table concat zip",
    "_transformer": "Transformer",
    "_trust": "allow_folder",
    "_types": "Type",
    "_write": "write write_check",
}
_home_of = {name: home for home, names in _HOMES.items() for name in names.split()}
# Modules that are there if another package is.
_MODULES = {"datadings": "msgpack", "polars": "polars", "ray": "ray", "torch": "torch"}
__all__ = sorted(_home_of)


def _import(name):
    return __import__(f"{__name__}.{name}", fromlist=("",))


def _is_there(package):
    import importlib.util

    return importlib.util.find_spec(package) is not None


def __getattr__(name):
    if name in _MODULES:
        if not _is_there(_MODULES[name]):  # hasattr(), help() and inspect.getmembers() ask for it too
            raise AttributeError(f"libdataview.{name} needs {_MODULES[name]}: "
                                 f"pip install 'libdataview[{name}]'")
        return _import(name)
    if name.startswith("_"):  # what Python itself looks for
        raise AttributeError(f"libdataview has no {name!r}")
    if name not in _home_of:
        hints = _import("_hints")
        raise AttributeError(f"libdataview has no {name!r}; {hints.of(name, hints.MODULE, __all__)}")
    value = getattr(_import(_home_of[name]), {"zip": "zip_columns"}.get(name, name))
    if isinstance(value, type) and value.__module__.startswith("libdataview."):
        value.__module__ = __name__  # where users find it
    globals()[name] = value
    return value


def __dir__():
    return [*__all__, *_MODULES, "__version__"]


def _hook(name, module, function):
    """What the extension calls first: imports the function, and has it called from then on."""
    def first(*args, **kwargs):
        found = getattr(_import(module), function)
        _core.set_hooks(**{name: found})
        return found(*args, **kwargs)

    return first


_core.set_hooks(**{name: _hook(name, module, function) for name, module, function in (
    ("error", "_errors", "from_core"), ("na_error", "_errors", "NAError"),
    ("no_column", "_errors", "no_column"),
    ("datetime", "_values", "datetime"), ("timedelta", "_values", "timedelta"),
    ("zoned", "_values", "zoned"), ("to_numpy", "_numpy", "array_to_numpy"),
    ("dense", "_numpy", "batch_dense"))})
_atexit.register(_core.exiting)
