# SPDX-License-Identifier: MIT
"""Arrays of NumPy: what NA becomes, dtypes, who owns the bytes, matrices."""

import datetime as dt

import pytest

np = pytest.importorskip("numpy")
import libdataview as dv  # noqa: E402

MICRO = dt.timedelta(microseconds=1)
DAY = dt.datetime(2024, 2, 29, 12, 30, 15, 123456)


def made(type_, values):
    """A table of a column x whose values were text."""
    return dv.from_numpy({"x": ["" if v == "" else v for v in values]}).cast(x=type_, strict=False)


INTEGERS = ["I1", "I2", "I4", "I8"]
UNSIGNED = ["U1", "U2", "U4", "U8"]
REALS = ["R4", "R8"]
DTYPES = {"I1": "i1", "I2": "i2", "I4": "i4", "I8": "i8", "U1": "u1", "U2": "u2", "U4": "u4",
          "U8": "u8", "R4": "f4", "R8": "f8"}
with_na = {  # type -> values, the second of which is NA
    **{t: ["1", None, "3"] for t in INTEGERS + REALS},
    "U1[0-9]": ["1", None, "3"], "U4[5-9]": ["6", None, "8"], "U8": ["1", "2", "3"],
    "BL": ["1", None, "0"],
}


@pytest.mark.parametrize("type_", INTEGERS)
def test_integers(type_):
    x = made(type_, ["1", None, "3"])["x"]
    with pytest.raises(dv.NAError) as caught:
        x.to_numpy()
    assert (caught.value.column, caught.value.row, caught.value.type) == ("x", 1, type_)
    assert "na='nan'" in str(caught.value) and "'x'" in str(caught.value)
    floating = x.to_numpy(na="nan")
    assert floating.dtype == ("f4" if type_ in ("I1", "I2") else "f8")
    assert np.array_equal(floating, [1, np.nan, 3], equal_nan=True)
    masked = x.to_numpy(na="mask")
    assert masked.dtype == DTYPES[type_] and masked.tolist() == [1, None, 3]
    assert masked.data[1] == 0  # what the mask hides is no sentinel either
    assert x.to_numpy(na="keep").tolist() == [1, np.iinfo(DTYPES[type_]).min, 3]
    assert x.to_numpy(na=7).tolist() == [1, 7, 3] and x.to_numpy(na=7).dtype == DTYPES[type_]
    assert x.to_numpy("f8", na=0.5).tolist() == [1, 0.5, 3]
    assert np.array_equal(x.to_numpy("f4"), np.array([1, np.nan, 3], "f4"), equal_nan=True)
    assert x.to_numpy(object).tolist() == [1, None, 3]
    for wrong in (0.5, 1 << 70, "seven", dt.timedelta(1), None):
        with pytest.raises(ValueError, match="na="):
            x.to_numpy(na=wrong)


@pytest.mark.parametrize("type_", INTEGERS + UNSIGNED)
def test_integers_without_na(type_):
    x = made(type_, ["1", "2", "3"])["x"]
    for na in ("raise", "keep", 0):
        assert x.to_numpy(na=na).tolist() == [1, 2, 3] and x.to_numpy(na=na).dtype == DTYPES[type_]
    assert x.to_numpy(na="nan").dtype.kind == ("u" if type_[0] == "U" else "f")


@pytest.mark.parametrize("type_", REALS)
def test_reals(type_):
    x = made(type_, ["1.5", None, "-0"])["x"]
    for na in ("raise", "nan", "keep"):
        assert np.array_equal(x.to_numpy(na=na), [1.5, np.nan, 0], equal_nan=True)
        assert x.to_numpy(na=na).dtype == DTYPES[type_] and np.signbit(x.to_numpy(na=na)[2])
    assert x.to_numpy(na=9).tolist() == [1.5, 9, 0]
    assert x.to_numpy(na="mask").tolist() == [1.5, None, 0]
    with pytest.raises(dv.NAError) as caught:
        x.to_numpy("i4")
    assert caught.value.row == 1
    with pytest.raises(dv.LossError, match="column 'x', row 0: 1.5"):
        x.to_numpy("i4", na=0)
    for dtype in ("f2", "f4", "f8", "c8"):
        assert x.to_numpy(dtype).dtype == dtype and x.to_numpy(dtype)[0] == 1.5
    assert made(type_, ["1", "-2"])["x"].to_numpy("i2").tolist() == [1, -2]
    with pytest.raises(dv.LossError):
        made(type_, ["1e30"])["x"].to_numpy("i8")


