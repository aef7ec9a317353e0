# SPDX-License-Identifier: MIT
"""Packs of documents: by a model in Python, and what users rely on."""

import json
import os
import pickle
import random
import signal
import subprocess
import sys
import textwrap

import pytest

import libdataview as dv
from test_sample import derive, permutation

np = pytest.importorskip("numpy")
pa = pytest.importorskip("pyarrow")
ROWS = 260


# --- The model: docs/shuffling.md -----------------------------------------------------------------------------


def pieces_of(row, length, tokens, too_long):
    """Pieces (row, first item, items) of a document."""
    if length > tokens and too_long in ("drop", "cut"):
        length = tokens if too_long == "cut" else 0
    return [(row, first, min(tokens, length - first)) for first in range(0, length, tokens)]


def stream(order, lengths, tokens, last):
    packs, pack, used = [], [], 0
    for row in order:
        first = 0
        while first < lengths[row]:
            items = min(tokens - used, lengths[row] - first)
            pack.append((row, first, items))
            first, used = first + items, used + items
            if used == tokens:
                packs.append(pack)
                pack, used = [], 0
    return packs + [pack] if pack and last == "keep" else packs


def fit(pieces, tokens):
    """Packs of the pieces of a window."""
    packs = []
    for i in sorted(range(len(pieces)), key=lambda i: -pieces[i][2]):
        for pack in packs:
            if sum(pieces[k][2] for k in pack) + pieces[i][2] <= tokens:
                pack.append(i)
                break
        else:
            packs.append([i])
    return [[pieces[i] for i in sorted(pack)] for pack in sorted(packs, key=min)]


def model(lengths, tokens=2048, how="whole", too_long="refuse", last="keep", window=1024, shuffle=False, seed=0):
    order = permutation(len(lengths), derive(seed, 0)) if shuffle else list(range(len(lengths)))
    if how == "stream":
        return stream(order, lengths, tokens, last)
    packs, pieces = [], []
    for row in order:
        pieces += pieces_of(row, lengths[row], tokens, too_long)
        if sum(items for _, _, items in pieces) >= window * tokens:
            packs += fit(pieces, tokens)
            pieces = []
    return packs + fit(pieces, tokens)


def contents(packs):
    """The rows that these packs become."""
    rows = []
    for pack in packs:
        ends = np.cumsum([0] + [items for _, _, items in pack]).tolist()
        slots = [(row, first + i, i) for row, first, items in pack for i in range(items)]
        rows.append({"ids": [1000 * row + slot for row, slot, _ in slots],
                     "mask": [float((row + slot) % 3 == 0) for row, slot, _ in slots],
                     "cu_seqlens": ends, "position_ids": [i for _, _, i in slots], "rows": [row for row, _, _ in pack]})
    return rows


def documents(lengths):
    rows = list(enumerate(lengths))
    return dv.from_arrow(pa.table({
        "n": pa.array(range(len(lengths)), pa.int64()),
        "ids": pa.array([[1000 * row + slot for slot in range(length)] for row, length in rows], pa.list_(pa.int32())),
        "mask": pa.array([[float((row + slot) % 3 == 0) for slot in range(length)] for row, length in rows],
                         pa.list_(pa.float32()))}))


def found(table):
    return [{name: list(value) for name, value in row.items()} for row in table.to_pylist()]


@pytest.fixture(scope="module")
def lengths():
    draw = random.Random(3)
    return [draw.randrange(1, 60) if i % 11 else 0 for i in range(ROWS)]


@pytest.fixture(scope="module")
def table(tmp_path_factory, lengths):
    path = tmp_path_factory.mktemp("pack") / "rows.idv"
    documents(lengths).write(path, rows_per_block=16)
    return dv.open(path)


@pytest.mark.parametrize("seed", range(40))
def test_is_the_model(seed):
    draw = random.Random(seed)
    most = draw.choice([1, 8, 40])
    lengths = [draw.randrange(most + 1) for _ in range(draw.choice([0, 1, 90]))]
    how = {"tokens": draw.randrange(1, 2 * most + 2), "how": draw.choice(["whole", "stream"]), "shuffle": seed % 2 == 1,
           "seed": seed}
    if how["how"] == "whole":
        how.update(too_long=draw.choice(["drop", "cut", "split"]), window=draw.choice([1, 3, 256]))
    else:
        how.update(last=draw.choice(["keep", "drop"]))
    table = documents(lengths)
    for whole in (table, table.materialize()) if lengths else (table.materialize(),):
        packs = whole.pack(["ids", "mask"], **how)
        assert found(packs) == contents(model(lengths, **how))
        assert packs.columns == ["ids", "mask", "cu_seqlens", "position_ids", "rows"]
        assert found(packs.select("rows", "ids")) == [{"rows": p["rows"], "ids": p["ids"]}
                                                      for p in contents(model(lengths, **how))]


