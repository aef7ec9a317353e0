# SPDX-License-Identifier: MIT
"""Samples, rows left out, folds, and batches that are skipped: by a model in Python, and what users rely on."""

import collections
import json
import math
import pickle
import random

import pytest

import libdataview as dv

np = pytest.importorskip("numpy")
ROWS = 211
BITS = (1 << 64) - 1


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("sample") / "rows.idv"
    rng = np.random.default_rng(1)
    dv.write({"n": np.arange(ROWS), "x": np.arange(ROWS, dtype="f4"), "w": np.round(rng.gamma(0.5, 2, ROWS), 3),
              "label": rng.choice([3, 5, 5, 5, 5, 5, 5, 8], ROWS), "v": rng.random((ROWS, 2), dtype="f4"),
              "name": np.array([f"user {i % 40}" for i in range(ROWS)])}, path, rows_per_block=16)
    return dv.open(path)


def numbers(table):
    return table["n"].to_list()


# --- The model: docs/shuffling.md -----------------------------------------------------------------------------


def mix(z):
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & BITS
    z = (z ^ z >> 27) * 0x94D049BB133111EB & BITS
    return z ^ z >> 31


def wide(key, i):
    return mix(key + (i + 1) * 0x9E3779B97F4A7C15 & BITS)


def derive(key, i):
    return mix(mix(key) + (i + 1) * 0x9E3779B97F4A7C15 & BITS)


def below(key, i, n):
    return wide(key, i) * n >> 64


def permutation(n, key):
    found = list(range(n))
    for i in range(n):
        j = i + ((wide(key, i) >> 32) * (n - i) >> 32)
        found[i], found[j] = found[j], found[i]
    return found


def units(weights):
    bits = (len(weights) - 1).bit_length()
    shift = 62 - bits - math.frexp(max(weights))[1]
    return [max(1, int(math.ldexp(w, shift))) if w else 0 for w in weights]


def pick(left, number):
    for row, unit in enumerate(left):
        if number < unit:
            return row
        number -= unit


def classes(values):
    found = {}
    for row, value in enumerate(values):
        found.setdefault(value, []).append(row)
    return list(found.values())


def model(rows, n, seed, epoch, replace, weights=None, labels=None):
    """The numbers of the rows drawn."""
    key = derive(seed, epoch)
    count = rows if n is None else n
    if weights is not None:
        left = units(weights)
        if replace:
            return [pick(left, below(key, p, sum(left))) for p in range(count)]
        found = []
        while any(left) and (n is None or len(found) < n):
            found.append(pick(left, below(key, len(found), sum(left))))
            left[found[-1]] = 0
        return found
    if labels is not None:
        groups = classes(labels)
        if replace:
            chosen = [groups[below(key, 2 * p, len(groups))] for p in range(count)]
            return [group[below(key, 2 * p + 1, len(group))] for p, group in enumerate(chosen)]
        fewest = min(map(len, groups))
        found = [group[i] for c, group in enumerate(groups) for i in permutation(len(group), derive(key, c))[:fewest]]
        order = permutation(len(found), key)
        return [row for _, row in sorted(zip(order, found))][:n]
    if replace:
        return [below(key, p, rows) for p in range(count)]
    return sorted(permutation(rows, key)[:n])


@pytest.mark.parametrize("seed", range(40))
def test_is_the_model(seed):
    draw = random.Random(seed)
    rows = draw.choice([1, 2, 17, 300])
    weights = [draw.choice([0, 0.25, 1, 7.5, 1e-9, 1e12, draw.random()]) for _ in range(rows - 1)] + [1.0]
    labels = [draw.choice("aaabbc") for _ in range(rows)]
    table = dv.from_numpy({"n": np.arange(rows), "w": np.array(weights), "label": np.array(labels)})
    for replace in (False, True):
        n = draw.choice([None, 0, 1, rows]) if replace else draw.choice([None, 0, 1])
        epoch = draw.randrange(3)
        for given in (weights, "w", table["w"], np.array(weights)):
            found = table.sample(n, seed, weights=given, replace=replace, epoch=epoch)
            assert numbers(found) == model(rows, n, seed, epoch, replace, weights=weights)
        found = table.balance("label", n, seed, replace=replace, epoch=epoch)
        assert numbers(found) == model(rows, n, seed, epoch, replace, labels=labels)
        n = 1 if n is None else n
        assert numbers(table.sample(n, seed, replace=replace, epoch=epoch)) == model(rows, n, seed, epoch, replace)


