# SPDX-License-Identifier: MIT
"""What a Table and a Column do that users of pandas expect: names, rows, slices, verbs."""

import copy
import datetime
import functools
import pathlib

import golden_cases as golden
import pytest

np = pytest.importorskip("numpy")
import libdataview as dv  # noqa: E402

N = 100


@pytest.fixture
def t():
    return dv.from_numpy({"x": np.arange(N), "y": np.arange(N) / 4, "s": [f"é{i % 7}" for i in range(N)]})


@pytest.fixture
def text():
    """A table whose number of rows is not known."""
    return dv.open("\n".join(["a,b", *(f"{i},w{i}" for i in range(N))]).encode(), format="text")


def numbers(table):
    return table["x" if "x" in table else "a"].to_pylist()


def test_protocol(t, text):
    assert "x" in t and "z" not in t and 0 not in t
    assert bool(t) and bool(t[:0])
    assert len(t) == N and t.shape == (N, 3) and t.num_rows == N and t.num_columns == 3
    assert list(t) == t.columns == ["x", "y", "s"]
    assert [row["x"] for row in t.iter_rows()] == list(range(N))
    assert text.num_rows == N and text.select(text.columns[0]).head(7).num_rows == 7  # a small file is counted
    for count in (len, dv.Table.count, lambda lazy: lazy.shape[0]):
        lazy = t.filter(dv.col("x") >= 0)
        assert lazy.num_rows is None and count(lazy) == N == lazy.num_rows  # known from then on
    with pytest.raises(TypeError, match="dv.open"):
        dv.Table()
    with pytest.raises(TypeError):
        hash(t.schema)
    assert copy.copy(t).columns == t.columns and copy.deepcopy(t).count() == N


@pytest.mark.parametrize("key", [
    slice(10, 20), slice(None, 5), slice(95, None), slice(-5, None), slice(None, -95), slice(-10, -5),
    slice(5, 3), slice(90, 200), slice(200, 300), slice(None, None, 10), slice(None, None, -1),
    slice(20, 5, -3), slice(-1, None, -50), slice(3, 30, 1)], ids=str)
def test_slices(t, text, key):
    for table in (t, text, t.filter(dv.col("x") >= 0)):
        assert numbers(table[key]) == list(range(N))[key]
        assert table["x" if "x" in table else "a"][key].to_pylist() == list(range(N))[key]


def test_rows(t, text):
    for table in (t, text):
        for i in (0, 5, N - 1, -1, -N, np.int64(7), np.array(3)):
            assert next(iter(table[i].values())) == int(i) % N
        for i in (N, -N - 1, 1 << 40):
            with pytest.raises(IndexError, match="row"):
                table[i]
    assert t["x"][-1] == N - 1 and t["s"][8] == "é1"
    for key in ([7, 3, 7], np.array([7, 3, 7], "u1"), (np.array([7, 3, 7])), [-93, 3, 7]):
        assert numbers(t[key]) == [7, 3, 7]
    assert numbers(t[[]]) == [] and numbers(t[np.array([], "i4")]) == []
    assert numbers(text[[7, 3, 7]]) == [7, 3, 7]
    assert numbers(t[[7, 3], ...]) == numbers(t[np.array([7, 3]), :]) == [7, 3]  # as scikit-learn does
    for rows in ([0, N], [-N - 1], [1 << 62]):
        with pytest.raises(IndexError, match="row"):
            t[rows]
    mask = np.arange(N) % 3 == 0
    for key in (mask, mask.tolist()):
        assert numbers(t[key]) == numbers(text[key]) == list(range(0, N, 3))
        assert t["x"][key].to_pylist() == list(range(0, N, 3))
    with pytest.raises(IndexError, match="mask"):
        t[mask[:-1]]
    for wrong in (1.5, [1.5], None, object(), ("x", "y"), [["x"]], True, np.zeros((2, 2), int)):
        with pytest.raises(TypeError):
            t[wrong]
    with pytest.raises(TypeError):
        t.take([1.5])


