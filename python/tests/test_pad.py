# SPDX-License-Identifier: MIT
"""Rows of varying length in batches: padded, cut, with masks and lengths, and end to end."""

import importlib.util
import pickle
import re

import pytest

import libdataview as dv

np = pytest.importorskip("numpy")
pa = pytest.importorskip("pyarrow")
ROWS = 700
WORDS = ["a", "b", "c", "d", "e"]


def draw_rows(seed=3, longest=40):
    random = np.random.default_rng(seed)
    lengths = random.integers(0, longest, ROWS)
    lengths[random.random(ROWS) < 0.2] = 0
    return [random.integers(-99, 100, n).tolist() for n in lengths]


@pytest.fixture(scope="module")
def rows():
    return draw_rows()


@pytest.fixture(scope="module", params=["raw", "deflate", "memory"])
def table(request, tmp_path_factory, rows):
    made = columns(rows)
    if request.param == "memory":
        return dv.from_arrow(made)
    path = tmp_path_factory.mktemp("pad") / "rows.idv"
    dv.write(made, path, rows_per_block=64, **({"compression": "none"} if request.param == "raw" else {}))
    return dv.open(path)


def columns(rows):
    reals = [[x / 4 for x in row] for row in rows]
    weights = [[None if i % 5 == 4 else x / 2 for i, x in enumerate(row)] for row in rows]
    return pa.table({"row": np.arange(ROWS), "tok": pa.array(rows, pa.list_(pa.int32())),
                     "weight": pa.array(weights, pa.list_(pa.float64())),
                     "real": pa.array(reals, pa.list_(pa.float32())),
                     "text": [f"row {i}" for i in range(ROWS)],
                     "words": pa.array([[str(x) for x in row] for row in rows], pa.list_(pa.string())),
                     "pair": pa.array([[1.0, 2.0]] * ROWS, pa.list_(pa.float32(), 2))})


def model(rows, pad, na=0):
    """The matrix, mask and lengths of a batch, row by row."""
    longest = max((len(row) for row in rows), default=0)
    limit = pad.most if pad.to == "longest" else pad.to
    width = -(-longest // pad.multiple) * pad.multiple if pad.to == "longest" else pad.to
    width = min(width, limit) if limit else width
    matrix, mask = np.full((len(rows), width), pad.value, "f8"), np.zeros((len(rows), width), bool)
    for i, row in enumerate(rows):
        kept = row[max(len(row) - width, 0):] if pad.cut == "start" else row[:width]
        first = width - len(kept) if pad.side == "left" else 0
        matrix[i, first:first + len(kept)] = [na if x is None else x for x in kept]
        mask[i, first:first + len(kept)] = True
    return matrix, mask, mask.sum(1)


PADS = [dv.Pad(), dv.Pad(side="left", value=-7), dv.Pad(multiple=8, value=-1), dv.Pad(40), dv.Pad(most=16, cut="end"),
        dv.Pad(multiple=4, most=16, cut="start", side="left"), dv.Pad(5, cut="start", value=3),
        dv.Pad(5, cut="end", side="left")]


@pytest.mark.parametrize("shuffle", [False, "uniform", "pool", "blocks"])
@pytest.mark.parametrize("pad", PADS, ids=str)
def test_any_pad_is_as_the_model_says(table, rows, pad, shuffle):
    how = dv.Pad(**{**vars(pad), "mask": True, "lengths": True})
    feed = table.feed({"tok": "tok", "row": "row"}, batch_rows=33, shuffle=shuffle, seed=5, pad=how)
    seen = []
    for batch in feed:
        assert list(batch) == ["tok", "row", "tok_mask", "tok_lengths"]
        seen += batch["row"].tolist()
        matrix, mask, lengths = model([rows[i] for i in batch["row"]], pad)
        assert batch["tok"].dtype == np.int64 and np.array_equal(batch["tok"], matrix)
        assert batch["tok_mask"].dtype == bool and np.array_equal(batch["tok_mask"], mask)
        assert batch["tok_lengths"].dtype == np.int64 and np.array_equal(batch["tok_lengths"], lengths)
    assert sorted(seen) == list(range(ROWS))


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "f2", "f4", "f8"])
@pytest.mark.parametrize("name", ["tok", "real"])
def test_every_dtype(table, rows, name, dtype):
    t = table if dtype[0] == "f" or name == "tok" else table.slice(0, 0)
    factor = 1 if name == "tok" else 4
    for batch in t.feed({"x": name, "row": "row"}, batch_rows=100, dtype={"x": dtype}, pad=dv.Pad(value=-2)):
        matrix = model([[x / factor for x in rows[i]] for i in batch["row"]], dv.Pad(value=-2))[0]
        assert batch["x"].dtype == np.dtype(dtype) and np.array_equal(batch["x"], matrix.astype(dtype))


