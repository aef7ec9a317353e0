# SPDX-License-Identifier: MIT
"""Datasets for torch: batches that the library fills into torch's own memory.

    ds = dv.torch.Dataset("train.idv", features=["Features"], labels=["Label"], batch_rows=256, shuffle=True)
    for features, labels in ds.loader(workers=2):
        ...

docs/python-training.md is the tour.
"""

import json
import os
import sys
import warnings

from . import _errors, _feed, _hints, _matrices
from ._table import Table

torch = _errors.needed("torch", "torch", "libdataview.torch")
_data = _errors.needed("torch.utils.data", "torch", "libdataview.torch", "torch")

__all__ = ["Dataset", "Loader", "Rows"]

_TYPES = {letter: getattr(torch, name) for letter, name in _matrices.DTYPES.items() if hasattr(torch, name)}


def _table(source):
    if isinstance(source, Table):
        return source
    from ._open import open as open_

    return open_(source)


def _ranks():
    """The rank of this process and how many there are: of torch.distributed, or of the environment."""
    if torch.distributed.is_available() and torch.distributed.is_initialized():
        return torch.distributed.get_rank(), torch.distributed.get_world_size()
    return int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))


def _is_divided():
    """Whether Accelerate reads this dataset, which divides the batches of one reader among its ranks."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__") != "accelerate.data_loader":
        frame = frame.f_back
    return frame is not None


class Dataset(_feed.Feed, _data.IterableDataset):
    """An iterable of batches `(features, labels)`, not of rows.

    source: a Table, or what dv.open takes.  features: columns side by side; None: all of numbers but the
    labels; a dict of names and columns: batches are dicts with a tensor of each name.  labels: columns; one
    scalar column has the shape (N,), of float32 for reals and of int64 for integers and keys, from 0 on.
    batch_rows: rows of a batch.  shuffle: True ("uniform" where any row is at hand, else "pool"), "uniform",
    "pool", "blocks", False.  seed: of the order.  shard: "auto" (the
    rank of torch.distributed, or RANK and WORLD_SIZE; all rows for Accelerate's loaders, which divide
    batches themselves) or (rank, ranks); "auto" is wrong where ranks share batches, under tensor and
    pipeline parallelism.  shard_size: "pad" gives all ranks the same number of
    batches, as DistributedSampler; "drop", "as_is".  shard_by: "rows" or "blocks", what ranks share; by rows
    their number may change within an epoch.  drop_last: leave out the last batch of an epoch if it is short.
    dtype: of features, any of float16 to float64, bfloat16, int8 to int64 and uint8 to uint64;
    float32 unless features have names, then as of labels.  A number that does not fit is an error.  na: what
    NA of features becomes, "nan", "raise" or a number; None: NaN, and "raise" for integers.  na_mask: also
    deliver where NA was, as Booleans of the name with "_na".  widths: slots of vectors whose size varies, a
    number or one of each column; the rest of a shorter row is 0, a longer one an error.  pad: instead, "longest" (of
    each batch), a number, a dv.Pad, or "nested" (a nested tensor with layout torch.jagged); one for all vectors whose
    size varies, or a dict by the names of matrices or columns.  text_as: "list" or "arrow", of columns of texts, and of
    vectors whose size varies, that have a name of their own.
    label_dtype: as dtype.  label_na: "raise" or a number, such as -100.  prefetch: batches that a thread
    fills ahead.  pin_memory: fill pinned memory.  format: "tuple", or "dict" with
    `features labels ids epoch number`.  transform: called with each batch.  exclude: rows left out, as
    Table.exclude takes them.

    `for batch in ds` is one epoch, and needs no workers: a thread reads ahead.  `ds.loader(workers=2)` has
    processes.  `state_dict()` and `load_state_dict()` go on with the very next batch, also with other
    workers and another batch_rows."""

    def __init__(self, source, features=None, labels=None, *, batch_rows=256, shuffle=False, seed=0, shard="auto",
                 shard_size=None, shard_by=None, drop_last=False, dtype=None, na=None, na_mask=False,
                 label_dtype=None, label_na="raise", widths=None, pad=None, text_as="list", prefetch=2, threads=0,
                 pool_rows=0, pin_memory=False, format="tuple", transform=None, exclude=None, **unknown):
        _hints.refuse("Dataset", unknown, _hints.FEED, {"features", "labels", *Dataset.__init__.__kwdefaults__})
        if format not in ("tuple", "dict"):
            raise ValueError(f"format={format!r}: expected 'tuple' or 'dict'")
        self._pin_memory, self._format, self._transform = pin_memory, format, transform
        super().__init__(_table(source), features, labels, batch_rows=batch_rows, shuffle=shuffle, seed=seed,
                         shard=shard, shard_size=shard_size or "pad", shard_by=shard_by, drop_last=drop_last,
                         dtype=dtype, na=na, na_mask=na_mask, label_dtype=label_dtype, label_na=label_na,
                         widths=widths, pad=pad, text_as=text_as, prefetch=prefetch, threads=threads,
                         pool_rows=pool_rows, ids=format == "dict", exclude=exclude)
        # The epoch of set_epoch, and the loops of worker 0 since then: seen by workers.
        self._told = torch.tensor([-1, 0]).share_memory_()
        self._is_whole = False  # another loader divides the batches

    def _shard(self):
        if self._plan.shard != "auto":
            return super()._shard()
        self._is_whole = self._is_whole or _is_divided()
        return (0, 1) if self._is_whole else _ranks()

    def _check_items(self):
        for m in self._plan.shown:
            if m.letter not in _TYPES:
                raise ValueError(f"dtype of {m.name}: this torch has no {_matrices.DTYPES[m.letter]}")
        for name in ("ids", "epoch", "number") if self._format == "dict" else ():
            if name in self._plan.whole or any(m.name == name for m in self._plan.values):
                raise ValueError(f"format='dict' has a value {name!r} of its own: call the matrix otherwise")

    def _empty(self, rows, width, letter, memory):
        if self._pin_memory and _data.get_worker_info() is None:
            matrix = torch.empty((rows, width), dtype=_TYPES[letter], pin_memory=True)
            return matrix, (matrix.view(torch.int16) if letter == "y" else matrix).numpy()
        to_fill = memory.matrix(rows, width, letter)
        if letter == "y":  # NumPy has none
            return torch.from_numpy(to_fill.view("i2")).view(torch.bfloat16), to_fill
        return torch.from_numpy(to_fill), to_fill

    def _ragged(self, values, offsets):
        return torch.nested.nested_tensor_from_jagged(values, offsets)

    def _batch(self, values, found):
        batch = super()._batch(values, found)
        if self._format == "dict":
            named = batch if self._plan.is_named else {m.name: x for m, x in zip(self._plan.values, values)}
            batch = {**named, "ids": found[4], "epoch": found[1], "number": found[3]}
            if not self._plan.is_named:
                batch.setdefault("labels", None)
        return batch if self._transform is None else self._transform(batch)

    def set_epoch(self, epoch):
        super().set_epoch(epoch)
        self._told[0], self._told[1] = epoch, 0

    def __iter__(self):
        # torch's fetcher, which would put batches into batches
        if sys._getframe(1).f_locals.get("auto_collation"):
            raise TypeError("a Dataset of batches has its own batch_rows: pass batch_size=None to DataLoader, or "
                            "use ds.loader(workers=...); for rows see dv.torch.Rows")
        info = _data.get_worker_info()
        self._warn_of_share()
        if info is None:
            return super().__iter__()
        told, loops = self._told.tolist()
        if told >= 0 and told != self._epoch and self._resume is None:
            self._epoch = told
        if info.id == 0:
            self._told[1] += 1
            if self._resume is None and (loops > 0 if told >= 0 else self._epoch == 0):
                warnings.warn("a DataLoader with workers repeats the order of one epoch unless ds.set_epoch(epoch) "
                              "comes before each: ds.loader(workers=...) counts epochs by itself",
                              _errors.DataWarning, stacklevel=2)
        epoch, token = self._begin()
        return _feed.Batches(self, epoch, token, self._shard(), info.id, info.num_workers)

    def _warn_of_share(self):
        if self._plan.shard != "auto" and self._shard()[1] > 1 and _is_divided():
            warnings.warn(f"shard={self._plan.shard!r} leaves rows out, since Accelerate divides the batches among its "
                          "ranks too: pass shard=\"auto\" or (0, 1), or do not prepare() the loader",
                          _errors.DataWarning, stacklevel=2)

    def __getitem__(self, index):
        raise TypeError("a Dataset of batches has no rows by number: see dv.torch.Rows")

    def __getstate__(self):
        state = dict(self.__dict__)
        state["_current"] = None  # a feed stays in its process
        plan = self._plan
        if plan.shard == "auto":  # the child cannot ask
            copied = object.__new__(type(plan))
            copied.__dict__.update(plan.__dict__, shard=self._shard())
            state["_plan"] = copied
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)

    def loader(self, workers=0, **options):
        """A loader of the batches of this dataset, which counts epochs and batches.

        workers: processes that fill batches, each of its own share; 0: this process, with its thread.
        options: those of torch's DataLoader (pin_memory, prefetch_factor, multiprocessing_context, ...);
        persistent_workers=True keeps the processes from epoch to epoch."""
        return Loader(self, workers, options)


class _Epoch(_data.IterableDataset):
    """The epoch that a loader begins, for its workers. Persistent ones find the next epoch in shared memory."""

    _MOST = 1024  # bytes of its JSON; a token has fewer than 300

    def __init__(self, dataset):
        self._dataset = dataset
        self._told = torch.zeros(self._MOST, dtype=torch.uint8).share_memory_()

    def tell(self, epoch, token):
        text = json.dumps([epoch, token]).encode()
        self._told[:len(text)] = torch.frombuffer(bytearray(text), dtype=torch.uint8)
        self._told[len(text):] = ord(" ")

    def __iter__(self):
        info = _data.get_worker_info()
        worker, workers = (info.id, info.num_workers) if info else (0, 1)
        dataset = self._dataset
        epoch, token = json.loads(bytes(self._told.tolist()))
        return _feed.Batches(dataset, epoch, token, dataset._shard(), worker, workers)


class Loader:
    """What `Dataset.loader` returns: a loop over it is one epoch."""

    def __init__(self, dataset, workers, options):
        self.dataset, self.workers = dataset, workers
        self._options = options
        self._kept = None   # with persistent_workers: the DataLoader that has them
        self._begun = None  # epoch, token and batches of the loop that goes on, and its feed, if it is here

    def __len__(self):
        return len(self.dataset)

    def set_epoch(self, epoch):
        """As Dataset.set_epoch."""
        self._begun = None
        self.dataset.set_epoch(epoch)

    def __iter__(self):
        epoch, token = self.dataset._begin()
        batches = None
        if self.workers == 0 and not self._options:
            loader = batches = _feed.Batches(self.dataset, epoch, token, self.dataset._shard())
        else:
            loader = self._kept
            if loader is None:
                loader = _data.DataLoader(_Epoch(self.dataset), batch_size=None, num_workers=self.workers, **self._options)
            if self._options.get("persistent_workers"):
                self._kept = loader
            loader.dataset.tell(epoch, token)
        self._begun = begun = [epoch, token, 0, batches]
        for batch in loader:
            begun[2] += 1
            yield batch

    def skip(self, batches):
        """As Dataset.skip."""
        self._begun = None
        self.dataset.skip(batches)

    @property
    def drop_last(self):  # the first attribute that skip_first_batches asks for
        raise AttributeError("this loader has no drop_last: accelerate.skip_first_batches would make another loader, which "
                             "gives each rank all rows; use loader.skip(batches), and with transformers' Trainer "
                             "ignore_data_skip=True")

    def state_dict(self):
        """The position after the batch that the loop got last."""
        if self._begun is None:
            return self.dataset.state_dict()
        epoch, token, batches, here = self._begun
        if here is not None:
            return {"dataview": 1, "token": here.token()}
        feed = self.dataset._plan.open(epoch, self.dataset._shard(), token, prefetch=0)
        return {"dataview": 1, "token": feed.token(batches)}

    def load_state_dict(self, state):
        """As Dataset.load_state_dict; with any number of workers."""
        self._begun = None
        self.dataset.load_state_dict(state)


class Rows(_data.Dataset):
    """A map-style dataset of rows as dicts, for transforms of samples; `columns`: names, None: all.

    transform: called with each row.  DataLoader(Rows(t), batch_size=64, shuffle=True) works; it reads the
    rows of a batch together."""

    def __init__(self, source, columns=None, transform=None):
        table = _table(source)
        self._table = table if columns is None else table.select(*columns)
        self._transform = transform
        len(self._table)  # a sentence if the rows are not known

    def __len__(self):
        return len(self._table)

    def __getitem__(self, index):
        return self.__getitems__([index])[0]

    def __getitems__(self, indices):
        n = len(self._table)
        for index in indices:
            if not -n <= index < n:
                raise IndexError(f"row {index} of a table of {n} rows")
        rows = list(self._table.take([int(index) % n for index in indices]).iter_rows())
        return rows if self._transform is None else [self._transform(row) for row in rows]
