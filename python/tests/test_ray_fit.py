# SPDX-License-Identifier: MIT
"""Pipelines that are fitted on datasets of Ray, of which a stand-in has what is used: as on all rows at once."""

import os
import pickle
import types

import pytest

import libdataview as dv

np = pytest.importorskip("numpy")
pytest.importorskip("ray.data")
if "DV_SANITIZED" in os.environ:
    pytest.skip("Ray is not what a sanitizer watches", allow_module_level=True)

import pyarrow as pa  # noqa: E402


class Dataset:
    """Blocks of 7 rows."""

    def __init__(self, table):
        self.table = table
        self.context = types.SimpleNamespace(execution_options=types.SimpleNamespace(preserve_order=False))
        self.parts = 0

    def schema(self):
        return types.SimpleNamespace(base_schema=self.table.schema)

    def iter_batches(self, batch_size, batch_format):
        assert self.context.execution_options.preserve_order and batch_format == "pyarrow" and batch_size is None
        for first in range(0, len(self.table), 7):
            yield self.table.slice(first, 7)

    def map_batches(self, function, batch_size, batch_format):
        cloudpickle = pytest.importorskip("cloudpickle")
        function = cloudpickle.loads(cloudpickle.dumps(function))
        return Dataset.of([function(block) for block in self.iter_batches(batch_size, batch_format)], self)

    @classmethod
    def of(cls, blocks, parent):
        parent.parts = len(blocks)
        made = cls(pa.concat_tables(blocks) if blocks else None)
        made.context = parent.context
        return made

    def iter_rows(self):
        assert self.context.execution_options.preserve_order
        return iter(self.table.to_pylist() if self.table else [])


Dataset.__module__ = "ray.data.dataset"


@pytest.fixture
def rows():
    n = 500
    words = [None if i % 13 == 5 else f"w{i * i % 37}" for i in range(n)]
    return pa.table({"t": words, "x": [i * 0.1 - 20 for i in range(n)], "y": pa.array(range(n), pa.int32()),
                     "unused": words, "c": pa.array(words).dictionary_encode(),
                     "v": [[float(i), 2.0] for i in range(n)]})


def bytes_of(fitted, folder):
    fitted.save(folder / "saved.dvp")
    return (folder / "saved.dvp").read_bytes()


@pytest.mark.parametrize("steps, in_parts", [
    ("onehot t max=20; normalize x", True), ("normalize y mode=bin bins=7; select y", True),
    ("normalize x mode=meanvar; normalize y mode=bin bins=7", False), ("onehot c", True),
    ("term t sort=value; hash y bits=8 invert=2; select t y", False), ("wordbag B:t", False),
    ("term t; onehot K:t; selectcount K count=9", False), ("dropna t; term t", True), ("replacena x mode=mean", False),
    ("term '?'", True), ("slice skip=10; term t", False)])
def test_a_fit_is_that_of_all_rows(rows, tmp_path, steps, in_parts):
    dataset = Dataset(rows)
    fitted = dv.Pipeline(steps).fit(dataset)
    whole = dv.Pipeline(steps).fit(rows)
    assert bytes_of(fitted, tmp_path) == bytes_of(whole, tmp_path) and fitted.rows == whole.rows > 0
    assert dataset.parts == (-(-len(rows) // 7) if in_parts else 0)
    assert not dataset.context.execution_options.preserve_order
    made = whole.apply(rows)
    assert fitted.apply(rows).equals(made)
    assert pickle.loads(pickle.dumps(fitted)).apply(rows).equals(made)


def test_a_dataset_without_rows(rows, tmp_path):
    none, pipeline = rows.slice(0, 0), dv.Pipeline("term t; normalize x")
    assert bytes_of(pipeline.fit(Dataset(none)), tmp_path) == bytes_of(pipeline.fit(none), tmp_path)


def test_errors_name_the_step(rows):
    with pytest.raises(dv.ColumnNotFound, match="step 1, term"):
        dv.Pipeline("term Town").fit(Dataset(rows))
    with pytest.raises(dv.ArgumentError, match="the 10 rows to learn from .maxrows. end within a part"):
        dv.Pipeline("normalize x maxrows=10").fit(Dataset(rows))


def test_a_forked_process_opens_the_bytes(rows):
    fitted = dv.Pipeline("onehot t").fit(Dataset(rows))
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(write, str(fitted.apply(rows).schema["t"].type).encode())
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(read, 100).decode() == str(fitted.apply(rows).schema["t"].type) != ""
