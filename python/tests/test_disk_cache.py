# SPDX-License-Identifier: MIT
"""Blocks of remote files on disk: they are fetched once, by whichever process, and never wrong (docs/remote.md)."""

import os
import pathlib
import pickle
import random
import signal
import subprocess
import sys
import textwrap
import warnings

import pytest

import libdataview as dv

fsspec = pytest.importorskip("fsspec")
np = pytest.importorskip("numpy")
pytest.importorskip("aiohttp")

from web_server import Server  # noqa: E402

GOLDEN = pathlib.Path(__file__).resolve().parents[2] / "tests/golden"
ROWS = 400_000


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """400,000 rows of two columns in blocks, 6.4 MB."""
    path = tmp_path_factory.mktemp("disk") / "rows.idv"
    dv.write({"i": np.arange(ROWS), "x": np.arange(ROWS) * 0.5}, path, rows_per_block=8192, compression="none")
    return path


@pytest.fixture
def server(path):
    server = Server({"rows.idv": path.read_bytes()})
    yield server
    server.close()


def read_all(table):
    assert table["i"].to_numpy().sum() == (ROWS - 1) * ROWS // 2
    assert table["x"].to_numpy()[-1] == (ROWS - 1) / 2
    return table._view.facts(True)["source"]


def blocks_in(folder):
    return sorted(folder.glob("dv-*.block"))


def test_a_second_opening_fetches_no_data(server, path, tmp_path):
    nbytes = path.stat().st_size
    for round in range(2):
        server.reset()
        facts = read_all(dv.open(server.url("rows.idv"), disk_cache=tmp_path / "blocks"))
        assert facts["disk_note"] == ""
        if round == 0:
            assert server.nbytes == nbytes + 1 and facts["disk_kept_nbytes"] == nbytes
        else:
            assert (server.gets, server.nbytes) == (1, 1)  # its version and length
            assert facts["requests"] == 0 and facts["disk_read_nbytes"] >= nbytes
    assert (tmp_path / "blocks").stat().st_mode & 0o777 == 0o700
    blocks = blocks_in(tmp_path / "blocks")
    assert sum(block.stat().st_size for block in blocks) == nbytes + 4096 * len(blocks)


