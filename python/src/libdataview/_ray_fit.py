# SPDX-License-Identifier: MIT
"""Pipelines that are fitted on datasets of Ray: the rows go through a file of this node."""

import hashlib
import itertools
import os
import pathlib
import tempfile

from . import _core, _errors, _pipeline, _table, _trust, _write
from ._open import open as _open
from ._ray_write import _in_order, _table_of


def fit(pipeline, dataset, threads, terms_nbytes, progress):
    """The Fitted that all rows of a dataset give, in its order."""
    schema = dataset.schema()
    if schema is None:
        raise _errors.ArgumentError("the dataset has neither rows nor columns: there is nothing to learn from")
    none = _table_of([schema.base_schema.empty_table()])
    with tempfile.TemporaryDirectory(prefix="dataview-") as folder, _in_order(dataset.context):
        rows, saved = os.path.join(folder, "rows.idv"), os.path.join(folder, "fitted.dvp")
        batches = _batches(dataset)
        first = next(batches, None)
        _write.write(none if first is None else itertools.chain([first], batches), rows)
        found = _pipeline.Fitted._of(pipeline, _open(rows), threads, terms_nbytes, progress)
        found.save(saved)
        carried = Carried(pathlib.Path(saved).read_bytes(), _trust.NOTHING, found._fitting.made)
    return _pipeline.Fitted._with(found.pipeline, carried)


def _batches(dataset):
    """The rows as Arrow batches of one schema."""
    schema = None
    for block in dataset.iter_batches(batch_size=None, batch_format="pyarrow"):
        table = _table_of([block])
        schema = table.schema if schema is None else schema
        yield from (table if table.schema.equals(schema) else table.cast(schema)).to_batches()


class Carried(_pipeline._Saved):
    """A fitted pipeline in recipes whose rows are gone: another process opens the bytes of its file."""

    def __init__(self, data, allowed, made=None):
        self.data, self.allowed = data, allowed
        self.made, self.made_in = made, made and _table._generation

    def open(self):
        with tempfile.NamedTemporaryFile(prefix="dataview-", suffix=".dvp") as file:
            file.write(self.data)
            file.flush()
            self.made, self.made_in = _core.fitted_open(file.name, False, self.allowed), _table._generation

    def allow_folder(self, folder):
        return Carried(self.data, _trust.folder_of(folder))

    def __reduce__(self):
        signature = None if self.allowed == _trust.NOTHING else _trust.sign("carried", _digest(self.data), self.allowed)
        return _carried, (self.data, self.allowed, signature)


def _digest(data):
    return hashlib.sha256(data).hexdigest()


def _carried(data, allowed, signature):
    is_own = _trust.is_own(signature, "carried", _digest(data), allowed)
    return Carried(data, allowed if is_own else _trust.granted())
