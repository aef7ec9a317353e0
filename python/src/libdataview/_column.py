# SPDX-License-Identifier: MIT
"""A column of a table, by name: read when its values are asked for."""

from . import _errors, _expr, _values


class Column(_expr.Comparable):
    """A column of a Table; nothing is read before its values are asked for.

    `t["Age"] >= 18` is a condition, which `t[...]` and `filter` take.

    >>> import libdataview as dv
    >>> age = dv.open("examples/sample.idv")["Age"]
    >>> age.dtype, age.max(), age[1:3].to_list()
    (Type('R4'), 89.0, [1.0, 2.0])
    """

    __slots__ = ("table", "name")

    def __init__(self, table, name):
        self.table, self.name = table, name

    @property
    def field(self):
        return self.table.schema[self.name]

    @property
    def type(self):
        """The type: `Type('R4')`."""
        return self.field.type

    @property
    def dtype(self):
        """The type, as `type` has it: equal to "float32", numpy.float32 and "R4"."""
        return self.field.type

    @property
    def metadata(self):
        """The metadata of the column, such as SlotNames, read on demand."""
        return self.field.metadata

    @property
    def slot_names(self):
        """The names of the slots of a vector; None: there are none."""
        return self.metadata.get("SlotNames")

    @property
    def categories(self):
        """The values that keys stand for, in their order; None: there are none."""
        return self.metadata.get("KeyValues")

    def unpack(self):
        """The values of a column of msgpack (datadings: BY with the metadata MsgpackOpaque) as objects:
        dicts, lists, arrays of NumPy; None where a sample has no value.  Pickles raise ValueError."""
        if "MsgpackOpaque" not in self.metadata:
            raise TypeError(f"{self.name!r} is no column of msgpack: it has no metadata MsgpackOpaque")
        from ._msgpack import unpack_column

        with self.table.batches(self.name) as batches:
            return [value for batch in batches for value in unpack_column(batch[0])]

    def __len__(self):
        return len(self.table)

    def __iter__(self):
        for _, lists in _values.lists(self.table.batches([self.name])):
            yield from lists[self.name]

    def __getitem__(self, key):
        """A value by its row number, or a Column of fewer rows."""
        if isinstance(key, str):
            raise TypeError(f"a column is indexed by row numbers, slices, masks and conditions, not by "
                            f"{key!r}")
        if isinstance(key, _expr.Condition):  # on any column of the table
            return self.table[key][self.name]
        return self.table.select(self.name)[key][self.name]

    def __bool__(self):
        raise TypeError("a column has no truth value: use t[t['Age'] >= 18], is_na(), or len()")

    def to_numpy(self, dtype=None, na="raise", *, values=False, dense=False, progress=None):
        """All values as a NumPy array of its own, writable.

        dtype: a floating one makes NA NaN.  na: what NA becomes where the array cannot hold it:
        'raise' (NAError), 'nan', 'mask' (numpy.ma), 'keep' (the stored number), or a value.
        values: of keys, the values that they stand for instead of class numbers from 0.  dense: a
        matrix of vectors of more than 8,192 slots too; Table.to_csr() is the sparse way.
        """
        from . import _numpy

        result = _numpy.column_to_numpy(self.table, self.name, dtype, na, values, dense,
                                        self.table._progress(progress))
        self.table._tell_bad_fields()
        return result

    def __array__(self, dtype=None, copy=None):
        if copy is False:
            raise ValueError("a whole column is always copied: arrays of a batch can be in place")
        return self.to_numpy(dtype)

    def to_pylist(self):
        """All values as a list: None for NA, lists for vectors."""
        return list(self)

    to_list = to_pylist

    def to_arrow(self, **options):
        """All values as a pyarrow.ChunkedArray."""
        return self.table.select(self.name).to_arrow(**options).column(0)

    def to_pandas(self, **options):
        """All values as a pandas.Series."""
        return self.table.select(self.name).to_pandas(**options)[self.name]

    def to_polars(self, **options):
        """All values as a polars.Series."""
        return self.table.select(self.name).to_polars(**options)[self.name]

    def stats(self, **options):
        """Statistics of the column, as Table.stats has them."""
        return self.table.select(self.name).stats(**options)[self.name]

    def value_counts(self, most=None, **options):
        """How often each value occurs, the most frequent first: {value: count}."""
        return self.table.value_counts(self.name, most, **options)

    def unique(self, **options):
        """The different values without NA, in the order of how often they occur."""
        return list(self.table.value_counts(self.name, None, **options))

    def _number(self, what):
        stats = self.stats()
        if stats["ordered"] == 0 and what in ("min", "max"):
            return None
        return stats[what]

    def min(self):
        """The least value; None: there is none."""
        return self._number("min")

    def max(self):
        """The greatest value; None: there is none."""
        return self._number("max")

    def mean(self):
        """The mean of all values that are not NA."""
        return self._number("mean")

    def std(self):
        """The standard deviation of a sample, of all values that are not NA: divided by n - 1, as pandas has it."""
        return self._number("sd")

    def sum(self):
        """The sum of all values that are not NA: exact for integers, true values for booleans."""
        from ._sum import of_column

        return of_column(self)

    def na_count(self):
        """How many values are NA."""
        return self._number("na")

    def __repr__(self):
        rows = self.table.num_rows
        shown = "" if rows is None else f", {rows:,} rows"
        return f"<Column {self.name!r}: {self.type.word} {self.type.notation}{shown}>"

    def __reduce__(self):
        return Column, (self.table, self.name)


def names_of(columns, schema):
    """Names of columns that a caller gave as a name, Columns, or a list of either."""
    if isinstance(columns, (str, _expr.Comparable)):
        columns = [columns]
    names = [c.name if isinstance(c, _expr.Comparable) else c for c in columns]
    for name in names:
        if name not in schema:
            raise _errors.no_column(name, schema.names)
    return names
