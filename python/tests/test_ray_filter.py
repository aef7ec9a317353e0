# SPDX-License-Identifier: MIT
"""Filters of Ray that the library tests in its place: the same rows, also of null and NaN; others are left to Ray."""

import operator
import os
import random

import pytest

import libdataview as dv

np = pytest.importorskip("numpy")
pytest.importorskip("ray.data")
if "DV_SANITIZED" in os.environ:
    pytest.skip("Ray is not what a sanitizer watches", allow_module_level=True)

import pyarrow as pa  # noqa: E402
from ray.data.block import BlockAccessor  # noqa: E402
from ray.data.expressions import col, lit  # noqa: E402

from libdataview._ray_filter import condition_of  # noqa: E402
from libdataview.ray import _Source  # noqa: E402

NAN, INF = float("nan"), float("inf")
VALUES = {  # by column: its type, values, constants to compare with
    "i1": ("I1", [-127, -1, 0, 1, 127, None], [-128, -127, 0, 1, 127, 300, 0.5, 1.0, True, None]),
    "i4": ("I4", [-5, 0, 7, 2**31 - 1, None], [0, 7, 7.5, -(2**40), np.int32(7)]),
    "i8": ("I8", [-(2**53) - 1, 0, 2**53 + 1, 2**62, None], [2**53, 2**53 + 1, 0.5, 2.0**60, 2**62]),
    "u1": ("U1", [0, 1, 255], [0, 255, 256, -1, 1.5]),
    "u8": ("U8", [0, 2**62], [0, 2**62, 2.0]),
    "r4": ("R4", [-INF, -1.5, -0.0, 0.0, 0.1, 2.0**24, INF, NAN],
           [0.1, 0.5, 0, 0.0, 2**24, 2**24 + 1, NAN, INF, -1.5]),
    "r8": ("R8", [-INF, -1.5, 0.0, 0.1, 2.0**53, INF, NAN],
           [0.1, 0, 2**53, 2**53 + 1, NAN, INF, 1e300, np.float32(0.5)]),
    "b": ("BL", [False, True, None], [False, True, 1]),
    "t": ("TX", ["", "a", "ab", "\uffff", "\U0001f600", "it's", None],
          ["", "a", "it's", "\uffff", "\U0001f600", "b", 5]),
    "s": ("TX", ["a", "\uffff", None], ["a"]),
    "j4": ("I4", [0, 7, None], [7]),
}
RELATIONS = [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]


@pytest.fixture(scope="module")
def table():
    draw = random.Random(7)
    n = 400
    data = {name: [draw.choice(values) for _ in range(n)] for name, (_, values, _) in VALUES.items()}
    arrow = {"I1": pa.int8(), "I4": pa.int32(), "I8": pa.int64(), "U1": pa.uint8(), "U8": pa.uint64(),
             "R4": pa.float32(), "R8": pa.float64(), "BL": pa.bool_(), "TX": pa.string()}
    columns = {name: pa.array(data[name], arrow[VALUES[name][0]]) for name in data}
    return dv.from_arrow(pa.table({"id": pa.array(range(n)), **columns}))


def types_of(table):
    return {name: table.schema[name].type for name in table.columns}


def ray_rows(table, expr):
    """What Ray keeps: the ids; None: it refuses the filter."""
    try:
        return BlockAccessor.for_block(pa.table(table)).filter(expr).column("id").to_pylist()
    except (pa.ArrowException, TypeError, OverflowError):
        return None


def our_rows(table, expr):
    condition = condition_of(expr, types_of(table))
    return None if condition is None else table.filter(condition)["id"].to_list()


def leaves():
    for name, (_, _, constants) in VALUES.items():
        for relation in RELATIONS:
            for constant in constants:
                yield relation(col(name), constant)
                if not hasattr(constant, "item"):
                    yield relation(lit(constant), col(name))
            for other in VALUES:
                yield relation(col(name), col(other))
        yield col(name).is_null()
        yield col(name).is_not_null()
        for listed in (constants[:2], [constants[0]], [constants[-1], None], [None], []):
            yield col(name).is_in(listed)
            yield col(name).not_in(listed)
    yield col("b")


def test_each_comparison_keeps_the_rows_that_ray_keeps(table):
    taken = left = 0
    for expr in leaves():
        for each in (expr, ~expr, ~~expr):
            ours = our_rows(table, each)
            left += ours is None
            taken += ours is not None
            theirs = ours is not None and ray_rows(table, each)
            assert ours is None or theirs is None or ours == theirs, str(each)
    assert taken > 1000 and left > 0


def test_comparisons_that_are_joined(table):
    draw = random.Random(11)
    some = [expr for expr in leaves() if our_rows(table, expr) is not None and ray_rows(table, expr) is not None]

    def tree(depth):
        kind = draw.randrange(4) if depth else 0
        if kind == 0:
            return draw.choice(some)
        if kind == 1:
            return ~tree(depth - 1)
        return (operator.and_ if kind == 2 else operator.or_)(tree(depth - 1), tree(depth - 1))

    kept = 0
    for _ in range(300):
        expr = tree(4)
        ours = our_rows(table, expr)
        assert ours is not None and ours == ray_rows(table, expr), str(expr)
        kept += 0 < len(ours) < len(table)
    assert kept > 100


def test_what_is_taken_and_what_is_left_to_ray(table):
    def is_taken(expr):
        return condition_of(expr, types_of(table)) is not None

    assert all(map(is_taken, (
        col("i4") > 3, col("i8") != 2**62, (col("r4") >= 0.5) & ~(col("t") == "a"), col("t") < "b",
        col("t").is_in(["a", None]), col("i4").is_null() | col("b"), lit(3) < col("i1"), col("i1") <= col("i4"),
        (col("i4") > 3).alias("x"), col("r8") > 0.1)))
    assert not any(map(is_taken, (
        col("r4") > 0.1,           # R4 is compared with 0.1 as R4 here, as double in Ray
        col("r8").is_null(),       # NaN is NA here, and a value in Ray
        col("t") < "\U0001f600",   # the order of UTF-16 and that of UTF-8
        col("i4") + 1 > 3, col("t").str.starts_with("a"), col("i4") == col("r8"), col("none") > 3, col("r8") == NAN,
        (col("i4") > 3) & col("r8").is_null())))


def test_a_source_takes_a_filter_or_stays_as_it_is(tmp_path, table):
    table.select("id", "i4", "t").write(tmp_path / "a.idv", rows_per_block=50)
    source = _Source([str(tmp_path / "a.idv")], ["id", "i4"], (), None, False, {})
    assert source.supports_predicate_pushdown()
    passed = source.apply_predicate(col("i4") > 3)
    rows = sum((block.column("id").to_pylist() for task in passed.get_read_tasks(4) for block in task()), [])
    assert rows == table.filter("i4 > 3")["id"].to_list() and passed.get_current_predicate() is not None
    both = passed.apply_projection({"id": "id"}).apply_predicate(col("id") < 100)
    rows = sum((block.column("id").to_pylist() for task in both.get_read_tasks(4) for block in task()), [])
    assert rows == table.filter("i4 > 3 and id < 100")["id"].to_list()
    assert source.apply_predicate(col("t") == "a") is source, "a column that is not read"
    parts = [col("i4") > k for k in range(4096)]  # more than the language takes
    while len(parts) > 1:
        parts = [left & right for left, right in zip(parts[::2], parts[1::2])]
    assert source.apply_predicate(parts[0]) is source