# --- What users rely on ---------------------------------------------------------------------------------------


def test_a_subset_is_the_same_in_every_epoch(table):
    some = table.sample(20, seed=4)
    assert numbers(some) == model(ROWS, 20, 4, 0, False)
    feed = some.feed("x", "n", batch_rows=8)
    assert [np.concatenate([y for _, y in feed]).tolist() for _ in range(2)] == [numbers(some)] * 2
    train, test = some.split(0.5, 0.5)
    assert numbers(train) + numbers(test) == numbers(some)


DRAWN = {
    "weights": (lambda t: t.sample(weights="w", replace=True, seed=3), {"replace": True, "weights": "w"}),
    "weights once": (lambda t: t.sample(weights="w", seed=3), {"replace": False, "weights": "w"}),
    "with replacement": (lambda t: t.sample(replace=True, seed=3), {"replace": True}),
    "balanced": (lambda t: t.balance("label", seed=3), {"replace": True, "labels": "label"}),
    "balanced once": (lambda t: t.balance("label", replace=False, seed=3), {"replace": False, "labels": "label"}),
}


def expected(table, how, epoch, n=None):
    columns = {name: table[value].to_list() if isinstance(value, str) else value for name, value in how.items()}
    return model(ROWS, n, 3, epoch, **columns)


@pytest.mark.parametrize("name", DRAWN)
def test_each_epoch_draws_anew(table, name):
    make, how = DRAWN[name]
    drawn = make(table)
    assert numbers(drawn) == numbers(drawn.materialize()) == numbers(drawn.cache()) == expected(table, how, 0)
    feed = drawn.feed(["x", "v"], "n", batch_rows=16)
    for epoch in range(3):
        batches = list(feed)
        rows = np.concatenate([y for _, y in batches]).tolist()
        assert rows == expected(table, how, epoch)
        assert np.array_equal(np.concatenate([X for X, _ in batches]), table.to_numpy(["x", "v"])[rows])
    assert numbers(drawn) != rows
    for shuffle in ("uniform", "pool"):
        feed = drawn.feed("x", "n", batch_rows=16, shuffle=shuffle, seed=9)
        for epoch in range(2):
            assert sorted(np.concatenate([y for _, y in feed]).tolist()) == sorted(expected(table, how, epoch))


@pytest.mark.parametrize("name", DRAWN)
def test_states_and_pickles(table, name):
    make, how = DRAWN[name]
    drawn, again = make(table), pickle.loads(pickle.dumps(make(table)))
    assert again.identity() == drawn.identity()
    feed = drawn.feed("x", "n", batch_rows=16)
    list(feed)
    loop = iter(feed)
    next(loop)
    state = json.loads(json.dumps(feed.state_dict()))
    other = again.feed("x", "n", batch_rows=7)
    other.load_state_dict(state)
    assert np.concatenate([y for _, y in other]).tolist() == expected(table, how, 1)[16:]
    for wrong in (drawn.slice(0), table, make(table.slice(0)), make(table[:-1])):
        with pytest.raises(dv.ArgumentError):
            wrong.feed("x", "n", batch_rows=16).load_state_dict(state)


def test_ranks_share_an_epoch(table):
    drawn = table.balance("label", 100, seed=3)
    for epoch in range(2):
        rows = [None] * 100
        for rank in range(3):
            feed = drawn.feed("x", "n", batch_rows=9, shard=(rank, 3))
            feed.set_epoch(epoch)
            rows[rank::3] = np.concatenate([y for _, y in feed]).tolist()
        assert rows == model(ROWS, 100, 3, epoch, True, labels=table["label"].to_list())


