# SPDX-License-Identifier: MIT
"""Readers with the interface of the package datadings, beside the package's own."""

import copy
import gc
import multiprocessing
import os
import pathlib
import pickle
import random
import threading
import warnings

import pytest

import libdataview as dv

np = pytest.importorskip("numpy")
pytest.importorskip("msgpack")
from libdataview import datadings as ours  # noqa: E402

theirs = pytest.importorskip("datadings.reader")
from datadings.reader.augment import Cycler, QuasiShuffler, Range, Repeater, Shuffler  # noqa: E402
from datadings.reader.sharded import ShardedReader  # noqa: E402
from datadings.tools.msgpack import packb, unpackb  # noqa: E402
from datadings.writer import FileWriter, RawWriter  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore:.*not found, some functionality", "ignore:overflow encountered")
GOLDEN = {pathlib.Path(__file__).resolve().parents[2] / "tests/golden", pathlib.Path(os.environ.get("DV_GOLDEN_DIR", "."))}
SETS = sorted(path for folder in GOLDEN for path in (folder / "datadings").rglob("*.msgpack") if path.stat().st_size)


def samples(n, prefix="k"):
    return [{"key": f"{prefix}{i}", "label": i, "image": bytes([i % 256]) * (i % 7), "x": np.arange(i % 4),
             "meta": {"a": [1, None, "\u00e9"], 5: 2.5}} for i in range(n)]


def write(path, what):
    with FileWriter(path, overwrite=True, disable=True) as writer:
        for sample in what:
            writer.write(sample)
    return path


@pytest.fixture
def both(tmp_path):
    path = write(tmp_path / "set.msgpack", samples(100))
    return ours.MsgpackReader(path), theirs.MsgpackReader(path)


def same(a, b):
    return repr(plain(a)) == repr(plain(b))


