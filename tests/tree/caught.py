#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""caught.py: lists what the Python package catches, and holds docs/security.md against it.

    caught.py            fails if an `except` of python/src is not in the table of the page, or a row has none
    caught.py --selftest

A row is one `except`: the file and the function, the exceptions, and why catching them decides nothing.
python/tests/test_faults.py injects a fault at each.  `contextlib.suppress` and a bare `except` are refused.
"""
import ast
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "python/src/libdataview"
PAGE = ROOT / "docs/security.md"
BEGIN, END = "<!-- caught: tests/tree/caught.py checks them -->\n", "<!-- end of caught -->\n"
ROW = re.compile(r"\| `([^`|]+)` \| `([^`|]+)` \| ([^|]{20,}) \|")


def handlers(text, name):
    """(place, exceptions, line) of each `except`; the place is the file and the function."""
    found = []

    def visit(node, scope):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                visit(child, [*scope, child.name])
                continue
            if isinstance(child, ast.ExceptHandler):
                caught = ast.unparse(child.type).strip("()") if child.type else "everything"
                found.append((f"{name} {'.'.join(scope)}".strip(), caught, child.lineno))
            if "suppress" in (getattr(child, "attr", ""), getattr(child, "id", "")):
                found.append((f"{name} {'.'.join(scope)}".strip(), "suppress", child.lineno))
            visit(child, scope)

    visit(ast.parse(text), [])
    return found


def places(package=PACKAGE):
    return [found for path in sorted(package.glob("*.py"))
            for found in handlers(path.read_text(encoding="utf-8"), path.name)]


def rows(page):
    """(place, exceptions) of each row of the table; exits if there is no table or a row is malformed."""
    _, begin, rest = page.partition(BEGIN)
    table, end, _ = rest.partition(END)
    if not begin or not end:
        sys.exit(f"{PAGE.name}: the table of exceptions is missing")
    lines = [line for line in table.splitlines() if line.startswith("|")][2:]
    found = [ROW.fullmatch(line) for line in lines]
    if None in found:
        sys.exit(f"{PAGE.name}: malformed row: {lines[found.index(None)]}")
    return [(match[1], match[2]) for match in found]


def differences(found, listed):
    """A sentence for each difference."""
    lines = {}
    for place, caught, line in found:
        lines[place, caught] = line
    have = collections.Counter((place, caught) for place, caught, _ in found)
    want = collections.Counter(listed)
    wrong = [f"{place}:{lines[place, caught]}: `except {caught}` is not in {PAGE.name}: remove it, or list it with a "
             "reason and a fault in python/tests/test_faults.py" for place, caught in (have - want)]
    wrong += [f"{PAGE.name}: {place} no longer catches {caught}: remove the row" for place, caught in (want - have)]
    return wrong + [f"{place}:{line}: {caught} is caught" for place, caught, line in found
                    if caught in ("everything", "suppress")]


def selftest():
    text = ("try:\n    pass\nexcept ImportError:\n    pass\nclass A:\n    def f(self):\n        try:\n            pass\n"
            "        except (OSError, ValueError) as e:\n            pass\n        except:\n            pass\n"
            "def g():\n    with contextlib.suppress(OSError):\n        pass\n")
    found = handlers(text, "a.py")
    expected = [("a.py", "ImportError"), ("a.py A.f", "OSError, ValueError"), ("a.py A.f", "everything"),
                ("a.py g", "suppress")]
    wrong = [] if [item[:2] for item in found] == expected else [f"found {found}"]
    if len(differences(found, [])) != 6 or differences(found[:2], expected[:2]):
        wrong.append("differences are not found")
    if len(differences([], expected[:2])) != 2 or len(differences(found[:1] * 2, expected[:1])) != 1:
        wrong.append("rows are not counted")
    page = f"{BEGIN}\n| where | caught | why |\n|---|---|---|\n| `a.py A.f` | `OSError` | {'x' * 20} |\n\n{END}"
    if rows(page) != [("a.py A.f", "OSError")]:
        wrong.append("rows are not read")
    print("\n".join(wrong) if wrong else "exceptions that are caught are found")
    return bool(wrong)


def main():
    if sys.argv[1:] == ["--selftest"]:
        return selftest()
    found = places()
    wrong = differences(found, rows(PAGE.read_text(encoding="utf-8")))
    print("\n".join(wrong) if wrong else f"{len(found)} places catch exceptions, and all are listed")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
