# SPDX-License-Identifier: MIT
"""Every failure is an exception of its class, with what is wrong, where, and what to do."""

import copy
import os
import pickle
import re

import golden_cases as golden
import pytest

import libdataview as dv
from libdataview import _core, _errors, _feed, _hints, _open

STATUSES = {name: (value, sentence) for name, value, sentence in _core.statuses()}
BASES = {"IO": OSError, "CORRUPT": ValueError, "UNSUPPORTED": ValueError, "LIMIT": ValueError,
         "LOSS": ValueError, "ARGUMENT": ValueError, "COPY": BufferError, "MEMORY": MemoryError,
         "STOPPED": Exception}
MALFORMED = sorted(path for folder in ("idv", "btable")
                   for path in (golden.ROOT / "tests/malformed" / folder).iterdir()
                   if path.suffix in (".idv", ".btable") and len(path.name.split(".")) > 2)


def errors():
    for name, (value, sentence) in STATUSES.items():
        if value < 0:
            for os_code in (0, 2, 13, 5) if name == "DV_ERR_IO" else (0,):
                yield _errors.from_core(value, sentence, "x.idv", 7, "idv:T3", "1..2", "3", os_code)
    yield dv.NAError("x", 7, "I4")
    yield _errors.no_column("agee", ["Age"])


def test_a_class_for_each_status():
    negative = {name for name, (value, _) in STATUSES.items() if value < 0}
    assert set(_errors.BY_STATUS) == negative
    for name in negative:
        cls = _errors.BY_STATUS[name]
        assert cls.status == name.removeprefix("DV_ERR_")
        assert issubclass(cls, dv.Error) and issubclass(cls, BASES[cls.status])
        assert getattr(dv, cls.__name__) is cls and cls.__doc__


@pytest.mark.parametrize("error", list(errors()), ids=lambda e: f"{type(e).__name__}-{e.os_code}")
def test_pickles(error):
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(again) is type(error) and str(again) == str(error) != ""
        for name in ("file", "offset", "rule", "expected", "found", "os_code", "status", "column",
                     "row", "type", "errno", "strerror"):
            assert getattr(again, name, None) == getattr(error, name, None)


def test_io():
    with pytest.raises(FileNotFoundError) as caught:
        dv.open("/nowhere/x.idv")
    error = caught.value
    assert type(error) is dv.FileMissing and error.errno == error.os_code == 2 and error.strerror
    assert "x.idv" in str(error) and error.filename and "x.idv" in error.filename
    with pytest.raises(OSError) as caught:
        dv.write({"x": [1]}, "/nowhere/y.idv")
    assert isinstance(caught.value, dv.FileMissing)


def status_of(path):
    """A name is STORY.STATUS.RULE@OFFSET.EXTENSION: status, rule, offset."""
    _, status, rest = path.name.removesuffix(path.suffix).split(".", 2) \
        if path.stem.count(".") > 1 else (*path.stem.split("."), "")
    rule, _, offset = rest.partition("@")
    return status, rule, offset


def lost_by_a_copy(path):
    """The statuses that verify has for a sound file: what is dead would be lost by a copy."""
    return [STATUSES["DV_ERR_UNSUPPORTED"][0]] if "dead" in path.name else []


@pytest.mark.filterwarnings("ignore::libdataview.DataWarning")
@pytest.mark.parametrize("path", MALFORMED, ids=lambda p: p.name)
def test_malformed(path):
    verdict, rule, offset = status_of(path)

    def read():
        table = dv.open(path)
        for batch in table.batches():
            for name in batch.columns:
                batch[name].to_pylist()
        for field in table.schema.fields:
            list(field.metadata.items())

    if verdict in ("OK", "WARNING"):
        read()
        found = dv.open(path).verify()
        assert [(d["status"], d["rule"].rpartition(":")[2]) for d in found[:1]] == [(0, rule)] \
            if verdict == "WARNING" else [*{d["status"] for d in found if d["status"]}] == lost_by_a_copy(path)
        return
    with pytest.raises(dv.Error) as caught:
        read()
    error = caught.value
    assert error.status == verdict and path.name[:20] in error.file + str(error)
    assert error.rule.rpartition(":")[2] == rule or not rule
    if offset:
        assert error.offset == int(offset)
    if verdict in ("CORRUPT", "UNSUPPORTED"):
        assert error.expected and error.found


