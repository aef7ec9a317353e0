# SPDX-License-Identifier: MIT
"""Names of other libraries: those that work here, and hints for the others, whose code runs."""

import re

import numpy as np
import pytest

import libdataview as dv
from libdataview import _hints, _pipeline


@pytest.fixture
def t():
    return dv.from_numpy({"a": np.array([1, 2, 4]), "b": [0.5, None, 1.5], "s": ["x", "y", None], "ok": [True, False, True]})


# --- Names that work ------------------------------------------------------------------------------


def test_names_of_columns(t):
    a, b = t["a"], t["b"]
    assert a.dtype == a.type == "int64" and a.dtype == np.int64 and t["s"].dtype == "string" and a.to_list() == a.to_pylist() == [1, 2, 4]
    assert (a.sum(), a.min(), a.max()) == (7, 1, 4) and isinstance(a.sum(), int) and a.mean() == pytest.approx(7 / 3)
    assert a.std() == pytest.approx(np.std([1, 2, 4], ddof=1)) and (b.sum(), b.mean()) == (2.0, 1.0) and t["ok"].sum() == 2
    assert repr(dv.col("a").between(1, 2)) == repr(a.between(1, 2)) and t.filter(dv.col("a").is_in([1, 4]))["a"].to_list() == [1, 4]
    assert t.filter(dv.col("b").notnull()).count() == t.filter(b.notna()).count() == 2


@pytest.mark.parametrize("kind", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"])
def test_sums_of_integers_are_exact(kind):
    limits = np.iinfo(kind)
    values = np.array([limits.max] * 1000 + [limits.min + 1] * 500, kind)
    assert dv.from_numpy({"x": values})["x"].sum() == sum(map(int, values))


def test_sums_of_reals_pass_over_na():
    x = dv.from_numpy({"x": np.array([0.1] * 10 + [np.nan]), "y": np.array([np.inf] + [1.0] * 10)})
    assert x["x"].sum() == pytest.approx(1, abs=1e-15) and x["y"].sum() == np.inf
    assert dv.from_numpy({"x": np.array([], "f8")})["x"].sum() == 0
    with pytest.raises(TypeError, match="column 's' is string: sum"):
        dv.from_numpy({"s": ["a"]})["s"].sum()


def test_info_prints(t, capsys, tmp_path):
    assert t.info() is None and capsys.readouterr().out.splitlines()[:2] == ["table, 3 rows, 4 columns", "a   int64    I8"]
    t.select("a").write(tmp_path / "a.csv")
    dv.open(tmp_path / "a.csv").info()
    assert capsys.readouterr().out.splitlines()[-1] == f"{(tmp_path / 'a.csv').stat().st_size} bytes"


def test_fit_transform_is_fit_apply(t):
    assert dv.Pipeline("normalize a").fit_transform(t).equals(dv.Pipeline("normalize a").fit_apply(t))


# --- Hints ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("use, wanted", [
    (lambda t: t.assign(x=1), "with_columns"), (lambda t: t.__setitem__("new", 1), r"with_columns\(new="),
    (lambda t: t.__delitem__("a"), r"t.drop\('a'\)"), (lambda t: t.groupby("a"), "to_polars"), (lambda t: t.sort("a"), "argsort"),
    (lambda t: t.merge(t), "to_pandas.*dv.zip"), (lambda t: t.to_parquet("x"), "parquet"), (lambda t: dv.col("a").str, "like"),
    (lambda t: dv.pipe.standardize("a"), "normalize.*meanvar"), (lambda t: dv.pipe.impute("a"), "replacena"),
    (lambda t: dv.pipe.tfidf("a"), "wordbag"), (lambda t: dv.pipe.StandardScaler("a"), "normalize"),
    (lambda t: dv.pipe.one_hot("a"), "onehot"), (lambda t: dv.pipe.label_encode("a"), r"term\('a'\)"),
    (lambda t: t.split([0.8, 0.2]), r"t.split\(0.8, 0.2\)"), (lambda t: t.split("a"), r"t.split\(0.8, 0.2\)"),
    (lambda t: t.split(None, 0.5), r"t.split\(0.8, 0.2\)"), (lambda t: dv.concat(t, t), r"dv.concat\(\[a, b\]\)"),
    (lambda t: dv.concat(t), r"dv.concat\(\[a, b\]\)"), (lambda t: dv.concat(5), r"dv.concat\(\[a, b\]\)"),
    (lambda t: dv.concat([t, 5]), "from_pandas"), (lambda t: dv.concat([]), r"dv.concat\(\[a, b\]\)"),
    (lambda t: dv.zip(t, t), r"dv.zip\(\[a, b\]\)"), (lambda t: dv.zip("ab"), r"dv.zip\(\[a, b\]\)"),
    (lambda t: t.notna(), "dropna"), (lambda t: t["a"].notna().sum(), r"filter\(condition\).count"),
    (lambda t: sum(t["a"].notna()), r"filter\(condition\).count"), (lambda t: len(t["a"] > 1), r"filter\(condition\).count"),
    (lambda t: (t["a"] > 1).to_numpy(), "with_columns"), (lambda t: t["a"].isin(1), r"isin\(\[1\]\)"),
    (lambda t: dv.col("a").sum(), "belongs to no table"), (lambda t: t["a"].nunique(), r"unique\(\)"),
], ids=str)
def test_errors_say_what_to_type_instead(t, use, wanted):
    with pytest.raises((TypeError, AttributeError)) as found:
        use(t)
    assert re.search(wanted, str(found.value)), found.value


def test_hinted_names_exist_here(t):
    """Hints name methods of tables and columns, steps and options that exist."""
    kinds = {"t": t, "t['a']": t["a"], "dv": dv, "dv.pipe": dv.pipe, "fitted": dv.Pipeline("normalize a").fit(t)}
    for words in (_hints.TABLE, _hints.COLUMN, _hints.CONDITION, _hints.MODULE, _hints.FITTED, _hints.STEP):
        for hint in words.values():
            for owner, name in re.findall(r"(?<![\w.])(t\['a'\]|dv\.pipe|dv|fitted|t)\.(\w+)", hint):
                if (owner, name) == ("dv", "torch"):
                    continue  # needs torch
                assert hasattr(kinds[owner], name), hint


@pytest.mark.parametrize("name", sorted(set(_hints.STEP)))
def test_hinted_steps_parse(name):
    assert name not in _pipeline.STEPS
    hint = re.match(r"dv\.pipe\.\w+\(.*?\)(\.\w+\(.*?\))?", _hints.STEP[name])
    if hint:
        assert len(eval(hint[0], {"dv": dv})) >= 1