def test_frequencies(table):
    weights, draws = np.array(table["w"].to_list()), 100_000
    drawn = table.sample(draws, weights="w", replace=True, seed=1)["n"].to_numpy()
    count, p = np.bincount(drawn, minlength=ROWS), weights / weights.sum()
    assert np.all(np.abs(count - draws * p) <= 5 * np.sqrt(draws * p * (1 - p)) + 1e-9)
    labels = collections.Counter(table.balance("label", draws, seed=1)["label"].to_list())
    assert set(labels) == {3, 5, 8} and all(abs(c - draws / 3) < 5 * math.sqrt(draws * 2 / 9) for c in labels.values())
    once = collections.Counter(table.balance("label", replace=False)["label"].to_list())
    assert set(once.values()) == {min(table.value_counts("label").values())}
    first = collections.Counter()  # of rows drawn once each, the first one has the chance of its weight
    small = dv.from_numpy({"n": np.arange(3)})
    feed = small.sample(weights=[1, 2, 5]).feed("n", dtype="f8", batch_rows=3)
    for _ in range(4000):
        first[next(iter(feed))[0, 0]] += 1
    assert all(abs(first[i] - 4000 * w / 8) < 5 * math.sqrt(4000 * w / 8) for i, w in enumerate((1, 2, 5)))


def test_rows_in_sequence(tmp_path, table):
    table[["n", "w", "label"]].write(tmp_path / "rows.csv")
    text = dv.open(tmp_path / "rows.csv")
    assert numbers(text.sample(20, seed=4)) == numbers(table.sample(20, seed=4))
    for make in (lambda t: t.sample(weights="w"), lambda t: t.sample(replace=True), lambda t: t.balance("label")):
        with pytest.raises(dv.ArgumentError, match=r"in sequence.*cache\(\)"):
            make(text)
        assert numbers(make(text.materialize())) == numbers(make(table))


def test_what_is_refused(table):
    for wrong, error, says in (
            (lambda: table.sample(), TypeError, "number of rows"),
            (lambda: table.sample(-1), ValueError, "n=-1"),
            (lambda: table.sample(ROWS + 1), ValueError, f"{ROWS} rows"),
            (lambda: table.sample(1.5), TypeError, "float"),
            (lambda: table.sample(5, replace=True, epoch=-1), ValueError, "epoch=-1"),
            (lambda: table.sample(weights="nope"), dv.ColumnNotFound, "nope"),
            (lambda: table.sample(weights="name"), dv.ArgumentError, "TX"),
            (lambda: table.sample(weights="v"), TypeError, "'v' has vectors"),
            (lambda: table.sample(weights=np.ones((ROWS, 2))), TypeError, "weights are"),
            (lambda: table.sample(weights=["a"] * ROWS), TypeError, "weights are"),
            (lambda: table.sample(weights=np.ones(ROWS + 1)), dv.ArgumentError, f"{ROWS + 1} weights of {ROWS} rows"),
            (lambda: table.sample(weights=np.zeros(ROWS)), dv.ArgumentError, "are 0"),
            (lambda: table.sample(weights=-np.ones(ROWS)), dv.ArgumentError, "row 0"),
            (lambda: table.sample(weights=[1.0] * (ROWS - 1) + [math.nan]), dv.ArgumentError, f"row {ROWS - 1}"),
            (lambda: table.balance("v"), TypeError, "'v' has vectors"),
            (lambda: table.balance("label", 10**6, replace=False), dv.ArgumentError, "each at most once"),
            (lambda: table[:0].sample(3, replace=True), dv.ArgumentError, "none")):
        with pytest.raises(error, match=says):
            wrong()
    drawn = table.balance("label")
    for wrong in (lambda t: t.split(0.5, 0.5), lambda t: t.folds(3), lambda t: t.exclude([1]),
                  lambda t: t[["n"]].folds(3), lambda t: t.feed("x", exclude=[1])):
        with pytest.raises(dv.ArgumentError, match="epoch draws other rows"):
            wrong(drawn)
        wrong(table.balance("label", epoch=0))
        wrong(drawn.materialize())


# --- Rows left out --------------------------------------------------------------------------------------------


