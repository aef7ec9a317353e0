# SPDX-License-Identifier: MIT
"""A CSV that was written is detected again as the same table, or refused as loss types."""
import datetime
import math
import os
import random
import warnings

import numpy as np
import pytest

import libdataview as dv

ROUNDS = int(os.environ.get("DV_AGAIN", 300))
WORDS = ["NA", "?", "", " ", "a", "b c", " lead", "trail ", "007", "1", "-1", "+1", "1.5", "1e5", "inf", "-inf", "nan",
         "null", "None", ".", "true", "False", "yes", "2020-01-31", "31/12/2020", "01.02.2003", "1/2/2003", "12:30:00",
         "12:30", "#", "# a", "#1", "//x", "sep=;", "sep=,", "x,y", "a;b", "t\tt", "p|q", '"', '""', 'he said "x"', "\\",
         '\\"', "line\nbreak", "cr\rcr", "crlf\r\nx", "\n", "é", "日本", "\ufeff", "\x1a", "\x00", "a\x00b", "1,626.47",
         "$4.50", "(3.25)", "12%", "1:2", "0x10", "Infinity", "-", "--", "'", "N/A", "#N/A", "<NA>", r"\N", "C0", "x_2",
         "1.#QNAN", "9" * 25, "0.1234567890123456789", "ID", "id", "Total", "2020-01-31T10:00:00Z", "1990", "1991"]


def texts(draw):
    few = draw.choice([[draw.choice(WORDS)], draw.sample(WORDS, 3), WORDS, ["a", "b", "c"], ["1", "2", "x"],
                       ["2020-01-01", "2020-05-06"], ["1/2/2003", "13/2/2003"], ["NA", "x"], ["12", "13", None], ["", None]])
    return lambda: draw.choice(few)


def column(draw, rows):
    """Values, and their type."""
    kind = draw.choice(["TX", "TX", "TX", "I4", "I8", "U8", "R4", "R8", "BL", "DT", "DZ", "TS"])
    span = draw.choice([1, 10, 10**4, 2**31 - 1])
    make = {
        "TX": texts(draw),
        "I4": lambda: draw.randint(-span, span),
        "I8": lambda: draw.choice([draw.randint(-2**63 + 1, 2**63 - 1), draw.randint(-span, span)]),
        "U8": lambda: draw.choice([draw.randint(0, 2**64 - 1), draw.randint(0, span)]),
        "R4": lambda: draw.choice([draw.random(), float(draw.randint(-9, 9)), 1e-30, -0.0]),
        "R8": lambda: draw.choice([draw.random() * 10.0**draw.randint(-300, 300), float(draw.randint(-9, 9)), 1e22, 2.0**53,
                                   -0.0, math.inf, -math.inf, 5e-324, 123456789012345678.0]),
        "BL": lambda: draw.random() < 0.5,
        "DT": lambda: datetime.datetime(draw.randint(1, 9999), draw.randint(1, 12), draw.randint(1, 28),
                                        draw.randint(0, 23), 0, 0, draw.randint(0, 999999)),
        "DZ": lambda: datetime.datetime(2000 + draw.randint(0, 50), 5, 6, 7, 8, 9, 10, datetime.timezone(
            datetime.timedelta(minutes=draw.choice([0, 0, 60, -570])))),
        "TS": lambda: datetime.timedelta(seconds=draw.randint(-10**6, 10**6), microseconds=draw.choice([0, 5])),
    }[kind]
    share = draw.choice([0, 0, 0, 0.2, 1]) if kind not in ("U8", "BL") else 0
    if draw.random() < 0.2:
        value = make()
        make = lambda: value  # noqa: E731
    return [None if draw.random() < share else make() for _ in range(rows)], kind


def drawn(seed):
    draw = random.Random(seed)
    rows = draw.choice([0, 1, 2, 3, 5, 20, 250])
    names = draw.sample([word for word in WORDS if word and "\x00" not in word] + [f"n{i}" for i in range(30)], draw.choice([1, 1, 2, 3, 6])) \
        if draw.random() < 0.5 else [f"c{i}" for i in range(draw.choice([1, 1, 2, 3, 6]))]
    data, types = {}, {}
    for name in names:
        data[name], types[name] = column(draw, rows)
    how = draw.choice(["", "", "csv+ sep=semicolon", "csv+ sep=tab", "csv+ sep=bar", "csv+ bom+", "csv+ sep=space"])
    return data, types, how


def field(value, kind):
    if value is None or kind == "TX":
        return value
    if kind == "TS":
        days, seconds = divmod(abs(value), datetime.timedelta(days=1))
        return f"{'-' if value < datetime.timedelta() else ''}{days}.{datetime.datetime.min + seconds:%H:%M:%S.%f}"
    if isinstance(value, float) and math.isinf(value):
        return "-Infinity" if value < 0 else "Infinity"
    return value.isoformat() if isinstance(value, datetime.datetime) else str(value)


def table_of(data, types):
    """A table of texts, cast to the types."""
    table = dv.from_numpy({name: np.array([field(value, types[name]) for value in values], object)
                           for name, values in data.items()})
    return table.cast({name: kind for name, kind in types.items() if kind != "TX"})


KINDS = {"TX": "text", "BL": "boolean", "DT": "date", "DZ": "date", "TS": "span"}


def kind_of(kind):
    return KINDS.get(str(kind), "number")


def same(a, b, is_short):
    """is_short: R4, whose shortest digits are read as R8."""
    a, b = (None if value != value else value for value in (a, b))
    if a is None or b is None:
        return a is b
    if is_short:
        return np.float32(a) == np.float32(b)
    if isinstance(a, datetime.datetime):
        if a.tzinfo and not b.tzinfo:
            return a.replace(tzinfo=None) == b and not a.utcoffset()
    return a == b


@pytest.mark.parametrize("step", range(10))
def test_detected_again_or_refused(tmp_path, step):
    refused = written = 0
    for seed in range(step, ROUNDS, 10):
        data, types, how = drawn(seed)
        table, path = table_of(data, types), tmp_path / f"{seed}.csv"
        try:
            dv.write(table, path, text=how or None)
        except dv.LossError as loss:
            assert "allow_loss" in str(loss), (seed, str(loss))
            refused += 1
            continue
        written += 1
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            again = dv.open(path)
            shown = (seed, path.read_bytes()[:300], again.schema)
            assert again.schema.names == list(data), shown
            for name, values in data.items():
                assert kind_of(again.schema[name].type) == kind_of(types[name]), shown
                got = again[name].to_pylist()
                want = table[name].to_pylist()
                assert len(got) == len(want), shown
                differing = [(w, g) for w, g in zip(want, got) if not same(w, g, types[name] == "R4")]
                assert not differing, (*shown, differing[:3])
    assert written > 0 and refused > 0
