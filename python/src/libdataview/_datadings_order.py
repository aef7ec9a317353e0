# SPDX-License-Identifier: MIT
"""The orders of the package datadings over readers: same samples, same order, for the same seed."""

import math
import random


class _Augment:
    """A reader in another order.  One thread at a time."""

    def __init__(self, reader):
        self._reader = reader

    def __enter__(self):
        self._reader.__enter__()
        return self

    def __exit__(self, *exception):
        self._reader.__exit__(*exception)

    def __len__(self):
        return len(self._reader)

    def __iter__(self):
        return self.iter()

    def rawiter(self, yield_key=False):
        """The messages of the samples."""
        return self.iter(yield_key=yield_key, raw=True)


class Range(_Augment):
    """Samples from `start` up to `stop`, as `range` has them.  (`t.slice(start, stop)` of a Table.)"""

    def __init__(self, reader, start=0, stop=None):
        super().__init__(reader)
        n = len(reader)
        if not -n <= start < n:
            raise IndexError(f"index {start} out of range for length {n} reader")
        self.start, self.stop, _ = slice(start, stop).indices(n)

    def __len__(self):
        return max(self.stop - self.start, 0)

    def iter(self, yield_key=False, raw=False, copy=True, chunk_size=16):
        return self._reader.iter(self.start, self.stop, yield_key=yield_key, raw=raw, copy=copy,
                                 chunk_size=chunk_size)

    def seek(self, index):
        """Move the reader's position, counted from the start of the range."""
        self._reader.seek(self.start + index)


class Repeater(_Augment):
    """All samples, `times` times.  (`t.repeat(times)` of a Table.)"""

    def __init__(self, reader, times):
        super().__init__(reader)
        self.times = times

    def iter(self, yield_key=False, raw=False, copy=True, chunk_size=16):
        for _ in range(self.times):
            yield from self._reader.iter(yield_key=yield_key, raw=raw, copy=copy, chunk_size=chunk_size)

    def seek(self, index):
        """Move the reader's position: the next pass begins there."""
        self._reader.seek(index % len(self._reader))


class Cycler(_Augment):
    """All samples, without end."""

    def iter(self, yield_key=False, raw=False, copy=True, chunk_size=16):
        while len(self._reader):
            yield from self._reader.iter(yield_key=yield_key, raw=raw, copy=copy, chunk_size=chunk_size)

    def seek(self, index):
        """Move the reader's position: the next pass begins there."""
        self._reader.seek(index % len(self._reader))


class _Seeded(_Augment):
    """An order that is drawn: another one in each pass, which `seek` reaches too."""

    def __init__(self, reader, seed):
        super().__init__(reader)
        self._n = len(reader)
        self._seed = seed
        self._i = self._offset = 0

    def _random(self):
        """CPython's generator, seeded as the package does for this pass."""
        draws = random.Random()
        draws.seed(self._seed + self._offset, version=2)
        return draws

    def _next_pass(self):
        self._i = 0
        self._offset += self._n


class Shuffler(_Seeded):
    """All samples in random order, each read by its number."""

    def __init__(self, reader, seed=None):
        super().__init__(reader, len(reader) if seed is None else seed)

    def seek(self, index):
        """Go on at sample `index` of the endless sequence of passes."""
        if index < 0:
            raise IndexError(f"index {index}: expected at least 0")
        self._i = index % self._n
        self._offset = index // self._n * self._n

    def numbers(self):
        """The numbers of all samples in the order of this pass: `t.take(list(order.numbers()))`."""
        order = list(range(self._n))
        self._random().shuffle(order)
        return iter(order)

    def iter(self, yield_key=False, raw=False, copy=True, chunk_size=16):
        for i in list(self.numbers())[self._i:]:
            yield self._reader.get(i, yield_key=yield_key, raw=raw, copy=copy)
            self._i += 1
        self._next_pass()


class QuasiShuffler(_Seeded):
    """Samples in nearly random order: chunks are read in random order into a buffer, from which samples
    are drawn.

    buf_size: samples of the buffer; below 1: a hundredth of all.  chunk_size: samples read together."""

    def __init__(self, reader, buf_size=0.01, chunk_size=16, seed=None):
        n = len(reader)
        if buf_size < 1:
            buf_size = math.ceil(n * 0.01)  # whatever the fraction, as in the package
        self.buf_size = math.ceil(int(buf_size) / chunk_size) * chunk_size
        self.chunk_size = chunk_size
        self.num_chunks = math.ceil(n / chunk_size)
        super().__init__(reader, n * self.buf_size * chunk_size if seed is None else seed)

    def seek(self, index):
        """Go on at sample `index` of the endless sequence of passes."""
        if index < 0:
            raise IndexError(f"index {index}: expected at least 0")
        self._i = index % self._n
        self._offset = index // self._n * self._n

    def numbers(self):
        """The numbers of all samples in the order of this pass: `t.take(list(order.numbers()))`."""
        draws = self._random()
        order = list(range(self.num_chunks))
        draws.shuffle(order)
        chunks = [range(c * self.chunk_size, min(self._n, (c + 1) * self.chunk_size)) for c in order]
        first = self.buf_size // self.chunk_size
        buffer = [number for chunk in chunks[:first] for number in chunk]
        for chunk in chunks[first:]:
            for number in chunk:
                place = draws.randrange(len(buffer))
                yield buffer[place]
                buffer[place] = number
        yield from buffer

    def iter(self, yield_key=False, raw=False, copy=True, chunk_size=None):
        read = self._reader.get
        for i, number in enumerate(self.numbers()):
            if i < self._i:
                continue
            yield read(number, yield_key=yield_key, raw=raw, copy=copy)
            self._i += 1
        self._next_pass()
