# SPDX-License-Identifier: MIT
"""Sets of datadings that are written sample by sample: what the package writes, byte by byte, or nothing."""

import gc
import os
import pickle
import signal
import subprocess
import sys
import warnings

import pytest
from conftest import living
from test_processes import in_child, needs_fork

np = pytest.importorskip("numpy")
msgpack = pytest.importorskip("msgpack")
import libdataview as dv  # noqa: E402

SIDES = ("", ".offsets", ".keys", ".key_hashes", ".filter", ".md5")


def samples(n):
    random = np.random.default_rng(5)
    for i in range(n):
        yield {
            "key": f"ä{i}", "label": i, "image": random.bytes(i % 70), "real": i / 3, "none": None, "yes": i % 2 == 0,
            "map": {"a": [1, "b", {"c": -i}], "t": (1, 2)}, "vector": np.arange(i % 5, dtype="f4"),
            "turned": np.arange(6).reshape(2, 3).T, "scalar": np.float32(i), "complex": 1 + 2j,
            "texts": np.array(["x", "yz"]), "flags": np.array([True, False]),
            "pairs": np.array([(1, 2.0)], [("a", "i4"), ("b", "f8")]),
        }


def pack(sample):
    return msgpack.packb(sample)


def files(path):
    return [path.with_name(path.name + side).read_bytes() for side in SIDES]


@pytest.mark.parametrize("n", [0, 1, 7, 1300])
def test_writes_what_the_package_writes(tmp_path, n):
    """Through several of the library's batches: all six files, of samples and of messages."""
    package = pytest.importorskip("datadings.writer")
    (tmp_path / "ours").mkdir()
    ours, theirs = tmp_path / "ours" / "x.msgpack", tmp_path / "x.msgpack"
    with package.FileWriter(theirs, disable=True) as writer:
        for sample in samples(n):
            writer.write(sample)
    with dv.datadings.Writer(ours) as writer:
        for sample in samples(n):
            writer.append(sample)
        assert writer.written == n
        assert not ours.exists()
    assert files(ours) == files(theirs)

    raw = [(f"k{i}", pack({"x": i})) for i in range(n)]
    with package.RawWriter(theirs, overwrite=True, disable=True) as writer:
        for key, message in raw:
            writer.write(key, message)
    with dv.datadings.Writer(ours) as writer:
        for key, message in raw:
            writer.write(key, memoryview(bytearray(message)))
    assert files(ours) == files(theirs)


def test_the_package_reads_it(tmp_path):
    package = pytest.importorskip("datadings.reader")
    path = tmp_path / "x.msgpack"
    with dv.datadings.Writer(path) as writer:
        writer.append({"key": "a", "v": np.arange(3), "s": "t"})
        writer.append("b", pack({"key": "b", "v": 1}))
        writer.append(None, pack({"v": 2, "key": "c"}))
        writer.append("", pack([1, 2]))
        writer.append("d", pack({"key": 5}))
    with package.MsgpackReader(path) as reader:
        assert len(reader) == 5 and reader.find_key(3) == ""
        first = reader.get(0)
        assert first["v"].tolist() == [0, 1, 2] and first["s"] == "t"
        assert reader.get(reader.find_index("c"))["v"] == 2
        assert reader.get(3) == [1, 2]
    assert [d for d in dv.open(path, datadings="raw").verify() if "datadings:8.30" not in str(d)] == []


