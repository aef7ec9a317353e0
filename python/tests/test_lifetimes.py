# SPDX-License-Identifier: MIT
"""What was handed out stays valid, and everything is given back: every order of deletion, failures,
threads, and many loops without growth (DV_LOOPS=100000 in the environment: the long form)."""

import gc
import itertools
import os
import resource
import threading

import golden_cases as golden
import pytest
from conftest import SAMPLE, living

np = pytest.importorskip("numpy")
import libdataview as dv  # noqa: E402

pytestmark = pytest.mark.usefixtures("nothing_left")
LOOPS = int(os.environ.get("DV_LOOPS", 300))


@pytest.fixture(autouse=True, scope="module")
def little_garbage():
    """What other tests hold is not looked at again and again."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.parametrize("order", list(itertools.permutations(range(5))), ids=str)
def test_every_order_of_deletion(order):
    """Table, cursor, batch, array and NumPy's array die in any order; what is left is readable."""
    table = dv.open(SAMPLE)
    cursor = table.batches(["Age"])
    batch = next(cursor)
    array = batch["Age"]
    lent = np.asarray(array)
    want = lent.copy()
    held = [table, cursor, batch, array, lent]
    del table, cursor, batch, array, lent
    for i in order:
        held[i] = None
        gc.collect()
        if held[4] is not None:
            assert np.array_equal(held[4], want, equal_nan=True)
        if held[3] is not None:
            assert golden.same(held[3].to_pylist(), want.tolist())
        if held[2] is not None:
            assert golden.same(held[2]["Age"].to_pylist(), want.tolist())
        if held[1] is not None:
            next(held[1], None)
        if held[0] is not None:
            assert held[0].num_rows == 600


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))), ids=str)
def test_closed_in_any_order(order):
    table = dv.open(SAMPLE)
    cursor = table.batches(["Age"])
    batch = next(cursor)
    lent, raw = np.asarray(batch["Age"]), batch["Age"].raw["values"]
    want = lent.copy()
    for i in order:
        (table.close, cursor.close, lambda: None)[i]()
        assert np.array_equal(lent, want, equal_nan=True) and bytes(raw) == want.tobytes()
    assert golden.same(batch["Age"].to_pylist(), want.tolist())


def test_buffers_of_everything_survive():
    data = bytearray(SAMPLE.read_bytes())
    table = dv.open(data)
    batch = next(iter(table.batches()))
    parts = [batch[name].raw for name in batch.columns] + [batch["Tags"].offsets()]
    values = batch["Tags"].key_values, batch["Name"].to_pylist()
    del table, batch
    gc.collect()
    with pytest.raises(BufferError):
        data.clear()  # the views of it still live
    assert values[0] is None and len(values[1]) == 128
    del parts
    gc.collect()
    data.clear()


def test_capsules():
    """Never consumed, consumed twice, consumed by another library, released in another thread."""
    table = dv.open(SAMPLE)
    for _ in range(50):
        table.__arrow_c_stream__()
        table.__arrow_c_schema__()
        batch = next(iter(table.batches()))
        batch.__arrow_c_array__()
        batch["Age"].__arrow_c_array__()
        batch["Age"].__arrow_c_schema__()
        batch.__arrow_c_schema__()
    pa = pytest.importorskip("pyarrow")
    whole = pa.table(table)
    table.close()
    assert whole["Age"].null_count == 0 and whole.num_rows == 600
    record = pa.record_batch(batch)
    children = [record.column(i) for i in range(record.num_columns)]
    del batch, record, table
    thread = threading.Thread(target=children.clear)
    thread.start()
    thread.join()
    kept = [whole]
    del whole
    thread = threading.Thread(target=kept.clear)
    thread.start()
    thread.join()
    stream = dv.open(SAMPLE).arrow_stream(rows=50)
    reader = pa.RecordBatchReader.from_stream(stream)
    first = reader.read_next_batch()
    del reader, stream
    gc.collect()
    assert first.num_rows == 50 and first.validate(full=True) is None


def test_half_a_stream():
    pa = pytest.importorskip("pyarrow")
    for n in range(4):
        reader = pa.RecordBatchReader.from_stream(dv.open(SAMPLE).arrow_stream(rows=100))
        for _ in range(n):
            reader.read_next_batch()
        reader.close() if n % 2 else None
        del reader


def test_steps_hold_their_sources():
    table = dv.open(SAMPLE)
    derived = table.filter(dv.col("Age") > 5).select("Age").cast(Age="R8").head(10)
    table.close()
    del table
    gc.collect()
    assert derived.count() == 10
    derived.close()


