# SPDX-License-Identifier: MIT
"""Rows of varying length in the batches of a feed: padded, cut, or end to end."""

import operator
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

from . import _errors, _matrices

_SIDES, _CUTS = ("right", "left"), ("refuse", "end", "start")


class Ragged(NamedTuple):
    """Rows end to end, as pad="nested" delivers them: row i is values[offsets[i]:offsets[i + 1]].

    >>> import libdataview as dv
    >>> rows = dv.Ragged(values=[1, 2, 3], offsets=[0, 2, 2, 3])
    >>> rows.values[rows.offsets[2]:rows.offsets[3]]
    [3]
    """

    values: Any
    offsets: Any


@dataclass(frozen=True)
class Pad:
    """How rows of varying length become a matrix: the option `pad` of feeds.

    to: "longest", each batch is as wide as its longest row; or a number of slots.  multiple: round the width of each
    batch up to a multiple of it.  most: no batch is wider.  side: "right" or "left", where shorter rows are filled.
    value: what with.  cut: what happens to rows longer than `most` or the number of slots: "refuse", "end" (their end
    is left out) or "start".  mask: also deliver the matrix NAME_mask of Booleans, True where a row has an item.
    lengths: also deliver NAME_lengths, the items of each row that are in the matrix, as int64.

    >>> import libdataview as dv
    >>> dv.Pad(multiple=8, most=512, cut="end").most
    512
    """

    to: str | int = "longest"
    multiple: int = 1
    most: int | None = None
    side: str = "right"
    value: float = 0
    cut: str = "refuse"
    mask: bool = False
    lengths: bool = False

    def __post_init__(self):
        is_number = self.to not in ("longest", "nested")
        if is_number and not _is_count(self.to):
            raise ValueError(f"to={self.to!r}: expected 'longest', 'nested' or a number of slots, at least 1")
        for name, value in (("multiple", self.multiple), ("most", self.most)):
            if not _is_count(value) and not (name == "most" and value is None):
                raise ValueError(f"{name}={value!r}: expected a number, at least 1")
        for name, value, choices in (("side", self.side, _SIDES), ("cut", self.cut, _CUTS)):
            if value not in choices:
                raise ValueError(f"{name}={value!r}: expected {' or '.join(map(repr, choices))}")
        if isinstance(self.value, bool) or not isinstance(self.value, (int, float)):
            raise ValueError(f"value={self.value!r}: expected a number")
        self._check_together(is_number)

    def _check_together(self, is_number):
        if self.to == "nested" and any(getattr(self, f.name) != f.default for f in fields(self)[1:]):
            raise ValueError("to='nested' fills and cuts nothing: leave the other options out")
        if is_number and (self.multiple != 1 or self.most is not None):
            raise ValueError(f"to={self.to!r} is the width of every batch: multiple= and most= belong to to='longest'")
        if self.most is not None and self.most % self.multiple:
            raise ValueError(f"most={self.most} is not a multiple of multiple={self.multiple}")
        if self.cut != "refuse" and self.limit is None:
            raise ValueError(f"cut={self.cut!r} needs most=, or a number as to=")

    @property
    def limit(self):
        """The most slots of a row; None: any number."""
        return self.most if isinstance(self.to, str) else operator.index(self.to)


def _is_count(value):
    return not isinstance(value, bool) and hasattr(value, "__index__") and operator.index(value) >= 1


def _pad_of(value):
    if isinstance(value, Pad):
        return value
    if value in ("longest", "nested") or _is_count(value):
        return Pad(value)
    raise ValueError(f"pad={value!r}: expected 'longest', 'nested', a number of slots or dv.Pad(...)")


