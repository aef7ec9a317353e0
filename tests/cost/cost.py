#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""cost.py: counts the instructions that each verb needs for small files, which time would hide.

    cost.py DATAVIEW --compiler NAME           compare with cost.tsv; exit status 1 if a bound is broken
    cost.py DATAVIEW --compiler NAME --record  write cost.tsv: the figures of this machine

Cost follows the size of a file, not what it claims: no verb may need more than MOST instructions a
byte for a file of slow_files.py that was made to be slow, nor 1.5 times the figure in cost.tsv.  For
ordinary files the count may differ from it by a quarter, either way: losses of speed show on any
machine, and gains are recorded.  These are compared only if the compiler is the one of cost.tsv.

Counted by callgrind (valgrind), on one CPU, with the scalar kernels.  Without valgrind the test is
skipped.
"""
import argparse
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import slow_files

TABLE = pathlib.Path(__file__).with_suffix(".tsv")
START = 1_000_000  # instructions of a process that does little
MOST = 20_000  # instructions a byte
CPU_SECONDS = 100  # for what would never end: two hundred times the slowest
VERBS = ("info F", "cat F", "stats F", "verify F", "diff F F", "shuffle F OUT.idv")
OTHERS = ("schema F", "head F", "tail F", "convert F OUT.idv")  # which do what those above do
EXTRA = {
    "columns.csv": OTHERS,
    "slot_names.idv": OTHERS,
    "blocks.idv": OTHERS,
    "keys.msgpack": OTHERS,
    "no_names.idv": ("schema F", "convert F OUT.btable", "convert F OUT.txt"),
    "vector.idv": ("convert --to-datadings key=rownumber F OUT.msgpack", "cat --format jsonl F"),
}
APPLY = "head -n1 PEOPLE --pipe @F"
ONLY = {  # instead of VERBS
    "deep.pipe": (APPLY,),
    "chain.pipe": (APPLY, "pipe fit PEOPLE @F -o OUT.dvp"),
    "copies.pipe": (APPLY, "pipe fit PEOPLE @F -o OUT.dvp"),
    "hiding.pipe": (APPLY,),
    "doubling.pipe": (APPLY,),
    "many.pipe": ("pipe show DVP",),
    "line.csv.gz": tuple(f"{verb} --text col=v:TX:0 --limit line_nbytes=1M F" for verb in ("cat", "verify")),
}
ORDINARY = (
    ("table.csv", "cat F"),
    ("table.csv", "stats F"),
    ("table.csv", "convert F OUT.idv"),
    ("wide.csv", "stats F"),
    ("wide.csv", "convert F OUT.idv"),
    ("people.idv", "info F"),
    ("people.idv", "head F"),
    ("people.idv", "cat --format jsonl F"),
    ("people.idv", "stats F"),
    ("people.idv", "verify F"),
    ("people.idv", "convert F OUT.txt"),
    ("people.idv", "shuffle F OUT.idv"),
    ("article.btable", "cat F"),
)


def words_of(verb, file, out):
    """The arguments of a command.  The files have no side files."""
    folder = pathlib.Path(file).parent
    named = {"F": file, "@F": f"@{file}", "PEOPLE": str(folder / "people.idv"), "DVP": f"{file}.dvp"}
    name, *words = [named.get(word, word.replace("OUT", out)) for word in verb.split()]
    return [name, "--datadings", "scan", *words] if file.endswith(".msgpack") else [name, *words]


def count(dataview, folder, file, verb):
    """The instructions of a command; None: it did not end as a command should."""
    with tempfile.TemporaryDirectory(dir=folder) as own:
        words = words_of(verb, str(folder / file), f"{own}/out")
        log = pathlib.Path(own) / "log"
        command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
                   f"--log-file={log}", dataview, *words]
        environment = {"PATH": os.environ["PATH"], "DATAVIEW_SIMD": "scalar", "LC_ALL": "C", "COLUMNS": "100",
                       "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2_Usable,-AVX512F_Usable,-ERMS"}
        done = subprocess.run(
            command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS)))
        found = re.search(r"I\s+refs:\s+([\d,]+)", log.read_text())
        return int(found[1].replace(",", "")) if found and done.returncode in (0, 1) else None


def jobs():
    """Every file and verb that is counted."""
    for name, _ in slow_files.slow():
        for verb in ONLY.get(name, VERBS + EXTRA.get(name, ())):
            yield "slow", name, verb
    for name, verb in ORDINARY:
        yield "ordinary", name, verb


def count_all(dataview):
    """The counts by kind, file and verb, and the sizes of the files."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # the library then uses one thread
    sizes = {}
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        for name, raw in [*slow_files.slow(), *slow_files.ordinary()]:
            (folder / name).write_bytes(raw)
            sizes[name] = slow_files.INFLATED if name == "deflate.idv" else len(raw)
        subprocess.run(
            [dataview, "pipe", "fit", "--limit", "depth=10000", "--limit", "chain_columns=100M", str(folder / "people.idv"),
             f"@{folder}/many.pipe", "-o", str(folder / "many.pipe.dvp")], check=True, stdout=subprocess.DEVNULL)
        with ThreadPoolExecutor(1) as pool:
            listed = list(jobs())
            counts = pool.map(lambda job: count(dataview, folder, job[1], job[2]), listed)
            return dict(zip(listed, counts)), sizes


