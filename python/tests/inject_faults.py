# SPDX-License-Identifier: MIT
"""Injects a fault at each `except` of the package, for test_faults.py: inject_faults.py OUTCOMES.json

A case is a place, a call, and a fault: a context in which the call runs again.  The call must return the same as
before, or raise."""

import contextlib
import json
import os
import pathlib
import sys
import tempfile
from unittest import mock

import fault_places  # before the package
import fsspec
import numpy as np
from web_server import Server

import libdataview as dv
from libdataview import _calls, _errors, _open, _pickle, _pipeline, _repr, _thumbnails

ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "examples/sample.idv"
CASES = {}
_calls.PAUSE_S = 0


def case(place, kinds):
    return lambda function: CASES.setdefault(f"{place} | {kinds}", function)


def raising(owner, name, error):
    """Let the attribute raise."""
    return mock.patch.object(owner, name, side_effect=error)


def once(owner, name, error):
    """Let the attribute raise when it is first called."""
    right = getattr(owner, name)
    left = [error]

    def call(*args, **kwargs):
        if left:
            raise left.pop()
        return right(*args, **kwargs)
    return mock.patch.object(owner, name, call)


def without_fault():
    return contextlib.nullcontext()


class Failing:
    """A view with a method that raises an error when it is first called."""

    def __init__(self, view, name, error):
        self._view, self._name, self._error, self._left = view, name, error, [1]

    def __getattr__(self, name):
        found = getattr(self._view, name)
        if name != self._name or not self._left[0]:
            return found

        def call(*args, **kwargs):
            self._left[0] -= 1
            raise self._error
        return call


def with_view(table, name, error):
    """Let a method of the table's view raise once."""
    failing = Failing(table._view, name, error)
    return mock.patch.object(type(table), "_view", property(lambda self: failing))


def memory_fs():
    fs = fsspec.filesystem("memory")
    fs.pipe("/faults/x.idv", SAMPLE.read_bytes())
    return fs


def opened():
    return repr(dv.open("memory://faults/x.idv").to_pylist())




# --- Errors that become other errors ----------------------------------------------------------------------------


@case("_arrays.py _array_of", "ValueError")
def _(faulty):
    return dv.from_numpy({"x": [[1, 2], [3]] if faulty else [[1, 2], [3, 4]]}).to_pylist()


@case("_arrays.py _numbers", "OverflowError")
def _(faulty):
    return dv.from_numpy({"x": [1, None, 2**70] if faulty else [1, None]}).to_pylist()


@case("_cast.py _fitting", "TypeError, ValueError, OverflowError")
def _(faulty):
    table = dv.from_numpy({"x": np.array([1, 2])})
    return table["x"].to_numpy(dtype="i4", na=float("inf") if faulty else 0).tolist()


@case("_errors.py needed", "ImportError")
def _(faulty):
    with mock.patch.dict(sys.modules, {"pyarrow": None} if faulty else {}):
        return dv.open(SAMPLE).to_arrow().num_rows


@case("_feed.py Batches._next", "_errors.LimitError")
def _(faulty):
    table = dv.from_numpy({"x": np.array([1.0, np.nan if faulty else 2.0])})
    return [batch.tolist() for batch in table.feed("x", na="raise")]


@case("_fit.py _holds", "TypeError")
def _(faulty):
    table = dv.open(SAMPLE).select("Name").head(5)
    keyed = dv.Pipeline("term Name").fit(table).apply(table)
    return keyed.filter(dv.col("Name") < (5 if faulty else "user 9")).to_pylist()


@case("_from.py Held.as_bytes", "_errors.LimitError")
def _(faulty):
    import pickle

    table = dv.from_numpy({"x": np.arange(100_000)})
    with mock.patch.object(_pickle, "MEMORY_MOST", 1000) if faulty else without_fault():
        return pickle.loads(pickle.dumps(table)).count()


@case("_open.py open", "TypeError")
def _(faulty):
    return dv.open(5 if faulty else SAMPLE.read_bytes()).count()


@case("_pickle.py reduce", "_errors.Error")
def _(faulty):
    import pickle

    table = dv.open(SAMPLE)
    with with_view(table, "identity", dv.FileError("gone")) if faulty else without_fault():
        return pickle.loads(pickle.dumps(table)).count()


@case("_notation.py option_text", "TypeError, ValueError")
def _(faulty):
    return str(dv.Pipeline().normalize("Age", maxrows="x" if faulty else 5))


@case("_notation.py option_text", "TypeError")
def _(faulty):
    return str(dv.Pipeline().term("Name", terms=5 if faulty else ["a"]))


@case("_pipeline.py _table_option", "TypeError")
def _(faulty):
    return str(dv.Pipeline().map("S:Name", table=[1] if faulty else {"Name": ["a"], "S": ["b"]}))


@case("_pipeline.py Pipeline.load", "_errors.UnsupportedError")
def _(faulty):
    with raising(_pipeline, "_loaded", _errors.UnsupportedError("?", rule="modelzip:S2")) if faulty else without_fault():
        return faulty and dv.Pipeline.load("x.zip")


@case("_remote.py _file_system", "ValueError")
def _(faulty):
    memory_fs()
    return dv.open("unknown://x.idv" if faulty else "memory://faults/x.idv").count()