@pytest.mark.parametrize("letter", ["f4", "f8"])
def test_many_takes(tmp_path, letter):
    """The view begins to keep rows side by side on the way, which changes no value."""
    data = np.random.default_rng(1).random((9001, 6)).astype(letter)
    dv.write({f"c{k}": np.ascontiguousarray(data[:, k]) for k in range(6)}, tmp_path / "x.idv", compression="none")
    whole = dv.open(tmp_path / "x.idv")
    part = whole[4000:7000]
    rng = np.random.default_rng(2)
    for round in range(60):
        rows = rng.integers(-3000, 3000, 200)
        table, values = ((whole, data), (part, data[4000:7000]))[round % 2]
        assert np.array_equal(table.take(rows).to_numpy(), values[rows])
        assert np.array_equal(table[["c5", "c1", "c2", "c0"]].take(rows).to_numpy(), values[rows][:, [5, 1, 2, 0]])
        assert np.array_equal(table["c3"].to_numpy(), values[:, 3])
    with pytest.raises(IndexError):
        whole.take([9001])


def test_plan(tmp_path):
    (tmp_path / "x.csv").write_text("a,b,c\n" + "1,2,3\n" * 9)
    table = dv.open(tmp_path / "x.csv")
    assert table.filter("b > 1").plan(["c"], threads=1).splitlines()[:4] == [
        "source   text, rows not counted yet", "columns  2 of 3: c, b", "steps    filter (b > 1)", "order    as stored"]
    assert "epoch of text" in table.shuffle(1, "pool").plan()
    with pytest.raises(KeyError):
        table.plan(["d"])


def test_selecting(t):
    assert t[["s", "x"]].columns == ["s", "x"] and t.select(t["s"], "x").columns == ["s", "x"]
    assert t.select("x", why="y").columns == ["x", "why"] and t.drop("y").columns == ["x", "s"]
    assert t.keep("s", "x").columns == ["x", "s"]
    assert t.rename({"x": "ix"}).columns == t.rename(ix="x").columns == ["ix", "y", "s"]
    assert t.rename(x="y", y="x").columns == ["y", "x", "s"]
    assert t.cast(x="float32", y="str").schema.types == {"x": "R4", "y": "TX", "s": "TX"}
    assert t.cast({"x": np.int16}, y=float).schema.types == {"x": "I2", "y": "R8", "s": "TX"}
    both = t.cast(x="R8").combine("f", ["x", "y"])
    assert both["f"].type == "V<R8,2>" and both[8]["f"] == [8.0, 2.0]
    assert both["f"].slot_names == ["x", "y"]
    assert t.cast(x="R8").combine("f", {"one": "x", "two": "y"})["f"].slot_names == ["one", "two"]
    assert t[3:6].with_row_number("n")["n"].to_pylist() == [0, 1, 2]
    for wrong in (lambda: t["X"], lambda: t[["x", "why"]], lambda: t.drop("why"), lambda: t.select("zz"),
                  lambda: t.rename(why="zz"), lambda: t.cast(zz="R4"), lambda: t.combine("f", ["zz"]),
                  lambda: t.batches(["zz"]), lambda: t.dropna("zz"), lambda: t.to_csr("zz"),
                  lambda: t.value_counts("zz"), lambda: t.write("/nowhere.idv", columns=["zz"]),
                  lambda: t.stats(["zz"]), lambda: t.between("zz", 1), lambda: t.keep("zz"),
                  lambda: next(iter(t.batches()))["zz"]):
        with pytest.raises(dv.ColumnNotFound, match="there (are|is)") as caught:
            wrong()
        assert isinstance(caught.value, KeyError) and "'" in str(caught.value)
    with pytest.raises(dv.ColumnNotFound, match="did you mean 'x'"):
        t["X"]
    assert t.schema[-3].name == t.schema[np.int64(0)].name == "x"
    for wrong in (3, -4):
        with pytest.raises(IndexError, match=f"no column {wrong}: there are 3"):
            t.schema[wrong]
    with pytest.raises(TypeError):
        t.schema[0.5]


