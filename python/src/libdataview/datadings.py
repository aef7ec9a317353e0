# SPDX-License-Identifier: MIT
"""Readers and a writer with the interface of the package datadings: changing the import is the whole migration.

    from libdataview.datadings import MsgpackReader     # was: from datadings.reader import ...

`libdataview.open("train.msgpack")` is the columnar way to the same file.  docs/python-datadings.md
says what differs from the package.
"""

import itertools
import operator
import os
import pathlib
import warnings

from . import _core, _errors, _table as _tables
from ._datadings_order import Cycler, QuasiShuffler, Range, Repeater, Shuffler
from ._msgpack import pack, unpack, unpack_row, unpack_rows
from ._open import open as _open
from ._table import concat as _concat
from ._writer import Writer

__all__ = ["Cycler", "MsgpackReader", "QuasiShuffler", "Range", "Reader", "Repeater", "ShardedReader",
           "Shuffler", "Writer", "pack", "unpack"]

_chain = itertools.chain.from_iterable
_SUFFIXES = (".offsets", ".keys", ".key_hashes", ".filter")


class Reader:
    """What readers have in common: samples by number and by key, a position, and iteration.

    A subclass has `__len__`, `__contains__`, `find_key`, `find_index`, `get` and `slice`."""

    def __init__(self):
        self._i = 0

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        pass

    def __copy__(self):
        reader = type(self).__new__(type(self))
        reader.__dict__.update(self.__dict__)
        return reader

    # --- Position ------------------------------------------------------------------------------------

    def seek_index(self, index):
        """Make `index` the next sample; below 0 from the end."""
        self._i = self._number(index)

    seek = seek_index

    def seek_key(self, key):
        """Make the sample with this key the next one; KeyError if there is none."""
        self.seek_index(self.find_index(key))

    def _number(self, index):
        number = operator.index(index)
        n = len(self)
        if not -n <= number < n:
            raise IndexError(f"index {number} out of range for length {n} reader")
        return number % n

    def __next__(self):
        if self._i >= len(self):
            raise StopIteration
        sample = self.get(self._i)
        self._i += 1
        return sample

    next = __next__

    def rawnext(self):
        """The next sample as the bytes of its message."""
        if self._i >= len(self):
            raise StopIteration
        sample = self.get(self._i, raw=True)
        self._i += 1
        return sample

    def _find(self, key):
        return self.find_index(key) if key in self else None

    # --- Iteration -----------------------------------------------------------------------------------

    def __iter__(self):
        return self.iter()

    def __getitem__(self, index):
        if not isinstance(index, slice):
            return self.get(self._number(index))
        start, stop, step = index.indices(len(self))
        if step != 1:
            raise ValueError("step must be 1")
        return self.slice(start, stop)

    def iter(self, start=None, stop=None, yield_key=False, raw=False, copy=True, chunk_size=16):
        """Samples from `start` (None: the position; at the end, from 0 again) up to `stop`, as `range`
        has them; the position moves along.

        yield_key: pairs of key and sample.  raw: messages instead of samples.  copy=False: messages, and
        bytes in samples, may be memoryviews of the file.  chunk_size: samples read together."""
        n = len(self)
        if start is None:
            self._i = 0 if self._i >= n else self._i
            start = self._i
        elif n or start:
            start = self._number(start)
        start, stop, _ = slice(start, stop).indices(n)
        samples = _chain(self._runs(start, stop, yield_key, raw, copy, chunk_size))
        for self._i, sample in enumerate(samples, self._i + 1):
            yield sample

    def rawiter(self, yield_key=False, copy=True):
        """Messages from the position on.  copy=False: as memoryviews of the file."""
        return self.iter(yield_key=yield_key, raw=True, copy=copy)

    def _runs(self, start, stop, yield_key, raw, copy, chunk_size):
        """Samples of a slice as iterables of some: what is between a sample and the loop costs time."""
        for first in range(start, stop, chunk_size):
            yield self.slice(first, min(stop, first + chunk_size), yield_key, raw, copy)