def failures():
    """Calls that fail, each in its way."""
    table = dv.open(SAMPLE)
    batch = next(iter(table.batches()))
    age = batch["Age"]
    yield lambda: dv.open("/nowhere")
    yield lambda: dv.open(b"no table at all", format="idv")
    yield lambda: dv.open(SAMPLE, columns=1)
    yield lambda: dv.open(SAMPLE, io="x")
    yield lambda: table["nothing"]
    yield lambda: table.batches(rows="x")
    yield lambda: table.batches(token="x")
    yield lambda: table.batches(["Age"], zero_copy_only=True, rows=-1)
    yield lambda: batch["nothing"]
    yield lambda: batch[100]
    yield lambda: age[10 ** 9]
    yield lambda: age.to_numpy(copy=False, dtype="f8")
    yield lambda: age.to_numpy(na="what")
    yield lambda: age.densify(bytearray(8))
    yield lambda: age.na_mask(bytearray(1))
    yield lambda: age.offsets()
    yield lambda: batch.fill_dense(bytearray(8), "f", 1, {})
    yield lambda: batch.dense()
    yield lambda: table.to_numpy()
    yield lambda: table.cast(Name="U4[0-9").count()
    yield lambda: table.cast(Tags="R4").stats(["Age"], slots=["Age"])
    yield lambda: table.filter(dv.col("Age") > "x")
    yield lambda: table.combine("v", ["Age", "Name"])
    yield lambda: table.to_csr("Age")
    yield lambda: table.take([10 ** 9])
    yield lambda: table.slice(-1)
    yield lambda: table.shard(5, 2)
    yield lambda: table.shuffle(kind="x")
    yield lambda: dv.concat([table, table.drop("Age")])
    yield lambda: dv.zip([])
    yield lambda: table.write("/nowhere/x.idv")
    yield lambda: table.write("/tmp/x.idv", compression="x")
    yield lambda: dv.write_check(table, "x.unknown")
    yield lambda: table.arrow_stream(times="x").__arrow_c_stream__()
    yield lambda: dv.from_numpy({"x": [1], "y": [1, 2]})
    yield lambda: dv.from_numpy({"": [1]})
    yield lambda: dv.from_numpy({"x": ["\ud800"]})
    yield lambda: dv.Type("R5")
    yield lambda: table.stats(exact_values="x")
    yield lambda: table.value_counts("Age", exact_distinct=-1)
    yield lambda: table.stats(progress=lambda *_: 1 / 0) and 1 / 0
    yield lambda: hash(table["Age"])
    yield lambda: table.schema["Age"].metadata["nothing"]


@pytest.mark.parametrize("i", range(len(list(failures()))))
def test_failures_leave_nothing(i):
    call = list(failures())[i]
    before = living()
    for _ in range(20):
        with pytest.raises(Exception) as caught:
            call()
        assert str(caught.value) or isinstance(caught.value, ZeroDivisionError)
        assert not isinstance(caught.value, (SystemError, AttributeError))
        del caught
    assert living() == before


# --- Many loops -----------------------------------------------------------------------------------


def rss():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def cheap_calls():
    table = dv.open(SAMPLE)
    small = dv.from_numpy({"x": [1, None], "s": ["a", None], "v": np.ones((2, 3), "f4")})
    keyed = small.cast(s="U4[0-9]", strict=False)
    batch = next(iter(small.batches()))
    age = next(iter(table.batches()))["Age"]
    yield "open", lambda: dv.open(SAMPLE)
    yield "batches", lambda: next(iter(table.batches(["Age"])))
    yield "array", lambda: batch["x"]
    yield "items", lambda: (batch["x"][1], batch["s"][0], batch["v"][1])
    yield "pylist", lambda: [batch[name].to_pylist() for name in batch]
    yield "exact", lambda: [batch[name].exact() for name in batch]
    yield "numpy", lambda: [batch[name].to_numpy(na="mask") for name in batch]
    yield "lent", lambda: np.asarray(age)
    yield "raw", lambda: (batch["v"].raw, batch["v"].bases, batch["v"].offsets())
    yield "NA", lambda: (age.na_first(), age.na_count(), age.na_mask(bytearray(len(age))))
    yield "dense", lambda: table[["Age"]].batches().__next__().dense()
    yield "stream", lambda: table.__arrow_c_stream__()
    yield "capsules", lambda: (batch.__arrow_c_array__(), batch["v"].__arrow_c_array__())
    yield "schema", lambda: (table._view.schema, dv.open(SAMPLE).schema["Tags"].metadata)
    yield "steps", lambda: table.filter(dv.col("Age") > 5).select("Age").cast(Age="R8")[3:9]
    yield "rows", lambda: (small[0], small[[1, 0]], small["x"][1])
    yield "made", lambda: dv.from_numpy({"x": [1, 2], "s": ["a", "b"]})
    yield "lent table", lambda: dv.from_numpy({"x": np.arange(3)}, copy=False).count()
    yield "keys", lambda: (keyed["s"].to_pylist(), keyed["s"].categories)
    yield "type", lambda: dv.Type("V<U4[0-9],2,3>")
    yield "stats", lambda: small.stats()
    yield "counts", lambda: small.value_counts("s")
    yield "matrix", lambda: small.to_numpy(["x", "v"])
    yield "save", lambda: small._view.save_memory({"format": "idv", "memory_nbytes": 1 << 20}, None)
    yield "check", lambda: dv.write_check(small, "x.btable")
    yield "facts", lambda: table.facts
    yield "identity", lambda: table.identity()
    yield "equals", lambda: small.equals(small)
    yield "verify", lambda: table.verify()
    yield "progress", lambda: small.stats(progress=lambda done, total: True)
    yield "repr", lambda: (repr(small), repr(batch), repr(age))
    yield "steps of a pipeline", lambda: str(dv.pipe.term("s").hash("x", bits=4, invert=1))
    yield "fit", lambda: dv.Pipeline("onehot s; hash x bits=4 invert=1").fit(small).tables
    yield "apply", lambda: dv.Pipeline("term s").fit_apply(small)["s"].to_pylist()
    yield "token", lambda: table.batches(["Age"]).token()


@pytest.mark.parametrize("name", [name for name, _ in cheap_calls()])
def test_no_growth(name):
    call = dict(cheap_calls())[name]
    for _ in range(LOOPS // 10):
        call()
    before, memory = living(), rss()
    for _ in range(LOOPS):
        call()
    assert living() == before
    grown = 0 if "DV_SANITIZED" in os.environ else rss() - memory  # a sanitizer keeps freed memory
    assert grown < (2 << 20) + 20 * LOOPS, f"{name}: {grown / LOOPS:.0f} bytes a call"