def test_default_dtypes(table, rows):
    assert next(iter(table.feed("tok", pad="longest"))).dtype == np.int64  # also without names
    assert next(iter(table.feed("real", pad="longest"))).dtype == np.float32
    assert next(iter(table.feed(["row", "real"], pad="longest"))).dtype == np.float32
    X, y = next(iter(table.feed("tok", "row", pad=64, batch_rows=10)))
    assert X.shape == (10, 64) and y.tolist() == list(range(10))
    assert np.array_equal(X, model(rows[:10], dv.Pad(64))[0])


def test_empty_rows(tmp_path):
    for lists in ([[], [], []], [[5]], [[], [1, 2], []], [[]]):
        t = dv.from_arrow(pa.table({"x": pa.array(lists, pa.list_(pa.int64()))}))
        for side in ("left", "right"):
            pad = dv.Pad(side=side, value=9, mask=True, lengths=True)
            batch = next(iter(t.feed({"x": "x"}, pad=pad)))
            matrix, mask, lengths = model(lists, pad)
            assert batch["x"].shape == matrix.shape and np.array_equal(batch["x"], matrix)
            assert np.array_equal(batch["x_mask"], mask) and np.array_equal(batch["x_lengths"], lengths)
        values, offsets = next(iter(t.feed("x", pad="nested")))
        assert values.tolist() == sum(lists, []) and offsets.tolist() == np.cumsum([0, *map(len, lists)]).tolist()


def test_several_columns_in_one_matrix(table, rows):
    feed = table.feed(["row", "tok", "pair", "real"], dtype="f8", batch_rows=64,
                      pad={"tok": dv.Pad(6, cut="end", value=-1), "real": "longest"})
    for X in feed:
        i = X[:, 0].astype(int)
        real = model([[x / 4 for x in rows[k]] for k in i], dv.Pad())[0]
        tok = model([rows[k] for k in i], dv.Pad(6, cut="end", value=-1))[0]
        assert np.array_equal(X, np.concatenate([i[:, None], tok, [[1, 2]] * len(i), real], axis=1))


def test_all_numbers_include_padded_ones(table):
    assert next(iter(table.feed(labels="row", pad=64, na=0, batch_rows=3)))[0].shape == (3, 3 * 64 + 2)
    assert next(iter(table.feed(labels="row", pad={"tok": 64}, batch_rows=3)))[0].shape == (3, 64 + 2)


def test_labels_are_padded_too(table, rows):
    pad = {"ids": dv.Pad(mask=True), "labels": dv.Pad(value=-100)}
    for batch in table.feed({"ids": "tok", "row": "row"}, "tok", batch_rows=50, pad=pad):
        assert list(batch) == ["ids", "row", "ids_mask", "labels"]
        assert batch["ids"].shape == batch["labels"].shape
        assert np.array_equal(batch["labels"], np.where(batch["ids_mask"], batch["ids"], -100))
    X, y = next(iter(table.feed("tok", "tok", pad=40, batch_rows=5)))
    assert np.array_equal(X, y) and np.array_equal(X, model(rows[:5], dv.Pad(40))[0])


