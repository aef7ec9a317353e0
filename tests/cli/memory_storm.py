#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""memory_storm.py: checks that the command says so when memory runs out, on drawn files with drawn options.

    memory_storm.py DATAVIEW LIBRARY [--tries N | --seconds N] [--seed N]

no_memory.py lets every allocation of chosen commands fail.  This program draws commands (a verb, a golden file, options), and
of each some allocations that fail, alone or with all that follow; what must hold is the same.  Ends with `N tries, M findings`,
where a try is a run with a failing allocation.
"""
import argparse
import pathlib
import random
import sys
import tempfile
import time

from no_memory import CSV, GOLDEN, Command, complaints, digest_of, perform

MOST_NBYTES = 1 << 16  # of a file
RUNS = 12  # of a command, in each of the two ways to fail
READERS = ["info", "schema", "verify", "head", "tail", "stats", "cat"]
OUTS = ["out.idv", "out.csv", "out.btable", "out.msgpack"]


def golden_files():
    found = [path for pattern in ("idv*/*.idv", "btable/*.btable", "datadings/*.msgpack")
             for path in sorted(GOLDEN.glob(pattern)) if path.stat().st_size <= MOST_NBYTES]
    return found


def drawn_command(draw, files):
    """A verb that fits the file, or is refused."""
    file = draw.choice(files)
    verb = draw.choice([*READERS, *READERS, "convert", "convert", "diff", "sample", "shuffle", "split"])
    words = [verb]

    def maybe(*more, share=0.3):
        words.extend(more if draw.random() < share else [])

    maybe("--io", "pread")
    if verb == "cat":
        words += ["--format", draw.choice(["tsv", "csv", "jsonl", "exact"])]
    elif verb != "convert":
        maybe("--json")
    if verb in ("head", "tail", "cat"):
        maybe("--hidden")
        maybe("--ids")
        maybe("--shuffle", draw.choice(["uniform", "pool"]), "--seed", "7", share=0.15)
    if verb in ("head", "stats", "cat", "convert"):
        maybe("--take", str(draw.randint(0, 40)))
        maybe("--threads", str(draw.randint(1, 4)))
    if verb in ("convert", "shuffle", "sample"):
        out = draw.choice(OUTS)
        if out == "out.idv":
            maybe("--rows-per-block", str(draw.choice([1, 7, 100])))
        if out == "out.msgpack" and file.suffix != ".msgpack":
            words += ["--to-datadings", "key=rownumber"]
        maybe("--allow-loss", "columns,metadata,names,types,precision,na", share=0.8)
    if verb == "split":  # writes beside its file
        return Command([*words, "--every", str(draw.randint(200, 400)), file.name], [file], varies="--json" in words)
    if verb in ("shuffle", "sample"):
        words += ["--seed", str(draw.randint(0, 9))]
    words.append(file)
    if verb == "diff":
        words.append(draw.choice(files))
    if verb in ("convert", "shuffle", "sample"):
        words.append(out)
    if verb == "sample":
        words.append(str(draw.randint(1, 30)))
    return Command(words, varies="--json" in words and verb in ("convert", "shuffle", "sample"))


def of_storm(command, first, run):
    """Complaints of no_memory.py, less those that do not hold for any command: a table that is cut short may have other
    widths, and what is refused with memory is no document."""
    for what in complaints(command, [digest_of(path) for path in command.copies], first, run):
        is_layout = what.startswith("no beginning of the output") and command.words[0] in ("head", "tail")
        if not is_layout and not (what == "incomplete JSON" and first.status != 0):
            yield what


def try_command(program, library, command, draw):
    """(runs, complaints)"""
    first, again = perform(program, library, command, [0, 0])
    if not command.varies and (first.status, first.out, first.files) != (again.status, again.out, again.files):
        return 2, ["it is not the same twice"]
    if first.status >= 128:
        return 2, [f"with memory it ends by signal {first.status - 128}"]
    runs, found = 0, []
    for fails_from in (False, True):
        chosen = sorted(draw.sample(range(1, first.asked + 1), min(RUNS, first.asked)))
        for run in perform(program, library, command, chosen, fails_from) if chosen else []:
            runs += 1
            which = f"allocation {run.k} of {first.asked}{' and later ones' if fails_from else ''}"
            found += [f"{which}: {what}" for what in of_storm(command, first, run)]
    return runs, found


def storm(program, library, tries, seconds, seed):
    end = time.monotonic() + seconds if seconds else None
    draw, done, findings = random.Random(seed), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        csv = pathlib.Path(folder, "plain.csv")
        csv.write_text(CSV, encoding="utf-8")
        files = [*golden_files(), csv]
        try:
            while time.monotonic() < end if end else done < tries:
                command = drawn_command(draw, files)
                runs, found = try_command(program, library, command, draw)
                done += runs
                findings += len(found)
                for what in found:
                    print(f"found: seed {seed}: {' '.join(map(str, command.words))}: {what}"[:800], flush=True)
        except KeyboardInterrupt:
            pass
    print(f"{done} tries, {findings} findings")
    return int(findings > 0 or done == 0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("library")
    parser.add_argument("--tries", type=int, default=1000)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    return storm(str(pathlib.Path(asked.program).resolve()), str(pathlib.Path(asked.library).resolve()), asked.tries,
                 asked.seconds, asked.seed)


if __name__ == "__main__":
    sys.exit(main())
