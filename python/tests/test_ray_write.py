# SPDX-License-Identifier: MIT
"""Tasks of Ray that write, without a cluster: killed and repeated attempts, killed commits, files of others."""

import json
import os
import types

import pytest

import libdataview as dv

np = pytest.importorskip("numpy")
pytest.importorskip("ray.data")
if "DV_SANITIZED" in os.environ:
    pytest.skip("Ray is not what a sanitizer watches", allow_module_level=True)

import pyarrow as pa  # noqa: E402
from ray.data.block import BlockAccessor  # noqa: E402
from ray.data.datasource import WriteResult  # noqa: E402

from libdataview import _ray_write  # noqa: E402


def sink_of(folder, format="idv", **options):  # noqa: A002
    sink = _ray_write._Sink(str(folder), format, None, options)
    sink.prepare()
    return sink


def attempt(sink, task, *blocks):
    return sink.write(iter(blocks), types.SimpleNamespace(task_idx=task))


def commit(sink, *made):
    sink.on_write_complete(WriteResult(0, 0, list(made)))


def rows(first, n):
    return pa.table({"y": range(first, first + n)})


def visible(folder):
    return sorted(name for name in os.listdir(folder) if not name.startswith("."))


def manifest_of(folder):
    return json.loads((folder / "manifest.json").read_text())


def test_attempts_that_ray_has_not_counted_are_no_shards(tmp_path):
    sink = sink_of(tmp_path)
    attempt(sink, 0, rows(500, 9))  # killed before it was counted
    with pytest.raises(dv.UnsupportedError):
        dv.open(tmp_path)
    assert visible(tmp_path) == []
    late, first = attempt(sink, 1, rows(5, 3), rows(8, 2)), attempt(sink, 0, rows(0, 5))
    nothing = attempt(sink, 2, rows(0, 0))
    commit(sink, late, nothing, first)
    assert visible(tmp_path) == ["manifest.json", "part-00000.idv", "part-00001.idv"] and sink.rows == 10
    assert dv.open(tmp_path)["y"].to_list() == list(range(10))
    manifest = manifest_of(tmp_path)
    assert manifest["complete"] and manifest["rows"] == 10 and manifest["columns"] == [{"name": "y", "type": "I8"}]
    assert [(shard["name"], shard["rows"], shard["nbytes"]) for shard in manifest["shards"]] == [
        (name, 5, (tmp_path / name).stat().st_size) for name in ("part-00000.idv", "part-00001.idv")]


def test_a_write_replaces_what_one_before_has_written(tmp_path):
    sink = sink_of(tmp_path)
    commit(sink, *[attempt(sink, k, rows(k, 1)) for k in range(3)])
    again = sink_of(tmp_path, compression="zlib")
    commit(again, attempt(again, 0, rows(7, 2)))
    assert visible(tmp_path) == ["manifest.json", "part-00000.idv"] and dv.open(tmp_path)["y"].to_list() == [7, 8]
    other = sink_of(tmp_path, "csv")
    commit(other, attempt(other, 0, rows(7, 2)))
    assert visible(tmp_path) == ["manifest.json", "part-00000.csv"] and dv.open(tmp_path)["y"].to_list() == [7, 8]


@pytest.mark.parametrize("calls", range(7))
def test_a_commit_that_is_killed_says_so_and_is_repeated(tmp_path, monkeypatch, calls):
    """os.replace is called for the manifest, two shards and the manifest; os.remove for a shard and the mark."""
    sink = sink_of(tmp_path)
    commit(sink, *[attempt(sink, k, rows(k, 1)) for k in range(3)])
    left = [calls]

    def dying(function):
        def call(*args):
            if left[0] == 0:
                raise KeyboardInterrupt
            left[0] -= 1
            return function(*args)
        return call

    again = sink_of(tmp_path)
    made = [attempt(again, k, rows(10 + k, 1)) for k in range(2)]
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", dying(os.replace))
        patch.setattr(os, "remove", dying(os.remove))
        if calls < 6:
            with pytest.raises(KeyboardInterrupt):
                commit(again, *made)
        else:
            commit(again, *made)
    assert manifest_of(tmp_path)["complete"] == (calls in (0, 5, 6))
    if calls < 6:
        with pytest.raises(dv.UnsupportedError, match=r"\.unfinished.*run the job again"):
            dv.open(tmp_path)
    last = sink_of(tmp_path)
    commit(last, *[attempt(last, k, rows(10 + k, 1)) for k in range(2)])
    assert visible(tmp_path) == ["manifest.json", "part-00000.idv", "part-00001.idv"]
    assert dv.open(tmp_path)["y"].to_list() == [10, 11] and manifest_of(tmp_path)["complete"]