@pytest.mark.parametrize("side", ["left", "right"])
def test_na(table, rows, side):
    weights = [[None if i % 5 == 4 else x / 2 for i, x in enumerate(row)] for row in rows]
    pad = dv.Pad(side=side, value=1, mask=True)
    for batch in table.feed({"w": "weight", "row": "row"}, batch_rows=80, na=-3, na_mask=True, pad=pad):
        part = [weights[i] for i in batch["row"]]
        matrix, mask, _ = model(part, pad, na=-3)
        assert list(batch) == ["w", "row", "w_na", "row_na", "w_mask"]
        assert np.array_equal(batch["w"], matrix) and np.array_equal(batch["w_mask"], mask)
        ones = model([[x is None for x in row] for row in part], dv.Pad(side=side))[0]
        assert batch["w_na"].dtype == bool and np.array_equal(batch["w_na"], ones)
    nan = next(iter(table.feed({"w": "weight"}, pad=pad, batch_rows=80)))["w"]
    assert np.array_equal(np.isnan(nan), np.isnan(model(weights[:80], pad, na=np.nan)[0]))
    only_four = table.feed({"w": "weight"}, pad=dv.Pad(4, cut="end"), na="raise", batch_rows=80)
    assert not np.isnan(np.concatenate([batch["w"] for batch in only_four])).any()  # what is cut is not looked at
    feed = table.feed({"w": "weight"}, pad="longest", na="raise", batch_rows=80)
    loop, row = iter(feed), next(i for i, w in enumerate(weights) if len(w) > 4)
    with pytest.raises(dv.NAError, match=rf'^epoch 0, the batch from row 0 on: column "weight": .*row {row}, slot 4'):
        next(loop)
    with pytest.raises(dv.NAError):  # again
        next(loop)
    assert feed.state_dict() == table.feed({"w": "weight"}, batch_rows=80).state_dict()


@pytest.fixture(scope="module")
def keys(rows):
    """Rows of words as keys: words that are not known have none."""
    words = [[(WORDS + ["?"])[x % 6] for x in row] for row in rows]
    t = dv.from_arrow(pa.table({"words": pa.array(words, pa.list_(pa.string())), "row": np.arange(ROWS)}))
    known = dv.from_arrow(pa.table({"words": pa.array([WORDS], pa.list_(pa.string())), "row": [0]}))
    return dv.pipe.term("words").fit(known).apply(t), words


def test_keys(keys):
    t, words = keys
    assert t.schema["words"].type.is_key and not t.schema["words"].type.size
    numbers = [[WORDS.index(w) if w in WORDS else None for w in row] for row in words]
    pad = dv.Pad(value=-5, side="left")
    for batch in t.feed({"x": "words", "row": "row"}, batch_rows=64, na=-1, na_mask=True, pad=pad, shuffle=True):
        part = [numbers[i] for i in batch["row"]]
        assert batch["x"].dtype == np.int64 and np.array_equal(batch["x"], model(part, pad, na=-1)[0])
        assert np.array_equal(batch["x_na"], model([[x is None for x in row] for row in part], dv.Pad(side="left"))[0])
    for batch in t.feed({"x": "words", "row": "row"}, batch_rows=64, na=-1, pad="nested"):
        part = [numbers[i] for i in batch["row"]]
        assert batch["x"].values.tolist() == [-1 if x is None else x for row in part for x in row]
    with pytest.raises(dv.NAError, match='column "words"'):
        list(t.feed({"x": "words"}, pad="longest"))


@pytest.mark.parametrize("prefetch", [0, 3])
def test_nested(table, rows, prefetch):
    for batch in table.feed({"tok": "tok", "row": "row", "text": "text"}, batch_rows=48, shuffle="pool", pad="nested",
                            dtype={"tok": "i2"}, prefetch=prefetch):
        part = [rows[i] for i in batch["row"]]
        values, offsets = batch["tok"]
        assert isinstance(batch["tok"], dv.Ragged) and values.dtype == np.int16 and offsets.dtype == np.int64
        assert values.tolist() == sum(part, []) and offsets.tolist() == np.cumsum([0, *map(len, part)]).tolist()
        assert batch["text"] == [f"row {i}" for i in batch["row"]]


