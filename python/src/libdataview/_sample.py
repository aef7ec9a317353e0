# SPDX-License-Identifier: MIT
"""Which rows of a Table: samples, rows left out, shares and folds."""

import collections.abc
import numbers
import operator

from . import _counts, _errors, _expr
from ._column import names_of

_VALUES = 2_000  # in one condition


class Samples:
    __slots__ = ()

    # --- Drawn -----------------------------------------------------------------------------------

    def sample(self, n=None, seed=0, *, weights=None, replace=False, epoch=None):
        """n rows at random, the same on every machine (docs/shuffling.md).

        `t.sample(100)`: each row at most once, in their order; the same rows in every epoch.

        With weights= or replace=True rows come in the order in which they are drawn, and each epoch of a feed
        draws anew; elsewhere, and with epoch=0, they are the rows of epoch 0.  weights: a column of numbers, or
        one number for each row, in any unit; rows of weight 0 never come.  replace: rows may come more than
        once.  n: None: with replace as many as the table has, else all that can come."""
        is_subset = weights is None and not replace
        if is_subset and n is None:
            raise TypeError("sample() takes the number of rows, as in t.sample(100); t.shuffle() has all of them in "
                            "another order")
        options = {"in_order": True} if is_subset else {}
        column = self._weight_column(weights)
        if column is not None:
            options["weight_column"] = column
        array = None if weights is None or column is not None else self._weights(weights)
        return self._drawn(n, seed, 0 if is_subset and epoch is None else epoch, replace, options, array)

    def balance(self, column, n=None, seed=0, *, replace=True, epoch=None):
        """n rows at random, in which each value of a column comes equally often: `t.balance("label")`.

        A value is drawn, then one of its rows; each epoch of a feed draws anew; elsewhere, and with epoch=0,
        they are the rows of epoch 0.  replace=False: each row at most once, and each value exactly as often as
        the rarest one, so that rows of the others are left out.  n: None: with replace as many as the table has,
        else all that can come.  NA is a value: t.dropna("label") first leaves it out."""
        number, = self._columns([self._scalar(column, "balance")])
        return self._drawn(n, seed, epoch, replace, {"class_column": number}, None)

    def _drawn(self, n, seed, epoch, replace, options, weights):
        rows = -1 if n is None else operator.index(n)
        if n is not None and rows < 0:
            raise ValueError(f"n={n}: expected at least 0 rows")
        if epoch is not None and operator.index(epoch) < 0:
            raise ValueError(f"epoch={epoch}: expected a number from 0 on")
        if self._view.block_rows == 0 and "in_order" not in options:
            raise _errors.ArgumentError(f"rows of this table ({self.kind}) are reached only in sequence, so that each row "
                                        "drawn would read those before it: use cache() or materialize() first")
        return self._rows("sample", {"rows": rows, "seed": seed, "epoch": -1 if epoch is None else operator.index(epoch),
                                     "replace": bool(replace), **options}, weights)

    def _weight_column(self, weights):
        """The number of the column that has the weights; None: an array has them."""
        if not isinstance(weights, (str, _expr.Comparable)):
            return None
        return self._columns([self._scalar(weights, "sample")])[0]

    @staticmethod
    def _weights(weights):
        import numpy as np

        found = np.asarray(weights)
        if found.ndim != 1 or found.dtype.kind not in "iufb":
            raise TypeError("weights are the name of a column, or one number for each row in a list or an array, "
                            f"not {weights!r:.80}")
        return np.array(found, np.float64)  # a copy: the table keeps it

    # --- Left out --------------------------------------------------------------------------------

    def exclude(self, rows):
        """The table without some rows: without those with these numbers, of which -1 is the last one, or
        without those in which a column has one of some values.

        >>> import libdataview as dv
        >>> t = dv.from_numpy({"a": [10, 20, 30, 40]})
        >>> t.exclude([0, -1])["a"].to_list(), t.exclude({"a": [20]})["a"].to_list()
        ([20, 30], [10, 30, 40])
        """
        self._refuse_drawn("exclude rows of")
        found = self._numbers_of(rows) if isinstance(rows, collections.abc.Mapping) else rows
        return self._rows("exclude", _counts.chosen(self, found))

    def _numbers_of(self, values):
        """The numbers of the rows in which a column has one of its values."""
        import numpy as np

        name = "row"
        while name in self.schema:
            name += "_"
        numbered, found = self.with_row_number(name), [np.empty(0, np.int64)]
        for column, wanted in values.items():
            column, = names_of(column, self.schema)
            if isinstance(wanted, (str, bytes)) or not hasattr(wanted, "__iter__"):
                raise TypeError(f"exclude() takes a list of values of column {column!r}, not {wanted!r:.80}")
            wanted = list(wanted)
            for first in range(0, len(wanted), _VALUES):
                some = numbered.filter(_expr.col(column).isin(wanted[first:first + _VALUES]))
                found.append(some[name].to_numpy())
        return np.concatenate(found)

    def _refuse_drawn(self, verb):
        """Rows that an epoch draws anew have no numbers that stay."""
        if _draws_anew(self._recipe):
            raise _errors.ArgumentError(f"each epoch draws other rows of this table: {verb} the table before sample() "
                                        "or balance(), or draw with epoch=0, which keeps the rows of epoch 0")

    # --- Shares ----------------------------------------------------------------------------------

    def split(self, *fractions, shuffle=False, seed=0, stratify=None, group=None):
        """Tables of shares of the rows: train, test = t.split(0.8, 0.2, shuffle=True, seed=1).

        stratify: a column whose values all shares have alike.  group: a column each of whose values
        has all its rows in one share, drawn by seed; the shares are as near as that allows."""
        import numpy as np

        if len(fractions) == 1 and isinstance(fractions[0], (list, tuple)):
            raise TypeError("split() takes the fractions one by one: t.split(0.8, 0.2)")
        if not all(isinstance(f, numbers.Real) for f in fractions):
            raise TypeError(f"split() takes fractions, which are numbers: t.split(0.8, 0.2), not {fractions}")
        total = sum(fractions)
        if not fractions or min(fractions) <= 0 or not 0.999 < total < 1.001:
            raise ValueError("the fractions must be positive and add up to 1, as in t.split(0.8, 0.2), "
                             f"not {fractions}")
        if group is not None and stratify is not None:
            raise ValueError("group and stratify exclude each other")
        self._refuse_drawn("split")
        order = np.arange(self.count())
        rng = np.random.default_rng(seed)
        if group is not None:
            return tuple(self.take(rng.permutation(part) if shuffle else part)
                         for part in self._groups(np.round(np.array(fractions) * 1e9), group, seed))
        if stratify is not None:
            name = self._scalar(stratify, "stratify")
            groups = {}
            for row, value in enumerate(self[name]):
                groups.setdefault(value if value == value else None, []).append(row)
            groups = [np.array(rows) for rows in groups.values()]
        else:
            groups = [order]
        shares = [[] for _ in fractions]
        for rows in groups:
            if shuffle:
                rng.shuffle(rows)
            ends = np.round(np.cumsum(fractions) / total * len(rows)).astype(int)
            for share, part in zip(shares, np.split(rows, ends[:-1])):
                share.append(part)
        parts = [np.concatenate(share) for share in shares]
        if stratify is not None:
            for part in parts:
                rng.shuffle(part) if shuffle else part.sort()
        return tuple(self.take(part) for part in parts)

    def _scalar(self, column, verb):
        name = names_of(column, self.schema)[0]
        if self.schema[name].type.is_vector:
            raise TypeError(f"column {name!r} has vectors: {verb} by a column of single values")
        return name

    def _groups(self, shares, group, seed):
        """The row numbers of each share."""
        column, = self._columns([self._scalar(group, "group")])
        return _parts(*self._view.groups(self.count(), column, shares.astype("int64"), seed))

    def folds(self, k, *, shuffle=False, seed=0, stratify=None, group=None):
        """k pairs of tables for cross-validation: `for train, valid in t.folds(5, shuffle=True): ...`.

        Each row is in one of the k `valid`, whose sizes differ by one at most; `train` has the other rows.  Rows
        stay in their order.  shuffle: folds are drawn, by seed, instead of runs of rows.  stratify: a column
        whose values all folds have alike.  group: a column each of whose values has all its rows in one
        fold, drawn by seed; the sizes are as near as that allows.

        >>> import libdataview as dv
        >>> t = dv.from_numpy({"a": [10, 20, 30, 40, 50]})
        >>> [(train["a"].to_list(), valid["a"].to_list()) for train, valid in t.folds(2)]
        [([40, 50], [10, 20, 30]), ([10, 20, 30], [40, 50])]
        """
        import numpy as np

        k, rows = operator.index(k), self.count()
        if not 2 <= k <= rows:
            raise ValueError(f"{k} folds of {rows} rows: expected 2 or more, each with a row")
        if group is not None and (stratify is not None or shuffle):
            raise ValueError("group draws the folds itself: leave out stratify and shuffle")
        self._refuse_drawn("take folds of")
        if group is not None:
            parts = self._groups(np.ones(k), group, seed)
            if not all(map(len, parts)):
                name, values = names_of(group, self.schema)[0], sum(len(part) > 0 for part in parts)
                raise ValueError(f"column {name!r} has {values} values, too few for {k} folds")
        else:
            column = -1 if stratify is None else self._columns([self._scalar(stratify, "stratify")])[0]
            parts = _parts(*self._view.folds(rows, column, k, shuffle, seed))
        return [(self.exclude(part), self.take(part)) for part in parts]


def _parts(rows, counts):
    """Row numbers, and how many each part has, as one array for each."""
    import numpy as np

    return np.split(np.frombuffer(rows, np.int64), np.cumsum(np.frombuffer(counts, np.int64))[:-1])


def _draws_anew(recipe):
    """Whether rows of the table differ from epoch to epoch; rows in memory or in a cache stay."""
    waiting = [recipe]
    while waiting:
        name, args, sources = waiting.pop()
        if name == "sample" and args[0]["epoch"] < 0:
            return True
        if name not in ("cache", "materialize"):
            waiting += sources
    return False
