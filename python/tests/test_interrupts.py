# SPDX-License-Identifier: MIT
"""Ctrl-C ends every long call with KeyboardInterrupt, and a file that was being written is as it was."""

import os
import signal
import threading
import time

import pytest

np = pytest.importorskip("numpy")
import libdataview as dv  # noqa: E402

ROWS = int(os.environ.get("DV_SIGNAL_ROWS", 4_000_000))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("signals")
    table = dv.from_numpy({"x": np.arange(ROWS), "f": np.random.default_rng(1).random(ROWS)})
    dv.write(table, folder / "x.idv", rows_per_block=4096, compression="deflate", level=1)
    return folder


def interrupt(call, after=0.06):
    """Ctrl-C a little after a call began: the seconds that it took, and whether that ended it."""
    timer = threading.Timer(after, os.kill, (os.getpid(), signal.SIGINT))
    began, took = time.monotonic(), None
    timer.start()
    try:
        call()
        took = time.monotonic() - began
        timer.join()
        time.sleep(0.01)  # the signal of a call that was too short
    except KeyboardInterrupt:
        pass
    return (time.monotonic() - began, True) if took is None else (took, False)


def calls(folder):
    table = dv.open(folder / "x.idv")
    long = dv.concat([table] * 12)
    text = folder / "x.csv"
    if not text.exists():
        text.write_bytes(b"12345,678,abc\n" * ROWS)
    vectors = table.cast(f="R4", x="R4").combine("v", ["f", "x"])
    return {
        "batches behind a filter": lambda: list(long.filter(dv.col("x") < 0).batches()),
        "filter with |": lambda: long.filter((dv.col("x") < 0) | (dv.col("f") < 0)).count(),
        "to_csr": lambda: vectors.to_csr("v"),
        "materialize": table.materialize,
        "write": lambda: table.write(folder / "target.idv", compression="deflate"),
        "write text": lambda: table.write(folder / "target.csv"),
        "cache": lambda: table.cache(folder / "target.cache"),
        "stats": table.stats,
        "verify": table.verify,
        "count of text": lambda: dv.open([text] * 20, format="text", text="col=x:R4:0").count(),
        "value_counts": lambda: table.value_counts("f", exact_distinct=10_000_000),
        "matrix": lambda: long.to_numpy(["f"], "f8"),
        "column": lambda: long["x"].to_numpy(),
        "list": lambda: table["f"].to_pylist(),
        "equals": lambda: table.equals(table.materialize()),
        "start in a filter": lambda: next(iter(long.filter(dv.col("x") >= 0).batches(start=12 * ROWS - 1))),
    }


def is_whole(path, **options):
    """The signal may come when the file has just been replaced."""
    return dv.open(path, **options).count() == ROWS


NAMES = [
    "batches behind a filter", "filter with |", "to_csr", "materialize", "write", "write text", "cache",
    "stats", "verify", "count of text", "value_counts", "matrix", "column", "list", "equals",
    "start in a filter"]


@pytest.mark.parametrize("name", NAMES)
def test_interrupts(folder, name):
    for target in ("target.idv", "target.csv", "target.cache"):
        (folder / target).write_bytes(b"as it was")
    if name == "cache":
        (folder / "target.cache").unlink()
    if name == "to_csr":
        pytest.importorskip("scipy")
    took, ended = interrupt(calls(folder)[name])
    if not ended and took < 0.1:
        pytest.skip(f"{name} took {took * 1000:.0f} ms here: DV_SIGNAL_ROWS asks for more rows")
    assert ended, f"{name} went on for {took:.2f} s after Ctrl-C"
    for target in ("target.idv", "target.csv"):
        assert (folder / target).read_bytes() == b"as it was" or is_whole(folder / target)
    left = {p.name for p in folder.iterdir()} - {"x.idv", "x.csv", "target.idv", "target.csv", "target.cache"}
    assert not left
    cache = folder / "target.cache"
    assert name != "cache" or not cache.exists() or is_whole(cache, format="idv")
    assert dv.open(folder / "x.idv")[:3]["x"].to_pylist() == [0, 1, 2]


def test_other_handlers_raise_what_they_raise(folder):
    class Alarm(Exception):
        pass

    def handler(*_):
        raise Alarm

    old = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.06)
        with pytest.raises(Alarm):
            dv.open(folder / "x.idv").filter(dv.col("f") < 0).count()
            time.sleep(1)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)


def test_a_thread_that_is_not_main_goes_on(folder):
    """Signals are the main thread's: a call in another one ends by itself."""
    table, result = dv.open(folder / "x.idv"), []
    thread = threading.Thread(target=lambda: result.append(table.filter(dv.col("x") < 5).count()))
    thread.start()
    try:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(1)
        raise AssertionError("no KeyboardInterrupt in the main thread")
    except KeyboardInterrupt:
        pass
    thread.join()
    assert result == [5]
