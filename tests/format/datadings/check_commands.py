#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_commands.py: compares find, index, shuffle, sample, split and merge with the commands of the package.

    check_commands.py DATAVIEW

The package makes sets, and reads ours. All six files must have the same bytes, except where the
commands of the package have errors (datadings:6): there the specification counts.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import peer

peer.need("commands")

import msgpack
import numpy as np
from datadings.reader import MsgpackReader

SIDES = ["", ".offsets", ".keys", ".key_hashes", ".filter", ".md5"]
KEYS = ["a", "b/1", "\u00fc", "e\u0301", "\u00e9", "\U0001f600", "two words", "line\nbreak", "-n",
        "@file", "k" * 63, "k" * 64, "k" * 300]


def numbered(n):
    return [{"key": f"k{i}", "v": i} for i in range(n)]


def mixed():
    """Keys and values of many kinds; some maps list their key last."""
    rng = np.random.default_rng(9)
    for i, key in enumerate(KEYS):
        image = rng.integers(0, 256, 40 * i, dtype=np.uint8).tobytes()
        sample = {"key": key, "image": image, "label": i - 3, "x": rng.random((2, i), np.float32)}
        yield dict(reversed(sample.items())) if i % 3 == 0 else sample


SETS = {"none": [], "one": numbered(1), "two": numbered(2), "mixed": list(mixed()),
        "thousand": numbered(1000),
        "blank": [{"key": "", "v": 1}]}


def unequal():
    """Samples that no columns say exactly: absent keys, nested maps, lists, complex numbers, keys that are no text."""
    yield {"key": "a", "x": 1, "n": {"p": 1, "q": [1, 2]}, "list": [1, 2, 3], "c": 1 + 2j, "e": {}, 5: "five"}
    yield {"key": "b", "x": 2, "image": b"abc", "ar": np.arange(3), "maps": [{"u": 1}], "n": {"p": None}}
    yield {"y": None, "key": "c", "x": 3, "message": "m", "t": ("x", None), "h": np.float16(1.5)}
    for i in range(2000):
        yield {"key": f"k{i}", "x": i % 5, **({"late": 2.5} if i == 1500 else {}), "empty": [[], {}, b"", ""][i % 4]}


class Workspace:
    """A folder with the sets, and another one for ours."""

    def __init__(self, program, folder):
        self.program, self.folder = program, pathlib.Path(folder)
        self.theirs, self.ours = self.folder / "theirs", self.folder / "ours"
        self.wrong, self.checks = [], 0
        self.theirs.mkdir()
        self.ours.mkdir()
        for name, samples in SETS.items():
            peer.write(self.theirs / f"{name}.msgpack", samples)

    def run(self, *words, status=0):
        done = subprocess.run([self.program, *map(str, words)], capture_output=True, timeout=60)
        self.expect(done.returncode == status, f"{words}: status {done.returncode}: {done.stderr}")
        return done

    def run_theirs(self, command, *words):
        """Run a command of the package; some fail after their work is done."""
        subprocess.run([sys.executable, "-m", f"datadings.commands.{command}", *map(str, words)],
                       capture_output=True, stdin=subprocess.DEVNULL, timeout=60)

    def expect(self, is_true, what):
        self.checks += 1
        if not is_true:
            self.wrong.append(what)

    def exists(self, name):
        return (self.ours / f"{name}.msgpack").exists()

    def expect_same_files(self, name):
        for side in SIDES:
            a, b = (folder / f"{name}.msgpack{side}" for folder in (self.theirs, self.ours))
            self.expect(a.exists() and b.exists() and a.read_bytes() == b.read_bytes(),
                        f"{name}.msgpack{side} differs")

    def expect_read(self, name, samples):
        """Check that the package reads these keys and messages from our set, and finds each key."""
        path = self.ours / f"{name}.msgpack"
        if not self.exists(name):
            self.expect(False, f"{name}.msgpack is not there")
            return
        self.expect(peer.read(path) == samples, f"{name}.msgpack reads as something else")
        reader = MsgpackReader(path)
        self.expect(reader.verify_data(), f"{name}.msgpack: MD5")
        rows = [reader.find_index(key) for key, _ in samples]
        self.expect(rows == list(range(len(samples))), f"{name}.msgpack: look-ups")


