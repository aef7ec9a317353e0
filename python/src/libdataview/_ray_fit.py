# SPDX-License-Identifier: MIT
"""Pipelines that are fitted on datasets of Ray: in parts where the rows are, or here if they cannot be."""

import itertools
import os
import tempfile

from . import _errors, _open, _parts, _pipeline, _write
from ._ray_write import _in_order, _table_of


def fit(pipeline, dataset, threads, terms_nbytes, progress):
    """The Fitted that all rows of a dataset give, in its order."""
    schema = dataset.schema()
    if schema is None:
        raise _errors.ArgumentError("the dataset has neither rows nor columns: there is nothing to learn from")
    none = _table_of([schema.base_schema.empty_table()])
    view = _pipeline.table_of(none)._view
    with _in_order(dataset.context):
        if view.fits_in_parts("\n".join(pipeline), pipeline._open, pipeline._allowed):
            return _in_parts(pipeline, dataset, none, terms_nbytes)
        return _here(pipeline, dataset, none, threads, terms_nbytes, progress)


def _in_parts(pipeline, dataset, none, terms_nbytes):
    """Tasks see blocks, and send what they have seen."""
    schema = none.schema

    def seen(block):
        import pyarrow

        table = _table_of([block])
        table = table if table.schema.equals(schema) else table.cast(schema)
        part = _parts.part_of(pipeline, _pipeline.table_of(table), 1, terms_nbytes)
        return pyarrow.table({"part": pyarrow.array([part], pyarrow.large_binary())})

    parts = dataset.map_batches(seen, batch_size=None, batch_format="pyarrow")
    tables = [_open.open(row["part"]) for row in parts.iter_rows()]
    return pipeline.fit_merge(tables or [pipeline.fit_part(none)], terms_nbytes=terms_nbytes)


def _here(pipeline, dataset, none, threads, terms_nbytes, progress):
    with tempfile.TemporaryDirectory(prefix="dataview-") as folder:
        rows, batches = os.path.join(folder, "rows.idv"), _batches(dataset)
        first = next(batches, None)
        _write.write(none if first is None else itertools.chain([first], batches), rows)
        found = _pipeline.Fitted._of(pipeline, _open.open(rows), threads, terms_nbytes, progress)
        return _parts.fitted_of(found._fitting.core, pipeline)


def _batches(dataset):
    """The rows as Arrow batches of one schema."""
    schema = None
    for block in dataset.iter_batches(batch_size=None, batch_format="pyarrow"):
        table = _table_of([block])
        schema = table.schema if schema is None else schema
        yield from (table if table.schema.equals(schema) else table.cast(schema)).to_batches()
