# SPDX-License-Identifier: MIT
"""Schemas: the names, types and metadata of the columns of a Table."""

import operator

from . import _errors, _types


class Field:
    """A column of a schema: `name`, `type`, `index`, `is_hidden`, `metadata` (read on demand).

    >>> import libdataview as dv
    >>> dv.open("examples/sample.idv").schema["Age"]
    Field('Age', 'R4')
    """

    __slots__ = ("name", "type", "index", "is_hidden", "metadata")

    def __init__(self, name, type, index, is_hidden, metadata):
        self.name, self.type, self.index = name, type, index
        self.is_hidden, self.metadata = is_hidden, metadata

    def __repr__(self):
        hidden = ", hidden" if self.is_hidden else ""
        return f"Field({self.name!r}, {self.type.notation!r}{hidden})"


class Metadata:
    """The metadata of a column, as a mapping from kind ("SlotNames", "KeyValues") to value."""

    __slots__ = ("_view", "_index", "_types")

    def __init__(self, view, index, kinds):
        self._view, self._index = view, index
        self._types = {kind: _types.parse(type) for kind, type in kinds}

    def keys(self):
        return self._types.keys()

    def type(self, kind):
        return self._types[kind]

    def __iter__(self):
        return iter(self._types)

    def __len__(self):
        return len(self._types)

    def __contains__(self, kind):
        return kind in self._types

    def __getitem__(self, kind):
        if kind not in self._types:
            raise KeyError(f"the column has no metadata {kind!r}; it has {list(self._types)}")
        return self._view.metadata(self._index, kind)

    def get(self, kind, default=None):
        return self[kind] if kind in self._types else default

    def items(self):
        return [(kind, self[kind]) for kind in self._types]

    def __repr__(self):
        return "Metadata(" + ", ".join(f"{k}: {t}" for k, t in self._types.items()) + ")"


class Schema:
    """The columns of a table, in order.  `schema["Age"]` and `schema[0]` are Fields; a name means the
    last column of that name, and by number hidden columns are reached too.

    >>> import libdataview as dv
    >>> dv.open("examples/sample.idv").schema.names
    ['Name', 'Age', 'Active', 'Seen', 'Tags']
    """

    # Of some thousand columns most are never asked for: their Fields are made on demand.
    __slots__ = ("_view", "_names", "_types", "_hidden", "_kinds", "_made", "_by_name", "_shown", "_kept")

    def __init__(self, view):
        self._view = view
        self._names, self._types, self._hidden, self._kinds = view.schema
        self._made = {}
        self._kept = {}
        self._by_name = {name: i for i, name in enumerate(self._names) if i not in self._hidden} \
            if self._hidden else dict(zip(self._names, range(len(self._names))))
        self._shown = list(self._by_name.values())

    def _at(self, i):
        field = self._made.get(i)
        if field is None:
            made = Field(self._names[i], _types.parse(self._types[i]), i, i in self._hidden,
                         Metadata(self._view, i, self._kinds.get(i, ())))
            field = self._made.setdefault(i, made)  # of two threads both get the same one
        return field

    def _keep(self, make, columns, *args):
        """make(schema, columns, ...), kept for the next call: many small batches are asked for alike."""
        key = (make, None if columns is self._shown else tuple(columns), *args)
        found = self._kept.get(key)
        if found is None:
            if len(self._kept) >= 32:
                self._kept.clear()
            found = self._kept[key] = make(self, columns, *args)
        return found

    @property
    def names(self):
        """The names of all columns that are not hidden."""
        return list(self._by_name)

    def _numbers(self):
        """The numbers of all columns that are not hidden."""
        return self._shown

    def _names_of(self, numbers):
        return map(self._names.__getitem__, numbers)

    def _distinct_types(self, numbers):
        """The types of these columns, each once."""
        return list(map(_types.parse, set(map(self._types.__getitem__, numbers))))

    @property
    def fields(self):
        """All columns, hidden ones included."""
        return [self._at(i) for i in range(len(self._names))]

    @property
    def types(self):
        return {name: self._at(i).type for name, i in self._by_name.items()}

    def field(self, key):
        if isinstance(key, str):
            i = self._by_name.get(key)
            if i is None:
                raise _errors.no_column(key, self._by_name)
            return self._at(i)
        i, n = operator.index(key), len(self._names)
        if not -n <= i < n:
            raise IndexError(f"there is no column {key}: there are {n}")
        return self._at(i % n)

    __getitem__ = field

    def __contains__(self, name):
        return name in self._by_name

    def __iter__(self):
        return (self._at(i) for i in self._by_name.values())

    def __len__(self):
        return len(self._by_name)

    def __eq__(self, other):
        if not isinstance(other, Schema):
            return NotImplemented
        return [(f.name, f.type) for f in self] == [(f.name, f.type) for f in other]

    __hash__ = None

    def __repr__(self):
        names = list(self)
        width = max((len(f.name) for f in names[:100]), default=0)
        words = max((len(f.type.word) for f in names[:100]), default=0)
        lines = [f"{f.name:<{width}}  {f.type.word:<{words}}  {f.type.notation}" for f in names[:100]]
        hidden = len(self._names) - len(names)
        if len(names) > 100:
            lines.append(f"... and {len(names) - 100} more columns")
        if hidden:
            lines.append(f"... and {hidden} hidden column{'' if hidden == 1 else 's'}")
        return "\n".join(lines) if lines else "no columns"