def test_packs_are_full():
    draw = random.Random(1)
    lengths = [min(int(draw.lognormvariate(5, 1)) + 1, 2048) for _ in range(20_000)]
    table = dv.from_arrow(pa.table({"ids": pa.array([np.zeros(n, np.uint8) for n in lengths], pa.list_(pa.uint8()))}))
    packs = table.pack("ids", tokens=2048)
    assert sum(lengths) / (2048 * len(packs)) > 0.99
    used = packs["position_ids"]
    assert max(map(len, used)) <= 2048 and sum(map(len, used)) == sum(lengths)


# --- What users rely on ---------------------------------------------------------------------------------------


def feed_of(table, batch_rows=3, **options):
    return table.feed({"ids": ["ids"], "rows": ["rows"]}, batch_rows=batch_rows, **options)


def batches_of(feed):
    return [[list(map(int, rows)) for rows in batch["rows"]] for batch in feed]


@pytest.mark.parametrize("how", ["whole", "stream"])
@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_ranks_share_packs(table, lengths, how, ranks):
    packs = table.pack("ids", 128, how=how)
    want = [[row for row, _, _ in pack] for pack in model(lengths, 128, how)]
    orders = []
    for epoch in range(2):
        shares = []
        for rank in range(ranks):
            feed = feed_of(packs, shuffle="uniform", seed=5, shard=(rank, ranks))
            feed.set_epoch(epoch)
            shares.append([rows for batch in batches_of(feed) for rows in batch])
        order = permutation(len(want), derive(5, epoch))
        assert shares == [[want[i] for i in order[rank::ranks]] for rank in range(ranks)]
        orders.append(order)
    assert orders[0] != orders[1]


def test_ranks_have_equal_batches(table):
    packs = table.pack("ids", 128)
    for size in ("pad", "drop"):
        counts = {len(batches_of(feed_of(packs, shard=(rank, 3), shard_size=size))) for rank in range(3)}
        assert len(counts) == 1


def test_resumes_at_every_batch(table, lengths):
    packs = table.pack(["ids", "mask"], 128, shuffle=True, seed=2)
    again = pickle.loads(pickle.dumps(packs))
    assert again.identity() == packs.identity()
    whole = [batches_of(feed) for feed in [feed_of(packs, shuffle=True, seed=4)] for _ in range(3)]
    feed = feed_of(packs, shuffle=True, seed=4)
    for epoch in range(2):
        loop = iter(feed)
        for number in range(len(whole[0])):
            next(loop)
            state = json.loads(json.dumps(feed.state_dict()))
            other = feed_of(again, shuffle=True, seed=4)
            other.load_state_dict(state)
            rest = batches_of(other)
            assert rest == (whole[epoch][number + 1:] if other.epoch == epoch + 1 else whole[epoch + 1])
        assert next(loop, None) is None
    options = {"shuffle": True, "seed": 2}
    for wrong in (table.pack("ids", 128, **options), table.pack(["ids", "mask"], 127, **options),
                  table.pack(["ids", "mask"], 128, shuffle=True, seed=3), table.pack(["ids", "mask"], 128),
                  table.pack(["ids", "mask"], 128, window=3, **options), table.pack(["ids", "mask"], 128, how="stream",
                                                                                    **options)):
        with pytest.raises(dv.ArgumentError):
            feed_of(wrong, shuffle=True, seed=4).load_state_dict(state)


KILLED = """
import json, os, sys
import libdataview as dv

path, log, state = sys.argv[1:]
packs = dv.open(path).pack("ids", 128, how="stream")
feed = packs.feed({"rows": ["rows"], "ids": ["ids"]}, batch_rows=2, shuffle=True, seed=4)
if os.path.exists(state):
    with open(state) as file:
        kept = json.load(file)
    feed.load_state_dict(kept["feed"])
    os.truncate(log, kept["log"])
for batch in feed if feed.epoch == 0 else ():
    with open(log, "a") as file:
        file.write("".join(json.dumps(list(map(int, rows))) + "\\n" for rows in batch["rows"]))
        file.flush()
        kept = {"feed": feed.state_dict(), "log": file.tell()}
    with open(state + ".new", "w") as file:
        json.dump(kept, file)
    os.replace(state + ".new", state)
    print("batch", flush=True)
    sys.stdin.readline()
print("end", flush=True)
"""


def test_goes_on_after_kills(table, lengths, tmp_path):
    table.write(tmp_path / "rows.idv")
    log, state = tmp_path / "log", tmp_path / "state"
    command = [sys.executable, "-c", textwrap.dedent(KILLED), str(tmp_path / "rows.idv"), str(log), str(state)]
    kills, is_over = 0, False
    while not is_over:  # a run is killed somewhere in its sixth batch, or before the next one
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            for _ in range(5):
                is_over = is_over or process.stdout.readline() == "end\n"
                if not is_over:
                    process.stdin.write("\n")
                    process.stdin.flush()
            process.send_signal(signal.SIGKILL)
        kills += not is_over
    want = [[row for row, _, _ in pack] for pack in model(lengths, 128, "stream")]
    order = permutation(len(want), derive(4, 0))
    assert [json.loads(line) for line in log.read_text().splitlines()] == [want[i] for i in order]
    assert kills >= 4


