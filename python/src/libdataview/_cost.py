# SPDX-License-Identifier: MIT
"""The cost of an epoch over remote files, computed before a row is read (docs/remote.md)."""

from . import _recipe

# Options of source.h that are not given.
_DEFAULTS = {"cache_nbytes": 64 << 20, "request_nbytes": 4 << 20, "least_nbytes": 1 << 16,
             "disk_cache_nbytes": 16 << 30}
_DISK_BLOCK = 1 << 20        # io/disk_block.h
_PIECE = 1 << 10             # requests begin and end at multiples of it
_DECODED_NBYTES = 64 << 20   # more blocks are not kept in memory in a uniform order (gather/row_gatherer.c),
_WINDOWS = 64, 1024, 8192    # but rows are read in windows: the first ones, and the largest (gather/gather_blocks.c)
_WINDOW_ROWS, _WINDOW_NBYTES = 65536, 64 << 20
_FEW_TIMES = 1.5  # are not worth a warning
_LEAVING_COLUMNS = {"open_remote", "select", "keep", "drop", "concat", "slice_rows"}  # unchanged


def of_epoch(table, columns, shuffle, rows, by_blocks=False):
    """The cost of an epoch of one rank, as Feed.cost; None: its rows are not remote.

    rows: of the rank; None: unknown.  by_blocks: ranks share no blocks."""
    how = _how(table)
    if not how:
        return None
    facts = table._view.facts(True)
    if facts["file_nbytes"] < 0 or rows is None:
        return {"rows": rows, "nbytes": None, "requests": None, "later_nbytes": None}
    once, nbytes, requests = _without_disk(table, columns, shuffle, rows, by_blocks, how, facts)
    later = 0 if once <= min(h["cache_nbytes"] for h in how) else nbytes  # 0: all of it stays in memory
    if _is_on_disk(how, facts):
        nbytes, later = min(once + _blocks(columns, facts) * _DISK_BLOCK, facts["file_nbytes"]), 0
        requests = min(requests, -(-nbytes // _DISK_BLOCK))
    requests = max(requests, nbytes / max(h["request_nbytes"] for h in how), 1)
    return {"rows": rows, "nbytes": round(nbytes), "requests": round(requests), "later_nbytes": round(later)}


def warning(table, columns, shuffle):
    """A sentence, if an epoch reads bytes of remote files several times; None: it does not."""
    how, rows = _how(table), table.num_rows
    if not how or shuffle != "uniform":
        return None
    facts = table._view.facts(True)
    if facts["file_nbytes"] < 0 or rows is None:
        return "shuffle='uniform' reads blocks of remote files again and again; shuffle='pool' (or True) fetches them " \
               "about once"
    once, nbytes, _ = _without_disk(table, columns, shuffle, rows, False, how, facts)
    if nbytes < _FEW_TIMES * once:
        return None
    sentence = f"shuffle='uniform' reads {shown(once)} of remote files about {nbytes / once:,.0f} times in an epoch"
    if _is_on_disk(how, facts):
        return f"{sentence}; their blocks are kept on disk after they are first fetched, so they are fetched about once"
    return f"{sentence}, {shown(nbytes)}; shuffle='pool' (or True) fetches them about once, disk_cache= keeps on " \
           "disk what was fetched, t.cache(\"rows.idv\") keeps the rows here"


def _how(table):
    return [{**_DEFAULTS, **args[2]} for _, args, _ in _recipe.elsewhere(table._recipe)]


def _blocks(columns, facts):
    return max(facts["blocks_per_column"], 1) * len(columns)


def _without_disk(table, columns, shuffle, rows, by_blocks, how, facts):
    """Bytes of the columns, and what an epoch fetches: bytes, requests."""
    once, blocks = _stored_nbytes(table, columns, facts), _blocks(columns, facts)
    times = rows / table.num_rows if by_blocks and table.num_rows else 1
    requests = blocks * times
    if shuffle == "uniform" and table._view.block_rows == 1:  # rows are fetched alone; datadings has their exact places
        least = _PIECE if facts["format"] == "datadings" else max(h["least_nbytes"] for h in how)
        nbytes, requests = once * rows / max(table.num_rows, 1) + rows * least, rows
    elif shuffle == "uniform":
        times = _passes(once, rows, facts)
        nbytes, requests = once * times, blocks * times
    else:
        nbytes = once * times
    if once <= min(h["cache_nbytes"] for h in how):
        nbytes = min(nbytes, once)
    return once, nbytes, requests


def _is_on_disk(how, facts):
    """Whether disk caches hold the whole table."""
    return all(h.get("disk_cache") and facts["file_nbytes"] <= h["disk_cache_nbytes"] for h in how) \
        and not facts["source"]["disk_note"]


def _stored_nbytes(table, columns, facts):
    """The bytes of these columns in the file, at most."""
    if facts["format"] != "idv" or not all(name in _LEAVING_COLUMNS for name, _, _ in _recipe.steps(table._recipe)):
        return facts["file_nbytes"]
    widths = [_width(table.schema[name].type) for name in columns]
    return min(facts["file_nbytes"], table.num_rows * sum(widths)) if all(widths) else facts["file_nbytes"]


def _width(kind):
    """The bytes of a value, with what describes a vector; 0: they vary."""
    return 0 if kind.kind in ("TX", "BY") else kind.size * kind.width + 8 * kind.is_vector


def _passes(nbytes, rows, facts):
    """How often a uniform order reads all blocks."""
    if nbytes <= _DECODED_NBYTES or not rows:
        return 1
    blocks, found, left = max(facts["blocks_per_column"], 1), 0.0, rows
    largest = max(min(_WINDOW_ROWS, _WINDOW_NBYTES * rows // nbytes), 1)
    for window in _WINDOWS:
        window = min(window, largest, left)
        found, left = found + min(window / blocks, 1), left - window
    return max(found + left / largest * min(largest / blocks, 1), 1)


def shown(nbytes):
    """12.3 MB"""
    return f"{nbytes / 1e9:,.1f} GB" if nbytes >= 1e9 else f"{nbytes / 1e6:,.1f} MB"
