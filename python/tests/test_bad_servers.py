# SPDX-License-Identifier: MIT
"""Servers and file systems that misbehave: a table has the rows of one version of the file, or opening or reading
it fails, in bounded time and memory (docs/remote.md).

A server once replaced a file with one of the same length and then sent no ETag, and a column had rows of both
versions.  The sidecar files of datadings were "absent" after the status 500, an answer without an end filled memory, a
silent server blocked a program for 20 minutes, and KeyboardInterrupt in a file system became FileError."""

import os
import pathlib
import signal
import threading
import time
import tracemalloc

import pytest

import libdataview as dv

fsspec = pytest.importorskip("fsspec")
pytest.importorskip("aiohttp")

from libdataview import _calls  # noqa: E402
from web_server import Server  # noqa: E402

GOLDEN = pathlib.Path(__file__).resolve().parents[2] / "tests/golden"
ROWS = 40_000
OLD = ("a,b\n" + "".join("%07d,%07d\n" % (i, 1) for i in range(ROWS))).encode()
NEW = OLD.replace(b",0000001", b",0000002")
TINY = {p.name: p.read_bytes() for p in (GOLDEN / "datadings").glob("tiny.msgpack*")}
SMALL = {"requests": 2, "request_nbytes": 1 << 16, "least_nbytes": 1 << 14, "cache_nbytes": 1 << 17}


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch):
    monkeypatch.setattr(_calls, "PAUSE_S", 0)


@pytest.fixture
def server():
    server = Server({"x.csv": OLD, **TINY})
    server.etags = False  # an answer without one is then as good as the first
    yield server
    server.close()


def answers(server, **headers):
    """Let the server answer each range correctly, but with these headers; a callable gets (first, last, data)."""
    def answer(handler, number):
        first, last, data = handler.asked()
        made = {"Content_Length": last + 1 - first, "Content_Range": f"bytes {first}-{last}/{len(data)}", **headers}
        handler.head(206, **{k: v(first, last, data) if callable(v) else v for k, v in made.items()})
        handler.wfile.write(data[first:last + 1])
        return True
    server.answer = answer


def opened(server, **options):
    return dv.open(server.url("x.csv"), text="sep=comma header+ col=a:I4:0 col=b:I4:1", **SMALL, **options)


# --- Versions ---------------------------------------------------------------------------------------------------

VALIDATORS = [
    ({"ETag": '"1"'}, {}),
    ({"ETag": '"1"'}, {"ETag": '"2"'}),
    ({"ETag": '"1"'}, {"ETag": 'W/"1"'}),
    ({"ETag": 'W/"1"'}, {"ETag": '"1"'}),
    ({"ETag": 'W/"1"'}, {"ETag": 'W/"2"'}),
    ({"ETag": '"1"', "Last-Modified": "Mon, 01 Jan 2024 00:00:00 GMT"}, {"Last-Modified": "Mon, 01 Jan 2024 00:00:00 GMT"}),
    ({}, {"ETag": '"1"'}),
    ({"Last-Modified": "Mon, 01 Jan 2024 00:00:00 GMT"}, {"Last-Modified": "Mon, 01 Jan 2024 00:00:01 GMT"}),
    ({"Last-Modified": "Mon, 01 Jan 2024 00:00:00 GMT"}, {}),
]


@pytest.mark.parametrize("before, after", VALIDATORS)
def test_a_new_version_never_mixes_with_the_old_one(server, before, after):
    answers(server, **before)
    table = opened(server)
    assert table["b"].to_numpy()[:10].tolist() == [1] * 10
    server.files["x.csv"] = NEW
    answers(server, **after)
    with pytest.raises(dv.FileError, match="the file has changed since it was opened"):
        table["b"].to_numpy()


@pytest.mark.parametrize("validators", [{}, {"ETag": '"1"'}, {"Last-Modified": "Mon, 01 Jan 2024 00:00:00 GMT"}])
def test_a_new_length_is_noticed(server, validators):
    answers(server, **validators)
    table = opened(server)
    server.files["x.csv"] = NEW + b"1,1\n"
    with pytest.raises(dv.FileError, match="the file has changed since it was opened"):
        table["b"].to_numpy()


def test_the_same_validators_are_the_same_version(server):
    for headers in ({"ETag": '"1"'}, {"ETag": 'W/"1"'}, {"Last-Modified": "Mon, 01 Jan 2024 00:00:00 GMT"}, {}):
        answers(server, **headers)
        assert opened(server)["b"].to_numpy().sum() == ROWS