def test_what_does_not_fit_is_refused():
    with pytest.raises(dv.LossError, match="row 1: 300"):
        made("I4", ["1", "300"])["x"].to_numpy("i1")
    with pytest.raises(dv.LossError, match="row 0: -1"):
        made("I4", ["-1"])["x"].to_numpy("u8")
    with pytest.raises(dv.LossError):
        made("U8", [str((1 << 64) - 1)])["x"].to_numpy("i8")
    with pytest.raises(dv.LossError):
        made("I4", ["2"])["x"].to_numpy(bool)
    with pytest.raises(dv.LossError):
        made("DT", ["0001-01-02T00:00:00"])["x"].to_numpy("M8[ns]")


def test_bool():
    x = made("BL", ["1", None, "0"])["x"]
    with pytest.raises(dv.NAError):
        x.to_numpy()
    assert x.to_numpy(na=True).tolist() == [True, True, False] and x.to_numpy(na=0).dtype == bool
    assert x.to_numpy(na="mask").tolist() == [True, None, False]
    assert x.to_numpy(na="nan").dtype == np.float32
    assert np.array_equal(x.to_numpy("f8"), [1, np.nan, 0], equal_nan=True)
    assert x.to_numpy(object).tolist() == [True, None, False]
    assert x.to_numpy(na="keep").dtype == np.int8
    with pytest.raises(ValueError, match="na=2"):
        x.to_numpy(na=2)


def test_keys():
    x = made("U4[5-9]", ["5", None, "9", "10"])["x"]
    assert x.to_pylist() == [0, None, 4, None]
    with pytest.raises(dv.NAError) as caught:
        x.to_numpy()
    assert caught.value.row == 1
    assert x.to_numpy(na=-1).tolist() == [0, -1, 4, -1] and x.to_numpy(na=-1).dtype == np.int64
    assert x.to_numpy(na=-1, values=True).tolist() == [5, -1, 9, -1]
    assert x.to_numpy(na="mask", values=True).tolist() == [5, None, 9, None]
    assert x.to_numpy(na="keep").tolist() == [1, 0, 5, 0]
    assert x.to_numpy(object).tolist() == [0, None, 4, None]
    assert np.array_equal(x.to_numpy("f4"), [0, np.nan, 4, np.nan], equal_nan=True)


def test_times():
    texts = ["2024-02-29T12:30:15.1234567", None, "1969-12-31T23:59:59.9999999"]
    x = made("DT", texts)["x"]
    floored = [DAY, None, dt.datetime(1969, 12, 31, 23, 59, 59, 999999)]
    assert x.to_numpy().dtype == "M8[us]" and x.to_numpy().tolist() == floored == x.to_pylist()
    assert x.to_numpy(na="mask").tolist() == floored
    assert x.to_numpy(na=DAY).tolist() == [DAY, DAY, floored[2]]
    assert x.to_numpy(na=np.datetime64(0, "s")).tolist()[1] == dt.datetime(1970, 1, 1)
    assert x.to_numpy("M8[s]").tolist()[0] == DAY.replace(microsecond=0)
    assert x.to_numpy("M8[ns]")[0] == np.datetime64(DAY)
    assert np.isnan(x.to_numpy("f8")[1]) and x.to_numpy("f8")[2] == -1
    with pytest.raises(dv.NAError):
        x.to_numpy("i8")
    for wrong in (0, 1.5, "1970"):
        with pytest.raises(ValueError, match="na="):
            x.to_numpy(na=wrong)
    spans = made("TS", ["-0.00:00:00.0000001", None, "1.00:00:00"])["x"]
    assert spans.to_numpy().tolist() == [-MICRO, None, dt.timedelta(1)] == spans.to_pylist()
    zoned = made("DZ", ["2024-02-29T14:30:15.123456+02:00", None])["x"]
    assert zoned.to_numpy().tolist() == [DAY, None]
    assert zoned.to_pylist()[0].utcoffset() == dt.timedelta(hours=2)


