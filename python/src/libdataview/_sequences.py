# SPDX-License-Identifier: MIT
"""Sequences of a Table for training: rows of similar lengths together."""

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

    def _sequences(self, name, columns, options, progress):
        self._refuse_drawn(name)
        if self._view.block_rows == 0:
            raise _errors.ArgumentError(f"rows of this table ({self.kind}) are reached only in sequence, and {name}() reads "
                                        "them by number: use cache() or materialize() first")
        view = getattr(self._view, name)(columns, options, _progress.of(progress))
        return type(self)._of((name, (columns, options), (self._recipe,)), view, (self,))


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
