#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""summary.py: sums up the results of the tests.   summary.py TEST_LOG

Reads the log of `ctest -V`, shows what failed in full, names what was skipped, and ends with
`N passed, N failed`: the cases of each test executable, and one for each other ctest.  What was
skipped is counted and named in that line too.
"""
import re
import sys

OUTPUT = re.compile(r"(\d+): ?(.*)")
RESULT = re.compile(r"\s*\d+/\d+ Test\s+#(\d+): (\S+) [ .]*(.*?)\s+[\d.]+ sec")
CRITERION = re.compile(r"\[====\] Synthesis: Tested: \d+ \| Passing: (\d+) \| Failing: (\d+)")
SKIP = re.compile(r"\[SKIP\] (\w+::\w+)")
PLAIN = re.compile(r"(\d+) passed, (\d+) failed$")
CHATTER = re.compile(r"Test command:|Working Directory:|Environment variables:|Test timeout|"
                     r" (DV_\w+|LOCPATH)=|\[RUN |\[PASS\]|\[====\] Running|\[----\] Criterion v")


def read(path):
    """Each ctest's name, verdict and lines, in the order of their ends."""
    lines, results = {}, []
    with open(path, encoding="utf-8", errors="replace") as log:
        for line in log:
            line = line.rstrip("\n")
            if output := OUTPUT.match(line):
                lines.setdefault(output[1], []).append(output[2])
            elif result := RESULT.match(line):
                results.append((result[2], result[3], lines.get(result[1], [])))
    return results


def count(verdict, lines):
    """How many cases of one ctest passed and failed."""
    passed = verdict == "Passed"
    for line in reversed(lines):
        if cases := CRITERION.match(line) or PLAIN.match(line):
            good, bad = int(cases[1]), int(cases[2])
            # A leak or a broken end is a failure too, though every case passed.
            return good, bad if passed else max(bad, 1)
    return int(passed), int(not passed)


def main():
    results = read(sys.argv[1])
    passed = failed = 0
    for name, verdict, lines in results:
        good, bad = count(verdict, lines)
        passed, failed = passed + good, failed + bad
        if bad:
            print(f"--- {name}: {verdict.strip('*').partition(' Regex=')[0]}")
            print("\n".join(line for line in lines if not CHATTER.match(line)))
    if not results:
        print(f"no test ran: see {sys.argv[1]}")
        failed = 1
    skipped = {}
    for _, _, lines in results:
        for line in lines:
            if skip := SKIP.match(line):
                print("skipped: " + line.removeprefix("[SKIP] "))
                skipped[skip[1]] = None
    last = f"{passed} passed, {failed} failed"
    if skipped:
        last += f", {len(skipped)} skipped: {', '.join(skipped)}"
    print(last)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
