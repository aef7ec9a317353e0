# SPDX-License-Identifier: MIT
"""Remote files: the tables of URLs are those of the files, whatever the server does (docs/remote.md)."""

import gc
import gzip
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time
import warnings

import pytest

import libdataview as dv
from libdataview import _remote

fsspec = pytest.importorskip("fsspec")
np = pytest.importorskip("numpy")
pytest.importorskip("aiohttp")

from web_server import Server  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "examples/sample.idv"
GOLDEN = ROOT / "tests/golden"


def rows(table):
    """As text, in which NaN equals NaN."""
    return repr(table.to_pylist())


@pytest.fixture(scope="module")
def big(tmp_path_factory):
    """300,000 rows of two columns in blocks, 3.6 MB."""
    path = tmp_path_factory.mktemp("big") / "big.idv"
    n = 300_000
    dv.write({"i": list(range(n)), "x": [i * 0.5 for i in range(n)]}, path, rows_per_block=16384)
    return path


@pytest.fixture
def server(big):
    server = Server({"sample.idv": SAMPLE.read_bytes(), "big.idv": big.read_bytes()})
    yield server
    server.close()


def test_the_table_of_a_url_is_that_of_the_file(server):
    far, near = dv.open(server.url("sample.idv")), dv.open(SAMPLE)
    assert rows(far) == rows(near)
    assert far.schema == near.schema and far.identity() == near.identity()
    assert far.facts["io"] == "source"


@pytest.mark.parametrize("path", ["idv/people.idv", "btable/article.btable", "datadings/tiny.msgpack"])
@pytest.mark.parametrize("scheme", ["http", "memory", "file"])
def test_every_format(path, scheme, server):
    folder, name = (GOLDEN / path).parent, pathlib.Path(path).name
    files = {p.name: p.read_bytes() for p in folder.glob(name + "*")}
    if scheme == "http":
        server.files = files
        far = dv.open(server.url(name))
    elif scheme == "memory":
        fs = fsspec.filesystem("memory")
        fs.pipe({f"/far/{key}": value for key, value in files.items()})
        far = dv.open(f"memory://far/{name}")
    else:
        far = dv.open(str(folder / name), filesystem=fsspec.filesystem("file"))
    near = dv.open(folder / name)
    assert far.kind == near.kind and rows(far) == rows(near)
    assert {**far.facts, "io": "", "source": None} == {**near.facts, "io": "", "source": None}
    assert far._view.facts(True)["source"]["fetched_nbytes"] > 0 == near._view.facts(True)["source"]["fetched_nbytes"]


def test_text_and_packed_text(server):
    csv = "".join(f"{i},{i / 4},name {i}\n" for i in range(20000))
    data = ("id,x,name\n" + csv).encode()
    server.files = {"a.csv": data, "a.csv.gz": gzip.compress(data)}
    for name in server.files:
        table = dv.open(server.url(name))
        assert table["name"].to_pylist()[-1] == "name 19999"
        assert sum(table["id"].to_pylist()) == 19999 * 10000
        assert len(table.to_pylist()) == 20000  # a second time


def test_many_files_patterns_and_folders():
    fs = fsspec.filesystem("memory")
    data = SAMPLE.read_bytes()
    fs.pipe({f"/many/part-{k}.idv": data for k in range(7)} | {"/many/notes.md": b"no table"})
    assert dv.open("memory://many/part-*.idv").num_rows == 7 * 600
    assert dv.open("memory://many").num_rows == 7 * 600
    assert dv.open(["memory://many/part-1.idv", "memory://many/part-2.idv"]).num_rows == 1200
    with pytest.raises(dv.FileMissing, match="no file matches"):
        dv.open("memory://many/none-*.idv")
    fs.pipe("/notes/a.md", b"no table")
    with pytest.raises(dv.ArgumentError, match="holds no tables"):
        dv.open("memory://notes")


