# SPDX-License-Identifier: MIT
"""Tables in other processes: pickles, fork, spawn, forkserver; what does not travel says what does."""

import copy
import multiprocessing
import os
import pickle
import sys
import traceback

import golden_cases as golden
import pytest
from conftest import SAMPLE

np = pytest.importorskip("numpy")
import libdataview as dv  # noqa: E402

STEPS = {
    "file": lambda t: t,
    "select": lambda t: t.select("Age", Who="Name"),
    "filter": lambda t: t.filter(dv.col("Age") > 100, dv.col("Name").is_valid()),
    "or": lambda t: t[(t["Age"] < 5) | (t["Age"] > 500)],
    "cast": lambda t: t.cast(Age="R8", Active="I4").combine("v", ["Age"]),
    "slice": lambda t: t[5:50].with_row_number(),
    "take": lambda t: t[[3, 1, 2, 1]],
    "exclude": lambda t: t.exclude([3, -1]).exclude({"Age": [20, 30]}),
    "sample": lambda t: t.sample(50, seed=3),
    "weights": lambda t: t.sample(50, weights=range(len(t))),
    "balance": lambda t: t.balance("Active", 50, epoch=2),
    "bucket": lambda t: t.bucket("Name", 8, seed=3),
    "pack": lambda t: t.combine("v", ["Age", "Age"]).pack("v", 64, shuffle=True),
    "folds": lambda t: t.folds(3, shuffle=True)[1][0],
    "shuffle": lambda t: t.shuffle(seed=5, epoch=2).shard(1, 3),
    "bootstrap": lambda t: t.bootstrap(seed=4),
    "dropna": lambda t: t.dropna("Age").between("Age", 10, 100),
    "concat": lambda t: dv.concat([t[:5], t[7:9]]),
    "zip": lambda t: dv.zip([t[["Age"]], t[["Name"]]]),
    "materialize": lambda t: t.materialize(["Age"]),
    "cache": lambda t: t.cache().head(20),
    "split": lambda t: t.split(0.5, 0.5, shuffle=True, seed=3)[0],
}


def test_long_chains_pickle():
    """A chain of 900 views, which the limit `depth` allows, ended in RecursionError."""
    table = dv.open(SAMPLE)
    for _ in range(900):
        table = table[0:50]
    again = pickle.loads(pickle.dumps(table))
    assert again.equals(table) and repr(again) == repr(table)


@pytest.mark.parametrize("name", STEPS)
def test_pickles(name):
    table = STEPS[name](dv.open(SAMPLE))
    again = pickle.loads(pickle.dumps(table))
    assert again.equals(table) and again.schema == table.schema
    assert golden.same(again.to_pylist(), table.to_pylist())
    assert again.identity() == table.identity()
    column = pickle.loads(pickle.dumps(table[table.columns[0]]))
    assert column.name == table.columns[0] and golden.same(list(column), list(table[column.name]))
    assert golden.same(copy.deepcopy(table).to_pylist(), table.to_pylist())


def test_pickles_of_memory():
    data = bytearray(SAMPLE.read_bytes())
    table = dv.open(data)[:7]
    text = dv.open(b"a;b\n1;x\n2;y\n", format="text")
    made = dv.from_numpy({"x": [1, None], "s": ["é", None], "v": np.ones((2, 3)),
                          "d": np.array(["2024-01-01", "NaT"], "M8[us]")}).filter(dv.col("x") > 0)
    for each in (table, text, made, dv.concat([made, made]), made["x"].table):
        again = pickle.loads(pickle.dumps(each))
        assert again.equals(each) and again.schema == each.schema


def test_relative_paths_travel(tmp_path, monkeypatch):
    dv.write({"x": [1, 2]}, tmp_path / "a.idv")
    monkeypatch.chdir(tmp_path)
    pickled = pickle.dumps(dv.open("a.idv"))
    monkeypatch.chdir("/")
    assert pickle.loads(pickled)["x"].to_pylist() == [1, 2]


def test_a_found_format_travels(tmp_path):
    """Text is read everywhere with the options that were found once."""
    path = tmp_path / "x.csv"
    path.write_text("a,b\n1,2\n", encoding="utf-8")
    table = dv.open(path)
    assert table.text and table.text in pickle.dumps(table).decode("latin-1")


def test_a_changed_file_is_refused(tmp_path):
    path = tmp_path / "x.idv"
    dv.write({"x": [1, 2]}, path)
    pickled = pickle.dumps(dv.open(path).filter(dv.col("x") > 0))
    dv.write({"x": [1, 3]}, path)
    with pytest.raises(dv.ArgumentError, match="not those") as caught:
        pickle.loads(pickled)
    assert caught.value.expected != caught.value.found != ""
    path.unlink()
    with pytest.raises(FileNotFoundError):
        pickle.loads(pickled)


