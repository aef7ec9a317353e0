# SPDX-License-Identifier: MIT
"""Text in other encodings: each table compared with Python's codecs, random tables in every encoding, and damage."""

import gzip
import random
import unicodedata

import pytest

import libdataview as dv

# name, Python's codec; where WHATWG's standard differs: bytes and their characters
SINGLE = {
    "ibm866": "cp866", "iso-8859-2": "iso8859_2", "iso-8859-3": "iso8859_3", "iso-8859-4": "iso8859_4",
    "iso-8859-5": "iso8859_5", "iso-8859-6": "iso8859_6", "iso-8859-7": "iso8859_7", "iso-8859-8": "iso8859_8",
    "iso-8859-10": "iso8859_10", "iso-8859-13": "iso8859_13", "iso-8859-14": "iso8859_14",
    "iso-8859-15": "iso8859_15", "iso-8859-16": "iso8859_16", "koi8-r": "koi8_r", "koi8-u": "koi8_u",
    "macintosh": "mac_roman", "windows-874": "cp874", "windows-1250": "cp1250", "windows-1251": "cp1251",
    "windows-1252": "cp1252", "windows-1253": "cp1253", "windows-1254": "cp1254", "windows-1255": "cp1255",
    "windows-1256": "cp1256", "windows-1257": "cp1257", "windows-1258": "cp1258", "x-mac-cyrillic": "mac_cyrillic"}
DIFFERS = {("koi8-u", 0xAE): "\u045e", ("koi8-u", 0xBE): "\u040e", ("windows-1255", 0xCA): "\u05ba"}
WIDE = {"utf-16le": "utf-16-le", "utf-16be": "utf-16-be", "utf-32le": "utf-32-le", "utf-32be": "utf-32-be"}
OTHERS = {"gbk": "gbk", "gb18030": "gb18030", "big5": "big5hkscs", "euc-jp": "euc_jp", "shift_jis": "cp932",
          "euc-kr": "cp949", "cp437": "cp437", "cp850": "cp850"}


def have_iconv():
    try:
        dv.open(b"a\n1\n", text="auto encoding=gbk")
    except dv.UnsupportedError as e:
        assert "gbk" in str(e) and "iconv" in str(e)
        return False
    return True


EVERY = {**SINGLE, **WIDE, "utf-8": "utf-8", **(OTHERS if have_iconv() else {})}


def character(name, codec, byte):
    """The character of a byte; None: it has none."""
    c = bytes([byte]).decode(codec, "replace")
    if (name, byte) in DIFFERS:
        return DIFFERS[name, byte]
    return (chr(byte) if byte < 0xA0 else None) if c == "\ufffd" else c


@pytest.mark.parametrize("name", SINGLE)
@pytest.mark.parametrize("piece", [0, 64, 1 << 20])
def test_each_byte(name, piece):
    want = [character(name, SINGLE[name], byte) for byte in range(0x80, 0x100)]
    rows = b"".join(b"%d,x%cy\n" % (byte, byte) for byte in range(0x80, 0x100))
    t = dv.open(b"byte,c\n" + rows, text=f"csv+ sparse- header+ sep=comma encoding={name} piece={piece} "
                                         "col=byte:I4:0 col=c:TX:1", bad_fields="count")
    assert t["c"].to_pylist() == [f"x{c or chr(0xFFFD)}y" for c in want]
    lost = want.count(None)
    found = t.bad_fields()
    assert len(found) == (lost > 0)
    if lost:
        assert f"{lost} row" in found[0] and f"not {name}" in found[0]
        with pytest.raises(dv.LossError, match=f"row {want.index(None)}: .*{name}"):
            dv.open(b"byte,c\n" + rows, text=f"auto encoding={name}", bad_fields="refuse").to_pylist()


@pytest.mark.parametrize("label, name", [
    ("latin1", "windows-1252"), ("Latin-1", "windows-1252"), ("ISO_8859-1:1987", "windows-1252"),
    ("ascii", "windows-1252"), ("iso-8859-9", "windows-1254"), ("iso-8859-11", "windows-874"),
    ("tis-620", "windows-874"), ("cp866", "ibm866"), ("866", "ibm866"), ("mac", "macintosh"), ("l2", "iso-8859-2"),
    ("latin-9", "iso-8859-15"), ("greek", "iso-8859-7"), ("iso-8859-8-i", "iso-8859-8"), ("koi8", "koi8-r"),
    ("x-cp1251", "windows-1251"), ("x-mac-ukrainian", "x-mac-cyrillic")])