@pytest.mark.filterwarnings("ignore::libdataview.DataWarning")
@pytest.mark.parametrize("path", MALFORMED[::7], ids=lambda p: p.name)
def test_malformed_in_memory_and_arrow(path):
    """The same failure of bytes, and of a stream of Arrow, whose message keeps it."""
    pa = pytest.importorskip("pyarrow")
    try:
        table = dv.open(path.read_bytes(), format=path.suffix[1:])
        table.to_pydict()
    except dv.Error as error:
        failure = error
    else:
        return
    try:
        table = dv.open(path)
    except dv.Error as error:
        assert type(error) is type(failure)
        return
    with pytest.raises((pa.ArrowException, OSError, ValueError, NotImplementedError)) as caught:
        pa.table(table)
    assert path.name[:20] in str(caught.value) and (not failure.rule or failure.rule in str(caught.value))


def test_unknown_options(tmp_path, sample):
    t = dv.open(sample)
    for call, near in ((lambda: dv.open(sample, lenent=True), "'lenient'"),
                       (lambda: dv.write(t, tmp_path / "x.idv", compresion="zlib"), "'compression'"),
                       (lambda: dv.write_check(t, tmp_path / "x.idv", alow_loss=()), "'al"),
                       (lambda: dv.write(t, tmp_path / "x.idv", allow_loss="metadat"), "'metadata'"),
                       (lambda: dv.opn, "'open'")):
        with pytest.raises((TypeError, ValueError, AttributeError), match=near):
            call()
    for call in (lambda: dv.write(t, tmp_path / "x.idv", compression="zip"),
                 lambda: t.shuffle(kind="random"), lambda: t.shard(0, 2, size="most"),
                 lambda: t.arrow_stream(times="fs").__arrow_c_stream__()):
        with pytest.raises(ValueError, match="expected one of"):
            call()
    with pytest.raises(dv.ArgumentError, match="format"):
        dv.write(t, tmp_path / "x.unknown")
    assert not list(tmp_path.iterdir())


def test_limits(sample):
    with pytest.raises(dv.LimitError) as caught:
        dv.open(sample, columns=1)
    assert caught.value.rule == "columns"


def test_losses(tmp_path):
    t = dv.from_numpy({"x": [1, None], "s": ["a", "b"]})
    with pytest.raises(dv.LossError) as caught:
        dv.write(t, tmp_path / "x.btable")
    assert "allow" in str(caught.value) or caught.value.expected
    found = dv.write_check(t, tmp_path / "x.btable")
    assert {item["loss"] for item in found} & {"types", "columns"} and not list(tmp_path.iterdir())
    assert all(item["column"] in (None, "x", "s") and item["sentence"] for item in found)
    with pytest.raises(dv.LossError):
        pa = pytest.importorskip("pyarrow")
        del pa
        dv.from_numpy({"x": ["2024-01-01T00:00:00.0000001"]}).cast(x="DT").write(
            tmp_path / "y.btable")


