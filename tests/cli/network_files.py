#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that the command reads files on network file systems, and says so.

    network_files.py DATAVIEW network_files.so
"""

import json
import os
import pathlib
import subprocess
import sys

PEOPLE = str(pathlib.Path(__file__).resolve().parents[1] / "golden/idv/people.idv")
LINE = "  io       pread, since its file system is NFS (--io mmap maps it)\n"


def main(program, library):
    def run(*words):
        environment = {**os.environ, "LD_PRELOAD": library, "COLUMNS": "100"}
        done = subprocess.run([program, *words], env=environment, capture_output=True, check=True)
        return done.stdout.decode()

    def facts(*words):
        found = json.loads(run("info", "--json", *words, PEOPLE))
        return found["io"], found["network_file_system"]

    checks = {
        "info says why": LINE in run("info", PEOPLE),
        "info says nothing if asked to map": LINE not in run("info", "--io", "mmap", PEOPLE),
        "auto": facts("--io=auto") == ("pread", "NFS"),
        "default": facts() == ("pread", "NFS"),
        "mmap": facts("--io=mmap") == ("mmap", None),
        "pread": facts("--io=pread") == ("pread", None),
        "rows": run("cat", "--format=exact", PEOPLE) == run("cat", "--format=exact", "--io=mmap", PEOPLE),
    }
    wrong = [name for name, is_right in checks.items() if not is_right]
    print(f"{len(checks)} checks, {len(wrong)} wrong", *wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