def test_labels(label, name):
    text = bytes(range(0xC0, 0xD8))
    tables = [dv.open(b"a\n" + text + b"\n", text=f"auto encoding={one}", bad_fields="na") for one in (label, name)]
    assert tables[0].to_pydict() == tables[1].to_pydict()


def test_unknown_labels_and_states():
    for label in ("no-such", "utf-8//IGNORE", "../x", "''"):
        with pytest.raises(dv.ArgumentError, match="encoding"):
            dv.open(b"a\n1\n", text=f"auto encoding={label}")
    if have_iconv():
        for label in ("iso-2022-jp", "utf-7", "ibm037"):
            with pytest.raises(dv.UnsupportedError, match=label):
                dv.open(b"a\n1\n", text=f"auto encoding={label}")


# --- Random tables ---


def letters(codec):
    """Characters that the codec can write and read again."""
    candidates = [chr(c) for c in [*range(0x20, 0x7F), *range(0xA1, 0x600), *range(0xE01, 0xE5C), *range(0x3041, 0x3100),
                                   *range(0x4E00, 0x4F00), *range(0xAC00, 0xAD00)]]
    good = []
    for c in candidates:
        try:
            if c.encode(codec).decode(codec) == c and unicodedata.category(c) not in ("Cc", "Cf"):
                good.append(c)
        except UnicodeError:
            continue
    if codec.startswith("utf"):
        good += ["\U0001f601", "\U0010fffd"]
    return good


def random_table(rng, known):
    beyond = [c for c in known if c > "~"]
    text = lambda: "".join(rng.choice(beyond if rng.random() < 0.5 else known) for _ in range(rng.randrange(1, 9)))  # noqa: E731
    return [(i, rng.choice((text, text, lambda: "plain"))(), rng.random()) for i in range(rng.choice((1, 5, 60, 900)))]


def written(rows, separator, end):
    quote = lambda s: '"' + s.replace('"', '""') + '"'  # noqa: E731
    return end.join([f"nr{separator}tëxt{separator}x", *(
        separator.join((str(i), quote(s), repr(x))) for i, s, x in rows), ""])


# iconv reads what WHATWG's standard makes of these, Python's codecs something else
OTHERWISE = {"koi8-u": "\u255d\u256c", "euc-jp": "¢£¦¬", "big5": "\u02cd"}


@pytest.mark.parametrize("name", EVERY)
def test_random_tables(name, tmp_path):
    codec = EVERY[name]
    seed = random.randrange(1 << 32)
    rng = random.Random(seed)
    known = [c for c in letters(codec) if c not in OTHERWISE.get(name, "")]
    for _ in range(6):
        rows = random_table(rng, known)
        separator, end = rng.choice(",;\t|"), rng.choice(("\n", "\r\n"))
        text = written(rows, separator, end)
        try:
            text.encode(codec)
        except UnicodeError:
            text = text.replace("tëxt", "text")
        data = text.encode(codec)
        want = [[i for i, _, _ in rows], [s for _, s, _ in rows], [x for _, _, x in rows]]
        packed, plain = tmp_path / "t.csv.gz", tmp_path / "t.csv"
        packed.write_bytes(gzip.compress(data))
        plain.write_bytes(data)
        options = f"auto encoding={name} quote+ type=x:R8 type=nr:I8 sep={'bar' if separator == '|' else 'tab' if separator == chr(9) else separator}"
        options += f" type={text[3:7]}:TX header+"
        for source in (data, plain, packed):
            for more in ("", " piece=0", " piece=100"):
                for io in ("mmap", "pread"):
                    t = dv.open(source, text=options + more, io=io)
                    assert list(t.to_pydict().values()) == want, (seed, name, more)
                    assert not t.bad_fields()
        again = dv.open(data, text=dv.open(data, text=options)._view.proposal)
        assert list(again.to_pydict().values()) == want, (seed, name)


@pytest.mark.parametrize("name, mark", [("utf-16le", b"\xff\xfe"), ("utf-16be", b"\xfe\xff"), ("utf-8", b"\xef\xbb\xbf"),
                                        ("utf-32le", b"\xff\xfe\0\0"), ("utf-32be", b"\0\0\xfe\xff")])
def test_marks(name, mark):
    data = "a,b\n1,é\n2,\U0001f601\n".encode({**WIDE, "utf-8": "utf-8"}[name])
    for text in (None, f"auto encoding={name}", "auto encoding=koi8-r", "sep=comma header+ col=a:I8:0 col=b:TX:1"):
        t = dv.open(mark + data, format="text", text=text)
        assert t.to_pydict() == {"a": [1, 2], "b": ["é", "\U0001f601"]}, text
    assert dv.open(data, format="text").to_pydict() == {"a": [1, 2], "b": ["é", "\U0001f601"]}
    assert dv.open(data, format="text", text=f"auto encoding={name}").schema == t.schema