def test_exclude(table, tmp_path):
    table[["n", "name"]].write(tmp_path / "rows.csv")
    draw = random.Random(3)
    for whole in (table, dv.open(tmp_path / "rows.csv"), table.materialize()):
        for _ in range(10):
            out = [draw.randrange(-ROWS, ROWS) for _ in range(draw.choice([0, 1, 30]))]
            rest = whole.exclude(out)
            kept = [i for i in range(ROWS) if i not in {o % ROWS for o in out}]
            assert numbers(rest) == kept == numbers(whole.exclude(np.array(out, int)))
            assert rest.count() == len(kept) and numbers(pickle.loads(pickle.dumps(rest))) == kept
            assert numbers(rest.exclude([0, -1])) == kept[1:-1] == numbers(rest[1:-1])
    names = {"user 3", "user 39"}
    kept = [row["n"] for row in table.iter_rows(["n", "name"]) if row["name"] not in names]
    assert numbers(table.exclude({"name": names})) == numbers(table.exclude({"name": np.array(sorted(names))})) == kept
    assert numbers(table.exclude({"name": names, "n": [0, 1]})) == [n for n in kept if n > 1]
    assert numbers(table.exclude({"name": ["nobody"]})) == list(range(ROWS)) == numbers(table.exclude({}))
    many = dv.from_numpy({"n": np.arange(9000), "row": np.arange(9000)})
    assert numbers(many.exclude({"row": range(0, 9000, 2)})) == list(range(1, 9000, 2))
    for wrong, error in (([ROWS], IndexError), ([-ROWS - 1], IndexError), ([0.5], TypeError), ("name", TypeError),
                         ({"name": "user 3"}, TypeError), ({"nope": [1]}, dv.ColumnNotFound)):
        with pytest.raises(error):
            table.exclude(wrong)


def test_feeds_exclude(table):
    for out in ([0, 7, -1], {"n": [0, 7, ROWS - 1]}):
        feed = table.feed("x", "n", batch_rows=16, shuffle=True, seed=2, exclude=out)
        rows = np.concatenate([y for _, y in feed]).tolist()
        assert sorted(rows) == [i for i in range(ROWS) if i not in (0, 7, ROWS - 1)] != rows
        assert f"{ROWS - 3} rows" in repr(feed)


# --- Batches that are skipped ---------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [
    {}, {"drop_last": True}, {"batch_rows": ROWS}, {"shuffle": True}, {"shuffle": "pool", "pool_rows": 20},
    {"shuffle": True, "shard": (1, 3), "shard_size": "pad"}, {"shuffle": "blocks", "shard": (2, 3)}], ids=str)