# --- Statuses ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [204, 300, 304, 400, 401, 403, 405, 408, 412, 416, 418, 425, 429, 451, 500, 502, 503, 599])
def test_a_status_is_named(server, status):
    server.fail = lambda number: status
    with pytest.raises(dv.FileError, match=str(status)) as caught:
        opened(server)
    assert isinstance(caught.value, PermissionError) == (status in (401, 403))
    server.fail = lambda number: None
    table = opened(server)
    server.fail = lambda number: status
    with pytest.raises(dv.FileError, match="changed" if status in (412, 416) else str(status)):
        table["b"].to_numpy()


@pytest.mark.parametrize("status", [404, 410])
def test_an_absent_file(server, status):
    server.fail = lambda number: status
    with pytest.raises(FileNotFoundError):
        opened(server)


@pytest.mark.parametrize("status", [408, 425, 429, 500, 503])
def test_a_status_that_passes_is_tried_again(server, status):
    for k in range(1, 6):
        server.reset()
        server.fail = lambda number: status if number == k else None  # noqa: B023
        assert opened(server)["b"].to_numpy().sum() == ROWS


SIDES = sorted(name for name in TINY if name != "tiny.msgpack")


@pytest.mark.parametrize("status", [400, 403, 429, 500, 503])
@pytest.mark.parametrize("side", SIDES)
def test_a_side_file_that_the_server_refuses_is_not_absent(server, side, status):
    def answer(handler, number):
        refuses = handler.path == "/" + side
        if refuses:
            handler.head(status, Content_Length=0)
        return refuses
    near = repr(dv.open(GOLDEN / "datadings/tiny.msgpack").to_pylist())
    server.answer = answer
    try:
        assert repr(dv.open(server.url("tiny.msgpack"), attempts=2).to_pylist()) == near
    except dv.FileError as error:
        assert str(status) in str(error)


@pytest.mark.parametrize("status", [404, 410])
def test_side_files_that_are_absent(server, status):
    server.files = {"tiny.msgpack": TINY["tiny.msgpack"]}
    server.fail = lambda number: None

    def answer(handler, number):
        absent = handler.path != "/tiny.msgpack"
        if absent:
            handler.head(status, Content_Length=0)
        return absent
    server.answer = answer
    with pytest.raises(dv.CorruptError):
        dv.open(server.url("tiny.msgpack"))


@pytest.mark.parametrize("first", range(1, 4))
def test_a_side_file_that_fails_for_a_moment(server, first):
    counts = {}

    def answer(handler, number):
        counts[handler.path] = counts.get(handler.path, 0) + 1
        fails = handler.path != "/tiny.msgpack" and counts[handler.path] <= first
        if fails:
            handler.head(503, Content_Length=0)
        return fails
    server.answer = answer
    near = dv.open(GOLDEN / "datadings/tiny.msgpack")
    assert repr(dv.open(server.url("tiny.msgpack")).to_pylist()) == repr(near.to_pylist())


def test_a_list_of_files_of_which_one_fails(server):
    urls = [server.url("x.csv")] * 6 + [server.url("y.csv")]
    with pytest.raises(FileNotFoundError):
        dv.open(urls, requests=3)
    server.answer = lambda handler, number: handler.path == "/y.csv" and (handler.head(500, Content_Length=0) or True)
    with pytest.raises(dv.FileError, match="500"):
        dv.open(urls, requests=3, attempts=2)


# --- Bodies -----------------------------------------------------------------------------------------------------

BODIES = {
    "another range": {"Content_Range": lambda a, b, d: f"bytes {a + 1}-{b + 1}/{len(d)}"},
    "a longer range": {"Content_Range": lambda a, b, d: f"bytes {a}-{b + 1}/{len(d) + 9}"},
    "no range": {"Content_Range": None},
    "no numbers": {"Content_Range": "bytes a-b/c"},
    "a negative range": {"Content_Range": lambda a, b, d: f"bytes -{a}-{b}/{len(d)}"},
    "an unknown length": {"Content_Range": lambda a, b, d: f"bytes {a}-{b}/*"},
    "lines": {"Content_Range": lambda a, b, d: f"lines {a}-{b}/{len(d)}"},
    "2^63-1 bytes": {"Content_Range": lambda a, b, d: f"bytes {a}-{b}/{2**63 - 1}"},
    "10^40 bytes": {"Content_Range": lambda a, b, d: f"bytes {a}-{b}/{10**40}"},
    "digits": {"Content_Range": lambda a, b, d: f"bytes {a}-{b}/{'9' * 5000}"},
    "gzip": {"Content_Encoding": "gzip"},
    "brotli": {"Content_Encoding": "br"},
    "a short body": {"Content_Length": lambda a, b, d: b + 1 - a + 100, "Connection": "close"},
}