def test_batches_stay_as_they_were(table, rows):
    feed = table.feed({"tok": "tok"}, batch_rows=64, pad="longest", prefetch=2)
    batches = [batch["tok"] for batch in feed]
    for k, batch in enumerate(batches):
        assert np.array_equal(batch, model(rows[64 * k:64 * k + 64], dv.Pad())[0])
    assert len(batches) == len(feed) == 11
    assert len(list(table.feed({"tok": "tok"}, batch_rows=64, pad="longest", drop_last=True))) == 10


def test_a_state_goes_on_with_other_pads(table, rows):
    options = {"batch_rows": 50, "shuffle": "pool", "seed": 4}
    feed = table.feed({"tok": "tok", "row": "row"}, pad="longest", **options)
    loop = iter(feed)
    seen = [next(loop)["row"].tolist() for _ in range(4)]
    again = table.feed({"x": "tok", "row": "row"}, pad={"x": "nested"}, **options)
    again.load_state_dict(feed.state_dict())
    rest = [(batch["row"].tolist(), batch["x"].values.tolist()) for batch in again]
    assert sorted(sum(seen, []) + sum((numbers for numbers, _ in rest), [])) == list(range(ROWS))
    assert rest[0][0] == next(loop)["row"].tolist()
    assert all(values == sum((rows[i] for i in numbers), []) for numbers, values in rest)


def test_a_row_that_is_too_long(table, rows):
    row, length = next((i, len(r)) for i, r in enumerate(rows) if len(r) > 20 and i > 50)
    part = table.take([i for i in range(ROWS) if len(rows[i]) <= 20][:50] + [row])
    feed = part.feed({"x": "tok", "row": "row"}, batch_rows=20, pad=dv.Pad(most=20))
    loop = iter(feed)
    before = [next(loop)["row"].tolist() for _ in range(2)]
    message = (f'epoch 0, the batch from row 40 on: column "tok": row 10 has {length} items, more than most=20: '
               'cut="end" keeps the first 20, cut="start" the last; a larger most keeps all')
    for _ in range(2):
        with pytest.raises(dv.ArgumentError, match=f"^{re.escape(message)}$"):
            next(loop)
    again = part.feed({"x": "tok", "row": "row"}, batch_rows=20, pad=dv.Pad(most=20, cut="end"))
    again.load_state_dict(feed.state_dict())  # begins with the batch that failed
    rest = [batch["row"].tolist() for batch in again]
    assert len(rest) == 1 and sum(before, []) + rest[0] == part["row"].to_numpy().tolist()
    with pytest.raises(dv.ArgumentError, match="more than to=20: .*a larger to keeps all"):
        list(part.feed({"x": "tok"}, batch_rows=20, pad=20))
    message = r'^epoch 0, the batch from row 0 on: column "tok": items: expected numbers that fit in U1.*row \d+, slot'
    with pytest.raises(dv.LimitError, match=message):
        list(table.feed({"x": "tok"}, dtype="u1", pad="longest"))


@pytest.mark.parametrize("options, message", [
    ({"to": "long"}, "to='long': expected 'longest', 'nested' or a number of slots, at least 1"),
    ({"to": 0}, "to=0: expected"), ({"to": True}, "to=True: expected"), ({"to": 2.5}, "to=2.5: expected"),
    ({"multiple": 0}, "multiple=0: expected a number, at least 1"), ({"most": 0}, "most=0: expected a number"),
    ({"side": "middle"}, "side='middle': expected 'right' or 'left'"),
    ({"cut": "middle", "most": 3}, "cut='middle': expected 'refuse' or 'end' or 'start'"),
    ({"value": "0"}, "value='0': expected a number"), ({"value": False}, "value=False: expected a number"),
    ({"to": "nested", "value": 1}, "to='nested' fills and cuts nothing: leave the other options out"),
    ({"to": 8, "multiple": 4}, "to=8 is the width of every batch: multiple= and most= belong to to='longest'"),
    ({"to": 8, "most": 8}, "to=8 is the width"),
    ({"multiple": 8, "most": 12}, "most=12 is not a multiple of multiple=8"),
    ({"cut": "end"}, "cut='end' needs most=, or a number as to=")])
