#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""no_memory.py: checks that the command says so when memory runs out, and that nothing it writes is incomplete.

    no_memory.py DATAVIEW LIBRARY [--all] [WORD...]
    no_memory.py --selftest

LIBRARY is the build of starving_malloc.c.  Each command below (those that contain a WORD, if words are given) runs once
for each allocation that fails: it alone, or it and all that follow.  Without --all (or DV_FAIL_STEP=1 in the
environment) that is each of the first and the last ones, and fewer of those between.  Either everything is as it is
with memory, or the exit status is 3, the last line of standard error names memory, standard output ends early, a JSON
document is missing, and no file is left that was not there.
"""
import dataclasses
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

TESTS = pathlib.Path(__file__).resolve().parents[1]
GOLDEN = TESTS / "golden"
PEOPLE = GOLDEN / "idv/people.idv"
WIDE = GOLDEN / "idv/random-03.idv"
METADATA = GOLDEN / "idv/metadata-raw.idv"
DEAD = GOLDEN / "idv-crafted/dead-metadata.idv"
BTABLE = GOLDEN / "btable/unicode-labels.btable"
TINY = GOLDEN / "datadings/tiny.msgpack"
SIDES = [TINY, *sorted(TINY.parent.glob("tiny.msgpack.*"))]
CORRUPT = TESTS / "malformed/idv/boolean_9_in_1.CORRUPT.5.2@269.idv"

EDGE, SHARE = 10, 8  # each of the first and last EDGE allocations; between, 1 in K / SHARE at allocation K
RECORD = struct.Struct("=qqqQQQ")
SYSTEM = 3  # the exit status

CSV = 'Label,"a ""b""",c,when\n1,2.5,"x, y",2020-01-02\n0,,z,2021-01-02\n1,7,"",\n'
SCHEMA = '''\
#@ TextLoader{
#@   header+
#@   sep=tab
#@   col=x:R4:0
#@   col={name={a b} type=TX src=1}
#@ }
x\ta b
1\tone
2\t
'''
OPTIONS = "sep=, header+ quote+ col=Label:BL:0 col=b:R4:1 col={name={more text} type=TX src=2-3}"


@dataclasses.dataclass
class Command:
    words: list
    copies: list = dataclasses.field(default_factory=list)
    varies: bool = False  # its output is not the same twice
    columns: str = "80"


