# SPDX-License-Identifier: MIT
"""drawn_manners.py: the manners in which people write tables, each a change of a drawn table.

A manner belongs to a group; of a group a table has one at most.  It raises Unfit if the table
cannot be written so.  The order of groups is that in which they are applied: what columns hold,
how lines are written, which lines are odd, which bytes there are.
"""
from drawn_tables import KINDS

GROUPS = ["separator", "numbers", "dates", "dress", "texts", "header", "quotes", "trailing", "around",
          "odd", "ends", "bytes", "again"]
MANNERS = {}  # name: (group, function)
SHAPES = {}  # those that choose the columns, which come first


class Unfit(Exception):
    pass


def manner(group):
    def add(function):
        MANNERS[function.__name__] = group, function
        return function
    return add


def order_of(name):
    """Where a manner is applied among others."""
    return name not in SHAPES, GROUPS.index(MANNERS[name][0])


def shape(function):
    SHAPES[function.__name__] = function
    return function


def need(is_fit):
    if not is_fit:
        raise Unfit


def fresh(t, kind):
    """A column of the kind; made if there is none."""
    found = [c for c in t.columns if c.kind == kind and not c.is_kept]
    return t.r.choice(found) if found else add(t, f"new_{kind}", kind, KINDS[kind](t.r, t.rows))


def add(t, *column):
    need(not t.is_alone)
    made = t.add(*column)
    made.is_kept = True
    return made


def edit(t, i, change):
    before = t.edits.get(i, str)
    t.edits[i] = lambda line: change(before(line))


def count_odd(t):
    """One odd line more, which the table has to outweigh.  U8 has no NA for such a line: its column is TX."""
    need(not any(c.type == "U8" for c in t.columns))
    t.oddities += 1
    need(t.oddities == 1 or t.rows >= 10 * t.oddities)


def insert(t, i, line):
    t.inserted.setdefault(i, []).append(line)
    t.loose.add(line)