def test_hidden_columns():
    t = dv.open(golden.ROOT / "tests/golden/idv/names-duplicate-kept.idv")
    hidden = [f for f in t.schema.fields if f.is_hidden]
    assert hidden and len(t.schema) < len(t.schema.fields)
    for field in hidden:
        assert t.schema[field.index] is field
        for batch in t.batches([field.index]):
            assert len(batch[0].to_pylist()) == len(batch)
        with pytest.raises(dv.ArgumentError, match="hidden"):
            t.column(field.index)
    shown = t.schema[t.columns[0]]
    assert t.column(shown.index).columns == [shown.name]


def test_several(t):
    assert numbers(dv.concat([t[:3], t[5:7]])) == [0, 1, 2, 5, 6]
    assert dv.zip([t[["x"]], t[["y"]][:4]]).to_pydict() == {"x": [0, 1, 2, 3], "y": [0, .25, .5, .75]}
    for wrong in (t, [t, "x"], [], 5):
        with pytest.raises((TypeError, ValueError)):
            dv.concat(wrong)
        with pytest.raises((TypeError, ValueError)):
            dv.zip(wrong)
    with pytest.raises(dv.ArgumentError):
        dv.concat([t, t[["x"]]])


def test_everyday_verbs(t, text):
    for table in (t, text):
        assert numbers(table.head(3)) == [0, 1, 2] and numbers(table.tail(2)) == [98, 99]
        assert table.tail(1000).count() == N and table.head().count() == 5
        some = numbers(table.sample(10, seed=4))
        assert some == sorted(set(some)) and len(some) == 10
        assert some == numbers(table.sample(10, seed=4)) != numbers(table.sample(10, seed=5))
        with pytest.raises(ValueError, match="100 rows"):
            table.sample(101)
        train, test = table.split(0.8, 0.2, shuffle=True, seed=1)
        assert train.count() == 80 and sorted(numbers(train) + numbers(test)) == list(range(N))
        assert numbers(table.split(0.5, 0.5)[1]) == list(range(50, 100))
        assert sorted(numbers(table.shuffle(3, kind="pool"))) == list(range(N))
        for order in (lambda seed: table.shuffle(seed, kind="pool"), table.bootstrap):  # as ML.NET's seeds
            assert numbers(order(-5)) == numbers(order(2**32 - 5)) != numbers(order(5))
        with pytest.raises(ValueError, match="seed"):
            table.shuffle(-2**63 - 1, kind="pool")
        kept = table.cache()
        assert sorted(numbers(kept.shuffle(3))) == list(range(N)) != numbers(kept.shuffle(3))
        assert numbers(table.materialize()) == list(range(N))
        assert sum(table.map_batches(len)) == N
        assert table.equals(table.materialize()) and not table.equals(table[:-1])
    shares = [numbers(t.shuffle(1).shard(i, 3)) for i in range(3)]
    assert sorted(sum(shares, [])) == list(range(N))
    parts = t.split(0.5, 0.5, stratify="s", shuffle=True)
    assert all(abs(a - b) <= 1 for a, b in zip(*(p.value_counts("s").values() for p in parts)))
    with pytest.raises(ValueError, match="fractions"):
        t.split(0.5, 0.2)
    with pytest.raises(dv.ArgumentError, match="cache"):
        text.shuffle()
    assert t.value_counts("s", 2) == {"é0": 15, "é1": 15}
    assert t["s"].unique() == [f"é{i}" for i in range(7)]
    with pytest.raises(dv.LimitError, match="exact_distinct"):
        t.value_counts("x", exact_distinct=10)
    assert (t["x"].min(), t["x"].max(), t["x"].mean(), t["x"].na_count()) == (0, 99, 49.5, 0)
    assert t.verify() == [] and golden.same(t.describe().stats, t.stats())
    assert "median" in repr(t.describe()) and "<table>" in t.describe()._repr_html_()


