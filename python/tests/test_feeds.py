# SPDX-License-Identifier: MIT
"""Feeds for training: what they deliver, in which order, and where they go on."""

import json
import os
import subprocess
import sys
import threading

import pytest

import libdataview as dv
from libdataview import _feed

np = pytest.importorskip("numpy")
ROWS = 103


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("feed") / "rows.idv"
    dv.write({"f": np.arange(3 * ROWS, dtype="f4").reshape(ROWS, 3), "y": np.arange(ROWS), "x": np.arange(ROWS) / 2,
              "b": np.arange(ROWS) % 2 == 0, "t": np.array([f"t{i}" for i in range(ROWS)])}, path, rows_per_block=16)
    return dv.open(path)


def test_batches(table):
    feed = table.feed(["f", "x"], "y", batch_rows=20)
    found = list(feed)
    assert len(feed) == len(found) == 6 and found[-1][0].shape == (3, 4)
    features = np.concatenate([X for X, _ in found])
    assert features.dtype == np.float32 and np.array_equal(features, table.to_numpy(["f", "x"]))
    labels = np.concatenate([y for _, y in found])
    assert labels.dtype == np.int64 and np.array_equal(labels, np.arange(ROWS))
    assert len(table.feed("x", batch_rows=20, drop_last=True)) == len(list(table.feed("x", batch_rows=20,
                                                                                   drop_last=True))) == 5


def test_columns_and_types(table):
    X, y = next(iter(table.feed(labels=["y"], batch_rows=4)))
    assert X.shape == (4, 5) and y.shape == (4,)  # f, x and b; no text, not the label
    X = next(iter(table.feed("x", batch_rows=4, dtype="f8")))
    assert X.dtype == np.float64
    for labels, shape, dtype in ((["x"], (4,), "f4"), (["b"], (4,), "i8"), (["y", "b"], (4, 2), "i8"),
                                 (["f"], (4, 3), "f4"), (["y", "x"], (4, 2), "f4")):
        y = next(iter(table.feed("x", labels, batch_rows=4)))[1]
        assert y.shape == shape and y.dtype == dtype
    assert next(iter(table.feed("x", "y", batch_rows=4, label_dtype=np.float32)))[1].dtype == np.float32
    with pytest.raises(dv.ColumnNotFound):
        table.feed("z", batch_rows=4)
    with pytest.raises(dv.ArgumentError, match="TX"):
        next(iter(table.feed("t", batch_rows=4)))
    for wrong in ({"shuffle": "random"}, {"dtype": "c8"}, {"na": "zero"}, {"label_na": "nan"}, {"shuffle": 3}):
        with pytest.raises(ValueError):
            table.feed("x", "y", batch_rows=4, **wrong)
    with pytest.raises(dv.ArgumentError):
        next(iter(table.feed("x", batch_rows=0)))


def test_na(tmp_path):
    (tmp_path / "na.csv").write_text("x,y\n1.5,0\n,1\n3,\n", encoding="utf-8")
    t = dv.open(tmp_path / "na.csv").cast(y="I8")
    assert np.isnan(next(iter(t.feed("x", batch_rows=3)))[1, 0])
    assert next(iter(t.feed("x", batch_rows=3, na=-1)))[1, 0] == -1
    assert next(iter(t.feed("x", "y", batch_rows=3, label_na=-100)))[1].tolist() == [0, 1, -100]
    with pytest.raises(dv.NAError, match='column "x".* row 1,'):
        next(iter(t.feed("x", na="raise", batch_rows=3)))
    with pytest.raises(dv.NAError, match='column "y".* row 2,'):
        next(iter(t.feed("x", "y", batch_rows=3)))
    with pytest.raises(dv.NAError, match='column "y".* row '):
        next(iter(t.materialize().feed("x", "y", batch_rows=3, shuffle=True)))


def test_labels_of_text(tmp_path):
    (tmp_path / "tx.csv").write_text("x,y\n1.5,a\n2,b\n", encoding="utf-8")
    with pytest.raises(dv.ArgumentError, match='column "y": a column of type TX.*the step term makes keys'):
        dv.open(tmp_path / "tx.csv").feed("x", "y").__iter__()


def test_epochs(table):
    feed = table.feed("x", "y", batch_rows=10, shuffle="uniform", seed=5)
    orders = [np.concatenate([y for _, y in feed]).tolist() for _ in range(3)]
    assert feed.epoch == 3 and all(sorted(order) == list(range(ROWS)) for order in orders)
    assert orders[0] != orders[1] != orders[2]
    assert orders[1] == table.shuffle(5, epoch=1)["y"].to_pylist()
    feed.set_epoch(1)
    assert np.concatenate([y for _, y in feed]).tolist() == orders[1] and feed.epoch == 2
    assert "shuffle uniform, seed 5" in repr(feed) and f"{ROWS} rows" in repr(feed)


