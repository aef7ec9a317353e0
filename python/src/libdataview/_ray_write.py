# SPDX-License-Identifier: MIT
"""Datasets of Ray as folders of files: whole shards, and a manifest that comes last.

Tasks write into a hidden folder, under names of their own, so that a killed one leaves nothing that a reader takes for
a table, and one that runs twice does no harm.  The driver moves the shards that Ray has counted to their names."""

import contextlib
import json
import math
import os
import shutil
import uuid

import pyarrow as pa
import ray.data
from ray.data import Datasink
from ray.data.block import BlockAccessor

from . import _errors, _from, _remote, _write
from ._open import open as _open

MANIFEST = "manifest.json"
_WORK = ".writing"
_UNFINISHED = ".unfinished"  # readers refuse a folder that has it (open.h)
_FORMATS = ("idv", "btable", "csv", "tsv")
_RULE = "every node must reach the folder, and one job at a time may write to it"


def write(dataset, folder, *, format="idv", rows_per_shard=None,  # noqa: A002  as in dv.write
          concurrency=None, ray_remote_args=None, **options):
    """Save a dataset of Ray as whole files of a folder, part-00000.idv and on, in its order; return the rows.

    folder: a path that every node must reach, which is made if it is not there.  What an earlier write has put
    there is replaced; other files are an ArgumentError.  format: "idv", "btable", "csv" or "tsv".  rows_per_shard:
    at least so many, but for the last; None: as many as Ray gives to a task.  concurrency, ray_remote_args: as in
    ray.data.  options: those of dv.write.  Dictionaries are saved as their values.

    `manifest.json` is written last: {"version", "complete", "format", "rows", "columns", "shards"}, with name, rows and
    bytes of each shard.  A folder whose job was killed while its shards took their places has a file `.unfinished`,
    and readers refuse it: run the job again.  The same dataset gives the same files, however often it is written,
    and whichever tasks are killed."""
    if not isinstance(dataset, ray.data.Dataset):
        raise TypeError(f"expected a ray.data.Dataset, not {type(dataset).__name__}: dv.write saves tables")
    if format not in _FORMATS:
        raise _errors.ArgumentError(f"format={format!r}: expected one of {', '.join(_FORMATS)}")
    folder = os.fspath(folder)
    if _remote.is_url(folder) and not _remote.local_path(folder):
        raise _errors.ArgumentError(f"{folder}: shards are renamed when they are whole, which a store cannot do: write "
                                    "to a folder that every node can reach")
    folder = os.path.abspath(os.path.expanduser(_remote.local_path(folder) or folder))
    _write._options_of({name: value for name, value in options.items() if name != "allow_loss"},
                       options.get("allow_loss", ()))
    sink = _Sink(folder, format, rows_per_shard, options)
    sink.prepare()
    try:
        with _in_order(dataset.context):
            dataset.write_datasink(sink, concurrency=concurrency, ray_remote_args=ray_remote_args)
    finally:
        shutil.rmtree(sink.work, ignore_errors=True)
    return sink.rows


@contextlib.contextmanager
def _in_order(context):
    """Tasks are numbered as the rows of the dataset come."""
    before = context.execution_options.preserve_order
    context.execution_options.preserve_order = True
    try:
        yield
    finally:
        context.execution_options.preserve_order = before


