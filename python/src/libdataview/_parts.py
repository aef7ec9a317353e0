# SPDX-License-Identifier: MIT
"""Pipelines that are fitted in parts, and those that are fitted where no rows stay."""

import hashlib
import operator
import os
import pathlib
import tempfile

from . import _core, _pipeline, _table, _trust


def part_of(pipeline, table, threads, terms_nbytes, progress=None):
    """The bytes of what the steps have seen of a table."""
    view = table._view.fit_part("\n".join(pipeline), pipeline._open, pipeline._allowed, operator.index(threads),
                                operator.index(terms_nbytes), progress)
    return bytes(view.save_memory({"format": "idv"}, None))


def merged(pipeline, parts, terms_nbytes):
    parts = [] if isinstance(parts, _table.Table) else list(parts)
    if not parts or not all(isinstance(part, _table.Table) for part in parts):
        raise TypeError("fit_merge() takes a list of what fit_part() has made, in the order of the rows")
    core = _core.fit_merge("\n".join(pipeline), pipeline._open, pipeline._allowed, [part._view for part in parts],
                           operator.index(terms_nbytes))
    return fitted_of(core, pipeline)


def fitted_of(core, pipeline):
    """A Fitted that keeps no rows."""
    with tempfile.TemporaryDirectory(prefix="dataview-") as folder:
        path = os.path.join(folder, "fitted.dvp")
        core.save(path)
        carried = Carried(pathlib.Path(path).read_bytes(), _trust.NOTHING, core)
    steps = _pipeline._pipeline_of(core.steps(), pipeline._tables, pipeline._allowed)
    return _pipeline.Fitted._with(steps, carried)


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
