# SPDX-License-Identifier: MIT
"""Pipelines that are fitted on datasets of Ray: the rows go through a file of this node."""

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
    with _in_order(dataset.context):
        return _here(pipeline, dataset, none, threads, terms_nbytes, progress)


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
