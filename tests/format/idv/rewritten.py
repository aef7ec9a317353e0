#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""rewritten.py: checks that files written by `convert` are valid, equal, aligned and deterministic.

rewritten.py DATAVIEW [FILE...]: every golden .idv file and random ones, or these, are saved again
in several ways.  Random files (random_idv.py) have the names seed-0, seed-1 and so on.
strict_reader.py, which shares no code with the writer, then checks each of them
 - that no rule is broken, nor any of idv:7.5 that lets every ML.NET read it;
 - schema, metadata and values: those that it reads from the old file;
 - where the arrays of stored blocks are: the widest at a multiple of 64, others of their item;
 - that blocks lie in order, have the rows asked for, and that nothing follows the tail.
One thread and three give the same bytes.
"""
import itertools
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from random_idv import make_file, text_of
from strict_reader import V5, Broken, File

ROOT = pathlib.Path(__file__).resolve().parents[3]
GOLDEN = [ROOT / "tests/golden"]
if more := os.environ.get("DV_GOLDEN_DIR"):
    GOLDEN.append(pathlib.Path(more))

WAYS = {
    "raw": ["--compression", "none"],
    "deflated": ["--compression", "deflate"],
    "zlib": ["--compression", "zlib"],
    "raw in threes": ["--compression", "none", "--rows-per-block", "3"],
    "deflated in threes": ["--compression", "deflate", "--rows-per-block", "3"],
    "for old readers": ["--idv-version", "1.1.1.5"],
}
NOT_FOR_OLD = {"Boolean", "DateTime", "DateTimeOffset", "DvTimeSpan"}
NOT_FOR_OLD |= {"DataViewRowId", "RowId", "Key2"}
ALIGN = 64
WIDEST = ("ticks", "ends", "items", "bits")  # the first of them that a block has
SEEDS = 30
OLD_KEY = re.compile(r"\[[1-9]|\[0\]")  # one that starts above 0, or is not contiguous
KEY = re.compile(r"\[(\d+)-(\d+)\]")
OLD_KEY_MAX = 2**31 - 1


def has_na(value):
    if isinstance(value, dict) and "len" in value:
        return None in value.get("dense", value.get("val"))
    return value is None


def values_of(read, hidden):
    """Types and values of all columns and all metadata."""
    for column in read.shown(hidden):
        yield column.notation(), column.values
        for entry in column.metadata.values():
            yield entry["type"], [entry["value"]]


def losses_of(read, hidden):
    """Columns and metadata that cannot be read cannot be written either."""
    if any(not column.is_alive() for column in read.columns):
        yield "columns"
    if any(column.dead_kinds for column in read.shown(hidden)):
        yield "metadata"


def needs_of(read, way, hidden):
    """The options without which the file must be refused: the current format cannot hold it."""
    needs = {}
    for notation, values in values_of(read, hidden):
        if OLD_KEY.search(notation):
            needs["--keys"] = "old"
        if "BL" in notation and any(map(has_na, values)):
            needs["--bool"] = "2bit"
    if "--idv-version" in way:
        needs.clear()  # it can
    losses = ",".join(losses_of(read, hidden))
    if losses:
        needs["--allow-loss"] = losses
    return needs


def fits_old_keys(read, hidden):
    """Option --keys old requires small keys, for readers that know no other codec."""
    keys = [KEY.search(notation) for notation, _ in values_of(read, hidden)]
    return all(int(key[2]) - int(key[1]) < OLD_KEY_MAX for key in keys if key)


def misaligned(line):
    """Arrays of a stored block that are not aligned."""
    arrays = {name: array for name, array in line["arrays"].items() if array["n"]}
    widest = next((name for name in WIDEST if name in arrays), None)
    if widest and arrays[widest]["at"] % ALIGN:
        yield f"{widest} at {arrays[widest]['at']}: {line}"
    odd = "ticks" in arrays and "counts" in arrays and arrays["ticks"]["n"] % 2
    for name, array in arrays.items():
        # an odd number of two-byte offsets follows, so 4-byte arrays before it cannot be aligned
        if array["at"] % (2 if odd and array["width"] == 4 else array["width"]):
            yield f"{name} at {array['at']}: {line}"


def misplaced(read, rows_per_block):
    """Blocks with a wrong offset or length."""
    blocks = [line for line in read.layout if "block" in line]
    blocks.sort(key=lambda line: (line["block"], line["column"]))
    ends = [line["offset"] + line["stored"] for line in blocks]
    if any(end > line["offset"] for end, line in zip([256, *ends], blocks)):
        yield "blocks overlap or are not in order"
    if rows_per_block and read.header.rows and read.columns:
        if read.rpb != min(rows_per_block, read.header.rows):
            yield f"{read.rpb} rows in a block"
    if read.header.tail + 8 != len(read.data):
        yield "bytes follow the tail"


def differences(old, new, hidden):
    if text_of(old.schema(hidden)) != new.schema(hidden):
        yield f"schema {new.schema(hidden)}, not {old.schema(hidden)}"
    rows = [text_of(row) for row in old.rows(hidden)]
    for i, (a, b) in enumerate(zip(rows, new.rows(hidden))):
        if a != b:
            yield f"row {i}: {b}, not {a}"
            return


def not_for_old(read):
    names = {name for column in read.columns for name in column.codec_names()}
    if names & NOT_FOR_OLD:
        yield f"codecs {sorted(names & NOT_FOR_OLD)}"
    if read.header.version != V5:
        yield f"version {read.header.version:#x}"


def complaints_of(data, old, way, hidden, for_mlnet):
    try:
        new = File(data, mlnet=for_mlnet)
    except Broken as broken:
        yield str(broken)
        return
    yield from differences(old, new, hidden)
    for line in new.layout:
        yield from misaligned(line)
    if "--idv-version" in way:
        yield from not_for_old(new)
    yield from misplaced(new, 3 if "--rows-per-block" in way else 0)


def convert(program, file, out, words):
    words = [program, "convert", "--no-sync", *words, file, out]
    done = subprocess.run(words, capture_output=True, timeout=120)
    return done.returncode, done.stderr.decode("utf-8", "replace").strip()


def reads_everywhere(old, way, needs, hidden):
    """Can ML.NET read what is written?  Not zlib, nor types that only old codecs have."""
    unknown = any("-*]" in notation for notation, _ in values_of(old, hidden))
    special = {"zlib", "--idv-version"} & {*way} or {"--keys", "--bool"} & needs.keys()
    return not special and not unknown


def check(program, file, folder, words, hidden):
    """Defects of one file, written in one way by one thread and by three."""
    old = File(file.read_bytes())
    needs = needs_of(old, words, hidden)
    words = words + (["--hidden"] if hidden else [])
    is_old = "--keys" in needs or "--idv-version" in words
    is_impossible = is_old and not fits_old_keys(old, hidden)
    if needs or is_impossible:
        refused = folder / "refused.idv"
        status, said = convert(program, file, refused, words)
        if status != 1 or refused.exists():
            yield f"not refused without {needs}: {status}, {said}"
        refused.unlink(missing_ok=True)
    if is_impossible:
        return
    words = words + [word for need in needs.items() for word in need]
    made = []
    for threads in ("1", "3"):
        out = folder / f"{threads}.idv"
        status, said = convert(program, file, out, [*words, "--threads", threads])
        if status:
            yield f"{status}, {said}"
            return
        made.append(out.read_bytes())
        out.unlink()
    if made[0] != made[1]:
        yield "other bytes from three threads"
    for_mlnet = reads_everywhere(old, words, needs, hidden)
    yield from complaints_of(made[0], old, words, hidden, for_mlnet)


def files_of(arguments, folder):
    if arguments:
        return [pathlib.Path(argument) for argument in arguments]
    files = {}
    for seed in range(SEEDS):
        file = folder / f"seed-{seed}"
        file.write_bytes(make_file(seed))
        files[file.name] = file
    for golden in GOLDEN:
        for folder in (golden / "idv", golden / "idv-crafted"):
            for file in sorted(folder.glob("*.idv")):
                files.setdefault(file.name, file)
    return list(files.values())


def has_hidden(file):
    read = File(file.read_bytes())
    return len(read.shown()) < len(read.shown(hidden=True))


def main():
    program, count, failed = sys.argv[1], 0, 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        files = files_of(sys.argv[2:], folder)
        for file, way, hidden in itertools.product(files, WAYS, (False, True)):
            if hidden and not has_hidden(file):
                continue
            complaints = list(check(program, file, folder, WAYS[way], hidden))
            count += 1
            failed += bool(complaints)
            for complaint in complaints[:3]:
                print(f"{file.name}, {way}: {complaint}"[:1000])
    print(f"{len(files)} files, written {count} times, {failed} of them wrongly")
    return 1 if failed or not files else 0


if __name__ == "__main__":
    sys.exit(main())
