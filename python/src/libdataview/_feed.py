# SPDX-License-Identifier: MIT
"""Feeds: batches of features and labels for training loops, filled by the library into arrays."""

import json
import operator
import sys
import threading

from . import _errors, _hints, _recipe
from ._column import names_of

_REAL = ("R4", "R8")
_NUMBERS = ("I1", "U1", "I2", "U2", "I4", "U4", "I8", "U8", "R4", "R8", "BL")
_LETTERS = {"f4": "f", "float32": "f", "f8": "d", "float64": "d", "i8": "q", "int64": "q"}
_PREFETCH_MOST = 1024  # DV_FEED_PREFETCH_MOST
_BLOCK_ROWS = 1024  # of tables that are not stored in blocks (epoch.h)
_CACHE_NBYTES, _LEAST_NBYTES = 64 << 20, 1 << 16  # of source.h
DTYPES = {"f": "float32", "d": "float64", "q": "int64"}
_NBYTES = {"float32": 4, "float64": 8, "int64": 8}


def letter_of(dtype, name):
    """The letter of a dtype, by its name in NumPy or torch."""
    text = getattr(dtype, "__name__", None) or str(getattr(dtype, "name", dtype))
    text = text.removeprefix("torch.").lstrip("<=|")
    if text not in _LETTERS:
        raise ValueError(f"{name}={dtype!r}: expected float32, float64 or int64")
    return _LETTERS[text]


def _na(na, letter, name):
    """What NA becomes, as an option of the library."""
    if isinstance(na, str) and na == "raise":
        return {"na": "refused"}
    if isinstance(na, str) and na == "nan" and letter != "q":
        return {"na": "keep"}
    if isinstance(na, (str, bool)) or not isinstance(na, (int, float)) or letter == "q" and na != int(na):
        raise ValueError(f"{name}={na!r}: expected " + ("'raise' or a whole number" if letter == "q" else
                                                        "'nan', 'raise' or a number"))
    return {"na": "value", "na_value": float(na)}