def test_text():
    x = dv.from_numpy({"x": ["zwölf", None, "", "日本\0", "🙂"]})["x"]
    assert x.to_numpy().tolist() == ["zwölf", None, "", "日本\0", "🙂"] == x.to_pylist()
    assert x.to_numpy(na="?").tolist() == ["zwölf", "?", "", "日本\0", "🙂"]
    assert x.to_numpy(na="mask").tolist() == ["zwölf", None, "", "日本\0", "🙂"]
    with pytest.raises(dv.NAError):
        x.to_numpy(str)
    assert x.to_numpy(str, na="").tolist() == ["zwölf", "", "", "日本", "🙂"]  # NumPy cuts NUL
    if hasattr(np.dtypes, "StringDType"):
        assert x.to_numpy("T").tolist() == ["zwölf", None, "", "日本\0", "🙂"]
    many = dv.from_numpy({"x": [str(i) * (i % 3 + 1) for i in range(5000)]})["x"]
    parts = dv.concat([many.table, many.table])["x"].to_numpy(str)
    assert parts.tolist() == many.to_pylist() * 2
    assert dv.from_numpy({"x": [b"\xff\0", b""]})["x"].to_numpy().tolist() == [b"\xff\0", b""]


def test_guid():
    x = dv.open(b"0x00000000000000010000000000000002\n", format="text", text="col=x:UG:0")["x"]
    assert x.to_numpy()["hi"].tolist() == [1] and x.to_numpy()["lo"].tolist() == [2]
    assert x.to_pylist() == [(1 << 64) + 2]


@pytest.mark.parametrize("dtype", ["float32", np.float32, np.dtype("f4"), "f4", "R4", dv.Type("R4")])
def test_dtypes(dtype):
    assert made("I4", ["1"])["x"].to_numpy(dtype).dtype == np.float32


def test_dtypes_of_the_notation():
    x = made("I8", ["1"])["x"]
    assert [x.to_numpy(t).dtype for t in ("I1", "U4", "R8", "BL", "TX", int, float, bool)] == [
        "i1", "u4", "f8", "?", "O", "i8", "f8", "?"]
    with pytest.raises(TypeError):
        x.to_numpy(dv.Type("V<R4,2>"))
    with pytest.raises(TypeError):
        x.to_numpy("no dtype")


# --- Vectors --------------------------------------------------------------------------------------


def test_matrices_of_columns():
    t = dv.from_numpy({"v": np.arange(12, dtype="i4").reshape(2, 3, 2), "n": [1, 2]})
    assert t["v"].type == "V<I4,3,2>" and t["v"].to_numpy().shape == (2, 3, 2)
    masked = np.ma.MaskedArray([[1, 2], [3, 4]], [[0, 0], [1, 0]], "i2")
    x = dv.from_numpy({"x": masked})["x"]
    with pytest.raises(dv.NAError) as caught:
        x.to_numpy()
    assert caught.value.row == 1
    assert x.to_numpy(na=9).tolist() == [[1, 2], [9, 4]]
    assert x.to_numpy(na="mask").tolist() == [[1, 2], [None, 4]]
    assert np.array_equal(x.to_numpy("f4"), [[1, 2], [np.nan, 4]], equal_nan=True)
    days = np.array([["2024-01-01", "NaT"]], "M8[us]")
    assert np.array_equal(dv.from_numpy({"d": days})["d"].to_numpy(), days, equal_nan=True)
    flags = np.ma.MaskedArray([[True, False]], [[False, True]])
    with pytest.raises(dv.NAError):
        dv.from_numpy({"b": flags})["b"].to_numpy()
    assert dv.from_numpy({"b": flags})["b"].to_numpy(na=True).tolist() == [[True, True]]
    keys = dv.from_numpy({"k": [[1, 2], [3, 0]]}).cast(k="U1[0-2]", strict=False)["k"]
    with pytest.raises(dv.NAError) as caught:
        keys.to_numpy()
    assert caught.value.row == 1 and keys.to_numpy(na=-1).tolist() == [[1, 2], [-1, 0]]
    words = dv.from_numpy({"w": np.array([["a", "b"], ["c", "d"]])})["w"]
    assert words.to_numpy().tolist() == [["a", "b"], ["c", "d"]]


