#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""analysis.py: runs clang's static analyser on everything that is compiled.

    analysis.py BUILD_FOLDER

Analyses every file of src and simd with the options that it is built with, which differ between the
levels of kernels; BUILD_FOLDER is one of clang's.  It follows each function through so many states
at most, else a few that consist of templates would take most of the time.  Exit status 1 when it
finds anything.
"""
import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ANALYSE = ["--analyze", "--analyzer-output", "text", "-Xclang", "-analyzer-werror",
           "-Xclang", "-analyzer-config", "-Xclang", "max-nodes=40000",
           # a pipe is read by one at a time, the others wait for its bytes
           "-Xclang", "-analyzer-disable-checker", "-Xclang", "unix.BlockInCriticalSection",
           "-UNDEBUG"]  # what is asserted is so


def analyse(entry):
    """What the analyser says about one file; "" when it is content."""
    command = shlex.split(entry["command"])
    at = command.index("-o")
    command[at:at + 2] = ANALYSE
    command.remove("-c")
    done = subprocess.run(command, cwd=entry["directory"], capture_output=True, text=True)
    return done.stdout + done.stderr if done.returncode else ""


def main():
    entries = json.loads(pathlib.Path(sys.argv[1], "compile_commands.json").read_text("utf-8"))
    ours = [e for e in entries
            if pathlib.Path(e["file"]).relative_to(ROOT).parts[0] in ("src", "simd")]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        said = [text for text in pool.map(analyse, ours) if text]
    print("".join(said) if said else f"{len(ours)} files, nothing found")
    return bool(said) or not ours


if __name__ == "__main__":
    sys.exit(main())
