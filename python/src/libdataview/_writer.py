# SPDX-License-Identifier: MIT
"""Writing a set of datadings sample by sample: whole or not at all."""

import collections.abc
import os

from . import _core, _progress, _remote, _write
from ._msgpack import pack


class Writer:
    """Writes a set of datadings: the messages at `path`, and their five side files.

    >>> import os, tempfile, libdataview as dv
    >>> path = os.path.join(tempfile.mkdtemp(), "train.msgpack")
    >>> with dv.datadings.Writer(path) as writer:
    ...     writer.append({"key": "a", "label": 1})
    ...     writer.append("b", bytes.fromhex("81a56c6162656c02"))   # {"label": 2}, packed elsewhere
    >>> dv.open(path).to_pylist()
    [{'key': 'a', 'label': 1}, {'key': 'b', 'label': 2}]

    The files at `path` are replaced by close(), all or none; until then, and after any failure,
    they are as they were.  At the end of a `with` block they are replaced only if no exception left
    it.  After a failure of the library each later call raises the same exception.

    allow_loss="damaged": messages that are broken, or have another key, are written as they are.
    threads, sync, progress: as of write().  For one thread at a time, and for the process that
    opened it.
    """

    def __init__(self, path, *, allow_loss=(), threads=None, sync=None, progress=None):
        self._path = os.fsdecode(path)
        self._written = 0
        options = {"threads": threads, "sync": sync}
        options = {name: value for name, value in options.items() if value is not None}
        options["allow_loss"] = _write.loss_bits(allow_loss)
        self._writer = _core.writer(os.fsencode(_remote.here_only(path, "what a Writer fills")), options, _progress.of(progress))

    @property
    def written(self):
        """How many samples have been appended."""
        return self._written

    def append(self, *sample):
        """append(sample) or append(key, message)

        append(sample): a dict with the entry "key", a str.  `pack` makes its bytes, which are those
        that the package datadings writes; it refuses arrays of objects.

        append(key, message): one value of msgpack, as bytes or anything with a buffer, which is
        written as it is.  Its entry "key", if it has one, must be `key`.  key=None: it has one.

        Some hundred messages are gathered before they are checked and written, so that a later call,
        close() at the latest, may raise what is wrong with one.  LossError: a message that is broken
        or has another key; a key that was appended before.  ArgumentError: there is no key.
        """
        if len(sample) == 2:
            key, message = sample
        elif len(sample) == 1 and isinstance(sample[0], collections.abc.Mapping):
            key, message = None, pack(sample[0])
        else:
            raise TypeError("expected append(sample) with a dict, or append(key, message)")
        self._writer.append(key, message)
        self._written += 1

    write = append  # what the package datadings calls it

    def close(self):
        """Replace the files at the path by the samples that were appended.  A second call does
        nothing."""
        self._writer.close()

    def abandon(self):
        """Write no file, and leave the old ones as they are."""
        self._writer.abandon()

    def __enter__(self):
        return self

    def __exit__(self, kind, exception, traceback):
        self.close() if kind is None else self.abandon()

    def __del__(self):
        writer = getattr(self, "_writer", None)
        if writer is not None and writer.is_open:
            import warnings

            warnings.warn(f"a writer of {self._written} samples was not closed: no file was written "
                          f"at {self._path!r}", ResourceWarning, source=self, stacklevel=2)

    def __reduce__(self):
        raise TypeError("a Writer cannot be pickled: only the process that opened it can write")
