# SPDX-License-Identifier: MIT
"""Streaming over a large file takes little memory: the peak of a child process, beside the file's size."""

import os
import subprocess
import sys

import pytest

np = pytest.importorskip("numpy")
import libdataview as dv  # noqa: E402

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="/proc/self/status"),
    pytest.mark.skipif("DV_SANITIZED" in os.environ, reason="a sanitizer keeps freed memory")]
ROWS = 4_000_000  # 64 MB of two columns

BEGIN = """
import sys, libdataview as dv, numpy as np
def peak():  # of memory that is no file's
    with open("/proc/self/status") as file:
        fields = dict(line.split(":", 1) for line in file)
    return int(fields["RssAnon"].split()[0]) >> 10
path = sys.argv[1]
t = dv.open(path, **eval(sys.argv[2]))
import resource
start, most = peak(), 0
def look(value=None):
    global most
    most = max(most, peak() - start)
    return value
"""

USES = {  # code, and how many MiB it may take
    "batches": ("for b in t.batches(threads=2): look(np.asarray(b['f']).sum())", 24),
    "small batches": ("for i, b in enumerate(t.batches(rows=100)): i % 1000 or look(b['x'].to_numpy())", 24),
    "filter by an expression": ("look(t.filter('f > 0.5 or x in (3, 5) or not f < 100').count())", 24),
    "computed column": ("look(t.with_columns(y='f * 2 + x').filter('y > 7 or x == 1').count())", 24),
    "filter": ("look(t.filter(dv.col('f') > 0.5).count())", 24),
    "rows": ("for i, r in enumerate(t[:200000].iter_rows()): i % 1000 or look()", 24),
    "stats": ("look(t.stats(['f'], exact_values=1000, exact_distinct=1000))", 40),
    "write": ("import os; look(t.write(path + '.copy.idv')); os.remove(path + '.copy.idv')", 48),
    "write deflate": ("import os; look(t.write(path + '.copy.idv', compression='deflate', level=1));"
                      "os.remove(path + '.copy.idv')", 64),
    "digest": ("look(t.equals(t))", 24),
    "repr": ("look((repr(t), t._repr_html_(), t[5], t.tail()))", 12),
    "column": ("x = look(t['f'].to_numpy()); look()", 31 + 24),
    "matrix": ("x = look(t.to_numpy(['f', 'x'], 'f8')); look()", 61 + 24),
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("large")
    table = dv.from_numpy({"x": np.arange(ROWS), "f": np.arange(ROWS) / 7}, copy=False)
    table.write(folder / "raw.idv", rows_per_block=65536)
    table.write(folder / "deflate.idv", rows_per_block=65536, compression="deflate", level=1)
    return folder


def use(path, code, options="{}"):
    done = subprocess.run([sys.executable, "-c", f"{BEGIN}\n{code}\nlook()\nprint(most)", str(path), options],
                          capture_output=True, text=True, check=False,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


@pytest.mark.parametrize("name", USES)
@pytest.mark.parametrize("file", ["raw.idv", "deflate.idv"])
def test_peak(files, file, name):
    code, most = USES[name]
    took = use(files / file, code)
    assert took <= most, f"{took} MiB beside the map"


def test_a_filter_of_ten_million_rows(tmp_path):
    dv.from_numpy({"x": np.arange(10_000_000), "f": np.arange(10_000_000) % 1000}, copy=False).write(tmp_path / "many.idv")
    for condition in ("'x < 10 or f == 999'", "(dv.col('x') < 10) | (dv.col('f') == 999)"):
        took = use(tmp_path / "many.idv", f"assert look(t.filter({condition}).count()) == 10_010")
        assert took <= 64, f"{took} MiB"


def test_arrow_is_lent(files):
    pytest.importorskip("pyarrow")
    code = "import pyarrow as pa, pyarrow.compute as pc; start = peak(); a = pa.table(t); look(pc.sum(a['f'])); look()"
    assert use(files / "raw.idv", code) <= 40  # pyarrow's own threads among it
    code = "import pyarrow as pa; start = peak()\nfor b in pa.RecordBatchReader.from_stream(t): look()"
    assert use(files / "deflate.idv", code) <= 40


def test_text_is_streamed(files):
    path = files / "x.csv"
    path.write_bytes(b"x,y\n" + b"12345,some text\n" * 4_000_000)
    assert use(path, "look(t.count())\nfor b in t.batches(): look(len(b))", "{'format': 'text'}") <= 48
