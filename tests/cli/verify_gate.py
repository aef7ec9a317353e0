#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""verify_gate.py: checks that `verify` is a gate: it finds a defect wherever `convert` fails.

verify_gate.py DATAVIEW [FILE...]

Converts every golden and malformed file to .idv, those of DV_GOLDEN_DIR and of the folder `cases` in the same place
too if the environment names one, and sets of datadings that the script makes: without options, and with drawn ones that
say how to read. No loss is allowed. If `convert` fails because of the input (status 1), `verify`
with the same options must fail too. The reverse does not hold (docs/cli.md).
"""
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

TESTS = pathlib.Path(__file__).resolve().parents[1]
HELD = ["--no-sync", "--quiet"]
FORMS = [["--keys", "old"], ["--bool", "2bit"], ["--keys", "old", "--bool", "2bit"]]  # without loss (docs/cli.md)
KINDS = {".idv": "idv", ".btable": "btable", ".msgpack": "datadings"} | dict.fromkeys(
    (".txt", ".csv", ".tsv", ".data"), "text")
COMMON = [["--io", "pread"], ["--drop-behind"], ["--threads", "2"]]
OPTIONS = {
    "idv": [],
    "btable": [["--lenient"]],
    "text": [
        ["--text", "mlnet"], ["--text", "strict+"], ["--text", "strict-"], ["--text", "auto narrow+"],
        ["--text", "sep=, header+ col=A:R4:0 col=B:TX:1"], ["--text", "sep=, col=A:I4:0-1 col=R:TX:2-*"],
        ["--text", "sep=tab header- col=K:U4[0-4]:0"], ["--text", "sep=, strict+ col=A:BL:0 col=B:DT:1"],
        ["--text", "sep=, quote- sparse+ col=V:R4:0-9"], ["--text", "multilines+"], ["--sep", ","],
        ["--sep", "tab"], ["--header", "no"], ["--header", "yes"], ["--text", "rows=3"],
        ["--text", "sep=; decimal=, header+ col=A:R8:0"], ["--text", "skip=1"],
    ],
    "datadings": [
        ["--datadings", "raw"], ["--datadings", "infer=all"], ["--datadings", "infer=1"],
        ["--datadings", "infer=1 mismatch=na"], ["--datadings", "scan"], ["--datadings", "strict"],
        ["--datadings", "strict scan"], ["--datadings", "col=a:I4"], ["--datadings", "raw strict"],
        ["--datadings", "keep=a"], ["--datadings", "drop=a"],
    ],
}
ALL = ["--from", "text"], ["--from", "idv"], ["--from", "btable"], ["--from", "datadings"]


def run(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, timeout=120)


# --- Sets of datadings: whole, damaged, and with values of other kinds late


def sample(key, *values):
    """A map with the key, and the msgpack bytes of values under a, b and so on."""
    entries = b"".join(b"\xa1" + bytes([ord("a") + i]) + value for i, value in enumerate(values))
    return bytes([0x80 | (1 + len(values))]) + b"\xa3key" + bytes([0xA0 | len(key)]) + key.encode() + entries


def sets():
    """Name and samples."""
    plain = [sample(f"k{i}", bytes([i % 100]), b"\xa1x") for i in range(5)]
    yield "plain", plain
    yield "other_keys", [sample("k9", b"\x01"), sample("k9", b"\x02")]
    yield "keyless", [b"\x81\xa1a\x01", b"\x81\xa1a\x02"]
    yield "no_map", [*plain, b"\x93\x01\x02\x03"]
    yield "late_text", [sample(f"k{i}", b"\x01") for i in range(1100)] + [sample("last", b"\xa1x"), sample("end", b"\x01")]
    yield "bad_byte", [*plain, sample("k5", b"\xc1")]
    yield "short", [*plain, sample("k5", b"\xa9x")]
    yield "no_utf8", [*plain, sample("k5", b"\x01", b"\xa1\xff")]
    array = b"\x84\xc4\x02nd\xc3\xc4\x04type\xa3<f4\xc4\x04kind\xc4\x00\xc4\x04data\xc4\x04\0\0\0\0"
    yield "no_shape", [sample("k0", array)]


def write_set(folder, name, samples):
    """The data and the legacy index, under the keys k0, k1, ..."""
    path, index, at = folder / f"{name}.msgpack", b"", 0
    for i, content in enumerate(samples):
        key = f"k{i}".encode()
        index += bytes([0xA0 | len(key)]) + key + b"\xcf" + struct.pack(">Q", at)
        at += len(content)
    path.write_bytes(b"".join(samples))
    path.with_name(path.name + ".index").write_bytes(b"\xdf" + struct.pack(">I", len(samples)) + index)
    return path


# --- Files and options


def found_files():
    """In the tree, and what the other folders have besides."""
    for folder in [TESTS / "golden", TESTS / "malformed", TESTS.parent / "examples"]:
        yield from (path for path in sorted(folder.rglob("*")) if path.suffix.lower() in KINDS)
    more = os.environ.get("DV_GOLDEN_DIR")
    for name in ("golden", "cases"):
        folder = pathlib.Path(more or TESTS).parent / name
        if not more or not folder.is_dir():
            print(f"[SKIP] verify_gate::{name}: DV_GOLDEN_DIR does not lead to them")
            continue
        for path in sorted(folder.rglob("*")):
            if path.suffix.lower() in KINDS and not (TESTS / name / path.relative_to(folder)).exists():
                yield path


def jobs(files):
    draw = random.Random(43)
    for path in files:
        options = OPTIONS[KINDS[path.suffix.lower()]]
        yield path, []
        for _ in range(2 if len(options) > 1 else 1):
            words = [*draw.choice(options)] if options and draw.random() < 0.9 else [*draw.choice(ALL)]
            yield path, words + (draw.choice(COMMON) if draw.random() < 0.3 else [])


def convert(dataview, path, words):
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
        return run(dataview, "convert", *HELD, *words, path, pathlib.Path(folder) / "out.idv")


def check(dataview, path, words):
    """None: convert did not fail because of the input; else whether verify failed, and a sentence."""
    done = convert(dataview, path, words)
    reading = [word for word in words if word not in ("--threads", "2")]
    if done.returncode < 0:
        return False, f"convert {words} {path}: signal {-done.returncode}"
    if done.returncode != 1:
        return None
    verified = run(dataview, "verify", *reading, path)
    if verified.returncode == 0 and any(convert(dataview, path, [*words, *form]).returncode == 0 for form in FORMS):
        return None  # the output's form is what does not fit
    return verified.returncode == 1, (f"convert {words} {path}: {done.stderr.decode(errors='replace')}"
                                      f"verify: {verified.returncode}: {verified.stdout.decode(errors='replace')}")


def main(dataview, *files):
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        made = [write_set(pathlib.Path(folder), *each) for each in sets()]
        paths = [pathlib.Path(file) for file in files] or [*made, *found_files()]
        results = [*pool.map(lambda job: check(dataview, *job), jobs(paths))]
    failed = [result for result in results if result]
    wrong = [sentence for is_found, sentence in failed if not is_found]
    print(*wrong[:100], sep="\n")
    print(f"{len(results)} conversions, {len(failed)} failed because of the input, {len(wrong)} without a defect")
    assert files or len(failed) > 300, "the files were not found"
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
