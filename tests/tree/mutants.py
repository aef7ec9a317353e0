#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""mutants.py: checks that every check of a reader and writer has a test that fails without it.

    mutants.py [--jobs N] [PART ...]    only checks whose "file.c:line" contains one of the parts

A mutant is the library with one DVI_REQUIRE of those sources taken out (base/check.h), or with one
`if (...) return` of a refusal that is never taken.  Tests of its format run on it one after the
other until one fails, crashes or takes too long: then the check is tested.
Lists the mutants that no test notices; exit status 1 if there are any.
"""
import argparse
import concurrent.futures
import dataclasses
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORK = ROOT / "build" / "mutants"
# What is checked, and by which tests: those that notice most come first.
CHECKED = {
    "src/format/idv/**/*.c": ["test_idv_encode", "test_idv_malformed", "test_idv_limits", "test_idv_bounds",
                              "test_idv_verify", "test_idv_golden"],
    "src/format/datadings/**/*.c": ["test_datadings_malformed", "test_datadings_sets", "test_datadings_save_refused",
                                    "test_datadings_infer", "test_datadings_cursor", "test_datadings_files",
                                    "test_datadings_keyed", "test_datadings_samples", "test_datadings_save",
                                    "test_datadings_facts", "test_cmd_index"],
    "src/codec/nd_*.c": ["test_nd_map"],
    "src/codec/msgpack*.c": ["test_msgpack"],
}
# In these an `if` that leads to such a return is a check as well.
REFUSALS = {
    "src/format/datadings/**/*.c": r"(dvi_)?fail\w*\(",
    "src/codec/nd_*.c": r"(dvi_fail\w*\(|false|NULL)",
    "src/codec/msgpack*.c": r"(dvi_fail\w*\(|false|NULL|DVI_MSGPACK_(KEY|DEEP|TEXT))",
}
TESTS = [test for tests in CHECKED.values() for test in tests]
LEFT_OUT = ["plain", "faults", "saves"]  # of tests/support: another main; what is linked with calls that fail
SECONDS = 60
DATA_KIB = 4 << 20  # a mutant may believe any length
COMPILER = os.environ.get("CC", "gcc")
FLAGS = "-std=c11 -D_GNU_SOURCE -O1 -w -fPIC -pthread -ffp-contract=off".split()
INCLUDES = [f"-I{ROOT / folder}" for folder in ("include", "src", ".", "tests")]

USE = re.compile(r"\bDVI_REQUIRE\w*\(")
LINE = "DVI_MUTANT_LINE_HERE"  # stands in the preprocessed text beside the line of each check


@dataclasses.dataclass
class Mutant:
    source: pathlib.Path
    line: int
    tests: list
    condition: tuple = ()  # of an `if`: from where to where it stands; (): it is a DVI_REQUIRE

    @property
    def place(self):
        return f"{self.source.relative_to(ROOT)}:{self.line}"

    @property
    def text(self):
        return self.source.read_text().splitlines()[self.line - 1].strip()


def run(*command):
    """A command that must succeed; its standard output."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{shlex.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def packages(*arguments):
    return run("pkg-config", *arguments).split()


def compile_object(source, target, *more):
    run(COMPILER, *FLAGS, *INCLUDES, *more, "-c", source, "-o", target)
    return target


def link_library(objects, folder):
    folder.mkdir(parents=True, exist_ok=True)
    libraries = packages("--libs", "libdeflate")
    run(COMPILER, "-shared", *objects, *libraries, "-lm", "-pthread", "-o", folder / "libdataview.so")


def link_program(objects, name):
    libraries = packages("--libs", "criterion", "libdeflate", "libb2", "jansson")
    run(COMPILER, *objects, f"-L{WORK}", "-ldataview", *libraries, "-lm", "-pthread", "-o", WORK / name)


def object_of(source):
    return WORK / "objects" / (str(source.relative_to(ROOT)).replace("/", "_") + ".o")


def build(pool):
    """The library and the programs as they are.  Returns the library's objects by source."""
    shutil.rmtree(WORK, ignore_errors=True)
    (WORK / "objects").mkdir(parents=True)
    pages = WORK / "spec_pages.c"  # as cmake/cli.cmake makes it
    run("cmake", f"-DSPEC={ROOT / 'docs/spec'}", f"-DOUT={pages}", "-P", ROOT / "cmake/spec.cmake")
    command = [*sorted((ROOT / "src/cli").rglob("*.c")), pages]
    left_out = {*command, ROOT / "src/codec/md5_openssl.c"}
    library = [
        *sorted(set((ROOT / "src").rglob("*.c")) - left_out),
        *sorted((ROOT / "simd").glob("*.c")),
        *sorted((ROOT / "simd/scalar").glob("*.c")),
    ]
    support = sorted((ROOT / "tests/support").glob("*.c"))
    support = [path for path in support if path.stem not in LEFT_OUT]
    tests = [next((ROOT / "tests").rglob(f"{name}.c")) for name in TESTS]
    sources = [*library, *command, *support, *tests]
    list(pool.map(lambda source: compile_object(source, object_of(source)), sources))

    link_library(map(object_of, library), WORK)
    link_program(map(object_of, command), "dataview")
    for name, test in zip(TESTS, tests):
        link_program(map(object_of, [test, *support]), name)
    return {source: object_of(source) for source in library}


