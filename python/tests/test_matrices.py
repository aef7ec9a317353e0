# SPDX-License-Identifier: MIT
"""Matrices of feeds: any items, several with names, masks of NA, vectors of varying size."""

import importlib.util

import pytest

import libdataview as dv

np = pytest.importorskip("numpy")
ROWS = 1000
KINDS = {"i1": "int8", "u1": "uint8", "i2": "int16", "u2": "uint16", "i4": "int32", "u4": "uint32", "i8": "int64",
         "u8": "uint64", "f2": "float16", "f4": "float32", "f8": "float64"}
SHUFFLES = [False, "uniform", "pool", "blocks"]


@pytest.fixture(scope="module")
def arrays():
    """Columns of every kind, whose numbers every other kind can hold."""
    random = np.random.default_rng(5)
    return {kind: random.integers(0, 128, (ROWS, 3)).astype(kind) for kind in KINDS if kind != "f2"}


@pytest.fixture(scope="module", params=["raw", "deflate", "memory"])
def table(request, tmp_path_factory, arrays):
    columns = {**arrays, "row": np.arange(ROWS)}
    if request.param == "memory":
        return dv.from_numpy(columns)
    path = tmp_path_factory.mktemp("matrices") / "kinds.idv"
    options = {"compression": "none"} if request.param == "raw" else {}
    dv.write(columns, path, rows_per_block=64, **options)
    return dv.open(path)


@pytest.mark.parametrize("shuffle", SHUFFLES)
@pytest.mark.parametrize("dtype", KINDS)
def test_every_dtype_of_every_column(table, arrays, dtype, shuffle):
    names = {f"m_{kind}": kind for kind in arrays}
    feed = table.feed(names, "row", batch_rows=96, dtype=dtype, shuffle=shuffle, seed=3)
    rows = 0
    for batch in feed:
        numbers = batch["labels"]
        for name, kind in names.items():
            x = batch[name]
            assert x.dtype == KINDS[dtype] and x.shape == (len(numbers), 3)
            assert np.array_equal(x, arrays[kind][numbers].astype(dtype))
        rows += len(numbers)
    assert rows == ROWS


@pytest.mark.parametrize("prefetch", [0, 3])
def test_reals_are_rounded_as_numpy_does(prefetch):
    x = np.random.default_rng(2).standard_normal((500, 4)) * 100
    t = dv.from_numpy({"x": x, "y": x.astype("f4")})
    found = np.concatenate([X for X in t.feed(["x", "y"], dtype="float16", batch_rows=64, prefetch=prefetch)])
    assert np.array_equal(found, np.concatenate([x.astype("f2"), x.astype("f4").astype("f2")], axis=1))


def test_numbers_that_do_not_fit_are_refused():
    t = dv.from_numpy({"x": np.array([1, 300, 2]), "f": np.array([1.0, 2.5, 3.0]), "big": np.array([1.0, 1e6, 2.0])})
    for column, dtype, kind in (("x", "u1", "U1"), ("x", "i1", "I1"), ("f", "i4", "I4"), ("big", "f2", "R2")):
        with pytest.raises(dv.LimitError, match=f'column "{column}".*fit in {kind}.*row 1,') as caught:
            list(t.feed(column, dtype=dtype, batch_rows=3))
        assert caught.value.rule == "range"
    assert next(iter(t.feed("x", dtype="i2", batch_rows=3))).tolist() == [[1], [300], [2]]
    assert next(iter(t.feed("big", dtype="u4", batch_rows=3))).tolist() == [[1], [1000000], [2]]


def test_the_default_of_na_fits_the_dtype():
    t = dv.from_numpy({"n": np.ma.MaskedArray(np.arange(4), [0, 0, 1, 0]), "x": np.array([0, 1, np.nan, 3])})
    assert np.isnan(next(iter(t.feed(["n", "x"], batch_rows=4)))[2]).all()
    assert np.isnan(next(iter(t.feed(["n", "x"], dtype="f2", batch_rows=4)))[2]).all()
    for dtype in ("i8", "u1", "i2"):
        with pytest.raises(dv.NAError, match="row 2,"):
            next(iter(t.feed(["n", "x"], dtype=dtype, batch_rows=4)))
        assert next(iter(t.feed(["n", "x"], dtype=dtype, na=7, batch_rows=4)))[2].tolist() == [7, 7]
        with pytest.raises(ValueError, match="'raise' or a whole number"):
            t.feed("n", dtype=dtype, na="nan")
    with pytest.raises(dv.ArgumentError, match="na_value is 300: no item of U1"):
        next(iter(t.feed("n", dtype="u1", na=300, batch_rows=4)))


