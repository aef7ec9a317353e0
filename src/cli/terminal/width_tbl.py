#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""width_tbl.py: finds the characters that take no column on a terminal, and those that take two.

Prints width_tbl.h, from the Unicode data of the Python that runs it.
"""
import sys
import unicodedata

# Medial and final Hangul letters join the syllable before them.
JOINING_HANGUL = [range(0x1160, 0x1200), range(0xD7B0, 0xD7FC)]
SOFT_HYPHEN = 0xAD  # terminals show it in one column


def is_zero(code):
    if code == SOFT_HYPHEN:
        return False
    joins = any(code in letters for letters in JOINING_HANGUL)
    return joins or unicodedata.category(chr(code)) in ("Mn", "Me", "Cf")


def is_wide(code):
    return not is_zero(code) and unicodedata.east_asian_width(chr(code)) in ("W", "F")


def runs(test):
    """The first and last character of each run that passes the test."""
    first = None
    for code in range(0x80, 0x110001):
        inside = code <= 0x10FFFF and test(code)
        if inside and first is None:
            first = code
        elif not inside and first is not None:
            yield first, code - 1
            first = None


def table(name, test):
    lines = [f"static const char_run {name}[] = {{"]
    row = "   "
    for first, last in runs(test):
        item = f" {{0x{first:X}, 0x{last:X}}},"
        if len(row) + len(item) > 100:
            lines.append(row)
            row = "   "
        row += item
    return "\n".join([*lines, row, "};"])


def main():
    print("/* SPDX-License-Identifier: MIT */")
    print("/* width_tbl.h: the characters that take no column and those that take two, made by width_tbl.py from")
    print(f" * Unicode {unicodedata.unidata_version}. */")
    print("/* clang-format off */")
    print(table("zero_runs", is_zero))
    print(table("wide_runs", is_wide))


if __name__ == "__main__":
    sys.exit(main())