def test_stratify_with_na():
    t = dv.from_numpy({"y": [1.0, np.nan] * 50, "v": np.zeros((100, 2))})
    train, test = t.split(0.8, 0.2, stratify="y")
    assert train["y"].na_count() == 40 and test["y"].na_count() == 10
    with pytest.raises(TypeError, match="vector"):
        t.split(0.8, 0.2, stratify="v")


def test_groups_stay_together():
    values = {"text": [None if i % 9 == 4 else f"g{i * i % 23}" for i in range(200)],
              "real": [np.nan if i % 7 == 3 else i % 11 / 2 for i in range(200)], "row": list(range(200))}
    t = dv.from_numpy(values)
    for name in ("text", "real"):
        for shuffle in (False, True):
            parts = t.split(0.7, 0.3, group=name, seed=4, shuffle=shuffle)
            seen = [{str(value) for value in part[name]} for part in parts]
            assert seen[0] and seen[1] and not seen[0] & seen[1]
            assert sorted([*parts[0]["row"], *parts[1]["row"]]) == values["row"]
            assert (list(parts[0]["row"]) == sorted(parts[0]["row"])) is not shuffle
            assert list(t.split(0.7, 0.3, group=t[name], seed=4, shuffle=shuffle)[1]["row"]) == list(parts[1]["row"])
        assert list(t.split(0.7, 0.3, group=name, seed=5)[1]["row"]) != list(parts[1]["row"])
    with pytest.raises(ValueError, match="stratify"):
        t.split(0.5, 0.5, group="text", stratify="real")
    with pytest.raises(TypeError, match="group by"):
        dv.from_numpy({"v": np.zeros((9, 2))}).split(0.5, 0.5, group="v")
    with pytest.raises(KeyError):
        t.split(0.5, 0.5, group="no")


def test_columns(t):
    x = t["x"]
    assert len(x) == N and list(x)[:3] == [0, 1, 2] and x.type == "I8" and x.field.name == "x"
    assert repr(x) == "<Column 'x': int64 I8, 100 rows>" and x[2:4].to_pylist() == [2, 3]
    assert t["x"][t["s"] == "é1"].to_pylist() == list(range(1, N, 7))
    with pytest.raises(TypeError, match="truth value"):
        bool(x)
    with pytest.raises(TypeError):
        x["y"]
    assert np.asarray(x).tolist() == list(range(N)) and np.asarray(t[["x"]])[7] == 7


def test_equals(t):
    assert t.equals(t) and t.equals(dv.concat([t[:10], t[10:]])) and not t.equals(t.drop("s"))
    assert not t.equals(t.rename(z="x")) and not t.equals(t.cast(x="R8")) and not t.equals(t[::-1])
    assert not t.equals(t[:50]) and not t[:50].equals(t)
    a = dv.from_numpy({"x": [1, None], "r": [np.nan, -0.0]})
    assert a.equals(dv.from_numpy({"x": [1, None], "r": [np.nan, -0.0]}))
    assert not a.equals(dv.from_numpy({"x": [1, 2], "r": [np.nan, -0.0]}))
    assert not a.equals(dv.from_numpy({"x": [1, None], "r": [np.nan, 0.0]}))
    with pytest.raises(TypeError):
        t.equals(5)


def test_closed(sample, t):
    with dv.open(sample) as table:
        cursor = table.batches()
        batch = next(cursor)
        derived = table[:5]
    for use in (lambda: table["Age"], lambda: table.schema, lambda: len(table), lambda: table.batches(),
                lambda: table[:5], lambda: list(table.iter_rows()), lambda: table.identity(),
                lambda: table.__arrow_c_stream__(), lambda: table.count(), lambda: dv.concat([table])):
        with pytest.raises(ValueError, match="closed"):
            use()
    assert repr(table) == "<closed Table>" and "closed" in table._repr_html_()
    assert len(derived.to_pylist()) == 5 and len(batch) == 128 and len(list(cursor)) == 4
    cursor.close()
    cursor.close()
    with pytest.raises(ValueError, match="closed"):
        next(cursor)
    table.close()


