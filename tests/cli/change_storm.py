#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""change_storm.py: checks that nothing but wrong values or an error comes of files that change while they are read.

    change_storm.py DATAVIEW CHANGING_FILES [--seconds N] [--seed N] [--selftest]

CHANGING_FILES (changing_files.c) makes small files of every format and reads them in every way that the library has.
Meanwhile this program runs every verb on the same files, and changes their bytes, in another mapping, all the time.  A crash, a
report of a sanitizer, a hang, or an exit status that the command does not have is a finding.  Ends with `N tries, M
findings`, where a try is a command or a use.  --selftest: programs that crash, hang or report are found.
"""
import argparse
import mmap
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

from memory_storm import drawn_command

TESTS = pathlib.Path(__file__).resolve().parents[1]
CHANGE_SECONDS = 0.002  # of changes, between two looks at the command
HANGING_SECONDS = 120
SANITIZER = 99  # the exit status after a report
STATUSES = {0, 1, 2, 3}
WIDTHS = [1, 1, 2, 4, 4, 4, 8, 64]
NUMBERS = [0, 2**64 - 1, 2**31 - 1, 2**31, 0xFFFFFF, 0xFFFFFFF, 2**62, 0x7FFF, 0x80, 0x1000, 0x10000, 0x7F7F7F7F]


class Changing:
    """The bytes of the files, which are mapped here too."""

    def __init__(self, paths, draw):
        self.draw, self.maps = draw, []
        for path in paths:
            with open(path, "r+b") as file:
                self.maps.append((mmap.mmap(file.fileno(), 0), path.read_bytes()))

    def hostile(self, now):
        draw = self.draw
        return draw.choice([now + 1, now - 1, now ^ 1 << draw.randrange(32), 2 * now + 5, draw.choice(NUMBERS)])

    def change_one(self):
        draw = self.draw
        there, original = draw.choice(self.maps)
        if draw.randrange(3) == 0:
            there[:] = original
            return
        width = min(draw.choice(WIDTHS), len(original))
        at = draw.randrange(len(original) - width + 1)
        at -= at % width if draw.randrange(2) else 0
        if width == 64:
            there[at:at + width] = bytes([draw.choice([0xFF, 0x22, draw.randrange(256)])]) * width
        else:
            now = int.from_bytes(original[at:at + width], "little")
            there[at:at + width] = (self.hostile(now) % 256**width).to_bytes(width, "little")

    def for_seconds(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.change_one()


def environment():
    ending = f"exitcode={SANITIZER}:halt_on_error=1"
    return {**os.environ, "DV_TEST_ROOT": str(TESTS), "ASAN_OPTIONS": f"{ending}:allocator_may_return_null=1", "LSAN_OPTIONS": ending,
            "UBSAN_OPTIONS": f"{ending}:print_stacktrace=1", "COLUMNS": "80"}


def what_is_wrong(status, err):
    if status not in STATUSES:
        return f"it ends by signal {-status}" if status < 0 else f"exit status {status}"
    return "a sanitizer reports" if "Sanitizer" in err or "runtime error" in err else None


def drawn_words(draw, files, folder):
    """A command on files that change."""
    verb = draw.choice(["drawn"] * 12 + ["merge", "find", "index", "bench", "schema"])
    file, options = draw.choice(list(files.items()))
    own = pathlib.Path(folder, file.name)
    if verb == "drawn":
        words = drawn_command(draw, [file]).words
        words[words.index(file.name) if file.name in words else words.index(file)] = own
        return [words[0], *options, *words[1:]]
    if verb == "merge":
        return [verb, *options, "--allow-loss", "columns,metadata,names,types,precision,na", own, own, "merged.idv"]
    if verb == "find":
        return [verb, *options, own, draw.choice(["a", "b", "0", "3"])]
    if verb == "index":
        return [verb, *options, own]
    return [verb, *options, *(["--threads", "1"] if verb == "bench" else ["--metadata"]), own]


def run_changed(command, folder, changing):
    """(status, standard error) of a command; bytes change until it ends."""
    with tempfile.TemporaryFile() as err:
        process = subprocess.Popen([str(word) for word in command], cwd=folder, env=environment(), stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=err)
        start = time.monotonic()
        while process.poll() is None and time.monotonic() < start + HANGING_SECONDS:
            changing.for_seconds(CHANGE_SECONDS)
        is_hanging = process.poll() is None
        if is_hanging:
            process.kill()
            process.wait()
        err.seek(0)
        said = err.read().decode(errors="replace")
    return ("hangs" if is_hanging else process.returncode), said


def fresh_folder(folder, files):
    """The folder has the changing files, by other names, and nothing else."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for path in files:
        os.link(path, folder / path.name)


