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
env = {"env_vars": {"PYTHONPATH": os.environ["PYTHONPATH"], "DV_MARK": str(folder / "mark"),
                    "DV_ROWS": str(folder / "rows")}}
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
# filters of Ray, tested where the files are read
from ray.data.expressions import col
from ray.data._internal.logical.optimizers import LogicalOptimizer

def plan(dataset):
    return LogicalOptimizer().optimize(dataset._logical_plan).dag.dag_str

for name in ("a.idv", "b.csv"):
    ds = dv.ray.read(folder / name)
    kept = ds.filter(expr=(col("y") >= 10) & ~(col("t") == "t11")).filter(expr=col("y") < 20)
    assert plan(kept) == plan(ds) and kept.count() == 9, ("a filter", name, plan(kept))
    assert kept.select_columns(["t"]).limit(1).take_all() == [{"t": "t10"}]
kept = ds.filter(expr=col("t").str.starts_with("t499"))
assert plan(kept) != plan(ds) and ys(kept) == [499, *range(4990, 5000)], "a filter that is left to Ray"

ds = dv.ray.read(folder / "a.idv").select_columns(["y"])
assert ds.columns() == ["y"] and ds.sum("y") == n * (n - 1) // 2
nodes = dv.ray.read(folder / "a.idv", override_num_blocks=8).map_batches(
    lambda b: {"node": np.array([ray.get_runtime_context().get_node_id()] * len(b["y"]))})
assert len(set(row["node"] for row in nodes.take_all())) >= 1

# what needs no row reads none, and a limit no row after it
import watched
watched.install()
ds = dv.ray.read([folder / "a.idv", *(folder / f"part-{k}.idv" for k in range(4))], override_num_blocks=20)
assert ds.count() == 2 * n and ds.schema().names == ["f", "y", "t"] and ds.limit(7).count() == 7
assert not (folder / "rows").exists(), "rows were read"
assert ds.limit(7).take_all()[6]["y"] == 6 and ds.take(1)[0]["y"] == 0
assert ds.filter(expr=col("y") >= 5).map(lambda row: {"z": row["y"]}).limit(2).take_all() == [{"z": 5}, {"z": 6}]
assert sum(map(int, (folder / "rows").read_text().split())) <= 7 + 1 + 2 * 20, (folder / "rows").read_text()
watched.uninstall()

# whole shards, in the order of the dataset, and the same again
ds = dv.ray.read(folder / "a.idv", override_num_blocks=5)
assert dv.ray.write(ds, folder / "out") == n
first = {path.name: path.read_bytes() for path in (folder / "out").iterdir()}
assert dv.open(folder / "out").equals(table) and len(first) == 5 + 1 and "manifest.json" in first
assert dv.ray.write(ds, folder / "out") == n
assert {path.name: path.read_bytes() for path in (folder / "out").iterdir()} == first
twice = ds.map_batches(lambda b: {"f": 2 * b["f"], "y": b["y"], "t": b["t"]})
assert dv.ray.write(twice, folder / "out", rows_per_shard=1500, compression="zlib") == n
there = dv.open(folder / "out")
assert there["y"].to_list() == everything and (there["f"].to_numpy() == 2 * table["f"].to_numpy()).all()
assert str(there.schema["f"].type) == "V<R4,3>" and len(list((folder / "out").iterdir())) == 3 + 1
assert dv.ray.read(folder / "out").count() == n

# a pipeline learns from a dataset what it learns from the table, and goes to the tasks
steps = dv.Pipeline("onehot t max=50; normalize y mode=meanvar; term T:t sort=value; select t y T")
fitted = steps.fit(dv.ray.read(folder / "a.idv", override_num_blocks=7))
fitted.save(folder / "a.dvp")
steps.fit(table).save(folder / "b.dvp")
assert (folder / "a.dvp").read_bytes() == (folder / "b.dvp").read_bytes()
made = dv.ray.read(folder / "a.idv").map_batches(lambda b: fitted.apply(b).to_arrow(), batch_format="pyarrow")
assert made.sort("y").take(3)[2]["T"] == fitted.apply(table).head(3).to_pylist()[2]["T"]

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


