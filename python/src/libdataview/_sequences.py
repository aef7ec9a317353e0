# SPDX-License-Identifier: MIT
"""Sequences of a Table for training: rows of similar lengths together, and packs of documents."""

import operator

from . import _errors, _progress
from ._column import names_of


class Sequences:
    __slots__ = ()

    def bucket(self, column, batch_rows=64, *, pool_rows=None, shuffle=True, seed=0, progress=None):
        """All rows in an order in which every batch_rows rows have similar lengths, so that little of a batch is
        padding: `t.bucket("tokens", 64).feed(..., batch_rows=64)` (docs/shuffling.md).

        column: its lengths count: slots of vectors, bytes of text, or the values of a column of integers.  With 4
        ranks, batch_rows is 4 times the feed's: all ranks then have similar lengths in the same step.
        pool_rows: rows that are sorted together; None: 100 times batch_rows.  shuffle: True ("uniform"): each epoch of a
        feed draws the pools from all rows; "pool": pools are rows that follow each other, so that a compressed
        file is read block by block; False: nothing is random.  Leave `shuffle` of the feed alone.

        >>> import libdataview as dv
        >>> t = dv.from_numpy({"length": [5, 1, 4, 2, 3, 9]})
        >>> t.bucket("length", 2, shuffle=False)["length"].to_list()
        [1, 2, 3, 4, 5, 9]
        """
        number, = self._columns(names_of(column, self.schema)[:1])
        options = {"batch_rows": _positive("batch_rows", batch_rows), "shuffle": _shuffle_of(shuffle),
                   "seed": operator.index(seed)}
        if pool_rows is not None:
            options["pool_rows"] = _positive("pool_rows", pool_rows)
        made = self._sequences("bucket", number, options, progress)
        made._schema_ = self.schema
        return made

    def pack(self, columns, tokens=2048, *, how="whole", too_long="refuse", last="keep", window=1024, shuffle=False,
             seed=0, progress=None):
        """A table whose rows are packs: documents, which are rows of this table, end to end, at most `tokens` items
        in each (docs/shuffling.md).

        columns        of vectors: one, or several of equal length, such as ids, labels and a loss mask
        how            'whole': documents stay whole, and packs are filled by first fit, longest first; 'stream':
                       documents follow each other, and are cut after every `tokens` items
        too_long       with 'whole', a document of more than `tokens` items: 'refuse', 'drop', 'cut' (to its first
                       items), or 'split' (into pieces)
        last           with 'stream', the last pack if it is not full: 'keep' or 'drop'
        window         with 'whole', documents are packed together until they would fill this many packs
        shuffle, seed  shuffle documents before they are packed; the packs of all epochs are the same, and a feed with
                       `shuffle` shuffles them

        The table has these columns, and `cu_seqlens` (0, then where each document ends), `position_ids` (0, 1, ... in
        each document), and `rows` (the row that each document has in this table).  Where a pack begins within a
        document, positions begin at 0 too.  Documents without items are in no pack; `facts` warns of them, and of
        documents that are dropped, cut or split.

        >>> import libdataview as dv
        >>> import numpy as np
        >>> t = dv.from_numpy({"ids": np.arange(6).reshape(3, 2)})
        >>> packs = t.pack("ids", tokens=4)
        >>> packs["ids"].to_list(), packs["cu_seqlens"].to_list()
        ([[0, 1, 2, 3], [4, 5]], [[0, 2, 4], [0, 2]])
        """
        names = names_of(columns, self.schema)
        if last not in ("keep", "drop"):
            raise ValueError(f"last={last!r}: expected 'keep' or 'drop'")
        if how == "whole" and last == "drop":
            raise ValueError("last='drop' is for how='stream': packs of whole documents are not full")
        if how == "stream" and too_long != "refuse":
            raise ValueError(f"too_long={too_long!r} is for how='whole': in a stream no document is too long")
        options = {"tokens": _positive("tokens", tokens), "how": how, "too_long": too_long, "drop_last": last == "drop",
                   "window": _positive("window", window), "shuffle": bool(shuffle), "seed": operator.index(seed)}
        return self._sequences("pack", self._columns(names), options, progress)

    def _sequences(self, name, columns, options, progress):
        self._refuse_drawn(name)
        if self._view.block_rows == 0:
            raise _errors.ArgumentError(f"rows of this table ({self.kind}) are reached only in sequence, and {name}() reads "
                                        "them by number: use cache() or materialize() first")
        from ._table import Table

        view = getattr(self._view, name)(columns, options, _progress.of(progress))
        return Table._of((name, (columns, options), (self._recipe,)), view, (self,))


def _positive(name, value):
    number = operator.index(value)
    if number < 1:
        raise ValueError(f"{name}={value}: expected 1 or more")
    return number


def _shuffle_of(shuffle):
    if isinstance(shuffle, bool):
        return "uniform" if shuffle else "none"
    if shuffle not in ("none", "uniform", "pool"):
        raise ValueError(f"shuffle={shuffle!r}: expected True, False, 'uniform' or 'pool'")
    return shuffle