def test_skip(table, options):
    options = {"batch_rows": 25, "seed": 3, **options}
    feed = table.feed("x", "n", **options)
    whole = [[y.tolist() for _, y in feed] for _ in range(3)]
    every = [(epoch, i) for epoch, batches in enumerate(whole) for i in range(len(batches))]
    for n, (epoch, i) in enumerate(every):
        feed = table.feed("x", "n", **options)
        feed.skip(n // 2)
        feed.skip(n - n // 2)
        state = feed.state_dict()
        assert feed.epoch == epoch and [y.tolist() for _, y in feed] == whole[epoch][i:] and feed.epoch == epoch + 1
        again = table.feed("x", "n", **options)
        again.load_state_dict(state)
        assert [y.tolist() for _, y in again] == whole[epoch][i:]


def test_skip_from_where_the_next_loop_begins(table):
    feed = table.feed("x", "n", batch_rows=25, shuffle=True)
    whole = [[y.tolist() for _, y in feed] for _ in range(2)]
    feed = table.feed("x", "n", batch_rows=25, shuffle=True)
    next(iter(feed))  # that loop was left: the next one is epoch 1
    feed.skip(2)
    assert [y.tolist() for _, y in feed] == whole[1][2:]
    feed.skip(0)
    assert feed.epoch == 2
    with pytest.raises(ValueError, match="-1 batches"):
        feed.skip(-1)
    with pytest.raises(TypeError):
        feed.skip(1.5)


# --- torch ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("workers", [0, 2])
def test_torch(table, workers):
    dv_torch = pytest.importorskip("torch") and dv.torch
    drawn = table.exclude([5]).balance("label", 90, seed=3)
    labels = table.exclude([5])["label"].to_list()
    kept = numbers(table.exclude([5]))
    whole = [[kept[i] for i in model(ROWS - 1, 90, 3, epoch, True, labels=labels)] for epoch in range(3)]
    loader = dv_torch.Dataset(drawn, "x", "n", batch_rows=16).loader(workers=workers)
    assert [[row for _, y in loader for row in y.tolist()] for _ in range(2)] == whole[:2]
    loader = dv_torch.Dataset(drawn, "x", "n", batch_rows=16).loader(workers=workers)
    loader.skip(8)  # an epoch has 6
    loop = iter(loader)
    assert next(loop)[1].tolist() == whole[1][32:48]
    state = loader.state_dict()
    assert [row for _, y in loop for row in y.tolist()] == whole[1][48:]
    loader = dv_torch.Dataset(drawn, "x", "n", batch_rows=16).loader(workers=2 - workers)
    loader.load_state_dict(state)
    assert [row for _, y in loader for row in y.tolist()] == whole[1][48:]
    assert [row for _, y in loader for row in y.tolist()] == whole[2]


def test_torch_excludes(table):
    dv_torch = pytest.importorskip("torch") and dv.torch
    dataset = dv_torch.Dataset(table, "x", "n", batch_rows=50, exclude={"label": [3, 8]})
    labels = table["label"].to_list()
    assert [row for _, y in dataset for row in y.tolist()] == [i for i in range(ROWS) if labels[i] == 5]


# --- Folds ----------------------------------------------------------------------------------------------------


def valid_rows(folds):
    for train, valid in folds:
        assert sorted(numbers(train) + numbers(valid)) == list(range(ROWS)) and numbers(train) == sorted(numbers(train))
    return [numbers(valid) for _, valid in folds]


def dealt(sizes, k):
    """How many rows of each class each fold has: it gets every k-th row of all classes."""
    at, shares = 0, []
    for size in sizes:
        shares.append([len([q for q in range(at, at + size) if q % k == i]) for i in range(k)])
        at += size
    return shares


@pytest.mark.parametrize("k", [2, 5, 10, ROWS])
@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("stratify", [None, "label"])
def test_folds(table, k, shuffle, stratify):
    groups = classes(table["label"].to_list()) if stratify else [list(range(ROWS))]
    want = [[] for _ in range(k)]
    for c, (rows, shares) in enumerate(zip(groups, dealt(map(len, groups), k))):
        order = permutation(len(rows), derive(7, c)) if shuffle else range(len(rows))
        left = iter([rows[i] for i in order])
        for fold, share in zip(want, shares):
            fold += [next(left) for _ in range(share)]
    found = valid_rows(table.folds(k, shuffle=shuffle, seed=7, stratify=stratify))
    assert found == [sorted(fold) for fold in want] and {len(rows) for rows in found} <= {ROWS // k, ROWS // k + 1}


def test_folds_are_those_of_scikit_learn(table):
    selection = pytest.importorskip("sklearn.model_selection")
    labels = table["label"].to_list()
    for k in (2, 3, 7):
        for stratify, splitter in ((None, selection.KFold(k)), ("label", selection.StratifiedKFold(k))):
            want = [(train.tolist(), valid.tolist()) for train, valid in splitter.split(labels, labels)]
            folds = table.folds(k, stratify=stratify)
            assert [(numbers(train), numbers(valid)) for train, valid in folds] == want


def test_folds_by_group(table):
    for k in (2, 5, 40):
        folds = table.folds(k, group="name", seed=1)
        valid_rows(folds)
        groups = [set(valid["name"].to_list()) for _, valid in folds]
        assert sum(map(len, groups)) == len(set.union(*groups)) == 40
        assert max(v.count() for _, v in folds) - min(v.count() for _, v in folds) <= 6  # rows of the largest
    assert valid_rows(table.folds(5, group="name", seed=1)) != valid_rows(table.folds(5, group="name", seed=2))
    for options, says in (({"k": 41, "group": "name"}, "40 values"), ({"k": 1}, "1 folds"), ({"k": ROWS + 1}, "folds of"),
                          ({"k": 3, "group": "name", "stratify": "label"}, "leave out"),
                          ({"k": 3, "group": "name", "shuffle": True}, "leave out")):
        with pytest.raises(ValueError, match=says):
            table.folds(**options)