def _value_of(pad, letter, name):
    """The value as the library takes it."""
    value, is_real = pad.value, letter in _matrices.REALS
    bits = 8 * _matrices.NBYTES[letter]
    least, most = (-(1 << bits - 1), (1 << bits - 1) - 1) if letter.islower() else (0, (1 << bits) - 1)
    if letter != "?" and not is_real and (value != value // 1 or not least <= value <= most or float(value) != value):
        raise ValueError(f"value={value!r}: no item of {name}, which is {_matrices.DTYPES[letter]}")
    return float(value)


class Choice:
    """The option `pad`: of each column, by the names of matrices or columns."""

    def __init__(self, pad):
        self._pad = pad
        self._by_name = {name: _pad_of(value) for name, value in pad.items()} if isinstance(pad, dict) else None
        self._for_all = None if self._by_name is not None else _pad_of(pad)
        self._names, self._used, self._is_used = {}, set(), False  # names: a dict keeps their order

    def covers(self, matrix, column):
        """Whether it says something of a column in a matrix."""
        self._names.update({matrix: None, column: None})
        return self._by_name is None or matrix in self._by_name or column in self._by_name

    def of(self, matrix, columns, schema):
        """The Pad of each column; None: its rows do not vary, or nothing is said of it."""
        self._names.update(dict.fromkeys([matrix, *columns]))
        found = [self._one(matrix, name, schema[name].type) for name in columns]
        self._is_used |= any(found)
        if self._by_name is not None and matrix in self._by_name and not any(found):
            self._refuse(columns[0], schema[columns[0]].type)
        self._used.update(name for name in (matrix, *columns) if self._by_name and name in self._by_name)
        if any(found) and len(columns) > 1 and any(p and (p.to == "nested" or p.mask or p.lengths) for p in found):
            raise ValueError(f"pad: {matrix} has {len(columns)} columns, and 'nested', mask and lengths are for one: "
                             "give each column a name of its own (features={\"name\": \"column\"})")
        return found

    def _one(self, matrix, column, type_):
        varies = type_.is_vector and not type_.size
        is_number = type_.is_key or type_.kind in _matrices.NUMBERS
        if self._by_name is None:
            return self._for_all if varies and is_number else None
        if column in self._by_name and matrix not in self._by_name and not (varies and is_number):
            self._refuse(column, type_)
        return self._by_name.get(matrix, self._by_name.get(column)) if varies and is_number else None

    @staticmethod
    def _refuse(column, type_):
        why = "its items are no numbers" if type_.is_vector and not type_.size else "its rows do not vary in length"
        raise ValueError(f"pad: {column} is {type_}: {why}")

    def check_used(self):
        """Refuse an option that changes nothing."""
        if not self._is_used and not self._by_name:
            raise ValueError(f"pad={self._pad!r}: no column of {', '.join(self._names)} "
                             "has numbers in rows of varying length")
        for name in self._by_name or ():
            if name not in self._used:
                raise ValueError(f"pad: no matrix or column is called {name!r}: there are {', '.join(self._names)}")


class Padded:
    """One matrix of each batch, filled when the batch is delivered.  Attributes as of _matrices.Matrix."""

    def __init__(self, name, columns, letter, na, pads, sizes):
        self.name, self.columns, self.letter, self.na = name, columns, letter, na
        self.pads, self._sizes = pads, sizes  # for each column; its slots if rows do not vary
        self._fills = [p and _value_of(p, letter, name) for p in pads]

    def mask(self):
        """The matrix of the same shape that says where NA is."""
        return Padded(self.name + "_na", self.columns, "?", {"na": "mask"}, self.pads, self._sizes)

    def extras(self):
        """Its mask and its lengths, if they were asked for."""
        pad = self.pads[0]
        return [*([Mask(self)] if pad and pad.mask else ()), *([Lengths(self)] if pad and pad.lengths else ())]

    def widths(self, rows):
        return [p and self._width(column, p, rows) or size for column, p, size
                in zip(self.columns, self.pads, self._sizes)]

    def _width(self, column, pad, rows):
        lengths, limit = rows.lengths(column), pad.limit
        longest = int(lengths.max(initial=0))
        if limit is not None and longest > limit and pad.cut == "refuse":
            row = int((lengths > limit).argmax())
            option = "to" if pad.most is None else "most"
            raise _errors.ArgumentError(
                f"{rows.where}: column \"{column}\": row {row} has {lengths[row]} items, more than {option}={limit}: "
                f"cut=\"end\" keeps the first {limit}, cut=\"start\" the last; a larger {option} keeps all",
                rule=option)
        if not isinstance(pad.to, str):
            return limit
        width = -(-longest // pad.multiple) * pad.multiple
        return width if limit is None else min(width, limit)

    def make(self, rows):
        if self.pads[0] and self.pads[0].to == "nested":
            return rows.ragged(self.columns[0], self.letter, self.na)
        widths = self.widths(rows)
        shown, to_fill = rows.empty(sum(widths), self.letter)
        slot = 0
        for column, pad, fill, width in zip(self.columns, self.pads, self._fills, widths):
            if width:
                how = {} if pad is None else {
                    "fill": fill, "left": pad.side == "left", "cut": "refused" if pad.cut == "refuse" else pad.cut}
                rows.fill(to_fill, self.letter, slot, column, width, {**self.na, **how})
            slot += width
        return shown


class Mask:
    """Where a padded matrix has items."""

    def __init__(self, padded):
        self.name, self._padded = padded.name + "_mask", padded

    def make(self, rows):
        import numpy as np

        padded = self._padded
        (width,), pad = padded.widths(rows), padded.pads[0]
        lengths = rows.lengths(padded.columns[0])[:, None]
        shown, to_fill = rows.empty(width, "?")
        if pad.side == "left":
            np.greater_equal(np.arange(width), width - lengths, out=to_fill)
        else:
            np.less(np.arange(width), lengths, out=to_fill)
        return shown


class Lengths:
    """The items of each row that a padded matrix has."""

    def __init__(self, padded):
        self.name, self._padded = padded.name + "_lengths", padded

    def make(self, rows):
        import numpy as np

        (width,) = self._padded.widths(rows)
        shown, to_fill = rows.empty(1, "q")
        np.minimum(rows.lengths(self._padded.columns[0]), width, out=to_fill[:, 0])
        return shown[:, 0]


class _Fresh:
    """New memory for each matrix, because their sizes differ from batch to batch."""

    @staticmethod
    def matrix(rows, width, letter):
        import numpy as np

        return np.empty((rows, width), "uint16" if letter == "y" else _matrices.DTYPES[letter])


class Rows:
    """The columns of one batch that become padded matrices."""

    def __init__(self, owner, batch, where, columns):
        self._owner, self._batch, self.where = owner, batch, where
        self._columns = columns  # names, in the order of the batch
        self._lengths = {}

    def lengths(self, column):
        """The slots of each row, before anything is cut."""
        import numpy as np

        if column not in self._lengths:
            found = self._lengths[column] = np.empty(len(self._batch), "int64")
            self._batch.lengths(self._columns.index(column), found)
        return self._lengths[column]

    def empty(self, width, letter, rows=None):
        """A new matrix for the loop, and the array to fill, which has the same memory."""
        return self._owner._empty(len(self._batch) if rows is None else rows, width, letter, _Fresh)

    def fill(self, matrix, letter, slot, column, width, options):
        """Write a column into its slots of each row."""
        self._batch.fill_columns(matrix, "B" if letter == "?" else letter, matrix.shape[1], slot,
                                 [self._columns.index(column)], [width], options, self.where)

    def ragged(self, column, letter, options):
        """The rows of a column end to end."""
        import numpy as np

        lengths = self.lengths(column)
        shown_offsets, offsets = self.empty(1, "q", len(lengths) + 1)
        offsets[0, 0] = 0
        np.cumsum(lengths, out=offsets[1:, 0])
        shown, values = self.empty(1, letter, int(offsets[-1, 0]))
        self._batch.fill_ragged(values, "B" if letter == "?" else letter, self._columns.index(column), options,
                                self.where)
        return self._owner._ragged(shown[:, 0], shown_offsets[:, 0])