# key, message, exception, what its text has
WRONG = [
    ("a", b"", dv.ArgumentError, "message"),
    ("a", b"\x81\xa1x", dv.LossError, "datadings:8.24"),
    ("a", b"\xda\xff\xffab", dv.LossError, "datadings:8.27"),
    ("a", b"\x01\x02", dv.LossError, "datadings:8.25"),
    ("a", b"\xc1", dv.LossError, "datadings:8.26"),
    ("a", b"\x81\xa1x\xa2\xc3(", dv.LossError, "datadings:8.29"),
    ("a", b"\x81\x90\x01", dv.LossError, "datadings:8.41"),
    ("a", b"\x81\xa1x\xd4\x80\x00", dv.LossError, "datadings:8.45"),
    ("a", b"\x91" * 1100 + b"\xc0", dv.LossError, ""),
    ("a", pack({"key": "b"}), dv.LossError, "datadings:8.31"),
    ("first", pack({"x": 1}), dv.LossError, "first"),
    (None, pack({"x": 1}), dv.ArgumentError, "neither in message 1"),
    (None, pack({"key": b"a"}), dv.ArgumentError, "neither in message 1"),
    (None, pack([1]), dv.ArgumentError, "neither in message 1"),
    (None, b"\x81\xa3key\xa2\xc3(", dv.ArgumentError, "neither in message 1"),
]


@pytest.mark.parametrize("key, message, exception, text", WRONG)
def test_refuses(tmp_path, key, message, exception, text):
    """Whenever it is found: the old files stay, and later calls raise it again."""
    path = tmp_path / "x.msgpack"
    with dv.datadings.Writer(path) as writer:
        writer.append({"key": "old"})
    old = files(path)
    with pytest.raises(exception) as caught, dv.datadings.Writer(path) as writer:
        writer.append("first", pack({}))
        try:
            writer.append(key, message)
        except dv.Error as error:
            with pytest.raises(type(error)) as again:
                writer.append("next", pack({}))
            assert str(again.value) == str(error)
            raise
        for i in range(600):
            writer.append(str(i), pack({}))
    assert text in str(caught.value)
    assert files(path) == old and len(os.listdir(tmp_path)) == len(SIDES)


def test_damage_that_is_allowed(tmp_path):
    path = tmp_path / "x.msgpack"
    with dv.datadings.Writer(path, allow_loss="damaged") as writer:
        writer.append("a", b"\xc1")
        writer.append("b", pack({"key": "c"}))
    assert path.read_bytes() == b"\xc1" + pack({"key": "c"})
    with pytest.raises(ValueError, match="damage"):
        dv.datadings.Writer(path, allow_loss="damage")


@pytest.mark.parametrize("wrong", [(), (b"x",), ("a",), ([1],), ("a", "text"), (b"a", b"\xc0"), (1, b"\xc0"),
                                   ("a", b"\xc0", 1), ("a", {"x": 1})])
def test_what_is_no_sample(tmp_path, wrong):
    """It is not appended, and the writer goes on."""
    with dv.datadings.Writer(tmp_path / "x.msgpack") as writer:
        with pytest.raises(TypeError):
            writer.append(*wrong)
        with pytest.raises(TypeError):
            writer.append({"key": "a", "x": {1, 2}})
        with pytest.raises(TypeError, match="pickle"):
            writer.append({"key": "a", "x": np.array([None])})
        with pytest.raises(UnicodeEncodeError):
            writer.append("\ud800", b"\xc0")
        writer.append({"key": "b"})
        assert writer.written == 1
    assert dv.open(tmp_path / "x.msgpack").to_pylist() == [{"key": "b"}]


def test_an_exception_leaves_the_old_set(tmp_path, nothing_left):
    path = tmp_path / "x.msgpack"
    with dv.datadings.Writer(path) as writer:
        writer.append({"key": "a"})
    old = files(path)
    with pytest.raises(ZeroDivisionError), dv.datadings.Writer(path) as writer:
        writer.append({"key": "b"})
        1 / 0
    writer.close()
    with pytest.raises(ValueError, match="closed"):
        writer.append({"key": "c"})
    assert files(path) == old and len(os.listdir(tmp_path)) == len(SIDES)
    del writer


def test_closes_once(tmp_path):
    path = tmp_path / "x.msgpack"
    writer = dv.datadings.Writer(os.fsencode(path), threads=1, sync=False)
    writer.append({"key": "a"})
    with pytest.raises(TypeError, match="pickle"):
        pickle.dumps(writer)
    writer.close()
    writer.close()
    writer.abandon()
    assert path.exists()
    with pytest.raises(ValueError, match="closed"):
        writer.append({"key": "b"})
    with pytest.raises(dv.FileMissing):
        dv.datadings.Writer(tmp_path / "nowhere" / "x.msgpack")
    with pytest.raises(dv.ArgumentError):
        dv.datadings.Writer(tmp_path / "x.keys")