def test_from_numpy_refuses():
    np = pytest.importorskip("numpy")
    for wrong, error in (({"x": np.array([1 + 2j])}, TypeError), ({"x": np.array(5)}, ValueError),
                         ({"x": [1, "a"]}, TypeError), ({5: [1]}, TypeError),
                         ({"x": [1], "y": [1, 2]}, ValueError), ({"x": [[1], [1, 2]]}, ValueError),
                         ({"x": np.array([np.iinfo("i4").min], "i4")}, dv.LossError),
                         ({"x": [1 << 63]}, dv.LossError), ({"x": [b"a", None]}, dv.LossError),
                         ({"x": np.array(["9999999-01-01"], "M8[D]")}, dv.LossError),
                         ({"x": np.array([1], "m8[ns]")}, dv.LossError), ({"": [1]}, dv.ArgumentError),
                         ({"x": [object()]}, TypeError), ({"x": np.array([["a", None]], object)}, TypeError),
                         ({"x": ["\ud800"]}, UnicodeEncodeError)):
        with pytest.raises(error, match="x|5|names|lengths|single|name|surrogate"):
            dv.from_numpy(wrong)


def test_missing_packages(monkeypatch, sample):
    """A package that is not there is named with its extra."""
    import sys

    t = dv.open(sample)
    for module, call, extra in (("pyarrow", t.to_arrow, "arrow"), ("polars", t.to_polars, "polars"),
                                ("pandas", t.to_pandas, "pandas")):
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, module, None)
            with pytest.raises(ImportError, match=rf"pip install 'libdataview\[{extra}\]'"):
                call()


def test_progress(tmp_path):
    np = pytest.importorskip("numpy")
    dv.write({"x": np.arange(200_000)}, tmp_path / "x.idv", rows_per_block=1000)
    t = dv.open(tmp_path / "x.idv")
    calls = {"stats": t.stats, "count": lambda progress: t.filter(dv.col("x") > 5).count(progress), "verify": t.verify,
             "matrix": t.to_numpy, "column": t["x"].to_numpy, "materialize": t.materialize,
             "write": lambda progress: dv.write(t, tmp_path / "y.idv", progress=progress),
             "cache": lambda progress: t.cache(tmp_path / f"c{progress.__name__}.idv", progress=progress),
             "counts": lambda progress: t.value_counts("x", progress=progress),
             "equals": lambda progress: t.equals(t[:], progress=progress),
             "batches": lambda progress: list(t.batches(progress=progress))}
    for name, call in calls.items():
        seen = []

        def sees(done, total, seen=seen):
            seen.append((done, total))

        call(progress=sees)
        assert all(a[0] <= b[0] for a, b in zip(seen, seen[1:])) or name == "equals", (name, seen)

        def stops(done, total):
            return False

        def raises(done, total):
            raise KeyError(name)

        for report, error in ((stops, dv.Stopped), (raises, KeyError)):
            if seen:  # a call that ends within 50 ms may report nothing
                with pytest.raises(error):
                    call(progress=report)
    assert not (tmp_path / "cstops.idv").exists()
    seen = []
    passing = dv.from_numpy({"x": np.arange(1000)}).filter(dv.col("x") >= 990)
    rows = sum(map(len, passing.batches(progress=lambda *numbers: seen.append(numbers))))
    assert rows == 10 and seen == [(10, 10)]  # short as it is: the number of rows is known at the end
    with pytest.raises(TypeError, match="tqdm"):
        t.stats(progress=5)
    bar = pytest.importorskip("tqdm").tqdm(disable=True)
    t.verify(progress=bar)
    t.verify(progress=True)


# --- Names of other libraries ------------------------------------------------------------------------


def test_hints_are_for_names_that_are_not_here():
    assert not [name for name in _hints.MODULE if name in dv.__all__]
    assert not [name for name in _hints.TABLE if hasattr(dv.Table, name)]
    named = {name for sentence in _hints.TABLE.values() for name in re.findall(r"\bt\.(\w+)", sentence)}
    assert "iter_rows" in named and not [name for name in named if not hasattr(dv.Table, name)]
    assert not [name for name in _hints.OPEN if name in _open._OPTIONS]
    assert not [name for name in _hints.FEED if name in {"features", "labels", *_feed.Feed.__init__.__kwdefaults__}]