def test_wide_vectors():
    x = dv.from_numpy({"x": np.eye(3, 9000, dtype="f4")})["x"]
    with pytest.raises(ValueError, match="to_csr"):
        x.to_numpy()
    assert np.array_equal(x.to_numpy(dense=True), np.eye(3, 9000, dtype="f4"))
    assert x[0] == dict(enumerate([1.0] + [0.0] * 8999))


# --- Rows of errors -------------------------------------------------------------------------------


@pytest.mark.parametrize("rows", [1, 3, 7, 0])
def test_row_is_that_of_the_table(tmp_path, rows):
    values = np.ma.MaskedArray(np.arange(100), np.arange(100) == 63)
    dv.write({"x": values, "y": np.arange(100.0)}, tmp_path / "x.idv", rows_per_block=rows or 8)
    t = dv.open(tmp_path / "x.idv")
    for table, row in ((t, 63), (t[10:], 53), (t[[5, 63, 2]], 1), (t[t["y"] >= 60], 3)):
        with pytest.raises(dv.NAError) as caught:
            table["x"].to_numpy()
        assert caught.value.row == row
        with pytest.raises(dv.NAError) as caught:
            table.to_numpy(["y", "x"], na="raise")
        assert (caught.value.row, caught.value.column) == (row, "x")
        with pytest.raises(dv.NAError):
            table.to_numpy(["x"], "i8")
        found = []
        for batch in table.batches(["x"], rows=rows):
            try:
                np.asarray(batch["x"])
            except dv.NAError as error:
                found.append(error.row)
        assert found == [row]


# --- Who owns the bytes ---------------------------------------------------------------------------


def test_batches_lend_and_columns_own(sample):
    t = dv.open(sample)
    for batch in t.batches(["Age"]):
        lent = np.asarray(batch["Age"])
        assert not lent.flags.writeable and not lent.flags.owndata
        with pytest.raises(ValueError):
            lent[0] = 1
        with pytest.raises(ValueError):
            lent.flags.writeable = True
        copy = batch["Age"].to_numpy(copy=True)
        copy[0] = 1
        assert np.array(batch["Age"]).flags.writeable
        assert batch["Age"].to_numpy(copy=False).__array_interface__["data"] == \
            lent.__array_interface__["data"]
        with pytest.raises(ValueError, match="copy=False"):
            batch["Age"].to_numpy("f8", copy=False)
    for name in t.columns:
        array = t[name].to_numpy(na="mask")
        assert np.ma.getdata(array).flags.writeable
    for part in t["Tags"].to_numpy():
        assert isinstance(part, list)
    with pytest.raises(ValueError, match="copied"):
        np.asarray(t["Age"], copy=False) if np.lib.NumpyVersion(np.__version__) >= "2.0.0" \
            else t["Age"].__array__(copy=False)
    assert np.asarray(t["Age"]).dtype == np.float32 and np.asarray(t["Age"], "f8").dtype == np.float64


# --- Matrices of tables ---------------------------------------------------------------------------


