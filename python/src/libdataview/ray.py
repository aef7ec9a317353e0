# SPDX-License-Identifier: MIT
"""Tables as datasets of Ray, for those who outgrow one machine: docs/scale.md."""

import copy
import glob
import importlib.util
import inspect
import os

from . import _errors, _remote
from ._open import open as _open

_errors.needed("ray.data", "ray", "libdataview.ray", "ray")

import pyarrow as pa  # noqa: E402  Ray brings it
import ray.data  # noqa: E402
from ray.data._internal import arrow_block  # noqa: E402
from ray.data import Datasource, ReadTask  # noqa: E402
from ray.data.block import BlockMetadata  # noqa: E402

from ._ray_filter import condition_of  # noqa: E402
from ._ray_write import write  # noqa: E402

__all__ = ["read", "write"]

_BATCH_NBYTES = 16 << 20  # of the tables that a task yields
# Ray counts 0 rows in a table without columns: a column of this name, which it hides, has them.
_STUB = getattr(arrow_block, "_BATCH_SIZE_PRESERVING_STUB_COL_NAME", "__bsp_stub")
_TASK_NBYTES = 8 << 20  # of files, so that reading them takes longer than starting a task


def read(paths, columns=None, where=(), *, rows_per_task=None, override_num_blocks=None, local=False,
         ray_remote_args=None, **options):
    """A ray.data.Dataset of files in any format, read in parallel on all nodes.

    paths: a path, a URL, a pattern or a list of them, which every node must reach.  columns: only these; Ray's
    select_columns is pushed down to the files too.  where: a condition, or several that all must hold
    (`dv.col("Age") >= 18`).  rows_per_task: at least so many rows a task, in whole blocks; None: as many
    as make the tasks that Ray asks for, but 8 MiB at least.  override_num_blocks, ray_remote_args: as in ray.data.
    local: read on this node only.  options: those of dv.open.

    Each task opens its own files, and holds nothing while it waits: a task that is killed is begun again.
    Vectors of one length are tensors (arrow.fixed_shape_tensor).

    count() takes the number of rows from the files, where they know it, and schema() the types; limit(n) reads n rows.
    filter(expr=...) is a condition that the files are read with, if both mean the same (docs/scale.md)."""
    source = _Source(_expanded(paths, options.get("storage_options")), columns, where, rows_per_task, local, options,
                     0 if override_num_blocks else _TASK_NBYTES)
    return ray.data.read_datasource(source, override_num_blocks=override_num_blocks,
                                    ray_remote_args=ray_remote_args)


def _expanded(paths, storage_options):
    """All files, as URLs or absolute paths, since tasks have folders of their own."""
    if isinstance(paths, (str, os.PathLike)):
        paths = [paths]
    found = []
    for path in map(os.fspath, paths):
        if _remote.is_url(path) and not _remote.local_path(path):
            fs, inside = _remote.files_of([path], None, storage_options)
            found.extend(map(fs.unstrip_protocol, inside))
        elif os.path.exists(path) or not glob.has_magic(path):
            found.append(os.path.abspath(_remote.local_path(path) or path))
        else:
            found.extend(map(os.path.abspath, sorted(glob.glob(path))))
    if not found:
        raise FileNotFoundError(f"no file matches {paths!r}")
    return found


def _taken(function, **arguments):
    """The arguments that this version of Ray knows."""
    known = inspect.signature(function).parameters
    return {name: value for name, value in arguments.items() if name in known}