@pytest.mark.parametrize("call, error, words", [
    (lambda t: dv.read_csv("x.csv"), AttributeError, "libdataview has no 'read_csv'; here: dv.open(path)"),
    (lambda t: dv.opne("x.csv"), AttributeError, "libdataview has no 'opne'; did you mean 'open'"),
    (lambda t: t.Age, AttributeError, "its column is t['Age']"),
    (lambda t: t.sort_values("Age"), AttributeError, "no attribute 'sort_values'; here: t.to_polars()"),
    (lambda t: t.nothing, AttributeError, "a Table has no attribute 'nothing'"),
    (lambda t: dv.open("x.csv", sep=";"), TypeError, "open() has no option 'sep'; here: text='auto sep=semicolon'"),
    (lambda t: dv.open("x.csv", formt="idv"), TypeError, "open() has no option 'formt'; did you mean 'format'"),
    (lambda t: t.feed(["Age"], batch_size=2), TypeError, "feed() has no option 'batch_size'; here: batch_rows"),
    (lambda t: t.feed(["Age"], shufle=True), TypeError, "feed() has no option 'shufle'; did you mean 'shuffle'"),
])
def test_hints(sample, call, error, words):
    with pytest.raises(error) as raised:
        call(dv.open(sample))
    assert words in str(raised.value)


def test_what_hints_for_open_say(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("# made by hand\nid;price\n01;1,5\nnone;2,5\n")
    t = dv.open(path, text="auto sep=semicolon header+ skip=1 type=id:TX missing=[none NA] decimal=, quote-")
    assert t.to_pylist() == [{"id": "01", "price": 1.5}, {"id": None, "price": 2.5}]


# --- Conversions by other libraries --------------------------------------------------------------------------------

CONVERSIONS = {"to_arrow": "pyarrow", "to_pandas": "pandas", "to_polars": "polars"}


def failing_tables(folder):
    """Tables whose reading fails, and the class that every way of reading raises."""
    (folder / "bad.csv").write_text("k,v\n1,2\nx,3\n")
    yield dv.open(folder / "bad.csv", text="auto type=k:I8"), dv.Error
    (folder / "late.csv").write_text("k,v\n" + "1,2\n" * 300_000 + "x,3\n")
    yield dv.open(folder / "late.csv", text="auto type=k:I8"), dv.Error
    dv.write(dv.from_numpy({"x": range(50_000)}), folder / "x.idv", rows_per_block=1000, compression="deflate")
    data = bytearray((folder / "x.idv").read_bytes())
    data[len(data) // 2:len(data) // 2 + 2000] = bytes(2000)
    (folder / "damaged.idv").write_bytes(data)
    yield dv.open(folder / "damaged.idv"), dv.CorruptError
    long = dv.open(folder / "x.idv", row_nbytes=1)
    yield long.pipe("convert x type=TX") if hasattr(long, "pipe") else dv.Pipeline("convert x type=TX").fit(long).apply(long), dv.LimitError
    dv.write(dv.from_numpy({"x": range(50_000)}), folder / "cut.idv", rows_per_block=1000)
    cut = dv.open(folder / "cut.idv", io="pread")
    os.truncate(folder / "cut.idv", 5000)
    yield cut, OSError


@pytest.mark.parametrize("name", CONVERSIONS)
def test_conversions_raise_the_cause(tmp_path, name):
    """pyarrow raised ArrowInvalid, and polars ComputeError, with a text alone."""
    pytest.importorskip(CONVERSIONS[name])
    for table, cls in failing_tables(tmp_path):
        with pytest.raises(dv.Error) as expected:
            list(table.batches())
        with pytest.raises(cls) as found:
            getattr(table, name)()
        assert type(found.value) is type(expected.value), (found.value, expected.value)
        assert found.value.rule == expected.value.rule


@pytest.mark.parametrize("name", CONVERSIONS)
def test_conversions_go_on_after_an_error(tmp_path, name):
    pytest.importorskip(CONVERSIONS[name])
    (tmp_path / "a.csv").write_text("k\n1\n")
    assert len(getattr(dv.open(tmp_path / "a.csv"), name)()) == 1
