# SPDX-License-Identifier: MIT
"""File systems of fsspec that misbehave: a table has the rows of one version of the file, or a call fails with the
cause.  Interrupts pass through at once, whatever method of a file system they come from.

fsspec takes some failures for an answer: exists() and isdir() are false, and glob() omits a folder, where a store
fails for a moment.  A file that was replaced within five seconds after it was opened gave rows of both versions."""

import threading

import pytest

import libdataview as dv

fsspec = pytest.importorskip("fsspec")

from fsspec.asyn import AsyncFileSystem  # noqa: E402
from fsspec.implementations.memory import MemoryFileSystem  # noqa: E402
from libdataview import _calls  # noqa: E402

ROWS = 6_000
OLD = ("a,b\n" + "".join("%07d,%07d\n" % (i, 1) for i in range(ROWS))).encode()
NEW = OLD.replace(b",0000001", b",0000002")
HOW = {"text": "sep=comma header+ col=a:I4:0 col=b:I4:1", "requests": 2, "request_nbytes": 1 << 14,
       "least_nbytes": 1 << 13, "cache_nbytes": 1 << 15}


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch):
    monkeypatch.setattr(_calls, "PAUSE_S", 0)


class Interrupt(BaseException):
    pass


class Fs(MemoryFileSystem):
    """A file system that calls `step(method)` before each of its methods."""

    protocol, cachable = "stepped", False

    def __init__(self, files):
        super().__init__()
        self.store, self.pseudo_dirs = {}, [""]
        self.step, self.calls = lambda method: None, []
        self.pipe(files)
        self.calls.clear()

    def _stepped(self, method):
        self.calls.append(method)
        self.step(method)

    def info(self, path, **kwargs):
        self._stepped("info")
        return super().info(path, **kwargs)

    def ls(self, path, detail=True, **kwargs):
        self._stepped("ls")
        return super().ls(path, detail=detail, **kwargs)

    def cat_file(self, path, start=None, end=None, **kwargs):
        self._stepped("cat_file")
        return super().cat_file(path, start=start, end=end, **kwargs)


class OpenFs(Fs):
    """Without a cat_file() of its own: fsspec opens files, seeks and reads."""

    cat_file = fsspec.AbstractFileSystem.cat_file

    def _open(self, path, *args, **kwargs):
        fs = self

        class File:
            def __init__(self, file):
                self.file = file

            def __getattr__(self, name):
                if name in ("seek", "read"):
                    fs._stepped(name)
                return getattr(self.file, name)

            def __enter__(self):
                return self

            def __exit__(self, *exception):
                pass
        fs._stepped("open")
        return File(super()._open(path, *args, **kwargs))


class AsyncFs(AsyncFileSystem):
    """The same, with methods in the event loop of fsspec."""

    protocol, cachable = "astepped", False

    def __init__(self, files):
        super().__init__()
        self.inner = Fs(files)
        self.store, self.calls = self.inner.store, self.inner.calls

    step = property(lambda self: self.inner.step, lambda self, step: setattr(self.inner, "step", step))

    async def _info(self, path, **kwargs):
        return self.inner.info(path, **kwargs)

    async def _ls(self, path, detail=True, **kwargs):
        return self.inner.ls(path, detail=detail, **kwargs)

    async def _cat_file(self, path, start=None, end=None, **kwargs):
        return self.inner.cat_file(path, start=start, end=end, **kwargs)


KINDS = [Fs, OpenFs, AsyncFs]
FILES = {"/d/x.csv": OLD, "/d/y.csv": OLD, "/d/sub/z.csv": OLD}
SOURCES = ["/d/x.csv", ["/d/x.csv", "/d/y.csv"], "/d", "/d/*.csv", "/d/**/z.csv"]


def total(fs, source, **options):
    return int(dv.open(source, filesystem=fs, **HOW, **options)["b"].to_numpy().sum())


def failing(error, k):
    """Let the call number k raise an error, and all later ones if k is negative."""
    left = [abs(k)]

    def step(method):
        left[0] -= 1
        if left[0] == 0 or (k < 0 and left[0] < 0):
            raise error
    return step