def test_a_url_of_a_local_file_is_a_path():
    assert dv.open(SAMPLE.as_uri()).facts["io"] == "mmap"


def test_arguments():
    with pytest.raises(TypeError, match="paths and URLs at once"):
        dv.open(["memory://a.idv", str(SAMPLE)])
    with pytest.raises(TypeError, match="requests: only for URLs"):
        dv.open(SAMPLE, requests=2)
    with pytest.raises(TypeError, match="several stores"):
        dv.open(["memory://a.idv", "http://127.0.0.1:1/b.idv"])
    with pytest.raises(TypeError, match="its options already"):
        dv.open("/a.idv", filesystem=fsspec.filesystem("memory"), storage_options={"x": 1})
    with pytest.raises(dv.ArgumentError, match="requests must be 1 to 256"):
        dv.open(SAMPLE.as_uri().replace("file://", ""), filesystem=fsspec.filesystem("file"), requests=0)
    with pytest.raises(dv.FileMissing):
        dv.open("memory://no/such.idv")


def test_what_fsspec_does_not_know():
    with pytest.raises(dv.ArgumentError, match="htp://x/y.csv: Protocol not known"):
        dv.open("htp://x/y.csv")


def test_a_cache_near_the_reader(server, tmp_path):
    for _ in range(2):
        near = dv.open(server.url("big.idv")).cache(tmp_path / "near.idv")
        assert near["i"].to_numpy()[-1] == 299_999
        nbytes, server.nbytes = server.nbytes, 0
    assert nbytes < 1 << 18  # what was cached is not fetched again


def test_no_such_file(server):
    with pytest.raises(FileNotFoundError):
        dv.open(server.url("none.idv"))


# --- Requests ---------------------------------------------------------------------------------------------------


def test_few_requests(server, big):
    table = dv.open(server.url("big.idv"))
    assert (server.heads, server.gets) == (0, 2)
    server.reset()
    assert table[:10].to_pylist()[9] == {"i": 9, "x": 4.5}
    assert server.gets <= 2 and server.nbytes < 3 * 16384 * 12
    server.reset()
    assert table["x"].to_numpy().sum() == 0.5 * 299_999 * 150_000
    assert server.nbytes < 1.2 * 300_000 * 8 + 100_000


def test_requests_at_the_same_time_are_bounded(server):
    server.delay_s = 0.02
    for requests in (1, 3):
        server.reset()
        table = dv.open(server.url("big.idv"), requests=requests, request_nbytes=1 << 18, cache_nbytes=1 << 21)
        assert table["i"].to_numpy()[-1] == 299_999
        assert server.most <= requests
    assert server.most == 3


# --- What can go wrong ------------------------------------------------------------------------------------------


def test_what_passes_is_tried_again(server):
    server.fail = lambda number: 503 if number % 3 == 1 else None
    assert rows(dv.open(server.url("sample.idv"))) == rows(dv.open(SAMPLE))


def test_answers_that_are_cut_off_are_tried_again(server):
    server.cut = 5000
    with pytest.raises(dv.FileError, match="sample.idv: cannot be opened"):
        dv.open(server.url("sample.idv"), attempts=2)
    assert server.gets == 4  # both ends, twice
    server.cut = None
    assert dv.open(server.url("sample.idv")).num_rows == 600


def test_a_server_that_is_out_of_order(server):
    server.fail = lambda number: 500
    with pytest.raises(dv.FileError, match="500"):
        dv.open(server.url("sample.idv"), attempts=2)


def test_other_bytes_than_those_that_were_asked_for(server):
    server.shift = 3
    with pytest.raises(dv.FileError, match="other bytes came: those from"):
        dv.open(server.url("big.idv"), attempts=1)


