# SPDX-License-Identifier: MIT
"""Conditions choose the rows that a naive evaluation in Python chooses."""

import datetime as dt
import operator
import random

import pytest

np = pytest.importorskip("numpy")
import libdataview as dv  # noqa: E402

ROWS = 60
DAYS = [dt.datetime(2024, 1, d) for d in range(1, 6)]
SIGNS = [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]


def columns(seed):
    rng = random.Random(seed)

    def some(values):
        return [rng.choice([*values, None]) for _ in range(ROWS)]

    return {"i": some(range(-3, 4)), "r": some([-1.5, 0.0, 0.1, 2.5, float("inf")]),
            "s": some(["", "a", "b", "NA", "?", "é"]), "b": some([True, False]), "d": some(DAYS),
            "t": some([dt.timedelta(d) for d in (-1, 0, 2)]), "k": some(["0", "1", "2"])}


VALUES = {"i": [-4, -1, 0, 2, 2.5, -0.5, 9, 1 << 70, True], "r": [-1.5, 0, 0.1, 1e300, float("inf")],
          "s": ["", "a", "NA", "?", "é", "zz"], "b": [True, False, 0, 1.0],
          "d": [*DAYS[1:4], np.datetime64("2024-01-03", "ns"), dt.date(2024, 1, 2)],
          "t": [dt.timedelta(0), np.timedelta64(2, "D")], "k": [0, 1, 2, 3, -1, 0.5]}


def table_of(seed):
    data = columns(seed)
    table = dv.from_numpy({k: np.array([np.nan if x is None else x for x in v]) if k == "r" else v
                           for k, v in data.items()}).cast(i="I2", k="U1[0-2]")
    rows = table.to_pylist()
    return table, [{k: None if v != v else v for k, v in row.items()} for row in rows]


def comparable(value):
    if isinstance(value, np.generic):
        return value.astype(f"{value.dtype.kind}8[us]").item()
    if isinstance(value, dt.date) and not isinstance(value, dt.datetime):
        return dt.datetime(value.year, value.month, value.day)
    return value


def leaf(rng):
    """A condition on one column, and the same as a function of a row."""
    name = rng.choice(list(VALUES))
    kind = rng.randrange(8)
    if kind == 0:
        return dv.col(name).is_na(), lambda row: row[name] is None
    if kind == 1:
        return dv.col(name).is_valid(), lambda row: row[name] is not None
    if kind == 2:
        values = rng.sample(VALUES[name], rng.randrange(len(VALUES[name]))) + [None] * rng.randrange(2)
        plain = [comparable(v) for v in values]
        return dv.col(name).isin(values), lambda row: row[name] in plain
    sign, value = rng.choice(SIGNS), rng.choice(VALUES[name])
    plain = comparable(value)
    return sign(dv.col(name), value), lambda row: row[name] is not None and sign(row[name], plain)


def tree(rng, depth):
    kind = rng.randrange(5) if depth else 0
    if kind < 2:
        return leaf(rng)
    if kind == 4:
        inner, test = tree(rng, depth - 1)
        return ~inner, lambda row: not test(row)
    (a, test_a), (b, test_b) = tree(rng, depth - 1), tree(rng, depth - 1)
    if kind == 2:
        return a & b, lambda row: test_a(row) and test_b(row)
    return a | b, lambda row: test_a(row) or test_b(row)


@pytest.mark.parametrize("seed", range(60))
def test_random_conditions(seed):
    rng = random.Random(seed)
    table, rows = table_of(seed)
    for _ in range(6):
        condition, test = tree(rng, 3)
        want = [i for i, row in enumerate(rows) if test(row)]
        numbered = table.with_row_number()
        assert numbered.filter(condition)["row"].to_pylist() == want, repr(condition)
        assert numbered[condition].count() == len(want)


