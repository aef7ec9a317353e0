# SPDX-License-Identifier: MIT
"""Parquet, Arrow and JSON Lines files, and compressed text."""

import gzip
import io
import os
import pathlib
import pickle
import shlex
import subprocess
import sys

import numpy as np
import pytest

import libdataview as dv

pa = pytest.importorskip("pyarrow")
from libdataview import _arrow_files  # noqa: E402

KINDS = ["parquet", "arrow", "jsonl"]


@pytest.fixture
def t():
    return dv.from_numpy({"a": np.arange(100), "b": np.arange(100) / 4, "s": [None if i % 7 == 0 else f"row {i}" for i in range(100)],
                          "ok": np.arange(100) % 3 == 0})


@pytest.fixture(params=KINDS)
def path(request, t, tmp_path):
    path = tmp_path / f"x.{request.param}"
    assert t.write(path) == 100 and [p.name for p in tmp_path.iterdir()] == [path.name]
    return path


def test_what_is_written_is_read(path, t):
    x = dv.open(path)
    assert x.kind == path.suffix[1:] and x.columns == t.columns and x.to_pylist() == t.to_pylist()
    assert x.num_rows == (None if x.kind == "jsonl" else 100) or x.num_rows == 100
    assert len(x) == 100 and x.shape == (100, 4) and "row 1" in repr(x) and "row 1" in x._repr_html_()


def test_nothing_is_read_before_rows_are_asked_for(path):
    x = dv.open(path)
    chosen = x.filter(dv.col("a") >= 98).select("s", b2="b").head(5)
    assert chosen.columns == ["s", "b2"] and x._made is None
    assert chosen.to_pylist() == [{"s": None, "b2": 24.5}, {"s": "row 99", "b2": 24.75}] and x._made is None
    repr(x), repr(chosen)
    assert x._made is None
    with pytest.raises(dv.ColumnNotFound):
        x.select("nope")


@pytest.mark.parametrize("make", [
    lambda t: t.select("b"), lambda t: t.filter("a > 50"), lambda t: t.filter("a > 50 and b < 20").drop("a"),
    lambda t: t.filter("s == 'row 5'"), lambda t: t.filter("s = 'row 5' or a == 3"), lambda t: t.filter("not (a > 5)"),
    lambda t: t.filter("a between 3 and 5"), lambda t: t.filter("s == 'x and a > 5 and y'"), lambda t: t.filter("b >= 3.25").keep("s"),
    lambda t: t.filter("abs(b) > 3 and a < 90"), lambda t: t.with_columns(c="a * 2").filter("c > 10").select("c"),
    lambda t: t.rename(b2="a").filter("b2 < 3"), lambda t: t.select(a="b", b="a").filter("a < 3"), lambda t: t.cast(a="TX").filter("a == '5'"),
    lambda t: t.combine("F", ["a", "b"]).select("F"), lambda t: t.head(10).filter("a > 3"), lambda t: t.filter("a > 3").head(3),
    lambda t: t[10:20], lambda t: t[10:20][2:4], lambda t: t[[5, 3]], lambda t: t.dropna("s"), lambda t: t.shuffle(seed=1), lambda t: t.tail(3),
    lambda t: t.filter(dv.col("b").between(2, 4) & (dv.col("s") != "row 9")), lambda t: t.filter("s is na"),
    lambda t: t.filter("a != 5 and s != 'row 7'"), lambda t: dv.Pipeline("normalize a; combine F:a,b").fit_apply(t),
], ids=range(27))
def test_views_are_those_of_the_rows(path, t, make):
    assert make(dv.open(path)).to_pylist() == make(t).to_pylist()


def test_columns_and_conditions_are_passed_on(tmp_path, t):
    t.write(tmp_path / "x.parquet")
    x = dv.open(tmp_path / "x.parquet").filter("a > 50 and `s` = 'row 60' and b * 2 > 1").select("s")
    made = _arrow_files._pushed(x._recipe)
    while made[0] != "open_arrow_files":
        made, = made[2]
    assert made[1][2:4] == (["a", "b", "s"], (("a", ">", 50), ("s", "==", "row 60")))
    assert x.to_pylist() == [{"s": "row 60"}]


def test_several_files_bytes_and_pickles(path, t, tmp_path):
    twice = dv.open([path, path])
    assert twice.to_pylist() == 2 * t.to_pylist()
    kind = path.suffix[1:]
    for data in (path.read_bytes(), io.BytesIO(path.read_bytes())):
        assert dv.open(data, **({"format": kind} if kind == "jsonl" else {})).to_pylist() == t.to_pylist()
    assert pickle.loads(pickle.dumps(dv.open(path).filter("a > 97"))).to_pylist() == t[98:].to_pylist()
    other = tmp_path / "other"
    other.write_bytes(path.read_bytes())
    assert dv.open(other, **({"format": kind} if kind == "jsonl" else {})).count() == 100
    dv.write(dv.open(path).filter("a < 5"), tmp_path / "x.idv")
    assert dv.open(tmp_path / "x.idv").count() == 5