@pytest.mark.parametrize("shuffle", SHUFFLES)
def test_masks_say_where_na_was(tmp_path, shuffle):
    random = np.random.default_rng(8)
    x = random.standard_normal((ROWS, 2)).astype("f4")
    missing = random.random((ROWS, 2)) < 0.2
    n = np.ma.MaskedArray(np.arange(ROWS), random.random(ROWS) < 0.1)
    dv.write({"x": np.where(missing, np.nan, x).astype("f4"), "n": n, "row": np.arange(ROWS)}, tmp_path / "na.idv",
             rows_per_block=64)
    t = dv.open(tmp_path / "na.idv")
    feed = t.feed({"x": "x", "n": "n"}, "row", batch_rows=50, na=0, na_mask=True, shuffle=shuffle)
    for batch in feed:
        rows = batch["labels"]
        assert list(batch) == ["x", "n", "x_na", "n_na", "labels"]
        assert batch["x_na"].dtype == bool and np.array_equal(batch["x_na"], missing[rows])
        assert np.array_equal(batch["n_na"], np.ma.getmaskarray(n)[rows]) and batch["n_na"].shape == rows.shape
        assert np.array_equal(batch["x"], np.where(missing[rows], 0, x[rows]))
        assert np.array_equal(batch["n"], n.filled(0)[rows])
    with pytest.raises(ValueError, match="the same name"):
        t.feed({"x": "x", "x_na": "n"}, na=0, na_mask=True)


def test_named_matrices(table, arrays):
    feed = table.feed({"a": ["u1", "i4"], "b": "f4", "n": "row"}, dtype={"a": "u1", "b": "f8"}, batch_rows=100)
    batch = next(iter(feed))
    assert {name: (x.dtype.name, x.shape) for name, x in batch.items()} == {
        "a": ("uint8", (100, 6)), "b": ("float64", (100, 3)), "n": ("int64", (100,))}
    assert np.array_equal(batch["a"], np.concatenate([arrays["u1"][:100], arrays["i4"][:100]], axis=1))
    assert "a u1, i4 (uint8); b f4 (float64); n row (int64)" in repr(feed)
    for wrong, what in (({"features": {"a": []}}, "name its columns"), ({"features": {"a": "z"}}, "z"),
                        ({"features": {"a": "u1"}, "dtype": {"b": "u1"}}, "no matrix is called 'b'"),
                        ({"features": {"labels": "u1"}, "labels": "row"}, "the same name")):
        with pytest.raises((ValueError, dv.ColumnNotFound), match=what):
            table.feed(**wrong)
    with pytest.raises(ValueError, match="at most 64"):
        iter(table.feed({f"m{k}": "u1" for k in range(65)}))


def test_a_state_does_not_depend_on_the_matrices(table):
    feed = table.feed({"a": "u1", "row": "row"}, batch_rows=64, shuffle="pool", seed=2, dtype="i4")
    loop = iter(feed)
    seen = [next(loop)["row"].tolist() for _ in range(5)]
    again = table.feed("f4", "row", batch_rows=64, shuffle="pool", seed=2)
    again.load_state_dict(feed.state_dict())
    rest = [rows.tolist() for _, rows in again]
    assert sorted(sum(seen + rest, [])) == list(range(ROWS)) and rest[0] == next(loop)["row"].tolist()


def test_widths(tmp_path):
    lists = [[1, 2, 3], [4], [], [5, 6]] * 20
    t = dv.from_columns({"tok": lists, "y": list(range(80))}) if hasattr(dv, "from_columns") else None
    if t is None:
        pa = pytest.importorskip("pyarrow")
        dv.write(pa.table({"tok": pa.array(lists, pa.list_(pa.int64())), "y": list(range(80))}), tmp_path / "v.idv")
        t = dv.open(tmp_path / "v.idv")
    padded = [[1, 2, 3, 0], [4, 0, 0, 0], [0] * 4, [5, 6, 0, 0]]
    for widths in (4, [4], {"tok": 4}):
        assert next(iter(t.feed("tok", dtype="i8", batch_rows=4, widths=widths))).tolist() == padded
    assert next(iter(t.feed(["y", "tok"], dtype="i4", batch_rows=4, widths=4)))[1].tolist() == [1, 4, 0, 0, 0]
    assert next(iter(t.feed(labels="y", dtype="i8", batch_rows=4, widths=4)))[0].tolist() == padded
    with pytest.raises(dv.ArgumentError, match="widths"):
        iter(t.feed("tok", dtype="i8", batch_rows=4))
    with pytest.raises(dv.ArgumentError, match='column "tok"'):  # a longer row
        list(t.feed("tok", dtype="i8", batch_rows=4, widths=2))
    for wrong in (0, [1, 2], {"tok": -1}):
        with pytest.raises(ValueError, match="widths"):
            t.feed("tok", dtype="i8", widths=wrong)