@pytest.mark.parametrize("what", BODIES)
def test_a_wrong_answer_is_an_error(server, what):
    def closes(handler, number):
        answered = right(handler, number)
        handler.close_connection = True
        return answered
    answers(server, **BODIES[what])
    right, server.answer = server.answer, closes
    with pytest.raises((dv.FileError, dv.UnsupportedError)):
        opened(server, attempts=2, timeout=2)
    server.answer = None
    table = opened(server, attempts=2, timeout=2)
    server.answer = closes
    with pytest.raises((dv.FileError, dv.UnsupportedError)):
        table["b"].to_numpy()


def endless_206(handler, number):
    first, last, data = handler.asked()
    handler.head(206, Content_Range=f"bytes {first}-{last}/{len(data)}", Connection="close")
    handler.wfile.write(data[first:last + 1])
    return forever(handler, b"%s")


def endless_200(handler, number):
    handler.head(200, Connection="close")
    return forever(handler, b"%s")


def endless_chunks(handler, number):
    first, last, data = handler.asked()
    handler.head(206, Content_Range=f"bytes {first}-{last}/{len(data)}", Transfer_Encoding="chunked")
    return forever(handler, b"10000\r\n%s\r\n")


def endless_length(handler, number):
    first, last, data = handler.asked()
    handler.head(206, Content_Range=f"bytes {first}-{last}/{len(data)}", Content_Length=1 << 40)
    return forever(handler, b"%s")


def forever(handler, form):
    handler.close_connection = True
    while True:  # the client closes the connection, which raises OSError
        handler.wfile.write(form % bytes(1 << 16))


@pytest.mark.parametrize("answer", [endless_206, endless_200, endless_chunks, endless_length])
def test_an_endless_body_takes_no_more_memory_than_was_asked_for(server, answer):
    table = opened(server, attempts=2)
    server.answer = answer
    tracemalloc.start()
    try:
        with pytest.raises((dv.FileError, dv.UnsupportedError)):
            opened(server, attempts=2)
        with pytest.raises((dv.FileError, dv.UnsupportedError)):
            table["b"].to_numpy()
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()


def test_redirects_that_never_end(server):
    server.answer = lambda handler, number: handler.head(302, Location=handler.path + "x", Content_Length=0) or True
    with pytest.raises(dv.FileError, match="Redirects"):
        opened(server, attempts=2)


def test_a_redirect_leads_to_the_file(server):
    server.answer = lambda handler, number: handler.path == "/y.csv" and (
        handler.head(302, Location="/x.csv", Content_Length=0) or True)
    assert dv.open(server.url("y.csv")).count() == ROWS


# --- Silence ----------------------------------------------------------------------------------------------------


def silent_at_once(handler):
    return handler.server.until_closed() or True


def silent_after_the_status(handler):
    handler.wfile.write(b"HTTP/1.1 206 Partial Content\r\n")
    handler.wfile.flush()
    return handler.server.until_closed() or True


def silent_in_the_body(handler):
    first, last, data = handler.asked()
    handler.head(206, Content_Range=f"bytes {first}-{last}/{len(data)}", Content_Length=last + 1 - first)
    handler.wfile.write(data[first:first + 100])
    handler.wfile.flush()
    return handler.server.until_closed() or True


SILENCES = [silent_at_once, silent_after_the_status, silent_in_the_body]


@pytest.mark.parametrize("silent", SILENCES)
def test_silence_ends(server, silent):
    table = opened(server, timeout=0.2)
    server.answer = lambda handler, number: silent(handler)
    with pytest.raises(dv.FileError, match="timeout="):
        opened(server, timeout=0.2)
    with pytest.raises(dv.FileError, match="timeout="):
        table["b"].to_numpy()


# --- Ctrl-C -----------------------------------------------------------------------------------------------------

