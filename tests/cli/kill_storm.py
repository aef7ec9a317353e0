#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""kill_storm.py: checks that a save that is killed at a random moment leaves the old file or the new one.

    kill_storm.py DATAVIEW [--tries N | --seconds N] [--seed N] [--selftest]

`dataview convert` replaces one file of each format again and again, with drawn options, and is killed after a drawn time.
Then the bytes are those of before or those of the save.  Of a datadings set the messages are, and the set opens as
one of the two or is refused as incomplete.  Some saves are not killed: they leave the new file, and nothing else in the folder.
Ends with `N tries, M findings`.  --selftest: a program that writes files in place must be found.
"""
import argparse
import pathlib
import random
import subprocess
import sys
import tempfile
import time

TESTS = pathlib.Path(__file__).resolve().parents[1]
PEOPLE = TESTS / "golden/idv/people.idv"
ITEMS = TESTS / "golden/btable/random-09.btable"
# The file that is replaced, and of what: each source is a different new file.
SCENES = {
    "out.idv": [PEOPLE, ITEMS],
    "out.txt": [PEOPLE, ITEMS],
    "out.btable": [ITEMS, TESTS / "golden/btable/random-15.btable"],
    "out.msgpack": [PEOPLE, ITEMS],
}
OPTIONS = {
    "out.idv": [[], ["--rows-per-block", "7"], ["--compression", "deflate"], ["--rows-per-block", "50", "--align", "64"]],
    "out.txt": [["--to-text", "dense+"], ["--to-text", "sep=semicolon"]],
    "out.btable": [[]],
    "out.msgpack": [["--to-datadings", "key=rownumber", "--allow-loss", "types,metadata"]],
}
WHOLE_ONE_IN = 6  # saves that are not killed


def run(*words):
    return subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, capture_output=True, timeout=300)


class Save:
    """One way to make the file, and what it makes."""

    def __init__(self, program, name, words):
        self.words = [str(program), "convert", "--quiet", *map(str, words)]
        with tempfile.TemporaryDirectory() as folder:
            start = time.monotonic()
            done = run(*self.words, pathlib.Path(folder, name))
            self.seconds = time.monotonic() - start
            if done.returncode:
                sys.exit(f"{' '.join(map(str, self.words))} {name}: status {done.returncode}: {done.stderr.decode()}")
            self.files = {path.name: path.read_bytes() for path in pathlib.Path(folder).iterdir()}
            self.rows = rows_of(program, pathlib.Path(folder, name))


def rows_of(program, path):
    """What cat writes, or None: it is refused."""
    done = run(program, "cat", "--format", "exact", path)
    if done.returncode not in (0, 1) or (done.returncode == 1 and not done.stderr):
        raise ValueError(f"cat: status {done.returncode}: {done.stderr.decode(errors='replace')}")
    return done.stdout if done.returncode == 0 else None


class Target:
    """A file that is replaced again and again."""

    def __init__(self, program, name, folder):
        self.program, self.name, self.folder = program, name, pathlib.Path(folder)
        self.path = self.folder / name
        self.old = None  # the save whose file is there; None: no file
        self.saves = {}

    def save(self, source, options, threads, sync):
        words = (*options, "--threads", threads, *([] if sync else ["--no-sync"]), source)
        if words not in self.saves:
            self.saves[words] = Save(self.program, self.name, words)
        return self.saves[words]

    def whole(self, save):
        """What is wrong after a save that was not killed."""
        done = run(*save.words, self.path)
        there = {path.name: path.read_bytes() for path in self.folder.iterdir()}
        self.old = save
        if done.returncode:
            return f"status {done.returncode}: {done.stderr.decode(errors='replace')}"
        if there != save.files:
            return f"{sorted(there)} instead of {sorted(save.files)}, or other bytes"
        return None

    def killed(self, save, delay):
        """What is wrong after a save that was killed, if it did not end before."""
        process = subprocess.Popen([*map(str, save.words), str(self.path)], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(delay)
        process.kill()
        status = process.wait()
        if status not in (0, -9):
            return f"status {status}"
        data = self.path.read_bytes() if self.path.exists() else None
        allowed = [choice for choice in (self.old, save) if data == (choice.files[self.name] if choice else None)]
        if not allowed:
            return "neither the old file nor the new one"
        if status == 0 and save not in allowed:
            return "it ended, and the file is the old one"
        rows = rows_of(self.program, self.path) if data is not None else None
        if data is not None and rows not in [choice.rows for choice in allowed] and (
                rows is not None or not self.path.name.endswith(".msgpack")):
            return "the rows are neither the old nor the new ones"
        self.old = allowed[-1]
        return None


def try_once(target, draw):
    save = target.save(draw.choice(SCENES[target.name]), tuple(draw.choice(OPTIONS[target.name])), draw.randint(1, 4),
                       draw.random() < 0.7)
    if draw.randrange(WHOLE_ONE_IN) == 0:
        return save, "whole", target.whole(save)
    delay = draw.uniform(0, 1.3 * save.seconds)
    return save, f"killed after {delay:.4f} s", target.killed(save, delay)


def storm(program, tries, seconds, seed):
    end = time.monotonic() + seconds if seconds else None
    draw, done, findings = random.Random(seed), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        targets = []
        for name in SCENES:
            pathlib.Path(folder, name).mkdir()
            targets.append(Target(program, name, pathlib.Path(folder, name)))
        try:
            while time.monotonic() < end if end else done < tries:
                target = targets[done % len(targets)]
                save, how, wrong = try_once(target, draw)
                done += 1
                if wrong:
                    findings += 1
                    print(f"found: seed {seed}, try {done}, {target.name}, {how}: {' '.join(save.words)}: {wrong}", flush=True)
                    break  # what is there now is no known state
        except KeyboardInterrupt:
            pass
        except (OSError, ValueError, subprocess.TimeoutExpired) as wrong:
            findings += 1
            print(f"found: seed {seed}, try {done + 1}: {wrong}", flush=True)
    print(f"{done} tries, {findings} findings")
    return int(findings > 0 or done == 0)


# Saves as DATAVIEW does, but into the file that is there, and takes its time.
IN_PLACE = """\
#!{python}
import os, subprocess, sys, tempfile, time
if sys.argv[1] != "convert":
    os.execv("{program}", ["{program}", *sys.argv[1:]])
out = sys.argv[-1]
with tempfile.TemporaryDirectory() as folder:
    made = os.path.join(folder, os.path.basename(out))
    subprocess.run(["{program}", *sys.argv[1:-1], made], check=True)
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), "rb") as file, open(os.path.join(os.path.dirname(out), name), "wb") as file_out:
            data = file.read()
            file_out.write(data[: len(data) // 2])
            file_out.flush()
            time.sleep(0.1)
            file_out.write(data[len(data) // 2 :])
"""


def selftest(program):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "in_place")
        path.write_text(IN_PLACE.format(python=sys.executable, program=program), encoding="utf-8")
        path.chmod(0o755)
        if storm(path, 200, None, 1) == 0:
            print("a program that writes files in place is not found")
            return 1
    return 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--tries", type=int, default=60)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--selftest", action="store_true")
    asked = parser.parse_args()
    if asked.selftest:
        return selftest(pathlib.Path(asked.program).resolve())
    return storm(pathlib.Path(asked.program).resolve(), asked.tries, asked.seconds, asked.seed)


if __name__ == "__main__":
    sys.exit(main())
