#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""unit_tbl.py: what NormalizeText asks about a UTF-16 unit (semantics:7.17), as unit.c wants it.

Prints unit_tbl.h: the kinds of units, each once; pages of 256 units, each once, of the numbers of their kinds; the
number of each page; and the letter without marks of the units from FIRST to LAST.
"""
import textwrap
import unicodedata

FIRST, LAST = 0xC0, 0x4FF
PUNCTUATION, NUMBER, MARK = 1, 2, 4
MARKS = {*range(0x300, 0x370), *range(0x591, 0x5BE), 0x5C1, 0x5C2, 0x5C4, 0x5C5, 0x5C7, *range(0x610, 0x616),
         *range(0x64C, 0x65F), 0x670}


def lower(c):
    one = c.lower()
    return one if len(one) == 1 and c != "\u0130" else c


def upper(c):
    """Title case where upper case has several letters: Unicode's simple mapping."""
    one = c.upper() if len(c.upper()) == 1 else c.title()
    return one if len(one) == 1 and c != "\u0131" else c


def plain(c):
    """The letter that all marks are taken off, where only marks follow it."""
    parts = unicodedata.normalize("NFD", c)
    return parts[0] if ord(c) != 0x385 and all(map(unicodedata.combining, parts[1:])) else c


def kind(unit):
    c = chr(unit)
    category = unicodedata.category(c)
    flags = PUNCTUATION * (category[0] == "P") + NUMBER * (category[0] == "N") + MARK * (unit in MARKS)
    return flags, ord(lower(c)) - unit, ord(upper(c)) - unit


def number(values):
    """Each value once, and the place of each."""
    places = {}
    return [places.setdefault(value, len(places)) for value in values], list(places)


def show(name, values, text="{}".format, kind="uint16_t"):
    body = textwrap.fill(", ".join(map(text, values)), 96, break_on_hyphens=False)
    print(f"static const {kind} {name}[{len(values)}] = {{\n{textwrap.indent(body, '    ')}}};")


def main():
    kinds, kinds_once = number([kind(unit) for unit in range(0x10000)])
    pages, pages_once = number([tuple(kinds[at : at + 256]) for at in range(0, 0x10000, 256)])
    assert len(kinds_once) < 256 and len(pages_once) < 256
    print("/* SPDX-License-Identifier: MIT */")
    print("/* unit_tbl.h: case, category and marks of UTF-16 units.  Made by unit_tbl.py. */")
    print("/* clang-format off */")
    show("kinds", kinds_once, lambda k: "{%d, %d, %d}" % k, "unit_kind")
    show("pages", [k for page in pages_once for k in page], kind="uint8_t")
    show("page_of", pages, kind="uint8_t")
    print(f"#define PLAIN_FIRST 0x{FIRST:X}")
    show("plain", [ord(plain(chr(unit))) for unit in range(FIRST, LAST + 1)])


if __name__ == "__main__":
    main()
