# SPDX-License-Identifier: MIT
"""Tables: immutable, lazy views of rows."""

import operator
import os

from . import (_counts, _errors, _expr, _fit, _output, _progress, _recipe, _remote, _sample, _schema, _sequences, _types,
               _values)
from ._column import Column, names_of

_generation = 0  # counts forks: a child makes the views of its tables anew


def _forked():
    global _generation
    _generation += 1
    from . import _core

    _core.forked()


os.register_at_fork(after_in_child=_forked)


class Table(_sample.Samples, _sequences.Sequences, _output.Output):
    """An immutable table whose rows are read when they are asked for.

    `t["Age"]` is a Column, `t[["Age", "Label"]]` and `t[10:20]` are Tables, `t[5]` is a row as a dict,
    `t[t["Age"] >= 18]` are the rows that pass, `t[mask]` and `t[[7, 3]]` rows by a Boolean array or by
    number.  A Table iterates over the names of its columns, as pandas does; `iter_rows()` and
    `batches()` read rows.  Any number of threads may use a Table at the same time.  It pickles as a
    recipe: paths, options and steps, not rows.

    >>> import libdataview as dv
    >>> t = dv.open("examples/sample.idv")
    >>> t.filter("Age > 80")[["Name", "Age"]].head(1).to_pylist()
    [{'Name': 'user 2439', 'Age': 81.0}]
    """

    __slots__ = ("_made", "_made_in", "_recipe", "_sources", "_schema_", "_closed", "_counted",
                 "__weakref__")

    def __init__(self, *args, **kwargs):
        raise TypeError("make a Table with dv.open(path), dv.from_arrow(data), dv.from_numpy(arrays) "
                        "or dv.from_pandas(frame)")

    def __getattr__(self, name):
        if name.startswith("_"):  # what Python itself looks for
            raise AttributeError(f"a Table has no attribute {name!r}")
        from . import _hints

        raise AttributeError(_hints.of_table(self, name), name=name, obj=self)

    # --- Making ----------------------------------------------------------------------------------

    @classmethod
    def _of(cls, recipe, view=None, sources=()):
        self = object.__new__(cls)
        self._recipe = recipe
        self._sources = tuple(sources)
        self._made = view if view is not None else _recipe.OPERATIONS[recipe[0]](
            *[source._view for source in self._sources], *recipe[1])
        self._made_in = _generation
        self._schema_ = self._counted = None
        self._closed = False
        return self

    def _then(self, name, *args):
        """The table that an operation makes of this one."""
        return Table._of((name, args, (self._recipe,)), _recipe.OPERATIONS[name](self._view, *args), (self,))

    def _rows(self, name, *args):
        """The same of an operation that chooses rows by number: the new table has this one's columns."""
        made = self._then(name, *args)
        made._schema_ = self.schema if self._schema_ is None else self._schema_
        return made

    @property
    def _view(self):
        if self._closed:
            raise ValueError("the table is closed: open it again with dv.open")
        if self._made_in != _generation:
            self._made = _recipe.make(self._recipe)
            self._made_in = _generation
            self._schema_ = None
        return self._made

    @staticmethod
    def _progress(progress):
        return _progress.of(progress)

    def _cursor(self, columns, options, progress=None, told=None):
        names = dict(zip(self.schema._names_of(columns), range(len(columns))))
        return self._view.cursor(columns, names, options, progress, told)

    def _columns(self, columns):
        """Numbers of columns by name or number; None: all that are not hidden."""
        if columns is None:
            return self.schema._numbers()
        if isinstance(columns, (list, tuple)) and any(isinstance(c, int) for c in columns):
            return [self.schema[c].index for c in columns]
        return [self.schema[name].index for name in names_of(columns, self.schema)]

    def close(self):
        """Close the table: no new cursors, columns or tables can be made of it.  What it handed out
        stays valid, and the file is closed when the last of that is gone."""
        self._closed = True
        self._made = self._schema_ = None
        self._sources = ()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    # --- Properties ------------------------------------------------------------------------------

    @property
    def schema(self):
        """Names, types and metadata of the columns."""
        view = self._view
        if self._schema_ is None:
            self._schema_ = _schema.Schema(view)
        return self._schema_

    @property
    def columns(self):
        """The names of the columns that are not hidden, in order."""
        return self.schema.names

    @property
    def num_rows(self):
        """The number of rows that is known: None if it takes reading them all (text of more than 4 MiB, filters), and
        neither count(), len() nor shape has done so."""
        rows = self._view.rows
        if rows is not None:
            return rows
        return _counts.known(self)

    @property
    def num_columns(self):
        return len(self.schema)

    @property
    def shape(self):
        """(rows, columns); rows are counted on first use if they are not known."""
        return self.count(), self.num_columns

    @property
    def kind(self):
        """The format, or the last step: "idv", "filter"."""
        return self._view.kind

    @property
    def text(self):
        """The options with which delimited text was read, if they were found and not given."""
        return self._view.proposal

    @property
    def facts(self):
        """Facts of the file as a dict: sizes, blocks, compression, by column; warnings."""
        return self._view.facts(False)

    def count(self, progress=None):
        """The number of rows; reads them, without columns, if it is not known.  The result is kept."""
        rows = self.num_rows
        if rows is None:
            rows = self._counted = self._view.count(_progress.of(progress))
        return rows

    def __len__(self):
        return self.count()

    def __bool__(self):
        return True

    def __contains__(self, name):
        return name in self.schema

    def __iter__(self):
        return iter(self.columns)

    # --- Selecting -------------------------------------------------------------------------------

    def __getitem__(self, key):
        if isinstance(key, str):
            self.schema[key]  # raises, with the nearest names
            return Column(self, key)
        if isinstance(key, _expr.Condition):
            return self.filter(key)
        if isinstance(key, slice):
            return self._slice_of(key)
        if isinstance(key, tuple) and len(key) == 2 and (key[1] is ... or key[1] == slice(None)):
            return self[key[0]]  # as scikit-learn indexes rows
        if isinstance(key, tuple):
            raise TypeError("t[rows, columns] is not supported: t[columns][rows]")
        if key is None or isinstance(key, bool):
            raise TypeError(f"a table is indexed by names, row numbers, slices, masks and conditions, "
                            f"not by {key!r}")
        if isinstance(key, list) and key and all(isinstance(k, str) for k in key):
            return self.select(*key)
        if hasattr(key, "__index__") and not getattr(key, "ndim", 0):  # arrays have __index__ too
            return self.row(operator.index(key))
        return self._rows_of(key)

    def __setitem__(self, key, value):
        raise TypeError(f"a Table does not change: t = t.with_columns({key if str(key).isidentifier() else 'name'}=\"area * 2\") "
                        "makes one with another column, computed from an expression; dv.zip([t, dv.from_numpy({'name': array})]) "
                        "adds an array")

    def __delitem__(self, key):
        raise TypeError(f"a Table does not change: t = t.drop({key!r}) makes one without the column")

    def _slice_of(self, key):
        start, stop, step = key.start, key.stop, key.step
        if step not in (None, 1):
            import numpy as np

            return self.take(np.arange(*key.indices(self.count())))
        if (start or 0) < 0 or (stop is not None and stop < 0):
            start, stop, _ = key.indices(self.count())
        start = start or 0
        return self.slice(start, None if stop is None else max(stop - start, 0))

    def _rows_of(self, key):
        """Rows by a Boolean array, or by number."""
        import numpy as np

        rows = np.asarray(key)
        if rows.dtype == bool:
            if rows.ndim != 1 or len(rows) != self.count():
                raise IndexError(f"the mask has shape {rows.shape}, the table {self.count()} rows")
            rows = np.flatnonzero(rows)
        elif rows.size == 0 and rows.ndim == 1:
            rows = rows.astype(np.int64)
        if rows.ndim != 1 or rows.dtype.kind not in "iu":
            raise TypeError(f"a table is indexed by names, row numbers, slices, masks and conditions, "
                            f"not by {key!r}")
        return self.take(rows)

    def column(self, i):
        """Column i, hidden ones included, as a table of it alone: to reach a column whose name a
        later one has."""
        field = self.schema[i]
        if not field.is_hidden:
            return self.select(field.name)
        raise _errors.ArgumentError(f"column {i} ({field.name!r}) is hidden by a later column of the "
                                    "same name: read it with batches(columns=[i])")

    def row(self, i):
        """Row i as a dict; -1 is the last one."""
        at = i + self.count() if i < 0 else i
        if 0 <= at < 1 << 63:
            for row in self.slice(at, 1).iter_rows():
                return row
        raise IndexError(f"there is no row {i}")

    def select(self, *columns, **renamed):
        """A table of these columns, in this order; a keyword gives a new name: Size="Length"."""
        names = []
        for column in columns:
            names += names_of(column, self.schema)
        pairs = [(name, None) for name in names]
        pairs += [(names_of(old, self.schema)[0], new) for new, old in renamed.items()]
        return self._then("select", pairs)

    def drop(self, *columns):
        """A table without these columns."""
        names = [n for c in columns for n in names_of(c, self.schema)]
        return self._then("drop", names)

    def keep(self, *columns):
        """A table of these columns alone, in the order that they have."""
        names = [n for c in columns for n in names_of(c, self.schema)]
        return self._then("keep", names)

    def rename(self, mapping=None, **renamed):
        """A table with other names: rename({"old": "new"}) or rename(new="old")."""
        new = dict(mapping or {})
        new.update((old, name) for name, old in renamed.items())
        names_of(list(new), self.schema)
        return self._then("select", [(n, new.get(n)) for n in self.columns])

    def cast(self, types=None, *, strict=True, **by_name):
        """A table whose columns have other types: cast(Age="float32", Label="U4[0-9]").

        NA stays NA, and the empty text becomes NA, but as an item of a vector 0.  A value that the new type cannot
        hold raises LossError while rows are read: a text that is no number, a number out of range, NA where the type has
        none (unsigned numbers, UG: int64 and float64 have NA).  strict=False: such values become NA, or 0 in types without
        NA, and the empty text 0, as in ML.NET (docs/spec/semantics.md 4).

        Dates are read as the text file was opened: in the order that detection found or that its option date= gives.
        One that may be two days, such as 1/2/2003, cannot be read as DT."""
        table = self
        for name, type_ in {**(types or {}), **by_name}.items():
            names_of(name, self.schema)
            old, new = self.schema[name].type, _types.as_type(type_)
            if new.is_key and old.is_number and old.kind[0] in "IU":  # which become keys as text does
                table = table._then("convert", name, "TX", strict)
            table = table._then("convert", name, new.notation, strict)
        return table

    def combine(self, name, columns):
        """A table with a new column that joins columns of one item type into a vector.  A mapping
        gives names to the slots: {"age": "Age"}."""
        if hasattr(columns, "items"):
            pairs = [(source, slot) for slot, source in columns.items()]
        else:
            pairs = [(n, None) for n in names_of(columns, self.schema)]
        names_of([source for source, _ in pairs], self.schema)
        return self._then("combine", name, pairs)

    def with_row_number(self, name="row"):
        """A table with a new column of the row numbers, from 0."""
        return self._then("generate", name, 0, True)

    def filter(self, *conditions):
        """The rows that pass all conditions, tested while rows are read (docs/spec/expressions.md).

        >>> t.filter("price > 3 and town in ('Bath', 'Ely')")  # doctest: +SKIP
        >>> t.filter(dv.col("Age") >= 18, dv.col("Name").is_valid())  # doctest: +SKIP

        A text is an expression of the language that --where of the command reads.  NA passes no
        comparison, and so it passes the `not` (or `~`) of one."""
        if not conditions:
            raise TypeError("filter needs a condition such as dv.col('Age') >= 18 or \"Age >= 18\"")
        whole = _expr._condition(conditions[0])
        for condition in conditions[1:]:
            whole = whole & _expr._condition(condition)
        names_of(sorted(_expr.columns_of(whole)), self.schema)
        fitted = _fit.fitted(whole, self.schema)
        return self._then("where", fitted.text if isinstance(fitted, _expr.Said) else _expr.text_of(fitted))

    def with_columns(self, **columns):
        """The table with further columns, each computed from an expression while rows are read:
        `t.with_columns(x2="area * 2", cheap=dv.col("price") < 3)`.  All see this table, not each
        other; one of an equal name is hidden.  Types: docs/spec/expressions.md, 5."""
        pairs = [(name, self._computed(value)) for name, value in columns.items()]
        return self._then("compute", pairs) if pairs else self

    def _computed(self, value):
        if isinstance(value, _expr.Condition):
            return _expr.text_of(_fit.fitted(value, self.schema))
        return _expr.computed_text(value)

    def dropna(self, *columns):
        """The rows in which none of these columns (none given: none at all) is NA."""
        names = [n for c in columns for n in names_of(c, self.schema)] or self.columns
        return self._then("filter_na", names, False)

    def between(self, column, low=None, high=None, *, include_low=None, include_high=None,
                complement=False):
        """The rows in which a real column, or a key with a count, is at least `low` and below `high`
        (ML.NET's FilterRowsByColumn; of a key its share of the range, from 0 to 1)."""
        ends = tuple(0 if end is None else 1 if end else 2 for end in (include_low, include_high))
        return self._then("filter_range", names_of(column, self.schema)[0], low, high, ends,
                          complement)

    # --- Rows ------------------------------------------------------------------------------------

    def slice(self, offset, length=None):
        """A run of rows."""
        return self._rows("slice_rows", int(offset), -1 if length is None else int(length))

    def repeat(self, times):
        """All rows, `times` times, one after the other; each time with row ids of its own."""
        if times < 0:
            raise ValueError(f"times={times}: expected at least 0")
        return concat([self] * times) if times else self.slice(0, 0)

    def head(self, n=5):
        """The first rows."""
        return self.slice(0, n)

    def tail(self, n=5):
        """The last rows; counts them if their number is not known."""
        rows = self.count()
        return self.slice(max(rows - n, 0), n)

    def take(self, rows):
        """Rows by number, in any order, as often as they are named; -1 is the last one."""
        return self._rows("take", _counts.chosen(self, rows))

    def find(self, key):
        """The number of the row with this key in a set of datadings: `t[t.find("cat.jpg")]`; None: there
        is none.  Of a list of keys a list of them.  Of several files the first that has a key counts."""
        if isinstance(key, str):
            return self._view.find(key)
        if isinstance(key, bytes) or not hasattr(key, "__iter__"):
            raise TypeError(f"find takes a key, which is a str, or a list of keys, not {key!r:.80}")
        return self._view.find_many(list(key))

    def bootstrap(self, seed=0, complement=False):
        """Each row as often as a Poisson draw of mean 1 says (ML.NET's BootstrapSample); complement:
        the rows that are not drawn."""
        return self._then("bootstrap", seed, complement)

    def shuffle(self, seed=0, kind="uniform", epoch=0, *, pool_rows=0, block_rows=0):
        """The rows in the order of an epoch (docs/shuffling.md).

        kind: "uniform", any order, for rows that can be read by number; "pool" and "blocks" read the
        file from block to block.  A seed may be negative: "pool" takes ML.NET's.  Each `epoch` gives a
        different order for the same seed."""
        if kind in ("uniform", "blocks") and self._view.block_rows == 0:
            raise _errors.ArgumentError(
                f"rows of this table ({self.kind}) are reached only in sequence, so that "
                f"kind={kind!r} would read all of them for each row: use cache() or materialize() "
                "first, or kind='pool'")
        return self._then("epoch", {"shuffle": kind, "seed": seed, "epoch": epoch,
                                    "pool_rows": pool_rows, "block_rows": block_rows})

    def shard(self, index, count, *, size="as_is", by="default"):
        """The share of worker `index` of `count`.  After shuffle(), a share of that epoch.  size:
        "as_is", or "drop" and "pad", which give all workers the same number of rows."""
        options = {"shard": index, "shards": count, "shard_size": size, "shard_by": by}
        name, args, _ = self._recipe
        if name == "epoch" and "shards" not in args[0]:
            return self._sources[0]._then("epoch", {**args[0], **options})
        return self._then("epoch", options)

    def info(self):
        """Print what the table is: its number of rows if it is known, its columns and types, and the size of its
        file.  No row is read.

        >>> import libdataview as dv
        >>> dv.from_numpy({"a": [1, 2]}).info()
        table, 2 rows, 1 column
        a  int64  I8
        """
        from . import _repr

        nbytes = self.facts.get("file_nbytes", 0) if self._recipe[0] == "open_files" else 0
        print("\n".join([_repr.title(self), repr(self.schema), *([f"{nbytes:,} bytes"] if nbytes else [])]))

    def cache(self, path=None, *, threads=0, memory_nbytes=0, check=False, progress=None):
        """A table that keeps the values that it has read: in memory, or in a file at `path`, which is
        written once and used by every process (docs/caching.md)."""
        if path is None:
            return self._then("cache", b"", threads, memory_nbytes, check)
        where = os.fsencode(os.path.abspath(_remote.here_only(path, "a cache")))
        args = (where, threads, memory_nbytes, check)
        view = self._view.cache(*args, _progress.of(progress))
        return Table._of(("cache", args, (self._recipe,)), view, (self,))

    def materialize(self, columns=None, *, threads=0, progress=None):
        """A table whose rows are copied into memory now."""
        numbers = None if columns is None else self._columns(columns)
        view = self._view.materialize(numbers, threads, _progress.of(progress))
        return Table._of(("materialize", (numbers, threads), (self._recipe,)), view, (self,))

    # --- Reading ---------------------------------------------------------------------------------

    def batches(self, columns=None, *, rows=0, threads=0, ids=False, start=0, stop=None, token=None,
                zero_copy_only=False, progress=None):
        """A Cursor over the rows, in batches: `for batch in t.batches(["Age"]): batch["Age"]`.

        rows: of each batch but the last; 0: as they are stored, in place.  start, stop: row numbers.
        token: go on after the batch of Cursor.token()."""
        options = {"batch_rows": rows, "threads": threads, "ids": ids, "first_row": start,
                   "end_row": -1 if stop is None else stop, "zero_copy_only": zero_copy_only,
                   "token": token}
        return self._cursor(self._columns(columns), options, _progress.of(progress), self._tell_bad_fields)

    def plan(self, columns=None, *, threads=0, start=0, stop=None):
        """How these rows would be read, as text: print(t.plan()).  It names the source, the columns that are read
        there, steps and conditions, the order, the parts that a thread reads at a time, threads and memory."""
        options = {"threads": threads, "first_row": start, "end_row": -1 if stop is None else stop}
        return self._view.plan(self._columns(columns), options)

    def iter_rows(self, columns=None):
        """The rows as dicts, one after the other: for small tables, and for looking."""
        for rows, lists in _values.lists(self.batches(columns)):
            if not lists:
                yield from ({} for _ in range(rows))
            for values in zip(*lists.values()):
                yield dict(zip(lists, values))

    def map_batches(self, function, columns=None, *, rows=65536):
        """function(batch) for each batch, one after the other, as an iterator."""
        for batch in self.batches(columns, rows=rows):
            yield function(batch)

    # --- Processes -------------------------------------------------------------------------------

    def __reduce__(self):
        from ._pickle import reduce

        return reduce(self)