WATCHED = """
import os
import libdataview.ray as module

class Read(module._Read):
    def _blocks(self):
        for block in super()._blocks():
            with open(os.environ["DV_ROWS"], "a") as file:
                file.write(f"{len(block)}\\n")
            yield block

def install():
    module._Read = Read

def uninstall():
    module._Read = Read.__base__
"""


# Three nodes, of which one dies while a task on it has written its shard, but Ray does not know of it.
KILLED = """
import contextlib, os, pathlib, sys, threading, warnings
warnings.simplefilter("ignore")
import numpy as np, ray, psutil  # which Ray brings
from ray.cluster_utils import Cluster
import libdataview as dv
import held

folder = pathlib.Path(sys.argv[1])
args = {"num_cpus": 1, "object_store_memory": 80 << 20}
env = {"env_vars": {"PYTHONPATH": os.environ["PYTHONPATH"], "DV_HELD": str(folder)}}
cluster = Cluster(initialize_head=True, head_node_args={**args, "include_dashboard": False})
cluster.add_node(**args)
doomed = cluster.add_node(**args)
cluster.wait_for_nodes()
(folder / "doomed").write_text(doomed.node_id)
ray.init(address=cluster.address, log_to_driver=False, runtime_env=env)
ray.data.DataContext.get_current().enable_progress_bars = False
n = 3000
table = dv.from_numpy({"y": np.arange(n), "t": np.array([f"t{i}" for i in range(n)])})
table.write(folder / "a.idv", rows_per_block=100)

def kill():
    (folder / "held").read_text()  # waits for a task on that node
    processes = psutil.Process(doomed.all_processes["raylet"][0].process.pid).children(recursive=True)
    cluster.remove_node(doomed, allow_graceful=False)
    for process in processes:  # as when the machine is gone
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    os.open(folder / "killed", os.O_RDWR)

held.install()
os.mkfifo(folder / "held")
os.mkfifo(folder / "killed")
thread = threading.Thread(target=kill)
thread.start()
ds = dv.ray.read(folder / "a.idv", override_num_blocks=10)
assert dv.ray.write(ds, folder / "out") == n
thread.join()
tasks = (folder / "tasks").read_text().split()
assert len(set(tasks)) == 10 < len(tasks), "no task ran twice"
assert sorted(os.listdir(folder / "out")) == ["manifest.json", *(f"part-{k:05}.idv" for k in range(10))]
assert dv.open(folder / "out").equals(table)
assert [row["y"] for row in dv.ray.read(folder / "out").sort("y").take_all()] == list(range(n))
ray.shutdown()
cluster.shutdown()
print("fine")
"""

HELD = """
import os, pathlib, threading
import ray
import libdataview._ray_write as module

class Sink(module._Sink):
    def write(self, blocks, ctx):
        folder = pathlib.Path(os.environ["DV_HELD"])
        made = super().write(blocks, ctx)
        with open(folder / "tasks", "a") as file:
            file.write(f"{ctx.task_idx}\\n")
        if ray.get_runtime_context().get_node_id() == (folder / "doomed").read_text():
            (folder / "held").write_text("here")
            threading.Event().wait()
        os.close(os.open(folder / "killed", os.O_RDONLY))  # waits until the node is dead
        return made

def install():
    module._Sink = Sink
"""


def run(script, folder, **modules):
    for name, text in modules.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    package = pathlib.Path(dv.__file__).absolute().parents[1]
    environment = {**os.environ, "PYTHONPATH": f"{package}{os.pathsep}{folder}",
                   "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}
    done = subprocess.run([sys.executable, "-c", script, str(folder)], env=environment, capture_output=True, text=True,
                          timeout=300)
    assert done.stdout.endswith("fine\n"), done.stdout[-2000:] + done.stderr[-4000:]


def test_ray(tmp_path):
    run(SCRIPT, tmp_path, dying=DYING, watched=WATCHED)


def test_a_node_is_killed(tmp_path):
    run(KILLED, tmp_path, held=HELD)


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
