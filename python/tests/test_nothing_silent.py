# SPDX-License-Identifier: MIT
"""Nothing is rounded, cut or left out without a DataWarning or an error, whatever way rows are read."""

import datetime
import decimal
import pickle
import warnings

import pytest

import libdataview as dv
from libdataview import _table

np = pytest.importorskip("numpy")
pa = pytest.importorskip("pyarrow")

TICKS = [10, 11, 19, 637134336000000001]  # 100 ns each; three are finer than 1 µs


def told(call):
    """The DataWarnings of a call, and its result."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        result = call()
    return [str(w.message) for w in found if issubclass(w.category, dv.DataWarning)], result


def needed(name):
    return {"to_pandas": "pandas", "to_polars": "polars"}.get(name, "pyarrow")


# --- Text ---------------------------------------------------------------------------------------------


@pytest.fixture
def short(tmp_path):
    path = tmp_path / "short.csv"
    path.write_text("k,v,w\n1,1,2\n2,2\n3,3,4\n")
    return lambda: dv.open(path)


WAYS = {
    "to_pylist": lambda t: t.to_pylist(), "to_pydict": lambda t: t.to_pydict(), "to_arrow": lambda t: t.to_arrow(),
    "iter_rows": lambda t: list(t.iter_rows()), "batches": lambda t: list(t.batches()), "table": lambda t: pa.table(t),
    "some columns": lambda t: list(t.batches(["w"], rows=1)), "stream": lambda t: pa.table(t.arrow_stream(rows=1)),
    "reader": lambda t: list(pa.RecordBatchReader.from_stream(t)), "numpy": lambda t: t.to_numpy(),
    "column": lambda t: t["w"].to_numpy(na=0), "column list": lambda t: t["w"].to_pylist(), "loop": lambda t: list(t["w"]),
    "column arrow": lambda t: t["w"].to_arrow(), "feed": lambda t: list(t.feed(["v", "w"], batch_rows=2)),
    "shuffled": lambda t: list(t.feed(["v", "w"], batch_rows=2, shuffle=True)), "filter": lambda t: list(t.filter("v > 0").batches()),
    "select": lambda t: list(t.select("w").batches()), "slice": lambda t: list(t.slice(0, 2).batches()),
    "computed": lambda t: pa.table(t.with_columns(z="v + w")), "concat": lambda t: list(dv.concat([t, t]).batches()),
    "map_batches": lambda t: list(t.map_batches(len)), "from_arrow": lambda t: dv.from_arrow(t).to_pylist(),
    "stats": lambda t: t.stats(), "sum": lambda t: t["w"].sum(), "first rows": lambda t: list(t.batches(stop=2)), "threads": lambda t: list(t.batches(threads=2)),
}


@pytest.mark.parametrize("way", WAYS)
def test_every_way_of_reading_tells_of_short_lines(short, way):
    """Once, with the row, and never for rows that are whole."""
    found, _ = told(lambda: WAYS[way](short()))
    assert len(found) == 1 and "in row 1" in found[0], found
    found, _ = told(lambda: WAYS[way](dv.from_numpy({"k": np.arange(3), "v": np.arange(3) + 1, "w": np.arange(3)})))
    assert not found


@pytest.mark.parametrize("name", ["to_pandas", "to_polars"])
def test_frames_tell_of_short_lines(short, name):
    pytest.importorskip(needed(name))
    found, _ = told(getattr(short(), name))
    assert len(found) == 1 and "in row 1" in found[0]


def test_a_feed_tells_once(short):
    feed = short().feed(["v", "w"], batch_rows=2)
    assert len(told(lambda: list(feed))[0]) == 1 and told(lambda: [list(feed) for _ in range(3)])[0] == []


@pytest.mark.parametrize("way", ["batches", "to_arrow", "table", "to_pylist", "feed"])
def test_a_warning_may_be_an_error(short, way):
    with warnings.catch_warnings():
        warnings.simplefilter("error", dv.DataWarning)
        with pytest.raises(Exception, match="in row 1"):
            WAYS[way](short())


# --- Times --------------------------------------------------------------------------------------------


@pytest.fixture(params=["TS", "DT", "DZ"])
def times(request):
    return dv.from_arrow(pa.table({"t": pa.array([*TICKS, None])}), types={"t": request.param})


@pytest.mark.parametrize("name", ["to_arrow", "to_pandas", "to_polars"])
def test_floored_times_are_counted(times, name):
    pytest.importorskip(needed(name))
    found, _ = told(getattr(times, name))
    assert len(found) == 1 and found[0].startswith("3 times were cut to whole microseconds"), found
    assert told(lambda: getattr(times, name)(times="ticks"))[0] == []
    assert told(lambda: getattr(times.slice(0, 1), name)())[0] == []


def test_floored_times_of_streams_and_arrays(times):
    for way in (lambda: pa.table(times), lambda: pa.table(times.arrow_stream(rows=1)), lambda: times["t"].to_numpy(),
                lambda: times["t"].to_arrow()):
        found, _ = told(way)
        assert len(found) == 1 and "3 times were cut" in found[0], found
    assert "1 time was cut" in told(lambda: times.slice(1, 1)["t"].to_numpy())[0][0]


def test_floored_times_of_objects(times):
    for way in (times.to_pylist, times.to_pydict, lambda: list(times.iter_rows()), lambda: list(times["t"]), times["t"].to_list,
                lambda: list(dv.concat([times, times.slice(1, 0)]).iter_rows())):
        found, _ = told(way)
        assert len(found) == 1 and found[0].startswith("3 times were cut to whole microseconds"), found
    assert told(times.slice(0, 1).to_pylist)[0] == []
    rows = times.iter_rows()
    assert told(lambda: [next(rows), next(rows)])[0] == [] and "3 times were" in told(rows.close)[0][0]


# --- Integers -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("arrays, expected", [
    ({"a": np.array([1, 16777217])}, "i8"), ({"a": np.array([1, 2], "i4"), "b": np.array([3, 4], "u2")}, "i4"),
    ({"a": np.array([1, 2], "i1")}, "i1"), ({"a": np.array([1, 2**63], "u8")}, "u8"),
    ({"a": np.array([True, False])}, "?"), ({"a": np.array([1, 2], "i2"), "b": np.array([1.5, 2], "f4")}, "f4"),
    ({"a": np.array([1, 2], "i4"), "b": np.array([1.5, 2], "f4")}, "f8"), ({"a": np.array([[1, 2], [3, 4]], "u1")}, "u1"),
    ({"a": np.array([1, 2], "u8"), "b": np.array([-1, 2])}, "f8"), ({"a": np.array([True, False]), "b": np.array([1, 2], "i4")}, "i4"),
    ({"a": np.array([1.5, 2], "f4")}, "f4"),
])
def test_a_matrix_has_the_dtype_of_numpy(arrays, expected):
    t = dv.from_numpy(arrays)
    got = t.to_numpy()
    assert got.dtype == np.dtype(expected) and np.array_equal(got, np.column_stack(list(arrays.values())))
    assert np.asarray(t).dtype == got.dtype and t.to_numpy(dtype="f4").dtype == np.float32


@pytest.mark.parametrize("kind", ["i1", "i2", "i4", "i8"])
def test_integers_with_na_become_float64(kind):
    a = pa.array([1, None, 100], pa.from_numpy_dtype(kind))
    t = dv.from_arrow(pa.table({"a": a, "b": pa.array([True, None, False]), "c": pa.array([1, 2, 3], "int16")}))
    got = t.to_numpy()
    assert got.dtype == np.float64
    np.testing.assert_array_equal(got, [[1, 1, 1], [np.nan, np.nan, 2], [100, 0, 3]])
    assert t.to_numpy(na=-1)[1].tolist() == [-1, -1, 2] and t.to_numpy(na=-1).dtype.kind == "i"
    assert t.to_numpy(na=0.5)[1].tolist() == [0.5, 0.5, 2]
    with pytest.raises(dv.Error, match="NA"):
        t.to_numpy(na="raise")


def test_rounded_integers_are_told():
    large = np.array([2**53 + 1, 1])
    for t in (dv.from_numpy({"a": large, "b": np.array([0.5, 1])}),
              dv.from_arrow(pa.table({"a": pa.array([2**53 + 1, None])}))):
        found, got = told(t.to_numpy)
        assert got.dtype == np.float64 and len(found) == 1 and "rounded" in found[0]
    assert told(dv.from_numpy({"a": large}).to_numpy)[0] == []
    assert told(dv.from_numpy({"a": large // 2, "b": np.array([0.5, 1])}).to_numpy)[0] == []


def test_integers_with_na_in_pandas():
    pandas = pytest.importorskip("pandas")
    large = 2**53 + 1
    t = dv.from_arrow(pa.table({"s": ["a", "b"], "i": pa.array([large, None]), "j": pa.array([1, 2]), "h": pa.array([None, 7], "int16"),
                                "x": [0.5, 1]}))
    frame = t.to_pandas()
    assert list(frame.columns) == ["s", "i", "j", "h", "x"] and frame["i"].dtype == frame["h"].dtype == pandas.Int64Dtype()
    assert frame["i"][0] == large and frame["i"][1] is pandas.NA and frame["h"][1] == 7
    assert frame["j"].dtype == np.int64 and frame["x"].dtype == np.float64 and t["i"].to_pandas().dtype == pandas.Int64Dtype()


# --- Arrow --------------------------------------------------------------------------------------------


def inputs():
    """Ways in which an Arrow table of two columns of one name may come."""
    t = pa.table([[1, 2], [3, 4]], names=["a", "a"])
    yield "table", lambda: dv.from_arrow(t)
    yield "batch", lambda: dv.from_arrow(t.to_batches()[0])
    yield "reader", lambda: dv.from_arrow(t.to_reader())
    yield "capsule", lambda: dv.from_arrow(type("Stream", (), {"__arrow_c_stream__": lambda self, _: t.__arrow_c_stream__()})())
    yield "struct", lambda: dv.from_arrow(pa.table({"s": [{"a": 1}], "s.a": [2]}), flatten=True)
    yield "types", lambda: dv.from_arrow(t, types={"a": "R8"})
    yield "batches", lambda: dv.write(iter(t.to_batches()), "/nowhere/x.idv")
    yield "numpy", lambda: dv.from_numpy({0: [1], "0": [2]})


@pytest.mark.parametrize("way", dict(inputs()))
def test_columns_of_one_name_are_refused(way):
    with pytest.raises((dv.Error, ValueError, TypeError), match="names of fields|of one name|name"):
        dict(inputs())[way]().to_pylist()


def test_columns_of_pandas_whose_names_become_one():
    pandas = pytest.importorskip("pandas")
    for frame in (pandas.DataFrame({0: [1], "0": [3]}), pandas.DataFrame([[1, 2]], columns=["a", "a"])):
        with pytest.raises((dv.Error, ValueError)):
            dv.from_pandas(frame)


@pytest.mark.parametrize("axes", [(0, 1, 2), (0, 2, 1), (0, 2, 1, 3), (0, 3, 2, 1)])
@pytest.mark.parametrize("dtype", ["f4", "i2", "u1"])
def test_tensors_have_their_logical_order(axes, dtype):
    shape = (2, 3, 4, 5)[:len(axes)]
    a = np.arange(np.prod(shape)).astype(dtype).reshape(shape).transpose(axes)
    t = dv.from_arrow(pa.table({"x": pa.FixedShapeTensorArray.from_numpy_ndarray(a)}))
    got = t["x"].to_numpy()
    assert got.shape == a.shape and np.array_equal(got, a) and np.array_equal(t.slice(1, 1)["x"].to_numpy(), a[1:])
    assert np.array_equal(t.take([1, 0])["x"].to_numpy(), a[::-1])


def test_a_tensor_whose_order_producers_do_not_agree_on():
    a = np.arange(120).astype("f4").reshape(2, 3, 4, 5).transpose(0, 3, 1, 2)
    with pytest.raises(dv.UnsupportedError, match="swaps dimensions"):
        dv.from_arrow(pa.table({"x": pa.FixedShapeTensorArray.from_numpy_ndarray(a)}))


def test_names_of_dimensions():
    type_ = pa.fixed_shape_tensor(pa.float32(), [2, 3], dim_names=["h", "w"], permutation=[1, 0])
    t = dv.from_arrow(pa.table({"x": pa.ExtensionArray.from_storage(type_, pa.array([list(range(6))], pa.list_(pa.float32(), 6)))}))
    assert t.schema["x"].type.shape == (3, 2) and t.schema["x"].metadata["DimNames"] == ["w", "h"]
    assert dv.from_arrow(pa.table(t)).schema["x"].metadata["DimNames"] == ["w", "h"]


@pytest.mark.parametrize("type_, values, types, expected", [
    (pa.decimal128(9, 2), ["1.50", None, "-0.10"], None, [1.5, float("nan"), -0.1]), (pa.decimal128(18, 0), ["7", "-3"], None, [7, -3]),
    (pa.decimal256(50, 0), [str(2**62)], None, [2**62]), (pa.decimal128(5, -2), ["1200"], None, [1200]),
    (pa.decimal128(9, 2), ["3.00"], "I4", [3]), (pa.decimal128(20, 0), [str(2**64 - 1)], "U8", [2**64 - 1]),
    (pa.decimal128(9, 3), ["0.125"], "R4", [0.125]), (pa.decimal128(38, 20), ["0.1"], None, [0.1]),
])
def test_decimals(type_, values, types, expected):
    column = pa.array([None if v is None else decimal.Decimal(v) for v in values], type_)
    assert dv.from_arrow(pa.table({"x": column}), types=types and {"x": types}).to_pydict() == \
        {"x": pytest.approx(expected, abs=0, nan_ok=True)}


@pytest.mark.parametrize("type_, value, types", [
    (pa.decimal128(38, 1), "9007199254740993.0", "R8"), (pa.decimal128(38, 20), "0.12345678901234567890", None),
    (pa.decimal128(38, 0), str(2**63), None), (pa.decimal128(9, 2), "1.50", "I4"), (pa.decimal128(9, 0), "300", "U1"),
])
def test_decimals_that_would_be_rounded(type_, value, types):
    table = pa.table({"x": pa.array([decimal.Decimal(value)], type_)})
    with pytest.raises(dv.LossError, match='column "x": row 0'):
        dv.from_arrow(table, types=types and {"x": types}).to_pylist()


def test_null_and_nan():
    """Either means a missing value; both in one column would become the same."""
    both = pa.table({"x": pa.chunked_array([[1.0, float("nan")], [None, 2.0]])})
    with pytest.raises(dv.LossError, match="nulls or NaN, not both"):
        dv.from_arrow(both).to_pylist()
    assert dv.from_arrow(both, allow_loss="na").count() == 4
    for one in ([1.0, None], [1.0, float("nan")]):
        assert len(dv.from_arrow(pa.table({"x": one})).to_pylist()) == 2


def test_extension_types():
    class Degrees(pa.ExtensionType):
        def __init__(self):
            super().__init__(pa.float32(), "weather.degrees")

        def __arrow_ext_serialize__(self):
            return b"F"

        @classmethod
        def __arrow_ext_deserialize__(cls, storage_type, serialized):
            return cls()

    table = pa.table({"x": pa.ExtensionArray.from_storage(Degrees(), pa.array([1.5], pa.float32()))})
    with pytest.raises(dv.UnsupportedError, match="weather.degrees"):
        dv.from_arrow(table)
    assert dv.from_arrow(table, types={"x": "R4"}).to_pylist() == [{"x": 1.5}]
    assert dv.from_arrow(pa.table({"x": pa.ExtensionArray.from_storage(pa.bool8(), pa.array([1, 0], pa.int8()))})).to_pylist() == [{"x": True}, {"x": False}]


# --- Names and pickles --------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [
    lambda: dv.from_numpy({"a\0b": [1]}), lambda: dv.from_arrow(pa.table({"a\0b": [1]})),
    lambda: dv.from_arrow(pa.table({"a\0b": [1]}).to_batches()[0]), lambda: dv.write({"a\0b": [1]}, "/nowhere/x.idv"),
    lambda: dv.from_numpy({"a": [1]}).to_arrow(na="null\0x"), lambda: dv.from_numpy({"a": [1]}).write("/nowhere/x.idv", compression="none\0"),
    lambda: dv.open(b"a\n1\n", format="text", io="auto\0"), lambda: dv.from_numpy({"a": [1]}).write("/nowhere/\0.idv"),
])
def test_no_text_ends_at_nul(make):
    with pytest.raises(ValueError, match="NUL|null"):
        make()


@pytest.mark.parametrize("library, name", [("pandas", "from_pandas"), ("polars", "from_arrow"), ("scipy.sparse", "from_csr")])
def test_no_name_of_a_frame_ends_at_nul(library, name):
    module = pytest.importorskip(library)
    with pytest.raises(ValueError, match="must not hold NUL"):
        if library == "scipy.sparse":
            dv.from_csr(module.csr_array(np.eye(2)), name="a\0b")
        else:
            getattr(dv, name)(module.DataFrame({"a\0b": [1]}))


def test_a_pickle_of_an_older_filter_says_what_to_do(tmp_path):
    """Filters were steps filter_rows of comparisons before they became expressions."""
    dv.write({"a": np.arange(5)}, tmp_path / "a.idv")
    function, (steps, identity) = dv.open(tmp_path / "a.idv").filter("a > 2").__reduce__()
    assert steps[1][0] == "where" and function(steps, identity).count() == 2
    for step in (("filter_rows", ([("a", 4, "2")],), 1), ("where", ([("a", 4, "2")],), 1), ("where", ("a > 2", 1), 1), ("where", (), 1)):
        old = pickle.dumps(Old(function, ([steps[0], step], identity)))
        with pytest.raises(dv.ArgumentError, match=f"pickled by another version.*'{step[0]}'.*dv.open and filter"):
            pickle.loads(old)
    kept = [(name, args, n) for t in (dv.from_numpy({"a": [1]}),) for name, args, n in t.cache().__reduce__()[1][0]]
    assert function(kept, None).count() == 1 and isinstance(function(steps, None), _table.Table)


class Old:
    """Pickles as the call of a function."""

    def __init__(self, function, args):
        self.call = function, args

    def __reduce__(self):
        return self.call


def test_the_time_of_a_row(times):
    """A row as objects of Python has microseconds, as datetime has."""
    assert isinstance(times.to_pylist()[0]["t"], (datetime.datetime, datetime.timedelta))
