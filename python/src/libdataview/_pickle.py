# SPDX-License-Identifier: MIT
"""Tables in other processes: a recipe travels, and the table that is made of it must be the same."""

from . import _errors, _recipe
from ._table import Table

MEMORY_MOST = 256 << 20


def _plain(recipe, table):
    """The recipe, with data in memory as the bytes of an .idv file."""
    name, args, sources = recipe
    if name == "open_bytes":
        return (name, (bytes(args[0]), *args[1:]), ())
    if name == "held":
        return args[0].as_bytes()
    return (name, args, tuple(_plain(s, t) for s, t in zip(sources, table._sources)))


def reduce(table):
    view = table._view
    try:
        identity = view.identity()
    except _errors.Error as error:
        raise TypeError(f"this table cannot go to another process: {error}; write it to a file with "
                        "dv.write, and open that there") from error
    travels = _recipe.travels(table._recipe)
    return rebuild, (_plain(table._recipe, table), identity if travels else None)


def rebuild(recipe, identity):
    """Make a table of a recipe; its bytes must be those of the process that it comes from."""
    sources = [rebuild(source, None) for source in recipe[2]]
    table = Table._of(recipe, None, sources)
    if identity is not None:
        found = table.identity()
        if found != identity:
            raise _errors.ArgumentError(
                "the files of this table are not those that it was pickled with (identity "
                f"{found:032x}, expected {identity:032x}): open them anew",
                expected=f"{identity:032x}", found=f"{found:032x}")
    return table
