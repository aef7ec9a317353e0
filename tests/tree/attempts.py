#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""attempts.py: compares the attempts whose failure decides nothing with their table in docs/security.md.

    attempts.py            fails if a DVI_ATTEMPT of src is not in the table, a row has none, or a place is wrong
    attempts.py --selftest

A place is the file and the function of a DVI_ATTEMPT (src/base/attempt.h).  The test `attempts` has each one fail.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/security.md"
BEGIN, END = "<!-- attempts: tests/tree/attempts.py checks them -->\n", "<!-- end of attempts -->\n"
ROW = re.compile(r"\| `([^`|]+)` \| ([^|]{8,}) \| ([^|]{8,}) \|")
MARK = re.compile(r"DVI_ATTEMPT\(\s*(\"[^\"]*\"|\w+)")
FUNCTION = re.compile(r"^(?!static const)\w[^;={}#]*?\b(\w+)\([^;{}]*\)\n\{", re.M)


def places(text, name):
    """(place, sentence) of each attempt of a file, with None as the sentence if the place is right."""
    functions = [(match.start(), match[1]) for match in FUNCTION.finditer(text)]
    for match in MARK.finditer(text):
        within = [function for at, function in functions if at < match.start()]
        place = match[1].strip('"')
        wanted = f"{name} {within[-1] if within else '?'}"
        is_there = place == wanted or place.startswith(wanted + " ")
        yield place, None if is_there else f"{name}: DVI_ATTEMPT of {place}: expected {wanted}"


def differences(found, page):
    """A sentence for each difference."""
    _, begin, rest = page.partition(BEGIN)
    table, end, _ = rest.partition(END)
    if not begin or not end:
        return [f"{PAGE.name}: the table of attempts is missing"]
    lines = [line for line in table.splitlines() if line.startswith("|")][2:]
    rows = [ROW.fullmatch(line) for line in lines]
    wrong = [f"{PAGE.name}: malformed row: {line}" for line, row in zip(lines, rows) if not row]
    listed, have = [row[1] for row in rows if row], [place for place, _ in found]
    wrong += [sentence for _, sentence in found if sentence]
    wrong += [f"{place}: two attempts have this name" for place in {place for place in have if have.count(place) > 1}]
    wrong += [f"{place}: not in {PAGE.name}: list it with what fails and what happens instead" for place in have
              if place not in listed]
    return wrong + [f"{PAGE.name}: {place}: no such attempt, or listed twice" for place in listed
                    if place not in have or listed.count(place) > 1]


def selftest():
    text = 'static bool f(int a)\n{\n    return DVI_ATTEMPT("a.c f", a) || DVI_ATTEMPT(\n "a.c g", a);\n}\n'
    found = list(places(text, "a.c"))
    page = f"{BEGIN}\n| where | what fails | instead |\n|---|---|---|\n| `a.c f` | {'x' * 9} | {'y' * 9} |\n\n{END}"
    wrong = [] if [place for place, _ in found] == ["a.c f", "a.c g"] else [f"found {found}"]
    if found[0][1] or not found[1][1]:
        wrong.append("a wrong function is not found")
    if differences(found[:1], page) or len(differences(found, page)) != 2 or len(differences([], page)) != 1:
        wrong.append("differences are not found")
    if len(differences(found[:1] * 2, page)) != 1 or not differences([], ""):
        wrong.append("doubles or a missing table are not found")
    print("\n".join(wrong) if wrong else "attempts and their rows are compared")
    return bool(wrong)


def main():
    if sys.argv[1:] == ["--selftest"]:
        return selftest()
    found = [each for path in sorted((ROOT / "src").rglob("*.c"))
             for each in places(path.read_text(encoding="utf-8"), path.name)]
    wrong = differences(found, PAGE.read_text(encoding="utf-8"))
    print("\n".join(wrong) if wrong else f"{len(found)} attempts, and all are listed")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