def test_another_process_and_a_pickle_fetch_no_data(server, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = dv.open(server.url("rows.idv"), disk_cache="blocks")  # relative: processes elsewhere mean the same folder
    read_all(table)
    server.reset()
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    script = """
        import pickle, sys
        table = pickle.load(sys.stdin.buffer)
        print(int(table["i"].to_numpy().sum()), table._view.facts(True)["source"]["fetched_nbytes"])
        """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], input=pickle.dumps(table), env=env, cwd="/",
                          stdout=subprocess.PIPE, check=True)
    assert done.stdout.split() == [str((ROWS - 1) * ROWS // 2).encode(), b"0"]
    assert server.nbytes == 1


def test_workers_of_a_loader_share_blocks(server, path, tmp_path):
    torch = pytest.importorskip("torch")
    table = dv.open(server.url("rows.idv"), disk_cache=tmp_path, cache_nbytes=1 << 20)
    dataset = dv.torch.Dataset(table, features=["x"], labels=["i"], batch_rows=8192, shuffle=True)
    server.reset()
    seen = torch.cat([labels for _, labels in dataset.loader(workers=2)])
    assert sorted(seen.tolist()) == list(range(ROWS))
    assert server.nbytes <= path.stat().st_size + 100  # each block once, by either process


def test_a_file_that_changes_has_other_blocks(server, path, tmp_path):
    read_all(dv.open(server.url("rows.idv"), disk_cache=tmp_path))
    changed = tmp_path / "changed.idv"
    dv.write({"i": np.arange(ROWS)[::-1].copy(), "x": np.arange(ROWS) * 0.5}, changed, rows_per_block=8192,
             compression="none")
    server.files["rows.idv"] = changed.read_bytes()
    assert len(server.files["rows.idv"]) == path.stat().st_size
    table = dv.open(server.url("rows.idv"), disk_cache=tmp_path)
    assert table[:10]["i"].to_list()[0] == ROWS - 1
    server.files["rows.idv"] = path.read_bytes()
    with pytest.raises(dv.FileError, match="the file has changed"):  # bytes that are not on disk yet
        table["x"].to_numpy()


@pytest.mark.parametrize("answers", ["none", "weak"])
def test_a_server_without_a_strong_etag(server, tmp_path, answers):
    """Blocks of two versions could be mixed: nothing is kept, and a warning reports it."""
    server.etags = answers == "weak"
    server.etag_of = lambda data: 'W/"1"'
    with pytest.warns(dv.DataWarning, match="disk_cache: blocks of the file are not kept: the source has no version"):
        table = dv.open(server.url("rows.idv"), disk_cache=tmp_path)
    assert read_all(table)["disk_kept_nbytes"] == 0 and not blocks_in(tmp_path)


def test_queries_name_different_files(tmp_path):
    """A server may give files of one length the same ETag."""
    files = {f"f?{k}": f"id,name\n{k},name {k}\n".encode() for k in range(3)}
    server = Server({"f": b""})

    def answer(handler, number):
        data = files[handler.path[1:]]
        first, last = (int(n) for n in handler.headers["Range"].removeprefix("bytes=").split("-"))
        last = min(last, len(data) - 1)
        span = f"bytes {first}-{last}/{len(data)}"
        handler.head(206, Content_Length=last - first + 1, Content_Range=span, ETag='"1"')
        handler.wfile.write(data[first:last + 1])
        return True

    server.answer = answer
    for _ in range(2):
        for k in range(3):
            table = dv.open(server.url(f"f?{k}"), disk_cache=tmp_path, format="text")
            assert table.to_pylist() == [{"id": k, "name": f"name {k}"}]
    assert len(blocks_in(tmp_path)) == 3
    server.close()


def test_stores_and_sidecar_files(tmp_path):
    fs = fsspec.filesystem("memory")
    for p in (GOLDEN / "datadings").glob("tiny.msgpack*"):
        fs.pipe(f"/disk/{p.name}", p.read_bytes())
    expected = repr(dv.open(GOLDEN / "datadings/tiny.msgpack").to_pylist())
    for _ in range(2):
        table = dv.open("memory://disk/tiny.msgpack", disk_cache=tmp_path)
        assert repr(table.to_pylist()) == expected
    assert table._view.facts(True)["source"]["requests"] == 0
    assert len(blocks_in(tmp_path)) >= 2

    class Plain(type(fs)):  # a store that tells nothing but the length
        protocol, cachable, store, pseudo_dirs = "plain", False, {}, [""]

        def info(self, path, **options):
            found = super().info(path, **options)
            return {key: found[key] for key in ("name", "size", "type")}

    plain = Plain()
    plain.pipe("/a.csv", b"a\n1\n")
    with pytest.warns(dv.DataWarning, match="the source has no version"):
        assert dv.open("/a.csv", filesystem=plain, disk_cache=tmp_path).to_pylist() == [{"a": 1}]


def test_damaged_blocks_are_fetched_again(server, tmp_path):
    read_all(dv.open(server.url("rows.idv"), disk_cache=tmp_path))
    draw = random.Random(1)
    for k, block in enumerate(blocks_in(tmp_path)):
        data = bytearray(block.read_bytes())
        data[draw.randrange(len(data))] ^= 1 << k % 8
        block.write_bytes(data[:draw.randrange(len(data))] if k % 3 == 0 else data)
    read_all(dv.open(server.url("rows.idv"), disk_cache=tmp_path))


def test_the_bound(server, path, tmp_path):
    (tmp_path / "mine.txt").write_text("stays")
    for name in ("rows.idv", "rows.idv"):
        read_all(dv.open(server.url(name), disk_cache=tmp_path, disk_cache_nbytes=4 << 20, cache_nbytes=1 << 20))
        assert 1 << 20 < sum(block.stat().st_size for block in blocks_in(tmp_path)) <= 4 << 20
    assert (tmp_path / "mine.txt").read_text() == "stays"


def test_what_cannot_be_is_refused_by_name(server, tmp_path):
    url = server.url("rows.idv")
    with pytest.raises(TypeError, match="disk_cache_nbytes= bounds the folder that disk_cache= names"):
        dv.open(url, disk_cache_nbytes=1 << 30)
    with pytest.raises(dv.ArgumentError, match="disk_nbytes must be 4 MiB"):
        dv.open(url, disk_cache=tmp_path, disk_cache_nbytes=1000)
    with pytest.raises(dv.FileMissing, match="none/deep: disk_folder"):
        dv.open(url, disk_cache=tmp_path / "none/deep")
    (tmp_path / "file").write_text("")
    with pytest.raises(dv.FileError, match="file: disk_folder"):
        dv.open(url, disk_cache=tmp_path / "file")
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared").chmod(0o777)
    with pytest.raises(dv.ArgumentError, match="other users may write to it"):
        dv.open(url, disk_cache=tmp_path / "shared")
    with pytest.raises(TypeError, match="disk_cache: only for URLs"):
        dv.open(GOLDEN / "idv/people.idv", disk_cache=tmp_path)


def test_killed_processes_leave_nothing_wrong(server, tmp_path):
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    script = """
        import sys, libdataview as dv
        while True:
            table = dv.open(sys.argv[1], disk_cache=sys.argv[2], disk_cache_nbytes=4 << 20, cache_nbytes=1 << 20)
            print(int(table["i"].to_numpy().sum()), flush=True)
        """
    children = [subprocess.Popen([sys.executable, "-c", textwrap.dedent(script), server.url("rows.idv"), str(tmp_path)],
                                 env=env, stdout=subprocess.PIPE) for _ in range(3)]
    for k, child in enumerate(children):
        for _ in range(k + 1):
            assert child.stdout.readline() == f"{(ROWS - 1) * ROWS // 2}\n".encode()
        child.send_signal(signal.SIGKILL)
        child.wait()
    read_all(dv.open(server.url("rows.idv"), disk_cache=tmp_path, disk_cache_nbytes=4 << 20))
    assert not list(tmp_path.glob("*.new"))
    assert sum(block.stat().st_size for block in blocks_in(tmp_path)) <= 4 << 20


# --- Orders and their cost ----------------------------------------------------------------------------------------


def rows_of(feed):
    return sorted(np.concatenate([y for _, y in feed]).tolist())


@pytest.mark.parametrize("shuffle", ["pool", "blocks"])
def test_an_epoch_fetches_each_byte_about_once(server, path, shuffle):
    """Also if the memory holds little of the file; ranks fetch only their own blocks."""
    how = {"cache_nbytes": 1 << 20, "request_nbytes": 1 << 18, "least_nbytes": 1 << 12}
    nbytes = path.stat().st_size
    server.reset()
    feed = dv.open(server.url("rows.idv"), **how).feed("x", "i", shuffle=shuffle, batch_rows=1000)
    assert rows_of(feed) == list(range(ROWS))
    assert 0.95 * nbytes < server.nbytes < 1.1 * nbytes
    assert server.nbytes - 200_000 < feed.cost["nbytes"] < 1.1 * nbytes
    seen = []
    for rank in range(3):
        server.reset()
        feed = dv.open(server.url("rows.idv"), **how).feed("x", "i", shuffle=shuffle, batch_rows=1000, shard=(rank, 3),
                                                           shard_by="blocks")
        seen += rows_of(feed)
        assert server.nbytes < 0.45 * nbytes
        assert abs(server.nbytes - feed.cost["nbytes"]) < 0.1 * nbytes
    assert sorted(seen) == list(range(ROWS))


@pytest.mark.parametrize("shuffle", ["pool", "uniform"])
def test_blocks_of_rows_that_come_next_are_fetched_at_the_same_time(server, shuffle):
    """Rows in a uniform order waited for one block after the other."""
    table = dv.open(server.url("rows.idv"), requests=8)
    server.reset()
    server.delay_s = 0.05
    batches = iter(table.feed("x", shuffle=shuffle, batch_rows=1000, prefetch=0))
    for _ in range(100):
        next(batches)
    assert server.most > (2 if shuffle == "pool" else 4)


def test_samples_of_datadings_are_fetched_at_the_same_time(tmp_path):
    n = 200
    path = tmp_path / "samples.msgpack"
    x = np.random.default_rng(1).random((n, 900))
    dv.write({"key": np.array([f"k{i}" for i in range(n)]), "n": np.arange(n), "x": x}, path)
    server = Server({p.name: p.read_bytes() for p in tmp_path.glob("samples*")})
    table = dv.open(server.url("samples.msgpack"), requests=8, cache_nbytes=1 << 19)
    server.reset()
    server.delay_s = 0.05
    seen = np.concatenate(list(table.feed("n", shuffle="uniform", batch_rows=50)))
    assert sorted(seen.ravel().tolist()) == list(range(n))
    assert server.most > 4
    assert server.nbytes < 2.5 * path.stat().st_size
    server.close()


def test_the_cost_of_an_order_is_known_before_rows_are_read(tmp_path, server, path):
    big = tmp_path / "big.idv"
    n = 9_000_000
    dv.write({"i": np.arange(n, dtype="i4"), "x": np.arange(n) * 0.5}, big, compression="none")
    server.files["big.idv"] = big.read_bytes()
    table = dv.open(server.url("big.idv"), cache_nbytes=256 << 20)
    with warnings.catch_warnings():
        warnings.simplefilter("error", dv.DataWarning)
        feed = table.feed("x", shuffle=True)
        assert feed.cost == {"rows": n, "nbytes": 8 * n, "requests": feed.cost["requests"], "later_nbytes": 0}
        assert "fetches 72.0 MB>" in repr(feed)
        small = dv.open(server.url("big.idv"), cache_nbytes=1 << 20).feed("x", shuffle=True)
        assert small.cost["later_nbytes"] == 8 * n
        assert "fetches" not in repr(dv.open(big).feed("x")) and dv.open(big).feed("x").cost is None
        assert table.feed("x", shuffle="uniform").cost["nbytes"] == 8 * n  # all of it fits in memory
    with pytest.warns(dv.DataWarning, match=r"reads 72.0 MB of remote files about 1\d\d times in an epoch, .* GB; sh"):
        feed = dv.open(server.url("big.idv"), cache_nbytes=1 << 20).feed("x", shuffle="uniform")
    assert 100 * 8 * n < feed.cost["nbytes"] < 200 * 8 * n
    with pytest.warns(dv.DataWarning, match="blocks are kept on disk after they are first fetched"):
        table = dv.open(server.url("big.idv"), cache_nbytes=1 << 20, disk_cache=tmp_path / "blocks")
        feed = table.feed("x", shuffle="uniform")
    assert feed.cost["nbytes"] <= big.stat().st_size and feed.cost["later_nbytes"] == 0
    text = dv.open(GOLDEN / "idv/people.idv").select("Name")
    fs = fsspec.filesystem("memory")
    text.write("memory://names.csv")
    assert dv.open("memory://names.csv").feed({"n": "Name"}).cost == {"rows": None, "nbytes": None, "requests": None,
                                                                       "later_nbytes": None}
    fs.rm("/names.csv")
