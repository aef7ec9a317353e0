#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""stems.py: checks that every stem is in one folder only, and that no file is too long to read.

A stem is a .c with its .h.  Only a public header shares one with its source.  No file passes 600
lines; tables and generated files are exempt and end in _tbl.h.
"""
import pathlib
import sys

FOLDERS = ["include", "src", "simd", "tests", "fuzz", "bench", "examples", "python"]
ENDINGS = {".c", ".h", ".cc", ".py"}
LINES = 600


def sources(root):
    for folder in FOLDERS:
        for file in sorted((root / folder).rglob("*")):
            if file.suffix in ENDINGS:
                yield file


def shared_stems(root):
    homes = {}
    for file in sources(root):
        folder = file.relative_to(root).parent.as_posix()
        if folder != "include/dataview" and not file.stem.startswith("__"):
            homes.setdefault(file.stem, set()).add(folder)
    for stem, folders in sorted(homes.items()):
        if len(folders) > 1:
            yield f"{stem}: in {' and in '.join(sorted(folders))}"


def long_files(root):
    for file in sources(root):
        lines = file.read_text(encoding="utf-8").count("\n")
        if lines > LINES and not file.name.endswith("_tbl.h"):
            yield f"{file.relative_to(root)}: {lines} lines, of {LINES}"


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    complaints = [*shared_stems(root), *long_files(root)]
    print("\n".join(complaints) if complaints else "every stem has one folder, no file is too long")
    return bool(complaints)


if __name__ == "__main__":
    sys.exit(main())
