# SPDX-License-Identifier: MIT
"""Expressions give the values and rows that a naive evaluation in Python gives."""

import datetime as dt
import math
import random

import pytest

np = pytest.importorskip("numpy")
import libdataview as dv  # noqa: E402
from libdataview import col  # noqa: E402

ROWS = 2500  # more than are evaluated at once
MOST = 2**63 - 1
TEXTS = ["", "a", "Ab", "é%", "xyz", "a_b", "Bath", "ß", "İ"]
DAYS = [dt.datetime(2024, 2, 29), dt.datetime(1999, 12, 31, 23, 59), dt.datetime(2024, 5, 1)]
INTEGERS = [0, 1, -1, 2, 3, -7, 100, 3_000_000_000, MOST, -MOST]
REALS = [0.0, 0.1, -2.5, 1e300, float("inf"), -1.0, 3.0]


class Overflow(Exception):
    pass


def data(rng):
    def some(values, share=0.2):
        return [None if rng.random() < share else rng.choice(values) for _ in range(ROWS)]

    return {"i": some(INTEGERS), "j": some([-3, 0, 5, 32767]), "f": some(REALS[:3] + REALS[5:]),
            "g": some(REALS), "s": some(TEXTS), "b": some([True, False]), "d": some(DAYS)}


def table_of(columns):
    floats = {k: np.array([np.nan if x is None else x for x in columns[k]],
                          np.float32 if k == "f" else np.float64) for k in "fg"}
    table = dv.from_numpy({**columns, **floats}).cast(j="I2")
    rows = [dict(zip(columns, values)) for values in zip(*columns.values())]
    for row, value in zip(rows, floats["f"]):
        row["f"] = None if math.isnan(value) else float(value)
    return table, rows


def checked(value):
    if not -MOST <= value <= MOST:
        raise Overflow
    return value


def real(value, width):
    if value is None or math.isnan(value):
        return None
    with np.errstate(all="ignore"):
        return float(np.float32(value)) if width == 4 else float(value)


def arithmetic(sign, x, y):
    with np.errstate(all="ignore"):
        x, y = np.float64(x), np.float64(y)
        return float({"+": x + y, "-": x - y, "*": x * y, "/": x / y,
                      "%": np.fmod(x, y) if sign == "%" else 0}[sign])


def modulo(x, y):
    rest = arithmetic("%", x, y)
    return rest + y if rest and not math.isnan(rest) and (rest < 0) != (y < 0) else rest


