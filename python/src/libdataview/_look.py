# SPDX-License-Identifier: MIT
"""A bounded look at the first rows of a table, for people.

A look takes SECONDS at most, give or take the time that steps need for a few rows.  Below a filter it reads the first
1,024 rows, then more and more of them.  DATAVIEW_LOOK_MS in the environment sets another
limit."""

import itertools
import os
import time

SECONDS = float(os.environ.get("DATAVIEW_LOOK_MS", 100)) / 1000
FIRST = 1024  # rows that a look at a filter reads first
FEW = 1 << 17  # rows that a look may read, or keep in a cache, to find the first ones in another order
_FILTERS = {"where", "filter_na", "filter_range"}
_ROW_BY_ROW = {"select", "keep", "drop", "combine", "convert", "generate", "compute", "cache", "apply_fitted", "slice_rows"}
_MADE_OF = {"open_files", "open_arrow_files", "held", "take", "exclude", "sample", "concat", "zip_columns", "mix", "epoch",
            "bootstrap", "bucket", "pack"}
_KEPT = ("materialize", "open_bytes", "learned")  # whatever they were made of


class Look:
    """The result: `rows`, lists of values; `read`, the number of rows read to find them; `is_all`, whether these
    are all rows of the table; `has_more`, whether there are more; `is_filtered`."""

    def __init__(self, rows, n, read, is_all, is_filtered):
        self.rows, self.read, self.is_all = rows[:n], read, is_all
        self.has_more, self.is_filtered = len(rows) > n, is_filtered


# --- May it look? ------------------------------------------------------------------------------------------------


def _is_pipe(paths):
    return any(path in ("-", "/dev/stdin") for path in paths) or not all(map(os.path.isfile, paths))


def _has_few(table):
    """Whether even all rows below are few."""
    chain, base = _chain(table)
    return base.num_rows is not None and base.num_rows <= FEW


def can_look(table):
    """Whether a look reads no pipe and nothing over a network, and does not read or keep many rows for the first ones."""
    waiting = [(table, True)]
    while waiting:
        table, is_read_in_order = waiting.pop()
        chain, base = _chain(table)
        name, args, _ = base._recipe
        if not is_read_in_order and any(s._recipe[0] == "cache" or _leaves_rows_out(s) for s in chain) and not _has_few(base):
            return False
        if name in _KEPT:
            continue
        if name not in _MADE_OF or name == "open_files" and _is_pipe(args[0]):
            return False
        if name == "held" and not args[0].options.get("hold", True):
            return False
        if name in ("take", "sample", "epoch") and base._view.block_rows == 0 and args[0] is not None and _jumps(name, args) \
                and not all(map(_has_few, base._sources)):
            return False
        waiting += [(source, name == "bootstrap") for source in base._sources]
    return True


def _jumps(name, args):
    """Whether rows come in any order, so that a source in sequence is read whole."""
    return name in ("take", "sample") or args[0].get("shuffle", "none") in ("uniform", "blocks")


# --- The look ----------------------------------------------------------------------------------------------------


def _leaves_rows_out(table):
    name, args, _ = table._recipe
    return name in _FILTERS or name == "apply_fitted" and bool({"range", "dropna"} & set(args[0].names))


def _chain(table):
    """The operations on top of a table whose first rows need only the first rows below, the last one first, and the
    table below them."""
    chain = []
    while len(table._sources) == 1 and (table._recipe[0] in _ROW_BY_ROW or _leaves_rows_out(table)):
        chain.append(table)
        table, = table._sources
    return chain, table


def _on_top(chain, table):
    for step in reversed(chain):
        name, args, _ = step._recipe
        if name != "cache":  # it has the rows of its source, and a look does not fill it
            table = table._then(name, *args)
    return table


def _read(table, n, columns):
    rows = []
    with table.slice(0, n).batches(columns, threads=1) as cursor:
        for batch in cursor:
            rows += zip(*[batch[name].to_pylist() for name in batch.columns])
    return rows


def look(table, n, columns):
    """A Look at the first n rows, of which one more is read, so that it is known whether there are more."""
    chain, base = _chain(table)
    if any(map(_leaves_rows_out, chain)):
        return _look_at_filtered(chain, base, n, columns)
    rows = _read(_on_top(chain, base), n + 1, columns)
    return Look(rows, n, len(rows), len(rows) <= n, False)


def _most(chain):
    """The most rows that slices above the filters leave."""
    most = float("inf")
    for step in itertools.takewhile(lambda step: not _leaves_rows_out(step), chain):
        if step._recipe[0] == "slice_rows" and step._recipe[1][1] >= 0:
            most = min(most, step._recipe[1][1])
    return most


def _look_at_filtered(chain, base, n, columns):
    until, most, size = time.monotonic() + SECONDS, _most(chain), FIRST
    while True:
        started = time.monotonic()
        first = base.slice(0, size)
        rows = _read(_on_top(chain, first), n + 1, columns)
        read = first.count()
        is_all = len(rows) <= n and (len(rows) == most or read < size)
        now = time.monotonic()
        if is_all or len(rows) > n or now + 4 * (now - started) > until:
            return Look(rows, n, read, is_all, True)
        size *= 4
