# SPDX-License-Identifier: MIT
"""Parquet, Arrow and JSON Lines files, which pyarrow reads: columns and conditions are passed on to it."""

import os
import re

from . import _core, _counts, _errors, _recipe, _schema
from ._table import Table

KINDS = {".parquet": "parquet", ".pq": "parquet", ".arrow": "arrow", ".feather": "arrow", ".ipc": "arrow",
         ".jsonl": "jsonl", ".ndjson": "jsonl"}
_FORMATS = {"parquet": "parquet", "arrow": "ipc", "jsonl": "json"}
_PACKINGS = {".gz": "gzip", ".zst": "zstd"}
_MARKS = {b"PAR1": "parquet", b"ARROW1": "arrow"}
_LAZY = {"select", "keep", "drop", "where", "compute", "convert", "combine", "slice_rows"}
_ROWS_STAY = {"select", "keep", "drop", "compute", "convert", "combine"}
_TEST = re.compile(r"\s*\(?\s*(?:`([^`]+)`|([A-Za-z_]\w*))\s*(==|=|<=|>=|<|>)\s*(?:'([^']*)'|([-+0-9.eE]+))\s*\)?\s*")


def kind_of(path):
    """parquet, arrow or jsonl, by the name, or by the first bytes of a file without a known name; None: neither."""
    ending = os.path.splitext(path)[1].lower()
    if ending in KINDS or ending or not os.path.isfile(path):
        return KINDS.get(ending)
    with open(path, "rb") as file:
        return kind_of_bytes(file.read(8))


def written_kind(path):
    """The same for a file to be written, by its name; .jsonl may be followed by .gz or .zst."""
    stem, ending = os.path.splitext(path)
    if ending.lower() not in _PACKINGS:
        return KINDS.get(ending.lower())
    kind = KINDS.get(os.path.splitext(stem)[1].lower())
    return kind if kind == "jsonl" else None


def kind_of_bytes(data):
    """The same, by the first bytes."""
    start = bytes(memoryview(data)[:8])
    return next((kind for mark, kind in _MARKS.items() if start.startswith(mark)), None)


def _pyarrow(kind):
    """pyarrow.dataset; ImportError names what to install."""
    return _errors.needed("pyarrow.dataset", "arrow", f"a file of format {kind}", "pyarrow")


def _dataset(source, kind):
    dataset = _pyarrow(kind)
    if isinstance(source, (list, tuple)):
        return dataset.dataset(list(source), format=_FORMATS[kind])
    import pyarrow

    readers = {"parquet": lambda s: __import__("pyarrow.parquet").parquet.read_table(s),
               "arrow": lambda s: pyarrow.ipc.open_file(s).read_all(), "jsonl": lambda s: __import__("pyarrow.json").json.read_json(s)}
    return dataset.dataset(readers[kind](pyarrow.BufferReader(source)))


def _decoded(schema):
    """The schema with values in the place of dictionaries, whose numbers differ from batch to batch."""
    import pyarrow

    return pyarrow.schema([field.with_type(field.type.value_type) if pyarrow.types.is_dictionary(field.type) else field
                           for field in schema])


def _expression(tests):
    import pyarrow.compute as compute

    made = None
    for name, sign, value in tests:
        field = compute.field(name)
        test = {"<": field < value, "<=": field <= value, ">": field > value, ">=": field >= value, "==": field == value}[sign]
        made = test if made is None else made & test
    return made


@_recipe.operation
def open_arrow_files(source, kind, columns, tests, most, hold=True):
    """columns: those that are read; None: all.  tests: (name, sign, value), which rows pass.  most: first rows; -1: all."""
    import pyarrow

    data = _dataset(source, kind)
    names = data.schema.names if columns is None else [name for name in data.schema.names if name in columns]
    how = {"columns": names, "filter": _expression(tests)}
    schema = _decoded(pyarrow.schema([data.schema.field(name) for name in names]))
    if most >= 0:
        batches = iter(data.head(most, **how).cast(schema).to_batches())
    else:
        batches = (pyarrow.Table.from_batches([batch]).cast(schema).combine_chunks().to_batches()
                   for batch in data.to_batches(**how) if len(batch))
        batches = (one for several in batches for one in several)
    reader = pyarrow.RecordBatchReader.from_batches(schema, batches)
    return _core.arrow_import(reader.__arrow_c_stream__(), {"hold": hold})


