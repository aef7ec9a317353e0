# SPDX-License-Identifier: MIT
"""Feeds: batches of features and labels for training loops, filled by the library into arrays."""

import importlib.util
import json
import operator
import sys
import threading

from . import _cost, _errors, _hints, _matrices, _recipe

_PREFETCH_MOST = 1024  # DV_FEED_PREFETCH_MOST
_BLOCK_ROWS = 1024  # of tables that are not stored in blocks (epoch.h)


class Plan:
    """The options of a feed: plain values, found once from them and the schema of its table."""

    def __init__(self, table, features, labels, batch_rows, *, shuffle, seed, shard, shard_size, shard_by, drop_last,
                 prefetch, threads, pool_rows, ids, text_as, **matrices):
        self.table = table
        # each value of a batch; of these the library's thread fills the matrices, and others come as they are
        self.values, self.whole, self.is_named = _matrices.plan(table.schema, features, labels, **matrices)
        self.matrices = [m for m in self.values if isinstance(m, _matrices.Matrix)]
        self.shown = [m for m in self.values if hasattr(m, "letter")]
        padded = [name for m in self.values if hasattr(m, "pads") for name in m.columns]
        self.columns = list(dict.fromkeys([*self.whole.values(), *padded]))
        self.batch_rows = operator.index(batch_rows)
        self.shuffle = self._shuffle(shuffle)
        self.seed, self.shard, self.shard_size, self.shard_by = seed, shard, shard_size, shard_by
        if shard_by not in (None, "rows", "blocks"):
            raise ValueError(f"shard_by={shard_by!r}: expected 'rows' or 'blocks'")
        self._warn_of_cost()
        self.drop_last, self.ids = drop_last, ids
        self.prefetch, self.threads, self.pool_rows = prefetch, threads, pool_rows
        if text_as not in ("list", "arrow"):
            raise ValueError(f"text_as={text_as!r}: expected 'list' or 'arrow'")
        self.text_as = text_as

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

    def _read(self):
        """The names of the columns that are read."""
        return sorted({*self.columns, *(name for m in self.matrices for name in m.columns)})

    def _warn_of_cost(self):
        """Report that an epoch fetches bytes of remote files several times."""
        sentence = _cost.warning(self.table, self._read(), self.shuffle)
        if sentence:
            _errors.warn(sentence)

    def cost(self, shard):
        """As Feed.cost."""
        by_blocks = shard[1] > 1 and self.table.num_rows is not None and self._shard_by(shard[1]) == "blocks"
        return _cost.of_epoch(self.table, self._read(), self.shuffle, self.rows(shard), by_blocks)

    def _shard_by(self, shards):
        """How a pool is divided among ranks: by blocks, which each rank fetches alone, unless there are so few of
        them that ranks would be padded with more than an eighth of the rows of others."""
        if self.shard_by is not None:
            return self.shard_by
        if self.shuffle not in ("pool", "blocks") or shards < 2:
            return "default"
        rows, block_rows = self.table.count(), self.table._view.block_rows or _BLOCK_ROWS
        blocks = -(-rows // block_rows)
        return "rows" if 8 * (-blocks % shards) > blocks else "blocks"

    def order(self, epoch, shard):
        return {"shuffle": self.shuffle, "seed": self.seed, "epoch": epoch, "shard": shard[0], "shards": shard[1],
                "shard_by": self._shard_by(shard[1]), "shard_size": self.shard_size, "pool_rows": self.pool_rows}

    def open(self, epoch, shard, token=None, worker=0, workers=1, prefetch=None, epochs=1):
        """A feed of one epoch, or of what a token says is left of it."""
        matrices = [m.request(self.table.schema) for m in self.matrices]
        options = {"batch_rows": self.batch_rows, "drop_last": self.drop_last, "ids": self.ids, "epochs": epochs,
                   "prefetch": self.prefetch if prefetch is None else prefetch, "threads": self.threads,
                   "worker": worker, "workers": workers}
        if token is not None:
            options["token"] = token
        columns = [self.table.schema[name].index for name in self.columns]
        names = {name: self.columns.index(column) for name, column in self.whole.items()}
        return self.table._view.feed(matrices, columns, names, options, self.order(epoch, shard))

    def columns_of(self, batch):
        """The columns of a batch that are delivered as they are, by name."""
        if self.text_as == "list":
            return {name: batch[name].to_pylist() for name in self.whole}
        pyarrow = _errors.needed("pyarrow", "arrow", "text_as='arrow'")
        return {name: pyarrow.array(batch[name]) for name in self.whole}

    def rows(self, shard):
        """The rows of an epoch that one rank gets; None: the table does not know its rows."""
        if self.table.num_rows is None:
            return None
        return len(self.table._then("epoch", self.order(0, shard)))

    def is_over(self, token, shard):
        """Whether no batch of its epoch comes after a token."""
        _, epoch, start, delivered, *_ = token.split("-")
        left = len(self.table._then("epoch", {**self.order(int(epoch), shard), "start": int(start)})) - int(delivered)
        return left < (self.batch_rows if self.drop_last else 1)


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

    def matrix(self, rows, width, letter):
        """A new array; of bfloat16 the bits.  What shares its memory refers to the bytes that are kept."""
        import numpy as np

        nbytes = rows * width * _matrices.NBYTES[letter]
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
        dtype = "uint16" if letter == "y" else _matrices.DTYPES[letter]
        return np.ndarray((rows, width), dtype, kept[k], self._firsts[k])


class Batches:
    """One epoch of a feed, batch by batch: an iterator."""

    def __init__(self, owner, epoch, token, shard, worker=0, workers=1):
        self._owner, self._epoch, self._shard = owner, epoch, shard
        self._worker, self._workers = worker, workers
        self._delivered = 0
        self._feed = None
        self._pads = len(owner._plan.matrices) < len(owner._plan.values)
        self._turn = threading.Lock()  # one thread gets the next batch at a time
        # each matrix has one for every batch ahead, for the next one and for the loop
        self._memory = _Memory(len(owner._plan.matrices) * (min(owner._plan.prefetch, _PREFETCH_MOST) + 2))
        self._open(token, worker)

    def _open(self, token, worker):
        self._base = token
        plan = self._owner._plan
        self._feed = plan.open(self._epoch, self._shard, token, worker, self._workers)
        self._from, self._made = worker, 0  # padded batches of this feed that the loop got
        self._found = None                  # the next one, whose rows could not be padded
        self._widths = self._feed.widths
        self._is_over = False
        self._lend_up_to(min(plan.prefetch, _PREFETCH_MOST))

    def _lend_up_to(self, most):
        while self._feed.lent < most:
            self._lend()

    def _lend(self):
        """Give the feed new matrices for one more batch."""
        owner, plan = self._owner, self._owner._plan
        made = [owner._empty(plan.batch_rows, width, m.letter, self._memory)
                for m, width in zip(plan.matrices, self._widths)]
        self._feed.lend([to_fill for _, to_fill in made], [matrix for matrix, _ in made])

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
        # First: if memory is short, the thread still has the matrices that it had before.
        self._lend_up_to(min(plan.prefetch, _PREFETCH_MOST) + 1)
        try:
            found = self._feed.next() if self._found is None else self._found
            padded = self._pad(found) if self._pads and found else ()
        except _errors.LimitError as error:
            if error.rule == "na":
                raise _as_na(error) from None
            raise
        if found is None:
            self._is_over = True
            owner._tell()
            raise StopIteration
        self._delivered += 1
        rows, matrices = found[0], found[5]
        if rows < plan.batch_rows:
            matrices = [matrix[:rows] for matrix in matrices]
        values = [x[:, 0] if m.is_flat else x for m, x in zip(plan.matrices, matrices)]
        return owner._batch(self._in_order(values, padded) if padded else values, found)

    def _pad(self, found):
        """The values of a batch whose rows vary in length.  After an error the next call tries the batch again."""
        from . import _pad

        self._found = found
        plan, where = self._owner._plan, f"epoch {found[1]}, the batch from row {found[2]} on"
        rows = _pad.Rows(self._owner, found[6], where, plan.columns)
        padded = [m.make(rows) for m in plan.values if not isinstance(m, _matrices.Matrix)]
        self._found = None
        self._made += 1
        return padded

    def _in_order(self, *parts):
        """Matrices that the library's thread filled, and those that were padded, as the plan lists them."""
        filled, padded = map(iter, parts)
        return [next(filled if isinstance(m, _matrices.Matrix) else padded) for m in self._owner._plan.values]

    def token(self):
        """The position after the batch that the loop got last."""
        if self._found is None:
            return self._feed.token(None)
        made = self._made  # the feed has delivered one more; workers have its batches in turn
        return self._feed.token((made - 1) * self._workers + self._from + 1 if made else 0)

    def state_dict(self):
        """The position after the batch that was delivered last, as JSON can hold it."""
        return {"dataview": 1, "token": self.token(), "delivered": self._delivered > 0}

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

    features may be a dict, {"pixels": ["x", "y"], "review": "text"}: then a batch is a dict with a matrix of each
    name, and `dtype` and `na` may be dicts with the same names.  A column of texts, or of vectors whose size
    varies (without `widths` or `pad`), comes as a list, or with text_as="arrow" as a pyarrow array.

    pad: what becomes of vectors whose size varies.  "longest": a matrix as wide as the longest row of the batch; a
    number: of that many slots; a dv.Pad, which has other options; "nested": a Ragged(values, offsets).  One for all of
    them, or a dict by the names of matrices or columns.

    One loop is one epoch; the next one is the next epoch.  `state_dict()` and `load_state_dict()` go on after
    a crash with the very next batch."""

    def __init__(self, table, features=None, labels=None, *, batch_rows=256, shuffle=False, seed=0, shard=(0, 1),
                 shard_size="as_is", shard_by=None, drop_last=False, dtype=None, na=None, na_mask=False,
                 label_dtype=None, label_na="raise", widths=None, pad=None, text_as="list", prefetch=2, threads=0,
                 pool_rows=0, ids=False, exclude=None, **unknown):
        _hints.refuse("feed", unknown, _hints.FEED, {"features", "labels", *Feed.__init__.__kwdefaults__})
        table = table if exclude is None else table.exclude(exclude)
        self._plan = Plan(table, features, labels, batch_rows, shuffle=shuffle, seed=seed, shard=shard,
                          shard_size=shard_size, shard_by=shard_by, drop_last=drop_last, dtype=dtype, na=na,
                          na_mask=na_mask, label_dtype=label_dtype, label_na=label_na, widths=widths,
                          pad=pad, text_as=text_as, prefetch=prefetch, threads=threads, pool_rows=pool_rows, ids=ids)
        self._check_items()
        self._bad_fields = []  # already reported
        self._epoch = 0       # the next loop has it
        self._resume = None   # the token at which it begins
        self._current = None  # the loop that goes on

    # --- What subclasses change -----------------------------------------------------------------------

    def _check_items(self):
        """Refuse matrices whose items this framework does not have."""
        if any(m.letter == "y" for m in self._plan.shown):
            if importlib.util.find_spec("ml_dtypes") is None:
                raise ValueError("dtype='bfloat16': NumPy has none of its own: pip install ml_dtypes, or use "
                                 "dv.torch.Dataset")
            importlib.import_module("ml_dtypes")  # which gives it to NumPy

    def _empty(self, rows, width, letter, memory):
        """A new matrix, and what the library fills: the same memory."""
        matrix = memory.matrix(rows, width, letter)
        return (matrix.view("bfloat16") if letter == "y" else matrix), matrix

    def _ragged(self, values, offsets):
        """Rows end to end."""
        from ._pad import Ragged

        return Ragged(values, offsets)

    def _batch(self, values, found):
        """A batch for the loop: a dict of named matrices, (features, labels), or features alone."""
        if self._plan.is_named:
            named = {m.name: value for m, value in zip(self._plan.values, values)}
            return named if not self._plan.whole else {**named, **self._plan.columns_of(found[6])}
        return tuple(values) if len(values) > 1 else values[0]

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
        """Let the next loop have this epoch.  The epoch that a loaded state is in keeps its position."""
        if epoch != self._epoch:
            self._resume = None
        self._epoch = operator.index(epoch)
        self._current = None

    def skip(self, batches):
        """Begin the next loop later by this number of batches, in a later epoch if its own has fewer.  No row is read:
        to skip a million batches takes no longer than one."""
        if operator.index(batches) < 0:
            raise ValueError(f"{batches} batches to skip: expected at least 0")
        shard, self._current = self._shard(), None
        if batches:
            token = self._plan.open(self._epoch, shard, self._resume, prefetch=0, epochs=-1).token(batches)
            is_over = self._plan.is_over(token, shard)
            self._epoch, self._resume = epoch_of(token) + is_over, None if is_over else token

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

    @property
    def cost(self):
        """The most that the next epoch of this rank fetches from remote files, computed before a row is read: a dict
        of `rows`, `nbytes`, `requests`, and `later_nbytes` for each epoch after it.  None: the rows are not remote.
        A table of an unknown number of rows gives None for each of these."""
        return self._plan.cost(self._shard())

    # --- State ----------------------------------------------------------------------------------------

    def state_dict(self, batches=None):
        """The position: after the batch that the loop got last; with `batches`, after that number of
        batches of this epoch, for a loop that another loader runs ahead of."""
        if self._current is not None and batches is None:
            token = self._current.token()
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
        matrices = [f"{m.name} {', '.join(m.columns[:4])}{', ...' if len(m.columns) > 4 else ''} "
                    f"({_matrices.DTYPES[m.letter]})" for m in p.shown]
        cost = self.cost
        fetched = f"; fetches {_cost.shown(cost['nbytes'])}" if cost and cost["nbytes"] is not None else ""
        shown = "; ".join([*matrices, *(f"{name} {column}" for name, column in p.whole.items())])
        return (f"<{type(self).__name__}: {'?' if rows is None else rows} rows, batches of {p.batch_rows}; "
                f"{shown}; shuffle {p.shuffle}, seed {p.seed}; rank {rank} of {ranks}; epoch {self._epoch}{fetched}>")
