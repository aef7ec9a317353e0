# SPDX-License-Identifier: MIT
"""What a Table becomes: arrays, frames, statistics, files, and text for people."""

import contextlib
import functools

from . import _errors, _progress, _repr, _values
from ._column import names_of


def told(method):
    """A method that reads all rows, and then warns of what text did not hold."""

    @functools.wraps(method)
    def reads(self, *args, **options):
        result = method(self, *args, **options)
        self._tell_bad_fields()
        return result

    return reads


class Output:
    __slots__ = ()

    def bad_fields(self):
        """What the text read so far did not hold, as sentences: lines too short, which read as NA,
        and bytes that are not UTF-8.  Methods that read all rows say it as a DataWarning."""
        return [f"{file}: {sentence}" for file, sentence in self._view.bad_fields()]

    def _tell_bad_fields(self, floored=0):
        """Give one DataWarning of the losses so far: fields of text, and digits of times."""
        sentences = [] if self._closed else self.bad_fields()
        if sentences:
            sentences[-1] += " (dv.open(..., bad_fields='refuse') makes it an error)"
        if floored:
            sentences.append(_errors.floored(floored))
        if sentences:
            _errors.warn("; ".join(sentences))

    # --- Arrow -----------------------------------------------------------------------------------

    def __arrow_c_stream__(self, requested_schema=None):
        """The rows as an Arrow stream: pyarrow.table(t), polars.DataFrame(t), duckdb.sql("from t").

        Every call opens a fresh stream.  docs/python-arrow.md says what is in place."""
        return self._arrow_stream({}, {}, None, self._tell_bad_fields)

    def __arrow_c_schema__(self):
        return self._view.arrow_schema(None, {}, {})

    def _arrow_stream(self, cursor, options, failures, told):
        return self._view.arrow_stream(None, cursor, options, failures, told)

    def arrow_stream(self, *, rows=0, threads=0, na="null", keys="classes", times="us",
                     vectors="by_size", offsets=False, nan_is_null=False):
        """The rows as an object that any Arrow library reads, with options.

        rows: of each batch but the last; 0: as they are stored, blocks of fewer than 1,024 gathered.
        na: "null", or "keep" the stored numbers.  keys: "classes" (dictionaries, else numbers from 0),
        "meant" (else the numbers that are meant), "stored".  times: "us" (floored), "exact" (a finer
        time raises), "ns", "ticks".  vectors: "by_size", "dense", "sparse".  offsets: DZ with its
        minutes.  nan_is_null: NaN becomes null."""
        return ArrowStream(self, {"batch_rows": rows, "threads": threads}, {
            "na": na, "keys": keys, "times": times, "vectors": vectors, "offsets": offsets,
            "nan_is_null": nan_is_null})

    def to_arrow(self, **options):
        """All rows as a pyarrow.Table, in place where the file's layout allows.  options: those of
        arrow_stream()."""
        pyarrow = _errors.needed("pyarrow", "arrow", "to_arrow()")
        with self._watched_stream(options) as stream:
            table = pyarrow.RecordBatchReader.from_stream(stream).read_all()
        self._tell_bad_fields(sum(stream.floored))
        return table

    @contextlib.contextmanager
    def _watched_stream(self, options):
        """arrow_stream() for a library whose own exceptions would hide the one that ended the stream."""
        stream = self.arrow_stream(**options)
        stream.failures, stream.told = [], stream.floored.append
        try:
            yield stream
        finally:
            if stream.failures:
                raise stream.failures[-1]

    def to_pandas(self, *, dtype_backend=None, **options):
        """All rows as a pandas.DataFrame.

        Integers with NA become Int64, which has NA; those without it are as in NumPy.  dtype_backend:
        "pyarrow" or "numpy_nullable".  options: those of arrow_stream()."""
        pandas = _errors.needed("pandas", "pandas", "to_pandas()")
        if dtype_backend not in (None, "pyarrow", "numpy_nullable"):
            raise ValueError(f"dtype_backend={dtype_backend!r}: expected 'pyarrow' or 'numpy_nullable'")
        table = _with_categories(self.to_arrow(**options))
        if dtype_backend is None:
            return _with_nullable_integers(pandas, table)
        return table.to_pandas(types_mapper=pandas.ArrowDtype if dtype_backend == "pyarrow" else
                               lambda type_: _nullable(pandas, type_))

    def to_polars(self, **options):
        """All rows as a polars.DataFrame.  options: those of arrow_stream()."""
        polars = _errors.needed("polars", "polars", "to_polars()")
        with self._watched_stream(options) as stream:
            frame = polars.DataFrame(stream)
        self._tell_bad_fields(sum(stream.floored))
        return frame

    def to_pylist(self, columns=None):
        """All rows as a list of dicts."""
        return list(self.iter_rows(columns))

    def to_pydict(self, columns=None):
        """All rows as a dict of lists."""
        result = {}
        for _, lists in _values.lists(self.batches(columns)):
            for name, values in lists.items():
                result.setdefault(name, []).extend(values)
        names = self.columns if columns is None else names_of(columns, self.schema)
        return result or {name: [] for name in names}

    # --- NumPy and SciPy -------------------------------------------------------------------------

    @told
    def to_numpy(self, columns=None, dtype=None, na="nan", *, threads=0, progress=None):
        """Numeric columns side by side as a matrix of its own: rows x all their slots.

        columns: names; None: all.  Numbers, BL and vectors of them; an error names the others.  dtype:
        None: as NumPy promotes the columns, integers to integers, and to float64 if one of them has NA;
        "f4", "f8", or "i8" (no reals, but keys too, as class numbers).  Integers that float64 may round
        are a DataWarning.  na: "nan" (of "i8" an error), "raise", "keep", or a value.
        `t["Age"].to_numpy()` is one column in its own type."""
        from ._numpy import table_to_matrix

        return table_to_matrix(self, self._columns(columns), dtype, na, threads, _progress.of(progress))

    def __array__(self, dtype=None, copy=None):
        if copy is False:
            raise ValueError("a table is always copied into a matrix: copy=False is not possible")
        return self.to_numpy(dtype=dtype)

    @told
    def to_csr(self, column=None, dtype="f4", *, all_slots=False, threads=0, progress=None):
        """A column of vectors as a scipy.sparse.csr_array.

        column: None: the only one.  An entry for each stored item, zeros included; all_slots: one for
        each slot of dense rows.  int32 indices, and int64 from 2^31 entries on."""
        csr_array = _errors.needed("scipy.sparse", "scipy", "to_csr()", "SciPy").csr_array
        import numpy as np

        from . import _numpy

        letter = _numpy.matrix_letter(dtype)
        if letter == "q":
            raise ValueError("the data of a sparse matrix are float32 or float64")
        options = {"all_slots": all_slots, "threads": threads}
        if column is not None:
            options["column"] = self.schema[names_of(column, self.schema)[0]].index
        report = _progress.of(progress)
        try:
            parts = self._view.csr(False, letter, options, report)
        except _errors.LimitError as error:
            if "indptr" not in str(error):
                raise
            parts = self._view.csr(True, letter, options, report)
        rows, columns, indptr, indices, data = parts
        width = np.int64 if len(memoryview(indptr)) and memoryview(indptr).itemsize == 8 else np.int32
        data, indices = np.asarray(data), np.asarray(indices)
        return csr_array((data, indices.astype(width, copy=False), np.asarray(indptr)),
                         shape=(rows, columns))

    # --- Statistics ------------------------------------------------------------------------------

    @told
    def stats(self, columns=None, *, slots=(), threads=0, progress=None, **options):
        """Statistics by column, in one pass: a dict of dicts with values, na, min, max, mean, sd,
        quantiles (1, 5, 25, 50, 75, 95, 99 %), distinct, top, bins (include/dataview/stats.h).  Times
        are times, their `sd` a timedelta, and those of DZ in UTC; keys are what they stand for.

        slots: vectors of known size whose slots have statistics of their own, under `name[slot]`."""
        from ._stats import shown

        numbers = self._columns(columns)
        slot_numbers = self._columns(slots) if slots else None
        rows, found = self._view.stats(numbers, slot_numbers, threads, options,
                                       _progress.of(progress))
        fields = self.schema.fields
        result = {}
        for entry in found:
            name = fields[entry.pop("column")].name
            slot = entry.pop("slot")
            entry["rows"] = rows
            result[name if slot < 0 else f"{name}[{slot}]"] = shown(entry, self.schema[name])
        return result

    def describe(self, columns=None, **options):
        """Statistics as a table for people; its `.stats` is that of stats()."""
        return _repr.Description(self, self.stats(columns, **options))

    @told
    def value_counts(self, column, most=None, *, exact_distinct=1_000_000, threads=0, progress=None):
        """How often each value of a column occurs, the most frequent first: {value: count}.

        most: how many values; None: all.  Raises ValueError if there are too many different values
        to count exactly (exact_distinct)."""
        name = names_of(column, self.schema)[0]
        values, counts, _, _, missed = self._view.counts(
            self.schema[name].index, exact_distinct if most is None else most, exact_distinct, threads,
            _progress.of(progress))
        if missed:
            raise _errors.LimitError(
                f"column {name!r} has more than {exact_distinct:,} different values: set "
                "exact_distinct higher")
        return dict(zip(values, counts))

    def verify(self, *, most=1000, progress=None):
        """Read every byte and check all rules: a list of defects, each a dict; empty: sound.

        Entries whose status is 0 are warnings."""
        return self._view.verify(most, _progress.of(progress))

    def equals(self, other, *, threads=0, progress=None):
        """Whether another table has the same columns, in the same order, with the same values: NaN
        equals NaN, and -0.0 is not 0.0.  Reads both; their metadata and formats may differ."""
        if not hasattr(other, "_view"):
            raise TypeError(f"equals() compares with a Table, not with {type(other).__name__}")
        if self.schema != other.schema or None is not self.num_rows != other.num_rows is not None:
            return False
        report = _progress.of(progress)
        rows, mine = self._view.digest(self._columns(None), threads, report)
        other_rows, its = other._view.digest(other._columns(None), threads, report)
        if rows != other_rows:
            return False
        differ = [f for f, a, b in zip(self.schema, mine, its) if a != b]
        if not all(f.type.kind in ("R4", "R8") for f in differ):
            return False
        from . import _numpy  # digests tell NaN from NaN of other bits

        return all(_numpy.same_reals(self, other, f.name) for f in differ)

    def identity(self):
        """A number that differs between tables of other bytes, steps or options: what tokens
        compare."""
        return self._view.identity()

    # --- Files and people ------------------------------------------------------------------------

    def feed(self, features=None, labels=None, **options):
        """Batches for training, epoch after epoch: `for X, y in t.feed(["Age"], "Label", batch_rows=256)`.

        features: columns side by side in a matrix; None: all of numbers but the labels.  labels: columns;
        None: batches are matrices alone.  options: batch_rows (256); shuffle (False, True, "uniform",
        "pool", "blocks"), seed; shard=(index, count), shard_size, shard_by; drop_last; dtype, na; label_dtype,
        label_na; na_mask, widths, pad, text_as; prefetch (2 batches that a thread fills ahead), threads; exclude (rows
        left out, as exclude() takes them).  docs/python-training.md"""
        from ._feed import Feed

        return Feed(self, features, labels, **options)

    def write(self, path, **options):
        """Save the rows as a file, and return their number: see dv.write."""
        from ._write import write

        return write(self, path, **options)

    def __repr__(self):
        return _repr.text(self)

    def _repr_html_(self):
        return _repr.html(self)