def write_table(counts, sizes, compiler):
    lines = [f"# {compiler}: written by cost.py --record", "kind\tfile\tverb\tbytes\tinstructions"]
    lines += ["\t".join([*job, str(sizes[job[1]]), str(n)]) for job, n in counts.items()]
    TABLE.write_text("\n".join(lines) + "\n")


def read_table():
    """The compiler, and the recorded counts."""
    first, _, *lines = TABLE.read_text().splitlines()
    rows = [line.split("\t") for line in lines]
    return first[2:].split(":")[0], {tuple(row[:3]): int(row[4]) for row in rows}


def fault(job, n, recorded, nbytes, compares_ordinary):
    """What is wrong with a count; None: nothing."""
    if n is None:
        return "ended by a signal, by the limit of CPU time, or with another status than 0 and 1"
    if recorded is None:
        return "not in cost.tsv: run cost.py --record"
    if job[0] == "slow":
        most = min(START + MOST * nbytes, START + 3 * recorded // 2)
        return None if n <= most else f"{n:,} instructions for {nbytes} bytes; at most {most:,}"
    if not compares_ordinary or 0.75 * recorded <= n <= 1.25 * recorded:
        return None
    return f"{n:,} instructions; cost.tsv has {recorded:,}: find out why, or record it (cost.py --record)"


def main():
    parser = argparse.ArgumentParser(description="Count the instructions of verbs.")
    parser.add_argument("dataview")
    parser.add_argument("--compiler", required=True, help="what built it, as GNU-12-Release")
    parser.add_argument("--record", action="store_true", help="write the table")
    arguments = parser.parse_args()
    if not shutil.which("valgrind"):
        print("[SKIP] cost::instructions: valgrind is not installed")
        return 0
    counts, sizes = count_all(arguments.dataview)
    if arguments.record:
        assert None not in counts.values(), [job for job, n in counts.items() if n is None]
        write_table(counts, sizes, arguments.compiler)
        return 0
    compiler, table = read_table()
    is_same = compiler == arguments.compiler
    if not is_same:
        print(f"[SKIP] cost::ordinary: recorded for {compiler}, not {arguments.compiler}")
    bad = 0
    for job, n in counts.items():
        why = fault(job, n, table.get(job), sizes[job[1]], is_same)
        if why:
            bad += 1
            print(f"{job[1]}: {job[2]}: {why}")
    print(f"{len(counts) - bad} passed, {bad} failed")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