# --- What is passed on to pyarrow ---------------------------------------------------------------------------------


def _tests_of(text, schema):
    """Those parts of a condition that pyarrow tests alike; the condition is tested again afterwards."""
    import pyarrow.types as types

    found = []
    quoted = re.findall(r"'(?:[^']|'')*'|`(?:[^`]|``)*`|\"[^\"]*\"", text)
    if re.search(r"\b(or|not|if|between)\b", text) or any("and" in part for part in quoted):
        return found
    for part in re.split(r"\band\b", text.strip().removeprefix("(").removesuffix(")")):
        match = _TEST.fullmatch(part)
        name = match and (match[1] or match[2])
        if not match or name not in schema.names:
            continue
        type_, literal, is_quoted = schema.field(name).type, match[4] if match[4] is not None else match[5], match[4] is not None
        sign = "==" if match[3] == "=" else match[3]
        if types.is_integer(type_) and re.fullmatch(r"[-+]?\d{1,15}", literal):
            found.append((name, sign, int(literal)))
        elif types.is_float64(type_) and re.fullmatch(r"[-+]?\d+(\.\d+)?([eE][-+]?\d+)?", literal):
            found.append((name, sign, float(literal)))
        elif types.is_string(type_) and is_quoted and sign == "==":
            found.append((name, sign, literal))
    return found


def _pushed(recipe):
    """The recipe that reads only the columns that it needs, and passes conditions on."""
    chain = []
    while recipe[0] != "open_arrow_files":
        chain.append(recipe[:2])
        recipe, = recipe[2]
    source, kind, _, _, most, *_ = recipe[1]
    schema = _decoded(_dataset(source, kind).schema)
    needed, tests = None, []
    for name, args in chain:  # from the top
        if name == "select":
            needed = {old for old, _ in args[0]}
        elif name == "keep":
            needed = set(args[0])
        elif name == "drop":
            needed = (needed or set(schema.names)) - set(args[0]) if needed is None else needed
        elif name == "combine":
            needed = None if needed is None else needed | {old for old, _ in args[1]}
        elif name == "convert":
            needed = None if needed is None else needed | {args[0]}
        elif needed is not None:  # expressions: every name that may be in them
            needed |= {n for n in schema.names if n in repr(args)}
    for name, args in reversed(chain):  # from the file up, as long as names mean its columns
        if name == "where" and most < 0:
            tests += _tests_of(args[0], schema)
        elif name not in ("where", "keep", "drop"):
            break
    columns = None if needed is None else [n for n in schema.names if n in needed]
    made = ("open_arrow_files", (source, kind, columns or None, tuple(tests), most), ())
    for step in reversed(chain):
        made = (*step, (made,))
    return made


# --- The table ----------------------------------------------------------------------------------------------------


