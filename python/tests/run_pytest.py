#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""run_pytest.py: runs the tests of this folder, and ends with `N passed, N failed`.

    run_pytest.py --extension _core.abi3.so --command dataview [--sanitizer RUNTIME] [ARGUMENTS OF PYTEST]
    run_pytest.py --python PYTHON [ARGUMENTS OF PYTEST]

The first form runs the package's Python files with an extension that was built elsewhere, in the
Python of build/venv; the second one runs what PYTHON has installed.  What is skipped is named.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys

TESTS = pathlib.Path(__file__).resolve().parent
ROOT = TESTS.parents[1]
PACKAGE = TESTS.parent / "src/libdataview"
SKIPPED = re.compile(r"SKIPPED \[\d+\] (\S+?)(?:\.py)?(?::\d+)?: (.*)")
COUNT = re.compile(r"(\d+) (passed|failed|errors?|skipped)\b")


def python_with_pytest():
    for python in (ROOT / "build/venv/bin/python", sys.executable):
        if pathlib.Path(python).exists() and not subprocess.run(
                [python, "-c", "import pytest"], stderr=subprocess.DEVNULL).returncode:
            return python
    return None


def linked(extension, command):
    """A folder with the package: links to its Python files, the extension and the command."""
    folder = pathlib.Path(extension).resolve().parent / "libdataview"
    (folder / "bin").mkdir(parents=True, exist_ok=True)
    wanted = {path.name: path for path in PACKAGE.iterdir() if path.is_file() and path.suffix != ".so"}
    wanted.update({"_core.abi3.so": pathlib.Path(extension), "bin/dataview": pathlib.Path(command)})
    for link in [*folder.iterdir(), *(folder / "bin").iterdir()]:
        if link.is_symlink():
            link.unlink()
    for name, path in wanted.items():
        (folder / name).symlink_to(path.resolve())
    return folder.parent


def watched(environment, runtime):
    """What a process needs whose extension is instrumented, and which itself is not."""
    return {**environment, "LD_PRELOAD": runtime, "PYTHONMALLOC": "malloc", "DV_SANITIZED": "1",
            # Python keeps memory to its end; the tests of leaks count our objects
            "ASAN_OPTIONS": "detect_leaks=0:quarantine_size_mb=1:allocator_may_return_null=1:handle_segv=1",
            "UBSAN_OPTIONS": "print_stacktrace=1"}


def report(output, status):
    """Say what pytest said, and what was skipped; the last line counts."""
    print(output)
    counts = {"passed": 0, "failed": 0, "error": 0}
    for number, word in COUNT.findall(output.rstrip().rpartition("\n")[2]):
        counts[word.removesuffix("s")] = int(number)
    for where, reason in SKIPPED.findall(output):
        print(f"[SKIP] python::{pathlib.PurePath(where).name}: {reason}")
    failed = counts["failed"] + counts["error"]
    failed = failed or int(status != 0)  # it ended before its last line, or ran nothing
    print(f"{counts['passed']} passed, {failed} failed")
    return int(failed > 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("extension", "command", "sanitizer", "python"):
        parser.add_argument(f"--{name}")
    options, arguments = parser.parse_known_args()
    if not options.extension and not options.python:
        print("[SKIP] python::all: the headers of Python 3.11 or later are missing (python3-dev)")
        return 0
    python = options.python or python_with_pytest()
    if not python:
        print("[SKIP] python::all: pytest is missing (python/tests/requirements.txt)")
        return 0
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    if options.extension:
        environment["PYTHONPATH"] = str(linked(options.extension, options.command))
    if options.sanitizer:
        environment = watched(environment, options.sanitizer)
    done = subprocess.run([python, "-m", "pytest", "-q", "-rfEs", "--tb=short", "-p", "no:cacheprovider",
                           *(arguments or [TESTS])], cwd=TESTS, env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace")
    return report(done.stdout, done.returncode)


if __name__ == "__main__":
    sys.exit(main())