def test_what_is_forgotten_is_told(tmp_path):
    before = living()
    writer = dv.datadings.Writer(tmp_path / "x.msgpack")
    writer.append({"key": "a"})
    with pytest.warns(ResourceWarning, match=r"1 samples was not closed.*x\.msgpack"):
        del writer
        gc.collect()
    assert os.listdir(tmp_path) == [] and living() == before
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        dv.datadings.Writer(tmp_path / "x.msgpack").abandon()
        gc.collect()


def test_one_call_at_a_time(tmp_path):
    """A call from within a call; Ctrl-C and what the callback raises end it, and nothing is left."""
    told = []

    def progress(done, total):
        with pytest.raises(RuntimeError, match="one thread at a time"):
            writer.append({"key": "again"})
        told.append(done)
        return False

    writer = dv.datadings.Writer(tmp_path / "x.msgpack", progress=progress, sync=False)
    message = bytes(pack(bytes(1 << 22)))
    with pytest.raises(dv.Stopped):
        while not told:
            writer.append(str(writer.written), message)
    with pytest.raises(dv.Stopped):
        writer.close()
    assert len(told) == 1 and os.listdir(tmp_path) == []


@needs_fork
def test_a_child_does_not_write(tmp_path):
    path = tmp_path / "x.msgpack"
    with dv.datadings.Writer(path) as writer:
        writer.append({"key": "a"})

        def child():
            for use in (lambda: writer.append({"key": "b"}), writer.close):
                with pytest.raises(RuntimeError, match="forked"):
                    use()
            writer.abandon()

        in_child(child)
        writer.append({"key": "c"})
    assert dv.open(path)["key"].to_pylist() == ["a", "c"]


def test_killed(tmp_path):
    """A process that ends while it appends leaves the old set; the next writer removes what it left."""
    path = tmp_path / "x.msgpack"
    with dv.datadings.Writer(path) as writer:
        writer.append({"key": "old"})
    old = files(path)
    code = """if 1:
        import os, signal, sys, libdataview as dv
        writer = dv.datadings.Writer(sys.argv[1])
        for i in range(3000):
            writer.append(str(i), b"\\xc4\\xff" + bytes(255))
        os.kill(os.getpid(), signal.SIGKILL)
    """
    done = subprocess.run([sys.executable, "-c", code, str(path)], check=False,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    assert done.returncode == -signal.SIGKILL
    assert files(path) == old and len(os.listdir(tmp_path)) > len(SIDES)
    with dv.datadings.Writer(path) as writer:
        writer.append({"key": "new"})
    assert dv.open(path)["key"].to_pylist() == ["new"]
    assert sorted(os.listdir(tmp_path)) == sorted("x.msgpack" + side for side in SIDES)


def test_two_writers_of_one_file(tmp_path):
    """The second writer is refused, under any name. Before, the rows of the first were lost."""
    path, link = tmp_path / "x.msgpack", tmp_path / "link"
    link.symlink_to(tmp_path)
    table = dv.from_numpy({"a": np.arange(1)})
    with dv.datadings.Writer(path) as writer:
        writer.append({"key": "first"})
        for other in path, os.path.relpath(path), link / "x.msgpack":
            with pytest.raises(dv.ArgumentError, match="replaces the same file"):
                dv.datadings.Writer(other)
        with pytest.raises(dv.ArgumentError, match="replaces the same file"):
            dv.write(table, link / "x.msgpack.keys", format="idv")
        dv.write(table, tmp_path / "y.idv")
    assert dv.open(path)["key"].to_pylist() == ["first"]
    with dv.datadings.Writer(path) as writer:
        writer.append({"key": "second"})
    assert dv.open(path)["key"].to_pylist() == ["second"]