def test_facts_tell_what_is_left_out(lengths):
    table = documents([0, 0, 5, 9, 12, 3])
    for too_long, words in (("drop", "left out"), ("cut", "cut"), ("split", "split")):
        packs = table.pack("ids", 8, too_long=too_long)
        assert packs.facts["warnings"] == ["2 documents without items: in no pack", f"2 documents of more than 8 items {words}"]
    packs = table.pack("ids", 10, how="stream", last="drop")
    assert packs.count() == 2 and "9 items of the last pack" in packs.facts["warnings"][1]
    assert documents([3]).pack("ids", 8).facts["warnings"] == []


def test_keys_keep_their_values():
    words = dv.from_arrow(pa.table({"t": ["a b", "b c b", "", "a"]}))
    keys = dv.Pipeline("tokenize words:t; term words").fit_apply(words).materialize()
    packs = keys.pack("words", 4)
    assert packs.schema["words"].type.is_key and list(packs.schema["words"].metadata["KeyValues"]) == ["a", "b", "c"]
    assert [list(row) for row in packs["words"]] == [["a", "b"], ["b", "c", "b", "a"]]


def test_what_is_refused(table, lengths, tmp_path):
    table[["n"]].write(tmp_path / "rows.csv")
    text = dv.open(tmp_path / "rows.csv")
    longest = max(lengths)
    row = next(i for i, length in enumerate(lengths) if length > 40)
    for wrong, error, says in (
            (lambda: table.pack("nope"), dv.ColumnNotFound, "nope"),
            (lambda: table.pack("ids", 0), ValueError, "tokens=0"),
            (lambda: table.pack("ids", 1.5), TypeError, "float"),
            (lambda: table.pack("ids", window=0), ValueError, "window=0"),
            (lambda: table.pack("ids", how="best"), ValueError, "best"),
            (lambda: table.pack("ids", too_long="maybe"), ValueError, "maybe"),
            (lambda: table.pack("ids", last="maybe"), ValueError, "maybe"),
            (lambda: table.pack("ids", last="drop"), ValueError, "stream"),
            (lambda: table.pack("ids", how="stream", too_long="cut"), ValueError, "whole"),
            (lambda: table.pack("ids", 40), dv.ArgumentError, f"row {row} has {lengths[row]} items"),
            (lambda: table.pack("n"), dv.ArgumentError, '"n" of type I8'),
            (lambda: table.pack(["ids", "ids"]), dv.ArgumentError, "twice"),
            (lambda: table.select(rows="ids").pack("rows"), dv.ArgumentError, "different name"),
            (lambda: table.balance("n").pack("ids"), dv.ArgumentError, "epoch draws other rows"),
            (lambda: text.pack("n"), dv.ArgumentError, "in sequence")):
        with pytest.raises(error, match=says):
            wrong()
    assert table.pack("ids", longest).count() > 0


def test_columns_of_different_lengths(lengths):
    other = documents(lengths[::-1]).select(other="mask")
    with pytest.raises(dv.ArgumentError, match=r'column "other": row 1 has \d+ items, but column "ids" had'):
        dv.zip([documents(lengths[:-1]), other]).pack(["ids", "other"], 128).to_pylist()


@pytest.mark.parametrize("workers", [0, 2])
def test_torch(table, lengths, workers):
    torch = pytest.importorskip("torch")
    packs = table.pack("ids", 64, how="stream", last="drop")
    dataset = dv.torch.Dataset(packs, {"ids": ["ids"], "position_ids": ["position_ids"]}, batch_rows=4, dtype="int32",
                               widths={"ids": 64, "position_ids": 64}, shuffle=True, seed=1)
    want = contents(model(lengths, 64, "stream", last="drop"))
    order = permutation(len(want), derive(1, 0))
    batches = list(dataset.loader(workers=workers))
    for name in ("ids", "position_ids"):
        assert torch.cat([batch[name] for batch in batches]).tolist() == [want[i][name] for i in order]


def test_tables_of_files_of_parquet(tmp_path):
    """Regression: the packs of such a table had no schema."""
    pyarrow = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    pyarrow.parquet.write_table(pyarrow.table({"ids": [[1, 2, 3], [4], [5, 6]]}), tmp_path / "a.parquet")
    t = dv.open(tmp_path / "a.parquet")
    for table, want in ((t.pack("ids", 4), [[1, 2, 3, 4], [5, 6]]), (t.bucket("ids", 1, shuffle=False),
                                                                    [[4], [5, 6], [1, 2, 3]])):
        assert table["ids"].to_list() == want and "ids" in repr(table)
        assert pickle.loads(pickle.dumps(table))["ids"].to_list() == want