def test_matrix():
    t = dv.from_numpy({"a": [1, None, 3], "b": [True, False, None], "v": np.ones((3, 2), "f4"),
                       "s": ["x", "y", "z"], "d": np.array(["NaT"] * 3, "M8[us]")})
    m = t.to_numpy(["a", "b", "v"])
    assert m.dtype == np.float64 and m.flags.writeable and m.flags.c_contiguous
    assert t.to_numpy(["a", "b", "v"], "f4").dtype == t.to_numpy(["b", "v"]).dtype == np.float32
    assert np.array_equal(m, [[1, 1, 1, 1], [np.nan, 0, 1, 1], [3, np.nan, 1, 1]], equal_nan=True)
    assert t.to_numpy(["a", "b"], na=-1).tolist() == [[1, 1], [-1, 0], [3, -1]]
    assert t.to_numpy(["a", "b"], "i8", na=-1).tolist() == [[1, 1], [-1, 0], [3, -1]]
    with pytest.raises(dv.NAError):  # int64 has no NaN
        t.to_numpy(["a"], "i8")
    with pytest.raises(ValueError, match="na=0.5"):
        t.to_numpy(["a"], "i8", na=0.5)
    for left in (["s"], ["d"], None):
        with pytest.raises(TypeError, match="no place for"):
            t.to_numpy(left)
    with pytest.raises(TypeError, match="'v'"):
        t.to_numpy(["a", "v"], "i8")
    with pytest.raises(ValueError, match="float32, float64 or int64"):
        t.to_numpy(["a"], "i4")
    assert np.asarray(t[["a", "b"]]).dtype == np.float64 and np.asarray(t[["b", "v"]]).dtype == np.float32
    keys = t[["a"]].cast(a="U1[0-9]")
    assert keys.to_numpy(["a"], "i8", na=-1).tolist() == [[1], [-1], [3]]
    with pytest.raises(TypeError, match="no place"):
        keys.to_numpy()
    for batch in t.batches(["a", "v"], rows=2):
        assert batch.dense().shape == (len(batch), 3)
        with pytest.raises((dv.Error, ValueError)):
            batch.fill_dense(np.empty((len(batch), 1), "f4"), "f", 1, {})
    assert t.to_numpy([]).shape == (3, 0)


# --- Nothing --------------------------------------------------------------------------------------

EVERY = ["I1", "I2", "I4", "I8", "U1", "U2", "U4", "U8", "R4", "R8", "BL", "TX", "TS", "DT", "DZ",
         "U4[0-9]", "U8[0-*]"]


@pytest.mark.parametrize("type_", EVERY)
@pytest.mark.parametrize("how", ["slice", "filter"])
def test_empty(type_, how):
    full = made(type_, ["1" if type_ not in ("DT", "DZ", "TS") else "2024-01-01"])
    empty = full[:0] if how == "slice" else full.filter(dv.col("x").is_na(), dv.col("x").is_valid())
    for options in ({}, {"na": "nan"}, {"na": "mask"}, {"values": True}, {"dtype": object}):
        got, want = empty["x"].to_numpy(**options), full["x"].to_numpy(**{"na": "mask", **options}) \
            if type_ in ("TS", "DT", "DZ") else full["x"].to_numpy(**options)
        assert got.shape == (0,) and got.dtype == want.dtype, options
    assert empty["x"].to_pylist() == [] and empty.to_pydict() == {"x": []}
    assert empty.to_pylist() == [] and list(empty.batches()) == [] and empty.count() == 0
    if full["x"].type.is_number:
        assert empty.to_numpy().shape == (0, 1)
        assert empty["x"].stats()["values"] == 0
    assert empty["x"].min() is None and empty["x"].unique() == []


def test_empty_vectors():
    t = dv.from_numpy({"m": np.zeros((2, 3), "i2"), "w": np.array([["a"], ["b"]])})[:0]
    assert t["m"].to_numpy().shape == (0, 3) and t["m"].to_numpy().dtype == np.int16
    assert t["w"].to_numpy().shape == (0, 1) and t.to_numpy(["m"]).shape == (0, 3)


@pytest.mark.parametrize("arrays", [np.ones(3), "table.csv", [[1, 2]]])
def test_what_is_no_mapping_is_refused(arrays):
    with pytest.raises(TypeError, match="a mapping of names to arrays"):
        dv.from_numpy(arrays)