class MsgpackReader(Reader):
    """A set of datadings: the file `path` and the files beside it, as the class of this name in the
    package reads it.

    path: of the data file.  buffering: ignored, the file is mapped.

    FileNotFoundError: no such file, or neither .offsets nor .index beside it.  A warning names each
    other file that is missing.  CorruptError: a file breaks a rule of its format.  A reader can be used
    in a forked process, and by several threads if each has a copy (`copy.copy`): they share the map."""

    def __init__(self, path, buffering=0):
        super().__init__()
        self._path = pathlib.Path(path)
        self._open_table()
        for suffix in _SUFFIXES[1:]:
            side = self._side(suffix)
            if not side.exists():
                warnings.warn(f"{side} not found, some functionality may not be available", stacklevel=2)

    def _side(self, suffix):
        return self._path.with_name(self._path.name + suffix)

    def _open_table(self):
        if not self._path.exists():
            raise FileNotFoundError(f"{self._path} not found")
        if not self._side(".offsets").exists() and not self._side(".index").exists():
            raise FileNotFoundError(f"need at least one of {self._side('.offsets')}, "
                                    f"{self._side('.index')} but none found")
        self._table = _open(self._path, format="datadings", datadings="raw")
        self._view, self._made_in = self._table._view, _tables._generation
        self._len = len(self._table)

    def _open_view(self):
        """The view of the table, which is another one in a forked process."""
        if self._made_in != _tables._generation:
            self._view, self._made_in = self._table._view, _tables._generation
        return self._view

    def __reduce__(self):
        return _reopened, (type(self), os.fspath(self._path), self._i)

    def __len__(self):
        return self._len

    def __contains__(self, key):
        return self._open_view().find(key) is not None

    def _find(self, key):
        return self._open_view().find(key)

    def find_index(self, key):
        """The number of the sample with this key; KeyError if there is none."""
        row = self._open_view().find(key)
        if row is None:
            raise KeyError(key)
        return row

    def find_key(self, index):
        """The key of a sample; below 0 from the end."""
        key = self._open_view().key(self._number(index))
        return None if key is None else str(key, "utf-8")

    def get(self, index, yield_key=False, raw=False, copy=True):
        """A sample by its number; below 0 from the end.  The arguments are those of `iter`."""
        row = index if type(index) is int and 0 <= index < self._len else self._number(index)
        view = self._open_view()
        if raw:
            sample = bytes(view.message(row)) if copy else view.message(row)
        else:
            sample = unpack_row(view, row)
        return (self.find_key(row), sample) if yield_key else sample

    def slice(self, start, stop=None, yield_key=False, raw=False, copy=True):
        """Samples of a slice, as an iterator.  The arguments are those of `iter`."""
        start, stop, _ = slice(start, stop).indices(self._len)
        return _chain(self._runs(start, stop, yield_key, raw, copy, 16))

    def _runs(self, start, stop, yield_key, raw, copy, chunk_size):
        if start >= stop:
            return
        names = ["key", "message"] if yield_key else ["message"]
        with self._table.slice(start, stop - start).batches(names) as batches:
            for batch in batches:
                column = batch["message"]
                if raw:
                    samples = column.to_pylist() if copy else column.memoryviews()
                else:
                    samples = unpack_rows(column)
                yield zip(batch["key"].to_pylist(), samples) if yield_key else samples

    def verify_data(self, read_size=512 * 1024, progress=False):
        """Does the data file have the MD5 that .md5 lists?"""
        return self._verify(self._path)

    def verify_index(self, read_size=512 * 1024, progress=False):
        """Do the files beside it have the MD5s that .md5 lists?  (The package looks for .index only.)"""
        sides = [self._side(suffix) for suffix in (*_SUFFIXES, ".index")]
        return all(self._verify(side) for side in sides if side.exists())

    def _verify(self, path):
        import hashlib

        listed = dict(reversed(line.split("  ", 1))
                      for line in self._side(".md5").read_text("utf-8").splitlines() if line)
        with path.open("rb") as file:
            return listed.get(path.name) == hashlib.file_digest(file, "md5").hexdigest()


def _reopened(kind, path, position):
    reader = kind(path)
    reader._i = position
    return reader


class ShardedReader(Reader):
    """Several sets as one: samples of the first, then those of the next.

    shards: a pattern such as "train-*.msgpack", or paths and readers."""

    def __init__(self, shards):
        super().__init__()
        if isinstance(shards, (str, os.PathLike)):
            import glob

            shards = sorted(glob.glob(os.fspath(shards)))
        self._readers = [shard if isinstance(shard, Reader) else MsgpackReader(shard) for shard in shards]
        self._starts = list(itertools.accumulate(map(len, self._readers), initial=0))
        self._joined = None  # where keys are looked up in all of them at once
        if self._readers and all(type(reader) is MsgpackReader for reader in self._readers):
            self._joined = _concat([reader._table for reader in self._readers])

    def __len__(self):
        return self._starts[-1]

    def _shard(self, index):
        """The reader that has a sample, and the sample's number there."""
        import bisect

        index = self._number(index)
        i = bisect.bisect_right(self._starts, index) - 1
        return self._readers[i], index - self._starts[i]

    def __contains__(self, key):
        return self._find(key) is not None

    def _find(self, key):
        if self._joined is not None:
            return self._joined._view.find(key)
        for start, reader in zip(self._starts, self._readers):
            row = reader._find(key)
            if row is not None:
                return start + row
        return None

    def find_key(self, index):
        """The key of a sample; below 0 from the end."""
        reader, number = self._shard(index)
        return reader.find_key(number)

    def find_index(self, key):
        """The number of the sample with this key, in the first shard that has it; KeyError."""
        row = self._find(key)
        if row is None:
            raise KeyError(key)
        return row

    def get(self, index, yield_key=False, raw=False, copy=True):
        """A sample by its number; below 0 from the end.  The arguments are those of `iter`."""
        reader, number = self._shard(index)
        return reader.get(number, yield_key, raw, copy)

    def slice(self, start, stop=None, yield_key=False, raw=False, copy=True):
        """Samples of a slice, as an iterator.  The arguments are those of `iter`."""
        start, stop, _ = slice(start, stop).indices(len(self))
        return _chain(self._runs(start, stop, yield_key, raw, copy, 16))

    def _runs(self, start, stop, yield_key, raw, copy, chunk_size):
        for first, reader in zip(self._starts, self._readers):
            begin, end = max(start - first, 0), min(stop - first, len(reader))
            if begin < end:
                yield from reader._runs(begin, end, yield_key, raw, copy, chunk_size)