def test_what_does_not_pickle():
    table = dv.open(SAMPLE)
    cursor = table.batches()
    batch = next(cursor)
    for what, way in ((cursor, "token"), (batch, "Table"), (batch["Age"], "to_numpy")):
        for dumps in (pickle.dumps, copy.copy):
            with pytest.raises(TypeError, match=way):
                dumps(what)
    closed = dv.open(SAMPLE)
    closed.close()
    with pytest.raises(ValueError, match="closed"):
        pickle.dumps(closed)
    with pytest.raises((TypeError, dv.Error)):
        read, write = os.pipe()
        os.write(write, b"a\n1\n")
        os.close(write)
        pickle.dumps(dv.open(f"/dev/fd/{read}", format="text"))


# --- fork -----------------------------------------------------------------------------------------


def in_child(function):
    """Run a function in a forked child, and fail with what it raised."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.close(read)
        try:
            function()
            report = b""
        except BaseException:
            report = traceback.format_exc().encode()
        os.write(write, report)
        os.close(write)
        os._exit(1 if report else 0)
    os.close(write)
    with os.fdopen(read, "rb") as file:
        report = file.read().decode()
    _, status = os.waitpid(child, 0)
    assert status == 0, report or f"status {status}"


needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="fork")


@needs_fork
def test_fork():
    table = dv.open(SAMPLE)
    derived = table.filter(dv.col("Age") > 5)
    made = dv.from_numpy({"x": np.arange(5)})
    cursor = table.batches(threads=2)
    batch = next(cursor)
    lent = np.asarray(batch["Age"])
    want, rest, stream = lent.copy(), derived.to_pydict(), table.__arrow_c_stream__()

    def child():
        assert golden.same(derived.to_pydict(), rest) and made["x"].to_pylist() == list(range(5))
        assert table.columns == ["Name", "Age", "Active", "Seen", "Tags"] and len(table) == 600
        assert np.array_equal(lent, want, equal_nan=True)
        assert golden.same(batch["Age"].to_pylist(), want.tolist())
        for use in (lambda: next(cursor), cursor.close, cursor.token):
            with pytest.raises(RuntimeError, match="fork"):
                use()
        before = dv._core.live()
        list(table.batches(threads=2))
        assert dv._core.live() == before

    for _ in range(3):
        in_child(child)
    assert sum(len(b) for b in cursor) == 600 - len(batch) and golden.same(derived.to_pydict(), rest)
    del stream


@needs_fork
def test_fork_while_a_cursor_reads_ahead(tmp_path):
    dv.write({"x": np.arange(200_000)}, tmp_path / "x.idv", rows_per_block=512, compression="deflate")
    table = dv.open(tmp_path / "x.idv")
    for n in range(12):
        cursor = table.batches(threads=4)
        for _ in range(n):
            next(cursor)

        def child():
            assert table["x"].to_numpy()[-1] == 199_999

        in_child(child)
        del cursor


@needs_fork
def test_grandchildren():
    table = dv.open(SAMPLE)

    def grandchild():
        assert table.count() == 600

    def child():
        cursor = table.batches()
        in_child(grandchild)
        assert sum(map(len, cursor)) == 600

    in_child(child)


# --- spawn and forkserver -------------------------------------------------------------------------


def total(table):
    return int(table["Age"].to_numpy(na=0).sum()), len(table.columns)


def of_column(column):
    return column.na_count()


@pytest.mark.parametrize("method", ["spawn", "forkserver", "fork"])
def test_pools(method):
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(method)
    table = dv.open(SAMPLE).filter(dv.col("Age") >= 0)
    memory = dv.from_numpy({"Age": np.arange(10.0)})
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(total, [table, memory, table[:50]]) == [total(table), (45, 1), total(table[:50])]
        assert pool.map(of_column, [table["Age"]]) == [0]


def test_exit_with_everything_alive():
    """The interpreter ends with arrays, cursors and capsules alive, of files and of its own memory."""
    import subprocess

    code = f"""if 1:
        import numpy as np, libdataview as dv, atexit
        t = dv.open({str(SAMPLE)!r}); m = dv.open(bytearray(open({str(SAMPLE)!r}, 'rb').read()))
        n = dv.from_numpy({{"x": np.arange(1000)}}, copy=False)
        kept = [(c := x.batches(threads=2), b := next(c), np.asarray(b[0]), x.__arrow_c_stream__())
                for x in (t, m, n)]
        import sys; sys.kept = kept; dv.kept = kept
        class Late:
            def __del__(self): kept.clear()
        late = Late(); sys.late = late
        print("done")
    """
    done = subprocess.run([sys.executable, "-X", "dev", "-c", code], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}, check=False)
    assert done.returncode == 0 and done.stdout == "done\n", done.stderr