class Plan:
    """What a feed of a table delivers: plain values, found once from its schema and the options."""

    def __init__(self, table, features, labels, batch_rows, *, shuffle, seed, shard, shard_size, drop_last,
                 dtype, na, label_dtype, label_na, prefetch, threads, pool_rows, ids):
        schema = table.schema
        self.table = table
        self.labels = [] if labels is None else names_of(labels, schema)
        self.features = self._features(schema) if features is None else names_of(features, schema)
        if not self.features:
            raise ValueError("no column of numbers is left for features: name them (features=[...])")
        self.letter = letter_of(dtype, "dtype")
        self.label_letter = letter_of(label_dtype, "label_dtype") if label_dtype is not None \
            else self._label_letter(schema)
        self.na = _na(na, self.letter, "na")
        self.label_na = _na(label_na, self.label_letter, "label_na")
        self.is_one_label = len(self.labels) == 1 and not schema[self.labels[0]].type.is_vector
        self.batch_rows = operator.index(batch_rows)
        self.shuffle = self._shuffle(shuffle)
        self.seed, self.shard, self.shard_size = seed, shard, shard_size
        self._warn_of_cost()
        self.drop_last, self.ids = drop_last, ids
        self.prefetch, self.threads, self.pool_rows = prefetch, threads, pool_rows

    def _features(self, schema):
        return [f.name for f in schema if f.type.kind in _NUMBERS and not f.type.is_key
                and f.name not in self.labels and (not f.type.is_vector or f.type.size)]

    def _label_letter(self, schema):
        types = [schema[name].type for name in self.labels]
        return "f" if any(t.kind in _REAL for t in types) else "q"

    def _shuffle(self, shuffle):
        if shuffle in ("none", "uniform", "pool", "blocks"):
            return shuffle
        if shuffle not in (True, False, None):
            raise ValueError(f"shuffle={shuffle!r}: expected True, False, 'uniform', 'pool' or 'blocks'")
        if not shuffle:
            return "none"
        return "uniform" if self._rows_are_at_hand() else "pool"

    def _rows_are_at_hand(self):
        """Whether any row can be read at about the cost of its bytes."""
        if self.table._view.block_rows == 0 or _recipe.elsewhere(self.table._recipe):
            return False
        columns = self.table.facts.get("columns", ())
        return all(c.get("compression") in (None, "", "none") for c in columns)

    def _warn_of_cost(self):
        """Report what an epoch fetches if rows of a remote file are read one by one."""
        if self.shuffle != "uniform":
            return
        how = [args[2] for _, args, _ in _recipe.elsewhere(self.table._recipe)]
        if not how:
            return
        rows, nbytes = self.table.num_rows, self.table._view.facts(True)["file_nbytes"]  # -1: unknown
        if 0 <= nbytes <= min(h.get("cache_nbytes", _CACHE_NBYTES) for h in how):
            return
        least = max(h.get("least_nbytes", _LEAST_NBYTES) for h in how)
        columns = len(self.features) + len(self.labels)
        cost = f"each of {'the' if rows is None else f'{rows:,}'} rows costs up to {columns} request" \
               f"{'' if columns == 1 else 's'} of {least:,} bytes"
        if rows is not None:
            cost += f", {rows * columns * least / 1e9:,.1f} GB in an epoch"
        size = f" of {nbytes / 1e6:,.0f} MB" if nbytes >= 0 else ""
        _errors.warn(f"shuffle='uniform' reads the rows of a remote file{size} one by one: {cost}; "
                     "shuffle='pool' (or True) fetches the file about once, t.cache(\"rows.idv\") keeps its rows here")

    def _shard_by(self, shards):
        """How a pool is divided among ranks: by blocks, which each rank fetches alone, unless there are so few of
        them that ranks would be padded with more than an eighth of the rows of others."""
        if self.shuffle not in ("pool", "blocks") or shards < 2:
            return "default"
        rows, block_rows = self.table.count(), self.table._view.block_rows or _BLOCK_ROWS
        blocks = -(-rows // block_rows)
        return "rows" if 8 * (-blocks % shards) > blocks else "blocks"

    def order(self, epoch, shard):
        return {"shuffle": self.shuffle, "seed": self.seed, "epoch": epoch, "shard": shard[0], "shards": shard[1],
                "shard_by": self._shard_by(shard[1]), "shard_size": self.shard_size, "pool_rows": self.pool_rows}

    def open(self, epoch, shard, token=None, worker=0, workers=1, prefetch=None):
        """A feed of one epoch, or of what a token says is left of it."""
        columns = [[self.table.schema[name].index for name in names] for names in (self.features, self.labels)]
        options = {"batch_rows": self.batch_rows, "drop_last": self.drop_last, "ids": self.ids, "epochs": 1,
                   "prefetch": self.prefetch if prefetch is None else prefetch, "threads": self.threads,
                   "worker": worker, "workers": workers}
        if token is not None:
            options["token"] = token
        return self.table._view.feed(columns[0], self.letter, self.na, columns[1], self.label_letter,
                                     self.label_na, options, self.order(epoch, shard))

    def rows(self, shard):
        """The rows of an epoch that one rank gets; None: the table does not know its rows."""
        if self.table.num_rows is None:
            return None
        return len(self.table._then("epoch", self.order(0, shard)))


def epoch_of(token):
    """The epoch that a token is in."""
    fields = token.split("-")
    if len(fields) < 3 or not fields[0].startswith("dvf") or not fields[1].isdigit():
        raise ValueError(f"{token!r:.60} is no token of a feed")
    return int(fields[1])


def _references(kept, k):
    return sys.getrefcount(kept[k])


class _Memory:
    """Memory of matrices, which is used again after all that was made of them is gone: to clear the
    pages of fresh memory takes as long as to fill them."""

    _ALIGNMENT = 64
    _UNUSED = _references([object()], 0)

    def __init__(self, most):
        self._kept = []
        self._firsts = []  # the bytes of each before its first aligned one
        self._most = most

    def matrix(self, rows, width, dtype):
        """A new array.  Arrays and tensors that share its memory refer to the bytes that are kept."""
        import numpy as np

        nbytes = rows * width * _NBYTES[dtype]
        kept = self._kept
        for k in range(len(kept)):
            if len(kept[k]) == nbytes + self._ALIGNMENT and _references(kept, k) == self._UNUSED:
                break
        else:
            if len(kept) == self._most:
                del kept[0], self._firsts[0]  # whoever has it keeps it
            k = len(kept)
            kept.append(np.empty(nbytes + self._ALIGNMENT, "u1"))
            self._firsts.append(-kept[k].__array_interface__["data"][0] % self._ALIGNMENT)
        return np.ndarray((rows, width), dtype, kept[k], self._firsts[k])


class Batches:
    """One epoch of a feed, batch by batch: an iterator."""

    def __init__(self, owner, epoch, token, shard, worker=0, workers=1):
        self._owner, self._epoch, self._shard = owner, epoch, shard
        self._worker, self._workers = worker, workers
        self._delivered = 0
        self._feed = None
        self._turn = threading.Lock()  # of the thread that gets the next batch
        # of features and labels: those ahead, the next one and that of the loop
        self._memory = _Memory(2 * (min(owner._plan.prefetch, _PREFETCH_MOST) + 2))
        self._open(token, worker)

    def _open(self, token, worker):
        self._base = token
        plan = self._owner._plan
        self._feed = plan.open(self._epoch, self._shard, token, worker, self._workers)
        self._widths = self._feed.widths
        self._no_labels = None if self._widths[1] else \
            self._owner._empty(plan.batch_rows, 0, plan.label_letter, self._memory)
        self._is_over = False
        self._lend_up_to(min(plan.prefetch, _PREFETCH_MOST))

    def _lend_up_to(self, most):
        while self._feed.lent < most:
            self._lend()

    def _lend(self):
        """Give the feed new matrices for one more batch."""
        owner, plan = self._owner, self._owner._plan
        features, to_fill = owner._empty(plan.batch_rows, self._widths[0], plan.letter, self._memory)
        labels, labels_to_fill = self._no_labels or owner._empty(plan.batch_rows, self._widths[1], plan.label_letter,
                                                                 self._memory)
        self._feed.lend(to_fill, labels_to_fill, (features, labels))

    def __iter__(self):
        return self

    def __next__(self):
        if not self._turn.acquire(blocking=False):
            raise RuntimeError("another call is using this feed: a feed is for one thread at a time")
        try:
            return self._next()
        finally:
            self._turn.release()

    def _next(self):
        owner, plan = self._owner, self._owner._plan
        if self._is_over:
            raise StopIteration
        # First, because there may be no memory; the thread then has as many to fill as before.
        self._lend_up_to(min(plan.prefetch, _PREFETCH_MOST) + 1)
        try:
            found = self._feed.next()
        except _errors.LimitError as error:
            if error.rule == "na":
                raise _as_na(error) from None
            raise
        if found is None:
            self._is_over = True
            owner._tell()
            raise StopIteration
        self._delivered += 1
        rows, (features, labels) = found[0], found[5]
        if rows < plan.batch_rows:
            features, labels = features[:rows], labels[:rows]
        return owner._batch(features, labels[:, 0] if plan.is_one_label else labels, found)

    def state_dict(self):
        """The position after the batch that was delivered last, as JSON can hold it."""
        return {"dataview": 1, "token": self._feed.token(None), "delivered": self._delivered > 0}

    def load_state_dict(self, state):
        """Go on after that batch.  By a worker of a loader, for as many workers as before."""
        token = token_of(state)
        self._epoch = epoch_of(token)
        # batches are counted from the one after the token: of W workers this one has the last of them
        self._open(token, self._workers - 1 if state.get("delivered", True) else self._worker)
        self._delivered = int(state.get("delivered", True))

    def close(self):
        """Stop reading ahead."""
        self._feed.close()
        self._is_over = False  # the next call says that the feed is closed


def _as_na(error):
    """NAError with the message of the library, which names column and row."""
    result = _errors.NAError.__new__(_errors.NAError)
    _errors.Error.__init__(result, f"{error} (na= or label_na= says what NA becomes)", error.file,
                           error.offset, error.rule, error.expected, error.found)
    result.column = result.row = result.type = None
    return result


def token_of(state):
    if not isinstance(state, dict) or state.get("dataview") != 1 or not isinstance(state.get("token"), str):
        raise ValueError(f"no state of a feed: {json.dumps(state, default=str):.80}; expected what "
                         "state_dict() returned")
    return state["token"]


class Feed:
    """Batches of features and labels, epoch after epoch: `for X, y in feed`.

    One loop is one epoch; the next one is the next epoch.  `state_dict()` and `load_state_dict()` go on
    after a crash with the very next batch."""

    def __init__(self, table, features=None, labels=None, *, batch_rows=256, shuffle=False, seed=0, shard=(0, 1),
                 shard_size="as_is", drop_last=False, dtype="f4", na="nan", label_dtype=None, label_na="raise",
                 prefetch=2, threads=0, pool_rows=0, ids=False, **unknown):
        _hints.refuse("feed", unknown, _hints.FEED, {"features", "labels", *Feed.__init__.__kwdefaults__})
        self._plan = Plan(table, features, labels, batch_rows, shuffle=shuffle, seed=seed, shard=shard,
                          shard_size=shard_size, drop_last=drop_last, dtype=dtype, na=na, label_dtype=label_dtype,
                          label_na=label_na, prefetch=prefetch, threads=threads, pool_rows=pool_rows, ids=ids)
        self._bad_fields = []  # already reported
        self._epoch = 0       # of the next loop
        self._resume = None   # the token at which it begins
        self._current = None  # the loop that goes on

    # --- What subclasses change -----------------------------------------------------------------------

    def _empty(self, rows, width, letter, memory):
        """A new matrix, and what the library fills: the same memory."""
        matrix = memory.matrix(rows, width, DTYPES[letter])
        return matrix, matrix

    def _batch(self, features, labels, found):
        return (features, labels) if self._plan.labels else features

    def _shard(self):
        """The rank, and how many there are."""
        index, count = self._plan.shard
        return operator.index(index), operator.index(count)

    # --- Epochs ---------------------------------------------------------------------------------------

    @property
    def epoch(self):
        """The epoch of the next loop, from 0 on."""
        return self._epoch

    def set_epoch(self, epoch):
        """Make `epoch` that of the next loop.  The epoch that a loaded state is in keeps its position."""
        if epoch != self._epoch:
            self._resume = None
        self._epoch = operator.index(epoch)
        self._current = None

    def _tell(self):
        """Warn of what the text that was read did not hold, unless an earlier epoch has told the same."""
        table = self._plan.table
        found = table.bad_fields()
        if found != self._bad_fields:
            self._bad_fields = found
            table._tell_bad_fields()

    def _begin(self):
        """The epoch and the token of the loop that begins now; the next one is the next epoch."""
        begun = self._epoch, self._resume
        self._epoch, self._resume = self._epoch + 1, None
        return begun

    def __iter__(self):
        epoch, token = self._begin()
        self._current = Batches(self, epoch, token, self._shard())
        return self._current

    def __len__(self):
        """Batches of an epoch."""
        rows = self._plan.rows(self._shard())
        if rows is None:
            raise TypeError("the number of rows is not known without reading them all: cache the table first")
        whole, rest = divmod(rows, self._plan.batch_rows)
        return whole + (rest > 0 and not self._plan.drop_last)

    # --- State ----------------------------------------------------------------------------------------

    def state_dict(self, batches=None):
        """The position: after the batch that the loop got last; with `batches`, after so many batches of
        this epoch, for a loop that another loader runs ahead of."""
        if self._current is not None and batches is None:
            token = self._current._feed.token(None)
        else:
            current = self._current
            epoch, base = (self._epoch, self._resume) if current is None else (current._epoch, current._base)
            token = self._plan.open(epoch, self._shard(), base, prefetch=0).token(batches)
        return {"dataview": 1, "token": token}

    def load_state_dict(self, state):
        """Begin the next loop at the position; ArgumentError for one of another file, seed or order."""
        token = token_of(state)
        epoch = epoch_of(token)
        self._plan.open(epoch, self._shard(), token, prefetch=0).close()
        self._epoch, self._resume, self._current = epoch, token, None

    def __repr__(self):
        p = self._plan
        rank, ranks = self._shard()
        rows = p.table.num_rows
        return (f"<{type(self).__name__}: {'?' if rows is None else rows} rows, batches of {p.batch_rows}; "
                f"features {', '.join(p.features[:4])}{', ...' if len(p.features) > 4 else ''} "
                f"({DTYPES[p.letter]}); labels {', '.join(p.labels) or 'none'}; shuffle {p.shuffle}, seed {p.seed}; "
                f"rank {rank} of {ranks}; epoch {self._epoch}>")
