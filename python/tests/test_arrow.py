# SPDX-License-Identifier: MIT
"""Arrow's consumers see the values of every golden file: pyarrow, nanoarrow, polars, DuckDB, pandas."""

import datetime as dt

import golden_cases as golden
import pytest

import libdataview as dv

pa = pytest.importorskip("pyarrow")


def wanted(value, type_):
    """A value of to_pylist() as Arrow's consumers have it: DZ in UTC, UG as bytes, wide vectors as
    lists of structs."""
    if isinstance(value, dict):
        return [{"index": i, "value": wanted(v, type_)} for i, v in sorted(value.items())]
    if isinstance(value, list):
        return [wanted(v, type_) for v in value]
    if value is None:
        return None
    if type_.kind == "DZ":
        return value.astimezone(dt.timezone.utc)
    if type_.kind == "UG" and not type_.is_key:
        return value.to_bytes(16, "little")
    return value


def plain(value):
    """What pyarrow returns, with UTC as Python has it, pairs of a map as a dict."""
    if isinstance(value, list):
        return [plain(v) for v in value]
    if isinstance(value, dt.datetime) and value.tzinfo is not None:
        return value.astimezone(dt.timezone.utc)
    return value


def truth(table, name):
    type_ = table.schema[name].type
    return [wanted(v, type_) for v in table[name].to_pylist()]


def names_of(table):
    """Names as Arrow's structs have them: they end at a NUL."""
    return [name.partition("\0")[0] for name in table.columns]


def test_pyarrow(case):
    table = case.open()
    whole = pa.table(table)
    whole.validate(full=True)
    assert whole.column_names == names_of(table)
    for name, column in zip(table.columns, whole.columns):
        got = plain(column.to_pylist())
        assert golden.difference(truth(table, name), got) is None, \
            (name, column.type, golden.difference(truth(table, name), got))


def test_schema_is_that_of_the_stream(case):
    table = case.open()
    schema = pa.schema(table)
    assert pa.table(table).schema.equals(schema, check_metadata=True)
    for field, ours in zip(schema, table.schema):
        assert field.name == ours.name.partition("\0")[0]
        assert field.metadata[b"dataview.type"].decode() == str(ours.type)


def test_batches_and_arrays(case):
    table = case.open()
    for batch in table.batches(rows=5):
        record = pa.record_batch(batch)
        record.validate(full=True)
        assert record.num_rows == len(batch)
        for k, name in enumerate(batch.columns):
            array = pa.array(batch[name])
            array.validate(full=True)
            assert array.type == record.column(k).type and len(array) == len(batch)
            values = [wanted(v, table.schema[name].type) for v in batch[name].to_pylist()]
            assert golden.same(values, plain(array.to_pylist()))


OPTIONS = [{"na": "keep"}, {"keys": "meant"}, {"keys": "stored"}, {"times": "ns"}, {"times": "ticks"},
           {"vectors": "dense"}, {"vectors": "sparse"}, {"offsets": True}, {"nan_is_null": True},
           {"rows": 3}, {"threads": 2}]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_options_are_sound(case, options):
    table = case.open()
    stream = table.arrow_stream(**options)
    try:
        whole = pa.table(stream)
    except (dv.Error, pa.ArrowInvalid, OSError) as error:
        assert options in ({"times": "ns"}, {"vectors": "dense"}) and str(error), options
        return
    whole.validate(full=True)
    assert whole.schema.equals(pa.schema(stream)) and len(whole) == table.count()


def test_nanoarrow(case):
    na = pytest.importorskip("nanoarrow")
    table = case.open()
    if not table.columns:
        return
    names = list(table.columns)
    rows = [tuple(plain(v) for v in row.values()) if isinstance(row, dict) else row
            for row in na.ArrayStream(table).read_all().iter_py()]
    want = list(zip(*[truth(table, name) for name in names]))
    assert len(rows) == len(want)
    kinds = {table.schema[name].type.kind for name in names}
    if not kinds & {"TS", "DT", "DZ"}:  # nanoarrow has times of its own
        assert golden.difference([list(r) for r in want], [list(r) for r in rows]) is None


def test_polars(case):
    pl = pytest.importorskip("polars")
    table = case.open()
    if not table.columns:
        return
    frame = pl.DataFrame(table)
    assert frame.columns == names_of(table) and len(frame) == table.count()
    for name, column in zip(table.columns, frame):
        type_ = table.schema[name].type
        if type_.kind == "UG" and not type_.is_key:
            continue
        got = [plain(v) for v in column.to_list()]
        assert golden.difference(truth(table, name), got) is None, \
            (name, golden.difference(truth(table, name), got))


def test_pandas(case):
    pd = pytest.importorskip("pandas")
    table = case.open()
    # pyarrow has no lists of fixed_size_binary in pandas
    table = table.drop(*[f.name for f in table.schema if f.type.kind == "UG" and f.type.is_vector])
    frame = table.to_pandas(dtype_backend="pyarrow")
    assert list(frame.columns) == names_of(table) and len(frame) == table.count()
    plain_frame, nullable = table.to_pandas(), table.to_pandas(dtype_backend="numpy_nullable")
    for name in table.columns:
        type_ = table.schema[name].type
        want = table[name].to_pylist()
        if type_.is_vector or type_.kind in ("DZ", "UG") or "\0" in name:
            continue
        nulls = [v is None or v != v for v in want]
        assert plain_frame[name].isna().tolist() == nulls
        if type_.kind[0] in "IU" and not type_.is_key:
            assert [None if v is pd.NA else int(v) for v in nullable[name]] == want
            assert [None if v is pd.NA else int(v) for v in frame[name]] == want
        if type_.kind in ("TX", "BY") and not type_.is_key:
            assert [None if n else v for v, n in zip(plain_frame[name], nulls)] == want


def test_duckdb(case):
    duckdb = pytest.importorskip("duckdb")
    table = case.open()
    if not table.columns:
        return
    names = {n.lower() for n in table.columns}
    if len(names) < len(table.columns) or "" in names:
        pytest.skip("DuckDB has no columns whose names differ only in case")
    t = table
    rows = duckdb.sql("from t").fetchall()
    del t
    assert len(rows) == table.count()
    for k, name in enumerate(table.columns):
        type_ = table.schema[name].type
        if type_.kind in ("DZ", "UG", "TS") and not type_.is_key:
            continue
        got = [plain(row[k]) for row in rows]
        want = truth(table, name)
        got = [list(v) if isinstance(v, tuple) else v for v in got]
        assert golden.difference(want, got) is None, (name, golden.difference(want, got))


@pytest.mark.parametrize("streamed", [False, True])
def test_a_dictionary_with_nulls_and_nan_is_refused(streamed):
    table = pa.table({"x": pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), pa.array([1.0, None, float("nan")]))})
    source = pa.RecordBatchReader.from_batches(table.schema, table.to_batches()) if streamed else table
    with pytest.raises(dv.LossError, match="nulls or NaN, not both"):
        dv.from_arrow(source)