def test_bfloat16():
    t = dv.from_numpy({"x": np.array([1.0, 1.00390625, 3e38], "f4")})
    if importlib.util.find_spec("ml_dtypes") is None:
        with pytest.raises(ValueError, match="ml_dtypes"):
            t.feed("x", dtype="bf16")
    else:
        assert next(iter(t.feed("x", dtype="bf16", batch_rows=3))).dtype.name == "bfloat16"


@pytest.mark.parametrize("workers", [0, 2])
def test_torch(arrays, tmp_path, workers):
    torch = pytest.importorskip("torch")
    dv.write({**arrays, "row": np.arange(ROWS)}, tmp_path / "kinds.idv", rows_per_block=64)
    names = {"u1": torch.uint8, "i1": torch.int8, "i2": torch.int16, "i4": torch.int32, "i8": torch.int64,
             "f4": torch.bfloat16, "f8": torch.float16}
    ds = dv.torch.Dataset(tmp_path / "kinds.idv", {**{name: name for name in names}, "row": "row"}, batch_rows=128,
                          dtype={name: str(dtype) for name, dtype in names.items()}, shuffle=True)
    rows = []
    for batch in ds.loader(workers=workers):
        rows += batch["row"].tolist()
        for name, dtype in names.items():
            assert batch[name].dtype == dtype
            assert np.array_equal(batch[name].to(torch.float64), arrays[name][batch["row"]].astype("f8"))
    assert sorted(rows) == list(range(ROWS))
    with pytest.raises(ValueError, match="format='dict'"):
        dv.torch.Dataset(tmp_path / "kinds.idv", {"ids": "row"}, format="dict")
    batch = next(iter(dv.torch.Dataset(tmp_path / "kinds.idv", {"x": "f4"}, batch_rows=4, format="dict", na_mask=True)))
    assert sorted(batch) == ["epoch", "ids", "number", "x", "x_na"] and batch["x_na"].dtype == torch.bool
    x = torch.tensor([1.0, 1.00390625, 1.01171875, 3e38])
    t = dv.from_numpy({"x": x.numpy()})
    assert torch.equal(next(iter(dv.torch.Dataset(t, "x", batch_rows=4, dtype=torch.bfloat16)))[:, 0], x.bfloat16())


@pytest.mark.parametrize("shuffle", SHUFFLES)
@pytest.mark.parametrize("prefetch", [0, 2])
def test_texts_and_lists_beside_matrices(tmp_path, shuffle, prefetch):
    """They come with the rows of their batch, whatever the order; an earlier batch stays as it was."""
    pa = pytest.importorskip("pyarrow")
    texts = [None if i % 7 == 3 else f"text {i} " + "x" * (i % 50) for i in range(ROWS)]
    lists = [list(range(i % 5)) for i in range(ROWS)]
    columns = {"row": np.arange(ROWS), "review": pa.array(texts), "raw": pa.array([b"%d" % i for i in range(ROWS)]),
               "tokens": pa.array(lists, pa.list_(pa.int32())), "x": np.arange(ROWS) / 2}
    dv.write(pa.table(columns), tmp_path / "t.idv", rows_per_block=64)
    t = dv.open(tmp_path / "t.idv")
    names = {"review": "review", "x": "x", "raw": "raw", "tokens": "tokens"}
    for text_as in ("list", "arrow"):
        feed = t.feed(names, "row", batch_rows=48, shuffle=shuffle, prefetch=prefetch, text_as=text_as)
        seen = []
        for batch in feed:
            rows = batch["labels"].tolist()
            seen += rows
            found = {name: batch[name] for name in names if name != "x"}
            if text_as == "arrow":
                found = {name: values.to_pylist() for name, values in found.items()}
            assert found == {"review": [texts[i] for i in rows], "raw": [b"%d" % i for i in rows],
                             "tokens": [lists[i] for i in rows]}
            assert batch["x"].tolist() == [i / 2 for i in rows]
        assert sorted(seen) == list(range(ROWS))
    only = t.feed({"review": "review"}, batch_rows=400)
    assert [len(batch["review"]) for batch in only] == [400, 400, 200]
    assert "review review" in repr(only)
    state = only.state_dict()
    with pytest.raises(ValueError, match="text_as"):
        t.feed({"review": "review"}, text_as="tuple")
    again = t.feed({"review": "review"}, batch_rows=100)
    again.load_state_dict(state)
    assert again.epoch == 1 and len(list(again)) == 10


def test_texts_in_a_text_file(tmp_path):
    (tmp_path / "t.csv").write_text("n,t\n" + "".join(f"{i},word{i}\n" for i in range(500)), encoding="utf-8")
    t = dv.open(tmp_path / "t.csv")
    for shuffle in (False, "pool"):
        found = [(n, text) for b in t.feed({"n": "n", "t": "t"}, batch_rows=64, shuffle=shuffle)
                 for n, text in zip(b["n"].tolist(), b["t"])]
        assert sorted(found) == [(i, f"word{i}") for i in range(500)]
