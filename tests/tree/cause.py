#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""cause.py: why did a step fail?  What matters of its log, short enough for the end of a longer one.

    cause.py LOG
    cause.py --selftest

Says which tests failed and which of their checks, then how the first report begins (of a sanitizer, a fuzz target,
a compiler or Python) and the summary of each.  Of a log that has none of these, the end.
"""
import re
import sys

NAMES, CHECKS, REPORT, SUMMARIES, END = 12, 12, 30, 3, 30  # lines of each, at most
WIDTH = 240

NAME = re.compile(r"--- \S+: |FAILED:? ")  # of summary.py, pytest, ninja
CHECK = re.compile(r"\S+\.[ch]:\d+: .*: |\[----\] .*Assertion Failed|E  +\S|\[FAIL\] ")
BEGIN = re.compile(r"(ERROR|WARNING|FATAL): [A-Za-z]+Sanitizer: |: runtime error: |: does not hold: |ERROR: libFuzzer: |"
                   r": (fatal )?(error|warning): |^Traceback ")
SUMMARY = re.compile(r"SUMMARY: ")
PASSES = re.compile(r"\[(PASS|SKIP|RUN |====)[ \]]|ok ")


def first(lines, most):
    """Of many, the first ones, and how many more there are."""
    return lines if len(lines) <= most else [*lines[:most], f"... and {len(lines) - most} more"]


def cause(lines):
    """The lines of a log that say why, in order."""
    names = [line for line in lines if NAME.match(line)]
    checks = [line for line in lines if CHECK.match(line) and not BEGIN.search(line)]
    begin = next((number for number, line in enumerate(lines) if BEGIN.search(line)), len(lines))
    report = lines[begin:begin + REPORT]
    if not checks and not report:
        return [*first(names, NAMES), *lines[-END:]]
    shown = [line for line in report if not PASSES.match(line)]
    summaries = [line for line in dict.fromkeys(lines) if SUMMARY.match(line) and line not in shown]
    return [*first(names, NAMES), *first(checks, CHECKS), *shown, *first(summaries, SUMMARIES)]


CASES = {  # a log: lines that the answer has, in this order, and one that it has not
    "a test that fails": (
        ["--- test_a: Failed", "[PASS] a::one", "../../tests/a.c:7: x == 1: text", "[FAIL] a::two", "1 passed, 1 failed"],
        ["--- test_a: Failed", "../../tests/a.c:7: x == 1: text", "[FAIL] a::two"], "[PASS] a::one"),
    "a race in a child": (
        ["--- test_b: Failed", "[PASS] b::one", "WARNING: ThreadSanitizer: data race (pid=7)", "  Write of size 8",
         *["    #0 f"] * 50, "SUMMARY: ThreadSanitizer: data race b.c:5 in f", "[PASS] b::two"],
        ["--- test_b: Failed", "WARNING: ThreadSanitizer: data race (pid=7)", "  Write of size 8",
         "SUMMARY: ThreadSanitizer: data race b.c:5 in f"], "[PASS] b::two"),
    "undefined behaviour": (["--- test_c: Failed", "../../src/c.c:3:5: runtime error: null pointer", "SUMMARY: UBSan"],
                            ["--- test_c: Failed", "../../src/c.c:3:5: runtime error: null pointer", "SUMMARY: UBSan"], "ok"),
    "a fuzz target": (["fuzz_d:", "Dictionary: 52 entries", "/d.c:12: does not hold: n > 0", "==7== ERROR: libFuzzer: deadly signal"],
                      ["/d.c:12: does not hold: n > 0", "==7== ERROR: libFuzzer: deadly signal"], "Dictionary: 52 entries"),
    "a build": (["[1/9] Building e.c", "FAILED: e.o", "cc -c e.c", "e.c:1:2: error: no", "dev: asan does not build"],
                ["FAILED: e.o", "e.c:1:2: error: no", "dev: asan does not build"], "[1/9] Building e.c"),
    "Python": (["FAILED test_f.py::g - assert 1 == 2", "E       assert 1 == 2", "passed"],
               ["FAILED test_f.py::g - assert 1 == 2", "E       assert 1 == 2"], "passed"),
    "what is like none": ([f"line {n}" for n in range(100)], ["line 98", "line 99"], "line 50"),
    "very many": ([f"--- test_{n}: Failed" for n in range(99)] + ["a.c:1: x: "] * 99,
                  ["--- test_0: Failed", "... and 87 more", "a.c:1: x: ", "... and 87 more"], "--- test_98: Failed"),
}


def selftest():
    wrong = []
    for name, (lines, wanted, unwanted) in CASES.items():
        found = iter(cause(lines))
        if not all(line in found for line in wanted) or unwanted in cause(lines):
            wrong.append(f"{name}: {cause(lines)}")
    print("\n".join(wrong) if wrong else f"{len(CASES)} logs, the cause is found in each")
    return bool(wrong)


def main():
    if sys.argv[1:] == ["--selftest"]:
        return selftest()
    with open(sys.argv[1], encoding="utf-8", errors="replace") as log:
        print("\n".join(line[:WIDTH] for line in cause(log.read().splitlines())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