def find_mutants(source, tests):
    """The line of each check as the compiler counts it: a check may take several lines, and
    compilers differ in which of them is __LINE__."""
    text = run(COMPILER, *FLAGS, *INCLUDES, f"-DDVI_MUTANT_LINE={LINE}", "-E", source)
    lines = [int(line) for line in re.findall(rf"\((\d+) != {LINE}\)", text)]
    uses = len(USE.findall(source.read_text()))
    if len(set(lines)) != uses:
        sys.exit(f"{source}: {uses} checks, but on {len(set(lines))} lines: {lines}")
    return [Mutant(source, line, tests) for line in lines]


def condition_end(text, start):
    """The position after the bracket that closes the one at start."""
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] == "(") - (text[at] == ")")
        if depth == 0:
            return at + 1
    sys.exit(f"an open bracket: {text[start:start + 60]}")


def find_refusals(source, tests, refusal):
    """The conditions of an `if` that returns like that."""
    text = source.read_text()
    for use in re.finditer(r"\bif (?=\()", text):
        end = condition_end(text, use.end())
        if re.match(rf"\s*return {refusal}", text[end:]):
            line = text.count("\n", 0, use.start()) + 1
            yield Mutant(source, line, tests, (use.end(), end))


def compile_mutant(mutant, target):
    if not mutant.condition:
        return compile_object(mutant.source, target, f"-DDVI_MUTANT_LINE={mutant.line}")
    start, end = mutant.condition
    text = mutant.source.read_text()
    changed = target.with_suffix(".c")
    changed.write_text(f"{text[:start]}(0 && {text[start:end]}){text[end:]}")
    compile_object(changed, target)
    changed.unlink()
    return target


def passes(name, folder):
    """Does this test pass with the library in the folder?"""
    environment = {
        "PATH": os.environ["PATH"],
        "LD_LIBRARY_PATH": str(folder),
        "DV_TEST_ROOT": str(ROOT / "tests"),
        "DV_BIN": str(WORK / "dataview"),
    }
    limited = ["sh", "-c", f'ulimit -d {DATA_KIB} && exec "$@"', "sh"]
    with tempfile.TemporaryDirectory(dir=WORK) as place:
        process = subprocess.Popen(
            [*limited, str(WORK / name), "--jobs", "1", "--fail-fast"],
            env={**environment, "TMPDIR": place},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            return process.wait(SECONDS) == 0
        except subprocess.TimeoutExpired:
            return False
        finally:  # the test's own processes too
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()


def try_mutant(mutant, objects):
    """The test that notices the mutant, or None; and how long that took."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory(dir=WORK) as place:
        folder = pathlib.Path(place)
        changed = compile_mutant(mutant, folder / "mutant.o")
        link_library({**objects, mutant.source: changed}.values(), folder)
        (folder / "mutant.o").unlink()
        noticed = next((name for name in mutant.tests if not passes(name, folder)), None)
    return noticed, time.monotonic() - start


def wanted_mutants(parts):
    mutants = []
    for pattern, tests in CHECKED.items():
        before = len(mutants)
        for source in sorted(ROOT.glob(pattern)):
            mutants += find_mutants(source, tests)
            if pattern in REFUSALS:
                mutants += find_refusals(source, tests, REFUSALS[pattern])
        if len(mutants) == before:
            sys.exit(f"{pattern}: no check there: have the files moved?")
    return [m for m in mutants if not parts or any(part in m.place for part in parts)]


def try_all(mutants, objects, pool):
    """Try each mutant, say so; the ones that no test noticed."""
    survivors = []
    results = pool.map(lambda mutant: try_mutant(mutant, objects), mutants)
    for number, (mutant, (noticed, seconds)) in enumerate(zip(mutants, results), 1):
        verdict = f"by {noticed}" if noticed else "by NOBODY"
        progress = f"[{number}/{len(mutants)}] {mutant.place}: noticed {verdict}, {seconds:.1f} s"
        print(progress, file=sys.stderr, flush=True)
        if not noticed:
            survivors.append(mutant)
    return survivors


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("parts", nargs="*", metavar="PART")
    arguments = parser.parse_args()
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        mutants = wanted_mutants(arguments.parts)
        objects = build(pool)
        failing = [name for name in TESTS if not passes(name, WORK)]
        if failing:
            sys.exit(f"these fail without any mutant: {' '.join(failing)}")
        survivors = try_all(mutants, objects, pool)
    for mutant in survivors:
        print(f"{mutant.place}: not noticed: {mutant.text}")
    noticed = len(mutants) - len(survivors)
    print(f"{len(mutants)} mutants, {noticed} noticed, {len(survivors)} not noticed")
    return 1 if survivors or not mutants else 0


if __name__ == "__main__":
    sys.exit(main())