def test_files_of_others_are_neither_removed_nor_mixed_in(tmp_path):
    dv.write({"y": [1]}, tmp_path / "part-00000.idv")
    with pytest.raises(dv.ArgumentError, match="part-00000.idv.*no manifest of it names"):
        sink_of(tmp_path)
    (tmp_path / "manifest.json").write_text('{"shards": [{"name": "../part-1.idv"}, {"name": "rows.idv"}]}')
    (tmp_path / "part-00000.idv").rename(tmp_path / "rows.idv")
    with pytest.raises(dv.ArgumentError, match="rows.idv"):
        sink_of(tmp_path)
    (tmp_path / "manifest.json").write_text("name: mine")
    with pytest.raises(dv.ArgumentError, match="not a manifest"):
        sink_of(tmp_path)


def test_a_folder_that_not_all_nodes_see(tmp_path):
    sink = sink_of(tmp_path / "out")
    made = attempt(sink, 0, rows(0, 5))
    (tmp_path / "out/.writing" / made["file"]).unlink()  # another disk
    with pytest.raises(dv.ArgumentError, match="every node must reach the folder"):
        commit(sink, made)
    (tmp_path / "out/.writing").rmdir()
    with pytest.raises(dv.ArgumentError, match="every node must reach the folder"):
        attempt(sink, 0, rows(0, 5))
    assert visible(tmp_path / "out") == []


def test_shards_of_other_columns_are_refused(tmp_path):
    sink = sink_of(tmp_path)
    made = [attempt(sink, 0, rows(0, 5)), attempt(sink, 1, pa.table({"y": ["a"]}))]
    with pytest.raises(dv.Error, match='column . "y": expected I8, found TX'):
        commit(sink, *made)
    assert visible(tmp_path) == []
    with pytest.raises(dv.ArgumentError, match="neither rows nor columns"):
        commit(sink, attempt(sink, 0))


def test_blocks_of_all_kinds(tmp_path):
    """Dictionaries are values, Ray's tensors those of Arrow, pandas what Arrow makes of it."""
    import pandas

    sink = sink_of(tmp_path)
    words = pa.table({"t": pa.array(["b", "a", None]).dictionary_encode(), "f": [[1.0], [2.0, 3.0], []]})
    first = attempt(sink, 0, words, pa.table({"t": pa.array(["c"]).dictionary_encode(), "f": [[4.0]]}))
    commit(sink, first, attempt(sink, 1, pa.table({"t": pa.array(["a"]).dictionary_encode(), "f": [[5.0]]})))
    assert dv.open(tmp_path)["t"].to_list() == ["b", "a", None, "c", "a"]
    assert [list(row) for row in dv.open(tmp_path)["f"].to_list()] == [[1.0], [2.0, 3.0], [], [4.0], [5.0]]

    sink = sink_of(tmp_path)
    tensors = np.arange(24, dtype="f4").reshape(2, 3, 4)
    commit(sink, attempt(sink, 0, BlockAccessor.batch_to_arrow_block({"x": tensors}),
                         BlockAccessor.batch_to_arrow_block({"x": tensors + 1})))
    assert (dv.open(tmp_path)["x"].to_numpy() == np.concatenate([tensors, tensors + 1])).all()
    assert str(dv.open(tmp_path).schema["x"].type) == "V<R4,3,4>"

    ragged = np.empty(2, object)
    ragged[:] = [np.ones(3), np.ones(2)]
    sink = sink_of(tmp_path)
    commit(sink, attempt(sink, 0, BlockAccessor.batch_to_arrow_block({"x": ragged})))
    assert [list(row) for row in dv.open(tmp_path)["x"].to_list()] == [[1, 1, 1], [1, 1]]
    ragged[:] = [np.ones((3, 2)), np.ones((2, 2))]
    with pytest.raises(dv.UnsupportedError, match="column 'x'"):
        attempt(sink, 0, BlockAccessor.batch_to_arrow_block({"x": ragged}))

    sink = sink_of(tmp_path)
    commit(sink, attempt(sink, 0, pandas.DataFrame({"x": [1, 2]})))
    assert dv.open(tmp_path)["x"].to_list() == [1, 2]


def test_what_is_refused_before_a_task_runs(tmp_path):
    import ray.data

    class Dataset(ray.data.Dataset):
        def __init__(self):
            pass

        def __del__(self):
            pass

    dataset = Dataset()
    for error, arguments, options in (
            (dv.ArgumentError, (dataset, "s3://bucket/out"), {}),
            (TypeError, (dv.from_numpy({"y": [1]}), tmp_path), {}),
            (dv.ArgumentError, (dataset, tmp_path), {"format": "parquet"}),
            (TypeError, (dataset, tmp_path), {"compresion": "zlib"})):
        with pytest.raises(error):
            dv.ray.write(*arguments, **options)
    assert visible(tmp_path) == []