def test_shuffle_chooses(table, tmp_path):
    assert "shuffle uniform" in repr(table.feed("x", batch_rows=4, shuffle=True))
    table.write(tmp_path / "packed.idv", compression="deflate", rows_per_block=16)
    packed = dv.open(tmp_path / "packed.idv")
    assert "shuffle pool" in repr(packed.feed("x", batch_rows=4, shuffle=True))
    assert sorted(np.concatenate([y for _, y in packed.feed("x", "y", batch_rows=9, shuffle=True)])) == \
        list(range(ROWS))
    table.select("x", "y").write(tmp_path / "rows.csv")
    text = dv.open(tmp_path / "rows.csv")
    feed = text.feed("x", "y", batch_rows=9, shuffle=True)
    assert "shuffle pool" in repr(feed)
    assert sorted(np.concatenate([y for _, y in feed]).tolist()) == list(range(ROWS))


@pytest.mark.parametrize("shuffle", ["none", "uniform", "pool", "blocks"])
@pytest.mark.parametrize("prefetch", [0, 2])
def test_state(table, shuffle, prefetch):
    options = {"batch_rows": 10, "shuffle": shuffle, "seed": 2, "prefetch": prefetch}
    whole = [[y.tolist() for _, y in feed] for feed in [table.feed("x", "y", **options)] for _ in range(2)]
    for stop in (0, 1, 7, 11):
        feed = table.feed("x", "y", **options)
        loop = iter(feed)
        for _ in range(stop):
            next(loop)
        state = feed.state_dict()
        assert len(json.dumps(state)) < 300 and state == feed.state_dict(batches=stop)
        again = table.feed("f", "y", **{**options, "prefetch": 1})  # other columns
        again.load_state_dict(json.loads(json.dumps(state)))
        assert again.epoch == (stop == 11)  # after the last batch the next epoch begins
        again.set_epoch(again.epoch)  # that of the state: keeps the position
        if stop < 11:
            assert [y.tolist() for _, y in again] == whole[0][stop:]
        assert [y.tolist() for _, y in again] == whole[1]  # the epoch after it
        smaller = table.feed("x", "y", **{**options, "batch_rows": 5})
        smaller.load_state_dict(state)
        assert sum((y.tolist() for _, y in smaller), []) == sum(whole[0][stop:] or whole[1], [])


def test_states_of_others(table, tmp_path):
    feed = table.feed("x", "y", batch_rows=10, shuffle="uniform", seed=2)
    next(iter(feed))
    state = feed.state_dict()
    for options in ({"seed": 3}, {"shuffle": "none"}):
        other = table.feed("x", batch_rows=10, **{"shuffle": "uniform", "seed": 2, **options})
        with pytest.raises(dv.ArgumentError, match="expected .* found"):
            other.load_state_dict(state)
    dv.write({"x": np.arange(ROWS) + 1.0, "y": np.arange(ROWS)}, tmp_path / "other.idv")
    with pytest.raises(dv.ArgumentError, match="expected .* found") as refused:
        dv.open(tmp_path / "other.idv").feed("x", batch_rows=10, shuffle="uniform", seed=2).load_state_dict(state)
    assert refused.value.expected and refused.value.found  # both identities
    for wrong in ({}, {"dataview": 2, "token": state["token"]}, {"dataview": 1, "token": 5},
                  {"dataview": 1, "token": "dvf1-x"}, None, {"dataview": 1, "token": state["token"][:-1] + "!"}):
        with pytest.raises((ValueError, dv.ArgumentError)):
            feed.load_state_dict(wrong)


