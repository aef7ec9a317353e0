# SPDX-License-Identifier: MIT
"""Datasets of Ray: all rows once, on several processes and nodes, also if a task is killed."""

import os
import pathlib
import subprocess
import sys

import pytest

import libdataview as dv

np = pytest.importorskip("numpy")
pytest.importorskip("ray.data")
pytestmark = pytest.mark.skipif("DV_SANITIZED" in os.environ, reason="Ray is not what a sanitizer watches")

# Ray keeps processes and threads: it gets a Python of its own.
SCRIPT = """
import os, sys, pathlib, warnings
warnings.simplefilter("ignore")
import numpy as np, ray
from ray.cluster_utils import Cluster
import libdataview as dv

folder = pathlib.Path(sys.argv[1])
env = {"env_vars": {"PYTHONPATH": os.environ["PYTHONPATH"], "DV_MARK": str(folder / "mark")}}
cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
cluster.add_node(num_cpus=1)
ray.init(address=cluster.address, log_to_driver=False, runtime_env=env)
ray.data.DataContext.get_current().enable_progress_bars = False
n = 5000
table = dv.from_numpy({"f": np.arange(3 * n, dtype="f4").reshape(n, 3), "y": np.arange(n),
                       "t": np.array([f"t{i}" for i in range(n)])})
table.write(folder / "a.idv", rows_per_block=256)
table.select("y", "t").write(folder / "b.csv")
for k in range(4):
    table.slice(1250 * k, 1250).write(folder / f"part-{k}.idv", rows_per_block=100)
table.slice(0, 0).write(folder / "none.idv")

def ys(dataset):
    return sorted(row["y"] for row in dataset.take_all())

everything = list(range(n))
ds = dv.ray.read(folder / "a.idv", override_num_blocks=6)
assert ds.count() == n and ys(ds) == everything, "one file"
batch = next(iter(ds.iter_batches(batch_size=10)))
assert batch["f"].shape == (10, 3) and batch["f"].dtype == np.float32 and batch["y"].dtype == np.int64
assert ys(dv.ray.read(str(folder / "part-*.idv"))) == everything, "a pattern"
assert ys(dv.ray.read([folder / f"part-{k}.idv" for k in range(4)], override_num_blocks=2)) == everything
assert ys(dv.ray.read(folder / "b.csv")) == everything, "text"
assert dv.ray.read(folder / "none.idv").count() == 0
with dv.datadings.Writer(folder / "d.msgpack") as writer:
    for i in range(n):
        writer.append({"key": str(i), "y": i})
late = dv.col("y") >= 1000  # rows that no header knows
for name, where, count in (("b.csv", (), n), ("b.csv", late, n - 1000), ("a.idv", late, n - 1000),
                           ("d.msgpack", late, n - 1000), ("a.idv", (), n)):
    assert dv.ray.read(folder / name, where=where).count() == count, ("count", name)
assert dv.ray.read(folder / "a.idv", columns=["t"], where=late).count() == n - 1000
assert dv.ray.read(folder / "b.csv").select_columns(["t"]).filter(lambda row: row["t"] < "t2").count() == \
    sum(f"t{i}" < "t2" for i in range(n))
assert dv.ray.read(folder / "a.idv", columns=["y"], where=dv.col("y") >= n - 3).take_all() == \\
    [{"y": n - 3}, {"y": n - 2}, {"y": n - 1}]
assert ys(dv.ray.read(folder / "a.idv", where=[dv.col("y") >= 10, dv.col("y") < 20], rows_per_task=512)) == \\
    list(range(10, 20))
ds = dv.ray.read(folder / "a.idv").select_columns(["y"])
assert ds.columns() == ["y"] and ds.sum("y") == n * (n - 1) // 2
nodes = dv.ray.read(folder / "a.idv", override_num_blocks=8).map_batches(
    lambda b: {"node": np.array([ray.get_runtime_context().get_node_id()] * len(b["y"]))})
assert len(set(row["node"] for row in nodes.take_all())) >= 1

# the process of a task dies once, after a part of its rows
import dying
dying.install()
assert ys(dv.ray.read(folder / "a.idv", override_num_blocks=5)) == everything, "a task was killed"
assert (folder / "mark").exists(), "no task was killed"
print("fine")
"""


DYING = """
import os
import libdataview.ray as module

class Read(module._Read):
    def __call__(self):
        for block in super().__call__():
            yield block
            if self._runs[0][1] > 0 and not os.path.exists(os.environ["DV_MARK"]):
                open(os.environ["DV_MARK"], "w").close()
                os._exit(1)

def install():
    module._Read = Read
"""


def test_ray(tmp_path):
    (tmp_path / "dying.py").write_text(DYING, encoding="utf-8")
    package = pathlib.Path(dv.__file__).absolute().parents[1]
    environment = {**os.environ, "PYTHONPATH": f"{package}{os.pathsep}{tmp_path}",
                   "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}
    done = subprocess.run([sys.executable, "-c", SCRIPT, str(tmp_path)], env=environment, capture_output=True, text=True,
                          timeout=300)
    assert done.stdout.endswith("fine\n"), done.stdout[-2000:] + done.stderr[-4000:]


def test_tasks(tmp_path):
    """Runs of whole blocks; small files together; nothing open in them."""
    from libdataview.ray import _Source

    t = dv.from_numpy({"y": np.arange(1000)})
    t.write(tmp_path / "a.idv", rows_per_block=64)
    for k in range(10):
        t.slice(100 * k, 100).write(tmp_path / f"part-{k}.idv")
    source = _Source([str(tmp_path / "a.idv")], None, (), None, False, {})
    tasks = source.get_read_tasks(4)
    assert [task.metadata.num_rows for task in tasks] == [256, 256, 256, 232]
    assert sum((block.column("y").to_pylist() for task in tasks for block in task()), []) == list(range(1000))
    parts = _Source([str(tmp_path / f"part-{k}.idv") for k in range(10)], None, (), None, False, {})
    assert [task.metadata.num_rows for task in parts.get_read_tasks(4)] == [200] * 5
    assert sum((block.column("y").to_pylist() for task in parts.get_read_tasks(3) for block in task()), []) == \
        list(range(1000))
    few = source.apply_projection({"y": "y"})
    assert few.get_projection_map() == {"y": "y"} and few.supports_projection_pushdown()
    with pytest.raises(FileNotFoundError):
        dv.ray.read(tmp_path / "none-*.idv")
