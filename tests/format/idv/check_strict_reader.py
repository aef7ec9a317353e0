#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_strict_reader.py: checks that strict_reader.py reads ML.NET's files, and refuses malformed ones.

Each golden .idv file has its truth beside it; each malformed one a verdict and a rule in index.tsv.
The reader shares no code with the library, so that where the two agree, both read the page alike.
A folder that is not there is left out.
"""
import json
import os
import pathlib
import sys

from strict_reader import Broken, File

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
GOLDEN = [ROOT / "tests/golden"]
if more := os.environ.get("DV_GOLDEN_DIR"):
    GOLDEN.append(pathlib.Path(more))
MALFORMED = ROOT / "tests/malformed/idv"

# valid files of the malformed folder that older or current versions of ML.NET do not read
NOT_FOR_MLNET = """
    version_1115 version_9999 dead_codec dead_compression_3 dead_vector_inner dead_metadata_codec
    lookup_0_without_rows row_id_rowid row_id_uint128 key_min key_count_maximum dvbool_na
    deflate_zlib metadata_compression_2 zone_na
""".split()

LEAST = {"I1": -(2**7), "I2": -(2**15), "I4": -(2**31), "I8": -(2**63), "TS": f"ts:{-(2**63)}"}


def ours(notation, value):
    """A value of ML.NET, which has no NA, read by the rules of semantics."""
    if isinstance(value, dict) and "len" in value:
        item, stored = notation[2:].split(",")[0], "dense" if "dense" in value else "val"
        return {**value, stored: [ours(item, one) for one in value[stored]]}
    return None if notation in LEAST and value == LEAST[notation] else value


def truth_of(file):
    """The schema and the rows in the file beside a golden file."""
    text = file.with_suffix(".jsonl").read_text(encoding="utf-8")
    schema, *rows = [json.loads(line) for line in text.split("\n") if line]
    types = [column["type"] for column in schema["columns"]]
    for column in schema["columns"]:
        for metadata in column["metadata"].values():
            metadata["value"] = ours(metadata["type"], metadata["value"])
    return schema, [[ours(*pair) for pair in zip(types, row)] for row in rows]


def differences(file, read):
    schema, rows = truth_of(file)
    if read.schema() != schema:
        yield f"schema {read.schema()}, not {schema}"
    mine = list(read.rows())
    if len(mine) != len(rows):
        yield f"{len(mine)} rows, not {len(rows)}"
    different = [i for i, (a, b) in enumerate(zip(mine, rows)) if a != b]
    if different:
        yield f"row {different[0]}: {mine[different[0]]}, not {rows[different[0]]}"


def misplaced(read, data):
    """Compare --layout with the bytes: arrays in order, inside the file, with small gaps."""
    for line in read.layout:
        at, end = line["offset"], line["offset"] + line["stored"]
        if line["compression"]:
            continue
        for name, array in line["arrays"].items():
            if not at <= array["at"] <= at + 12:  # counts, sizes and lengths between the arrays
                yield f"{line}: {name} at {array['at']}, {at} wanted"
            at = array["at"] + array["width"] * array["n"]
        if at != end:
            yield f"{line}: the arrays end at {at}, the block at {end}"
        items = line["arrays"].get("items")
        if items and line["rows"] and at - items["at"] != items["width"] * items["n"]:
            yield f"{line}: items do not end the block"
    if not all(data[line["offset"] :] for line in read.layout):
        yield "a block after the end of the file"


def golden_complaints(file, mlnet):
    """`mlnet`: whether every ML.NET reads it, as recorded in the folder."""
    data = file.read_bytes()
    try:
        read = File(data)
    except Broken as broken:
        yield str(broken)
        return
    yield from differences(file, read)
    yield from misplaced(read, data)
    try:
        File(data, mlnet=True)
        if mlnet is False:
            yield "--mlnet takes it, ML.NET does not"
    except Broken as broken:
        if mlnet or broken.rule not in ("7.5", "5.5"):
            yield f"--mlnet refuses it: {broken}"


def mlnet_of(folder):
    """The files whose reading by ML.NET is known: it reads all of its own, and not all of ours."""
    manifest = folder / "manifest.json"
    if not manifest.exists():
        return dict.fromkeys(folder.glob("*.idv"), True)
    manifest_entries = json.loads(manifest.read_text(encoding="utf-8"))
    # true refers to the latest ML.NET only: --mlnet does not cover old codecs and versions
    return {folder / one["file"]: None if one["mlnet"] is True else False for one in manifest_entries}


def verdict_of(data, mlnet=False):
    try:
        File(data, mlnet)
        return "OK", "-"
    except Broken as broken:
        return broken.verdict, broken.rule


def malformed_complaints():
    """The same status and rule; limits may differ."""
    lines = (MALFORMED / "index.tsv").read_text(encoding="utf-8").split("\n")[1:]
    for line in filter(None, lines):
        name, _, status, rule, _, _ = line.split("\t")
        verdict = verdict_of((MALFORMED / name).read_bytes())
        wanted = {"WARNING": ("OK", "-"), "LIMIT": verdict}.get(status, (status, rule))
        yield name, [] if verdict == wanted else [f"{verdict}, {wanted} wanted"]
        if name.partition(".")[0] in NOT_FOR_MLNET:
            verdict = verdict_of((MALFORMED / name).read_bytes(), mlnet=True)
            yield name, [] if verdict[1] in ("7.5", "5.5") else [f"--mlnet: {verdict}"]
        if status == "LIMIT" and verdict[0] not in ("OK", "LIMIT"):
            yield name, [f"{verdict}, within or beyond limits wanted"]


def all_complaints():
    for golden in GOLDEN:
        for folder in (golden / "idv", golden / "idv-crafted"):
            for file, mlnet in sorted(mlnet_of(folder).items()) if folder.exists() else []:
                if file.exists():
                    yield file.name, list(golden_complaints(file, mlnet))
    yield from malformed_complaints()


def main():
    files, failed = 0, 0
    for name, complaints in all_complaints():
        files += 1
        failed += bool(complaints)
        for complaint in complaints:
            print(f"{name}: {complaint}")
    print(f"{files} files, {failed} of them read wrongly")
    return 1 if failed or not files else 0


if __name__ == "__main__":
    sys.exit(main())