def _with_categories(table):
    """pandas refuses categories that are NA or NaN: columns that have such ones become their values.
    All chunks have the same dictionary."""
    for k, column in enumerate(table.columns):
        if hasattr(column.type, "value_type") and hasattr(column.type, "index_type") and any(
                chunk.dictionary.to_pandas().isna().any() for chunk in column.chunks[:1]):
            table = table.set_column(k, table.field(k).name, column.cast(column.type.value_type))
    return table


def _with_nullable_integers(pandas, table):
    """The frame; integers with NA, of which pandas makes floating-point numbers, are Int64."""
    numbers = [k for k, column in enumerate(table.columns)
               if column.null_count and str(column.type).startswith(("int", "uint"))]
    frame = table.select([k for k in range(table.num_columns) if k not in numbers]).to_pandas()
    for k in numbers:
        wide = "uint64" if str(table.field(k).type) == "uint64" else "int64"
        dtype = pandas.UInt64Dtype() if wide == "uint64" else pandas.Int64Dtype()
        column = table.column(k).cast(wide).to_pandas(types_mapper=lambda type_, dtype=dtype: dtype)
        frame.insert(k, table.field(k).name, column)
    return frame


def _nullable(pandas, type_):
    """The dtype of pandas that holds an Arrow type and NA; None: pandas chooses."""
    names = {"bool": "boolean", "string": "string", "float": "Float32", "double": "Float64"}
    name = str(type_)
    if name[:3] == "int":
        name = name.title()
    elif name[:4] == "uint":
        name = "UInt" + name[4:]
    else:
        name = names.get(name, "")
    return pandas.api.types.pandas_dtype(name) if name else None


class ArrowStream:
    """Rows of a table with options, for any Arrow library: every call opens a fresh stream."""

    __slots__ = ("table", "cursor", "options", "failures", "floored", "told")

    def __init__(self, table, cursor, options):
        self.table, self.cursor, self.options = table, cursor, options
        self.floored = []
        self.failures = None  # or a list, which gets the exceptions of calls that failed
        self.told = table._tell_bad_fields  # called after the last batch with the times that were floored

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table._arrow_stream(self.cursor, self.options, self.failures, self.told)

    def __arrow_c_schema__(self):
        return self.table._view.arrow_schema(None, self.cursor, self.options)