IDV_ROWS = 60_000
USES = {
    "to_arrow": lambda t: t.to_arrow(),
    "to_pandas": lambda t: t.to_pandas(),
    "to_polars": lambda t: t.to_polars(),
    "to_numpy": lambda t: t.to_numpy(),
    "column": lambda t: t["x"].to_numpy(),
    "to_pylist": lambda t: t.to_pylist(),
    "batches": lambda t: list(t.batches()),
    "one thread": lambda t: list(t.batches(threads=1)),
    "stats": lambda t: t.stats(),
    "value_counts": lambda t: t.value_counts("x"),
    "verify": lambda t: t.verify(),
    "materialize": lambda t: t.materialize(),
    "cache": lambda t: t.cache().to_numpy(),
    "write": lambda t: t.write("unused.csv"),
    "feed": lambda t: list(t.feed(["y"], batch_rows=100)),
    "feed without prefetch": lambda t: list(t.feed(["y"], batch_rows=100, prefetch=0)),
    "shuffled feed": lambda t: list(t.feed(["y"], batch_rows=100, shuffle=True)),
    "shuffle": lambda t: t.shuffle(seed=1).to_numpy(),
    "filter": lambda t: t.filter(dv.col("x") < 0).count(),
    "take": lambda t: t.take([5, IDV_ROWS - 9, 7]).to_pylist(),
    "fit": lambda t: dv.pipe.normalize("y", mode="meanvar").fit(t),
    "concat": lambda t: dv.concat([t, t]).to_numpy(),
}


@pytest.fixture(scope="module")
def remote_idv(tmp_path_factory):
    np = pytest.importorskip("numpy")
    path = tmp_path_factory.mktemp("idv") / "x.idv"
    dv.write(dv.from_numpy({"x": np.arange(IDV_ROWS), "y": np.random.default_rng(1).random(IDV_ROWS)}), path, rows_per_block=1024)
    return path.read_bytes()


def interrupted(call, server):
    """Raise KeyboardInterrupt by a signal while the call waits for a silent server, which would answer only if the
    call went on for 20 s."""
    silent, ended, late = threading.Event(), threading.Event(), []

    def answer(handler, number):
        silent.set()
        ended.wait(20)
        late.extend([] if ended.is_set() else [number])
        handler.head(503, Content_Length=0)  # so that the request is repeated
        return True

    def interrupt():
        assert silent.wait(60)
        time.sleep(0.2)
        os.kill(os.getpid(), signal.SIGINT)

    server.answer = answer
    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            call()
            thread.join()
            time.sleep(1)
    finally:
        ended.set()
        thread.join()
        server.answer = None
    assert not late


@pytest.mark.parametrize("name", USES)
def test_ctrl_c_ends_a_wait_for_a_silent_server(server, remote_idv, name, monkeypatch, tmp_path):
    """It took until the attempt timed out, 15 s by default, since threads of the library waited for the server."""
    pytest.importorskip({"to_arrow": "pyarrow", "to_pandas": "pandas", "to_polars": "polars"}.get(name, "numpy"))
    monkeypatch.chdir(tmp_path)
    server.files["x.idv"] = remote_idv
    table = dv.open(server.url("x.idv"), timeout=1000, **SMALL)
    interrupted(lambda: USES[name](table), server)
    assert table[:3]["x"].to_pylist() == [0, 1, 2]  # the table can still be read


def test_ctrl_c_ends_opening(server):
    interrupted(lambda: opened(server, timeout=1000), server)


@pytest.mark.parametrize("silent", SILENCES)
def test_a_request_that_was_lost_is_tried_again(server, silent):
    table = opened(server, timeout=2)
    first = server.gets + 1
    server.answer = lambda handler, number: number == first and silent(handler)
    assert table["b"].to_numpy().sum() == ROWS


def test_the_timeout_is_documented_and_checked():
    assert "timeout (60)" in dv.open.__doc__ and _calls.TIMEOUT_S == 60
    for wrong in (0, -1, float("inf"), float("nan")):
        with pytest.raises(dv.ArgumentError, match="timeout"):
            dv.open("memory://x.csv", timeout=wrong)
    for wrong in ("5", True):
        with pytest.raises(TypeError, match="timeout"):
            dv.open("memory://x.csv", timeout=wrong)
    with pytest.raises(TypeError, match="timeout: only for URLs"):
        dv.open(GOLDEN / "idv/people.idv", timeout=5)