def _several(tables, function):
    """The tables as a list; TypeError, which shows the call, for anything else."""
    found = [] if isinstance(tables, (Table, str)) or not hasattr(tables, "__iter__") else list(tables)
    if not found:
        raise TypeError(f"{function}() takes a list of Tables: dv.{function}([a, b]), not {type(tables).__name__}")
    for table in found:
        if not isinstance(table, Table):
            raise TypeError(f"{function}() takes Tables, not {type(table).__name__}: dv.{function}([a, b]); "
                            "dv.from_arrow, dv.from_pandas and dv.from_numpy make Tables")
    return found


def concat(tables, *more):
    """The rows of several tables with the same columns, one table after the other.

    >>> import libdataview as dv
    >>> t = dv.open("examples/sample.idv")
    >>> len(dv.concat([t, t]))
    1200
    """
    if more:
        raise TypeError("concat() takes one list of tables: dv.concat([a, b])")
    tables = _several(tables, "concat")
    return Table._of(("concat", (), tuple(t._recipe for t in tables)), None, tables)


def zip_columns(tables, *more):
    """The columns of several tables side by side, as many rows as the shortest has.

    >>> import libdataview as dv
    >>> dv.zip([dv.from_numpy({"a": [1, 2]}), dv.from_numpy({"b": [3, 4]})]).to_pylist()
    [{'a': 1, 'b': 3}, {'a': 2, 'b': 4}]
    """
    if more:
        raise TypeError("zip() takes one list of tables: dv.zip([a, b])")
    tables = _several(tables, "zip")
    return Table._of(("zip_columns", (), tuple(t._recipe for t in tables)), None, tables)