def files_of(reader):
    files = {}
    while line := reader.stdout.readline().rstrip("\n"):
        path, text, datadings = line.split("\t")
        files[pathlib.Path(path)] = [*(["--text", text] if text else []), *(["--datadings", datadings] if datadings else [])]
    return files


def storm(program, uses_program, seconds, seed):
    draw, tries, findings = random.Random(seed), 0, 0
    end = time.monotonic() + seconds
    with tempfile.TemporaryFile("w+", errors="replace") as err:
        reader = subprocess.Popen([uses_program, str(seed)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=err,
                                  env=environment(), text=True)
        files = files_of(reader)
        if not files:
            sys.exit(f"{uses_program}: no files, exit status {reader.wait()}")
        common = next(iter(files)).parent
        folder = common / "commands"  # on the same file system: the files are linked
        changing = Changing(files, draw)
        try:
            while time.monotonic() < end and reader.poll() is None and findings < 5:
                fresh_folder(folder, files)
                words = drawn_words(draw, files, folder)
                status, said = run_changed([program, *words], folder, changing)
                wrong = "it hangs" if status == "hangs" else what_is_wrong(status, said)
                tries += 1
                if wrong:
                    findings += 1
                    print(f"found: seed {seed}: {' '.join(map(str, words))}: {wrong}\n{said[:6000]}", flush=True)
        except KeyboardInterrupt:
            pass
        shutil.rmtree(folder, ignore_errors=True)
        said, _ = reader.communicate()
        err.seek(0)
        report = err.read()
        wrong = what_is_wrong(reader.returncode, report) or ("memory is lost" if reader.returncode else None)
        if wrong:
            findings += 1
            print(f"found: seed {seed}: {pathlib.Path(uses_program).name}: {wrong}\n{report[:6000]}", flush=True)
            shutil.rmtree(common, ignore_errors=True)
        tries += int(said.split()[0]) if said else 0
    print(f"{tries} tries, {findings} findings")
    return int(findings > 0 or tries == 0)


# A script, and what is wrong with it.
SCRIPTS = {
    "kill -SEGV $$": "it ends by signal 11",
    "exit 5": "exit status 5",
    f"echo ERROR: AddressSanitizer: heap-buffer-overflow >&2; exit {SANITIZER}": f"exit status {SANITIZER}",
    "echo a.c:1: runtime error: null >&2": "a sanitizer reports",
    "echo dataview: x.idv: corrupt >&2; exit 1": None,
}


def selftest():
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "file")
        path.write_bytes(bytes(range(200)))
        changing = Changing([path], random.Random(1))
        for script, want in SCRIPTS.items():
            got = what_is_wrong(*run_changed(["sh", "-c", script], folder, changing))
            wrong += [f"{script}: {got}"] if got != want else []
        seen = set()
        for _ in range(200):
            changing.change_one()
            seen.add(path.read_bytes())
        if len(seen) < 50 or bytes(range(200)) not in seen or {len(data) for data in seen} != {200}:
            wrong.append(f"the file had {len(seen)} contents")
    print(f"{len(wrong)} of {len(SCRIPTS) + 1} checks are wrong", *wrong, sep="\n")
    return bool(wrong)


def main():
    if sys.argv[1:] == ["--selftest"]:
        return selftest()
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("uses_program")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    return storm(str(pathlib.Path(asked.program).resolve()), str(pathlib.Path(asked.uses_program).resolve()), asked.seconds,
                 asked.seed)


if __name__ == "__main__":
    sys.exit(main())