class Make:
    """Draws expressions: a text, a function of a row, and of numbers the form: 8 (an integer), 4 or
    "r8" (a real), and whether it is made of constants alone."""

    def __init__(self, rng):
        self.rng = rng

    def integer(self, depth):
        rng = self.rng
        kind = rng.randrange(8 if depth else 3)
        if kind == 0:
            value = rng.choice(INTEGERS)
            return str(value), lambda row: value, True
        if kind < 3:
            name = rng.choice("ij")
            return name, lambda row: row[name], False
        if kind == 3:
            text, of, fixed = self.integer(depth - 1)
            return f"abs({text})", lambda row: None if (v := of(row)) is None else abs(v), fixed
        if kind == 4:
            text, of = self.text(depth - 1)
            return f"length({text})", lambda row: None if (v := of(row)) is None else len(v), False
        if kind == 5:
            part = rng.choice(["year", "month", "day"])
            return f"{part}(d)", lambda row: row["d"] and getattr(row["d"], part), False
        sign = rng.choice("+-*%")
        left, x, a = self.integer(depth - 1)
        right, y, b = self.integer(depth - 1)

        def of(row):
            p, q = x(row), y(row)
            if p is None or q is None or (sign == "%" and q == 0):
                return None
            return checked({"+": p + q, "-": p - q, "*": p * q, "%": p % q if q else 0}[sign])

        return f"({left} {sign} {right})", of, a and b

    def real(self, depth):
        """Text, function, width, whether it is made of constants alone."""
        rng = self.rng
        kind = rng.randrange(6 if depth else 3)
        if kind == 0:
            value = rng.choice(REALS[:4] + REALS[5:])
            return repr(value), lambda row: value, 8, True
        if kind < 3:
            name = rng.choice("fg")
            return name, lambda row: real(row[name], 8), 4 if name == "f" else 8, False
        if kind == 3:
            name = rng.choice(["abs", "round"])
            text, of, width, fixed = self.real(depth - 1)
            apply = abs if name == "abs" else lambda v: v if math.isinf(v) else float(np.rint(v))
            return (f"{name}({text})", lambda row: None if (v := of(row)) is None else apply(v), width,
                    fixed)
        left, x, m, a = self.real(depth - 1)
        right, y, n, b = self.real(depth - 1)
        width = 4 if (m == 4 or a) and (n == 4 or b) and not (a and b) else 8
        sign = rng.choice("+-*/%")

        def of(row):
            p, q = x(row), y(row)
            if p is None or q is None:
                return None
            p, q = (real(v, 4) if width == 4 and fixed else v for v, fixed in ((p, a), (q, b)))
            return real(modulo(p, q) if sign == "%" else arithmetic(sign, p, q), width)

        return f"({left} {sign} {right})", of, width, a and b

    def text(self, depth):
        rng = self.rng
        kind = rng.randrange(5 if depth else 2)
        if kind == 0:
            value = rng.choice(TEXTS)
            return "'" + value + "'", lambda row: value
        if kind == 1:
            return "s", lambda row: row["s"]
        left, x = self.text(depth - 1)
        if kind == 2:
            return f"upper({left})", lambda row: None if (v := x(row)) is None else "".join(
                c if c in "ßİ" else c.upper() for c in v)
        right, y = self.text(depth - 1)
        if kind == 3:
            return f"coalesce({left}, {right})", lambda row: y(row) if (v := x(row)) is None else v
        condition, holds = self.condition(depth - 1)
        return f"if({condition}, {left}, {right})", lambda row: x(row) if holds(row) else y(row)

    def condition(self, depth):
        rng = self.rng
        kind = rng.randrange(9 if depth else 5)
        if kind == 0:
            return "b", lambda row: row["b"] is True
        if kind == 1:
            name = rng.choice("ijfgsbd")
            return f"{name} is na", lambda row: row[name] is None
        if kind == 2:
            values = rng.sample(INTEGERS, 3)
            text, of, _ = self.integer(max(depth - 1, 0))
            return f"{text} in ({', '.join(map(str, values))}, 2.5)", lambda row: of(row) in values
        if kind == 3:
            text, of = self.text(max(depth - 1, 0))
            part = rng.choice(["a", "é", "", "Ba"])
            return f"{text} like '%{part}%'", lambda row: (v := of(row)) is not None and part in v
        if kind == 4:
            return self.comparison(max(depth - 1, 0))
        left, x = self.condition(depth - 1)
        right, y = self.condition(depth - 1)
        if kind == 5:
            return f"({left} or {right})", lambda row: x(row) or y(row)
        if kind == 6:
            return f"({left} and {right})", lambda row: x(row) and y(row)
        if kind == 7:
            return f"not ({left})", lambda row: not x(row)
        condition, holds = self.condition(depth - 1)
        return f"if({condition}, {left}, {right})", lambda row: x(row) if holds(row) else y(row)

    def comparison(self, depth):
        sign = self.rng.choice(["<", "<=", "=", "!=", ">", ">="])
        if self.rng.randrange(3) == 0:
            left, x = self.text(depth)
            right, y = self.text(depth)
        elif self.rng.randrange(2):
            left, x, _ = self.integer(depth)
            right, y, _ = self.integer(depth)
        else:
            left, x, width, _ = self.real(depth)
            right, y, _ = self.integer(depth) if width == 8 and left == "g" else ("g", lambda row:
                                                                                  row["g"], False)
            if right != "g" and not right.isalpha():
                right, y = "j", lambda row: row["j"]

        def holds(row):
            p, q = x(row), y(row)
            if p is None or q is None:
                return False
            return {"<": p < q, "<=": p <= q, "=": p == q, "!=": p != q, ">": p > q, ">=": p >= q}[sign]

        return f"{left} {sign} {right}", holds


def evaluated(of, rows):
    """The value of each row; the rows in which an integer overflows."""
    values, bad = [], []
    for i, row in enumerate(rows):
        try:
            values.append(of(row))
        except Overflow:
            values.append(None)
            bad.append(i)
    return values, bad