@case("_remote.py Source.read_at", "Final, FileNotFoundError, PermissionError")
def _(faulty):
    fs = memory_fs()
    with raising(type(fs), "cat_file", PermissionError("no")) if faulty else without_fault():
        return opened()


# --- Calls that run elsewhere, and attempts ---------------------------------------------------------------------


@case("_calls.py Call._called", "BaseException")
def _(faulty):
    fs = memory_fs()
    with raising(type(fs), "info", KeyboardInterrupt()) if faulty else without_fault():
        try:
            return opened()
        except KeyboardInterrupt as error:
            raise RuntimeError("interrupted") from error


@case("_calls.py Call._awaited", "BaseException")
def _(faulty):
    async def fails():
        raise KeyError("x")

    async def answers():
        return 5
    fs = fsspec.filesystem("http")
    return _calls.Call.in_loop(fs, fails() if faulty else answers()).result()


@case("_calls.py Call.result", "queue.Empty")
def _(faulty):
    import threading

    ended = threading.Event()
    try:
        return _calls.Call.in_thread(ended.wait if faulty else bool).result(0.05 if faulty else 60) and None
    finally:
        ended.set()


@case("_calls.py tried", "Exception")
def _(faulty):
    fs = memory_fs()
    with once(type(fs), "info", OSError(5, "busy")) if faulty else without_fault():
        return opened()


@case("_calls.py unless_missing", "_errors.FileMissing")
def _(faulty):
    fs = memory_fs()
    with raising(type(fs), "info", FileNotFoundError()) if faulty else without_fault():
        return opened()


def web(options, faulty, answer):
    server = Server({"x.idv": SAMPLE.read_bytes()})
    try:
        server.answer = answer if faulty else None
        return repr(dv.open(server.url("x.idv"), **options).to_pylist())
    finally:
        server.close()


@case("_web.py File._end", "BaseException")
def _(faulty):
    def answer(handler, number):
        fails = handler.headers["Range"].startswith("bytes=-")
        return fails and (handler.head(500, Content_Length=0) or True)
    return web({}, faulty, answer)


@case("_web.py File._range", "asyncio.TimeoutError")
def _(faulty):
    return web({"timeout": 2}, faulty, lambda handler, number: number == 1 and (handler.server.until_closed() or True))


# --- Meanings ---------------------------------------------------------------------------------------------------


@case("_open.py _mode_of", "FileNotFoundError, NotADirectoryError")
def _(faulty):
    with tempfile.TemporaryDirectory() as folder:
        return dv.open(os.path.join(folder, "none.idv") if faulty else SAMPLE).count()


@case("_open.py _mode_of", "OSError")
def _(faulty):
    with raising(_open.os, "stat", OSError(5, "Input/output error")) if faulty else without_fault():
        return dv.open(SAMPLE).count()


@case("_output.py Output.to_csr", "_errors.LimitError")
def _(faulty):
    table = dv.Pipeline("convert Age type=R4; combine V:Age,Age").fit_apply(dv.open(SAMPLE))
    with with_view(table, "csr", dv.LimitError("indptr")) if faulty else without_fault():
        return repr(table.to_csr("V").todense().tolist())


@case("_pipeline.py _identity_of", "_errors.ArgumentError")
def _(faulty):
    table, other = (dv.from_numpy({"Name": ["a", "b"]}) for _ in range(2))
    with with_view(table, "identity", dv.ArgumentError("a pipe has no identity")) if faulty else without_fault():
        return _pipeline._is_same("<table 1>", table, other)


# --- Texts for people, which show the error ---------------------------------------------------------------------


def shown(text, faulty, fault):
    """A text that shows the fault counts as an error."""
    with fault if faulty else without_fault():
        made = text()
    if "the fault" in made:
        raise RuntimeError("the fault is shown")
    return made


@case("_pipeline.py Fitted.__repr__", "Exception")
def _(faulty):
    fitted = dv.Pipeline("term Name").fit(dv.open(SAMPLE))
    return shown(lambda: repr(fitted), faulty, raising(type(fitted), "_text", OSError("the fault")))


@case("_repr.py text", "Exception")
def _(faulty):
    table = dv.open(SAMPLE)
    return shown(lambda: repr(table), faulty, raising(_repr, "_first_rows", OSError("the fault")))


@case("_repr.py html", "Exception")
def _(faulty):
    table = dv.open(SAMPLE)
    return shown(table._repr_html_, faulty, raising(_repr, "_first_rows", OSError("the fault")))


@case("_thumbnails.py of", "Exception")
def _(faulty):
    table = dv.open(SAMPLE)
    return shown(table._repr_html_, faulty, raising(_thumbnails, "_pipeline", OSError("the fault")))


def outcome(key, function):
    before = function(False)
    fault_places.reached.clear()
    try:
        after = "the same" if function(True) == before else "a different result"
    except Exception as error:
        after = "an error"
        print(f"{key}: {type(error).__name__}: {error}"[:150])
    return {"reached": tuple(key.split(" | ")) in fault_places.reached, "after": after}


if __name__ == "__main__":
    pathlib.Path(sys.argv[1]).write_text(json.dumps({key: outcome(key, f) for key, f in CASES.items()}))