# --- Interrupts -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("source", SOURCES, ids=str)
def test_interrupts_pass_through(kind, source):
    fs = kind(FILES)
    expected = total(fs, source)
    calls = len(fs.calls)
    for k in range(1, calls, 1 + calls // 12):
        fs.calls.clear()
        error = [KeyboardInterrupt, SystemExit, Interrupt][k % 3]
        raised = error("at once")
        fs.step = failing(raised, k)
        try:
            assert total(fs, source) == expected
            assert k > calls // 2  # bytes fetched ahead that nothing needed
        except error as caught:
            assert caught is raised
            assert len(fs.calls) < k + 12  # requests that run at the same time


def test_a_call_after_an_interrupt_succeeds():
    fs = Fs(FILES)
    table = dv.open("/d/x.csv", filesystem=fs, **HOW)
    fs.step = failing(KeyboardInterrupt(), 1)
    with pytest.raises(KeyboardInterrupt):
        table["b"].to_numpy()
    assert table["b"].to_numpy().sum() == ROWS


def test_an_interrupt_reaches_the_caller_of_a_long_chain():
    fs = Fs(FILES)
    table = dv.open("/d/x.csv", filesystem=fs, **HOW)
    calls = {
        "filter": lambda: table.filter(dv.col("a") > 5).count(),
        "threads": lambda: table.to_numpy(["a", "b"], threads=2),
        "feed": lambda: list(table.feed("a", shuffle=True, batch_rows=100)),
        "list": lambda: table.to_pylist(),
        "write": lambda: table.stats(),
    }
    for name, call in calls.items():
        raised = fs.step = None
        raised = KeyboardInterrupt(name)
        fs.step = failing(raised, 2)
        with pytest.raises(KeyboardInterrupt) as caught:
            call()
        assert caught.value is raised


# --- Failures that may decide nothing ---------------------------------------------------------------------------

ERRORS = [OSError(5, "the store is busy"), PermissionError(13, "refused"), ValueError("a bad answer"),
          TimeoutError("late"), RuntimeError("any")]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("source", SOURCES, ids=str)
@pytest.mark.parametrize("sign", [1, -1], ids=["once", "for good"])
def test_a_failure_changes_no_rows(kind, source, sign):
    fs = kind(FILES)
    expected = total(fs, source)
    calls = len(fs.calls)
    for i, k in enumerate(range(1, calls + 1, 1 + calls // 8)):
        error = ERRORS[i % len(ERRORS)]
        fs.step = failing(error, sign * k)
        try:
            assert total(fs, source, attempts=2) == expected
        except dv.FileError:
            assert sign < 0 or isinstance(error, PermissionError)


def test_a_folder_that_cannot_be_listed_is_not_empty():
    fs = Fs({"/d/a/x.csv": OLD, "/d/b/y.csv": OLD})
    assert total(fs, "/d/*/*.csv") == 2 * ROWS
    lists = []

    def step(method):
        lists.append(method)
        if method == "ls" and lists.count("ls") >= 3:
            raise OSError(5, "the store is busy")
    fs.step = step
    with pytest.raises(dv.FileError, match="busy"):
        dv.open("/d/*/*.csv", filesystem=fs, attempts=1)


# --- Versions ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_that_is_replaced_at_any_call_gives_one_version(kind):
    fs = kind(FILES)
    total(fs, "/d/x.csv")
    for k in range(1, len(fs.calls) + 1):
        fs = kind(FILES)
        left = [k]

        def step(method, fs=fs, left=left):
            left[0] -= 1
            if left[0] == 0:
                getattr(fs, "inner", fs).pipe("/d/x.csv", NEW)
        fs.step = step
        try:
            assert total(fs, "/d/x.csv") in (ROWS, 2 * ROWS)
        except dv.FileError as error:
            assert "the file has changed since it was opened" in str(error)


@pytest.mark.parametrize("key", ["ETag", "generation", "mtime", "LastModified"])
def test_a_version_that_is_no_longer_given_has_changed(key):
    fs = Fs(FILES)
    info, versions = fs.info, {key: "1"}

    def described(path, **kwargs):
        return {"name": path, "size": info(path)["size"], "type": "file", **versions}
    fs.info = described
    table = dv.open("/d/x.csv", filesystem=fs, **HOW)
    versions.clear()
    with pytest.raises(dv.FileError, match="the file has changed"):
        table["b"].to_numpy()


# --- Answers ----------------------------------------------------------------------------------------------------

ANSWERS = {
    "nothing": lambda data: b"",
    "a short answer": lambda data: data[:-1],
    "a long answer": lambda data: data + b"1",
    "a text": lambda data: data.decode(),
    "None": lambda data: None,
    "a list": lambda data: list(data),
}


@pytest.mark.parametrize("kind", [Fs, AsyncFs])
@pytest.mark.parametrize("what", ANSWERS)
def test_a_wrong_answer_is_an_error(kind, what, monkeypatch):
    fs = kind(FILES)
    table = dv.open("/d/x.csv", filesystem=fs, attempts=2, **HOW)
    right = Fs.cat_file
    monkeypatch.setattr(Fs, "cat_file", lambda self, *args, **kwargs: ANSWERS[what](right(self, *args, **kwargs)))
    with pytest.raises(dv.FileError):
        dv.open("/d/x.csv", filesystem=fs, attempts=2)
    with pytest.raises(dv.FileError):
        table["b"].to_numpy()


@pytest.mark.parametrize("size", [None, -1, 2**63 - 1, 10**30, "200", 1.5, True, b"5", float("nan")], ids=repr)
def test_a_wrong_size_is_an_error(size):
    fs = Fs(FILES)
    fs.info = lambda path, **kwargs: {"name": path, "size": size, "type": "file"}
    with pytest.raises(dv.UnsupportedError if size is None else dv.FileError):
        dv.open("/d/x.csv", filesystem=fs)


@pytest.mark.parametrize("info", [None, [], "file", 5, {}, {"name": "x"}], ids=repr)
def test_a_wrong_description_is_an_error(info):
    fs = Fs(FILES)
    fs.info = lambda path, **kwargs: info
    with pytest.raises((dv.FileError, dv.UnsupportedError)):
        dv.open("/d/x.csv", filesystem=fs)


# --- Silence ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["info", "ls", "cat_file"])
def test_silence_ends(method):
    fs, ended = Fs(FILES), threading.Event()
    fs.step = lambda called: ended.wait() if called == method else None
    try:
        with pytest.raises(dv.FileError, match=r"no answer within 0.1 s \(timeout="):
            dv.open("/d/*.csv", filesystem=fs, timeout=0.1)["b"].to_numpy()
    finally:
        ended.set()