def test_repr(sample, t, text):
    assert "600 rows" in repr(dv.open(sample)) and "user 0" in repr(dv.open(sample))
    assert "100 rows" in repr(text)
    lazy = t.filter(dv.col("x") > 3)
    assert "more than 5 rows" in repr(lazy) and "é4" in repr(lazy)
    for wide in (dv.concat([lazy, lazy]), lazy.head(2), dv.zip([lazy, t.rename(z="x")])):
        assert "é4" in repr(wide)
    html = dv.from_numpy({"<b>": ["<script>", "x" * 100]})._repr_html_()
    assert "<script>" not in html and "&lt;script&gt;" in html and "x" * 50 not in html
    lines = dv.from_numpy({"a": ["one\ntwo \x07 \u200b"]})
    assert r"one\ntwo \x07 \u200b" in repr(lines)
    assert repr(dv.from_numpy({})) and repr(t.schema).splitlines()[0].startswith("x")
    one = next(iter(t.batches()))
    assert "100 rows" in repr(one) and "'x'" in repr(one["x"]) and "I8" in repr(one["x"])


def test_batches(t):
    batch = next(iter(t.batches(rows=10)))
    assert list(batch) == batch.columns == ["x", "y", "s"] and "x" in batch and "z" not in batch
    assert batch[0].name == batch[-3].name == batch[np.int64(0)].name == "x"
    for wrong in (3, -4):
        with pytest.raises(IndexError):
            batch[wrong]
    x = batch["x"]
    assert (x[3], x[-1], list(x), len(x)) == (3, 9, list(range(10)), 10)
    for wrong in (10, -11):
        with pytest.raises(IndexError):
            x[wrong]
    assert [b.first_row for b in t.batches(rows=30)] == [0, 30, 60, 90]
    assert [len(b) for b in t.batches(rows=30)] == [30, 30, 30, 10]
    assert numbers(t[5:]) == [v for b in t.batches(start=5) for v in b["x"]]
    assert [v for b in t.batches(start=5, stop=8) for v in b["x"]] == [5, 6, 7]
    ids = next(iter(t.batches(ids=True, rows=4))).ids
    assert len(ids) == 8 and batch.ids is None
    cursor = t.batches(["x"], rows=30)
    next(cursor)
    rest = [v for b in t.batches(["x"], token=cursor.token()) for v in b["x"]]
    assert rest == list(range(30, N))
    with pytest.raises(dv.ArgumentError):
        t[:50].batches(token=cursor.token())
    for name, value in (("rows", "many"), ("rows", -5), ("threads", 1.5), ("start", "x"), ("token", 5)):
        with pytest.raises((TypeError, ValueError), match=f"{name}|batch_rows|first_row|cursor option"):
            list(t.batches(**{name: value}))


def test_metadata_and_types():
    field = dv.open(golden.ROOT / "tests/golden/idv/metadata-raw.idv").schema["label"]
    assert "KeyValues" in field.metadata and field.metadata.get("nothing") is None
    assert dict(field.metadata.items())["KeyValues"] == field.metadata["KeyValues"]
    with pytest.raises(KeyError, match="KeyValues"):
        field.metadata["keyvalues"]
    assert dv.Type("V<U4[0-9],2,3>").shape == (2, 3) and dv.Type("U4[5-9]").key_min == 5
    assert dv.Type("R4") == "float32" == dv.Type("R4") != dv.Type("R8") and dv.Type("R4") != 5
    assert {dv.Type("R4"): 1}[dv.Type("R4")] == 1 and dv.Type("V<TX,*>").word == "string[*]"
    for wrong in ("R5", "V<R4", "", "V<V<R4,2>,2>", "U4[9-0]"):
        with pytest.raises(ValueError):
            dv.Type(wrong)


