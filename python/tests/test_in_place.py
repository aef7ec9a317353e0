# SPDX-License-Identifier: MIT
"""In place is proved by addresses: of arrays, memoryviews and Arrow's buffers, inside the map or not."""

import re
import sys

import pytest

np = pytest.importorskip("numpy")
import libdataview as dv  # noqa: E402

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="/proc/self/maps")
ROWS = 3000
INTEGERS = ("I1", "I2", "I4", "I8", "U1", "U2", "U4", "U8", "R4", "R8")


@pytest.fixture(scope="module")
def raw(tmp_path_factory):
    """A raw .idv file with a column of every kind, none of which is NA."""
    path = tmp_path_factory.mktemp("maps") / "every kind.idv"
    codes = {t: np.dtype({"I": "i", "U": "u", "R": "f"}[t[0]] + t[1]) for t in INTEGERS}
    arrays = {t: (np.arange(ROWS) % 100).astype(code) for t, code in codes.items()}
    arrays |= {f"V{t}": np.ones((ROWS, 3), code) for t, code in codes.items()}
    arrays |= {"BL": np.arange(ROWS) % 2 == 0, "TX": [f"text {i}" for i in range(ROWS)],
               "DT": np.arange(ROWS).astype("M8[s]"),
               "TS": np.arange(ROWS).astype("m8[s]"), "key": [str(i % 9) for i in range(ROWS)],
               "na": [None if i == 7 else i for i in range(ROWS)]}
    table = dv.from_numpy(arrays).cast(key="U2[0-8]").with_row_number()
    dv.write(table, path)
    return path


def maps_of(path):
    """The ranges of addresses at which a file is mapped."""
    with open("/proc/self/maps", encoding="utf-8") as file:
        lines = [line.split(None, 5) for line in file]
    return [tuple(int(a, 16) for a in line[0].split("-")) for line in lines
            if len(line) == 6 and line[5].strip() == str(path).replace("\n", "\\012")]


def is_inside(path, address, nbytes):
    return any(low <= address and address + nbytes <= high for low, high in maps_of(path))


def address_of(view):
    array = np.asarray(view)
    return array.__array_interface__["data"][0], array.nbytes


def test_numpy(raw):
    inside = [*INTEGERS, *(f"V{t}" for t in INTEGERS)]
    for batch in dv.open(raw).batches():
        for name in inside:
            lent = batch[name].to_numpy()
            assert is_inside(raw, *address_of(lent)), name
            if lent.ndim == 1:
                assert address_of(np.asarray(batch[name])) == address_of(lent)
            assert batch[name].is_borrowed
        # Blocks of .idv have bits; the bytes that are made of them are lent
        assert address_of(batch["BL"].to_numpy()) == address_of(batch["BL"].raw["values"])
        for name in ("BL", "DT", "TS", "TX", "key"):
            assert not is_inside(raw, *address_of(batch[name].to_numpy())), name
        for name, part in (("DT", "values"), ("TS", "values"), ("TX", "utf8"), ("key", "values"),
                           ("na", "values"), ("VR4", "items")):
            assert is_inside(raw, *address_of(batch[name].raw[part])), (name, part)
            assert batch[name].raw[part].readonly
        assert is_inside(raw, *address_of(batch["na"].to_numpy(na="keep")))
    table = dv.open(raw)
    for name in inside:
        assert not is_inside(raw, *address_of(table[name].to_numpy()))


@pytest.mark.parametrize("options", [{"rows": 7}, {"io": "pread"}, {"compression": "deflate"}], ids=str)
def test_not_in_place(raw, tmp_path, options):
    path = raw
    if "compression" in options:
        path = tmp_path / "deflated.idv"
        dv.write(dv.open(raw), path, **options)
    table = dv.open(path, io=options.get("io"))
    made = 0
    for batch in table.batches(rows=options.get("rows", 0)):
        made += not is_inside(path, *address_of(batch["R4"].to_numpy()))
    assert made or options.get("rows")  # seven rows of a block are in place too


def buffers_of(array):
    """The buffers of an array of pyarrow and of its children, with the kind of each."""
    return [b for b in array.buffers() if b is not None]


def test_arrow(raw):
    pa = pytest.importorskip("pyarrow")
    whole = pa.table(dv.open(raw))
    for name in (*INTEGERS, *(f"V{t}" for t in INTEGERS), "row"):
        for chunk in whole[name].chunks:
            buffers = buffers_of(chunk)
            assert buffers and all(is_inside(raw, b.address, b.size) for b in buffers), name
    for chunk in whole["TX"].chunks:
        _, offsets, data = chunk.buffers()
        assert is_inside(raw, data.address, data.size)
        assert not is_inside(raw, offsets.address, offsets.size)
    for name in ("BL", "DT", "TS", "key"):
        for chunk in whole[name].chunks:
            assert not any(is_inside(raw, b.address, b.size) for b in buffers_of(chunk)), name
    validity, values = whole["na"].chunk(0).buffers()
    assert is_inside(raw, values.address, values.size)
    assert not is_inside(raw, validity.address, validity.size)
    stored = pa.table(dv.open(raw).arrow_stream(times="ticks", keys="stored", na="keep"))
    for name in ("DT", "TS", "key", "na"):
        for chunk in stored[name].chunks:
            assert all(is_inside(raw, b.address, b.size) for b in buffers_of(chunk)), name


def test_arrow_of_batches(raw):
    pa = pytest.importorskip("pyarrow")
    for batch in dv.open(raw).batches(["R4", "VR8"]):
        for array in (pa.array(batch["R4"]), pa.array(batch["VR8"]), *pa.record_batch(batch).columns):
            assert all(is_inside(raw, b.address, b.size) for b in buffers_of(array))


def test_memory_is_lent():
    """Arrays given with copy=False, and the bytes of a file, are used where they are."""
    x = np.arange(1000.0)
    for batch in dv.from_numpy({"x": x}, copy=False).batches():
        assert np.shares_memory(np.asarray(batch["x"]), x)
    for batch in dv.from_numpy({"x": x}).batches():
        assert not np.shares_memory(np.asarray(batch["x"]), x)


def test_bytes_are_lent(raw):
    data = raw.read_bytes()
    low = np.frombuffer(data, "u1").__array_interface__["data"][0]
    for batch in dv.open(data).batches(["R4"]):
        address, nbytes = address_of(np.asarray(batch["R4"]))
        assert low <= address and address + nbytes <= low + len(data)


def test_paths_with_odd_names(tmp_path):
    for name in ("ü ß.idv", "a\nb.idv", re.escape("[x]*.idv")):
        dv.write({"x": [1.0, 2.0]}, tmp_path / name)
        for batch in dv.open([tmp_path / name]).batches():
            lent = np.asarray(batch["x"])
            assert lent.tolist() == [1, 2] and (is_inside(tmp_path / name, *address_of(lent)) or "\n" in name)