@pytest.mark.parametrize("etags", [True, False])
def test_a_file_that_changes_is_noticed(server, etags):
    server.etags = etags
    table = dv.open(server.url("big.idv"))
    assert table[:5]["i"].to_pylist() == [0, 1, 2, 3, 4]
    changed = server.files["big.idv"]
    server.files["big.idv"] = changed[:-1] + b"?" if etags else changed + b"?"
    with pytest.raises(dv.FileError, match="big.idv: .*not read: the file has changed"):
        table["x"].to_numpy()


def test_a_file_in_a_store_that_changes_is_noticed(big):
    fs = fsspec.filesystem("memory")
    data = big.read_bytes()
    fs.pipe("/changing/big.idv", data)
    table = dv.open("memory://changing/big.idv")
    fs.pipe("/changing/big.idv", data)
    with pytest.raises(dv.FileError, match="the file has changed"):
        table["x"].to_numpy()
    fs.rm("/changing/big.idv")
    with pytest.raises(dv.FileError, match="the file is gone"):
        table["i"].to_numpy()


def test_a_server_without_ranges_is_refused_by_name(server):
    server.ranges = False
    with pytest.raises(dv.UnsupportedError, match="does not serve ranges: simplecache::http"):
        dv.open(server.url("big.idv"))
    assert dv.open(server.url("sample.idv"), least_nbytes=1 << 20).num_rows == 600  # a file in one request
    whole = dv.open("simplecache::" + server.url("big.idv"))
    assert whole.num_rows == 300_000


def test_a_call_that_failed_can_be_made_again(server):
    table = dv.open(server.url("big.idv"), attempts=1)
    server.fail = lambda number: 503
    with pytest.raises(dv.FileError):
        table["x"].to_numpy()
    server.fail = lambda number: None
    assert table["x"].to_numpy()[-1] == 299_999 / 2


# --- Processes, threads, signals --------------------------------------------------------------------------------


def test_tables_of_urls_travel(server):
    table = pickle.loads(pickle.dumps(dv.open(server.url("sample.idv")).head(7)))
    assert rows(table) == rows(dv.open(SAMPLE).head(7))