class Scanned(Table):
    """A Table of files that pyarrow reads, when rows are asked for."""

    __slots__ = ("_empty",)

    @classmethod
    def _lazy(cls, recipe, empty, sources=()):
        self = object.__new__(cls)
        self._recipe, self._empty, self._sources = recipe, empty, sources
        self._made, self._made_in = None, -1
        self._schema_ = self._counted = None
        self._closed = False
        return self

    @property
    def _view(self):
        from . import _table

        if self._made is None or self._made_in != _table._generation:
            if self._closed:
                raise ValueError("the table is closed: open it again with dv.open")
            self._made, self._made_in = _recipe.make(_pushed(self._recipe)), _table._generation
        return self._made

    def _streamed(self):
        """A view that is read once, batch by batch: what is written need not fit into memory."""
        made = _pushed(self._recipe)
        steps = _recipe.steps(made)
        steps[0] = (steps[0][0], (*steps[0][1], False), 0)
        view = None
        for name, args, _ in steps:
            view = _recipe.OPERATIONS[name](*([] if view is None else [view]), *args)
        return view

    @property
    def schema(self):
        if self._closed:
            return super().schema
        if self._schema_ is None:
            self._schema_ = _schema.Schema(self._empty)
        return self._schema_

    @property
    def kind(self):
        return self._recipe[1][1] if self._recipe[0] == "open_arrow_files" else self._empty.kind

    @property
    def num_rows(self):
        """The number of rows, which files of Parquet and Arrow know."""
        name, args, _ = self._recipe
        if self._made is not None or self._counted is not None:
            return _counts.known(self)
        if name in _ROWS_STAY:
            return self._sources[0].num_rows
        if name == "open_arrow_files" and args[1] != "jsonl" and args[4] < 0:
            self._counted = _dataset(*args[:2]).count_rows()
        return self._counted

    def _then(self, name, *args):
        if self._closed or self._made is not None or name not in _LAZY:
            return self._read_then(name, *args)
        own, mine, _ = self._recipe
        empty = _recipe.OPERATIONS[name](self._empty, *args)  # says what is wrong
        if name == "slice_rows" and (own != "open_arrow_files" or args[1] < 0):
            return self._read_then(name, *args)
        if name == "slice_rows":
            most = args[0] + args[1] if mine[4] < 0 else min(mine[4], args[0] + args[1])
            source = Scanned._lazy((own, (*mine[:4], most), ()), self._empty)
            return Scanned._lazy((name, args, (source._recipe,)), empty, (source,))
        return Scanned._lazy((name, args, (self._recipe,)), empty, (self,))


    def _read_then(self, name, *args):
        """The table that an operation makes of the rows, which are read."""
        return Table._of((name, args, (_pushed(self._recipe),)), None, (self,))

    def __reduce__(self):
        return Table._of(_pushed(self._recipe), self._view).__reduce__()


def open_files(source, kind):
    """A Table of paths, or of bytes."""
    data = _dataset(source, kind)
    empty = _core.arrow_import(_decoded(data.schema).empty_table().__arrow_c_stream__(), {"hold": True})
    return Scanned._lazy(("open_arrow_files", (source, kind, None, (), -1), ()), empty)


# --- Writing ------------------------------------------------------------------------------------------------------


def write(table, path, kind):
    """Save a table; the file is replaced as a whole.  The number of rows."""
    _pyarrow(kind)
    import pyarrow

    path = os.path.abspath(os.path.expanduser(os.fsdecode(path)))
    part = f"{path}.{os.getpid()}.part"
    reader = pyarrow.RecordBatchReader.from_stream(table)
    rows, is_done = 0, False
    try:
        packing = _PACKINGS.get(os.path.splitext(path)[1].lower()) if kind == "jsonl" else None
        with _WRITERS[kind](part, reader.schema, packing) as put:
            for batch in reader:
                put(batch)
                rows += len(batch)
        os.replace(part, path)
        is_done = True
    finally:
        if not is_done and os.path.exists(part):
            os.remove(part)
    return rows


class _Parquet:
    def __init__(self, path, schema, packing):
        import pyarrow.parquet

        self.writer = pyarrow.parquet.ParquetWriter(path, schema)

    def __enter__(self):
        self.writer.__enter__()
        return self.writer.write_batch

    def __exit__(self, *exception):
        self.writer.__exit__(*exception)


class _Arrow(_Parquet):
    def __init__(self, path, schema, packing):
        import pyarrow

        self.writer = pyarrow.ipc.new_file(path, schema)


class _Lines:
    def __init__(self, path, schema, packing):
        import pyarrow

        self.file = pyarrow.CompressedOutputStream(path, packing) if packing else open(path, "wb")

    def __enter__(self):
        return self.put

    def put(self, batch):
        import json

        for row in batch.to_pylist():
            _check(row)
            line = json.dumps(row, ensure_ascii=False, allow_nan=False, default=_as_text) + "\n"
            self.file.write(line.encode())

    def __exit__(self, *exception):
        self.file.close()


def _check(value):
    """LossError for a number that JSON does not have."""
    if isinstance(value, float) and value - value != 0:
        raise _errors.LossError(f"JSON Lines hold no {value}: leave the column out, or write .parquet")
    if isinstance(value, (list, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            _check(item)


def _as_text(value):
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if isinstance(value, (bytes, bytearray)):
        raise _errors.LossError("JSON Lines hold no bytes: leave the column out, or write .parquet")
    return str(value)


_WRITERS = {"parquet": _Parquet, "arrow": _Arrow, "jsonl": _Lines}
