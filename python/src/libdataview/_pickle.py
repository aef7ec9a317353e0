# SPDX-License-Identifier: MIT
"""Tables in other processes: a recipe travels, and the table that is made of it must be the same."""

from . import _errors, _recipe
from ._table import Table

MEMORY_MOST = 256 << 20


def _plain(name, args, sources):
    """A step of _recipe.steps, with data in memory as the bytes of an .idv file."""
    if name == "held":
        name, args, _ = args[0].as_bytes()
    return (name, (bytes(args[0]), *args[1:]) if name == "open_bytes" else args, sources)


def reduce(table):
    view = table._view
    try:
        identity = view.identity()
    except _errors.Error as error:
        raise TypeError(f"this table cannot go to another process: {error}; write it to a file with "
                        "dv.write, and open that there") from error
    travels = _recipe.travels(table._recipe)
    return rebuild, ([_plain(*step) for step in _recipe.steps(table._recipe)], identity if travels else None)


def rebuild(steps, identity):
    """Make a table of steps.  Its identity must equal the identity in the process that pickled it."""
    made = []
    for name, args, n in steps:
        sources = made[len(made) - n:]
        del made[len(made) - n:]
        if not _recipe.is_known(name, args, n):
            raise _errors.ArgumentError(
                f"this table was pickled by another version of libdataview, whose step {name!r} this one does not "
                "have: make the table again, with dv.open and filter, and pickle it again; or save its rows with "
                "dv.write in that version")
        made.append(Table._of((name, args, tuple(source._recipe for source in sources)), None, sources))
    table, = made
    if identity is not None:
        found = table.identity()
        if found != identity:
            raise _errors.ArgumentError(
                "the files of this table are not those that it was pickled with (identity "
                f"{found:032x}, expected {identity:032x}): open them anew",
                expected=f"{identity:032x}", found=f"{found:032x}")
    return table