def fails_in(error, bad):
    text = str(error.value)
    return int(text.split("row ")[1].split(":")[0]) in bad


@pytest.mark.parametrize("seed", range(40))
def test_values_and_rows(seed):
    rng = random.Random(seed)
    table, rows = table_of(data(rng))
    make = Make(rng)
    for _ in range(12):
        kind = rng.choice(["integer", "real", "text", "condition"])
        text, of, *_ = getattr(make, kind)(rng.randrange(4))
        want, bad = evaluated(of, rows)
        made = table.with_columns(x=text)
        if bad:
            with pytest.raises(dv.Error, match="row") as error:
                made["x"].to_pylist()
            assert fails_in(error, bad), (text, str(error.value))
            continue
        got = [None if v is None or v != v else v for v in made["x"].to_pylist()]
        if kind == "condition":
            got = [v is True for v in got]
        if got != want:
            i = next(i for i in range(ROWS) if got[i] != want[i])
            raise AssertionError((text, rows[i], got[i], want[i]))
        if kind == "condition":
            assert table.filter(text).count() == sum(want), text
            assert table.filter(f"not ({text})").count() == ROWS - sum(want), text


def test_operators():
    table, rows = table_of(data(random.Random(1)))
    same = [(col("j") * 2 + 1 > 3, "j * 2 + 1 > 3"), (10 - col("j") >= col("j"), "10 - j >= j"),
            (-col("f") < 0.5, "-f < 0.5"), (abs(table["j"]) == 3, "abs(j) = 3"),
            (col("j").between(0, 5), "j between 0 and 5"), (~(table["g"] > 0), "not (g > 0)"),
            (col("s").is_in(["a", "Ab", None]), "s in ('a', 'Ab', na)"),
            ((1 / col("g")).is_na(), "1 / g is na"), ((col("j") % 2 == 1) | (col("s") == "a"),
                                                      "j % 2 = 1 or s = 'a'"),
            (col("d") >= DAYS[0], "d >= '2024-02-29'"), (col("b") & (col("j") > 0)
                                                         if False else (col("j") > 0) & (col("b") == True),  # noqa: E712
                                                         "b and j > 0")]
    for condition, text in same:
        assert repr(table.filter(condition).to_pylist()) == repr(table.filter(text).to_pylist()), text
    made = table.with_columns(a=col("j") * 2, b2=table["b"], c=col("j") > 0, s="upper(s)", one=1.5)
    assert made.schema["a"].type.kind == "I8" and made.schema["c"].type.kind == "BL"
    assert made.columns.count("s") == 1 and made.schema["one"].type.kind == "R8"
    assert made["s"].to_pylist() == [v and "".join(c if c in "ßİ" else c.upper() for c in v)
                                     for v in (row["s"] for row in rows)]


def test_errors():
    table, _ = table_of(data(random.Random(2)))
    with pytest.raises(dv.ColumnNotFound, match="there is no column"):
        table.filter("ii > 1").count()
    for text, match in (("i >", "at its end"), ("s > 3", "quotes"), ("i + 1", "expected a condition"),
                        ("i = 1 = 2", "relation"), ("", "expected a column")):
        with pytest.raises(dv.ArgumentError, match=match):
            table.filter(text).count()
    with pytest.raises(TypeError, match="two tables"):
        table["i"] == table_of(data(random.Random(3)))[0]["i"]  # noqa: B015
    with pytest.raises(TypeError, match="NaN"):
        col("g") + 1 > math.nan
    assert table.filter(col("g") * 2 < math.inf).count() > 0
    assert table.filter(col("j").isin(range(20000))).count() == table.filter("j >= 0 and j < 20000").count()


def test_pickled_and_sent_to_workers():
    import pickle

    columns = data(random.Random(4))
    table, _ = table_of({**columns, "b": [v is True for v in columns["b"]]})  # pickles hold no NA of BL
    view = table.with_columns(x="i % 10").filter("x > 0 or s like 'a%'")
    assert repr(pickle.loads(pickle.dumps(view)).to_pylist()) == repr(view.to_pylist())
    assert view.identity() == table.with_columns(x="i%10").filter("x>0 OR s LIKE 'a%'").identity()
