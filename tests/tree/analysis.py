#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""analysis.py: runs clang's static analyser on the files that changed since BASE (changed.py).

    analysis.py BUILD_FOLDER [--all]

Analyses the files of src and simd, with --all the unchanged ones too, with the options that each is built
with, which differ between the levels of kernels; BUILD_FOLDER is one of clang's.  It follows each function through so many states
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

from changed import ROOT, changed_files, has_base

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
    if "--all" not in sys.argv:
        if not has_base():
            print("[SKIP] analysis::changed: there is no commit to compare with")
            return 0
        changed = {str(ROOT / name) for name, _, _ in changed_files()}
        ours = [e for e in ours if e["file"] in changed]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        said = [text for text in pool.map(analyse, ours) if text]
    print("".join(said) if said else f"{len(ours)} files, nothing found")
    return bool(said) or not entries


if __name__ == "__main__":
    sys.exit(main())