def test_pads_that_cannot_be(options, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        dv.Pad(**options)


def test_feeds_that_cannot_be(table):
    x = {"x": "tok"}
    for options, message in (
            ({"features": {"p": "pair"}, "pad": {"p": 3}}, "pad: pair is V<R4,2>: its rows do not vary in length"),
            ({"features": "pair", "pad": {"pair": 3}}, "pad: pair is V<R4,2>: its rows do not vary in length"),
            ({"features": {"r": "row"}, "pad": {"r": 3}}, "pad: row is I8: its rows do not vary in length"),
            ({"features": {"w": "words"}, "pad": {"w": 3}}, "pad: words is V<TX,*>: its items are no numbers"),
            ({"features": {"t": "text"}, "pad": {"t": 3}}, "pad: text is TX: its rows do not vary in length"),
            ({"features": {"r": "row"}, "pad": 3}, "pad=3: no column of r, row has numbers in rows of varying length"),
            ({"features": x, "pad": {"y": 3}}, "pad: no matrix or column is called 'y': there are x, tok"),
            ({"features": x, "pad": "widest"}, "pad='widest': expected 'longest', 'nested', a number of slots"),
            ({"features": x, "pad": 3, "widths": 3}, "x: pad and widths both say how wide it is"),
            ({"features": ["row", "tok"], "pad": "nested"}, "pad: features has 2 columns, and 'nested', mask"),
            ({"features": ["tok", "real"], "pad": dv.Pad(mask=True)}, "pad: features has 2 columns"),
            ({"features": x, "pad": dv.Pad(value=0.5)}, "value=0.5: no item of x, which is int64"),
            ({"features": x, "pad": dv.Pad(value=300), "dtype": "u1"}, "value=300: no item of x, which is uint8"),
            ({"features": {"x": "tok", "x_mask": "row"}, "pad": dv.Pad(mask=True)}, "two matrices have the same name")):
        with pytest.raises(ValueError, match=re.escape(message)):
            table.feed(**options)
    with pytest.raises(TypeError, match="pad=dv.Pad"):
        table.feed({"x": "tok"}, collate_fn=None)
    with pytest.raises(dv.ArgumentError, match="fill is 100000: no item of R2"):
        next(iter(table.feed({"x": "tok"}, pad=dv.Pad(value=1e5), dtype="f2")))


def test_a_pad_is_a_value():
    pad = dv.Pad(multiple=8, most=512, cut="end")
    assert pickle.loads(pickle.dumps(pad)) == pad and hash(pad) == hash(dv.Pad(multiple=8, most=512, cut="end"))
    with pytest.raises(AttributeError):
        pad.most = 3
    assert repr(dv.Pad(3)).startswith("Pad(to=3, multiple=1")


def test_repr(table):
    assert "x tok (int64)" in repr(table.feed({"x": "tok", "text": "text"}, pad="longest"))


def test_bfloat16(table, rows):
    if importlib.util.find_spec("ml_dtypes") is None:
        with pytest.raises(ValueError, match="ml_dtypes"):
            table.feed({"x": "tok"}, dtype="bf16", pad="longest")
    else:
        X = next(iter(table.feed("tok", dtype="bf16", pad="longest", batch_rows=9)))
        assert X.dtype.name == "bfloat16" and np.array_equal(X.astype("f8"), model(rows[:9], dv.Pad())[0])


# --- torch ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("workers", [0, 2])
def test_torch(rows, workers, tmp_path):
    torch = pytest.importorskip("torch")
    dv.write(columns(rows), tmp_path / "t.idv", rows_per_block=64)
    pad = {"tok": dv.Pad(multiple=8, side="left", mask=True, lengths=True), "real": "nested", "bf": dv.Pad(value=0.5)}
    ds = dv.torch.Dataset(tmp_path / "t.idv", {"tok": "tok", "row": "row", "real": "real", "bf": "real"}, batch_rows=64,
                          shuffle=True, pad=pad, dtype={"bf": torch.bfloat16}, format="dict")
    loader, seen = ds.loader(workers=workers), []
    for k, batch in enumerate(loader):
        part = [rows[i] for i in batch["row"]]
        reals = [[x / 4 for x in row] for row in part]
        seen += batch["row"].tolist()
        matrix, mask, lengths = model(part, pad["tok"])
        assert batch["tok"].dtype == torch.int64 and np.array_equal(batch["tok"].numpy(), matrix)
        assert batch["tok_mask"].dtype == torch.bool and np.array_equal(batch["tok_mask"].numpy(), mask)
        assert batch["tok_lengths"].dtype == torch.int64 and np.array_equal(batch["tok_lengths"].numpy(), lengths)
        assert batch["bf"].dtype == torch.bfloat16
        assert torch.equal(batch["bf"], torch.from_numpy(model(reals, pad["bf"])[0]).bfloat16())
        assert batch["real"].layout == torch.jagged and batch["real"].dtype == torch.float32
        assert [x.tolist() for x in batch["real"].unbind()] == reals
        assert batch["number"] == k
        if k == 3:
            state = loader.state_dict()
    assert sorted(seen) == list(range(ROWS))
    again = dv.torch.Dataset(tmp_path / "t.idv", {"tok": "tok", "row": "row"}, batch_rows=64, shuffle=True, pad=64)
    again.load_state_dict(state)
    rest = [batch["row"].tolist() for batch in again.loader(workers=2 - workers)]
    assert sum(rest, []) == seen[4 * 64:]


def test_torch_packs_padded_rows(table):
    torch = pytest.importorskip("torch")
    from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence

    ds = dv.torch.Dataset(table.take(range(1, 60)), {"x": "real"}, batch_rows=59, pad=dv.Pad(lengths=True, mask=True))
    batch = next(iter(ds))
    kept = batch["x_lengths"] > 0
    packed = pack_padded_sequence(batch["x"][kept], batch["x_lengths"][kept], batch_first=True, enforce_sorted=False)
    assert torch.equal(packed.data.sort().values, batch["x"][batch["x_mask"]].sort().values)
    lists = [torch.tensor(row, dtype=torch.float32) for row in table.take(range(1, 60))["real"].to_pylist()]
    assert torch.equal(batch["x"], pad_sequence(lists, batch_first=True))


@pytest.mark.parametrize("workers", [0, 2])
def test_torch_error_leaves_the_position(workers, tmp_path):
    """A state of a loop that failed begins with the batch that failed."""
    pytest.importorskip("torch")
    lists = [list(range(30 if i == 250 else i % 7)) for i in range(ROWS)]
    dv.write(pa.table({"tok": pa.array(lists, pa.list_(pa.int32())), "row": np.arange(ROWS)}), tmp_path / "t.idv")

    def dataset(pad):
        return dv.torch.Dataset(tmp_path / "t.idv", {"tok": "tok", "row": "row"}, batch_rows=40, pad=pad)

    loader, seen = dataset(dv.Pad(most=20)).loader(workers=workers), []
    message = 'epoch 0, the batch from row 240 on: column "tok": row 10 has 30 items, more than most=20: cut='
    with pytest.raises(dv.ArgumentError, match=message):
        for batch in loader:
            seen += batch["row"].tolist()
    assert seen == list(range(240))
    again = dataset(dv.Pad(64)).loader(workers=2 - workers)
    again.load_state_dict(loader.state_dict())
    for batch in again:
        seen += batch["row"].tolist()
    assert seen == list(range(ROWS))


def test_columns_as_they_are_in_worker_processes(rows, tmp_path):
    """Regression: the first batch that a feed left to another worker ended the process."""
    pytest.importorskip("torch")
    dv.write(columns(rows), tmp_path / "t.idv", rows_per_block=64)
    for shuffle in (False, "uniform", "pool"):
        ds = dv.torch.Dataset(tmp_path / "t.idv", {"text": "text", "row": "row"}, batch_rows=100, shuffle=shuffle)
        for batch in ds.loader(workers=2):
            assert batch["text"] == [f"row {i}" for i in batch["row"]]