def test_threads_share_a_table(server):
    table = dv.open(server.url("big.idv"), requests=3, request_nbytes=1 << 17, cache_nbytes=1 << 19)
    sums = []
    threads = [threading.Thread(target=lambda: sums.append(int(table["i"].to_numpy().sum()))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sums == [299_999 * 150_000] * 4


def test_shuffled_batches_of_a_url(server):
    table = dv.open(server.url("big.idv"))
    near = table.shuffle(seed=3)
    assert sorted(near["i"].to_numpy().tolist()) == list(range(300_000))


def test_nothing_is_left(server, nothing_left):
    table = dv.open(server.url("sample.idv"))
    next(iter(table.batches()))
    del table


def _script(text, *args):
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen([sys.executable, "-c", textwrap.dedent(text), *args], env=env, stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_ctrl_c_ends_a_wait(server):
    server.delay_s = 60
    child = _script("""
        import sys, libdataview as dv
        print("ready", flush=True)
        dv.open(sys.argv[1])
        """, server.url("big.idv"))
    assert child.stdout.readline() == "ready\n"
    while server.gets == 0:
        time.sleep(0.01)
    begin = time.monotonic()
    child.send_signal(signal.SIGINT)
    _, errors = child.communicate(timeout=60)
    assert "KeyboardInterrupt" in errors
    assert time.monotonic() - begin < 10


def test_ctrl_c_ends_an_arrow_stream(server):
    """pyarrow found the exception of the signal set, and raised SystemError."""
    pytest.importorskip("pyarrow")
    child = _script("""
        import sys, libdataview as dv
        table = dv.open(sys.argv[1], timeout=4)
        print("ready", flush=True)
        sys.stdin.readline()
        table.to_arrow()
        """, server.url("big.idv"))
    assert child.stdout.readline() == "ready\n"
    server.delay_s = 60
    before = server.gets
    child.stdin.write("go\n")
    child.stdin.flush()
    while server.gets == before:
        time.sleep(0.01)
    child.send_signal(signal.SIGINT)
    _, errors = child.communicate(timeout=60)
    assert "KeyboardInterrupt" in errors and "SystemError" not in errors


@pytest.mark.parametrize("delay_s", [0, 60])
def test_a_program_ends_while_requests_run(server, delay_s):
    child = _script("""
        import sys, libdataview as dv
        table = dv.open(sys.argv[1], request_nbytes=1 << 16, cache_nbytes=1 << 20)
        kept = iter(table.batches())
        next(kept)
        print("ready", flush=True)
        sys.stdin.readline()
        import threading
        threading.Thread(target=table["x"].to_numpy, daemon=True).start()
        """, server.url("big.idv"))
    assert child.stdout.readline() == "ready\n"
    server.delay_s, begin = delay_s, time.monotonic()
    child.communicate("\n", timeout=90)
    assert child.returncode == 0 and time.monotonic() - begin < 30


def test_no_collection_while_a_source_reads(server, monkeypatch):
    """A collection in a thread that read ahead released the view that owned the thread, which waited for itself."""
    enabled, read_at = [], _remote.Source.read_at

    def noted(source, offset, nbytes):
        enabled.append(gc.isenabled())
        return read_at(source, offset, nbytes)

    monkeypatch.setattr(_remote.Source, "read_at", noted)
    table = dv.open(server.url("sample.idv"))
    rows(table)
    del table
    gc.collect()
    assert enabled and not any(enabled) and gc.isenabled()


def test_a_forked_child_reads_on_its_own(server):
    table = dv.open(server.url("sample.idv"))
    expected = rows(table)
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.write(writing, b"same" if rows(table) == expected else b"other")
        except BaseException as error:  # the parent shows it
            os.write(writing, repr(error).encode()[:1000])
        os._exit(0)
    os.waitpid(pid, 0)
    assert os.read(reading, 1000) == b"same"
    assert rows(table) == expected


# --- Sizes, orders and files that are written -----------------------------------------------------


@pytest.mark.parametrize("sizes", [{"cache_nbytes": 4 << 20}, {"cache_nbytes": 5000}, {"request_nbytes": 1 << 12},
                                   {"least_nbytes": 8 << 20}, {"piece_nbytes": 1 << 17}, {"request_nbytes": 64 << 20},
                                   {"piece_nbytes": 1 << 23}, {"cache_nbytes": 1 << 20, "requests": 1}])
def test_one_size_is_enough(server, sizes):
    """The sizes that are not given follow those that are."""
    assert dv.open(server.url("big.idv"), **sizes)["i"][299_999] == 299_999


def test_sizes_that_contradict_each_other():
    for sizes in ({"cache_nbytes": 1 << 20, "request_nbytes": 1 << 20}, {"least_nbytes": 1 << 20, "request_nbytes": 1 << 12},
                  {"cache_nbytes": 100}, {"piece_nbytes": 1000}):
        with pytest.raises(dv.ArgumentError, match="source options"):
            dv.open(SAMPLE.as_uri().replace("file://", ""), filesystem=fsspec.filesystem("file"), **sizes)


def test_the_cost_of_an_order_is_told_before_reading(server, big, tmp_path):
    """True never reads blocks of a remote file again and again; test_disk_cache.py has the cost of what does."""
    url = server.url("big.idv")
    small, large = dv.open(url, cache_nbytes=1 << 20), dv.open(url, cache_nbytes=64 << 20)
    with warnings.catch_warnings():
        warnings.simplefilter("error", dv.DataWarning)
        for table in (small, large, small.select("i", "x"), small.with_columns(z="x * 2"), dv.concat([small, small])):
            assert "shuffle pool" in repr(table.feed("x", shuffle=True)), table
        assert "shuffle uniform" in repr(large.feed("x", shuffle="uniform"))  # all of it fits in the cache
        near = small.cache(tmp_path / "near.idv")
        assert "shuffle uniform" in repr(near.feed("x", shuffle=True))
        assert "shuffle uniform" in repr(dv.open(big).feed("x", shuffle=True))
        for table in (small, small.select("i", "x")):
            assert table.feed("x", "i", shuffle="uniform").cost["nbytes"] <= 4_800_000  # few enough to stay in memory
    with pytest.warns(dv.DataWarning, match="reads blocks of remote files again and again"):  # how many is unknown
        dv.zip([small.select("x"), small.select("i")]).feed("x", "i", shuffle="uniform")


class Failing(type(fsspec.filesystem("memory"))):
    """A store that fails in the middle of a file, or before it gets its name."""

    protocol, cachable, store, pseudo_dirs, fails = "failing", False, {}, [""], ""

    def put_file(self, lpath, rpath, **options):
        if self.fails == "put" and not rpath.endswith(".msgpack"):
            self.pipe_file(rpath, b"half of")
            raise OSError("the line is cut")
        super().put_file(lpath, rpath, **options)

    def mv(self, *args, **options):
        if self.fails == "mv":
            raise OSError("the line is cut")
        super().mv(*args, **options)


@pytest.mark.parametrize("name", ["a.idv", "folder/a.idv", "folder/deep/b.csv", "c.tsv", "d.msgpack"])
def test_a_file_is_written_to_a_store(name):
    """Whole, with its sidecar files, and again over itself."""
    table = dv.open(SAMPLE).select("Age", "Name").slice(0, 50)
    fs = fsspec.filesystem("memory")
    fs.store.clear()
    for rows in (50, 20):
        part = table.slice(0, rows)
        if name.endswith(".msgpack"):
            part = dv.from_numpy({"key": np.array([f"k{i}" for i in range(rows)]), "n": np.arange(rows)})
        assert dv.write(part, f"memory://{name}") == rows
        assert dv.open(f"memory://{name}").count() == rows
    assert not [path for path in fs.find("/") if "part" in path]
    assert part.write("other-" + name.rpartition("/")[2], filesystem=fs) == 20


@pytest.mark.parametrize("fails", ["put", "mv"])
def test_a_file_in_a_store_is_whole_or_as_it_was(fails):
    fs = Failing()
    fs.store.clear()
    fs.fails = ""
    dv.write({"x": np.arange(5)}, "/rows.idv", filesystem=fs)
    before = dict(fs.store)
    fs.fails = fails
    with pytest.raises(dv.FileError, match="the line is cut"):
        dv.write({"x": np.arange(9)}, "/rows.idv", filesystem=fs)
    with pytest.raises(dv.LossError):
        dv.write({"x": np.array(["1", "2"])}, "/rows.csv", filesystem=fs)
    assert fs.store == before and dv.open("/rows.idv", filesystem=fs)["x"].to_pylist() == list(range(5))


def test_what_cannot_be_written_is_refused_by_name(tmp_path):
    table = dv.from_numpy({"x": np.arange(3.0)})
    with pytest.raises(dv.UnsupportedError, match="web servers take no files"):
        table.write("https://example.org/a.idv")
    with pytest.raises(dv.ArgumentError, match="name the file"):
        table.write("memory://")
    with pytest.raises(dv.ArgumentError, match="Protocol not known"):
        table.write("s4://a/b.idv")
    with pytest.raises(TypeError, match="only for URLs"):
        table.write(tmp_path / "a.idv", storage_options={"anon": True})
    for call in (lambda: table.cache("memory://a.idv"), lambda: dv.datadings.Writer("memory://a.msgpack"),
                 lambda: dv.Pipeline("normalize x").fit(table).save("memory://a.dvp")):
        with pytest.raises(dv.UnsupportedError, match="memory://a.*is a local file"):
            call()
    assert table.write((tmp_path / "b.idv").as_uri()) == 3 and dv.open(tmp_path / "b.idv").count() == 3
