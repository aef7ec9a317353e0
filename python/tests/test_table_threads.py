# SPDX-License-Identifier: MIT
"""Any number of threads may use a table; a cursor is for one at a time."""

import threading
import time

import golden_cases as golden
import pytest
from conftest import SAMPLE

np = pytest.importorskip("numpy")
import libdataview as dv  # noqa: E402


def in_threads(n, function):
    """Run function(i) in n threads at once, and raise what the first one raised."""
    failures, start = [], threading.Barrier(n)

    def run(i):
        try:
            start.wait()
            function(i)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def test_eight_threads_on_one_table():
    table = dv.open(SAMPLE)
    whole, ages = table.to_pydict(), table["Age"].to_numpy()

    def work(i):
        for _ in range(5):
            assert golden.same(table.to_pydict(), whole)
            assert np.array_equal(table["Age"].to_numpy(), ages, equal_nan=True)
            assert table[i:i + 10].count() == 10 and table.filter(dv.col("Age") > i).count() > 0
            assert table.stats(["Age"])["Age"]["na"] == int(np.isnan(ages).sum())
            for batch in table.batches(threads=2):
                assert batch["Tags"].offsets() and len(batch["Name"].to_pylist()) == len(batch)
            assert table.schema["Name"].name == "Name" and table.facts["rows"] == 600

    in_threads(8, work)


def test_first_uses_race():
    """Metadata, schema, KeyValues and hooks are made by whoever is first."""
    for _ in range(10):
        table = dv.open(golden.ROOT / "tests/golden/idv/metadata-raw.idv")

        def work(i, table=table):
            assert table["label"].to_pylist()[1:] == table["label"].categories
            assert table["feat"].slot_names

        in_threads(8, work)


def test_threads_share_a_batch():
    batch = next(iter(dv.open(SAMPLE).batches()))
    want = {name: batch[name].to_pylist() for name in batch}
    in_threads(8, lambda i: [golden.same(batch[n].to_pylist(), want[n]) or 1 / 0 for n in batch])


def test_one_cursor_from_two_threads():
    """The second thread gets RuntimeError, and the first one all rows."""
    table = dv.from_numpy({"x": np.arange(10_000)})
    seen, rows = [], []

    def second():
        try:
            next(cursor)
        except RuntimeError as error:
            seen.append(str(error))

    def report(*_):  # called while the first thread is in next()
        thread = threading.Thread(target=second)
        thread.start()
        thread.join()
        return True

    cursor = table.batches(progress=report)
    rows.extend(cursor)
    assert seen and all("one thread at a time" in text for text in seen)
    assert sum(map(len, rows)) == table.num_rows


def test_threads_take_turns_on_a_cursor():
    cursor = dv.from_numpy({"x": np.arange(10_000)}).batches(rows=10)
    lock, total = threading.Lock(), []

    def work(i):
        while True:
            with lock:
                batch = next(cursor, None)
            if batch is None:
                return
            total.append(int(np.asarray(batch["x"]).sum()))

    in_threads(4, work)
    assert sum(total) == 10_000 * 9_999 // 2


def test_release_in_other_threads():
    kept = []
    table = dv.open(SAMPLE)
    for batch in table.batches():
        kept += [np.asarray(batch["Age"]), batch["Name"].raw, batch, batch["Tags"]]
    table.close()
    del batch
    halves = [kept[::2], kept[1::2]]
    del kept
    in_threads(2, lambda i: halves[i].clear())