def test_categories_and_vectors(tmp_path):
    made = dv.Pipeline("term s; combine F:a,b").fit_apply(dv.from_numpy({"s": ["x", "y", None], "a": [1., 2, 3], "b": [4., 5, 6]}))
    for kind in ("parquet", "arrow"):
        made.write(tmp_path / f"k.{kind}")
        assert dv.open(tmp_path / f"k.{kind}").to_pylist() == made.to_pylist()


def test_failures_leave_the_old_file(tmp_path):
    path = tmp_path / "x.jsonl"
    dv.from_numpy({"a": [1]}).write(path)
    with pytest.raises(dv.LossError, match="inf"):
        dv.from_numpy({"a": [1.0, np.inf]}).write(path)
    assert path.read_text() == '{"a": 1}\n' and [p.name for p in tmp_path.iterdir()] == ["x.jsonl"]
    with pytest.raises(TypeError, match="no option 'level'"):
        dv.from_numpy({"a": [1]}).write(path, level=3)
    with pytest.raises(dv.FileMissing):
        dv.open(tmp_path / "none.parquet")
    with pytest.raises(TypeError, match="no option 'text'"):
        dv.open(path, text="auto")


@pytest.mark.parametrize("ending", ["csv.gz", "tsv.gz", "csv.zst", "jsonl.gz"])
def test_compressed_text(t, tmp_path, ending):
    path = tmp_path / f"x.{ending}"
    t.write(path)
    assert [p.name for p in tmp_path.iterdir()] == [path.name]
    if ending == "jsonl.gz":
        assert len(gzip.decompress(path.read_bytes()).splitlines()) == 100
    else:
        assert dv.open(path)["a"].to_pylist() == list(range(100))
        plain, packed = tmp_path / f"y.{ending[:3]}", path.read_bytes()
        t.write(plain)
        assert plain.read_bytes() == (gzip.decompress(packed) if ending.endswith("gz") else
                                      pa.CompressedInputStream(io.BytesIO(packed), "zstd").read())
        t.write(path)
        assert path.read_bytes() == packed
        assert all(loss["is_allowed"] for loss in dv.write_check(t, path))
    with pytest.raises(dv.ArgumentError, match="only text"):
        t.write(tmp_path / "x.idv.gz")


def test_compressed_text_keeps_the_old_file(tmp_path):
    path = tmp_path / "x.csv.gz"
    dv.from_numpy({"a": [1]}).write(path)
    old = path.read_bytes()
    with pytest.raises(dv.LossError, match="when it is read again"):
        dv.from_numpy({"a": np.array(["1", "2"])}).write(path)
    assert path.read_bytes() == old and [p.name for p in tmp_path.iterdir()] == ["x.csv.gz"]
    with pytest.raises(dv.ArgumentError, match="which format"):
        dv.from_numpy({"a": [1]}).write(tmp_path / "x.parquet.gz")


@pytest.mark.parametrize("name", ["x.parquet", "x y.PQ", "x.feather", "x.arrow", "x.jsonl", "x"])
def test_the_command_that_the_message_names_converts_the_file(tmp_path, name):
    dv.write(dv.from_numpy({"a": [1, 2], "b": ["x", "y"]}), tmp_path / name, format={"x.feather": "arrow", "x.arrow": "arrow",
                                                                                    "x.jsonl": "jsonl"}.get(name, "parquet"))
    command = pathlib.Path(dv.__file__).with_name("bin") / "dataview"
    without_preload = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}  # a sanitizer's, which it has itself
    said = subprocess.run([command, "info", name], cwd=tmp_path, env=without_preload, capture_output=True, text=True, timeout=60)
    words = shlex.split(said.stderr.split("; ", 1)[1])
    assert words[:2] == ["python", "-c"], said.stderr
    subprocess.run([sys.executable, *words[1:]], cwd=tmp_path, check=True, timeout=60)
    made = tmp_path / (name.rpartition(".")[0] or name)
    assert dv.open(f"{made}.idv").to_pylist() == [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]


def test_without_pyarrow_the_extra_is_named(path):
    code = "import sys; sys.modules['pyarrow'] = None\nimport libdataview as dv\n" \
           f"try: dv.open({str(path)!r})\nexcept ImportError as error: print(error)\n" \
           f"try: dv.write(dv.from_numpy({{'a': [1]}}), {str(path)!r})\nexcept ImportError as error: print(error)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.count("pip install 'libdataview[arrow]'") == 2, done.stdout + done.stderr


def test_bytes_are_recognised(tmp_path):
    for data in (b"a,b\n1,2\n", bytearray(b"a,b\n1,2\n"), io.BytesIO(b"a,b\n1,2\n")):
        assert dv.open(data).to_pylist() == [{"a": 1, "b": 2}]
    dv.from_numpy({"a": [1]}).write(tmp_path / "a.idv")
    assert dv.open((tmp_path / "a.idv").read_bytes()).kind == "idv"