def check_find(workspace):
    for name, samples in SETS.items():
        path = workspace.theirs / f"{name}.msgpack"
        keys = [s["key"] for s in samples][:40] + ["no such key", "k-1"]
        status = 1
        done = workspace.run("find", "--json", path, "--", *keys, status=status)
        document = json.loads(done.stdout)
        reader = MsgpackReader(path)
        for shown_row, key in zip(document["keys"], keys):
            try:
                row = reader.find_index(key)
            except KeyError:
                row = None
            workspace.expect(shown_row == {"key": key, "row": row}, f"find in {name}: {shown_row}, not {row}")
        shown = [value["key"] for value in document["values"]]
        workspace.expect(shown == keys[:-2], f"find in {name} shows {shown}")
        lines = [key for key in (s["key"] for s in samples) if "\n" not in key]
        listed = workspace.folder / "keys.txt"
        listed.write_text("".join(f"{key}\n" for key in lines), "utf-8")
        document = json.loads(workspace.run("find", "--json", "--keys", listed, path).stdout)
        truth = [{"key": key, "row": reader.find_index(key)} for key in lines]
        workspace.expect(document["keys"] == truth, f"find --keys in {name}")


def check_orders(workspace):
    for name, samples in SETS.items():
        source = workspace.theirs / f"{name}.msgpack"
        if not samples:
            workspace.run("shuffle", source, workspace.ours / "shuffled.msgpack")
            workspace.expect_read("shuffled", [])
            continue
        if name == "blank":
            continue
        jobs = [("shuffle", ["--true-shuffle"], [], []),
                ("sample", ["-s", "random"], ["--strategy", "random"], [max(1, len(samples) // 3)]),
                ("sample", ["-s", "sequential"], ["--strategy", "sequential"], [len(samples)])]
        for i, (command, our_peer, ours, number) in enumerate(jobs):
            out = f"{name}-{i}"
            workspace.run_theirs(command, *our_peer, source, workspace.theirs / f"{out}.msgpack", *number)
            workspace.run(command, *ours, source, workspace.ours / f"{out}.msgpack", *number)
            workspace.expect_same_files(out)


def check_split(workspace):
    source = workspace.theirs / "thousand.msgpack"
    samples = peer.read(source)
    names = ["part-0", "part-1", "part-2"]
    workspace.run_theirs("split", source, "1", "-o", *(workspace.theirs / f"{n}.msgpack" for n in names[:2]))
    workspace.run("split", source, "1", "-o", workspace.ours / "part.msgpack")
    workspace.expect_same_files("part-0")
    workspace.expect_same_files("part-1")
    workspace.run("split", source, "100", "300", "-o", workspace.ours / "part.msgpack")
    for name, (first, end) in zip(names, ((0, 100), (100, 300), (300, 1000))):
        workspace.expect_read(name, samples[first:end])


def without(message, *names):
    """The message without these entries."""
    whole = msgpack.unpackb(message, strict_map_key=False, object_pairs_hook=list)
    packed = msgpack.Packer()
    parts = [packed.pack_map_header(sum(key not in names for key, _ in whole))]
    unpacker = msgpack.Unpacker(strict_map_key=False)
    unpacker.feed(message)
    for _ in range(unpacker.read_map_header()):
        start = unpacker.tell()
        key = unpacker.unpack()
        unpacker.skip()
        if key not in names:
            parts.append(message[start:unpacker.tell()])
    return b"".join(parts)


def check_verbatim(workspace):
    """Samples that are chosen, or lose some entries, are the same bytes in all else."""
    peer.write(workspace.theirs / "unequal.msgpack", unequal())
    source = workspace.theirs / "unequal.msgpack"
    out = workspace.ours / "chosen.msgpack"
    samples = peer.read(source)
    values = list(MsgpackReader(source))
    jobs = [(["--rows", "1:5"], samples[1:5]),
            (["--where", "x>=2"], [s for s, v in zip(samples, values) if v["x"] >= 2]),
            (["--where", "message==m"], samples[2:3]),
            (["--where", "key==b", "--datadings", "infer=all"], samples[1:2]),
            (["--datadings", "infer=3 mismatch=na"], samples),
            (["--skip", "3", "--take", "2"], samples[3:5])]
    for words, truth in jobs:
        workspace.run("convert", *words, source, out)
        workspace.expect_read("chosen", truth)
    workspace.run("shuffle", "--where", "x==1", source, out)
    ones = [s for s, v in zip(samples, values) if v["x"] == 1]
    workspace.expect(sorted(peer.read(out)) == sorted(ones), "shuffle --where")
    workspace.run("convert", "--drop", "x,empty", source, out)
    workspace.expect_read("chosen", [(key, without(s, "x", "empty")) for key, s in samples])
    workspace.run("convert", "--where", "x>=3", "--columns", "x,key,e*", source, out)
    kept = [{k: v for k, v in value.items() if k in ("key", "x", "empty")}
            for value in values if value["x"] >= 3]
    workspace.expect(list(MsgpackReader(out)) == kept, "--columns")
    for words in (["--convert", "x:R4"], ["--columns", "key,n.p"], ["--datadings", "col=key:TX col=x:I8"],
                  ["--to-datadings", "key=rownumber"]):
        out.unlink()
        done = workspace.run("convert", *words, source, out, status=1)
        workspace.expect(b"--allow-loss forms" in done.stderr and not out.exists(), f"{words}: {done.stderr}")
        workspace.run("convert", *words, "--allow-loss", "forms,types", source, out,
                      status=0 if words[0] != "--to-datadings" else 1)
        out.touch()


def check_keyless(workspace):
    """Messages of RawWriter, which have no key, or now and then one of their own: the listed one is shown."""
    from datadings.writer import RawWriter
    path = workspace.theirs / "keyless.msgpack"
    with RawWriter(path, overwrite=True, disable=True) as writer:
        for i in range(5000):
            own = {"key": f"k{i}"} if i % 7 == 3 else {}
            writer.write(f"k{i}", msgpack.packb({"v": i, **own}))
    for infer in ("infer=1000", "infer=1", "infer=all"):
        rows = [json.loads(line) for line in workspace.run(
            "cat", "--format", "jsonl", "--datadings", infer, path).stdout.splitlines()]
        workspace.expect(rows == [{"key": f"k{i}", "v": i} for i in range(5000)], f"keyless: {infer}")
    head = json.loads(workspace.run("head", "--json", "-n", "2", path).stdout)
    workspace.expect([row["key"] for row in head["values"]] == ["k0", "k1"], f"keyless: head {head}")
    found = json.loads(workspace.run("find", "--json", path, "k4999", "k3").stdout)
    workspace.expect(found["values"] == [{"key": "k4999", "v": 4999}, {"key": "k3", "v": 3}], f"keyless: {found}")
    done = workspace.run("cat", "--format", "csv", "--where", "key==k77", path)
    workspace.expect(done.stdout.split() == [b"key,v", b"k77,77"], f"keyless: {done.stdout}")
    workspace.run("verify", path)
    workspace.run("verify", "--datadings", "raw", path)
    done = workspace.run("verify", "--datadings", "strict", path, status=1)
    workspace.expect(b"datadings:8.31" in done.stdout, "keyless: strict")
    out = workspace.ours / "keyless.msgpack"
    workspace.run("convert", "--where", "v>=10", path, out)
    workspace.expect_read("keyless", peer.read(path)[10:])
    done = workspace.run("convert", "--convert", "v:R4", path, out, status=1)
    workspace.expect(b'column "key": samples without this key' in done.stderr, f"keyless: {done.stderr}")

    others = workspace.theirs / "others.msgpack"
    with RawWriter(others, overwrite=True, disable=True) as writer:
        for key, value in {"a": [1, 2], "b": {"x": 1}, "c": 5}.items():
            writer.write(key, msgpack.packb(value))
    done = workspace.run("verify", others, status=1)
    workspace.expect(done.stdout.count(b"datadings:8.30") == 2 and b"2 defects" in done.stdout, f"others: {done.stdout}")
    done = workspace.run("verify", "--datadings", "raw drop=x", others, status=1)
    workspace.expect(b"2 defects" in done.stdout, f"others, without x: {done.stdout}")
    done = workspace.run("verify", "--datadings", "raw", others)
    workspace.expect(b"warning" not in done.stdout, f"others, raw: {done.stdout}")
    workspace.run("convert", others, workspace.ours / "others.msgpack")
    workspace.expect_read("others", peer.read(others))

    renamed = workspace.theirs / "renamed.msgpack"
    with RawWriter(renamed, overwrite=True, disable=True) as writer:
        for key, own in {"a": "x", "b": "b", "c": "a"}.items():
            writer.write(key, msgpack.packb({"key": own, "v": 1}))
    done = workspace.run("verify", renamed)
    workspace.expect(done.stdout.count(b"warning: ") == 2 and b"row 2: key in the message" in done.stdout,
                     f"renamed: {done.stdout}")
    workspace.run("verify", "--datadings", "strict", renamed, status=1)
    for options in [[], ["--datadings", "raw"]]:
        workspace.run("convert", *options, renamed, workspace.ours / "renamed.msgpack")
        workspace.expect_read("renamed", peer.read(renamed))


def check_merge(workspace):
    a, b = (peer.read(workspace.theirs / f"{name}.msgpack") for name in ("mixed", "thousand"))
    files = [workspace.theirs / f"{name}.msgpack" for name in ("mixed", "thousand", "none")]
    workspace.run("merge", "--strategy", "concat", *files, workspace.ours / "merged.msgpack")
    workspace.expect_read("merged", a + b)
    workspace.run("merge", "--seed", "1", *files, workspace.ours / "merged.msgpack")
    merged = peer.read(workspace.ours / "merged.msgpack") if workspace.exists("merged") else []
    workspace.expect_read("merged", merged)
    for samples in a, b:
        kept = [sample for sample in merged if sample in set(samples)]
        workspace.expect(kept == samples, "merge lost the order of a file")
    workspace.expect(merged[:len(a)] != a, "merge did not mix")

    twice = workspace.run("merge", files[1], files[1], workspace.ours / "twice.msgpack", status=1)
    workspace.expect(b'found "k' in twice.stderr, "which key?")
    workspace.expect(not (workspace.ours / "twice.msgpack").exists(), "a file of keys given twice")


def check_index(workspace):
    """Check the side files made from a legacy index, and from a file without side files."""
    for name in ("mixed", "thousand", "one"):
        source = workspace.theirs / f"{name}.msgpack"
        made = workspace.ours / f"{name}.msgpack"
        samples, offset, index = peer.read(source), 0, {}
        for key, message in samples:
            index[key], offset = offset, offset + len(message)
        made.write_bytes(source.read_bytes())
        workspace.run("index", made, status=1)
        workspace.run("index", "--datadings", "raw scan", made)
        workspace.expect_same_files(name)
        for side in SIDES[1:]:
            (workspace.ours / f"{name}.msgpack{side}").unlink()
        legacy = pathlib.Path(f"{made}.index")
        legacy.write_bytes(msgpack.packb(index))
        workspace.run("index", made)
        workspace.expect_read(name, samples)
        for side in SIDES[1:5]:
            workspace.expect((workspace.ours / f"{name}.msgpack{side}").read_bytes()
                         == (workspace.theirs / f"{name}.msgpack{side}").read_bytes(), f"{name}{side}")
        workspace.expect(f"  {legacy.name}\n" in pathlib.Path(f"{made}.md5").read_text("utf-8"), "no .index in .md5")


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as folder:
        workspace = Workspace(program, folder)
        for check in check_find, check_orders, check_split, check_verbatim, check_keyless, check_merge, check_index:
            check(workspace)
        print("\n".join([*workspace.wrong, f"{workspace.checks} checks, {len(workspace.wrong)} failed"]))
        return bool(workspace.wrong)


if __name__ == "__main__":
    sys.exit(main())