def commands(folder):
    """Every verb, in each form that its output has."""
    csv, text, options = folder / "plain.csv", folder / "header.txt", folder / "words.options"
    csv.write_text(CSV, encoding="utf-8")
    text.write_text(SCHEMA, encoding="utf-8")
    wide = [",".join(f"{word}{i}" for i in range(60)) for word in ("column_", "1", "2")]
    (folder / "wide.csv").write_text("\n".join(wide) + "\n", encoding="utf-8")
    options.write_text("--columns 'Age,N*'  # some\n--take 3\n", encoding="utf-8")
    several = folder / "several"
    several.mkdir()
    for name in ("a", "b"):
        (several / f"{name}.idv").write_bytes(PEOPLE.read_bytes())
    few = ["--take", "5"]
    for file in (PEOPLE, WIDE, METADATA, DEAD, BTABLE, TINY, csv, text, several):
        for form in ([], ["--json"]):
            yield ["info", *form, file]
            yield ["schema", "--metadata", *form, file]
            yield ["verify", *form, file]
            yield ["head", *form, "--hidden", "--ids", file]
        yield ["cat", "--format", "exact", "--hidden", *few, file]
        for verb in ("verify", "head"):
            yield [verb, "--io", "pread", file]
    for form in ([], ["--json"]):
        yield ["stats", *form, PEOPLE]
        yield ["stats", *form, "--take", "40", METADATA]
        yield ["stats", *form, csv]
        yield ["stats", *form, "-c", "feat", METADATA]
        yield ["counts", *form, PEOPLE, "Tags", "Age"]
        yield ["tail", *form, "-n", "3", PEOPLE]
        yield ["tail", *form, "-n", "3", BTABLE]
        yield ["find", *form, TINY, "no such key"]
        yield ["diff", *form, PEOPLE, PEOPLE]
        yield ["diff", *form, "-n", "2", PEOPLE, WIDE]
        yield ["diff", *form, BTABLE, BTABLE.with_name("article.btable")]
        yield ["diff", *form, several / "a.idv", several]
        yield Command(["bench", *form, METADATA], varies=True)
        yield ["explain", *form]
        yield ["explain", *form, "idv"]
        yield ["explain", *form, "idv:T3"]
        yield ["help", *form]
        yield ["help", *form, "convert"]
        yield ["verify", *form, CORRUPT]
        yield Command(["convert", *form, PEOPLE, "out.idv"], varies=bool(form))
        yield ["convert", *form, METADATA, "out.btable"]  # refused, with a list of losses
        yield Command(["split", *form, "--fraction=.5,.5", "--shuffle", "--stratify=Active", "people.idv"], [PEOPLE],
                      varies=bool(form))
        yield Command(["split", *form, "--fraction=.5,.5", "--group=Age", "people.idv"], [PEOPLE], varies=bool(form))
        yield Command(["split", *form, "--every", "250", "people.idv"], [PEOPLE], varies=bool(form))
        yield Command(["index", *form, "tiny.msgpack"], [TINY])
    for form in ("tsv", "csv", "jsonl"):
        yield ["cat", "--format", form, "--hidden", "--ids", *few, PEOPLE]
        yield ["cat", "--format", form, "--hidden", *few, WIDE]
        yield ["cat", "--format", form, *few, csv]
    for out in ("out.txt", "out.csv", "out.msgpack"):
        yield ["convert", "--no-sync", PEOPLE, out]
    yield ["convert", "--no-sync", "--drop", "Tags", PEOPLE, "out.csv"]
    yield ["convert", "--compression", "deflate", "--rows-per-block", "100", "--threads", "3", PEOPLE, "out.idv"]
    yield ["convert", BTABLE, "again.btable"]
    yield ["convert", csv, "out.idv"]
    yield ["convert", TINY, "again.msgpack"]
    yield Command(["convert", "people.idv", "people.idv"], [PEOPLE])
    yield ["shuffle", "--seed", "1", PEOPLE, "out.idv"]
    yield ["merge", "--seed", "1", several / "a.idv", several / "b.idv", "out.idv"]
    yield ["sample", "--seed", "1", PEOPLE, "out.idv", "20"]
    yield ["head", "--where", "Age >= 18", "--convert", "Age:TX", "--shuffle", "uniform", PEOPLE]
    yield ["head", "--shuffle", "pool", "--shard", "1/2", "--cache", "memory", PEOPLE]
    yield ["head", "--cache", "rows.idv", PEOPLE]
    yield ["head", "--io", "pread", "--drop", "Seen", PEOPLE]
    yield ["head", f"@{options}", str(several / "*.idv")]
    yield Command(["head", PEOPLE], columns="")
    yield ["cat", "--threads", "3", "-c", "Name,A*", PEOPLE]
    yield ["help", "--as", "man"]
    yield ["help", "--as", "bash"]
    for words in ("info", "info --json", "stats", "verify", "verify --json", "tail --json", "cat"):
        yield [*words.split(), "--text", OPTIONS, csv]
    yield ["convert", "--text", OPTIONS, "--to-text", "sep=semicolon dense+", csv, "out.txt"]
    yield ["convert", "--text", OPTIONS, "--allow-loss", "types,metadata,columns", csv, "out.btable"]
    yield ["head", "--text", OPTIONS + " col=x:R4", csv]
    yield ["merge", "--strategy", "concat", TINY, TINY, "out.msgpack"]
    yield ["sample", "--strategy", "sequential", "--json", TINY, "out.btable", "1"]
    yield ["info", "--datadings", "scan infer=all", TINY]
    yield ["find", "--datadings", "scan", TINY, "b"]
    yield ["stats", "--threads", "2", "--io", "pread", PEOPLE]
    yield ["diff", "--tolerance", "0.1", BTABLE, METADATA]
    yield Command(["head", "--take", "3", folder / "wide.csv", "--text", "sep=, header+ " + " ".join(
        f"col=column_{i}:R4:{i}" for i in range(60))], columns="60")
    yield ["head", "-c", "Agee", PEOPLE]  # wrong usage: what is meant?
    yield ["head", "--where", "Age >= old", PEOPLE]
    yield ["head", "--convert", "Name:R9", PEOPLE]
    yield ["info", folder / "nothing.idv"]
    yield ["explain", "idv:unknown"]