@pytest.mark.parametrize("type_,notation", [
    (int, "I8"), (float, "R8"), (str, "TX"), (bool, "BL"), (bytes, "BY"), ("float32", "R4"),
    (np.float32, "R4"), (np.dtype(">i4"), "I4"), (np.dtype("U5"), "TX"), ("datetime64[s]", "DT"),
    (np.dtype("M8[ns]"), "DT"), (np.dtype("m8[ms]"), "TS"), ("string", "TX"), ("Int64", "I8"),
    (np.dtype("S3"), "BY"), (np.dtype(object), "TX"), ("timedelta64[ns]", "TS")], ids=str)
def test_words(type_, notation):
    from libdataview._types import as_type

    assert as_type(type_).notation == notation


def test_open(tmp_path, monkeypatch):
    assert dv.write({"x": [1, 2]}, tmp_path / "a.idv") == 2
    assert dv.write({"x": [3]}, tmp_path / "b.idv") == 1
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    for source in ("a.idv", pathlib.Path("a.idv"), b"a.idv" and "./a.idv", ["a.idv"], str(tmp_path / "a.idv")):
        assert numbers(dv.open(source)) == [1, 2]
    data = (tmp_path / "a.idv").read_bytes()
    for source in (data, bytearray(data), memoryview(data)):
        assert numbers(dv.open(source)) == [1, 2]
    for source in ("*.idv", ["a.idv", "b.idv"], ".", tmp_path, ("?.idv",)):
        assert numbers(dv.open(source)) == [1, 2, 3]
    for missing in ("c.idv", "*.csv", ["a.idv", "c.idv"]):
        with pytest.raises(FileNotFoundError) as caught:
            dv.open(missing)
        assert caught.value.errno == 2 and isinstance(caught.value, dv.Error)
    with pytest.raises(dv.UnsupportedError, match="empty: directory: expected files of a known format, found none"):
        dv.open("empty")
    with pytest.raises(TypeError, match="Table already"):
        dv.open(dv.open("a.idv"))
    for wrong in (5, None, object(), open("a.idv", "rb")):
        with pytest.raises(TypeError, match="path"):
            dv.open(wrong)
    with pytest.raises(ValueError):
        dv.open([])
    with pytest.raises(ValueError):
        dv.open("a\0.idv")
    with pytest.raises(TypeError, match="did you mean 'format'"):
        dv.open("a.idv", fromat="idv")
    with pytest.raises(ValueError, match="auto mmap pread"):
        dv.open("a.idv", io="magic")
    with pytest.raises(TypeError, match="format"):
        dv.open("a.idv", format=5)
    with pytest.raises(TypeError, match="columns"):
        dv.open("a.idv", columns="many")


def test_from_numpy_owns_its_arrays():
    x = np.arange(5)
    mine, lent = dv.from_numpy({"x": x}), dv.from_numpy({"x": x}, copy=False)
    x[0] = 99
    assert mine["x"].to_pylist()[0] == 0 and lent["x"].to_pylist()[0] == 99
    assert next(iter(mine.batches())).position == 0


def test_a_cast_hides_nothing():
    table = dv.from_numpy({"x": np.array(["12", "abc", ""])})
    with pytest.raises(dv.LossError, match='column "x": conversion: expected a value of U4, which has no NA, found abc'):
        table.cast(x="U4").to_pylist()
    with pytest.raises(dv.LossError, match='expected a value of I4, found abc .*; the step convert makes NA of it'):
        table.cast(x="I4").to_pylist()
    with pytest.raises(dv.LossError, match="expected a value of I1, found a number that does not fit"):
        dv.from_numpy({"x": [1, None, 128]}).cast(x="int8").to_pylist()
    assert table.cast(x="I4", strict=False)["x"].to_pylist() == [12, None, 0]  # as in ML.NET
    assert table[[0, 2]].cast(x="I4")["x"].to_pylist() == [12, None]
    assert table.slice(0, 1).cast(x="U4")["x"].to_pylist() == [12]


