# SPDX-License-Identifier: MIT
"""Buckets of similar lengths: by a model in Python, and what users rely on."""

import json
import pickle
import random

import pytest

import libdataview as dv
from test_sample import derive, permutation

np = pytest.importorskip("numpy")
ROWS = 300


# --- The model: docs/shuffling.md -----------------------------------------------------------------------------


def model(lengths, batch_rows, pool_rows=None, shuffle="uniform", seed=0, epoch=0):
    """The numbers of the rows in an epoch."""
    n, key = len(lengths), derive(seed, epoch)
    size = -(-(pool_rows or 100 * batch_rows) // batch_rows) * batch_rows
    order = permutation(n, key) if shuffle == "uniform" else list(range(n))
    pools = [order[first:first + size] for first in range(0, n, size)]
    numbers = list(range(len(pools)))
    if shuffle == "pool":
        full = n // size
        numbers[:full] = permutation(full, derive(key, 0))
    found = []
    for number in numbers:
        rows = sorted(pools[number], key=lambda row: lengths[row])
        groups = [rows[i:i + batch_rows] for i in range(0, len(rows), batch_rows)]
        full = len(rows) // batch_rows
        if shuffle != "none":
            groups[:full] = [groups[i] for i in permutation(full, derive(key, number + 1))]
        found += [row for group in groups for row in group]
    return found


@pytest.fixture(scope="module")
def lengths():
    draw = random.Random(3)
    return [draw.randrange(1, 60) if i % 11 else 0 for i in range(ROWS)]


@pytest.fixture(scope="module")
def table(tmp_path_factory, lengths):
    pa = pytest.importorskip("pyarrow")
    path = tmp_path_factory.mktemp("bucket") / "rows.idv"
    dv.from_arrow(pa.table({"n": list(range(ROWS)), "length": pa.array(lengths, pa.int16()),
                            "ids": pa.array([[i] * length for i, length in enumerate(lengths)], pa.list_(pa.int32())),
                            "text": ["x" * length for length in lengths]})).write(path, rows_per_block=16)
    return dv.open(path)


def numbers(table):
    return table["n"].to_list()


def epochs(feed, n):
    return [[batch["n"].ravel().tolist() for batch in feed] for _ in range(n)]


def feed_of(table, batch_rows=12, **options):
    return table.feed({"n": ["n"]}, dtype="i8", batch_rows=batch_rows, **options)


@pytest.mark.parametrize("seed", range(30))
def test_is_the_model(table, lengths, seed):
    draw = random.Random(seed)
    how = {"batch_rows": draw.randrange(1, 20), "pool_rows": draw.choice([None, 1, 50, ROWS, 1000]),
           "shuffle": draw.choice(["none", "uniform", "pool"]), "seed": seed}
    column = draw.choice(["ids", "text", "length", table["ids"], dv.col("length")])
    for whole in (table, table.materialize()):
        rows = whole.bucket(column, **how)
        assert numbers(rows) == model(lengths, **how)
        assert rows.columns == table.columns and rows.count() == ROWS
        found = epochs(feed_of(rows, how["batch_rows"]), 3)
        for epoch, batches in enumerate(found):
            assert [row for batch in batches for row in batch] == model(lengths, **how, epoch=epoch)


def test_lengths_of_a_batch_are_similar(table, lengths):
    def padding(batches):
        return sum(max(some) * len(some) - sum(some) for some in ([lengths[row] for row in batch] for batch in batches))

    rows = table.bucket("ids", 12, seed=4)
    for batches in epochs(feed_of(rows), 2):
        plain = epochs(feed_of(table, shuffle=True), 1)[0]
        assert sorted(sum(batches, [])) == list(range(ROWS)) and padding(batches) * 8 < padding(plain)


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_ranks_have_similar_lengths(table, lengths, ranks):
    rows = table.bucket("ids", 12, seed=4)
    shares = [epochs(feed_of(rows, 12 // ranks, shard=(rank, ranks)), 2) for rank in range(ranks)]
    for epoch in range(2):
        want = model(lengths, 12, seed=4, epoch=epoch)
        for step, parts in enumerate(zip(*(share[epoch] for share in shares))):
            group = want[12 * step:12 * step + 12]
            assert [part for part in parts] == [group[rank::ranks] for rank in range(ranks)]
        assert sorted(row for share in shares for batch in share[epoch] for row in batch) == list(range(ROWS))


def test_resumes_at_every_batch(table, lengths):
    rows = table.bucket("ids", 12, pool_rows=60, seed=4)
    again = pickle.loads(pickle.dumps(rows))
    assert again.identity() == rows.identity()
    feed, delivered = feed_of(rows), 0
    whole = [model(lengths, 12, 60, seed=4, epoch=epoch) for epoch in range(3)]
    for epoch in range(2):
        for batch in feed:
            delivered += len(batch["n"])
            state = json.loads(json.dumps(feed.state_dict()))
            other = feed_of(again, 17)
            other.load_state_dict(state)
            rest = [batch["n"].ravel().tolist() for batch in other]
            assert sum(rest, []) == (whole[epoch][delivered - ROWS * epoch:] if other.epoch == epoch + 1 else whole[epoch + 1])
        assert delivered == ROWS * (epoch + 1)
    for wrong in (table, table.bucket("ids", 12, pool_rows=60, seed=5), table.bucket("text", 12, pool_rows=60, seed=4)):
        with pytest.raises(dv.ArgumentError):
            feed_of(wrong).load_state_dict(state)


def test_progress(table):
    seen = []
    table.bucket("ids", 8, progress=lambda done, total: seen.append((done, total)) or True)
    assert seen[-1] == (ROWS, ROWS)
    with pytest.raises(dv.Stopped):
        table.bucket("ids", 8, progress=lambda done, total: False)


def test_what_is_refused(table, tmp_path):
    table[["n", "length"]].write(tmp_path / "rows.csv")
    text = dv.open(tmp_path / "rows.csv")
    for wrong, error, says in (
            (lambda: table.bucket("nope"), dv.ColumnNotFound, "nope"),
            (lambda: table.bucket("ids", 0), ValueError, "batch_rows=0"),
            (lambda: table.bucket("ids", 1.5), TypeError, "float"),
            (lambda: table.bucket("ids", pool_rows=0), ValueError, "pool_rows=0"),
            (lambda: table.bucket("ids", 1 << 31), dv.ArgumentError, "2\\^31-1"),
            (lambda: table.bucket("ids", shuffle="blocks"), ValueError, "'blocks'"),
            (lambda: table.with_columns(x="length / 2").bucket("x"), dv.ArgumentError, "no lengths"),
            (lambda: table.with_columns(x="length - 30").bucket("x"), dv.ArgumentError, "found -"),
            (lambda: table.balance("length").bucket("ids"), dv.ArgumentError, "epoch draws other rows"),
            (lambda: text.bucket("length"), dv.ArgumentError, "in sequence")):
        with pytest.raises(error, match=says):
            wrong()
    assert numbers(text.materialize().bucket("length", 8)) == numbers(table.bucket("length", 8))


@pytest.mark.parametrize("workers", [0, 2])
def test_torch(table, lengths, workers):
    dv_torch = pytest.importorskip("torch") and dv.torch
    rows = table.bucket("ids", 12, seed=4)
    loader = dv_torch.Dataset(rows, "length", "n", batch_rows=12).loader(workers=workers)
    for epoch in range(2):
        assert [row for _, y in loader for row in y.tolist()] == model(lengths, 12, seed=4, epoch=epoch)
