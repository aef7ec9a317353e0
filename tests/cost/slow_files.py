# SPDX-License-Identifier: MIT
"""slow_files.py: small files that claim much, each made to be slow in its own way, and ordinary ones."""
import gzip
import pathlib
import struct
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "malformed" / "idv"))

from idvfile import Column, Meta, Stored, compose, deflate_zeros, key2, opaque, text, vbuffer, vector

MOST = 2**31 - 1
INFLATED = 20_000  # bytes of a deflated block: a thousand for each byte is in the nature of deflate
SLOTS = 16_000_000  # names of so many slots are below the limit metadata_nbytes


def with_options(options, lines):
    """Text whose first lines say how to read it."""
    return f"#@ TextLoader{{ {options} }}\n{lines}".encode()


def sparse(slots, length=None):
    """A vector without items."""
    return vector([0], opaque(b""), slots, [] if length is None else [length])


def slow_text():
    n = 1500
    numbers = ",".join(str(i % 10) for i in range(n)) + "\n"
    columns = " ".join(f"col=c{i}:I4:{i}" for i in range(n))
    ranges = ",".join(str(i) for i in range(0, 2 * n, 2))
    yield "columns.csv", with_options(f"sep=comma {columns}", numbers)
    yield "ranges.csv", with_options(f"sep=comma col=v:R4:{ranges} col=w:R4:~", numbers)
    yield "size.txt", with_options(f"size={MOST} col=v:R4:0-*", "a\tb\n" * 500)
    yield "absent.txt", with_options(f"missingrealnan+ col=v:R4:0-{MOST - 2}", "1\n" * 500)
    yield "quotes.csv", with_options("sep=comma col=v:TX:0", '"' * 3000 + "\n" + '",' * 1500 + "\n")
    yield "open_quote.csv", with_options("sep=comma multilines+ col=v:TX:0", '"a\n' * 1000)
    yield "slots.txt", with_options("col=v:R4:0-*", f"{MOST - 1} {MOST - 2}:1\n" * 300)
    yield "empty_lines.txt", with_options("col=v:R4:0", "\n" * 4000 + "//\n" * 1000)


def slow_idv():
    named = [Column(f"c{i}", vbuffer("Single", SLOTS), [sparse(SLOTS)], slots=[(i, "a")]) for i in range(30)]
    yield "slot_names.idv", compose(*named, rows=1, minor=3)
    yield "vector.idv", compose(Column("v", vbuffer("Byte", 0), [sparse(0, MOST)]), rows=1)
    keys = Meta("KeyValues", vbuffer("TextSpan", MOST), vector([0], text(), MOST))
    yield "keys.idv", compose(Column("k", key2("UInt32", MOST), [opaque(b"\1\0\0\0")], meta=[keys]), rows=1)
    zero = opaque(bytes(4))
    many = [Meta(f"k{i}", "Single", zero) for i in range(300)]
    yield "metadata.idv", compose(Column("x", "Single", [zero], meta=many), rows=1)
    yield "blocks.idv", compose(Column("x", "Single", [zero] * 500), rows=500, rpb=1)
    yield "deflate.idv", compose(
        Column("x", "Boolean", [Stored(deflate_zeros(INFLATED), INFLATED)], code=1), rows=8 * INFLATED)


def map_of(*pairs):
    return b"\xde" + struct.pack(">H", len(pairs)) + b"".join(pairs)


def key(name):
    return b"\xd9" + bytes([len(name)]) + name.encode()


def slow_others():
    yield "zeros.msgpack", bytes(3000)
    pairs = [key(f"k{i}") + b"\0" for i in range(1000)]
    yield "keys.msgpack", map_of(*pairs)
    yield "nested.msgpack", map_of(key("a") + b"\x91" * 1000 + b"\0") * 3
    yield "maps.msgpack", map_of(*[key("a") + b"\x81\xa1b" * 40 + b"\0"]) * 20
    yield "empty_rows.btable", struct.pack(">ii", 0, 1) + "a".encode("utf-16-be") + bytes(4 * 1000)


def slow_pipelines():
    """Steps that make much of little: views, columns, and rows."""
    steps = 900  # below the limit depth
    yield "deep.pipe", b"drop Age; copy Age:Name; " * 5000
    yield "chain.pipe", b"dropna Name; slice take=600; " * (steps // 2)
    yield "copies.pipe", "; ".join(f"copy A{i}:Name" for i in range(steps)).encode()
    yield "hiding.pipe", b"copy Name:Age; copy Age:Name; " * (steps // 4)
    yield "doubling.pipe", b"combine A:Age,Age; " + b"combine A:A,A; " * 28 + b"convert A type=TX; chars A"
    yield "many.pipe", b"drop Age; copy Age:Name; " * 4000


def slow_rows():
    yield "no_names.idv", compose(
        Column("v", vbuffer("Single", MOST), [sparse(MOST)], slots=[(MOST - 1, "a")]), rows=1, minor=3)
    yield "line.csv.gz", gzip.compress(b"a,b\n1,2\n" + b"x" * 8_000_000 + b"\n", mtime=0)


def slow():
    """Names and bytes of the files made to be slow."""
    for files in slow_text(), slow_idv(), slow_others(), slow_pipelines(), slow_rows():
        for name, made in files:
            yield name, made if isinstance(made, bytes) else bytes(made.raw)


def ordinary():
    """Names and bytes of files as people have them."""
    lines = [f"{i},{i * 0.37:.3f},name {i % 50},{'true' if i % 3 else 'false'}" for i in range(300)]
    columns = "col=id:I4:0 col=x:R8:1 col=name:TX:2 col=flag:BL:3"
    yield "table.csv", with_options(f"sep=comma {columns}", "\n".join(lines) + "\n")
    wide = [",".join(str((i * k) % 97) for i in range(200)) for k in range(10)]
    yield "wide.csv", with_options("sep=comma col=v:R4:0-199", "\n".join(wide) + "\n")
    yield "people.idv", (ROOT / "golden" / "idv" / "people.idv").read_bytes()
    yield "article.btable", (ROOT / "golden" / "btable" / "article.btable").read_bytes()