@dataclasses.dataclass
class Run:
    k: int
    asked: int
    status: int
    files: tuple
    out: bytes
    err: bytes


def read_runs(data):
    at = 0
    while at < len(data):
        *facts, files, out_nbytes, err_nbytes = RECORD.unpack_from(data, at)
        digests = struct.unpack_from(f"={files}Q", data, at + RECORD.size)
        at += RECORD.size + 8 * files
        middle, end = at + out_nbytes, at + out_nbytes + err_nbytes
        yield Run(*facts, tuple(sorted(digests)), data[at:middle], data[middle:end])
        at = end


def perform(program, library, command, runs, fails_from=False):
    """The command, once for each number in the list."""
    ends = os.pipe()
    environment = {**os.environ, "LD_PRELOAD": library, "COLUMNS": command.columns,
                   "STARVING_RUNS": ",".join(map(str, runs)), "STARVING_RECORDS": str(ends[1]),
                   "STARVING_COPIES": ":".join(map(str, command.copies))}
    if fails_from:
        environment["STARVING_FROM"] = "1"
    with tempfile.TemporaryDirectory() as folder, open(ends[0], "rb") as records:
        server = subprocess.Popen([program, *map(str, command.words)], cwd=folder, env=environment,
                                  stdin=subprocess.DEVNULL, pass_fds=ends[1:])
        os.close(ends[1])
        done = list(read_runs(records.read()))
        if server.wait() != 0 or len(done) != len(runs):
            sys.exit(f"{command.words}: the runs themselves failed")
    return done


def digest_of(path):
    """As starving_malloc.c makes it: FNV-1a of name and content."""
    digest = 0xCBF29CE484222325
    for byte in path.name.encode() + b"\0" + path.read_bytes():
        digest = (digest ^ byte) * 0x100000001B3 % 2**64
    return digest


def choose(asked, is_all):
    """The allocations that fail, of so many."""
    k = 1
    while k <= asked:
        yield k
        step = 1 if is_all else 1 + max(0, k - EDGE) // SHARE
        k = max(k + 1, min(k + step, asked - EDGE))


def is_document(text):
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


def complaints(command, before, truth, run):
    """What is wrong with a run, compared with one that has memory."""
    if run.status >= 128:
        yield f"ended by signal {run.status - 128}"
    elif run.status == truth.status and command.varies:
        if "--json" in command.words and not is_document(run.out):
            yield "incomplete JSON"
    elif run.status == truth.status and (run.status != SYSTEM or b"memory" not in run.err):
        for name in ("out", "err", "files"):
            if getattr(run, name) != getattr(truth, name):
                yield f"other {name}: {getattr(run, name)!r}, not {getattr(truth, name)!r}"
    else:
        if run.status != SYSTEM:
            yield f"exit status {run.status}: {run.err!r}"
        if b"memory" not in run.err:
            yield f"memory is not named: {run.err!r}"
        if not command.varies and not truth.out.startswith(run.out):
            yield f"no beginning of the output: {run.out!r}"
        if "--json" in command.words and run.out:
            yield f"a document: {run.out!r}"
        allowed = {*before, *truth.files}
        if b"written" not in run.err and "--cache" not in command.words:
            allowed = {*before}
        if len(run.files) < len(before) or not allowed.issuperset(run.files):
            yield f"{len(run.files)} files are left, some of them are not complete"