def test_shards(table):
    for size, rows in (("as_is", [52, 51]), ("pad", [52, 52]), ("drop", [51, 51])):
        found = []
        for rank in range(2):
            feed = table.feed("x", "y", batch_rows=10, shuffle="uniform", shard=(rank, 2), shard_size=size)
            found.append(np.concatenate([y for _, y in feed]).tolist())
            assert len(feed) == -(-rows[rank] // 10)
        assert [len(f) for f in found] == rows
        assert len(set(found[0] + found[1])) >= ROWS - (size == "drop")


def test_ids(table):
    class Ids(type(table.feed("x", batch_rows=4))):
        def _batch(self, matrices, found):
            return found

    feed = Ids(table, "x", batch_rows=50, ids=True)
    numbers = [np.frombuffer(found[4], "u8")[::2].tolist() for found in feed]
    assert sum(numbers, []) == list(range(ROWS))


def test_one_thread_and_fork(table):
    feed = table.feed("x", batch_rows=10)
    loop = iter(feed)
    next(loop)
    child = os.fork()
    if child == 0:
        try:
            next(loop)
        except RuntimeError:
            os._exit(0 if len(list(table.feed("x", batch_rows=10))) == 11 else 2)
        os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    assert len(list(loop)) == 10
    loop.close()
    with pytest.raises(ValueError, match="closed"):
        next(loop)


@pytest.mark.parametrize("forks", [int(os.environ.get("DV_FORKS", 20))])
def test_forks_while_a_feed_reads_ahead(table, forks):
    feed = table.feed("f", "y", batch_rows=1, shuffle="pool", prefetch=8)
    loop = iter(feed)
    expected = [y[0] for _, y in table.feed("f", "y", batch_rows=1, shuffle="pool")]
    got = []
    for k in range(forks):
        if k % ROWS == 0:
            feed.set_epoch(0)
            loop, got = iter(feed), []
        got.append(next(loop)[1][0])
        child = os.fork()
        if child == 0:
            del loop, feed
            os._exit(0 if next(iter(table.feed("f", "y", batch_rows=3)))[1].tolist() == [0, 1, 2] else 1)
        assert os.waitpid(child, 0)[1] == 0
    assert got == expected[:len(got)]


@pytest.mark.parametrize("prefetch", [0, 1, 2])
def test_threads(prefetch):
    rows = 3000
    table = dv.from_numpy({"f": np.arange(rows, dtype="f4"), "y": np.arange(rows)})
    loop = iter(table.feed("f", "y", batch_rows=1, prefetch=prefetch))
    found, refused = [], []

    def run():
        while True:
            try:
                X, y = next(loop)
                assert X[0, 0] == y[0]
                found.append(int(y[0]))
            except RuntimeError as error:
                refused.append(str(error))
            except StopIteration:
                return

    threads = [threading.Thread(target=run) for _ in range(4)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert sorted(found) == list(range(rows))
    assert all("one thread at a time" in text for text in refused)


@pytest.mark.parametrize("prefetch", [0, 1, 3])
def test_a_feed_goes_on_after_an_interrupt(table, prefetch):
    """A signal whose handler raises costs the batch that was awaited, and no other one."""
    loop = iter(table.feed("f", "y", batch_rows=10, prefetch=prefetch))
    first = next(loop)[1].tolist()
    loop._lend()
    assert loop._feed.next()[3] == 1  # and is not heard of
    rest = list(loop)
    assert first + np.concatenate([y for _, y in rest]).tolist() == [*range(10), *range(20, ROWS)]
    assert all(X[0, 0] == 3 * y[0] for X, y in rest)


def test_feeds_of_the_parent_are_not_closed():
    """Nor by a collection in the child that comes before all hooks of Python."""
    script = """
import gc, os, signal, time
os.register_at_fork(after_in_child=lambda: signal.alarm(60))
os.register_at_fork(after_in_child=gc.collect)
import libdataview as dv
import numpy as np
gc.disable()
feed = dv.from_numpy({"x": np.arange(100.0)}).feed("x", batch_rows=5)
next(iter(feed))
del feed  # a cycle: it lives until it is collected
time.sleep(0.2)  # let its thread fall asleep
signal.alarm(60)
child = os.fork()
if child == 0:
    os._exit(0)
raise SystemExit(os.waitpid(child, 0)[1] != 0)
"""
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.parametrize("prefetch", [0, 2])
def test_no_batch_is_lost_without_memory(table, prefetch):
    class Short(_feed.Feed):
        calls = 0

        def _empty(self, rows, width, letter, memory):
            self.calls += 1
            if self.calls > 4 and self.calls % 3 == 0:
                raise MemoryError
            return super()._empty(rows, width, letter, memory)

    loop, found, failures = iter(Short(table, "f", "y", batch_rows=10, prefetch=prefetch)), [], 0
    while True:
        try:
            found += next(loop)[1].tolist()
        except MemoryError:
            failures += 1
        except StopIteration:
            break
    assert failures > 2 and found == list(range(ROWS))


@pytest.mark.parametrize("module", ["numpy", "torch"])
def test_memory_is_used_again_when_nobody_has_it(table, module):
    """A batch, or any part of it, stays as it was as long as somebody holds it."""
    if module == "torch":
        pytest.importorskip("torch")
        feed = dv.torch.Dataset(table, "x", "y", batch_rows=10, prefetch=2)
    else:
        feed = table.feed("x", "y", batch_rows=10, prefetch=2)

    def array(of):
        return of.numpy() if module == "torch" else of

    places = {array(x).__array_interface__["data"][0] for x, _ in feed}
    assert len(places) <= 4 < len(feed)  # two ahead, that of the loop, and the next one
    loop = iter(feed)
    parts = [(x[1:3], array(x)[1], y[1:], array(x).copy(), array(y).copy()) for x, y in loop]
    assert len(loop._memory._kept) <= 8 < len(parts)  # it does not hold what others have
    for some, row, labels, x, y in parts:
        assert np.array_equal(array(some), x[1:3]) and np.array_equal(row, x[1])
        assert np.array_equal(array(labels), y[1:])