def plain(value):
    """Arrays and views as what can be compared."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, memoryview):
        return value.tobytes()
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


def answer(call):
    """What a call gives, or the type of its exception."""
    try:
        result = call()
        return list(result) if hasattr(result, "__next__") else result
    except Exception as error:
        return type(error)


@pytest.mark.parametrize("path", SETS, ids=lambda path: path.stem)
def test_golden(path):
    try:
        peer = theirs.MsgpackReader(path)
        expected = list(peer.iter(yield_key=True)) if len(peer) else []
    except Exception as error:  # what it cannot read
        pytest.skip(f"the package: {error!r:.60}")
    reader = ours.MsgpackReader(path)
    assert len(reader) == len(peer)
    assert same(list(reader.iter(yield_key=True)), expected)
    assert same(list(reader.rawiter()), list(peer.rawiter()) if len(peer) else [])


def agrees(a, b):
    """The same; but the package fails for numbers below 0 and for slices that are empty."""
    return b is OverflowError and a is not OverflowError or same(a, b)


OPTIONS = [{}, {"yield_key": True}, {"raw": True}, {"raw": True, "copy": False}, {"copy": False},
           {"raw": True, "yield_key": True, "copy": False}]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_iteration(both, options):
    ranges = [(None, None), (0, 5), (7, None), (-3, None), (10, -10), (50, 20), (0, 1000), (99, None)]
    for start, stop in ranges:
        a, b = (answer(lambda: list(r.iter(start, stop, **options))) for r in both)
        assert agrees(a, b), (start, stop)
        a, b = (answer(lambda: list(r.slice(0 if start is None else start, stop, **options))) for r in both)
        assert agrees(a, b), (start, stop)
    for index in (0, 1, 99):
        assert same(*(r.get(index, **options) for r in both))
    assert same(*(list(r.iter(0, 40, chunk_size=7, **options)) for r in both))


def test_methods(both):
    calls = [
        lambda r: len(r), lambda r: r[3], lambda r: r[-1], lambda r: list(r[2:5]), lambda r: r[100],
        lambda r: r[::2], lambda r: "k5" in r, lambda r: "no" in r, lambda r: r.find_key(7),
        lambda r: r.find_index("k42"), lambda r: r.find_index("no"), lambda r: r.find_key(100),
        lambda r: r.seek(100), lambda r: (r.seek(5), r.next(), next(r), r.rawnext())[1:],
        lambda r: (r.seek_index(-2), r.next())[1], lambda r: (r.seek_key("k9"), next(r))[1],
        lambda r: r.seek_key("no"), lambda r: (r.seek(97), list(r), r._i)[1:], lambda r: list(r.rawiter())[:3],
        lambda r: list(r.rawiter(yield_key=True))[:3], lambda r: (r.seek(10), next(iter(r)), r.next())[1:],
        lambda r: r.verify_data(), lambda r: r.iter(200).__next__(),
    ]
    for number, call in enumerate(calls):
        a, b = (answer(lambda: call(r)) for r in both)
        assert agrees(a, b), (number, a, b)
    assert both[0].get(-1)["key"] == "k99" and both[0].find_key(-1) == "k99"  # the package: off by one
    assert both[0].verify_index()
    both[0].seek(50)
    assert next(copy.copy(both[0]))["key"] == "k50" == next(both[0])["key"]
    with pytest.raises(TypeError, match="keys are str"):
        5 in both[0]


def test_files(tmp_path, both):
    with pytest.raises(FileNotFoundError):
        ours.MsgpackReader(tmp_path / "none.msgpack")
    (tmp_path / "alone.msgpack").write_bytes(b"\x80")
    with pytest.raises(FileNotFoundError, match="need at least one"):
        ours.MsgpackReader(tmp_path / "alone.msgpack")
    for suffix in (".key_hashes", ".filter"):
        os.remove(f"{both[0]._path}{suffix}")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        reader = ours.MsgpackReader(both[0]._path)
    assert [str(w.message).split(" not")[0][-10:] for w in told] == ["ey_hashes", "ack.filter"] or len(told) == 2
    assert reader.find_index("k3") == 3 and "k3" in reader
    data = bytearray(both[0]._path.read_bytes())
    data[-1] ^= 1
    both[0]._path.write_bytes(data)
    assert not ours.MsgpackReader(both[0]._path).verify_data()


def test_raw_samples(tmp_path):
    """Messages without a key have that of .keys."""
    with RawWriter(tmp_path / "raw.msgpack", disable=True) as writer:
        writer.write("a", packb([1, 2]))
        writer.write("b", packb(5))
    reader = ours.MsgpackReader(tmp_path / "raw.msgpack")
    assert list(reader.iter(yield_key=True)) == [("a", [1, 2]), ("b", 5)]


def test_shards(tmp_path):
    paths = [write(tmp_path / f"{name}.msgpack", samples(n, name)) for name, n in zip("abc", (3, 1, 20))]
    for shards in (str(tmp_path / "*.msgpack"), paths):
        a, b = ours.ShardedReader(shards), ShardedReader(shards)
        assert len(a) == len(b) == 24
        assert same(list(a), list(b)) and same(list(a.slice(2, 6)), list(b.slice(2, 6)))
        assert same(list(a.iter(3, 23, yield_key=True)), list(b.iter(3, 23, yield_key=True)))
        for i in (0, 2, 3, 4, 23):
            assert same(a.get(i, True), b.get(i, True)) and a.find_key(i) == b.find_key(i)
        assert a.find_index("c7") == b.find_index("c7") == 11 and "b0" in a and "no" not in a
        with pytest.raises(KeyError):
            a.find_index("no")
        with pytest.raises(IndexError):
            a.get(24)


# --- Orders ------------------------------------------------------------------------------------------

ORDERS = {
    "range": (lambda r, m: m.Range(r, 10, -5), Range), "repeater": (lambda r, m: m.Repeater(r, 3), Repeater),
    "shuffler": (lambda r, m: m.Shuffler(r), Shuffler), "seeded": (lambda r, m: m.Shuffler(r, 7), Shuffler),
    "quasi": (lambda r, m: m.QuasiShuffler(r, 20, 8), QuasiShuffler),
    "quasi, seed": (lambda r, m: m.QuasiShuffler(r, 24, 5, seed=3), QuasiShuffler),
    "quasi, defaults": (lambda r, m: m.QuasiShuffler(r), QuasiShuffler),
    "quasi, all": (lambda r, m: m.QuasiShuffler(r, 1000, 16), QuasiShuffler),
}


class Peers:
    Range, Repeater, Shuffler, QuasiShuffler, Cycler = Range, Repeater, Shuffler, QuasiShuffler, Cycler


@pytest.mark.parametrize("name", ORDERS)
def test_orders(both, name):
    make, _ = ORDERS[name]
    a, b = make(both[0], ours), make(both[1], Peers)
    for _ in range(3):  # each pass is another one
        assert same(list(a), list(b))
    assert same(list(a.iter(yield_key=True, raw=True)), list(b.iter(yield_key=True, raw=True)))
    assert same(list(a.rawiter(yield_key=True)), list(b.rawiter(yield_key=True)))


@pytest.mark.parametrize("name", ["shuffler", "quasi", "quasi, seed", "quasi, defaults"])
def test_orders_after_seek(both, name):
    """From any sample on the order is that of the whole, also in later passes."""
    whole = ORDERS[name][0](both[0], ours)
    passes = [[sample["label"] for sample in whole] for _ in range(3)]
    for index in (0, 1, 15, 16, 17, 55, 99, 100, 230):
        order = ORDERS[name][0](both[0], ours)
        order.seek(index)
        assert [sample["label"] for sample in order] == passes[index // 100][index % 100:], index
        first = [next(it := iter(order))["label"]]
        assert first == passes[index // 100 + 1][:1] if index < 200 else True
    with pytest.raises(IndexError):
        order.seek(-1)
    order = ORDERS[name][0](both[0], ours)
    assert dv.open(both[0]._path).take(list(order.numbers()))["label"].to_pylist() == passes[0]


def test_cycler(both):
    a, b = ours.Cycler(both[0]), Cycler(both[1])
    for order in (a, b):
        order.seek(97)
    x, y = iter(a), iter(b)
    for _ in range(250):
        assert same(next(x), next(y))
    assert list(ours.Cycler(ours.ShardedReader([]))) == []


# --- Memory and processes ----------------------------------------------------------------------------

def test_lent_memory(both):
    reader = both[0]
    lent = list(reader.iter(0, raw=True, copy=False))
    assert all(isinstance(m, memoryview) and m.readonly for m in lent)
    expected = list(both[1].iter(0, raw=True))
    del reader
    gc.collect()
    assert [bytes(m) for m in lent] == expected


def test_processes(both):
    reader = both[0]
    reader.seek(3)
    again = pickle.loads(pickle.dumps(reader))
    assert same(next(again), reader.get(3))
    for method in ("fork", "spawn"):
        with multiprocessing.get_context(method).Pool(2) as pool:
            found = pool.map(reader.find_index, [f"k{i}" for i in range(8)])
            assert found == list(range(8))
    child = os.fork()
    if child == 0:  # a reader that was opened before
        os._exit(0 if [s["label"] for s in reader.iter(0)] == list(range(100)) else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_threads(both):
    wrong = []

    def run(reader):
        for _ in range(5):
            if [s["label"] for s in reader.iter(0)] != list(range(100)):
                wrong.append(1)

    threads = [threading.Thread(target=run, args=(copy.copy(both[0]),)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


# --- Values ------------------------------------------------------------------------------------------

def drawn(rng, levels):
    kind = rng.choice(["map", "list", "leaf", "leaf"]) if levels else "leaf"
    if kind == "map":
        return {rng.choice([1, "a", b"k", None, True, 2.5]): drawn(rng, levels - 1) for _ in range(3)}
    if kind == "list":
        return [drawn(rng, levels - 1) for _ in range(rng.randrange(3))]
    return rng.choice([None, True, -7, 2**64 - 1, 0.5, "t", b"\xff", 1 - 2j, np.float32(0.1), np.bool_(True),
                       np.arange(6, dtype=">i2").reshape(2, 3), np.zeros((2, 0), "c8"), np.array(["a", "bc"]),
                       np.array([(1, [2.5, 3.5], b"x")], [("i", "<u4"), ("v", "<f4", (2,)), ("s", "S3")]),
                       np.zeros(2, [("p", [("q", "i1")])])])


def test_unpack_and_pack():
    rng = random.Random(3)
    for _ in range(500):
        value = drawn(rng, 3)
        data = packb(value)
        assert same(ours.unpack(data), unpackb(data))
        assert ours.pack(value) == data
        assert same(ours.unpack(memoryview(data)), unpackb(data))


def broken(rng, data):
    """The same message with a few bytes changed, cut or added."""
    data = bytearray(data)
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(data) + 1)
        what = rng.choice(["put", "cut", "change"])
        if what == "put":
            data.insert(at, rng.choice(b"\x00\x81\x93\xa1\xc0\xc1\xc4\xc7\xd4\xd6\xdb\xdd\xdf\xff"))
        elif data:
            at %= len(data)
            data[at:at + 1] = b"" if what == "cut" else bytes([rng.randrange(256)])
    return bytes(data)


def test_unpack_is_that_of_msgpack():
    """Any bytes: the same object, or the same exception."""
    from libdataview import _msgpack

    rng = random.Random(4)
    values = [drawn(rng, 3) for _ in range(200)]
    messages = [packb(value) for value in values] + [
        b"", b"\x00\x00", b"\xd6\xff\x00\x00\x00\x01", b"\xd4\x05x", b"\x91" * 80 + b"\xc0", b"\x91" * 1500 + b"\xc0",
        b"\x81\x90\x01", b"\x82\xa1a\x01\xa1a\x02", b"\xa2\xc3\x28", b"\xa3\xed\xa0\x80", b"\xca\x7f\xc0\x00\x01",
        b"\xa4\xf0\x9f\x98\x80", b"\x81\xd9\x40" + b"k" * 64 + b"\x01", b"\x81\xa0\x01", b"\xdd\xff\xff\xff\xff"]
    for data in messages + [broken(rng, data) for data in messages * 20]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            a, b = answer(lambda: ours.unpack(data)), answer(lambda: _msgpack._package(data))
        assert same(a, b) and type(a) is type(b), data
    assert ours.unpack(bytearray(b"\x93\x01\x02\x03")) == [1, 2, 3] == ours.unpack(np.frombuffer(b"\x93\x01\x02\x03", "u1"))
    for what in "text", 5, np.arange(3), memoryview(b"\x93\x09\x01\x09\x02\x09")[::2]:
        assert same(answer(lambda: ours.unpack(what)), answer(lambda: _msgpack._package(what)))
    names = [key for _ in range(2) for key in ours.unpack(packb({"image": 1, "label": 2}))]
    assert names[0] is names[2] and names[1] is names[3]


def test_a_broken_sample(tmp_path):
    """The samples before it are delivered; so are those after it."""
    with ours.Writer(tmp_path / "set.msgpack", allow_loss="damaged") as writer:
        for i in range(200):
            writer.append(f"k{i}", packb({"key": f"k{i}", "label": i}) if i != 150 else b"\x82\xa3key")
    reader, seen = ours.MsgpackReader(tmp_path / "set.msgpack"), []
    with pytest.raises(ValueError):
        for sample in reader.iter(3):
            seen.append(sample["label"])
    assert seen == list(range(3, 150)) and reader._i == 147
    assert [sample["label"] for sample in reader.iter(151)] == list(range(151, 200))
    with pytest.raises(ValueError):
        reader.get(150)


def test_pickles_are_refused():
    with pytest.raises(ValueError, match="pickle"):
        ours.unpack(packb(np.array(["a", 1], object)))
    with pytest.raises(ValueError, match="pickle"):
        ours.unpack(packb({b"nd": False, b"type": "|O", b"data": b"x"}))
    for written in (b"object", "(1,)O", "f4,O", "1O", [["a", "i8"], ["b", "object"]], [["a", [["b", "2O"]]]]):
        for nd in True, False:
            with pytest.raises(ValueError, match="pickle"):
                ours.unpack(packb({b"nd": nd, b"type": written, b"kind": b"", b"shape": [1], b"data": b"\x00" * 64}))
    with pytest.raises(TypeError, match="pickle"):
        ours.pack(np.array(["a", 1], object))
    with pytest.raises(TypeError, match="msgpack has no set"):
        ours.pack({1, 2})


def test_find_in_tables(tmp_path):
    """Keys of one file, and of several that are opened together."""
    paths = [write(tmp_path / f"{name}.msgpack", samples(n, name)) for name, n in zip("abc", (3, 1, 20))]
    t = dv.open(paths)
    assert t.find("c7") == 11 and t.find("no") is None and t[t.find("b0")]["key"] == "b0"
    assert t.find(["c0", "no", "a2"]) == [4, None, 2] and t.find([]) == [] == t.find(())
    assert dv.open(paths[2]).find("c7") == 7
    with pytest.raises(dv.ArgumentError, match="has no keys"):
        t.head(3).find("a0")
    for wrong in 5, b"a0", None:
        with pytest.raises(TypeError, match=f"find takes a key, which is a str, or a list of keys, not {wrong!r}"):
            t.find(wrong)
    with pytest.raises(TypeError, match="expected a str, not 5"):
        t.find(["a0", 5])


def test_opaque_columns(both):
    """The columnar way to what no type holds."""
    column = dv.open(both[0]._path)["meta"]
    assert column.type.notation == "BY" and "MsgpackOpaque" in column.metadata
    assert column.unpack()[:2] == [{"a": [1, None, "\u00e9"], 5: 2.5}] * 2
    with pytest.raises(TypeError, match="MsgpackOpaque"):
        dv.open(both[0]._path)["label"].unpack()


def test_repeated_tables(both):
    t = dv.open(both[0]._path)
    assert t.repeat(3)["label"].to_pylist() == list(range(100)) * 3
    assert len(t.repeat(0)) == 0
    with pytest.raises(ValueError):
        t.repeat(-1)


def test_titles_of_fields():
    """msgpack has no tuples: title and name come as a list, which numpy refused."""
    value = np.zeros(2, [(("title", "a"), "<u4"), ("b", [(("t", "c"), "<f4")])])
    again = dv.datadings.unpack(dv.datadings.pack({"key": "k", "x": value}))["x"]
    assert again.dtype == value.dtype and again.dtype.fields["title"] == value.dtype.fields["title"]