def check(program, library, command, is_all):
    """(runs, complaints)"""
    first, again = perform(program, library, command, [0, 0])
    if not command.varies and first != again:
        # The number of allocations may depend on threads.
        if (first.status, first.out, first.files) != (again.status, again.out, again.files):
            return 2, [f"is not the same twice: {first} {again}"]
    runs, found, before = 0, [], [digest_of(path) for path in command.copies]
    for fails_from in (False, True):
        chosen = list(choose(first.asked, is_all))
        for run in perform(program, library, command, chosen, fails_from) if chosen else []:
            runs += 1
            which = f"allocation {run.k} of {first.asked}{' and later ones' if fails_from else ''}"
            found += [f"{which}: {what}" for what in complaints(command, before, first, run)]
    return runs, found


def selftest():
    command, report = Command(["head"], [PEOPLE]), Command(["head", "--json"])
    refusal = b"dataview: out of memory\n"
    truth = Run(0, 5, 0, (1, 2), b'{"a":1}\n', b"")
    runs = [  # the number of complaints, and a run
        (command, 0, truth), (command, 0, Run(1, 1, 3, (1,), b"", refusal)),
        (command, 0, Run(1, 1, 3, (1,), b'{"a', refusal)),
        (command, 0, Run(1, 1, 3, (1, 2), b"", b"dataview: x.idv is written\n" + refusal)),
        (command, 1, Run(1, 1, 0, (1, 2), b"{}\n", b"")), (command, 1, Run(1, 1, 0, (1,), truth.out, b"")),
        (command, 1, Run(1, 1, 139, (1,), b"", b"")), (command, 1, Run(1, 1, 1, (1,), b"", refusal)),
        (command, 1, Run(1, 1, 3, (1,), b"", b"dataview: failed\n")), (command, 1, Run(1, 1, 3, (1,), b'{"b', refusal)),
        (command, 1, Run(1, 1, 3, (), b"", refusal)),
        (command, 1, Run(1, 1, 3, (1, 9), b"", b"is written\n" + refusal)),
        (command, 1, Run(1, 1, 3, (1, 2), b"", refusal)), (report, 1, Run(1, 1, 3, (), b'{"a', refusal)),
    ]
    wrong = 0
    for number, (words, want, run) in enumerate(runs):
        found = list(complaints(words, [1] if words.copies else [], truth, run))
        if len(found) != want:
            wrong += 1
            print(f"run {number}: {found}")
    chosen, edges = list(choose(1000, False)), {*range(1, EDGE), *range(1001 - EDGE, 1001)}
    if list(choose(1000, True)) != list(range(1, 1001)) or not edges.issubset(chosen):
        wrong += 1
        print(f"allocations are left out: {chosen}")
    print(f"{wrong} of {len(runs) + 1} checks are wrong")
    return bool(wrong)


def main():
    if sys.argv[1:] == ["--selftest"]:
        return selftest()
    words = [word for word in sys.argv[1:] if word != "--all"]
    is_all = len(words) + 1 < len(sys.argv) or os.environ.get("DV_FAIL_STEP") == "1"
    if len(words) < 2:
        sys.exit(__doc__)
    program, library, *wanted = words
    runs, wrong, count = 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for command in commands(pathlib.Path(folder)):
            command = command if isinstance(command, Command) else Command(command)
            line = " ".join(str(word).replace(folder, "") for word in command.words)
            if not all(word in line for word in wanted):
                continue
            done, found = check(os.path.abspath(program), os.path.abspath(library), command, is_all)
            runs, wrong, count = runs + done, wrong + len(found), count + 1
            for what in found:
                print(f"{line}: {what}"[:600])
    print(f"{count} commands, {runs} runs with failing allocations, {wrong} complaints")
    return bool(wrong) or not runs


if __name__ == "__main__":
    sys.exit(main())
