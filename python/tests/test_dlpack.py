# SPDX-License-Identifier: MIT
"""Arrays as DLPack tensors: copies unless asked, read-only then, and alive as long as somebody holds
them."""

import gc
import os
import subprocess
import sys
import threading

import pytest

import libdataview as dv

np = pytest.importorskip("numpy")


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "t.idv"
    dv.write({
        "x": np.arange(6, dtype="f4"), "m": np.arange(12.0).reshape(6, 2),
        "t": np.arange(12, dtype="i2").reshape(6, 2), "n": [1, None, 3, 4, 5, 6],
        "b": [True, False, True, True, False, True], "d": np.arange(6).astype("M8[D]"),
        "s": list("abcdef")}, path)
    return dv.open(path)


def batch_of(table):
    return next(table.batches())


@pytest.mark.parametrize("name", ["x", "m", "t", "b"])
def test_values(table, name):
    array = batch_of(table)[name]
    tensor = np.from_dlpack(array)
    assert tensor.flags.writeable and np.array_equal(tensor, np.asarray(array))
    tensor[:] = 0
    assert np.asarray(array).any(), "the copy is the consumer's alone"
    assert array.__dlpack_device__() == (1, 0)


def test_in_place(table):
    array = batch_of(table)["x"]
    lent = np.from_dlpack(array, copy=False)
    assert not lent.flags.writeable
    assert lent.ctypes.data == np.asarray(array).ctypes.data


def test_ticks(table):
    tensor = np.from_dlpack(batch_of(table)["d"])
    assert tensor.dtype == np.int64 and (np.diff(tensor) == 864_000_000_000).all()


def test_refused(table):
    batch = batch_of(table)
    with pytest.raises(dv.NAError, match="column 'n' is NA in row 1"):
        np.from_dlpack(batch["n"])
    with pytest.raises(BufferError, match="to_numpy"):
        np.from_dlpack(batch["s"])
    with pytest.raises(BufferError, match="read-only"):
        batch["x"].__dlpack__(copy=False)  # no max_version: a consumer that knows no flags
    with pytest.raises(BufferError, match="CPU"):
        batch["x"].__dlpack__(dl_device=(2, 0))


def test_lifetime(table):
    gc.collect()
    before = sum(dv._core.live().values())  # the table's view, and what other tests' tracebacks hold
    capsules = [batch_of(table)["x"].__dlpack__(max_version=(1, 0), copy=c) for c in (True, False)]
    capsules.append(batch_of(table)["x"].__dlpack__())
    del capsules  # never consumed
    lent = np.from_dlpack(batch_of(table)["x"], copy=False)
    table.close()
    held = [lent]
    thread = threading.Thread(target=held.pop)
    thread.start()
    thread.join()
    assert lent.tolist() == [0, 1, 2, 3, 4, 5]
    del lent
    assert sum(dv._core.live().values()) == before - 1


def test_torch_copies(table):
    torch = pytest.importorskip("torch")
    batch = batch_of(table)
    torch.from_dlpack(batch["x"]).add_(1)
    assert np.asarray(batch["x"]).tolist() == [0, 1, 2, 3, 4, 5]


def test_writing_into_the_map_ends_the_process(table, tmp_path):
    pytest.importorskip("torch")
    before = (tmp_path / "t.idv").read_bytes()
    program = ("import libdataview as dv, torch, sys; "
               "b = next(dv.open(sys.argv[1]).batches()); "
               "torch.utils.dlpack.from_dlpack(b['x'].__dlpack__(max_version=(1, 0), copy=False))"
               ".add_(1)")
    status = subprocess.run([sys.executable, "-c", program, str(tmp_path / "t.idv")],
                            capture_output=True).returncode
    is_killed = status < 0 or "DV_SANITIZED" in os.environ and status > 0  # which catches the signal
    assert is_killed and (tmp_path / "t.idv").read_bytes() == before
