#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_naive_text.py: checks that naive_text.py reads the golden files correctly.

As text_golden.py asks the command; and of the texts of golden text/parse, where that is, whose
values are those of the page.  Left out there: BESIDE, where golden and ours differ on purpose.
"""
import itertools
import json
import os
import re
import sys

from naive_text import Refused, Table
from naive_values import WHITE, is_nan, value_of
from text_golden import GOLDEN, check_all, options_of

ESCAPES = {"t": "\t", "n": "\n", "r": "\r"}
BESIDE = {
    "-10675199.02:48:05.4775808": "is NA here",
    "0001-01-01T00:00:00+01:00": "a day is added there",
}


def read(folder, case):
    """As the command prints it."""
    before = os.getcwd()
    os.chdir(folder)
    try:
        table = Table(options_of(case), case["files"])
        rows = itertools.chain([table.schema()], table.rows())
        return 0, [json.dumps(row) for row in rows], ""
    except Refused as refused:
        return 1, [], str(refused)
    finally:
        os.chdir(before)


def lines_of(name):
    """The fields of each line; the first one unescaped."""
    path = GOLDEN[-1] / "parse" / name
    for line in path.read_text(encoding="utf-8").split("\n") if path.exists() else []:
        if line:
            text, *rest = line.split("\t")
            yield re.sub(r"\\(u[0-9a-fA-F]{4}|.)", lambda found: ESCAPES.get(found[1]) or (
                chr(int(found[1][1:], 16)) if len(found[1]) > 1 else found[1]), text), *rest


def wrong_reals():
    """Texts that start with white space have no reference."""
    for text, *fields in lines_of("floats.tsv"):
        for kind, bits in zip(("R4", "R8"), fields[4:6]):
            want, got = f"{kind.lower()}:{bits}", value_of((kind,), text)
            if text[:1] not in WHITE and want != got and not (is_nan(want) and is_nan(got)):
                yield f"{text!r}: {got} instead of {want}"


def wrong_times():
    for text, kind, ticks, minutes, _, _, group in lines_of("dates.tsv"):
        want = None if ticks == "NA" else f"{kind.lower()}:{ticks}"
        want = f"{want}:{minutes}" if want and kind == "DZ" else want
        got = value_of((kind,), text)
        if group == "core" and text not in BESIDE and got != want:
            yield f"{text!r}: {got} instead of {want}"


def main():
    complaints = [*wrong_reals(), *wrong_times()]
    print("\n".join(complaints + [f"{len(complaints)} texts wrong"]))
    return check_all({"naive": read}) or bool(complaints)


if __name__ == "__main__":
    sys.exit(main())