class _Source(Datasource):
    def __init__(self, paths, columns, where, rows_per_task, local, options, task_nbytes=0):
        super().__init__()
        self._projection_map = None
        self._local, self._rows_per_task = local, rows_per_task
        self._options, self._task_nbytes = options, task_nbytes
        self._where = tuple(where) if isinstance(where, (list, tuple)) else (where,)
        # datadings: the columns of a shard depend on all of them
        first = _open(paths[0], **options)
        self._together = len(paths) > 1 and first.kind == "datadings"
        whole = _open(paths, **options) if self._together else first
        self._columns = whole.columns if columns is None else [columns] if isinstance(columns, str) else list(columns)
        self._types = {name: whole.schema[name].type for name in whole.columns}
        self._schema = _tensors(_table_of(whole, self._columns, self._where))
        self._files = [self._measured(path) for path in paths]
        self._paths = paths

    def _measured(self, path):
        """(path, rows or None, rows of a block, bytes)"""
        with _open(path, **self._options) as table:
            return path, table.num_rows, max(table._view.block_rows, 1), table._view.facts(True)["file_nbytes"]

    def get_name(self):
        return "DataView"

    @property
    def supports_distributed_reads(self):
        return not self._local

    def supports_projection_pushdown(self):
        return True

    def get_projection_map(self):
        return self._projection_map

    def apply_projection(self, projection_map):
        clone = copy.copy(self)
        if projection_map is not None:
            clone._columns = [name for name in self._columns if name in projection_map]
            clone._schema = pa.schema([self._schema.field(name) for name in clone._columns])
            clone._projection_map = {name: name for name in clone._columns}
        return clone

    def supports_predicate_pushdown(self):
        return True

    def apply_predicate(self, predicate_expr):
        """A source of the rows that pass; the same one: Ray has to test them."""
        condition = condition_of(predicate_expr, {name: self._types[name] for name in self._columns})
        if condition is None:
            return self
        clone = super().apply_predicate(predicate_expr)
        clone._where = (*self._where, condition)
        return clone

    def estimate_inmemory_data_size(self):
        return sum(nbytes for _, _, _, nbytes in self._files)

    def _pieces(self, tasks):
        """Runs of whole blocks: (number of the file, first row, rows or None, bytes)."""
        total = sum(rows or 0 for _, rows, _, _ in self._files)
        wanted = max(self._rows_per_task or -(-total // max(tasks, 1)), 1)
        for number, (_, rows, block_rows, nbytes) in enumerate(self._files):
            if rows is None:
                yield number, 0, None, nbytes
                continue
            step = -(-wanted // block_rows) * block_rows
            for first in range(0, max(rows, 1), step):
                n = min(step, rows - first)
                yield number, first, n, nbytes * n // max(rows, 1)

    def _groups(self, tasks):
        """Pieces of small files together, up to the rows of a task."""
        pieces = list(self._pieces(tasks))
        total = sum(rows or 0 for _, _, rows, _ in pieces)
        wanted = self._rows_per_task or -(-total // max(tasks, 1))
        group, held = [], 0
        for piece in pieces:
            rows = piece[2]
            if group and (rows is None or held is None or held + rows > wanted):
                yield group
                group, held = [], 0
            group.append(piece)
            held = None if rows is None else held + rows
        if group:
            yield group

    def get_read_tasks(self, parallelism, per_task_row_limit=None, data_context=None):
        tasks, left = [], per_task_row_limit
        if self._task_nbytes:
            parallelism = min(parallelism, -(-self.estimate_inmemory_data_size() // self._task_nbytes))
        for group in self._groups(parallelism):
            tasks.append(self._task(group, per_task_row_limit))
            rows = tasks[-1].metadata.num_rows
            left = None if left is None or rows is None else left - rows
            if left is not None and left <= 0:
                break  # Ray takes no more rows than this of all tasks together
        return tasks

    def _task(self, group, limit):
        rows = None if self._where or any(piece[2] is None for piece in group) else sum(p[2] for p in group)
        rows = rows if rows is None or limit is None else min(rows, limit)
        files = tuple(self._files[number][0] for number, _, _, _ in group)
        metadata = BlockMetadata(**_taken(BlockMetadata, num_rows=rows, size_bytes=sum(p[3] for p in group),
                                          schema=self._schema, input_files=files, exec_stats=None))
        runs = [(self._paths if self._together else [self._files[number][0]],
                 first + self._start_of(number), n) for number, first, n, _ in group]
        function = _Read(runs, self._columns, self._where, self._options, self._schema, limit)
        return ReadTask(function, metadata, **_taken(ReadTask.__init__, schema=self._schema,
                                                     per_task_row_limit=limit))

    def _start_of(self, number):
        """The first row of a file in all of them together."""
        return sum(rows for _, rows, _, _ in self._files[:number]) if self._together else 0


_RULES = "ray.data._internal.logical.rules"
if importlib.util.find_spec(_RULES) and hasattr(importlib.import_module(_RULES), "LimitPushdownRule"):
    from . import _ray_limit

    _ray_limit.tell_reads_of(_Source)  # in another Ray limits end tasks later


def _table_of(table, columns, where):
    for condition in where:
        table = table.filter(condition)
    return table.select(*columns)


def _tensors(table):
    """The Arrow schema of a table, with vectors of one length as tensors."""
    schema, types = table.schema, pa.schema(table)
    for k, field in enumerate(types):
        if pa.types.is_fixed_size_list(field.type):
            tensor = pa.fixed_shape_tensor(field.type.value_type, list(schema[field.name].type.shape))
            types = types.set(k, pa.field(field.name, tensor))
    return types.remove_metadata()


def _cast(found, schema):
    """The table with the tensors of the schema, in place."""
    for k, field in enumerate(schema):
        if isinstance(field.type, pa.BaseExtensionType):
            size = field.type.storage_type.list_size
            lists = [pa.FixedSizeListArray.from_arrays(chunk.flatten(), size) for chunk in found.column(k).chunks]
            chunks = [pa.ExtensionArray.from_storage(field.type, list_) for list_ in lists]
            found = found.set_column(k, field, pa.chunked_array(chunks, field.type))
    if not schema:
        return pa.table({_STUB: pa.nulls(len(found))})
    return found.replace_schema_metadata(None)


class _Read:
    """What a task does: reads runs of rows, whatever process and node it is in.  Nothing is open in it."""

    def __init__(self, runs, columns, where, options, schema, limit=None):
        self._runs, self._columns, self._where = runs, columns, where
        self._options, self._schema = options, schema
        self._limit = limit  # of rows that are taken; the reading ends there

    def __call__(self):
        count = 0
        for block in self._blocks():
            yield block
            count += len(block)
            if self._limit is not None and count >= self._limit:
                return
        if count == 0:  # a task must not be without a block
            yield self._schema.empty_table()

    def _blocks(self):
        for paths, first, rows in self._runs:
            with _open(paths, **self._options) as table:
                part = table.slice(first, rows) if rows is not None or first else table
                yield from self._read(_table_of(part, self._columns, self._where), table)

    def _read(self, table, whole):
        nbytes, rows = max(whole._view.facts(True)["file_nbytes"], 1), whole.num_rows
        step = max(_BATCH_NBYTES * rows // nbytes, 1024) if rows else 65536
        step = step if self._limit is None else max(min(step, self._limit), 1)
        held, count = [], 0
        for batch in pa.RecordBatchReader.from_stream(table.arrow_stream(rows=min(step, 1 << 20))):
            held.append(batch)
            count += batch.num_rows
            if count >= step:
                yield _cast(pa.Table.from_batches(held), self._schema)
                held, count = [], 0
        if held:
            yield _cast(pa.Table.from_batches(held), self._schema)