def test_places_of_wide_text(tmp_path):
    """Types come from lines all over a large file, whatever the width of its units."""
    for codec, mark in (("utf-16-le", b"\xff\xfe"), ("utf-32-be", b"\0\0\xfe\xff")):
        path = tmp_path / f"{codec}.csv"
        path.write_bytes(mark + ("a,b\n" + "".join(f"{i},{i if i < 300000 else 'x'}\n" for i in range(400000))).encode(codec))
        assert [str(f.type) for f in dv.open(path).schema.fields] == ["I8", "TX"]


# --- Damage ---


@pytest.mark.parametrize("name, line, want", [
    ("utf-16le", b"1\0,\0\x3d\xd8", "\ufffd"), ("utf-16le", b"1\0,\0\x01\xde\x3d\xd8", "\ufffd\ufffd"),
    ("utf-16be", b"\0001\0,\xd8\x3d\0x", "\ufffdx"), ("utf-32le", b"1\0\0\0,\0\0\0\0\0\x11\0", "\ufffd"),
    ("utf-32be", b"\0\0\0001\0\0\0,\0\0\xd8\0\0\0\0x", "\ufffdx"), ("utf-32le", b"1\0\0\0,\0\0\0\xff\xff\xff\xff", "\ufffd"),
    ("utf-32le", b"1\0\0\0,\0\0\0x\0\0\0y", "x\ufffd"), ("iso-8859-8", b"1,x\xa1", "x\ufffd"),
    *([("gbk", b"1,x\xc4", "x\ufffd"), ("shift_jis", b"1,\x83", "\ufffd"), ("euc-kr", b"1,\xff\xc7\xd1", "\ufffd한"),
       ("big5", b"1,\xa7", "\ufffd")] if have_iconv() else [])])
def test_damage(name, line, want, tmp_path):
    codec = EVERY[name]
    data = "a,b\n0,y\n".encode(codec) + line
    t = dv.open(data, text=f"auto encoding={name}")
    with pytest.warns(dv.DataWarning, match="1 row has bytes that are not .* and read as U.FFFD: in row 1"):
        assert t.to_pydict()["b"] == ["y", want]
    assert any("row 1" in one["message"] for one in t.verify())
    with pytest.raises(dv.LossError, match='row 1: column "b"'):
        dv.open(data, text=f"auto encoding={name}", bad_fields="refuse").to_pylist()


def test_writing_refuses_what_convert_does(tmp_path):
    source, out = tmp_path / "t.csv", tmp_path / "t.idv"
    source.write_bytes("n;text\n1;Jürgen\n2;Ann\n".encode("cp1252"))
    t = dv.open(source)
    for table in (t, t.filter(t["n"] == 1), t.select("text"), dv.concat([t, t])):
        with pytest.raises(dv.LossError, match='row 0: column "text": .*encoding=windows-1252'):
            dv.write(table, out)
        assert not out.exists()
    assert dv.write(t.drop("text"), out) == 2 and dv.write(t.slice(1, 1), out) == 1
    with pytest.warns(dv.DataWarning, match="U.FFFD"):
        assert dv.write(t, out, allow_loss="fields") == 2
    assert dv.open(out)["text"].to_pylist() == ["J\ufffdrgen", "Ann"]
    assert dv.write(dv.open(source, bad_fields="na"), out) == 2
    with pytest.raises(dv.LossError, match="row 0"):
        dv.write(dv.open(source, text="sep=semicolon header+ col=n:I8:0 col=text:TX:1"), out)
    with pytest.raises(dv.LossError, match="row 0"):
        dv.write(dv.open(source.read_bytes(), format="text"), out)
    assert dv.write(dv.open(source, text="auto encoding=latin1"), out) == 2
    assert dv.open(out)["text"].to_pylist() == ["Jürgen", "Ann"]


def test_a_fitting_encoding_is_named():
    for name, text in (("windows-1252", "Kunde;Ort\nJürgen;Köln\nZoë;Gießen\n"), ("windows-1251", "имя;город\nИван;Москва\n"),
                       ("koi8-r", "имя;город\nИван;Москва\n"), ("shift_jis", "名前;都市\n田中さくら;東京都\n")):
        if name in EVERY:
            with pytest.warns(dv.DataWarning, match=f"encoding={name}") as caught:
                dv.open(text.encode(EVERY[name]), format="text").to_pydict()
            assert len(caught) == 1
