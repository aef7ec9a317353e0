# SPDX-License-Identifier: MIT
"""Made-up tables go out and come back: through Arrow, .idv and NumPy, with the digests of before."""

import datetime as dt
import math
import os

import pytest

np = pytest.importorskip("numpy")
hypothesis = pytest.importorskip("hypothesis")
import libdataview as dv  # noqa: E402
from hypothesis import HealthCheck, given, settings, strategies as st  # noqa: E402

settings.register_profile("quick", max_examples=int(os.environ.get("DV_EXAMPLES", 60)), deadline=None,
                          database=None, derandomize=True,
                          suppress_health_check=list(HealthCheck))
settings.load_profile("quick")

TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=6)
FIRST, LAST = dt.datetime(1, 1, 1), dt.datetime(9999, 12, 31, 23, 59, 59, 999999)
SPAN = dt.timedelta(days=10_000_000)


def whole(bits, signed):
    low = 1 - (1 << bits - 1) if signed else 0
    return st.integers(low, (1 << bits - signed) - 1)


# What the values of a type are drawn from, without NA; types whose values can be NA.
KINDS = {
    **{f"I{n}": whole(8 * n, True) for n in (1, 2, 4, 8)},
    **{f"U{n}": whole(8 * n, False) for n in (1, 2, 4, 8)},
    "R4": st.floats(width=32), "R8": st.floats(), "BL": st.booleans(), "TX": TEXT,
    "DT": st.datetimes(FIRST, LAST), "TS": st.timedeltas(-SPAN, SPAN), "U1[0-9]": st.integers(0, 9).map(str),
}
HAVE_NA = {"I1", "I2", "I4", "I8", "BL", "TX", "DT", "TS", "U1[0-9]"}
VECTORS = {f"V{n}": (n, k) for n in ("I4", "U2", "R4", "R8") for k in (1, 3)}
DTYPES = {"I1": "i1", "I2": "i2", "I4": "i4", "I8": "i8", "U1": "u1", "U2": "u2", "U4": "u4", "U8": "u8",
          "R4": "f4", "R8": "f8"}


@st.composite
def tables(draw):
    """(table, the values that went in)."""
    rows = draw(st.integers(0, 9))
    kinds = draw(st.lists(st.sampled_from([*KINDS, *VECTORS]), min_size=1, max_size=5))
    arrays, types, values = {}, {}, {}
    for i, kind in enumerate(kinds):
        name = f"{draw(TEXT.filter(lambda s: chr(0) not in s))}{i}"
        item, slots = VECTORS.get(kind, (kind, 0))
        one = KINDS[item] | st.none() if item in HAVE_NA and not slots else KINDS[item]
        column = draw(st.lists(one, min_size=rows * (slots or 1), max_size=rows * (slots or 1)))
        values[name] = column
        if item in DTYPES and None not in column:
            arrays[name] = np.array(column, DTYPES[item]).reshape((rows, slots) if slots else rows)
        elif item in ("DT", "TS"):
            arrays[name] = np.array(["NaT" if v is None else v for v in column],
                                    "M8[us]" if item == "DT" else "m8[us]")
        elif item in DTYPES:
            missing = [v is None for v in column]
            arrays[name] = np.ma.MaskedArray(np.array([v or 0 for v in column], DTYPES[item]), missing)
        elif item == "BL":
            missing = [v is None for v in column]
            arrays[name] = np.ma.MaskedArray(np.array([bool(v) for v in column], bool), missing)
        else:
            arrays[name] = column
            types[name] = item
    return dv.from_numpy(arrays, types=types), values


def as_shown(value):
    return None if isinstance(value, float) and math.isnan(value) else value


@given(tables())
def test_values_are_those_that_went_in(made):
    table, values = made
    for name, column in values.items():
        type_ = table.schema[name].type
        shown = table[name].to_pylist()
        flat = [v for row in shown for v in row] if type_.is_vector else shown
        if type_.is_key:
            column = [None if v is None else int(v) for v in column]
        if type_.kind == "R4":
            column = [float(np.float32(v)) for v in column]
        assert list(map(as_shown, flat)) == list(map(as_shown, column)), name


@given(tables(), st.sampled_from(["none", "deflate", "zlib"]), st.integers(1, 5))
def test_idv(tmp_path_factory, made, compression, rows):
    table, _ = made
    path = tmp_path_factory.getbasetemp() / "round trip.idv"
    table.write(path, compression=compression, rows_per_block=rows, idv_bool_2bit=True)
    again = dv.open(path)
    assert again.equals(table) and again.schema == table.schema and again.verify() == []
    assert dv.open(path.read_bytes()).equals(table)


@given(tables())
def test_arrow(made):
    pa = pytest.importorskip("pyarrow")
    table, _ = made
    again = dv.from_arrow(pa.table(table))
    assert again.equals(table) and again.schema == table.schema
    whole = pa.table(table)
    assert pa.table(again).schema.equals(whole.schema, check_metadata=True)
    assert dv.from_arrow(pa.table(again)).equals(table)
    assert dv.from_arrow(whole.combine_chunks()).equals(table)
    if len(table) > 2:
        assert dv.from_arrow(whole.slice(1, 2)).equals(table[1:3])


@given(tables())
def test_text_with_types(tmp_path_factory, made):
    table, _ = made
    path = tmp_path_factory.getbasetemp() / "round trip.csv"
    try:
        table.write(path, text="schema+")
    except dv.LossError:
        return
    assert dv.open(path).equals(table)


@given(tables())
def test_numpy(made):
    table, _ = made
    for name in table.columns:
        type_ = table.schema[name].type
        if type_.is_key:
            continue
        again = dv.from_numpy({name: table[name].to_numpy(na="mask")})
        assert again.equals(table.select(name)) or type_.kind == "TX" and len(table) == 0


@given(tables(), st.integers(0, 1 << 32), st.integers(1, 4))
def test_steps_keep_every_row(made, seed, shards):
    table, _ = made
    n = len(table)
    numbered = table.with_row_number("\0number")
    shares = [numbered.materialize().shuffle(seed).shard(i, shards) for i in range(shards)]
    rows = [r for s in shares for r in s["\0number"].to_pylist()]
    assert sorted(rows) == list(range(n))
    order = np.argsort(rows) if rows else []
    assert dv.concat(shares)[order].drop("\0number").equals(table) if n else True
    assert table[::-1][::-1].equals(table) and dv.concat([table[:n // 2], table[n // 2:]]).equals(table)
