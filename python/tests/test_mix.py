# SPDX-License-Identifier: MIT
"""Mixes, compared with a model of their orders that was written from docs/shuffling.md."""

import itertools
import math
import pickle
import random

import libdataview as dv
import numpy as np
import pytest

M64 = (1 << 64) - 1
BLOCK = 4096


# --- The model: Epochs and Permutations --------------------------------------------------------------------------


def mixed(z):
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & M64
    z = (z ^ z >> 27) * 0x94D049BB133111EB & M64
    return z ^ z >> 31


def draw(key, i):
    return mixed(key + (i + 1) * 0x9E3779B97F4A7C15 & M64) >> 32


def derive(key, i):
    return mixed(mixed(key) + (i + 1) * 0x9E3779B97F4A7C15 & M64)


def permutation(n, key):
    if n <= BLOCK:
        p = list(range(n))
        for i in range(n):
            j = i + (draw(key, i) * (n - i) >> 32)
            p[i], p[j] = p[j], p[i]
        return p
    w = math.isqrt(n - 1) + 1
    h = -(-n // w)
    k = [draw(key, r) for r in range(6)]

    def move(v, key, size):
        t = (v ^ key) * 0x9E3779B1 & 0xFFFFFFFF
        t = (t ^ t >> 15) * 0x85EBCA77 & 0xFFFFFFFF
        return t * size >> 32

    def number(i):
        while True:
            x, y = divmod(i, h)
            for r in 0, 2, 4:
                x = (x + move(y, k[r], w)) % w
                y = (y + move(x, k[r + 1], h)) % h
            i = x * h + y
            if i < n:
                return i

    return [number(i) for i in range(n)]


# --- The model: Mixing -------------------------------------------------------------------------------------------


def shares_of(weights):
    parts = [weight / max(weights) for weight in weights]
    total = 0.0
    for part in parts:
        total += part
    for period in range(len(parts), 65537):
        whole = [part / total * period for part in parts]
        if all(math.floor(x + 0.5) >= 1 and abs(x - math.floor(x + 0.5)) <= 1e-6 for x in whole):
            return [math.floor(x + 0.5) for x in whole]
    return [max(math.floor(part / total * 65536 + 0.5), 1) for part in parts]


def exact(shares):
    """Choices without end: the table that lacks most of its share."""
    whole, taken = sum(shares), [0] * len(shares)
    for p in itertools.count(1):
        lacking = {i: p * share - whole * taken[i] for i, share in enumerate(shares) if share}
        chosen = max(lacking, key=lambda i: (lacking[i], -i))
        taken[chosen] += 1
        yield chosen


def shuffled(choices, first, key):
    while True:
        block = list(itertools.islice(choices, BLOCK))
        yield from (block[j] for j in permutation(BLOCK, derive(key, first)))
        first += BLOCK


class Source:
    """The rows of a table, pass by pass."""

    def __init__(self, rows, shuffle, key):
        self.rows, self.shuffle, self.key = rows, shuffle, key

    def row(self, k):
        number, at = divmod(k, self.rows)
        if not self.shuffle:
            return at
        if getattr(self, "number", None) != number:
            self.number, self.order = number, permutation(self.rows, derive(self.key, number))
        return self.order[at]


def sequence(counts, shares, *, stop, order, shuffle, seed, key):
    """Pairs of a table and a row of it."""
    sources = [Source(n, shuffle, derive(key, i + 1)) for i, n in enumerate(counts)]
    shares, taken, position = list(shares), [0] * len(counts), 0
    choices_key = derive(derive(seed, 0) if stop == "first" else key, 0)
    while any(shares):
        choices = exact(shares)
        for i in shuffled(choices, position, choices_key) if order == "random" else choices:
            if stop != "repeat" and taken[i] == counts[i]:
                break
            yield i, sources[i].row(taken[i])
            taken[i] += 1
            position += 1
        if stop == "first":
            return
        shares[i] = 0


def model(counts, weights=None, *, stop="first", order="exact", shuffle=False, seed=0, rows=None, epoch=0, most=20000):
    shares = shares_of(weights or [1] * len(counts))
    is_one = stop == "repeat" and rows is not None
    key = derive(seed, 0 if is_one else epoch)
    pairs = sequence(counts, shares, stop=stop, order=order, shuffle=shuffle, seed=seed, key=key)
    first = epoch * rows if is_one else 0
    return list(itertools.islice(pairs, first, first + min(rows or most, most)))


# --- Tables ------------------------------------------------------------------------------------------------------

EACH = 100_000  # row r of table i is i * EACH + r


def tables_of(counts):
    return [dv.from_numpy({"x": np.arange(i * EACH, i * EACH + n, dtype=np.int32)}) for i, n in enumerate(counts)]


def numbers(pairs):
    return [i * EACH + row for i, row in pairs]


def epoch_of(table, epoch, batch_rows=64):
    """The rows of an epoch, as a feed delivers them."""
    feed = table.feed(["x"], batch_rows=batch_rows, dtype="int64", na="raise")
    feed.set_epoch(epoch)
    return [x for batch in feed for x in batch.ravel().tolist()]


def drawn(rng, may_shuffle):
    n = rng.randint(1, 6)
    how = {"stop": rng.choice(["first", "last", "repeat"]), "order": rng.choice(["exact", "random"]),
           "shuffle": may_shuffle and rng.random() < 0.5, "seed": rng.getrandbits(64)}
    if how["stop"] == "repeat" or rng.random() < 0.3:
        how["rows"] = rng.randint(1, 6000)
    least = how["stop"] == "repeat"
    counts = [rng.randint(least, rng.choice([5, 300, 5000])) for _ in range(n)]
    weights = rng.choice([None, [rng.randint(1, 9) for _ in range(n)], [rng.randint(1, 99) / 100 for _ in range(n)],
                          [rng.expovariate(1) + 1e-9 for _ in range(n)]])
    return counts, weights, how


# --- Tests -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(40))
def test_rows_are_those_of_the_model(seed):
    rng = random.Random(seed)
    counts, weights, how = drawn(rng, True)
    table = dv.mix(tables_of(counts), weights, **how)
    for epoch in range(2):
        want = numbers(model(counts, weights, **how, epoch=epoch, most=1 << 40))
        assert len(table) == len(want)
        assert epoch_of(table, epoch, rng.randint(1, 300)) == want
    assert table["x"].to_numpy().tolist() == numbers(model(counts, weights, **how, most=1 << 40))


@pytest.mark.parametrize("seed", range(15))
def test_tables_whose_rows_are_not_counted(seed):
    rng = random.Random(1000 + seed)
    counts, weights, how = drawn(rng, False)
    filtered = [t.filter("x >= 0") for t in tables_of(counts)]
    assert all(t.num_rows is None for t in filtered)
    table = dv.mix(filtered, weights, **how)
    for epoch in range(2):
        want = numbers(model(counts, weights, **how, epoch=epoch, most=1 << 40))
        assert epoch_of(table, epoch) == want


def test_a_text_that_was_counted_gives_the_same_order(tmp_path):
    """Where a table ends may be known or not: the order is one."""
    for name, n in ("a", 5000), ("b", 700):
        (tmp_path / f"{name}.csv").write_text("x\n" + "".join(f"{i}\n" for i in range(n)))
    how = {"stop": "first", "order": "random", "seed": 5}
    first = [dv.open(tmp_path / "a.csv"), dv.open(tmp_path / "b.csv")]
    before = dv.mix(first, [3, 1], **how)["x"].to_numpy()
    assert [len(t) for t in first] == [5000, 700]
    after = dv.mix(first, [3, 1], **how)["x"].to_numpy()
    held = dv.mix([t.materialize() for t in first], [3, 1], **how)["x"].to_numpy()
    assert before.tolist() == after.tolist() == held.tolist()
    pairs = model([5000, 700], [3, 1], **how)
    assert before.tolist() == [row for _, row in pairs]


def test_without_end():
    table = dv.mix(tables_of([7, 3]), {0: 1, 1: 1}.values(), stop="repeat", shuffle=True, seed=3)
    want = numbers(model([7, 3], stop="repeat", shuffle=True, seed=3, most=500))
    assert table.num_rows is None
    assert table.head(500)["x"].to_numpy().tolist() == want
    with pytest.raises(dv.LimitError, match="no end: set `rows`"):
        len(table)
    feed = table.feed(["x"], batch_rows=50, dtype="int64", na="raise")
    got = [x for batch in itertools.islice(feed, 10) for x in batch.ravel().tolist()]
    assert got == want


def test_weights_by_name_and_a_column_of_the_source():
    web, books = tables_of([6, 4])
    table = dv.mix({"web": web, "books": books}, weights={"books": 1, "web": 3}, source_column="source")
    assert table["x"].to_numpy().tolist() == numbers(model([6, 4], [3, 1]))
    assert table["source"].to_numpy().tolist() == [i for i, _ in model([6, 4], [3, 1])]
    assert dv.mix([web, books], iter([3, 1]))["x"].to_numpy().tolist() == table["x"].to_numpy().tolist()


@pytest.mark.parametrize("arguments, how, message", [
    ([[]], {}, "mix.. takes a list of Tables"), ([{}], {}, "mix.. takes a list of Tables"), ([3], {}, "takes a list"),
    ([{"a": 1}], {}, "takes Tables, not int"),
    ([2], {"weights": [1]}, "1 weights of 2 tables"), ([2], {"weights": {"a": 1}}, "expected a list of weights"),
    ([2], {"weights": [1, 0]}, "weight 1 is 0: it must be positive"), ([2], {"weights": [1, float("nan")]}, "positive"),
    ([2], {"stop": "never"}, "first"), ([2], {"order": "none"}, "exact"), ([2], {"rows": 0}, "expected 1 or more"),
    ([2], {"rows": 1.5}, "float"), ([2], {"seed": "a"}, "str"), ([2], {"source_column": "x"}, "a column of this name"),
])
def test_refusals(arguments, how, message):
    tables, = arguments
    tables = tables_of([4] * tables) if tables == 2 else tables
    with pytest.raises((TypeError, ValueError, dv.ArgumentError), match=message):
        dv.mix(tables, **how).num_rows


def test_weights_of_other_names():
    with pytest.raises(ValueError, match="expected weights of"):
        dv.mix(dict(zip("ab", tables_of([2, 2]))), {"a": 1, "c": 2})


def test_shuffle_needs_rows_by_number():
    filtered = [t.filter("x >= 0") for t in tables_of([4, 4])]
    with pytest.raises(dv.ArgumentError, match="materialize"):
        dv.mix(filtered, shuffle=True).num_rows
    table = dv.mix([t.materialize() for t in filtered], shuffle=True)
    assert sorted(table["x"].to_numpy()) == [0, 1, 2, 3, EACH, EACH + 1, EACH + 2, EACH + 3]


def test_tables_with_other_columns():
    with pytest.raises(dv.ArgumentError, match="view 1: column 0: expected x, found y"):
        dv.mix([dv.from_numpy({"x": [1]}), dv.from_numpy({"y": [1]})]).num_rows


def test_is_lazy_and_pickles_as_a_recipe(tmp_path):
    for i, n in enumerate([500, 300]):
        tables_of([0] * i + [n])[i].write(tmp_path / f"{i}.idv")
    paths = [tmp_path / "0.idv", tmp_path / "1.idv"]
    table = dv.mix({p.stem: dv.open(p) for p in paths}, [2, 1], order="random", shuffle=True, seed=9)
    again = pickle.loads(pickle.dumps(table))
    want = numbers(model([500, 300], [2, 1], order="random", shuffle=True, seed=9))
    assert table["x"].to_numpy().tolist() == again["x"].to_numpy().tolist() == want
    assert "mix" in table.plan()


def test_one_token_for_all():
    """A feed goes on at its state with a mix that was made anew; another mix refuses it."""
    def feed_of(counts, weights, **how):
        table = dv.mix(tables_of(counts), weights, stop="repeat", rows=70, shuffle=True, **how)
        return table.feed(["x"], batch_rows=8, dtype="int64", na="raise")

    counts, weights = [90, 60, 30], [3, 2, 1]
    feed = feed_of(counts, weights)
    feed.set_epoch(2)
    epoch = iter(feed)
    first = [x for batch in itertools.islice(epoch, 4) for x in batch.ravel().tolist()]
    state = feed.state_dict()
    rest = [x for batch in epoch for x in batch.ravel().tolist()]
    assert first + rest == numbers(model(counts, weights, stop="repeat", rows=70, shuffle=True, epoch=2))
    again = feed_of(counts, [6, 4, 2])
    again.load_state_dict(state)
    assert [x for batch in again for x in batch.ravel().tolist()] == rest
    for others in ([90, 60, 30], [3, 2, 2]), ([90, 60, 31], weights), ([90, 60], [3, 2]):
        with pytest.raises(dv.ArgumentError):
            feed_of(*others).load_state_dict(state)
    with pytest.raises(dv.ArgumentError):
        feed_of(counts, weights, seed=1).load_state_dict(state)


def files_of(folder, counts):
    for i, n in enumerate(counts):
        dv.from_numpy({"x": np.arange(i * EACH, i * EACH + n, dtype=np.float32)}).write(folder / f"{i}.idv")
    return {str(i): dv.open(folder / f"{i}.idv") for i in range(len(counts))}


@pytest.mark.parametrize("is_counted", [True, False])
def test_batches_do_not_depend_on_workers(tmp_path, is_counted):
    """Workers make the mix anew from its recipe."""
    torch = pytest.importorskip("torch")
    counts, how = [300, 200, 90], {"stop": "repeat", "rows": 250, "order": "random", "seed": 2, "shuffle": is_counted}
    tables = {name: t if is_counted else t.filter("x >= 0") for name, t in files_of(tmp_path, counts).items()}
    mixed_table = dv.mix(tables, [3, 2, 1], **how)
    found = {}
    for workers in 0, 2:
        loader = dv.torch.Dataset(mixed_table, features=["x"], batch_rows=16).loader(workers=workers)
        found[workers] = [batch for epoch in range(2) for batch in loader]
    assert len(found[0]) == len(found[2]) == 32
    assert all(torch.equal(a, b) for a, b in zip(found[0], found[2]))
    want = numbers(model(counts, [3, 2, 1], **how)) + numbers(model(counts, [3, 2, 1], **how, epoch=1))
    assert torch.cat(found[0]).ravel().tolist() == want


def ids_of(table):
    with table.batches(["x"], ids=True) as cursor:
        return [row for batch in cursor for row in np.asarray(batch.ids).reshape(-1, 2).tolist()]


def test_ids_are_those_of_a_concatenation(tmp_path):
    tables = list(files_of(tmp_path, [40, 20]).values())
    mixed_table, joined = dv.mix(tables, stop="last"), dv.concat(tables)
    of = dict(zip(joined["x"].to_numpy().tolist(), ids_of(joined)))
    assert ids_of(mixed_table) == [of[x] for x in mixed_table["x"].to_numpy().tolist()]
    assert len({str(row) for row in ids_of(mixed_table)}) == 60


def test_fields_that_text_does_not_hold_are_told(tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.csv").write_text("x,y\n" + "".join(f"{i},{i}\n" for i in range(100)) + "oops,3\n")
    tables = [dv.open(tmp_path / f"{name}.csv", text="col=x:I4:0 col=y:I4:1 header+ sep=comma", bad_fields="count")
              for name in "ab"]
    table = dv.mix(tables, stop="last")
    with pytest.warns(dv.DataWarning, match="a.csv.*b.csv"):
        assert len(table.to_numpy(["x"], na="nan")) == 202
    assert ["a.csv" in table.bad_fields()[0], "b.csv" in table.bad_fields()[1]] == [True, True]
