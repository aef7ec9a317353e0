#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""coverage.py: lists the lines that the tests ran.   coverage.py BUILD_DIR [PATH]

Prints the share of executed lines per folder of the library; with a path, per file below it, with
the lines that no test reached.
"""
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def gcov(build):
    """Yields what gcov says of each object, also of those that never ran."""
    for notes in sorted(build.rglob("*.gcno")):
        said = subprocess.run(["gcov", "--json-format", "--stdout", notes], check=True, cwd=build,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
        for line in said.splitlines():
            yield from json.loads(line)["files"]


def executed(build):
    """{source: {line: count}} of the library's own files; a header's lines are summed."""
    lines = {}
    for file in gcov(build):
        source = (build / file["file"]).resolve()
        if not (source.is_relative_to(ROOT) and source.exists()):
            continue
        name = source.relative_to(ROOT).as_posix()
        if not name.startswith(("src/", "simd/")):
            continue
        counts = lines.setdefault(name, {})
        for line in file["lines"]:
            number = line["line_number"]
            counts[number] = counts.get(number, 0) + line["count"]
    return lines


def row(name, counts):
    ran = sum(count > 0 for count in counts)
    print(f"{100 * ran / len(counts):6.1f} %  {ran:5} of {len(counts):5}  {name}")


def ranges(numbers):
    """[3, 4, 5, 9] as "3-5 9"."""
    runs = []
    for number in sorted(numbers):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return " ".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


def main():
    lines = executed(pathlib.Path(sys.argv[1]).resolve())
    path = sys.argv[2].strip("/") if len(sys.argv) > 2 else ""
    groups = {}
    for name, counts in sorted(lines.items()):
        if counts and (name + "/").startswith(path + "/" if path else ""):
            group = name if path else str(pathlib.PurePosixPath(name).parent)
            groups.setdefault(group, []).append(counts)
    if not groups:
        print(f"no line of {path or 'the library'} was seen by gcov")
        return 1
    for group, members in groups.items():
        row(group, [count for counts in members for count in counts.values()])
        missed = [number for counts in members for number, count in counts.items() if not count]
        if path and missed:
            print(f"          not reached: {ranges(missed)}")
    row(path or "all", [c for members in groups.values() for m in members for c in m.values()])
    return 0


if __name__ == "__main__":
    sys.exit(main())