def test_every_sign_with_every_value():
    table, rows = table_of(1)
    for name, values in VALUES.items():
        for value in values:
            plain = comparable(value)
            for sign in SIGNS:
                want = sum(r[name] is not None and sign(r[name], plain) for r in rows)
                assert table.filter(sign(table[name], value)).count() == want, (name, sign, value)
                if not isinstance(value, np.generic):
                    assert table.filter(sign(table[name], value)).count() + \
                        table.filter(~sign(table[name], value)).count() == ROWS


def test_categories():
    table = dv.open(dv_file("metadata-raw.idv"))
    label = table["label"]
    values = label.to_pylist()
    for value in label.categories:
        assert table[label == value].count() == values.count(value)
        assert table[label != value].count() == sum(v is not None and v != value for v in values)
        assert table[label >= value].count() == sum(v is not None and v >= value for v in values)
    assert table[label == "nothing such"].count() == 0
    assert table[label != "nothing such"].count() == sum(v is not None for v in values)
    assert table[label.isin(label.categories[:2])].count() == \
        sum(v in label.categories[:2] for v in values)
    with pytest.raises(TypeError, match="does not compare"):
        table[label < 5]


def dv_file(name):
    import golden_cases as golden

    return golden.ROOT / "tests/golden/idv" / name


def test_extreme_numbers():
    most = (1 << 63) - 1
    table = dv.from_numpy({"u": np.array([0, (1 << 64) - 1], "u8"), "i": np.array([most, -most], "i8"),
                           "f": np.array([3.4028234663852886e38, -np.inf], "f4")})
    assert table[table["u"] == (1 << 64) - 1].count() == 1 and table[table["u"] < 1 << 64].count() == 2
    assert table[table["u"] >= -1].count() == 2 and table[table["i"] == most].count() == 1
    assert table[table["i"] < -most].count() == 0 and table[table["i"] > -(1 << 63)].count() == 2
    assert table[table["f"] < 1e300].count() == 2 and table[table["f"] > 1e300].count() == 0
    assert table[table["f"] < -1e300].count() == 1 and table[table["f"] >= -1e300].count() == 1
    assert table[table["f"] == -np.inf].count() == 1 and table[table["f"] < 10 ** 400].count() == 2


def test_what_is_no_condition():
    table, _ = table_of(1)
    age = table["i"]
    for wrong in (lambda: age == None, lambda: age < np.datetime64("NaT"),  # noqa: E711
                  lambda: age == [1], lambda: age == table_of(2)[0]["i"], lambda: age == b"x", lambda: age == object()):
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(TypeError, match="&"):
        bool(age > 1)
    with pytest.raises(TypeError, match="parentheses"):
        (age > 1) & 1
    with pytest.raises(TypeError, match="compares with"):
        dv.col("i") + b"1"
    with pytest.raises(TypeError, match="is_na"):
        table[age == float("nan")]
    with pytest.raises(TypeError, match="str"):
        table[table["s"] == 5]
    with pytest.raises(TypeError, match="isin"):
        table["s"].isin("abc")
    with pytest.raises(dv.ArgumentError):
        table[table["d"] > "no date"]
    with pytest.raises(dv.ColumnNotFound, match="'i'"):
        table[dv.col("I") > 1]
    with pytest.raises(TypeError, match="condition"):
        table.filter()
    with pytest.raises(TypeError, match="condition"):
        table.filter(1)
    assert "col('i') >= 1.5" in repr(age >= 1.5) and "~" in repr(~(age > 1))
    assert repr((age > 1) | age.is_na()) == "((col('i') > 1) | col('i').is_na())"


def test_drop_na_and_between():
    table, rows = table_of(3)
    assert table.dropna("i").count() == sum(r["i"] is not None for r in rows)
    assert table.dropna().count() == sum(None not in r.values() for r in rows)
    assert table.dropna("i", "s").count() == sum(r["i"] is not None and r["s"] is not None for r in rows)
    low = [r for r in rows if r["r"] is not None and 0 <= r["r"] < 2]
    assert table.between("r", 0, 2).to_pylist() == low