def test_utf16_damage_is_that_of_utf8(tmp_path):
    """Regression: half a surrogate pair, and an odd last byte, were not reported."""
    (tmp_path / "good.csv").write_bytes(b"a,b\n1,x\n")
    (tmp_path / "8.csv").write_bytes(b"a,b\n2,y\xff\n3,z\n4,\xff")
    for name, codec, mark, half in (("le", "utf-16-le", b"\xff\xfe", "\ud83d"), ("be", "utf-16-be", b"\xfe\xff", "\ude00")):
        (tmp_path / f"{name}.csv").write_bytes(mark + f"a,b\n2,y{half}\n3,z\n4,".encode(codec, "surrogatepass") + b"x")
    found = []
    for name in ("8", "le", "be"):
        table = dv.open([tmp_path / "good.csv", tmp_path / f"{name}.csv"])
        assert table["b"].to_pylist() == ["x", "y\ufffd", "z", "\ufffd"]
        encoding = {"8": "UTF-8", "le": "UTF-16LE", "be": "UTF-16BE"}[name]
        verdict, = table.verify()
        assert verdict["expected"] == encoding
        found.append(verdict["message"].partition("column")[2].replace(encoding, "?").replace(
            " (perhaps option encoding=windows-1252 reads them)", ""))
        with pytest.raises(dv.LossError, match=f"row 0: .*{encoding}"):
            dv.open(tmp_path / f"{name}.csv", bad_fields="refuse").to_pylist()
    assert found[0] == found[1] == found[2] and "2 rows have bytes that are not ? and" in found[0]


def test_a_cast_reads_dates_as_the_file_is_read(tmp_path):
    """Regression: a cast knew no order of dates, not even the one that the file was opened with."""
    day = functools.partial(datetime.datetime, 2023)
    path = tmp_path / "dates.csv"
    path.write_text("d,n\n1/2/2023,1\n17/2/2023,2\n")
    for text in ("auto type=d:TX", "auto type=d:TX date=dmy", "auto type=d:TX date=%d/%m/%Y"):
        table = dv.open(path, text=text)
        assert table.cast(d="DT")["d"].to_pylist() == [day(2, 1), day(2, 17)], text
        assert table.rename(e="d").filter("n < 2").cast(e="DT")["e"].to_pylist() == [day(2, 1)]
        assert dv.concat([table, table])[[2]].cast(d="DT")["d"].to_pylist() == [day(2, 1)]
    path.write_text("d,n\n1/2/2023,1\n3/4/2023,2\n")
    table = dv.open(path)
    with pytest.warns(dv.DataWarning, match="date=dmy"):
        table.to_pylist()
    with pytest.raises(dv.LossError, match="found 1/2/2023 .*date=dmy, date=mdy or date=FORMAT"):
        table.cast(d="DT").to_pylist()
    assert table.cast(d="DT", strict=False)["d"].to_pylist() == [None, None]
    assert dv.open(path, text="auto type=d:TX date=mdy").cast(d="DT")["d"].to_pylist() == [day(1, 2), day(3, 4)]


def test_the_step_convert_has_an_order_of_dates(tmp_path):
    table = dv.from_numpy({"d": np.array(["1/2/2023", "17/2/2023", "x"])})
    day = functools.partial(datetime.datetime, 2023)
    for date, wanted in ((None, [day(1, 2), None, None]), ("dmy", [day(2, 1), day(2, 17), None]),
                         ("%d/%m/%Y", [day(2, 1), day(2, 17), None])):
        fitted = dv.pipe.convert("d", type="DT", date=date).fit(table)
        fitted.save(tmp_path / "p.dvp")
        for p in (fitted, dv.Pipeline.load(tmp_path / "p.dvp")):
            assert p.apply(table)["d"].to_pylist() == wanted, date
    with pytest.raises(ValueError, match="date: dmy, mdy or ymd"):
        dv.pipe.convert("d", type="DT", date="%d").fit(table)
    with pytest.raises(ValueError, match="date: it is for texts that become DT or DZ"):
        dv.pipe.convert("d", type="R8", date="dmy").fit(table)
