# SPDX-License-Identifier: MIT
"""Saving: whole or not at all, and nothing lost that was not allowed."""

import collections.abc
import os
import tempfile

from . import _core, _errors, _from, _hints, _progress, _recipe, _remote
from ._column import names_of
from ._table import Table

_OPTIONS = {
    "format", "hidden", "threads", "sync", "rows_per_block", "block_nbytes", "compression", "level",
    "align", "idv_version", "idv_old_keys", "idv_bool_2bit", "canonical", "text", "datadings",
}


def loss_bits(names):
    """The bits of losses by name."""
    if isinstance(names, str):
        names = [names]
    bits = 0
    for name in names:
        if name not in _core.losses:
            raise ValueError(f"there is no loss {name!r}: {_errors.nearest(name, _core.losses)}")
        bits |= _core.losses[name]
    return bits


def table_of(source):
    """A Table of what users have: a Table, Arrow data, a sparse matrix, arrays by name."""
    if isinstance(source, Table):
        return source
    if hasattr(source, "tocsr"):
        return _from.from_csr(source)
    if type(source).__module__.partition(".")[0] == "pandas":
        return _from.from_pandas(source)
    if hasattr(source, "__arrow_c_stream__") or hasattr(source, "__arrow_c_array__"):
        return _from.from_arrow(source)
    if isinstance(source, collections.abc.Mapping):
        return _from.from_numpy(source, copy=False)
    if isinstance(source, collections.abc.Iterable) and not isinstance(source, (str, bytes)):
        return _from_batches(iter(source))
    return _from.from_arrow(source)  # says what is expected


def _from_batches(batches):
    """Arrow batches of one schema, read one after the other while they are saved."""
    pyarrow = _errors.needed("pyarrow", "arrow", "an iterable of Arrow batches")
    first = next(batches, None)
    if first is None:
        raise ValueError("an iterable of batches needs at least one, for the schema")
    first = pyarrow.record_batch(first)

    def all_batches():
        yield first
        for batch in batches:
            yield pyarrow.record_batch(batch)

    reader = pyarrow.RecordBatchReader.from_batches(first.schema, all_batches())
    return Table._of(("held", (_from.Held(reader, {"hold": False}),), ()))


def _options_of(options, allow_loss):
    _hints.refuse("write", options, {}, _OPTIONS)
    options = {name: value for name, value in options.items() if value is not None}
    return {**options, "allow_loss": loss_bits(allow_loss)}


def write(source, path, *, columns=None, allow_loss=(), progress=None, filesystem=None, storage_options=None,
          **options):
    """Save rows as a file, in the format of its name (.idv, .btable, .msgpack, .csv, .tsv, .txt; with pyarrow
    .parquet, .arrow, .jsonl) or `format`, and return their number.  Text is compressed if its name ends in
    .gz or .zst, as in rows.csv.gz.

    path: a path, or a URL ("s3://bucket/rows.idv") that fsspec can write, with storage_options; `filesystem` is
    a file system that is there.  A remote file is saved in a temporary folder first (docs/remote.md).

    source: a Table; Arrow data (pyarrow, polars, pandas, DuckDB); a sparse matrix of SciPy; a mapping
    of names to arrays; an iterable of Arrow batches.

    The file at `path` is replaced as a whole, after everything has been written; a failure leaves it
    as it was.  What the format cannot keep raises LossError, unless `allow_loss` names it: "columns",
    "metadata", "names", "types", "precision", "na", "breaks".  So does what text does not hold, such as a
    line too short or bytes that are not UTF-8: "fields".  write_check() lists losses without writing.

    compression ("none", "deflate", "zlib"), level, rows_per_block, block_nbytes, align, idv_version,
    idv_old_keys, idv_bool_2bit: of .idv.  text: how to write text ("schema+" keeps types in a .csv).
    canonical: of BTable.  datadings: where keys come from.  hidden: hidden columns too.  threads,
    sync: as in save.h.

    >>> import tempfile, libdataview as dv
    >>> dv.write({"a": [1, 2]}, tempfile.mkdtemp() + "/a.csv")
    2
    """
    from . import _arrow_files

    if filesystem is not None or _remote.is_url(path):
        return _write_elsewhere(source, path, filesystem, storage_options,
                                {"columns": columns, "allow_loss": allow_loss, "progress": progress, **options})
    if storage_options:
        raise TypeError("storage_options: only for URLs")
    table = table_of(source)
    kind = options.get("format") or _arrow_files.written_kind(os.fsdecode(path))
    if kind in _arrow_files.KINDS.values():
        return _write_with_pyarrow(table, path, kind, columns, options)
    numbers = None if columns is None else table._columns(names_of(columns, table.schema))
    how = _options_of(options, allow_loss)
    if isinstance(table, _arrow_files.Scanned):
        return table._streamed().save(os.fsencode(path), numbers, how, _progress.of(progress))
    view, recipe = table._view, table._recipe
    strict = recipe if how["allow_loss"] & _core.losses["fields"] else _recipe.refusing(recipe)
    if strict is not recipe:
        view = _recipe.make(strict)
    rows = view.save(os.fsencode(path), numbers, how, _progress.of(progress))
    table._tell_bad_fields()
    return rows


def _write_elsewhere(source, path, filesystem, storage_options, options):
    """Save a file here, and copy it to a file system of fsspec."""
    here = None if filesystem is not None else _remote.local_path(path)
    if here is not None:
        return write(source, here, **options)
    fs, inside = _remote.target_of(path, filesystem, storage_options)
    with tempfile.TemporaryDirectory(prefix="dataview-") as folder:
        name = os.path.join(folder, inside.rstrip("/").rsplit("/", 1)[-1])
        rows = write(source, name, **options)
        _remote.put(fs, folder, inside)
    return rows


def _write_with_pyarrow(table, path, kind, columns, options):
    from . import _arrow_files

    others = sorted(options.keys() - {"format"})
    if others:
        raise TypeError(f"write() of {kind} files has no option {others[0]!r}")
    return _arrow_files.write(table if columns is None else table.select(columns), path, kind)


def write_check(source, path, *, allow_loss=(), **options):
    """The losses of a write(), as far as the schema shows: a list of dicts; no row is read.

    >>> import libdataview as dv
    >>> dv.write_check(dv.from_numpy({"a": [1, 2]}), "a.idv")
    []
    """
    table = table_of(source)
    found = table._view.save_check(os.fsencode(path), _options_of(options, allow_loss))
    names = ("loss", "is_allowed", "column", "row", "sentence", "is_implied")
    result = [dict(zip(names, item)) for item in found]
    fields = table.schema.fields
    for item in result:
        item["column"] = fields[item["column"]].name if item["column"] >= 0 else None
    return result
