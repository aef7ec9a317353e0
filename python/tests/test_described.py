# SPDX-License-Identifier: MIT
"""Statistics beside NumPy's, and shown as users see values."""

import datetime as dt

import golden_cases as golden
import pytest

np = pytest.importorskip("numpy")
import libdataview as dv  # noqa: E402

DAYS = [dt.datetime(2024, 1, 1) + dt.timedelta(hours=7 * i) for i in range(50)]
UTC = dt.timezone.utc


@pytest.fixture
def t():
    rng = np.random.default_rng(3)
    r = rng.normal(size=50)
    r[7] = np.nan
    return dv.from_numpy({
        "i": [None if i == 3 else i * i for i in range(50)], "r": r, "b": [i % 3 == 0 for i in range(50)],
        "s": [f"é{i % 4}" for i in range(50)], "d": [*DAYS[:49], None],
        "t": [dt.timedelta(minutes=i - 20) for i in range(50)],
        "z": [f"{day.isoformat()}+02:00" for day in DAYS], "k": [str(i % 5) for i in range(50)],
        "v": np.arange(100.0).reshape(50, 2)}).cast(z="DZ", k="U1[0-9]")


def test_numbers(t):
    stats, r = t.stats(), t["r"].to_numpy()
    i = np.array([v for v in t["i"].to_pylist() if v is not None])
    assert (stats["i"]["min"], stats["i"]["max"], stats["i"]["na"], stats["i"]["rows"]) == (0, 49 * 49, 1, 50)
    assert stats["i"]["mean"] == pytest.approx(i.mean()) and stats["i"]["sd"] == pytest.approx(i.std(ddof=1))
    assert stats["r"]["min"] == np.nanmin(r) and stats["r"]["mean"] == pytest.approx(np.nanmean(r))
    assert stats["r"]["quantiles"][3] in r and stats["r"]["na"] == 1 and sum(stats["r"]["bins"]) == 49
    assert t["i"].min() == 0 and t["r"].max() == np.nanmax(r) and t["r"].mean() == stats["r"]["mean"]
    slots = t.stats(["v"], slots=["v"])
    assert slots["v[1]"]["max"] == 99 and slots["v[0]"]["max"] == 98
    assert stats["s"]["distinct"] == 4 and stats["s"]["min"] is None and stats["s"]["top"][0][1] == 13
    assert stats["b"]["min"] is False and stats["b"]["max"] is True and stats["b"]["top"][0] == (False, 33)


def test_times(t):
    d = t.stats()["d"]
    assert (d["min"], d["max"]) == (DAYS[0], DAYS[48]) and d["quantiles"][3] in DAYS
    assert abs(d["mean"] - (DAYS[0] + (DAYS[48] - DAYS[0]) / 2)) < dt.timedelta(milliseconds=1)
    assert isinstance(d["sd"], dt.timedelta) and d["sd"] > dt.timedelta(days=1)
    assert d["bin_low"] == DAYS[0] and d["top"][0][0] in DAYS
    span = t.stats()["t"]
    assert span["min"] == dt.timedelta(minutes=-20) and span["mean"] == dt.timedelta(minutes=4.5)
    z = t.stats()["z"]
    assert z["min"] == DAYS[0].replace(tzinfo=UTC) - dt.timedelta(hours=2) and z["min"].tzinfo is UTC
    assert t["d"].min() == DAYS[0] and t["t"].max() == dt.timedelta(minutes=29)
    assert t["z"].max().tzinfo is UTC and t["d"].mean() == d["mean"]
    empty = t[:0].stats()
    assert empty["d"]["min"] is empty["d"]["mean"] is empty["d"]["sd"] is None
    assert t[:1].stats()["d"]["sd"] is None


def test_keys(t):
    assert t["k"].min() == 0 and t["k"].max() == 4
    assert [v for v, _ in t.stats()["k"]["top"]] == [0, 1, 2, 3, 4]
    label = dv.open(golden.ROOT / "tests/golden/idv/metadata-raw.idv")["label"]
    values = [v for v in label.to_pylist() if v is not None]
    assert label.min() == label.categories[0] and label.max() == label.categories[-1]
    assert {v for v, _ in label.stats()["top"]} == set(values) == set(label.unique())
    assert label.value_counts() == {v: values.count(v) for v in label.unique()}


def test_value_counts(t):
    for name in ("i", "b", "s", "d", "t", "k", "r"):
        values = t[name].to_pylist()
        counts = t[name].value_counts()
        assert sum(counts.values()) == len([v for v in values if v is not None and v == v])
        assert all(values.count(v) == n for v, n in counts.items())
        assert list(counts.values()) == sorted(counts.values(), reverse=True)


def test_describe(t):
    shown = repr(t.describe())
    assert "2024-01-01 00:00:00" in shown and "median" in shown and "6387" not in shown
    html = t.describe()._repr_html_()
    assert html.count("<tr>") == 10 and "2024-01-01" in html
    assert t.describe()["i"]["max"] == 49 * 49