class _Sink(Datasink):
    def __init__(self, folder, format, rows_per_shard, options):  # noqa: A002
        self.folder, self.work = folder, os.path.join(folder, _WORK)
        self.rows = 0
        self._format, self._rows_per_shard, self._options = format, rows_per_shard, options

    def get_name(self):
        return "DataView"

    @property
    def min_rows_per_write(self):
        return self._rows_per_shard

    def prepare(self):
        os.makedirs(self.folder, exist_ok=True)
        others = sorted(set(_visible(self.folder)) - {MANIFEST, *_names_of(_manifest_of(self.folder))})
        if others:
            raise _errors.ArgumentError(f"{self.folder} has {others[0]!r}, which no manifest of it names: a reader "
                                        "would take it for a shard; write to a folder that has nothing else")
        shutil.rmtree(self.work, ignore_errors=True)
        os.mkdir(self.work)

    def write(self, blocks, ctx):
        """In a task: one file of all of its rows."""
        table = _table_of(blocks)
        if not len(table):
            return {"task": ctx.task_idx, "rows": 0, "schema": table.schema}
        if not os.path.isdir(self.work):
            raise _errors.ArgumentError(f"{self.work} is not there on node {os.uname().nodename}: {_RULE}")
        name = f"{ctx.task_idx:05}-{uuid.uuid4().hex}.{self._format}"
        path = os.path.join(self.work, name)
        rows = _write.write(_from.from_arrow(table), path, **self._options)
        return {"task": ctx.task_idx, "rows": rows, "nbytes": os.path.getsize(path), "file": name}

    def on_write_complete(self, write_result):
        made = sorted(write_result.write_returns, key=lambda one: one["task"])
        shards = [one for one in made if one["rows"]] or self._without_rows(made)
        paths = [os.path.join(self.work, one["file"]) for one in shards]
        columns = self._checked(paths, shards)
        names = [f"part-{k:05}.{self._format}" for k in range(len(shards))]
        self.rows = sum(one["rows"] for one in shards)
        manifest = {"version": 1, "complete": False, "format": self._format, "rows": self.rows, "columns": columns,
                    "shards": [{"name": name, "rows": one["rows"], "nbytes": one["nbytes"]}
                               for name, one in zip(names, shards)]}
        before = _names_of(_manifest_of(self.folder))
        left = sorted(before - set(names))
        unfinished = os.path.join(self.folder, _UNFINISHED)
        with open(unfinished, "wb"):
            _save({**manifest, "replaced": left}, self.folder)
        for path, name in zip(paths, names):
            os.replace(path, os.path.join(self.folder, name))
        for name in left:
            if os.path.exists(os.path.join(self.folder, name)):
                os.remove(os.path.join(self.folder, name))
        _save({**manifest, "complete": True}, self.folder)
        os.remove(unfinished)

    def _without_rows(self, made):
        """A shard of the columns alone."""
        schema = next((one["schema"] for one in made if one["schema"].names), None)
        if schema is None:
            raise _errors.ArgumentError("the dataset has neither rows nor columns: there is no table to write")
        name = f"none-{uuid.uuid4().hex}.{self._format}"
        path = os.path.join(self.work, name)
        _write.write(_from.from_arrow(schema.empty_table()), path, **self._options)
        return [{"rows": 0, "nbytes": os.path.getsize(path), "file": name}]

    def _checked(self, paths, shards):
        """The columns of all shards, which must be one table of the rows that tasks have written."""
        for path, one in zip(paths, shards):
            if not os.path.exists(path) or os.path.getsize(path) != one["nbytes"]:
                raise _errors.ArgumentError(f"{path}: the {one['nbytes']:,} bytes that a task has written are not "
                                            f"here: {_RULE}")
        with _open(paths) as table:
            rows = sum(one["rows"] for one in shards)
            if table.num_rows not in (None, rows):
                raise _errors.ArgumentError(f"{self.folder}: tasks have written {rows:,} rows, but its shards have "
                                            f"{table.num_rows:,}")
            return [{"name": field.name, "type": str(field.type)} for field in table.schema.fields]


# --- The manifest --------------------------------------------------------------------------------


def _visible(folder):
    return [name for name in os.listdir(folder) if not name.startswith(".")]


def _manifest_of(folder):
    path = os.path.join(folder, MANIFEST)
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if text[:1] != "{" or text.rstrip()[-1:] != "}":
        raise _errors.ArgumentError(f"{path} is not a manifest: write to a folder that has nothing else")
    return json.loads(text)


def _names_of(manifest):
    """The shards that a manifest names, also one of a write that was killed."""
    names = [shard["name"] for shard in manifest.get("shards", ())] + manifest.get("replaced", [])
    return {name for name in names if name.startswith("part-") and os.path.basename(name) == name}


def _save(manifest, folder):
    """Replace the manifest as a whole."""
    path = os.path.join(folder, _WORK, MANIFEST)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(manifest, file, indent=1)
        file.write("\n")
        file.flush()
        os.fsync(file.fileno())
    os.replace(path, os.path.join(folder, MANIFEST))


# --- Blocks --------------------------------------------------------------------------------------


def _table_of(blocks):
    """The rows of a task as one Arrow table: with tensors as Arrow has them, and the values of dictionaries, whose
    numbers may differ from shard to shard."""
    tables = [BlockAccessor.for_block(block).to_arrow() for block in blocks]
    tables = [table for table in tables if table.num_columns] or [pa.table({})]
    table = pa.concat_tables([table.replace_schema_metadata(None) for table in tables], promote_options="default")
    for k, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type):
            table = table.set_column(k, field.name, table.column(k).cast(field.type.value_type))
        elif isinstance(field.type, pa.BaseExtensionType) and field.type.extension_name.startswith("ray.data."):
            table = table.set_column(k, field.name, _tensors(field, table.column(k)))
    return table


def _tensors(field, column):
    """A column of a type of Ray's own."""
    type_, stored = field.type, [chunk.storage for chunk in column.chunks]
    if not pa.types.is_struct(type_.storage_type) and getattr(type_, "shape", None) and not column.null_count:
        items = pa.chunked_array([chunk.flatten() for chunk in stored], type_.storage_type.value_type).combine_chunks()
        rows = pa.FixedSizeListArray.from_arrays(items, math.prod(type_.shape))
        return pa.ExtensionArray.from_storage(pa.fixed_shape_tensor(items.type, list(type_.shape)), rows)
    if pa.types.is_struct(type_.storage_type) and getattr(type_, "ndim", None) == 1:
        return pa.chunked_array([chunk.field("data") for chunk in stored], type_.storage_type.field("data").type)
    raise _errors.UnsupportedError(f"column {field.name!r} has {type_}{' and nulls' if column.null_count else ''}, for "
                                   "which there is no type: make numbers, texts or tensors of one shape of it")
